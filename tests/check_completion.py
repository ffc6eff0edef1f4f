#!/usr/bin/env python3
"""Completion scripts are right for their shells: they offer every sub-command, every option of it,
and the choices of an option.

check_completion.py BIGROCKS. Shells that are not installed are left out; bash is needed (else 77).
"""
import re
import shutil
import subprocess
import sys
import tempfile


def run(command, **options):
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=60, **options)
    assert done.returncode == 0, (command, done.stdout)
    return done.stdout


def main():
    bigrocks = sys.argv[1]
    if not shutil.which('bash'):
        print('bash is not installed')
        return 77
    commands = re.findall(r'^  (\w+) ', run([bigrocks, 'help']).partition('Commands:\n')[2].partition('\n\n')[0], re.M)
    assert 'plan' in commands and 'completion' in commands, commands

    bash = run([bigrocks, 'completion', 'bash'])

    def complete(*words):
        """What bash offers after these words, of which the last one is incomplete."""
        script = bash + '\nCOMP_WORDS=(%s); COMP_CWORD=%d; _bigrocks; printf "%%s\\n" "${COMPREPLY[@]}"' % (
            ' '.join("'%s'" % w for w in words), len(words) - 1)
        return run(['bash', '-c', script]).split()

    assert set(commands) <= set(complete('bigrocks', '')), complete('bigrocks', '')
    assert complete('bigrocks', 'pl') == ['plan']
    assert set(complete('bigrocks', 'help', '')) == set(commands)
    assert 'graphene' in complete('bigrocks', 'plan', '--method', 'g')
    assert 'graphene' in complete('bigrocks', 'plan', 'a.xml', '--method', '=', 'g')
    assert complete('bigrocks', 'plan', '--seed', '') == []
    options = 0
    for command in commands:
        helped = run([bigrocks, 'help', command]).partition('\nOptions:')[2].partition('\n\n')[0]
        listed = {'--' + o for o in re.findall(r'^ +(?:-\w, )?--(?:\[no-\])?([\w-]+)', helped, re.M)}
        assert listed, command
        offered = set(complete('bigrocks', command, '-'))
        assert listed <= offered, (command, listed - offered)
        options += len(listed)
    with tempfile.NamedTemporaryFile('w', suffix='.fish') as file:
        file.write(run([bigrocks, 'completion', 'fish']))
        file.flush()
        if shutil.which('fish'):
            def fish(line):
                text = run(['fish', '--no-config', '-c', 'source %s; complete -C "%s"' % (file.name, line)])
                return {l.partition('\t')[0] for l in text.splitlines()}
            assert set(commands) <= fish('bigrocks ')
            assert '--method' in fish('bigrocks plan --me')
            assert 'graphene' in fish('bigrocks plan --method ')
        else:
            print('fish is not installed')
    with tempfile.NamedTemporaryFile('w') as file:
        file.write(run([bigrocks, 'completion', 'zsh']))
        file.flush()
        if shutil.which('zsh'):
            run(['zsh', '-n', file.name])
        else:
            print('zsh is not installed')
    print('%d sub-commands, %d options' % (len(commands), options))
    return 0


if __name__ == '__main__':
    sys.exit(main())
