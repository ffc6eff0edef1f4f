/* Outputs against golden files (BIGROCKS_REFRESH=1 writes them anew), and their promises. */
#include "plan_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "emit/write.h"

static char *read_golden(const char *path)
{
    FILE *in = fopen(path, "rb");
    if (!in)
        return NULL;
    char *text = NULL;
    size_t size = 0;
    ssize_t length = getdelim(&text, &size, 0, in);
    fclose(in);
    if (length < 0) {
        free(text);
        return NULL;
    }
    return text;
}

static void check_golden(bool job, const char *format, const char *name, struct fixture fixture)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/golden/%s", getenv("BIGROCKS_TESTS"), name);
    char *text = fixture_emit(job, format, &fixture);
    fixture_finish(&fixture);
    const char *refresh = getenv("BIGROCKS_REFRESH");
    if (refresh && *refresh) {
        FILE *out = fopen(path, "wb");
        assert_non_null(out);
        fputs(text, out);
        assert_int_equal(fclose(out), 0);
    }
    char *golden = read_golden(path);
    assert_non_null(golden);
    assert_string_equal(text, golden);
    free(golden);
    free(text);
}

static void small_outputs(void **state)
{
    check_golden(false, "order", "small.order.tsv", fixture_small());
    check_golden(false, "json", "small.plan.json", fixture_small());
    check_golden(true, "xml", "small.job.xml", fixture_small());
}

static void nasty_outputs(void **state)
{
    check_golden(false, "order", "nasty.order.tsv", fixture_nasty());
    check_golden(false, "json", "nasty.plan.json", fixture_nasty());
    check_golden(true, "xml", "nasty.job.xml", fixture_nasty());
}

static void job_without_cluster(void **state)
{
    struct fixture fixture = fixture_small();
    br_cluster_destroy(fixture.cluster);
    fixture.cluster = NULL;
    char *text = fixture_emit(true, "xml", &fixture);
    assert_null(strstr(text, "<cluster"));
    free(text);
    fixture_finish(&fixture);
}

static void unknown_output(void **state)
{
    struct fixture fixture = fixture_small();
    struct br_emit_input input = fixture_input(&fixture);
    struct br_diag diag = {0};
    assert_int_equal(br_emit_plan("yaml", &input, stdout, &diag), BR_USAGE);
    assert_non_null(strstr(diag.what, "yaml"));
    for (uint32_t k = 0; br_emit_plan_name(k); k++) {
        assert_non_null(strstr(diag.hint, br_emit_plan_name(k)));
        assert_non_null(br_emit_plan_summary(k));
    }
    assert_int_equal(br_emit_job("order", &input, stdout, &diag), BR_USAGE);
    for (uint32_t k = 0; br_emit_job_name(k); k++) {
        assert_non_null(strstr(diag.hint, br_emit_job_name(k)));
        assert_non_null(br_emit_job_summary(k));
    }
    fixture_finish(&fixture);
}

/* Every output, on a device that is always full. */
static void full_disk(void **state)
{
    struct fixture fixture = fixture_small();
    struct br_emit_input input = fixture_input(&fixture);
    FILE *full = fopen("/dev/full", "w");
    if (!full)
        skip();
    for (uint32_t k = 0; br_emit_plan_name(k); k++) {
        struct br_diag diag = {0};
        clearerr(full);
        assert_int_equal(br_emit_plan(br_emit_plan_name(k), &input, full, &diag), BR_SYSTEM);
        assert_non_null(strstr(diag.what, "writing failed"));
    }
    for (uint32_t k = 0; br_emit_job_name(k); k++) {
        struct br_diag diag = {0};
        clearerr(full);
        assert_int_equal(br_emit_job(br_emit_job_name(k), &input, full, &diag), BR_SYSTEM);
    }
    fclose(full);
    fixture_finish(&fixture);
}

static void expect_ratio(int64_t a, int64_t b, const char *expected)
{
    char text[64] = "";
    FILE *out = fmemopen(text, sizeof text, "w");
    br_write_ratio(out, a, b);
    fclose(out);
    assert_string_equal(text, expected);
}

static void ratios(void **state)
{
    expect_ratio(1, 1, "1");
    expect_ratio(0, 5, "0");
    expect_ratio(1, 3, "0.333333333");
    expect_ratio(2, 3, "0.666666667");
    expect_ratio(-2, 3, "-0.666666667");
    expect_ratio(-7, 2, "-3.5");
    expect_ratio(1, 20000000, "0.00000005");
    expect_ratio(1999999999, 2000000000, "1"); /* rounds over */
    expect_ratio(INT64_MAX, INT64_MAX - 1, "1");
    expect_ratio(INT64_MAX, 1, "9223372036854775807");
}

static void expect_text(enum br_quote quote, const char *text, const char *expected)
{
    char got[256] = "";
    FILE *out = fmemopen(got, sizeof got, "w");
    br_write_text(out, quote, text);
    fclose(out);
    assert_string_equal(got, expected);
}

static void quoting(void **state)
{
    /* Overlong, surrogate, beyond Unicode, cut short: one mark for every byte. */
#define MARK "\xef\xbf\xbd"
    expect_text(BR_QUOTE_JSON, "\xc0\x80", MARK MARK);
    expect_text(BR_QUOTE_JSON, "\xed\xa0\x80", MARK MARK MARK);
    expect_text(BR_QUOTE_JSON, "\xf4\x90\x80\x80", MARK MARK MARK MARK);
    expect_text(BR_QUOTE_JSON, "\xe2\x82", MARK MARK);
    expect_text(BR_QUOTE_JSON, "\xe0\x9f\xbf!", MARK MARK MARK "!");
    expect_text(BR_QUOTE_JSON, "\xe2\x82\xac\xf4\x8f\xbf\xbf", "\xe2\x82\xac\xf4\x8f\xbf\xbf");
    expect_text(BR_QUOTE_JSON, "\x01\x1f\b\f\n\r\t\"\\/\x7f",
                "\\u0001\\u001f\\b\\f\\n\\r\\t\\\"\\\\/\x7f");
    expect_text(BR_QUOTE_ATTRIBUTE, "<&>\"'\t\n\x02", "&lt;&amp;&gt;&quot;'&#9;&#10;" MARK);
    expect_text(BR_QUOTE_XML, "<\"\t\n\r", "&lt;\"\t\n&#13;");
    expect_text(BR_QUOTE_TABS, "a\tb\nc\\d", "a\\tb\\nc\\\\d");
    expect_text(BR_QUOTE_DOT, "a\\b", "a\\b");
    expect_text(BR_QUOTE_DOT, "a\\", "a\\\\");
    expect_text(BR_QUOTE_DOT, "a\\\\", "a\\\\");
    expect_text(BR_QUOTE_DOT, "\\\"", "\\\\\\\"");
    expect_text(BR_QUOTE_LABEL, "\\N \"x\"\n", "\\\\N \\\"x\\\"\\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_outputs),
        cmocka_unit_test(nasty_outputs),
        cmocka_unit_test(job_without_cluster),
        cmocka_unit_test(unknown_output),
        cmocka_unit_test(full_disk),
        cmocka_unit_test(ratios),
        cmocka_unit_test(quoting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
