#!/usr/bin/env python3
"""`bigrocks build` and `bigrocks-ninja` with the command lines of ninja: -k0 and -k N, -f, -l, -j0, -d explain, -t and what
belongs to it, `source^`; and as the make program of CMake, for `cmake --build`.

usage: build_face.py BIGROCKS
"""
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import time

BUILD = '''rule copy
  command = cp $in $out
  description = COPY $out
rule no
  command = false
build a: copy in.c
build b: copy a
build f1: no
build f2: no | f1-never
build f1-never: copy in.c
build f3: no | f1-never f2-never
build f2-never: copy f1-never
build all: phony a b
default all
'''


def run(*command, code=0, folder=None):
    done = subprocess.run(list(map(str, command)), text=True, capture_output=True, timeout=100, cwd=folder)
    assert done.returncode == code, '%s: %d\n%s%s' % (command, done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr


def failures(face, folder):
    targets = 'f1', 'f2', 'f3', '-j1', '--capacity', 'cpu=1,mem=1GiB'
    for words, failed in (((), 1), (('-k', '1'), 1), (('-k2',), 2), (('-k', '2'), 2), (('-k0',), 3), (('-k', '0'), 3),
                          (('-vk0',), 3), (('--keep-going', ), 3), (('--keep-going=2', ), 2)):
        said = run(*face, *words, '-C', folder, *targets, code=1)
        assert said.count('FAILED: ') == failed, (words, said)
    said = run(*face, '-C', folder, *targets, '-k', code=1)
    assert said.count('FAILED: ') == 3, said
    run(*face, '-k', code=2, *('-C',))  # without the folder that -C needs


def failures_of_rounds(face, folder):
    """-k N counts failures over all rounds: the dyndep files that a round makes let the next one start."""
    (folder / 'rounds.ninja').write_text(
        'rule no\n  command = false\nrule dd\n  command = printf "ninja_dyndep_version = 1\\nbuild $of: dyndep\\n" > $out\n'
        'rule late\n  command = false\n  dyndep = $dd\n'
        'build e1: no\nbuild e2: no\nbuild d1: dd\n  of = l1\nbuild d2: dd\n  of = l2\nbuild d3: dd\n  of = l3\n'
        + ''.join('build l%d: late || d%d\n  dd = d%d\n' % (k, k, k) for k in (1, 2, 3)))
    for most, failed in ((1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 5), (0, 5)):
        for made in folder.glob('d[123]'):
            made.unlink()
        said = run(*face, '-C', folder, '-f', 'rounds.ninja', '-j1', '--capacity', 'cpu=1,mem=1GiB', '-k', most,
                   'd1', 'd2', 'd3', 'e1', 'e2', 'l1', 'l2', 'l3', code=1)
        assert said.count('FAILED: ') == failed, (most, said)


def wrong_history(face, folder):
    """A file that is no history is refused, whatever there is to do; one without contents becomes one."""
    own = folder / '.bigrocks-history'
    if not own.exists():
        return print('built without histories')
    (folder / 'wrong').write_text('no history\n')
    for words in (('-n',), (), ('-n', 'in.c')):
        said = run(*face, '-C', folder, *words, '--history', folder / 'wrong', code=3)
        assert 'the history cannot be used' in said and 'COPY' not in said, said
    (folder / 'wrong').write_text('')
    run(*face, '-C', folder, '-n', '--history', folder / 'wrong')
    run(*face, '-C', folder, '-n', '--history', folder / 'none')
    assert (folder / 'wrong').stat().st_size == 0 and not (folder / 'none').exists()
    kept = own.read_bytes()
    own.write_text('no history\n')
    assert 'the history cannot be used' in run(*face, '-C', folder, '-n', code=3)
    own.write_bytes(kept)


def face_of(face, folder):
    (folder / 'other.ninja').write_text(BUILD.replace('COPY', 'OTHER'))
    said = run(*face, '-C', folder, '-f', 'other.ninja', '-l', '3.5', '-j0', '-d', 'keepdepfile', '-w', 'dupbuild=err', 'in.c^')
    assert re.search(r'^\[1/1\] OTHER a$', said, re.M) and '-l 3.5 has no effect' in said and '-w' in said, said
    assert not (folder / 'b').exists()
    said = run(*face, '-dexplain', '-C', folder)
    assert 'COPY b' in said and re.search(r"explain.*b", said), said
    assert 'explain' not in run(*face, '-C', folder)
    said = run(*face, '-C', folder, './sub/../x.c^', code=3)
    assert "no command of the build reads 'x.c'" in said, said
    assert 'is not known here' in run(*face, '-C', folder, '-d', 'stats', code=2)
    assert 'explain' in run(*face, '-d', 'list', code=1)
    assert run(*face, '-C', folder, '-t', 'query', 'b').endswith('b:\n  input: copy\n    a\n  outputs:\n    all\n')
    assert 'b: copy' in run(*face, '-ttargets', 'all', folder=folder)
    assert 'Cleaning' in run(*face, '-C%s' % folder, '-tclean', '-g')
    assert not (folder / 'a').exists()
    assert 'COPY' not in run(*face, '-C', folder, '-n', '-v', '-f', 'build.ninja') and not (folder / 'a').exists()


def two_at_once(face, folder):
    """The second waits and says so; one that a command of the first starts does not."""
    (folder / 'build.ninja').write_text('rule r\n  command = echo $out >> ran; touch began; sleep 0.7; touch $out\n'
                                        'rule own\n  command = %s inner && touch $out\nbuild slow: r\nbuild inner: r\n'
                                        'build outer: own\n' % ' '.join(map(str, face)))
    first = subprocess.Popen(list(map(str, [*face, '-C', folder, 'slow'])), stdout=subprocess.DEVNULL)
    while not (folder / 'began').exists():
        time.sleep(0.01)
    said = run(*face, '-C', folder, 'slow')
    assert first.wait() == 0
    assert 'another build runs in' in said and 'no work to do' in said, said
    assert (folder / 'ran').read_text().split() == ['slow']
    assert 'another build' not in run(*face, '-C', folder, 'outer') and (folder / 'inner').exists()


CONSOLE = r'''rule t
  command = %s
  description = TEST
  pool = console
rule r
  command = %s && touch $out
  description = REST $out
build test: t
build rest: r
build behind: r | test rest
'''


def console(face, folder):
    """A command of the pool "console" has our standard streams: what it writes is there before it ends, it reads what is
    typed, and what others write in between comes behind it; to a file as to a pipe, as under ninja."""
    (folder / 'console.ninja').write_text(CONSOLE % (
        'echo one; read word; while [ ! -e rest ]; do sleep 0.01; done; sleep 0.2; echo $$word; echo wrong >&2; printf three',
        'echo of $out'))
    told = []
    for tool in (face, ['ninja']):
        for made in 'rest', 'behind':
            (folder / made).unlink(missing_ok=True)
        command = list(map(str, [*tool, '-C', folder, '-f', 'console.ninja', '-j2', 'behind']))
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = child.stdout.readline()
        while 'TEST' not in line:
            assert line, child.communicate()
            line = child.stdout.readline()
        assert child.stdout.readline() == 'one\n'  # and it waits for us
        out, error = child.communicate('two\n')
        assert child.returncode == 0 and 'wrong\n' in error, (out, error)
        told.append(re.sub(r'\[\d/\d\] ', '', out))
        (folder / 'rest').unlink()
        with open(folder / 'out', 'w+', encoding='utf-8') as file:
            assert subprocess.run(command, input='four\n', stdout=file, stderr=file, text=True, timeout=100).returncode == 0
        out = (folder / 'out').read_text()
        told.append(re.sub(r'^(?s:.*)TEST\n|\[\d/\d\] |bigrocks: .*\n', '', out))
    assert told[0] == 'two\nthreeREST rest\nof rest\nREST behind\nof behind\n' == told[2], told
    assert told[1] == told[3] and told[1].startswith('one\nfour\nwrong\nthree') and 'of rest' in told[1], told


def at_terminal(tool, folder, keys):
    """What a terminal shows while these are typed, each when its text has appeared, and the status."""
    pid, terminal = pty.fork()
    if not pid:
        os.execvp(str(tool[0]), list(map(str, [*tool, '-C', folder, '-f', 'console.ninja', 'test'])))
    shown = b''
    for text, key in [*keys, (None, b'')]:
        while text is None or text not in shown:
            try:
                piece = os.read(terminal, 4096)
            except OSError:
                piece = b''
            if not piece:
                assert text is None, shown
                break
            shown += piece
        os.write(terminal, key) if key else None
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os.close(terminal)
    return shown, status


def console_at_terminal(face, folder):
    """It has the terminal: it may ask, and of Ctrl-C it is told once, by the terminal alone, and is waited for."""
    for script, keys, expected in (
            ('test -t 0 && test -t 1 && test -t 2 && printf ask; read word; echo got $$word', [(b'ask', b'that\n')],
             [b'got that\r\n']),
            ('trap "" TERM; trap "sleep 0.4; echo cleaned; exit 3" INT; echo ready; while :; do sleep 0.05; done',
             [(b'ready', b'\x03')], [b'cleaned\r\n']),
            ('trap "echo hi\'\'nted" TERM; trap n=1 INT; echo ready; while [ -z "$$n" ]; do sleep 0.05; done; sleep 0.4; exit 3',
             [(b'ready', b'\x03')], [b'ready\r\n'])):
        (folder / 'console.ninja').write_text(CONSOLE % (script, 'true'))
        for tool in (face, ['ninja']):
            shown, status = at_terminal(tool, folder, keys)
            assert all(text in shown for text in expected) and b'hinted' not in shown, (tool, shown)
            assert (status == 0) == (expected[0].startswith(b'got')), (tool, shown, status)
    # Asked by others than the terminal, it is told as well.
    (folder / 'console.ninja').write_text(CONSOLE % (
        'trap "echo asked; exit 3" TERM; echo ready; while :; do sleep 0.05; done', 'true'))
    child = subprocess.Popen(list(map(str, [*face, '-C', folder, '-f', 'console.ninja', 'test'])), stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    while child.stdout.readline() != 'ready\n':
        assert child.poll() is None
    child.terminate()
    assert child.communicate(timeout=100)[0].startswith('asked\n') and child.returncode


def cmake(ninja, folder):
    """It configures, builds, cleans and builds again as by ninja."""
    if not shutil.which('cmake') or not shutil.which('cc'):
        return print('cmake is not installed')
    (folder / 'main.c').write_text('int main(void) { return 0; }\n')
    (folder / 'CMakeLists.txt').write_text('cmake_minimum_required(VERSION 3.10)\nproject(one C)\nadd_executable(one main.c)\n')
    build = folder / 'out'
    run('cmake', '-G', 'Ninja', '-DCMAKE_MAKE_PROGRAM=%s' % ninja, '-S', folder, '-B', build)
    for words in ((), ('--clean-first',), ('--parallel', '2', '--verbose')):
        said = run('cmake', '--build', build, *words)
        assert (build / 'one').exists() and ('Linking' in said or words[:1] == ('--parallel',)), said
    assert 'no work to do' in run('cmake', '--build', build)
    (folder / 'main.c').write_text('broken\n')
    assert 'FAILED: ' in run('cmake', '--build', build, '--', '-k', '0', code=1)


def main():
    bigrocks = pathlib.Path(sys.argv[1]).absolute()
    ninja = bigrocks.with_name('bigrocks-ninja')
    if not shutil.which('ninja'):
        print('ninja is not installed')
        return 77
    for face in ([bigrocks, 'build'], [ninja]):
        with tempfile.TemporaryDirectory(prefix='bigrocks-face') as scratch:
            folder = pathlib.Path(scratch)
            (folder / 'build.ninja').write_text(BUILD)
            (folder / 'in.c').write_text('in\n')
            failures(face, folder)
            failures_of_rounds(face, folder)
            wrong_history(face, folder)
            face_of(face, folder)
            two_at_once(face, folder)
            console(face, folder)
            console_at_terminal(face, folder)
    assert run(ninja, '--version') == run('ninja', '--version')
    assert 'bigrocks' in run(bigrocks, 'build', '--version')
    with tempfile.TemporaryDirectory(prefix='bigrocks-face') as scratch:
        cmake(ninja, pathlib.Path(scratch))
    return 0


if __name__ == '__main__':
    sys.exit(main())
