#!/usr/bin/env python3
"""What the pictures of a plan say of storage, shared resources and times, against the plan's JSON, from which this
program computes by itself what is held when: the stacks of the SVG at every moment, what there is, the peak and who
holds it; windows, releases and deadlines; the same in the report's data and in the trace's counters.

check_held.py BIGROCKS FEATURES_BY_ORACLE [COUNT]
"""
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

PROGRAM, ORACLE = sys.argv[1:3]
COUNT = int(sys.argv[3]) if len(sys.argv) > 3 else 60
ROOT = pathlib.Path(__file__).resolve().parents[2]
SVG = '{http://www.w3.org/2000/svg}'
ROUND = 0.0101  # pixels: places have two decimals
LEFT, WIDTH = 190, 960
CALENDAR = '''
  <cluster xmlns="urn:bigrocks:cluster:1">
    <shared resource="licence" amount="2"/><shared resource="scratch" amount="700"/>
    <machine class="node" count="2"><capacity resource="cpu" amount="4"/><capacity resource="disk" amount="8.5"/></machine>
    <unavailable class="node" index="1" from="6" to="11"/><unavailable class="node" index="0" from="60"/>
    <change resource="scratch" from="10" to="14" amount="500"/>
    <change resource="disk" class="node" index="0" from="0" to="8" amount="6.5"/>
    <change resource="disk" class="node" from="2" to="4" amount="7"/>
  </cluster>'''
NIGHT = '''<job xmlns="urn:bigrocks:job:1" name="night">
  <stage id="fetch" tasks="4" duration="3" release="2"><demand resource="cpu" amount="1"/>
    <demand resource="licence" amount="1"/><output id="raw" resource="scratch" amount="200"/></stage>
  <stage id="clean" tasks="4" duration="4"><demand resource="cpu" amount="3"/><demand resource="disk" amount="3.25"/>
    <output id="part" resource="disk" amount="1" from="end"/></stage>
  <stage id="report" tasks="1" duration="5" deadline="40"><demand resource="cpu" amount="1"/>
    <output id="pdf" resource="scratch" amount="20"/></stage>
  <edge from="fetch" to="clean" type="one-to-one" reads="raw"/><edge from="clean" to="report" lag="2"/>''' + \
    CALENDAR + '\n</job>'


def run(*words):
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


class Plan:
    """What the plan's JSON says, and what follows from it."""

    def __init__(self, path):
        self.form = form = json.loads(path.read_text())
        self.span = form['makespan']
        self.stages = {s['id']: s for s in form['stages']}
        self.order = [s['id'] for s in form['stages']]
        self.task = {t['id']: t for t in form['tasks']}
        cluster = form['cluster']
        self.classes = {}
        self.machines = []
        for cls in cluster['classes']:
            names = [cls['class'] if cls['count'] == 1 else '%s[%d]' % (cls['class'], k) for k in range(cls['count'])]
            self.classes.update({name: (cls, k) for k, name in enumerate(names)})
            self.machines += names
        self.shared = cluster.get('shared', {})
        self.away, self.changes = cluster.get('unavailable', []), cluster.get('changes', [])
        self.items = [i for i in self.all_items() if i['amount'] and i['until'] > i['from']]

    def name(self, stage, index):
        return stage if self.stages[stage]['tasks'] == 1 else '%s[%d]' % (stage, index)

    def tasks(self, stage):
        return [self.task[self.name(stage, k)] for k in range(self.stages[stage]['tasks'])]

    def place(self, resource, task):
        return 'shared' if resource in self.shared else task['machine']

    def all_items(self):
        for stage, s in self.stages.items():
            for k, task in enumerate(self.tasks(stage)):
                for resource, amount in s.get('demands', {}).items():
                    yield {'stage': stage, 'task': task['id'], 'output': None, 'amount': amount, 'resource': resource,
                           'place': self.place(resource, task), 'from': task['start'], 'until': task['end']}
                for o in s.get('outputs', []):
                    yield {'stage': stage, 'task': task['id'], 'output': o['id'], 'amount': o['amount'],
                           'resource': o['resource'], 'place': self.place(o['resource'], task),
                           'from': task['end' if o.get('from') == 'end' else 'start'],
                           'until': self.until(stage, k, o)}

    def until(self, stage, index, output):
        ends, reads = [self.tasks(stage)[index]['end']], False
        for e in self.form['edges']:
            if e['from'] != stage or output['id'] not in e.get('reads', [output['id']]):
                continue
            reads = True
            paired = e['type'] == 'one-to-one'
            ends += [t['end'] for k, t in enumerate(self.tasks(e['to'])) if not paired or k == index]
        if not reads and output.get('keep') != 'no':
            ends.append(max(t['end'] for t in self.task.values()))
        return max(ends)

    def applies(self, span, place):
        """Is the window or change of this place?"""
        if place == 'shared':
            return 'resource' in span and 'class' not in span and span['resource'] in self.shared
        if 'class' not in span:
            return 'resource' not in span
        cls, index = self.classes[place]
        return cls['class'] == span['class'] and span.get('index', index) == index

    def limit(self, resource, place, at):
        amount = self.shared.get(resource) if place == 'shared' else \
            self.classes[place][0]['capacities'].get(resource, 0)
        for c in self.changes:
            if c['resource'] == resource and self.applies(c, place) and c['from'] <= at < c.get('to', float('inf')):
                amount = c['amount']
        return amount

    def rows(self):
        """The rows of the pictures: (resource, place)."""
        kept = {o['resource'] for s in self.stages.values() for o in s.get('outputs', [])}
        kept |= {c['resource'] for c in self.changes if 'class' in c}
        kept |= set(self.shared)
        used = {r for s in self.stages.values() for r in s.get('demands', {})} | \
            {o['resource'] for s in self.stages.values() for o in s.get('outputs', [])}
        rows = {(i['resource'], i['place']) for i in self.items if i['resource'] in kept}
        return rows | {(r, 'shared') for r in self.shared if r in used}

    def held(self, resource, place, at):
        """What each stage holds, in the order of the job."""
        here = [i for i in self.items
                if (i['resource'], i['place']) == (resource, place) and i['from'] <= at < i['until']]
        return [(s, sum(i['amount'] for i in here if i['stage'] == s)) for s in self.order
                if any(i['stage'] == s for i in here)], here

    def moments(self, resource, place):
        times = {0, self.span} | {t for i in self.items if (i['resource'], i['place']) == (resource, place)
                                  for t in (i['from'], i['until'])}
        return sorted(t for t in times if 0 <= t <= self.span)

    def steps(self, resource, place):
        """[from, amount] of what there is, up to the end of the plan."""
        times = sorted({0} | {t for c in self.changes for t in (c['from'], c.get('to', self.span))
                              if 0 <= t < max(self.span, 1e-9)})
        steps = []
        for t in times:
            amount = self.limit(resource, place, t)
            if not steps or steps[-1][1] != amount:
                steps.append([t, amount])
        return steps

    def peak(self, resource, place):
        """The most that is held, the first time from which on it is, and that to which."""
        moments = self.moments(resource, place)
        totals = [(sum(a for _, a in self.held(resource, place, t)[0]), t) for t in moments[:-1]]
        if not totals:
            return 0, 0, 0, []
        most = max(t for t, _ in totals)
        at = next(t for total, t in totals if total == most)
        return most, at, moments[moments.index(at) + 1], self.held(resource, place, at)[1]


def box(element):
    return [float(element.get(k)) for k in ('x', 'y', 'width', 'height')]


def near(a, b, slack=2 * ROUND):
    assert abs(a - b) <= slack, (a, b)


def path(element):
    """The corners of a path of M, V and H."""
    words, at, corners = element.get('d').split(), [0, 0], []
    while words:
        kind = words.pop(0)
        if kind == 'M':
            at = [float(words.pop(0)), float(words.pop(0))]
        else:
            at[kind == 'V'] = float(words.pop(0))
        corners.append(tuple(at))
    return corners


def drawn_rows(root):
    """Of each row of what is held: its frame, its words, boxes, limit, peak and line of holders."""
    rows, row = [], None
    for element in root:
        kind = element.get('class')
        if element.tag == SVG + 'rect' and kind == 'place':
            row = {'frame': box(element), 'words': [], 'boxes': [], 'away': [], 'limit': None, 'peak': None, 'line': None}
            rows.append(row)
        elif row is None:
            continue
        elif kind == 'held':
            row['boxes'] = [(box(r), r.find(SVG + 'title').text) for r in element]
        elif kind == 'away':
            row['away'].append(box(element))
        elif kind == 'limit':
            row['limit'] = element
        elif kind == 'peak':
            row['peak'] = element
        elif kind == 'holders':
            row['line'] = element.text
            row = None
        elif element.tag == SVG + 'text':
            row['words'].append(element.text)
    return rows


UNITS = {'B': 1, 'KiB': 2**10, 'MiB': 2**20, 'GiB': 2**30}


def number(text):
    """An amount for people, such as "600 MiB"."""
    amount, _, unit = text.partition(' ')
    return float(amount) * UNITS[unit or 'B']


def holder(text):
    """Who holds how much: "build[3] 'table' 600 MiB"."""
    who, amount = re.fullmatch(r"(\S+(?: '[^']*')?) (.*)", text).groups()
    return who, number(amount)


def alike(found, wanted):
    """The same names with the same amounts, as far as texts for people tell them."""
    assert len(found) == len(wanted), (found, wanted)
    for (who, amount), (other, exact) in zip(found, wanted):
        assert who == other and math.isclose(amount, exact, rel_tol=1e-3), (found, wanted)


def said(item):
    return item['task'] + (" '%s'" % item['output'] if item['output'] else ''), item['amount']


def check_stack(plan, resource, place, row, full):
    """At any moment the boxes are the stages that hold some, one on the other from the ground."""
    _, top, _, height = row['frame']
    moments, seen = plan.moments(resource, place), 0
    for start, end in zip(moments, moments[1:]):
        x = LEFT + (start + end) / 2 / plan.span * WIDTH
        stack = sorted(((b, t) for b, t in row['boxes'] if b[0] <= x < b[0] + b[2]), key=lambda s: -s[0][1])
        wanted = plan.held(resource, place, start)[0]
        level = top + height
        assert [t.split(':')[0] for _, t in stack] == [s for s, _ in wanted], (stack, wanted)
        for (b, _), (_, amount) in zip(stack, wanted):
            near(b[1] + b[3], level)
            near(b[3], amount / full * height)
            level = b[1]
            seen += 1
    return seen


def check_limit(plan, resource, place, row, full):
    _, top, _, height = row['frame']
    steps = plan.steps(resource, place)
    if max(a for _, a in steps) > full:
        assert row['limit'] is None and 'not drawn' in ' '.join(row['words'])
        return 0
    corners = path(row['limit'])
    near(corners[-1][0], LEFT + WIDTH)
    assert len(corners) == 2 * len(steps), (corners, steps)
    for k, (at, amount) in enumerate(steps):
        for corner in corners[2 * k:2 * k + 2]:
            near(corner[1], top + height - amount / full * height)
        near(corners[2 * k][0], LEFT + at / plan.span * WIDTH)
    return len(steps) > 1


def check_away(plan, place, found, top, height):
    wanted = sorted((w['from'], min(w.get('to', plan.span), plan.span)) for w in plan.away
                    if plan.applies(w, place) and w['from'] < plan.span)
    assert len(found) == len(wanted), (place, found, wanted)
    for (x, y, w, h), (start, end) in zip(sorted(found), wanted):
        near(x, LEFT + start / plan.span * WIDTH)
        near(x + w, LEFT + end / plan.span * WIDTH)
        near(y, top)
        near(h, height)
    return len(wanted)


def check_svg(plan, root, counts):
    rows = {}
    for row in drawn_rows(root):
        rows[tuple(row['words'][0].split(', '))] = row
    assert set(rows) == plan.rows(), (set(rows), plan.rows())
    for (resource, place), row in rows.items():
        most, at, end, holders = plan.peak(resource, place)
        limit = max(a for _, a in plan.steps(resource, place))
        full = max(most, limit) or 1
        if most and limit > 5 * most:
            full = None
        _, top, _, height = row['frame']
        if full:
            counts['boxes'] += check_stack(plan, resource, place, row, full)
            counts['steps'] += check_limit(plan, resource, place, row, full)
        else:
            counts['cut'] += 1
        alike([('', number(next(w for w in row['words'] if w.startswith('peak '))[5:]))], [('', most)])
        if place != 'shared':
            counts['away'] += check_away(plan, place, row['away'], top, height)
        if not most:
            assert row['peak'] is None and row['line'] is None
            continue
        near(float(row['peak'].get('cx')), LEFT + at / plan.span * WIDTH)
        if full:
            near(float(row['peak'].get('cy')), top + height - most / full * height)
        title = row['peak'].find(SVG + 'title').text
        assert title.startswith('peak: %.12g s to %.12g s, ' % (at, end)), title
        alike(sorted(map(holder, title.split(': ', 2)[2].split(', '))), sorted(map(said, holders)))
        line = row['line'].split(': ', 1)[1]
        names = [holder(n) for n in re.sub(r' and \d+ more$', '', line).split(', ')]
        amounts = sorted((i['amount'] for i in holders), reverse=True)[:len(names)]
        alike([('', amount) for _, amount in names], [('', amount) for amount in amounts])
        assert {who for who, _ in names} <= {said(i)[0] for i in holders}, (line, holders)
        assert len(names) == (len(holders) if len(holders) <= 5 else 4), (line, holders)
        counts['peaks'] += 1
    check_marks(plan, root, counts)


def check_marks(plan, root, counts):
    """Releases and deadlines within the axis, each in the lane of its task; tasks name theirs. Machines' windows."""
    lanes = {}
    for rect in root.iter(SVG + 'rect'):
        title = rect.find(SVG + 'title')
        hit = title is not None and re.match(r'(\S+): \S+ s to \S+ s on ', title.text)
        if hit:
            lanes[hit.group(1)] = (box(rect)[1], title.text)
    assert set(lanes) == set(plan.task)
    for kind, key in (('release', 'releases'), ('deadline', 'deadlines')):
        wanted = []
        for stage, s in plan.stages.items():
            own = {d['index']: d[kind] for d in s.get('times', []) if kind in d}
            for k, task in enumerate(plan.tasks(stage)):
                ns = own.get(k, s.get(kind))
                if ns is None or (kind == 'release' and ns == 0):
                    continue
                y, title = lanes[task['id']]
                assert ('not before %.12g s' if kind == 'release' else 'due at %.12g s') % ns in title, (title, ns)
                if ns <= plan.span:
                    wanted.append((LEFT + ns / plan.span * WIDTH, y))
        found = []
        for p in root.iter(SVG + 'path'):
            if p.get('class') in (kind, kind + ' missed') and p.find(SVG + 'title') is not None:
                words = p.get('d').split()
                found.append((float(words[1]), float(words[4])))
        assert len(found) == len(wanted), (kind, found, wanted)
        for (x, y), (at, lane) in zip(sorted(found, key=lambda f: (round(f[1]), f[0])),
                                      sorted(wanted, key=lambda f: (round(f[1]), f[0]))):
            near(x, at)
            near(y, lane)
        counts[key] += len(found)


def stage_of(plan, task):
    return next(s for s in plan.order if task in plan.tasks(s))


def check_chain(plan, report, counts):
    """Each task of the critical chain starts when what it waited for came."""
    waits = dict(enumerate(('parent', 'machine', 'input', 'lag', 'release', 'window', 'room')))
    for k, (rank, waited) in enumerate(report['chain']):
        task, kind = plan.form['tasks'][rank], waits[waited]
        before = plan.form['tasks'][report['chain'][k - 1][0]] if k else None
        stage, start = stage_of(plan, task), task['start']
        index = plan.tasks(stage).index(task)
        if kind == 'release':
            own = {d['index']: d['release'] for d in plan.stages[stage].get('times', []) if 'release' in d}
            assert start == own.get(index, plan.stages[stage].get('release')) and not before, (task, before)
        elif kind == 'window':
            ends = [w['to'] for w in plan.away if 'to' in w and plan.applies(w, task['machine'])]
            ends += [t for c in plan.changes for t in (c['from'], c.get('to'))]
            assert start in ends and not before, (task, ends)
        elif kind == 'lag':
            edge = next(e for e in plan.form['edges'] if (e['from'], e['to']) == (stage_of(plan, before), stage))
            lag = edge.get('lag', 0)
            if edge.get('stream'):
                assert start == before['start'] + lag or task['end'] == before['end'], (before, task)
            else:
                assert lag and start == before['end'] + lag, (before, task)
        else:
            assert not k or before['end'] == start, (before, task)
        counts['chains'][kind] = counts['chains'].get(kind, 0) + 1


def check_html(plan, page, counts):
    report = json.JSONDecoder().raw_decode(page, page.index('{"job": '))[0]
    assert {tuple(r['name'].split(', ')) for r in report['held']} == plan.rows()
    for r in report['held']:
        key = tuple(r['name'].split(', '))
        most, at, end, holders = plan.peak(*key)
        assert r['peak'] == most and (not most or (r['at'], r['until']) == (at, end)), (r, most)
        assert [s[:2] for s in r['limit']] == plan.steps(*key), (r['limit'], plan.steps(*key))
        assert r['holders'] == len(holders)
        assert sorted((plan.form['tasks'][k]['id'], o or '') for k, o, _ in r['holder']) == \
            sorted((i['task'], i['output'] or '') for i in holders)
        moments = plan.moments(*key)
        for start, end in zip(moments, moments[1:]):
            level, wanted = 0, []
            for stage, amount in plan.held(*key, start)[0]:
                wanted.append([plan.order.index(stage), level, level + amount])
                level += amount
            drawn = [[q[0], q[3], q[4]] for q in r['pieces'] if q[1] <= start and end <= q[2]]
            assert sorted(drawn) == sorted(wanted), (drawn, wanted)
    check_chain(plan, report, counts)
    assert len(report['away']) == len(plan.away)
    assert page.count('id="peaks"') == 1


def check_trace(plan, text):
    events = json.loads(text)['traceEvents']
    for resource, place in plan.rows():
        for what in ('held', 'there is'):
            told = {e['ts'] / 1e6: e['args'][what] for e in events
                    if e['ph'] == 'C' and e['name'] == '%s, %s: %s' % (resource, place, what)}
            wanted = plan.steps(resource, place)
            if what == 'held':
                totals = [[t, sum(a for _, a in plan.held(resource, place, t)[0])]
                          for t in plan.moments(resource, place)]
                wanted = [w for k, w in enumerate(totals) if k == 0 or w[1] != totals[k - 1][1]]
                told.setdefault(0, 0)
            # A counter holds until the next one.
            known = sorted(told.items())
            for at, amount in wanted:
                assert [a for t, a in known if t <= at][-1] == amount, (resource, place, at, amount, known)
            for at, amount in known:
                assert [a for t, a in wanted if t <= at][-1] == amount, (resource, place, at, amount, wanted)
    busy = {t['machine'] for t in plan.task.values()}
    windows = sum(plan.applies(w, m) and w['from'] < plan.span for w in plan.away for m in busy)
    assert sum(e['name'] == 'away' for e in events) == windows


def check_columns(folder):
    """A row of more moments than columns: each shows its fullest moment, so the peak is there."""
    job, path = folder / 'long.xml', folder / 'long.json'
    job.write_text('<job xmlns="urn:bigrocks:job:1" name="long">' + ''.join(
        '<stage id="s%d" tasks="50" duration="%d"><demand resource="cpu" amount="1"/>'
        '<output id="o" resource="disk" amount="%d" keep="no"/></stage>' % (k, 7 + k, 3 + k * k % 11) for k in range(20)) + '</job>')
    run('plan', job, '--machines', '1', '--capacity', 'cpu=3', '--shared', 'disk=40', '--effort', 'fast', '-q', '-o', path)
    plan = Plan(path)
    row = next(r for r in drawn_rows(ET.fromstring(run('render', path, '-f', 'svg'))) if r['words'][0] == 'disk, shared')
    moments = plan.moments('disk', 'shared')
    assert len(moments) > 481, len(moments)
    totals = [sum(a for _, a in plan.held('disk', 'shared', t)[0]) for t in moments[:-1]]
    _, top, _, height = row['frame']
    for c in range(480):
        start, end = plan.span * c / 480, plan.span * (c + 1) / 480
        x = LEFT + (start + end) / 2 / plan.span * WIDTH
        most = max(total for total, a, b in zip(totals, moments, moments[1:]) if a < end - 1e-9 and b > start + 1e-9)
        level = min((b[1] for b, _ in row['boxes'] if b[0] <= x < b[0] + b[2]), default=top + height)
        near(level, top + height - most / 40 * height, .05)
    colours = {t.split(':')[0] for _, t in row['boxes']}
    assert 'other stages' in colours and len(colours) == 13, colours


def jobs(folder):
    """Files of jobs and the words that plan them."""
    night = folder / 'night.xml'
    night.write_text(NIGHT)
    yield [night]
    yield [ROOT / 'examples/joins.xml', '--capacity', 'cpu=4,mem=800MiB', '--shared', 'licence=1']
    yield [ROOT / 'examples/joins.xml', '--capacity', 'cpu=4,mem=64GiB', '--shared', 'licence=3']
    out = subprocess.run([ORACLE, 'xml', '1', str(COUNT), '12'], stdout=subprocess.PIPE, check=True).stdout
    while out:
        head, _, rest = out.partition(b'\n')
        size = int(head.split()[1])
        job = folder / 'random.xml'
        job.write_bytes(rest[:size])
        yield [job]
        out = rest[size:].lstrip(b'\n')


def main():
    counts = dict.fromkeys(('plans', 'boxes', 'steps', 'cut', 'away', 'peaks', 'releases', 'deadlines'), 0)
    counts['chains'] = {}
    with tempfile.TemporaryDirectory(prefix='held') as scratch:
        folder = pathlib.Path(scratch)
        path = folder / 'plan.json'
        for words in jobs(folder):
            done = subprocess.run([PROGRAM, 'plan', *map(str, words), '--effort', 'fast', '--no-lp', '-q', '-o', str(path)],
                                  capture_output=True, text=True)
            assert done.returncode == 0 or 'no plan' in done.stderr, done.stderr
            if done.returncode:
                continue
            plan = Plan(path)
            if not plan.span or 'mem' in plan.shared:
                continue
            check_svg(plan, ET.fromstring(run('render', path, '-f', 'svg')), counts)
            html = run('render', path, '-f', 'html')
            if '"held"' in html:
                check_html(plan, html, counts)
            check_trace(plan, run('render', path, '-f', 'trace'))
            counts['plans'] += 1
        check_columns(folder)
        # A job without any of it has nothing of it in its pictures.
        run('plan', ROOT / 'examples/word-count.xml', '--machines', '2', '--capacity', 'cpu=8,mem=16GiB,net=1000,disk=400',
            '--no-lp', '-q', '-o', path)
        assert not re.search('held|away|peaks|deadline', run('render', path, '-f', 'html'))
        assert not re.search('class="(held|place|limit|release)"|url\\(#away', run('render', path, '-f', 'svg'))
    assert counts['plans'] > COUNT / 3 and counts['boxes'] > 100 and all(counts.values()), counts
    assert {'lag', 'release', 'window', 'room', 'machine', 'parent'} <= set(counts['chains']), counts
    print(counts)


if __name__ == '__main__':
    main()
