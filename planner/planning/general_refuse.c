#include <stdio.h>

#include "base/collections/memory.h"
#include "planner/bounds/bounds.h"
#include "planner/planning/general_state.h"

/* Late stages of which it is asked whether they could be in time at all. */
enum { late_tries = 8 };

enum br_status br_general_refuse_storage(const struct general_plan *g)
{
    const struct br_general *job = g->job;
    const uint32_t stuck = g->stuck;
    char id[300] = "a task";
    if (stuck != UINT32_MAX)
        br_dag_task_id(g->dag, stuck, id, sizeof id);
    const char *resource = "storage";
    for (uint32_t r = 0; r < job->resources; r++)
        if (job->stored[r] && stuck != UINT32_MAX) {
            const size_t at = (size_t)job->task_stage[stuck] * job->resources + r;
            if (job->demand[at] || job->made[at] || job->late[at])
                resource = g->dag->resource[job->resource_origin[r]].name;
        }
    return br_fail(
        g->diag, BR_NO, "give the cluster more of it, or hold less",
        g->answer == BR_WITNESS_NONE || g->complete
            ? "there is no plan: in every order of the tasks, what is held leaves too "
              "little %.80s for %s or another task"
            : "no plan was found: in all orders that were tried, what is held leaves too "
              "little %.80s for %s or another task",
        resource, id);
}

/* What the relaxed job says about the end of the stage: the bound of all that leads up to it, with
 * it. 0: nothing. */
static int64_t bound_up_to(const struct br_relaxed *relaxed, uint32_t stage)
{
    struct br_instance *in, *part = NULL;
    int64_t bound_ns = 0;
    uint32_t count = 0;
    if (br_instance_create(relaxed->dag, relaxed->cluster, &in, NULL))
        return 0;
    bool *ahead = br_calloc(in->stages, sizeof *ahead);
    uint32_t *list = br_malloc(in->stages * sizeof *list);
    if (ahead && list) {
        ahead[stage] = true;
        for (uint32_t k = in->stages; k-- > 0;) {
            const uint32_t s = in->topological[k];
            for (uint32_t a = in->parent_first[s]; ahead[s] && a < in->parent_first[s + 1]; a++)
                ahead[in->parent[a].stage] = true;
        }
        for (uint32_t s = 0; s < in->stages; s++)
            if (ahead[s])
                list[count++] = s;
        part = br_instance_part(in, list, count);
    }
    if (part)
        bound_ns = br_bounds_best(part, INT64_MAX).ticks * in->tick_ns;
    br_instance_destroy(part);
    br_instance_destroy(in);
    br_free(ahead);
    br_free(list);
    return bound_ns;
}

/* Is it proven that not all tasks of the stage can be in time? Then it says so. */
static bool cannot_be_in_time(const struct general_plan *g, uint32_t stage)
{
    const struct br_stage *s = &g->dag->stage[stage];
    int64_t last = 0;
    for (uint32_t t = s->first_task; t < s->first_task + s->tasks; t++) {
        const int64_t deadline = br_dag_deadline(g->dag, t);
        last = deadline > last ? deadline : last;
    }
    const int64_t bound_ns = last == INT64_MAX ? 0 : bound_up_to(g->relaxed, stage);
    if (bound_ns <= last)
        return false;
    br_note_fault(g->diag, BR_NO, "give it more time, or the cluster more machines",
                  "there is no plan that keeps the deadline of stage %.200s at %s s: with all that "
                  "leads up to it, it takes at least %s s",
                  s->id, br_seconds(last).text, br_seconds(bound_ns).text);
    return true;
}

/* Names the first task that is late, or a stage that cannot be in time at all. */
enum br_status br_general_refuse_late(const struct general_plan *g)
{
    const struct br_general *job = g->job;
    char id[300];
    uint32_t tried = 0, stage = UINT32_MAX;
    for (uint32_t t = 0; t < job->tasks && tried < late_tries; t++)
        if (g->best.start[t] + job->duration[t] > job->deadline[t] && job->task_stage[t] != stage) {
            stage = job->task_stage[t];
            if (cannot_be_in_time(g, stage))
                return BR_NO;
            tried++;
        }
    for (uint32_t t = 0; t < job->tasks; t++) {
        const int64_t end = g->best.start[t] + job->duration[t];
        if (end <= job->deadline[t])
            continue;
        br_dag_task_id(g->dag, t, id, sizeof id);
        return br_fail(g->diag, BR_NO, "give it more time, or the cluster more machines",
                       g->complete
                           ? "there is no plan that keeps all deadlines: that of task %s is "
                             "%s s, and in the best schedule that was found it ends at %s s"
                           : "no plan was found that keeps the deadline of task %s at %s s: "
                             "it ends at %s s",
                       id, br_seconds(job->deadline[t]).text, br_seconds(end).text);
    }
    return BR_OK;
}

enum br_status br_general_refuse_unplaced(const struct general_plan *g)
{
    if (g->complete)
        return br_fail(g->diag, BR_NO, "give the job more time, or the cluster more",
                       "there is no plan: every schedule breaks a deadline, or never finds room "
                       "for some task");
    return br_fail(g->diag, BR_NO, "check the times at which machines are away or amounts change",
                   "no plan was found: some task never finds a machine that is there for as long "
                   "as it takes");
}
