#!/usr/bin/env python3
"""Every public header compiles alone, as C and as C++, without a warning.

check_headers.py INCLUDE_DIR CC... [--cxx CXX...]
"""
import pathlib
import subprocess
import sys

C_STANDARDS = ['-std=c11', '-std=c17']
CXX_STANDARDS = ['-std=c++11', '-std=c++17']
FLAGS = ['-Wall', '-Wextra', '-Wpedantic', '-Werror', '-fsyntax-only']


def main():
    include = pathlib.Path(sys.argv[1])
    words = sys.argv[2:]
    split = words.index('--cxx') if '--cxx' in words else len(words)
    compilers = [(words[:split], 'c', C_STANDARDS)]
    if words[split + 1:]:
        compilers.append((words[split + 1:], 'c++', CXX_STANDARDS))
    headers = sorted(include.glob('bigrocks/*.h'))
    assert headers, 'no headers in %s' % include
    failed = 0
    for header in headers:
        name = header.relative_to(include)
        for compiler, language, standards in compilers:
            for standard in standards:
                # Twice, so that a header without a guard is found as well.
                run = subprocess.run(
                    [*compiler, standard, *FLAGS, '-I', str(include), '-x', language, '-'],
                    input='#include <%s>\n#include <%s>\n' % (name, name), text=True,
                    capture_output=True)
                if run.returncode:
                    failed += 1
                    print('%s alone, %s:\n%s' % (name, standard, run.stderr))
    print('%d headers, %s' % (len(headers), 'as C and C++' if len(compilers) > 1 else
                              'as C only: there is no C++ compiler'))
    return failed > 0


if __name__ == '__main__':
    sys.exit(main())
