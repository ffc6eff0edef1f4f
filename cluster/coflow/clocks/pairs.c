#include "cluster/coflow/clocks/pairs.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/collections/grow.h"
#include "base/collections/heap.h"

static bool pairs_is_before(const void *none, const struct br_due *a, const struct br_due *b)
{
    (void)none;
    return a->moved != b->moved ? a->moved < b->moved : a->grant.flow < b->grant.flow;
}

BR_HEAP(dues, struct br_due, const void *, pairs_is_before, 4)

/* ---- Their life ---- */

/* Numbers the ports that are marked, ascending; answers how many. */
static uint32_t pairs_number(uint32_t *at, uint32_t *port, uint32_t ports)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < ports; p++)
        if (at[p]) {
            port[count] = p;
            at[p] = count++;
        }
    return count;
}

static bool pairs_allocate(struct br_pairs *pairs)
{
    const struct br_coflows *trace = pairs->run->trace;
    size_t ports = (size_t)trace->ports + 1;
    pairs->up_at = calloc(ports, sizeof *pairs->up_at);
    pairs->down_at = calloc(ports, sizeof *pairs->down_at);
    pairs->up_port = calloc(ports, sizeof *pairs->up_port);
    pairs->down_port = calloc(ports, sizeof *pairs->down_port);
    pairs->up = calloc(ports, sizeof *pairs->up);
    pairs->down = calloc(ports, sizeof *pairs->down);
    pairs->first = calloc(ports, sizeof *pairs->first);
    if (!pairs->up_at || !pairs->down_at || !pairs->up_port || !pairs->down_port || !pairs->up ||
        !pairs->down || !pairs->first)
        return false;
    for (uint32_t c = 0; c < trace->coflows; c++) {
        for (uint32_t s = 0; s < trace->coflow[c].senders; s++)
            pairs->up_at[trace->coflow[c].up[s]] = 1;
        for (uint32_t r = 0; r < trace->coflow[c].receivers; r++)
            pairs->down_at[trace->coflow[c].down[r]] = 1;
    }
    pairs->ups = pairs_number(pairs->up_at, pairs->up_port, trace->ports);
    pairs->downs = pairs_number(pairs->down_at, pairs->down_port, trace->ports);
    pairs->pair = calloc((size_t)pairs->ups * pairs->downs + 1, sizeof *pairs->pair);
    return pairs->pair != NULL;
}

enum br_status br_pairs_init(struct br_pairs *pairs, struct br_coflow_run *run, double same)
{
    *pairs = (struct br_pairs){.run = run, .same = same};
    if (!pairs_allocate(pairs))
        return br_fail_memory(run->diag);
    for (size_t k = 0; k < (size_t)pairs->ups * pairs->downs; k++)
        pairs->pair[k].next = INFINITY;
    for (uint32_t u = 0; u < pairs->ups; u++)
        pairs->first[u] = INFINITY;
    return BR_OK;
}

void br_pairs_finish(struct br_pairs *pairs)
{
    for (size_t k = 0; pairs->pair && k < (size_t)pairs->ups * pairs->downs; k++)
        free(pairs->pair[k].heap);
    free(pairs->pair);
    free(pairs->up_at);
    free(pairs->down_at);
    free(pairs->up_port);
    free(pairs->down_port);
    free(pairs->up);
    free(pairs->down);
    free(pairs->first);
}

/* ---- Flows ---- */

void br_pairs_renew_first(struct br_pairs *pairs, uint32_t up)
{
    double first = INFINITY;
    for (uint32_t d = 0; d < pairs->downs; d++) {
        double next = br_pair_of(pairs, up, d)->next;
        first = next < first ? next : first;
    }
    pairs->first[up] = first;
}

static bool pairs_push(struct br_pairs *pairs, struct br_pair *pair, const struct br_grant *grant,
                       double bytes)
{
    assert(bytes > 0);
    if (!br_grow(&pair->heap, pair->size, &pair->room, sizeof *pair->heap))
        return false;
    if (pair->size == 0)
        pair->moved = pair->rate = 0;
    br_pair_settle(pairs, pair);
    dues_push(NULL, pair->heap, &pair->size, (struct br_due){pair->moved + bytes, *grant});
    return true;
}

enum br_status br_pairs_enter(struct br_pairs *pairs, uint32_t coflow, br_pair_visit *visit,
                              void *context)
{
    const struct br_fabric *fabric = &pairs->run->fabric;
    const struct br_coflow *c = &pairs->run->trace->coflow[coflow];
    for (uint32_t r = 0; r < c->receivers; r++) {
        uint32_t down = pairs->down_at[c->down[r]];
        assert(pairs->down_port[down] == c->down[r]);
        for (uint32_t s = 0; s < c->senders; s++) {
            uint32_t up = pairs->up_at[c->up[s]];
            assert(pairs->up_port[up] == c->up[s]);
            uint64_t flow = br_fabric_flow(fabric, coflow, s, r);
            const struct br_grant grant = {flow, coflow, s, r};
            if (fabric->left[flow] <= 0)
                continue;
            if (!pairs_push(pairs, br_pair_of(pairs, up, down), &grant, fabric->left[flow]))
                return br_fail_memory(pairs->run->diag);
            pairs->up[up]++;
            pairs->down[down]++;
            visit(context, up, down);
        }
    }
    return BR_OK;
}

static void end_first(struct br_pairs *pairs, struct br_pair *pair, double now_ms)
{
    struct br_coflow_run *run = pairs->run;
    const struct br_due due = dues_pop(NULL, pair->heap, &pair->size);
    assert(due.grant.coflow < run->arrived);
    double left = run->fabric.left[due.grant.flow];
    assert(left > 0);
    br_fabric_move(&run->fabric, &due.grant, left);
    pairs->ended_bytes += left;
    br_run_flow(run, &due.grant);
    if (run->fabric.coflow[due.grant.coflow].live == 0)
        br_run_leave(run, due.grant.coflow, now_ms);
}

void br_pairs_end(struct br_pairs *pairs, double now_ms, br_pair_visit *visit, void *context)
{
    double until = pairs->now + pairs->same;
    for (uint32_t u = 0; u < pairs->ups; u++) {
        for (uint32_t d = 0; pairs->first[u] <= until && d < pairs->downs; d++) {
            struct br_pair *pair = br_pair_of(pairs, u, d);
            if (pair->next > until)
                continue;
            double over = fmax(BR_FLOW_OVER, pair->rate * pairs->same);
            br_pair_settle(pairs, pair);
            do {
                assert(pair->size && pairs->up[u] && pairs->down[d]);
                end_first(pairs, pair, now_ms);
                pairs->up[u]--;
                pairs->down[d]--;
            } while (pair->size && pair->heap[0].moved - pair->moved <= over);
            pair->next = INFINITY;
            visit(context, u, d);
        }
    }
}
