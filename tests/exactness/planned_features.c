/* usage: planned_features FIRST COUNT TASKS [fast|default]
 *
 * Plans random jobs with outputs, shared resources and times, and compares with the oracle that
 * tries everything. A line for each job whose plan is longer than the best, or none where there is
 * one, and a summary; "wrong" if a plan is impossible, or a bound is above the best plan. Exit
 * status: 1 if anything is wrong. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/eligibility/features.h"
#include "planner/instance/plan.h"
#include "tests/support/feature_oracle.h"
#include "tests/support/random_features.h"

struct tally {
    uint64_t jobs, best, longer, missed, none, wrong, skipped;
    double excess; /* of the longer ones, in sum */
};

static void say(uint64_t seed, const char *word, int64_t found, int64_t best)
{
    printf("seed %" PRIu64 ": %s: %s s,", seed, word, br_seconds(found).text);
    printf(" the best is %s s\n", best < 0 ? "none" : br_seconds(best).text);
}

/* A plan of the job, or the answer that there is none. */
static void compare_plan(uint64_t seed, const struct random_job *job, const struct br_plan *plan,
                         int64_t best, struct tally *tally)
{
    if (best == FEATURE_ORACLE_NONE || plan->makespan_ns < best || plan->lower_bound_ns > best ||
        br_plan_verify(plan, job->dag, job->cluster, 1, NULL, NULL, NULL)) {
        say(seed, "wrong", plan->makespan_ns, best);
        tally->wrong++;
    } else if (plan->makespan_ns > best) {
        say(seed, "longer", plan->makespan_ns, best);
        tally->longer++;
        tally->excess += (double)plan->makespan_ns / (double)best - 1;
    } else {
        tally->best++;
    }
}

static void compare_job(uint64_t seed, const struct random_job *job, enum br_effort effort,
                        struct tally *tally)
{
    struct br_plan_options options = br_plan_options_default();
    struct br_plan *plan = NULL;
    struct br_diag diag = {0};
    const int64_t best = feature_oracle_makespan(job->dag, job->cluster, NULL);
    options.effort = effort;
    options.threads = 1;
    options.seed = seed;
    tally->jobs++;
    if (best == FEATURE_ORACLE_TOO_MUCH) {
        tally->skipped++;
        return;
    }
    const enum br_status status = br_plan_make(job->dag, job->cluster, &options, &plan, &diag);
    if (!status) {
        compare_plan(seed, job, plan, best, tally);
    } else if (best == FEATURE_ORACLE_NONE && status != BR_SYSTEM) {
        tally->none++;
    } else {
        const bool wrong = status != BR_NO || strstr(diag.what, "there is no plan");
        printf("seed %" PRIu64 ": %s: %s; the best is %s s\n", seed, wrong ? "wrong" : "missed",
               diag.what, best < 0 ? "none" : br_seconds(best).text);
        tally->wrong += wrong;
        tally->missed += !wrong;
    }
    br_plan_destroy(plan);
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return BR_USAGE;
    const uint64_t first = strtoull(argv[1], NULL, 10);
    const uint64_t count = random_jobs((unsigned)strtoul(argv[2], NULL, 10));
    const uint32_t tasks = (uint32_t)strtoul(argv[3], NULL, 10);
    const bool fast = argc > 4 && strcmp(argv[4], "fast") == 0;
    struct tally tally = {0};
    for (uint64_t seed = first; seed < first + count; seed++) {
        const struct random_features wish = random_features_of(seed, tasks);
        struct random_job job;
        if (tasks < 1 || tasks > FEATURE_ORACLE_TASKS || !random_features_make(seed, &wish, &job))
            return BR_SYSTEM;
        compare_job(seed, &job, fast ? BR_EFFORT_FAST : BR_EFFORT_DEFAULT, &tally);
        random_job_finish(&job);
    }
    printf("%" PRIu64 " jobs: %" PRIu64 " planned at best, %" PRIu64 " longer (by %.2f %% in the "
           "mean), %" PRIu64 " missed, %" PRIu64 " without a plan, %" PRIu64 " too large; %" PRIu64
           " wrong\n",
           tally.jobs, tally.best, tally.longer,
           tally.longer ? 100 * tally.excess / (double)tally.longer : 0, tally.missed, tally.none,
           tally.skipped, tally.wrong);
    return tally.wrong > 0;
}
