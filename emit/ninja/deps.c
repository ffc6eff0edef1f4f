/* Adds the records that ninja would have; parsers/ninja/deps.c describes the form. */
#include "emit/ninja/deps.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/collections/grow.h"
#include "base/text/path.h"
#include "parsers/ninja/deps.h"

static enum br_status ninja_deps_fail_file(struct br_diag *diag)
{
    return br_fail(diag, BR_SYSTEM, NULL, "ninja's file of dependencies: %s", strerror(errno));
}

/* ---- Paths ---- */

static uint64_t hash_path(const void *context, uint32_t number)
{
    return br_hash_text(((const struct br_ninja_deps *)context)->path[number]);
}

static bool is_path(const void *context, uint32_t number, const void *key)
{
    return strcmp(((const struct br_ninja_deps *)context)->path[number], key) == 0;
}

static const struct br_index_keys keys = {hash_path, is_path};

static bool ninja_deps_remember(struct br_ninja_deps *deps, const char *path, size_t size)
{
    if (!br_grow(&deps->path, deps->paths, &deps->room, sizeof *deps->path))
        return false;
    deps->path[deps->paths] = strndup(path, size);
    if (!deps->path[deps->paths])
        return false;
    deps->paths++;
    return br_index_add(&deps->by_path, &keys, deps, deps->paths - 1);
}

/* The path's number; a new path is written. False when memory is out. */
static bool ninja_deps_number_of(struct br_ninja_deps *deps, const char *path, uint32_t *number)
{
    *number = br_index_find(&deps->by_path, &keys, deps, path, br_hash_text(path));
    if (*number != UINT32_MAX)
        return true;
    *number = deps->paths;
    size_t length = strlen(path);
    uint32_t padding = (uint32_t)(-length & 3), size = (uint32_t)length + padding + 4;
    uint32_t check = ~*number;
    fwrite(&size, 4, 1, deps->file);
    fwrite(path, 1, length, deps->file);
    fwrite("\0\0\0", 1, padding, deps->file);
    fwrite(&check, 4, 1, deps->file);
    return ninja_deps_remember(deps, path, length);
}

/* ---- Opening ---- */

/* Reads the paths of the records; returns the end of the last good one. */
static long take_records(struct br_ninja_deps *deps, bool *memory)
{
    struct br_ninja_deps_reader reader;
    struct br_ninja_deps_record record;
    br_ninja_deps_begin(&reader, deps->file);
    *memory = reader.block;
    while (*memory && br_ninja_deps_next(&reader, &record))
        *memory = !record.path || ninja_deps_remember(deps, record.path, record.size);
    br_ninja_deps_end(&reader);
    return reader.end;
}

enum br_status br_ninja_deps_open(struct br_ninja_deps *deps, const char *path,
                                  struct br_diag *diag)
{
    bool memory;
    *deps = (struct br_ninja_deps){0};
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    deps->file = file < 0 ? NULL : fdopen(file, "r+");
    if (!deps->file) {
        enum br_status status = ninja_deps_fail_file(diag);
        if (file >= 0)
            close(file);
        return status;
    }
    const long end = take_records(deps, &memory);
    /* A record that could not be read is not cut off. */
    if (!memory || ferror(deps->file) || ftruncate(file, end) || fseek(deps->file, end, SEEK_SET)) {
        enum br_status status = memory ? ninja_deps_fail_file(diag) : br_fail_memory(diag);
        br_ninja_deps_close(deps, NULL);
        return status;
    }
    if (!end)
        fwrite(br_ninja_deps_magic, sizeof br_ninja_deps_magic, 1, deps->file);
    return BR_OK;
}

enum br_status br_ninja_deps_close(struct br_ninja_deps *deps, struct br_diag *diag)
{
    bool failed = ferror(deps->file);
    failed = fclose(deps->file) || failed;
    for (uint32_t p = 0; p < deps->paths; p++)
        free(deps->path[p]);
    free(deps->path);
    free(deps->text);
    br_ninja_depfile_finish(&deps->depfile);
    br_index_finish(&deps->by_path);
    *deps = (struct br_ninja_deps){0};
    return failed ? ninja_deps_fail_file(diag) : BR_OK;
}

/* ---- Depfiles ---- */

enum br_status br_ninja_deps_read(struct br_ninja_deps *deps, const char *path, bool *there,
                                  struct br_diag *diag)
{
    size_t size;
    free(deps->text);
    deps->depfile.names = 0;
    enum br_status status = br_ninja_depfile_text(path, &deps->text, &size, diag);
    *there = deps->text;
    if (!status && deps->text)
        status = br_ninja_depfile_read(&deps->depfile, deps->text, size, diag);
    for (uint32_t n = 0; n < deps->depfile.names && !status; n++) {
        br_path_shorten(deps->depfile.name[n]);
        if (strlen(deps->depfile.name[n]) > BR_NINJA_DEPS_PATH)
            status = br_fail(diag, BR_BAD_INPUT, NULL, "a depfile names a file with %zu bytes",
                             strlen(deps->depfile.name[n]));
    }
    if (!status && (deps->depfile.names + 3) * 4 > BR_NINJA_DEPS_SIZE)
        status = br_fail(diag, BR_BAD_INPUT, NULL, "a depfile names %" PRIu32 " files",
                         deps->depfile.names);
    return status;
}

enum br_status br_ninja_deps_add(struct br_ninja_deps *deps, const char *output, int64_t mtime_ns,
                                 struct br_diag *diag)
{
    uint32_t number, inputs = deps->depfile.names;
    uint32_t *input = malloc((inputs + 1) * sizeof *input);
    bool memory = input && strlen(output) <= BR_NINJA_DEPS_PATH &&
                  ninja_deps_number_of(deps, output, &number);
    for (uint32_t n = 0; n < inputs && memory; n++)
        memory = ninja_deps_number_of(deps, deps->depfile.name[n], &input[n]);
    if (memory) {
        uint32_t head[] = {((inputs + 3) * 4) | br_ninja_deps_output, number, (uint32_t)mtime_ns,
                           (uint32_t)(mtime_ns >> 32)};
        fwrite(head, sizeof head, 1, deps->file);
        fwrite(input, 4, inputs, deps->file);
    }
    free(input);
    return memory ? BR_OK : br_fail_memory(diag);
}
