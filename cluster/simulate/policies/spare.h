/* Tasks on spare tokens that make way for guaranteed ones [Ferguson12, 2.4]: which of them end, so
 * that a task of a job that has fewer tokens than it is guaranteed may start. */
#ifndef BR_CLUSTER_SIMULATE_POLICIES_SPARE_H
#define BR_CLUSTER_SIMULATE_POLICIES_SPARE_H

#include <bigrocks/runtime.h>
#include <stdbool.h>

/* A job that runs more tasks than it has tokens. */
struct br_spare_job {
    const struct br_job *job;
    uint32_t number;         /* in the workload */
    uint32_t surplus;        /* tasks beyond its tokens: those that started last */
    const int64_t *since_ns; /* by task: when it started */
};

/* A running task beyond the tokens of its job. */
struct br_spare_task {
    uint32_t job, task, machine;
    int64_t since_ns;
    const int64_t *demand;
};

/* The tasks beyond their jobs' tokens, by machine, there those first that started last. */
struct br_spare {
    struct br_spare_task *task;
    uint32_t tasks, room;
};
void br_spare_finish(struct br_spare *spare);

/* Begins anew with the jobs' tasks. False when memory is out. O(tasks of the jobs log). */
bool br_spare_collect(struct br_spare *spare, const struct br_spare_job *jobs, uint32_t count,
                      uint32_t resources);

/* The tasks to end, on the machine on which that loses the least work, so that the demand fits
 * there: *first and *count in spare->task. False: that does not help anywhere. `free` is what is
 * free on a machine; NULL: it is away. O(tasks x resources). */
bool br_spare_choose(const struct br_spare *spare, const int64_t *demand, uint32_t resources,
                     const int64_t *(*free)(void *context, uint32_t machine), void *context,
                     int64_t now_ns, uint32_t *first, uint32_t *count);

#endif
