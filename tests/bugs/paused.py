"""An enforcer that was stopped (Ctrl-Z) took tasks that had ended meanwhile for late, and the pause
for their duration."""
import os
import pathlib
import signal
import time
import xml.etree.ElementTree as xml

from case import bigrocks, folder, start

JOB = '''<job xmlns="urn:bigrocks:job:1" name="j">
<stage id="short" tasks="2" duration="1"><demand resource="cpu" amount="1"/>
  <command shell="true">sleep 0.5; echo fine; echo over >> over</command></stage>
<stage id="long" duration="1"><demand resource="cpu" amount="1"/>
  <command shell="true">echo up > up; sleep 3.6; echo over >> over</command></stage>
</job>'''


def wait_for(path, size, process):
    while not path.exists() or path.stat().st_size < size:
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)


with folder() as where:
    where = pathlib.Path(where)
    # A pause that is too short to be taken for one.
    (where / 'job.xml').write_text(JOB.replace('sleep 3.6; ', ''))
    run = start('run', 'job.xml', '--capacity', 'cpu=3', '--timeout', 0.8, '--time-limit', 0, cwd=where)
    wait_for(where / 'up', 3, run)
    os.kill(run.pid, signal.SIGSTOP)
    time.sleep(0.9)
    os.kill(run.pid, signal.SIGCONT)
    _, said = run.communicate(timeout=60)
    assert run.returncode == 0, said
    (where / 'up').unlink()
    (where / 'over').unlink()
    (where / 'job.xml').write_text(JOB)
    kept = 'keeps no histories' not in bigrocks('annotate', 'job.xml', '--history', 'h', cwd=where).stderr
    run = start('run', 'job.xml', '--capacity', 'cpu=3', '--timeout', 2, '--time-limit', 0,
                *(['--history', 'h'] if kept else []), cwd=where)
    wait_for(where / 'up', 3, run)
    os.kill(run.pid, signal.SIGSTOP)
    began = time.monotonic()
    wait_for(where / 'over', 10, run)
    time.sleep(max(0, began + 3 - time.monotonic()))
    os.kill(run.pid, signal.SIGCONT)
    out, said = run.communicate(timeout=60)
    assert run.returncode == 0, said  # the long one has not run for 2 s of the enforcer's time
    assert out == 'fine\nfine\n' and 'too long' not in said, (out, said)
    if kept:
        job = xml.fromstring(bigrocks('annotate', 'job.xml', '--history', 'h', cwd=where).stdout)
        seconds = {s.get('id'): float(s.get('duration')) for s in job if s.get('id')}
        assert seconds == {'short': 1, 'long': 1}, seconds  # as given: nothing was learnt
        # Without a pause it is.
        assert bigrocks('run', 'job.xml', '--capacity', 'cpu=3', '--history', 'h', cwd=where).returncode == 0
        job = xml.fromstring(bigrocks('annotate', 'job.xml', '--history', 'h', cwd=where).stdout)
        seconds = {s.get('id'): float(s.get('duration')) for s in job if s.get('id')}
        assert seconds['short'] != 1 and seconds['long'] > 3.5, seconds
