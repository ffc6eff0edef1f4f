/* Records of clusters, cut short and with bytes changed, thousands of times: readers answer with a
 * workload or with a diagnostic, and never crash. The seed is fixed; run under sanitizers to see
 * more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/numbers/rng.h"
#include "cluster/workload/read/workloads.h"
#include "tests/parsers/parse_text.h"

enum { FLIPS = 1200, LONGEST = 6000 };

static const struct {
    const char *path, *format;
} fixtures[] = {
    {"../../examples/night.swf", "swf"},       {"../../examples/accounting.sacct", "sacct"},
    {"../../examples/star-join.log", "spark"}, {"spark/retry.log", "spark"},
    {"../../examples/recurring.csv", "tasks"},
};
enum { FIXTURES = sizeof fixtures / sizeof fixtures[0] };

/* Fragments that mean something to one of the formats. */
static const char *const fragments[] = {
    "-1",      "0",   "-",        ";",    "|",    ",",       "\n",        "\r\n", " ",
    "\t",      "1e9", "99999999", "1.5",  ":",    "2-",      "T",         "_[3]", ".batch",
    "Unknown", "K",   "cpu=",     "mem=", "n",    "PENDING", "UNLIMITED", "{",    "}",
    "[",       "]",   "\"",       "null", "true", "\\u0041", "\xff",      "\xc3", "{\"Event\":",
};

struct totals {
    uint32_t read, refused;
};

static void parse(const char *bytes, size_t size, const char *format, struct br_rng *rng,
                  struct totals *totals)
{
    struct parse_text file = parse_text_open(bytes, size);
    struct br_workload_options options = br_workload_options_default();
    struct br_workload *workload;
    struct br_diag diag = {0};
    options.from = format;
    options.group_by = (enum br_grouping)br_rng_below(rng, 4);
    options.parallel =
        strcmp(format, "sacct") == 0 && br_rng_below(rng, 2) ? BR_PARALLEL_NODES : BR_PARALLEL_POOL;
    enum br_status status = br_parse_workload(file.path, &options, &workload, &diag);
    if (status) {
        assert_true(status == BR_BAD_INPUT || status == BR_USAGE); /* a job without nodes */
        assert_int_equal(diag.status, status);
        assert_true(diag.what[0]);
        assert_null(workload);
        totals->refused++;
    } else {
        assert_true(workload->finished && workload->jobs > 0);
        br_workload_destroy(workload);
        totals->read++;
    }
    parse_text_close(&file);
}

/* Its beginning, up to a line's end. */
static char *beginning(size_t fixture, size_t *size)
{
    char *text = parse_file(parse_fixture(fixtures[fixture].path), size);
    if (*size > LONGEST)
        *size = LONGEST;
    while (*size > 0 && text[*size - 1] != '\n')
        (*size)--;
    text[*size] = 0;
    return text;
}

static void truncations(void **state)
{
    struct totals totals = {0, 0};
    struct br_rng rng = br_rng_seed(2);
    for (size_t f = 0; f < FIXTURES; f++) {
        size_t size;
        char *text = beginning(f, &size);
        for (size_t length = 0; length < size; length += 1 + length % 3)
            parse(text, length, fixtures[f].format, &rng, &totals);
        free(text);
    }
    assert_true(totals.refused > 0 && totals.read > 0);
}

static size_t change(char *text, size_t length, struct br_rng *rng)
{
    size_t at = (size_t)br_rng_below(rng, length), run;
    const char *piece = fragments[br_rng_below(rng, sizeof fragments / sizeof fragments[0])];
    switch (br_rng_below(rng, 5)) {
    case 0: /* one bit */
        text[at] = (char)(text[at] ^ (1 << br_rng_below(rng, 8)));
        return length;
    case 1: /* another digit */
        if (text[at] >= '0' && text[at] <= '9')
            text[at] = (char)('0' + br_rng_below(rng, 10));
        return length;
    case 2: /* any byte */
        text[at] = (char)br_rng_below(rng, 256);
        return length;
    case 3: /* a run is gone */
        run = (size_t)br_rng_below(rng, 30);
        if (run > length - at - 1)
            run = length - at - 1;
        memmove(text + at, text + at + run, length - at - run);
        return length - run;
    default: /* something comes in between */
        run = strlen(piece);
        memmove(text + at + run, text + at, length - at);
        memcpy(text + at, piece, run);
        return length + run;
    }
}

static void changes(void **state)
{
    struct totals totals = {0, 0};
    struct br_rng rng = br_rng_seed(1);
    for (size_t f = 0; f < FIXTURES; f++) {
        size_t size;
        char *text = beginning(f, &size), *copy = malloc(size + 200);
        assert_non_null(copy);
        for (int round = 0; round < FLIPS; round++) {
            size_t length = size;
            memcpy(copy, text, size);
            for (uint64_t n = br_rng_below(&rng, 4) + 1; n > 0; n--)
                length = change(copy, length, &rng);
            parse(copy, length, fixtures[f].format, &rng, &totals);
        }
        free(copy);
        free(text);
    }
    assert_true(totals.read > FLIPS / 4);
    assert_true(totals.refused > FLIPS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(truncations),
        cmocka_unit_test(changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
