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


_ALL = 2**32 - 1  # all tasks of a stage, or all machines
_FOREVER = 2**63 - 1


def _index(index, what):
    return _ALL if index is None else whole(index, what, 0, _ALL - 1)


def _yes(what, value):
    if value is not True and value is not False:
        raise UsageError('%s is %.80r' % (what, value), 'give True or False')
    return value


def _names(given):
    """Names of classes: one, or several."""
    try:
        names = [given] if isinstance(given, (str, bytes)) else list(given)
    except TypeError:
        raise UsageError('classes are %.80r' % (given,), 'give names of classes') from None
    for name in names:
        if not isinstance(name, str) or len(name.split()) != 1 or name.split()[0] != name:
            raise UsageError('a class is %.80r' % (name,), 'give names of classes, which have no blanks')
        text(name, 'the class')
    return names


def _ids(given):
    """Ids of outputs: one, or several."""
    try:
        ids = [given] if isinstance(given, (str, bytes)) else list(given)
    except TypeError:
        raise UsageError('reads is %.80r' % (given,), 'give the ids of outputs, or None for all') from None
    for id in ids:
        if text(id, 'the id of an output') is None:
            raise UsageError('the id of an output is None', 'give a text')
    return [id.decode('utf-8', 'replace') if isinstance(id, bytes) else id for id in ids]


class Job(Owner):
    """A DAG of stages, each of one or more equal tasks."""

    def __init__(self, name='job'):
        self._dag = lib.br_dag_create(name)
        self._finished = False
        # What it was made of, for the native form.
        self.name, self._resources, self._stages, self._edges, self._attributes = name, {}, [], [], {}
        self._waits = []  # by edge: reads, lag and stream, as far as they are given
        self._joined = {}  # by parent and child: does their edge have one of these?
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
                             'durations': {}, 'outputs': [], 'times': {}, 'command': command, 'attributes': {},
                             'alternatives': [], 'consumed': {}, 'classes': []})
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

    def output(self, stage, id, resource, amount, start='start', keep=True, free=None):
        """Each task of the stage holds so much of the resource until its last reader has ended: from its own start, or
        from its 'end' on. What nobody reads is a result, unless `keep` is False. `free`: a command for when it is no
        longer held. See the formats' outputs."""
        self._change()
        stage = _number('stage', self._stages, stage)
        flags = one_of('start of outputs', {'start': 0, 'end': 1}, start) | (0 if _yes('keep', keep) else 2)
        text(free, 'the command')
        call(lib.br_dag_add_output, self._dag, stage, id, resource, amount_text(amount), flags)
        if free is not None:
            call(lib.br_dag_set_output_free, self._dag, stage, id, free)
        self._stages[stage]['outputs'].append({
            'id': id, 'resource': resource, 'amount': amount_text(amount).decode(),
            **({'from': 'end'} if start == 'end' else {}), **({} if keep else {'keep': 'no'}),
            **({} if free is None else {'free': free})})
        self._resources.setdefault(resource, None)

    def alternative(self, stage, id, seconds=None, classes=None, durations=None, consume=None, **demands):
        """The tasks of the stage may run in this way, too: each runs by exactly one alternative. What is not said holds
        as the stage says it. `classes`: names of machines' classes on which they run. `durations`: as those of a stage.
        `consume`: amounts by shared resource that are taken for good. Other keywords are demands. Returns its number
        in the stage."""
        self._change()
        stage = _number('stage', self._stages, stage)
        classes = None if classes is None else _names(classes)
        durations, consume = pairs_of(durations, 'durations'), pairs_of(consume, 'what is consumed')
        for index, other in durations:
            whole(index, 'the index of a task', 0, self._stages[stage]['tasks'] - 1)
            whole(to_ns(other), 'the duration in nanoseconds')
        for resource, amount in (*consume, *demands.items()):
            text(resource, 'the resource'), amount_text(amount)  # what is none leaves no alternative behind
        number = ctypes.c_uint32()
        call(lib.br_dag_add_alternative, self._dag, stage, id, _FOREVER if seconds is None else to_ns(seconds),
             ctypes.byref(number))
        way = {'id': id, 'duration': None if seconds is None else seconds_text(seconds), 'demands': {}, 'consumed': {},
               'classes': classes or [], 'durations': {}}
        self._stages[stage]['alternatives'].append(way)
        for resource, amount in demands.items():
            self._demand_of(stage, number.value, resource, amount)
        for resource, amount in consume:
            self._consume(stage, number.value, way, resource, amount)
        if classes is not None:
            call(lib.br_dag_set_classes, self._dag, stage, number.value, ' '.join(classes))
        for index, other in durations:
            call(lib.br_dag_set_alternative_duration, self._dag, stage, number.value, index, to_ns(other))
            way['durations'][index] = seconds_text(other)
        return number.value

    def _demand_of(self, stage, alternative, resource, amount):
        call(lib.br_dag_add_alternative_demand, self._dag, stage, alternative, resource, amount_text(amount))
        self._stages[stage]['alternatives'][alternative]['demands'][resource] = amount_text(amount).decode()
        self._resources.setdefault(resource, None)

    def _consume(self, stage, alternative, way, resource, amount):
        call(lib.br_dag_add_consumed, self._dag, stage, alternative, resource, amount_text(amount))
        way['consumed'][resource] = amount_text(amount).decode()
        self._resources.setdefault(resource, None)

    def consume(self, stage, resource, amount):
        """Each task of the stage takes so much of the shared resource for good, if its alternative says nothing else."""
        self._change()
        stage = _number('stage', self._stages, stage)
        self._consume(stage, _ALL, self._stages[stage], resource, amount)

    def classes(self, stage, classes):
        """The tasks of the stage run on machines of these classes alone, if their alternative names no others."""
        self._change()
        stage, classes = _number('stage', self._stages, stage), _names(classes)
        call(lib.br_dag_set_classes, self._dag, stage, _ALL, ' '.join(classes))
        self._stages[stage]['classes'] = classes

    def _time(self, name, function, stage, seconds, index):
        self._change()
        stage, number = _number('stage', self._stages, stage), _index(index, 'the index of a task')
        call(function, self._dag, stage, number, to_ns(seconds))
        self._stages[stage]['times'].setdefault(index, {})[name] = seconds_text(seconds)

    def release(self, stage, seconds, index=None):
        """The tasks of the stage, or the one with that index, start no earlier than so many seconds after the start of
        the plan."""
        self._time('release', lib.br_dag_set_release, stage, seconds, index)

    def deadline(self, stage, seconds, index=None):
        """They end no later."""
        self._time('deadline', lib.br_dag_set_deadline, stage, seconds, index)

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

    def edge(self, parent, child, type='barrier', bytes=0, reads=None, lag=0, stream=False, overlap=0):
        """The child stage waits for the parent: as a whole, 'one-to-one', or by a 'range': task i of n for those of p
        tasks that it touches if both stages are laid side by side, and `overlap` more on either side. `bytes`: what
        all tasks of the parent together hand to those of the child, for plans with `network`. `reads`: the ids of the outputs that
        the child reads; None: all. `lag`: seconds between the parent's end and the child's start. `stream`: the child
        runs beside the parent. Returns the edge's number."""
        self._change()
        parent, child = (_number('stage', self._stages, stage) for stage in (parent, child))
        carried, lag_ns = whole_bytes(bytes), whole(to_ns(lag), 'the lag in nanoseconds')
        wait = {**({} if reads is None else {'reads': _ids(reads)}),
                **({'lag': seconds_text(lag)} if lag_ns else {}), **({'stream': 'yes'} if _yes('stream', stream) else {})}
        if self._joined.get((parent, child), False) or (wait and (parent, child) in self._joined):
            raise UsageError('two edges go from %.80r to %.80r, and one of them has reads, lag or stream' % (
                self._stages[parent]['id'], self._stages[child]['id']), 'join the stages by one edge')
        number = one_of('type of edges', {'barrier': 0, 'one-to-one': 1, 'range': 2}, type)
        overlap = whole(overlap, 'the overlap')
        if overlap and type != 'range':
            raise UsageError('an edge of type %s has an overlap' % type, "give it the type 'range'")
        call(lib.br_dag_add_edge, self._dag, parent, child, number)
        if overlap:
            call(lib.br_dag_set_edge_overlap, self._dag, parent, child, overlap)
            wait = {**wait, 'overlap': str(overlap)}
        if carried:
            call(lib.br_dag_set_edge_bytes, self._dag, parent, child, carried)
        if 'reads' in wait:
            call(lib.br_dag_set_edge_reads, self._dag, parent, child, ' '.join(wait['reads']))
        if lag_ns:
            call(lib.br_dag_set_edge_lag, self._dag, parent, child, lag_ns)
        if stream:
            call(lib.br_dag_set_edge_stream, self._dag, parent, child)
        self._edges.append((parent, child, type, carried, {}))
        self._waits.append(wait)
        self._joined[parent, child] = bool(wait.keys() - {'overlap'})
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
        self._made, self._fungible, self._ports, self._speeds = [], [], {}, {}
        self._shared, self._unavailable, self._changes = {}, [], []
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

    def speed(self, name, speed):
        """Durations of tasks on machines of the class are divided by the speed, such as 0.5 or '2'."""
        number = one_of('class', self._classes, name)
        call(lib.br_cluster_set_speed, self._cluster, number, amount_text(speed))
        self._speeds[number] = amount_text(speed).decode()

    def fungible(self, *resources):
        """Declares that demand beyond the capacity of these only slows tasks down."""
        for resource in resources:
            call(lib.br_cluster_set_fungible, self._cluster, resource)
            self._fungible.append(resource)

    def shared(self, **resources):
        """What tasks on all machines draw from together, such as licences."""
        for resource, amount in resources.items():
            call(lib.br_cluster_add_shared, self._cluster, resource, amount_text(amount))
            self._shared[resource] = amount_text(amount).decode()

    def _span(self, name, index, start, end):
        """The class, the index and the times for the library, and what the native form says of them."""
        if index is not None and name is None:
            raise UsageError('a machine with index %r of no class' % (index,), 'name its class')
        return ([_ALL if name is None else one_of('class', self._classes, name), _index(index, 'the index of a machine'),
                 to_ns(start), _FOREVER if end is None else to_ns(end)],
                {**({} if name is None else {'class': name}), **({} if index is None else {'index': str(index)}),
                 'from': seconds_text(start), **({} if end is None else {'to': seconds_text(end)})})

    def unavailable(self, name=None, index=None, start=0, end=None):
        """From `start` to `end` seconds after the start of the plan no task runs on the machine of that index, on none
        of the class, or on none at all; without an end, from then on."""
        span, said = self._span(name, index, start, end)
        call(lib.br_cluster_add_unavailable, self._cluster, *span)
        self._unavailable.append(said)

    def change(self, resource, amount, name=None, index=None, start=0, end=None):
        """Within this time each such machine offers this amount of the resource; without a class it is that of a
        shared resource."""
        span, said = self._span(name, index, start, end)
        call(lib.br_cluster_add_change, self._cluster, resource, *span, amount_text(amount))
        self._changes.append({'resource': resource, **said, 'amount': amount_text(amount).decode()})

    def to_xml(self):
        """The cluster in its native form, as text."""
        return _program.cluster_to_xml(self)
