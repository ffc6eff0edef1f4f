/* Messages to people. */
#include "cli/terminal/say.h"

#include <bigrocks/bigrocks.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/real.h"
#include "base/text/options.h"
#include "base/text/shell.h"
#include "base/text/text.h"
#include "cli/options/settings.h"

void cli_say(const char *format, ...)
{
    va_list args;
    char *text = NULL;
    va_start(args, format);
    fputs("bigrocks: ", stderr);
    if (vasprintf(&text, format, args) >= 0) {
        cli_print_text(stderr, text);
        free(text);
    }
    fputc('\n', stderr);
    va_end(args);
}

/* A word of a command line, in quotes if a shell would read it otherwise. */
static void say_print_word(const char *text)
{
    char *quoted = NULL;
    size_t size;
    FILE *out = open_memstream(&quoted, &size);
    fputc(' ', stderr);
    if (out && !br_shell_is_plain(text, strlen(text)))
        br_shell_write(out, text);
    else if (out)
        fputs(text, out);
    if (out && fclose(out) == 0)
        cli_print_text(stderr, quoted);
    free(quoted);
}

/* The value of an option as it would be given; false if it equals the default. */
static bool option_value(const struct br_option *option, const void *member, char *text,
                         size_t size)
{
    switch (option->kind) {
    case BR_OPTION_FLAG:
    case BR_OPTION_SWITCH:
        return false;
    case BR_OPTION_PATH:
    case BR_OPTION_TEXT:
    case BR_OPTION_LIST:
    case BR_OPTION_NAME: {
        const char *value = *(const char *const *)member;
        return value && snprintf(text, size, "%s", value) < (int)size;
    }
    case BR_OPTION_CHOICE: {
        const char *value = br_named_name(option->rows, *(const uint32_t *)member);
        return value && snprintf(text, size, "%s", value) < (int)size;
    }
    case BR_OPTION_COUNT: {
        uint64_t count = *(const uint64_t *)member;
        return count >= option->least && snprintf(text, size, "%" PRIu64, count) > 0;
    }
    case BR_OPTION_SECONDS: {
        int64_t ns = *(const int64_t *)member;
        char seconds[BR_SECONDS_TEXT];
        if (ns >= 0)
            br_seconds_format(ns, seconds);
        return ns >= 0 && snprintf(text, size, "%s", seconds) < (int)size;
    }
    case BR_OPTION_AMOUNT: {
        struct br_decimal amount = *(const struct br_decimal *)member;
        return amount.mantissa > 0 && br_decimal_format(amount, text, size) > 0;
    }
    case BR_OPTION_REAL: {
        double real = *(const double *)member;
        return !isnan(real) && br_decimal_format(br_real_decimal(real), text, size) > 0;
    }
    case BR_OPTION_PAIR: {
        struct br_option_pair pair = *(const struct br_option_pair *)member;
        if (!isnan(pair.first))
            br_pair_format(pair, text, size);
        return !isnan(pair.first);
    }
    }
    return false;
}

void cli_say_line(const struct cli_command *command, const struct cli_settings *settings,
                  const char *const *argument, uint32_t arguments)
{
    fprintf(stderr, "bigrocks: version %s: bigrocks %s", br_version(), command->name);
    for (uint32_t k = 0; k < arguments; k++)
        say_print_word(argument[k]);
    for (const struct br_option *option = cli_options(); option->name; option++) {
        const void *member = (const char *)settings + option->offset;
        char value[4096];
        if (!(option->commands & command->bit))
            continue;
        if (option->kind == BR_OPTION_SWITCH && *(const int *)member) {
            fprintf(stderr, " --%s%s", *(const int *)member < 0 ? "no-" : "", option->name);
        } else if (option_value(option, member, value, sizeof value)) {
            fprintf(stderr, " --%s", option->name);
            say_print_word(value);
        }
    }
    fputc('\n', stderr);
}

void cli_say_diag(const struct br_diag *diag)
{
    char text[sizeof *diag + 64];
    br_diag_format(diag, text, sizeof text);
    if (!diag->file[0])
        fputs("bigrocks: ", stderr);
    cli_print_text(stderr, text);
    fputc('\n', stderr);
}

void cli_print_count(FILE *out, uint64_t count, const char *noun, const char *plural)
{
    fprintf(out, "%" PRIu64 " %s", count, count == 1 ? noun : plural);
}

void cli_print_text(FILE *out, const char *text)
{
    char piece[1024];
    while (*text) {
        size_t size = strnlen(text, sizeof piece - 1);
        /* A character of several bytes is not cut. */
        for (int k = 0; k < 3 && text[size] && ((unsigned char)text[size] & 0xc0) == 0x80; k++)
            size--;
        memcpy(piece, text, size);
        piece[size] = '\0';
        br_text_screen(piece);
        fputs(piece, out);
        text += size;
    }
}

const char *cli_seconds(int64_t ns, char text[CLI_SECONDS_TEXT])
{
    const int64_t milli = 1000000;
    if (ns > milli && ns < INT64_MAX - milli) {
        int64_t over = ns % milli;
        ns += over >= milli / 2 ? milli - over : -over;
    }
    br_seconds_format(ns, text);
    return text;
}

double cli_amount(struct br_decimal amount)
{
    return (double)amount.mantissa * pow(10, amount.exponent);
}
