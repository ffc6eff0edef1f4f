#include "cluster/coflow/clocks/ends.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/collections/grow.h"
#include "base/collections/heap.h"

static bool clocks_ends_is_before(const void *none, const struct br_end *a, const struct br_end *b)
{
    (void)none;
    return a->ms != b->ms ? a->ms < b->ms : a->grant.flow < b->grant.flow;
}

BR_HEAP(ends, struct br_end, const void *, clocks_ends_is_before, 4)

bool br_ends_init(struct br_ends *ends, const struct br_fabric *fabric)
{
    *ends = (struct br_ends){.fabric = fabric, .horizon_ms = INFINITY};
    ends->version = calloc(fabric->trace->flows + 1, sizeof *ends->version);
    return ends->version != NULL;
}

void br_ends_finish(struct br_ends *ends)
{
    free(ends->heap);
    free(ends->version);
}

static bool clocks_ends_push(struct br_ends *ends, double ms, const struct br_grant *grant)
{
    if (!br_grow(&ends->heap, ends->size, &ends->room, sizeof *ends->heap))
        return false;
    assert(ms < INFINITY);
    struct br_end end = {.ms = ms, .version = ++ends->version[grant->flow], .grant = *grant};
    ends_push(NULL, ends->heap, &ends->size, end);
    return true;
}

static double clocks_end_of(const struct br_ends *ends, double now_ms, uint64_t flow)
{
    assert(ends->fabric->rate[flow] > 0);
    return now_ms + ends->fabric->left[flow] / ends->fabric->rate[flow];
}

/* The first time at which one of the coflows leaves, of those all of whose flows have a rate; at
 * most until_ms. */
static double first_to_leave(const struct br_ends *ends, double now_ms, double until_ms,
                             const uint32_t *coflow, uint32_t coflows)
{
    const struct br_fabric *fabric = ends->fabric;
    for (uint32_t k = 0; k < coflows; k++)
        fabric->coflow[coflow[k]].last = now_ms;
    for (uint64_t k = 0; k < fabric->grants;) {
        uint32_t of = fabric->grant[k].coflow;
        struct br_coflow_state *state = &fabric->coflow[of];
        double last = state->last;
        assert(state->rated <= state->live);
        if (state->rated == state->live)
            for (; k < fabric->grants && fabric->grant[k].coflow == of && last < until_ms; k++) {
                double ms = clocks_end_of(ends, now_ms, fabric->grant[k].flow);
                last = ms > last ? ms : last;
            }
        while (k < fabric->grants && fabric->grant[k].coflow == of)
            k++;
        state->last = last;
    }
    for (uint32_t k = 0; k < coflows; k++) {
        const struct br_coflow_state *state = &fabric->coflow[coflow[k]];
        if (state->rated == state->live && state->last < until_ms)
            until_ms = state->last;
    }
    return until_ms;
}

bool br_ends_renew(struct br_ends *ends, double now_ms, double until_ms, const uint32_t *coflow,
                   uint32_t coflows)
{
    const struct br_fabric *fabric = ends->fabric;
    ends->size = 0;
    if (coflow)
        until_ms = first_to_leave(ends, now_ms, until_ms, coflow, coflows);
    assert(until_ms >= now_ms);
    double span_ms = (until_ms - now_ms) * (1 + 1e-9) + 1;
    ends->horizon_ms = now_ms + span_ms;
    for (uint64_t k = 0; k < fabric->grants; k++) {
        const struct br_grant *grant = &fabric->grant[k];
        if (fabric->left[grant->flow] <= fabric->rate[grant->flow] * span_ms &&
            !clocks_ends_push(ends, clocks_end_of(ends, now_ms, grant->flow), grant))
            return false;
    }
    return true;
}

bool br_ends_raise(struct br_ends *ends, double now_ms, const struct br_grant *grant)
{
    double ms = clocks_end_of(ends, now_ms, grant->flow);
    return ms > ends->horizon_ms || clocks_ends_push(ends, ms, grant);
}

void br_ends_forget(struct br_ends *ends, const struct br_grant *grant)
{
    ends->version[grant->flow]++;
}

double br_ends_next_ms(struct br_ends *ends)
{
    while (ends->size && ends->heap[0].version != ends->version[ends->heap[0].grant.flow])
        ends_pop(NULL, ends->heap, &ends->size);
    return ends->size ? ends->heap[0].ms : INFINITY;
}

struct br_grant br_ends_pop(struct br_ends *ends)
{
    struct br_end end = ends_pop(NULL, ends->heap, &ends->size);
    assert(end.version == ends->version[end.grant.flow]);
    return end.grant;
}
