#include "cluster/coflow/policies/sequence.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/sorted.h"

bool br_sequence_init(struct br_sequence *q, const struct br_fabric *fabric)
{
    uint32_t coflows = br_fabric_coflows(fabric);
    uint64_t ends = 0;
    for (uint32_t c = 0; c < coflows; c++)
        ends +=
            (uint64_t)br_fabric_coflow(fabric, c)->senders + br_fabric_coflow(fabric, c)->receivers;
    q->ports = br_fabric_ports(fabric);
    q->load = malloc(2 * ((size_t)q->ports + 1) * sizeof *q->load);
    q->weight = malloc(((size_t)coflows + 1) * sizeof *q->weight);
    q->bytes = malloc((ends + 1) * sizeof *q->bytes);
    q->first = malloc(((size_t)coflows + 1) * sizeof *q->first);
    q->left = malloc(((size_t)coflows + 1) * sizeof *q->left);
    q->order = malloc(((size_t)coflows + 1) * sizeof *q->order);
    return q->load && q->weight && q->bytes && q->first && q->left && q->order;
}

void br_sequence_finish(struct br_sequence *q)
{
    free(q->load);
    free(q->weight);
    free(q->bytes);
    free(q->first);
    free(q->left);
    free(q->order);
}

/* Adds `sign` times the coflow's bytes to its ports. */
static void sequence_add(struct br_sequence *q, const struct br_coflow *c, const double *bytes,
                         double sign)
{
    for (uint32_t s = 0; s < c->senders; s++)
        q->load[c->up[s]] += sign * bytes[s];
    for (uint32_t r = 0; r < c->receivers; r++)
        q->load[q->ports + c->down[r]] += sign * bytes[c->senders + r];
}

/* The bytes of a coflow at a port (uplinks, then downlinks). Ports of an end are ascending. */
static double bytes_at(const struct br_coflow *c, const double *bytes, uint32_t ports,
                       uint32_t port)
{
    const uint32_t *end = port < ports ? c->up : c->down;
    uint32_t wanted = port < ports ? port : port - ports;
    uint32_t place = br_sorted_find(end, port < ports ? c->senders : c->receivers, wanted);
    if (place == UINT32_MAX)
        return 0;
    return bytes[(port < ports ? 0 : c->senders) + place];
}

static uint32_t busiest(const struct br_sequence *q)
{
    uint32_t port = 0;
    for (uint32_t p = 1; p < 2 * q->ports; p++)
        if (q->load[p] > q->load[port])
            port = p;
    return port;
}

void br_sequence_find(struct br_sequence *q, const struct br_fabric *fabric, uint32_t *coflow,
                      uint32_t coflows)
{
    uint64_t ends = 0;
    for (uint32_t p = 0; p < 2 * q->ports; p++)
        q->load[p] = 0;
    for (uint32_t k = 0; k < coflows; k++) {
        const struct br_coflow *c = br_fabric_coflow(fabric, coflow[k]);
        double *bytes = q->bytes + ends;
        br_fabric_ports_left(fabric, coflow[k], bytes, bytes + c->senders);
        sequence_add(q, c, bytes, 1);
        q->first[k] = ends;
        q->weight[k] = 1;
        q->left[k] = k;
        ends += (uint64_t)c->senders + c->receivers;
    }
    for (uint32_t left = coflows; left; left--) {
        uint32_t port = busiest(q), last = left - 1;
        double least = INFINITY;
        for (uint32_t i = 0; i < left; i++) {
            uint32_t k = q->left[i];
            double bytes = bytes_at(br_fabric_coflow(fabric, coflow[k]), q->bytes + q->first[k],
                                    q->ports, port);
            if (bytes > 0 && q->weight[k] / bytes <= least) {
                least = q->weight[k] / bytes;
                last = i;
            }
        }
        uint32_t chosen = q->left[last];
        assert(last < left);
        for (uint32_t i = 0; i < left && least < INFINITY; i++) {
            uint32_t k = q->left[i];
            double bytes = bytes_at(br_fabric_coflow(fabric, coflow[k]), q->bytes + q->first[k],
                                    q->ports, port);
            q->weight[k] -= least * bytes;
        }
        sequence_add(q, br_fabric_coflow(fabric, coflow[chosen]), q->bytes + q->first[chosen], -1);
        q->order[left - 1] = coflow[chosen];
        memmove(q->left + last, q->left + last + 1, (left - 1 - last) * sizeof *q->left);
    }
    memcpy(coflow, q->order, coflows * sizeof *coflow);
}

/* ---- Improvement ---- */

/* When the coflow would complete behind the load of those before it. */
static double completes(const struct br_sequence *q, const struct br_coflow *c, const double *bytes)
{
    double latest = 0;
    for (uint32_t s = 0; s < c->senders; s++)
        if (bytes[s] > 0)
            latest = fmax(latest, q->load[c->up[s]] + bytes[s]);
    for (uint32_t r = 0; r < c->receivers; r++)
        if (bytes[c->senders + r] > 0)
            latest = fmax(latest, q->load[q->ports + c->down[r]] + bytes[c->senders + r]);
    return latest;
}

/* Walks through the order and swaps neighbours if that lowers the sum of both. */
static bool swap_neighbours(struct br_sequence *q, const struct br_fabric *fabric, uint32_t *coflow,
                            uint32_t coflows)
{
    bool better = false;
    for (uint32_t p = 0; p < 2 * q->ports; p++)
        q->load[p] = 0;
    for (uint32_t k = 0; k + 1 < coflows; k++) {
        const struct br_coflow *a = br_fabric_coflow(fabric, coflow[k]);
        const struct br_coflow *b = br_fabric_coflow(fabric, coflow[k + 1]);
        const double *of_a = q->bytes + q->first[k], *of_b = q->bytes + q->first[k + 1];
        double first_a = completes(q, a, of_a), first_b = completes(q, b, of_b);
        sequence_add(q, b, of_b, 1);
        double then_a = completes(q, a, of_a);
        sequence_add(q, b, of_b, -1);
        sequence_add(q, a, of_a, 1);
        double then_b = completes(q, b, of_b);
        if (first_b + then_a < (first_a + then_b) * (1 - 1e-9)) {
            sequence_add(q, a, of_a, -1);
            sequence_add(q, b, of_b, 1);
            uint32_t one = coflow[k];
            uint64_t first = q->first[k];
            coflow[k] = coflow[k + 1];
            q->first[k] = q->first[k + 1];
            coflow[k + 1] = one;
            q->first[k + 1] = first;
            better = true;
        }
    }
    return better;
}

/* The sum of estimated completion times in this order. */
static double sequence_total(struct br_sequence *q, const struct br_fabric *fabric,
                             const uint32_t *coflow, uint32_t coflows)
{
    double sum = 0;
    for (uint32_t p = 0; p < 2 * q->ports; p++)
        q->load[p] = 0;
    for (uint32_t k = 0; k < coflows; k++) {
        const struct br_coflow *c = br_fabric_coflow(fabric, coflow[k]);
        sum += completes(q, c, q->bytes + q->first[k]);
        sequence_add(q, c, q->bytes + q->first[k], 1);
    }
    return sum;
}

/* Sorts by the greatest, or the sum, of what a coflow has at its ports. */
static void sequence_sort(struct br_sequence *q, const struct br_fabric *fabric, uint32_t *coflow,
                          uint32_t coflows, bool sums)
{
    for (uint32_t k = 0; k < coflows; k++) {
        const struct br_coflow *c = br_fabric_coflow(fabric, coflow[k]);
        const double *bytes = q->bytes + q->first[k];
        double key = 0;
        for (uint32_t e = 0; e < c->senders + c->receivers; e++)
            key = sums ? key + bytes[e] : fmax(key, bytes[e]);
        assert(key >= 0);
        uint32_t one = coflow[k], at = k;
        uint64_t first = q->first[k];
        for (; at && q->weight[at - 1] > key; at--) {
            q->weight[at] = q->weight[at - 1];
            q->first[at] = q->first[at - 1];
            coflow[at] = coflow[at - 1];
        }
        q->weight[at] = key;
        q->first[at] = first;
        coflow[at] = one;
    }
}

void br_sequence_improve(struct br_sequence *q, const struct br_fabric *fabric, uint32_t *coflow,
                         uint32_t coflows, uint32_t passes)
{
    uint64_t ends = 0;
    double best = INFINITY;
    for (uint32_t k = 0; k < coflows; k++) {
        const struct br_coflow *c = br_fabric_coflow(fabric, coflow[k]);
        q->first[k] = ends;
        br_fabric_ports_left(fabric, coflow[k], q->bytes + ends, q->bytes + ends + c->senders);
        ends += (uint64_t)c->senders + c->receivers;
    }
    for (int start = 0; passes && start < 3; start++) {
        if (start)
            sequence_sort(q, fabric, coflow, coflows, start == 2);
        for (uint32_t pass = 0; pass < passes; pass++)
            if (!swap_neighbours(q, fabric, coflow, coflows))
                break;
        double sum = sequence_total(q, fabric, coflow, coflows);
        if (sum < best * (1 - 1e-9)) {
            best = sum;
            memcpy(q->order, coflow, coflows * sizeof *coflow);
        }
    }
    assert(!passes || best < INFINITY);
    if (passes)
        memcpy(coflow, q->order, coflows * sizeof *coflow);
}
