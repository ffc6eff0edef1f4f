#!/usr/bin/env python3
"""Every command that a document shows works, and every file, heading and test that it names is there.

check_docs.py SOURCE_ROOT BIGROCKS_DIR...

A block fenced as ```sh is a script. Each document is one session: its blocks run in their order,
stopping at the first command that fails, in a scratch copy of the examples (for
examples/README.md) or of a folder that holds examples/ (for the others), with BIGROCKS_DIR... in
front of PATH. Blocks with any other mark are not run. Left out are the commands that set up,
build or install, which would do so inside a test that a build runs: .ci/run calls ./run-example
and ./run-tests, and check_install.py does what the rest of them do; and, for a program that was
built without SQLite, those with a history.
"""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

SET_UP = re.compile(r'^(\./run-example|\./run-tests|git clone|cd bigrocks|meson |ninja |sudo |cc )')
HISTORY = re.compile('--history|bigrocks history|--store|better.xml')


def scripts(text):
    return re.findall(r'^```sh\n(.*?)^```$', text, flags=re.M | re.S)


def anchors(path):
    """The anchors of a document's headings, as GitHub makes it of them."""
    titles = re.findall(r'^#+ (.*)$', re.sub(r'^```.*?^```$', '', path.read_text(), flags=re.M | re.S), flags=re.M)
    return {re.sub(r'[^\w\- ]', '', title.lower()).replace(' ', '-') for title in titles}


def missing_files(document, root):
    """Links, which count from the document, with the headings that they name; paths in code, which count
    from the root, from a folder above the document, or from where headers and tests are; and programs of bench
    and tools in code."""
    text = document.read_text()
    places = [root / 'include', root / 'tests', *document.parents]
    missing = []
    for link in re.findall(r'\]\(([^) ]+)\)', text):
        name, _, heading = link.partition('#')
        path = document.parent / name if name else document
        if re.match('https?:', link):
            continue
        if not path.exists() or heading and heading not in anchors(path):
            missing.append(link)
    paths = re.findall(r'`((?:[a-z]\w*/)+[\w.-]+\.(?:c|h|md|py|bib|build|csv|txt|tsv|xml|dot|rcp|svg))`', text)
    programs = [name for name in re.findall(r'`(?:\./)?((?:bench|tools)/\w+)(?: [^`]*)?`', text)
                if not (root / (name + '.c')).exists()]
    return missing + [name for name in paths + programs
                      if not any((place / name).exists() for place in places)]


def unknown_tests(document, build):
    """Tests that a document tells to run by `meson test -C build`, and that this build does not have."""
    known = {test['name'] for test in json.loads((build / 'meson-info/intro-tests.json').read_text())}
    words = [word for line in re.findall(r'meson test -C build([^\n#`|]*)', document.read_text())
             for word in shlex.split(re.sub(r'--(no-)?suite \w+', '', line))]
    return [word for word in words if not word.startswith('-') and not word.isupper() and
            word.rstrip('.') not in known and not word.startswith('NAME')]


def long_lines(document):
    """Numbers of lines of text over 118 columns; rows of tables and code may be longer."""
    fenced = False
    for number, line in enumerate(document.read_text().splitlines(), 1):
        if line.lstrip().startswith(('```', '~~~')):
            fenced = not fenced
        elif len(line) > 118 and not fenced and not line.lstrip().startswith('|'):
            yield number


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    path = os.pathsep.join([*(str(pathlib.Path(p).resolve()) for p in sys.argv[2:]),
                            os.environ['PATH']])
    documents = [path for path in sorted(root.rglob('*.md'))
                 if not path.relative_to(root).parts[0].startswith(('.', 'build'))]
    built_with = subprocess.run(['bigrocks', '--version'], env=dict(os.environ, PATH=path),
                                capture_output=True, text=True, check=True).stdout
    histories = 'no SQLite' not in built_with
    failed = commands = 0
    for document in documents:
        for name in missing_files(document, root):
            failed += 1
            print('%s names %s, which is not there' % (document.relative_to(root), name))
        for number in long_lines(document):
            failed += 1
            print('%s:%d: longer than 118 columns' % (document.relative_to(root), number))
        for name in unknown_tests(document, pathlib.Path(sys.argv[2]).resolve().parent):
            failed += 1
            print('%s runs the test %s, which is not there' % (document.relative_to(root), name))
        lines = [line for script in scripts(document.read_text()) for line in script.splitlines()
                 if not SET_UP.match(line) and (histories or not HISTORY.search(line))]
        if not histories: # what is measured would be kept there, too
            lines = [line.replace(' --measure', '') for line in lines]
        if not lines:
            continue
        with tempfile.TemporaryDirectory(prefix='bigrocks-docs') as scratch:
            shutil.copytree(root / 'examples', pathlib.Path(scratch) / 'examples')
            inside = 'examples' if document.parent.name == 'examples' else '.'
            done = subprocess.run(['bash', '-exuo', 'pipefail', '-c', '\n'.join(lines)],
                                  cwd=pathlib.Path(scratch) / inside, text=True,
                                  env=dict(os.environ, PATH=path, NO_COLOR='1'),
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        name = document.relative_to(root)
        commands += len(lines)
        print('%s: %d lines, exit %d' % (name, len(lines), done.returncode))
        if done.returncode:
            failed += 1
            print(done.stdout)
    print('%d lines of commands' % commands)
    return failed > 0 or commands == 0


if __name__ == '__main__':
    sys.exit(main())
