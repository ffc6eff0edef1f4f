#include "planner/instance/relax.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/collections/memory.h"
#include "planner/instance/least_way.h"
#include "planner/eligibility/features.h"
#include "planner/model/waits.h"
#include "planner/eligibility/deadlines.h"
#include "planner/eligibility/ways.h"
#include "planner/eligibility/units.h"

struct relaxing {
    const struct br_dag *dag;
    const struct br_cluster *cluster; /* NULL: only the job is asked for */
    bool plain;                       /* no stages for what is held */
    bool one; /* the relaxed cluster is one machine, so shared resources are its own */
    struct br_waits waits;
    int64_t *all, *one_each; /* by stage: see relax_paths */
    uint32_t maker;          /* whose paths these are */
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
    return r->one || !r->cluster || !br_cluster_shared(r->cluster, r->dag->resource[resource].name);
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
    const uint32_t tasks = r->dag->stage[stage].tasks;
    const int64_t *release = r->waits.release_ns + r->dag->stage[stage].first_task;
    bool equal = true, any = release[0] > 0;
    uint32_t made;
    for (uint32_t i = 1; i < tasks; i++) {
        equal &= release[i] == release[0];
        any |= release[i] > 0;
    }
    if (!any)
        return BR_OK;
    enum br_status status = relax_pass_time(r, "release", equal ? 1 : tasks, release[0], &made);
    for (uint32_t i = 1; !equal && i < tasks && !status; i++)
        status = br_dag_set_duration(r->to, made, i, release[i], r->diag);
    return status
               ? status
               : br_dag_add_edge(r->to, made, stage, equal ? BR_BARRIER : BR_ONE_TO_ONE, r->diag);
}

/* The child waits for the end of the parent, and the lag. */
static enum br_status relax_wait(struct relaxing *r, uint32_t child,
                                 const struct br_awaited *awaited)
{
    const enum br_edge_type type = awaited->paired ? BR_ONE_TO_ONE : BR_BARRIER;
    uint32_t made;
    if (!awaited->lag_ns)
        return br_dag_add_edge(r->to, awaited->stage, child, type, r->diag);
    enum br_status status = relax_pass_time(
        r, "lag", awaited->paired ? r->dag->stage[child].tasks : 1, awaited->lag_ns, &made);
    if (!status)
        status = br_dag_add_edge(r->to, awaited->stage, made, type, r->diag);
    return status ? status : br_dag_add_edge(r->to, made, child, type, r->diag);
}

/* ---- Storage ---- */

static void at_least(int64_t *value, int64_t least)
{
    *value = least > *value ? least : *value;
}

/* For every stage, how long after the end of any task of the maker all its tasks start at the
 * earliest (all), and after the end of the task with its own index (one_each); -1: not known. */
static void relax_paths(struct relaxing *r, uint32_t maker)
{
    const struct br_dag *dag = r->dag;
    const struct br_waits_list *start = &r->waits.start;
    r->maker = maker;
    memset(r->all, 0xff, dag->stages * sizeof *r->all);
    memset(r->one_each, 0xff, dag->stages * sizeof *r->one_each);
    for (uint32_t k = 0; k < dag->stages; k++) {
        const uint32_t s = dag->topological[k];
        for (uint32_t i = 0; i < start->count[s]; i++) {
            const struct br_awaited *w = &start->awaited[start->first[s] + i];
            const int64_t least = br_waits_add(w->lag_ns, r->waits.shortest[w->stage]);
            if (w->stage == maker)
                at_least(w->paired ? &r->one_each[s] : &r->all[s], w->lag_ns);
            if (r->all[w->stage] >= 0) {
                const int64_t last = br_waits_add(w->lag_ns, r->waits.longest[w->stage]);
                at_least(&r->all[s], br_waits_add(r->all[w->stage], w->paired ? least : last));
            }
            if (r->one_each[w->stage] >= 0)
                at_least(w->paired ? &r->one_each[s] : &r->all[s],
                         br_waits_add(r->one_each[w->stage], least));
        }
    }
}

/* As relax_paths, but along the edges that read the output only. */
static void relax_edges_read(struct relaxing *r, uint32_t output)
{
    const struct br_storage *storage = r->dag->storage;
    for (uint32_t k = storage->output_first[output]; k < storage->output_first[output + 1]; k++) {
        const uint32_t e = storage->readers[k], child = r->dag->edge[e].child;
        const struct br_wait wait = br_dag_wait(r->dag, e);
        const bool paired = br_dag_is_paired(r->dag, &r->dag->edge[e]);
        r->all[child] = !wait.stream && !paired ? wait.lag_ns : -1;
        r->one_each[child] = !wait.stream && paired ? wait.lag_ns : -1;
    }
}

/* How long after the end of its maker at the least all tasks of the stage have ended. */
static int64_t until_all(const struct relaxing *r, uint32_t stage)
{
    int64_t most = 0;
    if (r->all[stage] >= 0)
        at_least(&most, br_waits_add(r->all[stage], r->waits.longest[stage]));
    if (r->one_each[stage] >= 0)
        at_least(&most, br_waits_add(r->one_each[stage], r->waits.shortest[stage]));
    return most;
}

/* The same for the task with the maker's index. */
static int64_t until_one(const struct relaxing *r, uint32_t stage, uint32_t index)
{
    int64_t from = r->all[stage];
    at_least(&from, r->one_each[stage]);
    return from < 0
               ? 0
               : br_waits_add(from, r->dag->duration_ns[r->dag->stage[stage].first_task + index]);
}

/* For how long at least the output of the task with this index is held after that has ended: until
 * its readers have ended, and what has ended when they have. */
static int64_t relax_held_ns(const struct relaxing *r, uint32_t output, uint32_t index)
{
    const struct br_storage *storage = r->dag->storage;
    const struct br_waits_list *before = &r->waits.before;
    int64_t most = 0;
    for (uint32_t k = storage->output_first[output]; k < storage->output_first[output + 1]; k++) {
        const struct br_edge *edge = &r->dag->edge[storage->readers[k]];
        const bool paired = br_dag_is_paired(r->dag, edge);
        at_least(&most, paired ? until_one(r, edge->child, index) : until_all(r, edge->child));
        for (uint32_t i = 0; i < before->count[edge->child]; i++) {
            const struct br_awaited *b = &before->awaited[before->first[edge->child] + i];
            at_least(&most,
                     paired && b->paired ? until_one(r, b->stage, index) : until_all(r, b->stage));
        }
    }
    return most;
}

/* A result, until the end of the job. */
static int64_t relax_result_ns(const struct relaxing *r)
{
    int64_t most = 0;
    for (uint32_t s = 0; s < r->dag->stages; s++)
        at_least(&most, until_all(r, s));
    return most;
}

static enum br_status relax_held(struct relaxing *r, uint32_t output, uint32_t *made)
{
    const struct br_dag *dag = r->dag;
    const uint32_t tasks = dag->stage[dag->storage->output[output].stage].tasks;
    const bool result = br_output_is_result(dag->storage, output);
    const int64_t first = result ? relax_result_ns(r) : relax_held_ns(r, output, 0);
    bool paired = false;
    int64_t most = first;
    for (uint32_t k = dag->storage->output_first[output];
         k < dag->storage->output_first[output + 1]; k++)
        paired |= br_dag_is_paired(dag, &dag->edge[dag->storage->readers[k]]);
    for (uint32_t i = 1; paired && i < tasks; i++)
        at_least(&most, relax_held_ns(r, output, i));
    *made = UINT32_MAX;
    if (!most)
        return BR_OK;
    enum br_status status = relax_pass_time(r, "held", tasks, first, made);
    for (uint32_t i = 1; paired && i < tasks && !status; i++)
        status = br_dag_set_duration(r->to, *made, i, relax_held_ns(r, output, i), r->diag);
    return status;
}

static enum br_status relax_output(struct relaxing *r, uint32_t output)
{
    const struct br_dag *dag = r->dag;
    const struct br_output *out = &dag->storage->output[output];
    const bool result = br_output_is_result(dag->storage, output);
    uint32_t made;
    if (!out->amount.mantissa || (result && r->waits.large))
        return BR_OK;
    if (r->waits.large)
        relax_edges_read(r, output);
    else if (r->maker != out->stage)
        relax_paths(r, out->stage);
    enum br_status status = relax_held(r, output, &made);
    if (status || made == UINT32_MAX)
        return status;
    char text[BR_DECIMAL_TEXT];
    br_decimal_format(out->amount, text, sizeof text);
    if (counts(r, out->resource))
        status = br_dag_add_demand(r->to, made, dag->resource[out->resource].name, text, r->diag);
    return status ? status : br_dag_add_edge(r->to, out->stage, made, BR_ONE_TO_ONE, r->diag);
}

/* ---- The whole ---- */

static enum br_status relax_outputs(struct relaxing *r)
{
    const struct br_storage *storage = r->dag->storage;
    enum br_status status = BR_OK;
    r->maker = UINT32_MAX;
    r->all = br_malloc(((size_t)r->dag->stages + 1) * sizeof *r->all);
    r->one_each = br_malloc(((size_t)r->dag->stages + 1) * sizeof *r->one_each);
    if (!r->all || !r->one_each)
        status = br_fail_memory(r->diag);
    for (uint32_t o = 0; storage && o < storage->outputs && !status; o++)
        status = relax_output(r, o);
    br_free(r->all);
    br_free(r->one_each);
    return status;
}

static enum br_status relax_job(struct relaxing *r)
{
    const struct br_dag *dag = r->dag;
    const struct br_waits_list *start = &r->waits.start;
    enum br_status status = br_waits_find(dag, &r->waits, r->diag);
    for (uint32_t k = 0; k < dag->resources && !status; k++)
        status = br_dag_add_resource(r->to, dag->resource[k].name, dag->resource[k].unit, r->diag);
    for (uint32_t s = 0; s < dag->stages && !status; s++)
        status = relax_stage(r, s);
    for (uint32_t s = 0; s < dag->stages && !status; s++)
        status = relax_release(r, s);
    for (uint32_t s = 0; s < dag->stages && !status; s++)
        for (uint32_t k = 0; k < start->count[s] && !status; k++)
            status = relax_wait(r, s, &start->awaited[start->first[s] + k]);
    if (!status && !r->plain)
        status = relax_outputs(r);
    br_waits_finish(&r->waits);
    return status ? status : br_dag_finish(r->to, r->diag);
}

/* Jobs without alternatives, classes, speeds and budgets. */
static enum br_status relax_plain_ways(struct relaxing *r, enum br_relaxation relaxation)
{
    enum br_status status = br_units_check(r->cluster, r->dag, r->diag);
    if (!status)
        status = relaxation == BR_RELAX_POOL ? relax_to_pool(r) : relax_machines(r);
    return status ? status : relax_job(r);
}

static enum br_status relax(const struct br_dag *dag, const struct br_cluster *cluster,
                            enum br_relaxation relaxation, bool plain, struct br_relaxed *relaxed,
                            struct br_diag *diag)
{
    const unsigned exact =
        BR_FEATURE_RELEASES | BR_FEATURE_LAGS | (cluster->machines == 1 ? BR_FEATURE_SHARED : 0);
    const unsigned features = br_features(dag, cluster);
    *relaxed = (struct br_relaxed){
        .dag = br_dag_create(dag->name),
        .cluster = br_cluster_create(cluster->name),
        .exact =
            !(features & ~exact) && (relaxation == BR_RELAX_MACHINES || cluster->machines == 1),
    };
    struct relaxing r = {.dag = dag,
                         .cluster = cluster,
                         .plain = plain,
                         .one = relaxation == BR_RELAX_POOL || cluster->machines == 1,
                         .to = relaxed->dag,
                         .to_cluster = relaxed->cluster,
                         .diag = diag};
    if (!relaxed->dag || !relaxed->cluster)
        return br_fail_memory(diag);
    enum br_status status = br_deadlines_check(dag, cluster, diag);
    if (status || !(features & BR_FEATURES_MODES))
        return status ? status : relax_plain_ways(&r, relaxation);
    struct br_dag *least = NULL;
    status = br_alternatives_check(dag, cluster, diag);
    if (!status)
        status = br_least_way(dag, cluster, &least, diag);
    r.dag = least;
    if (!status)
        status = relax_plain_ways(&r, relaxation);
    br_dag_destroy(least);
    return status;
}

enum br_status br_relax(const struct br_dag *dag, const struct br_cluster *cluster,
                        enum br_relaxation relaxation, struct br_relaxed *relaxed,
                        struct br_diag *diag)
{
    return relax(dag, cluster, relaxation, false, relaxed, diag);
}

enum br_status br_relax_plain(const struct br_dag *dag, const struct br_cluster *cluster,
                              struct br_relaxed *relaxed, struct br_diag *diag)
{
    return relax(dag, cluster, BR_RELAX_MACHINES, true, relaxed, diag);
}

bool br_relax_pool_helps(const struct br_dag *dag, const struct br_cluster *cluster)
{
    return cluster->machines > 1 && br_features(dag, cluster) & BR_FEATURE_SHARED;
}

enum br_status br_relax_job(const struct br_dag *dag, struct br_dag **relaxed, struct br_diag *diag)
{
    *relaxed = br_dag_create(dag->name);
    struct relaxing r = {.dag = dag, .to = *relaxed, .diag = diag};
    struct br_dag *least = NULL;
    if (!*relaxed)
        return br_fail_memory(diag);
    if (!(br_features(dag, NULL) & BR_FEATURES_MODES))
        return relax_job(&r);
    enum br_status status = br_least_way(dag, NULL, &least, diag);
    r.dag = least;
    if (!status)
        status = relax_job(&r);
    br_dag_destroy(least);
    return status;
}

void br_relaxed_finish(struct br_relaxed *relaxed)
{
    br_dag_destroy(relaxed->dag);
    br_cluster_destroy(relaxed->cluster);
    *relaxed = (struct br_relaxed){0};
}
