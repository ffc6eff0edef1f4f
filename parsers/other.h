/* Files that are no jobs, but that people give when they want a plan: builds, workflows, models,
 * databases. */
#ifndef BR_PARSERS_OTHER_H
#define BR_PARSERS_OTHER_H

#include "parsers/text/source.h"

/* Reports the kind of the file, by its content or its name, and the command that reads it:
 * BR_BAD_INPUT. BR_OK: the kind is unknown. O(bytes in the buffer). */
enum br_status br_refuse_other(const struct br_source *source, struct br_diag *diag);

/* The columns that the reader of sacct's lines wants. */
#define BR_SACCT_USUAL                                                                             \
    "JobID,User,Account,Partition,State,Submit,Eligible,Start,End,ElapsedRaw,Timelimit,NNodes,"    \
    "AllocCPUS,ReqMem,AllocTRES"

/* Is it the output of 'sacct --json'? */
bool br_is_accounting_json(const char *text);
/* BR_BAD_INPUT for output of Slurm's sacct in another form than the one read here; the hint is the
 * command that writes that. */
enum br_status br_refuse_accounting(const char *text, struct br_diag *diag);

#endif
