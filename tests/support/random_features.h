/* Small random jobs with outputs, shared resources and times, for property tests. */
#ifndef BR_TESTS_SUPPORT_RANDOM_FEATURES_H
#define BR_TESTS_SUPPORT_RANDOM_FEATURES_H

#include "tests/support/random_job.h"

/* All times of such a job are multiples of this. */
#define RANDOM_FEATURES_UNIT INT64_C(1000000000)

enum random_shape {
    RANDOM_CHAIN,
    RANDOM_TREE,            /* to the root: every stage but the last has one child */
    RANDOM_SERIES_PARALLEL, /* series and parallel compositions of stages */
    RANDOM_GENERAL,
    RANDOM_SHAPES,
};

struct random_features {
    uint32_t tasks; /* 1 to this many, at most RANDOM_JOB_TASKS; exactly so many with `alone` */
    enum random_shape shape;
    unsigned features; /* of enum br_feature: those that may occur */
    uint32_t machines; /* 1 to this many, at most 3 */
    int longest;       /* durations from 0 to this many units */
    bool alone;        /* a task in every stage, which lasts, demands and makes some memory for its
                          children; one machine, with nothing else */
};

/* Makes the job and a cluster that holds each of its tasks alone; together they may not fit. All
 * depends on the seed and the wish alone. Windows, changes, releases and deadlines lie within the
 * first thirty units. False when memory is out. */
bool random_features_make(uint64_t seed, const struct random_features *wish,
                          struct random_job *job);
/* The wishes of small jobs in turn, over all shapes and mixes of features. `tasks`: at most. */
struct random_features random_features_of(uint64_t seed, uint32_t tasks);

#endif
