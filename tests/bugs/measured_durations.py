#!/usr/bin/env python3
"""A job of seconds keeps its proof if each duration is up to a millisecond longer, in nanoseconds: the bound is that
of the seconds, both checkers accept it, and neither accepts another rounding or a bound of one step more."""
import json
import pathlib
import re
import subprocess
import sys

import case

CHECKER = pathlib.Path(__file__).resolve().parents[2] / 'tools' / 'check_certificate.py'


# Of each task its nanoseconds, and what it demands of cpu and mem.
TASKS = ((7000940328, 9, 8), (6000387186, 8, 4), (9000034632, 2, 7), (6000565413, 5, 4), (2000045088, 6, 5),
         (7000691396, 4, 5), (2000681750, 5, 5), (2000419442, 4, 1), (9000633146, 9, 5), (5000334889, 6, 6),
         (6000500671, 8, 2), (7000535951, 9, 7), (4000700982, 6, 1), (6000999048, 3, 1))
EDGES = ((0, 1), (0, 4), (0, 11), (1, 2), (1, 3), (1, 9), (3, 4), (3, 5), (3, 7), (6, 7), (6, 13), (7, 9), (10, 11),
         (11, 12))


def job(tick):
    """The job with durations rounded down to multiples of a tick."""
    text = '<job xmlns="urn:bigrocks:job:1" name="j"><resource name="cpu"/><resource name="mem"/>'
    for t, (ns, *demands) in enumerate(TASKS):
        text += '<stage id="t%d" duration="%.9f">' % (t, ns // tick * tick / 1e9)
        text += ''.join('<demand resource="%s" amount="%d"/>' % pair for pair in zip(('cpu', 'mem'), demands))
        text += '</stage>'
    return text + ''.join('<edge from="t%d" to="t%d"/>' % edge for edge in EDGES) + '</job>'


def accepted(document, folder):
    """Whether each of the checkers accepts it."""
    (folder / 'proof.json').write_text(json.dumps(document))
    core = case.bigrocks('check', '--certificate', folder / 'proof.json').returncode
    python = subprocess.run([sys.executable, str(CHECKER), str(folder / 'proof.json')], capture_output=True, timeout=60)
    assert core in (0, 1, 3) and python.returncode in (0, 1, 3) and not python.stderr, (core, python)
    return core == 0, python.returncode == 0


with case.folder() as folder:
    folder = pathlib.Path(folder)
    cluster = ('--capacity', 'cpu=12,mem=12', '-q')
    (folder / 'whole.xml').write_text(job(10**9))
    (folder / 'measured.xml').write_text(job(1))
    for command in (('plan', '--format', 'json', '--no-lp', '--threads', '1'), ('bound', '--json')):
        whole, measured = (json.loads(case.bigrocks(command[0], folder / name, *command[1:], *cluster).stdout)
                           for name in ('whole.xml', 'measured.xml'))
        bound = whole['lower_bound']
        assert whole.get('makespan', bound) == bound, whole
        assert bound <= measured['lower_bound'] <= 1.001 * bound, (bound, measured['lower_bound'])
        assert measured.get('makespan', bound) <= 1.0001 * measured['lower_bound'], measured['makespan']
        proof = measured['certificate']['parts'][0]
        assert proof['rounding'] > 1, proof
        assert accepted(measured, folder) == (True, True)
        for change in ({'rounding': proof['rounding'] + 1 + proof['rounding'] // 50}, {'rounding': 0}, {'rounding': -1},
                       {'rounding': 1.5}, {'rounding': 2 * proof['rounding']},
                       {'bound': proof['bound'] + proof['bound'] // 50 + 1}, {'rest': proof['rest'] + 1},
                       {'rest': -1}, {'rest': 0.5}, {'rest': 10 ** 17}):
            forged = json.loads(json.dumps(measured))
            forged['certificate']['parts'][0].update(change)
            part = forged['certificate']['parts'][0]
            if part['rounding'] > 1:
                forged['lower_bound'] = ((part['bound'] * part['rounding'] + part['rest'])
                                         * forged['certificate']['tick'])
            assert accepted(forged, folder) == (False, False), change
    summary = case.bigrocks('plan', folder / 'measured.xml', '--capacity', 'cpu=12,mem=12', '--format', 'json').stderr
    assert 'proven optimal to within 0.01 %' in summary, summary
    bound = case.bigrocks('bound', folder / 'measured.xml', *cluster[:2]).stdout
    assert re.search(r'^optimum +at most 49.00[0-9] s: rounding leaves 0.0(0[0-9]|10) %$', bound, re.M), bound
    exact = json.loads(case.bigrocks('plan', folder / 'measured.xml', *cluster, '--no-lp', '--tolerance', '0',
                                     '--format', 'json').stdout)
    assert exact['lower_bound'] == exact['makespan'] <= measured.get('makespan', exact['makespan']), exact['lower_bound']
    finer = json.loads(case.bigrocks('bound', folder / 'measured.xml', '--json', *cluster[:2], '--tolerance', '0').stdout)
    assert measured['lower_bound'] < finer['lower_bound'] <= exact['makespan'] <= measured['optimum_at_most'], finer
