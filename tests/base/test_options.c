/* The option table's parser: every form that it promises, every fault, and the distance behind its
 * suggestions; named rows. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/numbers/decimal.h"
#include "base/text/options.h"

struct settings {
    bool loud, quick;
    int proof;
    const char *name, *shade;
    uint32_t colour;
    uint64_t count;
    int64_t limit_ns;
    struct br_decimal rate;
    double share, gain;
    const char *weights, *parts, *tints, *sizes, *moves, *curves, *words;
    struct br_option_pair span;
};

static const struct br_named colours[] = {{"red", NULL}, {"green", NULL}, {"blue", NULL}};
static const struct br_names colour_rows = {BR_NAMES(colours)};

enum { ONE = 1, TWO = 2 };

static const struct br_option table[] = {
    {.name = "loud",
     .letter = 'l',
     .commands = ONE | TWO,
     .kind = BR_OPTION_FLAG,
     .offset = offsetof(struct settings, loud)},
    {.name = "quick",
     .letter = 'q',
     .commands = ONE,
     .kind = BR_OPTION_FLAG,
     .offset = offsetof(struct settings, quick)},
    {.name = "proof",
     .commands = ONE,
     .kind = BR_OPTION_SWITCH,
     .offset = offsetof(struct settings, proof)},
    {.name = "name",
     .letter = 'n',
     .argument = "NAME",
     .commands = ONE,
     .kind = BR_OPTION_TEXT,
     .offset = offsetof(struct settings, name)},
    {.name = "keep",
     .argument = "FILE",
     .commands = ONE,
     .kind = BR_OPTION_PATH,
     .offset = offsetof(struct settings, name)},
    {.name = "colour",
     .argument = "COLOUR",
     .commands = ONE,
     .kind = BR_OPTION_CHOICE,
     .rows = &colour_rows,
     .offset = offsetof(struct settings, colour)},
    {.name = "shade",
     .argument = "COLOUR",
     .commands = ONE,
     .kind = BR_OPTION_NAME,
     .rows = &colour_rows,
     .offset = offsetof(struct settings, shade)},
    {.name = "count",
     .argument = "N",
     .commands = ONE,
     .kind = BR_OPTION_COUNT,
     .least = 1,
     .most = 100,
     .offset = offsetof(struct settings, count)},
    {.name = "limit",
     .argument = "S",
     .commands = ONE,
     .kind = BR_OPTION_SECONDS,
     .offset = offsetof(struct settings, limit_ns)},
    {.name = "rate",
     .argument = "R",
     .commands = TWO,
     .kind = BR_OPTION_AMOUNT,
     .offset = offsetof(struct settings, rate)},
    {.name = "share",
     .argument = "X",
     .commands = ONE,
     .kind = BR_OPTION_REAL,
     .high = 1,
     .example = "0.8",
     .offset = offsetof(struct settings, share)},
    {.name = "gain",
     .argument = "X",
     .commands = ONE,
     .kind = BR_OPTION_REAL,
     .high = 1000,
     .above = true,
     .offset = offsetof(struct settings, gain)},
    {.name = "weights",
     .argument = "G=W,...",
     .commands = ONE,
     .kind = BR_OPTION_LIST,
     .high = 9,
     .above = true,
     .example = "a=2,b=1",
     .offset = offsetof(struct settings, weights)},
    {.name = "parts",
     .argument = "G=W,...",
     .commands = ONE,
     .kind = BR_OPTION_LIST,
     .high = 9,
     .list = BR_LIST_NAME_MAYBE_NUMBER,
     .offset = offsetof(struct settings, parts)},
    {.name = "tints",
     .argument = "C=A:B,...",
     .commands = ONE,
     .kind = BR_OPTION_LIST,
     .list = BR_LIST_NAME_PAIR,
     .names = &colour_rows,
     .high = 9,
     .offset = offsetof(struct settings, tints)},
    {.name = "sizes",
     .argument = "N,...",
     .commands = ONE,
     .kind = BR_OPTION_LIST,
     .list = BR_LIST_NUMBER,
     .high = 9,
     .whole = true,
     .most = 3,
     .example = "1,2",
     .offset = offsetof(struct settings, sizes)},
    {.name = "moves",
     .argument = "A:B,...",
     .commands = ONE,
     .kind = BR_OPTION_LIST,
     .list = BR_LIST_PAIR,
     .high = 9,
     .rising = true,
     .example = "1:2",
     .offset = offsetof(struct settings, moves)},
    {.name = "curves",
     .argument = "A:B,...",
     .commands = ONE,
     .kind = BR_OPTION_LIST,
     .list = BR_LIST_PAIRS,
     .high = 9,
     .example = "1:2",
     .offset = offsetof(struct settings, curves)},
    {.name = "words",
     .argument = "W,...",
     .commands = ONE,
     .kind = BR_OPTION_LIST,
     .list = BR_LIST_WORD,
     .example = "a,b",
     .offset = offsetof(struct settings, words)},
    {.name = "span",
     .argument = "A[:B]",
     .commands = ONE,
     .kind = BR_OPTION_PAIR,
     .low = 0.5,
     .high = 9,
     .example = "1:3",
     .offset = offsetof(struct settings, span)},
    {.name = NULL},
};

/* One call: what came of a line of arguments. */
struct call {
    enum br_status status;
    struct settings settings;
    const char *positional[2];
    uint32_t positionals;
    struct br_diag diag;
};

static struct call parse(uint32_t command, int count, const char *const *argument)
{
    struct call call = {0};
    call.status =
        br_options_parse(table, command, count, (char *const *)(uintptr_t)argument, &call.settings,
                         call.positional, 2, &call.positionals, &call.diag);
    return call;
}

#define PARSE(command, ...)                                                                        \
    parse(command, (int)(sizeof((const char *[]){__VA_ARGS__}) / sizeof(const char *)),            \
          (const char *[]){__VA_ARGS__})

static void test_forms(void **state)
{
    struct call call = PARSE(ONE, "job", "--name", "a", "--count=7", "-lq", "--limit", "0.5");
    assert_int_equal(call.status, BR_OK);
    assert_string_equal(call.settings.name, "a");
    assert_int_equal(call.settings.count, 7);
    assert_true(call.settings.loud && call.settings.quick);
    assert_int_equal(call.settings.limit_ns, 500000000);
    assert_int_equal(call.positionals, 1);
    assert_string_equal(call.positional[0], "job");

    call = PARSE(ONE, "-qnbob", "x", "-n", "-", "-");
    assert_int_equal(call.status, BR_OK);
    assert_string_equal(call.settings.name, "-"); /* the last one counts */
    assert_int_equal(call.positionals, 2);
    assert_string_equal(call.positional[1], "-");

    call = PARSE(ONE, "--name=", "x");
    assert_int_equal(call.status, BR_USAGE);
    call = PARSE(ONE, "--name=a=b");
    assert_string_equal(call.settings.name, "a=b");
    call = PARSE(ONE, "--name", "--loud"); /* a value may look like an option */
    assert_string_equal(call.settings.name, "--loud");
    assert_false(call.settings.loud);

    call = PARSE(ONE, "--keep", "./-");
    assert_string_equal(call.settings.name, "./-");
    call = PARSE(ONE, "--keep", "-");
    assert_int_equal(call.status, BR_USAGE);
    assert_string_equal(call.diag.what, "option '--keep': '-' is neither read nor written here");
    assert_int_equal(PARSE(ONE, "--keep=").status, BR_USAGE);
}

static void test_end_of_options(void **state)
{
    struct call call = PARSE(ONE, "-l", "--", "--name", "-q");
    assert_int_equal(call.status, BR_OK);
    assert_int_equal(call.positionals, 2);
    assert_string_equal(call.positional[0], "--name");
    assert_string_equal(call.positional[1], "-q");
    assert_false(call.settings.quick);
}

static void test_switch(void **state)
{
    assert_int_equal(PARSE(ONE, "x").settings.proof, 0);
    assert_int_equal(PARSE(ONE, "--proof").settings.proof, 1);
    assert_int_equal(PARSE(ONE, "--no-proof").settings.proof, -1);
    assert_int_equal(PARSE(ONE, "--no-proof", "--proof").settings.proof, 1);
    assert_int_equal(PARSE(ONE, "--no-loud").status, BR_USAGE);
    assert_int_equal(PARSE(ONE, "--no-proof=1").status, BR_USAGE);
}

static void test_values(void **state)
{
    static const char *const bad[][2] = {
        {"--count", "0"},   {"--count", "101"},   {"--count", "-1"},
        {"--count", "1.5"}, {"--count", "0x7"},   {"--count", ""},
        {"--count", " 7"},  {"--count", "1e2"},   {"--limit", "-1"},
        {"--limit", "nan"}, {"--limit", "1e30"},  {"--limit", "5s"},
        {"--colour", ""},   {"--colour", "pink"}, {"--count", "99999999999999999999999"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        assert_int_equal(PARSE(ONE, bad[k][0], bad[k][1]).status, BR_USAGE);
    struct call call = PARSE(ONE, "--colour", "blue", "--count", "100");
    assert_int_equal(call.status, BR_OK);
    assert_int_equal(call.settings.colour, 2);
    assert_int_equal(call.settings.count, 100);
    call = PARSE(ONE, "--shade", "green");
    assert_ptr_equal(call.settings.shade, colours[1].name);
    assert_string_equal(PARSE(ONE, "--shade", "gren").diag.hint, "did you mean 'green'?");
    call = PARSE(TWO, "--rate", "64MiB");
    assert_int_equal(call.status, BR_OK);
    assert_int_equal(call.settings.rate.mantissa, 67108864);
    assert_int_equal(PARSE(TWO, "--rate", "0").status, BR_USAGE);
    assert_int_equal(PARSE(TWO, "--rate", "-5").status, BR_USAGE);
}

static void test_faults(void **state)
{
    struct call call = PARSE(ONE, "--colout", "red");
    assert_int_equal(call.status, BR_USAGE);
    assert_string_equal(call.diag.what, "unknown option '--colout'");
    assert_string_equal(call.diag.hint, "did you mean '--colour'?");
    assert_string_equal(PARSE(ONE, "--colour", "gren").diag.hint, "did you mean 'green'?");
    assert_string_equal(PARSE(ONE, "--xylophone").diag.hint, "");
    assert_string_equal(PARSE(ONE, "--no-prof").diag.hint, "did you mean '--proof'?");
    assert_string_equal(PARSE(ONE, "--rate", "1").diag.hint, "other sub-commands do");
    assert_string_equal(PARSE(ONE, "--count").diag.hint, "write '--count N'");
    assert_string_equal(PARSE(ONE, "-n").diag.hint, "write '-n NAME'");
    assert_int_equal(PARSE(ONE, "-x").status, BR_USAGE);
    assert_int_equal(PARSE(ONE, "--loud=yes").status, BR_USAGE);
    call = PARSE(ONE, "a", "b", "c");
    assert_int_equal(call.status, BR_USAGE);
    assert_string_equal(call.diag.what, "unexpected argument 'c'");
}

/* The ends of a range belong to it, but for `above`; the compiler rounds decimals to the nearest
 * double, too. */
static void test_reals(void **state)
{
    static const char *const bad[][2] = {
        {"--share", "-0.1"}, {"--share", "1.000001"}, {"--share", "x"},    {"--share", ""},
        {"--share", "nan"},  {"--share", "inf"},      {"--share", "0.5x"}, {"--share", "0.5:1"},
        {"--gain", "0"},     {"--gain", "1000.01"},   {"--gain", "1e-30"},
    };
    struct call call = PARSE(ONE, "--share", "0.7", "--gain", "1.5e1");
    assert_int_equal(call.status, BR_OK);
    assert_true(call.settings.share == 0.7 && call.settings.gain == 15);
    assert_true(PARSE(ONE, "--share=0").settings.share == 0);
    assert_true(PARSE(ONE, "--share=1").settings.share == 1);
    assert_true(PARSE(ONE, "--gain=1000").settings.gain == 1000);
    assert_true(PARSE(ONE, "--gain=0.000000000000000001").settings.gain == 1e-18);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        assert_int_equal(PARSE(ONE, bad[k][0], bad[k][1]).status, BR_USAGE);
    call = PARSE(ONE, "--share", "2");
    assert_string_equal(call.diag.what, "option '--share': '2' is not a number from 0 to 1");
    assert_string_equal(call.diag.hint, "write '--share 0.8'");
    call = PARSE(ONE, "--gain", "0");
    assert_string_equal(call.diag.what, "option '--gain': '0' is not a number above 0, up to 1000");
    assert_string_equal(call.diag.hint, "");
}

static void test_pairs(void **state)
{
    static const char *const bad[] = {"",      ":",   "1:",    ":1",    "0.4",
                                      "1:0.4", "9.1", "1:9.1", "1:2:3", "1,2"};
    char text[80];
    struct call call = PARSE(ONE, "--span", "0.5:9");
    assert_int_equal(call.status, BR_OK);
    assert_true(call.settings.span.first == 0.5 && call.settings.span.second == 9);
    br_pair_format(call.settings.span, text, sizeof text);
    assert_string_equal(text, "0.5:9");
    call = PARSE(ONE, "--span", "1:2", "--span", "3"); /* the last counts, whole */
    assert_true(call.settings.span.first == 3 && isnan(call.settings.span.second));
    br_pair_format(call.settings.span, text, sizeof text);
    assert_string_equal(text, "3");
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        assert_int_equal(PARSE(ONE, "--span", bad[k]).status, BR_USAGE);
    call = PARSE(ONE, "--span", "1:x");
    assert_string_equal(call.diag.what,
                        "option '--span': '1:x' is not A[:B] with numbers from 0.5 to 9");
    assert_string_equal(call.diag.hint, "write '--span 1:3'");
}

static void test_lists(void **state)
{
    static const char *const bad[][2] = {
        {"--weights", "a"},     {"--weights", "a=0"},  {"--weights", "=1"},
        {"--weights", "a=1,"},  {"--weights", ",a=1"}, {"--weights", "a=x"},
        {"--weights", "a=10"},  {"--weights", ""},     {"--weights", "a=1,,b=2"},
        {"--weights", "a=1=2"}, {"--parts", "a=10"},   {"--parts", "a,"},
        {"--parts", "a="},
    };
    struct br_list_entry entry;
    struct call call = PARSE(ONE, "--weights", "a=2,bc=0.5", "--parts", "x,y=0");
    assert_int_equal(call.status, BR_OK);
    const char *at = call.settings.weights;
    assert_true(br_list_next(BR_LIST_NAME_NUMBER, &at, &entry));
    assert_int_equal(entry.length, 1);
    assert_true(*entry.name == 'a' && entry.value == 2);
    assert_true(br_list_next(BR_LIST_NAME_NUMBER, &at, &entry));
    assert_int_equal(entry.length, 2);
    assert_true(entry.value == 0.5);
    assert_false(br_list_next(BR_LIST_NAME_NUMBER, &at, &entry));
    at = call.settings.parts;
    assert_true(br_list_next(BR_LIST_NAME_MAYBE_NUMBER, &at, &entry));
    assert_true(*entry.name == 'x' && isnan(entry.value));
    assert_true(br_list_next(BR_LIST_NAME_MAYBE_NUMBER, &at, &entry));
    assert_true(*entry.name == 'y' && entry.value == 0);
    assert_false(br_list_next(BR_LIST_NAME_MAYBE_NUMBER, &at, &entry));
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        assert_int_equal(PARSE(ONE, bad[k][0], bad[k][1]).status, BR_USAGE);
    call = PARSE(ONE, "--weights", "a=1,b=0");
    assert_string_equal(call.diag.what,
                        "option '--weights': 'b=0' is not a name with a number above 0, up to 9");
    assert_string_equal(call.diag.hint, "write '--weights a=2,b=1'");
    call = PARSE(ONE, "--parts", "a=x");
    assert_string_equal(call.diag.what,
                        "option '--parts': 'a=x' is not a name, or one with a number from 0 to 9");
}

static void test_list_forms(void **state)
{
    static const struct {
        const char *option, *value, *what;
    } bad[] = {
        {"--tints", "red=10", "'red=10' is not a name with one or two numbers from 0 to 9"},
        {"--tints", "red=1:10", "'red=1:10' is not a name with one or two numbers from 0 to 9"},
        {"--tints", "red=1:", "'red=1:' is not a name with one or two numbers from 0 to 9"},
        {"--tints", "red", "'red' is not a name with one or two numbers from 0 to 9"},
        {"--tints", "red=1,pink=1", "there is no 'pink' (there are red, green, blue)"},
        {"--sizes", "1,x", "'x' is not a number from 0 to 9, in digits alone"},
        {"--sizes", "1.5", "'1.5' is not a number from 0 to 9, in digits alone"},
        {"--sizes", "+1", "'+1' is not a number from 0 to 9, in digits alone"},
        {"--sizes", "1:2", "'1:2' is not a number from 0 to 9, in digits alone"},
        {"--sizes", "a=1", "'a=1' is not a number from 0 to 9, in digits alone"},
        {"--moves", "1", "'1' is not two numbers with ':' between them, from 0 to 9"},
        {"--moves", "1:2:3", "'1:2:3' is not two numbers with ':' between them, from 0 to 9"},
        {"--moves", "1:10", "'1:10' is not two numbers with ':' between them, from 0 to 9"},
        {"--moves", "1:2/3:4", "'1:2/3:4' is not two numbers with ':' between them, from 0 to 9"},
        {"--curves", "1:2/x,3:4", "'x' is not two numbers with ':' between them, from 0 to 9"},
        {"--curves", "1:2/3:10", "'3:10' is not two numbers with ':' between them, from 0 to 9"},
        {"--curves", "1:2/", "has an empty entry"},
        {"--curves", "/1:2", "has an empty entry"},
        {"--curves", "1:2,/3:4", "has an empty entry"},
        {"--moves", "2:3,2:4", "'2' is not above '2', the one before it"},
    };
    struct br_list_entry entry;
    (void)state;
    struct call call = PARSE(ONE, "--tints", "red=1,blue=2:3", "--sizes", "3,0,2", "--moves",
                             "1:9,2.5:0", "--words", "a=b:c,-");
    assert_int_equal(call.status, BR_OK);
    assert_int_equal(br_list_count(call.settings.sizes), 3);
    const char *at = call.settings.tints;
    assert_true(br_list_next(BR_LIST_NAME_PAIR, &at, &entry));
    assert_true(entry.length == 3 && entry.value == 1 && isnan(entry.second));
    assert_true(br_list_next(BR_LIST_NAME_PAIR, &at, &entry));
    assert_true(entry.length == 4 && entry.value == 2 && entry.second == 3);
    assert_false(br_list_next(BR_LIST_NAME_PAIR, &at, &entry));
    at = call.settings.moves;
    assert_true(br_list_next(BR_LIST_PAIR, &at, &entry) && br_list_next(BR_LIST_PAIR, &at, &entry));
    assert_true(entry.value == 2.5 && entry.second == 0);
    call = PARSE(ONE, "--curves", "1:2,3:4/5:6", "--words", "a=b:c,-");
    at = call.settings.curves;
    assert_true(br_list_next(BR_LIST_PAIRS, &at, &entry) && !entry.last);
    assert_true(br_list_next(BR_LIST_PAIRS, &at, &entry) && entry.last && entry.second == 4);
    assert_true(br_list_next(BR_LIST_PAIRS, &at, &entry) && entry.last && entry.value == 5);
    assert_false(br_list_next(BR_LIST_PAIRS, &at, &entry));
    at = call.settings.words;
    assert_true(br_list_next(BR_LIST_WORD, &at, &entry));
    assert_memory_equal(entry.name, "a=b:c", entry.length);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        call = PARSE(ONE, bad[k].option, bad[k].value);
        assert_int_equal(call.status, BR_USAGE);
        assert_non_null(strstr(call.diag.what, bad[k].what));
    }
    /* Beside a name that is near a list would only hide it. */
    call = PARSE(ONE, "--tints", "red=1,gren=1");
    assert_string_equal(call.diag.what, "option '--tints': there is no 'gren'");
    assert_string_equal(call.diag.hint, "did you mean 'green'?");
    call = PARSE(ONE, "--sizes", "1,2,3,4");
    assert_string_equal(call.diag.what, "option '--sizes' has more than 3 entries");
    call = PARSE(ONE, "--words", "a,");
    assert_string_equal(call.diag.what, "option '--words' has an empty entry");
    assert_string_equal(call.diag.hint, "write '--words a,b'");
    assert_int_equal(PARSE(ONE, "--words", "").status, BR_USAGE);
}

/* What is not given is NAN, and changes nothing. */
static void test_not_given(void **state)
{
    struct settings settings = {.count = 7};
    double value = 3;
    br_options_clear(table, &settings);
    assert_true(isnan(settings.share) && isnan(settings.span.first) && isnan(settings.span.second));
    assert_int_equal(settings.colour, BR_NO_ROW);
    assert_int_equal(settings.count, 7);
    br_option_take(settings.share, &value);
    assert_true(value == 3);
    br_option_take(0, &value);
    assert_true(value == 0);
}

static void test_distance(void **state)
{
    assert_int_equal(br_edit_distance("", ""), 0);
    assert_int_equal(br_edit_distance("", "abc"), 3);
    assert_int_equal(br_edit_distance("abc", ""), 3);
    assert_int_equal(br_edit_distance("plan", "plan"), 0);
    assert_int_equal(br_edit_distance("paln", "plan"), 1); /* a swap is one step */
    assert_int_equal(br_edit_distance("kitten", "sitting"), 3);
    assert_int_equal(br_edit_distance("ca", "abc"), 3); /* no edits inside a swap */
    char longer[200];
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_int_equal(br_edit_distance(longer, longer + 40), 0); /* both are cut */
}

static void test_suggestion(void **state)
{
    struct br_suggestion suggestion = {.word = "rnder"};
    br_suggestion_offer(&suggestion, "plan");
    assert_null(suggestion.best);
    br_suggestion_offer(&suggestion, "render");
    br_suggestion_offer(&suggestion, "sender");
    assert_string_equal(suggestion.best, "render");
    suggestion = (struct br_suggestion){.word = "tcsh"}; /* two of four letters are too many */
    br_suggestion_offer(&suggestion, "bash");
    assert_null(suggestion.best);
    suggestion = (struct br_suggestion){.word = "conv"}; /* begun and left unfinished */
    br_suggestion_offer(&suggestion, "convert");
    assert_string_equal(suggestion.best, "convert");
    suggestion = (struct br_suggestion){.word = "x"};
    br_suggestion_offer(&suggestion, "graphene");
    assert_null(suggestion.best);
}

/* ---- Named rows ---- */

struct shape {
    struct br_named named;
    int corners;
};
static const struct shape shapes[] = {{{"triangle", "of three"}, 3}, {{"square", NULL}, 4}};
static const struct shape circle = {{"circle", "has none"}, 0};
static const struct shape *const round_ones[] = {&circle, &shapes[0]};
static const struct br_names shape_rows = {BR_NAMES(shapes)};
static const struct br_names round_rows = {BR_NAMES(round_ones), .pointers = true};
static const struct br_names all_rows = {
    .tables = (const struct br_names *const[]){&shape_rows, &round_rows, NULL}};

/* Rows of arrays, of arrays of pointers, and of several tables have numbers without gaps. */
static void test_rows(void **state)
{
    assert_ptr_equal(br_named_at(&shape_rows, 1), &shapes[1]);
    assert_null(br_named_at(&shape_rows, 2));
    assert_null(br_named_at(&shape_rows, BR_NO_ROW));
    assert_ptr_equal(br_named_at(&round_rows, 0), &circle);
    assert_ptr_equal(br_named_at(&all_rows, 1), &shapes[1]);
    assert_ptr_equal(br_named_at(&all_rows, 2), &circle);
    assert_null(br_named_at(&all_rows, 4));
    assert_string_equal(br_named_name(&all_rows, 2), "circle");
    assert_null(br_named_name(&all_rows, 4));
    assert_int_equal(br_named_find(&all_rows, "circle"), 2);
    assert_int_equal(br_named_find(&all_rows, "triangle"), 0); /* the first of two */
    assert_int_equal(br_named_find(&all_rows, "circ"), BR_NO_ROW);
    assert_int_equal(br_named_find(&all_rows, "circles"), BR_NO_ROW);
    assert_int_equal(br_named_find(&all_rows, ""), BR_NO_ROW);
    assert_int_equal(br_named_find_part(&all_rows, "circle=3", 6), 2);
    assert_int_equal(br_named_find_part(&all_rows, "circle", 4), BR_NO_ROW);
    assert_int_equal(br_named_find_part(&all_rows, "circle", 7), BR_NO_ROW);
}

/* A list that does not fit ends with a whole name and says that there are more. */
static void test_list(void **state)
{
    char text[64], exact[sizeof "triangle, square"], less[sizeof "triangle, square" - 1];
    br_named_list(&all_rows, text, sizeof text);
    assert_string_equal(text, "triangle, square, circle, triangle");
    br_named_list(&shape_rows, exact, sizeof exact);
    assert_string_equal(exact, "triangle, square");
    br_named_list(&shape_rows, less, sizeof less);
    assert_string_equal(less, "triangle, ...");
    br_named_list(&all_rows, exact, sizeof exact);
    assert_string_equal(exact, "triangle, ...");
    br_named_list(&all_rows, text, 5);
    assert_string_equal(text, "...");
}

static enum br_status refuse(const char *text, size_t length, struct br_diag *diag)
{
    return br_fail_unnamed(diag, &shape_rows, text, length, "no shape is called '%s'", text);
}

static void test_unnamed(void **state)
{
    struct br_diag diag = {0};
    assert_int_equal(refuse("sqare", SIZE_MAX, &diag), BR_USAGE);
    assert_string_equal(diag.what, "no shape is called 'sqare'");
    assert_string_equal(diag.hint, "did you mean 'square'?");
    refuse("sqare=3", 5, &diag); /* the number is no part of the name */
    assert_string_equal(diag.hint, "did you mean 'square'?");
    refuse("pentagon", SIZE_MAX, &diag);
    assert_string_equal(diag.hint, "choose one of triangle, square");
    refuse("", SIZE_MAX, &diag);
    assert_string_equal(diag.hint, "choose one of triangle, square");
    assert_int_equal(refuse("pentagon", SIZE_MAX, NULL), BR_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),      cmocka_unit_test(test_end_of_options),
        cmocka_unit_test(test_switch),     cmocka_unit_test(test_values),
        cmocka_unit_test(test_faults),     cmocka_unit_test(test_distance),
        cmocka_unit_test(test_suggestion), cmocka_unit_test(test_reals),
        cmocka_unit_test(test_pairs),      cmocka_unit_test(test_lists),
        cmocka_unit_test(test_list_forms), cmocka_unit_test(test_not_given),
        cmocka_unit_test(test_rows),       cmocka_unit_test(test_list),
        cmocka_unit_test(test_unnamed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
