/* Distances are sums of 16-bit differences, which compilers turn into vector code. */
#include "planner/rcpsp/niche.h"

#include <assert.h>
#include <stddef.h>

enum { STRETCH = 64 /* tasks between two looks at the limit */ };

unsigned br_niche_shift(int64_t ticks)
{
    assert(ticks >= 0);
    unsigned shift = 0;
    while (ticks >> shift >= 1 << 14)
        shift++;
    return shift;
}

void br_niche_locate(enum br_direction direction, uint32_t tasks, const int64_t *start,
                     int64_t makespan, unsigned shift, uint16_t *at)
{
    for (uint32_t t = 0; t < tasks; t++) {
        int64_t ticks = direction == BR_FORWARD ? start[t] : makespan - start[t];
        at[t] = (uint16_t)((uint64_t)ticks >> shift);
    }
}

uint32_t br_niche_distance(uint32_t tasks, const uint16_t *one, const uint16_t *other,
                           uint32_t limit)
{
    uint32_t sum = 0;
    for (uint32_t from = 0; from < tasks && sum <= limit; from += STRETCH) {
        uint32_t to = tasks - from < STRETCH ? tasks : from + STRETCH;
        for (uint32_t t = from; t < to; t++) {
            uint16_t more = (uint16_t)(one[t] - other[t]), less = (uint16_t)(other[t] - one[t]);
            sum += more < less ? more : less;
        }
    }
    return sum;
}

struct br_individual *br_niche_rival(struct br_individual *side, uint32_t size, uint32_t from,
                                     uint32_t window, uint32_t tasks, const uint16_t *at,
                                     uint32_t radius)
{
    struct br_individual *nearest = NULL, *longest = &side[from];
    assert(from < size && window > 0);
    for (uint32_t k = 0, one = from; k < window && k < size; k++) {
        uint32_t limit = nearest ? radius - 1 : radius;
        uint32_t distance = br_niche_distance(tasks, at, side[one].at, limit);
        if (distance <= limit) {
            nearest = &side[one];
            radius = distance;
            if (distance == 0)
                break;
        }
        one = one + 1 < size ? one + 1 : 0;
    }
    if (nearest)
        return nearest;
    for (uint32_t k = 0; k < size; k++)
        if (side[k].makespan > longest->makespan)
            longest = &side[k];
    return longest;
}
