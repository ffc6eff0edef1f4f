/* Stores of plans: what comes out is what was put in, or a plan of this job. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/numbers/rng.h"
#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"
#include "planner/instance/instance.h"
#include "planner/schedule/dispatch.h"
#include "store/file.h"
#include "tests/store/store_fixture.h"

/* The job again with durations of its own: percent[k % 4] of what they were. */
static struct br_dag *copy_job(const struct br_dag *dag, const uint32_t percent[4])
{
    struct br_dag *copy = br_dag_create(dag->name);
    struct br_diag diag = {0};
    bool ok = copy != NULL;
    for (uint32_t s = 0; ok && s < dag->stages; s++) {
        const struct br_stage *stage = &dag->stage[s];
        ok = !br_dag_add_stage(copy, stage->id, stage->tasks, 1, NULL, &diag);
        for (uint32_t k = 0; ok && k < stage->tasks; k++) {
            const int64_t old_ns = dag->duration_ns[stage->first_task + k];
            ok = !br_dag_set_duration(copy, s, k, old_ns * percent[(s + k) % 4] / 100, &diag);
        }
        for (uint32_t k = 0; ok && k < stage->demands; k++) {
            const struct br_demand *demand = &dag->demand[stage->first_demand + k];
            char amount[BR_DECIMAL_TEXT];
            br_decimal_format(demand->amount, amount, sizeof amount);
            ok = !br_dag_add_demand(copy, s, dag->resource[demand->resource].name, amount, &diag);
        }
    }
    for (uint32_t e = 0; ok && e < dag->edges; e++)
        ok = !br_dag_add_edge(copy, dag->edge[e].parent, dag->edge[e].child, dag->edge[e].type,
                              &diag);
    if (!ok || br_dag_finish(copy, &diag))
        fail_msg("%s", diag.what);
    return copy;
}

/* The cluster with so many machines more of every class. */
static struct br_cluster *copy_cluster(const struct br_cluster *cluster, uint32_t more)
{
    struct br_cluster *copy = br_cluster_create("copy");
    struct br_diag diag = {0};
    for (uint32_t c = 0; c < cluster->classes; c++) {
        const struct br_class *cls = &cluster->cls[c];
        assert_int_equal(br_cluster_add_class(copy, cls->name, cls->count + more, NULL, &diag), 0);
        for (uint32_t k = 0; k < cls->capacities; k++) {
            char amount[BR_DECIMAL_TEXT];
            br_decimal_format(cls->capacity[k].amount, amount, sizeof amount);
            assert_int_equal(
                br_cluster_add_capacity(copy, c, cls->capacity[k].resource, amount, &diag), 0);
        }
    }
    return copy;
}

/* A plan that was put comes out as it was, with its bound, and from a file opened anew. */
static void test_exact(void **state)
{
    const unsigned jobs = random_jobs(400);
    struct br_store *store = store_open();
    for (unsigned seed = 1; seed <= jobs; seed++) {
        struct random_job job;
        struct br_store_hit hit;
        assert_true(random_job_make(seed, 24, 0, &job));
        struct br_plan *plan = store_make_plan(&job, NULL);
        store_put(store, &job, NULL, plan);
        if (seed % 50 == 0) {
            br_store_close(store);
            store = store_open();
        }
        struct br_plan *found = store_get(store, &job, NULL, &hit);
        assert_int_equal(hit.match, BR_STORE_EXACT);
        assert_true(hit.same_details && hit.same_cluster && hit.enough);
        assert_int_equal(hit.stored_ns, plan->makespan_ns);
        assert_memory_equal(found->start_ns, plan->start_ns, plan->tasks * sizeof(int64_t));
        assert_memory_equal(found->machine, plan->machine, plan->tasks * sizeof(uint32_t));
        assert_memory_equal(found->order, plan->order, plan->tasks * sizeof(uint32_t));
        assert_int_equal(found->lower_bound_ns, plan->lower_bound_ns);
        assert_string_equal(found->method, plan->method);
        assert_string_equal(found->bound_method, plan->bound_method);
        assert_int_equal(found->seed, plan->seed);
        assert_int_equal(found->placements, plan->placements);
        br_plan_destroy(found);
        br_plan_destroy(plan);
        random_job_finish(&job);
    }
    br_store_close(store);
}

/* Of a job whose durations or machines have changed comes a plan of it as it is now; and one that
 * is no longer than the stored one where nothing got worse, on however many machines. */
static void test_refit(void **state)
{
    static const uint32_t changes[][4] = {
        {200, 200, 200, 200}, {50, 100, 25, 75}, {300, 20, 100, 170}, {0, 100, 100, 0}};
    const unsigned jobs = random_jobs(400);
    unsigned several = 0, known = 0;
    struct br_store *store = store_open();
    for (unsigned seed = 1; seed <= jobs; seed++) {
        struct random_job job, other;
        struct br_store_hit hit;
        const unsigned kind = seed % 4, more = seed / 4 % 2;
        assert_true(random_job_make(seed, 60, 0, &job));
        other.dag = copy_job(job.dag, changes[kind]);
        other.cluster = copy_cluster(job.cluster, more);
        struct br_plan *found = store_get(store, &other, NULL, &hit);
        if (found) { /* small jobs are alike */
            known++;
            br_plan_destroy(found);
            random_job_finish(&job);
            random_job_finish(&other);
            continue;
        }
        struct br_plan *plan = store_make_plan(&job, NULL);
        store_put(store, &job, NULL, plan);
        found = store_get(store, &other, NULL, &hit);
        assert_non_null(found);
        assert_int_equal(hit.same_cluster, !more);
        assert_int_equal(hit.match,
                         hit.same_details && hit.same_cluster ? BR_STORE_EXACT : BR_STORE_REFITTED);
        assert_int_equal(hit.stored_ns, plan->makespan_ns);
        if (kind != 2)
            assert_true(found->makespan_ns <= plan->makespan_ns * (kind ? 1 : 2));
        several += job.cluster->machines > 1 && !hit.same_details;
        br_plan_destroy(found);
        br_plan_destroy(plan);
        random_job_finish(&job);
        random_job_finish(&other);
    }
    br_store_close(store);
    assert_true(several * 8 > jobs && known * 2 < jobs);
}

/* The length of a schedule by serial or parallel generation in the order of the stored plan. */
static int64_t generated_ns(const struct br_plan *stored, const struct random_job *job, bool serial)
{
    struct br_instance *in;
    struct br_schedule schedule = {0};
    struct br_order order = {0};
    assert_int_equal(br_instance_create(job->dag, job->cluster, &in, NULL), BR_OK);
    struct br_key *key = calloc(in->tasks, sizeof *key);
    assert_non_null(key);
    for (uint32_t t = 0; t < in->tasks; t++)
        key[t] = (struct br_key){.first = ~stored->start_ns[in->task_origin[t]],
                                 .second = -(int64_t)in->position[in->task_stage[t]],
                                 .third = in->duration[t]};
    assert_true(br_order_init(&order, in, key) && br_schedule_init(&schedule, in));
    if (serial) {
        struct br_placer *placer = br_placer_create(in);
        assert_true(br_place(placer, BR_FORWARD, schedule.subset, 'S', &order, NULL));
        br_schedule_take(&schedule, in, placer, schedule.subset);
        br_placer_destroy(placer);
    } else {
        assert_true(br_dispatch(&schedule, in, &order, BR_DISPATCH_ORDER, NULL));
    }
    int64_t length_ns = schedule.makespan * in->tick_ns;
    br_schedule_finish(&schedule);
    br_order_finish(&order);
    br_instance_destroy(in);
    free(key);
    return length_ns;
}

/* A plan that is refitted to other machines is never longer than serial or parallel generation in
 * its order. */
static void test_refit_generates(void **state)
{
    static const uint32_t changed[4] = {300, 20, 100, 170};
    unsigned refitted = 0;
    struct br_store *store = store_open();
    for (unsigned seed = 1; seed <= random_jobs(600); seed++) {
        struct random_job job, other;
        struct br_store_hit hit;
        assert_true(random_job_make(seed, 60, 0, &job));
        other.dag = copy_job(job.dag, changed);
        other.cluster = copy_cluster(job.cluster, 1 + seed % 3);
        struct br_plan *plan = store_make_plan(&job, NULL);
        store_put(store, &job, NULL, plan);
        struct br_plan *found = store_get(store, &other, NULL, &hit);
        assert_non_null(found);
        if (hit.match == BR_STORE_REFITTED && hit.stored_ns == plan->makespan_ns) {
            assert_true(found->makespan_ns <= generated_ns(plan, &other, false));
            assert_true(found->makespan_ns <= generated_ns(plan, &other, true));
            refitted++;
        }
        br_plan_destroy(found);
        br_plan_destroy(plan);
        random_job_finish(&job);
        random_job_finish(&other);
    }
    br_store_close(store);
    assert_true(refitted > 0);
}

/* A job of stages that each need the whole machine. */
static struct random_job make_line(uint64_t seed, uint32_t stages, const uint32_t percent[4])
{
    struct br_rng rng = br_rng_seed(seed);
    struct random_job job = {br_dag_create("line"), br_cluster_create(NULL)};
    for (uint32_t s = 0; s < stages; s++) {
        char id[16];
        snprintf(id, sizeof id, "s%u", s);
        const int64_t duration_ns = 100 + (int64_t)br_rng_below(&rng, 1000) * 100;
        br_dag_add_stage(job.dag, id, 1, duration_ns * percent[s % 4] / 100, NULL, NULL);
        br_dag_add_demand(job.dag, s, "cpu", "1", NULL);
        if (s && br_rng_below(&rng, 2))
            br_dag_add_edge(job.dag, (uint32_t)br_rng_below(&rng, s), s, BR_BARRIER, NULL);
    }
    assert_int_equal(br_dag_finish(job.dag, NULL), BR_OK);
    br_cluster_add_class(job.cluster, "m", 1, NULL, NULL);
    br_cluster_add_capacity(job.cluster, 0, "cpu", "1", NULL);
    return job;
}

/* Where tasks run one after another, their order is the stored one whatever they last. */
static void test_order(void **state)
{
    static const uint32_t as_it_was[4] = {100, 100, 100, 100}, changed[4] = {30, 170, 400, 90};
    struct br_store *store = store_open();
    for (uint64_t seed = 1; seed <= random_jobs(200); seed++) {
        const uint32_t stages = 2 + (uint32_t)seed % 30;
        struct random_job job = make_line(seed, stages, as_it_was);
        struct random_job other = make_line(seed, stages, changed);
        struct br_store_hit hit;
        /* By a method that does not go by what is asked here. */
        struct br_plan *plan = store_make_plan(&job, seed % 2 ? "random" : "dfs");
        store_put(store, &job, NULL, plan);
        struct br_plan *found = store_get(store, &other, NULL, &hit);
        assert_int_equal(hit.match, BR_STORE_REFITTED);
        assert_memory_equal(found->order, plan->order, stages * sizeof *plan->order);
        br_plan_destroy(found);
        br_plan_destroy(plan);
        random_job_finish(&job);
        random_job_finish(&other);
    }
    br_store_close(store);
}

/* The newest plan of the form is refitted, one for the same cluster before all others. */
static void test_choice(void **state)
{
    static const uint32_t percent[4][4] = {
        {100, 100, 100, 100}, {200, 100, 100, 100}, {300, 100, 100, 100}, {400, 100, 100, 100}};
    struct br_store *store = store_open();
    struct random_job job = make_line(3, 9, percent[3]);
    struct br_cluster *wide = copy_cluster(job.cluster, 2);
    int64_t makespan_ns[3];
    struct br_store_hit hit;
    assert_null(store_get(store, &job, NULL, &hit));
    for (uint32_t k = 0; k < 3; k++) {
        struct random_job stored = make_line(3, 9, percent[k]);
        if (k == 2) {
            br_cluster_destroy(stored.cluster);
            stored.cluster = copy_cluster(wide, 0);
        }
        struct br_plan *plan = store_make_plan(&stored, NULL);
        makespan_ns[k] = plan->makespan_ns;
        store_put(store, &stored, NULL, plan);
        br_plan_destroy(plan);
        br_plan_destroy(store_get(store, &job, NULL, &hit));
        assert_int_equal(hit.stored_ns, makespan_ns[k < 2 ? k : 1]);
        assert_true(hit.same_cluster);
        random_job_finish(&stored);
    }
    struct random_job on_wide = {job.dag, wide};
    br_plan_destroy(store_get(store, &on_wide, NULL, &hit));
    assert_int_equal(hit.stored_ns, makespan_ns[2]);
    br_cluster_destroy(wide);
    random_job_finish(&job);
    br_store_close(store);
}

/* Rows of no use, of the same cluster and of others, hide none of those before them. */
static void test_bad_rows(void **state)
{
    static const uint32_t percent[2][4] = {{100, 100, 100, 100}, {300, 100, 100, 100}};
    struct random_job stored = make_line(3, 9, percent[0]), job = make_line(3, 9, percent[1]);
    struct br_store *store = store_open();
    struct br_store_file *file;
    struct br_store_hit hit;
    struct br_plan *plan = store_make_plan(&stored, NULL);
    store_put(store, &stored, NULL, plan);
    assert_int_equal(br_store_file_open(database_path, &file, NULL), BR_OK);
    for (uint64_t k = 0; k < 4; k++) {
        bool written;
        const struct br_store_row bad = {
            .keys = {br_dag_fingerprint(stored.dag, false), 77 + k,
                     k < 2 ? br_cluster_fingerprint(stored.cluster) : k},
            .job = "j",
            .method = "m",
            .bound_method = "b",
            .cells = (const unsigned char *)"cells",
            .cells_size = 5};
        assert_int_equal(br_store_file_put(file, &bad, &written, NULL), BR_OK);
        assert_true(written);
        struct br_plan *found = store_get(store, &job, NULL, &hit);
        assert_non_null(found);
        assert_int_equal(hit.match, BR_STORE_REFITTED);
        assert_int_equal(hit.stored_ns, plan->makespan_ns);
        br_plan_destroy(found);
        struct br_cluster *wide = copy_cluster(job.cluster, 2);
        const struct random_job on_wide = {job.dag, wide};
        found = store_get(store, &on_wide, NULL, &hit);
        assert_non_null(found);
        assert_false(hit.same_cluster);
        br_plan_destroy(found);
        br_cluster_destroy(wide);
    }
    br_store_file_close(file);
    br_store_close(store);
    br_plan_destroy(plan);
    random_job_finish(&stored);
    random_job_finish(&job);
}

/* A longer plan of the same job never replaces a shorter one; its effort is remembered all the
 * same. */
static void test_worse(void **state)
{
    unsigned different = 0;
    struct br_store *store = store_open();
    struct br_plan_options options = br_plan_options_default();
    for (unsigned seed = 1; seed <= random_jobs(200); seed++) {
        struct random_job job;
        struct br_store_hit hit;
        assert_true(random_job_make(seed, 40, 0, &job));
        struct br_plan *good = store_make_plan(&job, NULL), *bad = store_make_plan(&job, "random");
        different += bad->makespan_ns > good->makespan_ns;
        store_put(store, &job, NULL, seed % 2 ? good : bad);
        struct br_plan *found = store_get(store, &job, &options, &hit);
        assert_int_equal(hit.enough, found->makespan_ns == found->lower_bound_ns);
        br_plan_destroy(found);
        store_put(store, &job, &options, seed % 2 ? bad : good);
        found = store_get(store, &job, &options, &hit);
        assert_int_equal(hit.stored_ns, good->makespan_ns);
        assert_int_equal(found->makespan_ns, good->makespan_ns);
        assert_int_equal(found->lower_bound_ns, good->lower_bound_ns);
        assert_true(hit.enough);
        br_plan_destroy(found);
        br_plan_destroy(good);
        br_plan_destroy(bad);
        random_job_finish(&job);
    }
    assert_true(different > 0);
    uint64_t plans;
    assert_int_equal(br_store_count(store, &plans, NULL), BR_OK);
    assert_true(plans <= random_jobs(200));
    br_store_close(store);
}

/* Fast, default and max with ever longer limits: each is enough for itself and for less. */
static void test_effort(void **state)
{
    enum { EFFORTS = 6 };
    struct br_plan_options options[EFFORTS];
    struct random_job job = store_open_job();
    struct br_plan *plan = store_make_plan(&job, NULL);
    for (int k = 0; k < EFFORTS; k++)
        options[k] = br_plan_options_default();
    options[0].effort = BR_EFFORT_FAST;
    for (int k = 2; k < EFFORTS; k++)
        options[k].effort = BR_EFFORT_MAX;
    options[2].placements = 1000;
    options[3].time_limit_ns = 1000000;
    options[4].time_limit_ns = 2000000;
    struct br_plan_options other = options[5];
    other.method = "graphene";
    for (int made = 0; made < EFFORTS; made++) {
        struct br_store_hit hit;
        database_remove(NULL);
        struct br_store *store = store_open();
        store_put(store, &job, &other, plan); /* counts as fast */
        br_plan_destroy(store_get(store, &job, &options[1], &hit));
        assert_false(hit.enough);
        store_put(store, &job, &options[made], plan);
        store_put(store, &job, NULL, plan); /* takes nothing away */
        for (int asked = 0; asked < EFFORTS; asked++) {
            br_plan_destroy(store_get(store, &job, &options[asked], &hit));
            assert_int_equal(hit.enough, asked <= made);
        }
        br_store_close(store);
    }
    /* Of both limits the placements may be few, whatever the time. And a time limit alone means
     * max. */
    database_remove(NULL);
    struct br_store *store = store_open();
    struct br_store_hit hit;
    struct br_plan_options both = options[4], timed = br_plan_options_default();
    both.placements = 1000;
    timed.time_limit_ns = options[3].time_limit_ns;
    store_put(store, &job, &both, plan);
    br_plan_destroy(store_get(store, &job, &both, &hit));
    assert_true(hit.enough);
    br_plan_destroy(store_get(store, &job, &options[2], &hit));
    assert_true(hit.enough);
    br_plan_destroy(store_get(store, &job, &timed, &hit));
    assert_false(hit.enough);
    store_put(store, &job, &timed, plan);
    br_plan_destroy(store_get(store, &job, &options[3], &hit));
    assert_true(hit.enough);
    br_plan_destroy(store_get(store, &job, &options[4], &hit));
    assert_false(hit.enough);
    br_store_close(store);
    /* What a stop or a limit cut short counts as fast. */
    database_remove(NULL);
    store = store_open();
    struct br_stop stop = {0};
    br_stop_raise(&stop);
    options[5].stop = &stop;
    store_put(store, &job, &options[5], plan);
    plan->note = "the time limit ended the search";
    store_put(store, &job, &options[1], plan);
    br_plan_destroy(store_get(store, &job, &options[1], &hit));
    assert_false(hit.enough);
    br_store_close(store);
    br_plan_destroy(plan);
    random_job_finish(&job);
}

/* Planning with a store: first a plan, then the same without a search, then with changed durations
 * the shorter of the refitted and a fresh one, which is stored. */
static void test_plan(void **state)
{
    static const uint32_t changed[4] = {90, 110, 100, 140};
    struct br_plan_options options = br_plan_options_default();
    options.placements = 2000;
    options.threads = 1;
    struct br_store *store = store_open();
    unsigned kept = 0, fresher = 0;
    for (unsigned seed = 1; seed <= random_jobs(100); seed++) {
        struct random_job job, other;
        struct br_store_hit hit;
        struct br_plan *plan, *again;
        assert_true(random_job_make(seed, 30, 0, &job));
        other = (struct random_job){copy_job(job.dag, changed), copy_cluster(job.cluster, 0)};
        assert_int_equal(br_store_plan(store, job.dag, job.cluster, &options, &plan, &hit, NULL),
                         BR_OK);
        assert_int_equal(hit.fresh_ns >= plan->makespan_ns, 1);
        assert_int_equal(br_store_plan(store, job.dag, job.cluster, &options, &again, &hit, NULL),
                         BR_OK);
        assert_int_equal(hit.match, BR_STORE_EXACT);
        assert_int_equal(hit.fresh_ns == 0, hit.enough);
        assert_true(again->makespan_ns <= plan->makespan_ns);
        br_plan_destroy(again);
        br_plan_destroy(plan);
        assert_int_equal(
            br_store_plan(store, other.dag, other.cluster, &options, &plan, &hit, NULL), BR_OK);
        if (hit.match == BR_STORE_REFITTED) {
            assert_true(hit.found_ns > 0 && hit.fresh_ns > 0);
            assert_int_equal(plan->makespan_ns,
                             hit.found_ns < hit.fresh_ns ? hit.found_ns : hit.fresh_ns);
            kept += hit.found_ns <= hit.fresh_ns;
            fresher += hit.found_ns > hit.fresh_ns;
            struct br_plan *stored = store_get(store, &other, NULL, &hit);
            assert_int_equal(hit.match, BR_STORE_EXACT);
            assert_memory_equal(stored->start_ns, plan->start_ns, plan->tasks * sizeof(int64_t));
            br_plan_destroy(stored);
        }
        br_plan_destroy(plan);
        random_job_finish(&job);
        random_job_finish(&other);
    }
    assert_true(kept > 0 && fresher > 0);
    br_store_close(store);
}

/* A shorter plan that is made beside the stored one does not lose the bound that was proven before,
 * neither in the answer nor in the file. */
static void test_bound_stays(void **state)
{
    struct br_plan_options most = br_plan_options_default(), little = most;
    most.threads = little.threads = 1;
    little.placements = 1;
    struct br_store *store = store_open();
    unsigned weaker = 0;
    for (uint64_t seed = 1; seed <= random_jobs(100); seed++) {
        struct random_job job;
        struct br_store_hit hit;
        struct br_plan *strong, *alone, *plan;
        assert_true(random_job_make(seed, 40, 0, &job));
        assert_int_equal(br_plan_make(job.dag, job.cluster, &most, &strong, NULL), BR_OK);
        assert_int_equal(br_plan_make(job.dag, job.cluster, &little, &alone, NULL), BR_OK);
        struct br_plan *poor = store_make_plan(&job, "random");
        const int64_t bound_ns = strong->lower_bound_ns;
        struct br_certificate *certificate = strong->certificate;
        strong->certificate = NULL;
        assert_int_equal(br_plan_prove(poor, certificate, strong->bound_method, NULL), BR_OK);
        store_put(store, &job, NULL, poor);
        assert_int_equal(br_store_plan(store, job.dag, job.cluster, &little, &plan, &hit, NULL),
                         BR_OK);
        assert_true(plan->lower_bound_ns >= bound_ns);
        weaker +=
            hit.fresh_ns > 0 && hit.fresh_ns < hit.found_ns && alone->lower_bound_ns < bound_ns;
        br_plan_destroy(plan);
        plan = store_get(store, &job, NULL, &hit);
        assert_true(plan->lower_bound_ns >= bound_ns);
        br_plan_destroy(plan);
        br_plan_destroy(poor);
        br_plan_destroy(alone);
        br_plan_destroy(strong);
        random_job_finish(&job);
    }
    assert_true(weaker > 0);
    br_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_exact),       STORE_TEST(test_refit),  STORE_TEST(test_refit_generates),
        STORE_TEST(test_order),       STORE_TEST(test_choice), STORE_TEST(test_bad_rows),
        STORE_TEST(test_worse),       STORE_TEST(test_effort), STORE_TEST(test_plan),
        STORE_TEST(test_bound_stays),
    };
    return br_store_is_there() ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
