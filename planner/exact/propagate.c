/* Tells each risen bound to the arcs and clauses that depend on it, then the time-table, until
 * nothing moves. */
#include "planner/exact/lcg.h"

static bool tell(struct br_lcg *s, uint32_t side)
{
    int32_t before = s->told[side], now = s->cur[side];
    uint32_t variable = side / 2;
    s->told[side] = now;
    s->propagations++;
    if (variable < s->tasks)
        br_lcg_mark_dirty(s, variable);
    for (uint32_t a = s->arc_first[side]; a < s->arc_first[side + 1]; a++)
        if (!br_lcg_push(s, s->arc[a].to, now + s->arc[a].lag, br_lcg_why(BR_LCG_ARC, a), 0))
            return false;
    return br_lcg_clauses_told(s, side, before, now);
}

bool br_lcg_propagate(struct br_lcg *s)
{
    for (;;) {
        while (s->head < s->trail_count) {
            uint32_t side = s->trail[s->head++].side;
            if (s->told[side] < s->cur[side] && !tell(s, side))
                return false;
        }
        if (s->dirty_count == 0)
            return true;
        if (!br_lcg_timetable(s))
            return false;
    }
}
