#!/usr/bin/env python3
"""The Python binding, installed from the tree by pip where there is pip, else from its folder.

check_python.py SOURCE_ROOT LIBRARY
"""
import pathlib
import subprocess
import sys
import tempfile
import os

USE = '''
import json
from copy import copy as shallow, deepcopy as deep
from pickle import dumps as pickled
import bigrocks
assert bigrocks.version() == %r, bigrocks.version()
assert {'best', 'graphene', 'cp'} <= set(bigrocks.methods()), bigrocks.methods()
job = bigrocks.Job('etl')
load = job.stage('load', tasks=4, seconds=0.1, cpu=1, mem='0.5', durations={2: 0.3},
                 command='load {index}')
copy = job.stage('copy', tasks=4, seconds=1, cpu=0.5)
join = job.stage('join', seconds=2, cpu=2)
job.edge(load, copy, 'one-to-one')
job.edge(copy, join)
cluster = bigrocks.Cluster(node=(2, {'cpu': 2, 'mem': 1}))
seconds, method = bigrocks.bound(job, cluster)
assert seconds == 3.3 and method, (seconds, method)
best = bigrocks.best_bound(job, cluster, program=False)
assert best[:2] == (seconds, method) and best.program == 'not asked for', best
proof = json.loads(best.certificate)
assert proof['format'] == 'bigrocks-certificate/1' and proof['lower_bound'] == 3.3, proof
best = bigrocks.best_bound(job, cluster, time_limit=5, conflicts=0, program='/nonexistent/program')
assert best.seconds == 3.3 and best.program == 'not needed', best  # a quick plan is as short
five = bigrocks.Job('five')
for k, length in enumerate((3, 3, 2, 2, 2)):
    five.stage('s%%d' %% k, seconds=length, cpu=1)
best = bigrocks.best_bound(five, bigrocks.Cluster(node=(2, {'cpu': 1})), time_limit=5, conflicts=0, program='/nonexistent/program')
assert best.seconds == 6 and 'not found' in best.program, best
plan = bigrocks.plan(job, cluster, effort='fast', threads=1)
assert plan.makespan == 3.3 == plan.lower_bound and plan.gap == 0, plan.makespan
assert plan.note is None and plan.method and plan.bound_method
assert json.loads(plan.certificate)['lower_bound'] == plan.lower_bound
tasks = list(plan)
assert len(tasks) == len(plan) == 9 and [t.rank for t in tasks] == list(range(1, 10))
assert {t.id for t in tasks} >= {'load[0]', 'copy[3]', 'join'}
assert {t.machine for t in tasks} <= {'node[0]', 'node[1]'}
assert tasks[0].priority == 1 and all(t.subset in 'TSPC' for t in tasks)
at = {t.id: t for t in tasks}
assert all(at['copy[%%d]' %% i].start >= at['load[%%d]' %% i].end for i in range(4))
assert at['load[2]'].end - at['load[2]'].start == 0.3
assert list(bigrocks.plan(job, cluster, effort='fast', threads=2)) == tasks
bare = bigrocks.plan(job, cluster, method='cp', bound='none')
assert bare.certificate is None and bare.lower_bound <= plan.lower_bound and bare.bound_method == 'critical path', bare
assert bigrocks.plan(job, cluster, method='cp', bound='full').lower_bound == plan.lower_bound
# Two tasks put out 10 bytes each and two others take a half of it in: 20 x 1/2 x 1/2 bytes each way, at 5 a second; on
# one machine it would take 6 s and 6 s.
def moved(**rates):
    job, cluster = bigrocks.Job('moves'), bigrocks.Cluster(node=(2, {'cpu': 1}))
    put, take = job.stage('put', tasks=2, seconds=3, cpu=1), job.stage('take', tasks=2, seconds=3, cpu=1)
    pairs = job.stage('pairs', tasks=2, seconds=1, cpu=1)
    job.edge(put, take, bytes=20)
    job.edge(take, pairs, 'one-to-one', bytes=7)
    if rates:
        cluster.network(**rates)
    return job, cluster

plain = bigrocks.plan(*moved(), effort='fast')
# Two tasks that follow each other beside a longer one may be late together; the last of them alone.
# As a sequence, by id, and as people see it.
assert plan[-1] == tasks[-1] and plan[2:4] == tasks[2:4] and plan['load[2]'] == at['load[2]'] and tasks[0] in plan
assert repr(plan) == "<Plan of 'etl': 9 tasks, makespan 3.3 s, lower bound 3.3 s>", repr(plan)
assert repr(job) == "<Job 'etl': 9 tasks in 3 stages>" and repr(cluster) == '<Cluster: 2 x node (cpu 2, mem 1)>'
memory = bigrocks.Cluster(a=(1, {'mem': 25276502016}), b=(3, {'ram': '64GiB', 'disk': 2**30}), c=(1, {'Memory': 1000 << 20}))
assert repr(memory) == '<Cluster: 1 x a (mem 23.54 GiB), 3 x b (ram 64GiB, disk 1073741824), 1 x c (Memory 1000 MiB)>', repr(memory)
# What makes no sense is a UsageError that says what would.
def wrong_calls():
    new = bigrocks.Job('new')
    stage = new.stage('a', seconds=1)
    yield lambda: bigrocks.plan(job, cluster, effort='fastt'), 'take one of fast, default, max'
    yield lambda: bigrocks.plan(job, cluster, bound='some'), 'take one of none, cheap, full'
    yield lambda: bigrocks.plan(job, cluster, method='grafene'), "did you mean 'graphene'"
    yield lambda: bigrocks.plan(job, cluster, time_limit='soon'), 'such as 12.5'
    yield lambda: bigrocks.plan(job, cluster, time_limit=float('nan')), 'such as 12.5'
    yield lambda: job.stage('more'), 'make another job'
    yield lambda: new.stage('b', seconds='many'), 'such as 12.5'
    yield lambda: new.stage('c', cpu=[]), "such as '2GiB'"
    yield lambda: new.edge('a', stage), 'the number that Job.stage returned'
    yield lambda: new.edge(stage, stage, 'each'), 'take one of barrier, one-to-one'
    yield lambda: new.attribute('x', 'y', stage=stage, edge=0), ''
    for wrong in 7, -1, 'a', None:
        yield lambda: new.edge(stage, wrong), 'the number that Job.stage returned'
        yield lambda: new.demand(wrong, 'cpu', 1), 'the number that Job.stage returned'
    yield lambda: new.attribute('x', 'y', stage=-1), 'the number that Job.stage returned'
    yield lambda: new.attribute('x', 'y', edge=0), 'the number that Job.edge returned'
    yield lambda: new.edge(stage, stage, bytes=0.5), ''
    # A copy would release what it holds a second time.
    for owner in job, cluster, plan, new, bigrocks.Enforcer(cluster):
        for copied in shallow, deep, pickled:
            yield lambda: copied(owner), 'to_xml or to_json'
    assert repr(new) == "<Job 'new': 1 tasks in 1 stages>" and not new._edges, new
for call, hint in wrong_calls():
    try:
        call()
        raise AssertionError(hint)
    except bigrocks.UsageError as error:
        assert hint in error.hint, (hint, error)
for key, kind in ((9, IndexError), (1.5, TypeError), (-10, IndexError), ('load[9]', KeyError)):
    try:
        plan[key]
        raise AssertionError(key)
    except kind:
        pass
late, two = bigrocks.Job('late'), bigrocks.Cluster(m=(1, {'cpu': 2}))
late.stage('long', seconds=10, cpu=1)
late.edge(late.stage('first', seconds=3, cpu=1), late.stage('second', seconds=4.5, cpu=1))
late = bigrocks.plan(late, two)
assert {task.id: tuple(slack) for task, slack in zip(late, late.slack)} == {
    'long': (0, 0), 'first': (2.5, 0), 'second': (2.5, 2.5)}, late.slack

assert plain.transfers is None and plain.network_bound is None and plain.makespan == 7
carried = bigrocks.plan(*moved(up=5), network=True)
assert carried.makespan == 8 and carried.lower_bound == 7 and 7 <= carried.network_bound <= 8, carried.network_bound
assert sorted(carried.transfers) == [
    bigrocks.Transfer(0, 1, None, a, b, 5, 3, 4, [(3, 4, 5)]) for a, b in (('node[0]', 'node[1]'), ('node[1]', 'node[0]'))]
# Down is the slower way: 5 bytes at 2 a second.
slow = bigrocks.plan(*moved(up=5, down=2, name='node'), network=True)
assert slow.makespan == 9.5 and {t.end - t.start for t in slow.transfers} == {2.5}, slow.transfers
# Pairs move alone where one machine is for one stage.
split, both = bigrocks.Job('pairs'), bigrocks.Cluster(a=(1, {'x': 2}), b=(1, {'y': 2}))
one, two_ = split.stage('one', tasks=2, seconds=1, x=1), split.stage('two', tasks=2, seconds=1, y=1)
split.edge(one, two_, 'one-to-one', bytes=8)
both.network(4, name='a')
both.network(100, name='b')
pairs = bigrocks.plan(split, both, network=True, effort='fast')
assert sorted(t.index for t in pairs.transfers) == [0, 1] and {(t.source, t.target, t.bytes) for t in pairs.transfers} == {
    ('a', 'b', 4)}
assert pairs.makespan == 4 and sum(r * (e - s) for t in pairs.transfers for s, e, r in t.rates) == 8, pairs.transfers
# Four parts come to two, and others need their neighbours, too.
coalesce, wide = bigrocks.Job('coalesce'), bigrocks.Cluster(m=(1, {'cpu': 10}))
parts = coalesce.stage('parts', tasks=4, seconds=1, durations={3: 5}, cpu=1)
coalesce.edge(parts, coalesce.stage('half', tasks=2, seconds=1, cpu=1), 'range')
coalesce.edge(parts, coalesce.stage('near', tasks=4, seconds=1, cpu=1), 'range', overlap=1)
some = bigrocks.plan(coalesce, wide)
assert [some[id].start for id in ('half[0]', 'half[1]', 'near[0]', 'near[1]', 'near[2]', 'near[3]')] == [1, 5, 1, 1, 5, 5], list(some)
assert coalesce.to_xml().count('type="range"') == 2 and 'overlap="1"' in coalesce.to_xml(), coalesce.to_xml()
try:
    split.edge(one, two_, overlap=1)
except bigrocks.UsageError:
    pass
else:
    assert False
for wrong, kind in ((lambda: bigrocks.plan(*moved(), network=True), bigrocks.Error),
                    (lambda: moved(up=0), bigrocks.Error), (lambda: moved(up=1.5), ValueError),
                    (lambda: moved(up=1, name='other'), bigrocks.UsageError)):
    try:
        wrong()
    except kind as error:
        assert kind != bigrocks.Error or error.status in (2, 3), error.status
    else:
        assert False, wrong
import os, tempfile

def again(scale=1, tasks=4):
    job = bigrocks.Job('etl')
    load = job.stage('load', tasks=tasks, seconds=0.5 * scale, cpu=1)
    job.edge(load, job.stage('join', seconds=2 * scale, cpu=2))
    return job

with tempfile.TemporaryDirectory() as folder:
    try:
        store = bigrocks.Store(os.path.join(folder, 'plans.db'))
    except bigrocks.Error as error:
        assert error.status == 5 and 'keeps no plans' in error.what, error
        store = None
    if store:
        assert store and len(store) == 0 and store.get(again(), cluster) is None
        first = store.plan(again(), cluster, effort='fast', threads=1)
        assert first.hit.match == 'miss' and first.hit.fresh == first.makespan == 2.5, first.hit
        found = store.get(again(), cluster)
        assert found.hit.match == 'exact' and found.hit.enough and list(found) == list(first), found.hit
        slower = store.get(again(3), cluster)
        assert slower.hit == ('refitted', False, True, 2.5, slower.makespan, True, 0), slower.hit
        assert slower.makespan == 7.5 and len(store) == 1, slower.makespan
        other = bigrocks.plan(again(tasks=5), cluster, effort='fast')
        store.put(other)
        assert other.hit is None and len(store) == 2
        assert list(store.get(again(tasks=5), cluster)) == list(other)
        store.close()
        try:
            store.put(other)
            raise AssertionError('a closed store takes a plan')
        except bigrocks.UsageError as error:
            assert 'open it again' in error.hint, error
        with bigrocks.Store(os.path.join(folder, 'plans.db')) as store:
            assert len(store) == 2
        open(os.path.join(folder, 'text'), 'w').write('words ' * 100)
        try:
            bigrocks.Store(os.path.join(folder, 'text'))
            raise AssertionError('a text is a store')
        except bigrocks.Error as error:
            assert error.status == 3, error
# Two jobs on one processor: the short one first, unless the long one weighs more.
for objective, weight, mean in (('mean', 1, 6), ('weighted', 11, 10.083333333)):
    both = bigrocks.Job('both')
    both.weight(both.stage('long', seconds=10, cpu=1), weight)
    both.stage('short', seconds=1, cpu=1)
    both = bigrocks.plan(both, bigrocks.Cluster(m=(1, {'cpu': 1})), objective=objective)
    assert (both.makespan, both.objective, both.mean, both.mean_bound) == (11, objective, mean, mean), both.mean
assert plan.objective == 'makespan' and plan.mean is None is plan.mean_bound
assert {'graphene', 'order', 'packing'} <= set(bigrocks.policies()), bigrocks.policies()

def drive(enforcer, numbers):
    """Runs all to their ends, each task for a second; the jobs of the starts, in their order."""
    starts, now = [], 0
    while decisions := enforcer.decide(now):
        starts += [d.job for d in decisions]
        now += 1
        for d in decisions:
            enforcer.finished(d.job, d.task)
    assert all(enforcer.state(n)['finished'] == sum(enforcer.state(n).values()) for n in numbers)
    return starts

def two(**options):
    jobs = [bigrocks.Job('j%%d' %% k) for k in range(2)]
    for each in jobs:
        each.stage('s', tasks=40, seconds=1, cpu=1)
    enforcer = bigrocks.Enforcer(bigrocks.Cluster(node=(1, {'cpu': 2})), kappa=0.01, **options)
    numbers = [enforcer.submit(each, group=g) for each, g in zip(jobs, 'ab')]
    return drive(enforcer, numbers)[:30].count(numbers[0])

# Shares are as the weights, and without weights equal.
assert 14 <= two() <= 16 and 23 <= two(groups={'a': 4}) <= 25 and 5 <= two(groups={'b': 4}) <= 7
# One job under its plan: in the plan's order, and no more at once than there is.
try:
    bigrocks.Enforcer(cluster, overbook={'cpu': 150})
    assert False, 'not declared fungible'
except bigrocks.Error as error:
    assert error.status == 2 and 'not declared fungible' in str(error), error
cluster.fungible('cpu')
enforcer = bigrocks.Enforcer(cluster, policy='order', eta=0, remote_penalty=1, fairness='slots', bundle=4,
                             keep_plan=False, overbook={'cpu': 100})
number = enforcer.submit(job, plan)
first = enforcer.decide(0)
assert len(first) == 4 and enforcer.used('mem') == 1 and enforcer.used('cpu', 0) == 1, first
assert enforcer.state(number) == {'waiting': 5, 'ready': 0, 'running': 4, 'finished': 0, 'failed': 0}
enforcer.failed(number, first[0].task, again=True)
assert [d.task for d in enforcer.decide(1)] == [first[0].task]
enforcer.report(1, 'cpu', 0)
enforcer.close(number)
assert enforcer.state(number)['failed'] == 5
enforcer.retire(number)
assert sum(enforcer.state(number).values()) == 0 and enforcer.deficit() == 0
for wrong in ({'policy': 'none'}, {'kappa': 0}, {'remote_penalty': 2}, {'eta': -1}, {'bundle': 0},
              {'overbook': {'mem': 150}}, {'groups': {'g': 0}}):
    try:
        bigrocks.Enforcer(cluster, **wrong)
    except bigrocks.Error as error:
        assert error.status == 2, error.status
    else:
        assert False, wrong
for change in (lambda: job.stage('late'), lambda: cluster.fungible('mem'), lambda: cluster.fungible('nte'),
               lambda: bigrocks.Job('x').edge(0, 1),
               lambda: bigrocks.plan(job, cluster, method='none'),
               lambda: bigrocks.plan(bigrocks.Job(), cluster),
               lambda: bigrocks.plan(job, bigrocks.Cluster(node=(1, {'cpu': 1})))):
    try:
        change()
    except (ValueError, bigrocks.Error) as error:
        assert str(error)
    else:
        assert False, 'accepted'
print(bigrocks.__file__)
'''


def main():
    root, library = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    sys.path.insert(0, str(root / 'python'))
    import backend
    version = backend._version()
    environment = dict(os.environ, BIGROCKS_LIBRARY=str(library), PYTHONDONTWRITEBYTECODE='1')
    with tempfile.TemporaryDirectory(prefix='bigrocks-python') as scratch:
        target = pathlib.Path(scratch) / 'installed'
        pip = subprocess.run([sys.executable, '-m', 'pip', '--version'], capture_output=True)
        if pip.returncode == 0:
            subprocess.run([sys.executable, '-m', 'pip', 'install', '-q', '--no-index',
                            '--config-settings', 'library=no',
                            '--disable-pip-version-check', '--root-user-action', 'ignore',
                            '--target', str(target), str(root)], check=True, env=environment)
        else:
            print('pip is not there; the folder is used as it is')
            target = root / 'python'
        done = subprocess.run([sys.executable, '-c', USE % version], text=True, cwd=scratch,
                              env=dict(environment, PYTHONPATH=str(target)),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        print(done.stdout)
        return done.returncode


if __name__ == '__main__':
    sys.exit(main())
