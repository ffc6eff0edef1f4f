/* Spark's event logs: what jobs, stages and tasks come of them, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/parsers/parse_text.h"
#include "tests/cluster/workload/workload_text.h"

/* The text with double quotes for single ones; static storage. */
static const char *quoted(const char *text)
{
    static char copy[1 << 14];
    assert_true(strlen(text) < sizeof copy);
    for (size_t k = 0; k <= strlen(text); k++)
        copy[k] = (char)(text[k] == '\'' ? '"' : text[k]);
    return copy;
}

#define EVENT(name, members) "{'Event':'SparkListener" name "'," members "}\n"
#define STAGE(id, parents, more) "{'Stage ID':" #id ",'Parent IDs':[" parents "]" more "}"
#define START(id, at, stages, more)                                                                \
    EVENT("JobStart", "'Job ID':" #id ",'Submission Time':" #at ",'Stage Infos':[" stages "]" more)
#define END(id, at, result)                                                                        \
    EVENT("JobEnd",                                                                                \
          "'Job ID':" #id ",'Completion Time':" #at ",'Job Result':{'Result':'" result "'}")
#define SUBMITTED(id, parents) EVENT("StageSubmitted", "'Stage Info':" STAGE(id, parents, ""))
#define TASK(stage, partition, from, to, more, reason, mem)                                        \
    EVENT("TaskEnd",                                                                               \
          "'Stage ID':" #stage ",'Task End Reason':{'Reason':'" reason                             \
          "'},'Task Info':{'Index':" #partition ",'Launch Time':" #from ",'Finish Time':" #to more \
          "},'Task Metrics':{'Peak Execution Memory':" #mem ",'Other':{'x':[1]}}")
#define EXECUTOR(id, cores)                                                                        \
    EVENT("ExecutorAdded", "'Executor ID':'" #id "','Executor Info':{'Total Cores':" #cores "}")
#define MEMORY(id, bytes)                                                                          \
    EVENT("BlockManagerAdded",                                                                     \
          "'Block Manager ID':{'Executor ID':'" #id "'},'Maximum Memory':" #bytes)

/* Two parts, since compilers need not take longer texts. */
static const char first_part[] = EVENT("LogStart", "'Spark Version':'3.5.7'") EVENT(
    "ResourceProfileAdded", "'Resource Profile Id':0,'Task Resource Requests':{'cpus':{"
                            "'Resource Name':'cpus','Amount':1.0}}")
    EVENT("ResourceProfileAdded", "'Resource Profile Id':2,'Task Resource Requests':{'cpus':{"
                                  "'Amount':2.0}}") MEMORY(driver, 77) EXECUTOR(1, 4)
        MEMORY(1, 1000) EXECUTOR(2, 4) MEMORY(2, 1000) EXECUTOR(3, 8) MEMORY(3, 2000)
            EVENT("ExecutorRemoved", "'Executor ID':'2'") EXECUTOR(4, 16) MEMORY(
                4,
                9) "{'Event':'org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart','x'"
                   ":{]}\n" EVENT("ApplicationStart", "'App Name':'demo','User':'ann'")
                       START(0, 5000,
                             STAGE(0, "", ",'Stage Name':'map at x.py:1'") "," STAGE(
                                 1, "0",
                                 ",'Resource Profile Id':2") "," STAGE(2, "1",
                                                                       "") "," STAGE(3, "0,2", ""),
                             ",'Stage IDs':[0,1,2,3]") SUBMITTED(0, "")
                           TASK(0, 1, 6000, 6500, "", "ExceptionFailure", 9000)
                               TASK(0, 1, 6500, 9500, ",'Speculative':false", "Success", 500)
                                   TASK(0, 0, 6000, 7000, "", "Success", 400)
                                       TASK(0, 1, 6600, 9600, ",'Speculative':true", "Success", 600)
                                           TASK(1, 0, 10000, 10500, "", "Success", 0)
                                               TASK(1, 1, 10000, 10501, "", "Success", 0);

static const char second_part[] = SUBMITTED(2, "1")
    TASK(3, 7, 11000, 15000, ",'Partition ID':1,'Getting Result Time':13000", "Success", 0)
        TASK(3, 8, 11000, 11750, ",'Partition ID':0,'Getting Result Time':0", "Success", 0)
            END(0, 20000, "JobSucceeded") START(1, 21000, STAGE(5, "4", "") "," STAGE(4, "", ""),
                                                ",'Properties':{'a':'b',"
                                                "'spark.scheduler.pool':'fast'}")
                TASK(5, 0, 21000, 21250, "", "Success", 0) END(1, 22000, "JobFailed")
                    START(2, 22000, STAGE(6, "", ""), "") TASK(6, 0, 22000, 22001, "", "Success", 0)
                        START(3, 23000, STAGE(7, "", ""), "") END(3, 23001, "JobSucceeded")
                            START(4, 4000, STAGE(0, "", "") "," STAGE(8, "0", ""), "")
                                TASK(8, 0, 24000, 25000, "", "Success", 0)
                                    END(4, 25000, "JobSucceeded")
                                        TASK(99, 0, 24000, 25000, "", "Success", 0);

static const char *log_text(void)
{
    static char text[1 << 13];
    snprintf(text, sizeof text, "%s%s", first_part, second_part);
    return quoted(text);
}

static void jobs_of_a_log(void **state)
{
    struct br_workload *workload = workload_read(log_text(), NULL);
    /* Stage 0: (1 s + 3 s) / 2; stage 1: 500 and 501 ms, on average 500.5; stage 3: 2 s until the
     * result is fetched, and 0.75 s. Stage 2 has no tasks; stage 0 ran for job 0, not for job 4. */
    assert_string_equal(
        workload_describe(workload),
        "job4 ann @0 stage8*1 1 cpu=1 (1)\n"
        "job0 ann @1 stage0*2 2 cpu=1 mem=600 (1 3); stage1*2 0.5005 cpu=2 (0.5 0.501); "
        "stage2*1 0 (0); stage3*2 1.375 cpu=1 (0.75 2); stage0>stage1!; stage1>stage2!; "
        "stage0>stage3!; stage2>stage3!\n"
        "job1 ann @17 stage5*1 0.25 cpu=1 (0.25)\n");
    /* Executors 1, 2 and 3 come first to be three at once */
    assert_string_equal(workload_cluster(workload), "1*cpu=8,mem=2000 2*cpu=4,mem=1000");
    assert_string_equal(workload->note,
                        "left out 1 that never ran; left out 1 that still ran; 1 of 5 jobs have no "
                        "end (the first: job 2): the log is cut, or was copied while they ran; 1 "
                        "of 5 jobs failed (the first: job 1), so parts of them are missing; left "
                        "out 2 attempts at tasks that failed, were killed or came second (3.5 s); "
                        "left out 1 stage of no job of the log");
    assert_string_equal(workload->name, "demo");
    assert_string_equal(workload->dag[workload->job[1].dag].dag->attribute[0].value,
                        "map at x.py:1");
    br_workload_destroy(workload);
}

static void options_of_a_log(void **state)
{
    struct br_workload_options options = br_workload_options_default();
    options.group_by = BR_GROUP_BY_QUEUE;
    options.cpu_only = true;
    struct br_workload *workload = workload_read(log_text(), &options);
    assert_non_null(strstr(workload_describe(workload), "job1 fast @17 "));
    assert_non_null(strstr(workload_describe(workload), "job4 default @0 "));
    assert_null(strstr(workload_describe(workload), "mem"));
    br_workload_destroy(workload);
    options.completed_only = true;
    workload = workload_read(log_text(), &options);
    assert_int_equal(workload->jobs, 2);
    br_workload_destroy(workload);
}

/* (1000 + 1001 + 1001) / 3 ms is rounded to the nearest nanosecond, as 1000.333... is. */
static void means(void **state)
{
    struct br_workload *workload = workload_read(
        quoted(START(0, 0, STAGE(0, "", "") "," STAGE(1, "", ""), "")
                   TASK(0, 0, 0, 1000, "", "Success", 0) TASK(0, 1, 0, 1001, "", "Success", 0)
                       TASK(0, 2, 0, 1001, "", "Success", 0) TASK(1, 0, 0, 1000, "", "Success", 0)
                           TASK(1, 1, 0, 1000, "", "Success", 0)
                               TASK(1, 2, 0, 1001, "", "Success", 0) END(0, 2000, "JobSucceeded")),
        NULL);
    assert_string_equal(workload_describe(workload),
                        "job0 default @0 stage0*3 1.000666667 cpu=1 (1 2x1.001); "
                        "stage1*3 1.000333333 cpu=1 (2x1 1.001)\n");
    br_workload_destroy(workload);
}

/* Without the memory of executors, a job that needs memory could run nowhere. */
static void machines(void **state)
{
    static const struct {
        const char *text, *cluster;
    } logs[] = {
        {EXECUTOR(1, 4) START(0, 1, STAGE(0, "", ""), "") TASK(0, 0, 1, 2, "", "Success", 0)
             END(0, 2, "JobSucceeded"),
         "1*cpu=4"},
        {EXECUTOR(1, 4) START(0, 1, STAGE(0, "", ""), "") TASK(0, 0, 1, 2, "", "Success", 5)
             END(0, 2, "JobSucceeded"),
         "none"},
        {START(0, 1, STAGE(0, "", ""), "") TASK(0, 0, 1, 2, "", "Success", 0)
             END(0, 2, "JobSucceeded"),
         "none"},
        {EXECUTOR(1, 4) EVENT("ExecutorRemoved", "'Executor ID':'1'")
             EVENT("ExecutorRemoved", "'Executor ID':'9'") EXECUTOR(2, 2) EXECUTOR(3, 2)
                 START(0, 1, STAGE(0, "", ""), "") TASK(0, 0, 1, 2, "", "Success", 0)
                     END(0, 2, "JobSucceeded"),
         "2*cpu=2"},
    };
    for (size_t k = 0; k < sizeof logs / sizeof logs[0]; k++) {
        struct br_workload *workload = workload_read(quoted(logs[k].text), NULL);
        assert_string_equal(workload_cluster(workload), logs[k].cluster);
        br_workload_destroy(workload);
    }
}

static const char *job_of(const char *text)
{
    struct parse_text file = parse_text_open(text, strlen(text));
    struct br_input input;
    struct br_diag diag = {0};
    if (br_parse_job(file.path, NULL, &input, &diag))
        fail_msg("%u:%u: %s", diag.line, diag.column, diag.what);
    const char *described = parse_describe(&input);
    br_input_finish(&input);
    parse_text_close(&file);
    return described;
}

/* A whole application: job 1 runs beside job 0; job 2 comes when job 0 alone has ended; job 3 when
 * all three have. Job 4 runs beside it, so that job 5 waits for two jobs by a stage of its own. */
static void order_of_jobs(void **state)
{
    static const char text[] = START(0, 0, STAGE(0, "", "") "," STAGE(1, "0", ""), "")
        START(1, 0, STAGE(2, "", ""), "") TASK(0, 0, 0, 1000, "", "Success",
                                               0) TASK(1, 0, 1000, 2000, "", "Success", 0)
            END(0, 2000, "JobSucceeded") START(2, 2000, STAGE(3, "", "") "," STAGE(4, "", ""), "")
                TASK(2, 0, 0, 3000, "", "Success", 0) END(1, 3000, "JobSucceeded")
                    TASK(3, 0, 3000, 4000, "", "Success", 0) TASK(4, 0, 3000, 4000, "", "Success",
                                                                  0) END(2, 4000, "JobSucceeded")
                        START(3, 5000, STAGE(5, "", ""), "") START(4, 5500, STAGE(6, "", ""), "")
                            TASK(5, 0, 5000, 6000, "", "Success", 0) END(3, 6000, "JobSucceeded")
                                TASK(6, 0, 5500, 6000, "", "Success", 0)
                                    END(4, 6000, "JobSucceeded")
                                        START(5, 7000, STAGE(7, "", "") "," STAGE(8, "7", ""), "")
                                            TASK(7, 0, 7000, 9000, "", "Success", 0)
                                                TASK(8, 0, 9000, 9001, "", "Success", 0);
    const char *job = job_of(quoted(text));
    static const char *const edges[] = {
        "stage0 -> stage1 @",         "stage1 -> stage3 @",
        "stage1 -> stage4 @",         "stage1 -> jobs-before-9 @",
        "stage2 -> jobs-before-9 @",  "stage3 -> jobs-before-9 @",
        "stage4 -> jobs-before-9 @",  "jobs-before-9 -> stage5 @",
        "jobs-before-9 -> stage6 @",  "jobs-before-9 -> jobs-before-10 @",
        "stage5 -> jobs-before-10 @", "stage6 -> jobs-before-10 @",
        "jobs-before-10 -> stage7 @", "stage7 -> stage8 @"};
    uint32_t arrows = 0;
    for (const char *p = job; (p = strchr(p, '>')); p++)
        arrows++;
    for (size_t k = 0; k < sizeof edges / sizeof edges[0]; k++)
        if (!strstr(job, edges[k]))
            fail_msg("no %s in %s", edges[k], job);
    assert_int_equal(arrows, sizeof edges / sizeof edges[0]);
    assert_non_null(strstr(job, "jobs-before-10*1 0"));
}

/* Job 1 ends alone, but it was there before job 0 had ended: job 3 waits for both. */
static void order_of_a_long_job(void **state)
{
    static const char text[] = START(0, 0, STAGE(0, "", ""), "") START(1, 0, STAGE(1, "", ""), "")
        TASK(0, 0, 0, 2000, "", "Success", 0) END(0, 2000, "JobSucceeded")
            START(2, 3000, STAGE(2, "", ""), "") TASK(2, 0, 3000, 9000, "", "Success", 0)
                TASK(1, 0, 0, 6000, "", "Success", 0) END(1, 6000, "JobSucceeded")
                    START(3, 7000, STAGE(3, "", ""), "") TASK(3, 0, 7000, 8000, "", "Success", 0);
    const char *job = job_of(quoted(text));
    assert_non_null(strstr(job, "stage0 -> stage2 @"));
    assert_non_null(strstr(job, "stage0 -> jobs-before-4 @"));
    assert_non_null(strstr(job, "stage1 -> jobs-before-4 @"));
    assert_non_null(strstr(job, "jobs-before-4 -> stage3 @"));
}

/* Stage 4 reads stage 2, which was skipped since job 0 had left its result, and stage 3, which ran:
 * whichever of the two it names first, it waits for stage 3. */
static void skipped_parents(void **state)
{
    static const char *const texts[] = {
        START(0, 0, STAGE(0, "", "") "," STAGE(1, "0", ""),
              "") TASK(0, 0, 0, 1000, "", "Success", 0) TASK(1, 0, 1000, 2000, "", "Success", 0)
            END(0, 2000, "JobSucceeded")
                START(1, 2000, STAGE(2, "", "") "," STAGE(3, "", "") "," STAGE(4, "2,3", ""), "")
                    TASK(3, 0, 2000, 5000, "", "Success", 0)
                        TASK(4, 0, 5000, 6000, "", "Success", 0) END(1, 6000, "JobSucceeded"),
        START(0, 0, STAGE(0, "", "") "," STAGE(1, "0", ""),
              "") TASK(0, 0, 0, 1000, "", "Success", 0) TASK(1, 0, 1000, 2000, "", "Success", 0)
            END(0, 2000, "JobSucceeded")
                START(1, 2000, STAGE(2, "", "") "," STAGE(3, "", "") "," STAGE(4, "3,2", ""), "")
                    TASK(3, 0, 2000, 5000, "", "Success", 0)
                        TASK(4, 0, 5000, 6000, "", "Success", 0) END(1, 6000, "JobSucceeded")};
    (void)state;
    for (int k = 0; k < 2; k++) {
        const char *job = job_of(quoted(texts[k]));
        assert_null(strstr(job, "stage2*"));
        if (!strstr(job, "stage3 -> stage4 @"))
            fail_msg("stage 4 does not wait: %s", job);
    }
}

static void refused(void **state)
{
    static const struct {
        const char *text;
        uint32_t line, column;
        const char *what;
    } bad[] = {
        {EVENT("LogStart", "'a':1") "[]\n", 2, 1, "expected an event, found an array"},
        {EVENT("LogStart", "'a':1") "{}\n", 2, 1, "the event has no 'Event'"},
        {EVENT("LogStart", "'a':1") "{'Events':1}\n", 2, 1, "does not begin with its name"},
        {EVENT("LogStart", "'a':1") "{'Event':1}\n", 2, 10, "expected the name of the event"},
        {EVENT("LogStart", "'a':1") EVENT("JobStart", "'Submission Time':1"), 2, 1,
         "the event has no 'Job ID'"},
        {EVENT("LogStart", "'a':1") EVENT("JobStart", "'Job ID':-1,'Submission Time':1"), 2, 43,
         "expected Job ID, found -1"},
        {EVENT("LogStart", "'a':1") EVENT("JobStart", "'Job ID':1,'Submission Time':1e9"), 2, 63,
         "expected Submission Time, found 1e9"},
        {START(1, 1, "", "") START(1, 2, "", ""), 2, 43, "job 1 starts twice"},
        {START(1, 1, "", "") END(2, 2, "x"), 2, 41, "job 2 ends, and never started"},
        {START(1, 1, "{'Stage ID':'x'}", ""), 1, 92, "expected Stage ID, found a string"},
        {START(1, 1, STAGE(0, "a", ""), ""), 1, 108, "expected the id of a parent, found 'a'"},
        {START(1, 1, STAGE(0, "", ""), "") TASK(0, 0, 5, 4, "", "Success", 0), 2, 138,
         "the task ends before it is launched"},
        {START(1, 1, STAGE(0, "", ""), "") EVENT("TaskEnd", "'Stage ID':0"), 2, 1,
         "the event has no 'Task End Reason'"},
        {"{'Event':'SparkListenerJobStart','Job ID':1,", 1, 45, "ends in the middle"},
        {START(1, 1, STAGE(0, "", ""), "") END(1, 2, "JobSucceeded"), 0, 0,
         "the workload has no job"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++)
        workload_refused(quoted(bad[k].text), NULL, bad[k].line, bad[k].column, bad[k].what);
    /* Stages that wait for each other */
    workload_refused(quoted(START(0, 1, STAGE(0, "1", "") "," STAGE(1, "0", ""), "")
                                TASK(0, 0, 1, 2, "", "Success", 0)
                                    TASK(1, 0, 2, 3, "", "Success", 0) END(0, 2, "JobSucceeded")),
                     NULL, 1, 1, "stage0");
}

static void recognised(void **state)
{
    static const struct {
        const char *text;
        bool is;
    } texts[] = {
        {EVENT("LogStart", "'a':1"), true},
        {"\n{ 'Event' : 'SparkListenerLogStart'}", true},
        {"{'Event':'org.apache.spark.x.SparkListenerY'}", true},
        {"{'Event':'Other'}", false},
        {"{'event':'SparkListenerLogStart'}", false},
        {"{'schemaVersion':'1.5','a':'Event'}", false},
    };
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        const char *text = quoted(texts[k].text);
        struct parse_text file = parse_text_open(text, strlen(text));
        for (int job = 0; job < 2; job++) {
            const char *name =
                job ? br_parse_recognise(file.path) : br_workload_recognise(file.path);
            assert_int_equal(name && strcmp(name, "spark") == 0, texts[k].is);
            assert_int_equal(lseek(file.fd, 0, SEEK_SET), 0);
        }
        parse_text_close(&file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_of_a_log),   cmocka_unit_test(options_of_a_log),
        cmocka_unit_test(means),           cmocka_unit_test(machines),
        cmocka_unit_test(order_of_jobs),   cmocka_unit_test(order_of_a_long_job),
        cmocka_unit_test(skipped_parents), cmocka_unit_test(refused),
        cmocka_unit_test(recognised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
