"""`run ... | head` killed the enforcer by SIGPIPE and left its tasks behind."""
import os
import pathlib
import signal
import subprocess
import time
import uuid

from case import BIGROCKS, ENVIRONMENT, bigrocks, folder, start

MARK = uuid.uuid4().hex
ENVIRONMENT['UNREAD_MARK'] = MARK
JOB = '''<job xmlns="urn:bigrocks:job:1" name="j">
<stage id="loud" tasks="40" duration="0.01"><demand resource="cpu" amount="1"/>
  <command shell="true">head -c 9000 /dev/zero | tr '\\0' x; echo; exit %d</command></stage>
<stage id="long" duration="9"><demand resource="cpu" amount="1"/>
  <command>sleep 300</command></stage></job>'''


def marked():
    found = []
    for entry in pathlib.Path('/proc').iterdir():
        try:
            if entry.name.isdigit() and int(entry.name) != os.getpid() and \
                    MARK.encode() in (entry / 'environ').read_bytes():
                found.append((entry / 'cmdline').read_bytes())
        except OSError:
            pass
    return found


def assert_gone():
    limit = time.monotonic() + 10
    while marked() and time.monotonic() < limit:
        time.sleep(0.02)
    assert not marked(), marked()


with folder() as where:
    where = pathlib.Path(where)
    words = ('run', 'job.xml', '--capacity', 'cpu=2', '--time-limit', '0', '-k')
    for status, streams in ((0, {}), (1, {}), (0, {'stderr': subprocess.STDOUT})):
        (where / 'job.xml').write_text(JOB % status)
        # The reader of stdout goes; then of stderr, on which failures are told.
        for which in ('stdout', 'stderr') if status else ('stdout',):
            other = {} if streams else {'stderr' if which == 'stdout' else 'stdout': subprocess.DEVNULL}
            run = start(*words, cwd=where, **streams, **other)
            reader = run.stdout if which == 'stdout' else run.stderr
            reader.read(1)
            reader.close()
            assert run.wait(20) == -signal.SIGPIPE, run.returncode
            assert_gone()
    # Who ignores the signal is told by the status.
    run = subprocess.Popen(['sh', '-c', "trap '' PIPE; exec \"$@\"", 'sh', str(BIGROCKS), *words], cwd=where,
                           env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    run.stdout.read(1)
    run.stdout.close()
    said = run.stderr.read()
    assert run.wait(20) == 5 and 'nobody reads the output any more' in said, said
    assert_gone()
    # Streams that are closed from the beginning, one by one and all: the tasks run. What cannot be
    # written is told by the status.
    (where / 'job.xml').write_text((JOB % 0).replace('sleep 300', 'touch ran'))
    for closed in ('0<&-', '1>&-', '2>&-', '0<&- 1>&- 2>&-'):
        (where / 'ran').unlink(missing_ok=True)
        done = subprocess.run(['sh', '-c', 'exec "$@" ' + closed, 'sh', str(BIGROCKS), *words], cwd=where,
                              env=ENVIRONMENT, capture_output=True, timeout=60)
        assert done.returncode == (5 if '1>' in closed else 0), (closed, done.returncode, done.stderr)
        assert (where / 'ran').exists()
    assert_gone()
