#!/usr/bin/env python3
"""A shared library exports exactly what its public headers mark BR_API, each with a comment, under its SONAME and the
version of its names, and calls no function of the mathematics library whose last bit differs between machines.

check_symbols.py LIBRARY INCLUDE_DIR HEADER...
"""
import pathlib
import re
import subprocess
import sys


def output(*command):
    return subprocess.run(command, check=True, text=True, capture_output=True).stdout


def declared(headers):
    names = set()
    for header in headers:
        text = re.sub(r'/\*.*?\*/', '', header.read_text(), flags=re.S)
        text = re.sub(r'^\s*#.*$', '', text, flags=re.M)
        # The first name that a parenthesis follows; parameters may hold function pointers.
        names.update(re.findall(r'\bBR_API\b[^;(]*?\b(\w+)\s*\(', text))
    return names


def undocumented(header):
    """Functions without a comment of their own or above the lines that they share with others."""
    text = re.sub(r'^\s*#.*$', '', header.read_text(), flags=re.M)
    for block in re.split(r'\n\s*\n', text):
        if 'BR_API' in block.partition('/*')[0]:
            yield from re.findall(r'\bBR_API\b[^;(]*?\b(\w+)\s*\(', block.partition('/*')[0])


def unversioned(library):
    """Names without the version of the SONAME: BIGROCKS_0."""
    lines = output('nm', '-D', '--defined-only', library).splitlines()
    return [line.split()[-1] for line in lines if ' A ' not in line and '@@BIGROCKS_0' not in line]


# Exact by their definition (of the greater and the lesser of two, but for the sign of a zero); IEEE 754 fixes the
# square root.
EXACT = {'ceil', 'floor', 'fmax', 'fmin', 'frexp', 'ldexp', 'sqrt'}


def names(*options):
    """Without their versions, which stand among them as absolute symbols."""
    return {line.split()[-1].split('@')[0] for line in output('nm', '-D', *options).splitlines() if ' A ' not in line}


def inexact(library):
    """The functions of libm that the library calls, but for those that are exact."""
    found = re.search(r'libm\.so\S* => (/\S+)', output('ldd', library))
    if not found:
        return set()
    return (names('--undefined-only', library) & names('--defined-only', found.group(1))) - EXACT


def main():
    library, include = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    exported = names('--defined-only', library)
    headers = [include / 'bigrocks' / header for header in sys.argv[3:]]
    wanted = declared(headers)
    assert len(wanted) > 5, 'the headers were not understood'
    faults = ['declared, not exported: ' + name for name in sorted(wanted - exported)]
    faults += ['exported, not declared: ' + name for name in sorted(exported - wanted)]
    faults += ['called, and not the same on every machine: ' + name for name in sorted(inexact(library))]
    faults += ['no comment says what it does: ' + name for header in headers for name in undocumented(header)]
    faults += ['without the version of its library: ' + name for name in unversioned(library)]
    soname = re.search(r'SONAME.*\[(.*)\]', output('readelf', '-d', library))
    if not soname or soname.group(1) != library.name.partition('.so')[0] + '.so.0':
        faults.append('SONAME is %s' % (soname and soname.group(1)))
    print('\n'.join(faults) or '%d symbols' % len(exported))
    return bool(faults)


if __name__ == '__main__':
    sys.exit(main())
