#!/usr/bin/env python3
"""Plans in Mermaid: every task and edge is there, within the limits of GitHub, and no name is read as a statement.

usage: check_mermaid.py BIGROCKS
"""
import html
import json
import pathlib
import re
import subprocess
import sys
import tempfile
from xml.sax.saxutils import quoteattr

TEXT, ARROWS = 50000, 500
NAMES = ['gantt', 'Title x', 'section', '2020-01-01', 'a:b', 'a;b', 'a#b', 'a"b', '<b>x</b>', '%% c', '{x}', '`md`', 'click', 'end',
         'a|b', 'excludes weekends', '&amp;', 'crit', 'done', 'é — 日本', 'x\u200by', 'Todaymarker off']
BAR = re.compile(r'    ([^:;#]*(?:#\d+;[^:;#]*)*) :(crit, )?(milestone, )?2000-01-01 00:(\d\d):(\d\d)\.(\d\d\d), (\d+)ms')
BOX = re.compile(r'    (s\d+)\["([^"]*)"\]')
ARROW = re.compile(r'    (s\d+) (-->|-\.->)(\|\d+\|)? (s\d+)')


def run(*words, text=None):
    done = subprocess.run([sys.argv[1], *map(str, words)], input=text, capture_output=True, text=True)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


def plain(text):
    """The text as Mermaid draws it."""
    return html.unescape(re.sub(r'#(\d+);', r'&#\1;', text))


def chart(plan):
    lines = run('render', plan, '--format', 'mermaid').splitlines()
    assert lines[0] == 'gantt' and lines[1].startswith('    title ') and len('\n'.join(lines)) <= TEXT
    bars = [BAR.fullmatch(line) for line in lines[5:] if not line.startswith('    section ')]
    assert all(bars), lines
    return bars, [line[12:] for line in lines if line.startswith('    section ')]


def flow(plan):
    text = run('render', plan, '--format', 'mermaid-flowchart')
    lines = text.splitlines()
    assert lines[0] == 'flowchart TB' and lines[1].startswith('    %% ') and len(text) <= TEXT
    boxes = dict(match.groups() for match in map(BOX.fullmatch, lines) if match)
    arrows = [match.groups() for match in map(ARROW.fullmatch, lines) if match]
    rest = [line for line in lines[2:] if not BOX.fullmatch(line) and not ARROW.fullmatch(line)]
    assert len(arrows) <= ARROWS and all(a[0] in boxes and a[3] in boxes for a in arrows), arrows
    assert all(re.fullmatch(r'    class s\d+(,s\d+)* chain|    classDef chain [a-z0-9:#,-]+', line) for line in rest), rest
    return boxes, arrows, rest


def job(names, edges=(), tasks=1):
    return '<job xmlns="urn:bigrocks:job:1" name="title: x">%s%s</job>' % (
        ''.join('<stage id=%s tasks="%d" duration="%d.25"><demand resource="cpu" amount="1"/></stage>' % (quoteattr(name), tasks, k)
                for k, name in enumerate(names)),
        ''.join('<edge from=%s to=%s type="one-to-one"/>' % (quoteattr(names[a]), quoteattr(names[b])) for a, b in edges))


def names(folder):
    plan = folder / 'names.json'
    run('plan', '-', '--capacity', 'cpu=3', '-q', '-o', plan, text=job(NAMES, [(0, 1), (4, 5)]))
    bars, sections = chart(plan)
    tasks = {task['id']: task for task in json.loads(plan.read_text())['tasks']}
    assert sections == ['m'] and sorted(plain(bar[1]) for bar in bars) == sorted(NAMES), [bar[1] for bar in bars]
    for bar in bars:
        task = tasks[plain(bar[1])]
        start = 60000 * int(bar[4]) + 1000 * int(bar[5]) + int(bar[6])
        assert start == int(1000 * task['start']) and int(bar[7]) == round(1000 * (task['end'] - task['start'])), bar
        assert not re.match(r'gantt|title|section|click|excludes|todaymarker|\d', bar[1], re.I), bar
    last = max(tasks.values(), key=lambda task: task['end'])
    assert any(bar[2] for bar in bars if plain(bar[1]) == last['id']), 'the last task ends the critical chain'
    boxes, arrows, rest = flow(plan)
    assert [plain(text.split('<br/>')[0]) for text in boxes.values()] == NAMES and len(rest) == 2, boxes
    assert [a[:2] + a[3:] for a in arrows] == [('s0', '-.->', 's1'), ('s4', '-.->', 's5')], arrows


def many(folder):
    """Beyond what can be drawn, stages stand for tasks, the longest for all, and boxes for stages of a depth."""
    plan = folder / 'many.json'
    run('plan', '-', '--capacity', 'cpu=3', '-q', '--effort', 'fast', '-o', plan, text=job(['map', 'reduce'], [(0, 1)], tasks=100))
    bars, sections = chart(plan)
    assert sections == ['Stages'] and [bar[1] for bar in bars] == ['map × 100', 'reduce × 100'], bars
    count = 700
    text = job(['%s%d' % ('n' * 50, k) for k in range(count)], [(k, k + 1) for k in range(count - 1)])
    run('plan', '-', '--capacity', 'cpu=3', '-q', '--effort', 'fast', '-o', plan, text=text)
    lines = run('render', plan, '--format', 'mermaid').splitlines()
    assert lines[5] == '    section The 150 longest of 700 stages' and len(lines) == 156, lines[:7]
    boxes, arrows, rest = flow(plan)
    assert len(boxes) == 30 and len(arrows) == 29 and not rest, boxes
    assert sum(int(text.split()[0]) for text in boxes.values()) == count


with tempfile.TemporaryDirectory() as scratch:
    names(pathlib.Path(scratch))
    many(pathlib.Path(scratch))
