/* Drivers differ in how a task is started and followed; this is what they do alike. */
#include "runtime/drivers/common/work.h"

#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

#include "base/text/diag.h"
#include "runtime/drivers/common/setup.h"

enum br_status br_work_init(struct br_work *work, const struct br_dag *dag,
                            const struct br_run_options *options, struct br_run_result *result,
                            struct br_diag *diag)
{
    *result = (struct br_run_result){0};
    *work = (struct br_work){
        .dag = dag, .options = options, .result = result, .diag = diag, .journal = {.file = -1}};
    if (options->mark)
        snprintf(work->mark, sizeof work->mark, "%s", options->mark);
    else
        br_mark_make(work->mark);
    work->done = br_arena_array(&work->arena, dag->tasks, sizeof *work->done);
    if (!work->done)
        return br_fail_memory(diag);
    return br_run_commands(&work->arena, dag, options->shell, &work->command, diag);
}

enum br_status br_work_open_journal(struct br_work *work)
{
    const struct br_run_options *options = work->options;
    if (!options->journal)
        return BR_OK;
    struct br_journal_found found;
    enum br_status status = br_journal_open(&work->journal, options->journal, options->resume,
                                            work->dag, work->mark, work->done, &found, work->diag);
    work->result->in_flight = found.in_flight;
    work->result->orphans = found.orphans;
    if (!status && found.damaged && options->damaged)
        options->damaged(options->context, found.damaged, found.damaged_at);
    for (uint32_t t = 0; t < work->dag->tasks && !status; t++)
        if (work->done[t]) {
            work->result->resumed++;
            if (options->resumed)
                options->resumed(options->context, t);
        }
    return status;
}

/* On the monotonic clock. */
static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

void br_work_begin(struct br_work *work)
{
    work->began_ns = now_ns();
}

int64_t br_work_now_ns(const struct br_work *work)
{
    return now_ns() - work->began_ns;
}

bool br_work_has_command(const struct br_work *work, uint32_t task)
{
    return work->command[br_dag_task_stage(work->dag, task)].words > 0;
}

bool br_work_words(struct br_work *work, uint32_t task)
{
    uint32_t stage = br_dag_task_stage(work->dag, task);
    return br_command_words(&work->command[stage], task - work->dag->stage[stage].first_task,
                            &work->words);
}

enum br_status br_work_started(struct br_work *work, uint32_t task)
{
    return br_journal_started(&work->journal, work->dag, task, work->diag);
}

enum br_status br_work_finished(struct br_work *work, uint32_t task)
{
    work->result->finished++;
    return br_journal_finished(&work->journal, work->dag, task, work->diag);
}

void br_work_tell(struct br_work *work, struct br_task_end *end)
{
    struct stat state;
    if (end->output >= 0 && fstat(end->output, &state) == 0)
        end->output_size = state.st_size;
    if (br_work_has_command(work, end->task) && br_work_words(work, end->task))
        end->words = work->words.word;
    if (work->options->ended)
        work->options->ended(work->options->context, end);
}

enum br_status br_work_finish(struct br_work *work, enum br_status status)
{
    struct br_run_result *result = work->result;
    if (!status) {
        result->wall_ns = br_work_now_ns(work);
        result->left = work->dag->tasks - result->resumed - result->finished - result->failed;
        if (result->failed || result->left)
            status = BR_NO;
    }
    br_journal_close(&work->journal);
    br_words_finish(&work->words);
    br_arena_finish(&work->arena);
    return status;
}
