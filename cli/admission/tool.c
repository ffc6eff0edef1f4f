/* Names of programs come as "gcc", "x86_64-linux-gnu-gcc-12", "clang++-16" and "/usr/bin/ld.bfd".
 * Sources: the manuals of GCC, Clang, GNU ld, LLD and GNU Binutils, of rustc, cargo, npm, npx,
 * ccache and env. */
#include "cli/admission/tool.h"

#include <stdlib.h>
#include <string.h>

struct name {
    const char *text;
    enum cli_tool tool;
};

static const struct name names[] = {{"cc", CLI_TOOL_COMPILER},
                                    {"c++", CLI_TOOL_COMPILER},
                                    {"gcc", CLI_TOOL_COMPILER},
                                    {"g++", CLI_TOOL_COMPILER},
                                    {"clang", CLI_TOOL_COMPILER},
                                    {"clang++", CLI_TOOL_COMPILER},
                                    {"cpp", CLI_TOOL_COMPILER},
                                    {"gfortran", CLI_TOOL_COMPILER},
                                    {"icx", CLI_TOOL_COMPILER},
                                    {"icpx", CLI_TOOL_COMPILER},
                                    {"nvcc", CLI_TOOL_COMPILER},
                                    {"ld", CLI_TOOL_LINKER},
                                    {"ld.bfd", CLI_TOOL_LINKER},
                                    {"ld.gold", CLI_TOOL_LINKER},
                                    {"ld.lld", CLI_TOOL_LINKER},
                                    {"ld.mold", CLI_TOOL_LINKER},
                                    {"lld", CLI_TOOL_LINKER},
                                    {"mold", CLI_TOOL_LINKER},
                                    {"ar", CLI_TOOL_ARCHIVER},
                                    {"as", CLI_TOOL_BINARY},
                                    {"nm", CLI_TOOL_BINARY},
                                    {"objcopy", CLI_TOOL_BINARY},
                                    {"objdump", CLI_TOOL_BINARY},
                                    {"ranlib", CLI_TOOL_BINARY},
                                    {"readelf", CLI_TOOL_BINARY},
                                    {"strip", CLI_TOOL_BINARY},
                                    {"rustc", CLI_TOOL_RUSTC},
                                    {"rustdoc", CLI_TOOL_RUSTC},
                                    {"clippy-driver", CLI_TOOL_RUSTC},
                                    {"cargo", CLI_TOOL_CARGO},
                                    {"npm", CLI_TOOL_NPM},
                                    {"pnpm", CLI_TOOL_NPM},
                                    {"yarn", CLI_TOOL_NPM},
                                    {"tsc", CLI_TOOL_TSC}};

const char *cli_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* The name without a version at its end: "-12", "-16.0". */
static size_t tool_length_of(const char *program)
{
    size_t n = strlen(program), digits = n;
    while (digits && strchr("0123456789.", program[digits - 1]))
        digits--;
    return digits > 1 && digits < n && program[digits - 1] == '-' ? digits - 1 : n;
}

/* The whole name, or the part after the target machine: "x86_64-linux-gnu-gcc". */
static enum cli_tool tool_of(const char *program)
{
    size_t n = tool_length_of(program);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        size_t size = strlen(names[k].text);
        if (size <= n && strncmp(program + n - size, names[k].text, size) == 0 &&
            (size == n || program[n - size - 1] == '-'))
            return names[k].tool;
    }
    return CLI_TOOL_OTHER;
}

bool cli_is_one_of(const char *word, const char *const *list)
{
    while (*list && strcmp(word, *list) != 0)
        list++;
    return *list;
}

/* Number of words before the command itself; 0 if it is no launcher, or starts nothing. */
static uint32_t launcher_words(const char *const *word, uint32_t words)
{
    static const char *const plain[] = {"ccache", "sccache", "distcc", NULL};
    const char *program = cli_base_name(word[0]);
    const bool npx = strcmp(program, "npx") == 0, env = strcmp(program, "env") == 0;
    uint32_t k = 1;
    if (!npx && !env && !cli_is_one_of(program, plain))
        return 0;
    if (npx)
        while (k < words && (strcmp(word[k], "--yes") == 0 || strcmp(word[k], "-y") == 0 ||
                             strncmp(word[k], "--no", 4) == 0))
            k++;
    while (!npx && k < words && strchr(word[k], '=') && word[k][0] != '-')
        k++; /* variables; ccache takes settings so */
    if (k < words && strcmp(word[k], "--") == 0)
        k++;
    return k < words && word[k][0] != '-' ? k : 0;
}

struct cli_command_words cli_command_words(const char *const *argument, uint32_t arguments)
{
    uint32_t launcher;
    if (arguments > 2 && strcmp(argument[1], "-c") == 0 && getenv("npm_lifecycle_event"))
        return (struct cli_command_words){CLI_TOOL_SCRIPT, cli_base_name(argument[0]), argument,
                                          arguments};
    while ((launcher = launcher_words(argument, arguments)) > 0) {
        argument += launcher;
        arguments -= launcher;
    }
    const char *program = cli_base_name(argument[0]);
    return (struct cli_command_words){tool_of(program), program, argument, arguments};
}

/* "+nightly" tells rustup which cargo or rustc is meant. */
bool cli_is_operand(const char *word)
{
    return (word[0] != '-' || !word[1]) && word[0] != '+';
}

bool cli_has_word(const struct cli_command_words *command, const char *word)
{
    for (uint32_t k = 1; k < command->words; k++)
        if (strcmp(command->word[k], word) == 0)
            return true;
    return false;
}

const char *cli_first_operand(const struct cli_command_words *command)
{
    for (uint32_t k = 1; k < command->words; k++)
        if (cli_is_operand(command->word[k]))
            return command->word[k];
    return NULL;
}

const char *cli_next_value(const struct cli_command_words *command, const char *option,
                           uint32_t *at)
{
    size_t n = strlen(option);
    for (uint32_t k = *at; k < command->words; k++) {
        *at = k + 1;
        if (strcmp(command->word[k], option) == 0)
            return k + 1 < command->words ? command->word[k + 1] : NULL;
        if (strncmp(command->word[k], option, n) == 0 && command->word[k][n] == '=')
            return command->word[k] + n + 1;
    }
    return NULL;
}

const char *cli_output_word(const struct cli_command_words *command)
{
    for (uint32_t k = 1; k < command->words; k++) {
        if (strcmp(command->word[k], "-o") == 0)
            return k + 1 < command->words ? command->word[k + 1] : NULL;
        if (strncmp(command->word[k], "-o", 2) == 0)
            return command->word[k] + 2;
    }
    return NULL;
}
