/* Rates of transfers, in exact numbers. */
#include "planner/network/flows.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"

/* 1e-9 bytes in a byte, and nanoseconds in a second. */
static const int64_t nano = 1000000000;

bool br_flows_init(struct br_flows *flows, const struct br_network_job *job,
                   const struct br_wiring *wiring)
{
    size_t machines = job->cluster->machines;
    *flows = (struct br_flows){.job = job, .wiring = wiring};
    flows->up = malloc(machines * sizeof *flows->up);
    flows->down = malloc(machines * sizeof *flows->down);
    flows->ups = calloc(machines, sizeof *flows->ups);
    flows->downs = calloc(machines, sizeof *flows->downs);
    flows->load = calloc(2 * machines, sizeof *flows->load);
    flows->edge_key = calloc((size_t)job->dag->edges + 1, sizeof *flows->edge_key);
    return flows->up && flows->down && flows->ups && flows->downs && flows->load && flows->edge_key;
}

void br_flows_finish(struct br_flows *flows)
{
    free(flows->flow);
    free(flows->up);
    free(flows->down);
    free(flows->ups);
    free(flows->downs);
    free(flows->load);
    free(flows->edge_key);
    free(flows->moved);
    *flows = (struct br_flows){0};
}

void br_flows_clear(struct br_flows *flows, enum br_sharing sharing, bool record)
{
    flows->sharing = sharing;
    flows->record = record;
    flows->flows = flows->moves = 0;
    flows->next_ns = BR_NETWORK_NEVER;
    flows->changed = false;
}

bool br_flows_add(struct br_flows *flows, uint32_t wire, uint64_t key, int64_t now_ns)
{
    if (!br_grow(&flows->flow, flows->flows, &flows->room, sizeof *flows->flow))
        return false;
    if (flows->sharing == BR_SHARE_FIFO)
        key = (uint64_t)now_ns;
    uint32_t low = 0, high = flows->flows;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct br_flow *f = &flows->flow[middle];
        if (f->key < key || (f->key == key && f->wire < wire))
            low = middle + 1;
        else
            high = middle;
    }
    memmove(&flows->flow[low + 1], &flows->flow[low], (flows->flows - low) * sizeof *flows->flow);
    flows->flow[low] = (struct br_flow){.wire = wire,
                                        .key = key,
                                        .left = (br_wide)flows->wiring->wire[wire].bytes * nano,
                                        .since_ns = now_ns,
                                        .end_ns = BR_NETWORK_NEVER};
    flows->flows++;
    flows->changed = true;
    return true;
}

/* What the flow has moved at its rate is accounted for. */
static bool settle(struct br_flows *flows, struct br_flow *f, int64_t now_ns)
{
    if (f->rate && now_ns > f->since_ns) {
        if (flows->record) {
            if (!br_grow(&flows->moved, flows->moves, &flows->move_room, sizeof *flows->moved))
                return false;
            flows->moved[flows->moves++] = (struct br_moved){f->wire, f->since_ns, now_ns, f->rate};
        }
        f->left -= (br_wide)f->rate * (now_ns - f->since_ns);
    }
    f->since_ns = now_ns;
    return true;
}

/* From now on the flow moves at this rate. */
static bool set_rate(struct br_flows *flows, struct br_flow *f, int64_t rate, int64_t now_ns)
{
    if (rate != f->rate) {
        if (!settle(flows, f, now_ns))
            return false;
        f->rate = rate;
        f->end_ns = BR_NETWORK_NEVER;
        if (rate) {
            br_wide lasts = (f->left + rate - 1) / rate;
            if (lasts < BR_TICKS_MAX - now_ns)
                f->end_ns = now_ns + (int64_t)lasts;
        }
    }
    if (f->end_ns < flows->next_ns)
        flows->next_ns = f->end_ns;
    return true;
}

/* In order, each as much as is left. */
static bool share_in_order(struct br_flows *flows, int64_t now_ns)
{
    for (uint32_t k = 0; k < flows->flows; k++) {
        struct br_flow *f = &flows->flow[k];
        const struct br_wire *wire = &flows->wiring->wire[f->wire];
        int64_t *up = &flows->up[wire->from], *down = &flows->down[wire->to];
        int64_t rate = *up < *down ? *up : *down;
        *up -= rate;
        *down -= rate;
        if (!set_rate(flows, f, rate, now_ns))
            return false;
    }
    return true;
}

/* The share of a port that each of its flows without a rate would get; at least 1 byte a second. */
static int64_t share_of(int64_t left, uint32_t flows)
{
    return left / flows ? left / flows : 1;
}

/* Max-min fairness: again and again the port with the least to give decides for its flows. */
static bool share_fairly(struct br_flows *flows, int64_t now_ns)
{
    uint32_t open = flows->flows, machines = flows->job->cluster->machines;
    for (uint32_t k = 0; k < flows->flows; k++) {
        const struct br_wire *wire = &flows->wiring->wire[flows->flow[k].wire];
        flows->ups[wire->from]++;
        flows->downs[wire->to]++;
    }
    while (open) {
        int64_t least = INT64_MAX;
        uint32_t port = 0;
        for (uint32_t m = 0; m < machines; m++) {
            if (flows->ups[m] && share_of(flows->up[m], flows->ups[m]) < least)
                least = share_of(flows->up[m], flows->ups[m]), port = 2 * m;
            if (flows->downs[m] && share_of(flows->down[m], flows->downs[m]) < least)
                least = share_of(flows->down[m], flows->downs[m]), port = 2 * m + 1;
        }
        for (uint32_t k = 0; k < flows->flows; k++) {
            struct br_flow *f = &flows->flow[k];
            const struct br_wire *wire = &flows->wiring->wire[f->wire];
            bool decided = f->key == UINT64_MAX;
            if (decided || port != (port % 2 ? 2 * wire->to + 1 : 2 * wire->from))
                continue;
            int64_t rate = least;
            rate = rate < flows->up[wire->from] ? rate : flows->up[wire->from];
            rate = rate < flows->down[wire->to] ? rate : flows->down[wire->to];
            flows->up[wire->from] -= rate;
            flows->down[wire->to] -= rate;
            flows->ups[wire->from]--;
            flows->downs[wire->to]--;
            f->key = UINT64_MAX; /* has its rate; the order means nothing here */
            open--;
            if (!set_rate(flows, f, rate, now_ns))
                return false;
        }
        flows->work += flows->flows + machines;
    }
    for (uint32_t k = 0; k < flows->flows; k++)
        flows->flow[k].key = 0;
    return true;
}

static int by_edge_key(const void *a, const void *b, void *context)
{
    const struct br_flow *x = a, *y = b;
    const struct br_flows *flows = context;
    uint32_t e = flows->wiring->wire[x->wire].edge, f = flows->wiring->wire[y->wire].edge;
    if (flows->edge_key[e] != flows->edge_key[f])
        return flows->edge_key[e] < flows->edge_key[f] ? -1 : 1;
    return x->wire < y->wire ? -1 : x->wire > y->wire; /* wires of an edge are together */
}

/* Orders the flows by the time that their edge's busiest port needs for what is left of it. */
static bool order_by_bottleneck(struct br_flows *flows, int64_t now_ns)
{
    const struct br_network_job *job = flows->job;
    for (uint32_t k = 0; k < flows->flows; k++) {
        struct br_flow *f = &flows->flow[k];
        if (!settle(flows, f, now_ns))
            return false;
        flows->edge_key[flows->wiring->wire[f->wire].edge] = 0;
    }
    for (uint32_t k = 0; k < flows->flows;) { /* flows of an edge stand together: see below */
        uint32_t edge = flows->wiring->wire[flows->flow[k].wire].edge, end = k;
        for (; end < flows->flows && flows->wiring->wire[flows->flow[end].wire].edge == edge;
             end++) {
            const struct br_wire *wire = &flows->wiring->wire[flows->flow[end].wire];
            double left = (double)flows->flow[end].left;
            flows->load[2 * wire->from] += left / (double)job->up[wire->from];
            flows->load[2 * wire->to + 1] += left / (double)job->down[wire->to];
            double *key = &flows->edge_key[edge];
            *key = *key < flows->load[2 * wire->from] ? flows->load[2 * wire->from] : *key;
            *key = *key < flows->load[2 * wire->to + 1] ? flows->load[2 * wire->to + 1] : *key;
        }
        for (; k < end; k++) {
            const struct br_wire *wire = &flows->wiring->wire[flows->flow[k].wire];
            flows->load[2 * wire->from] = flows->load[2 * wire->to + 1] = 0;
        }
    }
    qsort_r(flows->flow, flows->flows, sizeof *flows->flow, by_edge_key, flows);
    return true;
}

static int by_wire(const void *a, const void *b)
{
    const struct br_flow *x = a, *y = b;
    return x->wire < y->wire ? -1 : x->wire > y->wire;
}

bool br_flows_share(struct br_flows *flows, int64_t now_ns)
{
    const struct br_network_job *job = flows->job;
    if (!flows->changed)
        return true;
    flows->changed = false;
    flows->next_ns = BR_NETWORK_NEVER;
    flows->work += flows->flows + job->cluster->machines / 8;
    memcpy(flows->up, job->up, job->cluster->machines * sizeof *flows->up);
    memcpy(flows->down, job->down, job->cluster->machines * sizeof *flows->down);
    if (flows->sharing == BR_SHARE_FAIR)
        return share_fairly(flows, now_ns);
    if (flows->sharing == BR_SHARE_SEBF) {
        /* New flows were put in by key 0, which is by wire, among others by edge_key. */
        qsort(flows->flow, flows->flows, sizeof *flows->flow, by_wire);
        if (!order_by_bottleneck(flows, now_ns))
            return false;
    }
    return share_in_order(flows, now_ns);
}

bool br_flows_pop(struct br_flows *flows, int64_t now_ns, uint32_t *wire, bool *memory)
{
    if (flows->next_ns > now_ns)
        return false;
    for (uint32_t k = 0; k < flows->flows; k++) {
        struct br_flow *f = &flows->flow[k];
        if (f->end_ns > now_ns)
            continue;
        *wire = f->wire;
        *memory = settle(flows, f, now_ns) && *memory;
        assert(f->left <= 0);
        memmove(f, f + 1, (flows->flows - k - 1) * sizeof *f);
        flows->flows--;
        flows->changed = true;
        return true;
    }
    return false;
}
