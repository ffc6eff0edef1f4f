/* Scenes that are played by hand: small clusters and jobs, starts, and looks ahead. */
#ifndef BR_TESTS_CLUSTER_SIMULATE_PLAY_H
#define BR_TESTS_CLUSTER_SIMULATE_PLAY_H

#include "planner/model/cluster/cluster.h"
#include "cluster/simulate/joint/forward.h"

#define SECOND INT64_C(1000000000)

enum { MOST_JOBS = 4, MOST_RUNNING = 64 };

/* A look ahead over a cluster of its own: jobs arrive at once, and start as the order says. */
struct play {
    struct br_arena arena;
    struct br_cluster *cluster;
    struct br_capacities capacities;
    struct br_joint_scene scene;
    struct br_forward forward;
    struct br_joint_job *job[MOST_JOBS];
    uint32_t jobs, place[MOST_JOBS];
    uint8_t within[MOST_JOBS];
    uint32_t behind[MOST_JOBS];
    double eta;
    struct br_forward_task running[MOST_RUNNING];
    uint32_t runs;
    int64_t now_ns;
};

/* One resource, `machines` machines of one core. */
struct br_cluster *play_cluster(uint32_t machines);
/* Stages of tasks[s] tasks of one core that last seconds[s] each, in a chain of barriers. */
struct br_dag *play_chain(uint32_t stages, const uint32_t *tasks, const int64_t *seconds);
/* A task of so many cores. */
struct br_dag *play_sized(const char *cores, int64_t lasts_ns);

/* Takes ownership of the cluster. */
void play_begin(struct play *play, struct br_cluster *cluster);
/* The job arrives at this place of the order. The dag is borrowed. */
void play_job(struct play *play, const struct br_dag *dag, uint32_t place);
/* Starts what may start; `running` has it at its end. */
void play_dispatch(struct play *play);
/* Looks ahead from here; see br_forward_begin and br_forward_run. */
double play_on(struct play *play, uint32_t step, uint64_t most);
void play_finish(struct play *play);

#endif
