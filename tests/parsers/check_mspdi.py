#!/usr/bin/env python3
"""Projects of Microsoft Project's are read with summaries dissolved, links of all kinds kept, and resources as one machine.

usage: check_mspdi.py BIGROCKS
"""
import pathlib
import re
import subprocess
import sys

SMALL = pathlib.Path(__file__).parent.parent / 'data' / 'small.mspdi.xml'


def run(*words, text=None):
    return subprocess.run([sys.argv[1], *map(str, words)], input=text, capture_output=True, text=True)


done = run('convert', SMALL, '--format', 'xml')
assert done.returncode == 0 and ' name="House"' in done.stdout, done.stderr
stages = {name: (float(time), dict(re.findall(r'<demand resource="([^"]*)" amount="([^"]*)"', inside)), re.search(r'name="uid" value="(\d+)"', inside)[1])
          for name, time, inside in re.findall(r'<stage id="([^"]*)" tasks="1" duration="([^"]*)">(.*?)</stage>', done.stdout, re.S)}
assert stages == {'Dig': (30615.5, {'Digger': '3'}, '1'), 'Brick': (86400, {'Mason': '1.5'}, '3'), 'Brick (5)': (3600, {'Mason': '1'}, '5'),
                  'Roof': (7200, {}, '6')}, stages
edges = sorted(re.findall(r'<edge from="([^"]*)" to="([^"]*)"([^>]*)>', done.stdout))
assert [(a, b) for a, b, _ in edges] == [('Brick', 'Brick (5)'), ('Brick', 'Roof'), ('Brick (5)', 'Roof'), ('Dig', 'Brick'), ('Dig', 'Brick (5)'),
                                         ('Dig', 'Roof')], edges
assert 'stream="yes"' in edges[0][2] and 'lag="60"' in edges[0][2], edges
assert all('stream' not in edge[2] for edge in edges[1:]) and 'lag' not in edges[1][2], edges
assert 'lag="3600"' in edges[3][2] and 'lag="3600"' in edges[4][2] and 'lag="120"' in edges[5][2], edges
assert re.findall(r'<capacity resource="([^"]*)" amount="([^"]*)"', done.stdout) == [('Mason', '2'), ('Digger', '3')], done.stdout
for words in ('1 resources have fewer units', '1 links have a negative lag', '1 tasks have a constraint', '1 tasks are inactive', '2 links are not from'):
    assert words in done.stderr, (words, done.stderr)
assert run('plan', SMALL, '-q').returncode == 0
HEAD = '<Project xmlns="http://schemas.microsoft.com/project"><Tasks><Task><UID>1</UID><Name>a</Name></Task><Task><UID>2</UID><Name>b</Name>'
# Of several links of one pair the one from the end (1) is kept, else the one from the start (3), and of those the longest lag.
LINK = '<PredecessorLink><PredecessorUID>1</PredecessorUID><Type>%d</Type><LinkLag>%d</LinkLag></PredecessorLink>'
for links, lag, stream, said in ((((1, 300), (3, 0)), 1800, False, False), (((1, 300), (1, 100)), 1800, False, False),
                                 (((3, 300), (3, 100)), 1800, True, False), (((1, 300), (3, 900)), 1800, False, True)):
    for order in links, links[::-1]:
        done = run('convert', '-', '--format', 'xml', text=HEAD + ''.join(LINK % one for one in order) + '</Task></Tasks></Project>')
        edge, = re.findall(r'<edge [^>]*>', done.stdout)
        assert 'lag="%d"' % lag in edge and ('stream="yes"' in edge) == stream, (order, edge)
        assert ('links from start to start with a lag stand beside one from the end' in done.stderr) == said, (order, done.stderr)
for inside, words in (('<PredecessorLink><PredecessorUID>3</PredecessorUID></PredecessorLink>', 'waits for task 3, which is not in the file'),
                      ('<PredecessorLink><PredecessorUID>1</PredecessorUID><LinkLag>5</LinkLag><LagFormat>19</LagFormat></PredecessorLink>', 'lag in per cent'),
                      ('<PredecessorLink><PredecessorUID>1</PredecessorUID><Type>4</Type></PredecessorLink>', 'no known type'),
                      ('<PredecessorLink><PredecessorUID>x</PredecessorUID></PredecessorLink>', "'x' is no number"),
                      ('<PredecessorLink><PredecessorUID>1</PredecessorUID><LinkLag>2000000000</LinkLag></PredecessorLink>', 'the lag is too long'),
                      ('<Duration>8 hours</Duration>', "'8 hours' is no duration"), ('<Duration>PT5S5H</Duration>', 'is no duration'),
                      ('<Duration>PT99999999999999H</Duration>', 'is no duration'), ('<Duration>P</Duration><UID>-</UID>', "'-' is no number")):
    done = run('show', '-', text=HEAD + inside + '</Task></Tasks></Project>')
    assert done.returncode == 3 and '<stdin>:1:' in done.stderr and words in done.stderr, (inside, done.stderr)
assert 'is empty' in run('show', '-', text='<Project xmlns="http://schemas.microsoft.com/project"></Project>').stderr
assert 'not <Project>' in run('show', '-', '--from', 'mspdi', text='<a/>').stderr
assert run('show', '-', text='<Project xmlns="http://schemas.microsoft.com/project"><Name><Task/>a</Name></Project>').returncode == 3
