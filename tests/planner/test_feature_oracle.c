/* The oracle of jobs with outputs, shared resources and times, against all plans of whole times
 * that the check of plans lets pass; and of the two that know least peaks each against the other.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "planner/eligibility/features.h"
#include "planner/instance/plan.h"
#include "tests/support/feature_oracle.h"
#include "tests/support/random_features.h"

#define UNIT RANDOM_FEATURES_UNIT

static bool holds(struct br_plan *plan, const struct random_job *job)
{
    assert_int_equal(br_plan_rank(plan, job->dag, NULL), BR_OK);
    return br_plan_verify(plan, job->dag, job->cluster, 1, NULL, NULL, NULL) == BR_OK;
}

/* Is there a plan of whole times that ends before `limit` units? Goes through all of them, as
 * numbers with a digit for the place and time of each task. */
static bool any_plan(const struct random_job *job, int64_t limit)
{
    const uint32_t tasks = job->dag->tasks, machines = job->cluster->machines;
    struct br_plan *plan = br_plan_create(tasks);
    bool found = false;
    uint32_t at = 0;
    for (uint32_t t = 0; t < tasks && limit > 0; t++)
        if (job->dag->duration_ns[t] > (limit - 1) * UNIT)
            limit = 0;
    while (limit > 0 && !found && at < tasks) {
        found = holds(plan, job);
        for (at = 0; at < tasks; at++) { /* the next number */
            plan->start_ns[at] += UNIT;
            if (plan->start_ns[at] + job->dag->duration_ns[at] <= (limit - 1) * UNIT)
                break;
            plan->start_ns[at] = 0;
            if (++plan->machine[at] < machines)
                break;
            plan->machine[at] = 0;
        }
    }
    br_plan_destroy(plan);
    return found;
}

static uint64_t plans_to_try(const struct random_job *job, int64_t limit)
{
    uint64_t count = 1;
    for (uint32_t t = 0; t < job->dag->tasks && count < 1000000; t++)
        count *= (uint64_t)limit * job->cluster->machines;
    return count;
}

/* Of every job: the oracle's plan holds and takes what it says, and no plan that ends sooner holds.
 * Without a plan, none that ends within some time does. */
static void no_plan_is_better(void **state)
{
    uint32_t proven = 0, none = 0;
    const unsigned count = random_jobs(3000);
    for (uint64_t seed = 0; seed < count; seed++) {
        const struct random_features wish = random_features_of(seed, seed % 5 ? 4 : 3);
        struct feature_oracle_plan best;
        struct random_job job;
        assert_true(random_features_make(seed, &wish, &job));
        const int64_t makespan = feature_oracle_makespan(job.dag, job.cluster, &best);
        assert_int_not_equal(makespan, FEATURE_ORACLE_TOO_MUCH);
        if (makespan != FEATURE_ORACLE_NONE) {
            struct br_plan *plan = br_plan_create(job.dag->tasks);
            memcpy(plan->start_ns, best.start_ns, job.dag->tasks * sizeof *plan->start_ns);
            memcpy(plan->machine, best.machine, job.dag->tasks * sizeof *plan->machine);
            assert_true(holds(plan, &job));
            assert_int_equal(plan->makespan_ns, makespan);
            br_plan_destroy(plan);
        }
        const int64_t limit = makespan == FEATURE_ORACLE_NONE ? 8 : makespan / UNIT;
        if (plans_to_try(&job, limit) <= 20000) {
            if (any_plan(&job, limit))
                fail_msg("seed %u: the oracle says %ld, but there is better", (unsigned)seed,
                         (long)makespan);
            proven += makespan != FEATURE_ORACLE_NONE;
            none += makespan == FEATURE_ORACLE_NONE;
        }
        random_job_finish(&job);
    }
    if (count == 3000) {
        assert_true(proven > 1000);
        assert_true(none > 50);
    }
}

/* A case that is known: while a runs, nothing fits beside it, so b waits though it could start. */
static void waiting_may_be_best(void **state)
{
    struct random_job job = {br_dag_create("j"), br_cluster_create(NULL)};
    struct feature_oracle_plan best;
    /* long (4) holds 3 of 4 until after (1) has read it, short (1) needs 2, and big (1) 4. */
    assert_int_equal(br_dag_add_stage(job.dag, "long", 1, 4 * UNIT, NULL, NULL), BR_OK);
    assert_int_equal(br_dag_add_stage(job.dag, "after", 1, UNIT, NULL, NULL), BR_OK);
    assert_int_equal(br_dag_add_stage(job.dag, "big", 1, UNIT, NULL, NULL), BR_OK);
    assert_int_equal(br_dag_set_release(job.dag, 2, 0, UNIT, NULL), BR_OK);
    assert_int_equal(br_dag_set_deadline(job.dag, 2, 0, 3 * UNIT, NULL), BR_OK);
    assert_int_equal(br_dag_add_output(job.dag, 0, "o", "mem", "3", 0, NULL), BR_OK);
    assert_int_equal(br_dag_add_demand(job.dag, 2, "mem", "4", NULL), BR_OK);
    assert_int_equal(br_dag_add_edge(job.dag, 0, 1, BR_BARRIER, NULL), BR_OK);
    assert_int_equal(br_dag_finish(job.dag, NULL), BR_OK);
    assert_int_equal(br_cluster_add_class(job.cluster, "m", 1, NULL, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(job.cluster, 0, "mem", "4", NULL), BR_OK);
    assert_int_equal(feature_oracle_makespan(job.dag, job.cluster, &best), 7 * UNIT);
    assert_int_equal(best.start_ns[0], 2 * UNIT);
    assert_int_equal(feature_oracle_peak(job.dag, "mem"), 4);
    random_job_finish(&job);
}

/* On trees, all subsets and Liu's algorithm. */
static void trees_agree(void **state)
{
    struct random_features wish = {.shape = RANDOM_TREE,
                                   .features = BR_FEATURE_OUTPUTS,
                                   .machines = 1,
                                   .longest = 9,
                                   .alone = true};
    const unsigned count = random_jobs(3000);
    uint32_t chosen = 0;
    for (uint64_t seed = 0; seed < count; seed++) {
        struct random_job job;
        wish.tasks = 1 + (uint32_t)(seed % 12);
        assert_true(random_features_make(seed, &wish, &job));
        const int64_t peak = feature_oracle_liu(job.dag, "mem");
        assert_int_equal(peak, feature_oracle_peak(job.dag, "mem"));
        chosen += peak > 18; /* more than any task needs alone */
        random_job_finish(&job);
    }
    assert_true(chosen > count / 4);
}

/* Where storage alone limits a job on one machine, there is a plan if and only if the machine has
 * the least peak. */
static void peaks_decide(void **state)
{
    struct random_features wish = {
        .features = BR_FEATURE_OUTPUTS, .machines = 1, .longest = 2, .alone = true};
    const unsigned count = random_jobs(600);
    for (uint64_t seed = 0; seed < count; seed++) {
        struct random_job job;
        wish.shape = (enum random_shape)(seed % RANDOM_SHAPES);
        wish.tasks = 1 + (uint32_t)(seed / 4 % 7);
        assert_true(random_features_make(seed, &wish, &job));
        const int64_t peak = feature_oracle_peak(job.dag, "mem");
        for (int64_t less = 0; less < 2; less++) {
            struct br_cluster *cluster = br_cluster_create(NULL);
            char amount[32];
            snprintf(amount, sizeof amount, "%ld", (long)(peak - less));
            assert_int_equal(br_cluster_add_class(cluster, "m", 1, NULL, NULL), BR_OK);
            assert_int_equal(br_cluster_add_capacity(cluster, 0, "mem", amount, NULL), BR_OK);
            const int64_t makespan = feature_oracle_makespan(job.dag, cluster, NULL);
            assert_int_equal(makespan == FEATURE_ORACLE_NONE, less);
            br_cluster_destroy(cluster);
        }
        random_job_finish(&job);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waiting_may_be_best),
        cmocka_unit_test(trees_agree),
        cmocka_unit_test(peaks_decide),
        cmocka_unit_test(no_plan_is_better),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
