#!/usr/bin/env python3
"""The driver of Slurm, word by word: what it asks of Slurm's programs, and what it makes of answers.

slurm_stand_in.py BIGROCKS

In the place of Slurm's programs stand scripts that note how they are called. `sbatch` runs a job at
once, or holds it where the test says so, and its answers may be late, wrong or missing. That real Slurm
does what is asked is the test "slurm".
"""
import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback

BIGROCKS = pathlib.Path(sys.argv[1]).resolve()

PROGRAM = r'''#!/bin/sh
line=${0##*/}
for word; do line="$line$TAB$word"; done
printf '%s\n' "$line" >>"$STAND_IN/calls"
case ${0##*/} in
sbatch)
    if [ -e "$STAND_IN/refuse" ]; then printf 'first words\nlast words\n' >&2; exit 3; fi
    read -r number <"$STAND_IN/count"
    number=$((number + 1))
    echo $number >"$STAND_IN/count"
    state=run
    for word; do
        case $word in
        --job-name=*) job=${word#*=} ;;
        --output=*) out=${word#*=} ;;
        --dependency=*)
            for one in $(echo "${word#*=}" | tr , ' '); do
                if [ -e "$STAND_IN/bad.${one#afterok:}" ]; then state=never; fi
                if [ -e "$STAND_IN/queue.${one#afterok:}" ]; then state=hold; fi
            done ;;
        esac
    done
    if [ -e "$STAND_IN/hold.${job##*.}" ]; then state=hold; fi
    case $state in
    hold)
        echo "$number PENDING $job" >"$STAND_IN/new"
        mv "$STAND_IN/new" "$STAND_IN/queue.$number" ;;
    never) : >"$STAND_IN/bad.$number" ;;
    run)
        out=$(printf %s "$out" | sed 's/%%/%/g')
        SLURMD_NODENAME=node$number sh "$word" >"$out" 2>&1 ||
            : >"$STAND_IN/bad.$number" ;;
    esac
    echo "$number;here" ;;
squeue)
    if [ -e "$STAND_IN/busy" ]; then echo 'no answer' >&2; exit 1; fi
    for job in "$STAND_IN"/ends.*; do
        if [ -e "$job" ]; then SLURMD_NODENAME=late sh "$job"; rm "$job" "$STAND_IN/queue.${job##*.}"; fi
    done
    cat "$STAND_IN"/queue.* 2>/dev/null
    : ;;
scancel)
    if [ $# = 1 ] || grep -q "${2#--state=}" "$STAND_IN/queue.$1"; then rm -f "$STAND_IN/queue.$1"; fi ;;
scontrol) case "$*" in
    *licenses) cat "$STAND_IN/licenses" 2>/dev/null ;;
    *config) cat "$STAND_IN/config" 2>/dev/null ;;
    *details*) cat "$STAND_IN/allocation" ;; *) cat "$STAND_IN/nodes" ;; esac ;;
srun)
    while [ "${1#--}" != "$1" ]; do
        if [ "$1" = --nodelist ]; then shift; fi
        shift
    done
    exec "$@" ;;
esac
'''


class Slurm:
    """A folder with a job and a stand-in of its own."""

    def __init__(self, top, name):
        self.folder, self.started = top / name, []
        self.state = top / (name + '.slurm')
        self.state.mkdir()
        self.folder.mkdir()
        (self.state / 'count').write_text('100\n')
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(('SLURM', 'BIGROCKS'))}
        self.environment.update(PATH='%s:%s' % (top / 'bin', os.environ['PATH']), STAND_IN=str(self.state), TAB='\t',
                                LC_ALL='C.UTF-8')

    def job(self, text, *words):
        """Writes the job. With words it is planned by them, and its ranks are given, by task."""
        (self.folder / 'job.xml').write_text('<job xmlns="urn:bigrocks:job:1" name="j">%s</job>' % text)
        if words:
            subprocess.run([BIGROCKS, 'plan', 'job.xml', '-q', '-o', 'plan.json', *words], cwd=self.folder,
                           check=True, env=self.environment)
            plan = json.loads((self.folder / 'plan.json').read_text())
            names = [s['id'] if s['tasks'] == 1 else '%s[%d]' % (s['id'], i)
                     for s in plan['stages'] for i in range(s['tasks'])]
            return {names.index(t['id']): t['rank'] for t in plan['tasks']}
        return None

    def start(self, *words, on='slurm-jobs', **more):
        process = subprocess.Popen([BIGROCKS, 'run', *words, '--on', on], cwd=self.folder, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                                   env={**self.environment, **more})
        self.started.append(process)
        return process

    def run(self, *words, status=0, **more):
        process = self.start(*words, **more)
        out, err = process.communicate(timeout=120)
        assert process.returncode == status, (process.returncode, out, err)
        return out, err

    def calls(self, name):
        rows = [line.split('\t') for line in (self.state / 'calls').read_text().splitlines()]
        return [row[1:] for row in rows if row[0] == name]

    def submitted(self):
        """Words by task of the last call of sbatch for it, in the order of the calls."""
        found = {}
        for row in self.calls('sbatch'):
            task = int(re.search(r'--job-name=[0-9a-f]{32}\.(\d+)', ' '.join(row))[1])
            found[task] = row
        return found

    def hold(self, *tasks):
        for task in tasks:
            (self.state / ('hold.%d' % task)).touch()

    def queued(self):
        """Slurm's numbers by task. A job may leave the queue, and its file vanish, while they are read."""
        found = {}
        for path in self.state.glob('queue.*'):
            with contextlib.suppress(FileNotFoundError):
                row = path.read_text().split()
                found[int(row[2].split('.')[1])] = int(row[0])
        return found

    def begin(self, task, state='RUNNING'):
        """What was held has another state."""
        path = self.state / ('queue.%d' % self.queued()[task])
        new = self.state / 'begun'
        new.write_text(path.read_text().replace('PENDING', state))
        new.replace(path)

    def end_late(self, task):
        """What was held runs while Slurm is asked what it has, and is not among it."""
        row, new = self.submitted()[task], self.state / 'late'
        new.write_text("sh '%s' >'%s' 2>&1\n" % (row[-1], option(row, '--output').replace('%%', '%')))
        new.replace(self.state / ('ends.%d' % self.queued()[task]))

    def release(self, task, node='later'):
        """Runs what was held, which Slurm has until it has ended."""
        row, number = self.submitted()[task], self.queued()[task]
        with open(option(row, '--output').replace('%%', '%'), 'w', encoding='ascii') as out:
            subprocess.run(['sh', row[-1]], stdout=out, stderr=out, check=False,
                           env={**self.environment, 'SLURMD_NODENAME': node})
        (self.state / ('queue.%d' % number)).unlink()

    def wait(self, what, seconds=60):
        limit = time.monotonic() + seconds
        while not what():
            assert time.monotonic() < limit, 'waited in vain'
            time.sleep(0.05)

    def trace(self):
        rows = [json.loads(line) for line in (self.folder / 'trace.jsonl').read_text().splitlines()]
        return {(row['stage'], row['index']): row for row in rows}


def option(row, name):
    found = [w.split('=', 1)[1] for w in row if w.startswith(name + '=')]
    assert len(found) <= 1, row
    return found[0] if found else None


def stage(name, command='true', tasks=1, duration=1, shell=False, **demand):
    return '<stage id="%s" tasks="%d" duration="%g">%s%s</stage>' % (
        name, tasks, duration,
        ''.join('<demand resource="%s" amount="%s"/>' % pair for pair in demand.items()),
        '' if command is None else '<command%s>%s</command>' % (' shell="true"' if shell else '', command))


def edge(parent, child, kind='barrier'):
    return '<edge from="%s" to="%s" type="%s"/>' % (parent, child, kind)


def test_asked(slurm):
    """What sbatch is asked for: needs rounded up, the plan's order, parents that have not ended."""
    ranks = slurm.job(
        stage('last', duration=1, cpu='2.5', mem='1025') +       # task 0
        stage('long', duration=50, cpu='1', mem='1024') +        # 1
        stage('pair', tasks=2, duration=9, cpu='0.5', mem='1') + # 2, 3
        stage('twin', tasks=2, duration=8, cpu='2', mem='0') +   # 4, 5
        stage('wait', command=None, duration=0) +                            # 6
        stage('many', cpu='1000000') + stage('more', cpu='1000001') +  # 7, 8
        edge('long', 'last') + edge('pair', 'twin', 'one-to-one') + edge('pair', 'last') +
        edge('twin', 'wait') + edge('wait', 'many'), '--machines', '1', '--capacity', 'cpu=2000000,mem=1GiB')
    _, err = slurm.run('plan.json', '--journal', 'journal')
    took = re.search(r'9 tasks done in ([\d.]+) s', err)
    assert took and float(took[1]) < 50, err
    asked, folder = slurm.submitted(), slurm.folder / 'journal.d'
    assert len(slurm.calls('sbatch')) == 8 and 6 not in asked
    number = {task: 101 + k for k, task in enumerate(asked)}
    first = [t for t in sorted(ranks, key=ranks.get) if t not in (6, 7)]
    assert [t for t in asked if t != 7] == first, (asked, ranks)
    run = (slurm.folder / 'journal').read_text().split('\n')[0].split()[-1]
    for task, row in asked.items():
        assert row[:5] == ['--parsable', '--nodes=1', '--ntasks=1', '--kill-on-invalid-dep=yes',
                           '--job-name=%s.%d' % (run, task)], row
        assert option(row, '--nice') == str(ranks[task] - 1), (row, ranks)
        assert option(row, '--output') == str(folder / ('%d.out' % task))
        assert row[-1] == str(folder / ('%d.sh' % task))
    assert [option(asked[t], '--cpus-per-task') for t in (0, 1, 2, 3, 4, 5, 7, 8)] == [
        '3', '1', '1', '1', '2', '2', '1000000', '1000000']
    assert [option(asked[t], '--mem') for t in (0, 1, 2, 3, 4, 5, 7)] == [
        '2K', '1K', '1K', '1K', None, None, None]
    parents = {t: set((option(row, '--dependency') or '').split(',')) - {''} for t, row in asked.items()}
    assert parents[0] == {'afterok:%d' % number[t] for t in (1, 2, 3)}, parents
    for task in (4, 5):
        assert parents[task] == {'afterok:%d' % number[task - 2]}, parents
    assert not any(parents[t] for t in (1, 2, 3, 7, 8)), parents


SITE = '''<cluster xmlns="urn:bigrocks:cluster:1" partition="long" account="physics" time-factor="1.5"><machine class="m">
<capacity resource="cpu" amount="8"/><capacity resource="gpu" amount="4" slurm="gres"/>
<capacity resource="tape" amount="3" slurm="licenses"/><capacity resource="fog" amount="9"/></machine></cluster>'''


def test_site(slurm):
    """Partition, account, time, licenses and GRES; what Slurm does not have is said, and not asked for."""
    (slurm.folder / 'site.xml').write_text(SITE)
    (slurm.state / 'licenses').write_text('LicenseName=tapeworm\n    Total=9\nLicenseName=tape\n    Total=3 Used=0\n')
    (slurm.state / 'config').write_text('PriorityParameters      = (null)\nPriorityType            = priority/own\n')
    slurm.job(stage('one', tasks=2, duration=61, cpu='1', gpu='1.5', tape='2', fog='1') +
              stage('two', duration=80, cpu='1', fog='0') + stage('three', duration=80.1, gpu='1'), '--cluster', 'site.xml')
    _, err = slurm.run('plan.json', '--journal', 'journal')
    asked = slurm.submitted()
    assert [option(asked[t], '--time') for t in range(4)] == ['2', '2', '3', '3'], asked
    assert [option(asked[t], '--gres') for t in range(4)] == ['gpu:2', 'gpu:2', None, 'gpu:1'], asked
    assert [option(asked[t], '--licenses') for t in range(4)] == ['tape:2', 'tape:2', None, None], asked
    assert all(option(row, '--partition') == 'long' and option(row, '--account') == 'physics' for row in asked.values())
    assert "Slurm has no licenses 'fog'" in err and "'tape'" not in err and "'gpu'" not in err, err
    assert 'Slurm goes by priority/own, which may not order jobs by --nice' in err, err
    # Slurm's own two go by --nice; without a word of Slurm's nothing is said of it. Without a site nothing is asked.
    for number, text in enumerate(('PriorityType = priority/multifactor\n', 'PriorityType = priority/basic\n', '')):
        (slurm.state / 'config').write_text(text)
        _, err = slurm.run('plan.json', '--journal', 'other%d' % number)
        assert '--nice' not in err, err
    slurm.job(stage('plain', cpu='1', duration=90), '--capacity', 'cpu=1')
    slurm.run('plan.json', '--journal', 'plain')
    row = slurm.calls('sbatch')[-1]
    assert not any(option(row, '--' + name) for name in ('time', 'gres', 'licenses', 'partition', 'account')), row


def test_script(slurm):
    """The same of the script that `render` writes, whose stages come in the plan's order."""
    (slurm.folder / 'site.xml').write_text(SITE)
    (slurm.state / 'licenses').write_text('LicenseName=tape\n    Total=3 Used=0\n')
    (slurm.state / 'config').write_text('PriorityType            = priority/own\n')
    ranks = slurm.job(stage('late', duration=5, cpu='8', tape='1') + stage('early', duration=61, cpu='8', gpu='0.5', fog='1') +
                      stage('mid', duration=30, cpu='8') + edge('early', 'mid') + edge('mid', 'late'),
                      '--cluster', 'site.xml')
    assert [ranks[t] for t in (1, 2, 0)] == [1, 2, 3], ranks
    (slurm.folder / 'with.xml').write_text((slurm.folder / 'job.xml').read_text().replace('</job>', SITE + '</job>'))
    for command in (['render', 'plan.json', '--format', 'slurm', '-q', '-o', 'job.sh'],
                    ['convert', 'with.xml', '--format', 'xml', '-o', 'again.xml']):
        subprocess.run([BIGROCKS, *command], cwd=slurm.folder, check=True, env=slurm.environment, capture_output=True)
    text = (slurm.folder / 'again.xml').read_text()
    assert 'partition="long" account="physics" time-factor="1.5"' in text and text.count('slurm="gres"') == 1, text
    (slurm.state / 'hold.none').touch()
    done = subprocess.run(['sh', 'job.sh', '--account=other'], cwd=slurm.folder, env=slurm.environment, text=True,
                          capture_output=True, check=True)
    rows = slurm.calls('sbatch')
    assert [option(row, '--job-name') for row in rows] == ['early', 'mid', 'late'], rows
    assert [option(row, '--time') for row in rows] == ['2', '1', '1'], rows
    assert [option(row, '--gres') for row in rows] == ['gpu:1', None, None], rows
    assert [option(row, '--licenses') for row in rows] == [None, None, 'tape:1'], rows
    assert all(row.index('--partition=long') < row.index('--account=physics') < row.index('--account=other')
               for row in rows), rows
    assert 'Slurm goes by priority/own' in done.stderr and "Slurm has no licenses 'fog'" in done.stderr, done.stderr
    (slurm.state / 'config').write_text('PriorityType            = priority/basic\n')
    done = subprocess.run(['sh', 'job.sh'], cwd=slurm.folder, env=slurm.environment, text=True, capture_output=True,
                          check=True)
    assert '--nice' not in done.stderr, done.stderr


def test_without_plan_order(slurm):
    """Memory in units of a stage, a command that gets what it is told, and where it runs."""
    (slurm.folder / 'sub dir').mkdir()
    slurm.job(stage('it\'s "x"'.replace('"', '&quot;'), tasks=2, mem='3221225472',
                    command='printf &quot;%s|&quot; &quot;$BIGROCKS_TASK&quot; $BIGROCKS_INDEX '
                            '$BIGROCKS_MACHINE &quot;$PWD&quot; {index}; echo; cat', shell=True) +
              stage('words', command='printf \'[%s]\' &quot;a  b&quot; \'$(exit)\' \';\''))
    out, err = slurm.run('job.xml', '--machines', '1', '--capacity', 'cpu=4,mem=8GiB', '--journal', 'it\'s',
                         '-C', 'sub dir', '--trace', 'trace.jsonl')
    assert '3 tasks done' in err, err
    where = slurm.folder / 'sub dir'
    asked = slurm.submitted()
    for task in (0, 1):
        node = 'node%d' % (101 + list(asked).index(task))
        line = 'it\'s "x"[%d]|%d|%s|%s|%d|' % (task, task, node, where, task)
        assert line in out.splitlines(), (line, out)
        assert option(asked[task], '--mem') == str(3 << 20) + 'K'
        row = slurm.trace()[('it\'s "x"', task)]
        assert row['outcome'] == 'done' and row['attempt'] == 1, row
        assert 0 <= row['start'] <= row['end'] < 100, row
    assert '[a  b][$(exit)][;]' in out, out


def test_failures(slurm):
    """Attempts, limits of time and signals are the script's own, and told as what they were."""
    slurm.job(stage('third', 'echo x &gt;&gt;tries; test $(wc -l &lt;tries) = 3', shell=True) +
              stage('never', 'echo y &gt;&gt;nevers; exit 7', shell=True) +
              stage('late', 'sleep 60') + stage('self', 'kill -9 $$', shell=True) +
              stage('none', 'exit 128', shell=True) + stage('child', 'echo bad') + stage('idle', None, duration=0) +
              stage('pair', 'exit {index}', 2, shell=True) + stage('twin', 'echo twin {index}', 2) +
              edge('never', 'child') + edge('never', 'idle') +
              edge('pair', 'twin', 'one-to-one'))
    out, err = slurm.run('job.xml', '--machines', '1', '--capacity', 'cpu=64', '--journal', 'journal', '-k', '--retries',
                         '2', '--timeout', '0.7', '--trace', 'trace.jsonl', status=1)
    assert (slurm.folder / 'tries').read_text() == 'x\n' * 3
    assert (slurm.folder / 'nevers').read_text() == 'y\n' * 3
    found = {k: (r['outcome'], r['attempt']) for k, r in slurm.trace().items()}
    assert found == {('third', 0): ('done', 3), ('never', 0): ('exit', 3), ('late', 0): ('timeout', 3),
                     ('self', 0): ('signal', 3), ('none', 0): ('exit', 3), ('pair', 0): ('done', 1),
                     ('pair', 1): ('exit', 3),
                     ('twin', 0): ('done', 1)}, found
    assert "task 'none' failed: exit status 128" in err, err
    late = slurm.trace()[('late', 0)]
    assert 2.0 <= late['end'] - late['start'] < 30, late
    assert "task 'never' failed: exit status 7" in err and 'signal 9' in err, err
    assert 'twin 0' in out and 'twin 1' not in out and 'bad' not in out, out
    assert '5 failed' in err and '3 not done' in err, err
    assert '--state=PENDING' not in (slurm.state / 'calls').read_text()


def test_first_failure(slurm):
    """Without --keep-going, what has not begun is dropped, and what has begun may end."""
    slurm.job(stage('bad', 'false') + stage('begun', 'echo begun') + stage('child') + edge('begun', 'child'))
    slurm.hold(0, 1)
    process = slurm.start('job.xml', '--machines', '1', '--capacity', 'cpu=4', '--journal', 'journal')
    slurm.wait(lambda: (slurm.state / 'calls').exists() and len(slurm.queued()) == 3)
    number = slurm.queued()
    slurm.begin(1)
    slurm.release(0)
    slurm.wait(lambda: len(slurm.calls('scancel')) == 2)
    assert slurm.calls('scancel') == [[str(number[t]), '--state=PENDING'] for t in (1, 2)]
    slurm.wait(lambda: slurm.queued() == {1: number[1]})
    asked = len(slurm.calls('squeue'))
    slurm.wait(lambda: len(slurm.calls('squeue')) >= asked + 2)
    assert process.poll() is None
    slurm.end_late(1)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1 and '1 failed: bad' in err and '1 not done' in err, err
    assert out == 'begun\n' and len(slurm.calls('scancel')) == 2


def test_taken_up(slurm):
    """After a death: what has a result is done, what Slurm has is followed, all else is submitted."""
    slurm.job(''.join(stage('s%d' % k, 'echo ran >>log.%d'.replace('>', '&gt;') % k, shell=True) for k in range(7)) +
              edge('s0', 's6'))
    slurm.hold(1, 2, 3, 4, 6)
    words = ['job.xml', '--machines', '1', '--capacity', 'cpu=64', '--journal', 'journal']
    process = slurm.start(*words)
    slurm.wait(lambda: (slurm.state / 'calls').exists() and len(slurm.queued()) == 5)
    slurm.wait(lambda: (slurm.folder / 'journal.d' / '5.result').exists())
    time.sleep(0.5)
    process.kill()
    process.communicate()
    queued = slurm.queued()
    slurm.release(1)  # ends while nobody looks
    (slurm.state / ('queue.%d' % queued[2])).unlink()  # is lost with its node
    slurm.begin(3)
    slurm.begin(4, 'COMPLETED')  # and left nothing
    run = option(slurm.submitted()[1], '--job-name').split('.')[0]
    (slurm.state / 'queue.900').write_text(
        '900 PENDING %s.2\n901 PENDING %s2\n902 PENDING %sx.2\nnonsense\n903 PENDING %s.9999\n' %
        (run[::-1], run, run, run))
    (slurm.folder / 'journal.d' / '2.result').write_text('9 1.0 2.0 1 node\n')  # a failure of old
    for task in (1, 2, 3, 4, 6):
        (slurm.state / ('hold.%d' % task)).unlink()
    before = len(slurm.calls('sbatch'))
    process = slurm.start(*words, '--resume')
    slurm.wait(lambda: len(slurm.calls('sbatch')) >= before + 2)
    time.sleep(1.0)
    again = slurm.calls('sbatch')[before:]
    assert sorted(option(r, '--job-name') for r in again) == ['%s.%d' % (run, t) for t in (2, 4)], again
    assert process.poll() is None
    slurm.release(3)
    # What was held behind a parent that is done is Slurm's to start.
    slurm.release(6)
    (slurm.state / 'queue.900').unlink()
    _, err = process.communicate(timeout=60)
    assert process.returncode == 0 and 'done before' in err, err
    for k in range(7):
        assert (slurm.folder / ('log.%d' % k)).read_text() == 'ran\n', k


def test_fresh(slurm):
    """Without --resume, results of an earlier run count for nothing."""
    slurm.job(stage('a', 'echo a') + stage('b', 'echo b'))
    words = ['job.xml', '--machines', '1', '--capacity', 'cpu=4', '--journal', '100%j']
    slurm.run(*words)
    (slurm.folder / '100%j').unlink()
    # In names of files Slurm takes what follows a percent sign for its own.
    assert option(slurm.submitted()[0], '--output').endswith('/100%%j.d/0.out')
    out, err = slurm.run(*words)
    assert len(slurm.calls('sbatch')) == 4 and '2 tasks done' in err and 'before' not in err, err
    assert sorted(out.split()) == ['a', 'b']


def test_lost(slurm):
    """A job that Slurm does not know any more, and that has no result, is lost; not at once, since
    files may be late, and not while Slurm does not answer."""
    slurm.job(stage('gone') + stage('late', 'echo late') + stage('child') + stage('good', 'echo good') +
              edge('gone', 'child'))
    slurm.hold(0, 1)
    process = slurm.start('job.xml', '--machines', '1', '--capacity', 'cpu=4', '--journal', 'journal', '-k',
                          '--trace', 'trace.jsonl')
    slurm.wait(lambda: (slurm.state / 'calls').exists() and len(slurm.queued()) == 3)
    slurm.wait(lambda: len(slurm.calls('squeue')) >= 1)
    (slurm.state / 'busy').touch()
    queued = slurm.queued()
    script, output = slurm.submitted()[1][-1], option(slurm.submitted()[1], '--output')
    for task in (0, 1, 2):
        (slurm.state / ('queue.%d' % queued[task])).unlink()
    asked = len(slurm.calls('squeue'))
    slurm.wait(lambda: len(slurm.calls('squeue')) >= asked + 4)  # 8 seconds
    assert process.poll() is None
    (slurm.state / 'busy').unlink()
    answered = time.monotonic()
    time.sleep(7)
    assert process.poll() is None
    with open(output, 'w', encoding='ascii') as out:
        subprocess.run(['sh', script], stdout=out, check=True, env={**slurm.environment, 'SLURMD_NODENAME': 'n'})
    out, err = process.communicate(timeout=60)
    assert 10 < time.monotonic() - answered < 40
    assert process.returncode == 1 and '1 failed: gone' in err and '1 not done' in err, err
    assert 'late' in out and 'good' in out
    found = {k[0]: r['outcome'] for k, r in slurm.trace().items()}
    assert found == {'gone': 'lost', 'late': 'done', 'good': 'done'}, found
    # It is asked every two seconds, about our jobs only, whatever their states.
    assert all(row == ['--noheader', '--me', '--states=all', '--format=%A %T %j']
               for row in slurm.calls('squeue'))


def test_interrupted(slurm):
    """Ctrl-C drops the run's jobs, whatever their state, and waits until Slurm has; twice does not."""
    slurm.job(stage('a') + stage('b') + stage('c') + stage('w', None, duration=0) + stage('d') + edge('b', 'c') +
              edge('a', 'w') + edge('w', 'd'))
    slurm.hold(0, 1)
    words = ['job.xml', '--machines', '1', '--capacity', 'cpu=4', '--journal', 'journal']
    process = slurm.start(*words)
    slurm.wait(lambda: (slurm.state / 'calls').exists() and len(slurm.queued()) == 3)
    number = slurm.queued()
    time.sleep(1.0)
    assert len(slurm.calls('sbatch')) == 3  # w waits for a, and d for w
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert sorted(slurm.calls('scancel')) == sorted([str(n)] for n in number.values())
    assert process.returncode not in (0, 1) and '5 not done' in err, (process.returncode, err)
    assert len(slurm.calls('sbatch')) == 3
    # The same run goes on, with all that was dropped.
    (slurm.state / 'hold.0').unlink()
    (slurm.state / 'hold.1').unlink()
    _, err = slurm.run(*words, '--resume')
    assert len(slurm.calls('sbatch')) == 7 and '5 tasks done' in err, err


def test_refused(slurm):
    """What sbatch complains of is said, its last line; so is that there is no Slurm."""
    slurm.job(stage('a'))
    (slurm.state / 'refuse').touch()
    words = ['job.xml', '--machines', '1', '--capacity', 'cpu=4', '--journal', 'journal']
    _, err = slurm.run(*words, status=5)
    assert 'sbatch failed (status 3): last words' in err and 'first' not in err, err
    (slurm.state / 'refuse').unlink()
    (slurm.state / 'busy').touch()
    _, err = slurm.run(*words, '--resume', status=5)
    assert 'squeue failed (status 1): no answer' in err, err
    bare = slurm.folder / 'none'
    bare.mkdir()
    _, err = slurm.run(*words, '--resume', status=5, PATH=str(bare))
    assert 'is Slurm installed?' in err, err


def test_many_parents(slurm):
    """Up to 200 dependencies are told; a task with more waits until enough of them are done."""
    slurm.job(stage('wide', tasks=201) + stage('end') + stage('less', tasks=200) + stage('over') +
              edge('wide', 'end') + edge('less', 'over'))
    slurm.run('job.xml', '--machines', '1', '--capacity', 'cpu=999', '--journal', 'journal')
    asked = slurm.submitted()
    assert len(slurm.calls('sbatch')) == 403
    assert option(asked[201], '--dependency') is None
    assert len(set(option(asked[402], '--dependency').split(','))) == 200
    assert list(asked)[-1] == 201


def test_steps(slurm):
    """Inside an allocation: one srun a task, on the node of its machine."""
    slurm.job(stage('a', 'echo {index} &quot;x  y&quot;', 4, 0.01, cpu='1.5', mem='1025') + stage('b', cpu='1') +
              stage('c', ' '.join(['echo', *map(str, range(40))])))
    words = ['job.xml', '--machines', '2', '--capacity', 'cpu=2,mem=1GiB', '-q']
    (slurm.state / 'nodes').write_text('left\nright\nthird\n')
    here = {'SLURM_JOB_ID': '7', 'SLURM_JOB_NODELIST': 'the[list]'}
    out, _ = slurm.run(*words, '--trace', 'trace.jsonl', on='slurm-steps', **here)
    assert slurm.calls('scontrol') == [['show', 'hostnames', 'the[list]']]
    node = {'left': 0, 'right': 1}
    rows = slurm.calls('srun')
    common = ['--exact', '--nodes=1', '--ntasks=1', '--quiet', '--nodelist']
    assert len(rows) == 6 and all(r[:5] == common and r[5] in node for r in rows), rows
    for row in rows:
        if 'x  y' in row:
            assert row[6:9] == ['--cpus-per-task=2', '--mem=2K', 'echo'] and row[10:] == ['x  y'], row
            machine = slurm.trace()[('a', int(row[9]))]['machine']
            assert machine == 'm[%d]' % node[row[5]], (machine, row)
        elif row[-1] == 'true':
            assert row[6:] == ['--cpus-per-task=1', '--mem=0', 'true'], row
        else:
            assert row[6:] == ['--cpus-per-task=1', '--mem=0', 'echo', *map(str, range(40))], row
    assert len({r[5] for r in rows}) == 2
    assert all('%d x  y' % k in out for k in range(4)) and '38 39\n' in out, out
    (slurm.state / 'nodes').write_text('left\n')
    _, err = slurm.run(*words, status=2, on='slurm-steps', **here)
    assert 'the cluster has 2 machines, and the allocation 1' in err, err
    _, err = slurm.run(*words, status=2, on='slurm-steps')
    assert 'allocation' in err


def test_steps_of_alternatives(slurm):
    """A plan's choice as steps: each on a node of its class, told its alternative, also if tasks are long; not as jobs,
    whose nodes Slurm chooses."""
    slurm.job('<stage id="a" tasks="2"><alternative id="slow" class="old" duration="900"/>'
              '<alternative id="gpu" class="new" duration="300"><demand resource="gpu" amount="1"/></alternative>'
              '<command>echo {index} {alternative}</command></stage>')
    (slurm.folder / 'c.xml').write_text(
        '<cluster xmlns="urn:bigrocks:cluster:1"><machine class="old" count="2"/><machine class="new" count="1">'
        '<capacity resource="gpu" amount="1"/></machine></cluster>')
    (slurm.state / 'nodes').write_text('x\ny\nz\n')
    here = {'SLURM_JOB_ID': '7', 'SLURM_JOB_NODELIST': 'l'}
    for on in 'slurm-steps', 'slurm':
        (slurm.state / 'calls').write_text('')
        out, _ = slurm.run('job.xml', '--cluster', 'c.xml', '-q', on=on, **here)
        assert sorted(out.split('\n')) == ['', '0 gpu', '1 gpu'], out
        assert [r[5] for r in slurm.calls('srun')] == ['z', 'z'] and not slurm.calls('sbatch'), slurm.calls('srun')
    _, err = slurm.run('job.xml', '--cluster', 'c.xml', '--journal', 'j', status=3)
    assert 'take --on slurm-steps' in err, err


def test_small_allocations(slurm):
    """srun would wait for ever for what the allocation does not have."""
    slurm.job(stage('a', cpu='1', mem='1025'))
    words = ['job.xml', '--machines', '3', '--capacity', 'cpu=2,mem=1GiB', '-q']
    (slurm.state / 'nodes').write_text('a\nb\nc\n')
    memory = '   JobId=7 MinMemoryCPU=500M\n     Nodes=a CPU_IDs=0-3 Mem=%d GRES=\n' \
        '     Nodes=[b-c] CPU_IDs=0-1 Mem=%d GRES=\n   Command=(null)\n'

    def run(cpus, text, status=0):
        (slurm.state / 'allocation').write_text(text)
        here = {'SLURM_JOB_ID': '7', 'SLURM_JOB_NODELIST': 'l', **({'SLURM_JOB_CPUS_PER_NODE': cpus} if cpus else {})}
        return slurm.run(*words, status=status, on='slurm-steps', **here)[1]
    for cpus, text in (('4,2(x2)', memory % (2000, 1024)), ('2(x3)', memory % (0, 0)), ('2(x3)', ''), ('', memory % (1, 1))):
        run(cpus, text)
    for cpus in '1(x3)', '4(x2),1', '1,4(x2)':
        assert "class 'm' has 2 cores, and a node of the allocation 1;" in run(cpus, '', 2)
    for sizes in (1023, 2000), (2000, 1023):
        assert "class 'm' has 1024 MiB of memory, and a node of the allocation 1023;" in run('2(x3)', memory % sizes, 2)
    assert slurm.calls('scontrol')[-1] == ['--details', 'show', 'job', '7']


def main():
    tests = [f for name, f in globals().items() if name.startswith('test_')]
    bad = []
    with tempfile.TemporaryDirectory(prefix='bigrocks-stand-in') as top:
        top = pathlib.Path(top).resolve()
        (top / 'bin').mkdir()
        for name in ('sbatch', 'squeue', 'scancel', 'scontrol', 'srun'):
            (top / 'bin' / name).write_text(PROGRAM)
            (top / 'bin' / name).chmod(0o755)

        def one(test):
            began = time.monotonic()
            slurm = Slurm(top, test.__name__)
            try:
                test(slurm)
                print('%s: ok, %.1f s' % (test.__name__, time.monotonic() - began), flush=True)
            except Exception:  # of a thread, so that the others are told, too
                bad.append(test.__name__)
                print('%s: %s' % (test.__name__, traceback.format_exc()), flush=True)
            finally:  # what a failure left at work
                for process in slurm.started:
                    if process.poll() is None:
                        process.kill()
                        process.wait()

        threads = [threading.Thread(target=one, args=(t,)) for t in tests]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
