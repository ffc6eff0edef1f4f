/* Lower bounds on the makespan of every plan, with their proofs.
 *
 * The library has two kinds of its own: combinatorial bounds, and clause learning (on one machine,
 * or for up to 64 tasks on up to eight). A source adds others, such as the linear programs of
 * bigrocks-bound, which runs as a child process. Only that source starts a process.
 */
#ifndef BIGROCKS_BOUND_H
#define BIGROCKS_BOUND_H

#include <bigrocks/certificate.h>
#include <bigrocks/stop.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Sources ---- */

/* Limits on a source's work. */
struct br_bound_limits {
    int64_t limit_ns;           /* approximate; 0: until its usual work is done */
    bool processor_time;        /* the limit counts processor time */
    uint32_t work_percent;      /* share of its usual work when there is no limit */
    const struct br_stop *stop; /* never NULL; when raised, it ends the work */
    uint32_t threads; /* for the work, at least 1; without a time limit its answer does not depend
                         on them */
};

/* The answer of a source. Texts are NUL-terminated. */
struct br_bound_answer {
    bool found;                         /* if false, `why` gives the reason */
    int64_t lower_bound_ns;             /* the bound that the source claims */
    struct br_certificate *certificate; /* its proof; owned by the answer */
    char method[96];                    /* such as "interval LP" */
    char status[32]; /* "optimal" if the method has no better bound; else what ended it, such as
                        "limit"; may be empty */
    char why[256];   /* such as "not available (bigrocks-bound not found)" */
};

/* Finds bounds. */
struct br_bound_source {
    /* Called with a zeroed answer, on a thread of the library or, if no thread can be started, on
     * the caller's. The claim is not trusted: a bound counts only after its certificate has been
     * checked. */
    void (*find)(void *context, const struct br_dag *dag, const struct br_cluster *cluster,
                 const struct br_bound_limits *limits, struct br_bound_answer *answer);
    void *context;
};

/* The program bigrocks-bound at the path, borrowed. If NULL: $BIGROCKS_BOUND, else beside the
 * running program, else along PATH. It is started as a child in a process group of its own, with
 * limits on its time and on half of the memory. If it is missing, fails, hangs, floods or lies, its
 * bound is lost and nothing else. */
BR_API struct br_bound_source br_bound_program(const char *path);

/* ---- The best bound ---- */

/* Default number of conflicts of clause learning: 10,000, with a bounded number of decisions, or as
 * many as a time limit allows. */
#define BR_CONFLICTS_DEFAULT UINT64_MAX

/* Start from br_bound_options_default(). */
struct br_bound_options {
    int64_t time_limit_ns; /* 0: no limit; work is then counted, and equal jobs get equal bounds */
    int64_t cpu_limit_ns;  /* 0: no limit; replaces the time limit, and counts the processor time of
                              the calling thread and of the source */
    uint64_t conflicts;    /* clause learning: most conflicts of a part; 0: no clause learning */
    double tolerance; /* as of struct br_plan_options: learning ends if rounded durations leave at
                         most this share, from 0 to 1, between its bound and a schedule */
    const struct br_bound_source *source; /* NULL: the library's own bounds alone */
    const struct br_stop *stop; /* may be NULL; raised, it ends the call with the best so far */
    /* May be NULL. Called from the calling thread, at least a few times a second during a wait;
     * limit_ns is 0 if there is no limit. */
    void (*progress)(void *context, int64_t past_ns, int64_t limit_ns);
    void *progress_context;
    uint32_t threads; /* 0: one per processor that this process may use. The bound does not depend
                         on it unless a time limit ends the work. */
};

/* A negative limit, or a tolerance that is no share, is BR_USAGE. */
BR_API struct br_bound_options br_bound_options_default(void);

/* The best bound, and the bound of each argument. */
struct br_bound_result {
    int64_t lower_bound_ns;
    char method[96];                    /* the argument that gave it */
    struct br_certificate *certificate; /* has been checked; owned; NULL: the bound has no proof */
    int64_t core_ns;                    /* the best combinatorial bound */
    const char *core_method;            /* static storage */
    int64_t clause_ns;  /* by clause learning; 0: not asked for, or the job does not suit it */
    int64_t at_most_ns; /* the optimum is no longer: clause learning has closed the job, up to what
                           rounded durations cost; 0: it has not */
    bool clause_lost;   /* learning found more, but the proof was too long to keep */
    struct br_bound_answer source; /* its certificate has moved to the result or is gone */
};

/* Finds the best bound of the finished job on the cluster. options may be NULL for the defaults. If
 * a limit is reached or the flag is raised, the call returns BR_OK with the best bound so far: at
 * least the critical path, and the best combinatorial bound if computing it takes less than 2 ms.
 * Release the result with br_bound_result_finish, also after a failure. Errors as of br_plan_make.
 */
BR_API enum br_status br_bound_best(const struct br_dag *dag, const struct br_cluster *cluster,
                                    const struct br_bound_options *options,
                                    struct br_bound_result *result, struct br_diag *diag);
/* Releases what the result owns. */
BR_API void br_bound_result_finish(struct br_bound_result *result);

#ifdef __cplusplus
}
#endif
#endif
