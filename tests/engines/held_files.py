#!/usr/bin/env python3
"""Files for Dask and Snakemake of jobs with outputs: whatever order they leave open, no more is held than there is.

held_files.py BIGROCKS

Jobs, what they hold and what tasks wait for are read from the files themselves. Each file is run here many times in
virtual time, with durations drawn at random and every task that may start starting. Without the waits that the plan
adds, some of the runs hold too much.
"""
import heapq
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

SPACE = '{urn:bigrocks:job:1}'
RUNS = 20
SEEDS = max(4, 30 * min(100, int(os.environ.get('BIGROCKS_TEST_SHARE') or 100)) // 100)


def call(*words):
    return subprocess.run(list(map(str, words)), capture_output=True, text=True)


def read_job(path):
    """By task: amounts of its outputs with the tasks that read each; and parents."""
    root = ET.parse(path).getroot()
    count = {stage.get('id'): int(stage.get('tasks')) for stage in root.iter(SPACE + 'stage')}
    outputs = {(s, i): [] for s in count for i in range(count[s])}
    amount = {stage.get('id'): [int(out.get('amount')) for out in stage.iter(SPACE + 'output')]
              for stage in root.iter(SPACE + 'stage')}
    parents = {task: set() for task in outputs}
    readers = {task: set() for task in outputs}
    for edge in root.iter(SPACE + 'edge'):
        a, b = edge.get('from'), edge.get('to')
        for i in range(count[b]):
            from_tasks = [(a, i)] if edge.get('type') == 'one-to-one' and count[a] > 1 else [(a, k) for k in range(count[a])]
            parents[b, i].update(from_tasks)
            for task in from_tasks:
                readers[task].add((b, i))
    return {task: [(size, readers[task]) for size in amount[task[0]]] for task in outputs}, parents


def plain(name):
    """The task of a name such as t3_map0_2."""
    return re.fullmatch(r't(\d+)_.*', name)


def dask_waits(path, names):
    """What each task waits for, joints resolved."""
    text = path.read_text()
    scope = {}
    exec(text[text.index('TASKS = ['):text.index('\n]\n') + 3], scope)
    waits = {row[0]: row[1] for row in scope['TASKS']}

    def resolve(name):
        return [names[int(plain(name)[1]) - 1]] if plain(name) else [t for p in waits[name] for t in resolve(p)]
    return {names[int(plain(name)[1]) - 1]: {t for p in parents for t in resolve(p)}
            for name, parents in waits.items() if plain(name)}


def snakemake_waits(path, names):
    marks, waits = {}, {}
    rules = path.read_text().split('\nrule ')[2:]
    for rule in rules:
        task = names[int(plain(rule.partition(':')[0])[1]) - 1]
        marks[re.search(r'output: touch\("([^"]*)"\)', rule)[1]] = task
    for rule in rules:
        task = names[int(plain(rule.partition(':')[0])[1]) - 1]
        before = rule.partition('output: touch')[0]
        files = re.findall(r'"(\.bigrocks/[^"{]*)"(?!, i=)', before)
        for stem, last, n in re.findall(r'expand\("([^"]*?)\{i\}([^"]*)", i=range\((\d+)\)\)', before):
            files += ['%s%d%s' % (stem, k, last) for k in range(int(n))]
        waits[task] = {marks[file] for file in files}
    return waits


def peak_of(waits, outputs, rng):
    left = {task: len(before) for task, before in waits.items()}
    after = {}
    for task, before in waits.items():
        for other in before:
            after.setdefault(other, []).append(task)
    ready, running, ended, peak, now = [t for t in waits if not left[t]], [], set(), 0, 0
    held = {}
    while ready or running:
        for task in ready:
            held[task] = outputs[task]
            heapq.heappush(running, (now + rng.choice([1, 5, 50]) * rng.random(), rng.random(), task))
        ready = []
        peak = max(peak, sum(size for task in held for size, readers in held[task]
                             if task not in ended or not readers or readers - ended))
        now, _, task = heapq.heappop(running)
        ended.add(task)
        for other in after.get(task, []):
            left[other] -= 1
            ready += [other] if left[other] == 0 else []
    assert len(ended) == len(waits), 'a circle'
    return peak


def main():
    program, rng, without, runs, files = pathlib.Path(sys.argv[1]), random.Random(5), 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        job, plan = pathlib.Path(folder, 'job.xml'), pathlib.Path(folder, 'plan.json')
        for seed in range(1, 1 + SEEDS):
            kind = ['layered', 'fork-join', 'series-parallel', 'cosmos'][seed % 4]
            call(program, 'generate', '--like', kind, '--seed', seed, '--tasks', 40, '--stages', 12, '--outputs', 0.6,
                 '--output-amount', 1000, '-o', job)
            outputs, parents = read_job(job)
            total = sum(size for task in outputs for size, _ in outputs[task])
            machines = ['--machines', 1 + seed % 3, '--capacity', 'cpu=16,mem=64GiB,net=1000,disk=1000']
            for part in (5, 7, 9):
                if not call(program, 'plan', job, *machines, '--shared', 'scratch=%d' % (total * part // 10), '--effort',
                            'fast', '-q', '-o', plan).returncode:
                    break
            else:
                continue
            room = total * part // 10
            order = [row.split('\t') for row in call(program, 'render', plan, '--format', 'order').stdout.splitlines()]
            ids = [row[1] for row in order[1:]]
            names = [(i.partition('[')[0], int(i.partition('[')[2].rstrip(']') or 0)) for i in ids]
            for form, read in (('dask', dask_waits), ('snakemake', snakemake_waits)):
                path = pathlib.Path(folder, form)
                done = call(program, 'render', plan, '--format', form, '-o', path)
                assert done.returncode == 0, (seed, form, done.stderr)
                waits = read(path, names)
                files += 1
                assert set(waits) == set(outputs) and all(parents[t] <= waits[t] for t in waits), (seed, form)
                for _ in range(RUNS):
                    peak = peak_of(waits, outputs, rng)
                    assert peak <= room, (seed, form, peak, room)
                    runs += 1
                    without += peak_of(parents, outputs, rng) > room
    print('%d runs of %d files within their limits; %d exceed them without what the plan adds' % (runs, files, without))
    assert files >= SEEDS and without > runs // 10, (files, without)


if __name__ == '__main__':
    main()
