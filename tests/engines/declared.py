#!/usr/bin/env python3
"""The contents of a file that no engine here runs: all edges of a job of 40 tasks and no other ones, the
plan's order, and what each task takes.

declared.py BIGROCKS ENGINE

Each file is read by the rules of its engine, as strictly as they are published: a line that fits no
rule is an error. bench/engines has the libraries of the engines themselves as judges.
"""
import importlib.abc
import importlib.machinery
import json
import pathlib
import re
import shlex
import sys
import tempfile

import forty
import job_definition
import missing


def task_of(line):
    """The task whose line for a shell this is."""
    words = [w for w in shlex.split(line) if w not in ('exec', '</dev/null')]
    assert words[0] == 'sh' and words[1].endswith('/note') and len(words) == 4, line
    return words[2], int(words[3])


def closure(waits, real):
    """For every node of `real`, the real ones that it waits for: directly, or through joints."""
    def through(name):
        for parent in waits[name]:
            if parent in real:
                yield real[parent]
            else:
                yield from through(parent)
    return {(parent, real[name]) for name in real for parent in through(name)}


def judge(waits, real, key, rank):
    """`real` has the tasks by name; those of the least `key` are to start first."""
    assert sorted(real.values()) == sorted(rank), real
    assert closure(waits, real) == set(forty.EDGES)
    order = [real[name] for name in sorted(real, key=key)]
    assert [rank[task] for task in order] == list(range(1, 41)), order
    print('40 tasks, %d edges, priorities in the order of the plan' % len(forty.EDGES))


# ---- Airflow ----

class Operator:
    """An operator of the DAG that is being made."""

    def __init__(self, task_id, bash_command=None, priority_weight=1, weight_rule='downstream',
                 pool='default_pool', pool_slots=1, trigger_rule='all_success'):
        assert re.fullmatch(r'[\w.-]{1,250}', task_id), task_id
        assert pool_slots >= 1
        assert task_id not in DAG.now.operators, task_id
        DAG.now.operators[task_id] = self
        self.name, self.parents, self.trigger = task_id, set(), trigger_rule
        self.weight, self.rule, self.pool, self.slots = priority_weight, weight_rule, pool, pool_slots

    def __rshift__(self, other):
        other.parents.add(self.name)
        return other


class DAG:
    def __init__(self, dag_id, schedule, start_date, catchup, max_active_tasks, tags):
        assert re.fullmatch(r'[\w.-]{1,250}', dag_id), dag_id
        self.at_once, self.operators = max_active_tasks, {}

    def __enter__(self):
        DAG.now = self
        return self

    def __exit__(self, *_):
        pass


class Airflow(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Any module of Airflow's, as far as the file needs it."""

    def find_spec(self, name, path, target=None):
        if name.split('.')[0] == 'airflow':
            return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def exec_module(self, module):
        module.DAG, module.BashOperator, module.EmptyOperator = DAG, Operator, Operator
        module.AirflowException = RuntimeError


def judge_airflow(waits, real, ends, key, rank):
    """What only waits for an end, good or bad, is no edge of the job: it hands room on."""
    assert all(len(waits[end]) == 1 and waits[end] <= real.keys() for end in ends)
    judge({name: waits[name] - ends for name in waits.keys() - ends}, real, key, rank)
    forty.judge_room([(real[before], real[name]) for name in real for end in waits[name] & ends
                      for before in waits[end]])


def airflow(file, rank):
    sys.meta_path.insert(0, Airflow())
    for pool in ('None', "'cores'"):
        text, count = re.subn(r'^POOL = None$', 'POOL = ' + pool, file.read_text(), flags=re.M)
        assert count == 1
        exec(compile(text, file.name, 'exec'), {'__name__': 'dag'})
        operators = DAG.now.operators
        real = {name: task_of(o.line) for name, o in operators.items() if hasattr(o, 'line')}
        assert {o.rule for name, o in operators.items() if name in real} == {'absolute'}
        judge_airflow({name: o.parents for name, o in operators.items()}, real,
                      {name for name, o in operators.items() if o.trigger == 'all_done'},
                      lambda name: -operators[name].weight, rank)
        if pool != 'None':
            for name, task in real.items():
                assert operators[name].pool == 'cores'
                assert operators[name].slots == forty.NEED[task[0]]['cpu']
    most = json.loads((file.parent / 'plan.json').read_text())['tasks']
    assert DAG.now.at_once == max(sum(a['start'] <= b['start'] < a['end'] for a in most) for b in most)


# ---- DAGMan ----

NAME = r'[A-Za-z0-9_]+'
GRAMMAR = [
    ('comment', r'\s*(?:#.*)?'),
    ('begin', r'SUBMIT-DESCRIPTION (%s) \{' % NAME),
    ('job', r'JOB (%s) (%s)' % (NAME, NAME)),
    ('vars', r'VARS (%s) (%s)="((?:[^"\\]|\\.)*)"' % (NAME, NAME)),
    ('priority', r'PRIORITY (%s) (-?\d+)' % NAME),
    ('edge', r'PARENT (%s(?: %s)*) CHILD (%s(?: %s)*)' % (NAME, NAME, NAME, NAME)),
]
# Commands of a job's description that the file may use, and what is allowed as their values.
DESCRIPTION = {
    'universe': 'vanilla', 'executable': '/bin/sh', 'arguments': r'".*"', 'log': r'[\w.]+',
    'transfer_executable': 'false', 'request_cpus': r'[1-9]\d*', 'request_memory': r'[1-9]\d*K',
    'output': r'.*', 'error': r'.*', 'concurrency_limits': r'\w+:[1-9]\d*(, \w+:[1-9]\d*)*',
}


def read_dagman(text):
    """The declarations of the lines, by kind."""
    found, into = {kind: [] for kind, _ in GRAMMAR}, None
    for line in text.splitlines():
        if into is not None:
            if line == '}':
                into = None
                continue
            name, value = re.fullmatch(r'  (\w+) = (.*)', line).groups()
            assert re.fullmatch(DESCRIPTION[name], value) and name not in into, line
            into[name] = value
            continue
        kind, match = next(((kind, m) for kind, m in ((k, re.fullmatch(rule, line))
                                                      for k, rule in GRAMMAR) if m), (None, None))
        assert kind, 'fits no rule: %r' % line
        found[kind].append(match.groups())
        if kind == 'begin':
            into = {}
            found[kind][-1] = match[1], into
    assert into is None
    return found


def dagman(file, rank):
    found = read_dagman(file.read_text())
    described = dict(found['begin'])
    uses = dict(found['job'])
    assert len(uses) == len(found['job']) and set(uses.values()) == set(described)
    real = {name: task_of(value) for name, _, value in found['vars']}
    assert real.keys() == uses.keys() and {v for _, v, _ in found['vars']} == {'command'}
    waits = {name: set() for name in uses}
    for parents, children in found['edge']:
        for child in children.split():
            waits[child].update(parents.split())
    assert set().union(*waits.values()) <= waits.keys()
    priority = {name: int(p) for name, p in found['priority']}
    judge(waits, real, lambda name: -priority[name], rank)  # a higher priority goes first
    for name, (stage, _) in real.items():
        takes = described[uses[name]]
        assert int(takes['request_cpus']) == forty.NEED[stage]['cpu'], (name, takes)
        assert takes['request_memory'] == '%dK' % (forty.NEED[stage]['mem'] << 10), (name, takes)
        net = forty.NEED[stage]['net']
        assert takes.get('concurrency_limits') == ('net:%d' % net if net else None), (name, takes)


# ---- Argo ----

# Fields that may stand where, as Argo's API has it, as far as the file uses it: names of fields, and the
# rule for each. A list stands for a list of what is in it.
NAMED = r'[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?'
PARAMETERS = {'parameters': [{'name': NAMED, 'value?': r'.*'}]}
WORKFLOW = {
    'apiVersion': r'argoproj\.io/v1alpha1', 'kind': 'Workflow',
    'metadata': {'generateName': r'[a-z0-9-]+-'},
    'spec': {
        'entrypoint': NAMED, 'parallelism': int, 'arguments': PARAMETERS,
        'templates': [{
            'name': NAMED,
            'dag?': {'failFast?': bool, 'tasks': [{
                'name': NAMED, 'template': NAMED, 'dependencies?': [NAMED],
                'withSequence?': {'start': r'\d+', 'count': r'\d+'}, 'arguments': PARAMETERS}]},
            'inputs?': PARAMETERS,
            'container?': {'image': r'.+', 'command': [r'.+'], 'args': [r'(?s).*'],
                           'resources': {'requests': {'cpu': r'\d+', 'memory?': r'\d+'}}}}]}}


def fits(value, rule, where='workflow'):
    if isinstance(rule, dict):
        assert isinstance(value, dict), where
        names = {name.rstrip('?') for name in rule}
        assert value.keys() <= names, '%s: %s' % (where, value.keys() - names)
        for name, inner in rule.items():
            if name.rstrip('?') in value or name[-1] != '?':
                fits(value[name.rstrip('?')], inner, where + '.' + name)
    elif isinstance(rule, list):
        assert isinstance(value, list) and value, where
        for item in value:
            fits(item, rule[0], where)
    elif rule is bool:
        assert type(value) is bool, where
    elif rule is int:
        assert type(value) is int and value > 0, where
    else:
        assert isinstance(value, str) and re.fullmatch(rule, value), '%s: %r' % (where, value)


def argo(file, rank):
    """Argo waits for whole stages, also where each task waits for one; and it knows no order."""
    try:
        import yaml
    except ImportError:
        missing.leave('the module yaml is')
    workflow = yaml.safe_load(file.read_text())
    fits(workflow, WORKFLOW)
    templates = {t['name']: t for t in workflow['spec']['templates']}
    steps = templates[workflow['spec']['entrypoint']]['dag']['tasks']
    stage, waits = {}, {}
    for step in steps:
        container = templates[step['template']]['container']
        count = int(step.get('withSequence', {'count': '1'})['count'])
        name = task_of(container['args'][0].replace('{{inputs.parameters.index}}', '0'))[0]
        value = step['arguments']['parameters'][0]['value']
        assert value == ('{{item}}' if 'withSequence' in step else '0'), step
        assert count == forty.TASKS[name], step
        requests = container['resources']['requests']
        assert int(requests['cpu']) == forty.NEED[name]['cpu'], step
        assert int(requests['memory']) == forty.NEED[name]['mem'] << 20, step
        stage[step['name']], waits[step['name']] = name, step.get('dependencies', [])
    assert sorted(stage.values()) == sorted(forty.TASKS)
    assert {(stage[p], stage[c]) for c in stage for p in waits[c]} == \
        {(parent, child) for (parent, _), (child, _) in forty.EDGES}
    print('40 tasks; edges between whole stages; no order')


# ---- WfFormat ----

def hyperqueue_toml(file, rank):
    tasks = job_definition.read(file)
    real = {n: task_of(task['command'][2]) for n, task in tasks.items() if task['command'][0] == '/bin/sh'}
    judge({n: set(task.get('deps', [])) for n, task in tasks.items()}, real, lambda n: -tasks[n]['priority'], rank)
    for number, (stage, _) in real.items():
        need = forty.NEED[stage]
        assert tasks[number]['request'][0]['resources'] == {
            name: amount for name, amount in (('cpus', need['cpu']), ('mem', need['mem']), ('net', need['net']))
            if amount}, tasks[number]


def judge_jobs(jobs, needs, line, rank):
    """Jobs of a forge, in the order in which its runners take them: a need that is no edge of the job hands room on."""
    waits = {name: needs(job) for name, job in jobs.items()}
    real = {name: task_of(line(job)) for name, job in jobs.items() if '/note' in line(job)}
    assert sorted(real.values()) == sorted(rank) and all(set(w) <= jobs.keys() for w in waits.values())
    assert [rank[real[name]] for name in jobs if name in real] == list(range(1, 41))
    kept = closure(waits, real)
    assert set(forty.EDGES) <= kept
    forty.judge_room(sorted(kept - set(forty.EDGES)))


def load_yaml(file):
    try:
        import yaml
    except ImportError:
        missing.leave('the module yaml is')
    return yaml.safe_load(file.read_text())


def gitlab(file, rank):
    jobs = load_yaml(file)
    del jobs['stages']
    judge_jobs(jobs, lambda job: job['needs'], lambda job: job['script'][0].strip('()'), rank)


def github(file, rank):
    judge_jobs(load_yaml(file)['jobs'], lambda job: job.get('needs', []), lambda job: job['steps'][1]['run'], rank)


def wfformat(file, rank):
    workflow = json.loads(file.read_text())['workflow']
    tasks = {t['id']: t for t in workflow['specification']['tasks']}
    records = {t['id']: t for t in workflow['execution']['tasks']}
    assert tasks.keys() == records.keys()
    assert {(p, c) for c in tasks for p in tasks[c]['parents']} == \
        {(p, c) for p in tasks for c in tasks[p]['children']}
    real = {name: task_of(' '.join([r['command']['program'], *r['command'].get('arguments', [])]))
            for name, r in records.items() if 'command' in r}
    judge({name: t['parents'] for name, t in tasks.items()}, real,
          lambda name: -records[name]['priority'], rank)
    for name, (stage, _) in real.items():
        assert records[name]['coreCount'] == forty.NEED[stage]['cpu'], name
        assert records[name]['memoryInBytes'] == forty.NEED[stage]['mem'] << 20, name


def main():
    bigrocks, engine = sys.argv[1:3]
    with tempfile.TemporaryDirectory(prefix='bigrocks-engine') as scratch:
        folder = pathlib.Path(scratch)
        rank = forty.plan(bigrocks, folder)
        globals()[engine.replace('-', '_')](forty.render(bigrocks, folder, engine), rank)


if __name__ == '__main__':
    main()
