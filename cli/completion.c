/* bigrocks completion: completions for shells, made from the tables of sub-commands and options. */
#include <stdio.h>
#include <string.h>

#include "base/text/options.h"
#include "cli/options/commands.h"
#include "cli/options/settings.h"

static bool takes_file(const struct br_option *option)
{
    return (option->kind == BR_OPTION_TEXT || option->kind == BR_OPTION_PATH) && option->argument &&
           (strcmp(option->argument, "FILE") == 0 || strcmp(option->argument, "DIR") == 0);
}

/* Calls `print` for every way to write the option: --name, --no-name, -x. */
static void each_form(FILE *out, const struct br_option *option,
                      void (*print)(FILE *out, const char *form))
{
    char form[80];
    snprintf(form, sizeof form, "--%s", option->name);
    print(out, form);
    if (option->kind == BR_OPTION_SWITCH) {
        snprintf(form, sizeof form, "--no-%s", option->name);
        print(out, form);
    }
    if (option->letter) {
        snprintf(form, sizeof form, "-%c", option->letter);
        print(out, form);
    }
}

static void completion_print_word(FILE *out, const char *word)
{
    fprintf(out, " %s", word);
}

static void completion_print_choices(FILE *out, const struct br_option *option)
{
    const char *name;
    for (uint32_t k = 0; (name = br_named_name(option->rows, k)); k++)
        fprintf(out, "%s%s", k ? " " : "", name);
}

/* Words common to all shells: the sub-commands. */
static void print_commands(FILE *out)
{
    for (uint32_t k = 0; cli_commands[k]; k++)
        fprintf(out, "%s%s", k ? " " : "", cli_commands[k]->name);
}

/* The possible words of the first argument; NULL: any. Those of help are the sub-commands. */
static const char *first_words(const struct cli_command *command)
{
    static char names[512];
    if (strcmp(command->name, "help") != 0)
        return command->words;
    size_t used = 0;
    for (uint32_t k = 0; cli_commands[k] && used < sizeof names; k++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", k ? " " : "",
                                 cli_commands[k]->name);
    return names;
}

static void print_bash(FILE *out)
{
    fputs("# bash completion of bigrocks, made by 'bigrocks completion bash'.\n"
          "_bigrocks() {\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=\n"
          "    # --name=value comes as three words.\n"
          "    if [ \"$cur\" = = ]; then\n"
          "        cur=\n"
          "    elif [ \"$prev\" = = ]; then\n"
          "        prev=${COMP_WORDS[COMP_CWORD-2]}\n"
          "    fi\n"
          "    if [ \"$COMP_CWORD\" = 1 ]; then\n"
          "        words='",
          out);
    print_commands(out);
    fputs(" --help --version'\n    else\n        case \"${COMP_WORDS[1]} $prev\" in\n", out);
    for (uint32_t c = 0; cli_commands[c]; c++)
        for (const struct br_option *option = cli_options(); option->name; option++) {
            if (!(option->commands & cli_commands[c]->bit) || !option->argument)
                continue;
            fprintf(out, "        '%s --%s'", cli_commands[c]->name, option->name);
            if (option->letter)
                fprintf(out, " | '%s -%c'", cli_commands[c]->name, option->letter);
            fputs(") ", out);
            if (option->rows) {
                fputs("words='", out);
                completion_print_choices(out, option);
                fputs("' ;;\n", out);
            } else if (takes_file(option)) {
                fputs("COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n", out);
            } else {
                fputs("return ;;\n", out);
            }
        }
    fputs("        *)\n            case \"$cur\" in\n            -*)\n"
          "                case \"${COMP_WORDS[1]}\" in\n",
          out);
    for (uint32_t c = 0; cli_commands[c]; c++) {
        fprintf(out, "                %s) words='", cli_commands[c]->name);
        for (const struct br_option *option = cli_options(); option->name; option++)
            if (option->commands & cli_commands[c]->bit)
                each_form(out, option, completion_print_word);
        fputs("' ;;\n", out);
    }
    fputs("                esac ;;\n            *)\n"
          "                case \"${COMP_WORDS[1]}\" in\n",
          out);
    for (uint32_t c = 0; cli_commands[c]; c++)
        if (first_words(cli_commands[c]))
            fprintf(out, "                %s) words='%s' ;;\n", cli_commands[c]->name,
                    first_words(cli_commands[c]));
    fputs("                esac\n"
          "                # Files where the first argument is anything, or has been given.\n"
          "                local word given=\n"
          "                for word in \"${COMP_WORDS[@]:2:COMP_CWORD-2}\"; do\n"
          "                    case \" $words \" in *\" $word \"*) given=yes ;; esac\n"
          "                done\n"
          "                if [ -z \"$words\" ] || [ -n \"$given\" ]; then\n"
          "                    COMPREPLY=($(compgen -f -- \"$cur\")); return\n"
          "                fi ;;\n"
          "            esac ;;\n        esac\n    fi\n"
          "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n}\n"
          "complete -o filenames -F _bigrocks bigrocks\n",
          out);
}

/* In single quotes of zsh or fish; `special` also gets a backslash. */
static void print_escaped(FILE *out, const char *text, const char *special, const char *quote)
{
    for (; *text; text++)
        if (*text == '\'')
            fputs(quote, out);
        else if (strchr(special, *text))
            fprintf(out, "\\%c", *text);
        else
            fputc(*text, out);
}

static const struct br_option *current; /* that print_zsh_form describes */

static void print_zsh_form(FILE *out, const char *form)
{
    const struct br_option *option = current;
    fprintf(out, " \\\n            '%s%s[", form,
            !option->argument ? ""
            : form[1] == '-'  ? "="
                              : "+");
    print_escaped(out, option->help, "[]\\:", "'\\''");
    fputc(']', out);
    if (option->argument) {
        fprintf(out, ":%s:", option->argument);
        if (option->rows) {
            fputc('(', out);
            completion_print_choices(out, option);
            fputc(')', out);
        } else if (takes_file(option)) {
            fputs("_files", out);
        }
    }
    fputc('\'', out);
}

static void print_zsh(FILE *out)
{
    fputs("#compdef bigrocks\n# zsh completion of bigrocks, made by 'bigrocks completion zsh'.\n"
          "_bigrocks() {\n    local -a commands\n    commands=(",
          out);
    for (uint32_t c = 0; cli_commands[c]; c++) {
        fprintf(out, "\n        '%s:", cli_commands[c]->name);
        print_escaped(out, cli_commands[c]->summary, ":\\", "'\\''");
        fputc('\'', out);
    }
    fputs("\n    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n"
          "        return\n    fi\n    local command=$words[2]\n    shift words\n"
          "    (( CURRENT-- ))\n    case $command in\n",
          out);
    for (uint32_t c = 0; cli_commands[c]; c++) {
        fprintf(out, "    %s)\n        _arguments -s", cli_commands[c]->name);
        for (current = cli_options(); current->name; current++)
            if (current->commands & cli_commands[c]->bit)
                each_form(out, current, print_zsh_form);
        if (first_words(cli_commands[c]))
            fprintf(out, " \\\n            '1:word:(%s)'", first_words(cli_commands[c]));
        if (cli_commands[c]->most > 1 || (cli_commands[c]->most && !first_words(cli_commands[c])))
            fputs(" \\\n            '*:file:_files'", out);
        fputs(" ;;\n", out);
    }
    fputs("    esac\n}\n_bigrocks \"$@\"\n", out);
}

static void print_fish(FILE *out)
{
    fputs("# fish completion of bigrocks, made by 'bigrocks completion fish'.\n"
          "set -l commands ",
          out);
    print_commands(out);
    fputs("\n", out);
    for (uint32_t c = 0; cli_commands[c]; c++) {
        fprintf(
            out,
            "complete -c bigrocks -f -n \"not __fish_seen_subcommand_from $commands\" -a %s -d '",
            cli_commands[c]->name);
        print_escaped(out, cli_commands[c]->summary, "\\", "\\'");
        fputs("'\n", out);
    }
    for (uint32_t c = 0; cli_commands[c]; c++)
        for (const struct br_option *option = cli_options(); option->name; option++) {
            if (!(option->commands & cli_commands[c]->bit))
                continue;
            for (int no = 0; no <= (option->kind == BR_OPTION_SWITCH); no++) {
                fprintf(out, "complete -c bigrocks -n '__fish_seen_subcommand_from %s' -l %s%s",
                        cli_commands[c]->name, no ? "no-" : "", option->name);
                if (option->letter)
                    fprintf(out, " -s %c", option->letter);
                if (option->argument)
                    fputs(takes_file(option) ? " -r" : " -x", out);
                if (option->rows) {
                    fputs(" -a '", out);
                    completion_print_choices(out, option);
                    fputs("'", out);
                }
                fputs(" -d '", out);
                print_escaped(out, option->help, "\\", "\\'");
                fputs("'\n", out);
            }
        }
    for (uint32_t c = 0; cli_commands[c]; c++) {
        const char *words = first_words(cli_commands[c]);
        if (!words)
            continue;
        fprintf(out,
                "complete -c bigrocks -f -n 'string match -q %s -- (commandline -opc)[2]; "
                "and not string match -qr \"^(",
                cli_commands[c]->name);
        for (const char *p = words; *p; p++)
            fputc(*p == ' ' ? '|' : *p, out);
        fprintf(out, ")\\$\" -- (commandline -opc)[3..]' -a '%s'\n", words);
    }
}

static const struct {
    struct br_named named;
    void (*print)(FILE *out);
} shells[] = {
    {{"bash", NULL}, print_bash}, {{"zsh", NULL}, print_zsh}, {{"fish", NULL}, print_fish}};
static const struct br_names shell_rows = {BR_NAMES(shells)};

static int completion_perform(const struct cli_settings *settings, const char *const *argument,
                              uint32_t arguments, struct br_diag *diag)
{
    uint32_t k = br_named_find(&shell_rows, argument[0]);
    (void)settings, (void)arguments;
    if (k == BR_NO_ROW)
        return br_fail_unnamed(diag, &shell_rows, argument[0], SIZE_MAX,
                               "there is no completion for '%.80s'", argument[0]);
    shells[k].print(stdout);
    return BR_OK;
}

const struct cli_command cli_completion = {
    .name = "completion",
    .bit = CLI_COMPLETION,
    .least = 1,
    .most = 1,
    .perform = completion_perform,
    .words = "bash zsh fish",
    .arguments = "SHELL",
    .summary = "print the completion of a shell: bash, zsh or fish",
    .text =
        "Prints a script that lets the shell complete sub-commands, options and their values.\n",
    .examples = "bigrocks completion bash > bigrocks.bash\n",
};
