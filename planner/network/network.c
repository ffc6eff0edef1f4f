/* From a plan that ignores transfers to one that accounts for them.
 *
 * Courses (a machine for every task, and an order) are carried out in virtual time with their
 * transfers, and the shortest one becomes the plan: that of the plan at hand, lists made with
 * transfers in mind on one machine, two, four and so on, those of published rules, and then random
 * changes of the best. A plan by one of these rules becomes that of the rule with transfers alone.
 */
#include "planner/network/network.h"

#include <stdio.h>
#include <string.h>

#include "base/collections/memory.h"
#include "base/collections/sort.h"
#include "base/numbers/rng.h"
#include "base/process/stop.h"
#include "planner/instance/plan.h"
#include "planner/network/bound.h"
#include "planner/network/haul.h"
#include "planner/network/list.h"
#include "planner/network/published.h"

const char br_network_ignored[] = "transfers ignored";
const char br_network_ignored_fair[] = "transfers ignored, fair shares";
const char br_network_fair[] = "this plan, fair shares";

/* Steps of haul.h that the search may take, by effort; and tasks times machines up to which lists
 * are made, and those of published rules beside others. */
static const uint64_t steps_default = 40000000, steps_most = 1000000000, list_most = 200000000;
static const uint64_t published_most = 1000000;

struct course {
    uint32_t *machine, *sequence;
    bool strict;
    enum br_sharing sharing;
    int64_t makespan_ns;
};

struct planning {
    struct br_network_job job;
    struct br_haul haul;
    struct br_arena arena;
    const struct br_stop *stop;
    struct course best, trial;
    uint64_t steps; /* that may be taken */
    enum br_status status;
};

/* The length of the course; BR_NETWORK_NEVER if it is not below the limit. */
static int64_t planner_network_measure(struct planning *p, const struct course *course, bool record,
                                       int64_t limit_ns)
{
    const struct br_haul_course follow = {.machine = course->machine,
                                          .sequence = course->sequence,
                                          .strict = course->strict,
                                          .sharing = course->sharing,
                                          .record = record,
                                          .limit_ns = limit_ns};
    enum br_status status = p->status ? p->status : br_haul_run(&p->haul, &follow);
    if (status == BR_SYSTEM)
        p->status = status;
    return status ? BR_NETWORK_NEVER : p->haul.makespan_ns;
}

static void planner_network_copy(struct planning *p, struct course *to, const struct course *from)
{
    size_t size = p->job.dag->tasks * sizeof *to->machine;
    memcpy(to->machine, from->machine, size);
    memcpy(to->sequence, from->sequence, size);
    to->strict = from->strict;
    to->sharing = from->sharing;
    to->makespan_ns = from->makespan_ns;
}

/* Keeps the trial, with and without overtaking, if it is shorter than the best. Returns the lesser
 * of both makespans. */
static int64_t try_both(struct planning *p, enum br_sharing sharing)
{
    int64_t least_ns = BR_NETWORK_NEVER;
    p->trial.sharing = sharing;
    for (int strict = 1; strict >= 0; strict--) {
        p->trial.strict = strict;
        p->trial.makespan_ns = planner_network_measure(p, &p->trial, false, BR_NETWORK_NEVER);
        if (p->trial.makespan_ns < p->best.makespan_ns)
            planner_network_copy(p, &p->best, &p->trial);
        if (p->trial.makespan_ns < least_ns)
            least_ns = p->trial.makespan_ns;
    }
    return least_ns;
}

/* Tries both for every way to share ports that makes good plans. */
static void try_all(struct planning *p)
{
    try_both(p, BR_SHARE_PLAN);
    try_both(p, BR_SHARE_SEBF);
    try_both(p, BR_SHARE_FAIR);
}

/* Lists on one machine, two, four and so on up to all of them, with transfers at different weights.
 */
static void try_lists(struct planning *p)
{
    static const double weight[] = {0, 1, 2};
    uint32_t all = p->job.cluster->machines;
    uint64_t once = (uint64_t)p->job.dag->tasks * all;
    for (uint32_t machines = 1; !p->status && !br_stopped(p->stop);
         machines = machines < all / 2 ? 2 * machines : all) {
        for (size_t k = 0; k < sizeof weight / sizeof *weight && once < list_most; k++) {
            const struct br_network_rule rule = {machines, weight[k]};
            if (!br_network_list(&p->job, &rule, p->trial.machine, p->trial.sequence))
                p->status = BR_SYSTEM;
            else
                try_all(p);
        }
        if (machines == all)
            break;
    }
}

/* Gives some tasks another machine. False if there is no other. */
static bool planner_network_change(struct planning *p, struct br_rng *rng)
{
    const struct br_dag *dag = p->job.dag;
    uint32_t *machine = p->trial.machine;
    uint32_t task = (uint32_t)br_rng_below(rng, dag->tasks), from = machine[task];
    uint32_t kind = (uint32_t)br_rng_below(rng, 10);
    uint32_t s = p->job.in->task_stage[task], other = (uint32_t)br_rng_below(rng, dag->tasks);
    /* A machine on which something runs already, or any. */
    uint32_t to = br_rng_below(rng, 2) ? machine[other]
                                       : (uint32_t)br_rng_below(rng, p->job.cluster->machines);
    const struct br_stage *stage = &dag->stage[s];
    if (to == from || !br_network_holds(&p->job, to, s))
        return false;
    if (kind < 5) {
        machine[task] = to;
    } else if (kind < 7) { /* the stage's tasks of one machine */
        for (uint32_t t = stage->first_task; t < stage->first_task + stage->tasks; t++)
            if (machine[t] == from)
                machine[t] = to;
    } else if (kind < 8) { /* the whole stage */
        for (uint32_t t = stage->first_task; t < stage->first_task + stage->tasks; t++)
            machine[t] = to;
    } else { /* with a task that is there */
        if (machine[other] != to || !br_network_holds(&p->job, from, p->job.in->task_stage[other]))
            return false;
        machine[task] = to;
        machine[other] = from;
    }
    return true;
}

/* Changes the best course; a change is kept if it makes the course no longer. */
static void planner_network_improve(struct planning *p, uint64_t seed)
{
    struct br_rng rng = br_rng_seed(seed);
    uint64_t until = p->haul.work + p->steps;
    planner_network_copy(p, &p->trial, &p->best);
    while (!p->status && p->haul.work < until && !br_stopped(p->stop)) {
        p->haul.work += 50; /* so that it also ends if nothing can be changed */
        uint32_t changes = 1 + (uint32_t)br_rng_below(&rng, 3);
        bool changed = br_rng_below(&rng, 8) == 0;
        p->trial.sharing =
            changed ? (enum br_sharing)br_rng_below(&rng, BR_SHARINGS) : p->best.sharing;
        while (changes--)
            changed |= planner_network_change(p, &rng);
        if (!changed)
            continue;
        int64_t ns = planner_network_measure(p, &p->trial, false, p->best.makespan_ns + 1);
        if (ns > p->best.makespan_ns) {
            memcpy(p->trial.machine, p->best.machine, p->job.dag->tasks * sizeof *p->trial.machine);
            continue;
        }
        p->trial.makespan_ns = ns;
        planner_network_copy(p, &p->best, &p->trial);
    }
}

struct listed {
    int64_t start_ns;
    uint32_t wire, moved; /* moved: of its first piece */
};

static int by_wire_and_time(const void *a, const void *b)
{
    const struct br_moved *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

static int by_start(const void *a, const void *b)
{
    const struct listed *x = a, *y = b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return x->wire < y->wire ? -1 : x->wire > y->wire; /* as edge, index and machines, about */
}

/* Turns the moved data into the plan's transfers, in the arena of the planning. */
static bool take_transfers(struct planning *p, struct br_transfers *carried)
{
    const struct br_flows *flows = &p->haul.flows;
    const struct br_wiring *w = &p->haul.supply.wiring;
    struct listed *list = br_malloc(((size_t)flows->moves + 1) * sizeof *list);
    uint32_t count = 0;
    if (!list)
        return false;
    if (flows->moves)
        br_sort_by(flows->moved, flows->moves, sizeof *flows->moved, by_wire_and_time);
    for (uint32_t k = 0; k < flows->moves; k++)
        if (k == 0 || flows->moved[k].id != flows->moved[k - 1].id)
            list[count++] = (struct listed){flows->moved[k].start_ns, flows->moved[k].id, k};
    br_sort_by(list, count, sizeof *list, by_start);
    carried->transfers = count;
    carried->transfer = br_arena_array(&p->arena, count, sizeof *carried->transfer);
    carried->piece = br_arena_array(&p->arena, flows->moves, sizeof *carried->piece);
    for (uint32_t k = 0; k < count && carried->transfer && carried->piece; k++) {
        const struct br_wire *wire = &w->wire[list[k].wire];
        const struct br_edge *edge = &p->job.dag->edge[wire->edge];
        struct br_transfer *t = &carried->transfer[k];
        *t = (struct br_transfer){.edge = wire->edge,
                                  .parent = edge->parent,
                                  .child = edge->child,
                                  .index = BR_TRANSFER_ALL,
                                  .from = wire->from,
                                  .to = wire->to,
                                  .bytes = wire->bytes,
                                  .first_piece = carried->pieces};
        if (edge->type == BR_ONE_TO_ONE)
            t->index = list[k].wire - w->edge_wire[wire->edge];
        for (uint32_t m = list[k].moved; m < flows->moves && flows->moved[m].id == list[k].wire;
             m++, t->pieces++)
            carried->piece[carried->pieces++] = (struct br_piece){
                flows->moved[m].start_ns, flows->moved[m].end_ns, flows->moved[m].rate};
    }
    br_free(list);
    return carried->transfer && carried->piece;
}

/* One more of the methods that were tried; there is room for it. */
static void add_trial(struct br_plan *plan, const char *name, int64_t makespan_ns)
{
    if (makespan_ns != BR_NETWORK_NEVER)
        plan->trial[plan->trials++] = (struct br_plan_trial){name, makespan_ns};
}

/* Puts the best course into the plan, whose arrays change only when nothing can fail any more. */
static enum br_status commit(struct planning *p, struct br_plan *plan, const int64_t ignored_ns[2],
                             struct br_diag *diag)
{
    struct br_transfers carried = {0};
    struct br_plan *made = br_plan_create(plan->tasks);
    struct br_plan_trial *trial =
        br_arena_array(&p->arena, (size_t)plan->trials + 3, sizeof *trial);
    enum br_status status = made && trial ? BR_OK : br_fail_memory(diag);
    const enum br_sharing sharing = p->best.sharing;
    p->best.sharing = BR_SHARE_FAIR;
    int64_t fair_ns = planner_network_measure(p, &p->best, false, BR_NETWORK_NEVER);
    p->best.sharing = sharing;
    int64_t ns = planner_network_measure(p, &p->best, true, BR_NETWORK_NEVER);
    if (!status && (p->status || !take_transfers(p, &carried)))
        status = br_fail_memory(diag);
    if (!status) {
        memcpy(made->start_ns, p->haul.start_ns, plan->tasks * sizeof *made->start_ns);
        memcpy(made->machine, p->best.machine, plan->tasks * sizeof *made->machine);
        memcpy(made->subset, plan->subset, plan->tasks);
        made->network = true;
        made->carried = carried;
        status = br_plan_rank(made, p->job.dag, diag);
    }
    if (!status && ns != made->makespan_ns)
        status = br_fail(diag, BR_SYSTEM, "report this", "a course has two lengths");
    if (!status) {
        made->lower_bound_ns = plan->lower_bound_ns;
        status = br_plan_verify(made, p->job.dag, p->job.cluster, 1, NULL, NULL, diag);
    }
    if (!status)
        status = br_network_bound(&p->job, plan->lower_bound_ns, made->makespan_ns,
                                  &made->network_bound_ns, diag);
    if (!status) {
        if (!plan->source.found && plan->makespan_ns == plan->lower_bound_ns &&
            made->makespan_ns > plan->lower_bound_ns)
            snprintf(plan->source.why, sizeof plan->source.why,
                     "not needed (the bound is met without transfers)");
        memcpy(plan->start_ns, made->start_ns, plan->tasks * sizeof *plan->start_ns);
        memcpy(plan->end_ns, made->end_ns, plan->tasks * sizeof *plan->end_ns);
        memcpy(plan->machine, made->machine, plan->tasks * sizeof *plan->machine);
        memcpy(plan->rank, made->rank, plan->tasks * sizeof *plan->rank);
        memcpy(plan->order, made->order, plan->tasks * sizeof *plan->order);
        plan->makespan_ns = made->makespan_ns;
        plan->network = true;
        plan->network_bound_ns = made->network_bound_ns;
        plan->carried = carried;
        if (plan->trials)
            memcpy(trial, plan->trial, plan->trials * sizeof *trial);
        plan->trial = trial;
        add_trial(plan, br_network_ignored, ignored_ns[0]);
        add_trial(plan, br_network_ignored_fair, ignored_ns[1]);
        add_trial(plan, br_network_fair, fair_ns);
        br_arena_join(&plan->arena, &p->arena);
    }
    br_plan_destroy(made);
    return status;
}

static bool planning_init(struct planning *p)
{
    uint32_t tasks = p->job.dag->tasks;
    p->best.machine = br_arena_array(&p->arena, tasks, sizeof *p->best.machine);
    p->best.sequence = br_arena_array(&p->arena, tasks, sizeof *p->best.sequence);
    p->trial.machine = br_arena_array(&p->arena, tasks, sizeof *p->trial.machine);
    p->trial.sequence = br_arena_array(&p->arena, tasks, sizeof *p->trial.sequence);
    bool good = br_haul_init(&p->haul, &p->job);
    p->best.makespan_ns = BR_NETWORK_NEVER;
    return good && p->best.machine && p->best.sequence && p->trial.machine && p->trial.sequence;
}

/* The course of a published rule. */
static void try_published(struct planning *p, enum br_published_rule rule)
{
    int64_t *start_ns = br_malloc(((size_t)p->job.dag->tasks + 1) * sizeof *start_ns);
    if (!start_ns ||
        !br_published_course(&p->job, rule, p->trial.machine, p->trial.sequence, start_ns))
        p->status = BR_SYSTEM;
    else
        try_all(p);
    br_free(start_ns);
}

static void try_all_published(struct planning *p)
{
    const uint64_t once = (uint64_t)p->job.dag->tasks * p->job.cluster->machines;
    for (enum br_published_rule rule = BR_PUBLISHED_HEFT; rule <= BR_PUBLISHED_PEFT; rule++)
        if (once < published_most && !p->status && !br_stopped(p->stop))
            try_published(p, rule);
}

static enum br_status plan_network(struct planning *p, struct br_plan *plan,
                                   const struct br_plan_options *options, struct br_diag *diag)
{
    uint32_t tasks = plan->tasks;
    int64_t ignored_ns[2];
    if (!planning_init(p))
        return br_fail_memory(diag);
    memcpy(p->trial.machine, plan->machine, tasks * sizeof *p->trial.machine);
    memcpy(p->trial.sequence, plan->order, tasks * sizeof *p->trial.sequence);
    ignored_ns[0] = try_both(p, BR_SHARE_PLAN);
    ignored_ns[1] = try_both(p, BR_SHARE_FAIR);
    try_both(p, BR_SHARE_SEBF);
    const enum br_published_rule rule =
        p->job.dag->bytes ? br_published_find(plan->method) : BR_PUBLISHED_NONE;
    if (rule) { /* alone */
        p->best.makespan_ns = BR_NETWORK_NEVER;
        try_published(p, rule);
    } else if (p->job.dag->bytes) {
        try_lists(p);
        try_all_published(p);
    }
    if (!rule && p->job.dag->bytes && p->best.makespan_ns > plan->lower_bound_ns)
        planner_network_improve(p, options->seed);
    if (p->status)
        return br_fail_memory(diag);
    if (p->best.makespan_ns == BR_NETWORK_NEVER)
        return br_fail(diag, BR_BAD_INPUT, "check the bytes of edges and the rates of ports",
                       "the transfers are too many, or take too long, to be planned");
    return commit(p, plan, ignored_ns, diag);
}

enum br_status br_plan_network(struct br_plan *plan, const struct br_dag *dag,
                               const struct br_cluster *cluster,
                               const struct br_plan_options *options, struct br_diag *diag)
{
    BR_NEED(diag, plan, dag, cluster);
    const struct br_plan_options defaults = {.effort = BR_EFFORT_DEFAULT, .seed = 1};
    struct br_instance *in;
    struct planning p = {0};
    if (!options)
        options = &defaults;
    if (options->effort < BR_EFFORT_FAST || options->effort > BR_EFFORT_AUTO)
        return br_fail(diag, BR_USAGE, "take a value of enum br_effort", "there is no effort %d",
                       (int)options->effort);
    if (plan->objective != BR_OBJECTIVE_MAKESPAN)
        return br_fail(diag, BR_USAGE, "make the plan for the makespan",
                       "a plan for another objective cannot account for transfers");
    enum br_status status = br_plan_verify(plan, dag, cluster, 1, NULL, NULL, diag);
    if (status)
        return status;
    status = br_instance_create(dag, cluster, &in, diag);
    if (status)
        return status;
    p.stop = options->stop;
    p.steps = options->placements                 ? options->placements
              : options->effort == BR_EFFORT_FAST ? 0
              : options->effort == BR_EFFORT_MAX  ? steps_most
                                                  : steps_default;
    status = br_network_job_init(&p.job, dag, cluster, in, diag);
    if (!status)
        status = plan_network(&p, plan, options, diag);
    br_haul_finish(&p.haul);
    br_arena_finish(&p.arena);
    br_network_job_finish(&p.job);
    br_instance_destroy(in);
    return status;
}
