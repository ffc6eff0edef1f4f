/* Parts shared by the writers of workloads. Internal to this room. */
#ifndef BR_CLUSTER_WORKLOAD_WRITE_FORM_H
#define BR_CLUSTER_WORKLOAD_WRITE_FORM_H

#include <stdio.h>

#include "cluster/workload/workload.h"

/* A form writes the workload, whose dags have these paths (NULL: none); every job has one. */
typedef void br_write_workload(const struct br_workload *workload, const char *const *path,
                               FILE *out);
br_write_workload br_write_workload_xml, br_write_workload_csv, br_write_workload_tasks;
/* Why a job of this dag does not fit the table of jobs with their tasks; NULL: it fits. */
const char *br_tasks_fault(const struct br_dag *dag);

/* Which job of its dag's file the job is; NULL: the file holds only one. */
static inline const char *br_workload_entry(const struct br_workload *workload,
                                            const struct br_workload_job *job)
{
    return job->entry ? job->entry : workload->dag[job->dag].entry;
}

/* A field of a table with commas, quoted if necessary. */
void br_write_table_text(FILE *out, const char *text);

#endif
