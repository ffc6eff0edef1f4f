#!/usr/bin/env python3
"""tools/shrink comes to the known smallest input of a failure that was planted.

check_shrink.py SOURCE BIGROCKS
"""
import pathlib
import subprocess
import sys
import tempfile

SOURCE, BIGROCKS = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()

# Fails with 7 where a stage of at least 3 s comes, directly, before one whose two or more tasks demand
# "mem", and some machines are two. With 9, another failure, where a stage is called s1 and none s0.
PLANTED = '''
import sys, xml.etree.ElementTree as xml
job, cluster = (xml.parse(path).getroot() for path in sys.argv[1:])
j, c = '{urn:bigrocks:job:1}', '{urn:bigrocks:cluster:1}'
stage = {s.get('id'): s for s in job.iter(j + 'stage')}
if 's1' in stage and 's0' not in stage:
    sys.exit(9)
long = {n for n, s in stage.items() if float(s.get('duration', 0)) >= 3}
wide = {n for n, s in stage.items() if int(s.get('tasks', 1)) >= 2 and any(d.get('resource') == 'mem' for d in s.iter(j + 'demand'))}
two = any(int(m.get('count', 1)) >= 2 for m in cluster.iter(c + 'machine'))
if two and any(e.get('from') in long and e.get('to') in wide for e in job.iter(j + 'edge')):
    print('planted')
    sys.exit(7)
'''
JOB = '''<job xmlns="urn:bigrocks:job:1" name="j">
  <stage id="s2" duration="3" />
  <stage id="s5" tasks="2">
    <demand resource="mem" amount="0" />
  </stage>
  <edge from="s2" to="s5" />
</job>
'''
MACHINES = '''<cluster xmlns="urn:bigrocks:cluster:1">
  <machine class="m" count="2" />
</cluster>
'''


def shrink(*words, status=0):
    done = subprocess.run([sys.executable, SOURCE / 'tools/shrink', '--bigrocks', BIGROCKS, *words], text=True,
                          capture_output=True, timeout=100)
    assert done.returncode == status, (words, done)
    return done.stderr


def big_job():
    rows = ['<job xmlns="urn:bigrocks:job:1" name="j" shell="true"><resource name="cpu"/><resource name="mem" unit="bytes"/>']
    for n in range(8):
        rows.append('<stage id="s%d" tasks="%d" duration="%s"><demand resource="cpu" amount="1.25"/>%s<task index="%d" duration="61"/>'
                    '<command>do {index} of many words</command></stage>'
                    % (n, 40, 7.25 if n == 2 else 2.5, '<demand resource="mem" amount="64"/>' if n in (5, 7) else '', n))
    edges = [(0, 2), (1, 2), (2, 3), (3, 7), (2, 5), (5, 6)]
    rows += ['<edge from="s%d" to="s%d" type="%s"/>' % (a, b, 'one-to-one' if (a, b) == (2, 5) else 'barrier') for a, b in edges]
    return ''.join(rows) + '</job>'


def main():
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        planted, job, cluster = (folder / name for name in ('planted.py', 'job.xml', 'cluster.xml'))
        planted.write_text(PLANTED)
        job.write_text(big_job())
        cluster.write_text('<cluster xmlns="urn:bigrocks:cluster:1" name="c"><machine class="l" count="1"><capacity resource="cpu" amount="4"/>'
                           '</machine><machine class="m" count="30"><capacity resource="cpu" amount="16"/><capacity resource="mem" amount="64"/>'
                           '</machine></cluster>')
        command = ['--', sys.executable, "-SE", planted, '{1}', '{2}']
        said = shrink(job, cluster, '--output', 'planted', *command)
        small = (folder / 'job.xml.small').read_text()
        assert small == JOB.replace(' name="j"', ''), small
        assert (folder / 'cluster.xml.small').read_text() == MACHINES, (folder / 'cluster.xml.small').read_text()
        assert 'status 7' in said, said
        # The same again, to files that are named; what is smallest stays.
        shrink(job, cluster, '-o', folder / 'again.xml', '-o', folder / 'machines.xml', *command)
        assert (folder / 'again.xml').read_text() == small
        shrink(folder / 'again.xml', folder / 'machines.xml', *command)
        again = (folder / 'again.xml.small').read_text()
        assert again == small, again
        # A list, and a job in another format.
        rows = folder / 'list.txt'
        rows.write_text(''.join('row %d\n' % n for n in range(40)))
        shrink(rows, '--', 'sh', '-c', 'grep -q "row 17$" {} && grep -q "row 30" {} && exit 4; exit 5')
        assert (folder / 'list.txt.small').read_text() == 'row 17\nrow 30\n'
        other = folder / 'small.sm'
        other.write_bytes((SOURCE / 'tests/data/small.sm').read_bytes())
        said = shrink(other, '--output', 'demands', '--', BIGROCKS, 'plan', '{}', '--capacity', 'R1=1', '-q', '--no-lp', '-f', 'order')
        text = (folder / 'small.sm.small').read_text()
        assert text.count('<stage') == 1 and '<edge' not in text and '<machine' not in text, text
        # A command that does not fail cannot be made smaller, nor one that names no file.
        assert 'does not fail' in shrink(job, '--', 'true', '{}', status=3)
        assert 'does not fail' in shrink(job, '--output', 'other words', '--', 'false', '{}', status=3)
        assert 'names no file' in shrink(job, '--', 'false', status=2)
        assert 'behind --' in shrink(job, status=2)


main()
