#!/usr/bin/env python3
"""Every command that docs/workflows.md shows works, with the Snakemake and the Dask that tests have.

check_workflows.py BIGROCKS LIBRARY
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import python_tools


def main():
    bigrocks, library = (pathlib.Path(word).resolve() for word in sys.argv[1:])
    programs = python_tools.program('snakemake').parent
    blocks = re.findall(r'^```bash\n(.*?)^```$', (python_tools.ROOT / 'docs/workflows.md').read_text(), re.M | re.S)
    assert len(blocks) >= 2, blocks
    with tempfile.TemporaryDirectory(prefix='bigrocks-workflows') as folder:
        shutil.copytree(python_tools.ROOT / 'examples', pathlib.Path(folder) / 'examples')
        path = os.pathsep.join(map(str, (bigrocks.parent, programs, os.environ['PATH'])))
        env = dict(python_tools.environment(folder), PYTHONPATH=str(python_tools.ROOT / 'python'),
                   DASK_LOGGING__DISTRIBUTED='error', BIGROCKS_LIBRARY=str(library), PATH=path)
        done = subprocess.run(['bash', '-exuo', 'pipefail', '-c', ''.join(blocks)], cwd=folder, env=env, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
        assert done.returncode == 0, done.stdout
        rest = (pathlib.Path(folder) / 'rest.xml').read_text()
        assert set(re.findall('stage id="([^"]+)"', rest)) == {'count:sample=s3', 'compare', 'report'}, rest


if __name__ == '__main__':
    main()
