#include "planner/check/proofs/least.h"

#include "planner/eligibility/features.h"
#include "planner/eligibility/ways.h"

/* What the task of the stage demands by the alternative (of a stage without any, UINT32_MAX). */
static struct br_decimal demand_by(const struct br_dag *dag, uint32_t stage, uint32_t alternative,
                                   uint32_t resource)
{
    struct br_decimal amount = {0, 0};
    if (alternative == UINT32_MAX) {
        const struct br_demand *demand = dag->demand + dag->stage[stage].first_demand;
        for (uint32_t k = 0; k < dag->stage[stage].demands; k++)
            if (demand[k].resource == resource)
                amount = demand[k].amount;
        return amount;
    }
    const struct br_alternative *a = &dag->alternatives->alternative[alternative];
    for (uint32_t k = 0; k < a->demands; k++)
        if (dag->alternatives->demand[a->first_demand + k].resource == resource)
            amount = dag->alternatives->demand[a->first_demand + k].amount;
    return amount;
}

/* Is there room for such a task on machines of the class, and may it run there? */
static bool can_run(const struct br_dag *dag, const struct br_cluster *cluster, uint32_t stage,
                    uint32_t alternative, uint32_t cls)
{
    bool can =
        alternative == UINT32_MAX || br_alternative_names(dag, alternative, &cluster->cls[cls]);
    for (uint32_t r = 0; r < dag->resources; r++) {
        const char *name = dag->resource[r].name;
        const struct br_capacity *shared = br_cluster_shared(cluster, name);
        const struct br_decimal has =
            shared ? shared->amount : br_cluster_capacity(cluster, cls, name);
        can = can && br_decimal_compare(demand_by(dag, stage, alternative, r), has) <= 0;
    }
    return can;
}

/* The least over all ways of the stage's tasks: of the durations, and of the demands by resource
 * into demand. */
static enum br_status add_least_stage(const struct br_dag *dag, const struct br_cluster *cluster,
                                      uint32_t stage, struct br_dag *least, struct br_diag *diag)
{
    const struct br_alternatives *all = dag->alternatives;
    const struct br_stage *s = &dag->stage[stage];
    const uint32_t first = all ? all->stage_first[stage] : UINT32_MAX;
    const uint32_t ways = all ? all->stage_first[stage + 1] - first : 1;
    enum br_status status = br_dag_add_stage(least, s->id, s->tasks, 0, NULL, diag);
    for (uint32_t i = 0; i < s->tasks && !status; i++) {
        const uint32_t task = s->first_task + i;
        int64_t shortest = INT64_MAX;
        for (uint32_t k = 0; k < ways; k++)
            for (uint32_t c = 0; c < cluster->classes; c++) {
                const uint32_t way = all ? first + k : UINT32_MAX;
                const int64_t plain =
                    all ? br_alternative_duration(dag, way, task) : dag->duration_ns[task];
                const int64_t ns = br_class_duration(&cluster->cls[c], plain);
                if (ns < shortest && can_run(dag, cluster, stage, way, c))
                    shortest = ns;
            }
        status = br_dag_set_duration(
            least, stage, i, shortest == INT64_MAX ? dag->duration_ns[task] : shortest, diag);
    }
    for (uint32_t r = 0; r < dag->resources && !status; r++) {
        struct br_decimal amount = {0, 0};
        bool any = false;
        for (uint32_t k = 0; k < ways; k++) {
            const uint32_t way = all ? first + k : UINT32_MAX;
            const struct br_decimal by = demand_by(dag, stage, way, r);
            bool runs = !all;
            for (uint32_t c = 0; c < cluster->classes && !runs; c++)
                runs = can_run(dag, cluster, stage, way, c);
            if (runs && (!any || br_decimal_compare(by, amount) < 0))
                amount = by;
            any |= runs;
        }
        char text[BR_DECIMAL_TEXT];
        br_decimal_format(amount, text, sizeof text);
        if (amount.mantissa)
            status = br_dag_add_demand(least, stage, dag->resource[r].name, text, diag);
    }
    return status;
}

enum br_status br_check_least(const struct br_dag *dag, const struct br_cluster *cluster,
                              struct br_dag **least, struct br_diag *diag)
{
    struct br_dag *to = *least = br_dag_create(dag->name);
    if (!to)
        return br_fail_memory(diag);
    enum br_status status =
        br_features_refuse(dag, cluster, ~(unsigned)BR_FEATURE_STREAMS,
                           "the check of a proof of a job with alternatives", diag);
    for (uint32_t r = 0; r < dag->resources && !status; r++)
        status = br_dag_add_resource(to, dag->resource[r].name, dag->resource[r].unit, diag);
    for (uint32_t s = 0; s < dag->stages && !status; s++)
        status = add_least_stage(dag, cluster, s, to, diag);
    for (uint32_t e = 0; e < dag->edges && !status; e++)
        status =
            br_dag_add_edge(to, dag->edge[e].parent, dag->edge[e].child, dag->edge[e].type, diag);
    if (!status)
        status = br_dag_copy_held_and_timed(to, dag, diag);
    return status ? status : br_dag_finish(to, diag);
}
