#!/usr/bin/env python3
"""Plans kept by `plan --store` and `batch --store`: found again, refitted, searched again where more is asked for.

store.py BIGROCKS EXAMPLES_DIR
"""
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

BIGROCKS = pathlib.Path(sys.argv[1]).resolve()
EXAMPLES = pathlib.Path(sys.argv[2]).resolve()
WIDE, NARROW = ['--machines', '3', '--capacity', 'cpu=4,mem=8'], ['--machines', '2', '--capacity', 'cpu=4,mem=8']
COMMON = ['--no-lp', '--threads', '1']


def bigrocks(*words, cwd, status=0):
    done = subprocess.run([str(BIGROCKS), *map(str, words)], text=True, capture_output=True, cwd=cwd,
                          stdin=subprocess.DEVNULL, timeout=60)
    assert done.returncode == status, (words, done)
    return done


def write_job(path, seed, factor=lambda k: 1):
    rng = random.Random(seed)
    lines = ['<job xmlns="urn:bigrocks:job:1" name="job-%d">' % seed]
    for k in range(24):
        lines.append('<stage id="s%d" duration="%.3f"><demand resource="cpu" amount="%d"/>'
                     '<demand resource="mem" amount="%d"/></stage>' %
                     (k, rng.uniform(1, 20) * factor(k), rng.randint(1, 3), rng.randint(1, 5)))
    lines += ['<edge from="s%d" to="s%d"/>' % (rng.randrange(k), k) for k in range(2, 24)]
    path.write_text('\n'.join(lines + ['</job>']))


def open_job(folder):
    """A job whose plan does not meet its bound, so that effort matters."""
    for seed in range(50):
        write_job(folder / 'job.xml', seed)
        done = plan('job.xml', cwd=folder)
        if read(done)['lower_bound'] < read(done)['makespan']:
            return seed
    raise AssertionError('every job is optimal')


def plan(job, *words, cwd, cluster=None, status=0):
    return bigrocks('plan', job, *(cluster or WIDE), *COMMON, '--effort', 'fast', *words, '-f', 'json', cwd=cwd, status=status)


def read(done):
    return json.loads(done.stdout)


def tasks(done):
    return [(t['id'], t['start'], t['end'], t['machine']) for t in read(done)['tasks']]


def check(done, job, folder, cluster=None):
    (folder / 'out.json').write_text(done.stdout)
    bigrocks('check', job, 'out.json', *(cluster or WIDE), cwd=folder)
    bigrocks('check', '--certificate', 'out.json', cwd=folder)


def said(done):
    found = re.search(r'^bigrocks: plans.db: (.*)$', done.stderr, re.M)
    assert found, done.stderr
    return found.group(1)


def check_plan(folder):
    seed = open_job(folder)
    alone = plan('job.xml', cwd=folder)
    first = plan('job.xml', '--store', 'plans.db', cwd=folder)
    assert said(first) == 'no plan of this job yet; this one is kept'
    assert first.stdout == alone.stdout, 'a store changes a plan that it does not hold'
    again = plan('job.xml', '--store', 'plans.db', cwd=folder)
    assert said(again) == 'this is the kept plan'
    assert tasks(again) == tasks(first) and read(again)['lower_bound'] == read(first)['lower_bound']
    check(again, 'job.xml', folder)
    assert not plan('job.xml', '--store', 'plans.db', '-q', cwd=folder).stderr
    # The summary in place of the plan.
    summary = bigrocks('plan', 'job.xml', *WIDE, *COMMON, '--effort', 'fast', '--store', 'plans.db', cwd=folder)
    assert 'lp bound     not asked for (the plan was kept)' in summary.stdout, summary
    # More effort than was spent searches again; the same effort does not.
    more = ['--effort', 'default', '--placements', '20000', '--store', 'plans.db']
    words = said(plan('job.xml', *more, cwd=folder))
    assert 'took less effort; searched again' in words, words
    done = plan('job.xml', '--effort', 'max', '--time-limit', '0.2', '--store', 'plans.db', cwd=folder)
    longest = read(done)
    done = plan('job.xml', '--effort', 'max', '--time-limit', '0.1', '--store', 'plans.db', cwd=folder)
    assert said(done) == 'this is the kept plan' and read(done)['makespan'] == longest['makespan'], done.stderr
    kept = plan('job.xml', '--store', 'plans.db', cwd=folder)
    assert said(kept) == 'this is the kept plan' and read(kept)['makespan'] <= read(first)['makespan']
    if longest['makespan'] > longest['lower_bound']:
        done = plan('job.xml', '--effort', 'max', '--time-limit', '0.3', '--store', 'plans.db', cwd=folder)
        assert 'searched again' in said(done), done.stderr
    # Other durations, other machines, both: refitted beside a fresh plan, the shorter one kept.
    write_job(folder / 'other.xml', seed, lambda k: 0.8 + 0.05 * (k % 9))
    for job, cluster, words in (('other.xml', WIDE, ' with other durations or demands,'),
                                ('other.xml', NARROW, ' on other machines,'),
                                ('job.xml', NARROW, ' with other durations or demands,')):
        done = plan(job, '--store', 'plans.db', cwd=folder, cluster=cluster)
        found = re.fullmatch(r'a plan of ([\d.]+) s of this job%s refitted: ([\d.]+) s; a fresh one by effort fast: '
                             r'([\d.]+) s; the shorter one is kept' % re.escape(words), said(done))
        assert found, done.stderr
        assert abs(read(done)['makespan'] - min(float(found[2]), float(found[3]))) < 0.001, (done.stderr, read(done)['makespan'])
        check(done, job, folder, cluster)
        assert said(plan(job, '--store', 'plans.db', cwd=folder, cluster=cluster)) == 'this is the kept plan'
    # A job of the same stages under another name is the same job; one of other stages is not.
    text = (folder / 'job.xml').read_text()
    (folder / 'named.xml').write_text(text.replace('name="job-%d"' % seed, 'name="another"'))
    assert said(plan('named.xml', '--store', 'plans.db', cwd=folder)) == 'this is the kept plan'
    (folder / 'stages.xml').write_text(text.replace('"s7"', '"seven"'))
    assert said(plan('stages.xml', '--store', 'plans.db', cwd=folder)) == 'no plan of this job yet; this one is kept'


def check_refusals(folder):
    for words in (['plan', 'job.xml', *WIDE], ['batch', '.', *WIDE]):
        done = bigrocks(*words, '--store', 'plans.db', '--method', 'random', cwd=folder, status=2)
        assert 'goes without --method random' in done.stderr, done
    done = plan('job.xml', '--store', 'plans.db', '--network', cwd=folder, status=2)
    assert 'no plans that account for transfers' in done.stderr, done.stderr
    (folder / 'text.db').write_text('words ' * 50)
    done = plan('job.xml', '--store', 'text.db', cwd=folder, status=3)
    assert 'text.db' in done.stderr and 'not a database' in done.stderr, done.stderr
    assert (folder / 'text.db').read_text() == 'words ' * 50
    plan('job.xml', '--store', 'none/plans.db', cwd=folder, status=5)
    # A history is another kind of file, and stays as it is.
    bigrocks('run', EXAMPLES / 'run.xml', '--capacity', 'cpu=2,mem=64MiB', '-q', '--history', 'history.db',
             cwd=folder)
    done = plan('job.xml', '--store', 'history.db', cwd=folder, status=3)
    assert 'another kind of database' in done.stderr, done.stderr
    # What the store does not know is refused at once.
    for job, cluster, words in (
            ('link.xml', ['--cluster', EXAMPLES / 'cluster-link.xml'], 'the cluster has resources that all machines share,'),
            ('joins.xml', ['--capacity', 'cpu=4,mem=800MiB', '--shared', 'licence=1'], 'the job has outputs that are held')):
        done = plan(EXAMPLES / job, '--store', 'new.db', cwd=folder, cluster=cluster, status=3)
        assert words in done.stderr and 'which the store of plans does not know' in done.stderr, done.stderr
    done = bigrocks('batch', '--merge', 'a.csv', '--store', 'plans.db', cwd=folder, status=2)
    assert '--store' in done.stderr, done.stderr


def check_batch(folder):
    jobs = folder / 'jobs'
    jobs.mkdir()
    for seed in range(12):
        write_job(jobs / ('%02d.xml' % seed), 100 + seed)
    write_job(jobs / 'scaled.xml', 100, lambda k: 1 + k % 3)
    tables = []
    for words in ([], ['--store', 'batch.db', '--threads', '2'], ['--store', 'batch.db', '--threads', '1'],
                  ['--store', 'other.db', '--threads', '1']):
        tables.append(bigrocks('batch', 'jobs', *WIDE, '--effort', 'fast', '-q', *words, cwd=folder).stdout)
    assert tables.count(tables[0]) == 4, 'a store changes the table'
    for path in sorted(jobs.iterdir()):
        done = plan(path, '--store', 'batch.db', cwd=folder)
        assert said_of('batch.db', done) == 'this is the kept plan', (path, done.stderr)
        check(done, path, folder)


def write_measured_job(path):
    """Fourteen tasks of seconds, each up to a millisecond longer: a proof needs rounded durations."""
    rng = random.Random(1)
    lines = ['<job xmlns="urn:bigrocks:job:1" name="measured">']
    for k in range(14):
        lines.append('<stage id="s%d" duration="%.9f"><demand resource="cpu" amount="%d"/><demand resource="mem" '
                     'amount="%d"/></stage>' % (k, rng.randint(2, 9) + rng.random() / 1000, rng.randint(0, 6),
                                                rng.randint(0, 6)))
    lines += ['<edge from="s%d" to="s%d"/>' % (a, b) for b in range(14) for a in range(b) if rng.random() < 0.12]
    path.write_text('\n'.join(lines + ['</job>']))


def check_rounded(folder):
    """A proof for rounded durations comes back with its rounding, and holds for no other."""
    cluster = ['--machines', '1', '--capacity', 'cpu=8,mem=8']
    write_measured_job(folder / 'measured.xml')
    words = ['plan', 'measured.xml', *cluster, '--store', 'plans.db']
    first = bigrocks(*words, '-f', 'json', cwd=folder)
    again = bigrocks(*words, '-f', 'json', cwd=folder)
    assert said(first) == 'no plan of this job yet; this one is kept'
    assert said(again) == 'this is the kept plan'
    made, kept = read(first), read(again)
    assert kept['certificate'] == made['certificate'] and kept['lower_bound'] == made['lower_bound']
    assert made['lower_bound'] < made['makespan'] <= 1.0001 * made['lower_bound'], made
    part, = [part for part in kept['certificate']['parts'] if 'rounding' in part]
    assert part['rounding'] > 1, part
    check(again, 'measured.xml', folder, cluster)
    assert 'proven optimal to within 0.01 %' in bigrocks(*words, cwd=folder).stdout
    text = (folder / 'out.json').read_text()
    for other in 1, 2 * part['rounding']:
        (folder / 'forged.json').write_text(text.replace('"rounding": %d' % part['rounding'], '"rounding": %d' % other))
        bigrocks('check', '--certificate', 'forged.json', cwd=folder, status=1)
    # A batch keeps and finds them as well.
    (folder / 'list').write_text('measured.xml\n')
    tables = [bigrocks('batch', 'list', *cluster, *more, cwd=folder).stdout
              for more in ([], ['--store', 'plans.db'], ['--store', 'other.db'], ['--store', 'other.db'])]
    assert tables.count(tables[0]) == 4, tables
    found = bigrocks('plan', 'measured.xml', *cluster, '--store', 'other.db', '-f', 'json', cwd=folder)
    assert said_of('other.db', found) == 'this is the kept plan'
    assert read(found)['certificate'] == made['certificate']


def said_of(name, done):
    return re.search(r'^bigrocks: %s: (.*)$' % name, done.stderr, re.M).group(1)


def check_at_once(folder):
    """Several programs fill one file; nothing is lost, and nobody waits for long."""
    jobs = sorted((folder / 'jobs').iterdir())
    children = [subprocess.Popen([str(BIGROCKS), 'plan', str(job), *WIDE, *COMMON, '--effort', 'fast', '-q', '--store',
                                  'at-once.db', '-o', job.stem + '.json'], cwd=folder) for job in jobs]
    assert [child.wait() for child in children] == [0] * len(jobs)
    for job in jobs:
        assert said_of('at-once.db', plan(job, '--store', 'at-once.db', cwd=folder)) == 'this is the kept plan' or \
            job.stem in ('00', 'scaled'), job


def main():
    with tempfile.TemporaryDirectory(prefix='bigrocks-store-') as folder:
        folder = pathlib.Path(folder)
        write_job(folder / 'job.xml', 1)
        done = subprocess.run([str(BIGROCKS), 'plan', 'job.xml', *WIDE, '--store', 'none.db', '--effort', 'fast'],
                              cwd=folder, capture_output=True, text=True)
        if 'keeps no plans' in done.stderr:
            assert done.returncode == 5, done
            print('built without SQLite')
            return 77
        check_plan(folder)
        check_rounded(folder)
        check_refusals(folder)
        check_batch(folder)
        check_at_once(folder)
    return 0


if __name__ == '__main__':
    sys.exit(main())
