/* Windows made narrower for one makespan by energetic reasoning, written down as claims.
 *
 * In an interval a .. b the mandatory parts of all other tasks leave some room of a measure. A task
 * that would need more than that if it started at its head has to start later: at b less what fits
 * into the room. [Baptiste04] All claims of a pass are found from the windows before it, so that
 * they hold when the checker reaches them; the checker's own passes give the windows after it. */
#include "planner/bounds/tighten.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/numbers/wide.h"
#include "planner/bounds/certify.h"
#include "planner/bounds/measure.h"
#include "planner/check/proof.h"

enum { PASSES_MOST = 10, MEASURES_MOST = 8 };
/* Steps (intervals x stages x measures) that one direction of a pass may take. */
#define STEPS_MOST UINT64_C(60000000)

struct claims {
    struct br_proof_claim *claim;
    uint32_t count, room;
};

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t mandatory(int64_t d, int64_t head, int64_t deadline, int64_t from, int64_t to)
{
    int64_t part = smaller(smaller(d, to - from), smaller(head + d - from, to - (deadline - d)));
    return part > 0 ? part : 0;
}

static int upwards(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* Times at which a window begins or ends, and, where there are few stages, at which a task must
 * have ended or begun. */
static uint32_t list_points(const struct br_proof_check *c, const int64_t *head,
                            const int64_t *tail, int64_t *point)
{
    const struct br_instance *in = c->in;
    uint64_t n = in->stages, cost = n * n * n * c->proof->measures;
    uint32_t count = 0, distinct = 0;
    bool more = 16 * cost <= STEPS_MOST;
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
    qsort(point, count, sizeof *point, upwards);
    for (uint32_t k = 0; k < count; k++)
        if (point[k] >= 0 && point[k] <= c->makespan &&
            (distinct == 0 || point[k] != point[distinct - 1]))
            point[distinct++] = point[k];
    return distinct;
}

/* Raises at[s], with the claim that says so, for all stages whose tasks are too much for a .. b
 * when one starts at its head. */
static void reason(const struct br_proof_check *c, uint32_t measure, const int64_t *head,
                   const int64_t *tail, int64_t from, int64_t to, int64_t *part,
                   struct br_proof_claim *claim)
{
    const struct br_instance *in = c->in;
    const struct br_checked_measure *m = &c->measure[measure];
    br_wide sum = 0, room = (br_wide)m->capacity * (to - from);
    for (uint32_t s = 0; s < in->stages; s++) {
        part[s] = 0;
        if (m->weight[s] == 0 || !in->stage_equal[s])
            continue;
        part[s] = mandatory(in->stage_longest[s], head[s], c->makespan - tail[s], from, to);
        sum += (br_wide)part[s] * m->weight[s] * (in->stage_first[s + 1] - in->stage_first[s]);
    }
    for (uint32_t s = 0; s < in->stages; s++) {
        int64_t weight = m->weight[s], d = in->stage_longest[s];
        if (weight == 0 || !in->stage_equal[s] || d == 0 || head[s] >= to)
            continue;
        int64_t early = smaller(smaller(d, to - from), head[s] + d - from);
        br_wide left = room - (sum - (br_wide)part[s] * weight);
        if (early <= part[s] || (br_wide)early * weight <= left)
            continue;
        int64_t fits = left >= 0 ? (int64_t)(left / weight) : -1; /* of it in the interval */
        int64_t at = to - fits;
        /* The window's end is as far as a claim can go. */
        at = smaller(at, c->makespan - tail[s] - d + 1);
        assert(from < to && part[s] <= early);
        if (at > head[s] && at > claim[s].at)
            claim[s] = (struct br_proof_claim){s, at, from, to, measure};
    }
}

/* The claims for one direction. Only those that move a window are kept. */
static bool find_claims(struct br_proof_check *c, bool backward, struct claims *out)
{
    const struct br_instance *in = c->in;
    const int64_t *head = backward ? c->stage_tail : c->stage_head;
    const int64_t *tail = backward ? c->stage_head : c->stage_tail;
    int64_t *point = malloc(4 * (size_t)in->stages * sizeof *point + 8);
    int64_t *part = malloc(((size_t)in->stages + 1) * sizeof *part);
    struct br_proof_claim *claim = calloc((size_t)in->stages + 1, sizeof *claim);
    bool ok = point && part && claim;
    uint32_t points = ok ? list_points(c, head, tail, point) : 0;
    out->count = 0;
    for (uint32_t a = 0; a < points; a++)
        for (uint32_t b = a + 1; b < points; b++)
            for (uint32_t m = 0; m < c->proof->measures; m++)
                reason(c, m, head, tail, point[a], point[b], part, claim);
    for (uint32_t s = 0; ok && s < in->stages; s++)
        if (claim[s].at > 0) {
            ok = br_grow(&out->claim, out->count, &out->room, sizeof *out->claim);
            if (ok) {
                out->claim[out->count] = claim[s];
                out->claim[out->count++].stage = c->proof->stages ? c->proof->stage[s] : s;
            }
        }
    free(point);
    free(part);
    free(claim);
    return ok;
}

static bool keep(struct br_arena *arena, const struct claims *from, struct br_proof_claim **claim,
                 uint32_t *count)
{
    *claim = br_arena_array(arena, from->count, sizeof **claim);
    if (*claim && from->count)
        memcpy(*claim, from->claim, from->count * sizeof **claim);
    *count = from->count;
    return *claim != NULL;
}

/* The measures of all resources as they are, then cliques, after those that the proof has. */
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
static bool look(struct br_proof_check *c, const struct br_proof *proof,
                 const struct br_instance *part)
{
    br_arena_finish(&c->arena);
    *c = (struct br_proof_check){.proof = proof, .in = part, .makespan = c->makespan};
    return br_proof_windows(c) == BR_OK;
}

bool br_proof_tighten(struct br_arena *arena, const struct br_instance *whole,
                      const struct br_instance *part, int64_t makespan, struct br_proof *proof,
                      int64_t *head, int64_t *tail, bool *overfull)
{
    struct br_proof_check c = {.makespan = makespan};
    struct claims found = {0};
    uint32_t first = proof->passes, stage;
    struct br_proof_pass *pass = br_arena_array(arena, first + PASSES_MOST, sizeof *pass);
    uint64_t n = part->stages;
    *overfull = false;
    if (!pass || !add_measures(arena, whole, part, proof))
        return false;
    for (uint32_t k = 0; k < first; k++)
        pass[k] = proof->pass[k];
    proof->pass = pass;
    bool ok = look(&c, proof, part);
    for (int round = 0; ok && round < PASSES_MOST && n * n * n * proof->measures <= STEPS_MOST;
         round++) {
        *overfull = br_proof_overfull(&c, &stage);
        if (*overfull)
            break;
        struct br_proof_pass *next = &pass[proof->passes];
        if (proof->passes == 0) { /* what there is without claims is a pass as well */
            *next = (struct br_proof_pass){0};
            next = &pass[++proof->passes];
            if (round + 1 == PASSES_MOST)
                break;
            round++;
        }
        *next = (struct br_proof_pass){0};
        ok = find_claims(&c, false, &found) && keep(arena, &found, &next->head, &next->heads);
        uint32_t heads = found.count;
        ok = ok && find_claims(&c, true, &found) && keep(arena, &found, &next->tail, &next->tails);
        if (!ok || heads + found.count == 0)
            break;
        proof->passes++;
        ok = look(&c, proof, part);
    }
    if (ok && !*overfull)
        *overfull = br_proof_overfull(&c, &stage);
    for (uint32_t s = 0; ok && s < part->stages; s++) {
        head[s] = c.stage_head[s];
        tail[s] = c.stage_tail[s];
    }
    free(found.claim);
    br_arena_finish(&c.arena);
    return ok;
}
