/* Workload jobs that need no file: "generate:KIND" instead of a path, with the seed as the entry.
 * Options follow the kind: "generate:layered,tasks=500,stages=20,spread=0.3". */
#ifndef BR_CLUSTER_WORKLOAD_READ_MADE_H
#define BR_CLUSTER_WORKLOAD_READ_MADE_H

#include <stdbool.h>

#include "generate/generate.h"

/* Does the name, given as a path, ask for such a job? A file of that name is "./generate:x". */
bool br_is_made_job(const char *name);
/* Makes the job, which is the caller's. BR_BAD_INPUT for an unknown kind or option, and for a seed
 * that is not a whole number. */
enum br_status br_made_job(const char *name, const char *seed, struct br_dag **dag,
                           struct br_diag *diag);
/* Writes the name of jobs with these options; the entry holds their seed. Like snprintf. */
enum { BR_MADE_NAME = 160 };
int br_made_name(const struct br_generate_options *options, char *name, size_t size);

#endif
