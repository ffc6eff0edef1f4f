#include "planner/peak/network.h"

#include <assert.h>

#include "base/collections/csr.h"
#include "base/collections/grow.h"
#include "base/collections/index.h"
#include "base/collections/memory.h"
#include "planner/peak/climbs.h"

static const uint32_t nothing = UINT32_MAX;

/* Nodes as arcs ("links") of a network of points. */
struct link {
    uint32_t from, to; /* points */
    bool gone;
    uint32_t parts, room; /* lists that run beside each other, each longer than those behind it */
    struct br_climbs *part;
};

struct network {
    uint32_t nodes, arcs, points;
    const struct br_peak_arc *arc;
    uint32_t *child_first, *parent_first, *parent; /* of nodes; children are arc[].to */
    uint32_t *enter, *leave;                       /* by node: its points */
    struct link *link;
    uint32_t links;
    uint32_t *in_count, *out_count; /* by point */
    uint32_t *in_sum, *out_sum;     /* by point: its links' numbers, added up by "or else" */
    uint32_t *slot;                 /* links by their points, open addressing */
    uint32_t slots;
    uint32_t *stack, stacked; /* points that may be passed over */
    uint32_t *next;           /* by node */
    bool failed;
};

static uint32_t degree(const uint32_t *first, uint32_t node)
{
    return first[node + 1] - first[node];
}

static bool network_lists(struct network *n)
{
    for (uint32_t k = 0; k < n->arcs; k++) {
        br_csr_count(n->child_first, n->arc[k].from);
        br_csr_count(n->parent_first, n->arc[k].to);
    }
    br_csr_sum(n->child_first, n->nodes);
    br_csr_sum(n->parent_first, n->nodes);
    for (uint32_t k = 0; k < n->arcs; k++) {
        br_csr_place(n->child_first, n->arc[k].from);
        n->parent[br_csr_place(n->parent_first, n->arc[k].to)] = n->arc[k].from;
    }
    return true;
}

/* The parents and children of the node's children are one point. False: one of them is in another.
 */
static bool network_point(struct network *n, uint32_t node)
{
    const uint32_t child = n->arc[n->child_first[node]].to;
    const uint32_t children = degree(n->child_first, node);
    const uint32_t parents = degree(n->parent_first, child);
    const uint32_t point = n->points++;
    for (uint32_t k = n->parent_first[child]; k < n->parent_first[child + 1]; k++) {
        const uint32_t p = n->parent[k];
        if (n->leave[p] != nothing || degree(n->child_first, p) != children)
            return false;
        n->leave[p] = point;
    }
    for (uint32_t k = n->child_first[node]; k < n->child_first[node + 1]; k++) {
        const uint32_t c = n->arc[k].to;
        if (n->enter[c] != nothing || degree(n->parent_first, c) != parents)
            return false;
        n->enter[c] = point;
    }
    return true;
}

/* Every node becomes a link between two points. Point 0 is the source, point 1 the sink. False: no
 * such network has these arcs. */
static bool network_points(struct network *n)
{
    n->points = 2;
    for (uint32_t v = 0; v < n->nodes; v++)
        n->enter[v] = n->leave[v] = nothing;
    for (uint32_t v = 0; v < n->nodes; v++)
        if (degree(n->child_first, v) && n->leave[v] == nothing && !network_point(n, v))
            return false;
    for (uint32_t k = 0; k < n->arcs; k++)
        if (n->leave[n->arc[k].from] != n->enter[n->arc[k].to])
            return false;
    for (uint32_t v = 0; v < n->nodes; v++) {
        n->enter[v] = n->enter[v] == nothing ? 0 : n->enter[v];
        n->leave[v] = n->leave[v] == nothing ? 1 : n->leave[v];
    }
    return true;
}

static bool link_merge_last(struct link *link)
{
    link->parts--;
    return br_climbs_merge(&link->part[link->parts - 1], &link->part[link->parts]);
}

/* Adds a list, which it takes over. A list is merged when another of its length is there, so that
 * it is moved few times. */
static bool link_add(struct link *link, struct br_climbs *list)
{
    bool ok = br_grow(&link->part, link->parts, &link->room, sizeof *list);
    if (!ok) {
        br_climbs_finish(list);
        return false;
    }
    link->part[link->parts++] = *list;
    *list = (struct br_climbs){0};
    while (ok && link->parts > 1 &&
           link->part[link->parts - 2].count <= link->part[link->parts - 1].count)
        ok = link_merge_last(link);
    return ok;
}

/* All that runs beside each other as one list, which is the caller's. */
static bool link_take(struct link *link, struct br_climbs *list)
{
    bool ok = true;
    while (ok && link->parts > 1)
        ok = link_merge_last(link);
    *list = link->parts ? link->part[0] : (struct br_climbs){0};
    for (uint32_t k = 1; k < link->parts; k++)
        br_climbs_finish(&link->part[k]);
    link->parts = 0;
    return ok;
}

static uint32_t *find_slot(struct network *n, uint32_t from, uint32_t to)
{
    uint32_t at = (uint32_t)br_hash_number((uint64_t)from << 32 | to) & (n->slots - 1);
    while (n->slot[at] != nothing &&
           (n->link[n->slot[at]].from != from || n->link[n->slot[at]].to != to))
        at = (at + 1) & (n->slots - 1);
    return &n->slot[at];
}

static void network_push(struct network *n, uint32_t point)
{
    if (point > 1 && n->in_count[point] == 1 && n->out_count[point] == 1)
        n->stack[n->stacked++] = point;
}

/* Adds a link, or the list to one between the same points. */
static void network_add(struct network *n, uint32_t from, uint32_t to, struct br_climbs *list)
{
    uint32_t *slot = find_slot(n, from, to);
    if (*slot == nothing) {
        *slot = n->links++;
        n->link[*slot] = (struct link){.from = from, .to = to};
    }
    n->link[*slot].gone = false;
    n->failed |= !link_add(&n->link[*slot], list);
}

static void network_count(struct network *n, uint32_t link, uint32_t by)
{
    const struct link *l = &n->link[link];
    n->out_count[l->from] += by;
    n->in_count[l->to] += by;
    n->out_sum[l->from] ^= link;
    n->in_sum[l->to] ^= link;
}

/* A point with one link in and one out is passed over: the second runs after the first. */
static void network_pass(struct network *n, uint32_t point)
{
    const uint32_t in = n->in_sum[point], out = n->out_sum[point];
    const uint32_t from = n->link[in].from, to = n->link[out].to;
    struct br_climbs list, after;
    n->failed |= !link_take(&n->link[in], &list);
    n->failed |= !link_take(&n->link[out], &after);
    network_count(n, in, UINT32_MAX); /* less one */
    network_count(n, out, UINT32_MAX);
    n->link[in].gone = n->link[out].gone = true;
    n->failed |= !br_climbs_append(&list, &after, n->next);
    br_climbs_finish(&after);
    const uint32_t *slot = find_slot(n, from, to);
    const bool there = *slot != nothing && !n->link[*slot].gone;
    network_add(n, from, to, &list);
    if (!there)
        network_count(n, *find_slot(n, from, to), 1);
    network_push(n, from);
    network_push(n, to);
}

static void network_links(struct network *n, const struct br_peak_node *node)
{
    for (uint32_t v = 0; v < n->nodes && !n->failed; v++) {
        struct br_climbs list;
        n->next[v] = nothing;
        if (!br_climbs_one(&list, (struct br_climb){node[v].hill, node[v].net, v, v}))
            n->failed = true;
        else
            network_add(n, n->enter[v], n->leave[v], &list);
    }
    for (uint32_t k = 0; k < n->links; k++)
        network_count(n, k, 1);
    for (uint32_t p = 0; p < n->points; p++)
        network_push(n, p);
}

/* The tasks of the one link that is left. */
static enum br_peak_answer network_take(struct network *n, uint32_t *order, int64_t *peak)
{
    struct link *whole = NULL;
    struct br_climbs list = {0};
    for (uint32_t k = 0; k < n->links; k++) {
        if (n->link[k].gone)
            continue;
        if (whole || n->link[k].from != 0 || n->link[k].to != 1)
            return BR_PEAK_OTHER;
        whole = &n->link[k];
    }
    if (whole && !link_take(whole, &list)) {
        br_climbs_finish(&list);
        return BR_PEAK_MEMORY;
    }
    uint32_t used = 0;
    for (uint32_t k = 0; k < list.count; k++)
        for (uint32_t v = list.at[k].first;; v = n->next[v]) {
            order[used++] = v;
            if (v == list.at[k].last)
                break;
        }
    assert(used == n->nodes);
    *peak = br_climbs_peak(&list);
    br_climbs_finish(&list);
    return BR_PEAK_FOUND;
}

static bool network_init(struct network *n)
{
    const size_t nodes = (size_t)n->nodes + 1, points = (size_t)n->nodes + 3;
    n->slots = 16;
    while (n->slots < 4 * (uint64_t)nodes)
        n->slots *= 2;
    n->child_first = br_calloc(br_csr_room(n->nodes), sizeof *n->child_first);
    n->parent_first = br_calloc(br_csr_room(n->nodes), sizeof *n->parent_first);
    n->parent = br_calloc((size_t)n->arcs + 1, sizeof *n->parent);
    n->enter = br_calloc(nodes, sizeof *n->enter);
    n->leave = br_calloc(nodes, sizeof *n->leave);
    n->link = br_calloc(2 * nodes, sizeof *n->link); /* every step removes one at least */
    n->in_count = br_calloc(points, sizeof *n->in_count);
    n->out_count = br_calloc(points, sizeof *n->out_count);
    n->in_sum = br_calloc(points, sizeof *n->in_sum);
    n->out_sum = br_calloc(points, sizeof *n->out_sum);
    n->slot = br_malloc(n->slots * sizeof *n->slot);
    n->stack = br_calloc(4 * points, sizeof *n->stack);
    n->next = br_calloc(nodes, sizeof *n->next);
    if (!n->child_first || !n->parent_first || !n->parent || !n->enter || !n->leave || !n->link ||
        !n->in_count || !n->out_count || !n->in_sum || !n->out_sum || !n->slot || !n->stack ||
        !n->next)
        return false;
    for (uint32_t k = 0; k < n->slots; k++)
        n->slot[k] = nothing;
    return true;
}

static void network_finish(struct network *n)
{
    for (uint32_t k = 0; k < n->links; k++) {
        for (uint32_t p = 0; p < n->link[k].parts; p++)
            br_climbs_finish(&n->link[k].part[p]);
        br_free(n->link[k].part);
    }
    br_free(n->child_first);
    br_free(n->parent_first);
    br_free(n->parent);
    br_free(n->enter);
    br_free(n->leave);
    br_free(n->link);
    br_free(n->in_count);
    br_free(n->out_count);
    br_free(n->in_sum);
    br_free(n->out_sum);
    br_free(n->slot);
    br_free(n->stack);
    br_free(n->next);
}

enum br_peak_answer br_peak_network(const struct br_peak_node *node, uint32_t nodes,
                                    const struct br_peak_arc *arc, uint32_t arcs, uint32_t *order,
                                    int64_t *peak)
{
    struct network n = {.nodes = nodes, .arcs = arcs, .arc = arc};
    enum br_peak_answer answer = BR_PEAK_OTHER;
    n.failed = !network_init(&n);
    if (!n.failed && network_lists(&n) && network_points(&n)) {
        network_links(&n, node);
        while (n.stacked && !n.failed) {
            const uint32_t point = n.stack[--n.stacked];
            if (n.in_count[point] == 1 && n.out_count[point] == 1)
                network_pass(&n, point);
        }
        if (!n.failed)
            answer = network_take(&n, order, peak);
    }
    if (n.failed)
        answer = BR_PEAK_MEMORY;
    network_finish(&n);
    return answer;
}
