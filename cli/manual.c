/* Manual pages in the form of scdoc, made from the tables of sub-commands and options. */
#include <ctype.h>
#include <string.h>

#include "base/text/options.h"
#include "cli/help.h"
#include "cli/options/settings.h"

/* Prints text of a paragraph, with scdoc's markup escaped. */
static void manual_print_text(FILE *out, const char *text)
{
    for (const char *p = text; *p; p++) {
        if (strchr("_*\\`#|<>+", *p) || ((p == text || p[-1] == '\n') && strchr("-.[]", *p)))
            fputc('\\', out);
        fputc(*p, out);
    }
}

static void print_heading(FILE *out, const char *name, const char *summary)
{
    fprintf(out, "%s(1)\n\n# NAME\n\n", name);
    fprintf(out, "%s - ", name);
    manual_print_text(out, summary);
    fputs("\n\n# SYNOPSIS\n\n", out);
}

/* Lines as they are. */
static void print_block(FILE *out, const char *text)
{
    fputs("```\n", out);
    fputs(text, out);
    fputs("```\n\n", out);
}

static void manual_print_option(FILE *out, const struct br_option *option)
{
    if (option->letter)
        fprintf(out, "*-%c*, ", option->letter);
    fprintf(out, "*--%s%s*", option->kind == BR_OPTION_SWITCH ? "[no-]" : "", option->name);
    if (option->argument)
        fprintf(out, " _%s_", option->argument);
    fputs("\n\t", out);
    manual_print_text(out, option->help);
    fputc('\n', out);
    const struct br_named *row;
    if (option->rows)
        for (uint32_t k = 0; (row = br_named_at(option->rows, k)); k++) {
            fprintf(out, "\t- *%s*%s", row->name, row->summary ? ": " : "");
            manual_print_text(out, row->summary ? row->summary : "");
            fputc('\n', out);
        }
    fputc('\n', out);
}

static void print_see_also(FILE *out, const char *but)
{
    fputs("# SEE ALSO\n\n", out);
    if (but)
        fputs("*bigrocks*(1), ", out);
    for (uint32_t k = 0; cli_commands[k]; k++)
        if (!but || strcmp(cli_commands[k]->name, but) != 0)
            fprintf(out, "*bigrocks-%s*(1), ", cli_commands[k]->name);
    fputs("*bigrocks-formats*(5), *libbigrocks*(3)\n", out);
}

static void manual_print_overview(FILE *out)
{
    print_heading(out, "bigrocks", "plan a job of many tasks on a cluster, the big rocks first");
    fputs("*bigrocks* _COMMAND_ [options] ...\n\n# DESCRIPTION\n\n"
          "bigrocks reads a job (a DAG of tasks with durations and demands for several resources) "
          "and a cluster, plans the job offline so that the troublesome tasks are placed first and "
          "all others fill the holes around them, proves how far the plan can be from the optimum, "
          "and writes the plan for whatever runs the job.\n\n# COMMANDS\n\n",
          out);
    for (uint32_t k = 0; cli_commands[k]; k++) {
        fprintf(out, "*%s*\n\t", cli_commands[k]->name);
        manual_print_text(out, cli_commands[k]->summary);
        fputs("\n\n", out);
    }
    fputs(
        "# EXIT STATUS\n\n*0*\n\tdone\n\n*1*\n\tthe answer is no: infeasible, check "
        "failed\n\n*2*\n\tthe command line makes "
        "no sense\n\n*3*\n\ta file or a value in it is wrong\n\n*5*\n\tmemory, files, processes, a "
        "missing dependency\n\n# ENVIRONMENT\n\n*BIGROCKS\\_BOUND*\n\tthe program for lower "
        "bounds, if it is not beside bigrocks\n\n*NO\\_COLOR*\n\tno colours\n\n",
        out);
    print_see_also(out, NULL);
}

void cli_manual_print(const struct cli_command *command, FILE *out)
{
    char name[40];
    if (!command) {
        manual_print_overview(out);
        return;
    }
    snprintf(name, sizeof name, "bigrocks-%s", command->name);
    print_heading(out, name, command->summary);
    fprintf(out, "*bigrocks %s* [options] ", command->name);
    manual_print_text(out, command->arguments);
    fputs("\n\n# DESCRIPTION\n\n", out);
    manual_print_text(out, command->text);
    fputs("\n# OPTIONS\n\n", out);
    for (const struct br_option *option = cli_options(); option->name; option++)
        if (option->commands & command->bit)
            manual_print_option(out, option);
    fputs("# EXAMPLES\n\n", out);
    print_block(out, command->examples);
    print_see_also(out, command->name);
}
