/* The tasks of a job by rank, each once all that it waits for is placed. The arcs are followed in
 * either direction: from the beginning a task waits for its parents, from the end for its children,
 * and times then count from the end. */
#ifndef BR_PLANNER_INSTANCE_FRONTIER_H
#define BR_PLANNER_INSTANCE_FRONTIER_H

#include <stdbool.h>
#include <stdint.h>

/* An arc as it is seen from one of its ends. */
struct br_stage_arc {
    uint32_t stage; /* at the other end */
    bool one_to_one;
    bool stream; /* the later task waits for the start of the earlier one, not for its end */
    int64_t lag;
};

/* Arcs by stage, in CSR form: those of stage s are arc[first[s]] .. */
struct br_stage_arcs {
    const uint32_t *first;
    const struct br_stage_arc *arc;
};

struct br_frontier_turn {
    uint32_t rank, task;
};

struct br_frontier {
    uint32_t stages, tasks;
    const uint32_t *task_stage; /* borrowed */
    const uint32_t *rank;
    struct br_stage_arcs ahead; /* to what waits for a task */
    bool last_first;
    uint32_t *stage_first;
    uint32_t *left;    /* by stage: tasks that are not placed */
    int64_t *last_end; /* by stage: of those that are placed; 0: none is */
    int64_t *last_start;
    uint32_t *barriers; /* by stage: arcs from stages that are not placed as a whole */
    uint32_t *pairs;    /* by task: one-to-one arcs from tasks that are not placed */
    int64_t *stage_from, *task_from;
    struct br_frontier_turn *turn; /* a heap of the tasks that wait for nothing */
    uint32_t turns;
};

/* The tasks of a stage follow each other; task_stage is borrowed. False when memory is out;
 * br_frontier_finish is to be called in any case. */
bool br_frontier_init(struct br_frontier *f, uint32_t stages, uint32_t tasks,
                      const uint32_t *task_stage);
void br_frontier_finish(struct br_frontier *f);

/* Begins anew: `behind` leads from a stage to what it waits for, `ahead` to what waits for it.
 * Lowest ranks first, or with last_first highest; equal ones by their number. No task starts before
 * its release; NULL: 0 for all. Arcs, rank and release are borrowed until the next beginning.
 * O(tasks log tasks + arcs). */
void br_frontier_begin(struct br_frontier *f, struct br_stage_arcs behind,
                       struct br_stage_arcs ahead, const uint32_t *rank, bool last_first,
                       const int64_t *release);
/* Takes the next task that waits for nothing; false if there is none. O(log tasks). */
bool br_frontier_next(struct br_frontier *f, uint32_t *task);
/* Puts a task back that was taken and not placed. O(log tasks). */
void br_frontier_again(struct br_frontier *f, uint32_t task);
/* The task, which was taken, is placed. O(arcs of its stage), and for the last one of a stage
 * O(tasks that wait for it). */
void br_frontier_place(struct br_frontier *f, uint32_t task, int64_t start, int64_t end);

/* The earliest start of a task that waits for nothing. O(1). */
static inline int64_t br_frontier_from(const struct br_frontier *f, uint32_t task)
{
    const int64_t stage_from = f->stage_from[f->task_stage[task]];
    return f->task_from[task] > stage_from ? f->task_from[task] : stage_from;
}

#endif
