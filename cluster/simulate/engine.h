/* The simulator: one workload on one cluster under one policy. It owns time. Events stand in a
 * heap; the next one moves the clock, and when all events of a moment are told, the policy decides.
 *
 * It judges what the policy decides: a start that is not ready, or does not fit, ends the
 * simulation with BR_SYSTEM. If fungible resources of a machine are overbooked, the tasks that use
 * them slow down in proportion, keep their progress, and their ends move.
 *
 * With a network a task that starts holds its demand while its inputs come to its machine, and only
 * then begins to work (network/transit.h). */
#ifndef BR_CLUSTER_SIMULATE_ENGINE_H
#define BR_CLUSTER_SIMULATE_ENGINE_H

#include "base/process/stop.h"
#include "planner/model/cluster/cluster.h"
#include "cluster/simulate/network/transit.h"
#include "cluster/simulate/policy.h"
#include "cluster/workload/outcome.h"
#include "cluster/workload/world.h"

struct br_simulate_options {
    const struct br_policy_row *row;
    struct br_policy_setup setup; /* cluster, groups and seed are filled by the simulator */
    struct br_world world;
    /* The policy by which bytes of edges move; NULL: they are there at once. */
    const struct br_transit_policy *network;
    bool no_spans;              /* keep only the ends of jobs: 32 bytes a task less */
    const struct br_stop *stop; /* may be NULL; raised, it cuts the run */
    /* May be NULL. Called every so many events with the jobs that have finished. */
    void (*progress)(void *context, uint32_t finished, uint32_t jobs);
    void *progress_context;
};

/* Runs it. Release the outcome by br_outcome_finish, also after a failure. BR_BAD_INPUT (a job that
 * no machine of the cluster holds), BR_SYSTEM. Jobs that can never finish are no failure:
 * outcome->note. O(log n) an event, and what the policy takes. */
enum br_status br_simulate_workload(const struct br_workload *workload,
                                    const struct br_cluster *cluster,
                                    const struct br_simulate_options *options,
                                    struct br_outcome *outcome, struct br_diag *diag);

#endif
