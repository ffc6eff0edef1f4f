/* One DOT text leaves nothing behind for the next one: after any text, however broken, a
 * good one reads as always. cgraph keeps the state of its scanner in static variables. */
#include "tests/parsers/parse_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/numbers/rng.h"

enum { MUTATIONS = 1500 };

static char *expected; /* of the good text */

static enum br_status parse(const void *bytes, size_t size, char **described)
{
    struct parse_text file = parse_text_open(bytes, size);
    struct br_parse_options options = br_parse_options_default();
    struct br_input input = {0};
    options.from = "dot";
    enum br_status status = br_parse_job(file.path, &options, &input, NULL);
    if (!status && described)
        *described = strdup(parse_describe(&input));
    br_input_finish(&input);
    parse_text_close(&file);
    return status;
}

static void check_good(const char *after)
{
    static const char good[] = "digraph g { a [duration=1.5, note=\"x\"]; b [tasks=2]; a -> b; }\n";
    char *described = NULL;
    enum br_status status = parse(good, sizeof good - 1, &described);
    if (status)
        fail_msg("a good text is refused after '%.200s'", after);
    if (!expected)
        expected = described;
    if (strcmp(described, expected) != 0)
        fail_msg("after '%.200s' there is '%s' instead of '%s'", after, described, expected);
    if (described != expected)
        free(described);
}

static void open_ends(void **state)
{
    static const char *const refused[] = {
        "digraph g { a; } \"",
        "digraph g { a; } \" open",
        "digraph g { a; } \"open\\",
        "digraph g { a; } /*",
        "digraph g { a; } /* open *",
        "digraph g { a; } <",
        "digraph g { a; } <<<<a>",
        "digraph g { a [x=\"",
        "digraph g { a [x=\"\\\"",
        "digraph g { a [x=<<b>",
        "digraph g { /* a [x=1]; }",
        "digraph g { a; } digraph h { b; }",
        "digraph g { a; } digraph h { b; } digraph i { c [",
        "digraph g { a; } digraph h { b; } \"",
        "digraph g { a; } }",
        "digraph g { a; ",
        "digraph g { a -> ; }",
        "graph g { a -- b; }",
        "digraph g { a ] }",
        "\"",
        "/*",
        "<",
        "<<<<<<<<<<<<<<<<",
        "@",
        "digraph g { a; @ }",
        "# 7 \"file\"\ndigraph g { \"",
    };
    static const char *const read[] = {
        "digraph g { a; } // \"",
        "digraph g { a; } /* \" < */",
        "digraph g { a; }\n# \"\n",
        "digraph g { a [x=\"/*\", y=\"<\"]; }",
        "digraph g { a [x=<<b>\"/*</b>>]; }",
    };
    check_good("nothing");
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        if (parse(refused[k], strlen(refused[k]), NULL) != BR_BAD_INPUT)
            fail_msg("'%s' is not refused", refused[k]);
        check_good(refused[k]);
    }
    for (size_t k = 0; k < sizeof read / sizeof *read; k++) {
        if (parse(read[k], strlen(read[k]), NULL))
            fail_msg("'%s' is refused", read[k]);
        check_good(read[k]);
    }
    /* Angle brackets may be open by the thousand. */
    char *deep = malloc(100000);
    memset(deep, '<', 100000);
    assert_int_equal(parse(deep, 100000, NULL), BR_BAD_INPUT);
    check_good("100000 angle brackets");
    free(deep);
}

static void mutations(void **state)
{
    static const char *const fixtures[] = {"word-count.dot", "numbered.dot", "operations.dot"};
    static const char marks[] = "\"\"<>/*\\{}[];=->@#\n ,a";
    struct br_rng rng = br_rng_seed(12);
    uint32_t refused = 0;
    for (uint32_t k = 0; k < MUTATIONS; k++) {
        size_t size;
        char *text = parse_file(parse_fixture(fixtures[k % 2]), &size);
        for (uint64_t changes = 1 + br_rng_below(&rng, 4); changes--;)
            text[br_rng_below(&rng, size)] = marks[br_rng_below(&rng, sizeof marks - 1)];
        if (k % 3 == 0)
            size = br_rng_below(&rng, size);
        refused += parse(text, size, NULL) != BR_OK;
        text[size] = 0;
        check_good(text);
        free(text);
    }
    assert_uint_in_range(refused, MUTATIONS / 4, MUTATIONS - 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(open_ends), cmocka_unit_test(mutations)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(expected);
    return failed;
}
