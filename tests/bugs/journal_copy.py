"""Resuming a copy of a journal killed the tasks of the run that was still at work with the original."""
import os
import pathlib
import re
import shutil
import signal
import time

from case import bigrocks, folder, start

JOB = '''<job xmlns="urn:bigrocks:job:1" name="j"><stage id="a" tasks="2" duration="1">
<demand resource="cpu" amount="1"/>
<command shell="true">echo up >> up.$WHO; until test -e go; do sleep 0.05; done; echo {index} >> ran.$WHO</command>
</stage></job>'''
GO_ON = ('--capacity', 'cpu=2', '--time-limit', '0', '--resume', '--journal')


def run(where, who, journal):
    process = start('run', 'job.xml', *GO_ON, journal, cwd=where, env={**os.environ, 'WHO': who})
    while not (where / ('up.' + who)).exists() or len((where / ('up.' + who)).read_text()) < 6:
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    return process


def kill(process):
    """With its guard, so that its tasks are left."""
    for entry in pathlib.Path('/proc').iterdir():
        try:
            if entry.name.isdigit() and (entry / 'comm').read_text() == 'bigrocks-guard\n' and \
                    os.readlink(entry / 'exe') == os.readlink('/proc/%d/exe' % process.pid) and \
                    (entry / 'environ').read_bytes() == pathlib.Path('/proc/%d/environ' % process.pid).read_bytes():
                os.kill(int(entry.name), signal.SIGKILL)
        except OSError:
            pass
    process.kill()
    process.communicate()


with folder() as where:
    where = pathlib.Path(where)
    (where / 'job.xml').write_text(JOB)
    # A copy of what a live run writes is refused, and left as it is.
    first = run(where, 'first', 'j')
    shutil.copy(where / 'j', where / 'copy')
    before = (where / 'copy').read_bytes()
    done = bigrocks('run', 'job.xml', *GO_ON, 'copy', cwd=where)
    assert done.returncode == 1 and 'still goes on (process %d)' % first.pid in done.stderr, done
    assert (where / 'copy').read_bytes() == before
    assert first.poll() is None
    # It dies, and is gone on with. A copy from before knows nothing of that, and may run; whatever it
    # kills, it is nothing of the live run's.
    kill(first)
    second = run(where, 'second', 'j')
    third = run(where, 'third', 'copy')
    (where / 'go').touch()
    for process in second, third:
        _, said = process.communicate(timeout=60)
        assert process.returncode == 0 and 'failed' not in said, said
        assert process is third or re.search('[2-4] processes left over', said), said  # with or without shells
    assert not (where / 'ran.first').exists()
    for who in 'second', 'third':
        assert sorted((where / ('ran.' + who)).read_text().split()) == ['0', '1'], who
    # The copy had nobody left to kill, as the second run had done it.
    assert 'left over' not in said, said
