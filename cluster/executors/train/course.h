/* A whole training: iterations, a trial after every so many of them, the curve that these give, the
 * best model so far, and checkpoints from which it goes on as if nothing had been. */
#ifndef BR_LEARN_COURSE_H
#define BR_LEARN_COURSE_H

#include <stdio.h>

#include "cluster/executors/train/trainer.h"

struct br_course_options {
    uint64_t every;  /* iterations from trial to trial */
    uint32_t trials; /* sequences of arrivals of a trial, the same in all trials */
    uint64_t trial_seed;
};

/* A row of the curve. */
struct br_course_row {
    uint64_t iteration;
    double trained_s; /* mean cost of a job in the iterations since the last row */
    double entropy;   /* mean of a decision, in nats */
    double decisions; /* mean of an episode */
    double tried_s;   /* mean cost of a job in the trial, with the likeliest decisions */
    double taught;    /* share of these iterations that had a teacher */
};

struct br_course {
    struct br_course_options options;
    struct br_trainer trainer;
    struct br_course_row *row;
    uint32_t rows, room;
    struct br_course_row sum; /* since the last row; iteration: how many */
    br_weight *best;          /* parameters with the least tried_s */
    uint64_t best_iteration;  /* 0: there was no trial yet */
    double best_s;
};

enum br_status br_course_init(struct br_course *course, const struct br_train_options *training,
                              const struct br_course_options *options, struct br_train_jobs jobs,
                              struct br_diag *diag);
void br_course_finish(struct br_course *course);
bool br_course_done(const struct br_course *course);
/* One iteration, and a trial if one is due (*tried). */
enum br_status br_course_step(struct br_course *course, bool *tried, struct br_diag *diag);
/* Puts the best parameters into the trainer's model, for writing it. */
void br_course_take_best(struct br_course *course);

/* Everything that the next iterations depend on, as bytes. BR_SYSTEM: it could not be written. */
enum br_status br_course_save(const struct br_course *course, FILE *file, struct br_diag *diag);
/* Goes on from there; the course was initialised with the same options. BR_BAD_INPUT: the bytes are
 * damaged, or of another training. */
enum br_status br_course_load(struct br_course *course, const void *bytes, size_t size,
                              struct br_diag *diag);

#endif
