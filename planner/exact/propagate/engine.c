/* Each risen bound goes to the arcs, the order of rivals and the clauses; when the queue is empty,
 * the time-table has a round; and so on until nothing moves. Then it checks the energy in spans of
 * time. */
#include "planner/exact/propagate/engine.h"

#include "base/collections/memory.h"
#include "base/invariant.h"

bool br_lcg_engine_init(struct br_lcg_engine *e, const struct br_lcg_problem *problem)
{
    *e = (struct br_lcg_engine){0};
    br_lcg_clauses_init(&e->clauses, &e->atoms, &e->trail);
    return br_lcg_trail_init(&e->trail, problem, &e->arena) &&
           br_lcg_precedence_init(&e->precedence, problem, &e->trail, &e->arena) &&
           br_lcg_order_init(&e->order, problem, &e->trail, &e->arena) &&
           br_lcg_timetable_init(&e->timetable, problem, &e->trail, &e->arena) &&
           br_lcg_energy_init(&e->energy, problem, &e->trail, &e->arena) &&
           br_lcg_unary_init(&e->unary, problem, &e->trail, &e->arena) &&
           br_lcg_machines_init(&e->machines, problem, &e->trail, &e->arena) &&
           br_lcg_ways_init(&e->ways, problem, &e->trail, &e->arena) &&
           br_lcg_atoms_init(&e->atoms, br_lcg_variables(problem), &e->arena);
}

void br_lcg_engine_finish(struct br_lcg_engine *e)
{
    br_lcg_atoms_finish(&e->atoms);
    br_lcg_clauses_finish(&e->clauses);
    br_lcg_timetable_finish(&e->timetable);
    br_lcg_trail_finish(&e->trail);
    br_free(e->explanation.item);
    br_arena_finish(&e->arena);
}

bool br_lcg_propagate(struct br_lcg_engine *e)
{
    struct br_lcg_trail *trail = &e->trail;
    while (!br_stopped(trail->stop)) {
        uint32_t side;
        int32_t before;
        while ((side = br_lcg_trail_next(trail, &before)) != BR_LCG_NONE) {
            int32_t now = trail->now[side];
            e->propagations++;
            if (e->unary.p && side / 2 < trail->tasks)
                br_lcg_unary_note(&e->unary, side / 2);
            else if (!e->machines.p && !e->ways.p && side / 2 < trail->tasks)
                br_lcg_timetable_note(&e->timetable, side / 2);
            e->machines.moved |= side / 2 != trail->makespan;
            if (e->ways.p)
                br_lcg_ways_note(&e->ways, side / 2);
            if (!br_lcg_precedence_propagate(&e->precedence, side) ||
                !br_lcg_order_propagate(&e->order, side) ||
                !br_lcg_clauses_propagate(&e->clauses, side, before, now))
                return false;
        }
        if (e->machines.p) {
            if (!e->machines.moved)
                return true;
            if (!br_lcg_machines_propagate(&e->machines))
                return false;
            continue;
        }
        if (e->ways.p) {
            if (!e->ways.moved)
                return true;
            if (!br_lcg_ways_propagate(&e->ways))
                return false;
            continue;
        }
        if (e->unary.p)
            return br_lcg_unary_propagate(&e->unary);
        if (e->timetable.moved_count == 0)
            return br_lcg_energy_propagate(&e->energy);
        if (!br_lcg_timetable_propagate(&e->timetable))
            return false;
    }
    return true;
}

/* The negations of all literals of the clause except those that l implies. */
static bool explain_clause(struct br_lcg_engine *e, const struct br_lcg_clause *clause,
                           struct br_lcg_literal l)
{
    for (uint32_t k = 0; k < clause->size; k++)
        if (!br_lcg_follows(l, clause->literal[k]) &&
            !br_lcg_append(&e->trail, &e->explanation, br_lcg_negation(clause->literal[k])))
            return false;
    return true;
}

/* Were all literals of the explanation true before the entry was made? */
static bool explains(const struct br_lcg_engine *e, uint32_t entry)
{
    for (uint32_t k = 0; k < e->explanation.count; k++) {
        struct br_lcg_literal l = e->explanation.item[k];
        if (br_lcg_value_before(&e->trail, l.side, entry) < l.bound)
            return false;
    }
    return true;
}

bool br_lcg_explain(struct br_lcg_engine *e, struct br_lcg_literal l, uint32_t reason, int32_t at,
                    uint32_t entry)
{
    bool ok = true;
    e->explanation.count = 0;
    switch (br_lcg_kind(reason)) {
    case BR_LCG_CLAUSE:
        ok = explain_clause(e, br_lcg_clause_at(&e->clauses, br_lcg_number(reason)), l);
        break;
    case BR_LCG_ARC:
        ok = br_lcg_append(&e->trail, &e->explanation,
                           br_lcg_precedence_explain(&e->precedence, l, br_lcg_number(reason)));
        break;
    case BR_LCG_ORDER:
        ok = br_lcg_order_explain(&e->order, l, br_lcg_number(reason), at, &e->explanation);
        break;
    case BR_LCG_PROFILE:
        ok = br_lcg_timetable_explain(&e->timetable, l, at, entry, &e->explanation);
        break;
    case BR_LCG_MACHINES:
        ok = br_lcg_machines_explain(&e->machines, l, entry, &e->explanation);
        break;
    case BR_LCG_ENERGY: /* a conflict, always */
        ok = br_lcg_energy_explain(&e->energy, reason, at, &e->explanation);
        break;
    case BR_LCG_WAYS:
        ok = br_lcg_ways_explain(&e->ways, l, reason, at, entry, &e->explanation);
        break;
    default: /* a decision, or it holds at the root */
        break;
    }
    br_costly_assert(!ok || explains(e, entry));
    return ok;
}

bool br_lcg_explain_conflict(struct br_lcg_engine *e)
{
    struct br_lcg_conflict c = e->trail.conflict;
    if (!br_lcg_explain(e, c.literal, c.reason, c.at, e->trail.count))
        return false;
    return c.literal.side == BR_LCG_NONE ||
           br_lcg_append(&e->trail, &e->explanation, br_lcg_negation(c.literal));
}

void br_lcg_engine_close_levels(struct br_lcg_engine *e, uint32_t level)
{
    br_lcg_timetable_backtrack(&e->timetable, level);
    e->machines.moved = false;
    br_lcg_unary_backtrack(&e->unary);
    br_lcg_ways_backtrack(&e->ways);
    br_lcg_trail_close_levels(&e->trail, level);
}
