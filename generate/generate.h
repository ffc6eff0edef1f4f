/* Making jobs from a seed: for benchmarks, for tests, and to try a cluster out on jobs like those
 * that it will get. One file per model, and one row of the table in generate.c per kind.
 *
 * A generated job depends on the options alone: equal options give equal jobs on every machine,
 * since everything is drawn from one integer generator and computed by IEEE basic operations (see
 * sample.h). docs/generate.md describes the models and measures what comes out of them.
 */
#ifndef BR_GENERATE_GENERATE_H
#define BR_GENERATE_GENERATE_H

#include <bigrocks/dag.h>

#include "base/text/named.h"
#include "generate/extras.h"

/* The widest that durations inside a stage may be spread. */
#define BR_GENERATE_SPREAD_MAX 3.0

/* Each machine has to offer so much that every generated task fits it. */
#define BR_GENERATE_CPU 16u          /* cores */
#define BR_GENERATE_MEM_MIB 65536u   /* 64 GiB; jobs demand it in bytes */
#define BR_GENERATE_MB_PER_SEC 1000u /* of "net" and of "disk" each */

/* Start from br_generate_options_default(). */
struct br_generate_options {
    const char *kind; /* a name from br_named_name(&br_generate_kinds, ); borrowed */
    uint64_t seed;
    uint32_t tasks;  /* exactly so many; 0: as the kind has it */
    uint32_t stages; /* the same */
    double spread;   /* standard deviation of the logarithm of durations inside a stage; 0: equal */
    /* Share of the stages, within 0 and 1, that are rocks: long, and heavy in one resource alone.
     * What leads up to a rock does not fit beside one. */
    double rocks;
    /* Share of the edges that are one to one, within 0 and 1, that become ranges: k to one or one
     * to k by counts of their own, or with an overlap of 1 if the kind knows the counts. */
    double ranges;
    struct br_extras extras; /* outputs, licences and times */
};

/* "cosmos", seed 1, sizes as the kind has them, no spread, rocks, ranges, outputs and the like;
 * outputs would be about 1 GiB of "scratch". */
struct br_generate_options br_generate_options_default(void);

/* The kinds of jobs. */
extern const struct br_names br_generate_kinds;

/* Makes a finished job, the caller's. BR_USAGE: an unknown kind, more stages than tasks, sizes, a
 * spread, rocks or ranges beyond the limits, rocks of a kind that knows its durations; BR_SYSTEM:
 * memory. O(tasks + stages log stages). */
enum br_status br_generate(const struct br_generate_options *options, struct br_dag **dag,
                           struct br_diag *diag);

#endif
