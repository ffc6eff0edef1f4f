#!/usr/bin/env python3
"""Plans in the forms json, xml and order come back to the byte, wherever a plan is taken; and orders that were made
elsewhere are followed, by `plan` and by `run`.

orders.py BIGROCKS EXAMPLES
"""
import csv
import itertools
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

BIGROCKS, EXAMPLES = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
JOBS = max(6, 60 * min(100, int(os.environ.get('BIGROCKS_TEST_SHARE') or 100)) // 100)
FORMS = ('json', 'xml', 'order')
PLANS = (('query.xml', ['--cluster', str(EXAMPLES / 'cluster-rack.xml')]), ('motivating.xml', ['--capacity', 'cpu=1,mem=1']),
         ('joins.xml', ['--capacity', 'cpu=4,mem=800MiB', '--shared', 'licence=1']))


def run(*words, code=0, folder=None):
    done = subprocess.run([BIGROCKS, *map(str, words)], cwd=folder, text=True, capture_output=True, timeout=100, check=False)
    assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
    return done


def forms_come_back(folder):
    for name, cluster in PLANS:
        job = EXAMPLES / name
        for form in FORMS:
            run('plan', job, *cluster, '-q', '-f', form, '-o', folder / form)
        told = {run('run', job, '--plan', folder / form, '--simulate', *cluster).stdout for form in FORMS
                if name != 'joins.xml'}  # which is not simulated
        assert len(told) <= 1, told
        for form in FORMS:
            made = folder / form
            assert 'ok: ' in run('check', job, made, *cluster).stdout
            given = ['--job', job, *cluster] if form == 'order' else []
            for other in ('order', 'svg', form) if name != 'joins.xml' else ('order', form):
                shown = run('render', made, *given, '-f', other).stdout
                want = (folder / other).read_text() if other in FORMS else \
                    run('render', folder / 'json', '-f', other).stdout
                if other == 'svg':  # which gives the gap, and the form order has no bound
                    shown, want = (len(re.findall('<rect', text)) for text in (shown, want))
                assert shown == want, (name, form, other)
        # A plan that was changed is found out in every form.
        for form in FORMS:
            text = (folder / form).read_text()
            start = {'json': r'"start": ?(?!0,)[0-9.]+', 'xml': r' start="(?!0")[0-9.]+"'}.get(form)
            if start:
                text = re.sub(start, lambda m: re.sub(r'[0-9.]+', '0', m[0]), text, count=1)
            else:
                lines = [line.split('\t') for line in text.splitlines()]
                next(line for line in lines[1:] if line[3] != '0')[3] = '0'
                text = '\n'.join(map('\t'.join, lines))
            (folder / 'bad').write_text(text)
            assert 'fault: ' in run('check', job, folder / 'bad', *cluster, code=1).stdout, (name, form)


class Job:
    """A random job of tasks for one core."""

    def __init__(self, seed):
        chance = random.Random(seed)
        self.stages, self.parents = [], {}
        for k in range(chance.randint(2, 8)):
            self.stages.append(('s%d' % k, chance.choice((1, 1, 2, 3)), chance.randint(1, 9)))
        self.edges = []
        for b, (child, m, _) in enumerate(self.stages):
            for parent, n, _ in self.stages[:b]:
                if chance.random() < 0.35:
                    self.edges.append((parent, child, 'one-to-one' if n == m and chance.random() < 0.5 else 'barrier'))
        self.tasks = [(s, i) for s, n, _ in self.stages for i in range(n)]
        count = {s: n for s, n, _ in self.stages}
        for task in self.tasks:
            self.parents[task] = {(p, i) for p, c, kind in self.edges if c == task[0] for i in range(count[p])
                                  if kind == 'barrier' or count[p] == 1 or i == task[1]}
        self.name = {(s, i): s if count[s] == 1 else '%s[%d]' % (s, i) for s, i in self.tasks}

    def ancestors(self, task):
        found, new = set(), {task}
        while new:
            new = {p for t in new for p in self.parents[t]} - found
            found |= new
        return found

    def by_paths(self):
        """Longest way to the end first; ties as the program has them, by place in the job."""
        duration = {s: d for s, _, d in self.stages}
        path = {}
        for task in reversed(self.tasks):
            path[task] = duration[task[0]] + max((path[c] for c in self.tasks if task in self.parents[c]), default=0)
        return sorted(self.tasks, key=lambda t: (-path[t], self.tasks.index(t)))

    def complete(self, listed, rest):
        order = []
        for task in listed:
            order += [t for t in rest if t in self.ancestors(task) and t not in order] + [task]
        return order + [t for t in rest if t not in order]

    def write(self, path, command=''):
        path.write_text('<job xmlns="urn:bigrocks:job:1" name="random">%s%s</job>' % (''.join(
            '<stage id="%s" tasks="%d" duration="%d"><demand resource="cpu" amount="1"/>%s</stage>' % (s, n, d, command)
            for s, n, d in self.stages), ''.join('<edge from="%s" to="%s" type="%s"/>' % e for e in self.edges)))


def started(plan):
    return [t['id'] for t in sorted(json.loads(plan)['tasks'], key=lambda t: (t['start'], t['rank']))]


def orders_are_completed(folder):
    for seed in range(JOBS):
        job, chance = Job(seed), random.Random(seed)
        job.write(folder / 'job.xml')
        rest = job.by_paths()
        topological = [t for t in sorted(rest, key=lambda t: (len(job.ancestors(t)), chance.random()))]
        listed = [t for t in topological if chance.random() < chance.choice((0.2, 0.6, 1))]
        (folder / 'list').write_text(''.join(job.name[t] + '\n' for t in listed))
        plan = run('plan', folder / 'job.xml', '--capacity', 'cpu=1', '--order', folder / 'list', '-q', '-f', 'json').stdout
        want = [job.name[t] for t in job.complete(listed, rest)]
        assert started(plan) == want, (seed, started(plan), want)
        assert json.loads(plan)['method'] == 'order'
        # The form order is a list, too, in the order of its lines.
        (folder / 'table').write_text('id\tnote\n' + ''.join(job.name[t] + '\tx\n' for t in listed))
        again = run('plan', folder / 'job.xml', '--capacity', 'cpu=1', '--order', folder / 'table', '-q', '-f', 'json').stdout
        assert again == plan, seed
        swapped = next(((a, b) for a in listed for b in listed if a in job.ancestors(b)), None)
        if swapped:
            (folder / 'list').write_text('%s\n%s\n' % (job.name[swapped[1]], job.name[swapped[0]]))
            said = run('plan', folder / 'job.xml', '--capacity', 'cpu=1', '--order', folder / 'list', code=3).stderr
            assert "task '%s', number 2 of the list, has to come before number 1, '%s'" % (
                job.name[swapped[0]], job.name[swapped[1]]) in said, said


def names_may_be_odd(folder):
    """Names that a table escapes, as a formula or with a backslash, come back from the form order and from a list."""
    (folder / 'job.xml').write_text('<job xmlns="urn:bigrocks:job:1" name="odd">%s</job>' % ''.join(
        '<stage id="%s" duration="%d"/>' % (name, k + 1) for k, name in enumerate(('=1+1', 'a\\tb', 'c'))))
    words = [folder / 'job.xml', '--capacity', 'cpu=1']
    run('plan', *words, '-q', '-f', 'order', '-o', folder / 'order')
    assert 'u003d' in (folder / 'order').read_text()
    assert 'ok: ' in run('check', folder / 'job.xml', folder / 'order', *words[1:]).stdout
    run('plan', *words, '-q', '--order', folder / 'order', '-f', 'json')


HELD = '''<job xmlns="urn:bigrocks:job:1" name="held">
<stage id="build" tasks="3" duration="4"><demand resource="cpu" amount="1"/><output id="t" resource="mem" amount="3GiB"/></stage>
<stage id="probe" tasks="3" duration="2"><demand resource="cpu" amount="1"/></stage>
<edge from="build" to="probe" type="one-to-one" reads="t" lag="1"/></job>'''
LEAVES = '''<cluster xmlns="urn:bigrocks:cluster:1"><machine class="node" count="1"><capacity resource="cpu" amount="4"/>
<capacity resource="mem" amount="4GiB"/></machine><unavailable class="node" from="60"/></cluster>'''


def any_order_of_what_is_held_has_a_plan(folder):
    """One table fits, and no order of the tasks that make them ends in a dead end; also if the machine leaves later."""
    (folder / 'held.xml').write_text(HELD)
    (folder / 'leaves.xml').write_text(LEAVES)
    clusters = ('--capacity', 'cpu=4,mem=4GiB'), ('--cluster', folder / 'leaves.xml')
    for order, cluster in itertools.product(itertools.permutations(range(3)), clusters):
        words = [folder / 'held.xml', *cluster]
        (folder / 'list').write_text(''.join('build[%d]\n' % k for k in order))
        plan = run('plan', *words, '--order', folder / 'list', '-q', '-f', 'json').stdout
        (folder / 'plan.json').write_text(plan)
        assert json.loads(plan)['makespan'] == 21, (order, plan)
        assert 'ok: ' in run('check', folder / 'held.xml', folder / 'plan.json', *words[1:]).stdout


def what_is_not_listed_follows_the_plan(folder):
    """With --plan, the rest goes in its order, and not by critical path."""
    job = Job(3)
    job.write(folder / 'job.xml', '<command>true</command>')
    words = [folder / 'job.xml', '--capacity', 'cpu=1']
    run('plan', *words, '--method', 'random', '--seed', '7', '-q', '-o', folder / 'plan.json')
    rest = [t['id'] for t in sorted(json.loads((folder / 'plan.json').read_text())['tasks'], key=lambda t: t['rank'])]
    by_name = {name: task for task, name in job.name.items()}
    listed = [by_name[rest[-1]]]
    want = [job.name[t] for t in job.complete(listed, [by_name[name] for name in rest])]
    assert want != [job.name[t] for t in job.complete(listed, job.by_paths())]
    (folder / 'list').write_text(rest[-1] + '\n')
    run('run', *words, '--plan', folder / 'plan.json', '--order', folder / 'list', '--trace', folder / 'trace.csv')
    assert traced(folder / 'trace.csv') == want


def traced(path):
    with open(path, newline='', encoding='utf-8') as file:
        rows = list(csv.DictReader(file))
    return [row['task'] for row in sorted(rows, key=lambda row: float(row['start']))]


def a_build_follows_tsort(folder):
    """A program of C, imported from make, is built in the order that tsort gives for its edges."""
    sources = {'f%d.c' % k: 'int f%d(void) { return %d; }\n' % (k, k) for k in range(6)}
    sources['main.c'] = 'int f5(void);\nint main(void) { return f5() - 5; }\n'
    for name, text in sources.items():
        (folder / name).write_text(text)
    objects = ' '.join(name.replace('.c', '.o') for name in sources)
    (folder / 'Makefile').write_text('app: libf.a main.o\n\tcc -o $@ main.o libf.a\nlibf.a: %s\n\tar rcs $@ $^\n'
                                     '%%.o: %%.c\n\tcc -c $< -o $@\n' % objects.replace(' main.o', ''))
    run('import', 'make', '-C', folder, '-o', folder / 'job.xml')
    text = (folder / 'job.xml').read_text()
    pairs = re.findall(r'<edge from="([^"]+)" to="([^"]+)"', text)
    order = subprocess.run(['tsort'], input=''.join('%s %s\n' % p for p in pairs), text=True, capture_output=True,
                           check=True).stdout.split()
    assert len(order) >= 9, text
    (folder / 'order').write_text('\n'.join(order) + '\n')
    run('run', 'job.xml', '--capacity', 'cpu=1', '--order', 'order', '--trace', 'trace.csv', folder=folder)
    assert traced(folder / 'trace.csv') == order, (traced(folder / 'trace.csv'), order)
    assert subprocess.run([folder / 'app'], check=False).returncode == 0
    assert subprocess.run(['make', '-q', '-C', folder, 'app'], check=False).returncode == 0


def what_is_refused(folder):
    job, cluster = EXAMPLES / 'query.xml', PLANS[0][1]
    run('plan', job, *cluster, '-q', '-o', folder / 'order', '-f', 'order')
    run('plan', job, *cluster, '-q', '-o', folder / 'json', '-f', 'json')
    lines = (folder / 'order').read_text().splitlines()

    def said(text, *words, name='o'):
        (folder / name).write_text(text)
        done = subprocess.run([BIGROCKS, *(str(folder / name if w == '@' else w) for w in words)], text=True,
                              capture_output=True, timeout=100, check=False)
        assert done.returncode in (2, 3), (words, done)
        return done.stderr

    whole = '\n'.join(lines)
    for text, words, want in (
            (whole, ('render', '@', '-f', 'svg'), "does not carry its job; give the job, too"),
            (whole, ('run', '@'), "o:1:1: this is a plan in the form 'order'"),
            (whole, ('render', '@', '--job', job, '-f', 'svg'), 'does not carry its cluster'),
            (whole.replace('\t72\t', '\tx\t', 1), ('check', job, '@', *cluster), "'x' of a task"),
            ('\n'.join(lines[:-1]), ('check', job, '@', *cluster), 'is not planned'),
            ('\n'.join(lines + lines[-1:]), ('check', job, '@', *cluster), 'o:68:4: the task is there twice'),
            ('\n'.join(lines[:1] + ['1\tnone\t1\t0\t3\tnode[0]\tS']), ('check', job, '@', *cluster),
             "o:2:3: the job has no task 'none'"),
            ('\n'.join(lines[:2]).replace('node[', 'nod['), ('check', job, '@', *cluster), "the cluster has no machine 'nod["),
            ('rank\tid\n1\tscan-days', ('check', job, '@', *cluster), "the order has no column 'start'"),
            ('scan-dais', ('plan', job, *cluster, '--order', '@'), "o:1:1: the job has no task 'scan-dais'"),
            ('scan-days\nscan-days', ('plan', job, *cluster, '--order', '@'), "number 1 of the list, task 'scan-days', is there twice"),
            ('a\tb\n1\t2', ('plan', job, *cluster, '--order', '@'), "several columns and none is 'id'"),
            ('scan-days', ('plan', job, *cluster, '--order', '@', '--store', folder / 'store'), '--order goes without --store'),
            ('scan-days', ('plan', job, *cluster, '--order', '@', '--network'), '--order goes without --network'),
            ('scan-days', ('run', job, job, *cluster, '--order', '@'), '--order is for one job'),
            ('', ('render', folder / 'json', '--job', job, '-f', 'svg'), 'leave out --job'),
            ('<plan xmlns="urn:bigrocks:plan:2"/>', ('check', job, '@', *cluster), "in the namespace 'urn:bigrocks:plan:2'"),
            ('<plan xmlns="urn:bigrocks:plan:1" method="cp" makespan="1"><task id="a"/></plan>', ('check', job, '@', *cluster),
             'a task comes before the job')):
        assert want in said(text, *words), (want, said(text, *words))


def main():
    assert shutil.which('tsort') and shutil.which('make')
    for part in (forms_come_back, names_may_be_odd, orders_are_completed,
                 any_order_of_what_is_held_has_a_plan,
                 what_is_not_listed_follows_the_plan, a_build_follows_tsort, what_is_refused):
        with tempfile.TemporaryDirectory() as scratch:
            part(pathlib.Path(scratch))
            print('ok:', part.__name__.replace('_', ' '))


if __name__ == '__main__':
    main()
