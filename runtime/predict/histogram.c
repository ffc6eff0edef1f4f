#include "runtime/predict/histogram.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"

/* The first bin at or after the value. */
static uint32_t histogram_find(const struct br_histogram *histogram, double value)
{
    uint32_t low = 0, high = histogram->bins;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (histogram->bin[middle].at < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Merges the two nearest neighbours, the first such pair. */
static void histogram_merge(struct br_histogram *histogram)
{
    struct br_bin *bin = histogram->bin;
    uint32_t nearest = 0;
    for (uint32_t k = 1; k + 1 < histogram->bins; k++)
        if (bin[k + 1].at - bin[k].at < bin[nearest + 1].at - bin[nearest].at)
            nearest = k;
    assert(nearest + 1 < histogram->bins);
    struct br_bin *a = &bin[nearest], *b = a + 1;
    double weight = a->weight + b->weight;
    assert(weight > 0);
    *a = (struct br_bin){(a->at * a->weight + b->at * b->weight) / weight, weight};
    histogram->bins--;
    memmove(b, b + 1, (histogram->bins - nearest - 1) * sizeof *b);
}

bool br_histogram_add(struct br_histogram *histogram, double value)
{
    uint32_t k = histogram_find(histogram, value);
    assert(k == 0 || histogram->bin[k - 1].at < value);
    if (k == histogram->bins || histogram->bin[k].at != value) {
        if (!br_grow(&histogram->bin, histogram->bins, &histogram->room, sizeof *histogram->bin))
            return false;
        memmove(histogram->bin + k + 1, histogram->bin + k,
                (histogram->bins - k) * sizeof *histogram->bin);
        histogram->bin[k] = (struct br_bin){value, 0};
        histogram->bins++;
    }
    histogram->bin[k].weight++;
    assert(k + 1 == histogram->bins || histogram->bin[k].at < histogram->bin[k + 1].at);
    histogram->weight++;
    if (histogram->bins > BR_HISTOGRAM_BINS)
        histogram_merge(histogram);
    assert(histogram->bins <= BR_HISTOGRAM_BINS);
    return true;
}

double br_histogram_quantile(const struct br_histogram *histogram, double share)
{
    const struct br_bin *bin = histogram->bin;
    double wanted = share * histogram->weight, below = bin[0].weight / 2;
    assert(histogram->bins > 0);
    assert(share >= 0 && share <= 1);
    if (wanted <= below)
        return bin[0].at;
    for (uint32_t k = 1; k < histogram->bins; k++) {
        double step = (bin[k - 1].weight + bin[k].weight) / 2;
        assert(step > 0);
        if (wanted <= below + step)
            return bin[k - 1].at + (bin[k].at - bin[k - 1].at) * (wanted - below) / step;
        below += step;
    }
    return bin[histogram->bins - 1].at;
}

void br_histogram_finish(struct br_histogram *histogram)
{
    free(histogram->bin);
    *histogram = (struct br_histogram){0};
}
