#!/usr/bin/env python3
"""Runs whose tasks are in control groups.

cgroup.py BIGROCKS WORK [inside]

WORK is the program of tests/runtime/run_work.c. What a machine says that has no memory controller for us is
tested there; processor time is counted by any cgroup v2 in which folders can be made. Memory is
tested `inside` of a User Mode Linux (Debian: user-mode-linux), which is a kernel of its own in a
process and needs no rights. Exit status 77: none of it could be tested here but the refusals.
"""
import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

BIGROCKS, WORK = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:3])
MIB = 1 << 20


def write_job(folder, stages):
    """Stages: (name, command, bytes of mem or None)."""
    text = '<job xmlns="urn:bigrocks:job:1" name="groups">'
    for name, command, mem in stages:
        demand = '' if mem is None else '<demand resource="mem" amount="%d"/>' % mem
        text += '<stage id="%s" tasks="1" duration="0.1"><demand resource="cpu" amount="1"/>%s' \
                '<command shell="true">%s</command></stage>' % (name, demand, command.replace('&', '&amp;'))
    (folder / 'job.xml').write_text(text + '</job>')


def run(folder, *arguments, status=0, before=()):
    done = subprocess.run([*before, BIGROCKS, 'run', 'job.xml', '-v', '-k', '--trace', 'trace',
                           '--capacity', 'cpu=4,mem=1GiB', *arguments], cwd=folder, text=True,
                          capture_output=True, timeout=120)
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    trace = folder / 'trace'
    rows = [json.loads(line) for line in trace.read_text().splitlines()] if trace.exists() else []
    return done, {row['task']: row for row in rows}


def left(group):
    return [path.name for path in pathlib.Path(group).iterdir() if path.name.startswith('bigrocks.')]


def test_refusals(folder):
    write_job(folder, [('a', 'true', None)])
    done, _ = run(folder, '--cgroup', '.', status=5)
    assert 'is no group of cgroup v2' in done.stderr, done.stderr
    done, _ = run(folder, '--cgroup', 'nowhere', status=5)
    assert 'No such file' in done.stderr, done.stderr
    done, _ = run(folder, '--cgroup', '.', '--on', 'slurm-steps', status=2)
    assert 'on this machine' in done.stderr, done.stderr
    doctor = subprocess.run([BIGROCKS, 'doctor'], text=True, capture_output=True, check=True).stdout
    row = next(line for line in doctor.splitlines() if 'control groups' in line)
    done, rows = run(folder)
    if row.startswith('found'):
        assert 'counted by control groups' in done.stderr, done.stderr
        run(folder, '--limit-memory')
    else:
        why = row.split('--limit-memory: ')[1]
        assert 'without control groups: ' + why in done.stderr, (row, done.stderr)
        assert rows['a']['outcome'] == 'done'
        done, _ = run(folder, '--limit-memory', status=5)
        assert '--limit-memory cannot be done here: ' + why in done.stderr, done.stderr


def alive(folder):
    """Processes whose working directory is the folder, by number."""
    found = []
    for entry in pathlib.Path('/proc').iterdir():
        try:
            if entry.name.isdigit() and os.readlink(entry / 'cwd') == str(folder):
                found.append(int(entry.name))
        except OSError:
            pass
    return found


@contextlib.contextmanager
def own_group():
    """A group of this test's own, for others may be at work in the one that it is in; None where a
    mounted cgroup v2 in which we may make folders is nowhere."""
    for line in pathlib.Path('/proc/self/mountinfo').read_text().splitlines():
        if ' - cgroup2 ' in line and os.access(line.split()[4], os.W_OK):
            group = pathlib.Path(line.split()[4], 'test-%d' % os.getpid())
            try:
                group.mkdir()
            except OSError:
                continue
            try:
                yield str(group)
            finally:
                group.rmdir()
            return
    yield None


SPIN = """import time
while time.process_time() < 0.3:
    pass
open('over', 'w')
"""


def test_processor_time(folder, group):
    """A process that a task leaves to itself counts as well, and is killed with it."""
    (folder / 'spin.py').write_text(SPIN)
    write_job(folder, [('spin', '(setsid %s spin.py &) ; while [ ! -e over ]; do sleep 0.05; done' %
                        sys.executable, None)])
    _, rows = run(folder, '--cgroup', group)
    assert rows['spin']['user'] + rows['spin']['system'] >= 0.3, rows
    write_job(folder, [('none', 'no-such-program', None)])
    job = folder / 'job.xml'
    job.write_text(job.read_text().replace(' shell="true"', ''))
    _, rows = run(folder, '--cgroup', group, status=1)
    assert rows['none']['outcome'] == 'no-start' and rows['none']['code'] == 2, rows
    # A process left to itself may have kept its group for a moment; then a later run removes that.
    for _ in range(50):
        if not left(group):
            break
        time.sleep(0.1)
        run(folder, '--cgroup', group, status=1)
    assert not left(group), left(group)
    write_job(folder, [('deaf', "trap '' TERM; setsid sleep 61 & echo up > up; wait; sleep 61", None)])
    process = subprocess.Popen([BIGROCKS, 'run', 'job.xml', '--cgroup', group, '-q'], cwd=folder)
    while not (folder / 'up').exists():
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) == -signal.SIGINT
    limit = time.monotonic() + 20
    while alive(folder) and time.monotonic() < limit:
        time.sleep(0.05)
    assert not alive(folder), 'something of the group is alive'
    # The last of them may have ended after the run did, which then had to leave the group.
    write_job(folder, [('a', 'true', None)])
    run(folder, '--cgroup', group)
    assert not left(group), left(group)


# Two processes that hold 20 MiB each at the same time, for certain.
BOTH = """import os
here, there, back, over = *os.pipe(), *os.pipe()
child = os.fork()
held = b'x' * (20 << 20)
if child:
    os.read(here, 1)
    os.write(over, b'.')
    os.wait()
else:
    os.write(there, b'.')
    os.read(back, 1)
"""


def test_memory(folder, group='/sys/fs/cgroup'):
    """Two children at once count together; who takes more than demanded is killed, and only that."""
    (folder / 'both.py').write_text(BOTH)
    both = '%s both.py' % sys.executable
    write_job(folder, [('both', both, 80 * MIB), ('over', both, 30 * MIB),
                       ('free', '%s 0 %d' % (WORK, 50 * MIB), None)])
    done, rows = run(folder, '--limit-memory', status=1)
    assert 'tasks are counted by control groups\n' in done.stderr, done.stderr
    assert 40 * MIB <= rows['both']['peak'] <= 80 * MIB, rows
    assert rows['over']['outcome'] == 'memory' and rows['over']['peak'] <= 30 * MIB, rows
    assert "'over' failed: killed: it held more memory than its demand" in done.stderr
    assert rows['free']['outcome'] == 'done' and rows['free']['peak'] >= 50 * MIB, rows
    done, rows = run(folder)
    assert rows['over']['outcome'] == 'done' and rows['over']['peak'] >= 40 * MIB, rows
    assert not left(group), left(group)


def test_own_group(folder, group='/sys/fs/cgroup'):
    """Alone in a group, the program makes room in it; where others are in it, it says so."""
    own = pathlib.Path(group, 'own')
    own.mkdir()
    (pathlib.Path(group) / 'cgroup.subtree_control').write_text('+memory')
    write_job(folder, [('a', 'true', 20 * MIB)])
    join = 'echo 0 > %s/cgroup.procs; ' % own
    alone, shared = ['sh', '-c', join + 'exec "$0" "$@"'], ['sh', '-c', join + '"$0" "$@"']
    done, rows = run(folder, '--limit-memory', before=alone)
    assert rows['a']['outcome'] == 'done' and not left(own), (rows, left(own))
    assert (own / 'cgroup.subtree_control').read_text().strip() == ''
    done, _ = run(folder, '--limit-memory', before=shared, status=5)
    assert 'other processes are in the same group' in done.stderr, done.stderr
    done, _ = run(folder, before=shared)
    assert 'without control groups: other processes' in done.stderr, done.stderr
    # The next run removes the groups that a killed run leaves.
    write_job(folder, [('a', 'echo up > alive; sleep 60', 20 * MIB)])
    process = subprocess.Popen([BIGROCKS, 'run', 'job.xml', '--cgroup', own, '--journal', 'j'],
                               cwd=folder)
    while not (folder / 'alive').exists():
        assert process.poll() is None
        time.sleep(0.02)
    process.kill()
    process.wait()
    assert len(left(own)) == 1
    while alive(folder):  # until its guard has killed them
        time.sleep(0.02)
    write_job(folder, [('a', 'true', 20 * MIB)])
    run(folder, '--cgroup', own)
    assert not left(own), left(own)


def inside():
    """As the first process of a kernel of its own."""
    print('INSIDE: BEGUN', flush=True)
    for what, where in ('proc', '/proc'), ('sysfs', '/sys'), ('tmpfs', '/mnt'):
        subprocess.run(['mount', '-t', what, what, where], check=True)
    subprocess.run(['mount', '-t', 'cgroup2', 'none', '/sys/fs/cgroup'], check=True)
    os.environ['TMPDIR'] = '/mnt'
    for test in test_memory, test_own_group:
        folder = pathlib.Path('/mnt', test.__name__)
        folder.mkdir()
        test(folder)
        print('%s: ok' % test.__name__, flush=True)
    print('INSIDE: PASSED', flush=True)


def in_uml(folder):
    init = folder / 'init'
    init.write_text('#!/bin/sh\nexport PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:'
                    '/bin\n%s %s %s %s inside\necho o > /proc/sysrq-trigger\nsleep 9\n' % (
                        sys.executable, pathlib.Path(__file__).resolve(), BIGROCKS, WORK))
    init.chmod(0o755)
    done = subprocess.run(['linux.uml', 'rootfstype=hostfs', 'rootflags=/', 'ro', 'mem=512M', 'quiet',
                           'init=%s' % init, 'uml_dir=%s' % folder, 'con=null', 'con0=null,fd:1'],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, errors='replace',
                          timeout=300)
    if 'INSIDE: BEGUN' not in done.stdout:
        print('memory: skipped, User Mode Linux does not start here: %s' % done.stdout[-300:])
        return False
    assert 'INSIDE: PASSED' in done.stdout, done.stdout[-5000:]
    return True


def main():
    if sys.argv[3:] == ['inside']:
        inside()
        return 0
    real = False
    with tempfile.TemporaryDirectory(prefix='bigrocks-group') as name, own_group() as group:
        folder = pathlib.Path(name).resolve()
        test_refusals(folder)
        if group:
            test_processor_time(folder, group)
            real = True
        else:
            print('processor time: skipped, no cgroup v2 in which folders can be made')
        if not shutil.which('linux.uml'):
            print('memory: skipped, linux.uml (package user-mode-linux) is not installed')
        elif b'__asan_init' in pathlib.Path(BIGROCKS).read_bytes():
            print('memory: skipped, the address sanitizer finds no room in User Mode Linux')
        elif in_uml(folder):
            real = True
    return 0 if real else 77


if __name__ == '__main__':
    sys.exit(main())
