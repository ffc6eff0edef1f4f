#include "runtime/predict/measured.h"

#include "base/numbers/real.h"

static const int64_t mebibyte = 1 << 20;
/* About a hundred years: no task lasts longer. */
static const double longest_ns = 3e18;

/* System time counted to a command, and its other work, make up to a quarter of a core; that is not
 * one more core. */
int64_t br_history_cores(const struct br_history_estimate *estimate)
{
    if (!estimate->samples || estimate->cpu_milli < 0)
        return -1;
    int64_t whole = (estimate->cpu_milli + 750) / 1000;
    return whole < 1 ? 1 : whole;
}

int64_t br_history_mem(const struct br_history_estimate *estimate)
{
    if (!estimate->samples || estimate->mem_bytes < 0 || estimate->mem_bytes > INT64_MAX - mebibyte)
        return -1;
    return (estimate->mem_bytes + mebibyte - 1) / mebibyte * mebibyte;
}

int64_t br_whole_ns(double ns)
{
    return ns < longest_ns ? br_real_whole(ns) : (int64_t)longest_ns;
}
