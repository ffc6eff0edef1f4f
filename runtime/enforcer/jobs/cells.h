/* The planned tasks of one kind on one machine: a cell. */
#ifndef BR_RUNTIME_ENFORCER_JOBS_CELLS_H
#define BR_RUNTIME_ENFORCER_JOBS_CELLS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/collections/arena.h"

/* Cells ascend by place, a machine that the plan uses, and there by their first ranks. */
struct br_cells {
    uint32_t count;
    uint32_t *kind, *place; /* by cell */
    uint32_t *first;        /* count + 1: start of its ranks */
    uint32_t *rank;         /* ranks - 1, ascending in each cell */
    uint32_t *rank_cell;    /* cell by rank - 1 */
    int64_t *duration_ns;   /* by cell: no task of it takes less */
    int64_t *start_ns;      /* by cell: the plan starts none earlier */
};

/* Places and times of a plan; borrowed. */
struct br_planned {
    uint32_t tasks, kinds, places;
    const uint32_t *local_first;           /* places + 1 */
    const uint32_t *local;                 /* ranks - 1, ascending by place */
    const uint32_t *task, *kind;           /* by rank - 1 */
    const int64_t *duration_ns, *start_ns; /* by task */
};

/* Finds the cells, from the arena. False when memory is out. O(tasks + kinds). */
bool br_cells_find(struct br_cells *cells, struct br_arena *arena, const struct br_planned *plan);

#endif
