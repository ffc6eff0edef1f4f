/* Experiments: a workload under several policies and seeds, on several threads. */
#ifndef BR_CLUSTER_SIMULATE_EXPERIMENT_EXPERIMENT_H
#define BR_CLUSTER_SIMULATE_EXPERIMENT_EXPERIMENT_H

#include "base/process/stop.h"
#include "cluster/executors/policy/workload_run.h"
#include "cluster/simulate/report/study.h"
#include "cluster/simulate/bounds/clairvoyant.h"
#include "cluster/simulate/bounds/regret.h"
#include "cluster/simulate/engine.h"
#include "cluster/simulate/policies/plans.h"

/* One policy as the user named it. */
struct br_experiment_policy {
    char *name;
    const struct br_policy_row *row;          /* NULL: the policy is for executors */
    const struct br_executors_row *executors; /* NULL: the policy is for machines */
    double number;
};

/* The runs to make; all borrowed. */
struct br_experiment {
    const struct br_workload *workload;
    const struct br_cluster *cluster;
    uint32_t policies;
    const struct br_experiment_policy *policy;
    uint32_t seeds; /* world.seed, world.seed + 1, ... */
    struct br_world world;
    struct br_executors_request executors; /* all policies are for executors, or none is */
    struct br_runtime_options enforcer;
    uint32_t overbooked;
    const struct br_overbook *overbook;
    bool refine; /* as of br_policy_setup */
    struct br_plan_options plan;
    const struct br_transit_policy *network;      /* NULL: transfers take no time */
    const struct br_deadline_settings *deadlines; /* NULL: no policy deals with deadlines */
    uint32_t unseens;
    const char *const *unseen;  /* resources that narrow policies do not look at */
    bool bounds, series, spans; /* compute bounds; keep curves over time; keep attempts */
    uint64_t clairvoyant;       /* evaluations of the search that knows everything ahead; 0: none */
    uint32_t threads;
    uint32_t histories; /* jobs that ended before, for policies that predict */
    uint32_t wide;      /* as of br_policy_setup */
    const struct br_predict_case *history;
    uint32_t first, step;       /* the shard: combinations first, first + step, ... */
    const struct br_stop *stop; /* NULL: none */
    /* Called whenever a run has ended, by one thread at a time; NULL: not. */
    void (*ended)(void *context, uint32_t done, uint32_t of);
    void *context;
};

struct br_experiment_results {
    struct br_study study;
    uint32_t room; /* combinations, of which study.runs have ended */
    struct br_study_run *run;
    struct br_metrics *metrics;
    struct br_series *series;
    struct br_allotments *allotments;
    struct br_span **span;
    uint32_t plans_made, plans_by_path; /* by_path: those for jobs too large for more */
    double planning_seconds;
    bool cut;
};

/* Runs all combinations, in the order of policies and then seeds. A stop leaves the
 * finished runs and marks the rest as cut. Release by br_experiment_finish, also after a failure.
 */
enum br_status br_experiment_run(const struct br_experiment *request,
                                 struct br_experiment_results *study, struct br_diag *diag);
void br_experiment_finish(struct br_experiment_results *study);

#endif
