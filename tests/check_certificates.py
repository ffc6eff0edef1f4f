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
import importlib.util
import json
import multiprocessing
import os
import pathlib
import random
import subprocess
import sys
import tempfile
from fractions import Fraction

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Percentage of the jobs and changes that are tried, for programs that are slow.
SHARE = min(100, int(os.environ.get('BIGROCKS_TEST_SHARE') or 100))
FALSE = 10 * SHARE  # certificates of what is not true
CHANGED = 2 * SHARE
JOBS = 40 + 90 * SHARE // 100
LONG = 60000  # characters of a proof
TIMED = 4 + 16 * SHARE // 100

spec = importlib.util.spec_from_file_location('check_certificate',
                                              ROOT / 'tools/check_certificate.py')
checker = importlib.util.module_from_spec(spec)
sys.dont_write_bytecode = True
spec.loader.exec_module(checker)


def random_job(rng, name):
    """A native job with its cluster: one pool, or up to three machines of one or two classes."""
    resources = ['r%d' % r for r in range(rng.choice((1, 2, 4)))]
    machines = rng.choice((1, 1, 1, 2, 3))
    classes = [(1, 10)] if machines == 1 else rng.choice((
        [(machines, 10)], [(1, 10), (machines - 1, 6)]))
    text = '<job xmlns="urn:bigrocks:job:1" name="%s"><cluster>' % name
    for c, (count, size) in enumerate(classes):
        text += '<machine class="c%d" count="%d">' % (c, count)
        text += ''.join('<capacity resource="%s" amount="%d"/>' % (r, size) for r in resources)
        text += '</machine>'
    text += '</cluster>'
    many = rng.random() < 0.5
    stages = rng.randint(4, 9) if many else rng.randint(6, 14)
    tasks = []
    for s in range(stages):
        tasks.append(rng.choice((1, 2, 3, 3, 5)) if many else 1)
        text += '<stage id="s%d" tasks="%d" duration="%d">' % (s, tasks[s], rng.randint(1, 9))
        for r in resources:
            if rng.random() < 0.7:
                text += '<demand resource="%s" amount="%s"/>' % (
                    r, rng.choice(('0.5', '1', '2', '3', '4', '5', '5.5', '6', '7')))
        if tasks[s] > 1 and rng.random() < 0.2:
            text += '<task index="1" duration="%d"/>' % rng.randint(1, 9)
        text += '</stage>'
    density = rng.choice((0.05, 0.15, 0.3))
    cut = rng.randint(2, stages - 2) if rng.random() < 0.3 else 0
    for t in range(1, stages):
        for s in range(t):
            if rng.random() < density or s < cut <= t:
                one = tasks[s] == tasks[t] and not s < cut <= t and rng.random() < 0.5
                text += '<edge from="s%d" to="s%d" type="%s"/>' % (
                    s, t, 'one-to-one' if one else 'barrier')
    return text + '</job>'


def run(program, *arguments, **more):
    return subprocess.run([program, *arguments], capture_output=True, timeout=300, **more)


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


def python_accepts(path):
    with open(path, encoding='utf-8') as file:
        document = json.load(file, parse_float=Fraction)
    try:
        checker.check(document)
        return True
    except (checker.Refused, KeyError, TypeError, ValueError, IndexError, AttributeError):
        return False


def verdicts(program, folder, documents):
    """What both checkers say of each: True where it is accepted."""
    paths = []
    for k, document in enumerate(documents):
        paths.append(folder / ('%05d.json' % k))
        paths[-1].write_text(json.dumps(document))
    done = run(program, 'check', '--certificate', *map(str, paths))
    accepted = {line.split(': ok')[0] for line in done.stdout.decode().splitlines()
                if ': ok: ' in line}
    core = [str(path) in accepted for path in paths]
    assert done.returncode in (0, 1, 3), (done.returncode, done.stderr.decode()[-500:])
    assert (done.returncode == 0) == all(core), (done.returncode, done.stdout.decode()[-500:])
    with multiprocessing.Pool() as pool:
        return core, pool.map(python_accepts, paths, chunksize=8)


def leaves(value, path=()):
    """Every number and name inside, by its path."""
    if isinstance(value, dict):
        for key in value:
            yield from leaves(value[key], path + (key,))
    elif isinstance(value, list):
        for k, item in enumerate(value):
            yield from leaves(item, path + (k,))
    else:
        yield path


def at(value, path):
    for key in path:
        value = value[key]
    return value


def change(rng, document):
    """Changes something in the proof of a part; bounds, kinds and parts stay."""
    proof = rng.choice(document['certificate']['parts'])
    places = [p for p in leaves(proof) if p[0] not in ('bound', 'kind', 'stages')]
    if not places:
        return
    path = rng.choice(places)
    owner, value = at(proof, path[:-1]), at(proof, path)
    if isinstance(value, str):
        names = [s['id'] for s in document['stages']]
        names += [r['name'] for r in document['resources']]
        if isinstance(owner, list) and rng.random() < 0.5:
            owner.append(rng.choice(names))
        else:
            owner[path[-1]] = rng.choice(names)
    elif path[-1] == 'unit':
        owner['unit'] = rng.choice((value / 2, value * 2, 0.5, 1, 2.5, 5.5))
    else:
        bound = proof['bound']
        owner[path[-1]] = rng.choice((value + 1, value - 1, 2 * value, -value, 0, bound,
                                      bound - 1, rng.randint(0, bound + 1)))
    lists = [p[:k] for p in places for k in range(1, len(p)) if isinstance(at(proof, p[:k]), list)]
    if lists and rng.random() < 0.3:
        items = at(proof, rng.choice(lists))
        if items and rng.random() < 0.5:
            items.append(copy.deepcopy(rng.choice(items)))
        elif items:
            items.pop(rng.randrange(len(items)))


def one_more(rng, document):
    """A proof of one tick more, changed as well: false where the bound is the optimum."""
    bad = copy.deepcopy(document)
    proof = rng.choice(bad['certificate']['parts'])
    proof['bound'] += 1
    if 'to' in proof and rng.random() < 0.5:
        proof['to'] += 1
    if proof['kind'] == 'window' or rng.random() < 0.1:
        proof['kind'] = rng.choice(('window', 'energy', 'prices', 'path', 'clauses'))
        proof.setdefault('path', [{'stage': s} for s in proof.get('stages', ['s0'])])
    for _ in range(rng.choice((0, 1, 1, 2, 3, 5))):
        change(rng, bad)
    return bad


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
    rng = random.Random(5)
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
        assert SHARE < 100 or 'parts' in kinds and (len(sys.argv) < 3 or 'prices' in kinds)

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

        # Changes that leave the bound: true all the same, so that both may accept, and mostly agree.
        changed = [copy.deepcopy(rng.choice(kinds[names[k % len(names)]])) for k in range(CHANGED)]
        for document in changed:
            change(rng, document)
        core, python = verdicts(program, scratch, changed)
        agree = sum(a == b for a, b in zip(core, python))
        print('%d changed proofs: core accepts %d, Python %d, they agree on %d' % (
            len(changed), sum(core), sum(python), agree))
        assert 0 < sum(core) < len(changed) and agree >= 0.94 * len(changed)


if __name__ == '__main__':
    main()
