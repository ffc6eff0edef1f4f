/* Standard Workload Format: what jobs come of its lines, what is left out, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/parsers/parse_text.h"
#include "tests/cluster/workload/workload_text.h"

/* Columns: job submit wait run processors cpu-time used-mem | requested processors, time, mem |
 * status user group program queue partition preceding think */
static const char log_text[] =
    "; Version: 2.2\n"
    ";    MaxNodes: 16\n"
    ";    MaxProcs: 64\n"
    ";\n"
    "1 0 5 100 4 90.5 10 4 3600 20 1 3 1 7 2 1 -1 -1\n"
    "  2   10  0  50   8  -1   -1   8  3600  -1  1  3  2  7  2  1  1  30\r\n"
    "\n"
    "3 20.5 1 12.25 -1 -1 7 2 -1 -1 0 4 1 -1 1 -1 -1 -1\n"
    "; a remark in between\n"
    "4 30 100 -1 -1 -1 -1 4 60 -1 5 4 1 -1 1 -1 -1 -1\n"
    "5 30 10 0 4 -1 -1 4 60 -1 5 4 1 -1 1 -1 -1 -1\n"
    "6 30 0 40 4 -1 -1 4 60 -1 2 4 1 -1 1 -1 -1 -1\n"
    "6 30 0 40 4 -1 -1 4 60 -1 3 4 1 -1 1 -1 -1 -1\n"
    "6 30 0 80 4 -1 -1 4 60 -1 5 -1 -1 -1 -1 -1 -1 -1\n"
    "7 5 0 100 4 90.5 10 4 3600 20 1 3 1 7 2 1 -1 -1\n"
    "8 40 0 -1 4 -1 -1 4 60 -1 1 4 1 -1 1 -1 -1 -1\n"
    "9 41 0 0 1 -1 -1 1 60 -1 1 4 1 -1 1 -1 -1 -1\n";

static void jobs_of_a_log(void **state)
{
    struct br_workload *workload = workload_read(log_text, NULL);
    /* 20 KiB x 4 processors = 81920; 7 x 2 = 14336 */
    assert_string_equal(workload_describe(workload),
                        "1 user3 @0 run*1 3600 cpu=4 mem=81920 (100)\n"
                        "7 user3 @5 run*1 3600 cpu=4 mem=81920 (100)\n"
                        "2 user3 @10 run*1 3600 cpu=8 (50)\n"
                        "3 user4 @20.5 run*1 12.25 cpu=2 mem=14336 (12.25)\n"
                        "6 default @30 run*1 60 cpu=4 (80)\n"
                        "9 user4 @41 run*1 60 cpu=1 (0)\n");
    assert_string_equal(workload_cluster(workload), "1*cpu=64,mem=1310720"); /* 64 x 20 KiB */
    assert_string_equal(
        workload->note,
        "left out 2 that never ran; left out 2 of pieces between checkpoints; left out 1 whose "
        "time "
        "or processors are not known; 1 of 6 jobs declare no time, so their true times count as "
        "declared; 1 jobs name a preceding job, and arrive when they did all the same; the pool "
        "has "
        "the most memory that a job takes a processor, 20480 bytes, for each");
    assert_int_equal(workload->dags, 5); /* jobs 1 and 7 share one */
    assert_int_equal(workload->job[0].dag, workload->job[1].dag);
    assert_true(workload->job[0].seed != workload->job[1].seed);
    assert_int_equal(workload->job[2].pos.line, 6);
    assert_int_equal(workload->job[2].pos.column, 3);
    br_workload_destroy(workload);
}

static void options_of_a_log(void **state)
{
    struct br_workload_options options = br_workload_options_default();
    options.parallel = BR_PARALLEL_TASKS;
    options.group_by = BR_GROUP_BY_QUEUE;
    options.completed_only = true;
    struct br_workload *workload = workload_read(log_text, &options);
    assert_string_equal(workload_describe(workload),
                        "1 queue2 @0 run*4 3600 cpu=1 mem=20480 (4x100)\n"
                        "7 queue2 @5 run*4 3600 cpu=1 mem=20480 (4x100)\n"
                        "2 queue2 @10 run*8 3600 cpu=1 (8x50)\n"
                        "9 queue1 @41 run*1 60 cpu=1 (0)\n");
    br_workload_destroy(workload);
    options.group_by = BR_GROUP_BY_ACCOUNT;
    options.cpu_only = true;
    workload = workload_read(log_text, &options);
    assert_string_equal(workload_describe(workload), "1 group1 @0 run*4 3600 cpu=1 (4x100)\n"
                                                     "7 group1 @5 run*4 3600 cpu=1 (4x100)\n"
                                                     "2 group2 @10 run*8 3600 cpu=1 (8x50)\n"
                                                     "9 group1 @41 run*1 60 cpu=1 (0)\n");
    assert_string_equal(workload_cluster(workload), "1*cpu=64");
    br_workload_destroy(workload);
    options.group_by = BR_GROUP_BY_NOTHING;
    workload = workload_read(log_text, &options);
    assert_int_equal(workload->groups, 1);
    br_workload_destroy(workload);
}

/* Without a head there is no cluster; with one that is too small, the pool is as large as a job. */
static void machines_of_a_log(void **state)
{
    static const char line[] = "1 0 0 9 40 -1 -1 40 60 -1 1 1 1 1 1 1 -1 -1";
    char text[200];
    struct br_workload *workload = workload_read(line, NULL);
    assert_string_equal(workload_cluster(workload), "none");
    assert_null(workload->note);
    br_workload_destroy(workload);
    snprintf(text, sizeof text, "\xef\xbb\xbf; MaxNodes: 32 (two cores each)\n%s\n", line);
    workload = workload_read(text, NULL);
    assert_string_equal(workload_cluster(workload), "1*cpu=40");
    assert_string_equal(workload->note, "the head tells of 32 processors and a job took 40, so the "
                                        "pool has as many");
    br_workload_destroy(workload);
}

/* A line of a log from which one number was changed; column 0 is the first. */
static const char *line_with(int column, const char *word)
{
    static char text[400];
    static const char *const good[18] = {"1",  "0", "0", "9", "4", "-1", "-1", "4",  "60",
                                         "-1", "1", "1", "1", "1", "1",  "1",  "-1", "-1"};
    size_t length = (size_t)snprintf(text, sizeof text, "; MaxProcs: 64\n");
    for (int k = 0; k < 18; k++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s", k ? " " : "",
                                   k == column ? word : good[k]);
    return text;
}

static void refused(void **state)
{
    static const struct {
        int column;
        const char *word;
        uint32_t at;
        const char *what;
    } bad[] = {
        {0, "x", 1, "the job number is 'x'"},
        {0, "-1", 1, "the job number is '-1'"},
        {0, "1.5", 1, "the job number is '1.5'"},
        {0, "99999999999999999999", 1, "the job number is '9999"},
        {1, "-1", 3, "the submit time is '-1'"},
        {1, "-5", 3, "the submit time is '-5'"},
        {1, "1e300", 3, "the submit time is '1e300'"},
        {1, "3000000000", 3, "the submit time is '3000000000'"},
        {2, "soon", 5, "the wait time is 'soon'"},
        {3, "-2", 7, "the run time is '-2'"},
        {3, "12:00", 7, "the run time is '12:00'"},
        {3, "nan", 7, "the run time is 'nan'"},
        {4, "20000001", 9, "the number of processors is '20000001'"},
        {4, "4.5", 9, "the number of processors is '4.5'"},
        {4, "-3", 9, "the number of processors is '-3'"},
        {6, "9e9", 14, "the used memory is '9e9'"},
        {10, "6", 25, "the status is '6'"},
        {11, "root", 27, "the user is 'root'"},
        {16, "a", 37, "the preceding job is 'a'"},
        {17, "?", 40, "the think time is '?'"},
        {17, "-1 0", 43, "more in the line than 18 numbers"},
        {17, "", 40, "the line ends before the think time, its number 18"},
    };
    struct br_workload_options options = br_workload_options_default();
    options.from = "swf";
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++)
        workload_refused(line_with(bad[k].column, bad[k].word), &options, 2, bad[k].at,
                         bad[k].what);
    workload_refused("; MaxProcs: 4\n1\n", NULL, 2, 2, "the line ends before the submit time");
    workload_refused("; nothing\n", NULL, 0, 0, "the workload has no job");
    workload_refused("; x\n1 0 0 9 4 -1 -1 4 60 -1 1 1 1 1 1 1 -1 -1\n"
                     "1 0 0 9 4 -1 -1 4 60 -1 1 1 1 1 1 1 -1 -1\n",
                     NULL, 3, 1, "there are two jobs '1'");
    workload_refused("; \xff\n", NULL, 1, 3, "not valid UTF-8");
    /* 4 TB x 20,000,000 processors is more than an amount can say */
    workload_refused("; x\n1 0 0 9 20000000 -1 3999999999 4 60 -1 1 1 1 1 1 1 -1 -1\n", NULL, 2, 1,
                     "the memory of job '1' is too large");
}

static void too_many_tasks(void **state)
{
    struct br_workload_options options = br_workload_options_default();
    struct br_workload *workload;
    char text[800] = ";\n";
    for (int k = 1; k <= 6; k++)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "%d 0 0 9 20000000 -1 -1 4 60 -1 1 1 1 1 1 1 -1 -1\n", k);
    workload = workload_read(text, &options);
    assert_int_equal(workload->tasks, 6);
    br_workload_destroy(workload);
    options.parallel = BR_PARALLEL_TASKS;
    workload_refused(text, &options, 7, 1, "the jobs up to '6' have more than 100000000 tasks");
}

static void recognised(void **state)
{
    static const struct {
        const char *text;
        bool is;
    } texts[] = {
        {"; a\n; b\n", true},
        {"; a\n\n 1 2\n", true},
        {"; a\njobs\n", false},
        {"1 0 0 9 4 -1 -1 4 60 -1 1 1 1 1 1 1 -1 -1\n", true},
        {"1 0 0 9 4 -1 -1 4 60 -1 1 1 1 1 1 1 -1", true}, /* one is missing, one too many */
        {"1 0 0 9 4 -1 -1 4 60 -1 1 1 1 1 1 1 -1 -1 2\n", true},
        {"1 0 0 9 4 -1 -1 4 60 -1 1 1 1 1\n", false},
        {"JobID|Submit\n", false},
    };
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        struct parse_text file = parse_text_open(texts[k].text, strlen(texts[k].text));
        const char *name = br_workload_recognise(file.path);
        assert_int_equal(name && strcmp(name, "swf") == 0, texts[k].is);
        parse_text_close(&file);
    }
}

static void no_nodes(void **state)
{
    struct br_workload_options options = br_workload_options_default();
    struct parse_text file = parse_text_open(log_text, strlen(log_text));
    struct br_workload *workload;
    struct br_diag diag = {0};
    options.parallel = BR_PARALLEL_NODES;
    assert_int_equal(br_parse_workload(file.path, &options, &workload, &diag), BR_USAGE);
    assert_non_null(strstr(diag.what, "does not tell on how many nodes job '1' ran"));
    parse_text_close(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_of_a_log),     cmocka_unit_test(options_of_a_log),
        cmocka_unit_test(machines_of_a_log), cmocka_unit_test(refused),
        cmocka_unit_test(too_many_tasks),    cmocka_unit_test(recognised),
        cmocka_unit_test(no_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
