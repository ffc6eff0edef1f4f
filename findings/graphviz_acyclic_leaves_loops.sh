#!/usr/bin/env bash
# Guess: of a task that waits for itself `acyclic -n` says by its status of 1 that the graph has a cycle, and without -n
#        the graph that it writes has none.
# Seen:  the status is 0, `-v` says "is acyclic", and the arrow stays. Beside a cycle of two tasks, which is reversed, a
#        loop stays too, so what is written is not acyclic. `sccmap` lists no component for a loop either.
# graphviz 2.42.2 of Debian 12.
# shellcheck source=findings/setup
. "$(dirname "${BASH_SOURCE[0]}")/setup"

graphviz
echo 'digraph job { fetch -> build; build -> build }' >loop.gv
echo 'digraph job { fetch -> build; build -> fetch; build -> build }' >both.gv
status=0
acyclic -nv loop.gv 2>said || status=$?
differs 'acyclic 2.42, status of a loop' 0 "$status"
differs 'acyclic 2.42, words on a loop' 'Graph "job" is acyclic' "$(cat said)"
differs 'acyclic 2.42, loops left beside a cycle' 1 "$(acyclic both.gv 2>/dev/null | grep -c 'build -> build')"
differs 'sccmap 2.42, components of a loop' 0 "$(sccmap loop.gv 2>/dev/null | grep -c 'digraph cluster')"
