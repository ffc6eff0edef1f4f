"""Plans of random small jobs with alternatives, classes, speeds and budgets, against all schedules.

plan_ways.py BIGROCKS FIRST COUNT

Each plan is judged by verify/check_plan.py of the public data. A search of its own over all orders, ways and machines
finds the shortest schedule: no bound may be above it, of `bound` either, no plan below it, and a plan that is called
optimal has to be as short. Proofs have to pass tools/check_certificate.py and `check --certificate`; proofs by multipliers are forged, too:
both checkers then say the same, and let no bound pass that is above the shortest schedule. A job is refused only if
there is no schedule at all. Skipped (77) without the data.
"""
import io
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import types
import xml.etree.ElementTree as ET
from fractions import Fraction

sys.path.insert(0, __file__.rpartition('/tests/')[0] + '/bench')
sys.path.insert(0, __file__.rpartition('/tests/')[0] + '/tools')
sys.path.insert(0, __file__.rpartition('/')[0])
import check_certificate
import corpus
from judge_features import load_judge
from judge_ways import random_job, xml_of

TASKS = 4


class Search:
    """The shortest schedule below a limit, in nanoseconds; None if there is none."""

    def __init__(self, judge, job, cluster, limit):
        self.job, self.cluster, self.best = job, cluster, limit
        self.tasks = list(job.of)
        self.parents = {t: [p for a, b, *_ in job.links if t in b for p in a] for t in self.tasks}
        self.ways = {}
        for task in self.tasks:
            stage, index = job.of[task]
            self.ways[task] = []
            for way in job.ways[stage].values():
                for machine in cluster.cap:
                    if way.classes is not None and cluster.cls[machine] not in way.classes:
                        continue
                    if any(a > self.capacity(machine, r) for r, a in way.dem.items()):
                        continue
                    exact = Fraction(judge.ns(way.over.get(index, way.dur))) / cluster.speed[machine]
                    self.ways[task].append((-(-exact.numerator // exact.denominator), machine, way))
        self.found = False
        self.place({}, [], {})

    def capacity(self, machine, resource):
        return self.cluster.shared.get(resource, self.cluster.cap[machine].get(resource, 0))

    def fits(self, rows, start, lasts, machine, way):
        points = {start} | {s for s, e, *_ in rows if start < s < start + lasts}
        for point in points if lasts else ():
            for r, amount in way.dem.items():
                used = sum(w.dem.get(r, 0) for s, e, m, w in rows
                           if s <= point < e and (r in self.cluster.shared or m == machine))
                if used + amount > self.capacity(machine, r):
                    return False
        return True

    def place(self, ends, rows, spent):
        if len(ends) == len(self.tasks):
            self.best, self.found = max(ends.values()), True
            return
        for task in self.tasks:
            if task in ends or any(p not in ends for p in self.parents[task]):
                continue
            ready = max([0] + [ends[p] for p in self.parents[task]])
            for lasts, machine, way in self.ways[task]:
                after = dict(spent)
                for r, amount in way.consumed.items():
                    after[r] = after.get(r, 0) + amount
                if any(a > self.cluster.shared.get(r, 0) for r, a in after.items()):
                    continue
                for start in sorted({ready} | {e for _, e, *_ in rows if e > ready}):
                    if self.fits(rows, start, lasts, machine, way):
                        break
                if start + lasts < self.best:
                    self.place({**ends, task: start + lasts}, [*rows, (start, start + lasts, machine, way)], after)


def forge(draw, document):
    """Changes the proof by multipliers, so that it claims more or says something else. None: cannot."""
    forged = json.loads(json.dumps(document), parse_float=str)
    proof = forged['certificate']['parts'][0]
    kind = draw.choice(['bound', 'price', 'digits', 'flow', 'ends', 'consumed', 'twice', 'tick'])
    proof['bound'] += draw.choice([0, 1, 1, 2])
    if kind == 'tick':
        forged['certificate']['tick'] = str(Fraction(str(forged['certificate']['tick'])) * 2)
    elif kind in ('flow', 'ends'):
        if not proof['flows']:
            return None
        flow = draw.choice(proof['flows'])
        if kind == 'flow':
            flow['amount'] = draw.choice([0, -flow['amount'], 3 * flow['amount'], flow['amount'] // 2])
        else:
            flow['from'], flow['to'] = draw.choice([(flow['to'], flow['from']), (flow['from'], flow['from'])])
    elif kind != 'bound':
        if not proof['charges']:
            return None
        charge = draw.choice(proof['charges'])
        if kind == 'price':
            charge['price'] = draw.choice([0, -charge['price'], 2 * charge['price'], charge['price'] // 3])
        elif kind == 'digits':
            charge['digits'] += draw.choice([-1, 1])
        elif kind == 'consumed' and charge.pop('consumed', None) is None:
            charge['consumed'] = 'yes'
        elif kind == 'twice':
            proof['charges'].append(dict(charge))
    return forged


def claims(document):
    certificate = document['certificate']
    return certificate['parts'][0]['bound'] * Fraction(str(certificate['tick'])) * 10**9


def plain(document):
    """Without the texts that numbers were read as."""
    text = json.dumps(document)
    return re.sub(r'"(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)"(?=[,}\]])', r'\1', text)


def judge_forged(bigrocks, draw, document, least, file, tally):
    """What is wrong with how both checkers take forged proofs."""
    for _ in range(4):
        forged = forge(draw, document)
        if not forged:
            continue
        tally['forged'] += 1
        file.write_text(plain(forged))
        passes = check_certificate.judge(file)[1] == 0
        done = subprocess.run([bigrocks, 'check', '--certificate', file], capture_output=True, text=True)
        tally['forged refused'] += not passes
        if passes != (done.returncode == 0):
            yield 'a forged proof passes one checker only: %s%s%s' % (passes, done.stdout, done.stderr)
        if passes and claims(forged) > least:
            yield 'a forged proof of %s passes, the shortest is %s' % (claims(forged), least)


def judge_bound(bigrocks, source, least, file, tally):
    """What is wrong with the answer of `bound`, whose proof both checkers read."""
    done = subprocess.run([bigrocks, 'bound', source, '--json'], capture_output=True, text=True)
    if done.returncode:
        return ['bound: ' + done.stderr]
    file.write_text(done.stdout)
    said, wrong = json.loads(done.stdout, parse_float=str), []
    if Fraction(str(said['lower_bound'])) * 10**9 > least:
        wrong.append('bound says %s, the shortest is %s' % (said['lower_bound'], least))
    tally['bounds over ways'] += (said.get('certificate') or {}).get('relaxation') == 'ways'
    if said.get('certificate') and check_certificate.judge(file)[1]:
        wrong.append('the proof of bound is refused')
    done = subprocess.run([bigrocks, 'check', '--certificate', file], capture_output=True, text=True)
    if said.get('certificate') and done.returncode:
        wrong.append('bound, check: %s%s' % (done.stdout, done.stderr))
    return wrong


def main():
    bigrocks, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    if not corpus.CHECKER.exists():
        print('no judge: %s is not there' % corpus.CHECKER)
        return 77
    judge, wrong, tally = load_judge(), [], dict.fromkeys(
        ('jobs', 'refused', 'shortest', 'proven', 'proofs', 'multipliers', 'forged', 'forged refused',
         'bounds over ways'), 0)
    with tempfile.TemporaryDirectory() as folder:
        source, file = pathlib.Path(folder, 'j.xml'), pathlib.Path(folder, 'plan.json')
        for seed in range(first, first + count):
            drawn = random_job(random.Random(seed))
            if sum(stage['tasks'] for stage in drawn['stages']) > TASKS:
                continue
            source.write_text(xml_of(drawn))
            effort = ['--effort', 'fast'] if seed % 4 == 0 else []  # the others search exactly
            done = subprocess.run([bigrocks, 'plan', source, '-q', '-o', file, '--threads', '1', *effort],
                                  capture_output=True, text=True)
            if any(words in done.stderr for words in ('both demands and consumes', 'two amounts')):
                continue
            root = ET.fromstring(source.read_text())
            inside = next(child for child in root if judge.local(child.tag) == 'cluster')
            job = judge.read_native(root)
            cluster = judge.read_cluster(types.SimpleNamespace(cluster=io.BytesIO(ET.tostring(inside)), machines=None), job)
            tally['jobs'] += 1
            if done.returncode:
                tally['refused'] += 1
                if done.returncode != 3 or Search(judge, job, cluster, 10**18).found:
                    wrong.append('seed %d: refused: %s' % (seed, done.stderr))
                continue
            whole = file.read_text()
            plan = json.loads(whole, parse_float=str)
            bad, _ = judge.check(job, cluster, plan)
            makespan, bound = (Fraction(str(plan[key])) * 10**9 for key in ('makespan', 'lower_bound'))
            search = Search(judge, job, cluster, makespan)
            least = search.best
            if bad or bound > least or (plan['gap'] in (0, None) and least < makespan):
                wrong.append('seed %d: plan %s, bound %s, shortest %s: %s' % (seed, makespan, bound, least, bad[:1]))
            wrong += ['seed %d: %s' % (seed, fault) for fault in judge_bound(bigrocks, source, least, file, tally)]
            file.write_text(whole)
            tally['shortest'] += least == makespan
            tally['proven'] += plan['gap'] in (0, None)
            if plan.get('certificate'):
                tally['proofs'] += 1
                try:
                    check_certificate.check(json.loads(file.read_text(), parse_float=str))
                except check_certificate.Refused as fault:
                    wrong.append('seed %d: the proof is refused: %s' % (seed, fault))
                done = subprocess.run([bigrocks, 'check', '--certificate', file], capture_output=True, text=True)
                if done.returncode:
                    wrong.append('seed %d: check: %s%s' % (seed, done.stdout, done.stderr))
                if plan['certificate'].get('relaxation') == 'ways':
                    tally['multipliers'] += 1
                    document = json.loads(file.read_text(), parse_float=str)
                    wrong += ['seed %d: %s' % (seed, fault) for fault in judge_forged(
                        bigrocks, random.Random(seed), document, least, file, tally)]
    for fault in wrong[:10]:
        print(fault)
    print('%s; %d wrong' % (', '.join('%d %s' % (n, what) for what, n in tally.items()), len(wrong)))
    return 1 if wrong or not all(tally.values()) else 0


if __name__ == '__main__':
    sys.exit(main())
