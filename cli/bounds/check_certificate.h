/* The check of proofs that files carry. */
#ifndef BR_CLI_BOUNDS_CHECK_CERTIFICATE_H
#define BR_CLI_BOUNDS_CHECK_CERTIFICATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text/diag.h"

/* Checks the proofs of lower bounds that the files carry, and prints each result. BR_NO if one
 * fails. */
enum br_status cli_check_certificates(bool quiet, const char *const *path, uint32_t paths,
                                      struct br_diag *diag);

#endif
