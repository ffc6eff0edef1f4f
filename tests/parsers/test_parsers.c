/* Every format on a fixture of its own, against the job written out. */
#include "tests/parsers/parse_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "emit/emit.h"

static struct br_parse_options options_with(const char *rate, enum br_transfer_mode mode)
{
    struct br_parse_options options = br_parse_options_default();
    assert_int_equal(br_decimal_parse(rate, &options.transfer_rate), BR_DECIMAL_OK);
    options.transfer_mode = mode;
    return options;
}

static void expect_path(const char *path, const struct br_parse_options *options,
                        const char *expected)
{
    struct br_input input;
    struct br_diag diag = {0};
    if (br_parse_job(path, options, &input, &diag)) {
        char text[2000];
        br_diag_format(&diag, text, sizeof text);
        fail_msg("%s", text);
    }
    assert_string_equal(diag.file, "");
    assert_int_equal(diag.line, 0);
    assert_string_equal(parse_describe(&input), expected);
    br_input_finish(&input);
    assert_null(input.dag);
}

static void expect(const char *fixture, const struct br_parse_options *options,
                   const char *expected)
{
    expect_path(parse_fixture(fixture), options, expected);
}

static void expect_text(const char *text, const char *expected)
{
    struct parse_text file = parse_text_open(text, strlen(text));
    expect_path(file.path, NULL, expected);
    parse_text_close(&file);
}

static const char word_count[] =
    "word-count {origin=made for the tests}\n"
    "resource cpu in cores\n"
    "resource mem in bytes\n"
    "map*3 12.5 [1] 61 cpu=1 mem=2147483648 `./map --part {index} < in && echo \"done\"`"
    " {label=Map & filter} @8:3\n"
    "sort*3 0.001 @18:3\n"
    "reduce*1 0 cpu=0.5 @21:3\n"
    "map => sort {shuffle=hash} @4:3\n"
    "sort -> reduce @19:3\n"
    "map -> reduce {width=10} @20:3\n"
    "machine small*2 cpu=1\n"
    "machine large*1 cpu=16 mem=68719476736\n";

static void native_job(void **state)
{
    struct br_input input;
    expect("word-count.job.xml", NULL, word_count);
    assert_int_equal(br_parse_job_xml(parse_fixture("word-count.job.xml"), &input, NULL), BR_OK);
    assert_string_equal(parse_describe(&input), word_count);
    br_input_finish(&input);
}

/* Prefixes, a byte order mark, another encoding, processing instructions, an unnamed job. */
static void native_spellings(void **state)
{
    expect_text("\xef\xbb\xbf<?xml version='1.0'?><?style x?><!-- <dag> -->\n"
                "<b:job xmlns:b='urn:bigrocks:job:1' name='n' undeclared:y='2'>"
                "<b:stage id='a'/><other xmlns='urn:o'/></b:job>",
                "n\na*1 0 @2:63\n");
    expect_text("<?xml version='1.0' encoding='ISO-8859-1'?>"
                "<job xmlns='urn:bigrocks:job:1' name='\xe9'>\n"
                "<stage\n id='\xe9&#x20AC;'\n tasks='2'/></job>",
                "\xc3\xa9\n\xc3\xa9\xe2\x82\xac*2 0 @2:1\n");
}

/* Lines and columns hold far into a large file. */
static void native_places(void **state)
{
    enum { STAGES = 70000 };
    char *text = malloc(STAGES * 40 + 200), *at = text;
    assert_non_null(text);
    at += sprintf(at, "<job xmlns='urn:bigrocks:job:1'>\n");
    for (int s = 0; s < STAGES; s++)
        at += sprintf(at, "%*s<stage id='s%d'/>\n", s % 7, "", s);
    sprintf(at, "</job>\n");
    struct parse_text file = parse_text_open(text, strlen(text));
    struct br_input input;
    assert_int_equal(br_parse_job(file.path, NULL, &input, NULL), BR_OK);
    assert_int_equal(br_dag_stage_count(input.dag), STAGES);
    for (uint32_t s = 0; s < STAGES; s++) {
        assert_int_equal(input.dag->stage[s].pos.line, s + 2);
        assert_int_equal(input.dag->stage[s].pos.column, s % 7 + 1);
    }
    br_input_finish(&input);
    parse_text_close(&file);
    free(text);
}

static void native_cluster(void **state)
{
    struct br_cluster *cluster;
    struct br_diag diag = {0};
    char name[40];
    assert_int_equal(br_parse_cluster(parse_fixture("rack.cluster.xml"), &cluster, &diag), BR_OK);
    assert_string_equal(cluster->name, "rack");
    assert_int_equal(cluster->classes, 2);
    assert_int_equal(br_cluster_machine_count(cluster), 21);
    br_cluster_machine_name(cluster, 19, name, sizeof name);
    assert_string_equal(name, "small[19]");
    br_cluster_machine_name(cluster, 20, name, sizeof name);
    assert_string_equal(name, "large");
    assert_int_equal(cluster->cls[0].capacities, 2);
    assert_int_equal(br_cluster_capacity(cluster, 0, "mem").mantissa, 5);
    assert_int_equal(br_cluster_capacity(cluster, 0, "mem").exponent, -1);
    assert_int_equal(br_cluster_capacity(cluster, 1, "mem").mantissa, 0);
    br_cluster_destroy(cluster);
}

static void capacity(void **state)
{
    struct br_cluster *cluster;
    char text[BR_DECIMAL_TEXT];
    assert_int_equal(br_parse_capacity(20, "cpu=16,mem=64GiB,net=1.5G,x y= 0 ", &cluster, NULL),
                     BR_OK);
    assert_int_equal(br_cluster_machine_count(cluster), 20);
    br_decimal_format(br_cluster_capacity(cluster, 0, "mem"), text, sizeof text);
    assert_string_equal(text, "68719476736");
    br_decimal_format(br_cluster_capacity(cluster, 0, "net"), text, sizeof text);
    assert_string_equal(text, "1500000000");
    assert_int_equal(cluster->cls[0].capacities, 4);
    assert_string_equal(cluster->cls[0].name, "m");
    br_cluster_destroy(cluster);
}

static void refused_capacity(void **state)
{
    static const struct {
        const char *text;
        uint32_t machines, column;
        const char *what;
    } cases[] = {
        {"cpu", 1, 1, "'cpu' is not a capacity"},
        {"cpu=1,=2", 1, 7, "is not a capacity"},
        {"cpu=1,,mem=2", 1, 7, "is not a capacity"},
        {"cpu=1,", 1, 7, "is not a capacity"},
        {"", 1, 1, "is not a capacity"},
        {"cpu=1, mem=2kib", 1, 8, "'2kib' of mem is not a number"},
        {"cpu=1, =2", 1, 8, "is not a capacity"},
        {"cpu=nan", 1, 1, "not a number"},
        {"cpu=-1", 1, 1, "negative"},
        {"cpu=1,cpu=2", 1, 7, "twice"},
        {"cpu=99999999999999999999", 1, 1, "too many digits"},
        {"cpu=1", 0, 0, "no machines"},
        {"cpu=1", 1000001, 0, "the most that are planned"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct br_cluster *cluster;
        struct br_diag diag = {0};
        assert_int_equal(br_parse_capacity(cases[k].machines, cases[k].text, &cluster, &diag),
                         BR_BAD_INPUT);
        assert_null(cluster);
        assert_string_equal(diag.file, "--capacity");
        assert_int_equal(diag.column, cases[k].column);
        if (!strstr(diag.what, cases[k].what))
            fail_msg("'%s' lacks '%s'", diag.what, cases[k].what);
    }
}

static void dot_job(void **state)
{
    expect("word-count.dot", NULL,
           "word-count {rankdir=LR}\n"
           "resource cpu\n"
           "resource mem in bytes\n"
           "map*3 12.5 [1] 61 [2] 0 cpu=1 mem=2147483648 `./map {index}` {label=<<b>Map</b>>} "
           "{shape=box} @5:3\n"
           "sort*3 0.001 cpu=0.5 {shape=box} @8:5\n"
           "re\"duce*1 30 cpu=0.5 mem=1500 {shape=box} @9:5\n"
           "done*1 0 cpu=1 {shape=box} @16:26\n"
           "map => sort {colour=red} {weight=2} @12:3\n"
           "map -> re\"duce {colour=red} {headport=in} {tailport=out} @13:3\n"
           "sort -> re\"duce {colour=red} @14:3\n"
           "sort -> done {colour=red} @16:26\n"
           "re\"duce -> done {colour=red} @16:26\n");
}

static void dot_operations(void **state)
{
    struct br_parse_options options = options_with("1e8", BR_TRANSFER_DELAY);
    expect("operations.dot", NULL,
           "G\nresource cpu\n"
           "a*1 2 cpu=1 {category=x} @2:3\n"
           "b*1 10.00000013 cpu=1 @3:3\n"
           "c*1 0 cpu=1 @4:3\n"
           "root*1 0 cpu=1 @5:3\n"
           "end*1 0 cpu=1 @10:8\n"
           "root -> a {size=1e8} @5:3\n"
           "root -> b {size=1.000000e-12} @6:3\n"
           "a -> c {size=5e8} @7:3\n"
           "b -> c {size=-1.} {size=2.5e8} @8:3\n"
           "c -> end @10:3\n");
    expect("operations.dot", &options,
           "G\nresource cpu\n"
           "a*1 2 cpu=1 {category=x} @2:3\n"
           "b*1 10.00000013 cpu=1 @3:3\n"
           "c*1 0 cpu=1 @4:3\n"
           "root*1 0 cpu=1 @5:3\n"
           "end*1 0 cpu=1 @10:8\n"
           "root->a*1 1 @5:3\n"
           "a->c*1 5 @7:3\n"
           "b->c*1 2.5 @8:3\n"
           "root -> root->a @5:3\n"
           "root->a -> a @5:3\n"
           "root -> b @6:3\n"
           "a -> a->c @7:3\n"
           "a->c -> c @7:3\n"
           "b -> b->c @8:3\n"
           "b->c -> c @8:3\n"
           "c -> end @10:3\n");
    options.speed = (struct br_decimal){5, 8};
    options.transfer_mode = BR_TRANSFER_DEMAND;
    /* a: 4 s, 6e8 bytes take 6 s at 1e8; b: 20 s, 2.5e8 bytes; c: 7.5e8 bytes; root: 1e8 bytes */
    expect("operations.dot", &options,
           "G\nresource cpu\nresource net\n"
           "a*1 6 cpu=1 net=100000000 {category=x} @2:3\n"
           "b*1 20.000000259 cpu=1 net=12500000 @3:3\n"
           "c*1 7.5 cpu=1 net=100000000 @4:3\n"
           "root*1 1 cpu=1 net=100000000 @5:3\n"
           "end*1 0 cpu=1 @10:8\n"
           "root -> a @5:3\n"
           "root -> b @6:3\n"
           "a -> c @7:3\n"
           "b -> c @8:3\n"
           "c -> end @10:3\n");
}

static void dot_spellings(void **state)
{
    expect_text("\xef\xbb\xbf# a comment\n  /* another */ STRICT Digraph g{a->b a->b;}",
                "g\na*1 0 @2:34\nb*1 0 @2:37\na -> b @2:34\n");
    expect_text("digraph g { a [tasks=4]; b [tasks=4 duration=2]; a -> b [type=\"one-to-one\"] }",
                "g\na*4 0 @1:13\nb*4 2 @1:26\na => b @1:50\n");
}

/* Labels name nodes that are numbered; all others keep both. */
static void dot_labels(void **state)
{
    expect("numbered.dot", NULL,
           "query\n"
           "resource cpu\n"
           "scan orders*1 2 cpu=1 {id=1} @5:3\n"
           "scan lines*1 2 cpu=1 {id=table2} @6:3\n"
           "hash join*3 2 cpu=1 {id=3} @7:3\n"
           "end*1 2 cpu=1 {id=0x5f} @8:3\n"
           "4*1 2 cpu=1 {label=\\N} @9:3\n"
           "5*1 2 cpu=1 {label=twin} @10:3\n"
           "6*1 2 cpu=1 {label=twin} @11:3\n"
           "7*1 2 cpu=1 {label=record} {shape=Mrecord} @12:3\n"
           "8*1 2 cpu=1 {label=named} @13:3\n"
           "named*1 2 cpu=1 {label=other} @14:3\n"
           "9*1 2 cpu=1 {label=<bold>} @15:3\n"
           "10*1 2 cpu=1 {label=11} @16:3\n"
           "two lines*1 2 cpu=1 {id=11} @17:3\n"
           "12*1 2 cpu=1 @18:3\n"
           "13*1 2 cpu=1 {label=%own} @19:3\n"
           "14*1 2 cpu=1 {label=99} @20:3\n"
           "15*1 2 cpu=1 {label= } @21:3\n"
           "16*1 2 cpu=1 {label=a\ttab} @22:3\n"
           "scan orders -> hash join @23:3\n"
           "scan lines -> hash join {headport=w} @24:3\n"
           "hash join -> end @8:3\n"
           "hash join -> 4 @9:3\n"
           "5 -> 6 @26:3\n"
           "6 -> 7 @26:8\n"
           "7 -> 8 @26:13\n"
           "8 -> named @26:18\n"
           "named -> 9 @26:23\n"
           "9 -> 10 @26:32\n"
           "10 -> two lines @26:37\n"
           "two lines -> 12 @26:43\n");
    expect_text("digraph g { graph [resources=label]; 1 [label=\"2k\"]; 2; 1 -> 2 }",
                "g\nresource label\n1*1 0 label=2000 @1:38\n2*1 0 @1:54\n1 -> 2 @1:57\n");
}

static void dax_explicit(void **state)
{
    static const char plain[] = "in-files\nresource cpu\n"
                                "ID1*1 13.39 cpu=1 {name=split} @5:3\n"
                                "ID2*1 0 cpu=4 {name=work} @13:3\n"
                                "ID3*1 0 cpu=1 {name=work} @18:3\n"
                                "ID4*1 2.5 cpu=1 @22:3\n"
                                "ID1 -> ID2 @23:20\n"
                                "ID1 -> ID3 @24:20\n"
                                "ID2 -> ID4 @25:20\n"
                                "ID3 -> ID4 @25:39\n";
    expect("files.dax", NULL, plain);
}

static void dax_profiles(void **state)
{
    expect("profiles.dax", NULL,
           "profiles\nresource cpu\nresource mem\n"
           "early*1 60.25 cpu=8 mem=2048 {name=x} @10:3\n"
           "late*1 5 cpu=2 {name=x} @17:3\n"
           "nested*1 0 cpu=1 @22:3\n"
           "early -> late @9:21\n");
}

/* The largest size of a file counts, each file and each edge once. */
static void dax_transfers(void **state)
{
    struct br_parse_options options = options_with("50", BR_TRANSFER_DELAY);
    expect("files.dax", &options,
           "in-files\nresource cpu\n"
           "ID1*1 13.39 cpu=1 {name=split} @5:3\n"
           "ID2*1 0 cpu=4 {name=work} @13:3\n"
           "ID3*1 0 cpu=1 {name=work} @18:3\n"
           "ID4*1 2.5 cpu=1 @22:3\n"
           "ID1->ID2*1 3 @23:20\n"
           "ID1->ID3*1 6.16 @24:20\n"
           "ID1 -> ID1->ID2 @23:20\n"
           "ID1->ID2 -> ID2 @23:20\n"
           "ID1 -> ID1->ID3 @24:20\n"
           "ID1->ID3 -> ID3 @24:20\n"
           "ID2 -> ID4 @25:20\n"
           "ID3 -> ID4 @25:39\n");
    options = options_with("22.9", BR_TRANSFER_DEMAND);
    /* ID1 sends 150 + 308 bytes, which take 20 s; ID2 takes in 150, ID3 308. */
    expect("files.dax", &options,
           "in-files\nresource cpu\nresource net\n"
           "ID1*1 20 cpu=1 net=22.9 {name=split} @5:3\n"
           "ID2*1 6.550218341 cpu=4 net=22.9 {name=work} @13:3\n"
           "ID3*1 13.44978166 cpu=1 net=22.9 {name=work} @18:3\n"
           "ID4*1 2.5 cpu=1 @22:3\n"
           "ID1 -> ID2 @23:20\n"
           "ID1 -> ID3 @24:20\n"
           "ID2 -> ID4 @25:20\n"
           "ID3 -> ID4 @25:39\n");
}

/* Files and sizes that the edges keep, without any rate: 150 and 308 bytes of the DAX, as above. */
static void kept_transfers(void **state)
{
    static const struct {
        const char *file;
        int64_t bytes[5];
    } cases[] = {{"files.dax", {150, 308, 0, 0}},
                 {"operations.dot", {100000000, 0, 500000000, 250000000, 0}}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct br_parse_options options = br_parse_options_default();
        struct br_input input;
        options.transfer_mode = BR_TRANSFER_KEEP;
        assert_int_equal(br_parse_job(parse_fixture(cases[k].file), &options, &input, NULL), BR_OK);
        for (uint32_t e = 0; e < input.dag->edges; e++)
            assert_int_equal(input.dag->edge[e].bytes, cases[k].bytes[e]);
        br_input_finish(&input);
    }
}

/* A file that a job changes is its input and its output: both edges carry it. */
static void files_that_are_changed(void **state)
{
    static const char text[] =
        "<adag><job id='a' runtime='1'><uses file='f' link='output' size='5'/></job>"
        "<job id='b' runtime='1'><uses file='f' link='inout' size='8'/></job>"
        "<job id='c' runtime='1'><uses file='f' link='input' size='3'/></job>"
        "<child ref='b'><parent ref='a'/></child><child ref='c'><parent ref='b'/></child></adag>";
    struct br_parse_options options = br_parse_options_default();
    struct parse_text file = parse_text_open(text, sizeof text - 1);
    struct br_input input;
    (void)state;
    options.transfer_mode = BR_TRANSFER_KEEP;
    assert_int_equal(br_parse_job(file.path, &options, &input, NULL), BR_OK);
    assert_int_equal(input.dag->edges, 2);
    assert_int_equal(input.dag->edge[0].bytes, 8);
    assert_int_equal(input.dag->edge[1].bytes, 8);
    br_input_finish(&input);
    parse_text_close(&file);
}

static void projects(void **state)
{
    expect("small.sm", NULL,
           "small\nresource R1\nresource R2\n"
           "1*1 0 @26:3\n"
           "2*1 5 R1=3 @27:3\n"
           "3*1 4 R1=1 R2=2 @28:3\n"
           "4*1 0 @29:3\n"
           "1 -> 2 @18:36\n"
           "1 -> 3 @18:40\n"
           "2 -> 4 @19:36\n"
           "3 -> 4 @20:36\n"
           "machine pool*1 R1=4 R2=2\n");
    expect("small.rcp", NULL,
           "small\nresource R1\nresource R2\n"
           "1*1 0 @4:1\n"
           "2*1 5 R1=3 @6:1\n"
           "3*1 4 R1=1 R2=2 @7:1\n"
           "4*1 0 @8:1\n"
           "1 -> 2 @4:9\n"
           "1 -> 3 @5:3\n"
           "2 -> 4 @6:9\n"
           "3 -> 4 @7:9\n"
           "machine pool*1 R1=4 R2=2\n");
}

/* Leaves out the places, and the lines of machines where they are not wanted. */
static char *without_places(const char *text, bool machines)
{
    char *copy = strdup(text), *to = copy;
    assert_non_null(copy);
    for (const char *p = text; *p;) {
        const char *end = strchr(p, '\n'), *place = NULL;
        for (const char *at = p; at < end; at++)
            if (strncmp(at, " @", 2) == 0)
                place = at;
        size_t length = (size_t)((place ? place : end) - p);
        if (machines || strncmp(p, "machine ", 8) != 0) {
            memcpy(to, p, length);
            to += length;
            *to++ = '\n';
        }
        p = end + 1;
    }
    *to = 0;
    return copy;
}

/* A written job reads back as the same job. */
static void round_trip(const char *path, const char *format)
{
    struct br_input input, again;
    char *text = NULL;
    size_t size = 0;
    assert_int_equal(br_parse_job(path, NULL, &input, NULL), BR_OK);
    bool machines = strcmp(format, "xml") == 0;
    char *before = without_places(parse_describe(&input), machines);
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    const struct br_emit_input job = {.dag = input.dag, .cluster = input.cluster};
    assert_int_equal(br_emit_job(format, &job, out, NULL), BR_OK);
    fclose(out);
    struct parse_text file = parse_text_open(text, size);
    struct br_diag diag = {0};
    if (br_parse_job(file.path, NULL, &again, &diag))
        fail_msg("%s: line %u: %s\n%s", path, diag.line, diag.what, text);
    char *after = without_places(parse_describe(&again), machines);
    assert_string_equal(after, before);
    br_input_finish(&input);
    br_input_finish(&again);
    parse_text_close(&file);
    free(text);
    free(before);
    free(after);
}

static void round_trips(void **state)
{
    static const char *const fixtures[] = {
        "word-count.job.xml", "word-count.dot",    "numbered.dot",      "files.dax",
        "profiles.dax",       "small.sm",          "small.rcp",         "recorded.json",
        "small.stg",          "query.explain.xml", "small.profile.txt", "flow.snakemake.json",
        "small.jsp"};
    for (size_t f = 0; f < sizeof fixtures / sizeof fixtures[0]; f++) {
        round_trip(parse_fixture(fixtures[f]), "xml");
        round_trip(parse_fixture(fixtures[f]), "dot");
    }
}

static void standard_input(void **state)
{
    struct br_input input;
    int saved = dup(STDIN_FILENO);
    assert_non_null(freopen(parse_fixture("word-count.job.xml"), "rb", stdin));
    assert_int_equal(br_parse_job("-", NULL, &input, NULL), BR_OK);
    assert_string_equal(parse_describe(&input), word_count);
    assert_string_equal(input.dag->source, "<stdin>");
    br_input_finish(&input);
    assert_true(dup2(saved, STDIN_FILENO) >= 0);
    close(saved);
}

/* The table names itself, and a format that is named is not guessed. */
static void table(void **state)
{
    struct br_parse_options options = br_parse_options_default();
    struct br_input input;
    struct br_diag diag = {0};
    uint32_t formats = 0;
    for (; br_named_name(&br_job_formats, formats); formats++)
        assert_non_null(br_named_at(&br_job_formats, formats)->summary);
    assert_true(formats >= 5);
    assert_null(br_named_at(&br_job_formats, formats));
    options.from = "xml";
    assert_int_equal(br_parse_job(parse_fixture("word-count.job.xml"), &options, &input, &diag),
                     BR_OK);
    br_input_finish(&input);
    options.from = "patterson";
    assert_int_equal(br_parse_job(parse_fixture("word-count.job.xml"), &options, &input, &diag),
                     BR_BAD_INPUT);
    assert_null(input.dag);
    options.from = "yaml";
    assert_int_equal(br_parse_job(parse_fixture("word-count.job.xml"), &options, &input, &diag),
                     BR_USAGE);
    for (uint32_t k = 0; k < formats; k++)
        assert_non_null(strstr(diag.hint, br_named_name(&br_job_formats, k)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(native_job),     cmocka_unit_test(native_spellings),
        cmocka_unit_test(native_places),  cmocka_unit_test(native_cluster),
        cmocka_unit_test(capacity),       cmocka_unit_test(refused_capacity),
        cmocka_unit_test(dot_job),        cmocka_unit_test(dot_operations),
        cmocka_unit_test(dot_spellings),  cmocka_unit_test(dot_labels),
        cmocka_unit_test(dax_explicit),   cmocka_unit_test(dax_profiles),
        cmocka_unit_test(dax_transfers),  cmocka_unit_test(files_that_are_changed),
        cmocka_unit_test(kept_transfers), cmocka_unit_test(projects),
        cmocka_unit_test(round_trips),    cmocka_unit_test(standard_input),
        cmocka_unit_test(table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
