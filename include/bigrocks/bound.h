/* Lower bounds on the makespan of every plan, with their proofs: the best that limits allow.
 *
 * The library has two kinds itself: combinatorial bounds, and clause learning (on one machine, or
 * for up to 64 tasks on up to eight). A source adds others, such as the linear programs of
 * bigrocks-bound, which runs as a child process. No process is started but by that source.
 */
#ifndef BIGROCKS_BOUND_H
#define BIGROCKS_BOUND_H

#include <bigrocks/certificate.h>
#include <bigrocks/stop.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Sources ---- */

/* How long a source may work. */
struct br_bound_limits {
    int64_t limit_ns;           /* about so long; 0: until its usual work is done */
    bool processor_time;        /* the limit is on the processor's time */
    uint32_t work_percent;      /* without a limit: of its usual work */
    const struct br_stop *stop; /* never NULL; raised, it ends the work */
};

/* The answer of a source. Texts are NUL-terminated. */
struct br_bound_answer {
    bool found;                         /* else `why` says why there is none */
    int64_t lower_bound_ns;             /* what the source claims */
    struct br_certificate *certificate; /* its proof; owned by the answer */
    char method[96];                    /* such as "interval LP" */
    char status[32]; /* "optimal": there is no better one by the method; else what ended it, such
                        as "limit"; may be empty */
    char why[256];   /* such as "not available (bigrocks-bound not found)" */
};

/* Finds bounds. */
struct br_bound_source {
    /* Called on a thread of the library's, or on the caller's where no thread can be started, with
     * a zeroed answer. Never believed: a bound counts once its certificate has been checked. */
    void (*find)(void *context, const struct br_dag *dag, const struct br_cluster *cluster,
                 const struct br_bound_limits *limits, struct br_bound_answer *answer);
    void *context;
};

/* The program bigrocks-bound at the path, borrowed. NULL: $BIGROCKS_BOUND, else beside the program
 * that runs, else along PATH. It is started as a child in a process group of its own, with limits
 * on its time and on half of the memory; one that is missing, fails, hangs, floods or lies costs
 * its bound and nothing else. */
BR_API struct br_bound_source br_bound_program(const char *path);

/* ---- The best bound ---- */

/* The conflicts of clause learning where the caller does not say: 10,000, and a bounded number of
 * decisions, or all that a time limit has room for. */
#define BR_CONFLICTS_DEFAULT UINT64_MAX

/* Start from br_bound_options_default(). */
struct br_bound_options {
    int64_t time_limit_ns; /* 0: none; then work is counted, and equal jobs get equal bounds */
    int64_t cpu_limit_ns;  /* 0: none; on the calling thread's processor time and on the source's,
                              instead of the time limit */
    uint64_t conflicts;    /* clause learning: most conflicts of a part; 0: no clause learning */
    const struct br_bound_source *source; /* NULL: the library's own bounds alone */
    const struct br_stop *stop; /* may be NULL; raised, it ends the call with the best so far */
    /* May be NULL. Called from the calling thread, at least some times a second while there is
     * something to wait for; limit_ns is 0 where there is none. */
    void (*progress)(void *context, int64_t past_ns, int64_t limit_ns);
    void *progress_context;
};

/* A negative limit is BR_USAGE. */
BR_API struct br_bound_options br_bound_options_default(void);

/* The best bound, and what each argument came to. */
struct br_bound_result {
    int64_t lower_bound_ns;
    char method[96];                    /* the argument that gave it */
    struct br_certificate *certificate; /* has been checked; owned; NULL: the bound has no proof */
    int64_t core_ns;                    /* the best combinatorial bound */
    const char *core_method;            /* static storage */
    int64_t clause_ns; /* by clause learning; 0: not asked for, or the job is not one for it */
    bool clause_lost;  /* more was found by it; the proof was too long to be kept */
    struct br_bound_answer source; /* its certificate has moved to the result or is gone */
};

/* Finds the best bound of the finished job on the cluster. options may be NULL for the defaults. A
 * limit reached, or a flag raised, is BR_OK with the best so far: at least the critical path, and
 * of jobs that take less than 2 ms for it the best combinatorial bound. The result is released by
 * br_bound_result_finish, also after a failure. Errors as of br_plan_make. */
BR_API enum br_status br_bound_best(const struct br_dag *dag, const struct br_cluster *cluster,
                                    const struct br_bound_options *options,
                                    struct br_bound_result *result, struct br_diag *diag);
/* Releases what the result owns. */
BR_API void br_bound_result_finish(struct br_bound_result *result);

#ifdef __cplusplus
}
#endif
#endif
