#!/usr/bin/env python3
"""What a run tells while it goes: SIGUSR1 asks what runs, what waits for what, and how much is left at the speed
so far; the first Ctrl-C tells how to go on; and what an earlier run did is told before this one does anything.

live.py BIGROCKS
"""
import fcntl
import os
import pathlib
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

BIGROCKS = str(pathlib.Path(sys.argv[1]).resolve())
SLOW = 1.2 # seconds that a task takes, of 0.4 that are declared
RUNS = [] # none outlives the test, whose output they would hold open


def job(folder):
    stages = ''.join('<stage id="s%d" duration="0.4"><demand resource="cpu" amount="1"/>'
                     '<command>sleep %s</command></stage>' % (k, SLOW) for k in range(4))
    edges = ''.join('<edge from="s%d" to="s%d"/>' % (k, k + 1) for k in range(3))
    (folder / 'job.xml').write_text('<job xmlns="urn:bigrocks:job:1" name="j"><resource name="cpu"/>%s%s</job>' %
                                    (stages, edges))


def launch(folder, *words, **streams):
    RUNS.append(subprocess.Popen([BIGROCKS, 'run', *words], cwd=folder, text=True, stderr=subprocess.PIPE, **streams))
    return RUNS[-1]


def start(folder, *words):
    return launch(folder, 'job.xml', '--capacity', 'cpu=2', *words, stdout=subprocess.PIPE)


def wait_for(condition, what):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.02)


def records(folder):
    """The tasks that the journal has: any growth of it is a start or an end."""
    return (folder / 'journal').stat().st_size if (folder / 'journal').exists() else 0


def left_of_chain(folder, duration, held):
    """Seconds so far and left of a chain of such declared durations, all short in truth; it stands still in one."""
    stages = ''.join('<stage id="s%d" duration="%d"><command>%s</command></stage>' %
                     (k, d, 'touch held; while [ -e held ]; do sleep 0.02; done' if k == held else 'sleep 0.05')
                     for k, d in enumerate(duration))
    edges = ''.join('<edge from="s%d" to="s%d"/>' % (k, k + 1) for k in range(len(duration) - 1))
    (folder / 'chain.xml').write_text('<job xmlns="urn:bigrocks:job:1" name="chain">%s%s</job>' % (stages, edges))
    run = launch(folder, 'chain.xml', '--shell', '--capacity', 'cpu=2')
    wait_for((folder / 'held').exists, 'it stops nowhere')
    run.send_signal(signal.SIGUSR1)
    said = run.stderr.readline()
    (folder / 'held').unlink()
    run.communicate(timeout=60)
    found = re.fullmatch(r'bigrocks: after (\S+) s: %d of %d tasks done, 1 running, 0 failed, about (\S+) s left\n' %
                         (held, len(duration)), said)
    assert found and run.returncode == 0, said
    return float(found.group(1)), float(found.group(2))


def check_ahead(folder):
    """A run that is ahead of its plan is told by what is left of the plan, the rest of what runs with it."""
    past, left = left_of_chain(folder, [1] * 21, 18)
    assert left <= past / 2, (past, left)
    past, left = left_of_chain(folder, [1, 1000, 1], 1)
    assert left > 20, (past, left)


def check_many(folder):
    """Of many that wait for room some are told, and of how many more; the moving line tells what tasks demand."""
    (folder / 'many.xml').write_text(
        '<job xmlns="urn:bigrocks:job:1" name="many"><stage id="s" duration="1"><demand resource="cpu" amount="1"/>'
        '<command>sleep 60</command></stage>%s</job>' % ''.join(
            '<stage id="t%d" duration="1"><demand resource="cpu" amount="1"/><command>true</command></stage>'
            '<edge from="s" to="t%d"/>' % (k, k) for k in range(17)))
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.execv(BIGROCKS, [BIGROCKS, 'run', 'many.xml', '--capacity', 'cpu=2,mem=1GiB'])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 120, 0, 0))
    said, end = b'', time.monotonic() + 60
    while b'more wait' not in said:
        assert time.monotonic() < end, said
        if select.select([terminal], [], [], 0.02)[0]:
            said += os.read(terminal, 4096)
        if b'cpu 50 %' in said and b'^' not in said:
            os.kill(pid, signal.SIGUSR1)
            said += b'^'
    os.kill(pid, signal.SIGTERM)
    os.waitpid(pid, 0)
    os.close(terminal)
    assert said.count(b' waits for s\r\n') == 12 and b'  and 5 more wait\r\n' in said, said
    assert b'mem' not in said, said


def check_stopped(folder):
    """Of a run that is interrupted all processes are ended, and it is not said who left which behind."""
    (folder / 'away.xml').write_text(
        '<job xmlns="urn:bigrocks:job:1" name="away" shell="true"><stage id="s" duration="1"><command>'
        "setsid sh -c 'trap \"\" TERM; echo $$ &gt; away; while :; do sleep 0.1; done' &amp;</command></stage>"
        '<stage id="t" duration="1"><command>touch next; sleep 600</command></stage><edge from="s" to="t"/></job>')
    away = folder / 'away'
    run = launch(folder, 'away.xml', '--capacity', 'cpu=1')
    # What the first task leaves behind may write after the second one does.
    wait_for(lambda: (folder / 'next').exists() and away.exists() and away.read_text().strip(), 'it does not start')
    run.send_signal(signal.SIGINT)
    time.sleep(0.5)
    run.send_signal(signal.SIGINT)
    said = run.communicate(timeout=60)[1]
    assert '1 not done, as the run was interrupted' in said and 'left behind' not in said, said
    assert not pathlib.Path('/proc', away.read_text().strip()).exists()


def main():
    os.environ['TERM'] = 'xterm'  # moving lines are shown on a terminal that can move
    with tempfile.TemporaryDirectory(prefix='live') as scratch:
        folder = pathlib.Path(scratch)
        job(folder)
        run = start(folder, '--journal', 'journal')
        wait_for(lambda: records(folder) > 0, 'nothing starts')
        # Until the first task has ended and the second one has begun.
        time.sleep(SLOW + 0.3)
        run.send_signal(signal.SIGUSR1)
        said = run.stderr.readline()
        found = re.fullmatch(r'bigrocks: after \S+ s: (\d) of 4 tasks done, 1 running, 0 failed, '
                             r'about (\S+) s left\n', said)
        assert found, said
        done = int(found.group(1))
        assert 1 <= done < 4, said
        # At a third of the declared speed, what is left takes three times as long as the plan has it: one whole
        # task more than what is declared of all.
        assert float(found.group(2)) > (3 - done) * 0.4 * 2, (said, done)
        said = run.stderr.readline()
        assert re.fullmatch(r'  s%d runs for \S+ s of 0.4 s\n' % done, said), said
        for k in range(done + 1, 4):
            said = run.stderr.readline()
            assert said == '  s%d waits for s%d\n' % (k, k - 1), said
        run.send_signal(signal.SIGINT)
        said = run.stderr.readline()
        assert re.fullmatch(r'bigrocks: interrupted; '
                            r'(1 running task is asked to end, and killed by another Ctrl-C; )?'
                            r'the same command with --resume goes on from here\n', said), said
        run.communicate(timeout=60)
        assert run.returncode == -signal.SIGINT, run.returncode

        check_ahead(folder)
        check_many(folder)
        check_stopped(folder)

        again = start(folder, '--journal', 'journal', '--resume')
        began = time.monotonic()
        said = again.stderr.readline()
        assert re.match(r'bigrocks: [1-3] tasks? (was|were) done before', said), said
        assert 'to run again' not in said
        # A task was running then, at least, and lasts; the word comes before its end.
        assert time.monotonic() - began < SLOW, 'it was said behind'
        out, rest = again.communicate(timeout=60)
        assert again.returncode == 0 and 'done before' not in rest and re.search('tasks? done in', rest), rest

        # Without a journal, the hint says what would have helped.
        (folder / 'journal').unlink()
        run = start(folder)
        time.sleep(0.5)
        run.send_signal(signal.SIGINT)
        assert 'with --journal FILE could go on' in run.communicate(timeout=60)[1]


if __name__ == '__main__':
    try:
        main()
    finally:
        for left in RUNS:
            if left.poll() is None:
                left.kill()
