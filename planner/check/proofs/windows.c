/* Windows: how much time must pass before a task starts and after it ends, derived from the edges
 * and from the claims that a proof lists, each of which is checked when its stage is reached.
 *
 * A pass goes over the stages, parents first. When it reaches stage s:
 *   base = the most of: what `done` says of parents behind barriers, and the claims on s.
 *   Task i may start at base, and, behind a one-to-one edge, when task i of that parent has ended.
 *   done = the most of: the end of every task that starts as early as it may; the earliest start
 *     and the rounds of the stage alone; done of a one-to-one parent and the shortest task; and for
 *     every start h, h and the work of the tasks that start at h or later, by slots.
 * The same pass with all edges turned round gives the time after a task. Windows never widen. */
#include "planner/check/proofs/proof.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/collections/memory.h"
#include "base/collections/sort.h"
#include "base/numbers/wide.h"
#include "planner/check/proofs/lines.h"

static int64_t windows_larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t windows_smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static uint32_t windows_tasks_of(const struct br_instance *in, uint32_t stage)
{
    return in->stage_first[stage + 1] - in->stage_first[stage];
}

/* The mandatory part: the time in from .. to that a task of that duration runs at least, wherever
 * it starts between head and deadline - duration. */
static int64_t windows_mandatory(int64_t duration, int64_t head, int64_t deadline, int64_t from,
                                 int64_t to)
{
    int64_t part = windows_smaller(duration, to - from);
    part = windows_smaller(part, head + duration - from);
    part = windows_smaller(part, to - (deadline - duration));
    return part > 0 ? part : 0;
}

/* The mandatory part of all tasks of a stage. */
static br_wide stage_mandatory(const struct br_instance *in, uint32_t s, int64_t head,
                               int64_t deadline, int64_t from, int64_t to)
{
    if (in->stage_equal[s])
        return (br_wide)windows_tasks_of(in, s) *
               windows_mandatory(in->stage_longest[s], head, deadline, from, to);
    br_wide sum = 0;
    for (uint32_t t = in->stage_first[s]; t < in->stage_first[s + 1]; t++)
        sum += windows_mandatory(in->duration[t], head, deadline, from, to);
    return sum;
}

/* One direction of a pass; heads and tails change places when it goes backward. */
struct pass {
    struct br_proof_check *c;
    bool backward;
    int64_t *head, *stage_head, *stage_tail, *done;
    struct headed *scratch;
};
struct headed {
    int64_t head, duration;
};

static int windows_by_head_downwards(const void *a, const void *b)
{
    const struct headed *x = a, *y = b;
    return x->head > y->head ? -1 : x->head < y->head;
}

static const struct br_arc *windows_arcs_ahead(const struct pass *p, uint32_t s, uint32_t *count)
{
    const struct br_instance *in = p->c->in;
    const uint32_t *first = p->backward ? in->child_first : in->parent_first;
    *count = first[s + 1] - first[s];
    return (p->backward ? in->child : in->parent) + first[s];
}

/* Weight that has to run in the claim's interval if a task of stage s began before claim->at. */
static br_wide claim_weight(const struct pass *p, uint32_t s, uint32_t u,
                            const struct br_proof_claim *claim, bool ahead)
{
    const struct br_proof_check *c = p->c;
    int64_t weight = c->measure[claim->measure].weight[u];
    int64_t deadline = c->makespan - p->stage_tail[u];
    if (weight == 0)
        return 0;
    if (ahead && p->stage_head[u] + c->in->stage_longest[u] <= claim->at - 1)
        deadline = windows_smaller(deadline, claim->at - 1);
    br_wide sum = stage_mandatory(c->in, u, p->stage_head[u], deadline, claim->from, claim->to);
    if (u == s) { /* one task of it is the one that begins early: at its head, or later */
        int64_t shortest = INT64_MAX;
        for (uint32_t t = c->in->stage_first[s]; t < c->in->stage_first[s + 1]; t++)
            shortest = windows_smaller(shortest, c->in->duration[t]);
        int64_t early = windows_mandatory(shortest, p->stage_head[u],
                                          windows_smaller(deadline, claim->at - 1 + shortest),
                                          claim->from, claim->to);
        if (!c->in->stage_equal[s])
            early = 0;
        int64_t each =
            windows_mandatory(shortest, p->stage_head[u], deadline, claim->from, claim->to);
        if (early > each)
            sum += early - each;
    }
    return sum * weight;
}

static enum br_status check_claim(const struct pass *p, uint32_t s,
                                  const struct br_proof_claim *claim)
{
    struct br_proof_check *c = p->c;
    const struct br_instance *in = c->in;
    if (claim->measure >= c->proof->measures || claim->from < 0 || claim->to <= claim->from ||
        claim->to > c->makespan || claim->at < 0 || claim->at > c->makespan + 1)
        return br_proof_fails(c, "the claim on '%s' is not within the makespan",
                              br_proof_stage_name(c, s));
    br_wide sum = 0,
            room = (br_wide)c->measure[claim->measure].capacity * (claim->to - claim->from);
    if (c->ahead.behind) {
        for (uint32_t u = 0; u < in->stages; u++) {
            bool ahead = p->backward ? br_is_ahead(&c->ahead, s, u) : br_is_ahead(&c->ahead, u, s);
            sum += claim_weight(p, s, u, claim, ahead);
        }
    } else { /* too many stages to look at all of them: the neighbours alone */
        uint32_t count;
        const struct br_arc *arc = windows_arcs_ahead(p, s, &count);
        for (uint32_t a = 0; a < count; a++)
            if (!arc[a].one_to_one)
                sum += claim_weight(p, s, arc[a].stage, claim, true);
    }
    if (sum > room)
        return BR_OK;
    return br_proof_fails(c, "the claim that no task of '%s' %s before %" PRId64 " does not hold",
                          br_proof_stage_name(c, s),
                          p->backward ? "ends, seen from the end," : "starts", claim->at);
}

static int64_t ceiling(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* For tasks with different heads: the best of h + work by slots of those with a head of h. */
static int64_t windows_spread(const struct pass *p, uint32_t s)
{
    const struct br_instance *in = p->c->in;
    uint32_t first = in->stage_first[s], n = windows_tasks_of(in, s);
    int64_t best = 0, sum = 0;
    for (uint32_t i = 0; i < n; i++)
        p->scratch[i] = (struct headed){p->head[first + i], in->duration[first + i]};
    br_sort_by(p->scratch, n, sizeof *p->scratch, windows_by_head_downwards);
    for (uint32_t i = 0; i < n; i++) {
        sum += p->scratch[i].duration;
        best = windows_larger(best, p->scratch[i].head + ceiling(sum, p->c->slots[s]));
    }
    return best;
}

static enum br_status windows_visit(struct pass *p, uint32_t s, const struct br_proof_claim *claim,
                                    uint32_t claims)
{
    const struct br_instance *in = p->c->in;
    uint32_t first = in->stage_first[s], end = in->stage_first[s + 1], count;
    const struct br_arc *arc = windows_arcs_ahead(p, s, &count);
    int64_t base = 0, done = 0, shortest = INT64_MAX, least = INT64_MAX, most = 0;
    for (uint32_t a = 0; a < count; a++)
        if (!arc[a].one_to_one)
            base = windows_larger(base, p->done[arc[a].stage]);
    for (uint32_t k = 0; k < claims; k++) {
        enum br_status status = check_claim(p, s, &claim[k]);
        if (status)
            return status;
        base = windows_larger(base, claim[k].at);
    }
    for (uint32_t t = first; t < end; t++)
        p->head[t] = windows_larger(p->head[t], base);
    for (uint32_t a = 0; a < count; a++) {
        uint32_t other = in->stage_first[arc[a].stage];
        for (uint32_t t = first; arc[a].one_to_one && t < end; t++)
            p->head[t] = windows_larger(p->head[t], p->head[other + t - first] +
                                                        in->duration[other + t - first]);
    }
    for (uint32_t t = first; t < end; t++) {
        done = windows_larger(done, p->head[t] + in->duration[t]);
        least = windows_smaller(least, p->head[t]);
        most = windows_larger(most, p->head[t]);
        shortest = windows_smaller(shortest, in->duration[t]);
    }
    assert(least >= p->stage_head[s]); /* windows never widen */
    p->stage_head[s] = least;
    done = windows_larger(done, least + p->c->rounds[s]);
    for (uint32_t a = 0; a < count; a++)
        if (arc[a].one_to_one)
            done = windows_larger(done, p->done[arc[a].stage] + shortest);
    if (most > least)
        done = windows_larger(done, windows_spread(p, s));
    p->done[s] = done;
    return BR_OK;
}

static int windows_by_stage(const void *a, const void *b)
{
    const struct br_proof_claim *x = a, *y = b;
    return x->stage < y->stage ? -1 : x->stage > y->stage;
}

/* The claims with the part's numbers, by stage. */
static enum br_status sort_claims(struct br_proof_check *c, const struct br_proof_claim *claim,
                                  uint32_t claims, struct br_proof_claim *sorted)
{
    for (uint32_t k = 0; k < claims; k++) {
        sorted[k] = claim[k];
        sorted[k].stage = br_proof_stage(c, claim[k].stage);
        if (sorted[k].stage == UINT32_MAX)
            return br_proof_fails(c, "a claim is on a stage that is not in the part");
    }
    br_sort_by(sorted, claims, sizeof *sorted, windows_by_stage);
    return BR_OK;
}

static enum br_status go(struct pass *p, const struct br_proof_claim *claim, uint32_t claims)
{
    struct br_proof_check *c = p->c;
    uint32_t n = c->in->stages;
    struct br_proof_claim *sorted = br_malloc(((size_t)claims + 1) * sizeof *sorted);
    uint32_t *first = br_malloc(((size_t)n + 1) * sizeof *first);
    enum br_status status =
        sorted && first ? sort_claims(c, claim, claims, sorted) : br_fail_memory(c->diag);
    for (uint32_t s = 0, k = 0; !status && s <= n; s++) {
        while (k < claims && sorted[k].stage < s)
            k++;
        first[s] = k;
    }
    for (uint32_t k = 0; !status && k < n; k++) {
        uint32_t s = c->in->topological[p->backward ? n - 1 - k : k];
        status = windows_visit(p, s, sorted + first[s], first[s + 1] - first[s]);
    }
    br_free(sorted);
    br_free(first);
    return status;
}

/* The windows known before the first pass. */
static void windows_begin(const struct br_instance *in, const int64_t *from, int64_t *head,
                          int64_t *stage_head)
{
    if (!from)
        return;
    memcpy(head, from, in->tasks * sizeof *head);
    for (uint32_t s = 0; s < in->stages; s++) {
        stage_head[s] = INT64_MAX;
        for (uint32_t t = in->stage_first[s]; t < in->stage_first[s + 1]; t++)
            stage_head[s] = windows_smaller(stage_head[s], head[t]);
    }
}

static bool windows_allocate(struct br_proof_check *c)
{
    const struct br_instance *in = c->in;
    struct br_arena *arena = &c->arena;
    c->head = br_arena_array(arena, in->tasks, sizeof *c->head);
    c->tail = br_arena_array(arena, in->tasks, sizeof *c->tail);
    c->stage_head = br_arena_array(arena, in->stages, sizeof *c->stage_head);
    c->stage_tail = br_arena_array(arena, in->stages, sizeof *c->stage_tail);
    c->rounds = br_arena_array(arena, in->stages, sizeof *c->rounds);
    c->slots = br_arena_array(arena, in->stages, sizeof *c->slots);
    if (!c->head || !c->tail || !c->stage_head || !c->stage_tail || !c->rounds || !c->slots)
        return false;
    windows_begin(in, c->head_from, c->head, c->stage_head);
    windows_begin(in, c->tail_from, c->tail, c->stage_tail);
    return true;
}

enum br_status br_proof_windows(struct br_proof_check *c)
{
    const struct br_instance *in = c->in;
    const struct br_proof_pass none = {0};
    int64_t *done = br_malloc(in->stages * sizeof *done);
    struct headed *scratch = br_malloc((size_t)in->tasks * sizeof *scratch);
    struct br_line_copies *copies = br_malloc((size_t)in->tasks * sizeof *copies);
    bool ok =
        done && scratch && copies && windows_allocate(c) && br_ahead_init(&c->ahead, &c->arena, in);
    enum br_status status = ok ? BR_OK : br_fail_memory(c->diag);
    for (uint32_t s = 0; !status && s < in->stages; s++) {
        c->slots[s] = br_alone_slots(in, s);
        c->rounds[s] = br_alone_rounds(in, s, copies);
    }
    if (!status)
        status = br_proof_measures(c);
    for (uint32_t k = 0; !status && k < c->proof->passes + (c->proof->passes == 0); k++) {
        const struct br_proof_pass *pass = c->proof->passes ? &c->proof->pass[k] : &none;
        struct pass ahead = {c, false, c->head, c->stage_head, c->stage_tail, done, scratch};
        struct pass after = {c, true, c->tail, c->stage_tail, c->stage_head, done, scratch};
        status = go(&ahead, pass->head, pass->heads);
        if (!status)
            status = go(&after, pass->tail, pass->tails);
    }
    br_free(done);
    br_free(scratch);
    br_free(copies);
    return status;
}

bool br_proof_overfull(const struct br_proof_check *c, uint32_t *stage)
{
    const struct br_instance *in = c->in;
    for (uint32_t s = 0; s < in->stages; s++) {
        *stage = s;
        if (c->stage_head[s] + c->rounds[s] + c->stage_tail[s] > c->makespan)
            return true;
        for (uint32_t t = in->stage_first[s]; t < in->stage_first[s + 1]; t++)
            if (c->head[t] + in->duration[t] + c->tail[t] > c->makespan)
                return true;
    }
    return false;
}

enum br_status br_proof_energy(struct br_proof_check *c)
{
    const struct br_proof *proof = c->proof;
    if (proof->energy >= proof->measures || proof->from < 0 || proof->to <= proof->from ||
        proof->to > c->makespan)
        return br_proof_fails(c, "the interval is not within the makespan");
    const struct br_checked_measure *m = &c->measure[proof->energy];
    br_wide sum = 0;
    for (uint32_t s = 0; s < c->in->stages; s++)
        if (m->weight[s])
            sum += m->weight[s] * stage_mandatory(c->in, s, c->stage_head[s],
                                                  c->makespan - c->stage_tail[s], proof->from,
                                                  proof->to);
    if (sum > (br_wide)m->capacity * (proof->to - proof->from))
        return BR_OK;
    return br_proof_fails(c,
                          "the work that has to run between %" PRId64 " and %" PRId64 " fits there",
                          proof->from, proof->to);
}
