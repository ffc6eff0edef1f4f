#!/usr/bin/env python3
"""Workflows of Pegasus 5 are read with the profiles of their jobs and transformations, or the times of a run, and refused
at the place of a fault.

usage: check_pegasus.py BIGROCKS
"""
import pathlib
import re
import subprocess
import sys
import tempfile

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
RECORD = """- invocation: True
  version: 3.0
  duration: 9.75
  derivation: %s
  mainjob:
    start: 2023-03-03T22:24:20.709-08:00
    duration: %s
    usage:
      utime: 0.001
    status:
      raw: 0
      %s
  files:
    stdout:
      data: |
        duration: 77
    duration: 66
"""
with tempfile.TemporaryDirectory() as folder:
    runs = pathlib.Path(folder) / 'run0001'
    inner = runs / '00/00/sub.000/00'
    inner.mkdir(parents=True)
    (inner.parent / 'braindump.yml').write_text('')
    (runs / 'braindump.yml').write_text('')

    def record(name, *records, below=runs / '00/00', head='', tail=''):
        path = below / name
        path.write_text(head + ''.join(RECORD % one for one in records) + tail)
        return path

    well, failed, killed = 'regular_exitcode: 0', 'regular_exitcode: 2', 'signalled: 9'
    record('a_ID1.out.000', ('"ID1"', '5.5', failed))
    record('a_ID1.out.001', ('"ID1"', '2.25', well))
    record('a_ID1.out.002', ('"ID1"', '8', killed))
    record('b.out.000', ('"ID2"', '3', well), ('ID3', '4', well), head='2023 PegasusLite: setting up\n', tail='[cluster-summary]\n  derivation: x\n')
    record('stage_in.out.000', ('"null"', '99', well), ('"ID9"', '1', well))
    record('a_ID1.out.003', ('"ID1"', '88', well), below=inner)  # of another workflow
    record('a_ID1.err.000', ('"ID1"', '88', well))
    (runs / '00/00/a_ID1.out.004').symlink_to(inner / 'a_ID1.out.003')
    done = run('convert', SMALL, '--format', 'xml', '--default-duration', '5', '--durations', runs)
    assert re.findall(r'<stage id="([^"]*)" tasks="1" duration="([^"]*)"', done.stdout) == \
        [('ID1', '2.25'), ('ID2', '3'), ('ID3', '4'), ('ID4', '5')], (done.stdout, done.stderr)
    assert '1 jobs have no record of kickstart that ended well' in done.stderr and '1 records of kickstart are of no job' in done.stderr, done.stderr
    bad = record('z.out.000', ('"ID4"', 'soon', well))
    done = run('show', SMALL, '--durations', runs)
    assert done.returncode == 3 and '%s:7:5: ' % bad in done.stderr and "'soon'" in done.stderr, done.stderr
    done = run('show', SMALL, '--durations', inner)
    assert done.returncode == 0, done.stderr
    (inner / 'a_ID1.out.003').unlink()
    done = run('show', SMALL, '--durations', inner)
    assert done.returncode == 3 and '%s: 0 records of kickstart' % inner in done.stderr and 'submit folder' in done.stderr, done.stderr
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
