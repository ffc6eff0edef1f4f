/* A written job is read back as the same: random jobs, with names, amounts and durations that
 * provoke, are written, read and written again, and both texts are the same bytes. In DOT, where
 * the attributes of a node have no order, they are so from the second text on, and the first one
 * has the same bytes in another order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/parsers/parse_text.h"
#include "tests/emit/plan_fixture.h"

enum { JOBS = 400 };

static char *write_job(const char *format, const struct br_emit_input *input, size_t *size,
                       enum br_status *status)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    assert_non_null(out);
    *status = br_emit_job(format, input, out, NULL);
    assert_int_equal(fclose(out), 0);
    return text;
}

static int by_value(const void *a, const void *b)
{
    return *(const unsigned char *)a - *(const unsigned char *)b;
}

/* Reads the text and writes it again. */
static char *again(const char *text, size_t size, const char *format)
{
    struct br_parse_options options = br_parse_options_default();
    struct parse_text file = parse_text_open(text, size);
    struct br_input read;
    struct br_diag diag = {0};
    enum br_status status;
    options.from = format;
    if (br_parse_job(file.path, &options, &read, &diag))
        fail_msg("line %u: %s\n%s", diag.line, diag.what, text);
    const struct br_emit_input input = {.dag = read.dag, .cluster = read.cluster};
    char *result = write_job(format, &input, &size, &status);
    assert_int_equal(status, BR_OK);
    br_input_finish(&read);
    parse_text_close(&file);
    return result;
}

/* Whether the form could hold the job. */
static bool round_trip(const struct fixture *fixture, const char *format)
{
    const struct br_emit_input input = {.dag = fixture->dag, .cluster = fixture->cluster};
    size_t size;
    enum br_status status;
    char *first = write_job(format, &input, &size, &status);
    if (status) {
        assert_int_equal(status, BR_BAD_INPUT);
        free(first);
        return false;
    }
    char *second = again(first, size, format);
    if (strcmp(format, "dot") == 0) {
        char *third = again(second, strlen(second), format);
        assert_string_equal(third, second);
        free(third);
        qsort(first, size, 1, by_value);
        qsort(second, strlen(second), 1, by_value);
    }
    assert_string_equal(second, first);
    free(first);
    free(second);
    return true;
}

static void jobs(void **state)
{
    uint32_t dots = 0;
    for (uint64_t seed = 1; seed <= JOBS; seed++) {
        struct fixture fixture = fixture_random(seed, 20);
        assert_true(round_trip(&fixture, "xml"));
        if (*fixture.dag->name) /* DOT without a name takes the file's */
            dots += round_trip(&fixture, "dot");
        fixture_finish(&fixture);
    }
    assert_true(dots > JOBS / 2);
}

/* Names that mean something to DOT, each as a job's, a stage's and an attribute's value. */
static void words_of_dot(void **state)
{
    static const char *const words[] = {
        "node",  "edge", "graph", "digraph", "subgraph", "strict", "NODE",     "Strict",
        "nodes", "1a",   "12",    "-.5",     "_",        "a.b",    "<b>x</b>", "\"",
        "->",    "{",    "#x",    "//",      "/* */",    "a;b",    "a:b",      "true"};
    enum { WORDS = sizeof words / sizeof *words };
    for (uint32_t k = 0; k < WORDS; k++) {
        struct br_parse_options options = br_parse_options_default();
        struct br_dag *dag = br_dag_create(words[k]);
        struct br_input read;
        struct br_diag diag = {0};
        enum br_status status;
        size_t size;
        for (uint32_t s = 0; s < WORDS; s++) {
            assert_int_equal(br_dag_add_stage(dag, words[s], 1, 1000000000, NULL, NULL), BR_OK);
            br_dag_add_attribute(dag, BR_OWNER_STAGE, s, "note", words[(s + k) % WORDS], NULL);
            if (s > 0)
                assert_int_equal(br_dag_add_edge(dag, s - 1, s, BR_BARRIER, NULL), BR_OK);
        }
        assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
        char *text = write_job("dot", &(struct br_emit_input){.dag = dag}, &size, &status);
        struct parse_text file = parse_text_open(text, size);
        assert_int_equal(status, BR_OK);
        options.from = "dot";
        if (br_parse_job(file.path, &options, &read, &diag))
            fail_msg("line %u: %s\n%s", diag.line, diag.what, text);
        assert_string_equal(br_dag_name(read.dag), words[k]);
        assert_int_equal(read.dag->stages, WORDS);
        assert_int_equal(read.dag->edges, WORDS - 1);
        assert_int_equal(read.dag->attributes, WORDS);
        for (uint32_t s = 0; s < WORDS; s++) {
            uint32_t at = br_dag_find_stage(read.dag, words[s]);
            const char *note = NULL;
            assert_int_not_equal(at, UINT32_MAX);
            for (uint32_t a = 0; a < read.dag->attributes; a++)
                if (read.dag->attribute[a].index == at)
                    note = read.dag->attribute[a].value;
            assert_string_equal(note, words[(s + k) % WORDS]);
        }
        br_input_finish(&read);
        parse_text_close(&file);
        free(text);
        br_dag_destroy(dag);
    }
}

/* Bytes of edges and rates of ports come back from every form that holds them. */
static void bytes(void **state)
{
    static const char job[] =
        "<job xmlns='urn:bigrocks:job:1' name='j'>"
        "<edge from='a' to='b' bytes='1.5KiB'/><edge from='b' to='c' type='one-to-one' bytes='7'/>"
        "<edge from='a' to='c' bytes='0'/>"
        "<stage id='a'/><stage id='b' tasks='2'/><stage id='c' tasks='2'/>"
        "<edge from='a' to='b' bytes='1e3'/>"
        "<cluster xmlns='urn:bigrocks:cluster:1'><machine class='m' count='1' network='1kbit'/>"
        "<machine class='n' count='2' up='3' down='2k'/></cluster></job>";
    static const char *const formats[] = {"xml", "dot"};
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        struct parse_text file = parse_text_open(job, sizeof job - 1);
        struct br_parse_options options = br_parse_options_default();
        struct br_input first, second;
        struct br_diag diag = {0};
        enum br_status status;
        size_t size;
        if (br_parse_job(file.path, &options, &first, &diag))
            fail_msg("line %u: %s", diag.line, diag.what);
        parse_text_close(&file);
        assert_int_equal(first.dag->bytes, 1536 + 7);
        assert_int_equal(first.cluster->cls[0].up, 125);
        char *text = write_job(formats[f],
                               &(struct br_emit_input){.dag = first.dag, .cluster = first.cluster},
                               &size, &status);
        assert_int_equal(status, BR_OK);
        file = parse_text_open(text, size);
        options.from = formats[f];
        if (br_parse_job(file.path, &options, &second, &diag))
            fail_msg("line %u: %s\n%s", diag.line, diag.what, text);
        assert_int_equal(second.dag->edges, first.dag->edges);
        for (uint32_t e = 0; e < first.dag->edges; e++)
            assert_int_equal(second.dag->edge[e].bytes, first.dag->edge[e].bytes);
        for (uint32_t c = 0; second.cluster && c < 2; c++) {
            assert_int_equal(second.cluster->cls[c].up, c ? 3 : 125);
            assert_int_equal(second.cluster->cls[c].down, c ? 2000 : 125);
        }
        br_input_finish(&first);
        br_input_finish(&second);
        parse_text_close(&file);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(jobs), cmocka_unit_test(bytes),
                                       cmocka_unit_test(words_of_dot)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
