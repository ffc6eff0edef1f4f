"""The public instances beside the project: where they are, their clusters, and planning one.

Used by bench/sweep and bench/quality. The folder is $BIGROCKS_SHARED, or ../shared beside the
project; data/README.md in it says what each file is. Nothing here trusts the planner: every plan
is judged by verify/check_plan.py of that folder, which shares no code with it.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
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


def plan(bigrocks, path, arguments, method, scratch, timeout=600, extra=()):
    """Plans the file and has the plan checked. Returns the plan as a dict; raises Failure."""
    job = path
    stem = '%s/%s-%s' % (scratch, path.name, method)
    if path.parent.name in CONVERTED or path.suffix in ('.dot', '.json'):
        # The checker reads neither these sets nor these forms.
        job = pathlib.Path(stem + '.xml')
        run([bigrocks, 'convert', str(path), '--format', 'xml', '-o', str(job)], timeout)
    out = pathlib.Path(stem + '.json')
    run([bigrocks, 'plan', str(job), *arguments, '--method', method, '--seed', '1', '--threads', '1',
         '--no-lp', '--format', 'json', '-o', str(out), *extra], timeout)
    run([sys.executable, str(CHECKER), str(job), str(out), *arguments], timeout)
    with out.open() as file:
        made = json.load(file)
    out.unlink()
    return made


def each(function, items, jobs):
    """The function's results in the items' order, `jobs` at a time."""
    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(function, items)
