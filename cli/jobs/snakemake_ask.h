/* What a workflow is made of, asked of Snakemake itself. */
#ifndef BR_CLI_JOBS_SNAKEMAKE_ASK_H
#define BR_CLI_JOBS_SNAKEMAKE_ASK_H

#include <stdbool.h>

#include "base/text/diag.h"

struct cli_snakemake_question {
    const char *folder, *file;   /* file: NULL: the Snakefile that Snakemake takes by itself */
    const char *const *argument; /* targets, and options of Snakemake's */
    uint32_t arguments;
    uint32_t cores; /* no job has more threads than these */
    bool dirty;     /* only what is out of date; else all jobs */
};

/* Lets $SNAKEMAKE, or the snakemake along PATH, make a dry run that writes its jobs in the form
 * that br_parse_snakemake reads, into *fd, the caller's to close. What Snakemake says is shown
 * where it fails. BR_SYSTEM where there is no Snakemake or one before 9, BR_BAD_INPUT where it
 * refuses. */
enum br_status cli_snakemake_ask(const struct cli_snakemake_question *question, int *fd,
                                 struct br_diag *diag);

#endif
