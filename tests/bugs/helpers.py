"""A helper that a command of a build starts lives, as under ninja: for the commands that follow, and after the build.

One that a command starts which is stopped goes with it.
"""
import os
import pathlib
import signal
import time

import case

BUILD = '''rule serve
  command = (exec setsid sleep 60 >/dev/null 2>&1 & echo $$! >$out)
  restat = 1
rule ask
  command = kill -0 `cat server` && echo yes >$out
rule fail
  command = (exec setsid sleep 60 >/dev/null 2>&1 & echo $$! >pid-$out); sleep 0.5; exit 3
rule hang
  command = (exec setsid sleep 60 >/dev/null 2>&1 & echo $$! >pid-$out); sleep 60
build server: serve
build answer: ask server
build other: ask answer
build failing: fail | other
build hanging: hang | other
default other
'''


def alive(pid):
    """Is the process there, and no zombie?"""
    try:
        return pathlib.Path('/proc/%d/stat' % pid).read_text().rsplit(')', 1)[1].split()[0] != 'Z'
    except OSError:
        return False


def pid_in(path):
    limit = time.monotonic() + 30
    while time.monotonic() < limit and not (path.exists() and path.read_text().endswith('\n')):
        time.sleep(0.02)
    pid = int(path.read_text())
    while time.monotonic() < limit and pathlib.Path('/proc/%d/comm' % pid).read_text() != 'sleep\n':
        time.sleep(0.02)  # until then it is a shell that is about to be another program
    return pid


with case.folder() as scratch:
    folder = pathlib.Path(scratch)
    (folder / 'build.ninja').write_text(BUILD)
    words = 'build', '-C', folder, '--capacity', 'cpu=2,mem=1GiB'
    helpers = []
    try:
        done = case.bigrocks(*words)
        helpers.append(pid_in(folder / 'server'))
        assert done.returncode == 0 and 'left behind' not in done.stderr, done
        assert alive(helpers[0]), 'the helper was ended'
        assert case.bigrocks(*words, 'failing').returncode == 1
        helpers.append(pid_in(folder / 'pid-failing'))
        assert all(map(alive, helpers)), 'a failure ended a helper'
        build = case.start(*words, 'hanging')
        helpers.append(pid_in(folder / 'pid-hanging'))
        build.send_signal(signal.SIGINT)
        build.wait(30)
        limit = time.monotonic() + 10
        while alive(helpers[2]) and time.monotonic() < limit:
            time.sleep(0.02)
        assert [alive(pid) for pid in helpers] == [True, True, False], 'Ctrl-C ends what ran, and that alone'
    finally:
        for pid in filter(alive, helpers):
            os.kill(pid, signal.SIGKILL)
