#include "cluster/coflow/fabric/rates.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "cluster/coflow/fabric/state.h"

/* ---- Ports ---- */

static bool is_full(const struct br_fabric *fabric, double free)
{
    return free <= BR_PORT_FULL * fabric->capacity;
}

/* Keeps the set of ports with something free beside the numbers. */
static void rates_set_bit(uint64_t *bits, uint32_t port, bool on)
{
    uint64_t bit = UINT64_C(1) << (port % 64);
    bits[port / 64] = on ? bits[port / 64] | bit : bits[port / 64] & ~bit;
}

static void rates_set_up(struct br_fabric *fabric, uint32_t port, double free)
{
    assert(free >= -1e-6 * fabric->capacity);
    fabric->free_up[port] = free > 0 ? free : 0;
    rates_set_bit(fabric->any_up, port, !is_full(fabric, free));
}

static void set_down(struct br_fabric *fabric, uint32_t port, double free)
{
    assert(free >= -1e-6 * fabric->capacity);
    fabric->free_down[port] = free > 0 ? free : 0;
    rates_set_bit(fabric->any_down, port, !is_full(fabric, free));
}

static double rates_capacity_of(const struct br_fabric *fabric, uint32_t port)
{
    return fabric->failed && fabric->failed[port] ? 0 : fabric->capacity;
}

void br_rates_reset(struct br_fabric *fabric)
{
    for (uint64_t k = 0; k < fabric->grants; k++)
        fabric->rate[fabric->grant[k].flow] = 0;
    fabric->grants = 0;
    fabric->ordered = 0;
    for (uint32_t p = 0; p < fabric->trace->ports; p++) {
        rates_set_up(fabric, p, rates_capacity_of(fabric, p));
        set_down(fabric, p, rates_capacity_of(fabric, p));
    }
}

void br_rates_give_back(struct br_fabric *fabric, const struct br_grant *grant)
{
    const struct br_coflow *c = &fabric->trace->coflow[grant->coflow];
    uint32_t up = c->up[grant->sender], down = c->down[grant->receiver];
    rates_set_up(fabric, up, fabric->free_up[up] + fabric->rate[grant->flow]);
    set_down(fabric, down, fabric->free_down[down] + fabric->rate[grant->flow]);
    fabric->rate[grant->flow] = 0;
}

bool br_rates_any_free(const struct br_fabric *fabric)
{
    uint64_t up = 0, down = 0;
    for (uint32_t w = 0; w < fabric->words; w++) {
        up |= fabric->any_up[w];
        down |= fabric->any_down[w];
    }
    return up && down;
}

void br_rates_order(struct br_fabric *fabric, const uint32_t *coflow, uint32_t coflows)
{
    assert(fabric->ordered + coflows <= fabric->trace->coflows);
    memcpy(fabric->order + fabric->ordered, coflow, coflows * sizeof *coflow);
    fabric->ordered += coflows;
    fabric->indexed = false;
}

void br_rates_limit(struct br_fabric *fabric, double share)
{
    assert(share > 0 && share <= 1);
    memset(fabric->up, 0, fabric->trace->ports * sizeof *fabric->up);
    memset(fabric->down, 0, fabric->trace->ports * sizeof *fabric->down);
    for (uint64_t k = 0; k < fabric->grants; k++) {
        const struct br_grant *grant = &fabric->grant[k];
        const struct br_coflow *c = &fabric->trace->coflow[grant->coflow];
        fabric->up[c->up[grant->sender]] += fabric->rate[grant->flow];
        fabric->down[c->down[grant->receiver]] += fabric->rate[grant->flow];
    }
    for (uint32_t p = 0; p < fabric->trace->ports; p++) {
        rates_set_up(fabric, p, (rates_capacity_of(fabric, p) - fabric->up[p]) * share);
        set_down(fabric, p, (rates_capacity_of(fabric, p) - fabric->down[p]) * share);
    }
}

/* ---- Grants ---- */

/* Adds to the rate of a flow; it is above 0. */
static inline void grant(struct br_fabric *fabric, uint32_t coflow, uint32_t sender,
                         uint32_t receiver, double rate)
{
    uint64_t flow = br_fabric_flow(fabric, coflow, sender, receiver);
    assert(rate > 0);
    double before = fabric->rate[flow];
    assert(before > 0 || fabric->grants < fabric->trace->flows);
    if (before <= 0)
        fabric->grant[fabric->grants++] = (struct br_grant){flow, coflow, sender, receiver};
    fabric->rate[flow] = before + rate;
}

/* Has the coflow a sender and a receiver with something free, both with live flows? */
static bool rates_has_room(const struct br_fabric *fabric, const struct br_coflow_state *state)
{
    uint64_t up = 0, down = 0;
    for (uint32_t w = 0; w < fabric->words; w++) {
        up |= state->up_bits[w] & fabric->any_up[w];
        down |= state->down_bits[w] & fabric->any_down[w];
    }
    return up && down;
}

/* Are all its live ports free to some part? */
static bool has_all(const struct br_fabric *fabric, const struct br_coflow_state *state)
{
    uint64_t full = 0;
    for (uint32_t w = 0; w < fabric->words; w++)
        full |=
            (state->up_bits[w] & ~fabric->any_up[w]) | (state->down_bits[w] & ~fabric->any_down[w]);
    return !full;
}

static double rates_lesser(double a, double b)
{
    return a < b ? a : b;
}

static void rates_take(struct br_fabric *fabric, const struct br_coflow *c, const double *up,
                       const double *down)
{
    for (uint32_t s = 0; s < c->senders; s++)
        rates_set_up(fabric, c->up[s], fabric->free_up[c->up[s]] - up[s]);
    for (uint32_t r = 0; r < c->receivers; r++)
        set_down(fabric, c->down[r], fabric->free_down[c->down[r]] - down[r]);
}

bool br_rates_madd(struct br_fabric *fabric, uint32_t coflow)
{
    const struct br_coflow *c = &fabric->trace->coflow[coflow];
    const struct br_coflow_state *state = &fabric->coflow[coflow];
    double alpha = 0;
    if (!state->live || !has_all(fabric, state))
        return false;
    br_fabric_rate_left(fabric, coflow, fabric->up, fabric->down);
    for (uint32_t s = 0; s < c->senders; s++)
        if (state->live_up[s])
            alpha = fmax(alpha, fabric->up[s] / fabric->free_up[c->up[s]]);
    for (uint32_t r = 0; r < c->receivers; r++)
        if (state->live_down[r])
            alpha = fmax(alpha, fabric->down[r] / fabric->free_down[c->down[r]]);
    assert(alpha > 0);
    memset(fabric->up, 0, c->senders * sizeof *fabric->up);
    for (uint32_t r = 0; r < c->receivers; r++) {
        const uint32_t *senders = br_fabric_live_senders(fabric, coflow, r);
        fabric->down[r] = 0;
        for (uint32_t k = 0; k < state->live_down[r]; k++) {
            uint32_t s = senders[k];
            uint64_t flow = br_fabric_flow(fabric, coflow, s, r);
            assert(!br_fabric_over(fabric, flow));
            double rate = br_fabric_flow_rate_left(fabric, coflow, r, flow) / alpha;
            double most = rates_lesser(fabric->free_up[c->up[s]], fabric->free_down[c->down[r]]);
            rate = rates_lesser(rate, most);
            fabric->up[s] += rate;
            fabric->down[r] += rate;
            if (rate > 0)
                grant(fabric, coflow, s, r, rate);
        }
    }
    rates_take(fabric, c, fabric->up, fabric->down);
    return true;
}

/* ---- Equal parts ---- */

/* Counts flows of which both ports are free, by port. */
static void count_flows(struct br_fabric *fabric, uint32_t coflow)
{
    const struct br_coflow *c = &fabric->trace->coflow[coflow];
    const struct br_coflow_state *state = &fabric->coflow[coflow];
    const double *free_up = fabric->free_up, full = BR_PORT_FULL * fabric->capacity;
    uint32_t *up_flows = fabric->up_flows;
    for (uint32_t r = 0; r < c->receivers; r++) {
        const uint32_t *senders = br_fabric_live_senders(fabric, coflow, r);
        uint32_t live = state->live_down[r], flows = 0;
        if (!live || is_full(fabric, fabric->free_down[c->down[r]]))
            continue;
        for (uint32_t k = 0; k < live; k++) {
            uint32_t port = c->up[senders[k]], counts = free_up[port] > full;
            up_flows[port] += counts;
            flows += counts;
        }
        fabric->down_flows[c->down[r]] += flows;
    }
}

/* Gives the flows their parts, of which a flow without one has 0. */
static void give_parts(struct br_fabric *fabric, uint32_t coflow)
{
    const struct br_coflow *c = &fabric->trace->coflow[coflow];
    const struct br_coflow_state *state = &fabric->coflow[coflow];
    const double *up_part = fabric->up_part;
    double *up = fabric->up;
    struct br_grant *next = fabric->grant + fabric->grants;
    for (uint32_t r = 0; r < c->receivers; r++) {
        const uint32_t *senders = br_fabric_live_senders(fabric, coflow, r);
        uint32_t to = c->down[r], live = state->live_down[r];
        if (!live || fabric->down_flows[to] == 0)
            continue;
        double part = fabric->free_down[to] / fabric->down_flows[to], taken = fabric->down[to];
        uint64_t row = br_fabric_flow(fabric, coflow, 0, r);
        double *has = fabric->rate + row;
        for (uint32_t k = 0; k < live; k++) {
            uint32_t sender = senders[k], from = c->up[sender];
            double rate = rates_lesser(up_part[from], part);
            if (rate <= 0)
                continue;
            up[from] += rate;
            taken += rate;
            if (has[sender] <= 0)
                *next++ = (struct br_grant){row + sender, coflow, sender, r};
            has[sender] += rate;
        }
        fabric->down[to] = taken;
    }
    fabric->grants = (uint64_t)(next - fabric->grant);
    assert(fabric->grants <= fabric->trace->flows);
}

void br_rates_split(struct br_fabric *fabric, const uint32_t *coflow, uint32_t coflows)
{
    uint32_t ports = fabric->trace->ports, rooms = 0;
    memset(fabric->up_flows, 0, ports * sizeof *fabric->up_flows);
    memset(fabric->down_flows, 0, ports * sizeof *fabric->down_flows);
    for (uint32_t k = 0; k < coflows; k++)
        if (rates_has_room(fabric, &fabric->coflow[coflow[k]])) {
            count_flows(fabric, coflow[k]);
            rooms++;
        }
    if (!rooms)
        return;
    for (uint32_t p = 0; p < ports; p++) {
        uint32_t flows = fabric->up_flows[p];
        fabric->up_part[p] = flows ? fabric->free_up[p] / flows : 0;
        fabric->up[p] = fabric->down[p] = 0;
    }
    for (uint32_t k = 0; k < coflows; k++)
        if (rates_has_room(fabric, &fabric->coflow[coflow[k]]))
            give_parts(fabric, coflow[k]);
    for (uint32_t p = 0; p < ports; p++) {
        rates_set_up(fabric, p, fabric->free_up[p] - fabric->up[p]);
        set_down(fabric, p, fabric->free_down[p] - fabric->down[p]);
    }
}

/* ---- All that is free ---- */

void br_rates_flow(struct br_fabric *fabric, uint32_t coflow, uint32_t sender, uint32_t receiver)
{
    const struct br_coflow *c = &fabric->trace->coflow[coflow];
    uint32_t up = c->up[sender], down = c->down[receiver];
    double rate = rates_lesser(fabric->free_up[up], fabric->free_down[down]);
    if (is_full(fabric, rate))
        return;
    grant(fabric, coflow, sender, receiver, rate);
    if (fabric->notes_raises) {
        uint64_t flow = br_fabric_flow(fabric, coflow, sender, receiver);
        assert(fabric->raises <= fabric->trace->flows);
        fabric->raise[fabric->raises++] = (struct br_raise){{flow, coflow, sender, receiver}, rate};
    }
    rates_set_up(fabric, up, fabric->free_up[up] - rate);
    set_down(fabric, down, fabric->free_down[down] - rate);
}

static void rates_fill(struct br_fabric *fabric, uint32_t coflow, bool pilots)
{
    const struct br_coflow *c = &fabric->trace->coflow[coflow];
    const struct br_coflow_state *state = &fabric->coflow[coflow];
    if (!rates_has_room(fabric, state))
        return;
    for (uint32_t r = 0; r < c->receivers; r++) {
        const uint32_t *senders = br_fabric_live_senders(fabric, coflow, r);
        for (uint32_t k = 0; k < state->live_down[r]; k++) {
            if (is_full(fabric, fabric->free_down[c->down[r]]))
                break;
            if (!pilots || br_fabric_is_pilot(fabric, coflow, senders[k], r))
                br_rates_flow(fabric, coflow, senders[k], r);
        }
    }
}

void br_rates_fill(struct br_fabric *fabric, uint32_t coflow)
{
    rates_fill(fabric, coflow, false);
}

void br_rates_fill_all(struct br_fabric *fabric, const uint32_t *coflow, uint32_t coflows)
{
    for (uint32_t k = 0; k < coflows; k++)
        br_rates_fill(fabric, coflow[k]);
    br_rates_order(fabric, coflow, coflows);
}

void br_rates_pilots(struct br_fabric *fabric, uint32_t coflow)
{
    rates_fill(fabric, coflow, true);
}
