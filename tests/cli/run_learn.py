#!/usr/bin/env python3
"""run --learn: pilots run first, what they took is told and planned with, and runs that fail, are interrupted, go on,
or have several jobs end as they do without.

run_learn.py BIGROCKS
"""
import collections
import csv
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

BIGROCKS = pathlib.Path(sys.argv[1]).resolve()
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix='bigrocks-learn.'))


def bigrocks(*words, status=0):
    done = subprocess.run([BIGROCKS, *map(str, words)], capture_output=True, text=True, cwd=FOLDER,
                          stdin=subprocess.DEVNULL, timeout=300)
    assert done.returncode == status, (words, done)
    return done


def job(name, stages, edges=()):
    """stages: id -> (tasks, seconds or None, command)."""
    text = ['<job xmlns="urn:bigrocks:job:1" name="%s"><attribute name="shell" value="true"/>' % name]
    for stage, (tasks, seconds, command) in stages.items():
        declared = '' if seconds is None else f' duration="{seconds}"'
        text.append(f'<stage id="{stage}" tasks="{tasks}"{declared}><demand resource="cpu" amount="1"/>'
                    f'<command>{command}</command></stage>')
    text += [f'<edge from="{a}" to="{b}" type="{kind}"/>' for a, b, kind in edges]
    (FOLDER / f'{name}.xml').write_text('\n'.join(text + ['</job>']))
    return f'{name}.xml'


def log(stage):
    return f'echo {stage}[{{index}}] &gt;&gt; ran; '


def ran():
    return collections.Counter((FOLDER / 'ran').read_text().split())


def clear():
    (FOLDER / 'ran').write_text('')


def learnt(told):
    """By stage: mean, low, high, measured."""
    return {m[0]: tuple(map(float, m[1:])) for m in re.findall(
        r"stage '(\w+)': ([\d.]+) s on average \(80 %: ([\d.]+) to ([\d.]+) s\), spread of tasks [\d.]+, (\d+) of \d+ "
        r"measured", told)}


def pilots_first():
    path = job('one', {'a': (20, None, 'sleep 0.03'), 'b': (20, None, 'sleep 0.01'), 'c': (4, 0.01, 'true'),
                       'd': (10, None, 'sleep 0.02')}, [('a', 'd', 'barrier')])
    told = bigrocks('run', path, '--capacity', 'cpu=1', '--learn', '-v', '--pilots', '0.1', '--trace', 't.csv').stderr
    order = [re.match(r'(\w+)', row['task']).group(1) for row in csv.DictReader(open(FOLDER / 't.csv'))]
    assert len(order) == 54 and sorted(order[:4]) == ['a', 'a', 'b', 'b'], order
    assert 'learnt 3 of 3 stages without a duration, from 5 pilots and 45 tasks more' in told, told
    assert int(re.search(r'planned again (\d+) time', told).group(1)) >= 1, told
    stage = learnt(told)
    assert stage.keys() == {'a', 'b', 'd'}
    for name, least, count in (('a', 0.03, 20), ('b', 0.01, 20), ('d', 0.02, 10)):
        mean, low, high, measured = stage[name]
        assert least <= mean and low <= mean <= high and measured == count, (name, stage)
    # Where all is known there is nothing to learn.
    known = job('known', {'c': (4, 0.01, 'true')})
    told = bigrocks('run', known, '--capacity', 'cpu=1', '--learn').stderr
    assert 'learnt' not in told and 'planned 0.04 s' in told, told


def with_history():
    path = job('past', {'a': (10, None, 'sleep 0.05'), 'b': (3, None, 'sleep 0.05')}, [('a', 'b', 'barrier')])
    words = ('run', path, '--capacity', 'cpu=2', '--learn', '--history', 'h')
    first, again = (float(re.search(r'at first ([\d.]+) s', bigrocks(*words).stderr).group(1)) for _ in range(2))
    assert first == 7, first  # no idea: a second a task
    assert 0.35 <= again, again
    told = bigrocks('run', path, '--capacity', 'cpu=2', '--history', 'h').stderr
    assert '2 of 2 stages as the history has them' in told and 'learnt' not in told


def failures():
    """A task that fails at first is tried again, and its failure is no measurement; one that fails for good takes
    those with it that wait for it, and no others."""
    (FOLDER / 'tried').mkdir()
    clear()
    once = log('a') + 'mkdir tried/{index} || exec sleep 0.05; exit 1'
    path = job('retry', {'a': (12, None, once), 'b': (12, None, log('b') + 'true')}, [('a', 'b', 'one-to-one')])
    told = bigrocks('run', path, '--capacity', 'cpu=3', '--learn', '-v', '--retries', '1', '--pilots', '0.3').stderr
    assert ran() == collections.Counter({**{f'a[{k}]': 2 for k in range(12)}, **{f'b[{k}]': 1 for k in range(12)}})
    assert learnt(told)['a'][0] >= 0.05 and learnt(told)['a'][3] == 12, told
    clear()
    some = log('a') + 'sleep 0.02; test $(({index} % 3)) != 0'
    path = job('fail', {'a': (12, None, some), 'b': (12, None, log('b') + 'sleep 0.02'),
                        'c': (6, None, log('c') + 'sleep 0.02')}, [('a', 'b', 'one-to-one')])
    told = bigrocks('run', path, '--capacity', 'cpu=3', '--learn', '-v', '--keep-going', status=1).stderr
    wanted = [f'a[{k}]' for k in range(12)] + [f'b[{k}]' for k in range(12) if k % 3] + [f'c[{k}]' for k in range(6)]
    assert ran() == collections.Counter(wanted), ran()
    assert '4 failed' in told and learnt(told)['a'][3] == 8, told


def interrupted():
    clear()
    path = job('stop', {'a': (30, None, log('a') + 'sleep 0.05'), 'b': (10, None, log('b') + 'sleep 0.02')},
               [('a', 'b', 'barrier')])
    words = [BIGROCKS, 'run', path, '--capacity', 'cpu=2', '--learn', '-v', '--journal', 'j']
    running = subprocess.Popen(words, cwd=FOLDER, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
    end = time.monotonic() + 120
    while sum(ran().values()) < 8:
        assert time.monotonic() < end and running.poll() is None
        time.sleep(0.01)
    running.send_signal(signal.SIGINT)
    told = running.communicate(timeout=120)[1]
    assert running.returncode == -signal.SIGINT and 'as the run was interrupted' in told, told
    assert 'learnt 1 of 2 stages' in told, told
    before = int(re.search(r'(\d+) tasks? done in', told).group(1))
    told = bigrocks(*words[1:], '--resume').stderr
    assert f'{before} task' in told and 'learnt 2 of 2 stages' in told, told
    done = ran()
    assert set(done) == {f'a[{k}]' for k in range(30)} | {f'b[{k}]' for k in range(10)}
    assert sum(done.values()) <= 40 + 2, 'what had ended does not run again'
    stage = learnt(told)
    assert stage['a'][0] >= 0.05 and stage['a'][3] == 30 and stage['b'][3] == 10, told


def killed():
    """What was learnt before the run was killed comes back with the journal: its second session measures b alone, and
    plans with what a took."""
    clear()
    path = job('kill', {'a': (6, None, log('a') + 'sleep 0.2'), 'b': (8, None, log('b') + 'sleep 0.2')},
               [('a', 'b', 'barrier')])
    words = [BIGROCKS, 'run', path, '--capacity', 'cpu=2', '--learn', '-v', '--journal', 'k']
    running = subprocess.Popen(words, cwd=FOLDER, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    end = time.monotonic() + 120
    while not any(name.startswith('b') for name in ran()):
        assert time.monotonic() < end and running.poll() is None
        time.sleep(0.01)
    running.kill()
    running.wait()
    told = bigrocks(*words[1:], '--resume').stderr
    stage = learnt(told)
    assert ran()['a[0]'] == 1 and sum(count for name, count in ran().items() if name[0] == 'a') == 6, ran()
    assert stage['a'][3] == 6 and 0.2 <= stage['a'][0], told
    assert stage['b'][3] == 8, told
    # Nothing is left to be measured, and all is known.
    told = bigrocks(*words[1:], '--resume').stderr
    assert learnt(told)['a'][3] == 6 and learnt(told)['b'][3] == 8 and sum(ran().values()) <= 16, told


def several():
    clear()
    paths = [job(f'n{k}', {'a': (6, None, log(f'n{k}') + 'sleep 0.02')}) for k in range(3)]
    told = bigrocks('run', *paths, '--capacity', 'cpu=2', '--learn').stderr
    for path in paths:
        assert f"job '{path}': learnt 1 of 1 stage" in told, told
    assert len(ran()) == 18 and set(ran().values()) == {1}


def most_at_once(trace, late=0.0):
    """Of the tasks that started after so long: how many of them ran at once."""
    rows = [row for row in csv.DictReader(open(FOLDER / trace)) if float(row['start']) >= late]
    moments = sorted([(float(row['end']), -1) for row in rows] + [(float(row['start']), 1) for row in rows])
    running = most = 0
    for _, step in moments:
        running += step
        most = max(most, running)
    return most


def on_time():
    """Nothing is known, so all that there is room for runs at once; once the pilots are measured, so much that the
    deadline is met. A later stage that takes longer than was thought raises it again. What the history knows is enough
    from the start."""
    path = job('time', {'a': (48, None, 'sleep 0.2'), 'b': (48, None, 'sleep 0.2')}, [('a', 'b', 'barrier')])
    words = ('run', path, '--capacity', 'cpu=12', '--learn', '--dead-zone', '0', '--period', '0.2', '--trace', 't.csv')
    told = bigrocks(*words, '--deadline', '9').stderr
    assert 'nothing tells yet how long time.xml takes: up to 12 tasks at once' in told, told
    assert 'on time with probability' in told and 'the deadline is met' in told, told
    assert most_at_once('t.csv') == 12 and most_at_once('t.csv', 4) <= 4, told
    told = bigrocks(*words, '--deadline', '1', '--history', 'h2').stderr
    assert most_at_once('t.csv', 0.6) >= 8, told
    told = bigrocks(*words, '--deadline', '9', '--history', 'h2').stderr
    assert 'nothing tells' not in told and 'made the table of time.xml' in told, told
    assert most_at_once('t.csv') <= 4 and 'the deadline is met' in told, told
    path = job('rise', {'a': (40, None, 'sleep 0.1'), 'b': (40, None, 'sleep 0.5')}, [('a', 'b', 'barrier')])
    told = bigrocks('run', path, *words[2:], '--deadline', '8').stderr
    assert most_at_once('t.csv', 4) > 3 and 'the deadline is met' in told, told
    two = [job(f'both{k}', {'a': (12, None, 'sleep 0.1')}) for k in range(2)]
    told = bigrocks('run', *two, *words[2:], '--deadline', '5,6').stderr
    assert told.count('nothing tells yet') == 2 and told.count('the deadline is met') == 2, told


def ways():
    """Alternatives and speeds: what runs is the choice of the plan, and tasks of a stage that run by one alternative at
    one speed are learned together."""
    (FOLDER / 'ways.xml').write_text(
        '<job xmlns="urn:bigrocks:job:1" name="ways"><attribute name="shell" value="true"/><stage id="a" tasks="9">'
        '<demand resource="cpu" amount="1"/><command>%ssleep 0.1</command></stage>'
        '<stage id="b" tasks="5"><alternative id="wide"><demand resource="cpu" amount="2"/></alternative>'
        '<alternative id="quick" class="quick"><demand resource="cpu" amount="1"/></alternative>'
        '<command>echo b[{index}] {alternative} on $BIGROCKS_MACHINE; %s sleep 0.05</command></stage>'
        '<stage id="c" tasks="2" duration="0.01" class="quick"><command>%strue</command></stage>'
        '<edge from="b" to="c"/></job>' % (log('a'), log('b'), log('c')))
    (FOLDER / 'c.xml').write_text(
        '<cluster xmlns="urn:bigrocks:cluster:1"><machine class="slow" count="1" speed="0.5">'
        '<capacity resource="cpu" amount="2"/></machine><machine class="quick" count="1">'
        '<capacity resource="cpu" amount="2"/></machine></cluster>')
    clear()
    done = bigrocks('run', 'ways.xml', '--cluster', 'c.xml', '--learn', '-v', '--pilots', '0.3', '--history', 'hw')
    assert len(ran()) == 16 and set(ran().values()) == {1}, ran()
    for line in done.stdout.splitlines():
        assert re.fullmatch(r'b\[\d\] (quick on quick|wide on (slow|quick))', line), done.stdout
    rows = re.findall(r"stage '([ab])(?:\[\d\])?': ([\d.]+) s on average.*, (\d+) of (\d+) measured", done.stderr)
    for name, tasks, least in ('a', 9, 0.1), ('b', 5, 0.05):
        mine = [row for row in rows if row[0] == name]
        assert 1 <= len(mine) <= 3 and sum(int(row[3]) for row in mine) == tasks, done.stderr
        assert all(row[2] == row[3] and float(row[1]) >= least for row in mine), done.stderr
    assert 'learnt %d of %d stages' % (len(rows), len(rows)) in done.stderr, done.stderr
    pilots = int(re.search(r'from (\d+) pilots', done.stderr)[1])
    assert len(rows) <= pilots < 14, done.stderr
    told = bigrocks('run', 'ways.xml', '--cluster', 'c.xml', '--learn', '--deadline', '9').stderr
    assert 'the deadline is met' in told, told


def refusals():
    path = job('r', {'a': (1, None, 'true')})
    for words in (['--simulate'], ['--on', 'slurm-steps'], ['--plan', 'p'], ['--deadline', '9', '--table', 't']):
        assert '--learn' in bigrocks('run', path, '--learn', *words, status=2).stderr
    for wrong in ('-1', '1.5', 'x'):
        assert 'is not a number from 0 to 1' in bigrocks('run', path, '--learn', f'--pilots={wrong}', status=2).stderr
    assert 'add --learn' in bigrocks('run', path, '--pilots', '0.1', status=2).stderr
    (FOLDER / 'q').mkdir()
    assert '--learn' in bigrocks('run', '--spool', 'q', '--learn', status=2).stderr


for test in (pilots_first, with_history, failures, interrupted, killed, several, on_time, ways, refusals):
    print(test.__name__, flush=True)
    test()
