"""Figures of [Jajoo22] from what the program prints: how durations vary (Table 4), shares of pilots over time (Fig. 5),
waiting times (Fig. 7), and load, resistance, error and speedup of each job (Fig. 11). For bench/predict."""
import bisect
import csv
import random
import statistics
import subprocess

SPACE_AND_TIME = {'2sigma': (0.18, 0.55, 1.00, 3.10), 'google11': (0.04, 0.58, 0.20, 0.73),
                  'google19': (0.70, 1.33, 1.35, 1.67)}  # Table 4
ABOVE = {'2sigma': (0.854, 12.10)}  # 4.2
WAITING = {'google11': (('both below 0.04', 0.3557), ('both 0.04 to 1.90', 0.2038), ('less under slearn', 0.2981),
                        ('both above 1.90', 0.2468), ('less under slearn, above', 0.8308))}  # Fig. 7


def ask(bigrocks, *words):
    return list(csv.DictReader(subprocess.run([bigrocks, *map(str, words)], check=True, capture_output=True,
                                              text=True).stdout.splitlines()))


def work_of(job):
    return [float(d) for d in job['durations'].replace(';', ' ').split()]


def share(values, part):
    values = sorted(values)
    at = part * (len(values) - 1)
    low = int(at)
    return values[low] + (at - low) * (values[min(low + 1, len(values) - 1)] - values[low])


# ---- The rule of 4.1 ----

def normal_jobs(between, within, jobs, rng, tasks=100):
    """Jobs of one user, long after each other, whose means are normal about 100 s with this coefficient of variation,
    and whose tasks are so about the mean of their job."""
    yield 'id,arrival,user,durations'
    for j in range(jobs):
        mean = max(1, rng.gauss(100, 100 * between))
        yield 'j%d,%d,one,%s' % (j, 100000 * j, ' '.join(
            '%.6f' % max(0.001, rng.gauss(mean, 100 * within)) for _ in range(tasks)))


def rule(bigrocks, path, jobs=600):
    """(between, within, pilots, error of history, of pilots, expected of both): mean square errors of the mean duration
    that the program predicts, over its usual value. History errs by the variance between jobs, and by that of the mean
    of all tasks; m of 100 pilots by the variance within over m, less what they are themselves a part of."""
    rng = random.Random(1)
    for between in (0.05, 0.1, 0.2):
        for within in (0.1, 0.2, 0.3):
            path.write_text('\n'.join(normal_jobs(between, within, jobs, rng)) + '\n')
            rows = ask(bigrocks, 'predict', '-q', path, '--predictor', 'point,slearn=0.01,slearn=0.03,slearn=0.09', '-f',
                       'csv')
            errors = {}
            for row in rows:
                if int(row['job'][1:]) >= 50:  # history is long enough to be one
                    errors.setdefault(row['predictor'], []).append(
                        (float(row['estimate']) - float(row['work'])) ** 2 / 1e8)
            history = statistics.mean(errors['point'])
            for m in (1, 3, 9):
                yield (between, within, m, history, statistics.mean(errors[f'slearn={m / 100:g}']),
                       between ** 2 + within ** 2 / 100, within ** 2 / m * (1 - m / 100))


def check_rule(bigrocks, path, jobs=600):
    """Pilots are better than history exactly if the variance between jobs is above that of their mean [Jajoo22, 4.1],
    and both err as much as they should. Returns the lines; raises AssertionError."""
    lines = list(rule(bigrocks, path, jobs))
    for between, within, m, history, pilots, of_history, of_pilots in lines:
        place = (between, within, m, history, pilots)
        for got, wanted in ((history, of_history), (pilots, of_pilots)):
            assert abs(got / wanted - 1) < 6 / jobs ** 0.5, (place, got, wanted)
        if abs(of_pilots / of_history - 1) > 8 / jobs ** 0.5:
            assert (pilots < history) == (between ** 2 > within ** 2 / m), place
    return lines


# ---- Table 4 ----

def variations(bigrocks, trace, old, new, figures, arrival):
    """Of the second half of the jobs. Windows are of days in the paper; a trace of 2,500 jobs is one of hours."""
    if trace not in SPACE_AND_TIME:
        return
    rows = ask(bigrocks, 'predict', '-q', new, '--before', old, '--variation', '--wide', '1', '--windows',
               ','.join(f'{arrival * n:g}' for n in (300, 700)), '-f', 'csv')
    windows = sorted({row['window'] for row in rows}, key=lambda w: float(w or 'inf'), reverse=True)
    for k, window in enumerate(windows):
        mine = [row for row in rows if row['window'] == window]
        time = [float(row['time']) for row in mine if row['time']]
        label = ('all', 'last 700 jobs', 'last 300 jobs')[k]
        for part, printed in ((0.5, SPACE_AND_TIME[trace][2]), (0.9, SPACE_AND_TIME[trace][3])):
            figures.add((trace, 'variation', label, f'over time, {part:g}'), share(time, part), printed)
        if k:
            continue
        space = [float(row['sampled']) for row in mine if row['sampled']]
        for part, printed in zip((0.5, 0.9), SPACE_AND_TIME[trace]):
            figures.add((trace, 'variation', '', f'over space, {part:g}'), share(space, part), printed)
        both = [float(row['time']) / float(row['sampled']) for row in mine
                if row['time'] and row['sampled'] and float(row['sampled']) > 0]
        printed = ABOVE.get(trace, (None, None))
        figures.add((trace, 'variation', '', 'over time above space'), sum(r > 1 for r in both) / len(both), printed[0])
        figures.add((trace, 'variation', '', 'so many times in 30 %'), share(both, 0.7), printed[1])


# ---- Fig. 5 ----

def ratios(jobs, ends, wide=3):
    """The shares of pilots of the jobs that have some, from the 301st job on: the algorithm of Fig. 4 on the completion times that
    the program printed, without its code."""
    score, chosen, out, left = {p: [] for p in range(1, 6)}, {}, [], []
    for job in sorted(jobs, key=lambda job: float(job['arrival'])):
        tasks, now = work_of(job), float(job['arrival'])
        while left and left[0][0] <= now:
            _, other, normalised = left.pop(0)
            score[chosen[other]] = (score[chosen[other]] + [normalised])[-101:]
        mean = {p: statistics.mean(values) for p, values in score.items() if values}
        if len(chosen) < 300:
            percent = (3, 2, 4)[len(chosen) // 100]
        else:
            percent = min(mean, key=lambda p: (mean[p], p)) if mean else 3
            if percent in (2, 4) and 3 in mean and 1.1 * mean[percent] < mean[3]:
                percent += -1 if percent == 2 else 1
        chosen[job['id']] = percent
        if len(tasks) < wide:
            continue
        if len(chosen) > 300:  # it is among them
            out.append(percent)
        bisect.insort(left, (ends[job['id']], job['id'], (ends[job['id']] - now) / sum(tasks)))
    return out


def adaptive(trace, new, run, figures):
    jobs = list(csv.DictReader(new.read_text().splitlines()))
    later = ratios(jobs, run)
    for percent in range(1, 6):
        figures.add((trace, 'slearn-adaptive', '', f'jobs at {percent} %'),
                    later.count(percent) / len(later) if later else None)


# ---- Fig. 7 and 11 ----

def runs_of(bigrocks, new, old, cluster, policy):
    """By job: (start, end) of its tasks."""
    spans = {}
    for row in ask(bigrocks, 'simulate', '-q', new, '--before', old, *cluster, '--policy', policy, '--no-bounds',
                   '-f', 'tasks'):
        spans.setdefault(row['job'], []).append((float(row['start']), float(row['end'])))
    return spans


def waiting(trace, jobs, slearn, other, figures):
    """The mean waiting time of a job's tasks over their mean duration, of wide jobs [Jajoo22, 5.2.5]."""
    def of(job, spans):
        tasks = work_of(job)
        return (statistics.mean(start for start, _ in spans[job['id']]) - float(job['arrival'])) / statistics.mean(tasks)
    pairs = [(of(job, slearn), of(job, other)) for job in jobs if len(work_of(job)) >= 3]
    low = [p for p in pairs if max(p) < 0.04]
    middle = [p for p in pairs if min(p) >= 0.04 and max(p) <= 1.9]
    high = [p for p in pairs if min(p) > 1.9]
    values = (len(low) / len(pairs), len(middle) / len(pairs),
              sum(a < b for a, b in middle) / len(middle) if middle else None,
              len(high) / len(pairs), sum(a < b for a, b in high) / len(high) if high else None)
    for (name, printed), value in zip(WAITING['google11'], values):
        figures.add((trace, 'slearn-adaptive', '3sigma', 'waiting: ' + name), value,
                    printed if trace == 'google11' else None)


def queue_of(work):
    return 0 if work < 1000 else min(9, len(str(int(work // 1000))))


def resistances(jobs, spans):
    """By job, when it arrives: seconds of work that is left of jobs in a queue before its own, or before it in its
    own, by the true queues."""
    known = [(float(job['arrival']), queue_of(sum(work_of(job))), job['id']) for job in jobs]
    out, last = {}, {name: max(end for _, end in of) for name, of in spans.items()}
    for arrival, queue, name in known:
        left = 0
        for other_arrival, other_queue, other in known:
            if other != name and other_arrival <= arrival < last[other] and other_queue <= queue:
                left += sum(min(end - start, end - arrival) for start, end in spans[other] if end > arrival)
        out[name] = left
    return out


def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    out, k = [0.0] * len(values), 0
    while k < len(order):
        last = k
        while last + 1 < len(order) and values[order[last + 1]] == values[order[k]]:
            last += 1
        for at in order[k:last + 1]:
            out[at] = (k + last) / 2
        k = last + 1
    return out


def correlation(a, b):
    """Of ranks [Spearman]."""
    a, b = ranks(a), ranks(b)
    ma, mb = statistics.mean(a), statistics.mean(b)
    of = sum((x - ma) * (y - mb) for x, y in zip(a, b))
    both = sum((x - ma) ** 2 for x in a) * sum((y - mb) ** 2 for y in b)
    return of / both ** 0.5 if both else None


def timeline(trace, jobs, slearn, other, oracle, errors, figures):
    """What Fig. 11 shows as curves, as correlations over the wide jobs: of the load of the last 1000 s and resistance
    under the oracle, of the resistance that 3Sigma adds to SLearn's and the speedup, of 3Sigma's error and the speedup."""
    arrivals = sorted((float(job['arrival']), sum(work_of(job))) for job in jobs)
    resisted = {name: resistances(jobs, spans) for name, spans in
                (('slearn', slearn), ('other', other), ('oracle', oracle))}
    wide = [job for job in jobs if len(work_of(job)) >= 3 and job['id'] in errors]
    now = {job['id']: float(job['arrival']) for job in wide}
    load = [sum(work for at, work in arrivals if now[j] - 1000 < at <= now[j]) for j in now]
    speedup = [(max(e for _, e in other[j]) - now[j]) / (max(e for _, e in slearn[j]) - now[j]) for j in now]
    difference = [resisted['other'][j] - resisted['slearn'][j] for j in now]
    for name, a, b in (('load and resistance', load, [resisted['oracle'][j] for j in now]),
                       ('resistance and speedup', difference, speedup),
                       ('size of error and speedup', [abs(errors[j]) for j in now], speedup)):
        figures.add((trace, 'slearn-adaptive', '3sigma', 'correlation: ' + name), correlation(a, b))
