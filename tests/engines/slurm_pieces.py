#!/usr/bin/env python3
"""Stages in pieces for Slurm: every task once and by its own index, every dependency, and the plan's order.

slurm_pieces.py BIGROCKS

The script is run with an sbatch that notes how it is called. What Slurm would make of the calls is worked out here: which
tasks there are, what each waits for, and in which order they start one at a time, where the job of the least --nice goes
first and an array goes by index. The plans are random orders of random jobs, in which every task is after its parents;
some have more pieces than there may be, some more dependencies than an argument may have bytes, one does not hold.
"""
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

BIGROCKS = pathlib.Path(sys.argv[1]).resolve()
PIECES = 500          # calls of sbatch, or as many as there are stages
LIST = 4096           # bytes of --array that Slurm takes
ARGUMENT = 128 << 10  # bytes that Linux takes

# It is a function, since a process for each call would be slow. The number is told with a cluster, as some sites have it.
SBATCH = '''sbatch() {
    read -r number <count
    number=$((number + 1))
    echo "$number" >count
    printf '%s\\n' "$@" "" >>calls
    echo "$number;here"
}
scontrol() { :; }
sinfo() { :; }
'''


class Job:
    """Stages by name with their numbers of tasks, edges (parent, child, one to one?), and the plan's order."""

    def __init__(self, stages, edges, order):
        self.stages, self.edges, self.order = stages, edges, order
        self.rank = {task: k for k, task in enumerate(order)}

    def parents(self):
        """Of every task."""
        found = {task: set() for task in self.order}
        for parent, child, pairs in self.edges:
            for i in range(self.stages[child]):
                found[child, i].update((parent, j) for j in ([i] if pairs else range(self.stages[parent])))
        return found

    def script(self, folder):
        lines = ['<job xmlns="urn:bigrocks:job:1" name="pieces">']
        lines += ['<stage id="%s" tasks="%d" duration="1"><command>run %s {index}</command></stage>' % (name, tasks, name)
                  for name, tasks in self.stages.items()]
        lines += ['<edge from="%s" to="%s"%s/>' % (parent, child, ' type="one-to-one"' * pairs)
                  for parent, child, pairs in self.edges]
        (folder / 'job.xml').write_text('\n'.join([*lines, '</job>']) + '\n')
        subprocess.run([BIGROCKS, 'plan', 'job.xml', '--machines', '1', '--capacity', 'cpu=1', '--method', 'bfs', '--no-lp', '-q',
                        '-o', 'plan.json'], cwd=folder, check=True)
        plan = json.loads((folder / 'plan.json').read_text())
        plan['makespan'] = len(self.order)
        for row in plan['tasks']:
            name, _, index = row['id'].partition('[')
            rank = self.rank[name, int(index.rstrip(']') or 0)]
            row.update(start=rank, end=rank + 1, rank=rank + 1)
        (folder / 'plan.json').write_text(json.dumps(plan))
        return subprocess.run([BIGROCKS, 'render', 'plan.json', '--format', 'slurm', '-q'], cwd=folder, check=True,
                              text=True, stdout=subprocess.PIPE).stdout


def random_order(chance, job, whole=0):
    """Tasks at random, parents first; with this probability the next one goes on where the last one stopped."""
    waits, ready, order = job.parents(), [], []
    children = {task: [] for task in waits}
    for task, parents in waits.items():
        for parent in parents:
            children[parent].append(task)
    left = {task: len(parents) for task, parents in waits.items()}
    ready = [task for task in waits if not left[task]]
    while ready:
        next = (order[-1][0], order[-1][1] + 1) if order and chance.random() < whole else None
        task = next if next in ready else chance.choice(ready)
        ready.remove(task)
        order.append(task)
        for child in children[task]:
            left[child] -= 1
            if not left[child]:
                ready.append(child)
    return order


def with_order(chance, stages, edges, whole=0):
    tasks = [(name, i) for name, n in stages.items() for i in range(n)]
    return Job(stages, edges, random_order(chance, Job(stages, edges, tasks), whole))


def random_job(chance):
    stages, edges = {}, []
    for s in range(chance.randint(1, 8)):
        name, tasks = 's%d' % s, chance.choice([1, 4, 4, 9])
        for parent in chance.sample(list(stages), min(len(stages), chance.randint(0, 2))):
            edges.append((parent, name, stages[parent] == tasks and chance.random() < 0.7))
        stages[name] = tasks
    return with_order(chance, stages, edges, chance.choice([0, 0.5, 0.9]))


class Call:
    """A call of sbatch: `indices` of its tasks (None: no array) and what it waits for."""

    def __init__(self, words):
        values = dict(word.split('=', 1) for word in words if '=' in word)
        assert all(len(word) < ARGUMENT for word in words), max(map(len, words))
        self.name, self.nice, self.command = values['--job-name'], int(values['--nice']), values['--wrap']
        self.indices, self.waits = None, []
        if '--array' in values:
            assert len(values['--array']) <= LIST
            self.indices = [i for run in values['--array'].split(',')
                            for i in range(int(run.split('-')[0]), int(run.split('-')[-1]) + 1)]
            assert self.indices == sorted(set(self.indices)), values['--array']
        if '--dependency' in values:
            assert '--kill-on-invalid-dep=yes' in words
            for part in values['--dependency'].split(','):
                how, *numbers = part.split(':')
                assert how in ('afterok', 'aftercorr') and numbers
                self.waits += [(how, int(number)) for number in numbers]

    def tasks(self):
        return [] if self.command == 'true' else [(self.name, i) for i in self.indices or [0]]


def read_calls(folder, script):
    """The calls by number, and the number that the script prints."""
    (folder / 'count').write_text('0\n')
    (folder / 'calls').write_text('')
    said = subprocess.run(['sh'], input=SBATCH + script, cwd=folder, text=True, check=True, stdout=subprocess.PIPE).stdout
    blocks = (folder / 'calls').read_text().split('\n\n')[:-1]
    calls = {k + 1: Call(block.split('\n')) for k, block in enumerate(blocks)}
    assert said.split() == [str(number) for number in calls], said
    return calls


def judge_tasks(job, calls):
    assert sorted(task for call in calls.values() for task in call.tasks()) == sorted(job.order)
    for call in calls.values():
        if call.command == 'true':
            continue
        assert (call.indices is not None) == (job.stages[call.name] > 1), call.name
        index = '0' if call.indices is None else '"$SLURM_ARRAY_TASK_ID"'
        assert call.command == 'exec run %s %s </dev/null' % (call.name, index), call.command


def judge_waits(job, calls):
    """Each task waits for its parents, and for no other task, and each call names earlier ones only."""
    cache = {}

    def of_job(number):
        """The tasks that have to end before afterok lets go; a job that only waits stands for others."""
        if number not in cache:
            call = calls[number]
            cache[number] = set(call.tasks()) or set().union(*(of_job(n) for _, n in call.waits))
        return cache[number]

    def of_index(number, index):
        """The same of aftercorr."""
        call = calls[number]
        assert call.indices and index in call.indices, (number, index)
        if call.tasks():
            return {(call.name, index)}
        return set().union(*(of_index(n, index) if how == 'aftercorr' else of_job(n) for how, n in call.waits))
    parents, whole = job.parents(), {}
    for number, call in calls.items():
        assert all(n < number for _, n in call.waits), number
        for task in call.tasks():
            barriers = whole.setdefault(number, set().union(*(of_job(n) for how, n in call.waits if how == 'afterok')))
            pairs = (of_index(n, task[1]) for how, n in call.waits if how == 'aftercorr')
            assert barriers.union(*pairs) == parents[task], task
            # One-to-one edges of arrays never wait for a whole array.
            assert all(how == 'aftercorr' or not any(parent == calls[n].name and pairs and job.stages[parent] > 1
                                                     for parent, child, pairs in job.edges if child == call.name)
                       for how, n in (call.waits if len(job.edges) < 100 else []))


def judge_order(job, calls, window):
    """The tasks as they start one at a time. `window`: those whose ranks differ by less may be the other way round."""
    nices = [call.nice for call in calls.values() if call.tasks()]
    assert nices == sorted(set(nices)), nices
    started = [task for call in calls.values() for task in call.tasks()]
    if window == 1:
        assert started == job.order, [(a, b) for a, b in zip(started, job.order) if a != b][:9]
    most = 0
    for task in started:
        rank = job.rank[task]
        assert most - rank < window, (task, most - rank)
        most = max(most, rank)


COARSE = r'^# - the order of tasks less than (\d+) places apart: there would be more than (\d+) pieces$'
WHOLE = r'^# - the order of tasks of stages that it mixes: there would be more than (\d+) pieces$'
UNORDERED = r'^# - its order, in which tasks go before their parents$'


def judge(job, folder, expected):
    """`expected`: how the stages are cut, "exact", "coarse", "whole" or "unordered"."""
    script = job.script(folder)
    calls = read_calls(folder, script)
    judge_tasks(job, calls)
    judge_waits(job, calls)
    pieces, most = sum(bool(call.tasks()) for call in calls.values()), max(PIECES, len(job.stages))
    assert pieces <= most, pieces
    coarse, whole = re.search(COARSE, script, re.M), re.search(WHOLE, script, re.M)
    kind = 'coarse' if coarse else 'whole' if whole else 'unordered' if re.search(UNORDERED, script, re.M) else 'exact'
    assert kind == expected, (kind, expected)
    if coarse:
        assert int(coarse[2]) == most
    judge_order(job, calls, int(coarse[1]) if coarse else 1 if kind == 'exact' else len(job.order))
    told = re.search(r'^# It calls sbatch (\d+) times', script, re.M)
    assert (int(told[1]) if told else len(job.stages)) == pieces, (told, pieces)
    if kind in ('whole', 'unordered'):
        assert pieces == len(job.stages)
    return pieces, calls


def test_random(folder):
    """Small jobs: the order is the plan's, whatever the edges."""
    cut = pairs = 0
    for seed in range(60):
        job = random_job(random.Random(seed))
        pieces, calls = judge(job, folder, 'exact')
        cut += pieces > len(job.stages)
        pairs += any(how == 'aftercorr' for call in calls.values() for how, _ in call.waits)
    assert cut > 20 and pairs > 20, (cut, pairs)
    return '60 jobs, %d of them cut, %d with aftercorr' % (cut, pairs)


def test_pairs(folder):
    """Stages of equal indices are cut alike: the first is planned in turn, the second by even and odd indices."""
    first = [('a', i) for i in range(12)]
    second = [('b', i) for i in range(0, 12, 2)] + [('c', 0)] + [('b', i) for i in range(1, 12, 2)]
    job = Job({'a': 12, 'b': 12, 'c': 1}, [('a', 'b', True)], first + second)
    pieces = judge(job, folder, 'exact')[0]
    assert pieces == 25, pieces  # no index of the first stage goes on in the same set
    return '%d pieces' % pieces


def test_most(folder):
    """As many pieces as there may be, and one more."""
    turns = [(name, i) for i in range(250) for name in 'ab']
    assert judge(Job({'a': 250, 'b': 250}, [], turns), folder, 'exact')[0] == PIECES
    return '500 pieces, then %d' % judge(Job({'a': 251, 'b': 250}, [], [*turns, ('a', 250)]), folder, 'coarse')[0]


def test_coarse(folder):
    """Thousands of tasks at random: windows of the order."""
    chance = random.Random(7)
    job = with_order(chance, {'a': 1500, 'b': 1500, 'c': 700, 'd': 3}, [('a', 'b', True), ('c', 'd', False)])
    return '%d tasks, %d pieces' % (len(job.order), judge(job, folder, 'coarse')[0])


def test_list(folder):
    """So many single tasks that a stage of 9000 has few pieces: their lists of indices are long."""
    stages = {'s%d' % k: 1 for k in range(482)}
    job = with_order(random.Random(8), {**stages, 'big': 9000}, [])
    pieces, calls = judge(job, folder, 'coarse')
    return '%d pieces, the longest list of %d indices' % (pieces, max(len(call.indices or []) for call in calls.values()))


def test_waits(folder):
    """More parents than an argument has room for, of both kinds of edges."""
    stages = {'p%d' % k: 2 for k in range(5100)}
    edges = [(name, 'each', True) for name in stages] + [(name, 'all', False) for name in stages]
    stages.update(each=2, all=1)
    tasks = [(name, i) for name, n in stages.items() for i in range(n)]
    random.Random(9).shuffle(tasks)
    ends = [task for task in tasks if task[0] in ('each', 'all')]
    job = Job(stages, edges, [task for task in tasks if task not in ends] + ends)
    pieces, calls = judge(job, folder, 'whole')
    joints = [call for call in calls.values() if call.command == 'true']
    assert sorted(len(call.waits) for call in joints) == [100, 100, 5000, 5000], joints
    assert sorted(call.indices or [] for call in joints) == [[], [], [0, 1], [0, 1]]
    return '%d pieces, %d jobs that wait' % (pieces, len(joints))


def test_wrong(folder):
    """A plan that does not hold: a task is before its parent. The script is right all the same."""
    job = Job({'a': 3, 'b': 3, 'c': 1}, [('a', 'b', True), ('b', 'c', False)],
              [('c', 0), ('b', 2), ('a', 0), ('a', 1), ('a', 2), ('b', 0), ('b', 1)])
    return '%d pieces' % judge(job, folder, 'unordered')[0]


def main():
    for test in (test_random, test_pairs, test_most, test_coarse, test_list, test_waits, test_wrong):
        with tempfile.TemporaryDirectory(prefix='bigrocks-slurm') as folder:
            print('%s: %s' % (test.__name__, test(pathlib.Path(folder))), flush=True)


if __name__ == '__main__':
    main()
