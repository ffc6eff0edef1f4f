#!/usr/bin/env python3
"""The data of the HTML report are the plan: machines, stages, tasks, trials and figures, against
the same plan as JSON; the lanes hold every task, one at a time; the work is that of the demands.

check_report.py BIGROCKS

No browser is needed (check_html.py looks at the page in one).
"""
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / 'examples'
RACK = ('--machines', '2', '--capacity', 'cpu=8,mem=16GiB,net=1000,disk=400')
JOBS = [('word-count.xml', *RACK), ('etl.xml', *RACK), ('query.xml', '--cluster', str(EXAMPLES / 'cluster-rack.xml')),
        ('inverted-v.dot', *RACK[:3], RACK[3] + ',gpu=2'),
        ('word-count.xml', '--machines', '1', '--capacity', 'cpu=8,mem=64GiB,net=1000,disk=400')]


def plan(program, form, words):
    job, *rest = words
    done = subprocess.run([program, 'plan', str(EXAMPLES / job), *rest, '-q', '--no-lp', '--format', form],
                          capture_output=True, check=True)
    return done.stdout.decode()


def data_of(page):
    """The one script that holds data: the first object that begins with the job's name."""
    at = page.index('{"job": ')
    return json.JSONDecoder().raw_decode(page, at)[0]


def names_of(form):
    return [cls['class'] if cls['count'] == 1 else '%s[%d]' % (cls['class'], k)
            for cls in form['cluster']['classes'] for k in range(cls['count'])]


def check_tasks(report, form, machines):
    stage_of = {s['id']: k for k, s in enumerate(form['stages'])}
    rows = report['tasks']
    assert len(rows) == len(form['tasks'])
    for row, task in zip(rows, form['tasks']): # both by rank
        stage, index, machine, lane, start, end, subset, rank, chain, *slack = row
        assert slack == [task['slack'], task['free_slack']], (row, task)
        name, number = re.fullmatch(r'(.*?)(?:\[(\d+)\])?', task['id']).groups()
        assert (stage, index) == (stage_of[name], int(number or 0)), (row, task)
        assert machines[machine] == task['machine'] and subset == task['subset'], (row, task)
        assert (start, end) == (task['start'], task['end']) and rank == task['rank'], (row, task)
        assert 0 <= lane < report['lanes'][machine] and chain in (0, 1), row
    for a in rows:
        for b in rows:
            apart = a[4] >= b[5] or b[4] >= a[5] or a[2:4] != b[2:4]
            assert a is b or apart, ('two tasks in one lane', a, b)


def check_work(report, form):
    """All demands x durations by what the whole cluster has."""
    for use in report['use']:
        held = sum(c['count'] * c['capacities'].get(use['name'], 0) for c in form['cluster']['classes'])
        asked = 0
        for s in form['stages']:
            own = {d['index']: d['duration'] for d in s.get('durations', ())}
            asked += s.get('demands', {}).get(use['name'], 0) * sum(
                own.get(k, s['duration']) for k in range(s['tasks']))
        assert math.isclose(use['work'], asked / held, abs_tol=2e-9), (use['name'], use['work'], asked / held)
        # The mean use over the makespan is that work.
        at = report['useFrom']
        mean = sum(m * (b - a) for m, a, b in zip(use['milli'], at, at[1:])) / at[-1] / 1000
        assert at[0] == 0 and len(at) == len(use['milli']) + 1 and at == sorted(set(at)), at
        assert math.isclose(mean, asked / held / form['makespan'], abs_tol=2e-3), (use['name'], mean)


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    for words in JOBS:
        report, form = data_of(plan(program, 'html', words)), json.loads(plan(program, 'json', words))
        machines = names_of(form)
        assert report['machines'] == machines, report['machines']
        assert len(report['lanes']) == len(machines), report['lanes']
        assert report['job'] == form['job'] and report['method'] == form['method']
        assert (report['makespan'], report['bound']) == (form['makespan'], form['lower_bound'])
        assert [(t['method'], t['makespan']) for t in report['trials']] == [
            (t['method'], t['makespan']) for t in form['trials']]
        assert {u['name'] for u in report['use']} == {r for s in form['stages'] for r in s.get('demands', {})}
        check_tasks(report, form, machines)
        check_work(report, form)
        assert report['units'] == {r['name']: r['unit'] for r in form['resources'] if r.get('unit')}
    profiles(program)


def at_once(tasks):
    """Most tasks that run at the same time."""
    events = sorted([(t['start'], 1) for t in tasks] + [(t['end'], -1) for t in tasks])
    running = most = 0
    for _, step in events: # ends before starts
        running += step
        most = max(most, running)
    return most


def profiles(program):
    """Of a large job, rows are stages and say how many of their tasks run at once, as a whole number; two such
    plans are low enough for a window."""
    with tempfile.TemporaryDirectory(prefix='report') as scratch:
        job, first, second = (pathlib.Path(scratch) / name for name in ('job.xml', 'a.json', 'b.json'))
        def run(*words):
            return subprocess.run([program, *map(str, words)], capture_output=True, check=True).stdout.decode()
        run('generate', '--like', 'layered', '--tasks', '3000', '--stages', '100', '-o', job)
        for path, method in ((first, 'cp'), (second, 'bfs')):
            run('plan', job, '--machines', '20', '--capacity', 'cpu=16,mem=64GiB,net=1000,disk=1000', '--no-lp', '-q',
                '--method', method, '-o', path)
        form, svg = json.loads(first.read_text()), run('render', first, '--format', 'svg')
        row = r'>([^<>]+)</text>\n<text[^>]*>(\d+) tasks?, up to ([\d.]+) at once'
        stages = {}
        for task in form['tasks']:
            stages.setdefault(task['id'].split('[')[0], []).append(task)
        own = [(name, tasks, most) for name, tasks, most in re.findall(row, svg) if name in stages]
        assert len(own) >= 10
        for name, tasks, most in own:
            assert (tasks, most) == (str(len(stages[name])), str(at_once(stages[name]))), (name, tasks, most)
        rows = re.findall(r'(\d+) tasks?, up to ([\d.]+) at once', svg)
        assert rows == re.findall(r'(\d+) tasks?, up to ([\d.]+) at once', run('render', first, '--format', 'gantt'))
        # Ranks of a plan that was read need not ascend with starts.
        for task in form['tasks']:
            task['rank'] = len(form['tasks']) + 1 - task['rank']
        turned = pathlib.Path(scratch) / 'turned.json'
        turned.write_text(json.dumps(form))
        drawn = run('render', turned, '--format', 'svg', '-q')
        assert sorted(rows) == sorted(re.findall(r'(\d+) tasks?, up to ([\d.]+) at once', drawn))
        both = run('render', first, second, '--format', 'svg')
        width, height = map(float, re.search(r'viewBox="0 0 (\S+) (\S+)"', both).groups())
        assert height < 1000, height


if __name__ == '__main__':
    main()
