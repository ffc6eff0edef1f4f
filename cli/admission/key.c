/* Source: cargo's book, "Environment variables cargo sets for 3rd party subcommands"; npm's
 * documentation, "scripts" (npm_lifecycle_event, npm_package_name) and "script-shell"; what go
 * build -x prints. */
#include "cli/admission/key.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/admission/tool.h"

static const char *key_value_of(const struct cli_command_words *command, const char *option)
{
    uint32_t at = 1;
    return cli_next_value(command, option, &at);
}

static const char *name_crate(const struct cli_command_words *command, char *text, size_t size)
{
    const char *crate = key_value_of(command, "--crate-name");
    const char *package = getenv("CARGO_PKG_NAME");
    const char *type =
        cli_has_word(command, "--test") ? "test" : key_value_of(command, "--crate-type");
    const char *emit = key_value_of(command, "--emit");
    const bool checked = emit && !strstr(emit, "link");
    if (!crate)
        return NULL;
    snprintf(text, size, "%s%s%s%s%s%s", package ? package : "", package ? "/" : "", crate,
             type ? " " : "", type ? type : "", checked ? " check" : "");
    return text;
}

static const char *name_script(char *text, size_t size)
{
    const char *package = getenv("npm_package_name");
    snprintf(text, size, "%s%s%s", package ? package : "", package ? ":" : "",
             getenv("npm_lifecycle_event"));
    return text;
}

/* "npm run build", "cargo test". */
static const char *name_operands(const struct cli_command_words *command, uint32_t most, char *text,
                                 size_t size)
{
    size_t used = (size_t)snprintf(text, size, "%s", command->program);
    for (uint32_t k = 1; k < command->words && most && used < size; k++)
        if (cli_is_operand(command->word[k])) {
            used += (size_t)snprintf(text + used, size - used, " %s", command->word[k]);
            most--;
        }
    return text;
}

static const char *name_project(const struct cli_command_words *command, char *text, size_t size)
{
    const char *project = key_value_of(command, "-p");
    if (!project)
        project = key_value_of(command, "--project");
    if (!project)
        return NULL;
    snprintf(text, size, "tsc %s", project);
    return text;
}

/* The name that ninja gives the command, too. Without -o an object is named after its source. */
static const char *name_output(const struct cli_command_words *command, char *text, size_t size)
{
    const char *output = cli_output_word(command);
    if (output || !cli_has_word(command, "-c"))
        return output;
    for (uint32_t k = 1; k < command->words; k++) {
        const char *word = command->word[k], *base = cli_base_name(word);
        const char *dot = strrchr(base, '.');
        if (word[0] != '-' && dot && strchr("cCfFimMsS", dot[1]) && dot[1]) {
            snprintf(text, size, "%.*s.o", (int)(dot - base), base);
            return text;
        }
    }
    return NULL;
}

/* The archive is the first operand after the operation letters: "ar rcs libx.a x.o". */
static const char *name_archive(const struct cli_command_words *command)
{
    for (uint32_t k = 2; k < command->words; k++)
        if (cli_is_operand(command->word[k]))
            return command->word[k];
    return NULL;
}

/* Go works in a folder such as /tmp/go-build1234, whose number changes each time. Its outputs there
 * are named by their package, or without one (a link, output of cgo) by their path below the
 * folder. */
static const char *name_go(const struct cli_command_words *command, const char *path, char *text,
                           size_t size)
{
    static const char folder[] = "/go-build";
    const char *at = strstr(path, folder);
    const char *number = at ? at + strlen(folder) : "";
    const char *below = number + strspn(number, "0123456789");
    const char *package = command->tool == CLI_TOOL_OTHER ? key_value_of(command, "-p") : NULL;
    if (below == number || *below != '/')
        return path;
    if (package)
        snprintf(text, size, "%s %s", command->program, package);
    else
        snprintf(text, size, "go-build%s", below);
    return text;
}

const char *cli_admit_key(const char *const *argument, uint32_t arguments, char *text, size_t size)
{
    const struct cli_command_words command = cli_command_words(argument, arguments);
    const char *key = NULL;
    switch (command.tool) {
    case CLI_TOOL_COMPILER:
    case CLI_TOOL_LINKER:
        key = name_output(&command, text, size);
        break;
    case CLI_TOOL_ARCHIVER:
        key = name_archive(&command);
        break;
    case CLI_TOOL_BINARY: /* "ranlib libx.a", unless it writes another file */
        key = cli_output_word(&command);
        if (!key)
            return name_operands(&command, 1, text, size);
        break;
    case CLI_TOOL_RUSTC:
        key = name_crate(&command, text, size);
        break;
    case CLI_TOOL_CARGO:
        return name_operands(&command, 1, text, size);
    case CLI_TOOL_NPM:
        return name_operands(&command, 2, text, size);
    case CLI_TOOL_TSC:
        key = name_project(&command, text, size);
        break;
    case CLI_TOOL_SCRIPT:
        return name_script(text, size);
    case CLI_TOOL_OTHER:
        break;
    }
    if (!key)
        key = cli_output_word(&command);
    return key && *key ? name_go(&command, key, text, size) : command.program;
}
