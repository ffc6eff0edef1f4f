/* Help texts, made from the tables of sub-commands and options. */
#include <bigrocks/bigrocks.h>
#include <string.h>

#include "base/text/options.h"
#include "cli/common/settings.h"
#include "cli/help.h"

enum { WIDTH = 96, INDENT = 28 };

/* Prints the words of a text from the current column on, and breaks lines before WIDTH. */
static void print_wrapped(FILE *out, const char *text, size_t column, int indent)
{
    while (*text) {
        size_t length = strcspn(text, " ");
        if (column + 1 + length > WIDTH) {
            fprintf(out, "\n%*s", indent, "");
            column = (size_t)indent;
        } else if (column > (size_t)indent) {
            fputc(' ', out);
            column++;
        }
        fwrite(text, 1, length, out);
        column += length;
        text += length + (text[length] == ' ');
    }
    fputc('\n', out);
}

static void print_row(FILE *out, const char *left, const char *text)
{
    int used = fprintf(out, "  %s", left);
    if (used > INDENT - 2)
        used = fprintf(out, "\n") - 1;
    fprintf(out, "%*s", INDENT - used, "");
    print_wrapped(out, text, INDENT, INDENT);
}

static void print_option(FILE *out, const struct br_option *option)
{
    char left[96], letter[8] = "    ";
    if (option->letter)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    snprintf(left, sizeof left, "%s--%s%s%s%s", letter,
             option->kind == BR_OPTION_SWITCH ? "[no-]" : "", option->name,
             option->argument ? " " : "", option->argument ? option->argument : "");
    print_row(out, left, option->help);
}

static void print_choices(FILE *out, const struct br_option *option)
{
    const char *name;
    const struct cli_settings defaults = cli_settings_default();
    const char *chosen = *(const char *const *)((const char *)&defaults + option->offset);
    fprintf(out, "\n--%s %s", option->name, option->argument);
    if (chosen)
        fprintf(out, " (default: %s)", chosen);
    fputs(":\n", out);
    for (uint32_t k = 0; (name = option->choice(k)); k++) {
        const char *summary = option->summary ? option->summary(k) : NULL;
        print_row(out, name, summary ? summary : "");
    }
}

static void print_indented(FILE *out, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        fprintf(out, "  %.*s\n", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

static void print_overview(FILE *out)
{
    fputs("bigrocks plans a job (a DAG of tasks) on a cluster, the troublesome tasks first.\n\n"
          "usage: bigrocks COMMAND [options] ...\n\nCommands:\n",
          out);
    for (uint32_t k = 0; k < CLI_COMMAND_COUNT; k++) {
        char left[64];
        snprintf(left, sizeof left, "%s %s", cli_commands[k]->name, cli_commands[k]->arguments);
        print_row(out, left, cli_commands[k]->summary);
    }
    fputs("\n'bigrocks help COMMAND' (or 'bigrocks COMMAND --help') shows its options. JOB and "
          "PLAN are\nfiles, or - for standard input. Results go to standard output, messages to "
          "standard error.\n\n"
          "Exit status: 0 done; 1 the answer is no (a check failed); 2 wrong usage; 3 bad input;\n"
          "5 system failure or missing dependency.\n\nFor a start:\n"
          "  bigrocks plan examples/motivating.xml --machines 1 --capacity cpu=1,mem=1\n",
          out);
}

void cli_help_print(const struct cli_command *command, FILE *out)
{
    if (!command) {
        print_overview(out);
        return;
    }
    fprintf(out, "usage: bigrocks %s [options]%s%s\n\n", command->name,
            *command->arguments ? " " : "", command->arguments);
    fprintf(out, "%s\nOptions:\n", command->text);
    for (const struct br_option *option = cli_options; option->name; option++)
        if (option->commands & command->bit)
            print_option(out, option);
    for (const struct br_option *option = cli_options; option->name; option++)
        if ((option->commands & command->bit) && option->kind == BR_OPTION_CHOICE)
            print_choices(out, option);
    fputs("\nExamples:\n", out);
    print_indented(out, command->examples);
}

void cli_print_version(FILE *out)
{
    fprintf(out, "bigrocks %s\nbuilt with %s\n", br_version(), BR_BUILT_WITH);
}

static int perform(const struct cli_settings *settings, const char *const *argument,
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

const struct cli_command cli_help = {
    .name = "help",
    .bit = CLI_HELP,
    .least = 0,
    .most = 1,
    .perform = perform,
    .arguments = "[COMMAND]",
    .summary = "show this overview, or the help of a sub-command",
    .text = "Shows the overview, or the help of a sub-command.\n",
    .examples = "bigrocks help plan\n",
};
