/* The parts of `bigrocks workload`. */
#ifndef BR_CLUSTER_WORKLOAD_COMMAND_WORKLOADS_H
#define BR_CLUSTER_WORKLOAD_COMMAND_WORKLOADS_H

#include <stdio.h>

#include "cli/options/settings.h"
#include "cluster/workload/read/workloads.h"

/* The number of an option, within these limits; else BR_USAGE. */
struct cli_range {
    const char *option, *hint;
    double least, most;
};
enum br_status cli_read_number(const struct cli_range *range, const char *text, double *value,
                               struct br_diag *diag);
/* "2.5x": *factor times the critical path; "600": *later_ns. A value that is not given stays
 * unchanged. BR_USAGE. */
enum br_status cli_read_deadlines(const char *text, double *factor, int64_t *later_ns,
                                  struct br_diag *diag);

/* The workload that the arguments give: as read, or dags from which jobs are still to be drawn. */
struct cli_jobs {
    struct br_workload *workload; /* the caller's */
    bool drawn;                   /* its jobs are still to be drawn */
    bool made;                    /* its jobs exist, and have no arrivals yet */
};
enum br_status cli_jobs_read(const struct cli_settings *settings, const char *const *argument,
                             uint32_t arguments, struct cli_jobs *jobs, struct br_diag *diag);

/* Is the kind of --like one of recurring jobs? */
bool cli_is_trace(const char *name);
/* Adds this many jobs of that trace, with the features user and app, all arriving at 0. */
enum br_status cli_make_trace(const char *name, uint32_t count, uint64_t seed,
                              struct br_workload *workload, struct br_diag *diag);

/* A record of arrivals: a table with commas whose header names a column of seconds and perhaps one
 * of jobs, or one number per line. */
struct cli_recorded {
    struct br_arena arena;
    uint32_t count, room;
    int64_t *time_ns;  /* in the order of the file */
    const char **name; /* of the jobs; NULL: the file has none */
    uint32_t name_room;
};
enum br_status cli_recorded_read(const char *path, struct cli_recorded *recorded,
                                 struct br_diag *diag);
void cli_recorded_finish(struct cli_recorded *recorded);
/* Gives the jobs the recorded arrivals, shifted so that the first is 0: with `by_name` (and names
 * in the file) each job that of its job file, else in the order of time. */
enum br_status cli_recorded_apply(const struct cli_recorded *recorded, const char *path,
                                  bool by_name, struct br_workload *workload, struct br_diag *diag);

/* Describes the workload, as text or as JSON. The cluster may be NULL. */
enum br_status cli_describe_workload(const struct br_workload *workload,
                                     const struct br_cluster *cluster, bool json, FILE *out,
                                     struct br_diag *diag);

#endif
