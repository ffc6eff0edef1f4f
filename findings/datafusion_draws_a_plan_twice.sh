#!/usr/bin/env bash
# Guess: `display_graphviz` draws an operator as one node, with edges from an operator to what reads its rows.
# Seen:  every operator is two nodes of one digraph, in a cluster with schemas and in one without. Edges run from the
#        reader to its input: `dir=back` and swapped arrow heads turn the picture alone, so a program that reads the
#        DOT for its edges gets two plans, both from the end to the beginning.
# DataFusion 55.0.0, pydot 4.0.1 of PyPI.
# shellcheck source=findings/setup
. "$(dirname "${BASH_SOURCE[0]}")/setup"

from_pypi datafusion==55.0.0 pydot==4.0.1
cat >draw.py <<'EOF'
import datafusion
import pydot

plan = datafusion.SessionContext().sql('select a from (values (1), (2)) t(a) where a > 1').logical_plan()
graph = pydot.graph_from_dot_data(plan.display_graphviz())[0]
for cluster in graph.get_subgraphs():
    label = {node.get_name(): node.get('label').strip('"').split(':')[0] for node in cluster.get_nodes()}
    print(cluster.get('label') or '-', end='; ')
    for edge in cluster.get_edges():
        print(label[edge.get_source()], edge.get('dir'), label[edge.get_destination()], sep=' ', end='; ')
EOF
differs 'the plan' 'Projection back Filter; Filter back SubqueryAlias; SubqueryAlias back Projection; Projection back Values; ' \
    "$(python draw.py | sed 's/^-; //; s/-; .*//')"
differs 'how often it is drawn' 2 "$(python draw.py | grep -o 'Filter back' | grep -c .)"
