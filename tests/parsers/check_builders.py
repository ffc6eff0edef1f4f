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

from protobuf import field, varint

DATA = pathlib.Path(__file__).parent.parent / 'data'


def run(*words, text=None):
    done = subprocess.run([sys.argv[1], *map(str, words)], input=text.encode() if isinstance(text, str) else text, capture_output=True)
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


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
    # Bazel 4 to 6 told one time; newer ones say more.
    old = {'mnemonic': 'A', 'listedOutputs': ['x'], 'walltime': '1.25s'}
    stages, _, _ = read('-', '--from', 'bazel', text=json.dumps(old) + json.dumps({**old, 'mnemonic': 'B', 'metrics': {'executionWallTime': '1s'}}))
    assert (stages['A'][0], stages['B'][0]) == (1.25, 1), stages
    # Two files of one action are one edge; of two that wrote a file the last counts.
    log = [{'mnemonic': 'A', 'listedOutputs': ['x', 'y']}, {'mnemonic': 'B', 'listedOutputs': ['z']}, {'mnemonic': 'C', 'listedOutputs': ['z']},
           {'mnemonic': 'D', 'inputs': ['x', 'y', 'z']}]
    _, edges, _ = read('-', '--from', 'bazel', text='\n'.join(map(json.dumps, log)))
    assert edges == [('A', 'D'), ('C', 'D')], edges
    refused('bazel', ('{"metrics": {"totalTime": "x"}, "mnemonic": "a"}', '1:27', 'totalTime is no time'), ('{"inputs": 5}', '1:12', 'the inputs'),
            ('{"mnemonic": "a", "inputs": ["y"], "listedOutputs": ["x"]}\n{"mnemonic": "b", "inputs": ["x"], "listedOutputs": ["y"]}', '2:1', 'cycle'))


def compact(*entries):
    """A compact log of the entries: (id, kind, message)."""
    head = field(2, field(1, 'SHA-256') + field(2, '_main'))
    messages = [head] + [(field(1, name) if name else b'') + field(kind, message) for name, kind, message in entries]
    return b''.join(varint(len(message)) + message for message in messages)


FILE, FOLDER, LINK, SET, SPAWN, LINKED, LINKS, RUNFILES = range(3, 11)


def spawn(mnemonic, inputs, *outputs, label='', code=0, hit=0, metrics=b'', old=False):
    return field(1, 'cc') + (field(4, inputs) if inputs else b'') + b''.join(
        field(6, field(4, out) if isinstance(out, str) else field(1 if old else 5, out)) for out in outputs) + (
        field(7, label) if label else b'') + field(8, mnemonic) + field(9, code) + field(12, hit) + field(18, metrics)


def bazel_compact():
    def lasts(seconds, nanos):
        return field(1, seconds) + field(2, nanos)

    source = [(1, FILE, field(1, 'a.c')), (2, FILE, field(1, 'a.h') + field(2, field(1, '00'))), (3, SET, field(5, [1, 2])), (4, FILE, field(1, 'b.c')),
              (5, SET, field(4, [3]) + field(5, 4)), (6, FILE, field(1, 'bin/a1.o')), (7, FILE, field(1, 'bin/a2.o'))]
    tree = (8, FOLDER, field(1, 'bin/tree') + field(2, field(1, 'x')) + field(2, field(1, 'y')))
    actions = [(0, SPAWN, spawn('CppCompile', 3, 6, label='//a:a', metrics=field(1, lasts(2, 0)) + field(8, lasts(1, 500000000)) + field(13, 1 << 20))),
               (0, SPAWN, spawn('CppCompile', 5, 7, label='//a:a', metrics=field(1, lasts(2, 250000000)))), (0, SPAWN, spawn('CppCompile', 5, 7, label='//a:a', code=1)),
               tree, (0, SPAWN, spawn('Copy', 3, 8, label='//a:tree', hit=1))]
    inputs = [(9, SET, field(5, [6, 7])), (20, SET, field(4, [9, 3, 5]) + field(5, [8])), (21, FILE, field(1, 'bin/a'))]
    log = compact(*source, *actions, *inputs, (0, SPAWN, spawn('CppLink', 20, 21, label='//a:a', metrics=field(8, lasts(4, 0)))))
    # The same job as of the JSON form.
    (stages, edges, said), same = read('-', '--default-duration', '3', text=log), read(DATA / 'small.bazel.json', '--default-duration', '3')
    assert (stages, edges) == same[:2] and said.replace('<stdin>', '') == same[2].replace(str(DATA / 'small.bazel.json'), ''), (stages, edges, said)
    # Bazel 7.1 has lists of its own for files, folders and links.
    old = compact(*source[:2], (3, SET, field(1, [1, 2])), source[5], (0, SPAWN, spawn('A', 3, 6, old=True)), tree, (0, SPAWN, field(6, field(2, 8)) + field(8, 'B')),
                  (9, SET, field(1, 6) + field(2, [8])), (10, LINK, field(1, 'l')), (0, SPAWN, spawn('C', 9) + field(6, field(3, 10))), (11, SET, field(3, [10])),
                  (0, SPAWN, spawn('D', 11)))
    assert read('-', text=old)[1] == [('A', 'C'), ('B', 'C'), ('C', 'D')], read('-', text=old)
    # A file of a folder; links to files, of actions and in a tree of runfiles; what should have been made.
    links = compact(tree, (0, SPAWN, spawn('A', 0, 8, 'bin/x')), (1, FILE, field(1, 'bin/tree/y')), (2, SET, field(5, 1)), (0, SPAWN, spawn('B', 2)),
                    (0, LINKED, field(1, 'bin/tree') + field(2, 'bin/l')), (0, LINKED, field(1, 'bin/l') + field(2, 'bin/m')), (0, LINKED, field(1, 'n') + field(2, 'n')),
                    (3, FILE, field(1, 'bin/m')), (4, FILE, field(1, 'n')), (5, SET, field(5, [3, 4])), (0, SPAWN, spawn('C', 5)),
                    (6, LINKS, field(1, field(1, 'p') + field(2, 3))), (7, LINKS, field(2, [6])), (9, RUNFILES, field(1, 'r') + field(3, 7) + field(6, field(1, 'm'))),
                    (10, SET, field(5, [9])), (0, SPAWN, spawn('D', 10)), (0, 12, b'new'), (11, FILE, field(1, 'bin/x')), (12, SET, field(5, 11)), (0, SPAWN, spawn('E', 12)),
                    (13, RUNFILES, field(1, 'q') + field(2, 2)), (14, SET, field(5, [13])), (0, SPAWN, spawn('F', 14)))
    assert read('-', text=links)[1] == [('A', 'B'), ('A', 'C'), ('A', 'D'), ('A', 'E'), ('A', 'F')], read('-', text=links)
    for log, words in ((old[:-1], 'entry 13 of the log is cut short'), (links + b'\x80', 'entry 26 of the log is cut short'),
                       (compact((0, SPAWN, spawn('A', 7))), 'entry 2 of the log refers to 7'), (compact((1, SET, field(5, [2]))), 'refers to 2'),
                       (compact((1, FILE, b'\x0a\x05x')), 'entry 2 of the log is cut short'), (compact((1, FILE, field(1, 'x')), (1, FILE, field(1, 'y'))), 'entry 3'),
                       (compact((0, SPAWN, spawn('A', 0, metrics=field(8, field(1, 1 << 40))))), 'entry 2'),
                       (compact((1, FILE, field(1, 'x')), (2, SET, field(5, 1)), (0, SPAWN, spawn('A', 2)), (0, SPAWN, spawn('B', 0, 1)),
                                (3, FILE, field(1, 'y')), (4, SET, field(5, 3)), (0, SPAWN, spawn('C', 4, 1)), (0, SPAWN, spawn('D', 2, 3))), 'cycle')):
        done = run('show', '-', text=log)
        assert done.returncode == 3 and words in done.stderr, (words, done.stderr)


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
    bazel_compact()
