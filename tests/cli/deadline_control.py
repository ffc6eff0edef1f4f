#!/usr/bin/env python3
"""Jobs with deadlines, from outside: policies of simulate, run --deadline, and deadline --beside.

deadline_control.py BIGROCKS WRITE_TABLE
"""
import csv
import io
import json
import pathlib
import re
import subprocess
import sys
import tempfile

PROGRAM, WRITE_TABLE = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
JOB = '''<job xmlns="urn:bigrocks:job:1" name="%s">
  <resource name="cpu"/>
  <stage id="map" tasks="400" duration="20"><demand resource="cpu" amount="1"/></stage>
  <stage id="mid" tasks="200" duration="30"><demand resource="cpu" amount="1"/></stage>
  <stage id="red" tasks="%d" duration="40"><demand resource="cpu" amount="1"/></stage>
  <edge from="map" to="mid" type="barrier"/>
  <edge from="mid" to="red" type="barrier"/>
</job>
'''
COMMANDS = '''<job xmlns="urn:bigrocks:job:1" name="short">
  <resource name="cpu"/>
  <stage id="a" tasks="12" duration="0.3"><demand resource="cpu" amount="1"/><command>sleep 0.3</command></stage>
</job>
'''


def run(*arguments, status=0, cwd=None):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, cwd=cwd)
    assert done.returncode == status, (arguments, done.returncode, done.stderr)
    return done.stderr if status else done.stdout


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


def simulate(folder, *more, form='json', status=0, tables='j.table', deadlines='1500'):
    return run('simulate', folder / 'w.xml', '--capacity', 'cpu=200', '--no-bounds', '-q', '-f', form, '--deadlines',
               deadlines, '--tables', folder / tables, '--errors', 'job=1.2:0.2,task=1:0.4', *more, status=status)


def loops_limit_what_runs(folder):
    """At a decision no more tasks run than were allowed before; and tokens x minutes are those of the rows."""
    rows = table(simulate(folder, '--policy', 'deadline', '--seeds', 3, form='allotments'))
    jobs = table(simulate(folder, '--policy', 'deadline', '--seeds', 3, form='csv'))
    assert len({row['tokens'] for row in rows}) > 5
    full = 0
    for job in jobs:
        own = [row for row in rows if (row['seed'], row['job']) == (job['seed'], job['job'])]
        times = [float(row['time']) for row in own] + [float(job['end'])]
        tokens = [int(row['tokens']) for row in own]
        assert times[0] == float(job['arrival']) and all(abs(b - a - 60) < 1e-6 for a, b in zip(times[:-2], times[1:-1]))
        for k in range(1, len(own)):
            assert int(own[k]['running']) <= max(tokens[:k]), own[k]
            full += int(own[k]['running']) == tokens[k - 1]
        minutes = sum(t * (b - a) / 60 for t, a, b in zip(tokens, times, times[1:]))
        assert abs(minutes - float(job['token_minutes'])) < 1e-5, (minutes, job)
        late = float(job['end']) - float(job['deadline'])
        assert abs(late - float(job['lateness'])) < 1e-6
    assert full > len(rows) / 2


def heights(path):
    """The points of a curve, downwards from the top."""
    return [float(point[0] or point[1]) for point in re.findall(r'[ML]\S+ ([\d.]+)|V([\d.]+)', path)]


def pictures_show_forecasts(folder):
    """On the right side of each job's row stand its deadline, the forecast and its 95 %, to one scale: seconds since the
    job came."""
    chosen = ('--policy', 'deadline', '--seeds', 1)
    rows = table(simulate(folder, *chosen, form='allotments'))
    arrival = {job['job']: float(job['arrival']) for job in table(simulate(folder, *chosen, form='csv'))}
    paths = re.findall(r'<path class="curve s\d.*? d="(M.*?)"/>', simulate(folder, *chosen, form='svg'))
    jobs = list(dict.fromkeys(row['job'] for row in rows))
    paths = paths[-7 * len(jobs):]
    for k, job in enumerate(jobs):
        own = [row for row in rows if row['job'] == job]
        since = [float(row['time']) - arrival[job] for row in own]
        wanted = ([float(row['deadline']) - arrival[job] for row in own],
                  [at + float(row['left_p95']) for at, row in zip(since, own)],
                  [at + float(row['left']) for at, row in zip(since, own)])
        drawn = [heights(path) for path in paths[7 * k + 4:7 * k + 7]]
        assert [len(curve) for curve in drawn] == [len(own)] * 3, drawn
        points = sorted((value, y) for values, curve in zip(wanted, drawn) for value, y in zip(values, curve))
        (low, bottom), (high, top) = points[0], points[-1]
        assert high > low and top < bottom, points
        for value, y in points:
            assert abs(y - (bottom + (top - bottom) * (value - low) / (high - low))) < 0.05, (job, value, y, points)


def variants_differ(folder):
    """A fixed allocation stays; the largest is the largest; none is late that has time enough."""
    found = {one['policy']: one for one in json.loads(simulate(
        folder, '--policy', 'deadline,deadline-fixed,deadline-amdahl,deadline-most,deadline-arbiter,fifo'))['results']}
    for name, one in found.items():
        assert (one['token_minutes'] is None) == (name == 'fifo'), one
        assert one['met'] + one['missed'] == one['deadlines'] == 3
    assert found['deadline-most']['token_minutes'] > found['deadline']['token_minutes']
    assert found['deadline']['mean_jct'] > found['deadline-most']['mean_jct'] >= found['fifo']['mean_jct']
    # What nobody else wants is used beyond what the loops give: all tokens at times, and jobs end earlier.
    spare, kept = (simulate(folder, '--policy', 'deadline', *more, form='allotments') for more in (['--spare'], []))
    assert any(int(row['running']) > int(row['tokens']) for row in table(spare)) and spare != kept
    ends, usual = (json.loads(simulate(folder, '--policy', 'deadline', *more))['results'][0] for more in (['--spare'], []))
    assert ends['missed'] <= usual['missed'] and ends['mean_jct'] < 0.9 * usual['mean_jct'], (ends, usual)
    fixed = table(simulate(folder, '--policy', 'deadline-fixed', form='allotments'))
    assert len({(row['job'], row['tokens']) for row in fixed}) == 3
    shared = table(simulate(folder, '--policy', 'deadline-arbiter', '--most-tokens', 30, form='allotments'))
    for row in shared:
        now = {}
        for other in shared:
            if float(other['time']) <= float(row['time']):
                now[other['job']] = int(other['tokens'])
        alive = {other['job'] for other in shared if float(other['time']) >= float(row['time'])}
        assert sum(tokens for job, tokens in now.items() if job in alive) <= 30, row


def deadlines_move(folder):
    """What is asked for rises or falls at the moment the deadline does, and not before."""
    kept = table(simulate(folder, '--policy', 'deadline', form='allotments'))
    for move, rises in (('600:900', True), ('600:6000', False)):
        moved = table(simulate(folder, '--policy', 'deadline', '--move-deadlines', move, form='allotments'))
        one, other = ([r for r in rows if r['job'] == '1'] for rows in (kept, moved))
        assert one[:10] == other[:10]
        at = next(r for r in other if float(r['time']) == 600)
        same = next(r for r in one if float(r['time']) == 600)
        assert (int(at['tokens']) > int(same['tokens'])) == rises and at['tokens'] != same['tokens']
        assert float(at['deadline']) == float(move.split(':')[1])


def bytes_are_equal(folder):
    for form in ('json', 'csv', 'allotments', 'svg', 'html', 'text'):
        assert len({simulate(folder, '--policy', 'deadline,deadline-arbiter', '--seeds', 2, '--threads', n, form=form)
                    for n in (1, 3)}) == 1, form
    assert 'Forecast of the end' in simulate(folder, '--policy', 'deadline', form='svg')
    assert 'Forecast of the end' not in simulate(folder, '--policy', 'fifo', form='svg')


def spare_tokens_make_way(folder):
    """On 60 cpu a job alone runs 60 tasks of about 20 s with --spare. When a second one comes in between, it waits for
    their ends, or takes back at once what it is given, from the tasks that began last; all tasks are done once."""
    run('workload', folder / 'j.xml', '--count', 2, '--arrivals', 'regular', '--interarrival', 95, '-o', folder / 'two.xml')
    def tasks(*more, threads=1, form='tasks'):
        return table(run('simulate', folder / 'two.xml', '--capacity', 'cpu=60', '--no-bounds', '-q', '-f', form, '--deadlines', 1500,
                         '--tables', folder / 'j.table', '--policy', 'deadline', '--threads', threads, *more))
    second = [row for row in tasks('--spare', '--evict-spare', form='allotments') if row['job'] == '2']
    given = int(second[0]['tokens'])
    kept, taken = tasks('--spare'), tasks('--spare', '--evict-spare')
    at_once = [[row for row in rows if row['job'] == '2' and row['start'] == second[0]['time']] for rows in (kept, taken)]
    assert 0 < len(at_once[1]) == given > len(at_once[0]), (given, [len(x) for x in at_once])
    gone = [row for row in taken if row['ended'] == 'evicted']
    assert gone and all(row['end'] == second[0]['time'] or row['job'] == '2' for row in gone), gone[:3]
    assert not [row for row in kept if row['ended'] != 'done']
    assert sum(row['ended'] == 'done' for row in taken) == len(kept)
    assert tasks('--spare', '--evict-spare', threads=3) == taken
    assert tasks('--evict-spare') == tasks()
    said = run('simulate', folder / 'halves.w.xml', '--cluster', folder / 'one.xml', '--policy', 'deadline', '--deadlines', 55,
               '--tables', folder / 'mixed.table', '--evict-spare', status=2)
    assert 'these tables have shares' in said, said


def shares_are_kept(folder):
    """Shares of a cluster of 4 cpu: four tasks of 10 s that take a half each, then eight that take a quarter. With 50 %
    that is 40 s + 40 s, with 75 % one of the first at once and three of the others, 40 s + 30 s, with all of it
    20 s + 20 s. A loop of tokens would let 50 tasks run, and a limit of two tasks takes 20 s + 40 s."""
    (folder / 'halves.xml').write_text('''<job xmlns="urn:bigrocks:job:1" name="halves">
  <resource name="cpu"/>
  <stage id="a" tasks="4" duration="10"><demand resource="cpu" amount="2"/></stage>
  <stage id="b" tasks="8" duration="10"><demand resource="cpu" amount="1"/></stage>
  <edge from="a" to="b" type="barrier"/>
</job>
''')
    cluster = folder / 'pool.xml'
    cluster.write_text('''<cluster xmlns="urn:bigrocks:cluster:1" name="pool">
  <machine class="node" count="2"><capacity resource="cpu" amount="2"/></machine>
</cluster>
''')
    run('deadline', folder / 'halves.xml', '--cluster', cluster, '--no-plan', '-q', '-o', folder / 'halves.table')
    run('deadline', folder / 'halves.xml', '--tokens', 9, '--no-plan', '-q', '-o', folder / 'tokens.table')
    plain = ['--slack', 1, '--dead-zone', 0]

    def go(deadline, *more, jobs=1, tables='halves.table', capacity=('--cluster', cluster), status=0, form='json'):
        run('workload', folder / 'halves.xml', '--count', jobs, '--arrivals', 'batch', '-o', folder / 'halves.w.xml')
        return run('simulate', folder / 'halves.w.xml', *capacity, '--no-bounds', '-q', '-f', form, '--deadlines', deadline,
                   '--tables', folder / tables, *plain, *more, status=status)
    for deadline, percent, end in ((85, 50, 80), (75, 75, 70), (45, 100, 40)):
        one = json.loads(go(deadline, '--policy', 'deadline-fixed'))['results'][0]
        assert abs(one['makespan'] - end) < 1e-6 and one['lateness'] == end - deadline, (deadline, one)
        assert abs(one['token_minutes'] - percent * end / 60) < 1e-6 and one['above_oracle'] is None, one
        assert {int(r['tokens']) for r in table(go(deadline, '--policy', 'deadline-fixed', form='allotments'))} == {percent}
    # Two that need 50 % each have the cluster for themselves in halves.
    both = json.loads(go(85, '--policy', 'deadline-fixed', jobs=2))['results'][0]
    assert abs(both['makespan'] - 80) < 1e-6 and both['met'] == 2, both
    # Under the arbiter one that comes first may use more than its half, but the other's is guaranteed.
    shared = table(go('200,85', '--policy', 'deadline-arbiter', jobs=2, form='csv'))
    assert all(float(row['lateness']) <= 0 and row['start'] == '0' for row in shared) and len(shared) == 2, shared
    given = table(go('200,85', '--policy', 'deadline-arbiter', jobs=2, form='allotments'))
    assert [int(row['tokens']) for row in given if row['time'] == '0'] == [50, 50], given
    # Five that take a half each beside three that take a quarter: with 75 % one of each at once, 50 s on one machine.
    (folder / 'halves.xml').write_text((folder / 'halves.xml').read_text().replace('"4" d', '"5" d').replace(
        '"8"', '"3"').replace('  <edge from="a" to="b" type="barrier"/>\n', ''))
    one_machine = folder / 'one.xml'
    one_machine.write_text(cluster.read_text().replace('count="2"', 'count="1"').replace('amount="2"', 'amount="4"'))
    run('deadline', folder / 'halves.xml', '--cluster', one_machine, '--no-plan', '-q', '-o', folder / 'mixed.table')
    one = json.loads(go(55, '--policy', 'deadline-fixed', tables='mixed.table', capacity=('--cluster', one_machine)))['results'][0]
    assert abs(one['makespan'] - 50) < 1e-6 and abs(one['token_minutes'] - 75 * 50 / 60) < 1e-6, one
    said = run('deadline', folder / 'halves.table', '--beside', '%s=100' % (folder / 'halves.table'), '--deadline', 100, *plain)
    assert 'fits: 50 of 100 percents of the cluster are left; earliest deadline 80 s' in said, said
    said = subprocess.run([PROGRAM, 'deadline', folder / 'halves.table', '--beside', '%s=100' % (folder / 'halves.table'),
                           '--deadline', '70', *map(str, plain)], capture_output=True, text=True)
    assert said.returncode == 1 and 'within 70 s: 75 percents of the cluster' in said.stdout, said
    assert 'not of the same kind' in run('deadline', folder / 'halves.table', '--beside', '%s=100' % (folder / 'tokens.table'),
                                         status=3)
    assert 'of another cluster' in go(55, '--policy', 'deadline', tables='mixed.table', status=3)


def faults_are_told(folder):
    damaged = bytearray((folder / 'j.table').read_bytes())
    damaged[len(damaged) // 2] ^= 1
    (folder / 'damaged.table').write_bytes(damaged)
    for more, tables, deadlines, status, said in (
            ([], 'other.table', '1500', 3, 'which the workload does not have'), ([], 'damaged.table', '1500', 3, ''),
            ([], 'nowhere.table', '1500', 5, ''), ([], 'j.table', '-1', 2, 'is not a number from 1e-09'),
            ([], 'j.table', '0', 2, 'is not a number from 1e-09'), ([], 'j.table', '1,2', 2, 'names 2 times'),
            (['--slack', '0.9'], 'j.table', '1', 2, 'slack'), (['--hysteresis', '0'], 'j.table', '1', 2, 'hysteresis'),
            (['--period', '0'], 'j.table', '1', 2, 'period'), (['--on-time', '2'], 'j.table', '1', 2, 'on-time'),
            (['--move-deadlines', '60:30'], 'j.table', '1', 2, 'into the past'),
            (['--planned'], 'j.table', '1', 2, 'planned order')):
        text = simulate(folder, '--policy', 'deadline', '-o', folder / 'never', *more, status=status, tables=tables,
                        deadlines=deadlines)
        assert said in text and not (folder / 'never').exists(), (more, text)
    assert 'no job has a deadline' in run('simulate', folder / 'w.xml', '--capacity', 'cpu=9', '--policy', 'deadline',
                                          status=2)


def runs_keep_to_the_limit(folder):
    def go(*more, status=0):
        done = subprocess.run([PROGRAM, 'run', folder / 'short.xml', '--capacity', 'cpu=32', '--table',
                               folder / 'short.table', *map(str, more)], capture_output=True, text=True)
        assert done.returncode == status, done
        return done.stderr
    said = go('--deadline', 2.4, '--dead-zone', 0, '--trace', folder / 'trace.csv')
    told = re.findall(r'on time with probability (\d+) %.* (\d+) tasks at once', said)
    assert told and 'the deadline is met' in said, said
    most = most_at_once(folder / 'trace.csv')
    assert 1 < int(told[0][1]) < 12 and most == int(told[0][1]), (most, told)
    for more, said in ((['--deadline', 0], 'is past'), (['--deadline', '2001-01-01T00:00'], 'is past'),
                       (['--deadline', 'soon'], 'is no time'), ([], 'add --deadline'),
                       (['--deadline', 9, '--simulate'], 'real run')):
        assert said in go(*more, status=2), more
    assert 'another job' in run('run', folder / 'short.xml', '--capacity', 'cpu=2', '--deadline', 9, '--table',
                                folder / 'j.table', status=3)
    assert 'names 3 times, and there are 1 jobs' in go('--deadline', '9,9,9', status=2)
    assert 'goes without' in go('--deadline', 9, '--utility', '0:1,9:1,10:0', status=2)


def most_at_once(path, job='', before=1e9):
    """The most tasks that ran at once, of all jobs or of one, of those that started before some time."""
    moments = sorted(moment for row in csv.DictReader(open(path)) if job in row['job'] and float(row['start']) < before
                     for moment in ((float(row['start']), 1), (float(row['end']), -1)))
    most = running = 0
    for _, step in moments:
        running += step
        most = max(most, running)
    return most


def runs_make_their_tables(folder):
    """Without --table: for as many tasks at once as the cluster holds, from durations or a history. A stage that
    the cluster holds less of counts as it is held: 2 tasks of 0.3 s at once are 1.8 s whatever the tokens."""
    def go(job, *more, status=0):
        done = subprocess.run([PROGRAM, 'run', folder / job, '--dead-zone', '0', *map(str, more)], capture_output=True,
                              text=True)
        assert done.returncode == status, done
        return done.stderr
    said = go('short.xml', '--capacity', 'cpu=2', '--deadline', 90)
    assert re.search(r'made the table of \S*short.xml in \d+\.\d s: 2 allocations, 1000 runs for each', said), said
    assert 'the deadline is met' in said
    (folder / 'wide.xml').write_text(COMMANDS.replace('"short"', '"wide"').replace('<edge', '').replace('</job>', '''
  <stage id="b" tasks="12" duration="0.3"><demand resource="cpu" amount="4"/><command>true</command></stage>
  <edge from="a" to="b" type="barrier"/>
</job>'''))
    said = go('wide.xml', '--capacity', 'cpu=8', '--deadline', 90)
    assert ': 8 allocations' in said, said
    left = re.search(r'until the deadline, (\S+) s left on average with (\d+) tasks at once', said)
    # With 1 token 7.2 s, and the deadline is far.
    assert left.group(2) == '1' and abs(float(left.group(1)) - 7.2) < 0.11, said # cut, not rounded
    said = go('wide.xml', '--capacity', 'cpu=8', '--deadline', 0.01, status=0)
    left = re.search(r'(\S+) s left on average with (\d+) tasks at once', said)
    # With all: 12 of 8 at once are 0.6 s, then 12 of 2 at once 1.8 s.
    assert abs(float(left.group(1)) - 2.4) < 0.11, said
    (folder / 'nothing.xml').write_text(COMMANDS.replace('duration="0.3"', ''))
    assert 'nothing says how long' in go('nothing.xml', '--capacity', 'cpu=2', '--deadline', 9, status=3)
    # What a history has measured counts before what is declared.
    (folder / 'taught.xml').write_text(COMMANDS.replace('duration="0.3"', 'duration="50"'))
    history = folder / 'h.db'
    if 'no SQLite' not in run('--version'):
        go('taught.xml', '--capacity', 'cpu=12', '--history', history, '--deadline', 9999)
        said = go('taught.xml', '--capacity', 'cpu=12', '--history', history, '--deadline', 9999)
        assert float(re.search(r'(\S+) s left on average', said).group(1)) < 50, said


def several_share(folder):
    """Two jobs under one deadline each: each runs at most what it was told last, together no more than fits."""
    # Declared a hundred times as long as they are, so that no slow machine makes them late.
    for name in ('brief', 'long'):
        (folder / (name + '.xml')).write_text(COMMANDS.replace('"short"', '"%s"' % name).replace('0.3"', '30"'))
    done = subprocess.run([PROGRAM, 'run', folder / 'brief.xml', folder / 'long.xml', '--capacity', 'cpu=12', '--deadline',
                           '240,480', '--dead-zone', '0', '--trace', folder / 'both.csv'], capture_output=True, text=True)
    assert done.returncode == 0, done
    said = done.stderr
    told = {name: int(tokens) for name, tokens in reversed(re.findall(
        r'/(brief|long).xml: on time with probability \d+ %.* (\d+) tasks at once', said))} # the first of each
    assert told['long'] < told['brief'] < 12 and sum(told.values()) <= 12, said
    rows = list(csv.DictReader(open(folder / 'both.csv')))
    # With the end of the first one all is decided anew.
    end = max(float(row['end']) for row in rows if 'brief.xml' in row['job'])
    for name, tokens in told.items():
        assert most_at_once(folder / 'both.csv', name + '.xml', end) == tokens, (name, tokens, said)
    assert said.count('the deadline is met') == 2, said
    # Tables are told apart by the jobs that they are of.
    text = run('run', folder / 'short.xml', folder / 'j.xml', '--capacity', 'cpu=2', '--deadline', 9, '--table',
               '%s,%s' % (folder / 'j.table', folder / 'other.table'), status=3)
    assert 'other.table' in text and 'another job' in text, text


def most_cpu(path, demand):
    """The most cpu that ran at once, of tasks that demand so much by the first letter of their stage."""
    moments = sorted(moment for row in csv.DictReader(open(path)) for moment in (
        (float(row['start']), demand[row['task'][0]]), (float(row['end']), -demand[row['task'][0]])))
    used = 0
    return max(used := used + step for _, step in moments)


def real_runs_keep_shares(folder):
    """A table of shares of the run's cluster: tasks that run demand at most what was told, and what simulate gives. Tasks
    of 2 and of 1 of 8 cpu are declared fifty times as long as they are, so that one decision holds for all."""
    def stage(name, tasks, cpu):
        return ('<stage id="%s" tasks="%d" duration="10"><demand resource="cpu" amount="%d"/><command>sleep 0.2</command>'
                '</stage>' % (name, tasks, cpu))
    def job(name, *stages):
        path = folder / (name + '.xml')
        path.write_text('<job xmlns="urn:bigrocks:job:1" name="%s"><resource name="cpu"/>%s</job>' % (name, ''.join(stages)))
        run('deadline', path, '--cluster', cluster, '--no-plan', '-q', '-o', folder / (name + '.table'))
        return path
    cluster, plain = folder / 'eight.xml', ['--slack', 1, '--dead-zone', 0]
    cluster.write_text('<cluster xmlns="urn:bigrocks:cluster:1" name="eight"><machine class="m"><capacity resource="cpu" '
                       'amount="8"/></machine></cluster>')
    mixed = job('mixed', stage('a', 8, 2), stage('b', 16, 1))
    run('workload', mixed, '--count', 1, '--arrivals', 'batch', '-o', folder / 'mixed.w.xml')

    def go(*more, status=0, jobs=(mixed,)):
        done = subprocess.run([PROGRAM, 'run', *jobs, *map(str, (*plain, *more))], capture_output=True, text=True)
        assert done.returncode == status, done
        return done.stderr
    seen = set()
    for deadline in (60, 100, 170):
        given = table(run('simulate', folder / 'mixed.w.xml', '--cluster', cluster, '--no-bounds', '-q', '-f', 'allotments',
                          '--deadlines', deadline, '--tables', folder / 'mixed.table', '--policy', 'deadline', *plain))
        percent = int(given[0]['tokens'])
        said = go('--cluster', cluster, '--deadline', deadline, '--table', folder / 'mixed.table', '--trace',
                  folder / 'mixed.csv')
        assert 'on average with %d %% of the cluster' % percent in said and 'the deadline is met' in said, (percent, said)
        assert percent * 0.08 - 1 < most_cpu(folder / 'mixed.csv', {'a': 2, 'b': 1}) <= percent * 0.08, percent
        assert len(list(csv.DictReader(open(folder / 'mixed.csv')))) == 24
        seen.add(percent)
    assert len(seen) == 3 and max(seen) < 100, seen
    # Tasks of 5 of 8 cpu: two jobs of them have no room beside each other, so one waits until the other has ended.
    big = [job(name, stage(name[3:], 3, 5)) for name in ('bigone', 'bigtwo')]
    said = go('--cluster', cluster, '--deadline', '300,300', '--table', ','.join(str(folder / (b.stem + '.table')) for b in big),
              '--trace', folder / 'big.csv', jobs=big)
    assert len(re.findall(r'on average with the least that it can have, for which it waits', said)) == 1, said
    assert said.count('the deadline is met') == 2, said
    rows = list(csv.DictReader(open(folder / 'big.csv')))
    ends = [(min(float(r['start']) for r in rows if name in r['job']), max(float(r['end']) for r in rows if name in r['job']))
            for name in ('bigone', 'bigtwo')]
    assert len(rows) == 6 and min(ends)[1] <= max(ends)[0], ends
    # A table that is missing is one of shares, too.
    said = go('--cluster', cluster, '--deadline', '300', '--table', folder / 'mixed.table', jobs=(mixed, big[0]))
    assert 'made the table of' in said and said.count('% of the cluster') >= 2 and 'tasks at once' not in said, said
    run('deadline', mixed, '--tokens', 4, '--no-plan', '-q', '-o', folder / 'tokens.table')
    assert 'some tables have tokens as allocations, and others shares' in go(
        '--cluster', cluster, '--deadline', 300, '--table', '%s,%s' % (folder / 'bigone.table', folder / 'tokens.table'),
        status=3, jobs=(mixed, big[0]))
    assert "its shares are of another cluster ('eight')" in go(
        '--capacity', 'cpu=9', '--deadline', 300, '--table', folder / 'mixed.table', status=3)


def share_within(levels, left, room):
    if room < left[0]:
        return 0
    for k in range(1, len(left)):
        if room < left[k]:
            return levels[k - 1] + (levels[k] - levels[k - 1]) * (room - left[k - 1]) / (left[k] - left[k - 1])
    return 1


def told_again_by_five_points(folder):
    """The probability is told at the start, and then at every change of five points, and at no lesser one. Tasks declare
    11 days with a spread and end at once, so that the probability depends on how many are done, and not on the clock."""
    tasks = 24
    (folder / 'told.xml').write_text('''<job xmlns="urn:bigrocks:job:1" name="told">
  <resource name="cpu"/>
  <stage id="a" tasks="%d" duration="1000000" spread="0.6"><demand resource="cpu" amount="1"/><command>sleep 0.22</command></stage>
</job>''' % tasks)
    run('deadline', folder / 'told.xml', '--tokens', 1, '--runs', 400, '--no-plan', '-q', '-o', folder / 'told.table')
    cells = table(run('deadline', '--show', folder / 'told.table', '-f', 'csv'))
    levels = [float(name[1:]) for name in cells[0] if name.startswith('q')]
    def number(cell):
        return [float(value) for name, value in cell.items() if name.startswith('q')]
    start, rest = number(cells[0]), [(float(cell['progress']), number(cell)) for cell in cells[1:]]
    deadline = 22e6
    def probability(done):
        p = done / tasks
        k = min(int(p * len(rest)), len(rest) - 1)
        k -= p < rest[k][0] and k > 0
        (low, a), (high, b) = rest[k], rest[min(k + 1, len(rest) - 1)]
        part = min(max((p - low) / (high - low), 0), 1) if high > low else 0
        return share_within(levels, [x + (y - x) * part for x, y in zip(a, b)], deadline)
    shares = [share_within(levels, start, deadline)] + [probability(done) for done in range(tasks)]
    expected, last = [], None
    for share in shares:
        if last is None or abs(share - last) >= 0.05 - 1e-9:
            last = share
            expected.append(share)
    assert len(expected) >= 6, expected
    # A machine that stands still for a moment may see two tasks end at once. Not every time.
    for _ in range(8):
        done = subprocess.run([PROGRAM, 'run', folder / 'told.xml', '--capacity', 'cpu=1', '--table', folder / 'told.table',
                               '--deadline', str(deadline), '--dead-zone', '0', '--period', '0.01'], capture_output=True,
                              text=True)
        assert done.returncode == 0, done
        told = [int(x) for x in re.findall(r'on time with probability (\d+) %', done.stderr)]
        assert all(abs(a - b) >= 4 for a, b in zip(told, told[1:])), told
        # Rounded to percents. The end of all may come before the next decision, or after it.
        if len(told) - len(expected) in (0, 1) and all(abs(a - 100 * b) <= 1 for a, b in zip(told, expected)):
            return
    raise AssertionError((expected, told))


def utilities_count(folder):
    """A utility takes the place of a deadline, and its deadline is the last time up to which nothing is lost."""
    def go(*more, **named):
        return run('simulate', folder / 'w.xml', '--capacity', 'cpu=200', '--no-bounds', '-q', '-f', 'allotments', '--tables',
                   folder / 'j.table', '--errors', 'job=1.2:0.2,task=1:0.4', '--policy', 'deadline', *more, **named)
    same = '0:1,1500:1,2100:-1,61500:-1000'
    assert go('--utility', same) == go('--deadlines', 1500)
    assert go('--utility', '/'.join([same] * 3)) == go('--deadlines', 1500)
    assert go('--utility', '0:1,1500:1,9000:-1') != go('--deadlines', 1500)
    # Where less is lost by coming late than counts, nobody asks for more than the least.
    lax = table(go('--utility', '0:1,1:1,100000:0.9999995'))
    assert {row['tokens'] for row in lax} == {'1'}, lax[:3]
    for more, said in ((['--utility', '0:1,10:2'], 'rises at point 2'), (['--utility', '0:1,9:1'], 'has no deadline'),
                       (['--utility', '9:1,8:0'], 'is not after the one before'), (['--utility', '0:1,x'], "'x' is not two numbers"),
                       (['--utility', same + '/' + same], 'has 2 of them, and there are 3 jobs'),
                       (['--utility', same, '--deadlines', '9'], 'goes without'),
                       (['--utility', same, '--move-deadlines', '9:99'], 'goes without')):
        assert said in go(*more, '-o', folder / 'never', status=2) and not (folder / 'never').exists(), more
    ask = ['deadline', folder / 'j.table', '--beside', '%s=910' % (folder / 'other.table'), '--slack', '1', '--dead-zone', '0',
           '--on-time', '1']
    assert run(*ask, '--utility', '0:1,910:1,2000:0') == run(*ask, '--deadline', 910)
    assert 'rises' in run(*ask, '--utility', '0:1,910:2', status=2)
    assert 'add --beside' in run('deadline', folder / 'j.xml', '--utility', '0:1,910:0', status=2)
    done = subprocess.run([PROGRAM, 'run', folder / 'short.xml', '--capacity', 'cpu=12', '--table', folder / 'short.table',
                           '--utility', '0:1,2.4:1,3:-9', '--dead-zone', '0'], capture_output=True, text=True)
    assert done.returncode == 0 and '2.4 s until the deadline' in done.stderr, done
    assert 'rises' in run('run', folder / 'short.xml', '--capacity', 'cpu=2', '--utility', '0:1,5:2', status=2)


def jobs_fit_or_do_not(folder):
    """With a tokens this job takes 1.2 (90 + 15,910 / a) s at most, the other 1.2 (90 + 17,910 / a)."""
    def ask(beside, *more, status=0):
        done = subprocess.run([PROGRAM, 'deadline', folder / 'j.table', '--beside', beside, '--slack', '1', '--dead-zone',
                               '0', '--on-time', '1', *map(str, more)], capture_output=True, text=True)
        assert done.returncode == status, done
        return done.stdout + done.stderr
    other = folder / 'other.table'
    said = ask('%s=910' % other, '--deadline', 910)
    assert ': 27 tokens' in said and ': 24 tokens' in said and 'fits: 73 of 100' in said, said
    assert 'earliest deadline 370 s' in said, said # 369.5 with 73 tokens
    assert 'does not fit' in ask('%s=910' % other, '--deadline', 369, status=1)
    assert 'fits' in ask('%s=910' % other, '--deadline', 370)
    assert 'do not fit' in ask('%s=300,%s=300' % (other, other), status=1)
    assert '50 % done: 13 tokens' in ask('%s=910@0.5' % other)
    for beside, said in ((other, 'does not say'), ('%s=0' % other, 'is past'), ('%s=9@2' % other, 'does not say')):
        assert said in ask(beside, status=2)


def main():
    with tempfile.TemporaryDirectory(prefix='bigrocks-deadline') as scratch:
        folder = pathlib.Path(scratch)
        for name, text in (('j', JOB % ('etl', 50)), ('other', JOB % ('other', 100)), ('short', COMMANDS)):
            (folder / (name + '.xml')).write_text(text)
            subprocess.run([WRITE_TABLE, folder / (name + '.xml'), folder / (name + '.table')], check=True)
        run('workload', folder / 'j.xml', '--count', 3, '--arrivals', 'regular', '--interarrival', 300, '-o',
            folder / 'w.xml')
        loops_limit_what_runs(folder)
        pictures_show_forecasts(folder)
        variants_differ(folder)
        deadlines_move(folder)
        bytes_are_equal(folder)
        shares_are_kept(folder)
        spare_tokens_make_way(folder)
        faults_are_told(folder)
        runs_keep_to_the_limit(folder)
        runs_make_their_tables(folder)
        several_share(folder)
        real_runs_keep_shares(folder)
        told_again_by_five_points(folder)
        utilities_count(folder)
        jobs_fit_or_do_not(folder)
    print('kept to their deadlines')


if __name__ == '__main__':
    main()
