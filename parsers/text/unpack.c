/* Decompression by zlib and libzstd, if the program is built with them. */
#include "parsers/text/unpack.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#ifdef BR_ZLIB
#include <zlib.h>
#endif
#ifdef BR_ZSTD
#include <zstd.h>
#endif

/* A way to decompress. Each step takes some of the bytes and makes some of the text, and records
 * whether a frame ends there; false, with the fault, if that fails. */
struct way {
    const char *name, *magic;
    size_t length;
    bool (*begin)(struct br_unpack *unpack);
    bool (*step)(struct br_unpack *unpack, char *to, size_t size, size_t *made, const char **fault);
    void (*end)(struct br_unpack *unpack);
};

struct br_unpack {
    const struct way *way;
    void *state;
    char *bytes;
    size_t room, size, used;
    bool open; /* a frame is not at its end */
};

#ifdef BR_ZLIB
enum { GZIP_ALONE = 16 + MAX_WBITS };

static bool gzip_begin(struct br_unpack *unpack)
{
    z_stream *stream = calloc(1, sizeof *stream);
    if (stream && inflateInit2(stream, GZIP_ALONE) != Z_OK) {
        free(stream);
        stream = NULL;
    }
    unpack->state = stream;
    return stream != NULL;
}

static bool gzip_step(struct br_unpack *unpack, char *to, size_t size, size_t *made,
                      const char **fault)
{
    z_stream *stream = unpack->state;
    assert(unpack->used <= unpack->size && unpack->size <= unpack->room);
    /* One member may follow another. */
    if (!unpack->open && unpack->used < unpack->size)
        inflateReset(stream);
    stream->next_in = (Bytef *)unpack->bytes + unpack->used;
    stream->avail_in = (uInt)(unpack->size - unpack->used);
    stream->next_out = (Bytef *)to;
    stream->avail_out = (uInt)size;
    const int state = inflate(stream, Z_NO_FLUSH);
    const size_t took = unpack->size - unpack->used - stream->avail_in;
    unpack->used += took;
    *made = size - stream->avail_out;
    if (state == Z_STREAM_END)
        unpack->open = false;
    else if (took || *made)
        unpack->open = true;
    if (state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR)
        *fault = stream->msg ? stream->msg : zError(state);
    return !*fault;
}

static void gzip_end(struct br_unpack *unpack)
{
    inflateEnd(unpack->state);
    free(unpack->state);
}
#endif

#ifdef BR_ZSTD
static bool zstd_begin(struct br_unpack *unpack)
{
    unpack->state = ZSTD_createDStream();
    return unpack->state != NULL;
}

static bool zstd_step(struct br_unpack *unpack, char *to, size_t size, size_t *made,
                      const char **fault)
{
    ZSTD_outBuffer out = {to, size, 0};
    ZSTD_inBuffer in = {unpack->bytes, unpack->size, unpack->used};
    const size_t left = ZSTD_decompressStream(unpack->state, &out, &in);
    if (ZSTD_isError(left))
        *fault = ZSTD_getErrorName(left);
    else if (out.pos || in.pos > unpack->used)
        unpack->open = left > 0;
    unpack->used = in.pos;
    assert(unpack->used <= unpack->size && out.pos <= size);
    *made = out.pos;
    return !*fault;
}

static void zstd_end(struct br_unpack *unpack)
{
    ZSTD_freeDStream(unpack->state);
}
#endif

static const struct way ways[] = {
#ifdef BR_ZLIB
    {"gzip", "\x1f\x8b", 2, gzip_begin, gzip_step, gzip_end},
#endif
#ifdef BR_ZSTD
    {"zstd", "\x28\xb5\x2f\xfd", 4, zstd_begin, zstd_step, zstd_end},
#endif
    {.name = NULL}};

static const struct way *way_of(const char *bytes, size_t size)
{
    const struct way *way = ways;
    while (way->name && (size < way->length || memcmp(bytes, way->magic, way->length) != 0))
        way++;
    return way->name ? way : NULL;
}

bool br_unpack_knows(const char *bytes, size_t size)
{
    return way_of(bytes, size) != NULL;
}

struct br_unpack *br_unpack_create(char *bytes, size_t size, size_t room)
{
    const struct way *way = way_of(bytes, size);
    struct br_unpack *unpack = way ? malloc(sizeof *unpack) : NULL;
    if (!unpack)
        return NULL;
    *unpack =
        (struct br_unpack){.way = way, .bytes = bytes, .room = room, .size = size, .open = true};
    if (way->begin(unpack))
        return unpack;
    free(unpack);
    return NULL;
}

const char *br_unpack_name(const struct br_unpack *unpack)
{
    return unpack->way->name;
}

ssize_t br_unpack_read(struct br_unpack *unpack, char *to, size_t size, br_unpack_pull *pull,
                       void *from, const char **fault)
{
    for (;;) {
        size_t made = 0;
        if (!unpack->way->step(unpack, to, size, &made, fault))
            return -1;
        if (made)
            return (ssize_t)made;
        if (unpack->used < unpack->size)
            continue;
        ssize_t n = pull(from, unpack->bytes, unpack->room);
        if (n == 0 && unpack->open)
            *fault = "its end is missing";
        if (n <= 0)
            return *fault ? -1 : n;
        assert(unpack->used == unpack->size && (size_t)n <= unpack->room);
        unpack->size = (size_t)n;
        unpack->used = 0;
    }
}

void br_unpack_destroy(struct br_unpack *unpack)
{
    if (!unpack)
        return;
    unpack->way->end(unpack);
    free(unpack->bytes);
    free(unpack);
}
