"""Calls of the program: files in other formats, pictures, runs and simulations."""
import collections.abc
import os

from . import _program
from ._errors import UsageError
from ._job import Cluster, Job


def _written(thing, form, what):
    """The job, cluster or plan as text; UsageError for what is none."""
    if not hasattr(thing, form):
        raise UsageError('%.80r is no %s' % (thing, what), 'give a %s of bigrocks' % what)
    return getattr(thing, form)()


def read(path, format=None, **options):
    """(job, cluster) of a file in any format that bigrocks reads; the cluster is None where the file has none.
    `format` is that of --from; other keywords are options of `bigrocks convert`, such as default_duration=1."""
    words = _program.options(dict(options, from_=format))
    text = _program.call('convert', *words, '--format', 'xml', '--', path).stdout
    return _program.input_of_xml(Job, Cluster, text)


def render(plan, format=None, path=None, **options):
    """The plan in another form, as text: a picture, or a file for an engine (see `bigrocks help render`). With
    a path, it is written there, in the form that its ending says where no format is given; 'plan.pdf' and 'plan.png'
    are pictures, too. The plan is one of Plan, or text in JSON or XML."""
    text = plan if isinstance(plan, str) else _written(plan, 'to_json', 'plan')
    words = _program.options(options)
    form = ['--format', format or 'svg'] if format or not path else []
    done = _program.call('render', '-', *form, *words, *(['-o', path] if path else []), input=text)
    return None if path else done.stdout


def run(job, cluster=None, directory='.', plan=None, history=None, shell=False, keep_going=False, **options):
    """Runs the commands of the job on this machine, in the order of the plan, within the cluster. The result is true
    where all tasks went well; its `tasks` are dicts with id, start, end and what was used. Other keywords are options
    of `bigrocks run`. An interrupt stops all tasks before it goes on."""
    with _program.Folder() as folder:
        words = ['run', folder.write('job.xml', _written(job, 'to_xml', 'job')), '-C', directory, '--trace',
                 folder.path / 'trace']
        if cluster is not None:
            words += ['--cluster', folder.write('cluster.xml', _written(cluster, 'to_xml', 'cluster'))]
        if plan is not None:
            words += ['--plan', folder.write('plan.json', _written(plan, 'to_json', 'plan'))]
        words += _program.options(dict(options, history=history, shell=shell, keep_going=keep_going))
        done = _program.call(*words, fine=(0, 1))
        tasks = folder.lines('trace')
        for task in tasks:
            task.pop('job', None)  # a file of this call
        return _program.Ran(done.returncode == 0, tasks, done.stdout, done.stderr)


def simulate(workload, cluster=None, policy='graphene', **options):
    """Simulates a workload (a path, or jobs that all arrive at once) on the cluster, and returns the object of
    docs/schema/simulation-1.schema.json. Other keywords are options of `bigrocks simulate`, such as seeds=5."""
    with _program.Folder() as folder:
        words = ['simulate', '--policy', policy, '--format', 'json', '-q', *_program.options(options)]
        if cluster is not None:
            words += ['--cluster', folder.write('cluster.xml', _written(cluster, 'to_xml', 'cluster'))]
        if not isinstance(workload, (str, os.PathLike)):
            if not isinstance(workload, collections.abc.Iterable):
                raise UsageError('%.80r is no workload' % (workload,), 'give a path, or a list of jobs')
            jobs = [folder.write('%d.xml' % k, _written(job, 'to_xml', 'job')) for k, job in enumerate(workload)]
            made = folder.path / 'workload.xml'
            _program.call('workload', *jobs, '-o', made, '-q')
            workload = made
        return _program.read_json(_program.call(*words, '--', workload).stdout)


def history(path, job=None):
    """What runs have measured, as the object of docs/schema/history-1.schema.json; with the name of a job also of its
    stages and tasks."""
    words = [] if job is None else [job]
    return _program.read_json(_program.call('history', '--format', 'json', '--', path, *words).stdout)
