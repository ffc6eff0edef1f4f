"""Runs of the program in which one thing fails: an allocation, or a system call.

A case is a command and the files that it makes. It runs once without a fault, then once for every N,
with the N-th allocation or call failing. Each such run has to end in one of two ways:

- with the status, the output and the files of the run without a fault;
- with status 5 and a message, and none of the files begun, changed or left over.

Nothing else is right: no signal, no other status, no part of a file under its name, no silence.
"""
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith('BIGROCKS_')}
ENVIRONMENT.update(LC_ALL='C.UTF-8', TZ='UTC')
OLD = 'what was there before\n'


@dataclasses.dataclass
class Case:
    name: str
    words: list              # of the command line; {in} is the folder of the inputs
    output: str = ''         # a file that appears whole or stays as it was
    grows: tuple = ()        # files that may hold a part of their lines: journals, tables
    varies: bool = False     # times are in the output: only the status and the names of the files count
    weaker: bool = False     # the result may lack what a helper would have found, and says so
    spares: str = ''         # a library that does not survive where it gets no memory: how its file's name begins
    proves: bool = False     # a plan, which may say that memory was out for the proof of its bound
    statuses: tuple = (5,)   # those of a run that failed
    prepare: object = None   # makes further files in the folder of the run
    stdin: str = ''          # a file that the program reads as its standard input
    judge: object = None     # looks at the folder and the output of a run that ended well


@dataclasses.dataclass
class Run:
    status: int
    out: bytes
    err: str
    files: dict
    count: int = -1


class Sweep:
    """Tools and inputs for all cases; `fail_alloc` and `fail_call` are what tests/faults builds."""

    def __init__(self, bigrocks, fail_alloc, fail_call, inputs, wrapper=()):
        self.bigrocks = pathlib.Path(bigrocks).resolve()
        self.fail_alloc, self.fail_call = pathlib.Path(fail_alloc).resolve(), pathlib.Path(fail_call).resolve()
        self.inputs = pathlib.Path(inputs).resolve()
        self.environment = dict(ENVIRONMENT)
        self.wrapper = list(wrapper)
        self.injected = self.survived = self.refused = 0
        self.faults = []
        self.limit = None  # called in the child before it becomes the program

    def can_fail_calls(self):
        done = subprocess.run([str(self.fail_call), 'write', '0', 'EIO', '/bin/true'], capture_output=True)
        return done.returncode == 0

    def run(self, case, kind, at, fault='', on=False):
        with tempfile.TemporaryDirectory(prefix='bigrocks-fault-') as folder:
            folder = pathlib.Path(folder)
            if case.output:
                (folder / case.output).write_text(OLD)
            if case.prepare:
                case.prepare(self, folder)
            words = [str(word).replace('{in}', str(self.inputs)).replace('{bigrocks}', str(self.bigrocks))
                     for word in case.words]
            program = words.pop(0) if words[0].startswith('/') else str(self.bigrocks)
            reader, writer = os.pipe()
            environment = dict(self.environment, BIGROCKS_FAIL_REPORT=str(writer))
            command = self.wrapper + [program] + words
            if kind == 'alloc':
                environment['BIGROCKS_FAIL_ALLOC'] = str(at)
                environment.update({'BIGROCKS_FAIL_ON': '1'} if on else {})
                environment.update({'BIGROCKS_FAIL_SPARE': case.spares} if case.spares else {})
                environment['LD_PRELOAD'] = str(self.fail_alloc)
            elif kind != 'none':
                command = [str(self.fail_call), kind, str(at), fault] + ['--on'] * on + \
                    ['--report', str(writer)] + command
            before = self.files(folder)
            try:
                with open(case.stdin.replace('{in}', str(self.inputs)) or os.devnull) as stdin:
                    done = subprocess.run(command, cwd=folder, env=environment, stdin=stdin,
                                          capture_output=True, pass_fds=[writer], timeout=60,
                                          preexec_fn=self.limit)
                status, out, err = done.returncode, done.stdout, done.stderr
            except subprocess.TimeoutExpired as late:
                status, out, err = 'none within 60 s', late.stdout or b'', late.stderr or b''
            os.close(writer)
            with open(reader) as report:
                count = report.read().split()
            # Names that differ from one folder to the next are made the same in all of them.
            name = str(folder).encode()
            run = Run(status, out.replace(name, b'.'), err.decode(errors='replace').replace(str(folder), '.'),
                      self.files(folder), int(count[0]) if count else -1)
            run.before = before
            run.wrong = case.judge(self, folder, run) if case.judge and status == 0 else None
            return run

    @staticmethod
    def files(folder):
        return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b'?'
                for path in sorted(folder.rglob('*')) if not path.is_dir()}

    def verdict(self, case, clean, run, kind, mute=False):
        """'' where the run ended as it must, else what is wrong; and whether it ended well."""
        def steady(files):
            return {name: text for name, text in files.items() if not name.startswith(case.grows or ('\0',))}
        if run.status == clean.status:
            if run.wrong:
                return run.wrong, False
            if case.weaker or case.varies:
                left = steady(run.files).keys() ^ steady(clean.files).keys()
                return ('files: %s' % sorted(left) if left else ''), True
            if run.out == clean.out and steady(run.files) == steady(clean.files):
                return '', True
            said = run.err + run.out.decode() + run.files.get(case.output, b'').decode()
            if case.proves and kind == 'alloc' and 'memory was out' in said:
                return '', True
            return 'status %s, but another %s' % (run.status, 'output' if run.out != clean.out else 'file'), False
        if run.status not in case.statuses:
            return 'status %s: %s' % (run.status, run.err.strip()[-300:]), False
        if not run.err.strip() and not mute:
            return 'no message', False
        if kind == 'alloc' and 'memory' not in run.err:
            return 'no word of memory: %s' % run.err.strip()[-300:], False
        before, after = steady(run.before), steady(run.files)
        if before != after:
            changed = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
            return 'failed, but left %s' % changed, False
        return '', False

    def count(self, case, kind, fault='EIO'):
        clean = self.run(case, kind, 0, fault)
        return clean.count

    def sweep(self, case, kind, fault='', on=False, share=1, jobs=2, most=None):
        """Every `share`-th N; how many faults were injected, and what was wrong."""
        clean = self.run(case, 'none', 0)
        counted = self.run(case, kind, 0, fault or 'EIO')
        assert counted.status == clean.status and counted.count >= 0, (case.name, kind, counted)
        places = range(1, counted.count + 1)
        if most and len(places) > most:
            step = len(places) / most
            places = sorted({int(k * step) + 1 for k in range(most)})
        elif share > 1:
            places = places[(sum(case.name.encode()) + len(kind)) % share::share] or places[:1]
        wrong = []
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for at, run in zip(places, pool.map(lambda n: self.run(case, kind, n, fault, on), places)):
                why, well = self.verdict(case, clean, run, kind, mute=on and kind == 'write')
                self.injected += 1
                self.survived += well
                self.refused += not well and not why
                if why:
                    wrong.append('%s: %s %d of %d%s: %s' % (
                        case.name, kind + (' ' + fault if fault else ''), at, counted.count,
                        ' and on' if on else '', why))
        self.faults += wrong
        return len(places), wrong


# ---- The cases ----

POOL = ['--capacity', 'cpu=2,mem=1GiB']
JOB = '''<job xmlns="urn:bigrocks:job:1" name="small &lt;&amp;">
  <resource name="cpu" unit="cores"/>
  <stage id="a &lt;/script> é" tasks="2" duration="1.5"><demand resource="cpu" amount="1"/>
    <command>echo "{index}" 'b'</command><attribute name="note" value="&lt;x&gt;"/></stage>
  <stage id="b" tasks="2" duration="2"><demand resource="cpu" amount="1.5"/>
    <demand resource="mem" amount="1"/><task index="1" duration="3"/>
    <command shell="true">echo one; echo line</command></stage>
  <stage id="c" duration="1"><demand resource="cpu" amount="2"/><command>true</command></stage>
  <edge from="a &lt;/script> é" to="b" type="one-to-one"/><edge from="b" to="c"/>
</job>
'''
RUN = '''<job xmlns="urn:bigrocks:job:1" name="run">
  <stage id="a" tasks="2" duration="0.01"><demand resource="cpu" amount="1"/>
    <command>touch a{index}</command></stage>
  <stage id="b" duration="0.01"><demand resource="cpu" amount="2"/>
    <command shell="true">cat a0 a1 &amp;&amp; touch b</command></stage>
  <edge from="a" to="b"/>
</job>
'''
NINJA = '''rule cat
  command = cat $in >$out
build a: cat in
build b: cat a | in
build c: cat a b
default c
'''


def make_inputs(bigrocks, root, folder):
    """The inputs of all cases, made in the folder from the project's own examples."""
    root, folder = pathlib.Path(root), pathlib.Path(folder)
    bigrocks = str(pathlib.Path(bigrocks).resolve())
    for path in (root / 'tests/data').iterdir():
        if path.is_file():
            shutil.copy(path, folder)
    for name in ('motivating.xml', 'assay.json', 'query.explain.xml', 'word-count.xml'):
        shutil.copy(root / 'examples' / name, folder)
    shutil.copy(root / 'tests/cli/data/storage.xml', folder)
    (folder / 'job.xml').write_text(JOB)
    (folder / 'run.xml').write_text(RUN)
    (folder / 'list.txt').write_text('job.xml\nsmall.stg\n')
    build = folder / 'build'
    build.mkdir()
    (build / 'build.ninja').write_text(NINJA)
    (build / 'in').write_text('text\n')

    def run(*words, to=None):
        done = subprocess.run([bigrocks, *words], cwd=folder, env=ENVIRONMENT, check=True, capture_output=True)
        if to:
            (folder / to).write_bytes(done.stdout)
    run('plan', 'job.xml', *POOL, '--threads', '1', '-q', '-o', 'plan.json')
    run('plan', 'job.xml', *POOL, '--threads', '1', '-q', '--method', 'cp', '-o', 'cp.json')
    run('plan', 'storage.xml', '--threads', '1', '-q', '-o', 'storage.json')
    run('bound', 'job.xml', *POOL, '--json', to='bound.json')
    run('bound', 'motivating.xml', '--capacity', 'cpu=1,mem=1', '--json', to='bound-2.json')
    run('convert', 'motivating.xml', '--capacity', 'cpu=1.1,mem=1', '-o', 'with-cluster.xml')
    run('import', 'ninja', '-C', 'build', '--capacity', 'cpu=2,mem=64MiB', '-q', '-o', 'build.xml')
    run('plan', 'build.xml', '--threads', '1', '-q', '-o', 'build-plan.json')
    run('run', 'run.xml', *POOL, '--history', 'history.db', '-q')
    run('plan', 'job.xml', *POOL, '--effort', 'fast', '--threads', '1', '-q', '--store', 'plans.db')
    for name in ('a0', 'a1', 'b'):
        (folder / name).unlink()


def has_history(sweep):
    return (sweep.inputs / 'history.db').exists()


def copy_history(sweep, folder):
    shutil.copy(sweep.inputs / 'history.db', folder / 'history.db')


def has_store(sweep):
    return (sweep.inputs / 'plans.db').exists()


def copy_store(sweep, folder):
    shutil.copy(sweep.inputs / 'plans.db', folder / 'plans.db')


def copy_build(sweep, folder):
    for path in (sweep.inputs / 'build').iterdir():
        shutil.copy(path, folder)


def ran_whole(_, folder, run):
    left = [name for name in ('a0', 'a1', 'b') if not (folder / name).exists()]
    return 'status 0, but not run: %s' % left if left else None


def interrupted(sweep, folder):
    """A journal of a run whose last task failed."""
    (folder / 'job.xml').write_text(RUN.replace('touch b', 'test -e go &amp;&amp; touch b'))
    subprocess.run([str(sweep.bigrocks), 'run', 'job.xml', *POOL, '-q', '--journal', 'journal'], cwd=folder,
                   env=ENVIRONMENT, capture_output=True)
    (folder / 'go').touch()


def formats_of(bigrocks):
    text = subprocess.run([str(bigrocks), 'help', 'render'], text=True, capture_output=True).stdout
    return re.findall(r'^  (\S+)', text.split('--format F:\n')[1].split('\n\n')[0], re.MULTILINE)


def cases(sweep):
    bigrocks = sweep.bigrocks
    one = ['--threads', '1', '--no-lp']
    out = ['-o', 'out']
    found = [
        Case('help', ['help']), Case('help plan', ['help', 'plan']), Case('manual', ['help', 'run', '--scdoc']),
        Case('version', ['--version']), Case('completion', ['completion', 'bash']),
        Case('plan', ['plan', '{in}/job.xml', *POOL, *one, '--format', 'json', *out], 'out',
             proves=True),
        Case('plan summary', ['plan', '{in}/job.xml', *POOL, *one, '--explain'], proves=True),
        Case('plan search', ['plan', '{in}/job.xml', *POOL, *one, '--effort', 'max', '--placements', '3000', '-q', *out,
                             '--format', 'json'], 'out', proves=True),
        Case('plan trace', ['plan', '{in}/job.xml', *POOL, *one, '--trace-search', 'trace', '-q', *out, '--format',
                            'order'], 'out', grows=('trace',)),
        Case('plan threads', ['plan', '{in}/job.xml', *POOL, '--no-lp', '--threads', '3', '-q', *out, '--format',
                              'json'], 'out', proves=True),
        Case('plan lp', ['plan', '{in}/motivating.xml', '--capacity', 'cpu=1.1,mem=1', '--threads', '1', '--lp', '-q',
                         *out, '--format', 'order'], 'out', weaker=True),
        Case('bound', ['bound', '{in}/job.xml', *POOL, '--no-lp', '--json']),
        Case('bound lp', ['bound', '{in}/motivating.xml', '--capacity', 'cpu=1.1,mem=1', '--json'],
             weaker=True),
        Case('bound explain', ['bound', '{in}/job.xml', *POOL, '--no-lp', '--explain']),
        Case('bound what-if', ['bound', '{in}/job.xml', *POOL, '--no-lp', '--what-if', 'cpu+50%']),
        Case('check', ['check', '{in}/job.xml', '{in}/plan.json', *POOL]),
        Case('check storage', ['check', '{in}/storage.xml', '{in}/storage.json']),
        Case('check certificate', ['check', '--certificate', '{in}/plan.json', '{in}/bound.json',
                                   '{in}/bound-2.json']),
        Case('show', ['show', '{in}/job.xml', *POOL]),
        Case('show cluster', ['show', '{in}/small.stg', '--cluster', '{in}/rack.cluster.xml']),
        Case('generate', ['generate', '--tasks', '20', '-o', 'out'], 'out'),
        Case('batch', ['batch', '{in}/list.txt', *POOL, '--threads', '1', '-o', 'out'],
             grows=('out',)),
        Case('import', ['import', 'ninja', '-C', '{in}/build', '--capacity', 'cpu=2', '-q', *out], 'out'),
        Case('run simulated', ['run', '{in}/run.xml', *POOL, '--simulate', '--threads', '1', '-q']),
        Case('run', ['run', '{in}/run.xml', *POOL, '--threads', '1', '-q'], varies=True, grows=('a0', 'a1', 'b'), statuses=(1, 5),
             judge=ran_whole),
        Case('run journal', ['run', '{in}/run.xml', *POOL, '--threads', '1', '-q', '--journal', 'journal', '--trace',
                             'trace'], varies=True, grows=('a0', 'a1', 'b', 'journal', 'trace'), statuses=(1, 5), judge=ran_whole),
        Case('run resume', ['run', 'job.xml', *POOL, '--threads', '1', '-q', '--journal', 'journal', '--resume'],
             varies=True, grows=('a0', 'a1', 'b', 'journal'), prepare=interrupted, statuses=(1, 5), judge=ran_whole),
        Case('run build', ['run', 'build.xml', '--threads', '1', '-q'], varies=True, prepare=copy_build_job,
             grows=('a', 'b', 'c', '.ninja'), statuses=(1, 5)),
        Case('serve', ['serve', '--capacity', 'cpu=2', '-q', '--', '{bigrocks}', 'admit', '--', 'true'], varies=True),
        Case('doctor', ['doctor'], varies=True),
    ]
    # SQLite calls a file malformed (3) that the system could not read.
    store = ['plan', '{in}/job.xml', *POOL, *one, '--effort', 'fast', '-q', *out, '--format', 'order', '--store']
    if has_store(sweep):
        found += [
            Case('plan store', [*store, 'plans.db'], 'out', prepare=copy_store, grows=('plans.db',), proves=True,
                 statuses=(3, 5)),
            Case('plan store refitted', [*store, 'plans.db', '--machines', '2'], 'out', prepare=copy_store,
                 grows=('plans.db',), proves=True, statuses=(3, 5)),
            Case('plan new store', [*store, 'new.db'], 'out', grows=('new.db',), proves=True, statuses=(3, 5)),
        ]
    if has_history(sweep):
        found += [
            Case('annotate', ['annotate', '{in}/run.xml', '--history', 'history.db', '-o', 'out'], 'out',
                 prepare=copy_history, grows=('history.db',), varies=True, statuses=(3, 5)),
            Case('run history', ['run', '{in}/run.xml', *POOL, '--threads', '1', '-q', '--history', 'history.db'],
                 varies=True, prepare=copy_history, grows=('a0', 'a1', 'b', 'history.db'), statuses=(1, 3, 5), judge=ran_whole),
            Case('run new history', ['run', '{in}/run.xml', *POOL, '--threads', '1', '-q', '--history', 'new.db'],
                 varies=True, grows=('a0', 'a1', 'b', 'new.db'), statuses=(1, 3, 5), judge=ran_whole),
        ]
    for name in ('word-count.job.xml', 'word-count.dot', 'files.dax', 'operations.dot', 'profiles.dax',
                 'query.explain.txt', 'query.explain.xml', 'query.explain.json', 'query.explain.yaml',
                 'sums.duckdb.json', 'flow.snakemake.json', 'small.rcp', 'small.sm', 'small.stg', 'assay.json', 'recorded.json'):
        words = ['--speed', '1000000'] if name == 'operations.dot' else []
        words += ['--transfer-rate', '1000'] if name in ('files.dax', 'recorded.json') else []
        found.append(Case('read ' + name, ['convert', '{in}/' + name, *words, '--format', 'xml', *out], 'out',
                          spares='libc' if name.endswith('.dot') else ''))
    found.append(Case('convert dot', ['convert', '{in}/job.xml', '--format', 'dot', *out], 'out'))
    for name in formats_of(bigrocks):
        plan = '{in}/build-plan.json' if name.startswith('ninja-') else '{in}/plan.json'
        where = ['-C', '{in}/build'] if name.startswith('ninja-') else []
        found.append(Case('render ' + name, ['render', plan, '--format', name, *out], 'out'))
    found.append(Case('render two', ['render', '{in}/plan.json', '{in}/cp.json', '--format', 'html', *out], 'out'))
    bound = bigrocks.parent.parent / 'lp/bigrocks-bound'
    if bound.exists():
        found.append(Case('bigrocks-bound', [str(bound)], stdin='{in}/with-cluster.xml',
                          weaker=True))
    return found


def copy_build_job(sweep, folder):
    copy_build(sweep, folder)
    subprocess.run([str(sweep.bigrocks), 'import', 'ninja', '--capacity', 'cpu=2,mem=64MiB', '-q', '-o', 'build.xml'],
                   cwd=folder, env=ENVIRONMENT, check=True, capture_output=True)
