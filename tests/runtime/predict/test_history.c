/* Histories: what comes back is what was put in, robustly; and jobs take it over. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/predict/annotate.h"
#include "store/history/way.h"
#include "tests/support/database_file.h"

static struct br_history *open_history(const char *job)
{
    struct br_history *history;
    struct br_diag diag = {0};
    if (br_history_open(database_path, job, &history, &diag))
        fail_msg("%s", diag.what);
    return history;
}

static void add(struct br_history *history, const char *stage, int64_t wall_ns, int64_t cpu_ns,
                int64_t mem_bytes)
{
    struct br_history_sample sample = {stage, 0, wall_ns, cpu_ns, mem_bytes, 0, NULL, 0};
    assert_int_equal(br_history_add(history, &sample, NULL), BR_OK);
}

static struct br_history_estimate estimate(struct br_history *history, const char *stage)
{
    struct br_history_estimate estimate;
    assert_int_equal(br_history_estimate(history, stage, &estimate, NULL), BR_OK);
    return estimate;
}

static void test_estimate(void **state)
{
    (void)state;
    struct br_history *history = open_history("job");
    assert_int_equal(estimate(history, "a").samples, 0);
    add(history, "a", 100, 150, 1000);
    add(history, "a", 900, 900, -1);
    add(history, "a", 110, -1, 3000);
    add(history, "b", 0, 0, 0);
    assert_int_equal(estimate(history, "a").samples, 0); /* not written yet */
    assert_int_equal(br_history_flush(history, NULL), BR_OK);
    struct br_history_estimate a = estimate(history, "a"), b = estimate(history, "b");
    assert_int_equal(a.runs, 1);
    assert_int_equal(a.samples, 3);
    assert_int_equal(a.wall_ns, 110);
    assert_int_equal(a.spread_ns, 10);
    assert_int_equal(a.cpu_milli, 1000);
    assert_int_equal(a.mem_bytes, 3000);
    assert_int_equal(b.wall_ns, 0);
    assert_int_equal(b.cpu_milli, -1);
    assert_int_equal(b.mem_bytes, 0);
    assert_int_equal(br_history_close(history, NULL), BR_OK);
    /* Another job knows nothing of it, and the job itself finds it again. */
    history = open_history("other");
    assert_int_equal(estimate(history, "a").samples, 0);
    assert_int_equal(br_history_close(history, NULL), BR_OK);
    history = open_history("job");
    assert_int_equal(estimate(history, "a").wall_ns, 110);
    assert_int_equal(br_history_close(history, NULL), BR_OK);
}

/* Only the recent runs count, and only some are kept at all. */
static void test_runs(void **state)
{
    (void)state;
    for (int run = 0; run < BR_HISTORY_KEPT + 5; run++) {
        struct br_history *history = open_history("job");
        add(history, "a", run < 30 ? 1000000 : 1000 + run % 2, 0, 1 << 20);
        if (run < 8)
            add(history, "old", 5 + run, 0, -1);
        assert_int_equal(br_history_close(history, NULL), BR_OK);
    }
    struct br_history *history = open_history("job");
    struct br_history_estimate a = estimate(history, "a"), old = estimate(history, "old");
    assert_int_equal(a.runs, BR_HISTORY_RECENT);
    assert_int_equal(a.wall_ns, 1000);
    assert_int_equal(a.spread_ns, 0);
    /* Of its eight runs five are beyond those that are kept. */
    assert_int_equal(old.runs, 3);
    assert_int_equal(old.wall_ns, 11);
    assert_int_equal(br_history_close(history, NULL), BR_OK);
}

static void count_run(void *context, const struct br_history_run *run)
{
    (void)run;
    ++*(uint32_t *)context;
}

static uint32_t runs_of(struct br_history *history)
{
    uint32_t runs = 0;
    assert_int_equal(br_history_runs(history, count_run, &runs, NULL), BR_OK);
    return runs;
}

/* The most memory of a stage is known for longer than its runs are kept, and so is a stage that did
 * not run since; all else of those runs goes. */
static void test_memory(void **state)
{
    (void)state;
    uint32_t gone;
    for (int run = 0; run < BR_HISTORY_KEPT + 20; run++) {
        struct br_history *history = open_history("job");
        add(history, "a", run == 5 ? 1000000 : 1000, 0, run == 5 ? 9000 : 10 + run % 7);
        add(history, "a", 1000, 0, run == 5 ? 8000 : -1);
        if (run == 3)
            add(history, "rare", 7, 0, 70);
        assert_int_equal(br_history_close(history, NULL), BR_OK);
    }
    struct br_history *history = open_history("job");
    const struct br_history_estimate a = estimate(history, "a"), rare = estimate(history, "rare");
    assert_int_equal(a.mem_bytes, 9000);
    assert_int_equal(a.wall_ns, 1000);
    assert_int_equal(a.runs, BR_HISTORY_RECENT);
    assert_int_equal(rare.samples, 1);
    assert_int_equal(rare.mem_bytes, 70);
    assert_int_equal(runs_of(history), BR_HISTORY_KEPT + 2);
    assert_int_equal(br_history_keep(history, BR_HISTORY_KEPT, &gone, NULL), BR_OK);
    assert_int_equal(gone, 2);
    assert_int_equal(estimate(history, "a").mem_bytes, 16);
    assert_int_equal(estimate(history, "rare").samples, 0);
    assert_int_equal(br_history_close(history, NULL), BR_OK);
}

/* Stages that never come again do not make the file grow without end. */
static void test_growth(void **state)
{
    (void)state;
    for (int run = 0; run < BR_HISTORY_PEAKS + 3; run++) {
        char stage[32];
        snprintf(stage, sizeof stage, "once%d", run);
        struct br_history *history = open_history("job");
        add(history, stage, 1000, 0, 5);
        assert_int_equal(br_history_close(history, NULL), BR_OK);
    }
    struct br_history *history = open_history("job");
    assert_int_equal(runs_of(history), BR_HISTORY_PEAKS);
    assert_int_equal(estimate(history, "once2").samples, 0);
    assert_int_equal(estimate(history, "once3").mem_bytes, 5);
    assert_int_equal(br_history_close(history, NULL), BR_OK);
}

/* Many samples, from two processes at once: none is lost. */
static void test_two_writers(void **state)
{
    (void)state;
    enum { SAMPLES = 3000 };
    assert_int_equal(br_history_close(open_history("job"), NULL), BR_OK);
    pid_t child = fork();
    struct br_history *history = open_history("job");
    for (int k = 0; k < SAMPLES; k++)
        add(history, child ? "a" : "b", k, k, k);
    enum br_status status = br_history_close(history, NULL);
    if (child == 0)
        _exit(status);
    int ended;
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_int_equal(ended, 0);
    assert_int_equal(status, BR_OK);
    history = open_history("job");
    assert_int_equal(estimate(history, "a").samples, SAMPLES);
    assert_int_equal(estimate(history, "b").samples, SAMPLES);
    assert_int_equal(estimate(history, "b").runs, 1);
    assert_int_equal(br_history_close(history, NULL), BR_OK);
}

static void test_foreign(void **state)
{
    (void)state;
    struct br_history *history;
    struct br_diag diag = {0};
    FILE *file = fopen(database_path, "w");
    assert_non_null(file);
    for (int k = 0; k < 100; k++)
        fputs("this is no database, whatever it is called\n", file);
    fclose(file);
    assert_int_equal(br_history_open(database_path, "job", &history, &diag), BR_BAD_INPUT);
    assert_null(history);
    assert_int_equal(br_history_open("/nonexistent/x", "job", &history, &diag), BR_SYSTEM);
    assert_non_null(strstr(diag.what, "unable to open"));
}

static struct br_dag *make_job(void)
{
    struct br_dag *dag = br_dag_create("job");
    uint32_t a, b;
    assert_non_null(dag);
    br_dag_add_resource(dag, "cpu", "cores", NULL);
    br_dag_add_stage(dag, "a", 3, 50, &a, NULL);
    br_dag_set_duration(dag, a, 1, 70, NULL);
    br_dag_add_demand(dag, a, "cpu", "4", NULL);
    br_dag_add_demand(dag, a, "disk", "0.5", NULL);
    br_dag_set_command(dag, a, "run {index}", NULL);
    br_dag_add_stage(dag, "b", 1, 60, &b, NULL);
    br_dag_add_edge(dag, a, b, BR_BARRIER, NULL);
    br_dag_add_attribute(dag, BR_OWNER_EDGE, 0, "label", "x", NULL);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    return dag;
}

/* The amount that the stage demands, times a thousand; 0 where it demands none. */
static int64_t demanded(const struct br_dag *dag, uint32_t s, const char *resource)
{
    for (uint32_t d = dag->stage[s].first_demand;
         d < dag->stage[s].first_demand + dag->stage[s].demands; d++) {
        int64_t scaled = -1;
        if (strcmp(dag->resource[dag->demand[d].resource].name, resource) == 0) {
            assert_true(br_decimal_scale(dag->demand[d].amount, 3, &scaled));
            return scaled;
        }
    }
    return 0;
}

static void test_annotate(void **state)
{
    (void)state;
    struct br_dag *dag = make_job(), *made;
    struct br_annotate_report report;
    struct br_history *history = open_history("job");
    add(history, "a", 1000, 2300, (5 << 20) + 1);
    assert_int_equal(br_history_flush(history, NULL), BR_OK);
    assert_int_equal(br_history_annotate(history, dag, NULL, 0, &made, &report, NULL), BR_OK);
    br_dag_destroy(dag);
    assert_int_equal(report.known, 1);
    assert_int_equal(report.stages, 2);
    assert_string_equal(br_dag_name(made), "job");
    assert_int_equal(made->stage[0].duration_ns, 1000);
    assert_int_equal(made->duration_ns[1], 70);
    assert_int_equal(made->duration_ns[2], 1000);
    assert_int_equal(made->stage[1].duration_ns, 60);
    assert_int_equal(demanded(made, 0, "cpu"), 3000);
    assert_int_equal(demanded(made, 0, "disk"), 500);
    assert_int_equal(demanded(made, 0, "mem"), (int64_t)(6 << 20) * 1000);
    assert_int_equal(demanded(made, 1, "mem"), 0);
    assert_string_equal(made->stage[0].command, "run {index}");
    assert_string_equal(made->resource[0].unit, "cores");
    assert_int_equal(made->edges, 1);
    assert_int_equal(made->attributes, 1);
    assert_string_equal(made->attribute[0].value, "x");
    br_dag_destroy(made);
    br_annotate_report_finish(&report);
    /* A cluster without memory is asked for none. */
    struct br_cluster *cluster = br_cluster_create(NULL);
    br_cluster_add_class(cluster, "m", 1, NULL, NULL);
    br_cluster_add_capacity(cluster, 0, "disk", "1", NULL);
    dag = make_job();
    assert_int_equal(br_history_annotate(history, dag, cluster, 0, &made, &report, NULL), BR_OK);
    assert_int_equal(demanded(made, 0, "cpu"), 4000);
    assert_int_equal(demanded(made, 0, "mem"), 0);
    br_dag_destroy(dag);
    br_dag_destroy(made);
    br_annotate_report_finish(&report);
    /* One with processors is asked for them alone, and one with both for both. */
    br_cluster_add_capacity(cluster, 0, "cpu", "8", NULL);
    for (int64_t mem = 0; mem <= 6 << 20; mem += 6 << 20) {
        if (mem)
            br_cluster_add_capacity(cluster, 0, "mem", "8000000", NULL);
        dag = make_job();
        assert_int_equal(br_history_annotate(history, dag, cluster, 0, &made, &report, NULL),
                         BR_OK);
        assert_int_equal(demanded(made, 0, "cpu"), 3000);
        assert_int_equal(demanded(made, 0, "mem"), mem * 1000);
        br_dag_destroy(dag);
        br_dag_destroy(made);
        br_annotate_report_finish(&report);
    }
    br_cluster_destroy(cluster);
    assert_int_equal(br_history_close(history, NULL), BR_OK);
}

/* Whole cores and mebibytes, rounded up but for a quarter of a core; -1 where nothing is known. */
static void test_amounts(void **state)
{
    static const struct {
        uint32_t samples;
        int64_t cpu_milli, mem_bytes, cores, mem;
    } cases[] = {
        {0, 2000, 1 << 20, -1, -1},
        {1, -1, -1, -1, -1},
        {1, 0, 0, 1, 0}, /* what hardly computes still needs a core */
        {1, 1, 1, 1, 1 << 20},
        {1, 1249, 1 << 20, 1, 1 << 20},
        {1, 1250, (1 << 20) + 1, 2, 2 << 20},
        {1, 2000, INT64_MAX - (1 << 20), 2, (INT64_MAX >> 20) << 20},
        {1, 2250, INT64_MAX, 3, -1},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct br_history_estimate e = {.samples = cases[k].samples,
                                        .cpu_milli = cases[k].cpu_milli,
                                        .mem_bytes = cases[k].mem_bytes};
        if (br_history_cores(&e) != cases[k].cores || br_history_mem(&e) != cases[k].mem)
            fail_msg("case %d: %lld cores and %lld bytes", (int)k, (long long)br_history_cores(&e),
                     (long long)br_history_mem(&e));
    }
}

/* A history that cannot be read makes no job of what it did not say. */
static void test_lost(void **state)
{
    (void)state;
    struct br_dag *dag = make_job(), *made = NULL;
    struct br_annotate_report report;
    struct br_diag diag = {0};
    struct br_history *history = open_history("job");
    add(history, "a", 1000, 2300, 5 << 20);
    assert_int_equal(br_history_flush(history, NULL), BR_OK);
    /* Another one, which has not read it yet; then what it would read is gone. */
    struct br_history *late = open_history("job");
    char log[96];
    snprintf(log, sizeof log, "%s-wal", database_path);
    assert_true(truncate(log, 0) == 0 && truncate(database_path, 0) == 0);
    assert_int_not_equal(br_history_annotate(late, dag, NULL, 0, &made, &report, &diag), BR_OK);
    assert_null(made);
    assert_true(diag.what[0] != '\0');
    br_annotate_report_finish(&report);
    br_history_close(late, NULL);
    br_history_close(history, NULL);
    br_dag_destroy(dag);
}

static struct br_dag *make_dag(const char *name, const char *const *stage, uint32_t stages)
{
    struct br_dag *dag = br_dag_create(name);
    for (uint32_t s = 0; s < stages; s++)
        assert_int_equal(br_dag_add_stage(dag, stage[s], 1, 1, NULL, NULL), BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    return dag;
}

static void one_run(const char *job, const char *const *stage, uint32_t stages, int64_t wall_ns)
{
    struct br_history *history = open_history(job);
    for (uint32_t s = 0; s < stages; s++)
        add(history, stage[s], wall_ns, -1, -1);
    assert_int_equal(br_history_close(history, NULL), BR_OK);
}

/* Under which name the history knows a job of these stages; and how long its first one takes.
 */
static void expect_alike(const char *name, const char *const *stage, uint32_t stages,
                         const char *expected, int64_t wall_ns)
{
    struct br_dag *dag = make_dag(name, stage, stages);
    struct br_history *history = open_history(name);
    char *alike;
    assert_int_equal(br_history_find(history, dag, &alike, NULL), BR_OK);
    assert_int_equal(alike == NULL, expected == NULL);
    if (alike)
        assert_string_equal(alike, expected);
    struct br_history_estimate known = estimate(history, stage[0]);
    assert_int_equal(known.samples > 0 ? known.wall_ns : 0, wall_ns);
    free(alike);
    br_history_close(history, NULL);
    br_dag_destroy(dag);
}

static void append_job(void *context, const struct br_history_job *job)
{
    char *text = context;
    sprintf(text + strlen(text), "%s:%u ", job->name, job->runs);
}

/* A job under another name is known by its stages: the one that ran last of those whose stages
 * are all of this one, and at least half of these. A job that has its own runs goes by these.
 */
static void test_renamed(void **state)
{
    static const char *const stage[] = {"a", "b", "c", "d", "e", "f"};
    (void)state;
    one_run("first", stage, 4, 10);
    one_run("second", stage, 4, 20);
    one_run("first", stage, 4, 11);
    one_run("wide", stage, 6, 30); /* has stages that are no job's of four */
    one_run("own", stage, 2, 40);
    struct br_history *history = open_history("x");
    char jobs[100] = "";
    assert_int_equal(br_history_jobs(history, append_job, jobs, NULL), BR_OK);
    assert_string_equal(jobs, "own:1 wide:1 first:2 second:1 ");
    br_history_close(history, NULL);
    expect_alike("third", stage, 5, "first", 10); /* the lesser middle one of 10 and 11 */
    expect_alike("second", stage, 4, NULL, 20);
    expect_alike("third", stage, 6, "wide", 30);
    expect_alike("third", stage, 3, "own", 40);
    expect_alike("third", stage + 1, 3, NULL, 0);
    expect_alike("own", stage, 4, NULL, 40);
}

/* Attempts that failed and were tried again are counted by stage and run, besides the samples, and
 * follow their job when it is renamed. */
static void test_attempts(void **state)
{
    struct br_history *history = open_history("job");
    struct br_history_attempts attempts;
    struct br_history_sample lost = {.stage = "a", .wall_ns = 5, .cpu_ns = -1, .mem_bytes = -1};
    bool joined;
    (void)state;
    assert_int_equal(br_history_attempts(history, "a", &attempts, NULL), BR_OK);
    assert_true(!attempts.ended && !attempts.lost && !attempts.lost_first);
    for (uint32_t t = 0; t < 10; t++)
        add(history, "a", 100, -1, -1);
    add(history, "b", 100, -1, -1);
    for (lost.lost = 1; lost.lost <= 3; lost.lost++) /* three attempts at one task */
        assert_int_equal(br_history_add(history, &lost, NULL), BR_OK);
    lost.lost = 1;
    assert_int_equal(br_history_add(history, &lost, NULL), BR_OK);
    assert_int_equal(br_history_flush(history, NULL), BR_OK);
    assert_int_equal(estimate(history, "a").samples, 10); /* lost ones are no samples */
    for (int renamed = 0; renamed < 2; renamed++) {
        assert_int_equal(br_history_attempts(history, "a", &attempts, NULL), BR_OK);
        assert_true(attempts.ended == 10 && attempts.lost == 4 && attempts.lost_first == 2);
        assert_int_equal(br_history_attempts(history, "b", &attempts, NULL), BR_OK);
        assert_true(attempts.ended == 1 && attempts.lost == 0);
        assert_int_equal(br_history_rename(history, "other", &joined, NULL), BR_OK);
    }
    assert_int_equal(br_history_close(history, NULL), BR_OK);
    /* Only the last runs count. */
    for (int run = 0; run < BR_HISTORY_RECENT; run++) {
        history = open_history("other");
        add(history, "a", 100, -1, -1);
        assert_int_equal(br_history_close(history, NULL), BR_OK);
    }
    history = open_history("other");
    assert_int_equal(br_history_attempts(history, "a", &attempts, NULL), BR_OK);
    assert_true(attempts.ended == BR_HISTORY_RECENT && attempts.lost == 0);
    assert_int_equal(br_history_close(history, NULL), BR_OK);
}

/* Names of ways are taken apart as they were put together; all others are those of stages. */
static void test_way_names(void **state)
{
    static const struct {
        const char *stage, *alternative, *cls;
        struct br_decimal speed;
    } ways[] = {{"a", "x", "node", {1, 0}},
                {"a b", NULL, "old", {5, -1}},
                {"", "x y", "", {25, 1}},
                {"link", "four", "gpu node", {333, -3}}};
    static const char *const plain[] = {"a",
                                        "",
                                        "a\037",
                                        "a\037x\037m",
                                        "a\037x\037m\037",
                                        "a\037x\037m\037-1",
                                        "a\037x\037m\0370",
                                        "a\037x\037m\0371\037",
                                        "a\037x\037m\037one"};
    struct br_history_way way;
    (void)state;
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        char *name =
            br_history_way_name(ways[k].stage, ways[k].alternative, ways[k].cls, ways[k].speed);
        assert_true(br_history_way_read(name, &way));
        assert_string_equal(way.stage, ways[k].stage);
        assert_int_equal(!way.alternative, !ways[k].alternative);
        if (way.alternative)
            assert_string_equal(way.alternative, ways[k].alternative);
        assert_string_equal(way.cls, ways[k].cls);
        assert_int_equal(br_decimal_compare(way.speed, ways[k].speed), 0);
        free(way.text);
        free(name);
    }
    for (size_t k = 0; k < sizeof plain / sizeof *plain; k++) {
        assert_true(br_history_way_read(plain[k], &way));
        assert_ptr_equal(way.stage, plain[k]);
        assert_null(way.cls);
        assert_null(way.text);
        assert_int_equal(br_decimal_compare(way.speed, (struct br_decimal){1, 0}), 0);
    }
    assert_int_equal(br_history_way_normal((struct br_decimal){1, 0}, -5), 0);
    assert_int_equal(br_history_way_normal((struct br_decimal){1, 0}, INT64_MAX), INT64_MAX);
    assert_int_equal(br_history_way_normal((struct br_decimal){5, -1}, 1000), 500);
    assert_int_equal(br_history_way_normal((struct br_decimal){25, -1}, 1000), 2500);
    assert_int_equal(br_history_way_normal((struct br_decimal){9, 18}, INT64_MAX), INT64_MAX / 4);
}

static void add_way(struct br_history *history, const char *stage, const char *alternative,
                    const char *cls, struct br_decimal speed, int64_t wall_ns, int64_t cpu_ns,
                    int64_t mem_bytes)
{
    char *name = br_history_way_name(stage, alternative, cls, speed);
    add(history, name, wall_ns, cpu_ns, mem_bytes);
    free(name);
}

static struct br_history_estimate estimate_ways(struct br_history *history, const char *stage,
                                                const char *alternative)
{
    struct br_history_estimate estimate;
    assert_int_equal(br_history_estimate_ways(history, stage, alternative, &estimate, NULL), BR_OK);
    return estimate;
}

/* An estimate is of one alternative on all classes, as on a machine of speed 1. */
static void test_ways(void **state)
{
    const struct br_decimal one = {1, 0}, half = {5, -1};
    (void)state;
    struct br_history *history = open_history("job");
    add(history, "a", 7, -1, 7);
    add_way(history, "a", "x", "node", one, 100, 150, 1000);
    add_way(history, "a", "x", "old", half, 240, 240, 3000);
    add_way(history, "a", "x", "old", half, 220, 220, 2000);
    add_way(history, "a", "xy", "node", one, 5000, -1, 9000);
    add_way(history, "a", NULL, "old", half, 18, -1, 5);
    add_way(history, "ab", "x", "node", one, 6000, -1, 9000);
    assert_int_equal(br_history_flush(history, NULL), BR_OK);
    const struct br_history_estimate x = estimate_ways(history, "a", "x"),
                                     none = estimate_ways(history, "a", NULL);
    assert_int_equal(x.runs, 1);
    assert_int_equal(x.samples, 3);
    assert_int_equal(x.wall_ns, 110);
    assert_int_equal(x.spread_ns, 10);
    assert_int_equal(x.cpu_milli, 1000); /* of the time that it really took */
    assert_int_equal(x.mem_bytes, 3000);
    assert_int_equal(none.samples, 2); /* 7 and 9 */
    assert_int_equal(none.wall_ns, 7);
    assert_int_equal(none.spread_ns, 0);
    assert_int_equal(none.mem_bytes, 7);
    assert_int_equal(estimate_ways(history, "a", "xy").wall_ns, 5000);
    assert_int_equal(estimate_ways(history, "a", "y").samples, 0);
    assert_int_equal(estimate_ways(history, "b", NULL).samples, 0);
    assert_int_equal(estimate(history, "a").samples, 1); /* of that very name */
    struct br_history_attempts attempts;
    assert_int_equal(br_history_attempts(history, "a", &attempts, NULL), BR_OK);
    assert_int_equal(attempts.ended, 6);
    assert_int_equal(br_history_close(history, NULL), BR_OK);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, database_make_path, database_remove)
    const struct CMUnitTest tests[] = {
        TEST(test_estimate), TEST(test_way_names), TEST(test_ways),        TEST(test_runs),
        TEST(test_memory),   TEST(test_growth),    TEST(test_two_writers), TEST(test_foreign),
        TEST(test_renamed),  TEST(test_annotate),  TEST(test_amounts),     TEST(test_lost),
        TEST(test_attempts)};
    if (!br_history_is_there()) {
        puts("this build keeps no histories: it was made without SQLite");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
