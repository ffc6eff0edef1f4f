/* What the files that plan jobs with features share; only general_*.c include it. */
#ifndef BR_PLANNER_PLANNING_GENERAL_STATE_H
#define BR_PLANNER_PLANNING_GENERAL_STATE_H

#include <bigrocks/bound.h>

#include "base/process/alarm.h"
#include "planner/general/search.h"
#include "planner/general/witness.h"
#include "planner/instance/plan.h"
#include "planner/instance/relax.h"

struct general_plan {
    const struct br_dag *dag;
    const struct br_cluster *cluster;
    struct br_plan_options options;
    const struct br_relaxed *relaxed;
    const struct br_witness *known; /* an order that fits; NULL: it is looked for */
    struct br_general *job;
    struct br_witness witness;
    struct br_general_schedule best;
    bool alone;              /* nothing that the relaxed job leaves out can run short */
    struct br_plan *fitting; /* the relaxed job's, if it is one of the given job; owned */
    uint32_t *hint;          /* ranks */
    int64_t lower_bound_ns;
    const char *bound_method;
    struct br_certificate *certificate; /* of that bound; NULL: none */
    enum br_witness_answer answer;      /* of the search for the witness */
    uint32_t stuck;                     /* with it, if there is none */
    bool complete;                      /* all schedules were looked at */
    const char *finder;                 /* of the best */
    bool stopped, limited;              /* by the flag, by the placements asked for */
    struct br_alarm alarm;
    struct br_bound_answer source;
    struct br_stop never; /* of the alarm if there is no limit */
    int64_t began_ns;
    uint64_t placements;
    struct br_diag *diag;
};

/* The plan of the relaxed job, which is exact, as one of the given job. */
enum br_status br_general_exact(const struct br_dag *dag, const struct br_relaxed *relaxed,
                                const struct br_plan_options *options, struct br_plan **plan,
                                struct br_diag *diag);
/* Takes an order of starts from a quick plan of the relaxed job, and its bound. If that plan is one
 * of the given job, it is the best so far. */
enum br_status br_general_hint(struct general_plan *g);
/* Another bound, from all machines as one with what they share. */
enum br_status br_general_bound_pool(struct general_plan *g);

/* Fills the witness and the answer: the order that was given, or one that is found, if storage can
 * run short. Refuses the job if there is none and no plan is known. */
enum br_status br_general_find_witness(struct general_plan *g);

/* Answers of no: there is no order in which what is held fits, or none was found; a deadline is not
 * kept (BR_OK if all are); some task has found no room. */
enum br_status br_general_refuse_storage(const struct general_plan *g);
enum br_status br_general_refuse_late(const struct general_plan *g);
enum br_status br_general_refuse_unplaced(const struct general_plan *g);

#endif
