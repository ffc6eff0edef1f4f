#!/usr/bin/env python3
"""Graphs in DOT that have their numbers under other names, their text in Latin-1, or arrows to themselves."""
import pathlib
import re

import case


def xml(text, *words, status=0):
    """The job of the graph in the native form, and what was said of it."""
    with case.folder() as scratch:
        path = pathlib.Path(scratch) / 'g.dot'
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        done = case.bigrocks('convert', path, '--format', 'xml', *words)
    assert done.returncode == status, (text, done.stdout, done.stderr)
    return done.stdout + done.stderr


def durations(text, *words):
    """Seconds by stage."""
    return {name: float(seconds) for name, seconds in re.findall(r'<stage id="([^"]*)"(?: tasks="\d+")?(?: duration="([^"]*)")',
                                                                 xml(text, *words))}


def times():
    """A number is in seconds, or in the unit that follows it; in a label it is the number with a unit of time."""
    graph = 'digraph { a [w="%s"]; b [w=2]; a -> b }'
    for value, seconds in (('7', 7), ('0.5', .5), ('1e1', 10), ('340 ms', .34), ('340ms', .34), ('1500us', .0015), ('12 µs', 12e-6),
                           ('3 min', 180), ('1m30s', 90), ('1h 2m 3s', 3723), ('2 days', 172800), ('4ns', 4e-9)):
        assert durations(graph % value, '--duration', 'w') == {'a': seconds, 'b': 2}, value
    graph = 'digraph { a [label="%s"]; b [label="end"]; a -> b }'
    for label, seconds in (('conv2d 3x3\\n12.5 s', 12.5), ('link (340ms)', .34), ('v1.2s-x: 2 s', 2), ('T1 5 s', 5), ('7', 7), ('a\\l8s\\l', 8)):
        found = durations(graph % label, '--duration', 'label', '--default-duration', '9')
        assert found == {'a': seconds, 'b': 9}, (label, found)
    said = xml(graph % '1 s', '--duration', 'label')
    assert "1 nodes have no time in 'label'" in said, said
    said = xml(graph % 'from 3s to 4s', '--duration', 'label', status=3)
    assert ":1:11: 'label' of node 'a' has more than one time" in said, said
    said = xml('digraph { a [w=soon] }', '--duration', 'w', status=3)
    assert "'soon'" in said and ':1:11:' in said, said
    said = xml('digraph { a [w="99999999999999999h"] }', '--duration', 'w', status=3)
    assert 'a time that is too large' in said, said
    # The graph's own durations stay those of nodes without the attribute; sizes are no operations.
    assert durations('digraph { a [duration=3]; b [duration=3, w=4] }', '--duration', 'w') == {'a': 3, 'b': 4}
    assert durations('digraph { a [size=3]; b [size=4] }', '--duration', 'size') == {'a': 3, 'b': 4}


def demands():
    """Attributes become demands of resources that the graph does not declare."""
    text = xml('digraph { a [threads=4, rss="2 GiB"]; b [threads=1]; a -> b }', '--demand', 'cpu=threads,mem=rss')
    assert text.count('<demand resource="cpu"') == 2 and '<demand resource="mem" amount="2147483648"/>' in text, text
    text = xml('digraph { a [label="link\\n4 cores, 1.5 MB, 3 s"]; b [label=none] }', '--demand', 'cpu=label,mem=label', '--duration', 'label')
    assert '<demand resource="cpu" amount="4"/>' in text and '<demand resource="mem" amount="1500000"/>' in text, text
    assert text.count('<demand ') == 2 and 'duration="3"' in text, text
    assert '"gpu" amount="2"' in xml('digraph { a [label="2 gpus"] }', '--demand', 'gpu=label')
    text = xml('digraph { a [size=3000000000, n=2]; b [size=1000000000] }', '--demand', 'cpu=n')
    assert 'amount="2"' in text and text.count('<demand ') == 1 and 'duration="3"' in text, text
    said = xml('digraph { resources="cpu"; a [cpu=4, n=2] }', '--demand', 'cpu=n', status=2)
    assert "the resource 'cpu' is declared by the graph" in said, said
    said = xml('digraph { a [n=2] }', '--demand', 'cpu=n,cpu=n', status=2)
    assert "the resource 'cpu' is there twice" in said, said
    for wrong in ('cpu', '=n', 'cpu='):
        assert 'is no resource and attribute' in xml('digraph { a [n=2] }', '--demand', wrong, status=2), wrong
    said = xml('digraph { a [n=2, shape=box] }', '--demand', 'cpu=m', status=2)
    assert "no node has the attribute 'm'; nodes have n, shape" in said, said
    said = xml('digraph { a [label="2 cores or 4 threads"] }', '--demand', 'cpu=label', status=3)
    assert "'label' of node 'a' has more than one cpu" in said, said


def self_loops():
    """An arrow from a node to itself is a cycle, unless it is to be left out, which is told."""
    graph = 'digraph { a -> a; a -> b; b -> b; b -> b }'
    said = xml(graph, status=3)
    assert 'has a cycle of 1 task: ' in said and '--skip-self-loops' in said, said
    said = xml(graph, '--skip-self-loops')
    assert said.count('<edge ') == 1 and '3 arrows from a node to itself are left out' in said, said
    said = xml('digraph { a -> b -> a; a -> a }', '--skip-self-loops', status=3)
    assert 'has a cycle of 2 tasks' in said and '--skip-self-loops' not in said, said


def latin1():
    """A text is in the encoding that it declares."""
    for declared in ('charset=latin1', 'charset = "iso-8859-1"', 'graph [charset="Latin1"]'):
        said = xml(('digraph { %s; "caf\xe9" -> b }' % declared).encode('latin1'))
        assert 'id="café"' in said and 'charset' not in said, said
    for declared in ('charset=utf8', 'x=charset', 'charset=latin12', 'charset'):
        assert 'not valid UTF-8' in xml(('digraph { %s; "caf\xe9" -> b }' % declared).encode('latin1'), status=3), declared
    assert 'id="café"' in xml('digraph { charset="UTF-8"; "café" -> b }')
    assert 'NUL byte' in xml(b'digraph { charset=latin1; a\0 }', status=3)


def places():
    """A fault is told by its line in this file, whatever lines of others it tells of."""
    for text in ('digraph {\n# 40 "x.gv"\na [x=1 y=;\n}', 'digraph {\n#line 40 "x.gv"\na [x=1 y=;\n}', 'digraph {\n#40\na [x=1 y=;\n}',
                 '# 1 "x.gv"\ndigraph {\na [x=1 y=;\n}'):
        said = xml(text, status=3)
        assert 'g.dot:3: syntax error' in said or 'g.dot:3:' in said, said
    # Within quotation marks it is no comment.
    assert 'id="a&#10;# 4 b"' in xml('digraph { "a\n# 4 b" }') or '# 4 b' in xml('digraph { "a\n# 4 b" }')
    said = xml('digraph {\n# 40 "x.gv"\n a -> b;\n b -> a }', status=3)
    assert re.search(r'g\.dot:[34]:\d+: the job has a cycle', said), said


def tools():
    """Terraform, Bazel and Gradle draw from what waits."""
    for text, tool in (('digraph G {\n  rankdir = "RL";\n  node [shape = rect, fontname = "sans-serif"];\n  "x.a" [label="x.a"];\n'
                        '  "x.a" -> "x.b";\n}', 'terraform graph'),
                       ('digraph {\n compound = "true"\n subgraph "root" {\n "[root] x.a (expand)" [label = "x.a"]\n'
                        '"[root] x.a (expand)" -> "[root] provider.x"\n}\n}', 'terraform graph'),
                       ('digraph mygraph {\n  node [shape=box];\n  "//a:b"\n  "//a:b" -> "//a:c"\n}', 'bazel query'),
                       ('digraph {\n  graph [label="p\\n ",labelloc=t,fontsize=30,ranksep=1.4];\n  node [style=filled, fillcolor="#bbbbbb"];\n'
                        '  rankdir=TB;\n ":app" -> ":lib"\n}', 'Gradle')):
        said = xml(text)
        assert 'looks like output of ' in said and tool in said and '--reverse turns them' in said, said
        assert '--reverse' not in xml(text, '--reverse')


times()
demands()
self_loops()
latin1()
places()
tools()
done = case.bigrocks('show', '-', '--duration', 'w', input='<job xmlns="urn:bigrocks:job:1" name="j"><stage id="a"/></job>')
assert done.returncode == 2 and '--duration, --demand and --skip-self-loops are for graphs in DOT' in done.stderr, done
