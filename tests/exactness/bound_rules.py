#!/usr/bin/env python3
"""Bounds that one solver alone proves: the linear program's and clause learning's, to the tick.

bound_rules.py BIGROCKS [BIGROCKS_BOUND]

The core's arguments have their cases in tests/planner/test_bounds.c. A solver that is dead, not found, or weaker
than it was fails here, since nothing else comes to these values.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ENVIRONMENT = dict(os.environ, BIGROCKS_BOUND=sys.argv[2] if len(sys.argv) > 2 else '/nonexistent')


def job(machines, capacity, stages, edges=()):
    text = '<job xmlns="urn:bigrocks:job:1" name="j"><cluster><machine class="m" count="%d">' % machines
    text += ''.join('<capacity resource="%s" amount="%d"/>' % c for c in capacity.items())
    text += '</machine></cluster>'
    for name, (tasks, duration, demands) in stages.items():
        text += '<stage id="%s" tasks="%d" duration="%d">' % (name, tasks, duration)
        text += ''.join('<demand resource="%s" amount="%d"/>' % d for d in demands.items()) + '</stage>'
    return text + ''.join('<edge from="%s" to="%s" type="barrier"/>' % e for e in edges) + '</job>'


def bound(path, *options):
    done = subprocess.run([sys.argv[1], 'bound', str(path), '--json', *options], capture_output=True,
                          text=True, env=ENVIRONMENT, timeout=60)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document['bound_status'] == 'proven', document['bound_status']
    return document['lower_bound']


# Five tasks of 10 in a ring, each without room beside its two neighbours: two at a time, 25 if they could
# be interrupted, and 30 since they cannot.
RING = job(1, {'r%d' % k: 3 for k in range(5)}, dict(
    {'s%d' % k: (1, 10, {'r%d' % k: 2, 'r%d' % ((k + 1) % 5): 2}) for k in range(5)}, z=(1, 1, {})))
# The same beside four machines that hold nothing but the task z: clauses say where it runs. And beside
# eight, which is one more than clauses are for here.
SPREAD = RING.replace('</cluster>', '<machine class="n" count="4"><capacity resource="q" amount="1"/>'
                      '</machine></cluster>')
WIDER = SPREAD.replace('count="4"', 'count="8"')
# 11 tasks of 7 and 3 of 4 on four machines: within 24 one that runs three long ones runs no other.
LINES = job(4, {'r': 1}, {'a': (11, 7, {'r': 1}), 'b': (3, 4, {'r': 1})})
# Within 6, c runs from 3 to 6, a and b from 2 to 4 in every case, and the three are too much: 7.
# The program sees it by a lifted cover, of which two run at once.
TABLE = job(1, {'r': 10}, {'a': (1, 4, {'r': 3}), 'b': (1, 4, {'r': 2}), 'p': (1, 3, {}),
                           'c': (1, 3, {'r': 6})}, [('p', 'c')])
# job: the core's bound, that with the linear program alone, that with clauses alone
CASES = [('ring', RING, 20, 25, 30), ('spread ring', SPREAD, 20, 25, 30), ('wide ring', WIDER, 20, 25, 20),
         ('lines', LINES, 23, 25, 25),
         ('time-table', TABLE, 6, 7, 7)]

with tempfile.TemporaryDirectory() as scratch:
    for name, text, core, program, clauses in CASES:
        path = pathlib.Path(scratch) / 'job.xml'
        path.write_text(text)
        got = [bound(path, '--no-lp', '--conflicts', '0'),
               bound(path, '--lp', '--conflicts', '0') if len(sys.argv) > 2 else program,
               bound(path, '--no-lp')]
        assert got == [core, program, clauses], '%s: %s, not %s' % (name, got, [core, program, clauses])
print('%d jobs bounded as they have to be' % len(CASES))
