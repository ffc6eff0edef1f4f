#!/usr/bin/env python3
"""A build of ninja's with nasty paths: by ninja, by `run`, by ninja in the plan's order and by make and
Slurm's script from the plan the same files come out, and no others.

build.py BIGROCKS
"""
import pathlib
import shutil
import sys
import tempfile

import engines

NAMES = ['a$ b.o', 'c$:d.o', './-rf.o', 'ü$ 日本.o', 'out/$$HOME.o', '=1+1.o', "q'q.o", 'b`touch$ canary`.o', 's;touch$ canary.o',
         '$$(touch$ canary).o', '{x}{{y}}.o', '%s.o', '#h.o', '~t.o', '*.o', 'b\\n.o', 'd"q".o', '@a.o']
BUILD = '''rule c
  command = printf '%%s\\n' $in > $out; echo "$opt" '$opt' >> $out
  rspfile = $out.rsp
  rspfile_content = $in $opt
rule d
  command = for f in $in; do cat "$$f"; cat "$$f.rsp" 2>/dev/null; done > $out
%s
build all: d %s
default all
''' % ('\n'.join("build %s: c u x'y.src z\"$$(touch$ canary).src\n  opt = \\$$(touch canary) # ; a\\\\b" % n
                 for n in NAMES), ' '.join(NAMES))
SOURCES = ['u', "x'y.src", 'z"$(touch canary).src']


def files(folder):
    """The files that the build has made, and the sources; response files are ninja's to remove."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob('*')
            if p.is_file() and p.suffix != '.rsp' and not p.name.startswith('.ninja')}


def main():
    with tempfile.TemporaryDirectory(prefix='bigrocks-hostile') as scratch:
        world = engines.World(pathlib.Path(scratch), sys.argv[1], '/nowhere')
        ninja = engines.need('ninja', 'ninja-build')

        def build(name):
            world.work = world.folder / name
            (world.work / 'out').mkdir(parents=True)
            (world.work / 'build.ninja').write_text(BUILD)
            for source in SOURCES:
                (world.work / source).write_text(source)
            return world.work

        def good(*words):
            done = world.call(*words)
            assert done.returncode == 0, (words, done.stdout.decode(), done.stderr.decode())

        wanted = build('by-ninja')
        good(ninja, '-d', 'keeprsp')
        wanted = files(wanted)
        assert len(wanted) == len(SOURCES) + len(NAMES) + 2 and not any('canary' == n for n in wanted), wanted
        for way in ('run', 'order', 'make', 'slurm'):
            folder = build('by-' + way)
            good(world.bigrocks, 'import', 'ninja', '-C', folder, '--capacity', 'cpu=2', '-q', '-o', world.job)
            good(world.bigrocks, 'plan', world.job, '-q', '--no-lp', '-o', world.plan)
            if way == 'run':
                good(world.bigrocks, 'run', world.plan, '-q')
            elif way == 'order':
                file = world.folder / 'order.ninja'
                good(world.bigrocks, 'render', world.plan, '--format', 'ninja-order', '-o', file)
                good(ninja, '-d', 'keeprsp', '-f', file)
            else:
                world.fails = False
                file, done = world.render(way)
                assert done.returncode == 0, done.stderr
                shutil.rmtree(world.folder / 'jobs', ignore_errors=True)
                assert not any(getattr(engines, way)(world, file).values())
            got = files(folder)
            assert got == wanted, (way, {n: (got.get(n), wanted.get(n)) for n in got.keys() | wanted.keys()
                                         if got.get(n) != wanted.get(n)})


if __name__ == '__main__':
    try:
        sys.exit(main())
    except engines.Skip as reason:
        print(reason)
        sys.exit(77)
