#!/usr/bin/env python3
"""Every public call of the Python package, with wrong numbers and wrong types: the answer is a bigrocks.Error or a
result, never another exception, and whole numbers that C has no room for are refused.

The calls and their parameters come from the package, so a new one is tried by itself; a parameter that GOOD does not
know fails.

check_python_values.py SOURCE_ROOT LIBRARY BIGROCKS
"""
import inspect
import os
import pathlib
import sys
import tempfile

root, library, program = sys.argv[1:]
os.environ.update(BIGROCKS_LIBRARY=str(pathlib.Path(library).resolve()), BIGROCKS_PROGRAM=str(pathlib.Path(program).resolve()))
sys.path.insert(0, str(pathlib.Path(root, 'python').resolve()))
sys.dont_write_bytecode = True
import bigrocks  # noqa: E402

WRONG = [-1, 2**32 + 5, 2**64 + 3, -2**63 - 1, 2.5, 1e12, float('nan'), float('inf'), 'none such', 'a\0b', '\ud800', None, [],
         {}, {'a': []}, {2**32 + 1: 1}, {'a\0b': 1}, {1.5: 1}, object(), b'x', (1, 2), True]
# Whole numbers: all of these are refused.
BEYOND = [2**64 + 3, -2**63 - 1, 2.5, 'none such', [], object()]
WHOLE = {'tasks', 'count', 'parent', 'child', 'task', 'job', 'threads', 'seed', 'placements', 'conflicts', 'bundle', 'most',
         'index', 'bytes', 'up'}
# Beyond 32 bits C would take the lowest.
SHORT = {'tasks', 'count', 'task', 'threads', 'bundle', 'most', 'machine'}
# Exceptions that are Python's own way, and what needs Dask; or no call at all.
LEFT_OUT = {'Bound', 'Decision', 'Ran', 'Read', 'Slack', 'StoreHit', 'Task', 'Transfer', 'Error', 'InputError', 'Refused',
            'SystemFault', 'UsageError', 'from_dask', 'dask_cluster', 'Plan.__init__'}
GOOD = {'id': 'new', 'tasks': 2, 'seconds': 1, 'command': 'true', 'durations': None, 'demands': {}, 'stage': 0, 'resource': 'gpu',
        'amount': 1, 'name': 'other', 'unit': 'GiB', 'value': 'v', 'edge': None, 'parent': 0, 'child': 1, 'type': 'barrier', 'overlap': 0,
        'bytes': 1, 'classes': {'n': (1, {'cpu': 1})}, 'count': 1, 'capacities': {'cpu': 1}, 'up': 5, 'down': 5, 'resources': 'cpu',
        'method': 'best', 'effort': 'fast', 'seed': 1, 'threads': 1, 'time_limit': 5, 'placements': 10, 'network': False, 'objective': 'mean', 'weight': 2, 'bound': 'full',
        'conflicts': 0, 'program': False, 'policy': 'graphene', 'eta': 1, 'remote_penalty': 1, 'kappa': 0.1, 'fairness': 'slots',
        'bundle': 4, 'keep_plan': True, 'groups': {'g': 1}, 'overbook': None, 'group': 'g', 'now': 0, 'machine': 0, 'most': 4,
        'task': 0, 'again': False, 'free': 1, 'path': 'store.db', 'search': {'effort': 'fast'}, 'format': 'order',
        'options': {}, 'directory': '.', 'history': None, 'shell': False, 'keep_going': False,
        'consume': None, 'speed': 0.5,
        'duration': 2, 'index': 0, 'start': 0, 'keep': True, 'reads': None, 'lag': 0, 'stream': False, 'end': 9, 'order': None}
SPECIAL = {('Enforcer.report', 'resource'): 'cpu', ('Enforcer.used', 'resource'): 'cpu', ('read', 'path'): 'job.xml', ('read', 'format'): 'xml', ('history', 'path'): 'runs.sqlite', ('history', 'job'): 'job',
           ('render', 'path'): None, ('simulate', 'policy'): 'fifo', ('Job.resource', 'name'): 'gpu',
           ('Cluster.network', 'name'): 'node', ('Cluster.unavailable', 'name'): 'node', ('Cluster.change', 'name'): 'node',
           ('Cluster.change', 'resource'): 'cpu', ('Cluster.shared', 'resources'): {'licence': 1}, ('Job.output', 'start'): 'end',
           ('Job.output', 'free'): 'rm',
           ('Job.alternative', 'classes'): 'node', ('Job.classes', 'classes'): ['node'], ('Cluster.speed', 'name'): 'node',
           ('Job.consume', 'resource'): 'money'}


def job(finished=True):
    made = bigrocks.Job('job')
    made.stage('a', tasks=2, seconds=1, cpu=1, command='true')
    made.edge(0, made.stage('b', seconds=1, cpu=1, command='true'))
    if finished:
        made._finish()
    return made


def cluster():
    return bigrocks.Cluster(node=(2, {'cpu': 1}))


def enforcer():
    made = bigrocks.Enforcer(cluster(), groups={'g': 2})
    made.submit(job())
    return made


# The decisions of a task are made, so that it can end or fail.
def busy():
    made = enforcer()
    made.decide(0)
    return made


OWNERS = {'Job': lambda: job(False), 'Cluster': cluster, 'Enforcer': busy, 'Store': lambda: bigrocks.Store('store.db'),
          'Plan': lambda: bigrocks.plan(job(), cluster(), effort='fast')}


def calls():
    """(name, maker of the function, parameters) of all there are."""
    for name in bigrocks.__all__:
        found = getattr(bigrocks, name)
        if name in LEFT_OUT:
            continue
        if not inspect.isclass(found):
            yield name, lambda f=found: f, inspect.signature(found).parameters
            continue
        if name + '.__init__' not in LEFT_OUT:
            yield name, lambda f=found: f, dict(list(inspect.signature(found.__init__).parameters.items())[1:])
        for member, function in vars(found).items():
            if member.startswith('_') or not inspect.isfunction(function):
                continue
            yield ('%s.%s' % (name, member), lambda n=name, m=member: getattr(OWNERS[n](), m),
                   dict(list(inspect.signature(function).parameters.items())[1:]))


def good(call, name):
    made = {'job': lambda: 0 if call.startswith('Enforcer.') and call != 'Enforcer.submit' else job(),
            'cluster': cluster, 'plan': lambda: OWNERS['Plan'](), 'workload': lambda: [job()]}
    if (call, name) in SPECIAL:
        return SPECIAL[call, name]
    if name in made:
        return made[name]()
    assert name in GOOD, '%s: say in GOOD what a good %s is' % (call, name)
    return GOOD[name]


def arguments(call, parameters, instead):
    """Positional and keyword arguments, one of them perhaps another."""
    listed, named = [], {}
    for name, parameter in parameters.items():
        value = instead[name] if name in instead else good(call, name)
        if parameter.kind == parameter.VAR_KEYWORD:
            named.update({'seed' if name == 'search' else 'x': value} if name in instead else value)
        elif parameter.kind == parameter.VAR_POSITIONAL:
            listed.append(value)
        else:
            named[name] = value
    return listed, named


def main():
    faults, tried = [], 0
    for name, function, parameters in calls():
        slow = name in ('run', 'simulate', 'read', 'render', 'history')  # a process each
        for one in [None, *parameters]:
            for wrong in WRONG if one else [None]:
                if slow and isinstance(wrong, (str, int, float)) and wrong not in ('a\0b', -1):
                    continue
                ready = function()
                listed, named = arguments(name, parameters, {one: wrong} if one else {})
                said, tried = '%s(%s=%r)' % (name, one, wrong), tried + 1
                try:
                    ready(*listed, **named)
                except bigrocks.Error as error:
                    if not one:
                        faults.append('%s as it is meant: %s' % (name, error))
                    continue
                except BaseException as error:
                    faults.append('%s: %s: %s' % (said, type(error).__name__, error))
                    continue
                beyond = one in WHOLE and any(wrong is b or wrong == b for b in BEYOND)
                # C would take what stands before the NUL.
                cut = wrong == 'a\0b' and one not in ('keep_plan', 'again')
                if (beyond or cut or one in SHORT and wrong == 2**32 + 5) and not name.startswith('run'):
                    faults.append('%s is taken' % said)
    print('\n'.join(faults))
    print('%d calls, %d faults' % (tried, len(faults)))
    return bool(faults)


with tempfile.TemporaryDirectory(prefix='bigrocks-values-') as folder:
    os.chdir(folder)
    pathlib.Path('job.xml').write_text(job().to_xml())
    bigrocks.run(job(), cluster(), history='runs.sqlite')
    status = main()
    os.chdir('/')
sys.exit(status)
