#include "generate/ways.h"

#include <stdlib.h>
#include <string.h>

#include "base/numbers/decimal.h"
#include "generate/sample.h"
#include "planner/model/dag.h"

/* What the alternatives last, in thousandths of the task: on four times the cores, from nearly a
 * quarter to three quarters; on a GPU, from a twentieth to a third. */
enum { FOUR_LEAST = 270, FOUR_MOST = 750, GPU_LEAST = 50, GPU_MOST = 330 };
/* Stages with alternatives that have one on a GPU, and stages of one class that are on old
 * machines. */
#define GPU_SHARE 0.4
#define OLD_SHARE 0.3
/* No machine that the jobs are made for has more. */
enum { CORES = 4, CORES_MOST = 16 };

enum { ONE, FOUR, GPU, WAYS };

static uint32_t between(struct br_rng *rng, uint32_t least, uint32_t most)
{
    return least + (uint32_t)br_rng_below(rng, most - least + 1);
}

/* Four times what the stage demands of processors, at most what a machine has; 0: nothing. */
static enum br_status add_four(struct br_dag *dag, uint32_t stage, uint32_t way,
                               struct br_decimal cpu, struct br_diag *diag)
{
    char text[BR_DECIMAL_TEXT];
    if (!cpu.mantissa)
        return BR_OK;
    cpu.mantissa *= CORES;
    if (br_decimal_compare(cpu, (struct br_decimal){CORES_MOST, 0}) > 0)
        cpu = (struct br_decimal){CORES_MOST, 0};
    br_decimal_format(cpu, text, sizeof text);
    return br_dag_add_alternative_demand(dag, stage, way, "cpu", text, diag);
}

static enum br_status add_gpu(struct br_dag *dag, uint32_t stage, uint32_t way,
                              struct br_diag *diag)
{
    enum br_status status = br_dag_add_alternative_demand(dag, stage, way, "gpu", "1", diag);
    if (!status)
        status = br_dag_add_alternative_demand(dag, stage, way, "cpu", "1", diag);
    if (!status)
        status = br_dag_set_classes(dag, stage, way, "gpu-node", diag);
    return status ? status : br_dag_add_consumed(dag, stage, way, "gpu-runs", "1", diag);
}

/* part[WAYS]: what each lasts, in thousandths of the task; 0: it is not there. */
static enum br_status add_ways(struct br_dag *dag, uint32_t stage, const uint32_t *part,
                               struct br_decimal cpu, struct br_diag *diag)
{
    static const char *const ids[] = {"one", "four", "gpu"};
    const int64_t ns = dag->stage[stage].duration_ns;
    enum br_status status = BR_OK;
    for (uint32_t k = 0; k < WAYS && !status; k++) {
        uint32_t way;
        if (!part[k])
            continue;
        status = br_dag_add_alternative(dag, stage, ids[k], ns / 1000 * part[k], &way, diag);
        if (!status && k == FOUR)
            status = add_four(dag, stage, way, cpu, diag);
        if (!status && k == GPU)
            status = add_gpu(dag, stage, way, diag);
    }
    return status;
}

enum br_status br_ways_add(double alternatives, double classes, uint64_t seed, struct br_dag *dag,
                           struct br_diag *diag)
{
    struct br_rng rng = br_sample_stream(seed, BR_STREAM_WAY);
    uint32_t *parts = calloc((size_t)dag->stages * WAYS + 1, sizeof *parts);
    struct br_decimal *cpu = calloc((size_t)dag->stages + 1, sizeof *cpu);
    enum br_status status = parts && cpu ? BR_OK : br_fail_memory(diag);
    for (uint32_t d = 0; d < dag->demands && !status; d++)
        if (strcmp(dag->resource[dag->demand[d].resource].name, "cpu") == 0)
            cpu[dag->demand[d].stage] = dag->demand[d].amount;
    for (uint32_t s = 0; s < dag->stages && !status; s++) {
        uint32_t *part = &parts[(size_t)s * WAYS];
        const uint32_t four = between(&rng, FOUR_LEAST, FOUR_MOST);
        const uint32_t gpu = between(&rng, GPU_LEAST, GPU_MOST);
        const bool on_gpu = br_sample_chance(&rng, GPU_SHARE);
        const bool old = br_sample_chance(&rng, OLD_SHARE);
        if (br_sample_chance(&rng, classes))
            status = br_dag_set_classes(dag, s, BR_WHOLE_STAGE, old ? "node old" : "node", diag);
        if (!br_sample_chance(&rng, alternatives) || status)
            continue;
        part[ONE] = 1000;
        part[FOUR] = four;
        part[GPU] = on_gpu ? gpu : 0;
        status = add_ways(dag, s, part, cpu[s], diag);
    }
    if (!status)
        status = br_dag_scale_durations(dag, parts, WAYS, diag);
    free(parts);
    free(cpu);
    return status;
}
