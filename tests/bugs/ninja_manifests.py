"""Builds of ninja that were read otherwise than ninja reads them: each is built by us, and ninja finds nothing left."""
import pathlib
import subprocess
import sys
import time

import case

MAKE = 'rule make\n  command = cp $in $out\n'
STAMPED = '''{
echo 'rule gen'
echo '  command = sh gen.sh'
echo 'rule make'
echo '  command = echo $out > $out'
echo 'build build.ninja.stamp: gen names'
echo '  generator = 1'
echo 'build build.ninja: phony build.ninja.stamp'
for n in $(cat names); do echo "build $n: make"; done
} > build.ninja.tmp && mv build.ninja.tmp build.ninja && touch build.ninja.stamp
'''


def ninja(folder, *words):
    done = subprocess.run(['ninja', '-C', str(folder), *words], capture_output=True, text=True)
    return done.stdout


def build(folder, *words, code=0):
    done = case.bigrocks('build', '-C', folder, '--capacity', 'cpu=2,mem=1GiB', *words)
    assert done.returncode == code, (folder, done)
    if not code:
        assert 'no work to do' in ninja(folder, '-n', *words), folder
    return done


def validations(folder):
    """Without "default", a target that only its validation uses is one that ninja builds."""
    (folder / 'build.ninja').write_text(MAKE + '''rule inspect
  command = test -s lib.o && touch $out
build lib.o: make lib.c |@ lib.ok
build lib.ok: inspect | lib.o
build other.o: make other.c
''')
    (folder / 'lib.c').write_text('x')
    (folder / 'other.c').write_text('y')
    build(folder)
    assert all((folder / name).exists() for name in ('lib.o', 'lib.ok', 'other.o'))


def response_files(folder):
    """Ninja takes the two halves of a response file from the rule alone."""
    (folder / 'build.ninja').write_text('rule pack\n  command = cp $out.list $out\n  rspfile = $out.list\n'
                                        'build box: pack\n  rspfile_content = one two\n')
    done = case.bigrocks('import', 'ninja', '-C', folder)
    assert done.returncode == 3 and 'build.ninja:4' in done.stderr and 'rspfile_content' in done.stderr, done


def pools(folder):
    """A depth that is no number, as SCons writes 0.5, is ninja's 0: no limit."""
    for depth, known in (('foo', 0), ('0.5', 0), ('2.5', 2), (' 3', 3)):
        (folder / 'build.ninja').write_text(MAKE + 'pool slow\n  depth = %s\nbuild out: make in\n  pool = slow\n' % depth)
        (folder / 'in').write_text('x')
        (folder / 'out').unlink(missing_ok=True)
        done = case.bigrocks('import', 'ninja', '-C', folder, '--capacity', 'cpu=1', '-q')
        assert done.returncode == 0 and ('pool.slow' in done.stdout) == (known > 0), (depth, done)
        assert known == 0 or 'pool.slow="%d"' % known in done.stdout or 'name="pool.slow"' in done.stdout, done.stdout
        build(folder)
    (folder / 'build.ninja').write_text(MAKE + 'pool slow\n  depth = -1\nbuild out: make in\n  pool = slow\n')
    done = case.bigrocks('import', 'ninja', '-C', folder)
    assert done.returncode == 3 and 'depth below 0' in done.stderr, done


def refusals(folder):
    """What ninja says on its standard output when it refuses is not lost."""
    (folder / 'build.ninja').write_text('rule cc\n  command = touch $out\n  deps = gcc\nbuild o: cc\n')
    done = build(folder, code=3)
    assert 'deps=gcc but no depfile' in done.stderr, done


def stamps(folder):
    """A build.ninja that is a phony name of a stamp, as GN writes it, is made anew before all else."""
    (folder / 'gen.sh').write_text(STAMPED)
    (folder / 'names').write_text('one\n')
    subprocess.run(['sh', 'gen.sh'], cwd=folder, check=True)
    build(folder)
    for name, words in (('two', ()), ('three', ('three',))):
        time.sleep(0.02)
        (folder / 'names').write_text((folder / 'names').read_text() + name + '\n')
        done = case.bigrocks('import', 'ninja', '-C', folder, '--dirty', '-q') if not words else None
        assert not done or (done.returncode == 0 and 'id="%s"' % name in done.stdout), done
        build(folder, *words)
        assert (folder / name).exists()


def samurai(folder):
    """A log with 0 as start and end of every command has measured nothing."""
    (folder / 'build.ninja').write_text(MAKE + 'build a: make in\nbuild b: make a\nbuild c: make b\n')
    (folder / '.ninja_log').write_text('# ninja log v5\n0\t0\t1\ta\t1\n0\t0\t1\tb\t1\n10\t2010\t1\tc\t1\n')
    done = case.bigrocks('import', 'ninja', '-C', folder)
    assert '1 with the duration of the log, 2 with the median' in done.stderr, done.stderr
    assert done.stdout.count('duration="2"') == 3, done.stdout


def colours(folder):
    """A description may hold escape characters; what else holds some is refused with its place."""
    (folder / 'build.ninja').write_text('rule t\n  command = touch $out\n'
                                        '  description = \033[1;32mMAKE\033[0m\b $out\nbuild a: t\nbuild b: t\ndefault a\n')
    done = build(folder)
    assert '[1/1] MAKE a\n' in done.stdout, done
    done = case.bigrocks('import', 'ninja', '-C', folder, '-q')
    assert done.returncode == 0 and 'description = MAKE a' in done.stdout and '\033' not in done.stdout, done
    with open(folder / 'build.ninja', 'a') as file:
        file.write('rule u\n  command = echo \033 >$out\nbuild c: u\n')
    for target, name in (('a', 'c'), ('c', 'c')):
        done = case.bigrocks('import', 'ninja', '-C', folder, target)
        assert done.returncode == 3 and 'build.ninja:9' in done.stderr and "'%s'" % name in done.stderr, done


def commands(folder):
    """Commands of several lines, and {index} in commands and response files, which jobs replace, refuse no build."""
    (folder / 'build.ninja').write_text("""rule lines
  command = cat $in_newline >$out $
    && echo "100%d \\\\ 'it'" >>$out
rule index
  command = sh -c 'cat $out.rsp; echo {index}' >$out; exit $status
  rspfile = $out.rsp
  rspfile_content = {index} $in_newline
build one: index a b
  status = 0
build two: lines a sub/b
build bad: index a
  status = 3
rule empty
  command = cat $in_newline $out.rsp >$out
  rspfile = $out.rsp
  rspfile_content = $nothing
build three: empty a sub/b
build {index}/out: index a
  status = 0
default one two three {index}/out
""")
    (folder / 'sub').mkdir()
    for name in 'a', 'b':
        (folder / name).write_text('echo %s\n' % name)
    (folder / 'sub/b').write_text('#!/bin/sh\necho "echo b"\n')
    (folder / 'sub/b').chmod(0o755)
    build(folder)
    assert (folder / 'one').read_text() == '{index} a\nb{index}\n', (folder / 'one').read_text()
    assert (folder / '{index}/out').read_text() == '{index} a{index}\n'
    assert (folder / 'two').read_text() == "echo b\n100%d \\ 'it'\n", (folder / 'two').read_text()
    done = build(folder, '-v', 'bad', code=1)
    assert "FAILED: bad\nsh -c 'cat bad.rsp; echo {index}' >bad; exit 3\n" in done.stdout, done.stdout


with case.folder() as scratch:
    for check in (commands, validations, response_files, pools, refusals, stamps, samurai, colours):
        folder = pathlib.Path(scratch) / check.__name__
        folder.mkdir()
        check(folder)
        print(check.__name__, 'ok', file=sys.stderr)
