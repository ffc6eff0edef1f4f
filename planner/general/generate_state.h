/* The state of a schedule while it is made, and what is held in it; only generate*.c include this.
 */
#ifndef BR_PLANNER_GENERAL_GENERATE_STATE_H
#define BR_PLANNER_GENERAL_GENERATE_STATE_H

#include "planner/general/reserve.h"
#include "planner/space/fit_tree.h"

/* Something happens to a task. */
enum event_kind { EVENT_END, EVENT_READY, EVENT_MARK };
struct event {
    int64_t time;
    uint32_t kind, task;
};

struct turn {
    uint32_t rank, task;
};

struct br_generator {
    const struct br_general *job;
    struct br_reserve *reserve;
    const uint32_t *rank;
    struct br_general_schedule *out;
    int64_t now;

    struct event *event; /* a heap */
    uint32_t events, event_room;
    uint32_t marks; /* of the events: machines come, go or change */

    /* What tasks wait for. Ends of parents are known when they start, so that is when children are
     * told. */
    uint32_t *waits;     /* by stage: barriers of which some parent has not started */
    uint32_t *pairs;     /* by task: one-to-one parents that have not started */
    uint32_t *left;      /* by stage: tasks that have not started */
    uint32_t *running;   /* by stage: tasks that have not ended */
    int64_t *stage_from; /* by stage: the earliest start by barriers */
    int64_t *stage_end;  /* by stage: no task may end before this, by streams over barriers */
    int64_t *from;       /* by task: the earliest start by one-to-one arcs */
    int64_t *last_start, *last_end; /* by stage, of what has started */

    /* Ready tasks, in a heap by turn for each stage; the heap of stage s begins at stage_first[s].
     */
    struct turn *ready;
    uint32_t *readies; /* by stage */
    uint32_t *open;    /* stages with ready tasks, in no order */
    uint32_t opens;
    uint32_t *open_number; /* by stage; UINT32_MAX: none is ready */
    struct turn *round;    /* a heap of the first turns of stages */
    struct turn *strict;   /* all tasks by turn, for strict turns */
    uint32_t next;         /* in `strict` */

    int64_t *used;     /* by place */
    uint32_t *readers; /* by instance: edges whose readers have not all ended */
    uint32_t *rises;   /* by place: running tasks that leave more than they hold */
    bool *runs;        /* by task */
    uint32_t *run;     /* tasks that run, in no order */
    uint32_t run_count;
    uint32_t *run_number;
    struct br_fit_tree room; /* machines by what is free */
    int64_t *vector;
    bool failed;
};

static inline int64_t br_generator_free(const struct br_generator *g, uint32_t place)
{
    return br_general_capacity(g->job, place, g->now) - g->used[place];
}

static inline int64_t br_generator_needs(const struct br_general *job, uint32_t task, uint32_t r)
{
    const size_t at = (size_t)job->task_stage[task] * job->resources + r;
    return job->made[at] + (job->duration[task] ? job->demand[at] : 0);
}

/* Sets the machine's leaf; shared resources are looked at apart. A negative room is a change that
 * came while tasks ran. */
void br_generator_show_room(struct br_generator *g, uint32_t machine);
/* The task holds what it needs on its machine from now on; the task ends, and frees what it was the
 * last to read. */
void br_generator_hold(struct br_generator *g, uint32_t task);
void br_generator_end(struct br_generator *g, uint32_t task);
/* Do all shared resources, or does the machine, hold the task from now on? */
bool br_generator_shared_holds(const struct br_generator *g, uint32_t task);
bool br_generator_machine_holds(const struct br_generator *g, uint32_t machine, uint32_t task);

#endif
