/* Windows made narrower for one makespan by energetic reasoning, written down as claims.
 *
 * In an interval a .. b the mandatory parts of all other tasks leave some room of a measure. A task
 * that would need more than that if it started at its head has to start later: at b less what fits
 * into the room. [Baptiste04] All claims of a pass are found from the windows before it, so that
 * they hold when the checker reaches them; the checker's own passes give the windows after it. */
#include "planner/bounds/tighten.h"

#include <assert.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/collections/memory.h"
#include "base/collections/sort.h"
#include "base/numbers/wide.h"
#include "planner/bounds/certify.h"
#include "planner/bounds/measure.h"
#include "planner/check/proofs/proof.h"

enum { PASSES_MOST = 10, MEASURES_MOST = 12 };
/* Steps that one direction of a pass may take: intervals x measures, and stages looked at for
 * claims. */
#define STEPS_MOST UINT64_C(30000000)

struct claims {
    struct br_proof_claim *claim;
    uint32_t count, room;
};

static int64_t tighten_smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t tighten_larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t tighten_mandatory(int64_t d, int64_t head, int64_t deadline, int64_t from,
                                 int64_t to)
{
    int64_t part = tighten_smaller(tighten_smaller(d, to - from),
                                   tighten_smaller(head + d - from, to - (deadline - d)));
    return part > 0 ? part : 0;
}

static int tighten_upwards(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* Intervals between points at which windows begin or end, times measures. */
static uint64_t tighten_pairs(uint64_t stages, uint64_t measures)
{
    return 2 * stages * stages * (measures + 1);
}

/* Times at which a window begins or ends, and, if there are few stages, at which a task must have
 * ended or begun. */
static uint32_t tighten_list_points(const struct br_proof_check *c, const int64_t *head,
                                    const int64_t *tail, int64_t *point)
{
    const struct br_instance *in = c->in;
    uint32_t count = 0, distinct = 0;
    bool more = 4 * tighten_pairs(in->stages, c->proof->measures) <= STEPS_MOST;
    for (uint32_t s = 0; s < in->stages; s++) {
        int64_t d = in->stage_longest[s], deadline = c->makespan - tail[s];
        if (d == 0)
            continue;
        point[count++] = head[s];
        point[count++] = deadline;
        if (more) {
            point[count++] = head[s] + d;
            point[count++] = deadline - d;
        }
    }
    br_sort_by(point, count, sizeof *point, tighten_upwards);
    for (uint32_t k = 0; k < count; k++)
        if (point[k] >= 0 && point[k] <= c->makespan &&
            (distinct == 0 || point[k] != point[distinct - 1]))
            point[distinct++] = point[k];
    return distinct;
}

/* For a fixed beginning a, the time that a task must run in a .. b grows with b: not before
 * `begin`, then one for one, and no more from `end` on. As a grows, two stages change places in the
 * order of these times only a few times, so that orders kept from a to a by insertion cost stages^2
 * in all, and the time that all must run in all intervals costs stages^2 x measures. [Ouellet18]
 * filters in stages^2 log stages; here the stages are gone through one by one if so little room is
 * left that some task may be too much. */
struct sweep {
    const struct br_proof_check *check;
    const int64_t *head, *tail;
    uint32_t stages, *stage; /* the stages with work whose tasks last equally long */
    uint32_t *by_begin, *by_end;
    int64_t *begin, *end; /* by stage */
    br_wide *sum;         /* by measure: of a .. b */
    br_wide *slope;       /* by measure: the growth of `sum` with b */
    br_wide *top;         /* by measure: the most that one task adds to `sum` */
    int64_t *most;        /* by measure: the largest weight */
    uint64_t steps;       /* steps of looking for claims, counted down */
};

static bool tighten_sweep_init(struct sweep *w, struct br_arena *arena,
                               const struct br_proof_check *c, const int64_t *head,
                               const int64_t *tail)
{
    const struct br_instance *in = c->in;
    uint32_t n = in->stages, m = c->proof->measures;
    *w = (struct sweep){.check = c, .head = head, .tail = tail, .steps = STEPS_MOST};
    w->stage = br_arena_array(arena, n, sizeof *w->stage);
    w->by_begin = br_arena_array(arena, n, sizeof *w->by_begin);
    w->by_end = br_arena_array(arena, n, sizeof *w->by_end);
    w->begin = br_arena_array(arena, n, sizeof *w->begin);
    w->end = br_arena_array(arena, n, sizeof *w->end);
    w->sum = br_arena_array(arena, m, sizeof *w->sum);
    w->slope = br_arena_array(arena, m, sizeof *w->slope);
    w->top = br_arena_array(arena, m, sizeof *w->top);
    w->most = br_arena_array(arena, m, sizeof *w->most);
    if (!w->stage || !w->by_begin || !w->by_end || !w->begin || !w->end || !w->sum || !w->slope ||
        !w->top || !w->most)
        return false;
    for (uint32_t s = 0; s < n; s++)
        if (in->stage_equal[s] && in->stage_longest[s] > 0) {
            w->by_begin[w->stages] = w->by_end[w->stages] = s;
            w->stage[w->stages++] = s;
            for (uint32_t k = 0; k < m; k++)
                w->most[k] = tighten_larger(w->most[k], c->measure[k].weight[s]);
        }
    return true;
}

static void insert_all(uint32_t *order, uint32_t count, const int64_t *time)
{
    for (uint32_t k = 1; k < count; k++) {
        uint32_t s = order[k], at = k;
        for (; at > 0 && time[order[at - 1]] > time[s]; at--)
            order[at] = order[at - 1];
        order[at] = s;
    }
}

static void sweep_from(struct sweep *w, int64_t from)
{
    const struct br_proof_check *c = w->check;
    const struct br_instance *in = c->in;
    for (uint32_t k = 0; k < c->proof->measures; k++)
        w->sum[k] = w->slope[k] = w->top[k] = 0;
    for (uint32_t i = 0; i < w->stages; i++) {
        uint32_t s = w->stage[i];
        int64_t d = in->stage_longest[s], early = tighten_smaller(d, w->head[s] + d - from);
        w->begin[s] = tighten_larger(from, c->makespan - w->tail[s] - d);
        w->end[s] = w->begin[s] + tighten_larger(early, 0);
        for (uint32_t k = 0; k < c->proof->measures && early > 0; k++) {
            br_wide most = (br_wide)early * c->measure[k].weight[s];
            w->top[k] = most > w->top[k] ? most : w->top[k];
        }
    }
    insert_all(w->by_begin, w->stages, w->begin);
    insert_all(w->by_end, w->stages, w->end);
}

static void tighten_turn(struct sweep *w, uint32_t stage, int64_t left, int sign)
{
    const struct br_proof_check *c = w->check;
    int64_t tasks = sign * (int64_t)(c->in->stage_first[stage + 1] - c->in->stage_first[stage]);
    for (uint32_t k = 0; k < c->proof->measures; k++) {
        br_wide slope = (br_wide)tasks * c->measure[k].weight[stage];
        w->slope[k] += slope;
        w->sum[k] += slope * left;
    }
}

/* Raises claim[s] for all stages whose tasks are too much for from .. to if one starts at its head;
 * `sum` is the part of the measure that must run there. */
static void tighten_reason(struct sweep *w, uint32_t measure, br_wide sum, int64_t from, int64_t to,
                           struct br_proof_claim *claim)
{
    const struct br_proof_check *c = w->check;
    const struct br_checked_measure *m = &c->measure[measure];
    br_wide room = (br_wide)m->capacity * (to - from);
    br_wide most = (br_wide)w->most[measure] * (to - from);
    if (room - sum >= (most < w->top[measure] ? most : w->top[measure]) || w->steps < w->stages)
        return;
    w->steps -= w->stages;
    for (uint32_t i = 0; i < w->stages; i++) {
        uint32_t s = w->stage[i];
        int64_t weight = m->weight[s], d = c->in->stage_longest[s],
                deadline = c->makespan - w->tail[s];
        int64_t early = tighten_smaller(tighten_smaller(d, to - from), w->head[s] + d - from);
        if (early <= 0 || w->head[s] >= to || (br_wide)early * weight <= room - sum)
            continue;
        int64_t part = tighten_mandatory(d, w->head[s], deadline, from, to);
        br_wide left = room - (sum - (br_wide)part * weight);
        if (weight == 0 || early <= part || (br_wide)early * weight <= left)
            continue;
        int64_t fits = left >= 0 ? (int64_t)(left / weight) : -1; /* of it in the interval */
        int64_t at = to - fits;
        /* A claim can go no further than the window's end. */
        at = tighten_smaller(at, deadline - d + 1);
        assert(from < to && part <= early);
        if (at > w->head[s] && at > claim[s].at)
            claim[s] = (struct br_proof_claim){s, at, from, to, measure};
    }
}

/* All intervals of points that begin with the a-th. */
static void sweep_over(struct sweep *w, const int64_t *point, uint32_t points, uint32_t a,
                       struct br_proof_claim *claim)
{
    uint32_t begun = 0, ended = 0;
    sweep_from(w, point[a]);
    for (uint32_t b = a + 1; b < points; b++) {
        for (uint32_t k = 0; k < w->check->proof->measures; k++)
            w->sum[k] += w->slope[k] * (point[b] - point[b - 1]);
        for (; begun < w->stages && w->begin[w->by_begin[begun]] < point[b]; begun++)
            tighten_turn(w, w->by_begin[begun], point[b] - w->begin[w->by_begin[begun]], 1);
        for (; ended < w->stages && w->end[w->by_end[ended]] < point[b]; ended++)
            tighten_turn(w, w->by_end[ended], point[b] - w->end[w->by_end[ended]], -1);
        for (uint32_t k = 0; k < w->check->proof->measures; k++)
            tighten_reason(w, k, w->sum[k], point[a], point[b], claim);
    }
}

/* The claims for one direction. Only those that move a window are kept. */
static bool find_claims(struct br_proof_check *c, bool backward, struct claims *out)
{
    const struct br_instance *in = c->in;
    const int64_t *head = backward ? c->stage_tail : c->stage_head;
    const int64_t *tail = backward ? c->stage_head : c->stage_tail;
    struct br_arena own = {0};
    struct sweep sweep = {0};
    int64_t *point = br_arena_array(&own, 4 * (size_t)in->stages, sizeof *point);
    struct br_proof_claim *claim = br_arena_array(&own, in->stages, sizeof *claim);
    bool ok = point && claim && tighten_sweep_init(&sweep, &own, c, head, tail);
    uint32_t points = ok ? tighten_list_points(c, head, tail, point) : 0;
    out->count = 0;
    for (uint32_t a = 0; a < points; a++)
        sweep_over(&sweep, point, points, a, claim);
    for (uint32_t s = 0; ok && s < in->stages; s++)
        if (claim[s].at > 0) {
            ok = br_grow(&out->claim, out->count, &out->room, sizeof *out->claim);
            if (ok) {
                out->claim[out->count] = claim[s];
                out->claim[out->count++].stage = c->proof->stages ? c->proof->stage[s] : s;
            }
        }
    br_arena_finish(&own);
    return ok;
}

static bool tighten_keep(struct br_arena *arena, const struct claims *from,
                         struct br_proof_claim **claim, uint32_t *count)
{
    *claim = br_arena_array(arena, from->count, sizeof **claim);
    if (*claim && from->count)
        memcpy(*claim, from->claim, from->count * sizeof **claim);
    *count = from->count;
    return *claim != NULL;
}

/* Adds the measures of all resources as they are, then cliques, after those that the proof has. */
static bool add_measures(struct br_arena *arena, const struct br_instance *whole,
                         const struct br_instance *part, struct br_proof *proof)
{
    struct br_measures measures;
    if (!br_measures_init(&measures, part, false))
        return false;
    bool ok = true;
    for (int clique = 0; clique < 2; clique++)
        for (uint32_t m = 0; ok && m < measures.count; m++) {
            const struct br_measure *measure = &measures.measure[m];
            bool wanted = clique ? measure->kind == BR_MEASURE_CLIQUE
                                 : measure->kind == BR_MEASURE_RESOURCE && measure->unit == 0;
            if (wanted && proof->measures < MEASURES_MOST)
                ok = br_proof_add_measure(arena, whole, part, measure, proof);
        }
    br_measures_finish(&measures);
    return ok;
}

/* Looks at the windows that the proof gives so far. False when memory is out. */
static bool tighten_look(struct br_proof_check *c, const struct br_task_windows *known,
                         const struct br_proof *proof, const struct br_instance *part)
{
    br_arena_finish(&c->arena);
    *c = (struct br_proof_check){.proof = proof,
                                 .in = part,
                                 .makespan = c->makespan,
                                 .head_from = known ? known->head : NULL,
                                 .tail_from = known ? known->tail : NULL};
    return br_proof_windows(c) == BR_OK;
}

bool br_proof_tighten(struct br_arena *arena, const struct br_instance *whole,
                      const struct br_instance *part, int64_t makespan,
                      const struct br_task_windows *known, struct br_proof *proof,
                      struct br_task_windows *found, bool *overfull)
{
    struct br_proof_check c = {.makespan = makespan};
    struct claims claims = {0};
    uint32_t first = proof->passes, stage;
    struct br_proof_pass *pass = br_arena_array(arena, first + PASSES_MOST, sizeof *pass);
    *overfull = false;
    if (!pass || !add_measures(arena, whole, part, proof))
        return false;
    for (uint32_t k = 0; k < first; k++)
        pass[k] = proof->pass[k];
    proof->pass = pass;
    bool ok = tighten_look(&c, known, proof, part);
    for (int round = 0;
         ok && round < PASSES_MOST && tighten_pairs(part->stages, proof->measures) <= STEPS_MOST;
         round++) {
        *overfull = br_proof_overfull(&c, &stage);
        if (*overfull)
            break;
        struct br_proof_pass *next = &pass[proof->passes];
        if (proof->passes == 0) { /* windows without claims are a pass as well */
            *next = (struct br_proof_pass){0};
            next = &pass[++proof->passes];
            if (round + 1 == PASSES_MOST)
                break;
            round++;
        }
        *next = (struct br_proof_pass){0};
        ok = find_claims(&c, false, &claims) &&
             tighten_keep(arena, &claims, &next->head, &next->heads);
        uint32_t heads = claims.count;
        ok = ok && find_claims(&c, true, &claims) &&
             tighten_keep(arena, &claims, &next->tail, &next->tails);
        if (!ok || heads + claims.count == 0)
            break;
        proof->passes++;
        ok = tighten_look(&c, known, proof, part);
    }
    if (ok && !*overfull)
        *overfull = br_proof_overfull(&c, &stage);
    if (ok) {
        memcpy(found->head, c.head, part->tasks * sizeof *found->head);
        memcpy(found->tail, c.tail, part->tasks * sizeof *found->tail);
    }
    br_free(claims.claim);
    br_arena_finish(&c.arena);
    return ok;
}
