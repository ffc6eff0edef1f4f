#!/usr/bin/env python3
"""Profiles of event logs that a real Spark wrote, held against a plain reading of the same files; then workloads of
them run and train a model, as docs/tutorial-spark.md has it.

spark_profile.py BIGROCKS EXAMPLES_DIR LOG       (and the other logs in that one's folder)
"""
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

BIGROCKS, EXAMPLES, DATA = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
DATA = DATA.parent


def bigrocks(*words, cwd, status=0):
    done = subprocess.run([str(BIGROCKS), *map(str, words)], text=True, capture_output=True, cwd=cwd, timeout=120)
    assert done.returncode == status, (words, done)
    return done


def read_profile(path):
    """By stage: its number of tasks, and by number of executors and wave the durations; and the edges."""
    stages, edges, stage = {}, [], None
    for line in path.read_text().splitlines():
        words = line.split()
        if words[0] == 'edge':
            edges.append((int(words[1]), int(words[2])))
        elif words[0] == 'stage':
            stage = stages[int(words[1])] = {'tasks': int(words[3])}
        elif words[0] in ('first', 'fresh', 'rest'):
            assert int(words[2]) == len(words) - 3, line
            stage[int(words[1]), words[0]] = [int(word) for word in words[3:]]
    return stages, edges


def read_log(path):
    """By stage id: milliseconds of the tasks that succeeded, the first of each partition; and the cores."""
    tasks, cores = collections.defaultdict(dict), 0
    for line in path.read_text().splitlines():
        event = json.loads(line)
        if event['Event'] == 'SparkListenerExecutorAdded':
            cores += event['Executor Info']['Total Cores']
        elif event['Event'] == 'SparkListenerTaskEnd' and event['Task End Reason']['Reason'] == 'Success':
            info = event['Task Info']
            end = info.get('Getting Result Time') or info['Finish Time']
            own = tasks[event['Stage ID']]
            own.setdefault(info.get('Partition ID', info['Index']), []).append((end, end - info['Launch Time']))
    return {stage: sorted(min(ends)[1] for ends in own.values()) for stage, own in tasks.items()}, cores


def check_logs(folder):
    for log in [EXAMPLES / 'star-join.log', *sorted(DATA.glob('*.log'))]:
        said = bigrocks('import', 'spark-profile', log, '-o', 'p.txt', cwd=folder).stderr
        measured, cores = read_log(log)
        assert '%d tasks at once' % cores in said, said
        stages, _ = read_profile(folder / 'p.txt')
        found = []
        for stage in stages.values():
            first, fresh, rest = (stage[cores, wave] for wave in ('first', 'fresh', 'rest'))
            assert len(first) <= cores and not collections.Counter(fresh) - collections.Counter(first), (log, stage)
            assert stage['tasks'] == len(first) + len(rest) or not first, (log, stage)
            assert not rest or first
            found.append(sorted(first + rest))
        # Stages without tasks of their own stand for what jobs wait for.
        assert sorted(found) == sorted([[0] for _ in range(len(found) - len(measured))] + list(measured.values())), log
        assert sum(len(stage[cores, 'fresh']) for stage in stages.values()) <= cores
        bigrocks('show', 'p.txt', cwd=folder)


def check_several(folder):
    """The same application on two cores: tasks by both numbers; and twice on four: put together."""
    text = (EXAMPLES / 'star-join.log').read_text()
    (folder / 'two.log').write_text(text.replace('"Total Cores":4', '"Total Cores":2'))
    (folder / 'four.log').write_text(text)
    bigrocks('import', 'spark-profile', 'four.log', 'two.log', 'four.log', '-q', '-o', 'p.txt', cwd=folder)
    stages, edges = read_profile(folder / 'p.txt')
    assert edges == [(0, 3), (1, 3), (2, 3), (3, 4)], edges
    for stage in stages.values():
        assert len(stage[2, 'first']) <= 2
        assert sorted(2 * (stage[2, 'first'] + stage[2, 'rest'])) == sorted(stage[4, 'first'] + stage[4, 'rest'])
        counts = [int(key[0]) for key in stage if key != 'tasks']
        assert counts == sorted(counts)
    for words, said in ((['two.log', DATA / 'join.log'], 'different stages, tasks or edges'),
                        ([EXAMPLES / 'query.xml'], 'is no event log of Spark'), (['--whole', 'two.log'], 'for builds'),
                        ([], 'no event log is given'), (['nowhere.log'], 'nowhere.log')):
        done = subprocess.run([BIGROCKS, 'import', 'spark-profile', *words, '-o', 'never.txt'], cwd=folder, text=True,
                              capture_output=True)
        assert done.returncode in (2, 3, 5) and said in done.stderr and not (folder / 'never.txt').exists(), done
    (folder / 'lost.log').write_text(re.sub(r'"Executor ID":"driver"(?=,"Host":"[^"]*","Locality)', '"Executor ID":"7"', text))
    assert 'which executor ran a task' in bigrocks('import', 'spark-profile', 'lost.log', cwd=folder, status=3).stderr


def check_training(folder):
    (folder / 'mine').mkdir()
    for log in 'star-join', 'word-count':
        path = EXAMPLES / 'star-join.log' if log == 'star-join' else DATA / 'word-count.log'
        bigrocks('import', 'spark-profile', path, '-q', '-o', folder / 'mine' / (log + '.txt'), cwd=folder)
    bigrocks('workload', 'mine', '--executors', 4, '--count', 6, '--arrivals', 'batch', '-q', '-o', 'w.xml', cwd=folder)
    bigrocks('train', 'mine', '--executors', 4, '--count', 4, '--iterations', 2, '--episodes', 2, '-q', '-o', 'm.model', cwd=folder)
    done = bigrocks('simulate', 'w.xml', '--policy', 'fair,learned', '--model', 'm.model', '-q', '-f', 'json', cwd=folder)
    assert [row['finished'] for row in json.loads(done.stdout)['results']] == [6, 6], done


with tempfile.TemporaryDirectory(prefix='bigrocks-spark') as name:
    check_logs(pathlib.Path(name))
    check_several(pathlib.Path(name))
    check_training(pathlib.Path(name))
