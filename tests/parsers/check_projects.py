#!/usr/bin/env python3
"""Projects for MiniZinc's rcpsp.mzn and flexible job shops are read, planned, and refused at the place of a fault.

usage: check_projects.py BIGROCKS
"""
import json
import pathlib
import re
import subprocess
import sys

DATA = pathlib.Path(__file__).parent.parent / 'data'


def run(*words, text=None):
    return subprocess.run([sys.argv[1], *map(str, words)], input=text, capture_output=True, text=True)


def refused(form, *cases):
    for text, place, words in cases:
        done = run('show', '-', '--from', form, text=text)
        assert done.returncode == 3 and '<stdin>%s: ' % (place and ':' + place) in done.stderr and words in done.stderr, (text, done.stderr)


def stages(done):
    assert done.returncode == 0, done.stderr
    return [(name, time, sorted(re.findall(r'<demand resource="([^"]*)" amount="([^"]*)"', inside or ''))) for name, time, inside in
            re.findall(r'<stage id="([^"]*)" tasks="1" duration="([^"]*)"(?:/>|>(.*?)</stage>)', done.stdout, re.S)]


def minizinc():
    done = run('convert', DATA / 'small.dzn', '--format', 'xml')
    assert stages(done) == [('1', '1', [('R1', '1')]), ('2', '4', [('R1', '2'), ('R2', '1')]), ('3', '3', [('R1', '1'), ('R2', '3')]),
                            ('4', '2', [('R2', '1')])], done.stdout
    assert re.findall(r'<edge from="(.)" to="(.)"', done.stdout) == [('1', '2'), ('1', '3'), ('2', '4'), ('3', '4')], done.stdout
    assert re.findall(r'<capacity resource="(..)" amount="(.)"', done.stdout) == [('R1', '2'), ('R2', '3')], done.stdout
    assert json.loads(run('plan', DATA / 'small.dzn', '--format', 'json', '-q').stdout)['makespan'] == 10
    good = 'n_res = 1; rc = [1]; n_tasks = 1; d = [2]; suc = [{}]; '
    assert stages(run('convert', '-', '--format', 'xml', text=good + 'rr = array2d(1..1, 1..1, [1]); name = "a;b\n";'))[0][2] == [('R1', '1')]
    refused('minizinc', ('n_res = 1;', '', "no assignment of 'rc'"), (good + 'rr = [|1, 1|];', '', "'rr' has 2 entries and not 1"),
            (good + 'rr = [|-1|];', '1:63', 'no number of 0 or more'), (good + 'rr = [|1|]; d = [3];', '1:68', 'assigned twice'),
            (good + 'rr [|1|];', '1:56', 'NAME = VALUE'), (good.replace('{}', '{2}') + 'rr = [|1|];', '1:52', 'no task of this number'),
            (good.replace('{}', '{1}') + 'rr = [|1|];', '1:52', 'cycle'), (good.replace('[2]', '[99999999999]') + 'rr = [|1|];', '1:40', 'too long'),
            (good + 'rr = ;', '1:60', 'has no numbers'), (good.replace('n_tasks = 1', 'n_tasks = 0') + 'rr = [|1|];', '', 'there are 0 tasks'),
            (good.replace('[2]', '[2..]') + 'rr = [|1|];', '1:40', 'range does not end'))


def flexible():
    done = run('convert', DATA / 'small.fjs', '--format', 'xml')
    assert stages(done)[1:3] == [('J0.1', '3', [('M2', '1')]), ('J0.2', '2', [('M3', '1')])], done.stdout
    ways = re.findall(r'<alternative id="(M\d)" duration="(\d)">\s*<demand resource="(M\d)" amount="1"/>', done.stdout)
    assert ways == [(m, t, m) for m, t in (('M1', '5'), ('M3', '4'), ('M1', '1'), ('M2', '7'), ('M3', '9'))], ways
    assert re.findall(r'<edge from="([^"]*)" to="([^"]*)"', done.stdout) == [('J0.0', 'J0.1'), ('J0.1', 'J0.2'), ('J1.0', 'J1.1')], done.stdout
    assert re.findall(r'<capacity resource="(M\d)"', done.stdout) == ['M1', 'M2', 'M3'], done.stdout
    zero = run('convert', '-', '--format', 'xml', text='1 2\n1 2 0 5 1 4\n')
    assert re.findall(r'<alternative id="(M\d)"', zero.stdout) == ['M0', 'M1'], zero.stderr
    assert json.loads(run('plan', '-', '--format', 'json', '-q', text='2 2 2\n1 2 0 5 1 4\n1 2 0 5 1 4\n').stdout)['makespan'] == 5
    refused('flexible', ('1 2\n1 1 3 5\n', '2:5', 'is on machine 3, and there are 2'), ('1 2\n2 1 0 5 1 2 5\n', '2:11', 'numbered from 0 here'),
            ('1 2\n1 0\n', '2:3', 'has no machine'), ('1 2\n1 1 1 5 9\n', '2:9', 'after the last operation of job 0'),
            ('1 2\n1 1 1\n', '2:6', 'a duration of operation 0'), ('0 2\n', '1:1', 'there are 0 jobs'), ('1 1\n1 1 1 5\n1 1 1 5\n', '3:1', 'after the last of 1'),
            ('1 2\n1 2 1 5 1 6\n', '2:9', 'M1'))
    assert 'J0.0' in run('convert', DATA / 'small.jsp', '--format', 'xml').stdout, 'a job shop is none'


minizinc()
flexible()
