/* The search: decide, propagate, learn, restart.
 *
 * It begins as schedule generation does, with the task that can start earliest at its earliest
 * start, and changes over to the literals that conflicts were about [Schutt11]. Literals
 * take the phase that they had last. */
#include <assert.h>

#include "planner/exact/lcg.h"

#include "base/stop.h"

enum { HOT_START = 256, RESTART_UNIT = 128, REDUCE_FIRST = 3000, REDUCE_STEP = 500 };

/* [Luby93]: 1 1 2 1 1 2 4 ... */
static uint64_t luby(uint64_t k)
{
    uint64_t size = 1, power = 0;
    while (size < k + 1) {
        size = 2 * size + 1;
        power++;
    }
    while (size - 1 != k) {
        size = (size - 1) / 2;
        assert(size > 0); /* k is below it, so at 1 it is found */
        power--;
        k %= size;
    }
    return UINT64_C(1) << power;
}

/* The open start that can be earliest; of equals that with the least slack. */
static uint32_t earliest_task(const struct br_lcg *s)
{
    uint32_t best = BR_LCG_NONE;
    for (uint32_t t = 0; t < s->tasks; t++) {
        int32_t lower = br_lcg_lower(s, t), upper = br_lcg_upper(s, t);
        if (lower == upper)
            continue;
        if (best == BR_LCG_NONE || lower < br_lcg_lower(s, best) ||
            (lower == br_lcg_lower(s, best) && upper < br_lcg_upper(s, best)))
            best = t;
    }
    return best;
}

/* The literal to make true next; false when all starts are fixed. */
static bool choose(struct br_lcg *s, struct br_lcg_literal *l)
{
    uint32_t node = s->conflicts < HOT_START ? BR_LCG_NONE : br_lcg_heap_pop(s);
    if (node != BR_LCG_NONE) {
        const struct br_lcg_node *n = &s->node[node];
        *l = (struct br_lcg_literal){2 * n->variable, n->bound};
        if (!n->phase)
            *l = br_lcg_negation(*l);
        return true;
    }
    uint32_t task = earliest_task(s);
    if (task == BR_LCG_NONE)
        return false;
    *l = (struct br_lcg_literal){2 * task + 1, -br_lcg_lower(s, task)};
    return true;
}

static bool decide(struct br_lcg *s, struct br_lcg_literal l)
{
    s->decisions++;
    return br_lcg_new_level(s) &&
           br_lcg_push(s, l.side, l.bound, br_lcg_why(BR_LCG_DECISION, 0), 0);
}

static void restart(struct br_lcg *s)
{
    s->restarts++;
    br_lcg_backtrack(s, 0);
    s->restart_at = s->conflicts + RESTART_UNIT * luby(s->luby++);
    if (s->conflicts >= s->reduce_at) {
        br_lcg_reduce(s);
        s->reduce_at = s->conflicts + REDUCE_FIRST + REDUCE_STEP * ++s->reductions;
    }
}

enum br_lcg_end br_lcg_search(struct br_lcg *s, uint64_t conflicts, const struct br_stop *stop)
{
    uint64_t end = s->conflicts + conflicts;
    br_lcg_backtrack(s, 0);
    for (;;) {
        if (!br_lcg_propagate(s)) {
            do {
                if (s->failed)
                    return BR_LCG_BUDGET;
                if (!br_lcg_learn(s) && (s->failed || s->level == 0))
                    return s->failed ? BR_LCG_BUDGET : BR_LCG_INFEASIBLE;
            } while (!br_lcg_propagate(s));
        }
        if (s->conflicts >= end || br_stopped(stop))
            return BR_LCG_BUDGET;
        if (s->conflicts >= s->restart_at && s->level > 0) {
            restart(s);
            continue;
        }
        struct br_lcg_literal l = {2 * s->makespan + 1, -s->supposed};
        if (s->level == 0 && s->supposed != INT32_MAX) {
            if (br_lcg_false(s, l))
                return BR_LCG_RAISED;
            if (br_lcg_true(s, l))
                s->supposed = INT32_MAX;
            else if (!decide(s, l))
                return BR_LCG_BUDGET;
            else
                continue;
        }
        if (!choose(s, &l))
            return BR_LCG_SOLUTION;
        if (!decide(s, l))
            return BR_LCG_BUDGET;
    }
}
