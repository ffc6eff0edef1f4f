#include "planner/search/general_plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <bigrocks/bound.h>

#include "base/collections/memory.h"
#include "base/collections/sort.h"
#include "base/process/alarm.h"
#include "base/process/clock.h"
#include "planner/bounds/bounds.h"
#include "planner/general/enumerate.h"
#include "planner/general/search.h"
#include "planner/general/witness.h"
#include "planner/model/features.h"
#include "planner/model/plan.h"
#include "planner/model/relax.h"
#include "planner/model/task_order.h"
#include "planner/search/make_plan.h"
#include "planner/search/method.h"

/* Placements of the search by effort: so many for a job, and so many a task. */
static const uint64_t fast_placements = 60000, fast_of_task = 6;
static const uint64_t default_placements = 6000000, default_of_task = 40;
/* Nodes of the enumeration of all schedules of a small job, by effort. */
static const uint64_t fast_nodes = 20000, default_nodes = 1000000, max_nodes = 20000000;
/* Machines and instances that the search for an order that fits looks at. */
static const uint64_t witness_work = 30000000;
/* The share of a time limit for the plan of the relaxed job. */
static const double relaxed_share = 0.25;
/* Late stages of which it is asked whether they could be in time at all. */
enum { late_tries = 8 };

struct general_plan {
    const struct br_dag *dag;
    const struct br_cluster *cluster;
    struct br_plan_options options;
    const struct br_relaxed *relaxed;
    const struct br_witness *known; /* an order that fits; NULL: it is looked for */
    struct br_general *job;
    struct br_witness witness;
    struct br_general_schedule best;
    uint32_t *hint; /* ranks */
    int64_t lower_bound_ns;
    const char *bound_method;
    struct br_certificate *certificate; /* of that bound; NULL: none */
    enum br_witness_answer answer;      /* of the search for the witness */
    uint32_t stuck;                     /* with it, if there is none */
    bool complete;                      /* all schedules were looked at */
    const char *finder;                 /* of the best */
    bool stopped, limited;              /* by the flag, by the placements asked for */
    struct br_alarm alarm;
    struct br_bound_answer source;
    struct br_stop never; /* of the alarm if there is no limit */
    int64_t began_ns;
    uint64_t placements;
    struct br_diag *diag;
};

/* ---- The relaxed job ---- */

/* The proof of the relaxed job as one of the given job. */
static void take_certificate(struct br_certificate **to, struct br_certificate **from,
                             enum br_relaxation relaxation)
{
    br_certificate_destroy(*to);
    *to = *from;
    *from = NULL;
    if (*to)
        (*to)->relaxation = relaxation;
}

/* The plan of the relaxed job as one of the given job, which has the first of its tasks. */
static enum br_status take_exact(const struct br_dag *dag, struct br_plan *from,
                                 struct br_plan **plan, struct br_diag *diag)
{
    struct br_plan *to = *plan = br_plan_create(dag->tasks);
    if (!to)
        return br_fail_memory(diag);
    memcpy(to->start_ns, from->start_ns, dag->tasks * sizeof *to->start_ns);
    memcpy(to->machine, from->machine, dag->tasks * sizeof *to->machine);
    memcpy(to->subset, from->subset, dag->tasks);
    to->method = br_arena_text(&to->arena, from->method);
    to->bound_method = br_arena_text(&to->arena, from->bound_method);
    to->note = from->note;
    to->seed = from->seed;
    to->lower_bound_ns = from->lower_bound_ns;
    to->placements = from->placements;
    to->counters = from->counters;
    to->source = from->source;
    take_certificate(&to->certificate, &from->certificate, BR_RELAX_MACHINES);
    if (!to->method || !to->bound_method)
        return br_fail_memory(diag);
    return br_plan_rank(to, dag, diag);
}

static enum br_status plan_exactly(const struct br_dag *dag, const struct br_relaxed *relaxed,
                                   const struct br_plan_options *options, struct br_plan **plan,
                                   struct br_diag *diag)
{
    struct br_plan *of_relaxed = NULL;
    enum br_status status =
        br_make_plan(relaxed->dag, relaxed->cluster, options, &of_relaxed, diag);
    if (!status)
        status = take_exact(dag, of_relaxed, plan, diag);
    br_plan_destroy(of_relaxed);
    return status;
}

static int by_start(const void *a, const void *b, void *context)
{
    const struct br_plan *plan = context;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (plan->start_ns[x] != plan->start_ns[y])
        return plan->start_ns[x] < plan->start_ns[y] ? -1 : 1;
    return plan->rank[x] < plan->rank[y] ? -1 : 1;
}

/* Takes the bound, and the order of starts, from a quick plan of the relaxed job. */
static enum br_status take_hint(struct general_plan *g, const struct br_relaxed *relaxed)
{
    struct br_plan_options options = g->options;
    struct br_plan *plan = NULL;
    options.method = NULL;
    options.order = NULL;
    options.effort = BR_EFFORT_FAST;
    options.objective = BR_OBJECTIVE_MAKESPAN;
    options.found = NULL;
    options.progress = NULL;
    options.time_limit_ns = (int64_t)(relaxed_share * (double)g->options.time_limit_ns);
    options.placements = 0;
    enum br_status status = br_make_plan(relaxed->dag, relaxed->cluster, &options, &plan, g->diag);
    uint32_t *order = br_malloc(((size_t)g->job->tasks + 1) * sizeof *order);
    g->hint = br_malloc(((size_t)g->job->tasks + 1) * sizeof *g->hint);
    if (!status && (!order || !g->hint))
        status = br_fail_memory(g->diag);
    if (!status) {
        for (uint32_t t = 0; t < g->job->tasks; t++)
            order[t] = t;
        br_sort_within(order, g->job->tasks, sizeof *order, by_start, plan);
        for (uint32_t k = 0; k < g->job->tasks; k++)
            g->hint[order[k]] = k;
        g->lower_bound_ns = plan->lower_bound_ns;
        g->bound_method = "job without what is held, shared or timed";
        g->source = plan->source;
        take_certificate(&g->certificate, &plan->certificate, BR_RELAX_MACHINES);
        g->placements += plan->placements;
    }
    br_free(order);
    br_plan_destroy(plan);
    return status;
}

/* Another bound, from all machines as one with what they share. */
static enum br_status bound_pool(struct general_plan *g)
{
    struct br_relaxed pool;
    struct br_bound_result result = {0};
    struct br_diag ignored = {0};
    struct br_bound_options options = br_bound_options_default();
    options.conflicts = 0;
    options.stop = &g->alarm.stop;
    options.time_limit_ns = (int64_t)(relaxed_share * (double)g->options.time_limit_ns);
    enum br_status status = br_relax(g->dag, g->cluster, BR_RELAX_POOL, &pool, &ignored);
    if (!status)
        status = br_bound_best(pool.dag, pool.cluster, &options, &result, &ignored);
    br_relaxed_finish(&pool);
    if (!status && result.lower_bound_ns > g->lower_bound_ns) {
        g->lower_bound_ns = result.lower_bound_ns;
        g->bound_method = "all machines as one, with what they share";
        take_certificate(&g->certificate, &result.certificate, BR_RELAX_POOL);
    }
    br_bound_result_finish(&result);
    return status == BR_SYSTEM ? br_fail_memory(g->diag) : BR_OK;
}

/* ---- Answers of no ---- */

static enum br_status refuse_storage(const struct general_plan *g)
{
    const struct br_general *job = g->job;
    const uint32_t stuck = g->stuck;
    char id[300] = "a task";
    if (stuck != UINT32_MAX)
        br_dag_task_id(g->dag, stuck, id, sizeof id);
    const char *resource = "storage";
    for (uint32_t r = 0; r < job->resources; r++)
        if (job->stored[r] && stuck != UINT32_MAX) {
            const size_t at = (size_t)job->task_stage[stuck] * job->resources + r;
            if (job->demand[at] || job->made[at] || job->late[at])
                resource = g->dag->resource[job->resource_origin[r]].name;
        }
    return br_fail(
        g->diag, BR_NO, "give the cluster more of it, or hold less",
        g->answer == BR_WITNESS_NONE || g->complete
            ? "there is no plan: in every order of the tasks, what is held leaves too "
              "little %.80s for %s or another task"
            : "no plan was found: in all orders that were tried, what is held leaves too "
              "little %.80s for %s or another task",
        resource, id);
}

/* What the relaxed job says about the end of the stage: the bound of all that leads up to it, with
 * it. 0: nothing. */
static int64_t bound_up_to(const struct br_relaxed *relaxed, uint32_t stage)
{
    struct br_instance *in, *part = NULL;
    int64_t bound_ns = 0;
    uint32_t count = 0;
    if (br_instance_create(relaxed->dag, relaxed->cluster, &in, NULL))
        return 0;
    bool *ahead = br_calloc(in->stages, sizeof *ahead);
    uint32_t *list = br_malloc(in->stages * sizeof *list);
    if (ahead && list) {
        ahead[stage] = true;
        for (uint32_t k = in->stages; k-- > 0;) {
            const uint32_t s = in->topological[k];
            for (uint32_t a = in->parent_first[s]; ahead[s] && a < in->parent_first[s + 1]; a++)
                ahead[in->parent[a].stage] = true;
        }
        for (uint32_t s = 0; s < in->stages; s++)
            if (ahead[s])
                list[count++] = s;
        part = br_instance_part(in, list, count);
    }
    if (part)
        bound_ns = br_bounds_best(part, INT64_MAX).ticks * in->tick_ns;
    br_instance_destroy(part);
    br_instance_destroy(in);
    br_free(ahead);
    br_free(list);
    return bound_ns;
}

/* Is it proven that not all tasks of the stage can be in time? Then it says so. */
static bool cannot_be_in_time(const struct general_plan *g, uint32_t stage)
{
    const struct br_stage *s = &g->dag->stage[stage];
    int64_t last = 0;
    for (uint32_t t = s->first_task; t < s->first_task + s->tasks; t++) {
        const int64_t deadline = br_dag_deadline(g->dag, t);
        last = deadline > last ? deadline : last;
    }
    const int64_t bound_ns = last == INT64_MAX ? 0 : bound_up_to(g->relaxed, stage);
    if (bound_ns <= last)
        return false;
    br_note_fault(g->diag, BR_NO, "give it more time, or the cluster more machines",
                  "there is no plan that keeps the deadline of stage %.200s at %s s: with all that "
                  "leads up to it, it takes at least %s s",
                  s->id, br_seconds(last).text, br_seconds(bound_ns).text);
    return true;
}

/* Names the first task that is late, or a stage that cannot be in time at all. */
static enum br_status refuse_late(const struct general_plan *g)
{
    const struct br_general *job = g->job;
    char id[300];
    uint32_t tried = 0, stage = UINT32_MAX;
    for (uint32_t t = 0; t < job->tasks && tried < late_tries; t++)
        if (g->best.start[t] + job->duration[t] > job->deadline[t] && job->task_stage[t] != stage) {
            stage = job->task_stage[t];
            if (cannot_be_in_time(g, stage))
                return BR_NO;
            tried++;
        }
    for (uint32_t t = 0; t < job->tasks; t++) {
        const int64_t end = g->best.start[t] + job->duration[t];
        if (end <= job->deadline[t])
            continue;
        br_dag_task_id(g->dag, t, id, sizeof id);
        return br_fail(g->diag, BR_NO, "give it more time, or the cluster more machines",
                       g->complete
                           ? "there is no plan that keeps all deadlines: that of task %s is "
                             "%s s, and in the best schedule that was found it ends at %s s"
                           : "no plan was found that keeps the deadline of task %s at %s s: "
                             "it ends at %s s",
                       id, br_seconds(job->deadline[t]).text, br_seconds(end).text);
    }
    return BR_OK;
}

static enum br_status refuse_unplaced(const struct general_plan *g)
{
    if (g->complete)
        return br_fail(g->diag, BR_NO, "give the job more time, or the cluster more",
                       "there is no plan: every schedule breaks a deadline, or never finds room "
                       "for some task");
    return br_fail(g->diag, BR_NO, "check the times at which machines are away or amounts change",
                   "no plan was found: some task never finds a machine that is there for as long "
                   "as it takes");
}

/* ---- The plan ---- */

static uint64_t placements_meant(const struct general_plan *g)
{
    const uint64_t n = g->job->tasks;
    if (g->options.placements)
        return g->options.placements;
    switch (br_effort_meant(&g->options)) {
    case BR_EFFORT_FAST:
        return fast_placements > fast_of_task * n ? fast_placements : fast_of_task * n;
    case BR_EFFORT_MAX:
        return UINT64_MAX;
    default:
        return default_placements > default_of_task * n ? default_placements : default_of_task * n;
    }
}

static void general_found(void *context, const struct br_general_schedule *schedule,
                          const char *finder, uint64_t placements)
{
    const struct general_plan *g = context;
    if (!g->options.found || schedule->late)
        return;
    const struct br_incumbent incumbent = {.elapsed_ns = br_now_ns() - g->began_ns,
                                           .parts = 1,
                                           .makespan_ns = schedule->makespan,
                                           .lower_bound_ns = g->lower_bound_ns,
                                           .finder = finder,
                                           .placements = g->placements + placements};
    g->options.found(g->options.found_context, &incumbent);
}

static enum br_status find_witness(struct general_plan *g)
{
    g->stuck = UINT32_MAX;
    g->answer = BR_WITNESS_FOUND;
    if (!g->job->any_stored)
        return BR_OK;
    g->witness.order = br_malloc(((size_t)g->job->tasks + 1) * sizeof *g->witness.order);
    g->witness.machine = br_malloc(((size_t)g->job->tasks + 1) * sizeof *g->witness.machine);
    if (!g->witness.order || !g->witness.machine)
        return br_fail_memory(g->diag);
    if (g->known) {
        memcpy(g->witness.order, g->known->order, g->job->tasks * sizeof *g->witness.order);
        memcpy(g->witness.machine, g->known->machine, g->job->tasks * sizeof *g->witness.machine);
        return BR_OK;
    }
    g->answer = br_witness_find(g->job, witness_work, &g->alarm.stop, &g->witness, &g->stuck);
    if (g->answer == BR_WITNESS_MEMORY)
        return br_fail_memory(g->diag);
    if (g->answer == BR_WITNESS_UNKNOWN && g->job->tasks <= BR_GENERAL_ENUMERATED)
        return BR_OK; /* all schedules can be looked at */
    return g->answer == BR_WITNESS_FOUND ? BR_OK : refuse_storage(g);
}

static bool is_met(const struct general_plan *g)
{
    return g->best.whole && !g->best.late && g->best.makespan <= g->lower_bound_ns;
}

/* Searches with so many placements, and takes what is better. */
static enum br_status search_more(struct general_plan *g, struct br_general_run *run,
                                  uint64_t placements)
{
    struct br_general_schedule found = {0};
    run->placements = placements;
    const bool ok = br_general_schedule_init(&found, g->job) && br_general_search(run, &found);
    if (ok && br_general_schedule_better(&found, &g->best)) {
        br_general_schedule_copy(g->job, &g->best, &found);
        g->finder = run->finder;
    }
    g->placements += run->spent;
    run->spent = 0;
    run->seed++;
    br_general_schedule_finish(&found);
    return ok ? BR_OK : br_fail_memory(g->diag);
}

static enum br_status look_at_all(struct general_plan *g)
{
    const enum br_effort effort = br_effort_meant(&g->options);
    struct br_general_enumeration all = {
        .job = g->job,
        .nodes = effort == BR_EFFORT_FAST  ? fast_nodes
                 : effort == BR_EFFORT_MAX ? max_nodes
                                           : default_nodes,
        .lower_bound = g->lower_bound_ns,
        .stop = &g->alarm.stop,
    };
    const int64_t before = g->best.whole && !g->best.late ? g->best.makespan : INT64_MAX;
    if (g->job->tasks > BR_GENERAL_ENUMERATED || is_met(g))
        return BR_OK;
    if (!br_general_enumerate(&all, &g->best))
        return br_fail_memory(g->diag);
    g->placements += all.looked;
    g->complete = all.complete;
    if (!g->best.whole || g->best.late)
        return BR_OK;
    if (g->best.makespan < before)
        g->finder = "all schedules";
    if (all.complete && g->best.makespan > g->lower_bound_ns) {
        g->lower_bound_ns = g->best.makespan;
        g->bound_method = "all schedules";
        br_certificate_destroy(g->certificate); /* which proves less */
        g->certificate = NULL;
    }
    return BR_OK;
}

/* The one schedule of the order that is given. */
static enum br_status follow_given(struct general_plan *g)
{
    uint32_t *place = br_dag_places(g->dag, g->options.order);
    struct br_reserve *reserve = g->job->any_stored ? br_reserve_create(g->job, &g->witness) : NULL;
    struct br_generator *generator =
        place && (reserve || !g->job->any_stored) ? br_generator_create(g->job, reserve) : NULL;
    const bool ok = generator && br_generator_run(generator, place, BR_TURNS_FREE, &g->best);
    g->placements += g->job->tasks;
    g->finder = br_method_given;
    br_generator_destroy(generator);
    br_reserve_destroy(reserve);
    br_free(place);
    return ok ? BR_OK : br_fail_memory(g->diag);
}

static enum br_status search_schedule(struct general_plan *g)
{
    const uint64_t placements = placements_meant(g);
    const bool small = g->job->tasks <= BR_GENERAL_ENUMERATED;
    struct br_general_run run = {
        .job = g->job,
        .witness = g->job->any_stored ? &g->witness : NULL,
        .hint = g->hint,
        .seed = g->options.seed,
        .lower_bound = g->lower_bound_ns,
        .stop = &g->alarm.stop,
        .found = general_found,
        .context = g,
    };
    enum br_status status = BR_OK;
    if (!br_general_schedule_init(&g->best, g->job))
        return br_fail_memory(g->diag);
    g->best.late = g->best.makespan = INT64_MAX;
    if (g->answer == BR_WITNESS_FOUND)
        status = g->options.order ? follow_given(g)
                                  : search_more(g, &run, small ? placements / 16 : placements);
    if (!status && !g->options.order)
        status = look_at_all(g);
    if (!status && small && !g->options.order && !g->complete && !is_met(g) &&
        g->answer == BR_WITNESS_FOUND)
        status = search_more(g, &run, placements);
    g->stopped = run.stopped;
    g->limited = !is_met(g) && !g->options.order && g->options.placements &&
                 g->placements >= g->options.placements;
    if (status)
        return status;
    if (!g->best.whole)
        return g->answer == BR_WITNESS_FOUND ? refuse_unplaced(g) : refuse_storage(g);
    return refuse_late(g);
}

static enum br_status general_put(struct general_plan *g, struct br_plan **made)
{
    const struct br_general *job = g->job;
    struct br_plan *plan = *made = br_plan_create(job->tasks);
    if (!plan || !(plan->part = br_arena_array(&plan->arena, 1, sizeof *plan->part)))
        return br_fail_memory(g->diag);
    memcpy(plan->start_ns, g->best.start, job->tasks * sizeof *plan->start_ns);
    memcpy(plan->machine, g->best.machine, job->tasks * sizeof *plan->machine);
    memset(plan->subset, 'S', job->tasks);
    plan->method = g->finder;
    plan->seed = g->options.seed;
    plan->lower_bound_ns =
        g->lower_bound_ns < g->best.makespan ? g->lower_bound_ns : g->best.makespan;
    plan->bound_method = g->bound_method;
    plan->source = g->source;
    if (!g->source.found && plan->lower_bound_ns < g->best.makespan &&
        strncmp(g->source.why, "not needed", strlen("not needed")) == 0)
        snprintf(plan->source.why, sizeof plan->source.why,
                 "not needed (the relaxed job's plan meets its bound)");
    plan->certificate = g->certificate;
    g->certificate = NULL;
    plan->placements = g->placements;
    plan->counters.jobs = 1;
    plan->counters.placements = plan->placements;
    if (g->stopped)
        plan->note = "the search was ended early";
    else if (g->limited)
        plan->note = "the limit of placements ended the search";
    plan->parts = 1;
    plan->part[0] = (struct br_plan_part){.stages = job->stages,
                                          .tasks = job->tasks,
                                          .method = g->finder,
                                          .makespan_ns = g->best.makespan,
                                          .lower_bound_ns = plan->lower_bound_ns,
                                          .bound_method = plan->bound_method};
    return br_plan_rank(plan, g->dag, g->diag);
}

static enum br_status plan_generally(struct general_plan *g, const struct br_relaxed *relaxed,
                                     struct br_plan **plan)
{
    g->relaxed = relaxed;
    enum br_status status = br_general_create(g->dag, g->cluster, &g->job, g->diag);
    if (!status)
        status = find_witness(g);
    if (!status)
        status = take_hint(g, relaxed);
    if (!status && g->options.bound != BR_PLAN_BOUND_NONE &&
        br_relax_pool_helps(g->dag, g->cluster))
        status = bound_pool(g);
    if (!status)
        status = search_schedule(g);
    return status ? status : general_put(g, plan);
}

static void general_finish(struct general_plan *g)
{
    br_general_schedule_finish(&g->best);
    br_certificate_destroy(g->certificate);
    br_free(g->hint);
    br_free(g->witness.order);
    br_free(g->witness.machine);
    br_general_destroy(g->job);
}

static enum br_status verify_made(const struct br_dag *dag, const struct br_cluster *cluster,
                                  const struct br_plan *plan, struct br_diag *diag)
{
    enum br_status status = br_plan_verify(plan, dag, cluster, 1, NULL, NULL, diag);
    if (status == BR_NO) { /* never returned as an answer: a plan that fails is our fault */
        status = BR_SYSTEM;
        if (diag)
            diag->status = status;
    }
    return status;
}

enum br_status br_general_plan(const struct br_dag *dag, const struct br_cluster *cluster,
                               const struct br_plan_options *options, struct br_plan **plan,
                               struct br_diag *diag)
{
    return br_general_plan_by(dag, cluster, options, NULL, plan, diag);
}

enum br_status br_general_plan_by(const struct br_dag *dag, const struct br_cluster *cluster,
                                  const struct br_plan_options *options,
                                  const struct br_witness *known, struct br_plan **plan,
                                  struct br_diag *diag)
{
    struct br_relaxed relaxed = {0};
    struct br_diag own = {0};
    struct general_plan g = {.dag = dag,
                             .cluster = cluster,
                             .options = options ? *options : br_plan_options_default(),
                             .began_ns = br_now_ns(),
                             .known = known,
                             .diag = diag ? diag : &own};
    struct br_method method;
    if (!br_method_find(g.options.method, &method))
        return br_make_plan(dag, cluster, options, plan, diag); /* which says so */
    if (g.options.objective != BR_OBJECTIVE_MAKESPAN)
        return br_features_refuse(dag, cluster, 0, "an objective other than the makespan", diag);
    enum br_status status = br_relax(dag, cluster, BR_RELAX_MACHINES, &relaxed, g.diag);
    if (!status && relaxed.exact && !g.options.order) {
        status = plan_exactly(dag, &relaxed, options, plan, g.diag);
    } else if (!status) {
        const int64_t limit = g.options.time_limit_ns;
        br_alarm_begin(&g.alarm, CLOCK_MONOTONIC,
                       limit > 0 ? br_clock_ns(CLOCK_MONOTONIC) + limit - limit / 20 : INT64_MAX,
                       g.options.stop);
        status = plan_generally(&g, &relaxed, plan);
        br_alarm_end(&g.alarm);
        general_finish(&g);
    }
    br_relaxed_finish(&relaxed);
    if (!status)
        status = verify_made(dag, cluster, *plan, diag);
    if (status) {
        br_plan_destroy(*plan);
        *plan = NULL;
    }
    return status;
}
