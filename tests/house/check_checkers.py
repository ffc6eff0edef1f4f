#!/usr/bin/env python3
"""The checkers of plans and proofs link without anything that finds plans or bounds.

check_checkers.py CORE_LIBRARY SOURCE

Each object of a room of ROOMS needs only symbols of the rooms named there, besides those that are not the
core's. (The test "floors" holds the headers, but the public ones declare finders to everybody.)
"""
import pathlib
import re
import subprocess
import sys

ROOMS = {'planner/check': ('planner/check', 'planner/model', 'base'),
         'planner/model': ('planner/model', 'base')}


def objects(library):
    """By the name of an object: the symbols that it defines, and those that it needs."""
    lines = subprocess.run(['nm', '-A', '--format=posix', library], check=True, text=True,
                           capture_output=True).stdout.splitlines()
    defined, needed = {}, {}
    for line in lines:
        member, symbol, kind = re.match(r'.*?([^/\[\]:]+\.o)\]?: (\S+) (\S)', line).groups()
        if kind in 'Uw' or kind.isupper():
            (needed if kind in 'Uw' else defined).setdefault(member, set()).add(symbol)
    return defined, needed


def main():
    library, source = sys.argv[1], pathlib.Path(sys.argv[2])
    defined, needed = objects(library)
    files = {str(p.relative_to(source)).replace('/', '_') + '.o': str(p.relative_to(source))
             for room in ('base', 'planner', 'runtime', 'simulate') for p in (source / room).rglob('*.c')}
    owner = {symbol: files[member] for member in defined for symbol in defined[member]
             if member in files}
    faults, looked = [], 0
    for room, allowed in ROOMS.items():
        rooms = tuple(name + '/' for name in allowed)
        members = [m for m in defined if files.get(m, '').startswith(room + '/')]
        assert len(members) > 5, 'no objects of %s in %s' % (room, library)
        for member in members:
            looked += len(needed.get(member, ()))
            faults += ['%s uses %s of %s' % (files[member], symbol, owner[symbol])
                       for symbol in sorted(needed.get(member, ()))
                       if symbol in owner and not owner[symbol].startswith(rooms)]
    assert looked > 100, 'the symbols were not understood'
    print('\n'.join(faults) or '%d symbols that are needed' % looked)
    return bool(faults)


if __name__ == '__main__':
    sys.exit(main())
