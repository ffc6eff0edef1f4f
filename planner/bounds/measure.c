/* Measures by resource, by the floor family of dual feasible functions, and by cliques. The choice
 * of those to keep affects only strength, so floating point may rank them. [Fekete01] Cliques as
 * bounds: [Mingozzi98]. */
#include "planner/bounds/measure.h"

#include <assert.h>
#include <string.h>

#include "base/collections/memory.h"
#include "base/collections/sort.h"
#include "base/invariant.h"
#include "base/numbers/rng.h"
#include "base/numbers/wide.h"
#include "planner/bounds/closure.h"

enum {
    DEMANDS_TRIED = 48,  /* distinct demands of a resource that give thresholds */
    PARTS_TRIED = 6,     /* thresholds just above 1/2, 1/3, ... of a machine */
    KEPT_MOST = 24,      /* of a resource, and of cliques */
    CLIQUE_STAGES = 512, /* more stages: no cliques */
    CLIQUE_SEEDS = 128,
};

uint64_t br_stage_slots(const struct br_instance *in, uint32_t stage, uint64_t most)
{
    uint64_t slots = 0;
    for (uint32_t c = 0; c < in->classes && slots < most; c++) {
        uint64_t fit = (uint64_t)br_instance_holds(in, c, stage, (int64_t)most);
        uint64_t machines = in->class_first[c + 1] - in->class_first[c];
        slots += fit * machines; /* at most 2^32 x 2^20 */
    }
    return slots < most ? slots : most;
}

static int bounds_measure_descending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x > y ? -1 : x < y;
}

int64_t br_stage_waves(const struct br_instance *in, uint32_t stage, int64_t *scratch)
{
    const int64_t *d = in->duration + in->stage_first[stage];
    uint64_t n = in->stage_first[stage + 1] - in->stage_first[stage];
    uint64_t slots = br_stage_slots(in, stage, n);
    int64_t longest = in->stage_longest[stage], best = longest;
    assert(slots > 0); /* every stage fits some class */
    assert(slots > 0); /* a demand that no machine holds makes no instance */
    if (slots >= n)
        return longest;
    if (in->stage_equal[stage])
        return (int64_t)((n + slots - 1) / slots) * longest;
    /* Sums from the longest on, so that the sum of any run is a difference. */
    memcpy(scratch, d, n * sizeof *scratch);
    br_sort_by(scratch, n, sizeof *scratch, bounds_measure_descending);
    for (uint64_t i = 1; i < n; i++)
        scratch[i] += scratch[i - 1];
    for (uint64_t q = 1; q * slots < n; q++) {
        uint64_t last = q * slots, first = last - q;
        int64_t sum = scratch[last] - (first ? scratch[first - 1] : 0);
        if (sum > best)
            best = sum;
    }
    int64_t even = scratch[n - 1] / (int64_t)slots + (scratch[n - 1] % (int64_t)slots != 0);
    return even > best ? even : best;
}

static struct br_measure *add_measure(struct br_measures *ms, const struct br_instance *in,
                                      enum br_measure_kind kind, int64_t capacity)
{
    struct br_measure *m = &ms->measure[ms->count];
    m->weight = br_arena_array(&ms->arena, in->stages, sizeof *m->weight);
    if (!m->weight)
        return NULL;
    m->kind = kind;
    m->capacity = capacity;
    ms->count++;
    return m;
}

/* A candidate: a threshold, or the first member of a clique, and its worth. */
struct candidate {
    int64_t threshold, capacity; /* capacity: of a threshold only */
    double worth;
    uint64_t tie; /* ties by this, the smaller first; it does not depend on the numbers of stages */
};

static int bounds_measure_worthier(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->worth != y->worth)
        return x->worth > y->worth ? -1 : 1;
    if (x->tie != y->tie)
        return x->tie < y->tie ? -1 : 1;
    return x->threshold < y->threshold ? -1 : x->threshold > y->threshold;
}

static int64_t floor_capacity(const struct br_instance *in, uint32_t resource, int64_t threshold)
{
    int64_t capacity = 0;
    for (uint32_t c = 0; c < in->classes; c++)
        capacity += in->capacity[(size_t)c * in->resources + resource] / threshold *
                    (int64_t)(in->class_first[c + 1] - in->class_first[c]);
    return capacity;
}

/* The demands for one resource, with the work that asks for each. */
struct demand_work {
    int64_t demand, work;
};

static int by_demand(const void *a, const void *b)
{
    const struct demand_work *x = a, *y = b;
    return x->demand < y->demand ? -1 : x->demand > y->demand;
}

/* Lists the threshold, unless no more of that capacity are wanted: the smallest counts most of
 * every demand. */
static void list_threshold(struct candidate *out, uint32_t *count, const struct br_instance *in,
                           uint32_t resource, int64_t threshold)
{
    int64_t capacity = floor_capacity(in, resource, threshold);
    uint32_t at = 0;
    while (at < *count && out[at].capacity != capacity)
        at++;
    if (at == *count || threshold < out[at].threshold)
        out[at] = (struct candidate){threshold, capacity, 0, (uint64_t)threshold};
    *count += at == *count;
}

/* The work of the demands in the threshold's measure, by capacity. -1 if no demand takes more of
 * the whole than it does by itself. */
static double bounds_measure_worth_of(const struct br_instance *in, uint32_t resource,
                                      const struct candidate *c, const struct demand_work *distinct,
                                      uint32_t count)
{
    double worth = 0;
    bool counts = false;
    for (uint32_t i = 0; i < count; i++) {
        int64_t demand = distinct[i].demand, weight = demand / c->threshold; /* rounded down */
        worth += (double)weight * (double)distinct[i].work;
        counts |= (br_wide)weight * in->total[resource] > (br_wide)demand * c->capacity;
    }
    return counts ? worth / (double)c->capacity : -1;
}

/* Thresholds: parts of the demands that occur, and just above parts of the machines. */
static uint32_t list_thresholds(const struct br_instance *in, uint32_t resource,
                                const struct demand_work *distinct, uint32_t count,
                                const struct br_stop *stop, struct candidate *out)
{
    int64_t largest = distinct[count - 1].demand;
    uint32_t n = 0, good = 0, tried = count < DEMANDS_TRIED ? count : DEMANDS_TRIED;
    for (uint32_t k = 0; k < tried; k++) {
        int64_t demand = distinct[(uint64_t)(count - 1) * k / (tried > 1 ? tried - 1 : 1)].demand;
        for (int64_t part = 1; part <= 3 && demand / part >= 2; part++)
            list_threshold(out, &n, in, resource, demand / part);
    }
    for (uint32_t c = 0; c < in->classes && c < DEMANDS_TRIED; c++)
        for (int64_t part = 2; part < 2 + PARTS_TRIED; part++) {
            int64_t t = in->capacity[(size_t)c * in->resources + resource] / part + 1;
            if (t >= 2 && t <= largest)
                list_threshold(out, &n, in, resource, t);
        }
    for (uint32_t k = 0; k < n && !br_stopped(stop); k++) {
        out[good] = out[k];
        out[good].worth = bounds_measure_worth_of(in, resource, &out[k], distinct, count);
        good += out[good].worth >= 0;
    }
    br_sort_by(out, good, sizeof *out, bounds_measure_worthier);
    return good;
}

static bool add_fragmentation(struct br_measures *ms, const struct br_instance *in,
                              uint32_t resource, uint32_t keep)
{
    enum { ROOM = 3 * DEMANDS_TRIED + PARTS_TRIED * DEMANDS_TRIED };
    struct demand_work *distinct = br_malloc((size_t)in->stages * sizeof *distinct);
    struct candidate *candidate = br_malloc(ROOM * sizeof *candidate);
    bool ok = distinct && candidate;
    uint32_t count = 0, n = 0;
    for (uint32_t s = 0; ok && s < in->stages; s++) {
        int64_t demand = in->demand[(size_t)s * in->resources + resource];
        if (demand > 0)
            distinct[n++] = (struct demand_work){demand, ms->work[s]};
    }
    if (n > 0) {
        br_sort_by(distinct, n, sizeof *distinct, by_demand);
        for (uint32_t k = 0; k < n; k++)
            if (count > 0 && distinct[count - 1].demand == distinct[k].demand)
                distinct[count - 1].work += distinct[k].work;
            else
                distinct[count++] = distinct[k];
        n = list_thresholds(in, resource, distinct, count, ms->stop, candidate);
    }
    for (uint32_t k = 0; ok && k < n && keep > 0 && !br_stopped(ms->stop); k++) {
        int64_t t = candidate[k].threshold;
        struct br_measure *m = add_measure(ms, in, BR_MEASURE_RESOURCE, candidate[k].capacity);
        ok = m != NULL;
        if (ok) {
            m->resource = resource;
            m->unit = t;
        }
        for (uint32_t s = 0; ok && s < in->stages; s++)
            m->weight[s] = in->demand[(size_t)s * in->resources + resource] / t;
        keep--;
    }
    br_free(distinct);
    br_free(candidate);
    return ok;
}

/* Can no task of s run together with one of u (or with another of s itself), on one machine? On a
 * cluster of one machine that means not at all, and then ancestors are excluded, too. */
static bool bounds_measure_exclude(const struct br_instance *in, const struct br_closure *closure,
                                   uint32_t s, uint32_t u)
{
    const int64_t *a = in->demand + (size_t)s * in->resources;
    const int64_t *b = in->demand + (size_t)u * in->resources;
    bool fit = false;
    for (uint32_t c = 0; c < in->classes && !fit; c++) {
        const int64_t *capacity = in->capacity + (size_t)c * in->resources;
        fit = true;
        for (uint32_t r = 0; r < in->resources && fit; r++)
            fit = a[r] <= capacity[r] - b[r];
    }
    if (!fit || in->machines > 1)
        return !fit;
    return s != u && (br_closure_bit(closure->before, closure->words, s, u) ||
                      br_closure_bit(closure->after, closure->words, s, u));
}

/* Gives every stage a number that depends on the work of the stages with which it conflicts, on
 * that of those with which these conflict, and so on. So the choice between stages of equal work
 * does not depend on the stages' numbers. */
static void colour(const struct br_measures *ms, uint32_t n, const bool *conflict, uint64_t *now,
                   uint64_t *last)
{
    for (uint32_t s = 0; s < n; s++)
        now[s] = (uint64_t)ms->work[s];
    for (int round = 0; round < 3; round++) {
        for (uint32_t s = 0; s < n; s++) {
            struct br_rng mix = br_rng_seed(now[s]);
            last[s] = br_rng_next(&mix);
        }
        for (uint32_t s = 0; s < n; s++) {
            uint64_t sum = 0;
            for (uint32_t u = 0; u < n; u++)
                sum += conflict[(size_t)s * n + u] ? last[u] : 0;
            struct br_rng mix = br_rng_seed(last[s] ^ sum);
            now[s] = br_rng_next(&mix);
        }
    }
}

/* Grows a clique from a stage, always by the remaining stage with the most work. */
static int64_t grow_clique(const struct br_measures *ms, uint32_t stages, const bool *conflict,
                           const uint64_t *tie, uint32_t seed, bool *member, bool *open)
{
    int64_t work = 0;
    memset(member, 0, stages * sizeof *member);
    for (uint32_t s = 0; s < stages; s++)
        open[s] = conflict[(size_t)s * stages + s];
    for (uint32_t next = seed; next != UINT32_MAX;) {
        const bool *row = conflict + (size_t)next * stages;
        member[next] = true;
        work += ms->work[next];
        open[next] = false;
        next = UINT32_MAX;
        for (uint32_t s = 0; s < stages; s++) {
            open[s] &= row[s];
            if (open[s] && (next == UINT32_MAX || ms->work[s] > ms->work[next] ||
                            (ms->work[s] == ms->work[next] && tie[s] < tie[next])))
                next = s;
        }
    }
    return work;
}

static bool same_clique(const struct br_measures *ms, uint32_t from, uint32_t stages,
                        const bool *member)
{
    for (uint32_t k = from; k < ms->count; k++) {
        bool same = true;
        for (uint32_t s = 0; s < stages && same; s++)
            same = ms->measure[k].weight[s] == member[s];
        if (same)
            return true;
    }
    return false;
}

static bool add_cliques(struct br_measures *ms, const struct br_instance *in, uint32_t keep)
{
    uint32_t n = in->stages, seeds = 0, first = ms->count;
    struct br_closure closure;
    bool *conflict = br_malloc((size_t)n * n * sizeof *conflict);
    bool *member = br_malloc(2 * (size_t)n * sizeof *member);
    struct candidate *seed = br_malloc((size_t)n * sizeof *seed);
    uint64_t *tie = br_malloc(2 * (size_t)n * sizeof *tie);
    bool ok = br_closure_init(&closure, in) && conflict && member && seed && tie;
    bool on = ok;
    for (uint32_t s = 0; on && s < n; s++) {
        for (uint32_t u = 0; u < n; u++) {
            bool single = s == u && (in->stage_first[s + 1] - in->stage_first[s] == 1);
            conflict[(size_t)s * n + u] = single || bounds_measure_exclude(in, &closure, s, u);
        }
        on = !br_stopped(ms->stop);
    }
    if (on)
        colour(ms, n, conflict, tie, tie + n);
    for (uint32_t s = 0; on && s < n; s++)
        if (conflict[(size_t)s * n + s])
            seed[seeds++] =
                (struct candidate){.threshold = s, .worth = (double)ms->work[s], .tie = tie[s]};
    if (on)
        br_sort_by(seed, seeds, sizeof *seed, bounds_measure_worthier);
    seeds = seeds < CLIQUE_SEEDS ? seeds : CLIQUE_SEEDS;
    for (uint32_t k = 0; k < seeds && !br_stopped(ms->stop); k++)
        seed[k].worth = (double)grow_clique(ms, n, conflict, tie, (uint32_t)seed[k].threshold,
                                            member, member + n);
    if (on)
        br_sort_by(seed, seeds, sizeof *seed, bounds_measure_worthier);
    for (uint32_t k = 0; ok && k < seeds && ms->count < first + keep && !br_stopped(ms->stop);
         k++) {
        grow_clique(ms, n, conflict, tie, (uint32_t)seed[k].threshold, member, member + n);
        if (same_clique(ms, first, n, member))
            continue;
        struct br_measure *m = add_measure(ms, in, BR_MEASURE_CLIQUE, in->machines);
        ok = m != NULL;
        for (uint32_t s = 0; ok && s < n; s++)
            m->weight[s] = member[s];
    }
    br_closure_finish(&closure);
    br_free(conflict);
    br_free(member);
    br_free(seed);
    br_free(tie);
    return ok;
}

/* Can each task run alone under every measure? */
static bool holds_each_task(const struct br_measures *ms, const struct br_instance *in)
{
    for (uint32_t m = 0; m < ms->count; m++)
        for (uint32_t s = 0; s < in->stages; s++)
            if (ms->measure[m].weight[s] < 0 || ms->measure[m].weight[s] > ms->measure[m].capacity)
                return false;
    return true;
}

bool br_measures_init(struct br_measures *ms, const struct br_instance *in, bool plain)
{
    return br_measures_begin(ms, in, plain, NULL);
}

bool br_measures_begin(struct br_measures *ms, const struct br_instance *in, bool plain,
                       const struct br_stop *stop)
{
    *ms = (struct br_measures){.stop = stop};
    /* Bounds cost stages^2 x measures if there are few stages. */
    uint64_t keep = 1000000 / ((uint64_t)in->stages * in->stages) + 2;
    keep = plain ? 0 : keep < KEPT_MOST ? keep : KEPT_MOST;
    ms->measure = br_arena_array(&ms->arena, (in->resources + 1) * (keep + 1), sizeof *ms->measure);
    ms->work = br_arena_array(&ms->arena, in->stages, sizeof *ms->work);
    bool ok = ms->measure && ms->work;
    for (uint32_t t = 0; ok && t < in->tasks; t++)
        ms->work[in->task_stage[t]] += in->duration[t];
    for (uint32_t r = 0; ok && r < in->resources; r++) {
        struct br_measure *m =
            in->total[r] > 0 ? add_measure(ms, in, BR_MEASURE_RESOURCE, in->total[r]) : NULL;
        ok = m || in->total[r] == 0;
        if (m)
            m->resource = r;
        for (uint32_t s = 0; m && s < in->stages; s++)
            m->weight[s] = in->demand[(size_t)s * in->resources + r];
    }
    for (uint32_t r = 0; ok && r < in->resources && !plain && !br_stopped(stop); r++)
        ok = add_fragmentation(ms, in, r, (uint32_t)keep);
    if (ok && !plain && !br_stopped(stop) && in->stages > 1 && in->stages <= CLIQUE_STAGES)
        ok = add_cliques(ms, in, (uint32_t)keep);
    br_costly_assert(!ok || holds_each_task(ms, in));
    if (!ok)
        br_measures_finish(ms);
    return ok;
}

void br_measures_finish(struct br_measures *ms)
{
    br_arena_finish(&ms->arena);
    *ms = (struct br_measures){0};
}
