#!/usr/bin/env python3
"""A table of nasty commands means the same to `run` and in the file for every engine, executed.

commands.py BIGROCKS FOLDER-OF-SHOW ENGINE

Every command is a stage, and a second stage waits for it. What is compared with the table: the exact
words with which programs were started, the status where the engine tells it, and that the second
stage runs where the first has ended with 0 and does not where it has failed. No file may appear that
no command should make. Where the engine is not installed, the exit status is 77.
"""
import pathlib
import re
import sys
import tempfile
from xml.sax.saxutils import escape

import engines

KILLED = 'killed'
# Name, whether it is a script for a shell, text, words of every call of show, status (None: any but 0).
# "show" stands in PATH; a single @ is the case's name.
CASES = [
    ('double', 0, '''show @ "a b" "it's" "c"d''', [['a b', "it's", 'cd']], 0),
    ('single', 0, """show @ 'say "x"' 'a'"'"'b'""", [['say "x"', "a'b"]], 0),
    ('escaped', 0, r'''show @ \"x\" a\ b \' \$HOME''', [['"x"', 'a b', "'", '$HOME']], 0),
    ('dollar', 0, '''show @ "$HOME" '${HOME}' '$1' "$(touch canary)" '$' 'a$'  ''',
     [['$HOME', '${HOME}', '$1', '$(touch canary)', '$', 'a$']], 0),
    ('dollars', 0, '''show @ '$$' '$$$' '$$$$' '$(MAKE)' '$(DOLLAR)' '$$(DOLLAR)' '$ENV(HOME)' '$[x]' ''',
     [['$$', '$$$', '$$$$', '$(MAKE)', '$(DOLLAR)', '$$(DOLLAR)', '$ENV(HOME)', '$[x]']], 0),
    ('backquote', 0, 'show @ "`touch canary`" \'`id`\'', [['`touch canary`', '`id`']], 0),
    ('backslash', 0, r'''show @ 'a\b' 'c\\d' "e\\f" \\ 'n\n' "o\101" 'ends\'  ''',
     [['a\\b', 'c\\\\d', 'e\\f', '\\', 'n\\n', 'o\\101', 'ends\\']], 0),
    ('newline', 0, 'show @ "two\nlines" \'\nfirst\' "last\n" "a\n\n\nb" "\n"',
     [['two\nlines', '\nfirst', 'last\n', 'a\n\n\nb', '\n']], 0),
    ('newline-between', 0, 'show @ a\n  b\n\tc', [['a', 'b', 'c']], 0),
    ('newline-hostile', 0, 'show @ "x\ntouch canary\n#SBATCH --hold\nendef\nendif"',
     [['x\ntouch canary\n#SBATCH --hold\nendef\nendif']], 0),
    ('newline-backslash', 0, 'show @ \'a\\\nb\' \'c\\\n\\\n\' \'\\\' \'\n\t-d\n@e\n+f\'',
     [['a\\\nb', 'c\\\n\\\n', '\\', '\n\t-d\n@e\n+f']], 0),
    ('return', 0, 'show @ "a\rb" \'c\r\nd\' "\r"', [['a\rb', 'c\r\nd', '\r']], 0),
    ('tab', 0, 'show @ "a\tb" \'\t-x\' "\t"', [['a\tb', '\t-x', '\t']], 0),
    ('glob', 0, '''show @ '*' "?" '[a-z]*' 's*' ''', [['*', '?', '[a-z]*', 's*']], 0),
    ('tilde', 0, 'show @ ~ ~root a~ ~/x A=~', [['~', '~root', 'a~', '~/x', 'A=~']], 0),
    ('hash', 0, "show @ # '# b' c#d '#'", [['#', '# b', 'c#d', '#']], 0),
    ('refused', 0, "show @ %s '%d %%' %(x)s", None, None),  # ( needs quotes
    ('refused-dollar', 0, "show @ $(touch canary)", None, None),
    ('refused-operator', 0, "show @ a; touch canary", None, None),
    ('percent', 0, "show @ %s '%d %%' %n '%' '%(x)s'", [['%s', '%d %%', '%n', '%', '%(x)s']], 0),
    ('brace', 0, "show @ {} {a,b} '{{x}}' {{ }} {wildcards.i} {input} {0} '{{{y}}}' {{workflow.name}}",
     [['{}', '{a,b}', '{{x}}', '{{', '}}', '{wildcards.i}', '{input}', '{0}', '{{{y}}}',
       '{{workflow.name}}']], 0),
    ('index', 0, "show @ {index} 'a{index}b' \"{{index}}\" {{{index}}} '${index}' x{index}{index}",
     [['0', 'a0b', '{0}', '{{0}}', '$0', 'x00']], 0),
    ('jinja', 0, 'show @ "{% endraw %}{{ 7*7 }}" "{%endraw%}{{ 7*7 }}{%raw%}" "{%- endraw -%}{# x #}" a.sh',
     [['{% endraw %}{{ 7*7 }}', '{%endraw%}{{ 7*7 }}{%raw%}', '{%- endraw -%}{# x #}', 'a.sh']], 0),
    ('leading', 0, "show @ -x @y +z - -- -e -c '-@+'", [['-x', '@y', '+z', '-', '--', '-e', '-c', '-@+']], 0),
    ('bang', 0, "show @ ! '!!' a!b", [['!', '!!', 'a!b']], 0),
    ('non-ascii', 0, 'show @ ü 日本語 😀 "a\u2028b\u2029c" d\u0085e f\u0080g h\u202ei \ufeffj "k\u00a0l"',
     [['ü', '日本語', '😀', 'a\u2028b\u2029c', 'd\u0085e', 'f\u0080g', 'h\u202ei', '\ufeffj', 'k\u00a0l']], 0),
    ('empty', 0, "show @ '' \"\" x ''", [['', '', 'x', '']], 0),
    ('operators', 0, "show @ 'a;b' 'c|d' 'e&f' '<g>' '(h)' '&&' ';' '>canary'",
     [['a;b', 'c|d', 'e&f', '<g>', '(h)', '&&', ';', '>canary']], 0),
    ('equals', 0, "show @ A=b =c --d=e 'F=g h'", [['A=b', '=c', '--d=e', 'F=g h']], 0),
    ('markup', 0, "show @ '</script><script>' '<!--' ']]>' '&amp;' '\\u0041' '??/' '\"\"\"'",
     [['</script><script>', '<!--', ']]>', '&amp;', '\\u0041', '??/', '"""']], 0),
    ('quoted-program', 0, "'show' @ a", [['a']], 0),
    ('blank-program', 0, "'a program' @ 'b c'", [['b c']], 0),
    ('dash-program', 0, "-dash @ x -y", [['x', '-y']], 0),
    ('no-interpreter', 0, "bare @ 'x y' z", [['x y', 'z']], 0),
    ('builtin-exit', 0, 'exit 0', [], None),
    ('builtin-eval', 0, "eval 'touch canary'", [], None),
    ('reserved', 0, "if true", [], None),
    ('assignment', 0, "A=b show @ x", [], None),
    ('fails', 0, 'false', [], 1),
    ('absent', 0, './no-such-program', [], None),
    ('false-true', 1, 'false; true', [], 0),
    ('true-false', 1, 'true; false', [], 1),
    ('exit-3', 1, 'exit 3', [], 3),
    ('exit-99', 1, 'exit 99', [], 99),
    ('exit-0', 1, 'false; exit 0; show @ no', [], 0),
    ('kill', 1, 'kill -9 $$', [], KILLED),
    ('pipe-fails', 1, 'false | show @ piped', [['piped']], 0),
    ('lines', 1, 'show @ one\nfalse\nshow @ two', [['one'], ['two']], 0),
    ('lines-share', 1, 'x=1; cd /\nshow @ "$x" "$PWD"', [['1', '/']], 0),
    ('unset', 1, 'show @ "[$nothing]"', [['[]']], 0),
    ('expansions', 1, 'x=a.b; show @ "$((1 + 2))" "$(echo sub)" "${x%.b}" `echo back` "$x$x"',
     [['3', 'sub', 'a', 'back', 'a.ba.b']], 0),
    ('here', 1, "x=$(cat <<'E'\n\ttab\n- dash\n@at\n  $HOME `x` \\\nE\n)\nshow @ \"$x\"",
     [['\ttab\n- dash\n@at\n  $HOME `x` \\']], 0),
    ('here-tabs', 1, 'x=$(cat <<-E\n\ta\n\t\tb\n\tE\n)\nshow @ "$x"', [['a\nb']], 0),
    ('continued', 1, 'show @ a \\\n b \\\n\tc', [['a', 'b', 'c']], 0),
    ('comment', 1, 'show @ a # b\n# c; touch canary', [['a']], 0),
    ('sbatch', 1, '#SBATCH --hold\n#!/bin/false\nshow @ a', [['a']], 0),
    ('background', 1, 'show @ a & wait; show @ b', [['a'], ['b']], 0),
    ('prefixes', 1, '-none 2>/dev/null; @none 2>/dev/null\n+none 2>/dev/null\nshow @ x', [['x']], 0),
    ('crlf', 1, 'show @ a\r\nshow @ "b\r\n"', [['a\r'], ['b\r\n']], 0),
    ('trap', 1, "trap 'show @ trapped' EXIT; false", [['trapped']], 1),
    ('shell-brace', 1, "show @ {{a}} '{index}' \"{%endraw%}\"", [['{{a}}', '0', '{%endraw%}']], 0),
    ('shell-non-ascii', 1, 'show @ "a\u2028b" \u0085\necho >/dev/null', [['a\u2028b', '\u0085']], 0),
    ('dollar-quote', 1, """show @ '$(MAKE)' "\\$\\$" '"' "'" """, [['$(MAKE)', '$$', '"', "'"]], 0),
]
# A command that `run` refuses is refused for every engine.
REFUSED = [case for case in CASES if case[3] is None]
CASES = [case for case in CASES if case[3] is not None]


def is_sure(case):
    """Is it a plain command that ends well? One stage waits for all of these."""
    return not case[1] and case[4] == 0


def after(case):
    return 'after-plain' if is_sure(case) else 'after-' + case[0]


def job(cases):
    commands = [(case[0], case[1], case[2].replace(' @ ', ' %s ' % case[0])) for case in cases]
    commands += sorted({(after(case), 0, 'show ' + after(case)) for case in cases})
    lines = ['<job xmlns="urn:bigrocks:job:1" name="nasty">']
    for name, shell, text in commands:
        lines.append('<stage id="%s" duration="1"><demand resource="cpu" amount="1"/><command%s>%s'
                     '</command></stage>'
                     % (name, ' shell="true"' if shell else '', escape(text, {'\r': '&#13;'})))
    lines += ['<edge from="%s" to="%s"/>' % (case[0], after(case)) for case in cases]
    return '\n'.join(lines + ['</job>'])


def calls(path):
    """The words of every call, from show's records."""
    data, at, found = path.read_bytes() if path.exists() else b'', 0, []
    while at < len(data):
        words = []
        while data[at:at + 1] != b'\n':
            size = re.match(rb'(\d+):', data[at:])
            at += size.end()
            words.append(data[at:at + int(size[1])].decode())
            at += int(size[1])
        at += 1
        found.append(words)
    return found


def main():
    bigrocks, show, engine = sys.argv[1:4]
    with tempfile.TemporaryDirectory(prefix='bigrocks-hostile') as scratch:
        world = engines.World(pathlib.Path(scratch), bigrocks, show)
        for text, mode in (('exec show "$@"\n', 'bare'), ('#!/bin/sh\nexec show "$@"\n', 'a program'),
                           ('#!/bin/sh\nexec show "$@"\n', '-dash')):
            world.program(mode, text)
        if engine in ('make', 'ninja', 'gitlab', 'github'):
            # There a task also waits for the good end of those whose room it takes; so all have room.
            world.cluster = ['--capacity', 'cpu=1000']
        for case in REFUSED:
            assert world.refuses(job([case]), engine), case
        names = {case[0]: case for case in CASES}
        statuses = world.execute(job(CASES), engine)
        wrong = []
        for case in CASES:
            name, _, _, words, status = case
            got = calls(world.shown / name)
            if got != words:
                wrong.append('%s: called with %r, not %r' % (name, got, words))
            if (calls(world.shown / after(case)) == [[]]) != (status == 0):
                wrong.append('%s: what waits for it %s' % (name, 'ran' if status else 'did not run'))
            told = statuses.get(name)
            if told is not None and status is not None and told != status:
                wrong.append('%s: ended with %r, not %r' % (name, told, status))
        told = sum(names[n][4] is not None for n in statuses if n in names)
        strange = world.strangers(set(names) | set(map(after, CASES)))
        if strange:
            wrong.append('files that nothing should have made: %s' % strange)
        if wrong:
            sys.exit('\n'.join(wrong))
        print('%d commands, %d statuses told' % (len(CASES), told))
    return 0


if __name__ == '__main__':
    try:
        sys.exit(main())
    except engines.Skip as reason:
        print(reason)
        sys.exit(77)
