/* Decisions over many jobs, groups and machines: those of the trees
 * (runtime/enforcer/jobs/offers.c, vacancy.c) are, one by one, those of going through everything.
 * Two enforcers get the same events, drawn by a seed; one decides by br_runtime_decide, the other
 * by tests/support/plain_enforcer.c. Jobs are often copies of one another, so that ties decide;
 * they come and go, tasks fail, are withdrawn or started by somebody else, machines report, and
 * jobs get limits and lose them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/rng.h"
#include "planner/instance/plan.h"
#include "runtime/enforcer/decide.h"
#include "runtime/enforcer/model.h"
#include "tests/support/plain_enforcer.h"
#include "tests/support/random_job.h"

enum { JOBS = 120, KINDS = 12, GROUPS = 6, RESOURCES = 4, CLASSES = 3, MACHINES = 48, MOST = 64 };
static const char *const resources[RESOURCES] = {"cpu", "mem", "net", "disk"};

struct game {
    struct br_rng rng;
    struct br_runtime *fast, *plain;
    uint32_t machines, groups, jobs;
    bool small_tasks;
    struct br_dag *dag[KINDS];
    bool here[JOBS], by_event[JOBS];
    uint32_t decisions, kept, failed, planned, barred, lost;
};

static uint32_t below(struct game *g, uint32_t n)
{
    return (uint32_t)br_rng_below(&g->rng, n);
}

/* ---- What is drawn ---- */

static struct br_cluster *draw_cluster(struct game *g)
{
    struct br_cluster *cluster = br_cluster_create(NULL);
    uint32_t classes = 1 + below(g, CLASSES), most = 1 + below(g, MACHINES / classes), cls;
    for (uint32_t c = 0; c < classes; c++) {
        char name[8], amount[8];
        snprintf(name, sizeof name, "c%u", c);
        assert_int_equal(br_cluster_add_class(cluster, name, 1 + below(g, most), &cls, NULL),
                         BR_OK);
        for (uint32_t r = 0; r < RESOURCES; r++) {
            snprintf(amount, sizeof amount, "%u", c ? 4 + below(g, 8) : 8);
            assert_int_equal(br_cluster_add_capacity(cluster, cls, resources[r], amount, NULL),
                             BR_OK);
        }
    }
    assert_int_equal(br_cluster_set_fungible(cluster, "net", NULL), BR_OK);
    g->machines = cluster->machines;
    return cluster;
}

static struct br_dag *draw_dag(struct game *g)
{
    struct br_dag *dag = br_dag_create("many");
    uint32_t stages = 1 + below(g, 6), each = g->machines < 3 ? 1 + below(g, 120) : 1 + below(g, 9);
    for (uint32_t s = 0; s < stages; s++) {
        char id[8], amount[8];
        uint32_t stage;
        snprintf(id, sizeof id, "s%u", s);
        assert_int_equal(br_dag_add_stage(dag, id, below(g, 2) ? each : 1 + below(g, each),
                                          below(g, 20) ? (int64_t)below(g, 4) * 1000000000 : 7,
                                          &stage, NULL),
                         BR_OK);
        for (uint32_t p = 0; p < s; p++)
            if (below(g, 3) == 0)
                assert_int_equal(
                    br_dag_add_edge(dag, p, s,
                                    dag->stage[p].tasks == dag->stage[s].tasks && below(g, 2)
                                        ? BR_ONE_TO_ONE
                                        : BR_BARRIER,
                                    NULL),
                    BR_OK);
        for (uint32_t r = 0; r < RESOURCES; r++) {
            snprintf(amount, sizeof amount, "%u", below(g, g->small_tasks ? 4 : 9));
            if (below(g, 4))
                assert_int_equal(br_dag_add_demand(dag, stage, resources[r], amount, NULL), BR_OK);
        }
    }
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    return dag;
}

static void create(struct game *g, uint64_t seed)
{
    static const double kappas[] = {0.1, 0.02, 0.5, 0.005}, penalties[] = {0.8, 0, 1, 0.5};
    struct br_runtime_options options = br_runtime_options_default();
    g->rng = br_rng_seed(seed);
    struct br_cluster *cluster = draw_cluster(g);
    options.policy = br_policy_name((uint32_t)seed % 3);
    options.keep_plan = false;
    options.kappa = kappas[below(g, 4)];
    options.remote_penalty = penalties[below(g, 4)];
    options.eta_factor = 1.5 * below(g, 4);
    options.bundle = 1 + below(g, 10);
    options.fairness = below(g, 2) ? BR_FAIR_SLOTS : BR_FAIR_DOMINANT;
    g->small_tasks = below(g, 2);
    g->groups = 1 + below(g, GROUPS);
    g->jobs = seed % 2 ? JOBS : 1 + below(g, 12);
    assert_int_equal(br_runtime_create(cluster, &options, &g->fast, NULL), BR_OK);
    assert_int_equal(br_runtime_create(cluster, &options, &g->plain, NULL), BR_OK);
    for (uint32_t k = 1, number; k < g->groups; k++) {
        double weight = 1 + below(g, 3);
        assert_int_equal(br_runtime_add_group(g->fast, "g", weight, &number, NULL), BR_OK);
        assert_int_equal(br_runtime_add_group(g->plain, "g", weight, &number, NULL), BR_OK);
    }
    if (below(g, 2)) {
        assert_int_equal(br_runtime_overbook(g->fast, "net", 150, NULL), BR_OK);
        assert_int_equal(br_runtime_overbook(g->plain, "net", 150, NULL), BR_OK);
    }
    for (uint32_t k = 0; k < KINDS; k++)
        g->dag[k] = draw_dag(g);
    br_cluster_destroy(cluster);
}

/* ---- Events, told to both ---- */

static void submit(struct game *g)
{
    const struct br_dag *dag = g->dag[below(g, KINDS)];
    uint32_t order[6 * 120], machine[6 * 120], first, second, group = below(g, g->groups);
    int64_t start_ns[6 * 120];
    uint32_t spread = 1 + below(g, g->machines);
    enum br_readiness how = below(g, 6) ? BR_READY_BY_EDGES : BR_READY_BY_EVENT;
    for (uint32_t t = 0; t < dag->tasks; t++) {
        order[t] = t;
        machine[t] = below(g, spread);
        start_ns[t] = t;
    }
    const struct br_plan plan = {
        .tasks = dag->tasks, .order = order, .machine = machine, .start_ns = start_ns};
    bool planned = below(g, 2);
    enum br_status status =
        br_runtime_take(g->fast, dag, planned ? &plan : NULL, group, how, &first, NULL);
    assert_int_equal(
        br_runtime_take(g->plain, dag, planned ? &plan : NULL, group, how, &second, NULL), status);
    if (status)
        return; /* no machine holds it */
    assert_int_equal(first, second);
    for (uint32_t j = 0; j < first; j++)
        assert_true(g->here[j]); /* the least number that is free */
    assert_true(first < JOBS && !g->here[first]);
    g->here[first] = true;
    g->by_event[first] = how == BR_READY_BY_EVENT;
    g->planned += planned;
}

static void happen(enum br_status fast, enum br_status plain)
{
    assert_int_equal(fast, BR_OK);
    assert_int_equal(plain, BR_OK);
}

static void report(struct game *g)
{
    uint32_t m = below(g, g->machines), r = below(g, RESOURCES);
    char amount[8];
    snprintf(amount, sizeof amount, "%u", below(g, 12));
    happen(br_runtime_report(g->fast, m, resources[r], amount, NULL),
           br_runtime_report(g->plain, m, resources[r], amount, NULL));
}

/* Half of those that end tell how long they took. */
static void finish(struct game *g, uint32_t j, uint32_t t)
{
    happen(br_runtime_finished(g->fast, j, t, NULL), br_runtime_finished(g->plain, j, t, NULL));
    if (below(g, 2)) {
        int64_t ns = g->fast->job[j]->form->duration_ns[t] * below(g, 20) / 4;
        happen(br_runtime_lasted(g->fast, j, t, ns, NULL),
               br_runtime_lasted(g->plain, j, t, ns, NULL));
    }
}

static void change_task(struct game *g, uint32_t j, uint32_t t)
{
    uint32_t luck = below(g, 20), m = below(g, g->machines);
    bool again = luck > 0;
    switch (g->fast->job[j]->task_state[t]) {
    case BR_TASK_RUNNING:
        g->failed += luck < 3;
        if (luck < 3)
            happen(br_runtime_failed(g->fast, j, t, again, NULL),
                   br_runtime_failed(g->plain, j, t, again, NULL));
        else
            finish(g, j, t);
        break;
    case BR_TASK_READY:
        if (luck == 0 && g->machines > 8) /* amounts of one machine alone have little room above */
            happen(br_runtime_started(g->fast, j, t, m, NULL),
                   br_runtime_started(g->plain, j, t, m, NULL));
        else if (luck == 1)
            finish(g, j, t);
        else if (luck < 6 && g->by_event[j])
            happen(br_runtime_withdrawn(g->fast, j, t, NULL),
                   br_runtime_withdrawn(g->plain, j, t, NULL));
        break;
    case BR_TASK_WAITING:
        if (g->by_event[j])
            happen(br_runtime_ready(g->fast, j, t, NULL), br_runtime_ready(g->plain, j, t, NULL));
        break;
    case BR_TASK_FINISHED:
        g->lost += luck < 1 && !g->by_event[j];
        if (luck < 1 && !g->by_event[j])
            happen(br_runtime_lost(g->fast, j, t, NULL), br_runtime_lost(g->plain, j, t, NULL));
        break;
    default:
        break;
    }
}

static void something_happens(struct game *g)
{
    uint32_t j = below(g, g->jobs), what = below(g, 200);
    if (what == 0) {
        report(g);
    } else if (!g->here[j]) {
        if (g->fast->jobs < g->jobs || g->fast->taken < g->jobs)
            submit(g);
    } else if (what < 7) {
        uint32_t most = below(g, 3) ? 1 + below(g, 6) : BR_ANY;
        happen(br_runtime_limit(g->fast, j, most, NULL), br_runtime_limit(g->plain, j, most, NULL));
    } else if (what < 14) {
        uint32_t percent = below(g, 4) ? below(g, 60) : BR_ANY;
        happen(br_runtime_cap(g->fast, j, percent, NULL),
               br_runtime_cap(g->plain, j, percent, NULL));
    } else if (what < 16) {
        happen(br_runtime_retire(g->fast, j, NULL), br_runtime_retire(g->plain, j, NULL));
        g->here[j] = false;
    } else {
        change_task(g, j, below(g, g->fast->job[j]->form->tasks));
    }
}

static void decide(struct game *g)
{
    struct br_decision got[MOST], want[MOST];
    uint32_t room = below(g, 3) ? MOST : 1 + below(g, 5), made;
    uint32_t machine = below(g, 4) ? BR_ANY : below(g, g->machines);
    do {
        made = br_runtime_decide(g->fast, machine, 0, got, room);
        assert_int_equal(plain_decide(g->plain, machine, 0, want, room), made);
        for (uint32_t d = 0; d < made; d++) {
            assert_int_equal(got[d].machine, want[d].machine);
            assert_int_equal(got[d].job, want[d].job);
            assert_int_equal(got[d].task, want[d].task);
        }
        g->decisions += made;
    } while (made == room);
    for (uint32_t k = 0; k < g->groups; k++)
        assert_true(br_runtime_deficit(g->fast, k) == br_runtime_deficit(g->plain, k));
    g->kept += br_vacancy_has(&g->fast->vacancy, BR_KEPT);
    for (uint32_t j = 0; j < g->fast->jobs; j++) {
        const struct br_job *job = g->fast->job[j];
        uint32_t standing = job ? br_job_standing(job) : 0;
        g->barred += standing > 0 && standing < job->state.ready;
    }
}

static void play(uint64_t seed, struct game *sum)
{
    struct game g = {0};
    create(&g, seed);
    for (uint32_t step = 0; step < 60; step++) {
        for (uint32_t k = 1 + below(&g, 40); k > 0; k--)
            something_happens(&g);
        for (uint32_t k = below(&g, 3); k > 0; k--)
            decide(&g);
    }
    sum->decisions += g.decisions;
    sum->kept += g.kept;
    sum->failed += g.failed;
    sum->lost += g.lost;
    sum->barred += g.barred;
    sum->planned += g.planned;
    br_runtime_destroy(g.fast);
    br_runtime_destroy(g.plain);
    for (uint32_t k = 0; k < KINDS; k++)
        br_dag_destroy(g.dag[k]);
}

static void test_equal_decisions(void **state)
{
    struct game sum = {0};
    unsigned games = random_jobs(600);
    for (uint64_t seed = 1; seed <= games; seed++)
        play(seed, &sum);
    /* The cases that make the comparison worth while have happened. */
    assert_true(sum.decisions > 60 * games);
    assert_true(sum.kept > games / 4);
    assert_true(sum.failed > games && sum.planned > games && sum.lost > games);
    assert_true(sum.barred > games); /* one kind of a job is kept back, and another is not */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_decisions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
