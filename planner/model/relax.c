#include "planner/model/relax.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/collections/csr.h"
#include "base/collections/memory.h"
#include "planner/model/features.h"

enum { STREAM_DEPTH = 16 }; /* streams behind one another that are followed */

struct relaxing {
    const struct br_dag *dag;
    const struct br_cluster *cluster;
    enum br_relaxation relaxation;
    bool one; /* the relaxed cluster is one machine, so shared resources are its own */
    struct br_dag *to;
    struct br_cluster *to_cluster;
    struct br_diag *diag;
    uint32_t added; /* stages that pass time, for their names */
};

/* a + b * count; false if that is not exact within 63 bits. */
static bool add_times(struct br_decimal a, struct br_decimal b, int64_t count,
                      struct br_decimal *sum)
{
    const int32_t digits = -(a.exponent < b.exponent ? a.exponent : b.exponent);
    int64_t x, y, all;
    if (!br_decimal_scale(a, digits, &x) || !br_decimal_scale(b, digits, &y) ||
        __builtin_mul_overflow(y, count, &all) || __builtin_add_overflow(x, all, &all))
        return false;
    *sum = br_decimal_unscale(all, digits);
    return true;
}

static enum br_status relax_inexact(const struct relaxing *r, const char *resource)
{
    return br_fail(r->diag, BR_BAD_INPUT, "use fewer decimals or a larger unit",
                   "the amounts of %.80s do not add up within 18 digits", resource);
}

/* ---- The cluster ---- */

/* The most that a machine of the class ever has of the resource. */
static struct br_decimal greatest_of_class(const struct br_cluster *cluster, uint32_t c,
                                           const char *resource)
{
    const struct br_class *cls = &cluster->cls[c];
    const struct br_calendar *calendar = cluster->calendar;
    struct br_decimal most = br_cluster_capacity(cluster, c, resource);
    for (uint32_t k = 0; calendar && k < calendar->changes; k++) {
        const struct br_change *change = &calendar->change[k];
        if (strcmp(change->resource, resource) == 0 &&
            change->span.first < cls->first_machine + cls->count &&
            change->span.first + change->span.count > cls->first_machine &&
            br_decimal_compare(change->amount, most) > 0)
            most = change->amount;
    }
    return most;
}

static struct br_decimal greatest_shared(const struct br_cluster *cluster,
                                         const struct br_capacity *shared)
{
    const struct br_calendar *calendar = cluster->calendar;
    struct br_decimal most = shared->amount;
    for (uint32_t k = 0; calendar && k < calendar->changes; k++)
        if (!calendar->change[k].span.count &&
            strcmp(calendar->change[k].resource, shared->resource) == 0 &&
            br_decimal_compare(calendar->change[k].amount, most) > 0)
            most = calendar->change[k].amount;
    return most;
}

static enum br_status relax_offer(struct relaxing *r, uint32_t cls, const char *resource,
                                  struct br_decimal amount)
{
    char text[BR_DECIMAL_TEXT];
    br_decimal_format(amount, text, sizeof text);
    return br_cluster_add_capacity(r->to_cluster, cls, resource, text, r->diag);
}

/* Everything on one machine. */
static enum br_status relax_to_pool(struct relaxing *r)
{
    const struct br_dag *dag = r->dag;
    enum br_status status = br_cluster_add_class(r->to_cluster, "pool", 1, NULL, r->diag);
    for (uint32_t k = 0; k < dag->resources && !status; k++) {
        const char *name = dag->resource[k].name;
        struct br_decimal sum = {0, 0};
        bool offered = false;
        for (uint32_t c = 0; c < r->cluster->classes; c++) {
            if (!br_class_capacity(&r->cluster->cls[c], name))
                continue;
            offered = true;
            if (!add_times(sum, greatest_of_class(r->cluster, c, name), r->cluster->cls[c].count,
                           &sum))
                return relax_inexact(r, name);
        }
        const struct br_capacity *shared = br_cluster_shared(r->cluster, name);
        if (shared)
            sum = greatest_shared(r->cluster, shared);
        if (shared || offered)
            status = relax_offer(r, 0, name, sum);
    }
    return status;
}

static enum br_status relax_machines(struct relaxing *r)
{
    enum br_status status = BR_OK;
    for (uint32_t c = 0; c < r->cluster->classes && !status; c++) {
        const struct br_class *cls = &r->cluster->cls[c];
        uint32_t made;
        status = br_cluster_add_class(r->to_cluster, cls->name, cls->count, &made, r->diag);
        for (uint32_t k = 0; k < cls->capacities && !status; k++)
            status = relax_offer(r, made, cls->capacity[k].resource,
                                 greatest_of_class(r->cluster, c, cls->capacity[k].resource));
        for (uint32_t k = 0; r->one && k < r->cluster->shareds && !status; k++)
            status = relax_offer(r, made, r->cluster->shared[k].resource,
                                 greatest_shared(r->cluster, &r->cluster->shared[k]));
    }
    return status;
}

/* ---- Stages ---- */

/* Does the relaxed cluster have the resource? */
static bool counts(const struct relaxing *r, uint32_t resource)
{
    return r->one || !br_cluster_shared(r->cluster, r->dag->resource[resource].name);
}

static enum br_status relax_demands(struct relaxing *r, uint32_t stage)
{
    const struct br_dag *dag = r->dag;
    const struct br_storage *storage = dag->storage;
    const struct br_stage *s = &dag->stage[stage];
    enum br_status status = BR_OK;
    for (uint32_t k = 0; k < dag->resources && !status; k++) {
        struct br_decimal sum = {0, 0};
        bool ok = true;
        for (uint32_t d = s->first_demand; d < s->first_demand + s->demands; d++)
            if (dag->demand[d].resource == k)
                sum = dag->demand[d].amount;
        for (uint32_t o = storage ? storage->stage_first[stage] : 0;
             storage && o < storage->stage_first[stage + 1]; o++)
            if (storage->output[o].resource == k &&
                !(storage->output[o].flags & BR_OUTPUT_FROM_END))
                ok = ok && add_times(sum, storage->output[o].amount, 1, &sum);
        if (!ok)
            return relax_inexact(r, dag->resource[k].name);
        char text[BR_DECIMAL_TEXT];
        br_decimal_format(sum, text, sizeof text);
        if (sum.mantissa && counts(r, k))
            status = br_dag_add_demand(r->to, stage, dag->resource[k].name, text, r->diag);
    }
    return status;
}

static enum br_status relax_stage(struct relaxing *r, uint32_t stage)
{
    const struct br_stage *s = &r->dag->stage[stage];
    enum br_status status =
        br_dag_add_stage(r->to, s->id, s->tasks, r->dag->duration_ns[s->first_task], NULL, r->diag);
    for (uint32_t i = 1; i < s->tasks && !status; i++)
        if (r->dag->duration_ns[s->first_task + i] != r->dag->duration_ns[s->first_task])
            status = br_dag_set_duration(r->to, stage, i, r->dag->duration_ns[s->first_task + i],
                                         r->diag);
    return status ? status : relax_demands(r, stage);
}

/* Adds a stage that passes time. Its name is free, since a job's own stage is looked for first. */
static enum br_status relax_pass_time(struct relaxing *r, const char *what, uint32_t tasks,
                                      int64_t duration_ns, uint32_t *stage)
{
    char id[80];
    do
        snprintf(id, sizeof id, "%s %" PRIu32, what, r->added++);
    while (br_dag_find_stage(r->dag, id) != UINT32_MAX);
    return br_dag_add_stage(r->to, id, tasks, duration_ns, stage, r->diag);
}

static enum br_status relax_release(struct relaxing *r, uint32_t stage)
{
    const struct br_stage *s = &r->dag->stage[stage];
    const int64_t first = br_dag_release(r->dag, s->first_task);
    bool equal = true, any = first > 0;
    uint32_t made;
    for (uint32_t i = 1; i < s->tasks; i++) {
        equal &= br_dag_release(r->dag, s->first_task + i) == first;
        any |= br_dag_release(r->dag, s->first_task + i) > 0;
    }
    if (!any)
        return BR_OK;
    enum br_status status = relax_pass_time(r, "release", equal ? 1 : s->tasks, first, &made);
    for (uint32_t i = 1; !equal && i < s->tasks && !status; i++)
        status =
            br_dag_set_duration(r->to, made, i, br_dag_release(r->dag, s->first_task + i), r->diag);
    return status
               ? status
               : br_dag_add_edge(r->to, made, stage, equal ? BR_BARRIER : BR_ONE_TO_ONE, r->diag);
}

/* ---- Edges ---- */

/* The child waits for the end of the parent, and the lag. */
static enum br_status relax_wait(struct relaxing *r, uint32_t parent, uint32_t child, bool paired,
                                 int64_t lag_ns)
{
    const enum br_edge_type type = paired ? BR_ONE_TO_ONE : BR_BARRIER;
    uint32_t made;
    if (!lag_ns)
        return br_dag_add_edge(r->to, parent, child, type, r->diag);
    enum br_status status =
        relax_pass_time(r, "lag", paired ? r->dag->stage[parent].tasks : 1, lag_ns, &made);
    if (!status)
        status = br_dag_add_edge(r->to, parent, made, type, r->diag);
    return status ? status : br_dag_add_edge(r->to, made, child, type, r->diag);
}

/* The child may start with the parent, so it waits for what that waits for. `into`: edges by
 * child. */
static enum br_status relax_stream(struct relaxing *r, const uint32_t *into_first,
                                   const uint32_t *into, uint32_t parent, uint32_t child,
                                   bool paired, int64_t lag_ns, int depth)
{
    const struct br_dag *dag = r->dag;
    enum br_status status = BR_OK;
    for (uint32_t k = into_first[parent]; k < into_first[parent + 1] && !status; k++) {
        const struct br_edge *edge = &dag->edge[into[k]];
        const struct br_wait wait = br_dag_wait(dag, into[k]);
        const bool both = paired && br_dag_is_paired(dag, edge);
        if (!wait.stream)
            status = relax_wait(r, edge->parent, child, both, lag_ns + wait.lag_ns);
        else if (depth < STREAM_DEPTH)
            status = relax_stream(r, into_first, into, edge->parent, child, both,
                                  lag_ns + wait.lag_ns, depth + 1);
    }
    return status;
}

static enum br_status relax_edges(struct relaxing *r)
{
    const struct br_dag *dag = r->dag;
    uint32_t *into_first = br_calloc(br_csr_room(dag->stages), sizeof *into_first);
    uint32_t *into = br_malloc(((size_t)dag->edges + 1) * sizeof *into);
    enum br_status status = into_first && into ? BR_OK : br_fail_memory(r->diag);
    if (!status)
        br_dag_list_edges(dag, BR_EDGE_CHILD, into_first, into);
    for (uint32_t e = 0; e < dag->edges && !status; e++) {
        const struct br_edge *edge = &dag->edge[e];
        const struct br_wait wait = br_dag_wait(dag, e);
        const bool paired = br_dag_is_paired(dag, edge);
        status = wait.stream ? relax_stream(r, into_first, into, edge->parent, edge->child, paired,
                                            wait.lag_ns, 0)
                             : relax_wait(r, edge->parent, edge->child, paired, wait.lag_ns);
    }
    br_free(into_first);
    br_free(into);
    return status;
}

/* ---- Storage ---- */

/* For how long at least the output of the task with this index is held after that has ended. */
static int64_t relax_held_ns(const struct br_dag *dag, uint32_t output, uint32_t index)
{
    const struct br_storage *storage = dag->storage;
    int64_t most = 0;
    for (uint32_t k = storage->output_first[output]; k < storage->output_first[output + 1]; k++) {
        const uint32_t e = storage->readers[k];
        const struct br_wait wait = br_dag_wait(dag, e);
        const struct br_stage *child = &dag->stage[dag->edge[e].child];
        if (wait.stream)
            continue;
        for (uint32_t i = 0; i < child->tasks; i++)
            if ((!br_dag_is_paired(dag, &dag->edge[e]) || i == index) &&
                dag->duration_ns[child->first_task + i] + wait.lag_ns > most)
                most = dag->duration_ns[child->first_task + i] + wait.lag_ns;
    }
    return most;
}

static enum br_status relax_output(struct relaxing *r, uint32_t output)
{
    const struct br_dag *dag = r->dag;
    const struct br_output *out = &dag->storage->output[output];
    const uint32_t tasks = dag->stage[out->stage].tasks;
    const int64_t first = relax_held_ns(dag, output, 0);
    bool paired = false;
    int64_t most = first;
    uint32_t made;
    for (uint32_t k = dag->storage->output_first[output];
         k < dag->storage->output_first[output + 1]; k++)
        paired |= br_dag_is_paired(dag, &dag->edge[dag->storage->readers[k]]);
    for (uint32_t i = 1; paired && i < tasks; i++) {
        const int64_t held = relax_held_ns(dag, output, i);
        most = held > most ? held : most;
    }
    if (!most || !out->amount.mantissa || !counts(r, out->resource))
        return BR_OK;
    enum br_status status = relax_pass_time(r, "held", tasks, first, &made);
    for (uint32_t i = 1; paired && i < tasks && !status; i++)
        status = br_dag_set_duration(r->to, made, i, relax_held_ns(dag, output, i), r->diag);
    char text[BR_DECIMAL_TEXT];
    br_decimal_format(out->amount, text, sizeof text);
    if (!status)
        status = br_dag_add_demand(r->to, made, dag->resource[out->resource].name, text, r->diag);
    return status ? status : br_dag_add_edge(r->to, out->stage, made, BR_ONE_TO_ONE, r->diag);
}

/* ---- The whole ---- */

static enum br_status relax_job(struct relaxing *r)
{
    const struct br_dag *dag = r->dag;
    enum br_status status = BR_OK;
    for (uint32_t s = 0; s < dag->stages && !status; s++)
        status = relax_stage(r, s);
    for (uint32_t s = 0; dag->times && s < dag->stages && !status; s++)
        status = relax_release(r, s);
    if (!status)
        status = relax_edges(r);
    for (uint32_t o = 0; dag->storage && o < dag->storage->outputs && !status; o++)
        status = relax_output(r, o);
    return status ? status : br_dag_finish(r->to, r->diag);
}

enum br_status br_relax(const struct br_dag *dag, const struct br_cluster *cluster,
                        enum br_relaxation relaxation, struct br_relaxed *relaxed,
                        struct br_diag *diag)
{
    const unsigned exact =
        BR_FEATURE_RELEASES | BR_FEATURE_LAGS | (cluster->machines == 1 ? BR_FEATURE_SHARED : 0);
    *relaxed = (struct br_relaxed){
        .dag = br_dag_create(dag->name),
        .cluster = br_cluster_create(cluster->name),
        .exact = !(br_features(dag, cluster) & ~exact) &&
                 (relaxation == BR_RELAX_MACHINES || cluster->machines == 1),
    };
    struct relaxing r = {.dag = dag,
                         .cluster = cluster,
                         .relaxation = relaxation,
                         .one = relaxation == BR_RELAX_POOL || cluster->machines == 1,
                         .to = relaxed->dag,
                         .to_cluster = relaxed->cluster,
                         .diag = diag};
    if (!relaxed->dag || !relaxed->cluster)
        return br_fail_memory(diag);
    enum br_status status = relaxation == BR_RELAX_POOL ? relax_to_pool(&r) : relax_machines(&r);
    return status ? status : relax_job(&r);
}

void br_relaxed_finish(struct br_relaxed *relaxed)
{
    br_dag_destroy(relaxed->dag);
    br_cluster_destroy(relaxed->cluster);
    *relaxed = (struct br_relaxed){0};
}
