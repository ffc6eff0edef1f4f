#!/usr/bin/env python3
"""An element without end is refused after a limited number of its attributes or namespaces.

libxml2 compares each attribute with each. How much is read before the answer tells that they are not
all waited for, whatever the machine.
"""
import case

LIMIT = 1 << 20  # of bytes that are taken: the limits are a tenth of that, the rest is for pipes


def taken(head, each):
    """How many bytes the program takes of an endless element before it says no, and what it says."""
    process = case.start('show', '-', stdin=case.subprocess.PIPE)
    count = number = 0
    try:
        process.stdin.write(head)
        while count < 8 * LIMIT:
            text = ''.join(each % k for k in range(number, number + 1000))
            process.stdin.write(text)
            process.stdin.flush()
            number += 1000
            count += len(text)
    except BrokenPipeError:
        pass
    said = process.stderr.read()
    try:
        process.stdin.close()
    except BrokenPipeError:
        pass
    process.stdout.close()
    process.stderr.close()
    return count, process.wait(), said


NATIVE, DAX = '<job xmlns="urn:bigrocks:job:1" ', '<adag '
for head in (NATIVE, NATIVE + '>\n<stage id="a" ', DAX, DAX + '>\n<job id="a" '):
    for each in ('a%d="" ', 'xmlns:n%d="urn:n" '):
        count, status, said = taken(head, each)
        assert count < LIMIT and status == 3, (head, each, count, status, said)
        assert 'more than 10000 attributes, or 256 namespaces' in said, said
# The limits themselves are kept to the letter, also where all has been read before they are looked at.
for each, most in (('o:a%d="" ', 10000), ('xmlns:n%d="urn:n" ', 254)):
    for more in (0, 1):
        text = (NATIVE + 'xmlns:o="urn:others"><stage id="a" duration="1" %s/></job>') % ''.join(
            each % k for k in range(most - (2 if 'a%' in each else 0) + more))
        done = case.bigrocks('convert', '-', '--format', 'xml', input=text)
        assert done.returncode == (3 if more else 0), (each, more, done.stderr[:300])
