#include "cluster/simulate/policies/order.h"

#include <assert.h>
#include <stdlib.h>

#include "base/collections/csr.h"
#include "base/collections/sort.h"

/* The children of every stage in CSR form. */
struct children {
    uint32_t *first, *child;
};

static bool policies_order_find_children(struct br_arena *arena, const struct br_dag *dag,
                                         struct children *children)
{
    uint32_t *first = br_arena_array(arena, br_csr_room(dag->stages), sizeof *first);
    children->first = first;
    children->child = br_arena_array(arena, dag->edges, sizeof *children->child);
    if (!first || !children->child)
        return false;
    for (uint32_t e = 0; e < dag->edges; e++)
        br_csr_count(first, dag->edge[e].parent);
    br_csr_sum(first, dag->stages);
    for (uint32_t e = 0; e < dag->edges; e++)
        children->child[br_csr_place(first, dag->edge[e].parent)] = dag->edge[e].child;
    assert(first[0] == 0 && first[dag->stages] == dag->edges);
    return true;
}

/* The stages' tasks by key, ties in topological order and then by number. */
static uint32_t *policies_order_by(struct br_arena *arena, const struct br_dag *dag,
                                   const int64_t *key)
{
    uint32_t *order = br_arena_array(arena, dag->tasks, sizeof *order);
    struct br_sort_item *item = malloc(2 * (size_t)dag->stages * sizeof *item);
    if (!order || !item) {
        free(item);
        return NULL;
    }
    for (uint32_t p = 0; p < dag->stages; p++)
        item[p] = (struct br_sort_item){br_sort_key(key[dag->topological[p]]), dag->topological[p]};
    br_sort(item, item + dag->stages, dag->stages);
    uint32_t used = 0;
    for (uint32_t p = 0; p < dag->stages; p++) {
        const struct br_stage *stage = &dag->stage[item[p].item];
        for (uint32_t i = 0; i < stage->tasks; i++)
            order[used++] = stage->first_task + i;
    }
    assert(used == dag->tasks);
    free(item);
    return order;
}

uint32_t *br_order_breadth(struct br_arena *arena, const struct br_dag *dag)
{
    int64_t *depth = br_arena_array(arena, dag->stages, sizeof *depth);
    struct children children;
    if (!depth || !policies_order_find_children(arena, dag, &children))
        return NULL;
    for (uint32_t p = 0; p < dag->stages; p++) {
        uint32_t s = dag->topological[p];
        for (uint32_t k = children.first[s]; k < children.first[s + 1]; k++) {
            uint32_t child = children.child[k];
            depth[child] = depth[child] > depth[s] + 1 ? depth[child] : depth[s] + 1;
        }
    }
    return policies_order_by(arena, dag, depth);
}

uint32_t *br_order_tails(struct br_arena *arena, const struct br_dag *dag, int64_t *tail_ns)
{
    int64_t *key = br_arena_array(arena, dag->stages, sizeof *key);
    struct children children;
    if (!key || !policies_order_find_children(arena, dag, &children))
        return NULL;
    for (uint32_t p = dag->stages; p-- > 0;) {
        uint32_t s = dag->topological[p];
        int64_t behind = 0, longest = 0;
        for (uint32_t k = children.first[s]; k < children.first[s + 1]; k++) {
            uint32_t child = children.child[k];
            behind = -key[child] > behind ? -key[child] : behind;
        }
        for (uint32_t i = 0; i < dag->stage[s].tasks; i++) {
            int64_t lasts = dag->duration_ns[dag->stage[s].first_task + i];
            longest = lasts > longest ? lasts : longest;
        }
        key[s] = behind > INT64_MAX - longest ? -INT64_MAX : -(behind + longest);
        assert(key[s] <= 0);
        if (tail_ns)
            tail_ns[s] = -key[s];
    }
    return policies_order_by(arena, dag, key);
}
