/* Alternatives: how the tasks of a stage may run, and where.
 *
 * Each task runs by exactly one alternative of its stage: on one machine of one of the
 * alternative's classes (none named: of any), with the alternative's demands, for the alternative's
 * duration divided by the speed of the machine's class, rounded up to a nanosecond. What it
 * consumes of shared resources is taken for good: of each of them all tasks together consume no
 * more than there is, at whatever time, whatever else holds of it. A stage without alternatives has
 * one without a name here, so every stage of a finished job has at least one; its tasks then
 * run by it.
 *
 * br_dag.duration_ns is each task's shortest duration over its alternatives, before any division by
 * speeds. br_dag.demand and br_stage.duration_ns are what the stage itself says; of a stage with
 * alternatives they are only what its alternatives do not replace, and have been merged into
 * these: code that knows alternatives reads demands and durations from here alone. */
#ifndef BR_PLANNER_MODEL_ALTERNATIVES_H
#define BR_PLANNER_MODEL_ALTERNATIVES_H

#include <bigrocks/dag.h>

#include <stdbool.h>

#include "base/numbers/decimal.h"
#include "base/text/diag.h"

struct br_way_amount {
    uint32_t resource; /* index into br_dag.resource */
    struct br_decimal amount;
};

struct br_alternative {
    uint32_t stage;
    const char *id;          /* NULL: the stage has no alternatives; that is how its tasks run */
    int64_t duration_ns;     /* of every task that has no duration of its own by it */
    uint64_t first_duration; /* in br_alternatives.duration_ns, if it has an id */
    uint32_t first_demand, demands;    /* run in br_alternatives.demand: held while a task runs */
    uint32_t first_consumed, consumed; /* run in br_alternatives.consumed: taken for good */
    uint32_t first_class, classes;     /* run in br_alternatives.class_name; none: any class */
    struct br_pos pos;                 /* the place in the file, if known */
};

/* As given, while the job is built. `alternative` counts within the stage, in the order given;
 * UINT32_MAX: the stage itself. */
struct br_given_alternative {
    uint32_t stage;
    const char *id;
    int64_t duration_ns; /* BR_STAGE_DURATION: the stage's */
    struct br_pos pos;
};
struct br_given_amount {
    uint32_t stage, alternative, resource;
    struct br_decimal amount;
    bool consumed;
};
struct br_given_classes {
    uint32_t stage, alternative;
    const char *names; /* with blanks between them */
};
struct br_given_way_duration {
    uint32_t stage, alternative, index;
    int64_t duration_ns;
    uint32_t before; /* so many durations for all alternatives of some stage were given before */
};

struct br_alternatives {
    uint32_t alternatives, alternative_room;
    struct br_given_alternative *given;
    uint32_t amounts, amount_room;
    struct br_given_amount *amount;
    uint32_t given_classes, classes_room;
    struct br_given_classes *classes;
    uint32_t durations, duration_room;
    struct br_given_way_duration *duration;

    /* In a finished job. */
    bool named, any_class,
        any_consumed;  /* does a stage have alternatives, name classes, consume? */
    bool classes_lost; /* that the cluster lacks classes is no fault: their machines are gone */
    uint32_t count;
    struct br_alternative *alternative; /* grouped by stage, in the order given */
    uint32_t *stage_first;        /* those of stage s: stage_first[s] .. stage_first[s + 1] - 1 */
    struct br_way_amount *demand; /* once per resource, in the order of the stage's demands, then
                                   * as given; 0 if the alternative takes the stage's away */
    struct br_way_amount *consumed;
    const char **class_name; /* the arena's */
    int64_t *duration_ns;    /* by alternative with an id, then by task of the stage */
};

/* What an alternative demands, and what it consumes; NULL: nothing. */
static inline const struct br_way_amount *br_way_demands(const struct br_alternatives *all,
                                                         const struct br_alternative *way)
{
    return way->demands ? &all->demand[way->first_demand] : NULL;
}

static inline const struct br_way_amount *br_way_consumes(const struct br_alternatives *all,
                                                          const struct br_alternative *way)
{
    return way->consumed ? &all->consumed[way->first_consumed] : NULL;
}

/* Most alternatives of one stage. */
enum { BR_MAX_ALTERNATIVES = 1000 };

void br_alternatives_destroy(struct br_alternatives *alternatives);

#endif
