/* Shares tokens among several jobs with deadlines: finds the allocations of the greatest total
 * utility, which [Ferguson12, 4.4] leaves open. Pure functions; the caller gives the memory. */
#ifndef BR_RUNTIME_DEADLINE_ARBITER_H
#define BR_RUNTIME_DEADLINE_ARBITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The possible allocations of one job; borrowed. */
struct br_bid {
    uint32_t choices;           /* at least 1 */
    const uint32_t *allocation; /* ascending */
    const double *utility;      /* expected utility with each allocation */
    double weight;              /* > 0: factor on its utility */
};

/* Bytes of memory that br_arbitrate works in. */
size_t br_arbiter_memory(uint32_t bids, uint32_t total);

/* Fills chosen[k] with a choice of every bid, so that the allocations together are at most `total`
 * and no other such choice has a greater sum of weighted utilities (within BR_UTILITY_EQUAL per
 * bid). A bid that can get all it wants gets the least allocation of its greatest utility. False,
 * with the first choices, if not even those fit.
 *
 * Steps are made by marginal gain: from every bid's present choice to the one with the most gain
 * per unit, the best of all bids first. [Fox66] If these steps use up the total, or end, that is an
 * optimum. Else a table over all amounts decides, since utilities of allocations need not be
 * concave. O(choices^2) for each bid, and for the table O(total x all choices).
 *
 * memory: br_arbiter_memory(bids, total) bytes, aligned as malloc's. */
bool br_arbitrate(const struct br_bid *bid, uint32_t bids, uint32_t total, void *memory,
                  uint32_t *chosen);

#endif
