"""False proofs, each refused by one rule of the checkers alone.

RULES is a table: a rule by its name, a document that breaks this rule and no other, and the change of
each checker that takes the rule away: (old, new) of tools/check_certificate.py, (file, old, new) of
the core. A checker without the rule accepts the document (check_proof_rules.py tries that in Python,
bench/proof_rules in both). None stands for a checker in which the rule cannot be broken alone, or
keeps it from reading what is not there; `why` says which.

What the documents claim is false: more than the optimum, which `optimum` finds by trying everything.
`form` marks those that may be true and are refused for their form.
"""
import itertools
import math
from fractions import Fraction


def document(stages, parts, edges=(), machines=((1, {'r': 1}),), tick=None, claim=None,
             per_second=1):
    """stages: name: (durations, demands), a list for several tasks; edges: (from, to) or with 1 behind
    them for one-to-one. Times are in so many a second, and the tick is one of them."""
    listed, resources, gcd = [], set(), 0
    for name, (durations, demands) in stages.items():
        durations = durations if isinstance(durations, list) else [durations]
        stage = {'id': name, 'tasks': len(durations), 'duration': durations[0],
                 'demands': demands if isinstance(demands, dict) else {'r': demands}}
        if len(set(durations)) > 1:
            stage['durations'] = [{'index': i, 'duration': d} for i, d in enumerate(durations)]
        listed.append(stage)
        resources |= set(stage['demands'])
        gcd = math.gcd(gcd, *durations)
    for _, capacities in machines:
        resources |= set(capacities)
    tick = tick or gcd
    total = sum(p['bound'] for p in parts) * tick if claim is None else claim
    if per_second > 1:
        tick, total = tick / per_second, total / per_second
        for stage in listed:
            stage['duration'] /= per_second
            for other in stage.get('durations', ()):
                other['duration'] /= per_second
    return {
        'format': 'bigrocks-bound/1', 'job': 'j',
        'lower_bound': total, 'bound_method': 'm', 'bound_status': 'proven',
        'core': {'lower_bound': total, 'method': 'm'}, 'lp': {'status': 'off'},
        'certificate': {'format': 'bigrocks-certificate/1', 'lower_bound': total, 'tick': tick,
                        'parts': parts},
        'resources': [{'name': r} for r in sorted(resources)],
        'cluster': {'classes': [{'class': 'c%d' % k, 'count': count, 'capacities': capacities}
                                for k, (count, capacities) in enumerate(machines)]},
        'stages': listed,
        'edges': [{'from': e[0], 'to': e[1], 'type': 'one-to-one' if len(e) > 2 else 'barrier'}
                  for e in edges]}


def optimum(form):
    """The least makespan, in seconds: all orders of the tasks, on all machines, each as early as can be."""
    stages = {s['id']: s for s in form['stages']}
    durations, demands, first = [], [], {}
    for s in form['stages']:
        first[s['id']] = len(durations)
        own = {d['index']: d['duration'] for d in s.get('durations', ())}
        durations += [Fraction(str(own.get(i, s['duration']))) for i in range(s['tasks'])]
        demands += [{r: Fraction(str(a)) for r, a in s['demands'].items()}] * s['tasks']
    n = len(durations)
    assert n <= 6, 'too many tasks to try everything'
    parents = [set() for _ in range(n)]
    for e in form['edges']:
        for i in range(stages[e['from']]['tasks']):
            for k in range(stages[e['to']]['tasks']):
                if e['type'] == 'barrier' or i == k:
                    parents[first[e['to']] + k].add(first[e['from']] + i)
    machines = [{r: Fraction(str(a)) for r, a in c['capacities'].items()}
                for c in form['cluster']['classes'] for _ in range(c['count'])]
    best = sum(durations) + 1

    def fits(placed, t, m, at):
        times = [at] + [s for _, s, _, k in placed if k == m and at < s < at + durations[t]]
        for time in times:
            held = dict(demands[t])
            for u, s, e, k in placed:
                if k == m and s <= time < e:
                    for r, a in demands[u].items():
                        held[r] = held.get(r, 0) + a
            if any(a > machines[m].get(r, 0) for r, a in held.items()):
                return False
        return True

    for order in itertools.permutations(range(n)):
        if any(order.index(p) > k for k, t in enumerate(order) for p in parents[t]):
            continue
        for choice in itertools.product(range(len(machines)), repeat=n):
            placed, end = [], 0
            for t in order:
                ready = max([e for u, _, e, _ in placed if u in parents[t]], default=0)
                starts = [s for s in sorted({ready} | {e for _, _, e, _ in placed if e > ready})
                          if fits(placed, t, choice[t], s)]
                if not starts:
                    end = best
                    break
                placed.append((t, starts[0], starts[0] + durations[t], choice[t]))
                end = max(end, placed[-1][2])
                if end >= best:
                    break
            best = min(best, end)
    return best


RULES = []
CHECK, WINDOWS = 'planner/check/proofs/certificate.c', 'planner/check/proofs/windows.c'
ROUNDS, PRICES = 'planner/check/proofs/rounds.c', 'planner/check/proofs/prices.c'
CLAUSES, AHEAD, CROWD = ('planner/check/%s.c' % name for name in ('clauses', 'ahead', 'crowd'))
CASES = 'planner/check/proofs/cases.c'
MEASURES, LINE, HEAVY = ('planner/check/%s.c' % name for name in ('measures', 'lines', 'heavy'))


def rule(name, form, python, core, why='', only_form=False):
    RULES.append({'name': name, 'document': form, 'python': python, 'core': core, 'why': why,
                  'form': only_form})


def energy(bound, begin, end, measure=None, **more):
    return dict({'bound': bound, 'kind': 'energy', 'measures': [measure or {'resource': 'r'}],
                 'from': begin, 'to': end, 'measure': 0}, **more)


def weights(**stages):
    return {'weights': [{'stage': s, 'weight': w} for s, w in stages.items()]}


def rounds(bound, begin, end, measure=None, **more):
    return dict(energy(bound, begin, end, measure, **more), kind='rounds')


def path(bound, *links, **more):
    return dict({'bound': bound, 'kind': 'path', 'path': [
        {'stage': link} if isinstance(link, str) else {'stage': link[0], 'task': link[1]}
        for link in links]}, **more)


def window(bound, **more):
    return dict({'bound': bound, 'kind': 'window'}, **more)


def prices(bound, steps, chains=(), **more):
    return dict({'bound': bound, 'kind': 'prices', 'prices': [
        {'stage': s, 'steps': list(map(list, p))} for s, p in steps],
        'chains': [{'from': a, 'to': b, 'shares': [{'stage': s, 'share': x} for s, x in shares]}
                   for a, b, shares in chains]}, **more)


def clauses(bound, *lists, **more):
    return dict({'bound': bound, 'kind': 'clauses', 'clauses': [[list(part) for part in one] for one in lists]},
                **more)


WIDE = ((1, {'r': 10}),)
TWO = ((1, {'r': 10, 'q': 10}),)
# Two tasks behind two others, each behind its own: b[0] need not wait for a[1].
PIPE = {'a': ([1, 5], {'r': 1}), 'b': ([5, 1], {'r': 1})}
# The same on a slot for each stage: 11 by turns, 14 if one waited for all of the other.
TURNS = {'a': ([3, 4], {'r': 10}), 'b': ([4, 3], {'q': 10})}

# --- the sum, the parts and the cuts -------------------------------------------------------------------

A = {'a': (3, 1), 'z': (1, {})}
AB = {'a': (3, 1), 'b': (4, 1)}
rule('a bound is what the proof proves', document(A, [path(3, 'a')], claim=4),
     ("need(bound >= Fraction(given['lower_bound'])", "need(True"),
     (CHECK, 'claimed_ns < bound_ns', 'false'))
rule('the tick is the durations\' own', document(A, [path(3, 'a')], tick=2),
     None, (CHECK, 'c->tick_ns != whole->tick_ns', 'false'),
     why='Python multiplies by the tick that it has found itself')
rule('no part is empty', document({'a': (1, 1)}, [path(1, 'a', stages=['a']), path(1, 'a')]),
     None, (CHECK, 'if (c->part[k].stages == 0)', 'if (false)'),
     why='in Python the path would leave it, too')
rule('a stage is listed once', document(
    {'p': (4, 1), 's': (1, 1)}, [window(7, stages=['p', 'p', 's'], measures=[{'resource': 'r'}], windows=[
        {'heads': [{'stage': 's', 'at': 6, 'from': 1, 'to': 4, 'measure': 0}]}])], [('p', 's')]),
    ('''            need(s not in owner, "'%s' is in two parts", name)\n''', ''), None,
    why='in the core the number of stages listed would be wrong, too')
rule('cut: an edge for every source', document(
    {'a': (5, 1), 'b': (1, 1), 'c': (1, 1), 'd': (5, 1)},
    [path(5, 'a', stages=['a', 'b']), path(5, 'd', stages=['c', 'd'])],
    [('a', 'c'), ('b', 'c'), ('b', 'd')], WIDE),
    ("need(sources <= joined,", "need(sources & joined,"),
    (CHECK, 'barriers != sources[owner[s] + 1]', 'barriers == 0'))
rule('cut: edges to other parts do not count', document(
    {'a': (5, 1), 'b': (1, 1), 'c': (5, 1), 'd': (1, 1)},
    [path(5, 'a', stages=['a']), path(5, 'c', stages=['b', 'c']), path(1, 'd', stages=['d'])],
    [('a', 'b'), ('a', 'd'), ('b', 'd'), ('c', 'd')], WIDE),
    None, (CHECK, 'owner[child] == owner[s] + 1 && ', ''), why='Python compares sets')
rule('cut: only sources count', document(
    {'a': (5, 1), 'b': (1, 1), 'c': (5, 1), 'd': (1, 1)},
    [path(5, 'a', stages=['a']), path(5, 'c', stages=['b', 'c', 'd'])],
    [('a', 'b'), ('b', 'd'), ('a', 'd')], WIDE),
    None, (CHECK, 'source[child] && ', ''), why='Python compares sets')
rule('cut: its edges are barriers', document(
    PIPE, [path(5, 'a', stages=['a']), path(5, 'b', stages=['b'])], [('a', 'b', 1)], WIDE),
    ("joined = {c for c, one in job.children[s] if not one}", "joined = {c for c, one in job.children[s]}"),
    (CHECK, ' && !in->child[a].one_to_one;', ';'))
rule('cut: every sink has them', document(
    {'a': (1, 1), 'b': (5, 1), 'c': (5, 1)},
    [path(5, 'b', stages=['a', 'b']), path(5, 'c', stages=['c'])], [('a', 'c')], WIDE),
    ('sinks = [s for s in a.stages if not a.children[s]]', 'sinks = a.stages[:1]'),
    (CHECK, 'if (sink && owner[s] + 1', 'if (sink && s == 0 && owner[s] + 1'))
rule('the parts\' order', document(
    AB, [path(4, 'b', stages=['b']), path(3, 'a', stages=['a'])], [('a', 'b')], claim=7),
    ("need(sources <= joined,", "need(True,"),
    (CHECK, 'barriers != sources[owner[s] + 1]', 'false'), only_form=True)

# --- paths ---------------------------------------------------------------------------------------------

rule('path: an edge from link to link', document(AB, [path(7, 'a', 'b')], [], WIDE),
     ('need(kind is False or', 'need(kind is None or kind is False or'),
     (CHECK, '''            return !in->child[a].one_to_one || (i != UINT32_MAX && i == k);
    return false;''', '''            return !in->child[a].one_to_one || (i != UINT32_MAX && i == k);
    return true;'''))
rule('path: no whole stages over one-to-one edges', document(
    TURNS, [path(14, 'a', 'b')], [('a', 'b', 1)], TWO),
    ('kind and task is not None and task == last[1]', 'kind and task == last[1]'),
    (CHECK, 'i != UINT32_MAX && i == k', 'i == k'))
rule('path: equal tasks over one-to-one edges', document(
    PIPE, [path(10, ('a', 1), ('b', 0))], [('a', 'b', 1)], WIDE),
    ('kind and task is not None and task == last[1]', 'kind and task is not None'),
    (CHECK, 'i != UINT32_MAX && i == k', 'i != UINT32_MAX'))
rule('path: its links are in the part', document(
    AB, [path(4, 'b', stages=['a']), path(4, 'b', stages=['b'])], [('a', 'b')]),
    ('need(s in part.parents and (task', 'need((task'), None,
    why='the core would read beyond its stages')
rule('path: takes its bound', document(A, [path(4, 'a')]),
     ("need(total >= proof['bound']", "need(True"), (CHECK, '!status && sum < proof->bound', 'false'))
rule('path: the rounds of a stage', document({'a': ([1, 1], 5)}, [path(2, 'a')], [], WIDE),
     ('        return min(slots, len(self.durations[s]))', '        return 1'),
     (CHECK, '''sum += i == UINT32_MAX ? br_alone_rounds(in, s, scratch)''',
      '''sum += i == UINT32_MAX ? 2 * br_alone_rounds(in, s, scratch)'''))

# --- measures ------------------------------------------------------------------------------------------

SHARED = {'a': (3, 4), 'b': (4, 6)}
rule('clique: no two share a machine', document(
    SHARED, [energy(5, 0, 4, {'clique': ['a', 'b']})], [], WIDE),
    ('need(job.machines == 1 and', 'need(True or job.machines == 1 and'),
    (MEASURES, 'if (!exclude(c, s, u))', 'if (false)'))
rule('clique: nor two tasks of a stage', document(
    {'a': ([3, 4], 5)}, [energy(5, 0, 4, {'clique': ['a']})], [], WIDE),
    ("need(len(job.durations[s]) == 1 or not fits[i] >> i & 1", "need(True"),
    (MEASURES, 'c->in->stage_first[s] > 1 && !exclude(c, s, s)', 'c->in->stage_first[s] > 1 && false'))
rule('clique: all machines are looked at', document(
    {'a': (4, 4), 'b': ([3, 4], 6)}, [energy(5, 0, 4, {'clique': ['a', 'b']})], [],
    ((1, {'r': 6}), (1, {'r': 10}))),
    ('for _, capacity in job.classes])', 'for _, capacity in job.classes[:1]])'),
    (MEASURES, 'k < in->classes && !fit', 'k < 1 && !fit'))
rule('clique: wholly ahead, not task by task', document(
    {'a': ([3, 4], {'r': 6}), 'b': ([4, 3], {'q': 6})},
    [energy(12, 0, 11, {'clique': ['a', 'b']})], [('a', 'b', 1)], TWO),
    ('every[s] |= every[p] if one else some[p]', 'every[s] |= some[p]'),
    (AHEAD, 'if (in->child[a].one_to_one)', 'if (false)'))
rule('clique: as many at a time as machines', document(
    {'a': ([3, 4], 6)}, [energy(5, 0, 4, {'clique': ['a']})], [], ((2, {'r': 10}),)),
    ('self.capacity = dict.fromkeys(members, 1), job.machines', 'self.capacity = dict.fromkeys(members, 1), 1'),
    (MEASURES, 'out->capacity = c->in->machines;', 'out->capacity = 1;'))
rule('units: whole ones of a demand', document(
    {'a': ([3, 3, 4], 1)}, [energy(5, 0, 4, {'resource': 'r', 'unit': 2})], [], ((1, {'r': 4}),)),
    ('amount = (lambda a: a // unit)', 'amount = (lambda a: -(-a // unit))'),
    (MEASURES, '*units = (int64_t)(held / size);', '*units = (int64_t)((held + size - 1) / size);'))
rule('units: of all machines', document(
    {'a': ([3, 4], 6)}, [energy(5, 0, 4, {'resource': 'r', 'unit': 6})], [], ((2, {'r': 10}),)),
    ('sum(n * amount(', 'sum(amount('),
    (MEASURES, '!__builtin_mul_overflow(units, count, &units) &&', ''))
# Two of a, b and c fit together, but not all three.
THREE = {'a': (2, {'r': 1, 'q': 1}), 'b': (2, {'r': 1, 'q': 1}), 'c': (3, {'r': 1, 'q': 1})}
rule('weights: the heaviest set, not the heaviest task', document(
    THREE, [energy(5, 0, 4, weights(a=1, b=1, c=1))], [], ((1, {'r': 2, 'q': 2}),)),
    ('self.capacity = sum(n * Heaviest(Machine(part, c, list(self.weight)), self.weight).best',
     'self.capacity = sum(n * 1'),
    (MEASURES, '(br_wide)br_heaviest(heavy, k, m->weight, &nodes)', '(br_wide)1'))
rule('weights: what all machines hold', document(
    {'a': ([3, 4], 6)}, [energy(5, 0, 4, weights(a=2))], [], ((2, {'r': 10}),)),
    ('sum(n * Heaviest(', 'sum(Heaviest('),
    (MEASURES, """(br_wide)br_heaviest(heavy, k, m->weight, &nodes) *
                (in->class_first[k + 1] - in->class_first[k]);""",
     '(br_wide)br_heaviest(heavy, k, m->weight, &nodes);'))
rule('weights: all classes hold', document(
    {'a': ([3, 4], 6)}, [energy(5, 0, 4, weights(a=2))], [], ((1, {'r': 10}), (1, {'r': 7}))),
    ('for n, c in job.classes)\n            return', 'for n, c in job.classes[:1])\n            return'),
    (MEASURES, 'heavy && k < in->classes', 'heavy && k < 1'))
rule('weights: each once', document(
    {'a': (2, 1), 'b': (3, 1)}, [energy(5, 0, 4, {'weights': [
        {'stage': 'a', 'weight': 1}, {'stage': 'a', 'weight': 1}, {'stage': 'b', 'weight': 1}]})],
    [], ((1, {'r': 1}),)),
    ('s not in self.weight and', ''), (MEASURES, 'out->weight[s] || m->weight', 'm->weight'),
    only_form=True)
rule('weights: whole numbers above 0', document(
    {'a': ([2, 3], 1), 'b': (1, 0)}, [energy(5, 0, 4, weights(a=1, b=0))], [], ((1, {'r': 1}),)),
    ('1 <= weight <= PRICE', 'weight <= PRICE'), (MEASURES, 'm->weight[i] < 1', 'm->weight[i] < 0'),
    only_form=True)

# --- energy --------------------------------------------------------------------------------------------

CHAIN = {'p': (3, 1), 'a': (2, 1), 'c': (3, 1)}
CHAIN_EDGES = [('p', 'a'), ('a', 'c')]
rule('energy: the interval does not run backward', document(A, [energy(4, 2, 1)]),
     ("need(0 <= begin < end <= windows.makespan, 'the interval is not within the makespan')\n"
      "    need(number < len(windows.measures), 'there is no such measure')\n"
      "    measure = windows.measures[number]\n    total",
      "need(0 <= begin and end <= windows.makespan, '')\n"
      "    measure = windows.measures[number]\n    total"),
    (WINDOWS, "proof->from < 0 || proof->to <= proof->from ||", "proof->from < 0 ||"))
rule('energy: more than there is room for', document(
    {'a': ([3, 4], 1)}, [energy(8, 0, 7)]),
    ('need(total > measure.capacity * (end - begin), \'what has to run',
     'need(total >= measure.capacity * (end - begin), \'what has to run'),
    (WINDOWS, 'if (sum > (br_wide)m->capacity * (proof->to - proof->from))',
     'if (sum >= (br_wide)m->capacity * (proof->to - proof->from))'))
rule('mandatory: no more than the task', document(
    CHAIN, [energy(9, 0, 8)], CHAIN_EDGES),
    ('max(0, min(d, end - begin,', 'max(0, min(end - begin,'),
    (WINDOWS, 'int64_t part = smaller(duration, to - from);', 'int64_t part = to - from;'))
rule('mandatory: no more than the interval', document(
    {'a': (6, 1), 'z': (1, {})}, [energy(7, 2, 4)]),
    ('max(0, min(d, end - begin,', 'max(0, min(d,'),
    (WINDOWS, 'int64_t part = smaller(duration, to - from);', 'int64_t part = duration;'))
rule('mandatory: it may start at its head', document(
    {'a': ([2, 2], 1), 'z': (1, {})}, [energy(5, 3, 4)]),
    ('head + d - begin, ', ''),
    (WINDOWS, '    part = smaller(part, head + duration - from);\n', ''))
rule('mandatory: it may end at its deadline', document(
    {'a': ([2, 2], 1), 'z': (1, {})}, [energy(5, 0, 1)]),
    (', end - (deadline - d)))', '))'),
    (WINDOWS, '    part = smaller(part, to - (deadline - duration));\n', ''))

# --- rounds --------------------------------------------------------------------------------------------

BOTH = {'a': ([2, 3], 1)}
LINES = ((1, {'r': 2}),)
rule('rounds: of those with their heads behind the beginning', document(BOTH, [rounds(6, 2, 5)]),
     ('if windows.stage_head[s] >= begin and windows.makespan', 'if windows.makespan'),
     (ROUNDS, 'c->stage_head[s] >= c->proof->from && ', ''))
rule('rounds: of those with their tails before the end', document(BOTH, [rounds(6, 0, 3)]),
     ('windows.stage_head[s] >= begin and windows.makespan - windows.stage_tail[s] <= end:',
      'windows.stage_head[s] >= begin:'),
     (ROUNDS, ' && c->makespan - c->stage_tail[s] <= c->proof->to', ''))
rule('rounds: more than the interval', document(BOTH, [rounds(6, 0, 5)]),
     ('need(most > end - begin', 'need(most >= end - begin'),
     (ROUNDS, 'm->capacity) > proof->to', 'm->capacity) >= proof->to'))
rule('rounds: as many lines as the capacity', document(BOTH, [rounds(4, 0, 3)], [], LINES),
     ('-(-longest(copies) // capacity))\n', '-(-longest(copies)))\n'),
     (ROUNDS, 'br_lines_time(group, groups, m->capacity)', 'br_lines_time(group, groups, 1)'))


def values(bound, begin, end, *pairs):
    return rounds(bound, begin, end, values=[{'stage': s, 'value': v} for s, v in pairs])


rule('values: each once', document(A, [values(5, 0, 4, ('a', 1), ('a', 1))]),
     ('s not in seen and ', ''), (ROUNDS, 'seen[s] || ', ''))
# Two lines of 6 ticks hold the tasks, one each of the two kinds; the shorter a line is taken to be, the sooner
# the search for the best ends.
TWO_KINDS = {'a': (4, 1), 'b': ([3, 3], 1)}
rule('values: of those with their heads behind the beginning', document(
    TWO_KINDS, [values(7, 3, 6, ('a', 41), ('b', 30))], [], LINES),
    ('windows.stage_head[s] >= begin and\n', 'True and\n'),
    (ROUNDS, 'c->stage_head[s] >= c->proof->from && ', ''))
rule('values: of those with their tails before the end', document(
    TWO_KINDS, [values(7, 0, 3, ('a', 41), ('b', 30))], [], LINES),
    ('windows.makespan - windows.stage_tail[s] <= end and min', 'min'),
    (ROUNDS, ' && c->makespan - c->stage_tail[s] <= c->proof->to', ''))
rule('values: worth more than the lines', document(BOTH, [values(6, 0, 5, ('a', 1))]),
     ('need(worth > best * capacity', 'need(worth >= best * capacity'),
     (ROUNDS, '(worth - 1) / m->capacity', 'worth / m->capacity'))
rule('values: all lines count', document(
    {'a': ([3, 4], 1)}, [values(5, 0, 4, ('a', 1))], [], LINES),
    ('need(worth > best * capacity', 'need(worth > best'),
    (ROUNDS, '(worth - 1) / m->capacity', 'worth - 1'))
rule('values: the shortest of a stage counts', document({'a': ([1, 4, 1], 1)}, [values(7, 0, 6, ('a', 1))]),
     ('Fraction(value, min(job.durations[s])), min(job.durations[s])',
      'Fraction(value, 1), max(job.durations[s])'),
     (ROUNDS, 'in->duration[t] < shortest ? in->duration[t] : shortest', 'in->stage_longest[s]'))
rule('values: as many copies as there are', document({'a': ([3, 4], 1)}, [values(5, 0, 4, ('a', 1))], [], LINES),
     ('        worth += copies * value', '        worth += 2 * copies * value'),
     (ROUNDS, 'worth += copies * value;', 'worth += 2 * copies * value;'))

AHEAD = {'p': (2, {}), 'a': (3, 1), 'b': (2, 1)}
rule('values: before a head there is room for what may start there', document(
    AHEAD, [values(6, 0, 5, ('a', 1), ('b', 1))], [('p', 'b')]),
    ('if a <= head and tail <= b]', 'if tail <= b]'),
    (LINE, 'v->before >= l->kind[i].before && ', ''))
rule('values: behind a tail there is room for what may end there', document(
    AHEAD, [values(6, 0, 5, ('a', 1), ('b', 1))], [('b', 'p')]),
    ('if a <= head and tail <= b]', 'if a <= head]'),
    (LINE, ' && v->behind >= l->kind[k].behind', ''))
rule('values: all the time between a head and a tail', document(
    {'p': (2, {}), 'b': ([1, 1], 1), 'e': (2, {})}, [values(7, 2, 4, ('b', 1))], [('p', 'b'), ('b', 'e')]),
    ('(a, b): b - a for', '(a, b): b - a - 1 for'),
    (LINE, 'length - l.kind[i].before - l.kind[k].behind', 'length - l.kind[i].before - l.kind[k].behind - 1'))
rule('values: what is tried and left makes room again', document(
    TWO_KINDS, [values(7, 0, 6, ('a', 41), ('b', 30))], [], LINES),
    ('                spans[span] += n * d', '                spans[span] += 0'),
    (LINE, '        take(l, v, -n * v->duration);\n', ''))

rule('values: worth that 63 bits do not hold', document(
    {'a': (1, 2**32), 'b': (2**33, {})}, [values(2**33 + 1, 0, 2**33, ('a', 2**31))], [], ((1, {'r': 2**32}),),
    per_second=1000),
    None, (LINE, 'worth += (br_wide)v->value * v->count;',
          'worth += (int64_t)((uint64_t)v->value * (uint64_t)v->count);'),
    why='Python counts on')

# --- windows -------------------------------------------------------------------------------------------

rule('window: something does not fit', document(A, [window(4)]),
     ("need(proof['kind'] != 'window', 'every stage fits its window')",
      "if proof['kind'] == 'window':\n        return"),
     (CHECK, 'return br_proof_fails(check, "every stage fits its window within %" PRId64 " ticks",\n'
      '                              check->makespan);', 'return BR_OK;'))
rule('window: a stage that fits exactly', document(BOTH, [window(6)]),
     ('self.job.rounds[s] + self.stage_tail[s] > self', 'self.job.rounds[s] + self.stage_tail[s] >= self'),
     (WINDOWS, 'c->rounds[s] + c->stage_tail[s] > c->makespan', 'c->rounds[s] + c->stage_tail[s] >= c->makespan'))
rule('window: a task that fits exactly', document({'a': ([3, 1], 1), 'b': (1, 1)}, [window(4)], [], WIDE),
     ('any(h + d + t > self', 'any(h + d + t >= self'),
     (WINDOWS, 'in->duration[t] + c->tail[t] > c->makespan', 'in->duration[t] + c->tail[t] >= c->makespan'))
rule('heads: only barriers make all wait', document(TURNS, [window(12)], [('a', 'b', 1)], TWO),
     ('base = max([done[p] for p, one in ahead[s] if not one], default=0)',
      'base = max([done[p] for p, one in ahead[s]], default=0)'),
     (WINDOWS, '        if (!arc[a].one_to_one)\n            base =', '        base ='))
rule('heads: task by task over one-to-one edges', document(PIPE, [window(7)], [('a', 'b', 1)], WIDE),
     ('[max(h, hp + d) for h, hp, d in zip(head[s], head[p], tasks[p])]',
      '[max(h, max(head[p]) + max(tasks[p])) for h in head[s]]'),
     (WINDOWS, 'in->duration[other + t - first]);', 'in->stage_longest[arc[a].stage]);'))
MIXED = document({'a': ([1, 3], 1), 'b': ([3, 1], 1), 'c': (1, 1)}, [window(6)],
                 [('a', 'b', 1), ('b', 'c')], WIDE)
rule('ends: the shortest task behind the last parent', MIXED,
     ('done[s] = max(done[s], done[p] + min(tasks[s]))', 'done[s] = max(done[s], done[p] + max(tasks[s]))'),
     (WINDOWS, 'p->done[arc[a].stage] + shortest', 'p->done[arc[a].stage] + in->stage_longest[s]'))
rule('ends: the rounds from the first head', MIXED,
     ('least[s] + self.job.rounds[s])', 'max(head[s]) + self.job.rounds[s])'),
     (WINDOWS, 'done = larger(done, least + p->c->rounds[s]);', 'done = larger(done, most + p->c->rounds[s]);'))
rule('ends: the work of those that start late, by slots', MIXED,
     ('h + -(-total // self.job.slots[s])', 'h + total'),
     (WINDOWS, 'p->scratch[i].head + ceiling(sum, p->c->slots[s])', 'p->scratch[i].head + sum'))
rule('ends: late ones first', MIXED,
     ('for h, d in sorted(zip(head[s], tasks[s]), reverse=True):', 'for h, d in sorted(zip(head[s], tasks[s])):'),
     (WINDOWS, 'x->head > y->head ? -1 : x->head < y->head', 'x->head < y->head ? -1 : x->head > y->head'))

# --- claims --------------------------------------------------------------------------------------------


def claimed(bound, stage, at, begin, end, side='heads', before=()):
    return window(bound, measures=[{'resource': 'r'}], windows=[*before, {
        side: [{'stage': stage, 'at': at, 'from': begin, 'to': end, 'measure': 0}]}])


rule('claim: more than there is room for', document(
    {'p': (4, 1), 's': (1, 1)}, [claimed(6, 's', 5, 0, 4)], [('p', 's')]),
    ('need(total > measure.capacity * (end - begin),\n             "the claim',
     'need(total >= measure.capacity * (end - begin),\n             "the claim'),
    (WINDOWS, '    if (sum > room)', '    if (sum >= room)'))
rule('claim: its interval does not run backward', document(A, [claimed(4, 'a', 2, 2, 1)]),
     ('need(0 <= begin < end <= self.makespan and 0 <=', 'need(0 <='),
     (WINDOWS, 'claim->to <= claim->from ||', ''))
rule('claim: those ahead end before, not earlier', document(
    {'p': ([2, 2], 1), 's': (1, 1)}, [claimed(6, 's', 5, 0, 3)], [('p', 's')]),
    ('deadline = min(deadline, at - 1)', 'deadline = min(deadline, at - 2)'),
    (WINDOWS, 'deadline = smaller(deadline, claim->at - 1);', 'deadline = smaller(deadline, claim->at - 2);'))
rule('claim: only what is ahead has ended', document(
    {'p': ([2, 3], 1), 's': (8, {})}, [claimed(9, 's', 5, 0, 4)]),
    ('if (before[u] >> s if backward else before[s] >> u) & 1]', 'if u != s]'),
    (WINDOWS, 'claim_weight(p, s, u, claim, ahead)', 'claim_weight(p, s, u, claim, s != u)'))
rule('claim: ahead, not behind', document(
    {'p': ([2, 3], 1), 's': (8, {})}, [claimed(14, 's', 5, 0, 4)], [('s', 'p')]),
    ('before[u] >> s if backward else before[s] >> u', 'before[u] >> s'),
    (WINDOWS, 'p->backward ? br_is_ahead(&c->ahead, s, u) : br_is_ahead(&c->ahead, u, s)',
     'br_is_ahead(&c->ahead, s, u)'))
rule('claim: from the end, behind and not ahead', document(
    {'p': ([2, 3], 1), 's': (8, {})}, [claimed(14, 's', 5, 0, 4, 'tails')], [('p', 's')]),
    ('before[u] >> s if backward else before[s] >> u', 'before[s] >> u'),
    (WINDOWS, 'p->backward ? br_is_ahead(&c->ahead, s, u) : br_is_ahead(&c->ahead, u, s)',
     'br_is_ahead(&c->ahead, u, s)'))
# q runs from 2 to 4 in 6; s may start from 1 on, so before q is no room for it, and behind is.
FIXED = {'x': (2, {}), 'q': (2, 1), 'y': (2, {}), 'w': (1, {}), 's': (2, 1)}
FIXED_EDGES = [('x', 'q'), ('q', 'y'), ('w', 's')]
rule('claim: its own task starts before', document(
    FIXED, [claimed(7, 's', 5, 2, 4, before=[{}])], FIXED_EDGES),
    ('min(deadline, at - 1 + d)', 'min(deadline, at - 2 + d)'),
    (WINDOWS, 'smaller(deadline, claim->at - 1 + shortest)', 'smaller(deadline, claim->at - 2 + shortest)'))
rule('claim: its own tasks last equally long', document(
    {'w': (1, {}), 'q': (1, 2), 't': (1, 1), 'v': (3, {}), 's': ([1, 4], 1)},
    [claimed(7, 's', 3, 1, 3, before=[{}])], [('w', 'q'), ('q', 't'), ('t', 'v'), ('w', 's')], LINES),
    ('if u == s and min(job.durations[u]) == max(job.durations[u]):', 'if u == s:'),
    (WINDOWS, '        if (!c->in->stage_equal[s])\n            early = 0;\n', ''))
rule('claim: one task starts early, not all', document(
    {'x': (1, {}), 'q': (2, 1), 'y': (2, {}), 's': ([2, 2, 2], 1)},
    [claimed(6, 's', 3, 1, 3, before=[{}])], [('x', 'q'), ('q', 'y')], LINES),
    ('amount += max(0, early', 'amount += len(job.durations[u]) * max(0, early'),
    (WINDOWS, 'sum += early - each;', 'sum += (early - each) * tasks_of(c->in, s);'))

# --- prices --------------------------------------------------------------------------------------------

FLAT = [[0, 1]]
PARALLEL = {'a': ([3, 4], 1)}
APART = {'a': (3, 1), 'b': (4, 1)}
LATE = {'a': ([2, 2], 1), 'z': (1, {})}
THREE = {'a': ([2, 2, 2], 1), 'z': (1, {})}
rule('prices: one for a stage', document(A, [prices(5, [('a', FLAT), ('a', FLAT)])]),
     None, (PRICES, 's == UINT32_MAX || p->index_of[s] != UINT32_MAX', 's == UINT32_MAX'),
     why='Python keeps the last of two')
rule('prices: from 0 on', document({'a': (6, 1), 'z': (1, {})}, [prices(7, [('a', [[5, 0], [9, 7]])])]),
     ('need(steps and steps[0][0] == 0', 'need(steps'), None,
     why='what the core counts as the price before is paid by the cluster alone')
rule('prices: steps in order', document({'a': (4, 1), 'z': (1, {})}, [
    prices(5, [('a', [[0, 1], [3, -10], [1, 1]])])]),
    ('need(not self.times or time > self.times[-1]', 'need(True'),
    (PRICES, '||\n                (k > 0 && price->step[k].from <= price->step[k - 1].from))', ')'))
rule('prices: the tasks pay more', document(A, [prices(4, [('a', FLAT)])]),
     ('need(tasks_pay > cluster_pays', 'need(tasks_pay >= cluster_pays'),
     (PRICES, 'else if (asked <= held)', 'else if (asked < held)'))
rule('prices: every machine holds a set', document(PARALLEL, [prices(5, [('a', FLAT)])], [], ((2, {'r': 1}),)),
     ('sum(count * Heaviest(', 'sum(Heaviest('),
     (PRICES, '(br_wide)(in->class_first[m + 1] - in->class_first[m]) * most', '(br_wide)most'))
rule('prices: a set has several tasks of a stage', document(PARALLEL, [prices(5, [('a', FLAT)])], [], WIDE),
     ('self.most = {s: job.fit(s, capacity)', 'self.most = {s: min(1, job.fit(s, capacity))'),
     (HEAVY, 'uint32_t n = left->fit[i]; n > 0', 'uint32_t n = 1; n > 0'))
rule('prices: a set has stages that are not ordered', document(APART, [
    prices(5, [('a', FLAT), ('b', FLAT)])], [], WIDE),
    ('for s in ones(before[u] & inside):', 'for s in stages:'),
    (HEAVY, 'return !br_is_ahead(h->ahead, s, u) && !br_is_ahead(h->ahead, u, s);', 'return false;'))
rule('prices: within the windows, from the head on', document(A, [prices(4, [('a', FLAT)])]),
     ('if w > 0 and windows.stage_head[s] <= begin', 'if w > 0 and windows.stage_head[s] < begin'),
     (PRICES, 'time < c->stage_head[s] ||', 'time <= c->stage_head[s] ||'))
rule('prices: they change with their steps', document(A, [prices(4, [('a', [[0, 0], [1, 5]])])]),
     ('points.update(prices[s].times)', 'pass'),
     (PRICES, 'add_point(p, proof->price[v].step[k].from);', ';'))
rule('prices: and with the windows', document(
    {'p': (2, {}), 'a': (3, 1)}, [prices(6, [('a', FLAT)])], [('p', 'a')]),
    ('points.update((windows.stage_head[s], makespan', 'points.update((0, makespan'),
    (PRICES, 'add_point(p, c->stage_head[p->stage[v]]);', ''))
rule('least price: at the head', document(LATE, [prices(5, [('a', [[0, 0], [2, 1]])])]),
     ('starts = {head, deadline - d}', 'starts = {deadline - d}'),
     (PRICES, 'br_wide least = paid(price, head, head + duration);', 'br_wide least = INT64_MAX;'))
rule('least price: at the latest start', document(LATE, [prices(5, [('a', [[0, 1], [2, 0]])])]),
     ('starts = {head, deadline - d}', 'starts = {head}'),
     (PRICES, 'least = late < least ? late : least;', ''))
rule('least price: where it starts with a step', document(
    THREE, [prices(7, [('a', [[0, 0], [1, 4], [2, 0], [3, 2]])])]),
    ('for x in (time, time - d) if', 'for x in (time - d,) if'),
    (PRICES, 'for (int side = 0; side < 2; side++)', 'for (int side = 1; side < 2; side++)'))
rule('least price: where it ends with a step', document(
    THREE, [prices(7, [('a', [[0, 2], [3, 0], [4, 4], [5, 0]])])]),
    ('for x in (time, time - d) if', 'for x in (time,) if'),
    (PRICES, 'for (int side = 0; side < 2; side++)', 'for (int side = 0; side < 1; side++)'))
CHAINED = [(0, 4, [('a', 1), ('b', 1)])]
rule('chain: each wholly ahead of the next', document(APART, [
    prices(5, [('a', FLAT), ('b', FLAT)], CHAINED)], [], WIDE),
    ('need(part.before()[s] >> u & 1,', 'need(True,'),
    (PRICES, 'if (!br_is_ahead(&c->ahead, u, s))', 'if (false)'))
rule('chain: its slots', document(PARALLEL, [prices(5, [('a', FLAT)], [(0, 4, [('a', 1)])])], [], WIDE),
     ('share * job.slots[s] for', 'share for'),
     (PRICES, '(br_wide)chain->share[i] * (br_wide)c->slots[s]', '(br_wide)chain->share[i]'))
rule('chain: its largest share', document(APART, [
    prices(8, [('a', [[0, 3]]), ('b', FLAT)], [(0, 7, [('a', 3), ('b', 1)])])], [('a', 'b')]),
    ('back = max([share', 'back = min([share'),
    (PRICES, 'most = share > most ? share : most;', 'most = share;'))
rule('chain: shares are not below 0', document({'u': (4, 10), 's': ([1, 1, 1], 1)}, [
    prices(6, [('u', [[0, 10]]), ('s', [[0, 0]])], [(0, 5, [('s', -1)])])], [], WIDE),
    ('s in prices and share >= 0', 's in prices'), None,
    why='in the core the largest of them is at least 0')

# --- clauses -------------------------------------------------------------------------------------------

EMPTY = ([], [])
rule('clauses: task by task over one-to-one edges', document(PIPE, [clauses(7, EMPTY)], [('a', 'b', 1)], WIDE),
     ('for k in ([i] if one else range(len(job.durations[c])))', 'for k in range(len(job.durations[c]))'),
     (CLAUSES, '                if (in->child[a].one_to_one) {', '                if (false) {'))
rule('clauses: each follows', document(A, [clauses(5, ([1, 2], []))]),
     ("raise Refused('clause %d does not follow' % number)", 'pass'),
     (CLAUSES, '        if (!c->contradiction)\n            return BR_CLAUSES_GAP;\n', ''))
rule('clauses: from earlier ones', document(A, [clauses(4, ([], [1]))]),
     None, (CLAUSES, 'if (clause[number].hint[k] >= number)', 'if (false)'),
     why='Python does not know later ones yet')
rule('clauses: up to a contradiction', document(A, [clauses(4)]),
     ("raise Refused('the clauses leave a plan of %d ticks possible' % (bound - 1))", 'return'),
     (CLAUSES, 'BR_CLAUSES_PROVE : BR_CLAUSES_SHORT', 'BR_CLAUSES_PROVE : BR_CLAUSES_PROVE'))
EITHER = ([1, 2, -1, 1, 1, 2], [])
rule('clauses: of several literals none holds alone', document(A, [clauses(5, EITHER)]),
     ('if len(literals) == 1:', 'if literals:'),
     (CLAUSES, 'if (clause[k].literals == 1)', 'if (clause[k].literals >= 1)'))
rule('clauses: the last open literal holds, not one of two', document(
    {'a': (4, 1), 'b': (4, 1), 'z': (1, {})},
    [clauses(9, ([1, 1, -1, 0, 1, 1], []), ([-1, 3, 1, 4, -1, 3], []), ([], [1, 2]))]),
    ('                        if left:\n                            break\n', ''),
    (CLAUSES, '        if (open)\n            return;\n', ''))
rule('time-table: not against itself', document(
    {'a': (4, 6), 'b': (1, 6)}, [clauses(6, EMPTY)], [], WIDE),
    (' and not own <= b < own_end:\n                    early', ':\n                    early'),
    (CLAUSES, '(own_from < own_to && from >= own_from && to <= own_to)', 'false'))
rule('time-table: what fits exactly fits', document(
    {'a': (4, 4), 'b': (1, 6), 'c': (1, 6)}, [clauses(5, EMPTY)], [], WIDE),
    ('int(a * scale), self', 'int(a * scale) + 1, self'),
    (CLAUSES, '.held + demand <= in->capacity[resource]', '.held + demand < in->capacity[resource]'))
rule('time-table: what is held may be all', document(
    {'a': (4, 4), 'b': (4, 6), 'c': (1, 4)}, [clauses(6, EMPTY)], [], WIDE),
    ('if peak > capacity:', 'if peak >= capacity:'),
    (CLAUSES, 'held > in->capacity[resource]', 'held >= in->capacity[resource]'))
rule('time-table: what ends before is not pushed', document(
    {'p': (2, {}), 'a': (2, 6), 'b': (1, 6)}, [clauses(5, EMPTY)], [('p', 'a')], WIDE),
    ('                if b >= early + d:\n                    break\n', ''),
    (CLAUSES, 'if (c->now.least[task] < to && c->now.least[task] + duration > from)',
     'if (c->now.least[task] < to)'))
rule('time-table: what starts behind is not pulled', document(
    {'a': (2, 6), 'q': (2, {}), 'b': (1, 6)}, [clauses(5, EMPTY)], [('a', 'q')], WIDE),
    ('                if e <= late:\n                    break\n', ''),
    (CLAUSES, 'if (c->now.most[task] < to && c->now.most[task] + duration > from)',
     'if (c->now.most[task] + duration > from)'))
rule('clauses: tasks behind their own are not equal', document(
    {'p': ([5, 1], {}), 'a': ([2, 2], 1), 'c': ([1, 3], {})}, [clauses(9, EMPTY)],
    [('p', 'a', 1), ('a', 'c', 1)], WIDE),
    ('if any(one for _, one in part.parents[s] + part.children[s]):', 'if False:'),
    (CLAUSES, '        if (has_one_to_one(in, s))\n            continue;\n', ''))
rule('clauses: nor those of other durations', document(
    {'a': ([1, 4], 1), 'b': (3, 1), 'z': (1, {})}, [clauses(5, EMPTY)], [('b', 'z')], ((1, {'r': 2}),)),
    ('for t, d in enumerate(job.durations[s], first[s]):', 'for t, d in ((k, 0) for k, _ in enumerate('
     'job.durations[s], first[s])):'),
    (CLAUSES, 'item[k].key == item[k - 1].key', 'true'))

# --- orders of rivals ------------------------------------------------------------------------------------

LATE_FIRST = {'p': (2, {}), 'a': (2, 6), 'b': (2, 6), 'z': (1, {})}
THREE = {'a': (3, 6), 'b': (3, 6), 'c': (3, 6), 'z': (1, {})}
LATE_SECOND = {'p': (2, {}), 'b': (2, 6), 'a': (2, 6), 'z': (1, {})}
rule('rivals: what fits exactly can run together', document(
    {'a': (2, 5), 'b': (2, 5), 'z': (1, 1)}, [clauses(4, EMPTY)], [], WIDE),
    ('if a + b > capacity', 'if a + b >= capacity'),
    (CLAUSES, 'if (one[r] > in->capacity[r] - two[r])', 'if (one[r] >= in->capacity[r] - two[r])'))
rule('rivals: what takes no time is none', document(
    {'p': (1, {}), 'a': (0, 10), 'q': (2, {}), 'b': (3, 10)}, [clauses(4, EMPTY)], [('p', 'a'), ('a', 'q')], WIDE),
    ('enumerate(job.durations[s]) if d]', 'enumerate(job.durations[s])]'),
    (CLAUSES, 'return in->duration[a] > 0 && in->duration[b] > 0;', 'return true;'))
rule('rivals: the second may end as the first starts', document(
    LATE_FIRST, [clauses(5, EMPTY)], [('p', 'a')], WIDE),
    ('if self.least[second] + self.duration[second] > self', 'if self.least[second] + self.duration[second] >= self'),
    (CLAUSES, 'c->in->duration[before] <= c->now.most[after]', 'c->in->duration[before] < c->now.most[after]'))
rule('rivals: and the first as the second does', document(
    LATE_SECOND, [clauses(5, EMPTY)], [('p', 'a')], WIDE),
    ('if self.least[first] + self.duration[first] > self', 'if self.least[first] + self.duration[first] >= self'),
    (CLAUSES, 'c->in->duration[before] <= c->now.most[after]', 'c->in->duration[before] < c->now.most[after]'))
rule('rivals: the one that is first ends as it ends', document(
    LATE_SECOND, [clauses(5, EMPTY)], [('p', 'a')], WIDE),
    ('self.at_least(second, self.least[first] + self.duration[first])',
     'self.at_least(second, self.least[first] + self.duration[first] + 1)'),
    (CLAUSES, 'c->now.least[before] + c->in->duration[before]);', 'c->now.least[before] + c->in->duration[before] + 1);'))
rule('rivals: and starts no earlier than the other lets it', document(
    LATE_SECOND, [clauses(5, EMPTY)], [('p', 'a')], WIDE),
    ('self.at_most(first, self.most[second] - self.duration[first])',
     'self.at_most(first, self.most[second] - self.duration[first] - 1)'),
    (CLAUSES, 'c->now.most[after] - c->in->duration[before]);', 'c->now.most[after] - c->in->duration[before] - 1);'))
rule('rivals: an order is of two of them', document(
    THREE, [clauses(9, ([9, 1, -9, 0], []), ([-7, 0], []), EMPTY)], [], WIDE),
    ('abs(v) - 1 in starts.order_of', 'True'), None,
    only_form=True, why='in the core it has no variable')

# --- spans of clauses ----------------------------------------------------------------------------------

def span(bound, begin, end):
    return clauses(bound, ([], [], [begin, end]))


MANDATORY = 'min(last - first, self.least[t] + d - first, last - self.most[t], d)'
LATER = {'a': (2, 10), 'b': (2, 10), 'q': (4, {}), 'z': (1, {})}
rule('spans: what fits exactly fits', document(
    {'a': (4, 5), 'b': (4, 5), 'c': (4, 10), 'z': (1, {})}, [span(9, 0, 8)], [], WIDE),
    ('if work > capacity * (last - first):', 'if work >= capacity * (last - first):'),
    (CLAUSES, 'work > (br_wide)c->rounded[r]', 'work >= (br_wide)c->rounded[r]'))
rule('spans: not what can be done later', document(LATER, [span(5, 0, 2)], [], WIDE),
     (MANDATORY, 'min(last - first, self.least[t] + d - first, d)'),
     (CLAUSES, 'part = after < part ? after : part;', ''))
rule('spans: nor what can be done before', document(LATER, [span(5, 2, 4)], [], WIDE),
     (MANDATORY, 'min(last - first, last - self.most[t], d)'),
     (CLAUSES, 'part = before < part ? before : part;', ''))
rule('spans: no more than a task lasts', document(
    {'p': (2, {}), 'a': (2, 10), 'q': (2, {}), 'v': (2, 10), 'w': (2, 10),
     'z': (1, {})}, [span(7, 0, 6)],
    [('p', 'a'), ('a', 'q')], WIDE),
    (MANDATORY, 'min(last - first, self.least[t] + d - first, last - self.most[t])'),
    (CLAUSES, 'part = duration;', 'part = INT64_MAX;'))
rule('spans: no more than the time there is', document(
    {'a': (6, 6), 'b': (6, 4), 'c': (2, 1), 'z': (1, {})}, [span(9, 3, 5)], [], WIDE),
    (MANDATORY, 'min(self.least[t] + d - first, last - self.most[t], d)'),
    (CLAUSES, 'part = all < part ? all : part;', ''))
rule('spans: whole multiples of what divides all demands', document(
    {'a': (4, 4), 'b': (4, 4), 'c': (4, 6), 'z': (1, {})}, [span(9, 0, 8)], [], WIDE),
    ('math.gcd(*(a for _, a, _ in tasks))', 'max(a for _, a, _ in tasks)'),
    (CLAUSES, 'int64_t rest = unit % a;', 'int64_t rest = 0;'))
rule('spans: their begin is before their end', document(
    {'a': (3, 6), 'b': (3, 6), 'z': (1, {})}, [span(7, 3, 1)], [], WIDE),
    ('all(0 <= begin < end <= bound for begin, end in spans)', 'True'),
    (CLAUSES, 'span->from >= span->to', 'false'))
rule('spans: on one machine', document(
    {'a': (4, 10), 'b': (4, 10), 'z': (1, {})}, [span(5, 0, 4)], [], ((2, {'r': 10}),)),
     ("need(not spans or part.job.machines == 1, 'spans are for one machine')", 'pass'),
     (CLAUSES, 'c->crowd || span->from < 0', 'span->from < 0'))

# --- clauses on several machines -----------------------------------------------------------------------

# Two tasks that share no machine, on two machines that are equal, and on two that are not.
PAIR = {'a': (4, 6), 'b': (4, 6), 'z': (1, {})}
EQUAL, UNEQUAL = ((2, {'r': 10}),), ((1, {'r': 10}), (1, {'r': 9}))
rule('machines: packings on all of them', document(PAIR, [clauses(5, EMPTY)], [], EQUAL),
     ('        for m in range(self.machines):\n            key', '        for m in range(1):\n            key'),
     (CROWD, '''    for (uint32_t m = 0; m < in->machines; m++) {
        int64_t *load''', '''    for (uint32_t m = 0; m < 1; m++) {
        int64_t *load'''))
rule('machines: what all of them have', document(PAIR, [clauses(5, EMPTY)], [], EQUAL),
     ('total = {r: sum(', 'total = {r: max('),
     (CROWD, 'int64_t left = c->in->total[r];', 'int64_t left = room_of(c, 0, r);'))
rule('machines: only those on it fill one', document(PAIR, [clauses(5, EMPTY)], [], EQUAL),
     ('[tasks & on for on in where]', '[tasks for on in where]'),
     (CROWD, '(s->set & c->on[machine]) | self', 's->set | self'))
rule('machines: a task is where it has to be only where one is left', document(
    PAIR, [clauses(5, EMPTY)], [], UNEQUAL),
    ('if len(free) == 1:', 'if free:'),
    (CROWD, 'if (open == 1)\n', 'if (open >= 1)\n'))
rule('machines: only equal ones go by order', document(
    {'a': (3, 6), 'z': (1, {})}, [clauses(4, EMPTY)], [], ((1, {'r': 4}), (1, {'r': 10}))),
    ('if m and self.classes[m] == self.classes[m - 1] and most[v]:', 'if m and most[v]:'),
    (CROWD, 'c->class[m] != c->class[m - 1] || b->most', 'b->most'))
rule('machines: only equal ones are alike in packings', document(
    {'x': (3, {'r': 4}), 'y': (3, {'r': 3, 'q': 1}), 'z': (1, {})}, [clauses(4, EMPTY)], [],
    ((1, {'r': 5, 'q': 10}), (1, {'r': 4}))),
    ('key = self.classes[m], loads[m]', 'key = loads[m]'),
    (CROWD, 'm > 0 && c->class[m] == c->class[m - 1] &&', 'm > 0 &&'))
rule('machines: one may be left out', document(
    {'a': (4, 5), 'b': (4, 5), 'c': (4, 10), 'd': (4, 10), 'z': (1, {})}, [clauses(5, EMPTY)], [],
    ((3, {'r': 10}),)),
    ('elif len(before) == 1 and least[v]:', 'elif len(before) == 1:'),
    (CROWD, 'if (open == 1 && b->least[variable(c, task, m)] > 0)', 'if (open == 1)'))
# Were c on the third machine, b would have to be on the second, which is equal. a may be there, too, and is first.
rule('machines: any task before, not the first of them', document(
    {'a': (1, {'r': 1}), 'b': (1, {'r': 1, 'q': 1}), 'c': (1, {'r': 1, 'q': 1})},
    [clauses(2, ([-13, 0], []), ([], [1]))], [], ((1, {'r': 1}), (2, {'r': 1, 'q': 1}))),
    ('if len(before) < 2 and', 'if len(before) < 1 and'),
    (CROWD, """                open++;
                last = t;""", """                last = open ? last : t;
                open = 1;"""))
FOUR = {'p': (3, 10), 'z': (2, {}), 's': ([2, 2, 2, 2], 4)}
rule('machines: a task starts where it fits first', document(
    FOUR, [clauses(6, EMPTY)], [('p', 'z')], ((1, {'r': 4}), (1, {'r': 10}))),
    ('starts.at_least(t, min(first))', 'starts.at_least(t, max(first))'),
    (CROWD, 'first = least < first ? least : first;', 'first = least;'))
rule('machines: and ends where it fits last', document(
    FOUR, [clauses(6, EMPTY)], [('z', 'p')], ((1, {'r': 4}), (1, {'r': 10}))),
    ('starts.at_most(t, max(last))', 'starts.at_most(t, min(last))'),
    (CROWD, 'last = most > last ? most : last;', 'last = most;'))
ALONE = ((1, {'r': 10}), (1, {'q': 1}))
rule('machines: what begins behind is no obstacle', document(
    {'h': (2, {}), 'a': (2, 10), 'z': (1, {}), 'p': (2, 10)}, [clauses(6, EMPTY)],
    [('h', 'a'), ('a', 'z')], ALONE),
    ('if b < early + d and early < e:', 'if b <= early + d and early < e:'),
    (CROWD, 's->from < least + d && least', 's->from <= least + d && least'))
rule('machines: nor what ends before', document(
    {'h': (2, {}), 'a': (2, 10), 'z': ([2, 1], {}), 's': ([2, 2], 10)}, [clauses(7, EMPTY)],
    [('h', 'a'), ('a', 'z')], ALONE),
    ('if b < late + d and late < e:', 'if b < late + d:'),
    (CROWD, 's->from < most + d && most < s->to', 's->from < most + d'))

# --- first and last ------------------------------------------------------------------------------------


def cases(bound, group, kind='first', **proofs):
    """The group's own proof, and a proof for each of its stages."""
    return {'bound': bound, 'kind': kind, 'group': group,
            'cases': [{'stage': s, 'proof': proof} for s, proof in proofs.items()]}


# The group of a and b takes 4. The optimum is 5: where a begins, at 3, it would be 7; but b begins at 1.
FORK, TINES = {'p': (3, {}), 'a': (2, 1), 'q': (1, {}), 'b': (2, 1)}, [('p', 'a'), ('q', 'b')]


def group(bound=4, to=3, *stages):
    return dict(energy(bound, 0, to), stages=list(stages) or ['a', 'b'])


rule('cases: one for every stage that may be first', document(
    FORK, [cases(6, group(), a=window(6))], TINES),
    ("        need(s in cases, \"there is no case for '%s'\", job.id[s])\n",
     "        if s not in cases:\n            continue\n"),
    (CASES, 'if (!when)\n', 'if (!when)\n            continue;\n        else if (!when)\n'))
rule('cases: the group takes as long as is proven', document(
    FORK, [cases(6, group(5, 4), a=window(6), b=window(6))], TINES),
    ("    check_part(Part(job, sorted(group)), proof['group'], depth + 1)\n", ''),
    (CASES, 'status = check_group(c, any);', 'status = BR_OK;'))
rule('cases: what is before the group ends that much before the end, not more', document(
    FORK, [cases(6, group(), a=window(6), b=window(6))], TINES),
    ("    length = proof['group']['bound']", "    length = proof['group']['bound'] + 1"),
    (CASES, 'c->proof->group->bound, last', 'c->proof->group->bound + 1, last'))
rule('cases: bounds are no lower', document(
    FORK, [cases(6, group(), a=window(6), b=window(5))], TINES),
    (" and cases[s]['bound'] >= proof['bound']", ''),
    (CASES, ' || when->proof->bound < proof->bound)', ')'))
rule('cases: nothing of other stages than the group waits for it', document(
    FORK, [cases(6, group(), a=window(6), b=window(6))], TINES),
    ('        for u in group:\n', '        for u in part.stages:\n'),
    (CASES, 'if (listed[s])\n                raise', 'if (true)\n                raise'))
# One of a's tasks may begin at 1, the other at 3: a, b, a takes until 7.
PRONGS = {'p': ([1, 3], {}), 'a': ([2, 2], 1), 'q': (2, {}), 'b': (2, 1)}
ONE_PRONG = [('p', 'a', 1), ('q', 'b')]
rule('cases: the group begins with the earliest task of the stage', document(
    PRONGS, [cases(8, group(6, 5), a=energy(8, 3, 7), b=energy(8, 2, 7))], ONE_PRONG),
    ('least = min(early[s])', 'least = max(early[s])'),
    (CASES, ' : c->stage_head[e], last', ' : c->stage_head[e] + 2, last'))
rule('cases: only what is behind barriers waits for all', document(
    PRONGS, [cases(8, group(6, 5), a=window(8), b=energy(8, 2, 7))], ONE_PRONG),
    ('            if not one:\n                late[p]', '            if True:\n                late[p]'),
    (CASES, 'if (!arc[a].one_to_one)\n                raise', 'if (true)\n                raise'))
rule('cases: the last of a group is one that nothing of it waits for', document(
    FORK, [cases(6, group(), 'last', a=window(6), b=window(6))], [(t, s) for s, t in TINES]),
    ('early, late = (tail, head) if last', 'early, late = (tail, tail) if last'),
    (CASES, 'last ? head : tail);', 'tail);'))
# a and b take 8. Whichever begins, the one before it has to end by 3 for a plan of 11, and t by 4: one of 2 and one
# of 3 on the same machine. Without cases t ends by 4 and both others by 7.
EITHER = {'t': (3, {'s': 1}), 'u': (7, {}), 'q': (2, {'s': 1}), 'b': (4, 1), 'p': (2, {'s': 1}), 'a': (4, 1)}
EITHER_EDGES, EITHER_MACHINE = [('t', 'u'), ('q', 'b'), ('p', 'a')], ((1, {'r': 1, 's': 1}),)
NO_ROOM = energy(12, 0, 4, {'resource': 's'})
rule('cases: of the same stages, so that they list none', document(
    EITHER, [cases(12, group(8, 7), a=NO_ROOM, b=dict(NO_ROOM, stages=list(EITHER)))], EITHER_EDGES, EITHER_MACHINE),
    ("'stages' not in cases[s] and ", ''), (CASES, 'when->proof->stages || ', ''), only_form=True)

rule('cases: no stage of the group is there twice', document(
    EITHER, [cases(12, group(8, 7, 'a', 'b', 'b'), a=NO_ROOM, b=NO_ROOM)], EITHER_EDGES, EITHER_MACHINE),
    ('len(group) == len(names) and ', ''), (CASES, 's == UINT32_MAX || listed[s]', 's == UINT32_MAX'), only_form=True)
AFTER, AFTER_EDGES = dict({'z': (1, {})}, **EITHER), EITHER_EDGES + [('z', s) for s in 'tqp']
rule('cases: the group is of the part', document(
    AFTER, [path(1, 'z', stages=['z']),
            dict(cases(12, group(8, 7, 'a', 'b', 'z'), a=NO_ROOM, b=NO_ROOM), stages=list(EITHER))],
    AFTER_EDGES, EITHER_MACHINE), None, None, 'what is not there would be read', only_form=True)
# a and b are after p and q, on one machine: the optimum is 10, since only one of p and q has to end by 2.
PAIR = {'p': (2, {'s': 1}), 'a': (4, 1), 'q': (2, {'s': 1}), 'b': (4, 1), 'z': (1, {})}
rule('cases: only what is before the stage has to end before the group', document(
    PAIR, [cases(11, group(8, 7), a=energy(11, 0, 2, {'resource': 's'}), b=energy(11, 0, 2, {'resource': 's'}))],
    [('p', 'a'), ('q', 'b'), ('p', 'z')], EITHER_MACHINE),
    ('        for p, one in ahead[s]:\n            if not one:',
     '        for p, one in [arc for u in group for arc in ahead[u]]:\n            if not one:'),
    (CASES, 'a < first[e + 1]; a++)\n            if (!arc', 'a <= first[e + 1]; a++)\n            if (!arc'))

# One true proof of each kind that needs its own argument: no window is too narrow by itself. Both accept them.
# Among them lines with less room for s than for q, before which or behind which p has to run. And prices as large as they may be, and ones that prove nothing without their chain: the tasks pay
# 22, which is more than the 3 a tick that the cluster holds with the chain, and less than its 4 without. And
# ones that begin late and end early, so that nothing pays at first and at last. And clauses of
# which one says that b is before a, where c is the third that cannot run beside them. And such of which the last
# follows from the second, not from the first: a does not start before 2, then, than before 1. And cases.
ONE_BY_ONE = {'a': (3, 1), 'b': (4, 1)}
LATE = {'p': (4, {}), 's': ([3] * 8, 1), 'q': (6, 1)}
TRUE = [document(ONE_BY_ONE, [proof]) for proof in (
    energy(7, 0, 6), energy(7, 0, 6, {'clique': ['a', 'b']}), energy(7, 0, 6, {'resource': 'r', 'unit': 1}),
    rounds(7, 0, 6), values(7, 0, 6, ('a', 3), ('b', 4)), prices(7, [('a', FLAT), ('b', FLAT)]),
    clauses(6, EMPTY))] + [
    document({'a': (3, 6), 'b': (3, 6), 'c': (3, 6), 'z': (1, {})}, [clauses(4, EMPTY)], [], EQUAL),
    document(ONE_BY_ONE, [path(7, 'a', 'b')], [('a', 'b')]),
    document(ONE_BY_ONE, [prices(7, [('a', [[0, 2**32]]), ('b', [[0, 2**32]])])]),
    document({'a': (2, 1), 'b': (2, 1), 'c': (2, 1), 'z': (1, {})}, [
        clauses(6, ([1, 1, -2, -1], []), ([1, 2, -2, -1], []), ([], [2]))]),
    document(THREE, [clauses(9, ([-7, 0], []), EMPTY)], [], WIDE),
    document(LATE, [values(12, 0, 11, ('s', 1), ('q', 1))], [('p', 's')], ((4, {'r': 1}),)),
    document(LATE, [values(12, 0, 11, ('s', 1), ('q', 1))], [('s', 'p')], ((4, {'r': 1}),)),
    document({'p': (2, {}), 'a': (3, 1), 'b': (4, 1), 'e': (2, {})}, [prices(11, [('a', FLAT), ('b', FLAT)])],
             [('p', 'a'), ('p', 'b'), ('a', 'e'), ('b', 'e')]),
    document({'a': (3, 1), 'b': (4, 1), 'd': ([4, 4], 1)}, [
        prices(8, [('a', [[0, 2]]), ('b', [[0, 2]]), ('d', FLAT)], [(0, 7, [('a', 1), ('b', 1)])])],
             [('a', 'b')], ((2, {'r': 1}),)),
    document({'p': (2, 1), 'q': (3, 1), 's': (1, 1)}, [claimed(6, 's', 5, 0, 4)], [('p', 's'), ('q', 's')]),
    document({'p': (2, 1), 'q': (3, 1), 's': (1, 1)}, [claimed(6, 's', 5, 0, 4, 'tails')],
             [('s', 'p'), ('s', 'q')]),
    document(EITHER, [cases(12, group(8, 7), a=NO_ROOM, b=NO_ROOM)], EITHER_EDGES, EITHER_MACHINE),
    document(ONE_BY_ONE, [cases(7, group(3, 2, 'a'), a=energy(7, 0, 6))]),
    document(AFTER, [path(1, 'z', stages=['z']), dict(cases(
        12, group(8, 7), **{s: energy(12, 0, 4, {'clique': ['t', t]}) for s, t in ('ap', 'bq')}), stages=list(EITHER))],
             AFTER_EDGES, EITHER_MACHINE),
    document(EITHER, [cases(12, group(8, 7), 'last', a=dict(NO_ROOM, **{'from': 7, 'to': 11}),
                            b=dict(NO_ROOM, **{'from': 7, 'to': 11}))],
             [(t, s) for s, t in EITHER_EDGES], EITHER_MACHINE)] + [
    # d is behind a, of the group, and behind q, which is not: it begins no group, whichever edge is listed first.
    document(dict(EITHER, d=(1, {})), [cases(12, group(8, 7, 'a', 'b', 'd'), a=NO_ROOM, b=NO_ROOM)],
             EITHER_EDGES + more, EITHER_MACHINE)
    for more in ([('q', 'd'), ('a', 'd')], [('a', 'd'), ('q', 'd')])]
