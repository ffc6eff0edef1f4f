#!/usr/bin/env python3
"""A release has the manual pages in it, and where scdoc is missing those are installed.

check_dist.py MESON BUILD_DIR SOURCE_ROOT. The pages of BUILD_DIR are put into a copy of the tree by the script that
'meson dist' runs, and the copy is configured without scdoc. Without scdoc here there are none to put (77).
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile


def run(command, **options):
    done = subprocess.run([str(c) for c in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          **options)
    if done.returncode:
        sys.exit('%s\n%s' % (command, done.stdout))
    return done.stdout


def without_scdoc(folder):
    """A folder for PATH that has all the programs there are but scdoc, and ccache, which needs a PATH of several."""
    folder.mkdir()
    for place in os.environ['PATH'].split(':'):
        for program in pathlib.Path(place).iterdir() if os.path.isdir(place) else ():
            if program.name == 'scdoc' or program.resolve().name == 'ccache' or os.path.lexists(folder / program.name):
                continue
            (folder / program.name).symlink_to(program)
    return dict(os.environ, PATH=str(folder))


def installed_pages(meson, source, build, environment):
    """By their names, the files of which the manual pages are installed."""
    run([meson, 'setup', build, source, '-Dtests=false'], env=environment)
    planned = json.loads(run([meson, 'introspect', build, '--installed']))
    return {pathlib.Path(to).name: pathlib.Path(path) for path, to in planned.items() if '/man/man' in to}


def main():
    meson, build, root = sys.argv[1], *map(pathlib.Path, sys.argv[2:4])
    scripts = json.loads((build / 'meson-info/intro-targets.json').read_text())
    pages = sorted(pathlib.Path(f).name for t in scripts for f in t['filename'] if f.endswith(('.1', '.3', '.5')))
    if not pages:
        print('scdoc is not installed')
        return 77
    with tempfile.TemporaryDirectory(prefix='bigrocks-dist') as folder:
        folder = pathlib.Path(folder)
        release, environment = folder / 'release', without_scdoc(folder / 'programs')
        listed = run(['git', 'ls-files', '-z'], cwd=root).split('\0') if (root / '.git').exists() else None
        if listed:
            for name in filter(None, listed):
                (release / name).parent.mkdir(parents=True, exist_ok=True)
                if (root / name).exists():
                    shutil.copy2(root / name, release / name)
        else:
            shutil.copytree(root, release, ignore=shutil.ignore_patterns('build*', '.git', 'man'))
        assert not installed_pages(meson, release, folder / 'bare', environment)
        run([root / 'tools/dist_pages', build, *pages], env=dict(os.environ, MESON_DIST_ROOT=str(release)))
        found = installed_pages(meson, release, folder / 'pages', environment)
        assert sorted(found) == pages, (found, pages)
        for name, path in found.items():
            assert path.read_text() == (build / 'docs' / name).read_text(), path
        assert '.TH "bigrocks" "1"' in found['bigrocks.1'].read_text()
    return 0


if __name__ == '__main__':
    sys.exit(main())
