/* Bounds of jobs with outputs, shared resources and times: never above the best plan, proven by
 * certificates on relaxed jobs, which the checker makes again for itself. False ones are refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <bigrocks/bound.h>
#include <bigrocks/planner.h>

#include "planner/check/proofs/relaxed.h"
#include "planner/eligibility/features.h"
#include "planner/instance/relax.h"
#include "tests/support/feature_oracle.h"
#include "tests/support/random_features.h"

#define UNIT RANDOM_FEATURES_UNIT

static bool verified(const struct br_certificate *c, const struct random_job *job, int64_t bound_ns)
{
    const enum br_status status = br_certificate_verify(c, job->dag, job->cluster, bound_ns, NULL);
    assert_true(status == BR_OK || status == BR_NO);
    return status == BR_OK;
}

static void assert_same_stages(const struct br_dag *a, const struct br_dag *b)
{
    assert_int_equal(a->stages, b->stages);
    assert_int_equal(a->tasks, b->tasks);
    assert_int_equal(a->edges, b->edges);
    assert_int_equal(a->demands, b->demands);
    for (uint32_t s = 0; s < a->stages; s++)
        assert_string_equal(a->stage[s].id, b->stage[s].id);
    for (uint32_t t = 0; t < a->tasks; t++)
        assert_true(a->duration_ns[t] == b->duration_ns[t]);
    for (uint32_t d = 0; d < a->demands; d++)
        assert_int_equal(br_decimal_compare(a->demand[d].amount, b->demand[d].amount), 0);
}

/* What finders and the checker make of a job is the same job, though they share nothing. */
static void both_relax_alike(void **state)
{
    uint32_t held = 0;
    const unsigned count = random_jobs(2000);
    for (uint64_t seed = 0; seed < count; seed++) {
        const struct random_features wish = random_features_of(seed, RANDOM_JOB_TASKS);
        struct random_job job;
        assert_true(random_features_make(seed, &wish, &job));
        for (enum br_relaxation k = BR_RELAX_MACHINES; k <= BR_RELAX_POOL; k++) {
            struct br_relaxed made;
            struct br_dag *dag, *names;
            struct br_cluster *cluster;
            assert_int_equal(br_relax(job.dag, job.cluster, k, &made, NULL), BR_OK);
            assert_int_equal(br_check_relaxed(job.dag, job.cluster, k, &dag, &cluster, NULL),
                             BR_OK);
            assert_same_stages(made.dag, dag);
            assert_int_equal(made.cluster->machines, cluster->machines);
            assert_int_equal(br_relax_job(job.dag, &names, NULL), BR_OK);
            assert_int_equal(names->stages, dag->stages);
            held += strncmp(dag->stage[dag->stages - 1].id, "held", 4) == 0;
            br_dag_destroy(names);
            br_dag_destroy(dag);
            br_cluster_destroy(cluster);
            br_relaxed_finish(&made);
        }
        random_job_finish(&job);
    }
    assert_true(held > count / 4);
}

/* The certificate under another relaxation, and with more than it proves, by a tick in each part.
 */
static void refuse_forged(struct br_certificate *c, const struct random_job *job, int64_t best)
{
    const enum br_relaxation right = c->relaxation;
    int64_t ns;
    for (enum br_relaxation k = BR_RELAX_NONE; k <= BR_RELAX_POOL; k++) {
        c->relaxation = k;
        if (verified(c, job, 0) && br_certificate_bound(c, &ns))
            assert_true(k != BR_RELAX_NONE && ns <= best);
    }
    c->relaxation = right;
    for (uint32_t k = 0; k < c->parts; k++) {
        c->part[k].bound++;
        if (verified(c, job, 0) && br_certificate_bound(c, &ns))
            assert_true(ns <= best);
        c->part[k].bound--;
    }
    assert_true(br_certificate_bound(c, &ns));
    assert_false(verified(c, job, ns + 1));
}

/* Every bound is at most the best makespan, and its proof holds. */
static void bounds_are_below_the_best(void **state)
{
    uint64_t met = 0, known = 0;
    struct br_certificate *last = NULL;
    const unsigned count = random_jobs(4000);
    for (uint64_t seed = 0; seed < count; seed++) {
        const struct random_features wish = random_features_of(seed, 5);
        struct br_bound_options options = br_bound_options_default();
        struct br_bound_result result;
        struct random_job job;
        int64_t core_ns;
        assert_true(random_features_make(seed, &wish, &job));
        const int64_t best = feature_oracle_makespan(job.dag, job.cluster, NULL);
        options.conflicts = seed % 2 ? 0 : 1000;
        const enum br_status status = br_bound_best(job.dag, job.cluster, &options, &result, NULL);
        assert_int_equal(status, BR_OK);
        assert_int_equal(br_bound(job.dag, job.cluster, &core_ns, NULL, NULL), BR_OK);
        assert_non_null(result.certificate);
        assert_true(verified(result.certificate, &job, result.lower_bound_ns));
        assert_true(core_ns <= result.lower_bound_ns);
        assert_int_equal(result.certificate->relaxation != BR_RELAX_NONE,
                         br_features(job.dag, job.cluster) != 0);
        if (best >= 0) {
            if (result.lower_bound_ns > best)
                fail_msg("seed %u: the bound is above the best plan", (unsigned)seed);
            met += result.lower_bound_ns == best;
            known++;
            if (br_features(job.dag, job.cluster))
                refuse_forged(result.certificate, &job, best);
            int64_t ns; /* a proof of another job */
            if (last && verified(last, &job, 0) && br_certificate_bound(last, &ns))
                assert_true(ns <= best);
        }
        br_certificate_destroy(last);
        last = result.certificate;
        result.certificate = NULL;
        br_bound_result_finish(&result);
        random_job_finish(&job);
    }
    br_certificate_destroy(last);
    print_message("%u bounds, %u met\n", (unsigned)known, (unsigned)met);
    assert_true(met > known / 2);
}

/* Plans of such jobs carry the proof of their bound, also in files. */
static void plans_carry_the_proof(void **state)
{
    const unsigned count = random_jobs(300);
    uint32_t proven = 0;
    for (uint64_t seed = 0; seed < count; seed++) {
        const struct random_features wish = random_features_of(seed, 8);
        struct br_plan_options options = br_plan_options_default();
        struct random_job job;
        struct br_plan *plan;
        struct br_certificate *again;
        options.effort = BR_EFFORT_FAST;
        options.threads = 1;
        assert_true(random_features_make(seed, &wish, &job));
        if (br_plan_make(job.dag, job.cluster, &options, &plan, NULL) == BR_OK) {
            const struct br_certificate *c = br_plan_certificate(plan);
            if (!c) { /* all schedules were looked at, which leaves no proof */
                assert_string_equal(br_plan_bound_method(plan), "all schedules");
                br_plan_destroy(plan);
                random_job_finish(&job);
                continue;
            }
            assert_true(verified(c, &job, br_plan_lower_bound_ns(plan)));
            char *text = br_certificate_text(c, job.dag);
            assert_non_null(text);
            assert_int_equal(br_certificate_read(text, strlen(text), job.dag, &again, NULL), BR_OK);
            assert_int_equal(again->relaxation, c->relaxation);
            assert_true(verified(again, &job, br_plan_lower_bound_ns(plan)));
            br_certificate_destroy(again);
            free(text);
            br_plan_destroy(plan);
            proven++;
        }
        random_job_finish(&job);
    }
    assert_true(proven > count / 3);
}

static struct random_job begin_job(uint32_t machines)
{
    struct random_job job = {br_dag_create("j"), br_cluster_create(NULL)};
    assert_int_equal(br_cluster_add_class(job.cluster, "m", machines, NULL, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(job.cluster, 0, "mem", "4", NULL), BR_OK);
    return job;
}

static void add_stage(struct random_job *job, const char *id, int64_t duration, const char *mem)
{
    uint32_t stage;
    assert_int_equal(br_dag_add_stage(job->dag, id, 1, duration * UNIT, &stage, NULL), BR_OK);
    assert_int_equal(br_dag_add_demand(job->dag, stage, "mem", mem, NULL), BR_OK);
}

static int64_t bound_of(struct random_job *job)
{
    int64_t ns;
    assert_int_equal(br_dag_finish(job->dag, NULL), BR_OK);
    assert_int_equal(br_bound(job->dag, job->cluster, &ns, NULL, NULL), BR_OK);
    random_job_finish(job);
    return ns / UNIT;
}

/* What is held is held while other tasks lie between its maker and its last reader: 3 of 4 from the
 * end of a to that of c, behind b; so d, which needs 2, waits for all of them, or they for it. */
static void held_along_the_longest_way(void **state)
{
    struct random_job job = begin_job(1);
    add_stage(&job, "a", 1, "0");
    add_stage(&job, "b", 5, "0");
    add_stage(&job, "c", 1, "0");
    add_stage(&job, "d", 7, "2");
    assert_int_equal(br_dag_add_output(job.dag, 0, "o", "mem", "3", 0, NULL), BR_OK);
    assert_int_equal(br_dag_add_edge(job.dag, 0, 1, BR_BARRIER, NULL), BR_OK);
    assert_int_equal(br_dag_add_edge(job.dag, 1, 2, BR_BARRIER, NULL), BR_OK);
    assert_int_equal(br_dag_add_edge(job.dag, 0, 2, BR_BARRIER, NULL), BR_OK);
    assert_int_equal(br_dag_set_edge_reads(job.dag, 0, 1, "", NULL), BR_OK);
    assert_int_equal(bound_of(&job), 14);
}

/* A result is held to the end of the job: 3 of 4 while b runs, so d cannot run beside b. */
static void results_to_the_end(void **state)
{
    struct random_job job = begin_job(1);
    add_stage(&job, "a", 1, "0");
    add_stage(&job, "b", 5, "0");
    add_stage(&job, "d", 7, "2");
    assert_int_equal(br_dag_add_output(job.dag, 0, "o", "mem", "3", 0, NULL), BR_OK);
    assert_int_equal(br_dag_add_edge(job.dag, 0, 1, BR_BARRIER, NULL), BR_OK);
    assert_int_equal(br_dag_set_edge_reads(job.dag, 0, 1, "", NULL), BR_OK);
    assert_int_equal(bound_of(&job), 13);
}

/* A short child of a stream starts late, since it ends no earlier than its parent: a (10), released
 * at 2, streams into b (1), which starts at 11; c (2) follows 3 after its end, at 15.
 */
static void streams_end_in_order(void **state)
{
    struct random_job job = begin_job(2);
    add_stage(&job, "a", 10, "1");
    add_stage(&job, "b", 1, "1");
    add_stage(&job, "c", 2, "1");
    assert_int_equal(br_dag_set_release(job.dag, 0, 0, 2 * UNIT, NULL), BR_OK);
    assert_int_equal(br_dag_add_edge(job.dag, 0, 1, BR_BARRIER, NULL), BR_OK);
    assert_int_equal(br_dag_set_edge_stream(job.dag, 0, 1, NULL), BR_OK);
    assert_int_equal(br_dag_add_edge(job.dag, 1, 2, BR_BARRIER, NULL), BR_OK);
    assert_int_equal(br_dag_set_edge_lag(job.dag, 1, 2, 3 * UNIT, NULL), BR_OK);
    assert_int_equal(bound_of(&job), 17);
}

/* A deadline that no plan keeps: a (5) and then b, two tasks of 3, of which one runs at a time. */
static void deadlines_that_cannot_be_kept(void **state)
{
    for (int64_t deadline = 9; deadline <= 11; deadline++) {
        struct random_job job = begin_job(1);
        struct br_plan *plan = NULL;
        struct br_diag diag = {0};
        uint32_t b;
        add_stage(&job, "a", 5, "1");
        assert_int_equal(br_dag_add_stage(job.dag, "b", 2, 3 * UNIT, &b, NULL), BR_OK);
        assert_int_equal(br_dag_add_demand(job.dag, b, "mem", "3", NULL), BR_OK);
        assert_int_equal(br_dag_set_deadline(job.dag, b, UINT32_MAX, deadline * UNIT, NULL), BR_OK);
        assert_int_equal(br_dag_add_edge(job.dag, 0, b, BR_BARRIER, NULL), BR_OK);
        assert_int_equal(br_dag_finish(job.dag, NULL), BR_OK);
        const enum br_status status = br_plan_make(job.dag, job.cluster, NULL, &plan, &diag);
        assert_int_equal(status, deadline < 11 ? BR_NO : BR_OK);
        if (status)
            assert_non_null(
                strstr(diag.what, "there is no plan that keeps the deadline of stage b"));
        if (status)
            assert_non_null(strstr(diag.what, "at least 11 s"));
        br_plan_destroy(plan);
        random_job_finish(&job);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_relax_alike),
        cmocka_unit_test(bounds_are_below_the_best),
        cmocka_unit_test(plans_carry_the_proof),
        cmocka_unit_test(held_along_the_longest_way),
        cmocka_unit_test(results_to_the_end),
        cmocka_unit_test(streams_end_in_order),
        cmocka_unit_test(deadlines_that_cannot_be_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
