/* Logs of Spark in parts: a folder of files "events_1_APP", "events_2_APP", ..., read as one.
 * Internal to source.c. */
#ifndef BR_PARSERS_TEXT_PARTS_H
#define BR_PARSERS_TEXT_PARTS_H

#include <stdint.h>

#include "base/text/diag.h"

struct br_parts; /* the parts not read yet */

/* *parts is NULL if the folder has no such file; else the caller's to destroy. BR_BAD_INPUT if one
 * is missing, BR_SYSTEM if the folder cannot be read. Takes over the descriptor. */
enum br_status br_parts_open(int folder, struct br_parts **parts, struct br_diag *diag);
/* A descriptor of the next part, the caller's to close. -1: there is none (errno 0), or it cannot
 * be opened. */
int br_parts_next(struct br_parts *parts);
void br_parts_destroy(struct br_parts *parts);

#endif
