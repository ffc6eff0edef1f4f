"""The methods of planning once more: slow, plain, and from their descriptions alone.

Takes the job and the cluster that a plan in JSON carries with it, and says where every method puts
every task. Nothing is indexed, batched or undone: at every step all tasks and all machines are
looked at. Sources: parallel and serial schedule generation [Kolisch96], best fit and packing
[Grandl14], labels [Coffman72], troublesome tasks first [Grandl16, 4]; docs/search.md has what
differs. Scores are floating point as in the program, so that equal values are equal in both;
whether something fits is decided in whole numbers.
"""
import functools
import math
from fractions import Fraction

MASK = (1 << 64) - 1


class Job:
    """All in whole numbers: ticks, and units of each resource."""

    def __init__(self, plan):
        stages = plan['stages']
        self.resources = [r['name'] for r in plan['resources']
                          if any(Fraction(s['demands'].get(r['name'], 0)) for s in stages)]
        self.names = [s['id'] for s in stages]
        number = {name: s for s, name in enumerate(self.names)}
        self.count = [int(s['tasks']) for s in stages]
        self.first, self.stage_of, durations = [], [], []
        for s, stage in enumerate(stages):
            self.first.append(len(durations))
            own = {int(d['index']): Fraction(d['duration']) for d in stage.get('durations', [])}
            for i in range(self.count[s]):
                durations.append(own.get(i, Fraction(stage['duration'])))
                self.stage_of.append(s)
        in_ns = [int(d * 10**9) for d in durations]
        self.tick = functools.reduce(math.gcd, in_ns, 0) or 1
        self.duration = [d // self.tick for d in in_ns]
        self.tasks = range(len(in_ns))

        classes = plan['cluster']['classes']
        self.machine_name, self.class_of = [], []
        for c, one in enumerate(classes):
            for k in range(int(one['count'])):
                self.machine_name.append(one['class'] if int(one['count']) == 1 else f'{one["class"]}[{k}]')
                self.class_of.append(c)
        self.machines = range(len(self.class_of))
        demand = [[Fraction(s['demands'].get(r, 0)) for r in self.resources] for s in stages]
        capacity = [[Fraction(c['capacities'].get(r, 0)) for r in self.resources] for c in classes]
        # One power of ten a resource, the least that makes all its amounts whole.
        scale = []
        for r in range(len(self.resources)):
            amounts = [row[r] for row in demand + capacity if row[r]]
            power = Fraction(1)
            while any((a * power).denominator != 1 for a in amounts):
                power *= 10
            while amounts and all((a * power / 10).denominator == 1 for a in amounts):
                power /= 10
            scale.append(power)
        self.demand = [[int(a * f) for a, f in zip(row, scale)] for row in demand]
        self.capacity = [[int(a * f) for a, f in zip(row, scale)] for row in capacity]
        self.total = [sum(self.capacity[c][r] for c in self.class_of) for r in range(len(self.resources))]

        self.arcs = set()  # (parent, child, one to one) of stages
        for edge in plan['edges']:
            a, b = number[edge['from']], number[edge['to']]
            self.arcs.add((a, b, edge['type'] == 'one-to-one' and self.count[a] > 1))
        self.topological = self.sort(range(len(stages)))

    def sort(self, stages):
        """Parents first; of several the lowest number."""
        left, out = set(stages), []
        while left:
            free = min(s for s in left if not any(b == s and a in left for a, b, _ in self.arcs))
            out.append(free)
            left.remove(free)
        return out

    def tasks_of(self, stage):
        return range(self.first[stage], self.first[stage] + self.count[stage])

    def task_name(self, t):
        s = self.stage_of[t]
        return self.names[s] if self.count[s] == 1 else f'{self.names[s]}[{t - self.first[s]}]'

    def parts(self):
        """Lists of stages: between two of them everything before ends before anything after starts."""
        below = {s: set() for s in self.topological}  # strict ancestors
        for s in self.topological:
            for a, b, _ in self.arcs:
                if b == s:
                    below[s] |= below[a] | {a}
        last = self.topological
        cuts = []
        for k in range(1, len(last)):
            before = last[:k]
            if all(self.follows_all(s, before, below) for s in last[k:]):
                cuts.append(k)
        return [sorted(last[a:b]) for a, b in zip([0] + cuts, cuts + [len(last)])]

    def follows_all(self, stage, before, below):
        """Has every task of the stage every task of those before it among its ancestors?"""
        if not set(before) <= below[stage]:
            return False
        tasks = {t for s in before for t in self.tasks_of(s)}
        return all(tasks <= self.ancestors()[t] for t in self.tasks_of(stage))

    @functools.lru_cache(maxsize=None)
    def ancestors(self):
        out = {}
        for s in self.topological:
            for t in self.tasks_of(s):
                out[t] = set()
                for p in self.parents(t):
                    out[t] |= out[p] | {p}
        return out

    @functools.lru_cache(maxsize=None)
    def parents(self, t):
        s = self.stage_of[t]
        out = []
        for a, b, one in sorted(self.arcs):
            if b == s:
                out += [self.first[a] + t - self.first[s]] if one else list(self.tasks_of(a))
        return out

    @functools.lru_cache(maxsize=None)
    def children(self, t):
        return [c for c in self.tasks if t in self.parents(c)]

    def slack(self, stage, machine, free):
        """Dot product of demand and free room as shares of the machine."""
        total = 0.0
        for d, f, c in zip(self.demand[stage], free, self.capacity[self.class_of[machine]]):
            total += float(d) * float(f) * (1 / (float(c) * float(c)) if c else 0)
        return total

    def holder(self, stage):
        """The first machine that could hold it at all: for what takes no time."""
        return next(m for m in self.machines
                    if all(d <= c for d, c in zip(self.demand[stage], self.capacity[self.class_of[m]])))


class Part:
    """The stages between two cuts; what is asked about them stays inside."""

    def __init__(self, job, stages):
        self.job, self.stages = job, stages
        self.topological = [s for s in job.topological if s in stages]
        self.tasks = [t for s in stages for t in job.tasks_of(s)]
        inside = set(self.tasks)
        self.parents = {t: [p for p in job.parents(t) if p in inside] for t in self.tasks}
        self.children = {t: [c for c in job.children(t) if c in inside] for t in self.tasks}
        self.arcs = {(a, b) for a, b, _ in job.arcs if a in stages and b in stages}
        self.head, self.tail = {}, {}
        for s in self.topological:
            for t in job.tasks_of(s):
                self.head[t] = max((self.head[p] + job.duration[p] for p in self.parents[t]), default=0)
        for s in reversed(self.topological):
            for t in job.tasks_of(s):
                self.tail[t] = max((self.tail[c] + job.duration[c] for c in self.children[t]), default=0)

    def depths(self):
        depth = {}
        for s in self.topological:
            depth[s] = max((depth[a] + 1 for a, b in self.arcs if b == s), default=0)
        return depth


# ---- Orders: rank by task, the least first ----

def by_keys(part, key):
    """Larger keys first, then the lower task."""
    order = sorted(part.tasks, key=lambda t: ([-k for k in key(t)], t))
    return {t: k for k, t in enumerate(order)}


def by_stages(part, stages):
    return {t: k for k, t in enumerate(t for s in stages for t in part.job.tasks_of(s))}


def order_cp(part, _seed):
    return by_keys(part, lambda t: (part.tail[t] + part.job.duration[t], part.job.duration[t]))


def order_lft(part, _seed):
    return by_keys(part, lambda t: (part.tail[t], part.job.duration[t]))


def order_bfs(part, _seed):
    depth = part.depths()
    return by_stages(part, sorted(part.stages, key=lambda s: (depth[s], part.topological.index(s))))


def order_dfs(part, _seed):
    """A stack: what a stage makes ready goes on top, the lowest number uppermost."""
    waiting = {s: sum(b == s for _, b in part.arcs) for s in part.stages}
    stack = [s for s in sorted(part.stages, reverse=True) if not waiting[s]]
    out = []
    while stack:
        s = stack.pop()
        out.append(s)
        for b in sorted((b for a, b in part.arcs if a == s), reverse=True):
            waiting[b] -= 1
            if not waiting[b]:
                stack.append(b)
    return by_stages(part, out)


def order_coffman_graham(part, _seed):
    label = {}
    while len(label) < len(part.stages):
        free = [s for s in part.stages if s not in label and
                all(b in label for a, b in part.arcs if a == s)]
        least = min(free, key=lambda s: (sorted((label[b] for a, b in part.arcs if a == s), reverse=True), -s))
        label[least] = len(label)
    return by_stages(part, sorted(part.stages, key=lambda s: -label[s]))


def order_random(part, seed):
    """splitmix64 [Steele14]."""
    state, key = seed & MASK, {}
    for t in part.tasks:
        state = (state + 0x9e3779b97f4a7c15) & MASK
        z = state
        z = ((z ^ (z >> 30)) * 0xbf58476d1ce4e5b9) & MASK
        z = ((z ^ (z >> 27)) * 0x94d049bb133111eb) & MASK
        key[t] = (z ^ (z >> 31)) >> 1
    return by_keys(part, lambda t: (key[t],))


# ---- Parallel generation ----

def dispatch(part, rank, packing):
    """From event to event whatever is ready and fits starts: the first of the order on the machine that
    it fits best, or by packing the pair with the largest product. A stage offers its first ready
    task only, which need not fit anywhere where it takes no time."""
    job = part.job
    free = [list(job.capacity[job.class_of[m]]) for m in job.machines]
    start, machine, ended, running, now = {}, {}, set(), [], 0
    while len(start) < len(part.tasks) or running:
        while True:
            heads = {}
            for t in sorted(part.tasks, key=rank.get):
                if t not in start and all(p in ended for p in part.parents[t]):
                    heads.setdefault(job.stage_of[t], t)
            offers = []
            for s, t in heads.items():
                if job.duration[t] == 0:
                    offers.append(((-math.inf if packing else rank[t], rank[t], 0, 0), t, job.holder(s)))
                    continue
                for m in job.machines:
                    if all(d <= f for d, f in zip(job.demand[s], free[m])):
                        slack = job.slack(s, m, free[m])
                        key = (-slack, rank[t], m, 0) if packing else (rank[t], slack, m, 0)
                        offers.append((key, t, m))
            if not offers:
                break
            _, t, m = min(offers)
            start[t], machine[t] = now, m
            if job.duration[t]:
                free[m] = [f - d for f, d in zip(free[m], job.demand[job.stage_of[t]])]
            running.append((now + job.duration[t], t))
        now = min(running)[0]
        for end, t in running:
            if end == now:
                ended.add(t)
                if job.duration[t]:
                    m = machine[t]
                    free[m] = [f + d for f, d in zip(free[m], job.demand[job.stage_of[t]])]
        running = [r for r in running if r[0] != now]
    return start, machine


# ---- A space of machines and time, in both directions ----

class Space:
    def __init__(self, job):
        self.job = job
        self.placed = []  # (start, end, machine, stage)

    def free(self, machine, time):
        free = list(self.job.capacity[self.job.class_of[machine]])
        for begin, end, m, s in self.placed:
            if m == machine and begin <= time < end:
                free = [f - d for f, d in zip(free, self.job.demand[s])]
        return free

    def holds(self, machine, stage, begin, end):
        times = [begin] + [b for b, _, m, _ in self.placed if m == machine and begin < b < end]
        return all(all(d <= f for d, f in zip(self.job.demand[stage], self.free(machine, at)))
                   for at in times)

    def find(self, forward, stage, duration, bound):
        """The earliest start from the bound on, or the latest end up to it; of machines that offer the
        same time the one that it fits best there."""
        if duration == 0:
            return bound, self.job.holder(stage)
        best = None
        for m in self.job.machines:
            if any(d > c for d, c in zip(self.job.demand[stage], self.job.capacity[self.job.class_of[m]])):
                continue
            if forward:
                times = sorted([bound] + [e for _, e, n, _ in self.placed if n == m and e > bound])
                begin = next(t for t in times if self.holds(m, stage, t, t + duration))
                key = (begin, self.job.slack(stage, m, self.free(m, begin)), m)
            else:
                times = sorted([bound] + [b for b, _, n, _ in self.placed if n == m and b < bound], reverse=True)
                end = next(t for t in times if self.holds(m, stage, t - duration, t))
                # Best fit looks at the time nearest to the bound.
                key = (-end, self.job.slack(stage, m, self.free(m, end - 1)), m)
                begin = end - duration
            if best is None or key < best[0]:
                best = key, begin, m
        return best[1], best[2]

    def put(self, stage, begin, duration, machine):
        self.placed.append((begin, begin + duration, machine, stage))

    def begin(self):
        return min((b for b, _, _, _ in self.placed), default=0)

    def end(self):
        return max((e for _, e, _, _ in self.placed), default=0)


def strip(part):
    """Divides the unlimited schedule in the middle; what runs across it is packed after the first half
    and before the second, the longest first."""
    job, space = part.job, Space(part.job)
    start, machine, floor = {}, {}, 0

    def pack(tasks):
        nonlocal floor
        end = floor
        for t in sorted(tasks, key=lambda t: (-job.duration[t], t)):
            s = job.stage_of[t]
            start[t], machine[t] = space.find(True, s, job.duration[t], floor)
            space.put(s, start[t], job.duration[t], machine[t])
            end = max(end, start[t] + job.duration[t])
        floor = end

    def divide(tasks, low, high):
        if not tasks:
            return
        if low >= high:
            pack(tasks)
            return
        middle = low + (high - low) // 2
        before = [t for t in tasks if part.head[t] + job.duration[t] <= middle]
        across = [t for t in tasks if part.head[t] <= middle < part.head[t] + job.duration[t]]
        after = [t for t in tasks if t not in before and t not in across]
        divide(before, low, middle)
        pack(across)
        divide(after, middle + 1, high)

    divide(part.tasks, 0, max(part.head[t] + job.duration[t] for t in part.tasks))
    return start, machine


# ---- Troublesome tasks first ----

def exec_time(job, stage):
    """The stage alone on the empty cluster: the longest task on the place that is free first."""
    places = 0
    for m in job.machines:
        capacity = job.capacity[job.class_of[m]]
        places += min((c // d for c, d in zip(capacity, job.demand[stage]) if d), default=job.count[stage])
    busy = [0] * min(places, job.count[stage])
    for d in sorted((job.duration[t] for t in job.tasks_of(stage)), reverse=True):
        k = busy.index(min(busy))
        busy[k] += d
    return max(busy)


def frag_score(job, stage, paper):
    durations = [job.duration[t] for t in job.tasks_of(stage)]
    work = max((float(d) * float(sum(durations)) / float(total)
                for d, total in zip(job.demand[stage], job.total)), default=0.0)
    if not paper:
        work = max(work, float(max(durations)))
    time = exec_time(job, stage)
    return work / float(time) if time else 1.0


def thin(values, limit):
    if limit == 0 or len(values) <= limit:
        return values
    if limit == 1:
        return values[:1]
    return [values[k * (len(values) - 1) // (limit - 1)] for k in range(limit)]


def letters(part, chosen):
    """T with all that lies between two of it; P before it, C after it, S the rest."""
    above, below = {}, {}
    for s in part.topological:
        for t in part.job.tasks_of(s):
            above[t] = any(p in chosen or above[p] for p in part.parents[t])
    for s in reversed(part.topological):
        for t in part.job.tasks_of(s):
            below[t] = any(c in chosen or below[c] for c in part.children[t])
    return {t: 'T' if t in chosen or above[t] and below[t] else 'P' if below[t] else 'C' if above[t] else 'S'
            for t in part.tasks}


ORDERS = [f'T{t} {rest}' for t in '><' for rest in
          ('S> C> P<', 'S> P< C>', 'S< C> P<', 'S< P< C>', 'C> S< P<', 'P< S> C>')]


def place(part, letter, order, rank):
    """One variant: subset after subset into one space."""
    job, space = part.job, Space(part.job)
    start, machine = {}, {}
    for subset, arrow in (tuple(word) for word in order.split()):
        forward = arrow == '>'
        before = part.parents if forward else part.children
        while True:
            ready = [t for t in part.tasks if letter[t] == subset and t not in start and
                     all(p in start for p in before[t] if letter[p] == subset)]
            if not ready:
                break
            t = min(ready, key=rank[forward].get)
            s, d = job.stage_of[t], job.duration[t]
            edges = [start[p] + (job.duration[p] if forward else 0) for p in before[t] if p in start]
            if forward:
                bound = max(edges) if edges else space.begin()
            else:
                bound = min(edges) if edges else space.end()
            start[t], machine[t] = space.find(forward, s, d, bound)
            space.put(s, start[t], d, machine[t])
    begin = space.begin()
    return {t: start[t] - begin for t in start}, machine


def share(job, stage):
    """The largest share of the cluster that one task holds, in 2^-32."""
    return max(((d << 32) // total for d, total in zip(job.demand[stage], job.total)), default=0)


def graphene(part, paper, lower_bound, limit, most=1.0):
    """The best over all distinct sets T and all orders; at the lower bound the first."""
    job = part.job
    rank = {True: by_keys(part, lambda t: (job.duration[t], part.tail[t], share(job, job.stage_of[t]))),
            False: by_keys(part, lambda t: (job.duration[t], part.head[t], share(job, job.stage_of[t])))}
    score = {s: frag_score(job, s, paper) for s in part.stages}
    longs = thin(sorted({job.duration[t] for t in part.tasks}, reverse=True), limit)
    frags = thin(sorted(set(score.values())), limit)
    work = {s: float(share(job, s)) if job.resources else 1.0 for s in part.stages}
    amount = {t: work[job.stage_of[t]] * job.duration[t] for t in part.tasks}
    told = dict(pairs=0, distinct=0, duplicate=0, pruned=0, variants=0)
    sets, best = {}, None
    for l in [None] + longs:
        for f in [None] + frags:
            told['pairs'] += 1
            chosen = {t for t in part.tasks if (l is not None and job.duration[t] >= l) or
                      (f is not None and score[job.stage_of[t]] <= f)}
            letter = letters(part, chosen)
            trouble = frozenset(t for t in part.tasks if letter[t] == 'T')
            if len(trouble) == len(part.tasks) or trouble in sets:
                told['duplicate'] += 1
            elif sum(amount[t] for t in trouble) > most * sum(amount.values()):
                told['pruned'] += 1
            else:
                sets[trouble] = letters(part, trouble), l, f
    told['distinct'] = len(sets)
    for letter, l, f in sets.values():
        seen = set()
        for order in ORDERS:
            order = ' '.join(w for w in order.split() if w[0] in letter.values())
            if order in seen:
                continue
            seen.add(order)
            told['variants'] += 1
            start, machine = place(part, letter, order, rank)
            ends = [start[t] + job.duration[t] for t in part.tasks]
            key = max(ends), sum(ends)
            if best is None or (key < best[0] and best[0][0] > lower_bound):
                best = key, start, machine, letter, l, f
        if best[0][0] <= lower_bound:
            break
    _, start, machine, letter, l, f = best
    longest = max(job.duration[t] for t in part.tasks)
    told['long_score'] = None if l is None or not longest else l / longest
    told['frag_score'] = f
    told['subsets'] = {x: sum(v == x for v in letter.values()) for x in 'TSPC'}
    return start, machine, letter, told


BASELINES = {'cp': order_cp, 'bfs': order_bfs, 'dfs': order_dfs, 'lft': order_lft, 'packing': order_bfs,
             'coffman-graham': order_coffman_graham, 'random': order_random}
METHODS = list(BASELINES) + ['strip-part', 'graphene']


def model(plan, method, seed=1, paper=False, limit=16, most=1.0):
    """Start in ns, machine and subset by the name of the task, and what graphene tells of every part."""
    job = Job(plan)
    out, told, offset = {}, [], 0
    for number, stages in enumerate(job.parts()):
        part = Part(job, stages)
        letter = dict.fromkeys(part.tasks, 'S')
        if method == 'graphene':
            bound = round(Fraction(plan['parts'][number]['lower_bound']) * 10**9) // job.tick
            start, machine, letter, facts = graphene(part, paper, bound, limit, most)
            told.append(facts)
        elif method == 'strip-part':
            start, machine = strip(part)
        else:
            start, machine = dispatch(part, BASELINES[method](part, seed), method == 'packing')
        for t in part.tasks:
            out[job.task_name(t)] = ((offset + start[t]) * job.tick, job.machine_name[machine[t]], letter[t])
        offset += max(start[t] + job.duration[t] for t in part.tasks)
    return out, told, offset * job.tick
