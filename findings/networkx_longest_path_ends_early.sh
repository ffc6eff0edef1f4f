#!/usr/bin/env bash
# Guess: the longest path of a DAG with durations on its edges leads from a source to a sink, also if the last edges take
#        no time: milestones, barriers, lags of 0.
# Seen:  networkx ends it before the first edge of weight 0 that only such edges follow, so the milestone at the end of a
#        project is not on its critical path; rustworkx leads it to the sink.
# networkx 3.6.1, rustworkx 0.18.1 of PyPI.
# shellcheck source=findings/setup
. "$(dirname "${BASH_SOURCE[0]}")/setup"

from_pypi networkx==3.6.1 rustworkx==0.18.1
cat >path.py <<'EOF'
import sys
import networkx
import rustworkx

weights = [int(word) for word in sys.argv[2:]]
if sys.argv[1] == 'networkx':
    graph = networkx.DiGraph()
    graph.add_node(0)
    for k, weight in enumerate(weights):
        graph.add_edge(k, k + 1, weight=weight)
    print(networkx.dag_longest_path(graph))
else:
    graph = rustworkx.PyDiGraph()
    graph.add_nodes_from(range(len(weights) + 1))
    for k, weight in enumerate(weights):
        graph.add_edge(k, k + 1, weight)
    print(list(rustworkx.dag_longest_path(graph, lambda source, target, weight: weight)))
EOF
differs 'networkx, a chain of 5, 0, 3' '[0, 1, 2, 3]' "$(python path.py networkx 5 0 3)"
differs 'networkx, a chain of 5, 3, 0' '[0, 1, 2]' "$(python path.py networkx 5 3 0)"
differs 'networkx, a chain of 0, 0' '[0]' "$(python path.py networkx 0 0)"
differs 'rustworkx, a chain of 5, 3, 0' '[0, 1, 2, 3]' "$(python path.py rustworkx 5 3 0)"
differs 'rustworkx, a chain of 0, 0' '[0, 1, 2]' "$(python path.py rustworkx 0 0)"
