#!/usr/bin/env python3
"""`bigrocks import snakemake` and the scheduler plugin with the real Snakemake.

check_snakemake.py BIGROCKS

What is imported is held against the workflow's own text and against the records that Snakemake keeps of its runs,
read here apart. Jobs write when they begin and end, so that the order of starts and the most that was taken are
counted.
"""
import base64
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

import python_tools

BIGROCKS = pathlib.Path(sys.argv[1]).resolve()
SNAKEMAKE = python_tools.program('snakemake')
SPACE = '{urn:bigrocks:job:1}'

# A front of eight, chains of two on it, pairs by wildcards of two names, and one that joins. What the jobs demand and
# last stands in tables, which the test reads as well.
TABLES = '''
PARTS = list('hgfedcba')
THREADS = {'front': 1, 'middle': 2, 'back': 1, 'pairs': 3, 'join': 6}
MEMORY = {'front': 100, 'middle': 250, 'back': 40, 'pairs': 900, 'join': 0}
LASTS = {part: 1 + (7 * k) % 8 for k, part in enumerate(PARTS)}
'''
SNAKEFILE = TABLES + '''
def note(name):
    return "echo begin %s >> log; " % name + "%s; echo end " + name + " >> log"
rule all:
    input: "join.txt", expand("pairs/{a}-{b}.txt", a=["a", "b"], b="c")
rule front:
    output: "front/{part}.txt"
    threads: THREADS["front"]
    resources: mem_mb=MEMORY["front"], io=1, duration_s=lambda wildcards: str(LASTS[wildcards.part])
    shell: note("front:part={wildcards.part}") % "touch {output}"
rule middle:
    input: "front/{part}.txt"
    output: directory("middle/{part}"), "middle/{part}.txt"
    threads: THREADS["middle"]
    resources: mem_mb=MEMORY["middle"], runtime="1h"
    shell: note("middle:part={wildcards.part}") % "mkdir {output[0]}; touch {output}"
rule back:
    input: rules.middle.output
    output: temp("back/{part}.txt")
    threads: THREADS["back"]
    resources: mem_mb=MEMORY["back"]
    shell: note("back:part={wildcards.part}") % "touch {output}"
rule pairs:
    input: "front/{a}.txt", second="middle/{b}.txt"
    output: "pairs/{a}-{b}.txt"
    threads: THREADS["pairs"]
    resources: mem_mb=MEMORY["pairs"], slurm_partition="short"
    shell: note("pairs:a={wildcards.a},b={wildcards.b}") % "cp {input[0]} {output}"
rule join:
    input: expand("back/{part}.txt", part=PARTS[:5]), "pairs/a-c.txt"
    output: "join.txt"
    threads: THREADS["join"]
    shell: note("join") % "touch {output}"
'''
MODEL = {}
exec(TABLES, MODEL)


def jobs_of_the_workflow():
    """By their names, what each waits for: told again, from what the rules mean."""
    wanted = {'join': {'back:part=%s' % p for p in MODEL['PARTS'][:5]} | {'pairs:a=a,b=c'}}
    for p in MODEL['PARTS'][:5]:
        wanted['back:part=' + p] = {'middle:part=' + p}
        wanted['middle:part=' + p] = {'front:part=' + p}
    for a in 'ab':
        wanted['pairs:a=%s,b=c' % a] = {'front:part=' + a, 'middle:part=c'}
    wanted['middle:part=c'] = {'front:part=c'}
    wanted.update(('front:part=' + p, set()) for p in {*MODEL['PARTS'][:5], *'abc'})
    return wanted


def call(*command, status=0, **more):
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True, timeout=300, **more)
    assert done.returncode == status, (command, done.returncode, done.stdout, done.stderr)
    return done


class Workflow:
    def __init__(self, folder):
        self.folder, self.env = folder, dict(python_tools.environment(folder.parent), SNAKEMAKE=str(SNAKEMAKE))
        folder.mkdir()
        (folder / 'Snakefile').write_text(SNAKEFILE)
        self.job, self.plan = folder.parent / 'job.xml', folder.parent / 'plan.json'

    def load(self, *words, capacity='cpu=4,mem=2000000000,io=2', status=0):
        """Names with seconds, demands and parents, and what was said."""
        done = call(BIGROCKS, 'import', 'snakemake', '-C', self.folder, '--capacity', capacity, '-o', self.job,
                    *words, status=status, env=self.env)
        if status:
            return done.stderr
        root = ElementTree.parse(self.job).getroot()
        jobs = {stage.get('id'): (float(stage.get('duration')), {d.get('resource'): int(d.get('amount')) for d in
                                                                 stage.iter(SPACE + 'demand')}, set())
                for stage in root.iter(SPACE + 'stage')}
        for edge in root.iter(SPACE + 'edge'):
            jobs[edge.get('to')][2].add(edge.get('from'))
        return jobs, done.stderr

    def make_plan(self):
        call(BIGROCKS, 'plan', self.job, '--effort', 'fast', '-q', '-o', self.plan)
        return [task['id'] for task in sorted(json.loads(self.plan.read_text())['tasks'], key=lambda t: t['rank'])]

    def run(self, *words, plan, status=0):
        (self.folder / 'log').write_text('')
        done = call(SNAKEMAKE, '--scheduler', 'bigrocks', '--scheduler-bigrocks-plan', plan, *words, cwd=self.folder,
                    status=status, env=dict(self.env, PYTHONPATH=str(python_tools.ROOT / 'python')))
        return done.stdout + done.stderr

    def log(self):
        return [tuple(line.split()) for line in (self.folder / 'log').read_text().splitlines()]

    def begun(self):
        return [name for what, name in self.log() if what == 'begin']

    def recorded(self):
        """Seconds by job, from the files that Snakemake keeps: from the first start to the last output."""
        spans = {}
        for path in (self.folder / '.snakemake/metadata').iterdir():
            name = base64.urlsafe_b64decode(path.name).decode()
            record = json.loads(path.read_text())
            stem = pathlib.Path(name).name.removesuffix('.txt')
            wildcards = dict(zip('ab', stem.split('-'))) if record['rule'] == 'pairs' else \
                {} if record['rule'] == 'join' else {'part': stem}
            job = record['rule'] + (':' if wildcards else '') + ','.join('%s=%s' % w for w in wildcards.items())
            begin, end = spans.get(job, (record['starttime'], record['endtime']))
            spans[job] = min(begin, record['starttime']), max(end, record['endtime'])
        return {job: max(0, end - begin) for job, (begin, end) in spans.items()}


def before_the_first_run(workflow):
    """Edges and demands are the workflow's, durations those that it declares."""
    wanted = jobs_of_the_workflow()
    jobs, said = workflow.load()
    assert {name: parents for name, (_, _, parents) in jobs.items()} == wanted, jobs
    for name, (seconds, demands, _) in jobs.items():
        rule = name.partition(':')[0]
        # More threads than there are cores are cut down, as Snakemake does it.
        expected = {'cpu': min(4, MODEL['THREADS'][rule]), 'mem': MODEL['MEMORY'][rule] * 10**6,
                    'io': int(rule == 'front')}
        assert demands == {r: n for r, n in expected.items() if n}, (name, demands)
        assert seconds == (MODEL['LASTS'][name[-1]] if rule == 'front' else 3600 if rule == 'middle' else 1), name
    fronts, middles = (sum(name.startswith(rule) for name in wanted) for rule in ('front', 'middle'))
    assert '%d jobs, %d with that of duration_s, %d with their limit, runtime, %d with 1 s' % (
        len(wanted), fronts, middles, len(wanted) - fronts - middles) in said, said
    assert 'no limit' not in said
    # What has no limit keeps nothing waiting; a target is a part of it all.
    jobs, said = workflow.load('pairs/a-c.txt', capacity='cpu=2,mem=2GiB')
    assert set(jobs) == {'pairs:a=a,b=c', 'front:part=a', 'middle:part=c', 'front:part=c'}, jobs
    assert 'no limit of io is given' in said and jobs['pairs:a=a,b=c'][1]['cpu'] == 2, said
    call(BIGROCKS, 'plan', workflow.job, '--effort', 'fast', '-q', '-o', workflow.plan)


def in_the_order_of_the_plan(workflow):
    """One at a time, all jobs start exactly as the plan has them; the plan is for one at a time, too."""
    workflow.load(capacity='cpu=1,mem=2000000000,io=2')
    order = workflow.make_plan()
    assert sorted(order) == sorted(jobs_of_the_workflow()) != order
    said = workflow.run('--cores', 1, plan=workflow.plan)
    assert workflow.begun() == order, (workflow.begun(), order)
    assert 'does not know' not in said, said
    return len(order)


def after_the_run(workflow):
    """Durations are those that Snakemake has recorded; and of what is out of date, only that."""
    recorded = workflow.recorded()
    jobs, said = workflow.load()
    assert set(jobs) == set(jobs_of_the_workflow())
    known = {name: seconds for name, (seconds, _, _) in jobs.items()}
    assert set(recorded) == set(known), set(recorded) ^ set(known)
    assert all(abs(known[name] - recorded[name]) < 2e-6 for name in known), (known, recorded)
    assert '%d with the duration of the last run' % len(jobs) in said, said
    assert workflow.load('--dirty', status=1).strip() == 'bigrocks: nothing is to be done'
    (workflow.folder / 'pairs/a-c.txt').unlink()
    jobs, _ = workflow.load('--dirty')
    assert set(jobs) == {'pairs:a=a,b=c', 'join'} | {n for n in jobs if n.startswith('back')}, set(jobs)
    assert jobs['pairs:a=a,b=c'][2] == set() and 'pairs:a=a,b=c' in jobs['join'][2]


def within_limits(workflow):
    """Several at once, by a plan that lacks a job, which is told of; and nothing takes more than there is."""
    workflow.load(capacity='cpu=4,mem=1000000000,io=2')
    workflow.make_plan()
    plan = json.loads(workflow.plan.read_text())
    plan['tasks'] = [task for task in plan['tasks'] if task['id'] != 'front:part=h']
    workflow.plan.write_text(json.dumps(plan))
    said = workflow.run('--forceall', '--cores', 4, '--resources', 'mem_mb=1000', 'io=2', plan=workflow.plan)
    names = jobs_of_the_workflow()
    assert 'does not know 1 of %d jobs, such as front:part=h; they start after' % (len(names) + 1) in said, said
    assert sorted(workflow.begun()) == sorted(names)
    running, most = set(), {'threads': 0, 'mem': 0, 'io': 0}
    for what, name in workflow.log():
        (running.add if what == 'begin' else running.remove)(name)
        rules = [n.partition(':')[0] for n in running]
        now = {'threads': sum(min(4, MODEL['THREADS'][r]) for r in rules),
               'mem': sum(MODEL['MEMORY'][r] for r in rules), 'io': rules.count('front')}
        most = {r: max(most[r], now[r]) for r in most}
    assert most['threads'] <= 4 and most['mem'] <= 1000 and most['io'] <= 2, most
    done = set()
    for what, name in workflow.log():
        assert what == 'end' or names[name] <= done, (name, done)
        if what == 'end':
            done.add(name)
    return most


CHOICES = '''
import json, logging, pathlib, sys
import snakemake_scheduler_plugin_bigrocks as plugin
from types import SimpleNamespace as Space

def job(name, cores, io=0, priority=0):
    return type('Job', (), dict(rule=Space(name=name), wildcards_dict={}, priority=priority, is_norun=False,
                                scheduler_resources={'_cores': cores, 'io': io}, output=[name],
                                is_group=lambda self: False))()

def group(*jobs):
    return type('Group', (), dict(jobs=jobs, priority=0, is_group=lambda self: True,
                                  scheduler_resources={'_cores': 1}))()

def chosen(jobs, overtake=False, **free):
    settings = plugin.SchedulerSettings(plan=pathlib.Path('plan.json'), overtake=overtake)
    found = plugin.Scheduler(None, settings, logging.getLogger()).select_jobs(jobs, jobs, free, {})
    return found and [jobs.index(job) for job in found]

ranks = [{'id': name, 'rank': rank} for rank, name in enumerate('abcd')]
json.dump({'format': 'bigrocks-plan/1', 'tasks': ranks}, open('plan.json', 'w'))
jobs = [job('c', 1), job('a', 2), job('b', 3, io=1), job('d', 1)]
assert chosen(jobs, _cores=9, io=9) == [1, 2, 0, 3]
assert chosen(jobs, _cores=4, io=9) == [1]                        # b waits, and those behind it
assert chosen(jobs, True, _cores=4, io=9) == [1, 0, 3]            # unless they may overtake
assert chosen(jobs, _cores=9, io=0) == [1] and chosen(jobs, other='x', _cores=1, io=0) == []
others = [job('x', 1), job('y', 1, priority=5), job('d', 1)]
assert chosen(others, _cores=9) == [2, 1, 0]                      # unknown ones last, by their priority
assert chosen(others[:2], _cores=9) is None                       # none is known: Snakemake chooses
assert chosen([job('b', 1), group(job('c', 1), job('a', 1))], _cores=9) == [1, 0]

def seconds(*records):
    persistence = Space(metadata=lambda k: records[k])
    return plugin.seconds_of(Space(output=range(len(records)), dag=Space(workflow=Space(persistence=persistence))))

first, second = {'starttime': 5, 'endtime': 7}, {'starttime': 4.5, 'endtime': 6}
assert seconds(first, second) == seconds(second, first) == 2.5  # from the start to the last output
assert seconds(first, None) == 2 and seconds({'starttime': 5, 'endtime': 4}) == 0
assert seconds(None) is seconds() is seconds({'starttime': 5}) is seconds(first, {'endtime': 8}) is None
'''


def among_what_is_ready(workflow):
    """Which jobs start now: by the plan, as long as the next one fits; the plan as seen from where one is. And what
    records tell of a job's last run."""
    folder = workflow.folder.parent
    call(python_tools.program('python3'), '-c', CHOICES, cwd=folder,
         env=dict(workflow.env, PYTHONPATH=str(python_tools.ROOT / 'python')))


def what_is_wrong(workflow):
    other = workflow.folder.parent / 'other.json'
    other.write_text('{"format": "bigrocks-bound/1", "tasks": []}')
    said = workflow.run('--cores', 1, '--forceall', plan=other, status=1)
    assert 'bigrocks: %s: this is no plan; write a plan by' % other in said, said
    said = workflow.load('nothing.txt', status=3)
    assert 'nothing.txt' in said and 'Snakemake refuses the workflow (exit status 1)' in said, said
    said = workflow.run('--cores', 1, '--forceall', plan=workflow.job, status=1)
    assert 'bigrocks: %s:' % workflow.job in said and 'write a plan by' in said, said


def random_job(rng):
    """A job's text, and by the ids of its tasks what each lasts, demands and waits for."""
    text, tasks, counts = '<job xmlns="urn:bigrocks:job:1" shell="true">', {}, []
    for s in range(rng.randrange(3, 8)):
        counts.append(rng.choice([1, 1, 2, 4]))
        demands = {r: n for r, n in (('cpu', rng.randrange(1, 5)), ('mem', rng.randrange(3) * 10**6),
                                     ('io', rng.randrange(3))) if n}
        seconds = [rng.randrange(10**11) for _ in range(counts[s])]
        ids = ['s%d' % s + ('[%d]' % i if counts[s] > 1 else '') for i in range(counts[s])]
        tasks.update((name, [ns, demands, set()]) for name, ns in zip(ids, seconds))
        text += '<stage id="s%d" tasks="%d">%s%s<command>true</command></stage>' % (
            s, counts[s], ''.join('<demand resource="%s" amount="%d"/>' % d for d in demands.items()),
            ''.join('<task index="%d" duration="%d.%09d"/>' % (i, *divmod(ns, 10**9))
                    for i, ns in enumerate(seconds)))
    for child in range(len(counts)):
        for parent in rng.sample(range(child), rng.randrange(min(child, 2) + 1)):
            pairs = counts[parent] == counts[child] and rng.random() < 0.5
            text += '<edge from="s%d" to="s%d" type="%s"/>' % (parent, child, 'one-to-one' if pairs else 'barrier')
            members = [[name for name in tasks if name.partition('[')[0] == 's%d' % s] for s in (parent, child)]
            for i, name in enumerate(members[1]):
                tasks[name][2].update([members[0][i]] if pairs else members[0])
    return text + '</job>', tasks


def there_and_back(workflow):
    """A plan's Snakefile is imported as the job that was planned: to the nanosecond, demand and edge."""
    rng = random.Random(11)
    for k in range(3):
        back = Workflow(workflow.folder.parent / ('back%d' % k))
        text, tasks = random_job(rng)
        back.job.write_text(text)
        call(BIGROCKS, 'plan', back.job, '--machines', 1, '--capacity', 'cpu=4,mem=16e6,io=4', '--effort', 'fast',
             '-q', '-o', back.plan)
        call(BIGROCKS, 'render', back.plan, '--format', 'snakemake', '-o', back.folder / 'Snakefile')
        at = {task['rank']: task['id'] for task in json.loads(back.plan.read_text())['tasks']}
        jobs, said = back.load(capacity='cpu=4,mem=16e6,io=4')
        names = {rule: at[int(rule[1:rule.index('_')])] for rule in jobs}
        got = {names[rule]: [round(seconds * 10**9), demands, {names[p] for p in parents}]
               for rule, (seconds, demands, parents) in jobs.items()}
        assert got == tasks, (got, tasks)
        assert '%d with that of duration_s' % len(tasks) in said, said
    return len(tasks)


HELD = '''
def note(rule, command):
    return "echo begin %s {wildcards.s} >>log; %s; echo end %s {wildcards.s} >>log" % (rule, command, rule)
rule all:
    input: expand("{s}.result", s=list("abcdef"))
rule wide:
    output: temp("{s}.one"), temp("{s}.two")
    resources: disk_mb=5
    shell: note("wide", "head -c 2000000 /dev/zero >{output[0]}; head -c 3000000 /dev/zero >{output[1]}")
rule early:
    input: "{s}.one"
    output: temp(directory("{s}.early"))
    resources: disk_mb=4
    shell: note("early", "mkdir {output}; head -c 4000000 /dev/zero >{output}/file; sleep 0.1")
rule late:
    input: "{s}.two", "{s}.early"
    output: "{s}.result"
    shell: note("late", "touch {output}")
rule unsized:
    output: temp("unsized")
    shell: "touch {output}"
'''


def most_held(log):
    """Megabytes, from when jobs began and ended: each file until the last job that reads it has ended."""
    begun, ended, most = set(), set(), 0
    for what, rule, sample in log:
        (begun if what == 'begin' else ended).add((rule, sample))
        most = max(most, sum(
            5 * (('wide', s) in begun and not {('early', s), ('late', s)} <= ended) +
            4 * (('early', s) in begun and ('late', s) not in ended) for s in 'abcdef'))
    return most


def what_is_held(workflow):
    """Files under temp() are outputs until their last reader has ended, as large as disk_mb says or as they were when
    they were kept; and a run by the plan never holds more than there is."""
    held = Workflow(workflow.folder.parent / 'held')
    (held.folder / 'Snakefile').write_text(HELD)

    def outputs():
        root = ElementTree.parse(held.job).getroot()
        sizes = {stage.get('id'): {out.get('id'): int(out.get('amount')) for out in stage.iter(SPACE + 'output')}
                 for stage in root.iter(SPACE + 'stage')}
        assert not any(d.get('resource') == 'disk_mb' for d in root.iter(SPACE + 'demand'))
        reads = {(edge.get('from'), edge.get('to')): sorted(sizes[edge.get('from')]) if edge.get('reads') is None
                 else sorted(edge.get('reads').split()) for edge in root.iter(SPACE + 'edge')}
        return sizes['wide:s=a'], sizes['early:s=a'], [reads['%s:s=a' % a, '%s:s=a' % b] for a, b in
                                                       (('wide', 'early'), ('wide', 'late'), ('early', 'late'))]

    jobs, said = held.load('all', 'unsized', capacity='cpu=3,mem=2GiB,disk_mb=16')
    assert '1 job with temp() files that are not there and no resource disk_mb' in said, said
    assert outputs() == ({'temp': 5}, {'temp': 4}, [['temp'], ['temp'], ['temp']]), outputs()
    held.make_plan()
    held.run('--cores', 3, plan=held.plan)
    most = most_held(held.log())
    assert 9 <= most <= 16, (most, held.log())
    plan = json.loads(held.plan.read_text())
    for stage in plan['stages']:
        stage.pop('outputs', None)
    held.plan.write_text(json.dumps(plan))
    held.run('--cores', 3, '--forceall', plan=held.plan)
    without = most_held(held.log())
    held.run('--cores', 3, '--notemp', '--forceall', plan=held.plan)
    held.load(capacity='cpu=3,mem=2GiB,disk_mb=16')
    assert outputs() == ({'temp0': 2, 'temp1': 3}, {'temp0': 4}, [['temp0'], ['temp1'], ['temp0']]), outputs()
    return most, without


TESTS = [among_what_is_ready, before_the_first_run, in_the_order_of_the_plan, after_the_run, within_limits,
         what_is_wrong, there_and_back, what_is_held]


def main():
    with tempfile.TemporaryDirectory(prefix='bigrocks-snakemake') as folder:
        workflow = Workflow(pathlib.Path(folder).resolve() / 'flow')
        for test in TESTS:
            print(test.__name__, test(workflow), flush=True)


if __name__ == '__main__':
    main()
