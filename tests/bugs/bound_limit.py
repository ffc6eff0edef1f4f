"""`bound --time-limit 2` ran for minutes: the clause search looked at the limit between fixed points only,
which windows of a million ticks take far apart. And `bound` waited for the linear program about jobs that a
quick plan, or a first turn of the clause search, had closed.
"""
import pathlib
import stat

from case import ENVIRONMENT, bigrocks, cost, folder

CLOSED = '''<?xml version="1.0"?><job xmlns="urn:bigrocks:job:1" name="j">
<stage id="a" tasks="3" duration="1"><demand resource="cpu" amount="1"/></stage>
<stage id="b" duration="2"><demand resource="cpu" amount="2"/></stage></job>'''

with folder() as scratch:
    scratch = pathlib.Path(scratch)
    slow, closed, source, mark = (scratch / name for name in ('slow.xml', 'closed.xml', 'source', 'asked'))
    bigrocks('generate', '--like', 'layered', '--tasks', '600', '--stages', '60', '--seed', '11', '--spread', '0.5',
             '-o', slow)
    took = cost('bound', slow, '--machines', '1', '--capacity', 'cpu=16,mem=64GiB,net=1000,disk=1000',
                '--time-limit', '1', '--no-lp')[0]
    assert took < 3, took
    # The program that is asked leaves a mark; nobody asks it about a job that is closed at once.
    closed.write_text(CLOSED)
    source.write_text('#!/bin/sh\ncat > /dev/null\ntouch %s\nexit 5\n' % mark)
    source.chmod(source.stat().st_mode | stat.S_IXUSR)
    done = bigrocks('bound', closed, '--machines', '2', '--capacity', 'cpu=2',
                    env=dict(ENVIRONMENT, BIGROCKS_BOUND=str(source)))
    assert done.returncode == 0 and 'lp bound     not needed' in done.stdout, (done.stdout, done.stderr)
    assert not mark.exists()
