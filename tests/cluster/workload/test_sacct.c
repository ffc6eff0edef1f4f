/* Slurm's accounting: what jobs come of its lines, what is left out, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cluster/workload/read/slurm_value.h"
#include "tests/parsers/parse_text.h"
#include "tests/cluster/workload/workload_text.h"

/* As sacct --parsable2 prints jobs with their steps, arrays, and a name in UTF-8. */
static const char log_text[] =
    "JobID|JobName|User|Account|Partition|State|Submit|Start|End|Elapsed|Timelimit|NNodes|"
    "AllocCPUS|ReqMem|AllocTRES\n"
    "100|train|ann|phys|gpu|COMPLETED|2024-02-29T23:59:50|2024-03-01T00:00:00|2024-03-01T01:00:00|"
    "01:00:00|02:00:00|1|8|32G|billing=8,cpu=8,gres/gpu=2,mem=32G,node=1\n"
    "100.batch|batch|||||2024-03-01T00:00:00|2024-03-01T00:00:00|2024-03-01T01:00:00|01:00:00||1|8|"
    "|"
    "cpu=8,mem=32G,node=1\n"
    "100.0|python|||||2024-03-01T00:00:01|2024-03-01T00:00:01|2024-03-01T00:59:00|00:58:59||1|8||"
    "cpu=8,mem=32G,node=1\n"
    "101_1|m\xc3\xa4p|bob|bio|cpu|FAILED|2024-03-01T00:00:00|2024-03-01T00:00:10|"
    "2024-03-01T00:00:40|00:00:30|1-00:00:00|2|10|4Gn|cpu=10,node=2\n"
    "101_2|m\xc3\xa4p|bob|bio|cpu|CANCELLED by 1000|2024-03-01T00:00:00|2024-03-01T00:00:10|"
    "2024-03-01T00:00:40|00:00:30|UNLIMITED|2|10|1Gc|\n"
    "101_[3-9]|m\xc3\xa4p|bob|bio|cpu|PENDING|2024-03-01T00:00:00|Unknown|Unknown|00:00:00|"
    "1-00:00:00|1|0|4Gn|\n"
    "102|x|bob|bio|cpu|CANCELLED by 1000|2024-03-01T00:00:00|None|2024-03-01T00:00:01|00:00:00|"
    "1-00:00:00|1|0|4Gn|\n"
    "103|x|bob|bio|cpu|RUNNING|2024-03-01T00:00:00|2024-03-01T00:00:10|Unknown|00:09:00|1-00:00:00|"
    "1|1|4Gn|cpu=1,mem=4G,node=1\n"
    "104|late|ann|phys|cpu|TIMEOUT|2024-03-02T00:00:00|2024-03-02T00:00:10|2024-03-03T01:00:12|"
    "1-01:00:02|1-01:00:00|1|1|500M|cpu=1,mem=500M,node=1\n";

static void jobs_of_accounting(void **state)
{
    struct br_workload *workload = workload_read(log_text, NULL);
    assert_string_equal(workload_describe(workload),
                        "100 ann @0 run*1 7200 cpu=8 mem=34359738368 gpu=2 (3600)\n"
                        "101_1 bob @10 run*1 86400 cpu=10 mem=8589934592 (30)\n"
                        "101_2 bob @10 run*1 30 cpu=10 mem=10737418240 (30)\n"
                        "104 ann @86410 run*1 90000 cpu=1 mem=524288000 (90002)\n");
    assert_string_equal(workload_cluster(workload), "none");
    assert_string_equal(workload->note,
                        "left out 2 that never ran; left out 1 that still ran; 1 of 4 jobs declare "
                        "no time, so their true times count as declared; there is no column "
                        "Eligible, so jobs that waited for others, a hold, a limit of their array "
                        "or a begin time arrive when they were submitted");
    assert_int_equal(workload->job[1].pos.line, 5);
    br_workload_destroy(workload);
}

static void by_nodes(void **state)
{
    struct br_workload_options options = br_workload_options_default();
    options.parallel = BR_PARALLEL_NODES;
    options.group_by = BR_GROUP_BY_ACCOUNT;
    options.completed_only = true;
    struct br_workload *workload = workload_read(log_text, &options);
    assert_string_equal(workload_describe(workload),
                        "100 phys @0 run*1 7200 cpu=8 mem=34359738368 gpu=2 (3600)\n");
    br_workload_destroy(workload);
    options.completed_only = false;
    options.group_by = BR_GROUP_BY_QUEUE;
    workload = workload_read(log_text, &options);
    assert_string_equal(workload_describe(workload),
                        "100 gpu @0 run*1 7200 cpu=8 mem=34359738368 gpu=2 (3600)\n"
                        "101_1 cpu @10 run*2 86400 cpu=5 mem=4294967296 (2x30)\n"
                        "101_2 cpu @10 run*2 30 cpu=5 mem=5368709120 (2x30)\n"
                        "104 cpu @86410 run*1 90000 cpu=1 mem=524288000 (90002)\n");
    br_workload_destroy(workload);
}

/* Shares of tasks never add up to more than the job had. */
static void by_tasks(void **state)
{
    struct br_workload_options options = br_workload_options_default();
    options.parallel = BR_PARALLEL_TASKS;
    struct br_workload *workload = workload_read(
        "JobID|Submit|ElapsedRaw|AllocTRES\n7|100|5|cpu=3,mem=10M,gres/gpu:a=1\n", &options);
    assert_string_equal(workload_describe(workload),
                        "7 default @0 run*3 5 cpu=1 mem=3495253 gpu=0.333333333 (3x5)\n");
    assert_non_null(
        strstr(workload->note, "there is no column User, so all jobs are of one group"));
    br_workload_destroy(workload);
}

/* The least columns there can be, in other orders, with other delimiters and -p's last one. */
static void few_columns(void **state)
{
    static const struct {
        const char *text, *jobs;
    } logs[] = {
        {"Start|End|NCPUS|Submit|JobID|\r\n1700000010|1700000020|4|1700000000|1|\r\n",
         "1 default @0 run*1 10 cpu=4 (10)\n"},
        {"JobID,Submit,Elapsed,ReqTRES,TimelimitRaw\n1,2024-01-01T00:00:00,00:02.500,cpu=1K,3\n",
         "1 default @0 run*1 180 cpu=1024 (2.5)\n"},
        {"jobid;submit;elapsedraw;reqcpus\n\n2;1999-12-31T23:59:59;7;1\n1;2000-01-01T00:00:00;0;"
         "1\n",
         "2 default @0 run*1 7 cpu=1 (7)\n1 default @1 run*1 0 cpu=1 (0)\n"},
        {"JobID|JobID|Submit|ElapsedRaw|AllocCPUS|State|ReqMem\n"
         "1+0|x|5|9|2|OUT_OF_MEMORY|1.5G\n1+1|x|5|9|2|BOOT_FAIL|0c\n",
         "1+0 default @0 run*1 9 cpu=2 mem=1610612736 (9)\n1+1 default @0 run*1 9 cpu=2 (9)\n"},
    };
    for (size_t k = 0; k < sizeof logs / sizeof logs[0]; k++) {
        struct br_workload_options options = br_workload_options_default();
        options.from = "sacct";
        struct br_workload *workload = workload_read(logs[k].text, &options);
        assert_string_equal(workload_describe(workload), logs[k].jobs);
        br_workload_destroy(workload);
    }
}

static void refused(void **state)
{
    static const struct {
        const char *text;
        uint32_t line, column;
        const char *what;
    } bad[] = {
        {"Job|Submit\n", 1, 1, "the header has no column JobID"},
        {"JobID|ElapsedRaw|AllocCPUS\n", 1, 1, "the header has no column Submit"},
        {"JobID|Submit|Start|AllocCPUS\n", 1, 1,
         "the header has no column ElapsedRaw, nor Elapsed, nor both Start and End"},
        {"JobID|Submit|Elapsed\n", 1, 1,
         "the header has no column AllocCPUS, NCPUS, AllocTRES, ReqCPUS or ReqTRES"},
        {"JobID|Submit|Elapsed|NCPUS\n1|5|00:01:00|1|x\n", 2, 17,
         "the line has 5 fields, and the header 4"},
        {"JobID|Submit|Elapsed|NCPUS\n1|5|00:01:00\n", 2, 13,
         "the line has 3 fields, and the header 4"},
        {"JobID|Submit|Elapsed|NCPUS\nabc|5|00:01:00|1\n", 2, 1, "JobID is 'abc'"},
        {"JobID|Submit|Elapsed|NCPUS\n1 2|5|00:01:00|1\n", 2, 1, "JobID is '1 2'"},
        {"JobID|Submit|Elapsed|NCPUS\n1|Unknown|00:01:00|1\n", 2, 3, "Submit is 'Unknown'"},
        {"JobID|Submit|Elapsed|NCPUS\n1|2023-02-29T00:00:00|00:01:00|1\n", 2, 3,
         "Submit is '2023-02-29T00:00:00'"},
        {"JobID|Submit|Elapsed|NCPUS\n1|9999999999|00:01:00|1\n", 2, 3, "Submit is '9999999999'"},
        {"JobID|Submit|Elapsed|NCPUS\n1|5|1:2:3:4|1\n", 2, 5, "Elapsed is '1:2:3:4'"},
        {"JobID|Submit|Elapsed|NCPUS\n1|5|00:61:00|1\n", 2, 5, "Elapsed is '00:61:00'"},
        {"JobID|Submit|ElapsedRaw|NCPUS\n1|5|-1|1\n", 2, 5, "ElapsedRaw is '-1'"},
        {"JobID|Submit|ElapsedRaw|NCPUS\n1|5|1|many\n", 2, 7, "NCPUS is 'many'"},
        {"JobID|Submit|ElapsedRaw|NCPUS\n1|5|1|30000000\n", 2, 1, "has 30000000 processors"},
        {"JobID|Submit|Start|End|NCPUS\n1|5|20|10|1\n", 2, 8, "End is '10'"},
        {"JobID|Submit|ElapsedRaw|NCPUS|Timelimit\n1|5|1|1|soon\n", 2, 9, "Timelimit is 'soon'"},
        {"JobID|Submit|ElapsedRaw|NCPUS|AllocTRES\n1|5|1|1|cpu=x\n", 2, 9, "AllocTRES is 'cpu=x'"},
        {"JobID|Submit|ElapsedRaw|NCPUS|ReqMem\n1|5|1|1|4GB\n", 2, 9, "ReqMem is '4GB'"},
        {"JobID|Submit|ElapsedRaw|NCPUS|ReqMem\n1|5|1|1|4Gn\n", 2, 9, "ReqMem is '4Gn'"},
        {"JobID|Submit|ElapsedRaw|NCPUS|User\n1|5|1|1|a\x01\n", 2, 9, "User is 'a"},
        {"JobID|Submit|ElapsedRaw|NCPUS\n1|5|1|1\n1|5|1|1\n", 3, 1, "there are two jobs '1'"},
        {"JobID|Submit|ElapsedRaw|NCPUS\n1.batch|5|1|1\n", 0, 0, "the workload has no job"},
    };
    struct br_workload_options options = br_workload_options_default();
    options.from = "sacct";
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++)
        workload_refused(bad[k].text, &options, bad[k].line, bad[k].column, bad[k].what);
    options.group_by = BR_GROUP_BY_QUEUE;
    workload_refused("JobID|Submit|ElapsedRaw|NCPUS\n1|5|1|1\n", &options, 1, 1,
                     "the header has no column Partition");
    options.group_by = BR_GROUP_BY_NOTHING;
    options.parallel = BR_PARALLEL_NODES;
    workload_refused("JobID|Submit|ElapsedRaw|NCPUS\n1|5|1|1\n", &options, 1, 1,
                     "the header has no column NNodes, AllocNodes or AllocTRES");
}

static void recognised(void **state)
{
    static const struct {
        const char *text;
        bool is;
    } texts[] = {
        {"JobID|Submit\n", true},        {"State|JobID\n", true},     {"User|JobID|", true},
        {"\xef\xbb\xbfjobid|", true},    {"JobIDRaw|State\n", false}, {"job,arrival\n", false},
        {"State|Submit\nJobID|", false}, {"<workload>", false},       {"", false},
    };
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        struct parse_text file = parse_text_open(texts[k].text, strlen(texts[k].text));
        const char *name = br_workload_recognise(file.path);
        assert_int_equal(name && strcmp(name, "sacct") == 0, texts[k].is);
        parse_text_close(&file);
    }
}

/* Seconds since 1970 by the rule of the calendar, day by day over 230 years. */
static void calendar(void **state)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    char text[40];
    int64_t expected = 0, seconds;
    for (int year = 1970; year < 2200; year++)
        for (int month = 1; month <= 12; month++) {
            bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            int length = days[month - 1] + (leap && month == 2);
            for (int day = 1; day <= length + 1; day++) {
                snprintf(text, sizeof text, "%04d-%02d-%02dT12:34:56", year, month, day);
                assert_int_equal(br_slurm_time(text, &seconds), day <= length);
                if (day > length)
                    break;
                assert_int_equal(seconds, expected + 45296);
                expected += 86400;
            }
        }
}

static void values(void **state)
{
    static const struct {
        const char *text;
        bool is;
        int64_t ns;
    } durations[] = {
        {"00:00:00", true, 0},
        {"2-03:04:05", true, INT64_C(183845) * 1000000000},
        {"100:00:00", true, INT64_C(360000) * 1000000000},
        {"01:02.345", true, INT64_C(62345000000)},
        {"59:59", true, INT64_C(3599) * 1000000000},
        {"2-24:00:00", false, 0},
        {"2-03:04", false, 0},
        {"5", false, 0},
        {"1:60", false, 0},
        {"1:2:", false, 0},
        {"1:02.", false, 0},
        {"", false, 0},
        {"999999-00:00:00", false, 0},
    };
    static const struct {
        const char *text;
        bool is;
        int64_t bytes;
        const char *rest;
    } sizes[] = {
        {"4000M", true, INT64_C(4194304000), ""},
        {"1.5Gn", true, INT64_C(1610612736), "n"},
        {"2", true, 2097152, ""},
        {"0.5K", true, 512, ""},
        {"1P", true, INT64_C(1125899906842624), ""},
        {"999P", false, 0, NULL},
        {"G", false, 0, NULL},
        {"1.", false, 0, NULL},
        {"1234567890123", false, 0, NULL},
    };
    for (size_t k = 0; k < sizeof durations / sizeof durations[0]; k++) {
        int64_t ns = 0;
        assert_int_equal(br_slurm_duration(durations[k].text, &ns), durations[k].is);
        if (durations[k].is)
            assert_int_equal(ns, durations[k].ns);
    }
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        int64_t bytes = 0;
        const char *rest;
        assert_int_equal(br_slurm_size(sizes[k].text, &bytes, &rest), sizes[k].is);
        if (sizes[k].is) {
            assert_int_equal(bytes, sizes[k].bytes);
            assert_string_equal(rest, sizes[k].rest);
        }
    }
    struct br_slurm_tres tres;
    assert_true(br_slurm_tres("billing=9,cpu=4,energy=12,gres/gpu=3,gres/gpu:a100=2,"
                              "mem=2000M,node=2",
                              &tres));
    assert_int_equal(tres.cpus, 4);
    assert_int_equal(tres.nodes, 2);
    assert_int_equal(tres.gpus, 3); /* the total, not the total and its parts */
    assert_int_equal(tres.mem_bytes, INT64_C(2097152000));
    assert_true(br_slurm_tres("gres/gpu:a100=2,gres/gpu:t4=1", &tres));
    assert_int_equal(tres.gpus, 3);
    assert_true(br_slurm_tres("", &tres));
    assert_int_equal(tres.cpus, 0);
    assert_false(br_slurm_tres("cpu", &tres));
    assert_false(br_slurm_tres("cpu=4;mem=2G", &tres));
    assert_false(br_slurm_tres("=4", &tres));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_of_accounting),
        cmocka_unit_test(by_nodes),
        cmocka_unit_test(by_tasks),
        cmocka_unit_test(few_columns),
        cmocka_unit_test(refused),
        cmocka_unit_test(recognised),
        cmocka_unit_test(calendar),
        cmocka_unit_test(values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
