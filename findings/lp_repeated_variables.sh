#!/usr/bin/env bash
# Guess: a variable that stands twice in a row or an objective of the LP format counts with the sum of its coefficients,
#        so that a writer may add up the demands of tasks as it meets them.
# Seen:  HiGHS adds them up; GLPK and CBC refuse the file.
# HiGHS 1.16.0 (highspy), GLPK 5.0 (swiglpk 5.0.13), CBC 2.10.3 (PuLP 3.3.2) of PyPI.
# shellcheck source=findings/setup
. "$(dirname "${BASH_SOURCE[0]}")/setup"

solvers
printf 'Minimize\n obj: 3 x + 2 x\nSubject To\n row: x >= 1\nEnd\n' >objective.lp
printf 'Minimize\n obj: x\nSubject To\n row: x + x >= 4\nEnd\n' >row.lp
differs 'HiGHS, objective 3 x + 2 x at x = 1' 5 "$(optimum highs objective.lp)"
differs 'HiGHS, least x with x + x >= 4' 2 "$(optimum highs row.lp)"
for solver in glpk cbc; do
    differs "$solver, objective" refused "$(optimum $solver objective.lp)"
    differs "$solver, row" refused "$(optimum $solver row.lp)"
done
