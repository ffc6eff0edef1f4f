/* Measures: the tasks that may run at the same time, as numbers that bounds can sum.
 *
 * A measure gives every stage a weight, such that the weights of all tasks that run at any one time
 * never exceed its capacity. Every resource is a measure, with the demands as weights and the sum
 * over all machines as capacity. It does not see that a task must fit one machine. For a number t,
 *     weight(s) = floor(demand(s) / t),  capacity = sum over machines of floor(capacity / t)
 * is a measure, too: the weights on one machine sum to a whole number that is at most the sum of
 * demand / t there. If t is just above half of a machine, a task that needs more than half weighs
 * 1, and each machine counts 1. These are dual feasible functions [Fekete01].
 *
 * Tasks of which no two fit one machine together are a measure with weight 1, and with the number
 * of machines as capacity. On a cluster of one machine so are tasks of which no two can run
 * together for lack of capacity or since one is an ancestor of the other. */
#ifndef BR_PLANNER_BOUNDS_MEASURE_H
#define BR_PLANNER_BOUNDS_MEASURE_H

#include "base/process/stop.h"
#include "planner/instance/certificate.h"

struct br_measure {
    int64_t *weight;  /* by stage, of one task */
    int64_t capacity; /* above 0 */
    enum br_measure_kind kind;
    uint32_t resource; /* of the instance */
    int64_t unit;      /* t; 0: the demands as they are, and for cliques */
};

struct br_measures {
    struct br_arena arena;
    uint32_t count;
    struct br_measure *measure;
    int64_t *work; /* by stage: the sum of the durations of its tasks, in ticks */
    /* May be NULL. If raised, arguments in these measures skip what they have not tried yet: their
     * bounds are weaker, but hold. */
    const struct br_stop *stop;
};

/* Makes all resources and, unless plain, a choice of the other measures: those under which the
 * whole instance has the most work by capacity, more of them for smaller instances. False when
 * memory is out, with *measures zeroed. */
bool br_measures_init(struct br_measures *measures, const struct br_instance *in, bool plain);
/* As br_measures_init; `stop`, kept by the measures, ends the choice of other measures early. */
bool br_measures_begin(struct br_measures *measures, const struct br_instance *in, bool plain,
                       const struct br_stop *stop);
void br_measures_finish(struct br_measures *measures);

/* How many tasks of the stage fit on all machines at the same time, at most `most`. */
uint64_t br_stage_slots(const struct br_instance *in, uint32_t stage, uint64_t most);

/* The least ticks that the stage takes if it has the cluster for itself. Its tasks demand the same,
 * so that they run as on K equal slots, one task on each. With durations sorted downwards, d[0] >=
 * d[1] >= ..., of the first qK + 1 tasks some q + 1 share a slot, and take at least the sum of the
 * q + 1 shortest of these; for equal tasks that is n / K rounds, rounded up. Work by K and the
 * longest task count as well. `scratch` has room for the stage's tasks. */
int64_t br_stage_waves(const struct br_instance *in, uint32_t stage, int64_t *scratch);

#endif
