#!/usr/bin/env python3
"""No program links both cgraph and GLPK, and the library links neither; see docs/licensing.md.

check_licensing.py PROGRAM:FORBIDDEN[,FORBIDDEN...] ...
where FORBIDDEN begins the name of a shared library, such as libglpk.
"""
import subprocess
import sys


def libraries(program):
    """All shared libraries that come with the program, also those that libraries bring."""
    run = subprocess.run(['ldd', program], check=True, text=True, capture_output=True)
    names = [line.split()[0].rsplit('/', 1)[-1] for line in run.stdout.splitlines() if line.split()]
    assert any(name.startswith('libc.so') for name in names), run.stdout
    return names


def main():
    failed = False
    for argument in sys.argv[1:]:
        program, forbidden = argument.rsplit(':', 1)
        linked = libraries(program)
        found = [name for name in linked if name.startswith(tuple(forbidden.split(',')))]
        print('%s: %s' % (program, 'links ' + ', '.join(found) if found else 'as it should be'))
        failed |= bool(found)
    return failed


if __name__ == '__main__':
    sys.exit(main())
