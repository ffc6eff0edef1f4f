#!/usr/bin/env python3
"""The figures of a study, computed again from its rows by job; and its rows, whatever names hold.

check_study.py WRITE_STUDY
"""
import csv
import io
import json
import math
import pathlib
import re
import statistics
import subprocess
import sys

HOSTILE = '=cmd|\' /C calc\'!A0,"</script><b>&amp;é\\n'


def write(program, *words):
    done = subprocess.run([program, *map(str, words)], capture_output=True, check=True)
    assert done.stdout == subprocess.run([program, *map(str, words)], capture_output=True, check=True).stdout
    return done.stdout.decode()


def rows_of(text):
    rows = list(csv.DictReader(io.StringIO(text, newline=''), strict=True))
    assert rows and None not in rows[0] and all(None not in r.values() for r in rows), text[:500]
    return rows


def plain(cell):
    """A text as it was before it was written into a cell."""
    names = {'t': '\t', 'n': '\n', 'r': '\r', '\\': '\\'}
    return re.sub(r'\\(?:u([0-9a-f]{4})|(.))', lambda m: chr(int(m[1], 16)) if m[1] else names[m[2]], cell)


def number(cell):
    return float(cell) if cell else None


def percentile(values, share):
    values = sorted(values)
    if len(values) == 1:
        return values[0]
    cuts = statistics.quantiles(values, n=100, method='inclusive')
    return cuts[round(share * 100) - 1]


def near(found, wanted, what):
    if wanted is None:
        assert found is None, (what, found)
    else:
        assert found is not None and math.isclose(found, wanted, rel_tol=1e-8, abs_tol=2e-9), (what, found, wanted)


def mean(values):
    return statistics.fmean(values) if values else None


def check_run(run, rows):
    """A result against the rows of its jobs."""
    assert run['jobs'] == len(rows)
    jct, ends = [], []
    for row in rows:
        arrival, start, end = (number(row[k]) for k in ('arrival', 'start', 'end'))
        near(number(row['jct']), None if end is None else end - arrival, 'jct')
        near(number(row['wait']), None if start is None else start - arrival, 'wait')
        assert start is None or start >= arrival
        deadline = number(row['deadline'])
        known = deadline is not None and end is not None
        near(number(row['tardiness']), max(0, end - deadline) if known else None, 'tardiness')
        if end is not None:
            jct.append(end - arrival)
            ends.append(end)
    assert run['finished'] == len(jct)
    near(run['mean_jct'], mean(jct), 'mean_jct')
    for share in (25, 50, 75, 90, 99):
        near(run['p%d_jct' % share], percentile(jct, share / 100), 'p%d' % share)
    near(run['max_jct'], max(jct), 'max_jct')
    weights = [(float(r['weight']), number(r['jct'])) for r in rows if r['jct']]
    near(run['weighted_jct'], sum(w * t for w, t in weights) / sum(w for w, _ in weights), 'weighted_jct')
    near(run['mean_wait'], mean([float(r['wait']) for r in rows if r['wait']]), 'mean_wait')
    slowdowns = [float(r['slowdown']) for r in rows if r['slowdown']]
    near(run['mean_slowdown'], mean(slowdowns), 'mean_slowdown')
    if slowdowns:
        near(run['p90_slowdown'], percentile(slowdowns, 0.9), 'p90_slowdown')
    if len(jct) == len(rows):
        near(run['makespan'], max(ends) - min(float(r['arrival']) for r in rows), 'makespan')
        bound = run['mean_jct_bound']
        near(run['regret'], mean(jct) / bound if bound else None, 'regret')
    else:
        assert run['regret'] is None
    assert run['deadlines'] == sum(r['deadline'] != '' for r in rows)
    late = sum(float(r['tardiness'] or 0) > 0 for r in rows)
    assert late <= run['missed'] <= late + len(rows) - len(jct)
    assert run['failures'] == sum(int(r['failures']) for r in rows)
    work, wasted = (sum(float(r[k]) for r in rows) for k in ('work', 'wasted'))
    near(round(run['wasted_share'], 6), round(wasted / work if work else 0, 6), 'wasted_share')


def check_summary(study):
    first = study['summary'][0]
    for row in study['summary']:
        runs = [r for r in study['results'] if r['policy'] == row['policy']]
        assert row['seeds'] == len(runs)
        for key in runs[0]:
            if key not in ('policy', 'seed', 'use', 'cut', 'note'):
                near(row[key], mean([r[key] for r in runs if r[key] is not None]), key)
        jct = [r['mean_jct'] for r in runs]
        near(row['mean_jct_deviation'], statistics.stdev(jct) if len(jct) > 1 else None, 'deviation')
        whole = first['finished'] == first['jobs'] and row['finished'] == row['jobs']
        near(row['gain'], 1 - row['mean_jct'] / first['mean_jct'] if whole else None, 'gain')
        for k, use in enumerate(row['use']):
            for key in ('mean', 'peak'):
                near(use[key], mean([r['use'][k][key] for r in runs]), 'use')


def check(program, *words):
    study, rows = json.loads(write(program, 'json', *words)), rows_of(write(program, 'csv', *words))
    runs = rows_of(write(program, 'runs', *words))
    assert study['format'] == 'bigrocks-simulation/1'
    assert len(runs) == len(study['results'])
    assert len(rows) == sum(r['jobs'] for r in study['results'])
    at = 0
    for run, line in zip(study['results'], runs):
        own = rows[at:at + run['jobs']]
        at += run['jobs']
        assert {(plain(r['policy']), int(r['seed'])) for r in own} == {(run['policy'], run['seed'])}
        check_run(run, own)
        assert (plain(line['policy']), int(line['seed'])) == (run['policy'], run['seed'])
        assert line['cut'] == json.dumps(run['cut']) and plain(line['note']) == run.get('note', '')
        for key, value in run.items():
            if key not in ('policy', 'seed', 'use', 'cut', 'note'):
                assert number(line[key]) == value, (key, line[key], value)
    check_summary(study)
    for row in rows + runs: # no spreadsheet takes a cell for a formula
        assert not [cell for cell in row.values() if re.match('[=+@\t\r]|-[^0-9]', cell)], row
    return study, rows


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    study, rows = check(program, 'small', HOSTILE)
    assert study['workload']['name'] == HOSTILE + ' w' and study['cluster']['name'] == HOSTILE + ' c'
    assert [plain(r['job']) for r in rows[:3]] == [HOSTILE, 'b1', 'a2']
    assert plain(rows[0]['group']) == HOSTILE + ' g'
    # Computed by hand in test_metrics.c.
    run = study['results'][0]
    wanted = {'jain_10s': (0.5 + 5.25 ** 2 / (2 * (1.25 ** 2 + 16))) / 2, 'mean_jct': 70 / 3, 'regret': 70 / 3 / 12.5,
              'makespan_regret': 35 / 30, 'missed': 1, 'events': 14, 'clairvoyant_mean_jct': 15}
    for key, value in wanted.items():
        near(run[key], value, key)
    assert [(u['mean'], u['peak']) for u in run['use']] == [(0.35, 0.5), (0.4, 0.625)]
    assert run['events_per_second'] is None and run['seconds'] is None
    timed = check(program, 'times', 'x')[0]['results'][0]
    assert (timed['events_per_second'], timed['seconds'], timed['planning_seconds']) == (28, 0.5, 0.25)
    seen = set()
    for seed in range(1, 41):
        study, _ = check(program, 'random', seed)
        seen |= {r['finished'] < r['jobs'] for r in study['results']}
    assert seen == {False, True}
    table = write(program, 'text', 'small', 'x\x1b[31m')
    assert '\x1b' not in table and table.count('\n') >= 5, table
    widths = {len(line) for line in table.splitlines()[1:4]}
    assert len(widths) == 1, table


if __name__ == '__main__':
    main()
