#!/usr/bin/env python3
"""Memory of commands that were never measured: it is said that a limit cannot be kept for them, or they count as others
of their rule with inputs of their size, or as --demand says by a pattern; a command that holds far more than it counts
for is told. The same for `import --history`, and patterns for `serve`.

usage: build_memory.py BIGROCKS
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

RULES = '''rule hold
  command = python3 hold $mib $out
rule link
  command = cat $in > $out && python3 hold $mib $out
'''
HOLD = '''import pathlib, sys, time
course = open('course', 'a', 1)
held = bytearray(int(sys.argv[1]) << 20)
course.write('begin %s\\n' % sys.argv[2])
time.sleep(0.2)
course.write('end %s\\n' % sys.argv[2])
pathlib.Path(sys.argv[2]).touch()
'''


def run(*command, code=0):
    done = subprocess.run(list(map(str, command)), text=True, capture_output=True, timeout=100)
    assert done.returncode == code, '%s: %d\n%s%s' % (command, done.returncode, done.stdout, done.stderr)
    return done.stderr + done.stdout


class Project:
    def __init__(self, bigrocks, folder):
        self.bigrocks, self.folder = bigrocks, folder
        folder.mkdir()
        (folder / 'hold').write_text(HOLD)

    def write(self, **commands):
        """Commands of the rule hold, by name, with what each holds in MiB."""
        (self.folder / 'build.ninja').write_text(RULES + ''.join(
            'build %s: hold\n  mib = %d\n' % (name, mib) for name, mib in commands.items()))

    def build(self, mem, *words, code=0):
        """What was said, and how many commands ran at once at most."""
        (self.folder / 'course').unlink(missing_ok=True)
        said = run(self.bigrocks, 'build', '-C', self.folder, '--capacity', 'cpu=4,mem=' + mem, *words, code=code)
        now = most = 0
        for line in (self.folder / 'course').read_text().splitlines() if not code else ():
            now += 1 if line.startswith('begin') else -1
            most = max(most, now)
        return said, most


def by_rule(bigrocks, scratch):
    project = Project(bigrocks, scratch / 'rule')
    project.write(a=100, b=100, c=60)
    said, _ = project.build('250MiB')
    assert 'memory of 3 of 3 commands is not known, so 250 MiB cannot be kept for them' in said, said
    project.write(a=100, b=100, c=60, d=100, e=100, f=100, g=100)
    said, most = project.build('250MiB')
    assert re.search(r'memory of 4 of 4 commands was never measured; they count as others of their rule, with up to '
                     r'1[01]\d\S* MiB', said) and 'not known' not in said, said
    assert most <= 2, (most, said)
    (project.folder / 'h').touch()
    for name in 'abdefg':
        (project.folder / name).unlink()
    said, _ = project.build('250MiB')
    assert 'memory' not in said, said
    # The job that an import makes has the same.
    project.write(a=100, b=100, c=60, d=100, e=100, f=100, g=100, h=100)
    said = run(bigrocks, 'import', 'ninja', '-C', project.folder, '--history', project.folder / '.bigrocks-history')
    assert 'memory of 1 of 8 commands was never measured' in said and said.count('resource="mem" amount="1') >= 7, said


def by_size(bigrocks, scratch):
    """A link of a few bytes counts as links of a few bytes."""
    project = Project(bigrocks, scratch / 'size')
    for name, size in (('small', 10), ('large', 100000)):
        (project.folder / name).write_bytes(b'x' * size)
    links = [('s1', 'small', 1), ('s2', 'small', 1), ('s3', 'small', 1), ('l1', 'large', 120)]

    def write():
        (project.folder / 'build.ninja').write_text(RULES + ''.join('build %s: link %s\n  mib = %d\n' % row for row in links))
    write()
    project.build('250MiB')
    links += [('s4', 'small', 1)]
    write()
    said, _ = project.build('250MiB')
    # A command's peak counts this program's memory when it was started, which a sanitizer makes larger.
    assert re.search(r'with up to [1-9]\d MiB', said), said
    links += [('l2', 'large', 120)]
    write()
    said, _ = project.build('250MiB')
    assert re.search(r'with up to 1\d\d MiB', said), said


def alone(bigrocks, scratch):
    """What holds more than there is runs alone, also beside what nobody has measured."""
    project = Project(bigrocks, scratch / 'alone')
    project.write(big=100)
    project.build('250MiB')
    text = (project.folder / 'build.ninja').read_text()
    (project.folder / 'build.ninja').write_text(text + ''.join('build n%d: link hold\n  mib = 1\n' % k for k in range(2)))
    (project.folder / 'big').unlink()
    said, most = project.build('50MiB', 'n0', 'big', 'n1')
    course = (project.folder / 'course').read_text()
    assert "'big' needs 1" in said and 'begin big\nend big\n' in course and most == 2, (said, course)


def by_pattern(bigrocks, scratch):
    project = Project(bigrocks, scratch / 'pattern')
    project.write(**{'x%d' % k: 1 for k in range(4)}, other=100)
    said, most = project.build('250MiB', '--demand', 'cpu=1,mem=1MiB; x*: mem=200MiB')
    assert 'not known' not in said and most <= 2, (most, said)
    assert re.search(r"warning: 'other' held 1[01]\d\S* MiB of memory and counts for 1 MiB", said), said
    for name in ('x0', 'x1', 'x2', 'x3'):
        (project.folder / name).unlink()
    said, most = project.build('250MiB', '--demand', 'x*: mem=200MiB')  # whatever was measured
    assert most == 1 and 'warning' not in said, (most, said)
    for text, expected in (('x*: disk=1', "a pattern gives cpu and mem, and no 'disk'"), ('x*: mem=1TiB', 'mem'),
                           ('cpu=1; mem=2MiB', 'of every command twice'), ('x*: mem=', '--demand')):
        (project.folder / 'x0').unlink(missing_ok=True)
        said, _ = project.build('250MiB', '--demand', text, code=2)
        assert expected in said, (text, said)
    said = run(bigrocks, 'serve', '--capacity', 'cpu=4,mem=100MiB', '--demand', 'big*: mem=100MiB', '--', 'sh', '-c',
               'for k in 1 2 3; do "$0" admit --key big$k -- sleep 0.1 & done; wait', bigrocks)
    assert '3 commands admitted, at most 1 at once' in said, said


def main():
    bigrocks = pathlib.Path(sys.argv[1]).resolve()
    if not shutil.which('ninja'):
        print('ninja is not installed')
        return 77
    with tempfile.TemporaryDirectory(prefix='bigrocks-memory') as scratch:
        by_pattern(bigrocks, pathlib.Path(scratch))
        if 'no SQLite' not in run(bigrocks, '--version'):
            alone(bigrocks, pathlib.Path(scratch))
            by_rule(bigrocks, pathlib.Path(scratch))
            by_size(bigrocks, pathlib.Path(scratch))
    return 0


if __name__ == '__main__':
    sys.exit(main())
