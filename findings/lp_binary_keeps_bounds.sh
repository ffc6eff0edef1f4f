#!/usr/bin/env bash
# Guess: in CPLEX's LP format, `Binary` makes a variable 0 or 1, whatever `Bounds` said before.
# Seen:  HiGHS and GLPK keep the upper bound of 5 and maximise to 5; CBC gives 1.
# HiGHS 1.16.0 (highspy), GLPK 5.0 (swiglpk 5.0.13), CBC 2.10.3 (PuLP 3.3.2) of PyPI.
# shellcheck source=findings/setup
. "$(dirname "${BASH_SOURCE[0]}")/setup"

solvers
cat >binary.lp <<'EOF'
Maximize
 obj: x
Subject To
 c: x <= 9
Bounds
 x <= 5
Binary
 x
End
EOF
differs 'HiGHS, maximum' 5 "$(optimum highs binary.lp)"
differs 'GLPK, maximum' 5 "$(optimum glpk binary.lp)"
differs 'CBC, maximum' 1 "$(optimum cbc binary.lp)"
