"""Durations by hand go before those that a history has measured; demands are the history's."""
import pathlib
import xml.etree.ElementTree as xml

import case

SPACE = '{https://bigrocks.org/ns/job}'
JOB = '''digraph job {
  shell=true;
  one [duration=3, command="true"];
  two [duration=3, command="true"];
  one -> two [type=barrier];
}
'''

if 'no SQLite' in case.bigrocks('--version').stdout:
    raise SystemExit(77)
with case.folder() as scratch:
    folder = pathlib.Path(scratch)
    job, history, hand = folder / 'job.dot', folder / 'history', folder / 'hand.csv'
    job.write_text(JOB)
    hand.write_text('tw*,50\n')
    done = case.bigrocks('run', job, '--capacity', 'cpu=1,mem=1GiB', '--history', history)
    assert done.returncode == 0, done
    done = case.bigrocks('annotate', job, '--history', history, '--durations', hand)
    assert done.returncode == 0 and '1 of 2 stages' in done.stderr, done
    stages = [stage for stage in xml.fromstring(done.stdout).iter() if stage.tag.endswith('stage')]
    one, two = (next(stage for stage in stages if stage.get('id') == name) for name in ('one', 'two'))
    assert float(one.get('duration')) < 2 and float(two.get('duration')) == 50, done.stdout
    assert any(demand.get('resource') == 'mem' for demand in two), done.stdout
    for words in (['bound', '--no-lp'], ['plan'], ['plan', '--robust', '0.9']):
        done = case.bigrocks(*words, job, '--history', history, '--durations', hand, '--capacity', 'cpu=1,mem=1GiB')
        assert done.returncode == 0 and '50.0' in done.stdout, done
    done = case.bigrocks('deadline', job, '--history', history, '--durations', hand, '--tokens', '1', '--runs', '20')
    assert done.returncode == 0 and ' 50.0' in done.stdout, done
