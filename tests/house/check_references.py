#!/usr/bin/env python3
"""Every [Key] that a source cites stands in docs/references.bib, and every entry there is cited.

check_references.py SOURCE_ROOT
"""
import pathlib
import re
import sys

ROOMS = ['include', 'base', 'planner', 'parsers', 'emit', 'generate', 'lp', 'cli', 'runtime', 'store', 'cluster', 'docs', 'bench']


def main():
    root = pathlib.Path(sys.argv[1])
    known = set(re.findall(r'^@\w+\{(\w+),', (root / 'docs/references.bib').read_text(), re.M))
    assert known, 'no entries'
    cited, faults = set(), []
    for room in ROOMS:
        for path in sorted((root / room).rglob('*')):
            if path.suffix not in ('.c', '.h', '.md', '.py'):
                continue
            for key in re.findall(r'\[([A-Z][a-zA-Z]+\d\d[a-z]?)(?:, [^\]]*)?\]', path.read_text()):
                cited.add(key)
                if key not in known:
                    faults.append('%s cites %s' % (path.relative_to(root), key))
    faults += ['nobody cites ' + key for key in sorted(known - cited)]
    print('\n'.join(faults) or '%d references' % len(known))
    return bool(faults)


if __name__ == '__main__':
    sys.exit(main())
