#!/usr/bin/env python3
"""Every sub-command is killed at random moments: no partial output, nothing running, no temporary file
is left, and the next run ends as if nothing had been.

kill.py BIGROCKS [--kills N] [--seed N] [--only CASE] [--record FILE]

N kills for every case (of 10, 6 by SIGKILL, 3 by SIGTERM, 1 by two SIGTERMs), from the moment that the
program is started to a bit after it would have ended by itself. --record writes a table.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
import xml.etree.ElementTree as xml

ap = argparse.ArgumentParser(usage=__doc__)
ap.add_argument('bigrocks', type=lambda p: str(pathlib.Path(p).resolve()))
ap.add_argument('--kills', type=int, default=10)
ap.add_argument('--seed', type=int, default=1)
ap.add_argument('--only')
ap.add_argument('--record', type=pathlib.Path)
own = ap.parse_args()
MARK = uuid.uuid4().hex
CLUSTER = ['--machines', '2', '--capacity', 'cpu=16,mem=64GiB,net=1000,disk=400']

# How a run of a case may end that was sent SIGTERM: by itself, with or without a result, or of it.
ENDS = {0, 1, 128 + signal.SIGTERM, -signal.SIGTERM}


def bigrocks(*words, cwd, status=(0,)):
    done = subprocess.run([own.bigrocks, *words], cwd=cwd, env=environment(cwd), capture_output=True,
                          stdin=subprocess.DEVNULL, timeout=300)
    assert done.returncode in status, (words, done.returncode, done.stderr[-500:])
    return done


def environment(folder):
    return {**{k: v for k, v in os.environ.items() if not k.startswith('BIGROCKS_')},
            'KILL_MARK': MARK, 'TMPDIR': str(folder / 'tmp'), 'XDG_RUNTIME_DIR': str(folder / 'tmp'),
            'PATH': str(pathlib.Path(own.bigrocks).parent) + ':' + os.environ['PATH']}


def running():
    found = []
    for entry in pathlib.Path('/proc').iterdir():
        try:
            if entry.name.isdigit() and MARK.encode() in (entry / 'environ').read_bytes():
                found.append((entry / 'cmdline').read_bytes().replace(b'\0', b' '))
        except OSError:
            pass
    return found


def files(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob('*')) if p.is_file()}


# ---- What is run, and when an output is whole ----

Case = collections.namedtuple('Case', 'words make outputs whole again left')


def same(text, reference):
    return text == reference


def is_plan(text, _):
    plan = json.loads(text)
    return len(plan['tasks']) == 200 and text.endswith(b'}\n')


def is_bound(text, _):
    return json.loads(text)['lower_bound'] > 0


def is_table(text, reference):
    """Rows are added as jobs end: whole lines of the table, in any order, but the last one."""
    rows = set(reference.split(b'\n'))
    return all(line in rows or b',interrupted,' in line for line in text.split(b'\n')[:-1])


def is_small_plan(text, _):
    """Whole; of a batch that was asked to end, it may be what the search had by then."""
    return len(json.loads(text)['tasks']) == 20


def is_trace(text, _):
    return all(json.loads(line) for line in text.split(b'\n')[:-1])


def anything(text, _):
    return True


def make_job(folder):
    shutil.copy(COMMON / 'job.xml', folder)
    shutil.copy(COMMON / 'plan.json', folder)


def make_batch(folder):
    (folder / 'jobs').mkdir()
    for k in range(12):
        shutil.copy(COMMON / ('small%d.xml' % k), folder / 'jobs' / ('small%d.xml' % k))


COMMANDS = '''<job xmlns="urn:bigrocks:job:1" name="kill"><attribute name="shell" value="true"/>
<stage id="a" tasks="12" duration="0.02"><demand resource="cpu" amount="1"/>
  <command>sleep 0.01; touch a{index}</command></stage>
<stage id="b" tasks="12" duration="0.02"><demand resource="cpu" amount="1"/>
  <command>sleep 0.01; test -e a{index} &amp;&amp; setsid sleep 0.01 &amp; touch b{index}</command></stage>
<edge from="a" to="b" type="one-to-one"/></job>'''
DONE = {'%s%d' % (s, i): b'' for s in 'ab' for i in range(12)}


def make_commands(folder):
    (folder / 'job.xml').write_text(COMMANDS)


# A command that goes on without whoever has started it does so for long.
NINJA = 'rule r\n  command = sleep 0.02; kill -0 $$PPID || sleep 30; touch $out\n' + ''.join(
    'build o%d: r%s\n' % (k, ' o%d' % (k - 1) if k else '') for k in range(8))


def make_ninja(folder):
    (folder / 'build.ninja').write_text(NINJA)


def make_history(folder):
    make_commands(folder)
    shutil.copy(COMMON / 'history.db', folder)


BUILD = 'for i in 1 2 3 4 5 6; do bigrocks admit --key $i -- sh -c "sleep 0.02; touch s$i" & done; wait'

CASES = {
    'plan': Case(['plan', 'job.xml', *CLUSTER, '-q', '-o', 'out.json', '--placements', '3000'], make_job,
                 {'out.json': is_plan}, True, [], []),
    'bound': Case(['bound', 'job.xml', *CLUSTER, '--json', '-q', '--time-limit', '0.3'], make_job, {}, True,
                  [], []),
    'check': Case(['check', 'job.xml', 'plan.json', *CLUSTER], make_job, {}, True, [], []),
    'convert': Case(['convert', 'job.xml', '-f', 'dot', '-o', 'out.dot'], make_job, {'out.dot': same}, True,
                    [], []),
    'render': Case(['render', 'plan.json', '-f', 'html', '-o', 'out.html'], make_job, {'out.html': same},
                   True, [], []),
    'show': Case(['show', 'job.xml', *CLUSTER], make_job, {}, True, [], []),
    'generate': Case(['generate', '--tasks', '20000', '-o', 'out.xml'], lambda folder: None,
                     {'out.xml': same}, True, [], []),
    'batch': Case(['batch', 'jobs', *CLUSTER, '--placements', '500', '-o', 'out.csv', '--out-dir', 'plans'],
                  make_batch, {'out.csv': is_table},
                  True, ['--resume'], ['.part']),
    'import': Case(['import', 'ninja', '--measure', '--history', 'h.db', '-o', 'out.xml', '-q'], make_ninja,
                   {'out.xml': anything, 'h.db': anything}, False, [], ['h.db-', 'o']),
    'annotate': Case(['annotate', 'job.xml', '--history', 'history.db', '-o', 'out.xml'], make_history,
                     {'out.xml': same, 'history.db': same}, True, [], ['history.db-']),
    'run': Case(['run', 'job.xml', '--capacity', 'cpu=3', '--journal', 'j', '--trace', 't.jsonl', '-q',
                 '--history', 'h.db', '--time-limit', '0'], make_commands,
                {'t.jsonl': is_trace, 'j': anything, 'h.db': anything,
                 **{name: anything for name in DONE}}, False, ['--resume'], ['h.db-']),
    'serve': Case(['serve', '--capacity', 'cpu=2', '--history', 'h.db', '-q', '--', 'sh', '-c', BUILD],
                  lambda folder: None, {'h.db': anything, **{'s%d' % i: anything for i in range(1, 7)}},
                  False, [], ['h.db-']),
}


def fresh(folder, case):
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir()
    case.make(folder)
    (folder / 'tmp').mkdir()


def wait_for_nobody():
    limit = time.monotonic() + 10
    while running() and time.monotonic() < limit:
        time.sleep(0.005)
    assert not running(), running()


def strip(found, begun):
    return {name: text for name, text in found.items() if name not in begun}


def kill(name, case, chance, lasts, reference, folder):
    """Once; returns what it was sent, and whether the program was still there."""
    fresh(folder, case)
    over = chance.random() < 0.5 and case.whole
    if over:  # there is an older output, which stays or is replaced as a whole
        for output in case.outputs:
            if output in reference:
                (folder / output).parent.mkdir(exist_ok=True)
                (folder / output).write_bytes(reference[output])
    how = chance.choice(['KILL'] * 6 + ['TERM'] * 3 + ['TERM TERM'])
    process = subprocess.Popen([own.bigrocks, *case.words], cwd=folder, env=environment(folder),
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    time.sleep(chance.uniform(0, 1.1 * lasts))
    there = process.poll() is None
    for word in how.split():
        process.send_signal(getattr(signal, 'SIG' + word))
        if how != word:
            time.sleep(chance.uniform(0, 0.02))
    out, _ = process.communicate(timeout=60)
    assert process.returncode in ({-signal.SIGKILL, 0} if how == 'KILL' else ENDS), process.returncode
    wait_for_nobody()
    assert not list((folder / 'tmp').iterdir()), list((folder / 'tmp').iterdir())
    found = files(folder)
    for output, text in found.items():
        if output in case.outputs:
            assert case.outputs[output](text, reference.get(output)) or \
                (over and text == reference[output]), (output, text[-200:])
        else:  # killed right between the file's two names, it leaves what the next one takes away
            between = over and how == 'KILL' and output in {o + '.part' for o in case.outputs}
            assert output in BEGUN[name] or between or any(part in output for part in case.left), output
    if case.whole and not case.outputs and process.returncode == 0 and how == 'KILL':
        assert out == reference['-'] or name == 'bound', out[-200:]
    # The next one.
    done = bigrocks(*case.words, *(case.again if any(o in found for o in case.outputs) else []), cwd=folder)
    wait_for_nobody()
    after = files(folder)
    assert after.keys() == reference.keys() - {'-'}, after.keys() ^ reference.keys()
    for output, whole in case.outputs.items():
        assert whole(after[output], reference[output]), output
        if whole in (is_table, is_small_plan):
            assert after[output] == reference[output]
    if case.whole and not case.outputs:
        assert done.stdout == reference['-'] or name == 'bound'
    return how, there


BEGUN = {}


def kill_parent_of_bound(folder):
    """The linear program does not outlive whoever wants its answer, even where it is busy or stopped."""
    fresh(folder, CASES['bound'])
    bigrocks('generate', '--tasks', '3000', '-o', 'large.xml', cwd=folder)
    process = subprocess.Popen([own.bigrocks, 'bound', 'large.xml', *CLUSTER, '-q', '--time-limit', '30'],
                               cwd=folder, env=environment(folder), stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    child = None
    while child is None:
        assert process.poll() is None, 'it has ended before it could be killed'
        for entry in pathlib.Path('/proc').iterdir():
            try:
                if entry.name.isdigit() and b'--parent\0%d\0' % process.pid in (entry / 'cmdline').read_bytes():
                    # Who is stopped before it has asked to die with its parent does not die.
                    used = (entry / 'stat').read_text().rpartition(')')[2].split()[11:13]
                    if sum(map(int, used)) >= 3:
                        child = int(entry.name)
                        os.kill(child, signal.SIGSTOP)
                    break
            except OSError:
                pass
    process.kill()
    process.wait()
    wait_for_nobody()
    print('bigrocks-bound is gone with its parent', flush=True)


def main():
    global COMMON
    chance, table = random.Random(own.seed), []
    with tempfile.TemporaryDirectory(prefix='bigrocks-kill-') as top:
        COMMON = pathlib.Path(top, 'common')
        COMMON.mkdir()
        (COMMON / 'tmp').mkdir()
        bigrocks('generate', '--tasks', '200', '-o', 'job.xml', cwd=COMMON)
        bigrocks('plan', 'job.xml', *CLUSTER, '-q', '--placements', '500', '--no-lp', '-o', 'plan.json', cwd=COMMON)
        for k in range(12):
            bigrocks('generate', '--tasks', '20', '--seed', str(k + 1), '-o', 'small%d.xml' % k, cwd=COMMON)
        make_commands(COMMON / 'tmp')
        kept = b'keeps no histories' not in bigrocks('run', 'job.xml', '--history', '../history.db', '-q',
                                                     cwd=COMMON / 'tmp', status=(0, 5)).stderr
        folder = pathlib.Path(top, 'work')
        for name, case in CASES.items():
            if own.only not in (None, name) or (not kept and '--history' in case.words):
                continue
            fresh(folder, case)
            BEGUN[name] = files(folder)
            began = time.monotonic()
            done = bigrocks(*case.words, cwd=folder)
            lasts = time.monotonic() - began
            reference = {**files(folder), '-': done.stdout}
            case.outputs.update({output: is_small_plan for output in reference if output.startswith('plans/')})
            assert case.outputs.keys() <= reference.keys(), case.outputs.keys() - reference.keys()
            counts = collections.Counter()
            for k in range(own.kills):
                state = chance.getstate()
                try:
                    how, there = kill(name, case, chance, lasts, reference, folder)
                except Exception:
                    print('%s: kill %d of seed %d' % (name, k + 1, own.seed), flush=True)
                    raise
                counts[how, there] += 1
            row = (name, own.kills, sum(n for (_, there), n in counts.items() if there),
                   *(sum(n for (h, there), n in counts.items() if h == how and there)
                     for how in ('KILL', 'TERM', 'TERM TERM')))
            table.append(row)
            print('%-9s %d kills, %d while it ran (%d by SIGKILL, %d by SIGTERM, %d by two); it takes %.2f s'
                  % (*row, lasts), flush=True)
        if own.only in (None, 'bound') and b', bigrocks-bound' in bigrocks('--version', cwd=COMMON).stdout:
            kill_parent_of_bound(folder)
    if own.record:
        with open(own.record, 'w') as out:
            out.write('command,kills,while it ran,SIGKILL,SIGTERM,two SIGTERMs,survived\n')
            for row in table:
                out.write(','.join(map(str, (*row, row[1]))) + '\n')


main()
