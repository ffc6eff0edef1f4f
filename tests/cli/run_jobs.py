#!/usr/bin/env python3
"""Several jobs in one run: shares, failures of one, the journal, the report.

run_jobs.py BIGROCKS WORK

WORK is the program of tests/runtime/run_work.c.
"""
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

from run_job import BIGROCKS, WORK, Job, assert_gone, command, read_trace, run, wait_for


def table(text):
    """The rows of the report: status, start, end, done, tasks, job, group."""
    row = re.compile(r'(done|failed|stopped) +([\d.]+|-) +([\d.]+|-) +(\d+)/(\d+) (.*?)(?: \((.*)\))?$')
    return [match.groups() for match in map(row.match, text.splitlines()) if match]


def of_job(rows, name):
    return [row for row in rows if row['job'] == name]


def test_share(folder):
    """All jobs together keep to the capacity, each keeps its own order, and each is told of."""
    a = Job().stage('a', WORK + ' 0.01 1000', tasks=6, cpu=1, mem=1000)
    a.stage('b', WORK + ' 0.01 1000', tasks=6, cpu=2, mem=2000).edge('a', 'b', 'one-to-one')
    b = Job().stage('a', 'sh -c \'echo "$BIGROCKS_JOB $BIGROCKS_TASK"\'', tasks=9, cpu=1, mem=3000)
    a.write(folder / 'a.xml')
    b.write(folder / 'b.xml')
    done = run(folder, 'a.xml', 'b.xml', 'a.xml', '--capacity', 'cpu=3,mem=6000', '--trace',
               'trace.csv')
    rows = read_trace(folder / 'trace.csv')
    names = ['a.xml', 'b.xml', 'a.xml#2']
    for name, job in zip(names, (a, b, a)):
        job.check(of_job(rows, name), {'cpu': 3, 'mem': 6000})
    # Stages of one name demand differently, so all of them are told apart first.
    whole = Job()
    for name, job in zip(names, (a, b, a)):
        for stage, what in job.stages.items():
            whole.stages[name + stage] = what
    for row in rows:
        row['stage'] = row['job'] + row['stage']
    most = whole.check(rows, {'cpu': 3, 'mem': 6000})
    assert most['cpu'] == 3, most
    assert sorted(done.stdout.split('\n')[:-1]) == ['b.xml a[%d]' % k for k in range(9)]
    assert '33 tasks done in' in done.stderr
    report = table(done.stderr)
    assert [(r[0], r[3], r[4], r[5]) for r in report] == [
        ('done', '12', '12', 'a.xml'), ('done', '9', '9', 'b.xml'), ('done', '12', '12', 'a.xml#2')]
    for name, (_, start, end, *_rest) in zip(names, report):
        mine = of_job(rows, name)
        assert abs(float(start) - min(r['start'] for r in mine)) < 0.0011
        assert abs(float(end) - max(r['end'] for r in mine)) < 0.0011
    assert run(folder, 'a.xml', 'b.xml', '--capacity', 'cpu=3,mem=6000', '-q').stderr == ''


def starts_of(folder, *options):
    """The jobs of the first 30 starts of two equal jobs that compete for three cores."""
    run(folder, 'a.xml', 'b.xml', '--capacity', 'cpu=3', '--trace', 'trace.csv', '-q', *options)
    rows = sorted(read_trace(folder / 'trace.csv'), key=lambda r: r['start'])
    return [row['job'] for row in rows][:30]


def test_groups(folder):
    """The starts of two jobs that compete are as their groups' weights, however the groups are
    given: by the option, or by the attribute."""
    job = Job().stage('s', 'sleep 0.01', tasks=40, duration=0.01)
    for name in ('a', 'b'):
        job.write(folder / (name + '.xml'))
    for weights, low, high in (('x=1,y=1', 12, 18), ('x=4,y=1', 22, 26), ('y=4', 4, 8)):
        starts = starts_of(folder, '--group', weights, '--group-of', 'x,y', '--kappa', '0.01')
        assert low <= starts.count('a.xml') <= high, (weights, starts)
    for name, group in (('a', 'x'), ('b', 'y')):
        path = folder / (name + '.xml')
        path.write_text(path.read_text().replace(
            'name="test">', 'name="test"><attribute name="group" value="%s"/>' % group))
    starts = starts_of(folder, '--group', 'x=1,y=4', '--kappa', '0.01')
    assert 4 <= starts.count('a.xml') <= 8, starts
    starts = starts_of(folder, '--group', 'x=4,y=1', '--group-of', 'y,x', '--kappa', '0.01')
    assert 4 <= starts.count('a.xml') <= 8, starts
    # So far may a group fall behind, and no farther: with a large kappa weights mean nothing.
    starts = starts_of(folder, '--group', 'x=4,y=1', '--kappa', '1000', '--eta', '1000')
    assert starts.count('a.xml') >= 29, starts


def test_wrong(folder):
    Job().stage('a', 'true').write(folder / 'a.xml')
    (folder / 'bad.xml').write_text('<job')
    for arguments, status, said in (
            (['--group', 'a'], 2, "'a' is not a name with a number above 0, up to 1000000"),
            (['--group', 'a=0'], 2, "'a=0' is not a name with a number above 0, up to 1000000"),
            (['--group', '=1'], 2, "'=1' is not a name with a number above 0, up to 1000000"),
            (['--group', 'a=1,a=2'], 2, "has 'a' twice"),
            (['--group', 'a=1,'], 2, 'has an empty entry'),
            (['--group-of', 'x,y,z'], 2, 'names 3 groups for 2 jobs'),
            (['--group-of', 'x,'], 2, 'has an empty entry'),
            (['--plan', 'plan.json'], 2, '--plan is for one job'),
            (['--simulate'], 2, '--simulate is for one JOB'),
            (['--on', 'slurm-jobs', '--journal', 'j'], 2, "Slurm jobs take one JOB"),
            (['bad.xml'], 3, 'bad.xml:1'),
            (['missing.xml'], 5, 'missing.xml')):
        refused = run(folder, 'a.xml', 'a.xml', *arguments, status=status)
        assert said in refused.stderr, refused.stderr
    assert 'run needs a JOB' in run(folder, status=2).stderr


def test_failures(folder):
    """A failure ends its own job and no other: what runs ends by itself, and makes nothing ready. With
    --keep-going all of the job runs that does not depend on the failure."""
    bad = Job().stage('bad', 'false').stage('c', 'true').edge('bad', 'c')
    bad.stage('slow', 'sleep 0.4').stage('b', 'true', tasks=9).edge('slow', 'b').write(folder / 'bad.xml')
    Job().stage('a', 'sleep 0.03', tasks=20).write(folder / 'good.xml')
    for option, of_bad in (('-q', '1'), ('-k', '10')):
        done = run(folder, 'bad.xml', 'good.xml', '--capacity', 'cpu=3', option, status=1)
        rows = {row[5]: row for row in table(done.stderr)}
        assert rows['good.xml'][:1] + rows['good.xml'][3:5] == ('done', '20', '20'), rows
        assert (rows['bad.xml'][0], rows['bad.xml'][3]) == ('failed', of_bad), rows
        assert "job 'bad.xml': task 'bad' failed: exit status 1" in done.stderr
        assert '1 failed: bad.xml: bad' in done.stderr


def test_strays(folder):
    """What a task of one job has left behind is not taken for that of a task of the same name of
    another, which fails."""
    good = Job().stage('t', 'setsid sleep 30 > /dev/null 2>&1 & echo $! > left', shell=True)
    good.stage('u', 'sleep 0.5; kill -0 $(cat left) && echo lives', shell=True).edge('t', 'u')
    bad = Job().stage('t', 'sleep 0.2; false', shell=True)
    good.write(folder / 'good.xml')
    bad.write(folder / 'bad.xml')
    done = run(folder, 'good.xml', 'bad.xml', '--capacity', 'cpu=2', status=1)
    assert done.stdout == 'lives\n', (done.stdout, done.stderr)
    assert '1 process left behind by tasks had to be ended' in done.stderr, done.stderr


def test_plans(folder):
    """Plans and jobs together: a plan brings its own order, and all share the first one's
    cluster."""
    job = Job().stage('a', 'echo a{index}', tasks=4)
    job.write(folder / 'a.xml')
    subprocess.run([BIGROCKS, 'plan', 'a.xml', '--capacity', 'cpu=1', '-q', '-o', 'plan.json',
                    '--method', 'random', '--seed', '3'], cwd=folder, check=True)
    done = run(folder, 'plan.json', 'a.xml', '--trace', 'trace.csv')
    rows = read_trace(folder / 'trace.csv')
    plan = json.loads((folder / 'plan.json').read_text())
    order = [t['id'] for t in sorted(plan['tasks'], key=lambda t: t['rank'])]
    mine = sorted(of_job(rows, 'plan.json'), key=lambda r: r['start'])
    assert [row['task'] for row in mine] == order
    assert all(row['machine'] == 'm' for row in rows) and len(rows) == 8
    assert 'the machine is this one' not in done.stderr


def test_journal(folder):
    """One journal for all: jobs in another order are known, and other jobs refused."""
    for name, word in (('a', 'one'), ('b', 'two')):
        job = Job().stage('s', 'echo %s{index} >> log' % word, tasks=5, shell=True)
        job.stage('stop', 'test -e go', shell=True).stage('e', 'echo %s-end >> log' % word, shell=True)
        job.edge('s', 'stop').edge('stop', 'e').write(folder / (name + '.xml'))
    Job().stage('s', 'true').write(folder / 'c.xml')
    arguments = ['--capacity', 'cpu=2', '--journal', 'j', '--resume']
    done = run(folder, 'a.xml', 'b.xml', *arguments, status=1)
    assert [row[0] for row in table(done.stderr)] == ['failed', 'failed']
    for other in (['a.xml'], ['a.xml', 'c.xml'], ['a.xml', 'b.xml', 'a.xml']):
        assert 'of another job' in run(folder, *other, *arguments, status=1).stderr
    (folder / 'go').touch()
    done = run(folder, 'b.xml', 'a.xml', *arguments)
    assert '10 tasks were done before' in done.stderr, done.stderr
    lines = (folder / 'log').read_text().split()
    assert sorted(lines) == sorted(['%s%d' % (w, k) for w in ('one', 'two') for k in range(5)] +
                                   ['one-end', 'two-end']), lines


def test_interrupt(folder):
    """Ctrl-C stops the tasks of all jobs, and all go on with the journal."""
    for name in ('a', 'b'):
        job = Job().stage('s', 'echo >> log; test -e go || sleep 60', tasks=2, shell=True)
        job.write(folder / (name + '.xml'))
    arguments = ['a.xml', 'b.xml', '--capacity', 'cpu=4', '--journal', 'j', '--resume']
    process = subprocess.Popen(command(*arguments), cwd=folder, stderr=subprocess.PIPE, text=True)
    wait_for(folder / 'log', '\n\n\n\n', process)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == -signal.SIGINT
    assert [row[0] for row in table(said)] == ['stopped', 'stopped'], said
    assert_gone(folder)
    (folder / 'go').touch()
    run(folder, *arguments)
    assert (folder / 'log').read_text() == '\n' * 8


def main():
    for name, test in list(globals().items()):
        if not name.startswith('test_'):
            continue
        with tempfile.TemporaryDirectory(prefix='bigrocks-jobs') as folder:
            began = time.monotonic()
            test(pathlib.Path(folder).resolve())
            print('%s: ok, %.1f s' % (name, time.monotonic() - began), flush=True)


if __name__ == '__main__':
    sys.exit(main())
