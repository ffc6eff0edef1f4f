"""A read that fails is not the file's end: what ninja has recorded is not cut, and no depfile is half read.

Called with the program and fail_call, which lets one read of the run after another fail.
"""
import pathlib
import shutil
import subprocess
import sys

import case

FAIL_CALL = pathlib.Path(sys.argv[2]).resolve()
UNAVAILABLE = 126
BUILD = '''rule cc
  command = echo 'x.o: a.h b.h' >$out.d && touch $out
  depfile = $out.d
  deps = gcc
build x.o: cc
'''


def run(folder, *before, **options):
    """Runs the build's job behind the words; what came of it, and what ninja's file holds then."""
    words = [*before, case.BIGROCKS, 'run', folder / 'job.xml', '-q', '--journal', folder / 'journal']
    done = subprocess.run([str(word) for word in words], env=case.ENVIRONMENT, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=60, check=False, **options)
    return done, (folder / '.ninja_deps').read_bytes()


with case.folder() as scratch:
    work, kept = pathlib.Path(scratch) / 'work', pathlib.Path(scratch) / 'kept'
    work.mkdir()
    (work / 'build.ninja').write_text(BUILD)
    case.bigrocks('import', 'ninja', '-C', work, '--capacity', 'cpu=1', '-q', '-o', work / 'job.xml')
    first, old = run(work)
    assert first.returncode == 0 and b'b.h' in old, (first, old)
    (work / 'journal').unlink()
    shutil.copytree(work, kept)
    whole = None
    told = 0
    for number in range(1, 1000):
        shutil.rmtree(work)
        shutil.copytree(kept, work)
        with open(pathlib.Path(scratch) / 'count', 'w+', encoding='utf-8') as count:
            which = 0 if whole is None else number
            done, new = run(work, FAIL_CALL, 'read', which, 'EIO', '--report', count.fileno(),
                            pass_fds=[count.fileno()])
            count.seek(0)
            calls = int(count.read() or 0)
        if done.returncode == UNAVAILABLE:
            sys.exit(77)  # this system does not let one program answer the calls of another
        if whole is None:
            whole, reads = new, calls
            assert done.returncode == 0 and len(whole) > len(old) and reads > 3, (done, reads)
        assert new.startswith(old), 'read %d of %d failed: %r was cut to %r' % (number, reads, old, new)
        if len(new) != len(whole):
            assert done.returncode or done.stderr, 'read %d: part of a depfile, and not a word: %r' % (number, new)
            told += 1
        if number > reads:
            break
    assert told >= 2, 'the reads of both files did not fail'
