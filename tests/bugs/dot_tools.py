#!/usr/bin/env python3
"""Graphs in DOT as tools write them: what would be planned wrongly is refused, read as it is meant, or told.

The texts have the forms of the tools that are named; see docs/formats.md.
"""
import functools
import pathlib
import re
import shutil
import subprocess

import case


class Graph:
    """A graph in DOT as the program plans it."""

    def __init__(self, folder, text, *words):
        self.path = folder / ('%d.dot' % len(list(folder.iterdir())))
        self.path.write_text(text)
        done = case.bigrocks('plan', self.path, '--capacity', 'cpu=9', '-f', 'order', '-q', *words)
        self.status, self.said = done.returncode, done.stderr
        rows = [row.split('\t') for row in done.stdout.splitlines()[1:]]
        self.start = {row[1]: float(row[3]) for row in rows}
        self.end = max((float(row[4]) for row in rows), default=0)
        self.show = ('show', self.path, *words)

    @functools.cached_property
    def told(self):
        """What is said of the graph."""
        return case.bigrocks(*self.show).stderr


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
                          r'"x\Ny"]; -20839 -> 6.5; 3 [label="end\n"] }')
    assert {'clean', 'm i: 1', '2', 'end'} == set(graph.start), graph.start


def series(folder):
    """Numbers behind one letter or "node" say nothing if all nodes have labels; legends do not count."""
    for text, names in (('node0 [label=app]; node1 [label=lib]; node1 -> node0; subgraph cluster_l { label=Legend; key }', 'app lib'),
                        ('t0 [label=a]; t1 [label=b]', 'a b'), ('node_0_0 [label="S\\nx"]; node_0_1 [label=T]', 'S_x T'),
                        ('t0 [label=a]; t1', 't0 t1'), ('t0 [label=a]; u1 [label=b]', 't0 u1'), ('t0 [label=a]', 't0'),
                        ('t0 [label="\\N"]; t1 [label=b]', 't0 t1'), ('t0x [label=a]; t1 [label=b]', 't0x t1'),
                        ('t0 [label=a]; t [label=b]', 't t0'), ('map0 [label=a]; map1 [label=b]', 'map0 map1'),
                        ('node0 [label=a]; node_1 [label=b]', 'node0 node_1'), ('t1 [label=a]; t2 [label=a]', 't1 t2')):
        graph = Graph(folder, 'digraph { %s }' % text)
        assert [name.replace(' ', '_') for name in sorted(graph.start)] == names.split(), (text, graph.start)


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
                 'digraph "x" {\n    // Path: a.jar\n "a" -> "b (a.jar)"; }',
                 'digraph G {\n node_0_0 [label="SCAN\n───\n7"]; node_0_0 -> node_1_0 }', 'digraph "debtree" { a -> b }',
                 'digraph gomodgraph { a -> b }', 'strict digraph "dependency-cruiser output"{ "a" -> "b" }',
                 'digraph packages {\nconcentrate=true; a -> b }', 'digraph "ex:app:jar:1" { \n "ex:app:jar:1" -> "ex:lib:jar:1:compile" ; }',
                 'digraph {\n "conanfile.py (app/1.0)" -> "zlib/1.3" }',
                 'digraph {\n    0 [ label = "app" shape = box]\n    1 [ label = "lib" ]\n    0 -> 1 [ ]\n}'):
        graph = Graph(folder, text)
        assert graph.status == 0 and '--reverse turns them' in graph.told, (text, graph.told)
        assert '--reverse turns them' not in Graph(folder, text, '--reverse').told
    for text, words in (('digraph {\n 1 -> 0 [ label="required" arrowhead=box, arrowtail=box]\n}', 'moon task-graph'),
                        ('digraph "" {\n\tnode [color=lightblue2,\n\t\tstyle=filled\n\t];\n\tb -> a; }', 'doit-graph, unless by'),
                        ('digraph {\n\ta -> b [label=">=1"]\n}', 'pipdeptree, unless by'),
                        ('digraph G { graph [bgcolor="#111111",\n layout=dot]; a -> b }', 'output of madge')):
        assert words in Graph(folder, text).told, text
    for text, words in (('digraph { "[root] a" -> "[root] ___ROOT___" }', '___ROOT___ is none'),
                        ('digraph { "x.py::task_a" [shape=hexagon]; "x.py::task_a" -> "a.txt" }', 'boxes are files'),
                        ('digraph ninja {\n a -> b }', 'half of them are files'),
                        ('digraph {\n_x_inputs [label=<x>]; _x_inputs -> x; subgraph cluster__legend { k } }', 'dashed ones'),
                        ('digraph { subgraph cluster_inputs { a } subgraph cluster_outputs { c } a -> b -> c }', 'are files')):
        told = Graph(folder, text).told
        assert 'not all nodes that ' in told and words in told, told
    told = Graph(folder, 'digraph "g:a:jar:1" {\n "g:a:jar:1" -> "g:b:jar:1:compile"; }').told
    assert "the order is not all in what Maven's dependency:tree writes" in told and '-Dverbose are read' in told, told
    told = Graph(folder, 'digraph { edge [dir=back]; a -> b; b -> c [dir=none]; c -> d [style=invis, dir=forward] }').told
    for words in ('1 edges are drawn with the head', '1 edges have no direction', '1 edges are invisible'):
        assert words in told, told
    assert '1 edges have no direction' in Graph(folder, 'digraph { a -> b [dir=both] }').told
    done = case.bigrocks('show', '-', '--reverse', input='<job xmlns="urn:bigrocks:job:1" name="j"><stage id="a"/></job>')
    assert done.returncode == 2 and '--reverse turns the arrows of graphs in DOT' in done.stderr, done


def clusters(folder):
    """An arrow from or to a cluster is one from or to all of its nodes."""
    text = '''digraph { compound=true; load [duration=1];
    subgraph cluster_if { x [duration=2]; subgraph cluster_in { y [duration=5] } }
    use [duration=1]; load -> x [lhead=cluster_if]; x -> use [ltail=cluster_if]; }'''
    graph = Graph(folder, text)
    assert graph.start == {'load': 0, 'x': 1, 'y': 1, 'use': 6}, graph.start
    deep = text.replace('subgraph cluster_if', 'subgraph cluster_out { subgraph cluster_if').replace('} }\n', '} } }\n')
    assert Graph(folder, deep).start == graph.start, 'a cluster within another'
    both = text.replace('x -> use [ltail=cluster_if]', 'x -> use [ltail=cluster_if, lhead=cluster_to]; '
                        'subgraph cluster_to { use; z [duration=1] }')
    own = 'digraph { a; subgraph cluster_c { x; y [duration=1] } x -> y [ltail=cluster_c]; a -> x }'
    assert Graph(folder, own).start == {'a': 0, 'x': 0, 'y': 0}, 'a node of the cluster itself'
    assert Graph(folder, both).start == {'load': 0, 'x': 1, 'y': 1, 'use': 6, 'z': 6}


def insides(folder):
    """A cluster that no arrow enters and that a node names stands between that node and what waits for it."""
    taskflow = '''digraph Taskflow { subgraph cluster_p0x1 { label="Taskflow: f"; p0x2 [label=load]; p0x3 [label=split];
    p0x5 [label=body]; p0x4 [label=mod, shape=box3d]; p0x9 [label=done]; p0x2 -> p0x3 -> p0x5; p0x2 -> p0x4 -> p0x9
    subgraph cluster_p0x3 { p0x6 [label=x]; p0x7 [label=y]; p0x6 -> p0x7 } p0x6 -> p0x3 [ltail=cluster_p0x3] }
    subgraph cluster_p0xa { label=mod; p0xb [label=i1]; p0xc [label=i2]; p0xb -> p0xc } }'''
    graph = Graph(folder, taskflow, '--default-duration', '1')
    assert graph.start == {'load': 0, 'split': 1, 'x': 2, 'y': 3, 'body': 4, 'mod': 1, 'i1': 1, 'i2': 2, 'done': 3}, graph.start
    assert '2 clusters that no arrow enters are read as the inside of the node' in graph.told, graph.told
    pairs = re.findall('"?(\\w+)"? -> "?(\\w+)', case.bigrocks('convert', graph.path, '--format', 'dot').stdout)
    assert sorted(pairs) == sorted(zip('load load split mod split x y mod i1 i2'.split(),
                                       'split mod body done x y body i1 i2 done'.split())), pairs
    timed = 'digraph { a [label=in, duration=2]; b; a -> b; subgraph cluster_c { label=in; x } }'
    assert Graph(folder, timed, '--default-duration', '1').start == {'a': 0, 'x': 2, 'b': 3}
    deep = ' '.join('subgraph cluster_%d { label=L%d; n%d [label=L%d] }' % (k, k, k, k + 1) for k in range(250))
    graph = Graph(folder, 'digraph { r [label=L0]; r -> z; %s }' % deep)
    assert graph.status == 3 and 'more than 200 deep' in graph.said, graph.said
    both = 'digraph { p; q [label=in]; p -> z; q -> z; subgraph cluster_p { label=in; x [duration=1] } r [duration=1]; r -> p }'
    assert Graph(folder, both).start['x'] == 1, 'the name goes before the label'
    # As CUDA draws graphs in graphs: a line of the label, or fields of a record; and one inside of the other.
    cuda = '''digraph dot { subgraph cluster_4 { label="graph_4"; a; b [label="1\ngraph_7\n"]; c; a -> b -> c
    d [shape=record, label="{\nIF\n| {True | graph_8}\n| {False| graph_9}\n}"]; c -> d }
    subgraph cluster_7 { label="graph_7"; s; t [label="0\ngraph_6"]; s -> t } subgraph cluster_6 { label="graph_6"; u }
    subgraph cluster_8 { label="graph_8"; w } subgraph cluster_9 { label="graph_9"; n } }'''
    graph = Graph(folder, cuda, '--default-duration', '1')
    assert graph.start == {'a': 0, 'b': 1, 's': 1, 't': 2, 'u': 2, 'c': 3, 'd': 4, 'w': 4, 'n': 4}, graph.start
    assert 'no arrow, and may start' not in graph.told, graph.told
    # Not one of these: an arrow enters, two nodes or two clusters have the name, the name is no label.
    for text in ('a [label=in]; b; a -> b; subgraph cluster_c { label=in; x } b -> x',
                 'a [label=in]; b [label=in]; a -> b; subgraph cluster_c { label=in; x }',
                 'a [label=in]; b; a -> b; subgraph cluster_c { label=in; x } subgraph cluster_d { label=in; y }',
                 'a; b; a -> b; subgraph cluster_c { label=a; x }', 'a [label=in]; b; a -> b; subgraph c { label=in; x }',
                 'a; b; a -> b; subgraph cluster_c { label=in; x [label=in] }', 'a; b; a -> b; subgraph cluster_x { x; y }',
                 'p; a; b; a -> b; p -> z; subgraph cluster_p { x } x -> p'):
        graph = Graph(folder, 'digraph { %s }' % text, '--default-duration', '1')
        assert 'inside' not in graph.told and graph.start['a'] == 0 and graph.start['b'] == 1, (text, graph.told)


def several(folder):
    """Of several graphs in a file one is chosen, by name or number, with the places of the file."""
    text = 'digraph "g:a:jar:1" {\n}\n// two\ndigraph two { a [duration=3] }\ndigraph {\n b [duration=x] }\n'
    graph = Graph(folder, text)
    assert graph.status == 3 and ':4:1: the file holds more than one graph; choose one by --graph, join them by --graph all, or split the file: ' \
        'g:a:jar:1, two, 3' in graph.said, graph.said
    for name in ('two', '2'):
        assert Graph(folder, text, '--graph', name).start == {'a': 0}
    tool = 'digraph a { b -> c }\ndigraph gomodgraph { b -> c }'
    assert ['modgraphviz' in Graph(folder, tool, '--graph', n).told for n in 'a2'] == [False, True], 'of its own text'
    graph = Graph(folder, text, '--graph', '3')
    assert graph.status == 3 and ':6:2: duration' in graph.said, graph.said
    graph = Graph(folder, text, '--graph', 'four')
    assert graph.status == 3 and "the file has no graph 'four'; g:a:jar:1, two, 3" in graph.said, graph.said
    graph = Graph(folder, text + 'digraph {\n a -> ; }', '--graph', '4')
    assert graph.status == 3 and '.dot:8: syntax error' in graph.said, graph.said
    done = case.bigrocks('show', '-', '--graph', 'a', input='<job xmlns="urn:bigrocks:job:1" name="j"><stage id="a"/></job>')
    assert done.returncode == 2 and '--graph chooses of several graphs in DOT' in done.stderr, done


def joined(folder):
    """By --graph all the graphs of a file are one, in which nodes of one name are one node."""
    text = 'digraph "a" { resources="cpu,mem"; units="cores,bytes"; node [duration=3]; x [cpu=1] }\n# then\n' \
        'digraph b{node[duration=1] x -> y;\n z [cpu=1] } // end\nstrict digraph { resources=cpu; units=cores; y -> z }'
    graph = Graph(folder, text, '--graph', 'all')
    assert graph.start == {'x': 0, 'y': 3, 'z': 4} and graph.end == 5, (graph.start, graph.said)
    shown = case.bigrocks('convert', graph.path, '--graph', 'all', '--format', 'xml').stdout
    assert shown.count('<demand') == 2 and 'name="%s"' % graph.path.stem in shown, shown
    # Places are those of the file, and what is wrong with one graph is wrong with all.
    for wrong, words in ((text.replace('x [cpu=1]', 'x [cpu=q]'), ":1:%d: cpu 'q' of node 'x'" % (text.index('x [cpu') + 1)),
                         (text.replace('z [cpu=1]', 'z [cpu=q]'), ":4:2: cpu 'q' of node 'z'"),
                         (text.replace('y -> z }', 'y -> ; }'), '.dot:5: syntax error'), (text + '\n}', ":6:1: text follows the closing"),
                         (text + '\ndigraph x', ':6:1: the graph that begins here has no body'),
                         (text.replace('units=cores', 'units=s'), "different units of the resource 'cpu'"),
                         (text + '\ngraph { x -- y }', '.dot:6: syntax error')):
        graph = Graph(folder, wrong, '--graph', 'all')
        assert graph.status == 3 and words in graph.said, (words, graph.said)
    first = 'digraph{ a [duration=x] }'
    assert ":1:10: duration 'x'" in Graph(folder, first, '--graph', 'all').said, 'one graph is all'
    # Numbers are each graph's own if labels say what they are.
    numbers = 'digraph { 0 [label=a]; 1 [label=b]; 0 -> 1 }\ndigraph { 0 [label=c] }'
    graph = Graph(folder, numbers, '--graph', 'all')
    assert graph.status == 3 and "each numbers its nodes anew: '0' is in 2 of them" in graph.said, graph.said
    assert Graph(folder, numbers.replace('0 [label=c]', '2 [label=c]'), '--graph', 'all').start.keys() == {'a', 'b', 'c'}
    # A cluster of one name stands in two graphs.
    part = 'digraph { subgraph cluster_c { %s [duration=%d]; %s [duration=%d] } %s -> %s [ltail=cluster_c] }\n'
    graph = Graph(folder, part % ('a', 1, 'b', 5, 'a', 'x') + part % ('c', 1, 'd', 7, 'c', 'y'),
                  '--graph', 'all')
    assert (graph.start['x'], graph.start['y']) == (5, 7), graph.start


def second_names(folder):
    """What tools write under two names is one node, and what of other archives is none."""
    jdeps = 'digraph "%s" {\n    // Path: %s\n%s}\n'
    arrow = '   "%s"         -> "%s (%s)";\n'
    one = jdeps % ('one.jar', 'one.jar', arrow % ('left', 'base', 'one.jar') + arrow % ('left', 'java.lang', 'java.base'))
    two = jdeps % ('two.jar', 'two.jar', arrow % ('app', 'left', 'one.jar') + arrow % ('app', 'right', 'two.jar') +
                   arrow % ('right', 'base', 'one.jar'))
    graph = Graph(folder, one, '--reverse', '--default-duration', '1')
    assert graph.start == {'base': 0, 'left': 1}, graph.start
    assert "1 arrows end at the second name of a node" in graph.told and "'base (one.jar)'" in graph.told, graph.told
    assert '1 nodes of archives that are not read are left out: java.lang (java.base)' in graph.told, graph.told
    graph = Graph(folder, two, '--reverse', '--default-duration', '1')
    assert graph.start == {'right': 0, 'app': 1} and '2 nodes of archives' in graph.told, (graph.start, graph.told)
    graph = Graph(folder, one + two, '--graph', 'all', '--reverse', '--default-duration', '1')
    assert graph.start == {'base': 0, 'left': 1, 'right': 1, 'app': 2} and '1 nodes of archives' in graph.told, graph.start
    graph = Graph(folder, 'digraph "x" { a -> "b (x)"; b -> "c (y)" }')
    assert graph.start.keys() == {'a', 'b', 'b (x)', 'c (y)'} and 'second name' not in graph.told, 'not by jdeps'
    maven = 'digraph "g:app:jar:1" {\n "g:app:jar:1" -> "g:left:jar:1:compile";\n "g:left:jar:1:compile" -> "g:base:jar:1:compile";\n' \
        ' "g:app:jar:1" -> "g:right:jar:1:compile";\n "g:right:jar:1:compile" -> "(g:left:jar:1:compile - %s)"; }'
    for reason in ('omitted for duplicate', 'version managed from 2; omitted for duplicate'):
        graph = Graph(folder, maven % reason, '--reverse', '--default-duration', '1')
        assert [graph.start['g:%s:jar:1%s' % name] for name in (('base', ':compile'), ('left', ':compile'), ('right', ':compile'),
                                                                ('app', ''))] == [0, 1, 2, 3], graph.start
        assert 'the order is not all' not in graph.told and 'second name' in graph.told
    for conflict in (maven % 'omitted for conflict with 3', maven.replace('base:jar:1:compile";', 'base:jar:1:compile";\n "g:left:jar:1:'
                     'compile" -> "(g:x:jar:1:compile - omitted for conflict with 2)";') % 'omitted for duplicate'):
        assert 'the order is not all' in Graph(folder, conflict).told


def repeated(folder):
    """DataFusion draws each plan twice."""
    text = '// Begin DataFusion GraphViz Plan,\ndigraph {\n subgraph cluster_1 { graph[label="LogicalPlan"]\n 2[label="Sort: s"] ' \
        '3[label="Scan: t"] 2 -> 3 }\n subgraph cluster_4 { graph[label="Detailed LogicalPlan"]\n 5[label="Sort: s\\nSchema"] ' \
        '6[label="Scan: t\\nSchema"] 5 -> 6 }\n}'
    graph = Graph(folder, text, '--reverse', '--default-duration', '1')
    assert graph.start == {'Scan: t': 0, 'Sort: s': 1}, graph.start
    assert '2 nodes are left out: their cluster repeats the plan' in graph.told, graph.told
    assert 'the order is not all' not in graph.told
    for other in (text.replace('6[label', '7; 6[label'), text.replace('\n}', '\n 9 }')):
        assert len(Graph(folder, other).start) == 5, 'they are not the same plan'


def kernels(folder):
    """Of XLA's graphs a fusion is one task, a function a part of what applies it, and loops run their insides."""
    text = '''digraph G {
// Disable the tooltip.  Interestingly, "" doesn't work!
1 [label=<<b>Parameter 0</b><br/>f32>, color="#c88719"]; 2 [label=<<b>Parameter 1</b>>];
subgraph cluster_10 { label = <Subcomputation for <b>while.5</b><br/>body>;
 3 [label=<<b>Parameter 0</b>>];
 subgraph cluster_11 { label = <Fused expression for <b>fused.add</b><br/>loop>; 4 [label=<<b>mul</b>>]; 5 [label=<<b>Parameter 0</b>>];
  6 [label=<<b>add</b>>]; 5 -> 4 -> 6 }
 7 [label=<<b>tuple.3</b>>] 3 -> 5; 6 -> 7 }
8 [label=<<b>while.5</b>>, color="#005005"]; 7 -> 8 [ltail="cluster_10", style="dashed"];
subgraph cluster_12 { label = <Subcomputation for <b>sort.0</b>>; 13 [label=<<b>Parameter 0</b>>]; 14 [label=<<b>lt</b>>]; 13 -> 14 }
15 [label=<<b>sort.0</b><br/>dimensions={0}>, color="#9e9e9e"]; 14 -> 15 [ltail="cluster_12", style="dashed"];
16 [label=<<b>copy.1</b>>]; 1 -> 16; 16 -> 8; 2 -> 15; 8 -> 17; 15 -> 17; 17 [label=<<b>add.4</b>>];
cluster_9 [label=<ROOT>, shape=circle]; 17 -> cluster_9 }'''
    graph = Graph(folder, text, '--default-duration', '1')
    assert graph.start == {'copy.1': 0, 'sort.0': 0, 'while.5': 1, 'Parameter 0': 1, 'fused.add': 1, 'tuple.3': 2, 'add.4': 3}, graph.start
    assert graph.end == 4 and '4 nodes are parts of others: of fusions' in graph.told, graph.told
    assert "not all nodes that XLA's" in graph.told and '--reverse' not in graph.told and 'nodes have no arrow' not in graph.told, graph.told
    other = Graph(folder, text.replace('// Disable the tooltip', '// Disable no tooltip'), '--default-duration', '1')
    assert len(other.start) == 14 and 'parts of others' not in other.told, other.start


def comments(folder):
    """Graphviz's scanner would stay within what the text does not close, and read the next text as its rest."""
    graph = Graph(folder, 'digraph {\n a /*/ b }')
    assert graph.status == 3 and ':2:4: a quoted string, a comment' in graph.said, graph.said
    graph = Graph(folder, 'digraph {\n a [color=#ff0000] }')
    assert graph.status == 3 and ":2:11: '#' begins a comment only where it begins a line" in graph.said, graph.said
    assert Graph(folder, 'digraph {\n# a\n a /*/ b */ -> c [duration=1] }').status == 0


def twice(folder):
    """What two arrows between the same nodes say alike is kept once."""
    done = case.bigrocks('convert', '-', '--format', 'dot', input='digraph { a -> b [x=y]; a -> b [x=y, z=1]; }')
    assert done.stdout.count('x=y') == 1 and 'z="1"' in done.stdout, done


def cycles(folder):
    """A cycle that only this form of the tool's graph has: the advice names the other."""
    for text, words in (('digraph snakemake_dag { 0 [label=all]; 1 [label=m]; 1 -> 1; 1 -> 0 }', 'snakemake --dag'),
                        ('digraph\n{\n  rankdir="LR";\n  { node [shape = rect]\n n1 [label="Resize x 2"];\n n2; }\n'
                         ' n1 -> n2; n2 -> n1 }', 'compact = 0'),
                        ('digraph { "conanfile.py (app/1.0)" -> "a/1"; "a/1" -> "a/1" }', 'conan graph build-order'),
                        ('digraph snakemake_dag { }', 'give it at least one stage'),
                        ('digraph { { node [shape = rect] n1 -> n2 -> n1 } }', 'remove one of these edges'),
                        ('digraph { a -> b -> a }', 'remove one of these edges')):
        graph = Graph(folder, text)
        assert graph.status == 3 and words in graph.said, graph.said
        assert ('has a cycle of ' in graph.said) == ('->' in text) and ('jobs, by' in graph.said) == ('all' in text)


def plain(folder):
    """--plain draws the same for readers that know no texts like HTML, and no boxes within frames."""
    job, plans = folder / 'job.dot', []
    job.write_text('digraph { resources=cpu; node [cpu=1]; a [tasks=4, duration=2]; b [tasks=3, duration=3]; a -> b -> c; }')
    for method in 'cp', 'bfs':
        plans.append(folder / (method + '.json'))
        done = case.bigrocks('plan', job, '--machines', 2, '--capacity', 'cpu=2', '--method', method, '-f', 'json', '-o', plans[-1])
        assert done.returncode == 0, done
    for words in (plans[:1], [plans[0], '--by-machine'], [plans[0], '--layout', 'time'],
                  [*plans, '--by-machine', '--nodes', 'task'], [*plans, '--layout', 'depth']):
        full, flat = (case.bigrocks('render', *words, '--format', 'dot', *more).stdout for more in ([], ['--plain']))
        assert 'label=<' in full and '<' not in flat, flat
        boxes, _, frames = flat.partition('subgraph')
        for kind in (r'^ +("[^"]*") \[', r'^ +("[^"]*" -> "[^"]*")', r'^ +subgraph ("[^"]*")'):
            assert sorted(re.findall(kind, full, re.M)) == sorted(re.findall(kind, flat, re.M)), (words, kind)
        assert not re.search(r'^ +"[^"]*" \[', frames, re.M), frames
        members = set(re.findall(r'^ +("[^"]*");', frames, re.M))
        assert not frames or members == {name for name in re.findall(r'^ +("[^"]*") \[', boxes, re.M) if 'line' not in name}
    done = case.bigrocks('render', plans[0], '--format', 'svg', '--plain')
    assert done.returncode == 2 and "--plain is for the format 'dot'" in done.stderr, done


def no_tasks(folder):
    """Legends are left out; joins, and what is done, take no time by default; what is alone is told."""
    text = '''digraph { a; b; join [label=" "]; dot [shape=point]; lone; timed [label="", duration=2];
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
    assert Graph(folder, 'digraph { a [style=dashed]; b; a -> b }', '--default-duration', '1').end == 2
    assert 'no arrow' not in Graph(folder, 'digraph { a; b }').told
    for legend in ('cluster_x { label=Legend; x }', 'cluster_x { label=key; x }', 'clusterkey1 { x }', 'cluster__legend { x }',
                   'cluster_o { subgraph cluster_legend { x } c } b -> c; subgraph cluster_p { d }'):
        graph = Graph(folder, 'digraph { a -> b; subgraph %s }' % legend)
        assert 'x' not in graph.start and '1 nodes of a legend are left out: x' in graph.told, legend
        assert 'x' in Graph(folder, 'digraph { a -> b; subgraph %s }' % legend.replace('x }', 'x [duration=1] }')).start
    assert 'invisible' not in Graph(folder, 'digraph { a -> b; subgraph clusterkey { x -> y [style=invis] } }').told
    # A legend that is all there is, or that tasks hang on, is none.
    assert len(Graph(folder, 'digraph { subgraph cluster_legend { a; b; a -> b } }').start) == 2
    assert len(Graph(folder, 'digraph { subgraph cluster_legend { a; b } b -> c }').start) == 3


for walk in (numbers, brackets, long_texts, labels, series, declared, ports, arrows, clusters, insides, several, joined,
             second_names, repeated, kernels, comments, twice, cycles, plain, no_tasks):
    with case.folder() as scratch:
        walk(pathlib.Path(scratch))
