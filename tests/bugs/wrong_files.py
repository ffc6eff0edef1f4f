"""Empty files passed for tables of durations and were called plans cut short; two things were read from standard
input, of which one found nothing; --trace-search - and others made a file of that name; devices and pipes were read without
an end."""
import pathlib
import os
import subprocess

import case

JOB = 'digraph job { a [duration=1]; b [duration=2]; a -> b; }'
CORES = ('--machines', 1, '--capacity', 'cpu=1')


def refused(status, said, *words, **options):
    done = case.bigrocks(*words, **options)
    assert done.returncode == status and said in done.stderr, done


with case.folder() as scratch:
    os.chdir(scratch)
    pathlib.Path('job.dot').write_text(JOB)
    pathlib.Path('empty').touch()
    pathlib.Path('blank').write_text(' \n\t\r\n')
    pathlib.Path('comment').write_text('# nothing yet\n')
    for name in ('empty', 'blank'):
        for words in (['check', 'job.dot', name], ['check', '--certificate', name], ['render', name, '-f', 'svg']):
            refused(3, '%s:1:1: the file is empty; is this the file that you meant?' % name, *words)
    refused(3, 'cut short', 'check', '--certificate', '-', input='{"a"')
    for name in ('empty', 'blank', 'comment'):
        refused(3, '%s: the table of durations is empty; write rows' % name, 'plan', 'job.dot', *CORES,
                '--durations', name)
    for command, what in (('plan', 'job'), ('bound', 'job'), ('show', 'job'), ('batch', 'list')):
        refused(2, 'the %s and the table of durations cannot both come from standard input; give one' % what, command,
                '-', '--durations', '-', *CORES, input=JOB)
    refused(2, 'the cluster and the table of durations cannot both come from', 'plan', 'job.dot', '--cluster', '-',
            '--durations', '-', input='a,3\n')
    done = case.bigrocks('plan', 'job.dot', *CORES, '--durations', '-', '-q', '--trace-search', '-', input='a,3\n')
    assert done.returncode == 0 and done.stdout.startswith('seconds,part,makespan'), done
    assert ',3,3,' in done.stdout and not pathlib.Path('-').exists(), done
    refused(5, 'blank: a server cannot be here: Address already in use; give another --socket PATH', 'serve',
            '--socket', 'blank', '--capacity', 'cpu=1', '--', 'true')
    refused(3, "'make -n -p -w --trace --debug=basic' prints it", 'import', 'make', '--printed', 'blank')
    # What is kept is no stream.
    for words in (['plan', 'job.dot', '--store', '-'], ['batch', 'list', '--store', '-'], ['batch', 'list', '--out-dir', '-'],
                  ['run', 'job.dot', '--journal', '-'], ['run', '--spool', '-'], ['run', 'job.dot', '--history', '-'],
                  ['serve', '--socket', '-'], ['serve', '--history', '-'], ['build', '--history', '-'],
                  ['annotate', 'job.dot', '--history', '-'], ['train', 'job.dot', '--checkpoint', '-']):
        refused(2, "'-' is neither read nor written here; write ./- if the name is meant", *words)
    assert not pathlib.Path('-').exists()
    # Devices and pipes without an end; what is no plan is known by its beginning.
    for words, said in ((['check', 'job.dot', '/dev/zero'], 'there is a NUL byte in the text'),
                        (['check', '--certificate', '/dev/zero'], 'there is a NUL byte in the text'),
                        (['render', '/dev/zero', '-f', 'svg'], 'there is a NUL byte in the text'),
                        (['run', 'job.dot', *CORES, '--plan', '/dev/zero'], 'there is a NUL byte in the text'),
                        (['show', '/dev/zero', '--from', 'dot'], 'there is a NUL byte in the text'),
                        (['build', '-f', '/dev/zero'], 'there is a NUL byte in the text'),
                        (['batch', '/dev/zero', *CORES], ':1: there is a NUL byte in the list'),
                        (['batch', '--merge', '/dev/zero'], 'this is no table of a batch'),
                        (['simulate', '--merge', '/dev/zero'], 'this is no table of a simulation')):
        refused(3, said, *words, timeout=20)
    with subprocess.Popen(['yes'], stdout=subprocess.PIPE) as endless:
        refused(3, "<stdin>:1:1: expected the plan, found 'y'", 'check', 'job.dot', '-', stdin=endless.stdout, timeout=20)
        refused(3, 'the file is larger than 256 MiB', 'batch', '-', *CORES, stdin=endless.stdout, timeout=40)
        endless.kill()
    pathlib.Path('list').write_bytes(b'# jobs\n\tjob.dot \r\n\njob.dot')
    done = case.bigrocks('batch', 'list', *CORES, '-q')
    assert done.returncode == 0 and done.stdout.count('planned') == 2, done
    refused(3, '<stdin>:2: there is a NUL byte in the list', 'batch', '-', *CORES, input='job.dot\njob\0.dot\n')
