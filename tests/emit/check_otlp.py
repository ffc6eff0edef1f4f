#!/usr/bin/env python3
"""Plans as traces of OpenTelemetry: a span a task within the job's, linked to what it waits for.

usage: check_otlp.py BIGROCKS
"""
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

EPOCH = 946684800 * 10 ** 9
JOB = '''<job xmlns="urn:bigrocks:job:1" name="a &quot;job&quot;">
<stage id="map" tasks="3" duration="2.5"><demand resource="cpu" amount="1"/><demand resource="mem" amount="0.5"/></stage>
<stage id="sort" tasks="3" duration="1"/><stage id="end" duration="0.000000001"/><stage id="alone"/>
<edge from="map" to="sort" type="one-to-one"/><edge from="sort" to="end"/><edge from="map" to="end"/></job>'''


def run(*words, text=None):
    done = subprocess.run([sys.argv[1], *map(str, words)], input=text, capture_output=True, text=True)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


def attributes(span):
    values = {}
    for entry in span['attributes']:
        (kind, value), = entry['value'].items()
        assert isinstance(value, {'stringValue': str, 'intValue': str, 'doubleValue': (int, float), 'boolValue': bool}[kind]), entry
        values[entry['key'].replace('bigrocks.', '', 1)] = value
    return values


with tempfile.TemporaryDirectory() as scratch:
    path = pathlib.Path(scratch) / 'plan.json'
    run('plan', '-', '--capacity', 'cpu=2,mem=4', '-q', '-o', path, text=JOB)
    plan = json.loads(path.read_text())
    text = run('render', path, '--format', 'otlp')
    assert text == run('render', path, '--format', 'otlp'), 'equal plans give equal bytes'
    resource, = json.loads(text)['resourceSpans']
    assert resource['resource']['attributes'] == [{'key': 'service.name', 'value': {'stringValue': 'bigrocks'}}]
    spans = resource['scopeSpans'][0]['spans']
    root, tasks = spans[0], {task['id']: task for task in plan['tasks']}
    assert root['name'] == 'a "job"' and 'parentSpanId' not in root and attributes(root)['makespan'] == plan['makespan']
    assert int(root['endTimeUnixNano']) - int(root['startTimeUnixNano']) == round(plan['makespan'] * 10 ** 9)
    assert len(spans) == 1 + len(tasks) and len({span['spanId'] for span in spans}) == len(spans)
    assert len({span['traceId'] for span in spans}) == 1 and re.fullmatch('[0-9a-f]{32}', root['traceId'])
    named = {span['spanId']: span['name'] for span in spans}
    links = {}
    for span in spans[1:]:
        task, values = tasks[span['name']], attributes(span)
        assert span['parentSpanId'] == root['spanId'] and re.fullmatch('[0-9a-f]{16}', span['spanId']) and span['kind'] == 1
        assert int(span['startTimeUnixNano']) == EPOCH + round(task['start'] * 10 ** 9), span
        assert int(span['endTimeUnixNano']) == EPOCH + round(task['end'] * 10 ** 9), span
        assert values['planned_start'] == task['start'] and values['rank'] == str(task['rank']), span
        assert values['stage'] == span['name'].split('[')[0] and values['machine'] == 'm' and values['slack'] == task['slack'], span
        links[span['name']] = sorted(named[link['spanId']] for link in span.get('links', []))
        assert all(link['traceId'] == root['traceId'] for link in span.get('links', []))
        assert all(tasks[parent]['end'] <= task['start'] for parent in links[span['name']])
    assert attributes(spans[1]).get('demand.mem') == 0.5 or spans[1]['name'] == 'alone', spans[1]
    last = {stage: max((t for t in tasks.values() if t['id'].startswith(stage)), key=lambda t: t['end'])['end'] for stage in ('map', 'sort')}
    assert links['sort[1]'] == ['map[1]'] and links['alone'] == [] and links['map[0]'] == [], links
    assert [parent[:3] for parent in links['end']] == ['map', 'sor'] and sorted(tasks[p]['end'] for p in links['end']) == sorted(last.values())
    assert any(attributes(span)['critical'] for span in spans[1:])
    run('plan', '-', '--capacity', 'cpu=3,mem=4', '-q', '-o', path, text=JOB)
    other = json.loads(run('render', path, '--format', 'otlp'))['resourceSpans'][0]['scopeSpans'][0]['spans'][0]
    assert other['traceId'] != root['traceId'], 'other plans are other traces'


# ---- A run of the plan ----

TRACE = [
    # task, machine, attempt, outcome, code, start, end, user, system, peak
    ('map[0]', 'm', 1, 'exit', 3, 0.25, 1, 0.5, 0.125, 4096),
    ('map[1]', 'm', 1, 'done', 0, 0.5, 3, 2, 0, 8192),
    ('map[0]', 'm', 2, 'done', 0, 1.5, 4.25, 2, 0, 8192),
    ('map[2]', 'm', 1, 'done', 0, 3, 3.75, 0.5, 0, 0),
    ('sort[1]', 'm', 1, 'signal', 9, 3.5, 4.5, 0, 0, 0),
    ('sort[0]', 'm', 1, 'done', 0, 4.25, 5, 0, 0, 0),
]
NAMES = 'task', 'machine', 'attempt', 'outcome', 'code', 'start', 'end', 'user', 'system', 'peak'


def check_run(text, plan):
    """The spans of the run have its times, and beside them the plan's."""
    spans = json.loads(text)['resourceSpans'][0]['scopeSpans'][0]['spans']
    root, rest = spans[0], spans[1:]
    assert attributes(root)['makespan'] == plan['makespan'] and attributes(root)['ran'] == 5
    assert attributes(root)['attempts'] == '6' and attributes(root)['not_run'] == '3'
    assert int(root['startTimeUnixNano']) == EPOCH and int(root['endTimeUnixNano']) == EPOCH + 5 * 10 ** 9
    tasks = {task['id']: task for task in plan['tasks']}
    wanted = sorted(TRACE, key=lambda row: row[5])
    assert [span['name'] for span in rest] == [row[0] for row in wanted]
    for span, row in zip(rest, wanted):
        row, values, task = dict(zip(NAMES, row)), attributes(span), tasks[span['name']]
        assert span['parentSpanId'] == root['spanId'] and span['traceId'] == root['traceId']
        assert int(span['startTimeUnixNano']) == EPOCH + round(row['start'] * 10 ** 9)
        assert int(span['endTimeUnixNano']) == EPOCH + round(row['end'] * 10 ** 9)
        assert (values['planned_start'], values['planned_end']) == (task['start'], task['end']), values
        assert values['late'] == row['start'] - task['start'] and values['slack'] == task['slack'], values
        assert values['attempt'] == str(row['attempt']) and values['code'] == str(row['code'])
        assert (values['user'], values['system'], values['peak']) == (row['user'], row['system'], str(row['peak']))
        assert values['ran_on'] == 'm' and values['outcome'] == row['outcome']
        assert span['status'] == ({'code': 1} if row['outcome'] == 'done' else
                                  {'code': 2, 'message': '%(outcome)s %(code)d' % row}), span
    by_id = {span['spanId']: span for span in rest}
    assert len(by_id) == 6
    links = [[(by_id[link['spanId']]['name'], attributes(by_id[link['spanId']])['attempt'])
              for link in span.get('links', [])] for span in rest]
    assert links == [[], [], [], [], [('map[1]', '1')], [('map[0]', '2')]], links
    assert root['traceId'] != json.loads(run('render', path, '--format', 'otlp'))['resourceSpans'][0]['scopeSpans'][0][
        'spans'][0]['traceId'], 'a run is another trace than its plan'


with tempfile.TemporaryDirectory() as scratch:
    path, table, lines = (pathlib.Path(scratch) / name for name in ('plan.json', 'run.csv', 'run.jsonl'))
    run('plan', '-', '--capacity', 'cpu=2,mem=4', '-q', '-o', path, text=JOB)
    table.write_text('\n'.join([','.join(NAMES), *(','.join(map(str, row)) for row in TRACE)]) + '\n')
    lines.write_text('\n'.join(json.dumps(dict(zip(NAMES, row), job='a "job"')) for row in TRACE))
    text = run('render', path, '--run', table, '--format', 'otlp')
    check_run(text, json.loads(path.read_text()))
    assert text == run('render', path, '--run', lines, '--format', 'otlp'), 'both forms are one trace'
    # As little as a record of any other run has.
    table.write_text('end,task,start\n4,alone,1\n')
    span = json.loads(run('render', path, '--run', table, '--format', 'otlp'))['resourceSpans'][0]['scopeSpans'][0][
        'spans'][1]
    assert span['name'] == 'alone' and attributes(span)['outcome'] == 'done' and span['status'] == {'code': 1}
    assert not {'ran_on', 'user', 'system', 'peak'} & attributes(span).keys()
    # Damaged traces are read or refused with their place.
    draw, refused = random.Random(1), 0
    for k in range(120):
        text = bytearray((table if k % 2 else lines).read_bytes())
        for _ in range(draw.randint(1, 3)):
            at = draw.randrange(len(text))
            text[at:at + draw.choice((0, 1, 5))] = draw.choice((b'"', b',', b'{', b'\n', b'1e99', b'-', b'', b'\xff', b'null'))
        damaged = pathlib.Path(scratch) / ('damaged' + (table if k % 2 else lines).suffix)
        damaged.write_bytes(text)
        done = subprocess.run([sys.argv[1], 'render', path, '--run', damaged, '--format', 'otlp'], capture_output=True)
        assert done.returncode == 0 or (done.returncode == 3 and done.stderr.startswith(bytes(damaged) + b':')), done
        refused += done.returncode == 3
    assert 20 < refused < 118, refused
