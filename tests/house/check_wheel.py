#!/usr/bin/env python3
"""`pip install .` builds the library and the programs, and what it installs needs nothing else of bigrocks.

check_wheel.py SOURCE_ROOT
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

USE = '''
import os
import bigrocks
job, _ = bigrocks.read(%r)
plan = bigrocks.plan(job, bigrocks.Cluster(node=(1, {'cpu': 4, 'mem': '16GiB'})), effort='fast')
assert '<svg' in bigrocks.render(plan)
print(bigrocks._library.find(), bigrocks._program.find())
for path in (bigrocks._library.find(), bigrocks._program.find()):
    assert path.startswith(os.path.dirname(bigrocks.__file__)), path
'''


def check_tools(root, folder):
    """What builds is started without the path for modules that pip has set for the back end."""
    for name, says in (('meson', 'test -z "${PYTHONPATH+set}"'), ('ninja', 'true')):
        (folder / name).write_text('#!/bin/sh\n%s\n' % says)
        (folder / name).chmod(0o755)
    subprocess.run([sys.executable, '-c', 'import backend; assert not backend._built()'], check=True,
                   env={'PATH': '%s:/usr/bin:/bin' % folder, 'PYTHONPATH': str(root / 'python'),
                        'PYTHONDONTWRITEBYTECODE': '1'})


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    missing = [tool for tool in ('meson', 'ninja') if not shutil.which(tool)]
    if missing or subprocess.run([sys.executable, '-m', 'pip', '--version'], capture_output=True).returncode:
        print('pip, meson or ninja is not installed')
        return 77
    with tempfile.TemporaryDirectory(prefix='bigrocks-wheel') as folder:
        folder = pathlib.Path(folder)
        (folder / 'tools').mkdir()
        check_tools(root, folder / 'tools')
        environment = {k: v for k, v in os.environ.items() if not k.startswith('BIGROCKS_')}
        # What is installed is looked at, not how fast it is: without optimization it is compiled in half the time.
        environment['CFLAGS'] = '-O0 -g0'
        subprocess.run([sys.executable, '-m', 'pip', 'install', '-q', '--no-index', '--disable-pip-version-check',
                        '--root-user-action', 'ignore', '--target', str(folder / 'installed'), str(root)], check=True,
                       env=environment)
        assert (folder / 'installed/snakemake_scheduler_plugin_bigrocks/__init__.py').exists()
        environment.update(PYTHONPATH=str(folder / 'installed'), PYTHONDONTWRITEBYTECODE='1')
        subprocess.run([sys.executable, '-c', USE % str(root / 'examples/query.explain.xml')], check=True, cwd=folder,
                       env=environment)
        # The commands are the programs in the package, and hand on words, status and name.
        for words, status, part in ((['bigrocks', 'show', root / 'examples/query.explain.xml'], 0, 'query.explain'),
                                    (['bigrocks', 'shew'], 2, 'show'),
                                    (['bigrocks-admit', 'echo', 'a b'], 0, 'a b')):
            done = subprocess.run([folder / 'installed/bin' / words[0], *words[1:]], cwd=folder, env=environment,
                                  capture_output=True, text=True)
            assert done.returncode == status and part in done.stdout + done.stderr, (words, done)
    return 0


if __name__ == '__main__':
    sys.exit(main())
