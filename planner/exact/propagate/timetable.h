/* Time-table propagation of the capacities [Schutt11]: a task that starts by u at the latest and
 * ends at e at the earliest runs from u to e in every schedule. When these compulsory parts leave
 * too little for another task, it cannot run, and its bounds are pushed past. */
#ifndef BR_PLANNER_EXACT_PROPAGATE_TIMETABLE_H
#define BR_PLANNER_EXACT_PROPAGATE_TIMETABLE_H

#include "planner/exact/propagate/trail.h"

/* The compulsory part of a task before it grew. */
struct br_lcg_part {
    uint32_t task;
    int32_t from, to;
    uint32_t level; /* at which it grew */
};

struct br_lcg_timetable {
    const struct br_lcg_problem *p; /* borrowed */
    struct br_lcg_trail *trail;     /* borrowed */
    uint64_t *free;                 /* the profile with all compulsory parts, as in the problem */
    int32_t *part_from, *part_to;   /* by task: its compulsory part; empty if the two are equal */
    struct br_lcg_part *grown;      /* parts as they were, to be taken back */
    uint32_t grown_count, grown_room;
    uint32_t *moved, moved_count; /* tasks with bounds that have risen since the last round */
    bool *has_moved;              /* by task */
    uint32_t *running, *recency;  /* scratch of explanations */
};

/* Arrays that never grow are the arena's. False when memory is out; finish is fine in any case. */
bool br_lcg_timetable_init(struct br_lcg_timetable *c, const struct br_lcg_problem *p,
                           struct br_lcg_trail *trail, struct br_arena *arena);
void br_lcg_timetable_finish(struct br_lcg_timetable *c);

/* Notes that a bound of the task has risen. */
static inline void br_lcg_timetable_note(struct br_lcg_timetable *c, uint32_t task)
{
    if (!c->has_moved[task]) {
        c->has_moved[task] = true;
        c->moved[c->moved_count++] = task;
    }
}
/* One round over the tasks that have moved; bounds that rise are on the trail afterwards. Once the
 * trail's flag is raised it ends early, and all tasks are noted for the next round. False in
 * a conflict, or when memory is out. */
bool br_lcg_timetable_propagate(struct br_lcg_timetable *c);
/* Takes back all that happened above the level, and forgets which tasks have moved. */
void br_lcg_timetable_backtrack(struct br_lcg_timetable *c, uint32_t level);
/* Appends the reasons of l, derived at the tick `at`, to the list: the compulsory parts of other
 * tasks, as they were before the entry. Side NONE: the reasons of a conflict in the profile. False
 * when memory is out. */
bool br_lcg_timetable_explain(struct br_lcg_timetable *c, struct br_lcg_literal l, int32_t at,
                              uint32_t entry, struct br_lcg_literals *list);
/* Is the profile that of the compulsory parts? O(horizon + lengths of the parts). */
bool br_lcg_timetable_holds(const struct br_lcg_timetable *c);

#endif
