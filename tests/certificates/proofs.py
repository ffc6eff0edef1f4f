"""Shared by the tests of proofs: small random jobs with their bounds, both checkers, and changes of proofs.

A document here is what `bigrocks bound --json` writes: the job, its cluster and the certificate.
"""
import copy
import json
import multiprocessing
import os
import pathlib
import subprocess
import sys
from fractions import Fraction

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Percentage of the jobs and changes that are tried, for programs that are slow.
SHARE = min(100, int(os.environ.get('BIGROCKS_TEST_SHARE') or 100))

sys.dont_write_bytecode = True
NO_FORM = (KeyError, TypeError, ValueError, IndexError, AttributeError)


def load_checker(source=None):
    """The Python checker as a module; from a changed source where one is given."""
    path = ROOT / 'tools/check_certificate.py'
    if source is None:
        source = path.read_text(encoding='utf-8')
    module = type(sys)('check_certificate')
    exec(compile(source, str(path), 'exec'), module.__dict__)
    return module


checker = load_checker()


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


def forked_job(rng, name):
    """Branches of a query on two machines: each reads, prepares with the processors, ships through the network,
    and some sort what came. Which of them ships first is what its length depends on."""
    text = ('<job xmlns="urn:bigrocks:job:1" name="%s"><cluster><machine class="m" count="2">'
            '<capacity resource="cpu" amount="4"/><capacity resource="net" amount="10"/></machine>'
            '</cluster>' % name)
    edges = ''
    for b in range(rng.randint(2, 3)):
        for stage, tasks, duration, net in (
                ('read', rng.randint(1, 3), rng.randint(4, 9), 0),
                ('prepare', rng.randint(4, 12), rng.randint(1, 3), rng.choice((0, 2))),
                ('ship', rng.randint(4, 8), rng.randint(1, 4), rng.choice((4, 5, 6)))):
            text += '<stage id="%s%d" tasks="%d" duration="%d">' % (stage, b, tasks, duration)
            text += '<demand resource="cpu" amount="1"/><demand resource="net" amount="%d"/></stage>' % net
        links = [('read', 'ship'), ('prepare', 'ship')]
        if rng.random() < 0.5:
            text += '<stage id="sort%d" tasks="%d" duration="%d">' % (b, rng.randint(1, 4), rng.randint(1, 3))
            text += '<demand resource="cpu" amount="2"/></stage>'
            links.append(('ship', 'sort'))
        for a, c in links:
            edges += '<edge from="%s%d" to="%s%d" type="barrier"/>' % (a, b, c, b)
    return text + edges + '</job>'


def run(program, *arguments, **more):
    return subprocess.run([program, *map(str, arguments)], capture_output=True, timeout=300, **more)


def python_accepts(path):
    with open(path, encoding='utf-8') as file:
        document = json.load(file, parse_float=Fraction)
    try:
        checker.check(document)
        return True
    except (checker.Refused, *NO_FORM):
        return False


def core_verdicts(program, paths):
    """The C checker's, of all files at once: True where one is accepted."""
    done = run(program, 'check', '--certificate', *paths)
    accepted = {line.split(': ok')[0] for line in done.stdout.decode().splitlines()
                if ': ok: ' in line}
    core = [str(path) in accepted for path in paths]
    assert done.returncode in (0, 1, 3), (done.returncode, done.stderr.decode()[-500:])
    assert (done.returncode == 0) == all(core), (done.returncode, done.stdout.decode()[-500:])
    return core


def write_all(folder, documents):
    paths = []
    for k, document in enumerate(documents):
        paths.append(folder / ('%05d.json' % k))
        paths[-1].write_text(json.dumps(document))
    return paths


def verdicts(program, folder, documents):
    """The verdicts of both checkers on each: True where it is accepted."""
    paths = write_all(folder, documents)
    core = []
    for k in range(0, len(paths), 2000):
        core += core_verdicts(program, paths[k:k + 2000])
    with multiprocessing.Pool() as pool:
        return core, pool.map(python_accepts, paths, chunksize=8)


# --- changes -----------------------------------------------------------------------------------------

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


def rebuild(rng, document):
    """Changes what the proof is made of, by its kind: links, parts, claims, measures, prices, clauses."""
    parts = document['certificate']['parts']
    proof = rng.choice(parts)
    names, bound = [s['id'] for s in document['stages']], proof['bound']
    tasks = {s['id']: s['tasks'] for s in document['stages']}

    def link():
        s = rng.choice(proof.get('stages') or names)
        return {'stage': s, 'task': rng.randrange(tasks[s] + 1)} if rng.random() < 0.5 else {'stage': s}

    def claim():
        begin = rng.randint(0, bound)
        return {'stage': rng.choice(names), 'at': rng.randint(0, bound), 'from': begin,
                'to': rng.randint(begin, bound), 'measure': 0}

    def measure():
        if rng.random() < 0.5:
            some = rng.sample(names, rng.randint(1, min(4, len(names))))
            if rng.random() < 0.5:
                return {'clique': some}
            return {'weights': [{'stage': s, 'weight': rng.randint(1, 4)} for s in some]}
        made = {'resource': rng.choice(document['resources'])['name']}
        return dict(made, unit=rng.choice((0.5, 1, 2.5, 3, 5.5))) if rng.random() < 0.5 else made

    def path():
        links = proof.setdefault('path', [])
        links.insert(rng.randint(0, len(links)), link())

    def task_of():
        some = rng.choice(proof.get('path') or [{}])
        if 'stage' in some and some.pop('task', None) is None:
            some['task'] = rng.randrange(tasks.get(some['stage'], 1))

    def swap():
        lists = [proof[key] for key in ('path', 'clauses', 'windows', 'prices') if proof.get(key)]
        if lists:
            items = rng.choice(lists)
            i, k = rng.randrange(len(items)), rng.randrange(len(items))
            items[i], items[k] = items[k], items[i]

    def windows():
        passes = proof.setdefault('windows', [{}])
        if not passes or rng.random() < 0.3:
            passes.append({})
        one = rng.choice(passes)
        if rng.random() < 0.3:
            one['heads'], one['tails'] = one.get('tails', []), one.get('heads', [])
        else:
            one.setdefault(rng.choice(('heads', 'tails')), []).append(claim())
        proof.setdefault('measures', [measure()])

    def measures():
        had = proof.setdefault('measures', [])
        had[:1] = [measure()]

    def prices():
        had = proof.setdefault('prices', [])
        steps = [[0, rng.randint(-3, 9)]]
        for _ in range(rng.randint(0, 2)):
            steps.append([steps[-1][0] + rng.randint(1, bound + 1), rng.randint(-3, 9)])
        had.append({'stage': rng.choice(names), 'steps': steps})

    def chains():
        begin = rng.randint(0, bound)
        proof.setdefault('chains', []).append({
            'from': begin, 'to': rng.randint(begin, bound),
            'shares': [{'stage': s, 'share': rng.randint(0, 9)}
                       for s in rng.sample(names, min(len(names), rng.randint(1, 3)))]})

    def values():
        proof.setdefault('values', []).append({'stage': rng.choice(names), 'value': rng.randint(0, 9)})

    def cases():
        made = proof.setdefault('cases', [])
        if made and rng.random() < 0.5:
            rng.choice(made)['stage'] = rng.choice(names)
        else:
            inner = copy.deepcopy(rng.choice(made)['proof']) if made else {'bound': bound, 'kind': 'window'}
            made.append({'stage': rng.choice(names), 'proof': inner})

    def group():
        had = proof.setdefault('group', {'bound': 1, 'kind': 'window', 'stages': []})
        if had.get('stages') and rng.random() < 0.5:
            had['stages'].pop(rng.randrange(len(had['stages'])))
        else:
            had.setdefault('stages', []).append(rng.choice(names))

    def cut():
        k = rng.randrange(len(parts))
        if len(parts) > 1 and rng.random() < 0.5:
            other = rng.choice(parts)
            if parts[k].get('stages'):
                other.setdefault('stages', []).append(parts[k]['stages'].pop(rng.randrange(len(parts[k]['stages']))))
        elif len(parts) > 1 and rng.random() < 0.5:
            other = rng.randrange(len(parts))
            parts[k], parts[other] = parts[other], parts[k]
        else:
            all_names = (parts[k].get('stages') or names)[:]
            rng.shuffle(all_names)
            where = rng.randint(0, len(all_names))
            second = copy.deepcopy(parts[k])
            parts[k]['stages'], second['stages'] = all_names[:where], all_names[where:]
            parts.insert(k + 1, second)
            if rng.random() < 0.5:
                second['bound'], second['kind'] = rng.randint(0, 3), 'path'

    def kind():
        proof['kind'] = rng.choice(('path', 'window', 'energy', 'rounds', 'prices', 'clauses', 'first', 'last'))

    def interval():
        proof['from'] = rng.randint(-1, bound)
        proof['to'] = rng.randint(0, bound + 1)
        proof.setdefault('measure', 0)

    def less():
        proof['bound'] = max(0, bound - rng.randint(1, 4))

    choices = [path, task_of, swap, windows, measures, prices, chains, values, cases, group, cut, kind, interval,
               less]
    rng.choice(choices)()


def change_job(rng, document):
    """Another job under the same proof."""
    stage = rng.choice(document['stages'])
    edges = document.get('edges') or []
    what = rng.randrange(5)
    if what == 0 and edges:
        edge = rng.choice(edges)
        size = {s['id']: s['tasks'] for s in document['stages']}
        if size[edge['from']] == size[edge['to']]:
            edge['type'] = 'barrier' if edge['type'] == 'one-to-one' else 'one-to-one'
    elif what == 1 and edges:
        edges.pop(rng.randrange(len(edges)))
    elif what == 2 and stage['demands']:
        stage['demands'][rng.choice(sorted(stage['demands']))] = rng.choice((0, 0.5, 1, 3, 5, 6))
    elif what == 3:
        stage['duration'] = rng.randint(1, 9)
    else:
        cls = rng.choice(document['cluster']['classes'])
        cls['capacities'][rng.choice(sorted(cls['capacities']))] = rng.choice((6, 7, 10, 12))
        if rng.random() < 0.3:
            cls['count'] = rng.randint(1, 3)


def any_change(rng, document):
    rng.choice((change, change, rebuild, rebuild, change_job))(rng, document)
