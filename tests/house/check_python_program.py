#!/usr/bin/env python3
"""What Python does by the program: formats, pictures, runs, simulations, histories and exceptions; the page that shows
it; and the types, by mypy where it is installed.

check_python_program.py SOURCE_ROOT LIBRARY BIGROCKS
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(sys.argv[1]).resolve()
os.environ['BIGROCKS_LIBRARY'] = str(pathlib.Path(sys.argv[2]).resolve())
os.environ['BIGROCKS_PROGRAM'] = str(pathlib.Path(sys.argv[3]).resolve())
os.environ['PYTHONPATH'] = str(ROOT / 'python')
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / 'python'))
import bigrocks  # noqa: E402


def make():
    job = bigrocks.Job('a & <b>')
    job.resource('mem', 'GiB')
    load = job.stage('load', tasks=4, seconds='0.1', cpu=0.5, mem='0.25', durations={2: 0.3}, command='echo "{index}" \u00e4')
    copy = job.stage('copy', tasks=4, seconds=1e-9, cpu=1)
    join = job.stage('join', seconds=2, cpu=2)
    job.edge(load, copy, 'one-to-one')
    last = job.edge(copy, join)
    job.attribute('kind', '<shuffle>', edge=last)
    job.attribute('shell', 'true')
    job.attribute('note', 'x "y"', join)
    cluster = bigrocks.Cluster(node=(2, {'cpu': 2, 'mem': '0.5'}), big=(1, {'cpu': 8}))
    cluster.fungible('cpu')
    return job, cluster


def run(*words):
    return subprocess.run([os.environ['BIGROCKS_PROGRAM'], *words], text=True, capture_output=True, check=True,
                          encoding='utf-8').stdout


def check_ways(folder):
    """Alternatives, classes, budgets and speeds: built, planned, written, read again, and judged by the program."""
    ways = bigrocks.Job('ways')
    ways.edge(ways.stage('compile', tasks=2, seconds=20, cpu=1),
              ways.stage('link', tasks=2, seconds=90, mem=2, command='ld {alternative}'))
    assert ways.alternative(1, 'one', cpu=1) == 0
    assert ways.alternative(1, 'gpu', 9, classes='gpu-node', durations={1: 8.5}, consume={'money': 1}, gpu=1, mem=0) == 1
    ways.classes(0, ['node'])
    ways.consume(0, 'money', '0.5')
    mixed = bigrocks.Cluster(node=(1, {'cpu': 2, 'mem': 4}))
    mixed.machines('gpu-node', 1, gpu=1, cpu=1, mem=1)
    mixed.speed('gpu-node', 0.5)
    mixed.shared(money=2)
    plan = bigrocks.plan(ways, mixed)
    chosen = dict(zip((task.id for task in plan), plan.alternatives))
    assert plan.makespan == 110 and sorted(map(str, chosen.values())) == ['None', 'None', 'gpu', 'one'], (list(plan), chosen)
    gpu = next(task for task in plan if chosen[task.id] == 'gpu')
    assert gpu.machine == 'gpu-node' and gpu.end - gpu.start == {'link[0]': 18, 'link[1]': 17}[gpu.id], gpu
    (folder / 'ways.xml').write_text(ways.to_xml(), encoding='utf-8')
    (folder / 'mixed.xml').write_text(mixed.to_xml(), encoding='utf-8')
    (folder / 'ways.json').write_text(plan.to_json(), encoding='utf-8')
    assert run('check', folder / 'ways.xml', folder / 'ways.json', '--cluster', folder / 'mixed.xml').startswith('ok: 4 tasks')
    own = run('plan', folder / 'ways.xml', '--cluster', folder / 'mixed.xml', '--no-lp', '-q', '--format', 'json')
    assert plain(json.loads(own)) == plain(json.loads(run('render', folder / 'ways.json', '-f', 'json')))
    again = bigrocks.read(folder / 'ways.xml').job
    assert bigrocks.plan(again, mixed).makespan == 110 and again.to_xml().count('consume="yes"') == 2, again.to_xml()
    # The native form says all of it with the demands of stages in those of alternatives.
    link = ROOT / 'examples/link.xml'
    (folder / 'link.xml').write_text(bigrocks.read(link).job.to_xml(), encoding='utf-8')
    assert run('convert', folder / 'link.xml', '-f', 'xml') == run('convert', link, '-f', 'xml')
    for wrong in (lambda: bigrocks.Job('x').classes(0, 'a'), lambda: mixed.speed('none', 1), lambda: mixed.speed('node', 0),
                  lambda: bigrocks.Job('x').alternative(0, 'a', classes='two words')):
        try:
            wrong()
            raise AssertionError(wrong)
        except bigrocks.Error:
            pass


def plain(told):
    """The same without how it was searched for, and with amounts, which are decimals in strings or numbers, as numbers."""
    if isinstance(told, list):
        return [plain(each) for each in told]
    if isinstance(told, dict):
        return {name: {r: float(n) for r, n in value.items()} if name in ('demands', 'capacities') else plain(value)
                for name, value in told.items() if name not in ('placements', 'trials', 'parts')}
    return told


def check_forms(folder):
    """A job and a plan go through files and come back; the program finds the plan feasible."""
    job, cluster = make()
    plan = bigrocks.plan(job, cluster, effort='fast')
    (folder / 'job.xml').write_text(job.to_xml(), encoding='utf-8')
    (folder / 'cluster.xml').write_text(cluster.to_xml(), encoding='utf-8')
    (folder / 'plan.json').write_text(plan.to_json(), encoding='utf-8')
    told = json.loads(plan.to_json())
    assert told['makespan'] == plan.makespan and told['attributes'] == {'shell': 'true'}
    assert [e.get('attributes') for e in told['edges']] == [None, {'kind': '<shuffle>'}], told['edges']
    assert told['stages'][2]['attributes'] == {'note': 'x "y"'} and told['cluster']['fungible'] == ['cpu']
    assert told['stages'][0]['durations'] == [{'index': 2, 'duration': 0.3}] and told['stages'][1]['duration'] == 1e-9
    # It tells all that the program's own plans tell, but for how they were searched for.
    own = run('plan', folder / 'job.xml', '--cluster', folder / 'cluster.xml', '--effort', 'fast', '--no-lp', '-q',
              '--format', 'json')
    assert plain(told) == plain(json.loads(own)) == plain(json.loads(run('render', folder / 'plan.json', '-f', 'json')))
    assert {task['slack'] for task in told['tasks']} > {0}
    # A job with outputs, times, shared resources and windows goes through Python whole.
    storage = pathlib.Path(__file__).resolve().parent.parent / 'cli/data/storage.xml'
    held, rack = bigrocks.read(storage)
    (folder / 'held.xml').write_text(held.to_xml(), encoding='utf-8')
    (folder / 'rack.xml').write_text(rack.to_xml(), encoding='utf-8')
    assert run('convert', folder / 'held.xml', '--cluster', folder / 'rack.xml', '-f', 'xml') == run(
        'convert', storage, '-f', 'xml')
    (folder / 'held.json').write_text(bigrocks.plan(held, rack).to_json(), encoding='utf-8')
    run('check', storage, folder / 'held.json')
    for element in ('<output ', ' reads="', ' lag="', ' stream="', ' release="', ' deadline="', '<shared ', '<unavailable ',
                    '<change '):
        assert element in run('render', folder / 'held.json', '-f', 'xml'), element
    twice = bigrocks.Job()
    twice.edge(twice.stage('a'), twice.stage('b'), lag=1)
    try:
        twice.edge(0, 1)
    except bigrocks.UsageError:
        pass
    else:
        assert False, 'two edges, one with a lag'
    # The proof of its bound, which the program checks in the plan.
    assert told['bound_status'] == 'proven' and told['certificate'] == json.loads(plan.certificate)
    checked = subprocess.run([os.environ['BIGROCKS_PROGRAM'], 'check', '--certificate', folder / 'plan.json'], text=True,
                             capture_output=True)
    assert checked.returncode == 0 and 'ok: no plan takes less than 2.3 s' in checked.stdout, checked
    try:
        import jsonschema
        jsonschema.validate(told, json.loads((ROOT / 'docs/schema/plan-1.schema.json').read_text()))
    except ImportError:
        pass
    again, none = bigrocks.read(folder / 'job.xml')
    assert none is None and again.to_xml() == job.to_xml(), again.to_xml()
    checked = subprocess.run([os.environ['BIGROCKS_PROGRAM'], 'check', folder / 'job.xml', folder / 'plan.json', '--cluster',
                              folder / 'cluster.xml'], text=True, capture_output=True)
    assert checked.returncode == 0, checked
    assert list(bigrocks.plan(again, cluster, effort='fast')) == list(plan)
    query, cluster = bigrocks.read(ROOT / 'examples/query.explain.xml')
    assert cluster is None and len(bigrocks.plan(query, bigrocks.Cluster(n=(1, {'cpu': 4, 'mem': '16GiB'})))) > 4
    word, cluster = bigrocks.read(ROOT / 'examples/build.dot', default_duration=1)
    assert word.name == 'build' and len(word._stages) > 3
    # Bytes, ports and transfers go along.
    moving = bigrocks.Job('moving')
    parent = moving.stage('a', tasks=3, seconds=1, cpu=2)
    moving.edge(parent, moving.stage('b', seconds=1, cpu=2), bytes=3000)
    ports = bigrocks.Cluster(n=(2, {'cpu': 2}))
    ports.network(1000000, 500000)
    carried = bigrocks.plan(moving, ports, network=True)
    (folder / 'm.xml').write_text(moving.to_xml())
    (folder / 'm.json').write_text(carried.to_json())
    (folder / 'ports.xml').write_text(ports.to_xml())
    assert plain(json.loads(carried.to_json())) == plain(json.loads(run('render', folder / 'm.json', '-f', 'json')))
    assert carried.transfers and len(json.loads(carried.to_json())['transfers']) == len(carried.transfers)
    checked = subprocess.run([os.environ['BIGROCKS_PROGRAM'], 'check', folder / 'm.xml', folder / 'm.json', '--cluster',
                              folder / 'ports.xml'], text=True, capture_output=True)
    assert checked.returncode == 0, checked
    assert bigrocks.read(folder / 'm.xml').job.to_xml() == moving.to_xml()
    # So does what Slurm is told, and the program reads it in both forms.
    site = ('<cluster xmlns="urn:bigrocks:cluster:1" name="site" partition="long" account="a1" time-factor="1.5"><machine '
            'class="n" count="2"><capacity resource="cpu" amount="2" /><capacity resource="gpu" amount="4" slurm="gres" />'
            '</machine></cluster>')
    (folder / 'site.xml').write_text('<job xmlns="urn:bigrocks:job:1" name="j"><stage id="s" duration="1"><demand '
                                     'resource="gpu" amount="1"/><command>true</command></stage>%s</job>' % site)
    job, cluster = bigrocks.read(folder / 'site.xml')
    assert cluster.to_xml() == site, cluster.to_xml()
    script = bigrocks.render(bigrocks.plan(job, cluster), 'slurm')
    assert '--partition=long --account=a1 --time=1' in script and "--gres='gpu':1" in script, script
    # Pictures and files for engines are those of the program.
    for form in ('svg', 'order', 'make'):
        said = subprocess.run([os.environ['BIGROCKS_PROGRAM'], 'render', folder / 'plan.json', '-f', form], text=True,
                              capture_output=True, check=True, encoding='utf-8').stdout
        assert bigrocks.render(plan, form) == said and len(said) > 100
        assert bigrocks.render(plan, form, folder / 'out') is None and (folder / 'out').read_text(encoding='utf-8') == said
    # By the name alone as well; a notebook takes the picture.
    assert bigrocks.render(plan, path=folder / 'out.html') is None and '<html' in (folder / 'out.html').read_text()
    assert bigrocks.render(plan) == bigrocks.render(plan, 'svg') == plan._repr_svg_()


def check_runs(folder):
    job = bigrocks.Job('small')
    first = job.stage('first', tasks=3, seconds=1, cpu=1, command='echo {index} >> $OUT')
    job.edge(first, job.stage('last', seconds=1, cpu=2, command='cat $OUT'))
    cluster = bigrocks.Cluster(here=(1, {'cpu': 2}))
    os.environ['OUT'] = str(folder / 'said')
    ran = bigrocks.run(job, cluster, directory=folder, plan=bigrocks.plan(job, cluster), shell=True)
    assert ran.ok and sorted(ran.output.split()) == ['0', '1', '2'], ran
    assert [task['task'] for task in ran.tasks][-1] == 'last' and len(ran.tasks) == 4 and 'job' not in ran.tasks[0], ran.tasks
    failing = bigrocks.Job('failing')
    failing.stage('bad', seconds=1, cpu=1, command='false')
    failing.stage('good', seconds=1, cpu=1, command='true')
    ran = bigrocks.run(failing, cluster, keep_going=True)
    assert not ran.ok and sorted(t['outcome'] for t in ran.tasks) == ['done', 'exit'], ran
    # An interrupt ends the tasks before Python goes on.
    script = ('import bigrocks\njob = bigrocks.Job("long")\n'
              'job.stage("s", seconds=1, cpu=1, command="sh -c \'echo $$ > pid; exec sleep 100\'")\n'
              'try:\n    bigrocks.run(job, bigrocks.Cluster(here=(1, {"cpu": 1})))\n'
              'except KeyboardInterrupt:\n    print("interrupted")\n')
    child = subprocess.Popen([sys.executable, '-c', script], cwd=folder, text=True, stdout=subprocess.PIPE)
    end = time.monotonic() + 30
    while not (folder / 'pid').exists() or not (folder / 'pid').read_text().strip():
        assert time.monotonic() < end, 'the task never began'
        time.sleep(0.02)
    child.send_signal(signal.SIGINT)
    assert child.communicate(timeout=60)[0] == 'interrupted\n'
    pid = int((folder / 'pid').read_text())
    assert not pathlib.Path('/proc/%d' % pid).exists(), 'a task outlived the interrupt'


def check_simulations():
    jobs = []
    for k in range(3):
        jobs.append(bigrocks.Job('job-%d' % k))
        jobs[-1].stage('s', tasks=4, seconds=2 + k, cpu=1)
    told = bigrocks.simulate(jobs, bigrocks.Cluster(node=(2, {'cpu': 2})), policy='fifo,srpt', seeds=2)
    assert told['format'] == 'bigrocks-simulation/1' and len(told['results']) == 4, told
    assert all(result['makespan'] == 9 for result in told['results']), told['results']


def check_faults(folder):
    def fault(kind, status, function, *arguments, **more):
        try:
            function(*arguments, **more)
        except bigrocks.Error as error:
            assert type(error) is kind and error.status == status, (type(error), error.status, error)
            return error
        raise AssertionError('no fault: %r' % (arguments,))
    (folder / 'bad.xml').write_text('<job xmlns="urn:bigrocks:job:1" name="x">\n<stage id="a" tasks="x"/></job>')
    error = fault(bigrocks.InputError, 3, bigrocks.read, folder / 'bad.xml')
    assert (error.file, error.line) == (str(folder / 'bad.xml'), 2) and "stage 'a'" in error.what and error.hint, error
    assert str(error).startswith('%s:2' % (folder / 'bad.xml')) and isinstance(error, ValueError)
    error = fault(bigrocks.SystemFault, 5, bigrocks.read, folder / 'nothing')
    assert error.file == str(folder / 'nothing') and error.line == 0, error
    job, cluster = make()
    plan = bigrocks.plan(job, cluster)
    assert 'no such' in fault(bigrocks.UsageError, 2, bigrocks.render, plan, 'no such').what
    assert fault(bigrocks.UsageError, 2, bigrocks.plan, job, cluster, method='none').hint
    fault(bigrocks.InputError, 3, bigrocks.plan, bigrocks.Job(), cluster)
    fault(bigrocks.UsageError, 2, bigrocks.simulate, [job], cluster, policy='none')
    os.environ['BIGROCKS_PROGRAM'], program = str(folder / 'no-program'), os.environ['BIGROCKS_PROGRAM']
    assert 'cannot be started' in fault(bigrocks.SystemFault, 5, bigrocks.read, 'x').what
    assert plan._repr_svg_() is None
    os.environ['BIGROCKS_PROGRAM'] = program


def check_page(folder):
    """The page of docs/python.md, cell by cell in one namespace: what it says comes out."""
    text, names = (ROOT / 'docs/python.md').read_text(encoding='utf-8'), {}
    os.chdir(folder)
    cells = re.findall(r'```python\n(.*?)```(?:\n+```text\n(.*?)```)?', text, re.S)
    assert len(cells) >= 8, len(cells)
    for code, said in cells:
        code = code.replace('examples/', str(ROOT / 'examples') + '/')
        out = []
        names['print'] = lambda *words: out.append(' '.join(map(str, words)) + '\n')
        exec(compile(code, 'docs/python.md', 'exec'), names)
        assert not said or ''.join(out) == said, '%s\nsays\n%snot\n%s' % (code, ''.join(out), said)


def check_types(folder):
    """The stubs say what is there; and wrong calls are found."""
    stubtest, mypy = shutil.which('stubtest'), shutil.which('mypy')
    if not stubtest or not mypy:
        print('mypy is not installed')
        return 77
    words = dict(cwd=folder, text=True, capture_output=True)
    done = subprocess.run([stubtest, 'bigrocks'], **words)
    assert done.returncode == 0, done.stdout + done.stderr
    for line, good in (('bigrocks.Job("x").stage("s", tasks=2, seconds=1.5, cpu=1)', True),
                       ('x: float = bigrocks.plan(bigrocks.Job(), bigrocks.Cluster()).makespan', True),
                       ('bigrocks.Job(3)', False), ('bigrocks.read("x").job.stage()', False),
                       ('x: str = bigrocks.plan(bigrocks.Job(), bigrocks.Cluster())[0].start', False)):
        (folder / 'use.py').write_text('import bigrocks\n' + line + '\n')
        done = subprocess.run([mypy, '--strict', 'use.py'], **words)
        assert (done.returncode == 0) == good, (line, done.stdout)
    return 0


def main():
    with tempfile.TemporaryDirectory(prefix='bigrocks-python') as folder:
        folder = pathlib.Path(folder)
        check_forms(folder)
        check_ways(folder)
        check_runs(folder)
        check_simulations()
        check_faults(folder)
        check_page(folder)
        os.chdir('/')
        return check_types(folder)


if __name__ == '__main__':
    sys.exit(main())
