/* Predictors estimate the work of a job before it has run. A predictor is one row of a table
 * (predictors.c). It learns from jobs that have finished, and may ask for pilots: a few tasks of
 * the job that run first and are measured. It never sees another duration of the job that it
 * predicts, unless its row says that it is clairvoyant.
 *
 * Predictions depend only on what was learned, and in which order. Logarithms and exponentials are
 * those of base/numbers/real.h. Not for several threads at once.
 */
#ifndef BR_RUNTIME_PREDICT_PREDICTOR_H
#define BR_RUNTIME_PREDICT_PREDICTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text/named.h"

/* Most features that a job may carry. */
enum { BR_FEATURES_MOST = 24 };

/* A feature is a fact known about a job at its arrival: its user, its name, the hour. Its value is
 * the hash of its text; texts with equal hashes count as one. */
#define BR_NO_FEATURE UINT64_C(0)
uint64_t br_feature(const char *text); /* never BR_NO_FEATURE */

/* A stage of a job. Its measured durations are those of its finished tasks when a predictor learns,
 * and of its pilots when it predicts; none is below 0. */
struct br_predict_stage {
    uint64_t key; /* br_feature of its id, by which the stage is recognised in other runs */
    uint32_t tasks;
    uint32_t measured;
    const int64_t *duration_ns; /* borrowed */
};

struct br_predict_job {
    uint32_t number; /* the caller's: equal in all calls about one job, small, never reused */
    const uint64_t *feature; /* by number of the feature; BR_NO_FEATURE: unknown */
    uint32_t stages;
    const struct br_predict_stage *stage; /* parents first */
};

/* All numbers are in nanoseconds. The interval holds the truth with the probability `interval` of
 * the setup, with half of the rest on either side. */
struct br_estimate {
    double work_ns; /* sum of the durations of all tasks, with measured pilots as measured */
    double low_ns, high_ns; /* interval of that sum; both are work_ns if nothing is known */
    bool known;             /* from history or pilots; else a guess */
};
/* The mean duration of a task of a stage. */
struct br_stage_estimate {
    double mean_ns, low_ns, high_ns;
};

struct br_predict_setup {
    uint32_t features; /* that jobs carry, at most BR_FEATURES_MOST */
    double interval;   /* 0 < interval < 1 */
    double number;     /* the row's number, such as the ratio of pilots; NAN: the row's default */
};
/* Intervals of 80 %, no number. */
struct br_predict_setup br_predict_setup_default(uint32_t features);

/* The operations take the predictor that `create` made. BR_SYSTEM is memory. */
struct br_predictor_row {
    struct br_named named;
    const char *number;        /* meaning of the number in NAME=NUMBER; NULL: it takes none */
    double usual, least, most; /* of that number */
    bool clairvoyant;          /* predicts from the durations of all tasks */
    bool thin_first;           /* jobs of few tasks need no prediction, and go first */
    const void *detail;        /* data for its operations; NULL: none */
    enum br_status (*create)(const struct br_predictor_row *row,
                             const struct br_predict_setup *setup, void **predictor,
                             struct br_diag *diag);
    void (*destroy)(void *predictor); /* NULL is fine */
    /* A job arrives. Called once per job, in the order of arrivals; NULL: not needed. */
    enum br_status (*arrive)(void *predictor, const struct br_predict_job *job,
                             struct br_diag *diag);
    /* Number of tasks of the stage to measure first, from 0 to all of them. The caller draws them
     * at random among the tasks of the stage. NULL: none. */
    uint32_t (*pilots)(void *predictor, const struct br_predict_job *job, uint32_t stage);
    /* A job has finished; the measured durations are those of all of its tasks, or of the known
     * ones. normalised_jct is its completion time over its work; NAN: unknown. */
    enum br_status (*learn)(void *predictor, const struct br_predict_job *job,
                            double normalised_jct, struct br_diag *diag);
    /* Predicts the job from the learned jobs and from the measured pilots. `stage` gets an estimate
     * for each stage, and may be NULL. */
    void (*predict)(void *predictor, const struct br_predict_job *job, struct br_estimate *estimate,
                    struct br_stage_estimate *stage);
};

/* The table: rows k = 0, 1, ...; NULL past the end. */
const struct br_predictor_row *br_predictor(uint32_t k);
extern const struct br_names br_predictors;
/* The row named by "NAME" or "NAME=NUMBER"; *number is NAN if none is given. BR_USAGE for an
 * unknown name, with the known ones, and for a number out of the row's range. */
enum br_status br_predictor_find(const char *text, const struct br_predictor_row **row,
                                 double *number, struct br_diag *diag);

#endif
