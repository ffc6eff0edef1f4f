#!/usr/bin/env bash
# Guess: `workers=[...]` with `allow_other_workers=True` is a mere preference: tasks of lower priority that have it still
#        start after ready ones of higher priority.
# Seen:  tasks that have it are never queued on the scheduler. All twelve go to the worker at once, where three of the
#        higher priority are; the other nine wait in the scheduler's queue until the twelve have run. Tasks with
#        `resources=` do the same.
# distributed 2026.8.0 of PyPI, Python 3.11, one worker with two threads.
# shellcheck source=findings/setup
. "$(dirname "${BASH_SOURCE[0]}")/setup"

from_pypi distributed==2026.8.0 dask==2026.8.0
cat >order.py <<'EOF'
import sys
import time
from distributed import Client, LocalCluster, wait


def task(name):
    with open('log', 'a') as log:
        log.write(name)
    time.sleep(0.1)


with LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=':0',
                  resources={'token': 100}) as cluster, Client(cluster) as client:
    more = {'plain': {}, 'resources': {'resources': {'token': 1}},
            'named': {'workers': list(client.scheduler_info()['workers']), 'allow_other_workers': True}}[sys.argv[1]]
    high = client.map(task, ['h'] * 12, key=['high-%d' % k for k in range(12)], priority=10)
    low = client.map(task, ['l'] * 12, key=['low-%d' % k for k in range(12)], priority=1, **more)
    wait(high + low)
EOF
for pair in plain:hhhhhhhhhhhhllllllllllll named:hhhllllllllllllhhhhhhhhh resources:hhhllllllllllllhhhhhhhhh; do
    rm -f log
    python order.py "${pair%:*}"
    differs "distributed 2026.8.0, order of high and low with ${pair%:*}" "${pair#*:}" "$(cat log)"
done
