/* Updates ninja's records during a run of a build, so that ninja finds the results up to date. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/builders/ninja_record.h"
#include "cli/builders/ninja_program.h"
#include "cli/terminal/say.h"
#include "emit/ninja/record.h"
#include "parsers/ninja/ninja.h"

static const char *ninja_record_attribute(const struct br_dag *dag, const char *name)
{
    for (uint32_t a = 0; a < dag->attributes; a++)
        if (dag->attribute[a].owner == BR_OWNER_JOB && strcmp(dag->attribute[a].name, name) == 0)
            return dag->attribute[a].value;
    return NULL;
}

static void take_note(struct cli_run_ninja *ninja, enum br_status status,
                      const struct br_diag *diag)
{
    if (status && !ninja->fault.status)
        ninja->fault = *diag;
}

void cli_run_ninja_open(struct cli_run_ninja *ninja, const struct br_dag *dag)
{
    struct br_diag diag = {0};
    struct br_ninja_record record = {.folder = ninja_record_attribute(dag, "ninja.folder"),
                                     .file = ninja_record_attribute(dag, "ninja.file"),
                                     .dag = dag};
    *ninja = (struct cli_run_ninja){.began_ns = INT64_MAX};
    if (!record.folder)
        return;
    record.version = cli_ninja_log_version(record.folder);
    take_note(ninja, br_ninja_recorder_create(&record, &ninja->recorder, &diag), &diag);
}

static void ninja_record_add(struct cli_run_ninja *ninja, const struct br_ninja_ended *ended)
{
    struct br_diag diag = {0};
    take_note(ninja, br_ninja_recorder_add(ninja->recorder, ended, &diag), &diag);
}

void cli_run_ninja_ended(struct cli_run_ninja *ninja, const struct br_task_end *end)
{
    struct timespec now;
    if (!ninja->recorder)
        return;
    /* The run began this long ago, or slightly less, since ends are reported a little late. Too
     * early a time would make outputs look older than their inputs. */
    clock_gettime(CLOCK_REALTIME, &now);
    int64_t began_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec - end->end_ns;
    if (began_ns < ninja->began_ns)
        ninja->began_ns = began_ns;
    /* Builds are planned by these figures: an end that may be long past is taken as early as
     * possible, so that no pause counts as work. */
    ninja_record_add(ninja, &(struct br_ninja_ended){.task = end->task,
                                                     .began_ns = ninja->began_ns,
                                                     .start_ns = end->start_ns,
                                                     .end_ns = end->end_ns - end->unseen_ns});
}

void cli_run_ninja_resumed(struct cli_run_ninja *ninja, uint32_t task)
{
    if (ninja->recorder)
        ninja_record_add(ninja, &(struct br_ninja_ended){.task = task, .start_ns = -1});
}

void cli_run_ninja_close(struct cli_run_ninja *ninja)
{
    struct br_diag diag = {0};
    take_note(ninja, br_ninja_recorder_destroy(ninja->recorder, &diag), &diag);
    if (ninja->fault.status) {
        cli_say("ninja will build again some or all of what this run has built:");
        cli_say_diag(&ninja->fault);
    }
    *ninja = (struct cli_run_ninja){0};
}
