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


def job(stages, resources='xyz', size=10, machines=1):
    return ('<job xmlns="urn:bigrocks:job:1" name="made"><cluster><machine class="m" count="%d">%s</machine></cluster>'
            '%s</job>' % (machines, ''.join('<capacity resource="%s" amount="%d"/>' % (r, size) for r in resources),
                          stages))


def emitted(program, path, folder):
    """The bound's document, formula and proof; with None for both if it is refused in words."""
    stem = folder / 'proof'
    done = proofs.run(program, 'bound', path, '--proof', 'veripb', '-o', stem, '--json', text=True)
    opb, pbp = pathlib.Path('%s.opb' % stem), pathlib.Path('%s.pbp' % stem)
    assert done.returncode in (0, 1), done.stderr
    assert done.returncode == (0 if opb.exists() else 1) and opb.exists() == pbp.exists(), done.stderr
    if done.returncode:
        assert 'no form for VeriPB' in done.stderr or 'no bound above 0' in done.stderr, done.stderr
        return json.loads(done.stdout), None, None
    texts = opb.read_text(), pbp.read_text()
    judge = os.environ.get('BIGROCKS_VERIPB')
    if judge:
        run = subprocess.run([judge, opb, pbp], capture_output=True, text=True)
        assert 's VERIFIED UNSATISFIABLE' in run.stdout, (run.stdout, run.stderr)
    opb.unlink()
    pbp.unlink()
    return (json.loads(done.stdout), *texts)


class Meaning:
    """What rows may say of a job: that is all that a formula may hold."""

    def __init__(self, document):
        self.job = proofs.checker.Job(json.loads(json.dumps(document), parse_float=Fraction))
        self.m = document['certificate']['parts'][0]['bound'] - 1
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

    def allows(self, row):
        """Does the row follow from the job and M?"""
        terms, degree = row
        parts = [(literal[0] == '~', *map(int, literal.strip('~y').split('_'))) for literal in terms]
        for _, task, s in parts:
            assert 1 <= s <= self.m - self.duration[task - 1], row
        if degree == 1 and set(terms.values()) <= {1} and len(parts) <= 2 and self.says_order(parts):
            return True
        if not parts:
            return degree <= 0 or any(self.is_full(r, time) for r in self.job.resources for time in range(self.m))
        times = {s + self.duration[t - 1] - 1 if no else s - 1 for no, t, s in parts}
        return len(times) == 1 and any(self.says_capacity(r, times.copy().pop(), row) for r in self.job.resources)

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
            last = self.m - self.duration[u]
            if (not no or no[0][0] == t) and (yes == [(u, after)] if yes else after > last):
                return True
        return False

    def fixed(self, time):
        """The tasks that run at that time wherever they start."""
        return {t for t, d in enumerate(self.duration) if d and time - d + 1 <= 0 and time + 1 > self.m - d}

    def is_full(self, resource, time):
        """Do the tasks that run then in any case demand more than there is? Their row has no literals."""
        (_, capacity), = self.job.classes
        demands = [self.job.demands[self.stage[t]].get(resource, 0) for t in self.fixed(time)]
        return sum(demands) > capacity.get(resource, 0)

    def says_capacity(self, resource, time, row):
        terms, degree = row
        (_, capacity), = self.job.classes
        tasks = {int(literal.strip('~y').split('_')[0]) - 1 for literal in terms}
        demand = {t: self.job.demands[s].get(resource, 0) for t, s in enumerate(self.stage)}
        scales = {Fraction(k) / demand[int(literal.strip('~y').split('_')[0]) - 1] if
                  demand[int(literal.strip('~y').split('_')[0]) - 1] else 0 for literal, k in terms.items()}
        if len(scales) != 1 or 0 in scales:
            return False
        for t in tasks:  # both literals, unless they are no variables
            last = self.m - self.duration[t]
            for s, literal in ((time - self.duration[t] + 1, '~y%d_%d'), (time + 1, 'y%d_%d')):
                if 1 <= s <= last and literal % (t + 1, s) not in terms:
                    return False
        most = sum(demand[t] for t in tasks | self.fixed(time)) - capacity.get(resource, 0)
        return degree <= most * scales.pop()


def holds(opb, pbp):
    try:
        pseudo_boolean.check(opb, pbp)
        return True
    except pseudo_boolean.Refused:
        return False


def forged(rng, opb, pbp):
    """Proofs that must not hold: of an empty formula; and some changes of which most must not."""
    empty = re.sub(r'^(?!\*).*>= .*$', '>= 0 ;', opb, flags=re.M)
    assert not holds(empty, pbp), 'a proof holds without its formula'
    changed = refused = 0
    numbers = [at for at in re.finditer(r'\b\d+\b', pbp) if at.start() > pbp.index('f ')]
    for at in rng.sample(numbers, min(8, len(numbers))):
        other = pbp[:at.start()] + str(int(at[0]) + rng.choice((-1, 1))) + pbp[at.end():]
        changed += 1
        refused += not holds(opb, other)
    return changed, refused


def kind_of(document):
    part = document['certificate']['parts'][0]
    if part['kind'] != 'energy':
        return part['kind']
    measure = part['measures'][part['measure']]
    return 'unit' if 'unit' in measure else next(iter(measure))


def jobs(rng):
    for stages in MADE:
        yield job(stages)
    yield job(UNITS, machines=2)
    yield job('<stage id="a" duration="7"/>')
    yield job('<stage id="a" duration="0"/>')
    for k in range(max(40, 150 * proofs.SHARE // 100)):
        yield proofs.random_job(rng, 'job%d' % k)


def main():
    program, rng = os.path.abspath(sys.argv[1]), random.Random(41)
    kinds, refused, changed, caught = {}, 0, 0, 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        path = folder / 'job.xml'
        for number, text in enumerate(jobs(rng)):
            path.write_text(text)
            document, opb, pbp = emitted(program, path, folder)
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
    for kind in ('path', 'resource', 'unit', 'clique') if proofs.SHARE >= 100 else ():  # of fewer jobs some are rare
        assert kinds.get(kind, 0) >= 1, 'no proof of kind %s' % kind
    assert refused >= 10 and caught >= changed * 0.8


if __name__ == '__main__':
    main()
