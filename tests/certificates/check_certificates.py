#!/usr/bin/env python3
"""Proofs of lower bounds: both checkers accept those that are true, and refuse those that are not.

check_certificates.py BIGROCKS [BIGROCKS_BOUND]

The bounds are of the examples and of many small random jobs. Those that plans meet serve for the
second part: there the bound is the optimum, so that a certificate for one tick more proves what
is not true, whatever else is done to it; and a checker that accepts any of them is wrong. Each is
changed at random in several places besides, so that it is not the last comparison alone that is
tried. Other changes make no proof, of whatever.
"""
import copy
import json
import os
import pathlib
import random
import sys
import tempfile

from proofs import ROOT, SHARE, any_change, change, forked_job, random_job, run, verdicts

FALSE = 10 * SHARE  # certificates of what is not true
CHANGED = 20 * SHARE
JOBS = 40 + 90 * SHARE // 100
FORKED = 60 * SHARE // 100
LONG, SHORT = 60000, 15000  # characters of a proof
TIMED = 4 + 16 * SHARE // 100


def bound(program, job, out, *options, limit=()):
    """The bound with its proof, and beside it the makespan of a plan."""
    done = run(program, 'plan', str(job), '-q', '--effort', 'fast', '--placements', '20000',
               '--no-lp', '--format', 'json', '-o', str(out), *options)
    assert done.returncode == 0, (job, done.stderr.decode())
    with open(out, encoding='utf-8') as file:
        makespan = json.load(file)['makespan']
    done = run(program, 'bound', str(job), '--json', *options, *limit)
    assert done.returncode == 0, (job, done.stderr.decode())
    document = json.loads(done.stdout)
    assert document['lower_bound'] <= makespan, (job, document['lower_bound'], makespan)
    document['makespan'] = makespan
    return document


def one_more(rng, document):
    """A proof of one tick more, changed as well: false where the bound is the optimum."""
    bad = copy.deepcopy(document)
    proof = rng.choice(bad['certificate']['parts'])
    proof['bound'] += 1
    if 'to' in proof and rng.random() < 0.5:
        proof['to'] += 1
    if proof['kind'] == 'window' or rng.random() < 0.1:
        proof['kind'] = rng.choice(('window', 'energy', 'prices', 'path', 'clauses', 'first'))
        proof.setdefault('path', [{'stage': s} for s in proof.get('stages', ['s0'])])
    for _ in range(rng.choice((0, 1, 1, 2, 3, 5))):
        change(rng, bad)
    return bad


def beyond_core(document):
    """Whether the core leaves clauses of this job unread, for its size (docs/certificates.md), where the
    other checker takes any."""
    tasks = sum(s['tasks'] for s in document['stages'])
    machines = sum(c['count'] for c in document['cluster']['classes'])
    return (any(p['kind'] == 'clauses' for p in document['certificate']['parts']) and
            machines > 1 and (tasks > 64 or machines > 16))


def no_proof(document):
    """Changes after which it is no proof of anything."""
    def changed(name, f):
        bad = copy.deepcopy(document)
        f(bad, bad['certificate'])
        return name, bad

    def wide(bad, c):
        names = [s['id'] for s in bad['stages']]
        c['parts'] = [dict(c['parts'][0], stages=names), dict(c['parts'][0], stages=names)]

    yield changed('no certificate', lambda d, c: d.pop('certificate'))
    yield changed('other format', lambda d, c: c.update(format='bigrocks-certificate/2'))
    yield changed('other tick', lambda d, c: c.update(tick=c['tick'] * 3))
    yield changed('no parts', lambda d, c: c.update(parts=[]))
    yield changed('a stage in two parts', wide)
    yield changed('a part twice', lambda d, c: c['parts'].append(c['parts'][0]))
    yield changed('a stage missing', lambda d, c: c['parts'][0].update(
        stages=[s['id'] for s in d['stages']][1:]))
    yield changed('bound above the proof', lambda d, c: d.update(lower_bound=d['lower_bound'] + 1))
    yield changed('negative bound', lambda d, c: c['parts'][0].update(bound=-1))
    yield changed('a group of nothing', lambda d, c: c['parts'][0].update(
        group={'bound': 1, 'kind': 'window', 'stages': []}))
    yield changed('unknown kind', lambda d, c: c['parts'][0].update(kind='hearsay'))
    yield changed('bound as text', lambda d, c: c['parts'][0].update(bound='9'))
    yield changed('faster tasks', lambda d, c: [s.update(duration=s['duration'] / 1000)
                                                for s in d['stages']])


def check_schema(plans):
    try:
        import jsonschema
    except ImportError:
        return
    with open(ROOT / 'docs/schema/certificate-1.schema.json', encoding='utf-8') as file:
        schema = json.load(file)
    cls = jsonschema.validators.validator_for(schema)
    cls.check_schema(schema)
    for p in plans:
        cls(schema).validate(p['certificate'])


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    os.environ['BIGROCKS_BOUND'] = (str(pathlib.Path(sys.argv[2]).resolve())
                                    if len(sys.argv) > 2 else '/nonexistent')
    rng = random.Random(8)
    with tempfile.TemporaryDirectory(prefix='bigrocks-certificates') as scratch:
        scratch = pathlib.Path(scratch)
        plans = [bound(program, path, scratch / 'plan.json', '--cluster',
                      str(ROOT / 'examples/cluster-rack.xml'))
                 for path in sorted((ROOT / 'examples').glob('*.xml'))
                 if not path.name.startswith('cluster')
                 and run(program, 'show', str(path), '--cluster',
                         str(ROOT / 'examples/cluster-rack.xml')).returncode == 0
                 and run(program, 'bound', str(path), '-q', '--no-lp', '--cluster',
                         str(ROOT / 'examples/cluster-rack.xml')).returncode == 0]
        assert len(plans) >= 2
        for k in range(JOBS):
            (scratch / 'job.xml').write_text(random_job(rng, 'job%d' % k))
            plans.append(bound(program, scratch / 'job.xml', scratch / 'plan.json'))
        for k in range(FORKED):
            (scratch / 'job.xml').write_text(forked_job(random.Random(k), 'forked%d' % k))
            # Clause learning would close many of them before the linear program is asked.
            plans.append(bound(program, scratch / 'job.xml', scratch / 'plan.json', limit=('--conflicts', '500')))
        assert all(p['bound_status'] == 'proven' for p in plans)
        core, python = verdicts(program, scratch, plans)
        assert all(core) and all(python), (core.index(False) if not all(core) else -1)

        # Both solvers beside each other give the same proofs, or better ones.
        other, timed = random.Random(7), []
        for k in range(TIMED):
            (scratch / 'job.xml').write_text(random_job(other, 'timed%d' % k))
            timed.append(bound(program, scratch / 'job.xml', scratch / 'plan.json',
                               limit=(('--time-limit', '1'), ('--cpu-limit', '0.5'))[k % 2]))
        assert all(p['bound_status'] == 'proven' for p in timed)
        core, python = verdicts(program, scratch, timed)
        assert all(core) and all(python)

        check_schema(plans)

        # Of long proofs by clauses one is enough; hundreds of changed ones take minutes.
        tight = [p for p in plans if p['lower_bound'] == p['makespan'] > 0 and
                 len(json.dumps(p)) < LONG]
        kinds = {}
        for p in tight:
            for proof in p['certificate']['parts']:
                kinds.setdefault(proof['kind'], []).append(p)
                for word in ('windows', 'chains'):
                    if word in proof:
                        kinds.setdefault(word, []).append(p)
                for measure in proof.get('measures', ()):
                    kinds.setdefault('unit' if 'unit' in measure else min(measure), []).append(p)
            if len(p['certificate']['parts']) > 1:
                kinds.setdefault('parts', []).append(p)
        print('%d bounds, %d met by plans; %s' % (
            len(plans), len(tight), ', '.join('%s %d' % (k, len(v))
                                              for k, v in sorted(kinds.items()))))
        assert {'path', 'energy', 'clique', 'clauses'} <= set(kinds)
        assert SHARE < 100 or 'parts' in kinds and (len(sys.argv) < 3 or {'prices', 'first'} <= set(kinds))

        names = sorted(kinds)
        bad = [one_more(rng, rng.choice(kinds[names[k % len(names)]])) for k in range(FALSE)]
        core, python = verdicts(program, scratch, bad)
        for k, (a, b) in enumerate(zip(core, python)):
            assert not a and not b, ('accepted', 'core' if a else 'python',
                                     json.dumps(bad[k]['certificate']))
        print('%d false certificates refused by both' % len(bad))

        others = [x for name in names for x in no_proof(rng.choice(kinds[name]))]
        core, python = verdicts(program, scratch, [bad for _, bad in others])
        for (name, _), a, b in zip(others, core, python):
            assert not a and not b, (name, a, b)
        print('%d that prove nothing refused by both' % len(others))

        # Changes of the proof or of the job: what is left may hold or not, and both say the same.
        short = {name: [p for p in kinds[name] if len(json.dumps(p)) < SHORT] or kinds[name]
                 for name in names}
        changed = [copy.deepcopy(rng.choice(short[names[k % len(names)]])) for k in range(CHANGED)]
        for document in changed:
            for _ in range(rng.choice((1, 1, 2, 3))):
                any_change(rng, document)
        core, python = verdicts(program, scratch, changed)
        for k, (a, b) in enumerate(zip(core, python)):
            assert a == b or not a and beyond_core(changed[k]), \
                ('accepted by one', 'core' if a else 'python', json.dumps(changed[k]))
        print('%d changed proofs: both accept %d' % (len(changed), sum(core)))
        assert len(changed) // 10 < sum(core) < len(changed) // 2


if __name__ == '__main__':
    main()
