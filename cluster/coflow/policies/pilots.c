#include "cluster/coflow/policies/pilots.h"

#include <assert.h>
#include <stdlib.h>

bool br_pilots_init(struct br_pilots *pilots, struct br_fabric *fabric)
{
    size_t ports = (size_t)br_fabric_ports(fabric) + 1;
    pilots->fabric = fabric;
    pilots->up = calloc(ports, sizeof *pilots->up);
    pilots->down = calloc(ports, sizeof *pilots->down);
    pilots->end_first = calloc(ports, sizeof *pilots->end_first);
    pilots->end_second = calloc(ports, sizeof *pilots->end_second);
    return pilots->up && pilots->down && pilots->end_first && pilots->end_second;
}

void br_pilots_finish(struct br_pilots *pilots)
{
    free(pilots->up);
    free(pilots->down);
    free(pilots->end_first);
    free(pilots->end_second);
}

/* Ends of a coflow, those with the fewest pilots at their ports first. */
static void pilots_sort(uint32_t *end, uint32_t count, const uint32_t *port, const uint32_t *busy)
{
    for (uint32_t k = 0; k < count; k++) {
        uint32_t at = k;
        for (; at && busy[port[end[at - 1]]] > busy[port[k]]; at--)
            end[at] = end[at - 1];
        end[at] = k;
    }
}

static bool choose_one(struct br_pilots *pilots, uint32_t coflow)
{
    const struct br_coflow *c = br_fabric_coflow(pilots->fabric, coflow);
    pilots_sort(pilots->end_first, c->senders, c->up, pilots->up);
    pilots_sort(pilots->end_second, c->receivers, c->down, pilots->down);
    for (uint32_t i = 0; i < c->senders; i++) {
        for (uint32_t j = 0; j < c->receivers; j++) {
            uint32_t s = pilots->end_first[i], r = pilots->end_second[j];
            if (br_fabric_flow_ended(pilots->fabric, coflow, s, r) ||
                br_fabric_is_pilot(pilots->fabric, coflow, s, r))
                continue;
            br_fabric_pilot(pilots->fabric, coflow, s, r);
            pilots->up[c->up[s]]++;
            pilots->down[c->down[r]]++;
            return true;
        }
    }
    return false;
}

void br_pilots_choose(struct br_pilots *pilots, uint32_t coflow, uint64_t count)
{
    while (count && choose_one(pilots, coflow))
        count--;
}

double br_pilots_estimate(struct br_pilots *pilots, uint32_t coflow)
{
    const struct br_coflow *c = br_fabric_coflow(pilots->fabric, coflow);
    double sum = 0;
    uint64_t flows = 0;
    for (uint32_t r = 0; r < c->receivers; r++) {
        for (uint32_t s = 0; s < c->senders; s++) {
            if (!br_fabric_has_flow(pilots->fabric, coflow, s, r) ||
                !br_fabric_flow_ended(pilots->fabric, coflow, s, r))
                continue;
            sum += br_fabric_flow_sent(pilots->fabric, coflow, s, r);
            flows++;
            if (br_fabric_is_pilot(pilots->fabric, coflow, s, r)) {
                assert(pilots->up[c->up[s]] && pilots->down[c->down[r]]);
                pilots->up[c->up[s]]--;
                pilots->down[c->down[r]]--;
            }
        }
    }
    return flows ? sum / (double)flows : 0;
}
