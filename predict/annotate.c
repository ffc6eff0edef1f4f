/* Writing what a history knows into a job.
 *
 * A finished job does not change, so it is made anew, in the same order. Memory takes the largest
 * of the recent figures where durations take the median: a task that comes late costs some time,
 * one that does not fit into memory costs the run.
 */
#include "predict/annotate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/roles.h"

static const int64_t mebibyte = 1 << 20;

struct annotating {
    const struct br_dag *dag;
    struct br_dag *made;
    bool cpu, mem; /* may be demanded */
    struct br_diag *diag;
};

/* Time that the system counts to a command, and what it does besides, make up to a quarter of a
 * core; that is not one core more. */
int64_t br_history_cores(const struct br_history_estimate *estimate)
{
    if (!estimate->samples || estimate->cpu_milli < 0)
        return -1;
    int64_t whole = (estimate->cpu_milli + 750) / 1000;
    return whole < 1 ? 1 : whole;
}

int64_t br_history_mem(const struct br_history_estimate *estimate)
{
    if (!estimate->samples || estimate->mem_bytes < 0 || estimate->mem_bytes > INT64_MAX - mebibyte)
        return -1;
    return (estimate->mem_bytes + mebibyte - 1) / mebibyte * mebibyte;
}

static bool is_given(const struct br_dag *dag, const struct br_stage *stage, const char *resource)
{
    for (uint32_t d = stage->first_demand; d < stage->first_demand + stage->demands; d++)
        if (strcmp(dag->resource[dag->demand[d].resource].name, resource) == 0)
            return true;
    return false;
}

/* The amount that the estimate gives for the resource; false where it gives none. */
static bool estimated(const struct annotating *annotating,
                      const struct br_history_estimate *estimate, const char *resource,
                      char text[BR_DECIMAL_TEXT])
{
    int64_t amount = -1;
    if (br_role_is_own_name(BR_ROLE_CPU, resource) && annotating->cpu)
        amount = br_history_cores(estimate);
    if (br_role_is_own_name(BR_ROLE_MEMORY, resource) && annotating->mem)
        amount = br_history_mem(estimate);
    snprintf(text, BR_DECIMAL_TEXT, "%" PRId64, amount);
    return amount >= 0;
}

static enum br_status copy_demands(const struct annotating *annotating, uint32_t s,
                                   const struct br_history_estimate *estimate)
{
    const char *const measured[] = {br_role_name(BR_ROLE_CPU), br_role_name(BR_ROLE_MEMORY)};
    const struct br_dag *dag = annotating->dag;
    const struct br_stage *stage = &dag->stage[s];
    enum br_status status = BR_OK;
    char text[BR_DECIMAL_TEXT];
    for (uint32_t d = stage->first_demand; d < stage->first_demand + stage->demands && !status;
         d++) {
        const char *resource = dag->resource[dag->demand[d].resource].name;
        if (!estimated(annotating, estimate, resource, text))
            br_decimal_format(dag->demand[d].amount, text, sizeof text);
        status = br_dag_add_demand(annotating->made, s, resource, text, annotating->diag);
    }
    for (size_t k = 0; k < sizeof measured / sizeof *measured && !status; k++)
        if (!is_given(dag, stage, measured[k]) &&
            estimated(annotating, estimate, measured[k], text))
            status = br_dag_add_demand(annotating->made, s, measured[k], text, annotating->diag);
    return status;
}

static enum br_status copy_stage(const struct annotating *annotating, uint32_t s,
                                 const struct br_history_estimate *estimate)
{
    const struct br_stage *stage = &annotating->dag->stage[s];
    struct br_dag *made = annotating->made;
    enum br_status status = br_dag_add_stage(
        made, stage->id, stage->tasks, estimate->samples ? estimate->wall_ns : stage->duration_ns,
        NULL, annotating->diag);
    if (!status)
        br_dag_set_stage_spread(made, s, stage->spread, stage->longest_ns);
    for (uint32_t i = 0; i < stage->tasks && !status; i++) {
        int64_t own_ns = annotating->dag->duration_ns[stage->first_task + i];
        if (own_ns != stage->duration_ns)
            status = br_dag_set_duration(made, s, i, own_ns, annotating->diag);
    }
    if (!status && stage->command)
        status = br_dag_set_command(made, s, stage->command, annotating->diag);
    return status ? status : copy_demands(annotating, s, estimate);
}

static enum br_status copy_rest(const struct annotating *annotating)
{
    const struct br_dag *dag = annotating->dag;
    enum br_status status = BR_OK;
    for (uint32_t e = 0; e < dag->edges && !status; e++)
        status = br_dag_add_edge(annotating->made, dag->edge[e].parent, dag->edge[e].child,
                                 dag->edge[e].type, annotating->diag);
    for (uint32_t a = 0; a < dag->attributes && !status; a++) {
        const struct br_attribute *it = &dag->attribute[a];
        status = br_dag_add_attribute(annotating->made, it->owner, it->index, it->name, it->value,
                                      annotating->diag);
    }
    return status ? status : br_dag_finish(annotating->made, annotating->diag);
}

static enum br_status copy_job(struct annotating *annotating, struct br_history *history,
                               struct br_annotate_report *report)
{
    const struct br_dag *dag = annotating->dag;
    enum br_status status = BR_OK;
    for (uint32_t r = 0; r < dag->resources && !status; r++)
        if (dag->resource[r].declared)
            status = br_dag_add_resource(annotating->made, dag->resource[r].name,
                                         dag->resource[r].unit, annotating->diag);
    for (uint32_t s = 0; s < dag->stages && !status; s++) {
        struct br_history_estimate estimate;
        status = br_history_estimate(history, dag->stage[s].id, &estimate, annotating->diag);
        report->known += !status && estimate.samples;
        if (!status)
            status = copy_stage(annotating, s, &estimate);
    }
    return status ? status : copy_rest(annotating);
}

enum br_status br_history_annotate(struct br_history *history, const struct br_dag *dag,
                                   const struct br_cluster *cluster, struct br_dag **result,
                                   struct br_annotate_report *report, struct br_diag *diag)
{
    struct annotating annotating = {
        .dag = dag,
        .made = br_dag_create(dag->name),
        .cpu = !cluster || br_cluster_capacity(cluster, 0, br_role_name(BR_ROLE_CPU)).mantissa > 0,
        .mem =
            !cluster || br_cluster_capacity(cluster, 0, br_role_name(BR_ROLE_MEMORY)).mantissa > 0,
        .diag = diag,
    };
    *result = NULL;
    *report = (struct br_annotate_report){.stages = dag->stages};
    enum br_status status =
        annotating.made ? copy_job(&annotating, history, report) : br_fail_memory(diag);
    if (status)
        br_dag_destroy(annotating.made);
    else
        *result = annotating.made;
    return status;
}
