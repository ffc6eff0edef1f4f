/* In a bin each run is a stretch of time left, which it goes through at the speed of time. So all
 * stretches have the same density, and the mass below x is the sum of what they have below x: a
 * broken line whose corners are their ends. */
#include "simulate/deadline/cells.h"

#include <stdlib.h>
#include <string.h>

#include "base/collections/sort.h"

struct scratch {
    struct br_sort_item *item, *other;
};

bool br_cells_init(struct br_cells_maker *maker, uint32_t runs, uint32_t bins, const double *level,
                   uint32_t quantiles)
{
    struct scratch *scratch = calloc(1, sizeof *scratch);
    *maker = (struct br_cells_maker){runs, bins, quantiles, level, NULL, NULL};
    maker->scratch = scratch;
    maker->left_s = calloc((size_t)runs * (bins + 1), sizeof *maker->left_s);
    if (scratch) {
        scratch->item = malloc(2 * (size_t)runs * sizeof *scratch->item);
        scratch->other = malloc(2 * (size_t)runs * sizeof *scratch->other);
    }
    return maker->left_s && scratch && scratch->item && scratch->other;
}

void br_cells_finish(struct br_cells_maker *maker)
{
    struct scratch *scratch = maker->scratch;
    free(maker->left_s);
    if (scratch) {
        free(scratch->item);
        free(scratch->other);
    }
    free(scratch);
    *maker = (struct br_cells_maker){0};
}

/* Floats of 0 or more are ordered as their bits are. */
static uint64_t key_of(float x)
{
    uint32_t bits;
    x = x > 0 ? x : 0;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double number_of(uint64_t key)
{
    uint32_t bits = (uint32_t)key;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Order statistics of single moments: the times left at the k-th crossing. */
static void make_points(const struct br_cells_maker *maker, uint32_t k, double *row)
{
    const struct scratch *scratch = maker->scratch;
    double sum = 0;
    for (uint32_t r = 0; r < maker->runs; r++) {
        float left_s = maker->left_s[(size_t)r * (maker->bins + 1) + k];
        scratch->item[r] = (struct br_sort_item){key_of(left_s), r};
        sum += left_s;
    }
    br_sort(scratch->item, scratch->other, maker->runs);
    row[0] = sum / maker->runs;
    for (uint32_t q = 0; q < maker->quantiles; q++) {
        double at = maker->level[q] * (maker->runs + 1.0) - 1;
        at = at > 0 ? at < maker->runs - 1 ? at : maker->runs - 1 : 0;
        uint32_t low = (uint32_t)at, high = low + 1 < maker->runs ? low + 1 : low;
        double a = number_of(scratch->item[low].key), b = number_of(scratch->item[high].key);
        row[1 + q] = a + (b - a) * (at - low);
    }
}

/* Fills the ends of all stretches that are not points, item = 1 where one begins; their mass; and
 * the mean. */
static uint32_t collect(const struct br_cells_maker *maker, uint32_t k, double *mass, double *mean)
{
    const struct scratch *scratch = maker->scratch;
    uint32_t items = 0;
    double moment = 0;
    *mass = 0;
    for (uint32_t r = 0; r < maker->runs; r++) {
        const float *left_s = &maker->left_s[(size_t)r * (maker->bins + 1) + k];
        double high = left_s[0], low = left_s[1];
        if (!(high > low))
            continue;
        scratch->item[items++] = (struct br_sort_item){key_of(left_s[1]), 1};
        scratch->item[items++] = (struct br_sort_item){key_of(left_s[0]), 0};
        *mass += high - low;
        moment += (high - low) * (high + low) / 2;
    }
    *mean = *mass > 0 ? moment / *mass : 0;
    return items;
}

static void make_bin(const struct br_cells_maker *maker, uint32_t k, double *row)
{
    const struct scratch *scratch = maker->scratch;
    double mass, below = 0;
    uint32_t items = collect(maker, k, &mass, &row[0]), open = 0, q = 0;
    if (items == 0) {
        make_points(maker, k, row);
        return;
    }
    br_sort(scratch->item, scratch->other, items);
    double from = number_of(scratch->item[0].key);
    for (uint32_t i = 0; i < items; i++) {
        double to = number_of(scratch->item[i].key), more = open * (to - from);
        for (; q < maker->quantiles && maker->level[q] * mass < below + more; q++)
            row[1 + q] = from + (maker->level[q] * mass - below) / open;
        below += more;
        from = to;
        open += scratch->item[i].item ? 1 : UINT32_MAX;
    }
    for (; q < maker->quantiles; q++)
        row[1 + q] = from;
}

void br_cells_make(struct br_cells_maker *maker, double *row, uint64_t stride)
{
    make_points(maker, 0, row);
    for (uint32_t k = 0; k < maker->bins; k++)
        make_bin(maker, k, row + (k + 1) * stride);
}
