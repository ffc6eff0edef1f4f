/* Every part gets a schedule, in the order in which they run. Effort max then goes on from part to
 * part. With effort fast large parts are planned side by side before, since one alone leaves
 * threads idle: its lists of work are short. */
#include "planner/search/plan_parts.h"

#include <string.h>

#include "base/collections/grow.h"
#include "base/collections/memory.h"
#include "base/invariant.h"
#include "base/process/parallel.h"
#include "base/process/stop.h"
#include "planner/schedule/heuristic.h"
#include "planner/search/cycle.h"
#include "planner/search/quiet_search.h"
#include "planner/search/search.h"

/* The time, in nanoseconds, that the schedule by one heuristic takes for a task, as assumed for a
 * slow machine before any was made; and by which factor such a measure may be wrong. */
static const double task_ns = 400, doubt = 1.5;
static const int64_t least_reserve_ns = 200000;

/* What was found while others are told about. */
struct found {
    int64_t makespan, bound;
    const char *finder;
    uint64_t placements;
};

/* One part while it is planned. It stays where it is: the search points into it. */
struct part_making {
    struct br_plan_making *making;
    struct br_search search;
    struct br_instance few; /* the part with fewer machines, which the search plans on */
    struct br_quiet quiet;
    uint32_t number;
    bool beside;  /* it is planned beside others, and tells nothing until its turn comes */
    bool planned; /* that has ended well */
    struct found *held;
    uint32_t holds, room;
    bool memory_out; /* something could not be held */
    int64_t trial[]; /* by heuristic */
};

static void make_plan_on_step(void *context, double share)
{
    const struct part_making *part = context;
    if (!part->beside)
        br_watch_step(&part->making->watch, share);
}

/* Does the search go on from part to part once all have been planned? */
static bool make_plan_goes_on(const struct br_plan_making *making)
{
    return making->options.effort == BR_EFFORT_MAX && making->method.kind == BR_METHOD_BEST;
}

static const struct br_stop *on_turn(void *context, double share)
{
    const struct part_making *part = context;
    return br_watch_turn(&part->making->watch, share);
}

static void add_spent(struct br_plan_spent *spent, const struct br_counters *more)
{
    spent->placements += more->heuristic_placements;
    spent->heuristic_ns += more->heuristic_ns;
    spent->proven_ns += more->bound_ns + more->exact_ns / 4;
}

/* Keeps back from the time limit the time for the work that must still be done. Parts without a
 * schedule need one by a heuristic, at the time per task measured so far. The whole needs the
 * ranks, the longest path as a proof and the verification, together about as long again. The proof
 * of the bounds takes as long as they did, or a quarter of that for bounds by clauses. */
static void keep_back(struct br_plan_making *making, const struct br_search *search)
{
    struct br_plan_spent now = making->planned;
    if (making->options.time_limit_ns <= 0)
        return;
    if (search)
        add_spent(&now, &search->run.counters);
    double rate = now.placements ? (double)now.heuristic_ns / (double)now.placements : task_ns;
    double quick_ns = doubt * rate * ((double)making->left + making->tasks);
    br_watch_reserve(&making->watch, least_reserve_ns + (int64_t)quick_ns + (int64_t)now.proven_ns);
}

/* Tells of a schedule of the part. */
static void tell_found(struct part_making *part, const struct found *found)
{
    struct br_plan_making *making = part->making;
    const int64_t tick_ns = part->search.run.in->tick_ns;
    making->plan->counters.improvements++;
    keep_back(making, &part->search);
    br_watch_found(&making->watch, &(struct br_incumbent){
                                       .part = part->number,
                                       .parts = making->parts,
                                       .makespan_ns = found->makespan * tick_ns,
                                       .lower_bound_ns = found->bound * tick_ns,
                                       .finder = found->finder,
                                       .placements = found->placements,
                                   });
}

static void make_plan_on_found(void *context, int64_t makespan, const char *finder,
                               uint64_t placements)
{
    struct part_making *part = context;
    const struct found found = {makespan, part->search.bound.ticks, finder, placements};
    if (!part->beside)
        tell_found(part, &found);
    else if (br_grow(&part->held, part->holds, &part->room, sizeof *part->held))
        part->held[part->holds++] = found;
    else
        part->memory_out = true;
}

/* Tells what a part has found beside others, now that those before it have their plans. */
static void tell_held(struct part_making *part)
{
    for (uint32_t k = 0; k < part->holds; k++) {
        part->held[k].placements += part->making->plan->placements;
        tell_found(part, &part->held[k]);
    }
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
static bool by_clock(const struct br_plan_making *making)
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
static bool search_on(struct br_plan_making *making, struct part_making *const *kept,
                      uint32_t parts, bool *cut)
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

/* A part before its search, with so many tasks in the parts before it. NULL when memory is out. */
static struct part_making *begin_part(struct br_plan_making *making, const struct br_parts *parts,
                                      uint32_t k, uint32_t before)
{
    const uint32_t rows = br_search_rows();
    struct part_making *part = br_calloc(1, sizeof *part + rows * sizeof part->trial[0]);
    if (!part)
        return NULL;
    const double all = making->tasks, begins = before / all, share = parts->part[k]->tasks / all;
    const bool fewer = br_instance_few(&part->few, parts->part[k]);
    part->making = making;
    part->number = k;
    for (uint32_t row = 0; row < rows; row++)
        part->trial[row] = INT64_MAX;
    part->search = (struct br_search){
        .run = {.in = fewer ? &part->few : parts->part[k],
                .seed = making->options.seed,
                .threads = making->options.threads,
                .placements = making->options.placements,
                .stop = &making->watch.stop,
                .found = make_plan_on_found,
                .step = make_plan_on_step,
                .context = part,
                .before = making->plan->placements,
                .begins = begins,
                .share = share},
        .origin = parts->part[k],
        .options = &making->options,
        .method = making->method,
        .place = making->place,
        .arena = &making->plan->arena,
        .trial = part->trial,
        .turn = by_clock(making) ? on_turn : NULL,
        .first_cycle = make_plan_first_cycle,
        .turn_share = begins + share < 1 ? share / (1 - begins) : 1,
    };
    return part;
}

/* Plans one part, if that was not done, and copies it into the plan, `offset` ticks after the
 * start. False when memory is out. */
static bool make_part(struct part_making *part, const struct br_parts *parts, int64_t offset)
{
    struct br_plan_making *making = part->making;
    struct br_plan *plan = making->plan;
    const uint32_t k = part->number;
    tell_held(part);
    if (!part->planned && !br_search_part(&part->search))
        return false;
    bool later = make_plan_goes_on(making) && !br_search_done(&part->search);
    if (!part->planned && !later && !br_search_settle(&part->search))
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
    br_free(part->held);
    br_free(part);
}

/* Large parts that are planned side by side. */
struct beside {
    struct part_making **part; /* by number; NULL: not one of them */
    uint32_t *order;           /* their numbers, the largest first */
    uint32_t count;
};

/* Each part has the limit of placements for itself, so only the clock is shared. */
static bool suits_beside(const struct br_plan_making *making)
{
    const struct br_plan_options *o = &making->options;
    return o->threads > 1 && o->effort == BR_EFFORT_FAST && o->time_limit_ns <= 0 &&
           making->method.kind == BR_METHOD_BEST;
}

static bool plan_beside(void *context, uint32_t worker, uint32_t index)
{
    const struct beside *beside = context;
    struct part_making *part = beside->part[beside->order[index]];
    part->planned = br_search_part(&part->search) && br_search_settle(&part->search);
    return part->planned && !part->memory_out;
}

/* Plans the large parts side by side if there are several. False when memory is out. */
static bool make_beside(struct br_plan_making *making, const struct br_parts *parts,
                        struct beside *beside)
{
    beside->order = br_calloc(parts->count, sizeof *beside->order);
    if (!beside->order)
        return false;
    for (uint32_t k = 0; k < parts->count; k++) {
        if (!br_search_is_large(parts->part[k]))
            continue;
        uint32_t at = beside->count++;
        for (; at && parts->part[beside->order[at - 1]]->tasks < parts->part[k]->tasks; at--)
            beside->order[at] = beside->order[at - 1];
        beside->order[at] = k;
    }
    if (beside->count < 2)
        return true;
    beside->part = br_calloc(parts->count, sizeof *beside->part);
    for (uint32_t k = 0, before = 0; beside->part && k < parts->count; k++) {
        if (br_search_is_large(parts->part[k])) {
            beside->part[k] = begin_part(making, parts, k, before);
            if (!beside->part[k])
                return false;
            beside->part[k]->beside = true;
        }
        before += parts->part[k]->tasks;
    }
    if (!beside->part)
        return false;
    br_parallel(making->options.threads, beside->count, plan_beside, beside);
    for (uint32_t k = 0; k < beside->count; k++) {
        const struct part_making *part = beside->part[beside->order[k]];
        if (!part->planned || part->memory_out)
            return false;
    }
    return true;
}

/* Plans all parts, one after another, but for those that have been. Those that the search is to go
 * on from are kept. */
static bool make_each(struct br_plan_making *making, const struct br_parts *parts,
                      struct part_making **kept, int64_t *trial, bool *cut, struct beside *beside)
{
    struct br_plan *plan = making->plan;
    const uint32_t rows = br_search_rows();
    int64_t offset = 0;
    for (; plan->parts < parts->count; plan->parts++) {
        const uint32_t k = plan->parts;
        struct part_making *part = beside->part ? beside->part[k] : NULL;
        if (part)
            beside->part[k] = NULL;
        else
            part = begin_part(making, parts, k, making->tasks - making->left);
        if (!part || !make_part(part, parts, offset)) {
            finish_part(part);
            return false;
        }
        offset += br_search_best(&part->search)->makespan;
        making->proving.bounds.part[k] = part->search.combinatorial;
        *cut |= part->search.cut;
        for (uint32_t row = 0; row < rows; row++)
            trial[row] = trial[row] == INT64_MAX || part->trial[row] == INT64_MAX
                             ? INT64_MAX
                             : trial[row] + part->trial[row];
        if (kept && !br_search_done(&part->search)) {
            kept[k] = part;
            continue;
        }
        br_proving_take(&making->proving, parts, k, &part->search);
        if (part->quiet.in)
            br_proving_take_rounded(&making->proving, parts, k, &part->search, &part->quiet.search);
        br_search_count(&part->search, &plan->counters);
        finish_part(part);
    }
    return true;
}

static bool make_first(struct br_plan_making *making, const struct br_parts *parts,
                       struct part_making **kept, int64_t *trial, bool *cut)
{
    struct beside beside = {0};
    bool ok = !suits_beside(making) || make_beside(making, parts, &beside);
    ok = ok && make_each(making, parts, kept, trial, cut, &beside);
    for (uint32_t k = 0; beside.part && k < parts->count; k++)
        finish_part(beside.part[k]);
    br_free(beside.part);
    br_free(beside.order);
    return ok;
}

/* Searches on, and puts the plan together again. */
static bool make_again(struct br_plan_making *making, const struct br_parts *parts,
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

void br_plan_parts_keep_back(struct br_plan_making *making)
{
    keep_back(making, NULL);
}

bool br_plan_parts_make(struct br_plan_making *making, const struct br_parts *parts)
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
