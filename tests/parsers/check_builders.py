#!/usr/bin/env python3
"""What Turborepo, Nx, Cargo and Bazel write of their tasks is read with its edges and times.

usage: check_builders.py BIGROCKS
"""
import html
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
    """Durations and demands by stage; edges; what was said."""
    done = run('convert', name, '--format', 'xml', *words, text=text)
    assert done.returncode == 0, done.stderr
    stages = {html.unescape(stage): (float(time), dict(re.findall(r'<demand resource="([^"]*)" amount="([^"]*)"', inside or '')))
              for stage, time, inside in re.findall(r'<stage id="([^"]*)" tasks="1" duration="([^"]*)"(?:/>|>(.*?)</stage>)', done.stdout, re.S)}
    edges = re.findall(r'<edge from="([^"]*)" to="([^"]*)"', done.stdout)
    return stages, sorted((html.unescape(a), html.unescape(b)) for a, b in edges), done.stderr


def refused(form, *cases):
    for text, place, words in cases:
        done = run('show', '-', '--from', form, text=text)
        assert done.returncode == 3 and '<stdin>:%s: ' % place in done.stderr and words in done.stderr, (text, done.stderr)


def turbo():
    stages, edges, said = read(DATA / 'small.turbo.json', '--default-duration', '7')
    one = {'cpu': '1'}
    assert stages == {'ui#build': (2.5, one), 'ui#lint': (9, one), 'web#test': (0.001, one), 'app#build': (0, one), 'web#build': (0, {})}, stages
    # web#build has no script and is not listed: its edges come from both of its neighbours.
    assert edges == [('ui#build', 'app#build'), ('ui#build', 'web#build'), ('web#build', 'web#test')], edges
    assert '1 tasks without a script' in said and '1 tasks came from the cache' in said, said
    refused('turbo', ('{"tasks": [{"taskId": "a"}, {"taskId": "a"}]}', '1:40', 'twice'), ('{"tasks": [{}]}', '1:12', 'taskId'),
            ('{"tasks": [{"taskId": "a", "dependencies": ["a"]}]}', '1:45', 'cycle'), ('{}', '1:1', 'tasks'))


def nx(folder):
    stages, edges, said = read(DATA / 'small.nx.json', '--default-duration', '7')
    assert stages == {name: (7, {'cpu': '1'}) for name in ('a:build', 'b:build', 'b:test')}, stages
    assert edges == [('a:build', 'b:build'), ('b:build', 'b:test')] and '1 tasks are to run alone' in said, (edges, said)
    times = folder / 'run.json'
    times.write_text(json.dumps({'run': {}, 'tasks': [
        {'taskId': 'a:build', 'startTime': '2026-01-01T23:59:59.500Z', 'endTime': '2026-01-02T00:00:01.000Z', 'status': 0},
        {'taskId': 'x:build', 'startTime': '2026-01-01T23:59:59.500Z', 'endTime': '2026-01-02T00:00:01.000Z', 'status': 0}]}))
    stages, _, said = read(DATA / 'small.nx.json', '--durations', times)
    assert stages['a:build'][0] == 1.5 and '1 tasks of the run are not in the graph' in said, (stages, said)
    times.write_text('*:test,4\n')
    assert read(DATA / 'small.nx.json', '--durations', times)[0]['b:test'][0] == 4
    refused('nx', ('{"tasks": {"tasks": {"a": {}}, "dependencies": {"b": []}}}', '1:53', "'b' has dependencies"),
            ('{"tasks": {"tasks": {"a": {}}, "dependencies": {"a": ["b"]}}}', '1:55', "waits for 'b'"), ('{"tasks": []}', '1:11', 'the tasks'))


def cargo(folder):
    small = DATA / 'small.cargo.json'
    stages, edges, _ = read(small, '--default-duration', '2')
    names = ['leaf 1.2.3 build-script', 'leaf 1.2.3 build-script (run)', 'leaf 1.2.3', 'leaf 1.2.3 #3', 'side 0.2.0', 'old 0.1.0 (check)',
             'tool 0.3.0 lib (test)', 'tool 0.3.0 tool "bin"']
    assert list(stages) == names and set(time for time, _ in stages.values()) == {2}, stages
    pairs = [(0, 1), (1, 2), (1, 3), (3, 4), (2, 6), (4, 6), (2, 7), (4, 7), (5, 7)]
    assert edges == sorted((names[a], names[b]) for a, b in pairs), edges
    page = [{'i': 0, 'name': 'leaf', 'version': '1.2.3', 'mode': 'todo', 'target': ' build-script', 'duration': 0.25},
            {'i': 1, 'name': 'leaf', 'version': '1.2.3', 'mode': 'run-custom-build', 'target': ' build-script (run)', 'duration': 0.5},
            {'i': 2, 'name': 'tool', 'version': '0.3.0', 'mode': 'todo', 'target': ' tool "bin"', 'duration': 1.5},
            {'i': 3, 'name': 'other', 'version': '1', 'mode': 'todo', 'target': '', 'duration': 1}]
    units = json.loads(small.read_text())['units']
    lines = [{'reason': 'compiler-artifact', 'package_id': 'x', 'target': units[0]['target']}] + [
        {'reason': 'timing-info', 'package_id': units[k]['pkg_id'], 'target': units[k]['target'], 'mode': units[k]['mode'], 'duration': time}
        for k, time in ((0, 0.25), (1, 0.5), (7, 1.5))] + [
        {'reason': 'timing-info', 'package_id': 'x#y@1', 'target': {'kind': ['lib'], 'name': 'y'}, 'mode': 'build', 'duration': 1}]
    times = folder / 'times'
    for text in ('<html><script>const UNIT_DATA = %s;\nconst X = {' % json.dumps(page, indent=2), '\n'.join(map(json.dumps, lines))):
        times.write_text(text)
        stages, _, said = read(small, '--durations', times)
        assert [stages[name][0] for name in names] == [0.25, 0.5, 0, 0, 0, 0, 0, 1.5], stages
        assert '1 units of the record are not in the graph' in said, said
    times.write_text('[]')
    assert 'of no unit of the graph' in run('show', small, '--durations', times).stderr
    refused('cargo', ('{"units": [{"pkg_id": "a", "target": {}, "dependencies": [{"index": 1}]}]}', '1:69', 'no unit 1'),
            ('{"units": [{"pkg_id": "a"}]}', '1:12', 'target'), ('{"version": 1}', '1:1', 'units'))


def bazel():
    stages, edges, said = read(DATA / 'small.bazel.json', '--default-duration', '3')
    assert stages == {'//a:a CppCompile': (1.5, {'cpu': '1', 'mem': '1048576'}), '//a:a CppCompile bin/a2.o': (2.25, {'cpu': '1'}),
                      '//a:tree Copy': (3, {'cpu': '1'}), '//a:a CppLink': (4, {'cpu': '1'})}, stages
    assert edges == sorted((a, '//a:a CppLink') for a in list(stages)[:3]), edges
    assert '1 actions that failed' in said and '1 actions came from the cache' in said, said
    # Two files of one action are one edge; of two that wrote a file the last counts.
    log = [{'mnemonic': 'A', 'listedOutputs': ['x', 'y']}, {'mnemonic': 'B', 'listedOutputs': ['z']}, {'mnemonic': 'C', 'listedOutputs': ['z']},
           {'mnemonic': 'D', 'inputs': ['x', 'y', 'z']}]
    _, edges, _ = read('-', '--from', 'bazel', text='\n'.join(map(json.dumps, log)))
    assert edges == [('A', 'D'), ('C', 'D')], edges
    refused('bazel', ('{"metrics": {"totalTime": "x"}, "mnemonic": "a"}', '1:27', 'totalTime is no time'), ('{"inputs": 5}', '1:12', 'the inputs'),
            ('{"mnemonic": "a", "inputs": ["y"], "listedOutputs": ["x"]}\n{"mnemonic": "b", "inputs": ["x"], "listedOutputs": ["y"]}', '2:1', 'cycle'))


for name in ('turbo', 'nx', 'cargo', 'bazel'):
    done = run('show', DATA / ('small.%s.json' % name))
    assert done.returncode == 0, (name, done.stderr)
# What marks them may come late: behind a long graph of projects, or the first action's inputs.
project = {'name': 'a', 'type': 'lib', 'data': {'root': 'packages/a', 'targets': {'build': {'executor': 'nx:run-script'}}}}
late = {'nx': {'graph': {'nodes': {'p%d' % k: project for k in range(2000)}}, 'tasks': {'tasks': {'a:build': {}}, 'roots': [], 'dependencies': {}}},
        'bazel': {'commandArgs': ['cc'], 'environmentVariables': [], 'inputs': [{'path': 'include/%d.h' % k} for k in range(9000)],
                  'listedOutputs': ['a.o'], 'mnemonic': 'CppCompile'}}
for name, job in late.items():
    text = json.dumps(job)
    assert len(text) > 1 << 17 and run('show', '-', text=text).returncode == 0, name
with tempfile.TemporaryDirectory() as scratch:
    turbo()
    nx(pathlib.Path(scratch))
    cargo(pathlib.Path(scratch))
    bazel()
