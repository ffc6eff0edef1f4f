#!/usr/bin/env python3
"""`bigrocks build` runs what ninja runs, in twins of a project of many headers: one is built by ninja, the
other by us, after each of a row of changes. Judged by the commands themselves, which tell that they run.

build.py BIGROCKS [NINJA]

Headers are found by depfiles; there are generators with "restat" that leave their output as it was or
change it, a command that always runs, order-only inputs, response files, phony targets, pools, and a
build.ninja that makes itself.
"""
import contextlib
import fcntl
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import termios
import time

SOURCES, HEADERS = 24, 8

# Every command tells its name in `ran`, and when it begins and ends in `course`.
TOOL = r'''set -e
kind=$1 out=$2
echo "$out" >> ran
echo "begin $out" >> course
case $kind in
cc) shift 2
    [ ! -e "fail-$out" ] || { echo "broken $out"; echo "end $out" >> course; exit 3; }
    sleep 0.02
    { echo "$out: $1 \\"; sed -n 's/^#include \(.*\)$/ \1 \\/p' "$1"; echo " $(ls config.h)"; } > "$out.d"
    cat "$1" $FLAGS > "$out" ;;
generate) [ -e "$out" ] && cmp -s "$3" "$out" || cp "$3" "$out" ;;
stamp) echo stamp > "$out" ;;
version) [ -e "$out" ] && cmp -s version.in "$out" || cp version.in "$out" ;;
link) cat "$3" > "$out"; rm "$3" ;;
esac
echo "end $out" >> course
'''


def project(folder, flags='/dev/null'):
    lines = ['builddir = .', 'flags = ' + flags, 'pool links', '  depth = 1',
             'rule cc', '  command = FLAGS=$flags sh ./tool cc $out $in', '  description = CC $out',
             '  depfile = $out.d', '  deps = gcc',
             'rule generate', '  command = sh ./tool generate $out $in', '  restat = 1', '  description = GEN $out',
             'rule version', '  command = sh ./tool version $out', '  restat = 1',
             'rule stamp', '  command = sh ./tool stamp $out $in', '  description = STAMP $out',
             'rule link', '  command = sh ./tool link $out $out.rsp', '  description = LINK $$it $out', '  pool = links',
             '  rspfile = $out.rsp', '  rspfile_content = $in',
             'rule again', '  command = cp $in $out && echo regenerated >> regenerated', '  generator = 1',
             '  description = Regenerating $out',
             'build build.ninja: again build.in',
             'build config.h: generate config.in', 'build always: phony', 'build version.h: version | always',
             'build generated: phony config.h']
    for k in range(SOURCES):
        lines.append('build obj-%d.o: cc src-%d.c || generated' % (k, k))
    lines += ['build version.o: cc version.c || version.h generated']
    for k in range(4):
        lines.append('build app-%d: link %s version.o' % (k, ' '.join('obj-%d.o' % n for n in range(k, SOURCES, 4))))
    lines += ['build copy: stamp app-0 | app-1', 'build side: stamp src-0.c', 'build all: phony app-0 app-1 app-2 app-3 copy',
              'default all']
    return '\n'.join(lines) + '\n'


def write(folder):
    folder.mkdir()
    (folder / 'tool').write_text(TOOL)
    for name in ('build.in', 'build.ninja'):
        (folder / name).write_text(project(folder))
    for k in range(HEADERS):
        (folder / ('h%d.h' % k)).write_text('header %d\n' % k)
    for k in range(SOURCES):
        (folder / ('src-%d.c' % k)).write_text(''.join('#include h%d.h\n' % h for h in range(HEADERS) if (k + h) % 3 == 0) +
                                               'source %d\n' % k)
    (folder / 'version.c').write_text('#include version.h\n')
    (folder / 'config.in').write_text('config 1\n')
    (folder / 'version.in').write_text('version 1\n')


FAILS = object()  # any status but 0: ninja's is 1 before 1.13, and the command's own from then on


def run(*command, code=0, **options):
    done = subprocess.run(list(map(str, command)), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=100, **options)
    assert done.returncode != 0 if code is FAILS else done.returncode == code, '%s: %d\n%s%s' % (command, done.returncode, done.stdout, done.stderr)
    return done


def take(file):
    """The lines of the file, which is gone then, in order."""
    lines = sorted(file.read_text().splitlines()) if file.exists() else []
    file.unlink(missing_ok=True)
    return lines


class Twins:
    def __init__(self, bigrocks, ninja, folder):
        self.bigrocks, self.ninja = bigrocks, ninja
        self.theirs, self.ours = folder / 'theirs', folder / 'ours'
        for one in (self.theirs, self.ours):
            write(one)

    def change(self, what):
        """The same change of both, and later than all that has been built."""
        time.sleep(0.02)
        for one in (self.theirs, self.ours):
            what(one)

    def build(self, what, *words, code=0):
        """Both build; what has run has to be the same. Returns it, and what we said."""
        run(self.ninja, '-C', self.theirs, '-k', 0, *words, code=FAILS if code else 0)
        done = run(self.bigrocks, 'build', '-C', self.ours, '-k', '--capacity', 'cpu=4,mem=1GiB', *words, code=code)
        theirs, ours = take(self.theirs / 'ran'), take(self.ours / 'ran')
        assert take(self.theirs / 'regenerated') == take(self.ours / 'regenerated'), what
        for one in (self.theirs, self.ours):
            (one / 'course').unlink(missing_ok=True)
        assert ours == theirs, '%s: we ran %s\nninja ran %s' % (what, ours, theirs)
        print('%s: %d commands' % (what, len(ours)), flush=True)
        return ours, done.stdout

    def same(self):
        for file in sorted(self.theirs.iterdir()):
            if file.suffix in ('.o', '.h', '.c') or file.name.startswith(('app', 'copy')):
                assert file.read_bytes() == (self.ours / file.name).read_bytes(), file


def dry(ninja, folder):
    """What ninja would do, but for the command that always runs and what waits for it."""
    said = run(ninja, '-C', folder, '-n', '-v').stdout
    return [line for line in re.findall(r'sh ./tool (\w+ \S+)', said) if 'version' not in line and 'link' not in line and
            'copy' not in line]


def changes(twins):
    def append(name, text='more\n'):
        return lambda one: (one / name).write_text((one / name).read_text() + text)

    def touch(name):
        return lambda one: os.utime(one / name)
    ran, said = twins.build('all')
    assert len(ran) == SOURCES + 8, ran
    names = re.findall(r'^\[\d+/\d+\] (.*)$', said, re.M)
    assert {'CC obj-3.o', 'GEN config.h', 'LINK $it app-2', 'STAMP copy', 'sh ./tool version version.h'} <= set(names), names
    assert len(names) == len(ran)
    ran, _ = twins.build('nothing')
    assert ran == ['version.h'], ran  # it always runs, and leaves its output as it was
    twins.change(touch('h1.h'))
    assert len(twins.build('a header')[0]) == 8 + 4 + 1 + 1
    twins.change(append('src-5.c'))
    twins.build('a source')
    twins.change(lambda one: (one / 'obj-3.o').unlink())
    twins.build('an output that has gone')
    twins.change(touch('config.in'))
    ran, _ = twins.build('a generator that changes nothing')
    assert 'obj-0.o' not in ran and 'config.h' in ran, ran
    twins.change(append('config.in'))
    assert len(twins.build('a generator that changes its output')[0]) > SOURCES
    twins.change(append('version.in'))
    ran, _ = twins.build('the version')
    assert 'version.o' in ran and 'app-0' in ran and 'obj-0.o' not in ran, ran
    twins.change(lambda one: (one / 'build.in').write_text(project(one, flags='./h0.h')))
    assert len(twins.build('other flags, by a build.ninja that makes itself')[0]) > SOURCES
    twins.change(lambda one: [touch('h2.h')(one), touch('config.in')(one)])
    twins.build('a header and a generator')
    twins.change(touch('src-0.c'))
    ran, _ = twins.build('a target alone', 'side', 'obj-0.o')
    assert ran == ['obj-0.o', 'side'], ran
    twins.build('the rest')
    twins.same()
    assert dry(twins.ninja, twins.ours) == [], dry(twins.ninja, twins.ours)
    # And the other way round: what we have recorded, ninja goes on from, and we from what it has.
    twins.change(touch('h3.h'))
    run(twins.ninja, '-C', twins.ours)
    run(twins.bigrocks, 'build', '-C', twins.theirs, '-q')
    assert take(twins.ours / 'ran') == take(twins.theirs / 'ran')
    twins.build('nothing after each other')


def failures(twins):
    twins.change(lambda one: [os.utime(one / 'h1.h'), (one / 'fail-obj-2.o').touch()])
    ran, said = twins.build('a failure, and on', code=1)
    assert 'obj-2.o' in ran and 'app-2' not in ran and 'app-1' in ran, ran
    assert re.search(r'^FAILED: obj-2.o\nFLAGS=.* sh ./tool cc obj-2.o src-2.c\nbroken obj-2.o$', said, re.M), said
    twins.change(lambda one: (one / 'fail-obj-2.o').unlink())
    ran, _ = twins.build('mended')
    assert 'obj-2.o' in ran and 'obj-5.o' not in ran, ran
    for one in (twins.ours, twins.theirs):
        os.utime(one / 'src-7.c')
    told = run(twins.bigrocks, 'build', '-C', twins.ours, '-n').stdout
    assert re.match(r'\[1/8\] (CC obj-7.o|sh ./tool version version.h)\n', told) and 'LINK $it app-3\n' in told, told
    assert not (twins.ours / 'ran').exists()
    told = run(twins.bigrocks, 'build', '-C', twins.ours, '-v', 'obj-7.o').stdout
    assert re.match(r'\[1/1\] FLAGS=\S+ sh ./tool cc obj-7.o src-7.c\n', told), told
    run(twins.ninja, '-C', twins.theirs)
    refused = run(twins.bigrocks, 'build', '-C', twins.ours, 'no-such-target', code=3)
    assert "unknown target 'no-such-target'" in refused.stderr, refused.stderr
    for one in (twins.ours, twins.theirs):
        (one / 'ran').unlink(missing_ok=True)


def limits(twins):
    for jobs, least in ((1, 1), (3, 2)):
        twins.change(lambda one: os.utime(one / 'h0.h'))
        run(twins.bigrocks, 'build', '-C', twins.ours, '-j', jobs, '--capacity', 'cpu=8,mem=1GiB')
        now = most = 0
        for line in (twins.ours / 'course').read_text().splitlines():
            now += 1 if line.startswith('begin') else -1
            most = max(most, now)
        (twins.ours / 'course').unlink()
        assert least <= most <= jobs, (jobs, most)
        run(twins.ninja, '-C', twins.theirs)
    for one in (twins.ours, twins.theirs):
        (one / 'ran').unlink()


def dirty(twins, folder):
    """`import --dirty` has the commands that ninja would run."""
    twins.change(lambda one: os.utime(one / 'h4.h'))
    job = folder / 'dirty.xml'
    run(twins.bigrocks, 'import', 'ninja', '-C', twins.ours, '--dirty', '--capacity', 'cpu=2,mem=1GiB', '-q', '-o', job)
    names = sorted(re.findall(r'<stage id="([^"]*)"', job.read_text()))
    said = run(twins.ninja, '-C', twins.ours, '-n', '-v').stdout
    assert names == sorted(re.findall(r'sh ./tool \w+ (\S+)', said)) and 5 < len(names) < SOURCES, names
    run(twins.bigrocks, 'run', job, '-q')
    assert sorted(take(twins.ours / 'ran')) == names
    assert dry(twins.ninja, twins.ours) == []
    bare = folder / 'bare'
    bare.mkdir()
    (bare / 'build.ninja').write_text('rule t\n  command = touch $out\nbuild o: t\n')
    run(twins.bigrocks, 'build', '-C', bare)
    assert 'no work to do' in run(twins.bigrocks, 'build', '-C', bare).stdout
    assert 'nothing is out of date' in run(twins.bigrocks, 'import', 'ninja', '-C', bare, '--dirty', code=1).stderr
    gone = run(twins.bigrocks, 'build', '-C', bare, code=5, env=dict(os.environ, NINJA='/no/such/ninja'))
    assert 'cannot start ninja' in gone.stderr


# Statements with one and the same command: A, which fails when it is told to and g2 is not there yet, and B behind two
# "restat". A and g1 start together in every version of ninja, and g2 later.
ALIKE = '''rule both
  command = sh ./both
rule still
  command = sleep 0.3; echo $out >> ran; cmp -s $in $out || cp $in $out
  restat = 1
build A: both in1
build g1: still in2
build g2: still g1
build B: both g2
build C: both in3 || B
subninja sub.ninja
'''
SUB = '''rule both
  command = sh ./both
build D: both in3 || C
'''
BOTH = '''[ -e g2 ] && echo with >> ran || { echo without >> ran; [ ! -e strict ] || exit 1; }
touch A B C D
'''


def alike(bigrocks, ninja, folder):
    """Statements with one command are told apart: in one round, behind "restat", and where one of them fails."""
    pair = folder / 'by-ninja', folder / 'by-us'
    for one in pair:
        one.mkdir()
        for name, text in (('build.ninja', ALIKE), ('sub.ninja', SUB), ('both', BOTH), ('in1', '1'), ('in2', '2'),
                           ('in3', '3')):
            (one / name).write_text(text)

    def both(what, expected, code=0):
        run(ninja, '-C', pair[0], '-k', 0, '-j', 2, code=code)
        run(bigrocks, 'build', '-C', pair[1], '-k', '-j', 2, '--capacity', 'cpu=2,mem=1GiB', code=code)
        ran = [(one / 'ran').read_text().split() for one in pair]
        assert sorted(ran[0]) == sorted(ran[1]) == sorted(expected), (what, ran)
        for one in pair:
            (one / 'ran').unlink()
            assert 'no work to do' in run(ninja, '-C', one, '-n').stdout, (what, one)

    def change(*names):
        time.sleep(0.02)
        for one in pair:
            for name in names:
                os.utime(one / name)
    both('all', ['without', 'g1', 'g2', 'with', 'with', 'with'])
    change('in3')
    job = folder / 'alike.xml'
    run(bigrocks, 'import', 'ninja', '-C', pair[1], '--dirty', '--capacity', 'cpu=1,mem=1GiB', '-q', '-o', job)
    assert re.findall(r'<stage id="([^"]*)"', job.read_text()) == ['C', 'D'], job.read_text()
    both('two of four', ['with', 'with'])
    change('in1', 'in2')
    both('one, and one behind a generator that changes nothing', ['with', 'g1'])
    for one in pair:
        for name in ('A', 'B', 'C', 'D', 'g1', 'g2'):
            (one / name).unlink()
        (one / 'strict').touch()
    both('one fails, and the others do not', ['without', 'g1', 'g2', 'with', 'with', 'with'], code=1)


# As CMake writes it for a glob with CONFIGURE_DEPENDS: a check that is always out of date, and by which the
# build's own file is made anew where the files that match are others than before.
GLOBS = '''rule look
  command = ls *.in > seen.new; cmp -s seen seen.new || cp seen.new seen
  restat = 1
  generator = 1
rule again
  command = sh ./again && echo regenerated >> regenerated
  restat = 1
  generator = 1
rule copy
  command = echo $out >> ran; cp $in $out
build force: phony
build seen: look | force
build build.ninja: again | seen
'''


def globs(bigrocks, ninja, folder):
    """A build.ninja that looks at globs whenever ninja runs: dry runs say each time that it is out of date."""
    pair = folder / 'globs-ninja', folder / 'globs-us'
    for one in pair:
        one.mkdir()
        (one / 'head').write_text(GLOBS)
        (one / 'again').write_text('{ cat head; for f in *.in; do echo "build $f.out: copy $f"; done; echo default $(ls *.in | sed s/$/.out/); } > build.ninja\n')
        for name in ('a.in', 'b.in'):
            (one / name).write_text(name)
        run('sh', '-c', 'ls *.in > seen; sh ./again', cwd=one)

    def both(what, *expected):
        said = [run(ninja, '-C', pair[0]).stdout, run(bigrocks, 'build', '-C', pair[1], '--capacity', 'cpu=2,mem=1GiB').stdout]
        assert take(pair[0] / 'ran') == take(pair[1] / 'ran') == sorted(expected), (what, said)
        assert take(pair[0] / 'regenerated') == take(pair[1] / 'regenerated'), (what, said)
        assert expected or all('no work to do' in text for text in said), (what, said)
    both('all', 'a.in.out', 'b.in.out')
    both('nothing')
    time.sleep(0.02)
    os.utime(pair[0] / 'b.in')
    os.utime(pair[1] / 'b.in')
    both('a source', 'b.in.out')
    for one in pair:
        (one / 'c.in').write_text('new')
    dirty = run(bigrocks, 'import', 'ninja', '-C', pair[1], '--dirty', '--capacity', 'cpu=2,mem=1GiB')
    assert re.findall(r'<stage id="([^"]*)"', dirty.stdout) == ['c.in.out'] and dirty.stdout.startswith('<'), dirty.stdout
    take(pair[1] / 'regenerated')
    run(ninja, '-C', pair[0], 'build.ninja')
    take(pair[0] / 'regenerated')
    both('a new file', 'c.in.out')
    assert 'nothing is out of date' in run(bigrocks, 'import', 'ninja', '-C', pair[1], '--dirty', code=1).stderr
    for one in pair:
        (one / 'd.in').write_text('newer')
    both('a new file, at once', 'd.in.out')
    for one in pair:
        (one / 'head').write_text('broken\n')
        (one / 'again').write_text('exit 3\n')
        (one / 'e.in').write_text('newest')
    failed = run(bigrocks, 'build', '-C', pair[1], code=1)
    assert "ninja cannot make 'build.ninja' anew" in failed.stderr, failed.stderr


def samples(history):
    """The stages with a sample in the history, as another program sees it now."""
    with contextlib.closing(sqlite3.connect('file:%s?mode=ro' % history, uri=True)) as base:
        return sorted(row[0] for row in base.execute('SELECT name FROM sample JOIN stage ON stage = stage.id'))


def measured(bigrocks, ninja, folder):
    """`import --measure` tells how far it is, keeps every sample as it comes, loses nothing by Ctrl-C, and
    leaves ninja's records as ninja would."""
    one, history, job = folder / 'measured', folder / 'history', folder / 'measured.xml'
    write(one)
    everything = SOURCES + 7
    slow = one / 'tool'
    slow.write_text(slow.read_text().replace('sleep 0.02', 'sleep 0.15'))
    command = [str(bigrocks), 'import', 'ninja', '-C', str(one), '--measure', '--history', str(history), '--capacity',
               'cpu=2,mem=1GiB', '-o', str(job)]
    mine, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 80, 0, 0))
    child = subprocess.Popen(command, stderr=theirs, start_new_session=True)
    os.close(theirs)
    course, said = one / 'course', b''
    while not (course.exists() and course.read_text().count('end obj') >= 12):
        assert child.poll() is None, said
        time.sleep(0.01)
    # Before the end of the run, what has ended is in the history already.
    before = course.read_text().split('\n')
    ended = [line[4:] for line in before if line.startswith('end ')]
    time.sleep(0.1)
    early = samples(history)
    assert set(ended[:-1]) <= set(early) and len(early) < everything, (ended, early)
    os.killpg(child.pid, signal.SIGINT)
    child.wait(20)
    while True:
        try:
            block = os.read(mine, 4096)
        except OSError:
            break
        if not block:
            break
        said += block
    os.close(mine)
    assert child.returncode == -signal.SIGINT, (child.returncode, said)
    assert b'commands to measure\n' in said.replace(b'\r', b'') and b'nothing is known' not in said, said
    assert re.search(rb'\d+ of \d+ done', said) and b'commands were measured' in said, said
    assert not job.exists()
    ended = [line[4:] for line in course.read_text().splitlines() if line.startswith('end ')]
    kept = samples(history)
    assert set(early) <= set(kept) <= set(ended) and len(kept) >= len(ended) - 1, (kept, ended)
    known = set(re.findall(r'^\d+\t\d+\t\d+\t(\S+)\t', (one / '.ninja_log').read_text(), re.M))
    assert known == set(kept), (known, kept)
    (one / 'ran').unlink()
    run(ninja, '-C', one)
    assert not set(take(one / 'ran')) & set(kept) - {'version.h'}
    # A whole measuring leaves ninja nothing to do.
    run(ninja, '-C', one, '-t', 'clean')
    (one / '.ninja_log').unlink()
    (one / '.ninja_deps').unlink()
    slow.write_text(TOOL)
    run(*command, '-q')
    assert len(samples(history)) == len(kept) + everything + 1, samples(history)
    assert dry(ninja, one) == []
    (one / 'ran').unlink()
    run(ninja, '-C', one)
    assert take(one / 'ran') == ['version.h']


def interrupted(bigrocks, ninja, folder):
    """Ctrl-C at a terminal: the build says how to go on, and the next one runs what was not done, and only that."""
    one = folder / 'interrupted'
    write(one)
    (one / 'tool').write_text(TOOL.replace('link) ', 'link) [ ! -e hold ] || sleep 600\n    '))
    (one / 'hold').touch()
    pid, mine = pty.fork()
    if pid == 0:
        os.execv(bigrocks, ['bigrocks', 'build', '-C', str(one), '--capacity', 'cpu=2,mem=1GiB'])
    fcntl.ioctl(mine, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 200, 0, 0))
    said, limit, course = b'', time.monotonic() + 60, one / 'course'
    while b'interrupted' not in said or b'not done' not in said:
        assert time.monotonic() < limit, said
        if select.select([mine], [], [], 0.02)[0]:
            said += os.read(mine, 4096)
        if b'^C' not in said and course.exists() and 'begin app' in course.read_text():
            os.write(mine, b'\x03')
            said += b'^C'
    _, status = os.waitpid(pid, 0)
    os.close(mine)
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGINT, (status, said)
    assert b'the same build goes on from here' in said and b'--resume' not in said, said
    (one / 'hold').unlink()
    done = {line[4:] for line in course.read_text().splitlines() if line.startswith('end ')}
    assert len(done) > 10 and not [name for name in done if name.startswith('app')], done
    take(one / 'ran')
    run(bigrocks, 'build', '-C', one, '--capacity', 'cpu=2,mem=1GiB')
    ran = take(one / 'ran')
    assert set(ran) & done <= {'version.h'} and {'app-0', 'app-1', 'app-2', 'app-3', 'copy'} <= set(ran), (ran, done)


def main():
    os.environ['TERM'] = 'xterm'  # moving lines are shown on a terminal that can move
    bigrocks = pathlib.Path(sys.argv[1]).resolve()
    ninja = sys.argv[2] if len(sys.argv) > 2 else os.environ.get('NINJA', 'ninja')
    if not shutil.which(ninja):
        print('ninja is not installed')
        return 77
    with tempfile.TemporaryDirectory(prefix='bigrocks-build') as scratch:
        folder = pathlib.Path(scratch)
        twins = Twins(bigrocks, ninja, folder)
        interrupted(bigrocks, ninja, folder)
        changes(twins)
        failures(twins)
        limits(twins)
        dirty(twins, folder)
        globs(bigrocks, ninja, folder)
        alike(bigrocks, ninja, folder)
        if 'no SQLite' not in run(bigrocks, '--version').stdout:
            measured(bigrocks, ninja, folder)
    return 0


if __name__ == '__main__':
    sys.exit(main())
