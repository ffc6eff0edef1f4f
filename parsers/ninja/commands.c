/* Whether there is a build, sets of its commands, and a build without some of them. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/collections/grow.h"
#include "parsers/ninja/build.h"
#include "parsers/ninja/text.h"

bool br_ninja_commands_add(struct br_ninja_commands *commands, const char *command, size_t size)
{
    if (!br_grow(&commands->command, commands->count, &commands->room, sizeof *commands->command))
        return false;
    commands->command[commands->count] = strndup(command, size);
    return commands->command[commands->count] && ++commands->count;
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void br_ninja_commands_sort(struct br_ninja_commands *commands)
{
    uint32_t count = 0;
    if (commands->count)
        qsort(commands->command, commands->count, sizeof *commands->command, by_bytes);
    for (uint32_t k = 0; k < commands->count; k++)
        if (count && strcmp(commands->command[count - 1], commands->command[k]) == 0)
            free(commands->command[k]);
        else
            commands->command[count++] = commands->command[k];
    commands->count = count;
}

bool br_ninja_commands_have(const struct br_ninja_commands *commands, const char *command)
{
    return commands->count && bsearch(&command, commands->command, commands->count,
                                      sizeof *commands->command, by_bytes);
}

void br_ninja_commands_finish(struct br_ninja_commands *commands)
{
    for (uint32_t k = 0; k < commands->count; k++)
        free(commands->command[k]);
    free(commands->command);
    *commands = (struct br_ninja_commands){0};
}

/* ---- The rest of a build ---- */

static enum br_status add_statement(const struct br_ninja *ninja, uint32_t edge,
                                    const struct br_ninja_commands *done,
                                    struct br_ninja_text *command, struct br_ninja_text *to,
                                    struct br_diag *diag)
{
    command->used = 0;
    enum br_status status =
        br_ninja_binding(ninja, edge, BR_NINJA_COMMAND, BR_NINJA_VALUE, command, diag);
    if (!status && !br_ninja_add(command, "", 0))
        status = br_fail_memory(diag);
    if (status)
        return status;
    if (ninja->edge[edge].rule == BR_NINJA_PHONY || !br_ninja_commands_have(done, command->text))
        return br_ninja_statement(ninja, edge, true, to, diag);
    return br_ninja_made(ninja, edge, to, diag);
}

enum br_status br_ninja_find(const char *folder, const char *file, struct br_diag *diag)
{
    char path[PATH_MAX];
    struct stat what;
    if (!file)
        file = "build.ninja";
    br_diag_file(diag, folder);
    if (stat(folder, &what) || !S_ISDIR(what.st_mode))
        return br_fail(diag, BR_SYSTEM, "give the folder of the build: -C FOLDER",
                       "there is no such folder");
    int size = *file == '/' ? snprintf(path, sizeof path, "%s", file)
                            : snprintf(path, sizeof path, "%s/%s", folder, file);
    int error = size < PATH_MAX ? 0 : ENAMETOOLONG;
    br_diag_file(diag, path);
    if (!error && access(path, R_OK))
        error = errno;
    if (error)
        return br_fail(
            diag, BR_SYSTEM,
            "give the folder of a configured build, as CMake and meson make it: -C FOLDER",
            "cannot be read: %s", strerror(error));
    br_diag_file(diag, NULL);
    return BR_OK;
}

enum br_status br_ninja_write_rest(const char *folder, const char *file,
                                   const struct br_ninja_commands *done, FILE *out,
                                   struct br_diag *diag)
{
    struct br_ninja ninja;
    struct br_ninja_text text = {0}, command = {0};
    enum br_status status = br_ninja_read(&ninja, folder, file ? file : "build.ninja", diag);
    if (status)
        return status;
    status = br_ninja_head(&ninja, &text, diag);
    for (uint32_t e = 0; e < ninja.edges && !status; e++) {
        status = add_statement(&ninja, e, done, &command, &text, diag);
        if (!status && text.used >= 1 << 20) {
            fwrite(text.text, 1, text.used, out);
            text.used = 0;
        }
    }
    if (!status)
        status = br_ninja_defaults(&ninja, &text, diag);
    if (!status)
        fwrite(text.text, 1, text.used, out);
    free(text.text);
    free(command.text);
    br_ninja_finish(&ninja);
    return status;
}
