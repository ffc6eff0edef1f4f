#!/usr/bin/env python3
"""Commands that only read a history make and write nothing, and need not be allowed to.

history_read.py BIGROCKS

Runs the readers (plan, bound, annotate, deadline, import, history) where there is no file, an empty file, a file or
a folder that may not be written, and one that another program is writing.
"""
import contextlib
import os
import pathlib
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile

BIGROCKS = pathlib.Path(sys.argv[1]).resolve()
NOBODY = 65534 if os.geteuid() == 0 else None # whom permissions hold
POOL = ['--capacity', 'cpu=1,mem=1GiB']
JOB = '''<job xmlns="urn:bigrocks:job:1" name="j"><stage id="a" duration="50"><demand resource="cpu" amount="1"/>
  <command>true</command></stage></job>'''
MANY = 100000
SECONDS = 20 # of processor time, for the list of MANY jobs; it takes less than one


def readers(job, history):
    """All commands that read a history, and what each says on standard output or in its messages."""
    known = '1 of 1 stages as the history has them'
    return [(['plan', job, *POOL, '--no-lp', '--history', history], known),
            (['plan', job, *POOL, '--no-lp', '--robust', '0.9', '--history', history], known),
            (['bound', job, *POOL, '--no-lp', '--history', history], known),
            (['annotate', job, '--history', history], known),
            (['deadline', job, '--tokens', '1', '--runs', '4', '--history', history], known),
            (['run', job, *POOL, '--simulate', '--history', history], known),
            (['history', history], 'j '),
            (['history', history, 'j'], 'a  ')]


@contextlib.contextmanager
def openly():
    """A copy of the program that everybody may run, also if the build's folder is closed to others."""
    global BIGROCKS
    with tempfile.TemporaryDirectory(prefix='bigrocks-open') as folder:
        os.chmod(folder, 0o755)
        BIGROCKS = pathlib.Path(shutil.copy(BIGROCKS, folder))
        yield


def bigrocks(*words, cwd, status=0, user=None, limit=None):
    done = subprocess.run([str(BIGROCKS), *map(str, words)], text=True, capture_output=True, cwd=cwd, user=user,
                          stdin=subprocess.DEVNULL, timeout=120, preexec_fn=limit)
    assert done.returncode == status, (words, done)
    return done.stdout + done.stderr


def files(folder):
    """The files of the folder with their bytes."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def check_missing(folder):
    """A name that was mistyped makes no file, also where the file would be changed."""
    before = files(folder)
    for words, _ in readers('job.xml', 'typo'):
        told = bigrocks(*words, cwd=folder, status=5)
        assert 'typo: there is no such history' in told, told
        assert "'bigrocks run JOB --history FILE' makes one" in told, told
    (folder / 'build.ninja').write_text('rule r\n  command = touch $out\nbuild x: r\n')
    assert 'no such history' in bigrocks('import', 'ninja', '--history', 'typo', cwd=folder, status=5)
    for words in (['--keep', 1], ['j', '--forget'], ['j', '--rename', 'k']):
        assert 'no such history' in bigrocks('history', 'typo', *words, cwd=folder, status=5)
    (folder / 'build.ninja').unlink()
    assert files(folder) == before, files(folder).keys()


def check_empty(folder):
    """A file without tables is not given any. Whoever is killed while making them leaves such a file."""
    (folder / 'empty').touch()
    sqlite3.connect(folder / 'other').execute('CREATE TABLE t(a)').connection.close()
    before = files(folder)
    for name, status, told in (('empty', 5, 'this history holds nothing yet'), ('other', 3, 'another kind of database')):
        for words, _ in readers('job.xml', name):
            assert told in bigrocks(*words, cwd=folder, status=status), words
    assert files(folder) == before, files(folder).keys()
    (folder / 'empty').unlink()
    (folder / 'other').unlink()


def check_told(folder, user):
    """All readers say what the history holds, and leave the folder as it is."""
    before = files(folder)
    for words, wanted in readers('job.xml', folder / 'h'):
        told = bigrocks(*words, cwd=folder, user=user)
        assert wanted in told, (words, told)
        assert files(folder) == before, (words, files(folder).keys() ^ before.keys())


def check_allowed(folder):
    """The file, the folder or both may be read alone; the name of either may hold what a URI would not."""
    check_told(folder, None)
    for words, wanted in readers('job.xml', '/%s' % (folder / 'h')):  # two slashes, as before a host
        assert wanted in bigrocks(*words, cwd=folder), words
    inner = folder / 'a %41?b#c'
    inner.mkdir()
    for name in ('h', 'job.xml'):
        (inner / name).write_bytes((folder / name).read_bytes())
    for file, room in ((0o444, 0o777), (0o666, 0o555), (0o444, 0o555), (0o666, 0o777)):
        os.chmod(inner / 'h', file)
        os.chmod(inner, room)
        check_told(inner, NOBODY)
    os.chmod(inner, 0o777)


def check_beside_writers(folder):
    """What another program has written and not yet brought into the file counts, also where the file may only be
    read."""
    os.chmod(folder, 0o777)
    for mode in (0o666, 0o444):
        with contextlib.closing(sqlite3.connect(folder / 'h')) as base:
            base.execute('PRAGMA wal_autocheckpoint = 0')
            base.execute('INSERT INTO run(job, began) VALUES(?, 0)', ('late%o' % mode,))
            base.commit()
            assert (folder / 'h-wal').stat().st_size > 0
            for path in folder.glob('h*'):
                os.chmod(path, mode)
            assert 'late%o ' % mode in bigrocks('history', 'h', cwd=folder, user=NOBODY)
            for path in folder.glob('h*'):
                os.chmod(path, 0o666)
    os.chmod(folder, 0o755)


def check_many(folder):
    """The list of many jobs takes time in proportion to them."""
    with contextlib.closing(sqlite3.connect(folder / 'h')) as base, base:
        base.executemany('INSERT INTO run(job, began) VALUES(?, 0)', (('job%d' % k,) for k in range(MANY)))
        base.executemany('INSERT INTO stage(job, name) VALUES(?, "a")', (('job%d' % k,) for k in range(MANY)))
        base.execute('INSERT INTO sample SELECT stage.id, run.id, 0, 1000000000, NULL, NULL FROM stage JOIN run'
                     ' ON run.job = stage.job WHERE run.job LIKE "job%"')
    told = bigrocks('history', 'h', cwd=folder,
                    limit=lambda: resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS)))
    assert told.count('\njob') == MANY, told[:300]


def main():
    with openly(), tempfile.TemporaryDirectory(prefix='bigrocks-history') as folder:
        folder = pathlib.Path(folder)
        os.chmod(folder, 0o755)
        (folder / 'job.xml').write_text(JOB)
        probe = subprocess.run([BIGROCKS, 'run', folder / 'job.xml', *POOL, '--history', folder / 'h'],
                               capture_output=True, text=True)
        if 'keeps no histories' in probe.stderr:
            print(probe.stderr)
            return 77
        assert probe.returncode == 0, probe
        check_missing(folder)
        check_empty(folder)
        check_allowed(folder)
        check_beside_writers(folder)
        check_many(folder)
    return 0


if __name__ == '__main__':
    sys.exit(main())
