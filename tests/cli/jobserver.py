#!/usr/bin/env python3
"""Tokens of a jobserver: `run` and `serve` under a real make take no more than it gives, and give all back; and
what they start takes theirs. Judged by the tasks, which write when they begin and end, and by counting tokens.

jobserver.py BIGROCKS
"""
import os
import pathlib
import random
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

STEP = '''echo begin >> "$LOG"; sleep %s; echo end >> "$LOG"'''


def peak(log):
    """The most that ran at once."""
    running = most = 0
    for word in log.read_text().split():
        running += 1 if word == 'begin' else -1
        most = max(most, running)
    assert running == 0, log.read_text()
    return most


def job(path, tasks, sleep=0.08, command=None):
    text = STEP % sleep if command is None else command
    stages = ''.join('<stage id="s%d" tasks="1" duration="1"><demand resource="cpu" amount="1"/>'
                     '<command>%s</command></stage>'
                     % (k, text.replace('&', '&amp;').replace('<', '&lt;')) for k in range(tasks))
    path.write_text('<job xmlns="urn:bigrocks:job:1" name="j"><attribute name="shell" value="true"/>'
                    '<resource name="cpu"/>%s</job>' % stages)
    return path


def call(*command, status=0, **more):
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True, timeout=60, **more)
    assert status is None or done.returncode == status, (command, done.returncode, done.stdout, done.stderr)
    return done


def wait_for(running):
    """Waits for the end, so long; what does not end fails the test and is killed."""
    try:
        return running.wait(60)
    except subprocess.TimeoutExpired:
        running.kill()
        raise


def environment(log, **more):
    kept = {name: value for name, value in os.environ.items() if name not in ('MAKEFLAGS', 'MFLAGS', 'MAKELEVEL')}
    return dict(kept, LOG=str(log), **more)


def has_named_pipe(scratch):
    (scratch / 'Makefile.flags').write_text('all:\n\t+@echo $(MAKEFLAGS)\n')
    return 'auth=fifo:' in call('make', '-C', scratch, '-j3', '-f', 'Makefile.flags', env=dict(os.environ)).stdout


def check_under_make(bigrocks, scratch):
    """The whole of it, and a recipe beside it, keep make's limit."""
    path, log = job(scratch / 'many.xml', 12), scratch / 'log'
    (scratch / 'Makefile').write_text(
        'all: run side\nrun:\n\t+@%s run %s --capacity cpu=8 -q\nside: s1 s2 s3\ns1 s2 s3:\n\t@%s\nplain:\n'
        '\t@%s run %s --capacity cpu=8 -q\n' % (bigrocks, path, (STEP % 0.15).replace('$', '$$'), bigrocks, path))
    for jobs, targets, most in (('-j3', ['all'], 3), ('-j2', ['run'], 2), ('-j5', ['run'], 5)):
        log.write_text('')
        call('make', '-C', scratch, jobs, *targets, env=environment(log))
        assert peak(log) == most, (jobs, peak(log))
    # Without the '+' make closes a pipe; it is said, and the cluster alone limits. A named pipe, make's own from
    # version 4.4 on, is open to every command.
    log.write_text('')
    done = call('make', '-C', scratch, '-j3', 'plain', env=environment(log))
    if has_named_pipe(scratch):
        assert done.stderr == '' and peak(log) == 3, (done.stderr, peak(log))
    else:
        assert "begin the line in the Makefile with '+'" in done.stderr, done.stderr
        assert peak(log) == 8, peak(log)
    for option, most in (('none', 8), ('pipe', 8)):
        log.write_text('')
        text = (scratch / 'Makefile').read_text()
        (scratch / 'Makefile.other').write_text(text.replace('cpu=8 -q', 'cpu=8 -q --jobserver ' + option))
        call('make', '-C', scratch, '-f', 'Makefile.other', '-j3', 'run', env=environment(log))
        assert peak(log) == most, (option, peak(log))


class Fifo:
    """A jobserver by hand; every token is a byte of its own."""

    def __init__(self, path, count):
        os.mkfifo(path)
        self.path, self.fd = path, os.open(path, os.O_RDWR | os.O_NONBLOCK)
        self.tokens = bytes(range(65, 65 + count))
        os.write(self.fd, self.tokens)

    def flags(self):
        return ' -j%d --jobserver-auth=fifo:%s' % (len(self.tokens) + 1, self.path)

    def check(self, what):
        """All of them, within five seconds, since a guard may still be about it."""
        end, found = time.monotonic() + 5, b''
        while len(found) < len(self.tokens) and time.monotonic() < end:
            if select.select([self.fd], [], [], 0.05)[0]:
                found += os.read(self.fd, 4096)
        assert sorted(found) == sorted(self.tokens), (what, found)
        os.write(self.fd, self.tokens)


def check_fifo(bigrocks, scratch):
    """Named pipe: the peak, and that no token is lost in 100 runs, however they end."""
    fifo, log = Fifo(scratch / 'fifo', 3), scratch / 'fifo.log'
    given = environment(log, MAKEFLAGS=fifo.flags())
    log.write_text('')
    call(bigrocks, 'run', job(scratch / 'many.xml', 12), '--capacity', 'cpu=9', '-q', env=given)
    assert peak(log) == 4, peak(log)
    fifo.check('a run')
    short = job(scratch / 'short.xml', 9, command='sleep 0.02')
    bad = job(scratch / 'bad.xml', 9, command='sleep 0.01; false')
    long = job(scratch / 'long.xml', 9, command='sleep 30')
    draw = random.Random(3)
    for number in range(100):
        kind = number % 5
        if kind < 2:
            call(bigrocks, 'run', (short, bad)[kind], '--capacity', 'cpu=9', '-q', *(['-k'] if number % 2 else []),
                 env=given, status=(0, 1)[kind])
        else:
            running = subprocess.Popen([str(bigrocks), 'run', str(long), '--capacity', 'cpu=9', '-q'], env=given,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(draw.random() * 0.12)
            running.send_signal((signal.SIGINT, signal.SIGTERM, signal.SIGKILL)[kind - 2])
            wait_for(running)
        fifo.check((number, kind))
    # The waiting of a run without a token costs nothing, and a token that comes is taken.
    os.read(fifo.fd, 4096)
    log.write_text('')
    running = subprocess.Popen([str(bigrocks), 'run', str(scratch / 'many.xml'), '--capacity', 'cpu=9', '-q'],
                               env=dict(given, LOG=str(log)))
    time.sleep(0.4)
    assert peak_so_far(log) == 1, log.read_text()
    os.write(fifo.fd, b'z')
    wait_for(running)
    assert peak(log) == 2, peak(log)
    assert os.read(fifo.fd, 4096) == b'z'


def peak_so_far(log):
    running = most = 0
    for word in log.read_text().split():
        running += 1 if word == 'begin' else -1
        most = max(most, running)
    return most


INNER = 'all: %s\n%%:\n\t@%s\n'


def check_gives(bigrocks, scratch):
    """Makes that are tasks share the run's limit with all its tasks."""
    folder, log = scratch / 'inner', scratch / 'gives.log'
    folder.mkdir()
    goals = ' '.join('t%d' % k for k in range(8))
    (folder / 'Makefile').write_text(INNER % (goals, (STEP % 0.08).replace('$', '$$')))
    path = job(scratch / 'makes.xml', 2, command='make -s -C %s' % folder)
    for limit in (3, 4):
        log.write_text('')
        call(bigrocks, 'run', path, '--capacity', 'cpu=%d' % limit, '--jobserver', 'pipe', '-q', env=environment(log))
        assert peak(log) == limit, (limit, peak(log))
    log.write_text('')
    call(bigrocks, 'run', path, '--capacity', 'cpu=4', '-q', env=environment(log))
    assert peak(log) == 2, peak(log)  # without one each make runs one at a time
    # Variables of a make around us stand behind " -- ", where no option counts.
    for flags in (' -- SOME=1', 'k -j2 -- SOME=-O1\\ -j9'):
        log.write_text('')
        call(bigrocks, 'run', path, '--capacity', 'cpu=4', '--jobserver', 'pipe', '-q',
             env=environment(log, MAKEFLAGS=flags))
        assert peak(log) == 4, (flags, peak(log))
    told = job(scratch / 'told.xml', 1, command='echo "$MAKEFLAGS"')
    done = call(bigrocks, 'run', told, '--capacity', 'cpu=4', '--jobserver', 'pipe',
                env=environment(log, MAKEFLAGS='k -j2 -- SOME=-O1\\ -j9'))
    assert re.search(r'k -j4 --jobserver-auth=\d+,\d+ -- SOME=-O1\\ -j9\n', done.stdout), done.stdout
    log.write_text('')
    call(bigrocks, 'serve', '--capacity', 'cpu=3', '--jobserver', 'pipe', '-q', '--', 'make', '-s', '-C', folder,
         env=environment(log))
    assert peak(log) == 3, peak(log)


THIEF = '''import os, re, signal
auth = re.search(r'--jobserver-auth=fifo:(\\S+)', os.environ['MAKEFLAGS']).group(1)
fd = os.open(auth, os.O_RDWR | os.O_NONBLOCK)
print(len(os.read(fd, 100)), auth, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
'''


def check_thief(bigrocks, scratch):
    """A task that dies with tokens: the next one finds all of them. The named pipe goes with the run."""
    (scratch / 'thief.py').write_text(THIEF)
    path = job(scratch / 'thieves.xml', 3, command='%s %s' % (sys.executable, scratch / 'thief.py'))
    done = call(bigrocks, 'run', path, '--capacity', 'cpu=1', '-k', '--jobserver', 'fifo', env=environment('x'),
                status=1)
    assert done.stdout.count('BlockingIOError') == 3, done.stdout  # one processor: there is no token to take
    text = path.read_text().replace('amount="1"', 'amount="4"')
    path.write_text(text)
    done = call(bigrocks, 'run', path, '--capacity', 'cpu=4', '-k', '--jobserver', 'fifo', env=environment('x'),
                status=1)
    found = [line.split() for line in done.stdout.splitlines() if '/proc/' in line]
    assert [count for count, _ in found] == ['3', '3', '3'], done.stdout
    assert not os.path.exists(found[0][1])


HOLDER = '''import os, re, signal, stat, sys, time
signal.alarm(50)
auth = re.search(r'--jobserver-auth=fifo:(\\S+)', os.environ['MAKEFLAGS']).group(1)
assert stat.S_ISFIFO(os.stat(auth).st_mode)
for flags in (os.O_RDWR, os.O_RDONLY | os.O_NONBLOCK, os.O_WRONLY):
    os.close(os.open(auth, flags))
with open(sys.argv[1] + '.part', 'w') as out:
    out.write(auth)
os.rename(sys.argv[1] + '.part', sys.argv[1])
time.sleep(300)
'''


def check_nothing_left(bigrocks, scratch):
    """A named pipe can be opened by its name while the run is there, in any way that clients do it, and a run that is
    killed leaves nothing of it in any folder."""
    temporary = scratch / 'temporary'
    temporary.mkdir()
    (scratch / 'holder.py').write_text(HOLDER)
    told = scratch / 'auth'
    path = job(scratch / 'holder.xml', 1, command='%s %s %s' % (sys.executable, scratch / 'holder.py', told))
    for number in (signal.SIGKILL, signal.SIGTERM):
        told.unlink(missing_ok=True)
        before = set(os.listdir('/tmp'))
        running = subprocess.Popen([str(bigrocks), 'run', str(path), '--capacity', 'cpu=4', '-q',
                                    '--jobserver', 'fifo'], stderr=subprocess.DEVNULL,
                                   env=dict(environment('x'), TMPDIR=str(temporary)))
        limit = time.monotonic() + 60
        while not told.exists() and running.poll() is None and time.monotonic() < limit:
            time.sleep(0.01)
        if not told.exists():
            running.kill()
            raise AssertionError('the pipe cannot be opened by its name (exit status %s)' % running.poll())
        assert os.path.exists(told.read_text())
        running.send_signal(number)
        wait_for(running)
        assert not os.path.exists(told.read_text()), told.read_text()
        left = [name for name in os.listdir('/tmp') if name not in before and 'bigrocks-jobs' in name]
        assert not left and not os.listdir(temporary), (left, os.listdir(temporary))


def check_serve(bigrocks, scratch):
    """Commands that `serve` admits hold tokens of the make around it."""
    log, folder = scratch / 'serve.log', scratch / 'served'
    folder.mkdir()
    script = folder / 'build'
    script.write_text('for k in 1 2 3 4 5 6 7 8 9; do %s admit -- sh -c \'%s\' & done; wait\n'
                      'echo "flags $MAKEFLAGS"\n' % (bigrocks, STEP % 0.1))
    (folder / 'Makefile').write_text('all:\n\t+@%s serve --capacity cpu=8 -q -- sh %s\n' % (bigrocks, script))
    for jobs, most in (('-j3', 3), ('-j2', 2)):
        log.write_text('')
        done = call('make', '-s', '-C', folder, jobs, env=environment(log))
        assert peak(log) == most, (jobs, peak(log))
        assert 'jobserver' not in done.stdout and 'flags' in done.stdout, done.stdout
    fifo = Fifo(scratch / 'serve.fifo', 2)
    given = environment(log, MAKEFLAGS=fifo.flags())
    log.write_text('')
    call(bigrocks, 'serve', '--capacity', 'cpu=8', '-q', '--', 'sh', script, env=given)
    assert peak(log) == 3, peak(log)
    fifo.check('serve')
    for number in (signal.SIGINT, signal.SIGKILL):
        log.write_text('')
        script.write_text('for k in 1 2 3 4; do %s admit -- sleep 30 & done; wait\n' % bigrocks)
        running = subprocess.Popen([str(bigrocks), 'serve', '--capacity', 'cpu=8', '-q', '--', 'sh', str(script)],
                                   env=given, stderr=subprocess.DEVNULL)
        time.sleep(0.5)
        running.send_signal(number)
        wait_for(running)
        fifo.check(number)


def check_refused(bigrocks, scratch):
    """A jobserver is of this machine."""
    path = scratch / 'job.xml'
    path.write_text('<job xmlns="urn:bigrocks:job:1" name="j"><stage id="a" duration="1"><command>touch ran</command>'
                    '</stage></job>')
    for on in ('slurm', 'slurm-steps', 'slurm-jobs'):
        done = subprocess.run([str(bigrocks), 'run', str(path), '--capacity', 'cpu=1', '--jobserver', 'fifo',
                               '--on', on], cwd=scratch, text=True, capture_output=True)
        assert done.returncode == 2 and '--jobserver is for commands on this machine, and --on %s starts' % on \
            in done.stderr, done
    assert not (scratch / 'ran').exists()


def main():
    bigrocks = pathlib.Path(sys.argv[1]).resolve()
    if not shutil.which('make'):
        print('needs make')
        return 77
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name).resolve()
        check_under_make(bigrocks, scratch)
        check_fifo(bigrocks, scratch)
        check_gives(bigrocks, scratch)
        check_refused(bigrocks, scratch)
        check_nothing_left(bigrocks, scratch)
        check_thief(bigrocks, scratch)
        check_serve(bigrocks, scratch)
    return 0


if __name__ == '__main__':
    sys.exit(main())
