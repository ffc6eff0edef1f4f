/* Items (stages) in the order of weight by demand. A node takes some tasks of the first item left,
 * as many as fit, then fewer, then none. It is given up where what is left cannot bring more than
 * the best: by each resource alone with the last item cut to fit, and by a cover of cliques of
 * which only one item can be taken. For the first, demands are scaled down to 24 bits, demands
 * rounded down and room up, which keeps products within 64 bits and the bound a bound. */
#include "lp/pattern.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS = (LP_STAGES + 63) / 64, SCALED_BITS = 24, NODES_EACH = 20000 };

struct bits {
    uint64_t word[WORDS];
};

struct item {
    uint32_t v;    /* stage, by index into the problem */
    uint32_t most; /* tasks of it on the empty machine */
    uint32_t clique;
    int64_t weight; /* of one task */
    double density;
};

struct lp_packer {
    const struct lp_problem *problem;
    uint32_t count, cliques, resources, words;
    struct item *item;
    int64_t *demand;      /* [item * resources + r] */
    int64_t *small;       /* the same, scaled down */
    uint32_t *by_density; /* [r * LP_STAGES + k]: items by weight / demand for the resource */
    int64_t *room;        /* [depth * resources + r] */
    struct bits *open;    /* [item]: items that can join it; [count + depth]: open at that depth */
    uint32_t *shift;      /* by resource */
    uint32_t *taken, *best_taken;
    int64_t *clique_best;
    int64_t best, missed; /* missed: most that a node given up for lack of nodes could reach */
    int64_t nodes;
};

struct lp_packer *lp_packer_create(const struct lp_problem *problem)
{
    struct lp_packer *p = calloc(1, sizeof *p);
    size_t n = problem->count, r = problem->in->resources;
    if (!p)
        return NULL;
    p->problem = problem;
    p->resources = (uint32_t)r;
    p->item = calloc(n, sizeof *p->item);
    p->demand = calloc(n * r + 1, sizeof *p->demand);
    p->small = calloc(n * r + 1, sizeof *p->small);
    p->by_density = calloc(n * r + 1, sizeof *p->by_density);
    p->room = calloc((n + 2) * r + 1, sizeof *p->room);
    p->open = calloc(2 * n + 1, sizeof *p->open);
    p->shift = calloc(r + 1, sizeof *p->shift);
    p->taken = calloc(n, sizeof *p->taken);
    p->best_taken = calloc(n, sizeof *p->best_taken);
    p->clique_best = calloc(n, sizeof *p->clique_best);
    if (p->item && p->demand && p->small && p->by_density && p->room && p->open && p->shift &&
        p->taken && p->best_taken && p->clique_best)
        return p;
    lp_packer_destroy(p);
    return NULL;
}

void lp_packer_destroy(struct lp_packer *p)
{
    if (!p)
        return;
    free(p->item);
    free(p->demand);
    free(p->small);
    free(p->by_density);
    free(p->room);
    free(p->open);
    free(p->shift);
    free(p->taken);
    free(p->best_taken);
    free(p->clique_best);
    free(p);
}

static bool bit(const struct bits *bits, uint32_t k)
{
    return bits->word[k / 64] >> (k % 64) & 1;
}

static int denser(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (x->density != y->density)
        return x->density > y->density ? -1 : 1;
    return x->v < y->v ? -1 : x->v > y->v;
}

/* Most tasks of the item that fit the room. */
static uint32_t fitting(const struct lp_packer *p, uint32_t item, const int64_t *room)
{
    int64_t most = p->item[item].most;
    for (uint32_t r = 0; r < p->resources && most > 0; r++) {
        int64_t demand = p->demand[(size_t)item * p->resources + r];
        if (demand * most > room[r]) /* most is a count that fits the empty machine: no overflow */
            most = room[r] / demand;
    }
    return (uint32_t)most;
}

static void list_items(struct lp_packer *p, const int64_t *capacity, const int64_t *weight)
{
    const struct lp_problem *problem = p->problem;
    const struct br_instance *in = problem->in;
    p->count = 0;
    for (uint32_t v = 0; v < problem->count; v++) {
        if (weight[v] <= 0)
            continue;
        const int64_t *demand = in->demand + (size_t)problem->stage[v] * in->resources;
        int64_t most = problem->tasks[v];
        double share = 1e-9;
        for (uint32_t r = 0; r < in->resources; r++)
            if (demand[r] > 0) {
                int64_t fit = capacity[r] / demand[r];
                most = fit < most ? fit : most;
                share += (double)demand[r] / ((double)capacity[r] + 1);
            }
        if (most > 0)
            p->item[p->count++] =
                (struct item){v, (uint32_t)most, 0, weight[v], (double)weight[v] / share};
    }
    qsort(p->item, p->count, sizeof *p->item, denser);
    p->words = (p->count + 63) / 64;
    for (uint32_t r = 0; r < in->resources; r++) {
        p->shift[r] = 0;
        while (capacity[r] >> p->shift[r] >> SCALED_BITS)
            p->shift[r]++;
    }
    for (uint32_t i = 0; i < p->count; i++)
        for (uint32_t r = 0; r < in->resources; r++) {
            int64_t demand = in->demand[(size_t)problem->stage[p->item[i].v] * in->resources + r];
            p->demand[(size_t)i * in->resources + r] = demand;
            p->small[(size_t)i * in->resources + r] = demand >> p->shift[r];
        }
}

/* Items by weight / demand for each resource; insertion into lists that are nearly in order. */
static void sort_by_resource(struct lp_packer *p)
{
    uint32_t n = p->count, resources = p->resources;
    for (uint32_t r = 0; r < resources; r++) {
        uint32_t *list = p->by_density + (size_t)r * p->problem->count;
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

/* Which items can be taken together, and a cover by cliques of which one can be taken. */
static void find_conflicts(struct lp_packer *p, const int64_t *capacity)
{
    const struct lp_problem *problem = p->problem;
    uint32_t n = p->count, resources = p->resources;
    p->cliques = 0;
    for (uint32_t i = 0; i < n; i++)
        p->open[i] = (struct bits){{0}};
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < i; j++) {
            uint32_t u = p->item[i].v, v = p->item[j].v;
            bool together = !problem->ahead[(size_t)u * problem->count + v] &&
                            !problem->ahead[(size_t)v * problem->count + u];
            for (uint32_t r = 0; r < resources && together; r++)
                together = p->demand[(size_t)i * resources + r] <=
                           capacity[r] - p->demand[(size_t)j * resources + r];
            if (together) {
                p->open[i].word[j / 64] |= UINT64_C(1) << (j % 64);
                p->open[j].word[i / 64] |= UINT64_C(1) << (i % 64);
            }
        }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t c = 0;
        for (; c < p->cliques; c++) {
            bool all = true;
            for (uint32_t j = 0; j < i && all; j++)
                all = p->item[j].clique != c || !bit(&p->open[i], j);
            if (all)
                break;
        }
        p->item[i].clique = c;
        p->cliques += c == p->cliques;
    }
}

/* Most weight that open items can still bring, were only this resource scarce. */
static int64_t resource_bound(const struct lp_packer *p, const struct bits *open, uint32_t r,
                              int64_t room, int64_t enough)
{
    const uint32_t *list = p->by_density + (size_t)r * p->problem->count;
    int64_t sum = 0, left = (room >> p->shift[r]) + (p->shift[r] > 0);
    for (uint32_t k = 0; k < p->count && sum <= enough; k++) {
        uint32_t i = list[k];
        if (!bit(open, i))
            continue;
        int64_t demand = p->small[(size_t)i * p->resources + r], most = p->item[i].most;
        if (demand * most <= left) {
            sum += most * p->item[i].weight;
            left -= demand * most;
        } else { /* as much as there is room for, the last task in part */
            int64_t whole = left / demand, rest = left % demand;
            sum += whole * p->item[i].weight;
            /* weight * rest / demand, rounded up, where the product may not fit */
            sum +=
                (int64_t)((__extension__(__int128) p->item[i].weight * rest + demand - 1) / demand);
            break;
        }
    }
    return sum;
}

static int64_t clique_bound(struct lp_packer *p, const struct bits *open, const int64_t *room)
{
    int64_t sum = 0;
    memset(p->clique_best, 0, p->cliques * sizeof *p->clique_best);
    for (uint32_t i = 0; i < p->count; i++) {
        if (!bit(open, i))
            continue;
        const struct item *item = &p->item[i];
        int64_t most = item->weight * fitting(p, i, room);
        if (most > p->clique_best[item->clique]) {
            sum += most - p->clique_best[item->clique];
            p->clique_best[item->clique] = most;
        }
    }
    return sum;
}

static void search(struct lp_packer *p, uint32_t depth, int64_t weight)
{
    struct bits *open = &p->open[p->count + depth];
    const int64_t *room = p->room + (size_t)depth * p->resources;
    int64_t *next_room = p->room + (size_t)(depth + 1) * p->resources;
    if (weight > p->best) {
        p->best = weight;
        memcpy(p->best_taken, p->taken, p->count * sizeof *p->taken);
    }
    for (;;) {
        uint32_t first = UINT32_MAX;
        for (uint32_t w = 0; w < p->words && first == UINT32_MAX; w++)
            while (open->word[w]) {
                uint32_t i = 64 * w + (uint32_t)__builtin_ctzll(open->word[w]);
                if (fitting(p, i, room) > 0) {
                    first = i;
                    break;
                }
                open->word[w] &= open->word[w] - 1;
            }
        if (first == UINT32_MAX)
            return;
        int64_t more = clique_bound(p, open, room), enough = p->best - weight;
        for (uint32_t r = 0; r < p->resources && more > enough; r++) {
            int64_t bound = resource_bound(p, open, r, room[r], enough);
            /* Beyond `enough` the sum was left early and says nothing but that. */
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
        for (uint32_t k = fitting(p, first, room); k > 0; k--) {
            struct bits *next = &p->open[p->count + depth + 1];
            for (uint32_t w = 0; w < p->words; w++)
                next->word[w] = open->word[w] & p->open[first].word[w];
            for (uint32_t r = 0; r < p->resources; r++)
                next_room[r] = room[r] - k * p->demand[(size_t)first * p->resources + r];
            p->taken[first] = k;
            search(p, depth + 1, weight + k * p->item[first].weight);
        }
        p->taken[first] = 0;
    }
}

int64_t lp_packer_heaviest(struct lp_packer *p, uint32_t cls, const int64_t *weight, int64_t known,
                           uint32_t *tasks, int64_t *found, int64_t *nodes)
{
    const struct br_instance *in = p->problem->in;
    const int64_t *capacity = in->capacity + (size_t)cls * in->resources;
    list_items(p, capacity, weight);
    sort_by_resource(p);
    find_conflicts(p, capacity);
    if (p->resources)
        memcpy(p->room, capacity, p->resources * sizeof *p->room);
    memset(p->taken, 0, p->problem->count * sizeof *p->taken);
    struct bits *all = &p->open[p->count];
    *all = (struct bits){{0}};
    for (uint32_t i = 0; i < p->count; i++)
        all->word[i / 64] |= UINT64_C(1) << (i % 64);
    int64_t allowed = *nodes < NODES_EACH ? *nodes : NODES_EACH;
    p->best = known;
    p->missed = 0;
    p->nodes = allowed;
    if (p->count > 0)
        search(p, 0, 0);
    *nodes -= allowed - p->nodes;
    *found = p->best;
    if (p->best > known) {
        memset(tasks, 0, p->problem->count * sizeof *tasks);
        for (uint32_t i = 0; i < p->count; i++)
            tasks[p->item[i].v] = p->best_taken[i];
    }
    return p->missed > p->best ? p->missed : p->best;
}
