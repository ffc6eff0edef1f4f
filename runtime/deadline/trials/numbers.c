/* Cells and bends are at places that all points share, so each point's curve is read there: what it
 * is at a cell goes into the cell's numbers, and how far it is off the line between two cells into
 * the bends. Read back, the curve is exact at every bend. */
#include "runtime/deadline/trials/numbers.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/numbers/real.h"

struct filling {
    const struct br_points *points;
    struct br_arena *arena;
    struct br_deadline_table *table;
    uint32_t count; /* points */
    double *at;     /* of the cells; of the bends */
    double *bend_at;
    double *off; /* [bend * count + point]: seconds off the line */
};

static const struct br_cell_node *nodes_of(const struct filling *filling, uint32_t point)
{
    return filling->points->node + (size_t)point * filling->points->bins;
}

/* How long the runs of the point were, together. */
static double numbers_length_of(const struct filling *filling, uint32_t point)
{
    double sum_s = 0;
    for (uint32_t k = 0; k < filling->points->bins; k++)
        sum_s += nodes_of(filling, point)[k].time_s;
    return sum_s > 0 ? sum_s : 1;
}

/* The mean progress of all points in these bins, by the share of their time that they are there. */
static double numbers_place_of(const struct filling *filling, const double *length_s,
                               uint32_t first, uint32_t bins)
{
    double sum = 0, share = 0, low = (double)first / filling->points->bins;
    double high = (double)(first + bins) / filling->points->bins;
    for (uint32_t p = 0; p < filling->count; p++)
        for (uint32_t k = first; k < first + bins; k++) {
            const struct br_cell_node *node = &nodes_of(filling, p)[k];
            sum += node->progress * node->time_s / length_s[p];
            share += node->time_s / length_s[p];
        }
    double place = share > 0 ? sum / share : (low + high) / 2;
    return place > low ? place < high ? place : high : low;
}

static enum br_status place_all(struct filling *filling, struct br_diag *diag)
{
    struct br_deadline_table *table = filling->table;
    uint32_t cells = table->cells - 1, bins = filling->points->bins, each = bins / cells;
    double *length_s;
    assert(bins % cells == 0);
    if (!BR_ARRAY(filling->arena, table->cells, filling->at) ||
        !BR_ARRAY(filling->arena, bins, filling->bend_at) ||
        !BR_ARRAY(filling->arena, filling->count, length_s))
        return br_fail_memory(diag);
    for (uint32_t p = 0; p < filling->count; p++)
        length_s[p] = numbers_length_of(filling, p);
    for (uint32_t k = 0; k < cells; k++)
        filling->at[k + 1] = numbers_place_of(filling, length_s, k * each, each);
    for (uint32_t k = 0; k < bins; k++)
        filling->bend_at[k] = numbers_place_of(filling, length_s, k, 1);
    table->at = filling->at;
    table->bend_at = filling->bend_at;
    return BR_OK;
}

static double *numbers_row_of(const struct filling *filling, uint32_t point, uint32_t cell)
{
    const struct br_deadline_table *table = filling->table;
    uint32_t layer = point / table->allocations, index = point % table->allocations;
    size_t number = ((size_t)layer * table->cells + cell) * table->allocations + index;
    return filling->points->row + number * (table->quantiles + 1);
}

/* Adds the curve to the cells of a point, and finds how far off their lines it is. */
static void add_curve(struct filling *filling, uint32_t point)
{
    const struct br_deadline_table *table = filling->table;
    const struct br_cell_node *node = nodes_of(filling, point);
    uint32_t bins = filling->points->bins;
    for (uint32_t cell = 1; cell < table->cells; cell++) {
        double *row = numbers_row_of(filling, point, cell);
        double curve_s = br_cells_curve(node, bins, filling->at[cell]);
        for (uint32_t k = 0; k <= table->quantiles; k++)
            row[k] = row[k] + curve_s > 0 ? row[k] + curve_s : 0;
    }
    for (uint32_t k = 0; k < bins; k++) {
        struct br_table_place place = br_table_at(table, filling->bend_at[k]);
        double low_s = br_cells_curve(node, bins, filling->at[place.low]);
        double high_s = br_cells_curve(node, bins, filling->at[place.high]);
        filling->off[(size_t)k * filling->count + point] =
            br_cells_curve(node, bins, filling->bend_at[k]) -
            (low_s + (high_s - low_s) * place.part);
    }
}

/* Brings seconds onto whole units, the least power of ten in ns with which the largest number fits.
 */
static enum br_status round_numbers(const struct filling *filling, struct br_diag *diag)
{
    struct br_deadline_table *table = filling->table;
    size_t row = (size_t)table->quantiles + 1;
    size_t count = (size_t)filling->count * table->cells * row;
    const double *number_s = filling->points->row;
    double most_s = 0;
    uint32_t *left;
    if (!BR_ARRAY(filling->arena, count, left))
        return br_fail_memory(diag);
    for (size_t k = 0; k < count; k++)
        most_s = number_s[k] > most_s ? number_s[k] : most_s;
    table->unit_ns = 1;
    while (most_s * 1e9 / table->unit_ns > 4e9 && table->unit_ns < BR_TABLE_UNIT_NS)
        table->unit_ns *= 10;
    for (size_t k = 0; k < count; k++) {
        double units = number_s[k] * 1e9 / table->unit_ns;
        left[k] = units < UINT32_MAX ? (uint32_t)(units + 0.5) : UINT32_MAX;
        if (k % row > 1 && left[k] < left[k - 1])
            left[k] = left[k - 1];
    }
    table->left = left;
    return BR_OK;
}

/* Rounds bends, with a unit for each point. */
static enum br_status round_bends(const struct filling *filling, struct br_diag *diag)
{
    struct br_deadline_table *table = filling->table;
    uint32_t bins = filling->points->bins, *unit;
    int16_t *bend;
    if (!BR_ARRAY(filling->arena, filling->count, unit) ||
        !BR_ARRAY(filling->arena, (size_t)bins * filling->count, bend))
        return br_fail_memory(diag);
    for (uint32_t p = 0; p < filling->count; p++) {
        double most = 0, units = 1e9 / table->unit_ns;
        for (uint32_t k = 0; k < bins; k++)
            most = fmax(most, fabs(filling->off[(size_t)k * filling->count + p] * units));
        double least = ceil(most / INT16_MAX);
        unit[p] = least < 1 ? 1 : least < BR_TABLE_BEND_UNIT ? (uint32_t)least : BR_TABLE_BEND_UNIT;
        for (uint32_t k = 0; k < bins; k++) {
            size_t at = (size_t)k * filling->count + p;
            int64_t whole = br_real_whole(filling->off[at] * units / unit[p]);
            bend[at] = (int16_t)(whole > INT16_MAX    ? INT16_MAX
                                 : whole < -INT16_MAX ? -INT16_MAX
                                                      : whole);
        }
    }
    table->bend_unit = unit;
    table->bend = bend;
    table->bends = bins;
    return BR_OK;
}

enum br_status br_numbers_fill(const struct br_points *points, struct br_arena *arena,
                               struct br_deadline_table *table, struct br_diag *diag)
{
    struct filling filling = {.points = points,
                              .arena = arena,
                              .table = table,
                              .count = table->layers * table->allocations};
    enum br_status status = place_all(&filling, diag);
    filling.off = calloc((size_t)points->bins * filling.count, sizeof *filling.off);
    if (!status && !filling.off)
        status = br_fail_memory(diag);
    for (uint32_t p = 0; p < filling.count && !status; p++)
        add_curve(&filling, p);
    if (!status)
        status = round_numbers(&filling, diag);
    if (!status)
        status = round_bends(&filling, diag);
    free(filling.off);
    return status;
}
