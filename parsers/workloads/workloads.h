/* Reading workloads from files: our own forms, and the records that clusters keep. One file and one
 * row of the table in workloads.c per format; the format is recognised from the content. */
#ifndef BR_PARSERS_WORKLOADS_WORKLOADS_H
#define BR_PARSERS_WORKLOADS_WORKLOADS_H

#include <stdbool.h>

#include "parsers/reader/input.h"
#include "workload/workload.h"

/* What a recorded job of n processors becomes. None is a gang of n tasks on several machines that
 * start together: the model has no such thing. */
enum br_parallel {
    BR_PARALLEL_POOL,  /* one task that demands n cpu of one machine, the pool of all processors */
    BR_PARALLEL_TASKS, /* a stage of n tasks of one cpu each, which may start apart */
};

/* What the groups of a recorded workload are. */
enum br_grouping {
    BR_GROUP_BY_USER,
    BR_GROUP_BY_ACCOUNT, /* SWF: the group number */
    BR_GROUP_BY_QUEUE,   /* Slurm: the partition */
    BR_GROUP_BY_NOTHING, /* all jobs are of the group "default" */
};

struct br_workload_options {
    const char *from; /* format's name; NULL: recognise it */
    enum br_parallel parallel;
    enum br_grouping group_by;
    bool completed_only;         /* recorded jobs that failed or were cancelled are left out */
    struct br_parse_options job; /* for the job files that a workload names */
};
struct br_workload_options br_workload_options_default(void);

/* Names of the workload formats, for k = 0, 1, ..., and a line on each; NULL past the end. */
const char *br_workload_format_name(uint32_t k);
const char *br_workload_format_summary(uint32_t k);

/* Reads a workload from the file, or from standard input where path is "-", and finishes it; the
 * caller destroys it. On failure *workload is NULL and the diagnostic has file, line and column.
 * options may be NULL. */
enum br_status br_parse_workload(const char *path, const struct br_workload_options *options,
                                 struct br_workload **workload, struct br_diag *diag);
/* The name of the format that a file's first bytes are recognised by; NULL where none is, or the
 * file cannot be read. */
const char *br_workload_recognise(const char *path);

#endif
