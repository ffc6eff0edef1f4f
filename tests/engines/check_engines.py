#!/usr/bin/env python3
"""Files for engines are run by the engines: every task runs once, after its parents.

check_engines.py BIGROCKS ENGINE [COMPILER]

ENGINE is an output of `bigrocks render`. Where the engine is not installed, what can be said
without it is checked (the file parses, its shell or Python is valid), and the test is skipped.
"""
import ast
import json
import os
import pathlib
import re
import shlex
import shutil
import stat
import subprocess
import sys
import tempfile

import job_definition
import missing
import python_tools

# Two stages pair by pair, a barrier of several onto several, quotes and dollars in commands.
JOB = '''<job xmlns="urn:bigrocks:job:1" name="engines">
  <resource name="mem" unit="bytes"/>
  <stage id="prep" duration="1"><demand resource="cpu" amount="1"/>
    <command shell="true">sh "$LOG_DIR/note" 'prep' {index}</command></stage>
  <stage id="map" tasks="4" duration="2"><demand resource="cpu" amount="1"/>
    <demand resource="mem" amount="300000000"/>
    <command shell="true">V="map"; sh "$LOG_DIR/note" "$V" '{index}'</command></stage>
  <stage id="sort it" tasks="4" duration="1"><demand resource="cpu" amount="2"/>
    <command shell="true">sh "$LOG_DIR/note" "sort it" {index} '{braces}' # 100 %%</command></stage>
  <stage id="reduce" tasks="2" duration="1"><demand resource="cpu" amount="1"/>
    <command shell="true">%s</command></stage>
  <stage id="end" duration="1"><demand resource="cpu" amount="1"/>
    <command shell="true">sh "$LOG_DIR/note" end {index}</command></stage>
  <stage id="idle" duration="0"/>
  <edge from="prep" to="map"/>
  <edge from="map" to="sort it" type="one-to-one"/>
  <edge from="sort it" to="reduce"/>
  <edge from="prep" to="reduce"/>
  <edge from="reduce" to="end"/>
  <edge from="end" to="idle"/>
</job>
'''
LINES = '''N=reduce
case "$N" in # two lines
  *) sh "$LOG_DIR/note" "$N" {index};; esac'''
NOTE = '''echo "begin $1[$2]" >> "$LOG_DIR/log"
echo "end $1[$2]" >> "$LOG_DIR/log"
'''
PARENTS = {'prep': [], 'map': ['prep'], 'sort it': [], 'reduce': ['sort it', 'prep'],
           'end': ['reduce']}
TASKS = {'prep': 1, 'map': 4, 'sort it': 4, 'reduce': 2, 'end': 1}


def run(command, **options):
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=100, **options)
    if done.returncode:
        sys.exit('%s: exit %d\n%s' % (command, done.returncode, done.stdout))
    return done.stdout


def need(program, *elsewhere):
    for name in (program, *elsewhere):
        if shutil.which(name):
            return shutil.which(name)
    missing.leave('%s is' % program)


def check_log(folder):
    """Every task once, and after its parents."""
    lines = (folder / 'log').read_text().splitlines()
    at = {line: k for k, line in enumerate(lines)}
    wanted = ['%s %s[%d]' % (what, stage, i) for stage, n in TASKS.items() for i in range(n)
              for what in ('begin', 'end')]
    assert sorted(lines) == sorted(wanted), lines
    for stage, parents in PARENTS.items():
        waits = [(i, p, j) for p in parents for i in range(TASKS[stage]) for j in range(TASKS[p])]
        if stage == 'sort it':
            waits = [(i, 'map', i) for i in range(4)]
        for i, parent, j in waits:
            assert at['end %s[%d]' % (parent, j)] < at['begin %s[%d]' % (stage, i)], (stage, lines)


def make(file, folder):
    run([need('make'), '-j', '3', '-f', str(file)], cwd=folder)


def ninja(file, folder):
    run([need('ninja', 'ninja-build'), '-j', '4', '-f', str(file)], cwd=folder)


def snakemake(file, folder):
    run([need('snakemake'), '-s', str(file), '--cores', '3', '-q'], cwd=folder,
        env=dict(os.environ, HOME=str(folder), XDG_CACHE_HOME=str(folder)))


def dask(file, folder):
    ast.parse(file.read_text())
    for python in ('/usr/bin/python3', sys.executable):
        if subprocess.run([python, '-c', 'import distributed'], capture_output=True).returncode == 0:
            run([python, str(file)], cwd=folder)
            return
    missing.leave('the module distributed is')


def hyperqueue(file, folder):
    """By a server and a worker that the file starts itself."""
    run([str(python_tools.program('python3')), str(file)], cwd=folder, env=python_tools.environment(folder))


def hyperqueue_toml(file, folder):
    """By hq where it is, else by the server of the Python package; what hq does not know is refused."""
    done, _ = job_definition.submit(file, folder, {'cpu': 3, 'mem': 2000})
    assert done


def parsl(file, folder):
    """By workers that the file starts itself."""
    run([str(python_tools.program('python3')), str(file)], cwd=folder, env=python_tools.environment(folder))


def slurm(file, folder):
    """By a stand-in for sbatch that runs an array at once and knows the options it may be given."""
    bin = folder / 'bin'
    bin.mkdir()
    stub = bin / 'sbatch'
    stub.write_text(SBATCH)
    stub.chmod(stub.stat().st_mode | stat.S_IXUSR)
    said = run(['sh', str(file), '--partition=short'], cwd=folder,
               env=dict(os.environ, PATH='%s:%s' % (bin, os.environ['PATH'])))
    calls = (folder / 'calls').read_text().splitlines()
    assert said.split() == [str(k + 1) for k in range(len(calls))], said
    assert any('aftercorr:2' in c for c in calls), calls
    assert any('--mem=292969K' in c for c in calls), calls
    assert all('--partition=short' in c for c in calls), calls


SBATCH = '''#!/bin/sh
# Jobs run when they are submitted, which is after all that they may depend on.
printf '%s' "$*" | tr '\n' ' ' >> calls
echo >> calls
tasks=0
for word; do
    case $word in
        --parsable|--partition=short|--job-name=*|--nodes=1|--ntasks=1|--cpus-per-task=[1-9]) ;;
        --mem=*K|--nice=[0-9]*) ;;
        --array=*) tasks=$(echo "${word#--array=}" | tr ',' ' ') ;;
        --dependency=*)
            for number in $(echo "${word#--dependency=}" | tr ',:' '  '); do
                case $number in afterok | aftercorr) continue ;; esac
                [ "$number" -le "$(cat count)" ] || exit 1
            done ;;
        --wrap=*) command=${word#--wrap=} ;;
        --kill-on-invalid-dep=yes) ;;
        *) echo "unknown option $word" >&2; exit 1 ;;
    esac
done
for run in $tasks; do
    for i in $(seq "${run%-*}" "${run#*-}"); do
        SLURM_ARRAY_TASK_ID=$i sh -c "$command" || exit
    done
done
count=$(($(cat count 2>/dev/null || echo 0) + 1))
echo $count > count
echo "$count;cluster"
'''


def dagman(file, folder):
    """Runs the commands as Condor would take them out of the file, in an order of its own."""
    text = file.read_text()
    jobs = re.findall(r'^JOB (\w+) (\w+)$', text, re.M)
    described = re.findall(r'^SUBMIT-DESCRIPTION (\w+) \{$', text, re.M)
    assert len(jobs) == 13 and {d for _, d in jobs} == set(described)
    variables = dict(re.findall(r'^VARS (\w+) command="(.*)"$', text, re.M))
    priority = {n: int(p) for n, p in re.findall(r'^PRIORITY (\w+) (\d+)$', text, re.M)}
    assert sorted(priority.values()) == list(range(1, 14))
    waits = {name: set() for name, _ in jobs}
    for parents, children in re.findall(r'^PARENT (.*) CHILD (.*)$', text, re.M):
        for child in children.split():
            waits[child].update(parents.split())
    assert sum(map(len, waits.values())) == 4 + 4 + 8 + 2 + 2 + 1
    while waits:
        ready = [n for n, w in waits.items() if not w & waits.keys()]
        name = max(ready, key=priority.get)
        del waits[name]
        value = re.sub(r'\\(.)', r'\1', variables[name]).replace('$(DOLLAR)', '$')
        value = value.replace("''", "'").replace('""', '"')
        run(['/bin/sh', '-c', value], cwd=folder)


def airflow(file, folder):
    """The commands, from the table that the DAG is made of."""
    tree = ast.parse(file.read_text())
    table = next(ast.literal_eval(node.value) for node in tree.body
                 if isinstance(node, ast.Assign) and node.targets[0].id == 'TASKS')
    assert len(table) == 13 + 1  # one barrier is from several tasks to several
    known = {row[0] for row in table}
    done = set()
    table.sort(key=lambda row: -row[2])
    while table:
        row = next(r for r in table if set(r[1]) <= done)
        assert set(row[1]) <= known
        table.remove(row)
        done.add(row[0])
        if row[4] is not None:
            run(['/bin/sh', '-c', row[4]], cwd=folder)


def argo(file, folder):
    try:
        import yaml
    except ImportError:
        missing.leave('the module yaml is')
    workflow = yaml.safe_load(file.read_text())
    assert workflow['kind'] == 'Workflow'
    templates = {t['name']: t for t in workflow['spec']['templates']}
    plan = templates[workflow['spec']['entrypoint']]
    done = set()
    for step in plan['dag']['tasks']:  # parents stand before their children
        assert set(step.get('dependencies', [])) <= done, step
        done.add(step['name'])
        container = templates[step['template']]['container']
        assert re.fullmatch(r'[a-z0-9]([-a-z0-9]*[a-z0-9])?', step['name'])
        sequence = step.get('withSequence', {'start': '0', 'count': '1'})
        for i in range(int(sequence['start']), int(sequence['count'])):
            command = container['args'][0].replace('{{inputs.parameters.index}}', str(i)).replace('$$', '$')
            run([*container['command'], command], cwd=folder)


def read_yaml(file):
    try:
        import yaml
    except ImportError:
        missing.leave('the module yaml is')
    return yaml.safe_load(file.read_text())


def run_jobs(jobs, needs, line, folder):
    """One after the other, the first of those that may run: as runners take jobs."""
    done = set()
    while len(done) < len(jobs):
        name = next(n for n in jobs if n not in done and set(needs(jobs[n])) <= done)
        run(['/bin/sh', '-ec', line(jobs[name])], cwd=folder)
        done.add(name)


def gitlab(file, folder):
    """As a runner would; and by gitlab-ci-local where it is, which runs pipelines without GitLab."""
    jobs = read_yaml(file)
    assert jobs.pop('stages') == ['plan']
    assert all(job.keys() == {'stage', 'needs', 'script'} and job['stage'] == 'plan' for job in jobs.values()), jobs
    if not shutil.which('gitlab-ci-local'):
        run_jobs(jobs, lambda job: job['needs'], lambda job: '\n'.join(job['script']), folder)
        return
    run(['git', 'init', '-q', '.'], cwd=folder)
    shutil.copy(file, folder / '.gitlab-ci.yml')
    run(['gitlab-ci-local', '--shell-executor-no-image', '--shell-isolation=false'], cwd=folder)


def github(file, folder):
    """As a runner would; actionlint where it is says whether the workflow is one."""
    workflow = read_yaml(file)
    assert workflow.keys() == {'name', True, 'jobs'} and workflow[True] == 'workflow_dispatch'  # YAML 1.1: on is true
    for name, job in workflow['jobs'].items():
        assert re.fullmatch('[A-Za-z_][A-Za-z0-9_-]*', name) and job.keys() <= {'runs-on', 'needs', 'steps'}, name
        assert job['steps'][0] == {'uses': 'actions/checkout@v4'} and job['steps'][1].keys() == {'shell', 'run'}
        assert '${{' not in job['steps'][1]['run'] and job['steps'][1]['shell'] == 'sh'
    if shutil.which('actionlint'):
        run(['actionlint', '-shellcheck=', str(file)], cwd=folder)
    run_jobs(workflow['jobs'], lambda job: job.get('needs', []), lambda job: job['steps'][1]['run'], folder)


def starpu(file, folder):
    """Compiled against StarPU, and every worker's orders are 1, 2, 3, ..."""
    text = file.read_text()
    rows = [row[:4] for row in re.findall(r'^    \{"([^"]+)", (\d+), (\d+), (\d+), (\d+), (\d+)\},', text, re.M)]
    assert len(rows) == 13
    orders = {}
    for _, worker, order, _ in rows:
        orders.setdefault(worker, []).append(int(order))
    assert all(o == list(range(1, len(o) + 1)) for o in orders.values()), orders
    version = next((v for v in ('starpu-1.4', 'starpu-1.3') if shutil.which('pkg-config') and
                    subprocess.run(['pkg-config', '--exists', v]).returncode == 0), None)
    if not version:
        missing.leave('StarPU is')
    program = folder / 'use.c'
    program.write_text('#include "plan.h"\n#include <stdio.h>\nint main(void)\n{\n'
                       '    struct starpu_task task;\n    starpu_task_init(&task);\n'
                       '    bigrocks_apply(bigrocks_find("reduce[1]"), &task);\n'
                       '    printf("%u %u\\n", task.workerid, task.workerorder);\n'
                       '    return bigrocks_find("none") != NULL;\n}\n')
    shutil.copy(file, folder / 'plan.h')
    flags = shlex.split(run(['pkg-config', '--cflags', '--libs', version]))
    run([*sys.argv[3:], '-Wall', '-Wextra', '-Werror', str(program), '-o', str(folder / 'use'), *flags])
    row = next(r for r in rows if r[0] == 'reduce[1]')
    said = run([str(folder / 'use')], env=dict(os.environ, STARPU_HOME=str(folder)))
    assert said.split()[-2:] == [row[1], row[2]], said


def wfformat(file, folder):
    """Read back, it is the same job: as many tasks, edges and seconds; and it fits the schema."""
    instance = json.loads(file.read_text())
    tasks = instance['workflow']['specification']['tasks']
    assert len(tasks) == 13
    assert {t['id'] for t in tasks} >= {'prep', 'map#3', 'sort_it#s3#0'}
    for task in tasks:
        for child in task['children']:
            assert task['id'] in next(t for t in tasks if t['id'] == child)['parents']
    shown = run([sys.argv[1], 'show', str(file)])
    assert re.search(r'tasks +13\n', shown) and re.search(r'edges +21 ', shown), shown
    assert re.search(r'all tasks +16 s', shown), shown
    schema = pathlib.Path(os.environ.get('BIGROCKS_SHARED') or
                          pathlib.Path(__file__).resolve().parents[3] / 'shared'
                          ) / 'data/wfformat/wfcommons-schema.json'
    if not schema.exists():
        print('the schema of WfCommons is not in %s' % schema.parent)
        sys.exit(77)
    try:
        import jsonschema
    except ImportError:
        missing.leave('the module jsonschema is')
    jsonschema.validate(instance, json.loads(schema.read_text()))


# Engines whose files hold no log of their own to check.
NOT_RUN = {'starpu', 'wfformat'}


def main():
    bigrocks, engine = sys.argv[1:3]
    with tempfile.TemporaryDirectory(prefix='bigrocks-engine') as scratch:
        folder = pathlib.Path(scratch)
        os.environ['LOG_DIR'] = scratch
        (folder / 'note').write_text(NOTE)
        job = folder / 'job.xml'
        job.write_text(JOB % LINES)
        run([bigrocks, 'plan', str(job), '--machines', '1', '--capacity', 'cpu=4,mem=1000000000',
             '-q', '-o', str(folder / 'plan.json')])
        file = folder / ('file.' + engine)
        run([bigrocks, 'render', str(folder / 'plan.json'), '--format', engine, '-o', str(file)])
        text = file.read_text()
        assert re.search('[Nn]ot honoured', text) and 'makespan' in text, text[:1000]
        globals()[engine.replace('-', '_')](file, folder)
        if engine not in NOT_RUN:
            check_log(folder)


if __name__ == '__main__':
    main()
