#!/usr/bin/env python3
"""Completion scripts are right for their shells: they offer every sub-command, every option of it,
and the choices of an option.

check_completion.py BIGROCKS. bash and fish are asked what they would offer; zsh completes at a
terminal of ours, by the tabulator key. Shells that are not installed are left out; bash is needed
(else 77).
"""
import fcntl
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time


def run(command, **options):
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=60, **options)
    assert done.returncode == 0, (command, done.stdout)
    return done.stdout


class Zsh:
    """An interactive zsh at a terminal wide and high enough for every list."""

    def __init__(self, folder):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM='dumb', LC_ALL='C')
            os.execvp('zsh', ['zsh', '-f', '-i'])
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack('HHHH', 2000, 400, 0, 0))
        self.type("PS1='> '; fpath=('%s' $fpath); cd '%s'; autoload -Uz compinit; compinit -u -D; LISTMAX=100000; "
                  "setopt no_always_last_prompt no_beep; echo re''ady\r" % (folder, folder), r'ready\r\n.*> \S*$')

    def type(self, text, until):
        """The terminal's text until it ends as expected."""
        shown, limit = '', time.monotonic() + 60
        os.write(self.fd, text.encode())
        while not re.search(until, shown, re.S):
            assert time.monotonic() < limit, 'zsh shows %r, not %r' % (shown, until)
            if select.select([self.fd], [], [], 0.2)[0]:
                shown += os.read(self.fd, 1 << 16).decode(errors='replace')
        return shown

    def completed(self, line, end):
        """Completes what can be in one way only."""
        self.type(line + '\t', re.escape(end) + '$')
        self.type('\x15', '.')

    def listed(self, line):
        """The offers where there are several ways."""
        shown = self.type(line + '\t', r'\n> ' + re.escape(line) + '$')
        self.type('\x15', '.')
        return shown

    def close(self):
        os.close(self.fd)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def check_zsh(bigrocks, commands, options):
    with tempfile.TemporaryDirectory(prefix='bigrocks-zsh') as folder:
        script = pathlib.Path(folder) / '_bigrocks'
        script.write_text(run([bigrocks, 'completion', 'zsh']))
        run(['zsh', '-n', str(script)])
        zsh = Zsh(folder)
        try:
            shown = zsh.listed('bigrocks ')
            assert set(commands) <= set(re.findall(r'^(\w+) +-- ', shown, re.M)), shown
            zsh.completed('bigrocks pl', 'bigrocks plan ')
            zsh.completed('bigrocks plan --metho', 'bigrocks plan --method=')
            zsh.completed('bigrocks plan --method graph', 'bigrocks plan --method graphene ')
            zsh.completed('bigrocks plan --method=graph', 'bigrocks plan --method=graphene ')
            zsh.completed('bigrocks help rend', 'bigrocks help render ')
            zsh.completed('bigrocks import n', 'bigrocks import ninja ')
            zsh.completed('bigrocks import -C . m', 'bigrocks import -C . make ')
            zsh.completed('bigrocks import ninja _big', 'bigrocks import ninja _bigrocks ')
            zsh.completed('bigrocks completion f', 'bigrocks completion fish ')
            for command in commands:
                shown = zsh.listed('bigrocks %s --' % command)
                offered = set(re.findall(r'(?<=\s)--[\w-]+', shown))
                assert options[command] <= offered, (command, options[command] - offered)
        finally:
            zsh.close()


def check_fish(bigrocks, commands, options):
    # In a folder without files.
    with tempfile.TemporaryDirectory(prefix='bigrocks-fish') as folder, tempfile.NamedTemporaryFile('w', suffix='.fish') as file:
        file.write(run([bigrocks, 'completion', 'fish']))
        file.flush()

        def fish(*lines):
            text = run(['fish', '--no-config', '-c', 'source %s; for line in $argv; complete -C $line; '
                        'echo ==; end' % file.name, *lines], cwd=folder)
            return [{l.partition('\t')[0] for l in part.splitlines()} for part in text.split('==\n')]
        assert set(commands) <= fish('bigrocks ')[0]
        assert '--method' in fish('bigrocks plan --me')[0]
        assert 'graphene' in fish('bigrocks plan --method ')[0]
        given = ['bigrocks import n', 'bigrocks import -C . m', 'bigrocks import ninja m', 'bigrocks completion z',
                 'bigrocks help impo', 'bigrocks import --file cmake n', 'bigrocks help import n', 'bigrocks help plan pl']
        offered = fish(*given)
        assert offered[:6] == [{'ninja'}, {'make'}, set(), {'zsh'}, {'import'}, {'ninja'}], offered
        assert 'ninja' not in offered[6] and 'plan' not in offered[7], offered
        for command, offered in zip(commands, fish(*('bigrocks %s --' % c for c in commands))):
            assert options[command] <= offered, (command, options[command] - offered)


def main():
    bigrocks = sys.argv[1]
    if not shutil.which('bash'):
        print('bash is not installed')
        return 77
    commands = re.findall(r'^  (\w+) ', run([bigrocks, 'help']).partition('Commands:\n')[2].partition('\n\n')[0], re.M)
    assert 'plan' in commands and 'completion' in commands, commands

    bash = run([bigrocks, 'completion', 'bash'])

    def complete(*words, **options):
        """The offers of bash after these words, of which the last one is incomplete."""
        script = bash + '\nCOMP_WORDS=(%s); COMP_CWORD=%d; _bigrocks; printf "%%s\\n" "${COMPREPLY[@]}"' % (
            ' '.join("'%s'" % w for w in words), len(words) - 1)
        return run(['bash', '-c', script], **options).split()

    assert set(commands) <= set(complete('bigrocks', '')), complete('bigrocks', '')
    assert complete('bigrocks', 'pl') == ['plan']
    assert set(complete('bigrocks', 'help', '')) == set(commands)
    assert 'graphene' in complete('bigrocks', 'plan', '--method', 'g')
    assert 'graphene' in complete('bigrocks', 'plan', 'a.xml', '--method', '=', 'g')
    assert complete('bigrocks', 'plan', '--seed', '') == []
    assert complete('bigrocks', 'import', 'n') == complete('bigrocks', 'import', 'ninja') == ['ninja']
    usage = re.search(r'^usage: bigrocks import \[options\] ([\w|-]+) ', run([bigrocks, 'help', 'import'])).group(1)
    assert complete('bigrocks', 'import', '-C', 'build', '') == usage.split('|'), usage
    assert complete('bigrocks', 'completion', 'z') == ['zsh']
    # Targets and jobs are files.
    with tempfile.TemporaryDirectory(prefix='bigrocks-bash') as folder:
        (pathlib.Path(folder) / 'make.o').touch()
        assert complete('bigrocks', 'import', 'ninja', 'm', cwd=folder) == ['make.o']
        assert complete('bigrocks', 'plan', '', cwd=folder) == ['make.o']
        assert complete('bigrocks', 'import', 'm', cwd=folder) == ['make']
    options = {}
    for command in commands:
        helped = run([bigrocks, 'help', command]).partition('\nOptions:')[2].partition('\n\n')[0]
        listed = {'--' + o for o in re.findall(r'^ +(?:-\w, )?--(?:\[no-\])?([\w-]+)', helped, re.M)}
        assert listed, command
        offered = set(complete('bigrocks', command, '-'))
        assert listed <= offered, (command, listed - offered)
        options[command] = listed
    for shell, check in (('fish', check_fish), ('zsh', check_zsh)):
        if shutil.which(shell):
            check(bigrocks, commands, options)
        else:
            print('%s is not installed' % shell)
    print('%d sub-commands, %d options' % (len(commands), sum(map(len, options.values()))))
    return 0


if __name__ == '__main__':
    sys.exit(main())
