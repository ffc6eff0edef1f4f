#!/usr/bin/env python3
"""Memory in MiB is that many bytes of a machine in WfFormat, as of a task there."""
import json

import case

JOB = ('<job xmlns="urn:bigrocks:job:1"><resource name="mem" unit="MiB"/>'
       '<stage id="a" duration="1"><demand resource="mem" amount="500"/><command>true</command></stage>'
       '</job>')
WHERE = ('-', '--machines', '1', '--capacity', 'mem=1000')

done = case.bigrocks('plan', *WHERE, '-q', '--format', 'wfformat', input=JOB)
assert done.returncode == 0, done
execution = json.loads(done.stdout)['workflow']['execution']
assert [m.get('memoryInBytes') for m in execution['machines']] == [1000 << 20], execution
assert 'memoryInBytes' not in execution['tasks'][0] or execution['tasks'][0]['memoryInBytes'] == 500 << 20
