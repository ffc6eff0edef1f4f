#!/usr/bin/env python3
"""Jobs by Slurm, on a Slurm of the test's own: three virtual nodes on this machine.

slurm.py BIGROCKS

Needs root, else it is skipped (77), and Debian's slurmctld, slurmd, slurm-client,
slurm-wlm-basic-plugins and munge. What has run when and where is taken from Slurm's own
records of completed jobs.
"""
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

import missing
import private_slurm

BIGROCKS = pathlib.Path(sys.argv[1]).resolve()
NODES, CPUS, MEMORY = 3, 4, 4000  # MB


def write_job(path, seed, tasks=60, command='sleep 1'):
    """Layers of tasks for one to three cores, with edges to some of the layer before."""
    chance, stages, edges, last = random.Random(seed), [], [], []
    while tasks:
        width, this = min(tasks, chance.randint(4, 9)), []
        tasks -= width
        for _ in range(width):
            name = 't%02d' % len(stages)
            stages.append('<stage id="%s" duration="1"><demand resource="cpu" amount="%d"/>'
                          '<demand resource="mem" amount="%d"/><command>%s</command></stage>' %
                          (name, chance.randint(1, 3), chance.randint(1, 4) * 250 << 20, command))
            edges += ['<edge from="%s" to="%s"/>' % (p, name)
                      for p in chance.sample(last, min(len(last), chance.randint(0, 2)))]
            this.append(name)
        last = this
    path.write_text('<job xmlns="urn:bigrocks:job:1" name="test">\n%s\n</job>\n' %
                    '\n'.join(stages + edges))
    return [e.split('"')[1:4:2] for e in edges]


def records(base, first=0):
    """Of the tasks' completed jobs, by task number: start, end, node and state, as Slurm has it."""
    found = {}
    for line in (base / 'completed').read_text().splitlines()[first:]:
        row = dict(field.split('=', 1) for field in line.split() if '=' in field)
        name = re.fullmatch(r'[0-9a-f]{32}\.(\d+)', row['Name'])
        if name:
            seconds = [time.mktime(time.strptime(row[k], '%Y-%m-%dT%H:%M:%S'))
                       for k in ('StartTime', 'EndTime')]
            found.setdefault(int(name[1]), []).append((*seconds, row['NodeList'],
                                                       row['JobState']))
    return found


def wait_for_records(base, count):
    for _ in range(100):
        found = records(base)
        if len(found) >= count:
            break
        time.sleep(0.1)
    return found


CAPACITY = ['--machines', str(NODES), '--capacity', 'cpu=%d,mem=%dMiB' % (CPUS, MEMORY)]


def run(folder, *arguments, status=0):
    done = subprocess.run([BIGROCKS, 'run', *arguments], cwd=folder, text=True,
                          capture_output=True, timeout=300)
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    return done


def test_jobs(folder, base):
    """60 tasks on 3 nodes as jobs: every dependency kept, no node overfull, and none started while
    an earlier one in the plan could have: ready before, and asking for no more."""
    edges = write_job(folder / 'job.xml', 1)
    subprocess.run([BIGROCKS, 'plan', 'job.xml', *CAPACITY, '-q', '-o', 'plan.json'], cwd=folder,
                   check=True)
    done = run(folder, 'plan.json', '--on', 'slurm-jobs', '--journal', 'journal', '--trace',
               'trace.csv')
    assert '60 tasks done' in done.stderr, done.stderr
    plan = json.loads((folder / 'plan.json').read_text())
    number = {s['id']: k for k, s in enumerate(plan['stages'])}
    rank = {number[t['id']]: t['rank'] for t in plan['tasks']}
    demand = {k: (float(s['demands']['cpu']), float(s['demands']['mem']))
              for k, s in enumerate(plan['stages'])}
    found = {t: rows[0] for t, rows in wait_for_records(base, 60).items()}
    assert len(found) == 60 and {r[3] for r in found.values()} == {'COMPLETED'}, found
    assert {r[2] for r in found.values()} == {'n0', 'n1', 'n2'}
    ready = dict.fromkeys(found, 0)
    for parent, child in ((number[p], number[c]) for p, c in edges):
        assert found[parent][1] <= found[child][0], (parent, child)
        ready[child] = max(ready[child], found[parent][1])
    for t in found:  # starts are the instants of the most load
        for node in ('n0', 'n1', 'n2'):
            together = [demand[o] for o, r in found.items()
                        if r[2] == node and r[0] <= found[t][0] < r[1]]
            assert sum(d[0] for d in together) <= CPUS, (t, node)
            assert sum(d[1] for d in together) <= MEMORY << 20, (t, node)
    late = [(a, b) for a in found for b in found
            if rank[a] < rank[b] and found[b][0] > ready[a] + 3 and found[a][0] > found[b][0] + 1
            and all(x <= y for x, y in zip(demand[a], demand[b]))]
    submitted = min(r[0] for r in found.values())
    late = [(a, b) for a, b in late if found[b][0] > submitted + 3]
    assert not late, late
    pairs = [(a, b) for a in found for b in found if rank[a] < rank[b]]
    kept = sum(found[a][0] <= found[b][0] for a, b in pairs) / len(pairs)
    span = max(r[1] for r in found.values()) - min(r[0] for r in found.values())
    print('%.1f %% of pairs start in the plan\'s order; %.0f s, plan %.0f s' %
          (100 * kept, span, plan['makespan']))
    assert kept >= 0.9


def test_reattach(folder, base):
    """Killed while jobs are under way, the run takes them up again; none runs twice."""
    write_job(folder / 'job.xml', 2, tasks=18, command='sleep 2')
    command = [BIGROCKS, 'run', 'job.xml', *CAPACITY, '--on', 'slurm-jobs', '--journal', 'journal']
    process = subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL)
    for _ in range(400):
        if len(list((folder / 'journal.d').glob('*.result'))) >= 4:
            break
        time.sleep(0.05)
    process.kill()
    process.wait()
    before = len(list((folder / 'journal.d').glob('*.result')))
    done = run(folder, *map(str, command[2:]), '--resume')
    name = (folder / 'journal').read_text().splitlines()[0].split()[-1]
    lines = [line for line in (base / 'completed').read_text().splitlines() if name in line]
    for _ in range(100):
        if len(lines) >= 18:
            break
        time.sleep(0.1)
        lines = [line for line in (base / 'completed').read_text().splitlines() if name in line]
    print('%d done when killed; %d jobs for 18 tasks' % (before, len(lines)))
    assert before < 18 and len(lines) == 18, (before, lines)
    assert 'done before' in done.stderr, done.stderr


def test_failure(folder, base):
    (folder / 'job.xml').write_text(
        '<job xmlns="urn:bigrocks:job:1" name="test">'
        '<stage id="bad" duration="1"><command shell="true">echo wrong; exit 3</command></stage>'
        '<stage id="after" duration="1"><command>echo after</command></stage>'
        '<stage id="good" duration="1"><command>echo good</command></stage>'
        '<edge from="bad" to="after"/></job>')
    done = run(folder, 'job.xml', *CAPACITY, '--on', 'slurm-jobs', '--journal', 'j%j', '-k',
               status=1)
    for text in ("task 'bad' failed: exit status 3", '  | wrong', '1 failed: bad', '1 not done'):
        assert text in done.stderr, (text, done.stderr)
    assert 'good' in done.stdout and 'after' not in done.stdout


def test_order(folder, base):
    """Twelve tasks of a whole node each start in the order of a list from elsewhere, last first."""
    names = ['t%02d' % k for k in range(12)]
    (folder / 'job.xml').write_text('<job xmlns="urn:bigrocks:job:1" name="order">%s</job>' % ''.join(
        '<stage id="%s" duration="1"><demand resource="cpu" amount="%d"/><command>sleep 1</command></stage>' %
        (name, CPUS) for name in names))
    listed = names[:3:-1]
    (folder / 'order.txt').write_text('\n'.join(listed) + '\n')
    first = len((base / 'completed').read_text().splitlines())
    run(folder, 'job.xml', *CAPACITY, '--on', 'slurm-jobs', '--order', 'order.txt', '--journal', 'order')
    for _ in range(100):
        found = records(base, first)
        if len(found) >= len(names):
            break
        time.sleep(0.1)
    start = [found[names.index(name)][0][0] for name in listed + names[:4]]
    print('starts in the order of the list:', [s - min(start) for s in start])
    # The first are submitted one after another, and begin at once.
    assert start[NODES:] == sorted(start[NODES:]) and max(start[:NODES]) <= min(start[NODES:]), start


def test_steps(folder, base):
    """Short tasks as steps of one allocation, on all of its nodes."""
    write_job(folder / 'job.xml', 3, tasks=24, command='sh -c &quot;sleep 0.2&quot;')
    def allocated(*options):
        return subprocess.run(['salloc', '--quiet', '--nodes=%d' % NODES, *options, BIGROCKS, 'run', 'job.xml',
                               *CAPACITY, '--on', 'slurm', '--trace', 'trace.jsonl'], cwd=folder, text=True,
                              capture_output=True, timeout=200)
    # A step that wants more than the allocation has would wait for ever; without --mem it has what a
    # site gives by default.
    done = allocated('--exclusive')
    assert done.returncode == 2 and ('%d MiB of memory, and a node of the allocation %d' %
                                     (MEMORY, CPUS * private_slurm.DEFAULT_MEMORY)) in done.stderr, done.stderr
    done = allocated('--mem=0')
    assert done.returncode == 2 and '%d cores, and a node of the allocation 1' % CPUS in done.stderr, done.stderr
    done = allocated('--exclusive', '--mem=0')
    assert done.returncode == 0, (done.stdout, done.stderr)
    rows = [json.loads(line) for line in (folder / 'trace.jsonl').read_text().splitlines()]
    assert len(rows) == 24 and {r['outcome'] for r in rows} == {'done'}
    assert 'allocation' in run(folder, 'job.xml', *CAPACITY, '--on', 'slurm-steps', status=2).stderr
    # It asks for the allocation itself, and gives it back.
    done = run(folder, 'job.xml', *CAPACITY, '--on', 'slurm', '--trace', 'own.jsonl')
    rows = [json.loads(line) for line in (folder / 'own.jsonl').read_text().splitlines()]
    assert len(rows) == 24 and {r['outcome'] for r in rows} == {'done'}
    assert len({r['machine'] for r in rows}) == NODES, rows
    queue = subprocess.run(['squeue', '--noheader'], text=True, capture_output=True, check=True)
    assert ' R ' not in queue.stdout, queue.stdout


def main():
    missing.need(*private_slurm.PROGRAMS)
    if os.geteuid() != 0:
        print('only root may start the daemons of Slurm')
        return 77
    os.environ['PATH'] = '%s:%s' % (BIGROCKS.parent, os.environ['PATH'])
    with tempfile.TemporaryDirectory(prefix='bigrocks-slurm') as base:
        with private_slurm.slurm(pathlib.Path(base), NODES, CPUS, MEMORY):
            for test in (test_jobs, test_order, test_reattach, test_failure, test_steps):
                with tempfile.TemporaryDirectory(prefix='bigrocks-run') as folder:
                    began = time.monotonic()
                    test(pathlib.Path(folder), pathlib.Path(base))
                    print('%s: ok, %.1f s' % (test.__name__, time.monotonic() - began),
                          flush=True)
    return 0


if __name__ == '__main__':
    sys.exit(main())
