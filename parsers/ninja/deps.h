/* A .ninja_deps, record by record: the files that compilers have reported as read, by output. */
#ifndef BR_PARSERS_NINJA_DEPS_H
#define BR_PARSERS_NINJA_DEPS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Ninja reads no larger records; a path's also holds its number and up to three NULs. */
enum { BR_NINJA_DEPS_SIZE = (1 << 19) - 1, BR_NINJA_DEPS_PATH = BR_NINJA_DEPS_SIZE - 7 };
/* The start of a file. */
extern const char br_ninja_deps_magic[16];
/* Bit of a record's size that marks an output. */
static const uint32_t br_ninja_deps_output = UINT32_C(1) << 31;

struct br_ninja_deps_reader {
    FILE *file;     /* borrowed */
    char *block;    /* owned */
    uint32_t paths; /* that have been read */
    long end;       /* end of the last good record; 0: not such a file */
    bool failed;    /* memory is out, or the file cannot be read */
};

/* The contents of a record: of a path, which gets the next number, or of an output. Borrowed until
 * the next record is read. */
struct br_ninja_deps_record {
    const char *path; /* NULL: it is an output's */
    uint32_t size;    /* of the path */
    uint32_t output;  /* its number, and those of its inputs, all below the number of paths read */
    const uint32_t *input;
    uint32_t inputs;
    int64_t mtime_ns; /* of the output */
};

/* Reads from the beginning of the file. */
void br_ninja_deps_begin(struct br_ninja_deps_reader *reader, FILE *file);
/* The next record; false at the end, at the first damaged one, and after a failure. */
bool br_ninja_deps_next(struct br_ninja_deps_reader *reader, struct br_ninja_deps_record *record);
void br_ninja_deps_end(struct br_ninja_deps_reader *reader);

#endif
