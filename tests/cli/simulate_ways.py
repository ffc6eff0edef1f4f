#!/usr/bin/env python3
"""`simulate` with jobs whose tasks run in several ways, on machines of several classes and speeds.

simulate_ways.py BIGROCKS EXAMPLES_DIR

Every attempt is judged by the job files alone: the task runs by the alternative that `plan` gives to it, on a machine of
a class of it, for its duration by the machine's speed, after its parents, and within what the machine has.
"""
import csv
import fractions
import io
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

BIGROCKS = pathlib.Path(sys.argv[1]).resolve()
EXAMPLES = pathlib.Path(sys.argv[2]).resolve()
JOB, CLUSTER = '{urn:bigrocks:job:1}', '{urn:bigrocks:cluster:1}'
POLICIES = 'graphene,tetris,srpt,fifo,drf,weighted-fair=-1'


def bigrocks(*words, cwd, status=0):
    done = subprocess.run([str(BIGROCKS), *map(str, words)], text=True, capture_output=True, cwd=cwd, timeout=120)
    assert done.returncode == status, (words, done)
    return done


def amount(text):
    units = {'KiB': 2**10, 'MiB': 2**20, 'GiB': 2**30}
    return fractions.Fraction(text[:-3]) * units[text[-3:]] if text[-3:] in units else fractions.Fraction(text)


def amounts(element, tag, name):
    return {e.get('resource'): amount(e.get('amount')) for e in element.findall(name + tag)}


class Job:
    def __init__(self, path):
        root = xml.parse(path).getroot()
        self.edges = [(e.get('from'), e.get('to'), e.get('type', 'barrier')) for e in root.iter(JOB + 'edge')]
        self.tasks, self.ways, self.own = {}, {}, {}
        for stage in root.iter(JOB + 'stage'):
            name = stage.get('id')
            self.tasks[name] = int(stage.get('tasks', 1))
            common = amounts(stage, 'demand', JOB)
            for way in stage.findall(JOB + 'alternative') or [stage]:
                self.ways[name, way.get('id') if way is not stage else None] = (
                    fractions.Fraction(way.get('duration', stage.get('duration'))), {**common, **amounts(way, 'demand', JOB)},
                    way.get('class', stage.get('class', '')).split())
            for task in stage.findall(JOB + 'task'):
                self.own[name, task.get('alternative'), int(task.get('index'))] = fractions.Fraction(task.get('duration'))

    def duration(self, stage, way, index):
        return self.own.get((stage, way, index), self.own.get((stage, None, index), self.ways[stage, way][0]))


def read_cluster(path):
    machines = []
    for cls in xml.parse(path).getroot().iter(CLUSTER + 'machine'):
        machines += [(cls.get('class'), fractions.Fraction(cls.get('speed', 1)), amounts(cls, 'capacity', CLUSTER))] * int(
            cls.get('count', 1))
    return machines


def read_attempts(text):
    """By policy and job: the machine, start and end of each task, of its stage as the job has it."""
    found = {}
    for row in csv.DictReader(io.StringIO(text)):
        assert row['ended'] == 'done', row
        whole = re.fullmatch(r'(.*)\[(\d+)\]', row['stage'])
        task = (whole.group(1), int(whole.group(2))) if whole else (row['stage'], int(row['index']))
        runs = found.setdefault((row['policy'], row['job']), {})
        assert task not in runs, row
        runs[task] = int(row['machine']), fractions.Fraction(row['start']), fractions.Fraction(row['end'])
    return found


def check_job(job, chosen, runs, machines, scale, events, where):
    assert len(runs) == sum(job.tasks.values()), where
    for (stage, index), (machine, start, end) in runs.items():
        way, planned = chosen[stage, index]
        _, demand, classes = job.ways[stage, way]
        name, speed, _ = machines[machine]
        assert not classes or name in classes, (where, stage, index, way, name)
        assert speed == planned, (where, stage, index, name)
        lasts = job.duration(stage, way, index) * scale / speed
        assert abs(end - start - lasts) <= fractions.Fraction(2, 10**9), (where, stage, index, way, float(end - start), float(lasts))
        for resource, much in demand.items():
            events.append((machine, resource, end, -much))
            events.append((machine, resource, start, much))
    for parent, child, kind in job.edges:
        for i in range(job.tasks[child]):
            parents = [i] if kind == 'one-to-one' and job.tasks[parent] > 1 else range(job.tasks[parent])
            assert all(runs[parent, p][2] <= runs[child, i][1] for p in parents), (where, parent, child, i)


def check_room(events, machines, where):
    held = {}
    for machine, resource, _, much in sorted(events):
        held[machine, resource] = held.get((machine, resource), 0) + much
        assert held[machine, resource] <= machines[machine][2].get(resource, 0), (where, machine, resource)


def choice_of(path, machines):
    """By task of the plan: its alternative and the speed of its machine."""
    names = {}
    for number, (name, _, _) in enumerate(machines):
        names.setdefault(name, []).append(number)
    speed = {name: machines[numbers[0]][1] for name, numbers in names.items()}
    found = {}
    for task in json.loads(path.read_text())['tasks']:
        whole = re.fullmatch(r'(.*)\[(\d+)\]', task['id'])
        key = (whole.group(1), int(whole.group(2))) if whole else (task['id'], 0)
        found[key] = task.get('alternative'), speed[re.sub(r'\[.*', '', task['machine'])]
    return found


def check_workloads(folder):
    lines = (EXAMPLES / 'cluster-mixed.xml').read_text()
    (folder / 'mixed.xml').write_text(re.sub(r'.*<shared .*\n', '', lines))
    machines = read_cluster(folder / 'mixed.xml')
    cluster = ['--cluster', 'mixed.xml']
    split = 0
    jobs, makespan = {}, {}
    for seed in range(1, 9):
        name = 'job%d.xml' % seed
        bigrocks('generate', '--like', 'layered', '--tasks', 30, '--stages', 6, '--seed', seed, '--alternatives', '0.8',
                 '--classes', '0.4', '-o', name, cwd=folder)
        (folder / name).write_text(re.sub(r'.*consume=.*\n', '', (folder / name).read_text()))
        bigrocks('plan', name, *cluster, '--effort', 'fast', '--no-lp', '-q', '-o', 'plan.json', cwd=folder)
        jobs[name] = Job(folder / name), choice_of(folder / 'plan.json', machines)
        makespan[name] = json.loads((folder / 'plan.json').read_text())['makespan']
        ways = {}
        for (stage, _), way in jobs[name][1].items():
            ways.setdefault(stage, set()).add(way)
        split += any(len(some) > 1 for some in ways.values())
    assert split >= 2, 'no stage runs in several ways'
    names = sorted(jobs)
    several = [(names[k % len(names)], 3 * k, '1') for k in range(10)]
    for rows in [[(name, 0, scale)] for name in names for scale in ('1', '0.5')] + [several]:
        (folder / 'w.xml').write_text('<workload xmlns="urn:bigrocks:workload:1" name="w">%s</workload>' % ''.join(
            '<job id="%d" file="%s" arrival="%d" scale="%s"/>' % (k, *row) for k, row in enumerate(rows)))
        found = read_attempts(bigrocks('simulate', 'w.xml', *cluster, '--policy', POLICIES, '-q', '--format', 'tasks', cwd=folder).stdout)
        assert len(found) == len(rows) * (POLICIES.count(',') + 1), found.keys()
        for policy in POLICIES.split(','):
            events = []
            for k, (name, arrival, scale) in enumerate(rows):
                runs = found[policy, str(k)]
                check_job(*jobs[name], runs, machines, fractions.Fraction(scale), events, (policy, name))
                assert min(start for _, start, _ in runs.values()) >= arrival
            check_room(events, machines, (policy, rows))
            ends = max(end for _, _, end in runs.values())
            longest = fractions.Fraction(str(makespan[name])) * fractions.Fraction(scale) * fractions.Fraction(105, 100)
            assert policy != 'graphene' or len(rows) > 1 or ends <= longest, (name, ends)


def check_refused(folder):
    """What stays refused says what to do."""
    (folder / 'w.xml').write_text('<workload xmlns="urn:bigrocks:workload:1" name="w"><job id="1" file="job1.xml" arrival="0"/>'
                                  '</workload>')
    said = bigrocks('simulate', 'w.xml', '--machines', 1, '--capacity', 'cpu=64', '-q', cwd=folder, status=3).stderr
    assert 'runs on machines of class' in said and 'which the cluster does not have' in said, said
    for words in (['workload', 'w.xml'], ['predict', 'w.xml'], ['simulate', 'w.xml', '--executors', '4']):
        said = bigrocks(*words, '-q', cwd=folder, status=3).stderr
        assert re.search('alternatives of stages, which .* does not know', said) and 'choice' in said, said
    (folder / 'held.xml').write_text((EXAMPLES / 'link.xml').read_text().replace('consume="yes"', ''))
    (folder / 'w.xml').write_text((folder / 'w.xml').read_text().replace('job1', 'held'))
    said = bigrocks('simulate', 'w.xml', '--cluster', EXAMPLES / 'cluster-link.xml', cwd=folder, status=3).stderr
    assert 'resources that all machines share' in said, said


def check_budgets(folder):
    """What the cluster has to be consumed is there once, for the jobs in the order of their arrival."""
    lines = (EXAMPLES / 'cluster-link.xml').read_text()
    machines = read_cluster(EXAMPLES / 'cluster-link.xml')
    gpu = [number for number, (name, _, _) in enumerate(machines) if name == 'gpu-node']
    arrivals = {'x': 0, 'y': 5, 'z': 3, 'scaled': 9}
    (folder / 'w.xml').write_text('<workload xmlns="urn:bigrocks:workload:1" name="w">%s</workload>' % ''.join(
        '<job id="%s" file="%s" arrival="%d" scale="%s"/>' % (k, EXAMPLES / 'link.xml', at, '0.5' if k == 'scaled' else '1')
        for k, at in arrivals.items()))
    for runs in range(6):
        (folder / 'c.xml').write_text(lines.replace('amount="2"/>\n</cluster>', 'amount="%d"/>\n</cluster>' % runs))
        rows = list(csv.DictReader(io.StringIO(bigrocks('simulate', 'w.xml', '--cluster', 'c.xml', '--policy', 'fifo',
                                                        '-q', '--format', 'tasks', cwd=folder).stdout)))
        assert len(rows) == 11 * len(arrivals), rows
        spent = {k: 0 for k in arrivals}
        for row in rows:
            lasts = fractions.Fraction(row['end']) - fractions.Fraction(row['start'])
            if row['stage'].startswith('test'):  # 4 s at half the speed, or 12 s on the nodes
                paid = int(row['machine']) in gpu
                assert lasts == (8 if paid else 12) * (fractions.Fraction(1, 2) if row['job'] == 'scaled' else 1), row
                spent[row['job']] += paid
        assert sum(spent.values()) <= runs, (runs, spent)
        first = [spent[k] for k in sorted(arrivals, key=arrivals.get)]
        assert all(a >= b for a, b in zip(first, first[1:])) and (first[0] > 0) == (runs > 0), (runs, spent)
    (folder / 'must.xml').write_text((EXAMPLES / 'link.xml').read_text().replace('<stage id="compile" tasks="6" duration="20">',
        '<stage id="compile" tasks="6" duration="20"><demand resource="runs" amount="0.5" consume="yes"/>'))
    (folder / 'w.xml').write_text((folder / 'w.xml').read_text().replace(str(EXAMPLES / 'link.xml'), 'must.xml'))
    (folder / 'c.xml').write_text(lines.replace('amount="2"/>\n</cluster>', 'amount="8"/>\n</cluster>'))
    said = bigrocks('simulate', 'w.xml', '--cluster', 'c.xml', '-q', cwd=folder, status=3).stderr
    assert "of what the cluster has left for job 'y'" in said and 'consumes at least 3 of runs' in said, said


def main():
    with tempfile.TemporaryDirectory(prefix='bigrocks-ways') as folder:
        check_workloads(pathlib.Path(folder))
        check_refused(pathlib.Path(folder))
        check_budgets(pathlib.Path(folder))
    return 0


if __name__ == '__main__':
    sys.exit(main())
