/* Fair shares by flow under the clock of epochs: in every tick a flow moves the lesser of its equal
 * parts of its two ports, and a port keeps its part of a flow that is at an end within the tick.
 * When a flow ends only the pairs of its two ports change. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "cluster/coflow/clocks/epoch.h"
#include "cluster/coflow/clocks/pairs.h"

struct shares {
    struct br_coflow_run *run;
    struct br_pairs pairs; /* in ticks */
    bool *stale_up, *stale_down;
    uint32_t changes, *changed; /* stale downlinks */
};

/* Gives the pair its rate of now on, and finds when its first flow ends. */
static void renew(struct shares *s, uint32_t up, uint32_t down)
{
    struct br_pairs *pairs = &s->pairs;
    struct br_pair *pair = br_pair_of(pairs, up, down);
    if (pair->size == 0)
        return;
    br_pair_settle(pairs, pair);
    assert(pairs->up[up] && pairs->down[down]);
    pair->rate = fmin(BR_COFLOW_MB / pairs->up[up], BR_COFLOW_MB / pairs->down[down]);
    double ticks = (pair->heap[0].moved - pair->moved - BR_FLOW_OVER) / pair->rate;
    double whole = ticks < 1 ? 1 : (double)(int64_t)ticks;
    pair->next = pairs->now + (whole < ticks ? whole + 1 : whole);
    assert(pair->next > pairs->now);
}

/* Renews all pairs of the uplink. */
static void renew_row(struct shares *s, uint32_t up)
{
    for (uint32_t d = 0; d < s->pairs.downs; d++)
        renew(s, up, d);
    br_pairs_renew_first(&s->pairs, up);
}

/* Renews the pairs with downlinks whose flows have changed. */
static void renew_part(struct shares *s, uint32_t up)
{
    double *first = &s->pairs.first[up];
    bool lost = false;
    for (uint32_t k = 0; k < s->changes; k++) {
        struct br_pair *pair = br_pair_of(&s->pairs, up, s->changed[k]);
        double before = pair->next;
        renew(s, up, s->changed[k]);
        lost |= before <= *first && pair->next > before;
        *first = fmin(*first, pair->next);
    }
    if (lost)
        br_pairs_renew_first(&s->pairs, up);
}

static void renew_stale(struct shares *s)
{
    for (uint32_t u = 0; u < s->pairs.ups; u++) {
        if (!s->pairs.up[u])
            s->pairs.first[u] = INFINITY;
        else if (s->stale_up[u])
            renew_row(s, u);
        else
            renew_part(s, u);
        s->stale_up[u] = false;
    }
    for (uint32_t k = 0; k < s->changes; k++)
        s->stale_down[s->changed[k]] = false;
    s->changes = 0;
}

static void clocks_shares_change(void *context, uint32_t up, uint32_t down)
{
    struct shares *s = context;
    assert(s->stale_down[down] || s->changes < s->pairs.downs);
    if (!s->stale_down[down])
        s->changed[s->changes++] = down;
    s->stale_up[up] = s->stale_down[down] = true;
}

static enum br_status clocks_shares_admit(struct shares *s, int64_t begin_ms)
{
    enum br_status status = BR_OK;
    struct br_coflow_run *run = s->run;
    while (!status && run->arrived < run->trace->coflows &&
           run->trace->coflow[run->arrived].arrival_ms <= begin_ms + BR_EPOCH_MS) {
        uint32_t coflow = run->arrived;
        status = br_run_arrive(run, coflow, (double)begin_ms);
        if (!status)
            status = br_pairs_enter(&s->pairs, coflow, clocks_shares_change, s);
    }
    return status;
}

static enum br_status clocks_shares_run_epoch(struct shares *s, int64_t epoch)
{
    double end = (double)(epoch + 1) * BR_EPOCH_TICKS;
    s->pairs.now = (double)epoch * BR_EPOCH_TICKS;
    enum br_status status = clocks_shares_admit(s, epoch * BR_EPOCH_MS);
    while (!status && s->run->active && !br_stopped(s->run->options->stop)) {
        double next = INFINITY;
        renew_stale(s);
        for (uint32_t u = 0; u < s->pairs.ups; u++)
            next = fmin(next, s->pairs.first[u]);
        assert(next >= s->pairs.now);
        if (next > end)
            break;
        s->pairs.now = next;
        s->pairs.ended_bytes = 0;
        br_pairs_end(&s->pairs, next * BR_TICK_MS, clocks_shares_change, s);
        s->run->span_bytes += s->pairs.ended_bytes;
        s->run->outcome->decisions++;
    }
    return status ? status : br_run_span(s->run, end * BR_TICK_MS);
}

static bool clocks_shares_allocate(struct shares *s)
{
    s->stale_up = calloc((size_t)s->pairs.ups + 1, sizeof *s->stale_up);
    s->stale_down = calloc((size_t)s->pairs.downs + 1, sizeof *s->stale_down);
    s->changed = calloc((size_t)s->pairs.downs + 1, sizeof *s->changed);
    return s->stale_up && s->stale_down && s->changed;
}

enum br_status br_run_shares(struct br_coflow_run *run)
{
    struct shares s = {.run = run};
    enum br_status status = br_pairs_init(&s.pairs, run, 0);
    if (!status && !clocks_shares_allocate(&s))
        status = br_fail_memory(run->diag);
    int64_t epoch = 0;
    while (!status && (run->arrived < run->trace->coflows || run->active)) {
        if (br_stopped(run->options->stop)) {
            run->outcome->cut = true;
            break;
        }
        epoch = br_epoch_next(run, epoch);
        status = clocks_shares_run_epoch(&s, epoch++);
    }
    br_pairs_finish(&s.pairs);
    free(s.stale_up);
    free(s.stale_down);
    free(s.changed);
    return status;
}
