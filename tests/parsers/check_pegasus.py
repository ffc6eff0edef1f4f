#!/usr/bin/env python3
"""Workflows of Pegasus 5 are read with the profiles of their jobs and transformations, and refused at the place of a fault.

usage: check_pegasus.py BIGROCKS
"""
import pathlib
import re
import subprocess
import sys

SMALL = pathlib.Path(__file__).parent.parent / 'data' / 'small.workflow.yml'


def run(*words, text=None):
    return subprocess.run([sys.argv[1], *map(str, words)], input=text, capture_output=True, text=True)


done = run('convert', SMALL, '--format', 'xml', '--default-duration', '5')
assert done.returncode == 0, done.stderr
stages = {name: (time, dict(re.findall(r'<demand resource="([^"]*)" amount="([^"]*)"', inside)))
          for name, time, inside in re.findall(r'<stage id="([^"]*)" tasks="1" duration="([^"]*)">(.*?)</stage>', done.stdout, re.S)}
assert stages == {'ID1': ('12.5', {'cpu': '1', 'mem': str(1 << 29)}),
                  'ID2': ('90', {'cpu': '4', 'mem': str(2 << 30), 'gpu': '1'}),  # of its transformation
                  'ID3': ('5', {'cpu': '1'}),  # another namespace: none
                  'ID4': ('5', {'cpu': '1'})}, stages
edges = [('ID1', 'ID2'), ('ID1', 'ID3'), ('ID2', 'ID4'), ('ID3', 'ID4')]
assert re.findall(r'<edge from="([^"]*)" to="([^"]*)"', done.stdout) == edges, done.stdout
kept = run('convert', SMALL, '--format', 'xml', '--transfer-mode', 'keep')
assert re.findall(r'bytes="(\d+)"', kept.stdout) == ['1000', '3000'], kept.stdout
assert '<output' in run('convert', SMALL, '--format', 'xml', '--files', 'disk').stdout
# A file that a job changes is read by it, too.
both = 'pegasus: 5\njobs:\n- {id: a, uses: [{lfn: f, type: output, size: 7}]}\n- {id: b, uses: [{lfn: f, type: inout}]}\n' \
    'jobDependencies: [{id: a, children: [b]}]\n'
assert re.findall(r'bytes="(\d+)"', run('convert', '-', '--from', 'pegasus', '--format', 'xml', '--transfer-mode', 'keep',
                                        text=both).stdout) == ['7']
for text, place, words in (('pegasus: 5\njobs:\n- {name: a}\n', '3:3', 'a job has no id'), ('pegasus: 5\njobs: a\n', '1:1', "no list of 'jobs'"),
                           ('pegasus: 5\njobs:\n- {id: a}\njobDependencies:\n- {id: a, children: [b]}\n', '5:22', "a job 'b'"),
                           ('pegasus: 5\njobs:\n- {id: a}\njobDependencies:\n- {children: [a]}\n', '5:3', 'an edge has no job'),
                           ('pegasus: 5\njobs:\n- {id: a, uses: [{type: input}]}\n', '3:18', 'has no name'),
                           ('pegasus: 5\njobs:\n- {id: a, uses: [{lfn: f, type: input, size: x}]}\n', '3:18', 'is no number'),
                           ('pegasus: 5\njobs:\n- {id: a, profiles: {pegasus: {runtime: x}}}\n', '3:3', "'x'"),
                           ('pegasus: 5\njobs: [\n', '3:1', 'this is no YAML'), ('', '', 'is empty'),
                           ('pegasus: 5\njobs:\n- {id: a, uses: [{lfn: f, type: input}]}\n- {id: b, uses: [{lfn: f, type: output}]}\n'
                            'jobDependencies: [{id: a, children: [b]}]\n', '', 'f')):
    done = run('show', '-', '--from', 'pegasus', text=text)
    assert done.returncode == 3 and '<stdin>%s' % (':%s: ' % place if place else ':') in done.stderr and words in done.stderr, (text, done.stderr)
