/* What a decision looks at, counted, as the number of different tasks grows sixteenfold: subtrees
 * of offers, planned tasks and spans of the outlook. All tasks have demands and durations of their
 * own and are ready at once, so that a search that went through what is ready would look at sixteen
 * times as much. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include <bigrocks/bigrocks.h>

#include "base/numbers/rng.h"
#include "planner/model/dag.h"
#include "runtime/enforcer/model.h"

enum { FEW = 500, MANY = 16 * FEW, MACHINES = 4, ROOM = 8, RUNNING = 256 };

/* Of different tasks about the cube root of them may be looked at (include/bigrocks/runtime.h),
 * which is 2.5 here; linear growth is 16. */
static const double most_growth = 2.6;

enum mode { NO_PLAN, LOOSE_PLAN, KEPT_PLAN };

static struct br_cluster *make_cluster(void)
{
    struct br_cluster *cluster = br_cluster_create(NULL);
    uint32_t cls;
    assert_int_equal(br_cluster_add_class(cluster, "node", MACHINES, &cls, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, cls, "cpu", "8000", NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, cls, "mem", "16000000", NULL), BR_OK);
    return cluster;
}

static struct br_dag *make_dag(uint32_t tasks, uint64_t seed)
{
    struct br_dag *dag = br_dag_create("different");
    struct br_rng rng = br_rng_seed(seed);
    for (uint32_t t = 0; t < tasks; t++) {
        char id[16], cpu[16], mem[16];
        uint32_t stage;
        snprintf(id, sizeof id, "t%u", t);
        snprintf(cpu, sizeof cpu, "%u", 1000 * (1 + (unsigned)br_rng_below(&rng, 4)));
        snprintf(mem, sizeof mem, "%u", 1 + (unsigned)br_rng_below(&rng, 4000000));
        assert_int_equal(br_dag_add_stage(dag, id, 1,
                                          1000000 * (1 + (int64_t)br_rng_below(&rng, 5000)), &stage,
                                          NULL),
                         BR_OK);
        assert_int_equal(br_dag_add_demand(dag, stage, "cpu", cpu, NULL), BR_OK);
        assert_int_equal(br_dag_add_demand(dag, stage, "mem", mem, NULL), BR_OK);
    }
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    return dag;
}

struct run {
    struct br_runtime *runtime;
    const struct br_dag *dag;
    struct br_decision running[RUNNING];
    int64_t end_ns[RUNNING], now_ns;
    uint32_t runs;
    uint64_t decisions;
    bool early; /* tasks last shorter than planned */
    struct br_rng rng;
};

static void start(struct run *r)
{
    struct br_decision made[ROOM];
    uint32_t count;
    do {
        count = br_runtime_decide(r->runtime, BR_ANY, r->now_ns, made, ROOM);
        for (uint32_t k = 0; k < count; k++) {
            int64_t lasts_ns = r->dag->duration_ns[made[k].task];
            assert_true(r->runs < RUNNING);
            if (r->early)
                lasts_ns = lasts_ns / 100 * (40 + (int64_t)br_rng_below(&r->rng, 61));
            r->end_ns[r->runs] = r->now_ns + lasts_ns;
            r->running[r->runs++] = made[k];
        }
        r->decisions += count;
    } while (count == ROOM);
}

/* The task that ends first ends. */
static void end(struct run *r)
{
    uint32_t first = 0;
    for (uint32_t k = 1; k < r->runs; k++)
        if (r->end_ns[k] < r->end_ns[first])
            first = k;
    r->now_ns = r->end_ns[first];
    assert_int_equal(
        br_runtime_finished(r->runtime, r->running[first].job, r->running[first].task, NULL),
        BR_OK);
    r->running[first] = r->running[--r->runs];
    r->end_ns[first] = r->end_ns[r->runs];
}

static uint64_t looked(const struct br_runtime *runtime)
{
    return runtime->offers.looked + runtime->outlook.looked;
}

/* What a decision looks at on average while the whole job runs. */
static double measure(uint32_t tasks, enum mode mode, bool early)
{
    struct br_cluster *cluster = make_cluster();
    struct br_dag *dag = make_dag(tasks, 1);
    struct br_runtime_options options = br_runtime_options_default();
    struct br_plan_options fast = br_plan_options_default();
    struct br_plan *plan;
    struct run r = {.dag = dag, .early = early, .rng = br_rng_seed(2)};
    uint32_t job;
    options.keep_plan = mode == KEPT_PLAN;
    fast.method = "cp";
    fast.threads = 1;
    assert_int_equal(br_plan_make(dag, cluster, &fast, &plan, NULL), BR_OK);
    assert_int_equal(br_runtime_create(cluster, &options, &r.runtime, NULL), BR_OK);
    assert_int_equal(br_runtime_submit(r.runtime, dag, mode == NO_PLAN ? NULL : plan, 0,
                                       BR_READY_BY_EDGES, &job, NULL),
                     BR_OK);
    for (start(&r); r.runs; start(&r))
        end(&r);
    assert_int_equal(r.decisions, tasks);
    double average = (double)looked(r.runtime) / tasks;
    br_runtime_destroy(r.runtime);
    br_plan_destroy(plan);
    br_dag_destroy(dag);
    br_cluster_destroy(cluster);
    return average;
}

static void test_growth(void **state)
{
    for (enum mode mode = NO_PLAN; mode <= KEPT_PLAN; mode++)
        for (int early = 0; early < 2; early++) {
            double few = measure(FEW, mode, early), many = measure(MANY, mode, early);
            print_message("mode %d, early %d: %.1f of %d tasks, %.1f of %d\n", (int)mode, early,
                          few, FEW, many, MANY);
            assert_true(many < most_growth * few);
            assert_true(many < MANY / 20.0);
        }
}

/* Of a job that is alone the bounds of work left lag by up to half; they are near again as soon as
 * another comes and work left counts, or else a search would take the job for one that is short. */
static void test_company(void **state)
{
    struct br_cluster *cluster = make_cluster();
    struct br_dag *dag = make_dag(FEW, 1), *other = make_dag(1, 2);
    struct run r = {.dag = dag, .rng = br_rng_seed(2)};
    uint32_t job;
    assert_int_equal(br_runtime_create(cluster, NULL, &r.runtime, NULL), BR_OK);
    assert_int_equal(br_runtime_submit(r.runtime, dag, NULL, 0, BR_READY_BY_EDGES, &job, NULL),
                     BR_OK);
    const struct br_job *first = r.runtime->job[job];
    const struct br_posted_set *kinds = &first->posted.set[BR_POSTED_KINDS];
    for (start(&r); r.decisions < FEW / 10; start(&r)) {
        assert_true(kinds->remaining <= first->remaining);
        end(&r);
    }
    assert_true(kinds->remaining < 0.75 * first->remaining);
    assert_int_equal(br_runtime_submit(r.runtime, other, NULL, 0, BR_READY_BY_EDGES, &job, NULL),
                     BR_OK);
    assert_true(kinds->remaining > 0.9 * first->remaining);
    assert_true(kinds->remaining <= first->remaining);
    br_runtime_destroy(r.runtime);
    br_dag_destroy(dag);
    br_dag_destroy(other);
    br_cluster_destroy(cluster);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_company),
        cmocka_unit_test(test_growth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
