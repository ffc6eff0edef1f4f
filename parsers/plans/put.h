/* The rows of a plan, as they come from a file. */
#ifndef BR_PARSERS_PLANS_PUT_H
#define BR_PARSERS_PLANS_PUT_H

#include "base/text/diag.h"
#include "planner/instance/plan.h"

#define BR_PLAN_REWRITE "write the plan again with --format json"

/* What a file says of a task. */
struct br_plan_row {
    uint32_t task, machine;
    uint32_t alternative; /* counted within the stage of the task, by br_plan_find_alternative */
    int64_t start_ns, end_ns;
    uint64_t rank;
    const char *subset; /* NULL: nothing, as if S */
};

/* A plan without rows; NULL when memory is out. It has room for what files state. */
struct br_plan *br_plan_empty(const struct br_dag *dag);
/* The alternative that a file names for the task (NULL: it names none). BR_BAD_INPUT if the stage
 * has none of that name, or has some and none is named. */
enum br_status br_plan_find_alternative(const struct br_dag *dag, uint32_t task, const char *id,
                                        uint32_t *alternative, struct br_diag *diag);
/* Sets the row. BR_BAD_INPUT: a rank that is none or taken, a task that has a row, an unknown
 * subset. */
enum br_status br_plan_put(struct br_plan *plan, const struct br_plan_row *row,
                           struct br_diag *diag);
/* BR_BAD_INPUT if a task has no row; names the first. */
enum br_status br_plan_check_rows(const struct br_plan *plan, const struct br_dag *dag,
                                  struct br_diag *diag);

#endif
