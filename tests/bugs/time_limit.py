"""A time limit was not looked at before every part had its first schedule and its bound, and each part
started threads, also one of a single task: a chain of 10^6 stages took 126 s under a limit of 5 s.

Times are the processor's, and compared with those of equal work on the same machine.
"""
import os
import pathlib

from case import BIGROCKS, ENVIRONMENT, bigrocks, cost, folder, start

JOB = '<?xml version="1.0"?><job xmlns="urn:bigrocks:job:1" name="j">%s%s</job>'


def barriers(stages, tasks, duration='1'):
    """Stages one behind another, each a part between cuts."""
    return JOB % (''.join('<stage id="s%d" tasks="%d" duration="%s"><demand resource="cpu" amount="1"/></stage>'
                          % (k, tasks, duration) for k in range(stages)),
                  ''.join('<edge from="s%d" to="s%d"/>' % (k, k + 1) for k in range(stages - 1)))


def counters(said):
    return {line.split()[0]: float(line.split()[1]) for line in said.splitlines()
            if line.startswith('  ') and len(line.split()) > 2}


def pages(*words):
    """Pages of memory that it has touched for the first time; those that are freed are not filled."""
    plain = {name: value for name, value in ENVIRONMENT.items() if name != 'MALLOC_PERTURB_'}
    with start(*words, env=plain) as process:
        said = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, (words, said)
    return usage.ru_minflt


def best(*words):
    return min(cost(*words)[0] for _ in range(3))


with folder() as scratch:
    scratch = pathlib.Path(scratch)
    chain, wide, many = scratch / 'chain.xml', scratch / 'wide.xml', scratch / 'many.xml'
    chain.write_text(barriers(30000, 1))
    # A part of a single task has one schedule, and needs no thread for it.
    one, said = cost('plan', chain, '--capacity', 'cpu=1', '--no-lp', '-q', '--stats')
    assert counters(said)['heuristic_schedules'] == 30000, said
    cp = cost('plan', chain, '--capacity', 'cpu=1', '--no-lp', '-q', '--method', 'cp')[0]
    assert one < 3 * cp, (one, cp)
    # Of many parts most of the time went into pages that were new. The address sanitizer touches its own, too.
    planned = pages('plan', chain, '--capacity', 'cpu=1', '--no-lp', '-q')
    read = pages('convert', chain, '--format', 'xml', '-o', os.devnull)
    assert planned < 5 * read or b'__asan_init' in BIGROCKS.read_bytes(), (planned, read)
    # Machines that no task of a part can need cost nothing.
    wide.write_text(barriers(200, 20))
    few = cost('plan', wide, '--machines', '100', '--capacity', 'cpu=1', '--no-lp', '-q')[0]
    lots = cost('plan', wide, '--machines', '1000000', '--capacity', 'cpu=1', '--no-lp', '-q')[0]
    assert lots < 8 * few + 0.5, (few, lots)
    # Runs that are drawn behind the plan are within the limit, too: their number goes by it. (Under a
    # sanitizer so many take a minute.)
    limits = ((None, 20, 200), ('0.5', 0, 1), ('1', 1, 2), ('0.1', 0, 0))
    scattered = scratch / 'scattered.xml'
    scattered.write_text((JOB % ('<stage id="a" tasks="6000" duration="1" spread="0.3">'
                                 '<demand resource="cpu" amount="1"/></stage>', '')))
    for limit, noise, drawn in limits if b'__asan_init' not in BIGROCKS.read_bytes() else ():
        words = ('--time-limit', limit) if limit else ()
        done = bigrocks('plan', scattered, '--capacity', 'cpu=100', '--no-lp', '--effort', 'fast', '--explain',
                        '--robust', '0.9', *words)
        assert done.returncode == 0, done.stderr
        found = [int(line.split()[-2]) for line in done.stdout.splitlines() if line.startswith('noise')]
        assert found == ([noise] * 2 if noise else []), (limit, done.stdout)
        assert ('(%d draws' % drawn in done.stdout) == (drawn > 0), (limit, done.stdout)
    # Where there is no time for a bound, none is looked for beyond the critical path.
    cost('generate', '--like', 'layered', '--tasks', '6000', '--stages', '2000', '--seed', '11', '-o', many)
    cluster = ('--machines', '10', '--capacity', 'cpu=16,mem=64GiB,net=1000,disk=1000')
    limited = best('plan', many, *cluster, '--no-lp', '-q', '--time-limit', '0.001')
    bound = best('bound', many, *cluster, '--no-lp', '--conflicts', '0', '-q')
    assert 2 * limited < bound, (limited, bound)
