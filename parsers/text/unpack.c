/* Decompression by libzstd, if the program is built with it. */
#include "parsers/text/unpack.h"

#include <stdlib.h>
#include <string.h>

#ifdef BR_ZSTD
#include <zstd.h>

struct br_unpack {
    ZSTD_DStream *stream;
    char *bytes;
    size_t room;
    ZSTD_inBuffer in;
    bool open; /* a frame is not at its end */
};

bool br_unpack_knows(const char *bytes, size_t size)
{
    return size >= 4 && memcmp(bytes, "\x28\xb5\x2f\xfd", 4) == 0;
}

struct br_unpack *br_unpack_create(char *bytes, size_t size, size_t room)
{
    struct br_unpack *unpack = malloc(sizeof *unpack);
    ZSTD_DStream *stream = unpack ? ZSTD_createDStream() : NULL;
    if (!stream) {
        free(unpack);
        return NULL;
    }
    *unpack = (struct br_unpack){stream, bytes, room, {bytes, size, 0}, true};
    return unpack;
}

ssize_t br_unpack_read(struct br_unpack *unpack, char *to, size_t size, br_unpack_pull *pull,
                       void *from, const char **fault)
{
    ZSTD_outBuffer out = {to, size, 0};
    for (;;) {
        size_t before = unpack->in.pos;
        size_t left = ZSTD_decompressStream(unpack->stream, &out, &unpack->in);
        if (ZSTD_isError(left)) {
            *fault = ZSTD_getErrorName(left);
            return -1;
        }
        if (out.pos || unpack->in.pos > before)
            unpack->open = left > 0;
        if (out.pos)
            return (ssize_t)out.pos;
        if (unpack->in.pos < unpack->in.size)
            continue;
        ssize_t n = pull(from, unpack->bytes, unpack->room);
        if (n == 0 && unpack->open)
            *fault = "its end is missing";
        if (n <= 0)
            return *fault ? -1 : n;
        unpack->in = (ZSTD_inBuffer){unpack->bytes, (size_t)n, 0};
    }
}

void br_unpack_destroy(struct br_unpack *unpack)
{
    if (!unpack)
        return;
    ZSTD_freeDStream(unpack->stream);
    free(unpack->bytes);
    free(unpack);
}

#else

bool br_unpack_knows(const char *bytes, size_t size)
{
    return false;
}

struct br_unpack *br_unpack_create(char *bytes, size_t size, size_t room)
{
    return NULL;
}

ssize_t br_unpack_read(struct br_unpack *unpack, char *to, size_t size, br_unpack_pull *pull,
                       void *from, const char **fault)
{
    *fault = "";
    return -1;
}

void br_unpack_destroy(struct br_unpack *unpack)
{
}

#endif
