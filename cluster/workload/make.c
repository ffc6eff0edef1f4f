/* Poisson arrivals by the inverse of the exponential distribution function; then scaled, so that
 * their mean is not only expected but met. */
#include "cluster/workload/make.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/numbers/real.h"
#include "planner/model/shape.h"

enum stream { STREAM_DAGS = 1, STREAM_SEEDS, STREAM_GAPS, STREAM_THIN, STREAM_GROUPS, STREAM_MADE };

static struct br_rng stream(uint64_t seed, enum stream about)
{
    struct br_rng rng = br_rng_seed(seed);
    rng = br_rng_seed(br_rng_next(&rng) ^ (uint64_t)about * UINT64_C(0xd6e8feb86659fd93));
    br_rng_next(&rng);
    return rng;
}

/* A seed of 53 bits: programs whose only numbers are doubles keep it. */
static uint64_t next_seed(struct br_rng *rng)
{
    return br_rng_next(rng) >> 11;
}

uint64_t br_workload_generated_seed(uint64_t seed, uint32_t k)
{
    struct br_rng rng = stream(seed, STREAM_MADE);
    rng.state += k * UINT64_C(0x9e3779b97f4a7c15);
    return next_seed(&rng);
}

enum br_status br_workload_draw(struct br_workload *workload, enum br_draw draw, uint32_t count,
                                uint64_t seed, struct br_diag *diag)
{
    struct br_rng dags = stream(seed, STREAM_DAGS), seeds = stream(seed, STREAM_SEEDS);
    enum br_status status = BR_OK;
    for (uint32_t j = 0; j < count && !status; j++) {
        struct br_workload_job job = br_workload_job_default();
        char id[16];
        snprintf(id, sizeof id, "%" PRIu32, j + 1);
        job.id = id;
        job.dag = draw == BR_DRAW_ALL ? j % workload->dags
                                      : (uint32_t)br_rng_below(&dags, workload->dags);
        job.seed = next_seed(&seeds);
        status = br_workload_add_job(workload, &job, diag);
    }
    return status;
}

/* ---- Arrivals ---- */

static void move_job(struct br_workload_job *job, int64_t arrival_ns)
{
    if (job->deadline_ns != BR_NEVER) {
        int64_t after = job->deadline_ns - job->arrival_ns;
        job->deadline_ns = after < BR_NEVER - arrival_ns ? arrival_ns + after : BR_NEVER - 1;
    }
    job->arrival_ns = arrival_ns;
}

void br_workload_arrive_at(struct br_workload *workload, const int64_t *time)
{
    for (uint32_t j = 0; j < workload->jobs; j++)
        move_job(&workload->job[j], time[j]);
}

static enum br_status check_span(double last_s, struct br_diag *diag)
{
    if (last_s >= 0 && last_s < 9.1e9)
        return BR_OK;
    return br_fail(diag, BR_USAGE, "ask for a larger load, or less time between arrivals",
                   "the last job would arrive after more than 290 years");
}

static int64_t workload_make_nanoseconds(double s)
{
    return (int64_t)(s * 1e9 + 0.5);
}

enum br_status br_workload_arrive(struct br_workload *workload, enum br_arrivals arrivals,
                                  double mean_s, uint64_t seed, struct br_diag *diag)
{
    struct br_rng rng = stream(seed, STREAM_GAPS);
    uint32_t jobs = workload->jobs;
    double at = 0, sum = 0, *time = malloc(((size_t)jobs + 1) * sizeof *time);
    if (!time)
        return br_fail_memory(diag);
    for (uint32_t j = 0; j < jobs; j++) {
        time[j] = sum;
        sum += arrivals == BR_ARRIVE_BATCH     ? 0
               : arrivals == BR_ARRIVE_REGULAR ? 1
                                               : -br_real_log(1 - br_rng_unit(&rng));
    }
    double last = jobs ? time[jobs - 1] : 0, scale = last > 0 ? mean_s * (jobs - 1) / last : 0;
    enum br_status status = check_span(last * scale, diag);
    for (uint32_t j = 0; j < jobs && !status; j++) {
        at = time[j] * scale;
        move_job(&workload->job[j], workload_make_nanoseconds(at));
    }
    free(time);
    return status;
}

static void workload_make_find_span(const struct br_workload *workload, int64_t *first_ns,
                                    int64_t *last_ns)
{
    *first_ns = BR_NEVER;
    *last_ns = 0;
    for (uint32_t j = 0; j < workload->jobs; j++) {
        int64_t arrival_ns = workload->job[j].arrival_ns;
        if (arrival_ns < *first_ns)
            *first_ns = arrival_ns;
        if (arrival_ns > *last_ns)
            *last_ns = arrival_ns;
    }
}

double br_workload_mean_gap(const struct br_workload *workload)
{
    int64_t first_ns, last_ns;
    workload_make_find_span(workload, &first_ns, &last_ns);
    return workload->jobs < 2 ? NAN : (double)(last_ns - first_ns) / 1e9 / (workload->jobs - 1);
}

enum br_status br_workload_stretch(struct br_workload *workload, double factor,
                                   struct br_diag *diag)
{
    int64_t first_ns, last_ns;
    workload_make_find_span(workload, &first_ns, &last_ns);
    if (!workload->jobs)
        return BR_OK;
    enum br_status status =
        check_span((double)first_ns / 1e9 + (double)(last_ns - first_ns) / 1e9 * factor, diag);
    for (uint32_t j = 0; j < workload->jobs && !status; j++) {
        struct br_workload_job *job = &workload->job[j];
        assert(job->arrival_ns >= first_ns);
        double after_s = (double)(job->arrival_ns - first_ns) / 1e9 * factor;
        move_job(job, first_ns + workload_make_nanoseconds(after_s));
    }
    return status;
}

/* ---- Parts of a workload ---- */

/* Drops the job from the sums; the caller compacts. */
static void workload_make_keep(struct br_workload *workload, uint32_t *kept, uint32_t j)
{
    assert(*kept <= j);
    workload->tasks += workload->dag[workload->job[j].dag].dag->tasks;
    workload->job[(*kept)++] = workload->job[j];
}

void br_workload_slice(struct br_workload *workload, int64_t from_ns, int64_t to_ns, uint32_t count)
{
    uint32_t kept = 0;
    workload->tasks = 0;
    for (uint32_t j = 0; j < workload->jobs && (!count || kept < count); j++) {
        int64_t arrival_ns = workload->job[j].arrival_ns;
        if (arrival_ns < from_ns || arrival_ns >= to_ns)
            continue;
        workload_make_keep(workload, &kept, j);
        move_job(&workload->job[kept - 1], arrival_ns - from_ns);
    }
    workload->jobs = kept;
}

void br_workload_thin(struct br_workload *workload, double share, uint64_t seed)
{
    struct br_rng rng = stream(seed, STREAM_THIN);
    uint32_t kept = 0;
    workload->tasks = 0;
    for (uint32_t j = 0; j < workload->jobs; j++)
        if (br_rng_unit(&rng) < share)
            workload_make_keep(workload, &kept, j);
    workload->jobs = kept;
}

/* ---- Groups and deadlines ---- */

void br_workload_assign(struct br_workload *workload, const uint32_t *group, uint32_t groups,
                        bool random, uint64_t seed)
{
    struct br_rng rng = stream(seed, STREAM_GROUPS);
    for (uint32_t j = 0; j < workload->jobs; j++)
        workload->job[j].group = group[random ? (uint32_t)br_rng_below(&rng, groups) : j % groups];
}

enum br_status br_workload_deadline_of(const struct br_dag *dag, double factor, int64_t later_ns,
                                       int64_t *after_ns, struct br_diag *diag)
{
    struct br_shape shape = {0};
    enum br_status status = factor > 0 ? br_shape_measure(dag, &shape, diag) : BR_OK;
    double after_s = (double)shape.critical_ns / 1e9 * factor + (double)later_ns / 1e9;
    *after_ns = after_s < 9e9 ? workload_make_nanoseconds(after_s) : INT64_C(9000000000000000000);
    if (*after_ns < 1)
        *after_ns = 1;
    br_shape_finish(&shape);
    return status;
}

enum br_status br_workload_set_deadlines(struct br_workload *workload, double factor,
                                         int64_t later_ns, struct br_diag *diag)
{
    int64_t *after_ns = calloc((size_t)workload->dags + 1, sizeof *after_ns);
    enum br_status status = after_ns ? BR_OK : br_fail_memory(diag);
    for (uint32_t d = 0; d < workload->dags && !status; d++)
        status =
            br_workload_deadline_of(workload->dag[d].dag, factor, later_ns, &after_ns[d], diag);
    for (uint32_t j = 0; j < workload->jobs && !status; j++) {
        struct br_workload_job *job = &workload->job[j];
        int64_t after = after_ns[job->dag];
        job->deadline_ns =
            after < BR_NEVER - job->arrival_ns ? job->arrival_ns + after : BR_NEVER - 1;
    }
    free(after_ns);
    return status;
}
