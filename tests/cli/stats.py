#!/usr/bin/env python3
"""The counters of --stats: counted by hand, counted in another way, and equal for all threads.

stats.py BIGROCKS EXAMPLES_DIR
"""
import csv
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

BIGROCKS = pathlib.Path(sys.argv[1]).resolve()
EXAMPLES = pathlib.Path(sys.argv[2]).resolve()
HEURISTICS = 8
CHILDREN = 16  # schedules in a round of the population over stages
CONFLICT = 20  # placements of each task that a conflict counts for
SEARCHES = ('heuristic', 'graphene', 'justify', 'stages', 'moves', 'population', 'exact')
# Two tasks of 3 s and one of 2 s that each need the machine alone, then one of 1 s: cut in two.
SMALL = '''<job xmlns="urn:bigrocks:job:1" name="small"><resource name="cpu"/>
  <stage id="long" tasks="2" duration="3"><demand resource="cpu" amount="1"/></stage>
  <stage id="short" duration="2"><demand resource="cpu" amount="1"/></stage>
  <stage id="last" duration="1"><demand resource="cpu" amount="1"/>
    <command>false</command></stage>
  <edge from="long" to="last"/><edge from="short" to="last"/></job>'''


def hard():
    """Sixty tasks over four resources that ten thousand dead ends do not settle."""
    stages, edges = [], []
    for k in range(60):
        demands = ''.join('<demand resource="r%d" amount="%d"/>' % (r, 1 + (k * k * (r + 3) + 11 * k * (r + 1)) % 23 % 10)
                          for r in range(4))
        stages.append('<stage id="s%d" duration="%d">%s</stage>' % (k, 1 + k * k * 5 % 19 % 10, demands))
        edges += ['<edge from="s%d" to="s%d"/>' % (k, k + step) for step in (7, 11) if k + step < 60]
    return '<job xmlns="urn:bigrocks:job:1" name="hard">%s%s%s</job>' % (
        ''.join('<resource name="r%d"/>' % r for r in range(4)), ''.join(stages), ''.join(edges))


def bigrocks(*words, cwd=None, status=0):
    done = subprocess.run([str(BIGROCKS), *map(str, words)], text=True, capture_output=True, cwd=cwd,
                          stdin=subprocess.DEVNULL, timeout=120)
    assert done.returncode == status, (words, done)
    return done


def counters(*words, **how):
    """All counters of a call: work, varies, times."""
    done = bigrocks(*words, '--stats', '--json', **how)
    line = [text for text in done.stderr.splitlines() if text.startswith('{')]
    assert len(line) == 1, done.stderr
    found = json.loads(line[0])
    assert found.pop('format') == 'bigrocks-stats/1' and set(found) == {'work', 'varies', 'times'}
    assert all(value >= 0 for kind in found.values() for value in kind.values())
    return found


def only(work, **expected):
    """These counters have these values, and all others are 0."""
    assert {name: value for name, value in work.items() if value} == expected, work


def check_by_hand(folder):
    job = folder / 'small.xml'
    job.write_text(SMALL)
    words = ('plan', job, '--capacity', 'cpu=1', '--no-lp', '-q')
    # 3 + 1 tasks in two parts, once each; the first schedule of each part is an improvement.
    only(counters(*words, '--method', 'cp')['work'], jobs=1, parts=2, placements=4, improvements=2,
         heuristic_schedules=2, heuristic_placements=4)
    # One machine that is always busy: every schedule meets the bound, so there is no search. Of the
    # single task there is one.
    only(counters(*words)['work'], jobs=1, parts=2, parts_bypassed=2, placements=3 * HEURISTICS + 1,
         improvements=2, heuristic_schedules=HEURISTICS + 1, heuristic_placements=3 * HEURISTICS + 1)
    # The published method begins with an empty T: all tasks are in one subset, forward and backward.
    only(counters(*words, '--method', 'graphene')['work'], jobs=1, parts=2, parts_bypassed=2,
         placements=8, improvements=2, graphene_variants=4, graphene_placements=8)
    run = counters('run', job, '--capacity', 'cpu=1', '--simulate', '--method', 'lft')
    only(run['work'], jobs=1, parts=2, placements=4, improvements=2, heuristic_schedules=2,
         heuristic_placements=4)
    only(run['varies'])


def check_run(folder):
    job = folder / 'run.xml'
    job.write_text('''<job xmlns="urn:bigrocks:job:1" name="r"><stage id="a" tasks="3" duration="0.1">
        <command>true</command></stage><stage id="b" duration="0.1"><command>false</command></stage>
        <stage id="c" tasks="2" duration="0.1"><command>true</command></stage>
        <edge from="a" to="b"/><edge from="b" to="c"/></job>''')
    found = counters('run', job, '--capacity', 'cpu=1', '--method', 'cp', status=1)
    only(found['varies'], run_finished=3, run_failed=1, run_left=2)
    assert found['times']['run_ns'] > 0
    bigrocks('plan', job, '--capacity', 'cpu=1', '-q', '-o', 'plan.json', cwd=folder)
    only(counters('run', 'plan.json', status=1, cwd=folder)['work'])  # nothing is planned


def check_other_ways(folder, words, tasks=None):
    """Against what else the program tells, and against itself. tasks: of a job of one part."""
    found = counters(*words, '-q')['work']
    assert found['placements'] == sum(found[name + '_placements'] for name in SEARCHES), found
    done = bigrocks(*words, '-v', '--explain', '--trace-search', folder / 'course.csv', '-q')
    assert found['placements'] == int(re.search(r'(\d+) placements', done.stderr)[1])
    rows = list(csv.DictReader((folder / 'course.csv').open()))
    assert found['improvements'] == len(rows), (found['improvements'], len(rows))
    text = done.stdout
    assert found['parts'] == len(re.findall(r'^part \d', text, re.M))
    assert found['parts_bypassed'] == len(re.findall(r'^  no search', text, re.M))
    assert found['heuristic_schedules'] == HEURISTICS * found['parts']
    told = [tuple(map(int, row)) for row in re.findall(
        r'(\d+) threshold pairs: (\d+) distinct sets T, (\d+) duplicate, (\d+) pruned; (\d+) variants',
        text)]
    names = ('pairs', 'sets', 'known', 'pruned', 'variants')
    assert tuple(found['graphene_' + name] for name in names) == tuple(map(sum, zip(*told))), told
    assert found['graphene_known'] + found['graphene_pruned'] <= found['graphene_pairs']
    assert found['stages_schedules'] == CHILDREN * found['stages_rounds']
    assert found['stages_justified'] <= found['stages_schedules']
    assert found['moves_given_up'] + found['moves_gained'] <= found['moves_trials']
    if tasks:
        assert found['heuristic_placements'] == HEURISTICS * tasks
        assert found['graphene_placements'] == found['graphene_variants'] * tasks
        assert found['population_placements'] == found['population_schedules'] * tasks
        # Longer profiles make a conflict dearer, by a whole factor (micro-ticks.case).
        assert found['exact_placements'] % (CONFLICT * tasks) == 0
        assert found['exact_placements'] >= found['exact_conflicts'] * CONFLICT * tasks
        assert found['exact_conflicts'] <= found['exact_decisions']
    return found


def check_threads(words):
    first = counters(*words, '--threads', 1)['work']
    for threads in (2, 7):
        assert counters(*words, '--threads', threads)['work'] == first, threads
    return first


def check_batch(folder):
    """The counters of a batch are the sums of those of its jobs."""
    limit = ('--capacity', 'cpu=8,mem=16G,net=1000,disk=400,gpu=1', '--placements', 20000)
    names = ['motivating.xml', 'word-count.xml', 'w-join.dot', 'query.xml', 'etl.xml']
    (folder / 'list').write_text(''.join('%s\n' % (EXAMPLES / name) for name in names))
    sums = {}
    for name in names:
        for key, value in counters('plan', EXAMPLES / name, *limit, '--no-lp', '-q')['work'].items():
            sums[key] = sums.get(key, 0) + value
    assert sums['jobs'] == len(names)
    assert counters('batch', folder / 'list', *limit, '-q')['work'] == sums


def check_bound(folder):
    job = folder / 'small.xml'
    words = ('bound', job, '--capacity', 'cpu=1', '--no-lp')
    # The first schedules meet the bound, so that the solver finds nothing to do.
    only(counters(*words)['work'], parts=2)
    (folder / 'hard.xml').write_text(hard())
    build = ('bound', folder / 'hard.xml', '--capacity', 'r0=17,r1=17,r2=17,r3=17', '--no-lp')
    only(counters(*build, '--conflicts', 0)['work'])
    for conflicts in (1, 60):  # too few to be through; what is learned may bring the next few at once
        found = counters(*build, '--conflicts', conflicts)
        assert conflicts <= found['work']['exact_conflicts'] < conflicts + 5, found
        assert found['work']['exact_conflicts'] <= found['work']['exact_decisions'], found
        assert found['times']['exact_ns'] > 0 and not any(found['varies'].values()), found
        assert counters(*build, '--conflicts', conflicts)['work'] == found['work']
    found = counters(*build)['work']
    assert found == counters(*build, '--conflicts', 10000)['work'] and found['exact_conflicts'] >= 10000, found
    assert bigrocks(*build, '--json').stdout == bigrocks(*build, '--json', '--stats').stdout


def check_output(folder):
    """Without --stats not a byte of it; with it, the rest is as it was."""
    words = ('plan', EXAMPLES / 'word-count.xml', '--machines', 3, '--capacity', 'cpu=4,mem=8GiB')
    plain, told = bigrocks(*words), bigrocks(*words, '--stats')
    assert plain.stdout == told.stdout and plain.stderr == ''
    rows = re.findall(r'^  (\w+) +([\d.]+) [s~ ]  (\S.*)$', told.stderr, re.M)
    assert len(rows) == len(told.stderr.splitlines()) - 1, told.stderr
    work = counters(*words)['work']
    assert {name: int(value) for name, value, _ in rows if name in work} == \
        {name: value for name, value in work.items() if value}
    assert bigrocks(*words, '--json').stderr == ''


def check_shop(folder):
    """Resources that take one task at a time: no population, and every move is a schedule."""
    draw = random.Random(7)
    (folder / 'made.jsp').write_text('8 8\n' + ''.join(
        ' '.join('%d %d' % (machine, draw.randrange(1, 99)) for machine in draw.sample(range(8), 8)) + '\n' for _ in range(8)))
    words = ('plan', folder / 'made.jsp', '--from', 'jobshop', '--no-lp', '--placements', 300000)
    found = check_threads(words)
    assert found['shop_searches'] and not found['population_schedules'], found
    assert found['shop_placements'] == (found['shop_moves'] + found['shop_searches']) * 64, found
    return found


def main():
    with tempfile.TemporaryDirectory(prefix='bigrocks-stats') as scratch:
        folder = pathlib.Path(scratch)
        check_by_hand(folder)
        check_run(folder)
        check_batch(folder)
        check_bound(folder)
        check_output(folder)
        seen = {}
        several = ('--machines', 2, '--capacity', 'cpu=6,mem=24GiB,net=400,disk=400')
        one = ('--capacity', 'cpu=12,mem=48GiB,net=800,disk=800')
        for seed, cluster, tasks in ((5, several, None), (6, one, 60)):
            made = folder / ('made-%d.xml' % seed)
            bigrocks('generate', '--like', 'layered', '--tasks', 60, '--stages', 20, '--seed', seed,
                     '--spread', 0.4, '-o', made)
            words = ('plan', made, *cluster, '--no-lp', '--placements', 300000)
            found = check_other_ways(folder, words, tasks)
            assert check_threads(words) == found
            limit = sum(found[name + '_placements'] for name in ('heuristic', 'graphene')) + 361
            cut = counters(*words[:-1], limit)['work']
            assert cut['placements'] <= limit and cut['justify_left_out'] > 0, cut
            assert cut['justify_placements'] <= cut['justify_schedules'] * 9 * 60, cut
            seen = {name: seen.get(name, 0) + value for name, value in found.items()}
        found = check_shop(folder)
        seen = {name: seen.get(name, 0) + value for name, value in found.items()}
        unseen = [name for name, value in seen.items() if not value]
        assert set(unseen) <= {'parts_bypassed', 'graphene_pruned', 'justify_left_out', 'moves_gained',
                               'population_restarts', 'shift_moved'}, unseen


main()
