#!/usr/bin/env python3
"""Job shops of JSPLib are read with their machines, planned to their known optimum, and refused at the place of a fault.

usage: check_jobshop.py BIGROCKS
"""
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

CHECKER = pathlib.Path(__file__).parent.parent.parent / 'tools' / 'check_certificate.py'
SMALL = pathlib.Path(__file__).parent.parent / 'data' / 'small.jsp'
# ft06 of Fisher and Thompson, 1963: no schedule is shorter than 55.
FT06 = '''# instance ft06
6 6
 2  1  0  3  1  6  3  7  5  3  4  6
 1  8  2  5  4 10  5 10  0 10  3  4
 2  5  3  4  5  8  0  9  1  1  4  7
 1  5  0  5  2  5  3  3  4  8  5  9
 2  9  1  3  4  5  5  4  0  3  3  1
 1  3  3  3  5  9  0 10  4  4  2  1
'''


def run(*words, text=None):
    return subprocess.run([sys.argv[1], *map(str, words)], input=text, capture_output=True, text=True)


plan = json.loads(run('plan', SMALL, '--format', 'json', '-q').stdout)
assert plan['makespan'] == 11 and len(plan['tasks']) == 6, plan['makespan']
job = run('convert', SMALL, '--format', 'xml').stdout
stages = re.findall(r'<stage id="(J\d\.\d)" tasks="1" duration="(\d)">\s*<demand resource="(M\d)" amount="1"/>', job)
assert stages == [('J0.0', '3', 'M0'), ('J0.1', '2', 'M1'), ('J1.0', '4', 'M1'), ('J1.1', '1', 'M0'), ('J2.0', '2', 'M0'),
                  ('J2.1', '5', 'M1')], job
assert re.findall(r'<edge from="([^"]*)" to="([^"]*)"', job) == [('J%d.0' % j, 'J%d.1' % j) for j in range(3)], job
assert re.findall(r'<capacity resource="([^"]*)" amount="([^"]*)"', job) == [('M0', '1'), ('M1', '1')], job
plan = json.loads(run('plan', '-', '--format', 'json', '-q', text=FT06).stdout)
assert (plan['makespan'], len(plan['tasks']), len(plan['edges'])) == (55, 36, 30), plan['makespan']
# Beside tasks that are in nobody's way there are 294; the bound takes clauses that say in which order rivals run, and both
# checkers accept it, but none that is higher.
chance = random.Random(5)
rows = [' '.join('%d %d' % (m, chance.randint(1, 20)) for m in chance.sample(range(8), 8)) for _ in range(8)]
whole = run('convert', '-', '--format', 'xml', text='8 8\n' + '\n'.join(rows)).stdout
whole = whole.replace('<edge', '<stage id="idle" tasks="230" duration="1"/><edge', 1)
text = run('plan', '-', '--format', 'json', '-q', text=whole).stdout
plan = json.loads(text)
part, = plan['certificate']['parts']
assert plan['makespan'] == plan['lower_bound'] and len(plan['tasks']) == 294 and part['kind'] == 'clauses', plan
assert any(abs(v) > 295 for clause, *_ in part['clauses'] for v in clause[::2]), 'no clause says in which order tasks run'
part['bound'] = plan['certificate']['lower_bound'] = plan['lower_bound'] = plan['lower_bound'] + 1
with tempfile.TemporaryDirectory() as folder:
    for text, status in ((text, 0), (json.dumps(plan), 1)):
        file = pathlib.Path(folder, 'plan.json')
        file.write_text(text)
        assert run('check', '--certificate', file).returncode == status, run('check', '--certificate', file)
        assert subprocess.run([sys.executable, CHECKER, file], capture_output=True).returncode == status
for text, place, words in (('2 2\n0 1 2 1\n0 1 1 1\n', '2:5', 'is on machine 2, and there are 2'), ('2 2\n0 1 1 1\n', '3:1', 'job 1'),
                           ('2 2\n0 1 1 1\n0 1 1\n', '3:6', 'the duration of operation 1 of job 1'), ('0 2\n', '1:1', 'there are 0 jobs'),
                           ('1 2\n0 1 1 1 5\n', '2:9', 'after the last operation of job 0'), ('1 1001\n', '1:1', 'and 1001 machines'),
                           ('1 1\n0 1\n0 1\n', '3:1', 'after the last of 1 jobs'), ('1 1\n0 x\n', '2:3', "'x'"), ('# a\n', '2:1', 'jobs')):
    done = run('show', '-', '--from', 'jobshop', text=text)
    assert done.returncode == 3 and '<stdin>:%s: ' % place in done.stderr and words in done.stderr, (text, done.stderr)
assert 'R1' in run('convert', '-', '--format', 'xml', text='1 1\n1\n2 1 0\n').stdout, 'a Patterson project is none'
