#!/usr/bin/env python3
"""Holds the bound of `bigrocks coflow --bound` against the same linear program in exact fractions.

check_order_bound.py BIGROCKS BIGROCKS_BOUND

The program over the order of some small traces is written out in full, with a row for every coflow, port and
release and for every cycle of three, and solved by a simplex of its own with Bland's rule. What `bigrocks` proves is
its optimum. Each weight that `bigrocks-bound` answers with is held against every permutation as well.
"""
import fractions
import itertools
import json
import pathlib
import random
import subprocess
import sys
import tempfile

F = fractions.Fraction
TRACES = 30
UNIT = F(8, 1000) # seconds that a port takes for an MB


def simplex(rows, cost):
    """The least cost.x with a.x >= b for all rows (a, b), x >= 0, where cost >= 0: the dual, by the primal simplex."""
    count, width = len(cost), len(rows)
    table = [[rows[r][0][v] for r in range(width)] + [F(int(v == w)) for w in range(count)] + [cost[v]]
             for v in range(count)]
    top = [-rows[r][1] for r in range(width)] + [F(0)] * (count + 1)
    basis = list(range(width, width + count))
    while True:
        enter = next((c for c in range(width + count) if top[c] < 0), None)
        if enter is None:
            return top[-1]
        leave = min((row[-1] / row[enter], basis[k], k) for k, row in enumerate(table) if row[enter] > 0)[2]
        pivot = table[leave]
        scale = pivot[enter]
        pivot[:] = [value / scale for value in pivot]
        for row in [top] + [one for one in table if one is not pivot]:
            if row[enter]:
                times = row[enter]
                row[:] = [a - times * b if b else a for a, b in zip(row, pivot)]
        basis[leave] = enter


class Case:
    """A random trace: releases in units, and by port what coflows have there."""

    def __init__(self, seed):
        draw = random.Random(seed)
        self.ports, self.n = 3, draw.choice([2, 4, 5])
        self.release, self.at, self.text = [], [{} for _ in range(2 * self.ports)], ''
        now = 0
        for c in range(self.n):
            now += draw.choice([0, 0, 2, 5])
            self.release.append(F(now))
            up = draw.sample(range(self.ports), draw.choice([1, 2]))
            down = {p: draw.randint(1, 12) for p in draw.sample(range(self.ports), draw.choice([1, 2]))}
            for p in up:
                self.at[p][c] = F(sum(down.values()), len(up))
            for p, size in down.items():
                self.at[self.ports + p][c] = F(size)
            self.text += '%d %d %d %s %d %s\n' % (c + 1, 8 * now, len(up), ' '.join(map(str, up)), len(down),
                                                  ' '.join('%d:%d' % one for one in down.items()))
        self.text = '%d %d\n%s' % (self.ports, self.n, self.text)

    def rows(self):
        """(coflow, port, since) of all rows."""
        for j, port, since in itertools.product(range(self.n), range(2 * self.ports), range(self.n)):
            if self.release[since] <= self.release[j]:
                yield j, port, since

    def least(self, cycles):
        """The optimum of the program, per coflow."""
        pairs = list(itertools.combinations(range(self.n), 2))
        width = self.n + len(pairs)
        rows = []

        def add(a, right, i, j, sign):
            """Adds sign d(i,j)."""
            at = self.n + pairs.index((min(i, j), max(i, j)))
            a[at] += sign if i < j else -sign
            return right - (0 if i < j else sign)
        for j, port, since in self.rows():
            a, right = [F(0)] * width, self.release[since] + self.at[port].get(j, 0)
            a[j] = F(1)
            for i, size in self.at[port].items():
                if i != j and self.release[i] >= self.release[since]:
                    right = add(a, right, i, j, -size)
            rows.append((a, right))
        for k in range(len(pairs)):
            rows.append(([F(-int(v == self.n + k)) for v in range(width)], F(-1)))
        for three in itertools.combinations(range(self.n), 3) if cycles else []:
            for i, j, k in (three, three[::-1]):
                a, right = [F(0)] * width, F(-2)
                for one, other in ((i, j), (j, k), (k, i)):
                    right = add(a, right, one, other, F(-1))
                rows.append((a, right))
        cost = [F(int(v < self.n)) for v in range(width)]
        return (simplex(rows, cost) - sum(self.release)) / self.n

    def weighted(self, answer, order):
        """The weighted sum of the rows in that order of coflows, in seconds."""
        place = {c: k for k, c in enumerate(order)}
        total = F(0)
        for j, port, since, weight in answer['rows']:
            right = self.release[since] + self.at[port].get(j, 0)
            right += sum(size for i, size in self.at[port].items()
                         if i != j and self.release[i] >= self.release[since] and place[i] < place[j])
            total += F(weight) * right * UNIT
        for *cycle, weight in answer['cycles']:
            met = sum(place[cycle[k]] < place[cycle[(k + 1) % 3]] for k in range(3))
            assert met <= 2
            total += F(weight) * (met - 2)
        return total

    def problem(self):
        return json.dumps({'ports': 2 * self.ports, 'coflows': [
            {'release': float(self.release[c] * UNIT),
             'parts': [[p, round(float(at[c] * UNIT), 9)] for p, at in enumerate(self.at) if c in at]}
            for c in range(self.n)]})


def main():
    bigrocks, program = sys.argv[1:3]
    tighter = cycled = 0
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / 'trace.txt'
        for seed in range(TRACES):
            case = Case(seed)
            trace.write_text(case.text)

            def proven(*options):
                text = subprocess.run([bigrocks, 'coflow', trace, '--policy', 'varys,fifo,expected-oracle', '-q',
                                       '--format', 'json', *options], check=True, text=True, stdout=subprocess.PIPE)
                rows = json.loads(text.stdout)['results']
                assert all(row['average_cct'] >= row['lower_bound'] - 1e-9 for row in rows), (seed, rows)
                return rows[0]['lower_bound']
            ports, both = proven(), proven('--bound')
            least = float(case.least(True) * UNIT)
            cycled += least > float(case.least(False) * UNIT) + 1e-9
            tighter += both > ports + 1e-9
            assert abs(both - max(ports, least)) < 1e-7, (seed, ports, both, least, case.text)
            said = subprocess.run([program, '--coflows'], input=case.problem(), check=True, text=True,
                                  stdout=subprocess.PIPE).stdout
            answer = json.loads(said)
            assert answer['status'] == 'optimal' and abs(answer['mean'] - least) < 1e-7, (seed, answer, least)
            low = min(case.weighted(answer, order) for order in itertools.permutations(range(case.n)))
            mean = float(low - sum(case.release) * UNIT) / case.n
            assert mean >= least - 1e-7, (seed, mean, least)
    print('%d of %d proven tighter, cycles count in %d' % (tighter, TRACES, cycled))
    assert tighter >= TRACES / 4 and cycled, (tighter, cycled)
    bad = ['', '{}', '{"ports": 0, "coflows": []}', '{"ports": 1, "coflows": [{"release": 0, "parts": [[1, 1]]}]}',
           '{"ports": 1, "coflows": [{"release": -1, "parts": []}]}', '{"ports": 1, "coflows": [{"release": 0}]}',
           '{"ports": 1, "coflows": [{"release": 0, "parts": [[0]]}]}',
           '{"ports": 1, "coflows": [{"release": 0, "parts": [[0, 1, 2]]}]}']
    for text in bad:
        done = subprocess.run([program, '--coflows'], input=text, text=True, capture_output=True)
        assert done.returncode == 3 and not done.stdout and done.stderr.startswith('bigrocks-bound: '), (text, done)
    many = json.dumps({'ports': 1, 'coflows': [{'release': 0, 'parts': [[0, 1]]}] * 151})
    said = subprocess.run([program, '--coflows'], input=many, check=True, text=True, stdout=subprocess.PIPE).stdout
    assert json.loads(said) == {'status': 'large', 'mean': 0, 'rows': [], 'cycles': []}, said


main()
