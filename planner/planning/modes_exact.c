#include "planner/planning/modes_exact.h"

#include <string.h>

#include "base/collections/memory.h"
#include "base/numbers/wide.h"
#include "planner/exact/exact.h"
#include "planner/eligibility/features.h"
#include "planner/modes/selected.h"
#include "planner/planning/modes_nearby.h"

/* The first turn of a goal has so many conflicts, and each next one this share more. */
enum { TURN_FIRST = 200, TURN_GROWS = 8, MACHINES_MAX = 32 };
/* Conflicts in a neighbourhood at most, and those for which a call of the solver counts. */
enum { NEARBY_CONFLICTS = 400, CALL_COSTS = 5 };

/* The job as the solver takes it: a way for each machine on which it can run, less those that
 * another one beats. */
struct exact_job {
    const struct br_modes *modes;
    struct br_exact_ways given;
    uint32_t *way, *machine, *task; /* by way of the solver's */
    uint32_t ways, resources;
    int64_t tick;
    struct br_exact_ways_arc *arc;
    int64_t *release, *duration, *demand, *consumed, *capacity, *spend;
    struct br_exact_cut cut;
    uint32_t *first;
};

bool br_modes_exact_suits(const struct br_modes *modes)
{
    const unsigned unknown =
        BR_FEATURE_OUTPUTS | BR_FEATURE_DEADLINES | BR_FEATURE_CALENDAR | BR_FEATURE_STREAMS;
    if (br_features(modes->dag, modes->cluster) & unknown)
        return false;
    return br_selected_splits(modes->dag) || modes->tasks == modes->stages;
}

/* ---- Sizes ---- */

/* How many machines the way can run on. */
static uint32_t machines_of(const struct br_modes *modes, uint32_t way)
{
    const struct br_way *w = &modes->way[way];
    uint32_t count = 0;
    for (uint32_t k = 0; k < w->classes; k++)
        count += modes->cluster->cls[modes->class_of[w->first_class + k]].count;
    return count;
}

static uint64_t count_ways(const struct br_modes *modes)
{
    uint64_t count = 0;
    for (uint32_t s = 0; s < modes->stages; s++)
        for (uint32_t w = modes->way_first[s]; w < modes->way_first[s + 1]; w++)
            count += (uint64_t)modes->dag->stage[s].tasks * machines_of(modes, w);
    return count;
}

static uint64_t count_arcs(const struct br_modes *modes)
{
    uint64_t count = 0;
    for (uint32_t s = 0; s < modes->stages; s++) {
        const uint64_t tasks = modes->dag->stage[s].tasks;
        count += tasks; /* equal ones */
        for (uint32_t k = modes->child_first[s]; k < modes->child_first[s + 1]; k++)
            count += modes->child[k].one_to_one
                         ? tasks
                         : tasks * modes->dag->stage[modes->child[k].stage].tasks;
    }
    return count;
}

/* ---- Ways ---- */

static void put_way(struct exact_job *j, uint32_t task, uint32_t way, uint32_t machine)
{
    const struct br_modes *modes = j->modes;
    const uint32_t k = j->ways++, r = modes->resources;
    j->way[k] = way;
    j->task[k] = task;
    j->machine[k] = machine;
    j->duration[k] = br_way_duration(modes, way, task) / j->tick;
    memset(j->demand + (size_t)k * j->resources, 0, j->resources * sizeof *j->demand);
    for (uint32_t c = 0; c < r; c++)
        j->demand[(size_t)k * j->resources + (modes->shared[c] ? 0 : (machine + 1) * r) + c] =
            modes->demand[(size_t)way * r + c];
    for (uint32_t b = 0; b < modes->budgets; b++)
        j->consumed[(size_t)k * modes->budgets + b] =
            modes->consumed[(size_t)way * modes->budgets + b];
}

static bool no_more(const int64_t *a, const int64_t *b, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        if (a[k] > b[k])
            return false;
    return true;
}

/* Is the way in no respect more than the other one? */
static bool beats(const struct exact_job *j, uint32_t a, uint32_t b)
{
    const size_t r = j->resources, budgets = j->modes->budgets;
    return j->duration[a] <= j->duration[b] &&
           no_more(j->demand + a * r, j->demand + b * r, (uint32_t)r) &&
           no_more(j->consumed + a * budgets, j->consumed + b * budgets, (uint32_t)budgets);
}

static void copy_way(struct exact_job *j, uint32_t to, uint32_t from)
{
    const size_t r = j->resources, budgets = j->modes->budgets;
    j->way[to] = j->way[from];
    j->task[to] = j->task[from];
    j->machine[to] = j->machine[from];
    j->duration[to] = j->duration[from];
    memmove(j->demand + to * r, j->demand + from * r, r * sizeof *j->demand);
    memmove(j->consumed + to * budgets, j->consumed + from * budgets,
            budgets * sizeof *j->consumed);
}

/* Leaves out the ways from `first` on that another of them beats; of equal ones the first stays. */
static void drop_beaten(struct exact_job *j, uint32_t first)
{
    uint32_t kept = first;
    for (uint32_t k = first; k < j->ways; k++) {
        bool beaten = false;
        for (uint32_t o = first; o < kept && !beaten; o++)
            beaten = beats(j, o, k);
        for (uint32_t o = k + 1; o < j->ways && !beaten; o++)
            beaten = beats(j, o, k) && !beats(j, k, o);
        if (!beaten)
            copy_way(j, kept++, k);
    }
    j->ways = kept;
}

static void put_ways(struct exact_job *j)
{
    const struct br_modes *modes = j->modes;
    for (uint32_t t = 0; t < modes->tasks; t++) {
        const uint32_t s = modes->task_stage[t];
        j->first[t] = j->ways;
        for (uint32_t w = modes->way_first[s]; w < modes->way_first[s + 1]; w++)
            for (uint32_t k = 0; k < modes->way[w].classes; k++) {
                const struct br_class *cls =
                    &modes->cluster->cls[modes->class_of[modes->way[w].first_class + k]];
                for (uint32_t m = cls->first_machine; m < cls->first_machine + cls->count; m++)
                    put_way(j, t, w, m);
            }
        drop_beaten(j, j->first[t]);
    }
    j->first[modes->tasks] = j->ways;
}

/* ---- The rest of the job ---- */

static void put_capacities(struct exact_job *j)
{
    const struct br_modes *modes = j->modes;
    const uint32_t r = modes->resources;
    for (uint32_t c = 0; c < r; c++)
        j->capacity[c] = modes->shared_capacity[c];
    for (uint32_t k = 0; k < modes->cluster->classes; k++) {
        const struct br_class *cls = &modes->cluster->cls[k];
        for (uint32_t m = cls->first_machine; m < cls->first_machine + cls->count; m++)
            memcpy(j->capacity + (size_t)(m + 1) * r, modes->capacity + (size_t)k * r,
                   r * sizeof *j->capacity);
    }
}

static void put_arc(struct exact_job *j, uint32_t from, uint32_t to, int64_t lag, bool equal)
{
    j->arc[j->given.arcs++] = (struct br_exact_ways_arc){from, to, lag / j->tick, equal};
}

/* Do tasks of the stage differ by name only? */
static bool are_equal(const struct br_modes *modes, uint32_t stage, uint32_t a, uint32_t b)
{
    bool equal = modes->release[a] == modes->release[b];
    for (uint32_t k = modes->child_first[stage]; k < modes->child_first[stage + 1]; k++)
        equal = equal && !modes->child[k].one_to_one;
    for (uint32_t k = modes->parent_first[stage]; k < modes->parent_first[stage + 1]; k++)
        equal = equal && !modes->parent[k].one_to_one;
    for (uint32_t w = modes->way_first[stage]; w < modes->way_first[stage + 1]; w++)
        equal = equal && br_way_duration(modes, w, a) == br_way_duration(modes, w, b);
    return equal;
}

static void put_arcs(struct exact_job *j)
{
    const struct br_modes *modes = j->modes;
    for (uint32_t s = 0; s < modes->stages; s++) {
        const struct br_stage *of = &modes->dag->stage[s];
        for (uint32_t i = 0; i < of->tasks; i++) {
            const uint32_t t = of->first_task + i;
            if (i && are_equal(modes, s, t - 1, t))
                put_arc(j, t - 1, t, 0, true);
            for (uint32_t k = modes->child_first[s]; k < modes->child_first[s + 1]; k++) {
                const struct br_stage_arc *arc = &modes->child[k];
                const struct br_stage *child = &modes->dag->stage[arc->stage];
                uint32_t u = child->first_task, end = u + child->tasks;
                if (arc->one_to_one) {
                    u += i;
                    end = u + 1;
                }
                for (; u < end; u++)
                    put_arc(j, t, u, arc->lag, false);
            }
        }
    }
}

/* What the ways spend by the multipliers. No cut if sums might not fit. */
static void put_cut(struct exact_job *j, const struct br_multipliers *m)
{
    const struct br_modes *modes = j->modes;
    int64_t pace = 0, limit = 0;
    bool fits = m->bound_ns > 0;
    for (uint32_t k = 0; k < j->ways && fits; k++) {
        const uint32_t w = j->way[k], t = j->task[k];
        br_wide spend = (br_wide)m->waits[t] * j->duration[k];
        for (uint32_t r = 0; r < modes->resources; r++)
            spend += (br_wide)m->work[r] * modes->demand[(size_t)w * modes->resources + r] *
                     j->duration[k];
        for (uint32_t b = 0; b < modes->budgets; b++)
            spend += (br_wide)m->budget[b] * modes->consumed[(size_t)w * modes->budgets + b];
        fits = spend < INT64_MAX / 4 / (modes->tasks + INT64_C(1));
        j->spend[k] = (int64_t)spend;
    }
    fits = fits && br_multipliers_limits(modes, m, &limit, &pace);
    j->cut = (struct br_exact_cut){j->spend, limit, pace};
    j->given.cut = &j->cut;
    j->given.cuts = fits;
}

static bool exact_job_make(struct exact_job *j, const struct br_modes *modes)
{
    const uint64_t ways = count_ways(modes), arcs = count_arcs(modes);
    const uint64_t resources = (modes->cluster->machines + UINT64_C(1)) * modes->resources;
    const size_t n = (size_t)modes->tasks + 1;
    *j = (struct exact_job){.modes = modes, .tick = br_modes_tick(modes)};
    j->resources = (uint32_t)resources;
    j->way = br_malloc((ways + 1) * sizeof *j->way);
    j->machine = br_malloc((ways + 1) * sizeof *j->machine);
    j->task = br_malloc((ways + 1) * sizeof *j->task);
    j->spend = br_malloc((ways + 1) * sizeof *j->spend);
    j->duration = br_malloc((ways + 1) * sizeof *j->duration);
    j->demand = br_malloc((ways * resources + 1) * sizeof *j->demand);
    j->consumed = br_malloc((ways * modes->budgets + 1) * sizeof *j->consumed);
    j->capacity = br_malloc((resources + 1) * sizeof *j->capacity);
    j->arc = br_malloc((arcs + 1) * sizeof *j->arc);
    j->release = br_malloc(n * sizeof *j->release);
    j->first = br_malloc(n * sizeof *j->first);
    if (!j->way || !j->machine || !j->duration || !j->demand || !j->consumed || !j->capacity ||
        !j->arc || !j->release || !j->first || !j->task || !j->spend)
        return false;
    for (uint32_t t = 0; t < modes->tasks; t++)
        j->release[t] = modes->release[t] / j->tick;
    put_ways(j);
    put_capacities(j);
    put_arcs(j);
    j->given = (struct br_exact_ways){.tasks = modes->tasks,
                                      .resources = j->resources,
                                      .budgets = modes->budgets,
                                      .arcs = j->given.arcs,
                                      .arc = j->arc,
                                      .release = j->release,
                                      .first = j->first,
                                      .duration = j->duration,
                                      .demand = j->demand,
                                      .consumed = j->consumed,
                                      .capacity = j->capacity,
                                      .budget = modes->budget};
    return true;
}

static void exact_job_finish(struct exact_job *j)
{
    br_free(j->way);
    br_free(j->machine);
    br_free(j->task);
    br_free(j->spend);
    br_free(j->duration);
    br_free(j->demand);
    br_free(j->consumed);
    br_free(j->capacity);
    br_free(j->arc);
    br_free(j->release);
    br_free(j->first);
}

/* ---- The search ---- */

/* The solver, and the best schedule in its ticks. */
struct turns {
    struct br_modes_exact *e;
    const struct exact_job *job;
    struct br_exact *exact;
    struct br_nearby nearby;
    int64_t *start, *end;
    uint32_t *way; /* the solver's */
    uint64_t calls, asked;
};

/* The solver's number of the way on the machine; the first of the task if it was left out. */
static uint32_t solver_way(const struct exact_job *j, uint32_t task, uint32_t way, uint32_t machine)
{
    for (uint32_t k = j->first[task]; k < j->first[task + 1]; k++)
        if (j->way[k] == way && j->machine[k] == machine)
            return k;
    return j->first[task];
}

static void note_schedule(struct turns *s)
{
    for (uint32_t t = 0; t < s->e->modes->tasks; t++)
        s->end[t] = s->start[t] + s->job->duration[s->way[t]];
    br_exact_hint(s->exact, s->start, s->way);
}

/* Hands the schedule at hand to the solver. */
static void give_schedule(struct turns *s)
{
    const struct br_modes_exact *e = s->e;
    const int64_t tick = s->job->tick;
    for (uint32_t t = 0; t < e->modes->tasks; t++) {
        s->start[t] = e->start_ns[t] / tick;
        s->way[t] = solver_way(s->job, t, e->way[t], e->machine[t]);
    }
    br_exact_set_upper(s->exact, (e->makespan_ns + tick - 1) / tick);
    note_schedule(s);
}

static void take_schedule(struct turns *s)
{
    struct br_modes_exact *e = s->e;
    br_exact_schedule_ways(s->exact, s->start, s->way);
    for (uint32_t t = 0; t < e->modes->tasks; t++) {
        e->start_ns[t] = s->start[t] * s->job->tick;
        e->way[t] = s->job->way[s->way[t]];
        e->machine[t] = s->job->machine[s->way[t]];
    }
    e->makespan_ns = br_exact_upper(s->exact) * s->job->tick;
    e->shortened = true;
    note_schedule(s);
}

/* One call of the solver. */
static enum br_exact_result solve_once(struct turns *s, enum br_exact_goal goal, uint64_t conflicts)
{
    if (goal == BR_EXACT_NEARBY) {
        struct br_nearby *n = &s->nearby;
        br_nearby_draw(n, br_exact_upper(s->exact), s->start, s->end);
        if (!br_exact_keep(s->exact, n->way, n->from, n->to))
            return BR_EXACT_MEMORY;
        conflicts = conflicts < NEARBY_CONFLICTS ? conflicts : NEARBY_CONFLICTS;
    }
    const enum br_exact_result result = br_exact_solve(s->exact, goal, conflicts, s->e->stop);
    if (goal == BR_EXACT_NEARBY)
        br_nearby_adapt(&s->nearby, result);
    if (br_exact_upper(s->exact) * s->job->tick < s->e->makespan_ns)
        take_schedule(s);
    s->calls++;
    return result;
}

static uint64_t count_spent(const struct turns *s)
{
    return br_exact_counts(s->exact).conflicts + s->calls * CALL_COSTS + s->asked;
}

/* Asks the caller for a schedule that is shorter. False when memory is out. */
static bool ask_other(struct turns *s, uint64_t conflicts)
{
    struct br_modes_exact *e = s->e;
    const int64_t before = e->makespan_ns;
    s->asked += conflicts;
    if (!e->other(e->context, e, conflicts))
        return false;
    if (e->makespan_ns < before)
        give_schedule(s);
    return true;
}

static bool is_open(enum br_exact_result result)
{
    return result == BR_EXACT_OPEN || result == BR_EXACT_FOUND || result == BR_EXACT_RAISED ||
           result == BR_EXACT_NONE;
}

/* Shorter schedules nearby, larger bounds, shorter schedules, and those of the caller in turn. */
static bool take_turns(struct turns *s)
{
    static const enum br_exact_goal goals[] = {BR_EXACT_NEARBY, BR_EXACT_BOUND, BR_EXACT_NEARBY,
                                               BR_EXACT_SHORTER};
    const uint32_t all = sizeof goals / sizeof *goals;
    struct br_modes_exact *e = s->e;
    enum br_exact_result result = BR_EXACT_OPEN;
    uint64_t turn = TURN_FIRST;
    uint32_t goal = 0;
    while (is_open(result) && e->spent < e->conflicts && !br_stopped(e->stop)) {
        const uint64_t end = e->spent + turn;
        while (e->spent < end && is_open(result) && !br_stopped(e->stop)) {
            result = solve_once(s, goals[goal], end - e->spent);
            e->spent = count_spent(s);
        }
        turn += turn / TURN_GROWS;
        goal = (goal + 1) % all;
        if (!goal && e->other && is_open(result) && !ask_other(s, turn))
            return false;
    }
    const int64_t lower = br_exact_lower(s->exact) * s->job->tick;
    if (lower > e->lower_ns) {
        e->raised = true;
        e->lower_ns = lower;
    }
    return result != BR_EXACT_MEMORY && result != BR_EXACT_LOST;
}

static bool run_turns(struct br_modes_exact *e, const struct exact_job *j)
{
    const size_t n = (size_t)e->modes->tasks + 1;
    struct turns s = {.e = e,
                      .job = j,
                      .start = br_malloc(n * sizeof *s.start),
                      .end = br_malloc(n * sizeof *s.end),
                      .way = br_malloc(n * sizeof *s.way)};
    bool ok = br_nearby_init(&s.nearby, e->modes->tasks) && s.start && s.end && s.way;
    if (ok)
        s.exact = br_exact_create_ways(&j->given, (e->makespan_ns + j->tick - 1) / j->tick);
    e->ran = s.exact != NULL;
    if (s.exact) {
        give_schedule(&s);
        br_exact_set_lower(s.exact, (e->lower_ns + j->tick - 1) / j->tick);
        ok = take_turns(&s);
        br_exact_count(s.exact, &e->counters);
    }
    br_exact_destroy(s.exact);
    br_nearby_finish(&s.nearby);
    br_free(s.start);
    br_free(s.end);
    br_free(s.way);
    return ok;
}

bool br_modes_exact_run(struct br_modes_exact *e)
{
    struct exact_job j;
    e->spent = 0;
    e->ran = e->raised = e->shortened = false;
    if (e->modes->cluster->machines > MACHINES_MAX || count_ways(e->modes) > UINT16_MAX ||
        count_arcs(e->modes) > UINT16_MAX || e->lower_ns >= e->makespan_ns)
        return true;
    bool ok = exact_job_make(&j, e->modes);
    if (ok) {
        put_cut(&j, e->multipliers);
        ok = run_turns(e, &j);
    }
    exact_job_finish(&j);
    return ok;
}
