#!/usr/bin/env python3
"""-o FILE.pdf and -o FILE.png: they show what the SVG shows, are there whole or not at all, and where they
cannot be drawn a message says why.

draw.py BIGROCKS EXAMPLES. What needs rsvg-convert is left out where it is not installed (77).
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PROGRAM, EXAMPLES = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
CLUSTER = ['--cluster', EXAMPLES / 'cluster-rack.xml']


def run(*words, status=0, **more):
    """What it says on standard error; `more` is put into its environment."""
    environment = dict(os.environ, LC_ALL='C', **more)
    environment.pop('SOURCE_DATE_EPOCH', None)
    done = subprocess.run([PROGRAM, *words], env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == status, (words, done)
    return done.stderr


def size_of_svg(path):
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', path.read_text())
    return [round(float(b)) for b in box.groups()]


def size_of_png(path):
    head = path.read_bytes()[:24]
    assert head[:8] == b'\x89PNG\r\n\x1a\n' and head[12:16] == b'IHDR', head
    return [int.from_bytes(head[16:20], 'big'), int.from_bytes(head[20:24], 'big')]


def is_pdf(path):
    data = path.read_bytes()
    return data.startswith(b'%PDF-') and data.rstrip().endswith(b'%%EOF')


def fake(folder, text):
    """A PATH on which rsvg-convert is this script."""
    folder.mkdir()
    script = folder / 'rsvg-convert'
    script.write_text('#!/bin/sh\n' + text)
    script.chmod(0o755)
    return '%s:%s' % (folder, os.environ['PATH'])


def check_missing(folder, plan):
    """Said before anything is planned or written, with what to do; a folder of that name is no program."""
    (folder / 'none' / 'rsvg-convert').mkdir(parents=True)
    for words in (['plan', EXAMPLES / 'query.xml', *CLUSTER, '--time-limit', '1000', '--effort', 'max'],
                  ['render', plan]):
        said = run(*words, '-o', folder / 'no.png', status=5, PATH=str(folder / 'none'))
        assert said == ("%s: 'png' is drawn by rsvg-convert, which is not found; install it (Debian: "
                        "librsvg2-bin), or write an SVG\n" % (folder / 'no.png')), said
    assert not list(folder.glob('no.png*'))


def check_failing(folder, plan):
    """A file that was there stays as it was."""
    target = folder / 'kept.pdf'
    target.write_text('old')
    for name, script, wanted in (
            ('refuses', 'cat >&2 <<.\nno such colour\nmore\n.\nexit 3\n', 'cannot draw it: no such colour; '),
            ('silent', 'exit 1\n', 'it does not say why'),
            ('dies', 'kill -9 $$\n', 'ended by signal 9')):
        said = run('render', plan, '-o', target, status=5, PATH=fake(folder / name, script))
        assert wanted in said and said.startswith('%s: rsvg-convert' % target), said
        assert said.count('\n') == 1 and target.read_text() == 'old', said
    assert sorted(p.name for p in folder.glob('kept*')) == ['kept.pdf']


def check_handed_over(folder, plan):
    """The program gets the whole SVG and the form; the name stays with what is no drawing."""
    svg, echoed = folder / 'same.svg', folder / 'echoed.png'
    run('render', plan, '-o', svg)
    path = fake(folder / 'echo', 'echo "$@" $SOURCE_DATE_EPOCH; cat\n')
    run('render', plan, '-o', echoed, PATH=path)
    assert echoed.read_text() == '--format png 0\n' + svg.read_text()
    run('render', plan, '-o', folder / 'plain.png', '--format', 'svg', PATH=path)
    assert (folder / 'plain.png').read_text() == svg.read_text()
    run('render', plan, '-o', folder / 'plain.pdf', '--format', 'order', PATH=path)
    assert (folder / 'plain.pdf').read_text().startswith('rank\tid\t')
    run('bound', EXAMPLES / 'query.xml', *CLUSTER, '--no-lp', '--what-if', 'machines=1..2', '--json', '-o',
        folder / 'plain.json.png', PATH=path)
    assert (folder / 'plain.json.png').read_text().startswith('{')
    # Without a folder for temporary files.
    run('render', plan, '-o', folder / 'again.png', PATH=path, TMPDIR=str(folder / 'absent'))
    assert (folder / 'again.png').read_bytes() == echoed.read_bytes()


def check_drawn(folder, plan):
    """By the real program: the picture of the SVG, the same twice, and from every command with an SVG."""
    svg = folder / 'drawn.svg'
    run('render', plan, '-o', svg)
    for form in ('pdf', 'png'):
        one, two = folder / ('one.' + form), folder / ('two.' + form)
        run('render', plan, '-o', one)
        run('plan', EXAMPLES / 'query.xml', *CLUSTER, '-q', '-o', two)
        assert one.read_bytes() == two.read_bytes(), form
        other = subprocess.run(['rsvg-convert', '-f', form, svg], stdout=subprocess.PIPE, check=True,
                               env=dict(os.environ, SOURCE_DATE_EPOCH='0')).stdout
        assert one.read_bytes() == other, form
    assert is_pdf(folder / 'one.pdf')
    assert size_of_png(folder / 'one.png') == size_of_svg(svg)
    workload = folder / 'w.xml'
    run('workload', '--like', 'jockey-a', '--count', '6', '-q', '-o', workload)
    commands = {
        'what-if': ['bound', EXAMPLES / 'query.xml', *CLUSTER, '--no-lp', '--what-if', 'machines=1..4'],
        'simulate': ['simulate', workload, '--machines', '20', '--capacity', 'cpu=16,mem=64GiB,net=1GB,disk=1GB',
                     '--policy', 'fifo', '-q'],
        'coflow': ['coflow', EXAMPLES / 'coflows.txt', '--policy', 'fair', '-q'],
        'predict': ['predict', workload, '-q'],
        'deadline': ['deadline', EXAMPLES / 'word-count.xml', '--tokens', '4', '-q'],
    }
    for name, words in commands.items():
        drawn, source = folder / (name + '.png'), folder / (name + '.svg')
        if name == 'deadline':
            run(*words, '-o', folder / 'g.table')
            words = ['deadline', '--show', folder / 'g.table']
        run(*words, '-o', source)
        run(*words, '-o', drawn)
        assert size_of_png(drawn) == size_of_svg(source), name


def main():
    with tempfile.TemporaryDirectory(prefix='bigrocks-draw') as name:
        folder = pathlib.Path(name)
        plan = folder / 'plan.json'
        run('plan', EXAMPLES / 'query.xml', *CLUSTER, '-q', '-o', plan)
        check_missing(folder, plan)
        check_failing(folder, plan)
        check_handed_over(folder, plan)
        if not shutil.which('rsvg-convert'):
            print('rsvg-convert is not installed')
            return 77
        check_drawn(folder, plan)
    return 0


if __name__ == '__main__':
    sys.exit(main())
