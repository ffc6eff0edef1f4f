"""For a test that cannot run here, because something is missing that tools/setup.sh installs.

tools/skips finds such tests by their last words, "not installed", and .ci/run fails then.
"""
import shutil
import sys


def leave(what):
    """Ends the test as skipped."""
    print('%s not installed' % what)
    sys.exit(77)


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            leave('%s is' % program)
