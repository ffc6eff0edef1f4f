#include "cluster/workload/allotted.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* A time with an allotment. */
struct stretch {
    uint32_t job, amount;
    int64_t from_ns, lasts_ns;
};

static int allotted_by_amount(const void *a, const void *b)
{
    const struct stretch *x = a, *y = b;
    if (x->job != y->job)
        return x->job < y->job ? -1 : 1;
    if (x->amount != y->amount)
        return x->amount < y->amount ? -1 : 1;
    return x->from_ns < y->from_ns ? -1 : x->from_ns > y->from_ns;
}

static int64_t allotted_end_of(const struct br_outcome *outcome, uint32_t job)
{
    return outcome->end_ns[job] >= 0 ? outcome->end_ns[job] : outcome->end_of_all_ns;
}

/* Every row lasts until the next of its job, or the job's end. */
static bool make_stretches(const struct br_outcome *outcome, struct stretch *stretch)
{
    const struct br_allotments *given = &outcome->allotments;
    int64_t *next_ns = malloc(((size_t)outcome->jobs + 1) * sizeof *next_ns);
    if (!next_ns)
        return false;
    for (uint32_t j = 0; j < outcome->jobs; j++)
        next_ns[j] = allotted_end_of(outcome, j);
    for (uint32_t r = given->rows; r-- > 0;) {
        const struct br_allotment *row = &given->row[r];
        assert(row->job < outcome->jobs);
        int64_t lasts_ns = next_ns[row->job] - row->at_ns;
        stretch[r] =
            (struct stretch){row->job, row->amount, row->at_ns, lasts_ns > 0 ? lasts_ns : 0};
        next_ns[row->job] = row->at_ns;
    }
    free(next_ns);
    return true;
}

/* Sums over the stretches of one job, by amount. */
static void allotted_sum_up(const struct stretch *stretch, uint32_t count, double oracle,
                            struct br_allotted *job)
{
    double all = 0, above = 0, lasts = 0, half = 0;
    for (uint32_t k = 0; k < count; k++) {
        double minutes = (double)stretch[k].lasts_ns / 60e9;
        lasts += minutes;
        all += minutes * stretch[k].amount;
        if (stretch[k].amount > oracle)
            above += minutes * (stretch[k].amount - oracle);
    }
    job->token_minutes = all;
    job->above = all > 0 ? above / all : 0;
    for (uint32_t k = 0; k < count && half <= lasts / 2; k++) {
        half += (double)stretch[k].lasts_ns / 60e9;
        job->median = stretch[k].amount;
    }
}

bool br_allotted_make(const struct br_workload *workload, const struct br_outcome *outcome,
                      struct br_allotted *job)
{
    const struct br_allotments *given = &outcome->allotments;
    struct stretch *stretch = malloc(((size_t)given->rows + 1) * sizeof *stretch);
    double *work_ns = calloc((size_t)workload->jobs + 1, sizeof *work_ns);
    bool fine = stretch && work_ns && make_stretches(outcome, stretch);
    for (uint32_t j = 0; j < workload->jobs; j++)
        job[j] = (struct br_allotted){NAN, NAN, NAN, NAN, workload->job[j].deadline_ns};
    for (uint64_t s = 0; fine && s < outcome->spans; s++)
        if (outcome->span[s].end == BR_SPAN_DONE)
            work_ns[outcome->span[s].job] +=
                (double)(outcome->span[s].end_ns - outcome->span[s].start_ns);
    for (uint32_t r = 0; fine && r < given->rows; r++)
        job[given->row[r].job].deadline_ns = given->row[r].deadline_ns;
    if (fine)
        qsort(stretch, given->rows, sizeof *stretch, allotted_by_amount);
    for (uint32_t r = 0, end = 0; fine && r < given->rows; r = end) {
        uint32_t j = stretch[r].job;
        while (end < given->rows && stretch[end].job == j)
            end++;
        assert(end > r);
        double span_ns = (double)(job[j].deadline_ns - workload->job[j].arrival_ns);
        job[j].oracle = outcome->spans && !given->shares ? ceil(work_ns[j] / span_ns) : NAN;
        allotted_sum_up(stretch + r, end - r, job[j].oracle, &job[j]);
        if (isnan(job[j].oracle))
            job[j].above = NAN;
    }
    free(stretch);
    free(work_ns);
    return fine;
}
