/* Replays of a plan with durations that are drawn. */
#include "runtime/replay/noise.h"

#include "base/numbers/wide.h"
#include "base/text/diag.h"
#include "runtime/replay/replay.h"

static enum br_status noise_run_once(const struct br_dag *dag, const struct br_cluster *cluster,
                                     const struct br_plan *plan, double spread, uint64_t seed,
                                     int64_t *makespan_ns, struct br_diag *diag)
{
    struct br_arena arena = {0};
    struct br_simulation simulation;
    const int64_t *lasts_ns = br_simulate_durations(&arena, dag, spread, seed);
    enum br_status status = lasts_ns ? BR_OK : br_fail_memory(diag);
    if (!status) {
        status = br_simulate(dag, cluster, plan, lasts_ns, NULL, &simulation, diag);
        *makespan_ns = simulation.makespan_ns;
        br_simulation_finish(&simulation);
    }
    br_arena_finish(&arena);
    return status;
}

enum br_status br_plan_under_noise(const struct br_dag *dag, const struct br_cluster *cluster,
                                   const struct br_plan *plan, double spread, uint32_t runs,
                                   uint64_t seed, int64_t *mean_ns, struct br_diag *diag)
{
    enum br_status status = BR_OK;
    br_uwide sum = 0;
    for (uint32_t k = 0; k < runs && !status; k++) {
        int64_t makespan_ns = 0;
        status = noise_run_once(dag, cluster, plan, spread, seed * UINT64_C(0x9e3779b97f4a7c15) + k,
                                &makespan_ns, diag);
        sum += (br_uwide)makespan_ns;
    }
    if (!status)
        *mean_ns = (int64_t)(sum / runs);
    return status;
}
