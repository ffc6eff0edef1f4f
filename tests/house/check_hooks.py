#!/usr/bin/env python3
"""The hooks of .githooks format what is committed, refuse to commit half of a badly formatted source, and refuse subjects
without a room or longer than 72 characters.

check_hooks.py SOURCE_ROOT
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(sys.argv[1]).absolute()
BAD, GOOD = 'int  a;\n', 'int a;\n'


def main():
    if not shutil.which('git') or not shutil.which('clang-format'):
        print('git or clang-format is not installed')
        return 77
    with tempfile.TemporaryDirectory(prefix='bigrocks-hooks') as scratch:
        folder = pathlib.Path(scratch)

        def git(*words, fails=False):
            done = subprocess.run(['git', '-c', 'user.name=a', '-c', 'user.email=a@b', *words], cwd=folder,
                                  capture_output=True, text=True)
            assert bool(done.returncode) == fails, (words, done)
            return done.stdout + done.stderr

        git('init', '-q')
        git('config', 'core.hooksPath', str(ROOT / '.githooks'))
        shutil.copy(ROOT / '.clang-format', folder)
        (folder / 'a.c').write_text(BAD)
        git('add', '.')
        git('commit', '-q', '-m', 'base: a number')
        assert (folder / 'a.c').read_text() == GOOD == git('show', 'HEAD:a.c')
        (folder / 'a.c').write_text(BAD + 'int  b;\n')
        git('add', 'a.c')
        (folder / 'a.c').write_text(GOOD)
        git('commit', '-q', '-m', 'base: half of it', fails=True)
        assert (folder / 'a.c').read_text() == GOOD
        git('reset', '-q', '--hard')
        for subject, good in (('base/text, cli: both', True), ('.ci: a check', True), ('a number', False), ('base:', False),
                              ('base: ' + 'x' * 66, True), ('base: ' + 'x' * 67, False), ('Revert "base: a number"', True)):
            git('commit', '-q', '--allow-empty', '-m', subject, fails=not good)
    return 0


if __name__ == '__main__':
    sys.exit(main())
