#!/usr/bin/env python3
"""Plans as traces of OpenTelemetry: a span a task within the job's, linked to what it waits for.

usage: check_otlp.py BIGROCKS
"""
import json
import pathlib
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
