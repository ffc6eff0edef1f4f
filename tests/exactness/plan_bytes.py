#!/usr/bin/env python3
"""Plans, bounds, made-up jobs and tables are the same bytes everywhere; their hashes are committed.

plan_bytes.py BIGROCKS EXAMPLES HASHES [--threads N,...] [--write]

Runs the commands that HASHES lists and compares what they write with the hashes there, for every
number of threads (default: 1,3). With --write it makes HASHES again, from the commands below. A
machine of another kind runs the same to compare itself with the one that wrote the file. What the
linear program (GLPK) says is left out: it computes with floating point of its own.
"""
import argparse
import hashlib
import os
import pathlib
import subprocess
import sys

RACK, COSMOS = '--cluster cluster-rack.xml', '--cluster cluster-cosmos.xml'
POOL = '--machines 1 --capacity cpu=4,mem=8GiB,net=1000,disk=400'
JOBS = [('query.xml', RACK), ('word-count.xml', '--machines 3 ' + POOL[13:]), ('etl.xml', POOL), ('w-join.dot', POOL),
        ('motivating.xml', '--machines 1 --capacity cpu=1,mem=1'), ('build.dot', POOL),
        ('inverted-v.dot', '--cluster cluster-media.xml')]
METHODS = ['best', 'graphene', 'cp', 'packing', 'random', 'coffman-graham', 'strip-part']
KINDS = ['cosmos', 'layered', 'series-parallel']


def commands():
    for job, cluster in JOBS:
        for method in METHODS:
            for seed in (1, 2) if method in ('best', 'random') else (1,):
                yield 'plan %s %s --method %s --seed %d --effort fast --no-lp -q --format json' % (
                    job, cluster, method, seed)
        yield 'bound %s %s --no-lp --json' % (job, cluster)
    for kind in KINDS:
        for seed in (1, 2):
            yield 'generate --like %s --tasks 120 --seed %d' % (kind, seed)
            yield ('generate --like %s --tasks 60 --seed %d | plan - %s --effort fast --no-lp -q '
                   '--format order' % (kind, seed, COSMOS))
    yield 'batch jobs.txt --capacity cpu=8,mem=16GiB,net=1000,disk=400 --effort fast'


def digest(bigrocks, examples, command, threads):
    given = b''
    for part in command.split(' | '):
        words = part.split()
        if words[0] in ('plan', 'batch'):
            words += ['--threads', str(threads)]
        done = subprocess.run([str(bigrocks), *words], cwd=examples, input=given, capture_output=True)
        if done.returncode:
            sys.exit('%s: %s' % (part, done.stderr.decode()))
        given = done.stdout
    return hashlib.sha256(given).hexdigest()[:32]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('bigrocks', type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument('examples')
    parser.add_argument('hashes', type=pathlib.Path)
    parser.add_argument('--threads', default='1,3')
    parser.add_argument('--write', action='store_true')
    given = parser.parse_args()
    if given.write:
        given.hashes.write_text(''.join(
            '%s  %s\n' % (digest(given.bigrocks, given.examples, command, 1), command)
            for command in commands()))
    rows = [row.split('  ', 1) for row in given.hashes.read_text().splitlines()]
    assert [command for _, command in rows] == list(commands()), 'the list is of other commands'
    wrong = []
    for hash, command in rows:
        numbers = given.threads.split(',') if 'plan' in command or 'batch' in command else ['1']
        wrong += ['%s threads: %s' % (threads, command) for threads in numbers
                  if digest(given.bigrocks, given.examples, command, threads) != hash]
    print('\n'.join(wrong) or '%d outputs are as they were' % len(rows))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
