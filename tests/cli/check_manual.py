#!/usr/bin/env python3
"""Manual pages are made, without a complaint of scdoc or of man, and hold every option.

check_manual.py BIGROCKS PAGE... (the pages that were built)
"""
import pathlib
import re
import shutil
import subprocess
import sys


def main():
    pages = {pathlib.Path(p).name: pathlib.Path(p) for p in sys.argv[2:]}
    failed = []
    commands = re.findall(r'^  (\w+) ', subprocess.run(
        [sys.argv[1], 'help'], check=True, text=True, stdout=subprocess.PIPE).stdout
        .partition('Commands:\n')[2].partition('\n\n')[0], re.M)
    wanted = {'bigrocks.1', 'bigrocks-formats.5', 'libbigrocks.3'} | {
        'bigrocks-%s.1' % c for c in commands}
    if wanted - pages.keys():
        failed.append('no page %s' % ', '.join(sorted(wanted - pages.keys())))
    for name, path in sorted(pages.items()):
        text = path.read_text()
        if name.startswith('bigrocks-') and name.endswith('.1'):
            helped = subprocess.run([sys.argv[1], 'help', name[9:-2]], check=True, text=True,
                                    stdout=subprocess.PIPE).stdout
            helped = helped.partition('\nOptions:')[2].partition('\n\n')[0]
            for option in re.findall(r'^ +(?:-\w, )?--((?:\[no-\])?[\w-]+)', helped, re.M):
                if '--' + option not in text.replace('\\', ''):
                    failed.append('%s has no --%s' % (name, option))
        if shutil.which('groff'):
            done = subprocess.run(['groff', '-t', '-man', '-Tutf8', '-ww', '-z', str(path)],
                                  stderr=subprocess.PIPE, text=True)
            said = [l for l in done.stderr.splitlines() if 'cannot adjust' not in l
                    and "can't break" not in l and 'cannot break' not in l
                    and 'will not fit on one page' not in l]  # terminals have no pages
            if done.returncode or said:
                failed.append('%s: %s' % (name, said))
    if not shutil.which('groff'):
        print('groff is not installed')
    print('\n'.join(failed) or '%d pages' % len(pages))
    return len(failed) > 0


if __name__ == '__main__':
    sys.exit(main())
