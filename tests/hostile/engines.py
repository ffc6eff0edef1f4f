"""Executes the files that are written for engines: by the engine where it is installed, else by its
documented way from the file to a process (Airflow, Argo, DAGMan, Slurm)."""
import ast
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import types

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Skip(Exception):
    pass


def need(program, *elsewhere):
    for name in (program, *elsewhere):
        if shutil.which(name):
            return shutil.which(name)
    raise Skip('%s is not installed' % program)


def ended(code):
    return 'killed' if code < 0 else code


class World:
    """A folder with programs of its own in PATH, in which nothing appears unseen."""

    def __init__(self, folder, bigrocks, show):
        self.folder, self.bigrocks = folder, str(pathlib.Path(bigrocks).resolve())
        self.bin, self.shown, self.work = (folder / name for name in ('bin', 'shown', 'work'))
        for new in (self.bin, self.shown, self.work, folder / 'home'):
            new.mkdir()
        (self.bin / 'show').symlink_to(pathlib.Path(show).resolve() / 'show_words')
        self.environment = {'PATH': '%s:%s' % (self.bin, os.environ['PATH']), 'HOME': str(folder / 'home'),
                            'XDG_CACHE_HOME': str(folder / 'home'), 'SHOW_DIR': str(self.shown),
                            'LC_ALL': 'C.UTF-8'}
        self.job, self.plan = folder / 'job.xml', folder / 'plan.json'
        self.cluster = ['--capacity', 'cpu=4']
        self.fails = True  # some task does

    def program(self, name, text):
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def call(self, *words, **options):
        options = {'cwd': self.work, 'env': self.environment, 'timeout': 100, 'stdin': subprocess.DEVNULL,
                   'capture_output': True, **options}
        return subprocess.run([str(w) for w in words], **options)

    def planned(self, text):
        self.job.write_bytes(text.encode())
        done = self.call(self.bigrocks, 'plan', self.job, *self.cluster, '--method', 'cp', '-q', '--no-lp',
                         '-o', self.plan)
        assert done.returncode == 0, done.stderr.decode()

    def render(self, engine, *options):
        file = self.folder / ('file.' + engine)
        done = self.call(self.bigrocks, 'render', self.plan, '--format', engine, *options, '-o', file)
        return file, done

    def refuses(self, text, engine):
        """Does `run` refuse the job before anything runs, and the engine's output as well?"""
        self.planned(text)
        run = self.call(self.bigrocks, 'run', self.job, '--capacity', 'cpu=4', '-q')
        out = run if engine in ('run', 'wfformat') else self.render(engine)[1]
        return run.returncode == 3 and out.returncode == 3 and b'without a shell' in out.stderr

    def execute(self, text, engine):
        """Runs the job; the statuses by stage where they are told."""
        self.planned(text)
        if engine == 'run':
            return self.run(self.job)
        file, done = self.render(engine)
        assert done.returncode == 0, done.stderr.decode()
        return globals()[engine.replace('-', '_')](self, file)

    def run(self, job):
        trace = self.folder / 'trace.jsonl'
        self.call(self.bigrocks, 'run', job, '--capacity', 'cpu=4', '-q', '-k', '--trace', trace)
        statuses = {}
        for line in trace.read_text().splitlines():
            row = json.loads(line)
            if row['outcome'] in ('done', 'exit', 'signal'):
                statuses[row['stage']] = 'killed' if row['outcome'] == 'signal' else row['code']
        return statuses

    def strangers(self, known):
        """Files that are there although no command should have made them."""
        allowed = {'.bigrocks', '.snakemake', '.ninja_log', '.ninja_deps', 'dask-worker-space'}
        found = {str(p.relative_to(self.work)) for p in self.work.iterdir() if p.name not in allowed}
        found |= {p.name for p in self.shown.iterdir() if p.name not in known}
        return sorted(found | {p.name for p in self.folder.rglob('canary*')})


def stage_of(name):
    """From t12_exit_3 or s12_exit_3 to exit-3: names of these tests have no underscores."""
    return re.sub(r'^[ts]\d+_', '', name).replace('_', '-')


def make(world, file):
    world.call(need('make'), '-n', '-f', file)  # only says what it would do
    assert not list(world.shown.iterdir())
    done = world.call(need('make'), '-j', 4, '-f', file)
    said = (done.stdout + done.stderr).decode()
    told = {stage_of(n): int(s) for n, s in re.findall(r'\[[^\]]*: (\w+)\] Error (\d+)', said)}
    told.update((stage_of(n), 'killed') for n in re.findall(r'\[[^\]]*: (\w+)\] Killed', said))
    assert bool(told) == world.fails and done.returncode == 2 * world.fails, said
    return told


def ninja(world, file):
    done = world.call(need('ninja', 'ninja-build'), '-k', 0, '-j', 4, '-f', file)
    assert (b'FAILED: ' in done.stdout) == world.fails == done.returncode, done.stdout + done.stderr
    return {}


def snakemake(world, file):
    done = world.call(need('snakemake'), '-k', '-s', file, '--cores', 4, '-q')
    assert (b'Error in rule' in done.stderr) == world.fails == done.returncode, done.stdout + done.stderr
    return {}


def dask(world, file):
    for python in ('/usr/bin/python3', sys.executable):
        if subprocess.run([python, '-c', 'import distributed'], capture_output=True).returncode == 0:
            done = world.call(python, file)
            assert (b'not finished' in done.stderr) == world.fails == done.returncode, done.stdout + done.stderr
            return {}
    raise Skip('the module distributed is not installed')


def hyperqueue(world, file):
    python = ROOT / 'build-ci/python/bin/python3'
    if not python.exists():
        raise Skip('HyperQueue is not installed')
    done = world.call(python, file)
    assert (b'not all tasks have finished' in done.stderr) == world.fails == done.returncode, done.stdout + done.stderr
    return {}


def hyperqueue_toml(world, file):
    python = ROOT / 'build-ci/python/bin/python3'
    if not python.exists():
        raise Skip('HyperQueue is not installed')
    done = world.call(python, ROOT / 'tests/engines/job_definition.py', file, 4)
    assert world.fails == done.returncode, done.stdout + done.stderr
    return {}


def parsl(world, file):
    python = ROOT / 'build-ci/python/bin/python3'
    if not python.exists():
        raise Skip('Parsl is not installed')
    done = world.call(python, file)
    assert (b'not finished' in done.stderr) == world.fails == done.returncode, done.stdout + done.stderr
    return {}


# Runs what is submitted at once, or not where it waits for what failed, and takes no other options
# than are to be given. As sbatch does, it makes a script of --wrap, and reads options from a script
# until its first command.
SBATCH = '''#!/bin/sh
good=yes array= runs=0 wrap=
for word; do
    case $word in
        --parsable|--job-name=*|--nodes=1|--ntasks=1|--cpus-per-task=[0-9]*|--mem=*K|--nice=[0-9]*) ;;
        --kill-on-invalid-dep=yes) ;;
        --array=[0-9]*) runs=$(printf %s "${word#--array=}" | tr ',' ' ') array=yes ;;
        --dependency=*)
            for one in $(printf %s "${word#--dependency=}" | tr ',' ' '); do
                case $one in afterok:*|aftercorr:*) ;; *) exit 9 ;; esac
                for number in $(printf %s "${one#*:}" | tr ':' ' '); do
                    [ "$(cat "../jobs/$number")" = 0 ] || good=no
                done
            done ;;
        --wrap=*) wrap=${word#--wrap=} ;;
        *) echo "sbatch: unknown $word" >&2; exit 9 ;;
    esac
done
[ -d ../jobs ] || mkdir ../jobs
number=$(($(ls ../jobs | wc -l) + 1)) status=1
case $wrap in '#'*) exit 9 ;; esac
printf '#!/bin/sh\\n# This script was created by sbatch --wrap.\\n\\n%s\\n' "$wrap" >../script
[ $good = yes ] && for i in $(for run in $runs; do seq "${run%-*}" "${run#*-}"; done); do
    (
        [ -z "$array" ] || export SLURM_ARRAY_TASK_ID=$i
        exec sh ../script
    )
    status=$?
    [ $status = 0 ] || break
done
echo $status >../jobs/$number
echo "$number;cluster"
'''


def slurm(world, file):
    world.program('sbatch', SBATCH)
    done = world.call('sh', file)
    assert done.returncode == 0, done.stderr
    names = [ast.literal_eval(n) for n in re.findall(r"--job-name=('[^']*')", file.read_text())]
    told = {}
    for number, name in enumerate(names, 1):
        status = int((world.folder / 'jobs' / str(number)).read_text())
        if not name.startswith('after-'):
            told[name] = told.get(name) or ('killed' if status == 128 + 9 else status)
    return told


def ordered(waits, run, priority, any_end=()):
    """Runs what is ready, and nothing after what has failed but those of `any_end`, which only wait for an
    end; the statuses by name."""
    status = {}

    def lost(name):
        return name not in any_end and any(status.get(p, 0) != 0 or lost(p) for p in waits[name])
    while True:
        ready = [n for n in waits if n not in status and
                 all(p in status or lost(p) if n in any_end else status.get(p) == 0 for p in waits[n])]
        if not ready:
            return status
        name = max(ready, key=priority.get)
        status[name] = run(name)


def named(status):
    return {stage_of(n): 'killed' if s == 137 else ended(s) for n, s in status.items()}


def condor_words(text):
    """The new form of arguments: in "...", with "" for ", blanks between, '...' with '' for '."""
    assert text[0] == text[-1] == '"'
    text, words, word, k, quoted = text[1:-1], [], None, 0, False
    assert not re.search(r'(?<!")"(?:"")*(?!")', text), text
    text = text.replace('""', '"')
    while k < len(text):
        c = text[k]
        if c == "'":
            if quoted and text[k + 1:k + 2] == "'":
                word += "'"
                k += 1
            else:
                quoted = not quoted
                word = word or ''
        elif c in ' \t' and not quoted:
            words += [word] if word is not None else []
            word = None
        else:
            word = (word or '') + c
        k += 1
    assert not quoted
    return words + ([word] if word is not None else [])


def dagman(world, file):
    text = file.read_bytes().decode()
    assert '\r' not in text
    waits, description, variable, priority = {}, {}, {}, {}
    inside = None
    submit = {}
    for line in text.split('\n'):
        assert not line.endswith('\\'), line
        words = line.split()
        if inside:
            if line == '}':
                inside = None
            else:
                key, _, value = line.strip().partition(' = ')
                submit[inside][key] = value
        elif not words or words[0].startswith('#'):
            pass
        elif words[0] == 'SUBMIT-DESCRIPTION':
            inside = words[1]
            submit[inside] = {}
        elif words[0] == 'JOB':
            waits[words[1]], description[words[1]] = [], words[2]
        elif words[0] == 'VARS':
            quoted = re.fullmatch(r'VARS \w+ command="((?:[^"\\]|\\["\\])*)"', line)
            assert quoted, line
            variable[words[1]] = re.sub(r'\\(.)', r'\1', quoted[1])
        elif words[0] == 'PRIORITY':
            priority[words[1]] = int(words[2])
        else:
            assert words[0] == 'PARENT', line
            middle = words.index('CHILD')
            for child in words[middle + 1:]:
                waits[child] += words[1:middle]

    def run(name):
        how = submit[description[name]]
        value = how['arguments'].replace('$(command)', variable[name])
        # Any macro would be replaced; $(DOLLAR) is, last. Then the job's ad knows $$( and $$[.
        assert set(re.findall(r'\$\w*\(\w+', value)) <= {'$(DOLLAR'}, value
        value = value.replace('$(DOLLAR)', '$')
        assert '$$(' not in value and '$$[' not in value, value
        return world.call(how['executable'], *condor_words(value)).returncode

    return named(ordered(waits, run, priority))


def airflow(world, file):
    """The file itself, with modules in place of Airflow's that keep what operators are made of."""
    source = file.read_text()

    class DAG:
        def __init__(self, **options):
            pass

        def __enter__(self):
            return self

        def __exit__(self, *error):
            pass

    made = {}

    class Operator:
        template_fields = template_ext = ()

        def __init__(self, task_id, priority_weight=1, trigger_rule='all_success', **options):
            assert re.fullmatch(r'[\w.-]{1,250}', task_id)
            self.any_end = trigger_rule == 'all_done'
            self.name, self.weight, self.waits = task_id, priority_weight, []
            made[task_id] = self

        def __rshift__(self, other):
            other.waits.append(self.name)

        def execute(self, context):
            pass

    class Hook:
        def run_command(self, command, env=None, cwd=None):
            done = world.call(*command, env=env)
            return types.SimpleNamespace(exit_code=done.returncode)

    class BashOperator(Operator):
        template_fields = ('bash_command', 'env', 'cwd')
        template_ext = ('.sh', '.bash')
        subprocess_hook = Hook()

        def __init__(self, bash_command, **options):
            super().__init__(**options)

        def get_env(self, context):
            return dict(world.environment)

    class AirflowException(Exception):
        pass

    for name, members in {'airflow': {'DAG': DAG}, 'airflow.operators': {},
                          'airflow.exceptions': {'AirflowException': AirflowException},
                          'airflow.operators.bash': {'BashOperator': BashOperator},
                          'airflow.operators.empty': {'EmptyOperator': Operator}}.items():
        sys.modules[name] = types.ModuleType(name)
        vars(sys.modules[name]).update(members)
    exec(compile(source, str(file), 'exec'), {'__name__': 'dag'})

    def run(name):
        # Nothing of it is rendered, neither as a template nor as the name of a file of templates.
        assert tuple(made[name].template_fields) == () and not made[name].template_ext
        try:
            made[name].execute({})
        except AirflowException as fault:
            return int(re.search(r'-?\d+$', str(fault))[0])
        return 0

    return named(ordered({n: o.waits for n, o in made.items()}, run, {n: o.weight for n, o in made.items()},
                         {n for n, o in made.items() if o.any_end}))


def kubernetes_expand(text):
    """$(NAME) is a variable where there is one, $$ a dollar; as Kubernetes' expansion has it."""
    out, k = '', 0
    while k < len(text):
        if text[k] == '$' and k + 1 < len(text):
            if text[k + 1] == '$':
                out += '$'
                k += 2
                continue
            assert text[k + 1] != '(', 'a variable of Kubernetes: ' + text[k:]
        out += text[k]
        k += 1
    return out


def argo(world, file):
    try:
        import yaml
    except ImportError:
        raise Skip('the module yaml is not installed') from None
    documents = list(yaml.safe_load_all(file.read_bytes()))
    assert len(documents) == 1 and documents[0]['kind'] == 'Workflow'
    spec = documents[0]['spec']
    templates = {t['name']: t for t in spec['templates']}
    dag = templates[spec['entrypoint']]['dag']
    assert dag['failFast'] is False
    steps = {s['name']: s for s in dag['tasks']}
    assert all(re.fullmatch('[a-z0-9]([-a-z0-9]*[a-z0-9])?', name) for name in steps), steps

    def run(name):
        # Argo replaces {{...}} in the template's JSON.
        text = json.dumps(templates[steps[name]['template']]['container'])
        values = {'workflow.parameters.image': 'image', 'inputs.parameters.index': '0'}
        text = re.sub(r'\{\{(.*?)\}\}', lambda tag: values[tag[1]], text)
        container = json.loads(text)
        return world.call(*map(kubernetes_expand, container['command'] + container['args'])).returncode

    status = ordered({n: s.get('dependencies', []) for n, s in steps.items()}, run,
                     {n: -k for k, n in enumerate(steps)})
    return {re.sub(r'^s\d+-|x$', '', n): ended(s) for n, s in status.items()}


def forge(world, jobs, needs, line):
    """Each job by a shell, after all that it needs, and not where one of these has failed."""
    status, left = {}, dict(jobs)
    while left:
        name = next(n for n, job in left.items() if set(needs(job)) <= status.keys())
        job = left.pop(name)
        failed = any(status[n] for n in needs(job))
        status[name] = 1 if failed else world.call('/bin/sh', '-ec', line(job)).returncode
    return {stage_of(n): 'killed' if s == 137 else ended(s) for n, s in status.items()}


def gitlab(world, file):
    try:
        import yaml
    except ImportError:
        raise Skip('the module yaml is not installed') from None
    jobs = yaml.safe_load(file.read_bytes())
    del jobs['stages']
    return forge(world, jobs, lambda job: job['needs'], lambda job: job['script'][0])


def github(world, file):
    try:
        import yaml
    except ImportError:
        raise Skip('the module yaml is not installed') from None
    jobs = yaml.safe_load(file.read_bytes())['jobs']
    assert not any('${{' in job['steps'][1]['run'] for job in jobs.values())
    return forge(world, jobs, lambda job: job.get('needs', []), lambda job: job['steps'][1]['run'])


def wfformat(world, file):
    """Read back, and run."""
    assert json.loads(file.read_bytes())['schemaVersion'] == '1.5'
    return world.run(file)
