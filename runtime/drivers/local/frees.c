/* Commands for outputs that are no longer held, such as the removal of temporary files. They have
 * ended before other tasks start, since these count on the room. */
#include "runtime/drivers/local/driver.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/process/launch.h"
#include "base/text/diag.h"
#include "planner/model/storage.h"

enum { AT_ONCE = 16 };

enum br_status br_driver_read_frees(struct br_driver_job *job, struct br_diag *diag)
{
    const struct br_dag *dag = job->work.dag;
    const struct br_storage *storage = dag->storage;
    enum br_status status = BR_OK;
    if (!storage)
        return BR_OK;
    job->free = br_arena_array(&job->work.arena, storage->outputs, sizeof *job->free);
    if (!job->free)
        return br_fail_memory(diag);
    for (uint32_t o = 0; o < storage->outputs && !status; o++) {
        const char *text = storage->output[o].release;
        struct br_diag why = {0};
        if (!text)
            continue;
        status = br_command_parse(&job->work.arena, text, false, &job->free[o], &why);
        if (status == BR_BAD_INPUT)
            br_fail(diag, status, why.hint[0] ? why.hint : NULL,
                    "the command that frees output '%.80s' of stage '%.80s': %.300s",
                    storage->output[o].id, dag->stage[storage->output[o].stage].id, why.what);
        else if (status)
            br_fail_memory(diag);
    }
    return status;
}

/* The command has not done what it should. */
static void say_kept(const struct br_driver *driver, const struct br_driver_job *job,
                     const struct br_freed *freed, const char *why)
{
    const struct br_run_options *options = driver->work.options;
    char id[200], text[600];
    if (!options->note)
        return;
    br_dag_task_id(job->work.dag, freed->task, id, sizeof id);
    snprintf(text, sizeof text, "The command that frees output '%.80s' of task %s %s.",
             job->work.dag->storage->output[freed->output].id, id, why);
    options->note(options->context, text);
}

static void wait_for(const struct br_driver *driver, const struct br_freed *freed, pid_t pid)
{
    int state = 0;
    pid_t got;
    while ((got = waitpid(pid, &state, 0)) < 0 && errno == EINTR)
        continue;
    if (got == pid && state)
        say_kept(driver, driver->job[freed->job], freed, "has failed");
}

static bool start_free(struct br_driver *driver, const struct br_freed *freed, pid_t *pid)
{
    const struct br_driver_job *job = driver->job[freed->job];
    const struct br_dag *dag = job->work.dag;
    const struct br_command *command = &job->free[freed->output];
    const uint32_t stage = dag->storage->output[freed->output].stage;
    if (!command->words)
        return false;
    if (!br_command_words(command, freed->task - dag->stage[stage].first_task,
                          &driver->work.words)) {
        br_driver_note(driver, br_fail_memory(driver->work.diag));
        return false;
    }
    const struct br_launch how = {.program = driver->work.words.word[0],
                                  .argv = driver->work.words.word,
                                  .directory = driver->work.options->directory,
                                  .stream = {-1, 2, 2}};
    if (!br_launch(&how, pid))
        return true;
    say_kept(driver, job, freed, "could not be started");
    return false;
}

void br_driver_free_outputs(struct br_driver *driver)
{
    struct br_freed freed[AT_ONCE];
    pid_t pid[AT_ONCE];
    uint32_t begun;
    do {
        begun = 0;
        while (begun < AT_ONCE && br_runtime_freed(driver->runtime, &freed[begun]))
            begun += start_free(driver, &freed[begun], &pid[begun]);
        for (uint32_t k = 0; k < begun; k++)
            wait_for(driver, &freed[k], pid[k]);
    } while (begun);
}
