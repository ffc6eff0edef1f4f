/* Help texts, made from the tables of sub-commands and options. */
#include <bigrocks/bigrocks.h>
#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/help.h"
#include "base/text/options.h"
#include "cli/options/options.h"
#include "cli/options/settings.h"
#include "cli/terminal/terminal.h"

/* The width for which texts are written, or less on a narrower terminal. If columns would leave
 * little room beside the names, the texts go below them. */
enum { WIDTH = 96, LEAST_WIDTH = 30, INDENT = 28, NARROW = 60, NARROW_INDENT = 8 };

static size_t width(void)
{
    uint32_t columns = cli_terminal_columns(STDOUT_FILENO);
    return !columns || columns > WIDTH ? WIDTH : columns < LEAST_WIDTH ? LEAST_WIDTH : columns;
}

/* Prints so many bytes of words from the current column on, and breaks lines before the width. */
static void help_print_words(FILE *out, const char *text, size_t size, size_t column, int indent)
{
    const char *end = text + size;
    while (text < end) {
        size_t length = strcspn(text, " \n");
        if (text + length > end)
            length = (size_t)(end - text);
        if (column > (size_t)indent && column + 1 + length > width()) {
            fprintf(out, "\n%*s", indent, "");
            column = (size_t)indent;
        } else if (column > (size_t)indent) {
            fputc(' ', out);
            column++;
        }
        fwrite(text, 1, length, out);
        column += length;
        text += length + (text + length < end);
    }
    fputc('\n', out);
}

/* Prints a text that has its own line breaks: unchanged, or with paragraphs that fit. */
static void help_print_text(FILE *out, const char *text)
{
    while (*text) {
        size_t line = strcspn(text, "\n");
        bool words = line && *text != ' ' && width() < WIDTH;
        while (words && text[line] && text[line + 1] != '\n' && text[line + 1] != ' ' &&
               text[line + 1])
            line += 1 + strcspn(text + line + 1, "\n");
        if (words)
            help_print_words(out, text, line, 0, 0);
        else
            fprintf(out, "%.*s\n", (int)line, text);
        text += line + (text[line] == '\n');
    }
}

static void help_print_row(FILE *out, const char *left, const char *text)
{
    int indent = width() < NARROW ? NARROW_INDENT : INDENT;
    int used = fprintf(out, "  %s", left);
    if (used > indent - 2)
        used = fprintf(out, "\n") - 1;
    fprintf(out, "%*s", indent - used, "");
    help_print_words(out, text, strlen(text), (size_t)indent, indent);
}

static void help_print_option(FILE *out, const struct br_option *option)
{
    char left[96], letter[8] = "    ";
    if (option->letter)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    snprintf(left, sizeof left, "%s--%s%s%s%s", letter,
             option->kind == BR_OPTION_SWITCH ? "[no-]" : "", option->name,
             option->argument ? " " : "", option->argument ? option->argument : "");
    help_print_row(out, left, option->help);
}

static void help_print_choices(FILE *out, const struct br_option *option)
{
    const struct br_named *row;
    const struct cli_settings defaults = cli_settings_default();
    const void *member = (const char *)&defaults + option->offset;
    const char *chosen = option->kind == BR_OPTION_LIST ? NULL
                         : option->kind == BR_OPTION_NAME
                             ? *(const char *const *)member
                             : br_named_name(option->rows, *(const uint32_t *)member);
    fprintf(out, "\n--%s %s", option->name, option->argument);
    if (chosen)
        fprintf(out, " (default: %s)", chosen);
    fputs(":\n", out);
    for (uint32_t k = 0; (row = br_named_at(option->rows, k)); k++)
        help_print_row(out, row->name, row->summary ? row->summary : "");
}

static void print_indented(FILE *out, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        fprintf(out, "  %.*s\n", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

/* The installed path of examples/: BR_DOCUMENTS is relative to the folder above the program's, or
 * absolute. False if the program runs from a build of the source. */
static bool find_examples(char folder[PATH_MAX])
{
    char program[PATH_MAX - sizeof "/../" BR_DOCUMENTS], path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    while (length > 0 && program[length - 1] != '/')
        length--;
    if (length <= 0)
        return false;
    program[length] = '\0';
    bool absolute = *BR_DOCUMENTS == '/';
    snprintf(path, sizeof path, "%s%s" BR_DOCUMENTS, absolute ? "" : program,
             absolute ? "" : "../");
    return realpath(path, folder) && access(folder, X_OK) == 0 && strlen(folder) + 10 < PATH_MAX &&
           access(strcat(folder, "/examples"), X_OK) == 0;
}

static void help_print_overview(FILE *out)
{
    char examples[PATH_MAX];
    help_print_text(
        out, "bigrocks plans a job (a DAG of tasks) on a cluster, the troublesome tasks first.\n\n"
             "usage: bigrocks COMMAND [options] ...\n\nCommands:\n");
    for (uint32_t k = 0; cli_commands[k]; k++) {
        char left[128];
        int length =
            snprintf(left, sizeof left, "%s %s", cli_commands[k]->name, cli_commands[k]->arguments);
        assert(length > 0 && (size_t)length < sizeof left); /* nothing is cut */
        (void)length;
        help_print_row(out, left, cli_commands[k]->summary);
    }
    help_print_text(
        out,
        "\n'bigrocks help COMMAND' (or 'bigrocks COMMAND --help') shows its options. JOB and "
        "PLAN are\nfiles, or - for standard input. Results go to standard output, messages to "
        "standard error.\n\n"
        "Exit status: 0 done; 1 the answer is no (a check failed); 2 wrong usage; 3 bad input;\n"
        "5 system failure or missing dependency.\n\nFor a start:\n"
        "  bigrocks plan examples/motivating.xml --machines 1 --capacity cpu=1,mem=1\n");
    if (find_examples(examples))
        fprintf(out, "\nThe examples are in %s.\n", examples);
}

void cli_help_print(const struct cli_command *command, FILE *out)
{
    if (!command) {
        help_print_overview(out);
        return;
    }
    fprintf(out, "usage: bigrocks %s [options]%s%s\n\n", command->name,
            *command->arguments ? " " : "", command->arguments);
    help_print_text(out, command->text);
    fputs("\nOptions:\n", out);
    for (const struct br_option *option = cli_options(); option->name; option++)
        if (option->commands & command->bit)
            help_print_option(out, option);
    for (const struct br_option *option = cli_options(); option->name; option++)
        if ((option->commands & command->bit) && option->rows)
            help_print_choices(out, option);
    char examples[PATH_MAX];
    bool installed = strstr(command->examples, "examples/") && find_examples(examples);
    fprintf(out, "\nExamples%s%s%s:\n", installed ? " (their files are in " : "",
            installed ? examples : "", installed ? ")" : "");
    print_indented(out, command->examples);
}

void cli_print_version(FILE *out)
{
    fprintf(out, "bigrocks %s\nbuilt with %s\n", br_version(), BR_BUILT_WITH);
}

static int help_perform(const struct cli_settings *settings, const char *const *argument,
                        uint32_t arguments, struct br_diag *diag)
{
    const struct cli_command *command = NULL;
    if (arguments && !(command = cli_command_find(argument[0], diag)))
        return BR_USAGE;
    if (settings->about.scdoc)
        cli_manual_print(command, stdout);
    else
        cli_help_print(command, stdout);
    return BR_OK;
}

static const struct br_option help_rows[] = {
    OPTION(FLAG, "scdoc", NULL, about.scdoc, "write it as the source of a manual page, for scdoc"),
    OPTIONS_END};

const struct cli_command cli_help = {
    .name = "help",
    .bit = CLI_HELP,
    .options = help_rows,
    .least = 0,
    .most = 1,
    .perform = help_perform,
    .arguments = "[COMMAND]",
    .summary = "show this overview, or the help of a sub-command",
    .text = "Shows the overview, or the help of a sub-command.\n",
    .examples = "bigrocks help plan\n",
};
