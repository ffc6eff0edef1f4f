/* Items (stages) in the order of weight by demand. A node takes some tasks of the first item left,
 * as many as fit, then fewer, then none. It is given up if the items left cannot gain more than the
 * best: by each resource alone, with the last item cut to fit, and by a cover of cliques, each with
 * only one item that can be taken. For the first, demands are scaled down to 24 bits, demands
 * rounded down and room up, which keeps products within 64 bits and the bound a bound. */
#include "planner/bounds/packing.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/collections/arena.h"
#include "base/collections/memory.h"
#include "base/collections/sort.h"
#include "base/invariant.h"
#include "base/numbers/wide.h"

enum {
    WORDS = (BR_PACKING_STAGES + 63) / 64,
    SCALED_BITS = 24,
    PRICE_SCALE = 256,
    PRICE_ROUNDS = 25,
    CLASSES_KNOWN = 8
};

struct bits {
    uint64_t word[WORDS];
};

struct item {
    uint32_t v;    /* stage, by index into the packing */
    uint32_t most; /* tasks of it on the empty machine */
    uint32_t clique;
    int64_t weight;  /* of one task */
    int64_t surplus; /* weight x PRICE_SCALE, less its demands at their prices */
    double density;
};

struct br_packer {
    struct br_arena arena; /* of all the arrays */
    struct br_packing packing;
    uint32_t count, cliques, resources, words;
    struct item *item;
    int64_t *demand; /* [item * resources + r] */
    int64_t *small;  /* the same, scaled down */
    uint32_t
        *by_density;   /* [r * BR_PACKING_STAGES + k]: items by weight / demand for the resource */
    int64_t *room;     /* [depth * resources + r] */
    uint32_t *fit;     /* [depth * stages + item]: tasks of it that fit the room there */
    struct bits *open; /* [item]: items that can join it; [count + depth]: open at that depth */
    uint32_t slots, *slot_class; /* classes whose pairs are known: */
    bool *together;              /* [(slot * stages + u) * stages + v] */
    uint32_t *shift;             /* by resource */
    uint32_t *taken, *best_taken;
    int64_t *clique_best;
    int64_t *price;    /* by resource, of one unit of scaled demand, x PRICE_SCALE */
    double *price_now; /* scratch of find_prices() */
    double *over, *value;
    uint32_t *choice;
    int64_t *left, *beside; /* capacity and weights beside the tasks that are there */
    int64_t best,
        missed; /* missed: the most that a node could reach that was given up for lack of nodes */
    int64_t nodes;
};

struct br_packer *br_packer_create(const struct br_packing *packing)
{
    struct br_packer *p = br_calloc(1, sizeof *p);
    size_t n = packing->count, r = packing->in->resources;
    if (!p)
        return NULL;
    struct br_arena *arena = &p->arena;
    p->packing = *packing;
    p->resources = (uint32_t)r;
    p->item = br_arena_array(arena, n, sizeof *p->item);
    p->demand = br_arena_array(arena, n * r + 1, sizeof *p->demand);
    p->small = br_arena_array(arena, n * r + 1, sizeof *p->small);
    p->by_density = br_arena_array(arena, n * r + 1, sizeof *p->by_density);
    p->room = br_arena_array(arena, (n + 2) * r + 1, sizeof *p->room);
    p->fit = br_arena_array(arena, (n + 1) * n, sizeof *p->fit);
    p->open = br_arena_array(arena, 2 * n + 2, sizeof *p->open);
    p->slots = packing->in->classes < CLASSES_KNOWN ? packing->in->classes : CLASSES_KNOWN;
    p->slot_class = br_arena_array(arena, p->slots, sizeof *p->slot_class);
    p->together = br_arena_array(arena, p->slots * n * n + 1, sizeof *p->together);
    for (uint32_t k = 0; p->slot_class && k < p->slots; k++)
        p->slot_class[k] = UINT32_MAX;
    p->shift = br_arena_array(arena, r + 1, sizeof *p->shift);
    p->taken = br_arena_array(arena, n, sizeof *p->taken);
    p->best_taken = br_arena_array(arena, n, sizeof *p->best_taken);
    p->clique_best = br_arena_array(arena, n, sizeof *p->clique_best);
    p->price = br_arena_array(arena, r + 1, sizeof *p->price);
    p->price_now = br_arena_array(arena, 2 * r + 1, sizeof *p->price_now);
    p->over = br_arena_array(arena, r + 1, sizeof *p->over);
    p->value = br_arena_array(arena, n, sizeof *p->value);
    p->choice = br_arena_array(arena, n, sizeof *p->choice);
    p->left = br_arena_array(arena, r + 1, sizeof *p->left);
    p->beside = br_arena_array(arena, n + 1, sizeof *p->beside);
    if (p->item && p->demand && p->small && p->by_density && p->room && p->fit && p->open &&
        p->shift && p->taken && p->best_taken && p->clique_best && p->price && p->price_now &&
        p->over && p->value && p->choice && p->left && p->beside && p->slot_class && p->together)
        return p;
    br_packer_destroy(p);
    return NULL;
}

void br_packer_destroy(struct br_packer *p)
{
    if (p)
        br_arena_finish(&p->arena);
    br_free(p);
}

static bool bit(const struct bits *bits, uint32_t k)
{
    return bits->word[k / 64] >> (k % 64) & 1;
}

static int bounds_packing_denser(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (x->density != y->density)
        return x->density > y->density ? -1 : 1;
    return x->v < y->v ? -1 : x->v > y->v;
}

/* The most tasks of the item that fit the room. */
static uint32_t bounds_packing_fitting(const struct br_packer *p, uint32_t item,
                                       const int64_t *room)
{
    int64_t most = p->item[item].most;
    for (uint32_t r = 0; r < p->resources && most > 0; r++) {
        int64_t demand = p->demand[(size_t)item * p->resources + r];
        if (demand * most > room[r]) /* most is a count that fits the empty machine: no overflow */
            most = room[r] / demand;
    }
    return (uint32_t)most;
}

static void list_items(struct br_packer *p, const int64_t *capacity, const int64_t *weight)
{
    const struct br_packing *packing = &p->packing;
    const struct br_instance *in = packing->in;
    p->count = 0;
    for (uint32_t v = 0; v < packing->count; v++) {
        if (weight[v] <= 0)
            continue;
        const int64_t *demand = in->demand + (size_t)packing->stage[v] * in->resources;
        uint32_t stage = packing->stage[v];
        int64_t most = in->stage_first[stage + 1] - in->stage_first[stage];
        double share = 1e-9;
        for (uint32_t r = 0; r < in->resources; r++)
            if (demand[r] > 0) {
                int64_t fit = capacity[r] / demand[r];
                most = fit < most ? fit : most;
                share += (double)demand[r] / ((double)capacity[r] + 1);
            }
        if (most > 0)
            p->item[p->count++] = (struct item){.v = v,
                                                .most = (uint32_t)most,
                                                .weight = weight[v],
                                                .density = (double)weight[v] / share};
    }
    br_sort_by(p->item, p->count, sizeof *p->item, bounds_packing_denser);
    p->words = (p->count + 63) / 64;
    for (uint32_t r = 0; r < in->resources; r++) {
        p->shift[r] = 0;
        while (capacity[r] >> p->shift[r] >> SCALED_BITS)
            p->shift[r]++;
    }
    for (uint32_t i = 0; i < p->count; i++)
        for (uint32_t r = 0; r < in->resources; r++) {
            int64_t demand = in->demand[(size_t)packing->stage[p->item[i].v] * in->resources + r];
            p->demand[(size_t)i * in->resources + r] = demand;
            p->small[(size_t)i * in->resources + r] = demand >> p->shift[r];
        }
}

/* Items by weight / demand for each resource; insertion into lists that are nearly in order. */
static void bounds_packing_sort_by_resource(struct br_packer *p)
{
    uint32_t n = p->count, resources = p->resources;
    for (uint32_t r = 0; r < resources; r++) {
        uint32_t *list = p->by_density + (size_t)r * p->packing.count;
        for (uint32_t i = 0; i < n; i++) {
            double weight = (double)p->item[i].weight;
            double demand = (double)p->small[(size_t)i * resources + r];
            uint32_t k = i;
            for (; k > 0; k--) {
                uint32_t j = list[k - 1];
                if ((double)p->item[j].weight * demand >=
                    weight * (double)p->small[(size_t)j * resources + r])
                    break;
                list[k] = j;
            }
            list[k] = i;
        }
    }
}

/* The pairs of stages whose tasks can run together on a machine of the class. They do not change
 * from search to search, so they are found once, for a few classes. */
static const bool *find_together(struct br_packer *p, uint32_t cls)
{
    const struct br_packing *packing = &p->packing;
    const struct br_instance *in = packing->in;
    uint32_t n = packing->count, slot = cls % p->slots;
    bool *together = p->together + (size_t)slot * n * n;
    if (p->slot_class[slot] == cls)
        return together;
    p->slot_class[slot] = cls;
    for (uint32_t u = 0; u < n; u++)
        for (uint32_t v = 0; v < u; v++) {
            bool fit = !packing->ahead[(size_t)u * n + v] && !packing->ahead[(size_t)v * n + u];
            for (uint32_t r = 0; r < in->resources && fit; r++)
                fit = in->demand[(size_t)packing->stage[u] * in->resources + r] <=
                      in->capacity[(size_t)cls * in->resources + r] -
                          in->demand[(size_t)packing->stage[v] * in->resources + r];
            together[(size_t)u * n + v] = together[(size_t)v * n + u] = fit;
        }
    return together;
}

/* The pairs of items that can be taken together, and a cover by cliques of which one item can be
 * taken. */
static void find_conflicts(struct br_packer *p, uint32_t cls)
{
    const bool *together = find_together(p, cls);
    uint32_t n = p->count, stages = p->packing.count;
    struct bits *member = &p->open[n + 1]; /* of each clique; not in use before the search */
    for (uint32_t i = 0; i < n; i++)
        p->open[i] = (struct bits){{0}};
    for (uint32_t i = 0; i < n; i++) {
        const bool *row = together + (size_t)p->item[i].v * stages;
        for (uint32_t j = 0; j < i; j++)
            if (row[p->item[j].v]) {
                p->open[i].word[j / 64] |= UINT64_C(1) << (j % 64);
                p->open[j].word[i / 64] |= UINT64_C(1) << (i % 64);
            }
    }
    p->cliques = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t c = 0;
        for (; c < p->cliques; c++) {
            uint64_t shared = 0;
            for (uint32_t w = 0; w < p->words; w++)
                shared |= p->open[i].word[w] & member[c].word[w];
            if (shared == 0)
                break;
        }
        if (c == p->cliques)
            member[p->cliques++] = (struct bits){{0}};
        member[c].word[i / 64] |= UINT64_C(1) << (i % 64);
        p->item[i].clique = c;
    }
}

/* Goes through every open item in order, without those that are closed. */
#define FOR_OPEN(i, open, words)                                                                   \
    for (uint32_t w_ = 0; w_ < (words); w_++)                                                      \
        for (uint64_t left_ = (open)->word[w_], i = 0;                                             \
             left_ && (i = 64 * w_ + (uint32_t)__builtin_ctzll(left_), true); left_ &= left_ - 1)

/* The most weight that open items can still bring if only this resource is scarce. Ends early if
 * the sum is more than enough; it means nothing else then. */
static int64_t resource_bound(const struct br_packer *p, const struct bits *open,
                              const uint32_t *fit, uint32_t r, int64_t room, int64_t enough)
{
    const uint32_t *list = p->by_density + (size_t)r * p->packing.count;
    int64_t sum = 0, left = (room >> p->shift[r]) + (p->shift[r] > 0);
    for (uint32_t k = 0; k < p->count && sum <= enough; k++) {
        uint32_t i = list[k];
        if (!bit(open, i))
            continue;
        int64_t demand = p->small[(size_t)i * p->resources + r], most = fit[i];
        if (demand * most <= left) {
            sum += most * p->item[i].weight;
            left -= demand * most;
            continue;
        }
        /* As many as there is room for; the last task in part, rounded up. */
        sum += left / demand * p->item[i].weight;
        sum += (int64_t)(((br_wide)p->item[i].weight * (left % demand) + demand - 1) / demand);
        break;
    }
    return sum;
}

static int64_t small_room(const struct br_packer *p, uint32_t r, int64_t room)
{
    return (room >> p->shift[r]) + (p->shift[r] > 0);
}

/* The most weight that open items can still bring: one item of each clique, with room at its
 * price. */
static int64_t priced_bound(struct br_packer *p, const struct bits *open, const uint32_t *fit,
                            const int64_t *room)
{
    int64_t sum = 0;
    memset(p->clique_best, 0, p->cliques * sizeof *p->clique_best);
    for (uint32_t r = 0; r < p->resources; r++)
        sum += p->price[r] * small_room(p, r, room[r]);
    FOR_OPEN(i, open, p->words)
    {
        int64_t most = p->item[i].surplus * fit[i], *best = &p->clique_best[p->item[i].clique];
        if (most > *best) {
            sum += most - *best;
            *best = most;
        }
    }
    return sum / PRICE_SCALE;
}

/* Prices of room that make priced_bound() small on the empty machine, by subgradient steps. Any
 * prices give a bound. */
static void find_prices(struct br_packer *p, const int64_t *capacity)
{
    uint32_t n = p->count, resources = p->resources;
    double least = INFINITY, step = 0.5;
    double *price = p->price_now, *best = p->price_now + resources;
    uint32_t *choice = p->choice; /* by clique: the item chosen */
    memset(price, 0, 2 * (size_t)resources * sizeof *price);
    for (int round = 0; round < PRICE_ROUNDS; round++) {
        double sum = 0, norm = 0;
        for (uint32_t c = 0; c < p->cliques; c++)
            p->value[c] = 0;
        for (uint32_t i = 0; i < n; i++) {
            double surplus = (double)p->item[i].weight;
            for (uint32_t r = 0; r < resources; r++)
                surplus -= price[r] * (double)p->small[(size_t)i * resources + r];
            surplus *= p->item[i].most;
            if (surplus > p->value[p->item[i].clique]) {
                p->value[p->item[i].clique] = surplus;
                choice[p->item[i].clique] = i;
            }
        }
        for (uint32_t c = 0; c < p->cliques; c++)
            sum += p->value[c];
        for (uint32_t r = 0; r < resources; r++)
            sum += price[r] * (double)small_room(p, r, capacity[r]);
        if (sum < least) {
            least = sum;
            memcpy(best, price, resources * sizeof *best);
        } else {
            step *= 0.8;
        }
        /* Share by which the choice overdraws each resource. */
        double *over = p->over;
        for (uint32_t r = 0; r < resources; r++) {
            double room = (double)small_room(p, r, capacity[r]), used = 0;
            for (uint32_t c = 0; c < p->cliques; c++)
                if (p->value[c] > 0)
                    used += (double)p->small[(size_t)choice[c] * resources + r] *
                            p->item[choice[c]].most;
            over[r] = (used - room) / (room + 1);
            if (over[r] < 0 && price[r] <= 0)
                over[r] = 0;
            norm += over[r] * over[r];
        }
        if (norm < 1e-12)
            break;
        for (uint32_t r = 0; r < resources; r++) {
            price[r] +=
                step * sum * over[r] / norm / ((double)small_room(p, r, capacity[r]) + 1) / 2;
            price[r] = price[r] > 0 ? price[r] : 0;
        }
    }
    for (uint32_t r = 0; r < resources; r++)
        p->price[r] = (int64_t)(best[r] * PRICE_SCALE);
    for (uint32_t i = 0; i < n; i++) {
        p->item[i].surplus = p->item[i].weight * PRICE_SCALE;
        for (uint32_t r = 0; r < resources; r++)
            p->item[i].surplus -= p->price[r] * p->small[(size_t)i * resources + r];
    }
}

static void bounds_packing_search(struct br_packer *p, uint32_t depth, int64_t weight)
{
    struct bits *open = &p->open[p->count + depth];
    const int64_t *room = p->room + (size_t)depth * p->resources;
    int64_t *next_room = p->room + (size_t)(depth + 1) * p->resources;
    uint32_t *fit = p->fit + (size_t)depth * p->packing.count;
    if (weight > p->best) {
        p->best = weight;
        memcpy(p->best_taken, p->taken, p->count * sizeof *p->taken);
    }
    FOR_OPEN(i, open, p->words)
    {
        fit[i] = bounds_packing_fitting(p, (uint32_t)i, room);
        if (fit[i] == 0)
            open->word[i / 64] &= ~(UINT64_C(1) << (i % 64));
    }
    for (;;) {
        uint32_t first = UINT32_MAX;
        for (uint32_t w = 0; w < p->words && first == UINT32_MAX; w++)
            if (open->word[w])
                first = 64 * w + (uint32_t)__builtin_ctzll(open->word[w]);
        if (first == UINT32_MAX)
            return;
        int64_t enough = p->best - weight, more = priced_bound(p, open, fit, room);
        for (uint32_t r = 0; r < p->resources && more > enough; r++) {
            int64_t bound = resource_bound(p, open, fit, r, room[r], enough);
            more = bound <= enough ? bound : more;
        }
        if (more <= enough)
            return;
        if (p->nodes-- <= 0) {
            if (weight + more > p->missed)
                p->missed = weight + more;
            return;
        }
        open->word[first / 64] &= ~(UINT64_C(1) << (first % 64));
        for (uint32_t k = fit[first]; k > 0; k--) {
            struct bits *next = &p->open[p->count + depth + 1];
            for (uint32_t w = 0; w < p->words; w++)
                next->word[w] = open->word[w] & p->open[first].word[w];
            for (uint32_t r = 0; r < p->resources; r++)
                next_room[r] = room[r] - k * p->demand[(size_t)first * p->resources + r];
            p->taken[first] = k;
            bounds_packing_search(p, depth + 1, weight + k * p->item[first].weight);
        }
        p->taken[first] = 0;
    }
}

/* Does the best set fit the machine and have the stated weight? */
static bool best_fits(const struct br_packer *p, const int64_t *capacity)
{
    int64_t weight = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        weight += p->best_taken[i] * p->item[i].weight;
        for (uint32_t j = 0; p->best_taken[i] > 0 && j < i; j++)
            if (p->best_taken[j] > 0 && !bit(&p->open[i], j))
                return false;
    }
    for (uint32_t r = 0; r < p->resources; r++) {
        int64_t held = 0;
        for (uint32_t i = 0; i < p->count; i++)
            held += p->best_taken[i] * p->demand[(size_t)i * p->resources + r];
        if (held > capacity[r])
            return false;
    }
    return weight == p->best;
}

/* Finds the heaviest set of at least `known`, in p->best and p->best_taken; returns an upper bound
 * on the weight of any. */
static int64_t bounds_packing_heaviest(struct br_packer *p, uint32_t cls, const int64_t *capacity,
                                       const int64_t *weight, int64_t known, int64_t *nodes)
{
    list_items(p, capacity, weight);
    bounds_packing_sort_by_resource(p);
    find_conflicts(p, cls);
    find_prices(p, capacity);
    if (p->resources)
        memcpy(p->room, capacity, p->resources * sizeof *p->room);
    memset(p->taken, 0, p->packing.count * sizeof *p->taken);
    struct bits *all = &p->open[p->count];
    *all = (struct bits){{0}};
    for (uint32_t i = 0; i < p->count; i++)
        all->word[i / 64] |= UINT64_C(1) << (i % 64);
    p->best = known;
    p->missed = 0;
    p->nodes = *nodes;
    if (p->count > 0)
        bounds_packing_search(p, 0, 0);
    br_costly_assert(p->best == known || best_fits(p, capacity));
    *nodes = p->nodes;
    return p->missed > p->best ? p->missed : p->best;
}

int64_t br_packer_heaviest(struct br_packer *p, uint32_t cls, const int64_t *weight, int64_t known,
                           uint32_t *tasks, int64_t *found, int64_t *nodes)
{
    const struct br_instance *in = p->packing.in;
    int64_t most = bounds_packing_heaviest(p, cls, in->capacity + (size_t)cls * in->resources,
                                           weight, known, nodes);
    *found = p->best;
    if (p->best > known) {
        memset(tasks, 0, p->packing.count * sizeof *tasks);
        for (uint32_t i = 0; i < p->count; i++)
            tasks[p->item[i].v] = p->best_taken[i];
    }
    return most;
}

int64_t br_packer_beside(struct br_packer *p, uint32_t cls, uint32_t v, uint32_t count,
                         const int64_t *weight, int64_t *nodes)
{
    const struct br_packing *packing = &p->packing;
    const struct br_instance *in = packing->in;
    uint32_t n = packing->count;
    const int64_t *capacity = in->capacity + (size_t)cls * in->resources;
    const int64_t *demand = in->demand + (size_t)packing->stage[v] * in->resources;
    for (uint32_t r = 0; r < in->resources; r++)
        p->left[r] = capacity[r] - count * demand[r];
    for (uint32_t u = 0; u < n; u++) {
        bool apart = packing->ahead[(size_t)u * n + v] || packing->ahead[(size_t)v * n + u];
        p->beside[u] = u == v || apart ? 0 : weight[u];
    }
    return bounds_packing_heaviest(p, cls, p->left, p->beside, 0, nodes);
}
