#!/usr/bin/env python3
"""The shared library exports exactly what the public headers mark BR_API, under its SONAME.

check_symbols.py LIBRARY INCLUDE_DIR
"""
import pathlib
import re
import subprocess
import sys


def output(*command):
    return subprocess.run(command, check=True, text=True, capture_output=True).stdout


def declared(include):
    names = set()
    for header in include.glob('bigrocks/*.h'):
        text = re.sub(r'/\*.*?\*/', '', header.read_text(), flags=re.S)
        text = re.sub(r'^\s*#.*$', '', text, flags=re.M)
        # The first name that a parenthesis follows; parameters may hold function pointers.
        names.update(re.findall(r'\bBR_API\b[^;(]*?\b(\w+)\s*\(', text))
    return names


def main():
    library, include = sys.argv[1], pathlib.Path(sys.argv[2])
    exported = {line.split()[-1].split('@')[0]
                for line in output('nm', '-D', '--defined-only', library).splitlines()}
    wanted = declared(include)
    assert len(wanted) > 20, 'the headers were not understood'
    faults = ['declared, not exported: ' + name for name in sorted(wanted - exported)]
    faults += ['exported, not declared: ' + name for name in sorted(exported - wanted)]
    soname = re.search(r'SONAME.*\[(.*)\]', output('readelf', '-d', library))
    if not soname or soname.group(1) != 'libbigrocks.so.0':
        faults.append('SONAME is %s' % (soname and soname.group(1)))
    print('\n'.join(faults) or '%d symbols' % len(exported))
    return bool(faults)


if __name__ == '__main__':
    sys.exit(main())
