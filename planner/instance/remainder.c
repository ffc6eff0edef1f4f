/* A knapsack that is to be filled at the least cost, with fractions. */
#include "planner/instance/remainder.h"

#include <assert.h>

#include "base/collections/memory.h"
#include "base/collections/sort.h"
#include "base/numbers/wide.h"

static int by_share(const void *a, const void *b)
{
    const struct br_remainder *x = a, *y = b;
    const br_wide left = (br_wide)x->rest * y->length, right = (br_wide)y->rest * x->length;
    return left < right ? -1 : left > right;
}

void br_remainders_init(struct br_remainders *r, const struct br_instance *in, int64_t rounding)
{
    assert(rounding > 0);
    *r = (struct br_remainders){0};
    r->task = rounding > 1 ? br_malloc((in->tasks + (size_t)1) * sizeof *r->task) : NULL;
    for (uint32_t t = 0; r->task && t < in->tasks; t++)
        if (in->duration[t] >= rounding)
            r->task[r->tasks++] =
                (struct br_remainder){in->duration[t] / rounding, in->duration[t] % rounding};
    if (r->task)
        br_sort_by(r->task, r->tasks, sizeof *r->task, by_share);
}

int64_t br_remainders_least(const struct br_remainders *r, int64_t length)
{
    int64_t sum = 0, left = length;
    for (uint32_t k = 0; k < r->tasks && left > 0; k++) {
        const struct br_remainder *task = &r->task[k];
        if (task->length > left) {
            const br_wide part = (br_wide)task->rest * left;
            return sum + (int64_t)((part + task->length - 1) / task->length);
        }
        sum += task->rest;
        left -= task->length;
    }
    return left > 0 ? 0 : sum; /* no chain is that long: nothing is claimed */
}

void br_remainders_finish(struct br_remainders *r)
{
    br_free(r->task);
    *r = (struct br_remainders){0};
}

int64_t br_remainder(const struct br_instance *in, int64_t rounding, int64_t length)
{
    struct br_remainders all;
    br_remainders_init(&all, in, rounding);
    const int64_t least = br_remainders_least(&all, length);
    br_remainders_finish(&all);
    return least;
}
