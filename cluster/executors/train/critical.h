/* Can embeddings express the critical path? [Mao19, E] Supervised: the network is to tell for every
 * stage of a random DAG the longest path from there to the end, and is right about a DAG if the
 * stage that it gives the most is the one that has the most. With one level of aggregation, as
 * other networks have it, the maximum over children cannot be expressed; with two it can. */
#ifndef BR_LEARN_CRITICAL_H
#define BR_LEARN_CRITICAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text/diag.h"

struct br_critical_options {
    bool one_level;
    uint32_t stages;     /* of a DAG, at most; at least half of it */
    uint32_t dags;       /* of an iteration, new in each */
    uint32_t iterations; /* in all */
    uint32_t tests;      /* DAGs of a test, the same in all tests, unseen in training */
    uint32_t every;      /* iterations from test to test */
    double rate;         /* of Adam, at the start; falls evenly to a twentieth */
    uint64_t seed;
};
struct br_critical_options br_critical_options_default(void);

struct br_critical_row {
    uint32_t iteration;
    double error;    /* mean square, of values over about 1 */
    double accuracy; /* share of the DAGs of the test */
};

/* Fills rows after `every` iterations each: iterations / every of them. BR_SYSTEM: memory. */
enum br_status br_critical_learn(const struct br_critical_options *options,
                                 struct br_critical_row *row, struct br_diag *diag);

#endif
