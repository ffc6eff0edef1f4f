#!/usr/bin/env bash
# Guess: `graphml2gv` makes the data of nodes and arrows into attributes of the same names, as `gml2gv` does.
# Seen:  it drops all of them, here duration and bytes, and says "ignoring" for nodes; its status is 0.
# graphviz 2.42.2 of Debian 12.
# shellcheck source=findings/setup
. "$(dirname "${BASH_SOURCE[0]}")/setup"

graphviz
cat >job.graphml <<'EOF'
<?xml version="1.0"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="d" for="node" attr.name="duration" attr.type="double"/>
  <key id="b" for="edge" attr.name="bytes" attr.type="long"/>
  <graph id="job" edgedefault="directed">
    <node id="map"><data key="d">3</data></node>
    <node id="join"><data key="d">2</data></node>
    <edge source="map" target="join"><data key="b">4096</data></edge>
  </graph>
</graphml>
EOF
cat >job.gml <<'EOF'
graph [ directed 1
  node [ id 1 duration 3 ]
  node [ id 2 duration 2 ]
  edge [ source 1 target 2 bytes 4096 ] ]
EOF
numbers() { grep -c -e duration= -e bytes= "$1" || true; }
graphml2gv job.graphml >from-graphml.gv 2>said || exit
gml2gv job.gml >from-gml.gv
differs 'graphml2gv 2.42, numbers of 3' 0 "$(numbers from-graphml.gv)"
differs 'gml2gv 2.42, numbers of 3' 3 "$(numbers from-gml.gv)"
differs 'graphml2gv 2.42, says' ignoring "$(grep -o ignoring said | sort -u)"
