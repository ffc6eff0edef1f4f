#!/usr/bin/env python3
"""Chakra's execution traces are read alike in all of their forms, and damaged ones are refused.

usage: check_chakra.py BIGROCKS
"""
import gzip
import html
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from protobuf import field, varint

DATA = pathlib.Path(__file__).parent.parent / 'data'
TYPES = 'INVALID_NODE METADATA_NODE MEM_LOAD_NODE MEM_STORE_NODE COMP_NODE COMM_SEND_NODE COMM_RECV_NODE COMM_COLL_NODE'.split()
# id, name, type, control, data, microseconds, attributes.
NODES = [(7, 'start', 1, [], [], 0, {}), (8, 'load', 2, [], [7], 40, {}), (300, 'conv', 4, [7], [8, 8], 1500, {'is_cpu_op': False}),
         (9, 'launch', 4, [300], [300], 250, {'is_cpu_op': True, 'tid': 1}), (10, 'conv', 4, [], [300, 9], 0, {}),
         (11, 'sum', 7, [], [10, 4000], 2000, {'comm_size': 1 << 20}), (12, 'send', 5, [11], [], 5, {'comm_size': 64}), (13, 'wait', 6, [], [12], 5, {})]
STAGES = {'start': (0, {}), 'load': (4e-05, {'gpu': '1'}), 'conv': (0.0015, {'gpu': '1'}), 'launch': (0.00025, {'cpu': '1'}), 'conv #10': (3, {'gpu': '1'}),
          'sum': (0.002, {'comm': '1'}), 'send': (5e-06, {'comm': '1'}), 'wait': (5e-06, {})}
EDGES = sorted([('start', 'load'), ('start', 'conv'), ('load', 'conv'), ('conv', 'launch'), ('conv', 'conv #10'), ('launch', 'conv #10'),
                ('conv #10', 'sum'), ('sum', 'send'), ('send', 'wait')])
TOLD = ('1 dependencies on nodes that are not', '1 control dependencies of operators', '1 of 8 nodes have no duration', '2 nodes send to')


def binary(nodes, packed=True, head=field(1, '1.1.1-chakra.0.0.4')):
    out = varint(len(head)) + head
    for name, text, kind, control, data, micros, attributes in nodes:
        message = field(1, name) + field(2, text) + field(3, kind)
        for number, needs in ((4, control), (5, data)):
            message += field(number, b''.join(map(varint, needs))) if packed else b''.join(field(number, need) for need in needs)
        message += field(7, micros) + field(8, field(1, '[]'))
        for key, value in attributes.items():
            message += field(10, field(1, key) + field({'is_cpu_op': 27, 'comm_size': 9, 'tid': 13}[key], int(value)))
        message += varint(99 << 3 | 1) + bytes(8) + varint(98 << 3 | 5) + bytes(4)  # fields that nobody knows
        out += varint(len(message)) + message
    return out


def jsonized(nodes):
    objects = [{'version': '1.1.1-chakra.0.0.4', 'attr': [{'name': 'pid', 'int64Val': '-1'}]}]
    for name, text, kind, control, data, micros, attributes in nodes:
        objects.append({'id': str(name), 'name': text, 'type': TYPES[kind], 'ctrlDeps': list(map(str, control)), 'dataDeps': list(map(str, data)),
                        'durationMicros': str(micros), 'attr': [{'name': key, 'boolVal' if isinstance(value, bool) else 'int64Val': value if isinstance(value, bool) else str(value)}
                                                                for key, value in attributes.items()] + [{'name': 'seq_id', 'int64Val': '-1'}]})
    return ''.join(json.dumps(thing, indent=2) for thing in objects)


def feeder(nodes):
    return json.dumps({'workload_graph': [
        {'Id': name, 'Name': text, 'NodeType': kind, 'data_deps': control + data, 'runtime': micros, 'is_cpu_op': attributes.get('is_cpu_op', False),
         **{key: value for key, value in attributes.items() if key == 'comm_size'}} for name, text, kind, control, data, micros, attributes in nodes]})


def run(*words, data=None):
    done = subprocess.run([sys.argv[1], *map(str, words)], input=data.encode() if isinstance(data, str) else data, capture_output=True)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def read(name, data=None):
    code, out, said = run('convert', name, '--format', 'xml', '--default-duration', '3', data=data)
    assert code == 0, said
    stages = {html.unescape(stage): (float(time), dict(re.findall(r'<demand resource="([^"]*)" amount="([^"]*)"', inside or '')))
              for stage, time, inside in re.findall(r'<stage id="([^"]*)" tasks="1" duration="([^"]*)"(?:/>|>(.*?)</stage>)', out, re.S)}
    return stages, sorted(re.findall(r'<edge from="([^"]*)" to="([^"]*)"', out)), said, out


def refused(data, place, words):
    code, _, said = run('show', '-', '--from', 'chakra', data=data)
    assert code == 3 and '<stdin>:' + place in said and words in said, (code, said)


forms = {'binary': binary(NODES), 'each alone': binary(NODES, packed=False), 'json': jsonized(NODES),
         # No version, and a long attribute; a first message that begins like JSON.
         'attributes': binary(NODES, head=field(2, field(1, 'schema') + field(29, 'x' * 300))),
         'brace': binary(NODES, head=field(1, '0.0.4') + field(2, field(1, 'a') + field(29, 'y' * 108)))}
assert forms['brace'][:1] == b'{'
if ', zlib' in run('--version')[1]:
    forms['gzip'] = gzip.compress(binary(NODES))
for name, data in forms.items():
    stages, edges, said, out = read('-', data)
    assert stages == STAGES and edges == EDGES, (name, stages, edges)
    assert all(words in said for words in TOLD), (name, said)
    assert '<attribute name="comm_size" value="1048576"/>' in out, out
with_feeder = [node[:3] + ([], node[3] + node[4] if node[0] != 9 else node[4]) + node[5:] for node in NODES]
stages, edges, said, _ = read('-', feeder(with_feeder))
assert stages == STAGES and edges == EDGES, (stages, edges)
for name in ('small.chakra.json', 'small.chakra.et'):
    assert read(DATA / name)[:2] == (STAGES, EDGES), name
# A name of more than 255 bytes is cut between characters; what no line can show becomes '?'.
stages, _, _, _ = read('-', binary([(1, 'é' * 200 + 'x', 4, [], [], 1, {}), (2, 'a\nb', 4, [], [], 1, {}), (3, '', 4, [], [], 1, {})]))
assert list(stages) == ['é' * 127, 'a?b', '#3'], stages
whole = binary(NODES)
refused(whole[:-1], ' ', 'message 9 of the trace is cut short')
refused(whole + b'\x80', ' ', 'message 10 of the trace is cut short')
refused(binary([(1, b'x', 4, [], [], 1, {})])[:-13] + b'\xff' * 13, ' ', 'message 2')
refused(binary([NODES[0], NODES[0]]), ' ', 'node 7 stands twice')
refused(binary([(1, 'a', 4, [], [2], 1, {}), (2, 'b', 4, [], [1], 1, {})]), ' ', 'cycle')
refused(binary([(1, 'a', 4, [], [], 1 << 62, {})]), ' ', 'too long')
refused('{"version": "1"}{"id": "1", "type": "X_NODE"}', '1:37: ', "type 'X_NODE'")
refused('{"version": "1"}\n{"id": "1.5"}', '2:8: ', 'no whole number')
refused('{"version": "1"}\n{"id": "1", "dataDeps": ["-1"]}', '2:26: ', 'no whole number')
refused('{"version": "1"}\n{"id": "1"}{"id": "1"}', '2:12: ', 'stands twice')
code, _, said = run('show', '-', data='{"schema": "1.0.2-chakra.0.0.4", "nodes": [{"id": 2, "name": "x", "ctrl_deps": 1}]}')
assert code == 3 and 'chakra_converter' in said, said
