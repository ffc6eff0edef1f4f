#!/usr/bin/env python3
"""The XML that is written fits the published RELAX NG and the XSD derived from it, and both refuse what
they must.

check_relaxng.py SOURCE_ROOT BIGROCKS. Exit status 77 where xmllint is missing; without trang there is
no XSD to try. With the public instances beside the project, those in the native form have to fit, too.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# A change to a valid plan, job or cluster that makes it invalid: (schema, pattern, replacement).
DAMAGES = [
    ('plan', r' rank="1"', ''), ('plan', r' rank="1"', ' rank="0"'),
    ('plan', r' subset="\w"', ' subset="X"'), ('plan', r' seed="\d+"', ' seed="-1"'),
    ('plan', r'<trial method="[^"]*"', '<trial'), ('plan', r'urn:bigrocks:plan:1', 'urn:other'),
    ('plan', r'(?s)<task .*</plan>', '</plan>'), ('plan', r' start="0"', ' start="NaN"'),
    ('plan', r'(?s)<job .*</job>', ''), ('plan', r' type="barrier"', ' type="x"'),
    ('job', r' id="[^"]*"', ' id=""'), ('job', r' tasks="\d+"', ' tasks="0"'),
    ('job', r' duration="[\d.]+"', ' duration="-1"'), ('job', r' amount="\d+"', ' amount="many"'),
    ('job', r'<demand ', '<demands '), ('job', r' from="[^"]*"', ''),
    ('job', r'(?s)<stage .*</stage>', ''), ('job', r'<stage ', '<stage colour="red" '),
    ('job', r'<edge ', '<egde '), ('job', r'<edge from="[^"]*"', '<edge too="a"'),
    ('job', r'<stage ', '<stage xmlns:b="urn:bigrocks:job:1" b:duration="1" '),
    ('job', r'<stage ', '<stage xmlns:b="urn:bigrocks:plan:1" b:duration="1" '),
    ('cluster', r'<machine ', '<machine xmlns:b="urn:bigrocks:cluster:1" b:count="1" '),
    ('storage', r' from="end"', ' from="late"'), ('storage', r' keep="no"', ' keep="false"'),
    ('storage', r'<output id="[^"]*"', '<output id="a b"'), ('storage', r'<output id="[^"]*"', '<output'),
    ('storage', r' stream="yes"', ' stream="true"'), ('storage', r' lag="[^"]*"', ' lag="-1"'),
    ('storage', r' release="[^"]*"', ' release="soon"'), ('storage', r' deadline="[^"]*"', ' deadline="-1"'),
    ('storage', r'<shared resource="[^"]*"', '<shared'), ('storage', r'<unavailable ', '<unavailable amount="1" '),
    ('storage', r'(<change [^>]*) amount="[^"]*"', r'\1'), ('storage', r'(<unavailable [^>]*) to="', r'\1 until="'),
    ('plan', r'<task ', '<task xmlns:b="urn:bigrocks:plan:1" b:start="1" '),
    ('job', r'(<stage [^>]*>)', r'\1<note xmlns=""/>'), ('job', r'(<stage [^>]*>)', r'\1text'),
    ('job', r'(<stage [^>]*>)', r'\1<edge from="a" to="b"/>'), ('job', r'<job ', '<job shell="1" '),
    ('job', r'(<stage [^>]*>)', r'\1<b:x xmlns:b="urn:bigrocks:plan:1"/>'),
    ('cluster', r'<machine ', '<machine counts="2" '), ('cluster', r'<capacity ', '<demand '),
    ('cluster', r' count="\d+"', ' count="1.5"'), ('cluster', r' class="[^"]*"', ''),
    ('cluster', r'(?s)<machine.*</machine>', ''),
    ('workload', r'<job ', '<jobb '), ('workload', r' file="[^"]*"', ''), ('workload', r' file=', ' path='),
    ('workload', r' arrival="[^"]*"', ' arrival="-1"'), ('workload', r' arrival="[^"]*"', ' arrival="soon"'),
    ('workload', r' seed="\d+"', ' seed="-1"'), ('workload', r' seed="\d+"', ' seed="18446744073709551616"'),
    ('workload', r' weight="2"', ' weight="two"'), ('workload', r' name="a"', ''),
    ('workload', r'(?s)<job .*/>', ''), ('workload', r'urn:bigrocks:workload:1', 'urn:other'),
    ('workload', r'<job ', '<job xmlns:b="urn:bigrocks:workload:1" b:seed="1" '),
    ('workload', r'(?s)(<group name="b".*?/>)(.*?)(<job .*?/>)', r'\2\3\1'),
    ('workload', r'(?s)(<cluster.*?</cluster>)', r'\1\1'),
    ('workload', r'<capacity resource="[^"]*"', '<capacity resource=""'),
]
# XML Schema 1.0 cannot say this: how many elements there have to be where they come in any order, and
# of attributes of others, that they are in none of several namespaces.
XSD_ACCEPTS = {r'(?s)<stage .*</stage>', r'(?s)<machine.*</machine>', '<stage xmlns:b="urn:bigrocks:plan:1"'
               ' b:duration="1" ', r'(?s)<job .*/>', r'(?s)(<group name="b".*?/>)(.*?)(<job .*?/>)',
               r'(?s)(<cluster.*?</cluster>)'}
# Others may add these: attributes and elements of their own namespaces.
EXTENSION = (r'<stage ', '<stage xmlns:o="urn:other" o:colour="red" ')
EXTENSION_ELEMENT = (r'(<stage [^>]*>)', r'\1<note xmlns="urn:other" a="1">text <b/>'
                     '<stage xmlns="urn:bigrocks:job:1" egde="1">text</stage><x xmlns=""/></note>')


def main():
    root, bigrocks = pathlib.Path(sys.argv[1]), sys.argv[2]
    if not shutil.which('xmllint'):
        print('xmllint is not installed')
        return 77
    failed = []

    def fits(schema, path, kind='rng'):
        done = subprocess.run(['xmllint', '--noout', '--nonet',
                               '--relaxng' if kind == 'rng' else '--schema',
                               str(schemas[kind] / ('%s-1.%s' % (schema, kind))), str(path)],
                              capture_output=True, text=True)
        assert 'compile' not in done.stderr and 'parser error' not in done.stderr, done.stderr
        return done.returncode == 0, done.stderr

    with tempfile.TemporaryDirectory(prefix='bigrocks-relaxng') as scratch:
        folder = pathlib.Path(scratch)
        schemas = {'rng': root / 'docs/schema'}
        if subprocess.run([str(root / 'tools/xsd'), scratch]).returncode == 0:
            schemas['xsd'] = folder
        else:
            print('trang is not installed')

        def write(name, *arguments):
            path = folder / name
            subprocess.run([bigrocks, *map(str, arguments), '-o', str(path)], check=True)
            return path

        examples = root / 'examples'
        rack = examples / 'cluster-rack.xml'
        job = write('job.xml', 'convert', examples / 'query.xml', '--cluster', rack)
        plan = write('plan.xml', 'plan', job, '-q', '--no-lp')
        recorded = folder / 'log.swf'
        recorded.write_text('; MaxProcs: 8\n' + ''.join(
            '%d %d 1 10 4 -1 -1 4 20 -1 1 3 1 1 1 -1 -1 -1\n' % (k, k) for k in range(1, 9)))
        workload = write('workload.xml', 'workload', recorded, '--groups', 'a=2,b=1', '--assign', 'in-turn',
                         '--deadlines', '2x', '--scale-durations', '0.5', '--count', '5')
        files = [('job', job), ('plan', plan), ('cluster', rack), ('workload', workload),
                 ('workload', write('made.xml', 'workload', '--like', 'chain', '--count', '3'))]
        files += [('workload' if '<workload ' in p.read_text() else 'job', p) for p in examples.glob('*.xml')
              if 'cluster' not in p.name and 'explain' not in p.name]
        files += [('cluster', p) for p in examples.glob('cluster-*.xml')]
        storage = root / 'tests/cli/data/storage.xml'
        files += [('job', storage), ('job', write('storage.xml', 'convert', storage))]
        files += [('job', p) for p in (root / 'tests/golden').glob('*.job.xml')]
        files += [('plan', p) for p in (root / 'tests/golden').glob('*.plan.xml')]
        files += [('job', write(p.name + '.xml', 'convert', p)) for p in
                  sorted((root / 'tests/data').glob('*')) if 'cluster' not in p.name and p.is_file()]
        files += [('job', write(kind + '.xml', 'generate', '--like', kind, '--tasks', '60'))
                  for kind in ('cosmos', 'layered')]
        shared = pathlib.Path(os.environ.get('BIGROCKS_SHARED') or root.parent / 'shared') / 'data'
        files += [('job', p) for pattern in ('tpch/q*.xml', 'alibaba/j_1*1.xml', 'build/*.xml')
                  for p in sorted(shared.glob(pattern))]
        files += [('cluster', p) for p in sorted(shared.glob('clusters/*.xml'))]
        elements = ('job', folder / 'elements.xml')
        elements[1].write_text(re.sub(*EXTENSION_ELEMENT, job.read_text(), count=1))
        attributes = ('job', folder / 'attributes.xml')
        attributes[1].write_text(re.sub(*EXTENSION, job.read_text(), count=1))
        for _, path in (attributes, elements):
            written = subprocess.run([bigrocks, 'convert', path, '--format', 'xml'], capture_output=True)
            if written.stdout != job.read_bytes():
                failed.append('%s is not as %s: %s' % (path.name, job.name, written.stderr))
        for schema, path in files + [attributes, elements]:
            for kind in schemas:
                good, said = fits(schema, path, kind)
                if good != (kind == 'rng' or path != elements[1]):
                    failed.append('%s and %s.%s: %s' % (path.name, schema, kind, said))
        whole = {'storage': storage, 'job': job, 'plan': plan, 'cluster': rack, 'workload': workload}
        for schema, pattern, replacement in DAMAGES:
            text = whole[schema].read_text()
            bad = folder / 'bad.xml'
            bad.write_text(re.sub(pattern, replacement, text, count=1))
            assert bad.read_text() != text, (schema, pattern)
            schema = 'job' if schema == 'storage' else schema
            if schema != 'plan':  # the program agrees
                option = ['--cluster', bad] if schema == 'cluster' else []
                command = (['workload', bad, '-f', 'xml'] if schema == 'workload' else
                           ['convert', job if option else bad, '--format', 'xml', *option])
                status = subprocess.run([bigrocks, *command], capture_output=True).returncode
                if status != 3:
                    failed.append('status %d with %s -> %s' % (status, pattern, replacement))
            for kind in schemas:
                if fits(schema, bad, kind)[0] != (kind == 'xsd' and not XSD_ACCEPTS.isdisjoint(
                        [pattern, replacement])):
                    failed.append('%s.%s and %s -> %s' % (schema, kind, pattern, replacement))
    print('\n'.join(failed) or '%s: %d files, %d damaged ones' % (
        ', '.join(schemas), len(files), len(DAMAGES)))
    return len(failed) > 0


if __name__ == '__main__':
    sys.exit(main())
