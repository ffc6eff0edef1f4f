#!/usr/bin/env python3
"""Licences, releases and what is held, by Slurm: on a Slurm of the test's own, three virtual nodes with five licences.

slurm_licences.py BIGROCKS

Each job runs twice: by `run --on slurm-jobs`, and by the script that `render --format slurm` writes. What has run when
is taken from Slurm's own records of completed jobs, and how many licences are in use from `scontrol show licenses`.
Needs root, else it is skipped (77), and Debian's slurmctld, slurmd, slurm-client, slurm-wlm-basic-plugins and munge.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

import missing
import private_slurm

BIGROCKS = pathlib.Path(sys.argv[1]).resolve()
LICENCES = 5
CLUSTER = ['--machines', '3', '--capacity', 'cpu=4,mem=4000MiB']
JOB = '<job xmlns="urn:bigrocks:job:1" name="test">%s</job>\n'
STAGE = ('<stage id="%s" duration="%g"%s><demand resource="cpu" amount="1"/><demand resource="mem" amount="100MiB"/>%s'
         '<command>sleep %g</command></stage>')


def stage(name, seconds, more='', inside=''):
    return STAGE % (name, seconds, more, inside, seconds)


class Used(threading.Thread):
    """How many licences Slurm says are in use, time after time."""

    def __init__(self):
        super().__init__()
        self.over, self.seen = threading.Event(), []

    def run(self):
        while not self.over.is_set():
            text = subprocess.run(['scontrol', 'show', 'licenses'], text=True, capture_output=True, check=False).stdout
            used = re.search(r'Used=(\d+)', text)
            if used:
                self.seen.append(int(used[1]))
            time.sleep(0.2)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.join()


def records(base):
    """The completed jobs, in Slurm's record: number, name, start, end."""
    found = []
    for line in (base / 'completed').read_text().splitlines() if (base / 'completed').exists() else []:
        row = dict(field.split('=', 1) for field in line.split() if '=' in field)
        start, end = (time.mktime(time.strptime(row[k], '%Y-%m-%dT%H:%M:%S')) for k in ('StartTime', 'EndTime'))
        assert row['JobState'] == 'COMPLETED', line
        found.append((int(row['JobId']), row['Name'], start, end))
    return found


def by_driver(folder, shared):
    done = subprocess.run([BIGROCKS, 'run', 'plan.json', '--on', 'slurm-jobs', '--journal', 'journal', *shared], cwd=folder,
                          text=True, capture_output=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert 'not kept' not in done.stderr, done.stderr


def by_script(folder, _):
    text = subprocess.run([BIGROCKS, 'render', 'plan.json', '--format', 'slurm'], cwd=folder, text=True, capture_output=True,
                          check=True).stdout
    (folder / 'job.sh').write_text(text)
    done = subprocess.run(['sh', 'job.sh', '--output=/dev/null'], cwd=folder, text=True, capture_output=True, check=True)
    assert 'not kept' not in done.stderr, done.stderr


def both(base, job, shared, tasks):
    """For each way: what has run, by rank in the plan, as start and end; and licences in use, by the time."""
    for way in (by_driver, by_script):
        with tempfile.TemporaryDirectory(prefix='bigrocks-run') as name:
            folder = pathlib.Path(name)
            (folder / 'job.xml').write_text(JOB % job)
            subprocess.run([BIGROCKS, 'plan', 'job.xml', *CLUSTER, *shared, '-q', '-o', 'plan.json'], cwd=folder, check=True)
            order = subprocess.run([BIGROCKS, 'render', 'plan.json', '--format', 'order'], cwd=folder, text=True,
                                   capture_output=True, check=True).stdout.split('\n')[1:]
            ids = [line.split('\t')[1] for line in order if line]
            before, began = {row[0] for row in records(base)}, time.time()
            with Used() as used:
                way(folder, [])
                for _ in range(600):
                    rows = sorted(row for row in records(base) if row[0] not in before)
                    if len(rows) >= tasks:
                        break
                    time.sleep(0.1)
            assert len(rows) == tasks, rows
            yield way.__name__, ids, [row[2:] for row in rows], used.seen, began


def test_licences(base):
    """Ten tasks on twelve cores under five licences: never more than five at once, five at times, in the plan's order."""
    job = ''.join(stage('t%d' % k, 2 + k % 3, '', '<demand resource="licence" amount="1"/>') for k in range(10))
    for way, _, rows, seen, _ in both(base, job, ['--shared', 'licence=%d' % LICENCES], 10):
        together = max(sum(start <= at < end for start, end in rows) for at, _ in rows)
        starts = [start for start, _ in rows]
        print('%s: at most %d at once, by Slurm %d licences in use; starts %s' %
              (way, together, max(seen), ' '.join('%g' % (s - starts[0]) for s in starts)))
        assert together == LICENCES == max(seen), (together, seen)
        assert starts == sorted(starts), starts  # numbers of jobs ascend with ranks


def test_release(base):
    job = stage('now', 1) + stage('later', 1, ' release="8.5"') + stage('after', 1) + '<edge from="later" to="after"/>'
    for way, ids, rows, _, began in both(base, job, [], 3):
        at = dict(zip(ids, (start - began for start, _ in rows)))
        print('%s: %s' % (way, at))
        assert at['now'] < 8 and at['later'] >= 8 and at['after'] >= at['later'] + 1, at


def test_held(base):
    """Six files of 4 on a disk of 9: two at once, and no third before both readers of one have ended."""
    job = ''
    for k in range(6):
        job += stage('make%d' % k, 1, '', '<output id="file" resource="scratch" amount="4"/>')
        job += stage('use%d' % k, 1 + k % 3) + stage('keep%d' % k, 2 - k % 2)
        job += ''.join('<edge from="make%d" to="%s%d"/>' % (k, kind, k) for kind in ('use', 'keep'))
    for way, ids, rows, _, _ in both(base, job, ['--shared', 'scratch=9'], 18):
        ran = dict(zip(ids, rows))
        spans = [(ran['make%d' % k][0], max(ran['use%d' % k][1], ran['keep%d' % k][1])) for k in range(6)]
        most = max(sum(start <= at < end for start, end in spans) for at, _ in spans)
        print('%s: at most %d files at once' % (way, most))
        assert most == 2, spans


def main():
    missing.need(*private_slurm.PROGRAMS)
    if os.geteuid() != 0:
        print('only root may start the daemons of Slurm')
        return 77
    os.environ['PATH'] = '%s:%s' % (BIGROCKS.parent, os.environ['PATH'])
    with tempfile.TemporaryDirectory(prefix='bigrocks-slurm') as name:
        base = pathlib.Path(name)
        with private_slurm.slurm(base, 3, 4, 4000, licenses='licence:%d' % LICENCES):
            for test in (test_licences, test_release, test_held):
                test(base)
    return 0


if __name__ == '__main__':
    sys.exit(main())
