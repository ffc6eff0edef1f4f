/* Random keys, one a stage [Goncalves11]: a child takes most of its keys from one of the better
 * individuals and the others from any. Keys become a schedule by parallel generation, forward, or
 * backward on the reversed job; the best that come close to the best of all are justified. A key
 * may have a cap: the most tasks of the stage that a machine runs at once. Parallel generation
 * leaves no room free. So without caps two tasks each of two stages never run side by side if three
 * of the first fit, even if that would fill the machine. A round's children have numbers, from
 * which their random numbers follow, so the number of threads changes nothing. */
#include "planner/improve/stage_search.h"

#include <stdatomic.h>
#include <string.h>

#include "base/collections/memory.h"
#include "base/invariant.h"
#include "base/process/parallel.h"
#include "base/numbers/rng.h"
#include "base/collections/sort.h"
#include "base/process/stop.h"
#include "planner/schedule/dispatch.h"
#include "planner/schedule/justify.h"
#include "planner/schedule/redispatch.h"

enum {
    POPULATION = 32,
    BETTER = 8,     /* individuals from which the first parent is taken */
    CHILDREN = 16,  /* of a round */
    JUSTIFIED = 4,  /* of them, at most */
    PROMISING = 50, /* they are longer than the best by at most one part in this many */
    PASSES = 2,     /* of a justification */
    HUGE = 1 << 19, /* tasks beyond which it is by parallel generation */
    CAPPED = 8,     /* one child in this many gets a new cap, or loses its cap */
    SHARES = 2,     /* resources for caps */
    SHARE = 1 << 20 /* shares of each that a machine has */
};

/* Keys are from 0 to 1; for sorting they become integers. */
static const double unit = 1 << 30;

struct individual {
    double *key;  /* by stage: the smallest is taken first, or last if mirrored */
    uint8_t *cap; /* by stage: the most of its tasks at once on a machine; 0: no cap */
    bool mirrored, packing;
    int64_t makespan; /* INT64_MAX: none */
    br_uwide ends;
};

/* The job in one of the two directions of time. */
struct side {
    struct br_instance in; /* shares all arrays; the arcs may be turned round */
    struct br_order first; /* by the longest way to the end: the order within stages */
};

struct worker {
    struct br_serial *serial; /* of these two the one that justifies */
    struct br_redispatch *redispatch;
    struct br_order order;
    int64_t *demand, *capacity; /* the instance of the job with SHARES more resources */
    struct br_sort_item *sort;  /* room for twice the stages */
};

struct slot {
    struct individual child;
    struct br_schedule schedule;
    uint64_t placements;
};

struct stage_search {
    struct br_run *run;
    struct side side[2]; /* the job as it is, and reversed */
    uint8_t *holds;      /* by stage: how many of its tasks some machine holds, or 255 */
    struct individual member[POPULATION];
    uint32_t members;
    struct worker *worker;
    struct slot slot[CHILDREN];
    uint32_t chosen[JUSTIFIED], choices; /* slots to be justified */
    uint64_t round;
    atomic_bool memory_out, stopped;
};

/* --- schedules from keys ------------------------------------------------------------------- */

static bool init_side(struct side *side, const struct br_instance *in, const struct br_reach *reach,
                      bool mirrored)
{
    struct br_key *key = br_calloc(in->tasks, sizeof *key);
    const int64_t *path = mirrored ? reach->head : reach->tail;
    side->in = *in;
    if (mirrored) {
        side->in.child_first = in->parent_first;
        side->in.child = in->parent;
        side->in.parent_first = in->child_first;
        side->in.parent = in->child;
    }
    for (uint32_t t = 0; key && t < in->tasks; t++)
        key[t] = (struct br_key){path[t] + in->duration[t], in->duration[t], 0};
    bool ok = key && br_order_init(&side->first, in, key);
    br_free(key);
    return ok;
}

/* The order of the tasks by their stages' keys. */
static void order_tasks(const struct stage_search *search, struct worker *w,
                        const struct individual *individual)
{
    const struct br_instance *in = search->run->in;
    const struct br_order *first = &search->side[individual->mirrored].first;
    uint32_t place = 0;
    for (uint32_t s = 0; s < in->stages; s++) {
        double key = individual->mirrored ? 1 - individual->key[s] : individual->key[s];
        assert(key >= 0 && key <= 1);
        w->sort[s] = (struct br_sort_item){(uint64_t)(key * unit), s};
    }
    br_sort(w->sort, w->sort + in->stages, in->stages);
    memcpy(w->order.by_stage, first->by_stage, in->tasks * sizeof *first->by_stage);
    for (uint32_t k = 0; k < in->stages; k++) {
        uint32_t s = w->sort[k].item;
        for (uint32_t i = in->stage_first[s]; i < in->stage_first[s + 1]; i++)
            w->order.place[w->order.by_stage[i]] = place++;
    }
    assert(place == in->tasks);
}

/* The side's job. If the child has caps, the job has their shares: a machine has room for as many
 * tasks as the cap says. Stages on the same resource leave each other less. */
static struct br_instance with_caps(const struct side *side, const struct worker *w,
                                    const struct individual *child)
{
    struct br_instance in = side->in;
    uint32_t row = in.resources + SHARES, caps = 0;
    for (uint32_t s = 0; s < in.stages; s++) {
        int64_t *share = w->demand + (size_t)s * row + in.resources;
        memset(share, 0, SHARES * sizeof *share);
        if (child->cap[s])
            share[caps++ % SHARES] = SHARE / child->cap[s];
    }
    if (caps) {
        in.demand = w->demand;
        in.capacity = w->capacity;
        in.resources = row;
    }
    return in;
}

/* Parallel generation into the slot's schedule. */
static bool stage_search_generate(struct stage_search *search, struct worker *w, struct slot *slot)
{
    const struct individual *child = &slot->child;
    const struct side *side = &search->side[child->mirrored];
    struct br_schedule *schedule = &slot->schedule;
    struct br_instance in = with_caps(side, w, child);
    order_tasks(search, w, child);
    if (!br_dispatch(schedule, &in, &w->order,
                     child->packing ? BR_DISPATCH_PACKING : BR_DISPATCH_ORDER, search->run->stop))
        return false;
    if (child->mirrored) {
        for (uint32_t t = 0; t < side->in.tasks; t++)
            schedule->start[t] = schedule->makespan - schedule->start[t] - side->in.duration[t];
        br_schedule_measure(schedule, search->run->in);
    }
    return true;
}

/* --- individuals --------------------------------------------------------------------------- */

static void copy_individual(struct individual *to, const struct individual *from, uint32_t stages)
{
    double *key = to->key;
    uint8_t *cap = to->cap;
    memcpy(key, from->key, stages * sizeof *key);
    memcpy(cap, from->cap, stages * sizeof *cap);
    *to = *from;
    to->key = key;
    to->cap = cap;
}

static bool stage_search_better(const struct individual *a, const struct individual *b)
{
    return a->makespan != b->makespan ? a->makespan < b->makespan : a->ends < b->ends;
}

/* Keys from the order of a schedule of the elite: by starts of the stages, by their middles, or by
 * the longest way before or after them. */
static void order_as_elite(const struct stage_search *search, struct br_rng *rng,
                           struct individual *child)
{
    const struct br_instance *in = search->run->in;
    const struct br_elite *elite = search->run->elite;
    const struct br_schedule *from = &elite->entry[br_rng_below(rng, elite->count)].schedule;
    const struct br_reach *reach = search->run->reach;
    enum { STARTS, MIDDLES, HEADS, TAILS, SOURCES } source = br_rng_below(rng, SOURCES);
    double most = (double)from->makespan + 1;
    for (uint32_t s = 0; s < in->stages; s++) {
        uint32_t t = in->stage_first[s];
        int64_t first = INT64_MAX, last = 0;
        for (uint32_t k = t; k < in->stage_first[s + 1]; k++) {
            first = from->start[k] < first ? from->start[k] : first;
            last = from->start[k] > last ? from->start[k] : last;
        }
        double at = source == STARTS    ? (double)first
                    : source == MIDDLES ? (double)(first + last) / 2
                    : source == HEADS   ? (double)reach->head[t]
                                        : most - 1 - (double)(reach->tail[t] + in->duration[t]);
        child->key[s] = at / most;
        child->cap[s] = 0;
    }
    child->mirrored = br_rng_below(rng, 2);
    child->packing = br_rng_below(rng, 5) == 0;
}

/* Keys of one of the better individuals, usually crossed with another's, some of them drawn
 * anew. */
static void cross(const struct stage_search *search, struct br_rng *rng, struct individual *child)
{
    uint32_t stages = search->run->in->stages;
    const struct individual *a = &search->member[br_rng_below(rng, BETTER)];
    const struct individual *b = &search->member[br_rng_below(rng, POPULATION)];
    assert(search->members == POPULATION);
    copy_individual(child, a, stages);
    if (br_rng_below(rng, 4))
        for (uint32_t s = 0; s < stages; s++)
            if (br_rng_below(rng, 10) >= 7) {
                child->key[s] = b->key[s];
                child->cap[s] = b->cap[s];
            }
    /* C leaves open which of two draws in one statement comes first. */
    for (uint64_t n = br_rng_below(rng, 3); n; n--) {
        uint64_t stage = br_rng_below(rng, stages);
        child->key[stage] = br_rng_unit(rng);
    }
}

/* Gives some stage a cap, or takes it away. */
static void cap(const struct stage_search *search, struct br_rng *rng, struct individual *child)
{
    uint64_t stage = br_rng_below(rng, search->run->in->stages);
    uint32_t holds = search->holds[stage];
    bool uncapped = holds < 2 || br_rng_below(rng, 2);
    child->cap[stage] = uncapped ? 0 : (uint8_t)(1 + br_rng_below(rng, holds - 1));
}

/* Every key moved by up to half of `width` either way. */
static void blur(struct br_rng *rng, double width, struct individual *child, uint32_t stages)
{
    for (uint32_t s = 0; s < stages && width > 0; s++) {
        double key = child->key[s] + width * (br_rng_unit(rng) - 0.5);
        child->key[s] = key < 0 ? 0 : key > 1 ? 1 : key;
    }
}

static void conceive(const struct stage_search *search, struct br_rng *rng,
                     struct individual *child)
{
    uint32_t stages = search->run->in->stages;
    bool capped = br_rng_below(rng, CAPPED) == 0;
    if (search->members < POPULATION || br_rng_below(rng, 20) == 0) {
        order_as_elite(search, rng, child);
        blur(rng, br_rng_unit(rng) * 0.3, child, stages);
        if (capped)
            cap(search, rng, child);
        return;
    }
    cross(search, rng, child);
    double width = br_rng_below(rng, 2) ? br_rng_unit(rng) * 0.1 : 0;
    if (br_rng_below(rng, 20) == 0)
        child->mirrored = !child->mirrored;
    if (br_rng_below(rng, 20) == 0)
        child->packing = !child->packing;
    blur(rng, width, child, stages);
    if (capped)
        cap(search, rng, child);
}

static bool ended(struct stage_search *search, bool ok)
{
    if (!ok)
        atomic_store(br_stopped(search->run->stop) ? &search->stopped : &search->memory_out, true);
    return ok;
}

static bool run_child(void *context, uint32_t number, uint32_t index)
{
    struct stage_search *search = context;
    struct br_run *run = search->run;
    struct slot *slot = &search->slot[index];
    struct br_rng rng = br_rng_seed(run->seed ^ (search->round * CHILDREN + index + 1) *
                                                    UINT64_C(0x9fb21c651e98df25));
    conceive(search, &rng, &slot->child);
    bool ok = stage_search_generate(search, &search->worker[number], slot);
    slot->placements = run->in->tasks;
    slot->child.makespan = slot->schedule.makespan;
    slot->child.ends = slot->schedule.ends;
    return ended(search, ok);
}

/* Those of the justification. */
static uint64_t stage_search_placements(const struct worker *w)
{
    return w->serial ? br_serial_placements(w->serial) : br_redispatch_placements(w->redispatch);
}

static bool justify_child(void *context, uint32_t number, uint32_t index)
{
    struct stage_search *search = context;
    const struct worker *w = &search->worker[number];
    struct slot *slot = &search->slot[search->chosen[index]];
    const struct br_stop *stop = search->run->stop;
    const uint64_t before = stage_search_placements(w);
    bool ok = w->serial ? br_justify(w->serial, &slot->schedule, 1, stop)
                        : br_redispatch(w->redispatch, &slot->schedule, 1, stop);
    slot->placements += stage_search_placements(w) - before;
    /* A child is worth as much as its justification. */
    slot->child.makespan = slot->schedule.makespan;
    slot->child.ends = slot->schedule.ends;
    return ended(search, ok);
}

static bool stage_search_alike(const struct individual *a, const struct individual *b)
{
    return a->makespan == b->makespan && a->ends == b->ends;
}

/* The shortest of the promising children, no two alike. */
static void stage_search_choose(struct stage_search *search)
{
    int64_t best = search->run->elite->entry[0].schedule.makespan, most = best + best / PROMISING;
    bool taken[CHILDREN] = {false};
    for (search->choices = 0; search->choices < JUSTIFIED; search->choices++) {
        uint32_t least = CHILDREN;
        for (uint32_t k = 0; k < CHILDREN; k++) {
            const struct individual *child = &search->slot[k].child;
            for (uint32_t c = 0; c < search->choices; c++)
                taken[k] |= stage_search_alike(child, &search->slot[search->chosen[c]].child);
            if (!taken[k] && child->makespan <= most &&
                (least == CHILDREN || stage_search_better(child, &search->slot[least].child)))
                least = k;
        }
        if (least == CHILDREN)
            return;
        taken[least] = true;
        search->chosen[search->choices] = least;
    }
}

/* Are the members sorted, the best first, and no two of them alike? */
static bool stage_search_is_sorted(const struct stage_search *search)
{
    for (uint32_t k = 1; k < search->members; k++)
        if (!stage_search_better(&search->member[k - 1], &search->member[k]))
            return false;
    return true;
}

/* Puts the child among the members, which are sorted, unless one is like it. */
static void stage_search_join(struct stage_search *search, const struct individual *child)
{
    uint32_t stages = search->run->in->stages, at = 0;
    while (at < search->members && stage_search_better(&search->member[at], child))
        at++;
    if (at == POPULATION ||
        (at < search->members && search->member[at].makespan == child->makespan &&
         search->member[at].ends == child->ends))
        return;
    uint32_t last = search->members < POPULATION ? search->members++ : POPULATION - 1;
    assert(at <= last && last < search->members);
    struct individual spare = search->member[last];
    memmove(&search->member[at + 1], &search->member[at], (last - at) * sizeof *search->member);
    search->member[at] = spare;
    copy_individual(&search->member[at], child, stages);
    br_costly_assert(stage_search_is_sorted(search));
}

static void take_round(struct stage_search *search)
{
    struct br_run *run = search->run;
    for (uint32_t k = 0; k < CHILDREN; k++) {
        struct slot *slot = &search->slot[k];
        int64_t before = run->elite->entry[0].schedule.makespan;
        assert(slot->schedule.makespan >= run->lower_bound);
        run->spent += slot->placements;
        run->counters.stages_placements += slot->placements;
        stage_search_join(search, &slot->child);
        if (slot->schedule.makespan - before > before / PROMISING)
            continue;
        memset(slot->schedule.subset, 'S', run->in->tasks);
        br_elite_add(run->elite, &slot->schedule, "stages",
                     UINT64_C(1) << 32 | (search->round * CHILDREN + k));
        if (slot->schedule.makespan < before)
            br_run_found(run, slot->schedule.makespan, "stages");
    }
}

static void stage_search_run_rounds(struct stage_search *search)
{
    struct br_run *run = search->run;
    uint64_t round = (uint64_t)(CHILDREN + JUSTIFIED * PASSES) * run->in->tasks;
    while (!br_run_met(run, run->elite->entry[0].schedule.makespan) &&
           run->spent + round <= run->placements) {
        br_parallel(run->threads, CHILDREN, run_child, search);
        bool go_on = !atomic_load(&search->memory_out) && !atomic_load(&search->stopped);
        if (go_on) {
            stage_search_choose(search);
            br_parallel(run->threads, search->choices, justify_child, search);
        }
        if (atomic_load(&search->memory_out) || atomic_load(&search->stopped) ||
            br_stopped(run->stop)) {
            run->stopped = true;
            return;
        }
        take_round(search);
        run->counters.stages_rounds++;
        run->counters.stages_schedules += CHILDREN;
        run->counters.stages_justified += search->choices;
        search->round++;
        br_run_step(run, (double)run->spent / (double)run->placements);
    }
}

/* --- the whole ----------------------------------------------------------------------------- */

static bool stage_search_init_worker(struct worker *w, const struct br_run *run, bool quick)
{
    const struct br_instance *in = run->in;
    const size_t row = in->resources + SHARES;
    w->demand = br_calloc(in->stages * row, sizeof *w->demand);
    w->capacity = br_calloc(in->classes * row, sizeof *w->capacity);
    if (!w->demand || !w->capacity)
        return false;
    for (uint32_t s = 0; s < in->stages; s++)
        memcpy(w->demand + s * row, in->demand + (size_t)s * in->resources,
               in->resources * sizeof *w->demand);
    for (uint32_t c = 0; c < in->classes; c++) {
        memcpy(w->capacity + c * row, in->capacity + (size_t)c * in->resources,
               in->resources * sizeof *w->capacity);
        for (uint32_t r = in->resources; r < row; r++)
            w->capacity[c * row + r] = SHARE;
    }
    if (quick || in->tasks > HUGE)
        w->redispatch = br_redispatch_create(in);
    else
        w->serial = br_serial_create(in, run->reach);
    w->order.place = br_malloc(in->tasks * sizeof *w->order.place);
    w->order.by_stage = br_malloc(in->tasks * sizeof *w->order.by_stage);
    w->sort = br_malloc(2 * (size_t)in->stages * sizeof *w->sort);
    return (w->serial || w->redispatch) && w->order.place && w->order.by_stage && w->sort;
}

static void stage_search_finish_worker(struct worker *w)
{
    br_serial_destroy(w->serial);
    br_redispatch_destroy(w->redispatch);
    br_free(w->demand);
    br_free(w->capacity);
    br_order_finish(&w->order);
    br_free(w->sort);
}

static uint8_t *holds_of(const struct br_instance *in)
{
    uint8_t *holds = br_calloc(in->stages, sizeof *holds);
    for (uint32_t s = 0; holds && s < in->stages; s++)
        for (uint32_t c = 0; c < in->classes; c++) {
            int64_t held = br_instance_holds(in, c, s, UINT8_MAX);
            holds[s] = held > holds[s] ? (uint8_t)held : holds[s];
        }
    return holds;
}

bool br_stage_search(struct br_run *run, bool quick)
{
    const struct br_instance *in = run->in;
    uint32_t threads = run->threads < CHILDREN ? run->threads : CHILDREN;
    if (in->stages < 2)
        return true;
    struct stage_search *search = br_calloc(1, sizeof *search);
    if (!search)
        return false;
    search->run = run;
    search->worker = br_calloc(threads, sizeof *search->worker);
    search->holds = holds_of(in);
    bool ok = search->worker && search->holds &&
              init_side(&search->side[0], in, run->reach, false) &&
              init_side(&search->side[1], in, run->reach, true);
    for (uint32_t k = 0; k < POPULATION; k++)
        ok &= (search->member[k].key = br_malloc(in->stages * sizeof(double))) != NULL &&
              (search->member[k].cap = br_calloc(in->stages, 1)) != NULL;
    for (uint32_t k = 0; k < CHILDREN; k++) {
        ok &= (search->slot[k].child.key = br_malloc(in->stages * sizeof(double))) != NULL &&
              (search->slot[k].child.cap = br_calloc(in->stages, 1)) != NULL;
        ok &= br_schedule_init(&search->slot[k].schedule, in);
    }
    for (uint32_t k = 0; ok && k < threads; k++)
        ok = stage_search_init_worker(&search->worker[k], run, quick);
    if (ok) {
        stage_search_run_rounds(search);
        ok = !atomic_load(&search->memory_out);
    }
    for (uint32_t k = 0; search->worker && k < threads; k++)
        stage_search_finish_worker(&search->worker[k]);
    for (uint32_t k = 0; k < CHILDREN; k++) {
        br_free(search->slot[k].child.key);
        br_free(search->slot[k].child.cap);
        br_schedule_finish(&search->slot[k].schedule);
    }
    for (uint32_t k = 0; k < POPULATION; k++) {
        br_free(search->member[k].key);
        br_free(search->member[k].cap);
    }
    br_free(search->holds);
    br_order_finish(&search->side[0].first);
    br_order_finish(&search->side[1].first);
    br_free(search->worker);
    br_free(search);
    return ok;
}
