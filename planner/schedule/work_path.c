/* The way counts in units of 2^-32 of a tick, which dominant shares have. */
#include "planner/schedule/work_path.h"

#include "base/collections/memory.h"
#include "base/numbers/wide.h"
#include "planner/schedule/dispatch.h"
#include "planner/schedule/order.h"

/* The ticks for which the stage keeps the cluster busy, with the resource of which it needs most.
 */
static int64_t busy_of(const struct br_instance *in, uint32_t stage)
{
    br_wide sum = 0;
    for (uint32_t t = in->stage_first[stage]; t < in->stage_first[stage + 1]; t++)
        sum += in->duration[t];
    return (int64_t)((sum * br_dominant_share(in, stage)) >> 32);
}

/* Fills path[stage], the longest way to the end with the stage itself. */
static void find_paths(const struct br_instance *in, int64_t *path)
{
    for (uint32_t k = in->stages; k-- > 0;) {
        const uint32_t s = in->topological[k];
        path[s] = 0;
        for (uint32_t a = in->child_first[s]; a < in->child_first[s + 1]; a++)
            if (path[in->child[a].stage] > path[s])
                path[s] = path[in->child[a].stage];
        path[s] += busy_of(in, s);
    }
}

bool br_work_path(struct br_schedule *schedule, const struct br_instance *in,
                  const struct br_stop *stop)
{
    int64_t *path = br_malloc(in->stages * sizeof *path);
    struct br_key *key = br_malloc(in->tasks * sizeof *key);
    struct br_order order = {0};
    bool ok = path && key;
    if (ok) {
        find_paths(in, path);
        for (uint32_t t = 0; t < in->tasks; t++)
            key[t] = (struct br_key){path[in->task_stage[t]], in->duration[t], 0};
        ok = br_order_init(&order, in, key);
    }
    br_free(path);
    br_free(key); /* before the schedule needs memory */
    ok = ok && br_dispatch(schedule, in, &order, BR_DISPATCH_ORDER, stop);
    br_order_finish(&order);
    return ok;
}
