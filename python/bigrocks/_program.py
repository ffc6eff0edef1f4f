"""What the program bigrocks does beside the library: it reads formats, draws plans, runs commands and simulates.

    job, cluster = bigrocks.read('query.explain.xml')
    plan = bigrocks.plan(job, cluster or bigrocks.Cluster(node=(2, {'cpu': 4, 'mem': '16GiB'})))
    svg = bigrocks.render(plan, 'svg')

The program is $BIGROCKS_PROGRAM, else the one that came with the package, else the one in PATH. Its errors become
the same exceptions as those of the library, with file and line.
"""
import collections
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import xml.etree.ElementTree as _xml

from . import _errors
from ._library import lib

_SPACE, _CLUSTER_SPACE = 'urn:bigrocks:job:1', 'urn:bigrocks:cluster:1'

_SITE = 'name', 'partition', 'account', 'time-factor'  # of a cluster; kept as they were read

Read = collections.namedtuple('Read', 'job cluster')
Ran = collections.namedtuple('Ran', 'ok tasks output messages')


def find():
    """The path of the program. SystemFault where there is none."""
    beside = pathlib.Path(__file__).with_name('bin') / 'bigrocks'
    path = os.environ.get('BIGROCKS_PROGRAM') or (str(beside) if beside.exists() else shutil.which('bigrocks'))
    if not path:
        raise _errors.SystemFault('the program bigrocks is not found',
                                  'install it, or name it in BIGROCKS_PROGRAM')
    return path


_PLACE = re.compile(r'(?P<file>[^:\n]+):(?P<line>\d+)(?::(?P<column>\d+))?: (?P<what>.*)', re.S)


def _fault(status, text, known):
    """The exception of what the program has said last. `known` are the files that it was given."""
    lines = [line for line in text.strip().splitlines() if line]
    said = lines[-1] if lines else 'the program ended with status %d' % status
    place, file = _PLACE.match(said), ''
    line = column = 0
    if place:
        file, said = place['file'], place['what']
        line, column = int(place['line']), int(place['column'] or 0)
    elif said.startswith('bigrocks: '):
        said = said[len('bigrocks: '):]
    else:
        for name in known:
            if said.startswith(name + ': '):
                file, said = name, said[len(name) + 2:]
    what, _, hint = said.partition('; ')
    return _errors.of(status, what, hint, file, line, column)


def call(*words, input=None, cwd=None, fine=(0,)):
    """Runs the program with these words, and returns what subprocess.run does, as text. Other ends than those of
    `fine` are exceptions. Where Python is interrupted, so is the program, and its end is waited for."""
    words = [os.fspath(w) if isinstance(w, os.PathLike) else str(w) for w in words]
    try:
        child = subprocess.Popen([find(), *words], text=True, cwd=cwd, encoding='utf-8', stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE,
                                 stdin=subprocess.DEVNULL if input is None else subprocess.PIPE)
    except OSError as error:
        raise _errors.SystemFault('the program cannot be started: %s' % error, '') from error
    except (ValueError, TypeError) as error:  # a NUL or a half of a character in a word, or a folder that is none
        raise _errors.UsageError('the program cannot be given this: %s' % error) from error
    try:
        output, messages = child.communicate(input)
    except BaseException:
        child.send_signal(signal.SIGINT)  # it stops its tasks, and waits for them
        try:
            child.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            child.kill()
            child.communicate()
        raise
    if child.returncode not in fine:
        raise _fault(child.returncode, messages, words)
    return subprocess.CompletedProcess(words, child.returncode, output, messages)


def options(options):
    """Keywords as the options of the command line: default_duration=1 is --default-duration=1, shell=True --shell."""
    words = []
    for name, value in options.items():
        name = '--' + name.rstrip('_').replace('_', '-')
        if value is True:
            words.append(name)
        elif value is not None and value is not False:
            words.append('%s=%s' % (name, value))
    return words


def _named(element, name):
    """Its children of this name, in whatever namespace of ours."""
    return [child for child in element if child.tag.rpartition('}')[2] == name]


def _read_alternative(job, stage, way, tasks):
    demands, consumed = {}, {}
    for demand in _named(way, 'demand'):
        (consumed if demand.get('consume') == 'yes' else demands)[demand.get('resource')] = demand.get('amount')
    job.alternative(stage, way.get('id'), way.get('duration'), way.get('class') and way.get('class').split(),
                    {int(t.get('index')): t.get('duration') for t in tasks if t.get('alternative') == way.get('id')},
                    consumed)
    number = len(job._stages[stage]['alternatives']) - 1
    for resource, amount in demands.items():  # of any name, also 'id'
        job._demand_of(stage, number, resource, amount)


def input_of_xml(make_job, make_cluster, text):
    """The job, and the cluster that its file carries."""
    root = _xml.fromstring(text)
    job, number = make_job(root.get('name') or 'job'), {}
    for resource in _named(root, 'resource'):
        job.resource(resource.get('name'), resource.get('unit'))
    for stage in _named(root, 'stage'):
        command, name = _named(stage, 'command'), stage.get('id')
        own = {int(t.get('index')): t.get('duration') for t in _named(stage, 'task')
               if t.get('duration') and t.get('alternative') is None}
        number[name] = job.stage(name, int(stage.get('tasks') or 1), stage.get('duration') or 0,
                                 (command[0].text or '') if command else None, own)
        for demand in _named(stage, 'demand'):
            (job.consume if demand.get('consume') == 'yes' else job.demand)(
                number[name], demand.get('resource'), demand.get('amount'))
        if stage.get('class'):
            job.classes(number[name], stage.get('class').split())
        for way in _named(stage, 'alternative'):
            _read_alternative(job, number[name], way, _named(stage, 'task'))
        for output in _named(stage, 'output'):
            job.output(number[name], output.get('id'), output.get('resource'), output.get('amount'),
                       output.get('from') or 'start', output.get('keep') != 'no', output.get('free'))
        for element, index in [(stage, None)] + [(task, int(task.get('index') or 0)) for task in _named(stage, 'task')]:
            if element.get('release') is not None:
                job.release(number[name], element.get('release'), index)
            if element.get('deadline') is not None:
                job.deadline(number[name], element.get('deadline'), index)
        for attribute in _named(stage, 'attribute'):
            job.attribute(attribute.get('name'), attribute.get('value'), number[name])
    for edge in _named(root, 'edge'):
        made = job.edge(number[edge.get('from')], number[edge.get('to')], edge.get('type') or 'barrier',
                        int(edge.get('bytes') or 0), None if edge.get('reads') is None else edge.get('reads').split(),
                        edge.get('lag') or 0, edge.get('stream') == 'yes', int(edge.get('overlap') or 0))
        for attribute in _named(edge, 'attribute'):
            job.attribute(attribute.get('name'), attribute.get('value'), edge=made)
    for attribute in _named(root, 'attribute'):
        job.attribute(attribute.get('name'), attribute.get('value'))
    clusters = _named(root, 'cluster')
    return Read(job, cluster_of_xml(make_cluster, clusters[0]) if clusters else None)


def _span_of(element):
    """The class, the index and the times of a window."""
    return (element.get('class'), None if element.get('index') is None else int(element.get('index')),
            element.get('from') or 0, element.get('to'))


def cluster_of_xml(make_cluster, root):
    cluster, fungible = make_cluster(), {}
    for machine in _named(root, 'machine'):
        capacities = _named(machine, 'capacity')
        cluster.machines(machine.get('class'), int(machine.get('count') or 1),
                         **{c.get('resource'): c.get('amount') for c in capacities})
        if machine.get('speed'):
            cluster.speed(machine.get('class'), machine.get('speed'))
        if machine.get('up'):
            cluster.network(int(machine.get('up')), int(machine.get('down')), machine.get('class'))
        fungible.update({c.get('resource'): True for c in capacities if c.get('fungible') == 'true'})
        cluster._generic += [c.get('resource') for c in capacities
                             if c.get('slurm') == 'gres' and c.get('resource') not in cluster._generic]
    cluster.fungible(*fungible)
    cluster.shared(**{shared.get('resource'): shared.get('amount') for shared in _named(root, 'shared')})
    for element in _named(root, 'unavailable'):
        cluster.unavailable(*_span_of(element))
    for element in _named(root, 'change'):
        cluster.change(element.get('resource'), element.get('amount'), *_span_of(element))
    cluster._site = {name: root.get(name) for name in _SITE if root.get(name)}
    return cluster


def _write_attributes(element, attributes):
    for name, value in attributes.items():
        _xml.SubElement(element, 'attribute', {'name': name, 'value': value})


def _classes_of(way):
    return {'class': ' '.join(way['classes'])} if way['classes'] else {}


def _write_amounts(element, way):
    for resource, amount in way['demands'].items():
        _xml.SubElement(element, 'demand', {'resource': resource, 'amount': amount})
    for resource, amount in way['consumed'].items():
        _xml.SubElement(element, 'demand', {'resource': resource, 'amount': amount, 'consume': 'yes'})


def job_to_xml(job):
    """The native form of what a job was made of."""
    root = _xml.Element('job', {'xmlns': _SPACE, 'name': job.name})
    _write_attributes(root, job._attributes)
    for resource, unit in job._resources.items():
        _xml.SubElement(root, 'resource', {'name': resource, **({'unit': unit} if unit else {})})
    for stage in job._stages:
        element = _xml.SubElement(root, 'stage', {'id': stage['id'], 'tasks': str(stage['tasks']),
                                                  'duration': stage['duration'], **_classes_of(stage),
                                                  **stage['times'].get(None, {})})
        _write_amounts(element, stage)
        for way in stage['alternatives']:
            inner = _xml.SubElement(element, 'alternative', {
                'id': way['id'], **_classes_of(way), **({'duration': way['duration']} if way['duration'] else {})})
            _write_amounts(inner, way)
        for index, seconds in stage['durations'].items():
            _xml.SubElement(element, 'task', {'index': str(index), 'duration': seconds})
        for way in stage['alternatives']:
            for index, seconds in way['durations'].items():
                _xml.SubElement(element, 'task', {'index': str(index), 'alternative': way['id'], 'duration': seconds})
        for output in stage['outputs']:
            _xml.SubElement(element, 'output', output)
        for index, times in stage['times'].items():
            if index is not None:
                _xml.SubElement(element, 'task', {'index': str(index), **times})
        if stage['command'] is not None:
            _xml.SubElement(element, 'command').text = stage['command']
        _write_attributes(element, stage['attributes'])
    for (parent, child, kind, size, attributes), wait in zip(job._edges, job._waits):
        _write_attributes(_xml.SubElement(root, 'edge', {
            'from': job._stages[parent]['id'], 'to': job._stages[child]['id'], 'type': kind,
            **({'bytes': str(size)} if size else {}),
            **{name: ' '.join(value) if name == 'reads' else value for name, value in wait.items()}}), attributes)
    return _xml.tostring(root, encoding='unicode')


def cluster_to_xml(cluster):
    root = _xml.Element('cluster', {'xmlns': _CLUSTER_SPACE, **cluster._site})
    for number, (name, count, capacities) in enumerate(cluster._made):
        up, down = cluster._ports.get(number, (0, 0))
        machine = _xml.SubElement(root, 'machine', {'class': name, 'count': str(count),
                                                    **({'speed': cluster._speeds[number]}
                                                       if number in cluster._speeds else {}),
                                                    **({'up': str(up), 'down': str(down)} if up else {})})
        for resource, amount in capacities.items():
            _xml.SubElement(machine, 'capacity', {
                'resource': resource, 'amount': amount,
                **({'fungible': 'true'} if resource in cluster._fungible else {}),
                **({'slurm': 'gres'} if resource in cluster._generic else {})})
    for resource, amount in cluster._shared.items():
        _xml.SubElement(root, 'shared', {'resource': resource, 'amount': amount})
    for window in cluster._unavailable:
        _xml.SubElement(root, 'unavailable', window)
    for window in cluster._changes:
        _xml.SubElement(root, 'change', window)
    return _xml.tostring(root, encoding='unicode')


def _number(value):
    """Seconds that came from whole nanoseconds."""
    return round(value, 9)


def _in_numbers(said):
    """Words of the native form, with times and indices as numbers."""
    return {name: float(value) if name in ('release', 'deadline', 'lag', 'from', 'to') else
            int(value) if name in ('index', 'overlap') else value for name, value in said.items()}


def _slack_of(plan, job, cluster):
    """By rank; None for a plan of what has outputs, times or shared resources, of which slack is not known."""
    special = (cluster._shared or cluster._unavailable or cluster._changes or
               any(wait.keys() - {'overlap'} for wait in job._waits) or cluster._speeds or
               any(stage['outputs'] or stage['times'] or stage['alternatives'] or stage['classes'] or
                   stage['consumed'] for stage in job._stages))
    return [None] * len(plan) if special else plan.slack


def _ways_of(way):
    return {**({'consumed': dict(way['consumed'])} if way['consumed'] else {}),
            **({'classes': list(way['classes'])} if way['classes'] else {})}


def _durations_of(way):
    return ({'durations': [{'index': k, 'duration': float(s)} for k, s in way['durations'].items()]}
            if way['durations'] else {})


def plan_to_json(plan, job, cluster):
    stages = []
    for stage in job._stages:
        told = {'id': stage['id'], 'tasks': stage['tasks'], 'duration': float(stage['duration']),
                'demands': dict(stage['demands'])}
        told.update(_durations_of(stage), **_ways_of(stage))
        if stage['alternatives']:
            told['alternatives'] = [
                {'id': way['id'], **({} if way['duration'] is None else {'duration': float(way['duration'])}),
                 'demands': dict(way['demands']), **_ways_of(way), **_durations_of(way)}
                for way in stage['alternatives']]
        if stage['outputs']:
            told['outputs'] = [dict(output) for output in stage['outputs']]
        told.update(_in_numbers(stage['times'].get(None, {})))
        if any(index is not None for index in stage['times']):
            told['times'] = [{'index': index, **_in_numbers(times)} for index, times in stage['times'].items()
                             if index is not None]
        if stage['command'] is not None:
            told['command'] = stage['command']
        if stage['attributes']:
            told['attributes'] = dict(stage['attributes'])
        stages.append(told)
    whole = {
        'format': 'bigrocks-plan/1', 'job': job.name, 'method': plan.method,
        'seed': plan._options.seed if plan._options else 1,
        'makespan': _number(plan.makespan), 'lower_bound': _number(plan.lower_bound),
        **({'objective': plan.objective, 'mean_completion': _number(plan.mean),
            'mean_bound': _number(plan.mean_bound)} if plan.objective != 'makespan' else {}),
        'gap': round(plan.gap, 9) if plan.gap < float('inf') else None, 'bound_method': plan.bound_method,
        'bound_status': 'proven' if plan.certificate else 'unproven',
        **({'certificate': json.loads(plan.certificate)} if plan.certificate else {}),
        'resources': [{'name': name, **({'unit': unit} if unit else {})} for name, unit in job._resources.items()],
        'stages': stages,
        'edges': [{'from': job._stages[parent]['id'], 'to': job._stages[child]['id'], 'type': kind,
                   **({'bytes': size} if size else {}), **_in_numbers(wait),
                   **({'attributes': dict(attributes)} if attributes else {})}
                  for (parent, child, kind, size, attributes), wait in zip(job._edges, job._waits)],
        'cluster': {**cluster._site, **({'fungible': list(cluster._fungible)} if cluster._fungible else {}),
                    **({'generic': list(cluster._generic)} if cluster._generic else {}),
                    **({'shared': dict(cluster._shared)} if cluster._shared else {}),
                    **({'unavailable': [_in_numbers(window) for window in cluster._unavailable]}
                       if cluster._unavailable else {}),
                    **({'changes': [_in_numbers(window) for window in cluster._changes]} if cluster._changes else {}),
                    'classes': [
            {'class': name, 'count': count,
             **({'speed': float(cluster._speeds[number])} if number in cluster._speeds else {}),
             **(dict(zip(('up', 'down'), cluster._ports[number])) if number in cluster._ports else {}),
             'capacities': dict(capacities)}
            for number, (name, count, capacities) in enumerate(cluster._made)]},
        'tasks': [{'id': t.id, 'start': _number(t.start), 'end': _number(t.end), 'machine': t.machine, 'rank': t.rank,
                   'priority': round(t.priority, 9), 'subset': t.subset,
                   **({} if way is None else {'alternative': way}),
                   **({} if slack is None else {'slack': _number(slack.total), 'free_slack': _number(slack.free)})}
                  for t, way, slack in zip(plan, plan.alternatives, _slack_of(plan, job, cluster))],
    }
    if job._attributes:
        whole['attributes'] = dict(job._attributes)
    if plan.transfers is not None:
        whole['network_bound'] = _number(plan.network_bound)
        whole['transfers'] = [
            {'from': lib.br_dag_stage_id(job._dag, t.parent).decode(), 'to': lib.br_dag_stage_id(job._dag, t.child).decode(),
             **({} if t.index is None else {'index': t.index}), 'source': t.source, 'target': t.target,
             'bytes': t.bytes, 'start': _number(t.start), 'end': _number(t.end),
             'rates': [{'start': _number(start), 'end': _number(end), 'rate': rate} for start, end, rate in t.rates]}
            for t in plan.transfers]
    if plan.note:
        whole['note'] = plan.note
    return json.dumps(whole, indent=1, ensure_ascii=False)


class Folder:
    """A folder for the files of one call."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory(prefix='bigrocks-')
        self.path = pathlib.Path(self._folder.name)

    def write(self, name, text):
        path = self.path / name
        path.write_text(text, encoding='utf-8')
        return path

    def lines(self, name):
        """The objects of a file of JSON lines; none where it is not there."""
        path = self.path / name
        return [json.loads(line) for line in path.read_text(encoding='utf-8').splitlines()] if path.exists() else []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._folder.cleanup()


def read_json(text):
    return json.loads(text)
