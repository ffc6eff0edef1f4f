/* Makes the problem of an instance: arcs between tasks, earliest and latest starts, lanes. */
#include "planner/exact/propagate/problem.h"

#include <assert.h>
#include <string.h>

#include "base/collections/memory.h"

enum {
    HORIZON_MAX = 1 << 22,          /* on one machine, if the profile has a cell for every tick */
    HORIZON_MACHINES_MAX = 1 << 28, /* and on several */
    ARCS_MAX = 1000000,
    PROFILE_CELLS_MAX = 1 << 24,
    SHOP_RESOURCES_MAX = 64
};

struct builder {
    struct br_lcg_problem *p;
    const struct br_instance *in;
    uint32_t *resource; /* of the instance, by resource of the problem */
    int64_t *unit;
};

/* Goes through the tasks ahead of the given one: counts the arcs, and writes them if `write`. */
static void propagate_problem_link_parents(struct builder *b, uint32_t task, bool write)
{
    const struct br_instance *in = b->in;
    uint32_t stage = in->task_stage[task];
    for (uint32_t a = in->parent_first[stage]; a < in->parent_first[stage + 1]; a++) {
        uint32_t other = in->parent[a].stage, t = in->stage_first[other],
                 end = in->stage_first[other + 1];
        if (in->parent[a].one_to_one) {
            t += task - in->stage_first[stage];
            end = t + 1;
        }
        for (; t < end && b->p->arcs <= ARCS_MAX; t++) {
            if (write)
                b->p->arc[b->p->arcs] =
                    (struct br_lcg_problem_arc){t, task, (int32_t)in->duration[t]};
            b->p->arcs++;
        }
    }
}

/* Do tasks of the stage with equal durations differ only by name? Yes, if what is ahead of one and
 * behind it is the same for all of them. */
static bool propagate_problem_alike(const struct br_instance *in, uint32_t stage)
{
    for (uint32_t a = in->parent_first[stage]; a < in->parent_first[stage + 1]; a++)
        if (in->parent[a].one_to_one)
            return false;
    for (uint32_t a = in->child_first[stage]; a < in->child_first[stage + 1]; a++)
        if (in->child[a].one_to_one)
            return false;
    return true;
}

/* Links equal tasks: each starts no earlier than the one before it. */
static void propagate_problem_link_equal(struct builder *b, bool write)
{
    const struct br_instance *in = b->in;
    for (uint32_t t = 0; t < in->tasks; t++) {
        uint32_t stage = in->task_stage[t], u = t + 1;
        while (u < in->stage_first[stage + 1] && in->duration[u] != in->duration[t])
            u++;
        if (u == in->stage_first[stage + 1] || !propagate_problem_alike(in, stage))
            continue;
        if (write)
            b->p->arc[b->p->arcs] = (struct br_lcg_problem_arc){t, u, 0};
        b->p->arcs++;
    }
}

/* Durations, and starts as far as the horizon limits them; counts the arcs. False if the numbers
 * are too large. */
static bool set_times(struct builder *b, int64_t upper)
{
    struct br_lcg_problem *p = b->p;
    for (uint32_t t = 0; t < p->tasks; t++)
        propagate_problem_link_parents(b, t, false);
    propagate_problem_link_equal(b, false);
    int64_t most = p->machines > 1 ? HORIZON_MACHINES_MAX : HORIZON_MAX;
    if (upper > most || p->arcs > ARCS_MAX)
        return false;
    p->horizon = (int32_t)upper;
    for (uint32_t t = 0; t < p->tasks; t++) {
        if (b->in->duration[t] > most)
            return false;
        p->duration[t] = (int32_t)b->in->duration[t];
        p->latest[t] = p->duration[t] > p->horizon ? -1 : p->horizon - p->duration[t];
    }
    return true;
}

/* Tightens earliest and latest starts along the arcs until nothing moves: few rounds, since stages
 * are numbered as they were added, mostly parents first. */
void br_lcg_problem_tighten(struct br_lcg_problem *p)
{
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t a = 0; a < p->arcs; a++) {
            const struct br_lcg_problem_arc *arc = &p->arc[a];
            int32_t from = p->earliest[arc->from] + arc->lag;
            if (from > p->horizon + 1) /* none left, and sums along a path stay small */
                from = p->horizon + 1;
            if (p->earliest[arc->to] < from) {
                p->earliest[arc->to] = from;
                moved = true;
            }
        }
        for (uint32_t a = p->arcs; a-- > 0;) {
            const struct br_lcg_problem_arc *arc = &p->arc[a];
            int32_t latest = p->latest[arc->to] - arc->lag;
            if (latest < -1)
                latest = -1;
            if (p->latest[arc->from] > latest) {
                p->latest[arc->from] = latest;
                moved = true;
            }
        }
    }
}

/* Resources that can run short, in units of the greatest common divisor of the demands. */
static void propagate_problem_choose_resources(struct builder *b)
{
    for (uint32_t r = 0; r < b->in->resources; r++) {
        int64_t unit = br_instance_scarce_unit(b->in, r);
        if (unit == 0)
            continue;
        b->resource[b->p->resources] = r;
        b->unit[b->p->resources++] = unit;
    }
}

static bool take_demands(struct builder *b)
{
    struct br_lcg_problem *p = b->p;
    const struct br_instance *in = b->in;
    bool ok = BR_ARRAY(&p->arena, (size_t)p->tasks * p->resources, p->demand) &&
              BR_ARRAY(&p->arena, p->resources, p->capacity) &&
              BR_ARRAY(&p->arena, p->tasks, p->holding);
    for (uint32_t r = 0; ok && r < p->resources; r++) {
        assert(b->unit[r] > 0); /* the resource can run short, so some demand is not 0 */
        p->capacity[r] = in->capacity[b->resource[r]] / b->unit[r];
    }
    for (uint32_t k = 0; ok && k < p->tasks; k++) {
        const int64_t *demand = in->demand + (size_t)in->task_stage[k] * in->resources;
        bool holds = false;
        for (uint32_t r = 0; r < p->resources && p->duration[k] > 0; r++) {
            p->demand[(size_t)k * p->resources + r] = demand[b->resource[r]] / b->unit[r];
            holds |= demand[b->resource[r]] > 0;
        }
        if (holds)
            p->holding[p->holdings++] = k;
    }
    return ok;
}

static bool pack_lanes(struct br_lcg_problem *p)
{
    uint32_t *word = br_calloc((size_t)p->resources + 1, sizeof *word);
    uint32_t *shift = br_calloc((size_t)p->resources + 1, sizeof *shift);
    uint32_t used = 64;
    bool ok = word && shift && BR_ARRAY(&p->arena, p->resources, p->guard);
    for (uint32_t r = 0; ok && r < p->resources; r++) {
        uint32_t bits = 1;
        while (p->capacity[r] >> bits)
            bits++;
        if (used + bits + 1 > 64) {
            p->words++;
            used = 0;
        }
        word[r] = p->words - 1;
        shift[r] = used;
        used += bits + 1;
        p->guard[word[r]] |= UINT64_C(1) << (used - 1);
    }
    ok = ok && (size_t)p->horizon * p->words <= PROFILE_CELLS_MAX &&
         BR_ARRAY(&p->arena, (size_t)p->tasks * p->words, p->lane) &&
         BR_ARRAY(&p->arena, (size_t)p->horizon * p->words, p->free);
    for (uint32_t k = 0; ok && k < p->tasks; k++)
        for (uint32_t r = 0; r < p->resources; r++)
            p->lane[(size_t)k * p->words + word[r]] |= (uint64_t)br_lcg_demand(p, k, r) << shift[r];
    for (int32_t at = 0; ok && at < p->horizon; at++) {
        uint64_t *free_words = p->free + (size_t)at * p->words;
        for (uint32_t w = 0; w < p->words; w++)
            free_words[w] = p->guard[w];
        for (uint32_t r = 0; r < p->resources; r++)
            free_words[word[r]] |= (uint64_t)p->capacity[r] << shift[r];
    }
    br_free(word);
    br_free(shift);
    return ok;
}

/* By task: the tasks that have ended before it starts, by the arcs, in `words` words of bits. Freed
 * by the caller; NULL when memory is out. */
static uint64_t *propagate_problem_find_ahead(const struct br_lcg_problem *p, uint32_t words)
{
    uint64_t *ahead = br_calloc((size_t)p->tasks * words, sizeof *ahead);
    for (bool moved = ahead != NULL; moved;) {
        moved = false;
        for (uint32_t a = 0; a < p->arcs; a++) {
            const struct br_lcg_problem_arc *arc = &p->arc[a];
            const uint64_t *from = ahead + (size_t)arc->from * words;
            uint64_t *to = ahead + (size_t)arc->to * words;
            bool ended = arc->lag >= p->duration[arc->from];
            for (uint32_t w = 0; w < words; w++) {
                uint64_t self = ended && w == arc->from / 64 ? UINT64_C(1) << arc->from % 64 : 0;
                uint64_t more = (from[w] | self) & ~to[w];
                moved |= more != 0;
                to[w] |= more;
            }
        }
    }
    return ahead;
}

static bool propagate_problem_has_bit(const uint64_t *row, uint32_t k)
{
    return row[k / 64] >> k % 64 & 1;
}

/* Do the two together demand more of some resource than there is? */
static bool collide(const struct br_lcg_problem *p, uint32_t a, uint32_t b)
{
    for (uint32_t r = 0; r < p->resources; r++)
        if (br_lcg_demand(p, a, r) > p->capacity[r] - br_lcg_demand(p, b, r))
            return true;
    return false;
}

/* Does each task that holds a resource take all of it, as far as demands can? */
static bool propagate_problem_is_shop(const struct br_lcg_problem *p)
{
    for (uint32_t r = 0; r < p->resources; r++)
        for (uint32_t k = 0; k < p->holdings; k++) {
            int64_t demand = br_lcg_demand(p, p->holding[k], r);
            if (demand > 0 && demand < p->capacity[r])
                return false;
        }
    return p->resources > 0 && p->resources <= SHOP_RESOURCES_MAX;
}

static bool propagate_problem_find_rivals(struct br_lcg_problem *p)
{
    uint32_t words = (p->tasks + 63) / 64;
    size_t most = (size_t)p->holdings * p->holdings / 2;
    p->shop = p->tasks <= BR_LCG_SHOP_MAX && propagate_problem_is_shop(p);
    if (p->tasks > BR_LCG_ORDERED_MAX && !p->shop)
        return true;
    uint64_t *ahead = propagate_problem_find_ahead(p, words);
    bool ok = ahead && BR_ARRAY(&p->arena, most, p->rivals);
    for (uint32_t i = 0; ok && i < p->holdings; i++)
        for (uint32_t j = i + 1; j < p->holdings; j++) {
            uint32_t a = p->holding[i], b = p->holding[j];
            if (collide(p, a, b) && !propagate_problem_has_bit(ahead + (size_t)a * words, b) &&
                !propagate_problem_has_bit(ahead + (size_t)b * words, a))
                p->rivals[p->pairs++] = (struct br_lcg_rivals){a, b};
        }
    br_free(ahead);
    return ok;
}

/* Does the empty machine hold the task's demands? */
static bool propagate_problem_holds(const struct br_lcg_problem *p, uint32_t machine, uint32_t task)
{
    for (uint32_t r = 0; r < p->amounts; r++)
        if (p->amount[(size_t)task * p->amounts + r] > p->room[(size_t)machine * p->amounts + r])
            return false;
    return true;
}

/* The machines on which the task may be: those that hold it; but one with a twin before it only if
 * some task before it may be on the twin. */
static void limit_task(struct br_lcg_problem *p, uint32_t task)
{
    for (uint32_t m = 0; m < p->machines; m++) {
        bool *may = &p->may[(size_t)task * p->machines + m];
        *may = propagate_problem_holds(p, m, task);
        for (uint32_t u = 0; p->twin[m] != m && *may; u++) {
            if (u == task)
                *may = false;
            else if ((p->assigned >> u & 1) && p->may[(size_t)u * p->machines + p->twin[m]])
                break;
        }
    }
}

/* Amounts, machines, and the machines on which each task may be. */
static bool take_machines(struct builder *b)
{
    struct br_lcg_problem *p = b->p;
    const struct br_instance *in = b->in;
    p->amounts = in->resources;
    if (!BR_ARRAY(&p->arena, (size_t)p->tasks * p->amounts, p->amount) ||
        !BR_ARRAY(&p->arena, (size_t)p->machines * p->amounts, p->room) ||
        !BR_ARRAY(&p->arena, p->machines, p->twin) || !BR_ARRAY(&p->arena, p->tasks, p->home) ||
        !BR_ARRAY(&p->arena, (size_t)p->tasks * p->machines, p->may))
        return false;
    for (uint32_t m = 0; m < p->machines; m++) {
        uint32_t class = br_instance_machine_class(in, m);
        p->twin[m] = m > in->class_first[class] ? m - 1 : m;
        for (uint32_t r = 0; r < p->amounts; r++)
            p->room[(size_t)m * p->amounts + r] = in->capacity[(size_t) class * p->amounts + r];
    }
    for (uint32_t t = 0; t < p->tasks; t++) {
        const int64_t *demand = in->demand + (size_t)in->task_stage[t] * in->resources;
        bool any = false;
        for (uint32_t r = 0; r < p->amounts; r++) {
            p->amount[(size_t)t * p->amounts + r] = demand[r];
            any |= demand[r] > 0;
        }
        if (any && p->duration[t] > 0)
            p->assigned |= UINT64_C(1) << t;
        while (!propagate_problem_holds(p, p->home[t], t)) {
            p->home[t]++;
            assert(p->home[t] < p->machines); /* every task fits some machine */
        }
    }
    for (uint32_t t = 0; t < p->tasks; t++)
        if (br_lcg_is_assigned(p, t))
            limit_task(p, t);
    return true;
}

static bool propagate_problem_build(struct builder *b, int64_t upper)
{
    struct br_lcg_problem *p = b->p;
    if (!BR_ARRAY(&p->arena, p->tasks, p->duration) ||
        !BR_ARRAY(&p->arena, p->tasks, p->earliest) || !BR_ARRAY(&p->arena, p->tasks, p->latest) ||
        !set_times(b, upper) || !BR_ARRAY(&p->arena, p->arcs, p->arc))
        return false;
    p->arcs = 0;
    for (uint32_t t = 0; t < p->tasks; t++)
        propagate_problem_link_parents(b, t, true);
    propagate_problem_link_equal(b, true);
    br_lcg_problem_tighten(p);
    if (p->machines > 1)
        return take_machines(b);
    propagate_problem_choose_resources(b);
    return (int64_t)p->horizon * p->resources <= PROFILE_CELLS_MAX && take_demands(b) &&
           pack_lanes(p) && propagate_problem_find_rivals(p);
}

struct br_lcg_problem *br_lcg_problem_create(const struct br_instance *in, int64_t upper)
{
    if (in->tasks == 0 || upper < 0)
        return NULL;
    if (in->machines > 1 && (in->tasks > BR_LCG_TASKS_MAX || in->machines > BR_LCG_MACHINES_MAX))
        return NULL;
    struct br_lcg_problem *p = br_calloc(1, sizeof *p);
    struct builder b = {.p = p, .in = in};
    b.resource = br_calloc((size_t)in->resources + 1, sizeof *b.resource);
    b.unit = br_calloc((size_t)in->resources + 1, sizeof *b.unit);
    bool ok = p && b.resource && b.unit;
    if (ok) {
        p->tasks = in->tasks;
        p->machines = in->machines;
        ok = propagate_problem_build(&b, upper);
    }
    br_free(b.resource);
    br_free(b.unit);
    if (ok)
        return p;
    br_lcg_problem_destroy(p);
    return NULL;
}

void br_lcg_problem_destroy(struct br_lcg_problem *p)
{
    if (p)
        br_arena_finish(&p->arena);
    br_free(p);
}
