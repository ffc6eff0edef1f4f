/* Serial generation with a choice of ways: one task after another, the first of an order among
 * those whose parents are placed, each as early as it fits. A task either runs by the way that is
 * given for it, or by that one which lets it end first.
 *
 * Backward, everything is turned round: a task is placed once its children are, and time runs from
 * the end of the job. Releases do not count then.
 *
 * What is held beyond the end of a task, machines that are away and deadlines are left out: the
 * schedules say how good a choice of ways is, and the plan is made after it. */
#ifndef BR_PLANNER_MODES_MODE_LISTER_H
#define BR_PLANNER_MODES_MODE_LISTER_H

#include "planner/eligibility/features.h"
#include "planner/modes/job.h"

/* Features with which the schedules are plans. */
enum { BR_MODE_LISTER_FEATURES = BR_FEATURES_MODES | BR_FEATURE_SHARED | BR_FEATURE_RELEASES };

/* Arrays of the caller's, by task. */
struct br_choice {
    uint32_t *way;  /* numbers in br_modes.way */
    uint32_t *rank; /* lesser first */
    int64_t *start, *end;
    int64_t makespan;
    uint32_t *machine;    /* by task, filled; NULL: nobody asks */
    const uint32_t *only; /* by task: on which machine alone it runs, if a way allows it, and
                           * UINT32_MAX for any; NULL: any for all */
};

struct br_mode_lister;

/* NULL when memory is out. */
struct br_mode_lister *br_mode_lister_create(const struct br_modes *modes);
void br_mode_lister_destroy(struct br_mode_lister *lister);

/* Places all tasks by choice->rank; fills start, end and makespan. With `frees` a task may take
 * another way if budgets allow it, and choice->way then has it. False when memory is out.
 * O(tasks x (ways x machines x steps + edges)); machines of a class on which nothing runs count as
 * one. */
bool br_mode_lister_run(struct br_mode_lister *lister, struct br_choice *choice, bool backward,
                        bool frees);

/* The same without looking back: time goes on, and what is ready starts by choice->rank, whatever
 * comes later, by that way and on that machine by which it ends first among those that are free. A
 * stage of which one task finds no room is not asked again before something ends. No choice->only.
 * O(tasks x (stages at once + ways x machines x steps + log tasks)). */
bool br_mode_lister_dispatch(struct br_mode_lister *lister, struct br_choice *choice);

/* What all tasks consume together by these ways, into spent[budgets]. */
void br_ways_spend(const struct br_modes *modes, const uint32_t *way, int64_t *spent);

#endif
