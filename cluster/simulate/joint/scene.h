/* A cluster at one moment: the jobs that are there, how far they are, and what is free. The policy
 * keeps one of the real cluster and copies it to look ahead; both go on by the same functions, so
 * what was foreseen is what happens, as long as nobody comes and durations are as declared. */
#ifndef BR_CLUSTER_SIMULATE_JOINT_SCENE_H
#define BR_CLUSTER_SIMULATE_JOINT_SCENE_H

#include <bigrocks/runtime.h>

#include "cluster/simulate/joint/job.h"
#include "cluster/workload/workload.h"

/* A job that is there. By stage: whole stages ahead that have not ended, own tasks that have not,
 * and a queue of ready tasks in the range of the stage's; by task: single tasks ahead. */
#define BR_SCENE_FREE UINT32_MAX /* held behind no job */

struct br_scene_live {
    const struct br_joint_job *job; /* borrowed; NULL: the slot is unused */
    uint32_t *waits, *left, *ready_first, *ready_end, *ready, *task_waits;
    uint32_t *block; /* holds all of these */
    size_t block_room;
    uint32_t tasks_left, to_start; /* tasks that have not ended; those of them that do not run */
    double work_left, total_work_left; /* of tasks that have not started, as in the job */
};

/* A stage that has ready tasks. */
struct br_scene_open {
    uint32_t slot, stage;
    const int64_t *demand; /* of a task; the stage's */
    bool fresh;            /* since the last dispatch it may fit anywhere */
};

/* Groups that share the cluster, and how unfair a schedule may be to them. */
struct br_scene_sharing {
    uint32_t groups;
    const struct br_workload_group *group; /* for their weights; borrowed */
    double kappa, slots;                   /* as in br_runtime_options; of the cluster */
    enum br_fairness fairness;
};

struct br_joint_scene {
    const struct br_capacities *capacities;
    uint32_t machines, resources;
    /* It holds one of every `step` tasks and machines, to look ahead at less cost; 1: all. */
    uint32_t step;
    struct br_scene_live *live; /* by slot */
    uint32_t slots, slot_room;
    int64_t *free;     /* [machine * resources] */
    bool *away;        /* by machine */
    uint32_t *changed; /* machines that something has left, or that have returned */
    uint32_t changes;
    bool *is_changed;
    bool any_fresh; /* some stage became ready since the last dispatch, so may fit anywhere */
    struct br_scene_open *open;
    uint32_t opens, open_room;
    uint32_t sorted; /* of `open`, so many are in the order of the last dispatch */
    uint64_t looks;  /* stages that were held against a machine or put in their place, ever */
    const struct br_scene_sharing *sharing; /* NULL: nobody shares it */
    double *owed;                           /* by group: as a share of the cluster */
    uint32_t *wants; /* by group: ready tasks that are not held, while tasks are started */
};

/* The order of starts: jobs by place, then stages by their rank within the job. If eta is above 0,
 * the task that packs best goes first, less eta x the remaining work of its job [Grandl14]; the
 * order then decides between equals, and no job is held. */
struct br_joint_order {
    uint32_t *place; /* by slot, no two equal among those in use */
    uint8_t *within; /* by slot: enum br_joint_within */
    double eta;
    /* By slot: another, behind which its job is held. As long as that one goes before it and has
     * tasks that have not started, it starts nothing. NULL: none is held. */
    uint32_t *behind;
};

/* All machines empty. False when memory is out; release by br_scene_finish, also then. */
bool br_scene_init(struct br_joint_scene *scene, const struct br_cluster *cluster,
                   const struct br_capacities *capacities);
void br_scene_finish(struct br_joint_scene *scene);
/* Groups share it from now on; `sharing` must outlive it. False when memory is out. */
bool br_scene_share(struct br_joint_scene *scene, const struct br_scene_sharing *sharing);
/* Makes `to`, of the same cluster, equal; it may be dispatched in another order. False when memory
 * is out; then `to` is of no use but to be copied to again. */
bool br_scene_copy(struct br_joint_scene *to, const struct br_joint_scene *from);

/* A job arrives. False when memory is out. */
bool br_scene_arrive(struct br_joint_scene *scene, const struct br_joint_job *job, uint32_t *slot);
/* Its last task has ended. */
void br_scene_retire(struct br_joint_scene *scene, uint32_t slot);
/* A running task ends, or fails and is ready again. */
void br_scene_end(struct br_joint_scene *scene, uint32_t slot, uint32_t task, uint32_t machine,
                  bool failed);
/* The machine leaves (nothing runs there any more), or returns. */
void br_scene_move(struct br_joint_scene *scene, uint32_t machine, bool there);

/* Starts what is ready in the order, stage by stage on the first machines with room, or machine by
 * machine, until nothing fits. `start` is told of each; it has room for all tasks of the jobs. If
 * the order is not that of the last dispatch, br_scene_reorder tells so before. */
void br_scene_dispatch(struct br_joint_scene *scene, const struct br_joint_order *order,
                       void (*start)(void *context, uint32_t slot, uint32_t task, uint32_t machine),
                       void *context);

static inline void br_scene_reorder(struct br_joint_scene *scene)
{
    scene->sorted = 0;
}

/* Has the stage a ready task? */
static inline bool br_scene_is_open(const struct br_scene_live *live, uint32_t stage)
{
    return live->ready_first[stage] < live->ready_end[stage];
}
/* Is the task one of those that the scene holds? */
static inline bool br_scene_holds(const struct br_joint_scene *scene,
                                  const struct br_joint_stage *stage, uint32_t task)
{
    return scene->step == 1 || (task - stage->first) % scene->step == 0;
}
/* Gives the slot its arrays, of unset numbers. False when memory is out. */
bool br_scene_seat(struct br_joint_scene *scene, uint32_t slot, const struct br_joint_job *job);
/* The stage waits for no other: its tasks that wait for nothing are ready. */
void br_scene_release(struct br_joint_scene *scene, uint32_t slot, uint32_t stage);
void br_scene_make_ready(struct br_joint_scene *scene, uint32_t slot, uint32_t stage,
                         uint32_t task);

#endif
