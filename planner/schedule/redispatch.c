/* Two passes of parallel generation a round. A task that ends late goes first backward, one that
 * starts early first forward, as in justification. */
#include "planner/schedule/redispatch.h"

#include <string.h>

#include "base/collections/memory.h"
#include "base/collections/sort.h"
#include "base/invariant.h"
#include "planner/schedule/dispatch.h"

struct br_redispatch {
    const struct br_instance *in;
    struct br_instance mirrored; /* shares all arrays; the arcs are turned round */
    struct br_order order;
    struct br_sort_item *sort; /* room for two a task */
    uint32_t *next;            /* by stage */
    struct br_schedule right, left;
    uint64_t placements;
};

struct br_redispatch *br_redispatch_create(const struct br_instance *in)
{
    struct br_redispatch *r = br_calloc(1, sizeof *r);
    if (!r)
        return NULL;
    const size_t n = in->tasks;
    r->in = in;
    r->mirrored = *in;
    r->mirrored.child_first = in->parent_first;
    r->mirrored.child = in->parent;
    r->mirrored.parent_first = in->child_first;
    r->mirrored.parent = in->child;
    r->order.place = br_malloc(n * sizeof *r->order.place);
    r->order.by_stage = br_malloc(n * sizeof *r->order.by_stage);
    r->sort = br_malloc(2 * n * sizeof *r->sort);
    r->next = br_malloc(in->stages * sizeof *r->next);
    const bool right = br_schedule_init(&r->right, in), left = br_schedule_init(&r->left, in);
    if (right && left && r->order.place && r->order.by_stage && r->sort && r->next)
        return r;
    br_redispatch_destroy(r);
    return NULL;
}

void br_redispatch_destroy(struct br_redispatch *r)
{
    if (!r)
        return;
    br_order_finish(&r->order);
    br_free(r->sort);
    br_free(r->next);
    br_schedule_finish(&r->right);
    br_schedule_finish(&r->left);
    br_free(r);
}

uint64_t br_redispatch_placements(const struct br_redispatch *r)
{
    return r->placements;
}

/* The tasks by start, or by end from the last; ties by task number. */
static void sort_as(struct br_redispatch *r, const struct br_schedule *from,
                    enum br_direction direction)
{
    const struct br_instance *in = r->in;
    for (uint32_t t = 0; t < in->tasks; t++)
        r->sort[t] = (struct br_sort_item){
            direction == BR_FORWARD ? (uint64_t)from->start[t]
                                    : (uint64_t)(from->makespan - from->start[t] - in->duration[t]),
            t};
    br_sort(r->sort, r->sort + in->tasks, in->tasks);
    memcpy(r->next, in->stage_first, in->stages * sizeof *r->next);
    for (uint32_t k = 0; k < in->tasks; k++) {
        const uint32_t t = r->sort[k].item;
        r->order.place[t] = k;
        r->order.by_stage[r->next[in->task_stage[t]]++] = t;
    }
    br_costly_assert(br_order_is_sound(&r->order, in));
}

/* One pass, in the order of another schedule. */
static bool pass(struct br_redispatch *r, const struct br_schedule *from,
                 enum br_direction direction, struct br_schedule *to, const struct br_stop *stop)
{
    const struct br_instance *in = r->in;
    sort_as(r, from, direction);
    if (!br_dispatch(to, direction == BR_FORWARD ? in : &r->mirrored, &r->order, BR_DISPATCH_ORDER,
                     stop))
        return false;
    r->placements += in->tasks;
    if (direction == BR_FORWARD)
        return true;
    for (uint32_t t = 0; t < in->tasks; t++)
        to->start[t] = to->makespan - to->start[t] - in->duration[t];
    br_schedule_measure(to, in);
    return true;
}

/* All but the subsets. */
static void redispatch_take_over(struct br_schedule *to, const struct br_schedule *from)
{
    memcpy(to->start, from->start, from->tasks * sizeof *to->start);
    memcpy(to->machine, from->machine, from->tasks * sizeof *to->machine);
    to->makespan = from->makespan;
    to->ends = from->ends;
}

bool br_redispatch(struct br_redispatch *r, struct br_schedule *schedule, uint32_t rounds,
                   const struct br_stop *stop)
{
    const struct br_schedule *from = schedule;
    for (; rounds; rounds--) {
        if (!pass(r, from, BR_BACKWARD, &r->right, stop))
            return false;
        if (br_schedule_better(&r->right, schedule))
            redispatch_take_over(schedule, &r->right);
        if (!pass(r, &r->right, BR_FORWARD, &r->left, stop))
            return false;
        if (!br_schedule_better(&r->left, schedule))
            return true;
        redispatch_take_over(schedule, &r->left);
        from = &r->left;
    }
    return true;
}

bool br_redispatch_follow(struct br_redispatch *r, const struct br_schedule *order,
                          struct br_schedule *schedule, const struct br_stop *stop)
{
    if (!pass(r, order, BR_FORWARD, &r->left, stop) ||
        !pass(r, order, BR_BACKWARD, &r->right, stop))
        return false;
    redispatch_take_over(schedule, br_schedule_better(&r->right, &r->left) ? &r->right : &r->left);
    return true;
}
