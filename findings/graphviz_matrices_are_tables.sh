#!/usr/bin/env bash
# Guess: `mm2gv` takes the square matrix of a graph, as sparse DAGs are kept in the Matrix Market's format, for the
#        graph: n nodes, and an arrow from i to j for an entry (i, j).
# Seen:  a matrix that is not symmetric becomes a graph of its rows and columns: 2 n nodes, and for each entry an arrow
#        to the column and one back. So a DAG gets cycles.
# graphviz 2.42.2 of Debian 12.
# shellcheck source=findings/setup
. "$(dirname "${BASH_SOURCE[0]}")/setup"

graphviz
cat >job.mtx <<'EOF'
%%MatrixMarket matrix coordinate real general
3 3 2
1 2 5
2 3 7
EOF
mm2gv job.mtx >job.gv
differs 'mm2gv 2.42, nodes for 3 rows and columns' 6 "$(grep -o '\b[0-9]\+\b' job.gv | sort -u | wc -l)"
differs 'mm2gv 2.42, arrows for 2 entries' 4 "$(grep -c -e '->' job.gv)"
differs 'mm2gv 2.42, status of acyclic -n' 1 "$(acyclic -n job.gv && echo 0 || echo $?)"
