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


def read_ranks(path):
    """The places of the plan's tasks in its order, by their ids."""
    try:
        with open(path, encoding='utf-8') as file:
            plan = json.load(file)
        if not str(plan.get('format')).startswith('bigrocks-plan/'):
            raise ValueError('this is no plan')
        return {task['id']: task['rank'] for task in plan['tasks']}
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


def describe(dag):
    """All jobs that are to run, with what they wait for by its place in the list."""
    jobs = sorted((job for job in dag.needrun_jobs() if not is_target(job)), key=name_of)
    number = {job: k for k, job in enumerate(jobs)}
    rows = []
    for job in jobs:
        resources = {name: value for name, value in sorted(job.resources.items())
                     if not name.startswith('_') and type(value) in (int, str)}
        row = {'id': name_of(job), 'rule': job.rule.name, 'threads': job.threads, 'resources': resources,
               'after': sorted(number[parent] for parent in dag.job_dependencies(job) if parent in number)}
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


class Scheduler(SchedulerBase):
    def __post_init__(self):
        settings = self.settings
        if not settings or not settings.plan:
            raise WorkflowError('bigrocks: it is not said which plan to follow; give --scheduler-bigrocks-plan FILE')
        self._ranks = read_ranks(settings.plan)
        self._overtake = settings.overtake
        self._places = {}  # of jobs that were looked up

    def select_jobs(self, selectable_jobs, remaining_jobs, available_resources, input_sizes):
        """Those to start now. None where the plan knows none of them: then Snakemake chooses."""
        self._look_up([*selectable_jobs, *remaining_jobs])
        if all(place == math.inf for place in self._places.values()):
            return None
        free = {name: amount for name, amount in available_resources.items() if isinstance(amount, int)}
        selected = []
        for job in sorted(selectable_jobs, key=self._place):
            needs = {name: job.scheduler_resources.get(name, 0) for name in free}
            if all(needs[name] <= free[name] for name in free):
                selected.append(job)
                free = {name: free[name] - needs[name] for name in free}
            elif not self._overtake:
                break
        return selected

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
