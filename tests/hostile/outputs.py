#!/usr/bin/env python3
"""Nasty names through every output: each file is loaded by what it is for, the names come back as
they were, and nothing of them is taken for anything but a name.

outputs.py BIGROCKS [COMPILER...]
"""
import ast
import csv
import html.parser
import io
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import xml.etree.ElementTree as ET
from xml.sax.saxutils import quoteattr

import engines

SCRIPT = '</script><script>document.title="pwned"</script><script src=x>'
NAMES = [
    '"', "'", '\\', 'a\\', '\\N', '\\"', '\\\\G', SCRIPT, '<!--<script>', '-->', ']]>', '<b>bold</b>', '<table>',
    '<img src=x onerror="document.title=1">', '&lt;', '&amp;', '&#38;', '$(touch canary)', '`touch canary`',
    ';touch canary;', '../../canary', '/canary', '..', '-rf', '@x', '+y', '=1+1', 'a%s%n', '{{7*7}}', '{index}',
    '{% endraw %}', '{%endraw%}{{ 7*7 }}{%raw%}', 'x[0]', 'u\u2028v', 'u\u2029v', 'u\u0085v', 'u\u0080v',
    '\u202eabc\u202c', '\ufeffz', 'z\u200b', '*/ int x; /*', '??/', '??/",0,0,0}}; int pwn[]={0 //', '//', 'node',
    'digraph', '日本語', '😀', ' lead', 'trail ', 'a b', "x'--", 'null', 'NaN', '"""', "'''", 'n:port', 'y: z',
    '- w', '*alias', '|', '#', 'e\u0301', 'L' * 5000]
RESOURCE = 'r\u2028"<\\'
MACHINE = 'm"\\' + SCRIPT + '\u202e' + 'M' * 300
JOB = 'j\u2028--- {kind: Evil, apiVersion: v1}\u2028---\u0085# */ """ ??/\\' + SCRIPT
# Characters that are not seen, end lines, or turn direction.
UNSEEN = re.compile('[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]')


def job():
    lines = ['<job xmlns="urn:bigrocks:job:1" name=%s><resource name="cpu"/><resource name=%s unit=%s/>'
             % (quoteattr(JOB), quoteattr(RESOURCE), quoteattr('"<' + SCRIPT))]
    for k, name in enumerate(NAMES):
        lines.append('<stage id=%s tasks="%d" duration="%d"><demand resource="cpu" amount="1"/>'
                     '<demand resource=%s amount="0.5"/><command shell="true">true %s</command></stage>'
                     % (quoteattr(name), 1 + (k % 5 == 0), 1 + k % 7, quoteattr(RESOURCE), '# &lt;/script&gt;'))
    lines += ['<edge from=%s to=%s/>' % tuple(map(quoteattr, pair)) for pair in zip(NAMES, NAMES[3:])]
    return '\n'.join(lines + ['</job>'])


CLUSTER = '''<cluster xmlns="urn:bigrocks:cluster:1" name=%s><machine class=%s count="2">
<capacity resource="cpu" amount="3"/><capacity resource=%s amount="4"/></machine></cluster>
''' % tuple(map(quoteattr, (SCRIPT, MACHINE, RESOURCE)))
TASKS = sorted(n + i for k, n in enumerate(NAMES) for i in (('[0]', '[1]') if k % 5 == 0 else ('',)))
MACHINES = {MACHINE + '[0]', MACHINE + '[1]'}


def same(what, got, wanted):
    got, wanted = sorted(got), sorted(wanted)
    assert got == wanted, '%s: %r' % (what, set(got) ^ set(wanted))


class Page(html.parser.HTMLParser):
    """Elements of a page, and what its scripts hold."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.scripts, self.inside = [], [], False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self.inside = tag == 'script'
        if self.inside:
            self.scripts.append('')

    def handle_endtag(self, tag):
        self.inside = False

    def handle_data(self, data):
        if self.inside:
            self.scripts[-1] += data


def read_json(text):
    plan = json.loads(text)
    same('json', (t['id'] for t in plan['tasks']), TASKS)
    same('json', {t['machine'] for t in plan['tasks']}, MACHINES)
    assert plan['job'] == JOB


def read_xml(text):
    root = ET.fromstring(text)
    same('xml', (t.get('id') for t in root.iter('{urn:bigrocks:plan:1}task')), TASKS)
    same('xml', (t.get('id') for t in root.iter('{urn:bigrocks:job:1}stage')), NAMES)
    same('xml', (e.get('from') for e in root.iter('{urn:bigrocks:job:1}edge')), NAMES[:-3])


def read_order(text):
    rows = [line.split('\t') for line in text.split('\n')[1:-1]]
    assert all(len(row) == 7 for row in rows)
    # The escapes are those of JSON.
    same('order', (json.loads('"%s"' % row[1].replace('"', '\\"')) for row in rows), TASKS)
    assert len(text.splitlines()) == len(rows) + 1


def read_trace(text):
    events = json.loads(text)['traceEvents']
    same('trace', (e['name'] for e in events if e['ph'] == 'X'), TASKS)
    names = {e['args']['name'] for e in events if e['ph'] == 'M' and e['name'] == 'process_name'}
    same('trace', names, MACHINES | {'cluster'})


def read_svg(text):
    root = ET.fromstring(text)
    tags = {e.tag.partition('}')[2] for e in root.iter()}
    assert tags <= {'svg', 'g', 'rect', 'text', 'title', 'path', 'line', 'defs', 'style', 'polyline', 'desc',
                    'clipPath', 'polygon', 'tspan', 'pattern'}, tags
    for element in root.iter():
        assert not any(a.startswith('on') or 'href' in a for a in element.keys()), element.attrib
    titles = '\n'.join(e.text or '' for e in root.iter('{http://www.w3.org/2000/svg}title'))
    assert all(n in titles for n in NAMES), [n for n in NAMES if n not in titles]


def read_html(text):
    page = Page(text)
    scripts = [a for t, a in page.tags if t == 'script']
    assert [a.get('id') for a in scripts] == ['data', None], scripts
    assert not any('src' in a or any(k.startswith('on') for k in a) for _, a in page.tags)
    assert not {t for t, _ in page.tags} & {'b', 'img', 'table'} - {t for t, _ in Page(CLEAN).tags}
    plan = json.loads(page.scripts[0])['plans'][0]
    same('html', (s['id'] for s in plan['stages']), NAMES)
    same('html', plan['machines'], MACHINES)
    assert plan['job'] == JOB and JOB[:59] in plan['headline']


CLEAN = ''


def browse(world, file):
    """In a browser the names stay names."""
    browser = shutil.which('chromium') or shutil.which('chromium-browser')
    if not browser:
        return 'Chromium is not installed'
    done = world.call(browser, '--headless', '--no-sandbox', '--disable-gpu', '--virtual-time-budget=2000',
                      '--user-data-dir=%s' % (world.folder / 'browser'), '--dump-dom', file.resolve().as_uri())
    dom = done.stdout.decode()
    assert 'id="data"' in dom, done.stderr.decode()[-500:]
    title = re.search('<title>(.*?)</title>', dom, re.S)[1]
    assert 'pwned' not in title.replace('document.title="pwned"', '') and title != '1', title
    assert len(re.findall('<script[ >]', re.sub(r'(?s)<script type="application/json".*?</script>|'
                                                r'<script id="data".*?</script>', '', dom))) == 1
    return 'a browser'


def graph(world, file, *command):
    # From graphviz 14 on neato may be there without its engine.
    empty = world.folder / 'empty.dot'
    empty.write_text('graph {}')
    if not shutil.which(command[0]) or world.call(*command, '-Tsvg', empty).returncode:
        raise engines.Skip('%s of Graphviz is not installed' % command[0])
    done = world.call(*command, '-Tsvg', file)
    assert done.returncode == 0, done.stderr.decode()
    drawn = ET.fromstring(done.stdout)
    done = world.call(*command, '-Tjson', file)
    objects = json.loads(done.stdout, strict=False)
    tags = {e.tag.partition('}')[2] for e in drawn.iter()}
    assert tags <= {'svg', 'g', 'title', 'polygon', 'text', 'path', 'ellipse', 'polyline', 'a', 'defs',
                    'linearGradient', 'stop', 'tspan'}, tags
    return objects, [''.join(e.itertext()) for e in drawn.iter('{http://www.w3.org/2000/svg}text')]


def sayable(name):
    """DOT cannot say an odd backslash at the end or before a quotation mark."""
    return re.sub(r'(?<!\\)((?:\\\\)*)\\(?="|$)', r'\1\\\\', name)


def read_dot(world, file):
    objects, texts = graph(world, file, 'dot')
    same('dot', (o['name'] for o in objects['objects']), map(sayable, NAMES))
    assert any('&lt;' in t for t in texts) and any('&#38;' in t for t in texts), texts
    assert SCRIPT[:39] in ' '.join(texts)


def read_gantt(world, file):
    _, texts = graph(world, file, 'neato', '-n2')
    assert any('</script>' in t for t in texts), texts


def read_python(text):
    """No statements but those that there are for clean names, and no text in them but names."""
    def shape(source):
        return [type(n).__name__ for n in ast.parse(source).body]
    return shape(text)


STARPU = '''#ifndef STARPU_H
#define STARPU_H
typedef unsigned long long starpu_tag_t;
struct starpu_task {
    int execute_on_a_specific_worker, priority, use_tag;
    unsigned workerid, workerorder;
    starpu_tag_t tag_id;
};
void starpu_tag_declare_deps(starpu_tag_t id, unsigned count, ...);
#endif
'''


def read_starpu(world, file, compiler):
    """Compiled with trigraphs, the table's names are written out."""
    (world.folder / 'plan.h').write_bytes(file.read_bytes())
    (world.folder / 'starpu.h').write_text(STARPU)
    (world.folder / 'use.c').write_text('''#include <stdio.h>
#include "plan.h"
void starpu_tag_declare_deps(starpu_tag_t id, unsigned count, ...) { (void)id, (void)count; }
int main(void)
{
    for (unsigned k = 0; k < bigrocks_tasks; k++)
        fwrite(bigrocks_plan[k].name, 1, strlen(bigrocks_plan[k].name) + 1, stdout);
    return bigrocks_find("none") != NULL || sizeof bigrocks_plan[0].workerid != sizeof(unsigned);
}
''')
    done = world.call(*compiler, '-std=c99', '-trigraphs', '-Wall', '-Wextra', '-Werror', '-Wno-unused-function', '-I',
                      world.folder, world.folder / 'use.c', '-o', world.folder / 'use')
    assert done.returncode == 0, done.stderr.decode()
    done = world.call(world.folder / 'use')
    assert done.returncode == 0
    same('starpu', done.stdout.decode().split('\0')[:-1], TASKS)


def check_header(engine, text):
    """For whatever ends lines, the header is a comment, and no name stands outside of its place."""
    mark = '//' if engine == 'starpu' else '#'
    head, _, rest = text.partition('%s Not honoured:' % mark)
    assert all(line.startswith(mark) for line in head.splitlines()), head
    assert 'kind: Evil' in head and 'kind: Evil' not in rest
    assert not UNSEEN.search(text), UNSEEN.search(text)


def engine_files(world, compiler):
    global CLEAN
    clean = {}
    world.planned('<job xmlns="urn:bigrocks:job:1" name="clean"><stage id="a" duration="1"><demand resource="cpu" '
                  'amount="1"/><command>true</command></stage></job>')
    for engine in ('html', 'airflow', 'dask', 'hyperqueue', 'parsl'):
        clean[engine] = world.render(engine)[0].read_text()
    CLEAN = clean['html']
    world.planned(job())
    texts = {}
    for engine in ('order', 'json', 'xml', 'dot', 'gantt', 'svg', 'html', 'trace', 'otlp', 'mermaid',
                   'mermaid-flowchart', 'mspdi', 'slurm', 'dagman', 'snakemake', 'dask', 'hyperqueue', 'hyperqueue-toml',
                   'parsl', 'make', 'ninja', 'airflow', 'argo', 'gitlab', 'github',
                   'starpu', 'wfformat'):
        file, done = world.render(engine)
        assert done.returncode == 0, (engine, done.stderr.decode())
        texts[engine] = file.read_bytes().decode()
        if engine not in ('dot', 'gantt'):  # which have no form for them but themselves
            assert not UNSEEN.search(texts[engine]), (engine, UNSEEN.search(texts[engine]))
    for reader in (read_order, read_json, read_xml, read_trace, read_svg, read_html):
        reader(texts[reader.__name__[5:]])
    project = ET.fromstring(texts['mspdi'])
    same('mspdi', (e.findtext('{*}Name') for e in project.findall('.//{*}Task') if e.findtext('{*}Summary') == '0'), TASKS)
    told = [browse(world, world.folder / 'file.html')]
    for form, reader in (('dot', read_dot), ('gantt', read_gantt)):
        try:
            reader(world, world.folder / ('file.' + form))
        except engines.Skip as reason:
            told.append('%s: %s' % (form, reason))
    for engine in ('slurm', 'dagman', 'snakemake', 'dask', 'hyperqueue', 'hyperqueue-toml', 'parsl', 'make', 'ninja',
                   'airflow', 'argo', 'gitlab', 'github', 'starpu'):
        check_header(engine, re.sub('^name = .*', '', texts[engine], flags=re.M)
                     if engine == 'hyperqueue-toml' else texts[engine])
    assert tomllib.loads(texts['hyperqueue-toml'])['name'] == JOB
    for engine in ('airflow', 'dask', 'hyperqueue', 'parsl'):
        assert read_python(texts[engine]) == read_python(clean[engine]), engine
    tasks = next(ast.literal_eval(node.value) for node in ast.parse(texts['hyperqueue']).body
                 if isinstance(node, ast.Assign) and node.targets[0].id == 'TASKS')
    named = {name for task in tasks for name in task[4]}
    assert named and all(re.fullmatch('[A-Za-z][A-Za-z0-9/]*', name) for name in named), named
    instance = json.loads(texts['wfformat'])['workflow']
    same('wfformat', (t['name'] for t in instance['specification']['tasks']),
         (n for k, n in enumerate(NAMES) for _ in range(1 + (k % 5 == 0))))
    ids = [t['id'] for t in instance['specification']['tasks']]
    assert len(set(ids)) == len(ids) and all(re.fullmatch(r'[\w.#-]+', i, re.A) for i in ids), ids
    if compiler:
        read_starpu(world, world.folder / 'file.starpu', compiler)
    # All commands do nothing, and so do all files.
    world.fails = False
    for engine in ('make', 'ninja', 'slurm', 'dagman', 'airflow', 'argo', 'gitlab', 'github'):
        try:
            status = getattr(engines, engine)(world, world.folder / ('file.' + engine))
            assert not any(status.values()), status
            told.append(engine)
        except engines.Skip as reason:
            told.append(str(reason))
    return told


def batch(world):
    """Names of files come back from the table, and plans stay in their folder."""
    jobs, plans = world.folder / 'many', world.folder / 'plans'
    jobs.mkdir()
    plans.mkdir()
    names = ['..xml', '...', '-rf.xml', '$(touch canary).xml', '=1+1.xml', 'a\nb.xml', 'a"b,c.xml', ' d .xml',
             'u\u2028v\u202e.xml', '%s%n.xml', 'L' * 200 + '.xml', "e'f;g.xml", 'a\tb.xml', '\\.xml', 'CON.xml', '~.xml']
    for name in names:
        (jobs / name).write_text('<job xmlns="urn:bigrocks:job:1" name="x"><stage id="a" duration="1"/></job>')
    table = world.folder / 'table.csv'
    done = world.call(world.bigrocks, 'batch', jobs, '--capacity', 'cpu=1', '--out-dir', plans, '-o', table)
    assert done.returncode == 0, done.stderr.decode()
    rows = list(csv.DictReader(io.StringIO(table.read_bytes().decode(), newline='')))
    seen = [n for n in names if n[0] != '.']  # a folder's hidden files are no jobs
    # A row is a line, so control characters are replaced.
    same('batch', (pathlib.Path(row['file']).name for row in rows), (re.sub('[\n\t]', '?', n) for n in seen))
    written = [p.name for p in plans.iterdir()]
    assert len(written) == len(seen) and all(re.fullmatch(r'\d+-[\w.-]*\.json', n, re.A) for n in written), written


def main():
    with tempfile.TemporaryDirectory(prefix='bigrocks-hostile') as scratch:
        world = engines.World(pathlib.Path(scratch), sys.argv[1], sys.argv[1])
        (world.folder / 'cluster.xml').write_text(CLUSTER)
        world.cluster = ['--cluster', world.folder / 'cluster.xml']
        told = engine_files(world, sys.argv[2:])
        batch(world)
        strange = world.strangers(set()) + [str(p) for p in world.folder.parent.glob('canary*')]
        assert not strange, strange
        print('; '.join(told))


if __name__ == '__main__':
    main()
