#!/usr/bin/env python3
"""Validates plans against the published JSON Schema, and the schema against what it must refuse.

usage: check_schema.py SCHEMA PLAN...
Exit 77 (skipped) where the module jsonschema is missing.
"""
import copy
import json
import sys

try:
    import jsonschema
except ImportError:
    print('skipped: the Python module jsonschema is not installed')
    sys.exit(77)


def damages(plan):
    """Plans with one fault each, by name."""
    def changed(name, change):
        bad = copy.deepcopy(plan)
        change(bad)
        return name, bad
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


def main():
    with open(sys.argv[1], encoding='utf-8') as f:
        schema = json.load(f)
    cls = jsonschema.validators.validator_for(schema)
    cls.check_schema(schema)
    validator = cls(schema)
    failed = False
    for path in sys.argv[2:]:
        with open(path, encoding='utf-8') as f:
            plan = json.load(f)
        for error in validator.iter_errors(plan):
            print('%s: %s: %s' % (path, '/'.join(map(str, error.absolute_path)), error.message))
            failed = True
        for name, bad in damages(plan):
            if validator.is_valid(bad):
                print('%s: the schema accepts a plan with %s' % (path, name))
                failed = True
    sys.exit(failed)


main()
