/* The sum that ends an energetic proof: rows of capacity, each as it is, and for every task the
 * least that it weighs in them.
 *
 * Of a task with weight w, F(x) is what it weighs in all rows together if it starts at x, and L the
 * least F(x) in its window. With steps d(x) = y(x) - y(x + 1), F - L is the sum of (F(x) - L) d(x).
 * That is 0 or more within the window. Before it, the line y(head) >= 1, often enough, lifts all
 * coefficients to 0 or above, and so does y(latest + 1) <= 0 behind. */
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
static struct sum_task sum_measure(const struct br_derivation *lines, const int64_t *before,
                                   uint32_t task, int64_t weight)
{
    const int64_t d = lines->steps->in->duration[task];
    struct sum_task sum = {.task = task, .weight = weight, .least = INT64_MAX};
    for (int64_t x = lines->head[task]; x <= lines->latest[task]; x++) {
        int64_t covers = before[x + d] - before[x];
        sum.least = covers < sum.least ? covers : sum.least;
    }
    for (int64_t x = 0; x <= lines->steps->last[task]; x++) {
        int64_t lacks = sum.least - (before[x + d] - before[x]);
        if (x < lines->head[task])
            sum.early = sum_most(sum.early, lacks);
        else if (x > lines->latest[task])
            sum.late = sum_most(sum.late, lacks);
    }
    return sum;
}

static void sum_write(const struct br_derivation *lines, const int64_t *before,
                      const struct sum_task *sum)
{
    const uint32_t t = sum->task;
    const int64_t d = lines->steps->in->duration[t], last = lines->steps->last[t];
    for (int64_t x = 0; x <= last && last > 0; x++) {
        int64_t times = before[x + d] - before[x] - sum->least +
                        (x < lines->head[t] ? sum->early : 0) +
                        (x > lines->latest[t] ? sum->late : 0);
        if (times == 0)
            continue;
        if (x == 0)
            fprintf(lines->out, " ~y%" PRIu32 "_1", br_steps_name(lines->steps, t));
        else if (x == last)
            fprintf(lines->out, " y%" PRIu32 "_%" PRId64, br_steps_name(lines->steps, t), last);
        else
            fprintf(lines->out, " %" PRIu64, lines->steps->ladder[t] + (uint64_t)x);
        fprintf(lines->out, " %" PRId64 " * +", times * sum->weight);
    }
    if (sum->early > 0)
        fprintf(lines->out, " %" PRIu64 " %" PRId64 " * +", lines->head_line[t],
                sum->early * sum->weight);
    if (sum->late > 0)
        fprintf(lines->out, " %" PRIu64 " %" PRId64 " * +", lines->late_line[t],
                sum->late * sum->weight);
}

static enum br_status sum_derive(struct br_derivation *lines, const struct br_weighed *weighed,
                                 const int64_t *before, struct br_diag *diag)
{
    const struct br_steps *steps = lines->steps;
    br_wide held = (br_wide)weighed->capacity * before[steps->makespan], needed = 0;
    for (uint32_t t = 0; t < steps->in->tasks; t++)
        if (steps->counted[t] && weighed->weight[t] > 0)
            needed += (br_wide)weighed->weight[t] *
                      sum_measure(lines, before, t, weighed->weight[t]).least;
    if (needed <= held)
        return br_fail(diag, BR_NO, "leave --proof out",
                       "the proof uses windows that edges alone do not give, or rounds of stages; "
                       "it has no form for VeriPB yet");
    const char *separator = "pol ", *plus = "";
    for (int64_t u = 0; u < steps->makespan; u++)
        if (weighed->at[u]) {
            fprintf(lines->out, "%s%" PRIu64 "%s", separator, weighed->at[u], plus);
            separator = " ";
            plus = " +";
        }
    for (uint32_t t = 0; t < steps->in->tasks; t++)
        if (steps->counted[t] && weighed->weight[t] > 0) {
            struct sum_task sum = sum_measure(lines, before, t, weighed->weight[t]);
            sum_write(lines, before, &sum);
        }
    fputs(";\n", lines->out);
    lines->conflict = ++lines->next;
    return BR_OK;
}

enum br_status br_derive_sum(struct br_derivation *lines, const struct br_weighed *weighed,
                             struct br_diag *diag)
{
    int64_t *before =
        br_arena_array(&lines->arena, (size_t)lines->steps->makespan + 1, sizeof *before);
    if (!before)
        return br_fail_memory(diag);
    for (int64_t u = 0; u < lines->steps->makespan; u++)
        before[u + 1] = before[u] + (weighed->at[u] != 0);
    return sum_derive(lines, weighed, before, diag);
}
