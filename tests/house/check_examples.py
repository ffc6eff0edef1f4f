#!/usr/bin/env python3
"""Plans every example and compares with examples/expected.tsv: makespan and bound, to the digit.

check_examples.py BIGROCKS EXAMPLES_DIR [--update]

--update writes what comes out into the table instead; look at the difference before keeping it.
The bound is the core's, which does not depend on the clock. Every plan is also put to `bigrocks check`, and every job of the folder must be in the table.
"""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

COLUMNS = ['job', 'cluster', 'method', 'makespan', 'bound']


def run(*command):
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True)
    if done.returncode:
        sys.exit('%s\nexit %d\n%s%s' % (' '.join(map(str, command)), done.returncode, done.stdout,
                                        done.stderr))
    return done.stdout


def main():
    bigrocks, examples = sys.argv[1], pathlib.Path(sys.argv[2])
    update = '--update' in sys.argv[3:]
    table = examples / 'expected.tsv'
    with table.open(newline='') as file:
        rows = list(csv.DictReader(file, delimiter='\t'))
    assert rows and list(rows[0]) == COLUMNS, 'columns are not ' + ', '.join(COLUMNS)
    faults = []
    with tempfile.TemporaryDirectory() as scratch:
        out = pathlib.Path(scratch) / 'plan.json'
        for row in rows:
            job = examples / row['job']
            words = row['cluster'].split()
            cluster = [examples / w if w.endswith('.xml') else w for w in words]
            run(bigrocks, 'plan', job, *cluster, '--method', row['method'], '--no-lp', '--format',
                'json', '-o', out)
            run(bigrocks, 'check', job, out, *cluster)
            with out.open() as file:
                plan = json.load(file, parse_float=str, parse_int=str)
            made = {'makespan': plan['makespan'], 'bound': plan['lower_bound']}
            for column, value in made.items():
                if row[column] != value and not update:
                    faults.append('%s, %s: %s is %s, expected %s' %
                                  (row['job'], row['method'], column, value, row[column]))
            row.update(made)
    jobs = {path.name for path in examples.iterdir()
            if path.suffix in ('.xml', '.dot') and not path.name.startswith('cluster-')
            and '<workload ' not in path.read_text(encoding='utf-8')}
    faults += [name + ' is not in the table' for name in sorted(jobs - {r['job'] for r in rows})]
    if update:
        with table.open('w', newline='') as file:
            writer = csv.DictWriter(file, COLUMNS, delimiter='\t', lineterminator='\n')
            writer.writeheader()
            writer.writerows(rows)
    print('\n'.join(faults) or '%d plans as expected' % len(rows))
    return bool(faults)


if __name__ == '__main__':
    sys.exit(main())
