/* Splits the ranks of every place by kind. */
#include "runtime/enforcer/cells.h"

#include <assert.h>
#include <stdlib.h>

#define ARRAY(arena, count, pointer) ((pointer) = br_arena_array(arena, count, sizeof *(pointer)))

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
        cells->first[cells->rank_cell[k] + 2]++;
    for (uint32_t c = 0; c < cells->count; c++) {
        cells->first[c + 2] += cells->first[c + 1];
        cells->duration_ns[c] = cells->start_ns[c] = INT64_MAX;
    }
}

/* The ranks of each cell, and the least of their times. */
static void fill_cells(struct br_cells *cells, const struct br_planned *plan)
{
    for (uint32_t p = 0; p < plan->places; p++)
        for (uint32_t at = plan->local_first[p]; at < plan->local_first[p + 1]; at++) {
            uint32_t k = plan->local[at], c = cells->rank_cell[k], task = plan->task[k];
            cells->rank[cells->first[c + 1]++] = k;
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
    bool ok = latest && ARRAY(arena, plan->tasks, cells->rank_cell);
    if (ok)
        number_cells(cells, plan, latest);
    free(latest);
    assert(!ok || cells->count <= plan->tasks);
    /* One entry too many during the count. */
    ok = ok && ARRAY(arena, (size_t)cells->count + 2, cells->first) &&
         ARRAY(arena, plan->tasks, cells->rank) && ARRAY(arena, cells->count, cells->kind) &&
         ARRAY(arena, cells->count, cells->place) &&
         ARRAY(arena, cells->count, cells->duration_ns) &&
         ARRAY(arena, cells->count, cells->start_ns);
    if (ok) {
        count_cells(cells, plan->tasks);
        fill_cells(cells, plan);
    }
    return ok;
}
