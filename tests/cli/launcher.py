#!/usr/bin/env python3
"""`bigrocks-admit` as the launcher of compilers, cargo and npm: what waits, under which key, and what does not.

launcher.py BIGROCKS compiler|cargo|npm
"""
import contextlib
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile


def call(*command, status=0, **more):
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True, timeout=150, **more)
    assert status is None or done.returncode == status, (command, done.returncode, done.stdout, done.stderr)
    return done


class Place:
    def __init__(self, bigrocks, scratch, files):
        self.bigrocks, self.folder = bigrocks, scratch / 'project'
        for name, text in files.items():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(text)
        self.launcher = bigrocks.with_name('bigrocks-admit')
        self.history = scratch / 'history.sqlite'
        self.environment = dict(os.environ, PATH='%s:%s' % (bigrocks.parent, os.environ['PATH']))
        for name in ('MAKEFLAGS', 'BIGROCKS_SOCKET', 'BIGROCKS_ADMITTED'):
            self.environment.pop(name, None)

    def serve(self, *command, limit=1, status=0, **variables):
        """Returns how many commands were admitted, and how many at most at once."""
        done = call(self.bigrocks, 'serve', '--capacity', 'cpu=%d' % limit, '--history', self.history, '--', *command,
                    cwd=self.folder, env=dict(self.environment, **variables), status=status)
        found = re.search(r'(\d+) commands? admitted, at most (\d+) at once', done.stderr)
        assert found, done.stderr
        return int(found.group(1)), int(found.group(2))

    def keys(self):
        with contextlib.closing(sqlite3.connect('file:%s?mode=ro' % self.history, uri=True)) as base:
            return sorted(row[0] for row in base.execute('SELECT name FROM sample JOIN stage ON stage = stage.id'))


COMPILER_WORDS = [
    ['cc', '-c', 'a.c', '-o', 'out'], ['cc', '-v', '-c', 'a.c', '-o', 'out'], ['cc', '-V', 'a.c', '-o', 'out'],
    ['cc', '--version', '-c', 'a.c', '-o', 'out'], ['cc', '-###', '-c', 'a.c', '-o', 'out'],
    ['cc', '-dumpversion', 'a.c', '-o', 'out'], ['cc', '-print-search-dirs', 'a.c', '-o', 'out'], ['cc', '-V'],
    ['cc', '--print-missing-file-dependencies', '-M', 'a.c', '-o', 'out'], ['ld', '-r', 'a.o', '-o', 'out'],
    ['ld', '-V', '-r', 'a.o', '-o', 'out'], ['ld', '-v', '-r', 'a.o', '-o', 'out'], ['ld', '-V'], ['ld', '-v'],
    ['ld', '--version', '-r', 'a.o', '-o', 'out'], ['ld', '--print-map', '-r', 'a.o', '-o', 'out'],
    ['ar', 'rcs', 'out', 'a.o'], ['ar', '-V'], ['ranlib', '--version'], ['as', '-v', 'a.s', '-o', 'out']]


def check_against_tool(place, output, commands, **variables):
    """What writes a file waits, and what writes none does not: the tool itself says which."""
    for words in commands:
        path = place.folder / output
        path.unlink(missing_ok=True)
        done = call(*words, status=None, cwd=place.folder, env=dict(place.environment, **variables))
        wrote = path.exists()
        if done.returncode and output in words: # no such option here: nothing to learn
            continue
        assert place.serve('bigrocks-admit', *words, status=None, **variables)[0] == wrote, (words, wrote)


def check_compiler(bigrocks, scratch):
    """A make whose compiler is launched; what only asks does not wait."""
    place = Place(bigrocks, scratch, {
        'Makefile': 'CC = bigrocks-admit cc\nprog: a.o b.o\n\t$(CC) -o $@ $^\n%.o: %.c\n\t$(CC) -c $< -o $@\n',
        'a.c': 'int main(void) { return 0; }\n', 'b.c': 'int b;\n'})
    assert place.serve('make', '-j4') == (3, 1)
    assert place.keys() == ['a.o', 'b.o', 'prog'], place.keys()
    for words in (['cc', '--version'], ['cc', '-v'], ['cc', '-E', 'a.c', '-o', '/dev/null'], ['cc', '-dumpmachine'],
                  ['cc', '-print-search-dirs']):
        assert place.serve('bigrocks-admit', *words) == (0, 0), words
    assert place.serve('bigrocks-admit', 'cc', '-c', 'a.c', '-oa.o') == (1, 1)
    assert place.serve('sh', '-c', 'bigrocks admit -- cc --version >&2', PATH='%s:%s' % (
        pathlib.Path(bigrocks).parent, place.environment['PATH'])) == (0, 0)
    (place.folder / 'a.s').write_text('nop\n')
    check_against_tool(place, 'out', COMPILER_WORDS)
    # Where a key or a demand is given, it is meant.
    assert place.serve(bigrocks, 'admit', '--key', 'asked', '--', 'cc', '--version') == (1, 1)
    (place.folder / 'tsc').write_text('#!/bin/sh\n')
    (place.folder / 'tsc').chmod(0o700)
    place.serve('bigrocks-admit', './tsc', '-p', 'packages/one')
    place.serve('bigrocks-admit', './tsc', '--project=packages/two')
    assert {'asked', 'tsc packages/one', 'tsc packages/two'} <= set(place.keys()), place.keys()
    # A shell: its status, its words, and without a server nothing but the command.
    assert call(place.launcher, '-c', 'echo "$0 $1"; exit 7', 'one', 'two', status=7).stdout == 'one two\n'
    assert 'an argument is missing' in call(place.launcher, status=2).stderr
    assert call(place.launcher, 'false', status=1).stderr == ''
    assert call(place.launcher, '/nowhere/cc', status=127).stderr


WORKSPACE = {
    'Cargo.toml': '[workspace]\nresolver = "2"\nmembers = ["base", "words", "app"]\n',
    'base/Cargo.toml': '[package]\nname = "base"\nversion = "0.1.0"\nedition = "2021"\n',
    'base/src/lib.rs': 'pub fn one() -> u32 { 1 }\n#[test]\nfn is_one() { assert_eq!(one(), 1); }\n',
    'base/build.rs': 'fn main() { println!("cargo:rerun-if-changed=build.rs"); }\n',
    'words/Cargo.toml': '[package]\nname = "words"\nversion = "0.1.0"\nedition = "2021"\n'
                        '[dependencies]\nbase = { path = "../base" }\n',
    'words/src/lib.rs': 'pub fn two() -> u32 { base::one() + 1 }\n',
    'app/Cargo.toml': '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n'
                      '[dependencies]\nwords = { path = "../words" }\nbase = { path = "../base" }\n',
    'app/build.rs': 'fn main() {}\n',
    'app/src/main.rs': 'fn main() { println!("{}", words::two() + base::one()); }\n',
}


def check_cargo(bigrocks, scratch):
    if not shutil.which('cargo') or call('cargo', '--version', status=None).returncode:
        print('needs cargo')
        return 77
    place = Place(bigrocks, scratch, WORKSPACE)
    home = {'CARGO_HOME': str(scratch / 'home'), 'CARGO_TARGET_DIR': str(scratch / 'target'),
            'RUSTC_WRAPPER': 'bigrocks-admit', 'CARGO_NET_OFFLINE': 'true'}
    if 'CARGO_HOME' not in os.environ and 'RUSTUP_HOME' not in os.environ:
        home['RUSTUP_HOME'] = str(pathlib.Path.home() / '.rustup')
    assert place.serve('cargo', 'build', '-q', '-j', '8', '--offline', **home) == (5, 1)
    wanted = ['app/app bin', 'app/build_script_build bin', 'base/base lib', 'base/build_script_build bin',
              'words/words lib']
    assert place.keys() == wanted, place.keys()
    assert call(scratch / 'target/debug/app').stdout == '3\n'
    assert place.serve('cargo', 'build', '-q', '--offline', **home)[0] == 0  # nothing but questions
    (place.folder / 'x.rs').write_text('pub fn one() -> u32 { 1 }\n')
    crate = ['rustc', '--crate-name', 'x', '--crate-type', 'staticlib', 'x.rs', '-o', 'out.a']
    before = place.keys()
    check_against_tool(place, 'out.a', [
        crate, ['rustc', '-V'], ['rustc', '-vV'], crate + ['-v'], crate + ['-V'], crate + ['--print', 'sysroot'],
        crate + ['--print=native-static-libs'], crate + ['--print=native-static-libs', '--print=cfg']], **home)
    assert place.keys() == sorted(before + ['x staticlib'] * 3), place.keys()
    place.serve('cargo', 'test', '-q', '-p', 'base', '--offline', limit=2, **home)
    assert 'base/base test' in place.keys(), place.keys()
    before = len(place.keys())
    place.serve('cargo', 'check', '-q', '-p', 'words', '--offline', limit=2, **home)
    assert {'base/base lib check', 'words/words lib check'} <= set(place.keys()) and len(place.keys()) > before
    (place.folder / 'words/src/lib.rs').write_text('pub fn two() -> u32 { nothing }\n')
    assert place.serve('cargo', 'build', '-q', '--offline', status=101, **home)[0] == 1
    return 0


PACKAGES = {
    'package.json': '{"name": "top", "private": true, "version": "1.0.0", "workspaces": ["packages/*"], "scripts": '
                    '{"build": "npm run one & npm run two & wait", "one": "node step.js one", '
                    '"two": "node step.js two"}}',
    # Ends when as many have begun as may run at once, so that no machine is too slow for that to show; alone, later.
    'step.js': 'const fs = require("fs"), since = Date.now();\nfs.appendFileSync("log", "begin\\n");\n'
               'const begun = () => fs.readFileSync("log", "utf8").split("begin").length - 1;\n'
               'const timer = setInterval(() => {\n'
               '  const gone = Date.now() - since;\n'
               '  if (gone < 150 || (begun() < process.env.TOGETHER && gone < 60000)) return;\n'
               '  clearInterval(timer);\n  fs.appendFileSync("log", "end\\n");\n}, 20);\n',
    'packages/a/package.json': '{"name": "a", "version": "1.0.0", "scripts": {"build": "node -e 0"}}',
    'packages/b/package.json': '{"name": "b", "version": "1.0.0", "scripts": {"build": "node -e 0"}}',
}


def check_npm(bigrocks, scratch):
    if not shutil.which('npm') or not shutil.which('node'):
        print('needs npm')
        return 77
    place = Place(bigrocks, scratch, PACKAGES)
    settings = {'npm_config_script_shell': str(place.launcher), 'npm_config_offline': 'true',
                'npm_config_update_notifier': 'false', 'npm_config_cache': str(scratch / 'cache')}
    for limit in (1, 2):
        (place.folder / 'log').unlink(missing_ok=True)
        # `build` only starts scripts: it does not wait, so the two wait for each other where there is room for one.
        assert place.serve('npm', 'run', 'build', limit=limit, TOGETHER=str(limit), **settings) == (2, limit)
        words = (place.folder / 'log').read_text().split()
        assert words == (['begin', 'end'] * 2 if limit == 1 else ['begin'] * 2 + ['end'] * 2), words
    place.serve('npm', 'run', 'build', '--workspaces', **settings)
    assert set(place.keys()) == {'top:one', 'top:two', 'a:build', 'b:build'}, place.keys()
    return 0


def main():
    bigrocks = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        check = {'compiler': check_compiler, 'cargo': check_cargo, 'npm': check_npm}[sys.argv[2]]
        return check(bigrocks, pathlib.Path(name).resolve())


if __name__ == '__main__':
    sys.exit(main())
