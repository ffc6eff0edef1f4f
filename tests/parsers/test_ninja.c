/* Builds of ninja as jobs: what is read of build.ninja and .ninja_log, and what is refused. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/text/path.h"
#include "parsers/ninja/ninja.h"
#include "emit/ninja/hash.h"
#include "parsers/parsers.h"
#include "parsers/reader/cores.h"

/* A folder of its own for every test; files that a test writes are removed with it. */
static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/bigrocks-ninja.XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    static const char *const names[] = {"build.ninja", "other.ninja", ".ninja_log"};
    char path[PATH_MAX];
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[k]);
        unlink(path);
    }
    return rmdir(folder);
}

static void write_file(const char *name, const char *text)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static enum br_status read_build(const char *text, const char *target, struct br_input *input,
                                 struct br_ninja_report *report, struct br_diag *diag)
{
    struct br_ninja_options options = {
        .folder = folder, .target = &target, .targets = target != NULL};
    *diag = (struct br_diag){0};
    write_file("build.ninja", text);
    return br_parse_ninja(&options, input, report, diag);
}

/* Reads what has to be well. */
static struct br_input read_good(const char *text, const char *target)
{
    struct br_input input = {0};
    struct br_ninja_report report;
    struct br_diag diag;
    if (read_build(text, target, &input, &report, &diag))
        fail_msg("%s:%u:%u: %s", diag.file, diag.line, diag.column, diag.what);
    return input;
}

/* A line per stage (seconds, demands, line of the file) and per edge. Static storage. */
static const char *describe(const struct br_input *input)
{
    static char out[4096];
    size_t used = 0;
    const struct br_dag *dag = input->dag;
    out[0] = '\0';
#define ADD(...) used += (size_t)snprintf(out + used, sizeof out - used, __VA_ARGS__)
    for (uint32_t s = 0; s < dag->stages; s++) {
        const struct br_stage *stage = &dag->stage[s];
        char text[BR_DECIMAL_TEXT];
        assert_int_equal(stage->tasks, 1);
        br_seconds_format(stage->duration_ns, text);
        ADD("%s %s", stage->id, text);
        for (uint32_t d = stage->first_demand; d < stage->first_demand + stage->demands; d++) {
            br_decimal_format(dag->demand[d].amount, text, sizeof text);
            ADD(" %s=%s", dag->resource[dag->demand[d].resource].name, text);
        }
        ADD(" %u\n", (unsigned)stage->pos.line);
    }
    for (uint32_t e = 0; e < dag->edges; e++) {
        assert_int_equal(dag->edge[e].type, BR_BARRIER);
        ADD("%s>%s\n", dag->stage[dag->edge[e].parent].id, dag->stage[dag->edge[e].child].id);
    }
#undef ADD
    assert_true(used < sizeof out);
    return out;
}

static void expect(const char *text, const char *target, const char *job)
{
    struct br_input input = read_good(text, target);
    assert_string_equal(describe(&input), job);
    br_input_finish(&input);
}

/* The last line of the stage's script, which is ninja's own command. */
static void expect_command(const char *text, const char *stage, const char *command)
{
    struct br_input input = read_good(text, NULL);
    uint32_t number = br_dag_find_stage(input.dag, stage);
    assert_int_not_equal(number, UINT32_MAX);
    const char *script = input.dag->stage[number].command, *last = strrchr(script, '\n');
    assert_string_equal(last ? last + 1 : script, command);
    br_input_finish(&input);
}

#define CP "rule cp\n  command = cp $in $out\n"

static void test_edges(void **state)
{
    (void)state;
    expect(CP "build b: cp a\nbuild c: cp b | d\nbuild d: cp a\nbuild e: cp || c\n", NULL,
           "b 1 3\nc 1 4\nd 1 5\ne 1 6\nb>c\nd>c\nc>e\n");
    /* Validations are built but not waited for; phony is looked through, also in chains. */
    expect(CP "build b: cp a |@ v\nbuild v: cp b\nbuild p: phony b\nbuild q: phony p v\n"
              "build c: cp q\ndefault c\n",
           NULL, "b 1 3\nv 1 4\nc 1 7\nb>v\nv>c\nb>c\n");
    /* Only what the targets need. */
    expect(CP "build b: cp a\nbuild c: cp a\nbuild d: cp b\ndefault c\n", NULL, "c 1 4\n");
    expect(CP "build b: cp a\nbuild c: cp a\nbuild d: cp b\ndefault c\n", "./x/../d",
           "b 1 3\nd 1 5\nb>d\n");
    /* Old generators write phony statements that wait for themselves. */
    expect(CP "build x: phony x\nbuild b: cp x\n", "b", "b 1 4\n");
}

static void test_variables(void **state)
{
    (void)state;
    /* Of a rule they count as they stand at the end, of a statement as they stand there. */
    expect_command("v = 1\nrule r\n  command = run $v ${w.x} $out\nbuild b$v: r\nv = 2\nw.x = y\n",
                   "b1", "run 2 y b1");
    expect_command(
        "v = 1\nrule r\n  command = run $v $u\nbuild b: r a\n  u = <$v>\n  v = 3\nv = 2\n", "b",
        "run 3 <1>");
    expect_command("rule r\n  command = $depfile $\n      -x $$ $: $in\n  depfile = $out.d\n"
                   "build b: r a$ $$c it's | i || o\n",
                   "b", "b.d -x $ : 'a $c' 'it'\\''s'");
    /* A statement's own command, and paths that use its variables. */
    expect_command(CP "build $d/b: cp a\n  d = dir\n  command = other $in\n", "dir/b", "other ");
    write_file("other.ninja", "rule r\n  command = sub $v\nv = 5\nbuild s: r\n");
    expect_command("v = 1\nsubninja other.ninja\n" CP "build b: cp $v s\n", "b", "cp 1 s b");
    expect_command("v = 1\ninclude other.ninja\n" CP "build b: cp $v s\n", "b", "cp 5 s b");
    expect_command("v = 1\nsubninja other.ninja\n" CP "build b: cp $v s\n", "s", "sub 5");
}

static void test_script(void **state)
{
    (void)state;
    struct br_input input = read_good("rule r\n  command = ld @$out.rsp\n  rspfile = $out.rsp\n"
                                      "  rspfile_content = $in_newline 'x'\n"
                                      "build o/a o/b p/c | p/d: r i$ 1 i2\n",
                                      NULL);
    char expected[PATH_MAX + 512], real[PATH_MAX];
    assert_non_null(realpath(folder, real));
    snprintf(expected, sizeof expected,
             "cd '%s' || exit\n[ -d 'o' ] || mkdir -p 'o' || exit\n"
             "[ -d 'p' ] || mkdir -p 'p' || exit\n"
             "printf %%s ''\\''i 1'\\''\ni2 '\\''x'\\''' >'o/a o/b p/c.rsp' || exit\n"
             "ld @o/a o/b p/c.rsp",
             real);
    assert_string_equal(input.dag->stage[0].command, expected);
    br_input_finish(&input);
}

/* Jobs replace {index}, and the last line of a script is the command. */
static void test_command(void **state)
{
    (void)state;
    static const struct {
        const char *command, *line, *shown;
    } row[] = {{"x $in", "x a b", "x a b"},
               {"x$^y", "eval \"$(printf -- 'x\\ny')\"", "x\ny"},
               {"x $in_newline '%d' \\", "eval \"$(printf -- 'x a\\nb \\047%%d\\047 \\\\')\"",
                "x a\nb '%d' \\"},
               {"{index} {in}", "eval \"$(printf -- '\\173index} \\173in}')\"", "{index} {in}"},
               {"eval \"$$(printf -- '%%')\"",
                "eval \"$(printf -- 'eval \"$(printf -- \\047%%%%\\047)\"')\"",
                "eval \"$(printf -- '%%')\""}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        char text[256];
        struct br_ninja_text shown = {0};
        snprintf(text, sizeof text, "rule r\n  command = %s\nbuild o: r a b\n", row[k].command);
        struct br_input input = read_good(text, NULL);
        const char *script = input.dag->stage[0].command;
        assert_string_equal(strrchr(script, '\n') + 1, row[k].line);
        assert_true(br_ninja_command_of(script, &shown));
        assert_string_equal(shown.text, row[k].shown);
        free(shown.text);
        br_input_finish(&input);
    }
}

static void test_pools(void **state)
{
    (void)state;
    struct br_diag diag = {0};
    struct br_input input = {0};
    struct br_ninja_report report;
    struct br_ninja_options options = {.folder = folder};
    assert_int_equal(br_parse_capacity(1, "cpu=4", &input.cluster, &diag), BR_OK);
    write_file("build.ninja", "pool two\n  depth = 2\npool free\n  depth = 0\npool idle\n"
                              "  depth = 3\n" CP "build b: cp a\n  pool = two\nbuild c: cp a\n"
                              "  pool = console\nbuild d: cp a\n  pool = free\n");
    struct br_cluster *demand;
    assert_int_equal(br_parse_capacity(1, "cpu=1,mem=2MiB", &demand, &diag), BR_OK);
    options.demand = demand;
    assert_int_equal(br_parse_ninja(&options, &input, &report, &diag), BR_OK);
    assert_string_equal(describe(&input), "b 1 cpu=1 mem=2097152 pool.two=1 9\n"
                                          "c 1 cpu=1 mem=2097152 pool.console=1 11\n"
                                          "d 1 cpu=1 mem=2097152 13\n");
    const struct br_cluster *cluster = input.cluster;
    assert_int_equal(br_cluster_capacity(cluster, 0, "pool.two").mantissa, 2);
    assert_int_equal(br_cluster_capacity(cluster, 0, "pool.console").mantissa, 1);
    assert_int_equal(br_cluster_capacity(cluster, 0, "pool.idle").mantissa, 0);
    br_cluster_destroy(demand);
    br_input_finish(&input);
}

/* A command that declares cores demands so many, at most what the machine has. */
static void test_cores(void **state)
{
    static const struct {
        const char *command;
        uint32_t cores;
    } cases[] = {
        {"gcc -O2 a.o b.o -o app", 1},
        {"gcc -flto=3 a.o -o app", 3},
        {"gcc -flto=3 -c a.c -o a.o", 1}, /* only a link runs it side by side */
        {"gcc -flto=3 -c a.c && gcc -flto=2 a.o", 2},
        {"gcc -flto a.o", 1},
        {"gcc -flto=thin -flto-jobs=8 a.o", 8},
        {"clang -flto=auto a.o", BR_CORES_ALL},
        {"ld.lld '--thinlto-jobs=5' a.o", 5},
        {"cd sub && '/usr/bin/make' -s -j4 all", 4},
        {"make -j 4; ninja -C x -j6", 6},
        {"make -j all", 1},
        {"make --jobs=7x", 1},
        {"make -j$(nproc)", BR_CORES_ALL},
        {"/opt/bin/cmake --build x --parallel 3", 3},
        {"cmake -E touch --parallel 3", 1},
        {"cmakes --build x -j3", 1},
        {"ctest --parallel=9 | cat -j12", 9},
        {"tar -j4 x", 1},
        {"cargo build --jobs 99999999999999", 1},
        {"", 1},
    };
    struct br_ninja_options options = {.folder = folder};
    struct br_input input = {0};
    struct br_cluster *demand;
    struct br_ninja_report report;
    struct br_diag diag = {0};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_int_equal(br_command_cores(cases[k].command), cases[k].cores);
    write_file("build.ninja", "rule ld\n  command = gcc -flto=$n a.o\nrule cp\n  command = cp\n"
                              "build b: ld\n  n = 2\nbuild c: ld\n  n = 9\nbuild d: cp\n"
                              "build e: ld\n  n = auto\n");
    assert_int_equal(br_parse_capacity(1, "mem=1,cpu=1", &demand, &diag), BR_OK);
    assert_int_equal(br_parse_capacity(1, "cpu=4", &input.cluster, &diag), BR_OK);
    options.demand = demand;
    assert_int_equal(br_parse_ninja(&options, &input, &report, &diag), BR_OK);
    assert_string_equal(describe(&input), "b 1 mem=1 cpu=2 5\nc 1 mem=1 cpu=4 7\n"
                                          "d 1 mem=1 cpu=1 9\ne 1 mem=1 cpu=4 10\n");
    assert_int_equal(report.wide, 3);
    br_input_finish(&input);
    /* Without a machine a number is believed, and "auto" says nothing; no cpu, no cores. */
    input = (struct br_input){0};
    assert_int_equal(br_parse_ninja(&options, &input, &report, &diag), BR_OK);
    assert_string_equal(describe(&input), "b 1 mem=1 cpu=2 5\nc 1 mem=1 cpu=9 7\n"
                                          "d 1 mem=1 cpu=1 9\ne 1 mem=1 cpu=1 10\n");
    assert_int_equal(report.wide, 2);
    br_input_finish(&input);
    br_cluster_destroy(demand);
    input = (struct br_input){0};
    assert_int_equal(br_parse_capacity(1, "mem=1", &demand, &diag), BR_OK);
    options.demand = demand;
    assert_int_equal(br_parse_ninja(&options, &input, &report, &diag), BR_OK);
    assert_string_equal(describe(&input), "b 1 mem=1 5\nc 1 mem=1 7\nd 1 mem=1 9\ne 1 mem=1 10\n");
    assert_int_equal(report.wide, 0);
    br_input_finish(&input);
    br_cluster_destroy(demand);
}

static void test_log(void **state)
{
    (void)state;
    static const char build[] = CP "rule ln\n  command = ln $in $out\n"
                                   "build b: cp a\nbuild c: cp a\nbuild d: cp a\nbuild e: cp a\n"
                                   "build f g: ln a\nbuild h: ln a\n"
                                   "rule mv\n  command = mv\nbuild i: mv\n";
    for (int version = 5; version <= 7; version++) {
        struct br_input input = {0};
        struct br_ninja_report report;
        struct br_diag diag;
        char log[512];
        snprintf(log, sizeof log,
                 "# ninja log v%d\n0\t9000\t0\tb\tdead\n5\t1005\t12345678901234567\tb\t1f\n"
                 "0\t2500\t0\tc\t0\nnot a line\n1000\t4000\t0\td\t0\n0\t10\t0\tgone\t0\n"
                 "7\t7\t0\tg\t0\n0\t7\t0\tf\t0\n10\t5\t0\te\t0\n0\t99\t0\te",
                 version);
        write_file(".ninja_log", log);
        assert_int_equal(read_build(build, NULL, &input, &report, &diag), BR_OK);
        assert_string_equal(describe(&input), "b 1 5\nc 2.5 6\nd 3 7\ne 2.5 8\nf 0.007 9\n"
                                              "h 0.007 10\ni 1 13\n");
        assert_int_equal(report.commands, 7);
        assert_int_equal(report.logged, 4);
        assert_int_equal(report.of_rule, 2);
        assert_int_equal(report.preset, 1);
        br_input_finish(&input);
    }
}

struct bad {
    const char *text;
    uint32_t line;
    const char *what;
};

static const struct bad bad[] = {
    {"", 0, "need no command"},
    {"rule r\n", 2, "has no command"},
    {"rule r\n  commando = x\n", 3, "no variable 'commando'"},
    {"\tv = 1\n", 1, "expected a statement"},
    {CP "rule cp\n  command = x\n", 3, "two rules 'cp'"},
    {CP "build b: mv a\n", 3, "no rule 'mv'"},
    {CP "build b cp a\n", 3, "expected ':'"},
    {CP "build : cp a\n", 3, "expected a path"},
    {CP "build b: cp a : c\n", 3, "more on this line"},
    {CP "build b: cp $(x)\n", 3, "no such escape"},
    {CP "build $x: cp a\n", 4, "a path is empty"},
    {CP "build b: cp a\nbuild c b: cp a\n", 4, "several statements build 'b'"},
    {CP "build b: cp a\n  pool = wet\n", 3, "no pool 'wet'"},
    {"pool p\n  depth = -1\n", 3, "a depth below 0"},
    {"rule r\n  command = x\n  rspfile_content = y\n", 4, "rspfile and rspfile_content"},
    {"pool p\n", 2, "has no depth"},
    {"  v = 1\n", 1, "is indented"},
    {"v 1\n", 1, "expected '=' after 'v'"},
    {"default\n", 1, "path of a default target"},
    {"include build.ninja\n", 2, "too deeply"},
    {"include missing.ninja\n", 0, "No such file"},
    {"rule r\n  command = $depfile\n  depfile = $command\nbuild b: r\n", 0, "in a circle"},
    {"rule r\n  command = x\n  dyndep = dd\nbuild b: r || dd\n", 4, "dyndep"},
    {CP "build a: cp b\nbuild b: cp a\n", 0, "need no command"},
    {CP "build a: cp b\nbuild b: cp a\nbuild c: cp a\n", 4, "cycle"},
    {CP "build a\x01: cp b\n", 4, "control characters"},
};

static void test_bad(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct br_input input = {0};
        struct br_ninja_report report;
        struct br_diag diag;
        enum br_status status = read_build(bad[k].text, NULL, &input, &report, &diag);
        if (status != BR_BAD_INPUT && status != BR_SYSTEM)
            fail_msg("case %zu: status %d", k, status);
        if (!strstr(diag.what, bad[k].what) || diag.line != bad[k].line)
            fail_msg("case %zu: line %u: %s", k, diag.line, diag.what);
        assert_null(input.dag);
    }
    struct br_input input = {0};
    struct br_ninja_report report;
    struct br_diag diag;
    write_file(".ninja_log", "# ninja log v8\n");
    assert_int_equal(read_build(CP "build b: cp a\n", NULL, &input, &report, &diag), BR_BAD_INPUT);
    assert_non_null(strstr(diag.what, "version 8"));
    write_file(".ninja_log", "");
    assert_int_equal(read_build(CP "build b: cp a\n", "x", &input, &report, &diag), BR_BAD_INPUT);
    assert_non_null(strstr(diag.what, "no target 'x'"));
}

/* Every prefix of a file gets an answer. */
static void test_prefixes(void **state)
{
    (void)state;
    static const char text[] =
        "# c\nv = $$x\npool p\n  depth = 2\nrule r\n  command = a $in $\n b\n"
        "  pool = p\nbuild o | x: r a || c |@ d\n  v = ${v}\ndefault o\n";
    for (size_t n = 0; n < sizeof text; n++) {
        char part[sizeof text];
        struct br_input input = {0};
        struct br_ninja_report report;
        struct br_diag diag;
        memcpy(part, text, n);
        part[n] = '\0';
        enum br_status status = read_build(part, NULL, &input, &report, &diag);
        assert_true(status == BR_OK ? input.dag != NULL : diag.what[0] != '\0');
        br_input_finish(&input);
    }
}

static void test_canonical(void **state)
{
    static const char *const pairs[][2] = {
        {"a", "a"},           {"./a", "a"},       {"a//b", "a/b"},       {"a/./b", "a/b"},
        {"a/../b", "b"},      {"../a", "../a"},   {"a/../../b", "../b"}, {"/a/../b", "/b"},
        {"/../a", "/../a"},   {".", "."},         {"a/..", "."},         {"./", "."},
        {"a/b/", "a/b"},      {"/", "/"},         {"..", ".."},          {"../..", "../.."},
        {"a/b/../../c", "c"}, {".../a", ".../a"}, {"a/.b", "a/.b"},      {"", ""},
        {"a", "a"},           {"abc/x", "abc/x"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        char *path = strdup(pairs[k][0]); /* to its very size, so that a sanitizer sees more */
        assert_non_null(path);
        br_path_shorten(path);
        assert_string_equal(path, pairs[k][1]);
        free(path);
    }
}

/* As ninja 1.11 and 1.13 have them in their logs, of commands of every length that matters. */
static void test_hashes(void **state)
{
    static const struct {
        const char *start, *part;
        int times;
        const char *rest;
        uint64_t murmur, rapid;
    } cases[] = {
        {"true", "", 0, "", 0x486a3acadd116b47, 0x90a52a5dca2ed61},
        {"sh t", "", 0, "", 0x45ee3e69f86dcf01, 0xbc7ee45f96676174},
        {"echo 12345678", "", 0, "", 0x25c3862d98d8ac42, 0xa26f5c1d54951a18},
        {"true ", "x", 11, "", 0x9eb9a266120c8ec0, 0x71db04210c5c10e},
        {"true ", "x", 12, "", 0xc180758c94f75ac4, 0xe479bb4affe3999c},
        {"true ", "y", 27, "", 0xb6a9009209ee2cec, 0x8b404f37f8f9e96c},
        {"true ", "0123456789", 4, "abc", 0xaf185e34f0159e29, 0x80209aba65a67a07},
        {"true ", "0123456789", 4, "abcd", 0xb127a25427a6ea8c, 0x14e03c5be632cae3},
        {"true ", "0123456789", 9, "a", 0x118868cc3a1a6818, 0x5cb509604a4eb6df},
        {"true ", "0123456789", 9, "ab", 0x1e2ec0b2b25955a3, 0xcb7925e71484ba79},
        {"true ", "0123456789", 30, "", 0x7cd256f671b94d28, 0xf90f0562ac0032ac},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[400];
        snprintf(text, sizeof text, "%s", cases[k].start);
        for (int n = 0; n < cases[k].times; n++)
            strcat(text, cases[k].part);
        strcat(text, cases[k].rest);
        assert_int_equal(br_ninja_murmur(text, strlen(text)), cases[k].murmur);
        assert_int_equal(br_ninja_rapid(text, strlen(text)), cases[k].rapid);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        TEST(test_edges),     TEST(test_variables), TEST(test_script), TEST(test_command),
        TEST(test_pools),     TEST(test_log),       TEST(test_bad),    TEST(test_prefixes),
        TEST(test_canonical), TEST(test_hashes),    TEST(test_cores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
