/* All amounts of a job and its cluster, scaled by resource to exact integers. Nothing of it is
 * shared with the instance, by which plans are made. */
#ifndef BR_PLANNER_CHECK_AMOUNTS_H
#define BR_PLANNER_CHECK_AMOUNTS_H

#include "base/numbers/wide.h"
#include "planner/check/verify.h"

/* Scaled by 10^digits. The row of capacities behind those of all classes is what is shared. */
struct br_check_amounts {
    int32_t *digits;     /* by resource */
    br_wide *demand;     /* by index into br_dag.demand */
    br_wide *capacity;   /* [class * resources + resource] */
    br_wide *way;        /* by index into br_alternatives.demand; NULL: the job has none */
    br_wide *consumed;   /* by index into br_alternatives.consumed; with `way` */
    br_wide *output;     /* by output */
    br_wide *change;     /* by change of the calendar */
    uint32_t *change_of; /* its resource; UINT32_MAX: one that the job does not use */
    bool *shared;        /* by resource; NULL: none is */
};

/* BR_BAD_INPUT if amounts are too far apart; BR_SYSTEM. Finish is fine after a failure.
 * O(demands + outputs + changes + classes x resources). */
enum br_status br_check_amounts_init(const struct br_plan_check *check,
                                     struct br_check_amounts *amounts);
void br_check_amounts_finish(struct br_check_amounts *amounts);

/* Two amounts of a resource as texts for people, which differ if the amounts do. */
void br_check_amount_texts(const struct br_check_amounts *amounts,
                           const struct br_plan_check *check, uint32_t resource, br_wide has,
                           br_wide holds, struct br_check_name text[2]);

#endif
