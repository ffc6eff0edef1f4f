#!/usr/bin/env python3
"""Certificates of jobs with outputs, shared resources and times, before both checkers.

usage: check_relaxed.py BIGROCKS FEATURES_BY_ORACLE [COUNT]

Plans and bounds of random jobs: both accept what the program writes. Of forged ones (another
relaxation, one for a job that is another, a bound too high, an output that nobody holds any more)
both say the same, and none proves more than the least makespan that the oracle knows.
"""
import copy
import json
import os
import random
import subprocess
import sys
import tempfile
from fractions import Fraction

TOOLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'tools')
sys.path.insert(0, TOOLS)
import check_certificate  # noqa: E402


def jobs(oracle, count):
    """Seed, least makespan or None, and the XML."""
    out = subprocess.run([oracle, 'xml', '1', str(count), '6'], stdout=subprocess.PIPE, check=True).stdout
    best = subprocess.run([oracle, '1', str(count), '6'], stdout=subprocess.PIPE, text=True, check=True).stdout
    least = {line.split()[0]: word[9:] for line in best.splitlines() for word in line.split()
             if word.startswith('makespan=')}
    while out:
        head, _, rest = out.partition(b'\n')
        seed, size = head.split()[:2]
        makespan = least[seed.decode()]
        yield seed.decode(), makespan if makespan not in ('none', '?') else None, rest[:int(size)]
        out = rest[int(size):].lstrip(b'\n')


def both(bigrocks, folder, document):
    """Do both accept it? They have to agree."""
    path = os.path.join(folder, 'forged.json')
    with open(path, 'w', encoding='utf-8') as file:
        json.dump(document, file)
    core = subprocess.run([bigrocks, 'check', '--certificate', path], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    words, status = check_certificate.judge(path)
    accepted = core.returncode == 0
    if core.returncode not in (0, 1, 3) or accepted != (status == 0):
        sys.exit('the checkers differ: %s / %s' % (core.stdout, words))
    return accepted


def forgeries(document, other):
    for kind in ('none', 'machines', 'pool', 'both'):
        forged = copy.deepcopy(document)
        forged['certificate']['relaxation'] = kind
        yield forged
    for k in range(len(document['certificate']['parts'])):
        forged = copy.deepcopy(document)
        forged['certificate']['parts'][k]['bound'] += 1
        yield forged
    forged = copy.deepcopy(document)
    forged['certificate']['parts'][0]['path'] = [{'stage': 'held 0'}, {'stage': 'release 0'}]
    yield forged
    if other:
        yield {**copy.deepcopy(document), 'certificate': other['certificate'], 'lower_bound': other['lower_bound']}
    # What is no longer held, or released, is no part of the job any more: for the proof it is another job.
    for key in ('outputs', 'release', 'times'):
        for k, stage in enumerate(document['stages']):
            if key in stage:
                forged = copy.deepcopy(document)
                del forged['stages'][k][key]
                for edge in forged['edges']:
                    edge.pop('reads', None)
                forged['changed'] = True
                yield forged


def main():
    bigrocks, oracle = sys.argv[1:3]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 60
    rng, other, accepted, refused, relaxed = random.Random(1), None, 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'job.xml')
        for seed, best, xml in jobs(oracle, count):
            with open(path, 'wb') as file:
                file.write(xml)
            out = subprocess.run([bigrocks, 'bound', path, '--no-lp', '--json'], stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True)
            if out.returncode:
                sys.exit('seed %s: %s' % (seed, out.stderr))
            document = json.loads(out.stdout)
            if best and Fraction(str(document['lower_bound'])) > Fraction(best):
                sys.exit('seed %s: the bound is above the best plan' % seed)
            if not both(bigrocks, folder, document):
                sys.exit('seed %s: refused' % seed)
            relaxed += 'relaxation' in document['certificate']
            made = list(forgeries(document, other))
            for forged in rng.sample(made, min(4, len(made))):
                holds = both(bigrocks, folder, forged)
                accepted, refused = accepted + holds, refused + (not holds)
                proven = sum(p['bound'] * p.get('rounding', 1) for p in forged['certificate']['parts'])
                proven *= Fraction(str(forged['certificate']['tick']))
                if holds and best and 'changed' not in forged and proven > Fraction(best):
                    sys.exit('seed %s: a forged proof of %s s is accepted' % (seed, proven))
            other = document
    print('%d jobs, %d on relaxed ones; of forged proofs %d hold, %d are refused'
          % (count, relaxed, accepted, refused))
    if relaxed < count // 2 or not refused:
        sys.exit('too few')


if __name__ == '__main__':
    main()
