"""Project files and Standard Task Graphs refused numbers from 2^32 on, so memory in bytes and times in
nanoseconds; and a job shop was called a Patterson project that is cut off.
"""
import pathlib

from case import bigrocks, folder

FILES = {
    'bytes.rcp': '1 1\n8589934592\n3 4294967296 0\n',
    'long.rcp': '1 1\n1\n2000000000 1 0\n',
    'bytes.sm': None,
    'long.stg': '1\n0 0 0\n1 2147483648 1 0\n2 0 1 1\n',
    'many.rcp': '1 1\n1000000000000000000\n3 1 0\n',
    'longer.rcp': '1 1\n1\n9223372037 1 0\n',
    'wide.rcp': '1 1\n18446744073709551617\n3 1 0\n',  # 2^64 + 1
    'shop.txt': '3 2\n0 3 1 2\n1 4 0 1\n0 2 1 5\n',
}
FILES['bytes.sm'] = '''jobs (incl. supersource/sink ):  1
RESOURCES
  - renewable                 :  1   R
PRECEDENCE RELATIONS:
jobnr.    #modes  #successors   successors
   1        1          0
REQUESTS/DURATIONS:
jobnr. mode duration  R 1
  1      1     3       4294967296
RESOURCEAVAILABILITIES:
  R 1
 8589934592
'''
WANTED = {'bytes.rcp': '3', 'bytes.sm': '3', 'long.rcp': '2000000000', 'long.stg': '2147483648',
          'shop.txt': '11'}
REFUSED = {'many.rcp': 'amounts have up to 18 digits', 'wide.rcp': 'amounts have up to 18 digits',
           'longer.rcp': 'durations go up to 292 years'}

with folder() as scratch:
    for name, text in FILES.items():
        path = pathlib.Path(scratch) / name
        path.write_text(text)
        cluster = ('--capacity', 'cpu=1') if name.endswith('.stg') else ()
        done = bigrocks('bound', path, *cluster, '--no-lp', '-q')
        if name in WANTED:
            assert done.stdout == WANTED[name] + '\n', (name, done.stdout, done.stderr)
        else:
            assert done.returncode == 3 and REFUSED[name] in done.stderr, (name, done.stderr)
