#!/usr/bin/env python3
"""Graphs in DOT as tools write them: what would be planned wrongly is refused, read as it is meant, or told.

The texts have the forms of the tools that are named; see docs/formats.md.
"""
import pathlib
import re
import shutil
import subprocess

import case


class Graph:
    """A graph in DOT as the program plans it."""

    def __init__(self, folder, text, *words):
        path = folder / 'x.dot'
        path.write_text(text)
        done = case.bigrocks('plan', path, '--capacity', 'cpu=9', '-f', 'order', '-q', *words)
        self.status, self.said = done.returncode, done.stderr
        rows = [row.split('\t') for row in done.stdout.splitlines()[1:]]
        self.start = {row[1]: float(row[3]) for row in rows}
        self.end = max((float(row[4]) for row in rows), default=0)
        told = case.bigrocks('show', path, *(w for w in words if w != '--capacity'))
        self.told = told.stderr


def numbers(folder):
    """A badly delimited number is two names for Graphviz."""
    for name in ('1_map', '0x5f', '3d_fft', '1.2.3', '-7x'):
        graph = Graph(folder, 'digraph { %s [duration=5]; b [duration=7]; %s -> b }' % (name, name))
        assert graph.status == 3 and ":1:11: '%s' begins with a number" % name in graph.said, graph.said
    graph = Graph(folder, 'digraph { a [duration=5s]; }')
    assert graph.status == 3 and "'5s' begins with a number" in graph.said
    graph = Graph(folder, 'digraph { -1.5 [duration=5, width=.5]; 7 [duration=.25]; "1_map"; -1.5 -> 7 }')
    assert graph.status == 0 and graph.end == 5.25, graph.said


def brackets(folder):
    """<load> and load are one node or two, as the version has it."""
    graph = Graph(folder, 'digraph {\n <load> [duration=2];\n load -> b [x=y]; }')
    assert graph.status == 3 and ':3:2: \'load\' stands with and without angle brackets' in graph.said, graph.said
    assert Graph(folder, 'digraph { <load> [duration=2]; <load> -> b }').end == 2


def long_texts(folder):
    """Texts beyond Graphviz's buffer stand in pieces, also names, and come back as they were."""
    command = 'cc ' + ' '.join('"out put/%d.o" \\\\ é' % k for k in range(6000))
    name = 'n' * 20000 + '\\' + 'm' * 9000
    xml = folder / 'long.xml'
    text = '<job xmlns="urn:bigrocks:job:1" name="j"><stage id="%s" duration="1"><command shell="true">%s</command>' \
        '</stage><stage id="b" duration="1"/><edge from="%s" to="b"/></job>'
    xml.write_text(text % (name, command.replace('"', '&quot;'), name))
    dot = folder / 'long.dot'
    assert case.bigrocks('convert', xml, '--format', 'dot', '-o', dot).returncode == 0
    back = case.bigrocks('convert', dot, '--format', 'xml').stdout
    assert command in back and 'id="%s"' % name in back and 'from="%s"' % name in back
    pieces = re.findall(r'"((?:[^"\\]|\\.)*)"', dot.read_text(), re.S)
    assert max(len(p.encode()) for p in pieces) < 16000
    if shutil.which('dot'):
        done = subprocess.run(['dot', '-Tcanon', str(dot)], capture_output=True, text=True)
        assert done.returncode == 0 and 'syntax error' not in done.stderr, done.stderr


def labels(folder):
    """A number may have a minus and a point; a line break in a label is a blank."""
    graph = Graph(folder, r'digraph { -20839 [label="clean", duration=1]; 6.5 [label="m\ni: 1", duration=1]; 2 [label='
                          r'"x\Ny"]; -20839 -> 6.5 }')
    assert {'clean', 'm i: 1', '2'} == set(graph.start), graph.start


def declared(folder):
    """Resources stand in statements, which survive other readers; demands that nothing declares are told."""
    done = case.bigrocks('convert', '-', '--format', 'dot', input='digraph { resources="cpu"; units="cores"; color=red; '
                                                                   'a [cpu=2, duration=3] }')
    assert '\n  resources="cpu";\n  units="cores";\n  color=red;\n' in done.stdout, done.stdout
    graph = Graph(folder, 'digraph { a [cpu=2, duration=3]; b [cpu=1, duration=1]; a -> b }')
    assert "nodes have 'cpu', which no resources=\"cpu\" of the graph declares" in graph.told, graph.told
    assert 'declares' not in Graph(folder, 'digraph { resources=cpu; a [cpu=2, duration=3] }').told


def ports(folder):
    """A colon outside of quotation marks is no part of a name."""
    graph = Graph(folder, 'digraph { "lib:build" [duration=5]; "app:build" [duration=1]; lib:build -> app:build }')
    assert "2 arrows end at a port that their node does not have, the first at 'lib:build' in line 1" in graph.told
    for good in ('a [label="{<p> x|y}", shape=record]; b; a:p -> b:n', 'a; b; a:s -> b:n:ne', '"a:p" -> b'):
        assert 'port' not in Graph(folder, 'digraph { %s }' % good).told, good


def arrows(folder):
    """Tools that draw from what waits: told, and turned where it is asked for."""
    chain = 'digraph { %s app [duration=1]; mid [duration=2]; base [duration=4]; app -> mid; mid -> base }'
    assert Graph(folder, chain % '').start == {'app': 0, 'mid': 1, 'base': 3}
    assert Graph(folder, chain % '', '--reverse').start == {'base': 0, 'mid': 4, 'app': 6}
    for text in ('digraph "x" {\nnode [\n  fontsize = "12"\n];\n "node0" [ label = "base" ];\n "node1" -> "node0" // a -> b\n}',
                 'digraph { "[root] a#build" -> "[root] b#build" }',
                 '// Begin DataFusion GraphViz Plan,\ndigraph { 1 -> 2 [arrowhead=none, arrowtail=normal, dir=back] }',
                 'digraph "x" {\n// Path: a.jar\n "a" -> "b (a.jar)"; }',
                 'digraph gomodgraph { a -> b }', 'strict digraph "dependency-cruiser output"{ "a" -> "b" }',
                 'digraph packages {\nconcentrate=true; a -> b }', 'digraph "ex:app:jar:1" { \n "ex:app:jar:1" -> "ex:lib:jar:1:compile" ; }',
                 'digraph {\n "conanfile.py (app/1.0)" -> "zlib/1.3" }',
                 'digraph {\n    0 [ label = "app" shape = box]\n    1 [ label = "lib" ]\n    0 -> 1 [ ]\n}'):
        graph = Graph(folder, text)
        assert graph.status == 0 and '--reverse turns them' in graph.told, (text, graph.told)
        assert '--reverse turns them' not in Graph(folder, text, '--reverse').told
    told = Graph(folder, '// Path: a\ndigraph { a -> b }').told
    assert 'the order is not all in what jdeps writes' in told
    told = Graph(folder, 'digraph { edge [dir=back]; a -> b; b -> c [dir=none]; c -> d [style=invis, dir=forward] }').told
    for words in ('2 edges are drawn with the head', '1 edges have no direction', '1 edges are invisible'):
        assert words in told or words.replace('2', '1') in told, told
    done = case.bigrocks('show', '-', '--reverse', input='<job xmlns="urn:bigrocks:job:1" name="j"><stage id="a"/></job>')
    assert done.returncode == 2 and '--reverse turns the arrows of graphs in DOT' in done.stderr, done


def clusters(folder):
    """An arrow from or to a cluster is one from or to all of its nodes."""
    text = '''digraph { compound=true; load [duration=1];
    subgraph cluster_if { x [duration=2]; subgraph cluster_in { y [duration=5] } }
    use [duration=1]; load -> x [lhead=cluster_if]; x -> use [ltail=cluster_if]; }'''
    graph = Graph(folder, text)
    assert graph.start == {'load': 0, 'x': 1, 'y': 1, 'use': 6}, graph.start
    both = text.replace('x -> use [ltail=cluster_if]', 'x -> use [ltail=cluster_if, lhead=cluster_to]; '
                        'subgraph cluster_to { use; z [duration=1] }')
    assert Graph(folder, both).start == {'load': 0, 'x': 1, 'y': 1, 'use': 6, 'z': 6}


def no_tasks(folder):
    """Legends are left out; joins, and what is done, take no time by default; what is alone is told."""
    text = '''digraph { a; b; join [label=""]; dot [shape=point]; lone; timed [label="", duration=2];
    subgraph cluster__legend { label="Legend"; input; function; input -> function }
    a -> join; join -> b; b -> dot; dot -> timed }'''
    graph = Graph(folder, text, '--default-duration', '1')
    assert set(graph.start) == {'a', 'b', 'join', 'dot', 'lone', 'timed'} and graph.end == 4, graph.start
    for words in ('2 nodes of a legend are left out: input, function', '2 nodes with an empty label, or drawn as a point, '
                  'take no time', '1 nodes have no arrow, and may start at once: lone'):
        assert words in graph.told, graph.told
    graph = Graph(folder, 'digraph snakemake_dag { 0 [label="all"]; 1 [label="m\\ni: 1", style="rounded,dashed"]; 1 -> 0 }',
                  '--default-duration', '1')
    assert graph.end == 1 and '1 jobs are done' in graph.told, graph.told
    # A legend that is all there is, or that tasks hang on, is none.
    assert len(Graph(folder, 'digraph { subgraph cluster_legend { a; b; a -> b } }').start) == 2
    assert len(Graph(folder, 'digraph { subgraph cluster_legend { a; b } b -> c }').start) == 3


for walk in (numbers, brackets, long_texts, labels, declared, ports, arrows, clusters, no_tasks):
    with case.folder() as scratch:
        walk(pathlib.Path(scratch))
