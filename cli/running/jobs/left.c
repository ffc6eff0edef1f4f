#include "cli/running/jobs/left.h"

#include <stdlib.h>
#include <string.h>

#include "base/text/diag.h"
#include "planner/modes/selected.h"
#include "runtime/drivers/common/journal.h"
#include "runtime/predict/dag_with.h"

struct left {
    const struct br_dag *dag;
    bool *done;   /* by task */
    uint32_t *by; /* by task: the alternative that it ran by, from 1; 0: not told */
    bool *over;   /* by stage: all its tasks are done */
    int64_t *duration_ns;
    struct br_alternatives ways; /* of the job that is left */
    struct br_diag *diag;
};

/* ---- The job ---- */

static bool left_make_room(struct left *left)
{
    const struct br_dag *dag = left->dag;
    left->done = calloc((size_t)dag->tasks + 1, sizeof *left->done);
    left->by = calloc((size_t)dag->tasks + 1, sizeof *left->by);
    left->over = calloc((size_t)dag->stages + 1, sizeof *left->over);
    left->duration_ns = calloc((size_t)dag->tasks + 1, sizeof *left->duration_ns);
    return left->done && left->by && left->over && left->duration_ns;
}

static void left_finish(struct left *left)
{
    free(left->done);
    free(left->by);
    free(left->over);
    free(left->duration_ns);
    free(left->ways.alternative);
    free(left->ways.duration_ns);
}

/* Finds the stages that are over, and durations; false if no task is done. */
static bool left_look_over(struct left *left)
{
    const struct br_dag *dag = left->dag;
    bool any = false;
    for (uint32_t s = 0; s < dag->stages; s++) {
        const struct br_stage *stage = &dag->stage[s];
        left->over[s] = true;
        for (uint32_t t = stage->first_task; t < stage->first_task + stage->tasks; t++) {
            left->over[s] &= left->done[t];
            any |= left->done[t];
            left->duration_ns[t] = left->done[t] ? 0 : dag->duration_ns[t];
        }
    }
    return any;
}

/* The alternatives of the job that is left: none of stages that are over. */
static bool left_make_ways(struct left *left)
{
    const struct br_dag *dag = left->dag;
    const struct br_alternatives *from = dag->alternatives;
    size_t durations = 0;
    for (uint32_t a = 0; a < from->count; a++)
        durations += from->alternative[a].id ? dag->stage[from->alternative[a].stage].tasks : 0;
    left->ways = *from;
    left->ways.alternative = malloc(((size_t)from->count + 1) * sizeof *from->alternative);
    left->ways.duration_ns = malloc((durations + 1) * sizeof *from->duration_ns);
    if (!left->ways.alternative || !left->ways.duration_ns)
        return false;
    for (uint32_t a = 0; a < from->count; a++) {
        const struct br_alternative *way = &from->alternative[a];
        const struct br_stage *stage = &dag->stage[way->stage];
        left->ways.alternative[a] = *way;
        if (left->over[way->stage])
            left->ways.alternative[a] = (struct br_alternative){.stage = way->stage};
        for (uint32_t i = 0; way->id && i < stage->tasks; i++)
            left->ways.duration_ns[way->first_duration + i] =
                left->done[stage->first_task + i] ? 0 : from->duration_ns[way->first_duration + i];
    }
    return true;
}

static enum br_status left_make_job(struct left *left, struct br_dag **made)
{
    const struct br_dag *dag = left->dag;
    if (dag->alternatives && !left_make_ways(left))
        return br_fail_memory(left->diag);
    const struct br_needs needs = {.duration_ns = left->duration_ns,
                                   .bare = left->over,
                                   .alternatives = dag->alternatives ? &left->ways : NULL};
    enum br_status status = br_dag_with(dag, &needs, made, left->diag);
    /* The job of the journal was planned with these classes, so they are no mistake. */
    if (!status && (*made)->alternatives)
        (*made)->alternatives->classes_lost = true;
    return status;
}

/* ---- What has been consumed ---- */

static struct br_decimal left_amount(const struct br_dag *dag, uint32_t way, uint32_t resource)
{
    const struct br_alternatives *all = dag->alternatives;
    const struct br_alternative *a = &all->alternative[way];
    for (uint32_t k = a->first_consumed; k < a->first_consumed + a->consumed; k++)
        if (all->consumed[k].resource == resource)
            return all->consumed[k].amount;
    return (struct br_decimal){0};
}

/* What a task of the stage consumes by the alternative (from 1; 0: unknown, so the most), and the
 * least that one does. */
static struct br_decimal left_consumed(const struct br_dag *dag, uint32_t stage, uint32_t by,
                                       uint32_t resource, struct br_decimal *least)
{
    const struct br_alternatives *all = dag->alternatives;
    const uint32_t first = all->stage_first[stage], end = all->stage_first[stage + 1];
    struct br_decimal most = *least = left_amount(dag, first, resource);
    for (uint32_t a = first + 1; a < end; a++) {
        const struct br_decimal amount = left_amount(dag, a, resource);
        most = br_decimal_compare(amount, most) > 0 ? amount : most;
        *least = br_decimal_compare(amount, *least) < 0 ? amount : *least;
    }
    return by && by <= end - first ? left_amount(dag, first + by - 1, resource) : most;
}

/* Takes `amount` from what the cluster shares, in units of so many digits; all of it if there is
 * not that much, or if the numbers are too large. */
static void left_take(int64_t *has, struct br_decimal amount, int32_t digits)
{
    int64_t scaled;
    *has = br_decimal_scale(amount, digits, &scaled) && scaled <= *has ? *has - scaled : 0;
}

/* A stage that is not over is planned with all its tasks, and those that are done consume at least
 * the least once more in that plan: this is left to them. */
static void left_take_budget(const struct left *left, uint32_t resource, struct br_capacity *shared)
{
    const struct br_dag *dag = left->dag;
    int32_t digits = shared->amount.exponent < 0 ? -shared->amount.exponent : 0;
    int64_t has;
    for (uint32_t k = 0; k < dag->alternatives->count; k++) {
        const struct br_decimal amount = left_amount(dag, k, resource);
        digits = -amount.exponent > digits ? -amount.exponent : digits;
    }
    if (!br_decimal_scale(shared->amount, digits, &has))
        return; /* more than tasks can consume */
    for (uint32_t s = 0; s < dag->stages; s++) {
        const struct br_stage *stage = &dag->stage[s];
        for (uint32_t t = stage->first_task; t < stage->first_task + stage->tasks; t++) {
            struct br_decimal least;
            int64_t back = 0;
            if (!left->done[t])
                continue;
            left_take(&has, left_consumed(dag, s, left->by[t], resource, &least), digits);
            if (!left->over[s] && br_decimal_scale(least, digits, &back))
                has += back;
        }
    }
    shared->amount = br_decimal_unscale(has, digits);
}

static void left_take_budgets(const struct left *left, struct br_cluster *cluster)
{
    const struct br_dag *dag = left->dag;
    for (uint32_t k = 0; k < cluster->shareds; k++)
        for (uint32_t r = 0; r < dag->resources; r++)
            if (strcmp(dag->resource[r].name, cluster->shared[k].resource) == 0)
                left_take_budget(left, r, &cluster->shared[k]);
}

/* Did tasks that are done run by another alternative than that of the plan? */
static bool left_differs(const struct left *left, const struct br_plan *plan)
{
    for (uint32_t t = 0; t < left->dag->tasks; t++)
        if (left->done[t] && left->by[t] && left->by[t] != br_plan_alternative(plan, t) + 1)
            return true;
    return false;
}

enum br_status cli_run_left_take(const char *journal, const struct br_plan *plan,
                                 struct br_dag **dag, struct br_cluster *cluster, bool *less,
                                 struct br_diag *diag)
{
    struct left left = {.dag = *dag, .diag = diag};
    const bool consumes = left.dag->alternatives && left.dag->alternatives->any_consumed;
    struct br_dag *made = NULL;
    *less = false;
    if (!br_selected_splits(left.dag))
        return BR_OK;
    enum br_status status = left_make_room(&left) ? BR_OK : br_fail_memory(diag);
    if (!status)
        status = br_journal_look(journal, left.dag, left.done, left.by, diag);
    *less = !status && left_look_over(&left) && (!plan || (consumes && left_differs(&left, plan)));
    if (*less)
        status = left_make_job(&left, &made);
    if (made && consumes)
        left_take_budgets(&left, cluster);
    left_finish(&left);
    if (made) {
        br_dag_destroy(*dag);
        *dag = made;
    }
    return status;
}
