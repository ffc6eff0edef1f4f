#!/usr/bin/env python3
"""What engines would do with a plan otherwise than it says is in their files, and what a record or a workflow does
not have is told: memory of Slurm's jobs, jobs behind a failed one, Snakemake's schedulers, StarPU's tags, pipes and
groups, instances without edges."""
import json
import os
import subprocess

import case

JOB = '''<job xmlns="urn:bigrocks:job:1" name="two">
<stage id="first" duration="1" tasks="2"><demand resource="cpu" amount="2"/><command>true</command></stage>
<stage id="second" duration="1"><demand resource="cpu" amount="1"/>%s<command>true</command></stage>
<edge from="first" to="second"/></job>'''
MEMORY = '<demand resource="mem" amount="1GiB"/>'

# Slurm's programs: sbatch notes how it is called, scontrol and sinfo tell of a site.
PROGRAMS = {'sbatch': 'echo "$*" >>calls; echo 7',
            'scontrol': 'case $2 in config) cat config ;; esac',
            'sinfo': "printf '4 4000\\n8 4100\\n'"}
CONFIG = 'PriorityType            = priority/multifactor\nSelectTypeParameters    = %s\n%s = %s\n'


def submit(job, config, *options):
    """The calls of sbatch by the script for Slurm, and what it says."""
    with case.folder() as folder:
        for name, text in PROGRAMS.items():
            path = os.path.join(folder, name)
            with open(path, 'w') as file:
                file.write('#!/bin/sh\n' + text + '\n')
            os.chmod(path, 0o755)
        with open(os.path.join(folder, 'config'), 'w') as file:
            file.write(config)
        script = case.bigrocks('plan', '-', '--capacity', 'cpu=4,mem=4GiB', '-q', '--format', 'slurm', input=job)
        assert script.returncode == 0, script
        done = subprocess.run(['sh', '-c', script.stdout, 'sh', *options], cwd=folder, text=True, capture_output=True,
                              env={**case.ENVIRONMENT, 'PATH': folder + ':' + os.environ['PATH']})
        assert done.returncode == 0, done
        with open(os.path.join(folder, 'calls')) as file:
            return file.read().splitlines(), done.stderr


WORDS = 'Slurm gives all memory of a node to jobs that state none'
unlimited = CONFIG % ('CR_CORE_MEMORY', 'DefMemPerNode          ', 'UNLIMITED')
(first, second), said = submit(JOB % MEMORY, unlimited)
assert '--mem-per-cpu=512' in first and '--mem=' not in first and WORDS in said, (first, said)
assert '--mem=1048576K' in second and '--mem-per-cpu' not in second, second
assert '--kill-on-invalid-dep=yes --dependency=afterok:7' in second and 'invalid' not in first, second
(first, second), said = submit(JOB % '', unlimited, '--mem=9')
assert 'per-cpu' not in first + second and '--mem=9' in first and said == '', (first, said)
for config in (CONFIG % ('CR_CPU', 'DefMemPerNode', 'UNLIMITED'),
               CONFIG % ('CR_CPU_MEMORY', 'DefMemPerCPU', '500'), ''):
    calls, said = submit(JOB % '', config)
    assert '--mem' not in ''.join(calls) and said == '', (calls, said)


def render(form):
    done = case.bigrocks('plan', '-', '--machines', '1', '--capacity', 'cpu=4,mem=4GiB', '-q', '--format', form,
                         input=JOB % '')
    assert done.returncode == 0, done
    return done.stdout


text = render('snakemake')
assert 'snakemake -k -s FILE --scheduler greedy --cores 4' in text, text
assert 'the default scheduler (ilp): it takes the set with the largest sum' in text, text
text = render('starpu')
assert text.count('ight behind starpu_task_create') == 2 and 'before its dependencies are declared' in text, text

# WfFormat without edges; a bound above the recorded makespan.
def instance(makespan, child):
    tasks = [{'name': k, 'id': k, 'parents': ['a'] if k == child else [], 'children': [child] if k == 'a' and child else []}
             for k in 'ab']
    return json.dumps({'name': 'flat', 'schemaVersion': '1.5', 'workflow': {
        'specification': {'tasks': tasks}, 'execution': {
            'makespanInSeconds': makespan, 'executedAt': '2024-01-01T00:00:00Z',
            'tasks': [{'id': k, 'runtimeInSeconds': 10} for k in 'ab']}}})


for makespan, child, flat, above in ((30, '', True, False), (30, 'b', False, False), (15, 'b', False, True)):
    done = case.bigrocks('plan', '-', '--capacity', 'cpu=8', input=instance(makespan, child))
    assert done.returncode == 0, done
    assert ('none of the 2 tasks waits for another' in done.stderr) == flat, done
    assert ('the lower bound of 20 s is above the 15 s' in done.stderr) == above, done

# Pipes, groups and demands to be determined, as the package in Snakemake tells them.
jobs = [{'id': 'feed', 'rule': 'feed', 'joined': 'pipe'}, {'id': 'drain', 'rule': 'drain', 'after': [0], 'joined': 'group'},
        {'id': 'late', 'rule': 'late', 'undetermined': ['mem_mb']}]
text = json.dumps({'format': 'bigrocks-snakemake/1', 'jobs': jobs})
for words in ('1 job with a pipe or a service', '(the first: feed)', '1 job of a group', '(the first: drain)',
              '1 job with a resource that is known only when the input is there', '(the first: late)'):
    done = case.bigrocks('plan', '-', '--capacity', 'cpu=4', '--default-duration', '1', input=text)
    assert done.returncode == 0 and words in done.stderr, (words, done)
