/* usage: limit_plans FIRST COUNT TASKS SHAPE MACHINES
 *
 * Random jobs of up to TASKS tasks that make memory, each planned under three limits: the least
 * peak of its orders by brute force, one more, and half as much again. Ends with a word if a plan
 * takes another time than the shortest of all schedules, or its bound is above that. Else the plans
 * are written for a judge that shares no code with us, as random_plans.c does. Jobs of odd seeds
 * have a task in each stage and one machine; the others have stages of several tasks, results, and
 * up to MACHINES machines. The last line, "# COUNT", has the number of limits for which there were
 * more schedules than could be looked at; SHAPE: series-parallel or general. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/eligibility/features.h"
#include "planner/instance/plan.h"
#include "planner/peak/limit.h"
#include "tests/exactness/record.h"
#include "tests/support/feature_oracle.h"
#include "tests/support/random_features.h"

enum { LIMITS = 3 };

/* Plans under the limit; what is wrong, or NULL. */
static const char *plan_under(uint64_t seed, const struct random_job *job,
                              const struct br_cluster *cluster, int number, uint64_t *too_much)
{
    struct br_plan *plan = NULL;
    struct br_plan_options options = br_plan_options_default();
    options.threads = 1;
    options.seed = seed;
    const int64_t best = feature_oracle_makespan(job->dag, cluster, NULL);
    const char *wrong = NULL;
    static const char *const word[LIMITS] = {"least", "least+1", "half-more"};
    if (best == FEATURE_ORACLE_TOO_MUCH) {
        ++*too_much;
        return NULL;
    }
    const enum br_status status = br_plan_make(job->dag, cluster, &options, &plan, NULL);
    if (status)
        wrong = best == FEATURE_ORACLE_NONE && status == BR_NO ? NULL : "no plan";
    else if (plan->makespan_ns != best)
        wrong = plan->makespan_ns < best ? "shorter than all schedules" : "not the shortest";
    else if (plan->lower_bound_ns > best)
        wrong = "the bound is above the shortest";
    else
        record_write(seed, word[number],
                     &(struct br_emit_input){.dag = job->dag, .cluster = cluster, .plan = plan});
    br_plan_destroy(plan);
    return wrong;
}

/* Jobs that make memory, whose tasks last, and whose outputs are there from the start. Others may
 * hold more than a limit for no time, which the planner refuses. */
static bool is_plain(const struct br_dag *dag)
{
    const struct br_storage *storage = dag->storage;
    bool makes = false;
    for (uint32_t t = 0; t < dag->tasks; t++)
        if (!dag->duration_ns[t])
            return false;
    for (uint32_t o = 0; storage && o < storage->outputs; o++) {
        if (storage->output[o].flags & BR_OUTPUT_FROM_END)
            return false;
        makes |= strcmp(dag->resource[storage->output[o].resource].name, "mem") == 0;
    }
    return makes;
}

static const char *plan_limits(uint64_t seed, const struct random_job *job, uint64_t *too_much)
{
    const int64_t least = feature_oracle_peak(job->dag, "mem");
    const int64_t limit[LIMITS] = {least, least + 1, least + (least + 1) / 2};
    const char *wrong = NULL;
    for (int k = 0; k < LIMITS && least > 0 && !wrong && is_plain(job->dag); k++) {
        struct br_cluster *cluster = NULL;
        if (br_peak_cluster(job->cluster, "mem", br_decimal_unscale(limit[k], 0), &cluster, NULL))
            wrong = "no cluster of that limit";
        else
            wrong = plan_under(seed, job, cluster, k, too_much);
        br_cluster_destroy(cluster);
    }
    return wrong;
}

int main(int argc, char **argv)
{
    if (argc != 6)
        return BR_USAGE;
    const uint64_t first = strtoull(argv[1], NULL, 10), count = strtoull(argv[2], NULL, 10);
    const uint32_t tasks = (uint32_t)strtoul(argv[3], NULL, 10);
    const uint32_t machines = (uint32_t)strtoul(argv[5], NULL, 10);
    const bool general = strcmp(argv[4], "general") == 0;
    uint64_t too_much = 0;
    if (tasks < 1 || tasks > FEATURE_ORACLE_TASKS || machines < 1 || machines > 3)
        return BR_USAGE;
    for (uint64_t seed = first; seed < first + count; seed++) {
        const bool alone = seed % 2;
        const struct random_features wish = {.features = BR_FEATURE_OUTPUTS,
                                             .shape =
                                                 general ? RANDOM_GENERAL : RANDOM_SERIES_PARALLEL,
                                             .machines = machines,
                                             .longest = 9,
                                             .alone = alone,
                                             .tasks = alone ? 1 + (uint32_t)(seed % tasks) : tasks};
        struct random_job job;
        if (!random_features_make(seed, &wish, &job))
            return BR_SYSTEM;
        const char *wrong = plan_limits(seed, &job, &too_much);
        random_job_finish(&job);
        if (wrong) {
            fprintf(stderr, "seed %" PRIu64 ": %s\n", seed, wrong);
            return BR_SYSTEM;
        }
    }
    printf("# %" PRIu64 "\n", too_much);
    return fflush(stdout) ? BR_SYSTEM : BR_OK;
}
