"""Hooks of CMake's instrumentation wait for the end of the ninja that makes build.ninja, so they come before the build:
it says so, once, if the build has them, and there is something to run."""
import pathlib

import case

BUILD = '''rule start
  command = exec ctest --start-instrumentation "%s"
rule touch
  command = touch $out
build a: touch
build b: touch a
'''
SAID = 'hooks of CMake'

with case.folder() as scratch:
    folder = pathlib.Path(scratch)
    for text, times in (BUILD % folder, 1), (BUILD.replace('--start-instrumentation', '--build') % folder, 0):
        (folder / 'build.ninja').write_text(text)
        for file in 'a', 'b':
            (folder / file).unlink(missing_ok=True)
        done = case.bigrocks('build', '-C', folder, '--capacity', 'cpu=2,mem=1GiB')
        assert done.returncode == 0 and done.stderr.count(SAID) == times, done
    (folder / 'build.ninja').write_text(BUILD % folder)
    assert SAID not in case.bigrocks('build', '-C', folder, '-q').stderr
