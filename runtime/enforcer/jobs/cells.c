/* Splits the ranks of every place by kind. */
#include "runtime/enforcer/jobs/cells.h"

#include <assert.h>
#include <stdlib.h>

#include "base/collections/csr.h"

/* Numbers the cells; latest: by kind, the number + 1 of its last cell, 0 at first. */
static void number_cells(struct br_cells *cells, const struct br_planned *plan, uint32_t *latest)
{
    for (uint32_t p = 0; p < plan->places; p++) {
        uint32_t first = cells->count; /* cells of this machine start here */
        for (uint32_t at = plan->local_first[p]; at < plan->local_first[p + 1]; at++) {
            uint32_t k = plan->local[at], kind = plan->kind[k];
            if (latest[kind] <= first)
                latest[kind] = ++cells->count;
            cells->rank_cell[k] = latest[kind] - 1;
        }
    }
}

static void count_cells(struct br_cells *cells, uint32_t tasks)
{
    for (uint32_t k = 0; k < tasks; k++)
        br_csr_count(cells->first, cells->rank_cell[k]);
    br_csr_sum(cells->first, cells->count);
    for (uint32_t c = 0; c < cells->count; c++)
        cells->duration_ns[c] = cells->start_ns[c] = INT64_MAX;
}

/* The ranks of each cell, and the least of their times. */
static void fill_cells(struct br_cells *cells, const struct br_planned *plan)
{
    for (uint32_t p = 0; p < plan->places; p++)
        for (uint32_t at = plan->local_first[p]; at < plan->local_first[p + 1]; at++) {
            uint32_t k = plan->local[at], c = cells->rank_cell[k], task = plan->task[k];
            cells->rank[br_csr_place(cells->first, c)] = k;
            cells->kind[c] = plan->kind[k];
            cells->place[c] = p;
            if (plan->duration_ns[task] < cells->duration_ns[c])
                cells->duration_ns[c] = plan->duration_ns[task];
            if (plan->start_ns[task] < cells->start_ns[c])
                cells->start_ns[c] = plan->start_ns[task];
        }
    assert(cells->first[cells->count] == plan->tasks);
}

bool br_cells_find(struct br_cells *cells, struct br_arena *arena, const struct br_planned *plan)
{
    uint32_t *latest = calloc((size_t)plan->kinds + 1, sizeof *latest);
    bool ok = latest && BR_ARRAY(arena, plan->tasks, cells->rank_cell);
    if (ok)
        number_cells(cells, plan, latest);
    free(latest);
    assert(!ok || cells->count <= plan->tasks);
    ok = ok && BR_ARRAY(arena, br_csr_room(cells->count), cells->first) &&
         BR_ARRAY(arena, plan->tasks, cells->rank) && BR_ARRAY(arena, cells->count, cells->kind) &&
         BR_ARRAY(arena, cells->count, cells->place) &&
         BR_ARRAY(arena, cells->count, cells->duration_ns) &&
         BR_ARRAY(arena, cells->count, cells->start_ns);
    if (ok) {
        count_cells(cells, plan->tasks);
        fill_cells(cells, plan);
    }
    return ok;
}
