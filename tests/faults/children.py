#!/usr/bin/env python3
"""A run whose children die, hang, flood their output and print garbage, whose clock jumps, and that has
hardly a descriptor left.

children.py BIGROCKS JUMP_LIBRARY
"""
import json
import os
import pathlib
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time

BIGROCKS, JUMP = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:3])
STAGE = '<stage id="%s" tasks="%d" duration="0.01"><demand resource="cpu" amount="1"/>' \
        '<command shell="true">%s</command></stage>'


def ended(words, within, what, **options):
    """The fate of the program; one that is not over after so many seconds is a failure of its own."""
    try:
        return subprocess.run(words, timeout=within, **options)
    except subprocess.TimeoutExpired:
        sys.exit('FAIL: %s did not end within %d s' % (what, within))


def run(folder, stages, *words, status=0, within=60, what='a run', **options):
    (folder / 'job.xml').write_text('<job xmlns="urn:bigrocks:job:1" name="j">' + ''.join(
        STAGE % (name, tasks, text) for name, tasks, text in stages) + '</job>')
    done = ended([BIGROCKS, 'run', 'job.xml', '--time-limit', '0', '--trace', 't.jsonl', *words], within, what,
                 cwd=folder, capture_output=True, stdin=subprocess.DEVNULL, **options)
    assert done.returncode == status, (done.returncode, done.stderr[-1000:])
    rows = [json.loads(line) for line in (folder / 't.jsonl').read_text().splitlines()]
    return done, {(r['stage'], r['index']): r for r in rows}


def check_bad_children(folder):
    done, rows = run(folder, [
        ('dies', 2, 'kill -SEGV $$'), ('hangs', 2, 'trap "" TERM; sleep 300 &amp; while :; do wait; done'),
        ('floods', 2, 'head -c 20000000 /dev/zero'), ('garbage', 2, 'head -c 5000 /dev/urandom; exit 9'),
        ('closed', 2, 'exec 0&lt;&amp;- 1&gt;&amp;- 2&gt;&amp;-; sleep 0.1'), ('good', 9, 'echo fine')],
        '--capacity', 'cpu=4', '--timeout', '1', '-k', status=1)
    outcome = {stage: {(r['outcome'], r['code']) for (s, _), r in rows.items() if s == stage}
               for stage in ('dies', 'floods', 'garbage', 'closed', 'good')}
    assert outcome == {'dies': {('signal', 11)}, 'floods': {('done', 0)}, 'garbage': {('exit', 9)},
                       'closed': {('done', 0)}, 'good': {('done', 0)}}, outcome
    assert all(rows['hangs', i]['outcome'] == 'timeout' for i in range(2)), rows
    assert all(rows['hangs', i]['end'] - rows['hangs', i]['start'] < 30 for i in range(2)), rows
    assert done.stdout.count(b'\0' * 20000000) == 2 and done.stdout.count(b'fine\n') == 9
    # Garbage reaches the terminal by the message of the failure only as text.
    assert not any(c in done.stderr for c in b'\x1b\x07\x00\x7f'), done.stderr


def check_few_descriptors(folder):
    """More tasks at once than there are descriptors: they wait for those that end."""
    few = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (24, 24))
    done, rows = run(folder, [('a', 60, 'sleep 0.05; echo fine')], '--capacity', 'cpu=60', preexec_fn=few)
    assert done.stdout == b'fine\n' * 60 and len(rows) == 60
    assert all(r['outcome'] == 'done' and r['attempt'] == 1 for r in rows.values()), rows


def hard_job():
    """A project whose search goes on for many seconds: nobody proves its plan."""
    rng = random.Random(3)
    return '<job xmlns="urn:bigrocks:job:1" name="j">' + ''.join(
        '<stage id="s%d" duration="%d"><demand resource="a" amount="%d"/><demand resource="b" amount="%d"/></stage>' % (
            k, rng.randint(1, 30), rng.randint(1, 9), rng.randint(1, 9)) for k in range(90)) + ''.join(
        '<edge from="s%d" to="s%d"/>' % (k, child) for k in range(90)
        for child in rng.sample(range(k + 1, min(90, k + 25)), min(2, 89 - k))) + '</job>'


def check_clock(folder):
    """Whoever sets the clock of the machine changes nothing: neither what is late, nor what was measured."""
    for seconds in ('100000', '-100000'):
        what = ' where the clock jumps by %s s' % seconds
        environment = {**os.environ, 'LD_PRELOAD': JUMP, 'JUMP_SECONDS': seconds}
        done, rows = run(folder, [('a', 4, 'sleep 0.2'), ('b', 1, 'sleep 300')], '--capacity', 'cpu=2', '-k',
                         '--timeout', '2', '--journal', 'j' + seconds, status=1, within=30, what='a run' + what,
                         env=environment)
        b = rows['b', 0]
        assert b['outcome'] == 'timeout' and 2 <= b['end'] - b['start'] < 20, rows
        for i in range(4):
            a = rows['a', i]
            assert a['outcome'] == 'done' and 0.2 <= a['end'] - a['start'] < 2, rows
        # A limit on a search is one of true seconds as well: neither much longer nor shorter.
        began = time.monotonic()
        ended([BIGROCKS, 'plan', '-', '--capacity', 'a=16,b=16', '--no-lp', '-q', '--time-limit', '1'], 20,
              'a search' + what, input=hard_job(), text=True, check=True, env=environment, stdout=subprocess.DEVNULL)
        assert time.monotonic() - began > 0.9, 'a search%s ended before its time' % what


def check_clock_of_waits(folder):
    """Ctrl-C ends the wait for a solver that hangs, also where the clock has been set back."""
    hangs = folder / 'hangs'
    hangs.write_text('#!/bin/sh\nexec sleep 40\n')
    hangs.chmod(0o755)
    (folder / 'job.xml').write_text(hard_job())
    for seconds in ('100000', '-100000'):
        environment = {**os.environ, 'LD_PRELOAD': JUMP, 'JUMP_SECONDS': seconds, 'BIGROCKS_BOUND': str(hangs)}
        bound = subprocess.Popen([BIGROCKS, 'bound', 'job.xml', '--capacity', 'a=16,b=16', '--conflicts', '0',
                                  '--time-limit', '30'], cwd=folder, env=environment, stdout=subprocess.DEVNULL)
        time.sleep(1)
        assert bound.poll() is None, 'the bound did not wait for the solver'
        bound.send_signal(signal.SIGINT)
        try:
            bound.wait(timeout=10)
        except subprocess.TimeoutExpired:
            sys.exit('FAIL: Ctrl-C did not end the wait for a solver where the clock jumps by %s s' % seconds)
        finally:
            bound.kill()


for test in check_bad_children, check_few_descriptors, check_clock, check_clock_of_waits:
    with tempfile.TemporaryDirectory(prefix='bigrocks-children-') as where:
        began = time.monotonic()
        test(pathlib.Path(where))
        print('%s: ok, %.1f s' % (test.__name__, time.monotonic() - began), flush=True)
