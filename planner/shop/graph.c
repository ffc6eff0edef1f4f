/* Finds whether resources are unary, and lays the job out as arcs between single tasks. */
#include "planner/shop/graph.h"

#include <assert.h>

#include "base/collections/csr.h"
#include "base/collections/memory.h"

/* A move costs a look at every task, so on a larger job there would be too few. */
enum { SHOP_TASKS = 3000, SHOP_ARCS_PER_TASK = 40 };

/* Does the task hold something of the resource for some time? */
static bool holds(const struct br_instance *in, uint32_t task, uint32_t resource)
{
    return in->duration[task] > 0 &&
           in->demand[(size_t)in->task_stage[task] * in->resources + resource] > 0;
}

/* Can no two of the tasks that demand it run together? Yes if the two smallest demands do not fit.
 */
static bool is_unary(const struct br_instance *in, uint32_t resource)
{
    int64_t least = INT64_MAX, second = INT64_MAX;
    for (uint32_t t = 0; t < in->tasks; t++) {
        if (!holds(in, t, resource))
            continue;
        int64_t demand = in->demand[(size_t)in->task_stage[t] * in->resources + resource];
        if (demand < least) {
            second = least;
            least = demand;
        } else if (demand < second) {
            second = demand;
        }
    }
    return second != INT64_MAX && least > in->capacity[resource] - second;
}

/* The tasks at the other end of an arc go through a hub if both stages have several. */
static bool by_hub(const struct br_instance *in, uint32_t stage, const struct br_arc *arc)
{
    return !arc->one_to_one && in->stage_first[stage + 1] - in->stage_first[stage] > 1 &&
           in->stage_first[arc->stage + 1] - in->stage_first[arc->stage] > 1;
}

/* Calls `each` for every arc between nodes. `hub` holds the hub of every stage that has one, else
 * 0. */
static void go_through(const struct br_instance *in, const uint32_t *hub,
                       void (*each)(void *context, uint32_t from, uint32_t to), void *context)
{
    for (uint32_t s = 0; s < in->stages; s++) {
        const uint32_t first = in->stage_first[s], end = in->stage_first[s + 1];
        for (uint32_t t = first; hub[s] && t < end; t++)
            each(context, t, hub[s]);
        for (uint32_t a = in->child_first[s]; a < in->child_first[s + 1]; a++) {
            const struct br_arc *arc = &in->child[a];
            const uint32_t child = in->stage_first[arc->stage],
                           last = in->stage_first[arc->stage + 1];
            if (by_hub(in, s, arc)) {
                for (uint32_t t = child; t < last; t++)
                    each(context, hub[s], t);
                continue;
            }
            for (uint32_t t = first; t < end; t++) {
                if (arc->one_to_one)
                    each(context, t, child + (t - first));
                for (uint32_t c = child; !arc->one_to_one && c < last; c++)
                    each(context, t, c);
            }
        }
    }
}

static void count_arc(void *context, uint32_t from, uint32_t to)
{
    struct br_shop_graph *g = context;
    br_csr_count(g->side[0].first, to);
    br_csr_count(g->side[1].first, from);
}

static void place_arc(void *context, uint32_t from, uint32_t to)
{
    struct br_shop_graph *g = context;
    g->side[0].node[br_csr_place(g->side[0].first, to)] = from;
    g->side[1].node[br_csr_place(g->side[1].first, from)] = to;
}

/* An upper bound of the arcs between nodes. */
static uint64_t count_arcs(const struct br_instance *in)
{
    uint64_t arcs = 0;
    for (uint32_t s = 0; s < in->stages; s++) {
        const uint32_t own = in->stage_first[s + 1] - in->stage_first[s];
        arcs += own;
        for (uint32_t a = in->child_first[s]; a < in->child_first[s + 1]; a++) {
            const uint32_t other = in->child[a].stage,
                           tasks = in->stage_first[other + 1] - in->stage_first[other];
            arcs += own > tasks ? own : tasks;
        }
    }
    return arcs;
}

bool br_shop_suits(const struct br_instance *in)
{
    bool scarce = false;
    if (in->machines != 1 || in->tasks > SHOP_TASKS ||
        count_arcs(in) > (uint64_t)SHOP_ARCS_PER_TASK * in->tasks)
        return false;
    uint8_t *uses = br_calloc((size_t)in->tasks + 1, sizeof *uses);
    bool suits = uses != NULL;
    for (uint32_t r = 0; suits && r < in->resources; r++) {
        if (br_instance_scarce_unit(in, r) == 0)
            continue;
        suits = scarce = is_unary(in, r);
        for (uint32_t t = 0; suits && t < in->tasks; t++)
            if (holds(in, t, r))
                suits = uses[t]++ == 0;
    }
    br_free(uses);
    return suits && scarce;
}

/* The resource of each task, and its number there. */
static void number_tasks(struct br_shop_graph *g)
{
    const struct br_instance *in = g->in;
    for (uint32_t x = 0; x <= g->nodes; x++)
        g->resource[x] = UINT32_MAX;
    for (uint32_t r = 0; r < in->resources; r++) {
        uint32_t count = 0;
        if (br_instance_scarce_unit(in, r) == 0)
            continue;
        for (uint32_t t = 0; t < in->tasks; t++)
            if (holds(in, t, r)) {
                g->resource[t] = g->resources;
                g->rank[t] = count++;
            }
        g->resources++;
        g->width = count > g->width ? count : g->width;
    }
    for (uint32_t x = 0; x <= g->nodes; x++)
        if (g->resource[x] == UINT32_MAX)
            g->resource[x] = g->resources;
}

static void list_nodes(struct br_shop_graph *g, const uint32_t *hub)
{
    const struct br_instance *in = g->in;
    uint32_t count = 0;
    for (uint32_t k = 0; k < in->stages; k++) {
        const uint32_t s = in->topological[k];
        for (uint32_t t = in->stage_first[s]; t < in->stage_first[s + 1]; t++)
            g->list[count++] = t;
        if (hub[s])
            g->list[count++] = hub[s];
    }
    assert(count == g->nodes);
}

struct br_shop_graph *br_shop_graph_create(const struct br_instance *in)
{
    const uint64_t arcs = count_arcs(in);
    struct br_shop_graph *g = br_calloc(1, sizeof *g);
    uint32_t *hub = br_calloc((size_t)in->stages + 1, sizeof *hub);
    bool ok = g && hub;
    if (!ok)
        goto out;
    g->in = in;
    g->tasks = g->nodes = in->tasks;
    for (uint32_t s = 0; s < in->stages; s++)
        for (uint32_t a = in->child_first[s]; a < in->child_first[s + 1]; a++)
            if (by_hub(in, s, &in->child[a]) && !hub[s])
                hub[s] = g->nodes++;
    const size_t all = (size_t)g->nodes + 1;
    ok = BR_ARRAY(&g->arena, all, g->duration) && BR_ARRAY(&g->arena, all, g->resource) &&
         BR_ARRAY(&g->arena, all, g->rank) && BR_ARRAY(&g->arena, all, g->list);
    for (int d = 0; d < 2; d++)
        ok = ok && BR_ARRAY(&g->arena, br_csr_room(g->nodes), g->side[d].first) &&
             BR_ARRAY(&g->arena, arcs, g->side[d].node);
    if (!ok)
        goto out;
    for (uint32_t t = 0; t < in->tasks; t++)
        g->duration[t] = in->duration[t];
    go_through(in, hub, count_arc, g);
    for (int d = 0; d < 2; d++)
        br_csr_sum(g->side[d].first, g->nodes);
    go_through(in, hub, place_arc, g);
    assert(g->side[0].first[g->nodes] <= arcs);
    number_tasks(g);
    list_nodes(g, hub);
out:
    br_free(hub);
    if (ok)
        return g;
    br_shop_graph_destroy(g);
    return NULL;
}

void br_shop_graph_destroy(struct br_shop_graph *g)
{
    if (g)
        br_arena_finish(&g->arena);
    br_free(g);
}
