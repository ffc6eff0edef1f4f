#!/usr/bin/env python3
"""A build that is killed loses what was running and nothing else: ninja's records are kept command by command.
`bigrocks build`, `run` of an imported build and `import --measure` are ended by kill -9 at several moments; ninja and
the next build of ours run what had not ended, and only that. A resumed run keeps the times that the log has. A build
that is started right after kill -9 begins when what ran has ended.

usage: build_killed.py BIGROCKS
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

COMMANDS = 24
# What has ended is told before the shell ends, so a command may be told and not be seen to end yet.
BUILD = '''rule cc
  command = sleep 0.05; cp $in $out; echo "$out: $in head.h" > $out.d; echo $out >> ended
  depfile = $out.d
  deps = gcc
''' + ''.join('build o%d: cc in\n' % k for k in range(COMMANDS))
JOBS = 2


def run(*command, code=0):
    done = subprocess.run(list(map(str, command)), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    assert done.returncode == code, '%s: %d\n%s%s' % (command, done.returncode, done.stdout, done.stderr)
    return done.stdout


def make(folder):
    folder.mkdir()
    (folder / 'build.ninja').write_text(BUILD)
    for name in ('in', 'head.h'):
        (folder / name).write_text(name)


def ended(folder):
    file = folder / 'ended'
    return file.read_text().split() if file.exists() else []


def kill_at(folder, count, *command):
    """Kills it when so many commands have ended; returns all that have."""
    child = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while len(ended(folder)) < count:
        assert child.poll() is None, 'it ended by itself'
        time.sleep(0.002)
    child.send_signal(signal.SIGKILL)
    child.wait()
    time.sleep(0.3)  # the guard ends what was running
    return ended(folder)


def to_run(folder):
    """What ninja would run, and that the headers of all else are known to it."""
    names = re.findall(r'cp in (o\d+);', run('ninja', '-C', folder, '-n', '-v'))
    return set(names)


def check_lost(folder, before):
    """Lost is at most what was running, and what had ended in the very moment."""
    lost = to_run(folder) & set(before)
    assert len(lost) <= JOBS, (lost, before)
    assert len(to_run(folder)) <= COMMANDS - len(before) + JOBS
    kept = set(before) - lost
    known = run('ninja', '-C', folder, '-t', 'deps')
    assert all('%s: #deps 2' % name in known for name in kept), (kept, known)
    return lost


def guard_of(tag):
    """The guard of the build that has the tag in its environment."""
    while True:
        for process in pathlib.Path('/proc').glob('[0-9]*'):
            try:
                if (process / 'comm').read_text() == 'bigrocks-guard\n' and tag in (process / 'environ').read_bytes():
                    return int(process.name)
            except OSError:
                continue
        time.sleep(0.01)


def check_slow_guard(bigrocks, folder):
    """Where the guard is slow to end what a killed build has left, the next one waits for it."""
    folder.mkdir()
    (folder / 'build.ninja').write_text('rule long\n  command = echo begin >> ended; while test ! -e go; do sleep 0.02; done; '
                                        'echo end >> ended; touch out\nbuild out: long\n')
    tag = 'TAG_OF_TEST=%s' % folder
    command = [str(bigrocks), 'build', '-C', str(folder), '--capacity', 'cpu=1,mem=1GiB']
    environment = dict(os.environ, TAG_OF_TEST=str(folder))
    first = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while ended(folder) != ['begin']:
        time.sleep(0.01)
    guard = guard_of(tag.encode())
    os.kill(guard, signal.SIGSTOP)
    try:
        first.kill()
        first.wait()
        with open(folder.with_name('said'), 'w') as said:
            second = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT)
            while 'waiting for its end' not in (folder.with_name('said')).read_text():
                assert ended(folder) == ['begin'], 'the command runs twice at once'
                time.sleep(0.02)
    finally:
        os.kill(guard, signal.SIGCONT)
    while ended(folder) != ['begin', 'begin']:
        time.sleep(0.02)
    (folder / 'go').touch()
    assert second.wait() == 0
    assert ended(folder) == ['begin', 'begin', 'end'], ended(folder)
    # The lock is free as soon as a build has ended, although its guard may end later.
    for _ in range(5):
        (folder / 'out').unlink()
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0 and 'waiting' not in done.stderr, done


def main():
    bigrocks = pathlib.Path(sys.argv[1]).resolve()
    if not shutil.which('ninja'):
        print('ninja is not installed')
        return 77
    machine = '--capacity', 'cpu=%d,mem=1GiB' % JOBS
    with tempfile.TemporaryDirectory(prefix='bigrocks-killed') as scratch:
        folder = pathlib.Path(scratch)
        check_slow_guard(bigrocks, folder / 'slow')
        for count in (1, 7, 15, 22):
            one = folder / ('build-%d' % count)
            make(one)
            before = kill_at(one, count, bigrocks, 'build', '-C', one, *machine)
            lost = check_lost(one, before)
            (one / 'ended').unlink()
            run(bigrocks, 'build', '-C', one, *machine)
            again = ended(one)
            assert len(again) == len(set(again)) and set(again) & set(before) == lost, (again, before, lost)
            assert to_run(one) == set()

        one, job, journal = folder / 'run', folder / 'job.xml', folder / 'journal'
        make(one)
        run(bigrocks, 'import', 'ninja', '-C', one, *machine, '-q', '-o', job)
        before = kill_at(one, 9, bigrocks, 'run', job, '--journal', journal)
        check_lost(one, before)
        log = set((one / '.ninja_log').read_text().splitlines())
        run(bigrocks, 'run', job, '--journal', journal, '--resume')
        lines = (one / '.ninja_log').read_text().splitlines()
        names = [line.split('\t')[3] for line in lines[1:]]
        assert log <= set(lines) and len(names) == len(set(names)), (log, lines)  # nothing is told twice, without times
        # What had ended in the very moment and was not recorded has lost its depfile to the dry run of ninja.
        left = to_run(one)
        assert len(left) <= 1 and not left & set(names), (left, names)

        if 'no SQLite' not in run(bigrocks, '--version'):
            one = folder / 'measure'
            make(one)
            before = kill_at(one, 9, bigrocks, 'import', 'ninja', '-C', one, '--measure', '-o', folder / 'measured.xml')
            assert len(check_lost(one, before)) <= 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
