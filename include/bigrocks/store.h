/* Plans kept in a file, and found again: by the form of a job, what its tasks take, and the
 * cluster.
 *
 * A plan is stored under three fingerprints: of the form (stages with their ids and counts of
 * tasks, edges with their types), of the details (durations and demands), and of the cluster. Where
 * all three are those of a job, the stored plan is its plan. Where only the form is, the newest
 * plan of that form is refitted: its order of tasks is kept, and the starts are computed again.
 *
 * Nothing in the file is believed. Every plan that comes out has passed br_plan_verify, and its
 * bound is proven: by the stored certificate where that holds, else anew. A row that is damaged, or
 * that another job put there under an equal fingerprint, is a miss.
 *
 * The file is an SQLite database. Several programs may use it at once, and several threads one
 * store. Plans that account for transfers (bigrocks/network.h) are not kept.
 */
#ifndef BIGROCKS_STORE_H
#define BIGROCKS_STORE_H

#include <bigrocks/planner.h>

#ifdef __cplusplus
extern "C" {
#endif

struct br_store;

/* So many plans of one form are kept; the oldest ones go. */
enum { BR_STORE_KEPT = 1000 };

enum br_store_match {
    BR_STORE_MISS,     /* no plan of the form is stored, or none that can be used */
    BR_STORE_EXACT,    /* the stored plan itself */
    BR_STORE_REFITTED, /* a plan of the form, with its starts computed again */
};

/* What the store had. */
struct br_store_hit {
    enum br_store_match match;
    bool same_details, same_cluster; /* as those of the stored plan */
    int64_t stored_ns;               /* its makespan when it was stored; 0: a miss */
    int64_t found_ns;                /* the makespan of what came of it; 0: a miss */
    /* At least as much effort as the options ask for went into the stored plan (br_store_put says
     * how it is counted), or it meets its bound, so that no search can shorten it. */
    bool enough;
    int64_t fresh_ns; /* br_store_plan: the makespan of the plan made beside it; 0: none was */
};

/* Can this build of the library keep plans at all? It needs SQLite. */
BR_API bool br_store_is_there(void);

/* Opens the file, and makes it where there is none. BR_SYSTEM (the file, memory, a build without
 * SQLite), BR_BAD_INPUT (another kind of file, another version of it, a damaged one). */
BR_API enum br_status br_store_open(const char *path, struct br_store **store,
                                    struct br_diag *diag);
/* Releases the store; NULL is fine. */
BR_API void br_store_close(struct br_store *store);

/* Stores the plan, which it verifies first. options are those by which it was made and say the
 * effort: fast, or a method other than "best", counts least, then default, then max, of that the
 * one with the longer time limit; with a limit of placements it counts least of max, whatever the
 * time limit, since the placements may be few. NULL, a search that the caller's stop ended, and a
 * default one cut by a limit count as fast. Of two plans for the same three fingerprints the
 * shorter one stays, with the better of both bounds and the greater effort. BR_NO (the plan is
 * wrong), BR_USAGE (it accounts for transfers), BR_SYSTEM, BR_BAD_INPUT (the file is damaged). When
 * it returns, other programs find the plan; a crash of the machine may lose the last ones. */
BR_API enum br_status br_store_put(struct br_store *store, const struct br_dag *dag,
                                   const struct br_cluster *cluster,
                                   const struct br_plan_options *options,
                                   const struct br_plan *plan, struct br_diag *diag);

/* Looks the job up. *plan is the caller's, NULL on a miss, which is BR_OK; it must go before dag
 * and cluster. A refitted plan is the best of three: each task on its old machine where that holds
 * it, which keeps a plan as short as it was where nothing got worse; serial; and parallel list
 * generation, all in the stored order; its starts are as early as they can be. options say whether
 * the effort is enough, and may be NULL. Errors: those of br_plan_make for the job and the cluster,
 * BR_SYSTEM, and BR_BAD_INPUT where the file is damaged. O(log plans) and about as long as checking
 * the plan and its certificate. */
BR_API enum br_status br_store_get(struct br_store *store, const struct br_dag *dag,
                                   const struct br_cluster *cluster,
                                   const struct br_plan_options *options, struct br_plan **plan,
                                   struct br_store_hit *hit, struct br_diag *diag);

/* Plans the job, with what is stored. A plan of the same job and enough effort is the answer. One
 * of the form that had enough effort is refitted, and a fresh plan is made beside it by effort
 * fast; the shorter one is stored and is the answer. It counts with the effort of the plan that it
 * came from. In all other cases the job is planned by the options, and the shorter of that and of
 * what was found is stored and is the answer. *hit may be NULL. Errors as of br_plan_make,
 * br_store_get and br_store_put. */
BR_API enum br_status br_store_plan(struct br_store *store, const struct br_dag *dag,
                                    const struct br_cluster *cluster,
                                    const struct br_plan_options *options, struct br_plan **plan,
                                    struct br_store_hit *hit, struct br_diag *diag);

/* How many plans the file holds. */
BR_API enum br_status br_store_count(struct br_store *store, uint64_t *plans, struct br_diag *diag);

#ifdef __cplusplus
}
#endif
#endif
