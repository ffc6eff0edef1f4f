/* Files that are compressed by gzip or zstd, as their text. Internal to source.c. */
#ifndef BR_PARSERS_TEXT_UNPACK_H
#define BR_PARSERS_TEXT_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct br_unpack;

/* Reads up to size bytes of the file itself; 0 at its end, -1 if that fails. */
typedef ssize_t br_unpack_pull(void *from, char *to, size_t size);

/* Can a file with this beginning be read here? */
bool br_unpack_knows(const char *bytes, size_t size);
/* Takes over `bytes`, the first of the file, which is of a known kind, with their `room`; NULL if
 * memory is out, and then they stay the caller's. */
struct br_unpack *br_unpack_create(char *bytes, size_t size, size_t room);
/* "gzip" or "zstd". */
const char *br_unpack_name(const struct br_unpack *unpack);
/* Reads the text, as pull reads the file. If it fails and *fault stays NULL, pull has failed; else
 * *fault has the reason. */
ssize_t br_unpack_read(struct br_unpack *unpack, char *to, size_t size, br_unpack_pull *pull,
                       void *from, const char **fault);
void br_unpack_destroy(struct br_unpack *unpack);

#endif
