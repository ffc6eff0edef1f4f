/* Outputs that are lost with their machines: nothing starts without what it reads, and nothing is
 * made again that nobody needs. Judged from the spans, the jobs and the machines' absences. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/simulate/engine.h"
#include "cluster/simulate/policies/plans.h"
#include "cluster/simulate/policies/policies.h"
#include "tests/support/random_workload.h"

enum { JOBS = 6, TASKS = 14, SEEDS = 200 };

struct judged {
    const struct br_workload *workload;
    const struct br_world *world;
    const struct br_outcome *outcome;
    unsigned lost, again; /* spans; of them such whose parents were lost as well */
};

/* When the machine first leaves at this time or later. */
static int64_t leaves(const struct br_world *world, uint32_t machine, int64_t from_ns)
{
    int64_t at_ns = 0;
    for (uint32_t k = 0;; k++) {
        int64_t lasts_ns = br_world_machine_ns(world, machine, k);
        if (lasts_ns >= BR_NEVER - at_ns)
            return BR_NEVER;
        at_ns += lasts_ns;
        if (k % 2 == 0 && at_ns >= from_ns)
            return at_ns;
    }
}

static bool reads(const struct br_dag *dag, uint32_t child, uint32_t parent)
{
    uint32_t c = br_dag_task_stage(dag, child), p = br_dag_task_stage(dag, parent);
    for (uint32_t e = 0; e < dag->edges; e++)
        if (dag->edge[e].child == c && dag->edge[e].parent == p &&
            (dag->edge[e].type == BR_BARRIER ||
             child - dag->stage[c].first_task == parent - dag->stage[p].first_task))
            return true;
    return false;
}

static bool was_made(const struct br_span *span)
{
    return span->end == BR_SPAN_DONE || span->end == BR_SPAN_LOST;
}

/* All that the attempt reads lay somewhere when it started. */
static void judge_start(const struct judged *judged, const struct br_span *span)
{
    const struct br_outcome *outcome = judged->outcome;
    const struct br_dag *dag = judged->workload->dag[judged->workload->job[span->job].dag].dag;
    for (uint32_t p = 0; p < dag->tasks; p++) {
        bool there = !reads(dag, span->task, p);
        for (uint64_t k = 0; k < outcome->spans && !there; k++) {
            const struct br_span *made = &outcome->span[k];
            there = made->job == span->job && made->task == p && was_made(made) &&
                    made->end_ns <= span->start_ns &&
                    leaves(judged->world, made->machine, made->end_ns) > span->start_ns;
        }
        assert_true(there);
    }
}

/* The output was lost, and somebody who starts later needs it. */
static void judge_loss(struct judged *judged, const struct br_span *span)
{
    const struct br_outcome *outcome = judged->outcome;
    const struct br_dag *dag = judged->workload->dag[judged->workload->job[span->job].dag].dag;
    int64_t gone_ns = leaves(judged->world, span->machine, span->end_ns);
    bool needed = false, parent = false;
    assert_true(gone_ns < BR_NEVER);
    for (uint64_t k = 0; k < outcome->spans; k++) {
        const struct br_span *other = &outcome->span[k];
        if (other->job != span->job)
            continue;
        needed |= other->start_ns >= gone_ns && reads(dag, other->task, span->task);
        parent |= other->end == BR_SPAN_LOST && reads(dag, span->task, other->task);
    }
    assert_true(needed);
    judged->lost++;
    judged->again += parent;
}

static void judge(struct judged *judged)
{
    const struct br_outcome *outcome = judged->outcome;
    const struct br_workload *workload = judged->workload;
    assert_int_equal(outcome->finished, workload->jobs);
    for (uint64_t k = 0; k < outcome->spans; k++) {
        judge_start(judged, &outcome->span[k]);
        if (outcome->span[k].end == BR_SPAN_LOST)
            judge_loss(judged, &outcome->span[k]);
    }
    /* Each task is done once at last, after all that was lost of it. */
    for (uint32_t j = 0; j < workload->jobs; j++)
        for (uint32_t t = 0; t < workload->dag[workload->job[j].dag].dag->tasks; t++) {
            unsigned done = 0;
            int64_t last_ns = -1;
            for (uint64_t k = 0; k < outcome->spans; k++) {
                const struct br_span *span = &outcome->span[k];
                if (span->job != j || span->task != t)
                    continue;
                assert_true(!done && span->start_ns >= last_ns);
                done += span->end == BR_SPAN_DONE;
                last_ns = span->end_ns;
            }
            assert_int_equal(done, 1);
        }
}

static void play(const struct br_policy_row *row, uint64_t seed, struct judged *sum)
{
    struct random_workload random;
    struct br_plans plans;
    struct br_outcome outcome;
    struct br_diag diag = {0};
    struct br_plan_options planning = br_plan_options_default();
    struct br_simulate_options options = {.row = row,
                                          .setup = {.enforcer = br_runtime_options_default(),
                                                    .plan = br_plans_get,
                                                    .network_plan = br_plans_get_network,
                                                    .plan_context = &plans},
                                          .world = br_world_default()};
    planning.effort = BR_EFFORT_FAST;
    planning.method = "cp";
    planning.threads = 1;
    assert_true(random_workload_make(seed, JOBS, TASKS, &random));
    assert_int_equal(br_plans_init(&plans, random.workload, random.cluster, &planning, NULL),
                     BR_OK);
    options.setup.refine = seed % 2;
    options.setup.number = random_number(row);
    options.world.seed = seed;
    options.world.fail = seed % 3 ? 0 : 0.2;
    options.world.leave_s = 20e-9 * (double)random.step_ns;
    options.world.return_s = 1e-9 * (double)random.step_ns;
    options.world.lose_outputs = true;
    if (br_simulate_workload(random.workload, random.cluster, &options, &outcome, &diag))
        fail_msg("%s: %s", row->named.name, diag.what);
    struct judged judged = {random.workload, &options.world, &outcome, 0, 0};
    judge(&judged);
    sum->lost += judged.lost;
    sum->again += judged.again;
    br_outcome_finish(&outcome);
    br_plans_finish(&plans);
    random_workload_finish(&random);
}

/* All policies that take losses. */
static void test_lost(void **state)
{
    struct judged sum = {0};
    unsigned rows = 0;
    (void)state;
    for (uint32_t k = 0; br_policies_at(k); k++) {
        const struct br_policy_row *row = br_policies_at(k);
        if (!row->lost)
            continue;
        rows++;
        for (uint64_t seed = 1; seed <= SEEDS; seed++)
            play(row, seed, &sum);
    }
    assert_true(rows >= 20);
    assert_true(sum.lost > 20 * rows && sum.again > 2 * rows);
}

/* A policy that cannot says so. */
static void test_refused(void **state)
{
    struct random_workload random;
    struct br_outcome outcome;
    struct br_diag diag = {0};
    (void)state;
    assert_true(random_workload_make(1, JOBS, TASKS, &random));
    for (uint32_t k = 0; br_policies_at(k); k++) {
        struct br_simulate_options options = {.row = br_policies_at(k),
                                              .world = br_world_default()};
        options.world.lose_outputs = true;
        if (options.row->lost)
            continue;
        assert_int_equal(
            br_simulate_workload(random.workload, random.cluster, &options, &outcome, &diag),
            BR_USAGE);
        assert_non_null(strstr(diag.what, "does not take outputs that are lost"));
        br_outcome_finish(&outcome);
    }
    random_workload_finish(&random);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lost), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
