#!/usr/bin/env python3
"""Profiles that DuckDB itself writes: the job does the work of all operators, and what the query's own total has beyond
them, in an order that plans.

check_duckdb.py BIGROCKS
"""
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

import python_tools

TABLES = """
create table parts as select i as id, i % 7 as kind, 'part ' || i as name from range(1, 20001) t(i);
create table lines as select i as id, i % 20000 + 1 as part, i % 5000 + 1 as ord, (i * 7) % 100 as amount
    from range(1, 300001) t(i);
create table orders as select i as id, i % 300 as customer from range(1, 5001) t(i);
"""
QUERIES = [
    """with sums as materialized (select part, sum(amount) s from lines group by part)
    select o.customer, count(*), (select max(s) from sums) from lines l join parts p on p.id = l.part
    join orders o on o.id = l.ord join sums on sums.part = p.id where p.kind = 3 group by 1 order by 2 desc
    limit 5""",
    """select customer, row_number() over (partition by customer order by id) from orders
    union all select kind, id from parts order by 1""",
    """select id, (select count(*) from parts p where p.id > 10 and p.kind = l.amount) from lines l
    where amount in (select kind from parts) order by 1""",
    "select count(*) from lines a, orders b where a.id < b.id and b.id < 40",
    "with recursive w(n) as (select 1 union all select n + 1 from w where n < 20) select sum(n) from w",
]
SPACE = '{urn:bigrocks:job:1}'
WRAPPERS = ('EXPLAIN_ANALYZE', 'RESULT_COLLECTOR')


def operators(node):
    kind = node.get('operator_type') or node.get('type')
    if kind:
        yield kind, node.get('operator_timing', node.get('timing'))
    for child in node.get('children', []) + (node.get('operator') or []):
        yield from operators(child)


def check(bigrocks, path, text):
    path.write_text(text)
    done = subprocess.run([bigrocks, 'convert', path, '--format', 'xml'], text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr + text
    stages = ElementTree.fromstring(done.stdout).findall(SPACE + 'stage')
    found, wanted = collections.Counter(), collections.Counter()
    work = beyond = 0
    for stage in stages:
        took = float(stage.get('duration')) * int(stage.get('tasks'))
        if stage.find(SPACE + "attribute[@name='operators']").get('value').startswith(('rest of ', 'time in no ')):
            beyond += took
            continue
        work += took
        for attribute in stage.findall(SPACE + 'attribute'):
            if attribute.get('name') == 'operators' and attribute.get('value') != 'result':
                found.update(re.sub(' on .*', '', word) for word in attribute.get('value').split(', '))
    tree = list(operators(json.loads(text)))
    wanted.update(kind.strip() for kind, _ in tree if kind not in WRAPPERS)
    assert found == wanted, (found, wanted, text)
    took, tasks = sum(time for _, time in tree), sum(int(stage.get('tasks')) for stage in stages)
    # What goes to a CTE's readers at once has their times in the CTE's, too.
    twice = sum(time for kind, time in tree if kind == 'CTE') if 'STREAMING_FANOUT' in text else 0
    rounding = 1e-9 * (tasks + len(tree))
    assert took - twice - rounding <= work <= took + rounding, (work, took, twice, text)
    profile = json.loads(text)
    total = profile.get('latency') or profile.get('query', {}).get('total_time') or 0
    assert work + beyond >= 0.95 * total - 0.001 and (beyond == 0 or abs(work + beyond - total) < 1e-6), (work, beyond, total)
    assert (beyond > 0) == ('in none of its operators' in done.stderr), (beyond, done.stderr)
    bound = subprocess.run([bigrocks, 'bound', path, '--capacity', 'cpu=4,mem=4GiB', '-q'], text=True, capture_output=True, check=True)
    assert float(bound.stdout) <= total or 'is above the' in bound.stderr, (bound, total)
    out = path.with_suffix('.plan')
    for command in (['plan', path, '--capacity', 'cpu=4,mem=4GiB', '-q', '--format', 'json', '-o', out],
                    ['check', path, out, '--capacity', 'cpu=4,mem=4GiB']):
        done = subprocess.run([bigrocks, *command], text=True, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
    return done.stdout


def inside():
    import duckdb
    with tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(scratch) / 'query.json'
        base = duckdb.connect()
        base.execute(TABLES)
        for query in QUERIES:
            check(sys.argv[1], path, base.execute('explain (analyze, format json) ' + query).fetchall()[0][1])
            profile = pathlib.Path(scratch) / 'profile.json'
            base.execute("pragma enable_profiling = 'json'; pragma profiling_output = '%s'" % profile)
            base.execute(query).fetchall()
            base.execute('pragma disable_profiling')
            check(sys.argv[1], path, profile.read_text())


if __name__ == '__main__':
    python_tools.call_inside('check_duckdb', str(pathlib.Path(sys.argv[1]).resolve()))
