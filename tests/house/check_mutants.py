#!/usr/bin/env python3
"""The changes that bench/mutate tries: what is there to be changed is, in every way it should be, and
what no test can see is left alone. Skipped without clang.

check_mutants.py ROOT
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

C = '''#include <assert.h>
#include <stdlib.h>
#define LIMIT 8
static int warn_all(const char *text, int a) { return text[a]; }
static int twice(int a, int b)
{
    return a - 2 * b;
}
int sum(const int *value, int count)
{
    int total = LIMIT, *copy = malloc(count * 4 + 1);
    assert(count > 0);
    if (!copy)
        goto out;
    for (int k = 0; k < count; k++) {
        if (value[k] < 0 || k == 7)
            continue;
        total += twice(value[k], total);
    }
    warn_all("more than 3", 5);
out:
    free(copy);
    return total > LIMIT ? total : -total;
}
void sum_destroy(int *value)
{
    if (value)
        value[0] = 9;
    free(value);
}
'''
C_WANTED = [
    ('arithmetic', '-', '+'), ('arithmetic', '*', '/'), ('constant', '2', '3'), ('constant', '2', '1'),
    ('compare', '<', '<='), ('compare', '<', '>'), ('compare', '==', '!='), ('compare', '>', '>='),
    ('logic', '||', '&&'), ('drop right', 'value[k] < 0 || k == 7', 'value[k] < 0'),
    ('drop left', 'value[k] < 0 || k == 7', 'k == 7'), ('delete', 'continue', ''),
    ('negate', 'value[k] < 0 || k == 7', '!(value[k] < 0 || k == 7)'), ('assign', '+=', '-='),
    ('delete', 'total += twice(value[k], total)', '(void)0'), ('constant', '7', '8'),
    ('swap arguments', 'value[k], total', 'total, value[k]'), ('count', '++', '--'),
    ('other branch', 'total : -total', '-total : total'), ('drop -', '-', ' '),
    ('return early', '', ' return 0;'), ('start at 0', 'LIMIT', '0'),
]
# In an assert, in a message, for memory, in a macro, in what only gives back.
C_LEFT = ['count > 0', '3', '5', '4', '!copy', 'free(copy)', 'LIMIT 8', '9', 'value[0] = 9']
PYTHON = '''LIMIT = 8
def check(values, most):
    for value in values:
        if value > most and value != 3:
            raise ValueError('no %d' % value)
        need(value >= 0, 'below 0')
    return most - 1
'''
PYTHON_WANTED = [
    ('compare', '>', '>='), ('compare', '!=', '=='), ('logic', 'and', 'or'), ('arithmetic', '-', '+'),
    ('delete', "raise ValueError('no %d' % value)", 'pass'), ('always', 'value >= 0', 'True'),
    ('negate', 'value > most and value != 3', 'not (value > most and value != 3)'), ('constant', '3', '4'),
]


def main():
    if not shutil.which('clang'):
        print('clang is not there')
        return 77
    sys.path.insert(0, str(pathlib.Path(sys.argv[1]) / 'bench'))
    from mutants_of import mutants_of
    faults = []
    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(scratch)
        (root / 'a.c').write_text(C)
        (root / 'a.py').write_text(PYTHON)
        command = ['clang', '-fsyntax-only', '-w', '-Xclang', '-ast-dump=json', 'a.c']
        sources, mutants = mutants_of(root, ['a.c', 'a.py'], [('a.c', command)])
        for file, wanted in (('a.c', C_WANTED), ('a.py', PYTHON_WANTED)):
            source = sources[file]
            found = {(m.operator, source.text(m.begin, m.end), m.text) for m in mutants
                     if m.file == file and not m.idle}
            faults += [f'{file}: none is {w}' for w in wanted if w not in found]
        left = {sources['a.c'].text(m.begin, m.end) for m in mutants if m.file == 'a.c' and not m.idle}
        faults += [f'a.c: {text!r} is changed' for text in C_LEFT if text in left]
        for m in mutants:  # what is made is still a program
            source = sources[m.file].bytes
            text = source[:m.begin] + m.text.encode() + source[m.end:]
            if text.count(b'\n') != source.count(b'\n'):
                faults.append(f'{m}: lines have moved')
            if m.file == 'a.py':
                compile(text, 'a.py', 'exec')
                continue
            (root / 'b.c').write_bytes(text)
            if subprocess.run(['clang', '-fsyntax-only', '-w', 'b.c'], cwd=root, check=False,
                              stderr=subprocess.DEVNULL).returncode:
                faults.append(f'{m} does not compile')
    print('\n'.join(faults) or f'{len(mutants)} changes')
    return bool(faults)


if __name__ == '__main__':
    sys.exit(main())
