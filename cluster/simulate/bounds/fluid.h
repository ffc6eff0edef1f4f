/* One machine that serves many jobs, one at a time, interrupted at will: what is left of a cluster
 * when only the work of one resource counts. Both rules are optimal for what they minimise. */
#ifndef BR_CLUSTER_SIMULATE_BOUNDS_FLUID_H
#define BR_CLUSTER_SIMULATE_BOUNDS_FLUID_H

#include <stddef.h>
#include <stdint.h>

/* Work that comes at one moment, in seconds of the machine. */
struct br_fluid {
    double release_s, size_s;
    uint32_t owner;
};

/* A piece under way. */
struct br_fluid_piece {
    double key, left_s;
    uint32_t piece;
};

/* Ends under shortest remaining work first: no schedule has more jobs ended by any moment, so the
 * k-th end of every schedule is at least end_s[k] [Schrage68]. Pieces by release; each is a job of
 * its own. end_s: in ascending order. heap: room for `count`. O(count log count). */
void br_fluid_shortest(const struct br_fluid *piece, uint32_t count, struct br_fluid_piece *heap,
                       double *end_s);

/* Serves the owner of the largest density (price over size) first, which minimises the sum over all
 * owners of price x mean busy time. density: by owner. busy_s: by owner, to which the
 * integral of time over its service is added [Goemans02]. heap: room for `count`. O(count log
 * count). */
void br_fluid_densest(const struct br_fluid *piece, uint32_t count, const double *density,
                      struct br_fluid_piece *heap, double *busy_s);

#endif
