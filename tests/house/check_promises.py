#!/usr/bin/env python3
"""Nothing that docs/versioning.md promises to scripts has gone: every sub-command and option, the values that options
choose from, and the required members of every JSON schema, as tests/house/promises.txt lists them with whose they are. What is new is
only told: a release adds it by --write.

check_promises.py SOURCE_ROOT BIGROCKS [--write]
"""
import json
import pathlib
import re
import subprocess
import sys


def output(*command):
    return subprocess.run(command, check=True, text=True, capture_output=True).stdout


def options(program):
    """Pairs of a sub-command and an option of it, with VALUE if it takes one, or =CHOICE for each that it has."""
    overview = output(program, 'help').partition('Commands:')[2].partition("\n'bigrocks help")[0]
    for command in re.findall(r'^  ([a-z]+) ', overview, re.M):
        text = output(program, 'help', command).partition('\nOptions:\n')[2].partition('\nExamples')[0]
        for letter, option, value in re.findall(r'^  (?:(-\w), |    )(--[\w-]+)( [A-Z])?', text, re.M):
            yield command, option + ' VALUE' * bool(value)
            if letter:
                yield command, letter
        for option, rows in re.findall(r'^(--[\w-]+) .*:\n((?:  .*\n)+)', text, re.M):
            yield from ((command, '%s=%s' % (option, name)) for name in re.findall(r'^  (\S+)', rows, re.M))


def required(schema, path=''):
    """The members that every document has: readers may count on them."""
    if isinstance(schema, dict):
        if isinstance(schema.get('required'), list):
            yield from ('%s/%s' % (path, name) for name in schema['required'])
        for name, part in schema.items():
            yield from required(part, path if name in ('properties', '$defs', 'items') else '%s/%s' % (path, name))


def main():
    root, program = pathlib.Path(sys.argv[1]), sys.argv[2]
    now = set(options(program))
    for path in (root / 'docs/schema').glob('*.schema.json'):
        now |= {(path.name.partition('.')[0], name) for name in required(json.loads(path.read_text()))}
    assert len(now) > 500, 'the help was not understood'
    kept = root / 'tests/house/promises.txt'
    if sys.argv[3:] == ['--write']:
        whose = {}
        for owner, name in sorted(now):
            whose.setdefault(name, []).append(owner)
        kept.write_text(''.join('%s: %s\n' % (name, ' '.join(owners)) for name, owners in sorted(whose.items())))
        return 0
    lines = [line.rpartition(': ') for line in kept.read_text().splitlines()]
    promised = {(owner, name) for name, _, owners in lines for owner in owners.split()}
    for owner, name in sorted(promised - now):
        print('gone, but promised: %s of %s' % (name, owner))
    print('%d promised, %d new since' % (len(promised), len(now - promised)))
    return bool(promised - now)


if __name__ == '__main__':
    sys.exit(main())
