"""What `import make` read otherwise than make means it: edges that were lost, commands that were none, a heap that was
overrun. Edges are held against what the recipes need: they fail without it."""
import os
import pathlib
import re
import xml.etree.ElementTree as ElementTree

from case import ENVIRONMENT, bigrocks, folder

NAMESPACE = '{urn:bigrocks:job:1}'


class Job:
    def __init__(self, text):
        root = ElementTree.fromstring(text)
        self.edges = {(edge.get('from'), edge.get('to')) for edge in root.iter(NAMESPACE + 'edge')}
        self.command = {stage.get('id'): stage.find(NAMESPACE + 'command').text for stage in root.iter(NAMESPACE + 'stage')}


def write(where, files):
    for name, text in files.items():
        (where / name).parent.mkdir(parents=True, exist_ok=True)
        (where / name).write_text(text)


def load(where, *words, **environment):
    done = bigrocks('import', 'make', '-C', where, '-q', *words, env=dict(ENVIRONMENT, **environment))
    assert done.returncode == 0, (done.returncode, done.stderr)
    return Job(done.stdout)


def printed(text):
    done = bigrocks('import', 'make', '-q', '--printed', '-', input=text)
    assert done.returncode == 0, (done.returncode, done.stderr)
    return Job(done.stdout)


def run(where, job_words=(), status=0):
    """Imports into a file and runs it on four processors."""
    done = bigrocks('import', 'make', '-C', where, '-q', '-o', where / 'j.xml', *job_words)
    assert done.returncode == 0, done.stderr
    done = bigrocks('run', where / 'j.xml', '--capacity', 'cpu=4', '-q')
    assert done.returncode == status, (done.returncode, done.stderr)


def check_variables(where):
    """A variable of a single target, before or after the rule, exported, private, of several lines, from $(shell)."""
    rule = 'app: core.o | out\n\tcat core.o out > app%s\ncore.o out:\n\tsleep 0.2; echo $@ > $@\n'
    lines = ['app: F := -O2', 'app: F = 1', 'app: F += core.o', 'app: export F = 1', 'app: private F = 1',
             'app: override F = 1', 'app: F := $(LINES)', 'core.o app: F = $(LINES)']
    define = 'define LINES\none: two\n# Files\n\nthree\nendef\n'
    for number, line in enumerate(lines):
        for text in (define + line + '\n' + rule % '', define + rule % '' + line + '\n', rule % ' $(shell true)'):
            one = where / ('variables%d' % number)
            write(one, {'Makefile': '.DEFAULT_GOAL = app\n' + text})
            assert load(one).edges == {('core.o', 'app'), ('out', 'app')}, (line, load(one).edges)
    run(one)
    assert (one / 'app').read_text() == 'core.o\nout\n'


def check_several_targets(where):
    """A rule of several targets waits for what any of them needs."""
    for rule in ('%.c %.h: %.y', 'parse.c parse.h &: parse.y'):
        for first in ('parse.c parse.h', 'parse.h parse.c'):
            for child in ('parse.h', 'parse.c'):
                write(where, {'parse.y': '', 'Makefile': 'prog: ' + first + '\n\tcat parse.c parse.h > prog\n' + child +
                              ': version\nversion:\n\tsleep 0.1; echo 1 > version\n' + rule +
                              '\n\tcp version parse.h; cp version parse.c\n'})
                job = load(where)
                assert len(job.command) == 3 and any(edge[0] == 'version' for edge in job.edges), (rule, job.edges)


def check_told(where):
    """What $(info) prints is no command, belongs to no recipe, and hides none, however it ends."""
    write(where, {'Makefile': '$(info ends with \\)\nall: a b c\na:\n\techo a > a\nb:\n\t$(info step one \\)echo b > b\n'
                              '\techo more >> b\nc:\n\t@$(info "hello") echo \\\n\t  c \\\n# > c\n'})
    job = load(where)
    assert set(job.command) == {'a', 'b', 'c'}, job.command
    assert not any('hello' in text or 'step' in text for text in job.command.values()), job.command
    assert job.command['b'].count('echo') == 2 and job.command['a'].count('echo') == 1, job.command
    # A make that prints no database is named: it ended before it had decided what to do.
    done = bigrocks('import', 'make', '-q', '--printed', '-', input=HEAD + HEAD.replace('/top', '/on') + steps('a') +
                    database('4.3', 'a:\n') + TAIL)
    assert done.returncode == 3 and "the make in '/top' prints no database" in done.stderr, done
    # As printed without --debug=basic, a trace ends what goes on.
    job = printed(HEAD + 'told \\\nM:1: target \'a\' does not exist\ntouch a\nstep \\\nM:2: target \'b\' does not exist\ntouch b\n'
                  + database('4.3', 'b:\n\na:\n') + TAIL)
    assert set(job.command) == {'a', 'b'} and 'touch b' in job.command['b'], job.command


def check_left_over(where):
    """What the dry run needs is not in commands."""
    write(where, {'Makefile': 'all:\n\techo tools are in $(PATH)\n\techo $(if $(findstring k,$(MAKEFLAGS)),keep,stop)\n'
                              '\techo flags:$(MAKEFLAGS):$(MFLAGS): $(MAKE) $(shell command -v make)\n'})
    text = load(where).command['all']
    assert 'bigrocks-make' not in text and 'echo tools are in %s\'' % ENVIRONMENT['PATH'] in text, text
    assert 'echo stop' in text and 'echo flags:::' in text and ' make ' in text, text
    write(where, {'Makefile': 'MAKEFLAGS += -Idir -k\nall:\n\techo flags:$(MAKEFLAGS):\n'})
    assert re.search(r'echo flags:k ?-Idir:', load(where).command['all']), load(where).command


def check_unexport(where):
    write(where, {'Makefile': 'unexport GONE\nexport MAKE_KIND = x\nexport az09_AZ = y\n'
                              'all:\n\techo "[$${GONE-none}$$MAKE_KIND$$az09_AZ]" > all\n'})
    (where / 'j.xml').write_bytes(b'')
    done = bigrocks('import', 'make', '-C', where, '-q', '-o', where / 'j.xml', env=dict(ENVIRONMENT, GONE='here'))
    assert done.returncode == 0, done.stderr
    done = bigrocks('run', where / 'j.xml', '-q', env=dict(ENVIRONMENT, GONE='here'))
    assert done.returncode == 0 and (where / 'all').read_text() == '[nonexy]\n', (where / 'all').read_text()


def check_later_makes(where):
    """A make that needs what an earlier one makes cannot be asked ahead: that is said, and --whole does it."""
    write(where, {'Makefile': 'all:\n\t$(MAKE) -C sub lib\n\t$(MAKE) -C sub2 all\n\techo $(WORD) > all\n',
                  'sub/Makefile': 'lib:\n\techo $(WORD) > lib\n', 'sub2/Makefile': 'all: o\no: ../sub/lib\n\tcp ../sub/lib o\n'})
    done = bigrocks('import', 'make', '-C', where, '-q')
    assert done.returncode == 3 and '--whole' in done.stderr and 'bigrocks serve' in done.stderr, done.stderr
    job = load(where, '--whole')
    assert set(job.command) == {'all'} and job.command['all'].count('make -C') == 2, job.command
    run(where, ('--whole', 'WORD="a  b$$HOME"'))  # the makes within are told as make would
    assert (where / 'sub2/o').read_text() == 'a  b%s\n' % os.environ['HOME'], (where / 'sub2/o').read_text()


def check_serial(where):
    """What only a make without -j keeps in order is told: a file of an earlier recipe that nothing leads to."""
    def told(text, *words):
        write(where, {'Makefile': text})
        done = bigrocks('import', 'make', '-C', where, '-o', where / 'j.xml', *words)
        assert done.returncode == 0, done
        return re.findall('warning: (.*)', done.stderr)

    rules = 'lib: ; touch lib\nmid: lib ; touch mid\n'
    found = told('all: lib one prog more\n' + rules + 'one: mid ; cat lib mid\nprog: ; cat "./lib">prog\nmore: ; cat lib prog\n')
    assert found == ["2 recipes name files that earlier ones make, but do not wait for them (the first: 'prog' names "
                     "'lib'); as under make -j, they may run too early"], found
    found = told('all: lib prog\n' + rules + 'prog: ; cat $(CURDIR)/lib\n')
    assert len(found) == 1 and found[0].startswith("1 recipe names a file that an earlier one makes, but does not"), found
    # A prerequisite, what one needs, what comes later, the target itself, an option.
    assert told('all: prog lib last\n' + rules + 'prog: mid ; cat lib mid > prog\nlast: ; touch last -lib xlib\n') == []
    assert told('all: prog lib\n' + rules + 'prog: ; cat lib\n') == []
    assert told('.NOTPARALLEL:\nall: lib prog\n' + rules + 'prog: ; cat lib\n') == []
    # What stands in quotation marks with other letters, and what is only said, is no file; what stands alone in them is.
    def together(*recipes):
        return told('all: lib %s\n%s%s' % (' '.join('p%d' % k for k in range(len(recipes))), rules,
                                          ''.join('p%d: ; %s\n' % pair for pair in enumerate(recipes))))

    found = together('echo lib', 'printf lib', 'true; echo x lib', 'A=1 echo lib', 'if true; then echo lib; fi', "sed 's|x|lib|' /dev/null",
                     "true 'a lib b'", 'true "of lib"', 'true x\\ lib', 'echo 2>&1 lib')
    assert found == [], found
    found = together("cat 'lib'", 'echo x | cat - lib', 'echo x >>lib', 'cat <lib', 'true && cat lib', 'true --of=lib', 'A=lib true',
                     'true \\\n\t  lib', '(cat lib)', 'echo `cat lib`', 'echo x; cat l"ib"', 'true "x" lib', 'cat >/dev/null lib')
    assert len(found) == 1 and found[0].startswith('13 recipes name files'), found


HEAD = "make: Entering directory '/top'\n"
TAIL = "make: Leaving directory '/top'\n"


def database(version, targets):
    return '# GNU Make %s\n# Built for x\n\n# Make data base, printed on a day\n# Variables\n# Files\n%s\n' \
           '# files hash-table stats:\n# Finished Make data base on a day\n' % (version, targets)


def steps(names):
    return ''.join("M:1: update target '%s' due to: target does not exist\necho %s\n" % (name, name) for name in names.split())


def targets(lists):
    """The database of these lists, each of which make has looked at."""
    return ''.join('%s\n#  File has been updated.\n\n' % line for line in lists)


def check_wait(where):
    """.WAIT and .NOTPARALLEL with prerequisites, as GNU make 4.4.1 prints both."""
    def edges(version, order, *lists):
        return printed(HEAD + steps(order) + database(version, targets(lists)) + TAIL).edges

    assert edges('4.4.1', 'lib test', 'all: lib .WAIT test', 'lib:', 'test:') == {('lib', 'test')}
    # What stands behind, and what that needs, through targets without recipes; what is done before is not held up.
    found = edges('4.4.1', 'x a b c d', 'all: a .WAIT more', 'a: x', 'more: c d', 'c: b x', 'b:', 'd:', 'x:')
    assert found == {('x', 'a'), ('a', 'b'), ('a', 'c'), ('b', 'c'), ('x', 'c'), ('a', 'd')}, found
    found = edges('4.4.1', 'a b c', 'all: a .WAIT b .WAIT c', 'a:', 'b:', 'c:')
    assert {('a', 'b'), ('b', 'c')} <= found, found
    # Order-only ones, too; which of them stood before is not printed, so all do.
    found = edges('4.4.1', 'a o b', 'all: a .WAIT b | o', 'a:', 'b:', 'o:')
    assert {('a', 'b'), ('o', 'b')} <= found and ('b', 'o') not in found, found
    assert edges('4.4.1', 'c d e', 'all: pair e', 'pair: c | .WAIT d', 'c:', 'd:', 'e:') == {('c', 'd')}
    # A list that was not asked for orders nothing; nor does a name of make 4.3.
    assert not printed(HEAD + steps('a b') + database('4.4.1', targets(['all: a b', 'a:', 'b:']) + 'check: a .WAIT b\n\n') + TAIL).edges
    assert not edges('4.3', 'a b', 'all: a .WAIT b', 'a:', 'b:', '.WAIT:')
    lists = ['all: pair e f', 'pair: c .WAIT d', 'c:', 'd:', 'e:', 'f:', '.NOTPARALLEL: pair']
    assert edges('4.4.1', 'c d e f', *lists) == {('c', 'd')}
    assert edges('4.3', 'c d e f', *lists) == {('c', 'd'), ('d', 'e'), ('e', 'f')}
    assert edges('4.4.1', 'c d e f', *lists[:-1], '.NOTPARALLEL:') == {('c', 'd'), ('d', 'e'), ('e', 'f')}


def check_statements(where):
    """What a statement of a target with "::" needs waits for the statements before; one without a recipe has none."""
    write(where, {'Makefile': 'all:: ; echo one\nall:: x ; echo two\nall:: z\nall:: w ; echo three\nx z w: ; echo $@\n'})
    job = load(where)
    assert len(job.command) == 6 and 'three' in job.command['all (3)'], job.command
    assert {('all', 'x'), ('x', 'all (2)'), ('all (2)', 'z'), ('z', 'w'), ('w', 'all (3)')} <= job.edges, job.edges
    # One that has nothing to do holds nothing up, and lets the next wait for the one before.
    write(where, {'Makefile': 'all:: ; echo one\nall::\nall:: w ; echo two\nw: ; echo $@\n'})
    job = load(where)
    assert job.edges == {('all', 'w'), ('all', 'all (2)'), ('w', 'all (2)')}, job.edges


def check_makefiles(where):
    """Makefiles that make makes anew, also in a dry run, are made: no task does that again beside the others."""
    write(where, {'Makefile': 'include made.mk\nall: b\n\techo $(WORD) > all\nb:\n\ttouch b\n'
                              'made.mk: first\n\techo WORD = hello > made.mk\nfirst:\n\techo > first\n'})
    job = load(where, '--dirty')
    assert set(job.command) == {'all', 'b'} and 'echo hello' in job.command['all'], job.command
    # Also one that is made at each start, with what it needs.
    write(where, {'Makefile': 'include again.mk\nall: b\n\techo $(WORD) > all\nb:\n\ttouch b\n'
                              'again.mk: before\n\techo WORD = hello > new; cmp -s new again.mk || cp new again.mk\n'
                              'before: FORCE\n\techo > before\nFORCE:\n'})
    job = load(where, '--dirty')
    assert set(job.command) == {'all', 'b'} and 'echo hello' in job.command['all'], job.command


def check_makes_for_makefiles(where):
    """A make that makes a Makefile does so, as under make -n; asked what it would do, git's never ended."""
    write(where, {'Makefile': 'include sub/version\nall:\n\techo $(VERSION) > all\nsub/version: FORCE\n'
                              '\t@$(MAKE) -C sub version WORD=given\nFORCE:\n',
                  'sub/Makefile': '-include version\nversion: FORCE\n\t@echo VERSION = $(WORD) > new; '
                                  'cmp -s new version || cp new version\nFORCE:\n'})
    job = load(where, '--dirty')
    assert 'echo given' in job.command['all'] and set(job.command) == {'all'}, job.command
    within = HEAD.replace('make', 'make[1]').replace('/top', '/top/sub') + 'made\n' + TAIL.replace('make', 'make[1]').replace('/top', '/top/sub')
    job = printed(HEAD + 'Updating makefiles....\n' + within + 'Updating goal targets....\n' + steps('a') + database('4.3', 'a:\n') + TAIL)
    assert set(job.command) == {'a'}, job.command


def check_quiet_makes(where):
    """Makes that do not say where they are, by an option or by their Makefile."""
    write(where, {'Makefile': 'MAKEFLAGS += --no-print-directory\nall: x\n\t$(MAKE) --no-print-directory -C sub q\n\techo all\n'
                              'x:\n\techo x\n', 'sub/Makefile': 'q: r\n\techo q\nr:\n\techo r\n'})
    job = load(where)
    assert job.edges == {('x', 'sub/r'), ('sub/r', 'sub/q'), ('sub/q', 'all')}, job.edges
    assert '/sub' in job.command['sub/q'] and 'make' not in job.command['all'].replace(str(where), ''), job.command


def check_names(where):
    """Makes under other names, with their number."""
    for name in ('make-4.3', 'gmake', 'gmake-4.4.1', 'make4'):
        text = HEAD.replace('make', name) + "M:1: target 'all' does not exist\n%s -C sub\n" % name + \
            HEAD.replace('make', name + '[1]').replace('/top', '/top/sub') + "M:1: target 'x' does not exist\necho x\n" + \
            database('4.3', 'x:\n') + TAIL.replace('make', name + '[1]') + 'echo all\n' + \
            database('4.3', 'all:\n#  recipe to execute\n\t$(MAKE) -C sub\n\techo all\n') + TAIL.replace('make', name)
        job = printed(text)
        assert job.edges == {('sub/x', 'all')} and 'sub' not in job.command['all'].replace('/top', ''), (name, job.command)


def check_folder(where):
    """A folder that does not begin at the root."""
    for name in ('abc', 'aaaaaaaaaaaaaaaaaaaaaaa/bbbbbbbbbbbbbbbbbbb/c', '../x', 'a/../../b', 'd/' * 4000):
        job = printed(HEAD.replace('/top', name) + steps('a b') + database('4.3', 'b: a\n\na:\n') + TAIL)
        assert job.edges == {('a', 'b')}, (name, job.edges)
    done = bigrocks('import', 'ninja', '-C', where / 'n', '')
    assert done.returncode == 3, done.stderr  # an empty target; the sanitizers see more


with folder() as name:
    top = pathlib.Path(name).resolve()
    write(top, {'n/build.ninja': 'rule r\n command = true\nbuild a: r\n'})
    for check in (check_folder, check_names, check_wait, check_told, check_variables, check_several_targets, check_left_over,
                  check_unexport, check_later_makes, check_serial, check_statements, check_makefiles,
                  check_makes_for_makefiles, check_quiet_makes):
        where = top / check.__name__
        where.mkdir()
        check(top if check is check_folder else where)
