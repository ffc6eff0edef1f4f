#!/usr/bin/env bash
# Guess: `add_no_overlap` says the same as `add_cumulative` with capacity 1 and demands of 1, and a demand above the
#        capacity is infeasible. So milestones, which take no time, may be put in either.
# Seen:  a milestone at 5 beside a task from 0 to 10 is infeasible under no_overlap and feasible under cumulative,
#        even if the milestone demands 5 of a capacity of 1.
# ortools 9.15.6755 of PyPI.
# shellcheck source=findings/setup
. "$(dirname "${BASH_SOURCE[0]}")/setup"

from_pypi ortools==9.15.6755
cat >solve.py <<'EOF'
import sys
from ortools.sat.python import cp_model

model = cp_model.CpModel()
intervals = [model.new_fixed_size_interval_var(0, 10, 'task'), model.new_fixed_size_interval_var(5, 0, 'milestone')]
if sys.argv[1] == 'no_overlap':
    model.add_no_overlap(intervals)
else:
    model.add_cumulative(intervals, [1, int(sys.argv[2])], 1)
solver = cp_model.CpSolver()
print(solver.status_name(solver.solve(model)))
EOF
differs 'ortools 9.15, no_overlap' INFEASIBLE "$(python solve.py no_overlap)"
differs 'ortools 9.15, cumulative of demands 1 and 1' OPTIMAL "$(python solve.py cumulative 1)"
differs 'ortools 9.15, cumulative of demands 1 and 5' OPTIMAL "$(python solve.py cumulative 5)"
