/* One plan under check: shared by the files that each check some of its rules. */
#ifndef BR_PLANNER_CHECK_VERIFY_H
#define BR_PLANNER_CHECK_VERIFY_H

#include "planner/instance/plan.h"

struct br_plan_check {
    const struct br_plan *plan;
    const struct br_dag *dag;
    const struct br_cluster *cluster;
    uint32_t faults, limit; /* at limit no more are looked for */
    void (*fault)(void *context, const char *text);
    void *context;
    struct br_diag *diag;
};

/* Have as many faults been reported as were asked for? */
static inline bool br_plan_check_enough(const struct br_plan_check *check)
{
    return check->faults > 0 && check->faults >= check->limit;
}

/* Reports a fault, if it is not one too many. The first goes to the diagnostic, too. */
void br_plan_check_report(struct br_plan_check *check, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

enum { BR_CHECK_NAME_TEXT = 200 };
struct br_check_name {
    char text[BR_CHECK_NAME_TEXT];
};
struct br_check_name br_check_task_name(const struct br_plan_check *check, uint32_t task);
struct br_check_name br_check_machine_name(const struct br_plan_check *check, uint32_t machine);

/* Do tasks start after their parents, in time and in rank, also with lags and streams? BR_OK also
 * after faults; BR_SYSTEM (memory). O(tasks + edges + one-to-one edges x tasks). */
enum br_status br_plan_check_precedence(struct br_plan_check *check);
/* Do tasks keep their releases, their deadlines, and the times without their machines? As above.
 * O(n log n). */
enum br_status br_plan_check_dates(struct br_plan_check *check);
/* Is no more held of any resource than there is, at any time? As above; BR_BAD_INPUT: amounts too
 * far apart. O(n log n), with n the demands and outputs of all tasks and the changes of the
 * machines that they run on. */
enum br_status br_plan_check_holds(struct br_plan_check *check);
/* Does each task run by an alternative that its stage has, on a machine of its classes, for its
 * duration there? *known: all run by alternatives that there are, which the other checks need.
 * O(tasks x classes that alternatives name). */
void br_plan_check_ways(struct br_plan_check *check, bool *known);
/* Do all tasks together consume no more than the cluster shares? As above. O(tasks). */
enum br_status br_plan_check_consumed(struct br_plan_check *check);
/* Are the stated mean of the ends and the bound on it right? As above. */
enum br_status br_plan_check_mean(struct br_plan_check *check);

#endif
