/* The form of --overbook: net=150,disk=120. */
#ifndef BR_RUNTIME_DRIVERS_COMMON_OVERBOOK_H
#define BR_RUNTIME_DRIVERS_COMMON_OVERBOOK_H

#include <bigrocks/diag.h>
#include <stdint.h>

enum { BR_OVERBOOK_NAME = 128 };

/* Reads "net=150" at the beginning of "net=150,disk=120", and moves *text past it. BR_USAGE if it
 * is malformed. */
enum br_status br_overbook_read(const char **text, char name[BR_OVERBOOK_NAME], uint32_t *percent,
                                struct br_diag *diag);

#endif
