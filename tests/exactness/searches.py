#!/usr/bin/env python3
"""The searches find what they found: on a fixed list of jobs the makespan, the bound, what found it, the
placements that it cost and the plan itself are those of searches.tsv.

searches.py BIGROCKS [--update]

The same job, options and seed give the same plan on every machine, so a difference is either a change
of a search, which is meant to show here, or a fault. --update writes the table anew; look at the
difference in makespans before keeping it. What holds whatever the table says is checked, too: no plan
is longer than what any of the methods gave, or shorter than its bound, and more placements never give
a longer one. The stand-alone check of plans in ../shared judges every plan, where that is there.
"""
import csv
import hashlib
import pathlib
import sys
import tempfile

import methods

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
COLUMNS = ['job', 'effort', 'placements', 'makespan', 'bound', 'method', 'spent', 'plan']
# Seeds of jobs that no quick method plans as short as their bound, with the most stages.
JOBS = {True: {15: (4, 6, 15, 16, 34, 37, 53), 36: (1, 2, 6, 9, 11, 18, 29, 33, 37, 43, 55)},
        False: {15: (2, 4, 11, 14, 21, 32), 36: (2, 14, 16, 21, 23, 31, 33, 34, 38, 51, 52, 55)}}
FORMS = [(seed, pool, most, 'default', limit) for pool, lists in JOBS.items()
         for most, seeds in lists.items() for seed in seeds for limit in (3000, 60000)]
FORMS += [(seed, pool, 36, effort, limit) for pool, lists in JOBS.items() for seed in lists[36]
          for effort, limit in (('fast', 0), ('max', 30000))]
# So many placements that the exact solver drops clauses, and ends with a proof.
FORMS += [(29, True, 36, 'max', 20000000), (1, True, 60, 'max', 80000000)]
# So many placements that the population of a pool is bred in several blocks, and grows smaller.
FORMS += [(seed, True, 120, 'default', 1500000) for seed in (2, 9, 20)]


def row_of(bigrocks, job, cluster, name, effort, limit):
    plan = methods.plan_of(bigrocks, job, cluster, 'best', ['--placements', str(limit), '--effort', effort])
    text = '\n'.join(f'{t["id"]} {t["start"]} {t["machine"]} {t["subset"]}' for t in plan['tasks'])
    least = min(float(t['makespan']) for t in plan['trials'])
    wrong = []
    if not float(plan['lower_bound']) <= float(plan['makespan']) <= least:
        wrong.append(f'{name}: {plan["makespan"]} is not between its bound and the shortest trial')
    said = methods.judge(ROOT, job, cluster, plan, job.parent)
    if said:
        wrong.append(f'{name}, {effort}, {limit} placements: {said}')
    return dict(zip(COLUMNS, [name, effort, str(limit), plan['makespan'], plan['lower_bound'],
                              '+'.join(sorted({p['method'] for p in plan['parts']})), plan['placements'],
                              hashlib.sha256(text.encode()).hexdigest()[:12]])), wrong


def main():
    bigrocks, table = sys.argv[1], HERE / 'searches.tsv'
    rows, faults, last = [], [], {}
    with tempfile.TemporaryDirectory() as scratch:
        for seed, pool, most, effort, limit in FORMS:
            job, cluster = methods.random_job(7000 + seed, pathlib.Path(scratch), most, pool)
            name = f'{"pool" if pool else "machines"} {seed} of {most}'
            row, wrong = row_of(bigrocks, job, cluster, name, effort, limit)
            faults += wrong
            if effort == 'default':
                if float(row['makespan']) > last.get(name, float('inf')):
                    faults.append(f'{name}: {row["makespan"]} with {limit} placements, {last[name]} with fewer')
                last[name] = float(row['makespan'])
            rows.append(row)
    if '--update' in sys.argv:
        with open(table, 'w', newline='', encoding='utf-8') as file:
            out = csv.DictWriter(file, COLUMNS, delimiter='\t', lineterminator='\n')
            out.writeheader()
            out.writerows(rows)
    with open(table, newline='', encoding='utf-8') as file:
        known = list(csv.DictReader(file, delimiter='\t'))
    for row, want in zip(rows, known):
        if row != want:
            faults.append(f'{row["job"]}, {row["effort"]}, {row["placements"]} placements: ' +
                          ', '.join(f'{k} is {row[k]}, was {want[k]}' for k in COLUMNS if row[k] != want[k]))
    if len(rows) != len(known):
        faults.append(f'{len(rows)} rows, {len(known)} in the table')
    print('\n'.join(faults[:20]) or f'{len(rows)} plans as they were')
    return bool(faults)


if __name__ == '__main__':
    sys.exit(main())
