#include "planner/instance/least_way.h"

#include "base/collections/memory.h"
#include "planner/eligibility/features.h"
#include "planner/eligibility/ways.h"

struct lessening {
    const struct br_dag *dag;
    const struct br_cluster *cluster; /* may be NULL */
    struct br_dag *to;
    struct br_diag *diag;
    /* Of the stage at work, by alternative (one entry if there are none): the fastest class on
     * which its tasks run so; NULL if they fit nowhere. */
    const struct br_class **fastest;
};

/* The fastest class on which tasks run by the alternative (of the job; UINT32_MAX: by the stage);
 * NULL if there is none. */
static const struct br_class *find_fastest(const struct lessening *l, uint32_t stage, uint32_t way)
{
    const struct br_class *best = NULL;
    for (uint32_t c = 0; c < l->cluster->classes; c++) {
        const struct br_class *cls = &l->cluster->cls[c];
        if (br_way_fits(l->dag, stage, way, l->cluster, c) &&
            (!best || br_decimal_compare(cls->speed, best->speed) > 0))
            best = cls;
    }
    return best;
}

/* Begins with a stage. */
static void take_stage(struct lessening *l, uint32_t stage)
{
    const struct br_alternatives *all = l->dag->alternatives;
    if (!l->cluster)
        return;
    if (!all)
        l->fastest[0] = find_fastest(l, stage, UINT32_MAX);
    for (uint32_t a = all ? all->stage_first[stage] : 0; all && a < all->stage_first[stage + 1];
         a++)
        l->fastest[a - all->stage_first[stage]] = find_fastest(l, stage, a);
}

/* The shortest duration of the task; that of the job if it fits nowhere, which is told elsewhere.
 */
static int64_t shortest(const struct lessening *l, uint32_t stage, uint32_t task)
{
    const struct br_alternatives *all = l->dag->alternatives;
    int64_t least = INT64_MAX;
    if (!l->cluster)
        return l->dag->duration_ns[task];
    const uint32_t ways = all ? all->stage_first[stage + 1] - all->stage_first[stage] : 1;
    for (uint32_t k = 0; k < ways; k++) {
        const struct br_class *cls = l->fastest[k];
        if (!cls)
            continue;
        const int64_t ns = all ? br_alternative_duration(l->dag, all->stage_first[stage] + k, task)
                               : l->dag->duration_ns[task];
        const int64_t there = br_class_duration(cls, ns);
        least = there < least ? there : least;
    }
    return least == INT64_MAX ? l->dag->duration_ns[task] : least;
}

/* What tasks demand at the least of the resource. */
static struct br_decimal least_demand(const struct lessening *l, uint32_t stage, uint32_t resource)
{
    const struct br_dag *dag = l->dag;
    const struct br_alternatives *all = dag->alternatives;
    struct br_decimal least = {0, 0}, amount;
    bool any = false;
    for (uint32_t d = dag->stage[stage].first_demand;
         !all && d < dag->stage[stage].first_demand + dag->stage[stage].demands; d++)
        if (dag->demand[d].resource == resource)
            return dag->demand[d].amount;
    for (uint32_t a = all ? all->stage_first[stage] : 0; all && a < all->stage_first[stage + 1];
         a++) {
        const struct br_alternative *way = &all->alternative[a];
        if (l->cluster && !l->fastest[a - all->stage_first[stage]])
            continue;
        amount = (struct br_decimal){0, 0};
        for (uint32_t k = way->first_demand; k < way->first_demand + way->demands; k++)
            if (all->demand[k].resource == resource)
                amount = all->demand[k].amount;
        if (!any || br_decimal_compare(amount, least) < 0)
            least = amount;
        any = true;
    }
    return least;
}

static enum br_status add_least(struct lessening *l, uint32_t stage)
{
    const struct br_stage *s = &l->dag->stage[stage];
    take_stage(l, stage);
    const int64_t first = shortest(l, stage, s->first_task);
    enum br_status status = br_dag_add_stage(l->to, s->id, s->tasks, first, NULL, l->diag);
    for (uint32_t i = 1; i < s->tasks && !status; i++) {
        const int64_t ns = shortest(l, stage, s->first_task + i);
        if (ns != first)
            status = br_dag_set_duration(l->to, stage, i, ns, l->diag);
    }
    for (uint32_t r = 0; r < l->dag->resources && !status; r++) {
        const struct br_decimal amount = least_demand(l, stage, r);
        char text[BR_DECIMAL_TEXT];
        br_decimal_format(amount, text, sizeof text);
        if (amount.mantissa)
            status = br_dag_add_demand(l->to, stage, l->dag->resource[r].name, text, l->diag);
    }
    return status;
}

enum br_status br_least_way(const struct br_dag *dag, const struct br_cluster *cluster,
                            struct br_dag **least, struct br_diag *diag)
{
    const uint32_t ways = dag->alternatives ? dag->alternatives->stage_first[dag->stages] : 1;
    struct lessening l = {.dag = dag, .cluster = cluster, .diag = diag};
    l.to = *least = br_dag_create(dag->name);
    l.fastest = br_calloc(ways, sizeof *l.fastest);
    enum br_status status =
        l.to && l.fastest
            ? br_features_refuse(dag, cluster, ~(unsigned)BR_FEATURE_STREAMS,
                                 "a bound of jobs with alternatives, classes or speeds", diag)
            : br_fail_memory(diag);
    for (uint32_t r = 0; r < dag->resources && !status; r++)
        status = br_dag_add_resource(l.to, dag->resource[r].name, dag->resource[r].unit, diag);
    for (uint32_t s = 0; s < dag->stages && !status; s++)
        status = add_least(&l, s);
    for (uint32_t e = 0; e < dag->edges && !status; e++)
        status =
            br_dag_add_edge(l.to, dag->edge[e].parent, dag->edge[e].child, dag->edge[e].type, diag);
    if (!status)
        status = br_dag_copy_held_and_timed(l.to, dag, diag);
    br_free(l.fastest);
    return status ? status : br_dag_finish(l.to, diag);
}
