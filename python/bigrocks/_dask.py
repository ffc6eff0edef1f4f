"""Jobs of Dask's graphs, and plans of them on a live cluster of Dask's."""
import collections.abc
import statistics

from . import Job, UsageError


def _import_dask():
    """Makes what is used of Dask names of this module; it is not there where nobody asks for it."""
    global dask, FinalizeCompute, Alias, DataNode, convert_legacy_graph, collections_to_expr, unpack_collections
    global flatten, key_split, parse_bytes
    try:
        import dask
        from dask._expr import FinalizeCompute
        from dask._task_spec import Alias, DataNode, convert_legacy_graph
        from dask.base import collections_to_expr, unpack_collections
        from dask.core import flatten
        from dask.utils import key_split, parse_bytes
    except ImportError as error:
        raise ImportError('Dask 2025.4 or later is needed (pip install "dask[distributed]"): %s' % error) from error


def _materialize(what, keys):
    """The graph that Dask would run, the keys of its results, and what makes the user's results of these."""
    if isinstance(what, collections.abc.Mapping):  # also a HighLevelGraph
        graph = dict(what)
        if keys is None:
            wanted = {parent for node in convert_legacy_graph(graph).values() for parent in node.dependencies}
            keys = [key for key in graph if key not in wanted]
        missing = [key for key in keys if key not in graph]
        if missing:
            raise UsageError('the graph has no key %r' % (missing[0],), 'give keys of the graph, or none')
        return graph, list(keys), lambda values: dict(zip(keys, values))
    if keys is not None:
        raise UsageError('keys are for graphs; collections know theirs', 'leave them out')
    found, repack = unpack_collections(what)
    if not found:
        raise UsageError('%r is neither a graph nor a collection of Dask' % type(what).__name__,
                         'give dask.delayed, an array, a dict of tasks or the like, or several in a list')
    expression = FinalizeCompute(collections_to_expr(found)).optimize()
    return (dict(expression.__dask_graph__()), list(flatten(expression.__dask_keys__())),
            lambda values: repack(values)[0])


def _measured(records):
    """Seconds by key, of its last run, and by name the median of its keys; and bytes by key. The records are those of
    client.get_task_stream()."""
    seconds, names, sizes = {}, {}, {}
    for record in records:
        spans = [part for part in record['startstops'] if part['action'] == 'compute']
        if record.get('status', 'OK') != 'OK' or not spans:
            continue
        key = record['key']
        seconds[key] = sum(part['stop'] - part['start'] for part in spans)
        sizes[key] = int(record.get('nbytes') or 0)
    for key, time in seconds.items():
        names.setdefault(key_split(key), []).append(time)
    return {**{name: statistics.median(times) for name, times in names.items()}, **seconds}, sizes


def _of(table, key, otherwise):
    """What the table says of a key: by itself, else by its name, as Dask's dashboard has it."""
    if callable(table):
        return table(key)
    for name in (key, key_split(key)):
        if name in table:
            return table[name]
    return otherwise


class DaskJob(Job):
    """A job of a graph of Dask's. `keys` are Dask's, by stage; `graph` is what runs."""

    def __init__(self, what, durations=None, resources=None, seconds=1, keys=None, name='dask'):
        super().__init__(name)
        _import_dask()
        self.graph, self._results, self._finish_results = _materialize(what, keys)
        nodes = convert_legacy_graph(self.graph)
        sizes = {}
        if durations is not None and not callable(durations) and not isinstance(durations, collections.abc.Mapping):
            durations, sizes = _measured(durations)
        self.keys = sorted(nodes, key=str)
        number = {key: k for k, key in enumerate(self.keys)}
        ids = set()
        for key in self.keys:
            node, stage_id = nodes[key], str(key)
            while stage_id in ids:  # 1 and '1'
                stage_id += "'"
            ids.add(stage_id)
            data = isinstance(node, (Alias, DataNode))  # nothing to be computed
            self.stage(stage_id, seconds=0 if data else _of(durations or {}, key, seconds))
            for resource, amount in ({} if data else _of(resources or {}, key, {'cpu': 1})).items():
                self.demand(number[key], resource, amount)
        for key in self.keys:
            for parent in sorted(nodes[key].dependencies, key=str):
                if parent in number:
                    self.edge(number[parent], number[key], bytes=sizes.get(parent, 0))

    def run(self, plan, client, sync=True):
        """Lets the client's cluster run the graph in the order of the plan and within its resources. Returns what
        dask.compute would, or for a graph its results by key; without `sync` the futures by key, at once.

        A task that is ready starts before all ready ones behind it in the plan. Demands are kept by the resources
        that workers declare (dask worker --resources "mem=16e9"); cpu need not be declared where no task takes more than
        one, since a worker runs no more tasks than it has threads."""
        if plan._job is not self:
            raise UsageError('the plan is of another job', 'plan this one: bigrocks.plan(job, cluster)')
        workers = _workers(client)
        declared = [worker['resources'] for worker in workers.values()]
        at = {stage['id']: key for stage, key in zip(self._stages, self.keys)}
        priority = {at[task.id]: len(plan) - task.rank + 1 for task in plan}
        demands = {at[stage['id']]: self._demands(stage, declared) for stage in self._stages}
        # Of many tasks alike the scheduler sends one when a thread is free, but those that demand a resource at once,
        # so that these overtake the others on their worker. What may run on named workers is sent at once, too.
        together = {'workers': list(workers), 'allow_other_workers': True} if any(demands.values()) else {}
        # Functions of no module, so that a scheduler elsewhere needs nothing of this package.
        with dask.annotate(priority=lambda key: priority.get(key, 0),
                           resources=lambda key: demands.get(key, {}), **together):
            futures = client.get(self.graph, self._results, sync=False)
        if not sync:
            return dict(zip(self._results, futures))
        return self._finish_results(client.gather(futures))

    def _demands(self, stage, declared):
        """Those of a stage that Dask is to keep. An error where no worker has as much: the task would never start."""
        amounts = {resource: _number(amount) for resource, amount in stage['demands'].items()}
        amounts = {resource: amount for resource, amount in amounts.items() if amount > 0}
        if amounts.get('cpu', 0) <= 1 and not any('cpu' in worker for worker in declared):
            amounts.pop('cpu', None)
        fits = (all(worker.get(r, 0) >= amount for r, amount in amounts.items()) for worker in declared)
        if not any(fits):
            needs = ', '.join('%s=%g' % pair for pair in amounts.items())
            raise UsageError('no worker declares %s, which %s demands' % (needs, stage['id']),
                             'give workers more: dask worker --resources "%s"' % needs.replace(',', ''))
        return amounts


def _number(amount):
    """Of an amount as a job has it, such as 4GiB."""
    try:
        return float(amount)
    except ValueError:
        return float(parse_bytes(amount))


def _workers(client):
    try:
        return client.scheduler_info(n_workers=-1)['workers']
    except TypeError:  # before 2025.4 all were told
        return client.scheduler_info()['workers']


def machines(cluster, client):
    """Adds the client's workers to the cluster: a machine each, with threads as cpu and what they declare."""
    for number, worker in enumerate(_workers(client).values()):
        capacities = {'cpu': worker['nthreads'], **worker['resources']}
        if worker.get('memory_limit'):
            capacities.setdefault('mem', worker['memory_limit'])
        cluster.machines('worker%d' % number, 1, **capacities)
    return cluster
