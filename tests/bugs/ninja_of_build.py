"""The ninja that is asked, and to which `-t` is handed, is the one that CMake or meson was configured with.

NINJA may name another, but not ourselves: bigrocks-ninja would ask bigrocks-ninja, without an end.
"""
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

    def asked(*words, **more):
        (build / 'a').unlink(missing_ok=True)
        environment = {**case.ENVIRONMENT, 'PATH': path, **more}
        environment = {name: value for name, value in environment.items() if value is not None}
        done = case.bigrocks('build', '-C', build, *(words or ['-q']), timeout=20, env=environment)
        assert done.returncode == 0, done
        words = set((folder / 'asked').read_text().split())
        (folder / 'asked').unlink()
        return words
    assert asked(NINJA=None) == {'other'}
    (build / 'CMakeCache.txt').write_text('# cache\nCMAKE_GENERATOR:INTERNAL=Ninja\n'
                                          '//Program used to build.\nCMAKE_MAKE_PROGRAM:FILEPATH=%s\n' % (own / 'ninja'))
    assert asked(NINJA=None) == {'own'}
    assert asked('-t', 'targets', NINJA=None) == {'own'}
    assert asked(NINJA=str(other / 'ninja')) == asked('-t', 'targets', NINJA=str(other / 'ninja')) == {'other'}
    assert asked(NINJA='bigrocks-ninja') == asked('-t', 'targets', NINJA='/usr/bin/bigrocks-ninja') == {'own'}
    (build / 'CMakeCache.txt').unlink()
    (build / 'meson-logs').mkdir()
    for quote in "'%s'", '%s':
        log = 'Found ninja-1.2 at /nowhere/ninja\nFound ninja-1.11.1 at %s\nFound git\n' % quote
        (build / 'meson-logs/meson-log.txt').write_text(log % (own / 'ninja'))
        assert asked(NINJA=None) == {'own'}
    (own / 'ninja').unlink()  # it is gone since: the one along PATH
    assert asked(NINJA=None) == {'other'}
