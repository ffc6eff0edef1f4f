#!/usr/bin/env python3
"""Golden tests of the program: commands, and exactly what they say.

run.py BIGROCKS [--update] [CASE...]

A case is a file in cases/: comments (#), shell commands ($), and then what came of them:

    # What it shows.
    $ bigrocks show chain.xml
    --- status 0
    --- stdout
    ...
    --- stderr
    ...

Empty parts are left out. Every case runs in a fresh copy of data/, with the examples in $EXAMPLES,
the program first in PATH, no terminal, and without the bounding program unless it asks for one of
the stand-ins in data/. --update writes what came instead of comparing; look at the difference
before it is committed.
"""
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def environment(program):
    keep = {name: os.environ[name] for name in ('PATH', 'HOME', 'ASAN_OPTIONS', 'UBSAN_OPTIONS')
            if name in os.environ}
    return dict(keep, PATH='%s:%s' % (program.parent, keep.get('PATH', '/usr/bin:/bin')),
                LC_ALL='C', TERM='dumb', BIGROCKS_BOUND='/nonexistent/bigrocks-bound',
                EXAMPLES=str(HERE.parent.parent / 'examples'))


def split(text):
    """The part that is written by hand, and the part that is compared."""
    head = text.partition('--- status')[0]
    commands = [line[2:] for line in head.splitlines() if line.startswith('$ ')]
    return head, commands


def run(commands, program):
    with tempfile.TemporaryDirectory(prefix='bigrocks-cli') as scratch:
        folder = pathlib.Path(scratch) / 'here'
        shutil.copytree(HERE / 'data', folder)
        done = subprocess.run(['sh', '-c', '\n'.join(commands)], cwd=folder,
                              env=environment(program), stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=120)
    parts = ['--- status %d\n' % done.returncode]
    for name, output in (('stdout', done.stdout), ('stderr', done.stderr)):
        text = output.decode('utf-8', 'backslashreplace')
        if text:
            parts.append('--- %s\n%s' % (name, text if text.endswith('\n')
                                         else text + '\n--- (no newline)\n'))
    return ''.join(parts)


# A program without SQLite opens no such file, so what it would say belongs to history.py and store.py. These cases end
# before it is opened.
FILE = re.compile(r'--(?:history|store)\b')
UNOPENED = {'option-kinds.case', 'storage-minimize-store.case'}
# Sub-commands of the wing cluster; a program may be built without them.
WING = {'workload', 'simulate', 'train', 'coflow', 'predict', 'deadline'}


def main():
    arguments = [a for a in sys.argv[1:] if a != '--update']
    update = len(arguments) < len(sys.argv) - 1
    program = pathlib.Path(arguments[0]).resolve()
    if not os.access(program, os.X_OK):
        sys.exit('%s is no program' % program)
    cases = ([pathlib.Path(a) for a in arguments[1:]]
             or sorted((HERE / 'cases').glob('*.case')))
    failed, missing = [], WING - set(subprocess.run([program, 'help'], capture_output=True, text=True).stdout.split())
    for case in cases:
        text = case.read_text(encoding='utf-8')
        head, commands = split(text)
        if case.name not in UNOPENED and FILE.search('\n'.join(commands)):
            sys.exit('%s: put what --history and --store say into history.py and store.py' % case.name)
        if missing & set(re.findall(r'(?:\bbigrocks (?:help )?|^  )(\w+)', text, re.M)):
            continue
        came = head + run(commands, program)
        if came == text:
            continue
        if update:
            case.write_text(came, encoding='utf-8')
            print('updated %s' % case.name)
            continue
        failed.append(case.name)
        sys.stdout.writelines(difflib.unified_diff(
            text.splitlines(keepends=True), came.splitlines(keepends=True),
            'cases/' + case.name, 'what came'))
    print('%d cases, %d failed%s' % (len(cases), len(failed),
                                     ': ' + ' '.join(failed) if failed else ''))
    return bool(failed) or not cases


if __name__ == '__main__':
    sys.exit(main())
