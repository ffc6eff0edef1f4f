/* As a run goes on its progress rises, and look-ups know the progress. So the mean time left is
 * found in bins, which are much narrower than cells, and taken off: what a cell tells is how far
 * runs are off that curve, which changes slowly. Else the cell of a job whose runs are much alike
 * would be as wide as the time that it takes to pass it. A run is a stretch in each bin, from where
 * it enters to where it leaves, with the mass of the time that it spent there; the mass below x of
 * a cell's stretches is a broken line whose corners are their ends. */
#include "runtime/deadline/trials/cells.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/sort.h"

struct scratch {
    struct br_sort_item *item, *other;
    double *density; /* mass a second, by stretch */
};

/* No stretch is shorter than this part of the time that it is of. */
#define THINNEST 1e-3

static uint32_t bins_of(const struct br_cells_maker *maker)
{
    return maker->cells * maker->each;
}

bool br_cells_init(struct br_cells_maker *maker, uint32_t runs, uint32_t cells, uint32_t each,
                   const double *level, uint32_t quantiles)
{
    size_t stretches = (size_t)runs * each, bins = (size_t)cells * each;
    *maker = (struct br_cells_maker){
        .runs = runs, .cells = cells, .each = each, .quantiles = quantiles, .level = level};
    struct scratch *scratch = maker->scratch = calloc(1, sizeof *scratch);
    maker->left_s = calloc(runs * (bins + 1), sizeof *maker->left_s);
    maker->ends = calloc(2 * runs * bins, sizeof *maker->ends);
    maker->node = calloc(bins, sizeof *maker->node);
    if (scratch) {
        scratch->item = malloc(2 * stretches * sizeof *scratch->item);
        scratch->other = malloc(2 * stretches * sizeof *scratch->other);
        scratch->density = malloc(stretches * sizeof *scratch->density);
    }
    return maker->left_s && maker->ends && maker->node && scratch && scratch->item &&
           scratch->other && scratch->density;
}

void br_cells_finish(struct br_cells_maker *maker)
{
    struct scratch *scratch = maker->scratch;
    free(maker->left_s);
    free(maker->ends);
    free(maker->node);
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
    uint32_t bins = bins_of(maker);
    assert(run < maker->runs);
    float *left_s = maker->left_s + (size_t)run * (bins + 1);
    float *ends = maker->ends + 2 * (size_t)run * bins;
    for (uint32_t k = 0; k < bins; k++) {
        const struct br_passage *passage = &trail->passage[k];
        struct br_cell_node *node = &maker->node[k];
        double next_s = k + 1 < bins ? passage[1].enter_s : end_s;
        double high_s = end_s - passage->enter_s, low_s = end_s - next_s;
        if (run == 0)
            *node = (struct br_cell_node){0};
        left_s[k] = (float)high_s;
        ends[2 * k] = (float)passage->first;
        ends[2 * k + 1] = (float)passage->last;
        if (!(high_s > low_s))
            continue;
        /* Sums; see average. */
        node->time_s += passage->time_s;
        node->progress += passage->place_s;
        node->left_s += (high_s - low_s) * (high_s + low_s) / 2;
    }
    left_s[bins] = 0;
}

/* From sums to means. */
static void average(const struct br_cells_maker *maker)
{
    uint32_t bins = bins_of(maker);
    for (uint32_t k = 0; k < bins; k++) {
        struct br_cell_node *node = &maker->node[k];
        if (!(node->time_s > 0))
            continue;
        node->progress = (k + node->progress / node->time_s) / bins;
        node->left_s /= node->time_s;
    }
}

/* ---- The curve ---- */

double br_cells_curve(const struct br_cell_node *node, uint32_t bins, double progress)
{
    assert(bins > 0);
    double at = progress * bins;
    int64_t k = at > 0 ? at < bins - 1 ? (int64_t)at : bins - 1 : 0, low = k, high = k + 1;
    if (node[k].time_s > 0 && node[k].progress > progress)
        low--, high--;
    while (low >= 0 && !(node[low].time_s > 0))
        low--;
    while (high < bins && !(node[high].time_s > 0))
        high++;
    if (low < 0)
        return high < bins ? node[high].left_s : 0;
    if (high == bins)
        return node[low].left_s;
    assert(low < high);
    double width = node[high].progress - node[low].progress;
    double part = width > 0 ? (progress - node[low].progress) / width : 0;
    return node[low].left_s + (node[high].left_s - node[low].left_s) * part;
}

/* ---- Quantiles ---- */

/* The bits of a float, turned so that they are ordered as floats are. */
static uint64_t deadline_cells_key_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 31 ? ~bits : bits | UINT32_C(1) << 31;
}

static double deadline_cells_number_of(uint64_t key)
{
    uint32_t bits = (uint32_t)key;
    float x;
    bits = bits >> 31 ? bits & ~(UINT32_C(1) << 31) : ~bits;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Order statistics of single moments: the times left when runs entered the bin. */
static void make_points(const struct br_cells_maker *maker, uint32_t bin, double *row)
{
    const struct scratch *scratch = maker->scratch;
    double sum = 0;
    for (uint32_t r = 0; r < maker->runs; r++) {
        float left_s = maker->left_s[(size_t)r * (bins_of(maker) + 1) + bin];
        scratch->item[r] = (struct br_sort_item){deadline_cells_key_of(left_s), r};
        sum += left_s;
    }
    br_sort(scratch->item, scratch->other, maker->runs);
    row[0] = sum / maker->runs;
    for (uint32_t q = 0; q < maker->quantiles; q++) {
        double at = maker->level[q] * (maker->runs + 1.0) - 1;
        at = at > 0 ? at < maker->runs - 1 ? at : maker->runs - 1 : 0;
        uint32_t low = (uint32_t)at, high = low + 1 < maker->runs ? low + 1 : low;
        double a = deadline_cells_number_of(scratch->item[low].key),
               b = deadline_cells_number_of(scratch->item[high].key);
        assert(a <= b);
        row[1 + q] = a + (b - a) * (at - low);
    }
}

/* All stretches of a cell. */
struct heap {
    uint32_t stretches;
    double mass, moment; /* time, and time x how far off the curve */
};

/* Adds the stretch of a run in the bin: its two ends, 2 x stretch + 1 where it begins. */
static void add_stretch(const struct br_cells_maker *maker, uint32_t run, uint32_t bin,
                        struct heap *heap)
{
    const struct scratch *scratch = maker->scratch;
    uint32_t bins = bins_of(maker), stretch = heap->stretches;
    const float *left_s = &maker->left_s[(size_t)run * (bins + 1) + bin];
    const float *ends = &maker->ends[2 * ((size_t)run * bins + bin)];
    double time_s = (double)left_s[0] - left_s[1];
    if (!(time_s > 0))
        return;
    assert(stretch < maker->runs * maker->each && bin < bins);
    double off_s[2];
    for (int k = 0; k < 2; k++)
        off_s[k] = left_s[k] - br_cells_curve(maker->node, bins, (bin + (double)ends[k]) / bins);
    float low_s = (float)(off_s[0] < off_s[1] ? off_s[0] : off_s[1]);
    float high_s = (float)(off_s[0] < off_s[1] ? off_s[1] : off_s[0]);
    if (high_s < low_s + THINNEST * time_s)
        high_s = (float)(low_s + THINNEST * time_s);
    uint64_t low = deadline_cells_key_of(low_s), high = deadline_cells_key_of(high_s);
    high += high == low;
    scratch->density[stretch] =
        time_s / (deadline_cells_number_of(high) - deadline_cells_number_of(low));
    scratch->item[2 * stretch] = (struct br_sort_item){low, 2 * stretch + 1};
    scratch->item[2 * stretch + 1] = (struct br_sort_item){high, 2 * stretch};
    heap->stretches++;
    heap->mass += time_s;
    heap->moment += time_s * (off_s[0] + off_s[1]) / 2;
}

static void make_cell(const struct br_cells_maker *maker, uint32_t cell, double *row)
{
    const struct scratch *scratch = maker->scratch;
    struct heap heap = {0};
    double below = 0, open = 0;
    uint32_t q = 0;
    for (uint32_t bin = cell * maker->each; bin < (cell + 1) * maker->each; bin++)
        for (uint32_t r = 0; r < maker->runs; r++)
            add_stretch(maker, r, bin, &heap);
    if (heap.stretches == 0) {
        make_points(maker, cell * maker->each, row);
        for (uint32_t k = maker->quantiles + 1; k-- > 0;)
            row[k] -= row[0];
        return;
    }
    assert(heap.mass > 0);
    row[0] = heap.moment / heap.mass;
    br_sort(scratch->item, scratch->other, 2 * heap.stretches);
    double from = deadline_cells_number_of(scratch->item[0].key);
    for (uint32_t i = 0; i < 2 * heap.stretches; i++) {
        double to = deadline_cells_number_of(scratch->item[i].key), more = open * (to - from);
        for (; q < maker->quantiles && maker->level[q] * heap.mass < below + more; q++) {
            double at = from + (maker->level[q] * heap.mass - below) / open;
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
    average(maker);
    for (uint32_t k = 0; k < maker->cells; k++)
        make_cell(maker, k, row + (k + 1) * stride);
}
