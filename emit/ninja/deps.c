/* The file, version 4, after ninja's manual and what ninja 1.11 to 1.13 write: a line and a number
 * say so, then records of 32-bit words, each after its size in bytes. A path is padded with NULs
 * and followed by the complement of its number, in the order in which paths come. A record of size
 * with the top bit set is an output, its time in nanoseconds (two words), and its inputs, by
 * numbers. Of two for one output the later counts. */
#include "emit/ninja/deps.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/collections/grow.h"

static const char magic[16] = "# ninjadeps\n\4\0\0"; /* and the top byte of the version */
/* Ninja reads no larger records; a path's holds its number and up to three NULs besides. */
enum { SIZE_MOST = (1 << 19) - 1, PATH_MOST = SIZE_MOST - 7, DEPFILE_MOST = 1 << 26 };
static const uint32_t is_deps = UINT32_C(1) << 31;

static enum br_status fail_file(struct br_diag *diag)
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

static bool remember(struct br_ninja_deps *deps, const char *path, size_t size)
{
    if (!br_grow(&deps->path, deps->paths, &deps->room, sizeof *deps->path))
        return false;
    deps->path[deps->paths] = strndup(path, size);
    if (!deps->path[deps->paths])
        return false;
    deps->paths++;
    return br_index_add(&deps->by_path, &keys, deps, deps->paths - 1);
}

/* The path's number; a new one is written. False when memory is out. */
static bool number_of(struct br_ninja_deps *deps, const char *path, uint32_t *number)
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
    return remember(deps, path, length);
}

/* ---- Opening ---- */

/* Takes in the paths of the records; returns where the last good one ends. */
static long take_records(struct br_ninja_deps *deps, bool *memory)
{
    char *block = malloc(SIZE_MOST + 1);
    long end = sizeof magic;
    uint32_t size, check;
    *memory = block;
    while (*memory && fread(&size, 4, 1, deps->file) == 1) {
        uint32_t bytes = size & ~is_deps;
        if (bytes > SIZE_MOST || bytes % 4 || bytes < 8 ||
            fread(block, 1, bytes, deps->file) != bytes)
            break;
        if (!(size & is_deps)) {
            memcpy(&check, block + bytes - 4, 4);
            if (check != ~deps->paths)
                break;
            *memory = remember(deps, block, strnlen(block, bytes - 4));
        }
        end += 4 + (long)bytes;
    }
    free(block);
    return end;
}

enum br_status br_ninja_deps_open(struct br_ninja_deps *deps, const char *path,
                                  struct br_diag *diag)
{
    char head[sizeof magic];
    bool memory = true;
    *deps = (struct br_ninja_deps){0};
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    deps->file = file < 0 ? NULL : fdopen(file, "r+");
    if (!deps->file) {
        enum br_status status = fail_file(diag);
        if (file >= 0)
            close(file);
        return status;
    }
    long end = 0;
    if (fread(head, sizeof head, 1, deps->file) == 1 && memcmp(head, magic, sizeof magic) == 0)
        end = take_records(deps, &memory);
    /* A record that could not be read is not cut off. */
    if (!memory || ferror(deps->file) || ftruncate(file, end) || fseek(deps->file, end, SEEK_SET)) {
        enum br_status status = memory ? fail_file(diag) : br_fail_memory(diag);
        br_ninja_deps_close(deps, NULL);
        return status;
    }
    if (!end)
        fwrite(magic, sizeof magic, 1, deps->file);
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
    return failed ? fail_file(diag) : BR_OK;
}

/* ---- Depfiles ---- */

/* The depfile's text, malloc's; NULL where there is no such file. */
static enum br_status read_text(const char *path, char **text, size_t *size, struct br_diag *diag)
{
    struct stat state;
    *text = NULL;
    *size = 0;
    FILE *file = fopen(path, "re");
    if (!file && errno == ENOENT)
        return BR_OK;
    if (!file || fstat(fileno(file), &state) || !S_ISREG(state.st_mode) ||
        state.st_size > DEPFILE_MOST) {
        if (file)
            fclose(file);
        return br_fail(diag, BR_BAD_INPUT, NULL, "a depfile cannot be read: %.200s", path);
    }
    *text = malloc((size_t)state.st_size + 1);
    if (*text) {
        *size = fread(*text, 1, (size_t)state.st_size, file);
        (*text)[*size] = '\0';
    }
    bool whole = !ferror(file); /* else names would be missing, and builds stale */
    fclose(file);
    if (!*text)
        return br_fail_memory(diag);
    return whole ? BR_OK : br_fail(diag, BR_SYSTEM, NULL, "a depfile cannot be read: %.200s", path);
}

enum br_status br_ninja_deps_read(struct br_ninja_deps *deps, const char *path, bool *there,
                                  struct br_diag *diag)
{
    size_t size;
    free(deps->text);
    deps->depfile.names = 0;
    enum br_status status = read_text(path, &deps->text, &size, diag);
    *there = deps->text;
    if (!status && deps->text)
        status = br_ninja_depfile_read(&deps->depfile, deps->text, size, diag);
    for (uint32_t n = 0; n < deps->depfile.names && !status; n++) {
        br_ninja_canonical(deps->depfile.name[n]);
        if (strlen(deps->depfile.name[n]) > PATH_MOST)
            status = br_fail(diag, BR_BAD_INPUT, NULL, "a depfile names a file with %zu bytes",
                             strlen(deps->depfile.name[n]));
    }
    if (!status && (deps->depfile.names + 3) * 4 > SIZE_MOST)
        status = br_fail(diag, BR_BAD_INPUT, NULL, "a depfile names %" PRIu32 " files",
                         deps->depfile.names);
    return status;
}

enum br_status br_ninja_deps_add(struct br_ninja_deps *deps, const char *output, int64_t mtime_ns,
                                 struct br_diag *diag)
{
    uint32_t number, inputs = deps->depfile.names;
    uint32_t *input = malloc((inputs + 1) * sizeof *input);
    bool memory = input && strlen(output) <= PATH_MOST && number_of(deps, output, &number);
    for (uint32_t n = 0; n < inputs && memory; n++)
        memory = number_of(deps, deps->depfile.name[n], &input[n]);
    if (memory) {
        uint32_t head[] = {((inputs + 3) * 4) | is_deps, number, (uint32_t)mtime_ns,
                           (uint32_t)(mtime_ns >> 32)};
        fwrite(head, sizeof head, 1, deps->file);
        fwrite(input, 4, inputs, deps->file);
    }
    free(input);
    return memory ? BR_OK : br_fail_memory(diag);
}
