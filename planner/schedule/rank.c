/* Breadth-first, depth-first and Coffman-Graham ranks of the stages. */
#include "planner/schedule/rank.h"

#include <assert.h>
#include <string.h>

#include "base/collections/csr.h"
#include "base/collections/heap.h"
#include "base/collections/memory.h"
#include "base/collections/sort.h"

bool br_rank_breadth_first(const struct br_instance *in, uint32_t *out)
{
    uint32_t n = in->stages;
    uint32_t *depth = br_calloc(n, sizeof *depth);
    uint32_t *first = br_calloc(br_csr_room(n), sizeof *first); /* ranks by depth */
    bool ok = depth && first;
    for (uint32_t k = 0; ok && k < n; k++) {
        uint32_t s = in->topological[k];
        for (uint32_t a = in->parent_first[s]; a < in->parent_first[s + 1]; a++)
            if (depth[in->parent[a].stage] + 1 > depth[s])
                depth[s] = depth[in->parent[a].stage] + 1;
        assert(depth[s] < n);
        br_csr_count(first, depth[s]);
    }
    if (ok)
        br_csr_sum(first, n);
    for (uint32_t k = 0; ok && k < n; k++)
        out[in->topological[k]] = br_csr_place(first, depth[in->topological[k]]);
    br_free(depth);
    br_free(first);
    return ok;
}

bool br_rank_depth_first(const struct br_instance *in, uint32_t *out)
{
    uint32_t n = in->stages, size = 0, rank = 0;
    uint32_t *waiting = br_malloc(n * sizeof *waiting);
    uint32_t *stack = br_malloc(n * sizeof *stack);
    bool ok = waiting && stack;
    for (uint32_t s = n; ok && s-- > 0;) {
        waiting[s] = in->parent_first[s + 1] - in->parent_first[s];
        if (waiting[s] == 0)
            stack[size++] = s; /* the lowest number ends on top */
    }
    while (ok && size) {
        uint32_t s = stack[--size];
        out[s] = rank++;
        for (uint32_t a = in->child_first[s + 1]; a-- > in->child_first[s];)
            if (--waiting[in->child[a].stage] == 0)
                stack[size++] = in->child[a].stage;
    }
    assert(!ok || rank == n);
    br_free(waiting);
    br_free(stack);
    return ok;
}

/* Stages whose children are all labelled, in a heap with the lexicographically least list on top.
 */
struct labels {
    const struct br_instance *in;
    const uint32_t *label; /* by stage, if given */
    uint32_t *list;        /* descending labels of the children, at child_first[stage] */
    uint32_t *heap, size;
};

/* A prefix is less; of equal lists the higher number is less, so that low numbers come first. */
static bool rank_list_before(const struct labels *l, const uint32_t *s, const uint32_t *other)
{
    uint32_t x = *s, y = *other;
    const uint32_t *first = l->in->child_first;
    uint32_t a = first[x], b = first[y];
    for (; a < first[x + 1] && b < first[y + 1]; a++, b++)
        if (l->list[a] != l->list[b])
            return l->list[a] < l->list[b];
    if ((a == first[x + 1]) != (b == first[y + 1]))
        return a == first[x + 1];
    return x > y;
}

static int rank_descending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x > y ? -1 : x < y;
}

BR_HEAP(least, uint32_t, const struct labels *, rank_list_before, 2)

static void push_labelled(struct labels *l, uint32_t stage)
{
    const uint32_t *first = l->in->child_first;
    for (uint32_t a = first[stage]; a < first[stage + 1]; a++)
        l->list[a] = l->label[l->in->child[a].stage];
    br_sort_by(l->list + first[stage], first[stage + 1] - first[stage], sizeof *l->list,
               rank_descending);
    least_push(l, l->heap, &l->size, stage);
}

bool br_rank_coffman_graham(const struct br_instance *in, uint32_t *out)
{
    uint32_t n = in->stages;
    uint32_t *waiting = br_malloc(n * sizeof *waiting);
    struct labels l = {.in = in,
                       .label = out,
                       .list = br_malloc(((size_t)in->child_first[n] + 1) * sizeof *l.list),
                       .heap = br_malloc(n * sizeof *l.heap)};
    bool ok = waiting && l.list && l.heap;
    for (uint32_t s = 0; ok && s < n; s++) {
        waiting[s] = in->child_first[s + 1] - in->child_first[s];
        if (waiting[s] == 0)
            push_labelled(&l, s);
    }
    for (uint32_t label = 0; ok && label < n; label++) {
        assert(l.size > 0); /* without cycles some stage comes next */
        uint32_t s = least_pop(&l, l.heap, &l.size);
        out[s] = label;
        for (uint32_t a = in->parent_first[s]; a < in->parent_first[s + 1]; a++)
            if (--waiting[in->parent[a].stage] == 0)
                push_labelled(&l, in->parent[a].stage);
    }
    for (uint32_t s = 0; ok && s < n; s++)
        out[s] = n - 1 - out[s];
    br_free(waiting);
    br_free(l.list);
    br_free(l.heap);
    return ok;
}
