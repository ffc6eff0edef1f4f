/* Bounds, the trail of how they rose, and the way back. */
#include "planner/exact/lcg.h"

bool br_lcg_add_literal(struct br_lcg *s, struct br_lcg_literal **list, uint32_t *count,
                        uint32_t *room, struct br_lcg_literal l)
{
    if (!br_grow(list, *count, room, sizeof **list)) {
        s->failed = true;
        return false;
    }
    (*list)[(*count)++] = l;
    return true;
}

bool br_lcg_raise(struct br_lcg *s, uint32_t side, int32_t bound, uint32_t why, int32_t at)
{
    if (s->cur[side ^ 1] > -bound) {
        s->failed_literal = (struct br_lcg_literal){side, bound};
        s->failed_why = why;
        s->failed_at = at;
        return false;
    }
    if (!br_grow(&s->trail, s->trail_count, &s->trail_room, sizeof *s->trail)) {
        s->failed = true;
        return false;
    }
    s->trail[s->trail_count] = (struct br_lcg_entry){
        .side = side,
        .value = bound,
        .before = s->cur[side],
        .previous = s->top[side],
        .level = s->level,
        .why = why,
        .at = at,
    };
    s->top[side] = s->trail_count++;
    s->cur[side] = bound;
    if (s->level == 0) {
        s->root[side] = bound;
        if (s->proof && br_lcg_kind(why) == BR_LCG_CLAUSE) {
            /* A lemma of its own, which needs no other clause any more. */
            struct br_lcg_literal l = {side, bound};
            br_lcg_rest_on_clause(s, br_lcg_clause_at(s, br_lcg_number(why)), l);
            s->trail[s->top[side]].why = br_lcg_why(BR_LCG_LEMMA, br_lcg_record(s, &l, 1));
        }
    }
    return true;
}

bool br_lcg_new_level(struct br_lcg *s)
{
    if (!br_grow(&s->level_start, s->level + 1, &s->level_room, sizeof *s->level_start)) {
        s->failed = true;
        return false;
    }
    s->level++;
    s->level_start[s->level] = (struct br_lcg_level){s->trail_count, s->parts_count, 0};
    return true;
}

/* Nodes of the variable that are open again; what they were is their phase. */
static void reopen(struct br_lcg *s, uint32_t variable, int32_t above, int32_t upto, bool phase)
{
    const struct br_lcg_index *index = &s->index[variable];
    if (index->count == 0 || index->bound[index->count - 1] <= above || index->bound[0] > upto)
        return;
    for (uint32_t k = br_lcg_index_above(index, above); k < index->count && index->bound[k] <= upto;
         k++) {
        struct br_lcg_node *node = &s->node[index->node[k]];
        node->phase = phase;
        if (node->heap_place == BR_LCG_NONE)
            br_lcg_heap_insert(s, index->node[k]);
    }
}

void br_lcg_undo(struct br_lcg *s)
{
    const struct br_lcg_entry *e = &s->trail[--s->trail_count];
    s->cur[e->side] = e->before;
    s->top[e->side] = e->previous;
    if (s->told[e->side] > e->before)
        s->told[e->side] = e->before;
    if (e->side & 1)
        reopen(s, e->side / 2, -e->value, -e->before, false);
    else
        reopen(s, e->side / 2, e->before, e->value, true);
}

void br_lcg_backtrack(struct br_lcg *s, uint32_t level)
{
    if (level >= s->level)
        return; /* what is not told yet remains to be told */
    const struct br_lcg_level *start = &s->level_start[level + 1];
    while (s->trail_count > start->trail)
        br_lcg_undo(s);
    br_lcg_parts_undo(s, start->parts);
    s->level = level;
    s->head = s->trail_count; /* all was told before the next level began */
    for (uint32_t k = 0; k < s->dirty_count; k++)
        s->is_dirty[s->dirty[k]] = false;
    s->dirty_count = 0;
}

uint32_t br_lcg_entry_of(const struct br_lcg *s, struct br_lcg_literal l)
{
    uint32_t e = s->top[l.side];
    while (e != BR_LCG_NONE && s->trail[e].before >= l.bound)
        e = s->trail[e].previous;
    return e;
}

int32_t br_lcg_value_before(const struct br_lcg *s, uint32_t side, uint32_t entry)
{
    int32_t value = s->cur[side];
    for (uint32_t e = s->top[side]; e != BR_LCG_NONE && e >= entry; e = s->trail[e].previous)
        value = s->trail[e].before;
    return value;
}
