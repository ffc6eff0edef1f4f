/* Courses made task by task: each on the machine on which it would end first, its inputs counted.
 */
#ifndef BR_PLANNER_NETWORK_LIST_H
#define BR_PLANNER_NETWORK_LIST_H

#include "planner/network/job.h"

/* The rule that makes a course. */
struct br_network_rule {
    uint32_t machines; /* only the first so many take part, unless none of them holds a task */
    double weight;     /* of the time that transfers take, in the choice and in the order */
};

/* Fills machine and sequence, both by task. The sequence is by the longest path that hangs on a
 * task, transfers counted, as in [Topcuoglu02]; the choice is by earliest end, with the arrivals of
 * inputs guessed from what the ports have to take in. Differs: a task is never put before one that
 * its machine has already. False when memory is out. O(tasks x machines x tasks at once). */
bool br_network_list(const struct br_network_job *job, const struct br_network_rule *rule,
                     uint32_t *machine, uint32_t *sequence);

#endif
