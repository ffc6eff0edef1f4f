#!/usr/bin/env python3
"""bigrocks workload, judged from outside: what it writes is read by another program (this one), and loads,
slices, statistics and paths are computed anew.

workload.py BIGROCKS [SHARED]
"""
import csv
import io
import json
import math
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
SHARED = pathlib.Path(sys.argv[2]).resolve() / 'data' if len(sys.argv) > 2 else None
JOB, CLUSTER, WORKLOAD = ('{urn:bigrocks:%s:1}' % name for name in ('job', 'cluster', 'workload'))


def run(*arguments, status=0, cwd=None):
    done = subprocess.run([PROGRAM, 'workload', *map(str, arguments)], capture_output=True, text=True, cwd=cwd)
    assert done.returncode == status, (arguments, done.returncode, done.stderr)
    return done.stderr if status else done.stdout


def write_job(path, seed):
    """A job with barriers and durations of its own tasks."""
    rng = random.Random(seed)
    lines = ['<job xmlns="urn:bigrocks:job:1">']
    for s in range(rng.randint(1, 5)):
        tasks = rng.randint(1, 6)
        lines.append('<stage id="s%d" tasks="%d" duration="%.3f">' % (s, tasks, rng.uniform(0.5, 20)))
        for name in rng.sample(['cpu', 'mem', 'net'], rng.randint(1, 3)):
            lines.append('<demand resource="%s" amount="%s"/>' % (name, rng.choice(['1', '0.25', '3', '2.5'])))
        if rng.random() < .5:
            lines.append('<task index="%d" duration="%.3f"/>' % (rng.randrange(tasks), rng.uniform(1, 50)))
        lines.append('</stage>')
        if s:
            lines.append('<edge from="s%d" to="s%d"/>' % (rng.randrange(s), s))
    path.write_text('\n'.join(lines + ['</job>']))


class Job:
    """What the native form of a job says, read by another program."""
    def __init__(self, path):
        root = ET.parse(path).getroot()
        self.work, self.stages, self.tasks = {}, 0, 0
        durations, parents = {}, {}
        for stage in root.findall(JOB + 'stage'):
            times = [float(stage.get('duration', 0))] * int(stage.get('tasks', 1))
            for task in stage.findall(JOB + 'task'):
                times[int(task.get('index'))] = float(task.get('duration'))
            for demand in stage.findall(JOB + 'demand'):
                name = demand.get('resource')
                self.work[name] = self.work.get(name, 0) + float(demand.get('amount')) * sum(times)
            durations[stage.get('id')] = times
            self.stages += 1
            self.tasks += len(times)
        for edge in root.findall(JOB + 'edge'):
            assert edge.get('type', 'barrier') == 'barrier'
            parents.setdefault(edge.get('to'), []).append(edge.get('from'))
        ends = {}

        def end(stage):
            if stage not in ends:
                ends[stage] = max([end(p) for p in parents.get(stage, [])], default=0) + max(durations[stage])
            return ends[stage]
        self.critical = max(map(end, durations))
        self.task_s = sum(map(sum, durations.values()))


class Workload:
    def __init__(self, path):
        root = ET.parse(path).getroot()
        assert root.tag == WORKLOAD + 'workload'
        self.rows = [dict(job.attrib) for job in root.findall(WORKLOAD + 'job')]
        self.groups = {g.get('name'): float(g.get('weight')) for g in root.findall(WORKLOAD + 'group')}
        self.arrivals = [float(row['arrival']) for row in self.rows]
        self.files = [path.parent / row['file'] for row in self.rows]
        self.scales = [float(row.get('scale', 1)) for row in self.rows]

    def jobs(self):
        known = {path: Job(path) for path in set(self.files)}
        return [known[path] for path in self.files]

    def load(self, cluster):
        """Work a job on the most loaded resource, over the mean time between arrivals."""
        capacity = {}
        for machine in ET.parse(cluster).getroot().findall(CLUSTER + 'machine'):
            for c in machine.findall(CLUSTER + 'capacity'):
                capacity[c.get('resource')] = (capacity.get(c.get('resource'), 0)
                                               + int(machine.get('count', 1)) * float(c.get('amount')))
        jobs = self.jobs()
        work = {}
        for job, scale in zip(jobs, self.scales):
            for name, amount in job.work.items():
                work[name] = work.get(name, 0) + amount * scale
        gap = (max(self.arrivals) - min(self.arrivals)) / (len(jobs) - 1)
        return {name: amount / capacity[name] / len(jobs) / gap for name, amount in work.items()}


def near(found, wanted, what, within=1e-6):
    assert abs(found - wanted) <= within * max(1, abs(wanted)), (what, found, wanted)


def loads(folder, cluster):
    for arrivals in ('poisson', 'regular'):
        for load in ('0.5', '0.95'):
            path = folder / 'w.xml'
            run('jobs', '--count', 200, '--arrivals', arrivals, '--load', load, '--cluster', cluster,
                '--seed', 4, '-o', path, cwd=folder)
            workload = Workload(path)
            assert len(workload.rows) == 200 and len(set(workload.files)) > 8
            assert workload.arrivals[0] == 0 and workload.arrivals == sorted(workload.arrivals)
            assert len({row['seed'] for row in workload.rows}) == 200
            near(max(workload.load(cluster).values()), float(load), 'load')
    # Another load for the jobs and arrivals that there are; longer tasks need more time for it.
    run('w.xml', '--load', '0.3', '--cluster', cluster, '-o', 'w2.xml', cwd=folder)
    run('w.xml', '--scale-durations', '4', '--load', '0.3', '--cluster', cluster, '-o', 'w4.xml', cwd=folder)
    second, fourth = Workload(folder / 'w2.xml'), Workload(folder / 'w4.xml')
    near(max(second.load(cluster).values()), 0.3, 'load')
    near(max(fourth.load(cluster).values()), 0.3, 'load')
    near(fourth.arrivals[-1], 4 * second.arrivals[-1], 'span')
    near(second.arrivals[100] / second.arrivals[-1], workload.arrivals[100] / workload.arrivals[-1], 'shape')
    assert [r['seed'] for r in second.rows] == [r['seed'] for r in workload.rows]
    run('w.xml', '--scale-time', '0.5', '-o', 'half.xml', cwd=folder)
    near(Workload(folder / 'half.xml').arrivals[-1], workload.arrivals[-1] / 2, 'span')
    # The recorded durations of a log count, not the declared ones: 4 x 10 + 8 x 30 cpu seconds.
    (folder / 'log.swf').write_text('; MaxProcs: 16\n1 0 1 10 4 -1 -1 4 99 -1 1 3 1 1 1 -1 -1 -1\n'
                                    '2 50 1 30 8 -1 -1 8 99 -1 1 4 1 1 1 -1 -1 -1\n')
    near(json.loads(run('log.swf', '--json', cwd=folder))['load'], 280 / 16 / 2 / 50, 'load of a log')


def deterministic(folder, cluster):
    options = ['jobs', '--count', 50, '--load', '0.8', '--cluster', cluster, '--groups', 'a=2,b', '-f', 'xml']
    one = run(*options, '--seed', 9, cwd=folder)
    assert one == run(*options, '--seed', 9, cwd=folder) != run(*options, '--seed', 10, cwd=folder)
    assert run(*options, cwd=folder) == run(*options, '--seed', 1, cwd=folder)


def paths(folder, cluster):
    """From wherever it is written and read, a workload names the same files."""
    (folder / 'deep/er').mkdir(parents=True)
    os.symlink(folder / 'deep', folder / 'link')
    for cwd, jobs, target in ((folder, 'jobs', 'deep/er/w.xml'), (folder / 'jobs', '.', '../deep/w.xml'),
                              (folder, folder / 'jobs', 'deep/w.xml'), (folder, 'jobs', 'link/er/w.csv'),
                              (folder / 'deep', '../jobs', folder / 'abs.xml')):
        run(jobs, '-o', target, cwd=cwd)
        path = (cwd / target).resolve()
        if path.suffix == '.xml':
            files = Workload(path).files
            assert all(file.exists() for file in files), files
            assert all(os.path.isabs(r['file']) == os.path.isabs(jobs) for r in Workload(path).rows)
        for reader in (folder, folder / 'deep', pathlib.Path('/')):
            found = json.loads(run(path if reader == pathlib.Path('/') else os.path.relpath(path, reader),
                                   '--json', cwd=reader))
            assert found['jobs'] == found['kinds'] == 12, found
    (folder / 'log.swf').write_text('1 0 1 10 4 -1 -1 4 99 -1 1 3 1 1 1 -1 -1 -1\n')
    for given, wanted in (('log.swf', '../log.swf'), (folder / 'log.swf', str(folder / 'log.swf'))):
        run(given, '-o', 'deep/log.xml', cwd=folder)
        assert [row['file'] for row in Workload(folder / 'deep/log.xml').rows] == [wanted]
    # A workload at an absolute path names its files from its own folder all the same.
    run(folder / 'deep/log.csv', '-o', folder / 'moved.xml', cwd='/', status=5)
    run('log.swf', '-o', 'deep/log.csv', cwd=folder)
    run(folder / 'deep/log.csv', '-o', folder / 'moved.xml', cwd='/')
    assert [row['file'] for row in Workload(folder / 'moved.xml').rows] == ['log.swf']
    # Without a file it is from the current folder.
    text = run('deep/er/w.xml', '-f', 'csv', cwd=folder)
    assert 'jobs/' == os.path.dirname(list(csv.DictReader(io.StringIO(text)))[0]['file']) + '/', text
    assert text == run('deep/er/w.xml', '-f', 'csv', '-o', '-', cwd=folder)


def forms(folder, cluster):
    run('jobs', '--count', 30, '--load', '0.8', '--cluster', cluster, '--groups', 'x=2,y=0.125', '--deadlines',
        '2.5x', '--scale-durations', '1.5', '-o', 'one.xml', cwd=folder)
    run('one.xml', '-o', 'two.csv', cwd=folder)
    run('two.csv', '-o', 'three.xml', cwd=folder)
    assert (folder / 'one.xml').read_bytes() == (folder / 'three.xml').read_bytes()
    rows = list(csv.DictReader((folder / 'two.csv').open()))
    assert list(rows[0])[:8] == 'file,entry,id,arrival,group,weight,deadline,seed'.split(','), rows[0]
    workload = Workload(folder / 'one.xml')
    assert workload.groups == {'x': 2, 'y': 0.125}
    for row, other, job in zip(rows, workload.rows, workload.jobs()):
        assert all(row[key] == other[key] for key in ('file', 'id', 'arrival', 'group', 'deadline', 'seed'))
        near(float(row['deadline']) - float(row['arrival']), 2.5 * 1.5 * job.critical, 'deadline')
    run('jobs', '--deadlines', '600', '-o', 'fixed.xml', cwd=folder)
    assert {row['deadline'] for row in Workload(folder / 'fixed.xml').rows} == {'600'}


def parts(folder, cluster):
    run('jobs', '--count', 100, '--arrivals', 'regular', '--interarrival', '2', '--groups', 'a,b,c', '--assign',
        'in-turn', '-o', 'r.xml', cwd=folder)
    whole = Workload(folder / 'r.xml')
    assert whole.arrivals == [2 * k for k in range(100)]
    assert [row['group'] for row in whole.rows] == ['abc'[k % 3] for k in range(100)]
    run('r.xml', '--from', 20, '--to', '40', '-o', 'part.xml', cwd=folder)
    part = Workload(folder / 'part.xml')
    assert [row['id'] for row in part.rows] == [str(k) for k in range(11, 21)]
    assert part.arrivals == [2 * k for k in range(10)] and part.files == whole.files[10:20]
    run('r.xml', '--count', 7, '-o', 'first.xml', cwd=folder)
    assert Workload(folder / 'first.xml').files == whole.files[:7]
    run('r.xml', '--thin', '0.5', '-o', 'thin.xml', cwd=folder)
    kept = [row['id'] for row in Workload(folder / 'thin.xml').rows]
    assert 30 < len(kept) < 70 and kept == sorted(kept, key=int)
    run('jobs', '--draw', 'all', '--count', 30, '-o', 'all.xml', cwd=folder)
    files = Workload(folder / 'all.xml').files
    assert len(set(files[:12])) == 12 and files[12:24] == files[:12] and files[24:] == files[:6]


def recorded(folder, cluster):
    jobs = sorted(p.stem for p in (folder / 'jobs').iterdir())
    times = {name: 1000 + 37 * ((5 * k) % 12) for k, name in enumerate(jobs)}
    (folder / 'times.csv').write_text('user,job,arrival_s\n' + ''.join(
        'u,"%s",%d\n' % (name, at) for name, at in reversed(times.items())))
    run('jobs', '--arrivals', 'times.csv', '-o', 't.xml', cwd=folder)
    workload = Workload(folder / 't.xml')
    assert {f.stem: a for f, a in zip(workload.files, workload.arrivals)} == {n: a - 1000 for n, a in times.items()}
    run('jobs', '--arrivals', 'times.csv', '--count', 5, '--load', '0.7', '--cluster', cluster, '-o', 't.xml',
        cwd=folder)
    workload = Workload(folder / 't.xml')
    near(max(workload.load(cluster).values()), 0.7, 'load')
    assert len({round(b - a, 6) for a, b in zip(workload.arrivals, workload.arrivals[1:])}) == 1
    (folder / 'bare.csv').write_text('5\n\n3.5\n12\n')
    run('jobs', '--arrivals', 'bare.csv', '--count', 3, '-o', 't.xml', cwd=folder)
    assert Workload(folder / 't.xml').arrivals == [0, 1.5, 8.5]
    for text, count, word in (('5\n', 2, 'has 1 arrivals for 2 jobs'), ('a,b\n1,2\n', 1, 'bad.csv:1'),
                              ('time\n1\nx\n', 1, "bad.csv:3: time 'x'"), ('time\n-1\n', 1, 'bad.csv:2'),
                              ('', 1, 'no arrival'), ('job,time\nq,1\n', None, 'no arrival of')):
        (folder / 'bad.csv').write_text(text)
        said = run('jobs', '--arrivals', 'bad.csv', *(['--count', count] if count else []), '-o', 'no.xml',
                   status=3, cwd=folder)
        assert word in said, (text, said)
    assert not (folder / 'no.xml').exists()


def records(folder, cluster):
    """A workload that names a record reads it again as it was read, whatever is said then; in both forms."""
    (folder / 'acct.txt').write_text(
        'JobID|User|State|Submit|ElapsedRaw|Timelimit|NNodes|AllocCPUS|AllocTRES\n'
        '7|ann|COMPLETED|2024-03-04T18:00:35|600|00:30:00|3|12|cpu=12,mem=6G,node=3\n'
        '8|bob|COMPLETED|2024-03-04T18:02:09|60|00:30:00|1|2|cpu=2,mem=1G,node=1\n')

    def shape(name, *options):
        told = json.loads(run(name, '--json', *options, cwd=folder))
        return told['tasks'], sorted(r['name'] for r in told['resources'])

    for parallel, tasks in (('pool', 2), ('nodes', 4), ('tasks', 14)):
        for only, resources in (([], ['cpu', 'mem']), (['--cpu-only'], ['cpu'])):
            run('acct.txt', '--parallel', parallel, *only, '-o', 'a.xml', cwd=folder)
            run('a.xml', '-o', 'b.csv', cwd=folder)
            run('b.csv', '-o', 'c.xml', cwd=folder)
            assert (folder / 'a.xml').read_bytes() == (folder / 'c.xml').read_bytes()
            for name in ('a.xml', 'b.csv', 'c.xml'):
                assert shape(name) == (tasks, resources), (name, parallel, only, shape(name))
    # What a row does not say, the options do; and one record may be read in two ways.
    assert shape('a.xml', '--parallel', 'pool') == (14, ['cpu'])
    (folder / 'd.csv').write_text('file,entry,arrival,parallel,cpu-only\nacct.txt,7,0,nodes,true\nacct.txt,7,5,tasks,\n'
                                  'acct.txt,7,9,,\n')
    assert shape('d.csv') == (3 + 12 + 1, ['cpu', 'mem'])
    assert shape('d.csv', '--parallel', 'nodes', '--cpu-only') == (3 + 12 + 3, ['cpu'])
    for text, word in (('parallel="all"', "parallel 'all' of job '1' is unknown"),
                       ('cpu-only="1"', "cpu-only '1' of job '1' is unknown")):
        (folder / 'bad.xml').write_text('<workload xmlns="urn:bigrocks:workload:1"><job file="acct.txt" entry="7" '
                                        'arrival="0" %s/></workload>' % text)
        assert word in run('bad.xml', status=3, cwd=folder)


def generated(folder, cluster):
    options = ['--like', 'layered', '--tasks', 40, '--stages', 8, '--count', 20, '--arrivals', 'regular',
               '--interarrival', 1, '--seed', 2]
    run(*options, '-o', 'g.xml', cwd=folder)
    rows = Workload(folder / 'g.xml').rows
    assert {row['file'] for row in rows} == {'generate:layered,tasks=40,stages=8'}
    assert len({row['entry'] for row in rows}) == 20
    found = json.loads(run('g.xml', '--json', cwd=folder))
    assert (found['tasks'], found['stages'], found['kinds']) == (800, 160, 20)
    # The jobs are those that generate makes of the same seed.
    subprocess.run([PROGRAM, 'generate', '--like', 'layered', '--tasks', '40', '--stages', '8', '--seed',
                    rows[3]['entry'], '-o', 'g3.xml'], check=True, cwd=folder)
    run('g3.xml', '-o', 'w3.xml', cwd=folder)
    (folder / 'row.csv').write_text('file,entry,arrival\n"%s",%s,0\n' % (rows[3]['file'], rows[3]['entry']))
    keys = ('tasks', 'stages', 'work_s', 'critical_path_s', 'resources', 'width')
    one, other = (json.loads(run(name, '--json', cwd=folder)) for name in ('w3.xml', 'row.csv'))
    assert [one[key] for key in keys] == [other[key] for key in keys]
    assert 'count' in run('--like', 'cosmos', '-o', 'no.xml', status=2, cwd=folder)


def described(folder, cluster):
    run('jobs', '--count', 40, '--load', '0.6', '--cluster', cluster, '--seed', 3, '-o', 'd.xml', cwd=folder)
    workload = Workload(folder / 'd.xml')
    jobs, loads = workload.jobs(), workload.load(cluster)
    found = json.loads(run('d.xml', '--cluster', cluster, '--json', cwd=folder))
    assert found['format'] == 'bigrocks-workload-statistics/1'
    assert found['tasks'] == sum(job.tasks for job in jobs) and found['jobs'] == 40
    gaps = [b - a for a, b in zip(workload.arrivals, workload.arrivals[1:])]
    mean = sum(gaps) / 39
    near(found['arrivals']['mean_gap_s'], mean, 'mean gap')
    near(found['arrivals']['cov'], math.sqrt(sum((g - mean) ** 2 for g in gaps) / 39) / mean, 'cov')
    for resource in found['resources']:
        near(resource['load'], loads[resource['name']], resource['name'])
        near(resource['work'], sum(job.work.get(resource['name'], 0) for job in jobs), resource['name'])
    assert found['most_loaded'] == max(loads, key=loads.get)
    for key, values in (('critical_path_s', [job.critical for job in jobs]),
                        ('work_s', [job.task_s for job in jobs]), ('job_tasks', [job.tasks for job in jobs])):
        values.sort()
        near(found[key]['mean'], sum(values) / 40, key)
        near(found[key]['max'], values[-1], key)
        near(found[key]['p50'], (values[19] + values[20]) / 2, key)
    text = run('d.xml', '--cluster', cluster, cwd=folder)
    assert 'load       0.6, of %s' % found['most_loaded'] in text, text
    run('d.xml', '--describe', '-o', 'd.json', cwd=folder)
    assert json.loads((folder / 'd.json').read_text())['load'] is None


def refused(folder, cluster):
    run('jobs', '--count', 9, '--arrivals', 'regular', '--interarrival', 1, '-o', 'r.xml', cwd=folder)
    keep = (folder / 'r.xml').read_bytes()
    for arguments, status, word in (
            (['jobs', '--load', '0.8'], 2, 'cluster'), (['jobs', '--arrivals', 'poisson'], 2, '--interarrival'),
            (['jobs', '--arrivals', 'batch', '--load', '1', '--cluster', cluster], 2, 'together'),
            (['jobs', '--load', 'x'], 2, '--load'), (['jobs', '--thin', '1.5'], 2, '--thin'),
            (['jobs', '--from', '3'], 2, '--from'), (['r.xml', '--from', '1000'], 3, 'no job is left'),
            (['r.xml', 'jobs'], 2, 'give it alone'), (['jobs', '--groups', 'a=-1'], 2, '--groups'),
            (['jobs', '--groups', '=1'], 2, '--groups'), (['jobs', '--deadlines', 'soon'], 2, '--deadlines'),
            (['jobs', '--load', '0.8', '--machines', '2', '--capacity', 'cpu=4'], 3, 'does not have'),
            (['jobs', '--load', '0.8', '--interarrival', '2', '--cluster', cluster], 2, 'exclude'),
            ([], 2, 'nothing'), (['none'], 5, 'none'), (['jobs', '--arrivals', 'none.csv'], 5, 'none.csv')):
        said = run(*arguments, '-o', 'r.xml', status=status, cwd=folder)
        assert word in said, (arguments, said)
    assert (folder / 'r.xml').read_bytes() == keep
    for name, word in (('jobs', 'a folder'), ('/dev/zero', 'a device'), ('-', 'standard input')):
        (folder / 'odd.csv').write_text('file,arrival\n%s,0\n' % name)
        assert word in run('odd.csv', status=3, cwd=folder)
    # A job file that is not there among 10,000 rows: its line, soon, and nothing is written.
    rows = [b'  <job id="%d" file="jobs/j%d.xml" arrival="%d"/>' % (k, k % 12, k) for k in range(10000)]
    rows[8000] = rows[8000].replace(b'jobs/', b'job/')
    (folder / 'many.xml').write_bytes(b'<workload xmlns="urn:bigrocks:workload:1">\n' + b'\n'.join(rows)
                                      + b'\n</workload>\n')
    began = time.monotonic()
    said = run('many.xml', '-o', 'no.xml', status=3, cwd=folder)
    assert said.startswith('many.xml:8002:3: ') and 'job/j8.xml' in said, said
    assert time.monotonic() - began < 10 and not (folder / 'no.xml').exists()


def shared(folder, cluster):
    """The mixes of public jobs."""
    if not SHARED or not (SHARED / 'tpch').is_dir():
        print('the public instances are not there: no mixes of them')
        return
    for name, most in (('tpch', 66), ('alibaba', 300)):
        on = SHARED / 'clusters' / (name + '.xml')
        run(SHARED / name, '--count', 200, '--arrivals', 'poisson', '--load', '0.8', '--cluster', on, '--seed', 1,
            '-o', 'mix.xml', cwd=folder)
        workload = Workload(folder / 'mix.xml')
        near(max(workload.load(on).values()), 0.8, name)
        assert 40 < len(set(workload.files)) <= most
    times = SHARED / 'arrivals/alibaba18/xml-arrivals.csv'
    run(SHARED / 'alibaba', '--arrivals', times, '-o', 'mix.xml', cwd=folder)
    workload = Workload(folder / 'mix.xml')
    wanted = {row['job']: float(row['arrival_s']) for row in csv.DictReader(times.open())}
    first = min(wanted.values())
    assert {f.stem: a + first for f, a in zip(workload.files, workload.arrivals)} == wanted


def percentile(ordered, share):
    at = share * (len(ordered) - 1)
    low = int(at)
    return ordered[low] + (at - low) * (ordered[min(low + 1, len(ordered) - 1)] - ordered[low])


def spark_log(path, jobs):
    """An event log of four cores. Jobs: (submitted, ended, stages), a stage: (parents, durations), in milliseconds."""
    lines = [{'Event': 'SparkListenerLogStart', 'Spark Version': '3.5.7'},
             {'Event': 'SparkListenerExecutorAdded', 'Executor ID': '1', 'Executor Info': {'Total Cores': 4}},
             {'Event': 'SparkListenerApplicationStart', 'App Name': 'made', 'User': 'ann'}]
    first = 0
    for j, (submitted, ended, stages) in enumerate(jobs):
        lines.append({'Event': 'SparkListenerJobStart', 'Job ID': j, 'Submission Time': submitted, 'Stage Infos': [
            {'Stage ID': first + k, 'Parent IDs': [first + p for p in of]} for k, (of, _) in enumerate(stages)]})
        begin = submitted
        for k, (_, durations) in enumerate(stages):
            lines += [{'Event': 'SparkListenerTaskEnd', 'Stage ID': first + k, 'Task End Reason': {'Reason': 'Success'},
                       'Task Info': {'Index': t, 'Launch Time': begin, 'Finish Time': begin + d}, 'Task Metrics': {}}
                      for t, d in enumerate(durations)]
            begin += max(durations)
        lines.append({'Event': 'SparkListenerJobEnd', 'Job ID': j, 'Completion Time': ended,
                      'Job Result': {'Result': 'JobSucceeded'}})
        first += len(stages)
    path.write_text(''.join(json.dumps(line) + '\n' for line in lines))


def rises(picture):
    """Where each curve gets to 100 %, and to a half, by name: in pixels."""
    root = ET.fromstring(picture)
    names = [e.text for e in root.iter() if e.tag.endswith('text')]
    curves = [e.get('d') for e in root.iter() if e.get('class', '').startswith('curve')]
    assert len(curves) == 6, len(curves)
    found = {}
    for name, data in zip(('levels', 'parts', 'stages', 'barriers', 'edges', 'tasks'), curves):
        assert name in names, names
        points = [tuple(map(float, p.split())) for p in re.findall(r'[ML]([\d. -]+)', data)]
        points += [(float(x), points[-1][1]) for x in re.findall(r'H([\d.-]+)', data)]
        found[name] = points
    return found


def pictures(folder):
    """What jobs are like: every curve rises where the powers of ten of its property are."""
    def job(name, stages, tasks, barrier):
        text = ''.join(f'<stage id="s{k}" tasks="{tasks}" duration="1"/>' for k in range(stages))
        kind = 'barrier' if barrier else 'one-to-one'
        text += ''.join(f'<edge from="s{k}" to="s{k + 1}" type="{kind}"/>' for k in range(stages - 1))
        (folder / name).write_text(f'<job xmlns="urn:bigrocks:job:1" name="{name}">{text}</job>')
        return rises(run('-q', folder / name, '-f', 'svg'))
    one, chain, wide = job('p1.xml', 1, 1, True), job('p2.xml', 10, 100, True), job('p3.xml', 10, 100, False)
    left = {name: of[0][0] for name, of in one.items()}
    axis = ET.fromstring(run('-q', folder / 'p2.xml', '-f', 'svg')).iter()
    ticks = {e.text: float(e.get('x')) for e in axis if e.get('class') == 'soft'}
    decade = ticks['3'] / 3 - ticks['0'] / 3
    assert decade > 50 and len(set(left.values())) == 1, (left, decade)
    for jobs, powers in ((chain, {'levels': 1, 'parts': 1, 'stages': 1, 'barriers': math.log10(9), 'edges': math.log10(9)}),
                         (wide, {'levels': 1, 'parts': 0, 'stages': 1, 'barriers': 0, 'edges': math.log10(9), 'tasks': 3})):
        for name, power in powers.items():
            assert abs(jobs[name][0][0] - left[name] - power * decade) < 0.02, (name, jobs[name][0], left, decade)
    both = rises(run('-q', folder / 'p1.xml', folder / 'p2.xml', '-f', 'svg'))['tasks']
    assert abs(both[0][0] - left['tasks']) < 0.02 and abs(max(x for x, _ in both) - chain['tasks'][0][0]) < 0.02, both
    run('-q', folder / 'p2.xml', '-o', folder / 'shape.svg')
    assert '<svg' in (folder / 'shape.svg').read_text()[:200]


def potential(folder, cluster):
    """Times of recorded jobs over their critical paths, work and bounds, computed anew."""
    rng = random.Random(5)
    jobs = [(1000 * j, 0, [([k - 1] if k else [], [rng.randint(1, 9000) for _ in range(rng.randint(1, 9))])
                           for k in range(rng.randint(1, 4))]) for j in range(40)]
    times = []
    for j, (submitted, _, stages) in enumerate(jobs):
        path, work = sum(max(d) for _, d in stages), sum(sum(d) for _, d in stages) / 4
        # Between barriers a stage takes its longest task and its work, and so do all of them together.
        times.append((path, work, sum(max(*d, math.ceil(sum(d) / 4)) for _, d in stages)))
        jobs[j] = (submitted, submitted + math.ceil(rng.uniform(0.5, 6) * times[-1][2]), stages)
    spark_log(folder / 'app.log', jobs)
    table = list(csv.DictReader(io.StringIO(run('-q', folder / 'app.log', '--potential', '-f', 'csv'))))
    assert len(table) == 40
    for row, (submitted, ended, stages), (path, work, least) in zip(table, jobs, times):
        near(float(row['took']), (ended - submitted) / 1000, 'took')
        near(float(row['critical_path']), path / 1000, 'path')
        tick = math.gcd(*(d for _, durations in stages for d in durations))  # bounds are whole ones
        assert work <= round(1000 * float(row['work']), 6) < work + tick, (row, work)
        assert least / 1000 - 1e-9 <= float(row['bound']) and int(row['tasks']) == sum(len(d) for _, d in stages)
        for column in ('critical_path', 'work', 'bound'):
            near(float(row['over_' + column]), float(row['took']) / float(row[column]), column)
        if len(stages) == 1:  # no more than packing the longest first
            free = [0] * 4
            for d in sorted(stages[0][1], reverse=True):
                free[free.index(min(free))] += d
            assert float(row['bound']) <= max(free) / 1000 + 1e-9
    text = run('-q', folder / 'app.log', '--potential')
    for name, column in (('critical path', 'over_critical_path'), ('work', 'over_work'), ('bound', 'over_bound')):
        ratios = sorted(float(row[column]) for row in table)
        told = next(line for line in text.splitlines() if line.startswith(name + ' '))[22:].split()
        wanted = ['%.2f' % percentile(ratios, part) for part in (.25, .5, .75, .9, .99)]
        wanted += ['%.1f%%' % (2.5 * sum(of)) for of in ([r >= 2 for r in ratios], [r < 1 for r in ratios])]
        assert told == wanted, (told, wanted)
        assert 0 < sum(r >= 2 for r in ratios) < 40 and 0 < sum(r < 1 for r in ratios)
    picture = ET.fromstring(run('-q', folder / 'app.log', '--potential', '-f', 'svg'))
    assert len([e for e in picture.iter() if e.get('class', '').startswith('curve')]) == 3
    pictures(folder)
    # On one core the bound is the work; a cluster that is too small refuses, and names the reason.
    def alone(cores, **more):
        return run('-q', folder / 'app.log', '--potential', '-f', 'csv', '--machines', 1, '--capacity', f'cpu={cores}', **more)
    assert all(row['bound'] == row['work'] for row in csv.DictReader(io.StringIO(alone(1))))
    assert 'the largest machine, m, has 0.5' in alone(0.5, status=3)
    on = ('--machines', 1, '--capacity', 'cpu=1,net=1,mem=1')
    assert 'no recorded' in run('--like', 'layered', '--count', 3, '--potential', *on, status=3).replace(
        'no job of the workload has a', 'no')
    assert 'needs to know the cluster' in run('--like', 'layered', '--count', 3, '--potential', status=2)
    assert 'there are text, csv and svg' in run('-q', folder / 'app.log', '--potential', '--json', status=2)


def main():
    for test in (loads, deterministic, paths, forms, parts, recorded, records, potential, generated, described,
                 refused, shared):
        with tempfile.TemporaryDirectory(prefix='bigrocks-workload') as scratch:
            folder = pathlib.Path(scratch).resolve()
            (folder / 'jobs').mkdir()
            for k in range(12):
                write_job(folder / 'jobs' / ('j%d.xml' % k), k)
            cluster = folder / 'cluster.xml'
            cluster.write_text('<cluster xmlns="urn:bigrocks:cluster:1"><machine class="a" count="3"><capacity '
                               'resource="cpu" amount="8"/><capacity resource="net" amount="2.5"/></machine>'
                               '<machine class="b"><capacity resource="mem" amount="31"/></machine></cluster>')
            test(folder, cluster)
            print(test.__name__)
    return 0


if __name__ == '__main__':
    sys.exit(main())
