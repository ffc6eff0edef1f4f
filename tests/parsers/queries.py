#!/usr/bin/env python3
"""Plans that PostgreSQL itself writes, by a server of this test's own: all forms of a query give the same job.

queries.py BIGROCKS

Without ANALYZE the forms say the same, so that jobs are compared as they are. With it each form is another run: the
forms but JSON are given JSON's times and amounts of memory, node by node, before their jobs are compared.
"""
import itertools
import json
import os
import pathlib
import pwd
import re
import shutil
import subprocess
import sys
import tempfile

TABLES = """
create table parts as select i as id, i % 7 as kind, 'part ' || i as name from generate_series(1, 4000) i;
create table lines as select i as id, i % 4000 + 1 as part, i % 1000 + 1 as ord, (i * 7) % 100 as amount
    from generate_series(1, 30000) i;
create table "orders b" as select i as id, i % 300 as customer, date '2026-01-01' + i % 365 as day
    from generate_series(1, 1000) i;
create index on "orders b"(id);
create index on parts(id);
create index on lines(part);
create table kinds(kind int primary key);
insert into kinds select i from generate_series(0, 6) i;
create table marks(id int, kind int references kinds);
create function mark() returns trigger language plpgsql as $$ begin return new; end $$;
create trigger early before insert on marks for each row execute function mark();
create trigger late after insert on marks for each row execute function mark();
analyze;
"""
PARALLEL = 'set min_parallel_table_scan_size = 0; set parallel_setup_cost = 0; set parallel_tuple_cost = 0; '
QUERIES = [
    # An aggregate in several processes, a CTE with two readers, one of them an InitPlan, hash joins and a top-n sort.
    PARALLEL + """with sums as materialized (select part, sum(amount) s from lines group by part)
    select o.day, count(*), (select max(s) from sums) from lines l join parts p on p.id = l.part
    join "orders b" o on o.id = l.ord join sums on sums.part = p.id where p.kind = 3
    group by o.day order by 2 desc limit 5""",
    # A SubPlan for each row, an InitPlan without a CTE, a sort that goes to disk, a merge join.
    "set work_mem = '64kB'; set enable_hashjoin = off; set enable_nestloop = off; "
    """select l.id, (select name from parts p where p.id = l.part and p.kind > l.amount) from lines l
    join "orders b" o on o.id = l.ord where l.amount > (select avg(amount) from lines) order by l.amount, l.id""",
    # Set operations, a window, a recursive CTE, values and functions, a lateral join with a limit, what never runs.
    """with recursive w(n) as (values (1) union all select n + 1 from w where n < 50)
    select * from (select id, row_number() over (partition by kind order by id) from parts except
    select n, n from w union select id, 1 from "orders b" cross join lateral
    (select 1 from lines where ord = customer limit 1) x) u where false or id > 2""",
    # A change with a result, and what is asked for in vain.
    # Triggers before and after, and those of a foreign key.
    'insert into marks select id, kind from parts where id < 900',
    'with gone as (delete from parts where id < 0 returning id as gone) select * from gone join lines on gone = part',
]
# A sort that is done anew for every row of another table, with the plan and with what came of it.
ANEW = """select p.name, x.amount from parts p cross join lateral
    (select amount from lines where part = p.id order by amount limit 2) x where p.kind = 3"""
FORMS = ('text', 'json', 'yaml', 'xml')


class Server:
    def __init__(self, folder, settings=None):
        self.folder = folder
        # Estimates stay as they are: nothing gathers statistics meanwhile.
        self.settings = {'listen_addresses': "''", 'fsync': 'off', 'jit': 'off', 'autovacuum': 'off', **(settings or {})}
        places = sorted(pathlib.Path('/usr/lib/postgresql').glob('*/bin/initdb')) or [shutil.which('initdb')]
        if not places[-1] or not shutil.which('psql'):
            print('PostgreSQL is not installed')
            sys.exit(77)
        self.programs = pathlib.Path(places[-1]).parent
        self.own = {}
        if os.getuid() == 0:  # it does not run as root
            self.own = {'user': 'postgres', 'group': 'postgres', 'extra_groups': []}
            os.chown(folder, pwd.getpwnam('postgres').pw_uid, -1)

    def program(self, name, *words):
        done = subprocess.run([self.programs / name, '-D', self.folder / 'data', *words], text=True, cwd=self.folder,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, **self.own)
        assert done.returncode == 0, done.stdout

    def __enter__(self):
        self.program('initdb', '-A', 'trust', '-N', '--no-locale', '-E', 'UTF8', '-U', 'tester')
        self.program('pg_ctl', '-w', '-l', self.folder / 'log', '-o',
                     ' '.join([f'-k {self.folder}', *(f'-c {name}={value}' for name, value in self.settings.items())]), 'start')
        return self

    def __exit__(self, *_):
        self.program('pg_ctl', '-w', '-m', 'immediate', 'stop')

    def psql(self, script, *words):
        done = subprocess.run(['psql', '-q', '-X', '-h', self.folder, '-U', 'tester', '-v', 'ON_ERROR_STOP=1', *words,
                               'postgres'], input=script, text=True, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout


def explain(server, query, options, *words):
    *settings, query = query.rsplit('; ', 1) if query.startswith('set ') else [query]
    return server.psql('%s; begin; explain (settings%s) %s; rollback;' %
                       (''.join(settings) or 'select', options, query), *(words or ('-A', '-t')))


class Jobs:
    def __init__(self, bigrocks, folder):
        self.bigrocks, self.folder = bigrocks, folder

    def run(self, text, *words):
        path = self.folder / 'query.plan'
        path.write_text(text)
        return subprocess.run([self.bigrocks, *words, path], text=True, capture_output=True, check=False)

    def of(self, text):
        done = self.run(text, 'convert', '--format', 'xml')
        assert done.returncode == 0, '%s\n%s' % (done.stderr, text)
        return done.stdout


def nodes(plan):
    """All nodes in the order of the text."""
    yield plan
    for child in plan.get('Plans', []):
        yield from nodes(child)


def replace(text, pattern, values):
    """The i-th place of the pattern gets the i-th value; there must be as many."""
    values = list(values)
    assert len(re.findall(pattern, text)) == len(values), (pattern, len(values), text)
    return re.sub(pattern, lambda _: values.pop(0), text)


def same_times(form, text, measured):
    """The text with the times that the plan in JSON has, and 1 kB wherever it says how much memory."""
    found = list(nodes(measured[0]['Plan']))
    if form == 'text':
        ran = [n for n in found if n['Actual Loops']]
        text = replace(text, r'actual time=\S+ rows=[\d.]+ loops=\d+',
                       ['actual time=%.3f..%.3f rows=1 loops=%d' %
                        (n['Actual Startup Time'], n['Actual Total Time'], n['Actual Loops']) for n in ran])
        text = replace(text, r'(?<=: time=)\S+', [str(t['Time']) for t in measured[0]['Triggers']])
        text = replace(text, r'(?<=Execution Time: )\S+', [str(measured[0]['Execution Time'])])
        return re.sub(r'(Memory|Disk|Memory Usage): \d+kB', r'\1: 1kB', text)
    for name in ('Actual Startup Time', 'Actual Total Time', 'Actual Loops') if form != 'json' else ():
        values = [str(n[name]) for n in found]
        tag = name.replace(' ', '-')
        if form == 'xml':
            text = replace(text, f'<{tag}>[^<]*</{tag}>', [f'<{tag}>{v}</{tag}>' for v in values])
        else:
            text = replace(text, f'{name}: .*', [f'{name}: {v}' for v in values])
    for tag, values in (('Time', [t['Time'] for t in measured[0]['Triggers']]),
                        ('Execution.Time', [measured[0]['Execution Time']])) if form != 'json' else ():
        pattern = r'(?<=<%s>)[^<]*' if form == 'xml' else r'(?m)(?<=^ {%d}%%s: ).*' % (6 if tag == 'Time' else 2)
        text = replace(text, pattern % tag, map(str, values))
    return re.sub(r'(Sort.Space.Used|Peak.Memory.Usage)(>|: |": )\d+', r'\g<1>\g<2>1', text)


def check_forms(server, jobs, query):
    plain = {form: jobs.of(explain(server, query, ', format ' + form)) for form in FORMS}
    for form in FORMS:
        assert plain[form] == plain['json'], '\n'.join((query, form, plain[form], plain['json']))
    assert 'value="estimated' in plain['json']
    text = explain(server, query, ', analyze, format json')
    measured = json.loads(text)
    wanted = jobs.of(same_times('json', text, measured))
    for form in ('text', 'yaml', 'xml'):
        found = jobs.of(same_times(form, explain(server, query, ', analyze, format ' + form), measured))
        assert found == wanted, '%s\nby %s:\n%s\nby JSON:\n%s' % (query, form, found, wanted)
    return wanted


# Of all that psql draws, every which one is tried.
STEP = 100 // max(1, min(100, int(os.environ.get('BIGROCKS_TEST_SHARE') or 100)))
WRAPPED = ['-P', 'format=wrapped', '-P', 'columns=40']


def frames():
    """All that psql draws: borders and styles of lines, each also expanded and broken to fit a terminal."""
    yield from (['-A'], ['--csv'])
    styles = [['-P', 'linestyle=' + style] for style in ('ascii', 'old-ascii', 'unicode')]
    for places in itertools.product(('single', 'double'), repeat=3):
        styles.append(['-P', 'linestyle=unicode', *itertools.chain.from_iterable(
            ('-P', 'unicode_%s_linestyle=%s' % pair) for pair in zip(('border', 'column', 'header'), places))])
    for style in styles:
        for border in '012':
            for expanded in [], ['-x']:
                # Nothing marks what the old style breaks.
                for wrapped in ([], WRAPPED) if 'old' not in style[1] else ([],):
                    yield [*expanded, *wrapped, *style, '-P', 'border=' + border]


def check_tables(server, jobs, query):
    """Whatever psql draws around it."""
    wanted = jobs.of(explain(server, query, ''))
    for form in FORMS:
        for words in itertools.islice(frames(), 0, None, STEP):
            text = explain(server, query, ', format ' + form, '-P', 'pager=off', *words)
            assert jobs.of(text) == wanted, '%s %s\n%s' % (form, words, text)
    for page in 'html', 'latex', 'asciidoc', 'troff-ms', 'latex-longtable':
        text = explain(server, query, '', '-P', 'format=' + page)
        for words in ['plan', '--capacity', 'cpu=1'], ['import', 'queries']:
            done = jobs.run(text, *words)
            assert done.returncode == 3 and 'write it by psql -P format=aligned' in done.stderr, (page, done)


def check_anew(server, jobs):
    """The planner's costs tell it as well as the loops do."""
    for options in '', ', analyze':
        job = jobs.of(explain(server, ANEW, options))
        assert job.count('<stage') == 1 and 'Sort, Limit, Nested Loop' in job, job


def check_logs(server, jobs):
    """What auto_explain tells a client between its rows, and the server's log between its lines, are EXPLAIN's plans."""
    wanted = jobs.of(explain(server, QUERIES[2], '') + explain(server, ANEW, ''))
    for form in FORMS:
        before = len((server.folder / 'log').read_text())
        script = ("load 'auto_explain'; set auto_explain.log_format = %s; set auto_explain.log_min_duration = 0; "
                  "set client_min_messages = log;\n%s;\n%s;\nset auto_explain.log_min_duration = -1; select 1/0;")
        done = subprocess.run(['psql', '-q', '-X', '-h', server.folder, '-U', 'tester', 'postgres'], text=True, check=True,
                              input=script % (form, QUERIES[2], ANEW), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        logged = (server.folder / 'log').read_text()[before:] + 'the last line\n'
        assert logged.count('plan:\n\t') == 2 == done.stdout.count('plan:\n') and '\n\t' not in done.stdout, logged
        for text in done.stdout, logged:
            assert jobs.of(text) == wanted, '%s\n%s\n%s' % (text, jobs.of(text), wanted)


def main():
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        scratch.chmod(0o755)
        jobs = Jobs(sys.argv[1], scratch)
        (scratch / 'server').mkdir()
        with Server(scratch / 'server') as server:
            server.psql(TABLES)
            seen = ''.join(check_forms(server, jobs, query) for query in QUERIES)
            # The queries are what they were made for.
            for word in ('tasks="3"', 'Hash', 'Sort', 'CTE Scan on sums', 'SetOp', 'WorkTable Scan on w',
                         'ModifyTable', 'Merge Join', 'WindowAgg', '"mem"',
                         'Trigger marks_kind_fkey', 'Trigger late'):
                assert word in seen, word
            check_anew(server, jobs)
            check_logs(server, jobs)
            for query in QUERIES[:1]:
                check_tables(server, jobs, query)
            several = ''.join(explain(server, query, '', '-P', 'pager=off') for query in QUERIES)
            assert 'id="q4.p1"' in jobs.of(several)


if __name__ == '__main__':
    main()
