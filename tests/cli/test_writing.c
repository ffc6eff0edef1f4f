/* What is kept back for writing a plan: bytes as they will be, at the rate that the clock tells. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/planning/writing.h"
#include "emit/emit.h"
#include <bigrocks/bigrocks.h>

static int64_t looks, unit;

static int64_t no_time(void)
{
    return 0;
}

/* Every look at it takes longer than the last. */
static int64_t growing(void)
{
    looks++;
    return unit * looks * looks;
}

/* Stages with names of so many characters; the first half of them is joined to the other. */
static struct br_input input_of(uint32_t stages, uint32_t tasks, int name, uint32_t edges)
{
    struct br_input input = {.dag = br_dag_create("job"), .cluster = br_cluster_create(NULL)};
    char *id = malloc((size_t)name + 32);
    for (uint32_t s = 0; s < stages; s++) {
        sprintf(id, "%0*u", name, s);
        assert_int_equal(br_dag_add_stage(input.dag, id, tasks, 1000000000, NULL, NULL), BR_OK);
        assert_int_equal(br_dag_add_demand(input.dag, s, "cpu", "1", NULL), BR_OK);
    }
    free(id);
    for (uint32_t e = 0; e < edges; e++)
        assert_int_equal(br_dag_add_edge(input.dag, e % (stages / 2 - 1),
                                         stages / 2 + e / (stages / 2 - 1), BR_BARRIER, NULL),
                         BR_OK);
    assert_int_equal(br_dag_finish(input.dag, NULL), BR_OK);
    assert_int_equal(br_cluster_add_class(input.cluster, "m", 4, NULL, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(input.cluster, 0, "cpu", "8", NULL), BR_OK);
    return input;
}

static size_t size_of(const struct br_input *input)
{
    struct br_plan_options options = br_plan_options_default();
    struct br_emit_input emit = {.dag = input->dag, .cluster = input->cluster};
    struct br_plan *plan = NULL;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    options.method = "cp";
    options.bound = BR_PLAN_BOUND_NONE;
    assert_int_equal(br_plan_make(input->dag, input->cluster, &options, &plan, NULL), BR_OK);
    emit.plan = plan;
    assert_int_equal(br_emit_plan("json", &emit, out, NULL), BR_OK);
    fclose(out);
    free(text);
    br_plan_destroy(plan);
    return size;
}

/* Without a clock a byte takes what the system takes for it, a nanosecond, and half of that as room
 * for doubt. */
static void bytes_are_counted(void **state)
{
    const struct {
        uint32_t stages, tasks;
        int name;
        uint32_t edges;
    } jobs[] = {{20000, 1, 6, 0}, {20, 2000, 6, 0}, {10000, 1, 400, 0}, {1000, 1, 6, 200000}};
    for (size_t k = 0; k < sizeof jobs / sizeof *jobs; k++) {
        struct br_input input =
            input_of(jobs[k].stages, jobs[k].tasks, jobs[k].name, jobs[k].edges);
        const double size = 1.5 * (double)size_of(&input);
        const double told = (double)cli_writing_ns(&input, "json", no_time);
        print_message("%.0f told, %.0f written\n", told, size);
        assert_true(told > 0.9 * size && told < 1.1 * size);
        br_dag_destroy(input.dag);
        br_cluster_destroy(input.cluster);
    }
}

/* What the clock tells of a slower machine is kept back in the same proportion. */
static void the_rate_is_measured(void **state)
{
    struct br_input input = input_of(20000, 1, 6, 0);
    int64_t told[3];
    for (int k = 0; k < 3; k++) {
        looks = 0;
        unit = k * 10000;
        told[k] = cli_writing_ns(&input, "json", growing);
    }
    const int64_t more = told[1] - told[0], twice = told[2] - told[0];
    assert_true(more > told[0] / 10);
    assert_true(llabs(twice - 2 * more) <= 2);
    br_dag_destroy(input.dag);
    br_cluster_destroy(input.cluster);
}

/* A small job is not sampled, nor is what folds a large one. */
static void small_jobs_need_no_clock(void **state)
{
    struct br_input small = input_of(100, 1, 6, 0), large = input_of(20000, 1, 6, 0);
    looks = 0;
    assert_int_equal(cli_writing_ns(&small, "json", growing), 100 * 2500);
    assert_int_equal(cli_writing_ns(&large, "svg", growing), 20000 * 2500);
    assert_int_equal(looks, 0);
    br_dag_destroy(small.dag);
    br_cluster_destroy(small.cluster);
    br_dag_destroy(large.dag);
    br_cluster_destroy(large.cluster);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_counted),
        cmocka_unit_test(the_rate_is_measured),
        cmocka_unit_test(small_jobs_need_no_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
