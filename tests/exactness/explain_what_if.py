#!/usr/bin/env python3
"""`bound --explain` tells of every change the bound that `bound --what-if` finds, in both directions:
every change is offered that makes the bound smaller, with that bound, and no other.

explain_what_if.py BIGROCKS EXAMPLES
"""
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

BIGROCKS, EXAMPLES = sys.argv[1], pathlib.Path(sys.argv[2])
JOBS = max(4, 40 * min(100, int(os.environ.get('BIGROCKS_TEST_SHARE') or 100)) // 100)
NS = 10**9


def bound(*words):
    done = subprocess.run([BIGROCKS, 'bound', *map(str, words)], capture_output=True, text=True,
                          timeout=60)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


def ns(text):
    """Printed seconds, with three decimals at most, in nanoseconds."""
    return round(float(text) * NS)


def near(a, b):
    return abs(a - b) <= NS // 1000


def compare(words):
    """How many changes are offered, and how many that bring nothing are not."""
    explained = bound(*words, '--no-lp', '--explain')
    said = dict(re.findall(r'^  (\S+\+(?:25%|1)): (\S+) s \(', explained, re.M))
    assert ('nothing: neither' in explained) == (not said), explained
    document = json.loads(bound(*words, '--no-lp', '--json'))
    demanded = sorted({r for s in document['stages'] for r, a in s['demands'].items() if a > 0})
    changes = [r + '+25%' for r in demanded] + ['machines+1']
    curve = json.loads(bound(*words, '--what-if', ','.join(changes), '--json'))
    assert [c['change'] for c in curve['changes']] == changes
    now = round(curve['lower_bound'] * NS)
    assert near(ns(re.search(r'combinatorial bounds, now (\S+) s', explained)[1]), now)
    for change in curve['changes']:
        found = round(change['lower_bound'] * NS)
        if found < now:
            assert change['change'] in said, (words, change, explained)
            assert near(ns(said.pop(change['change'])), found), (words, change, explained)
    assert not said, (words, said)
    return len(changes), sum(c['lower_bound'] * NS < now for c in curve['changes'])


def rounds_job(rng):
    """A task on a machine at a time, and rounds that one machine more saves, or only two more."""
    machines, rounds = rng.randint(2, 400), rng.randint(2, 9)
    tasks = rounds * (machines + rng.randint(0, 2)) + rng.choice((0, 1))
    return ('<job xmlns="urn:bigrocks:job:1" name="j"><cluster><machine class="m" count="%d">'
            '<capacity resource="cpu" amount="1"/></machine></cluster>'
            '<stage id="a" tasks="%d" duration="1"><demand resource="cpu" amount="1"/></stage></job>'
            % (machines, tasks))


def random_job(rng):
    """One or two classes, several machines, tasks that share them badly."""
    names = ['cpu', 'mem', 'gpu'][:rng.randint(1, 3)]
    text = '<job xmlns="urn:bigrocks:job:1" name="j"><cluster>'
    for c in range(rng.randint(1, 2)):
        text += '<machine class="c%d" count="%d">' % (c, rng.choice((1, 2, 3, 40)))
        text += ''.join('<capacity resource="%s" amount="%d"/>' % (r, rng.choice((8, 10)))
                        for r in names) + '</machine>'
    text += '</cluster>'
    stages = rng.randint(1, 6)
    for s in range(stages):
        text += '<stage id="s%d" tasks="%d" duration="%s">' % (
            s, rng.choice((1, 5, 60)), rng.choice(('1', '2.5', '7')))
        text += ''.join('<demand resource="%s" amount="%s"/>' % (r, rng.choice('1234568'))
                        for r in names if rng.random() < 0.7) + '</stage>'
    for t in range(1, stages):
        for s in range(t):
            if rng.random() < 0.3:
                text += '<edge from="s%d" to="s%d" type="barrier"/>' % (s, t)
    return text + '</job>'


def main():
    tried = offered = 0
    with tempfile.TemporaryDirectory() as scratch:
        jobs = []
        for path in sorted(EXAMPLES.glob('*.xml')) + sorted(EXAMPLES.glob('*.dot')):
            if path.name.startswith('cluster-'):
                continue
            for cluster in sorted(EXAMPLES.glob('cluster-*.xml')):
                words = (path, '--cluster', cluster)
                if subprocess.run([BIGROCKS, 'show', *map(str, words)], capture_output=True).returncode:
                    continue  # no capacity for what it demands
                if subprocess.run([BIGROCKS, 'bound', *map(str, words), '-q', '--no-lp'],
                                  capture_output=True).returncode:
                    continue
                jobs.append(words)
        assert len(jobs) >= 5, jobs
        rng = random.Random(3)
        for k in range(JOBS):
            jobs.append((pathlib.Path(scratch) / ('job%d.xml' % k),))
            jobs[-1][0].write_text((rounds_job if k % 2 else random_job)(rng))
        for words in jobs:
            n, m = compare(words)
            tried, offered = tried + n, offered + m
    print('%d jobs, %d changes, of which %d make the bound smaller' % (len(jobs), tried, offered))
    # Of the examples few, of the jobs at random some.
    assert tried // 20 <= offered <= tried // 2


main()
