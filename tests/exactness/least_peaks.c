/* usage: least_peaks trees FIRST COUNT TASKS
 *        least_peaks orders FIRST COUNT TASKS SHAPE
 *        least_peaks limits FIRST COUNT TASKS SHAPE
 *
 * trees: the least peak of random trees of 1 to TASKS tasks beside Liu's optimum. orders: that of
 * random jobs with outputs of 1 to TASKS tasks beside all orders. limits: the least makespan under
 * limits from the least peak on beside all schedules. SHAPE: series-parallel, general, or another
 * of chain and tree. A line for each job that differs, and a summary. Exit status: 1 if anything is
 * wrong: an order below the optimum or whose peak is another, a bound above it, a plan that is
 * impossible. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/eligibility/features.h"
#include "planner/instance/plan.h"
#include "planner/peak/least.h"
#include "planner/peak/limit.h"
#include "tests/support/feature_oracle.h"
#include "tests/support/random_features.h"

enum mode { TREES, ORDERS, LIMITS };

static const uint64_t work = 300000;

struct tally {
    uint64_t jobs, equal, above, proven, solved, wrong, rises;
};

/* The peak of the order by the starts of a plan that runs it one task after another. */
static int64_t measure(const struct random_job *job, const struct br_least_peak *least)
{
    struct br_cluster *cluster = NULL;
    struct br_general *general = NULL;
    int64_t start[RANDOM_JOB_TASKS] = {0}, now = 0, peak = -1;
    if (!br_peak_cluster(job->cluster, "mem", least->peak, &cluster, NULL) &&
        !br_general_create(job->dag, cluster, &general, NULL)) {
        uint32_t r = 0;
        while (strcmp(job->dag->resource[general->resource_origin[r]].name, "mem") != 0)
            r++;
        for (uint32_t k = 0; k < general->tasks; k++) {
            const uint32_t task = least->witness.order[k];
            start[task] = now;
            now += general->duration[task];
        }
        peak = br_peak_held(general, r, start, least->witness.machine);
    }
    br_general_destroy(general);
    br_cluster_destroy(cluster);
    return peak;
}

static void compare_peak(uint64_t seed, const struct random_job *job, int64_t best,
                         struct tally *tally)
{
    struct br_least_peak least;
    struct br_diag diag = {0};
    int64_t peak = -1, bound = -1;
    const enum br_status status =
        br_least_peak(job->dag, job->cluster, "mem", work, NULL, &least, &diag);
    const bool whole = !status && br_decimal_scale(least.peak, 0, &peak) &&
                       br_decimal_scale(least.bound, 0, &bound);
    if (!whole || peak < best || bound > best || measure(job, &least) != least.peak_units) {
        printf("seed %" PRIu64 ": wrong: %" PRId64 " to %" PRId64 " of %" PRId64 " (%s) %s\n", seed,
               bound, peak, best, whole ? least.method : "", diag.what);
        tally->wrong++;
    } else if (peak > best) {
        printf("seed %" PRIu64 ": above: %" PRId64 " of %" PRId64 "\n", seed, peak, best);
        tally->above++;
    } else {
        tally->equal++;
        tally->proven += bound == best;
        tally->solved += strcmp(least.method, "series and parallel parts") == 0;
    }
    br_least_peak_finish(&least);
}

static void compare_limit(uint64_t seed, const struct random_job *job, int64_t limit, int64_t *last,
                          struct tally *tally)
{
    struct br_cluster *cluster = NULL;
    struct br_plan *plan = NULL;
    struct br_diag diag = {0};
    struct br_plan_options options = br_plan_options_default();
    options.threads = 1;
    options.seed = seed;
    enum br_status status =
        br_peak_cluster(job->cluster, "mem", br_decimal_unscale(limit, 0), &cluster, &diag);
    const int64_t best = status ? -1 : feature_oracle_makespan(job->dag, cluster, NULL);
    if (!status)
        status = br_plan_make(job->dag, cluster, &options, &plan, &diag);
    tally->jobs += best != FEATURE_ORACLE_TOO_MUCH;
    if (best != FEATURE_ORACLE_TOO_MUCH &&
        (status || plan->makespan_ns < best || plan->lower_bound_ns > best ||
         br_plan_verify(plan, job->dag, cluster, 1, NULL, NULL, NULL))) {
        printf("seed %" PRIu64 ", limit %" PRId64 ": wrong: %s\n", seed, limit, diag.what);
        tally->wrong++;
    } else if (best != FEATURE_ORACLE_TOO_MUCH && plan->makespan_ns > best) {
        printf("seed %" PRIu64 ", limit %" PRId64 ": above\n", seed, limit);
        tally->above++;
    } else if (best != FEATURE_ORACLE_TOO_MUCH) {
        tally->equal++;
        tally->proven += plan->lower_bound_ns == best;
        tally->rises += *last > best;
    }
    *last = best;
    br_plan_destroy(plan);
    br_cluster_destroy(cluster);
}

/* From the least peak on: itself, one more, half as much again. */
static void compare_limits(uint64_t seed, const struct random_job *job, int64_t least,
                           struct tally *tally)
{
    const int64_t limits[] = {least, least + 1, least + (least + 1) / 2};
    int64_t last = 0;
    for (int k = 0; k < 3; k++)
        compare_limit(seed, job, limits[k], &last, tally);
}

static bool take_shape(const char *name, enum random_shape *shape)
{
    static const char *const shapes[] = {"chain", "tree", "series-parallel", "general"};
    for (int k = 0; k < RANDOM_SHAPES; k++)
        if (strcmp(name, shapes[k]) == 0) {
            *shape = (enum random_shape)k;
            return true;
        }
    return false;
}

/* Jobs whose tasks last, and whose outputs are there from the start: then a plan holds no less than
 * the order of its ends. */
static bool is_plain(const struct br_dag *dag)
{
    for (uint32_t t = 0; t < dag->tasks; t++)
        if (!dag->duration_ns[t])
            return false;
    for (uint32_t o = 0; dag->storage && o < dag->storage->outputs; o++)
        if (dag->storage->output[o].flags & BR_OUTPUT_FROM_END)
            return false;
    return true;
}

static bool makes_memory(const struct br_dag *dag)
{
    for (uint32_t o = 0; dag->storage && o < dag->storage->outputs; o++)
        if (strcmp(dag->resource[dag->storage->output[o].resource].name, "mem") == 0)
            return true;
    return false;
}

static bool compare_seed(uint64_t seed, enum mode mode, const struct random_features *wish,
                         struct tally *tally)
{
    struct random_job job;
    if (!random_features_make(seed, wish, &job))
        return false;
    const int64_t best =
        mode == TREES ? feature_oracle_liu(job.dag, "mem") : feature_oracle_peak(job.dag, "mem");
    if (best > 0 && makes_memory(job.dag) && (mode == TREES || is_plain(job.dag))) {
        if (mode == LIMITS)
            compare_limits(seed, &job, best, tally);
        else
            compare_peak(seed, &job, best, tally);
        tally->jobs += mode != LIMITS;
    }
    random_job_finish(&job);
    return true;
}

int main(int argc, char **argv)
{
    struct random_features wish = {.features = BR_FEATURE_OUTPUTS, .machines = 1, .longest = 9};
    struct tally tally = {0};
    if (argc < 5)
        return BR_USAGE;
    const enum mode mode = strcmp(argv[1], "trees") == 0    ? TREES
                           : strcmp(argv[1], "orders") == 0 ? ORDERS
                                                            : LIMITS;
    const uint64_t first = strtoull(argv[2], NULL, 10);
    const uint64_t count = random_jobs((unsigned)strtoul(argv[3], NULL, 10));
    const uint32_t tasks = (uint32_t)strtoul(argv[4], NULL, 10);
    wish.shape = RANDOM_TREE;
    if (tasks < 1 || tasks > RANDOM_JOB_TASKS ||
        (mode != TREES && (argc < 6 || !take_shape(argv[5], &wish.shape))))
        return BR_USAGE;
    for (uint64_t seed = first; seed < first + count; seed++) {
        wish.alone = mode == TREES || seed % 2; /* else stages of several tasks, and results */
        wish.tasks = wish.alone ? 1 + (uint32_t)(seed % tasks) : tasks;
        if (!compare_seed(seed, mode, &wish, &tally))
            return BR_SYSTEM;
    }
    printf("%" PRIu64 " compared: %" PRIu64 " equal, %" PRIu64 " proven, %" PRIu64
           " above, %" PRIu64 " wrong; %" PRIu64 " %s\n",
           tally.jobs, tally.equal, tally.proven, tally.above, tally.wrong,
           mode == LIMITS ? tally.rises : tally.solved,
           mode == LIMITS ? "shorter than with less" : "by series and parallel parts");
    return tally.wrong > 0;
}
