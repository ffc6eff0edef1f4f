/* Rises of bounds, each an entry of the trail; sides of one variable chain their entries. */
#include "planner/exact/propagate/trail.h"

#include "base/collections/grow.h"
#include "base/collections/memory.h"

/* The task is on a machine on which it may be; at once, if there is only one. */
static void limit_machines(struct br_lcg_trail *t, const struct br_lcg_problem *p, uint32_t task)
{
    uint32_t count = 0, last = 0;
    for (uint32_t m = 0; m < p->machines; m++) {
        bool may = p->may[(size_t)task * p->machines + m];
        t->now[2 * br_lcg_on(p, task, m) + 1] = may ? -1 : 0;
        count += may;
        last = may ? m : last;
    }
    if (count == 1)
        t->now[2 * br_lcg_on(p, task, last)] = 1;
}

bool br_lcg_trail_init(struct br_lcg_trail *t, const struct br_lcg_problem *p,
                       struct br_arena *arena)
{
    *t = (struct br_lcg_trail){
        .tasks = p->tasks, .makespan = p->tasks, .sides = 2 * br_lcg_variables(p)};
    if (!BR_ARRAY(arena, t->sides, t->now) || !BR_ARRAY(arena, t->sides, t->root) ||
        !BR_ARRAY(arena, t->sides, t->seen) || !BR_ARRAY(arena, t->sides, t->latest))
        return false;
    int32_t makespan = 0;
    for (uint32_t k = 0; k < t->tasks; k++) {
        int32_t end = p->earliest[k] + p->duration[k];
        t->now[2 * k] = p->earliest[k];
        t->now[2 * k + 1] = -p->latest[k];
        makespan = end > makespan ? end : makespan;
    }
    t->now[2 * t->makespan] = makespan;
    t->now[2 * t->makespan + 1] = -p->horizon;
    for (uint32_t k = 0; k < p->pairs; k++)
        t->now[2 * br_lcg_order_of(p, k) + 1] = -1;
    for (uint32_t k = 0; p->choices && k < p->choices->ways; k++)
        t->now[2 * br_lcg_takes(p, k) + 1] = -1;
    for (uint32_t k = 0; k < t->tasks; k++)
        if (br_lcg_is_assigned(p, k))
            limit_machines(t, p, k);
    for (uint32_t side = 0; side < t->sides; side++) {
        t->root[side] = t->seen[side] = t->now[side];
        t->latest[side] = BR_LCG_NONE;
    }
    return true;
}

void br_lcg_trail_finish(struct br_lcg_trail *t)
{
    br_free(t->entry);
    br_free(t->level_start);
}

bool br_lcg_raise(struct br_lcg_trail *t, struct br_lcg_literal l, uint32_t reason, int32_t at)
{
    assert(l.side < t->sides && t->now[l.side] < l.bound);
    if (br_lcg_false(t, l)) {
        t->conflict = (struct br_lcg_conflict){l, reason, at};
        return false;
    }
    if (!br_grow(&t->entry, t->count, &t->room, sizeof *t->entry)) {
        t->memory_out = true;
        return false;
    }
    t->entry[t->count] = (struct br_lcg_entry){
        .side = l.side,
        .value = l.bound,
        .before = t->now[l.side],
        .previous = t->latest[l.side],
        .level = t->level,
        .reason = reason,
        .at = at,
    };
    t->latest[l.side] = t->count++;
    t->now[l.side] = l.bound;
    if (t->level == 0)
        t->root[l.side] = l.bound;
    return true;
}

bool br_lcg_trail_open_level(struct br_lcg_trail *t)
{
    assert(t->head == t->count); /* all is propagated before the next decision */
    if (!br_grow(&t->level_start, t->level + 1, &t->level_room, sizeof *t->level_start)) {
        t->memory_out = true;
        return false;
    }
    t->level_start[++t->level] = t->count;
    return true;
}

void br_lcg_trail_close_levels(struct br_lcg_trail *t, uint32_t level)
{
    assert(level < t->level && t->count == t->level_start[level + 1]);
    t->level = level;
    t->head = t->count; /* all was propagated before the next level was opened */
}

uint32_t br_lcg_entry_of(const struct br_lcg_trail *t, struct br_lcg_literal l)
{
    assert(br_lcg_true(t, l));
    uint32_t e = t->latest[l.side];
    while (e != BR_LCG_NONE && t->entry[e].before >= l.bound)
        e = t->entry[e].previous;
    return e;
}

int32_t br_lcg_value_before(const struct br_lcg_trail *t, uint32_t side, uint32_t entry)
{
    int32_t value = t->now[side];
    for (uint32_t e = t->latest[side]; e != BR_LCG_NONE && e >= entry; e = t->entry[e].previous)
        value = t->entry[e].before;
    return value;
}

bool br_lcg_append(struct br_lcg_trail *t, struct br_lcg_literals *list, struct br_lcg_literal l)
{
    if (!br_grow(&list->item, list->count, &list->room, sizeof *list->item)) {
        t->memory_out = true;
        return false;
    }
    list->item[list->count++] = l;
    return true;
}
