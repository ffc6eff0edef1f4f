#!/usr/bin/env python3
"""An engine runs 40 tasks from the file written for it: every task once and after its parents, in
the plan's order as far as the file hands it over, and within the limits that it hands over.

order.py BIGROCKS ENGINE [COMPILER...]

One run has one task at a time, for the order; others have as many as the file allows, for the
limits. What the engine keeps is printed, also where the file does not promise it.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import forty  # noqa: E402
import missing  # noqa: E402


def run(*command, **options):
    done = subprocess.run(list(map(str, command)), text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=100, **options)
    assert done.returncode == 0, '%s: %d\n%s' % (command, done.returncode, done.stdout)
    return done.stdout


def look(what, folder, rank):
    """The run that has just been made: complete, and no edge broken."""
    kept = forty.Run(forty.read_log(folder))
    print('%s: %s; %d of 780 pairs out of order' % (what, kept, kept.out_of_order(rank)))
    assert kept.once and not kept.broken, (what, kept.broken)
    return kept


def at_once(what, folder, rank, *command, **options):
    """As soon as each task may, whatever it takes; `command` sets no limit."""
    for seconds in forty.UNEVEN:
        forty.write_note(folder, seconds)
        run(*command, cwd=folder, **options)
        look(what + ', no limit', folder, rank)
    forty.write_note(folder, forty.alike(0.1))


def make(file, folder, rank):
    missing.need('make')
    run('make', '-j', 1, '-f', file, cwd=folder)
    assert look('make -j 1', folder, rank).out_of_order(rank) == 0
    at_once('make', folder, rank, 'make', '-j', 40, '-f', file)
    # The file says with which -j: as many tasks as the plan has at once.
    jobs = int(file.read_text().split('make -j ')[1].split()[0])
    run('make', '-j', jobs, '-f', file, cwd=folder)
    assert look('make -j %d' % jobs, folder, rank).peak['tasks'] <= jobs


def ninja(file, folder, rank, program='ninja'):
    missing.need(program)
    run(program, '-j', 1, '-f', file, cwd=folder)
    look('ninja -j 1', folder, rank)  # of priorities, ninja knows none of ours
    unlimited = folder / 'unlimited'
    unlimited.write_text(file.read_text().replace('  pool = heavy\n', ''))
    at_once('ninja', folder, rank, program, '-j', 40, '-f', unlimited)
    jobs = file.read_text().split('ninja -j ')[1].split()[0]
    run(program, '-j', jobs, '-f', file, cwd=folder)
    assert look('ninja -j %s' % jobs, folder, rank).within('mem')


def snakemake(file, folder, rank):
    missing.need('snakemake')
    # --forceall: not only what is not done yet.
    command = ['snakemake', '-s', file, '-q', '--forceall', '--cores']
    env = dict(os.environ, HOME=str(folder), XDG_CACHE_HOME=str(folder))
    run(*command, 1, cwd=folder, env=env)
    one = look('snakemake --cores 1', folder, rank)
    assert one.passed_over(forty.by_stage(rank)) == 0, one.order
    at_once('snakemake', folder, rank, *command, 100, env=env)
    words = file.read_text().split('snakemake -s FILE --cores ')[1].split('\n')[0].split()
    run(*command, *words, cwd=folder, env=env)
    assert look('snakemake --cores ' + ' '.join(words), folder, rank).within('cpu', 'mem')


def dask(file, folder, rank, python='/usr/bin/python3'):
    """By Debian's own Python, which has Debian's Dask. A worker goes on with what it knows of; what
    its last task has made ready it hears of later, which turns a few pairs round."""
    if subprocess.run([python, '-c', 'import distributed'], capture_output=True).returncode:
        missing.leave('the module distributed is')
    run(python, '-c', RUN_DASK, file, 1, 1, cwd=folder)
    one = look('dask, 1 thread', folder, rank)
    assert one.out_of_order(rank) < 40, one.order
    at_once('dask', folder, rank, python, '-c', RUN_DASK, file, 40, 100)
    run(python, file, cwd=folder)
    assert look('dask', folder, rank).within('cpu', 'mem', 'net')


RUN_DASK = '''
import sys
from importlib.machinery import SourceFileLoader
file, threads, times = sys.argv[1:]
del sys.argv[1:]
emitted = SourceFileLoader('emitted', file).load_module()
emitted.THREADS = int(threads)
emitted.MACHINE = {name: int(times) * amount for name, amount in emitted.MACHINE.items()}
emitted.main()
'''


def main():
    bigrocks, engine = sys.argv[1:3]
    with tempfile.TemporaryDirectory(prefix='bigrocks-engine') as scratch:
        folder = pathlib.Path(scratch)
        rank = forty.plan(bigrocks, folder)
        globals()[engine](forty.render(bigrocks, folder, engine), folder, rank)


if __name__ == '__main__':
    main()
