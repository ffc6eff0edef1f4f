/* Arcs that others imply, removed. */
#include "planner/peak/network.h"

#include <string.h>

#include "base/collections/csr.h"
#include "base/collections/memory.h"
#include "base/collections/sort.h"

/* Beyond so many words of sets, or words looked at, arcs stay as they are. */
static const uint64_t set_words = 16000000, words_most = 1000000000;

static int reduce_by_ends(const void *a, const void *b)
{
    const struct br_peak_arc *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

/* Does no arc have another behind it and beside it? Then none is implied. */
static bool reduce_is_forest(uint32_t nodes, const struct br_peak_arc *arc, uint32_t arcs,
                             uint32_t *count)
{
    bool one_to = true, one_from = true;
    memset(count, 0, nodes * sizeof *count);
    for (uint32_t k = 0; k < arcs; k++) {
        one_from &= k == 0 || arc[k - 1].from != arc[k].from;
        one_to &= !count[arc[k].to]++;
    }
    return one_to || one_from;
}

/* Numbers the nodes so that arcs go up: `order` by number, and `number` by node. */
static void reduce_number(uint32_t nodes, const struct br_peak_arc *arc, uint32_t arcs,
                          const uint32_t *first, uint32_t *waits, uint32_t *order, uint32_t *number)
{
    uint32_t used = 0;
    memset(waits, 0, nodes * sizeof *waits);
    for (uint32_t k = 0; k < arcs; k++)
        waits[arc[k].to]++;
    for (uint32_t v = 0; v < nodes; v++)
        if (!waits[v])
            order[used++] = v;
    for (uint32_t k = 0; k < used; k++) {
        number[order[k]] = k;
        for (uint32_t a = first[order[k]]; a < first[order[k] + 1]; a++)
            if (!--waits[arc[a].to])
                order[used++] = arc[a].to;
    }
}

static int reduce_by_number(const void *a, const void *b, void *context)
{
    const uint32_t *number = context;
    const struct br_peak_arc *x = a, *y = b;
    return number[x->to] < number[y->to] ? -1 : number[x->to] > number[y->to];
}

/* Marks implied arcs by to = UINT32_MAX: what a child before it in the order reaches. */
static void reduce_mark(uint32_t nodes, struct br_peak_arc *arc, const uint32_t *first,
                        const uint32_t *order, uint32_t *number, uint64_t *set)
{
    const size_t words = (nodes + 63) / 64;
    for (uint32_t k = nodes; k-- > 0;) {
        const uint32_t v = order[k];
        uint64_t *own = set + v * words;
        br_sort_within(arc + first[v], first[v + 1] - first[v], sizeof *arc, reduce_by_number,
                       number);
        for (uint32_t a = first[v]; a < first[v + 1]; a++) {
            const uint32_t to = arc[a].to;
            if (own[to / 64] >> (to % 64) & 1) {
                arc[a].to = UINT32_MAX;
                continue;
            }
            for (size_t w = 0; w < words; w++)
                own[w] |= set[to * words + w];
            own[to / 64] |= UINT64_C(1) << (to % 64);
        }
    }
}

static uint32_t reduce_compact(struct br_peak_arc *arc, uint32_t arcs)
{
    uint32_t kept = 0;
    if (!arcs)
        return 0;
    br_sort_by(arc, arcs, sizeof *arc, reduce_by_ends);
    for (uint32_t k = 0; k < arcs; k++)
        if (arc[k].to != UINT32_MAX && (!kept || reduce_by_ends(&arc[kept - 1], &arc[k])))
            arc[kept++] = arc[k];
    return kept;
}

bool br_peak_reduce(uint32_t nodes, struct br_peak_arc *arc, uint32_t *arcs)
{
    const size_t n = (size_t)nodes + 1, words = (nodes + 63) / 64;
    *arcs = reduce_compact(arc, *arcs);
    uint32_t *first = br_calloc(br_csr_room(nodes), sizeof *first);
    uint32_t *waits = br_calloc(n, sizeof *waits), *order = br_calloc(n, sizeof *order);
    uint32_t *number = br_calloc(n, sizeof *number);
    uint64_t *set = NULL;
    bool ok = first && waits && order && number;
    if (ok && !reduce_is_forest(nodes, arc, *arcs, waits) && words * nodes <= set_words &&
        words * *arcs <= words_most) {
        for (uint32_t k = 0; k < *arcs; k++)
            br_csr_count(first, arc[k].from);
        br_csr_sum(first, nodes);
        for (uint32_t k = 0; k < *arcs; k++)
            br_csr_place(first, arc[k].from);
        set = br_calloc(words * nodes + 1, sizeof *set);
        ok = set != NULL;
        if (ok) {
            reduce_number(nodes, arc, *arcs, first, waits, order, number);
            reduce_mark(nodes, arc, first, order, number, set);
            *arcs = reduce_compact(arc, *arcs);
        }
    }
    br_free(first);
    br_free(waits);
    br_free(order);
    br_free(number);
    br_free(set);
    return ok;
}
