"""Random plans of random jobs with outputs, shared resources and times, under two judges.

judge_features.py JUDGED_PLANS FIRST COUNT PLANS

Our check of plans (JUDGED_PLANS, of judged_plans.c, which also says what is written) and
verify/check_plan.py of the public data, which shares no code with it, have to agree on every one.
Skipped (77) without the data.
"""
import importlib.util
import io
import subprocess
import sys
import types
import xml.etree.ElementTree as ET

sys.path.insert(0, __file__.rpartition('/tests/')[0] + '/bench')
import corpus


def load_judge():
    spec = importlib.util.spec_from_file_location('check_plan', corpus.CHECKER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def seconds(ns):
    return '%s%d.%09d' % ('-' if ns < 0 else '', abs(ns) // 10**9, abs(ns) % 10**9)


def plan_of(names, machines, makespan, numbers):
    rows = [numbers[k:k + 4] for k in range(0, len(numbers), 4)]
    return {'makespan': seconds(makespan), 'lower_bound': None,
            'tasks': [{'id': name, 'start': seconds(start), 'end': seconds(end), 'machine': machines[machine],
                       'rank': rank} for name, (start, end, machine, rank) in zip(names, rows)]}


def kind_of(fault):
    """What a fault of check_plan.py is about, to count them."""
    for word in ('released', 'deadline', 'unavailable', 'stream', 'too early', 'shared', 'output', 'change', ' of '):
        if word in fault:
            return word.strip()
    return 'another'


def main():
    program, first, count, plans = sys.argv[1], *map(int, sys.argv[2:5])
    if not corpus.CHECKER.exists():
        print('no judge: %s is not there' % corpus.CHECKER)
        return 77
    judge, faults, good, bad, kinds = load_judge(), [], 0, 0, {}
    maker = subprocess.Popen([program, str(first), str(count), str(plans)], stdout=subprocess.PIPE)
    for line in maker.stdout:
        seed, size = line.split()
        root = ET.fromstring(maker.stdout.read(int(size)))
        inside = next(child for child in root if judge.local(child.tag) == 'cluster')
        given = types.SimpleNamespace(cluster=io.BytesIO(ET.tostring(inside)), machines=None)
        job = judge.read_native(root)
        cluster = judge.read_cluster(given, job)
        names, machines = list(job.of), list(cluster.cap)
        for k in range(plans):
            holds, makespan, *numbers = map(int, maker.stdout.readline().split())
            found = judge.check(job, cluster, plan_of(names, machines, makespan, numbers))[0]
            good, bad = good + (not found), bad + bool(found)
            for fault in found[:1]:
                kinds[kind_of(fault)] = kinds.get(kind_of(fault), 0) + 1
            if holds == bool(found):
                faults.append('seed %s, plan %d: ours says %d, theirs %s' % (seed.decode(), k, holds, found[:3]))
    if maker.wait():
        faults.append('%s ends with %d' % (program, maker.returncode))
    print('\n'.join(faults[:20]))
    print('%d plans that hold, %d that do not (%s), %d judged differently' %
          (good, bad, ', '.join('%s: %d' % kind for kind in sorted(kinds.items())), len(faults)))
    if min(good, bad) * 10 < good + bad:
        faults.append('the plans are too much alike')
    return bool(faults)


if __name__ == '__main__':
    sys.exit(main())
