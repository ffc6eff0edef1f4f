/* Makes the problem of tasks that run in one of several ways. */
#include "planner/exact/propagate/problem.h"

#include "base/collections/memory.h"
#include "base/numbers/wide.h"

enum {
    CELLS_MAX = 1 << 16, /* ticks x resources of the profile, which every round makes anew */
    ALL_WAYS_MAX = 1 << 16,
    CHOICES_ARCS_MAX = 100000
};

/* Sums of what tasks spend stay within 62 bits. */
static bool choices_suit(const struct br_exact_ways *given, int64_t upper)
{
    const int64_t most = INT64_MAX / 4 / ((int64_t)given->tasks + 1);
    if (given->tasks == 0 || upper < 0 || upper > CELLS_MAX ||
        upper * (int64_t)(given->resources + 1) > CELLS_MAX || given->arcs > CHOICES_ARCS_MAX ||
        given->first[given->tasks] > ALL_WAYS_MAX)
        return false;
    for (uint32_t t = 0; t < given->tasks; t++)
        if (given->first[t + 1] - given->first[t] > BR_LCG_WAYS_MAX ||
            given->first[t + 1] == given->first[t])
            return false;
    for (uint32_t r = 0; r < given->resources; r++)
        if ((br_wide)given->capacity[r] * (upper + 1) > most)
            return false;
    for (uint32_t k = 0; k < given->first[given->tasks]; k++) {
        for (uint32_t b = 0; b < given->budgets; b++)
            if (given->consumed[(size_t)k * given->budgets + b] > most)
                return false;
        for (uint32_t r = 0; r < given->resources; r++)
            if ((br_wide)given->demand[(size_t)k * given->resources + r] * given->duration[k] >
                most)
                return false;
    }
    return true;
}

/* Lists what all tasks together could spend more of than there is, of `amount` by way and kind. */
static uint32_t choices_list(const struct br_exact_ways *given, const int64_t *amount,
                             const int64_t *limit, uint32_t kinds, uint32_t *list)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < kinds; k++) {
        br_wide sum = 0;
        for (uint32_t t = 0; t < given->tasks; t++) {
            int64_t most = 0;
            for (uint32_t way = given->first[t]; way < given->first[t + 1]; way++)
                if (amount[(size_t)way * kinds + k] > most)
                    most = amount[(size_t)way * kinds + k];
            sum += most;
        }
        if (sum > limit[k])
            list[count++] = k;
    }
    return count;
}

/* Durations, and amounts of what can run short. One that is too long has no start before the
 * horizon, so the first round takes it away. */
static void choices_fill(struct br_lcg_problem *p, const struct br_exact_ways *given,
                         const uint32_t *resource, const uint32_t *budget, uint32_t budgets)
{
    struct br_lcg_choices *c = p->choices;
    for (uint32_t r = 0; r < c->resources; r++)
        c->capacity[r] = given->capacity[resource[r]];
    for (uint32_t b = 0; b < budgets; b++)
        c->limit[b] = given->budget[budget[b]];
    for (uint32_t r = 0; r < c->resources; r++)
        c->pace[budgets + r] = c->capacity[r];
    for (uint32_t k = 0; k < given->cuts; k++) {
        c->limit[budgets + c->resources + k] = given->cut[k].limit;
        c->pace[budgets + c->resources + k] = given->cut[k].pace;
    }
    for (uint32_t t = 0; t <= p->tasks; t++)
        c->first[t] = given->first[t];
    c->ways = given->first[given->tasks];
    for (uint32_t t = 0; t < p->tasks; t++)
        for (uint32_t k = c->first[t]; k < c->first[t + 1]; k++) {
            const int64_t duration = given->duration[k];
            int64_t *spend = c->spend + (size_t)k * c->sums;
            c->task[k] = t;
            c->duration[k] = duration > p->horizon ? p->horizon + 1 : (int32_t)duration;
            for (uint32_t b = 0; b < budgets; b++)
                spend[b] = given->consumed[(size_t)k * given->budgets + budget[b]];
            for (uint32_t r = 0; r < c->resources; r++) {
                const int64_t demand = given->demand[(size_t)k * given->resources + resource[r]];
                c->demand[(size_t)k * c->resources + r] = demand;
                spend[budgets + r] = demand * c->duration[k];
            }
            for (uint32_t cut = 0; cut < given->cuts; cut++)
                spend[budgets + c->resources + cut] = given->cut[cut].spend[k];
        }
}

static bool choices_take(struct br_lcg_problem *p, const struct br_exact_ways *given)
{
    struct br_lcg_choices *c = p->choices;
    const size_t all = given->first[given->tasks];
    uint32_t *resource = br_malloc(((size_t)given->resources + 1) * sizeof *resource);
    uint32_t *budget = br_malloc(((size_t)given->budgets + 1) * sizeof *budget);
    uint32_t budgets = 0;
    bool ok = resource && budget;
    if (ok) {
        c->resources =
            choices_list(given, given->demand, given->capacity, given->resources, resource);
        budgets = choices_list(given, given->consumed, given->budget, given->budgets, budget);
        c->sums = budgets + c->resources + given->cuts;
        ok = BR_ARRAY(&p->arena, (size_t)p->tasks + 1, c->first) &&
             BR_ARRAY(&p->arena, all, c->task) && BR_ARRAY(&p->arena, all, c->duration) &&
             BR_ARRAY(&p->arena, all * c->resources, c->demand) &&
             BR_ARRAY(&p->arena, c->resources, c->capacity) &&
             BR_ARRAY(&p->arena, all * c->sums, c->spend) &&
             BR_ARRAY(&p->arena, c->sums, c->limit) && BR_ARRAY(&p->arena, c->sums, c->pace);
    }
    if (ok)
        choices_fill(p, given, resource, budget, budgets);
    br_free(resource);
    br_free(budget);
    return ok;
}

static void choices_link(struct br_lcg_problem *p, const struct br_exact_ways *given)
{
    struct br_lcg_choices *c = p->choices;
    for (uint32_t k = 0; k < given->arcs; k++) {
        const struct br_exact_ways_arc *a = &given->arc[k];
        const int32_t lag = a->lag > p->horizon ? p->horizon + 1 : (int32_t)a->lag;
        p->arc[p->arcs++] = (struct br_lcg_problem_arc){
            a->from, a->to, lag + (a->equal ? 0 : p->duration[a->from])};
        if (!a->equal)
            c->arc[c->arcs++] = (struct br_lcg_problem_arc){a->from, a->to, lag};
    }
    for (uint32_t t = 0; t < p->tasks; t++)
        c->arc[c->arcs++] = (struct br_lcg_problem_arc){t, p->tasks, 0};
}

static bool choices_build(struct br_lcg_problem *p, const struct br_exact_ways *given)
{
    struct br_lcg_choices *c = p->choices;
    if (!choices_take(p, given) || !BR_ARRAY(&p->arena, p->tasks, p->duration) ||
        !BR_ARRAY(&p->arena, p->tasks, p->earliest) || !BR_ARRAY(&p->arena, p->tasks, p->latest) ||
        !BR_ARRAY(&p->arena, given->arcs, p->arc) ||
        !BR_ARRAY(&p->arena, (size_t)given->arcs + p->tasks, c->arc))
        return false;
    for (uint32_t t = 0; t < p->tasks; t++) {
        p->duration[t] = INT32_MAX;
        for (uint32_t k = c->first[t]; k < c->first[t + 1]; k++)
            if (c->duration[k] < p->duration[t])
                p->duration[t] = c->duration[k];
        const int64_t release = given->release[t];
        p->earliest[t] = release > p->horizon ? p->horizon + 1 : (int32_t)release;
        p->latest[t] = p->horizon - p->duration[t];
    }
    choices_link(p, given);
    br_lcg_problem_tighten(p);
    return true;
}

struct br_lcg_problem *br_lcg_problem_of_ways(const struct br_exact_ways *given, int64_t upper)
{
    if (!choices_suit(given, upper))
        return NULL;
    struct br_lcg_problem *p = br_calloc(1, sizeof *p);
    if (p && BR_ARRAY(&p->arena, 1, p->choices)) {
        p->tasks = given->tasks;
        p->machines = 1;
        p->horizon = (int32_t)upper;
        if (choices_build(p, given))
            return p;
    }
    br_lcg_problem_destroy(p);
    return NULL;
}
