/* Chooses among round numbers of nanoseconds, since what is measured, or made up, is noise around
 * round numbers more often than around others. */
#include "planner/instance/rounding.h"

#include <assert.h>

#include "base/numbers/wide.h"

/* The ticks that the makespan may have at first: more make conflicts dear. On few tasks that is
 * less of a burden than to begin again with a finer rounding, which may have MOST_TICKS. (Measured
 * on twelve jobs each of 14 to 60 tasks with durations of nine random digits.) */
enum { FEW_TASKS = 24, FEW_TICKS = 1 << 16, FIRST_TICKS = 1 << 10, MOST_TICKS = 1 << 19 };
/* A rounding of durations without need of more ticks takes off 1/LOSS of the work, at most. */
enum { LOSS = 5000 };
/* A finer rounding takes off this part of what the one before did, at most, if ticks allow. */
enum { FINER = 2 };

/* The time by which rounding down shortens all durations together; if that is more than `most`,
 * some amount above `most`. Most roundings are too coarse, and the first tasks tell. */
static br_wide rounding_loss(const struct br_instance *in, int64_t rounding, br_wide most)
{
    br_wide sum = 0;
    for (uint32_t t = 0; t < in->tasks && sum <= most; t++)
        sum += in->duration[t] % rounding;
    return sum;
}

static br_wide rounding_work(const struct br_instance *in)
{
    br_wide sum = 0;
    for (uint32_t t = 0; t < in->tasks; t++)
        sum += in->duration[t];
    return sum;
}

/* The next round number of nanoseconds below: 1, 2 or 5 times a power of ten. */
static int64_t rounding_below(int64_t ns)
{
    int64_t power = 1;
    while (power <= (ns - 1) / 10)
        power *= 10;
    return 5 * power < ns ? 5 * power : 2 * power < ns ? 2 * power : power;
}

/* With the common divisor of the rounded durations: the same durations in fewer ticks. */
static int64_t rounding_reduce(const struct br_instance *in, int64_t rounding)
{
    int64_t divisor = 0;
    for (uint32_t t = 0; t < in->tasks; t++)
        for (int64_t d = in->duration[t] / rounding; d;) {
            int64_t rest = divisor % d;
            divisor = d;
            d = rest;
        }
    return divisor > 1 ? rounding * divisor : rounding;
}

int64_t br_rounding(const struct br_instance *in, int64_t makespan, int64_t before)
{
    assert(makespan >= 0 && before >= 0);
    if (makespan <= BR_ROUNDING_EXACT)
        return before ? 0 : 1;
    if (before == 1)
        return 0;
    const br_wide work = rounding_work(in), known = before ? rounding_loss(in, before, work) : 0;
    const br_wide most = before ? known / FINER : work / LOSS;
    const int64_t first = in->tasks <= FEW_TASKS ? FEW_TICKS : FIRST_TICKS;
    int64_t ns = (before ? before : makespan) * in->tick_ns, best = 0, rounding;
    br_wide loss;
    do {
        ns = rounding_below(ns);
        rounding = ns > in->tick_ns ? ns / in->tick_ns : 1;
        loss = rounding_loss(in, rounding, before ? known : most);
        const int64_t reduced = rounding_reduce(in, rounding);
        if (makespan / reduced > (before ? MOST_TICKS : first))
            break;
        if (!before || loss < known)
            best = reduced;
    } while (rounding > 1 && loss > most);
    return best;
}

/* Fewer ticks than NOISE_LEAST in one bring nothing; with more than NOISE_TICKS in the longest
 * duration it is no pattern: any durations lose 1/LOSS only, if the longest has about LOSS ticks.
 */
enum { NOISE_LEAST = 64, NOISE_TICKS = 1 << 12 };

int64_t br_rounding_noise(const struct br_instance *in)
{
    const br_wide work = rounding_work(in), most = work / LOSS;
    int64_t longest = 0, ns, rounding;
    if (work <= BR_ROUNDING_EXACT || in->tasks > BR_ROUNDING_TASKS)
        return 1;
    for (uint32_t s = 0; s < in->stages; s++)
        longest = in->stage_longest[s] > longest ? in->stage_longest[s] : longest;
    ns = longest * in->tick_ns;
    do {
        ns = rounding_below(ns);
        rounding = ns / in->tick_ns;
        if (rounding < NOISE_LEAST || longest / rounding > NOISE_TICKS)
            return 1;
    } while (rounding_loss(in, rounding, most) > most);
    return rounding_reduce(in, rounding);
}

int64_t br_rounding_slack(int64_t makespan, double tolerance)
{
    assert(tolerance >= 0 && tolerance <= 1);
    return makespan > BR_ROUNDING_EXACT ? (int64_t)((double)makespan * tolerance) : 0;
}
