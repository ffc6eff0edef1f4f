#!/usr/bin/env bash
# Guess: an RHS of 10 on the objective's row of an MPS file is a constant of -10, in all solvers.
# Seen:  it is in HiGHS and CBC; in GLPK it is +10. Minimising x with x >= 2 gives -8, -8 and 12.
# HiGHS 1.16.0 (highspy), GLPK 5.0 (swiglpk 5.0.13), CBC 2.10.3 (PuLP 3.3.2) of PyPI.
# shellcheck source=findings/setup
. "$(dirname "${BASH_SOURCE[0]}")/setup"

solvers
cat >constant.mps <<'EOF'
NAME t
ROWS
 N obj
 G row
COLUMNS
 x obj 1 row 1
RHS
 right row 2 obj 10
ENDATA
EOF
differs 'HiGHS, minimum' -8 "$(optimum highs constant.mps)"
differs 'GLPK, minimum' 12 "$(optimum glpk constant.mps)"
differs 'CBC, minimum' -8 "$(optimum cbc constant.mps)"
