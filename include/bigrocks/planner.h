/* Planning: from a job and a cluster to a plan, and bounds without a plan. */
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
    BR_EFFORT_FAST,    /* all that is quick: every other method, and justification */
    BR_EFFORT_DEFAULT, /* and a search for some seconds, counted in placements */
    BR_EFFORT_MAX,     /* and searches on until a limit, a stop or the lower bound */
    BR_EFFORT_AUTO,    /* as max where time_limit_ns is set, else as default */
};
/* How much goes into the lower bound of a plan. With neither a good one nor a proof at hand a plan
 * costs least; the search ends at the bound, so with a weaker one it may search in vain. */
enum br_plan_bound {
    BR_PLAN_BOUND_AUTO, /* full for methods "best" and "graphene", which use it; cheap for others */
    BR_PLAN_BOUND_NONE, /* the critical path, which planning knows, without a proof */
    BR_PLAN_BOUND_CHEAP, /* what takes linear time: critical path, waves of stages, work; proven */
    BR_PLAN_BOUND_FULL,  /* the best by arguments without a search, which takes stages x stages */
};
/* What a plan is to be good at. The ends of a job are the jobs that it falls into without an edge
 * between them, as several queries in one file do; of one that holds together, its stages that
 * nothing waits for. */
enum br_objective {
    BR_OBJECTIVE_MAKESPAN, /* the shortest plan; where the job falls into several, of equal ones
                              that with the smaller mean time at which these end (method "best") */
    BR_OBJECTIVE_MEAN,     /* the least mean time at which the ends are reached; of equal ones the
                              shorter plan */
    BR_OBJECTIVE_WEIGHTED, /* the same by weight (br_dag_set_weight) */
};
enum br_frag_score {
    BR_FRAG_BOUND, /* max(TWork, longest task) / ExecTime: tiny stages do not look hard to pack */
    BR_FRAG_PAPER, /* TWork / ExecTime, as printed in the paper */
};

/* How far a running search is. Times in nanoseconds. */
struct br_progress {
    double share;        /* of the work that is done, or of the time limit that is over: 0 to 1 */
    int64_t makespan_ns; /* of the best plan so far of the part at hand; 0 before the first */
    int64_t lower_bound_ns;
    bool tightening; /* the search is over, and a source of bounds is waited for */
};

/* A better plan of a part between cuts. Times in nanoseconds. */
struct br_incumbent {
    int64_t elapsed_ns;   /* since the call */
    uint32_t part, parts; /* which part, from 0, and of how many */
    int64_t makespan_ns;  /* of the part */
    int64_t lower_bound_ns;
    const char *finder;  /* the method, or the move of the search; static storage */
    uint64_t placements; /* in all, so far */
};

/* The search: which, with what effort, and when it stops. Start from br_plan_options_default(). A
 * value that an enum does not name, a negative limit or a share outside of 0 to 1 is BR_USAGE. */
struct br_plan_options {
    const char *method; /* "best", "graphene", or a row of br_method_name() */
    enum br_effort effort;
    uint64_t seed;
    uint32_t threads; /* 0: one per processor; the plan does not depend on it */
    /* 0: none; the best plan so far is the result. It is a limit on the whole call, proof and
     * verification included; what these are expected to take is kept back from it. The least that
     * is made in any case is a schedule by the first heuristic of every part between cuts, and its
     * verification: 1 to 3 us for a task. Where it is the only limit on effort max, all that is
     * quick gets a turn of it, one after another, before any search goes on; plans are then those
     * of the clock. */
    int64_t time_limit_ns;
    uint64_t placements; /* 0: none; deterministic limit on the search, in placements */
    enum br_plan_bound bound;
    /* Another one than the makespan is for method "best" alone: it begins with the plan of effort
     * fast, and searches on with the effort asked for, max at most 50 million placements unless a
     * time limit is set. */
    enum br_objective objective;
    enum br_frag_score frag_score;
    /* Most distinct values of l and of f each, evenly spread over those of the job; 0: all. Fewer
     * are taken by method "best" under the default effort on large jobs, unless 0, and by the fast
     * effort, which takes 4 at most. */
    uint32_t threshold_limit;
    double troublesome_limit;   /* prune sets T with more than this share of the work; 1: never */
    const struct br_stop *stop; /* may be NULL; raised, it ends the search with the best so far */
    /* May be NULL. Called from the calling thread only, at most some ten times a second. */
    void (*progress)(void *context, const struct br_progress *progress);
    void *progress_context;
    /* May be NULL. Called from the calling thread with the first plan of a part, and with every
     * plan that is shorter; the same calls, but for the time, for any number of threads. The search
     * waits while a call has to wait for the one before. */
    void (*found)(void *context, const struct br_incumbent *incumbent);
    void *found_context;
    /* May be NULL. Proves bounds beside the search, on a thread more, and is waited for where the
     * plan does not meet its bound. The search ends where a plan of one part meets the source's
     * bound, but only where the clock or nothing else limits it (time_limit_ns, BR_EFFORT_MAX): so
     * equal jobs get equal plans. */
    const struct br_bound_source *source;
    /* 0: what the time limit leaves; without one half of its usual work, so that equal jobs get
     * equal bounds. Else so long, which may be beyond the time limit. */
    int64_t source_limit_ns;
};

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

/* The answer of the source of bounds that the plan was made with; borrowed. Where it says that it
 * was found, the plan's bound is at least as good. */
BR_API const struct br_bound_answer *br_plan_source_answer(const struct br_plan *plan);

/* Best combinatorial lower bound on the makespan, and the name of the argument behind it (static
 * storage; method may be NULL). */
BR_API enum br_status br_bound(const struct br_dag *dag, const struct br_cluster *cluster,
                               int64_t *lower_bound_ns, const char **method, struct br_diag *diag);

/* Plans job after job, as a query compiler does, in memory that it keeps from one to the next. One
 * thread at a time. */
struct br_planner;

/* NULL when memory is out. */
BR_API struct br_planner *br_planner_create(void);
/* Releases the planner and the plan of its last call; NULL is fine. */
BR_API void br_planner_destroy(struct br_planner *planner);

/* The plan that br_plan_make makes, with its errors. *plan is the planner's: it is there until the
 * next call of this function with this planner, or br_planner_destroy, and is not to be destroyed.
 * The job may be reset and the cluster go before it. On an error *plan is NULL.
 *
 * With options.threads 1, and neither a time limit, a flag, a callback nor a source in the options,
 * all memory is the planner's. It keeps what its calls have used and more, up to 16 MiB or what the
 * largest has used, so that jobs of one size, such as queries, are planned without an allocation
 * after the first. Effort fast uses up to 300 KB for 30 tasks and 2 MB for 300. Blocks of 1 MiB and
 * more, of large jobs, come and go as ever. Other calls allocate as br_plan_make does. */
BR_API enum br_status br_planner_plan(struct br_planner *planner, const struct br_dag *dag,
                                      const struct br_cluster *cluster,
                                      const struct br_plan_options *options,
                                      const struct br_plan **plan, struct br_diag *diag);

/* What br_bound finds, in the planner's memory; its plan stays. */
BR_API enum br_status br_planner_bound(struct br_planner *planner, const struct br_dag *dag,
                                       const struct br_cluster *cluster, int64_t *lower_bound_ns,
                                       const char **method, struct br_diag *diag);
/* The same for who asks only whether a job can take less than enough_ns, such as the best plan of
 * another: arguing ends once the bound reaches it. What is found then is a bound, and at least
 * that; else it is what br_bound finds. The critical path alone says it of many, at a tenth of the
 * cost. */
BR_API enum br_status br_planner_bound_until(struct br_planner *planner, const struct br_dag *dag,
                                             const struct br_cluster *cluster, int64_t enough_ns,
                                             int64_t *lower_bound_ns, const char **method,
                                             struct br_diag *diag);

#ifdef __cplusplus
}
#endif
#endif
