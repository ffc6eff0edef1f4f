#!/usr/bin/env python3
"""Slips of the pen in the native forms are errors that say where, and what may have been meant."""
import case

JOB = '<job xmlns="urn:bigrocks:job:1">\n%s\n</job>\n'
TWO = '<stage id="a" duration="1"/><stage id="b" duration="1"/>\n'
SLIPS = [
    ('<stage id="a" durations="5"/>',
     "2:1: <stage> has an unknown attribute 'durations'; did you mean 'duration'?"),
    ('<stage id="a" task="5"/>', "2:1: <stage> has an unknown attribute 'task'; did you mean 'tasks'?"),
    ('<stage id="a"><demands resource="cpu" amount="1"/></stage>',
     '2:15: unknown element <demands> in <stage>; did you mean <demand>?'),
    (TWO + '<egde from="a" to="b"/>', '3:1: unknown element <egde> in <job>; did you mean <edge>?'),
    (TWO + '<edge form="a" to="b"/>', "3:1: <edge> has an unknown attribute 'form'; did you mean 'from'?"),
    (TWO + '<demand resource="cpu" amount="1"/>',
     '3:1: <demand> cannot stand in <job>; it belongs in <stage>'),
    ('<stage id="a" colour="red"/>', "2:1: <stage> has an unknown attribute 'colour'; "
     'give foreign elements and attributes a namespace of their own'),
    (TWO + 'a before b', "3: text is not allowed here: 'a before b'; "
     'only <command> holds text; give notes a namespace of their own'),
]
for text, says in SLIPS:
    done = case.bigrocks('plan', '-', '--machines', '1', '--capacity', 'cpu=1', input=JOB % text)
    assert done.returncode == 3 and done.stderr == '<stdin>:%s\n' % says, (text, done)
# Names that others add in namespaces of theirs change nothing.
PLAIN = JOB % (TWO + '<edge from="a" to="b"/>')
OTHERS = JOB.replace('>', ' xmlns:o="urn:others" o:durations="5">', 1) % (
    TWO + '<o:egde><stage/>text</o:egde>\n<edge from="a" to="b" o:x=""/>')
plain, others = (case.bigrocks('convert', '-', '--format', 'xml', input=text) for text in (PLAIN, OTHERS))
assert plain.returncode == others.returncode == 0 and plain.stdout == others.stdout, others
