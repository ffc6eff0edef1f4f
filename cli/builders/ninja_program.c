/* CMake keeps the path of its ninja in the cache, meson in its log. */
#include "cli/builders/ninja_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text/shell.h"
#include "parsers/ninja/ninja.h"

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool cli_is_own_ninja(const char *program)
{
    return strcmp(base_name(program), "bigrocks-ninja") == 0;
}

/* Takes the path if it is that of a ninja that still exists. */
static bool take_path(char *value, char program[PATH_MAX])
{
    const size_t size = strlen(value);
    if (size > 1 && *value == '\'' && strchr(value + 1, '\'') == value + size - 1) {
        value[size - 1] = '\0'; /* as meson writes a path with blanks */
        value++;
    }
    if (*value != '/' || strncmp(base_name(value), "ninja", 5) != 0 || access(value, X_OK) != 0)
        return false;
    snprintf(program, PATH_MAX, "%s", value);
    return true;
}

/* The path after `between` in the last line of the file that begins with the key. */
static bool ninja_program_read_path(const char *folder, const char *file, const char *key,
                                    const char *between, char program[PATH_MAX])
{
    char path[PATH_MAX], line[PATH_MAX + 64];
    bool found = false;
    const int size = snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *from = size < (int)sizeof path ? fopen(path, "re") : NULL;
    while (from && fgets(line, sizeof line, from)) {
        char *value = strncmp(line, key, strlen(key)) == 0 ? strstr(line, between) : NULL;
        line[strcspn(line, "\r\n")] = '\0';
        if (value)
            found = take_path(value + strlen(between), program);
    }
    if (from)
        fclose(from);
    return found;
}

void cli_ninja_program(const char *folder, char program[PATH_MAX])
{
    const char *named = getenv("NINJA");
    if (named && *named && !cli_is_own_ninja(named))
        snprintf(program, PATH_MAX, "%s", named);
    else if (!ninja_program_read_path(folder, "CMakeCache.txt", "CMAKE_MAKE_PROGRAM:", "=",
                                      program) &&
             !ninja_program_read_path(folder, "meson-logs/meson-log.txt", "Found ninja-", " at ",
                                      program))
        snprintf(program, PATH_MAX, "ninja");
}

static bool ninja_program_put(void *text, const char *part, size_t size)
{
    return br_ninja_add(text, part, size);
}

uint32_t cli_ninja_log_version(const char *folder)
{
    int major = 0, minor = 0;
    char program[PATH_MAX];
    struct br_ninja_text command = {0};
    cli_ninja_program(folder, program);
    const bool good = br_ninja_add(&command, "exec ", 5) &&
                      br_shell_quote(program, strlen(program), ninja_program_put, &command) &&
                      br_ninja_add(&command, " --version 2>/dev/null", 22);
    /* A fixed text, and a program that is the user's own. NOLINTNEXTLINE(cert-env33-c) */
    FILE *said = good ? popen(command.text, "re") : NULL;
    free(command.text);
    if (!said)
        return 7;
    const bool known = fscanf(said, "%d.%d", &major, &minor) == 2 && major == 1;
    pclose(said);
    return known && minor < 12 ? 5 : known && minor < 13 ? 6 : 7;
}
