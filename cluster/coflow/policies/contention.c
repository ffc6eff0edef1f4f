#include "cluster/coflow/policies/contention.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool br_contention_init(struct br_contention *n, const struct br_fabric *fabric)
{
    size_t ports = (size_t)br_fabric_ports(fabric) + 1;
    n->up = calloc(ports, sizeof *n->up);
    n->down = calloc(ports, sizeof *n->down);
    return n->up && n->down;
}

void br_contention_finish(struct br_contention *n)
{
    free(n->up);
    free(n->down);
    free(n->set);
}

void br_contention_ports(struct br_contention *n, const struct br_fabric *fabric,
                         const uint32_t *coflow, uint32_t coflows)
{
    size_t ports = br_fabric_ports(fabric);
    memset(n->up, 0, ports * sizeof *n->up);
    memset(n->down, 0, ports * sizeof *n->down);
    for (uint32_t k = 0; k < coflows; k++) {
        const struct br_coflow *c = br_fabric_coflow(fabric, coflow[k]);
        for (uint32_t s = 0; s < c->senders; s++)
            n->up[c->up[s]] += br_fabric_live_up(fabric, coflow[k], s) > 0;
        for (uint32_t r = 0; r < c->receivers; r++)
            n->down[c->down[r]] += br_fabric_live_down(fabric, coflow[k], r) > 0;
    }
}

/* The set of coflows at a port: uplinks, then downlinks; then one more to join them in. */
static uint64_t *contention_set_of(struct br_contention *n, uint64_t port)
{
    return n->set + port * n->words;
}

/* Calls with every live port of the coflow. */
static void each_port(struct br_contention *n, const struct br_fabric *fabric, uint32_t coflow,
                      void (*visit)(struct br_contention *, uint64_t *, uint32_t), uint32_t place)
{
    const struct br_coflow *c = br_fabric_coflow(fabric, coflow);
    uint64_t ports = br_fabric_ports(fabric);
    for (uint32_t s = 0; s < c->senders; s++)
        if (br_fabric_live_up(fabric, coflow, s))
            visit(n, contention_set_of(n, c->up[s]), place);
    for (uint32_t r = 0; r < c->receivers; r++)
        if (br_fabric_live_down(fabric, coflow, r))
            visit(n, contention_set_of(n, ports + c->down[r]), place);
}

static void contention_put(struct br_contention *n, uint64_t *set, uint32_t place)
{
    (void)n;
    assert(place / 64 < n->words);
    set[place / 64] |= UINT64_C(1) << (place % 64);
}

static void contention_join(struct br_contention *n, uint64_t *set, uint32_t place)
{
    uint64_t *all = n->set + n->room - n->words;
    (void)place;
    for (uint32_t w = 0; w < n->words; w++)
        all[w] |= set[w];
}

bool br_contention_others(struct br_contention *n, const struct br_fabric *fabric,
                          const uint32_t *coflow, uint32_t coflows, uint32_t *others)
{
    uint64_t need;
    n->words = coflows / 64 + 1;
    need = (2 * (uint64_t)br_fabric_ports(fabric) + 1) * n->words;
    free(n->set);
    n->set = calloc(need, sizeof *n->set);
    n->room = need;
    if (!n->set)
        return false;
    for (uint32_t k = 0; k < coflows; k++)
        each_port(n, fabric, coflow[k], contention_put, k);
    for (uint32_t k = 0; k < coflows; k++) {
        uint64_t *all = n->set + n->room - n->words;
        memset(all, 0, n->words * sizeof *all);
        each_port(n, fabric, coflow[k], contention_join, k);
        others[k] = 0;
        for (uint32_t w = 0; w < n->words; w++)
            others[k] += (uint32_t)__builtin_popcountll(all[w]);
        others[k] -= others[k] > 0; /* itself */
    }
    return true;
}
