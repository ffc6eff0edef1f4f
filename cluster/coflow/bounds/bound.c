#include "cluster/coflow/bounds/bound.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/collections/heap.h"
#include "base/numbers/real.h"

/* The load of a coflow at a port. */
struct part {
    uint32_t coflow;
    double length_ms; /* the port's time */
    double weight;    /* the coflow's are 1 in all */
    double value;     /* what the port's bound counts for a weight of 1 */
};

struct waiting {
    double key, left_ms;
    uint32_t part;
};

static bool bounds_is_before(const void *none, const struct waiting *a, const struct waiting *b)
{
    (void)none;
    return a->key != b->key ? a->key < b->key : a->part < b->part;
}

BR_HEAP(waits, struct waiting, const void *, bounds_is_before, 4)

struct duals {
    const struct br_coflow_parts *in;
    uint64_t *first; /* of a port's parts, ascending in release; one more ends the last */
    struct part *part;
    struct waiting *heap;
    double *sum; /* by coflow */
};

/* ---- One port ---- */

/* The least sum of completion times of those parts that have a weight, each counted once. */
static double shortest_first(struct duals *d, const struct part *part, uint32_t parts)
{
    double now = 0, sum = 0;
    uint32_t size = 0, next = 0;
    while (size || next < parts) {
        if (!size && d->in->release_ms[part[next].coflow] > now)
            now = d->in->release_ms[part[next].coflow];
        for (; next < parts && d->in->release_ms[part[next].coflow] <= now; next++)
            if (part[next].weight > 0)
                waits_push(NULL, d->heap, &size,
                           (struct waiting){part[next].length_ms, part[next].length_ms, next});
        if (!size)
            continue;
        struct waiting top = waits_pop(NULL, d->heap, &size);
        double until = next < parts ? d->in->release_ms[part[next].coflow] : INFINITY;
        assert(until > now && top.left_ms >= 0);
        if (now + top.left_ms <= until) {
            now += top.left_ms;
            sum += now;
            continue;
        }
        top.left_ms = top.key = top.left_ms - (until - now);
        now = until;
        waits_push(NULL, d->heap, &size, top);
    }
    return sum;
}

/* Serves the part with the most weight for its length first, and sets every part's value to its
 * mean busy time and half its length. Answers the weighted sum of the values, a bound on that of
 * completion times [Goemans02]. */
static double mean_busy(struct duals *d, struct part *part, uint32_t parts)
{
    double now = 0, sum = 0;
    uint32_t size = 0, next = 0;
    for (uint32_t k = 0; k < parts; k++)
        part[k].value = 0;
    while (size || next < parts) {
        if (!size && d->in->release_ms[part[next].coflow] > now)
            now = d->in->release_ms[part[next].coflow];
        for (; next < parts && d->in->release_ms[part[next].coflow] <= now; next++) {
            double key = -part[next].weight / part[next].length_ms;
            waits_push(NULL, d->heap, &size, (struct waiting){key, part[next].length_ms, next});
        }
        assert(size > 0);
        struct waiting top = waits_pop(NULL, d->heap, &size);
        double until = next < parts ? d->in->release_ms[part[next].coflow] : INFINITY;
        double runs = fmin(top.left_ms, until - now);
        assert(runs >= 0);
        part[top.part].value += runs * (now + runs / 2) / part[top.part].length_ms;
        now += runs;
        top.left_ms -= runs;
        if (top.left_ms > 0)
            waits_push(NULL, d->heap, &size, top);
    }
    for (uint32_t k = 0; k < parts; k++) {
        part[k].value += part[k].length_ms / 2;
        sum += part[k].weight * part[k].value;
    }
    return sum;
}

/* ---- Weights ---- */

static uint32_t bounds_parts_of(const struct duals *d, uint32_t port)
{
    return (uint32_t)(d->first[port + 1] - d->first[port]);
}

/* Every coflow at its busiest port alone. */
static double one_port(struct duals *d)
{
    double sum = 0;
    for (uint32_t c = 0; c < d->in->coflows; c++)
        d->sum[c] = 0;
    for (uint64_t k = 0; k < d->first[d->in->ports]; k++) {
        struct part *part = &d->part[k];
        bool chosen =
            d->sum[part->coflow] <= 0 && part->length_ms >= d->in->busiest_ms[part->coflow];
        part->weight = chosen;
        d->sum[part->coflow] += chosen;
    }
    for (uint32_t p = 0; p < d->in->ports; p++)
        sum += shortest_first(d, d->part + d->first[p], bounds_parts_of(d, p));
    return sum;
}

/* Makes every coflow's weights one in all. */
static void bounds_normalise(struct duals *d)
{
    for (uint32_t c = 0; c < d->in->coflows; c++)
        d->sum[c] = 0;
    for (uint64_t k = 0; k < d->first[d->in->ports]; k++)
        d->sum[d->part[k].coflow] += d->part[k].weight;
    for (uint64_t k = 0; k < d->first[d->in->ports]; k++)
        d->part[k].weight /= d->sum[d->part[k].coflow];
}

static double bounds_search(struct duals *d, uint32_t rounds, const struct br_stop *stop)
{
    double best = 0;
    for (uint64_t k = 0; k < d->first[d->in->ports]; k++) {
        double share = d->part[k].length_ms / d->in->busiest_ms[d->part[k].coflow];
        assert(share > 0 && share <= 1);
        d->part[k].weight = br_real_exp(20 * (share - 1));
    }
    for (uint32_t round = 0; round < rounds && !br_stopped(stop); round++) {
        double sum = 0;
        bounds_normalise(d);
        for (uint32_t p = 0; p < d->in->ports; p++)
            sum += mean_busy(d, d->part + d->first[p], bounds_parts_of(d, p));
        best = fmax(best, sum);
        /* Weight moves to where a coflow completes late; steps get smaller. */
        for (uint32_t c = 0; c < d->in->coflows; c++)
            d->sum[c] = 1e-9;
        for (uint64_t k = 0; k < d->first[d->in->ports]; k++) {
            const struct part *part = &d->part[k];
            double took = part->value - d->in->release_ms[part->coflow];
            d->sum[part->coflow] = fmax(d->sum[part->coflow], took);
        }
        for (uint64_t k = 0; k < d->first[d->in->ports]; k++) {
            struct part *part = &d->part[k];
            double took = part->value - d->in->release_ms[part->coflow];
            double step = 8.0 / (1 + round / 4.0);
            part->weight *= br_real_exp(step * (took / d->sum[part->coflow] - 1));
            part->weight = fmax(part->weight, 1e-12);
        }
    }
    return best;
}

/* ---- The instance ---- */

/* Puts the parts in order of ports. Coflows are in order of their releases. */
static bool bounds_fill(struct duals *d)
{
    const struct br_coflow_parts *in = d->in;
    uint64_t parts = in->first[in->coflows];
    d->sum = calloc((size_t)in->coflows + 1, sizeof *d->sum);
    d->first = calloc((size_t)in->ports + 2, sizeof *d->first);
    d->part = calloc(parts + 1, sizeof *d->part);
    d->heap = malloc(((size_t)in->coflows + 1) * sizeof *d->heap);
    if (!d->sum || !d->first || !d->part || !d->heap)
        return false;
    for (uint64_t k = 0; k < parts; k++)
        d->first[in->part[k].port + 1]++;
    for (uint32_t p = 0; p < in->ports; p++)
        d->first[p + 1] += d->first[p];
    for (uint32_t c = 0; c < in->coflows; c++)
        for (uint64_t k = in->first[c]; k < in->first[c + 1]; k++)
            d->part[d->first[in->part[k].port]++] = (struct part){c, in->part[k].ms, 0, 0};
    for (uint32_t p = in->ports; p; p--)
        d->first[p] = d->first[p - 1];
    assert(d->first[in->ports] == parts);
    d->first[0] = 0;
    return true;
}

enum br_status br_coflow_bound_make(const struct br_coflow_parts *parts, uint32_t rounds,
                                    const struct br_stop *stop, struct br_coflow_bound *bound,
                                    struct br_diag *diag)
{
    struct duals d = {.in = parts};
    enum br_status status = bounds_fill(&d) ? BR_OK : br_fail_memory(diag);
    double alone = 0, coflows = parts->coflows;
    for (uint32_t c = 0; c < parts->coflows; c++)
        alone += parts->busiest_ms[c];
    if (!status) {
        bound->alone_s = alone / coflows / 1000;
        bound->one_port_s = (one_port(&d) - parts->releases_ms) / coflows / 1000;
        double searched = (bounds_search(&d, rounds, stop) - parts->releases_ms) / coflows / 1000;
        /* Sums of some hundred thousand terms may be off by their rounding. */
        bound->average_cct_s =
            fmax(fmax(bound->alone_s, bound->one_port_s), searched) * (1 - 1e-10);
    }
    free(d.sum);
    free(d.first);
    free(d.part);
    free(d.heap);
    return status;
}
