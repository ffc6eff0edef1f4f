"""Jobs and clusters, as the library keeps them and as native files have them."""
import ctypes
import operator

from . import _program
from ._errors import UsageError
from ._library import (Owner, amount_said, amount_text, call, lib, one_of, pairs_of, seconds_text, text, to_ns, whole,
                       whole_bytes)


def _number(what, made, number):
    """The number of a stage or of an edge, among those that were made."""
    try:
        whole = operator.index(number)
    except TypeError:
        whole = -1
    if not 0 <= whole < len(made):
        raise UsageError('%.80r is no %s' % (number, what), 'give the number that Job.%s returned' % what)
    return whole


class Job(Owner):
    """A DAG of stages, each of one or more equal tasks."""

    def __init__(self, name='job'):
        self._dag = lib.br_dag_create(name)
        self._finished = False
        # What it was made of, for the native form.
        self.name, self._resources, self._stages, self._edges, self._attributes = name, {}, [], [], {}
        if not self._dag:
            raise MemoryError

    def __del__(self):
        if getattr(self, '_dag', None):
            lib.br_dag_destroy(self._dag)

    def __repr__(self):
        return '<Job %r: %d tasks in %d stages>' % (self.name, sum(s['tasks'] for s in self._stages), len(self._stages))

    def stage(self, id, tasks=1, seconds=0, command=None, durations=None, **demands):
        """Adds a stage and returns its number. `durations` maps the index of a task to seconds
        that differ; other keywords are demands of each task by resource."""
        self._change()
        for amount in demands.values():
            amount_text(amount)  # what is none leaves no stage behind
        durations = pairs_of(durations, 'durations')
        for index, other in durations:
            whole(index, 'the index of a task', 0, whole(tasks, 'tasks', 1) - 1)
            whole(to_ns(other), 'the duration in nanoseconds')
        for given, what in (command, 'the command'), *((name, 'the resource') for name in demands):
            text(given, what)
        number = ctypes.c_uint32()
        call(lib.br_dag_add_stage, self._dag, id, tasks, to_ns(seconds), ctypes.byref(number))
        self._stages.append({'id': id, 'tasks': tasks, 'duration': seconds_text(seconds), 'demands': {},
                             'durations': {}, 'command': command, 'attributes': {}})
        for resource, amount in demands.items():
            self.demand(number.value, resource, amount)
        for index, other in durations:
            call(lib.br_dag_set_duration, self._dag, number.value, index, to_ns(other))
            self._stages[number.value]['durations'][index] = seconds_text(other)
        if command is not None:
            call(lib.br_dag_set_command, self._dag, number.value, command)
        return number.value

    def demand(self, stage, resource, amount):
        """For resources whose names are no keywords of Python."""
        self._change()
        stage = _number('stage', self._stages, stage)
        call(lib.br_dag_add_demand, self._dag, stage, resource, amount_text(amount))
        self._stages[stage]['demands'][resource] = amount_text(amount).decode()
        self._resources.setdefault(resource, None)

    def resource(self, name, unit=None):
        """Declares a resource with its unit, such as 'GiB'; demands declare others by themselves."""
        self._change()
        call(lib.br_dag_add_resource, self._dag, name, unit)
        self._resources[name] = unit

    def weight(self, stage, weight):
        """What ends with the stage counts with this weight, 0 to a million, in plans for objective='weighted'; 1 where
        nothing is said."""
        self._change()
        stage = _number('stage', self._stages, stage)
        call(lib.br_dag_set_weight, self._dag, stage, weight)
        self._stages[stage]['attributes']['weight'] = str(whole(weight, 'the weight'))

    def attribute(self, name, value, stage=None, edge=None):
        """What the model does not know, of the job, of a stage or of an edge: it goes along into files, and is for
        runs (attribute('shell', 'true'): commands are lines for the shell)."""
        self._change()
        if stage is not None and edge is not None:
            raise UsageError('an attribute is of a stage or of an edge, not of both')
        owner = (self._stages[_number('stage', self._stages, stage)]['attributes'] if stage is not None else
                 self._edges[_number('edge', self._edges, edge)][4] if edge is not None else self._attributes)
        for given, what in (name, 'the name'), (value, 'the value'):
            if text(given, what) is None:
                raise UsageError('%s of an attribute is None' % what, 'give a text')
        owner[name] = value
        if stage is not None and name == 'weight' and value.isdecimal():
            self.weight(stage, int(value))

    def to_xml(self):
        """The job in its native form, as text."""
        return _program.job_to_xml(self)

    def edge(self, parent, child, type='barrier', bytes=0):
        """The child stage waits for the parent: as a whole, or 'one-to-one'. `bytes`: what all tasks of
        the parent together hand to those of the child, for plans with `network`. Returns the edge's number."""
        self._change()
        parent, child = (_number('stage', self._stages, stage) for stage in (parent, child))
        carried = whole_bytes(bytes)
        call(lib.br_dag_add_edge, self._dag, parent, child,
              one_of('type of edges', {'barrier': 0, 'one-to-one': 1}, type))
        if carried:
            call(lib.br_dag_set_edge_bytes, self._dag, parent, child, carried)
        self._edges.append((parent, child, type, carried, {}))
        return len(self._edges) - 1

    def _change(self):
        if self._finished:
            raise UsageError('the job was planned already and cannot change', 'make another job')

    @property
    def _planned(self):
        """The job in the library, complete from now on."""
        return self._finish()

    def _finish(self):
        if not self._finished:
            call(lib.br_dag_finish, self._dag)
            self._finished = True
        return self._dag


class Cluster(Owner):
    """Classes of equal machines: Cluster(node=(20, {'cpu': 16}), big=(1, {'cpu': 64}))."""

    def __init__(self, **classes):
        self._cluster = lib.br_cluster_create(None)
        # What it was made of, for the native form.
        self._made, self._fungible, self._ports = [], [], {}
        self._site, self._generic = {}, []  # what only files say: a name, and what Slurm is told
        if not self._cluster:
            raise MemoryError
        self._classes = {}
        for name, given in classes.items():
            try:
                count, capacities = given
            except (TypeError, ValueError):
                raise UsageError('class %s is %.80r' % (name, given), "give (2, {'cpu': 16})") from None
            self.machines(name, count, **dict(pairs_of(capacities, 'the capacities')))

    def __del__(self):
        if getattr(self, '_cluster', None):
            lib.br_cluster_destroy(self._cluster)

    def __repr__(self):
        return '<Cluster: %s>' % ', '.join(
            '%d x %s (%s)' % (count, name, ', '.join('%s %s' % (r, amount_said(r, a)) for r, a in capacities.items()))
            for name, count, capacities in self._made)

    def machines(self, name, count, **capacities):
        for resource, amount in capacities.items():
            text(resource, 'the resource'), amount_text(amount)  # what is none leaves no class behind
        number = ctypes.c_uint32()
        call(lib.br_cluster_add_class, self._cluster, name, count, ctypes.byref(number))
        self._classes[name] = number.value
        self._made.append((name, count, {}))
        for resource, amount in capacities.items():
            call(lib.br_cluster_add_capacity, self._cluster, number.value, resource, amount_text(amount))
            self._made[-1][2][resource] = amount_text(amount).decode()

    def network(self, up, down=None, name=None):
        """What the port of each machine of the class sends and receives, in bytes a second; without `down`
        as much as it sends. Without a name it is said of all classes."""
        for number in self._classes.values() if name is None else [one_of('class', self._classes, name)]:
            ports = whole_bytes(up), whole_bytes(up if down is None else down)
            call(lib.br_cluster_set_network, self._cluster, number, *ports)
            self._ports[number] = ports

    def fungible(self, *resources):
        """Declares that demand beyond the capacity of these only slows tasks down."""
        for resource in resources:
            call(lib.br_cluster_set_fungible, self._cluster, resource)
            self._fungible.append(resource)

    def to_xml(self):
        """The cluster in its native form, as text."""
        return _program.cluster_to_xml(self)
