"""Random plans of random jobs with alternatives, classes, speeds and budgets, under two judges.

judge_ways.py BIGROCKS FIRST COUNT

`bigrocks check` and verify/check_plan.py of the public data, which shares no code with it, have to agree on every
one. The plan is handed over in JSON with its job, so that form is read, too; the job in XML is converted, and has to
come back the same. Skipped (77) without the data.
"""
import io
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import types
import xml.etree.ElementTree as ET
from fractions import Fraction

sys.path.insert(0, __file__.rpartition('/tests/')[0] + '/bench')
sys.path.insert(0, __file__.rpartition('/')[0])
import corpus
from judge_features import load_judge, seconds

NS = 10**9


def random_way(draw, resources):
    way = {'demands': {r: draw.randint(0, 3) for r in resources if draw.random() < 0.6}}
    if draw.random() < 0.3:
        way['classes'] = draw.sample(['m', 'fast', 'gpu'], draw.randint(1, 2))
    if draw.random() < 0.4:
        way['consumed'] = {'money': draw.randint(0, 3)}
    return way


def random_job(draw):
    stages = []
    for s in range(draw.randint(1, 4)):
        stage = {'id': 's%d' % s, 'tasks': draw.randint(1, 3), 'duration': draw.randint(0, 4), **random_way(draw, ['cpu', 'mem'])}
        ways = []
        for w in range(draw.choice([0, 1, 2, 3])):
            way = {'id': 'w%d' % w, **random_way(draw, ['cpu', 'licence'])}
            if draw.random() < 0.8:
                way['duration'] = draw.randint(0, 7)
            ways.append(way)
        if draw.random() < 0.2:  # unrelated machines: each class multiplies the duration by a factor of its own
            ways = [{'id': 'on-' + c, 'classes': [c], 'duration': stage['duration'] * draw.choice([1, 2, 3, 5])}
                    for c in ('m', 'fast', 'gpu')]
        if ways:
            stage['alternatives'] = ways
        if draw.random() < 0.3:
            stage['own'] = (draw.randrange(stage['tasks']), draw.randint(1, 9), draw.choice([None] + [w['id'] for w in ways]))
        stages.append(stage)
    edges = [(a, b) for b in range(len(stages)) for a in range(b) if draw.random() < 0.4]
    classes = [{'class': c, 'count': draw.randint(1, 2), 'speed': draw.choice(['1', '0.5', '2', '0.3', '1.5']),
                'capacities': {'cpu': draw.randint(1, 4), 'mem': draw.randint(1, 4)}} for c in ('m', 'fast', 'gpu')]
    return {'stages': stages, 'edges': edges, 'classes': classes,
            'shared': {'money': draw.randint(0, 12), 'licence': draw.randint(1, 4)}}


def demands_xml(way):
    return ''.join('<demand resource="%s" amount="%s"%s/>' % (r, a, consume)
                   for key, consume in (('demands', ''), ('consumed', ' consume="yes"')) for r, a in way.get(key, {}).items())


def xml_of(job):
    text = '<job xmlns="urn:bigrocks:job:1" name="j">'
    for stage in job['stages']:
        classes = lambda way: ' class="%s"' % ' '.join(way['classes']) if 'classes' in way else ''
        text += '<stage id="%s" tasks="%d" duration="%d"%s>' % (stage['id'], stage['tasks'], stage['duration'], classes(stage))
        if 'own' in stage:
            index, own, way = stage['own']
            text += '<task index="%d" duration="%d"%s/>' % (index, own, ' alternative="%s"' % way if way else '')
        text += demands_xml(stage)
        for way in stage.get('alternatives', []):
            own = ' duration="%d"' % way['duration'] if 'duration' in way else ''
            text += '<alternative id="%s"%s%s>%s</alternative>' % (way['id'], own, classes(way), demands_xml(way))
        text += '</stage>'
    text += ''.join('<edge from="s%d" to="s%d"/>' % edge for edge in job['edges'])
    text += '<cluster xmlns="urn:bigrocks:cluster:1">'
    text += ''.join('<shared resource="%s" amount="%d"/>' % item for item in job['shared'].items())
    for cls in job['classes']:
        text += '<machine class="%s" count="%d" speed="%s">' % (cls['class'], cls['count'], cls['speed'])
        text += ''.join('<capacity resource="%s" amount="%d"/>' % item for item in cls['capacities'].items()) + '</machine>'
    return text + '</cluster></job>'


def random_plan(draw, judge, job, cluster):
    """Tasks one after another or beside each other, most of them as they may run."""
    ends, rows, money = {}, [], 0
    order = {stage: k for k, stage in enumerate(job.stage)}
    last = 0
    for task, (stage, index) in job.of.items():
        ways = job.ways[stage]
        name = draw.choice(list(ways))
        way = ways[name]
        machines = [m for m in cluster.cap if way.classes is None or cluster.cls[m] in way.classes]
        if draw.random() < 0.03:
            machines = list(cluster.cap)
        fitting = [m for m in machines if all(a <= cluster.cap[m].get(r, cluster.shared.get(r, 0)) for r, a in way.dem.items())]
        machine = draw.choice(fitting or machines)
        exact = Fraction(judge.ns(way.over.get(index, way.dur))) / cluster.speed[machine]
        lasts = -(-exact.numerator // exact.denominator)
        if draw.random() < 0.01:
            lasts = max(0, lasts + draw.choice([-5, 5, NS]))
        ready = max([0] + [ends[p] for a, b, *_ in job.links if task in b for p in a])
        start = max(ready, last if draw.random() < 0.8 else 0)
        ends[task] = start + lasts
        last = max(last, ends[task])
        rows.append((start, order[stage], task, machine, name, ends[task]))
    rows.sort(key=lambda row: row[:2])
    tasks = []
    for rank, (start, _, task, machine, name, end) in enumerate(rows, 1):
        row = {'id': task, 'start': seconds(start), 'end': seconds(end), 'machine': machine, 'rank': rank}
        if name is not None:
            row['alternative'] = name
        tasks.append(row)
    if draw.random() < 0.01:
        tasks[0].pop('alternative', None)
    return {'makespan': seconds(last), 'lower_bound': '0', 'tasks': tasks}


def json_of(job, plan):
    """The plan with its job; numbers stand in it as they are written."""
    stages = []
    for given in job['stages']:
        stage = {k: v for k, v in given.items() if k not in ('own',)}
        if 'own' in given:
            index, own, way = given['own']
            for one in [stage] if 'alternatives' not in stage else stage['alternatives']:
                if way in (None, one['id']):
                    one['durations'] = [{'index': index, 'duration': own}]
        stages.append(stage)
    whole = {'format': 'bigrocks-plan/1', 'job': 'j', 'method': 'drawn', 'seed': 0, 'makespan': plan['makespan'],
             'lower_bound': 0, 'gap': None if float(plan['makespan']) else 0, 'bound_method': 'none', 'resources': [], 'stages': stages,
             'edges': [{'from': 's%d' % a, 'to': 's%d' % b, 'type': 'barrier'} for a, b in job['edges']],
             'cluster': {'classes': job['classes'], 'shared': job['shared']}, 'tasks': plan['tasks']}
    text = json.dumps(whole)
    for key in ('makespan', 'start', 'end', 'speed'):  # decimals, not texts
        parts = text.split('"%s": "' % key)
        text = parts[0] + ''.join('"%s": %s' % (key, part.replace('"', '', 1)) for part in parts[1:])
    return text


def main():
    bigrocks, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    if not corpus.CHECKER.exists():
        print('no judge: %s is not there' % corpus.CHECKER)
        return 77
    judge, wrong, good, refused, kinds = load_judge(), [], 0, 0, {}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            draw = random.Random(seed)
            drawn = random_job(draw)
            text = xml_of(drawn)
            source, again, file = (pathlib.Path(folder, name) for name in ('j.xml', 'again.xml', 'plan.json'))
            source.write_text(text)
            done = subprocess.run([bigrocks, 'convert', source, '--format', 'xml', '-o', again], capture_output=True, text=True)
            if done.returncode:
                words = [w for w in ('both demands and consumes', 'two amounts') if w in done.stderr]
                refused += 1
                if not words:
                    wrong.append('seed %d: convert says %s' % (seed, done.stderr))
                continue
            root = ET.fromstring(again.read_text())
            inside = next(child for child in root if judge.local(child.tag) == 'cluster')
            cluster = judge.read_cluster(types.SimpleNamespace(cluster=io.BytesIO(ET.tostring(inside)), machines=None), judge.read_native(root))
            given = judge.read_native(ET.fromstring(text))
            for plan in [random_plan(draw, judge, given, cluster) for _ in range(3)]:
                bad, _ = judge.check(judge.read_native(root), cluster, plan)
                also, _ = judge.check(given, cluster, plan)
                if bad != also:
                    wrong.append('seed %d: converted, the job is another: %s, %s' % (seed, bad[:1], also[:1]))
                file.write_text(json_of(drawn, plan))
                done = subprocess.run([bigrocks, 'check', source, file], capture_output=True, text=True)
                good += not bad
                for fault in bad[:1]:
                    kind = next((w for w in ('class', 'lasts', 'consumed', 'runs by', 'too early', ' of ') if w in fault), 'another')
                    kinds[kind] = kinds.get(kind, 0) + 1
                if done.returncode not in (0, 1, 3) or (done.returncode == 0) != (not bad):
                    wrong.append('seed %d: %s, but check ends with %d: %s%s' % (seed, bad[:1] or 'good', done.returncode, done.stdout, done.stderr))
    for fault in wrong[:10]:
        print(fault)
    print('%d jobs, %d refused as they should be, %d good plans, faults: %s; %d disagreements'
          % (count, refused, good, kinds, len(wrong)))
    return 1 if wrong or not good or len(kinds) < 4 else 0


if __name__ == '__main__':
    sys.exit(main())
