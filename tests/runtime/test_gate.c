/* The gate of 'bigrocks serve' under builds made up at random: a build tool that asks for as many
 * commands at once as it has places, in an order of its own, and gives some of them up. Whoever has
 * asked is never kept waiting for what nobody has asked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/numbers/rng.h"
#include "runtime/admission/gate.h"
#include "planner/model/instance.h"
#include "tests/support/random_job.h"

enum { TASKS = 24, NOBODY = RANDOM_JOB_TASKS };

enum state { NEW = 0, ASKED, ADMITTED, DONE };

struct build {
    struct random_job job;
    struct br_plan *plan;
    struct br_instance *instance;
    struct cli_gate *gate;
    struct br_rng rng;
    enum state state[RANDOM_JOB_TASKS + 1]; /* the last is a command that no plan knows */
    uint32_t places, waiting, admitted;
    int64_t now_ns;
};

static bool may_be_asked(const struct build *build, uint32_t task)
{
    const struct br_instance *in = build->instance;
    uint32_t s = in->task_stage[task], twin = task - in->stage_first[s];
    if (build->state[task] != NEW || (twin > 0 && build->state[task - 1] == NEW))
        return false; /* the gate gives out the tasks of a stage in this order, too */
    for (uint32_t a = in->parent_first[s]; a < in->parent_first[s + 1]; a++) {
        uint32_t parent = in->parent[a].stage;
        for (uint32_t t = in->stage_first[parent]; t < in->stage_first[parent + 1]; t++)
            if ((!in->parent[a].one_to_one || t - in->stage_first[parent] == twin) &&
                build->state[t] != DONE)
                return false;
    }
    return true;
}

/* One of those in the state, drawn; UINT32_MAX where there is none. */
static uint32_t draw(struct build *build, enum state state)
{
    uint32_t found = UINT32_MAX, count = 0;
    for (uint32_t t = 0; t <= NOBODY; t++)
        if ((t == NOBODY || t < build->job.dag->tasks) && build->state[t] == state &&
            (state != NEW || (t != NOBODY && may_be_asked(build, t))) &&
            br_rng_below(&build->rng, ++count) == 0)
            found = t;
    return found;
}

static void ask(struct build *build, uint32_t task)
{
    const struct br_dag *dag = build->job.dag;
    const char *key = task == NOBODY ? "nobody's" : dag->stage[br_dag_task_stage(dag, task)].id;
    assert_int_equal(cli_gate_ask(build->gate, task, key, NULL, NULL), BR_OK);
    build->state[task] = ASKED;
    build->waiting++;
}

static void leave(struct build *build, uint32_t client, enum state state)
{
    build->state[client] == ASKED ? build->waiting-- : build->admitted--;
    build->state[client] = state;
    cli_gate_leave(build->gate, client);
}

/* Does the task fit on its machine of the plan beside all that has been admitted there? */
static bool fits(const struct build *build, uint32_t task)
{
    const struct br_instance *in = build->instance;
    uint32_t machine = build->plan->machine[task];
    for (uint32_t r = 0; r < in->resources; r++) {
        int64_t room =
            in->capacity[(size_t)br_instance_machine_class(in, machine) * in->resources + r];
        for (uint32_t t = 0; t < in->tasks; t++)
            if (build->state[t] == ADMITTED && build->plan->machine[t] == machine)
                room -= in->demand[(size_t)in->task_stage[t] * in->resources + r];
        if (in->demand[(size_t)in->task_stage[task] * in->resources + r] > room)
            return false;
    }
    return true;
}

/* Who is admitted has room; and whoever of those that wait is the plan's first waits for room only.
 */
static void admit(struct build *build, bool one_machine)
{
    uint32_t client, first = UINT32_MAX;
    while ((client = cli_gate_next(build->gate, build->now_ns)) != UINT32_MAX) {
        assert_int_equal(build->state[client], ASKED);
        assert_true(!one_machine || client == NOBODY || fits(build, client));
        build->state[client] = ADMITTED;
        build->waiting--;
        build->admitted++;
    }
    assert_true(build->admitted > 0 || build->waiting == 0);
    for (uint32_t t = 0; t < build->job.dag->tasks; t++)
        if (build->state[t] == ASKED &&
            (first == UINT32_MAX || build->plan->rank[t] < build->plan->rank[first]))
            first = t;
    if (one_machine && build->state[NOBODY] == NEW && first != UINT32_MAX)
        assert_false(fits(build, first));
}

static void run(struct build *build)
{
    bool one_machine = build->job.cluster->machines == 1;
    uint32_t next;
    for (;;) {
        while (build->waiting + build->admitted < build->places &&
               (next = draw(build, NEW)) != UINT32_MAX) {
            ask(build, next);
            if (br_rng_below(&build->rng, 2))
                admit(build, one_machine);
        }
        if (build->state[NOBODY] == NEW && br_rng_below(&build->rng, 16) == 0)
            ask(build, NOBODY);
        admit(build, one_machine);
        if ((next = draw(build, ASKED)) != UINT32_MAX && br_rng_below(&build->rng, 8) == 0) {
            leave(build, next, NEW); /* it comes again */
            continue;
        }
        if ((next = draw(build, ADMITTED)) == UINT32_MAX)
            break;
        /* Commands last less than planned, and more. */
        build->now_ns +=
            next == NOBODY ? 1
                           : (int64_t)br_rng_below(
                                 &build->rng, 2 * (uint64_t)build->job.dag->duration_ns[next] + 1) /
                                 build->places;
        leave(build, next, next == NOBODY ? NEW : DONE);
    }
    for (uint32_t t = 0; t < build->job.dag->tasks; t++)
        assert_int_equal(build->state[t], DONE);
}

static void test_builds(void **state)
{
    static const char *const methods[] = {"cp", "bfs", "dfs", "packing", "graphene", "random"};
    unsigned builds = random_jobs(6000);
    for (uint64_t seed = 1; seed <= builds; seed++) {
        struct build build = {.rng = br_rng_seed(seed), .places = 1 + (uint32_t)(seed % 8)};
        struct br_plan_options options = br_plan_options_default();
        struct br_cluster *demand = br_cluster_create("demand");
        uint32_t cls;
        options.method = methods[seed % (sizeof methods / sizeof *methods)];
        options.threads = 1;
        assert_int_equal(br_cluster_add_class(demand, "none", 1, &cls, NULL), BR_OK);
        assert_true(random_job_make(seed, TASKS, 0, &build.job));
        assert_int_equal(
            br_plan_make(build.job.dag, build.job.cluster, &options, &build.plan, NULL), BR_OK);
        assert_int_equal(
            br_instance_create(build.job.dag, build.job.cluster, &build.instance, NULL), BR_OK);
        struct cli_gate_options gate = {.cluster = build.job.cluster,
                                        .dag = build.job.dag,
                                        .plan = build.plan,
                                        .demand = demand};
        assert_int_equal(cli_gate_create(&gate, &build.gate, NULL), BR_OK);
        run(&build);
        cli_gate_destroy(build.gate);
        br_instance_destroy(build.instance);
        br_plan_destroy(build.plan);
        br_cluster_destroy(demand);
        random_job_finish(&build.job);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_builds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
