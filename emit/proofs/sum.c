/* The sum that ends an energetic proof: rows of capacity, each as it is, and for every task the
 * least that it weighs in them.
 *
 * Of a task with weight w, F(x) is what it weighs in all rows together if it starts at x, and L the
 * least F(x) in its window. With steps d(x) = y(x) - y(x + 1), F - L is the sum of (F(x) - L) d(x).
 * That is 0 or more within the window. Before it, the line y(head) >= 1, often enough, lifts all
 * coefficients to 0 or above, and so does y(latest + 1) <= 0 behind. A bound that is supposed is
 * not added, and its literal is left over; division makes a clause of such literals.
 *
 * Rounds are a sum over some times only: tasks of duration k and longer all run at one of the times
 * k - 1, 2 k - 1, ... or more if they have no other time than these and k - 1 before and behind. */
#include <inttypes.h>

#include "base/text/diag.h"
#include "emit/proofs/derive.h"

/* How many of the rows a task counts in, by the time at which it starts. */
struct sum_task {
    uint32_t task;
    int64_t weight, least, early, late; /* how often the lines of its window are needed */
};

static int64_t sum_most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* before[u]: rows at times before u. */
static struct sum_task sum_measure(const struct br_derivation *lines,
                                   const struct br_derived_windows *windows, uint32_t task,
                                   int64_t weight)
{
    const int64_t d = lines->steps->in->duration[task], *before = lines->count;
    struct sum_task sum = {.task = task, .weight = weight, .least = INT64_MAX};
    for (int64_t x = windows->head[task]; x <= windows->latest[task]; x++) {
        int64_t covers = before[x + d] - before[x];
        sum.least = covers < sum.least ? covers : sum.least;
    }
    for (int64_t x = 0; x <= lines->steps->last[task]; x++) {
        int64_t lacks = sum.least - (before[x + d] - before[x]);
        if (x < windows->head[task])
            sum.early = sum_most(sum.early, lacks);
        else if (x > windows->latest[task])
            sum.late = sum_most(sum.late, lacks);
    }
    return sum;
}

static void sum_write(struct br_derivation *lines, const struct br_derived_windows *windows,
                      const struct sum_task *sum)
{
    const uint32_t t = sum->task;
    const int64_t d = lines->steps->in->duration[t], last = lines->steps->last[t];
    const int64_t *before = lines->count;
    for (int64_t x = 0; x <= last && last > 0; x++) {
        int64_t times = before[x + d] - before[x] - sum->least +
                        (x < windows->head[t] ? sum->early : 0) +
                        (x > windows->latest[t] ? sum->late : 0);
        if (times == 0)
            continue;
        if (x == 0)
            br_derive_print(lines, " ~y%" PRIu32 "_1", br_steps_name(lines->steps, t));
        else if (x == last)
            br_derive_print(lines, " y%" PRIu32 "_%" PRId64, br_steps_name(lines->steps, t), last);
        else
            br_derive_print(lines, " %" PRIu64, lines->steps->ladder[t] + (uint64_t)x);
        br_derive_print(lines, " %" PRId64 " * +", times * sum->weight);
    }
    if (sum->early > 0 && windows->head_line[t])
        br_derive_print(lines, " %" PRIu64 " %" PRId64 " * +", windows->head_line[t],
                        sum->early * sum->weight);
    if (sum->late > 0 && windows->late_line[t])
        br_derive_print(lines, " %" PRIu64 " %" PRId64 " * +", windows->late_line[t],
                        sum->late * sum->weight);
}

static bool sum_chosen(const struct br_derive_times *times, int64_t u)
{
    return u >= times->from && u < times->to && (u - times->from + 1) % times->step == 0;
}

static void sum_count(struct br_derivation *lines, const struct br_derive_times *times)
{
    lines->count[0] = 0;
    for (int64_t u = 0; u < lines->steps->makespan; u++)
        lines->count[u + 1] = lines->count[u] + sum_chosen(times, u);
}

static bool sum_counts(const struct br_derivation *lines, const struct br_weighed *weighed,
                       uint32_t task)
{
    return lines->steps->counted[task] && weighed->weight[task] > 0;
}

/* Every task has a window. */
bool br_derive_exceeds(struct br_derivation *lines, const struct br_weighed *weighed,
                       const struct br_derived_windows *windows,
                       const struct br_derive_times *times)
{
    const struct br_steps *steps = lines->steps;
    sum_count(lines, times);
    br_wide held = (br_wide)weighed->capacity * lines->count[steps->makespan], needed = 0;
    for (uint32_t t = 0; t < steps->in->tasks; t++)
        if (sum_counts(lines, weighed, t))
            needed += (br_wide)weighed->weight[t] *
                      sum_measure(lines, windows, t, weighed->weight[t]).least;
    return needed > held;
}

/* Adds the tasks; how often lines of windows are in the sum, with what is supposed. */
static br_wide sum_tasks(struct br_derivation *lines, const struct br_weighed *weighed,
                         const struct br_derived_windows *windows)
{
    br_wide lifted = 0;
    for (uint32_t t = 0; t < lines->steps->in->tasks; t++) {
        if (!sum_counts(lines, weighed, t))
            continue;
        const struct sum_task sum = sum_measure(lines, windows, t, weighed->weight[t]);
        lifted += (br_wide)(sum.early + sum.late) * sum.weight;
        sum_write(lines, windows, &sum);
    }
    return lifted;
}

enum br_status br_derive_sum(struct br_derivation *lines, struct br_weighed *weighed,
                             const struct br_derived_windows *windows,
                             const struct br_derive_times *times, bool supposed, uint64_t *line,
                             struct br_diag *diag)
{
    if (!br_derive_exceeds(lines, weighed, windows, times))
        return br_fail(diag, BR_NO, "leave --proof out",
                       "the proof uses windows that its edges and claims do not give here, or the "
                       "rounds of stages; it has no form for VeriPB yet");
    for (int64_t u = times->from; u < times->to && lines->terms <= BR_TERMS_MOST; u++)
        if (sum_chosen(times, u))
            br_derive_at(lines, weighed, u);
    if (lines->terms > BR_TERMS_MOST)
        return br_derive_too_long(diag);
    const char *separator = "pol ", *plus = "";
    for (int64_t u = times->from; u < times->to; u++)
        if (sum_chosen(times, u)) {
            br_derive_print(lines, "%s%" PRIu64 "%s", separator, weighed->at[u], plus);
            separator = " ";
            plus = " +";
        }
    const br_wide lifted = sum_tasks(lines, weighed, windows);
    if (lifted > INT64_MAX)
        return br_derive_too_long(diag);
    if (supposed && lifted > 1)
        br_derive_print(lines, " %" PRId64 " d", (int64_t)lifted);
    *line = br_derive_line(lines);
    return lines->terms > BR_TERMS_MOST ? br_derive_too_long(diag) : BR_OK;
}

enum br_status br_derive_lines(struct br_derivation *lines, struct br_weighed *weighed,
                               int64_t from, int64_t to, uint64_t *line, struct br_diag *diag)
{
    const struct br_instance *in = lines->steps->in;
    struct br_derive_times times = {from, to, 1};
    int64_t tried = 0; /* every step that is a duration, upwards */
    while (!br_derive_exceeds(lines, weighed, &lines->windows, &times)) {
        int64_t next = INT64_MAX;
        for (uint32_t t = 0; t < in->tasks; t++)
            if (weighed->weight[t] > 0 && lines->member[t] && in->duration[t] > tried &&
                in->duration[t] < next)
                next = in->duration[t];
        if (next >= to - from)
            return br_fail(diag, BR_NO, "leave --proof out",
                           "the proof by rounds is none of equally spaced times; it has no form "
                           "for VeriPB yet");
        times.step = tried = next;
    }
    return br_derive_sum(lines, weighed, &lines->windows, &times, lines->supposed, line, diag);
}
