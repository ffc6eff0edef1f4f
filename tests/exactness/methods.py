#!/usr/bin/env python3
"""Every method on every example, and on random jobs, against the slow model of plan_model.py: each task
starts at the time and on the machine that the description of the method gives.

methods.py BIGROCKS ROOT [JOBS] [--table]

The makespans of the model on the examples are kept in makespans.tsv beside this; --table writes what
the model says there (not what the program says). Those of `best`, for which there is no model, are
judged: longer than none of the methods, no shorter than what is proven, and by the stand-alone check
of plans in ../shared, where that is there.
"""
import csv
import json
import math
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
from fractions import Fraction

import plan_model

HERE = pathlib.Path(__file__).resolve().parent
FORMS = [(m, []) for m in plan_model.METHODS] + [('graphene', ['--frag-score', 'paper'])]


def plan_of(bigrocks, job, cluster, method, words=()):
    done = subprocess.run([bigrocks, 'plan', str(job), *cluster, '--method', method, *words, '--no-lp',
                           '--threads', '1', '--format', 'json'], text=True, capture_output=True, check=False)
    if done.returncode:
        sys.exit(f'{job}, {method}: exit {done.returncode}\n{done.stderr}')
    return json.loads(done.stdout, parse_float=str, parse_int=str) | {'text': done.stdout}


def label(method, words):
    return method + ' paper' if 'paper' in words else method


def compare(plan, method, words, seed=1):
    """The differences between the plan and the model; also the model's makespan."""
    want, told, makespan = plan_model.model(plan, method, seed, 'paper' in words)
    wrong = []
    for task in plan['tasks']:
        got = (int(Fraction(task['start']) * 10**9), task['machine'], task['subset'])
        if got != want[task['id']]:
            wrong.append(f'{task["id"]}: is {got}, model {want[task["id"]]}')
    for part, facts in zip(plan['parts'], told):
        if part.get('bypass'):
            facts = {k: facts[k] for k in ('subsets',)}
        for key, value in facts.items():
            got = part[key]
            if key == 'subsets':
                got = {k: int(v) for k, v in got.items()}
            elif key in ('long_score', 'frag_score'):
                good = got is None if value is None else got is not None and abs(float(got) - value) < 1e-6
                got = value if good else got
            elif got is not None:
                got = int(got)
            if got != value:
                wrong.append(f'{key} is {got}, model {value}')
    return wrong, makespan


def judge(root, job, words, plan, scratch):
    """The complaints of the stand-alone check about a plan of a native job; '' where it is not there."""
    check = pathlib.Path(os.environ.get('BIGROCKS_SHARED') or root / '..' / 'shared') / 'verify' / 'check_plan.py'
    if not check.exists() or job.suffix != '.xml' or 'explain' in job.name:
        return ''
    out = pathlib.Path(scratch) / 'plan.json'
    out.write_text(plan['text'])
    plain = re.sub(r'(\d+)([KMG])iB', lambda m: str(int(m[1]) << 10 * ' KMG'.index(m[2])), ' '.join(words))
    cluster = plain.split() + ([] if {'--machines', '--cluster'} & set(words) else ['--machines', '1'])
    done = subprocess.run([sys.executable, str(check), str(job), str(out), *cluster], text=True,
                          capture_output=True, check=False)
    return done.stdout + done.stderr if done.returncode else ''


def seconds(ns):
    text = f'{ns / 10**9:.9f}'.rstrip('0').rstrip('.')
    return text


# ---- Random jobs, written as native XML ----

def random_job(seed, folder, most=9, pool=None):
    """A third of `most` stages at least, and that at most; on one machine, on several, or (None) on
    either."""
    rng = random.Random(seed)
    resources = ['cpu', 'mem', 'net'][:rng.randint(1, 3)]
    classes = [(name, rng.choice((1, 1, 2, 3)), {r: rng.randint(2, 8) for r in resources})
               for name in ('a', 'b')[:rng.randint(1, 2)]]
    if pool:
        classes = [('pool', 1, classes[0][2])]
    elif pool is not None:
        classes[0] = (classes[0][0], classes[0][1] + 1, classes[0][2])
    lines, stages = ['<job xmlns="urn:bigrocks:job:1" name="random">'], []
    zero = rng.random() < 0.2
    for s in range(rng.randint(3 * most // 9, most)):
        home = rng.choice(classes)[2]
        count = rng.choice((1, 1, 1, 2, 3, 4))
        if stages and rng.random() < 0.4:
            count = stages[-1]
        stages.append(count)
        low = 0 if zero and rng.random() < 0.4 else 1
        duration = rng.randint(low, 9) if low else 0
        lines.append(f'<stage id="s{s}" tasks="{count}" duration="{duration * 0.5}">')
        for r in resources:
            if rng.random() < 0.85:
                lines.append(f'<demand resource="{r}" amount="{rng.randint(1, 2 * home[r]) / 2}"/>')
        if duration and count > 1:
            for i in range(count):
                if rng.random() < 0.3:
                    lines.append(f'<task index="{i}" duration="{rng.randint(1, 9) * 0.5}"/>')
        lines.append('</stage>')
    density = rng.choice((0.15, 0.3, 0.6))
    for b in range(len(stages)):
        for a in range(b):
            if rng.random() < density:
                kind = 'one-to-one' if stages[a] == stages[b] and rng.random() < 0.6 else 'barrier'
                lines.append(f'<edge from="s{a}" to="s{b}" type="{kind}"/>')
    lines.append('</job>')
    job = folder / f'{seed}.xml'
    job.write_text('\n'.join(lines))
    lines = ['<cluster xmlns="urn:bigrocks:cluster:1">']
    for name, count, capacity in classes:
        lines.append(f'<machine class="{name}" count="{count}">')
        lines += [f'<capacity resource="{r}" amount="{a}"/>' for r, a in capacity.items()]
        lines.append('</machine>')
    cluster = folder / f'{seed}.cluster.xml'
    cluster.write_text('\n'.join(lines + ['</cluster>']))
    return job, ['--cluster', str(cluster)]


def main():
    bigrocks, root = sys.argv[1], pathlib.Path(sys.argv[2])
    jobs = int(sys.argv[3]) if len(sys.argv) > 3 and sys.argv[3].isdigit() else 40
    jobs = max(12, jobs * min(100, int(os.environ.get('BIGROCKS_TEST_SHARE') or 100)) // 100)
    table, faults, plans = {}, [], 0
    with open(root / 'examples' / 'expected.tsv', newline='', encoding='utf-8') as file:
        examples = dict.fromkeys((row['job'], row['cluster']) for row in csv.DictReader(file, delimiter='\t'))
    scratch = tempfile.mkdtemp()
    for job, cluster in examples:
        words = [str(root / 'examples' / w) if w.endswith('.xml') else w for w in cluster.split()]
        least = math.inf
        # What is done of jobs with storage, shared resources or alternatives the model does not describe.
        text = (root / 'examples' / job).read_text(encoding='utf-8')
        plain = '--shared' not in words and '<output ' not in text and '<alternative ' not in text
        for method, form in FORMS if plain else ():
            plan = plan_of(bigrocks, root / 'examples' / job, words, method, form)
            wrong, makespan = compare(plan, method, form)
            faults += [f'{job}, {label(method, form)}: {w}' for w in wrong]
            table[job, label(method, form)] = seconds(makespan)
            least = min(least, makespan)
            plans += 1
        plan = plan_of(bigrocks, root / 'examples' / job, words, 'best')
        best = int(Fraction(plan['makespan']) * 10**9)
        if not int(Fraction(plan['lower_bound']) * 10**9) <= best <= least:
            faults.append(f'{job}: best is {best}, the shortest of the others {least}')
        said = judge(root, root / 'examples' / job, words, plan, scratch)
        if said:
            faults.append(f'{job}: {said}')
    shutil.rmtree(scratch)
    kept = HERE / 'makespans.tsv'
    if '--table' in sys.argv:
        kept.write_text('job\tmethod\tmakespan\n' + ''.join(f'{j}\t{m}\t{v}\n' for (j, m), v in table.items()))
    with open(kept, newline='', encoding='utf-8') as file:
        known = {(r['job'], r['method']): r['makespan'] for r in csv.DictReader(file, delimiter='\t')}
    if known != table:
        faults.append(f'makespans.tsv and the model differ in {sorted(set(known.items()) ^ set(table.items()))[:4]}')
    with tempfile.TemporaryDirectory() as scratch:
        for seed in range(jobs):
            job, words = random_job(seed, pathlib.Path(scratch))
            for method, form in FORMS:
                plan = plan_of(bigrocks, job, words, method, [*form, '--seed', str(1 + seed)])
                wrong, _ = compare(plan, method, form, 1 + seed)
                if wrong:
                    faults.append(f'random job {seed}, {label(method, form)}: ' + '; '.join(wrong[:3]))
                plans += 1
    print('\n'.join(faults[:30]) or f'{plans} plans as the model has them')
    return bool(faults)


if __name__ == '__main__':
    sys.exit(main())
