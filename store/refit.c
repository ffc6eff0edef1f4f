/* List generation in the order of another plan [Kolisch96]: each task on its old machine as soon as
 * that has room, serially on any machine, and in parallel on any machine; the best is kept.
 *
 * If no task lasts longer or demands more and no machine has less, the first of them never starts a
 * task later than the old plan did: by induction over the order, the old start is still free and
 * after all parents. The other two follow a change of the machines. */
#include "store/refit.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "planner/schedule/dispatch.h"
#include "planner/schedule/keep.h"
#include "planner/schedule/schedule.h"

/* By task of the instance, from the row. */
struct old {
    struct br_order order;
    uint32_t *machine;
};

static bool read_old(struct old *old, const struct br_store_row *row, const struct br_instance *in)
{
    struct br_key *key = malloc((size_t)in->tasks * sizeof *key);
    old->machine = malloc((size_t)in->tasks * sizeof *old->machine);
    bool ok = key && old->machine;
    for (uint32_t t = 0; ok && t < in->tasks; t++) {
        int64_t start_ns;
        br_store_row_cell(row, in->task_origin[t], &start_ns, &old->machine[t]);
        key[t] = (struct br_key){.first = ~start_ns, /* an earlier start gives a larger key */
                                 .second = -(int64_t)in->position[in->task_stage[t]],
                                 .third = in->duration[t]};
    }
    ok = ok && br_order_init(&old->order, in, key);
    free(key);
    return ok;
}

static bool refit_serial(struct br_schedule *schedule, const struct br_instance *in,
                         const struct br_order *order)
{
    struct br_placer *placer = br_placer_create(in);
    bool ok = placer && br_place(placer, BR_FORWARD, schedule->subset, 'S', order, NULL);
    if (ok)
        br_schedule_take(schedule, in, placer, schedule->subset);
    br_placer_destroy(placer);
    return ok;
}

/* The best of the three in *best; the other is scratch. */
static bool refit_generate(struct br_schedule *best, struct br_schedule *other,
                           const struct br_instance *in, const struct old *old)
{
    const enum br_keep kept = br_keep_machines(best, in, &old->order, old->machine);
    if (kept == BR_KEEP_NO_MEMORY || !refit_serial(other, in, &old->order))
        return false;
    if (br_schedule_better(other, best)) /* than none, if the order cannot be kept */
        br_schedule_swap(best, other);
    if (!br_dispatch(other, in, &old->order, BR_DISPATCH_ORDER, NULL))
        return false;
    if (br_schedule_better(other, best))
        br_schedule_swap(best, other);
    uint64_t moved; /* for machines that another order has left free */
    return br_left_shift(best, in, false, NULL, &moved);
}

enum br_status br_store_refit(const struct br_store_row *row, const struct br_dag *dag,
                              const struct br_cluster *cluster, const struct br_instance *in,
                              struct br_plan **result, struct br_diag *diag)
{
    struct old old = {0};
    struct br_schedule best = {0}, other = {0};
    *result = NULL;
    if (!br_store_row_fits(row, dag->tasks))
        return br_fail(diag, BR_NO, NULL, "the stored plan is of another job");
    struct br_plan *plan = br_plan_create(dag->tasks);
    bool ok = plan && read_old(&old, row, in) && br_schedule_init(&best, in) &&
              br_schedule_init(&other, in) && refit_generate(&best, &other, in, &old);
    enum br_status status = ok ? BR_OK : br_fail_memory(diag);
    for (uint32_t t = 0; ok && t < in->tasks; t++) {
        assert(best.start[t] >= 0 && best.machine[t] < cluster->machines);
        plan->start_ns[in->task_origin[t]] = best.start[t] * in->tick_ns;
        plan->machine[in->task_origin[t]] = best.machine[t];
    }
    if (ok) {
        plan->seed = row->seed;
        plan->method = "refitted";
        status = br_store_complete(plan, dag, cluster, in, NULL, NULL, diag);
        if (status == BR_NO) /* never returned as an answer: it would be our own fault */
            status = br_fail(diag, BR_SYSTEM, "report this", "a refitted plan is wrong");
    }
    br_order_finish(&old.order);
    free(old.machine);
    br_schedule_finish(&best);
    br_schedule_finish(&other);
    if (status)
        br_plan_destroy(plan);
    else
        *result = plan;
    return status;
}
