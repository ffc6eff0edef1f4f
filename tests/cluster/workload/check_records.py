#!/usr/bin/env python3
"""Readers of recorded workloads, held against a second reading of the same files written in another way.

check_records.py DESCRIBE_RECORDS SOURCE_ROOT

Logs in the Standard Workload Format and of Slurm's accounting are made at random, with all that they may
leave out; logs of Spark are those that tests/data/spark holds, which a real Spark wrote, also cut short
after any event and with events of tasks in another order. What is expected is computed here with fractions
and datetime, from what docs/formats.md says, and compared line by line.
"""
import datetime
import fractions
import itertools
import json
import pathlib
import random
import subprocess
import sys
import tempfile

F = fractions.Fraction


def plain(value):
    """A decimal without an exponent, as short as it gets; whole where the value is."""
    value = F(value)
    if value.denominator == 1:
        return str(value.numerator)
    nano = int(value * 10 ** 9)
    return ('%d.%09d' % divmod(nano, 10 ** 9)).rstrip('0')


def line(ident, group, arrival, stages, edges=()):
    """A job as describe_records writes it; a stage is (id, declared, demands, true times)."""
    parts = []
    for name, declared, demands, true in stages:
        text = ' '.join(['%s*%d %s' % (name, len(true), plain(declared)), *('%s=%s' % (key, plain(amount)) for key, amount in demands if amount)])
        runs = [(value, len(list(same))) for value, same in itertools.groupby(true)]
        parts.append('%s (%s)' % (text, ' '.join(('%dx' % count if count > 1 else '') + plain(value) for value, count in runs)))
    return '%s %s @%s %s' % (ident, group, plain(arrival), '; '.join(parts + ['%s>%s!' % edge for edge in edges]))


def rigid(job, parallel, cpu_only):
    """The stage of a recorded job: (declared, processors, nodes, memory, gpus, ran)."""
    declared, processors, nodes, memory, gpus, ran = job
    tasks = {'pool': 1, 'tasks': processors, 'nodes': nodes}[parallel]
    demands = [('cpu', -(-processors // tasks))]
    if not cpu_only:
        demands += [('mem', memory // tasks), ('gpu', F(gpus * 10 ** 9 // tasks, 10 ** 9))]
    return [('run', ran if declared is None else declared, demands, [ran] * tasks)]


# ---- Standard Workload Format ----

def swf(rng):
    """A log and what it is: (text, jobs, head), a job being what `rigid` takes and more."""
    head = rng.choice([None, 64, 200, 3])
    lines = ['; Version: 2.2', '; a remark'] + (['; %s: %d' % (rng.choice(['MaxProcs', 'MaxNodes']), head)] if head else [])
    jobs, clock = [], F(0)
    for number in range(1, rng.randrange(2, 60)):
        clock += rng.choice([0, 1, F(rng.randrange(10000), 100)])
        columns = {
            'ran': rng.choice([-1, 0, rng.randrange(100000), F(rng.randrange(10 ** 6), 1000)]),
            'allocated': rng.choice([-1, 0, 1, rng.randrange(1, 129)]), 'used': rng.choice([-1, 0, rng.randrange(10 ** 6), F(2001, 2)]),
            'requested': rng.choice([-1, rng.randrange(1, 129)]), 'limit': rng.choice([-1, 0, rng.randrange(1, 10 ** 5)]),
            'memory': rng.choice([-1, 0, rng.randrange(10 ** 6)]), 'status': rng.choice([-1, 0, 1, 1, 1, 1, 2, 3, 4, 5]),
            'user': rng.choice([-1, 1, 2, 7]), 'group': rng.choice([-1, 0, 3]), 'queue': rng.choice([-1, 0, 5])}
        words = [number, clock, rng.randrange(-1, 99), columns['ran'], columns['allocated'], -1, columns['used'], columns['requested'],
                 columns['limit'], columns['memory'], columns['status'], columns['user'], columns['group'], -1, columns['queue'], -1,
                 rng.choice([-1, 1]), rng.choice([-1, 60])]
        lines.append(rng.choice(['', '  ']) + rng.choice([' ', '   ', '\t']).join(plain(word) for word in words) + rng.choice(['', ' ', '\r']))
        jobs.append((number, clock, columns))
    lines.insert(rng.randrange(3, len(lines) + 1), rng.choice(['', '; in between']))
    return '\n'.join(lines) + rng.choice(['', '\n']), jobs, head


def expect_swf(made, parallel, by, completed, cpu_only):
    _, jobs, head = made
    kept, most, most_memory = [], 0, 0
    # The numbers are of one line each: one that is a job's last part is all of it, and stands behind the others.
    for number, clock, job in sorted(jobs, key=lambda job: job[2]['status'] in (2, 3, 4)):
        processors = job['allocated'] if job['allocated'] > 0 else job['requested']
        if job['status'] == 2 or job['ran'] < 0 or processors <= 0 or (job['status'] == 5 and job['ran'] <= 0):
            continue
        if completed and job['status'] not in (1, 3, -1):
            continue
        kilobytes = job['memory'] if job['memory'] > 0 else max(job['used'], 0)
        memory = int(F(kilobytes) * 1024 * processors)
        declared = job['limit'] if job['limit'] > 0 else None
        value = {'user': job['user'], 'account': job['group'], 'queue': job['queue'], 'nothing': -1}[by]
        group = 'default' if value < 0 else {'user': 'user', 'account': 'group', 'queue': 'queue'}[by] + str(value)
        most = max(most, processors)
        most_memory = max(most_memory, -(-memory // processors))
        kept.append((clock, line(number, group, clock, rigid((declared, processors, 1, memory, 0, job['ran']), parallel, cpu_only))))
    if not kept:
        return None
    cluster = 'none'
    if head:
        pool = max(head, most)
        cluster = '1*cpu=%d' % pool + (',mem=%d' % (most_memory * pool) if most_memory and not cpu_only else '')
    return [text for _, text in sorted(kept, key=lambda item: item[0])] + ['cluster ' + cluster]


# ---- Slurm ----

def sacct(rng):
    zero = datetime.datetime(2023, rng.randrange(1, 13), rng.randrange(1, 29), 23, 59, 30)
    columns = ['JobID', 'Submit', 'User', 'Account', 'Partition', 'State', 'Timelimit', 'NNodes', 'JobName']
    columns += rng.choice([['Elapsed'], ['ElapsedRaw'], ['Start', 'End'], ['Elapsed', 'Start', 'End']])
    columns += rng.choice([['AllocCPUS'], ['NCPUS'], ['AllocTRES'], ['AllocTRES', 'AllocCPUS', 'ReqMem'], ['ReqCPUS', 'ReqMem']])
    columns += rng.choice([[], ['Eligible']])
    rng.shuffle(columns)
    mark, last = rng.choice('|,;'), rng.choice(['', 'last'])
    if mark == ',' and 'AllocTRES' in columns:
        mark = '|'
    lines, jobs, moment = [mark.join(columns) + (mark if last else '')], [], zero
    for number in range(1, rng.randrange(2, 60)):
        moment += datetime.timedelta(seconds=rng.choice([0, 1, rng.randrange(200000)]))
        state = rng.choice(['COMPLETED'] * 5 + ['FAILED', 'TIMEOUT', 'CANCELLED by 7', 'RUNNING', 'PENDING', 'CANCELLED', 'OUT_OF_MEMORY'])
        ran = 0 if state == 'PENDING' else rng.choice([0, rng.randrange(100), rng.randrange(300000)])
        cpus, nodes, gpus, memory = rng.randrange(1, 300), rng.randrange(1, 9), rng.choice([0, 0, 3]), rng.randrange(0, 10 ** 6)
        limit = rng.choice([None, rng.randrange(1, 10 ** 6)])
        eligible = moment + datetime.timedelta(seconds=rng.choice([0, 0, rng.randrange(5000)]))
        start = eligible + datetime.timedelta(seconds=5)
        days, rest = divmod(limit or 0, 86400)
        clock = '%02d:%02d:%02d' % (rest // 3600, rest // 60 % 60, rest % 60)
        ranged = '%02d:%02d:%02d' % (ran % 86400 // 3600, ran // 60 % 60, ran % 60)
        values = {
            'JobID': str(number) + rng.choice(['', '_4', '+1']), 'Submit': moment.isoformat(),
            'Eligible': rng.choice(['Unknown', 'None']) if state == 'PENDING' else eligible.isoformat(), 'User': rng.choice(['', 'ann', 'böb']),
            'Account': rng.choice(['', 'phys', 'bio']), 'Partition': rng.choice(['gpu', 'cpu,gpu' if mark != ',' else 'cpu']), 'State': state,
            'Timelimit': rng.choice(['UNLIMITED', '', 'Partition_Limit']) if limit is None else '%d-%s' % (days, clock) if days else clock,
            'NNodes': str(nodes), 'JobName': rng.choice(['x', 'a b']), 'Elapsed': '%d-%s' % (ran // 86400, ranged) if ran >= 86400 else ranged,
            'ElapsedRaw': str(ran), 'Start': rng.choice(['Unknown', 'None']) if state == 'PENDING' else start.isoformat(),
            'End': 'Unknown' if state in ('PENDING', 'RUNNING') else (start + datetime.timedelta(seconds=ran)).isoformat(),
            'AllocCPUS': str(cpus), 'NCPUS': str(cpus), 'ReqCPUS': str(cpus), 'ReqMem': '%dM%s' % (memory, rng.choice(['', 'n', 'c']))}
        values['AllocTRES'] = ','.join(['billing=9', 'cpu=%d' % cpus] + (['gres/gpu=%d' % gpus] if gpus else [])
                                       + (['mem=%dM' % memory] if memory else []) + ['node=%d' % nodes])
        lines.append(mark.join(values[column] for column in columns) + (mark if last else ''))
        if rng.random() < 0.3:  # a step
            lines.append(mark.join({**values, 'JobID': values['JobID'] + '.batch'}[column] for column in columns) + (mark if last else ''))
        jobs.append((eligible if 'Eligible' in columns else moment, values, state, ran, cpus, nodes, gpus, memory, limit))
    return '\n'.join(lines) + '\n', jobs, columns


def expect_sacct(made, parallel, by, completed, cpu_only):
    _, jobs, columns = made
    kept = []
    for moment, values, state, ran, cpus, nodes, gpus, memory, limit in jobs:
        if state in ('RUNNING', 'PENDING') or (state.startswith('CANCELLED') and ran == 0) or (completed and state != 'COMPLETED'):
            continue
        size = 0
        if 'AllocTRES' in columns:
            size = memory << 20
        if size == 0 and 'ReqMem' in columns:
            size = (memory << 20) * {'n': nodes, 'c': cpus}.get(values['ReqMem'][-1], 1)
        group = {'user': values['User'], 'account': values['Account'], 'queue': values['Partition'], 'nothing': ''}[by] or 'default'
        stage = rigid((limit, cpus, nodes, size, gpus if 'AllocTRES' in columns else 0, ran), parallel, cpu_only)
        kept.append((moment, values['JobID'], group, stage))
    if not kept:
        return None
    first = min(moment for moment, *_ in kept)
    kept = [(int((moment - first).total_seconds()), *job) for moment, *job in kept]
    return [line(ident, group, at, stage) for at, ident, group, stage in sorted(kept, key=lambda job: job[0])] + ['cluster none']


# ---- Spark ----

def expect_spark(text, by, completed, cpu_only):
    events = [json.loads(row) for row in text.splitlines()]
    of = lambda name: [event for event in events if event['Event'] == 'SparkListener' + name]  # noqa: E731
    owner, parents, cores, memory = {}, {}, {}, {}
    for job in of('JobStart'):
        for stage in job['Stage Infos']:
            owner.setdefault(stage['Stage ID'], job['Job ID'])
            parents.setdefault(stage['Stage ID'], stage['Parent IDs'])
    ran = {event['Stage Info']['Stage ID'] for event in of('StageSubmitted') + of('StageCompleted')}
    best, peak = {}, {}
    for event in of('TaskEnd'):
        if event['Task End Reason']['Reason'] != 'Success':
            continue
        info, stage = event['Task Info'], event['Stage ID']
        ran.add(stage)
        end = info['Getting Result Time'] or info['Finish Time']
        best.setdefault(stage, {}).setdefault(info['Partition ID'], F(end - info['Launch Time'], 1000))
        peak[stage] = max(peak.get(stage, 0), event['Task Metrics']['Peak Execution Memory'])
    ends = {event['Job ID']: event['Job Result']['Result'] for event in of('JobEnd')}
    user = [event['User'] for event in of('ApplicationStart')]
    jobs = []
    for job in of('JobStart'):
        stages = sorted(stage for stage in ran if owner[stage] == job['Job ID'])
        if not stages or job['Job ID'] not in ends or (completed and ends[job['Job ID']] != 'JobSucceeded'):
            continue
        rows = []
        for stage in stages:
            times = [best[stage][partition] for partition in sorted(best[stage])] if stage in best else [F(0)]
            mean = F(int(sum(times) * 10 ** 9 / len(times) + F(1, 2)), 10 ** 9)
            rows.append(('stage%d' % stage, mean, [('cpu', int(stage in best)), ('mem', 0 if cpu_only else peak.get(stage, 0))], times))
        edges = [('stage%d' % parent, 'stage%d' % stage) for stage in stages for parent in parents[stage] if parent in stages]
        jobs.append((job['Submission Time'], job['Job ID'], rows, edges))
    if not jobs:
        return None
    group = user[0] if by == 'user' and user else 'default'
    for event in of('ExecutorAdded'):
        cores[event['Executor ID']] = event['Executor Info']['Total Cores']
    for event in of('BlockManagerAdded'):
        memory[event['Block Manager ID']['Executor ID']] = event['Maximum Memory']
    cluster = ' '.join('1*cpu=%d,mem=%d' % (cores[one], memory[one]) for one in cores) or 'none'
    first = min(at for at, *_ in jobs)
    return [line('job%d' % ident, group, F(at - first, 1000), rows, edges) for at, ident, rows, edges in sorted(jobs, key=lambda job: job[0])] \
        + ['cluster ' + cluster]


def shuffled_tasks(text, rng):
    """The log with its tasks' events in another order; who succeeds first in a partition stays first."""
    rows = text.splitlines()
    places = [k for k, row in enumerate(rows) if '"SparkListenerTaskEnd"' in row]
    taken = [rows[k] for k in places]
    rng.shuffle(taken)
    for k, row in zip(places, taken):
        rows[k] = row
    return '\n'.join(rows) + '\n'


# ---- The comparison ----

class Check:
    def __init__(self, program, folder):
        self.program, self.path, self.compared, self.refused = program, pathlib.Path(folder) / 'log', 0, 0

    def hold(self, what, text, expected, *options):
        self.path.write_text(text)
        done = subprocess.run([self.program, self.path, *options], capture_output=True, text=True)
        if expected is None:
            assert done.returncode == 3 and 'no job' in done.stdout, (what, options, done.stdout)
            self.refused += 1
            return
        got = done.stdout.splitlines()
        if got != expected:
            print('--- %s %s' % (what, ' '.join(options)))
            for mine, theirs in itertools.zip_longest(expected, got):
                if mine != theirs:
                    print('expected %s\n     got %s' % (mine, theirs))
                    break
            sys.exit(1)
        self.compared += 1


def main():
    program, root = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        check = Check(program, folder)
        for seed in range(120):
            rng = random.Random(seed)
            parallel, by = rng.choice(['pool', 'tasks', 'nodes']), rng.choice(['user', 'account', 'queue', 'nothing'])
            completed, cpu_only = rng.random() < 0.3, rng.random() < 0.2
            flags = ['completed'] * completed + ['cpu'] * cpu_only
            made = sacct(rng)
            check.hold('sacct %d' % seed, made[0], expect_sacct(made, parallel, by, completed, cpu_only), parallel, by, *flags)
            parallel = 'pool' if parallel == 'nodes' else parallel
            made = swf(rng)
            check.hold('swf %d' % seed, made[0], expect_swf(made, parallel, by, completed, cpu_only), parallel, by, *flags)
        logs = [*sorted((root / 'tests/data/spark').glob('*.log')), root / 'examples/star-join.log']
        assert len(logs) == 5, logs
        rng = random.Random(1)
        for path in logs:
            whole = path.read_text()
            rows = whole.splitlines(keepends=True)
            cuts = [''.join(rows[:k]) for k in sorted(rng.sample(range(1, len(rows)), 12))]
            for number, text in enumerate([whole, shuffled_tasks(whole, rng), *cuts]):
                by, flags = rng.choice(['user', 'nothing']), ['completed'] * (number % 3 == 1) + ['cpu'] * (number % 4 == 3)
                check.hold('%s %d' % (path.name, number), text, expect_spark(text, by, 'completed' in flags, 'cpu' in flags), 'pool', by, *flags)
        print('%d logs alike, %d without a job' % (check.compared, check.refused))
        assert check.compared > 200


if __name__ == '__main__':
    main()
