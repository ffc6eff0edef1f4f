/* Tables of figures, from which reports write CSV and JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "emit/write/figures.h"

/* A row with a figure of each kind, known or not. */
struct figures_row {
    double share;
    uint32_t tasks;
    uint64_t seed;
    const char *name;
    int64_t end_ns;
    bool cut;
};
#define TEST_FIGURES(FIGURE, LINE)                                                                 \
    FIGURE(name, row->name)                                                                        \
    FIGURE(seed, row->seed)                                                                        \
    FIGURE(tasks, row->tasks)                                                                      \
    LINE(end, br_figure_time(row->end_ns))                                                         \
    FIGURE(share, row->share / 2)                                                                  \
    FIGURE(cut, row->cut)                                                                          \
    FIGURE(order, br_figure_word(row->cut ? "planned" : "plain"))
BR_FIGURES(test_figures, struct figures_row, TEST_FIGURES);

static void check_figures(const struct figures_row *row, const char *csv, const char *json)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    br_write_figures_row(out, "", &test_figures, row, "");
    fclose(out);
    assert_string_equal(text, csv);
    free(text);
    out = open_memstream(&text, &size);
    br_write_figures_keys(out, "{", &test_figures, row, "}");
    fclose(out);
    assert_string_equal(text, json);
    free(text);
}

/* A report's CSV and JSON come from one table: each kind of value in both forms, unknown ones,
 * names that a spreadsheet would take for formulas, numbers beyond the 53 bits of a double. */
static void figures_of_a_table(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    br_write_figures_head(out, "policy,", &test_figures, "\n");
    fclose(out);
    assert_string_equal(text, "policy,name,seed,tasks,end,share,cut,order\n");
    free(text);
    struct figures_row row = {0.5, 3, UINT64_MAX, "=a\"b", 9007199254740993001, true};
    check_figures(&row,
                  "\"\\u003da\"\"b\",18446744073709551615,3,9007199254.740993001,0.25,true,planned",
                  "{\"name\": \"=a\\\"b\", \"seed\": 18446744073709551615, \"tasks\": 3,\n"
                  "   \"end\": 9007199254.740993001, \"share\": 0.25, \"cut\": true, \"order\": "
                  "\"planned\"}");
    assert_true(br_figure_number(&test_figures, &row, 2) == 3);
    assert_true(br_figure_number(&test_figures, &row, 4) == 0.25);
    assert_int_equal(br_named_find(&test_figures.names, "share"), 4);
    row = (struct figures_row){.share = INFINITY, .end_ns = INT64_MAX};
    check_figures(&row, ",0,0,,,false,plain",
                  "{\"name\": null, \"seed\": 0, \"tasks\": 0,\n"
                  "   \"end\": null, \"share\": null, \"cut\": false, \"order\": \"plain\"}");
    assert_true(isnan(br_figure_number(&test_figures, &row, 4)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(figures_of_a_table)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
