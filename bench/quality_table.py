"""How far the plans of one machine are above the best known makespans, by set and budget.

Used by bench/quality. A budget is a number of seconds on two threads. On a machine that is busy with
other things seconds say little, so by default a budget is counted in what takes as long: how many
placements a second of user CPU allows is measured on a few instances of the set first, and then
every instance is planned with two such seconds' placements for every second of the budget, by one
thread. --clock wall gives two threads the seconds themselves; that is for an idle machine.
"""
import csv
import itertools
import json
import pathlib
import re
import resource
import subprocess
import threading
import time

import corpus

SETS = {
    'j30': ('psplib/j30/*.sm', 'psplib/best/j30.csv'),
    'j60': ('psplib/j60/*.sm', 'psplib/best/j60.csv'),
    'j120': ('psplib/j120/*.sm', 'psplib/best/j120.csv'),
    'rg300': ('rg300/*.rcp', 'rg300/best.csv'),
}
# Average % above the best known makespan that is aimed at.
WANTED = {
    ('j30', 1): 0.01, ('j30', 10): 0.0, ('j30', 60): 0.0,
    ('j60', 1): 0.06, ('j60', 10): 0.03, ('j60', 60): 0.01,
    ('j120', 1): 0.75, ('j120', 10): 0.4, ('j120', 60): 0.25,
    ('rg300', 1): 1.0, ('rg300', 10): 0.45, ('rg300', 60): 0.2,
}
# Average % over the critical path with an exact number of schedules, on j120.
SCHEDULES = {1000: 33.3, 5000: 31.7, 50000: 30.5}
COUNTED = ('instance', 'schedules', 'seed', 'makespan', 'critical_path', 'best_known', 'over')
THREADS = 2
CALIBRATION = 4  # instances, at most
NAMES = ('set', 'budget', 'instance', 'makespan', 'lower_bound', 'best_known', 'above')


def best_known(path):
    with (corpus.DATA / path).open() as file:
        return {row['instance']: int(row['ub']) for row in csv.DictReader(file)}


def user_seconds(command, timeout):
    """Runs it; its standard error, and the user CPU that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    if done.returncode:
        raise corpus.Failure('%s: exit %d: %s' % (' '.join(command), done.returncode,
                                                  done.stderr.strip()))
    return done.stderr, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def placements_a_second(bigrocks, paths, timeout):
    """Of one thread, over the first instances that do not end at their bound."""
    placements = seconds = 0
    used = 0
    for path in paths:
        said, took = user_seconds([bigrocks, 'plan', str(path), '--no-lp', '--threads', '1', '-v',
                                   '--format', 'order', '-o', '/dev/null'], timeout)
        done = int(re.search(r'^bigrocks: (\d+) placements$', said, re.M)[1])
        if took > 0.2:
            placements, seconds, used = placements + done, seconds + took, used + 1
        if used == CALIBRATION:
            break
    return placements / seconds if used else 2e7


def search_options(given, seconds, rate):
    options = ['--effort', 'max'] + (['--lp'] if given.lp else [])
    if given.clock == 'wall':
        return [*options, '--time-limit', str(seconds), '--threads', str(THREADS)]
    return [*options, '--placements', str(int(seconds * THREADS * rate)), '--threads', '1']


def kept(given):
    """By (set, budget, instance): the rows of the file that --resume goes on with."""
    path = pathlib.Path(given.output) if given.output and given.resume else None
    if not path or not path.exists():
        return {}
    with path.open() as file:
        return {(r['set'], r['budget'], r['instance']): tuple(r[n] for n in NAMES)
                for r in csv.DictReader(file)}


def table(given, bigrocks, scratch, report):
    """A row an instance and budget, each written as soon as it is known. What a smaller budget has
    proven optimal is so with a larger one, and is not planned again."""
    rows, begun, lock = kept(given), time.monotonic(), threading.Lock()
    budgets = sorted(float(word) for word in given.budgets.split(','))
    for name in given.sets.split(','):
        pattern, best_file = SETS[name]
        paths, known = corpus.files(pattern)[given.first::given.every], best_known(best_file)
        rate = 0 if given.clock == 'wall' else 1e6 * given.rate if given.rate else \
            placements_a_second(bigrocks, paths, given.timeout)
        if rate:
            report.line('%s: %.1f million placements a second of user CPU' % (name, rate / 1e6))

        def proven(path, seconds):
            """A row of a smaller budget that has a proof, or None."""
            for row in list(rows.values()):
                if row[0] == name and row[2] == path.stem and float(row[1][:-1]) < seconds and \
                        float(row[3]) == float(row[4]):
                    return row
            return None

        def row(path, seconds):
            """None where --minutes are over."""
            key = (name, '%gs' % seconds, path.stem)
            if key in rows:
                return rows[key]
            if given.minutes is not None and time.monotonic() - begun > 60 * given.minutes:
                return None
            found = proven(path, seconds)
            if found:
                found = found[3:]
            else:
                plan = corpus.plan(bigrocks, path, [], 'best', pathlib.Path(scratch), given.timeout,
                                   search_options(given, seconds, rate))
                makespan, best = float(plan['makespan']), known[path.stem]
                if given.keep and makespan < best:
                    pathlib.Path(given.keep, path.stem + '.json').write_text(json.dumps(plan))
                found = ('%g' % makespan, '%g' % float(plan['lower_bound']), best,
                         '%.3f' % (100 * (makespan / best - 1)))
            with lock:
                rows[key] = (*key, *found)
                write(given.output, sorted(rows.values(), key=in_order))
            return rows[key]

        for seconds in budgets:
            made = list(itertools.takewhile(bool, corpus.each(
                lambda path: row(path, seconds), corpus.spread(paths),
                1 if given.clock == 'wall' else given.jobs)))
            if made:
                tell(report, name, seconds, made, len(made) == len(corpus.files(pattern)))


def in_order(row):
    return list(SETS).index(row[0]), float(row[1][:-1]), corpus.natural(row[2])


def tell(report, name, seconds, rows, whole):
    above = [100 * (float(r[3]) / float(r[5]) - 1) for r in rows]
    below = [100 * (1 - float(r[4]) / float(r[5])) for r in rows]
    records = [r[2] for r in rows if float(r[3]) < float(r[5])]
    mean, wanted = sum(above) / len(above), WANTED.get((name, seconds)) if whole else None
    report.line('%-5s %3g s, %d instances: %.3f %% above the best known, as good on %d, '
                'proven optimal %d, bounds %.3f %% below' %
                (name, seconds, len(rows), mean, sum(a <= 0 for a in above),
                 sum(float(r[3]) == float(r[4]) for r in rows), sum(below) / len(below)) +
                (', better on ' + ' '.join(records) if records else ''),
                wanted is not None and 'at most %g' % wanted or None,
                wanted is None or mean <= wanted + 0.0005)


def counted(given, bench, report):
    """The population search alone, with as many schedules as the literature counts: by the starts that are
    given [Kolisch06], or (without --starts) a schedule given up as a whole."""
    paths = corpus.files(SETS['j120'][0])[given.first::given.every]
    known, rows = best_known(SETS['j120'][1]), []
    for schedules in (int(word) for word in given.schedules.split(',')):
        def over(path):
            answer = next(csv.DictReader(corpus.run(
                [bench, 'pool', str(path), '--schedules', str(schedules), '--seed', str(given.seed),
                 *(['--set', 'starts=1'] if given.starts else [])],
                given.timeout).splitlines()))
            if int(answer['schedules']) > schedules:
                raise corpus.Failure('%s: %s schedules' % (path.stem, answer['schedules']))
            length = float(answer['critical_path'])
            return (path.stem, schedules, given.seed, answer['makespan'], answer['critical_path'],
                    known[path.stem], 100 * (float(answer['makespan']) / length - 1),
                    100 * (known[path.stem] / length - 1))
        made = list(corpus.each(over, paths, given.jobs))
        mean, wanted = sum(m[6] for m in made) / len(made), SCHEDULES.get(schedules)
        rows += [(*m[:6], '%.3f' % m[6]) for m in made]
        write(given.output, rows, COUNTED)
        # A sample has another average than the set.
        whole = given.every == 1 and given.first == 0
        report.line('j120, %d schedules, %d instances: %.2f %% over the critical path; the best '
                    'known are %.2f %%' % (schedules, len(paths), mean,
                                           sum(m[7] for m in made) / len(made)),
                    'at most %g' % wanted if whole and wanted else None,
                    not wanted or mean <= wanted or not whole)


def write(path, rows, names=NAMES):
    if path:
        with open(path, 'w', newline='') as file:
            out = csv.writer(file, lineterminator='\n')
            out.writerow(names)
            out.writerows(rows)
