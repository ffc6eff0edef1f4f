#!/usr/bin/env python3
"""shell="true" on the job is for all its commands, but for those that say otherwise."""
import case

JOB = '''<job xmlns="urn:bigrocks:job:1" name="j" shell="%s">
<stage id="a" duration="1"><command>echo one | tr a-z A-Z</command></stage>
<stage id="b" duration="1"><command shell="false">echo '%s'</command></stage>
</job>
'''


def run(text):
    return case.bigrocks('run', '-', '-q', '--capacity', 'cpu=1', input=text)


done = run(JOB % ('true', '$HOME'))
assert done.returncode == 0 and sorted(done.stdout.split()) == ['$HOME', 'ONE'], done
done = run(JOB % ('false', 'x'))
assert done.returncode == 3 and "'|' in a command means nothing without a shell" in done.stderr, done
done = run(JOB % ('yes', 'x'))
assert done.returncode == 3 and '1:1: <job> has shell="yes"; write shell="true" or' in done.stderr, done
# It is still there in what is written of the job.
for form in ('xml', 'dot'):
    written = case.bigrocks('convert', '-', '--format', form, input=JOB % ('true', '$HOME')).stdout
    assert sorted(run(written).stdout.split()) == ['$HOME', 'ONE'], written
