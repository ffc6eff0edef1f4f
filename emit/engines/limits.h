/* The limits of a plan: how much its machines have of every resource that tasks take.
 *
 * An engine is told the amounts of a resource that it knows. It can still keep the limits of
 * others: tasks are chained, so that each waits for those whose room it takes. Internal to this
 * room. */
#ifndef BR_EMIT_ENGINES_LIMITS_H
#define BR_EMIT_ENGINES_LIMITS_H

#include "base/roles.h"
#include "emit/analysis/parents.h"
#include "emit/write/input.h"

/* A resource that tasks take. */
struct br_limit {
    uint32_t resource; /* of the job */
    enum br_role role;
    int32_t digits; /* amounts times 10^digits are whole */
    /* In whole amounts, of the largest machine and of all machines, both of what they share;
     * INT64_MAX: no limit is known. */
    int64_t most, total;
    bool scarce; /* the demand of all tasks at once exceeds the largest machine */
};

struct br_limits {
    struct br_limit *limit; /* in the order of the job's resources */
    uint32_t count;
};

/* The limits that an engine keeps; bits of a set. */
enum br_keeps {
    BR_KEEPS_CPU = 1 << 0,
    BR_KEEPS_MEMORY = 1 << 1,
    BR_KEEPS_OTHERS = 1 << 2,
    BR_KEEPS_ALL = BR_KEEPS_CPU | BR_KEEPS_MEMORY | BR_KEEPS_OTHERS,
};

/* O(demands + machines' capacities). */
enum br_status br_limits_init(struct br_limits *limits, const struct br_dag *dag,
                              const struct br_cluster *cluster, struct br_diag *diag);
void br_limits_finish(struct br_limits *limits);
/* The demand of the stage's tasks in whole amounts; 0 if they take nothing. O(demands). */
int64_t br_limit_demand(const struct br_limit *limit, const struct br_dag *dag, uint32_t stage);
/* Is the resource limited, and neither cores nor memory? */
bool br_limit_is_other(const struct br_limit *limit);
/* Is the resource in the set? */
bool br_limit_is_kept(const struct br_limit *limit, unsigned keeps);

/* The place in which tasks share room. */
enum br_chain_place {
    BR_CHAIN_HOST,    /* one machine, the largest in every resource */
    BR_CHAIN_ALL,     /* all machines together */
    BR_CHAIN_MACHINE, /* each task's own machine of the plan */
};

/* The tasks for which a task waits because it takes their room. */
struct br_chain {
    uint32_t *first;  /* by task, then one more: its run in `before` */
    uint32_t *before; /* tasks of smaller rank, none of them a parent */
};

/* Chains the tasks by rank. While all edges and chains are kept, no resource of `keeps` is
 * exceeded, whenever tasks start. Room passes from task to task unit by unit: a task takes the room
 * of its parents, then unused room, then the room that is free first in the plan. The chains do not
 * delay a plan that holds on such a place. A task that demands more than there is runs alone.
 * BR_BAD_INPUT if a task ranks before a parent. O(demands x tasks x log tasks), with the edges of
 * each task's stage. [Policella04] */
enum br_status br_chain_init(struct br_chain *chain, const struct br_limits *limits,
                             const struct br_emit_input *input, const struct br_parents *parents,
                             enum br_chain_place place, unsigned keeps, struct br_diag *diag);
void br_chain_finish(struct br_chain *chain);

#endif
