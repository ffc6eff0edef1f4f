#!/usr/bin/env python3
"""Batches of jobs: tables that do not depend on threads, shards, crashes or interruptions.

batch.py BIGROCKS [NAME...]
"""
import csv
import json
import os
import pathlib
import pty
import random
import re
import resource
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
EXAMPLES = pathlib.Path(__file__).resolve().parent.parent.parent / 'examples'
# The least effort: what is tested here is the table, not the plans.
MACHINES = ['--machines', '3', '--capacity', 'cpu=4,mem=8']
CLUSTER = [*MACHINES, '--effort', 'fast']
HEAD = ['number', 'file', 'job', 'tasks', 'stages', 'method', 'makespan', 'lower_bound',
        'bound_method', 'gap', 'placements', 'status', 'message']


def write_job(path, seed, stages=4, tasks=3):
    """A small layered job; the last stage waits for all others."""
    rng = random.Random(seed)
    lines = ['<job xmlns="urn:bigrocks:job:1" name="job %d, seeded">' % seed]
    for s in range(stages):
        lines.append('<stage id="s%d" tasks="%d" duration="%.1f">'
                     '<demand resource="cpu" amount="%d"/><demand resource="mem" amount="%d"/></stage>'
                     % (s, rng.randint(1, tasks), rng.uniform(1, 9), rng.randint(1, 4),
                        rng.randint(0, 8)))
    lines += ['<edge from="s%d" to="s%d"/>' % (rng.randrange(s), s) for s in range(1, stages)]
    path.write_text('\n'.join(lines + ['</job>']))


def write_jobs(folder, count, **shape):
    """Jobs, every 7th of them bad, and their list; the list's path."""
    folder.mkdir(exist_ok=True)
    for k in range(count):
        if k % 7 == 3:
            (folder / ('j%d.xml' % k)).write_text('<job xmlns="urn:bigrocks:job:1" name="bad">')
        else:
            write_job(folder / ('j%d.xml' % k), k, **shape)
    jobs = folder / 'list'
    jobs.write_text('# jobs\n\n' + ''.join('  j%d.xml \r\n' % k for k in range(count)))
    return jobs


def write_long_job(path, stages=1500):
    """Takes the search the better part of a minute."""
    write_job(path, 1, stages=stages, tasks=60)


def batch(*arguments, status=0, cwd=None, stdin='', **more):
    done = subprocess.run([PROGRAM, 'batch', *map(str, arguments)], capture_output=True, text=True,
                          cwd=cwd, input=stdin, timeout=120, **more)
    assert done.returncode == status, (arguments, done.returncode, done.stderr[-2000:])
    return done


def start(*arguments):
    return subprocess.Popen([PROGRAM, 'batch', *map(str, arguments)], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def rows(text):
    table = list(csv.reader(text.splitlines()))
    assert table[0][:13] == HEAD, table[0]
    assert all(len(row) == len(table[0]) for row in table), table
    return [dict(zip(table[0], row)) for row in table[1:]]


def wait_for_rows(child, table, least):
    deadline = time.monotonic() + 60
    while not table.exists() or table.read_bytes().count(b'\n') <= least:
        assert child.poll() is None, child.communicate()
        assert time.monotonic() < deadline, table.read_text()
        time.sleep(0.01)


def threads_make_no_difference(folder):
    jobs = write_jobs(folder / 'jobs', 40)
    out = folder / 'out.csv'
    whole = batch(jobs, *CLUSTER, '--threads', 1)
    assert '34 planned, 6 refused' in whole.stderr, whole.stderr
    for threads in 1, 2, 7:
        assert batch(jobs, *CLUSTER, '--threads', threads).stdout == whole.stdout
        batch(jobs, *CLUSTER, '--threads', threads, '-o', out)
        assert out.read_text() == whole.stdout
    table = rows(whole.stdout)
    assert [int(row['number']) for row in table] == list(range(1, 41))
    assert [row['file'] for row in table] == ['j%d.xml' % k for k in range(40)]
    for k, row in enumerate(table):
        assert row['status'] == ('refused' if k % 7 == 3 else 'planned'), row
        if row['status'] == 'planned':
            assert row['job'] == 'job %d, seeded' % k
            assert float(row['makespan']) >= float(row['lower_bound']) > 0
        else:
            assert row['makespan'] == '' and row['message'], row
    # From elsewhere, and through standard input, the rows are the same.
    assert batch('jobs/list', *CLUSTER, cwd=folder).stdout == whole.stdout
    assert batch('-', *CLUSTER, cwd=folder / 'jobs', stdin=jobs.read_text()).stdout == whole.stdout


def plans_are_those_of_plan(folder):
    (folder / 'two.xml').write_text(
        '<cluster xmlns="urn:bigrocks:cluster:1" name="two"><machine class="node" count="2">'
        '<capacity resource="cpu" amount="8"/><capacity resource="mem" amount="16GiB"/>'
        '<capacity resource="net" amount="1000"/><capacity resource="disk" amount="400"/></machine></cluster>')
    cluster = ['--cluster', folder / 'two.xml']
    done = batch(EXAMPLES / 'jobs.txt', *cluster, '--out-dir', folder / 'plans')
    table = rows(done.stdout)
    assert [row['file'] for row in table if row['status'] == 'refused'] == ['inverted-v.dot']
    assert len(list((folder / 'plans').iterdir())) == len(table) - 1
    for row in table:
        job = EXAMPLES / row['file']
        plan = subprocess.run([PROGRAM, 'plan', job, *cluster, '-q', '--no-lp', '-f', 'json'],
                              capture_output=True)
        path = folder / 'plans' / ('%s-%s.json' % (row['number'], job.stem))
        if row['status'] == 'refused':
            assert plan.returncode == 3 and not path.exists()
            continue
        assert path.read_bytes() == plan.stdout
        made = json.loads(plan.stdout, parse_float=str, parse_int=str)
        for name in 'makespan', 'lower_bound', 'bound_method', 'gap', 'placements', 'job', 'method':
            assert row[name] == made[name], (row, name, made[name])
        assert int(row['tasks']) == len(made['tasks'])
    # A folder gives the same rows by name, and leaves out what is no job.
    names = [row['file'] for row in rows(batch(EXAMPLES, *cluster).stdout)]
    assert names == sorted(names) and {row['file'] for row in table} <= set(names), names
    assert not [name for name in names if pathlib.Path(name).suffix not in ('.xml', '.dot', '.json', '.log', '.txt')]
    assert 'query.explain.txt' in names and 'jobs.txt' not in names, names
    assert not [name for name in names if name.startswith('cluster-')], names


def shards_merge_to_one_run(folder):
    jobs = write_jobs(folder / 'jobs', 23)
    whole = batch(jobs, *CLUSTER).stdout
    for shards in 1, 2, 4, 30:
        parts = [folder / ('part-%d-%d.csv' % (shards, k)) for k in range(1, shards + 1)]
        for k, part in enumerate(parts):
            shard = ['--shard', '%d/%d' % (k + 1, shards)]
            piped = batch(jobs, *CLUSTER, *shard).stdout
            batch(jobs, *CLUSTER, '-o', part, *shard)
            assert piped == part.read_text()
        random.Random(1).shuffle(parts)
        assert batch('--merge', *parts).stdout == whole
        batch('--merge', *parts, '-o', folder / 'merged.csv')
        assert (folder / 'merged.csv').read_text() == whole
    # Missing parts are told, and can be planned into the merged table.
    part = ['--merge', folder / 'part-4-1.csv', folder / 'part-4-3.csv', folder / 'part-4-4.csv']
    done = batch(*part, '-o', folder / 'merged.csv', status=1)
    assert '6 numbers are missing' in done.stderr and 'first is 2' in done.stderr, done.stderr
    batch(jobs, *CLUSTER, '--resume', '-o', folder / 'merged.csv')
    assert (folder / 'merged.csv').read_text() == whole
    # Twice the same is once; another list's, other columns and other files are refused.
    assert batch('--merge', folder / 'merged.csv', folder / 'part-4-2.csv').stdout == whole
    renamed = folder / 'renamed.csv'
    renamed.write_text(whole.replace('j5.xml', 'other.xml'))
    assert 'row 6 is of other.xml here' in batch('--merge', folder / 'merged.csv', renamed,
                                                 status=3).stderr
    batch(jobs, *CLUSTER, '--times', '-o', folder / 'times.csv')
    assert 'columns' in batch('--merge', renamed, folder / 'times.csv', status=3).stderr
    assert 'no table' in batch('--merge', jobs, status=3).stderr
    batch(jobs, *CLUSTER, '-o', folder / 'refused.csv', '--shard', '4/30')
    done = batch('--merge', folder / 'refused.csv', status=1)
    assert '3 numbers are missing' in done.stderr, done.stderr
    (folder / 'refused.csv').write_text((folder / 'refused.csv').read_text().replace('\n4,', '\n1,'))
    assert 'all jobs were refused' in batch('--merge', folder / 'refused.csv', status=3).stderr
    torn = folder / 'torn.csv'
    torn.write_text(whole[:-5])
    done = batch('--merge', torn)
    assert 'no whole row' in done.stderr and len(rows(done.stdout)) == 22


def resumes_from_every_byte(folder):
    jobs = write_jobs(folder / 'jobs', 5, stages=2)
    (folder / 'jobs' / 'list').write_text('j0.xml\nj3.xml\nq"u,o.xml\nj1.xml\n')
    write_job(folder / 'jobs' / 'q"u,o.xml', 9, stages=2)
    options = [jobs, *CLUSTER, '--method', 'cp']
    whole = batch(*options).stdout.encode()
    table = folder / 'out.csv'
    for size in range(len(whole) + 1):
        table.write_bytes(whole[:size])
        done = batch(*options, '-o', table, '--resume')
        assert table.read_bytes() == whole, (size, table.read_bytes())
        kept = sum(b',planned,' in line for line in whole[:size].split(b'\n')[:-1])
        assert '3 planned, 1 refused (%d kept)' % kept in done.stderr, (size, done.stderr)
    # Lines in the middle that are no rows, and rows in any order.
    lines = whole.splitlines(keepends=True)
    table.write_bytes(lines[0] + lines[4] + b'4,j1.x\0\0\0\0\n' + lines[1] + b'9,"\n')
    done = batch(*options, '-o', table, '--resume')
    assert table.read_bytes() == whole and '2 torn lines' in done.stderr, done.stderr
    # Never over something else: neither another list's table nor any other file.
    other = whole.replace(b'j1.xml', b'j2.xml')
    for text in other, b'precious', b'number,file\nx\n', b'number,fool':
        table.write_bytes(text)
        batch(*options, '-o', table, '--resume', status=2)
        assert table.read_bytes() == text
    # A list may grow at its end.
    table.write_bytes(whole)
    with jobs.open('a') as file:
        file.write('j2.xml\n')
    batch(*options, '-o', table, '--resume')
    assert table.read_bytes().startswith(whole) and len(rows(table.read_text())) == 5


def survives_kills(folder):
    jobs = write_jobs(folder / 'jobs', 60, stages=30, tasks=12)
    plans = folder / 'plans'
    options = [jobs, *CLUSTER, '--threads', 2]
    whole = batch(*options, '--out-dir', folder / 'calm').stdout
    table, rng, kills = folder / 'out.csv', random.Random(5), 0
    for least in (1, 7, 16, 28, 40):  # rows that are there when it is killed, however fast the machine is
        child = start(*options, '-o', table, '--out-dir', plans, '--resume')
        wait_for_rows(child, table, least)
        time.sleep(rng.uniform(0, 0.01))
        child.kill()
        child.communicate()
        kills += child.returncode == -signal.SIGKILL
    assert kills, least
    batch(*options, '-o', table, '--out-dir', plans, '--resume')
    assert table.read_text() == whole
    assert [p.name for p in sorted(plans.iterdir())] == [p.name for p in
                                                         sorted((folder / 'calm').iterdir())]
    for plan in plans.iterdir():
        assert plan.read_bytes() == (folder / 'calm' / plan.name).read_bytes()
    # A plan that has gone is made again.
    lost = sorted(plans.iterdir())[7]
    lost.unlink()
    done = batch(*options, '-o', table, '--out-dir', plans, '--resume')
    assert lost.exists() and '(50 kept)' in done.stderr, done.stderr
    assert table.read_text() == whole


def interrupt_keeps_what_is_done(folder, which=signal.SIGINT):
    jobs = write_jobs(folder / 'jobs', 60, stages=30, tasks=12)
    table = folder / 'out.csv'
    options = [jobs, *CLUSTER, '--threads', 2, '-o', table]
    child = start(*options)
    wait_for_rows(child, table, 4)
    child.send_signal(which)
    err = child.communicate(timeout=60)[1]
    assert child.returncode == 0 and '--resume goes on' in err, (child.returncode, err)
    found = rows(table.read_text())
    assert 4 <= len(found) < 60, len(found)
    assert [int(row['number']) for row in found] == sorted(int(row['number']) for row in found)
    batch(*options, '--resume')
    assert table.read_text() == batch(*options[:-2]).stdout


def terminate_keeps_what_is_done(folder):
    interrupt_keeps_what_is_done(folder, signal.SIGTERM)


def long_job_stalls_nobody(folder):
    """The long job is first in the list; the others end before it, and an interruption then gives
    its best plan, which --resume does not take for the last word."""
    jobs = write_jobs(folder / 'jobs', 30)
    write_long_job(folder / 'jobs' / 'j0.xml')
    table, plans = folder / 'out.csv', folder / 'plans'
    options = [jobs, *CLUSTER, '--method', 'graphene', '--threads', 2, '-o', table, '--out-dir', plans]
    child = start(*options)
    wait_for_rows(child, table, 29)
    assert '\n1,' not in table.read_text()
    child.send_signal(signal.SIGINT)
    err = child.communicate(timeout=60)[1]
    assert child.returncode == 0 and 'interrupted with 29 of 30' in err, (child.returncode, err)
    found = rows(table.read_text())
    assert [row['status'] for row in found][:2] == ['interrupted', 'planned'], found[:2]
    check = subprocess.run([PROGRAM, 'check', folder / 'jobs' / 'j0.xml', plans / '1-j0.json',
                            *MACHINES], capture_output=True, text=True)
    assert check.returncode == 0, check
    done = batch(*options, '--resume', '--time-limit', '0.5')
    found = rows(table.read_text())
    assert found[0]['status'] == 'planned' and 'time limit' in found[0]['message'], found[0]
    assert '(25 kept)' in done.stderr, done.stderr


def longest_begins_first(folder):
    """A thread plans the longest job, which is last in the list, and the other one meanwhile plans all
    others: the largest first, whether the size of the file says it or the numbers of tasks in it. The
    table is in the order of the list all the same."""
    jobs = folder / 'jobs'
    jobs.mkdir()
    sizes = [3, 9, 1, 12, 7, 5, 2, 30]
    for k, stages in enumerate(sizes):
        write_job(jobs / ('j%d.xml' % k), k, stages=stages)
    write_job(jobs / 'j8.xml', 8, stages=1)
    text = (jobs / 'j8.xml').read_text()
    (jobs / 'j8.xml').write_text(re.sub('tasks="[0-9]+"', 'tasks="150"', text))
    write_long_job(jobs / 'j9.xml')
    (jobs / 'list').write_text(''.join('j%d.xml\n' % k for k in range(10)) + 'missing.xml\n')
    table = folder / 'out.csv'
    options = [jobs / 'list', *CLUSTER, '--method', 'graphene', '--threads', 2]
    child = start(*options, '-o', table)
    wait_for_rows(child, table, 10)
    begun = [int(row['number']) for row in rows(table.read_text())]
    assert begun == [9, 8, 4, 2, 5, 6, 1, 7, 3, 11], begun
    child.send_signal(signal.SIGINT)
    err = child.communicate(timeout=60)[1]
    assert child.returncode == 0 and 'interrupted with 10 of 11' in err, (child.returncode, err)
    found = rows(table.read_text())
    assert [int(row['number']) for row in found] == list(range(1, 12)), found
    assert [row['status'] for row in found] == ['planned'] * 9 + ['interrupted', 'refused'], found
    # On standard output, too, and one thread takes them as they come.
    (jobs / 'list').write_text(''.join('j%d.xml\n' % k for k in range(9)))
    whole = batch(*options)
    assert [int(row['number']) for row in rows(whole.stdout)] == list(range(1, 10))
    child = start(*options[:-1], 1, '-o', table)
    wait_for_rows(child, table, 3)
    assert [row['number'] for row in rows(table.read_text())][:3] == ['1', '2', '3']
    child.communicate(timeout=60)
    assert table.read_text() == whole.stdout


def many_jobs_take_little(folder):
    """Thousands of jobs: seconds, and the memory of the workers."""
    jobs = write_jobs(folder / 'jobs', 2000)
    few = folder / 'jobs' / 'few'
    few.write_text(''.join('j%d.xml\n' % k for k in range(100)))
    used, before = {few: 0, jobs: 0}, resource.getrusage(resource.RUSAGE_CHILDREN)
    # The short run five times, for a look at its memory may come too early, or never.
    for which in *[few] * 5, jobs:
        began = time.monotonic()
        child = start(which, *CLUSTER, '-q', '-o', folder / 'out.csv', '--threads', 2)
        threading.Thread(target=child.stderr.read, daemon=True).start()
        # Not its ru_maxrss, which begins with the size of the process that started it.
        while child.poll() is None:
            text = pathlib.Path('/proc/%d/status' % child.pid).read_text()
            peak = re.search(r'^VmHWM:\s*(\d+) kB', text, flags=re.M)
            if peak and 'Name:\tbigrocks' in text:
                used[which] = max(used[which], int(peak.group(1)))
            time.sleep(0.002)
        assert child.returncode == 0
        print('    %d jobs: %.1f s, %d KiB' % (2000 if which is jobs else 100,
                                               time.monotonic() - began, used[which]))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert len(rows((folder / 'out.csv').read_text())) == 2000
    sanitized = b'__asan_init' in PROGRAM.read_bytes()
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 10 or sanitized
    assert 0 < used[few] and used[jobs] < used[few] + 2048 or sanitized, used


def names_are_safe(folder):
    jobs = folder / 'jobs'
    names = ['a b.xml', 'a,b.xml', '"q".xml', 'x\ny.xml', '-', 'x..xml', 'é.xml', 'n' * 200 + '.xml',
             'a/x.xml', 'b/x.xml', 'no-ending', '=1+1.xml']
    for sub in '', 'a', 'b':
        (jobs / sub).mkdir()
    for k, name in enumerate(names):
        write_job(jobs / name, k)
    write_job(jobs / '.hidden.xml', 77)
    (jobs / 'notes.txt').write_text('not a job\n')
    os.mkfifo(jobs / 'pipe.xml')
    raw = os.fsencode(jobs) + b'/\xff.xml'
    pathlib.Path(os.fsdecode(raw)).write_bytes((jobs / 'a b.xml').read_bytes())
    done = batch(jobs, *CLUSTER, '--out-dir', folder / 'plans')
    table = rows(done.stdout)
    flat = [name.replace('\n', '?') for name in names if '/' not in name]
    assert sorted(row['file'] for row in table) == sorted(flat + ['?.xml']), table
    assert all(row['status'] == 'planned' for row in table)
    made = sorted(p.name for p in (folder / 'plans').iterdir())
    assert len(made) == len(table)
    assert all(len(n) < 120 and set(n) <= set('abcdefghijklmnopqrstuvwxyz0123456789._-') for n in made)
    # Taken up again by these names, nothing is planned twice.
    out = folder / 'out.csv'
    out.write_text(done.stdout)
    assert '(%d kept)' % len(table) in batch(jobs, *CLUSTER, '-o', out, '--resume').stderr
    assert out.read_text() == done.stdout
    # In a list: the same name from two folders, one job twice, an absolute path, and "-".
    (jobs / 'list').write_text('a/x.xml\nb/x.xml\na/x.xml\n%s\n-\n' % (jobs / 'a b.xml'))
    done = batch('list', *CLUSTER, '--out-dir', folder / 'more', cwd=jobs)
    assert [row['status'] for row in rows(done.stdout)] == ['planned'] * 5
    assert sorted(p.name for p in (folder / 'more').iterdir()) == \
        ['1-x.json', '2-x.json', '3-x.json', '4-a_b.json', '5--.json']


def bad_jobs_are_passed_over(folder):
    jobs = write_jobs(folder / 'jobs', 4)
    table = folder / 'out.csv'
    jobs.write_text('gone.xml\nj0.xml\nj3.xml\n.\n')
    done = batch(jobs, *CLUSTER, '-o', table, '-q')
    assert [row['status'] for row in rows(table.read_text())] == ['refused', 'planned', 'refused',
                                                                  'refused']
    lines = done.stderr.splitlines()
    assert len(lines) == 3 and any(str(folder / 'jobs/gone.xml') in line for line in lines), lines
    assert str(folder) not in table.read_text()
    # Mended, it is planned by --resume, and the good one is kept.
    write_job(folder / 'jobs' / 'gone.xml', 5)
    done = batch(jobs, *CLUSTER, '-o', table, '--resume')
    assert '2 planned, 2 refused (1 kept)' in done.stderr, done.stderr
    jobs.write_text('j3.xml\nnone.xml\n')
    done = batch(jobs, *CLUSTER, '-o', table, status=3)
    assert '0 planned, 2 refused' in done.stderr, done.stderr
    assert 'carries no cluster' in batch('-', stdin='jobs/j0.xml\n', cwd=folder, status=3).stdout
    for text, words in ('# none\n', 'names no jobs'), ('a\0b\n', 'NUL byte'):
        jobs.write_text(text)
        assert words in batch(jobs, *CLUSTER, status=3).stderr
    (folder / 'empty').mkdir()
    assert 'no file that is recognised' in batch(folder / 'empty', status=3).stderr
    assert 'this is a job' in batch(folder / 'jobs' / 'j0.xml', status=2).stderr
    batch(folder / 'nothing', status=5)
    batch(jobs, '--cluster', folder / 'nothing', status=5)


def usage_is_checked(folder):
    jobs = write_jobs(folder / 'jobs', 2)
    for shard in '0/2', '3/2', '1', '1/', '/2', '1/2x', '-1/2', '1/0':
        assert 'is not I/N' in batch(jobs, '--shard', shard, status=2).stderr
    assert 'nothing to resume' in batch(jobs, '--resume', status=2).stderr
    assert '--merge goes without' in batch('--merge', jobs, '--resume', status=2).stderr
    assert 'too many' in batch(jobs, jobs, status=2).stderr
    assert 'exclude' in batch(jobs, *CLUSTER, '--cluster', jobs, status=2).stderr
    batch('-', '--cluster', '-', status=2)


def full_disk_ends_it(folder):
    jobs = write_jobs(folder / 'jobs', 30)
    table = folder / 'out.csv'
    batch(jobs, *CLUSTER, '-o', '/dev/full', status=5)
    batch(jobs, *CLUSTER, '-o', folder / 'none' / 'out.csv', status=5)
    batch(jobs, *CLUSTER, '-o', table, '--out-dir', jobs, status=5)

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1500, 1500))
    done = batch(jobs, *CLUSTER, '-o', table, status=5, preexec_fn=limit)
    assert 'cannot be written' in done.stderr, done.stderr
    left = table.read_bytes()
    assert 1000 < len(left) <= 1500 and left.endswith(b'\n'), left
    assert [p.name for p in folder.iterdir() if p.name.startswith('out.csv')] == ['out.csv']
    batch(jobs, *CLUSTER, '-o', table, '--resume')
    assert table.read_text() == batch(jobs, *CLUSTER).stdout


def one_writer_at_a_time(folder):
    jobs = write_jobs(folder / 'jobs', 10)
    write_long_job(folder / 'jobs' / 'j0.xml')
    table = folder / 'out.csv'
    child = start(jobs, *CLUSTER, '--method', 'graphene', '--threads', 2, '-o', table)
    wait_for_rows(child, table, 9)
    before = table.read_bytes()
    assert 'another batch' in batch(jobs, *CLUSTER, '-o', table, '--resume', status=2).stderr
    assert 'another batch' in batch(jobs, *CLUSTER, '-o', table, status=2).stderr
    assert table.read_bytes() == before
    child.kill()
    child.communicate()


def progress_on_a_terminal(folder):
    jobs = write_jobs(folder / 'jobs', 12)
    for k in 0, 4:
        write_long_job(folder / 'jobs' / ('j%d.xml' % k))
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(TERM='xterm')
        os.execv(PROGRAM, [str(PROGRAM), 'batch', str(jobs), *CLUSTER, '--threads', '1', '-o',
                           str(folder / 'out.csv'), '--method', 'graphene', '--time-limit', '1.1'])
    written, deadline = b'', time.monotonic() + 60
    while time.monotonic() < deadline:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                written += os.read(terminal, 65536)
            except OSError:
                break
    os.kill(pid, signal.SIGKILL)
    state = os.waitpid(pid, 0)[1]
    os.close(terminal)
    text = written.decode()
    assert os.WEXITSTATUS(state) == 0, text
    assert 'of 12 jobs' in text and '#' in text, text
    assert '\r\033[K' in text[text.rindex('of 12 jobs'):], text


TESTS = [threads_make_no_difference, plans_are_those_of_plan, shards_merge_to_one_run,
         resumes_from_every_byte, survives_kills, interrupt_keeps_what_is_done,
         terminate_keeps_what_is_done, long_job_stalls_nobody, longest_begins_first, many_jobs_take_little,
         names_are_safe,
         bad_jobs_are_passed_over, usage_is_checked, full_disk_ends_it, one_writer_at_a_time,
         progress_on_a_terminal]


def main():
    failed, chosen = 0, sys.argv[2:]
    for test in TESTS:
        if chosen and test.__name__ not in chosen:
            continue
        with tempfile.TemporaryDirectory(prefix='bigrocks-batch') as scratch:
            began = time.monotonic()
            try:
                test(pathlib.Path(scratch))
                result = 'ok'
            except Exception as error:  # one failure must not hide the others
                failed += 1
                result = 'FAILED: %s: %s' % (type(error).__name__, error)
        print('%-34s %5.1f s  %s' % (test.__name__, time.monotonic() - began, result), flush=True)
    return failed > 0


if __name__ == '__main__':
    sys.exit(main())
