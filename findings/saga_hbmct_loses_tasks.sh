#!/usr/bin/env bash
# Guess: a schedule by any of SAGA's schedulers has every task of the graph once, or the scheduler refuses the graph.
# Seen:  HbmctScheduler leaves tasks out without a word, and gives a makespan: of a task that four wait for, and one
#        that waits for these, on three equal nodes, five of six; on two nodes all of them. HEFT has all on both.
# anrg.saga 2.0.2 of PyPI.
# shellcheck source=findings/setup
. "$(dirname "${BASH_SOURCE[0]}")/setup"

from_pypi anrg.saga==2.0.2
cat >count.py <<'EOP'
import logging
import sys

import saga
from saga import schedulers

logging.disable(logging.CRITICAL)
names = 'abc'[:int(sys.argv[2])]
network = saga.Network.create(nodes=[(name, 1.0) for name in names],
                              edges=[(one, two, 1.0) for one in names for two in names if one < two])
middle = ['t1', 't2', 't3', 't4']
graph = saga.TaskGraph.create(
    tasks=[(name, 1.0) for name in ['root', *middle, 'end']],
    dependencies=[('root', name, 1.0) for name in middle] + [(name, 'end', 1.0) for name in middle])
made = getattr(schedulers, sys.argv[1])().schedule(network, graph)
print(len({task.name for tasks in made.mapping.values() for task in tasks}), 'of', len(graph.tasks))
EOP
differs 'anrg.saga 2.0.2, HEFT on three nodes' '6 of 6' "$(python count.py HeftScheduler 3)"
differs 'anrg.saga 2.0.2, HBMCT on two nodes' '6 of 6' "$(python count.py HbmctScheduler 2)"
differs 'anrg.saga 2.0.2, HBMCT on three nodes' '5 of 6' "$(python count.py HbmctScheduler 3)"
