#!/usr/bin/env python3
"""Plans of queries as servers, psql and people write them, and what comes of them."""
import json
import re

import case


def figures(total, loops=1, first='0.010'):
    return '(cost=0.00..9.00 rows=9 width=4) (actual time=%s..%s rows=9 loops=%d)' % (first, total, loops)


def call(text, *words):
    return case.bigrocks(*words, '-', input=text)


def stages(text, *words, form='postgres'):
    """Of each stage: what it runs, its tasks' durations in ms, its amounts."""
    done = call(text, 'convert', '--from', form, '--format', 'xml', *words)
    assert done.returncode == 0, (done, text)
    found = []
    for body in re.findall(r'<stage id=(.*?)</stage>', done.stdout, re.S):
        tasks, each = int(re.search(r'tasks="(\d+)"', body)[1]), float(re.search(r' duration="([^"]*)"', body)[1])
        took = [each * 1e3] * tasks
        for index, own in re.findall(r'<task index="(\d+)" duration="([^"]*)"', body):
            took[int(index)] = float(own) * 1e3
        found.append((re.search(r'"operators" value="([^"]*)"', body)[1], [round(t, 3) for t in took],
                      dict(re.findall(r'resource="(\w+)" amount="([^"]*)"', body))))
    return found


def times(text, *words, **form):
    return [(name, took) for name, took, _ in stages(text, *words, **form)]


def seconds(text, *words, form='postgres'):
    done = call(text, 'plan', '--from', form, '--format', 'json', *words)
    assert done.returncode == 0, done
    return json.loads(done.stdout)['makespan'], done.stderr


SORT = ['Sort  ' + figures('31.000', first='30.000'), '  Sort Key: k',
        '  ->  Seq Scan on things  ' + figures('25.000'), 'Execution Time: 31.500 ms']
SORTED = [('Seq Scan on things, Sort', [30]), ('result', [1])]


# ---- What is drawn and written around a plan ----

def frames():
    width = max(map(len, SORT))
    for top, bar, head, foot in ('┌─┐', '│', '╞═╡', '└─┘'), ('╔═╗', '║', '╟─╢', '╚═╝'), ('┌─┐', '│', '├─┤', '└─┘'):
        rule = [ends[0] + ends[1] * (width + 2) + ends[2] for ends in (top, head, foot)]
        rows = [bar + ' ' + line.ljust(width) + ' ' + bar for line in SORT]
        yield '\n'.join([rule[0], bar + 'QUERY PLAN'.center(width + 2) + bar, rule[1], *rows, rule[2], '(4 rows)', ''])
    yield '\n'.join(['QUERY PLAN'.ljust(width) + '|', '-' * width + '+', *(line.ljust(width) + '|' for line in SORT), ''])
    yield '\n'.join([SORT[0], *(' ' + line for line in SORT[1:]), ''])  # copied from its first letter on
    yield '\n'.join("'%s'" % line for line in SORT) + '\n'
    yield '\n'.join('"%s"' % line for line in SORT) + '\n'
    for comment in '-- from a ticket', '-' * (width + 2), '# mine', '/* two\n   lines */', '// one':
        yield '\n'.join([comment, *SORT, ''])
    yield '\n'.join('> ' + line for line in SORT) + '\n'
    yield '\n'.join('>> ' + line for line in SORT) + '\n'
    yield '\n'.join('> > ' + line for line in SORT) + '\n'
    yield '\n'.join("> '%s'" % line for line in SORT) + '\n'
    for numbered in '%d. %s', '%d: %s', '%3d| %s':
        lines = [numbered % (k + 1, line) for k, line in enumerate(SORT[:3])]
        yield '\n'.join(['QUERY PLAN', *lines, SORT[3], ''])
        yield '\n'.join([*lines, ''])
    for width in 61, 83:  # a terminal has broken it
        text = '\n'.join(['  QUERY PLAN'.ljust(100), '-' * 100, *(' ' + line for line in SORT), '(4 Zeilen)'])
        yield '\n'.join(part for line in text.split('\n') for part in re.findall('.{1,%d}' % width, line)) + '\n'
    for tabs in '\t', '\t\t':
        yield '\n'.join(['Limit  ' + figures('31.000', first='30.000'), '  ->  ' + SORT[0], tabs + 'Sort Key: k',
                         tabs + SORT[2].strip()]) + '\n'


for text in frames():
    found = times(text)
    assert found[0] == SORTED[0] and found[1][1] == SORTED[1][1], (text, found)
assert call('\n'.join(SORT[:3]), 'show').returncode == 0  # and without being told what it is
for text in list(frames())[:12]:
    assert call(text, 'show').returncode == 0, text

# Comments hold no plan, and stand before any form.
for comment in '-- %s', '# %s', '/* %s */', '// %s':
    found = times('\n'.join([comment % ('Result  ' + figures('7.000')), *SORT, '']))
    assert found[0] == SORTED[0] and len(found) == 2, (comment, found)
    for form in 'json', 'yaml', 'xml':
        path = case.FILES.parent.parent / 'data' / ('query.explain.' + form)
        done = call(comment % 'mine' + '\n' + path.read_text(), 'show')
        assert done.returncode == 0, (comment, form, done)

# Tabs of four blanks each, wherever they stand.
tabbed = 'Limit  %s\n  ->  Sort  %s\n    \t->  Result  %s\n          \t->  Seq Scan on t  %s\n' % (
    figures('31.000', first='30.000'), figures('31.000', first='30.000'), figures('25.000'), figures('20.000'))
assert times(tabbed)[0] == ('Seq Scan on t, Result, Sort', [30]), times(tabbed)

# ---- Words ----

for word in 'Execution Time', 'Execution time', 'Total runtime':
    plan = 'Insert on t  %s\nTrigger for constraint a on t: time=30.000 calls=5\n%s: 75.000 ms\n' % (figures('40.000'), word)
    assert times(plan) == [('ModifyTable on t', [40]), ('Trigger a', [30])], (word, times(plan))
assert times('Result  %s\n  InitPlan\n    ->  Result  %s\n' % (figures('0.035'), figures('0.005'))) == \
    [('Result', [0.005]), ('Result', [0.03])]
segments = ('Gather Motion 3:1  (slice1; segments: 3)  %s\n  ->  HashAggregate  %s\n        ->  Redistribute Motion 3:3  '
            '(slice2; segments: 3)  %s\n              ->  Seq Scan on t  %s\n')
assert times(segments % (figures('50.000'), figures('45.000', first='40.000'), figures('30.000'), figures('20.000'))) == \
    [('Seq Scan on t', [20] * 3), ('Redistribute Motion, Aggregate', [20] * 3), ('result', [5] * 3), ('Gather Motion', [5])]
# Since 17 rows that are kept tell their memory; what went to disk had filled all that it may take.
kept = 'WindowAgg  %s\n  Window: w AS (PARTITION BY a)\n  Storage: Memory  Maximum Storage: 17kB\n  ->  Seq Scan on t  %s\n'
assert stages(kept % (figures('9.000'), figures('5.000')))[0][2]['mem'] == '17408'
spilled = kept.replace('Memory  Maximum', 'Disk  Maximum') % (figures('9.000'), figures('5.000'))
assert stages(spilled)[0][2]['mem'] == str(4 << 20)
node = {'Actual Startup Time': 0.01, 'Actual Total Time': 9, 'Actual Rows': 9.00, 'Actual Loops': 1, 'Disabled': True}
for storage, memory in ('Memory', '17408'), ('Disk', str(4 << 20)):
    kept = [{'Plan': {'Node Type': 'WindowAgg', **node, 'Storage': storage, 'Maximum Storage': 17}}]
    assert stages(json.dumps(kept))[0][2]['mem'] == memory, storage

serialized = 'Seq Scan on f  %s\nPlanning:\n  Buffers: shared hit=6\nSerialization: time=120.000 ms  output=9kB\n' \
    'Execution Time: 170.000 ms\n' % figures('45.000')
assert times(serialized) == [('Seq Scan on f, Serialization', [165])]
root = {'Node Type': 'Seq Scan', 'Actual Total Time': 45, 'Actual Loops': 1}
assert times(json.dumps([{'Plan': root, 'Serialization': {'Time': 120, 'Format': 'text'}, 'Execution Time': 170}])) == \
    [('Seq Scan, Serialization', [165])]

empty = '- Plan:\n    Node Type: "Result"\n    Actual Total Time: 5\n    Actual Loops: 1\n    Plans: \n'
assert times(empty) == [('Result', [5])]

# ---- What counts once ----

writes = 'Seq Scan on main  %s\n  CTE log\n    ->  Insert on journal  %s\n          ->  Seq Scan on source  %s\n' % (
    figures('100.000'), figures('60.000'), figures('10.000'))
assert times(writes) == [('Seq Scan on source, ModifyTable on journal', [60]), ('Seq Scan on main', [100])]
for words in (), ('--overlap',):
    assert seconds(writes, '--capacity', 'cpu=8', *words)[0] == 0.16, words
shorter = ('Limit  %s\n  ->  Finalize GroupAggregate  %s\n        ->  Gather Merge  %s\n              ->  Sort  %s\n'
           '                    ->  Parallel Seq Scan on t  %s\n')
shorter = shorter % (figures('100.000', first='60'), figures('60.000', first='60'), figures('99.000', first='59'),
                     figures('58.000', 3, first='58'), figures('50.000', 3))
assert seconds(shorter, '--capacity', 'cpu=4')[0] == 0.1
bitmap = ('Gather  %s\n  Workers Planned: 2\n  ->  Parallel Bitmap Heap Scan on t  %s\n        ->  Bitmap Index Scan on i  %s\n')
found = times(bitmap % (figures('60.000'), figures('50.000', 3), figures('20.000')))
assert found == [('Bitmap Index Scan, Bitmap Heap Scan on t', [50, 30, 30]), ('Gather', [10])], found
append = ('Gather  %s\n  Workers Planned: 2\n  ->  Parallel Append  %s\n        ->  Seq Scan on a  %s\n'
          '        ->  Parallel Seq Scan on b  %s\n')
found = times(append % (figures('95.000'), figures('40.000', 3), figures('90.000'), figures('10.000', 3)))
assert [round(t, 3) for t in found[0][1]] == [90, 15, 15] and found[1] == ('Gather', [5]), found

# ---- Waits, cores, turns ----

waits = 'Seq Scan on t  %s\n  I/O Timings: shared read=70.000 write=5.000\n' % figures('100.000')
assert stages(waits) == [('Seq Scan on t', [100], {'cpu': '0.25'})]
remote = 'Append  %s\n  ->  Async Foreign Scan on a  %s\n  ->  Async Foreign Scan on b  %s\n'
assert stages(remote % (figures('101.000'), figures('50.000'), figures('50.000')))[0][2] == {'cpu': '0.01'}
spilled = 'Sort  %s\n  Sort Method: external merge  Disk: 90kB\n  ->  Seq Scan on t  %s\n%s'
for settings, memory in ('', '4194304'), ("Settings: work_mem = '64MB'\n", '67108864'):
    found = stages(spilled % (figures('9.000', first='8.000'), figures('5.000'), settings))
    assert [amounts['mem'] for _, _, amounts in found] == [memory] * 2, found
gathered = 'Gather  %s\n  Workers Planned: 2\n  ->  Parallel Seq Scan on t  %s\nExecution Time: 100.000 ms\n' % (
    figures('99.000'), figures('90.000', 3))
for cores, tasks, above in (None, 3, True), (2, 2, False), (4, 3, False):
    words = ('--measured-cores', str(cores)) if cores else ()
    assert len(times(gathered, *words)[0][1]) == tasks
    _, said = seconds(gathered, '--capacity', 'cpu=2', *words)
    assert ('is above the' in said) == above, (cores, said)
joins = 'Append  %s\n' % figures('100.000')
for side in 'ab':
    joins += '  ->  Hash Join  %s\n        ->  Seq Scan on %s_1  %s\n        ->  Hash  %s\n              ->  Seq Scan on %s_2  %s\n' % (
        figures('50.000'), side, figures('10.000'), figures('20.000'), side, figures('20.000'))
assert seconds(joins, '--capacity', 'cpu=8')[0] == 0.1
assert seconds(joins, '--capacity', 'cpu=8', '--overlap')[0] == 0.08

# ---- What is missing, is told ----

for text, what in (('   QUERY PLAN\n------\n Seq Scan on t\n(1 row)\n', 'the plan has neither times nor costs'),
                   ('   QUERY PLAN\n------\n Sort\n   ->  Seq Scan on t\n', 'the node has neither times nor costs'),
                   ('bad\n', 'this is no plan of a query')):
    done = call(text, 'convert', '--from', 'postgres', '--format', 'xml')
    assert done.returncode == 3 and what in done.stderr, (text, done)
done = call('Sort\n  ->  Seq Scan on t\n', 'show')
assert done.returncode == 3 and 'without times and costs; write it by EXPLAIN (ANALYZE)' in done.stderr, done

# ---- DuckDB ----


def operator(kind, timing, *children, **more):
    info = more.pop('info', {})
    return {'type': kind, 'timing': timing, 'extra_info': info, 'children': list(children), 'intermediate_rows': 9, **more}


def profile(total, *operators):
    return json.dumps({'operator': list(operators), 'query': {'total_time': total}})


export = profile(0.27, operator('BATCH_COPY_TO_FILE', 0.03, operator('TABLE_SCAN', 0.004)))
assert times(export, form='duckdb')[-1] == ('rest of BATCH_COPY_TO_FILE', [236])
took, said = seconds(export, '--capacity', 'cpu=1', form='duckdb')
assert took == 0.27 and '0.236 s of the 0.27 s that the query took are in none of its operators' in said, said
merge = profile(0.7, operator('CREATE_TABLE_AS', 0.1, operator('ORDER_BY', 0.3, operator('TABLE_SCAN', 0.01))))
assert seconds(merge, '--capacity', 'cpu=1', form='duckdb')[0] == 0.7
whole = profile(0.4, operator('ORDER_BY', 0.395, operator('TABLE_SCAN', 0.001)))
assert 'rest of' not in str(times(whole, form='duckdb'))


def cte(timing, mode, readers):
    scans = [operator('UNGROUPED_AGGREGATE', t, operator('CTE_SCAN', 0.0, info={'CTE Index': '7', 'CTE Mode': mode[1]}))
             for t in readers]
    made = operator('TABLE_SCAN', 0.002, row_groups_scanned=4, intermediate_size_bytes=8000)
    return profile(0.15, operator('CTE', timing, made, operator('CROSS_PRODUCT', 0.0, *scans),
                                  info={'CTE Name': 'a', 'Table Index': '7', 'Execution Mode': mode[0]}))


# Rows that go to the readers at once: what these do with them is in the CTE's time again.
streamed = times(cte(0.231, ('STREAMING_FANOUT', 'DIRECT'), (0.2, 0.03)), form='duckdb')
assert ('TABLE_SCAN', [0.75] * 4) in streamed and round(sum(sum(took) for _, took in streamed)) == 233, streamed
# Rows that are kept: filling is work of those who make them, and they are in memory.
kept = stages(cte(0.1, ('MATERIALIZED', 'BUFFERED'), (0.05, 0.03)), form='duckdb')
assert ('TABLE_SCAN', [25.5] * 4, {'cpu': '1', 'mem': '2000'}) in kept, kept
waited = profile(0.1, operator('TABLE_SCAN', 0.4, row_groups_scanned=8))
assert sum(times(waited, form='duckdb')[0][1]) == 400
assert sum(times(waited, '--measured-cores', '2', form='duckdb')[0][1]) == 200

# ---- Positions in long texts are counted once ----


def instructions(plans):
    one = json.dumps({'Plan': {**root, 'Plans': [root]}}, indent=1)
    done = call('[%s]' % ',\n'.join([one] * plans), 'convert', '--from', 'postgres', '--format', 'xml')
    assert done.returncode == 0
    import resource
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime


begin = instructions(0 + 1)
small = instructions(2000) - begin
large = instructions(16000) - small - begin
assert large < 40 * small + 1, (small, large)  # quadratic: 64 times and 8 s
