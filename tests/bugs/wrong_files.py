"""Empty files passed for tables of durations and were called plans cut short; two things were read from standard
input, of which one found nothing; --trace-search - made a file of that name."""
import pathlib
import os

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
