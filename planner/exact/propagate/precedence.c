/* The arcs, grouped by the side from which they push: ends push starts right, starts push ends
 * left, and the makespan follows every task that no other task follows. */
#include "planner/exact/propagate/precedence.h"

#include "base/collections/csr.h"
#include "base/collections/memory.h"

bool br_lcg_precedence_init(struct br_lcg_precedence *c, const struct br_lcg_problem *p,
                            struct br_lcg_trail *trail, struct br_arena *arena)
{
    *c = (struct br_lcg_precedence){.trail = trail};
    bool *last = br_malloc(((size_t)p->tasks + 1) * sizeof *last);
    bool ok = last && BR_ARRAY(arena, br_csr_room(trail->sides), c->first) &&
              BR_ARRAY(arena, 2 * ((size_t)p->arcs + p->tasks), c->arc);
    if (!ok)
        goto out;
    for (uint32_t t = 0; t < p->tasks; t++)
        last[t] = true;
    for (uint32_t a = 0; a < p->arcs; a++)
        last[p->arc[a].from] = false;
    for (int write = 0; write < 2; write++) {
        for (uint32_t k = 0; k < p->arcs + p->tasks; k++) {
            uint32_t t = k - p->arcs;
            struct br_lcg_problem_arc arc;
            if (k < p->arcs)
                arc = p->arc[k];
            else if (last[t])
                arc = (struct br_lcg_problem_arc){t, trail->makespan, p->duration[t]};
            else
                continue;
            uint32_t right = 2 * arc.from, left = 2 * arc.to + 1;
            if (write) {
                c->arc[br_csr_place(c->first, right)] =
                    (struct br_lcg_arc){right, 2 * arc.to, arc.lag};
                c->arc[br_csr_place(c->first, left)] =
                    (struct br_lcg_arc){left, 2 * arc.from + 1, arc.lag};
            } else {
                br_csr_count(c->first, right);
                br_csr_count(c->first, left);
            }
        }
        if (!write)
            br_csr_sum(c->first, trail->sides);
    }
out:
    br_free(last);
    return ok;
}
