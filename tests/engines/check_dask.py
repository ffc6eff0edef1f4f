#!/usr/bin/env python3
"""`bigrocks.from_dask` with the real Dask: jobs of graphs and collections, and plans followed on a live cluster.

check_dask.py LIBRARY

The tests run in the environment that has Dask, with the package of this tree.

Tasks run as threads of this very process, so that they tell each other when they begin and end; none but `slow`
waits by a clock.
"""
import operator
import pathlib
import random
import sys
import threading
import time

import python_tools


class Record:
    """What begins and ends; and a meeting, at which tasks wait until an even number has begun."""

    def __init__(self):
        self.told, self.change, self.begun = [], threading.Condition(), 0

    def begin(self, name, meet=False):
        with self.change:
            self.told.append(('begin', name))
            self.begun += 1
            enough = self.begun + self.begun % 2
            self.change.notify_all()
            if meet:
                assert self.change.wait_for(lambda: self.begun >= enough, timeout=60)

    def end(self, name):
        with self.change:
            self.told.append(('end', name))

    def order(self):
        return [name for what, name in self.told if what == 'begin']


record = Record()


def work(name, *parents, meet=False):
    record.begin(name, meet)
    record.end(name)
    return (name, *(parent[0] for parent in parents))


def together(name, *parents):
    return work(name, *parents, meet=True)


def slow(name, *parents):
    time.sleep(0.1)
    return work(name, *parents)


def client_of(threads, **resources):
    from distributed import Client, LocalCluster
    return Client(LocalCluster(n_workers=1, threads_per_worker=threads, processes=False, dashboard_address=':0',
                               resources=resources, silence_logs=40))


def random_graph(rng, size):
    """A graph as Dask took them first, and what waits for what."""
    names = [('part', k) if rng.random() < 0.5 else 'one-%d' % k for k in range(size)]
    waits = {name: rng.sample(names[:k], min(k, rng.randrange(3))) for k, name in enumerate(names)}
    rows = [(name, (work, 'n:%s' % (name,), *parents)) for name, parents in waits.items()]
    rng.shuffle(rows)
    return dict(rows), waits


def graphs_become_jobs():
    """Edges, durations and demands are the graph's; data and names for others take nothing."""
    import bigrocks
    rng = random.Random(3)
    for _ in range(200):
        graph, waits = random_graph(rng, rng.randrange(1, 15))
        seconds = {name: rng.randrange(9) for name in waits if rng.random() < 0.5}
        job = bigrocks.from_dask(graph, durations={**seconds, 'one': 20}, seconds=7,
                                 resources={'part': {'io': 2, 'cpu': 1}})
        assert sorted(map(str, job.keys)) == sorted(map(str, waits))
        edges = {(job.keys[child], job.keys[parent]) for parent, child, *_ in job._edges}
        assert edges == {(child, parent) for child, parents in waits.items() for parent in parents}
        for key, stage in zip(job.keys, job._stages):
            part = isinstance(key, tuple)
            assert stage['id'] == str(key)
            assert float(stage['duration']) == seconds.get(key, 7 if part else 20), stage
            assert stage['demands'] == ({'io': '2', 'cpu': '1'} if part else {'cpu': '1'}), stage
    job = bigrocks.from_dask({'a': 5, 'b': 'a', 'c': (operator.add, 'b', 1), 1: (operator.neg, 2),
                              '1': (operator.neg, 3)})
    assert [(s['id'], s['duration'], s['demands']) for s in job._stages] == [
        ('1', '1', {'cpu': '1'}), ("1'", '1', {'cpu': '1'}), ('a', '0', {}), ('b', '0', {}), ('c', '1', {'cpu': '1'})]
    job = bigrocks.from_dask({'a': (len, 'x'), 'b': (len, 'y')}, durations=lambda key: 3 if key == 'a' else 4,
                             resources=lambda key: {'gpu': 1} if key == 'b' else {})
    assert [(s['duration'], s['demands']) for s in job._stages] == [('3', {}), ('4', {'gpu': '1'})]
    # Of a record, computing alone counts; of a task that failed, nothing.
    spans = [{'action': 'transfer', 'start': 1, 'stop': 9}, {'action': 'compute', 'start': 9, 'stop': 10.5}]
    job = bigrocks.from_dask({'a': (len, 'x'), 'b': (len, 'y')}, seconds=4, durations=[
        {'key': 'a', 'status': 'OK', 'nbytes': 5, 'startstops': spans},
        {'key': 'b', 'status': 'error', 'nbytes': 5, 'startstops': spans}])
    assert [s['duration'] for s in job._stages] == ['1.5', '4']


def collections_give_their_results():
    """What dask.compute gives, also of several collections; and durations of the run serve the next plan."""
    import bigrocks
    import dask
    import dask.bag
    double, add = dask.delayed(lambda x: 2 * x, name='double'), dask.delayed(sum, name='add')
    total = add([double(k, dask_key_name='double-%d' % k) for k in range(6)], dask_key_name='add-1')
    bag = dask.bag.from_sequence(range(10), npartitions=4).map(lambda x: x % 3).frequencies()
    with client_of(2) as client:
        client.get_task_stream()  # without a dashboard, it is kept from the first question on
        cluster = bigrocks.dask_cluster(client)
        assert '"cpu" amount="2"' in cluster.to_xml() and '"mem"' in cluster.to_xml()
        for what in (total, bag, [total, {'bag': bag, 'none': 1}], (total,)):
            job = bigrocks.from_dask(what, resources=lambda key: {'cpu': 1})
            got = job.run(bigrocks.plan(job, cluster, effort='fast'), client)
            assert got == dask.compute(what, scheduler='sync')[0], got
        assert total.compute(scheduler='sync') == 30
        records = client.get_task_stream()
        # Dask's own records: the sum of a task's computing, from what it tells.
        spent = {r['key']: sum(s['stop'] - s['start'] for s in r['startstops'] if s['action'] == 'compute')
                 for r in records}
        job = bigrocks.from_dask(total, durations=records, seconds=99)
        for key, stage in zip(job.keys, job._stages):
            assert abs(float(stage['duration']) - spent[key]) < 1e-8, (key, stage, spent)
        sizes = {r['key']: r['nbytes'] for r in records}
        assert {(job.keys[p], size) for p, _, _, size, *_ in job._edges} == {
            ('double-%d' % k, sizes['double-%d' % k]) for k in range(6)}
        # A task that never ran takes the median of those with its name.
        job = bigrocks.from_dask(double(9, dask_key_name='double-9'), durations=records)
        times = sorted(spent['double-%d' % k] for k in range(6))
        assert abs(float(job._stages[0]['duration']) - (times[2] + times[3]) / 2) < 1e-8


def starts_follow_the_plan():
    """On one thread tasks that are all ready start exactly as the plan has them. What a task makes ready when it
    ends, the worker hears of from the scheduler, later than it takes the next task: so tasks with parents only give
    their results here."""
    import bigrocks
    rng = random.Random(5)
    with client_of(1, cpu=1) as client:
        for round in range(6):
            graph = {('task', round, k): (work, 'n:%d' % k) for k in range(40)}
            job = bigrocks.from_dask(graph, durations={key: rng.randrange(1, 20) for key in graph})
            plan = bigrocks.plan(job, bigrocks.Cluster(node=(1, {'cpu': 1})), effort='fast', seed=round + 1,
                                 method=['random', 'best'][round % 2])
            record.__init__()
            job.run(plan, client)
            at = {stage['id']: graph[key][1] for stage, key in zip(job._stages, job.keys)}
            planned = [at[task.id] for task in plan]
            assert record.order() == planned != sorted(planned), (record.order(), planned)
        for round in range(6):
            graph, waits = random_graph(rng, 30)
            graph = {(('r', round), key): (work, 'n:%s' % (key,), *((('r', round), p) for p in waits[key]))
                     for key in graph}
            job = bigrocks.from_dask(graph, durations={key: rng.randrange(1, 20) for key in graph})
            results = job.run(bigrocks.plan(job, bigrocks.Cluster(node=(1, {'cpu': 1})), effort='fast'), client)
            wanted = {key for key in graph if not any(key[1] in parents for parents in waits.values())}
            assert results == {key: (graph[key][1], *('n:%s' % (p[1],) for p in graph[key][2:])) for key in wanted}


def limits_are_kept():
    """Twelve tasks that meet by twos on eight threads: no more than two have room, and two do run at once."""
    import bigrocks
    graph = {('load', k): (together, 'n:%d' % k) for k in range(12)}
    with client_of(8, io=3, mem=4 * 2**30) as client:
        job = bigrocks.from_dask(graph, resources={'load': {'io': 1.5, 'mem': '1GiB', 'cpu': 1}})
        plan = bigrocks.plan(job, bigrocks.Cluster(node=(1, {'cpu': 8, 'io': 3, 'mem': '4GiB'})), effort='fast')
        record.__init__()
        futures = job.run(plan, client, sync=False)
        client.gather(list(futures.values()))
    running, most = 0, 0
    for what, _ in record.told:
        running += 1 if what == 'begin' else -1
        most = max(most, running)
    assert len(record.told) == 24 and most == 2, (most, record.told)


def demands_do_not_overtake():
    """Tasks that demand a declared resource do not start before the others, which Dask sends one by one otherwise:
    then eleven of twelve copies are among the first thirteen."""
    import bigrocks
    graph = {('fit', k): (slow, 'n:fit') for k in range(12)}
    graph |= {('copy', k): (slow, 'n:copy') for k in range(12)}
    graph['model'] = (slow, 'n:model', *(('fit', k) for k in range(12)))
    with client_of(2, io=2) as client:
        job = bigrocks.from_dask(graph, durations={'fit': 1, 'copy': 1, 'model': 12},
                                 resources={'copy': {'cpu': 1, 'io': 1}, 'fit': {'cpu': 1}, 'model': {'cpu': 1}})
        plan = bigrocks.plan(job, bigrocks.dask_cluster(client), effort='fast')
        record.__init__()
        job.run(plan, client)
    first = record.order()[:13]
    assert first.count('n:copy') <= 4, record.order()


def what_is_wrong():
    import bigrocks

    def refused(kind, said, function):
        try:
            function()
        except kind as error:
            assert said in str(error), error
        else:
            assert False, said
    refused(bigrocks.UsageError, 'neither a graph nor a collection', lambda: bigrocks.from_dask(3))
    refused(bigrocks.UsageError, "no key 'z'", lambda: bigrocks.from_dask({'a': 1}, keys=['z']))
    refused(bigrocks.InputError, 'cycle', lambda: bigrocks.plan(
        bigrocks.from_dask({'a': (abs, 'b'), 'b': (abs, 'a')}, keys=['a']), bigrocks.Cluster(n=(1, {'cpu': 1}))))
    one, other = (bigrocks.from_dask({'a': (abs, 1)}, resources={'a': {'gpu': 2}}) for _ in range(2))
    plan = bigrocks.plan(one, bigrocks.Cluster(node=(1, {'gpu': 4})), effort='fast')
    with client_of(1, gpu=1) as client:
        refused(bigrocks.UsageError, 'of another job', lambda: other.run(plan, client))
        refused(bigrocks.UsageError, 'no worker declares gpu=2, which a demands', lambda: one.run(plan, client))
        wide = bigrocks.from_dask({'a': (abs, 1)}, resources={'a': {'cpu': 2}})
        refused(bigrocks.UsageError, 'no worker declares cpu=2', lambda: wide.run(
            bigrocks.plan(wide, bigrocks.Cluster(node=(1, {'cpu': 2})), effort='fast'), client))


TESTS = [graphs_become_jobs, collections_give_their_results, starts_follow_the_plan, limits_are_kept,
         demands_do_not_overtake, what_is_wrong]


def inside():
    for test in TESTS:
        print(test.__name__, test(), flush=True)


if __name__ == '__main__':
    # As a module, so that tasks are handed on by their names.
    python_tools.call_inside('check_dask', DASK_LOGGING__DISTRIBUTED='error',
                             BIGROCKS_LIBRARY=str(pathlib.Path(sys.argv[1]).resolve()))
