"""`import --measure` on a machine that is busy with other work: what a command waited for that is no part of its time."""
import os
import pathlib
import sqlite3
import subprocess
import sys

import case

WORK = 'import time; exec("while time.process_time() < 0.3: pass")'

os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])  # one processor, which others keep busy
with case.folder() as scratch:
    folder = pathlib.Path(scratch)
    (folder / 'work').write_text(WORK)
    (folder / 'build.ninja').write_text('rule r\n  command = python3 work && touch $out\nbuild o: r\n')
    others = [subprocess.Popen([sys.executable, '-c', 'while True: pass']) for _ in range(4)]
    try:
        done = case.bigrocks('import', 'ninja', '-C', folder, '--measure', '--history', folder / 'history', '-o',
                             folder / 'job.xml')
    finally:
        for other in others:
            other.kill()
            other.wait()
    if 'libsqlite3' in done.stderr:
        sys.exit(77)
    assert done.returncode == 0 and 'busy with other work: what 1 of 1 commands waited for' in done.stderr, done
    with sqlite3.connect(folder / 'history') as base:
        (wall_ns, cpu_ns), = base.execute('SELECT wall_ns, cpu_ns FROM sample')
    assert cpu_ns >= 3e8 and wall_ns < cpu_ns + 2e8, (wall_ns, cpu_ns)
