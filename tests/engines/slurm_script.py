#!/usr/bin/env python3
"""The script written for Slurm, handed to a Slurm of the test's own with one node of 6 cores.

slurm_script.py BIGROCKS [PRIORITY]

PRIORITY is Slurm's plugin (multifactor). What has run when is what the tasks wrote, what has run at
all is taken from Slurm's own records of completed jobs. All jobs are in the queue before the first
one starts. Skipped (77) for others than root.
"""
import json
import os
import pathlib
import sys
import tempfile
import time

import forty
import missing
import private_slurm

run = forty.run


def submit(file, *options):
    """The numbers of the jobs, none of which has started."""
    run('scontrol', 'update', 'PartitionName=main', 'State=DOWN')
    numbers = [line for line in run('sh', file, *options, cwd=file.parent).splitlines()][-1].split()
    assert numbers == sorted(numbers, key=int), numbers
    return numbers


def states(base):
    """Of all jobs that have ended, what became of them: by the stage's name, sorted."""
    rows = [dict(field.split('=', 1) for field in line.split() if '=' in field)
            for line in (base / 'completed').read_text().splitlines()]
    return sorted((row['Name'], row['JobState']) for row in rows)


def start(base, jobs, seconds):
    """Lets the queue go, and waits for so many jobs to end, and none to be left; their names and states."""
    before = len(states(base)) if (base / 'completed').exists() else 0
    run('scontrol', 'update', 'PartitionName=main', 'State=UP')
    for _ in range(seconds * 10):
        # A job that ended is on record a moment before it is out of the queue.
        if (base / 'completed').exists() and len(states(base)) >= before + jobs and not run('squeue', '-h'):
            break
        time.sleep(0.1)
    else:
        raise AssertionError('%d of %d jobs ended; waiting:\n%s' %
                             (len(states(base)) - before, jobs, run('squeue')))
    return states(base)


def test_order(bigrocks, folder, base, priority):
    """One job at a time: in the order of the plan. Then as many as fit."""
    rank = forty.plan(bigrocks, folder)
    file = forty.render(bigrocks, folder, 'slurm')
    for what, option, seconds in (('one at a time', ['--exclusive'], forty.alike(0.02)),
                                  ('at once', [], forty.UNEVEN[0])):
        forty.write_note(folder, seconds)
        submit(file, *option)
        ended = start(base, 40, 200)
        assert {state for _, state in ended} == {'COMPLETED'}, ended
        kept = forty.look('Slurm, %s, %s' % (priority, what), folder, rank)
        assert kept.within('cpu', 'mem', 'net'), what
        if option and priority == 'multifactor':
            assert kept.passed_over(rank.get) == 0, kept.order


# The plan's order in test_failure: stages are cut, those that one-to-one edges connect at the same places.
MIXED = ['bad', 'some[0]', 'each[0]', 'some[1]', 'some[2]', 'each[1]', 'each[2]', 'good', 'after-bad', 'all']

# A task that fails, and those that must not run then; an array of which one task fails, and what waits for the
# whole of it and what for each.
FAIL = '''<job xmlns="urn:bigrocks:job:1" name="fails">
<stage id="bad" duration="1"><command>sh %(folder)s/fail bad</command></stage>
<stage id="after-bad" duration="1"><command>sh %(folder)s/fail after-bad</command></stage>
<stage id="some" tasks="3" duration="1"><command>sh %(folder)s/fail some {index}</command></stage>
<stage id="each" tasks="3" duration="1"><command>sh %(folder)s/fail each {index}</command></stage>
<stage id="all" duration="1"><command>sh %(folder)s/fail all</command></stage>
<stage id="good" duration="1"><command>sh %(folder)s/fail good</command></stage>
<edge from="bad" to="after-bad"/>
<edge from="some" to="each" type="one-to-one"/>
<edge from="some" to="all"/>
</job>
'''


def test_failure(bigrocks, folder, base, _):
    """A task that waits for one that fails never runs; all else does."""
    (folder / 'job.xml').write_text(FAIL % {'folder': folder})
    (folder / 'fail').write_text('echo "$*" >> %s/log\n[ "$*" != bad ] && [ "$*" != "some 1" ]\n' %
                                 folder)
    run(bigrocks, 'plan', folder / 'job.xml', '--capacity', 'cpu=6', '-q', '-o',
        folder / 'plan.json')
    plan = json.loads((folder / 'plan.json').read_text())
    for row in plan['tasks']:
        rank = MIXED.index(row['id'])
        row.update(start=rank, end=rank + 1, rank=rank + 1)
    plan['makespan'] = len(MIXED)
    (folder / 'plan.json').write_text(json.dumps(plan))
    before = states(base)
    file = forty.render(bigrocks, folder, 'slurm')
    assert all(file.read_text().count('--array=%s ' % piece) == 2 for piece in ('0', '1-2')), file.read_text()
    submit(file)
    ended = start(base, 10, 60)
    for old in before:
        ended.remove(old)
    # Slurm sees at its next look at the queue that some will never be able to run, and takes them out.
    assert ended == [('after-bad', 'CANCELLED'), ('all', 'CANCELLED'), ('bad', 'FAILED'), ('each', 'CANCELLED'),
                     ('each', 'COMPLETED'), ('each', 'COMPLETED'), ('good', 'COMPLETED'), ('some', 'COMPLETED'),
                     ('some', 'COMPLETED'), ('some', 'FAILED')], ended
    assert run('squeue', '-h', '-r') == ''
    log = sorted((folder / 'log').read_text().splitlines())
    assert log == ['bad', 'each 0', 'each 2', 'good', 'some 0', 'some 1', 'some 2'], log
    print('Slurm: what waits for a failed task leaves the queue, and does not run')


SIX = '''<job xmlns="urn:bigrocks:job:1" name="six">
<stage id="some" tasks="6" duration="3"><demand resource="cpu" amount="1"/><command>sleep 3</command></stage>
</job>
'''


def test_memory(bigrocks, folder, base, _):
    """Where Slurm would give a job that states no memory all of its node's, six jobs run side by side all the same,
    by the script and by `run`, and both say so; an option of the script counts instead."""
    (folder / 'job.xml').write_text(SIX)
    run(bigrocks, 'plan', folder / 'job.xml', '--capacity', 'cpu=6', '-q', '-o', folder / 'plan.json')
    file = forty.render(bigrocks, folder, 'slurm')
    share, words = forty.CAPACITY['mem'] // forty.CAPACITY['cpu'], 'Slurm gives all memory of a node to jobs that state none'
    begins = []
    for option, memory in ((), share), (('--mem=5',), 5):
        run('scontrol', 'update', 'PartitionName=main', 'State=DOWN')
        said = run('sh', file, *option, cwd=folder)
        assert (words in said) == (not option), said
        queue = run('squeue', '-h', '-o', '%m')
        assert queue.split() == ['%dM' % memory], (option, queue)
        before = len((base / 'completed').read_text().splitlines()) if (base / 'completed').exists() else 0
        start(base, 6, 60)
        rows = (base / 'completed').read_text().splitlines()[before:]
        begins.append({field for row in rows for field in row.split() if field.startswith('StartTime=')})
    assert all(len(times) <= 2 for times in begins), begins
    began = time.monotonic()
    said = run(bigrocks, 'run', folder / 'job.xml', '--capacity', 'cpu=6', '--on', 'slurm-jobs', '--journal',
               folder / 'journal', cwd=folder)
    assert words in said, said
    assert time.monotonic() - began < 15, said  # 18 s, one after the other


def main():
    missing.need(*private_slurm.PROGRAMS)
    if os.geteuid() != 0:
        print('only root may start the daemons of Slurm')
        return 77
    bigrocks = pathlib.Path(sys.argv[1]).resolve()
    priority = sys.argv[2] if len(sys.argv) > 2 else 'multifactor'
    with tempfile.TemporaryDirectory(prefix='bigrocks-slurm') as scratch:
        base = pathlib.Path(scratch)
        with private_slurm.slurm(base, 1, forty.CAPACITY['cpu'], forty.CAPACITY['mem'], priority,
                                 'net:%d' % forty.CAPACITY['net']):
            for test in (test_order, test_failure):
                folder = base / test.__name__
                folder.mkdir()
                began = time.monotonic()
                test(bigrocks, folder, base, priority)
                print('%s: ok, %.1f s' % (test.__name__, time.monotonic() - began), flush=True)
    with tempfile.TemporaryDirectory(prefix='bigrocks-slurm') as scratch:
        base = pathlib.Path(scratch)
        with private_slurm.slurm(base, 1, forty.CAPACITY['cpu'], forty.CAPACITY['mem'], priority, default=None):
            folder = base / test_memory.__name__
            folder.mkdir()
            test_memory(bigrocks, folder, base, priority)
            print('test_memory: ok', flush=True)
    return 0


if __name__ == '__main__':
    sys.exit(main())
