/* From a job and a cluster to a verified plan: the parts between cuts, each planned by the method
 * asked for, one after another on one time line. The planning runs in a thread of its own, and the
 * caller supervises it (watch.h). If there is nothing to look after, the caller plans itself: for a
 * small job a thread costs as much as a part of the search. */
#include <bigrocks/planner.h>

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/collections/memory.h"
#include "base/process/machine.h"
#include "base/process/parallel.h"
#include "base/process/clock.h"
#include "base/process/stop.h"
#include "planner/instance/part.h"
#include "planner/instance/plan.h"
#include "planner/model/task_order.h"
#include "planner/schedule/heuristic.h"
#include "planner/search/cycle.h"
#include "planner/search/make_plan.h"
#include "planner/search/mean.h"
#include "planner/search/method.h"
#include "planner/search/proving.h"
#include "planner/search/quiet_search.h"
#include "planner/search/search.h"
#include "planner/search/bound/source_bound.h"
#include "planner/search/bound/watch.h"

struct br_plan_options br_plan_options_default(void)
{
    return (struct br_plan_options){
        .method = "best",
        .effort = BR_EFFORT_AUTO,
        .seed = 1,
        .frag_score = BR_FRAG_BOUND,
        .threshold_limit = 16,
        .tolerance = BR_ROUNDING_TOLERANCE,
        .troublesome_limit = 1,
    };
}

/* The time, in nanoseconds, that the schedule by one heuristic takes for a task, as assumed for a
 * slow machine before any was made; and by which factor such a measure may be wrong. */
static const double task_ns = 400, doubt = 1.5;
static const int64_t least_reserve_ns = 200000;

/* The work spent on parts so far, from which the time for the rest is estimated. */
struct spent {
    uint64_t placements, heuristic_ns; /* the schedules by simple orders, made in that time */
    uint64_t proven_ns;                /* on bounds, and a quarter of what was on clauses */
};

/* One call of br_plan_make, shared between the planning thread and the supervisor. */
struct making {
    const struct br_dag *dag;
    const struct br_cluster *cluster;
    struct br_plan_options options;
    struct br_method method;
    uint32_t *place; /* in the order that is given; else NULL */
    struct br_plan *plan;
    struct br_diag diag;
    enum br_status status;
    struct br_watch watch;
    enum br_effort effort; /* the objective asked for; if it is not the makespan, the search for
                              makespans gets less */

    /* Used by the planning thread alone. */
    struct br_proving proving;
    uint32_t parts;
    uint32_t tasks, left; /* tasks of the job, and those in parts that have no schedule yet */
    struct spent planned; /* on the parts that have one */
};

/* One part while it is planned. It stays where it is: the search points into it. */
struct part_making {
    struct making *making;
    struct br_search search;
    struct br_instance few; /* the part with fewer machines, which the search plans on */
    struct br_quiet quiet;
    uint32_t number;
};

static void make_plan_on_step(void *context, double share)
{
    const struct part_making *part = context;
    br_watch_step(&part->making->watch, share);
}

/* Does the search go on from part to part once all have been planned? */
static bool make_plan_goes_on(const struct making *making)
{
    return making->options.effort == BR_EFFORT_MAX && making->method.kind == BR_METHOD_BEST;
}

static const struct br_stop *on_turn(void *context, double share)
{
    const struct part_making *part = context;
    return br_watch_turn(&part->making->watch, share);
}

static void add_spent(struct spent *spent, const struct br_counters *more)
{
    spent->placements += more->heuristic_placements;
    spent->heuristic_ns += more->heuristic_ns;
    spent->proven_ns += more->bound_ns + more->exact_ns / 4;
}

/* Keeps back from the time limit the time for the work that must still be done. Parts without a
 * schedule need one by a heuristic, at the time per task measured so far. The whole needs the
 * ranks, the longest path as a proof and the verification, together about as long again. The proof
 * of the bounds takes as long as they did, or a quarter of that for bounds by clauses. */
static void keep_back(struct making *making, const struct br_search *search)
{
    struct spent now = making->planned;
    if (making->options.time_limit_ns <= 0)
        return;
    if (search)
        add_spent(&now, &search->run.counters);
    double rate = now.placements ? (double)now.heuristic_ns / (double)now.placements : task_ns;
    double quick_ns = doubt * rate * ((double)making->left + making->tasks);
    br_watch_reserve(&making->watch, least_reserve_ns + (int64_t)quick_ns + (int64_t)now.proven_ns);
}

static void make_plan_on_found(void *context, int64_t makespan, const char *finder,
                               uint64_t placements)
{
    const struct part_making *part = context;
    struct br_plan *plan = part->making->plan;
    int64_t tick_ns = part->search.run.in->tick_ns;
    plan->counters.improvements++;
    keep_back(part->making, &part->search);
    br_watch_found(&part->making->watch, &(struct br_incumbent){
                                             .part = part->number,
                                             .parts = part->making->parts,
                                             .makespan_ns = makespan * tick_ns,
                                             .lower_bound_ns = part->search.bound.ticks * tick_ns,
                                             .finder = finder,
                                             .placements = placements,
                                         });
}

static bool make_plan_first_cycle(struct br_search *search)
{
    struct part_making *part = search->run.context;
    return br_quiet_suits(search) ? br_quiet_search(&part->quiet, search)
                                  : br_search_cycle(search, 0);
}

/* Copies a part's schedule into the plan, `offset` ticks after the start. */
static void make_plan_put_part(struct br_plan *plan, struct br_plan_part *out,
                               const struct br_search *search, int64_t offset)
{
    const struct br_instance *in = search->run.in;
    const struct br_schedule *best = br_search_best(search);
    for (uint32_t t = 0; t < in->tasks; t++) {
        uint32_t task = in->task_origin[t];
        plan->start_ns[task] = (offset + best->start[t]) * in->tick_ns;
        plan->machine[task] = br_instance_machine(in, search->origin, best->machine[t]);
        plan->subset[task] = best->subset[t];
    }
    *out = search->report;
    out->method = search->elite.entry[0].method;
    out->start_ns = offset * in->tick_ns;
    out->makespan_ns = best->makespan * in->tick_ns;
    out->lower_bound_ns = search->bound.ticks * in->tick_ns;
    out->bound_method = search->bound.method;
}

/* Sums up the makespans of the heuristics that were finished on all parts. */
static bool add_trials(struct br_plan *plan, const int64_t *trial, uint32_t rows, int64_t tick_ns)
{
    plan->trial = br_arena_array(&plan->arena, rows + 1, sizeof *plan->trial);
    if (!plan->trial)
        return false;
    for (uint32_t row = 0; row < rows; row++)
        if (trial[row] != INT64_MAX)
            plan->trial[plan->trials++] =
                (struct br_plan_trial){br_heuristic_at(row)->named.name, trial[row] * tick_ns};
    return true;
}

/* Does the clock alone limit effort max? Then plans may differ from run to run, and turns by the
 * clock make sure that all parts, and all quick methods on them, get a result. */
static bool by_clock(const struct making *making)
{
    const struct br_plan_options *o = &making->options;
    return make_plan_goes_on(making) && o->time_limit_ns > 0 && !o->placements;
}

/* The share of a part among the parts from it on that are still open. */
static double share_of_open(struct part_making *const *kept, uint32_t parts, uint32_t k)
{
    double sum = 0;
    for (uint32_t j = k; j < parts; j++)
        if (kept[j] && !br_search_done(&kept[j]->search))
            sum += kept[j]->search.run.share;
    return sum > 0 ? kept[k]->search.run.share / sum : 1;
}

/* Effort max: goes round the parts that are kept, longer in every cycle, until each has reached its
 * bound or something ends the search. */
static bool search_on(struct making *making, struct part_making *const *kept, uint32_t parts,
                      bool *cut)
{
    struct br_plan *plan = making->plan;
    uint64_t limit = making->options.placements;
    bool ok = true, open = true, ended = false;
    for (uint32_t cycle = by_clock(making) ? 0 : 1; ok && open && !ended; cycle++) {
        open = false;
        for (uint32_t k = 0; ok && !ended && k < parts; k++) {
            if (!kept[k] || br_search_done(&kept[k]->search))
                continue;
            struct br_search *search = &kept[k]->search;
            open = true;
            ended = br_stopped(&making->watch.stop) || (limit && plan->placements >= limit);
            if (ended)
                break;
            plan->placements -= search->run.spent;
            search->run.before = plan->placements;
            search->run.placements = limit ? limit - plan->placements : 0;
            search->turn_share = parts > 1 ? share_of_open(kept, parts, k) : 1;
            search->cut = false;
            ok = br_search_on(search, cycle);
            plan->placements += search->run.spent;
            ended = search->cut;
        }
    }
    *cut |= ended;
    return ok;
}

/* Copies the parts one after another, as the last cycle left them. False when memory is out. */
static bool put_again(struct br_plan *plan, const struct br_parts *parts,
                      struct part_making *const *kept)
{
    int64_t offset = 0;
    for (uint32_t k = 0; k < parts->count; k++) {
        struct br_plan_part *out = &plan->part[k];
        const struct br_instance *in = parts->part[k];
        int64_t shift = offset * in->tick_ns - out->start_ns;
        if (kept[k]) {
            if (!br_search_settle(&kept[k]->search))
                return false;
            make_plan_put_part(plan, out, &kept[k]->search, offset);
        } else {
            for (uint32_t t = 0; t < in->tasks; t++)
                plan->start_ns[in->task_origin[t]] += shift;
            out->start_ns += shift;
        }
        offset += out->makespan_ns / in->tick_ns;
    }
    return true;
}

/* Plans one part and copies it into the plan, `offset` ticks after the start. */
static bool make_part(struct part_making *part, const struct br_parts *parts, uint32_t k,
                      int64_t *trial, int64_t offset)
{
    struct making *making = part->making;
    struct br_plan *plan = making->plan;
    const double all = making->tasks, begins = (all - making->left) / all;
    const double share = parts->part[k]->tasks / all;
    const bool fewer = br_instance_few(&part->few, parts->part[k]);
    part->number = k;
    part->search = (struct br_search){
        .run = {.in = fewer ? &part->few : parts->part[k],
                .seed = making->options.seed,
                .threads = making->options.threads,
                .placements = making->options.placements,
                .stop = &making->watch.stop,
                .found = make_plan_on_found,
                .step = make_plan_on_step,
                .context = part,
                .before = plan->placements,
                .begins = begins,
                .share = share},
        .origin = parts->part[k],
        .options = &making->options,
        .method = making->method,
        .place = making->place,
        .arena = &plan->arena,
        .trial = trial,
        .turn = by_clock(making) ? on_turn : NULL,
        .first_cycle = make_plan_first_cycle,
        .turn_share = begins + share < 1 ? share / (1 - begins) : 1,
    };
    if (!br_search_part(&part->search))
        return false;
    bool later = make_plan_goes_on(making) && !br_search_done(&part->search);
    if (!later && !br_search_settle(&part->search))
        return false;
    plan->placements += part->search.run.spent;
    make_plan_put_part(plan, &plan->part[k], &part->search, offset);
    making->left -= parts->part[k]->tasks;
    add_spent(&making->planned, &part->search.run.counters);
    keep_back(making, NULL);
    return true;
}

/* Names the plan by the method of its parts. A part that needed no search counts only if no part
 * needed one. */
static void name_plan(struct br_plan *plan, const char *asked)
{
    const struct br_plan_part *main_part = NULL;
    bool mixed = false;
    for (uint32_t k = 0; k < plan->parts; k++) {
        const struct br_plan_part *made = &plan->part[k];
        if (!main_part || (main_part->bypass && !made->bypass))
            main_part = made;
        else if (!made->bypass)
            mixed |= strcmp(made->method, main_part->method) != 0;
    }
    assert(main_part); /* a plan has at least one part */
    plan->method = mixed ? asked : main_part->method;
}

static void finish_part(struct part_making *part)
{
    if (!part)
        return;
    br_search_finish(&part->search);
    br_quiet_finish(&part->quiet);
    br_instance_few_finish(&part->few, part->search.origin);
    br_free(part);
}

/* Plans all parts, one after another. Those that the search is to go on from are kept. */
static bool make_first(struct making *making, const struct br_parts *parts,
                       struct part_making **kept, int64_t *trial, bool *cut)
{
    struct br_plan *plan = making->plan;
    const uint32_t rows = br_search_rows();
    int64_t *part_trial = br_calloc((size_t)rows + 1, sizeof *part_trial), offset = 0;
    bool ok = part_trial != NULL;
    for (; ok && plan->parts < parts->count; plan->parts++) {
        struct part_making *part = br_calloc(1, sizeof *part);
        if (!part) {
            ok = false;
            break;
        }
        part->making = making;
        for (uint32_t row = 0; row < rows; row++)
            part_trial[row] = INT64_MAX;
        ok = make_part(part, parts, plan->parts, part_trial, offset);
        if (ok) {
            offset += br_search_best(&part->search)->makespan;
            making->proving.bounds.part[plan->parts] = part->search.combinatorial;
            *cut |= part->search.cut;
        }
        for (uint32_t row = 0; row < rows; row++)
            trial[row] = trial[row] == INT64_MAX || part_trial[row] == INT64_MAX
                             ? INT64_MAX
                             : trial[row] + part_trial[row];
        if (ok && kept && !br_search_done(&part->search)) {
            kept[plan->parts] = part;
            continue;
        }
        br_proving_take(&making->proving, parts, plan->parts, &part->search);
        if (part->quiet.in)
            br_proving_take_rounded(&making->proving, parts, plan->parts, &part->search,
                                    &part->quiet.search);
        br_search_count(&part->search, &plan->counters);
        finish_part(part);
    }
    br_free(part_trial);
    return ok;
}

/* Searches on, and puts the plan together again. */
static bool make_again(struct making *making, const struct br_parts *parts,
                       struct part_making **kept, bool *cut)
{
    if (!search_on(making, kept, parts->count, cut) || !put_again(making->plan, parts, kept))
        return false;
    for (uint32_t k = 0; k < parts->count; k++)
        if (kept[k]) {
            br_proving_take(&making->proving, parts, k, &kept[k]->search);
            br_search_count(&kept[k]->search, &making->plan->counters);
        }
    return true;
}

static bool make_parts(struct making *making, const struct br_parts *parts)
{
    struct br_plan *plan = making->plan;
    const struct br_plan_options *o = &making->options;
    const uint32_t rows = br_search_rows();
    int64_t *trial = br_calloc((size_t)rows + 1, sizeof *trial);
    const bool on = make_plan_goes_on(making);
    bool cut = false;
    struct part_making **kept =
        on ? br_calloc(parts->count, sizeof *kept) : NULL; /* the open ones */
    making->parts = parts->count;
    plan->part = br_arena_array(&plan->arena, parts->count, sizeof *plan->part);
    making->proving.dag = making->dag;
    making->proving.watch = &making->watch;
    bool ok = br_proving_init(&making->proving, parts->count) && trial && plan->part &&
              (kept || !on) && make_first(making, parts, kept, trial, &cut);
    if (ok && on)
        ok = make_again(making, parts, kept, &cut);
    ok = ok && br_proving_sum_up(&making->proving, parts, plan);
    if (ok) {
        name_plan(plan, o->method);
        if (cut)
            plan->note = o->placements && !br_stopped(&making->watch.stop)
                             ? "the limit of placements ended the search"
                             : "the search was ended early";
        ok = add_trials(plan, trial, rows, parts->whole->tick_ns);
    }
    for (uint32_t k = 0; kept && k < parts->count; k++)
        finish_part(kept[k]);
    br_free(kept);
    br_free(trial);
    return ok;
}

static enum br_status plan_make(struct making *making)
{
    struct br_instance *in = NULL;
    struct br_parts parts = {0};
    struct br_diag *diag = &making->diag;
    enum br_status status = br_instance_create(making->dag, making->cluster, &in, diag);
    if (status)
        return status;
    status = br_parts_create(in, &parts, diag);
    if (status)
        goto out;
    if (making->options.order) {
        making->place = br_dag_places(making->dag, making->options.order);
        if (!making->place) {
            status = br_fail_memory(diag);
            goto out;
        }
    }
    making->tasks = making->left = in->tasks;
    keep_back(making, NULL);
    making->plan = br_plan_create(in->tasks);
    if (!making->plan || !make_parts(making, &parts)) {
        status = br_fail_memory(diag);
        goto out;
    }
    if (making->method.kind == BR_METHOD_BEST)
        status = br_mean_improve(&(struct br_mean){.plan = making->plan,
                                                   .dag = making->dag,
                                                   .in = in,
                                                   .options = &making->options,
                                                   .effort = making->effort,
                                                   .stop = &making->watch.stop},
                                 diag);
    if (status)
        goto out;
    making->plan->seed = making->options.seed;
    making->plan->method = br_arena_text(&making->plan->arena, making->plan->method);
    if (!making->plan->method)
        status = br_fail_memory(diag);
    else
        status = br_plan_rank(making->plan, making->dag, diag);
    int64_t began_ns = br_now_ns();
    if (!status && making->options.bound != BR_PLAN_BOUND_NONE)
        br_proving_prove(&making->proving, in, &parts, making->plan);
    int64_t proven_ns = br_now_ns();
    if (!status) {
        br_parts_finish(&parts); /* before the verification needs memory */
        br_instance_destroy(in);
        in = NULL;
        status = br_plan_verify(making->plan, making->dag, making->cluster, 1, NULL, NULL, diag);
        if (status == BR_NO) /* never returned as an answer: a plan that fails is our fault */
            status = diag->status = BR_SYSTEM;
        struct br_counters *counters = &making->plan->counters;
        counters->jobs = 1;
        counters->placements = making->plan->placements;
        counters->proof_ns = (uint64_t)(proven_ns - began_ns);
        counters->verify_ns = (uint64_t)(br_now_ns() - proven_ns);
    }
out:
    br_free(making->place);
    br_proving_finish(&making->proving);
    br_parts_finish(&parts);
    br_instance_destroy(in);
    return status;
}

/* One set of threads serves all searches on all parts. */
static enum br_status make_with_crew(struct making *making)
{
    struct br_crew *crew = making->options.threads > 1 ? br_crew_enter() : NULL;
    enum br_status status = plan_make(making);
    br_crew_leave(crew);
    return status;
}

static void *make_thread(void *argument)
{
    struct making *making = argument;
    making->status = make_with_crew(making);
    br_watch_end(&making->watch);
    return NULL;
}

enum br_status br_make_plan(const struct br_dag *dag, const struct br_cluster *cluster,
                            const struct br_plan_options *options, struct br_plan **plan,
                            struct br_diag *diag)
{
    struct making making = {
        .dag = dag, .cluster = cluster, .options = options ? *options : br_plan_options_default()};
    struct br_plan_options *o = &making.options;
    struct br_beside room, *beside = NULL;
    pthread_t thread;
    *plan = NULL;
    if (!br_method_find(o->method, &making.method))
        return br_fail_unnamed(diag, &br_methods, o->method, SIZE_MAX, "there is no method '%s'",
                               o->method);
    if (!o->method)
        o->method = br_method_name(0);
    if (o->order) {
        making.method = (struct br_method){.kind = BR_METHOD_GIVEN};
        o->method = br_method_given;
    }
    if (o->objective != BR_OBJECTIVE_MAKESPAN && making.method.kind != BR_METHOD_BEST)
        return br_fail(diag, BR_USAGE, "take method best, or the objective makespan",
                       "method %s knows the objective makespan alone", o->method);
    making.effort = o->effort = br_effort_meant(o);
    if (o->objective != BR_OBJECTIVE_MAKESPAN)
        o->effort = BR_EFFORT_FAST;
    o->bound = br_plan_bound_meant(o, &making.method);
    if (o->threads != 1) {
        struct br_machine machine;
        br_machine_ask(&machine);
        o->threads = br_threads_meant(o, machine.processors);
    }
    br_watch_init(&making.watch, o);
    bool supervised = br_watch_needed(o);
    int error = supervised ? pthread_create(&thread, NULL, make_thread, &making) : 0;
    if (error == 0) {
        if (supervised) {
            beside = br_source_bound_begin(&room, dag, cluster, o);
            br_watch_run(&making.watch, beside);
            pthread_join(thread, NULL);
        } else {
            making.status = make_with_crew(&making);
        }
        if (!making.status && making.watch.timed_out && making.plan->note)
            making.plan->note =
                making.plan->note == br_proving_no_time
                    ? "the time limit ended the search, and left no time to prove the bound"
                    : "the time limit ended the search";
        int64_t found_ns = br_now_ns();
        enum br_status tightened = br_source_bound_end(
            beside, &making.watch, making.status ? NULL : making.plan, &making.diag);
        if (!making.status)
            making.status = tightened;
        if (!making.status)
            making.plan->counters.lp_ns = (uint64_t)(br_now_ns() - found_ns);
        if (making.status && diag)
            *diag = making.diag;
    } else {
        making.status = br_fail(diag, BR_SYSTEM, "allow the process more threads or memory",
                                "cannot start the planning thread: %s", strerror(error));
    }
    br_watch_finish(&making.watch);
    if (making.status)
        br_plan_destroy(making.plan);
    else
        *plan = making.plan;
    return making.status;
}
