#!/usr/bin/env python3
"""Plans as projects of Microsoft's (MSPDI): planned dates, links, units; elements in the schema's order; read back, the
same job.

usage: check_mspdi_plan.py BIGROCKS
"""
import datetime
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

SPACE = '{http://schemas.microsoft.com/project}'
DATA = pathlib.Path(__file__).parent.parent / 'data'
MONDAY = datetime.datetime(2000, 1, 3)
# Of Microsoft's schema (mspdi_pj12.xsd, in whose order Project insists on elements), those that are written.
ORDER = {
    'Project': 'SaveVersion Name ScheduleFromStart StartDate FinishDate CalendarUID DefaultStartTime DefaultFinishTime '
               'MinutesPerDay MinutesPerWeek DaysPerMonth Calendars Tasks Resources Assignments',
    'Task': 'UID ID Name Active Manual Type IsNull OutlineLevel Start Finish Duration DurationFormat EffortDriven '
            'Estimated Milestone Summary Critical TotalSlack PercentComplete ActualDuration RemainingDuration '
            'ConstraintType CalendarUID ConstraintDate Deadline IgnoreResourceCalendar PredecessorLink',
    'PredecessorLink': 'PredecessorUID Type CrossProject LinkLag LagFormat',
    'Calendar': 'UID Name IsBaseCalendar BaseCalendarUID WeekDays',
    'WeekDay': 'DayType DayWorking WorkingTimes',
    'Resource': 'UID ID Name Type IsNull MaxUnits',
    'Assignment': 'UID TaskUID ResourceUID Finish Start Units',
}
PAIRS = '''<job xmlns="urn:bigrocks:job:1" name="a &amp; b"><stage id="a" tasks="3" duration="3600.5">
<demand resource="cpu" amount="0.5"/><demand resource="net" amount="2"/></stage>
<stage id="b &lt;" tasks="3" duration="100" deadline="9000" release="4000"/><stage id="c" tasks="2" duration="7"/><stage id="gate"/>
<edge from="a" to="b &lt;" type="one-to-one" lag="120"/><edge from="b &lt;" to="c" stream="yes"/><edge from="c" to="gate"/>
<edge from="a" to="gate"/></job>'''


def run(*words, text=None, status=0):
    done = subprocess.run([sys.argv[1], *map(str, words)], input=text, capture_output=True, text=True)
    assert done.returncode == status, (words, done.stderr)
    return done.stdout if status == 0 else done.stderr


def check_order(element):
    name = element.tag.removeprefix(SPACE)
    if name in ORDER:
        order = ORDER[name].split()
        places = [order.index(child.tag.removeprefix(SPACE)) for child in element]
        assert places == sorted(places), (name, [child.tag for child in element])
    for child in element:
        check_order(child)


def value(element, name):
    return element.findtext(SPACE + name)


def date(seconds):
    return (MONDAY + datetime.timedelta(seconds=int(seconds))).isoformat()


def duration(text):
    hours, minutes, seconds = re.fullmatch(r'PT(\d+)H(\d+)M([\d.]+)S', text).groups()
    return int(hours) * 3600 + int(minutes) * 60 + float(seconds)


def leaves(project):
    """Tasks by name, and names by UID, in which a summary is all tasks inside."""
    tasks, named, inside = {}, {}, None
    for element in project.iter(SPACE + 'Task'):
        if value(element, 'Summary') == '1':
            assert value(element, 'OutlineLevel') == '1'
            inside = named[value(element, 'UID')] = []
            inside.append(element)
            continue
        name = value(element, 'Name')
        tasks[name] = element
        assert value(element, 'UID') not in named
        named[value(element, 'UID')] = [element]
        if value(element, 'OutlineLevel') == '2':
            inside.append(element)
    return tasks, named


def links(tasks, named):
    """All pairs of tasks that links tie, with type and lag in seconds."""
    found = set()
    for elements in named.values():
        for link in elements[0].iter(SPACE + 'PredecessorLink'):
            ends = [[value(e, 'Name') for e in of if value(e, 'Name') in tasks]
                    for of in (named[value(link, 'PredecessorUID')], elements)]
            found |= {(p, c, int(value(link, 'Type')), int(value(link, 'LinkLag')) * 6) for p in ends[0] for c in ends[1]}
    return found


def judge(text, plan):
    """The project is the plan."""
    project = ET.fromstring(text)
    check_order(project)
    assert value(project, 'Name') == plan['job'] and value(project, 'StartDate') == date(0)
    assert value(project, 'FinishDate') == date(plan['makespan'])
    tasks, named = leaves(project)
    planned = {task['id']: task for task in plan['tasks']}
    assert tasks.keys() == planned.keys()
    for name, element in tasks.items():
        start, end = planned[name]['start'], planned[name]['end']
        assert value(element, 'Start') == value(element, 'ConstraintDate') == date(start), name
        assert value(element, 'ConstraintType') == '4' and value(element, 'Finish') == date(end)
        assert abs(duration(value(element, 'Duration')) - (end - start)) < 1e-9
        assert value(element, 'RemainingDuration') == value(element, 'Duration')
        assert (value(element, 'Milestone') == '1') == (start == end)
    resource = {value(e, 'UID'): (value(e, 'Name'), float(value(e, 'MaxUnits'))) for e in project.iter(SPACE + 'Resource')}
    by_uid = {value(e, 'UID'): name for name, e in tasks.items()}
    taken = {}
    for element in project.iter(SPACE + 'Assignment'):
        name = by_uid[value(element, 'TaskUID')]
        assert value(element, 'Start') == value(tasks[name], 'Start') and value(element, 'Finish') == value(tasks[name], 'Finish')
        taken.setdefault(name, {})[resource[value(element, 'ResourceUID')][0]] = float(value(element, 'Units'))
    return tasks, links(tasks, named), resource, taken


with tempfile.TemporaryDirectory() as scratch:
    path, file = pathlib.Path(scratch) / 'plan.json', pathlib.Path(scratch) / 'plan.xml'
    run('plan', '-', '--capacity', 'cpu=1,net=6', '-q', '-o', path, text=PAIRS)
    plan = json.loads(path.read_text())
    text = run('render', path, '--format', 'mspdi', '-q')
    tasks, tied, resource, taken = judge(text, plan)
    assert tied == {*((('a[%d]' % i), 'b <[%d]' % i, 1, 120) for i in range(3)),
                    *(('b <[%d]' % i, 'c[%d]' % j, 3, 0) for i in range(3) for j in range(2)),
                    *(('c[%d]' % i, 'gate', 1, 0) for i in range(2)), *(('a[%d]' % i, 'gate', 1, 0) for i in range(3))}, tied
    assert sorted(resource.values()) == [('cpu', 1), ('net', 6)]
    assert taken == {'a[%d]' % i: {'cpu': 0.5, 'net': 2} for i in range(3)}, taken
    assert all((value(e, 'Deadline') == date(9000)) == name.startswith('b') for name, e in tasks.items())
    # Read back: the same tasks, edges, demands and capacities.
    file.write_text(text)
    again = run('convert', file, '--format', 'xml')
    stages = dict(re.findall(r'<stage id="([^"]*)" tasks="1" duration="([^"]*)"', again))
    assert {name.replace('&lt;', '<'): float(time) for name, time in stages.items()} == {
        task['id']: round(task['end'] - task['start'], 9) for task in plan['tasks']}, stages
    assert len(re.findall('<edge ', again)) == len(tied) and len(re.findall('stream="yes"', again)) == 6
    assert len(re.findall('lag="120"', again)) == 3 and 'capacity resource="cpu" amount="1"' in again
    run('plan', file, '-q', '-o', path)
    # One more time: the job is the same, and so are the numbers of its tasks.
    second = run('render', path, '--format', 'mspdi', '-q')
    file.write_text(second)
    assert run('convert', file, '--format', 'xml') == again
    judge(second, json.loads(path.read_text()))
    # A project of others: its tasks keep their UIDs.
    run('plan', DATA / 'small.mspdi.xml', '-q', '-o', path)
    house = judge(run('render', path, '--format', 'mspdi', '-q'), json.loads(path.read_text()))
    assert {name: value(e, 'UID') for name, e in house[0].items()} == {'Dig': '1', 'Brick': '3', 'Brick (5)': '5', 'Roof': '6'}
    assert ('Brick', 'Brick (5)', 3, 60) in house[1] and ('Dig', 'Brick', 1, 3600) in house[1], house[1]
    # Machines are told apart, and each task takes of its own.
    cluster = '<cluster xmlns="urn:bigrocks:cluster:1" name="k"><machine class="big" count="2"><capacity resource="cpu" amount="2"/></machine>' \
              '<shared resource="net" amount="4"/></cluster>'
    (pathlib.Path(scratch) / 'cluster.xml').write_text(cluster)
    run('plan', '-', '--cluster', pathlib.Path(scratch) / 'cluster.xml', '-q', '-o', path, text=PAIRS)
    plan = json.loads(path.read_text())
    _, _, resource, taken = judge(run('render', path, '--format', 'mspdi', '-q'), plan)
    assert sorted(resource.values()) == [('cpu of big[0]', 2), ('cpu of big[1]', 2), ('net', 4)], resource
    assert taken == {t['id']: {'cpu of ' + t['machine']: 0.5, 'net': 2} for t in plan['tasks'] if t['id'][0] == 'a'}, taken
    run('plan', '-', '--capacity', 'mem=4', '-q', '-o', path, text='<job xmlns="urn:bigrocks:job:1" name="o"><stage id="s" duration="1">'
        '<output id="o" resource="mem" amount="1"/></stage></job>')
    assert 'format mspdi' in run('render', path, '--format', 'mspdi', status=3)
