/* A share of numbered work: "I/N". */
#ifndef BR_CLI_OPTIONS_SHARD_H
#define BR_CLI_OPTIONS_SHARD_H

#include "base/text/diag.h"

/* Share I of N, from 1/1 on, has the numbers first, first + step, ... NULL: all. BR_USAGE. */
enum br_status cli_shard_read(const char *text, uint32_t *first, uint32_t *step,
                              struct br_diag *diag);

#endif
