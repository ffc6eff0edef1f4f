/* The generator of jobs: sizes are exact, jobs are sound and of the shape that their kind promises,
 * the same options give the same bytes, and what comes out can be planned. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/rng.h"
#include "emit/emit.h"
#include "generate/generate.h"
#include "base/numbers/real.h"
#include "generate/sample.h"
#include "planner/instance/instance.h"
#include "planner/model/ranges.h"
#include <bigrocks/bigrocks.h>

static struct br_dag *make(const char *kind, uint64_t seed, uint32_t tasks, uint32_t stages,
                           double spread)
{
    struct br_generate_options options = {
        .kind = kind, .seed = seed, .tasks = tasks, .stages = stages, .spread = spread};
    struct br_dag *dag;
    struct br_diag diag = {0};
    if (br_generate(&options, &dag, &diag))
        fail_msg("%s, seed %" PRIu64 ": %s", kind, seed, diag.what);
    assert_true(dag->finished);
    return dag;
}

static struct br_cluster *cluster_of(uint32_t machines)
{
    static const char *const offer[][2] = {
        {"cpu", "16"}, {"mem", "68719476736"}, {"net", "1000"}, {"disk", "1000"}};
    struct br_cluster *cluster = br_cluster_create("standard");
    uint32_t cls;
    assert_int_equal(br_cluster_add_class(cluster, "m", machines, &cls, NULL), BR_OK);
    for (int r = 0; r < 4; r++)
        assert_int_equal(br_cluster_add_capacity(cluster, cls, offer[r][0], offer[r][1], NULL),
                         BR_OK);
    return cluster;
}

/* The job as the program writes it; the caller's to free. */
static char *text_of(const struct br_dag *dag)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    struct br_emit_input input = {.dag = dag};
    assert_int_equal(br_emit_job("xml", &input, out, NULL), BR_OK);
    assert_int_equal(fclose(out), 0);
    return text;
}

/* FNV-1a. */
static uint64_t hash_of(const struct br_dag *dag)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    char *text = text_of(dag);
    for (const char *c = text; *c; c++)
        hash = (hash ^ (unsigned char)*c) * UINT64_C(1099511628211);
    free(text);
    return hash;
}

static void test_sizes(void **state)
{
    struct br_cluster *cluster = cluster_of(1);
    struct br_rng rng = br_rng_seed(1);
    for (uint64_t seed = 0; seed < 400; seed++)
        for (uint32_t k = 0; br_named_name(&br_generate_kinds, k); k++) {
            /* Small ones, in which every special case occurs, and a few large ones. */
            uint32_t tasks = 1 + (uint32_t)br_rng_below(&rng, seed % 50 ? 60 : 20000);
            uint32_t stages = 1 + (uint32_t)br_rng_below(&rng, tasks);
            uint32_t ask = (uint32_t)br_rng_below(&rng, 3);
            const char *kind = br_named_name(&br_generate_kinds, k);
            struct br_dag *dag =
                make(kind, seed, ask == 1 ? 0 : tasks, ask == 2 ? 0 : stages, seed % 3 ? 0 : 0.3);
            if (ask != 1)
                assert_int_equal(dag->tasks, tasks);
            if (ask != 2)
                assert_int_equal(dag->stages, stages);
            assert_true(dag->stages <= dag->tasks);
            for (uint32_t t = 0; t < dag->tasks; t++)
                assert_true(dag->duration_ns[t] > 0);
            for (uint32_t e = 0; e < dag->edges; e++)
                assert_true(dag->edge[e].parent < dag->edge[e].child);
            /* Every task fits a machine, or there would be no instance. */
            struct br_instance *instance;
            assert_int_equal(br_instance_create(dag, cluster, &instance, NULL), BR_OK);
            br_instance_destroy(instance);
            br_dag_destroy(dag);
        }
    br_cluster_destroy(cluster);
}

static void degrees(const struct br_dag *dag, uint32_t *parents, uint32_t *children)
{
    memset(parents, 0, dag->stages * sizeof *parents);
    memset(children, 0, dag->stages * sizeof *children);
    for (uint32_t e = 0; e < dag->edges; e++) {
        parents[dag->edge[e].child]++;
        children[dag->edge[e].parent]++;
    }
}

static void test_shapes(void **state)
{
    enum { STAGES = 60, TASKS = 600 };
    uint32_t parents[STAGES], children[STAGES];
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct br_dag *dag = make("independent", seed, TASKS, STAGES, 0);
        assert_int_equal(dag->edges, 0);
        br_dag_destroy(dag);

        dag = make("chain", seed, TASKS, STAGES, 0);
        assert_int_equal(dag->edges, STAGES - 1);
        for (uint32_t e = 0; e < dag->edges; e++)
            assert_int_equal(dag->edge[e].child, dag->edge[e].parent + 1);
        br_dag_destroy(dag);

        /* One entry and one exit, and what forks joins. */
        static const char *const fans[] = {"fork-join", "series-parallel"};
        for (int f = 0; f < 2; f++) {
            dag = make(fans[f], seed, TASKS, STAGES, 0);
            degrees(dag, parents, children);
            for (uint32_t s = 0; s < STAGES; s++) {
                assert_int_equal(parents[s] == 0, s == 0);
                assert_int_equal(children[s] == 0, s == STAGES - 1);
                if (f == 0 && (parents[s] > 1 || children[s] > 1))
                    assert_int_equal(dag->stage[s].tasks, 1);
            }
            br_dag_destroy(dag);
        }

        dag = make("layered", seed, TASKS, STAGES, 0);
        degrees(dag, parents, children);
        for (uint32_t s = 0; s < STAGES; s++)
            assert_true(parents[s] <= 3);
        br_dag_destroy(dag);
    }
}

/* The bytes of the program's output are part of what it promises: a benchmark that names a kind and
 * a seed has to mean the same job next year and on another machine. A change here is a visible
 * change of the program. */
static void test_bytes(void **state)
{
    static const struct {
        const char *kind;
        uint64_t seed;
        uint32_t tasks, stages;
        double spread;
        uint64_t hash;
    } golden[] = {
#include "tests/golden/generate.inc"
    };
    bool different = false;
    for (size_t k = 0; k < sizeof golden / sizeof *golden; k++) {
        struct br_dag *dag = make(golden[k].kind, golden[k].seed, golden[k].tasks, golden[k].stages,
                                  golden[k].spread);
        uint64_t hash = hash_of(dag);
        if (hash != golden[k].hash) {
            print_error("{\"%s\", %" PRIu64 ", %" PRIu32 ", %" PRIu32 ", %g, UINT64_C(0x%016" PRIx64
                        ")},\n",
                        golden[k].kind, golden[k].seed, golden[k].tasks, golden[k].stages,
                        golden[k].spread, hash);
            different = true;
        }
        br_dag_destroy(dag);
    }
    assert_false(different);
}

/* An option changes what it speaks of, and nothing else. */
static void test_independence(void **state)
{
    struct br_dag *plain = make("cosmos", 5, 0, 0, 0), *spread = make("cosmos", 5, 0, 0, 0.3);
    struct br_dag *other = make("cosmos", 6, 0, 0, 0);
    assert_int_equal(plain->tasks, spread->tasks);
    assert_int_equal(plain->stages, spread->stages);
    assert_int_equal(plain->edges, spread->edges);
    assert_memory_equal(plain->edge, spread->edge, plain->edges * sizeof *plain->edge);
    for (uint32_t s = 0; s < plain->stages; s++) {
        assert_int_equal(plain->stage[s].duration_ns, spread->stage[s].duration_ns);
        assert_string_equal(plain->stage[s].id, spread->stage[s].id);
    }
    uint32_t same = 0;
    for (uint32_t t = 0; t < plain->tasks; t++)
        same += plain->duration_ns[t] == spread->duration_ns[t];
    assert_true(same < plain->tasks / 10);
    assert_true(hash_of(plain) != hash_of(other));
    br_dag_destroy(plain);
    br_dag_destroy(spread);
    br_dag_destroy(other);
}

/* br_plan_make verifies; this does so once more, and looks at the bound. */
static void test_plans(void **state)
{
    struct br_cluster *cluster = cluster_of(3);
    for (uint64_t seed = 0; seed < 5; seed++)
        for (uint32_t k = 0; br_named_name(&br_generate_kinds, k); k++) {
            struct br_dag *dag =
                make(br_named_name(&br_generate_kinds, k), seed, 120, 0, seed % 2 ? 0.3 : 0);
            struct br_plan_options options = br_plan_options_default();
            struct br_plan *plan;
            struct br_diag diag = {0};
            options.effort = BR_EFFORT_FAST;
            if (br_plan_make(dag, cluster, &options, &plan, &diag))
                fail_msg("%s, seed %" PRIu64 ": %s", br_named_name(&br_generate_kinds, k), seed,
                         diag.what);
            assert_int_equal(br_plan_verify(plan, dag, cluster, 1, NULL, NULL, NULL), BR_OK);
            assert_true(br_plan_lower_bound_ns(plan) > 0);
            br_plan_destroy(plan);
            br_dag_destroy(dag);
        }
    br_cluster_destroy(cluster);
}

/* Each extra has a generator of its own: none changes the job without it, or another extra. */
static void test_extras(void **state)
{
    struct br_generate_options all = br_generate_options_default(), some;
    all.seed = 5;
    struct br_extras *extras = &all.extras;
    extras->outputs = extras->licences = extras->releases = extras->deadlines = 0.5;
    extras->lags = extras->streams = extras->outputs_from_end = 0.5;
    some = all;
    some.extras.licences = some.extras.streams = some.extras.outputs_from_end = 0;
    struct br_dag *plain = make("cosmos", 5, 0, 0, 0), *full, *part;
    assert_int_equal(br_generate(&all, &full, NULL), BR_OK);
    assert_int_equal(br_generate(&some, &part, NULL), BR_OK);
    assert_memory_equal(plain->edge, full->edge, plain->edges * sizeof *plain->edge);
    assert_memory_equal(plain->duration_ns, full->duration_ns,
                        plain->tasks * sizeof *plain->duration_ns);
    const uint32_t outputs = full->storage->outputs;
    uint32_t from_end = 0;
    assert_int_equal(outputs, part->storage->outputs);
    for (uint32_t k = 0; k < outputs; k++) {
        const struct br_output *one = &full->storage->output[k], *other = &part->storage->output[k];
        assert_int_equal(one->stage, other->stage);
        assert_int_equal(one->amount.mantissa, other->amount.mantissa);
        assert_int_equal(one->amount.exponent, other->amount.exponent);
        assert_true(one->amount.exponent >= 0); /* whole bytes */
        assert_int_equal(other->flags, 0);
        from_end += (one->flags & BR_OUTPUT_FROM_END) != 0;
    }
    assert_true(outputs > 0 && from_end > 0 && from_end < outputs);
    br_dag_destroy(plain);
    br_dag_destroy(full);
    br_dag_destroy(part);
    const char *const amounts[] = {"much", "-1", "9e18", ""};
    for (size_t k = 0; k < sizeof amounts / sizeof *amounts; k++) {
        struct br_diag diag = {0};
        extras->output_amount = amounts[k];
        assert_int_equal(br_generate(&all, &full, &diag), BR_USAGE);
        assert_null(full);
        assert_true(diag.what[0] && diag.hint[0]);
    }
}

/* Alternatives leave the rest of the job as it was; each task's own duration counts in all of them.
 */
static void look_at_ways(uint64_t seed, uint32_t seen[5])
{
    struct br_generate_options all = br_generate_options_default();
    struct br_dag *plain = make("layered", seed, 60, 12, 0.4), *full;
    all.kind = "layered";
    all.tasks = 60;
    all.stages = 12;
    all.spread = 0.4;
    all.seed = seed;
    all.extras.alternatives = 0.5;
    all.extras.classes = 0.3;
    assert_int_equal(br_generate(&all, &full, NULL), BR_OK);
    assert_memory_equal(plain->edge, full->edge, plain->edges * sizeof *plain->edge);
    assert_int_equal(plain->demands, full->demands);
    const struct br_alternatives *ways = full->alternatives;
    for (uint32_t s = 0; s < full->stages; s++) {
        const struct br_stage *stage = &full->stage[s];
        const uint32_t count = br_dag_alternative_count(full, s);
        const struct br_alternative *first = &ways->alternative[ways->stage_first[s]];
        seen[0]++;
        seen[1] += count > 0;
        seen[2] += count == 3;
        seen[3] += count == 0 && first->classes > 0;
        assert_true(count == 0 || count == 2 || count == 3);
        for (uint32_t i = 0; i < stage->tasks && count; i++) {
            const uint32_t t = stage->first_task + i;
            const int64_t one = ways->duration_ns[first[0].first_duration + i];
            const int64_t four = ways->duration_ns[first[1].first_duration + i];
            assert_int_equal(one, plain->duration_ns[t] / 1000 * 1000);
            assert_true(four * 100 <= one * 75 && four * 100 >= one * 27 - 100000);
            assert_true(full->duration_ns[t] <= four);
            seen[4] += one != first[0].duration_ns;
        }
        if (!count)
            assert_memory_equal(&full->duration_ns[stage->first_task],
                                &plain->duration_ns[stage->first_task],
                                stage->tasks * sizeof *plain->duration_ns);
    }
    br_dag_destroy(plain);
    br_dag_destroy(full);
}

static void test_ways(void **state)
{
    uint32_t seen[5] = {0};
    for (uint64_t seed = 1; seed <= 20; seed++)
        look_at_ways(seed, seen);
    assert_true(seen[1] > seen[0] / 3 && seen[1] < 2 * seen[0] / 3);
    assert_true(seen[2] > seen[1] / 4 && seen[2] < seen[1]);
    assert_true(seen[3] > 5 && seen[4] > 100);
}

static uint32_t edges_of(const struct br_dag *dag, enum br_edge_type type)
{
    uint32_t count = 0;
    for (uint32_t e = 0; e < dag->edges; e++)
        count += dag->edge[e].type == type;
    return count;
}

/* The graph is that without; one-to-one edges are ranges, of other counts or with an overlap. */
static void test_ranges(void **state)
{
    const char *const kinds[] = {"cosmos", "series-parallel", "jockey-c"};
    uint32_t before = 0, all = 0, half = 0, widened = 0;
    for (uint32_t k = 0; k < 3; k++)
        for (uint64_t seed = 0; seed < 40; seed++) {
            struct br_generate_options options = {
                .kind = kinds[k], .seed = seed, .tasks = 300, .stages = 20};
            struct br_dag *plain, *dag, *some;
            assert_int_equal(br_generate(&options, &plain, NULL), BR_OK);
            options.ranges = 1;
            assert_int_equal(br_generate(&options, &dag, NULL), BR_OK);
            options.ranges = 0.5;
            assert_int_equal(br_generate(&options, &some, NULL), BR_OK);
            const struct br_dag *written = br_dag_written(dag);
            assert_int_equal(dag->tasks, 300);
            assert_int_equal(written->stages, plain->stages);
            assert_int_equal(written->edges, plain->edges);
            for (uint32_t e = 0; e < plain->edges; e++) {
                assert_int_equal(written->edge[e].parent, plain->edge[e].parent);
                assert_int_equal(written->edge[e].child, plain->edge[e].child);
                widened += written->edge[e].overlap;
                assert_true(written->edge[e].overlap <= (k == 2));
            }
            before += edges_of(plain, BR_ONE_TO_ONE);
            all += edges_of(written, BR_RANGE);
            half += edges_of(br_dag_written(some), BR_RANGE);
            br_dag_destroy(plain);
            br_dag_destroy(dag);
            br_dag_destroy(some);
        }
    /* A few are barriers or one-to-one by their counts, such as those of stages of one task. */
    assert_in_range(all, before / 2, before);
    assert_in_range(half, all * 2 / 5, all * 3 / 5);
    assert_true(widened > 0);
}

static void test_refusals(void **state)
{
    const struct br_generate_options good = br_generate_options_default();
    struct br_generate_options bad[8];
    for (int k = 0; k < 8; k++)
        bad[k] = good;
    bad[0].kind = "cosmic";
    bad[1].tasks = 3, bad[1].stages = 4;
    bad[2].tasks = BR_MAX_TASKS + 1;
    bad[3].spread = -0.1;
    bad[4].spread = NAN;
    bad[5].stages = UINT32_MAX;
    bad[6].extras.outputs = 1.1;
    bad[7].extras.lags = NAN;
    for (int k = 0; k < 8; k++) {
        struct br_diag diag = {0};
        struct br_dag *dag;
        assert_int_equal(br_generate(&bad[k], &dag, &diag), BR_USAGE);
        assert_null(dag);
        assert_true(diag.what[0] && diag.hint[0]);
    }
    assert_non_null(br_named_at(&br_generate_kinds, 0)->summary);
}

/* Against the C library, whose last bit is not to be relied on but all others are. */
static void test_functions(void **state)
{
    struct br_rng rng = br_rng_seed(7);
    for (int k = 0; k < 200000; k++) {
        double x = 1400 * (br_rng_unit(&rng) - 0.5);
        assert_true(fabs(br_real_exp(x) / exp(x) - 1) < 1e-15);
        double y = ldexp(0.5 + br_rng_unit(&rng), (int)br_rng_below(&rng, 200) - 100);
        assert_true(fabs(br_real_log(y) - log(y)) <= 4e-16 * fmax(1, fabs(log(y))));
    }
    assert_true(br_real_exp(0) == 1 && br_real_log(1) == 0);
    /* Moments of a million normals, within five standard errors. */
    double sum[5] = {0};
    enum { MANY = 1000000 };
    for (int k = 0; k < MANY; k++) {
        double z = br_real_normal(&rng), power = 1;
        for (int m = 1; m <= 4; m++)
            sum[m] += power *= z;
    }
    assert_true(fabs(sum[1] / MANY) < 0.005);
    assert_true(fabs(sum[2] / MANY - 1) < 0.0071);
    assert_true(fabs(sum[3] / MANY) < 0.02);
    assert_true(fabs(sum[4] / MANY - 3) < 0.05);
    assert_int_equal(br_sample_round(2.4, 1, 9), 2);
    assert_int_equal(br_sample_round(2.5, 1, 9), 3);
    assert_int_equal(br_sample_round(-1, 1, 9), 1);
    assert_int_equal(br_sample_round(1e300, 1, 9), 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),    cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_bytes),    cmocka_unit_test(test_independence),
        cmocka_unit_test(test_plans),    cmocka_unit_test(test_extras),
        cmocka_unit_test(test_ways),     cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
