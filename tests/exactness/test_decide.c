/* The enforcer against a slow model of it (decide_model.h): every decision, in its order, on random
 * jobs, machines, groups and options; and on jobs of many tasks of which few are alike. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/rng.h"
#include "runtime/enforcer/model.h"
#include "tests/exactness/decide_model.h"
#include "tests/support/random_job.h"

enum { RUNS = 3000, RUNS_DIFFERENT = 250, SMALL = 26 };

/* ---- Jobs of which few tasks are alike ---- */

/* Without edges, the plan may have any order, also one that its times do not follow. */
static bool shuffled(uint64_t seed)
{
    return seed / 100 % 5 == 0;
}

static void shuffle(struct br_plan *plan, struct br_rng *rng)
{
    for (uint32_t k = plan->tasks; k > 1; k--) {
        uint32_t other = (uint32_t)br_rng_below(rng, k), task = plan->order[other];
        plan->order[other] = plan->order[k - 1];
        plan->order[k - 1] = task;
    }
    for (uint32_t k = 0; k < plan->tasks; k++)
        plan->rank[plan->order[k]] = k + 1;
}

static void draw_different(uint64_t seed, struct random_job *job)
{
    struct br_rng rng = br_rng_seed(seed);
    static const char *const amounts[][2] = {{"cpu", "8000"}, {"mem", "4000"}, {"net", "100"}};
    enum { USED = sizeof amounts / sizeof *amounts };
    uint32_t cls, tasks = TASKS / 2 + (uint32_t)br_rng_below(&rng, TASKS / 2);
    job->cluster = br_cluster_create(NULL);
    job->dag = br_dag_create("different");
    assert_int_equal(
        br_cluster_add_class(job->cluster, "m", 1 + (uint32_t)br_rng_below(&rng, 3), &cls, NULL),
        BR_OK);
    for (uint32_t r = 0; r < USED; r++)
        assert_int_equal(
            br_cluster_add_capacity(job->cluster, cls, amounts[r][0], amounts[r][1], NULL), BR_OK);
    assert_int_equal(br_cluster_set_fungible(job->cluster, "net", NULL), BR_OK);
    for (uint32_t t = 0; t < tasks; t++) {
        char id[16], amount[16];
        uint32_t stage;
        /* Every fourth demands what the one before it does. */
        struct br_rng demands = br_rng_seed(seed * 1000 + (t % 4 == 3 ? t - 1 : t));
        snprintf(id, sizeof id, "t%u", t);
        assert_int_equal(
            br_dag_add_stage(job->dag, id, 1, (int64_t)br_rng_below(&rng, 1000000), &stage, NULL),
            BR_OK);
        for (uint32_t r = 0; r < USED; r++) {
            uint64_t most = strtoull(amounts[r][1], NULL, 10) / (1 + br_rng_below(&demands, 9));
            snprintf(amount, sizeof amount, "%u", (unsigned)br_rng_below(&demands, most + 1));
            if (r < 2 || br_rng_below(&demands, 2))
                assert_int_equal(br_dag_add_demand(job->dag, stage, amounts[r][0], amount, NULL),
                                 BR_OK);
        }
        if (t && !shuffled(seed) && br_rng_below(&rng, 3) == 0)
            assert_int_equal(
                br_dag_add_edge(job->dag, (uint32_t)br_rng_below(&rng, t), stage, BR_BARRIER, NULL),
                BR_OK);
    }
    assert_int_equal(br_dag_finish(job->dag, NULL), BR_OK);
}

/* ---- The two side by side ---- */

struct tally {
    uint32_t decisions, remote, guarded, several, groups;
};

static void run(uint64_t seed, bool different, struct tally *tally)
{
    struct random_job job[JOBS];
    struct br_plan *plan[JOBS] = {NULL};
    struct br_runtime *runtime;
    struct br_rng rng = br_rng_seed(seed);
    static const char *const methods[] = {"cp", "bfs", "random"};
    struct model m = {.options = br_runtime_options_default(), .groups = 1, .weight = {1}};
    uint32_t jobs = 0,
             wanted = different ? 1 + (seed % 4 == 0) : 1 + (uint32_t)br_rng_below(&rng, 3);
    for (uint64_t k = 0; k < 10 && jobs < wanted; k++) {
        struct br_plan_options fast = br_plan_options_default();
        fast.method = methods[br_rng_below(&rng, 3)];
        fast.threads = 1;
        if (different)
            draw_different(seed * 100 + k, &job[jobs]);
        else
            assert_true(random_job_make(seed * 100 + k, SMALL, 0, &job[jobs]));
        if (br_plan_make(job[jobs].dag, job[0].cluster, &fast, &plan[jobs], NULL))
            random_job_finish(&job[jobs]);
        else if (different && shuffled(seed * 100 + k))
            shuffle(plan[jobs++], &rng);
        else
            jobs++;
    }
    m.options.policy = br_policy_name((uint32_t)br_rng_below(&rng, 5) % 3);
    m.options.fairness = br_rng_below(&rng, 2) ? BR_FAIR_SLOTS : BR_FAIR_DOMINANT;
    m.options.bundle = 1 + (uint32_t)br_rng_below(&rng, 6);
    m.options.remote_penalty = (double)br_rng_below(&rng, 5) / 4;
    m.options.eta_factor = 0.75 * (double)br_rng_below(&rng, 5);
    m.options.kappa = 0.02 * (double)(1 + br_rng_below(&rng, 20));
    m.options.keep_plan = br_rng_below(&rng, 2);
    model_take_cluster(&m, job[0].cluster);
    assert_int_equal(br_runtime_create(job[0].cluster, &m.options, &runtime, NULL), BR_OK);
    for (; m.groups < 1 + jobs % GROUPS; m.groups++) {
        uint32_t number;
        m.weight[m.groups] = (double)(1 + br_rng_below(&rng, 3));
        assert_int_equal(br_runtime_add_group(runtime, "g", m.weight[m.groups], &number, NULL),
                         BR_OK);
        assert_int_equal(number, m.groups);
    }
    for (uint32_t r = 0; r < m.resources; r++)
        if (strcmp(m.name[r], "net") == 0 && br_rng_below(&rng, 2)) {
            assert_int_equal(br_runtime_overbook(runtime, "net", 150, NULL), BR_OK);
            for (uint32_t i = 0; i < m.cluster->machines; i++)
                m.extra[i][r] = m.capacity[i][r] / 100 * 50;
        }
    for (uint32_t j = 0; j < jobs; j++) {
        uint32_t number, group = (uint32_t)br_rng_below(&rng, m.groups);
        const struct br_plan *with = br_rng_below(&rng, 4) ? plan[j] : NULL;
        assert_int_equal(
            br_runtime_submit(runtime, job[j].dag, with, group, BR_READY_BY_EDGES, &number, NULL),
            BR_OK);
        assert_int_equal(number, j);
        model_take_job(&m, j, job[j].dag, with, group);
        tally->guarded += jobs == 1 && with && m.options.keep_plan;
    }
    tally->several += jobs > 1;
    tally->groups += m.groups > 1;
    int64_t clock_ns = 0;
    for (;;) {
        struct br_decision got[MOST], want[MOST];
        uint32_t room = 1 + (uint32_t)br_rng_below(&rng, MOST), made;
        m.now_ns = clock_ns;
        do {
            /* A machine that the plan keeps free is looked at again at every call: what starts
             * elsewhere may end the reason, which alone does not make it worth a look. */
            if (different)
                runtime->epoch++;
            made = br_runtime_decide(runtime, BR_ANY, m.now_ns, got, room);
            assert_int_equal(made, model_decide(&m, want, room));
            for (uint32_t d = 0; d < made; d++) {
                assert_int_equal(got[d].machine, want[d].machine);
                assert_int_equal(got[d].job, want[d].job);
                assert_int_equal(got[d].task, want[d].task);
                const struct br_plan *kept = m.job[got[d].job].plan;
                tally->remote += kept && kept->machine[got[d].task] != got[d].machine;
            }
            tally->decisions += made;
            for (uint32_t g = 0; g < m.groups; g++)
                assert_true(br_runtime_deficit(runtime, g) == m.deficit[g]);
        } while (made == room);
        /* The one of those that run which ends first, mostly: some last longer than planned. */
        uint32_t which_job = BR_ANY, which = 0;
        int64_t first_ns = INT64_MAX;
        for (uint32_t j = 0; j < jobs; j++)
            for (uint32_t t = 0; t < m.job[j].tasks; t++) {
                if (m.job[j].state[t] != RUNNING)
                    continue;
                int64_t end_ns = m.job[j].began_ns + m.job[j].started_ns[t] +
                                 m.job[j].dag->duration_ns[t] * (int64_t)(1 + (seed + t) % 7 / 6);
                if (end_ns < first_ns) {
                    first_ns = end_ns;
                    which_job = j;
                    which = t;
                }
            }
        if (which_job == BR_ANY)
            break;
        clock_ns = first_ns > clock_ns ? first_ns : clock_ns;
        uint64_t luck = br_rng_below(&rng, 40);
        if (luck < 3) {
            assert_int_equal(br_runtime_failed(runtime, which_job, which, luck > 0, NULL), BR_OK);
            model_finish(&m, which_job, which, luck > 0 ? READY : LOST);
        } else {
            assert_int_equal(br_runtime_finished(runtime, which_job, which, NULL), BR_OK);
            model_finish(&m, which_job, which, DONE);
        }
    }
    for (uint32_t j = 0; j < jobs; j++) {
        br_plan_destroy(plan[j]);
        random_job_finish(&job[j]);
    }
    br_runtime_destroy(runtime);
}

static void test_decisions(void **state)
{
    struct tally tally = {0};
    unsigned runs = random_jobs(RUNS);
    for (uint64_t seed = 1; seed <= runs; seed++)
        run(seed, false, &tally);
    /* The cases that the runs are for have come up often. */
    assert_true(tally.decisions > 12 * runs);
    assert_true(tally.remote > runs / 2);
    assert_true(tally.guarded > runs / 12);
    assert_true(tally.several > runs / 3);
    assert_true(tally.groups > runs / 5);
}

static void test_different(void **state)
{
    struct tally tally = {0};
    unsigned runs = random_jobs(RUNS_DIFFERENT);
    for (uint64_t seed = 1; seed <= runs; seed++)
        run(seed, true, &tally);
    assert_true(tally.decisions > TASKS / 2 * runs);
    assert_true(tally.remote > runs);
    assert_true(tally.guarded > runs / 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_different),
        cmocka_unit_test(test_decisions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
