#!/usr/bin/env bash
# Guess: an integer column of an MPS file (between INTORG and INTEND) without a bound goes from 0 to infinity, as one of
#        the LP format does, and as a continuous column of MPS does.
# Seen:  it goes from 0 to 1 in all three solvers: maximising x with x <= 10.5 gives 1, and 10 in the LP format. A lower
#        bound of 0, which looks as if it changed nothing, makes it 10 in HiGHS and CBC, and leaves 1 in GLPK. So whoever
#        writes starts in ticks must give each an upper bound.
# HiGHS 1.16.0 (highspy), GLPK 5.0 (swiglpk 5.0.13), CBC 2.10.3 (PuLP 3.3.2) of PyPI.
# shellcheck source=findings/setup
. "$(dirname "${BASH_SOURCE[0]}")/setup"

solvers
cat >bare.mps <<'EOF'
NAME t
ROWS
 N obj
 L row
COLUMNS
 M1 'MARKER' 'INTORG'
 x obj -1 row 1
 M2 'MARKER' 'INTEND'
RHS
 right row 10.5
ENDATA
EOF
sed 's/^ENDATA/BOUNDS\n LO bound x 0\nENDATA/' bare.mps >lower.mps
sed 's/^ENDATA/BOUNDS\n UP bound x 100\nENDATA/' bare.mps >upper.mps
printf 'Minimize\n obj: - x\nSubject To\n row: x <= 10.5\nGeneral\n x\nEnd\n' >general.lp
for solver in highs glpk cbc; do
    differs "$solver, MPS without bounds" -1 "$(optimum $solver bare.mps)"
    differs "$solver, MPS with UP 100" -10 "$(optimum $solver upper.mps)"
    differs "$solver, LP format" -10 "$(optimum $solver general.lp)"
done
differs 'HiGHS, MPS with LO 0' -10 "$(optimum highs lower.mps)"
differs 'GLPK, MPS with LO 0' -1 "$(optimum glpk lower.mps)"
differs 'CBC, MPS with LO 0' -10 "$(optimum cbc lower.mps)"
