/* Building and checking jobs, clusters and instances. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/numbers/rng.h"
#include "planner/model/cluster/cluster.h"
#include "planner/model/commands.h"
#include "planner/model/dag.h"
#include "planner/instance/instance.h"

#define S INT64_C(1000000000)

static uint32_t add(struct br_dag *dag, const char *id, uint32_t tasks, int64_t ns)
{
    uint32_t stage = UINT32_MAX;
    assert_int_equal(br_dag_add_stage(dag, id, tasks, ns, &stage, NULL), BR_OK);
    return stage;
}

static void building(void **state)
{
    struct br_dag *dag = br_dag_create("job");
    char text[20];
    uint32_t first, count;
    uint32_t a = add(dag, "a", 3, 5 * S), b = add(dag, "b", 1, 0), c = add(dag, "c", 3, 2 * S);
    assert_int_equal(br_dag_set_duration(dag, a, 2, 7 * S, NULL), BR_OK);
    assert_int_equal(br_dag_set_duration(dag, a, 2, 8 * S, NULL), BR_OK);
    assert_int_equal(br_dag_add_demand(dag, c, "mem", "1.50", NULL), BR_OK);
    assert_int_equal(br_dag_add_demand(dag, a, "cpu", "2", NULL), BR_OK);
    assert_int_equal(br_dag_add_demand(dag, c, "cpu", "1", NULL), BR_OK);
    assert_int_equal(br_dag_add_resource(dag, "cpu", "cores", NULL), BR_OK); /* after its use */
    assert_int_equal(br_dag_add_edge(dag, a, c, BR_ONE_TO_ONE, NULL), BR_OK);
    assert_int_equal(br_dag_add_edge(dag, b, c, BR_BARRIER, NULL), BR_OK);
    assert_int_equal(br_dag_add_edge(dag, a, c, BR_BARRIER, NULL), BR_OK);
    assert_int_equal(br_dag_last_edge(dag), 0);
    assert_int_equal(br_dag_add_edge(dag, a, c, BR_ONE_TO_ONE, NULL), BR_OK);
    assert_int_equal(br_dag_set_command(dag, a, "first", NULL), BR_OK);
    assert_int_equal(br_dag_set_command(dag, a, "run\t{index}\n", NULL), BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_string_equal(br_dag_name(dag), "job");
    assert_int_equal(br_dag_stage_count(dag), 3);
    assert_int_equal(br_dag_task_count(dag), 7);
    assert_int_equal(dag->edges, 2);
    assert_int_equal(dag->edge[0].type, BR_BARRIER); /* a barrier overrides */
    assert_int_equal(dag->duration_ns[1], 5 * S);
    assert_int_equal(dag->duration_ns[2], 8 * S);
    br_dag_stage_tasks(dag, c, &first, &count);
    assert_int_equal(first, 4);
    assert_int_equal(count, 3);
    assert_int_equal(br_dag_task_stage(dag, 3), b);
    assert_int_equal(br_dag_task_stage(dag, 6), c);
    br_dag_task_id(dag, 3, text, sizeof text);
    assert_string_equal(text, "b");
    br_dag_task_id(dag, 6, text, sizeof text);
    assert_string_equal(text, "c[2]");
    assert_int_equal(br_dag_find_stage(dag, "c"), c);
    assert_int_equal(br_dag_find_stage(dag, "d"), UINT32_MAX);
    assert_string_equal(dag->stage[a].command, "run\t{index}\n");
    const struct br_demand *run = dag->demand + dag->stage[c].first_demand;
    assert_int_equal(dag->stage[c].demands, 2);
    assert_string_equal(dag->resource[run[0].resource].name, "mem");
    assert_string_equal(dag->resource[run[1].resource].name, "cpu");
    assert_string_equal(dag->resource[run[1].resource].unit, "cores");
    assert_int_equal(br_dag_add_stage(dag, "d", 1, 0, NULL, NULL), BR_USAGE);
    assert_int_equal(br_dag_finish(dag, NULL), BR_USAGE);
    br_dag_destroy(dag);
    br_dag_destroy(NULL);
}

static void refusals(void **state)
{
    struct br_dag *dag = br_dag_create(NULL);
    struct br_diag diag = {0};
    uint32_t a = add(dag, "a", 2, S), b = add(dag, "b", 3, S);
    assert_string_equal(br_dag_name(dag), "");
    assert_int_equal(br_dag_add_stage(dag, "a", 1, S, NULL, &diag), BR_BAD_INPUT);
    assert_int_equal(br_dag_add_stage(dag, "", 1, S, NULL, &diag), BR_BAD_INPUT);
    assert_int_equal(br_dag_add_stage(dag, NULL, 1, S, NULL, &diag), BR_BAD_INPUT);
    assert_int_equal(br_dag_add_stage(dag, "c", 0, S, NULL, &diag), BR_BAD_INPUT);
    assert_int_equal(br_dag_add_stage(dag, "c", 1, -1, NULL, &diag), BR_BAD_INPUT);
    assert_int_equal(br_dag_add_stage(dag, "c", BR_MAX_TASKS, 0, NULL, &diag), BR_BAD_INPUT);
    assert_int_equal(br_dag_set_duration(dag, a, 2, 0, &diag), BR_BAD_INPUT);
    assert_int_equal(br_dag_set_duration(dag, a, 0, -1, &diag), BR_BAD_INPUT);
    /* There are stages 0 and 1. */
    assert_int_equal(br_dag_set_duration(dag, 7, 0, 0, &diag), BR_USAGE);
    assert_int_equal(br_dag_set_duration(dag, 2, 0, 0, &diag), BR_USAGE);
    assert_int_equal(br_dag_add_demand(dag, 2, "cpu", "1", &diag), BR_USAGE);
    assert_int_equal(br_dag_add_edge(dag, 2, a, BR_BARRIER, &diag), BR_USAGE);
    assert_int_equal(br_dag_add_edge(dag, a, 2, BR_BARRIER, &diag), BR_USAGE);
    assert_int_equal(br_dag_add_demand(dag, a, "", "1", &diag), BR_BAD_INPUT);
    assert_int_equal(br_dag_add_demand(dag, a, "cpu", NULL, &diag), BR_BAD_INPUT);
    assert_int_equal(br_dag_add_demand(dag, a, "cpu", "1kib", &diag), BR_BAD_INPUT);
    assert_int_equal(br_dag_add_demand(dag, a, "cpu", "-1", &diag), BR_BAD_INPUT);
    assert_int_equal(br_dag_add_demand(dag, a, "cpu", "1e30", &diag), BR_BAD_INPUT);
    assert_int_equal(br_dag_add_demand(dag, a, "cpu", "1", &diag), BR_OK);
    assert_int_equal(br_dag_add_demand(dag, a, "mem", "1.5 GiB", &diag), BR_OK);
    assert_int_equal(dag->demand[dag->demands - 1].amount.mantissa, 1610612736);
    assert_int_equal(br_dag_add_demand(dag, a, "cpu", "1", &diag), BR_BAD_INPUT);
    assert_int_equal(br_dag_add_resource(dag, "cpu", NULL, &diag), BR_OK);
    assert_int_equal(br_dag_add_resource(dag, "cpu", NULL, &diag), BR_BAD_INPUT);
    assert_int_equal(br_dag_add_resource(dag, NULL, NULL, &diag), BR_BAD_INPUT);
    assert_int_equal(br_dag_add_edge(dag, a, b, BR_ONE_TO_ONE, &diag), BR_BAD_INPUT);
    assert_non_null(strstr(diag.what, "2 tasks"));
    assert_int_equal(br_dag_add_edge(dag, a, 9, BR_BARRIER, &diag), BR_USAGE);
    assert_int_equal(dag->stages, 2); /* nothing half-done stayed */
    assert_int_equal(dag->edges, 0);
    assert_int_equal(br_dag_add_demand(dag, b, "cpu", "1", &diag), BR_OK);
    assert_int_equal(br_dag_add_demand(dag, a, "cpu", "2", &diag), BR_OK); /* not seen yet */
    assert_int_equal(br_dag_finish(dag, &diag), BR_BAD_INPUT);
    assert_non_null(strstr(diag.what, "'a' demands cpu twice"));
    br_dag_destroy(dag);

    dag = br_dag_create("empty");
    assert_int_equal(br_dag_finish(dag, &diag), BR_BAD_INPUT);
    br_dag_destroy(dag);
}

static void ids_of_tasks_are_unique(void **state)
{
    static const struct {
        const char *one, *several;
        uint32_t tasks;
        bool clash;
    } cases[] = {
        {"a[1]", "a", 2, true},       {"a[2]", "a", 2, false},
        {"a[0]", "a", 1, false},      {"a[01]", "a", 2, false},
        {"a[1]x", "a", 2, false},     {"a[]", "a", 2, false},
        {"a[1][0]", "a[1]", 2, true}, {"[1]", "a", 2, false},
        {"a[+1]", "a", 2, false},     {"a[18446744073709551616]", "a", 2, false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct br_dag *dag = br_dag_create("job");
        struct br_cluster *cluster = br_cluster_create(NULL), *reverse = br_cluster_create(NULL);
        add(dag, cases[k].one, 1, 0);
        add(dag, cases[k].several, cases[k].tasks, 0);
        if ((br_dag_finish(dag, NULL) != BR_OK) != cases[k].clash)
            fail_msg("stage %s", cases[k].one);
        assert_int_equal(br_cluster_add_class(cluster, cases[k].one, 1, NULL, NULL), BR_OK);
        if ((br_cluster_add_class(cluster, cases[k].several, cases[k].tasks, NULL, NULL) !=
             BR_OK) != cases[k].clash)
            fail_msg("class %s", cases[k].one);
        br_cluster_add_class(reverse, cases[k].several, cases[k].tasks, NULL, NULL);
        if ((br_cluster_add_class(reverse, cases[k].one, 1, NULL, NULL) != BR_OK) != cases[k].clash)
            fail_msg("class %s, second", cases[k].one);
        br_dag_destroy(dag);
        br_cluster_destroy(cluster);
        br_cluster_destroy(reverse);
    }
}

static void cycles(void **state)
{
    struct br_dag *dag = br_dag_create("job");
    struct br_diag diag = {0};
    char id[20];
    for (int s = 0; s < 40; s++) {
        snprintf(id, sizeof id, "s%d", s);
        add(dag, id, s == 30 ? 2 : 1, 0);
    }
    for (uint32_t s = 0; s < 39; s++)
        assert_int_equal(br_dag_add_edge(dag, s, s + 1, BR_BARRIER, NULL), BR_OK);
    assert_int_equal(br_dag_add_edge(dag, 31, 29, BR_BARRIER, NULL), BR_OK);
    br_dag_set_edge_pos(dag, (struct br_pos){9, 4});
    br_dag_set_source(dag, "x.xml", NULL);
    assert_int_equal(br_dag_finish(dag, &diag), BR_BAD_INPUT);
    assert_non_null(strstr(diag.what, "cycle of 3 tasks: "));
    assert_non_null(strstr(diag.what, "s30[0] -> s31 -> s29 -> s30[0]"));
    assert_string_equal(diag.file, "x.xml");
    br_dag_destroy(dag);

    /* A long cycle is told by its ends. */
    dag = br_dag_create("job");
    for (int s = 0; s < 1000; s++) {
        snprintf(id, sizeof id, "s%d", s);
        add(dag, id, 1, 0);
    }
    for (uint32_t s = 0; s < 1000; s++)
        br_dag_add_edge(dag, s, (s + 1) % 1000, BR_BARRIER, NULL);
    assert_int_equal(br_dag_finish(dag, &diag), BR_BAD_INPUT);
    assert_non_null(strstr(diag.what, "cycle of 1000 tasks: "));
    assert_non_null(strstr(diag.what, " -> ... -> "));
    br_dag_destroy(dag);
}

/* Against the definition: parents first, and always the least number that may come. */
static void topological_order(void **state)
{
    struct br_rng rng = br_rng_seed(11);
    for (int round = 0; round < 300; round++) {
        uint32_t n = (uint32_t)br_rng_below(&rng, 30) + 1, shuffled[30];
        bool edge[30][30] = {{false}}, done[30] = {false};
        struct br_dag *dag = br_dag_create("job");
        for (uint32_t s = 0; s < n; s++) {
            char id[20];
            snprintf(id, sizeof id, "s%" PRIu32, s);
            add(dag, id, 1, 0);
            shuffled[s] = s;
        }
        for (uint32_t s = n; s > 1; s--) {
            uint32_t t = (uint32_t)br_rng_below(&rng, s), swap = shuffled[t];
            shuffled[t] = shuffled[s - 1];
            shuffled[s - 1] = swap;
        }
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = i + 1; j < n; j++)
                if (br_rng_below(&rng, 5) == 0) {
                    edge[shuffled[i]][shuffled[j]] = true;
                    assert_int_equal(
                        br_dag_add_edge(dag, shuffled[i], shuffled[j], BR_BARRIER, NULL), BR_OK);
                }
        assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
        for (uint32_t k = 0; k < n; k++) {
            uint32_t least = n;
            for (uint32_t s = n; s-- > 0;) {
                bool ready = !done[s];
                for (uint32_t p = 0; p < n; p++)
                    ready &= !edge[p][s] || done[p];
                if (ready)
                    least = s;
            }
            assert_int_equal(dag->topological[k], least);
            done[least] = true;
        }
        br_dag_destroy(dag);
    }
}

static struct br_cluster *two_classes(void)
{
    struct br_cluster *cluster = br_cluster_create("c");
    assert_int_equal(br_cluster_add_class(cluster, "small", 3, NULL, NULL), BR_OK);
    assert_int_equal(br_cluster_add_class(cluster, "large", 1, NULL, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, 0, "cpu", "2", NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, 1, "cpu", "8", NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, 1, "gpu", "0.5", NULL), BR_OK);
    return cluster;
}

static void clusters(void **state)
{
    struct br_cluster *cluster = two_classes();
    char text[20];
    assert_int_equal(br_cluster_machine_count(cluster), 4);
    for (uint32_t m = 0; m < 4; m++) {
        br_cluster_machine_name(cluster, m, text, sizeof text);
        assert_int_equal(br_cluster_find_machine(cluster, text), m);
        assert_int_equal(br_cluster_machine_class(cluster, m), m == 3);
    }
    assert_string_equal(text, "large");
    assert_int_equal(br_cluster_find_machine(cluster, "small"), UINT32_MAX);
    assert_int_equal(br_cluster_find_machine(cluster, "small[3]"), UINT32_MAX);
    assert_int_equal(br_cluster_find_machine(cluster, "large[0]"), UINT32_MAX);
    assert_int_equal(br_cluster_find_machine(cluster, ""), UINT32_MAX);
    assert_int_equal(br_cluster_add_class(cluster, "small", 1, NULL, NULL), BR_BAD_INPUT);
    assert_int_equal(br_cluster_add_class(cluster, "", 1, NULL, NULL), BR_BAD_INPUT);
    assert_int_equal(br_cluster_add_class(cluster, "x", 0, NULL, NULL), BR_BAD_INPUT);
    assert_int_equal(br_cluster_add_class(cluster, "x", BR_MAX_MACHINES, NULL, NULL), BR_BAD_INPUT);
    assert_int_equal(br_cluster_add_capacity(cluster, 0, "cpu", "1", NULL), BR_BAD_INPUT);
    assert_int_equal(br_cluster_add_capacity(cluster, 0, "mem", "-1", NULL), BR_BAD_INPUT);
    assert_int_equal(br_cluster_add_capacity(cluster, 0, "mem", "many", NULL), BR_BAD_INPUT);
    assert_int_equal(br_cluster_add_capacity(cluster, 2, "mem", "1", NULL), BR_USAGE);
    br_cluster_destroy(cluster);
    br_cluster_destroy(NULL);
}

static void instances(void **state)
{
    struct br_dag *dag = br_dag_create("job");
    struct br_cluster *cluster = two_classes();
    struct br_instance *in;
    uint32_t a = add(dag, "a", 2, 6 * S), b = add(dag, "b", 2, 4 * S), c = add(dag, "c", 1, 0);
    br_dag_set_duration(dag, b, 1, 10 * S, NULL);
    br_dag_add_demand(dag, a, "cpu", "0.25", NULL);
    br_dag_add_demand(dag, b, "gpu", "0.5", NULL);
    br_dag_add_demand(dag, c, "disk", "0", NULL); /* nobody demands it, so nobody has to have it */
    br_dag_add_edge(dag, a, b, BR_ONE_TO_ONE, NULL);
    br_dag_add_edge(dag, b, c, BR_BARRIER, NULL);
    assert_int_equal(br_instance_create(dag, cluster, &in, NULL), BR_USAGE);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_instance_create(dag, cluster, &in, NULL), BR_OK);
    assert_int_equal(in->tick_ns, 2 * S);
    assert_int_equal(in->tasks, 5);
    assert_int_equal(in->stages, 3);
    assert_int_equal(in->resources, 2);
    assert_int_equal(in->machines, 4);
    assert_int_equal(in->duration[0], 3);
    assert_int_equal(in->duration[2], 2);
    assert_int_equal(in->duration[3], 5);
    assert_int_equal(in->stage_longest[b], 5);
    assert_true(in->stage_equal[a]);
    assert_false(in->stage_equal[b]);
    assert_int_equal(in->demand[a * 2 + 0], 25); /* cpu in hundredths, gpu in tenths */
    assert_int_equal(in->demand[b * 2 + 1], 5);
    assert_int_equal(in->capacity[0 * 2 + 0], 200);
    assert_int_equal(in->capacity[1 * 2 + 0], 800);
    assert_int_equal(in->capacity[0 * 2 + 1], 0);
    assert_int_equal(in->total[0], 3 * 200 + 800);
    assert_int_equal(in->total[1], 5);
    assert_int_equal(in->child[in->child_first[a]].stage, b);
    assert_true(in->child[in->child_first[a]].one_to_one);
    assert_int_equal(in->parent[in->parent_first[c]].stage, b);
    assert_false(in->parent[in->parent_first[c]].one_to_one);
    assert_int_equal(br_instance_machine_class(in, 2), 0);
    assert_int_equal(br_instance_machine_class(in, 3), 1);

    const uint32_t stages[] = {b, c};
    struct br_instance *part = br_instance_part(in, stages, 2);
    assert_non_null(part);
    assert_int_equal(part->tasks, 3);
    assert_int_equal(part->task_origin[1], 3);
    assert_int_equal(part->duration[1], 5);
    assert_int_equal(part->demand[0 * 2 + 1], 5);
    assert_int_equal(part->parent_first[2], 1);
    assert_int_equal(part->tick_ns, in->tick_ns);
    br_instance_destroy(part);
    br_instance_destroy(in);
    br_instance_destroy(NULL);
    br_dag_destroy(dag);
    br_cluster_destroy(cluster);
}

/* One stage of the given demand against the two classes. */
static void expect_refused(const char *resource, const char *amount, int64_t ns, uint32_t tasks,
                           const char *second, const char *what)
{
    struct br_dag *dag = br_dag_create("job");
    struct br_cluster *cluster = two_classes();
    struct br_instance *in;
    struct br_diag diag = {0};
    add(dag, "map", tasks, ns);
    assert_int_equal(br_dag_add_demand(dag, 0, resource, amount, NULL), BR_OK);
    if (second)
        assert_int_equal(br_dag_add_demand(dag, 0, second, "1", NULL), BR_OK);
    br_dag_set_stage_pos(dag, 0, (struct br_pos){5, 2});
    br_dag_set_source(dag, "job.xml", NULL);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_instance_create(dag, cluster, &in, &diag), BR_BAD_INPUT);
    assert_null(in);
    if (!strstr(diag.what, what))
        fail_msg("'%s' lacks '%s'", diag.what, what);
    assert_string_equal(diag.file, "job.xml");
    br_dag_destroy(dag);
    br_cluster_destroy(cluster);
}

static void misfits(void **state)
{
    expect_refused("cpu", "9", S, 1, NULL,
                   "task map demands 9 of cpu, but the largest machine, large, has 8");
    expect_refused("gpu", "0.6", S, 2, NULL, "task map[0] demands 0.6 of gpu");
    expect_refused("mem", "1", S, 1, NULL,
                   "task map demands 1 B of mem, which no machine of the cluster has");
    expect_refused("cpu", "0.000000000000000001", S, 1, NULL, "does not fit 63 bits");
    expect_refused("cpu", "1", INT64_MAX / 2, 1, NULL, "add up to more than");
    expect_refused("cpu", "1", INT64_MAX / 8, 4, NULL, "add up to more than");

    /* Each demand fits some machine, and no machine has both. */
    struct br_dag *dag = br_dag_create("job");
    struct br_cluster *cluster = br_cluster_create(NULL);
    struct br_instance *in;
    struct br_diag diag = {0};
    br_cluster_add_class(cluster, "a", 1, NULL, NULL);
    br_cluster_add_class(cluster, "b", 1, NULL, NULL);
    br_cluster_add_capacity(cluster, 0, "cpu", "4", NULL);
    br_cluster_add_capacity(cluster, 1, "gpu", "1", NULL);
    add(dag, "t", 1, S);
    br_dag_add_demand(dag, 0, "cpu", "1", NULL);
    br_dag_add_demand(dag, 0, "gpu", "1", NULL);
    br_dag_finish(dag, NULL);
    assert_int_equal(br_instance_create(dag, cluster, &in, &diag), BR_BAD_INPUT);
    assert_non_null(strstr(diag.what, "fits no class of machines"));
    br_cluster_destroy(cluster);
    /* The largest machine is named, however small the amounts. */
    cluster = br_cluster_create(NULL);
    br_cluster_add_class(cluster, "small", 1, NULL, NULL);
    br_cluster_add_class(cluster, "tiny", 1, NULL, NULL);
    br_cluster_add_capacity(cluster, 0, "cpu", "0.0000002", NULL);
    br_cluster_add_capacity(cluster, 1, "cpu", "0.00000003", NULL);
    br_cluster_add_class(cluster, "large", 1, NULL, NULL);
    br_cluster_add_capacity(cluster, 2, "cpu", "0.0000004", NULL);
    assert_int_equal(br_instance_create(dag, cluster, &in, &diag), BR_BAD_INPUT);
    assert_non_null(strstr(diag.what, "largest machine, large, has 0.0000004"));
    br_cluster_destroy(cluster);
    cluster = br_cluster_create(NULL);
    assert_int_equal(br_instance_create(dag, cluster, &in, &diag), BR_BAD_INPUT);
    assert_non_null(strstr(diag.what, "empty"));
    br_dag_destroy(dag);
    br_cluster_destroy(cluster);
}

/* A stage's own word on its shell decides, whichever comes first, else the job's; attributes of
 * that name elsewhere, and others anywhere, say nothing. */
static void scripts(void **state)
{
    static const struct {
        const char *job;
        bool all, want[4];
    } cases[] = {
        {NULL, false, {false, true, false, true}}, {"true", false, {true, true, false, true}},
        {"yes", false, {true, true, false, true}}, {"1", false, {true, true, false, true}},
        {"no", false, {false, true, false, true}}, {NULL, true, {true, true, true, true}},
        {"false", true, {true, true, true, true}}};
    for (size_t k = 0; k < 2 * sizeof cases / sizeof *cases; k++) {
        const char *job = cases[k / 2].job;
        struct br_dag *dag = br_dag_create("job");
        struct br_arena arena = {0};
        for (uint32_t s = 0; s < 4; s++)
            add(dag, (const char[2]){(char)('a' + s), '\0'}, 1, S);
        for (uint32_t s = 1; s < 4; s++)
            assert_int_equal(br_dag_add_edge(dag, s - 1, s, BR_BARRIER, NULL), BR_OK);
        if (job && k % 2)
            br_dag_add_attribute(dag, BR_OWNER_JOB, 0, "shell", job, NULL);
        br_dag_add_attribute(dag, BR_OWNER_STAGE, 1, "shell", "true", NULL);
        br_dag_add_attribute(dag, BR_OWNER_STAGE, 2, "shell", "0", NULL);
        br_dag_add_attribute(dag, BR_OWNER_STAGE, 3, "shell", "yes", NULL);
        br_dag_add_attribute(dag, BR_OWNER_EDGE, 0, "shell", "true", NULL);
        br_dag_add_attribute(dag, BR_OWNER_EDGE, 1, "shell", "false", NULL);
        br_dag_add_attribute(dag, BR_OWNER_EDGE, 2, "shell", "true", NULL);
        br_dag_add_attribute(dag, BR_OWNER_STAGE, 0, "shelf", "true", NULL);
        if (job && k % 2 == 0)
            br_dag_add_attribute(dag, BR_OWNER_JOB, 0, "shell", job, NULL);
        assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
        bool *script = br_dag_scripts(&arena, dag, cases[k / 2].all);
        assert_non_null(script);
        for (uint32_t s = 0; s < 4; s++)
            if (script[s] != cases[k / 2].want[s])
                fail_msg("case %d: stage %u is %d", (int)k, s, script[s]);
        br_arena_finish(&arena);
        br_dag_destroy(dag);
    }
}

/* Bytes of edges: the largest of several counts, the job knows the sum, and the fingerprint is that
 * of the job without them. */
static void bytes(void **state)
{
    struct br_diag diag = {0};
    uint64_t print[2];
    for (int with = 0; with < 2; with++) {
        struct br_dag *dag = br_dag_create("job");
        uint32_t a = add(dag, "a", 2, S), b = add(dag, "b", 2, S), c = add(dag, "c", 1, S);
        assert_int_equal(br_dag_add_edge(dag, a, b, BR_ONE_TO_ONE, NULL), BR_OK);
        assert_int_equal(br_dag_add_edge(dag, b, c, BR_BARRIER, NULL), BR_OK);
        if (with) {
            assert_int_equal(br_dag_set_edge_bytes(dag, a, b, 70, &diag), BR_OK);
            assert_int_equal(br_dag_set_edge_bytes(dag, a, b, 50, &diag), BR_OK);
            assert_int_equal(br_dag_set_edge_bytes(dag, a, b, 100, &diag), BR_OK);
            assert_int_equal(br_dag_set_edge_bytes(dag, b, c, 11, &diag), BR_OK);
            assert_int_equal(br_dag_set_edge_bytes(dag, b, c, -1, &diag), BR_BAD_INPUT);
            assert_non_null(strstr(diag.what, "carries -1 bytes"));
            assert_int_equal(br_dag_set_edge_bytes(dag, a, c, 1, &diag), BR_BAD_INPUT);
            assert_non_null(strstr(diag.what, "which no edge joins"));
            assert_int_equal(br_dag_set_edge_bytes(dag, b, c, BR_MAX_BYTES - 99, &diag),
                             BR_BAD_INPUT); /* one too many in all */
            assert_int_equal(br_dag_set_edge_bytes(dag, a, 9, 1, &diag), BR_USAGE);
            assert_int_equal(br_dag_add_edge(dag, a, b, BR_BARRIER, NULL), BR_OK); /* stays */
        } else {
            assert_int_equal(br_dag_add_edge(dag, a, b, BR_BARRIER, NULL), BR_OK);
        }
        assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
        assert_int_equal(br_dag_set_edge_bytes(dag, a, b, 200, &diag), BR_USAGE);
        assert_int_equal(dag->bytes, with ? 111 : 0);
        assert_int_equal(dag->edge[0].bytes, with ? 100 : 0);
        print[with] = br_dag_fingerprint(dag, true);
        br_dag_destroy(dag);
    }
    assert_true(print[0] == print[1]);
}

static void ports(void **state)
{
    struct br_cluster *cluster = br_cluster_create(NULL);
    struct br_diag diag = {0};
    uint32_t cls;
    assert_int_equal(br_cluster_add_class(cluster, "m", 2, &cls, NULL), BR_OK);
    assert_int_equal(cluster->cls[cls].up, 0);
    assert_int_equal(br_cluster_set_network(cluster, cls, 5, 7, &diag), BR_OK);
    assert_int_equal(br_cluster_set_network(cluster, cls, 0, 7, &diag), BR_BAD_INPUT);
    assert_int_equal(br_cluster_set_network(cluster, cls, 7, -1, &diag), BR_BAD_INPUT);
    assert_int_equal(br_cluster_set_network(cluster, cls, BR_MAX_RATE + 1, 7, &diag), BR_BAD_INPUT);
    assert_int_equal(br_cluster_set_network(cluster, cls + 1, 5, 7, &diag), BR_USAGE);
    assert_int_equal(cluster->cls[cls].up, 5);
    assert_int_equal(cluster->cls[cls].down, 7);
    br_cluster_destroy(cluster);
}

/* A cluster in bytes and a job in a multiple of them do not meet, nor do a unit and a demand of one
 * job; the same numbers in one unit, or without a suffix, do. */
static void units(void **state)
{
    static const struct {
        const char *unit, *demand, *capacity;
        bool is_job, meets;
    } cases[] = {
        {"MiB", "2", "16GiB", true, false},      {"MiB", "2", "16384", true, true},
        {"MiB", "2", "16 GiB  ", true, false},   {"MiB", "2k", "16k", true, true},
        {"GB", "2", "16B", true, false},         {"KiB/s", "2", "1MB", true, false},
        {"bytes", "2GiB", "16GiB", true, true},  {"B", "2GiB", "16GiB", true, true},
        {NULL, "2GiB", "16GiB", true, true},     {"Messages", "2", "16GiB", true, true},
        {"MiB", "2GiB", "16384", false, false},  {"MiB", "2MiB ", "16GiB", false, false},
        {"MB/s", "20kB", "16384", false, false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int late = 0; late < 2; late++) {
            struct br_dag *dag = br_dag_create("job");
            struct br_cluster *cluster = br_cluster_create(NULL);
            struct br_instance *instance = NULL;
            struct br_diag diag = {0};
            uint32_t stage = add(dag, "a", 1, S), cls;
            enum br_status status = BR_OK;
            if (!late)
                status = br_dag_add_resource(dag, "mem", cases[k].unit, &diag);
            if (!status)
                status = br_dag_add_demand(dag, stage, "mem", cases[k].demand, &diag);
            if (!status && late)
                status = br_dag_add_resource(dag, "mem", cases[k].unit, &diag);
            assert_int_equal(status, cases[k].is_job ? BR_OK : BR_BAD_INPUT);
            if (cases[k].is_job) {
                assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
                assert_int_equal(br_cluster_add_class(cluster, "m", 1, &cls, NULL), BR_OK);
                assert_int_equal(
                    br_cluster_add_capacity(cluster, cls, "mem", cases[k].capacity, NULL), BR_OK);
                status = br_instance_create(dag, cluster, &instance, &diag);
                assert_int_equal(status, cases[k].meets ? BR_OK : BR_BAD_INPUT);
            }
            if (status)
                assert_non_null(strstr(diag.what, "mem is in "));
            br_instance_destroy(instance);
            br_cluster_destroy(cluster);
            br_dag_destroy(dag);
        }
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(building),
        cmocka_unit_test(refusals),
        cmocka_unit_test(ids_of_tasks_are_unique),
        cmocka_unit_test(cycles),
        cmocka_unit_test(topological_order),
        cmocka_unit_test(clusters),
        cmocka_unit_test(instances),
        cmocka_unit_test(misfits),
        cmocka_unit_test(units),
        cmocka_unit_test(scripts),
        cmocka_unit_test(bytes),
        cmocka_unit_test(ports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
