#!/usr/bin/env python3
"""Pipelines of GitHub and GitLab are read with their matrices, and with the times of a run that the forge's API tells.

usage: check_pipelines.py BIGROCKS
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

DATA = pathlib.Path(__file__).parent.parent / 'data'


def run(*words, text=None):
    return subprocess.run([sys.argv[1], *map(str, words)], input=text, capture_output=True, text=True)


def read(name, *words, text=None):
    """Tasks by stage, with their durations; edges; what was said."""
    done = run('convert', name, '--format', 'xml', *words, text=text)
    assert done.returncode == 0, done.stderr
    stages = {}
    for stage, tasks, time, inside in re.findall(r'<stage id="([^"]*)" tasks="(\d+)" duration="([^"]*)">(.*?)</stage>', done.stdout, re.S):
        times = [float(time)] * int(tasks)
        for index, own in re.findall(r'<task index="(\d+)" duration="([^"]*)"', inside):
            times[int(index)] = float(own)
        stages[stage] = times
        assert '<demand resource="runner" amount="1"/>' in inside
    return stages, sorted(re.findall(r'<edge from="([^"]*)" to="([^"]*)"', done.stdout)), done.stderr


def github(folder):
    small = DATA / 'small.github.yml'
    stages, edges, said = read(small, '--default-duration', '3')
    assert stages == {'lint': [3], 'test': [3] * 4, 'wheels': [3], 'release': [3]}, stages
    assert edges == [('lint', 'test'), ('lint', 'wheels'), ('test', 'release'), ('wheels', 'release')], edges
    assert 'the matrix of 1 jobs' in said and "1 jobs have 'max-parallel'" in said, said
    record = folder / 'jobs.json'

    def job(name, start, end, conclusion='success'):
        return {'name': name, 'status': 'completed', 'conclusion': conclusion, 'started_at': '2026-02-28T23:%02d:00Z' % start,
                'completed_at': '2026-03-01T00:%02d:30.500+00:00' % end, 'steps': [{'name': 'x', 'number': 1}]}

    jobs = [job('lint', 59, 0), job('Test ubuntu-latest with [cc] (gcc)', 58, 1), job('Test macos-latest with [cc]', 58, 2),
            job('wheels (1)', 57, 0), job('wheels (2)', 57, 0, 'skipped'), job('release / build', 50, 3), job('release / sign', 40, 0),
            job('Other', 1, 1)]
    pages = [{'total_count': 8, 'jobs': jobs[:4]}, {'total_count': 8, 'jobs': jobs[4:]}]
    for text in (json.dumps({'jobs': jobs}), ''.join(map(json.dumps, pages)), json.dumps(pages),
                 json.dumps({'jobs': jobs}).replace('started_at', 'startedAt').replace('completed_at', 'completedAt')):
        record.write_text(text)
        stages, _, said = read(small, '--durations', record)
        assert stages == {'lint': [90.5], 'test': [210.5, 270.5], 'wheels': [210.5, 0], 'release': [1410.5]}, stages
        assert '1 jobs of the record are not in the pipeline' in said, said

    # Of two jobs whose names fit, the one that says more has run.
    record.write_text(json.dumps({'jobs': [job('build docs', 59, 0), job('build x', 59, 1)]}))
    for order in (0, 1), (1, 0):
        jobs_of = ['  a: {name: "build ${{ matrix.os }}"}\n', '  b: {name: build docs}\n']
        stages, _, _ = read('-', '--from', 'github', '--durations', record, text='on: push\njobs:\n' + ''.join(jobs_of[k] for k in order))
        assert stages == {'a': [150.5], 'b': [90.5]}, stages
    for text, words in (('{"jobs": []}', 'has no jobs'), (json.dumps({'jobs': [job('x', 1, 1)]}), "none of the pipeline's jobs"),
                        ('[[[[[]]]]]', 'nested too deep'), ('{"jobs": [', 'jobs.json: the text ends')):
        record.write_text(text)
        done = run('show', small, '--durations', record)
        assert done.returncode == 3 and words in done.stderr, (text, done.stderr)
    record.write_text('lint,5\n')
    assert read(small, '--durations', record)[0]['lint'] == [5], 'a table is one still'
    for jobs, place, words in (('  a: {needs: b}\n', '3:14', "needs 'b'"), ('  a: 5\n', '3:6', 'is no mapping'),
                               ('  a: {needs: [[x]]}\n', '3:15', "needs ''"), ('  a: {needs: a}\n', '3:14', 'cycle'),
                               ('  a: {}\n  a: {}\n', '4:6', 'twice'), ('  a: {strategy: &x {matrix: *x}\n', '', 'YAML')):
        done = run('show', '-', '--from', 'github', text='on: push\njobs:\n' + jobs)
        assert done.returncode == 3 and (not place or '<stdin>:%s: ' % place in done.stderr) and words in done.stderr, (jobs, done.stderr)
    assert 'no mapping' in run('show', '-', '--from', 'github', text='on: push\njobs: 5\n').stderr


def gitlab(folder):
    small = DATA / 'small.gitlab.yml'
    stages, edges, said = read(small, '--default-duration', '3')
    assert {name: len(times) for name, times in stages.items()} == {
        'lint': 1, 'linux': 3, 'windows': 5, 'unit': 1, 'fuzz': 1, 'upload': 1, 'after': 1}, stages
    before = ['lint', 'linux', 'windows', 'unit', 'fuzz']
    assert edges == sorted([('lint', 'linux'), ('lint', 'windows'), ('linux', 'unit'), ('lint', 'unit'), ('upload', 'after')]
                           + [(a, b) for a in before for b in ('upload', 'after')]), edges
    assert "1 jobs have 'resource_group'" in said and 'include' not in said, said
    record = folder / 'jobs.json'
    record.write_text(json.dumps([{'name': 'lint', 'duration': 12.25, 'status': 'success', 'started_at': '2026-01-01T00:00:00.000Z',
                                   'finished_at': '2026-01-01T00:00:13.000Z'},
                                  {'name': 'linux 1/3', 'duration': 5}, {'name': 'linux 2/3', 'duration': 6},
                                  {'name': 'windows: [x86, a]', 'duration': 7}, {'name': 'unit', 'duration': None, 'status': 'manual'}]))
    stages, _, said = read(small, '--durations', record)
    assert stages == {'lint': [12.25], 'linux': [5, 6], 'windows': [7], 'unit': [0], 'fuzz': [0], 'upload': [0], 'after': [0]}, stages
    assert '4 jobs did not run' in said, said
    text = 'include: other.yml\nstages: [a]\nx: {stage: b, script: x, needs: [y]}\nz: {stage: a, script: x}\nz: {stage: b, script: x, extends: [.q, .r]}\n.q: {needs: [x]}\n.r: {extends: .r}\n'
    stages, edges, said = read('-', '--from', 'gitlab', text=text)
    assert list(stages) == ['x', 'z'] and edges == [('x', 'z')] and '1 needs of it are left out' in said, (stages, edges, said)
    for text, place, words in (('a: {stage: b, script: x}\n', '1:12', "in stage 'b'"), ('a: {needs: [b], script: x}\n', '1:13', "needs 'b'"),
                               ('image: x\nstages: []\n', '', 'has no jobs'), ('[]', '', 'has no jobs')):
        done = run('show', '-', '--from', 'gitlab', text=text)
        assert done.returncode == 3 and (not place or '<stdin>:%s: ' % place in done.stderr) and words in done.stderr, (text, done.stderr)


with tempfile.TemporaryDirectory() as scratch:
    github(pathlib.Path(scratch))
    gitlab(pathlib.Path(scratch))
