#!/usr/bin/env python3
"""A run whose children die, hang, flood their output and print garbage, whose clock jumps, and that has
hardly a descriptor left.

children.py BIGROCKS JUMP_LIBRARY
"""
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

BIGROCKS, JUMP = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:3])
STAGE = '<stage id="%s" tasks="%d" duration="0.01"><demand resource="cpu" amount="1"/>' \
        '<command shell="true">%s</command></stage>'


def run(folder, stages, *words, status=0, **options):
    (folder / 'job.xml').write_text('<job xmlns="urn:bigrocks:job:1" name="j">' + ''.join(
        STAGE % (name, tasks, text) for name, tasks, text in stages) + '</job>')
    done = subprocess.run([BIGROCKS, 'run', 'job.xml', '--time-limit', '0', '--trace', 't.jsonl', *words],
                          cwd=folder, capture_output=True, timeout=100, stdin=subprocess.DEVNULL, **options)
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


def check_clock(folder):
    """Whoever sets the clock of the machine changes nothing: neither what is late, nor what was measured."""
    for seconds in ('100000', '-100000'):
        began = time.monotonic()
        environment = {**os.environ, 'LD_PRELOAD': JUMP, 'JUMP_SECONDS': seconds}
        done, rows = run(folder, [('a', 4, 'sleep 0.2'), ('b', 1, 'sleep 300')], '--capacity', 'cpu=2', '-k',
                         '--timeout', '2', '--journal', 'j' + seconds, status=1, env=environment)
        assert time.monotonic() - began < 30
        assert rows['b', 0]['outcome'] == 'timeout' and 2 <= rows['b', 0]['end'] - rows['b', 0]['start'] < 20
        for i in range(4):
            assert rows['a', i]['outcome'] == 'done' and 0.2 <= rows['a', i]['end'] - rows['a', i]['start'] < 2
        # A limit on a search is one of true seconds as well.
        job = '<job xmlns="urn:bigrocks:job:1" name="j">' + ''.join(
            '<stage id="s%d" tasks="30" duration="%d"><demand resource="cpu" amount="%d"/></stage>' % (
                k, k % 7 + 1, k % 3 + 1) for k in range(40)) + '</job>'
        began = time.monotonic()
        subprocess.run([BIGROCKS, 'plan', '-', '--machines', '3', '--capacity', 'cpu=4', '--no-lp', '-q',
                        '--time-limit', '0.5'], input=job, text=True, check=True, env=environment,
                       stdout=subprocess.DEVNULL, timeout=60)
        assert time.monotonic() - began < 20


for test in check_bad_children, check_few_descriptors, check_clock:
    with tempfile.TemporaryDirectory(prefix='bigrocks-children-') as where:
        began = time.monotonic()
        test(pathlib.Path(where))
        print('%s: ok, %.1f s' % (test.__name__, time.monotonic() - began), flush=True)
