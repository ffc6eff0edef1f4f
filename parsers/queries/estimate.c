/* From the planner's costs to each node's own work and memory.
 *
 * - Costs include the children, but assume that each runs to its end. A Limit or a merge join that
 * stops early costs less than its children: then an equal part of each child's cost after its first
 * row is taken, and below them in turn, down to nodes that read all rows.
 * - A CTE or an InitPlan counts in the node under which it is listed. A SubPlan, and the inner side
 * of a nested loop, are costed for one run; the cost of the other runs stays with the node above.
 * - Costs under a Gather are those of one process already.
 * - Sorts and hash tables hold their rows with PostgreSQL's own overheads, but at most the amount
 * that work_mem allows. */
#include "parsers/queries/query.h"

#include <stdlib.h>
#include <string.h>

#include "base/numbers/wide.h"

/* Bytes beside a row's own: alignment, header and pointer in a sort; and in a hash table also its
 * bucket. */
enum { SORT_OVERHEAD = 48, HASH_OVERHEAD = 56 };

/* For one node, in thousandths of a unit. */
struct cost {
    int64_t used;         /* part of its total, as far as rows are asked for */
    int64_t inits;        /* totals of CTEs and InitPlans listed under it */
    br_wide startup, run; /* of its other children: until their first rows, and after */
    br_wide below;        /* used of these children */
};

static int64_t estimate_clamp(br_wide value)
{
    return value < 0 ? 0 : value > INT64_MAX / 4 ? INT64_MAX / 4 : (int64_t)value;
}

static int64_t estimate_least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* `whole` x `part` / `of`. */
static int64_t estimate_share(int64_t whole, br_wide part, br_wide of)
{
    if (of <= 0 || part >= of)
        return whole;
    return part <= 0 ? 0 : (int64_t)(whole * part / of);
}

static int64_t startup_of(const struct br_plan_node *node)
{
    return estimate_least(node->said.startup_cost, node->said.total_cost);
}

static int64_t estimate_run_of(const struct br_plan_node *node)
{
    return node->said.total_cost - startup_of(node);
}

static bool estimate_takes_all(const struct br_plan_node *node)
{
    return node->kind == BR_NODE_BREAKER || node->kind == BR_NODE_HASH;
}

/* The use of a child of `above`: the part of the node above that is used, or less if the child has
 * less. */
static int64_t use(const struct br_plan_node *above, const struct cost *cost,
                   const struct br_plan_node *child)
{
    int64_t startup = startup_of(child), run = estimate_run_of(child);
    br_wide has = (br_wide)cost->used - cost->inits, asked = cost->run;
    if (!estimate_takes_all(above)) {
        br_wide done = (br_wide)cost->used - startup_of(above);
        run = estimate_share(run, done, estimate_run_of(above));
        asked = estimate_run_of(above) > 0 && done < estimate_run_of(above)
                    ? (done > 0 ? cost->run * done / estimate_run_of(above) : 0)
                    : cost->run;
    }
    if (cost->startup + asked <= has)
        return startup + run;
    if (cost->startup <= has)
        return startup + estimate_share(run, has - cost->startup, asked);
    return estimate_share(startup, has, cost->startup);
}

static void use_nodes(const struct br_query *query, struct cost *cost)
{
    const struct br_plan_node *node = query->node;
    for (uint32_t n = 0; n < query->nodes; n++) {
        struct cost *above = node[n].parent == BR_NO_NODE ? NULL : &cost[node[n].parent];
        if (above && node[n].is_init)
            above->inits = estimate_clamp((br_wide)above->inits + node[n].said.total_cost);
        else if (above) {
            above->startup += startup_of(&node[n]);
            above->run += estimate_run_of(&node[n]);
        }
    }
    for (uint32_t n = 0; n < query->nodes; n++) { /* parents before children */
        struct cost *above = node[n].parent == BR_NO_NODE ? NULL : &cost[node[n].parent];
        if (!above || node[n].is_init) {
            cost[n].used = node[n].said.total_cost;
            continue;
        }
        cost[n].used = use(&node[node[n].parent], above, &node[n]);
        above->below += cost[n].used;
    }
}

static int64_t held(const struct br_plan_node *node, const struct br_query *query)
{
    bool sorts = strcmp(node->type, "Sort") == 0;
    int64_t most = sorts ? query->work_mem
                         : estimate_clamp((br_wide)query->work_mem * query->hash_milli / 1000);
    br_wide row = (br_wide)node->said.width + (sorts ? SORT_OVERHEAD : HASH_OVERHEAD);
    br_wide all = row * node->said.rows;
    int64_t bytes = all < most ? (int64_t)all : most;
    /* Costs and rows are those of one process: each process holds a shared table in full. */
    return node->is_shared ? estimate_clamp((br_wide)bytes * node->processes) : bytes;
}

/* Does the second child of a nested loop run again for every row of the first? Then the loop's cost
 * includes these runs; a sort or a table that stays costs almost nothing again. */
static bool runs_anew(const struct br_plan_node *loop, const struct br_plan_node *outer,
                      const struct br_plan_node *inner, int64_t inits)
{
    br_wide more =
        (br_wide)loop->said.total_cost - inits - outer->said.total_cost - inner->said.total_cost;
    br_wide again = outer->said.rows > 1 ? (br_wide)outer->said.rows - 1 : 0;
    return again > 0 && 10 * more >= 9 * again * inner->said.total_cost;
}

/* Marks those nodes, and all below them. `first` has room for every node. */
static void find_anew(struct br_query *query, const struct cost *cost, uint32_t *first)
{
    struct br_plan_node *node = query->node;
    for (uint32_t n = 0; n < query->nodes; n++) {
        uint32_t parent = node[n].parent;
        first[n] = BR_NO_NODE;
        node[n].runs_once = true;
        if (parent == BR_NO_NODE || node[n].is_init)
            continue;
        bool loop = strcmp(node[parent].type, "Nested Loop") == 0 && !node[n].subplan;
        node[n].runs_once = node[parent].runs_once;
        if (loop && first[parent] == BR_NO_NODE)
            first[parent] = n;
        else if (loop &&
                 runs_anew(&node[parent], &node[first[parent]], &node[n], cost[parent].inits))
            node[n].runs_once = false;
    }
}

static int64_t to_ns(br_wide cost, int64_t unit_ns)
{
    return estimate_clamp(cost <= 0 ? 0 : cost * unit_ns / 1000);
}

enum br_status br_query_estimate(struct br_query *query, int64_t unit_ns, struct br_diag *diag)
{
    struct cost *cost = calloc((size_t)query->nodes + 1, sizeof *cost);
    uint32_t *first = calloc((size_t)query->nodes + 1, sizeof *first);
    if (!cost || !first) {
        free(cost);
        free(first);
        return br_fail_memory(diag);
    }
    use_nodes(query, cost);
    find_anew(query, cost, first);
    free(first);
    for (uint32_t n = 0; n < query->nodes; n++) {
        struct br_plan_node *node = &query->node[n];
        bool inherits = node->parent != BR_NO_NODE && !node->is_init;
        node->processes = inherits ? query->node[node->parent].processes : 1;
        if (br_query_is_parallel_root(query, n))
            node->processes = query->node[node->parent].said.workers + !query->is_segmented;
        node->runs = true;
        br_wide own = (br_wide)cost[n].used - cost[n].inits - cost[n].below;
        br_wide after = (br_wide)cost[n].used - startup_of(node);
        node->own_ns = to_ns(own, unit_ns);
        node->first_ns = to_ns(own - after, unit_ns);
        if (estimate_takes_all(node))
            node->mem_bytes = held(node, query);
    }
    free(cost);
    return BR_OK;
}
