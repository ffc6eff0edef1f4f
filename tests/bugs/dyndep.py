"""Commands of which a file that is made during the build tells what they read (dyndep) are built as ninja builds them.

A language with modules: a source says "module NAME" and "use NAME"; a command scans all of them into the dyndep file,
and what compiles a source needs the modules that it uses. After each change the very commands run that ninja runs.
"""
import pathlib
import re
import shutil
import subprocess
import time

import case

SCAN = '''import sys
names = sys.argv[2:]
lines = {name: open(name + '.src').read().split('\\n') for name in names}
made = {name: [line[7:] + '.mod' for line in lines[name] if line.startswith('module ')] for name in names}
text = 'ninja_dyndep_version = 1\\n'
for name in names:
    uses = [line[4:] + '.mod' for line in lines[name] if line.startswith('use ')]
    text += 'build %s.o%s: dyndep%s\\n  restat = 1\\n' % (
        name, ' | mods/' + ' mods/'.join(made[name]) if made[name] else '', ' | mods/' + ' mods/'.join(uses) if uses else '')
open('ran', 'a').write('scan\\n')
try:
    same = open(sys.argv[1]).read() == text
except OSError:
    same = False
if not same:
    open(sys.argv[1], 'w').write(text)
'''
COMPILE = '''import os, sys
name = sys.argv[1]
open('ran', 'a').write(name + '\\n')
lines = open(name + '.src').read().split('\\n')
read = [open('mods/%s.mod' % line[4:]).read() for line in lines if line.startswith('use ')]
for line in lines:
    if line.startswith('module '):
        path, text = 'mods/%s.mod' % line[7:], '\\n'.join([line] + [word for word in lines if word.startswith('face')])
        if not os.path.exists(path) or open(path).read() != text:
            open(path, 'w').write(text)
open(name + '.o', 'w').write('\\n'.join(lines + read))
'''
NAMES = 'abcd'
BUILD = '''rule scan
  command = python3 scan.py $out $names
  restat = 1
rule compile
  command = python3 compile.py $name
rule link
  command = echo link >>ran; cat $in >$out
build modules.dd: scan %s
  names = %s
%sbuild app: link %s
build side: link other.txt
''' % (' '.join(name + '.src' for name in NAMES), ' '.join(NAMES),
       ''.join('build %s.o: compile %s.src || modules.dd\n  name = %s\n  dyndep = modules.dd\n' % (name, name, name) for name in NAMES),
       ' '.join(name + '.o' for name in NAMES))
SOURCES = {'a': 'module one\nuse two\n', 'b': 'module two\nuse three\n', 'c': 'module three\nface 1\n', 'd': 'use one\n'}


def ninja(folder, *words):
    return subprocess.run(['ninja', '-C', str(folder), *words], check=True, capture_output=True, text=True).stdout


def take_ran(folder):
    path = folder / 'ran'
    ran = path.read_text().split() if path.exists() else []
    path.unlink(missing_ok=True)
    return ran


def write(folder, sources):
    time.sleep(0.02)
    for name, text in sources.items():
        (folder / (name + '.src')).write_text(text)


def both(what, folder):
    """Ninja builds a copy, we build the folder: the same commands, the same outputs, nothing left."""
    copy = folder.with_name('copy')
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder, copy)
    ninja(copy)
    done = case.bigrocks('build', '-C', folder, '--capacity', 'cpu=3,mem=1GiB')
    assert done.returncode == 0, (what, done)
    ran = take_ran(copy), take_ran(folder)
    assert sorted(ran[0]) == sorted(ran[1]), (what, ran)
    for file in ('app', *(name + '.o' for name in NAMES)):
        assert (folder / file).read_bytes() == (copy / file).read_bytes(), (what, file)
    assert 'no work to do' in ninja(folder, '-n'), what
    return ran[1]


with case.folder() as scratch:
    folder = pathlib.Path(scratch) / 'build'
    folder.mkdir()
    for name, text in (('scan.py', SCAN), ('compile.py', COMPILE), ('build.ninja', BUILD), ('other.txt', '')):
        (folder / name).write_text(text)
    write(folder, SOURCES)
    refused = case.bigrocks('import', 'ninja', '-C', folder)
    assert refused.returncode == 3 and "'modules.dd' (dyndep)" in refused.stderr and 'bigrocks build' in refused.stderr, refused
    ran = both('from nothing', folder)
    assert [name for name in ran if name in NAMES] == list('cbad'), ran
    assert both('nothing', folder) == []
    write(folder, {'c': 'module three\nface 1\nmore\n'})
    assert sorted(both('a body', folder)) == ['c', 'link', 'scan']
    write(folder, {'c': 'module three\nface 2\n'})
    assert sorted(both('a face', folder)) == ['b', 'c', 'link', 'scan']
    write(folder, {'c': 'module three\nuse one\nface 2\n', 'b': 'module two\n', 'd': 'use three\n'})
    ran = both('another order', folder)
    assert [name for name in ran if name in NAMES] == list('bcd'), ran
    # An imported job has the order of the file that is there, and ninja's records know what it has made.
    job = folder / 'job.xml'
    assert case.bigrocks('import', 'ninja', '-C', folder, 'app', '--capacity', 'cpu=3', '-q', '-o', job).returncode == 0
    edges = re.findall(r'<edge from="(\w)\.o" to="(\w)\.o"', job.read_text())
    assert sorted(edges) == [('a', 'c'), ('b', 'a'), ('c', 'd')], edges
    ninja(folder, '-t', 'clean')
    assert case.bigrocks('run', job, '-q').returncode == 0
    assert [name for name in take_ran(folder) if name in NAMES] == list('bacd')
    assert 'no work to do' in ninja(folder, '-n', 'app')
    # What is out of date while the file is still good is a job as well.
    (folder / 'mods/one.mod').unlink()
    done = case.bigrocks('import', 'ninja', '-C', folder, '--dirty', 'app', '--capacity', 'cpu=3', '-o', job)
    assert done.returncode == 0 and re.findall(r'<stage id="(\S+)"', job.read_text()) == ['a.o', 'c.o', 'd.o', 'app'], done
    write(folder, {'a': 'module one\nuse two\nmore\n'})
    done = case.bigrocks('import', 'ninja', '-C', folder, '--dirty', 'app')
    assert done.returncode == 3 and "'modules.dd' (dyndep)" in done.stderr, done
    both('after all', folder)
    # A file that does not tell of a statement leaves it open; it is said, not built by guess.
    (folder / 'scan.py').write_text("open('modules.dd', 'w').write('ninja_dyndep_version = 1\\n')\n")
    write(folder, {'a': 'module one\nuse two\nnews\n'})
    done = case.bigrocks('build', '-C', folder)
    assert done.returncode == 3 and 'dyndep' in done.stderr, done
    # What ninja refuses in such a file is refused with its place, and what depends on it is not built.
    plain = pathlib.Path(scratch) / 'plain'
    plain.mkdir()
    (plain / 'build.ninja').write_text('rule touch\n  command = touch $out\nrule cp\n  command = cp $in $out\nbuild dd: cp in\n'
                                       'build other: touch\nbuild out: touch || dd\n  dyndep = dd\n')
    head = 'ninja_dyndep_version = 1\n'
    for text, line, words in (('build out: dyndep\n', 1, 'ninja_dyndep_version'), ('', 1, 'ninja_dyndep_version'),
                              ('ninja_dyndep_version = 2\nbuild out: dyndep\n', 1, 'ninja_dyndep_version'),
                              (head + 'build out: dyndep |@ check\n', 2, '|@'), (head + 'build out: dyndep || in\n', 2, '||'),
                              (head + 'build out: dyndep in\n', 2, 'no input'), (head + 'build out two: dyndep\n', 2, 'one output'),
                              (head + 'build out: phony\n', 2, "'dyndep'"), (head + 'build no: dyndep\n', 2, "'no'"),
                              (head + 'build out | other: dyndep\n', 2, "'other'")):
        for name in 'dd', 'out', 'other':
            (plain / name).unlink(missing_ok=True)
        write(plain, {})
        (plain / 'in').write_text(text)
        assert subprocess.run(['ninja', '-C', plain], capture_output=True).returncode, text
        (plain / 'dd').unlink(missing_ok=True)
        done = case.bigrocks('build', '-C', plain)
        assert done.returncode == 3 and '/dd:%d:1: ' % line in done.stderr and words in done.stderr, (text, done)
        assert not (plain / 'out').exists() and (plain / 'other').exists(), text
        done = case.bigrocks('import', 'ninja', '-C', plain)
        assert done.returncode == 3 and '/dd:%d:1: ' % line in done.stderr, (text, done)
