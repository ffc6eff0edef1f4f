/* Decimals, seconds, the arena, texts and diagnostics. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/collections/address_sanitizer.h"
#include "base/collections/arena.h"
#include "base/numbers/decimal.h"
#include "base/text/diag.h"
#include "base/collections/index.h"
#include "base/invariant.h"
#include "base/numbers/real.h"
#include "base/process/clock.h"
#include "base/roles.h"
#include "base/text/text.h"

static void decimals(void **state)
{
    static const struct {
        const char *text;
        enum br_decimal_fault fault;
        int64_t mantissa;
        int32_t exponent;
        const char *plain;
    } cases[] = {
        {"0", BR_DECIMAL_OK, 0, 0, "0"},
        {"-0.000", BR_DECIMAL_OK, 0, 0, "0"},
        {"0e99999", BR_DECIMAL_OK, 0, 0, "0"},
        {"12", BR_DECIMAL_OK, 12, 0, "12"},
        {" +1.50 \n", BR_DECIMAL_OK, 15, -1, "1.5"},
        {".5", BR_DECIMAL_OK, 5, -1, "0.5"},
        {"5.", BR_DECIMAL_OK, 5, 0, "5"},
        {"1.5e3", BR_DECIMAL_OK, 15, 2, "1500"},
        {"-25E-2", BR_DECIMAL_OK, -25, -2, "-0.25"},
        {"1e18", BR_DECIMAL_OK, 1, 18, "1000000000000000000"},
        {"1e-18", BR_DECIMAL_OK, 1, -18, "0.000000000000000001"},
        {"999999999999999999", BR_DECIMAL_OK, 999999999999999999, 0, "999999999999999999"},
        {"1000000000000000000000e-3", BR_DECIMAL_OK, 1, 18, "1000000000000000000"},
        {"0.100000000000000000000000", BR_DECIMAL_OK, 1, -1, "0.1"},
        {"1e19", BR_DECIMAL_RANGE, 0, 0, NULL},
        {"1e-19", BR_DECIMAL_RANGE, 0, 0, NULL},
        {"1e999999999999", BR_DECIMAL_RANGE, 0, 0, NULL},
        {"1234567890123456789", BR_DECIMAL_RANGE, 0, 0, NULL},
        {"", BR_DECIMAL_FORM, 0, 0, NULL},
        {" ", BR_DECIMAL_FORM, 0, 0, NULL},
        {".", BR_DECIMAL_FORM, 0, 0, NULL},
        {"-", BR_DECIMAL_FORM, 0, 0, NULL},
        {"1e", BR_DECIMAL_FORM, 0, 0, NULL},
        {"1e+", BR_DECIMAL_FORM, 0, 0, NULL},
        {"1.2.3", BR_DECIMAL_FORM, 0, 0, NULL},
        {"1,5", BR_DECIMAL_FORM, 0, 0, NULL},
        {"0x10", BR_DECIMAL_FORM, 0, 0, NULL},
        {"nan", BR_DECIMAL_FORM, 0, 0, NULL},
        {"inf", BR_DECIMAL_FORM, 0, 0, NULL},
        {"1 2", BR_DECIMAL_FORM, 0, 0, NULL},
        {"1k", BR_DECIMAL_FORM, 0, 0, NULL},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct br_decimal value = {0, 0};
        char text[BR_DECIMAL_TEXT];
        if (br_decimal_parse(cases[k].text, &value) != cases[k].fault)
            fail_msg("'%s'", cases[k].text);
        if (cases[k].fault)
            continue;
        assert_int_equal(value.mantissa, cases[k].mantissa);
        assert_int_equal(value.exponent, cases[k].exponent);
        assert_true(br_decimal_format(value, text, sizeof text) < (int)sizeof text);
        assert_string_equal(text, cases[k].plain);
    }
}

static void suffixes(void **state)
{
    static const struct {
        const char *text, *plain;
    } cases[] = {
        {"2KiB", "2048"},         {"1.5 MiB", "1572864"},
        {"64GiB", "68719476736"}, {"1TiB", "1099511627776"},
        {"3k", "3000"},           {"2.5M", "2500000"},
        {"1e1G", "10000000000"},  {"7", "7"},
        {"0.5KiB", "512"},        {"0GiB", "0"},
        {"2G ", "2000000000"},    {"2KB", "2000"},
        {"2kB", "2000"},          {"3MB", "3000000"},
        {"1.5GB", "1500000000"},  {"2TB", "2000000000000"},
        {"2T", "2000000000000"},  {"1PiB", "1125899906842624"},
        {"12 B", "12"},
    };
    struct br_decimal value;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char text[BR_DECIMAL_TEXT];
        assert_int_equal(br_decimal_parse_suffixed(cases[k].text, &value), BR_DECIMAL_OK);
        br_decimal_format(value, text, sizeof text);
        assert_string_equal(text, cases[k].plain);
    }
    assert_int_equal(br_decimal_parse_suffixed("2Kb", &value), BR_DECIMAL_FORM);
    assert_int_equal(br_decimal_parse_suffixed("2kib", &value), BR_DECIMAL_FORM);
    assert_int_equal(br_decimal_parse_suffixed("KiB", &value), BR_DECIMAL_FORM);
    assert_int_equal(br_decimal_parse_suffixed("2GiB2", &value), BR_DECIMAL_FORM);
    assert_int_equal(br_decimal_parse_suffixed("999999999999999999TiB", &value), BR_DECIMAL_RANGE);
}

static void nearest(void **state)
{
    static const struct {
        const char *text, *plain;
    } cases[] = {
        {"10000000129.452715", "10000000129.452715"},
        {"1.000000e-12", "0.000000000001"},
        {"1e-30", "0"},
        {"-1e-30", "0"},
        {"5e-19", "0.000000000000000001"},
        {"4.9e-19", "0"},
        {"-7e-19", "-0.000000000000000001"},
        {"125e-19", "0.000000000000000013"}, /* the last digit of several says */
        {"-1234e-20", "-0.000000000000000012"},
        {"123456789.1234567894999", "123456789.123456789"},
        {"123456789.1234567895", "123456789.12345679"},
        {"99999999999999999.96", "100000000000000000"},
    };
    struct br_decimal value;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char text[BR_DECIMAL_TEXT];
        assert_int_equal(br_decimal_parse_nearest(cases[k].text, &value), BR_DECIMAL_OK);
        br_decimal_format(value, text, sizeof text);
        assert_string_equal(text, cases[k].plain);
    }
    assert_int_equal(br_decimal_parse_nearest("1e40", &value), BR_DECIMAL_RANGE);
    assert_int_equal(br_decimal_parse_nearest("x", &value), BR_DECIMAL_FORM);
    assert_int_equal(br_decimal_parse_nearest("1k", &value), BR_DECIMAL_FORM);
}

static int64_t quotient(int64_t m, int32_t e, int64_t n, int32_t f)
{
    int64_t ns = -1;
    return br_decimal_quotient_ns((struct br_decimal){m, e}, (struct br_decimal){n, f}, &ns) ? ns
                                                                                             : -1;
}

static void quotients(void **state)
{
    assert_int_equal(quotient(0, 0, 1, 0), 0);
    assert_int_equal(quotient(1, 9, 1, 9), 1000000000);
    assert_int_equal(quotient(1, 0, 3, 0), 333333334); /* rounded up */
    assert_int_equal(quotient(2, 0, 4, 0), 500000000);
    assert_int_equal(quotient(1, -18, 1, 18), 1);
    assert_int_equal(quotient(5798421, 5, 1, 9), 579842100000);
    assert_int_equal(quotient(INT64_MAX, 0, 1, 9), INT64_MAX);
    assert_int_equal(quotient(INT64_MAX, 0, 1, 8), -1);
    assert_int_equal(quotient(1, 18, 1, -18), -1);
    assert_int_equal(quotient(-1, 0, 1, 0), -1);
    assert_int_equal(quotient(1, 0, 0, 0), -1);
    assert_int_equal(quotient(1, 0, -1, 0), -1);
}

static void scaling(void **state)
{
    int64_t scaled;
    assert_true(br_decimal_scale((struct br_decimal){59, -2}, 2, &scaled));
    assert_int_equal(scaled, 59);
    assert_true(br_decimal_scale((struct br_decimal){59, -2}, 5, &scaled));
    assert_int_equal(scaled, 59000);
    assert_false(br_decimal_scale((struct br_decimal){59, -2}, 1, &scaled));
    assert_true(br_decimal_scale((struct br_decimal){15, 2}, -2, &scaled));
    assert_int_equal(scaled, 15);
    assert_true(br_decimal_scale((struct br_decimal){9, 18}, 0, &scaled));
    assert_int_equal(scaled, 9000000000000000000);
    assert_false(br_decimal_scale((struct br_decimal){1, 18}, 1, &scaled));
    assert_true(br_decimal_scale((struct br_decimal){0, 0}, 1000, &scaled));
    assert_int_equal(scaled, 0);
}

static void seconds(void **state)
{
    static const struct {
        const char *text;
        int64_t ns;
        const char *back;
    } cases[] = {
        {"0", 0, "0"},
        {"12.5", 12500000000, "12.5"},
        {"1e-3", 1000000, "0.001"},
        {"0.000000001", 1, "0.000000001"},
        {"0.0000000005", 1, "0.000000001"},
        {"0.00000000049999", 0, "0"},
        {"1.0000000015", 1000000002, "1.000000002"},
        {"-2.5", -2500000000, "-2.5"},
        {"9223372036.854775807", INT64_MAX, "9223372036.854775807"},
        {"-9223372036.854775807", -INT64_MAX, "-9223372036.854775807"},
        {"0.1234567890123456789", 123456789, "0.123456789"},
        {"3.000000000000000000000000", 3000000000, "3"},
        {"1e-99999", 0, "0"},
    };
    int64_t ns;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char text[BR_SECONDS_TEXT];
        assert_int_equal(br_seconds_parse(cases[k].text, &ns), BR_DECIMAL_OK);
        if (ns != cases[k].ns)
            fail_msg("'%s' gives %lld", cases[k].text, (long long)ns);
        br_seconds_format(ns, text);
        assert_string_equal(text, cases[k].back);
    }
    assert_int_equal(br_seconds_parse("9223372036.9", &ns), BR_DECIMAL_RANGE);
    /* The least that is too large: its last digit does not fit, and must not get lost. */
    assert_int_equal(br_seconds_parse("9223372036.854775808", &ns), BR_DECIMAL_RANGE);
    assert_int_equal(br_seconds_parse("9223372036854775808e-9", &ns), BR_DECIMAL_RANGE);
    assert_int_equal(br_seconds_parse("-9223372036.854775808", &ns), BR_DECIMAL_RANGE);
    assert_int_equal(br_seconds_parse("9223372036.8547758079", &ns), BR_DECIMAL_RANGE);
    assert_int_equal(br_seconds_parse("1e99999", &ns), BR_DECIMAL_RANGE);
    assert_int_equal(br_seconds_parse("12s", &ns), BR_DECIMAL_FORM);
}

/* A written value reads back as the same. */
static void round_trips(void **state)
{
    struct br_rng rng = br_rng_seed(7);
    for (int k = 0; k < 20000; k++) {
        char text[BR_DECIMAL_TEXT];
        int64_t ns = (int64_t)(br_rng_next(&rng) >> br_rng_below(&rng, 64)) >> 1, back;
        if (br_rng_below(&rng, 2))
            ns = -ns;
        int length = br_seconds_format(ns, text);
        assert_int_equal(length, strlen(text));
        assert_int_equal(br_seconds_parse(text, &back), BR_DECIMAL_OK);
        assert_int_equal(back, ns);
        char count[BR_COUNT_TEXT], expected[BR_COUNT_TEXT];
        uint64_t any = k ? br_rng_next(&rng) >> br_rng_below(&rng, 64) : UINT64_MAX;
        snprintf(expected, sizeof expected, "%" PRIu64, any);
        length = br_count_format(any, count);
        assert_int_equal(length, strlen(expected));
        assert_string_equal(count, expected);
        struct br_decimal value, again;
        snprintf(text, sizeof text, "%lld.%09llu", (long long)(ns % 1000000000),
                 (unsigned long long)br_rng_below(&rng, 1000000000));
        assert_int_equal(br_decimal_parse(text, &value), BR_DECIMAL_OK);
        br_decimal_format(value, text, sizeof text);
        assert_int_equal(br_decimal_parse(text, &again), BR_DECIMAL_OK);
        assert_memory_equal(&value.mantissa, &again.mantissa, sizeof value.mantissa);
        assert_int_equal(value.exponent, again.exponent);
    }
}

static void arena(void **state)
{
    struct br_arena arena = {NULL};
    unsigned char *block[500];
    size_t size[500];
    struct br_rng rng = br_rng_seed(3);
    for (int round = 0; round < 2; round++) {
        for (int k = 0; k < 500; k++) {
            size[k] = (size_t)br_rng_below(&rng, k % 10 == 0 ? 100000 : 300);
            block[k] = br_arena_alloc(&arena, size[k]);
            assert_non_null(block[k]);
            assert_int_equal((uintptr_t)block[k] % alignof(max_align_t), 0);
            for (size_t i = 0; i < size[k]; i++)
                assert_int_equal(block[k][i], 0);
#ifdef BR_ADDRESS_SANITIZER
            assert_true(__asan_address_is_poisoned(block[k] + size[k]));
#endif
            memset(block[k], k & 0xff, size[k]);
        }
        for (int k = 0; k < 500; k++)
            for (size_t i = 0; i < size[k]; i++)
                assert_int_equal(block[k][i], k & 0xff);
        br_arena_finish(&arena);
        assert_null(arena.head);
    }
    struct br_arena other = {NULL};
    for (int both = 0; both < 2; both++) { /* into an empty one, then one with blocks */
        char *text = br_arena_text(&other, both ? "second" : "first");
        br_arena_join(&arena, &other);
        assert_null(other.head);
        assert_non_null(br_arena_alloc(&arena, 5000));
        assert_string_equal(text, both ? "second" : "first");
    }
    br_arena_join(&arena, &other);
    assert_non_null(br_arena_array(&arena, 0, 8));
    assert_null(br_arena_array(&arena, SIZE_MAX / 4, 8));
    assert_null(br_arena_alloc(&arena, SIZE_MAX - 8));
    assert_string_equal(br_arena_text(&arena, "text"), "text");
    assert_string_equal(br_arena_text(&arena, ""), "");
    br_arena_finish(&arena);
}

struct words {
    uint32_t count;
    char text[3000][8];
};

static uint64_t hash_word(const void *context, uint32_t number)
{
    return br_hash_text(((const struct words *)context)->text[number]);
}

/* All words alike: the worst that can happen is slow. */
static uint64_t hash_alike(const void *context, uint32_t number)
{
    return 31;
}

static uint32_t looked_at; /* keys that an index has asked for */

static bool is_word(const void *context, uint32_t number, const void *key)
{
    looked_at++;
    return strcmp(((const struct words *)context)->text[number], key) == 0;
}

static void indices(void **state)
{
    static const struct br_index_keys keys[] = {{hash_word, is_word}, {hash_alike, is_word}};
    static struct words words;
    for (int k = 0; k < 2; k++) {
        struct br_index index = {NULL, 0, 0};
        assert_int_equal(br_index_find(&index, &keys[k], &words, "0", 0), UINT32_MAX);
        for (words.count = 0; words.count < 3000; words.count++) {
            snprintf(words.text[words.count], sizeof words.text[0], "%" PRIu32, words.count * 7);
            assert_true(br_index_add(&index, &keys[k], &words, words.count));
        }
        looked_at = 0;
        for (uint32_t n = 0; n < 21000; n++) {
            char word[16];
            snprintf(word, sizeof word, "%" PRIu32, n);
            uint64_t hash = k ? 31 : br_hash_text(word);
            assert_int_equal(br_index_find(&index, &keys[k], &words, word, hash),
                             n % 7 ? UINT32_MAX : n / 7);
        }
        /* Those that are found, and no other that stands in the way. */
        assert_true(k == 1 || looked_at == words.count);
        /* Every second and third is taken out, from the last on; some come back. */
        for (uint32_t n = words.count; n-- > 0;)
            if (n % 2 == 0 || n % 3 == 0)
                br_index_remove(&index, &keys[k], &words, n);
        for (uint32_t n = 0; n < words.count; n += 6)
            assert_true(br_index_add(&index, &keys[k], &words, n));
        assert_int_equal(index.used, words.count / 2);
        for (uint32_t n = 0; n < words.count; n++) {
            uint64_t hash = k ? 31 : br_hash_text(words.text[n]);
            bool there = n % 6 == 0 || (n % 2 && n % 3);
            assert_int_equal(br_index_find(&index, &keys[k], &words, words.text[n], hash),
                             there ? n : UINT32_MAX);
        }
        br_index_finish(&index);
        assert_int_equal(index.used, 0);
    }
}

static void texts(void **state)
{
    static const struct {
        const char *text;
        size_t valid;
    } cases[] = {
        {"", 0},
        {"plain", 5},
        {"\xc3\xa9\xe2\x82\xac\xf0\x9f\xaa\xa8", 9},
        {"a\x80", 1},             /* continues nothing */
        {"a\xc0\x80", 1},         /* overlong */
        {"a\xe0\x9f\xbf", 1},     /* overlong */
        {"a\xf0\x8f\xbf\xbf", 1}, /* overlong */
        {"a\xed\xa0\x80", 1},     /* surrogate */
        {"a\xf4\x90\x80\x80", 1}, /* beyond Unicode */
        {"a\xef\xbf\xbe", 1},     /* not a character */
        {"a\xe2\x82", 1},         /* cut */
        {"a\xff", 1},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        size_t size = strlen(cases[k].text);
        assert_int_equal(br_text_utf8_length(cases[k].text, size), cases[k].valid);
        assert_int_equal(br_text_is_plain(cases[k].text), size == cases[k].valid);
    }
    assert_int_equal(br_text_utf8_length("a\0b", 3), 1);
    assert_false(br_text_is_plain("a\tb"));
    assert_true(br_text_is_lines("a\tb\r\n\x7f"));
    assert_false(br_text_is_lines("a\x1b"));
    assert_false(br_text_is_plain("\x7f"));
}

static void whole_numbers(void **state)
{
    static const struct {
        struct br_decimal value;
        int64_t least;
    } cases[] = {
        {{0, 0}, 0},
        {{0, -3}, 0},
        {{1, -18}, 1},
        {{1, -2000000000}, 1},
        {{15, -1}, 2},
        {{20, -1}, 2},
        {{2000000001, -9}, 3},
        {{1999999999, -9}, 2},
        {{7, 2}, 700},
        {{7, 40}, INT64_MAX},
        {{999999999999999999, -17}, 10},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        assert_true(br_decimal_ceil(cases[k].value) == cases[k].least);
}

/* The very bits, which no C library and no compiler may change. */
static void real_numbers(void **state)
{
    double ten = 1;
    for (int n = 0; n <= 22; n++, ten *= 10)
        assert_true(br_real_ten(n) == ten);
    assert_true(br_real_ten(22) == 1e22);
    const struct {
        double x;
        int64_t whole;
    } near[] = {{0, 0},
                {0.5, 1},
                {-0.5, -1},
                {1.4999999999999998, 1},
                {2.5, 3},
                {-2.4, -2},
                {0.49999999999999994, 0},
                {4503599627370495.5, 4503599627370496},
                {0x1p61, INT64_C(1) << 61}};
    for (size_t k = 0; k < sizeof near / sizeof *near; k++)
        assert_int_equal(br_real_whole(near[k].x), near[k].whole);
    assert_true(br_real_log(1) == 0 && br_real_exp(0) == 1);
    assert_true(br_real_pow(1000, 0.55) == 0x1.6558ccb7568d3p+5);
    assert_true(br_real_pow(150000, 0.55) == 0x1.5f6a38389fbfap+9);
    for (double x = 1; x < 1e7; x *= 1.01) { /* and they are right */
        double power = br_real_pow(x, 0.5), root = sqrt(x);
        assert_true(power >= root * (1 - 1e-14) && power <= root * (1 + 1e-14));
    }
}

static void screened(void **state)
{
    static const struct {
        const char *text, *line;
    } cases[] = {
        {"", ""},
        {"a\tb\nc\rd\x1b[0m\x7f", "a?b?c?d?[0m?"},
        {"\xc2\x7f|\xc2\x80|\xc2\x9f|\xc2\xa0", "??|?|?|\xc2\xa0"},
        {"\x9b"
         "1m\xff",
         "?1m?"},
        {"\xe2\x80\x8d\xe2\x80\x8e\xe2\x80\x8f\xe2\x80\x90", "\xe2\x80\x8d??\xe2\x80\x90"},
        {"\xe2\x80\xa7\xe2\x80\xa8\xe2\x80\xae\xe2\x80\xaf", "\xe2\x80\xa7??\xe2\x80\xaf"},
        {"\xe2\x81\xa5\xe2\x81\xa6\xe2\x81\xa9\xe2\x81\xaa\xd8\x9c\xd8\x9d",
         "\xe2\x81\xa5??\xe2\x81\xaa?\xd8\x9d"},
        {"cut \xe2\x80", "cut ??"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char text[64];
        strcpy(text, cases[k].text);
        br_text_screen(text);
        assert_string_equal(text, cases[k].line);
    }
}

static void diagnostics(void **state)
{
    struct br_diag diag = {0};
    char text[2000], large[1000];
    br_diag_file(&diag, "a.xml");
    assert_int_equal(
        br_fail_at(&diag, ((struct br_pos){3, 7}), BR_BAD_INPUT, "try %d", "no %s", "x"),
        BR_BAD_INPUT);
    br_diag_format(&diag, text, sizeof text);
    assert_string_equal(text, "a.xml:3:7: no x; try %d");
    br_fail_at(&diag, ((struct br_pos){3, 0}), BR_NO, NULL, "line\nbreak\x1b");
    br_diag_format(&diag, text, sizeof text);
    assert_string_equal(text, "a.xml:3: line?break?");
    br_diag_file(&diag, "a\nbigrocks: ok.xml");
    br_diag_format(&diag, text, sizeof text);
    assert_string_equal(text, "a?bigrocks: ok.xml:3: line?break?");
    br_diag_file(&diag, "a.xml");
    br_fail(&diag, BR_NO, NULL, "kept place");
    assert_int_equal(diag.line, 3);
    br_fail_at(&diag, BR_NO_POS, BR_NO, NULL, "none");
    br_diag_format(&diag, text, sizeof text);
    assert_string_equal(text, "a.xml: none");
    br_diag_file(&diag, NULL);
    br_diag_format(&diag, text, sizeof text);
    assert_string_equal(text, "none");
    /* A character of two bytes that does not fit as a whole is left out. */
    memset(large, 'a', sizeof large);
    memcpy(large + sizeof diag.what - 2, "\xc3\xa9", 2);
    large[sizeof large - 1] = 0;
    br_fail(&diag, BR_NO, NULL, "%s", large);
    assert_int_equal(strlen(diag.what), sizeof diag.what - 2);
    assert_int_equal(br_fail(NULL, BR_USAGE, NULL, "nobody listens"), BR_USAGE);
    assert_int_equal(br_fail_memory(NULL), BR_SYSTEM);
}

static void compared(void **state)
{
    /* Ascending. */
    static const struct br_decimal values[] = {
        {-1, INT32_MAX},
        {INT64_MIN, 0},
        {-INT64_MAX, 0},
        {-1, 18},
        {-1, 0},
        {-1, -18},
        {0, 0},
        {1, INT32_MIN},
        {1, -18},
        {99, -2},
        {999999999999999999, -18},
        {1, 0},
        {11, -1},
        {12, -1},
        {1, 18},
        {INT64_MAX - 1, 0},
        {INT64_MAX, 0},
        {1, 19},
        {INT64_MAX, 18},
        {1, INT32_MAX},
    };
    enum { VALUES = sizeof values / sizeof values[0] };
    for (size_t a = 0; a < VALUES; a++)
        for (size_t b = 0; b < VALUES; b++)
            assert_int_equal(br_decimal_compare(values[a], values[b]), a < b ? -1 : a > b);
}

static void roles(void **state)
{
    static const struct {
        const char *name;
        enum br_role role;
        bool own;
    } cases[] = {
        {"cpu", BR_ROLE_CPU, true},        {"CPU", BR_ROLE_CPU, false},
        {"cores", BR_ROLE_CPU, false},     {"mem", BR_ROLE_MEMORY, true},
        {"memory", BR_ROLE_MEMORY, false}, {"Ram", BR_ROLE_MEMORY, false},
        {"swap", BR_ROLE_SWAP, true},      {"net", BR_ROLE_NONE, false},
        {"", BR_ROLE_NONE, false},         {"memo", BR_ROLE_NONE, false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        enum br_role role = br_role_of(cases[k].name);
        assert_int_equal(role, cases[k].role);
        assert_int_equal(br_role_is_own_name(role, cases[k].name), cases[k].own);
    }
    assert_string_equal(br_role_name(BR_ROLE_CPU), "cpu");
    assert_string_equal(br_role_name(BR_ROLE_MEMORY), "mem");
    const struct br_decimal half = {5, -1}, three = {3, 0}, large = {1, 18};
    assert_int_equal(br_role_bytes(three, NULL), 3);
    assert_int_equal(br_role_bytes(three, "cores"), 3);
    assert_int_equal(br_role_bytes(three, "MiB"), 3 << 20);
    assert_int_equal(br_role_bytes(half, "GB"), 1000000000);
    assert_int_equal(br_role_bytes(large, "TiB"), INT64_MAX);
}

/* Amounts for people: four digits, rounded to the nearest, and the next unit where that is full. */
static void people(void **state)
{
    (void)state;
    static const struct {
        int64_t bytes;
        const char *text;
    } cases[] = {
        {0, "0 B"},
        {1023, "1023 B"},
        {1024, "1 KiB"},
        {1536, "1.5 KiB"},
        {1048575, "1 MiB"},
        {25276502016, "23.54 GiB"},
        {INT64_C(1) << 40, "1 TiB"},
        {1047527424, "999 MiB"},
        {1073741823, "1 GiB"},
        {1234567, "1.177 MiB"},
        {123456789, "117.7 MiB"},
        {1072693248, "1023 MiB"},
        {INT64_MAX, "8192 PiB"},
    };
    char text[BR_ROLE_AMOUNT_TEXT];
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        br_role_bytes_text(cases[k].bytes, text);
        assert_string_equal(text, cases[k].text);
        br_role_amount((struct br_decimal){cases[k].bytes, 0}, "scratch", "bytes", text);
        assert_string_equal(text, cases[k].text);
    }
    br_role_amount((struct br_decimal){3, 9}, "mem", NULL, text);
    assert_string_equal(text, "2.794 GiB");
    br_role_amount((struct br_decimal){3, 9}, "mem", "MiB", text);
    assert_string_equal(text, "3000000000");
    br_role_amount((struct br_decimal){15, -1}, "mem", NULL, text);
    assert_string_equal(text, "1.5");
    br_role_amount((struct br_decimal){2, 3}, "cpu", NULL, text);
    assert_string_equal(text, "2000");
}

/* Every decimal of up to 15 digits comes back from the real number that it became. */
static void reals_and_decimals(void **state)
{
    struct br_rng rng = br_rng_seed(11);
    struct br_decimal value = {0};
    (void)state;
    assert_true(br_real_of((struct br_decimal){1, -1}) == 0.1);
    assert_true(br_real_of((struct br_decimal){123456789012345, -6}) == 123456789.012345);
    assert_true(br_real_of((struct br_decimal){-25, 2}) == -2500);
    const char *text = "2.5:-1";
    double first = 0, second = 0;
    assert_true(br_real_read(&text, ":,", &first) && first == 2.5 && *text++ == ':');
    assert_true(br_real_read(&text, ":", &second) && second == -1 && !*text);
    assert_false(br_real_read(&text, ":", &first) || first != 2.5);
    text = "1x:2";
    assert_false(br_real_read(&text, ":", &first) || first != 2.5 || *text != '1');
    value = br_real_decimal(0.1 + 0.2); /* 0.30000000000000004 */
    assert_true(value.mantissa == 3 && value.exponent == -1);
    value = br_real_decimal(0);
    assert_true(value.mantissa == 0 && value.exponent == 0);
    for (int k = 0; k < 100000; k++) {
        int64_t mantissa = (int64_t)br_rng_below(&rng, 999999999999999) + 1;
        struct br_decimal wanted =
            br_decimal_unscale(k % 2 ? mantissa : -mantissa, (int32_t)br_rng_below(&rng, 19));
        value = br_real_decimal(br_real_of(wanted));
        assert_true(value.mantissa == wanted.mantissa && value.exponent == wanted.exponent);
    }
}

/* A costly invariant is looked at with the build option alone. */
static void invariants(void **state)
{
    bool looked = false;
    br_costly_assert((looked = true));
#ifdef BR_CHECKS
    assert_true(looked);
#else
    assert_false(looked);
#endif
}

/* Who waits with a limit is there when it is reached, not a step later. */
static void looks(void **state)
{
    assert_int_equal(br_next_look_ns(50, INT64_MAX), 50);
    assert_int_equal(br_next_look_ns(50, 51), 50);
    assert_int_equal(br_next_look_ns(50, 49), 49);
    assert_int_equal(br_next_look_ns(50, 1), 1);
    assert_int_equal(br_next_look_ns(50, 0), 50);
    assert_int_equal(br_next_look_ns(50, -7), 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looks),         cmocka_unit_test(decimals),
        cmocka_unit_test(suffixes),      cmocka_unit_test(nearest),
        cmocka_unit_test(quotients),     cmocka_unit_test(scaling),
        cmocka_unit_test(seconds),       cmocka_unit_test(round_trips),
        cmocka_unit_test(arena),         cmocka_unit_test(indices),
        cmocka_unit_test(texts),         cmocka_unit_test(screened),
        cmocka_unit_test(whole_numbers), cmocka_unit_test(real_numbers),
        cmocka_unit_test(diagnostics),   cmocka_unit_test(roles),
        cmocka_unit_test(people),        cmocka_unit_test(compared),
        cmocka_unit_test(invariants),    cmocka_unit_test(reals_and_decimals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
