#!/usr/bin/env python3
"""Input files of HTCondor's DAGMan are read as its manual has them, with the times of a log, and those that bigrocks
writes are read back.

usage: check_dagman.py BIGROCKS
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

SMALL = pathlib.Path(__file__).parent.parent / 'data' / 'small.dag'


def run(*words, text=None):
    return subprocess.run([sys.argv[1], *map(str, words)], input=text, capture_output=True, text=True)


def read(text, *words):
    """Stages by id: duration, demands and attributes; edges; what was said."""
    done = run('convert', '-', '--from', 'dagman', '--format', 'xml', *words, text=text)
    assert done.returncode == 0, (text, done.stderr)
    stages = {}
    for name, rest, inside in re.findall(r'<stage id="([^"]*)"([^>]*?)(?:/>|>(.*?)</stage>)', done.stdout, re.S):
        time = re.search(r'duration="([^"]*)"', rest)
        index = re.search(r'<task index="0" duration="([^"]*)"', inside)
        stages[name] = (float((index or time or [0, 0])[1]), dict(re.findall(r'<demand resource="([^"]*)" amount="([^"]*)"', inside)),
                        dict(re.findall(r'<attribute name="([^"]*)" value="([^"]*)"', inside)))
    return stages, sorted(re.findall(r'<edge from="([^"]*)" to="([^"]*)"', done.stdout)), done.stderr


def small():
    stages, edges, said = read(SMALL.read_text(), '--default-duration', '5')
    assert {name: stage[0] for name, stage in stages.items()} == {'split': 5, 'Left': 5, 'Right': 0, 'join': 5, 'clean': 5}, stages
    wide = {'cpu': '4', 'mem': str(2 << 30), 'net': '3', 'licence': '1', 'wide': '1'}
    assert stages['Left'][1] == stages['Right'][1] == wide, stages
    assert stages['join'][1] == {'cpu': '1', 'mem': str(512 << 20), 'gpu': '1'} and stages['split'][1] == {'cpu': '1'}, stages
    assert stages['Left'][2]['priority'] == '10' and stages['join'][2] == {'priority': '1', 'retry': '3'}, stages
    assert 'priority' not in stages['clean'][2], 'ALL_NODES does not mean FINAL'
    assert re.sub(' +', ' ', stages['Left'][2]['vars']) == 'part=&quot;1&quot; name=&quot;a b&quot;', stages['Left']
    assert edges == [('Left', 'join'), ('Right', 'join'), ('join', 'clean'), ('split', 'Left'), ('split', 'Right')], edges
    for words in ('2 nodes have a submit file, which is not read', 'give --shared wide=1', '1 nodes are DONE or NOOP',
                  '1 scripts before or after nodes'):
        assert words in said, (words, said)
    assert run('show', SMALL).returncode == 0, 'it is recognised'
    # The category is kept: without it both run at once.
    plan = ('plan', SMALL, '--default-duration', '5', '--capacity', 'cpu=9,mem=9GiB,gpu=1', '--format', 'json', '-q')
    assert run(*plan, '--shared', 'wide=1,net=9,licence=9').returncode == 0
    text = SMALL.read_text().replace(' NOOP', '')
    for most, makespan in ((1, 25), (2, 20)):
        done = run('plan', '-', *plan[2:], '--shared', 'wide=%d,net=9,licence=9' % most, text=text)
        assert json.loads(done.stdout)['makespan'] == makespan, (most, done.stdout[:200], done.stderr)


def special():
    stages, edges, said = read('provisioner p p.sub\njob a a.sub dir x\njob b b.sub\nparent a child b\nservice s s.sub\n'
                               'DONE b\nCATEGORY a none\n', '--default-duration', '2')
    assert edges == [('a', 'b'), ('p', 'a')] and 's' not in stages and stages['b'][0] == 0, (edges, stages)
    assert '1 SERVICE nodes' in said and 'MAXJOBS' not in said and stages['a'][1] == {'cpu': '1'}, said
    stages, _, said = read('SUBMIT-DESCRIPTION d @=end\nrequest_cpus = $(cores)\nrequest_memory = 1.5 GB\n@end\nJOB a d\n')
    assert stages['a'][1] == {'mem': str(3 << 29)} and '1 demands of descriptions are no plain numbers' in said, (stages, said)
    assert read('JOB a x\r\nJOB b x\r\nPARENT a CHILD b\r\n')[1] == [('a', 'b')]


def bad():
    for text, place, words in (('JOB a x\nPARENT a CHILD b\n', '2:1', "there is no node 'b'"), ('JOB a x\nJOB a y\n', '2:1', "'a'"),
                               ('JOB a\n', '1:1', 'the command ends early'), ('JOB a x\nPARENT a\n', '2:1', 'the command ends early'),
                               ('JOB a x\nPARENT a CHILD\n', '2:1', 'the command ends early'), ('JOB a x\nPARENT CHILD a\n', '2:1', 'ends early'),
                               ('SPLICE s s.dag\n', '1:1', 'concern other files'), ('JOB a x\n\nSUBDAG EXTERNAL b b.dag\n', '3:1', 'other files'),
                               ('INCLUDE x\nJOB a x\n', '1:1', 'other files'), ('JOB a x\nREJECT\n', '2:1', 'not to be run'),
                               ('JOB a x\nJOBB b y\n', '2:1', "no command 'JOBB b y'"), ('JOB a x\nSUBMIT-DESCRIPTION d {\nx=1\n', '2:1', "no line '}'"),
                               ('JOB a {\n x=1\n', '1:1', "no line '}'"), ('JOB a x\nMAXJOBS c many\n', '2:1', "'many'"),
                               ('JOB a x\nMAXJOBS cpu 2\n', '2:1', 'a category cannot be named'), ('JOB a x\nCATEGORY a\n', '2:1', 'name a node'),
                               ('JOB a x\nPARENT a CHILD a\n', '2:1', 'has a cycle of 1 task'), ('JOB a \\\n x\nDONE b\n', '3:1', "no node 'b'")):
        done = run('show', '-', '--from', 'dagman', text=text)
        assert done.returncode == 3 and '<stdin>:%s: ' % place in done.stderr and words in done.stderr, (text, done.stderr)
    for other in ('job', 'Jobs are here', 'dot plan', 'digraph { }', '# JOB a x\nhello'):
        assert 'dagman' not in run('show', '-', text=other + '\n').stderr.split('name the format')[0], other


def back(folder):
    """What render writes: a node is a task, barriers are all pairs, and limits are shared resources."""
    plan, dag = folder / 'p.json', folder / 'p.dag'
    job = ('<job xmlns="urn:bigrocks:job:1" name="j"><stage id="a" tasks="3" duration="1"><demand resource="cpu" amount="2"/>'
           '<demand resource="mem" amount="1048576"/><demand resource="net" amount="4"/></stage><stage id="b" tasks="3" duration="1"/>'
           '<stage id="c" tasks="2"/><edge from="a" to="b" type="one-to-one"/><edge from="b" to="c"/></job>')
    assert run('plan', '-', '--capacity', 'cpu=9,mem=1GiB,net=9', '-q', '-o', plan, text=job).returncode == 0
    assert run('render', plan, '--format', 'dagman', '-o', dag, '-q').returncode == 0
    stages, edges, said = read(dag.read_text())
    assert len(stages) == 8 and len(edges) == 3 + 6, (stages, edges)
    demands = [stage[1] for name, stage in stages.items() if '_a_' in name]
    assert demands == [{'cpu': '2', 'mem': '1048576', 'net': '4'}] * 3, demands
    assert sorted(int(stage[2]['priority']) for stage in stages.values()) == list(range(1, 9))


NODES = 'JOB a x\nJOB b x\nJOB c x\nJOB d x NOOP\nPARENT a CHILD b c\nPARENT b c CHILD d\n'
SUBMIT = '000 (%s.000.000) 2025-02-13 10:00:00 Job submitted from host: <1.2.3.4:9618>\n    DAG Node: %s\n...\n'
EXECUTE = '001 (%s.000) %s Job executing on host: <1.2.3.4:9618>\n\tSlotName: slot1\n\tCpus = 1\n...\n'
END = '005 (%s.000) %s Job terminated.\n\t(1) Normal termination (return value %d)\n\t\tUsr 0 00:00:05  -  Run Remote Usage\n...\n'


def log(folder):
    """The log of a run gives nodes the time of their last job that ended well."""
    path = folder / 'j.nodes.log'

    def with_log(text, nodes=NODES):
        path.write_text(text)
        return read(nodes, '--durations', path, '--default-duration', '7')

    day = '2025-02-13 '
    text = SUBMIT % (8, 'service') + SUBMIT % (1, 'a') + EXECUTE % ('1.000', day + '10:00:05') + '006 (1.000.000) ' + day + \
        '10:00:06 Image size of job updated: 72\n\t0  -  MemoryUsage of job (MB)\n...\n' + END % ('1.000', day + '10:01:05.500', 0)
    text += SUBMIT % (2, 'b') + EXECUTE % ('2.000', day + '11:00:00') + END % ('2.000', day + '11:30:00', 1)  # failed
    text += SUBMIT % (3, 'b') + EXECUTE % ('3.000', day + '12:00:00') + '004 (3.000.000) ' + day + '12:10:00 Job was evicted.\n...\n'
    text += EXECUTE % ('3.000', day + '13:00:00') + END % ('3.000', day + '13:00:20', 0)  # once more, elsewhere
    text += '016 (000.2147483647.001) ' + day + '14:00:00 POST Script terminated.\n\t(1) Normal termination (return value 0)\n' \
        '    DAG Node: d\n...\n'
    stages, edges, said = with_log(text)
    assert {name: stage[0] for name, stage in stages.items()} == {'a': 60.5, 'b': 20, 'c': 7, 'd': 0} and len(edges) == 4, stages
    assert '1 nodes have not ended well' in said and '1 jobs of the log are of no node' in said, said
    # Several processes of one job: from the first start to the last end. One that has not ended is no end.
    two = SUBMIT % (4, 'c') + (SUBMIT % (4, 'c')).replace('4.000', '4.001') + EXECUTE % ('4.000', day + '10:00:00') + \
        EXECUTE % ('4.001', day + '10:00:10') + END % ('4.001', day + '10:00:50', 0)
    assert with_log(text + two)[0]['c'][0] == 7
    assert with_log(text + two + (END % ('4.000', day + '10:01:00', 0)).replace('...\n', ''))[0]['c'][0] == 7, 'it is still written'
    stages, _, said = with_log(text + two + END % ('4.000', day + '10:00:30', 0))
    assert stages['c'][0] == 50 and 'ended well' not in said, (stages, said)
    # Without a year, and over New Year.
    old = (SUBMIT % (61931, 'a')).replace('2025-02-13', '12/31') + EXECUTE % ('61931.000', '12/31 23:59:00') + END % ('61931.000', '01/01 00:00:30', 0)
    assert with_log(old)[0]['a'][0] == 90
    # A table is one still, also from standard input.
    (folder / 't.csv').write_text('a,3\n')
    (folder / 'j.dag').write_text(NODES)
    assert 'id="a" tasks="1" duration="3"' in run('convert', folder / 'j.dag', '--durations', '-', '--format', 'xml', text='a,3\n').stdout
    assert read(NODES, '--durations', folder / 't.csv')[0]['a'][0] == 3
    for bad_log, place, words in ((text + 'what\n', ':%d:1:' % (text.count('\n') + 1), 'no line of an event'),
                                  (text.replace(day + '10:01', 'today'), ':14:1:', 'no line of an event'), (SUBMIT % (1, 'a'), '', 'no node of this file'),
                                  ('<?xml version="1.0"?>', '', 'XML and JSON are not read'), ('[{"Cluster":1}]', '', '.nodes.log'),
                                  ('99999999999 (1)\n', ':1:', 'durations')):
        path.write_text(bad_log)
        done = run('show', '-', '--from', 'dagman', '--durations', path, text=NODES)
        assert done.returncode == 3 and 'j.nodes.log%s' % place in done.stderr and words in done.stderr, (bad_log, done.stderr)


small()
special()
bad()
with tempfile.TemporaryDirectory() as scratch:
    back(pathlib.Path(scratch))
    log(pathlib.Path(scratch))
