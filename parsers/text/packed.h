/* Compressed files: the kind of compression, and the way to their text. Internal to source.c. */
#ifndef BR_PARSERS_TEXT_PACKED_H
#define BR_PARSERS_TEXT_PACKED_H

#include <stddef.h>

#include "base/text/diag.h"

/* BR_BAD_INPUT if the first bytes are those of a compressed file; the hint is the command that
 * decompresses it. */
enum br_status br_packed_refuse(const char *bytes, size_t size, struct br_diag *diag);

#endif
