#!/usr/bin/env python3
"""Snippets of CMake's instrumentation give the commands of a build of ninja their times: the last run that ended well,
from this folder or another of the same project, and refused at the place of a fault.

usage: check_snippets.py BIGROCKS
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

BUILD = '''rule r
  command = : $in $out
build o/a.o: r a.c
build lib/liba.a: r o/a.o
build one.txt | two.txt: r
build CMakeFiles/extra.util: r
build app: r lib/liba.a one.txt
build link: r app CMakeFiles/extra.util
build %s/made.txt: r
'''
LOG = '# ninja log v5\n0\t7000\t0\to/a.o\t1\n0\t8000\t0\tlink\t2\n'
count = 0


def snippet(folder, role, start, duration, outputs, below='', target=None, command='', content='c1', result=0, **more):
    """Writes one as CMake 4.3 does."""
    global count
    count += 1
    data = folder / '.cmake/instrumentation/v1/data'
    (data / 'content').mkdir(parents=True, exist_ok=True)
    one = {'version': {'major': 1, 'minor': 0}, 'role': role, 'timeStart': start, 'duration': duration, 'result': result,
           'outputs': outputs, 'workingDir': str(folder / below), 'command': command or 'do %s' % outputs,
           'cmakeContent': 'content/%s.json' % content, 'config': '', 'outputSizes': [0] * len(outputs), **more}
    if target:
        one['target'] = target
    path = data / ('%s-%05d-2026.json' % (role, count))
    path.write_text(json.dumps(one, indent=1))
    return path


def read(build, folder, *more):
    done = subprocess.run([sys.argv[1], 'import', 'ninja', '-C', build, '--instrumentation', folder, *more],
                          capture_output=True, text=True)
    return done, dict(re.findall(r'<stage id="([^"]*)" tasks="1" duration="([^"]*)"', done.stdout))


with tempfile.TemporaryDirectory() as name:
    top = pathlib.Path(name).resolve()
    build, other = top / 'build', top / 'other'
    for folder in build, other:
        folder.mkdir()
    (build / 'build.ninja').write_text(BUILD % build)
    (build / '.ninja_log').write_text(LOG)

    snippet(build, 'compile', 1000, 999, ['o/a.o'])  # an earlier run
    snippet(build, 'compile', 5000, 1250, ['o/a.o'])
    snippet(build, 'compile', 9000, 3, ['o/a.o'], result=1)  # a later one that failed
    for start, content, times in (100, 'c1', (1, 2, 3)), (6000, 'c1', (10, 20, 30)), (8000, 'c2', (100, 200, 300)):
        for k, command in enumerate(('rm', 'ar %s' % content, 'ranlib')):
            snippet(build, 'link', start + 40 * k, times[k], ['lib/liba.a'], target='a', command=command, content=content)
    snippet(build, 'custom', 8300, 5, [], 'lib', target='a', command='strip', content='c2')  # after it was linked
    snippet(build, 'custom', 7000, 40, ['two.txt', 'one.txt'], content='c2')  # by its second output
    snippet(build, 'custom', 7001, 50, [], target='extra', content='c2')  # of a target without a file
    snippet(build, 'custom', 7002, 0, [str(build / 'made.txt')], '..', content='c2')
    snippet(build, 'compile', 7003, 60, ['gone.o'])  # no longer in the build
    snippet(build, 'cmakeBuild', 1, 99999, ['app'])  # the whole build
    (build / '.cmake/instrumentation/v1/data/content/compile-x.json').write_text('no snippet')
    times = {'o/a.o': '1.25', 'lib/liba.a': '0.605', 'one.txt': '0.04', 'CMakeFiles/extra.util': '0.05', 'link': '8',
             '%s/made.txt' % build: '0'}
    done, found = read(build, build)
    assert done.returncode == 0, done.stderr
    rest = {stage: found.pop(stage) for stage in set(found) - set(times)}
    assert found == times and rest == {'app': '8'}, (found, rest)  # the median of the rule, by the log
    assert '5 commands with the time of 8 of CMake\'s snippets; 1 more fit no command of the job' in done.stderr, done.stderr
    # The folder itself, by its path, and a part of it.
    data = build / '.cmake/instrumentation/v1/data'
    assert read(build, data)[0].stdout == done.stdout
    assert read(build, build, '-q')[0].stderr == ''
    # By hand is better.
    (top / 'better.csv').write_text('o/a.o,77\n')
    assert read(build, build, '--durations', top / 'better.csv')[1]['o/a.o'] == '77'

    # Makefiles name outputs as seen from the folder of the command.
    snippet(other, 'compile', 1, 11, ['a.o'], 'o')
    snippet(other, 'link', 2, 22, ['liba.a'], 'lib', target='a')
    done, found = read(build, other)
    assert (found['o/a.o'], found['lib/liba.a'], found['link']) == ('0.011', '0.022', '8'), found

    # Faults have their place and a remedy.
    def refused(text, place, words, status=3):
        bad = top / 'bad'
        bad.mkdir(exist_ok=True)
        (bad / 'compile-1.json').write_text(text)
        done, _ = read(build, bad)
        assert done.returncode == status and 'compile-1.json:%s: ' % place in done.stderr and words in done.stderr, (text, done.stderr)

    well = '{"version": {"major": 1}, "role": "compile", "timeStart": 1, "duration": 2, "outputs": ["o/a.o"]'
    refused('', '1:1', '')
    refused('[]', '1:1', "a snippet of CMake's instrumentation")
    refused('{\n "role": "compile"}', '1:1', 'version')
    for text, at, words in ((well.replace('1}', '2}', 1) + '}', '2}', 'data version 2'), (well.replace('2, ', '-2, ') + '}', '-2', 'duration'),
                            (well + ', "workingDir": 7}', '7}', 'folder'), (well + '} x', 'x', ''), (well.replace('"o/a.o"', '4') + '}', '4', 'an output')):
        refused(text, '1:%d' % (text.rindex(at) + 1), words)
    for folder, status, words in ((top / 'nowhere', 5, 'give the folder of a build'), (top / 'build/o', 5, ''), (top, 3, 'without hooks')):
        done, _ = read(build, folder)
        assert done.returncode == status and words in done.stderr, (folder, done.stderr)
    for output in 'o/a.o', 'app':
        snippet(other, 'custom', 50, 2 * 10 ** 12, [output], command='long')
    done, _ = read(build, other)
    assert done.returncode == 3 and 'more than 73 years' in done.stderr, done.stderr
    done = subprocess.run([sys.argv[1], 'import', 'make', '--instrumentation', build], capture_output=True, text=True)
    assert done.returncode == 2 and '--instrumentation is for ninja' in done.stderr, done.stderr
