/* Ninja's log of its commands, versions 5 to 7: a line per built file, with start and end in
 * milliseconds, the file's time, its path and the command's hash, between tabs. Samurai writes 0
 * for start and end, which is no measurement. The versions differ in the unit of the file's time
 * and in the hash, and neither matters here: the duration of a command that has changed since is
 * still the best guess. */
#include "parsers/ninja/log.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parsers/ninja/build.h"
#include "parsers/text/source.h"

enum { TEXT_LIMIT = 1 << 30, OLDEST = 5, NEWEST = 7 };

/* "# ninja log v5" */
static enum br_status read_version(const char *text, struct br_diag *diag)
{
    static const char mark[] = "# ninja log v";
    long version =
        strncmp(text, mark, sizeof mark - 1) == 0 ? strtol(text + sizeof mark - 1, NULL, 10) : 0;
    if (version >= OLDEST && version <= NEWEST)
        return BR_OK;
    return br_fail_at(diag, ((struct br_pos){1, 1}), BR_BAD_INPUT,
                      "move it away to go on with default durations",
                      version ? "this is a ninja log of version %ld; versions 5 to 7 are read"
                              : "this is not a ninja log",
                      version);
}

/* A number of milliseconds up to a tab, which is passed. */
static bool ninja_log_read_ms(char **at, int64_t *ms)
{
    size_t digits = strspn(*at, "0123456789");
    if (digits == 0 || digits > 12 || (*at)[digits] != '\t')
        return false;
    *ms = strtoll(*at, NULL, 10);
    *at += digits + 1;
    return true;
}

static void ninja_log_read_line(const struct br_ninja *ninja, char *at, int64_t *duration_ns,
                                uint64_t *hashes)
{
    int64_t start, end;
    if (!ninja_log_read_ms(&at, &start) || !ninja_log_read_ms(&at, &end) || end < start)
        return;
    char *path = strchr(at, '\t'), *hash = path ? strchr(path + 1, '\t') : NULL;
    if (!hash)
        return;
    *hash = '\0';
    uint32_t node = br_ninja_find_node(ninja, path + 1);
    if (node == UINT32_MAX)
        return;
    if (start || end)
        duration_ns[node] = (end - start) * INT64_C(1000000);
    if (hashes)
        hashes[node] = strtoull(hash + 1, NULL, 16);
}

enum br_status br_ninja_read_log(const struct br_ninja *ninja, const char *path,
                                 int64_t *duration_ns, uint64_t *hash, struct br_diag *diag)
{
    struct br_source source;
    char *text;
    for (uint32_t n = 0; n < ninja->nodes; n++)
        duration_ns[n] = -1;
    for (uint32_t n = 0; n < ninja->nodes && hash; n++)
        hash[n] = 0;
    if (access(path, F_OK) != 0)
        return BR_OK;
    enum br_status status = br_source_open(&source, path, diag);
    if (status)
        return status;
    status = br_source_text(&source, TEXT_LIMIT, "ninja log", &text, diag);
    br_source_close(&source);
    if (!status && *text) /* ninja creates an empty file before it writes the first line */
        status = read_version(text, diag);
    for (char *at = status ? NULL : strchr(text, '\n'); at && at[1];) {
        char *line = at + 1;
        at = strchr(line, '\n');
        if (!at)
            break; /* a truncated line */
        *at = '\0';
        ninja_log_read_line(ninja, line, duration_ns, hash);
    }
    free(text);
    return status;
}

void br_ninja_state_folder(const struct br_ninja *ninja, const char *folder, char *path,
                           size_t size)
{
    const char *where = br_ninja_find_variable(ninja, BR_NINJA_TOP, "builddir");
    if (!where || !*where)
        snprintf(path, size, "%s", folder);
    else if (*where == '/')
        snprintf(path, size, "%s", where);
    else
        snprintf(path, size, "%s/%s", folder, where);
}

enum br_status br_ninja_find_place(const struct br_ninja_options *options,
                                   struct br_ninja_place *place, struct br_diag *diag)
{
    struct br_ninja ninja;
    const char *file = options->file ? options->file : "build.ninja";
    enum br_status status = br_ninja_read(&ninja, options->folder, file, diag);
    if (status)
        return status;
    br_ninja_state_folder(&ninja, options->folder, place->folder, sizeof place->folder);
    place->made = br_ninja_find_producer(&ninja, file) != UINT32_MAX;
    br_ninja_finish(&ninja);
    return BR_OK;
}

uint32_t br_ninja_log_version(const char *folder)
{
    char path[PATH_MAX], line[32];
    unsigned version = 0;
    const int size = snprintf(path, sizeof path, "%s/.ninja_log", folder);
    FILE *log = size < (int)sizeof path ? fopen(path, "re") : NULL;
    if (log && fgets(line, sizeof line, log) && sscanf(line, "# ninja log v%u", &version) != 1)
        version = 0;
    if (log)
        fclose(log);
    return version;
}

bool br_ninja_log_fits(uint32_t log, uint32_t own)
{
    return !log || log == own || (own == 5 && log < 7);
}
