/* A few small jobs to train with, and a training of them that takes no time. */
#ifndef BR_TESTS_CLUSTER_EXECUTORS_SMALL_H
#define BR_TESTS_CLUSTER_EXECUTORS_SMALL_H

#include "cluster/executors/train/trainer.h"

enum { POOL = 3 };

struct pool {
    struct br_waves *owned[POOL];
    const struct br_waves *waves[POOL];
    int64_t deadline_ns[POOL];
    struct br_train_jobs jobs; /* without deadlines */
};

/* Fixtures of cmocka: *state is a struct pool. */
int open_pool(void **state);
int close_pool(void **state);

/* 5 episodes of 4 jobs on 6 executors, 6 iterations. */
struct br_train_options small_options(void);

/* Puts the sum of a changed model or checkpoint right, as one who means it would. */
void sum_up(char *bytes, size_t size);

#endif
