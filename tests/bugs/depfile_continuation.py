"""After `run` of a build, what a depfile names before a backslash and a line's end is recorded.

Protoc writes depfiles so. ../check_depfiles.py compares many more forms with what ninja records.
"""
import pathlib
import sys

import case

DEPFILE = 'x.o: x.c a.h\\\n b.h \\\n  c.h\\\r\nd.h\\\n\n'
BUILD = '''rule cc
  command = cp depfile $out.d && touch $out
  depfile = $out.d
  deps = gcc
rule bad
  command = echo nothing to read >$out.d && touch $out
  depfile = $out.d
  deps = gcc
build x.o: cc
build y.o: bad
build z.o: cc
'''

with case.folder() as scratch:
    folder = pathlib.Path(scratch)
    (folder / 'build.ninja').write_text(BUILD)
    (folder / 'depfile').write_text(DEPFILE, newline='')
    case.bigrocks('import', 'ninja', '-C', folder, '--capacity', 'cpu=1', '-q', '-o', folder / 'job.xml')
    done = case.bigrocks('run', folder / 'job.xml', '-q', '--journal', folder / 'journal')
    assert done.returncode == 0 and "'y.o': a depfile has no ':'" in done.stderr, done
    records = (folder / '.ninja_deps').read_bytes()
    missing = [name for name in (b'x.c', b'a.h', b'b.h', b'c.h', b'd.h', b'x.o', b'z.o') if name not in records]
    if missing or b'y.o' in records:
        sys.exit('.ninja_deps lacks %s: %r' % (missing, records))
    # One command's bad depfile costs that command alone.
    rows = [row.split('\t')[3] for row in (folder / '.ninja_log').read_text().splitlines()[1:]]
    assert sorted(rows) == ['x.o', 'z.o'], rows
    # A depfile that ninja has taken away since then does not empty what it has recorded.
    (folder / 'x.o.d').unlink()
    (folder / '.ninja_log').unlink()  # what it has is not told again
    done = case.bigrocks('run', folder / 'job.xml', '-q', '--journal', folder / 'journal', '--resume')
    new = (folder / '.ninja_deps').read_bytes()
    assert done.returncode == 0 and len(new) > len(records), (done, new)
    outputs = []
    at = 16
    while at < len(new):  # numbers of the outputs that have records
        size = int.from_bytes(new[at:at + 4], 'little')
        if size >> 31:
            outputs.append(int.from_bytes(new[at + 4:at + 8], 'little'))
        at += 4 + (size & 0x7fffffff)
    assert len(outputs) == 3 and outputs[1] == outputs[2], outputs  # x.o, and z.o twice
