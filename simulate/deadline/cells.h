/* From the runs at one allocation to the numbers of its cells. */
#ifndef BR_SIMULATE_DEADLINE_CELLS_H
#define BR_SIMULATE_DEADLINE_CELLS_H

#include <stdbool.h>
#include <stdint.h>

/* A run's time left, in seconds, when its progress first was at least k / bins: left_s[k] for k of
 * 0
 * .. bins, falling; the first is that of the start, the last one is 0. */
struct br_cells_maker {
    uint32_t runs, bins, quantiles;
    const double *level;
    float *left_s; /* [run * (bins + 1) + k], filled by the caller */
    void *scratch;
};

/* Room for so many runs; false when memory is out. Release by br_cells_finish, also then. */
bool br_cells_init(struct br_cells_maker *maker, uint32_t runs, uint32_t bins, const double *level,
                   uint32_t quantiles);
void br_cells_finish(struct br_cells_maker *maker);

/* Row 0 of the start, then one a bin: mean and quantiles of the time left, in seconds;
 * row[k * stride]. The start's quantile at q is the order statistic q (runs + 1), so that a further
 * run lies below it in q of the cases. A bin's distribution is that of the time left at a moment
 * drawn at random from all that the runs spent in the bin; where none spent any time there, of the
 * moments at which they passed. O(bins x runs). */
void br_cells_make(struct br_cells_maker *maker, double *row, uint64_t stride);

#endif
