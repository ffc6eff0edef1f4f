/* Asks Snakemake itself for the jobs of a workflow. */
#ifndef BR_CLI_BUILDERS_SNAKEMAKE_ASK_H
#define BR_CLI_BUILDERS_SNAKEMAKE_ASK_H

#include <stdbool.h>

#include "base/text/diag.h"

struct cli_snakemake_question {
    const char *folder, *file;   /* file: NULL: the Snakefile that Snakemake finds */
    const char *const *argument; /* targets, and options of Snakemake's */
    uint32_t arguments;
    uint32_t cores; /* no job has more threads than these */
    bool dirty;     /* only what is out of date; else all jobs */
};

/* Makes $SNAKEMAKE, or the snakemake along PATH, do a dry run that writes its jobs in the form that
 * br_parse_snakemake reads, into *fd, the caller's to close. If it fails, its messages are shown.
 * BR_SYSTEM if there is no Snakemake or one before version 9, BR_BAD_INPUT if it refuses. */
enum br_status cli_snakemake_ask(const struct cli_snakemake_question *question, int *fd,
                                 struct br_diag *diag);

#endif
