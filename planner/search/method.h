/* The methods that a plan can be asked for: one table, in the order in which they are listed. */
#ifndef BR_PLANNER_SEARCH_METHOD_H
#define BR_PLANNER_SEARCH_METHOD_H

#include <bigrocks/planner.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/text/named.h"

enum br_method_kind {
    BR_METHOD_BEST,      /* all but the baselines, justified, and searches that go on from them */
    BR_METHOD_GRAPHENE,  /* the published method alone */
    BR_METHOD_HEURISTIC, /* a row of the table of heuristics */
    BR_METHOD_BASELINE,  /* a row of the table of baselines (planner/modes/baselines.h) */
    BR_METHOD_GIVEN,     /* no method: in an order of the caller's */
};

struct br_method {
    enum br_method_kind kind;
    uint32_t row; /* of a heuristic or a baseline */
};

/* The name of the published method, which its schedules carry; its address tells it from other
 * names of schedules. And that of schedules in a given order. */
extern const char br_method_graphene[], br_method_given[];

/* All methods. */
extern const struct br_names br_methods;
/* Finds the method by its name; NULL is the default. False if no method has that name. */
bool br_method_find(const char *name, struct br_method *method);

/* BR_USAGE: a value that its enum does not name, or a negative limit. NULL is fine. */
enum br_status br_options_check(const struct br_plan_options *options, struct br_diag *diag);

/* The bound that the options mean: never BR_PLAN_BOUND_AUTO. */
enum br_plan_bound br_plan_bound_meant(const struct br_plan_options *options,
                                       const struct br_method *method);
/* The effort that the options mean: never BR_EFFORT_AUTO. */
enum br_effort br_effort_meant(const struct br_plan_options *options);
/* The threads that the options mean if so many processors are there. More threads than these do not
 * get more done, but the searches by the clock would make their populations for them; by counts of
 * placements the plan is the same, whatever the threads. */
uint32_t br_threads_meant(const struct br_plan_options *options, uint32_t processors);
/* How many processors these threads get by the clock if a source of bounds works beside them all
 * the time. */
double br_threads_expected(uint32_t threads, uint32_t processors);

#endif
