#!/usr/bin/env python3
"""The installed files are enough for others: `meson install`, then examples/use_api.c is compiled by
pkg-config's flags alone, against the shared and against the static library, and run.

check_install.py MESON BUILD_DIR USE_API_C CC...
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


# The last line of what use_api prints; the two figures meet, so no search can do better.
EXPECTED = 'makespan 39.0 s; no plan takes less than 39.0 s'


SOURCE = pathlib.Path(__file__).resolve().parents[2] / 'examples'


def run(command, **options):
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          **options)
    if done.returncode:
        sys.exit('%s\n%s' % (' '.join(map(str, command)), done.stdout))
    return done.stdout


def check_examples(root):
    """The help of an installed program says where its examples are, and they work there."""
    program = next(root.rglob('bin/bigrocks'))
    said = run([program, 'help'])
    folder = pathlib.Path(re.search(r'^The examples are in (/.*)\.$', said, re.M).group(1))
    assert folder.is_relative_to(root.resolve()) and folder.name == 'examples', folder
    assert 'Examples (their files are in %s):' % folder in run([program, 'help', 'plan'])
    assert '\nExamples:\n' in run([program, 'help', 'completion'])
    command = re.search(r'^  bigrocks (plan examples/.*)$', said, re.M).group(1)
    assert 'makespan' in run([program, *command.split()], cwd=folder.parent)
    missing = {p.name for p in SOURCE.iterdir() if p.name != 'meson.build'} - {p.name for p in folder.iterdir()}
    assert not missing, missing


def main():
    meson, build, source = sys.argv[1:4]
    compiler = sys.argv[4:]
    if not shutil.which('pkg-config'):
        print('pkg-config is not installed')
        return 77
    # Without blanks in its path: pkg-config's flags are split at blanks below.
    with tempfile.TemporaryDirectory(prefix='bigrocks-install') as destination:
        root = pathlib.Path(destination)
        run([meson, 'install', '-C', build, '--no-rebuild', '--destdir', destination])
        described = list(root.rglob('bigrocks.pc'))
        assert len(described) == 1, described
        environment = dict(os.environ, PKG_CONFIG_PATH=str(described[0].parent),
                           PKG_CONFIG_SYSROOT_DIR=destination)
        environment.pop('DESTDIR', None)
        library = next(root.rglob('libbigrocks.so.0')).parent

        def flags(*options):
            return run(['pkg-config', *options, 'bigrocks'], env=environment).split()

        shared, static = root / 'use-shared', root / 'use-static'
        run([*compiler, source, '-o', shared, *flags('--cflags', '--libs')])
        run([*compiler, source, '-o', static, *flags('--cflags'), library / 'libbigrocks.a',
             *[f for f in flags('--static', '--libs') if f not in ('-lbigrocks',)]])
        needed = run(['readelf', '-d', static])
        assert 'libbigrocks' not in needed, needed
        here = dict(os.environ, LD_LIBRARY_PATH=str(library))
        said = run([shared], env=here)
        assert said == run([static]), said
        assert EXPECTED in said, said
        assert run(['pkg-config', '--modversion', 'bigrocks'], env=environment).strip()
        documents = {path.name for path in (pathlib.Path(__file__).parents[2] / 'docs').glob('*.md')}
        missing = documents - {path.name for path in root.rglob('doc/bigrocks/*.md')}
        assert documents and not missing, missing
        check_examples(root)
        print(said)
    return 0


if __name__ == '__main__':
    sys.exit(main())
