#!/usr/bin/env python3
"""bench/table: a run that goes on and one in shards make the same table, and whoever has the folder sees what is changed.

table.py BIGROCKS ROOT
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

BIGROCKS, ROOT = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
INSTANCES = [ROOT / 'tests/data/small.sm', ROOT / 'tests/data/small.rcp', ROOT / 'examples/motivating.xml']
OPTIONS = ['--', '--capacity', 'cpu=1,mem=1', '--effort', 'fast']


def table(folder, *words, status=0, options=()):
    done = subprocess.run([ROOT / 'bench/table', folder, *words, '--bigrocks', BIGROCKS, *options], text=True,
                          capture_output=True, timeout=60)
    assert done.returncode == status, done
    return done.stdout


def check(folder, status=0):
    done = subprocess.run([sys.executable, folder / 'check.py'], text=True, capture_output=True, timeout=60,
                          env={'PATH': '/nonexistent'})
    assert done.returncode == status, done
    return done.stdout


def change(path, field, value):
    form = json.loads(path.read_text())
    form[field] = value(form[field])
    path.write_text(json.dumps(form))


def later(tasks):
    """A task that others wait for is moved behind all of them."""
    span = max(task['end'] for task in tasks)
    first = min(tasks, key=lambda task: (task['start'], task['id']))
    first.update(start=first['start'] + span, end=first['end'] + span)
    return tasks


def sooner(tasks):
    """All tasks start at once."""
    for task in tasks:
        task.update(start=0, end=round(task['end'] - task['start'], 9))
    return tasks


def poorer(cluster):
    """Half of what the machines have."""
    for cls in cluster['classes']:
        cls['capacities'] = {resource: amount / 2 for resource, amount in cls['capacities'].items()}
    return cluster


def higher(certificate):
    max(certificate['parts'], key=lambda part: part['bound'])['bound'] += 1
    return certificate


def main():
    with tempfile.TemporaryDirectory(prefix='bigrocks-table') as scratch:
        whole, parts, broken = (pathlib.Path(scratch) / name for name in ('whole', 'parts', 'broken'))
        own = pathlib.Path(scratch) / 'job.xml'
        own.write_text(INSTANCES[2].read_text())
        given = [*INSTANCES[:2], own]
        bad = pathlib.Path(scratch) / 'bad.sm'
        bad.write_text('no project\n')
        # The projects name their capacities, so options on the cluster are for the job of our own alone.
        assert table(whole, *given[:2]).count('done') == 2
        assert table(whole, *given, options=OPTIONS).count('done') == 1, 'what is there was made again'
        for done, shard in enumerate(('1/2', '0/2'), 1):
            assert table(parts, *given[:2], '--shard', shard).count('done') == 1
            assert len(list(parts.iterdir())) == done
        assert not (parts / 'index.csv').exists()
        table(parts, own, options=OPTIONS)
        table(parts)
        rows = (whole / 'index.csv').read_text()
        assert rows == (parts / 'index.csv').read_text() and rows.count('\n') == 4, rows
        page = (whole / 'index.html').read_text()
        assert page.count('<tr>') == 4 and 'href="small.sm/proof.pbp"' in page, page
        assert check(whole).startswith('3 instances, 0 faults'), check(whole)
        # An instance that cannot be read is told, and the others stand.
        told = table(whole, *given[:2], bad, status=1)
        assert 'bad.sm:' in told and '3 instances' in told, told
        for field, value, words in (('tasks', later, 'starts before'), ('tasks', sooner, 'starts before'),
                                    ('cluster', poorer, 'too much '),
                                    ('lower_bound', lambda bound: bound + 1, 'the bound is above the makespan'),
                                    ('makespan', lambda span: span + 1, 'another makespan')):
            shutil.rmtree(broken, ignore_errors=True)
            shutil.copytree(whole, broken)
            change(broken / 'small.sm/plan.json', field, value)
            assert words in check(broken, status=1), (field, check(broken, status=1))
        shutil.rmtree(broken)
        shutil.copytree(whole, broken)
        index = broken / 'index.csv'
        index.write_text(index.read_text().replace('small.sm,4,5,', 'small.sm,4,4,'))
        assert 'small.sm: index.csv says otherwise' in check(broken, status=1)
        shutil.rmtree(broken)
        shutil.copytree(whole, broken)
        change(broken / 'small.rcp/plan.json', 'certificate', higher)
        assert 'small.rcp: ' in check(broken, status=1)


if __name__ == '__main__':
    main()
