"""A plan as short as a bound whose certificate is refused (all durations come to more than 2^59 ticks)
was called optimal by exhaustive search, where none was made.
"""
import pathlib

from case import bigrocks, folder

LONG = ('<?xml version="1.0"?><job xmlns="urn:bigrocks:job:1" name="j"><stage id="a" tasks="7" duration="300000000"/>'
        '<stage id="b" duration="0.000000001"/></job>')

with folder() as scratch:
    job = pathlib.Path(scratch) / 'long.xml'
    job.write_text(LONG)
    done = bigrocks('plan', job, '--capacity', 'cpu=1', '--no-lp')
    assert done.returncode == 0, done.stderr
    assert 'gap          0 %, optimal by its bound, which has no certificate\n' in done.stdout, done.stdout
    assert 'proven' not in done.stdout and 'exhaustive' not in done.stdout, done.stdout
    # A bound that was not asked for costs no proof.
    done = bigrocks('plan', job, '--capacity', 'cpu=1', '--bound', 'none')
    assert done.returncode == 0 and 'not asked for (--bound)' in done.stdout, done.stdout
    job.write_text(LONG.replace('300000000', '3'))
    for words, said in ((), '0 %, proven optimal\n'), (('--bound', 'none'), 'by its bound, which has no certificate\n'):
        done = bigrocks('plan', job, '--capacity', 'cpu=1', '--no-lp', *words)
        assert done.returncode == 0 and said in done.stdout, done.stdout
