/* Outcomes judged from the workload, the cluster and the world alone: the judge shares no code with
 * the simulator. */
#ifndef BR_TESTS_SUPPORT_JUDGE_OUTCOME_H
#define BR_TESTS_SUPPORT_JUDGE_OUTCOME_H

#include "planner/model/cluster/cluster.h"
#include "cluster/workload/outcome.h"
#include "cluster/workload/world.h"

/* How far a resource may be overbooked. */
struct judge_limit {
    const char *resource; /* NULL: nothing is overbooked */
    uint32_t percent;
};

/* Fails the test where the outcome cannot have come of that workload on that cluster in that world.
 * It looks at:
 * - every task of a finished job has one attempt that is done, after those that came to nothing,
 *   one after another, none before the arrival;
 * - attempts last what the world says, or until their machine leaves; with a limit, no less;
 * - nothing starts before what it waits for is done;
 * - at no time do the attempts on a machine hold more than there is (up to the limit), and nothing
 *   runs there while it is away;
 * - spans in the order of their ends; ends of jobs, counts and the note as the spans say. */
void judge_outcome(const struct br_workload *workload, const struct br_cluster *cluster,
                   const struct br_world *world, const struct judge_limit *limit,
                   const struct br_outcome *outcome);

#endif
