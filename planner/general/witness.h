/* An order of all tasks in which they can run one after another: the proof that a job has a plan at
 * all, as far as storage goes. */
#ifndef BR_PLANNER_GENERAL_WITNESS_H
#define BR_PLANNER_GENERAL_WITNESS_H

#include "base/process/stop.h"
#include "planner/general/reserve.h"

enum br_witness_answer {
    BR_WITNESS_FOUND,
    BR_WITNESS_NONE,    /* there is no such order */
    BR_WITNESS_UNKNOWN, /* none was found in the states that could be looked at */
    BR_WITNESS_MEMORY,  /* out of memory */
};

/* Searches for an order that fits, depth first, and remembers the sets of tasks from which it does
 * not go on. A task that leaves no more behind than it frees runs at once: that is never worse. The
 * order also tries to keep what is held low. Fills the witness if it finds one; both arrays are the
 * caller's. `stuck` (may be NULL) is a task that did not fit where most tasks had run. `work`
 * limits the machines and instances that are looked at, beside so many a task that any order can be
 * made. */
enum br_witness_answer br_witness_find(const struct br_general *job, uint64_t work,
                                       const struct br_stop *stop, struct br_witness *witness,
                                       uint32_t *stuck);
/* The same for a job of which the first `begun` tasks of the given order have run, each on its
 * given machine. The order need not be low. */
enum br_witness_answer br_witness_go_on(const struct br_general *job, uint32_t begun, uint64_t work,
                                        struct br_witness *witness);

/* Is there an order that fits if there is any plan at all? Then the order of ends of a plan is one.
 */
bool br_witness_is_needed(const struct br_general *job);

#endif
