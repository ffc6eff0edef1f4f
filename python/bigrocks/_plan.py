"""Plans of jobs."""
import collections
import ctypes
import operator

from . import _program
from ._errors import Error, UsageError
from ._library import (ANY, Owner, TaskSlack, call, free_text, handle, lib, limit_ns, one_of, set_option, text, text_of)


def methods():
    """Names of the planning methods."""
    names = []
    while (name := lib.br_method_name(len(names))) is not None:
        names.append(name.decode())
    return names


Task = collections.namedtuple('Task', 'id start end machine rank priority subset')
# Stages as Job.stage numbers them; the index of a pair of tasks, None over a barrier; names of machines; rates are
# (start, end, bytes a second).
Transfer = collections.namedtuple('Transfer', 'parent child index source target bytes start end rates')
Slack = collections.namedtuple('Slack', 'total free')


def certificate_json(certificate, dag):
    """As JSON; None where there is none."""
    if not certificate:
        return None
    text = lib.br_certificate_text(certificate, dag)
    if not text:
        raise MemoryError
    try:
        return ctypes.string_at(text).decode()
    finally:
        free_text(text)


class Plan(Owner):
    """A plan: a sequence of its tasks by rank, in which a task is also found by its id. A notebook shows it as a
    picture. Keeps its job and its cluster. `hit` is what a store had
    of it; None where it came of none."""

    def __init__(self, plan, job, cluster, options=None, hit=None):
        self._plan, self._job, self._cluster, self._options, self.hit = plan, job, cluster, options, hit

    def __del__(self):
        if getattr(self, '_plan', None):
            lib.br_plan_destroy(self._plan)

    def __len__(self):
        return lib.br_plan_task_count(self._plan)

    def __getitem__(self, k):
        if isinstance(k, slice):
            return [self[i] for i in range(*k.indices(len(self)))]
        if isinstance(k, str):
            found = next((task for task in self if task.id == k), None)
            if found is None:
                raise KeyError(k)
            return found
        k = operator.index(k)
        if not -len(self) <= k < len(self):
            raise IndexError(k)
        k %= len(self)
        task = lib.br_plan_at(self._plan, k)
        return Task(text_of(lib.br_dag_task_id, self._job._dag, task.task), task.start_ns / 1e9,
                    task.end_ns / 1e9,
                    text_of(lib.br_cluster_machine_name, self._cluster._cluster, task.machine),
                    task.rank, task.priority, task.subset.decode())

    def __iter__(self):
        return (self[k] for k in range(len(self)))

    def __repr__(self):
        return '<Plan of %r: %d tasks, makespan %s s, lower bound %s s>' % (
            self._job.name, len(self), self.makespan, self.lower_bound)

    def _repr_svg_(self):
        try:
            return _program.call('render', '-', '--format', 'svg', input=self.to_json()).stdout
        except Error:  # the program is not there; the text does
            return None

    makespan = property(lambda self: lib.br_plan_makespan_ns(self._plan) / 1e9)
    lower_bound = property(lambda self: lib.br_plan_lower_bound_ns(self._plan) / 1e9)
    bound_method = property(lambda self: lib.br_plan_bound_method(self._plan).decode())
    gap = property(lambda self: lib.br_plan_gap(self._plan))
    method = property(lambda self: lib.br_plan_method(self._plan).decode())

    @property
    def objective(self):
        """What the plan was made for."""
        return list(_OBJECTIVES)[self._options.objective if self._options else 0]

    @property
    def mean(self):
        """Of a plan for another objective than the makespan, the mean that it comes to, in seconds; else None."""
        return lib.br_plan_mean_ns(self._plan) / 1e9 if self.objective != 'makespan' else None

    @property
    def mean_bound(self):
        """No plan's `mean` is below it; None as of `mean`. It has no certificate."""
        return lib.br_plan_mean_bound_ns(self._plan) / 1e9 if self.objective != 'makespan' else None

    @property
    def certificate(self):
        """The proof of `lower_bound` as JSON (docs/certificates.md); None where the plan has none. to_json() has it,
        too, with the job, as 'bigrocks check --certificate' reads it."""
        return certificate_json(lib.br_plan_certificate(self._plan), self._job._dag)

    @property
    def slack(self):
        """By rank, by how many seconds the task may start later without the makespan growing: `total` if what
        waits for it moves along, `free` if nothing else moves."""
        slack = (TaskSlack * len(self))()
        call(lib.br_plan_slack, self._plan, self._job._dag, self._cluster._cluster, slack)
        by_rank = (slack[lib.br_plan_at(self._plan, k).task] for k in range(len(self)))
        return [Slack(s.total_ns / 1e9, s.free_ns / 1e9) for s in by_rank]

    @property
    def alternatives(self):
        """By rank, the id of the alternative by which the task runs; None where its stage has none."""
        tasks = [lib.br_plan_at(self._plan, k).task for k in range(len(self))]
        ids = (lib.br_dag_alternative_id(self._job._dag, lib.br_dag_task_stage(self._job._dag, task),
                                         lib.br_plan_alternative(self._plan, task)) for task in tasks)
        return [id and id.decode() for id in ids]

    @property
    def network_bound(self):
        """No plan that moves its bytes takes fewer seconds; None in a plan without `network`."""
        return lib.br_plan_network_bound_ns(self._plan) / 1e9 if lib.br_plan_has_network(self._plan) else None

    @property
    def transfers(self):
        """What moves between machines, by its start; None in a plan without `network`."""
        if not lib.br_plan_has_network(self._plan):
            return None
        moved = []
        for k in range(lib.br_plan_transfer_count(self._plan)):
            t = lib.br_plan_transfer_at(self._plan, k)
            rates = [lib.br_plan_transfer_rate_at(self._plan, k, i)
                     for i in range(lib.br_plan_transfer_rate_count(self._plan, k))]
            source, target = (text_of(lib.br_cluster_machine_name, self._cluster._cluster, m)
                              for m in (t.source, t.target))
            moved.append(Transfer(t.parent, t.child, None if t.index == ANY else t.index, source, target, t.bytes,
                                  t.start_ns / 1e9, t.end_ns / 1e9,
                                  [(r.start_ns / 1e9, r.end_ns / 1e9, r.rate) for r in rates]))
        return moved

    @property
    def note(self):
        """Why the search ended early; None where it did not."""
        note = lib.br_plan_note(self._plan)
        return note and note.decode()

    def to_json(self):
        """The plan with its job and its cluster, as the text of docs/schema/plan-1.schema.json."""
        return _program.plan_to_json(self, self._job, self._cluster)


_OBJECTIVES = {'makespan': 0, 'mean': 1, 'weighted': 2}


def search_options(method='best', effort=None, seed=None, threads=0, time_limit=None, placements=0,
                   bound=None, objective='makespan'):
    options = lib.br_plan_options_default()
    options.method = text(method, 'the method')
    if effort is not None:
        options.effort = one_of('effort', {'fast': 0, 'default': 1, 'max': 2}, effort)
    if bound is not None:
        options.bound = one_of('bound', {'none': 1, 'cheap': 2, 'full': 3}, bound)
    for name, value in ('threads', threads), ('placements', placements), ('seed', seed):
        if value is not None:
            set_option(options, name, value)
    options.objective = one_of('objective', _OBJECTIVES, objective)
    if time_limit is not None:
        options.time_limit_ns = limit_ns(time_limit)
    return options


def _order_of(job, given):
    """All tasks of the job in the order that the ids in `given` ask for, as the library takes it."""
    count = lib.br_dag_task_count(job._dag)
    number = {text_of(lib.br_dag_task_id, job._dag, task): task for task in range(count)}
    listed = []
    try:
        names = [given] if isinstance(given, (str, bytes)) else list(given)
    except TypeError:
        raise UsageError('the order is %.80r' % (given,), 'give ids of tasks') from None
    for name in names:
        if not isinstance(name, str) or name not in number:
            raise UsageError('the job has no task %.80r' % (name,), 'give ids of tasks, such as map[3]')
        listed.append(number[name])
    order = (ctypes.c_uint32 * count)()
    call(lib.br_dag_complete_order, job._dag, (ctypes.c_uint32 * len(listed))(*listed), len(listed), None, order)
    return order


def plan(job, cluster, method='best', effort=None, seed=None, threads=0, time_limit=None,
         placements=0, network=False, bound=None, objective='makespan', order=None):
    """Plans the job, which is complete from then on. Without an effort ('fast', 'default', 'max') it
    is 'max' where there is a time limit, so that the search goes on until the limit or a proof, and
    'default' elsewhere. The same arguments give the same plan, unless a time limit cuts the search.
    With `network` every task finds its inputs on its machine when it starts: the plan accounts for the
    bytes of edges (Job.edge) between the ports of machines (Cluster.network). `bound` says how much goes
    into the lower bound: 'none' (the critical path, not proven), 'cheap' (what is linear), 'full'; without
    it plans by a single heuristic get the cheap one, and others the full. The objective 'mean' is about the mean
    time at which the jobs end that the job falls into without an edge between them, or else its last stages;
    'weighted' about the same by Job.weight. With `order`, ids of tasks that come first in that order (the others
    follow by critical path), the plan follows it, and there is no method."""
    options = search_options(method, effort, seed, threads, time_limit, placements, bound, objective)
    made, dag = ctypes.c_void_p(), handle(job, '_planned', 'job')
    if order is not None:
        if network:
            raise UsageError('an order goes without transfers', 'leave out order or network')
        options.order = _order_of(job, order)
    call(lib.br_plan_make, dag, handle(cluster, '_cluster', 'cluster'),
         ctypes.byref(options), ctypes.byref(made))
    result = Plan(made, job, cluster, options)
    if network:
        call(lib.br_plan_network, made, job._dag, cluster._cluster, ctypes.byref(options))
    return result
