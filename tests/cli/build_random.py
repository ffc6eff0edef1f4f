#!/usr/bin/env python3
"""`bigrocks build` runs the very commands that ninja runs, in an order that ninja's constraints allow.

build_random.py BIGROCKS [FIRST LAST]

Twins of builds made up from seeds: commands with "restat", of several outputs, some of which stay as they were while
others change; headers that only depfiles or .ninja_deps name; order-only inputs; phony targets; validations. One of
the twins is built by ninja, the other by us, after each of several changes. The commands that run are to be the same,
and so is what they make; each begins when what it waits for has ended; and afterwards ninja finds nothing to do.
"""
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

# The last of six seeds: in none before 4 do outputs that stay as they were spare a command.
SEEDS = max(2, 6 * min(100, int(os.environ.get('BIGROCKS_TEST_SHARE') or 100)) // 100)

# run.py NAME PARITY INPUT... -- OUTPUT...: what an output says follows from the inputs; with a parity, which few sums
# change, it is left as it was where it says the same.
TOOL = '''import os, sys, zlib
name, parity = sys.argv[1], int(sys.argv[2])
cut = sys.argv.index('--')
reads, writes = sys.argv[3:cut], sys.argv[cut + 1:]
hidden = open(name + '.hidden').read().split() if os.path.exists(name + '.hidden') else []
course = os.open('course', os.O_WRONLY | os.O_APPEND | os.O_CREAT)
os.write(course, b'begin %s\\n' % name.encode())
total = zlib.crc32(b''.join(open(read, 'rb').read() for read in reads + hidden) + name.encode())
for k, out in enumerate(writes):
    text = '%d\\n' % ((total >> 3 * k) % parity if parity else total)
    if not parity or not os.path.exists(out) or open(out).read() != text:
        open(out, 'w').write(text)
if os.path.exists(name + '.hidden'):
    open(writes[0] + '.d', 'w').write('%s: %s\\n' % (writes[0], ' '.join(hidden)))
os.write(course, b'end %s\\n' % name.encode())
'''


class Build:
    """A build made up: its text, and what each command waits for, by its first output."""

    def __init__(self, seed):
        self.random = draw = random.Random(seed)
        self.sources = ['in%d' % k for k in range(draw.randint(2, 5))]
        self.text = ['rule plain', '  command = python3 run.py $name 0 $in -- $out',
                     'rule restat', '  command = python3 run.py $name $parity $in -- $out', '  restat = 1',
                     'rule depfile', '  command = python3 run.py $name 0 $in -- $out', '  depfile = $out.d',
                     'rule deps', '  command = python3 run.py $name 0 $in -- $out', '  depfile = $out.d', '  deps = gcc']
        self.hidden, self.waits = {}, {}
        made, self.behind = [], {}  # behind: commands by file that have to end before it is there
        self.maker = {}
        for k in range(draw.randint(5, 16)):
            name = 'c%d' % k
            if made and draw.random() < 0.15:
                self.add_phony('p%d' % k, made)
                continue
            self.add_command(name, made)

    def some(self, files, least, most):
        return self.random.sample(files, min(len(files), self.random.randint(least, most)))

    def waits_of(self, files):
        return set().union(*(self.behind.get(file, set()) for file in files))

    def add_phony(self, name, made):
        files, order = self.some(made, 1, 3), self.some(made, 0, 1)
        self.text.append('build %s: phony %s%s' % (name, ' '.join(files), ' || ' + ' '.join(order) if order else ''))
        self.behind[name] = self.waits_of(files + order)
        self.phony = getattr(self, 'phony', []) + [name]

    def add_command(self, name, made):
        draw = self.random
        kind = draw.choice(('plain', 'restat', 'restat', 'depfile', 'deps'))
        outputs = [name + suffix for suffix in ('', '.x', '.y')[:draw.choice((1, 1, 2, 3) if kind in ('plain', 'restat') else (1,))]]
        reads = self.some(self.sources + made * 2, 1, 3)
        reads = list(dict.fromkeys(reads))
        implicit = [file for file in self.some(getattr(self, 'phony', []), 0, 1)]
        order = self.some(made, 0, 2)
        if kind in ('depfile', 'deps'):
            self.hidden[name] = self.some(made, 0, 2) + self.some(self.sources, 0, 1)
            order += [file for file in self.hidden[name] if file in self.maker]
        checks = []
        if draw.random() < 0.15:
            checks = ['check-' + name]
        self.text.append('build %s: %s %s%s%s%s' % (
            ' '.join(outputs), kind, ' '.join(reads), ' | ' + ' '.join(implicit) if implicit else '',
            ' || ' + ' '.join(order) if order else '', ' |@ ' + ' '.join(checks) if checks else ''))
        self.text += ['  name = ' + name] + (['  parity = %d' % draw.choice((1, 2, 3))] if kind == 'restat' else [])
        self.waits[name] = self.waits_of(reads + implicit + order)
        for file in outputs:
            self.behind[file] = {name}
            self.maker[file] = name
        for check in checks:
            self.text += ['build %s: plain %s' % (check, outputs[-1]), '  name = ' + check]
            self.waits[check] = {name}
        made += outputs

    def write(self, folder):
        folder.mkdir()
        (folder / 'run.py').write_text(TOOL)
        (folder / 'build.ninja').write_text('\n'.join(self.text) + '\n')
        for name, files in self.hidden.items():
            (folder / (name + '.hidden')).write_text(' '.join(files))
        for source in self.sources:
            (folder / source).write_text('0')

    def change(self):
        """A change of both twins, drawn once."""
        draw = self.random
        what = draw.choice(('source', 'source', 'touch', 'gone', 'both'))
        sources = self.some(self.sources, 1, 2)
        gone = draw.choice(sorted(self.maker))
        number = draw.randint(1, 1 << 30)

        def apply(folder):
            for source in sources if what != 'gone' else ():
                if what == 'touch':
                    os.utime(folder / source)
                else:
                    (folder / source).write_text(str(number))
            if what in ('gone', 'both'):
                (folder / gone).unlink(missing_ok=True)
        return what, apply


def course_of(folder):
    path = folder / 'course'
    lines = path.read_text().splitlines() if path.exists() else []
    path.unlink(missing_ok=True)
    return [tuple(line.split()) for line in lines]


def check_order(build, course, seed):
    ran, ended = {name for what, name in course if what == 'begin'}, set()
    for what, name in course:
        if what == 'end':
            ended.add(name)
        elif build.waits[name] & ran - ended:
            raise AssertionError('seed %d: %s begins before the end of %s' % (seed, name, build.waits[name] & ran - ended))
    return sorted(ran)


def call(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done
    return done.stdout


def try_seed(bigrocks, ninja, scratch, seed):
    build = Build(seed)
    theirs, ours = scratch / ('theirs-%d' % seed), scratch / ('ours-%d' % seed)
    commands = 0
    build.write(ours)
    for step in range(5):
        what, change = build.change() if step else ('all', lambda folder: None)
        time.sleep(0.01)
        change(ours)
        # Both begin with the same state. After restat behind a phony target ninja 1.11's own records let it run again.
        shutil.rmtree(theirs, ignore_errors=True)
        shutil.copytree(ours, theirs)
        call(ninja, '-C', theirs)
        call(bigrocks, 'build', '-C', ours, '--capacity', 'cpu=3,mem=1GiB', '-q')
        ran = [check_order(build, course_of(folder), seed) for folder in (theirs, ours)]
        assert ran[0] == ran[1], 'seed %d, step %d (%s): ninja ran %s, we %s' % (seed, step, what, ran[0], ran[1])
        commands += len(ran[0])
        for file in build.maker:
            assert (theirs / file).read_bytes() == (ours / file).read_bytes(), 'seed %d: %s differs' % (seed, file)
        left = call(ninja, '-C', ours, '-n')
        assert 'no work to do' in left, (seed, left)
    for folder in (theirs, ours):
        shutil.rmtree(folder)
    return commands


def main():
    bigrocks = pathlib.Path(sys.argv[1]).resolve()
    first, last = (int(word) for word in sys.argv[2:4]) if len(sys.argv) > 3 else (6 - SEEDS, 6)
    ninja = os.environ.get('NINJA', 'ninja')
    if not shutil.which(ninja):
        print('ninja is not installed')
        return 77
    with tempfile.TemporaryDirectory(prefix='bigrocks-build') as scratch:
        commands = sum(try_seed(bigrocks, ninja, pathlib.Path(scratch), seed) for seed in range(first, last))
    print('%d builds of %d commands, each after four changes: %d commands ran' % (last - first, last - first, commands))
    return 0


if __name__ == '__main__':
    sys.exit(main())
