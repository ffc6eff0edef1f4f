#!/usr/bin/env python3
"""bigrocks records of depfiles the same as ninja, for every form of depfile.

check_depfiles.py BIGROCKS [SEED [COUNT]]

Two equal builds, whose commands write depfiles that were made up, are run by ninja and by bigrocks.
Then `ninja -t deps` must say the same of both, and ninja must want to build the same again: nothing,
but for depfiles that it refuses; and whatever names a file that was touched. Uses the ninja in PATH
and those that BIGROCKS_NINJAS names (paths between colons). Skipped (77) without any.
"""
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

# One form each that a compiler, a person or an accident may write. What protoc writes is the first.
FORMS = [
    b'o: x.c a.h\\\n b.h \\\n  c.h\\\n\n', b'o: a.h\\\nb.h\n', b'o: a.h\\\r\n b.h\\\r\n\r\n', b'o:\\\n a.h\n',
    b'o: \\\n a.h\n', b'o\\\n: a.h\n', b'o \\\n : a.h\n', b'\\\no: a.h\n', b'o: a.h', b'o: a.h\\', b'o: a.h \\',
    b'o: a.h\\\n', b'o: a.h\\\r', b'o: a.h\\\\\n b.h\n', b'o: a.h \\\\\n b.h\n', b'o: a.h\\\\\\\n b.h\n',
    b'o:a.h\n', b'o : a.h\n', b'o :a.h\n', b'o:: a.h\n', b'o: a.h: b.h\n', b'o: a.h : b.h\n', b': a.h\n', b':\n',
    b'o:', b'o:\n', b'o: \n', b'\n', b'\n\n', b' ', b'\r\n', b'o\n', b'o a.h\n', b'a.h', b'',
    b'o p q: a.h b.h\n', b'o: a.h\np: b.h\nq: a.h c.h\n', b'o: a.h\n\na.h:\n\nb.h:\n', b'o: a.h b.h\na.h: b.h\n',
    b'o: a.h\na.h: b.h\n', b'o: a.h\na.h:\nb.h: c.h\n', b'o: a.h a.h ./a.h d/../a.h .//a.h\n',
    b'o: a.h\nb.h\n', b'o: a.h\nb.h\n\nc.h: d.h\n', b'o: a.h b.h:\nc.h: e.h\n',
    b'o: a\\ b.h a\\\\ b.h a\\\\\\ b.h a\\\\\\\\ b.h\n', b'o: a\\#b.h a\\\\#b.h a#b.h #c\n', b'o: $$a.h a$$ $a.h a$b.h \\$$x\n',
    b'o: c:\\w\\x.h c:/w/y.h d:\\ e.h\n', b'c:\\o: c:\\a.h\n', b'o: a\\:b.h a\\\\:b.h a\\: b.h\n', b'o\\: a.h\n', b'o\\:\n',
    b'o: a%b.h a\\%b.h %.h\n', b'o: a\tb.h\tc.h\n', b'o:\ta.h\n', b'o: a\\\tb.h\n', b'o: a.h\0b.h c.h\n', b'\0o: a.h\n',
    'o: ä.h 日本.h \U0001f600.h\n'.encode(), b'o: \xff\xfe.h \x80\n', b'\xef\xbb\xbfo: a.h\n', b'o: ../a.h ../../b.h /a.h /../b.h\n',
    b'o: . ./ .. ../ a/.. a/../.. a// a/./b //a\n', b'o: a;b a|b a<b a>b a&b a(b a[b a{b a!b a~b a^b a`b a*b a?b\n',
    b"o: a'b a\"b \"a b\" 'c d'\n", b'o: a=b a+b a@b a,b -a --b\n', b'# o: a.h\no: b.h\n', b'o: a.h # b.h\n',
    b'o: ' + b' '.join(b'd/h%d.h' % n for n in range(5000)) + b'\n',
    b'o: ' + b''.join(b'd/h%d.h\\\n' % n for n in range(5000)), b'o: ' + b'/'.join([b'n' * 200] * 15) + b'\\\n m.h\n',
    b'o: ' + b'\\' * 401 + b' a.h\n', b'o' + b'\n' * 5000 + b'p: a.h\n',
    # Every byte between two letters, alone and behind one and two backslashes.
    *(b'o: ' + b' '.join(b'%sa%db' % (b'x', n) + slashes + bytes([n]) + b'c' for n in range(first, first + 16)) + b' z\n'
      for first in range(0, 256, 16) for slashes in (b'', b'\\', b'\\\\')),
]

PIECES = [b'a.h', b'd/b.h', b'c.h', b'e', b'f.hpp', b' ', b' ', b' ', b'\t', b'\n', b'\r\n', b'\\\n', b'\\\n ', b' \\\n  ', b'\\\r\n',
          b'\\', b'\\\\', b'\\ ', b'\\#', b'\\:', b'$$', b'$', b'#', b':', b': ', b':\n', b'%', b'\xc3\xa4', b'./', b'../', b'f//g', b'\r', b'\0']


def made_up(rng):
    """A depfile as make would have it, written in one of many ways, or such pieces in any order."""
    if rng.randrange(3) == 0:
        return b''.join(rng.choice(PIECES) for _ in range(rng.randrange(1, 30)))
    gap = [rng.choice([b' ', b' \\\n ', b'\\\n', b'\\\n  ', b'\\\r\n ', b'  ', b'\t', b' \\\n']) for _ in range(2)]
    end = rng.choice([b'\n', b'\n', b'\r\n', b'\\\n\n', b' \n', b''])

    def name():
        text = rng.choice([b'a', b'b', b'c', b'd/e', b'./f', b'd/../g', b'long' * 15, '日本'.encode()]) + rng.choice([b'', b'.h', b'.hpp'])
        return rng.choice([b'', b'', b'', b'\\ ', b'\\#', b'$$', b'\\\\', b':', b'\\', b'%', b'=']).join([text, text][:rng.randrange(1, 3)])

    rules = []
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        names = [name() for _ in range(rng.randrange(8))]
        targets = [b'o'] + [name() for _ in range(rng.choice([0, 0, 1]))]
        rules.append(b' '.join(targets) + rng.choice([b':', b':', b' :']) + b''.join(rng.choice(gap) + n for n in names) + end)
        if rng.randrange(3) == 0:  # what gcc -MP adds
            rules += [b'\n' + n + b':' + end for n in names]
    text = b''.join(rules)
    if rng.randrange(6) == 0 and text:
        at = rng.randrange(len(text))
        text = text[:at] + bytes([rng.randrange(256)]) + text[at + rng.randrange(2):]
    return text


def known_to(version, forms):
    """Without what older versions read in another way: they cut names at these characters, and refuse
    depfiles of blanks alone."""
    if version < (1, 13):
        forms = [re.sub(rb'[?"\'&]', b'+', form) for form in forms]
    if version < (1, 12):
        # A name that is the root's (as "//") ends a whole build there.
        forms = [form for form in forms if b':' in form or not form]
        forms = [form for form in forms if form in FORMS or not re.search(rb'(?<![\w.])/|/(?![\w.])', form)]
    return forms


def build(folder, forms):
    """A command per depfile; the first has none."""
    folder.mkdir()
    (folder / 'forms').mkdir()
    rules = ['rule cc', '  command = cp forms/$out.d $out.d; touch $out', '  depfile = $out.d', '  deps = gcc',
             'rule none', '  command = touch $out', '  depfile = $out.d', '  deps = gcc', 'build none: none',
             'rule two', '  command = cp forms/o0.d two.d; touch $out', '  depfile = two.d', '  deps = gcc', 'build two.a two.b: two',
             # A file that a generator or "restat" has changed counts as of its outputs' time, else of the start.
             'rule both', '  command = sleep 0.02; touch $in; sleep 0.02; touch $out', 'rule none_new', '  command = sleep 0.02; : touch $out',
             'build generated: both generated.in', '  generator = 1', 'build changed: both changed.in', '  restat = 1',
             'build kept: none_new kept.in', '  restat = 1',
             'rule half', '  command = sleep 0.02; touch $in; sleep 0.02; touch half.b', '  restat = 1', 'build half.a half.b: half half.in']
    for name in 'generated.in', 'changed.in', 'half.in', 'half.a', 'kept', 'kept.in':
        (folder / name).touch()
    for name in 'kept', 'half.a':
        os.utime(folder / name, (1e9, 1e9))
    for n, form in enumerate(forms):
        (folder / 'forms' / ('o%d.d' % n)).write_bytes(form)
        rules.append('build o%d: cc' % n)
    (folder / 'build.ninja').write_text('\n'.join(rules) + '\n')


def run(*command, ok=True):
    done = subprocess.run([os.fsencode(str(word)) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, timeout=120)
    if ok and done.returncode:
        sys.exit('%s\nexit %d\n%r' % (' '.join(map(str, command)), done.returncode, done.stdout[-3000:]))
    return done.stdout


def recorded(ninja, folder):
    """The files by output, in order."""
    deps, now = {}, None
    for line in run(ninja, '-C', folder, '-t', 'deps').split(b'\n'):
        found = re.match(rb'(\S+): #deps (\d+), .*\((VALID|STALE)\)$', line)
        if found:
            assert found.group(3) == b'VALID', line
            now = deps[found.group(1)] = []
        elif line.startswith(b'    '):
            now.append(line[4:])
    return deps


def wanted(ninja, folder, loose):
    """The outputs that ninja would build."""
    said = run(ninja, '-C', folder, '-n', '-v', '-k', '0', ok=False)
    # It reads the depfiles that it has refused, and refuses them.
    assert b'no work to do' in said or b'touch ' in said and b'error:' not in said, said[-2000:]
    return sorted(set(re.findall(rb'touch ([^\s;]+)', said)) - loose), said


def check(bigrocks, ninja, forms, rng, scratch):
    by_ninja, by_bigrocks = scratch / 'ninja', scratch / 'bigrocks'
    version = tuple(int(n) for n in re.findall(rb'\d+', run(ninja, '--version'))[:2])
    forms = known_to(version, forms)
    build(by_ninja, forms)
    build(by_bigrocks, forms)
    said = run(ninja, '-C', by_ninja, '-k', '0', '-j', '4', ok=False)
    assert b'build stopped: Error' not in said, said[-1000:]
    os.environ['NINJA'] = str(ninja)
    run(bigrocks, 'import', 'ninja', '-C', by_bigrocks, '-q', '--capacity', 'cpu=4', '-o', scratch / 'job.xml')
    run(bigrocks, 'run', scratch / 'job.xml', '-q')

    deps = recorded(ninja, by_ninja)
    ours = recorded(ninja, by_bigrocks)
    for output in sorted(set(deps) | set(ours)):
        if deps.get(output) != ours.get(output):
            number = output[1:].decode()
            sys.exit('%s %r:\nninja    %r\nbigrocks %r' % (output, forms[int(number)][:500] if number.isdigit() else output,
                                                        deps.get(output), ours.get(output)))
    # All that is named is there and old, as far as it can be; so ninja is content with it.
    names = sorted({name for inputs in deps.values() for name in inputs})
    made, elsewhere = [], set()  # whose time others set
    for name in names:
        if not name.startswith((b'/', b'..')) and name != b'.':
            for folder in by_ninja, by_bigrocks:
                path = os.path.join(os.fsencode(folder), name)
                try:
                    os.makedirs(os.path.dirname(path), exist_ok=True)
                    if not os.path.exists(path):
                        open(path, 'wb').close()
                    os.utime(path, (1e9, 1e9))
                except OSError:  # a folder is a file already, or the name is too long
                    break
            else:
                made.append(name)
        else:
            elsewhere.add(name)
    loose = {output for output in deps if elsewhere & set(deps[output])}
    if version < (1, 12):  # it took what had changed while the command ran for older
        loose |= {b'half.in', b'half.b'}
    expected, _ = wanted(ninja, by_ninja, loose)
    got, said = wanted(ninja, by_bigrocks, loose)
    assert expected == got, (expected, got, said[-2000:])
    content = len(forms) + 5 - len(set(got))  # the others: refused, or naming what cannot be made
    assert content > len(forms) * 2 / 3, (content, len(forms))
    assert not set(got) & {b'none', b'generated', b'changed', b'kept'}, (got, said)
    # Whatever is touched is seen.
    for name in rng.sample(made, min(len(made), 15)):
        for folder in by_ninja, by_bigrocks:
            os.utime(os.path.join(os.fsencode(folder), name), (2e9, 2e9))
        expected, _ = wanted(ninja, by_ninja, loose)
        got, said = wanted(ninja, by_bigrocks, loose)
        assert expected == got and set(got) >= {o for o in deps if name in deps[o] and o not in loose | {b'two.b'}}, (name, expected, got, said[-2000:])
        for folder in by_ninja, by_bigrocks:
            os.utime(os.path.join(os.fsencode(folder), name), (1e9, 1e9))
    return len(forms), len(deps), len(names)


def main():
    bigrocks = pathlib.Path(sys.argv[1]).resolve()
    ninjas = [n for n in [shutil.which('ninja')] + os.environ.get('BIGROCKS_NINJAS', '').split(':') if n]
    if not ninjas:
        print('ninja is not installed')
        sys.exit(77)
    seed, count = (int(word) for word in (sys.argv[2:] + ['1', '100'][len(sys.argv) - 2:])[:2])
    rng = random.Random(seed)
    forms = FORMS + [made_up(rng) for _ in range(count)]
    for number, ninja in enumerate(ninjas):
        with tempfile.TemporaryDirectory(prefix='bigrocks-depfiles-') as scratch:
            depfiles, outputs, names = check(bigrocks, ninja, forms, rng, pathlib.Path(scratch))
            print('%s: %d depfiles, recorded %d outputs and %d names as ninja does'
                  % (ninja, depfiles, outputs, names))


main()
