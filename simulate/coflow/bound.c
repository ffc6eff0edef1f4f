#include "simulate/coflow/bound.h"

#include <math.h>
#include <stdlib.h>

#include "base/collections/heap.h"
#include "base/numbers/real.h"
#include "simulate/coflow/epoch.h"

/* What a coflow has at a port. */
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

static bool is_before(const void *none, const struct waiting *a, const struct waiting *b)
{
    (void)none;
    return a->key != b->key ? a->key < b->key : a->part < b->part;
}

BR_HEAP(waits, struct waiting, const void *, is_before, 4)

struct duals {
    const struct br_coflows *trace;
    double *release_ms; /* by coflow */
    uint32_t ports;     /* uplinks and downlinks */
    uint64_t *first;    /* of a port's parts, ascending in release; one more ends the last */
    struct part *part;
    struct waiting *heap;
    double *sum; /* by coflow */
    double *busiest_ms;
};

/* ---- One port ---- */

/* The least sum of completion times of those parts that have a weight, each counted once. */
static double shortest_first(struct duals *d, const struct part *part, uint32_t parts)
{
    double now = 0, sum = 0;
    uint32_t size = 0, next = 0;
    while (size || next < parts) {
        if (!size && d->release_ms[part[next].coflow] > now)
            now = d->release_ms[part[next].coflow];
        for (; next < parts && d->release_ms[part[next].coflow] <= now; next++)
            if (part[next].weight > 0)
                waits_push(NULL, d->heap, &size,
                           (struct waiting){part[next].length_ms, part[next].length_ms, next});
        if (!size)
            continue;
        struct waiting top = waits_pop(NULL, d->heap, &size);
        double until = next < parts ? d->release_ms[part[next].coflow] : INFINITY;
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
        if (!size && d->release_ms[part[next].coflow] > now)
            now = d->release_ms[part[next].coflow];
        for (; next < parts && d->release_ms[part[next].coflow] <= now; next++) {
            double key = -part[next].weight / part[next].length_ms;
            waits_push(NULL, d->heap, &size, (struct waiting){key, part[next].length_ms, next});
        }
        struct waiting top = waits_pop(NULL, d->heap, &size);
        double until = next < parts ? d->release_ms[part[next].coflow] : INFINITY;
        double runs = fmin(top.left_ms, until - now);
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

static uint32_t parts_of(const struct duals *d, uint32_t port)
{
    return (uint32_t)(d->first[port + 1] - d->first[port]);
}

/* Every coflow at its busiest port alone. */
static double one_port(struct duals *d)
{
    double sum = 0;
    for (uint32_t c = 0; c < d->trace->coflows; c++)
        d->sum[c] = 0;
    for (uint64_t k = 0; k < d->first[d->ports]; k++) {
        struct part *part = &d->part[k];
        bool chosen = d->sum[part->coflow] <= 0 && part->length_ms >= d->busiest_ms[part->coflow];
        part->weight = chosen;
        d->sum[part->coflow] += chosen;
    }
    for (uint32_t p = 0; p < d->ports; p++)
        sum += shortest_first(d, d->part + d->first[p], parts_of(d, p));
    return sum;
}

/* Makes every coflow's weights one in all. */
static void normalise(struct duals *d)
{
    for (uint32_t c = 0; c < d->trace->coflows; c++)
        d->sum[c] = 0;
    for (uint64_t k = 0; k < d->first[d->ports]; k++)
        d->sum[d->part[k].coflow] += d->part[k].weight;
    for (uint64_t k = 0; k < d->first[d->ports]; k++)
        d->part[k].weight /= d->sum[d->part[k].coflow];
}

static double search(struct duals *d, uint32_t rounds, const struct br_stop *stop)
{
    double best = 0;
    for (uint64_t k = 0; k < d->first[d->ports]; k++) {
        double share = d->part[k].length_ms / d->busiest_ms[d->part[k].coflow];
        d->part[k].weight = br_real_exp(20 * (share - 1));
    }
    for (uint32_t round = 0; round < rounds && !br_stopped(stop); round++) {
        double sum = 0;
        normalise(d);
        for (uint32_t p = 0; p < d->ports; p++)
            sum += mean_busy(d, d->part + d->first[p], parts_of(d, p));
        best = fmax(best, sum);
        /* Weight moves to where a coflow completes late; steps get smaller. */
        for (uint32_t c = 0; c < d->trace->coflows; c++)
            d->sum[c] = 1e-9;
        for (uint64_t k = 0; k < d->first[d->ports]; k++) {
            const struct part *part = &d->part[k];
            double took = part->value - d->release_ms[part->coflow];
            d->sum[part->coflow] = fmax(d->sum[part->coflow], took);
        }
        for (uint64_t k = 0; k < d->first[d->ports]; k++) {
            struct part *part = &d->part[k];
            double took = part->value - d->release_ms[part->coflow];
            double step = 8.0 / (1 + round / 4.0);
            part->weight *= br_real_exp(step * (took / d->sum[part->coflow] - 1));
            part->weight = fmax(part->weight, 1e-12);
        }
    }
    return best;
}

/* ---- The instance ---- */

static double flow_bytes(const struct br_coflows *trace, uint64_t flow, bool whole)
{
    double bytes = trace->bytes[flow];
    double down = (double)(int64_t)(bytes / BR_COFLOW_MB) * BR_COFLOW_MB;
    return !whole ? bytes : down < bytes ? down + BR_COFLOW_MB : down;
}

/* Calls with each port of the coflow and its time there. */
static void each_part(struct duals *d, uint32_t coflow, double rate, bool whole,
                      void (*visit)(struct duals *, uint32_t, uint32_t, double))
{
    const struct br_coflow *c = &d->trace->coflow[coflow];
    for (uint32_t s = 0; s < c->senders; s++) {
        double sum = 0;
        for (uint32_t r = 0; r < c->receivers; r++)
            sum += flow_bytes(d->trace, c->first + (uint64_t)r * c->senders + s, whole);
        visit(d, coflow, c->up[s], sum / rate);
    }
    for (uint32_t r = 0; r < c->receivers; r++) {
        double sum = 0;
        for (uint32_t s = 0; s < c->senders; s++)
            sum += flow_bytes(d->trace, c->first + (uint64_t)r * c->senders + s, whole);
        visit(d, coflow, d->trace->ports + c->down[r], sum / rate);
    }
}

static void count(struct duals *d, uint32_t coflow, uint32_t port, double ms)
{
    (void)coflow;
    d->first[port + 1] += ms > 0;
}

static void put(struct duals *d, uint32_t coflow, uint32_t port, double ms)
{
    if (ms > 0)
        d->part[d->first[port]++] = (struct part){coflow, ms, 0, 0};
    d->busiest_ms[coflow] = fmax(d->busiest_ms[coflow], ms);
}

static bool fill(struct duals *d, double rate, bool whole)
{
    for (uint32_t c = 0; c < d->trace->coflows; c++)
        each_part(d, c, rate, whole, count);
    for (uint32_t p = 0; p < d->ports; p++)
        d->first[p + 1] += d->first[p];
    d->part = malloc((d->first[d->ports] + 1) * sizeof *d->part);
    d->heap = malloc(((size_t)d->trace->coflows + 1) * sizeof *d->heap);
    if (!d->part || !d->heap)
        return false;
    for (uint32_t c = 0; c < d->trace->coflows; c++)
        each_part(d, c, rate, whole, put);
    for (uint32_t p = d->ports; p; p--)
        d->first[p] = d->first[p - 1];
    d->first[0] = 0;
    return true;
}

static double release_of(const struct br_coflow *coflow, bool epochs)
{
    int64_t ms = coflow->arrival_ms;
    if (!epochs)
        return (double)ms;
    int64_t epochs_before = (ms - 1) / BR_EPOCH_MS;
    return ms <= BR_EPOCH_MS ? 0 : (double)(epochs_before * BR_EPOCH_MS);
}

static bool allocate(struct duals *d)
{
    size_t coflows = (size_t)d->trace->coflows + 1;
    d->ports = 2 * d->trace->ports;
    d->release_ms = malloc(coflows * sizeof *d->release_ms);
    d->sum = calloc(coflows, sizeof *d->sum);
    d->busiest_ms = calloc(coflows, sizeof *d->busiest_ms);
    d->first = calloc((size_t)d->ports + 2, sizeof *d->first);
    return d->release_ms && d->sum && d->busiest_ms && d->first;
}

enum br_status br_coflow_bound_make(const struct br_coflows *trace,
                                    const struct br_coflow_options *options, uint32_t rounds,
                                    struct br_coflow_bound *bound, struct br_diag *diag)
{
    struct duals d = {.trace = trace};
    bool epochs = options->clock == BR_CLOCK_EPOCHS;
    double rate = !epochs && options->port_rate > 0 ? options->port_rate : BR_COFLOW_PORT_RATE;
    enum br_status status = BR_OK;
    double releases = 0, alone = 0, coflows = trace->coflows;
    if (!allocate(&d))
        status = br_fail_memory(diag);
    for (uint32_t c = 0; !status && c < trace->coflows; c++) {
        d.release_ms[c] = release_of(&trace->coflow[c], epochs);
        releases += d.release_ms[c];
    }
    if (!status && !fill(&d, rate, epochs))
        status = br_fail_memory(diag);
    for (uint32_t c = 0; !status && c < trace->coflows; c++) {
        alone += d.busiest_ms[c];
        /* One without bytes has no part: it completes when it comes. */
        releases -= d.busiest_ms[c] > 0 ? 0 : d.release_ms[c];
    }
    if (!status) {
        bound->alone_s = alone / coflows / 1000;
        bound->one_port_s = (one_port(&d) - releases) / coflows / 1000;
        double searched = (search(&d, rounds, options->stop) - releases) / coflows / 1000;
        /* Sums of some hundred thousand terms may be off by their rounding. */
        bound->average_cct_s =
            fmax(fmax(bound->alone_s, bound->one_port_s), searched) * (1 - 1e-10);
    }
    free(d.release_ms);
    free(d.sum);
    free(d.busiest_ms);
    free(d.first);
    free(d.part);
    free(d.heap);
    return status;
}
