"""HEFT, PEFT, CPOP and list scheduling by upward rank against slow models of the published rules.

plan_baselines.py BIGROCKS FIRST COUNT

The models place tasks one after another by plain search over all starts, machines and alternatives. Random small jobs
have alternatives, classes and speeds, or one way for all tasks on equal machines; starts, alternatives and machines
have to be the same. The models also know transfers, which no plan of these methods does: with those of its example they
come to the makespans of the HEFT paper, 80 for HEFT and 86 for CPOP.
"""
import json
import os
import random
import subprocess
import sys
import tempfile
from fractions import Fraction

METHODS = ['heft', 'peft', 'cpop', 'upward-rank']
# Durations of tasks 1 to 10 on three processors, and what each link carries [Topcuoglu02].
PAPER = [(14, 16, 9), (13, 19, 18), (11, 13, 19), (13, 8, 17), (12, 13, 10), (13, 16, 9), (7, 15, 11), (5, 11, 14),
         (18, 12, 20), (21, 7, 16)]
PAPER_LINKS = {(1, 2): 18, (1, 3): 12, (1, 4): 9, (1, 5): 11, (1, 6): 14, (2, 8): 19, (2, 9): 16, (3, 7): 23,
               (4, 8): 27, (4, 9): 23, (5, 9): 13, (6, 8): 15, (7, 10): 17, (8, 10): 11, (9, 10): 13}


class Job:
    """Tasks with ways: (alternative, machine, duration in ns, cores); machines have cores."""

    def __init__(self):
        self.stages = []    # (id, tasks, [(alternative, {class}, [duration by task], cores)])
        self.links = []     # (parent stage, child stage, one to one?)
        self.classes = []   # (name, count, speed, cores)
        self.cost = {}      # ns by (parent, child) on two machines; none: 0

    def finish(self):
        self.machines = [(name, speed, cores) for name, count, speed, cores in self.classes for _ in range(count)]
        self.machine_name = [name if count == 1 else '%s[%d]' % (name, k)
                             for name, count, _, _ in self.classes for k in range(count)]
        self.tasks, self.ways = [], {}
        for s, (_, count, alternatives) in enumerate(self.stages):
            for i in range(count):
                self.tasks.append((s, i))
                self.ways[s, i] = [
                    (a, m, -(-exact.numerator // exact.denominator), cores)
                    for a, (_, classes, lasts, cores) in enumerate(alternatives)
                    for m, (cls, speed, has) in enumerate(self.machines)
                    if (not classes or cls in classes) and cores <= has
                    for exact in [Fraction(lasts[i] * 10**9) / speed]]
        self.parents = {t: [] for t in self.tasks}
        self.children = {t: [] for t in self.tasks}
        for a, b, pairs in self.links:
            for p in (t for t in self.tasks if t[0] == a):
                for c in (t for t in self.tasks if t[0] == b and (not pairs or t[1] == p[1])):
                    self.parents[c].append(p)
                    self.children[p].append(c)
        # Parents stand before their children, since links go up.
        least = {t: {} for t in self.tasks}
        for t in self.tasks:
            for _, m, lasts, _ in self.ways[t]:
                least[t][m] = min(lasts, least[t].get(m, lasts))
        self.least = least
        self.mean = {t: sum(least[t].values()) // len(least[t]) for t in self.tasks}
        self.best = {t: min(least[t].values()) for t in self.tasks}
        self.up, self.down, self.optimistic = {}, {}, {}
        for t in reversed(self.tasks):
            self.up[t] = self.mean[t] + max([self.up[c] + self.cost.get((t, c), 0) for c in self.children[t]], default=0)
            self.optimistic[t] = max([self.optimistic[c] + self.best[c] for c in self.children[t]], default=0)
        for t in self.tasks:
            self.down[t] = max([self.down[p] + self.mean[p] + self.cost.get((p, t), 0)
                                for p in self.parents[t]], default=0)

    def text(self):
        rows = ['<job xmlns="urn:bigrocks:job:1" name="j">']
        for name, count, alternatives in self.stages:
            rows.append('<stage id="%s" tasks="%d">' % (name, count))
            for a, (label, classes, lasts, cores) in enumerate(alternatives):
                rows.append('<alternative id="%s" duration="%s"%s><demand resource="cpu" amount="%d"/></alternative>' % (
                    label, float(lasts[0]), ' class="%s"' % ' '.join(sorted(classes)) if classes else '', cores))
            for i in range(1, count):
                for label, _, lasts, _ in alternatives:
                    rows.append('<task index="%d" alternative="%s" duration="%s"/>' % (i, label, float(lasts[i])))
            rows.append('</stage>')
        for a, b, pairs in self.links:
            rows.append('<edge from="%s" to="%s" type="%s"/>' % (
                self.stages[a][0], self.stages[b][0], 'one-to-one' if pairs else 'barrier'))
        return '\n'.join(rows + ['</job>'])

    def cluster(self):
        return '<cluster xmlns="urn:bigrocks:cluster:1" name="c">%s</cluster>' % ''.join(
            '<machine class="%s" count="%d" speed="%s"><capacity resource="cpu" amount="%d"/></machine>' % (
                name, count, float(speed), cores) for name, count, speed, cores in self.classes)


def fits(job, rows, machine, start, lasts, cores):
    points = {start} | {s for s, e, m, c in rows if start < s < start + lasts}
    return all(cores + sum(c for s, e, m, c in rows if m == machine and s <= p < e) <= job.machines[machine][2]
               for p in points)


def choose(job, rows, task, since, only, at_once):
    """The way by which the task ends first: (end, its place among ways, machine), start, alternative, cores."""
    first = min(range(len(job.ways[task])), key=lambda k: (job.ways[task][k][2], k))
    present = (job.ways[task][first][0], job.machines[job.ways[task][first][1]][1])
    found = []
    for k, (a, m, lasts, cores) in enumerate(job.ways[task]):
        if only is not None and m != only:
            continue
        ready = since(m)
        for start in sorted({ready} | {e for s, e, _, _ in rows if e > ready}) if not at_once else [ready]:
            if fits(job, rows, m, start, lasts, cores):
                found.append((start + lasts, (a, job.machines[m][1]) != present, k, start, a, m, cores))
                break
    return min(found) if found else None


def model(job, method):
    """Start, machine and alternative by task."""
    key = {'heft': job.up, 'upward-rank': job.up, 'peft': job.optimistic,
           'cpop': {t: job.up[t] + job.down[t] for t in job.tasks}}[method]
    order = {t: (-key[t], k) for k, t in enumerate(job.tasks)}
    only = {}
    if method == 'cpop':
        longest, path = max(key.values()), []
        for t in job.tasks:
            if key[t] == longest and (t in job.children[path[-1]] if path else not job.parents[t]):
                path.append(t)
        machine = min(range(len(job.machines)), key=lambda m: (
            -sum(m in job.least[t] for t in path), sum(job.least[t].get(m, 0) for t in path), m))
        only = {t: machine for t in path}
    rows, out, now = [], {}, 0
    while len(out) < len(job.tasks):
        ready = sorted((t for t in job.tasks if t not in out and all(p in out for p in job.parents[t])), key=order.get)
        for t in ready:
            def since(m):
                return max([out[p][3] + job.cost.get((p, t), 0) * (out[p][1] != m) for p in job.parents[t]], default=0)

            if method == 'upward-rank':
                found = choose(job, rows, t, lambda m: now, None, True) if since(None) <= now else None
            else:
                found = choose(job, rows, t, since, only.get(t), False) or choose(job, rows, t, since, None, False)
            if found:
                end, _, _, start, alternative, machine, cores = found
                out[t] = (start, machine, alternative, end)
                rows.append((start, end, machine, cores))
                break
        else:
            now = min(e for _, e, _, _ in rows if e > now)
    return out


def paper():
    job = Job()
    job.classes = [('P%d' % (m + 1), 1, 1, 1) for m in range(3)]
    job.stages = [('T%d' % (k + 1), 1, [('p%d' % (m + 1), {'P%d' % (m + 1)}, [row[m]], 1) for m in range(3)])
                  for k, row in enumerate(PAPER)]
    job.links = [(a - 1, b - 1, False) for a, b in PAPER_LINKS]
    return job


def draw_job(seed):
    draw = random.Random(seed)
    job = Job()
    plain = seed % 4 == 0
    for k in range(1 if plain else draw.randint(1, 3)):
        job.classes.append(('c%d' % k, draw.randint(1, 2), 1 if plain else draw.choice([1, 2, Fraction('0.5')]),
                            draw.randint(1, 3)))
    widest = max(cores for *_, cores in job.classes)
    names = [name for name, *_ in job.classes]

    def lasts(count):
        return [Fraction(draw.randint(0 if draw.random() < 0.1 else 1000, 99999), 1000) for _ in range(count)]

    for k in range(draw.randint(1, 5)):
        count = draw.randint(1, 3)
        alternatives = [('a', None, lasts(count), draw.randint(1, min(2, widest)))]
        for a in range(0 if plain else draw.randint(0, 2)):
            name = draw.choice(names)
            most = next(cores for n, _, _, cores in job.classes if n == name)
            alternatives.append(('bc'[a], {name}, lasts(count), draw.randint(1, most)))
        for before in range(k):
            if draw.random() < 0.4:
                job.links.append((before, k, draw.random() < 0.5 and job.stages[before][1] == count))
        job.stages.append(('s%d' % k, count, alternatives))
    return job


def planned(bigrocks, job, method):
    with open('job.xml', 'w') as file:
        file.write(job.text())
    with open('cluster.xml', 'w') as file:
        file.write(job.cluster())
    done = subprocess.run([bigrocks, 'plan', 'job.xml', '--cluster', 'cluster.xml', '-m', method, '--format', 'json'],
                          capture_output=True, text=True)
    if done.returncode:
        raise SystemExit('%s: %s' % (method, done.stderr))
    return json.loads(done.stdout, parse_float=str, parse_int=str)


def check_models():
    job = paper()
    job.cost = {((a - 1, 0), (b - 1, 0)): cost * 10**9 for (a, b), cost in PAPER_LINKS.items()}
    job.finish()
    for method, least in ('heft', 80), ('cpop', 86):
        if max(end for *_, end in model(job, method).values()) != least * 10**9:
            raise SystemExit('the model of %s does not come to %d' % (method, least))


def check_plans(bigrocks, first, count):
    for seed in range(first - 1, first + count):
        job = paper() if seed == first - 1 else draw_job(seed)
        job.finish()
        for method in METHODS:
            plan = planned(bigrocks, job, method)
            slow = model(job, method)
            labels = {name: [a[0] for a in alternatives] for name, _, alternatives in job.stages}
            told = {}
            for task in plan['tasks']:
                told[task['id']] = (round(Fraction(task['start']) * 10**9), task['machine'], task.get('alternative'))
            for (s, i), (start, machine, alternative, _) in slow.items():
                name, tasks, _ = job.stages[s]
                row = told[name if tasks == 1 else '%s[%d]' % (name, i)]
                if row != (start, job.machine_name[machine], labels[name][alternative]):
                    raise SystemExit('seed %d, %s: %s[%d] is at %s, not %s' % (
                        seed, method, name, i, row, (start, job.machine_name[machine], labels[name][alternative])))


def main():
    bigrocks, first, count = os.path.abspath(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    count = max(20, count * min(100, int(os.environ.get('BIGROCKS_TEST_SHARE') or 100)) // 100)
    check_models()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        check_plans(bigrocks, first, count)
        os.chdir('/')


if __name__ == '__main__':
    main()
