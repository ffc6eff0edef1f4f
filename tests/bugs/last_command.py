"""A server that comes to know of a command's end and of the build's at once lost what the command had used.

Called with the program and slow_send, a library that holds a server up after it has let a command start.
"""
import pathlib
import sqlite3
import sys

import case

SLOW_SEND = pathlib.Path(sys.argv[2]).resolve()

with case.folder() as scratch:
    history = pathlib.Path(scratch) / 'history.sqlite'
    done = case.bigrocks('serve', '--capacity', 'cpu=1', '--history', history, '--', case.BIGROCKS, 'admit', '--key', 'last',
                         '--', 'true', cwd=scratch, env=dict(case.ENVIRONMENT, LD_PRELOAD=str(SLOW_SEND)))
    assert done.returncode == 0 and '1 command admitted' in done.stderr, done
    with sqlite3.connect(history) as database:
        rows = database.execute('SELECT name FROM sample JOIN stage ON sample.stage = stage.id').fetchall()
    assert rows == [('last',)], rows
