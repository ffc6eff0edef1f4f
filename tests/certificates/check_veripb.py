#!/usr/bin/env python3
"""Proofs for VeriPB, by a small reading of its rules, and what they are proofs of.

usage: check_veripb.py BIGROCKS

Of random jobs and of some made for one rule each: every formula holds nothing that the job does not ask for, every
proof holds, and none holds any more without the rows of its formula, or where a number of it is another. Kinds
without a form are refused in words, with no file left. With BIGROCKS_VERIPB=PROGRAM, that program judges as well.
"""
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
from fractions import Fraction

import proofs
import pseudo_boolean

CLIQUE = ''.join('<stage id="%s" duration="%d">%s</stage>' % (name, duration, ''.join(
    '<demand resource="%s" amount="6"/>' % r for r in resources))
    for name, duration, resources in (('a', 3, 'xy'), ('b', 4, 'xz'), ('c', 5, 'yz')))
UNITS = ''.join('<stage id="%s" duration="%d"><demand resource="x" amount="%d"/></stage>' % (name, duration, amount)
                for name, duration, amount in (('a', 3, 4), ('b', 4, 4), ('c', 5, 4), ('d', 4, 5), ('e', 7, 5)))
# Neither a and b nor b and d have a resource in common that keeps them apart: one waits for the other over others.
ORDER = ''.join('<stage id="%s" duration="%d">%s</stage>' % (name, duration, ''.join(
    '<demand resource="%s" amount="6"/>' % r for r in resources))
    for name, duration, resources in (('a', 3, 'x'), ('z', 2, ''), ('n', 0, ''), ('b', 4, 'y'), ('d', 2, 'x'), ('c', 5, 'xy')))
ORDER += ''.join('<edge from="%s" to="%s"/>' % tuple(pair) for pair in ('az', 'zn', 'nb', 'bd'))
# b has begun by the time that a row is of, wherever it starts.
EARLY = ORDER.replace('id="c" duration="5"', 'id="c" duration="9"')
LATE = ('<stage id="a" duration="4"/><stage id="b" duration="5"><demand resource="x" amount="6"/></stage>'
        '<stage id="c" duration="3"><demand resource="x" amount="5"/></stage><stage id="d" duration="2"/>'
        '<edge from="a" to="b"/><edge from="a" to="c"/><edge from="b" to="d"/><edge from="c" to="d"/>')

MADE = CLIQUE, UNITS, LATE, ORDER, EARLY
STACKED = 15, 21, 79, 94, 142, 157, 169, 239  # seeds of jobs with proofs by rounds and of several parts


def job(stages, resources='xyz', size=10, machines=1):
    return ('<job xmlns="urn:bigrocks:job:1" name="made"><cluster><machine class="m" count="%d">%s</machine></cluster>'
            '%s</job>' % (machines, ''.join('<capacity resource="%s" amount="%d"/>' % (r, size) for r in resources),
                          stages))


def emitted(program, path, folder, number, *options):
    """The bound's document, formula and proof; with None for both if it is refused in words."""
    stem = folder / 'proof'
    done = proofs.run(program, 'bound', path, '--proof', 'veripb', '-o', stem, '--json', *options, text=True)
    opb, pbp = pathlib.Path('%s.opb' % stem), pathlib.Path('%s.pbp' % stem)
    assert done.returncode in (0, 1), done.stderr
    assert done.returncode == (0 if opb.exists() else 1) and opb.exists() == pbp.exists(), done.stderr
    if done.returncode:
        assert 'no form for VeriPB' in done.stderr or 'no bound above 0' in done.stderr, done.stderr
        return json.loads(done.stdout), None, None
    texts = opb.read_text(), pbp.read_text()
    if number % 5 == 0:
        again = folder / 'bound.json'
        again.write_text(done.stdout)
        done_again = proofs.run(program, 'check', '--certificate', again, '--proof', 'veripb', '-o', folder / 'again',
                                text=True)
        assert done_again.returncode == 0 and ': ok: ' in done_again.stdout, done_again.stderr
        assert texts == ((folder / 'again.opb').read_text(), (folder / 'again.pbp').read_text())
    judge = os.environ.get('BIGROCKS_VERIPB')
    if judge:
        run = subprocess.run([judge, opb, pbp], capture_output=True, text=True)
        assert 's VERIFIED UNSATISFIABLE' in run.stdout, (run.stdout, run.stderr)
    opb.unlink()
    pbp.unlink()
    return (json.loads(done.stdout), *texts)


def crowded(rng):
    """Single tasks with two resources of which few fit together: what clauses are for."""
    tasks = rng.randint(7, 11)
    text = ''.join('<stage id="s%d" duration="%d"><demand resource="x" amount="%d"/><demand resource="y" amount="%d"/>'
                   '</stage>' % (s, rng.randint(1, 7), rng.randint(2, 7), rng.choice((1, 2, 6))) for s in range(tasks))
    return job(text + ''.join('<edge from="s%d" to="s%d"/>' % (s, t) for t in range(tasks) for s in range(t)
                              if rng.random() < 0.12))


def stacked(rng):
    """Parts one after another, each of stages with one or several tasks: what rounds and parts are for."""
    text, edges, before = '', '', []
    for p in range(rng.randint(2, 3)):
        names = ['p%ds%d' % (p, s) for s in range(rng.randint(3, 5))]
        for name in names:
            text += ('<stage id="%s" tasks="%d" duration="%d"><demand resource="x" amount="%d"/><demand resource="y" '
                     'amount="%d"/></stage>' % (name, rng.choice((1, 1, 2, 3, 5)), rng.randint(1, 6),
                                                rng.randint(2, 7), rng.choice((1, 2, 6))))
        links = [(a, b) for k, b in enumerate(names) for a in names[:k] if rng.random() < 0.2]
        late, early = {b for _, b in links}, {a for a, _ in links}
        edges += ''.join('<edge from="%s" to="%s"/>' % pair
                         for pair in links + [(a, b) for a in before for b in names if b not in late])
        before = [a for a in names if a not in early]
    return job(text + edges)


def woven(rng):
    """Stages with more edges: what claims are for."""
    stages = rng.randint(9, 13)
    text = ''.join('<stage id="s%d" tasks="%d" duration="%d"><demand resource="x" amount="%d"/><demand resource="y" '
                   'amount="%d"/></stage>' % (s, rng.choice((1, 1, 1, 2, 4)), rng.randint(1, 7), rng.randint(2, 7),
                                              rng.choice((1, 2, 6))) for s in range(stages))
    return job(text + ''.join('<edge from="s%d" to="s%d"/>' % (s, t) for t in range(stages) for s in range(t)
                              if rng.random() < 0.25))


def proven(document):
    """The parts that take any time."""
    return [part for part in document['certificate']['parts'] if part['bound'] > 0]


class Meaning:
    """What rows may say of a job: that is all that a formula may hold."""

    def __init__(self, document):
        document = json.loads(json.dumps(document), parse_float=Fraction)
        kind, parts = document['certificate'].get('relaxation', 'none'), proven(document)
        if kind != 'none':
            document = {**document, **proofs.checker.Relaxing(document, kind).document}
        self.job = proofs.checker.Job(document).rounded_down(parts[0].get('rounding', 1))
        self.m = sum(part['bound'] for part in parts) - 1
        self.capacity = {}
        for count, capacity in self.job.classes:
            for resource, amount in capacity.items():
                self.capacity[resource] = self.capacity.get(resource, 0) + count * amount
        self.stage, self.duration, first = [], [], []
        for s, durations in enumerate(self.job.durations):
            first.append(len(self.duration))
            self.duration += durations
            self.stage += [s] * len(durations)
        self.edges = set()
        for s, children in enumerate(self.job.children):
            for c, one in children:
                pairs = [(i, k) for i in range(len(self.job.durations[s])) for k in range(len(self.job.durations[c]))]
                self.edges |= {(first[s] + i, first[c] + k) for i, k in pairs if not one or i == k}

    def demand(self, task, resource):
        return self.job.demands[self.stage[task]].get(resource, 0)

    def last(self, task):
        return self.m - self.duration[task]

    def allows(self, row):
        """Does the row follow from the job and M?"""
        terms, degree = row
        kinds = {literal.strip('~')[0] for literal in terms}
        if 'x' in kinds:
            return self.says_run(row) if 'y' in kinds or len(terms) == 1 else self.says_busy(row)
        if 'o' in kinds:
            return self.says_rivals(row)
        parts = [(literal[0] == '~', *map(int, literal.strip('~y').split('_'))) for literal in terms]
        for _, task, s in parts:
            assert 1 <= s <= self.last(task - 1), row
        if degree == 1 and set(terms.values()) <= {1} and len(parts) <= 2 and self.says_order(parts):
            return True
        if not parts:
            return degree <= 0 or any(self.is_full(r, time) for r in self.job.resources for time in range(self.m))
        times = {s + self.duration[t - 1] - 1 if no else s - 1 for no, t, s in parts}
        return len(times) == 1 and any(self.says_capacity(r, times.copy().pop(), row) for r in self.job.resources)

    def says_run(self, row):
        """A task that has begun by a time and has not ended runs then."""
        (literal,) = (literal for literal in row[0] if literal[0] == 'x')
        task, time = map(int, literal[1:].split('_'))
        needed, begin = {literal}, time - self.duration[task - 1] + 1
        assert begin <= self.last(task - 1), row
        if begin >= 1:
            needed.add('~y%d_%d' % (task, begin))
        if time + 1 <= self.last(task - 1):
            needed.add('y%d_%d' % (task, time + 1))
        return needed <= set(row[0]) and set(row[0].values()) == {1} and row[1] <= 1

    def says_busy(self, row):
        """What runs at a time fits."""
        terms, degree = row
        places = [(literal[:2], *map(int, literal[2:].split('_'))) for literal in terms]
        if {word for word, _, _ in places} != {'~x'} or len({time for _, _, time in places}) != 1:
            return False
        for r in self.job.resources:
            if all(k == self.demand(t - 1, r) for k, (_, t, _) in zip(terms.values(), places)):
                return degree <= sum(terms.values()) - self.capacity.get(r, 0)
        return self.says_scaled(terms, degree, [t - 1 for _, t, _ in places])

    def says_scaled(self, terms, degree, tasks):
        """The same with amounts in smaller units."""
        for r in self.job.resources:
            scales = {Fraction(k) / self.demand(t, r) if self.demand(t, r) else 0 for k, t in zip(terms.values(), tasks)}
            if len(scales) == 1 and 0 not in scales:
                scale = scales.pop()
                if degree <= sum(terms.values()) - self.capacity.get(r, 0) * scale:
                    return True
        return False

    def says_rivals(self, row):
        """One of two tasks that demand too much together ends before the other starts."""
        terms, degree = row
        order, = (literal for literal in terms if literal.strip('~')[0] == 'o')
        first, second = (int(number) - 1 for number in order.strip('~o').split('_'))
        if not any(self.demand(first, r) + self.demand(second, r) > self.capacity.get(r, 0)
                   for r in self.job.resources) or not (self.duration[first] and self.duration[second]):
            return False
        if order[0] == 'o':
            first, second = second, first
        starts = [int(literal.split('_')[1]) for literal in terms if literal.startswith('~y%d_' % (first + 1))]
        ends = [int(literal.split('_')[1]) for literal in terms if literal.startswith('y%d_' % (second + 1))]
        if degree != 1 or len(terms) != 1 + len(starts) + len(ends) or set(terms.values()) != {1}:
            return False
        after = (starts[0] if starts else 0) + self.duration[first]
        return ends == [after] if ends else after > self.last(second)

    def says_order(self, parts):
        """A ladder, an edge, or a task that is longer than M."""
        no = [(t - 1, s) for negated, t, s in parts if negated]
        yes = [(t - 1, s) for negated, t, s in parts if not negated]
        if not parts:
            return max(self.duration) > self.m or any(self.duration[t] + self.duration[u] > self.m
                                                      for t, u in self.edges)
        if len(no) > 1 or len(yes) > 1:
            return False
        if no and yes and no[0][0] == yes[0][0]:
            return no[0][1] == yes[0][1] + 1
        for t, u in self.edges:
            s = no[0][1] if no else 0
            after = s + self.duration[t]
            if (not no or no[0][0] == t) and (yes == [(u, after)] if yes else after > self.last(u)):
                return True
        return False

    def fixed(self, time):
        """The tasks that run at that time wherever they start."""
        return {t for t, d in enumerate(self.duration) if d and time - d + 1 <= 0 and time + 1 > self.m - d}

    def is_full(self, resource, time):
        """Do the tasks that run then in any case demand more than there is? Their row has no literals."""
        return sum(self.demand(t, resource) for t in self.fixed(time)) > self.capacity.get(resource, 0)

    def says_capacity(self, resource, time, row):
        terms, degree = row
        tasks = {int(literal.strip('~y').split('_')[0]) - 1 for literal in terms}
        demand = {t: self.job.demands[s].get(resource, 0) for t, s in enumerate(self.stage)}
        scales = {Fraction(k) / demand[int(literal.strip('~y').split('_')[0]) - 1] if
                  demand[int(literal.strip('~y').split('_')[0]) - 1] else 0 for literal, k in terms.items()}
        if len(scales) != 1 or 0 in scales:
            return False
        for t in tasks:  # both literals, unless they are no variables
            for s, literal in ((time - self.duration[t] + 1, '~y%d_%d'), (time + 1, 'y%d_%d')):
                if 1 <= s <= self.last(t) and literal % (t + 1, s) not in terms:
                    return False
        most = sum(demand[t] for t in tasks | self.fixed(time)) - self.capacity.get(resource, 0)
        return degree <= most * scales.pop()


def holds(opb, pbp):
    try:
        pseudo_boolean.check(opb, pbp)
        return True
    except pseudo_boolean.Refused:
        return False


def forged(rng, opb, pbp):
    """Proofs that must not hold: of an empty formula; and, if they are by sums alone, some changes of which most must
    not. (What propagation finds does not depend on what the proof says.)"""
    empty = re.sub(r'^(?!\*).*>= .*$', '>= 0 ;', opb, flags=re.M)
    assert not holds(empty, pbp), 'a proof holds without its formula'
    if 'rup' in pbp:
        return 0, 0
    changed = refused = 0
    numbers = [at for at in re.finditer(r'\b\d+\b', pbp) if at.start() > pbp.index('f ')]
    for at in rng.sample(numbers, min(8, len(numbers))):
        other = pbp[:at.start()] + str(int(at[0]) + rng.choice((-1, 1))) + pbp[at.end():]
        changed += 1
        refused += not holds(opb, other)
    return changed, refused


def kind_of(document):
    """Of its first part; and by what more it is proven."""
    part, *others = proven(document)
    kind = part['kind'] + (' by spans' if any(len(c) > 2 for c in part.get('clauses', ())) else '')
    if kind == 'energy':
        measure = part['measures'][part['measure']]
        kind = 'unit' if 'unit' in measure else next(iter(measure))
    if others:
        return 'parts'
    passes = part.get('windows', ())
    return kind + ''.join(' by ' + way for way in ('heads', 'tails') if any(p.get(way) for p in passes))


def seen(kinds, word):
    return sum(count for kind, count in kinds.items() if word in kind)


def ignores_windows(program, folder):
    """A path has no windows, whatever its file lists: not even a measure of theirs has to exist."""
    path, certificate = folder / 'path.xml', folder / 'path.json'
    path.write_text(job('<stage id="a" duration="7"/>'))
    document = json.loads(proofs.run(program, 'bound', path, '--json').stdout)
    part, = proven(document)
    assert part['kind'] == 'path'
    part['windows'] = [{'heads': [{'stage': 'a', 'at': 1, 'from': 0, 'to': 1, 'measure': 4000000}]}]
    certificate.write_text(json.dumps(document))
    done = proofs.run(program, 'check', '--certificate', certificate, '--proof', 'veripb', '-o', folder / 'path')
    assert done.returncode == 0, (done.returncode, done.stderr)


def leaves_clauses_out(program, folder):
    """On several machines clauses have no form: none are looked for if a proof is asked for."""
    path = folder / 'two.xml'
    path.write_text(crowded(random.Random(0)).replace('count="1"', 'count="2"'))
    stats = [proofs.run(program, 'bound', path, '--no-lp', '--stats', *options).stderr
             for options in ((), ('--proof', 'veripb', '-o', folder / 'two'))]
    assert b'exact_propagations' in stats[0] and b'exact_propagations' not in stats[1], stats
    assert (folder / 'two.pbp').exists()


def jobs(rng):
    """Jobs, each with the options of `bound`."""
    for stages in MADE:
        yield job(stages),
    yield job(UNITS, machines=2),
    for k in range(max(10, 24 * proofs.SHARE // 100)):
        yield crowded(rng),
    yield job('<stage id="a" duration="7"/>'),
    yield job('<stage id="a" duration="0"/>'),
    for k in range(max(40, 110 * proofs.SHARE // 100)):
        yield proofs.random_job(rng, 'job%d' % k),
    for seed in STACKED:
        yield stacked(random.Random(seed)), '--conflicts', '0'
    for k in range(max(4, 14 * proofs.SHARE // 100)):
        yield (stacked if k % 2 else woven)(rng), '--conflicts', '0'


def main():
    program, rng = os.path.abspath(sys.argv[1]), random.Random(41)
    kinds, refused, changed, caught = {}, 0, 0, 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        path = folder / 'job.xml'
        ignores_windows(program, folder)
        leaves_clauses_out(program, folder)
        for number, (text, *options) in enumerate(jobs(rng)):
            path.write_text(text)
            document, opb, pbp = emitted(program, path, folder, number, *options)
            if opb is None:
                assert number >= len(MADE), 'a job that was made for a rule has no proof: %s' % text
                refused += 1
                continue
            meaning = Meaning(document)
            for row in pseudo_boolean.formula(opb):
                assert meaning.allows(row), (row, text)
            try:
                pseudo_boolean.check(opb, pbp)
            except pseudo_boolean.Refused as why:
                raise AssertionError('%s\n%s\n%s' % (why, text, pbp[:2000])) from why
            kind = kind_of(document)
            kinds[kind] = kinds.get(kind, 0) + 1
            more, found = forged(rng, opb, pbp)
            changed += more
            caught += found
    print('proofs: %s; without a form: %d; changed: %d, refused %d' % (kinds, refused, changed, caught))
    for word in ('path', 'window', 'resource', 'unit', 'clique', 'rounds', 'parts', 'by heads', 'by tails', 'clauses',
                 'by spans') if proofs.SHARE >= 100 else ():  # of fewer jobs some are rare
        assert seen(kinds, word), 'no proof of kind %s' % word
    assert refused >= 2 and caught >= changed * 0.8


if __name__ == '__main__':
    main()
