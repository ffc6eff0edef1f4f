/* Drivers differ in how they start and follow a task; this is their common part. */
#include "runtime/drivers/common/work.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "base/text/diag.h"
#include "runtime/drivers/common/setup.h"

void br_work_init(struct br_work *work, const struct br_run_options *options,
                  struct br_run_result *result, struct br_diag *diag)
{
    *result = (struct br_run_result){0};
    *work = (struct br_work){
        .options = options, .result = result, .diag = diag, .journal = {.file = -1}};
    if (options->mark)
        snprintf(work->mark, sizeof work->mark, "%s", options->mark);
    else
        br_mark_make(work->mark);
}

enum br_status br_job_work_init(struct br_job_work *job_work, const struct br_work *work,
                                struct br_run_job *job, struct br_diag *diag)
{
    *job_work = (struct br_job_work){.job = job, .dag = job->dag};
    job->result = (struct br_job_result){.start_ns = -1, .end_ns = -1};
    job_work->known.dag = job->dag;
    job_work->known.done =
        br_arena_array(&job_work->arena, job->dag->tasks, sizeof *job_work->known.done);
    if (work->options->resumed)
        job_work->known.lasted_ns =
            br_arena_array(&job_work->arena, job->dag->tasks, sizeof *job_work->known.lasted_ns);
    if (!job_work->known.done || (work->options->resumed && !job_work->known.lasted_ns))
        return br_fail_memory(diag);
    return br_run_commands(&job_work->arena, job->dag, work->options->shell, &job_work->command,
                           diag);
}

void br_job_work_finish(struct br_job_work *job_work)
{
    br_arena_finish(&job_work->arena);
}

enum br_status br_work_open_journal(struct br_work *work, struct br_job_work *const *jobs,
                                    uint32_t count)
{
    const struct br_run_options *options = work->options;
    struct br_journal_found found;
    if (!options->journal)
        return BR_OK;
    struct br_journal_job *job = malloc(((size_t)count + 1) * sizeof *job);
    if (!job)
        return br_fail_memory(work->diag);
    for (uint32_t k = 0; k < count; k++)
        job[k] = jobs[k]->known;
    enum br_status status = br_journal_open(&work->journal, options->journal, options->resume, job,
                                            count, work->mark, &found, work->diag);
    for (uint32_t k = 0; k < count; k++)
        jobs[k]->known = job[k];
    free(job);
    work->result->orphans = found.orphans;
    if (!status && found.damaged && options->damaged)
        options->damaged(options->context, found.damaged, found.damaged_at);
    return status;
}

enum br_status br_work_add_job(struct br_work *work, struct br_job_work *job_work,
                               struct br_diag *diag)
{
    return br_journal_add(&work->journal, job_work->job->name, &job_work->known, diag);
}

void br_work_count_job(struct br_work *work, struct br_job_work *job_work)
{
    const struct br_run_options *options = work->options;
    struct br_job_result *result = &job_work->job->result;
    work->tasks += job_work->dag->tasks;
    result->in_flight = job_work->known.in_flight;
    work->result->in_flight += result->in_flight;
    for (uint32_t t = 0; t < job_work->dag->tasks; t++) {
        if (!job_work->known.done[t])
            continue;
        result->resumed++;
        if (options->resumed)
            options->resumed(options->context, job_work->job, t, job_work->known.lasted_ns[t]);
    }
    work->result->resumed += result->resumed;
}

/* On the monotonic clock. */
static int64_t work_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

void br_work_begin(struct br_work *work)
{
    work->began_ns = work_now_ns();
}

int64_t br_work_now_ns(const struct br_work *work)
{
    return work_now_ns() - work->began_ns;
}

bool br_work_has_command(const struct br_job_work *job_work, uint32_t task)
{
    return job_work->command[br_dag_task_stage(job_work->dag, task)].words > 0;
}

bool br_work_words(struct br_work *work, const struct br_job_work *job_work, uint32_t task)
{
    uint32_t stage = br_dag_task_stage(job_work->dag, task);
    return br_command_words(&job_work->command[stage],
                            task - job_work->dag->stage[stage].first_task, &work->words);
}

enum br_status br_work_started(struct br_work *work, const struct br_job_work *job_work,
                               uint32_t task)
{
    const struct br_stage *stage = &job_work->dag->stage[br_dag_task_stage(job_work->dag, task)];
    return br_journal_started(&work->journal, job_work->known.number, task,
                              stage->chosen ? stage->chosen_number + 1 : 0, work->diag);
}

enum br_status br_work_finished(struct br_work *work, struct br_job_work *job_work, uint32_t task,
                                int64_t lasted_ns)
{
    work->result->finished++;
    job_work->job->result.finished++;
    return br_journal_finished(&work->journal, job_work->known.number, task, lasted_ns, work->diag);
}

int64_t br_task_end_lasted(const struct br_task_end *end)
{
    int64_t lasted_ns = end->end_ns - end->start_ns;
    return end->unseen_ns > lasted_ns / 10 || lasted_ns < 0 ? 0 : lasted_ns;
}

void br_work_failed(struct br_work *work, struct br_job_work *job_work)
{
    work->result->failed++;
    job_work->job->result.failed++;
}

void br_work_tell(struct br_work *work, struct br_job_work *job_work, struct br_task_end *end)
{
    struct br_job_result *result = &job_work->job->result;
    struct stat state;
    if (end->output >= 0 && fstat(end->output, &state) == 0)
        end->output_size = state.st_size;
    if (br_work_has_command(job_work, end->task) && br_work_words(work, job_work, end->task))
        end->words = work->words.word;
    end->job = job_work->job;
    if (result->start_ns < 0 || end->start_ns < result->start_ns)
        result->start_ns = end->start_ns;
    if (end->end_ns > result->end_ns)
        result->end_ns = end->end_ns;
    if (work->options->ended)
        work->options->ended(work->options->context, end);
}

enum br_status br_work_finish(struct br_work *work, enum br_status status)
{
    struct br_run_result *result = work->result;
    if (!status) {
        assert(result->resumed + result->finished + result->failed <= work->tasks);
        result->wall_ns = br_work_now_ns(work);
        result->left =
            (uint32_t)(work->tasks - result->resumed - result->finished - result->failed);
        if (result->failed || result->left)
            status = BR_NO;
    }
    br_journal_close(&work->journal);
    br_words_finish(&work->words);
    return status;
}
