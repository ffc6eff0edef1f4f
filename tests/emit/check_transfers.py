#!/usr/bin/env python3
"""What the pictures of a plan say of its transfers, against the plan's JSON: the boxes on the ports have the areas and
times of what moves and are stacked without a gap; tasks name what they wait for; the critical chain goes through
transfers; arrows of the diagram tell bytes, and which transfer binds.

check_transfers.py BIGROCKS
"""
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections import defaultdict

PROGRAM = sys.argv[1]
ROOT = pathlib.Path(__file__).resolve().parents[2]
SHUFFLE = [ROOT / 'examples/shuffle.xml', '--cluster', ROOT / 'examples/cluster-ports.xml']
SVG = '{http://www.w3.org/2000/svg}'
ROUND = 0.0101  # pixels: places have two decimals


def run(*words):
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


def people(number, unit):
    """The number as a picture has it: up to four significant digits or more, so a pattern of its beginning."""
    return float(number) * {'B': 1, 'KiB': 2**10, 'MiB': 2**20, 'GiB': 2**30, 'TiB': 2**40}[unit]


class Plan:
    def __init__(self, path):
        self.form = form = json.loads(path.read_text())
        self.task = {t['id']: t for t in form['tasks']}
        self.size = {s['id']: s['tasks'] for s in form['stages']}
        self.machines = [c['class'] if c['count'] == 1 else '%s[%d]' % (c['class'], k)
                         for c in form['cluster']['classes'] for k in range(c['count'])]
        self.rate = [(c['up'], c['down']) for c in form['cluster']['classes'] for _ in range(c['count'])]
        self.moved = form['transfers']

    def name(self, stage, index):
        return stage if self.size[stage] == 1 else '%s[%d]' % (stage, index)

    def tasks(self, stage):
        return [self.task[self.name(stage, k)] for k in range(self.size[stage])]

    def into(self, task):
        """The transfers that lead to the task."""
        stage = re.fullmatch(r'(.*?)(\[\d+\])?', task['id']).group(1)
        return [x for x in self.moved if x['to'] == stage and (
            self.name(stage, x['index']) == task['id'] if 'index' in x else x['target'] == task['machine'])]

    def said(self, text):
        """The transfer that the text names."""
        hit = re.search(r'([\d.]+) (\w+) of (\S+) from (\S+) to (\S+), ([\d.]+) s to ([\d.]+) s', text)
        assert hit, text
        amount, unit, source, start, target = hit.group(1), hit.group(2), hit.group(3), hit.group(4), hit.group(5)
        found = [x for x in self.moved
                 if (x['source'], x['target']) == (start, target)
                 and source == (self.name(x['from'], x['index']) if 'index' in x else x['from'])
                 and math.isclose(people(amount, unit), x['bytes'], rel_tol=1e-3, abs_tol=.5)
                 and math.isclose(x['start'], float(hit.group(6)), rel_tol=1e-3, abs_tol=1e-9)
                 and math.isclose(x['end'], float(hit.group(7)), rel_tol=1e-3, abs_tol=1e-9)]
        assert found, text
        return found


def box(element):
    return [float(element.get(k)) for k in ('x', 'y', 'width', 'height')]


def texts_at(root, anchor):
    return [(float(t.get('y')), t.text) for t in root.iter(SVG + 'text') if t.get('text-anchor') == anchor]


def check_ports(plan, root):
    """Returns how many boxes were looked at."""
    ports = [box(r) for r in root.iter(SVG + 'rect') if r.get('class') == 'port']
    names = {}
    for y, text in texts_at(root, 'end'):
        for k, (_, top, _, height) in enumerate(ports):
            if top < y < top + height + 4 and text and ('sends' in text or 'receives' in text or text == 'all ports'):
                names[k] = text
    group = next(g for g in root.iter(SVG + 'g') if g.get('class') == 'moves')
    drawn = defaultdict(list)
    for rect in group:
        x, y, w, h = box(rect)
        row = next(k for k, (_, top, _, height) in enumerate(ports) if top - ROUND <= y < top + height)
        assert y + h <= ports[row][1] + ports[row][3] + ROUND, 'a box leaves its row'
        drawn[row].append((x, y, w, h, rect.find(SVG + 'title').text))
    left, _, width, height = ports[0]
    second = width / plan.form['makespan']  # pixels
    if names == {0: 'all ports'}:
        full = min(sum(r[0] for r in plan.rate), sum(r[1] for r in plan.rate))
        area = sum(w * h for _, _, w, h, _ in drawn[0]) / height / second * full
        moved = sum(x['bytes'] for x in plan.moved)
        slack = sum(w for _, _, w, _, _ in drawn[0]) * .011 / height / second * full
        assert abs(area - moved) <= slack + .01 * moved, (area, moved, slack)
        return len(drawn[0])
    wanted = {m + word for x in plan.moved for m, word in ((x['source'], ' sends'), (x['target'], ' receives'))}
    assert set(names.values()) == wanted, (names, wanted)
    for row, name in names.items():
        machine, _, word = name.rpartition(' ')
        down = word == 'receives'
        full = plan.rate[plan.machines.index(machine)][down]
        here = [x for x in plan.moved if x['target' if down else 'source'] == machine]
        area = defaultdict(float)
        slack = defaultdict(float)
        for x, y, w, h, title in drawn[row]:
            hits = [k for k, t in enumerate(here) if t in plan.said(title)]
            assert hits, title
            # Each box is within the transfer's time.
            t = here[hits[0]]
            assert x >= left + t['start'] * second - ROUND and x + w <= left + t['end'] * second + 2 * ROUND, title
            area[hits[0]] += w * h / height / second * full
            slack[hits[0]] += (w + h + .02) * .022 / height / second * full
        for k, t in enumerate(here):
            twins = [j for j, other in enumerate(here) if other in plan.said(title_of(plan, t))]
            if twins[0] != k:
                continue
            moved = sum(here[j]['bytes'] for j in twins)
            assert abs(area[k] - moved) <= slack[k] + moved * 1e-6 + full / second * .02, (name, area[k], moved, slack[k])
        # At any moment the boxes are stacked from the ground without a gap.
        bottom = ports[row][1] + height
        for at in sorted({x + w / 2 for x, _, w, _, _ in drawn[row] if w > .1}):
            stack = sorted(((y + h, y) for x, y, w, h, _ in drawn[row] if x <= at < x + w), reverse=True)
            level = bottom
            for low, high in stack:
                assert abs(low - level) <= 2 * ROUND, (name, at, stack)
                level = high
            load = sum(r['rate'] for t in here for r in t['rates']
                       if left + r['start'] * second + ROUND < at < left + r['end'] * second - ROUND)
            assert abs((bottom - level) / height * full - load) <= full / height * .05, (name, at, level, load)
    return sum(map(len, drawn.values()))


def title_of(plan, t):
    def amount(b):
        return '%r B' % b if b < 1024 else '%.9g KiB' % (b / 1024)
    source = plan.name(t['from'], t['index']) if 'index' in t else t['from']
    return '%s of %s from %s to %s, %.12g s to %.12g s' % (amount(t['bytes']), source, t['source'], t['target'],
                                                          t['start'], t['end'])


def check_keys(plan, root):
    """A key for each stage that puts out something, up to ten, side by side; the others are counted."""
    stages = {x['from'] for x in plan.moved}
    drawn = list(root.iter())
    keys = [(float(r.get('x')), name.text) for r, name in zip(drawn, drawn[1:]) if r.get('class') == 'key']
    more = [t.text for t in root.iter(SVG + 'text') if re.fullmatch(r'and \d+ more', t.text or '')]
    assert len(keys) == min(len(stages), 10), (keys, stages)
    assert all(b - a >= 16 + 6 * len(name) for (a, name), (b, _) in zip(keys, keys[1:])), keys
    assert more == (['and %d more' % (len(stages) - 10)] if len(stages) > 10 else []), (more, stages)
    assert [name for _, name in keys] == [s for s in plan.size if s in stages][:10], keys
    return len(stages)


def check_waits(plan, root):
    waits = 0
    for rect in root.iter(SVG + 'rect'):
        title = rect.find(SVG + 'title')
        hit = title is not None and re.match(r'(\S+): .* on (\S+?)(?:,|$)', title.text)
        if not hit:
            continue
        into = plan.into(plan.task[hit.group(1)])
        said = re.search(r'waits for (\d+) transfers?(?::|, last) (.*)', title.text)
        assert bool(said) == bool(into), title.text
        if not said:
            continue
        waits += 1
        assert int(said.group(1)) == len(into), (title.text, len(into))
        assert any(x['end'] == max(y['end'] for y in into) for x in plan.said(said.group(2)) if x in into), title.text
    return waits


def check_chain(plan, root, report):
    """Each link starts when what it waited for ended, and the last one ends with the plan."""
    tasks, inputs = report['tasks'], report['inputs']
    through = 0
    for k, (rank, waited) in enumerate(report['chain']):
        task = plan.form['tasks'][rank]
        if k == 0:
            assert not any(x['end'] == task['start'] for x in plan.into(task)) or waited == 0
        else:
            before = plan.form['tasks'][report['chain'][k - 1][0]]
            if waited < 2:
                assert before['end'] == task['start'], (before, task)
            else:
                x = plan.moved[inputs[rank][1]]
                assert x['end'] == task['start'] and x in plan.into(task) and before['machine'] == x['source']
                assert before['end'] <= x['start'] and before in plan.tasks(x['from'])
                assert 'index' in x or before['end'] == max(t['end'] for t in plan.tasks(x['from'])
                                                           if t['machine'] == x['source'])
                through += 1
    assert plan.form['tasks'][report['chain'][-1][0]]['end'] == plan.form['makespan']
    assert len(tasks) == len(inputs)
    drawn = [r for r in root.iter(SVG + 'rect') if r.get('class') == 'moved']
    assert len(drawn) == through, (len(drawn), through)
    assert sum('waited for its input' in (t.text or '') for t in root.iter(SVG + 'title')) == through
    return through


def check_report(plan, page):
    report = json.JSONDecoder().raw_decode(page, page.index('{"job": '))[0]
    assert report['ports'] == [list(r) for r in plan.rate]
    stages = [s['id'] for s in plan.form['stages']]
    assert report['transfers'] == [
        [stages.index(x['from']), stages.index(x['to']), x.get('index', -1), plan.machines.index(x['source']),
         plan.machines.index(x['target']), x['bytes'], [[r['start'], r['end'], r['rate']] for r in x['rates']]]
        for x in plan.moved]
    for task, (count, last) in zip(plan.form['tasks'], report['inputs']):
        into = plan.into(task)
        assert count == len(into)
        assert (last < 0) == (not into) and (not into or plan.moved[last] in into)
        assert not into or plan.moved[last]['end'] == max(x['end'] for x in into)
    return report


def boxes_of(plan, dot):
    """By the name of a box: its tasks."""
    boxes = {}
    for name, rest in re.findall(r'^ *"([^"]*)" \[label="(.*)\];', dot, re.M):
        title, place = re.search(r'tooltip="([^:"]*): [^"]*? s, ([^",]*)', rest).groups()
        many = re.fullmatch(r'(.*) × \d+', title)
        tasks = plan.tasks(many.group(1)) if many else [plan.task[title]]
        boxes[name] = [t for t in tasks if place.endswith(' machines') or t['machine'] == place]
    assert sum(map(len, boxes.values())) == len(plan.task)
    return boxes


def check_diagram(plan, dot):
    """Returns how many arrows tell of a transfer."""
    boxes, edges, bound = boxes_of(plan, dot), {(e['from'], e['to']): e for e in plan.form['edges']}, 0
    stage_of = {t['id']: s for s in plan.size for t in plan.tasks(s)}
    arrows = re.findall(r'^ *"([^"]*)" -> "([^"]*)" \[(.*)\];', dot, re.M)
    joints = {}
    for start, end, _ in arrows:
        for joint, box, side in ((start, end, 1), (end, start, 0)):
            if joint not in boxes and box in boxes:
                joints.setdefault(joint, [None, None])[side] = stage_of[boxes[box][0]['id']]
    told = set()
    for start, end, rest in arrows:
        if start not in boxes and end not in boxes or 'its machine' in rest or 'line ' in start:
            continue
        a = stage_of[boxes[start][0]['id']] if start in boxes else joints[start][0]
        b = stage_of[boxes[end][0]['id']] if end in boxes else joints[end][1]
        e, parents, children = edges[(a, b)], boxes.get(start), boxes.get(end)
        share = (len(parents) / plan.size[a] if parents else 1) * (len(children) / plan.size[b] if children else 1)
        if e['type'] == 'one-to-one':
            twins = {plan.tasks(a)[k]['id']: plan.tasks(b)[k] for k in range(plan.size[a])}
            share = sum(twins[t['id']] in children for t in parents) / plan.size[a]
        label = re.search(r' label="([\d.]+) (\w*B)\b', rest)
        if e.get('bytes') and len(arrows) <= 90:
            assert math.isclose(people(*label.groups()), share * e['bytes'], rel_tol=1e-3), (rest, share * e['bytes'])
        tooltip = re.search(r'tooltip="([^"]*)"', rest).group(1)
        if ' from ' not in tooltip:
            continue
        bound += 1
        assert '#222222' in rest and tooltip.startswith('binds') or tooltip.startswith('on the critical chain'), rest
        for x in plan.said(tooltip):
            waiting = [t for t in (children or plan.tasks(b)) if x in plan.into(t) and t['start'] == x['end']]
            assert waiting and (x['from'], x['to']) == (a, b), (start, end, tooltip)
            source = [t for t in (parents or plan.tasks(a)) if t['machine'] == x['source']]
            assert source, (start, end, tooltip)
            told.add((x['from'], x['to'], x['source'], x['target']))
    for t in plan.form['tasks']:
        last = [x for x in plan.into(t) if x['end'] == t['start']]
        assert not last or any((x['from'], x['to']) == key[:2] for x in last for key in told), t
    if all(len(b) == 1 or len({t['machine'] for t in b}) == 1 for b in boxes.values()):
        for t in plan.form['tasks']:
            last = [x for x in plan.into(t) if x['end'] == t['start']]
            assert not last or any(x['target'] == key[3] for x in last for key in told), t
    return bound


def main():
    boxes = waits = through = bound = sums = alone = 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / 'plan.json'
        pairs = pathlib.Path(folder) / 'pairs.xml'
        # The second part of the pairs does not fit beside the first, so that pairs move.
        pairs.write_text((ROOT / 'examples/shuffle.xml').read_text().replace(
            '<stage id="clean" tasks="8" duration="4">', '<stage id="clean" tasks="8" duration="30">').replace(
            '1600M', '90M').replace('<demand resource="mem" amount="1"/>\n    <task', '<demand resource="mem" amount="3"/>\n    <task'))
        jobs = [[*SHUFFLE, '--port-rate', rate] for rate in ('1Gbit', '300Mbit', '100Mbit')]
        jobs += [[pairs, *SHUFFLE[1:]]]
        jobs += [[SHUFFLE[0], '--machines', count, '--capacity', 'cpu=2,mem=6', '--port-rate', '300Mbit']
                 for count in (12, 13)]
        # More stages that send than there are keys, among stages that send nothing: those without bytes, and the last.
        wide = pathlib.Path(folder) / 'wide.xml'
        wide.write_text(
            '<job xmlns="urn:bigrocks:job:1" name="wide">' +
            ''.join('<stage id="s%d" tasks="2" duration="1"><demand resource="cpu" amount="2"/></stage>' % k
                    for k in range(17)) +
            '<stage id="last" tasks="2" duration="1"><demand resource="cpu" amount="2"/></stage>' +
            ''.join('<edge from="s%d" to="last"%s/>' % (k, '' if k % 4 == 1 else ' bytes="4000000"') for k in range(17)) +
            '</job>')
        jobs += [[wide, '--machines', '2', '--capacity', 'cpu=2', '--port-rate', '1Gbit']]
        most = 0
        for words in jobs:
            run('plan', *words, '--network', '--effort', 'fast', '--no-lp', '-q', '-o', path)
            plan = Plan(path)
            assert plan.moved
            alone += sum('index' in x for x in plan.moved)
            root = ET.fromstring(run('render', path, '-f', 'svg'))
            one = any(text == 'all ports' for _, text in texts_at(root, 'end'))
            assert one == (len(plan.machines) > 12), len(plan.machines)
            sums += one
            boxes += check_ports(plan, root)
            most = max(most, check_keys(plan, root))
            waits += check_waits(plan, root)
            through += check_chain(plan, root, check_report(plan, run('render', path, '-f', 'html')))
            for form in ([], ['--by-machine'], ['--nodes', 'task']):
                bound += check_diagram(plan, run('render', path, '-f', 'dot', *form))
        # A plan that knows no transfers says nothing of them.
        run('plan', *SHUFFLE, '--no-lp', '-q', '-o', path)
        assert not {'class="port"', 'transfer'} & set(re.findall(r'class="port"|transfer', run('render', path, '-f', 'svg')))
        assert '"transfers"' not in run('render', path, '-f', 'html')
    assert alone, 'no pairs move'
    assert most == 13, most
    assert boxes > 100 and waits > 20 and through >= 3 and bound > 10 and sums == 1, (boxes, waits, through, bound, sums)
    print('%d boxes, %d tasks that wait, %d links of chains, %d arrows' % (boxes, waits, through, bound))


if __name__ == '__main__':
    main()
