/* Marginal gain follows the upper concave hulls of the bids. Its result is the optimum of a problem
 * that also allows fractions of steps, for the total that it has used. So it is the optimum if it
 * has used up the total, or no step is left. */
#include "runtime/deadline/arbiter.h"

#include <math.h>
#include <string.h>

#include "base/invariant.h"
#include "runtime/deadline/control.h"

size_t br_arbiter_memory(uint32_t bids, uint32_t total)
{
    size_t width = (size_t)total + 1;
    return 2 * width * sizeof(double) + ((size_t)bids * width + bids) * sizeof(uint32_t);
}

/* A step from one choice of a bid to a later one. */
struct step {
    uint32_t to;
    double rate; /* weighted gain per unit; 0: no step gains */
};

static struct step arbiter_next_step(const struct br_bid *bid, uint32_t from, uint32_t last)
{
    struct step best = {from, 0};
    assert(last < bid->choices);
    for (uint32_t k = from + 1; k <= last; k++) {
        assert(bid->allocation[from] < bid->allocation[k]);
        double rate = bid->weight * (bid->utility[k] - bid->utility[from]) /
                      (bid->allocation[k] - bid->allocation[from]);
        /* Among equal rates the nearest: small steps use up the total. */
        if (rate > best.rate)
            best = (struct step){k, rate};
    }
    return best;
}

/* Makes steps by marginal gain. True if the result is certainly an optimum. */
static bool arbiter_climb(const struct br_bid *bid, uint32_t bids, uint32_t left,
                          const uint32_t *last, uint32_t *chosen)
{
    for (;;) {
        struct step best = {0};
        uint32_t who = bids;
        for (uint32_t j = 0; j < bids; j++) {
            struct step step = arbiter_next_step(&bid[j], chosen[j], last[j]);
            if (step.rate > best.rate) {
                best = step;
                who = j;
            }
        }
        if (who == bids)
            return true;
        assert(best.to > chosen[who]);
        uint32_t more = bid[who].allocation[best.to] - bid[who].allocation[chosen[who]];
        if (more > left)
            return left == 0;
        left -= more;
        chosen[who] = best.to;
    }
}

/* The best choice of all: value[t] is the most that the first j bids reach with at most t units. */
static void tabulate(const struct br_bid *bid, uint32_t bids, uint32_t total, const uint32_t *last,
                     double *value, double *next, uint32_t *taken, uint32_t *chosen)
{
    size_t width = (size_t)total + 1;
    for (uint32_t t = 0; t <= total; t++)
        value[t] = 0;
    for (uint32_t j = 0; j < bids; j++) {
        for (uint32_t t = 0; t <= total; t++) {
            double most = -INFINITY;
            uint32_t *choice = &taken[j * width + t];
            *choice = 0;
            for (uint32_t k = 0; k <= last[j] && bid[j].allocation[k] <= t; k++) {
                double sum = value[t - bid[j].allocation[k]] + bid[j].weight * bid[j].utility[k];
                if (sum > most) {
                    most = sum;
                    *choice = k;
                }
            }
            next[t] = most;
        }
        double *swap = value;
        value = next;
        next = swap;
    }
    assert(value[total] > -INFINITY);
    uint32_t t = total;
    while (t && value[t - 1] >= value[total] - BR_UTILITY_EQUAL)
        t--;
    for (uint32_t j = bids; j-- > 0;) {
        chosen[j] = taken[j * width + t];
        assert(bid[j].allocation[chosen[j]] <= t);
        t -= bid[j].allocation[chosen[j]];
    }
}

bool br_arbitrate(const struct br_bid *bid, uint32_t bids, uint32_t total, void *memory,
                  uint32_t *chosen)
{
    size_t width = (size_t)total + 1;
    double *value = memory, *next = value + width;
    void *rest = next + width;
    uint32_t *taken = rest, *last = taken + bids * width;
    assert((char *)(last + bids) == (char *)memory + br_arbiter_memory(bids, total));
    uint64_t least = 0;
    for (uint32_t j = 0; j < bids; j++) {
        chosen[j] = 0;
        least += bid[j].allocation[0];
        assert(bid[j].choices > 0);
        last[j] = br_control_best(bid[j].utility, bid[j].choices);
    }
    if (least > total)
        return false;
    if (!arbiter_climb(bid, bids, total - (uint32_t)least, last, chosen))
        tabulate(bid, bids, total, last, value, next, taken, chosen);
    return true;
}
