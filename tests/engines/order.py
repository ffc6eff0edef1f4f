#!/usr/bin/env python3
"""An engine runs 40 tasks from the file written for it: every task once and after its parents, in
the plan's order as far as the file hands it over, and within the limits that it hands over.

order.py BIGROCKS ENGINE [COMPILER...]

One run has one task at a time, for the order; others have as many as the file allows, for the
limits. What the engine keeps is printed, also where the file does not promise it.
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import forty
import job_definition
import missing
import python_tools

look, run = forty.look, forty.run


def at_once(what, folder, rank, *command, **options):
    """As soon as each task may, whatever it takes; `command` sets no limit."""
    for seconds in forty.UNEVEN:
        forty.write_note(folder, seconds)
        run(*command, cwd=folder, **options)
        look(what + ', no limit', folder, rank)
    forty.write_note(folder, forty.alike(0.1))


def without_chains(file, mark):
    """The same file, in which no task waits for the room of others: what the job's edges alone give."""
    bare = file.with_suffix('.bare')
    text, count = re.subn(r'^([a-z ]*\bt\d+\w*:.*?)%s.*$' % re.escape(mark), r'\1', file.read_text(), flags=re.M)
    assert count > 10, count
    bare.write_text(text)
    return bare


def judge_chains(file, mark):
    """The tasks after the mark, by the names that the file gives tasks: t, rank, stage and index."""
    names = {}
    for name, tasks in forty.TASKS.items():
        names.update((('_%s_%d' % (name, i) if tasks > 1 else '_' + name).replace('-', '_'), (name, i))
                     for i in range(tasks))
    task = lambda name: names[re.sub(r'^t\d+', '', name)]
    forty.judge_room([(task(before), task(line[1])) for line in
                      re.finditer(r'^(?:build )?(t\d+\w+):.*%s(.*)$' % re.escape(mark), file.read_text(), re.M)
                      for before in line[2].split()])


def chained(what, folder, rank, command, jobs):
    """As the file says, and however many tasks may start, whichever last longer: chains keep all limits."""
    for most, seconds in ((jobs, forty.alike(0.05)), *((40, uneven) for uneven in forty.UNEVEN)):
        forty.write_note(folder, seconds)
        run(*command, '-j', most, cwd=folder)
        kept = look('%s -j %s' % (what, most), folder, rank)
        assert kept.within('cpu', 'mem', 'net') and kept.peak['tasks'] <= int(most)


def make(file, folder, rank):
    missing.need('make')
    run('make', '-j', 1, '-f', file, cwd=folder)
    assert look('make -j 1', folder, rank).out_of_order(rank) == 0
    at_once('make', folder, rank, 'make', '-j', 40, '-f', without_chains(file, ' | '))
    judge_chains(file, ' | ')
    # The file says with which -j: as many tasks as the plan has at once.
    jobs = int(re.search(r'Run it by: make .*-j (\d+)', file.read_text())[1])
    chained('make', folder, rank, ['make', '-f', file], jobs)


def ninja(file, folder, rank, program='ninja'):
    missing.need(program)
    run(program, '-j', 1, '-f', file, cwd=folder)
    look('ninja -j 1', folder, rank)  # of priorities, ninja knows none of ours
    at_once('ninja', folder, rank, program, '-j', 40, '-f', without_chains(file, ' || '))
    judge_chains(file, ' || ')
    jobs = re.search(r'Run it by: ninja .*-j (\d+)', file.read_text())[1]
    chained('ninja', folder, rank, [program, '-f', file], jobs)


def snakemake(file, folder, rank):
    missing.need('snakemake')
    # --forceall: not only what is not done yet.
    command = ['snakemake', '-s', file, '-q', '--forceall', '--cores']
    env = dict(os.environ, HOME=str(folder), XDG_CACHE_HOME=str(folder))
    run(*command, 1, cwd=folder, env=env)
    assert look('snakemake --cores 1', folder, rank).out_of_order(rank) == 0
    at_once('snakemake', folder, rank, *command, 100, env=env)
    words = re.search(r'Run it by: snakemake .*--cores (.*)', file.read_text())[1].split()
    run(*command, *words, cwd=folder, env=env)
    assert look('snakemake --cores ' + ' '.join(words), folder, rank).within('cpu', 'mem', 'net')


def hyperqueue(file, folder, rank):
    python, home = python_tools.program('python3'), python_tools.environment(folder)
    run(python, '-c', RUN_HYPERQUEUE, file, 1, cwd=folder, env=home)
    one = look('hyperqueue, 1 core', folder, rank)
    assert one.out_of_order(rank) < 40, one.order
    run(python, file, cwd=folder, env=home)
    assert look('hyperqueue', folder, rank).within('cpu')


def hyperqueue_toml(file, folder, rank):
    """One core, on which all tasks take one, shows the order; the machine of the plan shows the limits."""
    text = file.read_text()
    one = file.with_suffix('.one')
    one.write_text(re.sub(r'^resources = \{"cpus" = \d+.*', 'resources = {"cpus" = 1}', text, flags=re.M))
    assert job_definition.submit(one, folder, {'cpu': 1})[0]
    kept = look('hyperqueue-toml, 1 core', folder, rank)
    assert kept.out_of_order(rank) < 40, kept.order
    done, all_known = job_definition.submit(file, folder, forty.CAPACITY)
    assert done and look('hyperqueue-toml', folder, rank).within('cpu', *('mem', 'net') * all_known)


def parsl(file, folder, rank):
    """One worker goes by priority alone, if no task waits for the room of others; many go by the chains. The edges alone
    let 15 tasks run at once, so 16 workers hold none back, and each is a Python that takes its time to start."""
    python, home, text = python_tools.program('python3'), python_tools.environment(folder), file.read_text()
    own = int(re.search(r'^AT_ONCE = (\d+)$', text, re.M)[1])
    many = [('own', own, forty.alike(0.05)), *(('16', 16, uneven) for uneven in forty.UNEVEN)]
    for what, workers, seconds in [('1', 1, forty.alike(0.05)), *many]:
        changed = re.sub(r'^AT_ONCE = .*', 'AT_ONCE = %d' % workers, text, flags=re.M)
        if workers == 1:
            changed, count = re.subn(r'^(     ".*", \[)"[^]]*(\]\),)$', r'\1\2', changed, flags=re.M)
            assert count > 10, count
        file.write_text(changed)
        forty.write_note(folder, seconds)
        run(python, file, cwd=folder, env=home)
        kept = look('parsl, %s workers' % what, folder, rank)
        if workers == 1:
            assert kept.out_of_order(rank) < 10, kept.order
        else:
            assert kept.within('cpu', 'mem', 'net') and kept.peak['tasks'] <= workers


RUN_HYPERQUEUE = '''
import sys
from importlib.machinery import SourceFileLoader
file, cores = sys.argv[1:]
del sys.argv[1:]
emitted = SourceFileLoader('emitted', file).load_module()
emitted.CORES = int(cores)
emitted.TASKS = [(*task[:3], min(task[3], 1), {}, task[5]) for task in emitted.TASKS]
emitted.main()
'''


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


SMALL = {'cpu': 4, 'mem': 2048, 'net': 10}


def starpu(file, folder, rank, bigrocks=None, compiler=('cc',)):
    """A program that hands the tasks to StarPU with the header's help, in an order that is not the
    plan's. With one worker, priorities alone; then with as many workers as the header says, which for
    Debian's StarPU must be four at most: so this plan is for a smaller machine."""
    version = next((v for v in ('starpu-1.4', 'starpu-1.3') if shutil.which('pkg-config') and
                    subprocess.run(['pkg-config', '--exists', v]).returncode == 0), None)
    if not version:
        missing.leave('StarPU is')
    rank = forty.plan(bigrocks, folder, SMALL)
    forty.render(bigrocks, folder, 'starpu')
    tasks = sorted(rank, reverse=True)
    at = {task: k for k, task in enumerate(tasks)}
    plain = {task: '%s[%d]' % task if forty.TASKS[task[0]] > 1 else task[0] for task in tasks}
    (folder / 'tasks.h').write_text(
        'static const char *const names[] = {%s};\nstatic const char *const lines[] = {%s};\n'
        'static const int edges[][2] = {%s};\n' % (
            ', '.join('"%s"' % plain[t] for t in tasks), ', '.join('"%s %d"' % t for t in tasks),
            ', '.join('{%d, %d}' % (at[p], at[c]) for p, c in forty.EDGES)))
    shutil.copy(file, folder / 'plan.h')
    (folder / 'use.c').write_text(STARPU)
    flags = shlex.split(run('pkg-config', '--cflags', '--libs', version))
    run(*compiler, '-Wall', '-Wextra', '-Werror', folder / 'use.c', '-o', folder / 'use', *flags)
    rows = re.findall(r'^    \{"([^"]+)", (\d+), (\d+), (\d+), \d+, \d+\},', file.read_text(), re.M)
    workers = 1 + max(int(row[1]) for row in rows)
    # As many cores as the header has workers, on any machine.
    env = dict(os.environ, STARPU_HOME=str(folder), STARPU_SCHED='prio', STARPU_SILENT='1',
               STARPU_WORKERS_NOBIND='1', HWLOC_SYNTHETIC='core:%d pu:1' % workers,
               HWLOC_THISSYSTEM='1', STARPU_NCUDA='0', STARPU_NOPENCL='0')
    run(folder / 'use', 'priority', cwd=folder, env=dict(env, STARPU_NCPU='1'))
    one = look('StarPU, 1 worker', folder, rank)
    assert one.out_of_order(rank) == 0, one.order
    said = run(folder / 'use', 'apply', cwd=folder, env=dict(env, STARPU_NCPU=str(workers)))
    kept = look('StarPU', folder, rank)
    assert kept.peak['tasks'] <= workers
    assert all(kept.peak[r] <= most for r, most in SMALL.items()), kept.peak
    ran, planned = {}, {}
    for worker, name in (line.split() for line in said.splitlines()):
        ran.setdefault(int(worker), []).append(name)
    for name, worker, order, _ in rows:
        planned.setdefault(int(worker), []).append((int(order), name))
    # Each worker runs what it is given, in the order that it is given.
    assert ran == {w: [name for _, name in sorted(row)] for w, row in planned.items()}, ran


STARPU = r"""
#include "plan.h"
#include "tasks.h"
#include <stdio.h>
#include <unistd.h>

enum { TASKS = sizeof names / sizeof names[0], EDGES = sizeof edges / sizeof edges[0] };
static FILE *written;

static void work(void *buffers[], void *argument)
{
    int k = (int)(intptr_t)argument;
    (void)buffers;
    printf("%d %s\n", starpu_worker_get_id(), names[k]);
    fprintf(written, "begin %s\n", lines[k]);
    usleep(20000);
    fprintf(written, "end %s\n", lines[k]);
}

static struct starpu_codelet codelet = {.cpu_funcs = {work}, .cpu_funcs_name = {"work"}};

int main(int argc, char **argv)
{
    struct starpu_task *task[TASKS];
    written = fopen("log", "w");
    if (argc != 2 || !written || starpu_init(NULL) != 0)
        return 1;
    starpu_pause();
    for (int k = 0; k < TASKS; k++) {
        task[k] = starpu_task_create();
        task[k]->cl = &codelet;
        task[k]->cl_arg = (void *)(intptr_t)k;
        bigrocks_apply(bigrocks_find(names[k]), task[k]);
        if (strcmp(argv[1], "priority") == 0) {
            task[k]->execute_on_a_specific_worker = 0;
            task[k]->workerorder = 0;
        }
    }
    for (int k = 0; k < TASKS; k++) {
        struct starpu_task *before[TASKS];
        unsigned parents = 0;
        for (int e = 0; e < EDGES; e++)
            if (edges[e][1] == k)
                before[parents++] = task[edges[e][0]];
        starpu_task_declare_deps_array(task[k], parents, before);
    }
    for (int k = 0; k < TASKS; k++)
        if (starpu_task_submit(task[k]) != 0)
            return 1;
    starpu_resume();
    starpu_task_wait_for_all();
    starpu_shutdown();
    return fclose(written) != 0;
}
"""


def main():
    bigrocks, engine = sys.argv[1:3]
    with tempfile.TemporaryDirectory(prefix='bigrocks-engine') as scratch:
        folder = pathlib.Path(scratch)
        rank = forty.plan(bigrocks, folder)
        more = [bigrocks, sys.argv[3:]] if engine == 'starpu' else []
        globals()[engine.replace('-', '_')](forty.render(bigrocks, folder, engine), folder, rank, *more)


if __name__ == '__main__':
    main()
