#!/usr/bin/env python3
"""The program's behaviour besides its output: signals, terminals, closed pipes, large jobs.

behaviour.py BIGROCKS [NAME...]
"""
import fcntl
import json
import os
import pathlib
import pty
import random
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
DATA = pathlib.Path(__file__).resolve().parent / 'data'
CLUSTER = ['--machines', '40', '--capacity', 'cpu=8,mem=16,net=10']
LONG = ['--method', 'graphene', '--threads', '1']


def environment(**more):
    return dict(os.environ, TERM='dumb', BIGROCKS_BOUND='/nonexistent', LC_ALL='C', **more)


def big_job(path, stages=1500, tasks=60, seed=1):
    """Random layers of stages, each with a duration and demands of its own: tens of thousands of
    tasks and hundreds of sets to try, which takes the search the better part of a minute."""
    rng = random.Random(seed)
    lines = ['<job xmlns="urn:bigrocks:job:1" name="big">']
    for s in range(stages):
        lines.append('<stage id="s%d" tasks="%d" duration="%.3f">' %
                     (s, rng.randint(1, tasks), rng.uniform(1, 100)))
        for resource, most in (('cpu', 8), ('mem', 16), ('net', 10)):
            lines.append('<demand resource="%s" amount="%.2f"/>' %
                         (resource, rng.uniform(0.1, most)))
        lines.append('</stage>')
    for s in range(20, stages):
        for p in rng.sample(range(max(0, s - 40), s - 10), 2):
            lines.append('<edge from="s%d" to="s%d"/>' % (p, s))
    lines.append('</job>')
    path.write_text('\n'.join(lines))


def start_planning(folder, *more):
    job = folder / 'big.xml'
    big_job(job)
    return subprocess.Popen([PROGRAM, 'plan', job, *CLUSTER, '-o', folder / 'plan.json', *LONG,
                             *more], env=environment(), stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def has_output(child, folder):
    """Has the program opened its output, which has no name yet, or another one?"""
    try:
        opened = [os.readlink(fd) for fd in pathlib.Path('/proc', str(child.pid), 'fd').iterdir()]
    except OSError:
        opened = []
    return any(path.startswith(str(folder.resolve()) + '/#') for path in opened) or \
        list(folder.glob('plan.json.*'))


def wait_for_search(child, folder):
    """The output is opened just before the search begins."""
    deadline = time.monotonic() + 60
    while not has_output(child, folder):
        assert child.poll() is None, 'ended before it began: %s' % child.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.01)
    time.sleep(0.3)
    assert child.poll() is None, 'the job is too small for this test'


def interrupt_gives_best_plan(folder, which=signal.SIGINT, times=1):
    child = start_planning(folder)
    wait_for_search(child, folder)
    sent = time.monotonic()
    child.send_signal(which)
    for _ in range(times - 1):
        time.sleep(0.02)
        child.send_signal(which)
    out, err = child.communicate(timeout=60)
    assert child.returncode == 0, (child.returncode, err)
    assert time.monotonic() - sent < 30
    assert 'interrupted' in err, err
    plan = json.loads((folder / 'plan.json').read_text())
    assert plan['makespan'] >= plan['lower_bound'] > 0
    check = subprocess.run([PROGRAM, 'check', folder / 'big.xml', folder / 'plan.json', *CLUSTER],
                           env=environment(), capture_output=True, text=True)
    assert check.returncode == 0, check.stdout + check.stderr
    assert not list(folder.glob('plan.json.*'))


def terminate_gives_best_plan(folder):
    interrupt_gives_best_plan(folder, signal.SIGTERM)


def interrupt_sent_twice_is_one(folder):
    """As by timeout(1), which sends the signal to its child and then to the group of both."""
    interrupt_gives_best_plan(folder, signal.SIGINT, 3)


def second_interrupt_quits(folder):
    child = start_planning(folder)
    wait_for_search(child, folder)
    # Both while it is stopped, so that the second one cannot come too late.
    child.send_signal(signal.SIGSTOP)
    child.send_signal(signal.SIGINT)
    child.send_signal(signal.SIGTERM)
    child.send_signal(signal.SIGCONT)
    out, err = child.communicate(timeout=60)
    assert child.returncode in (130, 143), (child.returncode, err)
    assert not list(folder.glob('plan.json*')), 'a half-written file is left'


def interrupt_ends_bounding(folder):
    script, mark = folder / 'bound', folder / 'begun'
    script.write_text('#!/bin/sh\necho > %s\nexec sleep 600\n' % mark)
    script.chmod(0o755)
    child = subprocess.Popen([PROGRAM, 'bound', DATA / 'gap.xml', '--cluster', DATA / 'two.xml',
                              '--conflicts', '0', '--time-limit', '100'],
                             env=dict(environment(), BIGROCKS_BOUND=str(script)),
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not mark.exists():
        assert child.poll() is None and time.monotonic() < deadline
        time.sleep(0.01)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=20)
    assert child.returncode == 0, (child.returncode, err)
    assert 'lower bound' in out and 'not available (interrupted)' in out, out


def child_of_bounding_dies_too(folder):
    """Children of the bounding program go with it."""
    mark = folder / 'pid'
    script = folder / 'bound'
    script.write_text('#!/bin/sh\nsleep 300 &\necho $! > %s\nwait\n' % mark)
    script.chmod(0o755)
    done = subprocess.run([PROGRAM, 'bound', DATA / 'gap.xml', '--cluster', DATA / 'two.xml',
                           '--conflicts', '0', '--time-limit', '2'],  # a loaded machine may take long to start it
                          env=dict(environment(), BIGROCKS_BOUND=str(script)),
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and 'stopped at the time limit' in done.stdout, done
    pid = int(mark.read_text())
    for _ in range(100):
        stat = pathlib.Path('/proc/%d/stat' % pid)
        if not stat.exists() or stat.read_text().rsplit(')', 1)[1].split()[0] == 'Z':
            return
        time.sleep(0.05)
    raise AssertionError('process %d still runs' % pid)


def bounding_gets_the_job(folder):
    """The child reads the very job and cluster, also when they are larger than any pipe holds."""
    script = folder / 'bound'
    script.write_text('#!/bin/sh\ncat > %s/fed.xml\n'
                      'echo \'{"lower_bound": 0.5, "method": "fed"}\'\n' % folder)
    script.chmod(0o755)
    # None that a quick plan shows to be closed: nobody would be asked.
    subprocess.run([PROGRAM, 'generate', '--like', 'layered', '--tasks', '4000', '--stages', '1500', '--seed', '1',
                    '-o', folder / 'big.xml'], env=environment(), check=True)
    cluster = '--machines', '2', '--capacity', 'cpu=16,mem=64GiB,net=1000,disk=1000'
    done = subprocess.run([PROGRAM, 'bound', folder / 'big.xml', *cluster],
                          env=dict(environment(), BIGROCKS_BOUND=str(script)),
                          capture_output=True, text=True, timeout=60)
    # It proves nothing, so that its word is not taken.
    assert 'comes without a proof' in done.stdout and '(fed)' not in done.stdout, done
    assert (folder / 'fed.xml').stat().st_size > 200000
    bare = subprocess.run([PROGRAM, 'bound', folder / 'big.xml', *cluster, '--no-lp', '-q'],
                          env=environment(), capture_output=True, text=True)
    fed = subprocess.run([PROGRAM, 'bound', folder / 'fed.xml', '--no-lp', '-q'],
                         env=environment(), capture_output=True, text=True)
    assert fed.returncode == 0 and fed.stdout == bare.stdout, (fed, bare)


def bounding_is_limited(folder):
    """The child's memory and processor time are bounded by the time it has its job."""
    script = folder / 'bound'
    script.write_text('#!/bin/sh\ncat > /dev/null\necho "at most $(ulimit -v) $(ulimit -t)" >&2\n'
                      'exit 5\n')
    script.chmod(0o755)
    done = subprocess.run([PROGRAM, 'bound', DATA / 'gap.xml', '--cluster', DATA / 'two.xml', '--conflicts', '0'],
                          env=dict(environment(), BIGROCKS_BOUND=str(script)),
                          capture_output=True, text=True, timeout=60)
    # The address sanitizer reserves more than any limit; there is none for memory under it.
    memory = r'\w+' if b'__asan_init' in PROGRAM.read_bytes() else r'\d+'
    assert re.search(r'bigrocks-bound: at most %s \d+\)' % memory, done.stdout), done


def bounding_program_is_found(folder):
    """Beside the program, or where the build leaves it; a build without GLPK has none."""
    if not (PROGRAM.parent.parent / 'lp' / 'bigrocks-bound').exists():
        return
    variables = environment()
    del variables['BIGROCKS_BOUND']
    done = subprocess.run([PROGRAM, 'bound', DATA / 'gap.xml', '--cluster', DATA / 'two.xml', '--conflicts', '0'],
                          env=variables, capture_output=True, text=True, timeout=60)
    assert re.search(r'^lp bound +[0-9.]+ s \(', done.stdout, re.M), done


def closed_pipe_is_quiet(folder):
    """As in 'bigrocks ... | head': no message, and the death that every filter dies."""
    big_job(folder / 'big.xml')
    child = subprocess.Popen([PROGRAM, 'convert', folder / 'big.xml', '--format', 'xml'],
                             env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    child.stdout.read(10)
    child.stdout.close()
    err = child.stderr.read()
    assert child.wait(timeout=60) == -signal.SIGPIPE, child.returncode
    assert err == b'', err


def closed_stderr_spares_the_output(folder):
    """A file opened while standard error is closed must not receive the messages."""
    done = subprocess.run('exec 2>&-; "%s" plan "%s" --cluster "%s" -v -o plan.json'
                          % (PROGRAM, DATA / 'gap.xml', DATA / 'two.xml'), shell=True, cwd=folder,
                          env=environment())
    assert done.returncode == 0, done.returncode
    json.loads((folder / 'plan.json').read_text())


def resize(terminal, columns):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))


def on_terminal(arguments, seconds, until=None, columns=None, **more):
    """The program's text for a terminal on standard error in so much time, or until the pattern
    is in it, and how it ended (None: it did not)."""
    pid, terminal = pty.fork()
    if pid == 0:
        if columns:
            resize(0, columns)
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        for name, value in {'BIGROCKS_BOUND': '/nonexistent', 'TERM': 'xterm', **more}.items():
            os.environ[name] = value
        os.execv(PROGRAM, [str(PROGRAM), *map(str, arguments)])
    written, deadline = b'', time.monotonic() + seconds
    while time.monotonic() < deadline:
        ready = select.select([terminal], [], [], 0.1)[0]
        if ready:
            try:
                block = os.read(terminal, 65536)
            except OSError:
                break
            if not block:
                break
            written += block
            if until and re.search(until, written.decode(errors='replace')):
                break
    os.kill(pid, signal.SIGKILL)
    state = os.waitpid(pid, 0)[1]
    os.close(terminal)
    return written.decode(), os.WEXITSTATUS(state) if os.WIFEXITED(state) else None


def progress_on_a_terminal(folder):
    os.environ.pop('NO_COLOR', None)
    big_job(folder / 'big.xml')
    plan = ['plan', folder / 'big.xml', *CLUSTER, *LONG, '--format', 'order']
    # A loaded machine may take long to get there.
    bar = r'\r\033\[K\033\[32m[#.]{24}\033\[0m +\d+ %.*makespan'
    written, status = on_terminal(plan, 60, bar, 120)
    assert status is None, 'the job is too small for this test'
    assert re.search(bar, written), written[:400]
    bar = r'\r\033\[K[#.]{24} +\d+ %'
    plain, _ = on_terminal(plan, 60, bar, 120, NO_COLOR='1')
    assert re.search(bar, plain) and '\033[3' not in plain, plain[:400]
    assert on_terminal(plan, 2, TERM='dumb') == ('', None)
    assert on_terminal([*plan, '-q'], 2) == ('', None)


def no_progress_for_short_runs(folder):
    assert on_terminal(['plan', DATA / 'gap.xml', '--cluster', DATA / 'two.xml', '--no-lp'],
                       20) == ('', 0)


def runs_show_progress(folder):
    """How far a run is, after a second, and for a terminal alone."""
    job = '<job xmlns="urn:bigrocks:job:1" name="j"><stage id="s" tasks="3" duration="1">' \
        '<demand resource="cpu" amount="1"/><command>sleep %s</command></stage></job>'
    (folder / 'long.xml').write_text(job % '1.2')
    words = ['--capacity', 'cpu=1', '--threads', '1']
    bar = r'\r\033\[K(\033\[32m)?[#.]+(\033\[0m)? +\d+ %  1 of 3 done, 1 running'
    written, _ = on_terminal(['run', folder / 'long.xml', *words], 60, bar)
    assert re.search(bar, written), written
    done = subprocess.run([PROGRAM, 'run', folder / 'long.xml', *words], capture_output=True, text=True,
                          env=environment(), check=True)
    assert '%' not in done.stderr.partition('planned')[0] and '\033' not in done.stderr, done.stderr


def visible(written):
    """The lines that a terminal shows one after another in one place."""
    return [re.sub(r'\033\[\d*m', '', line) for line in written.split('\r\033[K')[1:]]


def progress_fits_the_terminal(folder):
    """A line that is as wide as the terminal, or wider, would stay there for ever, five times a second. Amounts
    and resources that make a long line; the bar becomes shorter, then it goes, then the text is cut."""
    resources = ['a_resource_%d' % k for k in range(6)]
    demands = ''.join('<demand resource="%s" amount="1"/>' % name for name in resources)
    (folder / 'wide.xml').write_text(
        '<job xmlns="urn:bigrocks:job:1" name="j"><stage id="s" tasks="3" duration="123456.5">%s'
        '<command>sleep 1.5</command></stage></job>' % demands)
    words = ['run', folder / 'wide.xml', '--capacity', ','.join('%s=1' % name for name in resources),
             '--threads', '1']
    for columns in 12, 40, 80, 205, 300:
        written, _ = on_terminal(words, 60, r'\r\033\[K.*%.*\r\033\[K.*%.*', columns)
        lines = visible(written)
        assert lines and max(map(len, lines)) < columns, (columns, lines)
        assert (columns < 80) == ('(plan ' not in lines[0]), lines
        assert (columns == 300) == ('a_resource_5 100 %' in lines[0] and '.' * 24 in lines[0]), lines
        assert (columns >= 205) == (lines[0][:4] == '....'), lines


def progress_follows_the_terminal(folder):
    def fits(line):
        return len(line) < 30
    (folder / 'long.xml').write_text(
        '<job xmlns="urn:bigrocks:job:1" name="j"><stage id="s" tasks="9" duration="1">'
        '<demand resource="cpu" amount="1"/><command>sleep 2</command></stage></job>')
    pid, terminal = pty.fork()
    if pid == 0:
        resize(0, 120)
        os.environ.update(TERM='xterm')
        os.execv(PROGRAM, [str(PROGRAM), 'run', str(folder / 'long.xml'), '--capacity', 'cpu=1', '--threads', '1'])
    deadline = time.monotonic() + 60

    def lines_until(enough):
        """What is drawn from now on, until it is enough, or too late. Its last line may be there in part."""
        written, lines = b'', []
        while time.monotonic() < deadline and not enough(lines):
            written += os.read(terminal, 65536)
            lines = visible(written.decode(errors='replace'))[:-1]
        return lines
    try:
        lines = lines_until(lambda lines: len(lines) >= 2)
        assert min(map(len, lines)) > 60, lines
        resize(terminal, 30)
        # What was drawn before the change may still be on its way.
        lines = lines_until(lambda lines: len(lines) >= 3 and all(map(fits, lines[-3:])))
        assert all(map(fits, lines[-3:])), lines
        resize(terminal, 120)
        lines = lines_until(lambda lines: lines and re.match('[#.]{24} ', lines[-1]))
        assert re.match('[#.]{24} ', lines[-1]), lines
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(terminal)


def help_fits_the_terminal(folder):
    def text(*words, **more):
        return subprocess.run([PROGRAM, 'help', *words], capture_output=True, text=True, check=True, cwd=folder,
                              env=environment(**more)).stdout
    for words in ['simulate'], ['run'], []:
        wide, narrow = text(*words, COLUMNS=''), text(*words, COLUMNS='60')
        assert wide.split() == narrow.split()
        # Commands to copy, and the usage, stay in one piece.
        lines = [line for line in narrow.splitlines() if not re.match('usage:|  bigrocks |  [a-z]+ .*[|]', line)]
        assert max(map(len, lines)) <= 60, max(lines, key=len)
        least = text(*words, COLUMNS='40')
        assert wide.split() == least.split()
        lines = [line for line in least.splitlines() if not re.match('usage:|  bigrocks |  [a-z]+ .*[|]', line)]
        # Texts stand below the names, since beside them is no room.
        assert max(map(len, lines)) <= 40 and re.search('^ {8}[a-z]', least, re.M), max(lines, key=len)
        assert 80 < max(map(len, wide.partition('Examples:')[0].splitlines())) <= 96


def examples_of_the_help_work(folder):
    (folder / 'examples').symlink_to(DATA.parent.parent.parent / 'examples')
    count = 0
    for command in ('plan', 'bound', 'check', 'render', 'convert', 'show', 'help'):
        text = subprocess.run([PROGRAM, 'help', command], capture_output=True, text=True,
                              check=True).stdout
        for line in text.partition('\nExamples:\n')[2].splitlines():
            done = subprocess.run(['sh', '-c', line], cwd=folder, capture_output=True, text=True,
                                  env=environment(PATH='%s:%s' % (PROGRAM.parent,
                                                                  os.environ['PATH'])))
            assert done.returncode == 0, (line, done.stderr)
            count += 1
    assert count >= 7


TESTS = [interrupt_gives_best_plan, terminate_gives_best_plan, interrupt_sent_twice_is_one, second_interrupt_quits,
         interrupt_ends_bounding, child_of_bounding_dies_too, bounding_gets_the_job, bounding_is_limited,
         bounding_program_is_found, closed_pipe_is_quiet, closed_stderr_spares_the_output, progress_on_a_terminal,
         no_progress_for_short_runs, runs_show_progress, progress_fits_the_terminal, progress_follows_the_terminal,
         help_fits_the_terminal, examples_of_the_help_work]


def main():
    failed, chosen = 0, sys.argv[2:]
    for test in TESTS:
        if chosen and test.__name__ not in chosen:
            continue
        with tempfile.TemporaryDirectory(prefix='bigrocks-cli') as scratch:
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
