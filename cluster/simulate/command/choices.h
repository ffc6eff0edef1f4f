/* Jobs with alternatives, and machines of several speeds, in a simulation: each job runs by the
 * choice of its plan. */
#ifndef BR_CLUSTER_SIMULATE_COMMAND_CHOICES_H
#define BR_CLUSTER_SIMULATE_COMMAND_CHOICES_H

#include <bigrocks/planner.h>

#include "cluster/workload/workload.h"

/* Plans each dag that may run in several ways on the cluster, as if it were alone there, and puts
 * the job of the plan's choice in its place. What jobs consume is taken from the cluster, in the
 * order of their arrival: a job whose dag's choice it no longer has enough for gets a dag with
 * another choice. Its tasks have the durations that they take on the
 * machines of their plan, and demand a resource that only machines of their classes have, which
 * *chosen, a copy of the cluster without speeds, offers; the caller's. *chosen is NULL if there is
 * no such dag, and *dags is their number. The enforcer and every policy see jobs like any others
 * then. BR_BAD_INPUT if a job does not fit the cluster, or holds what this shares, else as
 * br_plan_make. */
enum br_status br_choices_make(struct br_workload *workload, struct br_cluster *cluster,
                               const struct br_plan_options *options, struct br_cluster **chosen,
                               uint32_t *dags, struct br_diag *diag);

#endif
