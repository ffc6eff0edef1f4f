#!/usr/bin/env python3
"""The least peak of jobs whose orders are too many to look at: no plan that the program makes holds less, neither the
fast one with room for all nor that of the least peak, if their tasks run in the order of their ends, nor any of the
curve; and the plan of the least peak holds no more than is told. What a plan holds is counted here, from its JSON.

least_peak.py BIGROCKS
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
# Seed, tasks and stages of each job; a large one takes ten times as long as a small one.
JOBS = [(seed, 30, 14) for seed in (2, 5, 10)]
if int(os.environ.get('BIGROCKS_TEST_SHARE') or 100) >= 100:
    JOBS += [(seed, 60, 25) for seed in (2, 5)]
CLUSTER = ['--machines', '2', '--capacity', 'cpu=16,mem=64GiB,net=1000,disk=1000', '--shared', 'scratch=10000GiB']
FAST = '--effort', 'fast'


def bigrocks(*words):
    done = subprocess.run([PROGRAM, *map(str, words)], text=True, capture_output=True, timeout=120)
    assert done.returncode == 0, (words, done)
    return done


def spans(plan, times):
    """(from, until, amount) of each output: until its last reader ends, and to the end if nobody reads it."""
    stages = {s['id']: s for s in plan['stages']}

    def tasks(stage):
        count = stages[stage]['tasks']
        return [stage] if count == 1 else ['%s[%d]' % (stage, k) for k in range(count)]
    for name, stage in stages.items():
        for output in stage.get('outputs', []):
            for k, task in enumerate(tasks(name)):
                readers = [reader for e in plan['edges'] if e['from'] == name
                           for i, reader in enumerate(tasks(e['to'])) if e['type'] != 'one-to-one' or i == k]
                until = max(times[reader][1] for reader in readers or times)
                yield times[task][0], max(until, times[task][1]), output['amount']


def peak(plan, times):
    held = list(spans(plan, times))
    return max(sum(amount for begin, end, amount in held if begin <= at < end) for at, _, _ in held)


def in_turn(plan):
    """The times of the plan's tasks if they run one after another, in the order of their ends."""
    order = sorted(plan['tasks'], key=lambda t: (t['end'], t['start']))
    return {task['id']: (k, k + 1) for k, task in enumerate(order)}


def as_planned(plan):
    return {task['id']: (task['start'], task['end']) for task in plan['tasks']}


def main():
    lower = 0
    with tempfile.TemporaryDirectory(prefix='bigrocks-least') as folder:
        job, file = pathlib.Path(folder) / 'job.xml', pathlib.Path(folder) / 'plan.json'
        for seed, tasks, stages in JOBS:
            made = bigrocks('generate', '--seed', seed, '--tasks', tasks, '--stages', stages, '--outputs', 0.7)
            job.write_text(made.stdout)
            told = bigrocks('plan', job, *CLUSTER, *FAST, '--minimize', 'storage:scratch', '-o', file).stderr
            least = int(re.search(r'least peak +scratch: (\d+)', told).group(1))
            plan = json.loads(file.read_text())
            assert peak(plan, as_planned(plan)) <= least <= peak(plan, in_turn(plan)), (seed, least)
            plan = json.loads(bigrocks('plan', job, *CLUSTER, *FAST, '-f', 'json').stdout)
            assert least <= peak(plan, in_turn(plan)), (seed, least)
            lower += peak(plan, in_turn(plan)) < peak(plan, as_planned(plan))
            curve = json.loads(bigrocks('bound', job, *CLUSTER, '--storage', 'scratch', '-f', 'json').stdout)
            lowest = min(point['limit'] for point in curve['points'])
            assert curve['least_peak_bound'] <= min(least, curve['least_peak']), (seed, least, curve)
            assert curve['least_peak'] <= lowest, (seed, curve)
    assert lower, 'no order holds less than its plan: a weak test'


if __name__ == '__main__':
    main()
