/* Building the solver for a problem, and taking it down. */
#include "planner/exact/lcg.h"

#define ARRAY(count, pointer) ((pointer) = br_arena_array(&s->arena, count, sizeof *(pointer)))

/* The arcs as the sides see them: ends push starts right, starts push ends left, and the makespan
 * follows every task that no other follows, or that has a tail. */
static bool build_arcs(struct br_lcg *s)
{
    const struct br_exact_problem *p = s->p;
    uint32_t *at = calloc((size_t)s->sides + 1, sizeof *at);
    bool *last = malloc(((size_t)s->tasks + 1) * sizeof *last);
    bool ok = at && last && ARRAY((size_t)s->sides + 2, s->arc_first) &&
              ARRAY(2 * ((size_t)p->arcs + s->tasks), s->arc);
    if (!ok)
        goto out;
    for (uint32_t t = 0; t < s->tasks; t++)
        last[t] = true;
    for (uint32_t a = 0; a < p->arcs; a++)
        if (p->tail[p->arc[a].from] <= p->duration[p->arc[a].to] + p->tail[p->arc[a].to])
            last[p->arc[a].from] = false;
    for (int write = 0; write < 2; write++) {
        for (uint32_t k = 0; k < p->arcs + s->tasks; k++) {
            uint32_t t = k - p->arcs;
            struct br_exact_arc arc;
            if (k < p->arcs)
                arc = p->arc[k];
            else if (last[t])
                arc = (struct br_exact_arc){t, s->makespan, p->duration[t] + p->tail[t]};
            else
                continue;
            uint32_t right = 2 * arc.from, left = 2 * arc.to + 1;
            if (write) {
                s->arc[at[right]++] = (struct br_lcg_arc){right, 2 * arc.to, arc.lag};
                s->arc[at[left]++] = (struct br_lcg_arc){left, 2 * arc.from + 1, arc.lag};
            } else {
                s->arc_first[right + 1]++;
                s->arc_first[left + 1]++;
            }
        }
        for (uint32_t side = 0; side < s->sides && !write; side++) {
            s->arc_first[side + 1] += s->arc_first[side];
            at[side] = s->arc_first[side];
        }
    }
out:
    free(at);
    free(last);
    return ok;
}

static bool build(struct br_lcg *s)
{
    const struct br_exact_problem *p = s->p;
    size_t sides = s->sides;
    if (!ARRAY(sides, s->cur) || !ARRAY(sides, s->root) || !ARRAY(sides, s->told) ||
        !ARRAY(sides, s->top) || !ARRAY(sides, s->need) || !ARRAY(sides, s->needed) ||
        !ARRAY(sides, s->implied) || !ARRAY(s->tasks, s->part_from) ||
        !ARRAY(s->tasks, s->part_to) || !ARRAY(s->tasks, s->dirty) ||
        !ARRAY(s->tasks, s->is_dirty) || !ARRAY(s->tasks, s->candidate) ||
        !ARRAY(s->tasks, s->recency) || !ARRAY(s->variables, s->index) ||
        !ARRAY((size_t)p->horizon * p->words, s->free))
        return false;
    int32_t makespan = 0;
    for (uint32_t t = 0; t < s->tasks; t++) {
        int32_t end = p->earliest[t] + p->duration[t] + p->tail[t];
        s->cur[2 * t] = p->earliest[t];
        s->cur[2 * t + 1] = -p->latest[t];
        makespan = end > makespan ? end : makespan;
    }
    s->cur[2 * s->makespan] = makespan;
    s->cur[2 * s->makespan + 1] = -p->horizon;
    for (size_t k = 0; k < sides; k++) {
        s->root[k] = s->told[k] = s->cur[k];
        s->top[k] = BR_LCG_NONE;
        s->need[k] = INT32_MIN;
    }
    for (uint32_t t = 0; t < p->holdings; t++)
        br_lcg_mark_dirty(s, p->holding[t]);
    if (p->words > 0)
        memcpy(s->free, p->free, (size_t)p->horizon * p->words * sizeof *s->free);
    for (size_t k = 0; k < sizeof s->free_piece / sizeof s->free_piece[0]; k++)
        s->free_piece[k] = BR_LCG_NONE;
    return build_arcs(s);
}

struct br_lcg *br_lcg_create(const struct br_exact_problem *problem, uint64_t seed)
{
    struct br_lcg *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->p = problem;
    s->tasks = problem->tasks;
    s->makespan = s->tasks;
    s->variables = s->tasks + 1;
    s->sides = 2 * s->variables;
    s->clause_step = s->node_step = 1;
    s->supposed = INT32_MAX;
    s->rng = br_rng_seed(seed);
    if (build(s))
        return s;
    br_lcg_destroy(s);
    return NULL;
}

void br_lcg_destroy(struct br_lcg *s)
{
    if (!s)
        return;
    for (uint32_t v = 0; s->index && v < s->variables; v++) {
        free(s->index[v].bound);
        free(s->index[v].node);
    }
    br_lcg_record_finish(s);
    free(s->trail);
    free(s->level_start);
    free(s->parts);
    free(s->words);
    free(s->learned);
    free(s->watches);
    free(s->node);
    free(s->heap);
    free(s->reason);
    free(s->lemma);
    free(s->antecedent);
    br_arena_finish(&s->arena);
    free(s);
}
