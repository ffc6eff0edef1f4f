#include "tests/runtime/deadline_fixture.h"

static void shape(struct deadline_fixture *f, uint32_t allocations, uint32_t cells,
                  uint32_t quantiles)
{
    f->tasks = 1000;
    f->weight = (struct br_progress_weight){.span = 1};
    for (uint32_t a = 0; a < allocations; a++)
        f->allocation[a] = a + 1;
    for (uint32_t c = 0; c < cells; c++)
        f->at[c] = c ? (double)(c - 1) / (cells - 2) : 0;
    for (uint32_t q = 0; q < quantiles; q++)
        f->level[q] = (double)q / (quantiles - 1);
    f->table = (struct br_deadline_table){.job = "made",
                                          .cluster = "",
                                          .fingerprint = 1,
                                          .indicator = BR_VERTEXFRAC,
                                          .runs = 1,
                                          .layers = 1,
                                          .stages = 1,
                                          .stage = &f->stage,
                                          .weight = &f->weight,
                                          .tasks = &f->tasks,
                                          .allocations = allocations,
                                          .allocation = f->allocation,
                                          .cells = cells,
                                          .at = f->at,
                                          .quantiles = quantiles,
                                          .level = f->level,
                                          .unit_ns = 1000000,
                                          .left = f->left};
}

static uint32_t *row_of(struct deadline_fixture *f, uint32_t cell, uint32_t a)
{
    return f->left + ((size_t)cell * f->table.allocations + a) * (f->table.quantiles + 1);
}

void deadline_fixture_make(struct deadline_fixture *f, uint32_t allocations, uint32_t cells,
                           uint32_t quantiles, double serial_s, double work_s, double spread)
{
    shape(f, allocations, cells, quantiles);
    f->stage = (struct br_table_stage){.longest_s = serial_s, .work_s = serial_s + work_s};
    for (uint32_t c = 0; c < cells; c++)
        for (uint32_t a = 0; a < allocations; a++) {
            double mean_ms = 1000 * (1 - f->at[c]) * (serial_s + work_s / (a + 1));
            uint32_t *row = row_of(f, c, a);
            row[0] = (uint32_t)(mean_ms + 0.5);
            for (uint32_t q = 0; q < quantiles; q++)
                row[1 + q] = (uint32_t)(mean_ms * (1 + spread * (2 * f->level[q] - 1)) + 0.5);
        }
}

void deadline_fixture_draw(struct deadline_fixture *f, struct br_rng *rng)
{
    uint32_t allocations = 1 + br_rng_below(rng, 12), cells = 3 + br_rng_below(rng, 8);
    uint32_t quantiles = 2 + br_rng_below(rng, 6);
    shape(f, allocations, cells, quantiles);
    f->stage = (struct br_table_stage){.longest_s = 100, .work_s = 1000};
    for (uint32_t c = cells; c-- > 0;)
        for (uint32_t a = allocations; a-- > 0;) {
            uint32_t *row = row_of(f, c, a);
            uint64_t sum = 0;
            /* Now and then more tokens do not help at all. */
            uint32_t most = a + 1 < allocations && br_rng_below(rng, 2) == 0 ? 1 : 60;
            for (uint32_t q = 0; q < quantiles; q++) {
                uint32_t least = q ? row[q] : 0;
                if (c + 1 < cells && row_of(f, c + 1, a)[1 + q] > least)
                    least = row_of(f, c + 1, a)[1 + q];
                if (a + 1 < allocations && row_of(f, c, a + 1)[1 + q] > least)
                    least = row_of(f, c, a + 1)[1 + q];
                row[1 + q] = least + 1000 * br_rng_below(rng, most);
                sum += row[1 + q];
            }
            row[0] = (uint32_t)(sum / quantiles);
        }
}
