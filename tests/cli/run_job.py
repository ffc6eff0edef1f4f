#!/usr/bin/env python3
"""Jobs that really run: order, capacity, failures, interruptions, and going on after kill -9.

run_job.py BIGROCKS WORK [time | kill N]

WORK is the program of tests/runtime/run_work.c. Without more, all that does not depend on how fast the
machine is; `time`: a job of 500 tasks takes as long as planned; `kill N`: a run is killed N times
at random moments.
"""
import contextlib
import csv
import fcntl
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from xml.sax.saxutils import escape

BIGROCKS, WORK = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:3])


class Job:
    """A job in the native form, and what has to hold of every run of it."""

    def __init__(self):
        self.stages, self.edges = {}, []

    def stage(self, name, command, tasks=1, duration=0.01, shell=False, **demand):
        self.stages[name] = dict(command=command, tasks=tasks, duration=duration, shell=shell,
                                 demand=demand or {'cpu': 1})
        return self

    def edge(self, parent, child, kind='barrier'):
        self.edges.append((parent, child, kind))
        return self

    def write(self, path):
        with open(path, 'w') as out:
            out.write('<job xmlns="urn:bigrocks:job:1" name="test">\n')
            for name, s in self.stages.items():
                out.write('<stage id="%s" tasks="%d" duration="%.9g">' %
                          (name, s['tasks'], s['duration']))
                for resource, amount in s['demand'].items():
                    out.write('<demand resource="%s" amount="%d"/>' % (resource, amount))
                if s['command'] is not None:
                    out.write('<command%s>%s</command>' %
                              (' shell="true"' if s['shell'] else '', escape(s['command'])))
                out.write('</stage>\n')
            for edge in self.edges:
                out.write('<edge from="%s" to="%s" type="%s"/>\n' % edge)
            out.write('</job>\n')

    def tasks(self):
        return {(name, i) for name, s in self.stages.items() for i in range(s['tasks'])}

    def check(self, trace, capacity, complete=True):
        """No instant above the capacity, no task before its parents, each done once."""
        rows = [r for r in trace if r['outcome'] != 'no-start']
        events = []
        for row in rows:
            demand = self.stages[row['stage']]['demand']
            assert row['start'] <= row['end'], row
            events += [(row['end'], 0, demand, -1), (row['start'], 1, demand, 1)]
        held, most = dict.fromkeys(capacity, 0), dict.fromkeys(capacity, 0)
        for _, _, demand, sign in sorted(events, key=lambda e: e[:2]):
            for resource, amount in demand.items():
                held[resource] += sign * amount
                most[resource] = max(most[resource], held[resource])
        for resource, amount in most.items():
            assert amount <= capacity[resource], (resource, amount)
        done = {}
        for row in rows:
            if row['outcome'] == 'done':
                assert (row['stage'], row['index']) not in done, row
                done[row['stage'], row['index']] = row
        if complete:
            assert done.keys() >= {t for t in self.tasks() if self.stages[t[0]]['command']}
        for parent, child, kind in self.edges:
            for (stage, i), row in done.items():
                if stage != child or self.stages[parent]['command'] is None:
                    continue
                for k in [i] if kind == 'one-to-one' else range(self.stages[parent]['tasks']):
                    before = done.get((parent, k))
                    assert before is None or before['end'] <= row['start'], (parent, k, row)
        return most


def read_trace(path):
    if path.suffix == '.csv':
        with open(path, newline='') as file:
            rows = list(csv.DictReader(file))
    else:
        rows = [json.loads(line) for line in path.read_text().splitlines()]
    for row in rows:
        for name in ('start', 'end', 'user', 'system'):
            row[name] = float(row[name])
        for name in ('index', 'attempt', 'code', 'peak'):
            row[name] = int(row[name])
    return rows


def command(*arguments):
    return [BIGROCKS, 'run', *map(str, arguments)]


def run(folder, *arguments, status=0, **options):
    done = subprocess.run(command(*arguments), cwd=folder, text=True, capture_output=True,
                          timeout=120, **options)
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    return done


# ---- Tests ----

def test_order(folder):
    job = Job().stage('a', WORK + ' 0.01 1000', tasks=4, cpu=1, mem=1000)
    job.stage('b', WORK + ' 0.02 1000', tasks=4, cpu=2, mem=3000)
    job.stage('wait', None, duration=0).stage('c', 'echo c$((1 + {index}))', tasks=9, shell=True)
    job.edge('a', 'b', 'one-to-one').edge('b', 'wait').edge('wait', 'c')
    job.write(folder / 'job.xml')
    for trace in ('trace.csv', 'trace.jsonl'):
        done = run(folder, 'job.xml', '--capacity', 'cpu=3,mem=6000', '--trace', trace)
        assert sorted(done.stdout.split()) == ['c%d' % (i + 1) for i in range(9)], done.stdout
        assert '18 tasks done in' in done.stderr, done.stderr
        most = job.check(read_trace(folder / trace), {'cpu': 3, 'mem': 6000})
        assert most['cpu'] >= 2
    done = run(folder, 'job.xml', '--journal', 'j')
    assert re.search(r'the machine is this one: cpu \d+, mem [\d.]+ [KMGT]iB\n', done.stderr), done.stderr
    done = run(folder, 'job.xml', '--journal', 'j', '--resume')
    assert re.search(r' 0 tasks done in 0\.\d{3} s', done.stderr), done.stderr
    quiet = run(folder, 'job.xml', '--capacity', 'cpu=3,mem=6000', '-q')
    assert quiet.stderr == '', quiet.stderr


def test_machines(folder):
    """Several machines are this one, and each keeps its own capacity."""
    job = Job().stage('a', 'sh -c \'echo "$BIGROCKS_TASK $BIGROCKS_INDEX $BIGROCKS_MACHINE"\'',
                      tasks=12, cpu=2)
    job.write(folder / 'job.xml')
    done = run(folder, 'job.xml', '--capacity', 'cpu=3', '--machines', 2, '--trace', 'trace.csv')
    lines = [line.split() for line in done.stdout.splitlines()]
    assert sorted(int(i) for _, i, _ in lines) == list(range(12))
    assert all(task == 'a[%s]' % i for task, i, _ in lines)
    assert {m for *_, m in lines} == {'m[0]', 'm[1]'}
    rows = read_trace(folder / 'trace.csv')
    for machine in ('m[0]', 'm[1]'):
        job.check([r for r in rows if r['machine'] == machine], {'cpu': 3}, complete=False)


def test_plan(folder):
    """A plan is followed: with one core, its order is what happens."""
    job = Job().stage('a', 'echo a{index}', tasks=3).stage('b', 'echo b', duration=0.02)
    job.stage('c', 'echo c{index}', tasks=2, duration=0.03)
    job.write(folder / 'job.xml')
    subprocess.run([BIGROCKS, 'plan', 'job.xml', '--capacity', 'cpu=1', '-q', '-o', 'plan.json',
                    '--method', 'random', '--seed', '5'], cwd=folder, check=True)
    plan = json.loads((folder / 'plan.json').read_text())
    order = [t['id'].replace('[', '').replace(']', '')
             for t in sorted(plan['tasks'], key=lambda t: t['rank'])]
    for arguments in (['job.xml', '--plan', 'plan.json'], ['plan.json']):
        done = run(folder, *arguments, '--policy', 'order')
        assert done.stdout.split() == order, (done.stdout, order)
    # Of another job it is none.
    Job().stage('z', 'true', tasks=6).write(folder / 'other.xml')
    refused = run(folder, 'other.xml', '--plan', 'plan.json', status=3)
    assert 'of another job' in refused.stderr


def test_refusals(folder):
    Job().stage('a', 'cat < b').write(folder / 'redirect.xml')
    assert "stage 'a': '<' in a command" in run(folder, 'redirect.xml', status=3).stderr
    Job().stage('a', None).write(folder / 'none.xml')
    assert 'no command' in run(folder, 'none.xml', status=3).stderr
    Job().stage('a', 'true').write(folder / 'job.xml')
    assert 'needs a journal' in run(folder, 'job.xml', '--resume', status=2).stderr
    wrong = run(folder, 'job.xml', '--overbook', 'mem=150', '--capacity', 'cpu=1,mem=9', status=2)
    assert 'memory cannot be overbooked' in wrong.stderr
    # The last is 150 in 32 bits.
    for percent in '1x', '', ' 150', '+150', '-100', '4294967446':
        run(folder, 'job.xml', '--overbook', 'net=' + percent, '--capacity', 'cpu=1,net=9', '--fungible',
            'net', status=2)
    run(folder, 'job.xml', '--overbook', 'net=150', '--capacity', 'cpu=1,net=9', '--fungible', 'net', '-q')
    wrong = run(folder, 'job.xml', '--overbook', 'net=150', '--capacity', 'cpu=1,net=9', status=2)
    assert "'net' is not declared fungible" in wrong.stderr and '--fungible' in wrong.stderr
    for names, says in ('cpu,nte', 'no machine has it'), ('mem', 'is memory'), (',', 'has an empty entry'):
        wrong = run(folder, 'job.xml', '--fungible', names, '--capacity', 'cpu=1,mem=9', status=2)
        assert says in wrong.stderr, wrong.stderr
    rack = '<cluster xmlns="urn:bigrocks:cluster:1"><machine class="m"><capacity resource="cpu" amount="1"/>' \
        '<capacity resource="net" amount="9" fungible="%s"/></machine></cluster>'
    for value, status in ('true', 0), ('false', 2), ('1', 3):
        (folder / 'rack.xml').write_text(rack % value)
        run(folder, 'job.xml', '--overbook', 'net=150', '--cluster', 'rack.xml', '-q', status=status)
    # Plans and jobs carry their cluster with what it declares.
    for value, status in ('true', 0), ('false', 2):
        (folder / 'rack.xml').write_text(rack % value)
        for command, carrier in ('plan', 'p.json'), ('convert', 'j.xml'):
            subprocess.run([BIGROCKS, command, 'job.xml', '--cluster', 'rack.xml', '-o', carrier], cwd=folder,
                           check=True, stderr=subprocess.DEVNULL)
            run(folder, carrier, '--overbook', 'net=150', '-q', status=status)
    run(folder, 'job.xml', '--trace', 'nowhere/trace.csv', status=5)


def test_failures(folder):
    job = Job().stage('bad', "sh -c 'seq 30; echo last; echo; echo; exit 3'").stage('after', 'echo after')
    job.stage('kill', "sh -c 'kill -9 $$'", duration=0.02).stage('none', 'no-such-program')
    job.stage('slow', 'sleep 60', duration=0.03).stage('good', 'echo good', duration=0.001)
    job.edge('bad', 'after')
    job.write(folder / 'job.xml')
    began = time.monotonic()
    done = run(folder, 'job.xml', '--capacity', 'cpu=9', '-k', '--timeout', 3, '--trace',
               'trace.csv', status=1)
    assert time.monotonic() - began < 30
    assert 'good' in done.stdout and 'after' not in done.stdout
    for text in ("task 'bad' failed: exit status 3", 'command: sh -c seq 30; echo last; echo; echo; exit 3',
                 '  | last', "task 'kill' failed: killed by signal 9",
                 "task 'none' failed: cannot be started: No such file",
                 "task 'slow' failed: took too long", '1 task done', '4 failed', '1 not done'):
        assert text in done.stderr, (text, done.stderr)
    lines = [line[4:] for line in done.stderr.splitlines() if line.startswith('  | ')]
    assert lines == [*map(str, range(22, 31)), 'last'], lines
    outcome = {r['stage']: (r['outcome'], r['code']) for r in read_trace(folder / 'trace.csv')}
    assert outcome['bad'] == ('exit', 3) and outcome['kill'] == ('signal', 9), outcome
    assert outcome['slow'][0] == 'timeout' and outcome['good'] == ('done', 0), outcome
    # Without --keep-going nothing new starts after a failure.
    job = Job().stage('a', 'false').stage('gate', 'sleep 2').stage('b', 'echo b', tasks=50)
    job.edge('gate', 'b').write(folder / 'stop.xml')
    done = run(folder, 'stop.xml', '--capacity', 'cpu=2', status=1)
    assert done.stdout == '' and '1 task done' in done.stderr, done
    assert '50 not done' in done.stderr, done


def test_trace_that_nobody_reads(folder):
    """An interrupted run leaves what no reader takes of its trace."""
    Job().stage('quick', 'echo quick').stage('slow', 'sleep 60', duration=0.1).write(folder / 'job.xml')
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(writer, bytes(4096))
    os.set_blocking(writer, True)
    with subprocess.Popen([BIGROCKS, 'run', 'job.xml', '--capacity', 'cpu=1', '-q', '--trace',
                           f'/dev/fd/{writer}'], cwd=folder, pass_fds=[writer],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout.readline() == b'quick\n'
        process.send_signal(signal.SIGINT)
        try:
            status = process.wait(30)
        finally:
            process.kill()
    os.close(reader)
    os.close(writer)
    assert status == -signal.SIGINT, status


def test_retries(folder):
    """Fails twice, then works; the memory of it is a file."""
    job = Job().stage('a', 'echo x >> tries; test $(wc -l < tries) -gt 2', shell=True)
    job.write(folder / 'job.xml')
    done = run(folder, 'job.xml', '--retries', 2, '--trace', 'trace.csv')
    assert done.stderr.count('it is tried again') == 2, done.stderr
    rows = read_trace(folder / 'trace.csv')
    assert [(r['attempt'], r['outcome']) for r in rows] == [(1, 'exit'), (2, 'exit'), (3, 'done')]
    (folder / 'tries').unlink()
    run(folder, 'job.xml', '--retries', 1, status=1)


def test_usage(folder):
    """The kernel's counts are told: a quarter of a second of work, and 60 MB."""
    spin = 'import resource as r\nwhile r.getrusage(r.RUSAGE_SELF)[0] < 0.25: pass\n'
    (folder / 'spin.py').write_text(spin)
    job = Job().stage('cpu', sys.executable + ' spin.py').stage('mem', WORK + ' 0 60000000')
    job.write(folder / 'job.xml')
    run(folder, 'job.xml', '--capacity', 'cpu=1', '--trace', 'trace.csv')
    rows = {r['stage']: r for r in read_trace(folder / 'trace.csv')}
    assert 0.25 <= rows['cpu']['user'] < 1, rows
    assert 60e6 <= rows['mem']['peak'] < 90e6, rows


def test_bare_script(folder):
    """A script that does not say whose it is runs, here and in any directory."""
    script = folder / 'there' / 'note'
    script.parent.mkdir()
    script.write_text('echo "note $1 $2"\n')
    script.chmod(0o755)
    Job().stage('a', "./note {index} 'b c'").write(folder / 'job.xml')
    assert run(folder, 'job.xml', '-C', 'there').stdout == 'note 0 b c\n'
    Job().stage('a', '%s {index} d' % script).write(folder / 'job.xml')
    assert run(folder, 'job.xml').stdout == 'note 0 d\n'


def test_long_name(folder):
    name = 'n' * 5000
    Job().stage(name, 'sh -c \'echo "$BIGROCKS_TASK"\'', tasks=2).write(folder / 'job.xml')
    done = run(folder, 'job.xml', '--trace', 'trace.csv')
    tasks = [name + '[0]', name + '[1]']
    assert sorted(done.stdout.split()) == tasks
    assert sorted(row['task'] for row in read_trace(folder / 'trace.csv')) == tasks


def test_long_script(folder):
    """Longer than one argument of a program may be."""
    text = 'x' * 200000
    Job().stage('a', 'read -r line <<END\n%s{index}\nEND\necho ${#line} $BIGROCKS_TASK; cat; exit 7' % text,
                shell=True).write(folder / 'job.xml')
    done = run(folder, 'job.xml', status=1)
    assert done.stdout == '200001 a\n' and 'exit status 7' in done.stderr, done.stdout


def test_shell(folder):
    """A command's own word counts before its job's, and --shell before both."""
    text = '<job xmlns="urn:bigrocks:job:1" name="test">%s'
    for s, (name, said) in enumerate((('yes', ' shell="true"'), ('no', ' shell="false"'), ('none', ''))):
        text += '<stage id="%s" tasks="1" duration="%d"><demand resource="cpu" amount="1"/>' \
                '<command%s>printf "%%%%s\\n" %s$((1+1))</command></stage>' % (name, 3 - s, said, name)
    (folder / 'job.xml').write_text(text % '<attribute name="shell" value="true"/>' + '</job>')
    refused = run(folder, 'job.xml', status=3)
    assert "stage 'no': '$'" in refused.stderr, refused.stderr
    done = run(folder, 'job.xml', '--shell', '--capacity', 'cpu=1')
    assert sorted(done.stdout.split()) == ['no2', 'none2', 'yes2'], done.stdout
    plain = (folder / 'job.xml').read_text().replace('$((1+1))', '.')
    (folder / 'job.xml').write_text(plain)
    done = run(folder, 'job.xml', '--capacity', 'cpu=1')
    assert sorted(done.stdout.split()) == ['no.', 'none.', 'yes.'], done.stdout


def test_output_is_whole(folder):
    """Tasks that write at the same time are not mixed, however much they write."""
    job = Job().stage('a', "sh -c 'for i in 1 2 3 4 5 6 7 8 9; do echo {index}; sleep 0.005; done'",
                      tasks=8)
    job.stage('big', 'head -c 5000000 /dev/zero').write(folder / 'job.xml')
    done = subprocess.run(command('job.xml', '--capacity', 'cpu=8', '-q'), cwd=folder,
                          capture_output=True, check=True).stdout
    assert done.count(b'\0') == 5000000
    for i in range(8):
        assert b'%d\n' % i * 9 in done


def wait_for(path, text, process):
    limit = time.monotonic() + 60
    while time.monotonic() < limit:
        if path.exists() and text in path.read_text():
            return
        assert process.poll() is None, 'the run has ended'
        time.sleep(0.005)
    raise AssertionError('%s never says %s' % (path, text))


def alive(folder):
    """Processes whose working directory is the folder."""
    found = []
    for entry in pathlib.Path('/proc').iterdir():
        try:
            if entry.name.isdigit() and os.readlink(entry / 'cwd') == str(folder):
                found.append(entry.name)
        except OSError:
            pass
    return found


def assert_gone(folder):
    """A killed process is gone as soon as the machine finds the time, which may be after our return."""
    limit = time.monotonic() + 10
    while alive(folder) and time.monotonic() < limit:
        time.sleep(0.02)
    assert not alive(folder), alive(folder)


def test_interrupt(folder):
    """Ctrl-C stops all tasks and what they have started, also where it comes twice in a moment, as
    from timeout(1); of those that do not listen, the second one makes an end at once."""
    job = Job().stage('polite', "trap 'sleep 0.4; echo stopped >> log; exit 1' TERM; echo up >> log; "
                      'sleep 60 & wait', shell=True)
    job.write(folder / 'job.xml')
    process = subprocess.Popen(command('job.xml', '--journal', 'j'), cwd=folder,
                               stderr=subprocess.PIPE, text=True)
    wait_for(folder / 'log', 'up', process)
    process.send_signal(signal.SIGINT)
    time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == -signal.SIGINT, process.returncode
    assert 'interrupted' in said and (folder / 'log').read_text() == 'up\nstopped\n', said
    assert_gone(folder)
    Job().stage('deaf', "trap '' TERM INT; echo up > deaf; while :; do sleep 0.1; done",
                shell=True).write(folder / 'deaf.xml')
    process = subprocess.Popen(command('deaf.xml'), cwd=folder, stderr=subprocess.DEVNULL)
    wait_for(folder / 'deaf', 'up', process)
    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    time.sleep(0.5)
    assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=30) == -signal.SIGTERM
    assert time.monotonic() - began < 5  # which the first one alone would have taken
    assert_gone(folder)


def kill_job(folder):
    job = Job().stage('a', WORK + ' 0.004 1000 log a{index}', tasks=60, duration=0.004)
    job.stage('b', WORK + ' 0.002 1000 log b{index}', tasks=60, duration=0.002)
    job.stage('c', WORK + ' 0.006 1000 log c{index}', tasks=40, duration=0.006)
    job.edge('a', 'b', 'one-to-one').edge('a', 'c')
    job.write(folder / 'job.xml')
    return job


def journal_state(path):
    """Tasks with whole lines: finished, and started without an end."""
    text = path.read_text() if path.exists() else ''
    lines = text[:text.rfind('\n') + 1].splitlines()
    places = [stage + str(k) for stage, tasks in zip('abc', (60, 60, 40)) for k in range(tasks)]
    names = [(w[1], places[int(w[3])]) for w in map(str.split, lines[1:])
             if w[1] in ('started', 'finished')]
    finished = {t for word, t in names if word == 'finished'}
    return finished, {t for word, t in names if word == 'started'} - finished


def test_killed(folder, times=6, seed=1):
    """Killed at random moments, and gone on with: what is in the journal never runs again, what was
    in flight may, and in the end everything has run."""
    chance, job, rounds = random.Random(seed), kill_job(folder), 0
    arguments = ['job.xml', '--capacity', 'cpu=4', '--journal', 'journal', '--resume', '-q',
                 '--time-limit', '0']
    log = folder / 'log'
    while times > 0:
        rounds += 1
        log.unlink(missing_ok=True)
        (folder / 'journal').unlink(missing_ok=True)
        may_repeat = {}
        while True:
            process = subprocess.Popen(command(*arguments), cwd=folder)
            killed = False
            if times > 0:
                try:
                    process.wait(timeout=chance.uniform(0.002, 0.35))
                except subprocess.TimeoutExpired:
                    process.kill()
                    killed = True
            status = process.wait(timeout=60)
            if not killed:
                assert status == 0, status
                break
            times -= 1
            finished, flying = journal_state(folder / 'journal')
            for task in flying:
                may_repeat[task] = may_repeat.get(task, 0) + 1
            before = log.read_text().splitlines() if log.exists() else []
            assert finished <= {line[4:] for line in before if line.startswith('end ')}
        begins, ends = {}, {}
        for line in log.read_text().splitlines():
            word, task = line.split()
            count = begins if word == 'begin' else ends
            count[task] = count.get(task, 0) + 1
        assert ends.keys() == {'%s%d' % t for t in job.tasks()}
        for task, count in begins.items():
            assert count <= 1 + may_repeat.get(task, 0), (task, count)
        assert_gone(folder)
        assert not log.read_text().count('\0')
        finished, _ = journal_state(folder / 'journal')
        assert len(finished) == 160
    print('%d jobs' % rounds)
    # All is done: nothing runs again.
    size = log.stat().st_size
    run(folder, *arguments)
    assert log.stat().st_size == size


def guards(folder):
    """The guards of runs that were started with GUARDED=folder."""
    found = []
    for entry in pathlib.Path('/proc').iterdir():
        try:
            if entry.name.isdigit() and (entry / 'comm').read_text() == 'bigrocks-guard\n' and \
                    b'GUARDED=%s\0' % os.fsencode(folder) in (entry / 'environ').read_bytes():
                found.append(int(entry.name))
        except OSError:
            pass
    return found


def test_guard(folder):
    """Killed, a run leaves no tasks behind, nor its guard; and none where it ends by itself."""
    Job().stage('a', "sh -c 'setsid sleep 60 & echo up > up; exec sleep 60'").write(folder / 'job.xml')
    own = {**os.environ, 'GUARDED': str(folder)}
    for end in (signal.SIGKILL, signal.SIGINT):
        process = subprocess.Popen(command('job.xml', '-q'), cwd=folder, env=own,
                                   stderr=subprocess.DEVNULL)
        wait_for(folder / 'up', 'up', process)
        assert len(guards(folder)) == 1
        process.send_signal(end)
        process.wait()
        assert_gone(folder)
        limit = time.monotonic() + 10
        while guards(folder) and time.monotonic() < limit:
            time.sleep(0.02)
        assert not guards(folder)
        (folder / 'up').unlink()


def test_in_use(folder):
    Job().stage('a', 'sleep 60').write(folder / 'job.xml')
    process = subprocess.Popen(command('job.xml', '--journal', 'j', '-q'), cwd=folder,
                               env={**os.environ, 'GUARDED': str(folder)})
    wait_for(folder / 'j', 'started', process)
    refused = run(folder, 'job.xml', '--journal', 'j', '--resume', status=1)
    assert 'still goes on' in refused.stderr
    for guard in guards(folder):  # which would leave nothing to find
        os.kill(guard, signal.SIGKILL)
    process.kill()
    process.wait()
    # A process on its way to another program may hold the lock a moment longer.
    lock = open(folder / 'j')
    fcntl.flock(lock, fcntl.LOCK_EX)
    threading.Timer(0.2, lock.close).start()
    # Its remains are killed, by a run that only wants to go on.
    done = run(folder, 'job.xml', '--journal', 'j', '--resume', '--timeout', '0.2', status=1)
    assert '1 process left over' in done.stderr, done.stderr
    assert 'the journal holds an earlier run' in run(folder, 'job.xml', '--journal', 'j',
                                                     status=2).stderr


# ---- The clock ----

def layered_job(seed=3, tasks=500, stages=25):
    """Four resources, some 36 s of plan on the capacity below. Tasks really take their memory, and
    sleep as long as the plan has them: what starting and collecting takes comes on top."""
    chance, job, left = random.Random(seed), Job(), tasks
    for s in range(stages):
        count = left if s == stages - 1 else max(1, left // (stages - s) + chance.randint(-8, 8))
        left -= count
        seconds, mem = chance.choice([0.1, 0.2, 0.4, 0.8]), chance.choice([1, 4, 16])
        job.stage('s%d' % s, '%s %g %d' % (WORK, seconds, mem * 1000000), count, seconds,
                  cpu=chance.randint(1, 3), mem=mem * 1000000, net=chance.randint(0, 40),
                  disk=chance.randint(0, 50))
        for parent in range(max(0, s - 5), s):
            if chance.random() < 0.3:
                job.edge('s%d' % parent, 's%d' % s)
    return job


class Control(threading.Thread):
    """The time that this machine, and whoever else is at work on it, adds to a task that sleeps: the same
    program, started bare and waited for, over and over beside the run."""

    def __init__(self):
        super().__init__(daemon=True)
        self.late, self.alive = [], True

    def run(self):
        while self.alive:
            began = time.monotonic()
            pid = os.posix_spawn(WORK, [WORK, '0.05', '4000000'], os.environ)
            os.waitpid(pid, 0)
            self.late.append(time.monotonic() - began - 0.05)

    def mean(self):
        self.alive = False
        self.join()
        return sum(self.late) / len(self.late)


def test_on_time(folder, share=0.05, worst=0.1):
    """The run takes at most 5 % longer than the plan, and what the machine adds. Tasks that follow one
    another are each late by what it needs to start and end a process, measured in the same seconds
    without bigrocks. A run starts several at once, so this counts 2.5 times (1.7 to 2.3 were seen on
    busy machines). One run decides; where a bare process is later than 10 % of a task, this tells too
    little, and counts as skipped."""
    capacity = {'cpu': 12, 'mem': 64000000, 'net': 200, 'disk': 200}
    job = layered_job()
    job.write(folder / 'job.xml')
    amounts = ','.join('%s=%d' % c for c in capacity.items())
    subprocess.run([BIGROCKS, 'plan', 'job.xml', '--capacity', amounts, '-q', '--placements',
                    '200000', '-o', 'plan.json'], cwd=folder, check=True)
    plan = json.loads((folder / 'plan.json').read_text())
    mean = sum(s['tasks'] * s['duration'] for s in job.stages.values()) / len(job.tasks())
    control = Control()
    control.start()
    run(folder, 'plan.json', '--trace', 'trace.csv')
    machine = control.mean() / mean
    rows = read_trace(folder / 'trace.csv')
    most = job.check(rows, capacity)
    wall = max(r['end'] for r in rows)
    late = sorted(r['end'] - r['start'] - job.stages[r['stage']]['duration'] for r in rows)
    print('tasks take longer than planned by (median, 9 of 10, most): %.3f %.3f %.3f s; a bare '
          'process by %.2f %% of a task' % (late[len(late) // 2], late[len(late) * 9 // 10],
                                            late[-1], 100 * machine))
    print('plan %.3f s, run %.3f s (%+.2f %%), bound %.3f s; most held: %s' % (
        plan['makespan'], wall, 100 * (wall / plan['makespan'] - 1), plan['lower_bound'], most),
        flush=True)
    peak = {r['stage']: r['peak'] for r in rows}
    for name, stage in job.stages.items():
        assert peak[name] >= stage['demand']['mem'] or stage['demand']['mem'] < 16000000
    assert wall <= plan['makespan'] * (1 + share + 2.5 * machine), 'late'
    if machine > worst:
        print('a bare process takes %.0f %% of a task longer than it should; more than %.0f %% tells '
              'too little of the run' % (100 * machine, 100 * worst))
        sys.exit(77)


def main():
    if sys.argv[3:4] == ['time']:
        tests = [test_on_time]
    elif sys.argv[3:4] == ['kill']:
        tests = [lambda folder: test_killed(folder, int(sys.argv[4]), 7)]
    else:
        tests = [test for name, test in globals().items()
                 if re.match('test_(?!on_time)', name)]
    for test in tests:
        with tempfile.TemporaryDirectory(prefix='bigrocks-run') as folder:
            began = time.monotonic()
            test(pathlib.Path(folder).resolve())
            print('%s: ok, %.1f s' % (test.__name__, time.monotonic() - began), flush=True)


if __name__ == '__main__':
    main()
