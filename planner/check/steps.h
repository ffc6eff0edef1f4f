/* The capacities of one place over time: of a machine, or of what all machines share. */
#ifndef BR_PLANNER_CHECK_STEPS_H
#define BR_PLANNER_CHECK_STEPS_H

#include "planner/check/amounts.h"
#include "planner/check/spans.h"

/* From at_ns on there is this amount of the resource, until its next step. */
struct br_capacity_step {
    int64_t at_ns;
    uint32_t resource;
    br_wide amount;
};

struct br_capacity_steps {
    const struct br_calendar *calendar;
    const struct br_check_amounts *amounts;
    struct br_span_walk walk;
    uint32_t count;
    struct br_capacity_step *step; /* of the last place, by time */
    /* Scratch, two entries for each change. */
    struct br_capacity_step *made;
    struct br_sort_item *item, *scratch, *mark;
    uint32_t *heap;
};

/* For the changes of a calendar. False if memory is out; finish is fine then. */
bool br_capacity_steps_init(const struct br_calendar *calendar,
                            const struct br_check_amounts *amounts,
                            struct br_capacity_steps *steps);
void br_capacity_steps_finish(struct br_capacity_steps *steps);
/* The steps of this machine, which comes after those before, or of what is shared (UINT32_MAX).
 * `capacity`: what there is when nothing changes it, by resource. O(k log k) for k changes. */
void br_capacity_steps_of(struct br_capacity_steps *steps, uint32_t machine,
                          const br_wide *capacity);

#endif
