#include "cluster/workload/misjudge.h"

#include <assert.h>
#include <math.h>

#include "base/numbers/real.h"
#include "base/numbers/rng.h"

/* Thousandths, or whole numbers of what is declared in large ones, such as bytes. At least one of
 * them, since a demand that becomes 0 would be none. */
static struct br_decimal amount_of(double value)
{
    int32_t exponent = value >= 1000 ? 0 : -3;
    double steps = value >= 1000 ? value : value * 1000;
    steps = steps < 1 ? 1 : steps < 1e17 ? steps : 1e17;
    return (struct br_decimal){(int64_t)(steps + 0.5), exponent};
}

static const char *resource_of(const struct br_dag *dag, uint32_t demand)
{
    return dag->resource[dag->demand[demand].resource].name;
}

/* What the class has over what the stage demands, of the resource of its k-th demand. */
static double room_for(const struct br_dag *dag, const struct br_cluster *cluster, uint32_t class,
                       uint32_t demand)
{
    double amount = br_real_of(dag->demand[demand].amount);
    double most = br_real_of(br_cluster_capacity(cluster, class, resource_of(dag, demand)));
    return amount > 0 ? most / amount : INFINITY;
}

/* The first class that the stage fits on; the first of all if there is none. */
static uint32_t class_for(const struct br_dag *dag, const struct br_cluster *cluster,
                          const struct br_stage *stage)
{
    for (uint32_t c = 0; c < cluster->classes; c++) {
        bool fits = true;
        for (uint32_t d = stage->first_demand; d < stage->first_demand + stage->demands; d++)
            fits = fits && room_for(dag, cluster, c, d) >= 1;
        if (fits)
            return c;
    }
    return 0;
}

static int64_t misjudge_scaled(int64_t ns, double by)
{
    double lasts = (double)ns * by + 0.5;
    return lasts < (double)(INT64_MAX / 4) ? (int64_t)lasts : INT64_MAX / 4;
}

/* Declares the stage's demands and durations `by` times what they are. */
static void misjudge_stage(struct br_workload_dag *of, const struct br_cluster *cluster, uint32_t s,
                           double by)
{
    struct br_dag *dag = of->dag;
    struct br_stage *stage = &dag->stage[s];
    uint32_t class = class_for(dag, cluster, stage);
    for (uint32_t d = stage->first_demand; d < stage->first_demand + stage->demands; d++) {
        double amount = br_real_of(dag->demand[d].amount), room = room_for(dag, cluster, class, d);
        of->true_demand[d] = amount;
        if (amount > 0 && room >= 1)
            dag->demand[d].amount = amount_of(amount * (by < room ? by : room));
    }
    of->declared[s] = by;
    stage->duration_ns = misjudge_scaled(stage->duration_ns, by);
    stage->longest_ns = misjudge_scaled(stage->longest_ns, by);
    for (uint32_t t = stage->first_task; t < stage->first_task + stage->tasks; t++)
        dag->duration_ns[t] = misjudge_scaled(dag->duration_ns[t], by);
}

enum br_status br_workload_misjudge(struct br_workload *workload, const struct br_cluster *cluster,
                                    uint64_t seed, double least, double most, struct br_diag *diag)
{
    assert(workload->finished && least > -1 && least <= most);
    for (uint32_t d = 0; d < workload->dags; d++) {
        struct br_workload_dag *of = &workload->dag[d];
        struct br_rng rng = br_rng_seed(seed ^ ((uint64_t)d + 1) * UINT64_C(0xa0761d6478bd642f));
        of->declared = br_arena_array(&workload->arena, of->dag->stages, sizeof *of->declared);
        of->true_demand =
            br_arena_array(&workload->arena, of->dag->demands, sizeof *of->true_demand);
        if (!of->declared || !of->true_demand)
            return br_fail_memory(diag);
        for (uint32_t s = 0; s < of->dag->stages; s++)
            misjudge_stage(of, cluster, s, 1 + least + (most - least) * br_rng_unit(&rng));
    }
    return BR_OK;
}
