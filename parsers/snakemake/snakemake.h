/* A workflow of Snakemake's as a job. */
#ifndef BR_PARSERS_SNAKEMAKE_SNAKEMAKE_H
#define BR_PARSERS_SNAKEMAKE_SNAKEMAKE_H

#include "parsers/reader/input.h"

struct br_snakemake_options {
    const char *name;  /* of the job; NULL: the file's */
    int64_t preset_ns; /* what a job lasts of which nothing is known */
};
/* Where the durations of the jobs came from. */
struct br_snakemake_report {
    uint32_t jobs;
    uint32_t recorded; /* what the last run took */
    uint32_t declared; /* the resource duration_s */
    uint32_t of_rule;  /* the median of what jobs of the same rule took */
    uint32_t limit;    /* the resource runtime, in minutes */
    uint32_t preset;   /* nothing is known */
};

/* Reads "bigrocks-snakemake/1", which python/snakemake_scheduler_plugin_bigrocks writes: a stage of
 * one task for each job, named by its rule and its wildcards. Threads demand "cpu", mem_mb demands
 * "mem" in bytes, and every other resource that is a number is demanded by its own name, but for
 * runtime and for what says the same in powers of two. `report` may be NULL. BR_BAD_INPUT with line
 * and column, BR_NO where there is no job; then input->dag is NULL. O(text). */
enum br_status br_parse_snakemake(const char *path, const struct br_snakemake_options *options,
                                  struct br_input *input, struct br_snakemake_report *report,
                                  struct br_diag *diag);

#endif
