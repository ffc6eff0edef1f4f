/* The keys and the probes of the tools that start commands by a launcher.
 * Source: cargo's book, "Environment variables cargo sets for 3rd party subcommands"; npm's
 * documentation, "scripts" (npm_lifecycle_event, npm_package_name) and "script-shell". */
#include "cli/admission/key.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* The word after the option, or joined to it ("--crate-type=bin"); NULL where there is none. */
static const char *value_of(const char *const *argument, uint32_t arguments, const char *option)
{
    size_t n = strlen(option);
    for (uint32_t k = 1; k < arguments; k++) {
        if (strcmp(argument[k], option) == 0)
            return k + 1 < arguments ? argument[k + 1] : NULL;
        if (strncmp(argument[k], option, n) == 0 && argument[k][n] == '=')
            return argument[k] + n + 1;
    }
    return NULL;
}

static bool has(const char *const *argument, uint32_t arguments, const char *word)
{
    for (uint32_t k = 1; k < arguments; k++)
        if (strcmp(argument[k], word) == 0)
            return true;
    return false;
}

/* The file that a compiler or linker writes, since that is what ninja calls the command by. */
static const char *output_of(const char *const *argument, uint32_t arguments)
{
    for (uint32_t k = 1; k < arguments; k++) {
        if (strcmp(argument[k], "-o") == 0 && k + 1 < arguments)
            return argument[k + 1];
        if (strncmp(argument[k], "-o", 2) == 0 && argument[k][2])
            return argument[k] + 2;
    }
    return NULL;
}

static bool is_script(const char *const *argument, uint32_t arguments)
{
    return arguments > 2 && strcmp(argument[1], "-c") == 0 && getenv("npm_lifecycle_event");
}

const char *cli_admit_key(const char *const *argument, uint32_t arguments, char *text, size_t size)
{
    const char *program = base_name(argument[0]);
    const char *crate = value_of(argument, arguments, "--crate-name");
    const char *project = value_of(argument, arguments, "-p");
    const char *output = output_of(argument, arguments);
    if (crate) {
        const char *package = getenv("CARGO_PKG_NAME");
        const char *type = has(argument, arguments, "--test")
                               ? "test"
                               : value_of(argument, arguments, "--crate-type");
        const char *emit = value_of(argument, arguments, "--emit");
        bool checked = emit && !strstr(emit, "link");
        snprintf(text, size, "%s%s%s%s%s%s", package ? package : "", package ? "/" : "", crate,
                 type ? " " : "", type ? type : "", checked ? " check" : "");
        return text;
    }
    if (is_script(argument, arguments)) {
        const char *package = getenv("npm_package_name");
        snprintf(text, size, "%s%s%s", package ? package : "", package ? ":" : "",
                 getenv("npm_lifecycle_event"));
        return text;
    }
    if (!project)
        project = value_of(argument, arguments, "--project");
    if (strcmp(program, "tsc") == 0 && project) {
        snprintf(text, size, "tsc %s", project);
        return text;
    }
    return output ? output : program;
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

bool cli_admit_is_probe(const char *const *argument, uint32_t arguments)
{
    static const char *const question[] = {
        "--version",    "-vV",          "-V",         "--help",           "-###",
        "-dumpversion", "-dumpmachine", "-dumpspecs", "-dumpfullversion", "--print"};
    static const char *const beginning[] = {"--print=", "-print-"};
    const char *output = output_of(argument, arguments);
    if (is_script(argument, arguments))
        return starts_scripts(argument[2]);
    if (output && strcmp(output, "/dev/null") == 0)
        return true;
    for (size_t k = 0; k < sizeof question / sizeof *question; k++)
        if (has(argument, arguments, question[k]))
            return true;
    for (uint32_t k = 1; k < arguments; k++)
        for (size_t j = 0; j < sizeof beginning / sizeof *beginning; j++)
            if (strncmp(argument[k], beginning[j], strlen(beginning[j])) == 0)
                return true;
    return arguments == 2 && strcmp(argument[1], "-v") == 0;
}
