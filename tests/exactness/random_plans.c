/* usage: random_plans FIRST COUNT [features]
 *
 * Random jobs, or with "features" such with outputs, shared resources and times, of the seeds from
 * FIRST on, each planned by a method in turn and written for a judge, with the method as word
 * (record.h). Our own check of plans and of certificates comes first, and ends the program
 * with a word where it refuses. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/check/proofs/certificate.h"
#include "planner/instance/plan.h"
#include "planner/search/method.h"
#include "tests/exactness/record.h"
#include "tests/support/random_features.h"

enum { TASKS = 40, FEATURE_TASKS = 16, FEATURE_TRIES = 64 };

/* Baselines for machines of several kinds, which come last, know few features. */
static const char *method_of(uint64_t seed, bool features)
{
    struct br_method method;
    uint32_t methods = 0;
    while (br_method_find(br_method_name(methods), &method) && br_method_name(methods) &&
           !(features && method.kind == BR_METHOD_BASELINE))
        methods++;
    return br_method_name((uint32_t)(seed % methods));
}

/* The next job with features, of a series that the seed begins; not all have a plan. */
static bool make_job(uint64_t seed, bool features, uint64_t attempt, struct random_job *job)
{
    const uint64_t of = seed + attempt * 1000003;
    const struct random_features wish =
        random_features_of(of, 1 + (uint32_t)(seed % FEATURE_TASKS));
    return features ? random_features_make(of, &wish, job)
                    : random_job_make(seed, 1 + (uint32_t)(seed / 3 % TASKS), 0, job);
}

static enum br_status one(uint64_t seed, bool features, uint64_t attempt, struct br_diag *diag)
{
    struct random_job job;
    struct br_plan *plan = NULL;
    struct br_plan_options options = br_plan_options_default();
    options.method = method_of(seed, features);
    options.seed = seed;
    options.threads = 1;
    options.effort = seed / 7 % 5 ? BR_EFFORT_FAST : BR_EFFORT_DEFAULT;
    options.placements = 20000;
    if (!make_job(seed, features, attempt, &job))
        return BR_SYSTEM;
    enum br_status status = br_plan_make(job.dag, job.cluster, &options, &plan, diag);
    if (status == BR_NO && features && attempt + 1 < FEATURE_TRIES) {
        random_job_finish(&job);
        return one(seed, features, attempt + 1, diag);
    }
    if (!status)
        status = br_plan_verify(plan, job.dag, job.cluster, 1, NULL, NULL, diag);
    if (!status && plan->certificate)
        status = br_certificate_verify(plan->certificate, job.dag, job.cluster,
                                       plan->lower_bound_ns, diag);
    if (!status) {
        struct br_emit_input input = {.dag = job.dag, .cluster = job.cluster, .plan = plan};
        record_write(seed, options.method, &input);
    }
    br_plan_destroy(plan);
    random_job_finish(&job);
    return status;
}

int main(int argc, char **argv)
{
    const bool features = argc == 4 && strcmp(argv[3], "features") == 0;
    if (argc != 3 && !features)
        return BR_USAGE;
    uint64_t first = strtoull(argv[1], NULL, 10), count = strtoull(argv[2], NULL, 10);
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct br_diag diag = {0};
        enum br_status status = one(seed, features, 0, &diag);
        if (status || ferror(stdout)) {
            fprintf(stderr, "seed %" PRIu64 ": %s\n", seed, diag.what);
            return status ? (int)status : BR_SYSTEM;
        }
    }
    return fflush(stdout) ? BR_SYSTEM : BR_OK;
}
