/* Records of workflows, query plans and task graphs from elsewhere, read as jobs, and what is
 * refused of them. */
#include "planner/model/waves.h"
#include "tests/parsers/parse_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect(const char *fixture, const struct br_parse_options *options,
                   const char *expected)
{
    struct br_input input;
    struct br_diag diag = {0};
    if (br_parse_job(parse_fixture(fixture), options, &input, &diag)) {
        char text[2000];
        br_diag_format(&diag, text, sizeof text);
        fail_msg("%s", text);
    }
    assert_string_equal(parse_describe(&input), expected);
    br_input_finish(&input);
}

struct bad {
    const char *text;
    uint32_t line;
    const char *what;
};

static void refuse(const struct bad *bad, size_t count, const char *from)
{
    for (size_t k = 0; k < count; k++) {
        struct parse_text file = parse_text_open(bad[k].text, strlen(bad[k].text));
        struct br_parse_options options = br_parse_options_default();
        struct br_input input;
        struct br_diag diag = {0};
        options.from = from;
        enum br_status status = br_parse_job(file.path, &options, &input, &diag);
        if (status != BR_BAD_INPUT || diag.line != bad[k].line || !strstr(diag.what, bad[k].what))
            fail_msg("%s gives %d, line %u: %s", bad[k].text, status, diag.line, diag.what);
        assert_int_equal(br_parse_job(file.path, &options, &input, NULL), BR_BAD_INPUT);
        parse_text_close(&file);
    }
}
#define REFUSE(bad, from) refuse(bad, sizeof(bad) / sizeof(bad)[0], from)

static void standard_task_graph(void **state)
{
    expect("small.stg", NULL,
           "small\n"
           "resource cpu in cores\n"
           "0*1 0 cpu=1 @2:5\n"
           "1*1 3 cpu=1 @3:5\n"
           "2*1 5 cpu=1 @4:5\n"
           "3*1 2 cpu=1 @5:5\n"
           "4*1 0 cpu=1 @6:5\n"
           "5*1 0 cpu=1 @7:5\n"
           "0 -> 1 @3:20\n"
           "0 -> 2 @4:20\n"
           "1 -> 3 @5:20\n"
           "2 -> 3 @5:25\n"
           "2 -> 4 @6:20\n"
           "3 -> 5 @7:20\n"
           "4 -> 5 @7:25\n");
}

static const struct bad graphs[] = {
    {"3\n0 0 0\n1 4 1 0\n", 1, "speaks of 3 tasks and two dummies, and there are 2 rows"},
    {"1\n0 0 0\n1 4 1 7\n2 0 1 1\n", 3, "task 1 follows task 7, but there is no task 7"},
    {"1\n0 0 0\n1 4 1 0 2\n2 0 1 1\n", 3, "more in the line than the 1 predecessors of task 1"},
    {"1\n0 0 0\n1 4 2 0\n2 0 1 1\n", 3, "the line ends before predecessor 2 of 2 of task 1"},
    {"1\n0 0 0\n1 -4 1 0\n2 0 1 1\n", 3, "the processing time of task 1 is '-4'"},
    {"1\n0 0 0\n1 4 1 2\n2 0 1 1\n", 4, "the job has a cycle"},
    {"1\n0 0 0\n0 4 1 0\n2 0 1 0\n", 3, "'0' is there twice"},
    {"# nothing\n", 2, "ends before the number of tasks"},
};

static void bad_graphs(void **state)
{
    REFUSE(graphs, "stg");
}

/* Durations are means over all that was measured: (3400 + 4000) / 8, 750 / 3. */
static void profile(void **state)
{
    struct br_input input;
    expect("small.profile.txt", NULL,
           "small.profile\n"
           "resource cpu in cores\n"
           "s0*4 0.925 cpu=1 @0:0\n"
           "s1*3 0.25 cpu=1 @0:0\n"
           "s2*1 0.333 cpu=1 @0:0\n"
           "s0 -> s2 @0:0\n"
           "s1 -> s2 @0:0\n");
    assert_int_equal(br_parse_job(parse_fixture("small.profile.txt"), NULL, &input, NULL), BR_OK);
    const struct br_waves *waves = input.dag->waves;
    assert_int_equal(waves->stage[0].points, 2);
    assert_int_equal(waves->stage[0].point[0].sample[BR_WAVE_FRESH].ms[1], 1000);
    assert_int_equal(waves->stage[0].point[0].sample[BR_WAVE_FIRST].ms[1], 800);
    assert_int_equal(waves->stage[1].point[0].sample[BR_WAVE_REST].ms[0], 150);
    br_input_finish(&input);
}

static const struct bad profiles[] = {
    {"query 1\nstages 1\nstage 0 tasks 1\nfirst 5 1 7\nfresh 5 0\nrest 5 0\n", 7,
     "ends before its line 'end'"},
    {"query 1\nstages 1\nstage 1 tasks 1\nend\n", 3,
     "the number of a stage is 1, and there are 1 stages"},
    {"query 1\nedge 0 1\n", 2, "comes before the number of stages"},
    {"query 1\nstages 2\nedge 1 1\n", 3, "stage 1 waits for itself"},
    {"query 1\nstages 1\nstages 1\n", 3, "given twice"},
    {"query 1\nstages 0\n", 2, "not within its limits"},
    {"query 1\nstages 1\nfirst 5 1 7\n", 3, "durations come before a stage"},
    {"query 1\nstages 1\nstage 0 tasks 0\n", 3, "stage 0 has no tasks"},
    {"query 1\nstages 1\nstage 0\n", 3, "the number of tasks is missing"},
    {"query 1\nstages 1\nstage 0 tasks 1\nfirst 5 2 7\n", 4, "the line ends before a duration"},
    {"query 1\nstages 1\nstage 0 tasks 1\nfirst 5 1 7 8\n", 4, "more in the line"},
    {"query 1\nstages 1\nstage 0 tasks 1\nfirst 5 1 -7\n", 4, "a duration is '-7'"},
    {"query 1\nstages 1\nstage 0 tasks 1\nfirst 0 1 7\n", 4, "nothing runs on 0 executors"},
    {"query 1\nstages 1\nstage 0 tasks 1\nfirst 5 1 7\nfirst 5 1 7\n", 5, "a wave twice"},
    {"query 1\nstages 1\nstage 0 tasks 1\nfirst 5 1 7\nend\n", 4, "lacks a wave"},
    {"query 1\nstages 1\nstage 0 tasks 1\nstage 0 tasks 1\n", 4, "two stages 0"},
    {"query 1\nstages 1\nstage 0 tasks 1\nend\n", 0, "stage 0 has no durations"},
    {"query 1\nstages 1\nstage 0 tasks 1\nfirst 5 0\nfresh 5 0\nrest 5 0\nend\n", 0,
     "no duration on 5 executors"},
    {"query 1\nstages 1\nstag 0\n", 3, "no word that is known"},
};

static void bad_profiles(void **state)
{
    REFUSE(profiles, "profile");
}

/* Gaps of the recording: a runtime, cores and memory of 0 or less or of null are unknown;
 * a task without a record lasts 0 s; a record without a task is nobody's. */
/* An argument is one word, also where a recorder wrote an option and its value as one. */
static const char assay[] = "assay\n"
                            "resource cpu in cores\n"
                            "resource mem in bytes\n"
                            "split_1*1 0 cpu=1 {name=split} @8:9\n"
                            "map_2*1 7 cpu=2 mem=524289 `map '--part 0'` {name=map} @10:9\n"
                            "map_3*1 0 cpu=1 {name=map} @12:9\n"
                            "join_4*1 1.25 cpu=3 mem=1048576 `join '-o sum' out.0` @14:9\n"
                            "note_5*1 0 cpu=1 @16:9\n"
                            "split_1 -> map_2 @8:9\n"
                            "split_1 -> map_3 @8:9\n"
                            "map_3 -> join_4 @12:9\n"
                            "map_2 -> join_4 @14:9\n"
                            "join_4 -> note_5 @16:9\n"
                            "machine small*1 cpu=2\n"
                            "machine large*1 cpu=4 mem=8388608\n";

static void recorded(void **state)
{
    expect("recorded.json", NULL, assay);
}

/* Files on edges take time, as those of a DAX do. */
static void recorded_transfers(void **state)
{
    struct br_parse_options options = br_parse_options_default();
    struct br_input input;
    options.transfer_rate = (struct br_decimal){1, 3};
    assert_int_equal(br_parse_job(parse_fixture("recorded.json"), &options, &input, NULL), BR_OK);
    const struct br_dag *dag = input.dag;
    const struct {
        const char *id;
        int64_t ms;
    } delays[] = {{"split_1->map_2", 4000}, {"split_1->map_3", 5000}, {"map_3->join_4", 1500}};
    assert_int_equal(dag->stages, 5 + 3);
    for (size_t k = 0; k < sizeof delays / sizeof delays[0]; k++) {
        uint32_t stage = br_dag_find_stage(dag, delays[k].id);
        assert_int_not_equal(stage, UINT32_MAX);
        assert_int_equal(dag->stage[stage].duration_ns, delays[k].ms * 1000000);
    }
    assert_int_equal(input.cluster->machines, 2);
    br_input_finish(&input);
}

#define WF(tasks, run)                                                                             \
    "{\"name\": \"n\", \"schemaVersion\": \"1.5\", \"workflow\":\n{\"specification\": "            \
    "{\"tasks\": [\n" tasks "\n]},\n\"execution\": {" run "}}}\n"

static const struct bad instances[] = {
    {"{\"schemaVersion\": \"1.5\"}", 1, "a workflow instance has no 'workflow'"},
    {"{\"schemaVersion\": \"1.3\", \"workflow\": {\"tasks\": []}}", 1, "an older WfFormat"},
    {"{\"schemaVersion\": \"1.5\", \"workflow\": {\"specification\": 3}}", 1,
     "expected the specification, found a number"},
    {WF("", ""), 0, "the job is empty"},
    {WF("{\"id\": \"a\"},\n{\"id\": \"a\"}", ""), 4, "'a' is there twice"},
    {WF("{\"id\": \"\"}", ""), 3, "no id"},
    {WF("{\"name\": \"a\"}", ""), 3, "a task has no 'id'"},
    {WF("{\"id\": \"a\", \"parents\": [\"b\"]}", ""), 3,
     "'a' names the parent 'b', and there is no such task"},
    {WF("{\"id\": \"a\", \"children\": [\"a\"]}", ""), 3, "a"},
    {WF("{\"id\": \"a\", \"children\": [\"b\"]},\n{\"id\": \"b\", \"children\": [\"a\"]}", ""), 3,
     "the job has a cycle"},
    /* b reads what a writes, and runs before it. */
    {WF("{\"id\": \"a\", \"parents\": [\"b\"], \"outputFiles\": [\"f\"]},\n"
        "{\"id\": \"b\", \"inputFiles\": [\"f\"]}",
        ""),
     4, "the job has a cycle"},
    {WF("{\"id\": \"a\"}", "\"tasks\": [{\"id\": \"a\", \"runtimeInSeconds\": \"1\"}]"), 5,
     "expected runtimeInSeconds, found a string"},
    {WF("{\"id\": \"a\"}", "\"tasks\": [{\"id\": \"a\"}], \"machines\": [{}]"), 5,
     "a machine has no 'nodeName'"},
    {"{\"workflow\": {\"specification\":", 1, "the text ends in the middle"},
};

static void bad_instances(void **state)
{
    REFUSE(instances, "wfformat");
}

/* Machines that could not run what was recorded are no cluster; fractions of a core are kept if
 * they are declared, and rounded if they were measured. */
static void recorded_machines(void **state)
{
    static const struct {
        const char *run, *expected;
    } cases[] = {
        {"\"tasks\": [{\"id\": \"a\", \"avgCPU\": 149}], \"machines\": [{\"nodeName\": \"m\", "
         "\"cpu\": {\"coreCount\": 1}}]",
         "n\nresource cpu in cores\na*1 0 cpu=1 @3:1\nmachine m*1 cpu=1\n"},
        {"\"tasks\": [{\"id\": \"a\", \"avgCPU\": 149.9}], \"machines\": [{\"nodeName\": \"m\", "
         "\"cpu\": {\"coreCount\": 1}}]",
         "n\nresource cpu in cores\na*1 0 cpu=2 @3:1\n"},
        {"\"tasks\": [{\"id\": \"a\", \"memoryInBytes\": 5}], \"machines\": [{\"nodeName\": \"m\", "
         "\"cpu\": {\"coreCount\": 1}}]",
         "n\nresource cpu in cores\nresource mem in bytes\na*1 0 cpu=1 mem=5 @3:1\n"},
        {"\"tasks\": [{\"id\": \"a\", \"coreCount\": 1.5}], \"machines\": [{\"nodeName\": \"m\", "
         "\"cpu\": {\"coreCount\": 2}}], \"metrics\": {\"sumTaskRuntimesInSeconds\": 7}",
         "n\nresource cpu in cores\na*1 0 cpu=1.5 @3:1\nmachine m*1 cpu=2\n"},
        {"\"tasks\": [{\"id\": \"a\", \"coreCount\": 1.0001, \"avgCPU\": 900}], \"machines\": "
         "[{\"nodeName\": \"m\", \"cpu\": {\"coreCount\": 1}}]",
         "n\nresource cpu in cores\na*1 0 cpu=1.001 @3:1\n"},
        {"\"tasks\": [{\"id\": \"a\", \"coreCount\": 2.0}]",
         "n\nresource cpu in cores\na*1 0 cpu=2 @3:1\n"},
        {"\"tasks\": []", "n\nresource cpu in cores\na*1 0 cpu=1 @3:1\n"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char text[1000];
        struct br_input input;
        snprintf(text, sizeof text, WF("{\"id\": \"a\"}", "%s"), cases[k].run);
        struct parse_text file = parse_text_open(text, strlen(text));
        assert_int_equal(br_parse_job(file.path, NULL, &input, NULL), BR_OK);
        assert_string_equal(parse_describe(&input), cases[k].expected);
        br_input_finish(&input);
        parse_text_close(&file);
    }
}

/* Two processes under the Gather, a hash table that they share, a CTE with two readers one of
 * which is an InitPlan, a sort that runs anew for every row, one that never runs. The seven
 * pipelines last as long as the root, 135 ms, where the two processes count once. */
static void query_plan(void **state)
{
    expect("query.explain.xml", NULL,
           "query.explain\n"
           "resource cpu in cores\n"
           "resource mem in bytes\n"
           "p1*2 0.012 cpu=1 mem=51712 {operators=Seq Scan on parts, Hash} @89:13\n"
           "p2*2 0.028 cpu=1 mem=51712 {operators=Seq Scan on lines, Hash Join} @73:11\n"
           "p3*1 0.062 cpu=1 mem=56320 {operators=Gather, CTE Scan on sums, Index Scan on orders, "
           "Sort, Nested Loop, Sort} @48:5\n"
           "p4*1 0.006 cpu=1 {operators=CTE Scan on sums, Aggregate} @29:5\n"
           "p5*1 0.02 cpu=1 mem=65536 {operators=Seq Scan on lines, Aggregate} @9:5\n"
           "p6*1 0.002 cpu=1 mem=65536 {operators=result} @9:5\n"
           "p7*1 0.005 cpu=1 mem=30720 {operators=Limit} @3:3\n"
           "p1 -> p2 @89:13\n"
           "p2 -> p3 @73:11\n"
           "p3 -> p7 @48:5\n"
           "p5 -> p6 @9:5\n"
           "p6 -> p4 @9:5\n"
           "p6 -> p3 @9:5\n"
           "p4 -> p3 @29:5\n"
           "p2 -> p5 @73:11\n"); /* one process runs both */
}

#define EXPLAIN(plan)                                                                              \
    "<explain xmlns=\"http://www.postgresql.org/2009/explain\"><Query>\n" plan                     \
    "</Query></explain>\n"
#define TIMES(startup, total, loops)                                                               \
    "<Actual-Startup-Time>" startup "</Actual-Startup-Time><Actual-Total-Time>" total              \
    "</Actual-Total-Time><Actual-Loops>" loops "</Actual-Loops>"

static const struct bad plans[] = {
    {EXPLAIN("<Plan><Node-Type>Result</Node-Type>\n<Plan-Rows>3</Plan-Rows></Plan>"), 2,
     "the node 'Result' has neither times nor costs"},
    {EXPLAIN("<Plan>" TIMES("0", "1",
                            "1") "<Plans>\n<Plan><Total-Cost>3</Total-Cost></Plan></Plans></Plan>"),
     3, "the node 'Plan' has no times"},
    {EXPLAIN("<Plan>\n" TIMES("0", "soon", "1") "</Plan>"), 3, "is 'soon', which is no time"},
    {EXPLAIN("<Plan>\n" TIMES("0", "-1", "1") "</Plan>"), 3, "is '-1', which is no time"},
    {EXPLAIN("<Plan>\n" TIMES("0", "1", "many") "</Plan>"), 3, "is 'many', which is no number"},
    {EXPLAIN(""), 2, "the query has no plan"},
    {"<explain/>", 0, "there is no query in it"},
    {"<plan/>", 1, "the root element is <plan>, not <explain>"},
};

static void bad_plans(void **state)
{
    REFUSE(plans, "postgres");
}

/* Newer versions name the result of an InitPlan by the InitPlan; sorts on disk hold their work_mem;
 * times that contradict each other leave none below zero, and together those of the root. */
static void query_plan_variants(void **state)
{
    static const char text[] = EXPLAIN(
        "<Plan><Node-Type>Sort</Node-Type><Sort-Space-Used>9</Sort-Space-Used>"
        "<Sort-Space-Type>Disk</Sort-Space-Type>" TIMES(
            "6", "7",
            "1") "<Plans><Plan>"
                 "<Node-Type>Seq Scan</Node-Type><Filter>(a = (InitPlan 1).col1)</Filter>" TIMES(
                     "0", "5", "1") "<Plans><Plan><Node-Type>Result</Node-Type>"
                                    "<Parent-Relationship>InitPlan</Parent-Relationship>"
                                    "<Subplan-Name>InitPlan 1</Subplan-Name>" TIMES(
                                        "3", "30", "1") "</Plan>"
                                                        "</Plans></Plan></Plans></Plan>");
    struct parse_text file = parse_text_open(text, strlen(text));
    struct br_input input;
    assert_int_equal(br_parse_job(file.path, NULL, &input, NULL), BR_OK);
    const struct br_dag *dag = input.dag;
    assert_int_equal(dag->stages, 3);
    assert_string_equal(dag->attribute[0].value, "Result");
    assert_int_equal(dag->stage[0].duration_ns, 5000000);
    assert_string_equal(dag->attribute[1].value, "Seq Scan, Sort");
    assert_int_equal(dag->stage[1].duration_ns, 1000000); /* all of the scan was the InitPlan */
    assert_int_equal(dag->stage[2].duration_ns, 1000000);
    assert_int_equal(dag->resources, 2);
    assert_int_equal(dag->edges, 2);
    assert_int_equal(dag->edge[1].parent, 0);
    assert_int_equal(dag->edge[1].child, 1);
    br_input_finish(&input);
    parse_text_close(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(standard_task_graph),
        cmocka_unit_test(bad_graphs),
        cmocka_unit_test(profile),
        cmocka_unit_test(bad_profiles),
        cmocka_unit_test(recorded),
        cmocka_unit_test(recorded_transfers),
        cmocka_unit_test(bad_instances),
        cmocka_unit_test(recorded_machines),
        cmocka_unit_test(query_plan),
        cmocka_unit_test(bad_plans),
        cmocka_unit_test(query_plan_variants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
