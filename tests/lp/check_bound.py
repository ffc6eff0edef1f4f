#!/usr/bin/env python3
"""The program bigrocks-bound from outside: its answers, its faults, and public instances.

check_bound.py BIGROCKS_BOUND own|shared

`own` needs nothing; `shared` takes instances from $BIGROCKS_SHARED (or what is given as the third
argument) and ends with 77, skipped, where they are not there.
"""
import csv
import json
import os
import pathlib
import random
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'certificates'))
from proofs import forked_job  # noqa: E402

JOB = '<job xmlns="urn:bigrocks:job:1" name="j">%s</job>'
STAGE = '<stage id="%s" tasks="%d" duration="%s"><demand resource="cpu" amount="%s"/></stage>'
CLUSTER = ('<cluster xmlns="urn:bigrocks:cluster:1"><machine class="m" count="%d">'
           '<capacity resource="cpu" amount="%s"/></machine></cluster>')


def run(program, job, *options):
    return subprocess.run([program, *options], input=job.encode(), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=120)


def bound(program, job, *options):
    result = run(program, job, *options)
    assert result.returncode == 0, result.stderr.decode()
    assert result.stderr == b'', result.stderr
    answer = json.loads(result.stdout)
    assert set(answer) == {'lower_bound', 'method', 'status', 'certificate'}, answer
    assert answer['status'] in ('optimal', 'limit', 'large', 'fault'), answer
    return answer


def check_threads(program):
    """The same bytes by any number of threads, where many sets are searched for: jobs on one machine, open ones."""
    rng = random.Random(4)
    for tasks, resources in ((40, 3), (60, 4)):
        job = '<cluster xmlns="urn:bigrocks:cluster:1"><machine class="m" count="1">%s</machine></cluster>' % \
            ''.join('<capacity resource="r%d" amount="%d"/>' % (r, rng.randint(14, 20)) for r in range(resources))
        for t in range(tasks):
            job += '<stage id="t%d" tasks="1" duration="%d">%s</stage>' % (t, rng.randint(1, 10), ''.join(
                '<demand resource="r%d" amount="%d"/>' % (r, rng.randint(1, 8)) for r in range(resources)))
            for p in rng.sample(range(max(0, t - 12), t), min(t, 2)):
                job += '<edge from="t%d" to="t%d" type="barrier"/>' % (p, t)
        answers = [run(program, JOB % job, '--work', '0.3', '--threads', str(n)).stdout for n in (1, 2, 7)]
        assert json.loads(answers[0])['method'].startswith('interval LP'), answers[0][:200]
        assert len(set(answers)) == 1, [len(text) for text in answers]
    for bad in '0', '-1', 'two', '1025', '':
        refused = run(program, JOB % job, '--threads', bad)
        assert refused.returncode == 2 and b'is no number of threads; give 1 to 1024' in refused.stderr, refused


def check_own(program):
    check_threads(program)
    # Five rounds of 1.5 s.
    waves = JOB % (CLUSTER % (2, '4') + STAGE % ('a', 19, '1.5', '2'))
    answer = bound(program, waves)
    assert answer['lower_bound'] == 7.5 and answer['status'] == 'optimal', answer

    # Behind a cut, a ring of five of which two can run at a time.
    ring = '<machine class="m" count="1">'
    ring += ''.join('<capacity resource="r%d" amount="3"/>' % r for r in range(5)) + '</machine>'
    job = '<cluster xmlns="urn:bigrocks:cluster:1">%s</cluster>' % ring
    job += '<stage id="first" tasks="1" duration="0.001"/>'
    for s in range(5):
        job += '<stage id="t%d" tasks="1" duration="10"><demand resource="r%d" amount="2"/>' % (s, s)
        job += '<demand resource="r%d" amount="2"/></stage>' % ((s + 1) % 5)
        job += '<edge from="first" to="t%d" type="barrier"/>' % s
    job += '<stage id="beside" tasks="1" duration="0.001"/>'
    job += '<edge from="first" to="beside" type="barrier"/>'
    answer = bound(program, JOB % job)
    assert answer['lower_bound'] == 25.001, answer
    assert answer['method'].startswith('interval LP'), answer
    assert bound(program, JOB % job) == answer  # the same again
    assert bound(program, JOB % job, '--time-limit', '5')['lower_bound'] == 25.001
    # Hardly any time: some bound all the same, at least the combinatorial one.
    assert 20.001 <= bound(program, JOB % job, '--time-limit', '0.000001')['lower_bound'] <= 25.001

    # Two tasks of 8 s run together from 2 to 8 in any plan of 10 s, so that the one for two of three cores has
    # no 3 s on either side. Patterns of lines say so, and what says it is named.
    lines = '<stage id="a" tasks="2" duration="8"><demand resource="cpu" amount="1"/></stage>' \
        '<stage id="b" tasks="1" duration="3"><demand resource="cpu" amount="2"/></stage>' \
        '<stage id="c" tasks="1" duration="5"><demand resource="cpu" amount="1"/></stage>'
    answer = bound(program, JOB % (CLUSTER % (1, '3') + lines))
    assert answer['method'] == 'cutting stock' and answer['lower_bound'] == 11, answer
    twice = lines + re.sub('id="(.)"', r'id="\1\1"', lines)
    twice += ''.join('<edge from="%s" to="%s" type="barrier"/>' % (p, c * 2) for p in 'abc' for c in 'abc')
    answer = bound(program, JOB % (CLUSTER % (1, '3') + twice))
    assert answer['method'] == 'cutting stock, sum over the parts between cuts', answer
    assert answer['lower_bound'] == 22, answer

    # Two of a, b and c fit together by r, and none of them beside d by the three q: a set weighs at most 2 where
    # d counts twice. That is five tasks on two lines; cliques say 20 s, the intervals 25 s.
    cover = '<cluster xmlns="urn:bigrocks:cluster:1"><machine class="m" count="1">' \
        '<capacity resource="r" amount="5"/>%s</machine></cluster>' % \
        ''.join('<capacity resource="q%s" amount="1"/>' % s for s in 'abc')
    for s in 'abcd':
        cover += '<stage id="%s" tasks="1" duration="%d">' % (s, 9 if s == 'c' else 10)
        cover += '<demand resource="r" amount="2"/>' if s != 'd' else ''
        cover += ''.join('<demand resource="q%s" amount="1"/>' % q for q in (s if s != 'd' else 'abc')) + '</stage>'
    answer = bound(program, JOB % cover)
    proof, = answer['certificate']['parts']
    assert answer['lower_bound'] == 29 and answer['method'] == 'lifted covers', answer
    assert proof['kind'] == 'rounds' and len(proof['measures']) == 1, proof
    assert sorted(w['weight'] for w in proof['measures'][0]['weights']) == [1, 1, 1, 2], proof
    stages = cover[cover.index('<stage'):]
    twice = cover + re.sub('id="(.)"', r'id="\1\1"', stages)
    twice += ''.join('<edge from="%s" to="%s" type="barrier"/>' % (p, c * 2) for p in 'abcd' for c in 'abcd')
    answer = bound(program, JOB % twice)
    assert answer['method'] == 'lifted covers, sum over the parts between cuts', answer
    assert answer['lower_bound'] == 58, answer

    # An answer that cannot be written is none.
    with open('/dev/full', 'wb') as full:
        lost = subprocess.run([program], input=waves.encode(), stdout=full, stderr=subprocess.PIPE, timeout=120)
    assert lost.returncode == 5 and b'cannot write' in lost.stderr, lost

    # Too many stages for the linear program: the combinatorial bound, and the status says so.
    many = ''.join(STAGE % ('s%d' % s, 1, '1', '1') for s in range(400))
    answer = bound(program, JOB % (CLUSTER % (1, '4') + many))
    assert answer['lower_bound'] == 100 and answer['status'] == 'large', answer

    for job, status, words in (
            (JOB % (STAGE % ('a', 1, '1', '1')), 3, 'carries no cluster'),
            (JOB % (CLUSTER % (1, '1') + STAGE % ('a', 1, '1', '2')), 3, 'task a demands 2 of cpu'),
            (JOB % (CLUSTER % (1, '1') + '<stage id="a"'), 3, ''),
            ('', 3, ''), ('no xml', 3, '')):
        result = run(program, job)
        assert result.returncode == status, (job, result)
        assert result.stdout == b'' and words in result.stderr.decode(), result
        assert result.stderr.decode().startswith('bigrocks-bound: '), result
    assert run(program, '', '/no/such/file').returncode == 5
    for options in (['--no-such'], ['--time-limit', '-1'], ['--time-limit', 'x'], ['a', 'b']):
        result = run(program, '', *options)
        assert result.returncode == 2 and result.stdout == b'' and result.stderr, result
    assert b'usage' in run(program, '', '--help').stdout
    assert b'bigrocks-bound ' in run(program, '', '--version').stdout


def check_cases(program):
    """Of 300 jobs whose branches wait for the same network, the bounds in all: 5830 before there were cases,
    5871 with those of the first alone. Both checkers accept such proofs (check_certificates.py)."""
    total = sum(bound(program, forked_job(random.Random(k), 'forked%d' % k))['lower_bound'] for k in range(300))
    assert total >= 5875, total


def psplib_as_native(path):
    """A PSPLIB project as a native job with its pool."""
    section, successors, tasks, capacity = None, {}, {}, []
    for line in path.read_text().splitlines():
        section = {'PRECEDENCE': 'edges', 'REQUESTS/DU': 'tasks',
                   'RESOURCEAVA': 'pool'}.get(re.match(r'[A-Z/]{0,11}', line).group(), section)
        numbers = line.split()
        if not numbers or not all(n.isdigit() for n in numbers):
            continue
        numbers = list(map(int, numbers))
        if section == 'edges':
            successors[numbers[0]] = numbers[3:]
        elif section == 'tasks':
            tasks[numbers[0]] = numbers[2:]
        elif section == 'pool':
            capacity = numbers
    text = '<cluster xmlns="urn:bigrocks:cluster:1"><machine class="pool" count="1">'
    text += ''.join('<capacity resource="R%d" amount="%d"/>' % c for c in enumerate(capacity))
    text += '</machine></cluster>'
    for number, (duration, *demands) in tasks.items():
        text += '<stage id="%d" tasks="1" duration="%d">' % (number, duration)
        text += ''.join('<demand resource="R%d" amount="%d"/>' % d for d in enumerate(demands))
        text += '</stage>'
    for number, children in successors.items():
        text += ''.join('<edge from="%d" to="%d" type="barrier"/>' % (number, c) for c in children)
    return JOB % text


def check_psplib(program, data, name, step, most_below):
    with open(data / 'psplib/best' / (name + '.csv')) as table:
        best = {row['instance']: int(row['ub']) for row in csv.DictReader(table)}
    below = []
    for path in sorted((data / 'psplib' / name).glob('*.sm'))[::step]:
        answer = bound(program, psplib_as_native(path), '--time-limit', '20')
        known = best[path.stem]
        assert answer['lower_bound'] <= known, (path.name, answer, known)
        below.append(100 * (1 - answer['lower_bound'] / known))
    average = sum(below) / len(below)
    print('%s: %d instances, %.2f %% below the best known' % (name, len(below), average))
    assert average < most_below, average


def check_tpch(program, data):
    """Stage jobs on machines: no fault, and at least the work and the longest task."""
    cluster = re.sub(r'<\?xml.*?\?>', '', (data / 'clusters/tpch.xml').read_text())
    for path in sorted((data / 'tpch').glob('*.xml'))[::6]:
        text = path.read_text().replace('</job>', cluster + '</job>')
        answer = bound(program, text, '--time-limit', '20')
        stages = re.findall(r'tasks="(\d+)" duration="([\d.]+)"', text)
        work = sum(int(n) * float(d) for n, d in stages) / 40  # one cpu each, 40 in the cluster
        longest = max(float(d) for _, d in stages)
        assert answer['lower_bound'] >= max(work, longest) - 1e-9, (path.name, answer)
        assert answer['status'] == 'optimal', (path.name, answer)


def main():
    program = sys.argv[1]
    if sys.argv[2] == 'own':
        check_own(program)
        check_cases(program)
        return 0
    data = pathlib.Path(os.environ.get('BIGROCKS_SHARED') or sys.argv[3]) / 'data'
    if not (data / 'psplib').is_dir():
        print('there are no public instances in %s' % data)
        return 77
    check_psplib(program, data, 'j30', 4, 2.6)
    check_psplib(program, data, 'j60', 48, 4)
    check_tpch(program, data)
    return 0


if __name__ == '__main__':
    sys.exit(main())
