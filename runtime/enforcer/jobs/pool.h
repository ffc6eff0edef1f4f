/* What all machines share, and what the enforcer knows of jobs with features; see stock.h. */
#ifndef BR_RUNTIME_ENFORCER_JOBS_POOL_H
#define BR_RUNTIME_ENFORCER_JOBS_POOL_H

#include "runtime/enforcer/jobs/capacities.h"

/* A task that has failed and is to start again before others. */
struct br_owed {
    uint32_t job, task, machine;
    bool firm; /* children that read its stream run */
};

struct br_pool {
    struct br_cluster *cluster; /* a copy, owned */
    uint32_t resources;
    const char **name;
    int32_t *digits;
    int64_t *capacity, *free, *held;

    uint32_t stocks, member_room; /* jobs with features, in the order in which they came */
    uint32_t *member;
    uint32_t stored;   /* those of them with outputs */
    bool stirred;      /* something has changed since all of them were looked at */
    bool drained;      /* one of them waits for room, so other jobs start nothing */
    int64_t next_ns;   /* some task's time comes, or the cluster changes; INT64_MAX: never */
    bool clocked;      /* there was a decision */
    int64_t origin_ns; /* when the first one was; the cluster's times count from then */
    uint32_t *order;   /* jobs with outputs, as they could end one after another */
    uint32_t order_room;
    int64_t *left; /* [(machines + 1) * resources], scratch */
    struct br_owed *owed;
    uint32_t oweds, owed_room;
    uint64_t forced; /* starts although no way on was known */
};

/* Copies what is needed of the cluster. BR_BAD_INPUT: amounts that do not scale. */
enum br_status br_pool_init(struct br_pool *pool, struct br_arena *arena,
                            const struct br_cluster *cluster, struct br_diag *diag);
void br_pool_finish(struct br_pool *pool);

#endif
