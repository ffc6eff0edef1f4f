#!/usr/bin/env bash
# Guess: a task without a value for an attribute has none in the file, or an empty one, and none when it is read again.
# Seen:  the file says "None" in GraphML, GML and DOT, and a reader gets that word, as if a machine had that name.
# igraph 1.0.0 of PyPI.
# shellcheck source=findings/setup
. "$(dirname "${BASH_SOURCE[0]}")/setup"

from_pypi igraph==1.0.0
cat >missing.py <<'EOP'
import igraph

job = igraph.Graph(n=2, edges=[(0, 1)], directed=True)
job.vs['machine'] = ['node1', None]
for name in 'graphml', 'gml':
    job.write('job.' + name, format=name)
    again = igraph.Graph.Read('job.' + name, format=name)
    print(name, repr(again.vs['machine'][1]))
job.write('job.dot', format='dot')
print('dot', *(line.strip(' ;\n') for line in open('job.dot') if 'None' in line))
EOP
expected="graphml 'None'
gml 'None'
dot machine=None"
differs "igraph 1.0.0, a machine that is not given" "$expected" "$(python missing.py)"
