#!/usr/bin/env python3
"""Jobs learn from what runs have measured: durations, memory and cores come back into the job.

history.py BIGROCKS EXAMPLES_DIR
"""
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

BIGROCKS = pathlib.Path(sys.argv[1]).resolve()
EXAMPLES = pathlib.Path(sys.argv[2]).resolve()
SPACE = '{urn:bigrocks:job:1}'
JOB = '''<job xmlns="urn:bigrocks:job:1" name="daily"><attribute name="shell" value="true"/>
  <stage id="nap" tasks="3" duration="9"><demand resource="cpu" amount="1"/>
    <command>sleep 0.2</command></stage>
  <stage id="eat" duration="9"><demand resource="cpu" amount="1"/>
    <command>python3 -c 'x = bytearray(60 &lt;&lt; 20); x[::4096] = b"1" * len(x[::4096])'</command></stage>
  <stage id="fail" duration="9"><command>exit 1</command></stage>
</job>'''


def bigrocks(*words, cwd, status=0):
    done = subprocess.run([str(BIGROCKS), *map(str, words)], text=True, capture_output=True, cwd=cwd,
                          stdin=subprocess.DEVNULL, timeout=60)
    assert done.returncode == status, (words, done)
    return done


def stages(path):
    """By id: seconds, and demands."""
    return {stage.get('id'): (float(stage.get('duration')),
                              {d.get('resource'): float(d.get('amount'))
                               for d in stage.iter(SPACE + 'demand')})
            for stage in xml.parse(path).getroot().iter(SPACE + 'stage')}


def check_measure(folder):
    shutil.copytree(EXAMPLES / 'ninja', folder / 'build')
    for words in (['--history', 'h'], []):
        bigrocks('import', 'ninja', '-C', 'build', '--measure', *words, '-o', 'build.xml', cwd=folder)
        found = stages(folder / 'build.xml')
        assert len(found) == 6 and (folder / 'build/app.txt').exists()
        for seconds, demand in found.values():
            assert 0 < seconds < 5 and demand['cpu'] == 1 and 1 << 20 <= demand['mem'] < 1 << 30, found
    bigrocks('import', 'ninja', '-C', 'build', '--history', 'h', '-o', 'again.xml', cwd=folder)
    assert stages(folder / 'again.xml').keys() == found.keys()
    assert all(seconds < 5 for seconds, _ in stages(folder / 'again.xml').values())
    (folder / 'build/build.ninja').write_text('rule r\n  command = exit 4\nbuild x: r\n')
    done = bigrocks('import', 'ninja', '-C', 'build', '--measure', cwd=folder, status=1)
    assert "command of 'x' failed with exit status 4" in done.stderr, done.stderr


def check_runs(folder):
    (folder / 'job.xml').write_text(JOB)
    words = ['run', 'job.xml', '--capacity', 'cpu=2,mem=1GiB', '--history', 'h', '--keep-going']
    assert '0 of 3 stages as the history has them' in bigrocks(*words, cwd=folder, status=1).stderr
    assert '2 of 3 stages as the history has them' in bigrocks(*words, cwd=folder, status=1).stderr
    bigrocks('annotate', 'job.xml', '--history', 'h', '-o', 'better.xml', cwd=folder)
    found = stages(folder / 'better.xml')
    assert 0.2 <= found['nap'][0] < 5 and found['fail'] == (9, {}), found
    assert 60 << 20 <= found['eat'][1]['mem'] < 200 << 20, found
    assert found['nap'][1]['cpu'] == 1


def check_not_written(folder):
    """Measurements that the file does not take are told of: none is left out in silence."""
    job = '<job xmlns="urn:bigrocks:job:1" name="n"><stage id="%s" duration="1"><command>true</command></stage></job>'
    words = ['run', 'job.xml', '--capacity', 'cpu=1', '--history', 'full']
    (folder / 'job.xml').write_text(job % 'a')
    bigrocks(*words, cwd=folder)
    for table in ('run', 'stage', 'sample'):
        (folder / 'job.xml').write_text(job % ('new' + table))
        with sqlite3.connect(folder / 'full') as base:
            base.execute('CREATE TRIGGER refuse BEFORE INSERT ON %s BEGIN SELECT RAISE(ABORT, "%s is full"); END' %
                         (table, table))
            before = base.execute('SELECT count(*) FROM sample').fetchone(), \
                base.execute('SELECT count(*) FROM run').fetchone()
        done = bigrocks(*words, cwd=folder)  # the run itself went well
        assert '%s is full' % table in done.stderr, done.stderr
        with sqlite3.connect(folder / 'full') as base:
            base.execute('DROP TRIGGER refuse')
            after = base.execute('SELECT count(*) FROM sample').fetchone(), \
                base.execute('SELECT count(*) FROM run').fetchone()
        assert before == after, (before, after)


def main():
    with tempfile.TemporaryDirectory(prefix='bigrocks-history') as folder:
        folder = pathlib.Path(folder)
        (folder / 'job.xml').write_text(JOB)
        probe = subprocess.run([BIGROCKS, 'annotate', folder / 'job.xml', '--history', folder / 'h'],
                               capture_output=True, text=True)
        if 'keeps no histories' in probe.stderr:
            print(probe.stderr)
            return 77
        check_measure(folder)
        check_runs(folder)
        check_not_written(folder)
    return 0


if __name__ == '__main__':
    sys.exit(main())
