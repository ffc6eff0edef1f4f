#!/usr/bin/env bash
# Guess: the trees that SAGA makes as its random data set differ in their weights: normally distributed around 1, as
#        its source has it.
# Seen:  all tasks and dependencies of in-trees and out-trees weigh 2, but for the sink that joins the leaves (1e-9),
#        whatever the seed; so benchmarks over them compare schedulers on one graph of equal tasks.
# anrg.saga 2.0.2 of PyPI.
# shellcheck source=findings/setup
. "$(dirname "${BASH_SOURCE[0]}")/setup"

from_pypi anrg.saga==2.0.2
cat >weights.py <<'EOP'
import random

from saga.schedulers.data.random import gen_in_trees, gen_out_trees

weights = set()
for seed in range(5):
    random.seed(seed)
    for graph in gen_in_trees(4, 3, 2) + gen_out_trees(4, 3, 2):
        weights |= {task.cost for task in graph.tasks} | {edge.size for edge in graph.dependencies}
print(*sorted(weights))
EOP
differs 'anrg.saga 2.0.2, weights in 40 trees' '1e-09 2.0' "$(python weights.py)"
