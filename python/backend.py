"""The build back end that pip asks for the package, by the standard library alone, so that `pip install .` needs no
network. (PEP 517)

The wheel holds the library and the programs, which meson and ninja build, and commands that start these; --config-settings library=no makes one of
Python alone, which looks for those that are installed."""
import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent


def _version():
    text = (HERE.parent / 'meson.build').read_text()
    return re.search(r"version: '([^']+)'", text).group(1)


def _built():
    """By their names in the package: the library and the programs, built as for a release."""
    missing = [tool for tool in ('meson', 'ninja') if not shutil.which(tool)]
    if missing:
        raise SystemExit('%s is not installed; install it, or add --config-settings library=no for the Python files alone'
                         % ' and '.join(missing))
    with tempfile.TemporaryDirectory(prefix='bigrocks-wheel-') as folder:
        build = pathlib.Path(folder)
        # pip's own path for modules hides those of a meson that the system has installed (pip 25 on Debian 13).
        environment = {name: value for name, value in os.environ.items() if name != 'PYTHONPATH'}
        for command in (['meson', 'setup', str(build), str(HERE.parent), '-Dtests=false', '--buildtype=release'],
                        ['ninja', '-C', str(build)]):
            subprocess.run(command, check=True, stdout=sys.stderr, env=environment)
        found = {'lib/libbigrocks.so.0': (build / 'libbigrocks.so.0').resolve(), 'bin/bigrocks': build / 'cli/bigrocks',
                 'bin/bigrocks-bound': build / 'lp/bigrocks-bound'}
        return {'bigrocks/' + name: path.read_bytes() for name, path in found.items() if path.exists()}


# A command of the name: starts the program in the package, which it finds without loading any of it. pip puts the
# interpreter's path into the first line.
_COMMAND = '''#!python
import importlib.util, os, sys
program = os.path.join(os.path.dirname(importlib.util.find_spec('bigrocks').origin), 'bin', 'bigrocks')
os.execv(program, [%r, *sys.argv[1:]])
'''


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    version = _version()
    info = 'bigrocks-%s.dist-info' % version
    files = {'%s/%s' % (package, p.name): p.read_bytes()
             for package in ('bigrocks', 'snakemake_scheduler_plugin_bigrocks') for p in sorted((HERE / package).iterdir())
             if p.suffix in ('.py', '.pyi', '.typed')}
    built = {} if (config_settings or {}).get('library') == 'no' else _built()
    if built:
        built.update(('bigrocks-%s.data/scripts/%s' % (version, name), (_COMMAND % name).encode())
                     for name in ('bigrocks', 'bigrocks-admit'))
    files.update(built)
    tag = 'py3-none-%s' % (re.sub('[^a-zA-Z0-9]', '_', sysconfig.get_platform()) if built else 'any')
    files[info + '/METADATA'] = (
        'Metadata-Version: 2.1\nName: bigrocks\nVersion: %s\n'
        'Summary: Offline planner for DAGs of tasks with demands for several resources\n'
        'License: Apache-2.0\nRequires-Python: >=3.8\n' % version).encode()
    files[info + '/WHEEL'] = ('Wheel-Version: 1.0\nGenerator: bigrocks\nRoot-Is-Purelib: %s\nTag: %s\n'
                              % ('false' if built else 'true', tag)).encode()
    record = ''.join('%s,sha256=%s,%d\n' % (
        name, base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip('='),
        len(data)) for name, data in files.items())
    files[info + '/RECORD'] = (record + info + '/RECORD,,\n').encode()
    wheel = 'bigrocks-%s-%s.whl' % (version, tag)
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / wheel, 'w') as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = (0o100755 if name in built else 0o100644) << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED if built else zipfile.ZIP_STORED)
    return wheel
