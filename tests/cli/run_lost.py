#!/usr/bin/env python3
"""Runs whose machines are lost go on with what is left: what is done stays done, the rest takes other alternatives.

run_lost.py BIGROCKS [SEED]

Random jobs with alternatives, classes of machines and a budget are run in three sessions: on the whole cluster, where
some tasks fail; without one class; and on the whole cluster once more by the first plan. What each session may and
must do is decided here from the job alone: every task ends well exactly once, on a machine of a class of its
alternative; all that ended consume no more than the budget; and a session is refused if and only if some stage that
is not over has no alternative left or the budget is too small for what remains.
"""
import pathlib
import random
import re
import subprocess
import sys
import tempfile

BIGROCKS = pathlib.Path(sys.argv[1]).resolve()
CLASSES = {'node': (2, 4, 0), 'gpu-node': (1, 2, 1), 'old': (1, 2, 0)}  # count, cpu, gpu
JOBS = 60


def cluster_text(classes, budget):
    return '<cluster xmlns="urn:bigrocks:cluster:1" name="c">%s<shared resource="runs" amount="%g"/></cluster>' % (''.join(
        '<machine class="%s" count="%d" speed="%s"><capacity resource="cpu" amount="%d"/><capacity resource="gpu" amount="%d"/>'
        '</machine>' % (name, CLASSES[name][0], '0.5' if name == 'old' else '1', *CLASSES[name][1:]) for name in classes), budget)


class Way:
    def __init__(self, rng, name):
        self.name = name
        self.gpu = rng.random() < 0.4
        self.cpu = 0 if self.gpu else rng.choice([1, 2, 4])
        self.classes = rng.sample(sorted(CLASSES), rng.choice([1, 2])) if rng.random() < 0.5 else []
        self.runs = rng.choice([0, 0, 0.5, 1, 2])  # and the faster for it
        if not self.fits(CLASSES):
            self.gpu, self.cpu, self.classes = False, 1, []

    def fits_class(self, name):
        return (not self.classes or name in self.classes) and CLASSES[name][1] >= self.cpu and CLASSES[name][2] >= self.gpu

    def fits(self, classes):
        return any(self.fits_class(name) for name in classes)

    def text(self):
        inside = '<demand resource="%s" amount="%d"/>' % (('gpu', 1) if self.gpu else ('cpu', self.cpu))
        inside += '<demand resource="runs" amount="%g" consume="yes"/>' % self.runs if self.runs else ''
        attributes = ' class="%s"' % ' '.join(self.classes) if self.classes else ''
        return attributes, inside


class Job:
    def __init__(self, rng):
        self.stages = {}
        text = ''
        for s in range(rng.randint(1, 5)):
            name, tasks = 's%d' % s, rng.randint(1, 4)
            ways = [Way(rng, 'w%d' % k) for k in range(rng.randint(1, 4))]
            self.stages[name] = (tasks, ways)
            inside = ''.join('<alternative id="%s" duration="%d"%s>%s</alternative>' % (
                way.name, 20 / (1 + 8 * way.runs), *way.text())
                             for way in ways)
            attributes = ''
            if len(ways) == 1 and rng.random() < 0.7:
                ways[0].name = ''
                attributes, inside = ways[0].text()
            text += '<stage id="%s" tasks="%d" duration="3"%s>%s<command>./do %s {index}</command></stage>' % (
                name, tasks, attributes, inside, name)
        for s in range(1, len(self.stages)):
            parent = rng.randrange(s)
            equal = self.stages['s%d' % parent][0] == self.stages['s%d' % s][0]
            text += '<edge from="s%d" to="s%d" type="%s"/>' % (
                parent, s, 'one-to-one' if equal and rng.random() < 0.5 else 'barrier')
        self.text = '<job xmlns="urn:bigrocks:job:1" name="lost">%s</job>' % text

    def way(self, stage, alternative):
        return next(way for way in self.stages[stage][1] if way.name == alternative)

    def needs(self, done, classes):
        """The least that all tasks which are not done consume on these classes; None if a stage has no alternative."""
        total = 0
        for name, (tasks, ways) in self.stages.items():
            left = tasks - sum(stage == name for stage, _ in done)
            fit = [way.runs for way in ways if way.fits(classes)]
            if left and not fit:
                return None
            total += left * min(fit) if left else 0
        return total


def run(folder, *words):
    return subprocess.run([str(BIGROCKS), 'run', *words, '-q', '--keep-going', '--journal', 'j', '--resume'],
                          text=True, capture_output=True, cwd=folder, stdin=subprocess.DEVNULL, timeout=120)


def read_log(folder):
    """What ended well: by task its alternative and machine, each once."""
    done = {}
    path = folder / 'log'
    for line in path.read_text().splitlines() if path.exists() else []:
        stage, index, alternative, machine = line.split(',')
        assert (stage, index) not in done, ('task ran twice', line)
        done[stage, index] = alternative, re.sub(r'\[.*', '', machine)
    return done


def check_done(job, done, budget):
    for (stage, _), (alternative, machine) in done.items():
        assert job.way(stage, alternative).fits_class(machine), (stage, alternative, machine)
    consumed = sum(job.way(stage, alternative).runs for (stage, _), (alternative, _) in done.items())
    assert consumed <= budget, (consumed, budget)
    return budget - consumed


def session(folder, job, budget, classes, words):
    """True if it was to be refused."""
    before = read_log(folder)
    left = check_done(job, before, budget)
    needs = job.needs(before, classes)
    impossible = needs is None or needs > left
    result = run(folder, *words)
    if impossible:
        assert result.returncode == 3 and re.search('fits? (no|a) machine of its classes|consumes at least|what is consumed suffices', result.stderr), (
            result, needs, left)
        assert read_log(folder) == before
        return True
    assert result.returncode in (0, 1) and 'Traceback' not in result.stderr, (result, needs, left)
    check_done(job, read_log(folder), budget)
    return False


def check_job(folder, rng, counts):
    job = Job(rng)
    least = job.needs({}, CLASSES)
    budget = least + rng.choice([0, 1, 2, 3])
    tasks = [(name, str(i)) for name, (count, _) in job.stages.items() for i in range(count)]
    bad = rng.sample(tasks, rng.randint(0, len(tasks)))
    (folder / 'job.xml').write_text(job.text)
    (folder / 'whole.xml').write_text(cluster_text(CLASSES, budget))
    gone = rng.choice(['gpu-node', 'gpu-node', 'old', 'node'])
    rest = [name for name in CLASSES if name != gone]
    (folder / 'left.xml').write_text(cluster_text(rest, budget))
    (folder / 'do').write_text('#!/bin/sh\ngrep -qx "$1 $2" bad && exit 7\n'
                               'echo "$1,$2,$BIGROCKS_ALTERNATIVE,$BIGROCKS_MACHINE" >>log\n')
    (folder / 'do').chmod(0o755)
    (folder / 'bad').write_text(''.join('%s %s\n' % task for task in bad))
    planned = subprocess.run([str(BIGROCKS), 'plan', 'job.xml', '--cluster', 'whole.xml', '-q', '--effort', 'fast', '-o', 'plan.json'],
                             text=True, capture_output=True, cwd=folder)
    assert planned.returncode == 0, planned
    session(folder, job, budget, CLASSES, ['plan.json'])
    first = len(read_log(folder))
    still = rng.sample(bad, len(bad) // 2)
    (folder / 'bad').write_text(''.join('%s %s\n' % task for task in still))
    what = ['plan.json'] if not first or rng.random() < 0.6 else ['job.xml', '--effort', 'fast']
    refused = session(folder, job, budget, rest, [*what, '--cluster', 'left.xml'])
    counts['refused'] += refused
    counts['went on'] += not refused and first < len(read_log(folder))
    (folder / 'bad').write_text('')
    second = len(read_log(folder))
    if not session(folder, job, budget, CLASSES, ['plan.json']):
        assert set(read_log(folder)) == set(tasks)
        counts['back'] += second < len(tasks)


PAID = '''<job xmlns="urn:bigrocks:job:1" name="paid">
  <stage id="a"><alternative id="free" class="gpu-node" duration="1"><demand resource="gpu" amount="1"/></alternative>
    <alternative id="paid" duration="5"><demand resource="runs" amount="1" consume="yes"/></alternative><command>./do a 0</command></stage>
  <stage id="b"><alternative id="paid" duration="1"><demand resource="runs" amount="1" consume="yes"/></alternative>
    <alternative id="slow" duration="50"/><command>./do b 0</command></stage>
  <edge from="a" to="b"/></job>'''


def check_paid(folder):
    """What the rest was to consume has been consumed meanwhile, so the first plan counts no more, although it fits."""
    (folder / 'job.xml').write_text(PAID)
    (folder / 'whole.xml').write_text(cluster_text(CLASSES, 1))
    (folder / 'left.xml').write_text(cluster_text(['node'], 1))
    (folder / 'do').write_text('#!/bin/sh\ngrep -qx "$1" bad && exit 7\necho "$1 $BIGROCKS_ALTERNATIVE" >>log\n')
    (folder / 'do').chmod(0o755)
    subprocess.run([str(BIGROCKS), 'plan', 'job.xml', '--cluster', 'whole.xml', '-q', '-o', 'plan.json'], check=True, cwd=folder)
    for bad, words in ('a', []), ('b', ['--cluster', 'left.xml']), ('', []):
        (folder / 'bad').write_text(bad)
        run(folder, 'plan.json', *words)
    assert (folder / 'log').read_text() == 'a paid\nb slow\n', (folder / 'log').read_text()


def main():
    with tempfile.TemporaryDirectory(prefix='bigrocks-lost') as folder:
        check_paid(pathlib.Path(folder))
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    counts = {'refused': 0, 'went on': 0, 'back': 0}
    for seed in range(first, first + JOBS):
        with tempfile.TemporaryDirectory(prefix='bigrocks-lost') as folder:
            try:
                check_job(pathlib.Path(folder), random.Random(seed), counts)
            except AssertionError:
                print('seed', seed)
                raise
    print(counts)
    assert len(sys.argv) > 2 or min(counts.values()) >= JOBS // 10, counts
    return 0


if __name__ == '__main__':
    sys.exit(main())
