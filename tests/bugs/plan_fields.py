#!/usr/bin/env python3
"""Whatever a plan states is checked: each member of its JSON is changed in each way, and `check` notices.

What is a record of the making of the plan, or a name for people, stands in FREE, and in docs/formats.md.
"""
import copy
import json
import os
import pathlib
import re

import case

# Paths with indices as *; ~ : what only makes the statement weaker passes, or another plan that holds.
FREE = '''job method seed bound_method placements note noise.*.percent noise.*.runs noise.*.makespan
cluster.name trials.*.method ~trials.*.makespan ~parts.*.lower_bound parts.*.method parts.*.bypass parts.*.order
parts.*.long_score parts.*.frag_score parts.*.pairs parts.*.distinct parts.*.duplicate parts.*.pruned
parts.*.variants resources resources.*.name edges trials ~network_bound ~tasks.*.machine'''.split()
# What may be left out.
OPTIONAL = '''gap bound_status certificate trials parts transfers.*.start transfers.*.end tasks.*.priority
tasks.*.subset tasks.*.slack tasks.*.free_slack network_bound lower_bound noise resources edges.*.type
resources.* parts.*.order trials.* parts.*.start parts.*.subsets parts.*.subsets.T parts.*.subsets.S
parts.*.subsets.P parts.*.subsets.C'''.split()

# So many of a kind say what all would.
OF_A_KIND = 2 if int(os.environ.get('BIGROCKS_TEST_SHARE') or 100) >= 100 else 1

JOB = '''<job xmlns="urn:bigrocks:job:1" name="j"><resource name="cpu"/><resource name="mem" unit="GiB"/>
%s
<cluster name="c"><machine class="m" count="2" up="100000000" down="100000000"><capacity resource="cpu" amount="2"/>
<capacity resource="mem" amount="4"/></machine></cluster></job>'''
STAGES = [('a', 1, 1, 1, 1), ('b', 3, 7, 1, 3), ('c', 2, 4, 2, 1), ('d', 3, 2, 1, 1), ('e', 2, 5, 1, 2), ('f', 1, 3, 2, 4)]
EDGES = [('a', 'b', 0), ('a', 'c', 200000000), ('b', 'e', 300000000), ('c', 'd', 0), ('d', 'f', 100000000), ('e', 'f', 0)]


def job():
    lines = ['<stage id="%s" tasks="%d" duration="%d"><demand resource="cpu" amount="%d"/><demand resource="mem" '
             'amount="%d"/><command>run %s</command></stage>' % (s[0], s[1], s[2], s[3], s[4], s[0]) for s in STAGES]
    lines += ['<edge from="%s" to="%s"%s/>' % (a, b, ' bytes="%d"' % n if n else '') for a, b, n in EDGES]
    return JOB % '\n'.join(lines)


def leaves(value, path=()):
    if isinstance(value, (dict, list)):
        if path:
            yield path
        for key in (value if isinstance(value, dict) else range(len(value))):
            if path + (key,) != ('certificate',):
                yield from leaves(value[key], path + (key,))
    else:
        yield path


def at(document, path):
    for key in path:
        document = document[key]
    return document


def pattern(path):
    return '.'.join('*' if isinstance(key, int) else key for key in path)


def others(document, path):
    """Values that the same member has elsewhere."""
    return {at(document, p) for p in leaves(document) if pattern(p) == pattern(path)
            and not isinstance(at(document, p), (dict, list))}


def changes(document, path):
    """Documents with one change: a name of it, whether it weakens what is stated, the document."""
    value = at(document, path)

    def put(new):
        bad = copy.deepcopy(document)
        at(bad, path[:-1])[path[-1]] = new
        return bad

    if isinstance(value, str):
        for new in {value + 'x', 'x', *others(document, path)} - {value}:
            yield 'is %r' % new, path[-1] == 'machine' and new in others(document, path), put(new)
    elif isinstance(value, (int, float)):
        for new in {value + 1, value - 1, value * 2, value / 2, value + 1e-6, 0, 1e6, *others(document, path)} - {value, None}:
            new = int(new) if new == int(new) else new
            weaker = new >= document['lower_bound'] if 'trials' in path else new < value
            yield 'is %r' % new, weaker, put(new)
    elif value is None:
        yield 'is 1', False, put(1)
    elif isinstance(value, list) and value:
        yield 'has an element twice', False, put([*value, value[0]])
        yield 'has one element less', False, put(value[1:])


def without(document, path):
    bad = copy.deepcopy(document)
    del at(bad, path[:-1])[path[-1]]
    return bad


def examine(folder, document):
    bad_path, tried, missed = folder / 'bad.json', 0, []

    def noticed(bad):
        bad_path.write_text(json.dumps(bad))
        done = case.bigrocks('check', folder / 'job.xml', bad_path)
        assert done.returncode in (0, 1, 3), done
        return done.returncode or 'which differs' in done.stdout or 'not proven' in done.stdout

    seen = {}
    for path in leaves(document):
        name = pattern(path)
        seen[name] = seen.get(name, 0) + 1
        if seen[name] > OF_A_KIND:
            continue
        for what, weaker, bad in changes(document, path):
            tried += 1
            if name not in FREE and not ('~' + name in FREE and weaker) and not name.startswith('noise') and \
                    not noticed(bad):
                missed.append('%s %s' % ('.'.join(map(str, path)), what))
        if name not in FREE and name not in OPTIONAL and '~' + name not in FREE and not name.startswith('noise'):
            tried += 1
            if not noticed(without(document, path)):
                missed.append('%s is left out' % '.'.join(map(str, path)))
    return tried, missed


PATHS = '<job xmlns="urn:bigrocks:job:1" name="j"><resource name="cpu"/>' + ''.join(
    '<stage id="%s" tasks="2" duration="1"><demand resource="cpu" amount="1"/></stage>' % s for s in 'abcde') + \
    '<edge from="a" to="b" type="one-to-one"/><edge from="b" to="c" type="one-to-one"/><edge from="d" to="e"/>' \
    '<cluster name="c"><machine class="m"><capacity resource="cpu" amount="2"/></machine></cluster></job>'
BEFORE = {'b[0]': ['a[0]'], 'b[1]': ['a[1]'], 'c[0]': ['a[0]', 'b[0]'], 'c[1]': ['a[1]', 'b[1]'],
          'e[0]': ['d[0]', 'd[1]'], 'e[1]': ['d[0]', 'd[1]']}


def examine_subsets(folder):
    """What is neither in T nor between tasks of T is of the subset that its place makes it."""
    (folder / 'paths.xml').write_text(PATHS)
    document = json.loads(case.bigrocks('plan', folder / 'paths.xml', '-q', '--format', 'json').stdout)
    document.pop('parts', None)  # whose sizes say too much

    def check(subsets):
        for task in document['tasks']:
            task['subset'] = subsets[task['id']]
        (folder / 'paths.json').write_text(json.dumps(document))
        done = case.bigrocks('check', folder / 'paths.xml', folder / 'paths.json')
        return done.stdout if done.returncode else ''

    for chosen in ('b[0]', 'd[1]'), ('a[0]', 'b[0]', 'c[0]'):
        right = {}
        for task in sorted(t['id'] for t in document['tasks']):
            after = any(t in BEFORE.get(task, []) for t in chosen)
            before = any(task in BEFORE.get(t, []) for t in chosen)
            right[task] = 'T' if task in chosen else 'C' if after and not before else 'P' if before and not after else 'S'
        assert not check(right), (right, check(right))
        for task in right:
            for other in set('SPC') - {right[task]}:
                if right[task] != 'T':
                    said = check({**right, task: other})
                    assert 'task %s is of subset %s, but' % (task, other) in said, (task, other, said)
    for other in 'SPC':
        assert 'task b[0] lies between tasks of subset T' in check({**right, 'b[0]': other}), other


def examine_parts(folder):
    """Parts are where they say, and as long as their bounds, also if all of them come to the right sum."""
    text = job().replace('</job>', '').replace('<edge', '<stage id="z" duration="3"><demand resource="cpu" amount="1"/>'
                                               '</stage><edge', 1).replace('<cluster', '<edge from="f" to="z"/><cluster')
    (folder / 'parts.xml').write_text(text + '</job>')
    document = json.loads(case.bigrocks('plan', folder / 'parts.xml', '-q', '--method', 'graphene', '--format', 'json').stdout)

    def check(*changed):
        parts = copy.deepcopy(document['parts'])
        for part, member in changed:
            parts[part].update(member)
        (folder / 'parts.json').write_text(json.dumps({**document, 'parts': parts}))
        done = case.bigrocks('check', folder / 'parts.xml', folder / 'parts.json')
        return done.stdout if done.returncode else ''

    assert len(document['parts']) > 1 and not check()
    for part in 0, len(document['parts']) - 1:
        one = document['parts'][part]
        said = check((part, {'start': one['start'] + 0.5, 'makespan': one['makespan'] - 0.5}))
        assert 'part %d runs from' % (part + 1) in said, said
    said = check((0, {'lower_bound': 0}), (part, {'lower_bound': one['makespan'] + 1}))
    assert 'part %d is said to be shorter' % (part + 1) in said, said


with case.folder() as scratch:
    folder = pathlib.Path(scratch)
    examine_subsets(folder)
    examine_parts(folder)
    (folder / 'job.xml').write_text(job())
    tried, missed = 0, []
    for words in (['--method', 'graphene'], ['--method', 'graphene', '--network'], ['--explain']):
        done = case.bigrocks('plan', folder / 'job.xml', '-q', '--format', 'json', *words)
        assert done.returncode == 0, done.stderr + done.stdout
        document = json.loads(done.stdout)
        (folder / 'plan.json').write_text(done.stdout)
        done = case.bigrocks('check', folder / 'job.xml', folder / 'plan.json')
        assert done.returncode == 0, done.stderr + done.stdout
        found = examine(folder, document)
        tried, missed = tried + found[0], missed + found[1]
        if '--network' in words:  # the file of the defect
            document['transfers'][0].update(start=5, end=4)
            (folder / 'plan.json').write_text(json.dumps(document))
            done = case.bigrocks('check', folder / 'job.xml', folder / 'plan.json')
            assert done.returncode == 1 and re.search('transfer 0 is said to start at 5 s', done.stdout), done
    assert not missed, '%d of %d changes are not noticed:\n%s' % (len(missed), tried, '\n'.join(missed))
    print('%d changes' % tried)
