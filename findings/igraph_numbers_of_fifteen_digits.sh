#!/usr/bin/env bash
# Guess: numbers are written with the digits that bring the same double back (17), and integers as integers.
# Seen:  all formats have 15 digits. A start in nanoseconds since 1970 is 3,307 ns late when it is read again, and
#        0.1 + 0.2 comes back as 0.3, so that a sum of durations that was checked before differs after.
# igraph 1.0.0 of PyPI.
# shellcheck source=findings/setup
. "$(dirname "${BASH_SOURCE[0]}")/setup"

from_pypi igraph==1.0.0
cat >digits.py <<'EOP'
import igraph

job = igraph.Graph(n=2, edges=[(0, 1)], directed=True)
job.vs['start'] = [1764450000123456789, 1]
job.vs['duration'] = [0.1 + 0.2, 1.0]
for name in 'graphml', 'gml':
    job.write('job.' + name, format=name)
    again = igraph.Graph.Read('job.' + name, format=name)
    print(name, int(again.vs['start'][0]) - job.vs['start'][0], again.vs['duration'][0] == job.vs['duration'][0])
EOP
differs "igraph 1.0.0, a start later by ns, and whether a duration is equal" "graphml 3307 False
gml 3307 False" "$(python digits.py)"
