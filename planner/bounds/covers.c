/* Sets are found by resource: all demands; for each demand the tasks that have it; and from each of
 * the longest tasks on, the longest ones that exceed the machine together with it, which are pairs,
 * triples, and a few more. */
#include "planner/bounds/covers.h"

#include <string.h>

#include "base/collections/sort.h"
#include "base/numbers/wide.h"

enum {
    SETS_MOST = 48,    /* sets that are lifted, of smaller instances */
    SEEDS_MOST = 24,   /* tasks that a set begins with */
    MEMBERS_MOST = 6,  /* of a set from a seed */
    NODES_EACH = 2000, /* of a search for a heavy set */
    NODES_BEGUN = 20,  /* nodes that take as long as the begin of a search */
    NODES_LIFT =
        1000000, /* nodes of all searches that lift; j120 jobs take up to a quarter of them */
    NODES_LAST = 200000 /* nodes of the last search, which finds the capacity */
};

/* Searches of a set cost stages^2 for each stage. */
#define STEPS_MOST UINT64_C(60000000)

struct set {
    int64_t *weight; /* by index into the packing */
    int64_t most;    /* pi0 */
    double worth;    /* the work of all tasks under it by pi0 */
};

struct covers {
    struct br_arena arena;
    const struct br_packing *packing;
    struct br_packer *packer;
    uint32_t cls; /* the class on which sets are lifted: the one with the most machines */
    int64_t *work;
    uint32_t *order; /* by work downwards */
    uint32_t *tasks; /* scratch */
    int64_t effort;  /* nodes that are left for lifting */
    uint32_t sets, room;
    struct set *set;
};

static int64_t covers_demand_of(const struct covers *c, uint32_t v, uint32_t r)
{
    const struct br_instance *in = c->packing->in;
    return in->demand[(size_t)c->packing->stage[v] * in->resources + r];
}

static int64_t covers_capacity_of(const struct covers *c, uint32_t r)
{
    const struct br_instance *in = c->packing->in;
    return in->capacity[(size_t)c->cls * in->resources + r];
}

/* How many tasks of v run on a machine of the class at most. */
static uint32_t covers_fitting(const struct covers *c, uint32_t v)
{
    const struct br_instance *in = c->packing->in;
    uint32_t s = c->packing->stage[v];
    return (uint32_t)br_instance_holds(in, c->cls, s, in->stage_first[s + 1] - in->stage_first[s]);
}

static double covers_worth(const struct covers *c, const int64_t *weight, int64_t most)
{
    double sum = 0;
    for (uint32_t v = 0; v < c->packing->count; v++)
        sum += (double)weight[v] * (double)c->work[v];
    return most > 0 ? sum / (double)most : 0;
}

/* The weight that no set on the machine exceeds. */
static int64_t covers_heaviest(struct covers *c, uint32_t cls, const int64_t *weight, int64_t nodes)
{
    int64_t found;
    return br_packer_heaviest(c->packer, cls, weight, 0, c->tasks, &found, &nodes);
}

/* A new set without weights; NULL when memory is out. */
static struct set *covers_add_set(struct covers *c)
{
    if (c->sets == c->room)
        return NULL;
    struct set *set = &c->set[c->sets];
    set->weight = br_arena_array(&c->arena, c->packing->count, sizeof *set->weight);
    if (!set->weight)
        return NULL;
    c->sets++;
    return set;
}

/* Keeps the set added last if it says anything that no earlier set says. */
static void covers_settle(struct covers *c)
{
    struct set *set = &c->set[c->sets - 1];
    int64_t all = 0;
    size_t size = c->packing->count * sizeof *set->weight;
    for (uint32_t v = 0; v < c->packing->count; v++)
        all += set->weight[v] * covers_fitting(c, v);
    set->most = covers_heaviest(c, c->cls, set->weight, NODES_EACH);
    set->worth = covers_worth(c, set->weight, set->most);
    bool new = set->most < all;
    for (uint32_t k = 0; k + 1 < c->sets && new; k++)
        new = memcmp(c->set[k].weight, set->weight, size) != 0;
    c->sets -= !new;
}

/* Sets of one resource, as long as there is room. False when memory is out. */
static bool add_sets(struct covers *c, uint32_t r)
{
    uint32_t n = c->packing->count;
    struct set *set = covers_add_set(c);
    if (!set)
        return false;
    for (uint32_t v = 0; v < n; v++)
        set->weight[v] = covers_demand_of(c, v, r) <= BR_PRICE_MAX ? covers_demand_of(c, v, r) : 0;
    covers_settle(c);
    for (uint32_t k = 0; k < n && k < SEEDS_MOST; k++) {
        uint32_t seed = c->order[k];
        int64_t demand = covers_demand_of(c, seed, r), sum = demand;
        if (demand == 0)
            continue;
        if (!(set = covers_add_set(c)))
            return false;
        for (uint32_t v = 0; v < n; v++)
            set->weight[v] = covers_demand_of(c, v, r) == demand;
        covers_settle(c);
        if (!(set = covers_add_set(c)))
            return false;
        set->weight[seed] = 1;
        uint32_t members = 1;
        for (uint32_t i = 0; i < n && sum <= covers_capacity_of(c, r) && members < MEMBERS_MOST;
             i++) {
            int64_t next = covers_demand_of(c, c->order[i], r);
            /* A third or more of the rest, so that the set is small. */
            if (c->order[i] == seed || 3 * next < covers_capacity_of(c, r) - sum || next == 0)
                continue;
            set->weight[c->order[i]] = 1;
            sum += next;
            members++;
        }
        covers_settle(c);
    }
    return true;
}

/* Raises the weights, the longest first, as long as the heaviest set does not become heavier. If
 * the effort is used up, the rest stay as they are. */
static void covers_lift(struct covers *c, struct set *set)
{
    for (uint32_t k = 0; k < c->packing->count && c->effort > 0; k++) {
        uint32_t v = c->order[k], most = covers_fitting(c, v);
        int64_t weight = set->most;
        for (uint32_t count = 1; count <= most && weight > set->weight[v] && c->effort > 0;
             count++) {
            int64_t nodes = NODES_EACH;
            int64_t beside = br_packer_beside(c->packer, c->cls, v, count, set->weight, &nodes);
            int64_t left = (set->most - beside) / count;
            weight = left < weight ? left : weight;
            c->effort -= NODES_EACH - nodes + NODES_BEGUN;
        }
        if (weight > set->weight[v] && c->effort > 0)
            set->weight[v] = weight;
    }
    set->worth = covers_worth(c, set->weight, set->most);
}

static int covers_worthier(const void *a, const void *b)
{
    const struct set *x = a, *y = b;
    if (x->worth != y->worth)
        return x->worth > y->worth ? -1 : 1;
    return x->most < y->most ? -1 : x->most > y->most;
}

static bool covers_keep(struct covers *c, struct br_measures *out, const struct set *set)
{
    const struct br_instance *in = c->packing->in;
    struct br_measure *m = &out->measure[out->count];
    br_wide held = 0;
    for (uint32_t cls = 0; cls < in->classes; cls++)
        held += (br_wide)covers_heaviest(c, cls, set->weight, NODES_LAST) *
                (in->class_first[cls + 1] - in->class_first[cls]);
    if (held <= 0 || held > BR_PRICE_MAX)
        return true;
    m->weight = br_arena_array(&out->arena, in->stages, sizeof *m->weight);
    if (!m->weight)
        return false;
    m->kind = BR_MEASURE_WEIGHTS;
    m->capacity = (int64_t)held;
    for (uint32_t v = 0; v < c->packing->count; v++)
        m->weight[c->packing->stage[v]] = set->weight[v];
    out->count++;
    return true;
}

static bool covers_init(struct covers *c)
{
    const struct br_instance *in = c->packing->in;
    uint32_t n = c->packing->count;
    c->work = br_arena_array(&c->arena, n, sizeof *c->work);
    c->order = br_arena_array(&c->arena, n, sizeof *c->order);
    c->tasks = br_arena_array(&c->arena, n, sizeof *c->tasks);
    c->room = in->resources * (2 * SEEDS_MOST + 1) + 1;
    c->set = br_arena_array(&c->arena, c->room, sizeof *c->set);
    if (!c->work || !c->order || !c->tasks || !c->set)
        return false;
    for (uint32_t v = 0; v < n; v++) {
        uint32_t s = c->packing->stage[v], at = v;
        for (uint32_t t = in->stage_first[s]; t < in->stage_first[s + 1]; t++)
            c->work[v] += in->duration[t];
        for (; at > 0 && c->work[c->order[at - 1]] < c->work[v]; at--)
            c->order[at] = c->order[at - 1];
        c->order[at] = v;
    }
    for (uint32_t k = 1; k < in->classes; k++)
        if (in->class_first[k + 1] - in->class_first[k] >
            in->class_first[c->cls + 1] - in->class_first[c->cls])
            c->cls = k;
    return true;
}

bool br_covers_init(struct br_measures *covers, const struct br_packing *packing,
                    struct br_packer *packer, uint32_t most)
{
    struct covers c = {.packing = packing, .packer = packer, .effort = NODES_LIFT};
    uint64_t n = packing->count, lifted = STEPS_MOST / (n * n * n + 1) + 1;
    *covers = (struct br_measures){0};
    covers->measure = br_arena_array(&covers->arena, most, sizeof *covers->measure);
    covers->work = br_arena_array(&covers->arena, packing->in->stages, sizeof *covers->work);
    bool ok = covers->measure && covers->work && covers_init(&c);
    for (uint32_t v = 0; ok && v < n; v++)
        covers->work[packing->stage[v]] = c.work[v];
    for (uint32_t r = 0; ok && r < packing->in->resources; r++)
        ok = add_sets(&c, r);
    if (ok)
        br_sort_by(c.set, c.sets, sizeof *c.set, covers_worthier);
    lifted = lifted < SETS_MOST ? lifted : SETS_MOST;
    c.sets = c.sets < lifted ? c.sets : (uint32_t)lifted;
    for (uint32_t k = 0; ok && k < c.sets; k++)
        covers_lift(&c, &c.set[k]);
    if (ok)
        br_sort_by(c.set, c.sets, sizeof *c.set, covers_worthier);
    for (uint32_t k = 0; ok && k < c.sets && covers->count < most; k++)
        if (k == 0 || c.set[k].worth != c.set[k - 1].worth)
            ok = covers_keep(&c, covers, &c.set[k]);
    br_arena_finish(&c.arena);
    if (!ok)
        br_measures_finish(covers);
    return ok;
}
