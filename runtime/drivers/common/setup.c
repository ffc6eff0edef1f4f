/* Reports every fault in a job's commands before the first of them runs. */
#include "runtime/drivers/common/setup.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text/diag.h"
#include "base/text/list.h"
#include "base/roles.h"
#include "planner/model/commands.h"
#include "planner/model/source.h"

enum br_status br_run_commands(struct br_arena *arena, const struct br_dag *dag, bool shell,
                               struct br_command **command, struct br_diag *diag)
{
    enum br_status status = br_dag_commands(arena, dag, shell, command, diag);
    for (uint32_t s = 0; s < dag->stages && !status; s++)
        if (!(*command)[s].words && dag->stage[s].duration_ns) {
            br_dag_blame(dag, diag);
            status = br_fail_at(diag, dag->stage[s].pos, BR_BAD_INPUT,
                                "give it a <command>, or the duration 0; or --simulate the run",
                                "stage '%s' has no command", dag->stage[s].id);
        }
    return status;
}

int64_t *br_run_limits(struct br_arena *arena, const struct br_dag *dag)
{
    int64_t *limit = br_arena_array(arena, dag->stages, sizeof *limit);
    for (uint32_t d = 0; limit && d < dag->demands; d++) {
        const struct br_demand *demand = &dag->demand[d];
        if (br_role_is_own_name(BR_ROLE_MEMORY, dag->resource[demand->resource].name))
            limit[demand->stage] =
                br_role_bytes(demand->amount, dag->resource[demand->resource].unit);
    }
    return limit;
}

/* ---- Environment ---- */

static const char prefix[] = "BIGROCKS_";

/* The variables that differ between tasks, with room for this many bytes. */
static bool setup_make_room(struct br_environment *environment, size_t room)
{
    char **text[] = {&environment->job, &environment->task, &environment->index,
                     &environment->machine, &environment->alternative};
    if (room <= environment->room)
        return true;
    for (size_t k = 0; k < sizeof text / sizeof *text; k++) {
        char *larger = realloc(*text[k], room);
        if (!larger)
            return false;
        *text[k] = larger;
        if (text[k] != &environment->alternative)
            environment->entry[environment->first + k] = larger;
    }
    environment->room = room;
    return true;
}

bool br_environment_init(struct br_environment *environment, const struct br_cluster *cluster,
                         const char *run, const char *mark)
{
    size_t count = 0, room = 64;
    while (environ[count])
        count++;
    for (uint32_t c = 0; c < cluster->classes; c++)
        if (strlen(cluster->cls[c].name) + 64 > room)
            room = strlen(cluster->cls[c].name) + 64;
    environment->entry = calloc(count + 8, sizeof *environment->entry);
    if (!environment->entry)
        return false;
    /* The two variables made for this run come first, to be released. */
    char *name = malloc(strlen(run) + 16), *session = strdup(mark);
    environment->entry[0] = name;
    environment->entry[1] = session;
    environment->first = 2;
    if (!name || !session || !setup_make_room(environment, room))
        return false;
    sprintf(name, "BIGROCKS_RUN=%s", run);
    size_t used = environment->first + 4;
    for (size_t k = 0; k < count; k++)
        if (strncmp(environ[k], prefix, sizeof prefix - 1) != 0)
            environment->entry[used++] = environ[k];
    environment->last = (uint32_t)used;
    return true;
}

void br_environment_finish(struct br_environment *environment)
{
    for (size_t k = 0; environment->entry && k < 2; k++)
        free(environment->entry[k]);
    free(environment->entry);
    free(environment->job);
    free(environment->task);
    free(environment->index);
    free(environment->machine);
    free(environment->alternative);
    *environment = (struct br_environment){0};
}

bool br_environment_fit(struct br_environment *environment, const struct br_run_job *job)
{
    size_t room = strlen(job->name) + 64;
    for (uint32_t s = 0; s < job->dag->stages; s++) {
        const struct br_stage *stage = &job->dag->stage[s];
        if (strlen(stage->id) + 64 > room)
            room = strlen(stage->id) + 64;
        if (stage->chosen && strlen(stage->chosen) + 64 > room)
            room = strlen(stage->chosen) + 64;
    }
    return setup_make_room(environment, room);
}

void br_environment_set_job(struct br_environment *environment, const char *name)
{
    assert(strlen(name) + sizeof "BIGROCKS_JOB=" <= environment->room);
    snprintf(environment->job, environment->room, "BIGROCKS_JOB=%s", name);
}

void br_environment_set(struct br_environment *environment, const struct br_run_job *job,
                        const struct br_cluster *cluster, uint32_t task, uint32_t machine)
{
    const struct br_dag *dag = job->dag;
    const struct br_stage *stage = &dag->stage[br_dag_task_stage(dag, task)];
    br_environment_set_job(environment, job->name);
    int used = snprintf(environment->task, environment->room, "BIGROCKS_TASK=");
    br_dag_task_id(dag, task, environment->task + used, environment->room - (size_t)used);
    snprintf(environment->index, environment->room, "BIGROCKS_INDEX=%u",
             task - stage->first_task + stage->first_index);
    used = snprintf(environment->machine, environment->room, "BIGROCKS_MACHINE=");
    br_cluster_machine_name(cluster, machine, environment->machine + used,
                            environment->room - (size_t)used);
    environment->entry[environment->last] = stage->chosen ? environment->alternative : NULL;
    if (stage->chosen)
        snprintf(environment->alternative, environment->room, "BIGROCKS_ALTERNATIVE=%s",
                 stage->chosen);
}

/* ---- The enforcer ---- */

static enum br_status overbook_all(struct br_runtime *runtime, const char *text,
                                   struct br_diag *diag)
{
    struct br_list_entry entry;
    enum br_status status = BR_OK;
    while (text && !status && br_list_next(BR_LIST_NAME_NUMBER, &text, &entry)) {
        char *name = strndup(entry.name, entry.length);
        status = name ? br_runtime_overbook(runtime, name, (uint32_t)entry.value, diag)
                      : br_fail_memory(diag);
        free(name);
    }
    return status;
}

enum br_status br_run_runtime(const struct br_cluster *cluster,
                              const struct br_runtime_options *options, const char *overbook,
                              struct br_runtime **runtime, struct br_diag *diag)
{
    enum br_status status = br_runtime_create(cluster, options, runtime, diag);
    if (!status)
        status = overbook_all(*runtime, overbook, diag);
    if (status) {
        br_runtime_destroy(*runtime);
        *runtime = NULL;
    }
    return status;
}
