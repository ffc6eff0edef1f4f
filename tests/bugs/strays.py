"""Processes that tasks start in sessions of their own outlived the run, without control groups."""
import os
import pathlib
import signal
import time
import uuid

from case import ENVIRONMENT, bigrocks, folder, start

MARK = uuid.uuid4().hex
NAP = '303.%d' % uuid.uuid4().int  # of one that hides its environment
ENVIRONMENT['STRAY_MARK'] = MARK
JOB = '''<job xmlns="urn:bigrocks:job:1" name="j"><stage id="a" duration="1">
<demand resource="cpu" amount="1"/><command shell="true">setsid sleep 301 &amp;
(setsid env -i sleep @ &amp;)
%s</command></stage></job>'''.replace('@', NAP)


def marked():
    """The processes of this test, but for those that hide their environment."""
    found = []
    for entry in pathlib.Path('/proc').iterdir():
        try:
            words = (entry / 'cmdline').read_bytes().split(b'\0') if entry.name.isdigit() else []
            if entry.name != str(os.getpid()) and words and \
                    (MARK.encode() in (entry / 'environ').read_bytes() or words[:2] == [b'sleep', NAP.encode()]):
                found.append(words)
        except OSError:
            pass
    return found


def check_gone(what):
    """A killed process takes a moment to go."""
    limit = time.monotonic() + 10
    while marked() and time.monotonic() < limit:
        time.sleep(0.02)
    left = marked()
    assert not left, (what, left)


assert not marked(), marked()
with folder() as where:
    where = pathlib.Path(where)

    def run(end, *words):
        (where / 'up').unlink(missing_ok=True)
        (where / 'job.xml').write_text(JOB % end)
        return start('run', 'job.xml', '--capacity', 'cpu=1', '--time-limit', 0, *words, cwd=where)

    # Interrupted, late, failed and done: nothing is left.
    deaf = '''setsid sh -c 'trap "" TERM; echo in > up; while :; do sleep 0.1; done' &amp; sleep 300'''
    for end, words, number, status in (
            (deaf, [], signal.SIGINT, -signal.SIGINT),
            ('sleep 300', ['--timeout', '1'], 0, 1), ('exit 3', [], 0, 1), ('true', [], 0, 0)):
        process = run(end, *words)
        if number:
            while not (where / 'up').exists() or 'in' not in (where / 'up').read_text():
                time.sleep(0.01)
            process.send_signal(number)
        _, said = process.communicate(timeout=60)
        assert process.returncode == status, (end, process.returncode, said)
        check_gone(end)
    # Ctrl-C while the run waits for one that was asked to end, and does not: it is killed at once, not after 5 s.
    process = run("""setsid sh -c 'trap "echo asked > up" TERM; echo > in; while :; do sleep 0.1; done' &amp;
until test -e in; do sleep 0.01; done""")
    while not (where / 'up').exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert time.monotonic() - began < 4, 'Ctrl-C did not end the wait for what tasks left behind'
    check_gone('interrupted at the end')
    # A failed attempt leaves nothing behind that the next one would meet: the second finds none.
    (where / 'see').write_text('#!/bin/sh\ngrep -lz STRAY_LEFT=%s /proc/[0-9]*/environ 2>/dev/null |\n'
                               'grep -v "/$$/" | grep -v /self/ | wc -l >> seen\n' % MARK)
    (where / 'see').chmod(0o755)
    process = run('./see; STRAY_LEFT=%s setsid sleep 301 &amp; test $(wc -l &lt; seen) -gt 1' % MARK,
                  '--retries', '1')
    _, said = process.communicate(timeout=60)
    assert process.returncode == 0, said
    seen = (where / 'seen').read_text().split()
    assert seen == ['0', '0'], seen
