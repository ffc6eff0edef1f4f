"""What real compiles need is still known after more builds that a compiler cache answered than durations are taken
from, and the limit is kept at the next miss."""
import pathlib

import case

COMPILER = """if test -e hits; then touch $1; exit; fi
mkdir busy || touch overlap
python3 -c 'import time; held = bytearray(80 << 20); time.sleep(0.2)'
rmdir busy 2> ignored
touch $1
"""
BUILD = 'rule cc\n  command = sh cc.sh $out\nbuild one.o: cc\nbuild two.o: cc\n'


def build(folder):
    for output in folder.glob('*.o'):
        output.unlink()
    done = case.bigrocks('build', '-C', folder, '--capacity', 'cpu=2,mem=130MiB')
    assert done.returncode == 0, done


if 'no SQLite' in case.bigrocks('--version').stdout:
    raise SystemExit(77)
with case.folder() as scratch:
    folder = pathlib.Path(scratch)
    (folder / 'cc.sh').write_text(COMPILER)
    (folder / 'build.ninja').write_text(BUILD)
    build(folder)
    (folder / 'hits').touch()
    for _ in range(11):
        build(folder)
    (folder / 'hits').unlink()
    (folder / 'overlap').unlink(missing_ok=True)
    build(folder)
    assert not (folder / 'overlap').exists(), 'both at once'
