#!/usr/bin/env python3
"""A task of 0 s takes room by capacity: it may stand inside a task that has all of its resource. By the rule of
no-overlap it could not, and this job would last 14 s."""
import json

import case

JOB = '''<job xmlns="urn:bigrocks:job:1" name="zero">
<stage id="whole" duration="10"><demand resource="cpu" amount="1"/></stage>
<stage id="point" duration="0"><demand resource="cpu" amount="1"/></stage>
<stage id="pre" duration="4"><demand resource="io" amount="1"/></stage>
<stage id="post" duration="6"><demand resource="io" amount="1"/></stage>
<edge from="pre" to="point"/><edge from="point" to="post"/>
</job>'''

with case.folder() as folder:
    with open(folder + '/job.xml', 'w') as file:
        file.write(JOB)
    done = case.bigrocks('plan', folder + '/job.xml', '--machines', '1', '--capacity', 'cpu=1,io=1', '-q',
                         '-o', folder + '/plan.json')
    assert done.returncode == 0, done
    with open(folder + '/plan.json') as file:
        plan = json.load(file)
    assert plan['makespan'] == plan['lower_bound'] == 10, plan
    start = {row['id']: row['start'] for row in plan['tasks']}
    assert start == {'whole': 0, 'point': 4, 'pre': 0, 'post': 4}, start
    done = case.bigrocks('check', folder + '/job.xml', folder + '/plan.json')
    assert done.returncode == 0, done
