/* Runs jobs with features through the enforcer against an adversary, who chooses which task ends
 * next, and which fails; keeps books of its own. */
#ifndef BR_TESTS_SUPPORT_ADVERSARY_H
#define BR_TESTS_SUPPORT_ADVERSARY_H

#include "tests/support/featured_job.h"

enum { ADVERSARY_JOBS = 3 };

enum adversary_kind {
    ADVERSARY_RANDOM,  /* any task ends next */
    ADVERSARY_HOLDS,   /* what frees most ends last */
    ADVERSARY_PLANNED, /* durations are as planned, and nothing fails */
    ADVERSARY_KINDS
};

struct adversary {
    const struct featured_job *job;
    uint32_t jobs;
    const struct featured_cluster *cluster;
    const struct br_plan *const *plan; /* by job; NULL: none */
    enum adversary_kind kind;
    uint64_t seed;
    uint32_t fails; /* percent of ends that are failures; the task starts again */
    uint32_t dies;  /* percent of these that are for good */
};

struct adversary_result {
    const char *fault; /* NULL: none; "dead end" if it stopped before all had ended */
    int64_t makespan_ns;
    uint64_t starts, failures, forced;
    uint64_t near; /* starts beside a time with fewer cores */
};

void adversary_run(const struct adversary *with, struct adversary_result *result);

#endif
