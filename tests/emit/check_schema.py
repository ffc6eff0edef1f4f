#!/usr/bin/env python3
"""Validates JSON against its published schema, and the schema against what it must refuse.

usage: check_schema.py plan SCHEMA PLAN...
       check_schema.py bound SCHEMA BIGROCKS EXAMPLES
       check_schema.py simulation SCHEMA WRITE_STUDY
       check_schema.py workload SCHEMA BIGROCKS EXAMPLES
       check_schema.py history SCHEMA BIGROCKS EXAMPLES
       check_schema.py prediction SCHEMA BIGROCKS EXAMPLES
       check_schema.py deadline SCHEMA BIGROCKS EXAMPLES
       check_schema.py coflow SCHEMA BIGROCKS EXAMPLES
Exit 77 (skipped) where the module jsonschema is missing.
"""
import copy
import json
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print('the Python module jsonschema is not installed')
    sys.exit(77)


def damages(kind, whole):
    """Documents with one fault each, by name."""
    def changed(name, change):
        bad = copy.deepcopy(whole)
        change(bad)
        return name, bad
    if kind == 'bound':
        yield changed('other version', lambda b: b.update(format='bigrocks-bound/2'))
        yield changed('no bound', lambda b: b.pop('lower_bound'))
        yield changed('negative bound', lambda b: b.update(lower_bound=-1))
        yield changed('no argument', lambda b: b['core'].pop('method'))
        yield changed('both bound and note', lambda b: b['lp'].update(note='', lower_bound=1))
        return
    if kind == 'simulation':
        run, mean = (lambda s: s['results'][0]), (lambda s: s['summary'][0])
        yield changed('other version', lambda s: s.update(format='bigrocks-simulation/2'))
        yield changed('no results', lambda s: s.pop('results'))
        yield changed('no policy', lambda s: run(s).pop('policy'))
        yield changed('no mean', lambda s: run(s).pop('mean_jct'))
        yield changed('negative mean', lambda s: run(s).update(mean_jct=-1))
        yield changed('seconds as text', lambda s: run(s).update(makespan='1'))
        yield changed('an index above 1', lambda s: run(s).update(jain_60s=1.5))
        yield changed('half a job', lambda s: run(s).update(jobs=0.5))
        yield changed('no resource', lambda s: run(s)['use'][0].pop('resource'))
        yield changed('no seeds', lambda s: mean(s).update(seeds=0))
        yield changed('more gain than all', lambda s: mean(s).update(gain=2))
        return
    if kind == 'coflow':
        first = lambda c: c['results'][0]
        yield changed('other version', lambda c: c.update(format='bigrocks-coflow/2'))
        yield changed('no results', lambda c: c.pop('results'))
        yield changed('no policy', lambda c: first(c).pop('policy'))
        yield changed('a clock that is none', lambda c: c.update(clock='sun'))
        yield changed('negative mean', lambda c: first(c).update(average_cct=-1))
        yield changed('seconds as text', lambda c: first(c).update(makespan='1'))
        yield changed('half a coflow', lambda c: first(c).update(finished=0.5))
        yield changed('no ports', lambda c: c['trace'].update(ports=0))
        return
    if kind == 'prediction':
        first = lambda p: p['results'][0]
        yield changed('other version', lambda p: p.update(format='bigrocks-prediction/2'))
        yield changed('no results', lambda p: p.update(results=[]))
        yield changed('no predictor', lambda p: first(p).pop('predictor'))
        yield changed('negative error', lambda p: first(p).update(p50_error=-1))
        yield changed('more than all in the right queue', lambda p: first(p).update(right_queue=1.5))
        yield changed('half a job', lambda p: first(p).update(jobs=0.5))
        yield changed('an interval of all', lambda p: p.update(interval=1))
        yield changed('no calibration', lambda p: first(p).update(calibration=[]))
        return
    if kind == 'history':
        job, run = (lambda h: h['jobs'][0]), (lambda h: h['jobs'][0]['runs'][0])
        yield changed('other version', lambda h: h.update(format='bigrocks-history/2'))
        yield changed('no jobs', lambda h: h.pop('jobs'))
        yield changed('a job without a name', lambda h: job(h).pop('name'))
        yield changed('no runs', lambda h: job(h).update(runs=[]))
        yield changed('a run at no time', lambda h: run(h).update(began='yesterday'))
        yield changed('negative work', lambda h: run(h).update(work=-1))
        if 'of_stages' in job(whole):
            stage = lambda h: job(h)['of_stages'][0]
            yield changed('a stage without an id', lambda h: stage(h).pop('id'))
            yield changed('seconds as text', lambda h: stage(h).update(duration='1'))
            yield changed('a sample of no run', lambda h: stage(h).update(sample=[[1.5]]))
        return
    if kind == 'deadline':
        point, cell = (lambda d: d['left'][0]), (lambda d: d['left'][0]['cells'][1])
        yield changed('other version', lambda d: d.update(format='bigrocks-deadline/2'))
        yield changed('no runs', lambda d: d.update(runs=0))
        yield changed('other allocations', lambda d: d.update(allocations='cores'))
        yield changed('an order of none', lambda d: point(d).update(order='any'))
        yield changed('no cells', lambda d: point(d).update(cells=[]))
        yield changed('progress above 1', lambda d: cell(d).update(progress=1.5))
        yield changed('negative time', lambda d: cell(d)['quantiles_s'].__setitem__(0, -1))
        yield changed('a stage of no task', lambda d: d['stages'][0].update(tasks=0))
        return
    if kind == 'workload':
        yield changed('other version', lambda w: w.update(format='bigrocks-workload-statistics/2'))
        yield changed('no job', lambda w: w.update(jobs=0))
        yield changed('no arrivals', lambda w: w.pop('arrivals'))
        yield changed('negative gap', lambda w: w['arrivals'].update(mean_gap_s=-1))
        yield changed('no median', lambda w: w['work_s'].pop('p50'))
        yield changed('load as text', lambda w: w.update(load='0.8'))
        yield changed('nameless resource', lambda w: w['resources'][0].pop('name'))
        yield changed('group of no weight', lambda w: w['groups'][0].update(weight=0))
        return
    yield changed('other version', lambda p: p.update(format='bigrocks-plan/2'))
    yield changed('no tasks', lambda p: p.pop('tasks'))
    yield changed('negative makespan', lambda p: p.update(makespan=-1))
    yield changed('seconds as text', lambda p: p['tasks'][0].update(start='0'))
    yield changed('unknown subset', lambda p: p['tasks'][0].update(subset='X'))
    yield changed('rank from 0', lambda p: p['tasks'][0].update(rank=0))
    yield changed('priority 0', lambda p: p['tasks'][0].update(priority=0))
    yield changed('empty stage', lambda p: p['stages'][0].update(tasks=0))
    yield changed('unknown edge', lambda p: p['edges'][0].update(type='x'))
    yield changed('negative amount', lambda p: p['stages'][0]['demands'].update(cpu=-1))
    yield changed('amount as a word', lambda p: p['stages'][0]['demands'].update(cpu='many'))


def documents(kind, arguments):
    """(name, document) of all that is to be looked at."""
    if kind == 'plan':
        for path in arguments:
            with open(path, encoding='utf-8') as f:
                yield path, json.load(f)
        return
    if kind == 'simulation':
        for words in (['small', 'x'], ['times', 'x'], *(['random', str(seed)] for seed in range(1, 9))):
            yield ' '.join(words), json.loads(subprocess.run([arguments[0], 'json', *words], check=True, text=True,
                                                             stdout=subprocess.PIPE).stdout)
        return
    bigrocks, examples = arguments
    if kind == 'prediction':
        for words in (['recurring.csv', '--seeds', '2'], ['recurring.csv', '--predictor', 'oracle,slearn-dag,posterior=0',
                                                          '--interval', '0.5'], ['night.swf', '--wide', '1']):
            yield words[0], json.loads(subprocess.run([bigrocks, 'predict', '-q', examples + '/' + words[0], *words[1:],
                                                       '--format', 'json'], check=True, text=True,
                                                      stdout=subprocess.PIPE).stdout)
        return
    if kind == 'history':
        with tempfile.TemporaryDirectory() as folder:
            path = folder + '/history'
            ran = subprocess.run([bigrocks, 'run', examples + '/run.xml', '--capacity', 'cpu=4,mem=64MiB', '--history', path, '-q'],
                                 text=True, capture_output=True)
            if 'keeps no histories' in ran.stderr:
                print(ran.stderr)
                sys.exit(77)
            for words in ([], ['run']):
                yield ' '.join(words), json.loads(subprocess.run([bigrocks, 'history', path, *words, '-f', 'json'],
                                                                 check=True, text=True, stdout=subprocess.PIPE).stdout)
        return
    if kind == 'workload':
        for words in (['night.swf'], ['query.xml', '--count', '9', '--load', '0.8', '--deadlines', '2x', '--groups',
                                      'a,b', '--cluster', examples + '/cluster-rack.xml'], ['etl.xml']):
            yield words[0], json.loads(subprocess.run([bigrocks, 'workload', examples + '/' + words[0], *words[1:],
                                                       '--json'], check=True, text=True,
                                                      stdout=subprocess.PIPE).stdout)
        return
    if kind == 'deadline':
        for words in (['query.xml', '--tokens', '5'], ['query.xml', '--cluster', examples + '/cluster-rack.xml'],
                      ['etl.xml', '--tokens', '3', '--no-plan', '--indicator', 'cp']):
            yield words[0], json.loads(subprocess.run([bigrocks, 'deadline', '-q', examples + '/' + words[0], *words[1:],
                                                       '--runs', '4', '--format', 'json'], check=True, text=True,
                                                      stdout=subprocess.PIPE).stdout)
        return
    if kind == 'coflow':
        for words in (['--policy', 'fair,expected,aalo'], ['--clock', 'epochs', '--times'], ['--no-bounds']):
            yield words[0], json.loads(subprocess.run([bigrocks, 'coflow', '-q', examples + '/coflows.txt', *words,
                                                       '--format', 'json'], check=True, text=True,
                                                      stdout=subprocess.PIPE).stdout)
        return
    for more in ([], ['--no-lp']):
        command = [bigrocks, 'bound', examples + '/query.xml', '--cluster',
                   examples + '/cluster-rack.xml', '--json', *more]
        yield ' '.join(more), json.loads(subprocess.run(command, check=True, text=True,
                                                        stdout=subprocess.PIPE).stdout)


def main():
    kind = sys.argv[1]
    with open(sys.argv[2], encoding='utf-8') as f:
        schema = json.load(f)
    cls = jsonschema.validators.validator_for(schema)
    cls.check_schema(schema)
    validator = cls(schema)
    failed = False
    for name, document in documents(kind, sys.argv[3:]):
        for error in validator.iter_errors(document):
            print('%s: %s: %s' % (name, '/'.join(map(str, error.absolute_path)), error.message))
            failed = True
        for fault, bad in damages(kind, document):
            if validator.is_valid(bad):
                print('%s: the schema accepts a %s with %s' % (name, kind, fault))
                failed = True
    sys.exit(failed)


main()
