#!/usr/bin/env python3
"""Traces of Nextflow's runs are read with their times and demands, and linked by the graph of their processes.

usage: check_nextflow.py BIGROCKS
"""
import pathlib
import re
import subprocess
import sys
import tempfile

SMALL = pathlib.Path(__file__).parent.parent / 'data' / 'small.trace.txt'
HEAD = 'task_id\tname\tstatus\tsubmit\tduration\trealtime\n'
# As three versions of Nextflow draw the processes of the small trace.
DOT = '''digraph "dag" {
p0 [shape=point,label="",fixedsize=true,width=0.1,xlabel="Channel.fromPath"];
p1 [label="DEMO:INDEX"];
p0 -> p1 [label="fasta"];

p2 [label="DEMO:TRIM"];
p3 [shape=circle,label="",fixedsize=true,width=0.1,xlabel="map"];
p2 -> p3;
p4 [label="DEMO:MAP:BWA"];
p3 -> p4;
p1 -> p4 [label="index"];
p4 [label="DEMO:MAP:BWA"];
p5 [label="REPORT"];
p4 -> p5;
}
'''
MERMAID = '''flowchart TB
    subgraph " "
    v0["Channel.fromPath"]
    end
    subgraph DEMO [DEMO]
    v1([INDEX])
    v2(["TRIM"])
    v3(( ))
    subgraph DEMO::MAP [MAP]
    v4([BWA])
    end
    end
    v5([REPORT])
    v0 --> v1
    v2 --> v3
    v3 -->|reads| v4
    v1 --> v4
    v4 --> v5
'''
HTML = '<html>\n<pre class="mermaid">\n%s</pre>\n<script>v5 --> v1</script>\n' % MERMAID


def run(*words, text=None):
    return subprocess.run([sys.argv[1], *map(str, words)], input=text, capture_output=True, text=True)


def read(text, *words):
    """Stages by id: duration and demands; edges; what was said."""
    done = run('convert', '-', '--from', 'nextflow', '--format', 'xml', *words, text=text)
    assert done.returncode == 0, (text, done.stderr)
    stages = {}
    for name, rest, inside in re.findall(r'<stage id="([^"]*)"([^>]*?)(?:/>|>(.*?)</stage>)', done.stdout, re.S):
        time = re.search(r'duration="([^"]*)"', rest)
        stages[name.replace('&gt;', '>')] = (float(time[1]) if time else 0, dict(re.findall(r'<demand resource="([^"]*)" amount="([^"]*)"', inside)))
    edges = re.findall(r'<edge from="([^"]*)" to="([^"]*)"', done.stdout)
    return stages, sorted((a.replace('&gt;', '>'), b.replace('&gt;', '>')) for a, b in edges), done.stderr


def small(folder):
    stages, edges, said = read(SMALL.read_text())
    assert {name: stage[0] for name, stage in stages.items()} == {
        'DEMO:INDEX (genome)': 18, 'DEMO:TRIM (a_T1)': 61, 'DEMO:TRIM (b)': 0.75, 'DEMO:MAP:BWA (a)': 110, 'DEMO:MAP:BWA (b)': 50,
        'REPORT': 2.5}, stages
    assert stages['DEMO:TRIM (a_T1)'][1] == {'cpu': '2', 'mem': str(20 << 20)}, stages
    assert stages['DEMO:TRIM (b)'][1] == {'cpu': '1', 'mem': '3175'} and stages['DEMO:MAP:BWA (a)'][1] == {'cpu': '4'}, stages
    assert stages['DEMO:INDEX (genome)'][1]['mem'] == str(3 << 29) and not edges, stages
    assert 'by --processes' in said and '1 tasks that failed' in said, said
    assert run('show', SMALL).returncode == 0, 'it is recognised'
    for name, text in (('dag.dot', DOT), ('dag.mmd', MERMAID), ('dag.html', HTML)):
        (folder / name).write_text(text)
        _, edges, said = read(SMALL.read_text(), '--processes', folder / name)
        # INDEX ended at 0:10.5, before both; TRIM by tags; REPORT has none.
        assert edges == sorted([('DEMO:INDEX (genome)', 'DEMO:MAP:BWA (a)'), ('DEMO:INDEX (genome)', 'DEMO:MAP:BWA (b)'),
                                ('DEMO:TRIM (a_T1)', 'DEMO:MAP:BWA (a)'), ('DEMO:TRIM (b)', 'DEMO:MAP:BWA (b)'),
                                ('DEMO:MAP:BWA (a)', 'REPORT'), ('DEMO:MAP:BWA (b)', 'REPORT')]), (name, edges)
        assert 'left out, since' not in said, said


def times(folder):
    """What was submitted before another ended did not wait for it; numbered tasks go in turn."""
    graph = folder / 'two.mmd'
    graph.write_text('flowchart TB\n  v1([A])\n  v2([B])\n  v1 --> v2\n')
    date = '2026-01-01 00:00:%02d.000'
    rows = [('A (x)', 0, 10), ('A (y)', 0, 30), ('B (z)', 20, 5)]
    text = HEAD + ''.join('%d\t%s\tCOMPLETED\t%s\t%ds\t%ds\n' % (k, name, date % at, last, last) for k, (name, at, last) in enumerate(rows))
    _, edges, said = read(text, '--processes', graph)
    assert edges == [('A (x)', 'B (z)')] and '1 edges are left out' in said, (edges, said)
    assert len(read(text.replace('COMPLETED', 'CACHED'), '--processes', graph)[1]) == 2, 'times of another run'
    assert len(read(text.replace('2026-', '2600-'), '--processes', graph)[1]) == 2, 'a date that nanoseconds do not hold'
    rows = [('A (1)', 0, 20), ('A (2)', 0, 10), ('B (1)', 11, 5), ('B (2)', 21, 5)]
    text = HEAD + ''.join('%d\t%s\tCOMPLETED\t%s\t%ds\t%ds\n' % (k, name, date % at, last, last) for k, (name, at, last) in enumerate(rows))
    _, edges, _ = read(text, '--processes', graph)
    assert edges == [('A (1)', 'B (2)'), ('A (2)', 'B (1)')], edges
    many = HEAD + ''.join('%d\t%s (t%d)\tCOMPLETED\t-\t1s\t1s\n' % (k, 'A' if k < 400 else 'B', k) for k in range(800))
    stages, edges, _ = read(many, '--processes', graph)
    assert len(stages) == 801 and len(edges) == 800 and stages['A -> B 1'][0] == 0, (len(stages), len(edges))
    # A process whose output comes back to it waits for others alone.
    graph.write_text('flowchart TB\n  v1([A])\n  v2([B])\n  v3{{mix}}\n  v1 --> v3\n  v3 --> v1\n  v3 --> v2\n')
    _, edges, said = read(text, '--processes', graph)
    assert edges == [('A (1)', 'B (2)'), ('A (2)', 'B (1)')] and 'left out' not in said, (edges, said)
    graph.write_text('flowchart TB\n  v1([C])\n  v2([D])\n  v1 --> v2\n')
    done = run('show', '-', '--from', 'nextflow', '--processes', graph, text=text)
    assert done.returncode == 3 and 'draws none of the processes' in done.stderr, done.stderr
    graph.write_text('flowchart TB\n  v1([A])\n')
    done = run('show', '-', '--from', 'nextflow', '--processes', graph, text=text)
    assert done.returncode == 3 and 'two.mmd: there are no arrows' in done.stderr, done.stderr


def columns():
    stages, _, _ = read('task_id\tprocess\ttag\trealtime\tcpus\trss\tmemory\n1\tA\tx\t1500\t3\t-\t2048\n2\tA\t-\t0\t-\t7\t-\n2\tA\tx\t1\t-\t-\t-\n')
    assert stages == {'A (x)': (1.5, {'cpu': '3', 'mem': '2048'}), 'A': (0, {'cpu': '1', 'mem': '7'}), 'A (x) #2': (0.001, {'cpu': '1'})}, stages
    stages, _, said = read(HEAD + '1\tA\tCOMPLETED\t-\t-\t-\n', '--default-duration', '7')
    assert stages['A'][0] == 7 and '1 tasks have no time' in said, said
    for text, place, words in ((HEAD + '1\tA\tCOMPLETED\t-\t-\t5 minutes\n', ':2:1', "realtime '5 minutes'"),
                               (HEAD + '1\t-\tCOMPLETED\t-\t-\t5\n', ':2:1', 'no name'),
                               (HEAD, '', 'no tasks'), (HEAD + '1\tA\tFAILED\t-\t-\t5\n', '', 'none of the tasks'),
                               ('task_id\tstatus\n', ':1:1', "no column 'name'"), (HEAD + '1\tA\t\t-\t9999999999d\n', ':2:1', 'duration'),
                               (HEAD + '1\tA\t\t-\t1.2.3s\n', ':2:1', 'duration')):
        done = run('show', '-', '--from', 'nextflow', text=text)
        assert done.returncode == 3 and '<stdin>%s: ' % place in done.stderr and words in done.stderr, (text, done.stderr)
    done = run('show', SMALL.parent / 'small.stg', '--processes', SMALL)
    assert done.returncode == 2 and 'this is stg' in done.stderr, done.stderr


with tempfile.TemporaryDirectory() as scratch:
    small(pathlib.Path(scratch))
    times(pathlib.Path(scratch))
columns()
