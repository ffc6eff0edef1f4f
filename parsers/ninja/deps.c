/* The file, version 4, after ninja's manual and ninja 1.11 to 1.13: a line and a version number,
 * then records of 32-bit words, each after its size in bytes. A path is padded with NULs and
 * followed by the complement of its number; paths are numbered in their order. A record whose size
 * has the top bit set is an output, its time in nanoseconds (two words), and its inputs, by
 * numbers. The last record of an output counts. */
#include "parsers/ninja/deps.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const char br_ninja_deps_magic[16] = "# ninjadeps\n\4\0\0"; /* and the top byte of the version */

void br_ninja_deps_begin(struct br_ninja_deps_reader *reader, FILE *file)
{
    char head[sizeof br_ninja_deps_magic];
    *reader = (struct br_ninja_deps_reader){.file = file, .block = malloc(BR_NINJA_DEPS_SIZE + 1)};
    reader->failed = !reader->block;
    if (fread(head, sizeof head, 1, file) == 1 &&
        memcmp(head, br_ninja_deps_magic, sizeof head) == 0)
        reader->end = sizeof head;
    reader->failed |= ferror(file) != 0;
}

static bool ninja_deps_read_output(struct br_ninja_deps_reader *reader, uint32_t bytes,
                                   struct br_ninja_deps_record *record)
{
    uint32_t head[3];
    if (bytes < sizeof head)
        return false;
    memcpy(head, reader->block, sizeof head);
    *record = (struct br_ninja_deps_record){
        .output = head[0],
        .input = (const uint32_t *)(const void *)(reader->block + sizeof head),
        .inputs = (bytes - (uint32_t)sizeof head) / 4,
        .mtime_ns = (int64_t)((uint64_t)head[2] << 32 | head[1])};
    bool good = record->output < reader->paths;
    for (uint32_t n = 0; n < record->inputs && good; n++)
        good = record->input[n] < reader->paths;
    return good;
}

static bool ninja_deps_read_path(struct br_ninja_deps_reader *reader, uint32_t bytes,
                                 struct br_ninja_deps_record *record)
{
    uint32_t check;
    assert(bytes >= 8 && bytes % 4 == 0);
    memcpy(&check, reader->block + bytes - 4, 4);
    if (check != ~reader->paths)
        return false;
    *record = (struct br_ninja_deps_record){.path = reader->block,
                                            .size = (uint32_t)strnlen(reader->block, bytes - 4)};
    reader->paths++;
    return true;
}

bool br_ninja_deps_next(struct br_ninja_deps_reader *reader, struct br_ninja_deps_record *record)
{
    uint32_t size;
    if (!reader->end || reader->failed)
        return false;
    bool good = fread(&size, 4, 1, reader->file) == 1;
    const uint32_t bytes = good ? size & ~br_ninja_deps_output : 0;
    good = good && bytes <= BR_NINJA_DEPS_SIZE && bytes % 4 == 0 && bytes >= 8 &&
           fread(reader->block, 1, bytes, reader->file) == bytes;
    good = good && (size & br_ninja_deps_output ? ninja_deps_read_output(reader, bytes, record)
                                                : ninja_deps_read_path(reader, bytes, record));
    reader->failed = ferror(reader->file) != 0;
    if (good)
        reader->end += 4 + (long)bytes;
    return good;
}

void br_ninja_deps_end(struct br_ninja_deps_reader *reader)
{
    free(reader->block);
    reader->block = NULL;
}
