/* The check of proofs that files carry. */
#ifndef BR_CLI_BOUNDS_CHECK_CERTIFICATE_H
#define BR_CLI_BOUNDS_CHECK_CERTIFICATE_H

#include "base/text/diag.h"
#include "cli/options/settings.h"

/* Checks the proofs of lower bounds that the files carry, and prints each result. With a form of
 * proofs, writes that of a single file in it. BR_NO if one fails. */
enum br_status cli_check_certificates(const struct cli_settings *settings, const char *const *path,
                                      uint32_t paths, struct br_diag *diag);

#endif
