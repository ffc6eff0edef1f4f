"""The public instances beside the project: where they are, their clusters, and planning one.

Used by bench/sweep and bench/quality. The folder is $BIGROCKS_SHARED, or ../shared beside the
project; data/README.md in it says what each file is. Nothing here trusts the planner: every plan
is judged by verify/check_plan.py of that folder, which shares no code with it.
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHARED = pathlib.Path(os.environ.get('BIGROCKS_SHARED') or ROOT.parent / 'shared').resolve()
DATA = SHARED / 'data'
CHECKER = SHARED / 'verify' / 'check_plan.py'


def natural(path):
    """Sorts j601_2 before j601_10."""
    return [int(w) if w.isdigit() else w for w in re.split(r'(\d+)', str(path))]


def files(pattern):
    return sorted(DATA.glob(pattern), key=natural)


def spread(paths):
    """In an order whose every beginning is spread evenly over them (golden section)."""
    order = sorted(range(len(paths)), key=lambda k: k * 0.6180339887498949 % 1)
    return [paths[k] for k in order]


def own_cluster(path):
    return []


def cluster(name):
    return lambda path: ['--cluster', str(DATA / 'clusters' / name)]


def cores(path):
    """Machines for jobs that demand cores only: 16 each, or as many as the widest task takes."""
    needed = [int(n) for n in re.findall(r'\bcores="(\d+)"', path.read_text(errors='replace'))]
    return ['--machines', '4', '--capacity', 'cpu=%d' % max([16] + needed)]


def fixed(*words):
    return lambda path: list(words)


# name: (files, cluster's arguments for one of them)
SETS = {
    'dax': ('dax/*.[dx][am][xl]', cores),
    'dot': ('dot/*.dot', cores),
    'tpch': ('tpch/*.xml', cluster('tpch.xml')),
    'alibaba': ('alibaba/*.xml', cluster('alibaba.xml')),
    'build': ('build/dav1d.xml', cluster('build.xml')),
    # The machines of the recordings are often missing, or too small for what they record.
    'wfformat': ('wfformat/*-*-*.json', fixed('--machines', '4', '--capacity',
                                              'cpu=24,mem=274877906944')),
    'pgplans': ('pgplans/*.xml', fixed('--machines', '1', '--capacity', 'cpu=4,mem=67108864')),
    'stg': ('stg/*.stg', fixed('--machines', '4', '--capacity', 'cpu=1')),
    'rg300': ('rg300/*.rcp', own_cluster),
    'psplib': ('psplib/j*/*.sm', own_cluster),
    'bihyb': ('bihyb/*.xml', fixed('--machines', '1', '--capacity', 'slots=6000')),
}


# Sets that the checker does not read: it is given the job in the native form.
CONVERTED = {'dot', 'wfformat', 'pgplans', 'stg'}

# Files that must be refused, and why. No plan of them could be right.
REFUSED = {'dax/Epigenomics_997.xml': 'negative'}  # a job's runtime is -1.03 s


def instances(name, every=1):
    """(path, cluster's arguments) of every n-th file of the set."""
    pattern, arguments = SETS[name]
    return [(path, arguments(path)) for path in files(pattern)[::every]
            if str(path.relative_to(DATA)) not in REFUSED]


def refusals(bigrocks, name):
    """(file, why) of those of the set that had to be refused and were not."""
    for instance, reason in REFUSED.items():
        path = DATA / instance
        if instance.startswith(name + '/') and path.exists():
            done = subprocess.run([bigrocks, 'plan', str(path), *SETS[name][1](path)],
                                  capture_output=True, text=True)
            if done.returncode != 3 or reason not in done.stderr:
                yield instance, 'not refused as %s: exit %d' % (reason, done.returncode)


def find_bigrocks(given):
    path = pathlib.Path(given) if given else ROOT / 'build' / 'cli' / 'bigrocks'
    if not path.exists():
        sys.exit('no program %s; build it, or name it by --bigrocks' % path)
    return str(path.resolve())


class Failure(Exception):
    """A plan was not made, or is not feasible; says why."""


def run(command, timeout):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        raise Failure('%s: no answer after %d s' % (' '.join(command), timeout)) from None
    except OSError as error:
        raise Failure(str(error)) from None
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise Failure('exit %d: %s' % (done.returncode, '; '.join(said[-3:])))
    return done.stdout


def cpu_of(pid):
    """CPU seconds that the process, all its threads, and its children that ended have taken."""
    fields = pathlib.Path('/proc/%d/stat' % pid).read_text().rpartition(')')[2].split()
    return sum(int(ticks) for ticks in fields[11:15]) / os.sysconf('SC_CLK_TCK')


def run_for_cpu(command, cpu_seconds, timeout):
    """Runs the command and tells it to end (SIGTERM) once it has taken so much CPU time; a busy
    machine makes it wait longer, not do less. Returns its output and the CPU seconds it took."""
    with tempfile.TemporaryFile('w+') as out, tempfile.TemporaryFile('w+') as err:
        process = subprocess.Popen(command, stdout=out, stderr=err)
        until, told, status = time.monotonic() + timeout, False, 0
        while True:
            pid, status, used = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > until:
                process.kill()
                process.wait()
                raise Failure('%s: no answer after %d s' % (' '.join(command), timeout))
            if not told and cpu_of(process.pid) >= cpu_seconds:
                process.send_signal(signal.SIGTERM)
                told = True
            time.sleep(0.02)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if process.returncode:
            said = (err.read().strip() or out.read().strip()).splitlines()
            raise Failure('exit %d: %s' % (process.returncode, '; '.join(said[-3:])))
        return out.read(), used.ru_utime + used.ru_stime


def plan(bigrocks, path, arguments, method, scratch, timeout=600, extra=(), cpu=None):
    """Plans the file, told to end after `cpu` seconds of CPU where given, and has the plan checked.
    Returns the plan as a dict, with the CPU seconds as 'cpu' where a budget of them was given;
    raises Failure."""
    job = path
    stem = '%s/%s-%s' % (scratch, path.name, method)
    if path.parent.name in CONVERTED or path.suffix in ('.dot', '.json'):
        # The checker reads neither these sets nor these forms.
        job = pathlib.Path(stem + '.xml')
        run([bigrocks, 'convert', str(path), '--format', 'xml', '-o', str(job)], timeout)
    out = pathlib.Path(stem + '.json')
    command = [bigrocks, 'plan', str(job), *arguments, '--method', method, '--seed', '1',
               '--threads', '1', '--no-lp', '--format', 'json', '-o', str(out), *extra]
    used = 0
    if cpu:
        used = run_for_cpu(command, cpu, timeout)[1]
    else:
        run(command, timeout)
    run([sys.executable, str(CHECKER), str(job), str(out), *arguments], timeout)
    with out.open() as file:
        made = json.load(file)
    out.unlink()
    if cpu:
        made['cpu'] = used
    return made


def each(function, items, jobs):
    """The function's results in the items' order, `jobs` at a time."""
    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(function, items)
