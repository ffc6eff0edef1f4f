#!/usr/bin/env bash
# Guess: a directed weighted graph is written as `digraph` with `->` and a weight in DOT, and GML and GraphTool's binary
#        form keep direction and weights, as NetworKit's own binary form and GraphML do.
# Seen:  DOT is `graph` with `--`, without weights: of a job's order nothing is left, and nothing is said. GML and
#        GraphTool's form keep the direction and lose the weights. (METIS refuses what it cannot say.)
# NetworKit 11.3 of PyPI.
# shellcheck source=findings/setup
. "$(dirname "${BASH_SOURCE[0]}")/setup"

from_pypi networkit==11.3
cat >arrows.py <<'EOP'
import networkit

job = networkit.Graph(3, weighted=True, directed=True)
job.addEdge(1, 0, 2.5)
job.addEdge(1, 2, 7)
networkit.writeGraph(job, 'job.gv', networkit.Format.GraphViz)
print(*open('job.gv').read().split())
for name in 'GML', 'GraphToolBinary', 'NetworkitBinary':
    form = getattr(networkit.Format, name)
    networkit.writeGraph(job, 'job.' + name, form)
    again = networkit.readGraph('job.' + name, form)
    print(name, again.isDirected(), sorted(again.weight(*edge) for edge in again.iterEdges()))
EOP
expected="graph { 1 -- 0; 1 -- 2; }
GML True [1.0, 1.0]
GraphToolBinary True [1.0, 1.0]
NetworkitBinary True [2.5, 7.0]"
differs "NetworKit 11.3, a directed weighted graph" "$expected" "$(python arrows.py)"
