#!/usr/bin/env python3
"""bigrocks simulate, from outside: equal bytes for any number of threads, shards that merge into the whole,
figures that agree with one another, faults told without an output, and Ctrl-C.

simulate.py BIGROCKS
"""
import csv
import io
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
CLUSTER = ['--machines', '4', '--capacity', 'cpu=16,mem=64GiB,net=1000,disk=1000']
POLICIES = 'graphene,fifo,srpt,weighted-fair=-0.5,capacity,random,joint=20000'
WORLD = ['--errors', 'stage=1.2:0.3,task=1:0.1', '--failures', '0.05', '--stragglers', '0.05:3', '--leave', '900:60']


def run(*arguments, status=0, cwd=None):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, cwd=cwd)
    assert done.returncode == status, (arguments, done.returncode, done.stderr)
    return done.stderr if status else done.stdout


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def two_copies():
    """Two copies of the motivating job (figure 3 of the paper): one after the other by the plan is best, 106 and 212 s;
    joint finds it, and the bounds prove it."""
    table = rows(run('simulate', pathlib.Path(__file__).resolve().parents[2] / 'examples/two-copies.xml', '--machines', 1, '--capacity',
                     'cpu=1,mem=1', '--policy', 'order,tetris,srpt-plan,joint', '-q', '-f', 'runs'))
    assert [(float(r['mean_jct']), float(r['makespan'])) for r in table] == [
        (210.5, 212), (407.5, 510), (159, 212), (159, 212)], table
    assert abs(float(table[3]['mean_jct_bound']) - 159) < 1e-6 and float(table[3]['makespan_bound']) == 212, table[3]


def threads_give_equal_bytes(folder, workload):
    for form in ('json', 'csv', 'runs', 'tasks', 'svg', 'html', 'text'):
        texts = {run('simulate', workload, *CLUSTER, *WORLD, '--policy', POLICIES, '--seeds', 2, '--threads', n, '-q',
                     '-f', form) for n in (1, 2, 7)}
        assert len(texts) == 1, form


def ended_tasks_tell(folder):
    """--refine: nothing changes where nothing was misjudged, or for policies that do not ask for work that is left;
    where whole jobs last otherwise than declared, those that do ask choose otherwise, the same on any threads."""
    workload = folder / 'declared.xml'
    run('workload', '--like', 'cosmos', '--tasks', 60, '--count', 20, '--interarrival', 8, '--seed', 4, '-q', '-o', workload)
    def ends(policy, *more):
        return run('simulate', workload, *CLUSTER, '--policy', policy, '--seeds', 2, '-q', '--no-bounds', '-f', 'runs', *more)
    asks, others = 'graphene,tetris,srpt,srpt-plan', 'fifo,fair,order,cp'
    wrong = ['--errors', 'job=1:1']
    assert ends('%s,%s' % (asks, others)) == ends('%s,%s' % (asks, others), '--refine')
    assert ends(others, *wrong) == ends(others, *wrong, '--refine')
    refined = ends(asks, *wrong, '--refine')
    assert all(a != b for a, b in zip(ends(asks, *wrong).splitlines()[1:], refined.splitlines()[1:]))
    assert all(ends(asks, *wrong, '--refine', '--threads', n) == refined for n in (1, 2, 7))


def outputs_are_lost(folder, workload):
    """--lose-outputs: tasks run again, the same for any threads, and that is told as waste; with bytes, they move again."""
    def table(*more, form='runs'):
        texts = {run('simulate', workload, *CLUSTER, '--policy', 'graphene,srpt,capacity', '--leave', '300:60', '-q', '--no-bounds',
                     '-f', form, '--threads', n, *more) for n in (1, 3)}
        assert len(texts) == 1
        return rows(texts.pop())
    for kept, lost in zip(table(), table('--lose-outputs')):
        assert float(lost['wasted_share']) > float(kept['wasted_share']) and lost['finished'] == kept['finished'], (kept, lost)
    tasks = table('--lose-outputs', form='tasks')
    ended = [row['ended'] for row in tasks]
    assert ended.count('lost') > 50 and ended.count('done') == len({(r['policy'], r['job'], r['stage'], r['index']) for r in tasks}), len(tasks)
    assert 'lost' not in [row['ended'] for row in table(form='tasks')]
    shuffles = ['simulate', folder / 'shuffles.xml', '--machines', 4, '--capacity', 'cpu=4,mem=8', '--policy', 'srpt,graphene', '-q',
                '--network', '--port-rate', '1Gbit', '--leave', '60:20', '--no-bounds', '-f', 'json']
    for kept, lost in zip(*(json.loads(run(*shuffles, *more))['results'] for more in ([], ['--lose-outputs']))):
        assert lost['finished'] == 8 and lost['moved_bytes'] > kept['moved_bytes'], (kept, lost)


def bytes_move(folder):
    """Jobs whose edges carry bytes: the same for any threads; told of the network only with --network, and then
    no job is quicker than without; slower ports, longer waits."""
    job, workload = folder / 'shuffle.xml', folder / 'shuffles.xml'
    cluster = ['--machines', 4, '--capacity', 'cpu=4,mem=8', '-q']
    job.write_text('''<job xmlns="urn:bigrocks:job:1" name="shuffle"><resource name="cpu"/><resource name="mem"/>
        <stage id="a" tasks="8" duration="9"><demand resource="cpu" amount="1"/></stage>
        <stage id="b" tasks="8" duration="4"><demand resource="cpu" amount="1"/></stage>
        <stage id="c" tasks="3" duration="7"><demand resource="cpu" amount="2"/></stage>
        <edge from="a" to="b" type="one-to-one" bytes="1600M"/><edge from="b" to="c" bytes="900M"/></job>''')
    run('workload', job, '--count', 8, '--interarrival', 15, '--seed', 1, '-o', workload)
    common = ['simulate', workload, *cluster, '--policy', 'srpt,graphene', '--seeds', 2, '--leave', '900:60']
    plain = json.loads(run(*common, '-f', 'json'))['results']
    assert 'moved_bytes' not in plain[0]
    waits = []
    for policy in 'fair', 'fifo', 'remaining-bottleneck-first', 'smallest-remaining-first', 'aalo':
        for rate in '1Gbit', '100Mbit':
            moving = [*common, '--network', '--network-policy', policy, '--port-rate', rate]
            texts = {run(*moving, '--threads', n, '-f', 'json') for n in (1, 2, 7)}
            assert len(texts) == 1, policy
            done = json.loads(texts.pop())['results']
            assert all(one['finished'] == 8 and one['moved_bytes'] > 1e9 for one in done), done
            assert all(one['mean_jct'] > two['mean_jct'] > two['mean_jct_bound'] for one, two in zip(done, plain)), done
            waits.append(done[0]['waited_for_bytes'])
        assert waits[-1] > 5 * waits[-2] > 0, waits
    assert len(set(waits)) == 10, waits
    assert run(*common, '--network', '--port-rate', '1Gbit', '-f', 'runs') == \
        run(*common, '--network', '--port-rate', '1Gbit', '--network-policy', 'fair', '-f', 'runs')
    # graphene starts tasks where their bytes lie, so the more it minds that, the fewer move.
    examples = pathlib.Path(__file__).resolve().parents[2] / 'examples'
    run('workload', examples / 'shuffle.xml', '--count', 40, '--interarrival', 15, '--seed', 1, '-q', '-o', folder / 'more.xml')
    moved = [json.loads(run('simulate', folder / 'more.xml', '--cluster', examples / 'cluster-ports.xml', '--policy', 'graphene',
                            '--network', '--remote-penalty', penalty, '--no-bounds', '-q', '-f', 'json'))['results'][0]['moved_bytes']
             for penalty in (1, 0.8, 0.5)]
    assert moved[1] < 0.88 * moved[0] and moved[2] < 0.83 * moved[0], moved
    assert 'has no rate' in run(*common, '--network', status=3)
    assert 'add --network' in run(*common, '--network-policy', 'fifo', status=2)
    assert 'add --network' in run(*common, '--port-rate', '1Gbit', status=2)
    assert 'fair' in run(*common, '--network', '--network-policy', 'fairly', status=2)
    assert 'no ports' in run('simulate', workload, '-q', '--executors', 5, '--network', status=2)


def shards_merge(folder, workload):
    common = ['simulate', workload, *CLUSTER, '--policy', POLICIES, '--seeds', 2, '-q']
    for form in ('runs', 'csv'):
        parts = [folder / ('part%d.csv' % k) for k in range(1, 6)]
        for k, part in enumerate(parts, 1):
            run(*common, '--shard', '%d/5' % k, '-f', form, '-o', part)
        whole = run(*common, '-f', form)
        assert run('simulate', '--merge', *parts) == whole, form
        for wrong in (parts[1:], parts[::-1], [parts[0], *parts]):
            said = run('simulate', '--merge', *wrong, '-o', folder / 'wrong.csv', status=3)
            assert 'does not follow' in said and not (folder / 'wrong.csv').exists(), said
    torn = folder / 'torn.csv'
    torn.write_text(parts[0].read_text()[:-5])
    assert 'torn' in run('simulate', '--merge', torn, status=3)
    assert 'no table' in run('simulate', '--merge', workload, status=3)


def figures_agree(workload):
    """Means of the rows by job are those of the runs; nothing is below the bounds; another seed is another world."""
    common = ['simulate', workload, *CLUSTER, *WORLD, '--policy', 'fifo,srpt', '--seeds', 2, '-q']
    jobs, runs = rows(run(*common, '-f', 'csv')), json.loads(run(*common, '-f', 'json'))['results']
    assert len(runs) == 4
    for one in runs:
        times = [float(r['jct']) for r in jobs if r['policy'] == one['policy'] and int(r['seed']) == one['seed']]
        assert len(times) == one['jobs'] and abs(sum(times) / len(times) - one['mean_jct']) < 1e-6
        assert one['mean_jct'] >= one['mean_jct_bound'] and one['makespan'] >= one['makespan_bound']
    tasks = rows(run(*common, '-f', 'tasks'))
    for row in jobs:
        mine = [t for t in tasks if (t['policy'], t['seed'], t['job']) == (row['policy'], row['seed'], row['job'])]
        done = [(t['stage'], t['index']) for t in mine if t['ended'] == 'done']
        assert len(done) == len(set(done)) and sum(t['ended'] in ('failed', 'evicted') for t in mine) == int(row['failures'])
        assert min(float(t['start']) for t in mine) == float(row['start'])
        assert max(float(t['end']) for t in mine) == float(row['end']), row
    assert {t['ended'] for t in tasks} == {'done', 'failed', 'evicted'} and len({t['machine'] for t in tasks}) == 4
    assert [float(t['end']) for t in tasks[:200]] == sorted(float(t['end']) for t in tasks[:200])
    assert runs[0]['mean_jct'] != runs[1]['mean_jct']
    exact = json.loads(run('simulate', workload, *CLUSTER, '--policy', 'srpt', '--seeds', 2, '-q', '-f', 'json'))
    assert exact['results'][0]['mean_jct'] == exact['results'][1]['mean_jct'] < runs[2]['mean_jct']
    ahead = json.loads(run('simulate', workload, *CLUSTER, '--policy', 'srpt', '--clairvoyant', 30, '-q', '-f', 'json'))
    assert ahead['results'][0]['mean_jct_bound'] <= ahead['results'][0]['clairvoyant_mean_jct']
    # The search begins with what the best of these does, so without a trial worth the name it is no worse.
    for row in rows(run('simulate', workload, *CLUSTER, '--policy', 'joint,tetris,srpt', '--clairvoyant', 1, '-q',
                        '--seeds', 4, '--errors', 'task=1:0.3,stage=1:0.6', '-f', 'runs')):
        assert float(row['clairvoyant_mean_jct']) <= float(row['mean_jct']) + 1e-9, row


def tuning_finds_the_best(workload):
    found = json.loads(run('simulate', workload, *CLUSTER, '--policy', 'weighted-fair-tuned,' +
                           ','.join('weighted-fair=%g' % (k / 4) for k in range(-8, 9)), '-q', '-f', 'json'))['results']
    assert found[0]['mean_jct'] == min(one['mean_jct'] for one in found[1:])


def help_tells_the_defaults(folder):
    """What the help calls the default gives what giving nothing gives, and another number something else."""
    text, crowd = ' '.join(run('simulate', '--help').split()), folder / 'crowd.xml'
    run('workload', '--like', 'cosmos', '--tasks', 60, '--count', 20, '--arrivals', 'batch', '--groups', 'a=1,b=2',
        '--seed', 2, '-o', crowd)
    common = ['simulate', crowd, *CLUSTER, '--policy', 'graphene', '--no-bounds', '-q', '-f', 'runs']
    usual = run(*common)
    for option, other in (('eta', 1), ('remote-penalty', 0.2), ('kappa', 2), ('bundle', 1)):
        told = re.search(r'--%s [A-Z] .*?\(default: ([0-9.]+)[;)]' % option, text)[1]
        assert run(*common, '--' + option, told) == usual != run(*common, '--' + option, other), (option, told)


def planning_is_limited(workload):
    """Jobs that are too large for the limit are planned by their critical path alone. How many is told, and how
    long it took beside every policy that follows plans."""
    def planned(*options):
        done = subprocess.run([PROGRAM, 'simulate', workload, *CLUSTER, '--policy', 'order,fifo', '--times', '-f', 'runs',
                               *options], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        found = re.search(r'planned (\d+) jobs in [0-9.]+ s, (\d+) of them by the critical path alone', done.stderr)
        times = {row['policy']: (float(row['planning_seconds']), float(row['seconds'])) for row in rows(done.stdout)}
        # Planning takes some 15 times as long as simulating, with sanitizers about as long; looking plans up, nothing.
        assert times['order'][0] > 0.1 * times['order'][1], times
        assert times['fifo'][0] < times['order'][0], times
        return int(found[1]), int(found[2])

    kinds, none = planned('--placements', '0')
    assert kinds > 1 and none == 0
    assert planned('--placements', '1') == (kinds, kinds)
    assert planned() == (kinds, 0)


def efforts_differ(folder):
    """Plans of more than the least effort are others. --effort max was taken for fast."""
    jobs = folder / 'efforts.xml'
    run('workload', '--like', 'layered', '--count', 4, '--tasks', 60, '--spread', 0.5, '--seed', 3,
        '--interarrival', 5, '-o', jobs)
    common = ['simulate', jobs, '--machines', 2, '--capacity', 'cpu=8,mem=64GiB,net=10G,disk=10G', '--policy', 'order',
              '--no-bounds', '-q', '-f', 'csv']
    fast, default, most = (run(*common, '--effort', effort) for effort in ('fast', 'default', 'max'))
    assert run(*common) == fast
    assert fast not in (default, most)


def faults_are_told(folder, workload):
    out = folder / 'never.json'
    for options, status, said in (
            (['--policy', 'grahpene'], 2, "did you mean 'graphene'"),
            (['--policy', 'fifo=3'], 2, 'takes no number'),
            (['--policy', 'weighted-fair=x'], 2, 'is not a number'),
            (['--policy', ''], 2, 'is empty'),
            (['--errors', 'stage=0'], 2, 'out of its range'),
            (['--errors', 'phase=1'], 2, '--errors'),
            (['--misjudged', '5:-5'], 2, 'the lower number goes first'), (['--misjudged', '-100'], 2, '--misjudged'),
            (['--average', 'licence=5'], 2, "no machine has a resource 'licence'"),
            (['--lose-outputs'], 2, 'add --leave'),
            (['--policy', 'joint', '--leave', '900:60', '--lose-outputs'], 2, "'joint' does not take outputs"),
            (['--average', 'cpu=101'], 2, '--average'), (['--average', 'cpu=50', '--clairvoyant', 5], 2, 'leave it out'),
            (['--policy', 'fifo', '--unseen', 'licence'], 2, "no machine has a resource 'licence'"),
            (['--failures', '1'], 2, 'failures'),
            (['--stragglers', '0.1:'], 2, '--stragglers'),
            (['--leave', 'soon'], 2, '--leave'),
            (['--shard', '3/2'], 2, '--shard'),
            (['--capacity', 'cpu=1'], 3, '')):
        text = run('simulate', workload, *CLUSTER, *options, '-o', out, status=status)
        assert said in text and not out.exists(), (options, text)
    assert 'cluster' in run('simulate', workload, status=2)
    run('simulate', folder / 'nowhere.xml', *CLUSTER, status=5)
    bad = folder / 'bad.csv'
    bad.write_text('file,id,arrival\nnowhere.xml,a,-1\n')
    assert 'bad.csv:2' in run('simulate', bad, *CLUSTER, status=3)


def an_interrupt_keeps_what_is_done(folder):
    """Thousands of runs; after Ctrl-C the table has the first ones, whole, and the exit status tells."""
    large = folder / 'large.xml'
    run('workload', '--like', 'cosmos', '--count', 60, '--interarrival', 5, '--seed', 3, '-o', large)
    table = folder / 'cut.csv'
    child = subprocess.Popen([PROGRAM, 'simulate', large, *CLUSTER, '--policy', 'fifo,srpt', '--seeds', '5000',
                              '--threads', '2', '--no-bounds', '-f', 'runs', '-o', table], stderr=subprocess.PIPE, text=True)
    time.sleep(4)
    child.send_signal(signal.SIGINT)
    said = child.communicate(timeout=60)[1]
    assert 'interrupted with' in said and child.returncode == 1, (child.returncode, said)
    if table.exists():
        done = [(row['policy'], int(row['seed'])) for row in rows(table.read_text())]
        assert done and len(done) < 10000 and done == sorted(set(done)), done


def main():
    with tempfile.TemporaryDirectory(prefix='bigrocks-simulate') as scratch:
        folder = pathlib.Path(scratch)
        workload = folder / 'w.xml'
        run('workload', '--like', 'cosmos', '--tasks', 30, '--count', 25, '--interarrival', 12, '--seed', 1,
            '--groups', 'a=1,b=2', '-o', workload)
        two_copies()
        threads_give_equal_bytes(folder, workload)
        ended_tasks_tell(folder)
        bytes_move(folder)
        outputs_are_lost(folder, workload)
        shards_merge(folder, workload)
        figures_agree(workload)
        tuning_finds_the_best(workload)
        help_tells_the_defaults(folder)
        planning_is_limited(workload)
        efforts_differ(folder)
        faults_are_told(folder, workload)
        an_interrupt_keeps_what_is_done(folder)
    print('simulated')


if __name__ == '__main__':
    main()
