"""HyperQueue's job definition files: read as strictly as `hq job submit-file` does, and run.

A server with a worker runs the file by $HQ, or by `hq` along PATH. No registry has that program; without it the tasks
are handed to the server of HyperQueue's Python package, whose worker knows cores alone.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import tomllib

import python_tools

# crates/hyperqueue/src/client/commands/submit/defs.rs of HyperQueue 0.26.2, which refuses all other members.
JOB = {'name': str, 'max_fails': int, 'task': list, 'array': dict, 'stream': str, 'data_layer': bool}
TASK = {'id': int, 'deps': list, 'command': list, 'env': dict, 'request': list, 'stdout': str, 'stderr': str,
        'cwd': str, 'pin': str, 'task_dir': bool, 'time_limit': str, 'priority': int, 'crash_limit': int, 'stdin': str}
REQUEST = {'n_nodes': int, 'time_request': str, 'resources': dict, 'weight': float}


def typed(table, types):
    assert all(type(value) is types[name] for name, value in table.items()), table
    return table


def read(file):
    """The tasks of the file, by id, in its order."""
    tasks = {}
    for task in typed(tomllib.loads(file.read_text()), JOB)['task']:
        assert typed(task, TASK)['id'] not in tasks and 0 <= task['id'] < 1 << 32, task
        assert task['command'] and all(type(word) is str for word in task['command']), task
        assert -1 << 31 <= task['priority'] < 1 << 31
        [request] = task['request']
        for name, amount in typed(request, REQUEST)['resources'].items():
            assert re.fullmatch('[A-Za-z][A-Za-z0-9/]*', name), name
            assert re.fullmatch(r'0\.\d{1,4}', amount) if type(amount) is str else 0 < amount < 1 << 32, amount
        assert set(task.get('deps', [])) <= tasks.keys(), 'a parent stands before its children'
        tasks[task['id']] = task
    given = [task['priority'] for task in tasks.values() if task['command'] != ['/bin/true']]  # not of joints
    assert given == sorted(set(given), reverse=True), 'what the plan starts first is taken first'
    return tasks


def hand_over(file, cores):
    """By HyperQueue's package, in whose environment this runs."""
    from hyperqueue import Job, LocalCluster
    from hyperqueue.cluster import WorkerConfig
    from hyperqueue.ffi.protocol import ResourceRequest
    job, made = Job(max_fails=None), {}
    for number, task in read(pathlib.Path(file)).items():
        cpus = task['request'][0]['resources']['cpus']
        made[number] = job.program(task['command'], deps=[made[d] for d in task.get('deps', [])],
                                   priority=task['priority'], stdout=None, stderr=None,
                                   resources=ResourceRequest(cpus=min(float(cpus), int(cores))))
    cluster = LocalCluster(worker_config=WorkerConfig(cores=int(cores)))
    client = cluster.client()
    done = client.wait_for_jobs([client.submit(job)], raise_on_error=False)
    cluster.stop()
    sys.exit(not done)


def hq(*words, **options):
    done = subprocess.run([program(), *map(str, words)], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=100, **options)
    assert done.returncode == 0, (words, done.stdout)
    return done.stdout


def program():
    return os.environ.get('HQ') or shutil.which('hq')


def serve(file, folder, capacity, env):
    """By a server and a worker that has `capacity`; whether all tasks ended well."""
    started = []

    def start(*words):
        started.append(subprocess.Popen([program(), *words], env=env, cwd=folder, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL))
    more = [word for name, amount in capacity.items() if name != 'cpu'
            for word in ('--resource', '%s=sum(%d)' % (name, amount))]
    try:
        start('server', 'start')
        for _ in range(100):
            if subprocess.run([program(), 'server', 'info'], env=env, capture_output=True).returncode == 0:
                break
            time.sleep(0.1)
        start('worker', 'start', '--cpus', str(capacity['cpu']), '--detect-resources', 'none', *more)
        for _ in range(100):
            if 'RUNNING' in hq('worker', 'list', env=env):
                break
            assert started[-1].poll() is None, 'the worker has ended'
            time.sleep(0.1)
        hq('job', 'submit-file', file, env=env, cwd=folder)
        return subprocess.run([program(), 'job', 'wait', 'last'], env=env, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, timeout=100).returncode == 0
    finally:
        subprocess.run([program(), 'server', 'stop'], env=env, capture_output=True, timeout=100)
        for one in started:
            one.wait(timeout=20)


def submit(file, folder, capacity):
    """Runs the file on so much; whether all tasks ended well, and whether resources other than cores are known."""
    read(file)
    env = python_tools.environment(folder)
    if program():
        return serve(file, folder, capacity, dict(env, HQ_SERVER_DIR=str(folder / 'server'))), True
    return subprocess.run([str(python_tools.program('python3')), __file__, str(file), str(capacity['cpu'])],
                          cwd=folder, env=env, timeout=100).returncode == 0, False


if __name__ == '__main__':
    hand_over(*sys.argv[1:])
