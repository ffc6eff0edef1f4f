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
import collections
import ctypes
import decimal
import os
import pathlib

from . import _program
from ._errors import Error, InputError, Refused, SystemFault, UsageError, of as _error_of

__all__ = ['Bound', 'Cluster', 'Decision', 'Enforcer', 'Error', 'InputError', 'Job', 'Plan', 'Ran', 'Read',
           'Refused', 'Store', 'StoreHit', 'SystemFault', 'Task', 'Transfer', 'UsageError', 'best_bound', 'bound', 'dask_cluster',
           'from_dask', 'history', 'methods', 'plan', 'policies', 'read', 'render', 'run', 'simulate', 'version']


def _library():
    """The path of the library: the one that is named, that came with the package, or that is installed."""
    beside = pathlib.Path(__file__).with_name('lib') / 'libbigrocks.so.0'
    return os.environ.get('BIGROCKS_LIBRARY') or (str(beside) if beside.exists() else 'libbigrocks.so.0')


_lib = ctypes.CDLL(_library())


class _Diag(ctypes.Structure):
    _fields_ = [('status', ctypes.c_int), ('line', ctypes.c_uint32), ('column', ctypes.c_uint32),
                ('file', ctypes.c_char * 256), ('what', ctypes.c_char * 768),
                ('hint', ctypes.c_char * 256)]


class _Options(ctypes.Structure):
    # The members that are set here come first; room for those of later versions follows.
    _fields_ = [('method', ctypes.c_char_p), ('effort', ctypes.c_int), ('seed', ctypes.c_uint64),
                ('threads', ctypes.c_uint32), ('time_limit_ns', ctypes.c_int64),
                ('placements', ctypes.c_uint64), ('rest', ctypes.c_uint64 * 64)]


class _PlanTask(ctypes.Structure):
    _fields_ = [('task', ctypes.c_uint32), ('machine', ctypes.c_uint32),
                ('start_ns', ctypes.c_int64), ('end_ns', ctypes.c_int64),
                ('rank', ctypes.c_uint32), ('priority', ctypes.c_double),
                ('subset', ctypes.c_char)]


class _PlanTransfer(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint32) for name in ('parent', 'child', 'index', 'source', 'target')] + [
        ('bytes', ctypes.c_int64), ('start_ns', ctypes.c_int64), ('end_ns', ctypes.c_int64)]


class _TransferRate(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in ('start_ns', 'end_ns', 'rate')]


class _TaskSlack(ctypes.Structure):
    _fields_ = [('total_ns', ctypes.c_int64), ('free_ns', ctypes.c_int64)]


class _Source(ctypes.Structure):
    _fields_ = [('find', ctypes.c_void_p), ('context', ctypes.c_void_p)]


class _BoundOptions(ctypes.Structure):
    _fields_ = [('time_limit_ns', ctypes.c_int64), ('cpu_limit_ns', ctypes.c_int64),
                ('conflicts', ctypes.c_uint64), ('source', ctypes.POINTER(_Source)),
                ('rest', ctypes.c_uint64 * 64)]


class _Answer(ctypes.Structure):
    _fields_ = [('found', ctypes.c_bool), ('lower_bound_ns', ctypes.c_int64),
                ('certificate', ctypes.c_void_p), ('method', ctypes.c_char * 96),
                ('status', ctypes.c_char * 32), ('why', ctypes.c_char * 256)]


class _BoundResult(ctypes.Structure):
    _fields_ = [('lower_bound_ns', ctypes.c_int64), ('method', ctypes.c_char * 96),
                ('certificate', ctypes.c_void_p), ('core_ns', ctypes.c_int64),
                ('core_method', ctypes.c_char_p), ('clause_ns', ctypes.c_int64),
                ('clause_lost', ctypes.c_bool), ('source', _Answer), ('rest', ctypes.c_uint64 * 64)]


class _Hit(ctypes.Structure):
    _fields_ = [('match', ctypes.c_int), ('same_details', ctypes.c_bool), ('same_cluster', ctypes.c_bool),
                ('stored_ns', ctypes.c_int64), ('found_ns', ctypes.c_int64), ('enough', ctypes.c_bool),
                ('fresh_ns', ctypes.c_int64), ('rest', ctypes.c_uint64 * 64)]


class _EnforcerOptions(ctypes.Structure):
    _fields_ = [('policy', ctypes.c_char_p), ('remote_penalty', ctypes.c_double),
                ('eta_factor', ctypes.c_double), ('kappa', ctypes.c_double),
                ('fairness', ctypes.c_int), ('bundle', ctypes.c_uint32),
                ('keep_plan', ctypes.c_bool), ('rest', ctypes.c_uint64 * 64)]


class _Decision(ctypes.Structure):
    _fields_ = [('job', ctypes.c_uint32), ('task', ctypes.c_uint32), ('machine', ctypes.c_uint32)]


class _JobState(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint32)
                for name in ('waiting', 'ready', 'running', 'finished', 'failed')]


_P, _T, _U, _I, _STATUS = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint32, ctypes.c_int64,
                           ctypes.c_int)
_DIAG, _OUT = ctypes.POINTER(_Diag), ctypes.POINTER(ctypes.c_uint32)
for _name, _result, _arguments in [
        ('version', _T, []),
        ('dag_create', _P, [_T]), ('dag_destroy', None, [_P]),
        ('dag_add_resource', _STATUS, [_P, _T, _T, _DIAG]),
        ('dag_add_stage', _STATUS, [_P, _T, _U, _I, _OUT, _DIAG]),
        ('dag_add_demand', _STATUS, [_P, _U, _T, _T, _DIAG]),
        ('dag_set_duration', _STATUS, [_P, _U, _U, _I, _DIAG]),
        ('dag_set_command', _STATUS, [_P, _U, _T, _DIAG]),
        ('dag_add_edge', _STATUS, [_P, _U, _U, ctypes.c_int, _DIAG]),
        ('dag_set_edge_bytes', _STATUS, [_P, _U, _U, _I, _DIAG]),
        ('dag_finish', _STATUS, [_P, _DIAG]), ('dag_task_count', _U, [_P]),
        ('dag_task_stage', _U, [_P, _U]),
        ('dag_task_id', ctypes.c_int, [_P, _U, _T, ctypes.c_size_t]),
        ('cluster_create', _P, [_T]), ('cluster_destroy', None, [_P]),
        ('cluster_add_class', _STATUS, [_P, _T, _U, _OUT, _DIAG]),
        ('cluster_add_capacity', _STATUS, [_P, _U, _T, _T, _DIAG]),
        ('cluster_set_network', _STATUS, [_P, _U, _I, _I, _DIAG]),
        ('cluster_set_fungible', _STATUS, [_P, _T, _DIAG]),
        ('cluster_machine_count', _U, [_P]),
        ('cluster_machine_name', ctypes.c_int, [_P, _U, _T, ctypes.c_size_t]),
        ('plan_options_default', _Options, []), ('method_name', _T, [_U]),
        ('plan_make', _STATUS, [_P, _P, ctypes.POINTER(_Options), ctypes.POINTER(_P), _DIAG]),
        ('bound', _STATUS, [_P, _P, ctypes.POINTER(_I), ctypes.POINTER(_T), _DIAG]),
        ('bound_options_default', _BoundOptions, []), ('bound_program', _Source, [_T]),
        ('bound_best', _STATUS, [_P, _P, ctypes.POINTER(_BoundOptions),
                                 ctypes.POINTER(_BoundResult), _DIAG]),
        ('bound_result_finish', None, [ctypes.POINTER(_BoundResult)]),
        ('certificate_text', _P, [_P, _P]), ('plan_certificate', _P, [_P]),
        ('plan_destroy', None, [_P]), ('plan_task_count', _U, [_P]),
        ('plan_at', _PlanTask, [_P, _U]), ('plan_of', _PlanTask, [_P, _U]),
        ('plan_network', _STATUS, [_P, _P, _P, ctypes.POINTER(_Options), _DIAG]),
        ('plan_has_network', ctypes.c_bool, [_P]), ('plan_network_bound_ns', _I, [_P]),
        ('plan_transfer_count', _U, [_P]), ('plan_transfer_at', _PlanTransfer, [_P, _U]),
        ('plan_transfer_rate_count', _U, [_P, _U]),
        ('plan_transfer_rate_at', _TransferRate, [_P, _U, _U]),
        ('plan_makespan_ns', _I, [_P]), ('plan_lower_bound_ns', _I, [_P]),
        ('plan_bound_method', _T, [_P]), ('plan_gap', ctypes.c_double, [_P]),
        ('plan_slack', _STATUS, [_P, _P, _P, ctypes.POINTER(_TaskSlack), _DIAG]),
        ('plan_method', _T, [_P]), ('plan_note', _T, [_P]),
        ('store_is_there', ctypes.c_bool, []),
        ('store_open', _STATUS, [_T, ctypes.POINTER(_P), _DIAG]), ('store_close', None, [_P]),
        ('store_put', _STATUS, [_P, _P, _P, ctypes.POINTER(_Options), _P, _DIAG]),
        ('store_get', _STATUS, [_P, _P, _P, ctypes.POINTER(_Options), ctypes.POINTER(_P), ctypes.POINTER(_Hit),
                                _DIAG]),
        ('store_plan', _STATUS, [_P, _P, _P, ctypes.POINTER(_Options), ctypes.POINTER(_P), ctypes.POINTER(_Hit),
                                 _DIAG]),
        ('store_count', _STATUS, [_P, ctypes.POINTER(ctypes.c_uint64), _DIAG]),
        ('runtime_options_default', _EnforcerOptions, []), ('policy_name', _T, [_U]),
        ('runtime_create', _STATUS, [_P, ctypes.POINTER(_EnforcerOptions), ctypes.POINTER(_P),
                                     _DIAG]),
        ('runtime_destroy', None, [_P]), ('runtime_overbook', _STATUS, [_P, _T, _U, _DIAG]),
        ('runtime_add_group', _STATUS, [_P, _T, ctypes.c_double, _OUT, _DIAG]),
        ('runtime_submit', _STATUS, [_P, _P, _P, _U, ctypes.c_int, _OUT, _DIAG]),
        ('runtime_retire', _STATUS, [_P, _U, _DIAG]), ('runtime_close', _STATUS, [_P, _U, _DIAG]),
        ('runtime_started', _STATUS, [_P, _U, _U, _U, _DIAG]),
        ('runtime_finished', _STATUS, [_P, _U, _U, _DIAG]),
        ('runtime_failed', _STATUS, [_P, _U, _U, ctypes.c_bool, _DIAG]),
        ('runtime_report', _STATUS, [_P, _U, _T, _T, _DIAG]),
        ('runtime_decide', _U, [_P, _U, _I, ctypes.POINTER(_Decision), _U]),
        ('runtime_job', _JobState, [_P, _U]),
        ('runtime_used', ctypes.c_double, [_P, _U, _T]),
        ('runtime_deficit', ctypes.c_double, [_P, _U])]:
    _function = getattr(_lib, 'br_' + _name)
    _function.restype, _function.argtypes = _result, _arguments

# The C library's, which texts of the library are released by.
_free = ctypes.CDLL(None).free
_free.restype, _free.argtypes = None, [_P]



def _call(function, *arguments):
    diag = _Diag()
    if function(*arguments, ctypes.byref(diag)):
        raise _error_of(diag.status, diag.what.decode(), diag.hint.decode(), os.fsdecode(diag.file), diag.line,
                        diag.column)


def _ns(seconds):
    # Through the shortest decimal, so that 0.1 is 100,000,000.
    return int((decimal.Decimal(str(seconds)) * 10**9).to_integral_value())


def _seconds(value):
    """Seconds as a plain decimal, to the nanosecond."""
    ns = _ns(value)
    return format(decimal.Decimal(ns).scaleb(-9).normalize(), 'f')


def _amount(value):
    return (value if isinstance(value, str) else format(decimal.Decimal(str(value)), 'f')).encode()


def _whole(number):
    """Of bytes; the library says what is too large."""
    whole = int(number)
    if whole != number or abs(whole) >= 2**63:
        raise ValueError('%r is no whole number of bytes' % number)
    return whole


def version():
    """Of the library."""
    return _lib.br_version().decode()


def methods():
    """Names of the planning methods."""
    names = []
    while (name := _lib.br_method_name(len(names))) is not None:
        names.append(name.decode())
    return names


class Job:
    """A DAG of stages, each of one or more equal tasks."""

    def __init__(self, name='job'):
        self._dag = _lib.br_dag_create(name.encode())
        self._finished = False
        # What it was made of, for the native form.
        self.name, self._resources, self._stages, self._edges, self._attributes = name, {}, [], [], {}
        if not self._dag:
            raise MemoryError

    def __del__(self):
        if getattr(self, '_dag', None):
            _lib.br_dag_destroy(self._dag)

    def stage(self, id, tasks=1, seconds=0, command=None, durations=None, **demands):
        """Adds a stage and returns its number. `durations` maps the index of a task to seconds
        that differ; other keywords are demands of each task by resource."""
        self._change()
        number = ctypes.c_uint32()
        _call(_lib.br_dag_add_stage, self._dag, id.encode(), tasks, _ns(seconds),
              ctypes.byref(number))
        self._stages.append({'id': id, 'tasks': tasks, 'duration': _seconds(seconds), 'demands': {}, 'durations': {},
                             'command': command, 'attributes': {}})
        for resource, amount in demands.items():
            self.demand(number.value, resource, amount)
        for index, other in (durations or {}).items():
            _call(_lib.br_dag_set_duration, self._dag, number.value, index, _ns(other))
            self._stages[number.value]['durations'][index] = _seconds(other)
        if command is not None:
            _call(_lib.br_dag_set_command, self._dag, number.value, command.encode())
        return number.value

    def demand(self, stage, resource, amount):
        """For resources whose names are no keywords of Python."""
        self._change()
        _call(_lib.br_dag_add_demand, self._dag, stage, resource.encode(), _amount(amount))
        self._stages[stage]['demands'][resource] = _amount(amount).decode()
        self._resources.setdefault(resource, None)

    def resource(self, name, unit=None):
        """Declares a resource with its unit, such as 'GiB'; demands declare others by themselves."""
        self._change()
        _call(_lib.br_dag_add_resource, self._dag, name.encode(), unit and unit.encode())
        self._resources[name] = unit

    def attribute(self, name, value, stage=None, edge=None):
        """What the model does not know, of the job, of a stage or of an edge: it goes along into files, and is for
        runs (attribute('shell', 'true'): commands are lines for the shell)."""
        self._change()
        if stage is not None and edge is not None:
            raise ValueError('an attribute is of a stage or of an edge, not of both')
        owner = (self._stages[stage]['attributes'] if stage is not None else
                 self._edges[edge][4] if edge is not None else self._attributes)
        owner[name] = value

    def to_xml(self):
        """The job in its native form, as text."""
        return _program.job_to_xml(self)

    def edge(self, parent, child, type='barrier', bytes=0):
        """The child stage waits for the parent: as a whole, or 'one-to-one'. `bytes`: what all tasks of
        the parent together hand to those of the child, for plans with `network`. Returns the edge's number."""
        self._change()
        _call(_lib.br_dag_add_edge, self._dag, parent, child,
              {'barrier': 0, 'one-to-one': 1}[type])
        if bytes:
            _call(_lib.br_dag_set_edge_bytes, self._dag, parent, child, _whole(bytes))
        self._edges.append((parent, child, type, _whole(bytes), {}))
        return len(self._edges) - 1

    def _change(self):
        if self._finished:
            raise ValueError('the job was planned already and cannot change')

    def _finish(self):
        if not self._finished:
            _call(_lib.br_dag_finish, self._dag)
            self._finished = True
        return self._dag


class Cluster:
    """Classes of equal machines: Cluster(node=(20, {'cpu': 16}), big=(1, {'cpu': 64}))."""

    def __init__(self, **classes):
        self._cluster = _lib.br_cluster_create(None)
        # What it was made of, for the native form.
        self._made, self._fungible, self._ports = [], [], {}
        self._site, self._generic = {}, []  # what only files say: a name, and what Slurm is told
        if not self._cluster:
            raise MemoryError
        self._classes = {}
        for name, (count, capacities) in classes.items():
            self.machines(name, count, **capacities)

    def __del__(self):
        if getattr(self, '_cluster', None):
            _lib.br_cluster_destroy(self._cluster)

    def machines(self, name, count, **capacities):
        number = ctypes.c_uint32()
        _call(_lib.br_cluster_add_class, self._cluster, name.encode(), count,
              ctypes.byref(number))
        self._classes[name] = number.value
        self._made.append((name, count, {}))
        for resource, amount in capacities.items():
            _call(_lib.br_cluster_add_capacity, self._cluster, number.value, resource.encode(),
                  _amount(amount))
            self._made[-1][2][resource] = _amount(amount).decode()

    def network(self, up, down=None, name=None):
        """What the port of each machine of the class sends and receives, in bytes a second; without `down`
        as much as it sends. Without a name it is said of all classes."""
        for number in self._classes.values() if name is None else [self._classes[name]]:
            ports = _whole(up), _whole(up if down is None else down)
            _call(_lib.br_cluster_set_network, self._cluster, number, *ports)
            self._ports[number] = ports

    def fungible(self, *resources):
        """Declares that demand beyond the capacity of these only slows tasks down."""
        for resource in resources:
            _call(_lib.br_cluster_set_fungible, self._cluster, resource.encode())
            self._fungible.append(resource)

    def to_xml(self):
        """The cluster in its native form, as text."""
        return _program.cluster_to_xml(self)


Task = collections.namedtuple('Task', 'id start end machine rank priority subset')
# Stages as Job.stage numbers them; the index of a pair of tasks, None over a barrier; names of machines; rates are
# (start, end, bytes a second).
Transfer = collections.namedtuple('Transfer', 'parent child index source target bytes start end rates')


Slack = collections.namedtuple('Slack', 'total free')


def _text(function, *arguments):
    size = function(*arguments, None, 0) + 1
    text = ctypes.create_string_buffer(size)
    function(*arguments, text, size)
    return text.value.decode()


def _certificate(certificate, dag):
    """As JSON; None where there is none."""
    if not certificate:
        return None
    text = _lib.br_certificate_text(certificate, dag)
    if not text:
        raise MemoryError
    try:
        return ctypes.string_at(text).decode()
    finally:
        _free(text)


class Plan:
    """A plan; iterating gives its tasks by rank. Keeps its job and its cluster. `hit` is what a store had
    of it; None where it came of none."""

    def __init__(self, plan, job, cluster, options=None, hit=None):
        self._plan, self._job, self._cluster, self._options, self.hit = plan, job, cluster, options, hit

    def __del__(self):
        if getattr(self, '_plan', None):
            _lib.br_plan_destroy(self._plan)

    def __len__(self):
        return _lib.br_plan_task_count(self._plan)

    def __getitem__(self, k):
        if not 0 <= k < len(self):
            raise IndexError(k)
        task = _lib.br_plan_at(self._plan, k)
        return Task(_text(_lib.br_dag_task_id, self._job._dag, task.task), task.start_ns / 1e9,
                    task.end_ns / 1e9,
                    _text(_lib.br_cluster_machine_name, self._cluster._cluster, task.machine),
                    task.rank, task.priority, task.subset.decode())

    def __iter__(self):
        return (self[k] for k in range(len(self)))

    makespan = property(lambda self: _lib.br_plan_makespan_ns(self._plan) / 1e9)
    lower_bound = property(lambda self: _lib.br_plan_lower_bound_ns(self._plan) / 1e9)
    bound_method = property(lambda self: _lib.br_plan_bound_method(self._plan).decode())
    gap = property(lambda self: _lib.br_plan_gap(self._plan))
    method = property(lambda self: _lib.br_plan_method(self._plan).decode())

    @property
    def certificate(self):
        """The proof of `lower_bound` as JSON (docs/certificates.md); None where the plan has none. to_json() has it,
        too, with the job, as 'bigrocks check --certificate' reads it."""
        return _certificate(_lib.br_plan_certificate(self._plan), self._job._dag)

    @property
    def slack(self):
        """By rank, by how many seconds the task may start later without the makespan growing: `total` if what
        waits for it moves along, `free` if nothing else moves."""
        slack = (_TaskSlack * len(self))()
        _call(_lib.br_plan_slack, self._plan, self._job._dag, self._cluster._cluster, slack)
        by_rank = (slack[_lib.br_plan_at(self._plan, k).task] for k in range(len(self)))
        return [Slack(s.total_ns / 1e9, s.free_ns / 1e9) for s in by_rank]

    @property
    def network_bound(self):
        """No plan that moves its bytes takes fewer seconds; None in a plan without `network`."""
        return _lib.br_plan_network_bound_ns(self._plan) / 1e9 if _lib.br_plan_has_network(self._plan) else None

    @property
    def transfers(self):
        """What moves between machines, by its start; None in a plan without `network`."""
        if not _lib.br_plan_has_network(self._plan):
            return None
        moved = []
        for k in range(_lib.br_plan_transfer_count(self._plan)):
            t = _lib.br_plan_transfer_at(self._plan, k)
            rates = [_lib.br_plan_transfer_rate_at(self._plan, k, i)
                     for i in range(_lib.br_plan_transfer_rate_count(self._plan, k))]
            source, target = (_text(_lib.br_cluster_machine_name, self._cluster._cluster, m)
                              for m in (t.source, t.target))
            moved.append(Transfer(t.parent, t.child, None if t.index == _ANY else t.index, source, target, t.bytes,
                                  t.start_ns / 1e9, t.end_ns / 1e9,
                                  [(r.start_ns / 1e9, r.end_ns / 1e9, r.rate) for r in rates]))
        return moved

    @property
    def note(self):
        """Why the search ended early; None where it did not."""
        note = _lib.br_plan_note(self._plan)
        return note and note.decode()

    def to_json(self):
        """The plan with its job and its cluster, as the text of docs/schema/plan-1.schema.json."""
        return _program.plan_to_json(self, self._job, self._cluster)


def _search(method='best', effort=None, seed=None, threads=0, time_limit=None, placements=0):
    options = _lib.br_plan_options_default()
    options.method = method.encode()
    if effort is not None:
        options.effort = {'fast': 0, 'default': 1, 'max': 2}[effort]
    options.threads, options.placements = threads, placements
    if seed is not None:
        options.seed = seed
    if time_limit is not None:
        options.time_limit_ns = max(1, _ns(time_limit))
    return options


def plan(job, cluster, method='best', effort=None, seed=None, threads=0, time_limit=None,
         placements=0, network=False):
    """Plans the job, which is complete from then on. Without an effort ('fast', 'default', 'max') it
    is 'max' where there is a time limit, so that the search goes on until the limit or a proof, and
    'default' elsewhere. The same arguments give the same plan, unless a time limit cuts the search.
    With `network` every task finds its inputs on its machine when it starts: the plan accounts for the
    bytes of edges (Job.edge) between the ports of machines (Cluster.network)."""
    options = _search(method, effort, seed, threads, time_limit, placements)
    made = ctypes.c_void_p()
    _call(_lib.br_plan_make, job._finish(), cluster._cluster, ctypes.byref(options),
          ctypes.byref(made))
    result = Plan(made, job, cluster, options)
    if network:
        _call(_lib.br_plan_network, made, job._dag, cluster._cluster, ctypes.byref(options))
    return result


StoreHit = collections.namedtuple('StoreHit', 'match same_details same_cluster stored found enough fresh')


class Store:
    """Plans kept in a file and found again, by the job's form, its durations and demands, and the cluster.

        with bigrocks.Store('plans.db') as store:
            plan = store.plan(job, cluster, effort='default')
            print(plan.hit.match)  # 'miss', 'exact' or 'refitted'

    Several programs may use the file at once, and several threads one store."""

    def __init__(self, path):
        self._store = None
        made = ctypes.c_void_p()
        _call(_lib.br_store_open, os.fsencode(path), ctypes.byref(made))
        self._store = made

    def __del__(self):
        self.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Releases the file; the store cannot be used any more."""
        if getattr(self, '_store', None):
            _lib.br_store_close(self._store)
        self._store = None

    def _open(self):
        if not self._store:
            raise ValueError('the store is closed')
        return self._store

    def __bool__(self):
        return True  # also where it holds no plan yet

    def __len__(self):
        """How many plans the file holds."""
        plans = ctypes.c_uint64()
        _call(_lib.br_store_count, self._open(), ctypes.byref(plans))
        return plans.value

    def _ask(self, function, job, cluster, options):
        made, hit = ctypes.c_void_p(), _Hit()
        _call(function, self._open(), job._finish(), cluster._cluster, ctypes.byref(options), ctypes.byref(made),
              ctypes.byref(hit))
        told = StoreHit(('miss', 'exact', 'refitted')[hit.match], hit.same_details, hit.same_cluster,
                        hit.stored_ns / 1e9, hit.found_ns / 1e9, hit.enough, hit.fresh_ns / 1e9)
        return Plan(made, job, cluster, None, told) if made else None

    def get(self, job, cluster, **search):
        """The plan that is kept for the job, or one of its form refitted, or None. The keywords are those of
        `plan`; `hit.enough` of the result says whether as much effort went into it."""
        return self._ask(_lib.br_store_get, job, cluster, _search(**search))

    def put(self, plan):
        """Keeps the plan, unless a shorter one of the same job is there."""
        options = plan._options
        _call(_lib.br_store_put, self._open(), plan._job._dag, plan._cluster._cluster,
              ctypes.byref(options) if options else None, plan._plan)

    def plan(self, job, cluster, **search):
        """Plans the job with what is kept, and keeps what comes of it; the keywords are those of `plan`.
        `hit.found` and `hit.fresh` of the result are the makespans of the plan that was found and of the one
        that was made beside it, in seconds; 0: there was none."""
        return self._ask(_lib.br_store_plan, job, cluster, _search(**search))


def bound(job, cluster):
    """(seconds, argument): a proven lower bound on every plan's makespan."""
    ns, method = ctypes.c_int64(), ctypes.c_char_p()
    _call(_lib.br_bound, job._finish(), cluster._cluster, ctypes.byref(ns), ctypes.byref(method))
    return ns.value / 1e9, method.value.decode()


Bound = collections.namedtuple('Bound', 'seconds method certificate program')


def best_bound(job, cluster, time_limit=None, conflicts=None, program=None):
    """The best lower bound on every plan's makespan that the limits allow, and the argument that gave
    it; `certificate` is its proof as JSON, or None. The program bigrocks-bound is started as a child
    where it is found, or at the path `program`; False: no process is started. `program` of the result
    is what came of it. Without a time limit the same job gets the same bound."""
    options, result = _lib.br_bound_options_default(), _BoundResult()
    if time_limit is not None:
        options.time_limit_ns = max(1, _ns(time_limit))
    if conflicts is not None:
        options.conflicts = conflicts
    if program is not False:
        path = program and os.fsencode(program)  # kept: the source borrows it
        source = _lib.br_bound_program(path)
        options.source = ctypes.pointer(source)
    dag = job._finish()
    try:
        _call(_lib.br_bound_best, dag, cluster._cluster, ctypes.byref(options), ctypes.byref(result))
        certificate = _certificate(result.certificate, dag)
        answer = result.source
        return Bound(result.lower_bound_ns / 1e9, result.method.decode(), certificate,
                     (answer.method if answer.found else answer.why).decode())
    finally:
        _lib.br_bound_result_finish(ctypes.byref(result))


def policies():
    """Names of the enforcer's policies."""
    names = []
    while (name := _lib.br_policy_name(len(names))) is not None:
        names.append(name.decode())
    return names


Decision = collections.namedtuple('Decision', 'job task machine')
_ANY = 2**32 - 1


class Enforcer:
    """Decides which tasks of many jobs start now, and where. It has no clock, and starts nothing: its
    caller tells it what happens, and starts what it decides.

        enforcer = bigrocks.Enforcer(cluster, eta=0.5, kappa=0.05, groups={'nightly': 3})
        number = enforcer.submit(job, plan, group='nightly')
        for decision in enforcer.decide(now=0):
            ...  # start it; later: enforcer.finished(decision.job, decision.task)

    Jobs, tasks and machines are numbers; tasks are numbered by stage, then by index. The options are
    those of `bigrocks run`; what is None is the enforcer's own."""

    def __init__(self, cluster, policy=None, eta=None, remote_penalty=None, kappa=None,
                 fairness=None, bundle=None, keep_plan=None, groups=None, overbook=None):
        options = _lib.br_runtime_options_default()
        counts = None if fairness is None else {'slots': 0, 'dominant': 1}[fairness]
        for name, value in (('policy', policy and policy.encode()), ('eta_factor', eta),
                            ('remote_penalty', remote_penalty), ('kappa', kappa),
                            ('fairness', counts), ('bundle', bundle), ('keep_plan', keep_plan)):
            if value is not None:
                setattr(options, name, value)
        self._runtime, made = None, ctypes.c_void_p()
        _call(_lib.br_runtime_create, cluster._cluster, ctypes.byref(options), ctypes.byref(made))
        self._runtime, self._groups = made, {}
        for name, weight in (groups or {}).items():
            self._group(name, weight)
        for resource, percent in (overbook or {}).items():
            _call(_lib.br_runtime_overbook, made, resource.encode(), percent)

    def __del__(self):
        if getattr(self, '_runtime', None):
            _lib.br_runtime_destroy(self._runtime)

    def _group(self, name, weight=1):
        if name not in self._groups:
            number = ctypes.c_uint32()
            _call(_lib.br_runtime_add_group, self._runtime, name.encode(), weight,
                  ctypes.byref(number))
            self._groups[name] = number.value
        return self._groups[name]

    def submit(self, job, plan=None, group=None):
        """Takes up a job, which is complete from then on, and returns its number. A group that was not
        declared has the weight 1; None is a group of its own."""
        number = ctypes.c_uint32()
        _call(_lib.br_runtime_submit, self._runtime, job._finish(), plan._plan if plan else None,
              0 if group is None else self._group(group), 0, ctypes.byref(number))
        return number.value

    def decide(self, now, machine=None, most=4096):
        """The decisions of this moment, in seconds, never less than before; of one machine, or all."""
        room, decisions = (_Decision * most)(), []
        count = _lib.br_runtime_decide(self._runtime, _ANY if machine is None else machine, _ns(now),
                                       room, most)
        for k in range(count):
            decisions.append(Decision(room[k].job, room[k].task, room[k].machine))
        return decisions

    def started(self, job, task, machine):
        """A task runs that the caller has started by itself."""
        _call(_lib.br_runtime_started, self._runtime, job, task, machine)

    def finished(self, job, task):
        _call(_lib.br_runtime_finished, self._runtime, job, task)

    def failed(self, job, task, again=False):
        """`again`: it is to be started once more."""
        _call(_lib.br_runtime_failed, self._runtime, job, task, again)

    def report(self, machine, resource, free):
        """So much of it is free just now, whoever uses the rest."""
        _call(_lib.br_runtime_report, self._runtime, machine, resource.encode(), _amount(free))

    def close(self, job):
        """Nothing more of the job is started."""
        _call(_lib.br_runtime_close, self._runtime, job)

    def retire(self, job):
        """Forgets the job, whose number may be given again."""
        _call(_lib.br_runtime_retire, self._runtime, job)

    def state(self, job):
        """How many of its tasks are waiting, ready, running, finished and failed."""
        state = _lib.br_runtime_job(self._runtime, job)
        return {name: getattr(state, name) for name, _ in _JobState._fields_}

    def used(self, resource, machine=None):
        """Share of the resource that running tasks hold."""
        return _lib.br_runtime_used(self._runtime, _ANY if machine is None else machine,
                                    resource.encode())

    def deficit(self, group=None):
        """How much less than its share the group has had, in clusters."""
        return _lib.br_runtime_deficit(self._runtime, 0 if group is None else self._groups[group])


# ---- What the program does ----

Read = _program.Read
Ran = _program.Ran


def read(path, format=None, **options):
    """(job, cluster) of a file in any format that bigrocks reads; the cluster is None where the file has none.
    `format` is that of --from; other keywords are options of `bigrocks convert`, such as default_duration=1."""
    words = _program.options(dict(options, from_=format))
    text = _program.call('convert', *words, '--format', 'xml', '--', path).stdout
    return _program.input_of_xml(Job, Cluster, text)


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


def render(plan, format='svg', path=None, **options):
    """The plan in another form, as text: a picture, or a file for an engine (see `bigrocks help render`). With
    a path, it is written there. The plan is one of Plan, or text in JSON."""
    text = plan if isinstance(plan, str) else plan.to_json()
    words = _program.options(options)
    done = _program.call('render', '-', '--format', format, *words, *(['-o', path] if path else []), input=text)
    return None if path else done.stdout


def run(job, cluster=None, directory='.', plan=None, history=None, shell=False, keep_going=False, **options):
    """Runs the commands of the job on this machine, in the order of the plan, within the cluster. The result is true
    where all tasks went well; its `tasks` are dicts with id, start, end and what was used. Other keywords are options
    of `bigrocks run`. An interrupt stops all tasks before it goes on."""
    with _program.Folder() as folder:
        words = ['run', folder.write('job.xml', job.to_xml()), '-C', directory, '--trace', folder.path / 'trace']
        if cluster is not None:
            words += ['--cluster', folder.write('cluster.xml', cluster.to_xml())]
        if plan is not None:
            words += ['--plan', folder.write('plan.json', plan.to_json())]
        words += _program.options(dict(options, history=history, shell=shell, keep_going=keep_going))
        done = _program.call(*words, fine=(0, 1))
        tasks = folder.lines('trace')
        for task in tasks:
            task.pop('job', None)  # a file of this call
        return _program.Ran(done.returncode == 0, tasks, done.stdout, done.stderr)


def simulate(workload, cluster=None, policy='graphene', **options):
    """Simulates a workload (a path, or jobs that all arrive at once) on the cluster, and returns the object of
    docs/schema/simulation-1.schema.json. Other keywords are options of `bigrocks simulate`, such as seeds=5."""
    with _program.Folder() as folder:
        words = ['simulate', '--policy', policy, '--format', 'json', '-q', *_program.options(options)]
        if cluster is not None:
            words += ['--cluster', folder.write('cluster.xml', cluster.to_xml())]
        if not isinstance(workload, (str, os.PathLike)):
            jobs = [folder.write('%d.xml' % k, job.to_xml()) for k, job in enumerate(workload)]
            made = folder.path / 'workload.xml'
            _program.call('workload', *jobs, '-o', made, '-q')
            workload = made
        return _program.read_json(_program.call(*words, '--', workload).stdout)


def history(path, job=None):
    """What runs have measured, as the object of docs/schema/history-1.schema.json; with the name of a job also of its
    stages and tasks."""
    words = [job] if job else []
    return _program.read_json(_program.call('history', '--format', 'json', '--', path, *words).stdout)
