/* The one input of a reader: a file or standard input, read forwards, with its first bytes kept so
 * that the format can be recognised before the reader starts. */
#ifndef BR_PARSERS_TEXT_SOURCE_H
#define BR_PARSERS_TEXT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/text/diag.h"

struct br_parts;
struct br_unpack;

/* Bytes examined to recognise a format. */
enum { BR_SOURCE_PREFIX = 1 << 16 };

struct br_source {
    const char *name;       /* of the file in diagnostics; borrowed from the path */
    int fd;                 /* -1: the buffer holds all there is */
    bool owned;             /* we close the file; standard input is not closed */
    char *buffer;           /* BR_SOURCE_PREFIX bytes and a NUL */
    size_t filled;          /* bytes in the buffer; before the first read: the file's first bytes */
    size_t used;            /* how many of them have been passed on */
    int fault;              /* errno of the read that failed; 0: none */
    struct br_parts *parts; /* parts of a log in a folder, after fd; NULL: none */
    struct br_unpack *unpack; /* NULL: the text is not compressed */
    const char *damage;       /* why it cannot be decompressed; NULL: it can */
};

/* Opens the file, standard input for "-", or the parts of a log in a folder, and reads the first
 * bytes; gzip and zstd are decompressed. Names the file in the diagnostic. BR_SYSTEM if it cannot
 * be read, BR_BAD_INPUT if it is compressed in another form; then there is nothing to close. */
enum br_status br_source_open(struct br_source *source, const char *path, struct br_diag *diag);
void br_source_close(struct br_source *source);
/* A source of a text that is in memory already; borrowed, and nothing to close. It has no name. */
struct br_source br_source_of_text(char *text, size_t size);

/* Copies up to size bytes; 0 at the end, -1 if reading fails (source->fault has the errno). */
ssize_t br_source_read(struct br_source *source, char *to, size_t size);
/* The error after a read that failed. */
enum br_status br_source_fail(const struct br_source *source, struct br_diag *diag);

/* The whole rest as one NUL-terminated text, the caller's to free. Refused: more than `limit`
 * bytes, NUL bytes, and invalid UTF-8. `format` names the format in the diagnostic. */
enum br_status br_source_text(struct br_source *source, size_t limit, const char *format,
                              char **text, struct br_diag *diag);

/* The same two steps apart, for formats that declare their encoding: the rest as bytes, up to the
 * first piece with a NUL byte, with a NUL after them; and the check for NUL bytes and UTF-8. */
enum br_status br_source_bytes(struct br_source *source, size_t limit, const char *format,
                               char **text, size_t *length, struct br_diag *diag);
enum br_status br_source_check(const char *text, size_t size, struct br_diag *diag);

/* The whole rest as bytes of any kind, with a NUL after them; the caller's to free. */
enum br_status br_source_binary(struct br_source *source, size_t limit, const char *format,
                                char **bytes, size_t *length, struct br_diag *diag);

/* The path's last part without its extension, as a name for a job whose file gives none. Returns
 * fallback (borrowed) if that is not usable; else writes into name. */
const char *br_source_stem(const struct br_source *source, const char *fallback, char *name,
                           size_t size);

#endif
