/* Running the tasks of a job one after another: what is held meanwhile, forward and back. */
#ifndef BR_PLANNER_GENERAL_WALK_H
#define BR_PLANNER_GENERAL_WALK_H

#include "planner/general/job.h"

struct br_walk {
    const struct br_general *job; /* borrowed */
    int64_t *held;                /* by place */
    int64_t *limit;               /* by place: the least capacity at any time */
    uint32_t *machine;            /* by task that has run */
    bool *done;                   /* by task */
    uint32_t *left;               /* by stage: tasks that have not run */
    uint32_t *begin;              /* by stage: no task before this has yet to run */
    uint32_t *free;               /* by stage: tasks yet to run that wait for no pair */
    uint32_t *readers;            /* by instance: edges whose readers have not all run */
    uint32_t *waits;              /* by stage: parents over barriers that have not all run */
    uint32_t *pairs;              /* by task: one-to-one parents that have not run */
    bool *fits_class;             /* [stage * classes + class]: by the demands alone */
    int64_t *change;              /* by resource, scratch */
    uint32_t *last;               /* by stage: a machine that held its last task looked at */
    uint64_t work;                /* machines and instances looked at so far */
};

/* Nothing has run. False when memory is out (finish is still fine). */
bool br_walk_init(struct br_walk *walk, const struct br_general *job);
void br_walk_finish(struct br_walk *walk);

static inline bool br_walk_is_ready(const struct br_walk *walk, uint32_t task)
{
    return !walk->done[task] && !walk->waits[walk->job->task_stage[task]] && !walk->pairs[task];
}

/* Can the task run now on some machine, and leave its outputs? *growth is by how much it lets what
 * is held grow, as a sum of shares of the places, and *frees whether no place holds more
 * afterwards. O(machines x resources + reads), usually without the machines. */
bool br_walk_look(struct br_walk *walk, uint32_t task, double *growth, bool *frees);
/* The machine of those on which it can run with most room left of what can run short. There is one.
 * O(machines x resources + reads). */
uint32_t br_walk_machine(struct br_walk *walk, uint32_t task);
/* Runs the task there, or takes back the last that has run. O(reads + children). */
void br_walk_run(struct br_walk *walk, uint32_t task, uint32_t machine);
void br_walk_back(struct br_walk *walk, uint32_t task);

#endif
