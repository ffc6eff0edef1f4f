/* Fair shares by flow under the clock of epochs: in every tick a flow moves the lesser of its equal
 * parts of its two ports, and a port keeps its part of a flow that is at an end within the tick.
 *
 * All flows from one uplink to one downlink move alike, so a pair of ports has one count of bytes
 * that each of its flows has moved since the beginning, and a heap of the counts at which they end.
 * When a flow ends only the pairs of its two ports change. */
#include <math.h>
#include <stdlib.h>

#include "base/collections/heap.h"
#include "simulate/coflow/clocks/epoch.h"
#include "simulate/coflow/clocks/run.h"

struct due {
    double moved; /* of the pair, at which the flow ends */
    struct br_grant grant;
};

static bool is_before(const void *none, const struct due *a, const struct due *b)
{
    (void)none;
    return a->moved != b->moved ? a->moved < b->moved : a->grant.flow < b->grant.flow;
}

BR_HEAP(dues, struct due, const void *, is_before, 4)

struct pair {
    double moved; /* by each of its flows, until `since` */
    double rate;  /* of each, in a tick */
    double since; /* tick */
    double next;  /* tick at which the first of them ends; infinite where there is none */
    uint32_t size, room;
    struct due *heap;
};

struct shares {
    struct br_coflow_run *run;
    uint32_t ports;
    double now; /* tick */
    struct pair *pair;
    uint32_t *up, *down; /* flows at a port */
    double *row;         /* the first end among an uplink's pairs */
    bool *stale_up, *stale_down;
    uint32_t changes, *changed; /* stale downlinks */
};

static struct pair *pair_of(struct shares *s, uint32_t up, uint32_t down)
{
    return &s->pair[(size_t)up * s->ports + down];
}

/* Gives the pair its rate of now on, and finds when its first flow ends. */
static void renew(struct shares *s, uint32_t up, uint32_t down)
{
    struct pair *pair = pair_of(s, up, down);
    if (pair->size == 0)
        return;
    pair->moved += pair->rate * (s->now - pair->since);
    pair->since = s->now;
    pair->rate = fmin(BR_COFLOW_MB / s->up[up], BR_COFLOW_MB / s->down[down]);
    double ticks = (pair->heap[0].moved - pair->moved - BR_FLOW_OVER) / pair->rate;
    double whole = ticks < 1 ? 1 : (double)(int64_t)ticks;
    pair->next = s->now + (whole < ticks ? whole + 1 : whole);
}

/* Renews all pairs of the uplink. */
static void renew_row(struct shares *s, uint32_t up)
{
    double first = INFINITY;
    for (uint32_t d = 0; d < s->ports; d++) {
        renew(s, up, d);
        first = fmin(first, pair_of(s, up, d)->next);
    }
    s->row[up] = first;
}

/* Renews the pairs with downlinks whose flows have changed. */
static void renew_part(struct shares *s, uint32_t up)
{
    bool lost = false;
    for (uint32_t k = 0; k < s->changes; k++) {
        struct pair *pair = pair_of(s, up, s->changed[k]);
        double before = pair->next;
        renew(s, up, s->changed[k]);
        lost |= before <= s->row[up] && pair->next > before;
        s->row[up] = fmin(s->row[up], pair->next);
    }
    if (!lost)
        return;
    s->row[up] = INFINITY;
    for (uint32_t d = 0; d < s->ports; d++)
        s->row[up] = fmin(s->row[up], pair_of(s, up, d)->next);
}

static void renew_stale(struct shares *s)
{
    for (uint32_t u = 0; u < s->ports; u++) {
        if (!s->up[u])
            s->row[u] = INFINITY;
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

static void change(struct shares *s, uint32_t up, uint32_t down)
{
    if (!s->stale_down[down])
        s->changed[s->changes++] = down;
    s->stale_up[up] = s->stale_down[down] = true;
}

static bool push(struct shares *s, const struct br_grant *grant, double bytes)
{
    const struct br_coflow *c = &s->run->trace->coflow[grant->coflow];
    uint32_t up = c->up[grant->sender], down = c->down[grant->receiver];
    struct pair *pair = pair_of(s, up, down);
    if (pair->size == pair->room) {
        uint32_t room = pair->room ? 2 * pair->room : 8;
        struct due *larger = realloc(pair->heap, room * sizeof *larger);
        if (!larger)
            return false;
        pair->heap = larger;
        pair->room = room;
    }
    if (pair->size == 0)
        pair->moved = pair->rate = 0;
    else
        pair->moved += pair->rate * (s->now - pair->since);
    pair->since = s->now;
    dues_push(NULL, pair->heap, &pair->size, (struct due){pair->moved + bytes, *grant});
    s->up[up]++;
    s->down[down]++;
    change(s, up, down);
    return true;
}

static enum br_status enter(struct shares *s, uint32_t coflow)
{
    const struct br_coflow *c = &s->run->trace->coflow[coflow];
    for (uint32_t r = 0; r < c->receivers; r++) {
        for (uint32_t k = 0; k < c->senders; k++) {
            uint64_t flow = br_fabric_flow(&s->run->fabric, coflow, k, r);
            const struct br_grant grant = {flow, coflow, k, r};
            if (s->run->fabric.left[flow] > 0 && !push(s, &grant, s->run->fabric.left[flow]))
                return br_fail_memory(s->run->diag);
        }
    }
    return BR_OK;
}

/* Ends the flows that are due. */
static void end_flows(struct shares *s)
{
    for (uint32_t u = 0; u < s->ports; u++) {
        for (uint32_t d = 0; s->row[u] <= s->now && d < s->ports; d++) {
            struct pair *pair = pair_of(s, u, d);
            if (pair->size == 0 || pair->next > s->now)
                continue;
            double moved = pair->moved + pair->rate * (s->now - pair->since);
            while (pair->size && pair->heap[0].moved - moved <= BR_FLOW_OVER) {
                struct due due = dues_pop(NULL, pair->heap, &pair->size);
                struct br_fabric *fabric = &s->run->fabric;
                s->run->span_bytes += fabric->left[due.grant.flow];
                br_fabric_move(fabric, &due.grant, fabric->left[due.grant.flow]);
                br_run_flow(s->run, &due.grant);
                s->up[u]--;
                s->down[d]--;
                if (fabric->coflow[due.grant.coflow].live == 0)
                    br_run_leave(s->run, due.grant.coflow, s->now * BR_TICK_MS);
            }
            if (pair->size == 0)
                pair->next = INFINITY;
            change(s, u, d);
        }
    }
}

static enum br_status admit(struct shares *s, int64_t begin_ms)
{
    enum br_status status = BR_OK;
    struct br_coflow_run *run = s->run;
    while (!status && run->arrived < run->trace->coflows &&
           run->trace->coflow[run->arrived].arrival_ms <= begin_ms + BR_EPOCH_MS) {
        uint32_t coflow = run->arrived;
        status = br_run_arrive(run, coflow, (double)begin_ms);
        if (!status)
            status = enter(s, coflow);
    }
    return status;
}

static enum br_status run_epoch(struct shares *s, int64_t epoch)
{
    double end = (double)(epoch + 1) * BR_EPOCH_TICKS;
    s->now = (double)epoch * BR_EPOCH_TICKS;
    enum br_status status = admit(s, epoch * BR_EPOCH_MS);
    while (!status && s->run->active && !br_stopped(s->run->options->stop)) {
        double next = INFINITY;
        renew_stale(s);
        for (uint32_t u = 0; u < s->ports; u++)
            next = fmin(next, s->row[u]);
        if (next > end)
            break;
        s->now = next;
        end_flows(s);
        s->run->outcome->decisions++;
    }
    return status ? status : br_run_span(s->run, end * BR_TICK_MS);
}

static bool allocate(struct shares *s)
{
    size_t ports = s->ports;
    s->pair = calloc(ports * ports + 1, sizeof *s->pair);
    s->up = calloc(ports + 1, sizeof *s->up);
    s->down = calloc(ports + 1, sizeof *s->down);
    s->row = calloc(ports + 1, sizeof *s->row);
    s->stale_up = calloc(ports + 1, sizeof *s->stale_up);
    s->stale_down = calloc(ports + 1, sizeof *s->stale_down);
    for (size_t k = 0; s->pair && k < ports * ports; k++)
        s->pair[k].next = INFINITY;
    s->changed = calloc(ports + 1, sizeof *s->changed);
    return s->pair && s->changed && s->up && s->down && s->row && s->stale_up && s->stale_down;
}

static void release(struct shares *s)
{
    for (size_t k = 0; s->pair && k < (size_t)s->ports * s->ports; k++)
        free(s->pair[k].heap);
    free(s->pair);
    free(s->up);
    free(s->down);
    free(s->row);
    free(s->stale_up);
    free(s->stale_down);
    free(s->changed);
}

enum br_status br_run_shares(struct br_coflow_run *run)
{
    struct shares s = {.run = run, .ports = run->trace->ports};
    enum br_status status = allocate(&s) ? BR_OK : br_fail_memory(run->diag);
    int64_t epoch = 0;
    while (!status && (run->arrived < run->trace->coflows || run->active)) {
        if (br_stopped(run->options->stop)) {
            run->outcome->cut = true;
            break;
        }
        epoch = br_epoch_next(run, epoch);
        status = run_epoch(&s, epoch++);
    }
    release(&s);
    return status;
}
