/* Writes a table of the time left that is made without simulated runs, for tests of those who read
 * tables:
 *
 *   write_table JOB TABLE [FACTOR]
 *
 * With a tokens a run takes FACTOR x (path + (work - path) / a), a fifth more or less, and the time
 * left falls evenly with progress by total work. */
#include <stdio.h>
#include <stdlib.h>

#include "base/collections/arena.h"
#include "parsers/parsers.h"
#include "runtime/deadline/table.h"

enum { ALLOCATIONS = 100, CELLS = 41, QUANTILES = 5 };

static const double level[QUANTILES] = {0, 0.25, 0.5, 0.75, 1};

static void *must(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

static void fill(struct br_deadline_table *table, const struct br_dag *dag, double factor,
                 struct br_arena *arena)
{
    struct br_table_stage *stage = must(br_arena_array(arena, dag->stages, sizeof *stage));
    struct br_progress_weight *weight = must(br_arena_array(arena, dag->stages, sizeof *weight));
    uint32_t *tasks = must(br_arena_array(arena, dag->stages, sizeof *tasks));
    uint32_t *allocation = must(br_arena_array(arena, ALLOCATIONS, sizeof *allocation));
    double *at = must(br_arena_array(arena, CELLS, sizeof *at)), work_s = 0, path_s = 0;
    uint32_t *left =
        must(br_arena_array(arena, (size_t)CELLS * ALLOCATIONS * (QUANTILES + 1), sizeof *left));
    for (uint32_t s = 0; s < dag->stages; s++) {
        double longest_s = 0;
        tasks[s] = dag->stage[s].tasks;
        for (uint32_t t = 0; t < tasks[s]; t++) {
            double seconds = (double)dag->duration_ns[dag->stage[s].first_task + t] * 1e-9;
            stage[s].work_s += seconds;
            longest_s = seconds > longest_s ? seconds : longest_s;
        }
        stage[s].longest_s = longest_s;
        path_s += longest_s; /* one stage after the other: never less than the path */
        work_s += stage[s].work_s;
    }
    for (uint32_t s = 0; s < dag->stages; s++)
        weight[s].span = work_s > 0 ? stage[s].work_s / work_s : 1.0 / dag->stages;
    for (uint32_t c = 0; c < CELLS; c++)
        at[c] = c ? (double)(c - 1) / (CELLS - 2) : 0;
    for (uint32_t a = 0; a < ALLOCATIONS; a++)
        allocation[a] = a + 1;
    double parallel_s = work_s > path_s ? work_s - path_s : 0;
    for (uint32_t c = 0; c < CELLS; c++)
        for (uint32_t a = 0; a < ALLOCATIONS; a++) {
            double mean_ms = 1000 * factor * (1 - at[c]) * (path_s + parallel_s / (a + 1));
            uint32_t *row = left + ((size_t)c * ALLOCATIONS + a) * (QUANTILES + 1);
            row[0] = (uint32_t)(mean_ms + 0.5);
            for (uint32_t q = 0; q < QUANTILES; q++)
                row[1 + q] = (uint32_t)(mean_ms * (0.8 + 0.4 * level[q]) + 0.5);
        }
    *table = (struct br_deadline_table){.job = dag->name,
                                        .cluster = "",
                                        .fingerprint = br_dag_fingerprint(dag, false),
                                        .indicator = BR_TOTALWORK,
                                        .runs = 1,
                                        .layers = 1,
                                        .stages = dag->stages,
                                        .stage = stage,
                                        .weight = weight,
                                        .tasks = tasks,
                                        .allocations = ALLOCATIONS,
                                        .allocation = allocation,
                                        .cells = CELLS,
                                        .at = at,
                                        .quantiles = QUANTILES,
                                        .level = level,
                                        .unit_ns = 1000000,
                                        .left = left};
}

int main(int count, char **argument)
{
    struct br_parse_options options = br_parse_options_default();
    struct br_input input = {0};
    struct br_deadline_table table;
    struct br_diag diag = {0};
    if (count < 3 || br_parse_job(argument[1], &options, &input, &diag)) {
        fprintf(stderr, "%s\n", diag.what);
        return 1;
    }
    struct br_arena arena = {0};
    fill(&table, input.dag, count > 3 ? atof(argument[3]) : 1, &arena);
    FILE *out = fopen(argument[2], "wb");
    enum br_status status = out ? br_table_write(&table, out, &diag) : BR_SYSTEM;
    if (status || !out || fclose(out)) {
        fprintf(stderr, "%s\n", diag.what);
        return 1;
    }
    br_arena_finish(&arena);
    br_input_finish(&input);
    return 0;
}
