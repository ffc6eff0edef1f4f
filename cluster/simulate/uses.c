#include "cluster/simulate/uses.h"

#include "base/numbers/real.h"
#include "runtime/enforcer/jobs/capacities.h"

bool br_task_uses_differ(const struct br_workload *workload, const struct br_world *world)
{
    bool differ = world->averages > 0;
    for (uint32_t d = 0; d < workload->dags; d++)
        differ |= workload->dag[d].true_demand != NULL;
    return differ;
}

static bool take_uses(struct br_task_uses *uses, struct br_arena *arena,
                      const struct br_workload_dag *of, const struct br_scale *scale,
                      const double *average, double **share)
{
    const uint32_t width = uses->resources;
    *share = br_arena_array(arena, (size_t)of->dag->stages * width + 1, sizeof **share);
    for (uint32_t s = 0; *share && s < of->dag->stages; s++) {
        const struct br_stage *stage = &of->dag->stage[s];
        for (uint32_t d = stage->first_demand; d < stage->first_demand + stage->demands; d++) {
            const struct br_demand *demand = &of->dag->demand[d];
            uint32_t r = br_scale_find(scale, of->dag->resource[demand->resource].name);
            double declared = br_real_of(demand->amount);
            if (r != UINT32_MAX && declared > 0)
                (*share)[(size_t)s * width + r] =
                    average[r] * (of->true_demand ? of->true_demand[d] / declared : 1);
        }
    }
    return *share;
}

enum br_status br_task_uses_make(struct br_task_uses *uses, struct br_arena *arena,
                                 const struct br_workload *workload, const struct br_world *world,
                                 const struct br_scale *scale, struct br_diag *diag)
{
    const uint32_t width = scale->resources;
    double *average = br_arena_array(arena, (size_t)width + 1, sizeof *average);
    *uses = (struct br_task_uses){
        .resources = width,
        .share = br_arena_array(arena, (size_t)workload->dags + 1, sizeof *uses->share),
        .use = br_arena_array(arena, (size_t)width + 1, sizeof *uses->use)};
    if (!average || !uses->share || !uses->use)
        return br_fail_memory(diag);
    for (uint32_t r = 0; r < width; r++)
        average[r] = 1;
    for (uint32_t k = 0; k < world->averages; k++) {
        uint32_t r = br_scale_find(scale, world->average[k].resource);
        if (r == UINT32_MAX)
            return br_fail(diag, BR_USAGE, "name a resource of the cluster",
                           "no machine has a resource '%.80s'", world->average[k].resource);
        average[r] = world->average[k].percent / 100.0;
    }
    for (uint32_t d = 0; d < workload->dags; d++)
        if (!take_uses(uses, arena, &workload->dag[d], scale, average, &uses->share[d]))
            return br_fail_memory(diag);
    return BR_OK;
}

const int64_t *br_task_uses_of(struct br_task_uses *uses, uint32_t dag, uint32_t stage,
                               const int64_t *demand)
{
    const double *share = uses->share[dag] + (size_t)stage * uses->resources;
    for (uint32_t r = 0; r < uses->resources; r++) {
        double use = (double)demand[r] * share[r];
        uses->use[r] = use < (double)(INT64_MAX / 4) ? (int64_t)(use + 0.5) : INT64_MAX / 4;
    }
    return uses->use;
}
