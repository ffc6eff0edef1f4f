#!/usr/bin/env python3
"""Who knows all jobs ahead lets a long one wait for short ones that are about to come; that jobs which do not fit
are passed, and jobs of 0 s, are told by simulate."""
import json

import case


def simulate(text, *words):
    done = case.bigrocks('simulate', '-', *words, '-f', 'json', input=text)
    assert done.returncode == 0, done
    return json.loads(done.stdout)['results'][0], done.stderr


LINE = '%d %d -1 %d %d -1 -1 %d %d -1 1 1 1 1 1 1 -1 -1\n'


def log(*jobs, processors=2):
    """Jobs of (arrival, seconds, processors)."""
    return '; MaxProcs: %d\n' % processors + ''.join(
        LINE % (k + 1, at, ran, cpus, cpus, ran) for k, (at, ran, cpus) in enumerate(jobs))


WORDS = 'a job that does not fit yet is passed by all that fit'
result, said = simulate(log((0, 100, 2), (1, 1, 2), (2, 1, 2)), '--policy', 'srpt', '--clairvoyant', '200')
assert result['clairvoyant_mean_jct'] == 35, result  # 100 if the first began at once
assert WORDS in said, said
result, said = simulate(log((0, 100, 1), (1, 0, 1), (2, 0, 1)), '--policy', 'fifo')
assert WORDS not in said and 'jobs that take 0 s, and have no slowdown: 2' in said, said
