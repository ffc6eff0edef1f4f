#!/usr/bin/env python3
"""DRCP scaffolds by a small reading of their rules, and what their models say.

usage: check_drcp.py BIGROCKS

Of random jobs: every constraint of a model follows from the job, every nogood follows from the model and those before
it by the propagation of bounds, and all of them together leave nothing. Without the constraints, or with one nogood
more than follows, the same reading refuses. With BIGROCKS_PUMPKIN=FOLDER, Pumpkin's proof processor and checker in it
judge as well.
"""
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import check_veripb
import proofs
from pseudo_boolean import Refused, need


class Model:
    """Variables with bounds, linear and cumulative constraints, and nogoods."""

    def __init__(self, text):
        self.bounds, self.linear, self.cumulative, self.nogoods = {}, [], [], []
        for line in text.splitlines():
            if variable := re.fullmatch(r'var (\d+)\.\.(\d+): (\w+);', line):
                self.bounds[variable[3]] = int(variable[1]), int(variable[2])
            elif constraint := re.fullmatch(r'constraint (int_lin_le|pumpkin_cumulative)\((.*),(-?\d+)\);', line):
                lists = [inner.split(',') for inner in re.findall(r'\[([^]]*)\]', constraint[2])]
                if constraint[1] == 'int_lin_le':
                    self.linear.append((list(map(int, lists[0])), lists[1], int(constraint[3])))
                else:
                    self.cumulative.append((lists[0], list(map(int, lists[1])), list(map(int, lists[2])),
                                            int(constraint[3])))
            else:
                need(line == 'solve satisfy;', 'no line of a model', line)

    def contradicts(self, premises):
        """Does propagation refute the premises, (variable, is it at most?, value)?"""
        bounds = dict(self.bounds)

        def cut(name, low, high):
            least, most = bounds[name]
            bounds[name] = max(least, low), min(most, high)
            return bounds[name] != (least, most)
        for name, upper, value in premises:
            cut(name, *((-10**9, value) if upper else (value, 10**9)))
        moved = True
        while moved and all(a <= b for a, b in bounds.values()):
            moved = any([self.follow_linear(cut, bounds, *row) for row in self.linear])
            moved |= any([self.follow_nogood(cut, bounds, row) for row in self.nogoods])
            moved |= any([self.follow_table(cut, bounds, *row) for row in self.cumulative])
        return any(a > b for a, b in bounds.values())

    @staticmethod
    def follow_linear(cut, bounds, weights, names, most):
        least = sum(w * bounds[name][w < 0] for w, name in zip(weights, names))
        moved = False
        for w, name in zip(weights, names):
            room = most - least + w * bounds[name][w < 0]
            moved |= cut(name, -10**9, room // w) if w > 0 else cut(name, -(room // -w), 10**9)
        return moved

    @staticmethod
    def follow_nogood(cut, bounds, premises):
        """If all premises but one hold, that one does not."""
        left = [(name, upper, value) for name, upper, value in premises
                if not (bounds[name][1] <= value if upper else bounds[name][0] >= value)]
        if not left:
            return cut(premises[0][0], 1, 0) if premises else True
        if len(left) > 1:
            return False
        name, upper, value = left[0]
        return cut(name, value + 1, 10**9) if upper else cut(name, -10**9, value - 1)

    @staticmethod
    def follow_table(cut, bounds, names, durations, demands, capacity):
        moved = False
        tasks = list(zip(names, durations, demands))
        held = {}
        for name, d, amount in tasks:
            for time in range(bounds[name][1], bounds[name][0] + d):
                held[time] = held.get(time, 0) + amount
        for time, amount in sorted(held.items()):
            if amount > capacity:
                return cut(names[0], 1, 0)
            for name, d, more in tasks:
                least, most = bounds[name]
                if amount + more <= capacity or most <= time < least + d:
                    continue
                if least <= time < least + d:
                    moved |= cut(name, time + 1, 10**9)
                if most <= time < most + d:
                    moved |= cut(name, -10**9, time - d)
        return moved


def check(model_text, scaffold):
    model, atoms, ended = Model(model_text), {}, False
    for line in scaffold.splitlines():
        need(not ended, 'lines behind the end')
        if atom := re.fullmatch(r'a (\d+) \[(\w+) >= (\d+)\]', line):
            need(atom[2] in model.bounds and atom[1] not in atoms, 'no atom', line)
            atoms[atom[1]] = atom[2], int(atom[3])
        elif nogood := re.fullmatch(r'n \d+((?: -?\d+)*) 0', line):
            premises = []
            for word in nogood[1].split():
                name, value = atoms[word.lstrip('-')]
                premises.append((name, word[0] == '-', value - (word[0] == '-')))
            need(model.contradicts(premises), 'a nogood does not follow', line)
            model.nogoods.append(premises)
        else:
            need(line == 'c UNSAT', 'no line of a scaffold', line)
            ended = True
    need(ended and model.contradicts(()), 'the nogoods leave something')
    return len(model.nogoods)


def says(meaning, model):
    """Does every constraint follow from the job and M?"""
    def task(name):
        return int(name[1:]) - 1
    for name, (low, high) in model.bounds.items():
        if name[0] == 's':
            assert (low, high) == (0, max(0, meaning.last(task(name)))), name
        else:
            assert (low, high) == (0, 1), name
    for weights, names, most in model.linear:
        starts = [task(name) for name in names if name[0] == 's']
        if len(names) == 1:
            assert weights == [1] and most >= meaning.last(starts[0]), names
            continue
        a, b = starts
        if len(names) == 2:
            assert weights == [1, -1] and (a, b) in meaning.edges and most >= -meaning.duration[a], names
            continue
        assert names[2] == 'o%d_%d' % (a + 1, b + 1) and any(
            meaning.demand(a, r) + meaning.demand(b, r) > meaning.capacity.get(r, 0) for r in meaning.job.resources)
        assert meaning.duration[a] and meaning.duration[b] and abs(weights[2]) >= meaning.m, names
        if weights[2] > 0:
            assert weights[:2] == [1, -1] and most == weights[2] - meaning.duration[a], names
        else:
            assert weights[:2] == [-1, 1] and most == -meaning.duration[b], names
    for names, durations, demands, capacity in model.cumulative:
        tasks = [task(name) for name in names]
        assert durations == [meaning.duration[t] for t in tasks] and len(set(names)) == len(names)
        assert any(units(meaning, r, tasks, demands, capacity) for r in meaning.job.resources), names


def units(meaning, resource, tasks, demands, capacity):
    """Is this what they demand of the resource, in some unit, and at least as many of it as there are?"""
    scales = {meaning.demand(t, resource) / demand for t, demand in zip(tasks, demands)}
    unit, = scales if len(scales) == 1 else (0,)
    return unit > 0 and capacity >= meaning.capacity.get(resource, 0) // unit


def emitted(program, path, folder):
    stem = folder / 'proof'
    done = proofs.run(program, 'bound', path, '--proof', 'drcp', '-o', stem, '--json', text=True)
    files = [pathlib.Path('%s%s' % (stem, end)) for end in ('.fzn', '.drcp')]
    assert done.returncode in (0, 1) and all(file.exists() == (done.returncode == 0) for file in files), done.stderr
    if done.returncode:
        assert 'no form for' in done.stderr or 'no bound above 0' in done.stderr, done.stderr
        return None
    tools = os.environ.get('BIGROCKS_PUMPKIN')
    if tools:
        full = folder / 'full.drcp'
        for call in ([tools + '/pumpkin-proof-processor', *files, full], [tools + '/pumpkin-checker', files[0], full]):
            run = subprocess.run(call, capture_output=True, text=True)
            assert run.returncode == 0, (call, run.stdout, run.stderr)
    texts = [file.read_text() for file in files]
    for file in files:
        file.unlink()
    return (json.loads(done.stdout), *texts)


def holds(model, scaffold):
    try:
        check(model, scaffold)
        return True
    except Refused:
        return False


def main():
    program, rng = os.path.abspath(sys.argv[1]), random.Random(41)
    accepted = without = nogoods = refused = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        path = folder / 'job.xml'
        for k in range(max(20, 80 * proofs.SHARE // 100)):
            path.write_text(check_veripb.crowded(rng) if k % 4 else proofs.random_job(rng, 'job%d' % k))
            made = emitted(program, path, folder)
            if made is None:
                without += 1
                continue
            document, model, scaffold = made
            says(check_veripb.Meaning(document), Model(model))
            try:
                nogoods += check(model, scaffold)
            except Refused as why:
                raise AssertionError('%s\n%s\n%s' % (why, model, scaffold[:2000])) from why
            accepted += 1
            bare = re.sub(r'^constraint .*\n', '', model, flags=re.M)
            assert not holds(bare, scaffold), 'a proof holds without its model'
            lines = scaffold.splitlines()
            if len(lines) > 2:  # the first clause says more than follows
                first = next(i for i, line in enumerate(lines) if line.startswith('n '))
                words = lines[first].split()
                lines[first] = ' '.join(words[:2] + words[3:])
                refused += not holds(model, '\n'.join(lines) + '\n')
    print('%d scaffolds with %d nogoods hold; %d without a form; of those that say more %d refused' % (
        accepted, nogoods, without, refused))
    assert accepted >= (10 if proofs.SHARE >= 100 else 1) and nogoods > 0 and without > 0
    assert refused > 0 or proofs.SHARE < 100


if __name__ == '__main__':
    main()
