"""What a command reads only by .ninja_deps or a depfile is an edge: a header that is made comes before what includes it.

Each case is built by ninja once, so that it is known what is read, then changed, and built by us. Judged by the
outputs, by the order in which commands ran, and by ninja, which finds nothing left to do.
"""
import pathlib
import re
import subprocess
import time

import case

BUILD = '''rule make
  command = echo $out >>ran; sleep 0.3; cp $in $out
rule cc
  command = echo $out >>ran; cat $in gen.h >$out; echo "$out: $in sub/../gen.h" >$out.d
  depfile = $out.d
%s
build main.o: cc main.c
build gen.h: make middle
build middle: make gen.in
build all: phony gen.h main.o
default all
'''


def ninja(folder, *words):
    return subprocess.run(['ninja', '-C', str(folder), *words], check=True, capture_output=True, text=True).stdout


def begin(folder, deps):
    folder.mkdir()
    (folder / 'build.ninja').write_text(BUILD % deps)
    (folder / 'gen.in').write_text('one\n')
    (folder / 'main.c').write_text('main\n')
    ninja(folder, 'gen.h')
    ninja(folder)
    change(folder, 'two')


def change(folder, text):
    time.sleep(0.02)
    (folder / 'gen.in').write_text(text + '\n')
    (folder / 'ran').unlink()


def check(folder, text, what):
    ran = (folder / 'ran').read_text().split()
    assert ran == ['middle', 'gen.h', 'main.o'], (what, ran)
    assert (folder / 'main.o').read_text() == 'main\n%s\n' % text, what
    assert 'no work to do' in ninja(folder, '-n'), what


def edges(folder, job, *words):
    done = case.bigrocks('import', 'ninja', '-C', folder, '--capacity', 'cpu=4', *words, '-o', job)
    assert done.returncode == 0, done
    return re.findall(r'<edge from="([^"]*)" to="([^"]*)"', job.read_text())


with case.folder() as scratch:
    for name, deps in (('records', '  deps = gcc'), ('depfiles', '')):
        folder, job = pathlib.Path(scratch) / name, pathlib.Path(scratch) / (name + '.xml')
        begin(folder, deps)
        for words in (), ('--dirty',), ('main.o',), ('main.o', '--dirty'):
            found = edges(folder, job, *words)
            assert sorted(found) == [('gen.h', 'main.o'), ('middle', 'gen.h')], (name, words, found)
        assert case.bigrocks('run', job, '-q').returncode == 0
        check(folder, 'two', name + ' imported')
        change(folder, 'three')
        assert case.bigrocks('build', '-C', folder, '--capacity', 'cpu=4,mem=1GiB').returncode == 0
        check(folder, 'three', name)
        change(folder, 'four')
        assert case.bigrocks('build', '-C', folder, 'main.o', '--capacity', 'cpu=4,mem=1GiB').returncode == 0
        check(folder, 'four', name + ', a target alone')
        # A record that is older than its output says nothing, to ninja as well; a depfile of another file neither.
        if deps:
            time.sleep(0.02)
            (folder / 'main.o').write_text('by hand\n')
        else:
            (folder / 'main.o.d').write_text('other.o: main.c gen.h\n')
        assert edges(folder, job, 'main.o') == [], name
    # A depfile that names nothing that is made says nothing: UBSan had an offset to a null pointer here.
    folder = pathlib.Path(scratch) / 'sources'
    begin(folder, '')
    (folder / 'main.o.d').write_text('main.o: main.c gen.in\n')
    assert edges(folder, pathlib.Path(scratch) / 'sources.xml', 'main.o') == []
