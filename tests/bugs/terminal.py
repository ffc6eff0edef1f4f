#!/usr/bin/env python3
"""Whatever names hold, no output for people steers a terminal, and no row of the order is a formula."""
import os
import re
import unicodedata
from xml.sax.saxutils import quoteattr

import case

# Of U+0080 to U+009F, of the marks of direction and of the separators, all; and what looks like them.
STEERING = [chr(c) for c in [*range(0x80, 0xa0), 0x61c, 0x200e, 0x200f, *range(0x2028, 0x202f),
                             *range(0x2066, 0x206a)]]
HARMLESS = 'é¡\u061d\u200d\u2027\u202f\u2065\u206a€🪨'
ODD = 'x%s\u009b31m%sy' % (''.join(STEERING), HARMLESS)


def job(name):
    return '''<job xmlns="urn:bigrocks:job:1" name=%(n)s>
<resource name=%(n)s unit=%(n)s/>
<stage id=%(n)s tasks="2" duration="1"><demand resource=%(n)s amount="1"/><command>false</command></stage>
<stage id="b" duration="1"><demand resource=%(n)s amount="1"/><command>%(c)s</command></stage>
<edge from=%(n)s to="b"/>
<cluster name=%(n)s><machine class=%(n)s count="2"><capacity resource=%(n)s amount="1"/></machine></cluster>
</job>
''' % {'n': quoteattr(name), 'c': 'echo'}


def check(said, what):
    bad = [c for c in said if c not in '\n\t' and (
        unicodedata.category(c) in ('Cc', 'Zl', 'Zp') or unicodedata.bidirectional(c) in (
            'LRE', 'LRO', 'RLE', 'RLO', 'PDF', 'LRI', 'RLI', 'FSI', 'PDI') or c in '\u061c\u200e\u200f')]
    assert not bad, (what, ['U+%04X' % ord(c) for c in bad], said)


with case.folder() as folder:
    path, broken = (os.path.join(folder, name) for name in ('job.xml', ODD.replace('/', '') + '.xml'))
    plan = os.path.join(folder, 'plan.json')
    for file, text in ((path, job(ODD)), (broken, job(ODD).replace('to="b"', 'to=%s' % quoteattr(ODD + 'z')))):
        with open(file, 'w', encoding='utf-8') as out:
            out.write(text)
    assert case.bigrocks('plan', path, '-q', '-o', plan).returncode == 0
    shown = False
    for words in (['plan', path, '--explain'], ['plan', path, '-v'], ['show', path], ['show', broken],
                  ['bound', path, '--explain', '--no-lp'], ['bound', path, '--what-if', ODD + '+25%'],
                  ['bound', path, '--what-if', 'q' + ODD + '+25%'],
                  ['check', path, plan], ['check', path, broken], ['run', path, '--keep-going'],
                  ['run', plan, '--simulate'], ['plan', broken], ['plan', path, '--method', ODD],
                  ['plan', path, '--capacity', ODD], ['render', plan, '--format', ODD],
                  ['batch', path, '-o', os.path.join(folder, 'b.csv')], [ODD], ['plan', '--' + ODD]):
        done = case.bigrocks(*words, encoding='utf-8')
        people = done.stderr if words[0] in ('plan', 'batch') else done.stdout + done.stderr
        check(people, words)
        shown |= '?' * len(STEERING) + '?31m' + HARMLESS + 'y' in people
    assert shown  # what does no harm is shown as it is
    for first in '=+-@':
        text = job(first + 'cmd|calc')
        done = case.bigrocks('plan', '-', '-q', '--format', 'order', input=text)
        assert done.returncode == 0, done
        cells = [cell for row in done.stdout.splitlines() for cell in row.split('\t')]
        assert not [cell for cell in cells if re.match('[=+@-]', cell)], cells
        assert '\\u%04xcmd|calc[1]' % ord(first) in cells, cells
