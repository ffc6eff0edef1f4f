"""Plans jobs of many tasks on clusters, by libbigrocks.

    import bigrocks

    job = bigrocks.Job('etl')
    load = job.stage('load', tasks=4, seconds=12.5, cpu=1, mem='2147483648')
    join = job.stage('join', seconds=30, cpu=2)
    job.edge(load, join)
    plan = bigrocks.plan(job, bigrocks.Cluster(node=(2, {'cpu': 4, 'mem': '8589934592'})))
    print(plan.makespan, plan.lower_bound)
    for task in plan:
        print(task.id, task.start, task.machine)

Times are seconds. Amounts are numbers or decimal strings, which are kept exactly. The library is
$BIGROCKS_LIBRARY, else the installed libbigrocks.so.0.
"""
from ._bounds import Bound, best_bound, bound
from ._enforcer import Decision, Enforcer, policies
from ._errors import Error, InputError, Refused, SystemFault, UsageError
from ._job import Cluster, Job
from ._library import version
from ._plan import Plan, Slack, Task, Transfer, methods, plan
from ._program import Ran, Read
from ._store import Store, StoreHit
from ._tools import history, read, render, run, simulate

__all__ = ['Bound', 'Cluster', 'Decision', 'Enforcer', 'Error', 'InputError', 'Job', 'Plan', 'Ran', 'Read', 'Refused',
           'Slack', 'Store', 'StoreHit', 'SystemFault', 'Task', 'Transfer', 'UsageError', 'best_bound', 'bound',
           'dask_cluster', 'from_dask', 'history', 'methods', 'plan', 'policies', 'read', 'render', 'run', 'simulate',
           'version']


def from_dask(what, durations=None, resources=None, seconds=1, keys=None, name='dask'):
    """A job of what Dask would compute: a collection, several in a list or a dict, or a graph (with the `keys` of its
    results; by default those that nothing else waits for). It plans as any other; job.run(plan, client) runs it.

    `durations`: seconds by key or by name (the key without its token), a function of the key, or the records of
    client.get_task_stream(), which also tell how many bytes tasks hand on. What none of these knows lasts `seconds`.
    `resources`: demands by key or by name, {'load': {'cpu': 1, 'mem': '2GiB'}}, or a function; else {'cpu': 1}."""
    from . import _dask
    return _dask.DaskJob(what, durations, resources, seconds, keys, name)


def dask_cluster(client):
    """The cluster of a client of Dask's: a machine for each worker, with its threads as cpu, its memory limit as mem,
    and the resources that it declares."""
    from . import _dask
    return _dask.machines(Cluster(), client)
