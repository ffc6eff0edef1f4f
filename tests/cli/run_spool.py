#!/usr/bin/env python3
"""A spool folder: what is taken and where it ends up, Ctrl-C, kill -9, two servers, bad files.

run_spool.py BIGROCKS WORK

bench/spool does what this does not: writers and kills at random.
"""
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from run_job import BIGROCKS, Job, assert_gone, command, read_trace, run, wait_for

ECHO = 'echo "$BIGROCKS_JOB $BIGROCKS_TASK" >> log'


def drop(folder, name, job, place='new'):
    """As a writer should: under another name first."""
    target = folder / 'spool' / place / name
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name('.' + target.name)
    if isinstance(job, str):
        unfinished.write_text(job)
    else:
        job.write(unfinished)
    unfinished.rename(target)


def empty(folder, *options, status=0):
    return run(folder, '--spool', 'spool', '--until-empty', '--capacity', 'cpu=2', *options,
               status=status)


@contextlib.contextmanager
def server(folder, *options):
    process = subprocess.Popen(command('--spool', 'spool', '--capacity', 'cpu=2', *options),
                               cwd=folder, stderr=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        process.stderr.close()


def files(folder, place):
    root = folder / 'spool' / place
    return sorted(str(p.relative_to(root)) for p in root.rglob('*') if p.is_file())


def result(folder, path):
    return json.loads((folder / 'spool' / (path + '.json')).read_text())


def wait(what, seconds=20):
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, 'waited too long'
        time.sleep(0.01)


def log_of(folder):
    path = folder / 'log'
    return sorted(path.read_text().splitlines()) if path.exists() else []


def test_places(folder):
    """Jobs end up in done or failed with all that came of them; what is no job is left alone."""
    good = Job().stage('a', ECHO + '; echo out {index}', tasks=2, shell=True)
    bad = Job().stage('a', 'echo before; exit 3', shell=True).stage('b', 'true').edge('a', 'b')
    drop(folder, 'good.xml', good)
    drop(folder, 'bad.xml', bad)
    drop(folder, 'team/good.xml', good)
    drop(folder, 'half.xml', '<job xmlns="urn:bigrocks:job:1" name="x">\n<stage id="a"')
    drop(folder, 'nothing.xml', Job().stage('a', None))
    drop(folder, 'large.xml', Job().stage('a', 'true', cpu=3))
    for name in ('.hidden.xml', 'x.xml.part', 'y.tmp'):
        (folder / 'spool/new' / name).write_text('<job')
    done = empty(folder, status=1)
    assert files(folder, 'new') == ['.hidden.xml', 'x.xml.part', 'y.tmp']
    assert files(folder, 'running') == []
    assert files(folder, 'done') == [n + s for n in ('good.xml', 'team/good.xml')
                                     for s in ('', '.json', '.out')]
    assert files(folder, 'failed') == sorted(
        [n + s for n in ('half.xml', 'large.xml', 'nothing.xml') for s in ('', '.error', '.json')] +
        ['bad.xml' + s for s in ('', '.error', '.json', '.out')])
    assert log_of(folder) == ['good.xml a[0]', 'good.xml a[1]', 'team/good.xml a[0]',
                              'team/good.xml a[1]']
    assert sorted((folder / 'spool/done/good.xml.out').read_text().split('\n')) == [
        '', 'out 0', 'out 1']
    assert result(folder, 'done/team/good.xml') | {'start': 0, 'end': 0, 'planned': 0} == {
        'format': 'bigrocks-result/1', 'job': 'team/good.xml', 'group': 'team', 'status': 'done',
        'tasks': 2, 'done': 2, 'resumed': 0, 'failed': 0, 'left': 0, 'start': 0, 'end': 0,
        'planned': 0}
    told = result(folder, 'failed/bad.xml')
    assert (told['status'], told['failed'], told['left']) == ('failed', 1, 1), told
    error = (folder / 'spool/failed/bad.xml.error').read_text()
    assert "task 'a' failed: exit status 3" in error and '| before' in error, error
    for name, said in (('half.xml', 'half.xml:2'), ('nothing.xml', 'has no command'),
                       ('large.xml', 'large.xml:2:1: task a demands 3 of cpu')):
        error = (folder / 'spool/failed' / (name + '.error')).read_text()
        assert said in error and 'running/' not in error, error
        told = result(folder, 'failed/' + name)
        assert told['status'] == 'refused' and said in told['error'], told
    assert '2 jobs are done, 4 have failed' in done.stderr, done.stderr
    assert done.stdout == ''


def test_names(folder):
    """A name that was there before gets a number, and none is taken for what stands beside
    another job."""
    job = Job().stage('a', ECHO, shell=True)
    for _ in range(4):
        drop(folder, 'x', job)
        empty(folder, '-q')
    drop(folder, 'x.json', job)
    drop(folder, 'y.out', job)
    drop(folder, 'n' * 250, job)
    empty(folder, '-q')
    drop(folder, 'y', job)
    empty(folder, '-q')
    names = [n for n in files(folder, 'done') if n + '.json' in files(folder, 'done')]
    assert names == ['n' * 200, 'x', 'x.json~2', 'x~2', 'x~3', 'x~4', 'y.out', 'y~2'], names
    assert log_of(folder) == sorted(n + ' a' for n in names)


def test_appears(folder):
    """Jobs are taken soon after they appear, also in new folders of new; a file that is still
    written to is not."""
    job = Job().stage('a', ECHO, shell=True)
    with server(folder) as process:
        wait(lambda: (folder / 'spool/journal').exists())
        for name in ('a.xml', 'g/b.xml'):
            began = time.monotonic()
            drop(folder, name, job)
            wait(lambda: name in files(folder, 'done'))
            assert time.monotonic() - began < 2  # without being told it takes up to 5 s
        job.write(folder / 'whole.xml')
        text = (folder / 'whole.xml').read_text()
        with open(folder / 'spool/new/slow.xml', 'w') as out:
            out.write(text[:60])
            out.flush()
            time.sleep(0.7)
            assert files(folder, 'new') == ['slow.xml'] and process.poll() is None
            out.write(text[60:])
        wait(lambda: 'slow.xml' in files(folder, 'done'))
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=20) == -signal.SIGTERM


def test_left_behind(folder):
    """What tasks of a job have left behind ends with the job, not only with the server."""
    job = Job().stage('a', 'setsid sleep 60 > /dev/null 2>&1 & echo $! > pid', shell=True)
    with server(folder):
        drop(folder, 'job.xml', job)
        wait(lambda: 'job.xml' in files(folder, 'done'))
        wait(lambda: not pathlib.Path('/proc/' + (folder / 'pid').read_text().strip()).exists())


def test_left_behind_deaf(folder):
    """So does what does not listen to SIGTERM, a while later; another job's is left alone."""
    deaf = "setsid sh -c 'trap \"\" TERM; echo $$ > %s; while :; do sleep 0.1; done' > /dev/null 2>&1 & "
    wait_for_it = 'until [ -s %s ]; do sleep 0.01; done'
    stays = Job().stage('a', deaf % 'other' + 'until [ -e go ]; do sleep 0.05; done', shell=True)
    job = Job().stage('a', deaf % 'pid' + wait_for_it % 'pid', shell=True)
    with server(folder):
        drop(folder, 'stays.xml', stays)
        drop(folder, 'job.xml', job)
        wait(lambda: 'job.xml' in files(folder, 'done'))
        wait(lambda: not pathlib.Path('/proc/' + (folder / 'pid').read_text().strip()).exists())
        assert pathlib.Path('/proc/' + (folder / 'other').read_text().strip()).exists()
        (folder / 'go').touch()
        wait(lambda: 'stays.xml' in files(folder, 'done'))


def test_many(folder):
    """Of one group 256 jobs are taken at once; others wait, and another group does not wait for them."""
    job = Job().stage('a', 'test -e go || sleep 60', shell=True)
    for k in range(260):
        drop(folder, 'x/%d.xml' % k, job)
    quick = Job().stage('a', 'true', cpu=1)
    with server(folder, '--group', 'x=1,y=1'):
        wait(lambda: len(files(folder, 'new')) == 4)
        time.sleep(0.5)
        assert len(files(folder, 'new')) == 4
        drop(folder, 'y/late.xml', quick)
        wait(lambda: files(folder, 'new') == [n for n in files(folder, 'new') if n[0] == 'x'])
        assert len(files(folder, 'new')) == 4


def test_groups(folder):
    """The folders of new are groups, whose weights count, whatever the job says."""
    job = Job().stage('s', 'sleep 0.02', tasks=30, duration=0.02)
    drop(folder, 'x/job.xml', job)
    drop(folder, 'y/job.xml', job)
    empty(folder, '--group', 'x=4,y=1', '--kappa', '0.01', '--trace', 'trace.csv', '-q')
    rows = sorted(read_trace(folder / 'trace.csv'), key=lambda r: r['start'])
    starts = [row['job'] for row in rows][:25]
    assert 18 <= starts.count('x/job.xml') <= 22, starts


def running_job(folder):
    """Two tasks that have ended, and one that runs until the file go is there."""
    job = Job().stage('a', ECHO, tasks=2, shell=True)
    job.stage('b', ECHO + '; test -e go || sleep 60', shell=True).edge('a', 'b')
    drop(folder, 'job.xml', job)


def test_interrupt(folder):
    """Ctrl-C: what runs is stopped, the job stays, and the next server goes on with it."""
    running_job(folder)
    with server(folder) as process:
        wait_for(folder / 'log', 'job.xml b', process)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
        assert process.returncode == -signal.SIGINT
    assert '1 not done, as the run was interrupted' in said, said
    assert_gone(folder)
    assert [n for n in files(folder, 'running') if n.endswith('.xml')] == ['job.xml']
    assert files(folder, 'done') == files(folder, 'failed') == []
    (folder / 'go').touch()
    empty(folder)
    assert log_of(folder) == ['job.xml a[0]', 'job.xml a[1]', 'job.xml b', 'job.xml b']
    assert result(folder, 'done/job.xml')['resumed'] == 2


def test_killed(folder):
    """kill -9: no task of the dead server is left, and what had ended does not run again. A job
    that was changed meanwhile is another one."""
    running_job(folder)
    drop(folder, 'other.xml', Job().stage('a', 'sleep 60'))
    with server(folder) as process:
        wait_for(folder / 'log', 'job.xml b', process)
        wait(lambda: len([n for n in files(folder, 'running') if n.endswith('.xml')]) == 2)
        wait(lambda: (folder / 'spool/journal').read_text().count('started') == 4)
        process.kill()
        process.wait()
    (folder / 'go').touch()
    drop(folder, 'other.xml', Job().stage('a', 'true').stage('b', 'true'), 'running')
    empty(folder, status=1)
    assert_gone(folder)
    assert log_of(folder) == ['job.xml a[0]', 'job.xml a[1]', 'job.xml b', 'job.xml b']
    assert 'has changed since it was begun' in (
        folder / 'spool/failed/other.xml.error').read_text()


def test_name_again(folder):
    """A job that is over is forgotten: another one of its name, once its files are gone, runs in
    full. So it is where the server died after the files were moved and before the journal knew."""
    job = Job().stage('a', ECHO, tasks=2, shell=True)
    for round_ in range(3):
        drop(folder, 'job.xml', job)
        empty(folder, '-q')
        for name in files(folder, 'done'):
            (folder / 'spool/done' / name).unlink()
        assert log_of(folder) == sorted(['job.xml a[0]', 'job.xml a[1]'] * (round_ + 1))
    path = folder / 'spool/journal'
    with server(folder) as process:
        drop(folder, 'job.xml', job)
        wait(lambda: 'job.xml' in files(folder, 'done') and 'dropped' in path.read_text())
        process.kill()
        process.wait()
    text = path.read_text()
    path.write_text(text[:text.index('dropped') - 17])
    for name in files(folder, 'done'):
        (folder / 'spool/done' / name).unlink()
    drop(folder, 'job.xml', job)
    empty(folder, '-q')
    assert log_of(folder) == sorted(['job.xml a[0]', 'job.xml a[1]'] * 5)


def test_two_servers(folder):
    with server(folder):
        wait(lambda: (folder / 'spool/journal').exists())
        refused = empty(folder, status=1)
        assert 'another server works on the spool' in refused.stderr, refused.stderr
        drop(folder, 'job.xml', Job().stage('a', ECHO, shell=True))
        wait(lambda: 'job.xml' in files(folder, 'done'))
    empty(folder)


def test_wrong(folder):
    job = Job().stage('a', 'true')
    job.write(folder / 'a.xml')
    for arguments, said in ((['a.xml'], 'a JOB'), (['--journal', 'j'], '--journal'),
                            (['--plan', 'p'], '--plan'), (['--group-of', 'x'], '--group-of'),
                            (['--simulate'], '--simulate'), (['--on', 'slurm'], '--on')):
        refused = run(folder, '--spool', 'spool', *arguments, status=2)
        assert 'and goes without ' + said in refused.stderr, refused.stderr
    assert '--until-empty is about' in run(folder, 'a.xml', '--until-empty', status=2).stderr
    (folder / 'spool').write_text('')
    assert 'cannot be made' in run(folder, '--spool', 'spool', status=5).stderr


def main():
    for name, test in list(globals().items()):
        if not name.startswith('test_'):
            continue
        with tempfile.TemporaryDirectory(prefix='bigrocks-spool') as folder:
            began = time.monotonic()
            test(pathlib.Path(folder).resolve())
            print('%s: ok, %.1f s' % (name, time.monotonic() - began), flush=True)


if __name__ == '__main__':
    sys.exit(main())
