#!/usr/bin/env bash
# Guess: in a digraph, `dijkstra NODE` gives each node the length of the shortest path along the arrows; a node that no
#        path reaches gets none.
# Seen:  arrows are taken in both directions, so what comes before the node has a distance, too. Only -d follows them.
# graphviz 2.42.2 of Debian 12.
# shellcheck source=findings/setup
. "$(dirname "${BASH_SOURCE[0]}")/setup"

graphviz
echo 'digraph { fetch -> build [len=3]; build -> test [len=2] }' >job.gv
distances() {
    dijkstra "$@" job.gv | sed -n 's/^\t\([a-z]*\)\t\[dist=\([0-9]*\).*/\1 \2/p' | sort | tr '\n' ' '
}
differs 'dijkstra 2.42, from build' 'build 0 fetch 3 test 2 ' "$(distances build)"
differs 'dijkstra 2.42 -d, from build' 'build 0 test 2 ' "$(distances -d build)"
