/* One pass over the arguments, guided by the table. */
#include "base/text/options.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/numbers/decimal.h"
#include "base/numbers/real.h"

enum { LONGEST_WORD = 63 };

static const struct br_option *find_long(const struct br_option *table, uint32_t command,
                                         const char *name, size_t length, bool *negated)
{
    *negated = false;
    for (const struct br_option *option = table; option->name; option++) {
        if (!(option->commands & command))
            continue;
        if (strlen(option->name) == length && strncmp(option->name, name, length) == 0)
            return option;
        if (option->kind == BR_OPTION_SWITCH && length > 3 && strncmp(name, "no-", 3) == 0 &&
            strlen(option->name) == length - 3 &&
            strncmp(option->name, name + 3, length - 3) == 0) {
            *negated = true;
            return option;
        }
    }
    return NULL;
}

static const struct br_option *find_short(const struct br_option *table, uint32_t command,
                                          char letter)
{
    for (const struct br_option *option = table; option->name; option++)
        if ((option->commands & command) && option->letter == letter)
            return option;
    return NULL;
}

static enum br_status unknown_long(const struct br_option *table, uint32_t command,
                                   const char *name, size_t length, struct br_diag *diag)
{
    char word[LONGEST_WORD + 1], hint[160] = "";
    snprintf(word, sizeof word, "%.*s", (int)(length > LONGEST_WORD ? LONGEST_WORD : length), name);
    struct br_suggestion suggestion = {.word = word};
    bool elsewhere = false;
    for (const struct br_option *option = table; option->name; option++) {
        if (option->commands & command) {
            br_suggestion_offer(&suggestion, option->name);
            if (option->kind == BR_OPTION_SWITCH && strncmp(word, "no-", 3) == 0) {
                struct br_suggestion positive = {.word = word + 3};
                br_suggestion_offer(&positive, option->name);
                if (positive.best && !suggestion.best)
                    suggestion.best = option->name;
            }
        } else if (strcmp(option->name, word) == 0) {
            elsewhere = true;
        }
    }
    if (elsewhere)
        return br_fail(diag, BR_USAGE, "other sub-commands do", "option '--%s' is not taken here",
                       word);
    if (suggestion.best)
        snprintf(hint, sizeof hint, "did you mean '--%s'?", suggestion.best);
    return br_fail(diag, BR_USAGE, hint, "unknown option '--%s'", word);
}

/* `value` is its first `length` bytes. */
static enum br_status not_a_choice(const struct br_option *option, const struct br_names *rows,
                                   const char *value, size_t length, struct br_diag *diag)
{
    char known[512], hint[160] = "";
    const char *near = br_named_near(rows, value, length);
    assert(rows);
    br_named_list(rows, known, sizeof known);
    if (near) { /* then a list would only hide it */
        snprintf(hint, sizeof hint, "did you mean '%s'?", near);
        return br_fail(diag, BR_USAGE, hint, "option '--%s': there is no '%.*s'", option->name,
                       (int)(length < INT_MAX ? length : INT_MAX), value);
    }
    return br_fail(diag, BR_USAGE, hint, "option '--%s': there is no '%.*s' (there are %s)",
                   option->name, (int)(length < INT_MAX ? length : INT_MAX), value, known);
}

static bool parse_count(const char *value, uint64_t *count)
{
    uint64_t sum = 0;
    if (!*value)
        return false;
    for (const char *c = value; *c; c++) {
        if (*c < '0' || *c > '9')
            return false;
        if (sum > (UINT64_MAX - (uint64_t)(*c - '0')) / 10)
            return false;
        sum = sum * 10 + (uint64_t)(*c - '0');
    }
    *count = sum;
    return true;
}

/* ---- Numbers with a range ---- */

static bool is_within(const struct br_option *option, double x)
{
    return (option->above ? x > option->low : x >= option->low) && x <= option->high;
}

static void option_range(const struct br_option *option, char *text, size_t size)
{
    snprintf(text, size, option->above ? "above %.9g, up to %.9g" : "from %.9g to %.9g",
             option->low, option->high);
}

static void option_example(const struct br_option *option, char *hint, size_t size)
{
    *hint = '\0';
    if (option->example)
        snprintf(hint, size, "write '--%s %s'", option->name, option->example);
}

static enum br_status not_a_number(const struct br_option *option, const char *value,
                                   struct br_diag *diag)
{
    char range[96], hint[96];
    option_range(option, range, sizeof range);
    option_example(option, hint, sizeof hint);
    if (option->kind == BR_OPTION_REAL)
        return br_fail(diag, BR_USAGE, hint, "option '--%s': '%.40s' is not a number %s",
                       option->name, value, range);
    return br_fail(diag, BR_USAGE, hint, "option '--%s': '%.40s' is not %s with numbers %s",
                   option->name, value, option->argument, range);
}

static enum br_status store_real(const struct br_option *option, const char *value, double *real,
                                 struct br_diag *diag)
{
    struct br_decimal decimal;
    assert(option->low <= option->high);
    if (br_decimal_parse_nearest(value, &decimal) != BR_DECIMAL_OK ||
        !is_within(option, br_real_of(decimal)))
        return not_a_number(option, value, diag);
    *real = br_real_of(decimal);
    return BR_OK;
}

static enum br_status store_pair(const struct br_option *option, const char *value,
                                 struct br_option_pair *pair, struct br_diag *diag)
{
    struct br_option_pair read = {NAN, NAN};
    const char *at = value;
    assert(option->low <= option->high);
    bool good = br_real_read(&at, ":", &read.first) && is_within(option, read.first);
    if (good && *at == ':') {
        at++;
        good = br_real_read(&at, "", &read.second) && is_within(option, read.second);
    }
    if (!good || *at)
        return not_a_number(option, value, diag);
    *pair = read;
    return BR_OK;
}

/* ---- Lists ---- */

static enum br_status not_an_entry(const struct br_option *option, const char *entry,
                                   struct br_diag *diag)
{
    static const char *const forms[] = {
        [BR_LIST_NAME_NUMBER] = "a name with a number",
        [BR_LIST_NAME_MAYBE_NUMBER] = "a name, or one with a number",
        [BR_LIST_NAME_PAIR] = "a name with one or two numbers",
        [BR_LIST_NUMBER] = "a number",
        [BR_LIST_PAIR] = "two numbers with ':' between them,",
        [BR_LIST_PAIRS] = "two numbers with ':' between them,",
    };
    int length = (int)strcspn(entry, option->list == BR_LIST_PAIRS ? ",/" : ",");
    char range[96], hint[96];
    assert(!length || option->list != BR_LIST_WORD);
    option_range(option, range, sizeof range);
    option_example(option, hint, sizeof hint);
    if (!length)
        return br_fail(diag, BR_USAGE, hint, "option '--%s' has an empty entry", option->name);
    return br_fail(diag, BR_USAGE, hint, "option '--%s': '%.*s' is not %s %s%s", option->name,
                   length < 48 ? length : 47, entry, forms[option->list], range,
                   option->whole ? ", in digits alone" : "");
}

/* The numbers of an entry that ends at `end`. */
static bool entry_is_within(const struct br_option *option, const struct br_list_entry *entry,
                            const char *end)
{
    bool named = entry->name + entry->length < end;
    const char *numbers = entry->name + (named ? entry->length + 1 : 0);
    return (isnan(entry->value) || is_within(option, entry->value)) &&
           (isnan(entry->second) || is_within(option, entry->second)) &&
           (!option->whole || numbers + strspn(numbers, "0123456789:") == end);
}

static enum br_status store_list(const struct br_option *option, const char *value,
                                 const char **list, struct br_diag *diag)
{
    const char *at = value;
    double before = -INFINITY;
    if (!*value)
        return br_fail(diag, BR_USAGE, NULL, "option '--%s' is empty", option->name);
    for (uint64_t count = 1; count == 1 || *at; count++) {
        struct br_list_entry entry;
        char hint[96];
        at += count > 1;
        const char *begin = at;
        option_example(option, hint, sizeof hint);
        if (!br_list_read(option->list, &at, &entry) || !entry_is_within(option, &entry, at))
            return not_an_entry(option, begin, diag);
        if (option->names &&
            br_named_find_part(option->names, entry.name, entry.length) == BR_NO_ROW)
            return not_a_choice(option, option->names, entry.name, entry.length, diag);
        if (option->rising && entry.value <= before)
            return br_fail(diag, BR_USAGE, hint,
                           "option '--%s': '%.9g' is not above '%.9g', the one before it",
                           option->name, entry.value, before);
        if (option->most && count > option->most)
            return br_fail(diag, BR_USAGE, hint, "option '--%s' has more than %llu entries",
                           option->name, (unsigned long long)option->most);
        before = entry.value;
    }
    *list = value;
    return BR_OK;
}

void br_options_clear(const struct br_option *table, void *settings)
{
    for (const struct br_option *option = table; option->name; option++) {
        void *member = (char *)settings + option->offset;
        if (option->kind == BR_OPTION_CHOICE)
            *(uint32_t *)member = BR_NO_ROW;
        else if (option->kind == BR_OPTION_REAL)
            *(double *)member = NAN;
        else if (option->kind == BR_OPTION_PAIR)
            *(struct br_option_pair *)member = (struct br_option_pair){NAN, NAN};
    }
}

void br_pair_format(struct br_option_pair pair, char *text, size_t size)
{
    char first[40], second[40] = "";
    assert(!isnan(pair.first));
    br_decimal_format(br_real_decimal(pair.first), first, sizeof first);
    if (!isnan(pair.second))
        br_decimal_format(br_real_decimal(pair.second), second, sizeof second);
    snprintf(text, size, "%s%s%s", first, *second ? ":" : "", second);
}

void br_option_take(double given, double *value)
{
    if (!isnan(given))
        *value = given;
}

/* ---- Values ---- */

/* Writes one value to its member of the settings. */
static enum br_status text_options_store(const struct br_option *option, bool negated,
                                         const char *value, void *settings, struct br_diag *diag)
{
    assert((option->kind == BR_OPTION_FLAG || option->kind == BR_OPTION_SWITCH) == !value);
    assert(!negated || option->kind == BR_OPTION_SWITCH);
    void *member = (char *)settings + option->offset;
    switch (option->kind) {
    case BR_OPTION_FLAG:
        *(bool *)member = true;
        return BR_OK;
    case BR_OPTION_SWITCH:
        *(int *)member = negated ? -1 : 1;
        return BR_OK;
    case BR_OPTION_PATH:
        if (strcmp(value, "-") == 0)
            return br_fail(diag, BR_USAGE, "write ./- if the name is meant",
                           "option '--%s': '-' is neither read nor written here", option->name);
        /* fall through */
    case BR_OPTION_TEXT:
        if (!*value)
            return br_fail(diag, BR_USAGE, NULL, "option '--%s' is empty", option->name);
        *(const char **)member = value;
        return BR_OK;
    case BR_OPTION_NAME:
    case BR_OPTION_CHOICE: {
        uint32_t row = br_named_find(option->rows, value);
        if (row == BR_NO_ROW)
            return not_a_choice(option, option->rows, value, strlen(value), diag);
        if (option->kind == BR_OPTION_NAME)
            *(const char **)member = br_named_name(option->rows, row);
        else
            *(uint32_t *)member = row;
        return BR_OK;
    }
    case BR_OPTION_COUNT: {
        uint64_t count;
        assert(option->least <= option->most);
        if (!parse_count(value, &count) || count < option->least || count > option->most)
            return br_fail(diag, BR_USAGE, NULL,
                           "option '--%s': '%s' is not a whole number from %llu to %llu",
                           option->name, value, (unsigned long long)option->least,
                           (unsigned long long)option->most);
        *(uint64_t *)member = count;
        return BR_OK;
    }
    case BR_OPTION_SECONDS: {
        int64_t ns;
        if (br_seconds_parse(value, &ns) != BR_DECIMAL_OK || ns < 0)
            return br_fail(diag, BR_USAGE, "give seconds, such as 2 or 0.5",
                           "option '--%s': '%s' is not a time", option->name, value);
        /* Decades are long enough, and may be added to a clock. */
        *(int64_t *)member = ns < INT64_MAX / 8 ? ns : INT64_MAX / 8;
        return BR_OK;
    }
    case BR_OPTION_AMOUNT: {
        struct br_decimal amount;
        if (br_decimal_parse_suffixed(value, &amount) != BR_DECIMAL_OK || amount.mantissa <= 0)
            return br_fail(diag, BR_USAGE, "give a number such as 1000, 2.5e9, 100M or 64MiB",
                           "option '--%s': '%s' is not an amount above 0", option->name, value);
        *(struct br_decimal *)member = amount;
        return BR_OK;
    }
    case BR_OPTION_REAL:
        return store_real(option, value, member, diag);
    case BR_OPTION_PAIR:
        return store_pair(option, value, member, diag);
    case BR_OPTION_LIST:
        return store_list(option, value, member, diag);
    }
    assert(!"a kind of option that has no case");
    return BR_OK;
}

static bool takes_value(const struct br_option *option)
{
    return option->kind != BR_OPTION_FLAG && option->kind != BR_OPTION_SWITCH;
}

/* The arguments, and the reading position. */
struct reader {
    const struct br_option *table;
    uint32_t command;
    char *const *argument;
    int arguments, next;
    void *settings;
};

/* The value that follows as an argument of its own. */
static enum br_status next_value(struct reader *reader, const char *spelled, const char **value,
                                 const struct br_option *option, struct br_diag *diag)
{
    if (reader->next >= reader->arguments) {
        assert(takes_value(option) && option->argument);
        char hint[160];
        snprintf(hint, sizeof hint, "write '%s %s'", spelled, option->argument);
        return br_fail(diag, BR_USAGE, hint, "option '%s' needs a value", spelled);
    }
    *value = reader->argument[reader->next++];
    return BR_OK;
}

static enum br_status read_long(struct reader *reader, const char *text, struct br_diag *diag)
{
    const char *name = text + 2, *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    bool negated;
    const struct br_option *option =
        find_long(reader->table, reader->command, name, length, &negated);
    if (!option)
        return unknown_long(reader->table, reader->command, name, length, diag);
    const char *value = equals ? equals + 1 : NULL;
    if (!takes_value(option)) {
        if (value)
            return br_fail(diag, BR_USAGE, NULL, "option '--%s' takes no value", option->name);
    } else if (!value) {
        enum br_status status = next_value(reader, text, &value, option, diag);
        if (status)
            return status;
    }
    return text_options_store(option, negated, value, reader->settings, diag);
}

static enum br_status text_options_read_short(struct reader *reader, const char *text,
                                              struct br_diag *diag)
{
    for (const char *letter = text + 1; *letter; letter++) {
        const struct br_option *option = find_short(reader->table, reader->command, *letter);
        if (!option && letter > text + 1 && *letter >= '0' && *letter <= '9')
            return br_fail(diag, BR_USAGE, NULL, "option '-%c' takes no value", letter[-1]);
        if (!option)
            return br_fail(diag, BR_USAGE, NULL, "unknown option '-%c'", *letter);
        const char *value = NULL;
        if (takes_value(option)) {
            char spelled[] = {'-', *letter, '\0'};
            enum br_status status = BR_OK;
            if (letter[1])
                value = letter + 1;
            else
                status = next_value(reader, spelled, &value, option, diag);
            if (status)
                return status;
        }
        enum br_status status = text_options_store(option, false, value, reader->settings, diag);
        if (status || value)
            return status;
    }
    return BR_OK;
}

enum br_status br_options_parse(const struct br_option *table, uint32_t command, int arguments,
                                char *const *argument, void *settings, const char **positional,
                                uint32_t room, uint32_t *positionals, struct br_diag *diag)
{
    struct reader reader = {table, command, argument, arguments, 0, settings};
    bool only_positional = false;
    *positionals = 0;
    while (reader.next < arguments) {
        const char *text = argument[reader.next++];
        enum br_status status = BR_OK;
        if (only_positional || text[0] != '-' || !text[1]) {
            if (*positionals == room)
                return br_fail(diag, BR_USAGE, NULL, "unexpected argument '%s'", text);
            positional[(*positionals)++] = text;
        } else if (strcmp(text, "--") == 0) {
            only_positional = true;
        } else if (text[1] == '-') {
            status = read_long(&reader, text, diag);
        } else {
            status = text_options_read_short(&reader, text, diag);
        }
        if (status)
            return status;
    }
    return BR_OK;
}

/* ---- Numbers of policies ---- */

enum br_status br_policy_number(const char *name, const char *wanted, const char *text,
                                double *number, struct br_diag *diag)
{
    struct br_decimal value = {0};
    if (!*text)
        return BR_OK;
    if (!wanted)
        return br_fail(diag, BR_USAGE, NULL, "policy '%s' takes no number", name);
    if (br_decimal_parse_nearest(text + 1, &value) != BR_DECIMAL_OK)
        return br_fail(diag, BR_USAGE, wanted, "'%.40s' is not a number", text + 1);
    *number = br_real_of(value);
    return BR_OK;
}
