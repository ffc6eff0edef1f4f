#!/usr/bin/env bash
# Guess: in CPLEX's LP format, a constant on the left of a constraint moves to the right, and one in the objective is
#        part of its value; a solver that cannot do it refuses the file.
# Seen:  HiGHS solves `x + 1 >= 2` as `x >= 2`: it warns and reads on without the 1. CBC reports the value of an
#        objective `x + 10` without the 10. GLPK refuses both files, and CBC the first.
# HiGHS 1.16.0 (highspy), GLPK 5.0 (swiglpk 5.0.13), CBC 2.10.3 (PuLP 3.3.2) of PyPI.
# shellcheck source=findings/setup
. "$(dirname "${BASH_SOURCE[0]}")/setup"

solvers
printf '%s\n' Minimize ' obj: x' 'Subject To' ' c: x + 1 >= 2' End >constraint.lp
printf '%s\n' Minimize ' obj: x + 10' 'Subject To' ' c: x >= 2' End >objective.lp
for triple in highs:2:12 glpk:refused:refused cbc:refused:2; do
    IFS=: read -r solver constraint objective <<<"$triple"
    differs "$solver, least x with x + 1 >= 2" "$constraint" "$(optimum "$solver" constraint.lp)"
    differs "$solver, least x + 10 with x >= 2" "$objective" "$(optimum "$solver" objective.lp)"
done
