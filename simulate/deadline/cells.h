/* From the runs at one allocation to the numbers of its cells. */
#ifndef BR_SIMULATE_DEADLINE_CELLS_H
#define BR_SIMULATE_DEADLINE_CELLS_H

#include "simulate/deadline/trail.h"

/* What all runs together spent in a bin, and the line that their time left follows there. */
struct br_cell_line {
    double time_s, place;   /* 0: no time was spent there; mean place in the bin, by time */
    double slope_s;         /* of the time left, over the whole bin; at most 0 */
    double least_s, most_s; /* time left in the bin, over all runs */
    double square_s, left_s2, moment; /* sums; see cells.c */
};

struct br_cells_maker {
    uint32_t runs, bins, quantiles;
    const double *level;
    /* A run's time left, in seconds, when it entered bin k; falling, the last one is 0:
     * left_s[run * (bins + 1) + k]. Its place there first and last: ends[2 * (run * bins + k)]. */
    float *left_s, *ends;
    struct br_cell_line *line; /* by bin */
    void *scratch;
};

/* Room for so many runs; false when memory is out. Release by br_cells_finish, also then. */
bool br_cells_init(struct br_cells_maker *maker, uint32_t runs, uint32_t bins, const double *level,
                   uint32_t quantiles);
void br_cells_finish(struct br_cells_maker *maker);

/* The runs 0, 1, ... one after the other: where each was, and when it ended. O(bins). */
void br_cells_add(struct br_cells_maker *maker, uint32_t run, const struct br_trail *trail,
                  double end_s);

/* Row 0 of the start, then one a bin: mean and quantiles of the time left, in seconds;
 * row[k * stride]. The start's quantile at q is the order statistic q (runs + 1), so that a further
 * run lies below it in q of the cases. A bin's distribution is that of the time left at a moment
 * drawn at random from all that the runs spent in the bin, had the run been at the bin's mean place
 * then: what the place explains is taken off along the line, but for the last
 * bin. Where none spent any time there, that
 * of the moments at which they passed. Fills the lines. O(bins x runs). */
void br_cells_make(struct br_cells_maker *maker, double *row, uint64_t stride);

/* How much more time is left at another place of the bin than at its mean one; within what was seen
 * in the bin. `mean_s` is the row's mean. */
double br_cells_shift(const struct br_cell_line *line, double mean_s, double place);

#endif
