/* Builds a query's plan, and finds the readers of each result in it. */
#include "parsers/queries/query.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"

void br_query_init(struct br_query *query)
{
    *query = (struct br_query){.work_mem = INT64_C(4) << 20, .hash_milli = 2000};
}

void br_query_finish(struct br_query *query)
{
    br_arena_finish(&query->arena);
    free(query->node);
    free(query->mention);
    free(query->mentioned);
    *query = (struct br_query){.nodes = 0};
}

enum br_status br_query_add(struct br_query *query, uint32_t parent, struct br_pos pos,
                            uint32_t *node, struct br_diag *diag)
{
    uint32_t depth = parent == BR_NO_NODE ? 0 : query->node[parent].depth + 1;
    if (query->nodes == BR_QUERY_NODES)
        return br_fail_at(diag, pos, BR_BAD_INPUT, NULL, "a query has more than %d nodes",
                          BR_QUERY_NODES);
    if (depth == BR_QUERY_DEPTH)
        return br_fail_at(diag, pos, BR_BAD_INPUT, NULL, "nodes are nested more than %d deep",
                          BR_QUERY_DEPTH);
    if (!br_grow(&query->node, query->nodes, &query->node_room, sizeof *query->node))
        return br_fail_memory(diag);
    *node = query->nodes++;
    assert(parent == BR_NO_NODE || parent < *node);
    query->node[*node] = (struct br_plan_node){
        .parent = parent, .depth = depth, .type = "Plan", .pos = pos, .said.sort_bytes = -1};
    return BR_OK;
}

enum br_status br_query_keep(struct br_query *query, const char *text, const char **kept,
                             struct br_diag *diag)
{
    *kept = br_arena_text(&query->arena, text);
    return *kept ? BR_OK : br_fail_memory(diag);
}

enum br_status br_query_mention(struct br_query *query, uint32_t node, const char *text,
                                struct br_diag *diag)
{
    struct br_plan_mention mention = {.node = node, .next = BR_NO_NODE};
    if (!strchr(text, '$') && !strstr(text, "(InitPlan "))
        return BR_OK;
    if (!br_grow(&query->mention, query->mentions, &query->mention_room, sizeof *query->mention))
        return br_fail_memory(diag);
    enum br_status status = br_query_keep(query, text, &mention.text, diag);
    if (!status)
        query->mention[query->mentions++] = mention;
    return status;
}

enum br_status br_query_close(struct br_query *query, struct br_diag *diag)
{
    query->mentioned = malloc(((size_t)query->nodes + 1) * sizeof *query->mentioned);
    if (!query->mentioned)
        return br_fail_memory(diag);
    for (uint32_t n = 0; n < query->nodes; n++) {
        query->mentioned[n] = BR_NO_NODE;
        query->is_segmented |= query->node[n].kind == BR_NODE_MOTION;
    }
    for (uint32_t m = 0; m < query->mentions; m++) {
        assert(query->mention[m].node < query->nodes);
        uint32_t *first = &query->mentioned[query->mention[m].node];
        query->mention[m].next = *first;
        *first = m;
    }
    return BR_OK;
}

int64_t br_query_after(const struct br_query *query)
{
    int64_t more = query->nodes ? query->ran_ns - query->node[0].said.total_ns : 0;
    more -= query->serialized_ns + query->behind_ns;
    if (!query->is_timed || more <= 0)
        return 0;
    return more < query->triggers_ns ? more : query->triggers_ns;
}

bool br_query_is_writer(const struct br_query *query, uint32_t node)
{
    const struct br_plan_node *at = &query->node[node];
    return at->is_init && at->subplan && strncmp(at->subplan, "CTE ", 4) == 0 &&
           strcmp(at->type, "ModifyTable") == 0;
}

bool br_query_is_within(const struct br_query *query, uint32_t node, uint32_t root)
{
    while (node != BR_NO_NODE && node > root)
        node = query->node[node].parent;
    return node == root;
}

bool br_query_is_parallel_root(const struct br_query *query, uint32_t node)
{
    uint32_t parent = query->node[node].parent;
    return parent != BR_NO_NODE && !query->node[node].is_init &&
           (query->node[parent].kind == BR_NODE_GATHER ||
            query->node[parent].kind == BR_NODE_MOTION);
}

/* Does the text mention the result promised by the InitPlan's name: "$0" for "InitPlan 1 (returns
 * $0)", or "(InitPlan 1)" itself, as newer versions write it? */
static bool mentions(const char *text, const char *subplan)
{
    char name[64];
    const char *dollar = strchr(subplan, '$');
    if (dollar) {
        size_t length = 1 + strspn(dollar + 1, "0123456789");
        for (const char *p = strchr(text, '$'); p; p = strchr(p + 1, '$'))
            if (strncmp(p, dollar, length) == 0 && !isdigit((unsigned char)p[length]))
                return true;
        return false;
    }
    snprintf(name, sizeof name, "(%.40s)", subplan);
    return strstr(text, name) != NULL;
}

bool br_query_reads(const struct br_query *query, uint32_t init, uint32_t node)
{
    const struct br_plan_node *at = &query->node[init], *reader = &query->node[node];
    if (br_query_is_within(query, node, init) || !at->subplan)
        return false;
    if (strncmp(at->subplan, "CTE ", 4) == 0)
        return reader->cte && strcmp(reader->cte, at->subplan + 4) == 0 &&
               br_query_is_within(query, node, at->parent);
    for (uint32_t m = query->mentioned[node]; m != BR_NO_NODE; m = query->mention[m].next)
        if (mentions(query->mention[m].text, at->subplan))
            return true;
    return false;
}
