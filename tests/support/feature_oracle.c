/* The least makespan: time goes on from event to event, and at each, every set of ready tasks is
 * started on every choice of machines, also none.
 *
 * Why events are enough: in a best plan, keep the order of every begin of something held behind an
 * end that it follows, and start everything as early as these and the rules of the job allow. Then
 * what is held at one time was held together before, too. Each start is then a release, the end of
 * a window or a change, an end of a task plus a lag, a start plus a lag of a stream, or such a time
 * less the own duration, where the end of the task is what waits: for the end of a stream, or for
 * an output that is made at the end. Only the last of these may be unknown when it passes, so with
 * outputs of that kind time goes on by single units. */
#include "tests/support/feature_oracle.h"

#include <stdlib.h>
#include <string.h>

enum { TASKS = FEATURE_ORACLE_TASKS, MACHINES = FEATURE_ORACLE_MACHINES };
enum { RESOURCES = 8, OUTPUTS = 48, SPANS = 64, STATES = 1 << 21 };

struct wait {
    bool any, stream;
    int lag;
};

struct held_output {
    uint32_t task, resource;
    int64_t amount;
    bool from_end, result;
    uint32_t readers; /* a mask of tasks */
};

struct span {
    uint32_t first, count; /* machines; 0: shared */
    int from, to;          /* -1: never ends */
    uint32_t resource;
    int64_t amount;
};

struct state {
    uint32_t stamp;
    int time;
    uint16_t task[TASKS];
};

struct oracle {
    uint32_t tasks, machines, resources, outputs, windows, changes;
    int64_t unit_ns;
    int duration[TASKS], release[TASKS], deadline[TASKS], tail[TASKS];
    uint32_t stage_task[TASKS]; /* the task of the job with this number, parents first */
    int64_t demand[TASKS][RESOURCES];
    struct wait wait[TASKS][TASKS]; /* [parent][child] */
    struct held_output output[OUTPUTS];
    struct span window[SPANS], change[SPANS];
    int64_t capacity[MACHINES + 1][RESOURCES]; /* what is shared comes last */
    bool shared[RESOURCES];
    bool dense;   /* time goes on by single units */
    bool instant; /* some task takes no time, so what starts later at one time may free something */
    bool alike;   /* all machines are */
    int horizon;
    /* The plan so far, and the best. */
    int start[TASKS]; /* -1: not yet */
    uint32_t machine[TASKS];
    int best, best_start[TASKS];
    uint32_t best_machine[TASKS];
    struct state *seen;
    uint32_t stamp, states;
    bool too_much;
};

/* ---- Reading ---- */

static int64_t common(int64_t a, int64_t b)
{
    while (b) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static bool whole(struct br_decimal value, int64_t *amount)
{
    return br_decimal_scale(value, 0, amount);
}

static int64_t find_unit(const struct br_dag *dag, const struct br_cluster *cluster)
{
    int64_t unit = 0;
    for (uint32_t t = 0; t < dag->tasks; t++) {
        unit = common(common(unit, dag->duration_ns[t]), br_dag_release(dag, t));
        if (br_dag_deadline(dag, t) != INT64_MAX)
            unit = common(unit, br_dag_deadline(dag, t));
    }
    for (uint32_t e = 0; e < dag->edges; e++)
        unit = common(unit, br_dag_wait(dag, e).lag_ns);
    const struct br_calendar *calendar = cluster->calendar;
    for (uint32_t k = 0; calendar && k < calendar->unavailables + calendar->changes; k++) {
        const struct br_span_of_machines *span =
            k < calendar->unavailables ? &calendar->unavailable[k].span
                                       : &calendar->change[k - calendar->unavailables].span;
        unit = common(unit, span->from_ns);
        if (span->to_ns != BR_FOREVER)
            unit = common(unit, span->to_ns);
    }
    return unit ? unit : 1;
}

static struct span read_span(const struct oracle *o, const struct br_span_of_machines *span)
{
    return (struct span){.first = span->first,
                         .count = span->count,
                         .from = (int)(span->from_ns / o->unit_ns),
                         .to = span->to_ns == BR_FOREVER ? -1 : (int)(span->to_ns / o->unit_ns)};
}

static bool read_cluster(struct oracle *o, const struct br_dag *dag,
                         const struct br_cluster *cluster)
{
    const struct br_calendar *calendar = cluster->calendar;
    bool ok = cluster->machines <= MACHINES && dag->resources <= RESOURCES;
    o->machines = cluster->machines;
    o->resources = dag->resources;
    o->alike = !calendar && cluster->classes == 1;
    for (uint32_t r = 0; ok && r < dag->resources; r++) {
        const struct br_capacity *shared = br_cluster_shared(cluster, dag->resource[r].name);
        o->shared[r] = shared != NULL;
        ok &= !shared || whole(shared->amount, &o->capacity[MACHINES][r]);
        for (uint32_t m = 0; ok && m < cluster->machines; m++)
            ok &= whole(br_cluster_capacity(cluster, br_cluster_machine_class(cluster, m),
                                            dag->resource[r].name),
                        &o->capacity[m][r]);
    }
    if (!ok || !calendar)
        return ok;
    if (calendar->unavailables > SPANS || calendar->changes > SPANS)
        return false;
    for (uint32_t k = 0; k < calendar->unavailables; k++)
        o->window[o->windows++] = read_span(o, &calendar->unavailable[k].span);
    for (uint32_t k = 0; k < calendar->changes && ok; k++) {
        const struct br_change *change = &calendar->change[k];
        struct span span = read_span(o, &change->span);
        for (span.resource = 0; span.resource < dag->resources; span.resource++)
            if (strcmp(dag->resource[span.resource].name, change->resource) == 0)
                break;
        if (span.resource == dag->resources)
            continue;
        ok &= whole(change->amount, &span.amount);
        o->change[o->changes++] = span;
    }
    return ok;
}

/* The numbers of tasks here, by their numbers in the job. */
static void read_tasks(struct oracle *o, const struct br_dag *dag, uint32_t *number)
{
    for (uint32_t p = 0; p < dag->stages; p++) {
        const struct br_stage *stage = &dag->stage[dag->topological[p]];
        for (uint32_t t = stage->first_task; t < stage->first_task + stage->tasks; t++) {
            const uint32_t k = o->tasks++;
            number[t] = k;
            o->stage_task[k] = t;
            o->duration[k] = (int)(dag->duration_ns[t] / o->unit_ns);
            o->release[k] = (int)(br_dag_release(dag, t) / o->unit_ns);
            o->deadline[k] = br_dag_deadline(dag, t) == INT64_MAX
                                 ? -1
                                 : (int)(br_dag_deadline(dag, t) / o->unit_ns);
            o->instant |= o->duration[k] == 0;
        }
    }
}

static void read_edges(struct oracle *o, const struct br_dag *dag, const uint32_t *number)
{
    for (uint32_t e = 0; e < dag->edges; e++) {
        const struct br_stage *a = &dag->stage[dag->edge[e].parent];
        const struct br_stage *b = &dag->stage[dag->edge[e].child];
        const struct br_wait wait = br_dag_wait(dag, e);
        for (uint32_t i = 0; i < a->tasks; i++)
            for (uint32_t j = 0; j < b->tasks; j++)
                if (dag->edge[e].type == BR_BARRIER || i == j)
                    o->wait[number[a->first_task + i]][number[b->first_task + j]] =
                        (struct wait){true, wait.stream, (int)(wait.lag_ns / o->unit_ns)};
    }
}

/* A mask of the tasks that read the output of the task with this index. */
static uint32_t readers_of(const struct br_dag *dag, uint32_t output, uint32_t index,
                           const uint32_t *number)
{
    const struct br_storage *storage = dag->storage;
    uint32_t mask = 0;
    for (uint32_t k = storage->output_first[output]; k < storage->output_first[output + 1]; k++) {
        const struct br_edge *edge = &dag->edge[storage->readers[k]];
        const struct br_stage *child = &dag->stage[edge->child];
        for (uint32_t j = 0; j < child->tasks; j++)
            if (edge->type == BR_BARRIER || j == index)
                mask |= 1u << number[child->first_task + j];
    }
    return mask;
}

static bool read_amounts(struct oracle *o, const struct br_dag *dag, const uint32_t *number)
{
    const struct br_storage *storage = dag->storage;
    bool ok = true;
    for (uint32_t d = 0; d < dag->demands; d++) {
        const struct br_stage *stage = &dag->stage[dag->demand[d].stage];
        for (uint32_t i = 0; i < stage->tasks; i++)
            ok &= whole(dag->demand[d].amount,
                        &o->demand[number[stage->first_task + i]][dag->demand[d].resource]);
    }
    for (uint32_t k = 0; storage && k < storage->outputs && ok; k++) {
        const struct br_output *output = &storage->output[k];
        const struct br_stage *stage = &dag->stage[output->stage];
        for (uint32_t i = 0; i < stage->tasks && ok; i++) {
            struct held_output held = {.task = number[stage->first_task + i],
                                       .resource = output->resource,
                                       .from_end = output->flags & BR_OUTPUT_FROM_END,
                                       .result = br_output_is_result(storage, k),
                                       .readers = readers_of(dag, k, i, number)};
            ok = o->outputs < OUTPUTS && whole(output->amount, &held.amount);
            if (ok)
                o->output[o->outputs++] = held;
            o->dense |= held.from_end && held.amount > 0;
        }
    }
    return ok;
}

static int max_of(int a, int b)
{
    return a > b ? a : b;
}

/* Tails, and a time by which every plan that starts early has ended. */
static void find_tails(struct oracle *o)
{
    for (uint32_t k = o->tasks; k-- > 0;) {
        o->tail[k] = o->duration[k];
        o->horizon += o->duration[k];
        for (uint32_t c = k + 1; c < o->tasks; c++) {
            const struct wait *wait = &o->wait[k][c];
            if (!wait->any)
                continue;
            o->tail[k] =
                max_of(o->tail[k], (wait->stream ? 0 : o->duration[k]) + wait->lag + o->tail[c]);
            o->horizon += wait->lag;
        }
    }
    int last = 0;
    for (uint32_t k = 0; k < o->tasks; k++)
        last = max_of(last, o->release[k]);
    for (uint32_t k = 0; k < o->windows; k++)
        last = max_of(last, max_of(o->window[k].from, o->window[k].to));
    for (uint32_t k = 0; k < o->changes; k++)
        last = max_of(last, max_of(o->change[k].from, o->change[k].to));
    o->horizon += last + 1;
}

static bool read_all(struct oracle *o, const struct br_dag *dag, const struct br_cluster *cluster)
{
    uint32_t number[TASKS];
    if (dag->tasks > TASKS)
        return false;
    o->unit_ns = find_unit(dag, cluster);
    if (!read_cluster(o, dag, cluster))
        return false;
    read_tasks(o, dag, number);
    read_edges(o, dag, number);
    if (!read_amounts(o, dag, number))
        return false;
    find_tails(o);
    return o->horizon > 0 && o->horizon < 8000; /* so that times fit a code */
}

/* ---- What a plan so far holds ---- */

static int end_of(const struct oracle *o, uint32_t k)
{
    return o->start[k] + o->duration[k];
}

static bool ended(const struct oracle *o, uint32_t k, int now)
{
    return o->start[k] >= 0 && end_of(o, k) <= now;
}

static bool is_held(const struct oracle *o, const struct held_output *output, int now)
{
    const uint32_t k = output->task;
    if (o->start[k] < 0 || (output->from_end ? end_of(o, k) : o->start[k]) > now)
        return false;
    if (!ended(o, k, now) || output->result)
        return true;
    for (uint32_t c = 0; c < o->tasks; c++)
        if (output->readers >> c & 1 && !ended(o, c, now))
            return true;
    return false;
}

static bool on_machine(const struct span *span, uint32_t machine)
{
    return machine - span->first < span->count;
}

static bool within_span(const struct span *span, int now)
{
    return span->from <= now && (span->to < 0 || now < span->to);
}

/* Does everything that is held at this time fit? Not all tasks have ended by then. */
static bool fits(const struct oracle *o, int now)
{
    int64_t load[MACHINES + 1][RESOURCES] = {{0}};
    int64_t capacity[MACHINES + 1][RESOURCES];
    memcpy(capacity, o->capacity, sizeof capacity);
    for (uint32_t k = 0; k < o->changes; k++)
        for (uint32_t m = 0; m <= MACHINES; m++)
            if (within_span(&o->change[k], now) &&
                (m == MACHINES ? !o->change[k].count : on_machine(&o->change[k], m)))
                capacity[m][o->change[k].resource] = o->change[k].amount;
    for (uint32_t k = 0; k < o->tasks; k++)
        for (uint32_t r = 0; r < o->resources; r++)
            if (o->start[k] >= 0 && o->start[k] <= now && now < end_of(o, k))
                load[o->shared[r] ? MACHINES : o->machine[k]][r] += o->demand[k][r];
    for (uint32_t k = 0; k < o->outputs; k++)
        if (is_held(o, &o->output[k], now))
            load[o->shared[o->output[k].resource] ? MACHINES : o->machine[o->output[k].task]]
                [o->output[k].resource] += o->output[k].amount;
    for (uint32_t m = 0; m <= MACHINES; m++)
        for (uint32_t r = 0; r < o->resources; r++)
            if (load[m][r] > capacity[m][r])
                return false;
    return true;
}

static bool is_ready(const struct oracle *o, uint32_t k, int now)
{
    if (o->start[k] >= 0 || now < o->release[k] ||
        (o->deadline[k] >= 0 && now + o->duration[k] > o->deadline[k]))
        return false;
    for (uint32_t p = 0; p < k; p++) {
        const struct wait *wait = &o->wait[p][k];
        if (wait->any &&
            (o->start[p] < 0 || (wait->stream ? o->start[p] : end_of(o, p)) + wait->lag > now ||
             (wait->stream && end_of(o, p) > now + o->duration[k])))
            return false;
    }
    return true;
}

static bool is_away(const struct oracle *o, uint32_t machine, int from, int to)
{
    for (uint32_t k = 0; k < o->windows && from < to; k++)
        if (on_machine(&o->window[k], machine) && o->window[k].from < to &&
            (o->window[k].to < 0 || from < o->window[k].to))
            return true;
    return false;
}

/* ---- Time ---- */

static void sooner(int time, int now, int *next)
{
    if (time > now && time < *next)
        *next = time;
}

static int next_event(const struct oracle *o, int now)
{
    int next = o->horizon + 1;
    if (o->dense)
        return now + 1;
    for (uint32_t k = 0; k < o->tasks; k++) {
        if (o->start[k] < 0)
            sooner(o->release[k], now, &next);
        else
            sooner(end_of(o, k), now, &next);
        for (uint32_t c = k + 1; o->start[k] >= 0 && c < o->tasks; c++) {
            const struct wait *wait = &o->wait[k][c];
            if (!wait->any || o->start[c] >= 0)
                continue;
            sooner((wait->stream ? o->start[k] : end_of(o, k)) + wait->lag, now, &next);
            if (wait->stream)
                sooner(end_of(o, k) - o->duration[c], now, &next);
        }
    }
    for (uint32_t k = 0; k < o->windows; k++)
        sooner(o->window[k].to, now, &next);
    for (uint32_t k = 0; k < o->changes; k++) {
        sooner(o->change[k].from, now, &next);
        sooner(o->change[k].to, now, &next);
    }
    return next;
}

/* No plan that goes on from here at that time ends sooner. */
static int bound_from(const struct oracle *o, int next)
{
    int bound = next;
    for (uint32_t k = 0; k < o->tasks; k++)
        bound = max_of(bound, o->start[k] >= 0 ? max_of(end_of(o, k), o->start[k] + o->tail[k])
                                               : max_of(next, o->release[k]) + o->tail[k]);
    return bound;
}

/* What of the task still matters at that time. */
static uint16_t code_of(const struct oracle *o, uint32_t k, int time)
{
    bool starts = !ended(o, k, time), place = starts;
    if (o->start[k] < 0)
        return 0;
    for (uint32_t c = k + 1; c < o->tasks && !starts; c++) {
        const struct wait *wait = &o->wait[k][c];
        starts = wait->any && o->start[c] < 0 &&
                 (wait->stream ? o->start[k] : end_of(o, k)) + wait->lag > time;
    }
    for (uint32_t x = 0; x < o->outputs && !place; x++)
        place = o->output[x].task == k && is_held(o, &o->output[x], time);
    return (uint16_t)(1 + (place ? 1 + o->machine[k] : 0) +
                      (starts ? 8 * (1 + (unsigned)o->start[k]) : 0));
}

/* Remembers the state; true if it was met before. */
static bool met(struct oracle *o, int time)
{
    struct state state = {.stamp = o->stamp, .time = time};
    uint64_t hash = (uint64_t)time * UINT64_C(0x9e3779b97f4a7c15);
    for (uint32_t k = 0; k < o->tasks; k++) {
        state.task[k] = code_of(o, k, time);
        hash = (hash ^ state.task[k]) * UINT64_C(0xff51afd7ed558ccd);
        hash ^= hash >> 31;
    }
    for (uint32_t at = (uint32_t)hash % STATES;; at = (at + 1) % STATES) {
        if (o->seen[at].stamp != o->stamp) {
            o->too_much |= ++o->states > STATES / 2;
            o->seen[at] = state;
            return false;
        }
        if (o->seen[at].time == time &&
            memcmp(o->seen[at].task, state.task, sizeof state.task) == 0)
            return true;
    }
}

static void decide(struct oracle *o, uint32_t k, int now);

static void go_on(struct oracle *o, int now)
{
    bool all = true;
    int last = 0;
    for (uint32_t k = 0; k < o->tasks; k++) {
        all &= ended(o, k, now);
        last = max_of(last, o->start[k] < 0 ? 0 : end_of(o, k));
    }
    if (all && last < o->best) {
        o->best = last;
        memcpy(o->best_start, o->start, sizeof o->start);
        memcpy(o->best_machine, o->machine, sizeof o->machine);
    }
    if (all || !fits(o, now))
        return;
    const int next = next_event(o, now);
    if (next <= o->horizon && bound_from(o, next) < o->best && !met(o, next))
        decide(o, 0, next);
}

/* Is there a machine like this one, ahead of it, on which nothing has run either? */
static bool has_twin(const struct oracle *o, uint32_t machine)
{
    uint32_t used = 0;
    for (uint32_t k = 0; k < o->tasks; k++)
        if (o->start[k] >= 0)
            used |= 1u << o->machine[k];
    return o->alike && machine && !(used >> machine & 1) && ~used & ((1u << machine) - 1);
}

/* Every choice of the tasks from k on, at this time. */
static void decide(struct oracle *o, uint32_t k, int now)
{
    while (k < o->tasks && !is_ready(o, k, now))
        k++;
    if (o->too_much)
        return;
    if (k == o->tasks) {
        go_on(o, now);
        return;
    }
    for (uint32_t m = 0; m < o->machines; m++) {
        if (has_twin(o, m) || is_away(o, m, now, now + o->duration[k]))
            continue;
        o->start[k] = now;
        o->machine[k] = m;
        if (o->instant || fits(o, now))
            decide(o, k + 1, now);
        o->start[k] = -1;
    }
    decide(o, k + 1, now);
}

int64_t feature_oracle_makespan(const struct br_dag *dag, const struct br_cluster *cluster,
                                struct feature_oracle_plan *plan)
{
    static struct state *seen;
    static uint32_t stamp;
    struct oracle o = {.stamp = ++stamp};
    if (!seen && !(seen = calloc(STATES, sizeof *seen)))
        return FEATURE_ORACLE_TOO_MUCH;
    o.seen = seen;
    if (!read_all(&o, dag, cluster))
        return FEATURE_ORACLE_TOO_MUCH;
    o.best = o.horizon + 1;
    for (uint32_t k = 0; k < o.tasks; k++)
        o.start[k] = -1;
    decide(&o, 0, 0);
    if (o.too_much)
        return FEATURE_ORACLE_TOO_MUCH;
    if (o.best > o.horizon)
        return FEATURE_ORACLE_NONE;
    for (uint32_t k = 0; plan && k < o.tasks; k++) {
        plan->start_ns[o.stage_task[k]] = o.best_start[k] * o.unit_ns;
        plan->machine[o.stage_task[k]] = o.best_machine[k];
    }
    return o.best * o.unit_ns;
}
