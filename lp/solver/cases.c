#include "lp/solver/cases.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "planner/bounds/measure.h"
#include "planner/bounds/window.h"

/* Groups that with what comes before them make less than this share of the bound are left. */
#define WORTH 0.6
/* Cases within cases. */
enum { DEEP = 40 };

/* The job from one end: which stages are ahead of which, and what each group would take by work. */
struct listing {
    const struct br_instance *in;
    const struct br_measures *measures;
    const int64_t *head; /* by stage */
    uint64_t behind[64]; /* of each stage: itself and all that follow from it */
    bool waits[64];      /* for some stage by a barrier */
    bool last;
};

static const struct br_arc *solver_cases_arcs_ahead(const struct br_instance *in, bool last,
                                                    uint32_t s, uint32_t *count)
{
    const uint32_t *first = last ? in->child_first : in->parent_first;
    *count = first[s + 1] - first[s];
    return (last ? in->child : in->parent) + first[s];
}

static void solver_cases_look_behind(struct listing *l)
{
    uint32_t n = l->in->stages;
    assert(n <= 64);
    for (uint32_t s = 0; s < n; s++) {
        l->behind[s] = UINT64_C(1) << s;
        l->waits[s] = false;
    }
    for (uint32_t k = 0; k < n; k++) {
        uint32_t s = l->in->topological[l->last ? k : n - 1 - k], count;
        const struct br_arc *arc = solver_cases_arcs_ahead(l->in, l->last, s, &count);
        for (uint32_t a = 0; a < count; a++) {
            l->behind[arc[a].stage] |= l->behind[s];
            l->waits[s] |= !arc[a].one_to_one;
        }
    }
}

/* The work of the stages by capacity, under the measure that makes most of it. */
static double solver_cases_work_of(const struct listing *l, uint64_t members)
{
    double most = 0;
    for (uint32_t m = 0; m < l->measures->count; m++) {
        const struct br_measure *measure = &l->measures->measure[m];
        double sum = 0;
        for (uint32_t s = 0; s < l->in->stages; s++)
            if (members >> s & 1)
                sum += (double)l->measures->work[s] * (double)measure->weight[s];
        sum /= (double)measure->capacity;
        most = sum > most ? sum : most;
    }
    return most;
}

static int solver_cases_worthier(const void *a, const void *b)
{
    const struct lp_group *x = a, *y = b;
    if (x->worth != y->worth)
        return x->worth > y->worth ? -1 : 1;
    if (x->last != y->last)
        return x->last ? 1 : -1;
    return x->members < y->members ? -1 : x->members > y->members;
}

/* Replaces the worst if there is no room. */
static void solver_cases_list_group(const struct listing *l, struct lp_groups *groups,
                                    const uint32_t *stage, uint32_t cases, double least)
{
    struct lp_group g = {.last = l->last, .cases = cases, .head = INT64_MAX};
    for (uint32_t k = 0; k < cases; k++) {
        for (uint32_t i = 0; i < k; i++)
            if (l->behind[stage[i]] >> stage[k] & 1 || l->behind[stage[k]] >> stage[i] & 1)
                return;
        g.stage[k] = stage[k];
        g.members |= l->behind[stage[k]];
        g.head = l->head[stage[k]] < g.head ? l->head[stage[k]] : g.head;
    }
    double worth = (double)g.head + solver_cases_work_of(l, g.members);
    if (worth < least)
        return;
    g.worth = (int64_t)worth;
    uint32_t at = groups->count;
    if (at == LP_GROUPS_MOST && solver_cases_worthier(&g, &groups->group[at - 1]) >= 0)
        return;
    at -= at == LP_GROUPS_MOST;
    for (; at > 0 && solver_cases_worthier(&g, &groups->group[at - 1]) < 0; at--)
        groups->group[at] = groups->group[at - 1];
    assert(at < LP_GROUPS_MOST);
    groups->group[at] = g;
    groups->count += groups->count < LP_GROUPS_MOST;
}

static void list_from(struct listing *l, struct lp_groups *groups, double least)
{
    uint32_t n = l->in->stages, stage[LP_CASES_MOST];
    solver_cases_look_behind(l);
    for (stage[0] = 0; stage[0] < n; stage[0]++)
        for (stage[1] = stage[0] + 1; l->waits[stage[0]] && stage[1] < n; stage[1]++) {
            if (!l->waits[stage[1]])
                continue;
            solver_cases_list_group(l, groups, stage, 2, least);
            for (stage[2] = stage[1] + 1; stage[2] < n; stage[2]++)
                if (l->waits[stage[2]])
                    solver_cases_list_group(l, groups, stage, 3, least);
        }
}

bool lp_groups_list(struct lp_groups *groups, const struct br_instance *part, int64_t proven)
{
    struct br_measures measures = {0};
    struct br_windows windows = {0};
    *groups = (struct lp_groups){0};
    if (part->stages > 64 || (part->machines == 1 && part->tasks == part->stages))
        return true;
    bool ok = br_measures_init(&measures, part, false) &&
              br_windows_init(&windows, part, BR_LENGTH_WAVES, &measures);
    for (int last = 0; ok && last < 2; last++) {
        struct listing l = {.in = part,
                            .measures = &measures,
                            .head = last ? windows.stage_tail : windows.stage_head,
                            .last = last};
        list_from(&l, groups, WORTH * (double)proven);
    }
    br_windows_finish(&windows);
    br_measures_finish(&measures);
    return ok;
}

void lp_groups_sort(struct lp_groups *groups)
{
    uint32_t kept = 0;
    for (uint32_t k = 0; k < groups->count; k++)
        if (groups->group[k].proof) {
            groups->group[kept] = groups->group[k];
            groups->group[kept].worth = groups->group[k].head + groups->group[k].proof->bound;
            kept++;
        }
    groups->count = kept;
    qsort(groups->group, kept, sizeof *groups->group, solver_cases_worthier);
}

/* Raises those of the stage's tasks to `at`; whether there was one to raise. */
static bool solver_cases_raise_stage(const struct br_instance *in, uint32_t s, int64_t at,
                                     int64_t *head)
{
    bool any = false;
    for (uint32_t t = in->stage_first[s]; t < in->stage_first[s + 1]; t++)
        if (head[t] < at) {
            head[t] = at;
            any = true;
        }
    return any;
}

/* Narrows the windows by the case that the stage begins the group, or ends it, as the checker does.
 * Returns whether that changed anything. */
static bool solver_cases_suppose(const struct br_instance *in, const struct lp_group *g, uint32_t s,
                                 struct br_task_windows *w)
{
    assert(g->proof && g->members >> s & 1);
    int64_t *early = g->last ? w->tail : w->head, *late = g->last ? w->head : w->tail;
    int64_t least = INT64_MAX;
    bool any = false;
    uint32_t count;
    const struct br_arc *arc = solver_cases_arcs_ahead(in, g->last, s, &count);
    for (uint32_t t = in->stage_first[s]; t < in->stage_first[s + 1]; t++)
        least = early[t] < least ? early[t] : least;
    for (uint32_t u = 0; u < in->stages; u++)
        if (g->members >> u & 1)
            any |= solver_cases_raise_stage(in, u, least, early);
    for (uint32_t a = 0; a < count; a++)
        if (!arc[a].one_to_one)
            any |= solver_cases_raise_stage(in, arc[a].stage, g->proof->bound, late);
    return any;
}

/* Cases of one group, from windows that hold. */
struct trial {
    struct br_arena arena[LP_CASES_MOST];
    struct lp_outcome out[LP_CASES_MOST];
    uint32_t tried, open; /* of these so many are open, */
    uint32_t last_open;   /* and one of them */
};

static bool copy_windows(struct br_arena *arena, const struct br_instance *in,
                         const struct br_task_windows *from, struct br_task_windows *to)
{
    to->head = br_arena_array(arena, in->tasks, sizeof *to->head);
    to->tail = br_arena_array(arena, in->tasks, sizeof *to->tail);
    if (!to->head || !to->tail)
        return false;
    memcpy(to->head, from->head, in->tasks * sizeof *to->head);
    memcpy(to->tail, from->tail, in->tasks * sizeof *to->tail);
    return true;
}

/* Tries the cases until two are open, or one says nothing. False when the budget or memory is out.
 */
static bool try_cases(struct lp_attempt *a, const struct lp_group *g, int64_t makespan,
                      const struct br_task_windows *windows, struct trial *t)
{
    struct br_task_windows supposed[LP_CASES_MOST];
    *t = (struct trial){0};
    for (uint32_t k = 0; k < g->cases; k++) {
        if (!copy_windows(&t->arena[k], a->part, windows, &supposed[k]))
            return false;
        if (!solver_cases_suppose(a->part, g, g->stage[k], &supposed[k])) {
            t->open = 2;
            return true;
        }
    }
    for (; t->tried < g->cases && t->open < 2; t->tried++) {
        t->out[t->tried] = lp_attempt(a, &t->arena[t->tried], makespan, &supposed[t->tried]);
        if (t->out[t->tried].answer == LP_SPENT)
            return false;
        if (t->out[t->tried].answer == LP_OPEN) {
            t->open++;
            t->last_open = t->tried;
        }
    }
    return true;
}

/* Writes the cases into the proof of the windows that they began with; *open receives the place of
 * the one that is not refuted, or NULL. False when memory is out. */
static bool solver_write_cases(const struct lp_attempt *a, const struct lp_group *g,
                               struct trial *t, struct br_arena *arena, struct br_proof *proof,
                               struct br_proof **open)
{
    assert(g->proof && t->tried == g->cases && t->open < 2);
    proof->kind = g->last ? BR_PROOF_LAST : BR_PROOF_FIRST;
    proof->group = g->proof;
    proof->when = br_arena_array(arena, g->cases, sizeof *proof->when);
    *open = NULL;
    if (!proof->when)
        return false;
    for (uint32_t k = 0; k < g->cases; k++) {
        struct br_proof *inner = br_arena_alloc(arena, sizeof *inner);
        if (!inner)
            return false;
        *inner = t->out[k].proof;
        inner->stages = 0;
        inner->stage = NULL;
        uint32_t task = a->part->stage_first[g->stage[k]];
        proof->when[proof->cases++] =
            (struct br_proof_case){a->whole->task_stage[a->part->task_origin[task]], inner};
        if (t->open > 0 && t->last_open == k)
            *open = inner;
        br_arena_join(arena, &t->arena[k]);
    }
    return true;
}

static void to_front(struct lp_groups *groups, uint32_t k)
{
    assert(k < groups->count);
    struct lp_group g = groups->group[k];
    memmove(&groups->group[1], &groups->group[0], k * sizeof g);
    groups->group[0] = g;
}

enum lp_answer lp_cases_refute(struct lp_attempt *a, struct lp_groups *groups,
                               struct br_arena *arena, int64_t makespan, struct br_proof *proof)
{
    struct lp_outcome out = lp_attempt(a, arena, makespan, NULL);
    struct br_proof *at = proof;
    *proof = out.proof;
    for (uint32_t k = 0, depth = 0; out.answer == LP_OPEN && k < groups->count && depth < DEEP;) {
        struct trial t;
        bool ok = try_cases(a, &groups->group[k], makespan, &out.windows, &t);
        if (ok && t.open < 2) {
            struct br_proof *open;
            ok = solver_write_cases(a, &groups->group[k], &t, arena, at, &open);
            out.answer = open ? LP_OPEN : LP_REFUTED;
            if (open) {
                at = open;
                out.windows = t.out[t.last_open].windows;
            }
            to_front(groups, k);
            depth++;
            k = 0;
        } else {
            k++;
        }
        for (uint32_t i = 0; i < LP_CASES_MOST; i++)
            br_arena_finish(&t.arena[i]);
        if (!ok)
            return LP_SPENT;
    }
    return out.answer;
}
