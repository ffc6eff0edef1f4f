#!/usr/bin/env python3
"""Workloads on executors, from outside: the file says for how many they are, any number of threads gives equal bytes,
nothing is below its bound, and what does not fit is refused without an output.

executors.py BIGROCKS EXAMPLES
"""
import csv
import io
import json
import pathlib
import subprocess
import sys
import tempfile

PROGRAM, EXAMPLES = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
POLICIES = 'fifo,sjf-cp,fair,weighted-fair-naive,weighted-fair=-0.5,weighted-fair-tuned,tetris,graphene,' \
           'bound,bound-stages,random'


def run(*arguments, status=0):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == status, (arguments, done.returncode, done.stderr)
    return done.stderr if status else done.stdout


def the_file_says_it(folder):
    batch = folder / 'batch.xml'
    run('workload', EXAMPLES / 'profiles', '--executors', 20, '--count', 8, '--arrivals', 'batch', '-qo', batch)
    assert ' executors="20"' in batch.read_text() and 'arrival="0"' in batch.read_text()
    again = run('workload', batch, '-f', 'xml', '-q')
    assert ' executors="20"' in again and again.count('<job ') == 8
    of = {n: json.loads(run('simulate', batch, '--policy', 'fair', '-qf', 'json', *more))['cluster']['machines']
          for n, more in ((20, []), (7, ['--executors', 7]), (3, ['--machines', 3, '--capacity', 'cpu=1']))}
    assert all(n == machines for n, machines in of.items()), of
    return batch


def threads_give_equal_bytes(batch):
    for form in ('json', 'csv', 'runs', 'text', 'svg'):
        texts = {run('simulate', batch, '--policy', POLICIES, '--seeds', 2, '--threads', n, '-qf', form) for n in (1, 2, 5)}
        assert len(texts) == 1, form


def figures_agree(batch):
    """Means over the jobs are those told; a tuned policy is as good as each of those that it tries; no cost of moving
    means no worse; another seed is another world."""
    text = run('simulate', batch, '--policy', POLICIES, '-qf', 'json')
    results = {row['policy']: row for row in json.loads(text)['results']}
    jobs = list(csv.DictReader(io.StringIO(run('simulate', batch, '--policy', POLICIES, '-qf', 'csv'))))
    for policy, row in results.items():
        jct = [float(job['jct']) for job in jobs if job['policy'] == policy]
        assert len(jct) == 8 and abs(sum(jct) / 8 - row['mean_jct']) < 1e-6, policy
        assert row['mean_jct'] >= row['mean_jct_bound'] > 0 and row['makespan'] >= row['makespan_bound'] > 0, row
        assert row['finished'] == 8 and row['use'][0]['peak'] <= 1
    tuned = results['weighted-fair-tuned']['mean_jct']
    for policy in ('fair', 'weighted-fair-naive', 'weighted-fair=-0.5'):
        assert tuned <= results[policy]['mean_jct'] + 1e-9, policy
    assert len({row['mean_jct'] for row in results.values()}) >= 6
    fixed, moved = (json.loads(run('simulate', batch, '--policy', 'fifo', '-qf', 'json', '--moving', s))['results'][0]
                    for s in (0, 30))
    assert moved['makespan'] > results['fifo']['makespan'] > fixed['makespan']
    other = json.loads(run('simulate', batch, '--policy', 'fair', '--seed', 2, '-qf', 'json'))['results'][0]
    assert other['mean_jct'] != results['fair']['mean_jct']


def sizes(folder, batch):
    """One class of executors is as none. Drawn requests cost time, differ by seed, and give equal bytes for any number
    of threads. What a job demands of memory counts; a tuned policy tries thresholds as well."""
    words = ['simulate', batch, '--policy', POLICIES + ',graphene-tuned', '-qf', 'csv']
    plain = run(*words)
    assert plain == run(*words, '--classes', 1)
    drawn = {run(*words, '--classes', '0.25,0.5,0.75,1', '--draw-requests', '--threads', n) for n in (1, 3)}
    assert len(drawn) == 1
    def of(*more):
        return {row['policy']: row for row in json.loads(run(*words[:-1], 'json', *more))['results']}
    by_class = of('--classes', '0.25,0.5,0.75,1', '--draw-requests')
    for policy, row in of().items():
        assert by_class[policy]['mean_jct'] >= by_class[policy]['mean_jct_bound'] > 0
        if policy not in ('tetris', 'random'):
            assert by_class[policy]['mean_jct'] > row['mean_jct'], policy
    assert by_class['graphene-tuned']['mean_jct'] <= by_class['graphene']['mean_jct']
    job = folder / 'job.xml'
    job.write_text('<job xmlns="urn:bigrocks:job:1" name="j"><resource name="mem"/><stage id="s" tasks="8" duration="5">'
                   '<demand resource="mem" amount="0.6"/></stage></job>')
    one = folder / 'one.xml'
    run('workload', job, '--count', 1, '--arrivals', 'batch', '-qo', one)
    ends = [json.loads(run('simulate', one, '--executors', 4, '--classes', classes, '-qf', 'json', '--policy', 'fifo'))
            ['results'][0]['makespan'] for classes in ('0.6', '0.5,0.6', '0.2,0.3,0.4,1')]
    assert ends == [12, 22, 42], ends # 2 s to come, and 8 tasks on 4, 2 and 1 of them
    for more, said in (([], 'the largest machine'), (['--no-bounds'], 'more memory than')):
        assert said in run('simulate', one, '--executors', 4, '--classes', '0.5', *more, status=3)


def yields(folder, batch):
    """Where all jobs come at once nobody is asked again; where they come over time executors are, with equal bytes for
    any number of threads."""
    words = ['simulate', batch, '--policy', 'fifo,sjf-cp,tetris,random', '-qf', 'csv']
    assert run(*words) == run(*words, '--yield')
    stream = folder / 'stream.xml'
    run('workload', EXAMPLES / 'profiles', '--executors', 20, '--count', 30, '--load', 0.9, '--seed', 2, '-qo', stream)
    words = ['simulate', stream, '--policy', 'sjf-cp,fair,bound', '-qf', 'csv', '--threads']
    texts = {run(*words, n, '--yield') for n in (1, 3)}
    assert len(texts) == 1 and texts != {run(*words, 1)}


def simple(folder, batch):
    """No order of jobs is better than the one that is searched for, with any number of threads; of more than ten none is.
    Where all tasks of a stage last their mean and moving costs nothing, the seed does not count."""
    words = ['simulate', batch, '--simple', '--moving', 0, '--policy', 'sjf-cp,fair', '-qf', 'json', '--seed']
    one, two = ([{**row, 'seed': 0} for row in json.loads(run(*words, seed))['results']] for seed in (1, 2))
    strip = ('mean_jct', 'makespan', 'mean_jct_bound')
    assert [[row[k] for k in strip] for row in one] == [[row[k] for k in strip] for row in two]
    assert all(row['mean_jct'] >= row['mean_jct_bound'] > 0 for row in one)
    six = folder / 'six.xml'
    run('workload', EXAMPLES / 'profiles', '--executors', 20, '--count', 6, '--arrivals', 'batch', '-qo', six)
    words = ['simulate', six, '--simple', '--moving', 0, '--policy', 'order-search,sjf-cp,fifo', '-qf', 'json', '--threads']
    texts = {run(*words, n) for n in (1, 3)}
    assert len(texts) == 1
    best, shortest, first = (row['mean_jct'] for row in json.loads(texts.pop())['results'])
    assert best <= shortest + 1e-9 and best < first
    many = folder / 'many.xml'
    run('workload', EXAMPLES / 'profiles', '--executors', 20, '--count', 11, '--arrivals', 'batch', '-qo', many)
    assert 'too many to be tried' in run('simulate', many, '--policy', 'order-search', status=2)


def refusals(folder, batch):
    out = folder / 'out.json'
    for words, said in ((['--policy', 'fifo,decima'], "no policy for executors is called 'decima'"),
                        (['--policy', 'fifo=2'], 'takes no number'),
                        (['--policy', 'weighted-fair=many'], 'is not a number'),
                        (['--policy', 'weighted-fair=11'], 'is not within'),
                        (['--classes', '1,0.5'], "'0.5' is not above '1'"),
                        (['--draw-requests'], 'is for classes'),
                        (['--simple', '--machines', 2, '--capacity', 'cpu=1'], 'are for executors'),
                        (['--yield', '--machines', 2, '--capacity', 'cpu=1'], 'are for executors'),
                        (['--failures', '0.1'], 'executors know no'),
                        (['--executors', 5, '--machines', 2, '--capacity', 'cpu=1'], 'takes the place of a cluster')):
        assert said in run('simulate', batch, *words, '-o', out, status=2), words
        assert not out.exists()
    for count in ('0', '-1', 'x', '1000001'):
        bad = folder / 'bad.xml'
        bad.write_text(batch.read_text().replace('"20"', '"%s"' % count, 1))
        assert 'bad.xml:2:' in run('simulate', bad, status=3), count


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        batch = the_file_says_it(folder)
        threads_give_equal_bytes(batch)
        figures_agree(batch)
        sizes(folder, batch)
        yields(folder, batch)
        simple(folder, batch)
        refusals(folder, batch)


if __name__ == '__main__':
    main()
