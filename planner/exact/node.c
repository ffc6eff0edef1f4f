/* Nodes: the literals that occur in learned clauses, and the order in which branching takes them
 * up. Activities grow by a step that itself grows, so that old merits fade [Een03]. */
#include "planner/exact/lcg.h"

#define ACTIVITY_DECAY 0.95
#define ACTIVITY_LIMIT 1e100

uint32_t br_lcg_index_above(const struct br_lcg_index *index, int32_t bound)
{
    uint32_t low = 0, high = index->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (index->bound[middle] > bound)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Variable and bound t of [start >= t], which the literal is or negates. */
static int32_t normal(struct br_lcg_literal l, uint32_t *variable, bool *negated)
{
    *variable = l.side / 2;
    *negated = l.side & 1;
    return *negated ? 1 - l.bound : l.bound;
}

uint32_t br_lcg_node_find(const struct br_lcg *s, struct br_lcg_literal l, bool *negated)
{
    uint32_t variable;
    int32_t bound = normal(l, &variable, negated);
    const struct br_lcg_index *index = &s->index[variable];
    uint32_t k = br_lcg_index_above(index, bound);
    return k > 0 && index->bound[k - 1] == bound ? index->node[k - 1] : BR_LCG_NONE;
}

uint32_t br_lcg_node_make(struct br_lcg *s, struct br_lcg_literal l, bool *negated)
{
    uint32_t variable;
    int32_t bound = normal(l, &variable, negated);
    struct br_lcg_index *index = &s->index[variable];
    uint32_t k = br_lcg_index_above(index, bound);
    if (k > 0 && index->bound[k - 1] == bound)
        return index->node[k - 1];
    uint32_t room = index->room;
    if (!br_grow(&s->node, s->node_count, &s->node_room, sizeof *s->node) ||
        !br_grow(&s->heap, s->node_count, &s->heap_room, sizeof *s->heap) ||
        !br_grow(&index->bound, index->count, &room, sizeof *index->bound) ||
        !br_grow(&index->node, index->count, &index->room, sizeof *index->node)) {
        s->failed = true;
        return BR_LCG_NONE;
    }
    uint32_t node = s->node_count++;
    s->node[node] = (struct br_lcg_node){
        .variable = variable, .bound = bound, .heap_place = BR_LCG_NONE, .phase = false};
    memmove(index->bound + k + 1, index->bound + k, (index->count - k) * sizeof *index->bound);
    memmove(index->node + k + 1, index->node + k, (index->count - k) * sizeof *index->node);
    index->bound[k] = bound;
    index->node[k] = node;
    index->count++;
    br_lcg_heap_insert(s, node);
    return node;
}

/* --- the heap: places of nodes, the more active and of equals the older above ---------------- */

static bool above(const struct br_lcg *s, uint32_t a, uint32_t b)
{
    return s->node[a].activity > s->node[b].activity ||
           (s->node[a].activity == s->node[b].activity && a < b);
}

static void put(struct br_lcg *s, uint32_t place, uint32_t node)
{
    s->heap[place] = node;
    s->node[node].heap_place = place;
}

static void sift_up(struct br_lcg *s, uint32_t place)
{
    uint32_t node = s->heap[place];
    while (place > 0 && above(s, node, s->heap[(place - 1) / 2])) {
        put(s, place, s->heap[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    put(s, place, node);
}

static void sift_down(struct br_lcg *s, uint32_t place)
{
    uint32_t node = s->heap[place];
    for (uint32_t child; (child = 2 * place + 1) < s->heap_count; place = child) {
        if (child + 1 < s->heap_count && above(s, s->heap[child + 1], s->heap[child]))
            child++;
        if (!above(s, s->heap[child], node))
            break;
        put(s, place, s->heap[child]);
    }
    put(s, place, node);
}

void br_lcg_heap_insert(struct br_lcg *s, uint32_t node)
{
    put(s, s->heap_count++, node);
    sift_up(s, s->heap_count - 1);
}

uint32_t br_lcg_heap_pop(struct br_lcg *s)
{
    while (s->heap_count > 0) {
        uint32_t node = s->heap[0], last = s->heap[--s->heap_count];
        s->node[node].heap_place = BR_LCG_NONE;
        if (s->heap_count > 0) {
            put(s, 0, last);
            sift_down(s, 0);
        }
        const struct br_lcg_node *n = &s->node[node];
        if (br_lcg_lower(s, n->variable) < n->bound && br_lcg_upper(s, n->variable) >= n->bound)
            return node;
    }
    return BR_LCG_NONE;
}

void br_lcg_bump_node(struct br_lcg *s, uint32_t node)
{
    s->node[node].activity += s->node_step;
    if (s->node[node].activity > ACTIVITY_LIMIT) {
        for (uint32_t k = 0; k < s->node_count; k++)
            s->node[k].activity /= ACTIVITY_LIMIT;
        s->node_step /= ACTIVITY_LIMIT;
    }
    if (s->node[node].heap_place != BR_LCG_NONE)
        sift_up(s, s->node[node].heap_place);
}
