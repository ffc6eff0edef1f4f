"""A job of 40 tasks and three resources, and what a run of it by an engine kept of its plan.

Every task writes a line when it begins and when it ends, in one file; all that is said of a run is
counted there: tasks, edges kept, pairs of tasks that started against the plan's order, and the most
of every resource that was taken at once.
"""
import json
import subprocess

# Name, duration of each task in seconds, cores, memory in MiB, network, and what it waits for: all
# tasks of a stage, or with an equals sign the one with the same index. Neither the names nor the
# indices nor the stages are in an order that a good plan has.
STAGES = [
    ('fetch', [2], 1, 256, 6, []),
    ('left', [1, 5, 2, 4, 3, 6], 1, 512, 1, ['fetch']),
    ('right', [7, 2, 8, 3, 5, 4], 2, 256, 0, ['fetch']),
    ('lmap', [3, 1, 6, 2, 5, 4], 1, 1024, 2, ['=left']),
    ('rmap', [2, 6, 1, 5, 3, 4], 1, 128, 4, ['=right']),
    ('mix', [9, 3, 6, 2], 2, 384, 3, ['lmap']),
    ('a-side', [30], 1, 640, 0, []),
    ('pick', [2, 9, 4], 3, 320, 5, ['a-side']),
    ('join', [4, 8, 2, 6, 3], 1, 768, 2, ['mix', 'rmap']),
    ('z', [25], 1, 128, 7, ['pick']),
    ('end', [3], 4, 64, 0, ['join', 'pick']),
]
CAPACITY = {'cpu': 6, 'mem': 3072, 'net': 12}
TASKS = {name: len(durations) for name, durations, *_ in STAGES}
NEED = {name: {'cpu': cpu, 'mem': mem, 'net': net} for name, _, cpu, mem, net, _ in STAGES}

NOTE = '''echo "begin $1 $2" >> '%(folder)s/log'
case "$1 $2" in %(cases)s esac
echo "end $1 $2" >> '%(folder)s/log'
'''


def run(*command, **options):
    """The output of the command, which has to end well."""
    done = subprocess.run(list(map(str, command)), text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=100, **options)
    assert done.returncode == 0, '%s: %d\n%s' % (command, done.returncode, done.stdout)
    return done.stdout


def edges():
    """All pairs of tasks of which the second waits for the first, as (stage, index)."""
    for child, durations, _, _, _, parents in STAGES:
        for parent in parents:
            for i in range(len(durations)):
                if parent[0] == '=':
                    yield (parent[1:], i), (child, i)
                else:
                    yield from (((parent, j), (child, i)) for j in range(TASKS[parent]))


EDGES = list(edges())


def alike(seconds):
    return lambda name, index: seconds


def _rising(name, index):
    return 0.05 + 0.06 * index + 0.5 * (name in ('rmap', 'pick'))


def _falling(name, index):
    return 0.05 + 0.06 * (TASKS[name] - 1 - index) + 0.5 * (name in ('mix', 'join'))


# Two runs in which all is started as soon as it may be. An edge that is not kept shows where its
# parent ends last: once the last task of every stage does so, and once the first; once the one of two
# stages that a stage waits for, and once the other.
UNEVEN = (_rising, _falling)


def write_note(folder, seconds):
    """The script that all tasks run: each takes so long."""
    cases = ' '.join('"%s %d") sleep %.2f;;' % (name, i, seconds(name, i))
                     for name, tasks in TASKS.items() for i in range(tasks))
    (folder / 'note').write_text(NOTE % {'folder': folder, 'cases': cases})


def write_job(folder):
    lines = ['<job xmlns="urn:bigrocks:job:1" name="forty">',
             '<resource name="mem" unit="bytes"/>']
    for name, durations, cpu, mem, net, parents in STAGES:
        lines.append('<stage id="%s" tasks="%d" duration="1">' % (name, len(durations)))
        lines += ['<demand resource="%s" amount="%d"/>' % (resource, amount) for resource, amount in
                  (('cpu', cpu), ('mem', mem << 20), ('net', net))]
        lines += ['<task index="%d" duration="%d"/>' % row for row in enumerate(durations)]
        lines.append('<command>sh %s/note %s {index}</command></stage>' % (folder, name))
    lines += ['<edge from="%s" to="%s"%s/>' % (parent.lstrip('='), child,
                                               ' type="one-to-one"' * (parent[0] == '='))
              for child, _, _, _, _, parents in STAGES for parent in parents]
    (folder / 'job.xml').write_text('\n'.join([*lines, '</job>']) + '\n')


def plan(bigrocks, folder, capacity=None):
    """The job's plan, rank by task."""
    write_job(folder)
    write_note(folder, alike(0.02))
    subprocess.run([bigrocks, 'plan', folder / 'job.xml', '--machines', '1', '--capacity',
                    'cpu=%(cpu)d,mem=%(mem)dMiB,net=%(net)d' % (capacity or CAPACITY), '--method', 'cp', '--no-lp',
                    '-q', '-o', folder / 'plan.json'], check=True)
    rank = {}
    for row in json.loads((folder / 'plan.json').read_text())['tasks']:
        name, _, index = row['id'].partition('[')
        rank[name, int(index.rstrip(']') or 0)] = row['rank']
    assert sorted(rank.values()) == list(range(1, 41)), rank
    return rank


def render(bigrocks, folder, engine):
    file = folder / ('file.' + engine)
    subprocess.run([bigrocks, 'render', folder / 'plan.json', '--format', engine, '-o', file],
                   check=True)
    return file


def read_log(folder):
    """The events, in their order: (begins, task). The log is gone then, for another run."""
    lines = [line.split() for line in (folder / 'log').read_text().splitlines()]
    (folder / 'log').unlink()
    return [(what == 'begin', (name, int(index))) for what, name, index in lines]


class Run:
    """The findings from a log: `order` of starts, whether all tasks ran once, and counts."""

    def __init__(self, events):
        self.order = [task for begins, task in events if begins]
        began = {task: k for k, (begins, task) in enumerate(events) if begins}
        ended = {task: k for k, (begins, task) in enumerate(events) if not begins}
        self.once = len(events) == 80 and len(began) == len(ended) == 40
        self.broken = [(p, c) for p, c in EDGES
                       if not (p in ended and c in began and ended[p] < began[c])]
        self.peak, now = {'tasks': 0, **dict.fromkeys(CAPACITY, 0)}, {}
        for begins, (name, _) in events:
            for what, amount in (('tasks', 1), *NEED[name].items()):
                now[what] = now.get(what, 0) + (amount if begins else -amount)
                self.peak[what] = max(self.peak[what], now[what])

    def out_of_order(self, rank):
        """Pairs of the 780 that started the other way round than the plan has them."""
        ranks = [rank[task] for task in self.order]
        return sum(b < a for k, a in enumerate(ranks) for b in ranks[k + 1:])

    def passed_over(self, key):
        """Of a run of one task at a time: how often a task started while another one was ready that
        `key` puts before it."""
        waits = {task: {p for p, c in EDGES if c == task} for task in self.order}
        done, count = set(), 0
        for task in self.order:
            count += any(key(other) < key(task) for other in self.order
                         if other not in done and waits[other] <= done)
            done.add(task)
        return count

    def within(self, *resources):
        return all(self.peak[r] <= CAPACITY[r] for r in resources)

    def __str__(self):
        return '%d of %d edges kept, most at once: %s' % (len(EDGES) - len(self.broken), len(EDGES), ', '.join(
            '%d of %s %s' % (n, CAPACITY.get(what, 40), what) for what, n in self.peak.items()))


LOOKS = []  # all that was looked at: what, the run, pairs out of order


def heaviest(tasks, apart, need):
    """The most that tasks take together of which all pairs are in `apart`."""
    best = 0

    def go(weight, rest):
        nonlocal best
        best = max(best, weight)
        for k, task in enumerate(rest):
            if weight + sum(need[t] for t in rest[k:]) <= best:
                return
            go(weight + need[task], [t for t in rest[k + 1:] if t in apart[task]])
    go(0, sorted(tasks, key=need.get, reverse=True))
    return best


def judge_room(chains):
    """`chains` are pairs of tasks of which the second waits for the end of the first, besides the job's
    edges. Whichever tasks neither of which waits for the other, even through others, run at once,
    they fit the machine. Of the job's edges alone this does not hold, for any resource."""
    tasks = [(name, i) for name, n in TASKS.items() for i in range(n)]

    def most(edges, resource):
        after = {task: {c for p, c in edges if p == task} for task in tasks}
        whole = {}

        def reach(task):
            if task not in whole:
                whole[task] = after[task].union(*map(reach, after[task]))
            return whole[task]
        apart = {task: {t for t in tasks if t != task and t not in reach(task) and task not in reach(t)}
                 for task in tasks}
        return heaviest(tasks, apart, {task: NEED[task[0]][resource] for task in tasks})
    assert not set(chains) & set(EDGES), 'a parent needs no chain'
    for resource, limit in CAPACITY.items():
        kept = most([*EDGES, *chains], resource)
        print('at worst %d of %d %s, with %d chains' % (kept, limit, resource, len(chains)), flush=True)
        assert kept <= limit < most(EDGES, resource), (resource, kept)


def look(what, folder, rank):
    """The run that has just been made: complete, and no edge broken."""
    kept = Run(read_log(folder))
    LOOKS.append((what, kept, kept.out_of_order(rank)))
    print('%s: %s; %d of 780 pairs out of order' % (what, kept, LOOKS[-1][2]), flush=True)
    assert kept.once and not kept.broken, (what, kept.broken)
    return kept
