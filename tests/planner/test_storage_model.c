/* Outputs, shared resources and times as data: reads resolved, defaults, every refusal, and copies.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"
#include "planner/eligibility/features.h"
#include "planner/instance/instance.h"

#define S INT64_C(1000000000)

static void ok(enum br_status status)
{
    assert_int_equal(status, BR_OK);
}

static uint32_t add(struct br_dag *dag, const char *id, uint32_t tasks)
{
    uint32_t stage;
    ok(br_dag_add_stage(dag, id, tasks, 5 * S, &stage, NULL));
    return stage;
}

/* The diagnostic of a refusal has this in it. */
#define REFUSED(call, with, text)                                                                  \
    do {                                                                                           \
        struct br_diag diag = {0};                                                                 \
        assert_int_equal(call, with);                                                              \
        if (!strstr(diag.what, text))                                                              \
            fail_msg("'%s' does not say '%s'", diag.what, text);                                   \
    } while (0)

/* Three stages with outputs, four edges that read some of them. */
struct job {
    struct br_dag *dag;
    uint32_t a, b, c, d;
};

static struct job make_job(void)
{
    struct job job = {.dag = br_dag_create("job")};
    struct br_dag *dag = job.dag;
    job.a = add(dag, "a", 3);
    job.b = add(dag, "b", 3);
    job.c = add(dag, "c", 1);
    job.d = add(dag, "d", 2);
    ok(br_dag_add_output(dag, job.b, "log", "disk", "7", BR_OUTPUT_FROM_END | BR_OUTPUT_UNKEPT,
                         NULL));
    ok(br_dag_add_output(dag, job.a, "table", "mem", "2GiB", 0, NULL));
    ok(br_dag_add_output(dag, job.a, "index", "mem", "0.50", 0, NULL));
    ok(br_dag_add_output(dag, job.a, "spill", "disk", "1", BR_OUTPUT_UNKEPT, NULL));
    ok(br_dag_set_output_free(dag, job.a, "table", "rm {index}", NULL));
    ok(br_dag_add_edge(dag, job.a, job.b, BR_ONE_TO_ONE, NULL));
    ok(br_dag_add_edge(dag, job.b, job.c, BR_BARRIER, NULL));
    ok(br_dag_add_edge(dag, job.a, job.c, BR_BARRIER, NULL));
    ok(br_dag_add_edge(dag, job.a, job.d, BR_BARRIER, NULL));
    ok(br_dag_set_edge_reads(dag, job.a, job.b, " index\ttable ", NULL));
    ok(br_dag_set_edge_reads(dag, job.a, job.c, "", NULL));
    ok(br_dag_set_edge_reads(dag, job.a, job.d, "table", NULL));
    ok(br_dag_set_edge_reads(dag, job.a, job.d, "table spill", NULL));
    return job;
}

static void check_reads(const struct br_storage *storage, uint32_t edge, uint32_t count,
                        const char *const *ids)
{
    assert_int_equal(storage->edge_first[edge + 1] - storage->edge_first[edge], count);
    for (uint32_t k = 0; k < count; k++)
        assert_string_equal(storage->output[storage->reads[storage->edge_first[edge] + k]].id,
                            ids[k]);
}

static void check_job(const struct br_dag *dag, const struct job *job)
{
    const struct br_storage *storage = dag->storage;
    assert_non_null(storage);
    assert_int_equal(storage->outputs, 4);
    /* By stage, in the order given. */
    static const char *const ids[] = {"table", "index", "spill", "log"};
    for (uint32_t o = 0; o < 4; o++)
        assert_string_equal(storage->output[o].id, ids[o]);
    assert_int_equal(storage->stage_first[job->a], 0);
    assert_int_equal(storage->stage_first[job->b], 3);
    assert_int_equal(storage->stage_first[job->c], 4);
    assert_int_equal(storage->stage_first[job->d + 1], 4);
    assert_int_equal(storage->output[0].amount.mantissa, INT64_C(2147483648));
    assert_string_equal(storage->output[0].release, "rm {index}");
    assert_null(storage->output[1].release);
    assert_int_equal(storage->output[2].flags, BR_OUTPUT_UNKEPT);
    assert_int_equal(storage->output[3].flags, BR_OUTPUT_FROM_END | BR_OUTPUT_UNKEPT);
    assert_string_equal(dag->resource[storage->output[3].resource].name, "disk");
    check_reads(storage, 0, 2, ids);
    check_reads(storage, 1, 1, ids + 3); /* all, as none are named */
    check_reads(storage, 2, 0, NULL);
    check_reads(storage, 3, 2, (const char *const[]){"table", "spill"});
    assert_true(br_edge_reads_all(dag, 1));
    assert_false(br_edge_reads_all(dag, 0));
    assert_false(br_edge_reads_all(dag, 2));
    /* The readers of "table" and "spill". */
    assert_int_equal(storage->output_first[1] - storage->output_first[0], 2);
    assert_int_equal(storage->readers[storage->output_first[0]], 0);
    assert_int_equal(storage->readers[storage->output_first[0] + 1], 3);
    assert_int_equal(storage->output_first[3] - storage->output_first[2], 1);
    for (uint32_t o = 0; o < 4; o++)
        assert_false(br_output_is_result(storage, o));
}

static void reads(void **state)
{
    struct job job = make_job();
    ok(br_dag_finish(job.dag, NULL));
    check_job(job.dag, &job);
    assert_int_equal(br_features(job.dag, NULL), BR_FEATURE_OUTPUTS);
    br_dag_destroy(job.dag);
}

/* Outputs that nobody reads are results, unless they are not kept. */
static void results(void **state)
{
    struct br_dag *dag = br_dag_create("job");
    uint32_t a = add(dag, "a", 1);
    ok(br_dag_add_output(dag, a, "kept", "mem", "1", 0, NULL));
    ok(br_dag_add_output(dag, a, "gone", "mem", "1", BR_OUTPUT_UNKEPT, NULL));
    ok(br_dag_finish(dag, NULL));
    assert_true(br_output_is_result(dag->storage, 0));
    assert_false(br_output_is_result(dag->storage, 1));
    br_dag_destroy(dag);
    /* A job with nothing but reads of nothing has no storage. */
    dag = br_dag_create("job");
    a = add(dag, "a", 1);
    uint32_t b = add(dag, "b", 1);
    ok(br_dag_add_edge(dag, a, b, BR_BARRIER, NULL));
    ok(br_dag_set_edge_reads(dag, a, b, "", NULL));
    ok(br_dag_finish(dag, NULL));
    assert_null(dag->storage);
    assert_int_equal(br_features(dag, NULL), 0);
    br_dag_destroy(dag);
}

static void refused_outputs(void **state)
{
    struct job job = make_job();
    struct br_dag *dag = job.dag;
    const uint32_t a = job.a;
    REFUSED(br_dag_add_output(dag, a, "", "mem", "1", 0, &diag), BR_BAD_INPUT, "has the id ''");
    REFUSED(br_dag_add_output(dag, a, NULL, "mem", "1", 0, &diag), BR_BAD_INPUT, "has the id ''");
    REFUSED(br_dag_add_output(dag, a, "a b", "mem", "1", 0, &diag), BR_BAD_INPUT,
            "has the id 'a b'");
    REFUSED(br_dag_add_output(dag, a, "x", "mem", "1", 4, &diag), BR_USAGE, "unknown flags 4");
    REFUSED(br_dag_add_output(dag, a, "x", "", "1", 0, &diag), BR_BAD_INPUT,
            "output 'x' of stage 'a'");
    REFUSED(br_dag_add_output(dag, a, "x", "mem", "much", 0, &diag), BR_BAD_INPUT,
            "output 'x' of stage 'a'");
    REFUSED(br_dag_add_output(dag, a, "x", "mem", "-1", 0, &diag), BR_BAD_INPUT, "negative");
    REFUSED(br_dag_add_output(dag, a, "x", "mem", NULL, 0, &diag), BR_BAD_INPUT,
            "output 'x' of stage 'a'");
    REFUSED(br_dag_add_output(dag, a, "index", "disk", "1", 0, &diag), BR_BAD_INPUT,
            "two outputs 'index'");
    REFUSED(br_dag_add_output(dag, job.b, "log", "disk", "1", 0, &diag), BR_BAD_INPUT,
            "two outputs 'log'");
    REFUSED(br_dag_add_output(dag, 9, "x", "mem", "1", 0, &diag), BR_USAGE, "");
    REFUSED(br_dag_set_output_free(dag, a, "log", "rm", &diag), BR_BAD_INPUT, "no output 'log'");
    REFUSED(br_dag_set_edge_reads(dag, job.c, job.d, "x", &diag), BR_BAD_INPUT,
            "which no edge joins");
    ok(br_dag_finish(dag, NULL));
    REFUSED(br_dag_add_output(dag, a, "x", "mem", "1", 0, &diag), BR_USAGE, "");
    br_dag_destroy(dag);

    job = make_job();
    ok(br_dag_set_edge_reads(job.dag, job.a, job.d, "index log", NULL));
    REFUSED(br_dag_finish(job.dag, &diag), BR_BAD_INPUT, "reads 'log', which 'a' does not make");
    br_dag_destroy(job.dag);
}

static void times(void **state)
{
    struct job job = make_job();
    struct br_dag *dag = job.dag;
    ok(br_dag_set_release(dag, job.a, 1, 7 * S, NULL));
    ok(br_dag_set_release(dag, job.a, UINT32_MAX, 3 * S, NULL));
    ok(br_dag_set_deadline(dag, job.d, UINT32_MAX, 60 * S, NULL));
    ok(br_dag_set_deadline(dag, job.a, 1, 12 * S, NULL)); /* just so */
    ok(br_dag_set_edge_lag(dag, job.a, job.b, 4 * S, NULL));
    ok(br_dag_set_edge_lag(dag, job.a, job.b, 2 * S, NULL));
    ok(br_dag_set_edge_stream(dag, job.b, job.c, NULL));
    ok(br_dag_finish(dag, NULL));
    assert_int_equal(br_dag_release(dag, 0), 3 * S);
    assert_int_equal(br_dag_release(dag, 1), 7 * S);
    assert_int_equal(br_dag_release(dag, 3), 0);
    assert_int_equal(br_dag_deadline(dag, 0), INT64_MAX);
    assert_int_equal(br_dag_deadline(dag, 1), 12 * S);
    assert_int_equal(br_dag_deadline(dag, 8), 60 * S);
    assert_int_equal(br_dag_wait(dag, 0).lag_ns, 4 * S);
    assert_false(br_dag_wait(dag, 0).stream);
    assert_int_equal(br_dag_wait(dag, 1).lag_ns, 0);
    assert_true(br_dag_wait(dag, 1).stream);
    assert_int_equal(br_dag_wait(dag, 3).lag_ns, 0);
    assert_int_equal(br_features(dag, NULL), BR_FEATURES_OF_JOB & ~BR_FEATURES_MODES);
    br_dag_destroy(dag);

    job = make_job(); /* a job without them */
    ok(br_dag_finish(job.dag, NULL));
    assert_int_equal(br_dag_release(job.dag, 0), 0);
    assert_int_equal(br_dag_deadline(job.dag, 0), INT64_MAX);
    br_dag_destroy(job.dag);
}

static void refused_times(void **state)
{
    struct job job = make_job();
    struct br_dag *dag = job.dag;
    REFUSED(br_dag_set_release(dag, job.a, 3, 0, &diag), BR_BAD_INPUT, "none with index 3");
    REFUSED(br_dag_set_release(dag, job.a, 0, -1, &diag), BR_BAD_INPUT, "is released at -1e-09");
    REFUSED(br_dag_set_deadline(dag, job.a, UINT32_MAX, -S, &diag), BR_BAD_INPUT,
            "has its deadline at -1 s");
    REFUSED(br_dag_set_edge_lag(dag, job.a, job.b, -S, &diag), BR_BAD_INPUT, "a lag of -1 s");
    REFUSED(br_dag_set_edge_stream(dag, job.b, job.a, &diag), BR_BAD_INPUT, "which no edge joins");
    ok(br_dag_set_release(dag, job.b, 2, 8 * S, NULL));
    ok(br_dag_set_deadline(dag, job.b, UINT32_MAX, 8 * S - 1, NULL));
    REFUSED(br_dag_finish(dag, &diag), BR_BAD_INPUT,
            "task b[2] starts at 8 s at the earliest, but has to end by 7.999999999 s");
    br_dag_destroy(dag);
}

/* A job that is built from another has all of it, in the same order. */
static void copies(void **state)
{
    struct job job = make_job();
    struct br_dag *dag = job.dag, *copy = br_dag_create("job");
    ok(br_dag_set_release(dag, job.a, 1, 7 * S, NULL));
    ok(br_dag_set_deadline(dag, job.d, UINT32_MAX, 60 * S, NULL));
    ok(br_dag_set_edge_lag(dag, job.a, job.b, 4 * S, NULL));
    ok(br_dag_set_edge_stream(dag, job.b, job.c, NULL));
    ok(br_dag_finish(dag, NULL));
    for (uint32_t s = 0; s < dag->stages; s++)
        add(copy, dag->stage[s].id, dag->stage[s].tasks);
    for (uint32_t e = 0; e < dag->edges; e++)
        ok(br_dag_add_edge(copy, dag->edge[e].parent, dag->edge[e].child, dag->edge[e].type, NULL));
    ok(br_dag_copy_features(copy, dag, NULL));
    ok(br_dag_finish(copy, NULL));
    check_job(copy, &job);
    assert_int_equal(br_dag_details_fingerprint(copy), br_dag_details_fingerprint(dag));
    br_dag_destroy(copy);
    br_dag_destroy(dag);
}

/* Everything that a job may have is in the fingerprint of its details. */
static void fingerprints(void **state)
{
    uint64_t seen[9];
    for (uint32_t k = 0; k < 9; k++) {
        struct br_dag *dag = br_dag_create("job");
        uint32_t a = add(dag, "a", 2), b = add(dag, "b", 2);
        ok(br_dag_add_edge(dag, a, b, BR_BARRIER, NULL));
        if (k > 0)
            ok(br_dag_add_output(dag, a, "x", "mem", k == 2 ? "2" : "1",
                                 k == 3 ? BR_OUTPUT_FROM_END : 0, NULL));
        if (k == 4)
            ok(br_dag_set_edge_reads(dag, a, b, "", NULL));
        if (k == 5)
            ok(br_dag_set_release(dag, a, UINT32_MAX, S, NULL));
        if (k == 6)
            ok(br_dag_set_deadline(dag, b, 1, 90 * S, NULL));
        if (k == 7)
            ok(br_dag_set_edge_lag(dag, a, b, 1, NULL));
        if (k == 8)
            ok(br_dag_set_edge_stream(dag, a, b, NULL));
        ok(br_dag_finish(dag, NULL));
        seen[k] = br_dag_details_fingerprint(dag);
        for (uint32_t j = 0; j < k; j++)
            assert_true(seen[j] != seen[k]);
        br_dag_destroy(dag);
    }
}

static struct br_cluster *make_cluster(uint32_t count)
{
    struct br_cluster *cluster = br_cluster_create("c");
    uint32_t m, n;
    ok(br_cluster_add_class(cluster, "m", count, &m, NULL));
    ok(br_cluster_add_class(cluster, "n", 1, &n, NULL));
    ok(br_cluster_add_capacity(cluster, m, "cpu", "4", NULL));
    ok(br_cluster_add_shared(cluster, "licence", "5", NULL));
    return cluster;
}

static void add_windows(struct br_cluster *cluster)
{
    ok(br_cluster_add_unavailable(cluster, 0, 3, S, 2 * S, NULL));
    ok(br_cluster_add_unavailable(cluster, 1, UINT32_MAX, 3 * S, BR_FOREVER, NULL));
    ok(br_cluster_add_unavailable(cluster, UINT32_MAX, UINT32_MAX, 5 * S, 6 * S, NULL));
    ok(br_cluster_add_change(cluster, "cpu", 0, UINT32_MAX, 0, 9 * S, "2", NULL));
    ok(br_cluster_add_change(cluster, "licence", UINT32_MAX, UINT32_MAX, 0, S, "0", NULL));
}

static void windows(void **state)
{
    struct br_cluster *cluster = make_cluster(4);
    add_windows(cluster);
    const struct br_calendar *calendar = cluster->calendar;
    assert_int_equal(calendar->unavailables, 3);
    assert_int_equal(calendar->changes, 2);
    const struct br_span_of_machines *one = &calendar->unavailable[0].span;
    assert_int_equal(one->first, 3);
    assert_int_equal(one->count, 1);
    assert_int_equal(calendar->unavailable[1].span.first, 4);
    assert_int_equal(calendar->unavailable[2].span.count, 5);
    assert_int_equal(calendar->change[1].span.count, 0);
    struct br_span_words words;
    assert_true(br_span_part(cluster, one, true, 0, &words));
    assert_string_equal(words.cls->name, "m");
    assert_int_equal(words.index, 3);
    assert_false(br_span_part(cluster, one, true, 1, &words));
    assert_true(br_span_part(cluster, &calendar->unavailable[2].span, true, 0, &words));
    assert_null(words.cls);
    assert_true(br_span_part(cluster, &calendar->unavailable[2].span, false, 1, &words));
    assert_string_equal(words.cls->name, "n");
    assert_false(br_span_part(cluster, &calendar->unavailable[2].span, false, 2, &words));
    assert_true(br_span_part(cluster, &calendar->change[1].span, false, 0, &words));
    assert_null(words.cls);
    assert_false(br_span_part(cluster, &calendar->change[1].span, false, 1, &words));

    struct br_cluster *same = make_cluster(4), *fewer = make_cluster(3);
    ok(br_cluster_copy_calendar(same, cluster, NULL));
    assert_int_equal(br_cluster_fingerprint(same), br_cluster_fingerprint(cluster));
    ok(br_cluster_copy_calendar(fewer, cluster, NULL)); /* without that of m[3] */
    assert_int_equal(fewer->calendar->unavailables, 2);
    assert_int_equal(fewer->calendar->unavailable[0].span.first, 3);
    assert_int_equal(fewer->calendar->unavailable[1].span.count, 4);
    assert_int_equal(fewer->calendar->changes, 2);
    br_cluster_destroy(same);
    br_cluster_destroy(fewer);
    br_cluster_destroy(cluster);
}

static void refused_windows(void **state)
{
    struct br_cluster *cluster = make_cluster(4);
    REFUSED(br_cluster_add_shared(cluster, "licence", "2", &diag), BR_BAD_INPUT, "shared twice");
    REFUSED(br_cluster_add_shared(cluster, "cpu", "2", &diag), BR_BAD_INPUT,
            "class 'm' offers it, too");
    REFUSED(br_cluster_add_shared(cluster, "", "2", &diag), BR_BAD_INPUT, "shared resource");
    REFUSED(br_cluster_add_shared(cluster, "x", "few", &diag), BR_BAD_INPUT, "'few'");
    REFUSED(br_cluster_add_shared(cluster, "x", "-2", &diag), BR_BAD_INPUT, "negative");
    REFUSED(br_cluster_add_capacity(cluster, 0, "licence", "2", &diag), BR_BAD_INPUT,
            "class 'm' offers it, too");
    REFUSED(br_cluster_add_unavailable(cluster, 0, 4, 0, S, &diag), BR_BAD_INPUT,
            "none with index 4");
    REFUSED(br_cluster_add_unavailable(cluster, 2, 0, 0, S, &diag), BR_USAGE, "no class number 2");
    REFUSED(br_cluster_add_unavailable(cluster, 0, 0, S, S, &diag), BR_BAD_INPUT,
            "lasts from 1 s to 1 s");
    REFUSED(br_cluster_add_unavailable(cluster, 0, 0, -S, S, &diag), BR_BAD_INPUT,
            "lasts from -1 s");
    REFUSED(br_cluster_add_change(cluster, "cpu", UINT32_MAX, 0, 0, S, "1", &diag), BR_BAD_INPUT,
            "names no class of machines, and cpu is not shared");
    REFUSED(br_cluster_add_change(cluster, "cpu", 1, 0, 0, S, "1", &diag), BR_BAD_INPUT,
            "class 'n', which do not have it");
    REFUSED(br_cluster_add_change(cluster, "cpu", 0, 0, 0, S, "x", &diag), BR_BAD_INPUT,
            "a change of cpu");
    REFUSED(br_cluster_add_change(cluster, "cpu", 0, 0, 2 * S, S, "1", &diag), BR_BAD_INPUT,
            "a change of cpu lasts from 2 s to 1 s");
    REFUSED(br_cluster_add_change(cluster, "cpu", 0, 0, 0, S, NULL, &diag), BR_BAD_INPUT,
            "a change of cpu");
    assert_null(cluster->calendar);
    for (uint32_t k = 0; k < BR_MAX_WINDOWS; k++)
        ok(k % 2 ? br_cluster_add_unavailable(cluster, 0, 0, k, k + 1, NULL)
                 : br_cluster_add_change(cluster, "cpu", 0, 0, k, k + 1, "1", NULL));
    REFUSED(br_cluster_add_unavailable(cluster, 0, 0, 0, S, &diag), BR_BAD_INPUT,
            "more than 100000 times");
    REFUSED(br_cluster_add_change(cluster, "cpu", 0, 0, 0, S, "1", &diag), BR_BAD_INPUT,
            "more than 100000 times");
    br_cluster_destroy(cluster);
}

/* What a job does not know is refused by name; what does not matter to it is not. */
static void refused_features(void **state)
{
    static const struct {
        unsigned feature;
        const char *what;
    } rows[] = {{BR_FEATURE_OUTPUTS, "the job has outputs"},
                {BR_FEATURE_RELEASES, "the job has release times"},
                {BR_FEATURE_DEADLINES, "the job has deadlines"},
                {BR_FEATURE_LAGS, "the job has lags"},
                {BR_FEATURE_STREAMS, "the job has streams"},
                {BR_FEATURE_SHARED, "the cluster has resources that all machines share"},
                {BR_FEATURE_CALENDAR, "the cluster has machines or amounts that change"}};
    for (uint32_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const unsigned feature = rows[k].feature;
        struct br_dag *dag = br_dag_create("job");
        struct br_cluster *cluster = make_cluster(2);
        uint32_t a = add(dag, "a", 2), b = add(dag, "b", 2);
        ok(br_dag_add_edge(dag, a, b, BR_BARRIER, NULL));
        ok(br_dag_add_demand(dag, a, "cpu", "1", NULL));
        if (feature == BR_FEATURE_OUTPUTS)
            ok(br_dag_add_output(dag, a, "x", "cpu", "1", 0, NULL));
        if (feature == BR_FEATURE_RELEASES)
            ok(br_dag_set_release(dag, a, 0, S, NULL));
        if (feature == BR_FEATURE_DEADLINES)
            ok(br_dag_set_deadline(dag, a, 0, 90 * S, NULL));
        if (feature == BR_FEATURE_LAGS)
            ok(br_dag_set_edge_lag(dag, a, b, S, NULL));
        if (feature == BR_FEATURE_STREAMS)
            ok(br_dag_set_edge_stream(dag, a, b, NULL));
        if (feature == BR_FEATURE_SHARED)
            ok(br_dag_add_demand(dag, b, "licence", "1", NULL));
        if (feature == BR_FEATURE_CALENDAR)
            ok(br_cluster_add_unavailable(cluster, 0, 0, 0, S, NULL));
        ok(br_dag_finish(dag, NULL));
        assert_int_equal(br_features(dag, cluster), feature);
        assert_int_equal(br_features(dag, NULL), feature & BR_FEATURES_OF_JOB);
        REFUSED(br_features_refuse(dag, cluster, BR_FEATURES_ALL & ~feature, "that", &diag),
                BR_BAD_INPUT, rows[k].what);
        ok(br_features_refuse(dag, cluster, feature, "that", NULL));
        ok(br_features_refuse_cluster(cluster, BR_FEATURE_SHARED | feature, "that", NULL));
        br_dag_destroy(dag);
        br_cluster_destroy(cluster);
    }
    struct br_cluster *cluster = make_cluster(2);
    REFUSED(br_features_refuse_cluster(cluster, BR_FEATURE_CALENDAR, "that", &diag), BR_BAD_INPUT,
            "share, which that does not know");
    br_cluster_destroy(cluster);
}

/* A job that is built in the memory of another has none of its outputs and times. */
static void reused(void **state)
{
    struct job job = make_job();
    ok(br_dag_set_release(job.dag, job.a, 1, 7 * S, NULL));
    ok(br_dag_finish(job.dag, NULL));
    for (uint32_t k = 0; k < 3; k++) {
        ok(br_dag_reset(job.dag, "next", NULL));
        add(job.dag, "a", 2);
        ok(br_dag_finish(job.dag, NULL));
        assert_int_equal(br_features(job.dag, NULL), 0);
        assert_null(job.dag->storage);
        assert_int_equal(br_dag_release(job.dag, 1), 0);
    }
    br_dag_destroy(job.dag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads),           cmocka_unit_test(results),
        cmocka_unit_test(refused_outputs), cmocka_unit_test(times),
        cmocka_unit_test(refused_times),   cmocka_unit_test(copies),
        cmocka_unit_test(fingerprints),    cmocka_unit_test(windows),
        cmocka_unit_test(refused_windows), cmocka_unit_test(refused_features),
        cmocka_unit_test(reused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
