"""The ninja that is asked, and to which `-t` is handed, is the one that CMake or meson was configured with.

NINJA may name another, but not ourselves: bigrocks-ninja would ask bigrocks-ninja, without an end. What that one does
to a log of another version than its own, which is to delete it or to build everything each time, does not happen.
"""
import os
import pathlib
import shutil
import subprocess

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

with case.folder() as scratch:
    folder = pathlib.Path(scratch)
    ninja, build, state = folder / 'ninja', folder / 'build', folder / 'build/state'
    new = shutil.which('ninja')
    minor = int(subprocess.run([new, '--version'], capture_output=True, text=True).stdout.split('.')[1])
    own = 5 if minor < 12 else 6 if minor == 12 else 7
    other = 7 if own == 5 else 5
    # As ninja 1.12 and later do; the one that is installed may be older.
    ninja.write_text('''#!/bin/sh
file=build.ninja last=
for word; do
  [ "$last" = -f ] && file=$word
  last=$word
done
log=$(sed -n 's/^builddir = //p' "$file" 2>/dev/null | tail -n 1)/.ninja_log
[ "$log" != /.ninja_log ] || log=.ninja_log
case "$(head -n 1 "$log" 2>/dev/null)" in *v%d) rm "$log"; echo gone >>"%s/gone";; esac
exec "%s" "$@"
''' % (other, folder, new))
    ninja.chmod(0o755)
    (folder / 'tmp').mkdir()
    environment = {**case.ENVIRONMENT, 'NINJA': str(ninja), 'TMPDIR': str(folder / 'tmp')}
    for where, head in ((build, ''), (state, 'builddir = state\n')):
        state.mkdir(parents=True, exist_ok=True)
        text = head + ('rule t\n  command = touch $out\nrule g\n  command = touch build.ninja\n  generator = 1\n'
                       'build build.ninja: g in\nbuild a: t\nbuild b: t a\ndefault b\n')
        (build / 'build.ninja').write_text(text)
        for name in 'a', 'b':
            (build / name).touch()
        os.utime(build / 'build.ninja', (2e9, 2e9))
        (build / 'in').touch()
        log = '# ninja log v%d\n10\t3010\t1\ta\t1\n0\t4000\t1\tb\t2\n' % other
        (where / '.ninja_log').write_text(log)
        done = case.bigrocks('import', 'ninja', '-C', build, '--dirty', '--capacity', 'cpu=1', env=environment)
        assert done.returncode == 0 and '2 with the duration of the log' in done.stderr, done
        assert 'is of version %d' % other in done.stderr and 'duration="4"' in done.stdout, done
        done = case.bigrocks('build', '-C', build, '-n', env=environment)
        assert done.returncode == 0 and done.stdout == '[1/2] touch a\n[2/2] touch b\n', done
        os.utime(build / 'build.ninja', (1e9, 1e9))
        done = case.bigrocks('build', '-C', build, '-n', env=environment)
        assert done.returncode == 3 and "'build.ninja' is out of date" in done.stderr, done
        assert (where / '.ninja_log').read_text() == log and not (folder / 'gone').exists()
        for times in range(2):
            done = case.bigrocks('build', '-C', build, '-q', env=environment)
            assert done.returncode == 0 and ('is of version' in done.stderr) == (times == 0), done
            assert (where / ('.ninja_log.v%d' % other)).read_text() == log
            assert (where / '.ninja_log').read_text().startswith('# ninja log v%d\n' % own)
        assert 'no work to do' in subprocess.run([new, '-C', build, '-n'], capture_output=True, text=True).stdout
        (where / '.ninja_log').unlink()
    assert not (folder / 'gone').exists()
    assert not list((folder / 'tmp').iterdir())
