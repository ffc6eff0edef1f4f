#!/usr/bin/env bash
# Guess: `read_dot` gives all nodes of a file, wherever they are declared.
# Seen:  a node that is declared in a cluster and has no edge is missing. Graphs that group tasks by stage lose their
#        independent tasks; outside the cluster such a node is read.
# networkx 3.6.1 with pydot 4.0.1 of PyPI.
# shellcheck source=findings/setup
. "$(dirname "${BASH_SOURCE[0]}")/setup"

from_pypi networkx==3.6.1 pydot==4.0.1
cat >read.py <<'EOF'
import sys
import networkx
print(*sorted(networkx.nx_pydot.read_dot(sys.argv[1]).nodes))
EOF
echo 'digraph { subgraph cluster_stage { a; alone; } a -> c; }' >inside.dot
echo 'digraph { subgraph cluster_stage { a; } alone; a -> c; }' >outside.dot
differs "networkx 3.6.1, nodes if 'alone' is in the cluster" 'a c' "$(python read.py inside.dot)"
differs "networkx 3.6.1, nodes if 'alone' is outside" 'a alone c' "$(python read.py outside.dot)"
