#!/usr/bin/env python3
"""Checks a table of plans and proofs that bench/table made, in its folder: python3 check.py [NAME...]

Each plan by exact arithmetic from the job and the cluster that its file holds, and the makespan in index.csv; each
certificate by check_certificate.py; each proof by VeriPB if it is installed. Prints what fails, and a line at the end.
Exit status: 0; 1 if anything does not hold.
"""
import collections
import csv
import json
import pathlib
import shutil
import subprocess
import sys
from decimal import Decimal

HERE = pathlib.Path(__file__).resolve().parent
UNKNOWN = 'outputs', 'release', 'deadline', 'alternatives', 'consumes'


def read(path):
    return json.loads(path.read_text(), parse_float=Decimal, parse_int=Decimal)


def names(stage):
    count = int(stage['tasks'])
    return [stage['id']] if count == 1 else ['%s[%d]' % (stage['id'], k) for k in range(count)]


def machines(cluster):
    found = {}
    for cls in cluster['classes']:
        count = int(cls['count'])
        found.update({cls['class'] if count == 1 else '%s[%d]' % (cls['class'], k): cls['capacities'] for k in range(count)})
    return found


def check_capacities(plan, stages, tasks):
    """The sum of the demands on each machine at each start."""
    has, changes = machines(plan['cluster']), collections.defaultdict(list)
    for stage in stages.values():
        for name in names(stage):
            task = tasks[name]
            for resource, amount in stage.get('demands', {}).items():
                changes[task['machine'], resource] += [(task['start'], amount), (task['end'], -amount)]
    for (machine, resource), all_changes in changes.items():
        held = 0
        for _, amount in sorted(all_changes):  # what ends comes before what starts
            held += amount
            assert held <= has[machine].get(resource, 0), 'too much %s on %s' % (resource, machine)


def check_edges(plan, stages, tasks):
    for edge in plan['edges']:
        assert not set(edge) & {'lag', 'stream', 'reads'}, 'an edge of a kind that is not judged here'
        before, behind = names(stages[edge['from']]), names(stages[edge['to']])
        if edge['type'] == 'one-to-one':
            pairs = zip(before, behind)
        else:
            pairs = [(max(before, key=lambda name: tasks[name]['end']), name) for name in behind]
        for first, then in pairs:
            assert tasks[first]['end'] <= tasks[then]['start'], '%s starts before %s ends' % (then, first)


def check_plan(plan):
    stages = {stage['id']: stage for stage in plan['stages']}
    tasks = {task['id']: task for task in plan['tasks']}
    for stage in stages.values():
        assert not set(stage) & set(UNKNOWN), 'a job of a kind that is not judged here'
        durations = stage['duration'] if isinstance(stage['duration'], list) else [stage['duration']] * int(stage['tasks'])
        for name, duration in zip(names(stage), durations):
            task = tasks[name]
            assert task['start'] >= 0 and task['end'] - task['start'] == duration, '%s lasts otherwise' % name
    assert len(tasks) == sum(int(stage['tasks']) for stage in stages.values()), 'tasks that no stage has'
    assert plan['makespan'] == max([task['end'] for task in tasks.values()] or [0]), 'another makespan'
    assert plan['makespan'] >= plan['lower_bound'], 'the bound is above the makespan'
    check_edges(plan, stages, tasks)
    check_capacities(plan, stages, tasks)


def run(*words):
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True)
    return done.returncode == 0, done.stdout + done.stderr


def faults_of(row, veripb):
    folder = HERE / row['instance']
    plan = read(folder / 'plan.json')
    try:
        check_plan(plan)
        assert plan['makespan'] == Decimal(row['makespan']) and plan['lower_bound'] == Decimal(row['lower_bound']), \
            'index.csv says otherwise'
    except AssertionError as fault:
        yield str(fault)
    files = [folder / 'plan.json'] if 'certificate' in plan else []
    if (folder / 'bound.json').exists():
        files.append(folder / 'bound.json')
    for file in files:
        good, told = run(sys.executable, HERE / 'check_certificate.py', file)
        if not good:
            yield told.strip()
    if veripb and row['veripb_bound']:
        good, told = run(veripb, folder / 'proof.opb', folder / 'proof.pbp')
        if not good or 's VERIFIED UNSATISFIABLE' not in told:
            yield 'VeriPB refuses the proof'


def main():
    veripb, faults, count = shutil.which('veripb'), 0, 0
    with open(HERE / 'index.csv', newline='') as table:
        rows = [row for row in csv.DictReader(table) if not sys.argv[1:] or row['instance'] in sys.argv[1:]]
    for row in rows:
        for fault in faults_of(row, veripb):
            print('%s: %s' % (row['instance'], fault))
            faults += 1
        count += 1
    print('%d instances, %d faults%s' % (count, faults, '' if veripb else '; proofs not checked, as VeriPB is not installed'))
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
