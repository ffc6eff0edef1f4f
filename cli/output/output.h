/* Outputs: files that appear whole or not at all, and their formats. */
#ifndef BR_CLI_OUTPUT_OUTPUT_H
#define BR_CLI_OUTPUT_OUTPUT_H

#include <stdio.h>

#include "base/text/diag.h"
#include "cli/options/settings.h"

/* An output file that appears under its name only when it is complete. */
struct cli_output {
    FILE *file;
    char *target;    /* NULL: standard output */
    char *temporary; /* NULL if there is none: `file` has no name or is the target (pipes) */
    bool unnamed;    /* `file` gets its name at the end */
    FILE *drawn; /* the target, if `file` is an SVG from which a picture is made at the end; else
                    NULL */
    const char *form; /* of that picture */
};

/* Opens the file at path; NULL and "-" are standard output. */
enum br_status cli_output_open(struct cli_output *output, const char *path, struct br_diag *diag);
/* Opens the file that the settings name for the format (NULL: none). If the format is "svg" because
 * the file's name ends in .pdf or .png, the output becomes such a picture; BR_SYSTEM if none can be
 * drawn. */
enum br_status cli_output_open_format(struct cli_output *output,
                                      const struct cli_output_settings *settings,
                                      const char *format, struct br_diag *diag);
/* Completes the file if `status` is BR_OK, else removes it. Returns the status, or BR_SYSTEM if
 * writing failed. */
enum br_status cli_output_close(struct cli_output *output, enum br_status status,
                                struct br_diag *diag);
/* The format that the ending of -o FILE suggests ("plan.svg"), among the names; NULL if none. For
 * .pdf and .png it is "svg", from which cli_output_open_format makes them. */
const char *cli_format_of(const char *path, const struct br_names *rows);
/* The format that -f gives, or that -o FILE suggests; BR_USAGE if neither gives one. `known` is the
 * table that must contain it. */
enum br_status cli_format(const struct cli_output_settings *settings, const struct br_names *known,
                          const char **format, struct br_diag *diag);

#endif
