#!/usr/bin/env python3
"""C++20 modules as CMake (from 3.28) writes them for ninja are built as ninja builds them, without a compiler.

build_modules.py BIGROCKS

Two libraries and a program. Of each source a scan makes a .ddi (with a depfile); of those of a target one command with
"restat" and a response file makes the dyndep file, a list of the modules for the targets above (CXXModules.json) and
a module map for each object, which is an input of it. Each of them is left as it is where it says the same. Objects
and modules are made by commands with a depfile, and modules have "restat". After each change the very commands run
that ninja runs, and what they make is the same.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

# scan.py, collate.py and compile.py stand for clang-scan-deps, `cmake -E cmake_ninja_dyndep` and the compiler.
TOOLS = {'scan.py': '''import sys
source, out = sys.argv[1:]
words = [line for line in open(source).read().split('\\n') if line.startswith(('module ', 'import '))]
open(out, 'w').write('\\n'.join(words))
open(out + '.d', 'w').write('%s: %s\\n' % (out, source))
''', 'collate.py': '''import json, os, sys
target, above = sys.argv[1], sys.argv[3:]
scans = open(sys.argv[2]).read().split()
known = {}
for other in above:
    known.update(json.load(open(other + '/CXXModules.json')))
words = {scan: open(scan).read().split('\\n') for scan in scans}
own = {}
for scan in scans:
    own.update({line[7:]: '%s/%s.pcm' % (target, line[7:]) for line in words[scan] if line.startswith('module ')})
known.update(own)
text = 'ninja_dyndep_version = 1.0\\n'
def write(path, text):
    if not os.path.exists(path) or open(path).read() != text:
        open(path, 'w').write(text)
for scan in scans:
    made = [line[7:] for line in words[scan] if line.startswith('module ')]
    uses = [line[7:] for line in words[scan] if line.startswith('import ')]
    for name in uses:
        if name not in known:
            sys.exit('no module ' + name)
    text += 'build %s%s: dyndep%s\\n%s\\n' % (
        scan[:-4], ''.join(' | ' + own[name] for name in made),
        ' | ' + ' '.join(known[name] for name in uses) if uses else '', '  restat = 1\\n' if made else '')
    write(scan[:-4] + '.modmap', ''.join('%s %s\\n' % (name, known[name]) for name in made + uses))
write(target + '/CXXModules.json', json.dumps(known))
write(target + '/CXX.dd', text)
''', 'compile.py': '''import os, sys
source, out = sys.argv[1:]
known = dict(line.split() for line in open(out + '.modmap'))
lines = open(source).read().split('\\n')
read = [open(known[line[7:]]).read() for line in lines if line.startswith('import ')]
face = '\\n'.join([line for line in lines if line.startswith(('module ', 'export '))] + read)
for line in lines:
    path = known[line[7:]] if line.startswith('module ') else None
    if path and (not os.path.exists(path) or open(path).read() != face):
        open(path, 'w').write(face)
open(out, 'w').write('\\n'.join(lines + read))
open(out + '.d', 'w').write('%s: %s\\n' % (out, source))
'''}
RULES = '''ninja_required_version = 1.5
rule SCAN
  depfile = $out.d
  command = python3 scan.py $in $out.tmp && mv $out.tmp $out && sed s/.tmp// $out.tmp.d >$out.d && echo $out >>ran
rule DYNDEP
  command = echo $DD >>ran; python3 collate.py $TARGET $DD.rsp $ABOVE
  rspfile = $DD.rsp
  rspfile_content = $in
  restat = 1
rule COMPILE
  depfile = $out.d
  deps = gcc
  command = echo $out >>ran; python3 compile.py $in $out
rule LINK
  command = echo $out >>ran; rm -f $out && cat $in >$out
'''
TARGETS = {'base': (['text', 'number', 'impl'], []), 'shapes': (['shape', 'part', 'area'], ['base']), 'app': (['main', 'other'], ['base', 'shapes'])}
SOURCES = {'text': 'module text\nexport say', 'number': 'module number\nimport text\nexport twice', 'impl': 'import number\nimport text\nbody 1',
           'part': 'module part\nimport number\nexport square', 'shape': 'module shape\nimport part\nexport area', 'area': 'import shape\nbody 1',
           'main': 'import shape\nimport text', 'other': 'import number\nbody 1'}


def manifest():
    text = [RULES]
    for target, (sources, above) in TARGETS.items():
        order = 'order_' + target
        text.append('build %s: phony || %s\n' % (order, ' '.join('order_' + other for other in above) or 'mark'))
        objects = ['%s/%s.o' % (target, source) for source in sources]
        for source, out in zip(sources, objects):
            text.append('build %s.ddi: SCAN %s.src || %s\n' % (out, source, order))
            text.append('build %s: COMPILE %s.src | %s.modmap || %s %s/CXX.dd\n  dyndep = %s/CXX.dd\n' % (out, source, out, order, target, target))
        text.append('build %s/CXX.dd | %s/CXXModules.json %s: DYNDEP %s | %s\n  TARGET = %s\n  DD = %s/CXX.dd\n  ABOVE = %s\n' % (
            target, target, ' '.join(out + '.modmap' for out in objects), ' '.join(out + '.ddi' for out in objects),
            ' '.join(['%s.info' % target] + [other + '/CXXModules.json' for other in above]), target, target, ' '.join(above)))
        text.append('build lib%s: LINK %s%s\n' % (target, ' '.join(objects), ''.join(' lib' + other for other in above if target == 'app')))
    return ''.join(text)


def call(*words, good=True):
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=100)
    assert (done.returncode == 0) == good, done
    return done.stdout


def take_ran(folder):
    path = folder / 'ran'
    ran = sorted(path.read_text().split()) if path.exists() else []
    path.unlink(missing_ok=True)
    return ran


def files_of(folder):
    """What the commands make; ninja removes depfiles and response files."""
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob('*')
            if path.is_file() and not path.name.startswith('.') and path.suffix not in ('.d', '.rsp')}


def both(bigrocks, what, folder, change, good=True):
    """A change; ninja builds a copy, we build the folder; returns what both have run."""
    time.sleep(0.02)
    change()
    copy = folder.with_name('copy')
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder, copy)
    ninja = os.environ.get('NINJA', 'ninja')
    call(ninja, '-C', copy, '-k', '0', good=good)
    call(bigrocks, 'build', '-C', folder, '-k', '0', '--capacity', 'cpu=3,mem=1GiB', good=good)
    ran = take_ran(copy), take_ran(folder)
    assert ran[0] == ran[1], '%s: ninja ran %s, we %s' % (what, *ran)
    theirs, ours = files_of(copy), files_of(folder)
    differ = sorted(str(name) for name in theirs.keys() | ours.keys() if theirs.get(name) != ours.get(name))
    assert not differ, '%s: %s' % (what, differ)
    left = [re.findall(r'^\[\d+/\d+\] (.*)', call(ninja, '-C', each, '-n', '-v'), re.M) for each in (copy, folder)]
    assert left[0] == left[1] and bool(left[1]) != good, '%s: %s' % (what, left)
    return ran[1]


def main():
    bigrocks = pathlib.Path(sys.argv[1]).resolve()
    if not shutil.which(os.environ.get('NINJA', 'ninja')):
        print('ninja is not installed')
        return 77
    with tempfile.TemporaryDirectory(prefix='bigrocks-modules') as scratch:
        folder = pathlib.Path(scratch) / 'build'
        folder.mkdir()
        sources = {name + '.src': text for name, text in SOURCES.items()}
        extra = {name: '' for name in ('mark', *(target + '.info' for target in TARGETS))}
        for name, text in {**TOOLS, **sources, **extra, 'build.ninja': manifest()}.items():
            (folder / name).write_text(text)

        def step(what, good=True, **texts):
            def change():
                for name, text in texts.items():
                    (folder / (name + '.src')).write_text(text)
            return both(bigrocks, what, folder, change, good)

        assert len(step('from nothing')) == 2 * len(SOURCES) + 2 * len(TARGETS)
        assert step('nothing') == []
        ran = step('an implementation', impl='import number\nimport text\nbody 2')
        assert ran == ['base/CXX.dd', 'base/impl.o', 'base/impl.o.ddi', 'libapp', 'libbase'], ran
        ran = step('an interface whose importers see nothing new', number='module number\nimport text\nexport twice\nbody')
        assert ran == ['base/CXX.dd', 'base/number.o', 'base/number.o.ddi', 'libapp', 'libbase'], ran
        ran = step('an interface', number='module number\nimport text\nexport thrice')
        assert {'base/impl.o', 'shapes/part.o', 'shapes/shape.o', 'shapes/area.o', 'app/main.o', 'app/other.o'} <= set(ran), ran
        assert not {'shapes/CXX.dd', 'app/CXX.dd', 'base/text.o'} & set(ran), ran
        ran = step('an import gone', other='body 2')
        assert ran == ['app/CXX.dd', 'app/other.o', 'app/other.o.ddi', 'libapp'], ran
        ran = step('the interface again', number='module number\nimport text\nexport twice')
        assert 'app/other.o' not in ran and 'app/main.o' in ran, ran
        step('an import turned round', text='module text\nimport number\nexport say', number='module number\nexport twice')
        step('an import of none', good=False, other='import none\nbody 3', part='module part\nimport number\nexport round')
        step('mended', other='import text\nbody 3')
        step('a module renamed', part='module piece\nimport number\nexport round', shape='module shape\nimport piece\nexport area')
        for name in 'base/number.pcm', 'base/CXX.dd', 'shapes/part.o.modmap', 'shapes/CXXModules.json', 'base/text.o.ddi':
            both(bigrocks, name + ' is gone', folder, (folder / name).unlink)
    return 0


if __name__ == '__main__':
    sys.exit(main())
