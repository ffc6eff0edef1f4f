"""An import that is interrupted while it asks make or Snakemake ends them and leaves no folder behind; a study of coflows
that is interrupted ends with status 1, since it lacks policies."""
import os
import pathlib
import re
import signal
import time

import case

# A recipe's shell that make asks, and a Snakemake, that both write their number and do not heed SIGTERM.
SLOW = "trap '' TERM; echo $$ >at.new; mv at.new at; while :; do sleep 0.1; done"


def living(pid):
    try:
        return 'Z' not in pathlib.Path('/proc/%d/stat' % pid).read_text().rsplit(')', 1)[1].split()[0]
    except FileNotFoundError:
        return False


def interrupt(number, *words):
    at = pathlib.Path('at')
    at.unlink(missing_ok=True)
    child = case.start(*words, env={**case.ENVIRONMENT, 'TMPDIR': str(pathlib.Path('tmp').resolve()),
                                    'SNAKEMAKE': str(pathlib.Path('slow').resolve())})
    while not at.exists():
        assert child.poll() is None, child.communicate()
        time.sleep(0.01)
    child.send_signal(number)
    said = child.communicate(timeout=20)[1]
    assert child.returncode == -number, (words, child.returncode, said)
    limit = time.monotonic() + 5
    while living(int(at.read_text())) and time.monotonic() < limit:
        time.sleep(0.01)
    assert not living(int(at.read_text())), words
    assert not os.listdir('tmp'), (words, os.listdir('tmp'))


with case.folder() as scratch:
    os.chdir(scratch)
    os.mkdir('tmp')
    pathlib.Path('Makefile').write_text('X := $(shell sh ./slow)\nall:\n\ttrue\n')
    pathlib.Path('slow').write_text('#!/bin/sh\n%s\n' % SLOW)
    pathlib.Path('slow').chmod(0o755)
    interrupt(signal.SIGINT, 'import', 'make')
    interrupt(signal.SIGTERM, 'import', 'snakemake')
    flows = ' '.join('%d:7' % port for port in range(40))
    ports = ' '.join(map(str, range(40)))
    pathlib.Path('coflows').write_text('40 4000\n' + ''.join('%d %d 40 %s 40 %s\n' % (k, k, ports, flows) for k in range(4000)))
    child = case.start('coflow', 'coflows', '--policy', 'fair,expected', '--no-bounds', '-q')
    while not int(re.search(r'SigCgt:\t(\w+)', pathlib.Path('/proc/%d/status' % child.pid).read_text()).group(1), 16) & 2:
        assert child.poll() is None, child.communicate()
        time.sleep(0.01)
    child.send_signal(signal.SIGINT)
    said = child.communicate(timeout=20)[1]
    assert child.returncode == 1 and 'interrupted with 0 of 2 policies done' in said, (child.returncode, said)
