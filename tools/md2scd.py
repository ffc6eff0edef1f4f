#!/usr/bin/env python3
"""A document of docs/ as the source of a manual page: md2scd.py DOCUMENT PAGE SECTION SUMMARY.

Knows what docs/ uses: headings, paragraphs, lists, tables, fenced blocks, `code`, **bold**, links.
"""
import pathlib
import re
import sys


def inline(text):
    """Code becomes bold, links their text, the rest is escaped."""
    text = re.sub(r'\[([^\]]+)\]\([^)]*\)', r'\1', text)
    out = []
    for k, part in enumerate(re.split(r'`([^`]*)`', text)):
        part = part if k % 2 else part.replace('**', '')
        part = re.sub(r'([\\_*`#|<>.\[\]+-])', r'\\\1', part)
        out.append('*%s*' % part if k % 2 and part.strip() else part)
    return ''.join(out)


def table(rows):
    lines = []
    for k, row in enumerate(rows):
        if k == 1:
            continue  # the dashes
        cells = re.split(r'(?<!\\)\|', row.strip().strip('|'))
        for c, cell in enumerate(cells):
            lines.append('%s %s' % (':[' if c else '|[', inline(cell.strip()) or ' '))
    return lines + ['']


def convert(text):
    out, rows, fenced = [], [], False
    for line in text.splitlines() + ['']:
        if line.startswith('```'):
            fenced = not fenced
            out.append('```')
            if not fenced:
                out.append('')
            continue
        if fenced:
            out.append(line)
            continue
        if line.startswith('|'):
            rows.append(line)
            continue
        if rows:
            out += table(rows)
            rows = []
        heading = re.match(r'(#+) (.*)', line)
        if heading:
            level = max(1, len(heading.group(1)) - 1)
            words = re.sub(r'[`*]', '', heading.group(2))
            out += ['', '#' * min(level, 2) + ' ' + (words.upper() if level == 1 else words), '']
        elif re.match(r'- ', line):
            out.append('- ' + inline(line[2:]))
        else:
            out.append(inline(line.strip()))
    return '\n'.join(out)


def main():
    document, page, section, summary = sys.argv[1:]
    body = convert(pathlib.Path(document).read_text().partition('\n')[2])
    text = '%s(%s)\n\n# NAME\n\n%s - %s\n%s' % (page, section, page, summary, body)
    sys.stdout.write(re.sub(r'\n{3,}', '\n\n', text).rstrip() + '\n')


if __name__ == '__main__':
    main()
