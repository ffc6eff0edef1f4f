/* Plans one job after another in memory that it keeps, so that later jobs reuse the memory that the
 * first has taken from the system. This is only for calls that nothing can interrupt: they run on
 * the caller's thread from end to end, and no code of the caller's runs in between. */
#include <bigrocks/planner.h>

#include "base/collections/memory.h"
#include "planner/bounds/bounds.h"
#include "planner/search/bound/watch.h"

struct br_planner {
    struct br_memory memory;
    struct br_plan *plan; /* of the last call; NULL if there is none */
};

struct br_planner *br_planner_create(void)
{
    return br_calloc(1, sizeof(struct br_planner));
}

static void drop_plan(struct br_planner *planner)
{
    br_memory_enter(&planner->memory);
    br_plan_destroy(planner->plan);
    br_memory_leave();
    planner->plan = NULL;
}

void br_planner_destroy(struct br_planner *planner)
{
    if (!planner)
        return;
    drop_plan(planner);
    br_memory_finish(&planner->memory);
    br_free(planner);
}

enum br_status br_planner_plan(struct br_planner *planner, const struct br_dag *dag,
                               const struct br_cluster *cluster,
                               const struct br_plan_options *options, const struct br_plan **plan,
                               struct br_diag *diag)
{
    BR_NEED(diag, planner, dag, cluster, plan);
    *plan = NULL;
    const bool kept = options && options->threads == 1 && !br_watch_needed(options);
    drop_plan(planner);
    br_memory_reset(&planner->memory);
    if (kept)
        br_memory_enter(&planner->memory);
    enum br_status status = br_plan_make(dag, cluster, options, &planner->plan, diag);
    if (kept)
        br_memory_leave();
    *plan = planner->plan;
    return status;
}

enum br_status br_planner_bound(struct br_planner *planner, const struct br_dag *dag,
                                const struct br_cluster *cluster, int64_t *lower_bound_ns,
                                const char **method, struct br_diag *diag)
{
    return br_planner_bound_until(planner, dag, cluster, INT64_MAX, lower_bound_ns, method, diag);
}

enum br_status br_planner_bound_until(struct br_planner *planner, const struct br_dag *dag,
                                      const struct br_cluster *cluster, int64_t enough_ns,
                                      int64_t *lower_bound_ns, const char **method,
                                      struct br_diag *diag)
{
    BR_NEED(diag, planner, dag, cluster, lower_bound_ns);
    br_memory_enter(&planner->memory);
    enum br_status status = br_bound_until(dag, cluster, enough_ns, lower_bound_ns, method, diag);
    br_memory_leave();
    return status;
}
