/* The file, version 4, after ninja's manual and what ninja 1.11 to 1.13 write: a line and a number
 * say so, then records of 32-bit words, each after its size in bytes. A path is padded with NULs
 * and followed by the complement of its number, in the order in which paths come. A record of size
 * with the top bit set is an output, its time in nanoseconds (two words), and its inputs, by
 * numbers. Of two for one output the later counts. */
#include "parsers/ninja_deps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/grow.h"

static const char magic[16] = "# ninjadeps\n\4\0\0"; /* and the top byte of the version */
enum { SIZE_MOST = (1 << 19) - 1, DEPFILE_MOST = 1 << 26 };
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
    if (!memory || ftruncate(file, end) || fseek(deps->file, end, SEEK_SET)) {
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
    free(deps->input);
    br_index_finish(&deps->by_path);
    *deps = (struct br_ninja_deps){0};
    return failed ? fail_file(diag) : BR_OK;
}

/* ---- Depfiles ---- */

/* Cuts the next name off, unescaped in place, as compilers write them for make; *colon: it ends
 * with one, so it is a target. NULL at the end. */
static char *next_name(char **at, bool *colon)
{
    char *from = *at, *to;
    *colon = false;
    for (;;) {
        from += strspn(from, " \t\r\n");
        if (from[0] == '\\' && (from[1] == '\n' || from[1] == '\r'))
            from++;
        else
            break;
    }
    char *name = to = from;
    while (*from && !strchr(" \t\r\n", *from)) {
        if (from[0] == '\\' && (from[1] == '\n' || (from[1] == '\r' && from[2] == '\n')))
            break;
        if (from[0] == '\\' && from[1] && strchr(" #\\:", from[1]) &&
            (from[1] != '\\' || from[2] == ' '))
            from++; /* a backslash alone is one, as in names of other systems */
        else if (from[0] == '$' && from[1] == '$')
            from++;
        else if (from[0] == ':' && (!from[1] || strchr(" \t\r\n\\", from[1]))) {
            *colon = true;
            break;
        }
        *to++ = *from++;
    }
    bool any = to > name || *colon;
    *at = *from ? from + (*colon ? 1 : 0) : from;
    if (*from && !*colon && *from != '\\')
        *at = from + 1;
    *to = '\0';
    return any ? name : NULL;
}

static enum br_status take_inputs(struct br_ninja_deps *deps, char *text, struct br_diag *diag)
{
    bool colon, after = false;
    for (char *name; (name = next_name(&text, &colon));) {
        uint32_t number;
        /* Further rules name what is a target without a command (-MP); their names are known. */
        if (colon || !after) {
            after |= colon;
            continue;
        }
        br_ninja_canonical(name);
        if (!number_of(deps, name, &number) ||
            !br_grow(&deps->input, deps->inputs, &deps->input_room, sizeof *deps->input))
            return br_fail_memory(diag);
        deps->input[deps->inputs++] = number;
    }
    return after ? BR_OK : br_fail(diag, BR_BAD_INPUT, NULL, "a depfile has no ':'");
}

static enum br_status read_depfile(struct br_ninja_deps *deps, const char *path,
                                   struct br_diag *diag)
{
    struct stat state;
    FILE *file = fopen(path, "re");
    if (!file && errno == ENOENT)
        return BR_OK;
    if (!file || fstat(fileno(file), &state) || state.st_size > DEPFILE_MOST) {
        if (file)
            fclose(file);
        return br_fail(diag, BR_SYSTEM, NULL, "a depfile cannot be read: %.200s", path);
    }
    char *text = malloc((size_t)state.st_size + 1);
    size_t size = text ? fread(text, 1, (size_t)state.st_size, file) : 0;
    fclose(file);
    if (!text)
        return br_fail_memory(diag);
    text[size] = '\0';
    enum br_status status = size ? take_inputs(deps, text, diag) : BR_OK;
    free(text);
    return status;
}

enum br_status br_ninja_deps_add(struct br_ninja_deps *deps, const char *output, int64_t mtime_ns,
                                 const char *depfile, struct br_diag *diag)
{
    uint32_t number;
    deps->inputs = 0;
    enum br_status status = read_depfile(deps, depfile, diag);
    if (!status && !number_of(deps, output, &number))
        status = br_fail_memory(diag);
    if (status || (deps->inputs + 3) * 4 > SIZE_MOST) /* ninja keeps no larger ones either */
        return status;
    uint32_t head[] = {((deps->inputs + 3) * 4) | is_deps, number, (uint32_t)mtime_ns,
                       (uint32_t)(mtime_ns >> 32)};
    fwrite(head, sizeof head, 1, deps->file);
    fwrite(deps->input, 4, deps->inputs, deps->file);
    return BR_OK;
}
