/* Our own forms of workloads: what comes of them, that both say the same, and what is refused. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/process/clock.h"
#include "cluster/workload/write/workload.h"
#include "tests/parsers/parse_text.h"
#include "tests/cluster/workload/workload_text.h"

#define XML(body) "<workload xmlns=\"urn:bigrocks:workload:1\">\n" body "</workload>\n"
#define CHAIN "file=\"generate:chain,tasks=2,stages=2\" entry=\"5\""
#define ROW "\"generate:chain,tasks=2,stages=2\",5"

#define S INT64_C(1000000000)

/* ---- A folder with jobs ---- */

static char folder[64] = "/tmp/bigrocks-workload-XXXXXX";

static void put(const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int fill_folder(void **state)
{
    char path[200];
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/jobs", folder);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/other", folder);
    mkdir(path, 0700);
    put("jobs/a.xml",
        "<job xmlns='urn:bigrocks:job:1'><stage id='x' tasks='2' duration='3'/></job>");
    put("jobs/b.dot", "digraph { graph [resources=cpu]; y [duration=7, cpu=1]; }");
    put("jobs/bad.xml", "<job xmlns='urn:bigrocks:job:1'>\n<stage/></job>");
    put("jobs/log.swf", "; MaxProcs: 8\n"
                        "1 0 1 10 4 -1 -1 4 20 -1 1 3 1 1 1 -1 -1 -1\n"
                        "2 5 1 12 4 -1 -1 4 20 -1 1 4 1 1 1 -1 -1 -1\n");
    return 0;
}

static int empty_folder(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

static enum br_status read_named(const char *name, const char *text, struct br_workload **workload,
                                 struct br_diag *diag)
{
    char path[200];
    *diag = (struct br_diag){0};
    put(name, text);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return br_parse_workload(path, NULL, workload, diag);
}

/* ---- What comes of them ---- */

static void xml_fields(void **state)
{
    (void)state;
    struct br_workload *workload = workload_read(
        "<?xml version=\"1.0\"?><!-- two --> <workload xmlns=\"urn:bigrocks:workload:1\" "
        "xmlns:o=\"urn:other\" name=\"mine\" o:colour=\"red\"><o:note>text <b/></o:note>\n"
        "<group name=\"a&amp;b\" weight=\"2.5\"/><group name=\"default\" weight=\"3\"/>\n"
        "<cluster xmlns=\"urn:bigrocks:cluster:1\"><machine class=\"m\" count=\"4\">"
        "<capacity resource=\"cpu\" amount=\"8\"/></machine></cluster>\n"
        "<job " CHAIN " id=\"late\" arrival=\"7.25\" group=\"a&amp;b\" weight=\"0.1\" "
        "deadline=\"1e2\" seed=\"18446744073709551615\"/>\n"
        "<job file=\"generate:chain,tasks=2,stages=2\" entry=\"5\" o:x=\"1\"/>\n"
        "<job " CHAIN " scale=\"0.5\"><o:why>because</o:why></job></workload>",
        NULL);
    assert_string_equal(workload->name, "mine");
    assert_string_equal(workload_cluster(workload), "4*cpu=8");
    assert_int_equal(workload->jobs, 3);
    assert_int_equal(workload->dags, 2); /* with and without the factor */
    assert_string_equal(workload->job[0].id, "2");
    assert_int_equal(workload->job[0].seed, 2);
    assert_true(workload->job[0].weight == 1 && workload->job[0].deadline_ns == BR_NEVER);
    const struct br_workload_job *late = &workload->job[2];
    assert_string_equal(late->id, "late");
    assert_int_equal(late->arrival_ns, 7 * S + S / 4);
    assert_int_equal(late->deadline_ns, 100 * S);
    assert_true(late->weight == 0.1 && late->seed == UINT64_MAX);
    assert_string_equal(workload->group[late->group].name, "a&b");
    assert_true(workload->group[late->group].weight == 2.5 && workload->group[0].weight == 3);
    assert_int_equal(workload->job[0].dag, late->dag);
    const struct br_dag *whole = workload->dag[late->dag].dag;
    const struct br_dag *half = workload->dag[workload->job[1].dag].dag;
    assert_int_equal(half->duration_ns[0], (whole->duration_ns[0] + 1) / 2);
    assert_true(workload->dag[workload->job[1].dag].scale == 0.5);
    br_workload_destroy(workload);
}

static void csv_fields(void **state)
{
    (void)state;
    struct br_workload *workload = workload_read(
        "\xef\xbb\xbf arrival , id,\"file\",entry,group,group_weight,weight,deadline\r\n"
        "\r\n"
        "3,\"a \"\"b\"\",\nc\"," ROW ",g,4,,9.5\r\n"
        "1,," ROW ",,,2,\n"
        "2,z," ROW ",g,,,",
        NULL);
    assert_int_equal(workload->jobs, 3);
    assert_int_equal(workload->dags, 1);
    assert_string_equal(workload->job[0].id, "2");
    assert_true(workload->job[0].weight == 2 && workload->job[0].group == 0);
    assert_string_equal(workload->job[1].id, "z");
    assert_string_equal(workload->job[2].id, "a \"b\",\nc");
    assert_int_equal(workload->job[2].deadline_ns, 9 * S + S / 2);
    assert_int_equal(workload->job[2].pos.line, 3);
    assert_int_equal(workload->job[0].pos.line, 5);
    assert_int_equal(workload->job[1].group, workload->job[2].group);
    assert_true(workload->group[workload->job[1].group].weight == 4);
    br_workload_destroy(workload);
}

/* Without declared groups a name is enough. */
static void groups_by_name(void **state)
{
    (void)state;
    struct br_workload *workload =
        workload_read(XML("<job " CHAIN " group=\"a\"/><job " CHAIN " group=\"a\"/>"), NULL);
    assert_int_equal(workload->groups, 2);
    assert_int_equal(workload->job[0].group, workload->job[1].group);
    br_workload_destroy(workload);
}

static void job_files(void **state)
{
    (void)state;
    struct br_workload *workload;
    struct br_diag diag;
    const char *text = XML("<job file=\"jobs/a.xml\" arrival=\"1\"/><job file=\"jobs/b.dot\"/>"
                           "<job file=\"jobs/a.xml\" arrival=\"2\"/>"
                           "<job file=\"jobs/log.swf\" entry=\"2\" arrival=\"3\"/>"
                           "<job file=\"jobs/log.swf\" entry=\"1\" arrival=\"4\" id=\"one\"/>"
                           "<job file=\"jobs/log.swf\" entry=\"2\" arrival=\"5\" scale=\"2\"/>"
                           "<job file=\"jobs/b.dot\" arrival=\"6\" scale=\"1.5\"/>");
    assert_int_equal(read_named("w.xml", text, &workload, &diag), BR_OK);
    assert_string_equal(workload_describe(workload), "2 default @0 y*1 7 cpu=1\n"
                                                     "1 default @1 x*2 3\n"
                                                     "3 default @2 x*2 3\n"
                                                     "4 default @3 run*1 20 cpu=4 (12)\n"
                                                     "one default @4 run*1 20 cpu=4 (10)\n"
                                                     "6 default @5 run*1 40 cpu=4 (24)\n"
                                                     "7 default @6 y*1 10.5 cpu=1\n");
    assert_int_equal(workload->dags, 5); /* the two jobs of the log are alike */
    br_workload_destroy(workload);
    /* From a folder beside it. */
    text = "file,arrival\n../jobs/a.xml,0\n";
    assert_int_equal(read_named("other/w.csv", text, &workload, &diag), BR_OK);
    assert_string_equal(workload_describe(workload), "1 default @0 x*2 3\n");
    br_workload_destroy(workload);
}

/* ---- That both forms say the same ---- */

static char *written(const char *form, const struct br_workload *workload, const char *target)
{
    struct br_diag diag = {0};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    if (br_emit_workload(form, workload, target, out, &diag))
        fail_msg("%s", diag.what);
    fclose(out);
    return text;
}

static void round_trip(void **state)
{
    static const char text[] =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<workload xmlns=\"urn:bigrocks:workload:1\" name=\"w\">\n"
        "  <group name=\"default\" weight=\"0.5\"/>\n"
        "  <group name=\"a, &quot;b&quot;\" weight=\"0.3333\"/>\n"
        "  <job id=\" x&#10;y\" file=\"jobs/a.xml\" arrival=\"0.000000001\" group=\"a, "
        "&quot;b&quot;\" weight=\"1234.56789\" deadline=\"1000000.5\" seed=\"7\" scale=\"0.1\"/>\n"
        "  <job id=\"2\" file=\"jobs/log.swf\" entry=\"2\" arrival=\"1\" "
        "seed=\"9007199254740993\"/>\n"
        "  <job id=\"3\" file=\"generate:cosmos,tasks=9,stages=3,spread=0.25\" entry=\"4\" "
        "arrival=\"2\" seed=\"0\"/>\n"
        "</workload>\n";
    (void)state;
    struct br_workload *workload;
    struct br_diag diag;
    char target[200];
    if (read_named("w.xml", text, &workload, &diag))
        fail_msg("%s", diag.what);
    snprintf(target, sizeof target, "%s/w.xml", folder);
    char *xml = written("xml", workload, target), *csv = written("csv", workload, target);
    assert_string_equal(xml, text);
    assert_string_equal(csv,
                        "file,entry,id,arrival,group,weight,deadline,seed,scale,group_weight\n"
                        "jobs/a.xml,,\" x\ny\",0.000000001,\"a, \"\"b\"\"\",1234.56789,1000000.5,7,"
                        "0.1,0.3333\n"
                        "jobs/log.swf,2,2,1,,1,,9007199254740993,1,0.5\n"
                        "\"generate:cosmos,tasks=9,stages=3,spread=0.25\",4,3,2,,1,,0,1,0.5\n");
    br_workload_destroy(workload);
    if (read_named("w.csv", csv, &workload, &diag)) /* the name is again w */
        fail_msg("%s", diag.what);
    char *again = written("xml", workload, target);
    assert_string_equal(again, text);
    free(again);
    snprintf(target, sizeof target, "%s/other/w.xml", folder);
    again = written("csv", workload, target);
    assert_non_null(strstr(again, "\n../jobs/a.xml,"));
    assert_non_null(strstr(again, "\n../jobs/log.swf,2,"));
    free(again);
    free(xml);
    free(csv);
    br_workload_destroy(workload);
}

static void without_files(void **state)
{
    (void)state;
    struct br_workload *workload = br_workload_create(NULL, NULL);
    struct br_dag *dag = br_dag_create("d");
    struct br_workload_job job = br_workload_job_default();
    struct br_diag diag = {0};
    br_dag_add_stage(dag, "s", 1, S, NULL, NULL);
    br_dag_finish(dag, NULL);
    assert_int_equal(br_workload_add_dag(workload, dag, NULL, NULL, &job.dag, &diag), BR_OK);
    job.id = "j";
    assert_int_equal(br_workload_add_job(workload, &job, &diag), BR_OK);
    assert_int_equal(br_workload_finish(workload, &diag), BR_OK);
    assert_int_equal(br_emit_workload("xml", workload, NULL, stdout, &diag), BR_BAD_INPUT);
    assert_non_null(strstr(diag.what, "'j' has no file"));
    assert_int_equal(br_emit_workload("tsv", workload, NULL, stdout, &diag), BR_USAGE);
    br_workload_destroy(workload);
}

/* ---- What is refused ---- */

static void refused_xml(void **state)
{
    static const struct {
        const char *text;
        uint32_t line;
        const char *what;
    } bad[] = {
        {"<workload/>", 1, "namespace"},
        {"<workload xmlns=\"urn:bigrocks:workload:2\"/>", 1, "urn:bigrocks:workload:2"},
        {XML(""), 0, "no job"},
        {XML("<job/>"), 2, "job '1' has no file"},
        {XML("<job file=\"\"/>"), 2, "job '1' has no file"},
        {XML("<job " CHAIN "/>\n<jobs " CHAIN "/>"), 3, "unknown element <jobs> in <workload>"},
        {XML("<job " CHAIN " arival=\"1\"/>"), 2, "unknown attribute 'arival'"},
        {XML("<job " CHAIN ">text</job>"), 2, "text is not allowed here"},
        {XML("<job " CHAIN "><job/></job>"), 2, "<job> cannot stand in <job>"},
        {XML("<job " CHAIN "/>\n<job " CHAIN " arrival=\"-1\"/>"), 3,
         "arrival '-1' of job '2' is negative"},
        {XML("<job " CHAIN " arrival=\"nan\"/>"), 2, "is not a number"},
        {XML("<job " CHAIN " arrival=\"1e30\"/>"), 2, "too large"},
        {XML("<job " CHAIN " arrival=\"\"/>\n<job " CHAIN " arrival=\"5\" deadline=\"5\"/>"), 3,
         "not after its arrival"},
        {XML("<job " CHAIN " deadline=\"-3\"/>"), 2, "deadline '-3' of job '1' is negative"},
        {XML("<job " CHAIN " id=\"x\"/>\n<job " CHAIN " id=\"x\"/>"), 3, "two jobs 'x'"},
        {XML("<job " CHAIN " id=\"2\"/>\n<job " CHAIN "/>"), 3, "two jobs '2'"},
        {XML("<job " CHAIN " weight=\"0\"/>"), 2, "weight '0'"},
        {XML("<job " CHAIN " weight=\"-1\"/>"), 2, "weight '-1'"},
        {XML("<job " CHAIN " scale=\"0\"/>"), 2, "scale '0'"},
        {XML("<job " CHAIN " seed=\"1.5\"/>"), 2, "seed '1.5'"},
        {XML("<job " CHAIN " seed=\"18446744073709551616\"/>"), 2, "below 2^64"},
        {XML("<job " CHAIN " id=\"a&#x85;\"/>") "x", 3, "Extra content"},
        {XML("<group name=\"a\"/>\n<job " CHAIN " group=\"b\"/>"), 3, "unknown group 'b'"},
        {XML("<job " CHAIN "/>\n<group name=\"a\"/>"), 3, "comes after jobs"},
        {XML("<group name=\"a\"/>\n<group name=\"a\"/>"), 3, "two groups 'a'"},
        {XML("<group/>"), 2, "has no name"},
        {XML("<group name=\"a\" weight=\"x\"/>"), 2, "weight 'x' of group 'a'"},
        {XML("<cluster xmlns=\"urn:bigrocks:cluster:1\"/>"), 2, "no machines"},
        {XML("<job file=\"-\"/>"), 2, "standard input"},
        {XML("<job file=\"generate:cosmo\" entry=\"1\"/>"), 2,
         "no jobs are generated like 'cosmo'"},
        {XML("<job file=\"generate:chain\"/>"), 2, "is not its seed"},
        {XML("<job file=\"generate:chain,task=3\" entry=\"1\"/>"), 2, "'task' is no option"},
        {XML("<job file=\"generate:chain,tasks=2,stages=3\" entry=\"1\"/>"), 2, "do not fill"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct parse_text file = parse_text_open(bad[k].text, strlen(bad[k].text));
        struct br_workload *workload;
        struct br_diag diag = {0};
        enum br_status status = br_parse_workload(file.path, NULL, &workload, &diag);
        if (status != BR_BAD_INPUT || diag.line != bad[k].line || !strstr(diag.what, bad[k].what) ||
            workload)
            fail_msg("%s: %d, %u: %s", bad[k].text, (int)status, (unsigned)diag.line, diag.what);
        parse_text_close(&file);
    }
}

static void refused_csv(void **state)
{
    static const struct {
        const char *text;
        uint32_t line;
        const char *what;
    } bad[] = {
        {"file,arrival\n", 0, "no job"},
        {"file,arrival,file\n", 1, "two columns 'file'"},
        {"file,arrival,wieght\n", 1, "no column 'wieght'"},
        {"file,arrival\nx\n", 2, "the row has 1 fields, and the head 2"},
        {"file,entry,arrival\n" ROW ",1,2\n", 2, "the row has 4 fields, and the head 3"},
        {"file,entry,arrival\n" ROW ",0\n\n" ROW ",x\n", 4, "arrival 'x' of job '2'"},
        {"file,entry,arrival\n" ROW ",\"1\"2\n", 2, "behind a quoted field"},
        {"file,entry,arrival\n" ROW ",\"1\n\n", 2, "not closed"},
        {"file,entry,arrival,group,group_weight\n" ROW ",0,a,2\n" ROW ",0,a,3\n", 3,
         "the weight of group 'a' is not as in the rows before"},
        {"file,entry,arrival,group,group_weight\n" ROW ",0,a,0\n", 2, "group_weight '0'"},
        {"file,arrival\n\xff,1\n", 2, "UTF-8"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct parse_text file = parse_text_open(bad[k].text, strlen(bad[k].text));
        struct br_workload *workload;
        struct br_diag diag = {0};
        enum br_status status = br_parse_workload(file.path, NULL, &workload, &diag);
        if (status != BR_BAD_INPUT || diag.line != bad[k].line || !strstr(diag.what, bad[k].what) ||
            workload)
            fail_msg("%s: %d, %u: %s", bad[k].text, (int)status, (unsigned)diag.line, diag.what);
        parse_text_close(&file);
    }
}

static void refused_files(void **state)
{
    static const struct {
        const char *row, *file, *what, *hint;
        uint32_t line;
    } bad[] = {
        {"jobs/none.xml,,", "w.csv", "jobs/none.xml' cannot be read: No such file", "", 2},
        {"jobs/bad.xml,,", "jobs/bad.xml", "<stage> has no attribute 'id'", "w.csv:2", 2},
        {"jobs/a.xml,3,", "w.csv", "holds one job, and no entry '3'", "", 2},
        {"jobs/log.swf,,", "w.csv", "holds 2 jobs", "entry", 2},
        {"jobs/log.swf,9,", "w.csv", "has no job '9'", "", 2},
        {"w.csv,,", "w.csv", "is a workload, not a job", "", 2},
    };
    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct br_workload *workload;
        struct br_diag diag;
        char text[200], file[200];
        snprintf(text, sizeof text, "file,entry,arrival\n%s\n", bad[k].row);
        snprintf(file, sizeof file, "%s/%s", folder, bad[k].file);
        assert_int_equal(read_named("w.csv", text, &workload, &diag), BR_BAD_INPUT);
        assert_null(workload);
        if (strcmp(diag.file, file) != 0 || diag.line != bad[k].line ||
            !strstr(diag.what, bad[k].what) || !strstr(diag.hint, bad[k].hint))
            fail_msg("%s: %s:%u: %s; %s", bad[k].row, diag.file, (unsigned)diag.line, diag.what,
                     diag.hint);
    }
}

/* One job file that is not there, in row 9,000 of 10,000. */
static void missing_among_many(void **state)
{
    (void)state;
    struct br_workload *workload;
    struct br_diag diag;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fputs("<workload xmlns=\"urn:bigrocks:workload:1\">\n", out);
    for (int k = 2; k <= 10001; k++)
        fprintf(out, "<job file=\"jobs/%s.xml\" arrival=\"%d\"/>\n", k == 9000 ? "gone" : "a", k);
    fputs("</workload>\n", out);
    fclose(out);
    int64_t began_ns = br_now_ns();
    assert_int_equal(read_named("many.xml", text, &workload, &diag), BR_BAD_INPUT);
    assert_true(br_now_ns() - began_ns < 5 * S);
    assert_int_equal(diag.line, 9000);
    assert_int_equal(diag.column, 1);
    assert_non_null(strstr(diag.what, "jobs/gone.xml"));
    free(text);
}

/* Each file is read once, and rows cost little: 200,000 of them. */
static void many_rows(void **state)
{
    (void)state;
    struct br_workload *workload;
    struct br_diag diag;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fputs("file,entry,arrival\n", out);
    for (int k = 0; k < 200000; k++)
        if (k % 3)
            fprintf(out, "jobs/log.swf,%d,%d\n", k % 3, k);
        else
            fprintf(out, "jobs/b.dot,,%d\n", k);
    fclose(out);
    assert_int_equal(read_named("rows.csv", text, &workload, &diag), BR_OK);
    assert_int_equal(workload->jobs, 200000);
    assert_int_equal(workload->dags, 2);
    assert_int_equal(workload->job[199999].arrival_ns, 199999 * S);
    br_workload_destroy(workload);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(xml_fields),     cmocka_unit_test(csv_fields),
        cmocka_unit_test(groups_by_name), cmocka_unit_test(job_files),
        cmocka_unit_test(round_trip),     cmocka_unit_test(without_files),
        cmocka_unit_test(refused_xml),    cmocka_unit_test(refused_csv),
        cmocka_unit_test(refused_files),  cmocka_unit_test(missing_among_many),
        cmocka_unit_test(many_rows),
    };
    return cmocka_run_group_tests(tests, fill_folder, empty_folder);
}
