/* An implicit binary tree of componentwise minima and maxima, searched depth first, the child that
 * promises more first. */
#include "planner/space/best_fit.h"

#include "base/collections/memory.h"
#include "base/invariant.h"

enum { HEIGHT_MAX = 32 };

/* The demand in instances without resources: the one component is 0 on both sides. */
static const int64_t nothing = 0;

static const int64_t *best_fit_demand_of(const struct br_best_fit *index, uint32_t stage)
{
    return index->in->resources ? index->in->demand + (size_t)stage * index->in->resources
                                : &nothing;
}

static const int64_t *range_of(const struct br_best_fit *index, size_t node)
{
    return index->range + node * 2 * index->width;
}

static const int64_t *leaf_of(const struct br_best_fit *index, uint32_t machine)
{
    return range_of(index, (size_t)index->leaves + machine);
}

/* The weight of a resource for a whole machine of the class. */
static double weight_of(const struct br_instance *in, uint32_t cls, uint32_t resource)
{
    double capacity = (double)in->capacity[(size_t)cls * in->resources + resource];
    return capacity > 0 ? 1 / (capacity * capacity) : 0;
}

static void best_fit_weigh(struct br_best_fit *index)
{
    const struct br_instance *in = index->in;
    for (uint32_t c = 0; c < in->classes; c++) {
        for (uint32_t m = in->class_first[c]; m < in->class_first[c + 1]; m++)
            index->machine_class[m] = c;
        for (uint32_t r = 0; r < in->resources; r++) {
            double weight = weight_of(in, c, r);
            index->weight[(size_t)c * index->width + r] = weight;
            if (c == 0 || weight < index->lightest[r])
                index->lightest[r] = weight;
        }
    }
}

bool br_best_fit_init(struct br_best_fit *index, const struct br_instance *in)
{
    uint32_t width = in->resources ? in->resources : 1;
    *index = (struct br_best_fit){.in = in, .leaves = 1, .width = width};
    while (index->leaves < in->machines) {
        index->leaves *= 2;
        index->height++;
    }
    size_t nodes = 2 * (size_t)index->leaves;
    index->range = br_malloc(nodes * 2 * width * sizeof *index->range);
    index->weight = br_calloc((size_t)in->classes * width, sizeof *index->weight);
    index->lightest = br_calloc(width, sizeof *index->lightest);
    index->machine_class = br_malloc(in->machines * sizeof *index->machine_class);
    index->changed_at = br_calloc(in->machines, sizeof *index->changed_at);
    if (!index->range || !index->weight || !index->lightest || !index->machine_class ||
        !index->changed_at)
        return false;
    for (size_t k = 0; k < nodes; k++)
        for (uint32_t r = 0; r < width; r++) {
            index->range[k * 2 * width + r] = INT64_MAX;
            index->range[k * 2 * width + width + r] = -1; /* below every demand */
        }
    for (uint32_t k = 0; k < BR_BEST_FIT_STAGES; k++)
        index->memory[k].stage = UINT32_MAX;
    best_fit_weigh(index);
    return true;
}

void br_best_fit_finish(struct br_best_fit *index)
{
    br_free(index->range);
    br_free(index->weight);
    br_free(index->lightest);
    br_free(index->machine_class);
    br_free(index->changed_at);
    *index = (struct br_best_fit){0};
}

/* Do the nodes above the machine hold the least and the most of the values below them? */
static bool best_fit_path_is_sound(const struct br_best_fit *index, uint32_t machine)
{
    uint32_t width = index->width;
    for (size_t node = ((size_t)index->leaves + machine) / 2; node; node /= 2) {
        const int64_t *up = range_of(index, node);
        const int64_t *a = range_of(index, 2 * node), *b = range_of(index, 2 * node + 1);
        for (uint32_t r = 0; r < width; r++)
            if (up[r] != (a[r] < b[r] ? a[r] : b[r]) ||
                up[width + r] != (a[width + r] > b[width + r] ? a[width + r] : b[width + r]))
                return false;
    }
    return true;
}

void br_best_fit_set(struct br_best_fit *index, uint32_t machine, const int64_t *free)
{
    uint32_t width = index->width;
    size_t node = (size_t)index->leaves + machine;
    int64_t *leaf = index->range + node * 2 * width;
    assert(machine < index->in->machines);
    for (uint32_t r = 0; r < width; r++) {
        leaf[r] = free ? free[r] : INT64_MAX;
        leaf[width + r] = free ? free[r] : -1;
    }
    index->changed_at[machine] = ++index->changes;
    index->changed[index->changes % BR_BEST_FIT_CHANGES] = machine;
    for (node /= 2; node; node /= 2) {
        int64_t *up = index->range + node * 2 * width;
        const int64_t *a = range_of(index, 2 * node), *b = a + 2 * (size_t)width;
        bool changed = false;
        for (uint32_t r = 0; r < width; r++) {
            int64_t least = a[r] < b[r] ? a[r] : b[r];
            int64_t most = a[width + r] > b[width + r] ? a[width + r] : b[width + r];
            changed |= (up[r] != least) | (up[width + r] != most);
            up[r] = least;
            up[width + r] = most;
        }
        if (!changed)
            break;
    }
    br_costly_assert(best_fit_path_is_sound(index, machine));
}

/* Does the node's most hold the demand? At a leaf: does the machine? */
static bool best_fit_holds(const int64_t *range, uint32_t width, const int64_t *demand)
{
    for (uint32_t r = 0; r < width; r++)
        if (range[width + r] < demand[r])
            return false;
    return true;
}

/* Weights that are nowhere above those of the machines below the node, `level` above the leaves. */
static const double *node_weight(const struct br_best_fit *index, size_t node, uint32_t level)
{
    if (index->in->classes == 1)
        return index->weight;
    size_t first = (node << level) - index->leaves, last = first + ((size_t)1 << level) - 1;
    if (last >= index->in->machines)
        last = index->in->machines - 1;
    /* A node beyond the last machine holds nothing, so that its weights do not matter. */
    if (first > last || index->machine_class[first] != index->machine_class[last])
        return index->lightest;
    return index->weight + (size_t)index->machine_class[first] * index->width;
}

/* No machine below the node that holds the demand has less slack than this; at a leaf, its slack:
 * what holds the demand has no less free than that. */
static double best_fit_bound_of(const struct br_best_fit *index, const int64_t *range,
                                const double *weight, const int64_t *demand)
{
    double bound = 0;
    for (uint32_t r = 0; r < index->in->resources; r++) {
        int64_t least = range[r] > demand[r] ? range[r] : demand[r];
        bound += (double)demand[r] * (double)least * weight[r];
    }
    return bound;
}

double br_best_fit_slack(const struct br_best_fit *index, uint32_t stage, uint32_t machine,
                         const int64_t *free)
{
    const double *weight = index->weight + (size_t)index->machine_class[machine] * index->width;
    const int64_t *demand = best_fit_demand_of(index, stage);
    double sum = 0;
    for (uint32_t r = 0; r < index->in->resources; r++)
        sum += (double)demand[r] * (double)free[r] * weight[r];
    return sum;
}

uint32_t br_best_fit_empty(const struct br_instance *in, uint32_t stage)
{
    uint32_t best = BR_BEST_FIT_NONE;
    double least = 0;
    for (uint32_t c = 0; c < in->classes; c++) {
        const int64_t *capacity = in->capacity + (size_t)c * in->resources;
        const int64_t *demand = in->demand + (size_t)stage * in->resources;
        double slack = 0;
        uint32_t r = 0;
        for (; r < in->resources && capacity[r] >= demand[r]; r++)
            slack += (double)demand[r] * (double)capacity[r] * weight_of(in, c, r);
        if (r == in->resources && (best == BR_BEST_FIT_NONE || slack < least)) {
            best = in->class_first[c];
            least = slack;
        }
    }
    return best;
}

/* A node to look at. */
struct open {
    size_t node;
    uint32_t level;
    double bound;
};

/* False if nothing below the node holds the demand. */
static bool best_fit_open_node(const struct br_best_fit *index, size_t node, uint32_t level,
                               const int64_t *demand, struct open *open)
{
    const int64_t *range = range_of(index, node);
    if (!best_fit_holds(range, index->width, demand))
        return false;
    const double *weight = node_weight(index, node, level);
    *open = (struct open){node, level, best_fit_bound_of(index, range, weight, demand)};
    return true;
}

/* Finds the first machines by slack, ties by number. */
static void best_fit_search(const struct br_best_fit *index, uint32_t stage,
                            struct br_best_fit_memory *found)
{
    const int64_t *demand = best_fit_demand_of(index, stage);
    double slack[BR_BEST_FIT_FOUND];
    struct open stack[HEIGHT_MAX + 2];
    uint32_t depth = 0, count = 0, room = BR_BEST_FIT_FOUND;
    uint32_t tasks = index->in->stage_first[stage + 1] - index->in->stage_first[stage];
    assert(tasks > 0);
    if (tasks < room) /* more are of no use */
        room = tasks;
    depth += best_fit_open_node(index, 1, index->height, demand, &stack[0]);
    while (depth) {
        struct open top = stack[--depth];
        uint32_t first = (uint32_t)((top.node << top.level) - index->leaves);
        bool full = count == room;
        if (full && (top.bound > slack[count - 1] ||
                     (top.bound == slack[count - 1] && first > found->machine[count - 1])))
            continue;
        if (top.level == 0) {
            uint32_t at = full ? count - 1 : count++;
            for (; at && (slack[at - 1] > top.bound ||
                          (slack[at - 1] == top.bound && found->machine[at - 1] > first));
                 at--) {
                slack[at] = slack[at - 1];
                found->machine[at] = found->machine[at - 1];
            }
            slack[at] = top.bound;
            found->machine[at] = first;
            continue;
        }
        struct open left, right;
        bool has_left = best_fit_open_node(index, 2 * top.node, top.level - 1, demand, &left);
        bool has_right = best_fit_open_node(index, 2 * top.node + 1, top.level - 1, demand, &right);
        bool right_first = has_left && has_right && right.bound < left.bound;
        if (right_first)
            stack[depth++] = left;
        if (has_right)
            stack[depth++] = right;
        if (has_left && !right_first)
            stack[depth++] = left;
    }
    found->stage = stage;
    found->changes = index->changes;
    found->next = 0;
    found->count = count;
    found->room = room;
}

/* The best of those that have changed since, against `best`, if that is not NONE. */
static uint32_t best_changed(const struct br_best_fit *index, uint32_t stage, uint32_t since,
                             uint32_t best)
{
    const int64_t *demand = best_fit_demand_of(index, stage);
    double least = 0;
    if (best != BR_BEST_FIT_NONE)
        least = br_best_fit_slack(index, stage, best, leaf_of(index, best));
    for (uint32_t k = since + 1; k <= index->changes; k++) {
        uint32_t machine = index->changed[k % BR_BEST_FIT_CHANGES];
        if (index->changed_at[machine] != k || /* a later change of it follows */
            !best_fit_holds(leaf_of(index, machine), index->width, demand))
            continue;
        double slack = br_best_fit_slack(index, stage, machine, leaf_of(index, machine));
        if (best == BR_BEST_FIT_NONE || slack < least || (slack == least && machine < best)) {
            best = machine;
            least = slack;
        }
    }
    return best;
}

static uint32_t best_fit_find(struct br_best_fit *index, uint32_t stage)
{
    struct br_best_fit_memory *m = &index->memory[stage % BR_BEST_FIT_STAGES];
    if (m->stage == stage && index->changes - m->changes <= BR_BEST_FIT_CHANGES) {
        while (m->next < m->count && index->changed_at[m->machine[m->next]] > m->changes)
            m->next++;
        if (m->next < m->count)
            return best_changed(index, stage, m->changes, m->machine[m->next]);
        if (m->count < m->room)
            return best_changed(index, stage, m->changes, BR_BEST_FIT_NONE);
    }
    best_fit_search(index, stage, m);
    return m->count ? m->machine[0] : BR_BEST_FIT_NONE;
}

/* The answer of br_best_fit_find by a look at every machine. */
static uint32_t find_plainly(const struct br_best_fit *index, uint32_t stage)
{
    uint32_t best = BR_BEST_FIT_NONE;
    double least = 0;
    for (uint32_t m = 0; m < index->in->machines; m++) {
        if (!best_fit_holds(leaf_of(index, m), index->width, best_fit_demand_of(index, stage)))
            continue;
        double slack = br_best_fit_slack(index, stage, m, leaf_of(index, m));
        if (best == BR_BEST_FIT_NONE || slack < least) {
            best = m;
            least = slack;
        }
    }
    return best;
}

uint32_t br_best_fit_find(struct br_best_fit *index, uint32_t stage)
{
    uint32_t found = best_fit_find(index, stage);
    br_costly_assert(found == find_plainly(index, stage));
    return found;
}

uint32_t br_best_fit_next(const struct br_best_fit *index, uint32_t stage, uint32_t from)
{
    const int64_t *demand = best_fit_demand_of(index, stage);
    size_t node = (size_t)index->leaves + from;
    if (from >= index->leaves)
        return BR_BEST_FIT_NONE;
    for (;;) {
        if (best_fit_holds(range_of(index, node), index->width, demand)) {
            if (node >= index->leaves)
                return (uint32_t)(node - index->leaves);
            node *= 2;
            continue;
        }
        while (node & 1) /* up, as long as this was the right child */
            node /= 2;
        if (node == 0)
            return BR_BEST_FIT_NONE;
        node++;
    }
}
