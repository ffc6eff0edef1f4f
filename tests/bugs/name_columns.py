"""Tables of names for people: '@' is itself at the beginning of a name, and a name that is cut does not move its row."""
import os
import pathlib
import subprocess
import sys

import case

NAMES = ['@mdx-js/react:build', 'short', 'CMakeFiles/one.dir/src/below/that/is/a/long/folder/color_sinks.cpp.o',
         'a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t/u.o', 'caf\u00e9/' + 'x' * 60]

with case.folder() as scratch:
    folder = pathlib.Path(scratch)
    (folder / 'job.xml').write_text('<job xmlns="urn:bigrocks:job:1" name="@scope/name">%s</job>' % ''.join(
        '<stage id="%s" duration="1"><command>true</command></stage>' % name for name in NAMES))
    done = case.bigrocks('run', folder / 'job.xml', '--history', folder / 'history', '-q')
    if 'libsqlite3' in done.stderr:
        sys.exit(77)
    assert done.returncode == 0, done
    jobs = case.bigrocks('history', folder / 'history').stdout
    assert '@scope/name ' in jobs and 'u0040' not in jobs, jobs
    table = case.bigrocks('history', folder / 'history', '@scope/name').stdout
    assert '@mdx-js/react:build ' in table and 'u0040' not in table, table
    lines = table.splitlines()
    head = next(line for line in lines if line.startswith('stage '))
    rows = lines[lines.index(head) + 1:lines.index(head) + 1 + len(NAMES)]
    column = head.index('runs') + len('runs')
    assert any('\u2026' in row for row in rows), table
    assert all(row[column - 1] == '1' and row[column] == ' ' for row in rows), table
    bigrocks = pathlib.Path(sys.argv[1]).resolve()
    told = subprocess.run([bigrocks, 'serve', '--capacity', 'cpu=1', '--', 'sh', '-c',
                           '"$0" admit --key @a/b:c -- sh -c \'"$0" serve --status\' "$0"', bigrocks],
                          text=True, capture_output=True, timeout=60, env=dict(os.environ))
    assert '@a/b:c' in told.stdout and 'u0040' not in told.stdout, told
