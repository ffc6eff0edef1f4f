"""One history for several projects keeps them apart, although all are built in a folder called `build`; runs that an
earlier version has kept under the folder's own name are still found, by their stages."""
import json
import pathlib
import xml.etree.ElementTree as xml

import case

BUILD = 'rule c\n  command = sleep %s; touch $out\nbuild main.o: c in\nbuild util.o: c\n'
MAKE = 'all: main.o\nmain.o:\n\tsleep %s; touch $@\n'


def jobs(history):
    """By name: how many runs."""
    done = case.bigrocks('history', history, '-f', 'json')
    assert done.returncode == 0, done
    return {job['name']: job['runs'] if isinstance(job['runs'], int) else len(job['runs'])
            for job in json.loads(done.stdout)['jobs']}


def good(*words):
    done = case.bigrocks(*words)
    assert done.returncode == 0, done
    return done


def longest(job):
    return max(float(stage.get('duration')) for stage in xml.parse(job).getroot().iter() if stage.tag.endswith('stage'))


def make_builds(folder):
    for name, seconds in (('a', 0), ('b', 0.5)):
        build = folder / name / 'build'
        build.mkdir(parents=True)
        (build / 'build.ninja').write_text(BUILD % seconds)
        (build / 'Makefile').write_text(MAKE % seconds)
        (build / 'in').touch()


def check_ninja(folder, history):
    for name in 'ab':
        build = folder / name / 'build'
        good('build', '-C', build, '--history', history, '-q')
        (build / '.ninja_log').unlink()
    assert jobs(history) == {str((folder / name / 'build').resolve()): 1 for name in 'ab'}, jobs(history)
    for name in 'ab':
        good('import', 'ninja', '-C', folder / name / 'build', '--history', history, '-o', folder / name / 'job.xml')
    assert longest(folder / 'a/job.xml') < 0.4 < longest(folder / 'b/job.xml')


def check_make(folder):
    history = folder / 'of make'
    for name in 'ab':
        good('import', 'make', '-C', folder / name / 'build', '-o', folder / name / 'make.xml')
        good('run', folder / name / 'make.xml', '--history', history, '-q')
    for name in 'ab':
        good('annotate', folder / name / 'make.xml', '--history', history, '-o', folder / name / 'job.xml')
    assert longest(folder / 'a/job.xml') < 0.4 < longest(folder / 'b/job.xml')


def check_old_names(folder, history):
    """As an earlier version has called them."""
    build = folder / 'b/build'
    good('history', history, str(build.resolve()), '--rename', 'build')
    done = good('import', 'ninja', '-C', build, '--history', history, '-o', folder / 'b/job.xml')
    assert "'build' has the same stages" in done.stderr and '2 of 2 stages' in done.stderr, done
    (build / 'main.o').unlink()
    (build / 'util.o').unlink()
    done = good('build', '-C', build, '--history', history)
    assert "'build' has the same stages" in done.stderr, done
    # The history in the build's own folder is its own, also if only a part of it is built.
    own = build / '.bigrocks-history'
    (build / 'main.o').unlink()
    (build / 'util.o').unlink()
    good('build', '-C', build, '-q')
    good('history', own, str(build.resolve()), '--rename', 'build')
    (build / 'main.o').unlink()
    good('build', '-C', build, '-q')
    assert jobs(own) == {str(build.resolve()): 2}, jobs(own)


def check_name(folder):
    history, build = folder / 'named', folder / 'a/build'
    (build / 'main.o').unlink()
    good('build', '-C', build, '--history', history, '--name', 'nightly', '-q')
    assert jobs(history) == {'nightly': 1}, jobs(history)
    good('import', 'ninja', '-C', build, '--name', 'nightly', '-o', folder / 'a/job.xml')
    assert xml.parse(folder / 'a/job.xml').getroot().get('name') == 'nightly'
    assert case.bigrocks('import', 'ninja', '-C', build, '--name', '').returncode == 2


def check_serve(folder):
    """It has no stages to find a job by: what it has kept under the folder's own name goes on under that."""
    history, build = folder / 'served', folder / 'a/build'
    words = ['serve', '--capacity', 'cpu=1,mem=1GiB', '--history', history, '--', case.BIGROCKS, 'admit', '--key', 'x',
             '--', 'true']
    done = case.bigrocks(*words, cwd=build)
    assert done.returncode == 0 and jobs(history) == {str(build.resolve()): 1}, (done, jobs(history))
    good('history', history, str(build.resolve()), '--rename', 'build')
    done = case.bigrocks(*words, cwd=build)
    assert done.returncode == 0 and jobs(history) == {'build': 2}, (done, jobs(history))


if 'no SQLite' in case.bigrocks('--version').stdout:
    raise SystemExit(77)
with case.folder() as scratch:
    make_builds(pathlib.Path(scratch))
    check_ninja(pathlib.Path(scratch), pathlib.Path(scratch) / 'history')
    check_make(pathlib.Path(scratch))
    check_old_names(pathlib.Path(scratch), pathlib.Path(scratch) / 'history')
    check_name(pathlib.Path(scratch))
    check_serve(pathlib.Path(scratch))
