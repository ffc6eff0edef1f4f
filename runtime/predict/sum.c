#include "runtime/predict/sum.h"

#include <math.h>

struct br_sum br_sum_begin(void)
{
    return (struct br_sum){.known = false};
}

void br_sum_add(struct br_sum *sum, const struct br_predict_stage *stage,
                const struct br_stage_estimate *estimate, bool known)
{
    double below = stage->tasks * (estimate->mean_ns - estimate->low_ns);
    double above = stage->tasks * (estimate->high_ns - estimate->mean_ns);
    sum->work += stage->tasks * estimate->mean_ns;
    sum->below += (below < 0 ? -1 : 1) * below * below;
    sum->above += (above < 0 ? -1 : 1) * above * above;
    sum->known |= known;
}

/* An estimate may lie outside its interval, which need not hold the mean. */
static double root(double square)
{
    return square < 0 ? -sqrt(-square) : sqrt(square);
}

struct br_estimate br_sum_end(const struct br_sum *sum)
{
    return (struct br_estimate){sum->work, sum->work - root(sum->below),
                                sum->work + root(sum->above), sum->known};
}

struct br_stage_estimate br_sum_guess(void)
{
    return (struct br_stage_estimate){60e9, 60e9, 60e9};
}
