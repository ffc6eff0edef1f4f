#!/usr/bin/env python3
"""The checker in Python refuses what is no proof with the words and the status of the core, and dies of nothing."""
import pathlib
import subprocess
import sys

import case

CHECKER = pathlib.Path(__file__).resolve().parents[2] / 'tools' / 'check_certificate.py'
JOB = '<job xmlns="urn:bigrocks:job:1" name="j"><stage id="a" duration="1"/></job>'


def statuses(*paths):
    core = case.bigrocks('check', '--certificate', *paths)
    python = subprocess.run([sys.executable, str(CHECKER), *map(str, paths)], capture_output=True, text=True, timeout=60)
    assert not python.stderr and len(python.stdout.splitlines()) == len(paths), python
    return core.returncode, python.returncode


with case.folder() as folder:
    folder = pathlib.Path(folder)
    (folder / 'job.xml').write_text(JOB)
    plan = case.bigrocks('plan', folder / 'job.xml', '--capacity', 'cpu=1', '-q', '--format', 'json').stdout
    head = '{"format": "bigrocks-plan/1", "x": '
    files = {
        'good': (plan, 0),
        'more': (plan.replace('"lower_bound": 1,', '"lower_bound": 2,', 1), 1),
        'deep': (head + '[' * 300000 + ']' * 300000 + '}', 3),
        'deep-objects': (head + '{"a":' * 100000 + '1' + '}' * 100000 + '}', 3),
        'list': ('[1]', 3),
        'cut': (plan[:100], 3),
        'far': (plan.replace('"lower_bound": 1,', '"lower_bound": 1e999999999,', 1), 3),
        'digits': (plan.replace('"lower_bound": 1,', '"lower_bound": 1%s,' % ('0' * 100000), 1), 3),
        'nan': (plan.replace('"lower_bound": 1,', '"lower_bound": NaN,', 1), 3),
    }
    for name, (text, wanted) in files.items():
        path = folder / name
        path.write_text(text)
        assert statuses(path) == (wanted, wanted), (name, wanted, statuses(path))
    assert statuses(folder / 'none') == (5, 5)
    assert statuses(folder / 'good', folder / 'more', folder / 'deep') == (3, 3)
    assert statuses(folder / 'deep', folder / 'good') == (3, 3)
