/* The model of an instance of one machine, laid out for the kernels: all threads share it, and it
 * never changes. Users create it and ask for its profile; its members are the kernels'. */
#ifndef BR_PLANNER_RCPSP_MODEL_H
#define BR_PLANNER_RCPSP_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/collections/arena.h"
#include "planner/instance/instance.h"
#include "planner/schedule/place.h"

/* How free capacity over time is kept. The schedules are the same. */
enum br_rcpsp_profile {
    BR_RCPSP_CHOOSE, /* chooses the best for the instance */
    BR_RCPSP_SLICES, /* 32 ticks at a time; durations must be short, see br_rcpsp_model_profile */
    BR_RCPSP_EVENTS, /* a list of the times at which free capacity changes */
    BR_RCPSP_WIDE,   /* a list without packing several resources into one word */
};

/* Four resources of 32 ticks each. */
typedef uint32_t br_rcpsp_vector __attribute__((vector_size(16)));

enum {
    BR_RCPSP_INLINE = 4, /* neighbours before a task that its record holds */
    BR_RCPSP_STEPS = 5,  /* doublings up to a word of 32 ticks */
    BR_RCPSP_CELLS = 16, /* vectors of a word of the sliced profile, at most */
};

/* Task of the sliced profile; its demand follows, a vector a bit and group of four resources. */
struct br_rcpsp_record {
    uint32_t before[BR_RCPSP_INLINE]; /* padded with the origin */
    uint32_t more, more_end;          /* the other nodes before it are in the side's `before` */
    uint32_t duration, tail;
    uint32_t hub;
    uint32_t holds;                /* demands something for some time */
    uint8_t shift[BR_RCPSP_STEPS]; /* add up to duration - 1, or to 32 if that is above 32 */
    uint8_t padding[8 - BR_RCPSP_STEPS];
};

/* The job as seen in one direction. Nodes are the tasks, the origin at time 0, and hubs. If all
 * tasks of a stage wait for all of another, they wait for its hub, which ends with the last of
 * them. */
struct br_rcpsp_side {
    uint32_t nodes;
    uint32_t *before_first, *before; /* by task: the nodes that it follows, without the origin */
    uint32_t *after_first, *after;   /* by node: the tasks, and the hub, that wait for it */
    uint32_t *waits;                 /* by node: the number of nodes for which it waits */
    uint32_t *hub;                   /* by task: hub of its stage; 0 if there is none */
    int64_t *tail;                   /* by task: longest path after it */
    unsigned char *record;           /* sliced profile: stride bytes a task */
};

struct br_rcpsp_model {
    struct br_arena arena;
    const struct br_instance *in;
    enum br_rcpsp_profile profile;
    uint32_t tasks, resources; /* those that can run short */
    int64_t horizon;           /* no schedule is longer: the sum of all durations */
    bool *holds;               /* by task: demands something for some time */
    struct br_rcpsp_side side[2];

    /* Amounts packed into words, in lanes with a guard bit each above the amount. Free capacity
     * carries all guards; what remains after a demand is taken lacks one if the demand does not
     * fit. */
    uint32_t words;
    uint64_t *lane;          /* [task * words + word] */
    uint64_t *guard, *whole; /* by word; whole: capacity and guards */

    /* The sliced profile: bits of the free amounts, a vector for each of `planes` bits and
     * `groups` of four resources, [plane * groups + group]. */
    uint32_t planes, groups, steps;
    size_t stride;
    br_rcpsp_vector whole_slice[BR_RCPSP_CELLS];
};

static inline uint32_t br_rcpsp_origin(const struct br_rcpsp_model *m)
{
    return m->tasks;
}

/* The model of an instance of one machine (asserted); borrows the instance. NULL when memory is
 * out. O(tasks x resources + arcs between tasks), a barrier counts as one arc for each task at
 * either of its ends. */
struct br_rcpsp_model *br_rcpsp_model_create(const struct br_instance *instance,
                                             enum br_rcpsp_profile profile);
void br_rcpsp_model_destroy(struct br_rcpsp_model *model);
/* The profile in use: never BR_RCPSP_CHOOSE. If slices were asked for but the horizon or the
 * capacities are too large for them, it is BR_RCPSP_EVENTS. */
enum br_rcpsp_profile br_rcpsp_model_profile(const struct br_rcpsp_model *model);
/* About the time that the population search takes for a placement, in nanoseconds of one thread,
 * from measurements on public jobs of 60 to 1,448 tasks on a processor of a common server. It
 * depends on the job alone, so that two machines expect the same of a time limit. O(1). */
double br_rcpsp_model_placement_ns(const struct br_rcpsp_model *model);

#endif
