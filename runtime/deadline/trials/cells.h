/* From the runs at one allocation to the numbers of its cells. */
#ifndef BR_RUNTIME_DEADLINE_TRIALS_CELLS_H
#define BR_RUNTIME_DEADLINE_TRIALS_CELLS_H

#include "runtime/deadline/trials/trail.h"

/* The time that all runs together spent in a bin. The bins give the curve of the mean time left. */
struct br_cell_node {
    double time_s;   /* 0: none */
    double progress; /* mean, by time */
    double left_s;   /* mean time left, by time */
};

/* A cell is `each` bins. */
struct br_cells_maker {
    uint32_t runs, cells, each, quantiles;
    const double *level;
    /* A run's time left, in seconds, when it entered bin k; falling, the last one is 0:
     * left_s[run * (bins + 1) + k]. Its place there first and last: ends[2 * (run * bins + k)]. */
    float *left_s, *ends;
    struct br_cell_node *node; /* by bin */
    void *scratch;
};

/* Room for so many runs; false when memory is out. Release by br_cells_finish, also then. */
bool br_cells_init(struct br_cells_maker *maker, uint32_t runs, uint32_t cells, uint32_t each,
                   const double *level, uint32_t quantiles);
void br_cells_finish(struct br_cells_maker *maker);

/* The runs 0, 1, ... one after the other: where each was, by bin, and when it ended. O(bins). */
void br_cells_add(struct br_cells_maker *maker, uint32_t run, const struct br_trail *trail,
                  double end_s);

/* Row 0 of the start, then one a cell: mean and quantiles in seconds; row[k * stride]. The start's
 * are of the time left; its quantile at q is the order statistic q (runs + 1), so that a further
 * run lies below it in q of the cases. A cell's are of what the time left is off the curve, at a
 * moment drawn at random from all that the runs spent in the cell. If none spent any time there,
 * that of the moments at which they passed, off their mean. Fills the nodes. O(bins x runs). */
void br_cells_make(struct br_cells_maker *maker, double *row, uint64_t stride);

/* The curve through the nodes: on the line between two, and beyond the last ones as there. 0 if all
 * are empty. O(1) unless nodes are empty. */
double br_cells_curve(const struct br_cell_node *node, uint32_t bins, double progress);

#endif
