/* The rows of a plan, as they come from a file. */
#ifndef BR_PARSERS_PLANS_PUT_H
#define BR_PARSERS_PLANS_PUT_H

#include "base/text/diag.h"
#include "planner/instance/plan.h"

#define BR_PLAN_REWRITE "write the plan again with --format json"

/* What a file says of a task. */
struct br_plan_row {
    uint32_t task, machine;
    int64_t start_ns, end_ns;
    uint64_t rank;
    const char *subset; /* NULL: nothing, as if S */
};

/* A plan without rows; NULL when memory is out. It has room for what files state. */
struct br_plan *br_plan_empty(uint32_t tasks);
/* Sets the row. BR_BAD_INPUT: a rank that is none or taken, a task that has a row, an unknown
 * subset. */
enum br_status br_plan_put(struct br_plan *plan, const struct br_plan_row *row,
                           struct br_diag *diag);
/* BR_BAD_INPUT if a task has no row; names the first. */
enum br_status br_plan_check_rows(const struct br_plan *plan, const struct br_dag *dag,
                                  struct br_diag *diag);

#endif
