#!/usr/bin/env python3
"""What `bigrocks build` says of a build, how it goes on after Ctrl-C, what it does with commands
that need more memory than there is, and what it leaves behind.

build_words.py BIGROCKS [NINJA]
"""
import contextlib
import fcntl
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import termios
import time

# What depends on a command with "restat" is decided when that has run. A command that finds a file
# "hold-NAME" says that it has begun, and waits until the file is gone; one that finds "fail-NAME" fails.
RULES = '''rule step
  command = echo begin $out >> course; if [ -e hold-$out ]; then touch began-$out; $
      while [ -e hold-$out ]; do sleep 0.02; $
      done; fi; if [ -e fail-$out ]; then exit 3; fi; cat $in > $out; echo end $out >> course
rule still
  command = echo begin $out >> course; cmp -s $in $out || cat $in > $out; echo end $out >> course
  restat = 1
build a1: step in
build a2: step in
build s1: still a1
build b1: step s1
build s2: still b1
build c1: step s2
build c2: step s2 a2
'''
ALL = ['a1', 'a2', 's1', 'b1', 's2', 'c1', 'c2']


class Project:
    def __init__(self, bigrocks, folder):
        self.bigrocks, self.folder = bigrocks, folder
        folder.mkdir()
        self.temporary = folder / 'temporary'
        self.temporary.mkdir()
        (folder / 'build.ninja').write_text(RULES)
        (folder / 'in').write_text('in\n')

    def command(self, *words):
        return [str(self.bigrocks), 'build', '-C', str(self.folder), '--capacity', 'cpu=2,mem=1GiB', *words]

    def environment(self):
        return dict(os.environ, TMPDIR=str(self.temporary))

    def build(self, *words, code=0):
        """What was said, and which commands have run, in order of their ends."""
        done = subprocess.run(self.command(*words), text=True, capture_output=True, timeout=100,
                              env=self.environment())
        assert done.returncode == code, done
        assert not os.listdir(self.temporary), os.listdir(self.temporary)
        return done.stderr, self.ran()

    def course(self):
        path = self.folder / 'course'
        lines = path.read_text().splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return lines

    def ran(self):
        return [line[4:] for line in self.course() if line.startswith('end ')]

    def begin(self, name, *words):
        """A build that stands still in the command."""
        (self.folder / ('hold-' + name)).touch()
        child = subprocess.Popen(self.command(*words), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 env=self.environment())
        while not (self.folder / ('began-' + name)).exists():
            assert child.poll() is None, child.communicate()
            time.sleep(0.01)
        return child

    def end(self, name):
        for kind in ('hold-', 'began-'):
            (self.folder / (kind + name)).unlink(missing_ok=True)


def last_words(said):
    return re.findall(r'^bigrocks: (\d+ tasks?) done in [0-9.]+ s(.*)$', said, re.M)


def check_one_word(project):
    """One sum, planned time included; of no work there is none."""
    said, ran = project.build()
    assert sorted(ran) == sorted(ALL), ran
    (tasks, more), = last_words(said)
    assert tasks == '7 tasks' and not more, said  # nothing was known, and a plan by guesses is none to be held to
    for name in ALL:
        (project.folder / name).unlink()
    said, ran = project.build()
    (tasks, more), = last_words(said)
    assert tasks == '7 tasks' and re.fullmatch(r', planned [0-9.]+ s \([+-][0-9.]+ %\)', more), said
    said, ran = project.build()
    assert not ran and not last_words(said), said
    (project.folder / 'a1').unlink()
    found = project.build('-q')
    assert found == ('', ['a1', 's1']), found


def check_failure(project):
    """Done, failed and not done are counted; those not done are all that wait for the failure."""
    for keep, name, done, left in ((['-k'], 'b1', 3, 3), (['-k'], 'a2', 5, 1), ([], 'a1', 0, None),
                                   (['-k'], 'c1', 6, 0)):
        for path in ALL:
            (project.folder / path).unlink(missing_ok=True)
        (project.folder / ('fail-' + name)).touch()
        said, ran = project.build(*keep, '-j', '1', code=1)
        (tasks, more), = last_words(said)
        if keep:
            assert len(ran) == done and tasks.split()[0] == str(done), (said, ran)
            assert more == '; 1 failed' + ('; %d not done' % left if left else ''), (name, said)
        else:
            assert re.fullmatch(r'; 1 failed; \d not done', more), said
            assert len(ran) + 1 + int(re.search(r'(\d) not done', more).group(1)) == len(ALL), (said, ran)
        (project.folder / ('fail-' + name)).unlink()
    project.build()


def check_interrupt(project):
    """Ctrl-C says how to go on, in any round; and the same command then does what is left, no more."""
    for name in ('a1', 'b1'):
        for path in ALL:
            (project.folder / path).unlink(missing_ok=True)
        child = project.begin(name, '-j', '1')
        child.send_signal(signal.SIGINT)
        _, said = child.communicate(timeout=60)
        assert child.returncode == -signal.SIGINT, (child.returncode, said)
        hints = re.findall(r'^bigrocks: interrupted; '
                           r'(?:1 running task is asked to end, and killed by another Ctrl-C; )?'
                           r'the same build goes on from here$', said, re.M)
        assert len(hints) == 1 and said.count('interrupted;') == 1, said
        (tasks, more), = last_words(said)
        before = project.ran()
        assert int(tasks.split()[0]) == len(before), (said, before)
        # The shell that waits may have begun to sleep once more when it is ended; nobody left that behind.
        assert more == '; %d not done, as the run was interrupted' % (len(ALL) - len(before)), (said, before)
        project.end(name)
        said, after = project.build()
        assert sorted(before + after) == sorted(ALL), (before, after)
        assert last_words(said)[0][0] == '%d task%s' % (len(after), '' if len(after) == 1 else 's'), said
        assert not project.build()[1]


def check_moving_line(project):
    """On a terminal the moving line stays while commands end that have written nothing; a failure ends it."""
    for path in ALL:
        (project.folder / path).unlink()
    for name in ('a1', 'a2', 'c2'):
        (project.folder / ('hold-' + name)).touch()
    (project.folder / 'fail-c2').touch()
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(TERM='xterm', TMPDIR=str(project.temporary))
        os.execv(project.bigrocks, project.command())
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 80, 0, 0))
    said, limit, drawn = b'', time.monotonic() + 60, {}
    for words, name in ((b'2 running', 'a2'), (b'1 running', 'a1'), (b'6 of 7 done, 1 running', 'c2')):
        while words not in said:
            assert time.monotonic() < limit, said
            if select.select([terminal], [], [], 1)[0]:
                said += os.read(terminal, 4096)
        drawn[name], said = said[:said.index(words)], said[said.index(words):]
        project.end(name)
    assert drawn['a1'].count(b'\r\x1b[K') == drawn['a1'].count(b' done, ') > 0, drawn
    with contextlib.suppress(OSError):  # its end is the terminal's
        while more := os.read(terminal, 4096):
            said += more
    os.close(terminal)
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 1 and b'\r\x1b[K[7/7] ' in said, said
    (project.folder / 'fail-c2').unlink()
    project.build()


def check_killed(project):
    """A build that is killed leaves nothing in TMPDIR or /tmp."""
    for path in ALL:
        (project.folder / path).unlink()
    there = set(os.listdir('/tmp'))
    child = project.begin('b1')
    child.kill()
    child.communicate(timeout=60)
    project.end('b1')
    new = [name for name in os.listdir('/tmp') if name not in there and name.startswith('bigrocks-build-')]
    assert not new and not os.listdir(project.temporary), (new, os.listdir(project.temporary))
    project.course()
    project.build()


def check_demand(project):
    """What the user says that commands demand is not cut to what there is: nothing runs."""
    for path in ALL:
        (project.folder / path).unlink(missing_ok=True)
    for demand, told in (('mem=3GiB', 'demands 3 GiB of mem, but the largest machine'),
                         ('cpu=1,gpu=1', 'demands 1 of gpu, which no machine')):
        said, ran = project.build('--demand', demand, code=2)
        assert told in said and re.match(r'\S*build.ninja:\d+:\d+: task a1 ', said) and not ran, (said, ran)
    said, ran = project.build('--demand', 'cpu=2,mem=1GiB')
    assert sorted(ran) == sorted(ALL), (said, ran)


def check_memory(project):
    """Commands that were measured with more memory than there is run, alone, and are told of."""
    with contextlib.closing(sqlite3.connect(project.folder / '.bigrocks-history')) as base, base:
        def measured(name, bytes_):
            base.execute('UPDATE sample SET mem_bytes = ? WHERE stage IN (SELECT id FROM stage WHERE name = ?)',
                         (bytes_, name))
        measured('a1', 3 << 30)
        measured('c2', 1 << 30)  # fits
        # Nothing is known of this one, which is said to hold nothing, and so would find room beside it.
        base.execute('DELETE FROM sample WHERE stage IN (SELECT id FROM stage WHERE name = "a2")')
        base.execute('UPDATE sample SET cpu_ns = 64 * wall_ns '
                     'WHERE stage IN (SELECT id FROM stage WHERE name = "c1")')
    for path in ALL:
        (project.folder / path).unlink()
    child = project.begin('a1', '--demand', 'a2: mem=0')
    time.sleep(0.3)
    course = project.course()
    assert course in (['begin a1'], ['begin a2', 'end a2', 'begin a1']), course  # a2 did not begin beside it
    project.end('a1')
    _, said = child.communicate(timeout=60)
    assert child.returncode == 0, said
    assert said.count("'a1' needs 3 GiB of memory, more than there is, and runs alone") == 1, said
    assert said.count('alone') == 1, said
    project.course()
    with contextlib.closing(sqlite3.connect(project.folder / '.bigrocks-history')) as base, base:
        for name, size in (('a1', 3 << 30), ('a2', 2 << 30)):
            base.execute('UPDATE sample SET mem_bytes = ? WHERE stage IN (SELECT id FROM stage WHERE name = ?)',
                         (size, name))
    for path in ALL:
        (project.folder / path).unlink()
    said, ran = project.build()
    assert "2 commands need more memory than there is and run alone, the largest 'a1' with 3 GiB" in said, said
    assert len(ran) == 7, said
    for path in ALL:
        (project.folder / path).unlink()
    assert project.build('-q')[0] == ''


def main():
    bigrocks = pathlib.Path(sys.argv[1]).resolve()
    ninja = sys.argv[2] if len(sys.argv) > 2 else os.environ.get('NINJA', 'ninja')
    if not shutil.which(ninja):
        print('ninja is not installed')
        return 77
    with tempfile.TemporaryDirectory() as scratch:
        project = Project(bigrocks, pathlib.Path(scratch) / 'project')
        check_one_word(project)
        check_failure(project)
        check_interrupt(project)
        check_moving_line(project)
        check_killed(project)
        check_demand(project)
        if 'no SQLite' not in subprocess.run([bigrocks, '--version'], capture_output=True, text=True).stdout:
            check_memory(project)
    return 0


if __name__ == '__main__':
    sys.exit(main())
