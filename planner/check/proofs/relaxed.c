/* The relaxed job by its definition: stages, releases, lags, what is held. */
#include "planner/check/proofs/relaxed.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/collections/memory.h"
#include "base/numbers/wide.h"
#include "planner/check/proofs/awaited.h"
#include "planner/check/proofs/least.h"
#include "planner/eligibility/features.h"
#include "planner/eligibility/units.h"

struct remaking {
    const struct br_dag *dag;
    const struct br_cluster *cluster;
    bool together; /* on one machine, which has what is shared, too */
    struct br_check_waits waits;
    struct br_dag *to;
    struct br_cluster *to_cluster;
    uint32_t number;     /* of the next stage that passes time */
    int64_t *any, *pair; /* by stage, from the end of the maker; -1: not known */
    struct br_diag *diag;
};

/* a + times x b; false if that does not fit. */
static bool add_amount(struct br_decimal *a, struct br_decimal b, uint32_t times)
{
    const int32_t digits = a->exponent < b.exponent ? -a->exponent : -b.exponent;
    int64_t x, y;
    if (!br_decimal_scale(*a, digits, &x) || !br_decimal_scale(b, digits, &y))
        return false;
    const br_wide sum = x + (br_wide)y * times;
    if (sum > INT64_MAX)
        return false;
    *a = br_decimal_unscale((int64_t)sum, digits);
    return true;
}

static enum br_status refuse_amount(struct remaking *r)
{
    return br_fail(r->diag, BR_BAD_INPUT, NULL, "amounts of the relaxed job do not add up");
}

/* ---- The cluster ---- */

static void raise_amount(struct br_decimal *most, struct br_decimal amount)
{
    if (br_decimal_compare(amount, *most) > 0)
        *most = amount;
}

/* The most that a machine of the class ever has, or (NULL) that all machines share. */
static struct br_decimal most_of(const struct remaking *r, const struct br_class *cls,
                                 const char *resource, struct br_decimal usual)
{
    const struct br_calendar *calendar = r->cluster->calendar;
    for (uint32_t k = 0; calendar && k < calendar->changes; k++) {
        const struct br_change *change = &calendar->change[k];
        const uint32_t first = change->span.first, end = first + change->span.count;
        const bool meant = cls ? first < cls->first_machine + cls->count && cls->first_machine < end
                               : first == end;
        if (meant && strcmp(change->resource, resource) == 0)
            raise_amount(&usual, change->amount);
    }
    return usual;
}

static enum br_status offer(struct remaking *r, uint32_t cls, const char *resource,
                            struct br_decimal amount)
{
    char text[BR_DECIMAL_TEXT];
    br_decimal_format(amount, text, sizeof text);
    return br_cluster_add_capacity(r->to_cluster, cls, resource, text, r->diag);
}

static enum br_status offer_shared(struct remaking *r, uint32_t cls)
{
    enum br_status status = BR_OK;
    for (uint32_t k = 0; k < r->cluster->shareds && !status; k++) {
        const struct br_capacity *shared = &r->cluster->shared[k];
        status =
            offer(r, cls, shared->resource, most_of(r, NULL, shared->resource, shared->amount));
    }
    return status;
}

static enum br_status remake_machines(struct remaking *r)
{
    enum br_status status = BR_OK;
    for (uint32_t c = 0; c < r->cluster->classes && !status; c++) {
        const struct br_class *cls = &r->cluster->cls[c];
        status = br_cluster_add_class(r->to_cluster, cls->name, cls->count, NULL, r->diag);
        for (uint32_t k = 0; k < cls->capacities && !status; k++) {
            const struct br_capacity *has = &cls->capacity[k];
            status = offer(r, c, has->resource, most_of(r, cls, has->resource, has->amount));
        }
        if (!status && r->together)
            status = offer_shared(r, c);
    }
    return status;
}

static enum br_status remake_pool(struct remaking *r)
{
    enum br_status status = br_cluster_add_class(r->to_cluster, "pool", 1, NULL, r->diag);
    for (uint32_t k = 0; k < r->dag->resources && !status; k++) {
        const char *name = r->dag->resource[k].name;
        struct br_decimal sum = {0, 0};
        bool any = false;
        for (uint32_t c = 0; c < r->cluster->classes; c++) {
            const struct br_class *cls = &r->cluster->cls[c];
            const struct br_capacity *has = br_class_capacity(cls, name);
            if (has && !add_amount(&sum, most_of(r, cls, name, has->amount), cls->count))
                return refuse_amount(r);
            any |= has != NULL;
        }
        if (any && !br_cluster_shared(r->cluster, name))
            status = offer(r, 0, name, sum);
    }
    return status ? status : offer_shared(r, 0);
}

/* ---- Stages ---- */

/* Does the new cluster know the resource? */
static bool knows(const struct remaking *r, uint32_t resource)
{
    return r->together || !br_cluster_shared(r->cluster, r->dag->resource[resource].name);
}

static enum br_status demand(struct remaking *r, uint32_t stage, uint32_t resource,
                             struct br_decimal amount)
{
    char text[BR_DECIMAL_TEXT];
    if (!amount.mantissa || !knows(r, resource))
        return BR_OK;
    br_decimal_format(amount, text, sizeof text);
    return br_dag_add_demand(r->to, stage, r->dag->resource[resource].name, text, r->diag);
}

/* What a task of the stage holds while it runs: its demand, and what it makes from its start on. */
static bool held_running(const struct remaking *r, uint32_t stage, uint32_t resource,
                         struct br_decimal *sum)
{
    const struct br_storage *storage = r->dag->storage;
    const struct br_stage *s = &r->dag->stage[stage];
    *sum = (struct br_decimal){0, 0};
    for (uint32_t d = s->first_demand; d < s->first_demand + s->demands; d++)
        if (r->dag->demand[d].resource == resource && !add_amount(sum, r->dag->demand[d].amount, 1))
            return false;
    if (!storage)
        return true;
    for (uint32_t o = storage->stage_first[stage]; o < storage->stage_first[stage + 1]; o++)
        if (storage->output[o].resource == resource &&
            !(storage->output[o].flags & BR_OUTPUT_FROM_END) &&
            !add_amount(sum, storage->output[o].amount, 1))
            return false;
    return true;
}

static enum br_status remake_stage(struct remaking *r, uint32_t stage)
{
    const struct br_stage *s = &r->dag->stage[stage];
    const int64_t *duration = r->dag->duration_ns + s->first_task;
    enum br_status status = br_dag_add_stage(r->to, s->id, s->tasks, duration[0], NULL, r->diag);
    for (uint32_t i = 1; i < s->tasks && !status; i++)
        if (duration[i] != duration[0])
            status = br_dag_set_duration(r->to, stage, i, duration[i], r->diag);
    for (uint32_t k = 0; k < r->dag->resources && !status; k++) {
        struct br_decimal sum;
        status = held_running(r, stage, k, &sum) ? demand(r, stage, k, sum) : refuse_amount(r);
    }
    return status;
}

/* Adds "WHAT N" with these durations, or one for all if `tasks` is 1; N is free. */
static enum br_status pass_time(struct remaking *r, const char *what, uint32_t tasks,
                                const int64_t *duration, bool equal, uint32_t *stage)
{
    char id[40];
    do
        snprintf(id, sizeof id, "%s %" PRIu32, what, r->number++);
    while (br_dag_find_stage(r->dag, id) != UINT32_MAX);
    enum br_status status = br_dag_add_stage(r->to, id, tasks, duration[0], stage, r->diag);
    for (uint32_t i = 1; !equal && i < tasks && !status; i++)
        status = br_dag_set_duration(r->to, *stage, i, duration[i], r->diag);
    return status;
}

static enum br_status remake_release(struct remaking *r, uint32_t stage)
{
    const struct br_stage *s = &r->dag->stage[stage];
    const int64_t *release = r->waits.release_ns + s->first_task;
    bool equal = true;
    int64_t most = 0;
    uint32_t made;
    for (uint32_t i = 0; i < s->tasks; i++) {
        equal &= release[i] == release[0];
        most = release[i] > most ? release[i] : most;
    }
    if (!most)
        return BR_OK;
    enum br_status status = pass_time(r, "release", equal ? 1 : s->tasks, release, equal, &made);
    if (status)
        return status;
    return br_dag_add_edge(r->to, made, stage, equal ? BR_BARRIER : BR_ONE_TO_ONE, r->diag);
}

static enum br_status remake_wait(struct remaking *r, const struct br_check_wait *wait)
{
    const enum br_edge_type type = wait->paired ? BR_ONE_TO_ONE : BR_BARRIER;
    uint32_t made = wait->stage;
    enum br_status status = BR_OK;
    if (wait->lag_ns) {
        status = pass_time(r, "lag", wait->paired ? r->dag->stage[wait->of].tasks : 1,
                           &wait->lag_ns, true, &made);
        if (!status)
            status = br_dag_add_edge(r->to, wait->stage, made, type, r->diag);
    }
    return status ? status : br_dag_add_edge(r->to, made, wait->of, type, r->diag);
}

/* ---- What is held ---- */

static void lift(int64_t *value, int64_t other)
{
    if (other > *value)
        *value = other;
}

/* The longest ways from the end of the maker to the start of each stage. */
static void find_ways(struct remaking *r, uint32_t maker)
{
    for (uint32_t s = 0; s < r->dag->stages; s++)
        r->any[s] = r->pair[s] = -1;
    for (uint32_t k = 0; k < r->dag->stages; k++) {
        const uint32_t s = r->dag->topological[k];
        for (uint32_t i = r->waits.wait_first[s]; i < r->waits.wait_first[s + 1]; i++) {
            const struct br_check_wait *w = &r->waits.wait[i];
            int64_t *to = w->paired ? &r->pair[s] : &r->any[s];
            const int64_t one = br_check_sum(r->waits.shortest[w->stage], w->lag_ns);
            const int64_t all = br_check_sum(r->waits.longest[w->stage], w->lag_ns);
            if (w->stage == maker)
                lift(to, w->lag_ns);
            if (r->pair[w->stage] >= 0)
                lift(to, br_check_sum(r->pair[w->stage], one));
            if (r->any[w->stage] >= 0)
                lift(&r->any[s], br_check_sum(r->any[w->stage], w->paired ? one : all));
        }
    }
}

/* In a large job: the edges alone that read the output. */
static void find_edges(struct remaking *r, uint32_t output)
{
    const struct br_storage *storage = r->dag->storage;
    for (uint32_t k = storage->output_first[output]; k < storage->output_first[output + 1]; k++) {
        const struct br_edge *edge = &r->dag->edge[storage->readers[k]];
        const struct br_wait wait = br_dag_wait(r->dag, storage->readers[k]);
        r->any[edge->child] = r->pair[edge->child] = -1;
        if (!wait.stream && br_dag_is_paired(r->dag, edge))
            r->pair[edge->child] = wait.lag_ns;
        else if (!wait.stream)
            r->any[edge->child] = wait.lag_ns;
    }
}

/* From the end of the maker to that of the stage, all of it or its task with that index. */
static int64_t to_end(const struct remaking *r, uint32_t stage, bool one, uint32_t index)
{
    const int64_t any = r->any[stage], pair = r->pair[stage];
    int64_t end = 0;
    if (one && (any >= 0 || pair >= 0))
        return br_check_sum(any > pair ? any : pair,
                            r->dag->duration_ns[r->dag->stage[stage].first_task + index]);
    if (!one && any >= 0)
        lift(&end, br_check_sum(any, r->waits.longest[stage]));
    if (!one && pair >= 0)
        lift(&end, br_check_sum(pair, r->waits.shortest[stage]));
    return end;
}

/* How long the output of the task with this index is held after its maker. */
static int64_t held_for(const struct remaking *r, uint32_t output, uint32_t index)
{
    const struct br_storage *storage = r->dag->storage;
    int64_t most = 0;
    if (br_output_is_result(storage, output)) {
        for (uint32_t s = 0; s < r->dag->stages; s++)
            lift(&most, to_end(r, s, false, 0));
        return most;
    }
    for (uint32_t k = storage->output_first[output]; k < storage->output_first[output + 1]; k++) {
        const struct br_edge *edge = &r->dag->edge[storage->readers[k]];
        const uint32_t reader = edge->child;
        const bool one = br_dag_is_paired(r->dag, edge);
        lift(&most, to_end(r, reader, one, index));
        for (uint32_t i = r->waits.ended_first[reader]; i < r->waits.ended_first[reader + 1]; i++)
            lift(&most, to_end(r, r->waits.ended[i].stage, one && r->waits.ended[i].paired, index));
    }
    return most;
}

static enum br_status remake_output(struct remaking *r, uint32_t output)
{
    const struct br_output *out = &r->dag->storage->output[output];
    const bool large = r->dag->stages > BR_CHECK_LARGE;
    const bool result = br_output_is_result(r->dag->storage, output);
    const uint32_t tasks = r->dag->stage[out->stage].tasks;
    if (!out->amount.mantissa || (large && result))
        return BR_OK;
    if (large)
        find_edges(r, output);
    else
        find_ways(r, out->stage);
    int64_t *held = br_malloc((size_t)tasks * sizeof *held), most = 0;
    if (!held)
        return br_fail_memory(r->diag);
    for (uint32_t i = 0; i < tasks; i++) {
        held[i] = i && result ? held[0] : held_for(r, output, i);
        lift(&most, held[i]);
    }
    enum br_status status = BR_OK;
    uint32_t made = 0;
    if (most)
        status = pass_time(r, "held", tasks, held, false, &made);
    if (most && !status)
        status = demand(r, made, out->resource, out->amount);
    if (most && !status)
        status = br_dag_add_edge(r->to, out->stage, made, BR_ONE_TO_ONE, r->diag);
    br_free(held);
    return status;
}

/* ---- The whole ---- */

static enum br_status remake_job(struct remaking *r)
{
    const struct br_dag *dag = r->dag;
    enum br_status status = br_check_waits_find(dag, &r->waits, r->diag);
    for (uint32_t k = 0; k < dag->resources && !status; k++)
        status = br_dag_add_resource(r->to, dag->resource[k].name, dag->resource[k].unit, r->diag);
    for (uint32_t s = 0; s < dag->stages && !status; s++)
        status = remake_stage(r, s);
    for (uint32_t s = 0; s < dag->stages && !status; s++)
        status = remake_release(r, s);
    for (uint32_t k = 0; k < r->waits.waits && !status; k++)
        status = remake_wait(r, &r->waits.wait[k]);
    for (uint32_t o = 0; dag->storage && o < dag->storage->outputs && !status; o++)
        status = remake_output(r, o);
    return status ? status : br_dag_finish(r->to, r->diag);
}

enum br_status br_check_relaxed(const struct br_dag *dag, const struct br_cluster *cluster,
                                enum br_relaxation relaxation, struct br_dag **relaxed,
                                struct br_cluster **relaxed_cluster, struct br_diag *diag)
{
    const size_t room = (size_t)dag->stages + 1;
    struct br_dag *least = NULL;
    struct remaking r = {.dag = dag,
                         .cluster = cluster,
                         .together = relaxation == BR_RELAX_POOL || cluster->machines == 1,
                         .to = *relaxed = br_dag_create(dag->name),
                         .to_cluster = *relaxed_cluster = br_cluster_create(cluster->name),
                         .any = br_malloc(room * sizeof *r.any),
                         .pair = br_malloc(room * sizeof *r.pair),
                         .diag = diag};
    enum br_status status = r.to && r.to_cluster && r.any && r.pair ? BR_OK : br_fail_memory(diag);
    if (!status)
        status = br_units_check(cluster, dag, diag);
    if (!status && br_features(dag, cluster) & BR_FEATURES_MODES) {
        status = br_check_least(dag, cluster, &least, diag);
        r.dag = least;
    }
    if (!status)
        status = relaxation == BR_RELAX_POOL ? remake_pool(&r) : remake_machines(&r);
    if (!status)
        status = remake_job(&r);
    br_check_waits_finish(&r.waits);
    br_dag_destroy(least);
    br_free(r.any);
    br_free(r.pair);
    return status;
}
