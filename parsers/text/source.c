/* Files and standard input behind one forward read. */
#include "parsers/text/source.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text/text.h"
#include "parsers/text/packed.h"
#include "parsers/text/parts.h"
#include "parsers/text/unpack.h"

/* Continues the file with its next part. */
static bool source_next_part(struct br_source *source)
{
    int fd = source->parts ? br_parts_next(source->parts) : -1;
    if (fd < 0) {
        source->fault = source->parts ? errno : 0;
        return false;
    }
    if (source->owned)
        close(source->fd);
    source->fd = fd;
    return source->owned = true;
}

static ssize_t source_read_file(void *from, char *to, size_t size)
{
    struct br_source *source = from;
    ssize_t n;
    do
        n = read(source->fd, to, size);
    while ((n < 0 && errno == EINTR) || (n == 0 && source_next_part(source)));
    if (n < 0)
        source->fault = errno;
    return source->fault ? -1 : n;
}

static ssize_t read_some(struct br_source *source, char *to, size_t size)
{
    if (source->unpack)
        return br_unpack_read(source->unpack, to, size, source_read_file, source, &source->damage);
    return source_read_file(source, to, size);
}

enum br_status br_source_fail(const struct br_source *source, struct br_diag *diag)
{
    if (source->damage) {
        char hint[80];
        const char *packer = br_unpack_name(source->unpack);
        snprintf(hint, sizeof hint, "'%s -dcf FILE | bigrocks ... -' reads the intact part",
                 packer);
        return br_fail_at(diag, BR_NO_POS, BR_BAD_INPUT, hint,
                          "the text cannot be decompressed by %s: %s", packer, source->damage);
    }
    const char *hint = source->fault == EISDIR ? "give a file" : NULL;
    return br_fail_at(diag, BR_NO_POS, BR_SYSTEM, hint, "cannot be read: %s",
                      strerror(source->fault));
}

/* Fills the buffer with the first bytes. */
static enum br_status source_fill(struct br_source *source, struct br_diag *diag)
{
    source->filled = 0;
    while (source->filled < BR_SOURCE_PREFIX) {
        ssize_t n =
            read_some(source, source->buffer + source->filled, BR_SOURCE_PREFIX - source->filled);
        if (n < 0)
            return br_source_fail(source, diag);
        if (n == 0)
            break;
        source->filled += (size_t)n;
    }
    assert(source->filled <= BR_SOURCE_PREFIX);
    source->buffer[source->filled] = 0;
    return BR_OK;
}

static enum br_status source_open_file(struct br_source *source, const char *path,
                                       struct br_diag *diag)
{
    *source = (struct br_source){.name = path, .fd = STDIN_FILENO};
    if (strcmp(path, "-") == 0) {
        source->name = "<stdin>";
    } else {
        source->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
        source->owned = source->fd >= 0;
    }
    br_diag_file(diag, source->name);
    if (source->fd < 0) {
        source->fault = errno;
        return br_source_fail(source, diag);
    }
    source->buffer = malloc(BR_SOURCE_PREFIX + 1);
    return source->buffer ? BR_OK : br_fail_memory(diag);
}

/* The parts of a log, if the file is a folder of them. */
static enum br_status open_parts(struct br_source *source, struct br_diag *diag)
{
    struct stat state;
    if (fstat(source->fd, &state) || !S_ISDIR(state.st_mode))
        return BR_OK;
    int folder = fcntl(source->fd, F_DUPFD_CLOEXEC, 0);
    if (folder < 0) {
        source->fault = errno;
        return br_source_fail(source, diag);
    }
    enum br_status status = br_parts_open(folder, &source->parts, diag);
    if (!status && (!source->parts || !source_next_part(source))) {
        source->fault = source->parts ? source->fault : EISDIR;
        status = br_source_fail(source, diag);
    }
    return status;
}

/* From now on decompresses what is read. */
static enum br_status unpack(struct br_source *source, struct br_diag *diag)
{
    assert(!source->unpack);
    char *buffer = malloc(BR_SOURCE_PREFIX + 1);
    source->unpack =
        buffer ? br_unpack_create(source->buffer, source->filled, BR_SOURCE_PREFIX) : NULL;
    if (!source->unpack) {
        free(buffer);
        return br_fail_memory(diag);
    }
    source->buffer = buffer;
    return source_fill(source, diag);
}

enum br_status br_source_open(struct br_source *source, const char *path, struct br_diag *diag)
{
    enum br_status status = source_open_file(source, path, diag);
    if (!status)
        status = open_parts(source, diag);
    if (!status)
        status = source_fill(source, diag);
    if (!status && br_unpack_knows(source->buffer, source->filled))
        status = unpack(source, diag);
    if (!status)
        status = br_packed_refuse(source->buffer, source->filled, diag);
    if (status)
        br_source_close(source);
    return status;
}

void br_source_close(struct br_source *source)
{
    if (source->owned)
        close(source->fd);
    br_parts_destroy(source->parts);
    br_unpack_destroy(source->unpack);
    free(source->buffer);
    *source = (struct br_source){.fd = -1};
}

struct br_source br_source_of_text(char *text, size_t size)
{
    return (struct br_source){.name = "", .fd = -1, .buffer = text, .filled = size};
}

ssize_t br_source_read(struct br_source *source, char *to, size_t size)
{
    assert(source->used <= source->filled);
    if (source->used == source->filled) {
        if (source->fd < 0)
            return 0;
        ssize_t n = read_some(source, source->buffer, BR_SOURCE_PREFIX);
        if (n <= 0)
            return n;
        source->filled = (size_t)n;
        source->used = 0;
    }
    size_t rest = source->filled - source->used, n = size < rest ? size : rest;
    memcpy(to, source->buffer + source->used, n);
    source->used += n;
    return (ssize_t)n;
}

/* The place of a byte of the text; columns count bytes. */
static struct br_pos source_place_of(const char *text, size_t at)
{
    struct br_pos pos = {1, 1};
    for (size_t i = 0; i < at; i++) {
        pos.column++;
        if (text[i] == '\n')
            pos = (struct br_pos){pos.line + 1, 1};
    }
    return pos;
}

static enum br_status source_rest(struct br_source *source, size_t limit, const char *format,
                                  bool text_only, char **text, size_t *length, struct br_diag *diag)
{
    size_t room = BR_SOURCE_PREFIX + 1, size = 0;
    char *memory = malloc(room);
    enum br_status status = memory ? BR_OK : br_fail_memory(diag);
    while (!status) {
        assert(size + 1 < room);
        ssize_t n = br_source_read(source, memory + size, room - size - 1);
        if (n < 0)
            status = br_source_fail(source, diag);
        if (n <= 0)
            break;
        size += (size_t)n;
        if (text_only && memchr(memory + size - n, 0, (size_t)n)) /* no text goes on after it */
            break;
        if (size > limit) {
            status = br_fail_at(
                diag, BR_NO_POS, BR_BAD_INPUT,
                "is this the file that you meant? Jobs in the native XML form have no such limit",
                "the file is larger than the %zu MiB that are read of the %s "
                "format",
                limit >> 20, format);
        } else if (room - size - 1 == 0) {
            char *larger = realloc(memory, room * 2);
            if (larger) {
                memory = larger;
                room *= 2;
            } else {
                status = br_fail_memory(diag);
            }
        }
    }
    if (status) {
        free(memory);
        memory = NULL;
    } else {
        memory[size] = 0;
    }
    *text = memory;
    *length = size;
    return status;
}

enum br_status br_source_bytes(struct br_source *source, size_t limit, const char *format,
                               char **text, size_t *length, struct br_diag *diag)
{
    return source_rest(source, limit, format, true, text, length, diag);
}

enum br_status br_source_binary(struct br_source *source, size_t limit, const char *format,
                                char **bytes, size_t *length, struct br_diag *diag)
{
    return source_rest(source, limit, format, false, bytes, length, diag);
}

enum br_status br_source_check(const char *text, size_t size, struct br_diag *diag)
{
    const size_t valid = br_text_utf8_length(text, size);
    if (valid == size)
        return BR_OK;
    if (text[valid] == 0)
        return br_fail_at(diag, source_place_of(text, valid), BR_BAD_INPUT, "is this a text file?",
                          "there is a NUL byte in the text");
    return br_fail_at(diag, source_place_of(text, valid), BR_BAD_INPUT, "save the file as UTF-8",
                      "the text is not valid UTF-8");
}

enum br_status br_source_text(struct br_source *source, size_t limit, const char *format,
                              char **text, struct br_diag *diag)
{
    size_t size;
    enum br_status status = br_source_bytes(source, limit, format, text, &size, diag);
    if (!status)
        status = br_source_check(*text, size, diag);
    if (status) {
        free(*text);
        *text = NULL;
    }
    return status;
}

const char *br_source_stem(const struct br_source *source, const char *fallback, char *name,
                           size_t size)
{
    const char *slash = strrchr(source->name, '/');
    const char *base = slash ? slash + 1 : source->name;
    const char *dot = strrchr(base, '.');
    size_t length = dot && dot != base ? (size_t)(dot - base) : strlen(base);
    if (!source->owned || length == 0 || length >= size)
        return fallback;
    memcpy(name, base, length);
    name[length] = 0;
    return br_text_is_plain(name) ? name : fallback;
}
