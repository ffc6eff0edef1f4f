"""For a test that cannot run here, because something is missing that tools/setup.sh installs."""
import os
import shutil
import sys


def leave(what):
    """Ends the test as skipped, or as failed where all of it has been installed (.ci/run)."""
    print('%s missing' % what)
    sys.exit(1 if os.environ.get('BIGROCKS_ALL_TOOLS') else 77)


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            leave('%s is' % program)
