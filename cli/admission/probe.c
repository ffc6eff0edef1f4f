/* Each tool has its own questions: "-V" asks rustc for its version and tells ld to say its version
 * and link. Sources: the manuals of GCC, Clang, GNU ld, LLD, rustc, cargo, npm and tsc; what
 * configure of autoconf and cargo ask of compilers. */
#include "cli/admission/probe.h"

#include <stdlib.h>
#include <string.h>

#include "cli/admission/tool.h"

/* Words that ask a tool a question. All lists end with NULL. */
struct questions {
    const char *const *word;      /* questions at any position */
    const char *const *beginning; /* prefixes of such words */
    const char *const *alone;     /* questions unless there is something to work on */
    const char *const *command;   /* first operands that are questions */
    bool before; /* the only commands to check: these words belong to programs that they start */
    bool null;   /* what writes to /dev/null is a test, too */
};

static const char *const nothing[] = {NULL};
static const char *const of_other[] = {"--version", "--help",  "-V", "-v",
                                       "-version",  "-V=full", NULL};

static const char *const of_compiler[] = {"--version",
                                          "--help",
                                          "--target-help",
                                          "-###",
                                          "-dumpversion",
                                          "-dumpfullversion",
                                          "-dumpmachine",
                                          "-dumpspecs",
                                          "-Wl,--version",
                                          "-Wl,--help",
                                          "-print-effective-triple",
                                          "-print-libgcc-file-name",
                                          "-print-multi-directory",
                                          "-print-multi-lib",
                                          "-print-multi-os-directory",
                                          "-print-multiarch",
                                          "-print-resource-dir",
                                          "-print-runtime-dir",
                                          "-print-search-dirs",
                                          "-print-supported-cpus",
                                          "-print-sysroot",
                                          "-print-target-triple",
                                          "-print-targets",
                                          NULL};
static const char *const compiler_beginning[] = {
    "--help=", "-print-file-name=", "-print-prog-name=", NULL};
static const char *const compiler_alone[] = {"-v", "-V", "-version", "-qversion", NULL};

static const char *const of_linker[] = {"--version", "--help", "--print-output-format",
                                        "--print-sysroot", NULL};
static const char *const linker_alone[] = {"-v", "-V", NULL};

static const char *const of_binary[] = {"--version", "--help", NULL};
static const char *const binary_alone[] = {"-v", "-V", NULL};

static const char *const of_rustc[] = {"--version", "-V",        "-vV", "-Vv",
                                       "--help",    "--explain", "-h",  NULL};

static const char *const of_cargo[] = {"--version", "-V",     "-vV", "-Vv",
                                       "--list",    "--help", "-h",  NULL};
static const char *const cargo_command[] = {"help",          "locate-project", "metadata", "pkgid",
                                            "read-manifest", "tree",           "version",  NULL};

static const char *const of_npm[] = {"--version", "-v", "--help", "-h", NULL};
static const char *const npm_command[] = {"bin", "config", "explain", "help", "list",
                                          "ls",  "root",   "view",    "why",  NULL};

static const char *const of_tsc[] = {"--version",       "-v", "--help", "-h", "--showConfig",
                                     "--listFilesOnly", NULL};

static const struct questions questions[] = {
    [CLI_TOOL_OTHER] = {nothing, nothing, nothing, nothing, false, false},
    [CLI_TOOL_COMPILER] = {of_compiler, compiler_beginning, compiler_alone, nothing, false, true},
    [CLI_TOOL_LINKER] = {of_linker, nothing, linker_alone, nothing, false, true},
    [CLI_TOOL_ARCHIVER] = {of_binary, nothing, binary_alone, nothing, false, false},
    [CLI_TOOL_BINARY] = {of_binary, nothing, binary_alone, nothing, false, false},
    [CLI_TOOL_RUSTC] = {of_rustc, nothing, nothing, nothing, false, true},
    [CLI_TOOL_CARGO] = {of_cargo, nothing, nothing, cargo_command, true, false},
    [CLI_TOOL_NPM] = {of_npm, nothing, nothing, npm_command, true, false},
    [CLI_TOOL_TSC] = {of_tsc, nothing, nothing, nothing, false, false},
    [CLI_TOOL_SCRIPT] = {nothing, nothing, nothing, nothing, false, false}};

/* Options may begin with one dash or two, if the manual of Clang has both ("--print-targets"). */
static const char *with_one_dash(const char *word)
{
    return strncmp(word, "--print-", 8) == 0 ? word + 1 : word;
}

static bool asks(const struct questions *asked, const struct cli_command_words *command)
{
    for (uint32_t k = 1; k < command->words; k++) {
        const char *word = command->word[k];
        if (strcmp(word, "--") == 0 || (asked->before && cli_is_operand(word)))
            return false; /* what follows is for another program */
        if (cli_is_one_of(word, asked->word) || cli_is_one_of(with_one_dash(word), asked->word))
            return true;
        for (const char *const *begin = asked->beginning; *begin; begin++)
            if (strncmp(with_one_dash(word), *begin, strlen(*begin)) == 0)
                return true;
    }
    return false;
}

static bool asks_alone(const struct questions *asked, const struct cli_command_words *command)
{
    if (cli_first_operand(command))
        return false;
    for (uint32_t k = 1; k < command->words; k++)
        if (cli_is_one_of(command->word[k], asked->alone))
            return true;
    return false;
}

/* rustc --print answers and ends, except for facts that are known only after compiling. */
static bool prints(const struct cli_command_words *command)
{
    static const char *const compiled[] = {"link-args", "native-static-libs"};
    const char *value;
    for (uint32_t at = 1; (value = cli_next_value(command, "--print", &at));) {
        bool after = false;
        for (size_t k = 0; k < sizeof compiled / sizeof *compiled; k++) {
            size_t n = strlen(compiled[k]);
            after |= strncmp(value, compiled[k], n) == 0 && (!value[n] || value[n] == '=');
        }
        if (!after)
            return true;
    }
    return false;
}

/* Is one of the script's words a program that starts scripts? */
static bool starts_scripts(const char *script)
{
    static const char *const starter[] = {"npm",   "npm-run-all", "run-s", "run-p",
                                          "yarn",  "pnpm",        "lerna", "concurrently",
                                          "turbo", "nx",          "wireit"};
    for (const char *at = script; *at;) {
        at += strspn(at, " \t\n;&|()\"'");
        size_t n = strcspn(at, " \t\n;&|()\"'");
        for (size_t k = 0; k < sizeof starter / sizeof *starter; k++)
            if (n == strlen(starter[k]) && strncmp(at, starter[k], n) == 0)
                return true;
        at += n;
    }
    return false;
}

/* Does this launcher stand before the command that the tool starts? */
static bool is_launched(const char *variable)
{
    const char *launcher = getenv(variable);
    return launcher && strcmp(cli_base_name(launcher), "bigrocks-admit") == 0;
}

bool cli_is_probe(const char *const *argument, uint32_t arguments)
{
    const struct cli_command_words command = cli_command_words(argument, arguments);
    const struct questions *asked = &questions[command.tool];
    const char *output = asked->null ? cli_output_word(&command) : NULL;
    const char *operand = cli_first_operand(&command);
    if (command.tool == CLI_TOOL_SCRIPT)
        return starts_scripts(command.word[2]);
    if ((command.tool == CLI_TOOL_CARGO && is_launched("RUSTC_WRAPPER")) ||
        (command.tool == CLI_TOOL_NPM && is_launched("npm_config_script_shell")))
        return true;
    if (command.tool == CLI_TOOL_OTHER) /* for an unknown program, the word alone decides */
        return command.words == 2 && cli_is_one_of(command.word[1], of_other);
    return asks(asked, &command) || asks_alone(asked, &command) ||
           (command.tool == CLI_TOOL_RUSTC && prints(&command)) ||
           (output && strcmp(output, "/dev/null") == 0) ||
           (operand && cli_is_one_of(operand, asked->command));
}
