/* The ways out: files that are there whole or not at all, and the format that they are written in.
 */
#ifndef BR_CLI_COMMON_OUTPUT_H
#define BR_CLI_COMMON_OUTPUT_H

#include <stdio.h>

#include "base/text/diag.h"
#include "cli/common/settings.h"

/* An output file that appears under its name only when it is complete. */
struct cli_output {
    FILE *file;
    char *target;    /* NULL: standard output */
    char *temporary; /* NULL where there is none, as `file` has no name or is the target (pipes) */
    bool unnamed;    /* `file` gets its name at the end */
    FILE *drawn; /* the target, where `file` is an SVG of which a picture is made at the end; else
                    NULL */
    const char *form; /* of that picture */
};

/* Opens the file at path; NULL and "-" are standard output. */
enum br_status cli_output_open(struct cli_output *output, const char *path, struct br_diag *diag);
/* Opens the file that the settings name for the format (NULL: none). Where it is "svg" because the
 * file's name ends in .pdf or .png, what is written becomes such a picture; BR_SYSTEM where none
 * can be drawn. */
enum br_status cli_output_open_format(struct cli_output *output,
                                      const struct cli_output_settings *settings,
                                      const char *format, struct br_diag *diag);
/* Completes the file if `status` is BR_OK, else removes what there is of it. Returns the status,
 * or BR_SYSTEM where something could not be written. */
enum br_status cli_output_close(struct cli_output *output, enum br_status status,
                                struct br_diag *diag);
/* The format that -o FILE suggests by its ending ("plan.svg"), among the names; NULL if none. Of
 * .pdf and .png that is "svg", of which cli_output_open_format makes them. */
const char *cli_format_of(const char *path, const char *(*name)(uint32_t k));
/* The format that -f gives, or that -o FILE suggests; BR_USAGE where neither says. `known` is
 * the table that it must be in. */
enum br_status cli_format(const struct cli_output_settings *settings,
                          const char *(*known)(uint32_t k), const char **format,
                          struct br_diag *diag);

#endif
