/* Every fixture, cut short and with bytes changed, thousands of times: readers answer with a job
 * or with a diagnostic, and never crash. The seed is fixed; run under sanitizers to see more. */
#include "tests/parsers/parse_text.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/numbers/rng.h"

static const char *const fixtures[] = {
    "word-count.job.xml", "rack.cluster.xml",    "word-count.dot",     "numbered.dot",
    "operations.dot",     "files.dax",           "profiles.dax",       "small.sm",
    "small.rcp",          "recorded.json",       "small.stg",          "query.explain.xml",
    "query.explain.txt",  "query.explain.json",  "query.explain.yaml", "sums.duckdb.json",
    "small.profile.txt",  "flow.snakemake.json", "small.dag",          "small.jsp",
    "small.mspdi.xml",    "small.fjs",           "small.dzn",          "small.bazel.json",
    "small.cargo.json",   "small.nx.json",       "small.turbo.json",   "small.gitlab.yml",
    "small.github.yml",   "small.workflow.yml",  "small.trace.txt",    "small.chakra.et",
    "small.chakra.json",
};
enum { FIXTURES = sizeof fixtures / sizeof fixtures[0], FLIPS = 1500 };

/* Fragments that mean something to one of the formats. */
static const char *const fragments[] = {
    "<",         ">",     "\"",   "&",    "&#x41;",
    "<![CDATA[", "-->",   "<!--", "{",    "}",
    "[",         "]",     "->",   "--",   "=",
    ";",         "/*",    "-1",   "1e9",  "99999999999999999999",
    "nan",       "\xff",  "\n",   "\r\n", "0",
    " ",         ":",     "'",    "\t",   "<!DOCTYPE a [",
    "<a>",       "tasks", "1",
};

struct totals {
    uint32_t read, refused;
};

/* Reads the bytes in the recognised and in the true format. */
static void parse(const char *bytes, size_t size, const char *from, struct totals *totals)
{
    struct parse_text file = parse_text_open(bytes, size);
    for (int named = 0; named < 2; named++) {
        struct br_parse_options options = br_parse_options_default();
        struct br_input input = {0};
        struct br_cluster *made = NULL;
        struct br_diag diag = {0};
        enum br_status status;
        options.from = named && from ? from : NULL;
        options.transfer_rate = (struct br_decimal){1, named ? 3 : 0};
        options.transfer_mode = named ? BR_TRANSFER_DEMAND : BR_TRANSFER_DELAY;
        if (named && !from)
            status = br_parse_cluster(file.path, &made, &diag);
        else
            status = br_parse_job(file.path, &options, &input, &diag);
        if (status) {
            assert_int_equal(status, BR_BAD_INPUT);
            assert_int_equal(diag.status, BR_BAD_INPUT);
            assert_true(diag.what[0]);
            assert_null(input.dag);
            assert_null(made);
            totals->refused++;
        } else {
            assert_true(made || br_dag_task_count(input.dag) > 0);
            br_cluster_destroy(made);
            br_input_finish(&input);
            totals->read++;
        }
    }
    parse_text_close(&file);
}

static const char *format_of(const char *fixture)
{
    static const char *const ends[][2] = {{".trace.txt", "nextflow"},
                                          {".turbo.json", "turbo"},
                                          {".nx.json", "nx"},
                                          {".cargo.json", "cargo"},
                                          {".bazel.json", "bazel"},
                                          {".chakra.json", "chakra"},
                                          {".et", "chakra"},
                                          {".job.xml", "xml"},
                                          {".dot", "dot"},
                                          {".dax", "dax"},
                                          {".sm", "psplib"},
                                          {".rcp", "patterson"},
                                          {".snakemake.json", "snakemake"},
                                          {".explain.json", "postgres"},
                                          {".explain.yaml", "postgres"},
                                          {".explain.txt", "postgres"},
                                          {".duckdb.json", "duckdb"},
                                          {".json", "wfformat"},
                                          {".stg", "stg"},
                                          {".dag", "dagman"},
                                          {".jsp", "jobshop"},
                                          {".mspdi.xml", "mspdi"},
                                          {".fjs", "flexible"},
                                          {".dzn", "minizinc"},
                                          {".gitlab.yml", "gitlab"},
                                          {".github.yml", "github"},
                                          {".workflow.yml", "pegasus"},
                                          {".explain.xml", "postgres"},
                                          {".profile.txt", "profile"}};
    for (size_t k = 0; k < sizeof ends / sizeof ends[0]; k++) {
        size_t length = strlen(fixture), end = strlen(ends[k][0]);
        if (length > end && strcmp(fixture + length - end, ends[k][0]) == 0)
            return ends[k][1];
    }
    return NULL;
}

static void truncations(void **state)
{
    struct totals totals = {0, 0};
    for (size_t f = 0; f < FIXTURES; f++) {
        size_t size;
        char *text = parse_file(parse_fixture(fixtures[f]), &size);
        for (size_t length = 0; length < size; length++)
            parse(text, length, format_of(fixtures[f]), &totals);
        free(text);
    }
    assert_true(totals.refused > totals.read);
    assert_true(totals.read > 0); /* a final line end, for one, is not missed */
}

static void changes(void **state)
{
    struct totals totals = {0, 0};
    struct br_rng rng = br_rng_seed(1);
    for (size_t f = 0; f < FIXTURES; f++) {
        size_t size;
        char *text = parse_file(parse_fixture(fixtures[f]), &size);
        char *copy = malloc(size + 200);
        assert_non_null(copy);
        for (int round = 0; round < FLIPS; round++) {
            size_t length = size;
            memcpy(copy, text, size);
            for (uint64_t n = br_rng_below(&rng, 4) + 1; n > 0; n--) {
                size_t at = (size_t)br_rng_below(&rng, length);
                switch (br_rng_below(&rng, 4)) {
                case 0: /* one bit */
                    copy[at] = (char)(copy[at] ^ (1 << br_rng_below(&rng, 8)));
                    break;
                case 1: /* any byte */
                    copy[at] = (char)br_rng_below(&rng, 256);
                    break;
                case 2: { /* a run is gone */
                    size_t run = (size_t)br_rng_below(&rng, 30);
                    if (run > length - at - 1)
                        run = length - at - 1;
                    memmove(copy + at, copy + at + run, length - at - run);
                    length -= run;
                    break;
                }
                default: { /* something comes in between */
                    const char *piece =
                        fragments[br_rng_below(&rng, sizeof fragments / sizeof fragments[0])];
                    size_t run = strlen(piece);
                    memmove(copy + at + run, copy + at, length - at);
                    memcpy(copy + at, piece, run);
                    length += run;
                }
                }
            }
            parse(copy, length, format_of(fixtures[f]), &totals);
        }
        free(copy);
        free(text);
    }
    assert_true(totals.read > FLIPS / 10);
    assert_true(totals.refused > FLIPS);
}

static const char run_log[] =
    "000 (11.000.000) 2026-03-01 09:00:00 Job submitted from host: <10.1.1.1:9618>\n"
    "    DAG Node: split\n"
    "...\n"
    "001 (11.000.000) 2026-03-01 09:00:04 Job executing on host: <10.1.1.2:9618>\n"
    "\tSlotName: slot1\n"
    "...\n"
    "006 (11.000.000) 2026-03-01 09:00:09 Image size of job updated: 40\n"
    "...\n"
    "005 (11.000.000) 2026-03-01 09:00:14 Job terminated.\n"
    "\t(1) Normal termination (return value 0)\n"
    "\t\tUsr 0 00:00:09, Sys 0 00:00:00  -  Run Remote Usage\n"
    "...\n"
    "000 (12.000.000) 03/01 09:00:15 Job submitted from host: <10.1.1.1:9618>\n"
    "    DAG Node: Left\n"
    "...\n"
    "001 (12.000.000) 03/01 09:00:17 Job executing on host: <10.1.1.3:9618>\n"
    "...\n"
    "005 (12.000.000) 03/01 09:01:17 Job terminated.\n"
    "\t(1) Normal termination (return value 0)\n"
    "...\n";

/* The log of a run beside a file that is well. */
static void parse_log(const char *bytes, size_t size, struct totals *totals)
{
    struct parse_text file = parse_text_open(bytes, size);
    struct br_parse_options options = br_parse_options_default();
    struct br_input input = {0};
    struct br_diag diag = {0};
    options.durations = file.path;
    const enum br_status status = br_parse_job(parse_fixture("small.dag"), &options, &input, &diag);
    if (status) {
        assert_int_equal(status, BR_BAD_INPUT);
        assert_true(diag.what[0]);
        assert_null(input.dag);
        totals->refused++;
    } else {
        assert_int_equal(br_dag_task_count(input.dag), 5);
        br_input_finish(&input);
        totals->read++;
    }
    parse_text_close(&file);
}

static void logs(void **state)
{
    struct totals totals = {0, 0};
    struct br_rng rng = br_rng_seed(2);
    const size_t size = sizeof run_log - 1;
    char text[sizeof run_log];
    memcpy(text, run_log, sizeof text);
    for (size_t length = 0; length <= size; length++)
        parse_log(text, length, &totals);
    for (int round = 0; round < FLIPS; round++) {
        const size_t at = (size_t)br_rng_below(&rng, size);
        const char was = text[at];
        text[at] = (char)br_rng_below(&rng, 256);
        parse_log(text, size, &totals);
        text[at] = was;
    }
    assert_true(totals.read > FLIPS / 10);
    assert_true(totals.refused > FLIPS / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(truncations),
        cmocka_unit_test(changes),
        cmocka_unit_test(logs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
