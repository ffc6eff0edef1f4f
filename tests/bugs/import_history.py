"""`import --history` knows a build by its stages, as annotate and plan do, where its folder has another name now."""
import pathlib

import case

BUILD = 'rule c\n  command = touch $out\nbuild a.o: c\nbuild b.o: c\nbuild app: c a.o b.o\n'

if 'no SQLite' in case.bigrocks('--version').stdout:
    raise SystemExit(77)
with case.folder() as scratch:
    folder = pathlib.Path(scratch)
    for name in ('one', 'two'):
        (folder / name).mkdir()
        (folder / name / 'build.ninja').write_text(BUILD)
    history = folder / 'history'
    done = case.bigrocks('build', '-C', folder / 'one', '--history', history, '-q')
    assert done.returncode == 0, done
    done = case.bigrocks('import', 'ninja', '-C', folder / 'two', '--history', history, '-o', folder / 'job.xml')
    assert done.returncode == 0 and '3 of 3 stages' in done.stderr, done
