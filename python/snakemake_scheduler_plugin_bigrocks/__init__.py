"""Lets Snakemake start its jobs in the order of a plan by bigrocks. Snakemake 9.10 or later is needed.

    bigrocks import snakemake -C WORKFLOW -o job.xml
    bigrocks plan job.xml -o plan.json
    snakemake --cores 8 --scheduler bigrocks --scheduler-bigrocks-plan plan.json

Of the jobs that are ready, the one that the plan starts first is the next to start. It does so when all that it takes
is free, within --cores and --resources; those behind it wait until it has started.

`bigrocks import snakemake` asks by this package, too: a dry run (snakemake -n) with BIGROCKS_SNAKEMAKE_JOBS=FILE in
its environment writes what Snakemake knows of its jobs. Nothing but the standard library is needed beside Snakemake.
"""
import json
import math
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

from snakemake_interface_common.exceptions import WorkflowError
from snakemake_interface_scheduler_plugins.base import SchedulerBase
from snakemake_interface_scheduler_plugins.settings import SchedulerSettingsBase

FORMAT = 'bigrocks-snakemake/1'


@dataclass
class SchedulerSettings(SchedulerSettingsBase):
    plan: Optional[Path] = field(default=None, metadata={
        'help': 'The plan to follow, as "bigrocks plan job.xml -o plan.json" writes it.', 'required': False})
    overtake: bool = field(default=False, metadata={
        'help': 'Let a job that fits start before one that comes earlier in the plan, is ready and does not fit yet.',
        'required': False})

    def __post_init__(self):
        # As seen from where Snakemake was started, which it leaves for the workflow's own folder.
        self.plan = self.plan and Path(self.plan).absolute()


def name_of(job):
    """The job's id in plans: its rule and what the rule's wildcards stand for. No other job has the same."""
    values = job.wildcards_dict
    return job.rule.name + (':' + ','.join('%s=%s' % pair for pair in sorted(values.items())) if values else '')


def is_target(job):
    """Is it a rule such as `all`, which only names files?"""
    return job.is_norun and not job.output


def read_plan(path):
    """The places of the plan's tasks in its order, by their ids; and what they hold."""
    try:
        with open(path, encoding='utf-8') as file:
            plan = json.load(file)
        if not str(plan.get('format')).startswith('bigrocks-plan/'):
            raise ValueError('this is no plan')
        return {task['id']: task['rank'] for task in plan['tasks']}, Storage(plan)
    except OSError as error:
        raise WorkflowError('bigrocks: the plan cannot be read: %s' % error) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise WorkflowError('bigrocks: %s: %s; write a plan by "bigrocks plan job.xml -o plan.json"'
                            % (path, error)) from error


def seconds_of(job):
    """What Snakemake has recorded of the job's last run, from its start to its last output; None: nothing."""
    records = [record for record in map(job.dag.workflow.persistence.metadata, job.output) if record]
    starts = [record.get('starttime') for record in records]
    ends = [record.get('endtime') for record in records]
    if not records or None in starts or None in ends:
        return None
    return max(0, round(max(ends) - min(starts), 6))


def is_piped(job):
    """Does it hand on what it writes while it writes it? Snakemake runs it together with what reads that."""
    from snakemake.io import is_flagged

    return any(is_flagged(file, flag) for file in job.output for flag in ('pipe', 'service'))


MEGABYTE = 10**6


def size_of(path):
    """Bytes of a file, or of all files of a folder; None: it is not there."""
    if os.path.isdir(path):
        return sum(os.lstat(os.path.join(folder, name)).st_size for folder, _, names in os.walk(path) for name in names)
    return os.stat(path).st_size if os.path.exists(path) else None


def temporary_of(job):
    """Of its files under temp(): their names, and what they take as rows (id, megabytes) or None if nobody knows.
    A file that is there, as after a run with --notemp, tells it; else all together take the job's disk_mb."""
    from snakemake.io import is_flagged

    files = [str(file) for file in job.output if is_flagged(file, 'temp')]
    sizes = [size_of(file) for file in files]
    if None not in sizes:
        return files, [('temp%d' % k, -(-size // MEGABYTE)) for k, size in enumerate(sizes)]
    declared = job.resources.get('disk_mb')
    return files, [('temp', declared)] if type(declared) is int and declared > 0 else None


def read_of(job, parent, files, held):
    """The ids of the parent's temporary outputs that the job reads."""
    inputs = set(map(str, job.input))
    read = [k for k, file in enumerate(files) if file in inputs]
    return [id for id, _ in held] if len(held) < len(files) and read else [held[k][0] for k in read]


def add_storage(row, job, parents, temporary):
    """Adds what the job leaves behind, and what it reads of that. disk_mb is what a job takes while it runs; what
    stays of it is not counted twice."""
    files, held = temporary[job]
    if files and held is None:
        row['unsized'] = len(files)
    elif files:
        row['outputs'] = [{'id': id, 'disk_mb': size} for id, size in held]
        beside = row['resources'].pop('disk_mb', 0)
        if type(beside) is int and beside > sum(size for _, size in held):
            row['resources']['disk_mb'] = beside - sum(size for _, size in held)
    reads = [read_of(job, parent, *temporary[parent]) if temporary[parent][0] and temporary[parent][1] else []
             for parent in parents]
    if any(temporary[parent][0] and temporary[parent][1] for parent in parents):
        row['reads'] = reads


def describe(dag):
    """All jobs that are to run, with what they wait for by its place in the list."""
    jobs = sorted((job for job in dag.needrun_jobs() if not is_target(job)), key=name_of)
    number = {job: k for k, job in enumerate(jobs)}
    temporary = {job: temporary_of(job) for job in jobs}
    rows = []
    for job in jobs:
        parents = sorted((parent for parent in dag.job_dependencies(job) if parent in number), key=number.get)
        resources = {name: value for name, value in sorted(job.resources.items())
                     if not name.startswith('_') and type(value) in (int, str)}
        row = {'id': name_of(job), 'rule': job.rule.name, 'threads': job.threads, 'resources': resources,
               'after': [number[parent] for parent in parents]}
        add_storage(row, job, parents, temporary)
        undetermined = sorted(name for name, value in job.resources.items() if value == '<TBD>')
        if undetermined:
            row['undetermined'] = undetermined
        if is_piped(job):
            row['joined'] = 'pipe'
        elif job.group:
            row['joined'] = 'group'
        seconds = seconds_of(job)
        if seconds is not None:
            row['seconds'] = seconds
        rows.append(row)
    return rows


def write_jobs(path, jobs):
    with open(path, 'w', encoding='utf-8') as file:
        json.dump({'format': FORMAT, 'jobs': jobs}, file, indent=1)
        file.write('\n')


def answer(path):
    """Lets a dry run write its jobs. Snakemake lets its greedy scheduler do all dry runs, so that one writes them; it
    is not made where nothing is to be done."""
    from snakemake.scheduling import greedy

    class Answering(greedy.Scheduler):
        def __post_init__(self):
            super().__post_init__()
            write_jobs(path, describe(self.dag))

    greedy.Scheduler = Answering
    write_jobs(path, [])


if os.environ.get('BIGROCKS_SNAKEMAKE_JOBS'):
    answer(os.environ['BIGROCKS_SNAKEMAKE_JOBS'])


class Storage:
    """What jobs of the plan hold until those that read it have finished, beside what there is of it."""

    def __init__(self, plan):
        stages = {stage['id']: stage for stage in plan.get('stages', [])}
        self.made = {name: {output['id']: (output['resource'], int(output['amount'])) for output in stage['outputs']}
                     for name, stage in stages.items() if stage.get('outputs') and stage['tasks'] == 1}
        self.readers = {(name, output): set() for name, outputs in self.made.items() for output in outputs}
        for edge in plan.get('edges', []):
            outputs = self.made.get(edge['from'], {})
            for output in outputs if edge.get('reads') is None else edge['reads']:
                if (edge['from'], output) in self.readers:
                    self.readers[edge['from'], output].add(edge['to'])
        cluster = plan.get('cluster', {})
        self.demands = {name: stage.get('demands', {}) for name, stage in stages.items()}
        self.room = dict(cluster.get('shared', {}))
        if len(cluster.get('classes', [])) == 1 and cluster['classes'][0]['count'] == 1:
            self.room.update(cluster['classes'][0]['capacities'])
        self.stored = {resource for outputs in self.made.values() for resource, _ in outputs.values()}
        self.room = {resource: amount for resource, amount in self.room.items() if resource in self.stored}

    def taken(self, started, unfinished):
        """What there is taken of, by those that have started, of which some are unfinished."""
        taken = dict.fromkeys(self.room, 0)
        for name in started:
            for resource, amount in self.needs(name, name in unfinished, unfinished).items():
                taken[resource] += amount
        return taken

    def needs(self, name, runs, unfinished):
        """What one job takes: its demands while it runs, and its outputs until nobody reads them any more."""
        needs = dict.fromkeys(self.room, 0)
        for resource, amount in self.demands.get(name, {}).items() if runs else ():
            if resource in needs:
                needs[resource] += amount
        for output, (resource, amount) in self.made.get(name, {}).items():
            if resource in needs and (runs or self.readers[name, output] & unfinished):
                needs[resource] += amount
        return needs


class Scheduler(SchedulerBase):
    def __post_init__(self):
        settings = self.settings
        if not settings or not settings.plan:
            raise WorkflowError('bigrocks: it is not said which plan to follow; give --scheduler-bigrocks-plan FILE')
        self._ranks, self._storage = read_plan(settings.plan)
        self._overtake = settings.overtake
        self._places = {}  # of jobs that were looked up
        self._waiting = set()  # names of jobs that have not started, if anything is stored

    def select_jobs(self, selectable_jobs, remaining_jobs, available_resources, input_sizes):
        """Those to start now. None where the plan knows none of them: then Snakemake chooses."""
        self._look_up([*selectable_jobs, *remaining_jobs])
        if all(place == math.inf for place in self._places.values()):
            return None
        free = {name: amount for name, amount in available_resources.items() if isinstance(amount, int)}
        unfinished, room = self._look_at_storage([*selectable_jobs, *remaining_jobs])
        selected, passed = [], False
        for job in sorted(selectable_jobs, key=self._place):
            needs = {name: job.scheduler_resources.get(name, 0) for name in free}
            stays = self._stays(job, unfinished, room)
            # What stays behind could take the room of those that are passed over, for ever.
            if all(needs[name] <= free[name] for name in free) and all(stays[name] <= room[name] for name in room) \
                    and not (passed and any(stays.values())) and not self._waits(job, stays):
                selected.append(job)
                free = {name: free[name] - needs[name] for name in free}
                room = {name: room[name] - stays[name] for name in room}
                self._waiting.difference_update(self._names(job))
            elif not self._overtake:
                break
            else:
                passed = True
        return selected

    @staticmethod
    def _names(job):
        return [name_of(member) for member in (job.jobs if job.is_group() else [job])]

    def _look_at_storage(self, waiting):
        """The jobs that have not finished, and what there is free of what is stored."""
        if not self._storage.room:
            return set(), {}
        self._waiting = {name for job in waiting for name in self._names(job)}
        unfinished = {name_of(job) for job in self.dag.needrun_jobs() if not self.dag.finished(job)} | self._waiting
        taken = self._storage.taken([name for name in self._ranks if name not in self._waiting], unfinished)
        return unfinished, {name: amount - taken[name] for name, amount in self._storage.room.items()}

    def _stays(self, job, unfinished, room):
        needs = dict.fromkeys(room, 0)
        for name in self._names(job) if room else ():
            for resource, amount in self._storage.needs(name, True, unfinished).items():
                needs[resource] += amount
        return needs

    def _waits(self, job, stays):
        """Does the job leave something behind, while one that comes earlier in the plan has not started?"""
        if not any(stays.values()):
            return False
        place = self._place(job)[0]
        own = set(self._names(job))
        return any(self._ranks.get(name, math.inf) < place for name in self._waiting if name not in own)

    def _place(self, job):
        """Groups start where their first job does; what the plan does not know comes last, by priority."""
        members = list(job.jobs) if job.is_group() else [job]
        return (min(self._places[member] for member in members), -job.priority,
                min(name_of(member) for member in members))

    def _look_up(self, jobs):
        members = [member for job in jobs for member in (job.jobs if job.is_group() else [job])]
        unknown = []
        for job in dict.fromkeys(members):
            if job not in self._places:
                self._places[job] = self._ranks.get(name_of(job), math.inf)
                if self._places[job] == math.inf and not is_target(job):
                    unknown.append(name_of(job))
        if unknown:
            self.logger.warning(
                'bigrocks: the plan does not know %d of %d jobs, such as %s; %s. "bigrocks import snakemake" and '
                '"bigrocks plan" make a plan of this workflow.' % (
                    len(unknown), len(self._places), min(unknown),
                    'they start after those that it knows' if min(self._places.values()) < math.inf
                    else "it is another workflow's, and Snakemake chooses the order itself"))
