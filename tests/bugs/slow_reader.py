"""A reader of a run's output that stops reading stopped the run: what had ended was not collected, and
was late."""
import fcntl
import os
import pathlib
import signal
import subprocess
import time

from case import folder, start

# Far more than the pipe holds, on both streams; then tasks that have to go on meanwhile.
JOB = '''<job xmlns="urn:bigrocks:job:1" name="j">
<stage id="loud" tasks="12" duration="0.1"><demand resource="cpu" amount="1"/>
  <command shell="true">yes {index} | head -c 9000; echo</command></stage>
<stage id="bad" tasks="12" duration="0.1"><demand resource="cpu" amount="1"/>
  <command shell="true">yes {index} | head -c 9000; exit 1</command></stage>
<stage id="step" duration="0.1"><demand resource="cpu" amount="1"/>
  <command shell="true">echo step >> steps</command></stage>
<stage id="last" duration="0.1"><demand resource="cpu" amount="1"/>
  <command shell="true">echo last >> steps; sleep 0.5</command></stage>
<edge from="loud" to="step"/><edge from="step" to="last"/></job>'''


def wait_for_steps(where, run):
    limit = time.monotonic() + 60
    while not (where / 'steps').exists() or len((where / 'steps').read_text().split()) < 2:
        assert run.poll() is None and time.monotonic() < limit, 'the run has stopped'
        time.sleep(0.02)


with folder() as where:
    where = pathlib.Path(where)
    (where / 'job.xml').write_text(JOB)
    words = ('run', 'job.xml', '--capacity', 'cpu=3', '--timeout', '30', '-k', '--time-limit', '0')
    for streams in ({}, {'stderr': subprocess.STDOUT}):
        for name in ('steps', 'trace.jsonl'):
            (where / name).unlink(missing_ok=True)
        run = start(*words, '--trace', 'trace.jsonl', cwd=where, text=False,
                    pipesize=4096, **streams)
        wait_for_steps(where, run)
        time.sleep(1)  # the last one ends, and is seen to end
        assert (where / 'trace.jsonl').read_text().count('"done"') == 14
        out, said = run.communicate(timeout=60)
        said = said if said is not None else out
        assert run.returncode == 1 and b'14 tasks done' in said and b'12 failed' in said, said[-300:]
        assert b'too long' not in said and (b'  | ' in said or said is out)
        for i in range(12):  # each whole, once or twice (loud and bad)
            whole = (b'%d\n' % i * 9000)[:9000]
            assert out.count(whole) == 2, i
    # A trace that nobody reads yet.
    os.mkfifo(where / 'fifo')
    reader = os.open(where / 'fifo', os.O_RDONLY | os.O_NONBLOCK)
    fcntl.fcntl(reader, fcntl.F_SETPIPE_SZ, 4096)
    (where / 'steps').unlink()
    (where / 'job.xml').write_text(JOB.replace('9000', '9'))
    run = start(*words, '--trace', 'fifo', cwd=where, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for_steps(where, run)
    time.sleep(0.5)
    os.set_blocking(reader, True)
    with open(reader) as trace:
        assert trace.read().count('"outcome"') == 26
    assert run.wait(60) == 1
    # Interrupted, it waits for its reader no longer than a moment.
    (where / 'steps').unlink()
    (where / 'job.xml').write_text(JOB.replace('sleep 0.5', 'sleep 60'))
    run = start(*words, cwd=where, pipesize=4096)
    wait_for_steps(where, run)
    run.send_signal(signal.SIGTERM)
    assert run.wait(20) == -signal.SIGTERM
    run.stdout.close()
    run.stderr.close()
