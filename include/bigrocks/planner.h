/* Planning: makes a plan from a job and a cluster, and bounds without a plan. */
#ifndef BIGROCKS_PLANNER_H
#define BIGROCKS_PLANNER_H

#include <bigrocks/bound.h>
#include <bigrocks/plan.h>
#include <bigrocks/stop.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How hard method "best" tries. */
enum br_effort {
    BR_EFFORT_FAST,    /* every quick method, and justification */
    BR_EFFORT_DEFAULT, /* also a search for some seconds, counted in placements */
    BR_EFFORT_MAX,     /* searches until a limit, a stop or the lower bound */
    BR_EFFORT_AUTO,    /* as max if time_limit_ns is set, else as default */
};
/* Effort on the lower bound of a plan. A plan with a weak bound and no proof costs least; but the
 * search ends at the bound, so with a weak bound it may search in vain. */
enum br_plan_bound {
    BR_PLAN_BOUND_AUTO,  /* full for methods "best" and "graphene", which use it; cheap for others,
                            and  for jobs with alternatives, classes or speeds under effort fast */
    BR_PLAN_BOUND_NONE,  /* the critical path, already known from planning, without a proof */
    BR_PLAN_BOUND_CHEAP, /* bounds in linear time: critical path, waves of stages, work; proven */
    BR_PLAN_BOUND_FULL,  /* the best bound without a search, which takes stages x stages */
};
/* The objective of a plan. The ends of a job are its parts with no edge between them, such as
 * several queries in one file; if the job is connected, its ends are the stages without children.
 */
enum br_objective {
    BR_OBJECTIVE_MAKESPAN, /* the shortest plan; if the job falls into several parts, among equal
                              plans the one with the smaller mean end of the parts (method "best")
                            */
    BR_OBJECTIVE_MEAN, /* the least mean time at which the ends are reached; among equal plans the
                          shorter one */
    BR_OBJECTIVE_WEIGHTED, /* the least weighted mean (br_dag_set_weight) */
};
enum br_frag_score {
    BR_FRAG_BOUND, /* max(TWork, longest task) / ExecTime: tiny stages do not look hard to pack */
    BR_FRAG_PAPER, /* TWork / ExecTime, as printed in the paper */
};

/* Progress of a running search. Times in nanoseconds. */
struct br_progress {
    double share;        /* share of the work done, or of the time limit elapsed: 0 to 1 */
    int64_t makespan_ns; /* the best plan so far of the current part; 0 before the first */
    int64_t lower_bound_ns;
    bool tightening; /* the search is over and waits for a source of bounds */
};

/* A better plan of a part between cuts. Times in nanoseconds. */
struct br_incumbent {
    int64_t elapsed_ns;   /* since the call */
    uint32_t part, parts; /* the part, from 0, and the number of parts */
    int64_t makespan_ns;  /* of the part */
    int64_t lower_bound_ns;
    const char *finder;  /* the method, or the move of the search; static storage */
    uint64_t placements; /* total so far */
};

/* Options of the search: the method, the effort, and when it stops. Start from
 * br_plan_options_default(). A value that an enum does not name, a negative limit or a share
 * outside 0 to 1 is BR_USAGE. */
struct br_plan_options {
    const char *method; /* "best", "graphene", or a row of br_method_name() */
    enum br_effort effort;
    uint64_t seed;
    /* 0: one per processor that this process may use. The plan does not depend on it; within a time
     * limit, more threads than these processors count as that many. */
    uint32_t threads;
    /* 0: none. The limit covers the whole call, with proof and verification; their expected time is
     * kept back. At its end the result is the best plan so far. The call always makes a schedule by
     * the first heuristic for every part between cuts and verifies it: 1 to 3 us per task. If this
     * is the only limit on effort max, every quick method gets a turn, one after another, before
     * any search goes on; plans then depend on the clock. */
    int64_t time_limit_ns;
    uint64_t placements; /* 0: none; deterministic limit on the search, in placements */
    enum br_plan_bound bound;
    /* An objective other than the makespan needs method "best": it begins with the plan of effort
     * fast and searches on with the effort asked for; max then uses at most 50 million placements
     * unless a time limit is set. */
    enum br_objective objective;
    /* NULL, or the tasks of the job in an order of the caller's, parents before their children
     * (br_dag_complete_order). Then the method is not used: the plan follows the order, in which
     * every task starts as soon as it is ready and fits, the first one first. Its method is called
     * "order", its bound that of a baseline. Borrowed for the call. Plans of stores have none. */
    const uint32_t *order;
    enum br_frag_score frag_score;
    /* Most distinct values of l and of f each, evenly spread over those of the job; 0: all. Method
     * "best" takes fewer under the default effort on large jobs, unless this is 0; the fast effort
     * takes at most 4, and none on jobs of more than 4,000 tasks. */
    uint32_t threshold_limit;
    /* The share of the makespan that may be left above the lower bound if durations had to be
     * rounded to prove it, as measured ones are; the plan then counts as optimal. */
    double tolerance;
    double troublesome_limit; /* prune sets T with more than this share of the work; 1: never */
    /* May be NULL. If it is raised, the search ends with the best so far. */
    const struct br_stop *stop;
    /* May be NULL. Called from the calling thread only, at most about ten times a second. */
    void (*progress)(void *context, const struct br_progress *progress);
    void *progress_context;
    /* May be NULL. Called from the calling thread with the first plan of a part, and with every
     * shorter plan. The calls, except for their times, are the same for any number of threads. The
     * search waits while a call waits for the one before. */
    void (*found)(void *context, const struct br_incumbent *incumbent);
    void *found_context;
    /* May be NULL. Proves bounds beside the search, on one more thread. The call waits for it if
     * the plan does not meet its bound. The search ends when a plan of one part meets the source's
     * bound, but only if it is limited by the clock or by nothing else (time_limit_ns,
     * BR_EFFORT_MAX): so equal jobs get equal plans. */
    const struct br_bound_source *source;
    /* Time of the source. 0: what the time limit leaves; without a time limit half of its usual
     * work, so that equal jobs get equal bounds. Other values may exceed the time limit. */
    int64_t source_limit_ns;
};

/* Method "best" with effort BR_EFFORT_AUTO, seed 1 and no limits. */
BR_API struct br_plan_options br_plan_options_default(void);

/* Names of the planning methods, for k = 0, 1, ...; NULL past the end. */
BR_API const char *br_method_name(uint32_t k);
/* One line on what the method does; NULL past the end. */
BR_API const char *br_method_summary(uint32_t k);

/* Plans the finished job on the cluster. options may be NULL for the defaults. On BR_OK *plan is
 * the caller's, has passed br_plan_verify, and must go before dag and cluster. A limit reached is
 * BR_OK; br_plan_note says so. Errors: BR_BAD_INPUT (a demand that no machine holds, a resource
 * that the cluster lacks, numbers that do not scale), BR_USAGE (an option out of its range, a job
 * that is not finished), BR_SYSTEM. */
BR_API enum br_status br_plan_make(const struct br_dag *dag, const struct br_cluster *cluster,
                                   const struct br_plan_options *options, struct br_plan **plan,
                                   struct br_diag *diag);

/* The answer of the source of bounds with which the plan was made; borrowed. If its `found` is set,
 * the plan's bound is at least as good. */
BR_API const struct br_bound_answer *br_plan_source_answer(const struct br_plan *plan);

/* Best combinatorial lower bound on the makespan, and the name of the argument behind it (static
 * storage; method may be NULL). */
BR_API enum br_status br_bound(const struct br_dag *dag, const struct br_cluster *cluster,
                               int64_t *lower_bound_ns, const char **method, struct br_diag *diag);

/* Plans job after job, as a query compiler does, and keeps its memory between jobs. One thread at a
 * time. */
struct br_planner;

/* NULL when memory is out. */
BR_API struct br_planner *br_planner_create(void);
/* Releases the planner and the plan of its last call; NULL is fine. */
BR_API void br_planner_destroy(struct br_planner *planner);

/* Makes the plan of br_plan_make, with its errors. *plan is the planner's: it is valid until the
 * next call of this function with this planner, or br_planner_destroy; do not destroy it. The job
 * may be reset and the cluster destroyed before it. On an error *plan is NULL.
 *
 * All memory is the planner's if options.threads is 1 and the options have no time limit, flag,
 * callback or source. The planner keeps the memory that its calls have used and more, up to 16 MiB
 * or the most that a call has used. So jobs of one size, such as queries, are planned without an
 * allocation after the first. Effort fast uses up to 300 KB for 30 tasks and 2 MB for 300. Blocks
 * of 1 MiB and more, for large jobs, are allocated each time. Other calls allocate as br_plan_make
 * does. */
BR_API enum br_status br_planner_plan(struct br_planner *planner, const struct br_dag *dag,
                                      const struct br_cluster *cluster,
                                      const struct br_plan_options *options,
                                      const struct br_plan **plan, struct br_diag *diag);

/* Finds the bound of br_bound in the planner's memory; the planner's plan stays. */
BR_API enum br_status br_planner_bound(struct br_planner *planner, const struct br_dag *dag,
                                       const struct br_cluster *cluster, int64_t *lower_bound_ns,
                                       const char **method, struct br_diag *diag);
/* br_bound for callers that ask only whether a job can take less than enough_ns, such as the best
 * plan of another job. It stops once the bound reaches enough_ns; the result is then a bound of at
 * least that. Else it finds the bound of br_bound. For many jobs the critical path alone decides,
 * at a tenth of the cost. */
BR_API enum br_status br_planner_bound_until(struct br_planner *planner, const struct br_dag *dag,
                                             const struct br_cluster *cluster, int64_t enough_ns,
                                             int64_t *lower_bound_ns, const char **method,
                                             struct br_diag *diag);

#ifdef __cplusplus
}
#endif
#endif
