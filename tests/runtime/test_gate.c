/* The gate of 'bigrocks serve'. First what a client holds, by whoever says it. Then builds made up
 * at random: a build tool asks for as many commands at once as it has places, in an order of its
 * own, and gives some of them up. Whoever has asked is never kept waiting for what nobody has asked
 * for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/numbers/rng.h"
#include "parsers/jobs/native.h"
#include "runtime/admission/gate.h"
#include "planner/instance/instance.h"
#include "tests/support/random_job.h"
#include "tests/support/database_file.h"

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

/* ---- Demands, one by one ---- */

/* A gate whose admissions say who holds how much. */
struct table {
    struct br_cluster *cluster, *demand;
    struct cli_gate *gate;
};

static struct table open_table(const char *capacity, const char *usual, struct br_history *history)
{
    struct table table = {0};
    assert_int_equal(br_parse_capacity(1, capacity, &table.cluster, NULL), BR_OK);
    if (usual)
        assert_int_equal(br_parse_capacity(1, usual, &table.demand, NULL), BR_OK);
    struct cli_gate_options options = {
        .cluster = table.cluster, .demand = table.demand, .history = history};
    assert_int_equal(cli_gate_create(&options, &table.gate, NULL), BR_OK);
    return table;
}

static void close_table(struct table *table)
{
    cli_gate_destroy(table->gate);
    br_cluster_destroy(table->cluster);
    br_cluster_destroy(table->demand);
}

/* How many clients of this key and demand are admitted at once, of eight that ask. All leave. */
static uint32_t at_once(struct table *table, const char *key, const char *demand)
{
    enum { ASKED_AT_ONCE = 8 };
    uint32_t count = 0;
    for (uint32_t client = 0; client < ASKED_AT_ONCE; client++)
        assert_int_equal(cli_gate_ask(table->gate, client, key, demand, NULL), BR_OK);
    while (cli_gate_next(table->gate, 0) != UINT32_MAX)
        count++;
    for (uint32_t client = 0; client < ASKED_AT_ONCE; client++)
        cli_gate_leave(table->gate, client);
    return count;
}

/* What a client demands is what it holds, to the last digit; more than there is means all of it. */
static void test_amounts(void **state)
{
    static const struct {
        const char *demand;
        uint32_t admitted;
    } cases[] = {
        {"cpu=1", 4},          {"cpu=2", 2},          {"cpu=3", 1},
        {"cpu=4", 1},          {"cpu=99", 1},         {"cpu=0.5", 8},
        {"cpu=1.5", 2},        {"cpu=1,mem=1GiB", 3}, {"cpu=1,mem=1.5GiB", 2},
        {"mem=1GiB", 3},       {"mem=3GiB", 1},       {"mem=1073741825", 2},
        {"cpu=0", 8},          {"disk=0", 8},         {"cpu=1,mem=99TiB", 1},
        {"cpu=1,disk=0", 4},   {"cpu=0.0000001", 8},  {"cpu=1.3333333", 3},
        {"cpu=1.33333334", 2},
    };
    (void)state;
    struct table table = open_table("cpu=4,mem=3GiB", "cpu=2,disk=7", NULL);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        if (at_once(&table, "any", cases[k].demand) != cases[k].admitted)
            fail_msg("%s: %u admitted", cases[k].demand, at_once(&table, "any", cases[k].demand));
    /* Nobody says: the usual demand, of which this machine does not have the disk. */
    assert_int_equal(at_once(&table, "any", NULL), 2);
    close_table(&table);
    /* Offered is less than a whole, and is compared exactly. */
    table = open_table("cpu=0.75", NULL, NULL);
    assert_int_equal(at_once(&table, "any", "cpu=0.25"), 3);
    assert_int_equal(at_once(&table, "any", "cpu=0.2"), 3);
    assert_int_equal(at_once(&table, "any", "cpu=0.26"), 2);
    assert_int_equal(at_once(&table, "any", "cpu=1"), 1);
    assert_int_equal(at_once(&table, "any", NULL), 8); /* no usual demand: nothing */
    close_table(&table);
}

/* A demand for what is not there, or one that says nothing, is an error and leaves no client. */
static void test_refused(void **state)
{
    struct br_diag diag = {0};
    (void)state;
    struct table table = open_table("cpu=1", "cpu=1", NULL);
    assert_int_equal(cli_gate_ask(table.gate, 3, "x", "gpu=1", &diag), BR_BAD_INPUT);
    assert_non_null(strstr(diag.what, "no 'gpu' here"));
    assert_int_equal(cli_gate_ask(table.gate, 3, "x", "cpu=1,gpu=1", NULL), BR_BAD_INPUT);
    assert_int_equal(cli_gate_ask(table.gate, 3, "x", "cpu", NULL), BR_BAD_INPUT);
    assert_int_equal(cli_gate_next(table.gate, 0), UINT32_MAX);
    cli_gate_leave(table.gate, 3); /* nothing for one that was refused, */
    cli_gate_leave(table.gate, 4); /* nor for one that has never been seen */
    assert_int_equal(cli_gate_ask(table.gate, 5, "x", "cpu=1", NULL), BR_OK);
    assert_int_equal(cli_gate_next(table.gate, 0), 5);
    cli_gate_leave(table.gate, 4);
    cli_gate_leave(table.gate, 5);
    cli_gate_leave(table.gate, 5); /* has left */
    assert_int_equal(cli_gate_ask(table.gate, 6, "x", "cpu=1", NULL), BR_OK);
    assert_int_equal(cli_gate_next(table.gate, 0), 6);
    close_table(&table);
}

/* Clients and jobs have numbers of their own: each is told by its own, whatever the order. */
static void test_numbers(void **state)
{
    (void)state;
    struct table table = open_table("cpu=1", "cpu=1", NULL);
    for (uint32_t client = 9; client-- > 0;)
        assert_int_equal(cli_gate_ask(table.gate, client, "x", NULL, NULL), BR_OK);
    cli_gate_leave(table.gate, 4); /* before its turn */
    for (uint32_t seen = 0, k = 0; k < 8; k++) {
        uint32_t client = cli_gate_next(table.gate, k);
        assert_true(client < 9 && client != 4 && !(seen >> client & 1));
        assert_int_equal(cli_gate_next(table.gate, k), UINT32_MAX); /* one core */
        seen |= 1U << client;
        cli_gate_leave(table.gate, client);
        if (k == 2) { /* its number is free for another */
            assert_int_equal(cli_gate_ask(table.gate, client, "y", NULL, NULL), BR_OK);
            cli_gate_leave(table.gate, client);
        }
    }
    assert_int_equal(cli_gate_next(table.gate, 9), UINT32_MAX);
    close_table(&table);
}

/* What measurements say counts for who says nothing: whole cores, at least one, and memory. */
static void test_measured(void **state)
{
    static const struct br_history_sample samples[] = {
        {"three", 0, 1000, 3000, -1, 0, NULL, 0},
        {"idle", 0, 1000, 0, -1, 0, NULL, 0},
        {"half", 0, 1000, 100, 2LL << 30, 0, NULL, 0},
        {"unknown", 0, 1000, -1, -1, 0, NULL, 0},
        {"hungry", 0, 1000, 9000, 9LL << 30, 0, NULL, 0}};
    struct br_history *history;
    if (!br_history_is_there())
        skip();
    assert_int_equal(database_make_path(state), 0);
    assert_int_equal(br_history_open(database_path, "serve", &history, NULL), BR_OK);
    for (size_t k = 0; k < sizeof samples / sizeof *samples; k++)
        assert_int_equal(br_history_add(history, &samples[k], NULL), BR_OK);
    assert_int_equal(br_history_flush(history, NULL), BR_OK);
    struct table table = open_table("cpu=6,mem=4GiB", "cpu=6", history);
    assert_int_equal(at_once(&table, "three", NULL), 2);
    assert_int_equal(at_once(&table, "idle", NULL), 6);
    assert_int_equal(at_once(&table, "half", NULL), 2);
    assert_int_equal(at_once(&table, "unknown", NULL), 6);
    assert_int_equal(at_once(&table, "hungry", NULL), 1);
    assert_int_equal(at_once(&table, "never seen", NULL), 1);
    /* What is given goes before what was measured. */
    assert_int_equal(at_once(&table, "three", "cpu=2"), 3);
    assert_int_equal(at_once(&table, "half", "cpu=2"), 3);
    close_table(&table);
    assert_int_equal(br_history_close(history, NULL), BR_OK);
    database_remove(state);
}

/* A gate that cannot follow its plan is none. */
static void test_foreign_plan(void **state)
{
    struct random_job one, other;
    struct br_plan_options options = br_plan_options_default();
    struct br_plan *plan;
    struct cli_gate *gate = (struct cli_gate *)&options;
    struct br_diag diag = {0};
    (void)state;
    options.threads = 1;
    assert_true(random_job_make(1, 5, 0, &one) && random_job_make(2, 9, 0, &other));
    assert_int_not_equal(one.dag->tasks, other.dag->tasks);
    assert_int_equal(br_plan_make(one.dag, one.cluster, &options, &plan, NULL), BR_OK);
    assert_int_equal(
        cli_gate_create(
            &(struct cli_gate_options){.cluster = other.cluster, .dag = other.dag, .plan = plan},
            &gate, &diag),
        BR_USAGE);
    assert_null(gate);
    assert_true(diag.what[0] != '\0');
    br_plan_destroy(plan);
    random_job_finish(&one);
    random_job_finish(&other);
}

/* A plan with a stage of two tasks before one of one: its demands hold for its keys only, and each
 * of its places for one client. */
static void test_places(void **state)
{
    struct br_dag *dag = br_dag_create("job");
    struct br_plan_options options = br_plan_options_default();
    struct table table = {0};
    struct br_plan *plan;
    uint32_t pair, single;
    (void)state;
    options.threads = 1;
    assert_int_equal(br_parse_capacity(1, "cpu=4", &table.cluster, NULL), BR_OK);
    assert_int_equal(br_parse_capacity(1, "cpu=1", &table.demand, NULL), BR_OK);
    assert_int_equal(br_dag_add_stage(dag, "pair", 2, 5, &pair, NULL), BR_OK);
    assert_int_equal(br_dag_add_stage(dag, "single", 1, 5, &single, NULL), BR_OK);
    assert_int_equal(br_dag_add_demand(dag, pair, "cpu", "2", NULL), BR_OK);
    assert_int_equal(br_dag_add_demand(dag, single, "cpu", "4", NULL), BR_OK);
    assert_int_equal(br_dag_add_edge(dag, pair, single, BR_BARRIER, NULL), BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_plan_make(dag, table.cluster, &options, &plan, NULL), BR_OK);
    struct cli_gate_options gate = {
        .cluster = table.cluster, .dag = dag, .plan = plan, .demand = table.demand};
    assert_int_equal(cli_gate_create(&gate, &table.gate, NULL), BR_OK);
    /* Two of the key have the plan's demand and fill the machine; a third is like anybody. */
    for (uint32_t client = 0; client < 3; client++)
        assert_int_equal(cli_gate_ask(table.gate, client, "pair", NULL, NULL), BR_OK);
    uint32_t first = cli_gate_next(table.gate, 0), second = cli_gate_next(table.gate, 0);
    assert_true(first < 2 && second < 2 && first != second);
    assert_int_equal(cli_gate_next(table.gate, 0), UINT32_MAX);
    cli_gate_leave(table.gate, first);
    assert_int_equal(cli_gate_next(table.gate, 1), 2);
    /* The place of one that has run is not given again: the next of the key is like anybody, too,
     * so that two of them fit beside the other's two cores. */
    assert_int_equal(cli_gate_ask(table.gate, 3, "pair", NULL, NULL), BR_OK);
    assert_int_equal(cli_gate_next(table.gate, 2), 3);
    cli_gate_leave(table.gate, 2);
    cli_gate_leave(table.gate, 3);
    /* Who says what it demands is no client of the plan, whatever its key. */
    assert_int_equal(cli_gate_ask(table.gate, 4, "single", "cpu=1", NULL), BR_OK);
    assert_int_equal(cli_gate_next(table.gate, 3), 4);
    /* The place of one that left before its turn is given to the next of its key. */
    assert_int_equal(cli_gate_ask(table.gate, 5, "single", NULL, NULL), BR_OK);
    assert_int_equal(cli_gate_next(table.gate, 4), UINT32_MAX); /* it needs all four */
    cli_gate_leave(table.gate, 5);
    assert_int_equal(cli_gate_ask(table.gate, 6, "single", NULL, NULL), BR_OK);
    assert_int_equal(cli_gate_next(table.gate, 5), UINT32_MAX);
    cli_gate_leave(table.gate, 4);
    assert_int_equal(cli_gate_next(table.gate, 6), UINT32_MAX);
    cli_gate_leave(table.gate, second);
    assert_int_equal(cli_gate_next(table.gate, 7), 6);
    br_plan_destroy(plan);
    br_dag_destroy(dag);
    close_table(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_amounts), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_numbers), cmocka_unit_test(test_measured),
        cmocka_unit_test(test_places),  cmocka_unit_test(test_foreign_plan),
        cmocka_unit_test(test_builds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
