#include "tests/store/store_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct br_store *store_open(void)
{
    struct br_store *store;
    struct br_diag diag = {0};
    if (br_store_open(database_path, &store, &diag))
        fail_msg("%s", diag.what);
    return store;
}

struct br_plan *store_make_plan(const struct random_job *job, const char *method)
{
    struct br_plan_options options = br_plan_options_default();
    struct br_plan *plan;
    struct br_diag diag = {0};
    options.effort = BR_EFFORT_FAST;
    options.threads = 1;
    options.method = method;
    if (br_plan_make(job->dag, job->cluster, &options, &plan, &diag))
        fail_msg("%s", diag.what);
    return plan;
}

void store_put(struct br_store *store, const struct random_job *job,
               const struct br_plan_options *options, const struct br_plan *plan)
{
    struct br_diag diag = {0};
    if (br_store_put(store, job->dag, job->cluster, options, plan, &diag))
        fail_msg("%s", diag.what);
}

struct br_plan *store_get(struct br_store *store, const struct random_job *job,
                          const struct br_plan_options *options, struct br_store_hit *hit)
{
    struct br_plan *plan;
    struct br_diag diag = {0};
    if (br_store_get(store, job->dag, job->cluster, options, &plan, hit, &diag))
        fail_msg("%s", diag.what);
    assert_int_equal(plan == NULL, hit->match == BR_STORE_MISS);
    if (!plan)
        return NULL;
    assert_int_equal(plan->makespan_ns, hit->found_ns);
    if (br_plan_verify(plan, job->dag, job->cluster, 1, NULL, NULL, &diag))
        fail_msg("%s", diag.what);
    assert_non_null(plan->certificate);
    if (br_certificate_verify(plan->certificate, job->dag, job->cluster, plan->lower_bound_ns,
                              &diag))
        fail_msg("%s", diag.what);
    return plan;
}

struct random_job store_open_job(void)
{
    for (uint64_t seed = 1;; seed++) {
        struct random_job job;
        assert_true(random_job_make(seed, 40, 0, &job));
        struct br_plan *plan = store_make_plan(&job, NULL);
        const bool open = plan->lower_bound_ns < plan->makespan_ns;
        br_plan_destroy(plan);
        if (open)
            return job;
        random_job_finish(&job);
    }
}
