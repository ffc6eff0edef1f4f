#!/usr/bin/env python3
"""Checks proofs of lower bounds, sharing no code with what found them.

usage: check_certificate.py FILE...

Reads plans ("bigrocks-plan/1") and what `bigrocks bound --json` writes ("bigrocks-bound/1"): the
job, the cluster, and the certificate ("bigrocks-certificate/1", docs/certificates.md). All numbers
are exact. Prints a line for each file. Exit status, that of the worst file: 0 if the proof holds, 1
if it does not, 3 if the file is not in the form, 5 if it cannot be read.
"""
import collections
import copy
import heapq
import itertools
import json
import math
import sys
from bisect import bisect_right
from fractions import Fraction

PRICE = 2**32  # no price, share or value is more
LARGE = 2048  # with more stages, claims may use the stages right ahead only
DEEP = 64  # cases within cases, groups included
# Tasks of jobs whose clauses say in which order tasks run, at most; of more than the first, orders are followed
# only if some clause does.
ORDERED, ORDERED_MOST = 256, 512


class Refused(Exception):
    pass


def need(condition, words, *values):
    if not condition:
        raise Refused(words % values if values else words)


def whole(value, words='a time'):
    need(isinstance(value, int) and not isinstance(value, bool), '%s is no whole number', words)
    return value


class Part:
    """Some stages of the job, with the edges among them. Stages go by their number in the job."""

    def __init__(self, job, stages):
        self.job, self.stages = job, stages
        inside = set(stages)
        self.parents = {s: [(p, one) for p, one in job.parents[s] if p in inside] for s in stages}
        self.children = {s: [(c, one) for c, one in job.children[s] if c in inside]
                         for s in stages}
        self.order = [s for s in job.order if s in inside]
        self._before = None

    def before(self):
        """For every stage the set of stages, in bits, of which all tasks are ancestors of all of
        its tasks: some edge on the way is a barrier."""
        if self._before is None:
            some, every = {}, {}
            for s in self.order:
                some[s], every[s] = 1 << s, 0
                for p, one in self.parents[s]:
                    some[s] |= some[p]
                    every[s] |= every[p] if one else some[p]
            self._before = every
        return self._before

    def ordered(self, s, u):
        return self.before()[s] >> u & 1 or self.before()[u] >> s & 1


class Machine:
    """A machine of one class, and tasks of some of a part's stages on it, in whole numbers."""

    def __init__(self, part, capacity, stages):
        job, before, inside = part.job, part.before(), sum(1 << s for s in stages)
        names = sorted({r for s in stages for r in job.demands[s]})
        demands = [[job.demands[s].get(r, 0) for r in names] for s in stages]
        room = [capacity.get(r, Fraction(0)) for r in names]
        scale = math.lcm(1, *(a.denominator for row in demands for a in row if a),
                         *(c.denominator for c in room))
        self.room = [int(c * scale) for c in room]
        self.demand = {s: [int(a * scale) for a in row] for s, row in zip(stages, demands)}
        self.most = {s: job.fit(s, capacity) for s in stages}
        # The shares of the resources together, in parts of their product.
        whole = math.prod(c for c in self.room if c)
        self.size = {s: sum(a * whole // c for a, c in zip(self.demand[s], self.room) if a and c) or 1
                     for s in stages}
        self.whole = whole
        self.place = {s: k for k, s in enumerate(stages)}
        # For every stage those, as text of 0 and 1 by their place among these, of which a task can run
        # beside one of its own: they fit, and are in no order.
        fits = fitting(job, stages, [capacity])
        for u in stages:
            for s in ones(before[u] & inside):
                fits[self.place[s]] &= ~(1 << self.place[u])
                fits[self.place[u]] &= ~(1 << self.place[s])
        self.together = {s: format(fits[k] & ~(1 << k), '0%db' % len(stages))[::-1]
                         for s, k in self.place.items()}


def ones(bits):
    """The places of the bits that are set."""
    while bits:
        yield (bits & -bits).bit_length() - 1
        bits &= bits - 1


def fitting(job, stages, capacities):
    """For every one of the stages those, in bits by their place among them, of which a task fits
    beside one of its own on a machine of one of the capacities."""
    anywhere = [0] * len(stages)
    for capacity in capacities:
        fits = [(1 << len(stages)) - 1] * len(stages)
        for r in {r for s in stages for r in job.demands[s]}:
            amounts = [job.demands[s].get(r, 0) for s in stages]
            order = sorted(range(len(stages)), key=amounts.__getitem__)
            least, most = [amounts[k] for k in order], [0]
            for k in order:
                most.append(most[-1] | 1 << k)
            for k, amount in enumerate(amounts):
                fits[k] &= most[bisect_right(least, capacity.get(r, 0) - amount)]
        anywhere = [a | b for a, b in zip(anywhere, fits)]
    return anywhere


class Job:
    def __init__(self, document):
        stages = document['stages']
        self.id = [stage['id'] for stage in stages]
        self.number = {name: s for s, name in enumerate(self.id)}
        need(len(self.number) == len(stages), 'two stages have the same id')
        self.durations, self.demands = [], []
        for stage in stages:
            durations = [Fraction(stage['duration'])] * stage['tasks']
            for other in stage.get('durations', ()):
                durations[other['index']] = Fraction(other['duration'])
            need(min(durations) >= 0, 'a duration is negative')
            self.durations.append([d * 10**9 for d in durations])
            self.demands.append({r: Fraction(a) for r, a in stage['demands'].items() if a})
        need(all(d.denominator == 1 for ds in self.durations for d in set(ds)),
             'a duration is no whole number of nanoseconds')
        tick = 0
        for ds in self.durations:
            for d in set(ds):
                tick = math.gcd(tick, int(d))
        self.tick = tick or 1
        self.durations = [[int(d) // self.tick for d in ds] for ds in self.durations]
        self.classes = [(c['count'], {r: Fraction(a) for r, a in c['capacities'].items()})
                        for c in document['cluster']['classes']]
        self.machines = sum(count for count, _ in self.classes)
        self.resources = {r['name'] for r in document['resources']}
        kinds = {}
        for edge in document.get('edges', ()):
            p, c = self.number[edge['from']], self.number[edge['to']]
            one = edge['type'] == 'one-to-one' and len(self.durations[p]) > 1
            need(not one or len(self.durations[p]) == len(self.durations[c]),
                 'a one-to-one edge joins stages of different size')
            kinds[p, c] = kinds.get((p, c), True) and one
        self.parents = [[] for _ in stages]
        self.children = [[] for _ in stages]
        for (p, c), one in sorted(kinds.items()):
            self.parents[c].append((p, one))
            self.children[p].append((c, one))
        waiting = [len(p) for p in self.parents]
        self.order, ready = [], [s for s in range(len(stages)) if not waiting[s]]
        while ready:
            s = heapq.heappop(ready)
            self.order.append(s)
            for c, _ in self.children[s]:
                waiting[c] -= 1
                if not waiting[c]:
                    heapq.heappush(ready, c)
        need(len(self.order) == len(stages), 'the edges run in a circle')
        self.slots = [self.count_slots(s) for s in range(len(stages))]
        self.rounds = [self.count_rounds(s) for s in range(len(stages))]

    def rounded_down(self, ticks):
        """The job with every duration rounded down to a multiple of so many ticks, and counted in
        these."""
        job = copy.copy(self)
        job.durations = [[d // ticks for d in ds] for ds in self.durations]
        job.rounds = [job.count_rounds(s) for s in range(len(job.durations))]
        return job

    def fit(self, s, capacity):
        """How many tasks of the stage fit a machine, at most all of them."""
        tasks = len(self.durations[s])
        return min([tasks] + [capacity.get(r, 0) // a for r, a in self.demands[s].items()])

    def count_slots(self, s):
        slots = sum(count * self.fit(s, capacity) for count, capacity in self.classes)
        need(slots > 0, "a task of '%s' fits no machine", self.id[s])
        return min(slots, len(self.durations[s]))

    def count_rounds(self, s):
        """The least time for the stage alone: of the q x slots + 1 longest tasks, q + 1 share a
        slot; and work by slots."""
        longest = sorted(self.durations[s], reverse=True)
        slots, best = self.slots[s], max(longest[0], -(-sum(longest) // self.slots[s]))
        for q in range(1, (len(longest) - 1) // slots + 1):
            best = max(best, sum(longest[q * slots - q:q * slots + 1]))
        return best


def stage_of(job, name):
    need(name in job.number, "there is no stage '%s'", name)
    return job.number[name]


class Measure:
    """Weights of tasks, and how much of them the cluster holds at a time."""

    def __init__(self, part, form):
        job = part.job
        if 'clique' in form:
            members = [stage_of(job, name) for name in form['clique']]
            need(len(set(members)) == len(members), 'a clique has a stage twice')
            need(set(members) <= set(part.stages), 'a clique has a stage that is not in the part')
            fits = fitting(job, members, [capacity for _, capacity in job.classes])
            for i, s in enumerate(members):
                need(len(job.durations[s]) == 1 or not fits[i] >> i & 1,
                     "two tasks of '%s' can run together", job.id[s])
                for k in ones(fits[i] & (1 << i) - 1):
                    need(job.machines == 1 and len(part.stages) <= LARGE and part.ordered(s, members[k]),
                         "'%s' and '%s' can run together", job.id[s], job.id[members[k]])
            self.weight, self.capacity = dict.fromkeys(members, 1), job.machines
            return
        if 'weights' in form:
            self.weight = {}
            for item in form['weights']:
                s, weight = stage_of(job, item['stage']), whole(item['weight'], 'a weight')
                need(s in part.parents and s not in self.weight and 1 <= weight <= PRICE,
                     'a weight is not from 1 to 2^32, or of no stage of its own')
                self.weight[s] = weight
            self.capacity = sum(n * Heaviest(Machine(part, c, list(self.weight)), self.weight).best
                                for n, c in job.classes)
            return
        resource, unit = form['resource'], Fraction(form.get('unit', 0))
        amount = (lambda a: a // unit) if unit else (lambda a: a)
        self.weight = {s: amount(job.demands[s][resource]) for s in part.stages
                       if resource in job.demands[s]}
        self.capacity = sum(n * amount(c.get(resource, Fraction(0))) for n, c in job.classes)


def mandatory(d, head, deadline, begin, end):
    """The part of a task of duration d that lies in begin .. end wherever it starts in its window."""
    return max(0, min(d, end - begin, head + d - begin, end - (deadline - d)))


class Windows:
    """Least time before and after every task, from the edges and from claims that are checked."""

    def __init__(self, part, proof, makespan, known):
        """`known`: heads and tails of all tasks that hold before any pass, or nothing."""
        self.part, self.job, self.makespan = part, part.job, makespan
        self.measures = [Measure(part, form) for form in proof.get('measures', ())]
        tasks = self.job.durations
        self.head, self.tail = known or [{s: [0] * len(tasks[s]) for s in part.stages} for _ in range(2)]
        self.stage_head = {s: min(heads) for s, heads in self.head.items()}
        self.stage_tail = {s: min(tails) for s, tails in self.tail.items()}
        for step in proof.get('windows') or [{}]:
            self.go(step.get('heads', ()), False)
            self.go(step.get('tails', ()), True)

    def go(self, claims, backward):
        by_stage = {}
        for claim in claims:
            s = stage_of(self.job, claim['stage'])
            need(s in self.head, 'a claim is on a stage that is not in the part')
            by_stage.setdefault(s, []).append(claim)
        part, tasks = self.part, self.job.durations
        ahead = part.children if backward else part.parents
        head = self.tail if backward else self.head
        least = self.stage_tail if backward else self.stage_head
        done = {}
        for s in reversed(part.order) if backward else part.order:
            base = max([done[p] for p, one in ahead[s] if not one], default=0)
            for claim in by_stage.get(s, ()):
                self.check_claim(s, claim, backward)
                base = max(base, claim['at'])
            head[s] = [max(h, base) for h in head[s]]
            for p, one in ahead[s]:
                if one:
                    head[s] = [max(h, hp + d) for h, hp, d in zip(head[s], head[p], tasks[p])]
            least[s] = min(head[s])
            done[s] = max(max(h + d for h, d in zip(head[s], tasks[s])),
                          least[s] + self.job.rounds[s])
            for p, one in ahead[s]:
                if one:
                    done[s] = max(done[s], done[p] + min(tasks[s]))
            if max(head[s]) > least[s]:
                total = 0
                for h, d in sorted(zip(head[s], tasks[s]), reverse=True):
                    total += d
                    done[s] = max(done[s], h + -(-total // self.job.slots[s]))

    def check_claim(self, s, claim, backward):
        """If a task of s started before `at`, all tasks of stages wholly ahead would have ended by
        then, and too much would have to run in from .. to."""
        part, job = self.part, self.job
        at, begin, end = claim['at'], claim['from'], claim['to']
        need(0 <= begin < end <= self.makespan and 0 <= at <= self.makespan + 1,
             "the claim on '%s' is not within the makespan", job.id[s])
        need(claim['measure'] < len(self.measures), 'a claim has no measure')
        measure = self.measures[claim['measure']]
        head = self.stage_tail if backward else self.stage_head
        tail = self.stage_head if backward else self.stage_tail
        if len(part.stages) <= LARGE:
            before = part.before()
            ahead = [u for u in part.stages
                     if (before[u] >> s if backward else before[s] >> u) & 1]
            others = set(part.stages).difference(ahead)
        else:
            ahead = [p for p, one in (part.children if backward else part.parents)[s] if not one]
            others = ()
        total = 0
        for u in ahead:
            if measure.weight.get(u):
                deadline = self.makespan - tail[u]
                if head[u] + max(job.durations[u]) <= at - 1:
                    deadline = min(deadline, at - 1)
                total += measure.weight[u] * self.stage_mandatory(u, head[u], deadline, begin, end)
        for u in others:
            if not measure.weight.get(u):
                continue
            deadline = self.makespan - tail[u]
            amount = self.stage_mandatory(u, head[u], deadline, begin, end)
            if u == s and min(job.durations[u]) == max(job.durations[u]):
                d = job.durations[u][0]
                early = mandatory(d, head[u], min(deadline, at - 1 + d), begin, end)
                amount += max(0, early - mandatory(d, head[u], deadline, begin, end))
            total += measure.weight[u] * amount
        need(total > measure.capacity * (end - begin),
             "the claim that no task of '%s' starts before %d does not hold", job.id[s], at)

    def stage_mandatory(self, s, head, deadline, begin, end):
        durations = self.job.durations[s]
        if durations[0] == min(durations) == max(durations):
            return len(durations) * mandatory(durations[0], head, deadline, begin, end)
        return sum(mandatory(d, head, deadline, begin, end) for d in durations)

    def overfull(self):
        return any(self.stage_head[s] + self.job.rounds[s] + self.stage_tail[s] > self.makespan or
                   any(h + d + t > self.makespan for h, d, t in
                       zip(self.head[s], self.job.durations[s], self.tail[s]))
                   for s in self.part.stages)


def check_path(part, proof):
    job, total, last = part.job, 0, None
    for link in proof['path']:
        s, task = stage_of(job, link['stage']), link.get('task')
        need(s in part.parents and (task is None or task < len(job.durations[s])),
             'the path leaves the part')
        if last:
            kind = dict(part.parents[s]).get(last[0])
            need(kind is False or kind and task is not None and task == last[1],
                 "the path jumps to '%s'", job.id[s])
        total += job.rounds[s] if task is None else job.durations[s][task]
        last = s, task
    need(total >= proof['bound'], 'the path takes %d ticks, not %d', total, proof['bound'])


def check_energy(windows, proof):
    begin, end, number = proof.get('from', 0), proof['to'], proof.get('measure', 0)
    need(0 <= begin < end <= windows.makespan, 'the interval is not within the makespan')
    need(number < len(windows.measures), 'there is no such measure')
    measure = windows.measures[number]
    total = sum(w * windows.stage_mandatory(s, windows.stage_head[s],
                                            windows.makespan - windows.stage_tail[s], begin, end)
                for s, w in measure.weight.items())
    need(total > measure.capacity * (end - begin), 'what has to run in the interval fits there')


def check_rounds(windows, proof):
    """Whole tasks, as copies by their weight, on as many lines as the capacity; with values, a
    knapsack over the durations on one line."""
    begin, end, number = proof.get('from', 0), proof['to'], proof.get('measure', 0)
    need(0 <= begin < end <= windows.makespan, 'the interval is not within the makespan')
    need(number < len(windows.measures), 'there is no such measure')
    measure = windows.measures[number]
    count = {}
    scale = math.lcm(1, *(Fraction(w).denominator for w in measure.weight.values()),
                     Fraction(measure.capacity).denominator)
    capacity = int(measure.capacity * scale)
    if proof.get('values'):
        check_values(windows, proof, measure, begin, end, scale, capacity)
        return
    for s, weight in measure.weight.items():
        if windows.stage_head[s] >= begin and windows.makespan - windows.stage_tail[s] <= end:
            for d in windows.job.durations[s]:
                count[d] = count.get(d, 0) + int(weight * scale)
    groups = sorted(count.items(), reverse=True)
    need(groups and capacity > 0, 'nothing has to run in the interval')

    def longest(copies):
        total = 0
        for d, n in groups:
            total += d * min(n, copies)
            copies -= min(n, copies)
        return total

    copies = sum(count.values())
    most = max(groups[0][0] if groups[0][1] else 0, -(-longest(copies) // capacity))
    for q in range(1, (copies - 1) // capacity + 1):
        most = max(most, longest(q * capacity + 1) - longest(q * capacity - q))
    need(most > end - begin, 'the rounds fit in the interval')


def check_values(windows, proof, measure, begin, end, scale, capacity):
    job, length, items, worth, seen = windows.job, end - begin, [], 0, set()
    for form in proof['values']:
        s, value = stage_of(job, form['stage']), form['value']
        need(s in windows.stage_head and s not in seen and value >= 0 and
             windows.stage_head[s] >= begin and
             windows.makespan - windows.stage_tail[s] <= end and min(job.durations[s]) > 0,
             'a value is of no stage that has to run in the interval')
        seen.add(s)
        copies = len(job.durations[s]) * int(measure.weight.get(s, 0) * scale)
        items.append((Fraction(value, min(job.durations[s])), min(job.durations[s]), value, copies,
                      windows.stage_head[s], windows.makespan - windows.stage_tail[s]))
        worth += copies * value
    items.sort(reverse=True)
    best = 0
    # What has to lie between a head and a tail, and what of that time is left.
    spans = {(a, b): b - a for *_, a, _ in items for *_, b in items}

    def fill(k, left, value):
        nonlocal best
        best = max(best, value)
        if k == len(items):
            return
        density, d, v, count, head, tail = items[k]
        around = [(a, b) for a, b in spans if a <= head and tail <= b]
        for n in range(max(0, min(count, min(spans[span] for span in around) // d)), -1, -1):
            rest = left - n * d
            if k + 1 == len(items) or value + n * v + rest * items[k + 1][0] <= best:
                best = max(best, value + n * v)
                break
            for span in around:
                spans[span] -= n * d
            fill(k + 1, rest, value + n * v)
            for span in around:
                spans[span] += n * d

    fill(0, length, 0)
    need(worth > best * capacity, 'the lines hold what the tasks are worth')


class Price:
    """The price that the tasks of a stage pay for running, by time."""

    def __init__(self, steps):
        need(steps and steps[0][0] == 0, 'a price does not begin at 0')
        self.times, self.values, self.sums = [], [], []
        total = 0
        for time, value in steps:
            need(not self.times or time > self.times[-1], 'steps are out of order')
            if self.times:
                total += self.values[-1] * (time - self.times[-1])
            self.times.append(time)
            self.values.append(value)
            self.sums.append(total)

    def at(self, time):
        return self.values[bisect_right(self.times, time) - 1]

    def until(self, time):
        k = bisect_right(self.times, time) - 1
        return self.sums[k] + self.values[k] * (time - self.times[k])

    def least(self, d, head, deadline):
        """The least that a task of duration d pays that starts in head .. deadline - d: piecewise
        linear in the start, so least where it starts or ends with a step, or at an end."""
        starts = {head, deadline - d}
        for time in self.times:
            starts.update(x for x in (time, time - d) if head < x < deadline - d)
        return min(self.until(x + d) - self.until(x) for x in starts)


class Heaviest:
    """The heaviest set of tasks that fit a machine, with no two stages in order: depth first."""

    def __init__(self, machine, weights):
        items = [s for s, weight in weights.items() if weight > 0 and machine.most[s] > 0]
        items.sort(key=lambda s: (-(weights[s] * machine.whole ** 2 // machine.size[s]), s))
        n = len(items)
        self.room = machine.room
        self.demand = [machine.demand[s] for s in items]
        self.weight = [weights[s] for s in items]
        self.most = [machine.most[s] for s in items]
        places = [machine.place[s] for s in reversed(items)]
        self.free = [int(''.join([machine.together[s][k] for k in places]), 2)
                     for s in items]  # items that can join item i
        self.cliques = []  # of items of which only one can be taken
        taken = []  # the same in bits
        for i in range(n):
            for k, clique in enumerate(taken):
                if not self.free[i] & clique:
                    self.cliques[k].append(i)
                    taken[k] |= 1 << i
                    break
            else:
                self.cliques.append([i])
                taken.append(1 << i)
        self.by_density = []
        for r in range(len(self.room)):
            sized = [i for i in range(n) if self.demand[i][r]]
            unit = math.lcm(*(self.demand[i][r] for i in sized))
            self.by_density.append(sorted(
                sized, key=lambda i, r=r, unit=unit: -self.weight[i] * (unit // self.demand[i][r])))
        self.spared = [[not self.demand[i][r] for i in range(n)] for r in range(len(self.room))]
        self.best = 0
        self.search(range(n), self.room, 0)

    def limit(self, fits, room, enough):
        """No more weight than this can still come, by one resource alone or by cliques; once it is
        little enough, it is not made less."""
        worth, best = [w * fit for w, fit in zip(self.weight, fits)], None
        for r, order in enumerate(self.by_density):
            total, left = sum(itertools.compress(worth, self.spared[r])), room[r]
            for i in order:
                if not fits[i]:
                    continue
                size = self.demand[i][r] * fits[i]
                if size > left:
                    total += -(-self.weight[i] * left // self.demand[i][r])
                    break
                total += worth[i]
                left -= size
            best = total if best is None else min(best, total)
            if best <= enough:
                return best
        total = sum(max([worth[i] for i in clique]) for clique in self.cliques)
        return total if best is None else min(best, total)

    def search(self, items, room, weight):
        self.best = max(self.best, weight)
        fits, left = [0] * len(self.weight), []
        for i in items:
            fit = min([self.most[i]] + [c // d for c, d in zip(room, self.demand[i]) if d])
            if fit:
                fits[i] = fit
                left.append(i)
        for at, i in enumerate(left):
            if self.limit(fits, room, self.best - weight) <= self.best - weight:
                break
            most, fits[i] = fits[i], 0
            others = [k for k in left[at + 1:] if self.free[i] >> k & 1]
            for count in range(most, 0, -1):
                self.search(others, [c - count * d for c, d in zip(room, self.demand[i])],
                            weight + count * self.weight[i])


def check_prices(windows, proof):
    part, job, makespan = windows.part, windows.job, windows.makespan
    prices, points = {}, {0, makespan}
    for form in proof['prices']:
        s = stage_of(job, form['stage'])
        need(s in part.parents and s not in prices, 'a stage has two prices, or is not in the part')
        prices[s] = Price(form['steps'])
        points.update(prices[s].times)
        points.update((windows.stage_head[s], makespan - windows.stage_tail[s]))
    chains = []
    for form in proof.get('chains', ()):
        begin, end = form['from'], form['to']
        need(0 <= begin < end <= makespan, 'a chain is not within the makespan')
        shares = [(stage_of(job, x['stage']), x['share']) for x in form['shares']]
        need(all(s in prices and share >= 0 for s, share in shares),
             'a chain has a stage without a price, or a wrong share')
        for (u, _), (s, _) in zip(shares, shares[1:]):
            need(part.before()[s] >> u & 1, "'%s' is not wholly ahead of '%s'", job.id[u], job.id[s])
        back = max([share * job.slots[s] for s, share in shares], default=0)
        chains.append((begin, end, shares, back))
        points.update((begin, end))

    tasks_pay = 0
    for s, price in prices.items():
        count = {}
        for d in job.durations[s]:
            count[d] = count.get(d, 0) + 1
        tasks_pay += sum(n * price.least(d, windows.stage_head[s], makespan - windows.stage_tail[s])
                         for d, n in count.items())

    cluster_pays, known = 0, {}
    machines = [(count, Machine(part, capacity, list(prices))) for count, capacity in job.classes]
    points = sorted(p for p in points if 0 <= p <= makespan)
    for begin, end in zip(points, points[1:]):
        weights = {s: price.at(begin) for s, price in prices.items()}
        back = 0
        for first, last, shares, most in chains:
            if first <= begin < last:
                back += most
                for s, share in shares:
                    weights[s] -= share
        weights = {s: w for s, w in weights.items() if w > 0 and windows.stage_head[s] <= begin and
                   begin < makespan - windows.stage_tail[s]}
        key = tuple(sorted(weights.items()))
        if key not in known:
            known[key] = sum(count * Heaviest(machine, weights).best for count, machine in machines)
        cluster_pays += (end - begin) * (known[key] + back)
    need(tasks_pay > cluster_pays, 'the cluster can hold what the tasks pay')


class Contradiction(Exception):
    pass


class Starts:
    """Bounds of the starts of all tasks, and of the end of the job as one task more; they follow from
    one another by the edges, by the order of equal tasks and of rivals, by clauses, and by the
    time-table. Of two rivals there are bounds of 0 and 1, too: whether the first is before the
    second; and on several machines for every task and machine: whether the task is on it."""

    def __init__(self, part, makespan, clauses):
        job = part.job
        first, count = {}, 0
        for s in part.stages:
            first[s] = count
            count += len(job.durations[s])
        self.end = count
        self.duration = [d for s in part.stages for d in job.durations[s]] + [0]
        self.order = [first[s] + i for s in part.order for i in range(len(job.durations[s]))] + [count]
        self.after, self.before = [[] for _ in range(count + 1)], [[] for _ in range(count + 1)]
        for s in part.order:
            for i in range(len(job.durations[s])):
                children = [first[c] + k for c, one in part.children[s]
                            for k in ([i] if one else range(len(job.durations[c])))]
                for child in children + [count]:
                    self.after[first[s] + i].append(child)
                    self.before[child].append((first[s] + i, job.durations[s][i]))
        # Of tasks that differ by name only, the next and the one before.
        self.next, self.previous = {}, {}
        for s in part.stages:
            if any(one for _, one in part.parents[s] + part.children[s]):
                continue
            latest = {}
            for t, d in enumerate(job.durations[s], first[s]):
                if d in latest:
                    self.next[latest[d]], self.previous[t] = t, latest[d]
                latest[d] = t
        self.held = []  # by resource: the capacity, and tasks with their demands
        capacity = job.classes[0][1]
        for r in sorted({r for s in part.stages for r in job.demands[s]}):
            tasks = [(first[s] + i, job.demands[s][r]) for s in part.stages
                     if r in job.demands[s] for i, d in enumerate(job.durations[s]) if d]
            scale = math.lcm(capacity.get(r, Fraction(0)).denominator,
                             *(a.denominator for _, a in tasks))
            if sum(a for _, a in tasks) > capacity.get(r, 0):
                self.held.append((int(capacity.get(r, 0) * scale),
                                  sorted(((t, int(a * scale), self.duration[t]) for t, a in tasks),
                                         key=lambda x: -x[1])))
        self.least, self.most = [0] * (count + 1), [makespan] * (count + 1)
        self.rose, self.fell = set(self.order), set(self.order)  # since the edges were followed
        self.crowd = None
        if job.machines > 1:
            self.crowd = Crowd(part, first, count)
            self.least += [0] * (count * job.machines)
            self.most += [1] * (count * job.machines)
        self.rivals, self.order_of = collections.defaultdict(list), {}
        ordered = any(abs(v) - 1 > count for numbers, *_ in clauses for v in numbers[::2])
        if job.machines == 1 and count <= (ORDERED_MOST if ordered else ORDERED):
            self.least += [0] * (count * count)
            self.most += [1] * (count * count)
            self.find_rivals()
        self.stirred = set(self.rivals)  # since rivals were followed
        self.placed = set(range(count + 1, len(self.least)))  # of the machines, since these were followed

    def find_rivals(self):
        """Tasks that last, and demand more together than there is: one ends before the other starts."""
        for capacity, tasks in self.held:
            for k, (t, a, _) in enumerate(tasks):
                for u, b, _ in tasks[:k]:
                    pair = min(t, u), max(t, u)
                    number = self.end + 1 + pair[0] * self.end + pair[1]
                    if a + b > capacity and number not in self.order_of:
                        self.order_of[number] = pair
                        for task in pair:
                            self.rivals[task].append(number)

    def at_least(self, task, time):
        if time > self.least[task]:
            if time > self.most[task]:
                raise Contradiction
            self.least[task] = time
            self.rose.add(task)
            self.stirred.add(task)
            if task > self.end:
                self.placed.add(task)

    def at_most(self, task, time):
        if time < self.most[task]:
            if time < self.least[task]:
                raise Contradiction
            self.most[task] = time
            self.fell.add(task)
            self.stirred.add(task)
            if task > self.end:
                self.placed.add(task)

    def follow(self, clauses):
        """Until nothing moves: the edges and equal tasks, then the clauses, then what tasks hold."""
        least, most, rose, fell = self.least, self.most, self.rose, self.fell
        while True:
            if rose:
                for a in self.order:
                    if a in rose:
                        end = least[a] + self.duration[a]
                        for b in self.after[a]:
                            if end > least[b]:
                                self.at_least(b, end)
                        if a in self.next:
                            self.at_least(self.next[a], least[a])
                rose.clear()
            if fell:
                for b in reversed(self.order):
                    if b in fell:
                        start = most[b]
                        for a, d in self.before[b]:
                            if start - d < most[a]:
                                self.at_most(a, start - d)
                        if b in self.previous:
                            self.at_most(self.previous[b], start)
                fell.clear()
            self.follow_rivals()
            for literals in clauses:
                left = None
                for v, t in literals:
                    if most[v - 1] >= t if v > 0 else least[-v - 1] <= t:
                        if left:
                            break
                        left = v, t
                else:
                    if not left:
                        raise Contradiction
                    self.suppose(*left)
            if rose or fell or self.stirred:
                continue
            if self.crowd:
                self.crowd.follow(self)
            else:
                for table in self.held:
                    self.follow_table(*table)
            if not (rose or fell):
                return

    def follow_rivals(self):
        """An order holds where the other is not possible; the task that is first ends before the other
        starts."""
        while self.stirred:
            v = self.stirred.pop()
            for number in [v] if v in self.order_of else self.rivals.get(v, ()):
                first, second = self.order_of[number]
                if self.least[second] + self.duration[second] > self.most[first]:
                    self.at_least(number, 1)
                if self.least[first] + self.duration[first] > self.most[second]:
                    self.at_most(number, 0)
                if self.least[number] == 1:
                    self.put_before(first, second)
                elif self.most[number] == 0:
                    self.put_before(second, first)

    def put_before(self, first, second):
        self.at_least(second, self.least[first] + self.duration[first])
        self.at_most(first, self.most[second] - self.duration[first])

    def suppose(self, v, time):
        if v > 0:
            self.at_least(v - 1, time)
        else:
            self.at_most(-v - 1, time)

    def deny(self, v, time):
        if v > 0:
            self.at_most(v - 1, time - 1)
        else:
            self.at_least(-v - 1, time + 1)

    def look_at(self, first, last):
        """What tasks have to do from first to last in every case is no more than there is then, down to
        whole multiples of what divides all demands."""
        for capacity, tasks in self.held:
            capacity -= capacity % math.gcd(*(a for _, a, _ in tasks))
            work = sum(a * max(0, min(last - first, self.least[t] + d - first, last - self.most[t], d))
                       for t, a, d in tasks)
            if work > capacity * (last - first):
                raise Contradiction

    def follow_table(self, capacity, tasks):
        """A task runs from its latest start to its earliest end in every case. The tasks come by their
        demand, the largest first, so that those for which there is always room are not looked at."""
        least, most = self.least, self.most
        change = collections.defaultdict(int)
        for t, a, d in tasks:
            begin, end = most[t], least[t] + d
            if begin < end:
                change[begin] += a
                change[end] -= a
        begin, held, peak, spare, steps = 0, 0, 0, capacity - tasks[0][1], []
        for time in sorted(change):
            if held > spare:
                steps.append((begin, time, held))
            begin, held = time, held + change[time]
            if held > peak:
                peak = held
        if peak > capacity:
            raise Contradiction
        for t, a, d in tasks:
            if peak + a <= capacity:
                return
            early, late = least[t], most[t]
            if early == late:
                continue
            own, own_end = late, early + d
            for b, e, held in steps:
                if b >= early + d:
                    break
                if e > early and held + a > capacity and not own <= b < own_end:
                    early = e
            for b, e, held in reversed(steps):
                if e <= late:
                    break
                if b < late + d and held + a > capacity and not own <= b < own_end:
                    late = b - d
            if early > least[t]:
                self.at_least(t, early)
            if late < most[t]:
                self.at_most(t, late)


class Crowd:
    """Tasks in front of several machines: which of them can run together, and where."""

    def __init__(self, part, first, count):
        job = part.job
        self.count, self.machines = count, job.machines
        self.rooms, self.classes = [], []
        for number, (machines, capacity) in enumerate(job.classes):
            self.rooms += [capacity] * machines
            self.classes += [number] * machines
        self.demands = [job.demands[s] for s in part.stages for _ in job.durations[s]]
        self.duration = [d for s in part.stages for d in job.durations[s]]
        self.holders = [t for t in range(count) if self.duration[t] and self.demands[t]]
        names = sorted({r for d in self.demands for r in d})
        for r in names:  # in whole numbers
            scale = math.lcm(*(Fraction(x[r]).denominator for x in self.demands + self.rooms if r in x))
            self.demands = [{**d, r: int(d[r] * scale)} if r in d else d for d in self.demands]
            self.rooms = [{**room, r: int(room[r] * scale)} if r in room else room for room in self.rooms]
        total = {r: sum(room.get(r, 0) for room in self.rooms) for r in names}
        self.total = total
        self.size = [max((Fraction(a) / total[r] for r, a in d.items() if total[r]), default=0)
                     for d in self.demands]
        self.numbers = range(self.machines)
        # Of sets of tasks, in bits: whether a machine holds them, and whether all together do.
        self.held = [{} for _ in self.rooms]
        self.packed = {}
        # By task: its machines, each with its variable.
        self.places = {t: [(m, count + 1 + t * self.machines + m) for m in range(self.machines)]
                       for t in self.holders}

    def sums(self, tasks):
        """These tasks, and what they demand together."""
        held, members = {}, [t for t in self.holders if tasks >> t & 1]
        for t in members:
            for r, a in self.demands[t].items():
                held[r] = held.get(r, 0) + a
        return members, held.items()

    def fits(self, machine, tasks):
        """Whether the machine holds all these tasks at once."""
        known = self.held[machine]
        if tasks not in known:
            known[tasks] = all(a <= self.rooms[machine].get(r, 0) for r, a in self.sums(tasks)[1])
        return known[tasks]

    def fit_together(self, tasks):
        if tasks not in self.packed:
            members, held = self.sums(tasks)
            order = sorted(members, key=lambda t: (-self.size[t], t))
            self.packed[tasks] = (all(a <= self.total[r] for r, a in held) and
                                  self.pack(order, [0] * self.machines))
        return self.packed[tasks]

    def pack(self, order, loads):
        if not order:
            return True
        seen = set()
        for m in range(self.machines):
            key = self.classes[m], loads[m]  # alike: the first of them will do
            if key in seen or not self.fits(m, loads[m] | 1 << order[0]):
                continue
            seen.add(key)
            loads[m] |= 1 << order[0]
            packed = self.pack(order[1:], loads)
            loads[m] &= ~(1 << order[0])
            if packed:
                return True
        return False

    def follow(self, starts):
        least, most = starts.least, starts.most
        if starts.placed:
            tasks = sorted({(v - self.count - 1) // self.machines for v in starts.placed})
            starts.placed.clear()
            for t in tasks:
                if t in self.places:
                    self.follow_choice(starts, t)
            for m in range(self.machines):
                self.follow_order(starts, m)
        if not (starts.rose or starts.fell):
            spans = self.spans(least, most)
            for t in self.holders:
                if least[t] < most[t] or not any(least[v] for _, v in self.places[t]):
                    self.follow_task(starts, spans, t)

    def follow_choice(self, starts, t):
        """The task is on one machine that holds it, and on no other."""
        least, most = starts.least, starts.most
        on = [m for m, v in self.places[t] if least[v]]
        for m, v in self.places[t]:
            if most[v] and (not self.fits(m, 1 << t) or any(other != m for other in on)):
                starts.at_most(v, 0)
        free = [v for _, v in self.places[t] if most[v]]
        if not free:
            raise Contradiction
        if len(free) == 1:
            starts.at_least(free[0], 1)

    def follow_order(self, starts, m):
        """Of equal machines one is used only where a task before is on the one before."""
        least, most, before = starts.least, starts.most, []
        for t in self.holders:
            v = self.places[t][m][1]
            if m and self.classes[m] == self.classes[m - 1] and most[v]:
                if not before:
                    starts.at_most(v, 0)
                elif len(before) == 1 and least[v]:
                    starts.at_least(before[0], 1)
            if len(before) < 2 and most[v - 1]:
                before.append(v - 1)

    def spans(self, least, most):
        """From when to when who runs in every case; and of those who is on which machine."""
        change = collections.defaultdict(int)
        for t in self.holders:
            begin, end = most[t], least[t] + self.duration[t]
            if begin < end:
                change[begin] ^= 1 << t
                change[end] ^= 1 << t
        where = [sum(1 << t for t in self.holders if least[self.places[t][m][1]])
                 for m in range(self.machines)]
        begin, tasks, spans = 0, 0, []
        for end in sorted(change):
            if tasks:
                places = [tasks & on for on in where]
                if not (self.fit_together(tasks) and all(map(self.fits, self.numbers, places))):
                    raise Contradiction
                spans.append((begin, end, tasks, places))
            begin, tasks = end, tasks ^ change[end]
        return spans

    def follow_task(self, starts, spans, t):
        """It starts where it fits a machine that it may be on, and is on none that it fits nowhere."""
        least, most, d, self_bit, packed = starts.least, starts.most, self.duration[t], 1 << t, self.packed
        start, end, first, last, near = least[t], most[t] + d, [], [], []
        for b, e, tasks, places in spans:
            if b < end and e > start:
                both = tasks | self_bit
                fit = packed[both] if both in packed else self.fit_together(both)
                near.append((b, e, places, not fit))
        for m, v in self.places[t]:
            if not most[v]:
                continue
            known, full = self.held[m], []
            for b, e, places, never in near:
                both = places[m] | self_bit
                if never or not (known[both] if both in known else self.fits(m, both)):
                    full.append((b, e))
            early, late = least[t], most[t]
            for b, e in full:
                if b < early + d and early < e:
                    early = e
            for b, e in reversed(full):
                if b < late + d and late < e:
                    late = b - d
            if early > most[t]:
                starts.at_most(v, 0)
            else:
                first.append(early)
                last.append(late)
        if not first:
            raise Contradiction
        starts.at_least(t, min(first))
        starts.at_most(t, max(last))


def check_clauses(part, proof):
    """Each clause follows from its hints: suppose all of it false, and there is a contradiction."""
    bound = proof['bound']
    starts, clauses, number = Starts(part, bound - 1, proof.get('clauses', ())), [], 0
    try:
        starts.follow(())
        for number, (numbers, hints, *more) in enumerate(proof['clauses'], 1):
            literals = list(zip(numbers[::2], numbers[1::2]))
            for v, time in literals:
                need(1 <= abs(v) <= len(starts.least) and -1 <= time <= bound,
                     'clause %d is not in the form', number)
                need(part.job.machines > 1 or abs(v) <= starts.end + 1 or abs(v) - 1 in starts.order_of,
                     'clause %d orders tasks that can run together', number)
            need(all(1 <= h < number for h in hints),
                 'clause %d is not in the form', number)
            spans = list(zip(more[0][::2], more[0][1::2])) if more else []
            need(all(0 <= begin < end <= bound for begin, end in spans),
                 'clause %d is not in the form', number)
            need(not spans or part.job.machines == 1, 'spans are for one machine')
            kept = starts.least[:], starts.most[:]
            starts.rose, starts.fell, starts.placed, starts.stirred = set(), set(), set(), set()
            try:
                for v, time in literals:
                    starts.deny(v, time)
                starts.follow([clauses[h - 1] for h in hints])
                for span in spans:
                    starts.look_at(*span)
            except Contradiction:
                if not literals:
                    return
            else:
                raise Refused('clause %d does not follow' % number)
            starts.least, starts.most = kept
            clauses.append(literals)
            if len(literals) == 1:
                starts.suppose(*literals[0])
                starts.follow(())
    except Contradiction:
        return
    raise Refused('the clauses leave a plan of %d ticks possible' % (bound - 1))


def check_form(job, proof, depth=0):
    """Names of what there is, whole numbers and pairs, also where no check comes to them."""
    need(depth <= DEEP, 'cases are too deep')
    for inner in [*proof.get('cases', ()), *([{'proof': proof['group']}] if 'group' in proof else ())]:
        if 'stage' in inner:
            stage_of(job, inner['stage'])
        check_form(job, inner['proof'], depth + 1)
    need('stages' not in proof or proof['stages'], 'a part is empty')
    for name in proof.get('stages', ()):
        stage_of(job, name)

    def count(value, words):
        need(whole(value, words) >= 0, '%s is below 0', words)

    whole(proof['bound'], 'a bound')
    need(depth == 0 or (proof.get('rounding', 1) == 1 and proof.get('rest', 0) == 0),
         'a case has a rounding of its own')
    need(proof['kind'] in ('path', 'window', 'energy', 'rounds', 'prices', 'clauses', 'first', 'last'),
         'an unknown kind of proof')
    claims = [claim for step in proof.get('windows', ())
              for key in ('heads', 'tails') for claim in step.get(key, ())]
    shares = [share for chain in proof.get('chains', ()) for share in chain['shares']]
    for key in ('path', 'values', 'prices'):
        for form in proof.get(key, ()):
            stage_of(job, form['stage'])
    for form in claims + shares:
        stage_of(job, form['stage'])
    if 'stage' in proof:
        stage_of(job, proof['stage'])
    for form in proof.get('measures', ()):
        need(len({'clique', 'resource', 'weights'} & set(form)) == 1,
             'a measure is of a resource, a clique, or weights')
        need(form.get('weights', True), 'there are no weights')
        for item in form.get('weights', ()):
            stage_of(job, item['stage'])
            whole(item['weight'], 'a weight')
        for name in form.get('clique', ()):
            stage_of(job, name)
        if 'resource' in form:
            need(form['resource'] in job.resources, "the job has no resource '%s'", form['resource'])
            need(Fraction(form.get('unit', 1)) > 0, 'a unit is not above 0')
    for form in [proof, *proof.get('chains', ()), *claims]:
        whole(form.get('from', 0))
        whole(form.get('to', 0))
    for form in claims:
        whole(form['at'])
        count(form['measure'], 'the number of a measure')
    count(proof.get('measure', 0), 'the number of a measure')
    for link in proof.get('path', ()):
        count(link.get('task', 0), 'the number of a task')
    for form in proof.get('values', ()):
        need(whole(form['value'], 'a value') <= PRICE, 'a value is too large')
    for form in shares:
        need(whole(form['share'], 'a share') <= PRICE, 'a share is too large')
    for form in proof.get('prices', ()):
        for step in form['steps']:
            need(len(step) == 2, 'a step is a time and a price')
            whole(step[0])
            need(abs(whole(step[1], 'a price')) <= PRICE, 'a price is too large')
    for clause in proof.get('clauses', ()):
        need(len(clause) in (2, 3) and len(clause[0]) % 2 == 0, 'a clause is pairs, and its hints')
        need(len(clause) == 2 or len(clause[2]) % 2 == 0, 'a span is two times')
        need(all(type(number) is int for numbers in clause for number in numbers),
             'a number of a clause is no whole number')


def check_cases(windows, proof, depth):
    """By itself the group takes L. A task that begins it, at M - L or earlier, is of a stage without a
    parent in it; what is wholly ahead of that stage has ended by then. `last`: seen from the end."""
    part, job, last = windows.part, windows.job, proof['kind'] == 'last'
    need(depth < DEEP, 'cases are too deep')
    names = proof['group'].get('stages')
    need(names, 'there is no group')
    group = {job.number[name] for name in names}
    need(len(group) == len(names) and group <= set(part.stages),
         'the group has a stage twice, or one that is not in the part')
    check_part(Part(job, sorted(group)), proof['group'], depth + 1)
    length = proof['group']['bound']
    ahead = part.children if last else part.parents
    cases = {job.number[case['stage']]: case['proof'] for case in proof['cases']}
    for s in sorted(group):
        if any(p in group for p, _ in ahead[s]):
            continue
        need(s in cases, "there is no case for '%s'", job.id[s])
        need('stages' not in cases[s] and cases[s]['bound'] >= proof['bound'],
             "the case of '%s' is of other stages, or of a lower bound", job.id[s])
        head = {u: list(heads) for u, heads in windows.head.items()}
        tail = {u: list(tails) for u, tails in windows.tail.items()}
        early, late = (tail, head) if last else (head, tail)
        least = min(early[s])
        for u in group:
            early[u] = [max(h, least) for h in early[u]]
        for p, one in ahead[s]:
            if not one:
                late[p] = [max(t, length) for t in late[p]]
        check_part(part, cases[s], depth + 1, (head, tail))


def check_part(part, proof, depth=0, known=None):
    if depth == 0:
        check_form(part.job, proof)
    bound = proof['bound']
    need(bound >= 0, 'a bound is negative')
    if bound == 0:
        return
    if proof['kind'] == 'path':
        check_path(part, proof)
        return
    if proof['kind'] == 'clauses':
        check_clauses(part, proof)
        return
    windows = Windows(part, proof, bound - 1, known)
    if windows.overfull():
        return
    need(proof['kind'] != 'window', 'every stage fits its window')
    if proof['kind'] in ('first', 'last'):
        check_cases(windows, proof, depth)
        return
    {'energy': check_energy, 'rounds': check_rounds, 'prices': check_prices}[proof['kind']](
        windows, proof)


def split(job, proofs):
    """The parts, with a cut between each and the next."""
    if len(proofs) == 1 and 'stages' not in proofs[0]:
        return [Part(job, list(range(len(job.id))))]
    owner = {}
    for k, proof in enumerate(proofs):
        need(proof.get('stages'), 'part %d is empty', k + 1)
        for name in proof['stages']:
            s = stage_of(job, name)
            need(s not in owner, "'%s' is in two parts", name)
            owner[s] = k
    need(len(owner) == len(job.id), 'some stages are in no part')
    parts = [Part(job, sorted(job.number[name] for name in proof['stages'])) for proof in proofs]
    for k, (a, b) in enumerate(zip(parts, parts[1:])):
        sinks = [s for s in a.stages if not a.children[s]]
        sources = {s for s in b.stages if not b.parents[s]}
        for s in sinks:
            joined = {c for c, one in job.children[s] if not one}
            need(sources <= joined, 'there is no cut between parts %d and %d', k + 1, k + 2)
    return parts


def least_rest(part, rounding, length):
    """What tasks of the part lose by rounding, at least, whose rounded durations, in multiples of the
    rounding, add up to that length or more. In every schedule some chain of tasks is as long."""
    tasks = [divmod(d, rounding) for s in part.stages for d in part.job.durations[s] if d >= rounding]
    rest = Fraction(0)
    for left, off in sorted(tasks, key=lambda task: Fraction(task[1], task[0])):
        if length > 0:
            rest += Fraction(off * min(left, length), left)
            length -= left
    return math.ceil(rest) if length <= 0 else 0


def features(document):
    """Is there anything in the job or its cluster that proofs do not know?"""
    cluster = document['cluster']
    return (any(stage.get('outputs') or stage.get('times') or 'release' in stage or 'deadline' in stage
                for stage in document['stages'])
            or any('lag' in edge or 'stream' in edge for edge in document.get('edges', ()))
            or any(resource['name'] in cluster.get('shared', ()) for resource in document['resources'])
            or any(cluster.get(key) for key in ('unavailable', 'changes')) or has_ways(document))


def ways_of(stage):
    """How its tasks may run: demands, classes (None: any), and seconds by task, at speed 1."""
    for other in stage.get('alternatives') or [{}]:
        base = other.get('duration', stage.get('duration', 0))
        times = [Fraction(base)] * stage['tasks']
        for given in (*stage.get('durations', ()), *other.get('durations', ())):
            if 'duration' in given:
                times[given['index']] = Fraction(given['duration'])
        yield ({**stage.get('demands', {}), **other.get('demands', {})},
               other.get('classes', stage.get('classes')), times)


def has_ways(document):
    return (any(stage.get('alternatives') or stage.get('classes') or stage.get('consumed')
                for stage in document['stages'])
            or any(Fraction(c.get('speed', 1)) != 1 for c in document['cluster']['classes']))


def least_way(document):
    """The job in which every task takes the least of its ways."""
    need(not any(edge.get('stream', 'no') == 'yes' for edge in document.get('edges', ())),
         'a stage streams into another, in a job with alternatives')
    cluster, stages = document['cluster'], []
    shared = cluster.get('shared', {})
    for stage in document['stages']:
        shortest, least = [None] * stage['tasks'], None
        for demands, classes, times in ways_of(stage):
            speeds = [Fraction(c.get('speed', 1)) for c in cluster['classes']
                      if (classes is None or c['class'] in classes) and all(
                          Fraction(amount) <= Fraction(shared.get(r, c['capacities'].get(r, 0)))
                          for r, amount in demands.items())]
            if not speeds:
                continue
            lasts = [Fraction(-(-time * 10**9 // max(speeds)), 10**9) for time in times]
            shortest = [b if a is None else min(a, b) for a, b in zip(shortest, lasts)]
            least = demands if least is None else {
                r: min(Fraction(least[r]), Fraction(demands[r])) for r in least if r in demands}
        need(least is not None, "no machine has room for a task of stage '%s'", stage['id'])
        kept = {key: stage[key] for key in stage
                if key not in ('alternatives', 'classes', 'consumed', 'duration', 'durations', 'demands')}
        own = [{**given, 'duration': shortest[given['index']]} for given in stage.get('durations', ())]
        own += [{'index': i, 'duration': shortest[i]} for i in range(stage['tasks'])]
        stages.append({**kept, 'duration': shortest[0], 'durations': own, 'demands': least})
    return {**document, 'stages': stages}


class Multipliers:
    """A proof of a job with ways: prices of work, of what is consumed and of waiting on paths."""

    def __init__(self, document, certificate):
        self.stages, self.cluster = document['stages'], document['cluster']
        self.shared = self.cluster.get('shared', {})
        self.edges = document.get('edges', ())
        need(not any(stage.get('outputs') or 'deadline' in stage for stage in self.stages)
             and not any('deadline' in given for stage in self.stages for given in stage.get('times', ()))
             and not any(edge.get('stream', 'no') == 'yes' for edge in self.edges)
             and not any(self.cluster.get(key) for key in ('unavailable', 'changes')),
             'multipliers prove nothing of outputs, deadlines, streams and times at which machines are away')
        need(len(certificate['parts']) == 1, 'multipliers are of the whole job')
        proof = certificate['parts'][0]
        need(proof['kind'] == 'multipliers' and 'stages' not in proof and proof.get('rounding', 1) == 1 and
             not proof.get('rest'), 'the proof is not one by multipliers of the whole job')
        self.number = {stage['id']: s for s, stage in enumerate(self.stages)}
        need(len(self.number) == len(self.stages), 'two stages have the same id')
        self.ways = [list(self.ways_on(stage)) for stage in self.stages]
        self.tick = self.common_divisor()
        need(Fraction(certificate['tick']) * 10**9 == self.tick, 'the tick is not the common divisor of all times')
        self.bound = whole(proof['bound'], 'a bound')
        need(self.bound >= 0, 'a bound is negative')
        if self.bound:
            self.charges(proof['charges'])
            self.flows(proof['flows'])
            self.prove()

    def ways_on(self, stage):
        """Demands, what is consumed, and nanoseconds by task: of each alternative on each class with room."""
        for other, (demands, classes, times) in zip(stage.get('alternatives') or [{}], ways_of(stage)):
            consumed = {**stage.get('consumed', {}), **other.get('consumed', {})}
            for c in self.cluster['classes']:
                if (classes is None or c['class'] in classes) and all(
                        Fraction(amount) <= Fraction(self.shared.get(r, c['capacities'].get(r, 0)))
                        for r, amount in demands.items()):
                    yield demands, consumed, [-(-time * 10**9 // Fraction(c.get('speed', 1))) for time in times]

    def common_divisor(self):
        divisor = 0
        for stage, ways in zip(self.stages, self.ways):
            need(ways, "no machine has room for a task of stage '%s'", stage['id'])
            for time in [t for _, _, times in ways for t in times]:
                divisor = math.gcd(divisor, time)
            for time in Relaxing.times(stage, 'times', 'release'):
                divisor = math.gcd(divisor, int(time * 10**9))
        for edge in self.edges:
            divisor = math.gcd(divisor, int(Fraction(edge.get('lag', 0)) * 10**9))
        return divisor or 1

    def charges(self, given):
        """What a makespan pays for each tick, and once."""
        self.held, self.consumed, self.pace, self.sum = {}, {}, 0, 0
        names = {resource['name'] for resource in self.cluster_resources()}
        for charge in given:
            name, price = charge['resource'], whole(charge['price'], 'a price')
            of = self.consumed if charge.get('consumed') == 'yes' else self.held
            need(0 <= price <= 1 << 53 and name not in of and name in names,
                 'a resource is charged twice, or not by a price')
            need(abs(whole(charge['digits'], 'digits')) <= 18, 'digits are too many')
            of[name] = price, Fraction(10)**charge['digits']
            if of is self.consumed:
                need(name in self.shared, 'nothing is shared of what is consumed')
                self.sum -= self.cost(of, name, self.shared[name])
            elif name in self.shared:
                self.pace += self.cost(of, name, self.shared[name])
            else:
                self.pace += sum(c['count'] * self.cost(of, name, c['capacities'].get(name, 0))
                                 for c in self.cluster['classes'])

    @staticmethod
    def cost(of, name, amount):
        price, units = of.get(name, (0, None))
        if units is None:
            return 0
        amount = Fraction(amount) * units
        need(amount.denominator == 1, "amounts of '%s' are not whole in units of its price", name)
        return price * int(amount)

    def cluster_resources(self):
        named = {r for c in self.cluster['classes'] for r in c['capacities']} | set(self.shared)
        return [{'name': name} for name in named]

    def flows(self, given):
        """What flows into each task and on, to tasks that wait for it; what flows no further, to the end."""
        ways = collections.defaultdict(list)
        for edge in self.edges:
            p, c = self.number[edge['from']], self.number[edge['to']]
            ways[p, c].append(edge.get('type') == 'one-to-one' and self.stages[p]['tasks'] > 1)
        into, self.out = collections.Counter(), collections.Counter()
        for flow in given:
            p, c = self.number[flow['from']], self.number[flow['to']]
            i, j = whole(flow.get('from_task', 0), 'a task'), whole(flow.get('to_task', 0), 'a task')
            need(0 <= i < self.stages[p]['tasks'] and 0 <= j < self.stages[c]['tasks']
                 and any(i == j or not paired for paired in ways[p, c]), 'a flow is along no edge')
            need(0 <= whole(flow['amount'], 'a flow') <= 1 << 53, 'a flow is below 0, or too large')
            self.out[p, i] += flow['amount']
            into[c, j] += flow['amount']
        for task, amount in into.items():
            more = max(0, amount - self.out[task])
            self.out[task] += more
            self.pace += more

    def prove(self):
        for s, ways in enumerate(self.ways):
            for i in range(self.stages[s]['tasks']):
                self.sum += min(
                    times[i] // self.tick * (self.out[s, i] + sum(
                        self.cost(self.held, r, a) for r, a in demands.items()))
                    + sum(self.cost(self.consumed, r, a) for r, a in consumed.items())
                    for demands, consumed, times in ways)
        need(self.sum > self.pace * (self.bound - 1), 'prices and flows do not prove the bound')


class Relaxing:
    """The relaxed job of a job with features, as a document like the one that it is made from."""

    def __init__(self, document, kind):
        need(kind in ('machines', 'pool'), "there is no relaxation '%s'", kind)
        if has_ways(document):
            document = least_way(document)
        self.stages, self.cluster = document['stages'], document['cluster']
        self.ids = [stage['id'] for stage in self.stages]
        self.number = {name: s for s, name in enumerate(self.ids)}
        need(len(self.number) == len(self.ids), 'two stages have the same id')
        self.duration = [self.times(stage, 'durations', 'duration') for stage in self.stages]
        self.shortest = [min(durations) for durations in self.duration]
        self.longest = [max(durations) for durations in self.duration]
        self.large = len(self.stages) > LARGE
        self.shared = self.cluster.get('shared', {})
        machines = sum(c['count'] for c in self.cluster['classes'])
        self.together = kind == 'pool' or machines == 1
        self.made, self.joined, self.named = [], [], 0
        self.read_edges(document.get('edges', ()))
        self.find_waits()
        for s in range(len(self.stages)):
            self.add_stage(s)
        for s in range(len(self.stages)):
            release = self.release[s]
            if max(release):
                equal = len(set(release)) == 1
                made = self.pass_time('release', release[:1] if equal else release)
                self.join(made, self.ids[s], not equal)
        for s in range(len(self.stages)):
            for (p, paired), lag in sorted(self.waits[s].items()):
                made = self.ids[p]
                if lag:
                    made = self.pass_time('lag', [lag] * (len(self.duration[s]) if paired else 1))
                    self.join(self.ids[p], made, paired)
                self.join(made, self.ids[s], paired)
        for s, stage in enumerate(self.stages):
            self.add_held(s, stage.get('outputs', ()))
        self.document = {
            'stages': self.made, 'edges': self.joined, 'resources': document['resources'],
            'cluster': {'classes': self.pool() if kind == 'pool' else self.machines()}}

    @staticmethod
    def times(stage, overrides, key):
        """By task, in seconds."""
        values = [Fraction(stage.get(key, 0))] * stage['tasks']
        for other in stage.get(overrides, ()):
            if key in other:
                values[other['index']] = Fraction(other[key])
        return values

    def read_edges(self, edges):
        """By child: parent, whether task by task, lag, whether a stream; and what is read."""
        count = len(self.stages)
        self.parents = [[] for _ in range(count)]
        self.readers = [collections.defaultdict(list) for _ in range(count)]
        children, waiting = [[] for _ in range(count)], [0] * count
        for edge in edges:
            p, c = self.number[edge['from']], self.number[edge['to']]
            paired = edge.get('type') == 'one-to-one' and len(self.duration[p]) > 1
            need(not paired or len(self.duration[p]) == len(self.duration[c]),
                 'a one-to-one edge joins stages of different size')
            stream, lag = edge.get('stream', 'no') == 'yes', Fraction(edge.get('lag', 0))
            self.parents[c].append((p, paired, lag, stream))
            children[p].append(c)
            waiting[c] += 1
            outputs = [output['id'] for output in self.stages[p].get('outputs', ())]
            for name in edge.get('reads', outputs):
                self.readers[p][name].append((c, paired, lag, stream))
        self.order = [s for s in range(count) if not waiting[s]]
        for s in self.order:
            for c in children[s]:
                waiting[c] -= 1
                if not waiting[c]:
                    self.order.append(c)
        need(len(self.order) == count, 'the edges run in a circle')

    def find_waits(self):
        """What each stage waits for, and what has ended when it has: (stage, task by task): lag."""
        count = len(self.stages)
        self.waits, self.ended = [{} for _ in range(count)], [{} for _ in range(count)]
        self.release = [self.times(stage, 'times', 'release') for stage in self.stages]

        def note(table, key, lag):
            table[key] = max(lag, table.get(key, lag))
        for s in self.order:
            waits, ended, mine = self.waits[s], self.ended[s], self.duration[s]
            for p, paired, lag, stream in self.parents[s]:
                theirs = self.duration[p]
                if not stream:
                    note(waits, (p, paired), lag)
                    for (q, pair), _ in self.ended[p].items():
                        note(waits, (q, pair and paired), lag)
                    continue
                apart = (min(a - b for a, b in zip(theirs, mine)) if paired
                         else self.shortest[p] - self.longest[s])
                lag = max(lag, apart)
                start = self.release[p] if paired else [max(self.release[p])] * len(mine)
                self.release[s] = [max(a, b + lag) for a, b in zip(self.release[s], start)]
                if self.large:
                    continue
                note(ended, (p, paired), 0)
                for (q, pair), _ in self.ended[p].items():
                    note(ended, (q, pair and paired), 0)
                for (q, pair), more in self.waits[p].items():
                    note(waits, (q, pair and paired), more + lag)
            for table in (waits, ended):
                for p, paired in list(table):
                    if paired and (p, False) in table and table[p, False] >= table[p, True]:
                        del table[p, True]

    def add(self, name, durations, demands):
        self.made.append({
            'id': name, 'tasks': len(durations), 'duration': durations[0], 'demands': demands,
            'durations': [{'index': i, 'duration': d} for i, d in enumerate(durations)]})

    def join(self, parent, child, paired):
        self.joined.append({'from': parent, 'to': child,
                            'type': 'one-to-one' if paired else 'barrier'})

    def pass_time(self, what, durations, demands=None):
        while True:
            name = '%s %d' % (what, self.named)
            self.named += 1
            if name not in self.number:
                break
        self.add(name, durations, demands or {})
        return name

    def known(self, demands):
        return {r: a for r, a in demands.items() if a and (self.together or r not in self.shared)}

    def add_stage(self, s):
        demands = {r: Fraction(a) for r, a in self.stages[s].get('demands', {}).items()}
        for output in self.stages[s].get('outputs', ()):
            if output.get('from') != 'end':
                r = output['resource']
                demands[r] = demands.get(r, 0) + Fraction(output['amount'])
        self.add(self.ids[s], self.duration[s], self.known(demands))

    def ways(self, maker):
        """The longest ways from the end of the maker to the start of each stage: (stage, True)
        for the task with the same index, (stage, False) for all tasks."""
        way = {}
        for s in self.order:
            for (p, paired), lag in self.waits[s].items():
                least, most = self.shortest[p] + lag, self.longest[p] + lag
                steps = []
                if p == maker:
                    steps.append((paired, lag))
                if (p, True) in way:
                    steps.append((paired, way[p, True] + least))
                if (p, False) in way:
                    steps.append((False, way[p, False] + (least if paired else most)))
                for pair, time in steps:
                    way[s, pair] = max(time, way.get((s, pair), time))
        return way

    def add_held(self, s, outputs):
        ways = None if self.large else self.ways(s)
        for output in outputs:
            readers = self.readers[s][output['id']]
            amount = Fraction(output['amount'])
            if not amount or (not readers and (output.get('keep') == 'no' or self.large)):
                continue
            way = ways
            if self.large:
                way = {(c, paired): lag for c, paired, lag, stream in readers if not stream}

            def until(v, index):
                """From the end of the maker to that of all tasks of v, or of that one."""
                if index is None:
                    return max(way[v, False] + self.longest[v] if (v, False) in way else 0,
                               way[v, True] + self.shortest[v] if (v, True) in way else 0)
                starts = [way[v, pair] for pair in (False, True) if (v, pair) in way]
                return max(starts) + self.duration[v][index] if starts else 0
            held = []
            for i in range(len(self.duration[s])):
                ends = [0]
                for c, paired, _, _ in readers:
                    ends.append(until(c, i if paired else None))
                    ends += [until(q, i if paired and pair else None) for q, pair in self.ended[c]]
                if not readers:
                    ends += [until(v, None) for v in range(len(self.stages))] if not i else held[:1]
                held.append(max(ends))
            if max(held):
                made = self.pass_time('held', held, self.known({output['resource']: amount}))
                self.join(self.ids[s], made, True)

    def most(self, name, resource, amount):
        """The most that a machine of the class ever has, or (None) that all share."""
        return max([Fraction(amount)] + [
            Fraction(change['amount']) for change in self.cluster.get('changes', ())
            if change['resource'] == resource and change.get('class', name) == name])

    def all_shared(self):
        return {r: self.most(None, r, a) for r, a in self.shared.items()}

    def machines(self):
        return [{'count': c['count'], 'capacities': {
            **{r: self.most(c['class'], r, a) for r, a in c['capacities'].items()},
            **(self.all_shared() if self.together else {})}} for c in self.cluster['classes']]

    def pool(self):
        sums = collections.defaultdict(Fraction)
        for c in self.cluster['classes']:
            for r, a in c['capacities'].items():
                sums[r] += c['count'] * self.most(c['class'], r, a)
        return [{'count': 1, 'capacities': {**sums, **self.all_shared()}}]


def check(document):
    need(document.get('format') in ('bigrocks-plan/1', 'bigrocks-bound/1'),
         'this is neither a plan nor a bound')
    certificate = document.get('certificate')
    need(certificate, 'it carries no proof')
    need(certificate.get('format') == 'bigrocks-certificate/1', 'the proof has another format')
    kind, given = certificate.get('relaxation', 'none'), document
    need(kind != 'none' or not features(document),
         'the job has outputs, shared resources, times or alternatives, which the proof does not know')
    if kind == 'ways':
        proof = Multipliers(document, certificate)
        ticks, tick = proof.bound, proof.tick
    else:
        ticks, tick = check_parts(document if kind == 'none' else {**document, **Relaxing(document, kind).document},
                                  certificate)
    bound = Fraction(ticks * tick, 10**9)
    need(bound >= Fraction(given['lower_bound']), 'the certificate proves less than the bound')
    return bound


def check_parts(document, certificate):
    """The ticks that the parts of the job prove together, and their tick."""
    job = Job(document)
    need(Fraction(certificate['tick']) * 10**9 == job.tick,
         "the tick is not the durations' common divisor")
    proofs = certificate['parts']
    need(proofs, 'there are no parts')
    for number, (part, proof) in enumerate(zip(split(job, proofs), proofs), 1):
        try:
            rounding = whole(proof.get('rounding', 1), 'a rounding')
            need(rounding > 0, 'a rounding is not above 0')
            rest = whole(proof.get('rest', 0), 'a rest')
            need(0 <= rest <= least_rest(part, rounding, proof['bound']),
                 'tasks as long as the bound may lose less by rounding')
            if rounding > 1:
                part.job = job.rounded_down(rounding)
            check_part(part, proof)
        except Refused as why:
            raise Refused('part %d: %s' % (number, why))
    return sum(proof['bound'] * proof.get('rounding', 1) + proof.get('rest', 0) for proof in proofs), job.tick


def number(text):
    """A number as it is written. What the core takes has 18 digits at most, from 10^-18 to 10^18."""
    need(len(text) < 100 and abs(int((text.lower().partition('e')[2] or '0'))) < 100,
         'a number is too long')
    return Fraction(text)


def read(path):
    """The document of a file. Python's own limit of recursion holds while it is read, so that lists
    within lists without end are refused."""
    with open(path, encoding='utf-8') as file:
        document = json.load(file, parse_float=number, parse_constant=number)
    need(isinstance(document, dict), 'it is no object')
    return document


def shown(text):
    """A text of somebody else's, fit for a line: see br_text_screen in the core."""
    return ''.join(c if c.isprintable() else '?' for c in text)


def judge(path):
    """What is to be said of a file, and the status: 0, 1 if the proof fails, 3 if it is none, 5 if
    it cannot be read, as of `bigrocks check --certificate`."""
    try:
        document = read(path)
    except OSError as fault:
        return 'cannot be read: %s' % fault.strerror, 5
    except (Refused, RecursionError, ValueError) as fault:
        return 'refused: it cannot be read as JSON (%s)' % fault, 3
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(100000)
    try:
        return 'ok: no plan takes less than %s s' % float(check(document)), 0
    except Refused as why:
        return 'refused: %s' % why, 1
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as fault:
        return 'refused: it is not in the form (%r)' % fault, 3
    finally:
        sys.setrecursionlimit(limit)


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith('-'):
        sys.exit(__doc__)
    worst = 0
    for path in sys.argv[1:]:
        words, status = judge(path)
        print(shown('%s: %s' % (path, words)))
        worst = max(worst, status)
    sys.exit(worst)


if __name__ == '__main__':
    main()
