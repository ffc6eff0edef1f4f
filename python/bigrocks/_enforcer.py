"""The enforcer: which tasks of many jobs start now, and where."""
import collections
import ctypes

from ._errors import UsageError
from ._library import (ANY, DecisionMade, JobState, Owner, amount_text, call, handle, lib, one_of, pairs_of,
                       set_option, to_ns, whole)


def policies():
    """Names of the enforcer's policies."""
    names = []
    while (name := lib.br_policy_name(len(names))) is not None:
        names.append(name.decode())
    return names


Decision = collections.namedtuple('Decision', 'job task machine')


class Enforcer(Owner):
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
        options = lib.br_runtime_options_default()
        counts = None if fairness is None else one_of('fairness', {'slots': 0, 'dominant': 1}, fairness)
        for name, value, what in (('policy', policy, 'the policy'), ('eta_factor', eta, 'eta'),
                                  ('remote_penalty', remote_penalty, 'remote_penalty'), ('kappa', kappa, 'kappa'),
                                  ('fairness', counts, 'fairness'), ('bundle', bundle, 'bundle'),
                                  ('keep_plan', keep_plan, 'keep_plan')):
            if value is not None:
                set_option(options, name, value, what)
        self._runtime, made = None, ctypes.c_void_p()
        call(lib.br_runtime_create, handle(cluster, '_cluster', 'cluster'), ctypes.byref(options), ctypes.byref(made))
        self._runtime, self._groups = made, {}
        for name, weight in pairs_of(groups, 'groups'):
            self._group(name, weight)
        for resource, percent in pairs_of(overbook, 'overbook'):
            call(lib.br_runtime_overbook, made, resource, percent)

    def __del__(self):
        if getattr(self, '_runtime', None):
            lib.br_runtime_destroy(self._runtime)

    def _group(self, name, weight=1):
        if not isinstance(name, str):
            raise UsageError('%.80r is no name of a group' % (name,), 'give a text')
        if name not in self._groups:
            number = ctypes.c_uint32()
            call(lib.br_runtime_add_group, self._runtime, name, weight, ctypes.byref(number))
            self._groups[name] = number.value
        return self._groups[name]

    def submit(self, job, plan=None, group=None):
        """Takes up a job, which is complete from then on, and returns its number. A group that was not
        declared has the weight 1; None is a group of its own."""
        number = ctypes.c_uint32()
        call(lib.br_runtime_submit, self._runtime, handle(job, '_planned', 'job'),
             None if plan is None else handle(plan, '_plan', 'plan'), 0 if group is None else self._group(group), 0,
             ctypes.byref(number))
        return number.value

    def decide(self, now, machine=None, most=4096):
        """The decisions of this moment, in seconds, never less than before; of one machine, or all."""
        room, decisions = (DecisionMade * whole(most, 'most', 1, 1 << 20))(), []
        count = lib.br_runtime_decide(self._runtime, ANY if machine is None else machine, to_ns(now),
                                       room, most)
        for k in range(count):
            decisions.append(Decision(room[k].job, room[k].task, room[k].machine))
        return decisions

    def started(self, job, task, machine):
        """A task runs that the caller has started by itself."""
        call(lib.br_runtime_started, self._runtime, job, task, machine)

    def finished(self, job, task):
        """A task is done. It may never have started here, such as one that an earlier run finished."""
        call(lib.br_runtime_finished, self._runtime, job, task)

    def lasted(self, job, task, duration):
        """The finished task took so many seconds: others of its stage are believed to take as much longer or shorter
        than declared, so the work that is left of the job follows."""
        call(lib.br_runtime_lasted, self._runtime, job, task, to_ns(duration))

    def failed(self, job, task, again=False):
        """`again`: it is to be started once more."""
        call(lib.br_runtime_failed, self._runtime, job, task, again)

    def report(self, machine, resource, free):
        """So much of it is free just now, whoever uses the rest."""
        call(lib.br_runtime_report, self._runtime, machine, resource, amount_text(free))

    def close(self, job):
        """Nothing more of the job is started."""
        call(lib.br_runtime_close, self._runtime, job)

    def retire(self, job):
        """Forgets the job, whose number may be given again."""
        call(lib.br_runtime_retire, self._runtime, job)

    def state(self, job):
        """How many of its tasks are waiting, ready, running, finished and failed."""
        state = lib.br_runtime_job(self._runtime, job)
        return {name: getattr(state, name) for name, _ in JobState._fields_}

    def used(self, resource, machine=None):
        """Share of the resource that running tasks hold."""
        return lib.br_runtime_used(self._runtime, ANY if machine is None else machine, resource)

    def deficit(self, group=None):
        """How much less than its share the group has had, in clusters."""
        number = 0 if group is None else one_of('group', self._groups, group)
        return lib.br_runtime_deficit(self._runtime, number)
