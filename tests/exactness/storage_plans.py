#!/usr/bin/env python3
"""storage_plans.py BIGROCKS: plans of jobs whose storage is scarce, or is not.

With room for all outputs the plan is that of the job without them, start by start. With little room
branches still run at once where what they hold is freed in time. With the least room of all there is
a plan, also where the search for an order gives up.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

SPACE = '{urn:bigrocks:job:1}'
CLUSTER = ['--machines', '4', '--capacity', 'cpu=16,mem=64GiB,net=1000,disk=1000', '--threads', '1']
xml.register_namespace('', 'urn:bigrocks:job:1')


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def with_outputs(path, to):
    """Every stage with children makes outputs, of 10 to 70 by turns."""
    root = xml.parse(path).getroot()
    makers = {edge.get('from') for edge in root.iter(SPACE + 'edge')}
    root.insert(0, xml.Element(SPACE + 'resource', name='store'))
    for number, stage in enumerate(root.iter(SPACE + 'stage')):
        if stage.get('id') in makers:
            amount = str(10 + 20 * (number % 4))
            stage.insert(len(stage.findall(SPACE + 'demand')),
                         xml.Element(SPACE + 'output', id='data', resource='store', amount=amount))
    xml.ElementTree(root).write(to)


def plan(bigrocks, job, *words):
    return json.loads(run(bigrocks, 'plan', job, *CLUSTER, '--format', 'json', *words))


def joins(count):
    """So many joins of three outputs each, whose results are all held until the end: only one join after
    another needs no more than the least."""
    maps = ''.join('<stage id="m%d" tasks="%d" duration="%d"><demand resource="cpu" amount="1"/>'
                   '<output id="o" resource="store" amount="%d"/></stage>' % (k, count, duration, amount)
                   for k, (amount, duration) in enumerate(((49, 6), (39, 1), (98, 72))))
    edges = ''.join('<edge from="m%d" to="join" type="one-to-one"/>' % k for k in range(3))
    return ('<job xmlns="urn:bigrocks:job:1" name="joins"><resource name="cpu"/><resource name="store"/>' + maps +
            '<stage id="join" tasks="%d" duration="1"><demand resource="cpu" amount="1"/>'
            '<output id="o" resource="store" amount="12"/></stage>'
            '<stage id="rest" duration="1"><demand resource="cpu" amount="1"/></stage>' % count + edges +
            '<edge from="join" to="rest"/></job>')


def check_least_room(bigrocks, job, count):
    """The last join holds its three outputs and makes the last result, beside those of all others."""
    least = 12 * count + 49 + 39 + 98
    job.write_text(joins(count))
    plan(bigrocks, job, '--effort', 'fast', '--shared', 'store=%d' % least)
    less = subprocess.run([bigrocks, 'plan', job, *CLUSTER, '--effort', 'fast', '--shared', 'store=%d' % (least - 1)],
                          capture_output=True, text=True)
    assert less.returncode == 1 and 'there is no plan' in less.stderr, less


def starts(made):
    return [(task['id'], task['start'], task['machine']) for task in made['tasks']]


def main():
    bigrocks = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        plain, held = (pathlib.Path(folder) / name for name in ('plain.xml', 'held.xml'))
        run(bigrocks, 'generate', '--tasks', '600', '--seed', '5', '--spread', '0.3', '-o', plain)
        with_outputs(plain, held)
        without = plan(bigrocks, plain, '--effort', 'fast')
        roomy = plan(bigrocks, held, '--effort', 'fast', '--shared', 'store=1000000')
        assert starts(without) == starts(roomy), (without['makespan'], roomy['makespan'])
        assert roomy['lower_bound'] == without['lower_bound'], roomy['lower_bound']
        scarce = plan(bigrocks, held, '--effort', 'fast', '--shared', 'store=%d' % LIMIT)
        assert scarce['makespan'] <= MOST, scarce['makespan']
        check_least_room(bigrocks, held, 60)


# About the least storage with which an order was found. If tasks are only started where all the rest
# fits one after another, the plan takes 340 s.
LIMIT, MOST = 11800, 300

if __name__ == '__main__':
    main()
