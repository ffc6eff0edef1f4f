/* From what came of all runs to the numbers of a table. */
#ifndef BR_RUNTIME_DEADLINE_TRIALS_NUMBERS_H
#define BR_RUNTIME_DEADLINE_TRIALS_NUMBERS_H

#include "base/collections/arena.h"
#include "runtime/deadline/table.h"
#include "runtime/deadline/trials/cells.h"

/* By point of the grid (layer x allocations + index): the nodes of its bins, and the rows of its
 * cells as br_cells_make fills them, in seconds and ordered as the table's numbers. */
struct br_points {
    uint32_t bins; /* of a point: cells of progress x some */
    const struct br_cell_node *node;
    double *row;
};

/* Sets the table's places of cells and bends, its numbers and their units, from the arena; all
 * other counts of the table are set. Changes the rows. BR_SYSTEM: memory. */
enum br_status br_numbers_fill(const struct br_points *points, struct br_arena *arena,
                               struct br_deadline_table *table, struct br_diag *diag);

#endif
