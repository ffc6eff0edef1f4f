#!/usr/bin/env bash
# Guess: in the DOT that XLA dumps of a program with a loop, an edge leads from what the loop reads into its body.
# Seen:  no edge leads into the body, nor into the condition: both lead to the loop's node, drawn from their whole
#        cluster (`ltail`), and so does the input. By edges alone the body is a source of the program and runs before the
#        loop begins, at once with what the loop reads.
# jax and jaxlib 0.10.2, pydot 4.0.1 of PyPI.
# shellcheck source=findings/setup
. "$(dirname "${BASH_SOURCE[0]}")/setup"

from_pypi jax==0.10.2 jaxlib==0.10.2 pydot==4.0.1
cat >loop.py <<'EOF'
import jax
import jax.numpy as jnp


@jax.jit
def program(x):
    y = jnp.dot(x, x)
    y = jax.lax.while_loop(lambda c: jnp.sum(c) < 10, lambda c: jnp.dot(c, c) * 2, y)
    return y + 1


program(jnp.ones((4, 4)))
EOF
cat >look.py <<'EOF'
import sys

import pydot

graph = pydot.graph_from_dot_file(sys.argv[1])[0]
home = {}


def enter(part, inside):
    for node in part.get_nodes():
        home.setdefault(node.get_name().strip('"'), inside)
    for deeper in part.get_subgraphs():
        enter(deeper, inside + (deeper.get_name().strip('"'),))


enter(graph, ())
ends = [(edge.get_source().strip('"'), edge.get_destination().strip('"'), edge.get('ltail')) for edge in graph.get_edges()]
tails = {tail.strip('"') for _, _, tail in ends if tail}
print('clusters at the tail of an edge:', len(tails))
print('edges into them:', sum(tail in home[to] and tail not in home[of] for tail in tails for of, to, _ in ends))
EOF
XLA_FLAGS='--xla_dump_to=dump --xla_dump_hlo_as_dot' JAX_PLATFORMS=cpu python loop.py
differs 'body, condition and the call around them' 'clusters at the tail of an edge: 3;edges into them: 0;' \
    "$(python look.py dump/*jit_program*after_optimizations.dot | tr '\n' ';')"
