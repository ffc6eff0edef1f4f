/* The machine that a task fits best: an index over free vectors that finds it without looking at
 * all of them.
 *
 * The fit is measured by the slack, the dot product of demand and free vector as shares of a whole
 * machine: the less, the better. A binary tree over the machines holds, by node, the least and the
 * most of every component. The most tell below which nodes no machine holds the demand; the least
 * bound the slack of all machines below, so that the search leaves out what cannot win: branch and
 * bound. Bounds are computed by the same operations as slacks, and rounding is monotone, so the
 * answer is exactly the one that a look at every machine gives.
 *
 * A search finds the first few at once, and they are remembered by stage: of the machines that have
 * not changed since, the first of these is the best. So the next task of the stage needs a look at
 * that one and at those that have changed. */
#ifndef BR_PLANNER_SPACE_BEST_FIT_H
#define BR_PLANNER_SPACE_BEST_FIT_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/instance/instance.h"

#define BR_BEST_FIT_NONE UINT32_MAX

enum {
    BR_BEST_FIT_CHANGES = 256, /* that may be looked at before a search is the better way */
    BR_BEST_FIT_FOUND = 16,    /* machines that one search finds */
    BR_BEST_FIT_STAGES = 64,   /* whose searches are remembered */
};

struct br_best_fit_memory {
    uint32_t stage;
    uint32_t changes;                    /* of the index when the search was made */
    uint32_t next, count, room;          /* fewer than `room` found: there were no more */
    uint32_t machine[BR_BEST_FIT_FOUND]; /* by slack, ties by number */
};

struct br_best_fit {
    const struct br_instance *in; /* borrowed */
    uint32_t leaves;              /* a power of two */
    uint32_t height;              /* leaves is 1 << height */
    uint32_t width;               /* components, at least 1 */
    int64_t *range;   /* [node * 2 * width]: the least, then the most; node 1 is the root */
    double *weight;   /* [class * width]: 1 / capacity^2, 0 if there is none */
    double *lightest; /* the least weights over the classes */
    uint32_t *machine_class;
    uint32_t changes;                      /* so far */
    uint32_t *changed_at;                  /* by machine: the number of its last change, from 1 */
    uint32_t changed[BR_BEST_FIT_CHANGES]; /* the machines of the last changes, a ring */
    struct br_best_fit_memory memory[BR_BEST_FIT_STAGES];
};

/* Over the instance's machines, none of them in the index. False when memory is out (finish is
 * still fine). O(machines x resources). */
bool br_best_fit_init(struct br_best_fit *index, const struct br_instance *instance);
void br_best_fit_finish(struct br_best_fit *index);

/* Puts the machine into the index with its free vector (one value at least, whatever it is, if
 * there are no resources), or takes it out if that is NULL. O(log machines). */
void br_best_fit_set(struct br_best_fit *index, uint32_t machine, const int64_t *free);

/* The machine of the index with the least slack among those that hold the stage's demand; ties to
 * the lower number. BR_BEST_FIT_NONE if none does. */
uint32_t br_best_fit_find(struct br_best_fit *index, uint32_t stage);
/* The first machine of the index at or after `from` that holds the stage's demand. */
uint32_t br_best_fit_next(const struct br_best_fit *index, uint32_t stage, uint32_t from);

/* The slack of the machine for the stage with that free vector, whether it is in the index or not.
 */
double br_best_fit_slack(const struct br_best_fit *index, uint32_t stage, uint32_t machine,
                         const int64_t *free);
/* The result of br_best_fit_find while nothing runs, without an index. O(classes x resources). */
uint32_t br_best_fit_empty(const struct br_instance *in, uint32_t stage);

#endif
