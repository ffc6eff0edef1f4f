#!/usr/bin/env bash
# Guess: `from_dot` reads DOT as Graphviz does: `node [shape=box]` sets defaults, and blanks around `->` are optional.
# Seen:  `node [shape=box]` adds a task named "node"; `a->b` without blanks and named subgraphs are errors.
# rustworkx 0.18.1 of PyPI.
# shellcheck source=findings/setup
. "$(dirname "${BASH_SOURCE[0]}")/setup"

from_pypi rustworkx==0.18.1
cat >read.py <<'EOF'
import sys
import rustworkx
try:
    print(*rustworkx.from_dot(sys.argv[1]).nodes())
except ValueError:
    print('error')
EOF
differs 'rustworkx 0.18.1, nodes after defaults' 'node a b' "$(python read.py 'digraph { node [shape=box]; a -> b }')"
differs 'rustworkx 0.18.1, nodes with blanks' 'a b' "$(python read.py 'digraph { a -> b }')"
differs 'rustworkx 0.18.1, nodes without blanks' error "$(python read.py 'digraph { a->b }')"
differs 'rustworkx 0.18.1, a named subgraph' error "$(python read.py 'digraph { subgraph s { a -> b } b -> c }')"
