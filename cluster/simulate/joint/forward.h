/* Looks ahead from a scene: when would the jobs that are there end, if they went first in a given
 * order, nobody else came, and tasks lasted as declared? */
#ifndef BR_CLUSTER_SIMULATE_JOINT_FORWARD_H
#define BR_CLUSTER_SIMULATE_JOINT_FORWARD_H

#include "cluster/simulate/joint/scene.h"

struct br_forward_task {
    int64_t at_ns; /* its start; inside of a look ahead its end */
    uint32_t slot, task, machine;
};

struct br_forward {
    struct br_joint_scene base, trial;
    struct br_forward_task *running; /* at the start, a heap by believed ends */
    uint32_t runs, run_room;
    struct br_forward_task *end; /* of the run, a heap */
    uint32_t ends, end_room;
    struct br_sort_item *left; /* jobs that had not ended at the cut */
    uint32_t left_room;
    int64_t start_ns, now_ns;
    int64_t *end_ns; /* by slot: when the job ended in the last run */
    uint64_t starts; /* of the last run */
    uint64_t spent;  /* by it, in placements: its starts, and what it looked at */
    uint64_t cost;   /* of one copy of the base, in placements */
    bool cut;        /* the last run did not reach the end of all jobs */
    double press;    /* what a cluster-second of work that waits costs, by second */
    double waited;   /* in the last run: the integral of that work over time */
};

bool br_forward_init(struct br_forward *forward, const struct br_cluster *cluster,
                     const struct br_capacities *capacities);
void br_forward_finish(struct br_forward *forward);

/* Makes room for looking ahead from the scene, until another job comes to it. False when memory is
 * out. O(tasks). */
bool br_forward_reserve(struct br_forward *forward, const struct br_joint_scene *scene);

/* The runs to come begin with this scene. Running tasks end when they are declared to; those that
 * should have ended by now are believed to last half as long again as they have. With a step above
 * 1 every step-th task of a stage and every step-th machine stand for all. O(tasks +
 * machines). */
void br_forward_begin(struct br_forward *forward, const struct br_joint_scene *scene,
                      const struct br_forward_task *running, uint32_t count, int64_t now_ns,
                      uint32_t step);

enum { BR_FORWARD_LOOKS = 64 /* br_scene.looks that take the time of a placement */ };

/* Runs until all jobs have ended, or `most` placements are spent, or the clock has passed until_ns.
 * Jobs that are left then are taken to end one after another, each with its work on the whole
 * cluster, or its longest path if that is more. Returns the sum of weight x seconds from the start
 * to the end, and of `press` x the integral over time of the work that has not started, in seconds
 * of the whole cluster. O(most x log tasks). */
double br_forward_run(struct br_forward *forward, const struct br_joint_order *order, uint64_t most,
                      int64_t until_ns);

#endif
