"""The measuring program: where it is, running it, and reading what it says.

Used by bench/run, bench/scale and bench/instructions. bench/bench.c says what it measures.
"""
import csv
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# The machines that generated jobs are made for.
CAPACITY = 'cpu=16,mem=64GiB,net=1000,disk=1000'


def add_program_options(parser):
    parser.add_argument('--build', type=pathlib.Path, default=ROOT / 'build', metavar='DIR',
                        help='where the programs were built (default: build)')


def program(build, name):
    path = build / {'bench': 'bench', 'small_jobs': 'bench', 'bigrocks': 'cli'}[name] / name
    if not path.exists():
        sys.exit('no program %s; build it, or name the folder by --build' % path)
    return str(path.resolve())


class Failure(Exception):
    """The program did not answer; says why."""


def ask(command, timeout=None):
    """Runs the program, and gives its line of values as a dict, numbers as int or float."""
    command = [str(word) for word in command]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        raise Failure('no answer after %g s' % timeout) from None
    if done.returncode:
        raise Failure('%s: exit %d: %s' % (' '.join(command), done.returncode,
                                           done.stderr.strip()))
    row = next(csv.DictReader(done.stdout.splitlines()))
    return {name: number(value) for name, value in row.items()}


def number(text):
    if re.fullmatch(r'-?\d+', text):
        return int(text)
    if re.fullmatch(r'-?\d+\.\d+', text):
        return float(text)
    return text


def pass_options(tasks, machines, stages=None, spread=None, like=None, resources=None):
    """The options of `bench pass` for a job."""
    options = ['--tasks', tasks, '--machines', machines]
    for name, value in (('--stages', stages), ('--spread', spread), ('--like', like),
                        ('--resources', resources)):
        if value:
            options += [name, value]
    return options


def ask_nothing(command):
    """Runs a program for what it does."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode:
        raise Failure('exit %d: %s' % (done.returncode, done.stderr.strip()))
