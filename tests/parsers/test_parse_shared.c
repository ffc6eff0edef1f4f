/* All public instances that lie beside the project; skipped where they do not. */
#include "planner/model/waves.h"
#include "tests/parsers/parse_text.h"

#include <dirent.h>
#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Calls check for all files of data/FOLDER whose names match, in the order of the names. */
static uint32_t each(const char *folder, const char *pattern, void (*check)(const char *path))
{
    const char *shared = getenv("BIGROCKS_SHARED");
    char path[4096];
    struct dirent **entry;
    uint32_t count = 0;
    if (!shared)
        skip();
    snprintf(path, sizeof path, "%s/data/%s", shared, folder);
    int entries = scandir(path, &entry, NULL, alphasort);
    if (entries < 0)
        skip();
    for (int e = 0; e < entries; e++) {
        if (fnmatch(pattern, entry[e]->d_name, 0) == 0) {
            snprintf(path, sizeof path, "%s/data/%s/%s", shared, folder, entry[e]->d_name);
            check(path);
            count++;
        }
        free(entry[e]);
    }
    free(entry);
    return count;
}

static void expect_status(const char *path, enum br_status expected, const char *what, bool cluster)
{
    struct br_input input;
    struct br_diag diag = {0};
    enum br_status status = br_parse_job(path, NULL, &input, &diag);
    char text[2000] = "";
    if (status)
        br_diag_format(&diag, text, sizeof text);
    if (status != expected || (what && !strstr(text, what)))
        fail_msg("%s: %d %s", path, status, text);
    if (status) {
        assert_true(diag.line > 0);
        return;
    }
    assert_true(br_dag_task_count(input.dag) > 0);
    assert_int_equal(input.cluster != NULL, cluster);
    br_input_finish(&input);
}

static void reads(const char *path)
{
    /* This one has negative runtimes, which no plan can have. */
    if (strstr(path, "Epigenomics_997"))
        expect_status(path, BR_BAD_INPUT, "is negative", false);
    else
        expect_status(path, BR_OK, NULL, false);
}

static void reads_project(const char *path)
{
    expect_status(path, BR_OK, NULL, true);
}

static void has_cycle(const char *path)
{
    expect_status(path, BR_BAD_INPUT, " -> ", false);
    expect_status(path, BR_BAD_INPUT, "the job has a cycle of ", false);
}

static void is_cluster(const char *path)
{
    struct br_cluster *cluster;
    assert_int_equal(br_parse_cluster(path, &cluster, NULL), BR_OK);
    assert_true(br_cluster_machine_count(cluster) > 0);
    br_cluster_destroy(cluster);
}

static void workflows(void **state)
{
    assert_true(each("dax", "*.xml", reads) + each("dax", "*.dax", reads) >= 10);
}

static void graphs(void **state)
{
    assert_true(each("dot", "*.dot", reads) >= 4);
}

static void native(void **state)
{
    assert_true(each("tpch", "*.xml", reads) >= 50);
    assert_true(each("alibaba", "*.xml", reads) >= 200);
    assert_true(each("build", "*.xml", reads) >= 1);
    assert_true(each("clusters", "*.xml", is_cluster) >= 3);
}

static void projects(void **state)
{
    assert_true(each("psplib/j30", "*.sm", reads_project) >= 200);
    assert_true(each("psplib/j60", "*.sm", reads_project) >= 200);
    assert_true(each("psplib/j120", "*.sm", reads_project) >= 200);
    assert_int_equal(each("mmlib/mm50", "*.mm", reads_project), 108);
    assert_int_equal(each("mmlib/mm100", "*.mm", reads_project), 108);
    assert_true(each("rg300", "*.rcp", reads_project) >= 40);
}

static void reads_instance(const char *path)
{
    struct br_input input;
    struct br_diag diag = {0};
    if (br_parse_job(path, NULL, &input, &diag))
        fail_msg("%s: %s", path, diag.what);
    assert_true(br_dag_task_count(input.dag) >= 5);
    br_input_finish(&input);
}

/* All pipelines together last as long as the root of the plan, to the rounding of EXPLAIN. */
static void reads_query(const char *path)
{
    struct br_input input;
    size_t size;
    int64_t root_ns, sum_ns = 0;
    char *text = parse_file(path, &size), *time = strstr(text, "<Actual-Total-Time>");
    assert_non_null(time);
    time += strlen("<Actual-Total-Time>");
    *strchr(time, '<') = 0;
    assert_int_equal(br_seconds_parse(time, &root_ns), BR_DECIMAL_OK);
    root_ns /= 1000;
    assert_int_equal(br_parse_job(path, NULL, &input, NULL), BR_OK);
    for (uint32_t s = 0; s < input.dag->stages; s++)
        sum_ns += input.dag->stage[s].duration_ns;
    if (llabs(sum_ns - root_ns) > root_ns / 100)
        fail_msg("%s: %lld for %lld", path, (long long)sum_ns, (long long)root_ns);
    br_input_finish(&input);
    free(text);
}

/* Every stage was measured on five numbers of executors at least, and one stage ends the job. */
static void reads_profile(const char *path)
{
    struct br_input input;
    struct br_diag diag = {0};
    uint32_t sinks = 0;
    if (br_parse_job(path, NULL, &input, &diag))
        fail_msg("%s: %s", path, diag.what);
    const struct br_waves *waves = input.dag->waves;
    assert_int_equal(waves->stages, br_dag_stage_count(input.dag));
    for (uint32_t s = 0; s < waves->stages; s++) {
        sinks += waves->stage[s].children == 0;
        assert_true(waves->stage[s].points >= 5);
        assert_true(waves->stage[s].mean_us > 0);
        assert_true(waves->stage[s].path_us <= waves->stage[s].below_us);
    }
    assert_int_equal(sinks, 1);
    assert_int_equal(waves->tasks, br_dag_task_count(input.dag));
    br_input_finish(&input);
}

static void recorded(void **state)
{
    assert_true(each("wfformat", "*-*-*.json", reads_instance) >= 10);
    assert_true(each("pgplans", "*.xml", reads_query) >= 3);
    assert_true(each("stg", "*.stg", reads) >= 5);
    assert_int_equal(each("tpch-profiles", "q*.txt", reads_profile), 132);
}

static void cycles(void **state)
{
    assert_true(each("bad", "[!.]*", has_cycle) >= 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workflows), cmocka_unit_test(graphs),   cmocka_unit_test(native),
        cmocka_unit_test(projects),  cmocka_unit_test(recorded), cmocka_unit_test(cycles),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    const char *shared = getenv("BIGROCKS_SHARED");
    char path[4096];
    snprintf(path, sizeof path, "%s/data", shared ? shared : "");
    DIR *folder = opendir(path);
    if (!folder) {
        printf("no data: %s is not there\n", path);
        return failed ? failed : 77;
    }
    closedir(folder);
    return failed;
}
