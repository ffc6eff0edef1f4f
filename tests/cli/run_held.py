"""`run` with outputs, lags, releases and licences: what is held is never more than there is, commands of outputs run
when nobody needs them any more and before others take the room, also after a run that was killed; tasks that do not
start before their machine goes, and deadlines that are missed."""
import json
import os
import subprocess
import sys
import tempfile

BIGROCKS = os.path.abspath(sys.argv[1])

TABLE = '<output id="t" resource="disk" amount="40" free="rm {0}.tmp"/>'


def stage(name, command, inside=''):
    return f'''<stage id="{name}" tasks="1" duration="0.1"><demand resource="cpu" amount="1"/>{inside}
      <command shell="true">{command}</command></stage>'''


def query(name):
    """Two tables, and a probe that needs both. Every task fails if it finds more than two tables."""
    look = 'test $(ls *.tmp 2&gt;/dev/null | wc -l) -le 2 &amp;&amp;'
    parts = [stage(f'{name}{part}', f'touch {name}{part}.tmp; {look} sleep 0.05', TABLE.format(name + part))
             for part in 'ab']
    probe = stage(f'{name}p', f'{look} test -e {name}a.tmp &amp;&amp; cat {name}b.tmp &amp;&amp; touch {name}.done')
    edges = ''.join(f'<edge from="{name}{part}" to="{name}p" type="barrier"/>' for part in 'ab')
    return ''.join(parts) + probe + edges


def job(folder, body):
    path = os.path.join(folder, 'job.xml')
    with open(path, 'w', encoding='utf-8') as file:
        file.write(f'<job xmlns="urn:bigrocks:job:1" name="held">{body}</job>')
    return path


def run(folder, *options, code=0):
    done = subprocess.run([BIGROCKS, 'run', 'job.xml', '--capacity', 'cpu=4,disk=100', '--trace', 'trace', *options],
                          cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == code, (done.returncode, done.stderr)
    return done.stderr


def check_tables(folder):
    """Two tables of 40 fit into 100, and of each query both are needed."""
    job(folder, query('x') + query('y') + query('z'))
    run(folder)
    assert sorted(os.listdir(folder)) == ['job.xml', 'trace', 'x.done', 'y.done', 'z.done'], os.listdir(folder)


def check_resumed(folder):
    """One query is half done; the run goes on without a table of another beside it."""
    job(folder, query('x').replace('touch xb.tmp;', 'test -e go || exit 1; touch xb.tmp;') + query('y'))
    run(folder, '--journal', 'journal', '--keep-going', code=1)
    with open(os.path.join(folder, 'go'), 'w', encoding='utf-8'):
        pass
    for name in os.listdir(folder):
        if name.endswith('.tmp'):
            assert False, name  # what a task that failed for good would have read is free
    for part in ('xa',):
        with open(os.path.join(folder, f'{part}.tmp'), 'w', encoding='utf-8'):
            pass
    run(folder, '--journal', 'journal', '--resume')
    assert os.path.exists(os.path.join(folder, 'x.done')) and not [n for n in os.listdir(folder) if n.endswith('.tmp')]


def check_failing(folder):
    """A command that fails is told of, and nothing more."""
    job(folder, stage('a', 'true', '<output id="t" resource="disk" amount="1" keep="no" free="false"/>'))
    said = run(folder)
    assert "output 't' of task a has failed" in said, said
    job(folder, stage('a', 'true', '<output id="t" resource="disk" amount="1" free="rm *"/>'))
    said = run(folder, code=3)
    assert "output 't' of stage 'a'" in said, said


def check_times(folder):
    job(folder, stage('a', 'true').replace('duration=', 'release="0.4" duration=') + stage('b', 'true') +
        '<edge from="a" to="b" type="barrier" lag="0.5"/>')
    run(folder)
    with open(os.path.join(folder, 'trace'), encoding='utf-8') as file:
        tasks = {task['task']: task for task in map(json.loads, file)}
    assert tasks['a']['start'] >= 0.4, tasks['a']
    assert tasks['b']['start'] >= tasks['a']['end'] + 0.49, tasks['b']


WINDOWS = """<cluster xmlns="urn:bigrocks:cluster:1"><machine class="m" count="2"><capacity resource="cpu" amount="2"/>
  </machine>{}</cluster>"""


def run_on(folder, windows, body, *options, code=0):
    """Tasks of the trace by name, and what is said on standard error."""
    job(folder, body + WINDOWS.format(windows))
    done = subprocess.run([BIGROCKS, 'run', 'job.xml', '--trace', 'trace', *options], cwd=folder, capture_output=True,
                          text=True, timeout=60, check=False)
    assert done.returncode == code, (done.returncode, done.stderr)
    if code:
        return {}, done.stderr
    with open(os.path.join(folder, 'trace'), encoding='utf-8') as file:
        return {task['task']: task for task in map(json.loads, file)}, done.stderr


def check_windows(folder):
    """A task that would not end before its machine goes waits; one that lasts longer than planned is told of."""
    both = '<unavailable from="0.3" to="1"/>'
    tasks, said = run_on(folder, both, stage('a', 'true') + stage('b', 'sleep 0.05').replace('0.1"', '0.4"') +
                         stage('c', 'true') + '<edge from="a" to="c" type="barrier"/>')
    assert tasks['a']['start'] < 0.3 and tasks['c']['start'] < 0.3, tasks
    assert tasks['b']['start'] >= 1, tasks['b']
    assert 'away' not in said, said
    tasks, said = run_on(folder, both, stage('a', 'sleep 0.6'))
    assert tasks['a']['start'] < 0.3, tasks
    assert 'Task a still runs, although machine m[0] is away now.' in said, said
    # Fewer cores: of two tasks that take both, one has to wait.
    half = '<change resource="cpu" class="m" from="0.3" to="1" amount="1"/><unavailable class="m" index="1" to="2"/>'
    long = stage('a', 'sleep 0.5', '').replace('0.1"', '0.5"') + stage('b', 'sleep 0.5').replace('0.1"', '0.5"')
    tasks, said = run_on(folder, half, long)
    starts = sorted(task['start'] for task in tasks.values())
    assert starts[0] < 0.3 and 0.5 <= starts[1], starts
    # For good: refused, since the run may be late.
    _, said = run_on(folder, '<unavailable from="9"/>', stage('a', 'true'), code=3)
    assert 'after the last change of the cluster' in said, said


def check_deadline(folder):
    job(folder, stage('a', 'sleep 0.4').replace('duration=', 'deadline="0.2" duration=') +
        stage('b', 'true').replace('duration=', 'deadline="9" duration='))
    said = run(folder)
    assert 'Task a has missed its deadline at 0.2 s: it ended at 0.' in said and 'Task b' not in said, said


for check in (check_tables, check_resumed, check_failing, check_times, check_windows, check_deadline):
    with tempfile.TemporaryDirectory() as scratch:
        check(scratch)
