#!/usr/bin/env bash
# Guess: `tred` drops an arrow only if a longer path does without it. Two arrows between the same tasks, which differ by
#        their ports or labels, stay.
# Seen:  of such arrows the first stays, and the others go with all their attributes. Nothing is said of it.
# graphviz 2.42.2 of Debian 12.
# shellcheck source=findings/setup
. "$(dirname "${BASH_SOURCE[0]}")/setup"

graphviz
echo 'digraph { map -> sort [label="12 MB"]; map -> sort [label="4 MB"]; sort -> join }' >job.gv
differs 'tred 2.42, arrows of 3' 2 "$(tred job.gv 2>said | grep -c -e '->')"
differs 'tred 2.42, labels of 12 MB and 4 MB' '12 MB' "$(tred job.gv | sed -n 's/.*label="\(.*\)".*/\1/p')"
differs 'tred 2.42, words on stderr' 0 "$(wc -w <said)"
