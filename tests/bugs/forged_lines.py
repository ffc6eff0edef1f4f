#!/usr/bin/env python3
"""Whatever strangers name, no name begins a line of what people read: every command, every place of a name.

Names end a line and go on with a word that no output has of its own. Files of data may hold such lines
(they quote them); summaries, tables and messages may not.
"""
import json
import os
import pathlib
import signal
import sqlite3
import subprocess
import time
from xml.sax.saxutils import quoteattr

import case

MARK = 'FORGED'
ENDS = ['\n', '\r', '\r\n', '\u0085', '\u2028']
NAME = 'x' + ''.join('%s%s  0 s, proven' % (end, MARK) for end in ENDS)
PATH = 'f\n%s: ok: all is well' % MARK
CLUSTER = '''<cluster xmlns="urn:bigrocks:cluster:1" name=%(n)s><machine class=%(n)s count="2"><capacity
resource=%(n)s amount="2"/></machine></cluster>''' % {'n': quoteattr(NAME)}
walked, asked = set(), 0


def check(words, text):
    global asked
    asked += 1
    assert 'Traceback' not in text and 'ERROR: AddressSanitizer' not in text, (words, text)
    forged = [line for line in text.splitlines() if line.lstrip().startswith(MARK)]
    assert not forged, '%s\nprinted\n%s' % (list(map(str, words)), text)
    walked.add(words[0])


def ask(*words, stdout=True, **options):
    """Runs it, whatever comes of it; standard output counts where people read it."""
    done = case.bigrocks(*words, errors='replace', **options)
    check(words, (done.stdout if stdout else '') + '\n' + done.stderr)
    return done


def job(name=NAME, amount=1, command='false', extra=''):
    return '''<job xmlns="urn:bigrocks:job:1" name=%(n)s>
<resource name=%(n)s unit=%(n)s/>
<stage id=%(n)s tasks="2" duration="1"><demand resource=%(n)s amount="%(a)s"/><command>%(c)s</command></stage>
<stage id="b" duration="1"><demand resource=%(n)s amount="1"/><command>true</command></stage>
<edge from=%(n)s to="b" bytes="9"/>%(e)s
<cluster name=%(n)s><machine class=%(n)s count="2"><capacity resource=%(n)s amount="2"/></machine></cluster>
</job>
''' % {'n': quoteattr(name), 'a': amount, 'c': command + ' ' + quoteattr('\n%s: good\n' % MARK), 'e': extra}


def write(path, text):
    path.write_text(text, encoding='utf-8')
    return path


def jobs(folder):
    """Jobs and plans, good and bad, under good and bad names."""
    good, plan = write(folder / PATH, job()), folder / ('plan' + PATH)
    planned = ask('plan', good, '-q', '--format', 'json', '-o', plan)
    assert planned.returncode == 0, planned
    for words in ([], ['--explain'], ['-v'], ['--stats'], ['--method', NAME], ['--capacity', NAME + '=1'],
                  ['--cluster', good], ['--cluster', folder / (PATH + 'none')], ['--history', folder / PATH / 'x'],
                  ['-o', folder / PATH / 'x' / 'y'], ['--machines', NAME], ['--from', NAME], ['--' + NAME]):
        ask('plan', good, *words)
    for words in (['bound', good, '--explain'], ['bound', good, '--what-if', NAME + '+25%'],
                  ['bound', good, '--what-if', NAME.replace('=', '') + '=3'], ['bound', good, '--no-lp', '--stats'],
                  ['show', good], ['convert', good, '--format', NAME], ['annotate', good, '--history', good],
                  ['render', plan, '--format', NAME], ['render', plan, good, '--format', 'svg', '-o', '/dev/null'],
                  ['check', good, plan], ['check', good, good], ['check', plan, plan], ['check', '--certificate', plan],
                  ['check', '--certificate', good], ['deadline', good, '--show', good], ['deadline', good],
                  ['run', good], ['run', good, '--keep-going', '--retries', '1', '-v'], ['run', plan, '--simulate'],
                  ['run', good, good, '--keep-going'], ['run', good, '--journal', folder / PATH / 'x'],
                  ['deadline', good, '-o', folder / ('table' + PATH)], ['history', good], ['history', good, NAME]):
        ask(*words)
    for k, bad in enumerate((job(amount=7), job(extra='<edge from="b" to=%s/>' % quoteattr(NAME)),
                             job(extra='<edge from=%s to="b"/>' % quoteattr(NAME + 'z')), job() + NAME,
                             job(extra='<%s/>' % MARK))):
        path = write(folder / ('bad%d%s' % (k, PATH)), bad)
        for command in ('plan', 'bound', 'show', 'run', 'convert', 'annotate'):
            ask(command, path)
        ask('check', path, plan)
        ask('batch', path, '-o', folder / 'table.csv')
    listed = write(folder / ('list' + PATH), '\n'.join((str(good), NAME)))
    ask('batch', listed, '-o', folder / PATH / 'x')
    ask('batch', listed, '--merge', stdout=False)
    dot = write(folder / ('graph' + PATH), 'digraph "g\n%s" { "a\n%s" [duration=1, label="x\\n%s\n%s"]; "a\n%s" -> "b\n%s" }'
                % ((MARK,) * 6))
    for command in ('plan', 'show', 'convert'):
        ask(command, dot)
    forged_plans(folder, good, plan)
    history(folder, good)


def forged_plans(folder, good, plan):
    """Every text of a plan, one at a time, is a name with a line of its own."""
    document = json.loads(plan.read_text())

    def places(value, at=()):
        if isinstance(value, str):
            yield at
        elif isinstance(value, (dict, list)):
            for key in (value if isinstance(value, dict) else range(len(value))):
                yield from places(value[key], (*at, key))

    bad = folder / ('forged' + PATH)
    document['note'] = 'n'
    for place in list(places(document))[::3]:
        changed = json.loads(json.dumps(document))
        inner = changed
        for key in place[:-1]:
            inner = inner[key]
        inner[place[-1]] += NAME
        bad.write_text(json.dumps(changed))
        ask('check', good, bad)
        ask('check', '--certificate', bad)
        ask('render', bad, '-o', '/dev/null', '--format', 'order')
        ask('run', bad, '--simulate')


def history(folder, good):
    runs = folder / ('runs' + PATH)
    done = write(folder / 'done.xml', job(command='true'))
    ask('run', done, '--history', runs)
    ask('history', runs)
    ask('history', runs, NAME)
    ask('plan', done, '--history', runs)
    ask('annotate', done, '--history', runs, stdout=False)
    sqlite3.connect(folder / 'other').execute('create table t (x)')
    ask('history', folder / 'other')


def builds(folder):
    """Builds and workflows; what the programs say that are asked."""
    place = folder / PATH
    place.mkdir()
    write(place / 'build.ninja', 'rule r\n  command = echo $in; false\n  description = d\r%s\nbuild o$\n: r i\n' % MARK)
    write(place / 'Makefile', 'all: ; @printf "x\\n%s\\n" >&2; false\n' % MARK)
    programs = folder / 'programs'
    programs.mkdir()
    for name in ('ninja', 'make', 'snakemake'):
        program = write(programs / name, '#!/bin/sh\nprintf "bad\\r%s: all is well\\n"; printf "\\r%s\\n" >&2; exit 1\n'
                        % (MARK, MARK))
        program.chmod(0o755)
    for path in (os.environ['PATH'], '%s:%s' % (programs, os.environ['PATH'])):
        env = {**case.ENVIRONMENT, 'PATH': path}
        for words in (['import', 'ninja', '-C', place], ['import', 'ninja', '-C', place, NAME],
                      ['import', 'make', '-C', place], ['import', 'snakemake', '-C', place],
                      ['build', '-C', place], ['build', '-C', place, NAME], ['import', NAME],
                      ['import', 'queries', place / 'build.ninja'], ['import', 'queries', folder / (PATH + 'none')]):
            done = case.bigrocks(*words, errors='replace', env=env, cwd=folder)
            # What a program says itself is its own; what is quoted of it is ours.
            lines = done.stderr.replace('\r', '\n').splitlines()
            check(words, '\n'.join(line for line in lines if line not in (MARK, MARK + ': all is well')))


def servers(folder):
    path = folder / PATH
    ask('serve', '--socket', folder / ('z' * 200 + PATH))
    ask('serve', '--socket', folder / PATH / 'x')
    ask('serve', '--status', '--socket', folder / (PATH + 'none'))
    ask('serve', '--plan', folder / (PATH + 'none'), '--', NAME)
    ask('serve', '--', NAME)
    ask('admit', '--socket', path, '--', 'true')
    server = case.start('serve', '--socket', path, '--capacity', 'cpu=1', '--idle', '60')
    while not path.exists():
        assert server.poll() is None
        time.sleep(0.01)
    holder = case.start('admit', '--socket', path, '--key', 'k\r' + MARK, '--', 'sleep', '60', start_new_session=True)
    time.sleep(0.3)
    ask('serve', '--status', '--socket', path)
    ask('admit', '--socket', path, '--key', NAME, '--', 'true')
    ask('admit', '--socket', path, '--demand', 'x\n%s=9' % MARK, '--', 'true')
    ask('serve', '--socket', path)
    os.killpg(holder.pid, signal.SIGKILL)
    holder.communicate()
    server.terminate()
    check(['serve'], server.communicate(timeout=20)[1])


def spool(folder):
    (folder / 'spool' / 'new').mkdir(parents=True)
    for k, text in enumerate((job(), job(command='true'), 'none', job(amount=9))):
        write(folder / 'spool' / 'new' / ('%d%s.xml' % (k, PATH)), text)
    (folder / 'spool' / 'new' / PATH).mkdir()
    write(folder / 'spool' / 'new' / PATH / 'good.xml', job('g' + NAME))
    ask('run', '--spool', folder / 'spool', '--until-empty', '--cluster', folder / 'cluster.xml')
    ask('run', '--spool', folder / PATH / 'none', '--until-empty')


def many(folder):
    good = folder / 'job.xml'
    write(good, job())
    cluster = folder / 'cluster.xml'
    workload = write(folder / ('load' + PATH), '''<workload xmlns="urn:bigrocks:workload:1" name=%s><group name=%s/>
<job file="job.xml" id=%s group=%s arrival="0"/></workload>''' % ((quoteattr(NAME),) * 4))
    for words in (['workload', workload],
                  ['workload', workload, '--format', 'text'], ['simulate', workload, '--cluster', cluster],
                  ['simulate', workload, '--cluster', cluster, '--policy', 'fifo,placed'],
                  ['simulate', workload, '--policy', NAME], ['simulate', workload, '--cluster', NAME], ['simulate', '--merge', workload],
                  ['predict', workload], ['predict', workload, '--predictor', NAME], ['coflow', workload],
                  ['coflow', workload, '--policy', NAME], ['train', good, '--count', NAME],
                  ['train', write(folder / (PATH + '.toml'), '"%s" = 1\n' % NAME)],
                  ['generate', '--like', NAME], ['generate', '--stages', NAME], ['doctor'], ['completion', NAME],
                  ['help', NAME], ['help'], [NAME], ['workload', good, '--format', NAME]):
        ask(*words, stdout=words[0] != 'workload' or 'text' in words)


with case.folder() as scratch:
    root = pathlib.Path(scratch)
    for walk in (jobs, builds, servers, spool, many):
        (root / walk.__name__).mkdir()
        write(root / walk.__name__ / 'cluster.xml', CLUSTER)
        walk(root / walk.__name__)
    checker = pathlib.Path(__file__).resolve().parents[2] / 'tools' / 'check_certificate.py'
    for path in [p for p in (root / 'jobs').iterdir() if p.is_file()][:8]:
        done = subprocess.run(['python3', str(checker), str(path)], capture_output=True, text=True)
        check(['tools'], done.stdout + done.stderr)
    commands = {line.split()[0] for line in case.bigrocks('help').stdout.partition('Commands:\n')[2].partition(
        '\n\n')[0].splitlines() if line.startswith('  ') and line[2] != ' '}
    missing = commands - walked
    assert not missing, 'not walked: %s' % sorted(missing)
    print('%d runs of %d commands' % (asked, len(commands)))
