#include "cli/running/jobs/ways.h"

#include <assert.h>
#include <stdlib.h>

#include "base/text/diag.h"
#include "store/history/way.h"

struct cli_run_ways {
    struct br_dag *dag;         /* as given; owned */
    struct br_cluster *cluster; /* owned unless it is shared */
    bool shared;
    uint32_t *alternative; /* by task of it, counted within its stage */
    struct br_fixed fixed; /* only the origin of the tasks that run */
};

/* ---- Ranks ---- */

struct ways_place {
    uint32_t rank, task; /* of the plan that was given; the last rank of what it joins */
    bool joins;
};

static int ways_by_place(const void *x, const void *y)
{
    const struct ways_place *a = x, *b = y;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->joins != b->joins)
        return a->joins ? 1 : -1;
    return a->task < b->task ? -1 : a->task > b->task;
}

/* A task that joins others comes right after the last of them. */
static void ways_place_joints(const struct br_fixed *fixed, struct ways_place *place)
{
    const struct br_dag *dag = fixed->dag;
    for (uint32_t e = 0; e < dag->edges; e++) {
        const struct br_stage *parent = &dag->stage[dag->edge[e].parent];
        struct ways_place *to = &place[dag->stage[dag->edge[e].child].first_task];
        for (uint32_t t = parent->first_task; to->joins && t < parent->first_task + parent->tasks;
             t++)
            to->rank = place[t].rank > to->rank ? place[t].rank : to->rank;
    }
}

/* Gives the plan of the choice the ranks of the plan that was given. */
static bool ways_rank(const struct br_plan *from, const struct br_fixed *fixed)
{
    const uint32_t tasks = fixed->dag->tasks;
    struct ways_place *place = calloc((size_t)tasks + 1, sizeof *place);
    if (!place)
        return false;
    for (uint32_t t = 0; t < tasks; t++) {
        const uint32_t origin = fixed->origin[t];
        place[t].task = t;
        place[t].joins = origin == UINT32_MAX;
        place[t].rank = origin == UINT32_MAX ? 0 : from->rank[origin];
    }
    ways_place_joints(fixed, place);
    qsort(place, tasks, sizeof *place, ways_by_place);
    for (uint32_t k = 0; k < tasks; k++) {
        fixed->plan->order[k] = place[k].task;
        fixed->plan->rank[place[k].task] = k + 1;
    }
    free(place);
    return true;
}

/* ---- The choice ---- */

enum br_status cli_run_ways_fix(bool ranked, struct br_dag **dag, struct br_cluster **cluster,
                                struct br_plan **plan, struct cli_run_ways **ways,
                                struct br_diag *diag)
{
    struct br_fixed fixed = {NULL, NULL, NULL, NULL};
    struct cli_run_ways *made = calloc(1, sizeof *made);
    const uint32_t tasks = (*dag)->tasks;
    enum br_status status = made ? BR_OK : br_fail_memory(diag);
    if (!status && !(made->alternative = calloc((size_t)tasks + 1, sizeof *made->alternative)))
        status = br_fail_memory(diag);
    if (!status)
        status = br_fixed_make(*dag, *cluster, *plan, BR_SELECTED_RUN, &fixed, diag);
    if (!status && ranked && !ways_rank(*plan, &fixed))
        status = br_fail_memory(diag);
    if (status) {
        br_fixed_finish(&fixed);
        cli_run_ways_close(made);
        return status;
    }
    for (uint32_t t = 0; t < tasks; t++)
        made->alternative[t] = br_plan_alternative(*plan, t);
    made->dag = *dag;
    made->cluster = *cluster;
    br_plan_destroy(*plan);
    *dag = fixed.dag;
    *cluster = fixed.cluster;
    *plan = fixed.plan;
    made->fixed = (struct br_fixed){NULL, NULL, NULL, fixed.origin};
    *ways = made;
    return BR_OK;
}

/* More than tasks of any number of jobs can demand together. */
static const char ways_plenty[] = "1000000000000";

/* Offers what keeps tasks on the class, which the given one lacks until a job brings it. */
static enum br_status ways_offer(const struct br_class *cls, struct br_cluster *to, uint32_t number,
                                 struct br_diag *diag)
{
    enum br_status status = BR_OK;
    for (uint32_t k = 0; k < cls->capacities && !status; k++) {
        const char *resource = cls->capacity[k].resource;
        if (!br_class_capacity(&to->cls[number], resource))
            status = br_cluster_add_capacity(to, number, resource, ways_plenty, diag);
    }
    return status;
}

enum br_status cli_run_ways_share(struct cli_run_ways *ways, struct br_cluster **cluster,
                                  struct br_diag *diag)
{
    struct br_cluster *choice = *cluster;
    enum br_status status = BR_OK;
    for (uint32_t c = 0; c < choice->classes && !status; c++)
        status = ways_offer(&choice->cls[c], ways->cluster, c, diag);
    br_cluster_destroy(choice);
    *cluster = ways->cluster;
    ways->shared = true;
    return status;
}

void cli_run_ways_close(struct cli_run_ways *ways)
{
    if (!ways)
        return;
    br_dag_destroy(ways->dag);
    if (!ways->shared)
        br_cluster_destroy(ways->cluster);
    br_fixed_finish(&ways->fixed);
    free(ways->alternative);
    free(ways);
}

uint32_t cli_run_ways_origin(const struct cli_run_ways *ways, uint32_t task)
{
    const uint32_t origin = ways->fixed.origin[task];
    return origin == UINT32_MAX ? UINT32_MAX : br_dag_task_stage(ways->dag, origin);
}

uint32_t cli_run_ways_like(const struct cli_run_ways *ways, const struct br_dag *dag, uint32_t s)
{
    const uint32_t task = dag->stage[s].first_task, stage = cli_run_ways_origin(ways, task);
    uint32_t like = s;
    if (stage == UINT32_MAX)
        return s;
    /* The stages of one stage follow one another. */
    for (uint32_t k = s; k-- > 0;) {
        const uint32_t other = dag->stage[k].first_task;
        if (cli_run_ways_origin(ways, other) != stage)
            break;
        if (ways->alternative[ways->fixed.origin[other]] ==
                ways->alternative[ways->fixed.origin[task]] &&
            dag->duration_ns[other] == dag->duration_ns[task])
            like = k;
    }
    return like;
}

bool cli_run_ways_name(const struct cli_run_ways *ways, uint32_t task, uint32_t machine,
                       struct br_history_sample *sample, char **name)
{
    const struct br_dag *dag = ways->dag;
    const uint32_t origin = ways->fixed.origin[task];
    assert(origin < dag->tasks); /* others have no command */
    const uint32_t s = br_dag_task_stage(dag, origin);
    const struct br_class *cls =
        &ways->cluster->cls[br_cluster_machine_class(ways->cluster, machine)];
    *name = NULL;
    sample->stage = dag->stage[s].id;
    sample->task = origin - dag->stage[s].first_task;
    if (sample->lost)
        return true;
    *name = br_history_way_name(dag->stage[s].id,
                                br_dag_alternative_id(dag, s, ways->alternative[origin]), cls->name,
                                cls->speed);
    sample->stage = *name;
    return *name != NULL;
}
