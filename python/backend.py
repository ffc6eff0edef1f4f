"""The build back end that pip asks for the package: a wheel of one pure Python package, by the standard library
alone, so that `pip install .` needs no network. (PEP 517)"""
import base64
import hashlib
import pathlib
import re
import zipfile

HERE = pathlib.Path(__file__).resolve().parent


def _version():
    text = (HERE.parent / 'meson.build').read_text()
    return re.search(r"version: '([^']+)'", text).group(1)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    version = _version()
    info = 'bigrocks-%s.dist-info' % version
    files = {'bigrocks/' + p.name: p.read_bytes() for p in sorted((HERE / 'bigrocks').glob('*.py'))}
    files[info + '/METADATA'] = (
        'Metadata-Version: 2.1\nName: bigrocks\nVersion: %s\n'
        'Summary: Offline planner for DAGs of tasks with demands for several resources\n'
        'License: Apache-2.0\nRequires-Python: >=3.8\n' % version).encode()
    files[info + '/WHEEL'] = (b'Wheel-Version: 1.0\nGenerator: bigrocks\n'
                              b'Root-Is-Purelib: true\nTag: py3-none-any\n')
    record = ''.join('%s,sha256=%s,%d\n' % (
        name, base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip('='),
        len(data)) for name, data in files.items())
    files[info + '/RECORD'] = (record + info + '/RECORD,,\n').encode()
    wheel = 'bigrocks-%s-py3-none-any.whl' % version
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / wheel, 'w') as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return wheel
