/* Loading the job and the cluster that the options name, and talking to the person. */
#include "cli/common.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/parallel.h"
#include "base/shell.h"
#include "base/text.h"

enum br_status cli_load_cluster(const struct cli_settings *settings, struct br_cluster **cluster,
                                struct br_diag *diag)
{
    *cluster = NULL;
    if (settings->cluster) {
        if (settings->machines || settings->capacity)
            return br_fail(diag, BR_USAGE, "leave out one of them",
                           "--cluster and --machines or --capacity exclude each other");
        return br_parse_cluster(settings->cluster, cluster, diag);
    }
    if (settings->machines && !settings->capacity)
        return br_fail(diag, BR_USAGE, "add --capacity, such as --capacity cpu=16,mem=64GiB",
                       "--machines says nothing of what a machine offers");
    if (!settings->capacity)
        return BR_OK;
    uint32_t machines = settings->machines ? (uint32_t)settings->machines : 1;
    enum br_status status = br_parse_capacity(machines, settings->capacity, cluster, diag);
    /* What stands on the command line is a matter of usage, not of a file. */
    return status == BR_BAD_INPUT ? BR_USAGE : status;
}

void cli_this_machine(char text[CLI_MACHINE_TEXT])
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    int64_t bytes = pages > 0 && size > 0 ? (int64_t)pages * size : 0;
    snprintf(text, CLI_MACHINE_TEXT, "cpu=%" PRIu32 ",mem=%" PRId64, br_processors(), bytes);
}

struct br_parse_options cli_parse_options(const struct cli_settings *settings)
{
    struct br_parse_options options = br_parse_options_default();
    options.from = settings->from;
    options.transfer_rate = settings->transfer_rate;
    options.transfer_mode =
        strcmp(settings->transfer_mode, "demand") == 0 ? BR_TRANSFER_DEMAND : BR_TRANSFER_DELAY;
    options.speed = settings->speed;
    options.default_duration_ns = settings->default_duration_ns;
    return options;
}

struct br_plan_options cli_plan_options(const struct cli_settings *settings)
{
    struct br_plan_options options = br_plan_options_default();
    options.method = settings->method;
    options.effort = strcmp(settings->effort, "fast") == 0  ? BR_EFFORT_FAST
                     : strcmp(settings->effort, "max") == 0 ? BR_EFFORT_MAX
                                                            : BR_EFFORT_DEFAULT;
    options.seed = settings->seed;
    options.threads = (uint32_t)settings->threads;
    options.time_limit_ns = settings->time_limit_ns < 0 ? 0 : settings->time_limit_ns;
    /* To the library 0 is no limit; on the command line it is as little as can be. */
    if (settings->time_limit_ns == 0)
        options.time_limit_ns = 1;
    options.placements = settings->placements;
    options.frag_score = strcmp(settings->frag_score, "paper") == 0 ? BR_FRAG_PAPER : BR_FRAG_BOUND;
    return options;
}

enum br_status cli_fail_no_cluster(struct br_diag *diag)
{
    return br_fail(diag, BR_USAGE,
                   "add --machines 4 --capacity cpu=16,mem=64GiB, or --cluster FILE",
                   "the job's file carries no cluster, and the options give none");
}

enum br_status cli_load(const struct cli_settings *settings, const char *path, bool need_cluster,
                        struct br_input *input, struct br_diag *diag)
{
    struct br_parse_options options = cli_parse_options(settings);
    struct br_cluster *cluster;
    *input = (struct br_input){0};
    if (settings->cluster && strcmp(settings->cluster, "-") == 0 && strcmp(path, "-") == 0)
        return br_fail(diag, BR_USAGE, "give one of them as a file",
                       "the job and the cluster cannot both come from standard input");
    enum br_status status = cli_load_cluster(settings, &cluster, diag);
    if (status)
        return status;
    status = br_parse_job(path, &options, input, diag);
    if (status) {
        br_cluster_destroy(cluster);
        return status;
    }
    if (cluster) {
        br_cluster_destroy(input->cluster);
        input->cluster = cluster;
    }
    /* Later faults are not in this file, or say so themselves. */
    *diag = (struct br_diag){0};
    if (need_cluster && !input->cluster) {
        br_input_finish(input);
        *input = (struct br_input){0};
        return cli_fail_no_cluster(diag);
    }
    return BR_OK;
}

const char *cli_doubt(const struct br_dag *dag)
{
    for (uint32_t t = 0; t < dag->tasks; t++)
        if (dag->duration_ns[t] > 0)
            return NULL;
    return "no task has a duration, so any plan takes 0 s and tells nothing; give "
           "--default-duration 1, or durations";
}

void cli_warn(const char *path, const struct br_dag *dag)
{
    const char *doubt = cli_doubt(dag);
    if (doubt)
        cli_say("warning: %s: %s", strcmp(path, "-") == 0 ? "<stdin>" : path, doubt);
}

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

/* A word of a command line, in quotes where a shell would read it otherwise. */
static void print_word(const char *text)
{
    fputc(' ', stderr);
    if (br_shell_is_plain(text, strlen(text)))
        fputs(text, stderr);
    else
        br_shell_write(stderr, text);
}

/* The value of an option as it would be given; false where it is as if it had not been. */
static bool option_value(const struct br_option *option, const void *member, char *text,
                         size_t size)
{
    switch (option->kind) {
    case BR_OPTION_FLAG:
    case BR_OPTION_SWITCH:
        return false;
    case BR_OPTION_TEXT:
    case BR_OPTION_CHOICE: {
        const char *value = *(const char *const *)member;
        return value && snprintf(text, size, "%s", value) < (int)size;
    }
    case BR_OPTION_COUNT: {
        uint64_t count = *(const uint64_t *)member;
        return count >= option->least && snprintf(text, size, "%" PRIu64, count) > 0;
    }
    case BR_OPTION_SECONDS: {
        int64_t ns = *(const int64_t *)member;
        return ns >= 0 && br_seconds_format(ns, text, size) > 0;
    }
    case BR_OPTION_AMOUNT: {
        struct br_decimal amount = *(const struct br_decimal *)member;
        return amount.mantissa > 0 && br_decimal_format(amount, text, size) > 0;
    }
    }
    return false;
}

void cli_say_line(const char *command, uint32_t bit, const struct cli_settings *settings,
                  const char *const *argument, uint32_t arguments)
{
    fprintf(stderr, "bigrocks: version %s: bigrocks %s", br_version(), command);
    for (uint32_t k = 0; k < arguments; k++)
        print_word(argument[k]);
    for (const struct br_option *option = cli_options; option->name; option++) {
        const void *member = (const char *)settings + option->offset;
        char value[4096];
        if (!(option->commands & bit))
            continue;
        if (option->kind == BR_OPTION_SWITCH && *(const int *)member) {
            fprintf(stderr, " --%s%s", *(const int *)member < 0 ? "no-" : "", option->name);
        } else if (option_value(option, member, value, sizeof value)) {
            fprintf(stderr, " --%s", option->name);
            print_word(value);
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
        br_text_screen(piece, true);
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
    br_seconds_format(ns, text, CLI_SECONDS_TEXT);
    return text;
}

double cli_amount(struct br_decimal amount)
{
    return (double)amount.mantissa * pow(10, amount.exponent);
}
