#!/usr/bin/env python3
"""Diagrams of plans, drawn by Graphviz and read back from what it drew: every form of layout, boxes,
frames, colours and number of plans is drawn as SVG and PNG without a complaint; and what the picture says
(boxes, bold chain, arrows that bind, waits, lines, sizes, legend) is reckoned here from the plan's JSON.

check_diagrams.py BIGROCKS
"""
import itertools
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

if not shutil.which('dot'):
    print('Graphviz is not installed')
    sys.exit(77)
BIGROCKS = sys.argv[1]
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / 'examples'
SCRATCH = pathlib.Path(tempfile.mkdtemp(prefix='diagrams-'))
CHAIN, BINDS, WAITS = '#c43c00', '#222222', '#a0a0a0'
SUBSETS = {'T': '#e69f00', 'S': '#56b4e9', 'P': '#2fb58b', 'C': '#cc79a7'}
EPS = 1e-9


def run(*words, text=None, status=0):
    done = subprocess.run([str(w) for w in words], input=text, capture_output=True)
    assert done.returncode == status, (words, done.returncode, done.stderr)
    return done


def render(*words):
    return run(BIGROCKS, 'render', *words, '--format', 'dot').stdout


def drawn(text):
    """The graph as Graphviz laid it out."""
    done = run('dot', '-Tjson', text=text)
    assert not done.stderr, done.stderr
    return json.loads(done.stdout)


def name_of(task):
    return re.fullmatch(r'(.*?)(?:\[(\d+)\])?', task, re.S).groups()


class Plan:
    """A plan's JSON with what a picture of it has to show."""

    def __init__(self, path, nodes, by_machine):
        self.form = json.loads(path.read_text())
        self.stages = {s['id']: s for s in self.form['stages']}
        self.total = {}
        for cls in self.form['cluster']['classes']:
            for resource, amount in cls['capacities'].items():
                self.total[resource] = self.total.get(resource, 0) + amount * cls['count']
        self.boxes = {}
        for task in self.form['tasks']:
            stage, index = name_of(task['id'])
            assert stage in self.stages
            task['stage'], task['index'] = stage, int(index or 0)
            key = (stage, task['index']) if nodes == 'task' else (stage, task['machine']) if by_machine else (stage,)
            self.boxes.setdefault(key, []).append(task)

    def start(self, key):
        return min(t['start'] for t in self.boxes[key])

    def end(self, key):
        return max(t['end'] for t in self.boxes[key])

    def work(self, key):
        demands = self.stages[key[0]]['demands']
        share = max([demands[r] / self.total[r] for r in demands], default=1)
        return share * sum(t['end'] - t['start'] for t in self.boxes[key])

    def pairs(self):
        """Boxes joined by an edge: (parent, child, the time that the child waits after the parent)."""
        for edge in self.form['edges']:
            parents = [k for k in self.boxes if k[0] == edge['from']]
            children = [k for k in self.boxes if k[0] == edge['to']]
            for p, c in itertools.product(parents, children):
                if edge['type'] == 'barrier':
                    yield p, c, self.start(c) - self.end(p)
                    continue
                ends = {t['index']: t['end'] for t in self.boxes[p]}
                waits = [t['start'] - ends[t['index']] for t in self.boxes[c] if t['index'] in ends]
                if waits:
                    yield p, c, min(waits)

    def depth(self, key):
        if not hasattr(self, 'depths'):
            parents, self.depths = {}, {}
            for p, c, _ in self.pairs():
                parents.setdefault(c, []).append(p)
            for k in sorted(self.boxes, key=lambda k: min(t['rank'] for t in self.boxes[k])):
                self.depths[k] = 1 + max([self.depths[p] for p in parents.get(k, [])], default=-1)
        return self.depths[key]


def key_of(plan, label, frame):
    """The box that a label of ours speaks of."""
    title = label.split('\\n')[0]
    many = re.fullmatch(r'(.*) × \d+', title)
    if many:
        stage, index = many.group(1), None
    else:
        stage, index = name_of(title)
        if stage not in plan.stages:
            stage, index = title, None
    for key in plan.boxes:
        tasks = plan.boxes[key]
        if key[0] == stage and (index is None or any(t['index'] == int(index) for t in tasks)):
            if frame is None or all(t['machine'] == frame for t in tasks):
                return key
    raise AssertionError(('a box of nothing', label, frame))


def seconds(text):
    return float(text)


def about(a, b):
    """Labels are rounded to four digits."""
    return abs(a - b) <= 6e-4 * max(1, abs(a), abs(b))


def check_boxes(plan, picture, colour):
    frames = {}
    for thing in picture['objects']:
        label = thing.get('label', '')
        if thing['name'].startswith('cluster') and not re.fullmatch(r'cluster \d', thing['name']):
            for node in thing['nodes']:
                frames[node] = label
    found, lines, sizes = {}, {}, []
    for thing in picture['objects']:
        if 'pos' not in thing or 'subgraphs' in thing or thing.get('shape') == 'point':
            continue
        if thing['name'].startswith('line '):
            lines[round(float(thing['pos'].split(',')[1]))] = thing['label']
            continue
        key = key_of(plan, thing['label'], frames.get(thing['_gvid']))
        assert key not in found.values(), ('two boxes of', key)
        found[thing['_gvid']] = key
        first, last = re.search(r'\\n(\S+) – (\S+) s', thing['label']).groups()
        assert about(seconds(first), plan.start(key)) and about(seconds(last), plan.end(key)), thing['label']
        plan.place[key] = tuple(map(float, thing['pos'].split(',')))
        plan.bold[key] = thing.get('color', '').lower() == CHAIN
        sizes.append((plan.work(key), int(thing.get('fontsize', 10))))
        machines = {t['machine'] for t in plan.boxes[key]}
        if not frames and len({t['machine'] for t in plan.form['tasks']}) > 1:
            shown = thing['label'].split('\\n')[2]
            assert shown == (machines.copy().pop() if len(machines) == 1 else '%d machines' % len(machines))
        subsets = {t['subset'] for t in plan.boxes[key]}
        if colour == 'subset':
            filled = {c.split(';')[0].lower() for c in thing['fillcolor'].split(':')}
            assert filled == {SUBSETS[s] for s in subsets}, (thing['fillcolor'], subsets)
        if colour == 'machine':
            plan.fill.setdefault(thing['fillcolor'], set()).add(machines.copy().pop() if len(machines) == 1 else '')
        if colour == 'stage':
            plan.fill.setdefault(thing['fillcolor'], set()).add(key[0])
    assert sorted(found.values()) == sorted(plan.boxes), 'not every task is in the picture once'
    sizes.sort()
    assert [s for _, s in sizes] == sorted(s for _, s in sizes), 'a box with more work is smaller'
    plan.largest = sizes[-1][1]
    return found, lines


def check_chain(plan):
    """The bold boxes lead from the start of the plan, or of a pause, to its end without a gap."""
    bold = [t for k in plan.bold if plan.bold[k] for t in plan.boxes[k]]
    last = max(t['end'] for t in plan.form['tasks'])
    assert any(abs(t['end'] - last) < EPS for t in bold)
    at = last
    while any(abs(t['end'] - at) < EPS and t['start'] < at for t in bold):
        at = min(t['start'] for t in bold if abs(t['end'] - at) < EPS and t['start'] < at)
    ends = {round(t['end'], 9) for t in plan.form['tasks'] if t['end'] > t['start']}
    assert at < EPS or round(at, 9) not in ends, ('the chain breaks off at', at)
    for key in plan.bold:
        assert not plan.bold[key] or key in plan.led or plan.start(key) < EPS or \
            round(plan.start(key), 9) not in ends, ('no arrow of the chain leads to', key)


def check_arrows(plan, picture, found):
    """The colour and the words of each arrow, also of those that go through a joint."""
    wanted = {}
    for p, c, wait in plan.pairs():
        wanted[p, c] = min(wait, wanted.get((p, c), 1e99))
    joints, direct = {}, {}
    names = {}
    for edge in picture.get('edges', []):
        tail, head = found.get(edge['tail']), found.get(edge['head'])
        if edge.get('style') == 'dotted':
            assert edge['color'].lower() == CHAIN and plan.bold[tail] and plan.bold[head]
            plan.led.add(head)
            continue
        if tail is None and head is None: # the axis
            continue
        wait = re.search(r'(\S+) s', edge.get('tooltip', ''))
        told = 0 if not wait else -seconds(wait.group(1)) if 'too early' in edge['tooltip'] else seconds(wait.group(1))
        if edge['color'].lower() == CHAIN:
            told = None
            plan.led.add(head)
        else:
            assert edge['color'].lower() == (WAITS if told else BINDS), edge
        if tail is None or head is None:
            names.setdefault(edge['tail'] if tail is None else edge['head'], ([], []))[tail is None].append(
                (tail or head, told))
        else:
            assert (tail, head) not in direct
            direct[tail, head] = told
            assert told is None or about(told, wanted[tail, head]), (tail, head, told, wanted[tail, head])
    for parents, children in names.values():
        for (p, _), (c, _) in itertools.product(parents, children):
            assert (p, c) not in joints and (p, c) not in direct
            joints[p, c] = True
        start = min(plan.start(c) for c, _ in children)
        end = max(plan.end(p) for p, _ in parents)
        assert all(told is None or about(told, start - plan.end(p)) for p, told in parents)
        assert all(told is None or about(told, plan.start(c) - end) for c, told in children)
    assert set(direct) | set(joints) == set(wanted)
    assert len(direct) + sum(len(a) + len(b) for a, b in names.values()) <= max(4, len(wanted)) + 4


def check_lines(plans, lines, layout):
    """Boxes of a line stand at one height, lines come in order, arrows lead down."""
    rows = {}
    for plan in plans:
        for key, (_, y) in plan.place.items():
            rows.setdefault(round(y), []).append((plan, key))
    assert set(rows) == set(lines), (sorted(rows), sorted(lines))
    order, few = sorted(rows, reverse=True), sum(map(len, rows.values())) <= 300
    if layout == 'depth':
        found = [{p.depth(k) for p, k in rows[y]} for y in order]
        assert found == [{int(lines[y].removeprefix('depth '))} for y in order]
        numbers = [number for one in found for number in one]
        assert numbers == sorted(numbers) and set(numbers) == set(range(numbers[-1] + 1)), numbers
        for number in set(numbers):  # cut where a page would be too narrow
            counts = [len(rows[y]) for y, own in zip(order, numbers) if own == number]
            assert len(counts) == 1 or sum(counts) > 20 and few, counts
            assert not few or max(counts) <= max(20, 2 * sum(counts) ** 0.5 + 1), counts
        return
    most = max(20, 2 * sum(map(len, rows.values())) ** 0.5)
    assert not few or max(map(len, rows.values())) <= most, (most, rows)
    begins = [min(p.start(k) for p, k in rows[y]) for y in order]
    assert begins == sorted(begins)
    assert all(about(seconds(lines[y][:-2]), b) for y, b in zip(order, begins)), (lines, begins)
    for y, following in zip(order, begins[1:] + [1e99]):
        assert all(p.start(k) <= following + EPS for p, k in rows[y]), 'a box stands above its time'
    starts = {p.start(k) for p in plans for k in p.boxes}
    if len(starts) > 24:
        slice_ = (max(starts) - min(starts)) / 24
        for y, begin in zip(order, begins):
            assert all(p.start(k) - begin <= slice_ + 1e-6 for p, k in rows[y])
    for plan in plans:
        for p, c, wait in plan.pairs():
            assert plan.start(c) < plan.start(p) or plan.place[c][1] < plan.place[p][1], ('an arrow leads up', p, c)


def check(paths, layout, nodes, by_machine, colour, holds=True):
    words = ['--layout', layout, '--nodes', nodes, '--colour', colour] + ['--by-machine'] * by_machine
    text = render(*paths, *words)
    picture = drawn(text)
    plans = [Plan(p, nodes, by_machine) for p in paths]
    lines = {}
    for number, plan in enumerate(plans):
        plan.place, plan.bold, plan.fill, plan.led = {}, {}, {}, set()
        part = picture
        if len(plans) > 1:
            member = next(o for o in picture['objects'] if o['name'] == 'cluster %d' % number)
            inside = set(member['nodes'])
            part = {'objects': [o for o in picture['objects'] if o['_gvid'] in inside or o['name'].startswith('line ')
                                or (o['name'].startswith('cluster %d.' % number))],
                    'edges': [e for e in picture['edges'] if e['tail'] in inside]}
        found, some = check_boxes(plan, part, colour)
        lines.update(some)
        check_arrows(plan, part, found)
        if holds:
            check_chain(plan)
        if colour in ('machine', 'stage'):
            members = len(plan.form['stages']) if colour == 'stage' else sum(
                c['count'] for c in plan.form['cluster']['classes'])
            assert members > 24 or all(len(f) == 1 for f in plan.fill.values()), 'two share a colour'
    assert max(plan.largest for plan in plans) == 18
    if layout != 'graph' and holds:
        check_lines(plans, lines, layout)
    for form in ('svg', 'png'):
        done = run('dot', '-T' + form, text=text)
        assert not done.stderr, done.stderr
        if form == 'png':
            assert done.stdout.startswith(b'\x89PNG')
            continue
        says = ''.join(ET.fromstring(done.stdout).itertext())
        legend = ['critical chain', 'binds', 'more work']
        if colour == 'subset':
            legend += ['%s: ' % s for s in {t['subset'] for p in plans for t in p.form['tasks']}]
        if colour == 'stage':
            legend += list(plans[0].stages)[:24]
        if colour == 'machine':
            legend += ['several']
        assert all(word in says for word in legend), (legend, says)


def plan_of(name, *words):
    path = SCRATCH / (name + '.json')
    run(BIGROCKS, 'plan', *words, '-q', '--no-lp', '--effort', 'fast', '-o', path)
    return path


def every_form():
    two = ['--machines', '2', '--capacity', 'cpu=4,mem=8GiB,disk=200']
    query = ['--cluster', EXAMPLES / 'cluster-rack.xml']
    join = plan_of('join', EXAMPLES / 'w-join.dot', *two)
    worse = plan_of('worse', EXAMPLES / 'w-join.dot', *two, '--method', 'cp')
    build = plan_of('build', EXAMPLES / 'build.dot', '--capacity', 'cpu=4,mem=4GiB')
    rack = plan_of('rack', EXAMPLES / 'query.xml', *query)
    forms = list(itertools.product(('graph', 'depth', 'time'), ('stage', 'task'), (False, True),
                                   ('subset', 'stage', 'machine')))
    for number, form in enumerate(forms):
        check([join], *form)
        if number % 3 == 0 or form[:3] == ('time', 'stage', False):
            check([join, worse], *form)
    for layout in ('graph', 'depth', 'time'):
        check([build], layout, 'stage', False, 'subset')
        check([rack], layout, 'stage', False, 'machine')
        check([rack], layout, 'stage', True, 'stage')


def large():
    """3,000 tasks in 100 stages: one page, whose letters can be read where it is printed on A2."""
    for like, seed in ('cosmos', '1'), ('cosmos', '4'), ('layered', '1'):
        job = SCRATCH / 'large.xml'
        run(BIGROCKS, 'generate', '--like', like, '--tasks', '3000', '--stages', '100', '--seed', seed, '-o', job)
        path = plan_of('large', job, '--machines', '20', '--capacity', 'cpu=16,mem=64GiB,net=1000,disk=1000')
        for layout in ('graph', 'depth', 'time'):
            check([path], layout, 'stage', False, 'subset')
            picture = drawn(render(path, '--layout', layout))
            wide, high = sorted(map(float, picture['bb'].split(',')[2:]))
            scale = min(1, 16.5 * 72 / wide, 23.4 * 72 / high)
            assert 10 * scale >= 4.4, (like, seed, layout, wide / 72, high / 72)


def cut():
    """Lines of more than 20 boxes, in diagrams of up to 300: Graphviz would take too long otherwise."""
    job = SCRATCH / 'cut.xml'
    for stages, lines, levels in (20, 1, {1}), (21, 2, {1, 2}), (300, 9, set(range(1, 10))), (301, 1, {1}):
        job.write_text('<job xmlns="urn:bigrocks:job:1"><stage id="last" duration="1"/>%s</job>' % ''.join(
            '<stage id="s%d" duration="1"/><edge from="s%d" to="last"/>' % (k, k) for k in range(stages - (stages > 299))))
        path = plan_of('cut', job, '--capacity', 'cpu=1')
        depths = re.findall(r'label="depth (\d+)"', render(path, '--layout', 'depth').decode())
        assert depths == ['0'] * lines + ['1'], (stages, depths)
        below = re.findall(r' -> "last" \[(?:minlen=(\d+))?', render(path).decode())
        assert {int(k or 1) for k in below} == levels, (stages, below)


def what_stages_do():
    """Where rows come from and what becomes of them; all of it where one points, and of many boxes only there."""
    job, does = SCRATCH / 'does.xml', 'Seq Scan on a, Nested Loop, Filter "x", Hash'
    for stages in 39, 40, 41:
        more = ''.join('<stage id="s%d" duration="1"/>' % k for k in range(stages - 3))
        job.write_text('<job xmlns="urn:bigrocks:job:1"><stage id="p1" tasks="2" duration="1"><attribute name="name" '
                       'value="no"/><attribute name="operators" value="%s"/></stage><stage id="p2" duration="1"><attribute '
                       'name="name" value="collect at x.py"/></stage><stage id="p3" duration="1"><attribute '
                       'name="operators" value="Gather, Sort"/></stage>%s</job>' % (does.replace('"', '&quot;'), more))
        path = plan_of('does', job, '--machines', '2', '--capacity', 'cpu=1')
        boxes = {o['name']: o for o in drawn(render(path))['objects']}
        labels = [boxes[name]['label'].split('\\n')[1:-2] for name in ('p1', 'p2', 'p3')]
        assert labels == ([['Seq Scan on a \u2026 Hash'], ['collect at x.py'], ['Gather, Sort']] if stages <= 40 else [[]] * 3)
        assert boxes['p1']['tooltip'].replace('\\"', '"').endswith('\\n' + does), boxes['p1']
        assert boxes['p2']['tooltip'].endswith('\\ncollect at x.py') and '\\n' not in boxes['s1']['tooltip']
        svg = ET.fromstring(run(BIGROCKS, 'render', path, '-f', 'svg').stdout)
        titles = [e.text for e in svg.iter('{http://www.w3.org/2000/svg}title')]
        # Two tasks; and where all is critical, one of them in the chain.
        assert sum(title.endswith('\n' + does) for title in titles) >= 2, titles
        told = run(BIGROCKS, 'render', path, '-f', 'html').stdout.decode()
        assert told.count('"does": ') == 3 and '"does": "%s"' % does.replace('"', '\\"') in told


def taken_over():
    """The look that the job's own file gives goes on; what fetches or leads elsewhere does not."""
    job = SCRATCH / 'styled.dot'
    job.write_text('''digraph g { graph [resources="cpu", rankdir=LR, bgcolor=ivory, URL="http://x.example/"];
      node [cpu=1, duration=2, shape=ellipse, fontname=Courier, style="rounded,filled", fillcolor=gold];
      7 [label="Read the \\"file\\"", image="/etc/passwd.png", URL="javascript:alert(1)", shape=record];
      8 [label=<<img src="/etc/x.png"/>>, fontcolor=navy, peripheries=2]; 9 [shapefile="/etc/y"];
      7 -> 8 [label="rows", arrowhead=odot, URL="javascript:alert(2)"]; 8 -> 9 [style=invis]; }''')
    path = plan_of('styled', job, '--capacity', 'cpu=1')
    text = render(path).decode()
    picture = drawn(text.encode())
    assert picture['rankdir'] == 'LR' and picture['bgcolor'] == 'ivory'
    boxes = {o['name']: o for o in picture['objects']}
    assert boxes['7']['label'].startswith('Read the \\"file\\"\\n') or boxes['7']['label'].startswith('Read the "file"\\n')
    assert boxes['7'].get('shape', 'box') == 'box' and boxes['8']['shape'] == 'ellipse'
    assert boxes['8']['label'].startswith('8\\n') and boxes['8']['fontcolor'] == 'navy'
    assert boxes['8']['peripheries'] == '2' and boxes['9']['fontname'] == 'Courier'
    assert 'rounded' in boxes['9']['style'] and boxes['9']['fillcolor'] != 'gold'
    edge = next(e for e in picture['edges'] if e['arrowhead'] == 'odot')
    assert edge['label'].startswith('rows') and len(picture['edges']) == 2
    assert all(e.get('style') != 'invis' for e in picture['edges'])
    for word in ('image', 'URL', 'href', 'shapefile', 'img', 'javascript', 'passwd', 'http'):
        assert word not in text, word
    own = {o['name']: o for o in drawn(render(path, '--colour', 'input'))['objects']}
    assert own['9']['fillcolor'] == 'gold'


def not_holding():
    """A plan that does not hold, with children before their parents, is drawn and says so."""
    path = SCRATCH / 'early.json'
    form = json.loads((SCRATCH / 'join.json').read_text())
    for task in form['tasks']:
        long = task['end'] - task['start']
        task['start'] = form['makespan'] - task['end']
        task['end'] = task['start'] + long
    path.write_text(json.dumps(form))
    for layout, nodes, by_machine in itertools.product(('graph', 'depth', 'time'), ('stage', 'task'), (False, True)):
        words = ['--layout', layout, '--nodes', nodes] + ['--by-machine'] * by_machine
        assert b's too early' in render(path, *words)
        check([path], layout, nodes, by_machine, 'subset', holds=False)


def uneven():
    """Two tasks that end apart before two that wait for both: the joint waits for the later one."""
    job = SCRATCH / 'uneven.dot'
    job.write_text('digraph g { graph [resources="cpu"]; node [cpu=1]; a [tasks=3, duration=1, durations="0:9,1:5"];'
                   ' b [tasks=3, duration=2]; a -> b; }')
    check([plan_of('uneven', job, '--capacity', 'cpu=3')], 'time', 'task', False, 'subset')


def refused():
    path = SCRATCH / 'join.json'
    for words in (['--layout', 'time'], ['--nodes', 'task'], ['--by-machine'], ['--colour', 'machine'],
                  ['--colour', 'input']):
        done = run(BIGROCKS, 'render', path, '--format', 'svg', *words, status=2)
        assert b"is for the format 'dot'" in done.stderr, done.stderr
    done = run(BIGROCKS, 'render', path, '--format', 'order', '--colour', 'stage', status=2)
    assert b"'dot', 'svg' and 'html'" in done.stderr


try:
    every_form()
    large()
    cut()
    what_stages_do()
    taken_over()
    not_holding()
    uneven()
    refused()
finally:
    shutil.rmtree(SCRATCH)
