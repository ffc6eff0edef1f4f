/* The jobs named by a list of files or by a folder. */
#ifndef BR_CLI_INPUTS_JOB_LIST_H
#define BR_CLI_INPUTS_JOB_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text/diag.h"

struct cli_job_list {
    char *folder; /* folder of relative names: "" or with a slash at its end */
    char *text;   /* the names, each with a NUL */
    size_t used, room;
    size_t *name; /* by job: where its name begins in the text */
    uint32_t count, names_room;
};

/* The files that a list names (path, or "-" for standard input), or those in a folder that the
 * readers of jobs recognise (with any_format: all files), by name in byte order. Fills an empty
 * struct; release with cli_job_list_finish also after a failure. */
enum br_status cli_job_list_read(struct cli_job_list *list, const char *path, bool any_format,
                                 struct br_diag *diag);
void cli_job_list_finish(struct cli_job_list *list);
/* The name of job `index` (its number less 1) as the list has it. Borrowed. */
const char *cli_job_list_name(const struct cli_job_list *list, uint32_t index);
/* The path to open it at: the caller's to free; NULL when memory is out. */
char *cli_job_list_path(const struct cli_job_list *list, uint32_t index);

#endif
