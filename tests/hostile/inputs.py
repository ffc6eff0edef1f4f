#!/usr/bin/env python3
"""An input made to overwhelm a reader is refused with its place, or planned: in little time and memory.

inputs.py BIGROCKS

Entities, nesting, numbers at every boundary, names and commands of a million characters through
every output.
"""
import json
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

BIGROCKS = pathlib.Path(sys.argv[1]).resolve()
JOB, CLUSTER = 'urn:bigrocks:job:1', 'urn:bigrocks:cluster:1'
SECONDS, BYTES = 30, 2 << 30
OUTPUTS = ('order json xml dot gantt svg html trace otlp mermaid mermaid-flowchart mspdi slurm dagman snakemake dask '
           'hyperqueue hyperqueue-toml parsl make ninja airflow argo gitlab github '
           'starpu wfformat').split()
ENGINES = set('slurm dagman snakemake dask hyperqueue hyperqueue-toml parsl make ninja airflow argo gitlab github'.split())
MANY = 10 ** 6


def limit():
    if 'asan' not in str(BIGROCKS):
        resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))


def call(folder, *words):
    done = subprocess.run([str(BIGROCKS), *map(str, words)], cwd=folder, timeout=SECONDS, capture_output=True,
                          stdin=subprocess.DEVNULL, preexec_fn=limit)
    # Whatever it was, the message is short, and it is text.
    message = done.stderr.decode()
    assert done.returncode in (0, 3) and len(message) < 4000, (words, done.returncode, message[:500])
    note = done.returncode == 0 and message.startswith('bigrocks: note: limits') and message.count('\n') == 1
    assert note or bool(message) == (done.returncode == 3), (words, message)
    return done.returncode, message, done.stdout


def job(inside='<stage id="s" duration="1"/>', name='x', before=''):
    return '%s<job xmlns="%s" name="%s">%s</job>' % (before, JOB, name, inside)


def entities(folder):
    """In no reader of XML does an entity mean anything, in a text or an attribute."""
    (folder / 'secret.txt').write_text('SECRET')
    (folder / 'evil.dtd').write_text('<!ENTITY e "SECRET"><!ENTITY % p SYSTEM "secret.txt">')
    declared = {
        'laughs': '[%s]' % ''.join('<!ENTITY e%s "%s">' % (k or '', ('&e%d;' % (k + 1)) * 10 if k < 11 else 'ha')
                                   for k in range(12)),
        'square': '[<!ENTITY e "%s">]' % ('x' * 50000),
        'file': '[<!ENTITY e SYSTEM "secret.txt">]',
        'dtd': 'SYSTEM "evil.dtd"',
        'parameter': '[<!ENTITY % p SYSTEM "evil.dtd"> %p;]',
        'default': '[<!ATTLIST stage duration CDATA "9"> <!ENTITY e "x">]',
        'recursive': '[<!ENTITY e "&f;"><!ENTITY f "&e;">]',
    }
    (folder / 'good.xml').write_text(job())
    many = '&e;' * 20000
    for kind, text in declared.items():
        before = '<?xml version="1.0"?><!DOCTYPE x %s>' % text
        files = {
            'text.xml': job('<stage id="s" duration="1"><command>%s</command></stage>' % many, before=before),
            'attribute.xml': job(name=many, before=before),
            'dax.xml': before + '<adag xmlns="http://pegasus.isi.edu/schema/DAX" version="3.3" name="x">'
                                '<job id="%s" name="x" runtime="1"/></adag>' % many,
            'cluster.xml': before + '<cluster xmlns="%s" name="x"><machine class="%s" count="1"><capacity '
                                    'resource="cpu" amount="1"/></machine></cluster>' % (CLUSTER, many)}
        for name, content in files.items():
            (folder / name).write_text(content)
            words = ['show', name]
            if name == 'cluster.xml':
                words = ['show', 'good.xml', '--cluster', name]
            elif name != 'dax.xml':
                words = ['convert', name, '--from', 'xml', '--format', 'xml']
            else:
                words += ['--from', 'dax']
            code, message, out = call(folder, *words)
            assert code == 3 and re.match(r'%s:\d+:\d+: document type declarations are refused' % name, message), (
                kind, name, message)
            assert b'SECRET' not in out and 'SECRET' not in message
    # Without a declaration there are no entities but XML's own.
    (folder / 'undeclared.xml').write_text(job(name='&e;'))
    assert call(folder, 'show', 'undeclared.xml')[0] == 3
    (folder / 'include.xml').write_text(job(
        '<stage id="s" duration="1"><command>echo <i:include xmlns:i="http://www.w3.org/2001/XInclude" '
        'href="secret.txt" parse="text"/></command></stage>'))
    assert b'SECRET' not in call(folder, 'convert', 'include.xml', '--format', 'xml')[2]


def nesting(folder):
    depth = 200000
    for name, text, wanted in [
            ('deep.xml', job('<f:w xmlns:f="urn:other">' + '<f:a>' * depth), 'nested too deeply'),
            ('deep.dot', 'digraph g {' + 'subgraph {' * depth, 'nested more than 200 deep'),
            ('deep.json', '{"schemaVersion":"1.5","name":"w","workflow":{"specification":{"tasks":' + '[' * depth, ''),
            ('deep.plan.json', '{"format":"bigrocks-plan/1","x":' + '[' * depth, 'nested more than'),
            ('deep.explain.json', '[{"Plan":' + '{"Node Type":"Result","Plans":[' * depth, '')]:
        (folder / name).write_text(text)
        words = ['render', name, '--format', 'order'] if 'plan.' in name else ['show', name]
        code, message, _ = call(folder, *words)
        assert code == 3 and wanted in message, (name, message)
    (folder / 'attributes.xml').write_text(job('<stage id="s" duration="1" %s/>'
                                               % ' '.join('a%d=""' % k for k in range(depth))))
    assert call(folder, 'show', 'attributes.xml')[0] == 3


# A number, and what it is as a duration, an amount, a count: refused, or its value in the job's XML.
NUMBERS = [
    ('0', '0', '0', None), ('-0', '0', '0', None), ('-0.0', '0', '0', None), ('1', '1', '1', '1'),
    ('+1', '1', '1', None), ('1e2', '100', '100', None), ('1.', '1', '1', None), ('.5', '0.5', '0.5', None),
    ('0.000000001', '0.000000001', '0.000000001', None), ('0.3', '0.3', '0.3', None),
    ('1e9', '1000000000', '1000000000', None),
    ('999999999999999999', None, '999999999999999999', None), ('0.' + '0' * 17 + '1', '', '0.' + '0' * 17 + '1', None),
    ('2305843009.213693951', '2305843009.213693951', None, None), ('9223372036.854775807', '9223372036.854775807', None, None), ('9223372036.854775808', None, None, None),
    ('9223372036854775807', None, None, None), ('9223372036854775808', None, None, None),
    ('-9223372036854775808', None, None, None), ('18446744073709551616', None, None, None),
    ('4294967295', '4294967295', '4294967295', None),
    ('4294967296', '4294967296', '4294967296', None), ('20000001', '20000001', '20000001', None),
    ('1e400', None, None, None), ('-1e400', None, None, None), ('1e-400', '', None, None),
    ('1e2147483648', None, None, None), ('1e-2147483649', '', None, None), ('1e99999999999999999999', None, None, None),
    ('9' * 400, None, None, None), ('-1', None, None, None)] + [
    (text, None, None, None) for text in ('NaN', 'nan', 'inf', '-inf', 'Infinity', '0x10', '1e', '1_000', '', '1,5', '\u0661',
                                          '--1', '1 2', '1;2', '1s', '1e1.5', '\u00bd', 'true')]


def numbers(folder):
    """Refused with the value's place, or taken exactly; the readers of plans and options do as well."""
    for text, duration, amount, count in NUMBERS:
        for kind, wanted in (('duration', duration), ('amount', amount), ('tasks', count)):
            if kind == 'tasks' and not text.strip('+-').isdigit():
                continue  # all the same to it
            value = {'duration': '1', 'amount': '1', 'tasks': '1', kind: text}
            (folder / 'n.xml').write_text(job('<stage id="s" tasks="%(tasks)s" duration="%(duration)s"><demand '
                                              'resource="cpu" amount="%(amount)s"/></stage>' % value))
            code, message, out = call(folder, 'convert', 'n.xml', '--format', 'xml')
            if wanted is None:
                assert code == 3 and re.match(r'n\.xml:1:\d+: ', message), (kind, text, message)
                continue
            got = re.search(r'%s="([^"]*)"' % kind, out.decode())
            assert code == 0 and (not wanted or got[1] == wanted), (kind, text, message, got and got[1])
    (folder / 'n.xml').write_text(job('<stage id="s" duration="1"><demand resource="cpu" amount="1"/></stage>'))
    code, _, plan = call(folder, 'plan', 'n.xml', '--capacity', 'cpu=1', '--no-lp', '-q', '--format', 'json')
    assert code == 0
    for field in ('"start": 0', '"end": 1', '"rank": 1', '"makespan": 1', '"tasks": 1', '"count": 1', '"cpu": 1'):
        assert field.encode() in plan, (field, plan)
        for value in ('-1', '1e400', '9223372036854775808', '18446744073709551617', 'NaN', 'null', '99999999999'):
            changed = plan.replace(field.encode(), (field.split(':')[0] + ': ' + value).encode())
            (folder / 'p.json').write_bytes(changed)
            done = subprocess.run([str(BIGROCKS), 'render', 'p.json', '--format', 'svg'], cwd=folder,
                                  capture_output=True, timeout=SECONDS, preexec_fn=limit)
            assert done.returncode in (0, 3), (field, value, done)


def sizes(folder):
    """A million characters in every place, through every output."""
    long = 'n' * MANY
    for kind in ('names', 'command', 'lines'):
        job, id, machine, note = (what + long * (kind == 'names') for what in 'jimn')
        name = 'r' * 1000  # which a trace has hundreds of times
        command = {'names': 'true', 'command': 'true ' + long, 'lines': "true '%s'" % ('true;\n' * (MANY // 6))}[kind]
        (folder / 'l.xml').write_text(
            '<job xmlns="%s" name="%s"><resource name="%s"/><stage id="%s" tasks="2" duration="1"><demand '
            'resource="%s" amount="1"/><command>%s</command><attribute name="note" value="%s"/></stage></job>'
            % (JOB, job, name, id, name, command, note))
        (folder / 'l.cluster.xml').write_text(
            '<cluster xmlns="%s" name="c"><machine class="%s" count="2"><capacity resource="%s" amount="1"/>'
            '</machine></cluster>' % (CLUSTER, machine, name))
        code, message, _ = call(folder, 'plan', 'l.xml', '--cluster', 'l.cluster.xml', '--no-lp', '-q', '-o', 'l.json')
        assert code == 0, (kind, message)
        for output in OUTPUTS if kind == 'names' else ('json', 'wfformat', *ENGINES):
            code, message, text = call(folder, 'render', 'l.json', '--format', output)
            too_long = kind != 'names' and output in ENGINES
            assert code == (3 if too_long else 0), (kind, output, message)
            if too_long:
                assert 'engines pass no more than 120000' in message, message
            if output == 'json':
                stage = json.loads(text)['stages'][0]
                assert stage['id'] == id and stage['command'] == command
            if output == 'slurm' and not too_long:
                # No word of what it calls may be longer than Linux takes.
                assert max(map(len, re.split(r'\s', text.decode()))) < 131072


def main():
    with tempfile.TemporaryDirectory(prefix='bigrocks-hostile') as scratch:
        folder = pathlib.Path(scratch)
        for part in (entities, nesting, numbers, sizes):
            began = time.monotonic()
            part(folder)
            print('%s: %.1f s' % (part.__name__, time.monotonic() - began), flush=True)


if __name__ == '__main__':
    main()
