#!/usr/bin/env python3
"""Jobs learn from what runs have measured: durations, memory and cores come back into the job.

history.py BIGROCKS EXAMPLES_DIR
"""
import contextlib
import json
import math
import pathlib
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

BIGROCKS = pathlib.Path(sys.argv[1]).resolve()
EXAMPLES = pathlib.Path(sys.argv[2]).resolve()
SPACE = '{urn:bigrocks:job:1}'
JOB = '''<job xmlns="urn:bigrocks:job:1" name="daily"><attribute name="shell" value="true"/>
  <stage id="nap" tasks="3" duration="9"><demand resource="cpu" amount="1"/>
    <command>sleep 0.2</command></stage>
  <stage id="eat" duration="9"><demand resource="cpu" amount="1"/>
    <command>python3 -c 'x = bytearray(60 &lt;&lt; 20); x[::4096] = b"1" * len(x[::4096])'</command></stage>
  <stage id="fail" duration="9"><command>exit 1</command></stage>
</job>'''


def bigrocks(*words, cwd, status=0):
    done = subprocess.run([str(BIGROCKS), *map(str, words)], text=True, capture_output=True, cwd=cwd,
                          stdin=subprocess.DEVNULL, timeout=60)
    assert done.returncode == status, (words, done)
    return done


def stages(path):
    """By id: seconds, and demands."""
    return {stage.get('id'): (float(stage.get('duration')),
                              {d.get('resource'): float(d.get('amount'))
                               for d in stage.iter(SPACE + 'demand')})
            for stage in xml.parse(path).getroot().iter(SPACE + 'stage')}


def check_measure(folder):
    shutil.copytree(EXAMPLES / 'ninja', folder / 'build')
    for words in (['--history', 'h'], []):
        bigrocks('import', 'ninja', '-C', 'build', '--measure', *words, '-o', 'build.xml', cwd=folder)
        found = stages(folder / 'build.xml')
        assert len(found) == 6 and (folder / 'build/app.txt').exists()
        for seconds, demand in found.values():
            assert 0 < seconds < 5 and demand['cpu'] == 1 and 1 << 20 <= demand['mem'] < 1 << 30, found
    bigrocks('import', 'ninja', '-C', 'build', '--history', 'h', '-o', 'again.xml', cwd=folder)
    assert stages(folder / 'again.xml').keys() == found.keys()
    assert all(seconds < 5 for seconds, _ in stages(folder / 'again.xml').values())
    (folder / 'build/build.ninja').write_text('rule r\n  command = exit 4\nbuild x: r\n')
    done = bigrocks('import', 'ninja', '-C', 'build', '--measure', cwd=folder, status=1)
    assert "command of 'x' failed with exit status 4" in done.stderr, done.stderr


def check_runs(folder):
    (folder / 'job.xml').write_text(JOB)
    words = ['run', 'job.xml', '--capacity', 'cpu=2,mem=1GiB', '--history', 'h', '--keep-going']
    assert '0 of 3 stages as the history has them' in bigrocks(*words, cwd=folder, status=1).stderr
    assert '2 of 3 stages as the history has them' in bigrocks(*words, cwd=folder, status=1).stderr
    bigrocks('annotate', 'job.xml', '--history', 'h', '-o', 'better.xml', cwd=folder)
    found = stages(folder / 'better.xml')
    assert 0.2 <= found['nap'][0] < 5 and found['fail'] == (9, {}), found
    assert 60 << 20 <= found['eat'][1]['mem'] < 200 << 20, found
    assert found['nap'][1]['cpu'] == 1


def check_far_off(folder):
    """A sample of centuries, as only another program writes it, is above all others in the picture."""
    (folder / 'naps.xml').write_text(JOB.replace('daily', 'far').replace('sleep 0.2', 'true'))
    bigrocks('run', 'naps.xml', '--capacity', 'cpu=2,mem=1GiB', '--history', 'far', '--keep-going', cwd=folder, status=1)
    with contextlib.closing(sqlite3.connect(folder / 'far')) as file, file:
        file.execute("UPDATE sample SET wall_ns = 9223372036854775807 WHERE task = 1")
    bigrocks('history', 'far', 'far', '-o', 'far.svg', cwd=folder)
    told = bigrocks('history', 'far', 'far', cwd=folder).stdout.splitlines()[1]
    assert re.fullmatch(r'runs   1, \S+ \S+ UTC', told), told
    drawing = (folder / 'far.svg').read_text()
    top, height = map(float, re.search(r'<rect x="210.00" y="([0-9.]+)" width="560.00" height="([0-9.]+)"', drawing).groups())
    points = sorted(float(y) for y in re.findall(r'class="point" d="M[0-9.]+ ([0-9.]+)h0"', drawing)[:3])
    assert top < points[0] < top + height / 2 and points[1:] == [top + height] * 2, (top, height, points)


def check_not_written(folder):
    """Measurements that the file does not take are told of: none is left out in silence."""
    job = '<job xmlns="urn:bigrocks:job:1" name="n"><stage id="%s" duration="1"><command>true</command></stage></job>'
    words = ['run', 'job.xml', '--capacity', 'cpu=1', '--history', 'full']
    (folder / 'job.xml').write_text(job % 'a')
    bigrocks(*words, cwd=folder)
    for table in ('run', 'stage', 'sample'):
        (folder / 'job.xml').write_text(job % ('new' + table))
        with sqlite3.connect(folder / 'full') as base:
            base.execute('CREATE TRIGGER refuse BEFORE INSERT ON %s BEGIN SELECT RAISE(ABORT, "%s is full"); END' %
                         (table, table))
            before = base.execute('SELECT count(*) FROM sample').fetchone(), \
                base.execute('SELECT count(*) FROM run').fetchone()
        done = bigrocks(*words, cwd=folder)  # the run itself went well
        assert '%s is full' % table in done.stderr, done.stderr
        with sqlite3.connect(folder / 'full') as base:
            base.execute('DROP TRIGGER refuse')
            after = base.execute('SELECT count(*) FROM sample').fetchone(), \
                base.execute('SELECT count(*) FROM run').fetchone()
        assert before == after, (before, after)


ONE = '<job xmlns="urn:bigrocks:job:1" name="%s"><stage id="a" tasks="%d" %s/></job>'


def write_runs(folder, runs, job='known'):
    """Makes a history of runs of one stage, each given by the durations of its tasks, as `run` would have."""
    (folder / 'p.xml').write_text('<job xmlns="urn:bigrocks:job:1" name="p"><stage id="a" duration="1">'
                                  '<command>true</command></stage></job>')
    bigrocks('run', 'p.xml', '--capacity', 'cpu=1', '--history', 'made', cwd=folder)
    with contextlib.closing(sqlite3.connect(folder / 'made')) as base:
        base.execute('INSERT OR IGNORE INTO stage(job, name) VALUES(?, "a")', (job,))
        stage, = base.execute('SELECT id FROM stage WHERE job = ?', (job,)).fetchone()
        for run in runs:
            number = base.execute('INSERT INTO run(job, began) VALUES(?, 0)', (job,)).lastrowid
            base.executemany('INSERT INTO sample VALUES(?, ?, ?, ?, NULL, NULL)',
                             [(stage, number, k, int(s * 1e9)) for k, s in enumerate(run)])
        base.commit()


def planned(folder, *words):
    """Of a plan with --history: makespan; mean, ends and spread of stage a; average and quantile of runs."""
    told = bigrocks('plan', *words, '--explain', cwd=folder).stdout
    stage = re.search(r"stage 'a': ([\d.]+) s on average(?: \(80 %: ([\d.]+) to ([\d.]+) s\)|, as declared), "
                      r"spread of tasks ([\d.]+)", told)
    runs = re.search(r'runs +([\d.]+) s on average, [\d.]+ % within ([\d.]+) s', told)
    makespan = float(re.search(r'makespan +([\d.]+) s', told).group(1))
    return makespan, [float(x or 'nan') for x in stage.groups()], [float(x) for x in runs.groups()]


def near(value, wanted, tolerance):
    assert abs(value / wanted - 1) <= tolerance, (value, wanted)


def check_names(folder):
    """A job under another name is found by its stages; where none is, the message says what the file holds; and
    bound goes by a history as plan does."""
    def write(path, name, stages):
        path.write_text('<job xmlns="urn:bigrocks:job:1" name="%s">%s</job>' % (name, ''.join(
            '<stage id="%s" duration="50"><demand resource="cpu" amount="1"/><command>sleep 0.1</command></stage>' % s
            for s in stages)))
    pool = ['--capacity', 'cpu=1,mem=1GiB']
    write(folder / 'monday.xml', 'monday', 'uvw')
    write(folder / 'tuesday.xml', 'tuesday', 'uvw')
    write(folder / 'other.xml', 'other', 'xyz')
    bigrocks('run', 'monday.xml', *pool, '--history', 'names', '-q', cwd=folder)
    for words in (['annotate', 'tuesday.xml', '-o', 'known.xml'], ['plan', 'tuesday.xml', *pool, '--no-lp'],
                  ['bound', 'tuesday.xml', *pool, '--no-lp']):
        done = bigrocks(*words, '--history', 'names', cwd=folder)
        assert "names has no runs of 'tuesday'; 'monday' has the same stages\n" in done.stderr, done.stderr
        assert '3 of 3 stages as the history has them' in done.stderr, done.stderr
    assert all(seconds < 5 for seconds, _ in stages(folder / 'known.xml').values()), stages(folder / 'known.xml')
    done = bigrocks('deadline', 'tuesday.xml', '--tokens', '1', '--runs', '4', '--history', 'names', '-o', 't.table', cwd=folder)
    assert "names has no runs of 'tuesday'; 'monday' has the same stages\n" in done.stderr, done.stderr
    assert '3 of 3 stages as the history has them' in done.stderr, done.stderr
    for name, least, most in (('monday', 0.3, 15), ('tuesday', 0.3, 15), ('other', 150, 150)):
        done = bigrocks('bound', name + '.xml', *pool, '--no-lp', '-q', '--history', 'names', cwd=folder)
        assert least <= float(done.stdout) <= most and not done.stderr, (name, done)
    done = bigrocks('bound', 'other.xml', *pool, '--no-lp', '--history', 'names', cwd=folder)
    assert "names has no runs of 'other'; it has runs of 'monday' (1 run)\n" in done.stderr, done.stderr
    assert '0 of 3 stages' in done.stderr, done.stderr
    done = bigrocks('run', 'other.xml', *pool, '--history', 'new', cwd=folder)
    assert "new has no runs yet\n" in done.stderr, done.stderr
    for k in range(6):
        write(folder / 'many.xml', 'job-%d' % k, ['s%d' % k])
        bigrocks('run', 'many.xml', *pool, '--history', 'names', '-q', cwd=folder)
    done = bigrocks('plan', 'other.xml', *pool, '--no-lp', '--history', 'names', cwd=folder)
    assert "it has runs of 'job-5' (1 run), 'job-4' (1 run), 'job-3' (1 run), 'job-2' (1 run), 'job-1' (1 run) and 2 more" \
        in done.stderr, done.stderr


def check_house(folder):
    """`history` tells what SQL tells of the file, and changes no more than it is asked to."""
    write_runs(folder, [[1, 2, 4], [3], [5, 5]], 'first')
    write_runs(folder, [[7], [8]], 'second')

    def told(*words):
        return json.loads(bigrocks('history', 'made', *words, '-f', 'json', cwd=folder).stdout)['jobs']

    def counted():
        with contextlib.closing(sqlite3.connect(folder / 'made')) as base:
            return {table: base.execute('SELECT count(*) FROM ' + table).fetchone()[0]
                    for table in ('run', 'stage', 'sample')}
    assert [(job['name'], len(job['runs'])) for job in told()] == [('second', 2), ('p', 2), ('first', 3)], told()
    job, = told('first')
    assert [(run['began'], run['tasks'], run['work']) for run in job['runs']] == [
        ('1970-01-01T00:00:00Z', n, s) for n, s in ((3, 7), (1, 3), (2, 10))], job
    stage, = job['of_stages']
    assert stage['sample'] == [[0, 1], [0, 2], [0, 4], [1, 3], [2, 5], [2, 5]], stage
    assert (stage['runs'], stage['samples'], stage['duration'], stage['spread']) == (3, 6, 3, 1), stage
    assert 'mem' not in stage and 'cpu' not in stage, stage
    table = bigrocks('history', 'made', cwd=folder).stdout.splitlines()
    assert [line.split()[:4] for line in table[1:]] == [
        ['second', '2', '1', '2'], ['p', '2', '1', '2'], ['first', '3', '1', '6']], table
    assert table[3].endswith('1970-01-01 00:00 UTC'), table
    line = bigrocks('history', 'made', 'first', cwd=folder).stdout.splitlines()[4]
    assert line.split() == ['a', '3', '6', '3.000', '1.000', '-', '-'], line
    # Pictures: a point for every task of the job, or for every run of the file; names are escaped.
    for words, points, strips in ((['first'], 6, 1), ([], 7, 3)):
        bigrocks('history', 'made', *words, '-o', 'x.svg', cwd=folder)
        root = xml.parse(folder / 'x.svg').getroot()
        found = [e for e in root.iter() if e.get('class') == 'point']
        assert len(found) == points, (words, len(found))
        assert len([e for e in root.iter() if e.get('class') == 'frame']) == strips
    # Another name: alone, then one that has runs; nothing is lost, and the runs stay in their order.
    before = counted()
    bigrocks('history', 'made', 'first', '--rename', 'a & <b>', '-q', cwd=folder)
    assert counted() == before and [j['name'] for j in told()] == ['second', 'p', 'a & <b>']
    bigrocks('history', 'made', '-o', 'x.svg', cwd=folder)
    assert 'a & <b>' in [e.text for e in xml.parse(folder / 'x.svg').getroot().iter()]
    assert bigrocks('history', 'made', 'second', '--rename', 'second', cwd=folder).stderr == \
        "bigrocks: 'second' is now 'second'\n" and counted() == before
    done = bigrocks('history', 'made', 'second', '--rename', 'a & <b>', cwd=folder)
    assert 'beside those that it had' in done.stderr, done.stderr
    job, = told('a & <b>')
    assert [run['work'] for run in job['runs']] == [7, 3, 10, 7, 8], job
    assert len(job['of_stages'][0]['sample']) == 8 and counted()['stage'] == before['stage'] - 1
    # What is forgotten: the oldest runs, of one job or of all; then a job as a whole.
    assert bigrocks('history', 'made', 'a & <b>', '--keep', '4', cwd=folder).stderr == 'bigrocks: 1 run forgotten\n'
    assert [run['work'] for run in told('a & <b>')[0]['runs']] == [3, 10, 7, 8]
    assert bigrocks('history', 'made', '--keep', '1', cwd=folder).stderr == 'bigrocks: 4 runs forgotten\n'
    assert counted() == {'run': 2, 'stage': 2, 'sample': 2}, counted()
    assert bigrocks('history', 'made', 'p', '--forget', '-q', cwd=folder).stderr == ''
    assert counted() == {'run': 1, 'stage': 1, 'sample': 1} and [j['name'] for j in told()] == ['a & <b>']
    write_runs(folder, [], 'last')  # adds a run of 'p'
    done = bigrocks('history', 'made', 'a & <b>', '--rename', 'p', cwd=folder)
    assert 'beside those that it had' in done.stderr, done
    assert counted() == {'run': 2, 'stage': 2, 'sample': 2}, counted()
    bigrocks('history', 'made', 'p', '--rename', 'a & <b>', '-q', cwd=folder)
    # Wrong input.
    assert "made has no runs of 'p'; it has runs of 'a & <b>'" in bigrocks('history', 'made', 'p', cwd=folder, status=3).stderr
    assert "nothing: there is no such history" in bigrocks('history', 'nothing', cwd=folder, status=5).stderr
    assert not (folder / 'nothing').exists()
    (folder / 'text').write_text('this is no database\n' * 200)
    assert 'not a database' in bigrocks('history', 'text', cwd=folder, status=3).stderr
    for words, why in ((['--forget'], 'for one job'), (['--rename', 'x'], 'for one job'),
                       (['p', '--forget', '--keep', '1'], 'exclude'), (['p', '--rename', ''], 'is empty'),
                       (['p', '--forget', '-o', 'x.svg'], 'nothing but the history')):
        assert why in bigrocks('history', 'made', *words, cwd=folder, status=2).stderr, words
    (folder / 'made').unlink()


def check_plans(folder):
    """What is planned with, and what is said of it, beside draws from the same model by Python."""
    rng = random.Random(7)

    def lognormal(mean, spread):
        return mean * math.exp(rng.gauss(0, spread) - spread * spread / 2)
    wide = ['--capacity', 'cpu=20', '--history', 'made']
    # One sample is taken as it is, and little is made of it.
    (folder / 'k.xml').write_text(ONE % ('known', 1, 'duration="50"'))
    write_runs(folder, [[8]])
    makespan, (mean, low, high, _), runs = planned(folder, 'k.xml', *wide)
    assert makespan == 8 and mean == 8 and low < 4 and 16 < high < 80, (makespan, mean, low, high)
    near(runs[1], high, 0.3)  # of one task, both are the upper end
    # Many runs of 20 tasks: the old ones are forgotten, the mean is sure, and tasks scatter.
    (folder / 'made').unlink()
    write_runs(folder, [[9.0] * 20] * 25 + [[lognormal(2, 0.5) for _ in range(20)] for _ in range(10)])
    (folder / 'k.xml').write_text(ONE % ('known', 20, 'duration="50"'))
    makespan, (mean, low, high, spread), runs = planned(folder, 'k.xml', *wide)
    near(makespan, 2, 0.12)
    assert makespan == mean or abs(makespan - mean) < 0.001
    assert 1.4 < low < 2 < high < 2.8, (low, high)
    near(spread, 0.5, 0.25)
    drawn = sorted(max(lognormal(mean, spread) for _ in range(20)) for _ in range(20000))
    near(runs[0], sum(drawn) / len(drawn), 0.12)
    near(runs[1], drawn[18000], 0.2)
    robust, _, again = planned(folder, 'k.xml', *wide, '--robust', '0.9')
    near(robust, mean * math.exp(1.2816 * spread - spread ** 2 / 2), 0.2)
    assert robust > 1.3 * makespan and again == runs, 'the order of equal tasks is of no account'
    assert planned(folder, 'k.xml', *wide, '--robust', '0.5')[0] < makespan, 'the median is below the mean'
    # The job's own spread serves where there is no history, and its longest duration is one.
    (folder / 's.xml').write_text(ONE % ('s', 20, 'duration="2" spread="0.5"'))
    near(planned(folder, 's.xml', '--capacity', 'cpu=20', '--robust', '0.9')[0], 2 * math.exp(1.28155 * 0.5 - 0.125), 1e-4)
    (folder / 's.xml').write_text(ONE % ('s', 20, 'duration="2" spread="0.5" longest="3"'))
    makespan, _, runs = planned(folder, 's.xml', '--capacity', 'cpu=20', '--robust', '0.9')
    assert makespan == 3 and runs[1] == 3, (makespan, runs)
    assert "the spread of this job's durations is not known" in bigrocks('plan', 'k.xml', '--capacity', 'cpu=1', '--robust', '0.9', cwd=folder, status=2).stderr
    for wrong in ('0', '1', '-1', 'x', '90'):
        assert 'is not a number from 0.001 to 0.999' in bigrocks('plan', 's.xml', '--capacity', 'cpu=1', f'--robust={wrong}', cwd=folder, status=2).stderr
    # The plan that is written carries the durations that it was made with.
    bigrocks('plan', 's.xml', '--capacity', 'cpu=20', '--robust', '0.9', '-o', 'p.json', cwd=folder)
    assert json.loads((folder / 'p.json').read_text())['makespan'] == 3
    assert bigrocks('plan', 'k.xml', *wide, cwd=folder).stdout == bigrocks('plan', 'k.xml', *wide, '--threads', 2, cwd=folder).stdout


def check_queries(folder):
    """What a unit of cost took in queries that ran: the history is asked before it is told, and never made to be asked."""
    row = 'Sort  (cost=0.00..100.00 rows=9 width=4)%s\n'
    (folder / 'ran.txt').write_text(row % ' (actual time=0.1..4.0 rows=9 loops=1)')
    (folder / 'also.txt').write_text(''.join(row % f' (actual time=0.1..{ms} rows=9 loops=1)' for ms in (8, 7)))
    (folder / 'thought.txt').write_text(row % '')

    def asked(*files, **how):
        done = bigrocks('import', 'queries', *files, '--history', 'costs.db', '-o', 'queries.xml', cwd=folder, **how)
        return re.search(r'a unit of cost lasts (\S+) us, (?:the median of (\d+)|as in the query) that ran', done.stderr)
    done = bigrocks('import', 'queries', 'thought.txt', '--history', 'costs.db', cwd=folder, status=5)
    assert done.stderr.startswith('costs.db: there is no such history') and not (folder / 'costs.db').exists(), done.stderr
    (folder / 'timed.txt').write_text('Sort  (actual time=0.1..4.0 rows=9 loops=1)\n')
    assert not asked('timed.txt') and not (folder / 'costs.db').exists()
    assert not asked('ran.txt') and not asked('ran.txt')  # the same figures count once
    assert '\n1 query that ran' in bigrocks('history', 'costs.db', cwd=folder).stdout
    assert asked('thought.txt').groups() == ('40', None)
    assert asked('thought.txt', 'also.txt').groups() == ('70', '3')
    listed = bigrocks('history', 'costs.db', cwd=folder).stdout
    assert "\n3 queries that ran: what a unit of cost lasts, for 'bigrocks import queries --history'\n" in listed, listed
    assert json.loads(bigrocks('history', 'costs.db', '--format', 'json', cwd=folder).stdout)['queries'] == 3
    before = (folder / 'costs.db').read_bytes()
    assert asked('thought.txt').groups() == ('70', '3')
    assert (folder / 'costs.db').read_bytes() == before
    duration = sum(seconds for seconds, _ in stages(folder / 'queries.xml').values())
    assert math.isclose(duration, 100 * 70e-6), duration
    # The last hundred count, and files of runs alone, which have no such table, are read without making it.
    (folder / 'many.txt').write_text(''.join(row % f' (actual time=0.1..{ms} rows=9 loops=1)' for ms in range(100, 199)))
    asked('many.txt')
    assert asked('thought.txt').groups() == ('1480', '100')
    shutil.copy(folder / 'h', folder / 'costs.db')
    assert 'queries' not in bigrocks('history', 'costs.db', cwd=folder).stdout
    before = (folder / 'costs.db').read_bytes()
    assert not asked('thought.txt') and (folder / 'costs.db').read_bytes() == before
    (folder / 'costs.db').write_text('no history')
    done = bigrocks('import', 'queries', 'thought.txt', '--history', 'costs.db', cwd=folder, status=3)
    assert 'the history cannot be used' in done.stderr, done.stderr
    done = bigrocks('import', 'queries', 'also.txt', '--history', 'none/costs.db', cwd=folder, status=5)
    assert 'open database file; is there such a folder, and is it writable?' in done.stderr, done.stderr


FLAKY = '''<job xmlns="urn:bigrocks:job:1" name="flaky"><attribute name="shell" value="true"/><resource name="cpu"/>
  <stage id="steady" tasks="30" duration="1"><demand resource="cpu" amount="1"/><command>true</command></stage>
  <stage id="flaky" tasks="30" duration="1"><demand resource="cpu" amount="1"/>
    <command>test $(( {index} % 3 )) -ne 0 || test -e been-{index} || { touch been-{index}; exit 1; }</command></stage>
  <edge from="steady" to="flaky"/></job>'''


def check_failures(folder):
    """Attempts that fail are kept by stage, and tables of the time left count them, unless options say how many."""
    (folder / 'flaky.xml').write_text(FLAKY)
    bigrocks('run', 'flaky.xml', '--capacity', 'cpu=4', '--retries', 2, '--history', 'flaky.db', '-q', cwd=folder)
    said = bigrocks('deadline', 'flaky.xml', '--tokens', 2, '--runs', 60, '--history', 'flaky.db', cwd=folder)
    assert "stage 'flaky': 33.3 % of first attempts fail, 0.0 % of further ones" in said.stderr, said.stderr
    assert 'steady' not in said.stderr, said.stderr

    def takes(*words):
        table = bigrocks('deadline', 'flaky.xml', '--tokens', 1, '--runs', 200, '--no-plan', '-f', 'csv', '-q', *words, cwd=folder)
        return float(table.stdout.splitlines()[1].split(',')[4])
    measured = takes('--history', 'flaky.db')
    assert takes('--history', 'flaky.db', '--failures', 0) < 0.97 * measured < 0.99 * takes(
        '--history', 'flaky.db', '--failures', 0.6), measured
    assert 59.9 < takes() < 60.1 and 119.9 < takes('--latency', 1) < 120.1
    fails = ('flaky.xml', '--tokens', 1, '--runs', 100, '--no-plan', '-f', 'csv', '-q', '--failures', 0.3)
    without, some, all_ = (float(bigrocks('deadline', *fails, '--losses', share, cwd=folder).stdout.splitlines()[1].split(',')[4])
                           for share in (0, 0.5, 1))
    assert without < some < all_, (without, some, all_)
    assert 'from 0 to 1' in bigrocks('deadline', 'flaky.xml', '--losses', '2', cwd=folder, status=2).stderr
    assert 'from 0 to' in bigrocks('deadline', 'flaky.xml', '--latency', '-1', cwd=folder, status=2).stderr


def check_sizes(folder):
    """A run keeps what its tasks read, and durations follow: here of a copy that reads twice as much."""
    job = '''<job xmlns="urn:bigrocks:job:1" name="sized"><attribute name="input_size" value="%s"/><stage id="a" tasks="4"
        duration="9"><command>sleep 0.02</command></stage><stage id="b" duration="9"><command>sleep 0.02</command></stage>
        <edge from="a" to="b" bytes="500"/></job>'''
    (folder / 'sized.xml').write_text(job % '1GiB')
    (folder / 'twice.xml').write_text(job % '2GiB')
    bigrocks('run', 'sized.xml', '--capacity', 'cpu=1', '--history', 'sized.db', '-q', cwd=folder)
    with contextlib.closing(sqlite3.connect(folder / 'sized.db')) as base:
        assert base.execute('SELECT stage, bytes FROM size ORDER BY stage').fetchall() == [('a', 2**28), ('b', 500)]
    found = []
    for name in 'sized', 'twice':
        said = bigrocks('annotate', name + '.xml', '--history', 'sized.db', '-o', 'out.xml', cwd=folder).stderr
        assert ('durations of 1 stage are brought to the sizes' in said) == (name == 'twice'), said
        found.append(stages(folder / 'out.xml'))
    near(found[1]['a'][0] / found[0]['a'][0], 2, 0.001)
    assert found[1]['b'] == found[0]['b'] and found[0]['b'][0] < 2, found
    (folder / 'wrong.xml').write_text(job % 'large')
    for words in (['annotate'], ['run', '--capacity', 'cpu=1']):
        said = bigrocks(*words, 'wrong.xml', '--history', 'sized.db', cwd=folder, status=3).stderr
        assert said == ("wrong.xml: the input_size of job 'sized' is 'large', which is no amount; "
                        'write bytes, such as "2GiB"\n'), said


WAYS = '''<job xmlns="urn:bigrocks:job:1" name="%s"><attribute name="shell" value="true"/>
  <stage id="make" tasks="4" duration="2"><demand resource="cpu" amount="1"/><command>sleep 0.02</command></stage>
  <stage id="link" tasks="2"><demand resource="mem" amount="1GiB"/>
    <alternative id="one" duration="90"><demand resource="cpu" amount="1"/></alternative>
    <alternative id="four" duration="30"><demand resource="cpu" amount="4"/></alternative>
    <alternative id="wide" duration="40"><demand resource="cpu" amount="4"/></alternative>
    <command>sleep 0.0{alternative:one=9,four=3,wide=4}; echo $BIGROCKS_TASK $BIGROCKS_ALTERNATIVE</command></stage>
  <stage id="test" tasks="3" duration="12">
    <alternative id="cpu"><demand resource="cpu" amount="2"/></alternative>
    <alternative id="gpu" class="gpu-node" duration="4"><demand resource="gpu" amount="1"/>
      <demand resource="runs" amount="1" consume="yes"/></alternative>
    <task index="2" alternative="gpu" duration="500"/>
    <command>sleep 0.01; echo $BIGROCKS_TASK $BIGROCKS_ALTERNATIVE</command></stage>
  <edge from="make" to="link"/><edge from="link" to="test"/>
</job>'''
SPEED = {'node': 1, 'gpu-node': 0.5}


def check_ways(folder):
    """By which alternative a task ran and on which class of machines is kept, as the trace of the run has it."""
    cluster = ['--cluster', EXAMPLES / 'cluster-link.xml']
    (folder / 'ways.xml').write_text(WAYS % 'ways')
    said = bigrocks('run', 'ways.xml', *cluster, '--history', 'ways.db', '--trace', 't.json', '-q', cwd=folder).stdout
    chosen = dict(line.split() for line in said.splitlines())
    rows = [json.loads(line) for line in (folder / 't.json').read_text().splitlines()]
    wanted = sorted((re.sub(r'\[.*', '', row['task']), chosen.get(row['task'], ''), re.sub(r'\[.*', '', row['machine']),
                     int(re.search(r'\[(.*)\]', row['task']).group(1)), round(row['end'] - row['start'], 6)) for row in rows)
    assert len(wanted) == 9 and {'four', 'gpu', 'cpu'} <= {row[1] for row in wanted}, wanted
    with contextlib.closing(sqlite3.connect(folder / 'ways.db')) as base:
        found = base.execute('SELECT name, task, wall_ns FROM sample JOIN stage ON sample.stage = stage.id').fetchall()
    kept = []
    for name, task, wall in found:
        stage, alternative, machine, speed = name.split('\x1f')
        assert float(speed) == SPEED[machine], name
        kept.append((stage, alternative, machine, task, round(wall / 1e9, 6)))
    assert sorted(kept) == wanted, (kept, wanted)
    told = json.loads(bigrocks('history', 'ways.db', 'ways', '-f', 'json', cwd=folder).stdout)['jobs'][0]['of_stages']
    assert {(s['id'], s.get('alternative', ''), s['class'], s['speed']) for s in told} == {
        (*row[:3], SPEED[row[2]]) for row in wanted}, told
    lines = bigrocks('history', 'ways.db', 'ways', cwd=folder).stdout
    assert 'link by four on node ' in lines and 'test by gpu on gpu-node (speed 0.5) ' in lines, lines
    check_learned_ways(folder, cluster)


def by_way(path):
    """The job's durations by stage, alternative and task, as its XML says them."""
    found = {}
    for stage in xml.parse(path).getroot().iter(SPACE + 'stage'):
        tasks = range(int(stage.get('tasks', 1)))
        for way in stage.iter(SPACE + 'alternative'):
            found.update({(stage.get('id'), way.get('id'), i): float(way.get('duration', stage.get('duration'))) for i in tasks})
        for task in stage.iter(SPACE + 'task'):
            found[stage.get('id'), task.get('alternative'), int(task.get('index'))] = float(task.get('duration'))
    return found


def write_ways(folder, job, rows):
    """Ten runs in which each of these names has two tasks of so many seconds, and no run differs."""
    with contextlib.closing(sqlite3.connect(folder / 'ways.db')) as base:
        for _ in range(10):
            number = base.execute('INSERT INTO run(job, began) VALUES(?, 0)', (job,)).lastrowid
            for name, seconds in rows.items():
                base.execute('INSERT OR IGNORE INTO stage(job, name) VALUES(?, ?)', (job, name))
                stage, = base.execute('SELECT id FROM stage WHERE job = ? AND name = ?', (job, name)).fetchone()
                for k in range(2):
                    base.execute('INSERT INTO sample VALUES(?, ?, ?, ?, NULL, ?)',
                                 (stage, number, k, int(seconds * 1e9), 200 << 20))
        base.commit()


def check_learned_ways(folder, cluster):
    """Durations come back by alternative, as on a machine of speed 1; those that never ran are scaled."""
    known = ['--history', 'ways.db']
    declared = by_way(folder / 'ways.xml')
    bigrocks('history', 'ways.db', 'ways', '--forget', '-q', cwd=folder)
    bigrocks('annotate', 'ways.xml', *known, '-o', 'same.xml', '-q', cwd=folder)
    assert by_way(folder / 'same.xml') == declared, by_way(folder / 'same.xml')
    # What ran before the stage had alternatives tells nothing of them; 'fourth' is another alternative than 'four'.
    write_ways(folder, 'ways', {
        'make': 5, 'link': 700, 'link\x1ffour\x1fnode\x1f1': 60, 'link\x1ffour\x1fold\x1f0.25': 240,
        'link\x1ffourth\x1fnode\x1f1': 1000, 'link\x1fone\x1fold\x1f0.5': 720, 'test\x1fgpu\x1fgpu-node\x1f0.5': 16})
    for job in 'ways', 'tuesday':
        if job == 'tuesday':
            bigrocks('history', 'ways.db', 'ways', '--rename', job, '-q', cwd=folder)
            (folder / 'ways.xml').write_text(WAYS % job)
        bigrocks('annotate', 'ways.xml', *known, '-o', 'learned.xml', '-q', cwd=folder)
        learned = by_way(folder / 'learned.xml')
        ratio = math.sqrt(2 * 4)  # 'four' takes twice as long as declared, 'one' four times
        for i in range(2):
            near(learned['link', 'four', i], 60, 0.02)
            near(learned['link', 'one', i], 360, 0.02)
            near(learned['link', 'wide', i], 40 * ratio, 0.02)
            near(learned['test', 'gpu', i], 8, 0.02)
            near(learned['test', 'cpu', i], 24, 0.02)
        assert learned['test', 'gpu', 2] == 500, learned  # said of the task itself
        near(stages(folder / 'learned.xml')['make'][0], 5, 0.02)
    (folder / 'other.xml').write_text(WAYS % 'other')
    said = bigrocks('plan', 'other.xml', *cluster, *known, '--no-lp', cwd=folder).stderr
    assert "'tuesday' has the same stages" in said and '3 of 3 stages' in said, said
    (folder / 'few.xml').write_text('<job xmlns="urn:bigrocks:job:1" name="few">%s</job>' % ''.join(
        '<stage id="%s" duration="1"/>' % name for name in ['link', 'make', 'test', *'abcd']))
    said = bigrocks('plan', 'few.xml', '--capacity', 'cpu=4', *known, cwd=folder).stderr
    assert "has no runs of 'few'; it has runs of 'tuesday'" in said, said  # each stage counts once, however it ran
    memory = {way.get('id'): [int(d.get('amount')) >> 20 for d in way.iter(SPACE + 'demand') if d.get('resource') == 'mem']
              for way in xml.parse(folder / 'learned.xml').getroot().iter(SPACE + 'alternative')}
    assert memory == {'one': [200], 'four': [200], 'wide': [1024], 'cpu': [], 'gpu': []}, memory
    # The plan goes by what was learned: all tests run on cores, since the GPU takes 16 s for each of them.
    plan = ['plan', 'ways.xml', *cluster, *known, '--no-lp']
    said = bigrocks(*plan, '--explain', cwd=folder).stdout
    near(float(re.search(r'makespan +([\d.]+) s', said).group(1)), 5 + 60 + 24, 0.02)
    assert re.search(r"stage 'link' by 'four': (59|60|61)[.\d]* s on average \(80 %", said), said
    assert re.search(r"stage 'link' by 'wide': 11[2-4][.\d]* s on average, as declared beside those that ran", said), said
    at_mean, average = re.search(r'makespan +([\d.]+) s', said), re.search(r'runs +([\d.]+) s on average', said)
    assert float(average.group(1)) > 0.9 * float(at_mean.group(1)), said
    bigrocks(*plan, '-q', '-o', 'learned.json', cwd=folder)
    bigrocks('check', 'learned.xml', 'learned.json', *cluster, cwd=folder)
    careful = bigrocks(*plan, '--robust', '0.9', cwd=folder).stdout
    near(float(re.search(r'at their mean durations ([\d.]+) s', careful).group(1)), 5 + 60 + 24, 0.02)
    # A stage of a slow class lasts there as it did, and is not given what machines of other classes have.
    (folder / 'slow.xml').write_text('<job xmlns="urn:bigrocks:job:1" name="slow"><stage id="a" duration="1" class="gpu-node">'
                                     '<demand resource="gpu" amount="1"/></stage></job>')
    write_ways(folder, 'slow', {'a\x1f\x1fgpu-node\x1f0.5': 16})
    careful = bigrocks('plan', 'slow.xml', *cluster, *known, '--no-lp', '--robust', '0.9', cwd=folder).stdout
    near(float(re.search(r'at their mean durations ([\d.]+) s', careful).group(1)), 16, 0.02)
    bigrocks('annotate', 'slow.xml', *cluster, *known, '-o', 'learned.xml', '-q', cwd=folder)
    near(stages(folder / 'learned.xml')['a'][0], 8, 0.02)
    assert stages(folder / 'learned.xml')['a'][1] == {'gpu': 1}, stages(folder / 'learned.xml')


def main():
    with tempfile.TemporaryDirectory(prefix='bigrocks-history') as folder:
        folder = pathlib.Path(folder)
        (folder / 'job.xml').write_text(JOB)
        probe = subprocess.run([BIGROCKS, 'annotate', folder / 'job.xml', '--history', folder / 'h'],
                               capture_output=True, text=True)
        if 'keeps no histories' in probe.stderr:
            print(probe.stderr)
            return 77
        check_measure(folder)
        check_runs(folder)
        check_names(folder)
        check_house(folder)
        check_plans(folder)
        check_far_off(folder)
        check_not_written(folder)
        check_queries(folder)
        check_failures(folder)
        check_ways(folder)
        check_sizes(folder)
    return 0


if __name__ == '__main__':
    sys.exit(main())
