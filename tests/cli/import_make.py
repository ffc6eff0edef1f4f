#!/usr/bin/env python3
"""`bigrocks import make` against make itself: what is imported and run leaves make nothing to do, and the files are
those that make builds, byte by byte.

import_make.py BIGROCKS
"""
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

NAMESPACE = '{urn:bigrocks:job:1}'

# A program of C: depfiles, a pattern rule with an order-only prerequisite, a generator of two files, an intermediate
# file, exported variables, a line that may fail, a line of two, and a library that another make builds.
TOP = r'''
export LEVEL := upper  most
OBJS = main.o util.o table.o
all: app text.txt
app: $(OBJS) lib/libcore.a
	$(CC) -o $@ $^
	-@false
	@test "$$LEVEL" = "upper  most" && \
	  echo $@ >> made.txt
%.o: %.c | out
	$(CC) -MMD -Iout -c $< -o $@
out:
	mkdir -p out
out/%.h out/%.n: %.in | out
	@sed 's/.*/#define TABLE &/' $< > out/$*.h; cp $< out/$*.n
table.o: out/table.h
text.txt: one.end
	cp $< $@
%.end: %.middle
	cp $< $@
%.middle: %.start
	cp $< $@
lib/libcore.a: core
core: | out
	@mkdir -p lib
	$(MAKE) -C lib libcore.a
.PHONY: all core
-include *.d
'''
LOWER = r'''
export INNER = 7
libcore.a: core.o more.o
	rm -f $@
	ar rcsD $@ $^
more.o: more.c
	test "$$INNER" = 7 && $(CC) -c more.c
'''
FILES = {'Makefile': TOP, 'lib/Makefile': LOWER, 'lib/core.c': 'int core(void) { return 1; }\n',
         'lib/more.c': 'int more(void) { return 2; }\n', 'util.h': 'int util(void);\n',
         'main.c': '#include "util.h"\nint core(void), more(void);\nint main(void) { return util() + core() + more(); }\n',
         'util.c': '#include "util.h"\nint util(void) { return 3; }\n', 'table.in': '5\n',
         'table.c': '#include "table.h"\nint table(void) { return TABLE; }\n', 'one.start': 'start\n'}


def call(*command, status=0, **more):
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True, timeout=120, **more)
    assert status is None or done.returncode == status, (command, done.returncode, done.stdout, done.stderr)
    return done


class Tree:
    def __init__(self, bigrocks, folder, files=FILES):
        self.bigrocks, self.folder = bigrocks, folder
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        self.job = folder.with_name(folder.name + '.xml')

    def load(self, *options, status=0, **more):
        done = call(self.bigrocks, 'import', 'make', '-C', self.folder, '-o', self.job, '--capacity', 'cpu=4',
                    '--demand', 'cpu=1', *options, status=status, **more)
        return done if status else ElementTree.parse(self.job).getroot()

    def run(self, status=0):
        return call(self.bigrocks, 'run', self.job, status=status)

    def question(self, *targets):
        return call('make', '-C', self.folder, '-q', *targets, status=None).returncode


def stages(job):
    return [stage.get('id') for stage in job.iter(NAMESPACE + 'stage')]


def edges(job):
    return {(edge.get('from'), edge.get('to')) for edge in job.iter(NAMESPACE + 'edge')}


def command(job, name):
    return next(stage.find(NAMESPACE + 'command').text for stage in job.iter(NAMESPACE + 'stage')
                if stage.get('id') == name)


def before(job, first, second):
    """Does the second stage wait for the first, perhaps by way of others?"""
    known, todo, pairs = set(), [second], edges(job)
    while todo:
        name = todo.pop()
        for parent, child in pairs:
            if child == name and parent not in known:
                known.add(parent)
                todo.append(parent)
    return first in known


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob('*')) if path.is_file()}


def check_project(bigrocks, scratch):
    ours, theirs = Tree(bigrocks, scratch / 'ours'), Tree(bigrocks, scratch / 'theirs')
    job = ours.load('all')
    assert set(stages(job)) == {'out', 'main.o', 'util.o', 'out/table.h', 'table.o', 'core', 'lib/core.o', 'lib/more.o',
                                'lib/libcore.a', 'core (2)', 'app', 'one.middle', 'one.end', 'text.txt'}, stages(job)
    for first, second in [('out', 'main.o'), ('out/table.h', 'table.o'), ('lib/core.o', 'lib/libcore.a'),
                          ('core', 'lib/more.o'), ('lib/libcore.a', 'app'), ('out', 'core'), ('core (2)', 'app'),
                          ('one.middle', 'text.txt')]:
        assert before(job, first, second), (first, second)
    assert not before(job, 'main.o', 'util.o') and not before(job, 'core', 'main.o')
    assert not (ours.folder / 'out').exists(), 'a dry run builds nothing'
    ours.run()
    call('make', '-C', theirs.folder, 'all')
    # The intermediate file stays; make deletes it.
    mine = {name: text for name, text in contents(ours.folder).items() if name != 'one.middle'}
    assert mine == contents(theirs.folder), set(mine) ^ set(contents(theirs.folder))
    # `core` is phony, so that `all` is never up to date; what is a file is.
    assert ours.question('main.o', 'util.o', 'table.o', 'text.txt') == 0
    assert call('make', '-C', ours.folder / 'lib', '-q', status=None).returncode == 0
    return ours


def check_dirty(ours):
    """Only what make would do."""
    done = ours.load('--dirty', 'text.txt', 'table.o', status=1)
    assert 'nothing is out of date' in done.stderr, done.stderr
    later(ours.folder, 'util.h')
    job = ours.load('--dirty', 'main.o', 'util.o', 'table.o')
    assert set(stages(job)) == {'main.o', 'util.o'}, stages(job)
    ours.run()
    assert ours.question('main.o', 'util.o', 'table.o', 'text.txt') == 0
    later(ours.folder, 'one.start')
    job = ours.load('--dirty', 'text.txt')
    assert stages(job) == ['one.middle', 'one.end', 'text.txt'], stages(job)
    later(ours.folder, 'lib/core.c')
    job = ours.load('--dirty', 'all', 'CC=cc -O1')
    assert 'cc -O1' in command(job, 'lib/core.o') and 'lib/more.o' not in stages(job), stages(job)
    ours.run()
    assert call('make', '-C', ours.folder / 'lib', '-q', status=None).returncode == 0


def later(folder, name):
    """As if the file had been changed after all that stands there."""
    path = folder / name
    newest = max(other.stat().st_mtime_ns for other in folder.rglob('*') if other.is_file())
    import os
    import time
    while time.time_ns() <= newest:
        time.sleep(0.01)
    os.utime(path)


def check_whole(bigrocks, scratch):
    tree = Tree(bigrocks, scratch / 'whole')
    job = tree.load('--whole', 'all')
    assert not any(name.startswith('lib/') for name in stages(job)), stages(job)
    assert 'make -C lib libcore.a' in command(job, 'core')
    tree.run()
    assert (tree.folder / 'lib/libcore.a').exists() and (tree.folder / 'app').exists()


def check_printed(bigrocks, scratch):
    """What make has printed, read from a file and from standard input."""
    tree = Tree(bigrocks, scratch / 'printed')
    text = call('make', '-C', tree.folder, '-n', '-p', '-w', '--trace', 'all', env={'PATH': '/usr/bin:/bin',
                                                                                    'LC_ALL': 'C'}).stdout
    log = scratch / 'printed.log'
    log.write_text(text)
    for source, given in ((log, None), ('-', text)):
        done = call(bigrocks, 'import', 'make', '-q', '--printed', source, input=given)
        job = ElementTree.fromstring(done.stdout)
        assert len(stages(job)) == 14 and before(job, 'lib/core.o', 'app'), stages(job)
    for text, fault in (('all: b\n', 'this is not the output of a dry run of make'),
                        ("make: Entering directory '/x'\ncc -c x.c\nmake: Leaving directory '/x'\n", 'no database')):
        done = call(bigrocks, 'import', 'make', '--printed', '-', input=text, status=3)
        assert fault in done.stderr, done.stderr
    assert '--printed knows no targets' in call(bigrocks, 'import', 'make', '--printed', log, 'all', status=2).stderr
    done = call(bigrocks, 'import', 'make', '-C', tree.folder, 'nothing', status=3)
    assert 'make refuses the build' in done.stderr and 'No rule to make target' in done.stderr, done.stderr
    assert 'there is no such folder' in call(bigrocks, 'import', 'make', '-C', scratch / 'none', status=5).stderr
    assert '--whole is for make' in call(bigrocks, 'import', 'ninja', '--whole', status=2).stderr


LOOP = r'''
SUBDIRS = a b
all: before all-recursive end
all-recursive:
	@echo first > first.txt
	@for d in $(SUBDIRS); do echo "Making all in $$d"; (cd $$d && $(MAKE) all) || exit 1; echo $$d > $$d/rest; done
before:
	echo before > $@
all-recursive: before
end: all-recursive
	cat a/x b/y a/rest b/rest > $@
.PHONY: all all-recursive
'''


def check_loop(bigrocks, scratch):
    """The loop of automake: what it prints is no command, and its makes come one after the other."""
    tree = Tree(bigrocks, scratch / 'loop', {'Makefile': LOOP, 'a/Makefile': 'all: x\nx:\n\tcp ../before x\n',
                                             'b/Makefile': 'all: y\ny:\n\tcp ../a/x y\n'})
    done = call(bigrocks, 'import', 'make', '-C', tree.folder, '-o', tree.job)
    assert '1 of these do more than call make' in done.stderr, done.stderr
    job = tree.load()
    assert set(stages(job)) == {'before', 'all-recursive', 'a/x', 'b/y', 'all-recursive (2)', 'end'}, stages(job)
    order = ['before', 'all-recursive', 'a/x', 'b/y', 'all-recursive (2)', 'end']
    assert all(before(job, *pair) for pair in zip(order, order[1:])), edges(job)
    assert not any('Making' in command(job, name) for name in ('a/x', 'b/y', 'all-recursive'))
    for name in ('a/rest', 'b/rest'):  # the dry run has called the loop
        (tree.folder / name).unlink()
    tree.run()
    assert (tree.folder / 'end').read_text() == 'before\nbefore\na\nb\n'


KINDS = r'''
SHELL = /bin/bash
.DELETE_ON_ERROR:
all: words half twice
words:
	@[[ ab == a* ]] && echo "$$BASH_VERSION" | wc -l > $@
twice:: words
	echo one >> $@
twice:: words
	echo two >> $@
half:
	@echo half > $@
	@test -e good
'''


def check_kinds(bigrocks, scratch):
    """Another shell, targets of two statements, and what is deleted where a recipe fails."""
    tree = Tree(bigrocks, scratch / 'kinds', {'Makefile': KINDS})
    job = tree.load()
    assert before(job, 'twice', 'twice (2)'), edges(job)
    tree.run(status=1)
    assert not (tree.folder / 'half').exists()
    (tree.folder / 'good').write_text('')
    (tree.folder / 'twice').unlink(missing_ok=True)
    tree.load('--dirty', 'all')
    tree.run()
    assert (tree.folder / 'half').exists() and (tree.folder / 'twice').read_text() == 'one\ntwo\n'
    serial = Tree(bigrocks, scratch / 'serial', {'Makefile': '.NOTPARALLEL:\nall: b a c\na b c:\n\ttouch $@\n'})
    assert edges(serial.load()) == {('b', 'a'), ('a', 'c')}
    shell = Tree(bigrocks, scratch / 'shell', {'Makefile': '.ONESHELL:\nall:\n\t@word=one\n\techo $$word > all\n'})
    shell.load()
    shell.run()
    assert (shell.folder / 'all').read_text() == 'one\n'


def check_named(bigrocks, scratch):
    """A make that is named as seen from here, while the build is elsewhere."""
    tree = Tree(bigrocks, scratch / 'named', {'Makefile': 'all:\n\ttouch all\n'})
    (scratch / 'tools').mkdir()
    (scratch / 'tools/our-make').symlink_to(shutil.which('make'))
    for given in ({'MAKE': 'tools/our-make'}, {'MAKE': 'our-make', 'PATH': 'tools:' + os.environ['PATH']}):
        assert stages(tree.load(cwd=scratch, env=dict(os.environ, **given))) == ['all']


def check_cores(bigrocks, scratch):
    """A recipe that asks for cores demands them, at most what the machine has."""
    tree = Tree(bigrocks, scratch / 'cores', {'Makefile': 'all: one link sub auto\none:\n\ttrue cc -c -flto=3\nlink:\n\ttrue; true cc -flto=3 a.o\n'
                                                          'sub:\n\t/usr/bin/env true make -j 9\nauto:\n\ttrue cc -flto=auto\n'})
    job = tree.load()
    cores = {stage.get('id'): stage.find(NAMESPACE + 'demand').get('amount') for stage in job.iter(NAMESPACE + 'stage')}
    assert cores == {'one': '1', 'link': '3', 'sub': '4', 'auto': '4'}, cores
    done = call(bigrocks, 'import', 'make', '-C', tree.folder, '-o', tree.job, '--capacity', 'cpu=4')
    assert '3 of them on several cores' in done.stderr, done.stderr


def check_cmake(bigrocks, scratch):
    """What CMake writes for make is refused with the way that works, and that works."""
    files = {'CMakeLists.txt': 'cmake_minimum_required(VERSION 3.10)\nproject(t C)\n'
                               'add_library(a STATIC a.c)\nadd_executable(m m.c)\ntarget_link_libraries(m a)\n',
             'a.c': 'int a(void) { return 0; }\n', 'm.c': 'int a(void);\nint main(void) { return a(); }\n'}
    folder = Tree(bigrocks, scratch / 'cmake', files).folder
    if shutil.which('cmake'):
        call('cmake', '-G', 'Unix Makefiles', '-S', folder, '-B', folder / 'made')
    else:
        (folder / 'made').mkdir()
        (folder / 'made/Makefile').write_text('# CMAKE generated file: DO NOT EDIT!\nall: m\n')
    for words in ((), ('--whole',), ('--file', 'Makefile'), ('--file', folder / 'made/Makefile')):
        done = call(bigrocks, 'import', 'make', '-C', folder / 'made', *words, status=3)
        assert 'CMake wrote this build' in done.stderr and 'import ninja -C FOLDER' in done.stderr, done.stderr
        sources = folder if shutil.which('cmake') and len(str(folder)) < 160 else 'SOURCES'
        assert 'cmake -G Ninja -S %s -B FOLDER' % sources in done.stderr, done.stderr
    (folder / 'made/own.mk').write_text('all:\n\ttouch all\n')
    call(bigrocks, 'import', 'make', '-C', folder / 'made', '--file', 'own.mk', '-o', scratch / 'own.xml')
    if shutil.which('cmake') and shutil.which('ninja'):
        call('cmake', '-G', 'Ninja', '-S', folder, '-B', folder / 'ninja')
        job = ElementTree.fromstring(call(bigrocks, 'import', 'ninja', '-C', folder / 'ninja', '-q').stdout)
        assert 'm' in stages(job) and 'liba.a' in stages(job), stages(job)


def check_one_shell(bigrocks, scratch):
    """A '-' before the first line is one before all; what a recipe does beside a call of make does not call it again."""
    files = {'Makefile': '.ONESHELL:\nall:\n\t-false\n\techo x > all\n\tfalse\n'
                         'both:\n\techo hi > both && $(MAKE) -C sub\n',
             'sub/Makefile': 'all:\n\techo once >> once\n.PHONY: all\n'}
    ours, theirs = Tree(bigrocks, scratch / 'one_shell', files), Tree(bigrocks, scratch / 'one_shell_make', files)
    for target in ('all', 'both'):
        ours.load(target)
        ours.run()
        call('make', '-C', theirs.folder, target)
    assert contents(ours.folder) == contents(theirs.folder), contents(ours.folder)


def random_files(draw):
    """A Makefile whose recipes fail without what they wait for; some of it other makes'."""
    count, files = draw.randint(5, 14), {}
    text = {'': ['all: %s\n' % ' '.join('t%d' % k for k in range(count)), '.PHONY: all\n']}
    for k in range(count):
        needs = draw.sample(range(k), min(k, draw.randint(0, 3)))
        order = [name for name in needs if draw.random() < .3]
        names = ' '.join('t%d' % n for n in needs if n not in order)
        bar = ' | ' + ' '.join('t%d' % n for n in order) if order else ''
        every = ' '.join('t%d' % n for n in needs)
        if draw.random() < .25:
            files['sub%d/Makefile' % k] = 'out: part source\n\tcat part source > out\npart:\n\tsleep 0.01; echo part > part\n'
            files['sub%d/source' % k] = 'source %d\n' % k
            extra = draw.choice(['', 'echo in sub%d; ' % k])
            text[''].append('t%d: %s%s\n\t@cat %s /dev/null > b%d\n\t%s$(MAKE) -C sub%d\n\tcat b%d sub%d/out > $@\n' %
                            (k, names, bar, every, k, extra, k, k, k))
        else:
            files['s%d' % k] = 'source %d\n' % k
            text[''].append('t%d: s%d %s%s\n\tsleep 0.01; cat s%d %s > $@\n' % (k, k, names, bar, k, every))
    return dict(files, Makefile=''.join(text['']))


def check_random(bigrocks, scratch):
    draw = random.Random(7)
    for number in range(8):
        files = random_files(draw)
        ours = Tree(bigrocks, scratch / ('r%d' % number), files)
        theirs = Tree(bigrocks, scratch / ('s%d' % number), files)
        ours.load()
        ours.run()
        call('make', '-C', theirs.folder)
        assert contents(ours.folder) == contents(theirs.folder), number
        # Another make's targets are built twice by none, and only recipes that call one are left.
        touched = draw.choice([name for name in files if name.startswith('s') and 'Makefile' not in name])
        later(ours.folder, touched)
        (ours.folder / touched).write_text('changed\n')
        (theirs.folder / touched).write_text('changed\n')
        # make sees what is out of date where it looks: `sub` is no prerequisite, in ours neither.
        said = call('make', '-C', ours.folder, '-n', '--no-print-directory').stdout
        if 'Nothing to be done' in said:
            ours.load('--dirty', status=1)
            continue
        job = ours.load('--dirty')
        wanted = set(re.findall(r'> (t\d+)$', said, re.M)) | \
            {'t' + number for number in re.findall(r'^cat b(\d+) ', said, re.M)}
        found = {re.sub(r' \(.*', '', name) for name in stages(job) if '/' not in name}
        assert found == wanted, (found, wanted, said)
        ours.run()
        assert call('make', '-C', ours.folder, '-q', status=None).returncode == 0


def check_environment(bigrocks, scratch):
    """A make within a make is one of its own; and the folder of our script is gone."""
    tree = Tree(bigrocks, scratch / 'calm', {'Makefile': 'export PATH := /nowhere:$(PATH)\nexport TWO := $(shell printf '
                                             '"a\\nb")\nall:\n\techo "$$PATH" > all\n\techo "$$TWO$$MAKEFLAGS" >> all\n'})
    folder = scratch / 'temporary'
    folder.mkdir()
    environment = {'PATH': '/usr/bin:/bin', 'MAKEFLAGS': 'k -j9 --jobserver-auth=3,4', 'MAKELEVEL': '3',
                   'TMPDIR': str(folder)}
    tree.load(env=environment)
    assert not list(folder.iterdir()), list(folder.iterdir())
    call(bigrocks, 'run', tree.job, env={'PATH': '/usr/bin:/bin'})
    assert (tree.folder / 'all').read_text() == '/nowhere:/usr/bin:/bin\na b\n', (tree.folder / 'all').read_text()


def check_history(bigrocks, scratch):
    tree = Tree(bigrocks, scratch / 'learnt', {'Makefile': 'all: a b\na:\n\tsleep 0.3; touch a\nb: a\n\ttouch b\n'})
    if 'history' not in call(bigrocks, '--version').stdout:
        return
    store = scratch / 'learnt.sqlite'
    tree.load()
    call(bigrocks, 'run', tree.job, '--history', store)
    job = tree.load('--history', store)
    durations = {stage.get('id'): float(stage.get('duration')) for stage in job.iter(NAMESPACE + 'stage')}
    assert durations['a'] >= .29 and durations['b'] < durations['a'], durations


def main():
    bigrocks = pathlib.Path(sys.argv[1]).resolve()
    if not shutil.which('make') or not shutil.which('cc'):
        print('needs make and a compiler')
        return 77
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name).resolve()
        check_dirty(check_project(bigrocks, scratch))
        check_whole(bigrocks, scratch)
        check_printed(bigrocks, scratch)
        check_loop(bigrocks, scratch)
        check_kinds(bigrocks, scratch)
        check_named(bigrocks, scratch)
        check_cores(bigrocks, scratch)
        check_cmake(bigrocks, scratch)
        check_one_shell(bigrocks, scratch)
        check_environment(bigrocks, scratch)
        check_history(bigrocks, scratch)
        check_random(bigrocks, scratch)
    return 0


if __name__ == '__main__':
    sys.exit(main())
