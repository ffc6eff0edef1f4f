/* Searches depth first. A node takes some tasks of the first choice left, as many as fit, then
 * fewer, then none. It is given up if the choices left cannot bring more than the best set.
 *
 * A price on the room of one resource tells: a set that fits pays at most for all the room, so that
 * it weighs at most the room at its price and the surplus of its tasks, their weight less what they
 * pay. Of choices of which no two can run together only the largest surplus counts. Any price is
 * right. A good one is the weight by demand of the choice at which the room is full, when choices
 * fill it in the order of that. All resources together, by shares of the machine, are a resource as
 * well. */
#include "planner/check/proofs/heavy.h"

#include <assert.h>
#include <string.h>

#include "base/collections/memory.h"
#include "base/collections/sort.h"
#include "base/invariant.h"
#include "base/numbers/wide.h"

/* A machine has so many shares of each resource. */
#define SHARES (INT64_C(1) << 20)

struct choice {
    uint32_t v;     /* of those to choose from */
    uint32_t most;  /* tasks of it that an empty machine holds */
    uint32_t group; /* of stages of which no two can run together */
    int64_t weight; /* of a task */
    int64_t share;  /* of the machine, in all resources together */
};

struct br_heavy {
    const struct br_instance *in;
    const struct br_ahead *ahead;
    const uint32_t *stage;
    uint32_t count;

    /* For one class and its weights: the choices are the stages that may be in a set. */
    uint32_t choices, groups;
    struct choice *choice;
    uint32_t resources;        /* of the instance, and one more for all of them together */
    int64_t *demand;           /* [i * resources + r], by choice */
    bool *together;            /* [i * count + j]: choices i and j can run together */
    uint32_t *order;           /* [r * count + k]: choices with a demand for r, by weight for it */
    uint32_t *ordered;         /* by resource: how many */
    br_wide *surplus;          /* by group: scratch */
    uint32_t *list, *fit;      /* [depth * count]: for each depth, see struct left */
    int64_t *room;             /* [depth * resources + r] */
    uint32_t scarce;           /* the resource that was last seen to be too scarce */
    int64_t best, open, nodes; /* open: most that a node left for want of nodes could reach */
};

struct br_heavy *br_heavy_create(const struct br_instance *in, const struct br_ahead *ahead,
                                 const uint32_t *stage, uint32_t count)
{
    struct br_heavy *h = br_calloc(1, sizeof *h);
    size_t n = count, r = (size_t)in->resources + 1;
    assert(count <= BR_HEAVY_STAGES);
    if (!h)
        return NULL;
    *h = (struct br_heavy){
        .in = in, .ahead = ahead, .stage = stage, .count = count, .resources = in->resources + 1};
    h->choice = br_calloc(n + 1, sizeof *h->choice);
    h->demand = br_calloc(n * r + 1, sizeof *h->demand);
    h->together = br_calloc(n * n + 1, sizeof *h->together);
    h->order = br_calloc(n * r + 1, sizeof *h->order);
    h->ordered = br_calloc(r + 1, sizeof *h->ordered);
    h->surplus = br_calloc(n + 1, sizeof *h->surplus);
    h->list = br_calloc((n + 2) * n + 1, sizeof *h->list);
    h->fit = br_calloc((n + 2) * n + 1, sizeof *h->fit);
    h->room = br_calloc((n + 2) * r + 1, sizeof *h->room);
    if (h->choice && h->demand && h->together && h->order && h->ordered && h->surplus && h->list &&
        h->fit && h->room)
        return h;
    br_heavy_destroy(h);
    return NULL;
}

void br_heavy_destroy(struct br_heavy *h)
{
    if (!h)
        return;
    br_free(h->choice);
    br_free(h->demand);
    br_free(h->together);
    br_free(h->order);
    br_free(h->ordered);
    br_free(h->surplus);
    br_free(h->list);
    br_free(h->fit);
    br_free(h->room);
    br_free(h);
}

/* --- what there is to choose from ------------------------------------------------------------ */

/* The most weight for its share of the machine first. */
static int densest_first(const void *a, const void *b)
{
    const struct choice *x = a, *y = b;
    br_wide left = (br_wide)x->weight * (y->share + 1), right = (br_wide)y->weight * (x->share + 1);
    if (left != right)
        return left > right ? -1 : 1;
    return x->v < y->v ? -1 : x->v > y->v;
}

/* Tasks with these demands that fit the room, at most `most`. */
static uint32_t heavy_fitting(const struct br_heavy *h, const int64_t *demand, const int64_t *room,
                              uint32_t most)
{
    for (uint32_t r = 0; r < h->resources && most > 0; r++)
        if (demand[r] > 0 && room[r] / demand[r] < most)
            most = (uint32_t)(room[r] / demand[r]);
    return most;
}

static const int64_t *heavy_demand_of(const struct br_heavy *h, uint32_t i)
{
    return h->demand + (size_t)i * h->resources;
}

/* The shares of the machine in all resources, each rounded down: together no more than the machine
 * has itself, in every set that fits. */
static int64_t shares(const struct br_heavy *h, const int64_t *amount, const int64_t *capacity)
{
    int64_t sum = 0;
    for (uint32_t r = 0; r + 1 < h->resources; r++)
        if (capacity[r] > 0)
            sum += (int64_t)((br_wide)amount[r] * SHARES / capacity[r]);
    return sum;
}

static void list_choices(struct br_heavy *h, const int64_t *capacity, const int64_t *weight)
{
    const struct br_instance *in = h->in;
    h->choices = 0;
    for (uint32_t v = 0; v < h->count; v++) {
        uint32_t s = h->stage[v];
        const int64_t *demand = in->demand + (size_t)s * in->resources;
        int64_t most = weight[v] > 0 ? in->stage_first[s + 1] - in->stage_first[s] : 0;
        for (uint32_t r = 0; r < in->resources && most > 0; r++)
            if (demand[r] > 0 && capacity[r] / demand[r] < most)
                most = capacity[r] / demand[r];
        if (most > 0)
            h->choice[h->choices++] = (struct choice){.v = v,
                                                      .most = (uint32_t)most,
                                                      .weight = weight[v],
                                                      .share = shares(h, demand, capacity)};
    }
    br_sort_by(h->choice, h->choices, sizeof *h->choice, densest_first);
    for (uint32_t i = 0; i < h->choices; i++) {
        int64_t *out = h->demand + (size_t)i * h->resources;
        const int64_t *demand = in->demand + (size_t)h->stage[h->choice[i].v] * in->resources;
        memcpy(out, demand, in->resources * sizeof *out);
        out[in->resources] = h->choice[i].share;
    }
}

static bool can_join(const struct br_heavy *h, const int64_t *capacity, uint32_t i, uint32_t j)
{
    uint32_t s = h->stage[h->choice[i].v], u = h->stage[h->choice[j].v];
    for (uint32_t r = 0; r < h->in->resources; r++)
        if (heavy_demand_of(h, i)[r] > capacity[r] - heavy_demand_of(h, j)[r])
            return false;
    return !br_is_ahead(h->ahead, s, u) && !br_is_ahead(h->ahead, u, s);
}

/* Can choice i run together with one of the group, of those before it? */
static bool joins_one(const struct br_heavy *h, uint32_t i, uint32_t group)
{
    for (uint32_t j = 0; j < i; j++)
        if (h->choice[j].group == group && h->together[(size_t)i * h->count + j])
            return true;
    return false;
}

/* Finds the choices that can run together, and groups of which no two can: each choice goes to the
 * first group that has none for it to run with. */
static void find_groups(struct br_heavy *h, const int64_t *capacity)
{
    h->groups = 0;
    for (uint32_t i = 0; i < h->choices; i++) {
        uint32_t group = 0;
        for (uint32_t j = 0; j < i; j++)
            h->together[(size_t)i * h->count + j] = h->together[(size_t)j * h->count + i] =
                can_join(h, capacity, i, j);
        while (group < h->groups && joins_one(h, i, group))
            group++;
        h->choice[i].group = group;
        h->groups += group == h->groups;
    }
}

/* Does choice i weigh more for its demand for the resource than j? */
static bool heavy_denser(const struct br_heavy *h, uint32_t r, uint32_t i, uint32_t j)
{
    return (br_wide)h->choice[i].weight * heavy_demand_of(h, j)[r] >
           (br_wide)h->choice[j].weight * heavy_demand_of(h, i)[r];
}

static void heavy_sort_by_resource(struct br_heavy *h)
{
    for (uint32_t r = 0; r < h->resources; r++) {
        uint32_t *order = h->order + (size_t)r * h->count, n = 0;
        for (uint32_t i = 0; i < h->choices; i++) {
            if (heavy_demand_of(h, i)[r] == 0)
                continue;
            uint32_t k = n++;
            for (; k > 0 && heavy_denser(h, r, i, order[k - 1]); k--)
                order[k] = order[k - 1];
            order[k] = i;
        }
        h->ordered[r] = n;
    }
}

/* --- the search ------------------------------------------------------------------------------ */

/* A place in the search: the choices left, ascending, and how many tasks of each fit the room. */
struct left {
    const uint32_t *choice;
    uint32_t count;
    uint32_t *fit;       /* by choice; 0 for those that are not left */
    const int64_t *room; /* by resource */
};

/* The choice at which those left have filled the room of a resource, by weight for it; UINT32_MAX
 * if there is room for all. */
static uint32_t filled_at(const struct br_heavy *h, const struct left *left, uint32_t r)
{
    const uint32_t *order = h->order + (size_t)r * h->count;
    int64_t room = left->room[r];
    for (uint32_t k = 0; k < h->ordered[r]; k++) {
        uint32_t i = order[k];
        if (left->fit[i] == 0)
            continue;
        room -= left->fit[i] * heavy_demand_of(h, i)[r];
        if (room < 0)
            return i;
    }
    return UINT32_MAX;
}

/* The most that the choices left weigh if `per` of resource r cost `price`, times `per`. */
static br_wide priced(const struct br_heavy *h, const struct left *left, uint32_t r, int64_t price,
                      int64_t per)
{
    br_wide sum = (br_wide)price * left->room[r];
    for (uint32_t g = 0; g < h->groups; g++)
        h->surplus[g] = 0;
    for (uint32_t k = 0; k < left->count; k++) {
        uint32_t i = left->choice[k];
        const struct choice *choice = &h->choice[i];
        br_wide surplus = (br_wide)choice->weight * per - (br_wide)price * heavy_demand_of(h, i)[r];
        if (surplus <= 0)
            continue;
        surplus *= left->fit[i];
        if (surplus > h->surplus[choice->group]) {
            sum += surplus - h->surplus[choice->group];
            h->surplus[choice->group] = surplus;
        }
    }
    return sum;
}

/* The most that the choices left can weigh; stops early once it is known not to exceed `enough`.
 * The resource that showed this last is asked first. */
static int64_t at_most(struct br_heavy *h, const struct left *left, int64_t enough)
{
    const uint32_t resources = h->resources, first = h->scarce;
    int64_t least = (int64_t)priced(h, left, 0, 0, 1);
    for (uint32_t k = 0; k < resources && least > enough; k++) {
        uint32_t r = (first + k) % resources, at = filled_at(h, left, r);
        if (at == UINT32_MAX)
            continue;
        int64_t per = heavy_demand_of(h, at)[r];
        br_wide most = priced(h, left, r, h->choice[at].weight, per);
        if (most < (br_wide)least * per)
            least = (int64_t)(most / per);
        if (least <= enough)
            h->scarce = r;
    }
    return least;
}

/* Is there room for what the set holds, and is every choice left one that fits? */
static bool heavy_in_order(const struct br_heavy *h, const struct left *left)
{
    for (uint32_t r = 0; r < h->resources; r++) {
        if (left->room[r] < 0)
            return false;
        for (uint32_t k = 0; k < left->count; k++)
            if (heavy_demand_of(h, left->choice[k])[r] > left->room[r])
                return false;
    }
    return true;
}

/* Adds tasks of the choices left, in all ways that may be heavier than the best set, to a set of
 * that weight. */
static void heavy_search(struct br_heavy *h, uint32_t depth, struct left *left, int64_t weight)
{
    const uint32_t resources = h->resources;
    uint32_t *list = h->list + (size_t)depth * h->count, *fit = h->fit + (size_t)depth * h->count;
    int64_t *room = h->room + (size_t)depth * resources;
    br_costly_assert(heavy_in_order(h, left));
    h->best = weight > h->best ? weight : h->best;
    for (; left->count > 0; left->choice++, left->count--) {
        int64_t more = at_most(h, left, h->best - weight);
        if (more <= h->best - weight)
            return;
        if (h->nodes == 0) {
            h->open = weight + more > h->open ? weight + more : h->open;
            return;
        }
        h->nodes--;
        uint32_t i = left->choice[0];
        for (uint32_t n = left->fit[i]; n > 0; n--) {
            struct left next = {.choice = list, .fit = fit, .room = room};
            for (uint32_t r = 0; r < resources; r++)
                room[r] = left->room[r] - n * heavy_demand_of(h, i)[r];
            memset(fit, 0, h->choices * sizeof *fit);
            for (uint32_t k = 1; k < left->count; k++) {
                uint32_t j = left->choice[k];
                if (h->together[(size_t)i * h->count + j])
                    fit[j] = heavy_fitting(h, heavy_demand_of(h, j), room, left->fit[j]);
                if (fit[j] > 0)
                    list[next.count++] = j;
            }
            heavy_search(h, depth + 1, &next, weight + n * h->choice[i].weight);
        }
        left->fit[i] = 0;
    }
}

int64_t br_heaviest(struct br_heavy *h, uint32_t cls, const int64_t *weight, int64_t *nodes)
{
    const int64_t *capacity = h->in->capacity + (size_t)cls * h->in->resources;
    list_choices(h, capacity, weight);
    memcpy(h->room, capacity, h->in->resources * sizeof *capacity);
    h->room[h->in->resources] = shares(h, capacity, capacity);
    find_groups(h, capacity);
    heavy_sort_by_resource(h);
    for (uint32_t i = 0; i < h->choices; i++) {
        h->list[i] = i;
        h->fit[i] = h->choice[i].most;
    }
    struct left all = {.choice = h->list, .count = h->choices, .fit = h->fit, .room = h->room};
    h->best = h->open = 0;
    h->nodes = *nodes;
    heavy_search(h, 1, &all, 0);
    *nodes = h->nodes;
    return h->best > h->open ? h->best : h->open;
}
