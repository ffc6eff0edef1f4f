"""The ninja that is asked is the one that CMake was configured with, unless NINJA names another: logs differ by version."""
import os
import pathlib
import shutil

import case

with case.folder() as scratch:
    folder = pathlib.Path(scratch)
    own, other, build = folder / 'ninja of its own', folder / 'other', folder / 'build'
    for where in (own, other, build):
        where.mkdir()
    (own / 'ninja').write_text('#!/bin/sh\necho own >>"%s"\nexec "%s" "$@"\n' % (folder / 'asked', shutil.which('ninja')))
    (other / 'ninja').write_text('#!/bin/sh\necho other >>"%s"\nexec "%s" "$@"\n' % (folder / 'asked', shutil.which('ninja')))
    for where in (own, other):
        (where / 'ninja').chmod(0o755)
    (build / 'build.ninja').write_text('rule t\n  command = touch $out\nbuild a: t\n')
    path = '%s:%s' % (other, os.environ['PATH'])

    def asked(**more):
        (build / 'a').unlink(missing_ok=True)
        environment = {**case.ENVIRONMENT, 'PATH': path, **more}
        environment = {name: value for name, value in environment.items() if value is not None}
        done = case.bigrocks('build', '-C', build, '-q', env=environment)
        assert done.returncode == 0, done
        words = set((folder / 'asked').read_text().split())
        (folder / 'asked').unlink()
        return words
    assert asked(NINJA=None) == {'other'}
    (build / 'CMakeCache.txt').write_text('# cache\nCMAKE_GENERATOR:INTERNAL=Ninja\n'
                                          '//Program used to build.\nCMAKE_MAKE_PROGRAM:FILEPATH=%s\n' % (own / 'ninja'))
    assert asked(NINJA=None) == {'own'}
    assert asked(NINJA=str(other / 'ninja')) == {'other'}
    (own / 'ninja').unlink()  # it is gone since: the one along PATH
    assert asked(NINJA=None) == {'other'}
