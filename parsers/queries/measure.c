/* From EXPLAIN ANALYZE to what each node did itself. Two things make its figures differ from that:
 *
 * - They are averages over the loops of a node, and include its children. The loops of the
 *   processes under a Gather run side by side, all others one after the other.
 * - A CTE or an InitPlan runs when its first reader asks for it, and counts in that reader again,
 *   and in all nodes above it, but not in the node that it is listed under. */
#include "parsers/queries/query.h"

#include <stdlib.h>

#include "base/numbers/wide.h"

/* Of one node: all its loops in one process, with what is below; and the same of its children,
 * without CTEs and InitPlans. */
struct span {
    int64_t elapsed_ns, below_ns;
};

static int64_t clamp(br_wide value)
{
    return value < 0 ? 0 : value > INT64_MAX / 4 ? INT64_MAX / 4 : (int64_t)value;
}

static void find_spans(struct br_query *query, struct span *span)
{
    struct br_plan_node *node = query->node;
    for (uint32_t n = 0; n < query->nodes; n++) {
        uint32_t parent = node[n].parent;
        uint64_t loops = node[n].said.loops;
        node[n].processes = parent != BR_NO_NODE && !node[n].is_init ? node[parent].processes : 1;
        if (br_query_is_parallel_root(query, n) && node[parent].said.loops > 0)
            node[n].processes = loops / node[parent].said.loops;
        if (node[n].processes == 0)
            node[n].processes = 1;
        node[n].runs = loops > 0;
        node[n].runs_once = loops <= node[n].processes;
        span[n].elapsed_ns = clamp((br_wide)node[n].said.total_ns * loops / node[n].processes);
    }
    for (uint32_t n = query->nodes; n-- > 0;) { /* children before parents */
        node[n].own_ns = clamp((br_wide)span[n].elapsed_ns - span[n].below_ns);
        if (node[n].parent != BR_NO_NODE && !node[n].is_init) {
            struct span *above = &span[node[n].parent];
            above->below_ns = clamp((br_wide)above->below_ns + span[n].elapsed_ns);
        }
    }
}

static void take(struct br_plan_node *from, int64_t *rest)
{
    int64_t part = from->own_ns < *rest ? from->own_ns : *rest;
    from->own_ns -= part;
    *rest -= part;
}

/* Takes the time of every CTE and InitPlan out of its readers, in the order of the file; what they
 * do not have, out of the nodes of the plan that it is listed under. */
static void count_once(struct br_query *query, const struct span *span)
{
    struct br_plan_node *node = query->node;
    for (uint32_t init = 0; init < query->nodes; init++) {
        int64_t rest = span[init].elapsed_ns;
        uint32_t owner = node[init].parent;
        if (!node[init].is_init || owner == BR_NO_NODE)
            continue;
        for (uint32_t n = 0; n < query->nodes && rest > 0; n++)
            if (br_query_reads(query, init, n))
                take(&node[n], &rest);
        for (uint32_t n = owner;
             n < query->nodes && br_query_is_within(query, n, owner) && rest > 0; n++) {
            bool listed = false; /* in some CTE or InitPlan below the owner */
            for (uint32_t up = n; up != owner && !listed; up = node[up].parent)
                listed = node[up].is_init;
            if (!listed)
                take(&node[n], &rest);
        }
    }
}

enum br_status br_query_measure(struct br_query *query, struct br_diag *diag)
{
    struct span *span = calloc((size_t)query->nodes + 1, sizeof *span);
    if (!span)
        return br_fail_memory(diag);
    find_spans(query, span);
    count_once(query, span);
    for (uint32_t n = 0; n < query->nodes; n++) {
        struct br_plan_node *node = &query->node[n];
        /* Until it gives its first row; a hash table gives none. */
        int64_t first = clamp((br_wide)node->said.startup_ns * node->said.loops / node->processes);
        first =
            node->kind == BR_NODE_HASH ? node->own_ns : clamp((br_wide)first - span[n].below_ns);
        node->first_ns = first < node->own_ns ? first : node->own_ns;
    }
    free(span);
    return BR_OK;
}
