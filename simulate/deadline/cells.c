/* In a bin each run is a stretch of time left, which it goes through at the speed of time. As it
 * goes on its progress rises, and look-ups know the progress. So the time left is regressed on the
 * place in the bin, over all moments of all runs there, and what the line explains is taken off:
 * else a bin of a job whose runs are much alike would be as wide as the time that it takes to pass
 * it. Left are stretches from where a run enters to where it leaves, each with the mass of the time
 * that it spent there; the mass below x is a broken line whose corners are their ends. */
#include "simulate/deadline/cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/sort.h"

struct scratch {
    struct br_sort_item *item, *other;
    double *density; /* mass a second, by run */
};

/* Added to the variance of the place, of which 1/12 is what a bin passed evenly has: runs that
 * stand at nearly the same place tell no slope. */
#define RIDGE 0.0025
/* No stretch is shorter than this part of the time that it is of. */
#define THINNEST 1e-3

bool br_cells_init(struct br_cells_maker *maker, uint32_t runs, uint32_t bins, const double *level,
                   uint32_t quantiles)
{
    *maker = (struct br_cells_maker){runs, bins, quantiles, level, NULL, NULL, NULL, NULL};
    struct scratch *scratch = maker->scratch = calloc(1, sizeof *scratch);
    maker->left_s = calloc((size_t)runs * (bins + 1), sizeof *maker->left_s);
    maker->ends = calloc(2 * (size_t)runs * bins, sizeof *maker->ends);
    maker->line = calloc(bins, sizeof *maker->line);
    if (scratch) {
        scratch->item = malloc(2 * (size_t)runs * sizeof *scratch->item);
        scratch->other = malloc(2 * (size_t)runs * sizeof *scratch->other);
        scratch->density = malloc(runs * sizeof *scratch->density);
    }
    return maker->left_s && maker->ends && maker->line && scratch && scratch->item &&
           scratch->other && scratch->density;
}

void br_cells_finish(struct br_cells_maker *maker)
{
    struct scratch *scratch = maker->scratch;
    free(maker->left_s);
    free(maker->ends);
    free(maker->line);
    if (scratch) {
        free(scratch->density);
        free(scratch->item);
        free(scratch->other);
    }
    free(scratch);
    *maker = (struct br_cells_maker){0};
}

void br_cells_add(struct br_cells_maker *maker, uint32_t run, const struct br_trail *trail,
                  double end_s)
{
    float *left_s = maker->left_s + (size_t)run * (maker->bins + 1);
    float *ends = maker->ends + 2 * (size_t)run * maker->bins;
    for (uint32_t k = 0; k < maker->bins; k++) {
        const struct br_passage *passage = &trail->passage[k];
        struct br_cell_line *line = &maker->line[k];
        double next_s = k + 1 < maker->bins ? passage[1].enter_s : end_s;
        double high_s = end_s - passage->enter_s, low_s = end_s - next_s;
        if (run == 0)
            *line = (struct br_cell_line){.least_s = INFINITY};
        left_s[k] = (float)high_s;
        ends[2 * k] = (float)passage->first;
        ends[2 * k + 1] = (float)passage->last;
        if (!(high_s > low_s))
            continue;
        line->time_s += passage->time_s;
        line->place += passage->place_s;
        line->square_s += passage->square_s;
        line->left_s2 += (high_s - low_s) * (high_s + low_s) / 2;
        line->moment += end_s * passage->place_s - passage->moment;
        line->least_s = low_s < line->least_s ? low_s : line->least_s;
        line->most_s = high_s > line->most_s ? high_s : line->most_s;
    }
    left_s[maker->bins] = 0;
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

/* From sums to means and the slope; the mean time left. The last bin has no slope: the last tasks
 * run there, so progress stands still while the times left are furthest apart. */
static double fit(struct br_cell_line *line, bool last)
{
    if (!(line->time_s > 0))
        return 0;
    double mean_s = line->left_s2 / line->time_s;
    line->place /= line->time_s;
    double spread = line->square_s / line->time_s - line->place * line->place;
    double common = line->moment / line->time_s - line->place * mean_s;
    line->slope_s = common / ((spread > 0 ? spread : 0) + RIDGE);
    line->slope_s = line->slope_s < 0 && !last ? line->slope_s : 0;
    return mean_s;
}

double br_cells_shift(const struct br_cell_line *line, double mean_s, double place)
{
    double there_s = mean_s + line->slope_s * (place - line->place);
    if (!(line->time_s > 0))
        return 0;
    if (there_s < line->least_s)
        there_s = line->least_s;
    return (there_s < line->most_s ? there_s : line->most_s) - mean_s;
}

static float larger(float a, float b)
{
    return a > b ? a : b;
}

/* Fills the ends of all stretches that are not points, 2 x run + 1 where one begins; how many. */
static uint32_t collect(const struct br_cells_maker *maker, uint32_t k, double *mass)
{
    const struct scratch *scratch = maker->scratch;
    const struct br_cell_line *line = &maker->line[k];
    uint32_t items = 0;
    *mass = 0;
    for (uint32_t r = 0; r < maker->runs; r++) {
        const float *left_s = &maker->left_s[(size_t)r * (maker->bins + 1) + k];
        const float *ends = &maker->ends[2 * ((size_t)r * maker->bins + k)];
        double time_s = (double)left_s[0] - left_s[1];
        if (!(time_s > 0))
            continue;
        float first_s = larger((float)(left_s[0] - line->slope_s * (ends[0] - line->place)), 0);
        float last_s = larger((float)(left_s[1] - line->slope_s * (ends[1] - line->place)), 0);
        float low_s = first_s < last_s ? first_s : last_s;
        float high_s = larger(larger(first_s, last_s), (float)(low_s + THINNEST * time_s));
        uint64_t low = key_of(low_s), high = key_of(high_s);
        high += high == low;
        scratch->density[r] = time_s / (number_of(high) - number_of(low));
        scratch->item[items++] = (struct br_sort_item){low, 2 * r + 1};
        scratch->item[items++] = (struct br_sort_item){high, 2 * r};
        *mass += time_s;
    }
    return items;
}

static void make_bin(const struct br_cells_maker *maker, uint32_t k, double *row)
{
    const struct scratch *scratch = maker->scratch;
    double mass, below = 0, open = 0, mean_s = fit(&maker->line[k], k + 1 == maker->bins);
    uint32_t items = collect(maker, k, &mass), q = 0;
    if (items == 0) {
        make_points(maker, k, row);
        return;
    }
    row[0] = mean_s;
    br_sort(scratch->item, scratch->other, items);
    double from = number_of(scratch->item[0].key);
    for (uint32_t i = 0; i < items; i++) {
        double to = number_of(scratch->item[i].key), more = open * (to - from);
        for (; q < maker->quantiles && maker->level[q] * mass < below + more; q++) {
            double at = from + (maker->level[q] * mass - below) / open;
            row[1 + q] = at < to ? at : to;
        }
        below += more;
        from = to;
        double density = scratch->density[scratch->item[i].item / 2];
        open += scratch->item[i].item % 2 ? density : -density;
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
