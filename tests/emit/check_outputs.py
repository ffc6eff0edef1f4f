#!/usr/bin/env python3
"""Judges outputs from outside: XML parses, JSON parses, and Graphviz draws without complaint.

usage: check_outputs.py WRITE_FIXTURE
"""
import json
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET

FIXTURES = [['small'], ['nasty'], ['10', '10', '4', '2'], ['40', '50', '4', '4'],
            ['90', '30', '300', '4']]
PLAN = '{urn:bigrocks:plan:1}'
JOB = '{urn:bigrocks:job:1}'
SVG = '{http://www.w3.org/2000/svg}'


def written(kind, form, fixture):
    return subprocess.run([sys.argv[1], kind, form] + fixture, check=True,
                          stdout=subprocess.PIPE).stdout


def drawn(command, text):
    run = subprocess.run(command, input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert run.returncode == 0 and not run.stderr, (command, run.returncode, run.stderr)
    return ET.fromstring(run.stdout)


def check(fixture):
    plan = json.loads(written('plan', 'json', fixture))
    tasks = len(plan['tasks'])
    assert tasks == sum(s['tasks'] for s in plan['stages'])
    order = written('plan', 'order', fixture).decode().splitlines()
    assert len(order) == tasks + 1 and all(len(line.split('\t')) == 7 for line in order)
    root = ET.fromstring(written('plan', 'xml', fixture))
    assert root.tag == PLAN + 'plan' and len(root.findall(PLAN + 'task')) == tasks
    assert len(root.findall('%sjob/%sstage' % (JOB, JOB))) == len(plan['stages'])
    job = ET.fromstring(written('job', 'xml', fixture))
    assert len(job.findall(JOB + 'edge')) == len(plan['edges'])
    ET.fromstring(written('plan', 'svg', fixture))
    events = json.loads(written('plan', 'trace', fixture))['traceEvents']
    slices = [e for e in events if e['ph'] == 'X']
    assert len(slices) == tasks
    assert {e['pid'] for e in slices} <= {e['pid'] for e in events if e['ph'] == 'M'}
    assert sorted((e['ts'], e['dur']) for e in slices) == sorted(
        (round(t['start'] * 1e6, 3), round((t['end'] - t['start']) * 1e6, 3)) for t in plan['tasks'])
    report = written('plan', 'html', fixture).decode()
    data = json.loads(report.partition('id="data">')[2].partition('</script>')[0])
    assert [len(p['tasks']) for p in data['plans']] == [tasks]
    assert len(data['plans'][0]['stages']) == len(plan['stages'])
    if not shutil.which('dot'):
        print('Graphviz is not installed: pictures not checked')
        return
    titles = {e.text for e in drawn(['dot', '-Tsvg'], written('plan', 'dot', fixture))
              .iter(SVG + 'title')}
    assert len(titles) > len(plan['stages'])
    # From graphviz 14 on neato may be there without its engine.
    if subprocess.run(['neato', '-Tsvg'], input=b'graph {}', capture_output=True).returncode:
        print('neato has no engine: charts not checked')
        return
    chart = drawn(['neato', '-n2', '-Tsvg'], written('plan', 'gantt', fixture))
    boxes = sum(1 for e in chart.iter(SVG + 'title') if ' s to ' in (e.text or ''))
    assert boxes == tasks if tasks <= 400 else 100 < boxes < tasks, (boxes, tasks)


for f in FIXTURES:
    check(f)
