/* Reading plans back: exact round trips, and faults with their places. */
#include "tests/emit/plan_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "parsers/text/json.h"
#include "parsers/parsers.h"

static enum br_status parse_job(const char *path, const struct br_input *job,
                                struct br_input *input, struct br_plan **plan, struct br_diag *diag)
{
    return br_parse_job(path, NULL, input, diag);
}

/* Reads the text as if it were a file. */
static enum br_status read_as(enum br_status (*parse)(const char *, const struct br_input *,
                                                      struct br_input *, struct br_plan **,
                                                      struct br_diag *),
                              const struct br_input *job, const char *text, size_t size,
                              struct fixture *read, struct br_diag *diag)
{
    char path[] = "/tmp/bigrocks-plan-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, size), size);
    close(fd);
    struct br_input input;
    *read = (struct fixture){0};
    enum br_status status = parse(path, job, &input, &read->plan, diag);
    unlink(path);
    read->dag = input.dag;
    read->cluster = input.cluster;
    return status;
}

static enum br_status read_text(const char *text, size_t size, struct fixture *read,
                                struct br_diag *diag)
{
    return read_as(br_parse_plan, NULL, text, size, read, diag);
}

static void round_trip(bool job, const char *format, const struct fixture *written)
{
    char *first = fixture_emit(job, format, written);
    const struct br_input of = {.dag = written->dag, .cluster = written->cluster};
    struct fixture read;
    struct br_diag diag = {0};
    if (read_as(job ? parse_job : br_parse_plan, &of, first, strlen(first), &read, &diag)) {
        char text[1024];
        br_diag_format(&diag, text, sizeof text);
        fail_msg("%s", text);
    }
    const bool borrowed = !read.dag;
    if (borrowed) {
        read.dag = written->dag;
        read.cluster = written->cluster;
    }
    char *second = fixture_emit(job, format, &read);
    assert_string_equal(first, second);
    free(second);
    free(first);
    if (borrowed)
        read.dag = NULL, read.cluster = NULL;
    fixture_finish(&read);
}

/* The form order has the names of the job that is written beside it: bytes that are no UTF-8 are
 * replaced in both. */
static void order_round_trip(const struct fixture *written)
{
    char *json = fixture_emit(false, "json", written);
    struct fixture read;
    struct br_diag diag = {0};
    assert_int_equal(read_text(json, strlen(json), &read, &diag), BR_OK);
    round_trip(false, "order", &read);
    fixture_finish(&read);
    free(json);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorts the lines of the text and joins them again. */
static void sort_lines(char *text)
{
    size_t size = strlen(text), lines = 0;
    char *copy = strdup(text), **line = malloc((size + 1) * sizeof *line), *rest = copy;
    assert_true(copy && line);
    for (char *at; (at = strsep(&rest, "\n"));)
        line[lines++] = at;
    qsort(line, lines, sizeof *line, by_text);
    for (size_t k = 0; k < lines; k++)
        text += sprintf(text, k + 1 < lines ? "%s\n" : "%s", line[k]);
    free(line);
    free(copy);
}

/* Through DOT, which keeps everything but the cluster and the order of attributes and edges. */
static void dot_round_trip(const struct fixture *written)
{
    struct fixture job = {.dag = written->dag}, read;
    struct br_diag diag = {0};
    char *dot = fixture_emit(true, "dot", &job), *first = fixture_emit(true, "xml", &job);
    if (read_as(parse_job, NULL, dot, strlen(dot), &read, &diag))
        fail_msg("line %u: %s", (unsigned)diag.line, diag.what);
    char *second = fixture_emit(true, "xml", &read);
    sort_lines(first);
    sort_lines(second);
    assert_string_equal(first, second);
    free(dot);
    free(first);
    free(second);
    fixture_finish(&read);
}

/* `dot`: the job is one that DOT can say in full; it cannot say an empty name, for one. */
static void round_trips(struct fixture written, bool dot)
{
    round_trip(false, "json", &written);
    if (!written.plan->network)
        round_trip(false, "xml", &written);
    order_round_trip(&written);
    round_trip(true, "xml", &written);
    if (dot)
        dot_round_trip(&written);
    fixture_finish(&written);
}

static void fixtures_come_back(void **state)
{
    round_trips(fixture_small(), true);
    round_trips(fixture_nasty(), false);
    round_trips(fixture_layers(40, 50, 7, 3), true);
}

static void random_plans_come_back(void **state)
{
    for (uint64_t seed = 1; seed <= 2000; seed++)
        round_trips(fixture_random(seed, 1 + (uint32_t)(seed % 40)), seed % 7);
}

/* Every truncation of a plan is refused, and none crashes. */
static void truncated(void **state)
{
    struct fixture written = fixture_small(), read;
    char *text = fixture_emit(false, "json", &written);
    size_t size = strlen(text);
    for (size_t length = 0; length < size - 2; length++) { /* up to the last brace */
        struct br_diag diag = {0};
        assert_int_equal(read_text(text, length, &read, &diag), BR_BAD_INPUT);
        assert_true(diag.what[0] && diag.line > 0);
        assert_null(read.dag);
        assert_null(read.cluster);
        assert_null(read.plan);
    }
    free(text);
    fixture_finish(&written);
}

/* One byte changed at random: read or refused, and what was read can be written. */
static void damaged(void **state)
{
    struct fixture written = fixture_small(), read;
    char *text = fixture_emit(false, "json", &written);
    size_t size = strlen(text);
    static const char bytes[] = "{}[]\",:0-9.eE\\n\x01 \x80u";
    uint32_t refused = 0;
    for (size_t at = 0; at < size; at++) {
        char old = text[at];
        text[at] = bytes[at % (sizeof bytes - 1)];
        struct br_diag diag = {0};
        if (read_text(text, size, &read, &diag)) {
            refused++;
            assert_true(diag.what[0]);
        } else {
            free(fixture_emit(false, "json", &read));
            fixture_finish(&read);
        }
        text[at] = old;
    }
    assert_true(refused > size / 3);
    free(text);
    fixture_finish(&written);
}

#define HEAD "{\"format\": \"bigrocks-plan/1\", \"makespan\": 1,\n"
#define STAGES "\"stages\": [{\"id\": \"a\", \"tasks\": 2, \"duration\": 1}],\n"
#define CLUSTER "\"cluster\": {\"classes\": [{\"class\": \"m\", \"count\": 1}]},\n"
#define TASK(id, rank)                                                                             \
    "{\"id\": \"" id "\", \"start\": 0, \"end\": 1, \"machine\": \"m\", \"rank\": " rank "}"
#define TASKS "\"tasks\": [" TASK("a[0]", "1") "," TASK("a[1]", "2") "]"

static void faults(void **state)
{
    static const struct {
        const char *text, *what;
        uint32_t line, column;
    } cases[] = {
        {"", "the file is empty", 1, 1},
        {"[]", "expected the plan, found an array", 1, 1},
        {"{}", "has no 'makespan'", 1, 1},
        {HEAD STAGES CLUSTER TASKS "} x", "more follows", 4, 0},
        {HEAD STAGES CLUSTER "\"x\": []}", "has no 'tasks'", 1, 1},
        {HEAD STAGES STAGES CLUSTER TASKS "}", "'stages' is there twice", 3, 11},
        {"{\"makespan\": 1, " STAGES CLUSTER TASKS "}", "no plan: it has no 'format'", 1, 1},
        {"{\"format\": \"bigrocks-plan/2\", \"makespan\": 1," STAGES CLUSTER TASKS "}",
         "'bigrocks-plan/2', not", 1, 12},
        {HEAD "\"stages\": [],\n" CLUSTER "\"tasks\": []}", "the job is empty", 0, 0},
        {HEAD "\"stages\": [{\"id\": 7, \"tasks\": 2, \"duration\": 1}],\n" CLUSTER TASKS "}",
         "expected a stage's id, found a number", 2, 19},
        {HEAD "\"stages\": [{\"id\": \"a\", \"tasks\": 2, \"duration\": \"1\"}],\n" CLUSTER TASKS
              "}",
         "expected duration, found a string", 2, 48},
        {HEAD "\"stages\": [{\"id\": \"a\", \"tasks\": 2, \"duration\": 1e99}],\n" CLUSTER TASKS
              "}",
         "out of range", 2, 48},
        {HEAD "\"stages\": [{\"id\": \"a\", \"tasks\": 2.5, \"duration\": 1}],\n" CLUSTER TASKS "}",
         "not a whole number", 2, 33},
        {HEAD
         "\"stages\": [{\"id\": \"a\", \"tasks\": 99999999999, \"duration\": 1}],\n" CLUSTER TASKS
         "}",
         "above", 2, 33},
        {HEAD "\"stages\": [{\"id\": \"a\", \"tasks\": 2, \"duration\": 01}],\n" CLUSTER TASKS "}",
         "malformed number", 2, 48},
        {HEAD "\"stages\": [{\"id\": \"a\", \"tasks\": 2, \"duration\": NaN}],\n" CLUSTER TASKS "}",
         "found 'N'", 2, 48},
        {HEAD "\"stages\": [{\"id\": \"a\", \"tasks\": 2, \"duration\": 1}\n"
              "{\"id\": \"b\", \"tasks\": 2, \"duration\": 1}],\n" CLUSTER TASKS "}",
         "expected ',' or ']', found an object", 3, 1},
        {HEAD "\"stages\": [{\"id\": \"a\", \"tasks\": 2, \"duration\": 1},],\n" CLUSTER TASKS "}",
         "expected a stage", 2, 51},
        {HEAD "\"stages\": [{\"id\": \"a\", \"tasks\": 2, \"duration\": 1, \"demands\": "
              "{\"cpu\": \"x\"}}],\n" CLUSTER TASKS "}",
         "demands 'x' of cpu", 2, 70},
        {HEAD STAGES "\"edges\": [{\"from\": \"a\", \"to\": \"b\"}],\n" CLUSTER TASKS "}",
         "no stage 'b'", 3, 0},
        {HEAD STAGES "\"edges\": [\n{\"from\": \"a\", \"to\": \"a\"}],\n" CLUSTER TASKS "}",
         "cycle", 4, 1},
        {HEAD STAGES
         "\"edges\": [{\"from\": \"a\", \"to\": \"a\", \"type\": \"x\"}],\n" CLUSTER TASKS "}",
         "no type of edge", 3, 0},
        {HEAD STAGES "\"cluster\": {\"classes\": []},\n" TASKS "}", "no machines", 3, 0},
        {HEAD STAGES CLUSTER "\"tasks\": [" TASK("a[0]", "1") "]}", "'a[1]' is not planned", 4, 10},
        {HEAD STAGES CLUSTER "\"tasks\": [" TASK("a[0]", "1") ",\n" TASK("a[0]", "2") "]}",
         "there twice", 5, 8},
        {HEAD STAGES CLUSTER "\"tasks\": [" TASK("a[0]", "1") ",\n" TASK("a[1]", "1") "]}",
         "two tasks have rank 1", 5, 0},
        {HEAD STAGES CLUSTER "\"tasks\": [" TASK("a[0]", "0") "]}", "rank 0", 4, 0},
        {HEAD STAGES CLUSTER "\"tasks\": [" TASK("a[0]", "3") "]}", "above 2", 4, 0},
        {HEAD STAGES CLUSTER "\"tasks\": [" TASK("a[2]", "1") "]}", "no task 'a[2]'", 4, 18},
        {HEAD STAGES CLUSTER "\"tasks\": [" TASK("a[00]", "1") "]}", "no task 'a[00]'", 4, 18},
        {HEAD STAGES CLUSTER "\"tasks\": [" TASK("a", "1") "]}", "no task 'a'", 4, 18},
        {HEAD STAGES CLUSTER "\"tasks\": [{\"id\": \"a[0]\", \"start\": 0, \"end\": 1, "
                             "\"machine\": \"m[0]\", \"rank\": 1}]}",
         "no machine 'm[0]'", 4, 0},
        {HEAD STAGES CLUSTER "\"tasks\": [{\"id\": \"a[0]\", \"start\": 0, \"end\": 1, "
                             "\"machine\": \"m\"}]}",
         "a task has no 'rank'", 4, 11},
        {HEAD STAGES CLUSTER "\"tasks\": [" TASK("\\q", "1") "]}", "invalid escape", 4, 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct fixture read;
        struct br_diag diag = {0};
        enum br_status status = read_text(cases[k].text, strlen(cases[k].text), &read, &diag);
        if (status != BR_BAD_INPUT || !strstr(diag.what, cases[k].what) ||
            diag.line != cases[k].line || (cases[k].column && diag.column != cases[k].column))
            fail_msg("case %zu: status %d, %u:%u: %s", k, (int)status, (unsigned)diag.line,
                     (unsigned)diag.column, diag.what);
    }
}

/* Members in any order, unknown ones, amounts as strings, and only what must be there. */
static void tolerant(void **state)
{
    static const char text[] = "{" TASKS ", \"later\": {\"x\": [1, {\"y\": null}]}, " CLUSTER STAGES
                               "\"makespan\": 1.000000001, \"format\": \"bigrocks-plan/1\"}\n";
    struct fixture read;
    assert_int_equal(read_text(text, strlen(text), &read, NULL), BR_OK);
    assert_int_equal(read.plan->makespan_ns, 1000000001);
    assert_int_equal(read.plan->end_ns[1], 1000000000);
    assert_int_equal(read.plan->order[1], 1);
    fixture_finish(&read);
    static const char amounts[] = HEAD
        "\"stages\": [{\"duration\": 1, \"demands\": {\"c\": \"0.1\", \"d\": 0.123456789012345678},"
        " \"tasks\": 2, \"id\": \"\\u0061\"}],\n" CLUSTER TASKS "}";
    assert_int_equal(read_text(amounts, strlen(amounts), &read, NULL), BR_OK);
    assert_int_equal(read.dag->demand[0].amount.mantissa, 1);
    assert_int_equal(read.dag->demand[1].amount.mantissa, 123456789012345678);
    assert_int_equal(read.dag->demand[1].amount.exponent, -18);
    fixture_finish(&read);
}

static void no_file(void **state)
{
    struct br_input input;
    struct br_plan *plan;
    struct br_diag diag = {0};
    assert_int_equal(br_parse_plan("/nonexistent/plan.json", NULL, &input, &plan, &diag),
                     BR_SYSTEM);
    assert_string_equal(diag.file, "/nonexistent/plan.json");
}

/* The grammar of RFC 8259, for what is read and for what is skipped. */
static void values(void **state)
{
    static const struct {
        const char *text, *meaning; /* NULL: refused */
    } strings[] = {
        {"\"\"", ""},
        {"\"plain\"", "plain"},
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t"},
        {"\"a\\u0041\\u00e9\\u20aC\\uD83d\\ude00z\"", "aA\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z"},
        {"\"\xc3\xa9\\n\xf0\x9f\x98\x80\"", "\xc3\xa9\n\xf0\x9f\x98\x80"},
        {"\"\\u0000\"", NULL},
        {"\"\\ud83d\"", NULL},
        {"\"\\ude00\\ud83d\"", NULL},
        {"\"\\ud83d\\u0041\"", NULL},
        {"\"\\u12\"", NULL},
        {"\"\\u12g4\"", NULL},
        {"\"\\x41\"", NULL},
        {"\"\n\"", NULL},
        {"\"\x1f\"", NULL},
        {"\"\xc3\"", NULL},
        {"\"\xed\xa0\x80\"", NULL},
        {"\"open", NULL},
        {"\"open\\", NULL},
        {"\"open\\\"", NULL},
        {"\"\\u", NULL},
    };
    static const struct {
        const char *text;
        bool good;
    } skipped[] = {
        {"{\"a\": [1, -2.5e+7, {}, [], [[]]], \"b\\n\": {\"c\": null}, \"\": true}", true},
        {"false", true},
        {"0", true},
        {"-0.0e0", true},
        {"01", false},
        {"1.", false},
        {"-", false},
        {"nul", false},
        {"[1,]", false},
        {"[,1]", false},
        {"{\"a\"}", false},
        {"{a: 1}", false},
        {"{\"a\": 1,}", false},
        {"[1 2]", false},
        {"[\"\\q\"]", false},
        {"{\"\\q\": 1}", false},
        {"[[[", false},
        {"", false},
        {"]", false},
        {"truest", false},
    };
    for (size_t k = 0; k < sizeof strings / sizeof strings[0]; k++) {
        struct br_json json;
        struct br_diag diag = {0};
        br_json_init(&json, strings[k].text, strlen(strings[k].text), &diag);
        bool good = br_json_string(&json, "a string") && br_json_done(&json);
        if (good != (strings[k].meaning != NULL) ||
            (good && strcmp(json.text, strings[k].meaning) != 0) || (!good && !diag.what[0]))
            fail_msg("string %zu: %s", k, good ? json.text : diag.what);
        br_json_finish(&json);
        br_json_init(&json, strings[k].text, strlen(strings[k].text), &diag);
        assert_int_equal(br_json_skip(&json) && br_json_done(&json), strings[k].meaning != NULL);
        br_json_finish(&json);
    }
    for (size_t k = 0; k < sizeof skipped / sizeof skipped[0]; k++) {
        struct br_json json;
        struct br_diag diag = {0};
        br_json_init(&json, skipped[k].text, strlen(skipped[k].text), &diag);
        if ((br_json_skip(&json) && br_json_done(&json)) != skipped[k].good)
            fail_msg("value %zu: %s", k, diag.what);
        br_json_finish(&json);
    }
    char deep[4001];
    memset(deep, '[', 2000);
    memset(deep + 2000, ']', 2000);
    deep[4000] = 0;
    struct br_json json;
    struct br_diag diag = {0};
    br_json_init(&json, deep, 4000, &diag);
    assert_false(br_json_skip(&json));
    assert_non_null(strstr(diag.what, "nested"));
    br_json_finish(&json);
}

/* Texts that are parts of a file: places count from the line that they begin in. */
static void places(void **state)
{
    static const char text[] = "[1,\n 2]\n";
    struct br_json json;
    br_json_init(&json, "{", 1, NULL);
    assert_false(br_json_skip(&json));
    br_json_restart(&json, text, sizeof text - 1, 7);
    assert_true(br_json_skip(&json) && br_json_done(&json));
    struct br_pos later = br_json_pos(&json, text + 5), first = br_json_pos(&json, text + 1);
    assert_int_equal(later.line, 8);
    assert_int_equal(later.column, 2);
    assert_int_equal(first.line, 7);
    assert_int_equal(first.column, 2);
    br_json_finish(&json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixtures_come_back),
        cmocka_unit_test(random_plans_come_back),
        cmocka_unit_test(truncated),
        cmocka_unit_test(damaged),
        cmocka_unit_test(faults),
        cmocka_unit_test(values),
        cmocka_unit_test(places),
        cmocka_unit_test(tolerant),
        cmocka_unit_test(no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
