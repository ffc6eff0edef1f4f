/* A histogram of a stream, in a few bins that find their own places. [BenHaim10] Internal to this
 * room. */
#ifndef BR_RUNTIME_PREDICT_HISTOGRAM_H
#define BR_RUNTIME_PREDICT_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

enum { BR_HISTOGRAM_BINS = 80 }; /* [Park18, 4.1] */

struct br_histogram {
    struct br_bin {
        double at, weight;
    } * bin; /* by place; all places differ */
    uint32_t bins, room;
    double weight; /* of all */
};

/* Adds a value of weight 1: to the bin at its place, or as a new bin; if there are too many, the
 * two nearest are merged. False when memory is out. O(bins). */
bool br_histogram_add(struct br_histogram *histogram, double value);
/* The value below which this share of the weight lies, linear between the bins; half of a bin's
 * weight is below its place. The histogram is not empty. */
double br_histogram_quantile(const struct br_histogram *histogram, double share);
void br_histogram_finish(struct br_histogram *histogram);

#endif
