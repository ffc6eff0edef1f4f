#!/usr/bin/env python3
"""Several jobs in one file do not all end last in a plan that is as short, and may be planned for their mean."""
import json
import os

import case

# Queries of two operators; by the work alone all could end at 6 s on two processors.
QUERIES = {'a': (0.2, 0.8), 'b': (1, 1), 'c': (2, 1), 'd': (0.5, 5.5)}
ROWS = ''.join('<stage id="%s%d" duration="%s"><demand resource="cpu" amount="1"/>%s</stage>' % (
    name, k, seconds, '<attribute name="weight" value="%d"/>' % (90 if name == 'd' else 1) if k else '')
    for name, spans in QUERIES.items() for k, seconds in enumerate(spans))
JOB = '<job xmlns="urn:bigrocks:job:1">%s%s</job>' % (
    ROWS, ''.join('<edge from="%s0" to="%s1"/>' % (name, name) for name in QUERIES))


def plan(*words):
    done = case.bigrocks('plan', '-', '--machines', '1', '--capacity', 'cpu=2', '-q', '--format', 'json', *words, input=JOB)
    assert done.returncode == 0, done
    made, ends = json.loads(done.stdout), {}
    for task in made['tasks']:
        ends[task['id'][0]] = max(ends.get(task['id'][0], 0), task['end'])
    return made, ends, sum(ends.values()) / len(ends)


made, ends, mean = plan()
assert made['makespan'] == made['lower_bound'] == 6 and 'objective' not in made, made
assert mean == 4, ends  # a, b and c one after another on one processor, d on the other: 1 + 3 + 6 + 6
made, ends, mean = plan('--objective', 'mean')
assert made['objective'] == 'mean' and made['mean_completion'] == mean == 3.75, (ends, mean)  # 1 + 2 + 5 + 7
assert 3 <= made['mean_bound'] <= mean and made['makespan'] == 7, made
weighted, ends, _ = plan('--objective', 'weighted')
assert ends['d'] == 6 and weighted['objective'] == 'weighted', ends
assert 5.87 <= weighted['mean_bound'] <= weighted['mean_completion'], weighted
with case.folder() as folder:
    job, path = os.path.join(folder, 'job.xml'), os.path.join(folder, 'plan.json')
    with open(job, 'w') as file:
        file.write(JOB)
    for name, other in (('mean_completion', 3.75), ('mean_completion', 3), ('mean_bound', 3.7), ('objective', 'weighted')):
        with open(path, 'w') as file:
            json.dump({**made, name: other}, file)
        done = case.bigrocks('check', job, path)
        assert done.returncode == (0 if other == 3.75 else 1), (name, done)
assert case.bigrocks('plan', '-', '--machines', '1', '--capacity', 'cpu=2', '--objective', 'mean', '-m', 'cp',
                     input=JOB).returncode == 2
