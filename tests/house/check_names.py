#!/usr/bin/env python3
"""A name means one thing: all headers compile together in one file, and hardly a function's name recurs, so that grep, a
debugger and a profile find the one that is meant.

check_names.py SOURCE_ROOT BUILD_DIR CC...

Besides, the test is seen to fail: with a type that another header has as well, and with functions of one name.
"""
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

OUTSIDE = {'bench', 'examples', 'python', 'tests'}
MOST = 0.05 # of the functions may have a name that recurs
HEAD = re.compile(r'^(?!#|typedef|else|return|if|for|while|switch|case)(?:[A-Za-z_]\w*[ \t\n*]+)+(\w+)\(', re.M)


def sources(root, pattern):
    names = (path.relative_to(root) for path in root.glob(pattern))
    return sorted(name for name in names if not name.parts[0].startswith(('build', '.')) and name.parts[0] not in OUTSIDE)


def defined(text):
    """The functions that it defines."""
    for match in HEAD.finditer(text):
        depth, at = 1, match.end()
        while depth and at < len(text):
            depth += {'(': 1, ')': -1}.get(text[at], 0)
            at += 1
        if text[at:at + 200].lstrip().startswith('{'):
            yield match[1]


def recurring(texts):
    """(functions, those whose name another file has, too)"""
    count = collections.Counter(name for text in texts for name in set(defined(text)))
    return sum(count.values()), {name: k for name, k in count.items() if k > 1}


def options(build):
    """What sources are compiled with to find headers."""
    found = []
    for row in json.loads((build / 'compile_commands.json').read_text()):
        for word in row['command'].split():
            if re.match('-I|-isystem|-D_|-DBR_API', word) and word not in found:
                found.append(word)
    return found


def compiles(headers, compiler, words, folder):
    text = ''.join('#include "%s"\n' % header for header in headers)
    return subprocess.run([*compiler, '-std=c11', '-fsyntax-only', *words, '-x', 'c', '-'], input=text, text=True,
                          capture_output=True, cwd=folder)


def main():
    root, build, compiler = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:]
    headers = [*sources(root, '*/**/*.h'), *sources(root, '*.h')]
    words = ['-I%s' % root, '-I%s' % (root / 'include'), *options(build)]
    run = compiles(headers, compiler, words, build)
    with tempfile.TemporaryDirectory(prefix='bigrocks-names') as scratch:
        twice = pathlib.Path(scratch) / 'twice.h'
        twice.write_text('struct br_space { int two; };\n')
        assert compiles([*headers, twice], compiler, words, build).returncode, 'a second struct br_space is not seen'
    total, again = recurring((root / name).read_text() for name in sources(root, '*/**/*.[ch]'))
    assert recurring(['static int a(int b)\n{\n}\nint a(int);\n', 'int *a(void (*f)(int),\n       int b)\n{\n}\n']) == (2, {'a': 2})
    share = sum(again.values()) / total
    print('%d headers together; %d functions, %.1f %% have a name that recurs' % (len(headers), total, 100 * share))
    if run.returncode:
        print(run.stderr)
    if share > MOST:
        print(', '.join('%s (%d)' % (name, again[name]) for name in sorted(again, key=again.get, reverse=True)[:40]))
    return run.returncode > 0 or share > MOST


if __name__ == '__main__':
    sys.exit(main())
