/* From exact decimals to integers, once, with every fault named. */
#include "planner/instance/instance.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/collections/csr.h"
#include "base/collections/memory.h"
#include "base/invariant.h"
#include "base/roles.h"
#include "planner/eligibility/deadlines.h"
#include "planner/eligibility/features.h"
#include "planner/eligibility/units.h"
#include "planner/eligibility/ways.h"
#include "planner/model/source.h"

/* The sum of demands over all tasks, times a duration, needs 128 bits. Sums over machines stay
 * below this, in 64. */
#define AMOUNT_MAX (INT64_MAX / 4)

static bool allocate_cluster(struct br_instance *in)
{
    struct br_arena *arena = &in->arena;
    return BR_ARRAY(arena, (size_t)in->classes + 1, in->class_first) &&
           BR_ARRAY(arena, (size_t)in->classes * in->resources, in->capacity) &&
           BR_ARRAY(arena, in->resources, in->total) &&
           BR_ARRAY(arena, in->resources, in->resource_origin) &&
           BR_ARRAY(arena, in->resources, in->resource_digits);
}

/* From arcs in any order to both directions, sorted. Children in the order of arcs fill the parents
 * sorted, and these fill the children sorted. */
static bool link_arcs(struct br_instance *in, const uint32_t *from, const uint32_t *to,
                      const bool *one_to_one, uint32_t arcs)
{
    uint32_t n = in->stages;
    uint32_t *next = br_malloc(((size_t)n + 1) * sizeof *next);
    if (!next)
        return false;
    memset(in->parent_first, 0, br_csr_room(n) * sizeof *next);
    memset(in->child_first, 0, br_csr_room(n) * sizeof *next);
    for (uint32_t a = 0; a < arcs; a++) {
        br_csr_count(in->parent_first, to[a]);
        br_csr_count(in->child_first, from[a]);
    }
    br_csr_sum(in->parent_first, n);
    br_csr_sum(in->child_first, n);
    for (uint32_t a = 0; a < arcs; a++)
        in->child[br_csr_place(in->child_first, from[a])] = (struct br_arc){to[a], one_to_one[a]};
    for (uint32_t s = 0; s < n; s++)
        for (uint32_t k = in->child_first[s]; k < in->child_first[s + 1]; k++)
            in->parent[br_csr_place(in->parent_first, in->child[k].stage)] =
                (struct br_arc){s, in->child[k].one_to_one};
    memcpy(next, in->child_first, ((size_t)n + 1) * sizeof *next);
    for (uint32_t s = 0; s < n; s++)
        for (uint32_t k = in->parent_first[s]; k < in->parent_first[s + 1]; k++)
            in->child[next[in->parent[k].stage]++] = (struct br_arc){s, in->parent[k].one_to_one};
    br_free(next);
    return true;
}

static enum br_status scale_durations(struct br_instance *in, const struct br_dag *dag,
                                      struct br_diag *diag)
{
    uint64_t tick = 0;
    int64_t sum = 0;
    for (uint32_t t = 0; t < dag->tasks; t++) {
        int64_t d = dag->duration_ns[t];
        if (__builtin_add_overflow(sum, d, &sum) || sum > BR_TICKS_MAX)
            return br_fail_at(diag, dag->stage[br_dag_task_stage(dag, t)].pos, BR_BAD_INPUT,
                              "use a larger unit of time",
                              "the durations of all tasks add up to more than %g years, with "
                              "stage '%s'",
                              (double)BR_TICKS_MAX / 1e9 / 86400 / 365.25,
                              dag->stage[br_dag_task_stage(dag, t)].id);
        uint64_t a = tick, b = (uint64_t)d;
        while (b) {
            uint64_t rest = a % b;
            a = b;
            b = rest;
        }
        tick = a;
    }
    in->tick_ns = tick ? (int64_t)tick : 1;
    for (uint32_t t = 0; t < dag->tasks; t++)
        in->duration[t] = dag->duration_ns[t] / in->tick_ns;
    return BR_OK;
}

/* The class whose machines have most of the resource; NULL if none declares it. */
static const struct br_class *largest_class(const struct br_cluster *cluster, const char *resource,
                                            struct br_decimal *amount)
{
    const struct br_class *largest = NULL;
    for (uint32_t c = 0; c < cluster->classes; c++) {
        const struct br_class *cls = &cluster->cls[c];
        for (uint32_t k = 0; k < cls->capacities; k++)
            if (strcmp(cls->capacity[k].resource, resource) == 0 &&
                (!largest || br_decimal_compare(cls->capacity[k].amount, *amount) > 0)) {
                largest = cls;
                *amount = cls->capacity[k].amount;
            }
    }
    return largest;
}

/* "...; its machines have cpu, net", for who calls a resource by another name than the cluster. */
static void hint_lacking(const struct br_cluster *cluster, char *hint, size_t size)
{
    const char *before = "; its machines have ";
    size_t used =
        (size_t)snprintf(hint, size, "%s", "give the cluster that resource, or drop the demand");
    for (uint32_t c = 0; c < cluster->classes; c++)
        for (uint32_t k = 0; k < cluster->cls[c].capacities; k++) {
            const char *name = cluster->cls[c].capacity[k].resource;
            bool told = used + strlen(before) + strlen(name) >= size;
            for (uint32_t b = 0; b < c; b++)
                told |= br_class_capacity(&cluster->cls[b], name) != NULL;
            if (told)
                continue;
            used += (size_t)snprintf(hint + used, size - used, "%s%s", before, name);
            before = ", ";
        }
}

static enum br_status refuse_demand(const struct br_dag *dag, const struct br_cluster *cluster,
                                    const struct br_demand *demand, struct br_diag *diag)
{
    const struct br_stage *stage = &dag->stage[demand->stage];
    const char *name = dag->resource[demand->resource].name;
    const char *unit = dag->resource[demand->resource].unit;
    char id[300], amount[BR_ROLE_AMOUNT_TEXT], most[BR_ROLE_AMOUNT_TEXT], machine[300];
    struct br_decimal capacity;
    const struct br_class *largest = largest_class(cluster, name, &capacity);
    br_dag_task_id(dag, stage->first_task, id, sizeof id);
    br_role_amount(demand->amount, name, unit, amount);
    if (!largest) {
        char hint[200];
        hint_lacking(cluster, hint, sizeof hint);
        return br_fail_at(diag, stage->pos, BR_BAD_INPUT, hint,
                          "task %s demands %s of %s, which no machine of the cluster has", id,
                          amount, name);
    }
    br_role_amount(capacity, name, unit, most);
    if (strcmp(amount, most) == 0) { /* they differ only by rounding */
        br_decimal_format(demand->amount, amount, sizeof amount);
        br_decimal_format(capacity, most, sizeof most);
    }
    br_cluster_machine_name(cluster, largest->first_machine, machine, sizeof machine);
    int64_t bytes;
    bool forgot = br_role_counts_bytes(name, unit) && br_decimal_scale(capacity, 0, &bytes) &&
                  bytes > 0 && bytes < 1 << 20; /* such as 4 or 8192, of GiB or MiB */
    return br_fail_at(diag, stage->pos, BR_BAD_INPUT,
                      forgot ? "amounts without a unit are bytes: write such as 4GiB in the cluster"
                             : "give the cluster a larger machine, or the task a smaller demand",
                      "task %s demands %s of %s, but the largest machine, %s, has %s", id, amount,
                      name, machine, most);
}

/* Digits after the point that the resource needs, in the job and the cluster together. */
static int32_t digits_needed(const struct br_dag *dag, const struct br_cluster *cluster,
                             uint32_t resource)
{
    int32_t digits = INT32_MIN;
    for (uint32_t d = 0; d < dag->demands; d++)
        if (dag->demand[d].resource == resource && dag->demand[d].amount.mantissa &&
            -dag->demand[d].amount.exponent > digits)
            digits = -dag->demand[d].amount.exponent;
    for (uint32_t c = 0; c < cluster->classes; c++) {
        struct br_decimal value = br_cluster_capacity(cluster, c, dag->resource[resource].name);
        if (value.mantissa && -value.exponent > digits)
            digits = -value.exponent;
    }
    return digits;
}

/* The capacities of resource r of the instance, and their sum over all machines. */
static enum br_status instance_scale_capacities(struct br_instance *in, const struct br_dag *dag,
                                                const struct br_cluster *cluster, uint32_t r,
                                                struct br_diag *diag)
{
    const char *name = dag->resource[in->resource_origin[r]].name;
    int32_t digits = in->resource_digits[r];
    for (uint32_t c = 0; c < cluster->classes; c++) {
        struct br_decimal value = br_cluster_capacity(cluster, c, name);
        int64_t scaled = 0, sum = 0;
        if (!br_decimal_scale(value, digits, &scaled) ||
            __builtin_mul_overflow(scaled, (int64_t)cluster->cls[c].count, &sum) ||
            __builtin_add_overflow(sum, in->total[r], &in->total[r]) || in->total[r] > AMOUNT_MAX) {
            char text[BR_DECIMAL_TEXT];
            br_decimal_format(value, text, sizeof text);
            return br_fail(diag, BR_BAD_INPUT, "use fewer decimals or a larger unit",
                           "the amounts of %s need %" PRId32
                           " decimals, and with them the %s of class '%s' does not fit 63 bits",
                           name, digits > 0 ? digits : 0, text, cluster->cls[c].name);
        }
        in->capacity[(size_t)c * in->resources + r] = scaled;
    }
    return BR_OK;
}

/* Whether some machine has that much of resource r. */
static bool is_held(const struct br_instance *in, uint32_t r, int64_t amount)
{
    for (uint32_t c = 0; c < in->classes; c++)
        if (in->capacity[(size_t)c * in->resources + r] >= amount)
            return true;
    return false;
}

/* The demands of a stage. column: by resource of the Dag its number in the instance, or UINT32_MAX
 * if nobody demands it. */
static enum br_status instance_scale_demands(struct br_instance *in, const struct br_dag *dag,
                                             const struct br_cluster *cluster,
                                             const uint32_t *column, uint32_t s,
                                             struct br_diag *diag)
{
    const struct br_stage *stage = &dag->stage[s];
    int64_t *row = in->demand + (size_t)s * in->resources;
    for (uint32_t d = stage->first_demand; d < stage->first_demand + stage->demands; d++) {
        uint32_t r = column[dag->demand[d].resource];
        if (r != UINT32_MAX &&
            (!br_decimal_scale(dag->demand[d].amount, in->resource_digits[r], &row[r]) ||
             !is_held(in, r, row[r])))
            return refuse_demand(dag, cluster, &dag->demand[d], diag);
    }
    if (br_instance_fits_some_class(in, s))
        return BR_OK;
    char id[300];
    br_dag_task_id(dag, stage->first_task, id, sizeof id);
    return br_fail_at(diag, stage->pos, BR_BAD_INPUT,
                      "give the cluster a machine that holds all of it",
                      "task %s fits no class of machines: each lacks some resource that another "
                      "has",
                      id);
}

/* kept: the resources that are demanded, by their numbers in the Dag. */
static enum br_status instance_scale_amounts(struct br_instance *in, const struct br_dag *dag,
                                             const struct br_cluster *cluster, const uint32_t *kept,
                                             struct br_diag *diag)
{
    uint32_t *column = br_malloc(((size_t)dag->resources + 1) * sizeof *column);
    enum br_status status = column ? BR_OK : br_fail_memory(diag);
    for (uint32_t r = 0; r < dag->resources && !status; r++)
        column[r] = UINT32_MAX;
    for (uint32_t r = 0; r < in->resources && !status; r++) {
        column[kept[r]] = r;
        in->resource_origin[r] = kept[r];
        in->resource_digits[r] = digits_needed(dag, cluster, kept[r]);
        status = instance_scale_capacities(in, dag, cluster, r, diag);
    }
    for (uint32_t s = 0; s < dag->stages && !status; s++)
        status = instance_scale_demands(in, dag, cluster, column, s, diag);
    br_free(column);
    return status;
}

enum br_status br_instance_check(const struct br_dag *dag, const struct br_cluster *cluster,
                                 struct br_diag *diag)
{
    br_dag_blame(dag, diag);
    if (!dag->finished)
        return br_fail(diag, BR_USAGE, "call br_dag_finish first", "the job is not finished");
    if (cluster->machines == 0)
        return br_fail(diag, BR_BAD_INPUT, "add a class of machines", "the cluster is empty");
    enum br_status status = br_units_check(cluster, dag, diag);
    if (!status)
        status = br_alternatives_check(dag, cluster, diag);
    return status ? status : br_deadlines_check(dag, cluster, diag);
}

enum br_status br_instance_create(const struct br_dag *dag, const struct br_cluster *cluster,
                                  struct br_instance **instance, struct br_diag *diag)
{
    *instance = NULL;
    enum br_status status = br_instance_check(dag, cluster, diag);
    if (!status)
        status = br_features_refuse(dag, cluster, 0, "this way of planning", diag);
    if (status)
        return status;
    struct br_instance *in = br_calloc(1, sizeof *in);
    uint32_t *kept = br_malloc(((size_t)dag->resources + 1) * sizeof *kept);
    uint32_t *from = br_malloc(((size_t)dag->edges + 1) * sizeof *from);
    uint32_t *to = br_malloc(((size_t)dag->edges + 1) * sizeof *to);
    bool *one = br_malloc((size_t)dag->edges + 1);
    bool *used = br_calloc((size_t)dag->resources + 1, sizeof *used);
    status = br_fail_memory(diag);
    if (!in || !kept || !from || !to || !one || !used)
        goto out;
    for (uint32_t d = 0; d < dag->demands; d++)
        used[dag->demand[d].resource] |= dag->demand[d].amount.mantissa != 0;
    for (uint32_t r = 0; r < dag->resources; r++)
        if (used[r])
            kept[in->resources++] = r;
    in->tasks = dag->tasks;
    in->stages = dag->stages;
    in->classes = cluster->classes;
    in->machines = cluster->machines;
    for (uint32_t e = 0; e < dag->edges; e++) {
        from[e] = dag->edge[e].parent;
        to[e] = dag->edge[e].child;
        one[e] = br_dag_is_paired(dag, &dag->edge[e]);
    }
    if (!br_instance_allocate(in, &in->arena, dag->edges) || !allocate_cluster(in) ||
        !link_arcs(in, from, to, one, dag->edges))
        goto out;
    for (uint32_t s = 0; s < dag->stages; s++)
        in->stage_first[s] = dag->stage[s].first_task;
    in->stage_first[dag->stages] = dag->tasks;
    for (uint32_t t = 0; t < dag->tasks; t++)
        in->task_origin[t] = t;
    for (uint32_t c = 0; c < cluster->classes; c++)
        in->class_first[c] = cluster->cls[c].first_machine;
    in->class_first[cluster->classes] = cluster->machines;
    memcpy(in->topological, dag->topological, (size_t)dag->stages * sizeof *in->topological);
    status = scale_durations(in, dag, diag);
    if (!status)
        status = instance_scale_amounts(in, dag, cluster, kept, diag);
    if (!status) {
        br_instance_describe(in);
        br_costly_assert(br_instance_is_sound(in));
    }
out:
    br_free(kept);
    br_free(from);
    br_free(to);
    br_free(one);
    br_free(used);
    if (status)
        br_instance_destroy(in);
    else
        *instance = in;
    return status;
}
