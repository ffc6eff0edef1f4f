#!/usr/bin/env python3
"""A job in which nothing has a duration is planned, but not without a word; --default-duration helps."""
import json
import os

import case

JOBS = {
    'xml': '<job xmlns="urn:bigrocks:job:1"><stage id="a"/><stage id="b"%s/>'
           '<edge from="a" to="b"/></job>',
    'dot': 'digraph g { a; b%s; a -> b; }',
    'dax': '<adag name="g"><job id="a"/><job id="b"%s/><child ref="b"><parent ref="a"/></child></adag>',
    'stg': '2\n0 0 0\n1 0 1 0\n2 0 1 1\n3 0 1 2\n',
    'wfformat': json.dumps({
        'name': 'g', 'schemaVersion': '1.5', 'workflow': {
            'specification': {'tasks': [{'name': k, 'id': k, 'parents': ['a'] if k == 'b' else [],
                                         'children': ['b'] if k == 'a' else []} for k in 'ab']},
            'execution': {'makespanInSeconds': 1, 'executedAt': '2024-01-01T00:00:00Z', 'tasks': []}}}),
}
# Text that gives one task a duration of its own; None: the form always gives durations.
OWN = {'xml': ' duration="5"', 'dot': ' [duration=5]', 'dax': ' runtime="5"'}
SAYS = ('bigrocks: warning: <stdin>: no task has a duration, so any plan takes 0 s and says nothing; '
        'give --default-duration 1, or durations\n')
CLUSTER = ('--machines', '1', '--capacity', 'cpu=1')


def call(command, text, *words):
    done = case.bigrocks(*command, '-', *CLUSTER, *words, input=text)
    assert done.returncode == 0, (command, text, done)
    return done


def makespan(form, text, *words):
    done = call(('plan', '--from', form, '-q', '--format', 'json'), text, *words)
    return json.loads(done.stdout)['makespan'], done.stderr


for form, text in JOBS.items():
    bare = text % '' if form in OWN else text
    for command in (('plan',), ('bound', '--no-lp'), ('bound', '--what-if', 'cpu+1'), ('show',)):
        assert SAYS in call(command, bare).stderr, (form, command)
    assert makespan(form, bare) == (0, SAYS), form
    if form == 'stg':
        continue  # its durations of 0 are what the file says
    assert makespan(form, bare, '--default-duration', '1.5') == (3, ''), form
    if form in OWN:
        assert makespan(form, text % OWN[form], '--default-duration', '1.5') == (6.5, ''), form
        assert makespan(form, text % OWN[form]) == (5, ''), form
    again = call(('convert', '--format', 'xml'), bare, '--default-duration', '2').stdout
    assert makespan('xml', again) == (4, ''), form

with case.folder() as folder:
    for number, text in enumerate((JOBS['dot'] % '', JOBS['dot'] % OWN['dot'])):
        with open(os.path.join(folder, '%d.dot' % number), 'w') as file:
            file.write(text)
    for words, doubts in ((), 1), (('--default-duration', '1'), 0):
        done = case.bigrocks('batch', folder, *CLUSTER, *words)
        assert done.returncode == 0 and done.stdout.count('no task has a duration') == doubts, done
done = case.bigrocks('run', '-', '-q', '--simulate', *CLUSTER, input=JOBS['dot'] % '')
assert SAYS in done.stderr, done
