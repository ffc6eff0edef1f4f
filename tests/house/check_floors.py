#!/usr/bin/env python3
"""The house keeps its floors: no include and no call runs up, no files form a circle, and the pictures are current. Every
room has a README.md, and the rooms that bench/mutate knows are there.

check_floors.py SOURCE_ROOT BUILD_DIR

Besides, tools/floors is seen to fail: in a copy of the tree an include upwards is added, a circle of
headers inside of a room, a room that the table does not know, and an excuse that nothing needs. A house of
three sources is compiled, in which calls run up and round without an include.
"""
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def floors(root, *options):
    return subprocess.run([sys.executable, root / 'tools/floors', '--root', root, *options],
                          capture_output=True, text=True)


def copy_of(root, folder):
    for path in [*root.glob('*/**/*.[ch]'), root / 'docs/floors.txt', root / 'tools/floors']:
        name = path.relative_to(root)
        if not name.parts[0].startswith(('build', '.')):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, folder / name)


BROKEN = [ # what is appended to which file, and what must be said
    ('base/text/text.h', '#include "planner/model/dag.h"\n', 'base/text may not use planner/model'),
    ('planner/model/dag.h', '#include "planner/search/search.h"\n', 'planner/model may not use planner/search'),
    ('planner/space/idle.h', '#include "planner/space/space.h"\n#include "planner/space/holes.h"\n',
     'a circle of includes: planner/space/'),
    ('attic/new.c', '', 'no row for attic'),
    ('docs/floors.txt', '! base/text/text.c -> base/text/text.h\n', 'breaks nothing'),
    ('docs/floors.txt', '! base/text/text.c -> base/nowhere.h\n', 'not there'),
]


HOUSE = { # a call up from low to high, and a circle of two sources in high
    'docs/floors.txt': 'low:\nhigh: low\n',
    'low/a.c': 'void two(void); void one(void); void one(void) { two(); }\n',
    'high/b.c': 'void one(void); void three(void); void two(void); void two(void) { one(); three(); }\n',
    'high/c.c': 'void two(void); void three(void); void three(void) { two(); }\n',
}
TOLD = ['low/a.c calls high/b.c: low may not use high', 'a circle of calls: high/b.c high/c.c']


def calls_not_told(tool, folder):
    """Compiles HOUSE, and holds what tools/floors says of it to TOLD."""
    rows = []
    for name, text in HOUSE.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
        if name.endswith('.c'):
            rows.append({'directory': str(folder), 'file': name, 'output': name[:-2] + '.o'})
            subprocess.run(['cc', '-c', name, '-o', name[:-2] + '.o'], cwd=folder, check=True)
    (folder / 'compile_commands.json').write_text(json.dumps(rows))
    (folder / 'tools').mkdir()
    shutil.copy(tool, folder / 'tools/floors')
    told = [line for line in floors(folder, '--build', folder).stdout.splitlines() if line]
    return [] if sorted(told) == sorted(TOLD) else ['of the calls of HOUSE is told: %s' % told]


def rooms_without_words(root):
    """Rooms that have no README.md, neither of their own nor in the folder that they are a part of."""
    rooms = re.findall(r'^([a-z][\w/]*):', (root / 'docs/floors.txt').read_text(), re.M)
    return ['%s has no README.md' % room for room in rooms if room != 'include/bigrocks' and
            not any((root / place / 'README.md').exists() for place in (room, room.rpartition('/')[0] or room))]


def lost_rooms(root):
    """Names in bench/mutate.rooms that are not there."""
    rooms = re.findall(r'^([a-z][\w/.]*):', (root / 'bench/mutate.rooms').read_text(), re.M)
    return ['bench/mutate.rooms names %s, which is not there' % room for room in rooms if not (root / room).exists()]


def stale_pictures(root):
    """Pictures of the house and of its wings that are not of these sources, and how they are drawn."""
    for path in sorted((root / 'docs/pictures').glob('house*.svg')):
        wing = path.stem.removeprefix('house').removeprefix('-')
        dot = floors(root, '--dot', *([wing] if wing else [])).stdout
        mark = re.search('SHA-256 ([0-9a-f]{64})', path.read_text())
        if not dot or not mark or mark[1] != hashlib.sha256(dot.encode()).hexdigest():
            yield path.name, 'tools/floors --svg --dot %s > docs/pictures/%s' % (wing, path.name)


def main():
    root, build = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
    faults = rooms_without_words(root) + lost_rooms(root)
    done = floors(root, '--build', build)
    print(done.stdout)
    if done.returncode:
        faults.append('tools/floors finds faults (above), or fails: ' + done.stderr)
    faults += [name + ' is not of these sources: ' + command for name, command in stale_pictures(root)]
    with tempfile.TemporaryDirectory(prefix='bigrocks-floors') as scratch:
        folder = pathlib.Path(scratch)
        copy_of(root, folder)
        for name, text, said in BROKEN:
            path = folder / name
            before = path.read_text() if path.exists() else None
            path.parent.mkdir(exist_ok=True)
            path.write_text((before or '') + text)
            done = floors(folder)
            path.unlink() if before is None else path.write_text(before)
            if done.returncode != 1 or said not in done.stdout:
                faults.append('%s with %r is not told: %d %s%s' % (name, text, done.returncode, done.stdout,
                                                                   done.stderr))
    with tempfile.TemporaryDirectory(prefix='bigrocks-calls') as scratch:
        faults += calls_not_told(root / 'tools/floors', pathlib.Path(scratch))
    print('\n'.join(faults) or 'floors kept, pictures current, %d breaks told' % (len(BROKEN) + len(TOLD)))
    return bool(faults)


if __name__ == '__main__':
    sys.exit(main())
