/* Recognises compressed files by their first bytes; those of gzip and zstd come here if their
 * libraries are not built in, or inside others. Spark compresses its logs in forms of its own: lz4
 * in blocks of lz4-java, snappy in blocks of snappy-java, and LZF; its zstd is that of the program.
 */
#include "parsers/text/packed.h"

#include <string.h>

#define BY_PROGRAM(program) "decompress it first: '" program " -dc FILE | bigrocks ... -'"
#define BY_SPARK                                                                                   \
    "no program reads Spark's own form of it: write logs with spark.eventLog.compress=false, or "  \
    "with spark.eventLog.compression.codec=zstd"

static const struct {
    const char *name, *magic;
    size_t length;
    const char *hint;
} packings[] = {
    {"gzip", "\x1f\x8b", 2, BY_PROGRAM("gzip")},
    {"zstd", "\x28\xb5\x2f\xfd", 4, BY_PROGRAM("zstd")},
    {"xz",
     "\xfd"
     "7zXZ\0",
     6, BY_PROGRAM("xz")},
    {"bzip2", "BZh", 3, BY_PROGRAM("bzip2")},
    {"lz4", "\x04\x22\x4d\x18", 4, BY_PROGRAM("lz4")},
    {"lz4, in Spark's blocks", "LZ4Block", 8, BY_SPARK},
    {"snappy, in Spark's blocks", "\x82SNAPPY\0", 8, BY_SPARK},
    {"snappy", "\xff\x06\0\0sNaPpY", 10, BY_PROGRAM("snzip")},
    {"LZF", "ZV\x01", 3, BY_SPARK},
};

enum br_status br_packed_refuse(const char *bytes, size_t size, struct br_diag *diag)
{
    const struct br_pos start = {1, 1};
    for (size_t k = 0; k < sizeof packings / sizeof packings[0]; k++) {
        size_t length = packings[k].length;
        if (size < length || memcmp(bytes, packings[k].magic, length) != 0)
            continue;
        /* A text may consist of these letters alone; in a compressed file a block's mark follows.
         */
        if (strcmp(packings[k].name, "bzip2") == 0 &&
            (size < 10 || (memcmp(bytes + 4, "1AY&SY", 6) != 0 &&
                           memcmp(bytes + 4, "\x17\x72\x45\x38\x50\x90", 6) != 0)))
            continue;
        return br_fail_at(diag, start, BR_BAD_INPUT, packings[k].hint,
                          "the file is compressed by %s", packings[k].name);
    }
    return BR_OK;
}
