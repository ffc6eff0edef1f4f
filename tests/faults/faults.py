#!/usr/bin/env python3
"""Allocations and system calls that fail, one in each run: a clean error or the whole result.

faults.py BIGROCKS FAIL_ALLOC FAIL_CALL WHAT [--full] [--only PATTERN] [--jobs N]

WHAT is `memory` (every case, some allocations of each), `calls` (every kind of call and error, some of each),
`once` (every allocation of the cases in which defects were found), `threads` (no thread and no process can be
started), or `states` (disks that are full, pipes without a reader, folders that cannot be written, no
descriptors left, the output onto the input). --full fails every allocation and every call (bench/faults). The
last line counts what was injected.
"""
import argparse
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

import sweep as sweeps

ROOT = pathlib.Path(__file__).resolve().parents[2]
EVERY = 100 // max(1, min(100, int(os.environ.get('BIGROCKS_TEST_SHARE') or 100)))  # of so many one is tried
# A group of calls, and what they may answer; see fail_call.c. --on: so do all later ones.
CALLS = [('write', 'ENOSPC', True), ('write', 'EIO', False), ('write', 'EINTR', False), ('write', 'short', False),
         ('read', 'EIO', False), ('read', 'EINTR', False), ('read', 'short', False), ('open', 'EMFILE', False),
         ('open', 'EMFILE', True), ('open', 'EACCES', False), ('close', 'EIO', False), ('close', 'ENOSPC', False),
         ('sync', 'EIO', False), ('rename', 'EACCES', False), ('stat', 'EIO', False), ('pipe', 'EMFILE', False),
         ('wait', 'EINTR', False), ('send', 'EINTR', False)]
# Sub-commands that read, write and wait in ways of their own.
CALLING = r'completion|plan|plan trace|plan lp|bound lp|show cluster|check certificate|batch|import|run journal|' \
    r'run resume|run build|annotate|run history|run new history|serve|render (svg|html)|' \
    r'read (word-count.dot|assay.json|files.dax|small.sm)'
THREADS = r'plan|plan threads|plan lp|bound lp|batch|run|run build|serve|import'
# Cases in which a fault was told as something else, or not at all.
ONCE = r'show|check|check storage|check certificate|bound what-if|render (html|slurm|json)|serve|read assay.json'


def table(sweep, pattern):
    return [case for case in sweeps.cases(sweep) if re.fullmatch(pattern, case.name)]


def memory(sweep, options):
    for case in table(sweep, options.only or '.*'):
        yield case, sweep.sweep(case, 'alloc', jobs=options.jobs, most=None if options.full else max(2, 12 // EVERY))
        if options.full:
            yield case, sweep.sweep(case, 'alloc', on=True, jobs=options.jobs, most=200)


def calls(sweep, options):
    for case in table(sweep, options.only or CALLING):
        for kind, fault, on in CALLS:
            yield case, sweep.sweep(case, kind, fault, on, jobs=options.jobs,
                                    most=None if options.full else max(1, 3 // EVERY))


def once(sweep, options):
    for case in table(sweep, options.only or ONCE):
        yield case, sweep.sweep(case, 'alloc', jobs=options.jobs, share=EVERY)
    for case in table(sweep, 'annotate'):
        yield case, sweep.sweep(case, 'alloc', jobs=options.jobs, share=4 * EVERY)


def threads(sweep, options):
    for case in table(sweep, options.only or THREADS):
        for on in (False, True):
            yield case, sweep.sweep(case, 'clone', 'EAGAIN', on, jobs=options.jobs)


def expect(what, done, status, *words):
    text = done.stderr if isinstance(done.stderr, str) else done.stderr.decode(errors='replace')
    good = done.returncode == status and all(word in text for word in words)
    return 1, [] if good else ['%s: status %s: %s' % (what, done.returncode, text.strip()[-300:])]


def states(sweep, options):
    inputs, bigrocks = sweep.inputs, str(sweep.bigrocks)
    pool = sweeps.POOL

    def run(*words, **more):
        return subprocess.run([bigrocks, *map(str, words)], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              env=sweeps.ENVIRONMENT, timeout=60, **{'stdout': subprocess.DEVNULL, **more})
    printing = [['help'], ['--version'], ['completion', 'zsh'], ['show', inputs / 'job.xml', *pool], ['doctor'],
                ['plan', inputs / 'job.xml', *pool, '--format', 'json'], ['plan', inputs / 'job.xml', *pool],
                ['bound', inputs / 'job.xml', *pool], ['bound', inputs / 'job.xml', *pool, '--json'],
                ['bound', inputs / 'job.xml', *pool, '--explain'], ['check', inputs / 'job.xml', inputs / 'plan.json', *pool],
                ['check', '--certificate', inputs / 'bound.json'], ['generate', '--tasks', '9'],
                ['import', 'ninja', '-C', inputs / 'build'], ['annotate', inputs / 'run.xml', '--history', inputs / 'history.db'],
                ['run', inputs / 'run.xml', *pool, '--simulate', '--trace', '-'],
                ['batch', inputs / 'list.txt', *pool]]
    printing += [['render', inputs / ('build-plan.json' if name.startswith('ninja-') else 'plan.json'), '--format', name]
                 for name in sweeps.formats_of(bigrocks)]
    for words in printing:
        if words[0] == 'annotate' and not sweeps.has_history(sweep):
            continue
        with open('/dev/full', 'wb') as full:
            done = run(*words, stdout=full)
        # A program that had nothing to print has nothing to lose.
        yield words[0], expect(' '.join(map(str, words)) + ' >/dev/full', done, 5)
        reader, writer = os.pipe()
        os.close(reader)
        done = run(*words, stdout=writer, preexec_fn=lambda: None)
        os.close(writer)
        # SIGPIPE (-13) is what ends a filter without a reader.
        good = done.returncode in (5, -13)
        yield words[0], (1, [] if good else ['%s | :: status %s' % (words, done.returncode)])
    with tempfile.TemporaryDirectory(prefix='bigrocks-fault-') as folder:
        folder = pathlib.Path(folder)
        (folder / 'out').mkdir()
        for words in (['plan', inputs / 'job.xml', *pool, '-o', '/dev/full', '--format', 'json'],
                      ['convert', inputs / 'job.xml', '-o', '/dev/full', '--format', 'xml'],
                      ['generate', '--tasks', '9', '-o', '/dev/full'],
                      ['render', inputs / 'plan.json', '--format', 'svg', '-o', '/dev/full']):
            yield words[0], expect(str(words), run(*words), 5)
            words = [folder / 'out' if word == '/dev/full' else word for word in words]
            yield words[0], expect(str(words), run(*words), 5, 'cannot be written')
            words = [folder / 'none/out' if word == folder / 'out' else word for word in words]
            yield words[0], expect(str(words), run(*words), 5, 'cannot be written')
        # The output onto the input: read whole before it is replaced.
        text = (inputs / 'job.xml').read_bytes()
        (folder / 'same.xml').write_bytes(text)
        yield 'same', expect('convert onto itself', run('convert', folder / 'same.xml', '-o', folder / 'same.xml'), 0)
        done = run('convert', inputs / 'job.xml', '--format', 'xml', stdout=subprocess.PIPE)
        same = done.stdout == (folder / 'same.xml').read_bytes()
        yield 'same', (1, [] if same else ['convert onto itself gives another job'])
        (folder / 'plan.json').write_bytes((inputs / 'plan.json').read_bytes())
        yield 'same', expect('render onto itself', run('render', folder / 'plan.json', '-o', folder / 'plan.json'), 0)
        same = (folder / 'plan.json').read_bytes() == (inputs / 'plan.json').read_bytes()
        yield 'same', (1, [] if same else ['render onto itself gives another plan'])
        left = sorted(path.name for path in folder.iterdir())
        yield 'left', (1, [] if left == ['out', 'plan.json', 'same.xml'] else ['left over: %s' % left])
    # So few descriptors that some call has none: three are the streams, and the loader takes one.
    for case in table(sweep, CALLING):
        clean = sweep.run(case, 'none', 0)
        for most in range(4, 8):
            def limit(most=most):
                resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
            sweep.limit = limit
            ran = sweep.run(case, 'none', 0)
            sweep.limit = None
            why, _ = sweep.verdict(case, clean, ran, 'limit')
            yield case, (1, ['%s: %d descriptors: %s' % (case.name, most, why)] if why else [])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('bigrocks')
    parser.add_argument('fail_alloc')
    parser.add_argument('fail_call')
    parser.add_argument('what', choices=['memory', 'calls', 'once', 'threads', 'states'])
    parser.add_argument('--full', action='store_true')
    parser.add_argument('--only')
    parser.add_argument('--jobs', type=int, default=2)
    options = parser.parse_args()
    began, injected, wrong = time.monotonic(), 0, []
    with tempfile.TemporaryDirectory(prefix='bigrocks-fault-') as inputs:
        sweeps.make_inputs(options.bigrocks, ROOT, inputs)
        sweep = sweeps.Sweep(options.bigrocks, options.fail_alloc, options.fail_call, inputs)
        if options.what in ('calls', 'threads') and not sweep.can_fail_calls():
            print('this system does not let one program answer the calls of another')
            return 77
        for _, (count, faults) in globals()[options.what](sweep, options):
            injected += count
            wrong += faults
            for line in faults:
                print(line, flush=True)
    print('%s: %d faults: %d runs ended well all the same, %d with a clean error, %d wrong; %d s' % (
        options.what, injected, sweep.survived, sweep.refused, len(wrong), time.monotonic() - began))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
