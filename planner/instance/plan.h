/* The plan as the rooms see it; the calls that read it are public, in bigrocks/plan.h. */
#ifndef BR_PLANNER_INSTANCE_PLAN_H
#define BR_PLANNER_INSTANCE_PLAN_H

#include <bigrocks/planner.h>

#include "base/collections/arena.h"
#include "planner/instance/certificate.h"
#include "planner/model/cluster/cluster.h"
#include "planner/instance/counters.h"
#include "planner/model/dag.h"
#include "planner/model/transfers.h"

/* The result of one method that was tried. */
struct br_plan_trial {
    const char *method; /* static storage or the plan's arena */
    int64_t makespan_ns;
};

/* The course of the search, part by part between cuts; for --explain. */
struct br_plan_part {
    uint32_t stages, tasks;
    const char *method;            /* by which this part of the plan was made */
    const char *bypass;            /* why the search was skipped; NULL if it was not */
    double long_score, frag_score; /* thresholds (l, f) of the chosen T; NAN for "none" */
    uint32_t t, s, p, c;           /* sizes of the chosen subsets, in tasks */
    const char *order;             /* such as "T> S< C> P<" (> forward, < backward); NULL: none */
    uint64_t pairs;                /* threshold pairs looked at */
    uint64_t distinct, duplicate, pruned; /* sets T after closing */
    uint64_t variants;                    /* placements of a whole part tried */
    int64_t start_ns, makespan_ns, lower_bound_ns;
    const char *bound_method; /* static storage */
};

/* Results of replays with durations that are off. */
struct br_plan_noise {
    uint32_t percent; /* how far they are off */
    uint32_t runs;
    int64_t mean_ns; /* of the makespans, rounded down */
};
enum { BR_PLAN_NOISES = 8 };

/* Statements of a plan's file that follow from the plan; only for the check of the file. */
#define BR_STATED_NO_TIME INT64_MIN /* the file says nothing */
enum br_stated_status { BR_STATED_NOTHING, BR_STATED_PROVEN, BR_STATED_UNPROVEN };
struct br_stated_task {
    double priority; /* NAN: nothing */
    int64_t slack_ns, free_ns;
};
struct br_stated_span {
    int64_t start_ns, end_ns;
};
struct br_plan_stated {
    enum br_stated_status status; /* of the lower bound */
    bool gap_given;
    double gap; /* INFINITY: null */
    struct br_stated_task *task;
    struct br_stated_span *transfer; /* NULL: there are none */
};

struct br_plan {
    struct br_arena arena;
    const char *method; /* what the user asked for and what won, such as "graphene" */
    uint64_t seed;
    uint32_t tasks;
    int64_t *start_ns; /* by task */
    int64_t *end_ns;
    uint32_t *machine;
    uint32_t *alternative; /* by task: its alternative, counted within its stage; 0 if the stage has
                            * none. The arena's; NULL: no stage of the job has alternatives */
    uint32_t *rank;        /* 1..n */
    char *subset;          /* T, S, P or C */
    uint32_t *order;       /* task with rank k + 1 */
    bool network;          /* the plan accounts for transfers */
    struct br_transfers carried; /* the arena's */
    int64_t network_bound_ns;    /* lower bound on plans that move its bytes; 0: not known */
    int64_t makespan_ns;
    int64_t lower_bound_ns;
    const char *bound_method; /* the plan's arena or static storage */
    enum br_objective objective;
    int64_t mean_ns, mean_bound_ns; /* 0 if the objective is the makespan */
    /* The proof of the lower bound, owned; NULL if the bound was not proven. In a plan that was
     * read it is the proof of the file. */
    struct br_certificate *certificate;
    struct br_bound_answer source; /* of a source of bounds; its certificate has moved or is gone */
    uint32_t trials;
    struct br_plan_trial *trial;
    uint32_t parts;
    struct br_plan_part *part;
    uint64_t placements;         /* tasks placed by the whole search */
    struct br_counters counters; /* the work that it took */
    uint32_t noises;             /* 0: not asked for */
    struct br_plan_noise noise[BR_PLAN_NOISES];
    const char *note;              /* a limit that cut the search; NULL if none did */
    struct br_plan_stated *stated; /* the arena's; NULL unless the plan was read */
};

/* A plan of `tasks` tasks with all arrays allocated and zeroed, without alternatives; NULL if
 * memory is out. */
struct br_plan *br_plan_create(uint32_t tasks);
/* Gives every task the first alternative of its stage, if the job has alternatives. False if memory
 * is out. */
bool br_plan_allow_alternatives(struct br_plan *plan, const struct br_dag *dag);
/* The number in br_alternatives.alternative of that by which the task of the stage runs; the job
 * has br_dag.alternatives. */
static inline uint32_t br_plan_way(const struct br_plan *plan, const struct br_dag *dag,
                                   uint32_t stage, uint32_t task)
{
    return dag->alternatives->stage_first[stage] +
           (plan->alternative ? plan->alternative[task] : 0);
}
/* What the task of the stage lasts by its alternative on its machine. */
int64_t br_plan_duration(const struct br_plan *plan, const struct br_dag *dag,
                         const struct br_cluster *cluster, uint32_t stage, uint32_t task);

/* Computes end_ns, rank, order and makespan_ns from start_ns, machine and alternative of every
 * task. A job without alternatives on machines of speed 1 needs no cluster (NULL). The order is by
 * start, ties by topological position of the stage, then longer duration, then task number. */
enum br_status br_plan_rank_on(struct br_plan *plan, const struct br_dag *dag,
                               const struct br_cluster *cluster, struct br_diag *diag);
/* The same without a cluster. */
enum br_status br_plan_rank(struct br_plan *plan, const struct br_dag *dag, struct br_diag *diag);

#endif
