/* All jobs that are there, and the scores of what could be done next.
 *
 *     update -> score nodes -> (choose) -> score limits of its job -> (choose) -> ...
 *
 * and for training the way back: from derivatives by the scores to those by the parameters.
 */
#ifndef BR_LEARN_SCENE_H
#define BR_LEARN_SCENE_H

#include "cluster/executors/network/embedding.h"

struct br_scene_job {
    struct br_embedding *embedding; /* borrowed */
    br_weight feature[BR_NETWORK_FEATURES];
};

/* A stage that could be started. */
struct br_scene_candidate {
    uint32_t job, node;                /* job: place in the scene */
    br_weight advice[BR_STAGE_ADVICE]; /* 0 if the network takes none */
};

/* Scores with what is needed to go back from them. Reused from call to call. */
struct br_choices {
    uint32_t count, room;
    double *score;   /* count of them */
    double *share;   /* probabilities by softmax */
    double *adjoint; /* set by the caller: derivatives by the scores */
    double *advice;  /* what the planner's advice has added to the scores, or 0 */
    br_weight *input, *activation;
};

struct br_scene {
    const struct br_network *network;
    const br_weight *parameter; /* borrowed */
    br_weight *gradient;        /* borrowed; NULL: nothing is learned */
    double rough;               /* derivatives of scores up to this are left out; 0: none */
    struct br_scene_job *job;   /* borrowed, by the caller's order */
    uint32_t jobs;
    br_weight sum[BR_EMBEDDED_MOST], outer[2 * BR_DENSE_WIDEST + BR_EMBEDDED_MOST];
    br_weight *all; /* embedding of the whole; within `sum` or `outer` */
    br_weight all_adjoint[BR_EMBEDDED_MOST];
};

void br_choices_finish(struct br_choices *scores);
/* Room for `count` scores by the part; what was there is lost. False when memory is out. */
bool br_choices_reserve(struct br_choices *scores, const struct br_dense *part, uint32_t count);

/* Brings the embeddings of all jobs up to date, and the whole's. */
void br_scene_update(struct br_scene *scene);

/* Scores and shares of candidates. False when memory is out. */
bool br_scene_score_nodes(struct br_scene *scene, const struct br_scene_candidate *candidate,
                          uint32_t count, struct br_choices *scores);
/* Limits first..last of one job, of `most` executors in all; `advised` is what a planner takes, and
 * `number` how many executors it wants the job to have. */
struct br_scene_limits {
    uint32_t job, first, last, most, advised, number;
};
/* Scores and shares of limits. */
bool br_scene_score_limits(struct br_scene *scene, const struct br_scene_limits *limits,
                           struct br_choices *scores);

/* Send the derivatives of the scores back to the embeddings, which keep them. */
void br_scene_nodes_back(struct br_scene *scene, const struct br_scene_candidate *candidate,
                         const struct br_choices *scores);
void br_scene_limits_back(struct br_scene *scene, uint32_t job, const struct br_choices *scores);
/* After both: sends those by the whole to the jobs. */
void br_scene_all_back(struct br_scene *scene);

/* The number that a draw from 0 to below 1 falls on; the largest share's if draw < 0, the first of
 * equals. */
uint32_t br_choices_choose(const struct br_choices *scores, double draw);
/* Entropy of the shares, in nats. */
double br_choices_entropy(const struct br_choices *scores);
/* Entropy of the shares plus the mean of the advice: the greater, the less the shares differ from
 * those of the advice alone (but for a constant it is minus their relative entropy). */
double br_choices_freedom(const struct br_choices *scores);
/* Sets `adjoint` to the derivatives [Williams92] of: gain * ln share[chosen] + care * freedom. */
void br_choices_learn(struct br_choices *scores, uint32_t chosen, double gain, double care);

#endif
