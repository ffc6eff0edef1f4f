/* Stores plans in a file and finds them again by the form of a job, its details, and the cluster.
 *
 * A plan is stored under three fingerprints: of the form (stages with their ids and counts of
 * tasks, edges with their types), of the details (durations and demands), and of the cluster. If
 * all three match, the stored plan is the plan of the job. If only the form matches, the newest
 * plan of that form is refitted: its order of tasks is kept, and the starts are computed again.
 *
 * Nothing in the file is trusted. Every plan returned has passed br_plan_verify, and its bound is
 * proven: by the stored certificate if that holds, else anew. A damaged row, or one that another
 * job stored under an equal fingerprint, is a miss.
 *
 * The file is an SQLite database. Several programs may use it at once, and several threads may use
 * one store. Plans that account for transfers (bigrocks/network.h) are not kept.
 */
#ifndef BIGROCKS_STORE_H
#define BIGROCKS_STORE_H

#include <bigrocks/planner.h>

#ifdef __cplusplus
extern "C" {
#endif

struct br_store;

/* Most plans kept for one form; the oldest ones go. */
enum { BR_STORE_KEPT = 1000 };

enum br_store_match {
    BR_STORE_MISS,     /* no usable plan of the form is stored */
    BR_STORE_EXACT,    /* the stored plan itself */
    BR_STORE_REFITTED, /* a plan of the form, with its starts computed again */
};

/* The result of a look-up. */
struct br_store_hit {
    enum br_store_match match;
    bool same_details, same_cluster; /* whether these equal those of the stored plan */
    int64_t stored_ns;               /* makespan of the plan as stored; 0: a miss */
    int64_t found_ns;                /* makespan of the plan returned; 0: a miss */
    /* The stored plan was made with at least the effort that the options ask for (br_store_put says
     * how it is counted), or it meets its bound, so that no search can shorten it. */
    bool enough;
    int64_t fresh_ns; /* br_store_plan: the makespan of the fresh plan made beside it; 0: none was
                         made */
};

/* Can this build of the library keep plans at all? It needs SQLite. */
BR_API bool br_store_is_there(void);

/* Opens the file, and creates it if there is none. BR_SYSTEM (the file, memory, a build without
 * SQLite), BR_BAD_INPUT (another kind of file, another version of it, a damaged one). */
BR_API enum br_status br_store_open(const char *path, struct br_store **store,
                                    struct br_diag *diag);
/* Releases the store; NULL is fine. */
BR_API void br_store_close(struct br_store *store);

/* Stores the plan, after verifying it. options are those by which it was made and give its effort.
 * From least to most: fast, or a method other than "best"; default; max, and among max the longer
 * time limit. Max with a limit of placements counts as the least max, whatever its time limit,
 * since the placements may be few. NULL, a search that the caller's stop ended, and a default
 * search cut by a limit count as fast. Of two plans with equal fingerprints the shorter one stays,
 * with the better of both bounds and the greater effort. BR_NO (the plan is wrong), BR_USAGE (it
 * accounts for transfers), BR_SYSTEM, BR_BAD_INPUT (the file is damaged). When it returns, other
 * programs find the plan; a crash of the machine may lose the last ones. */
BR_API enum br_status br_store_put(struct br_store *store, const struct br_dag *dag,
                                   const struct br_cluster *cluster,
                                   const struct br_plan_options *options,
                                   const struct br_plan *plan, struct br_diag *diag);

/* Looks the job up. *plan is the caller's, NULL on a miss, which is BR_OK; it must go before dag
 * and cluster. A refitted plan is the best of three, all in the stored order and with starts as
 * early as they can be: each task on its old machine if that holds it, which keeps the makespan if
 * nothing got worse; serial; and parallel list generation. options decide whether the effort is
 * enough, and may be NULL. Errors: those of br_plan_make for the job and the cluster, BR_SYSTEM,
 * and BR_BAD_INPUT if the file is damaged. O(log plans), and about the time of checking the plan
 * and its certificate. */
BR_API enum br_status br_store_get(struct br_store *store, const struct br_dag *dag,
                                   const struct br_cluster *cluster,
                                   const struct br_plan_options *options, struct br_plan **plan,
                                   struct br_store_hit *hit, struct br_diag *diag);

/* Plans the job with the help of the store. A stored plan of the same job with enough effort is the
 * answer. A plan of the form with enough effort is refitted, and a fresh plan is made beside it by
 * effort fast; the shorter one is stored, with the effort of the stored plan, and is the answer. In
 * all other cases the job is planned by the options, and the shorter of that plan and of the one
 * found is stored and is the answer. *hit may be NULL. Errors as of br_plan_make, br_store_get and
 * br_store_put. */
BR_API enum br_status br_store_plan(struct br_store *store, const struct br_dag *dag,
                                    const struct br_cluster *cluster,
                                    const struct br_plan_options *options, struct br_plan **plan,
                                    struct br_store_hit *hit, struct br_diag *diag);

/* Number of plans in the file. */
BR_API enum br_status br_store_count(struct br_store *store, uint64_t *plans, struct br_diag *diag);

#ifdef __cplusplus
}
#endif
#endif
