"""Shared by the cases of this folder: the program, a folder to work in, and patience.

A case is a script NAME.py that is called with the program, and with a folder of its name beside it
where it needs files. It ends with status 0 where the defect is gone, and says what is wrong where not.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

BIGROCKS = pathlib.Path(sys.argv[1]).resolve()
FILES = pathlib.Path(sys.argv[0]).resolve().with_suffix('')
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith('BIGROCKS_')}


def bigrocks(*words, timeout=60, **options):
    """Runs the program to its end; its text and status."""
    options = {'text': True, 'capture_output': True, 'env': ENVIRONMENT,
               'stdin': None if 'input' in options else subprocess.DEVNULL, **options}
    return subprocess.run([str(BIGROCKS), *map(str, words)], timeout=timeout, **options)


def start(*words, **options):
    """Starts the program; whoever calls waits for it."""
    options = {'text': True, 'stdin': subprocess.DEVNULL, 'stdout': subprocess.PIPE,
               'stderr': subprocess.PIPE, 'env': ENVIRONMENT, **options}
    return subprocess.Popen([str(BIGROCKS), *map(str, words)], **options)


def cost(*words):
    """Seconds of the processor until the program ends well; and what it said on standard error."""
    with start(*words) as process:
        said = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, (words, said)
    return usage.ru_utime + usage.ru_stime, said


def folder():
    """A folder that is gone after its with block."""
    return tempfile.TemporaryDirectory(prefix='bigrocks-bug-')
