/* The enforcer's state: machines with their free capacity, groups with their deficits, jobs. */
#ifndef BR_RUNTIME_ENFORCER_MODEL_H
#define BR_RUNTIME_ENFORCER_MODEL_H

#include "base/collections/arena.h"
#include "runtime/enforcer/jobs/job.h"
#include "runtime/enforcer/jobs/outlook.h"
#include "runtime/enforcer/jobs/policy.h"
#include "runtime/enforcer/jobs/pool.h"
#include "runtime/enforcer/jobs/vacancy.h"
#include "runtime/enforcer/near.h"

struct br_group {
    char *name;
    double weight;
    double deficit; /* as a share of the cluster */
    uint32_t live;  /* tasks of its jobs that are waiting, ready or running */
    uint32_t ready;
};

/* A task that a pass over the ready tasks has collected: the first of a kind, or one planned on
 * this very machine. */
struct br_candidate {
    double score, priority;
    uint32_t job, k; /* rank - 1 */
};

/* Sums over the jobs that have tasks left to start, in whole units, so that no rounding
 * accumulates. */
struct br_pending {
    uint64_t jobs, tasks;
    br_wide work, packing;
};

/* The factor that scales remaining work to packing: factor x mean packing / mean work left; 0 with
 * fewer than two jobs. */
double br_pending_eta(const struct br_pending *pending, double factor);

struct br_runtime {
    struct br_arena arena; /* owns all data that live as long as the enforcer */
    struct br_runtime_options options;
    const struct br_policy *policy;

    struct br_scale scale;
    uint32_t resources, classes, machines;
    uint32_t *machine_class;
    int64_t *capacity; /* [class * resources] */
    int64_t *extra;    /* [class * resources]: how far it may be overbooked */
    double *weight;    /* [class * resources]: 1 / capacity^2, 0 if there is none */
    int64_t *free;     /* [machine * resources]; below 0 if overbooked or overcommitted */
    int64_t *held;     /* [machine * resources] by tasks that run here */
    bool *away;        /* by machine */
    uint64_t *idle_at; /* by machine: the epoch in which the plan allowed no more starts there */
    uint64_t epoch;    /* counts events after which a task kept back by the plan may start */
    uint64_t swept;    /* the epoch in which all machines have been looked at */
    double slots;      /* of the cluster, for BR_FAIR_SLOTS */
    int64_t now_ns;

    struct br_group *group;
    uint32_t groups, group_room;
    struct br_job **job; /* by number; NULL if free */
    uint32_t jobs, job_room;
    uint32_t taken; /* no job number below this is free */

    /* Across all jobs; see board.h. */
    struct br_offers offers;
    uint32_t *tree; /* roots by group, and there by machine */
    size_t tree_room;
    struct br_vacancy vacancy;
    struct br_pending pending;
    uint32_t loose; /* the job whose offers lag far behind its remaining work; BR_ANY: none does */
    uint64_t limited;    /* most offers of jobs with a limit, in total */
    uint32_t kept_for;   /* the group that machines are kept free for; BR_ANY: none has been */
    bool kept_stale;     /* and one of its tasks has become ready since */
    uint32_t *kept;      /* by class: machines that are kept free */
    struct br_pool pool; /* of jobs with features */
    struct br_data data; /* if its function is not NULL; then also: */
    struct br_near near;
    uint64_t submissions; /* so far */

    /* Scratch of a pass. */
    struct br_candidate *bundle; /* options.bundle, a heap with the worst on top */
    uint32_t candidates;
    int64_t *room, *rest; /* by resource */
    double *bounds; /* by resource: room, free capacity, neither below 0, weight, and the rest of
                       free x weight (offers.h) */
    uint64_t pass;
    struct br_outlook outlook;
};

/* NULL if there is no such job. */
static inline struct br_job *br_runtime_find_job(const struct br_runtime *runtime, uint32_t job)
{
    return job < runtime->jobs ? runtime->job[job] : NULL;
}

#endif
