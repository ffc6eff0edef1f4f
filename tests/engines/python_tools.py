"""Programs and modules from PyPI, in the environment that tools/setup.sh makes for tests (`want_environment`)."""
import os
import pathlib
import subprocess
import sys

import missing

ROOT = pathlib.Path(__file__).resolve().parents[2]


def program(name):
    """Its path; a test that needs what is not there ends as skipped."""
    folder = pathlib.Path(os.environ.get('BIGROCKS_TEST_PYTHON') or ROOT / 'build-ci/python')
    path = folder / 'bin' / name
    if not path.exists():
        missing.leave('%s of %s is' % (name, folder))
    return path


def environment(home):
    """For a program that shall not find anything of whoever runs the test, nor leave anything there."""
    own = ('SNAKEMAKE', 'PYTHON', 'DASK')
    return dict({name: value for name, value in os.environ.items() if not name.startswith(own)}, HOME=str(home),
                XDG_CACHE_HOME=str(home), PYTHONDONTWRITEBYTECODE='1')


def call_inside(module, *arguments, **more):
    """Ends with the status of the module's function `inside`, which is called by the environment's Python with these
    words as sys.argv[1:]. `more` is of its environment."""
    path = os.pathsep.join((str(ROOT / 'python'), str(pathlib.Path(__file__).parent)))
    env = dict(environment('/nonexistent'), PYTHONPATH=path, **more)
    sys.exit(subprocess.run([str(program('python3')), '-c', 'import %s; %s.inside()' % (module, module), *arguments],
                            env=env).returncode)
