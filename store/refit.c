/* List generation in the order of another plan [Kolisch96]: each task on its old machine as soon as
 * that has room, serially on any machine, and in parallel on any machine; the best is kept.
 *
 * The first of them never starts a task later than the old plan did where no task lasts or demands
 * more and no machine holds less: by induction over the order, the old start is still free and
 * after all parents. The other two follow a change of the machines. */
#include "store/refit.h"

#include <stdlib.h>
#include <string.h>

#include "planner/schedule/dispatch.h"
#include "planner/schedule/schedule.h"

/* By task of the instance, what the row says. */
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
        key[t] = (struct br_key){.first = ~start_ns, /* the sooner the larger */
                                 .second = -(int64_t)in->position[in->task_stage[t]],
                                 .third = in->duration[t]};
    }
    ok = ok && br_order_init(&old->order, in, key);
    free(key);
    return ok;
}

/* Where the tasks of a stage may start. */
struct gate {
    int64_t end;   /* of all its tasks placed so far */
    uint32_t left; /* of its tasks not placed yet */
    int64_t ready; /* after all parents behind barriers; -1: not known yet */
};

/* The least start after the task's parents, or -1: one of them is not placed yet. */
static int64_t after_parents(const struct br_instance *in, struct gate *gate, const int64_t *start,
                             uint32_t task)
{
    const uint32_t s = in->task_stage[task], index = task - in->stage_first[s];
    int64_t ready = gate[s].ready < 0 ? 0 : gate[s].ready;
    for (uint32_t a = in->parent_first[s]; a < in->parent_first[s + 1]; a++) {
        const struct br_arc *arc = &in->parent[a];
        int64_t end = gate[arc->stage].end;
        if (arc->one_to_one) {
            const uint32_t parent = in->stage_first[arc->stage] + index;
            if (start[parent] < 0)
                return -1;
            end = start[parent] + in->duration[parent];
        } else if (gate[s].ready >= 0) {
            continue; /* is in it */
        } else if (gate[arc->stage].left) {
            return -1;
        }
        if (end > ready)
            ready = end;
    }
    return ready;
}

/* Looks at the barriers once a stage. */
static void settle_barriers(const struct br_instance *in, struct gate *gate, uint32_t s)
{
    gate[s].ready = 0;
    for (uint32_t a = in->parent_first[s]; a < in->parent_first[s + 1]; a++)
        if (!in->parent[a].one_to_one && gate[in->parent[a].stage].end > gate[s].ready)
            gate[s].ready = gate[in->parent[a].stage].end;
}

enum outcome { MADE, NOT_IN_ORDER, NO_MEMORY };

/* Each task of the order on its old machine, or on the best one where that does not hold it. */
static enum outcome keep_machines(struct br_schedule *schedule, const struct br_instance *in,
                                  const struct old *old)
{
    struct br_space *space = br_space_create(in);
    struct gate *gate = calloc(in->stages, sizeof *gate);
    uint32_t *sequence = malloc((size_t)in->tasks * sizeof *sequence);
    enum outcome outcome = space && gate && sequence ? MADE : NO_MEMORY;
    for (uint32_t s = 0; outcome == MADE && s < in->stages; s++)
        gate[s] = (struct gate){.left = in->stage_first[s + 1] - in->stage_first[s], .ready = -1};
    for (uint32_t t = 0; outcome == MADE && t < in->tasks; t++) {
        sequence[old->order.place[t]] = t;
        schedule->start[t] = -1;
    }
    for (uint32_t k = 0; outcome == MADE && k < in->tasks; k++) {
        const uint32_t t = sequence[k], s = in->task_stage[t];
        const int64_t from = after_parents(in, gate, schedule->start, t);
        if (from < 0) {
            outcome = NOT_IN_ORDER;
            break;
        }
        if (gate[s].ready < 0)
            settle_barriers(in, gate, s);
        struct br_fit fit = br_space_earliest_on(space, old->machine[t], s, in->duration[t], from);
        if (!br_space_place(space, s, in->duration[t], fit, 1))
            outcome = NO_MEMORY;
        schedule->start[t] = fit.start;
        schedule->machine[t] = fit.machine;
        gate[s].left--;
        if (fit.start + in->duration[t] > gate[s].end)
            gate[s].end = fit.start + in->duration[t];
    }
    if (outcome == MADE)
        br_schedule_measure(schedule, in);
    br_space_destroy(space);
    free(gate);
    free(sequence);
    return outcome;
}

static bool serial(struct br_schedule *schedule, const struct br_instance *in,
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
static bool generate(struct br_schedule *best, struct br_schedule *other,
                     const struct br_instance *in, const struct old *old)
{
    const enum outcome kept = keep_machines(best, in, old);
    if (kept == NO_MEMORY || !serial(other, in, &old->order))
        return false;
    if (kept == NOT_IN_ORDER || br_schedule_better(other, best))
        br_schedule_swap(best, other);
    if (!br_dispatch(other, in, &old->order, BR_DISPATCH_ORDER, NULL))
        return false;
    if (br_schedule_better(other, best))
        br_schedule_swap(best, other);
    return true;
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
              br_schedule_init(&other, in) && generate(&best, &other, in, &old);
    enum br_status status = ok ? BR_OK : br_fail_memory(diag);
    for (uint32_t t = 0; ok && t < in->tasks; t++) {
        plan->start_ns[in->task_origin[t]] = best.start[t] * in->tick_ns;
        plan->machine[in->task_origin[t]] = best.machine[t];
    }
    if (ok) {
        plan->seed = row->seed;
        plan->method = "refitted";
        status = br_store_complete(plan, dag, cluster, in, NULL, NULL, diag);
        if (status == BR_NO) /* never shown as an answer: it is our fault */
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
