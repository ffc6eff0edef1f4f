/* Do jobs of the kind "cosmos" come out as the statistics that the model follows? Measured over
 * many seeds, and held to tolerances of about four standard errors of what 300 seeds give.
 *
 * With a number as its argument it measures so many seeds instead and prints the table that
 * docs/generate.md holds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/real.h"
#include "generate/generate.h"
#include "planner/model/dag.h"
#include "planner/instance/part.h"
#include <bigrocks/bigrocks.h>

enum { SEEDS = 300, RESOURCES = 4, JOIN = 0, MAP, OTHER, ROLES };

/* A growing list of numbers. */
struct list {
    double *value;
    size_t count, room;
};

struct statistics {
    struct list depth, stages, tasks, stage_tasks, log_duration, cycles;
    struct list demand[RESOURCES];
    struct list role_demand[ROLES][RESOURCES];
    uint64_t edges, barriers;
    unsigned jobs, trees, several_inputs, several_outputs, four_parts;
    double most_cuts; /* beyond one and 15 % of the stages */
    double fall;      /* sum over jobs of log(mean tasks of inputs / mean tasks of outputs) */
};

static void append(struct list *list, double value)
{
    if (list->count == list->room) {
        list->room = list->room * 2 + 1024;
        list->value = realloc(list->value, list->room * sizeof *list->value);
        assert_non_null(list->value);
    }
    list->value[list->count++] = value;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double quantile(struct list *list, double share)
{
    qsort(list->value, list->count, sizeof *list->value, by_value);
    return list->value[(size_t)(share * (double)(list->count - 1) + 0.5)];
}

static double mean(const struct list *list)
{
    double sum = 0;
    for (size_t k = 0; k < list->count; k++)
        sum += list->value[k];
    return sum / (double)list->count;
}

static double covariance(const struct list *a, const struct list *b)
{
    double ma = mean(a), mb = mean(b), sum = 0;
    for (size_t k = 0; k < a->count; k++)
        sum += (a->value[k] - ma) * (b->value[k] - mb);
    return sum / (double)a->count;
}

static double deviation(const struct list *list)
{
    return sqrt(covariance(list, list));
}

static double variation(const struct list *list)
{
    return deviation(list) / mean(list);
}

/* Of the logarithms, since the demands themselves are skewed. */
static double correlation(const struct list *a, const struct list *b)
{
    struct list la = {0}, lb = {0};
    for (size_t k = 0; k < a->count; k++) {
        append(&la, log(a->value[k]));
        append(&lb, log(b->value[k]));
    }
    double r = covariance(&la, &lb) / (deviation(&la) * deviation(&lb));
    free(la.value);
    free(lb.value);
    return r;
}

static struct br_cluster *standard_cluster(void)
{
    static const char *const offer[RESOURCES][2] = {
        {"cpu", "16"}, {"mem", "68719476736"}, {"net", "1000"}, {"disk", "1000"}};
    struct br_cluster *cluster = br_cluster_create("standard");
    uint32_t cls;
    assert_int_equal(br_cluster_add_class(cluster, "m", 50, &cls, NULL), BR_OK);
    for (int r = 0; r < RESOURCES; r++)
        assert_int_equal(br_cluster_add_capacity(cluster, cls, offer[r][0], offer[r][1], NULL),
                         BR_OK);
    return cluster;
}

static void measure_stages(struct statistics *all, const struct br_dag *dag)
{
    for (uint32_t s = 0; s < dag->stages; s++) {
        const struct br_stage *stage = &dag->stage[s];
        append(&all->stage_tasks, stage->tasks);
        append(&all->log_duration, log((double)stage->duration_ns / 1e9));
        int role = strncmp(stage->id, "map", 3) == 0 ? MAP
                   : strncmp(stage->id, "join", 4) == 0 || strncmp(stage->id, "reduce", 6) == 0
                       ? JOIN
                       : OTHER;
        assert_int_equal(stage->demands, RESOURCES);
        for (uint32_t r = 0; r < RESOURCES; r++) {
            const struct br_demand *demand = &dag->demand[stage->first_demand + r];
            assert_int_equal(demand->resource, r);
            double amount = (double)demand->amount.mantissa * pow(10, demand->amount.exponent);
            append(&all->demand[r], amount);
            append(&all->role_demand[role][r], amount);
        }
    }
}

static void measure_graph(struct statistics *all, const struct br_dag *dag)
{
    uint32_t *level = calloc(dag->stages, sizeof *level), depth = 0;
    bool *has_child = calloc(dag->stages, sizeof *has_child);
    bool *has_parent = calloc(dag->stages, sizeof *has_parent);
    assert_true(level && has_child && has_parent);
    /* Stages are numbered downwards, so that repeating until nothing moves takes few rounds. */
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t e = 0; e < dag->edges; e++) {
            uint32_t a = dag->edge[e].parent, b = dag->edge[e].child;
            has_child[a] = has_parent[b] = true;
            if (level[b] <= level[a]) {
                level[b] = level[a] + 1;
                moved = true;
            }
        }
    }
    uint32_t inputs = 0, outputs = 0;
    double input_tasks = 0, output_tasks = 0;
    for (uint32_t s = 0; s < dag->stages; s++) {
        depth = level[s] > depth ? level[s] : depth;
        inputs += !has_parent[s];
        outputs += !has_child[s];
        input_tasks += has_parent[s] ? 0 : dag->stage[s].tasks;
        output_tasks += has_child[s] ? 0 : dag->stage[s].tasks;
    }
    for (uint32_t e = 0; e < dag->edges; e++)
        all->barriers += dag->edge[e].type == BR_BARRIER;
    all->edges += dag->edges;
    append(&all->depth, depth);
    append(&all->cycles, dag->edges + 1.0 - dag->stages);
    all->trees += dag->edges + 1 == dag->stages;
    all->several_inputs += inputs > 1;
    all->several_outputs += outputs > 1;
    all->fall += log(input_tasks / inputs / (output_tasks / outputs));
    free(level);
    free(has_child);
    free(has_parent);
}

static void measure(struct statistics *all, unsigned seeds)
{
    struct br_cluster *cluster = standard_cluster();
    *all = (struct statistics){.jobs = seeds};
    for (unsigned seed = 1; seed <= seeds; seed++) {
        struct br_generate_options options = br_generate_options_default();
        struct br_dag *dag;
        struct br_diag diag = {0};
        struct br_instance *instance;
        struct br_parts parts;
        options.seed = seed;
        if (br_generate(&options, &dag, &diag))
            fail_msg("seed %u: %s", seed, diag.what);
        append(&all->stages, dag->stages);
        append(&all->tasks, dag->tasks);
        measure_stages(all, dag);
        measure_graph(all, dag);
        /* Fails where a task fits no machine. */
        if (br_instance_create(dag, cluster, &instance, &diag))
            fail_msg("seed %u: %s", seed, diag.what);
        assert_int_equal(br_parts_create(instance, &parts, NULL), BR_OK);
        all->four_parts += parts.count >= 4;
        double over = parts.count - 1 - (0.15 * dag->stages + 1);
        all->most_cuts = over > all->most_cuts ? over : all->most_cuts;
        br_parts_finish(&parts);
        br_instance_destroy(instance);
        br_dag_destroy(dag);
    }
    br_cluster_destroy(cluster);
}

static void release(struct statistics *all)
{
    struct list *lists[] = {&all->depth,       &all->stages,       &all->tasks,
                            &all->stage_tasks, &all->log_duration, &all->cycles};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        free(lists[k]->value);
    for (int r = 0; r < RESOURCES; r++) {
        free(all->demand[r].value);
        for (int role = 0; role < ROLES; role++)
            free(all->role_demand[role][r].value);
    }
}

/* Pairs of resources with the weakest and the strongest correlation. */
static void correlations(struct statistics *all, double *least, double *most)
{
    *least = 1;
    *most = -1;
    for (int a = 0; a < RESOURCES; a++)
        for (int b = a + 1; b < RESOURCES; b++) {
            double r = correlation(&all->demand[a], &all->demand[b]);
            *least = r < *least ? r : *least;
            *most = r > *most ? r : *most;
        }
}

static void assert_within(const char *what, double value, double least, double most)
{
    if (!(value >= least && value <= most))
        fail_msg("%s is %g, not within %g and %g", what, value, least, most);
}

static void test_statistics(void **state)
{
    static const char *const name[RESOURCES] = {"cpu", "mem", "net", "disk"};
    struct statistics all;
    double least, most;
    measure(&all, SEEDS);
    assert_within("median depth", quantile(&all.depth, 0.5), 4, 6);
    assert_within("75th percentile of depth", quantile(&all.depth, 0.75), 8, 12);
    assert_within("median of stages", quantile(&all.stages, 0.5), 15, 26);
    assert_within("95th percentile of stages", quantile(&all.stages, 0.95), 70, 140);
    assert_within("median of tasks", quantile(&all.tasks, 0.5), 1000, 3000);
    assert_within("95th percentile of tasks", quantile(&all.tasks, 0.95), 10000, 60000);
    assert_within("median duration", exp(quantile(&all.log_duration, 0.5)), 4.5, 5.5);
    assert_within("sigma of durations", deviation(&all.log_duration), 1.25, 1.35);
    for (int r = 0; r < RESOURCES; r++)
        assert_within(name[r], variation(&all.demand[r]), 0.5, 1);
    correlations(&all, &least, &most);
    assert_within("least correlation of demands", least, -0.45, 0.3);
    assert_within("largest correlation of demands", most, -0.3, 0.4);
    assert_true(mean(&all.role_demand[JOIN][2]) > 2 * mean(&all.role_demand[MAP][2]));
    assert_true(mean(&all.role_demand[MAP][3]) > 2 * mean(&all.role_demand[JOIN][3]));
    assert_within("barriers", (double)all.barriers / (double)all.edges, 0.13, 0.17);
    /* Heavy-tailed: the largest stages are far from the usual ones. Shrinking: inputs are larger.
     */
    assert_true(quantile(&all.stage_tasks, 0.99) > 15 * quantile(&all.stage_tasks, 0.5));
    assert_true(exp(all.fall / all.jobs) > 1.3);
    /* Trees and cycles, one part and many, one input or output and several: all of them occur. */
    assert_within("trees", all.trees / (double)all.jobs, 0.1, 0.5);
    assert_within("several inputs", all.several_inputs / (double)all.jobs, 0.4, 0.95);
    assert_within("several outputs", all.several_outputs / (double)all.jobs, 0.2, 0.95);
    assert_within("four parts or more", all.four_parts / (double)all.jobs, 0.1, 0.4);
    /* As many cuts are planted as there are barriers for; one or two come about by themselves. */
    assert_within("cuts beyond the share of barriers", all.most_cuts, -1, 2);
    release(&all);
}

static void print_table(unsigned seeds)
{
    struct statistics all;
    double least, most, jobs = seeds;
    measure(&all, seeds);
    correlations(&all, &least, &most);
    printf("depth, median and 75th percentile: %.0f, %.0f\n", quantile(&all.depth, 0.5),
           quantile(&all.depth, 0.75));
    printf("stages, median and 95th percentile: %.0f, %.0f\n", quantile(&all.stages, 0.5),
           quantile(&all.stages, 0.95));
    printf("tasks, median and 95th percentile: %.0f, %.0f\n", quantile(&all.tasks, 0.5),
           quantile(&all.tasks, 0.95));
    printf("tasks of a stage, median, 95th and 99th percentile: %.0f, %.0f, %.0f\n",
           quantile(&all.stage_tasks, 0.5), quantile(&all.stage_tasks, 0.95),
           quantile(&all.stage_tasks, 0.99));
    printf("tasks of inputs over tasks of outputs, geometric mean: %.2f\n", exp(all.fall / jobs));
    printf("mean duration of a stage, median and sigma: %.2f s, %.2f\n",
           exp(quantile(&all.log_duration, 0.5)), deviation(&all.log_duration));
    printf("coefficients of variation, cpu mem net disk: %.2f, %.2f, %.2f, %.2f\n",
           variation(&all.demand[0]), variation(&all.demand[1]), variation(&all.demand[2]),
           variation(&all.demand[3]));
    printf("correlations of the logarithms: %.2f to %.2f\n", least, most);
    printf("network, mean of joins and reduces, and of maps: %.0f, %.0f MB/s\n",
           mean(&all.role_demand[JOIN][2]), mean(&all.role_demand[MAP][2]));
    printf("disk, mean of joins and reduces, and of maps: %.0f, %.0f MB/s\n",
           mean(&all.role_demand[JOIN][3]), mean(&all.role_demand[MAP][3]));
    printf("barriers among edges: %.1f %%\n", 100 * (double)all.barriers / (double)all.edges);
    printf("four parts or more: %.1f %%\n", 100 * all.four_parts / jobs);
    printf("trees: %.1f %%; cycles, median: %.0f\n", 100 * all.trees / jobs,
           quantile(&all.cycles, 0.5));
    printf("several inputs: %.1f %%; several outputs: %.1f %%\n", 100 * all.several_inputs / jobs,
           100 * all.several_outputs / jobs);
    release(&all);
}

/* The spread inside a stage is that which was asked for, about the stage's mean duration. */
static void test_spread(void **state)
{
    struct br_generate_options options = br_generate_options_default();
    struct list ratio = {0};
    options.spread = 0.3;
    options.tasks = 20000;
    struct br_dag *dag;
    assert_int_equal(br_generate(&options, &dag, NULL), BR_OK);
    for (uint32_t s = 0; s < dag->stages; s++)
        for (uint32_t i = 0; i < dag->stage[s].tasks && dag->stage[s].duration_ns > 100000000; i++)
            append(&ratio, log((double)dag->duration_ns[dag->stage[s].first_task + i] /
                               (double)dag->stage[s].duration_ns));
    assert_true(ratio.count > 5000);
    assert_within("sigma", deviation(&ratio), 0.29, 0.31);
    for (size_t k = 0; k < ratio.count; k++)
        ratio.value[k] = exp(ratio.value[k]);
    assert_within("mean", mean(&ratio), 0.98, 1.02);
    free(ratio.value);
    br_dag_destroy(dag);
}

/* What the stage's tasks demand of the r-th resource, as a part of a machine. */
static double part_of(const struct br_dag *dag, uint32_t stage, uint32_t r)
{
    static const double machine[RESOURCES] = {16, 65536.0 * 1048576, 1000, 1000};
    const struct br_demand *demand = &dag->demand[dag->stage[stage].first_demand + r];
    assert_int_equal(demand->resource, r);
    return br_real_of(demand->amount) / machine[r];
}

/* Rocks take three times as long and are heavy in one resource, by turns; their other parents are
 * heavy in cores or memory; all else is as it is without. */
static void test_rocks(void **state)
{
    struct br_generate_options options = br_generate_options_default();
    double rocks = 0, stages = 0, heavy[RESOURCES] = {0}, leads = 0;
    (void)state;
    for (options.seed = 1; options.seed <= 60; options.seed++) {
        struct br_dag *plain, *dag;
        options.rocks = 0;
        assert_int_equal(br_generate(&options, &plain, NULL), BR_OK);
        options.rocks = 0.3;
        assert_int_equal(br_generate(&options, &dag, NULL), BR_OK);
        assert_int_equal(dag->stages, plain->stages);
        assert_int_equal(dag->edges, plain->edges);
        for (uint32_t s = 0; s < dag->stages; s++) {
            int64_t ns = plain->stage[s].duration_ns;
            bool rock = dag->stage[s].duration_ns != ns, leading = false;
            uint32_t most = 0, above = 0, differ = 0;
            for (uint32_t e = 0; e < dag->edges; e++)
                leading |=
                    dag->edge[e].parent == s && dag->stage[dag->edge[e].child].duration_ns !=
                                                    plain->stage[dag->edge[e].child].duration_ns;
            for (uint32_t r = 0; r < RESOURCES; r++) {
                most = part_of(dag, s, r) > part_of(dag, s, most) ? r : most;
                above += part_of(dag, s, r) > 0.11;
                differ += part_of(dag, s, r) != part_of(plain, s, r);
            }
            stages++;
            rocks += rock;
            leads += leading && !rock;
            if (rock) {
                assert_int_equal(dag->stage[s].duration_ns, 3 * ns);
                assert_true(part_of(dag, s, most) > 0.49 && part_of(dag, s, most) < 0.96);
                assert_int_equal(above, 1);
                heavy[most]++;
            } else if (leading) {
                assert_true(differ <= 1);
                assert_true(part_of(dag, s, 0) > 0.58 || part_of(dag, s, 1) > 0.58);
            } else {
                assert_int_equal(differ, 0);
            }
        }
        br_dag_destroy(dag);
        br_dag_destroy(plain);
    }
    assert_within("share of rocks", rocks / stages, 0.26, 0.34);
    assert_within("heavy in the same", heavy[0] / rocks, 0.22, 0.30);
    assert_within("leading", leads / stages, 0.1, 0.5);
    options.rocks = 1.5;
    struct br_dag *none;
    assert_int_equal(br_generate(&options, &none, NULL), BR_USAGE);
    options.rocks = 0.1;
    options.kind = "jockey-b";
    assert_int_equal(br_generate(&options, &none, NULL), BR_USAGE);
}

int main(int count, char **argument)
{
    if (count == 2 && atoi(argument[1]) > 0) {
        print_table((unsigned)atoi(argument[1]));
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_statistics),
        cmocka_unit_test(test_spread),
        cmocka_unit_test(test_rocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
