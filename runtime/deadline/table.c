/* Look-ups. A value between two cells of progress lies on the line between them, plus the bends; a
 * quantile between two levels lies on the line between those. */
#include "runtime/deadline/table.h"

#include <assert.h>
#include <stddef.h>

struct br_table_place br_table_start(const struct br_deadline_table *table)
{
    (void)table;
    return (struct br_table_place){0};
}

/* The position of the progress between two of these, 0 .. 1. */
static double deadline_table_part_of(const double *at, uint32_t low, uint32_t high, double progress)
{
    assert(low <= high);
    double width = at[high] - at[low], from = progress - at[low];
    double part = from > 0 && width > 0 ? from / width : 0;
    return part < 1 ? part : 1;
}

static void find_bend(const struct br_deadline_table *table, double progress,
                      struct br_table_place *place)
{
    uint32_t low = (uint32_t)(progress * table->bends), last = table->bends - 1;
    low = low < last ? low : last;
    if (progress < table->bend_at[low] && low > 0)
        low--;
    assert(low < table->bends);
    place->bent = true;
    place->bend_low = low;
    place->bend_high = low < last ? low + 1 : low;
    place->bend_part = deadline_table_part_of(table->bend_at, low, place->bend_high, progress);
}

struct br_table_place br_table_at(const struct br_deadline_table *table, double progress)
{
    uint32_t inner = table->cells - 1;
    progress = progress > 0 ? progress < 1 ? progress : 1 : 0;
    uint32_t low = 1 + (uint32_t)(progress * inner);
    if (low > inner)
        low = inner;
    if (progress < table->at[low] && low > 1)
        low--;
    assert(low >= 1 && low <= inner);
    uint32_t high = low < inner ? low + 1 : low;
    struct br_table_place place = {
        .low = low, .high = high, .part = deadline_table_part_of(table->at, low, high, progress)};
    assert(place.part >= 0 && place.part <= 1);
    if (table->bends)
        find_bend(table, progress, &place);
    return place;
}

double br_table_progress(const struct br_deadline_table *table, const uint32_t *done)
{
    return br_progress(table->indicator, table->weight, table->tasks, done, table->stages);
}

uint32_t br_table_index(const struct br_deadline_table *table, uint32_t value)
{
    uint32_t low = 0, high = table->allocations - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (table->allocation[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The numbers of two cells: the mean, then the quantiles. */
struct cells {
    const uint32_t *low, *high;
    double part, bend, unit_ns;
};

/* The distance from the line between the cells, in units. */
static double bend_at(const struct br_deadline_table *table, uint32_t layer,
                      struct br_table_place place, uint32_t index)
{
    size_t row = (size_t)table->layers * table->allocations;
    size_t column = (size_t)layer * table->allocations + index;
    assert(place.bend_high < table->bends && place.bend_low <= place.bend_high);
    double low = table->bend[place.bend_low * row + column];
    double high = table->bend[place.bend_high * row + column];
    return (low + (high - low) * place.bend_part) * table->bend_unit[column];
}

static struct cells deadline_table_find(const struct br_deadline_table *table, uint32_t layer,
                                        struct br_table_place place, uint32_t index)
{
    assert(layer < table->layers && index < table->allocations && place.high < table->cells);
    size_t row = (size_t)table->quantiles + 1;
    const uint32_t *left = table->left + (size_t)layer * table->cells * table->allocations * row;
    return (struct cells){
        left + ((size_t)place.low * table->allocations + index) * row,
        left + ((size_t)place.high * table->allocations + index) * row,
        place.part,
        place.bent ? bend_at(table, layer, place, index) : 0,
        table->unit_ns,
    };
}

/* The k-th number, in ns. */
static inline double deadline_table_number(const struct cells *cells, uint32_t k)
{
    double low = cells->low[k], high = cells->high[k];
    double units = low + (high - low) * cells->part + cells->bend;
    return units > 0 ? units * cells->unit_ns : 0;
}

int64_t br_table_mean_ns(const struct br_deadline_table *table, uint32_t layer,
                         struct br_table_place place, uint32_t index)
{
    struct cells cells = deadline_table_find(table, layer, place, index);
    return (int64_t)(deadline_table_number(&cells, 0) + 0.5);
}

int64_t br_table_quantile_ns(const struct br_deadline_table *table, uint32_t layer,
                             struct br_table_place place, uint32_t index, double q)
{
    struct cells cells = deadline_table_find(table, layer, place, index);
    uint32_t k = 1;
    q = q > 0 ? q < 1 ? q : 1 : 0;
    while (k + 1 < table->quantiles && table->level[k] < q)
        k++;
    double from = table->level[k - 1], to = table->level[k];
    assert(from < to);
    double low = deadline_table_number(&cells, k), high = deadline_table_number(&cells, k + 1);
    return (int64_t)(low + (high - low) * ((q - from) / (to - from)) + 0.5);
}

double br_table_share(const struct br_deadline_table *table, uint32_t layer,
                      struct br_table_place place, uint32_t index, int64_t left_ns)
{
    struct cells cells = deadline_table_find(table, layer, place, index);
    double left = (double)left_ns, below = deadline_table_number(&cells, 1);
    if (left < below)
        return 0;
    for (uint32_t k = 1; k < table->quantiles; k++) {
        double above = deadline_table_number(&cells, k + 1);
        if (left < above)
            return table->level[k - 1] +
                   (table->level[k] - table->level[k - 1]) * (left - below) / (above - below);
        below = above;
    }
    return 1;
}

void br_table_distribution(const struct br_deadline_table *table, uint32_t layer,
                           struct br_table_place place, uint32_t index, double *left_s)
{
    struct cells cells = deadline_table_find(table, layer, place, index);
    cells.unit_ns /= 1e9;
    for (uint32_t k = 0; k < table->quantiles; k++)
        left_s[k] = deadline_table_number(&cells, k + 1);
}
