/* Files that are compressed or are folders of logs: what they are, and how a reader gets its text.
 * Internal to source.c. */
#ifndef BR_PARSERS_TEXT_PACKED_H
#define BR_PARSERS_TEXT_PACKED_H

#include <stddef.h>

#include "base/text/diag.h"

/* BR_BAD_INPUT if the first bytes are those of a compressed file; the hint is the command that
 * decompresses it. */
enum br_status br_packed_refuse(const char *bytes, size_t size, struct br_diag *diag);
/* The hint for a path that is a folder. Static storage. */
const char *br_packed_folder_hint(const char *path);

#endif
