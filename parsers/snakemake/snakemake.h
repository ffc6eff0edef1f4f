/* A workflow of Snakemake's as a job. */
#ifndef BR_PARSERS_SNAKEMAKE_SNAKEMAKE_H
#define BR_PARSERS_SNAKEMAKE_SNAKEMAKE_H

#include "parsers/reader/input.h"

struct br_snakemake_options {
    const char *name;  /* of the job; NULL: the file's */
    int64_t preset_ns; /* duration of a job of which nothing is known */
};
/* The sources of the jobs' durations. */
struct br_snakemake_report {
    uint32_t jobs;
    uint32_t recorded; /* duration in the last run */
    uint32_t declared; /* the resource duration_s */
    uint32_t of_rule;  /* median of jobs of that rule */
    uint32_t limit;    /* the resource runtime, in minutes */
    uint32_t preset;   /* nothing is known */
};

/* Reads "bigrocks-snakemake/1", which python/snakemake_scheduler_plugin_bigrocks writes: a stage of
 * one task for each job, named by its rule and its wildcards. Threads demand "cpu", mem_mb demands
 * "mem" in bytes, and every other numeric resource is demanded by its own name, except runtime and
 * copies in powers of two. `report` may be NULL. BR_BAD_INPUT with line and column, BR_NO if there
 * is no job; then input->dag is NULL. O(text). */
enum br_status br_parse_snakemake(const char *path, const struct br_snakemake_options *options,
                                  struct br_input *input, struct br_snakemake_report *report,
                                  struct br_diag *diag);

#endif
