/* From EXPLAIN ANALYZE to each node's own work. Its figures differ from that in these ways:
 *
 * - They are averages over the loops of a node, and include its children. The loops of the
 *   processes under a Gather run side by side, all others one after the other.
 * - A node may be shorter than its children together: averages are rounded, and a Limit ends a
 * Gather whose time goes on. Then the children share the node's time, so that all nodes together
 * take as long as the root.
 * - A CTE or an InitPlan runs when its first reader asks for it, and counts again in that reader
 * and all nodes above it, but not in the node under which it is listed. The rest of a writing CTE,
 * run after the root is done, counts nowhere else.
 * - Other processes wait for a bitmap that one process makes for all; and the leader waits in its
 *   Gather for the part of an Append done by one process. Both appear in the waiting nodes. */
#include "parsers/queries/query.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/wide.h"

/* For one node: all its loops in one process, including the nodes below. */
struct span {
    int64_t elapsed_ns;
    int64_t claim_ns; /* that time, or its children's if that is more */
    int64_t below_ns; /* claims of its children, without CTEs and InitPlans */
    int64_t has_ns;   /* final part of its claim */
    bool alone;       /* one process did it, while the others waited */
};

static int64_t queries_measure_clamp(br_wide value)
{
    return value < 0 ? 0 : value > INT64_MAX / 4 ? INT64_MAX / 4 : (int64_t)value;
}

static int64_t queries_measure_least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static bool inherits(const struct br_query *query, uint32_t n)
{
    return query->node[n].parent != BR_NO_NODE && !query->node[n].is_init;
}

/* Is it a bitmap that one process makes for the scan of all of them? */
static bool is_alone(const struct br_query *query, const struct span *span, uint32_t n)
{
    const struct br_plan_node *node = &query->node[n];
    bool bitmap = strcmp(node->type, "Bitmap Index Scan") == 0 ||
                  strcmp(node->type, "BitmapAnd") == 0 || strcmp(node->type, "BitmapOr") == 0;
    if (!bitmap || !inherits(query, n) || node->processes < 2)
        return false;
    return span[node->parent].alone ||
           (br_wide)node->said.loops * node->processes <= query->node[node->parent].said.loops;
}

static void find_processes(struct br_query *query, uint32_t n)
{
    struct br_plan_node *node = &query->node[n];
    node->processes = inherits(query, n) ? query->node[node->parent].processes : 1;
    if (br_query_is_parallel_root(query, n)) {
        const struct br_plan_node *above = &query->node[node->parent];
        if (above->kind == BR_NODE_MOTION)
            node->processes = above->said.workers;
        else if (above->said.loops > 0)
            node->processes = node->said.loops / above->said.loops;
    }
    if (node->processes == 0)
        node->processes = 1;
}

/* Loops that ran one after the other. Each of Greenplum's segments tells its own. */
static br_wide elapsed(const struct br_query *query, const struct span *span, uint32_t n,
                       int64_t loop_ns)
{
    const struct br_plan_node *node = &query->node[n];
    assert(node->processes > 0);
    br_wide all = (br_wide)loop_ns * node->said.loops;
    return span[n].alone || query->is_segmented ? all : all / node->processes;
}

static void find_spans(struct br_query *query, struct span *span)
{
    struct br_plan_node *node = query->node;
    for (uint32_t n = 0; n < query->nodes; n++) {
        find_processes(query, n);
        span[n].alone = is_alone(query, span, n);
        node[n].runs = node[n].said.loops > 0;
        node[n].runs_once = node[n].said.loops <= node[n].processes;
        span[n].elapsed_ns = queries_measure_clamp(elapsed(query, span, n, node[n].said.total_ns));
    }
    for (uint32_t n = query->nodes; n-- > 0;) { /* children before parents */
        span[n].claim_ns =
            span[n].elapsed_ns > span[n].below_ns ? span[n].elapsed_ns : span[n].below_ns;
        if (inherits(query, n)) {
            struct span *above = &span[node[n].parent];
            above->below_ns = queries_measure_clamp((br_wide)above->below_ns + span[n].claim_ns);
        }
    }
}

/* Gives each node its own time, from the roots down. */
static void queries_measure_share_out(struct br_query *query, struct span *span)
{
    struct br_plan_node *node = query->node;
    for (uint32_t n = 0; n < query->nodes; n++) {
        struct span *above = inherits(query, n) ? &span[node[n].parent] : NULL;
        if (!above)
            span[n].has_ns = span[n].elapsed_ns;
        else if (above->below_ns <= above->has_ns)
            span[n].has_ns = span[n].claim_ns;
        else
            span[n].has_ns = (int64_t)((br_wide)span[n].claim_ns * above->has_ns / above->below_ns);
        node[n].own_ns = span[n].has_ns;
        if (above)
            node[node[n].parent].own_ns -= span[n].has_ns;
    }
}

static void queries_measure_take(struct br_plan_node *from, int64_t *rest)
{
    assert(from->own_ns >= 0 && *rest >= 0);
    int64_t part = queries_measure_least(from->own_ns, *rest);
    from->own_ns -= part;
    *rest -= part;
}

/* Is the node below `owner`, but not in a CTE or InitPlan listed there? */
static bool is_plainly_below(const struct br_query *query, uint32_t n, uint32_t owner)
{
    for (uint32_t up = n; up != owner; up = query->node[up].parent)
        if (query->node[up].is_init)
            return false;
    return true;
}

/* Takes the time of every CTE and InitPlan out of its readers, in the order of the file; any excess
 * out of the nodes of the plan under which it is listed. Time found in no node does not count as
 * the query's, unless a writing CTE took it after the root. */
static void count_once(struct br_query *query, const struct span *span)
{
    struct br_plan_node *node = query->node;
    for (uint32_t init = 0; init < query->nodes; init++) {
        int64_t rest = span[init].elapsed_ns, whole = rest;
        uint32_t owner = node[init].parent;
        if (!node[init].is_init || owner == BR_NO_NODE)
            continue;
        for (uint32_t n = 0; n < query->nodes && rest > 0; n++)
            if (br_query_reads(query, init, n))
                queries_measure_take(&node[n], &rest);
        if (br_query_is_writer(query, init)) {
            query->behind_ns = queries_measure_clamp((br_wide)query->behind_ns + rest);
            continue;
        }
        for (uint32_t n = owner;
             n < query->nodes && br_query_is_within(query, n, owner) && rest > 0; n++)
            if (is_plainly_below(query, n, owner))
                queries_measure_take(&node[n], &rest);
        for (uint32_t n = init; n < query->nodes && br_query_is_within(query, n, init) && rest > 0;
             n++)
            if (is_plainly_below(query, n, init))
                node[n].own_ns = (int64_t)((br_wide)node[n].own_ns * (whole - rest) / whole);
    }
}

static uint32_t gather_above(const struct br_query *query, uint32_t n)
{
    while (n != BR_NO_NODE && !br_query_is_parallel_root(query, n))
        n = query->node[n].parent;
    return n == BR_NO_NODE ? BR_NO_NODE : query->node[n].parent;
}

/* The work of one process while others waited counts only there. */
static void find_skew(struct br_query *query, const struct span *span)
{
    struct br_plan_node *node = query->node;
    for (uint32_t n = 0; n < query->nodes; n++) {
        int64_t processes = (int64_t)node[n].processes;
        if (span[n].alone) {
            node[n].skew_ns = node[n].own_ns - node[n].own_ns / processes;
            node[n].own_ns /= processes;
        }
        struct br_plan_node *above = inherits(query, n) ? &node[node[n].parent] : NULL;
        bool append = above && strstr(above->type, "Append") && processes > 1 &&
                      above->said.loops == node[n].processes && node[n].said.loops == 1;
        uint32_t gather = append ? gather_above(query, n) : BR_NO_NODE;
        int64_t more =
            node[n].said.total_ns - span[node[n].parent == BR_NO_NODE ? n : node[n].parent].has_ns;
        if (gather == BR_NO_NODE || more <= above->skew_ns)
            continue;
        int64_t part = queries_measure_least(more - above->skew_ns, node[gather].own_ns);
        node[gather].own_ns -= part;
        above->skew_ns += part;
    }
}

/* Waits for disks are reported for all processes and loops together, including the nodes below; an
 * asynchronous scan consists only of waits for other servers. */
static void find_idle(struct br_query *query)
{
    struct br_plan_node *node = query->node;
    for (uint32_t n = 0; n < query->nodes; n++)
        node[n].idle_ns = node[n].said.waited_ns;
    for (uint32_t n = 0; n < query->nodes; n++)
        if (inherits(query, n))
            node[node[n].parent].idle_ns -= node[n].said.waited_ns;
    for (uint32_t n = 0; n < query->nodes; n++) {
        int64_t idle = queries_measure_clamp(node[n].idle_ns) / (int64_t)node[n].processes;
        bool remote = node[n].is_async && strcmp(node[n].type, "Foreign Scan") == 0;
        node[n].idle_ns = remote ? node[n].own_ns : queries_measure_least(idle, node[n].own_ns);
    }
}

enum br_status br_query_measure(struct br_query *query, struct br_diag *diag)
{
    struct span *span = calloc((size_t)query->nodes + 1, sizeof *span);
    if (!span)
        return br_fail_memory(diag);
    find_spans(query, span);
    queries_measure_share_out(query, span);
    count_once(query, span);
    find_skew(query, span);
    find_idle(query);
    for (uint32_t n = 0; n < query->nodes; n++) {
        struct br_plan_node *node = &query->node[n];
        /* The time up to its first row; a hash table returns none. */
        int64_t first = queries_measure_clamp(elapsed(query, span, n, node->said.startup_ns) -
                                              span[n].below_ns);
        node->first_ns =
            node->kind == BR_NODE_HASH ? node->own_ns : queries_measure_least(first, node->own_ns);
    }
    free(span);
    return BR_OK;
}
