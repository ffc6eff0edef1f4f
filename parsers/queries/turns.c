/* A depth-first search from the last pipeline to the first, each after all that it waits for.
 * Pipelines are numbered from the root of the plan down, so that this is the order in which
 * PostgreSQL asks them for rows, less what InitPlans and CTEs change. */
#include "parsers/queries/turns.h"

#include <stdlib.h>

#include "base/collections/csr.h"

struct search {
    uint32_t *begin; /* by pipeline: start of those that it waits for */
    uint32_t *waits; /* all of these */
    uint32_t *next;  /* by pipeline: the next of these to visit */
    uint32_t *stack;
    bool *seen;
};

static void group_edges(struct search *search, uint32_t pipelines,
                        const struct br_pipeline_edge *edge, uint32_t edges)
{
    for (uint32_t e = 0; e < edges; e++)
        br_csr_count(search->begin, edge[e].to);
    br_csr_sum(search->begin, pipelines);
    for (uint32_t e = 0; e < edges; e++)
        search->waits[br_csr_place(search->begin, edge[e].to)] = edge[e].from;
    for (uint32_t p = 0; p < pipelines; p++)
        search->next[p] = search->begin[p];
}

static uint32_t turns_visit(struct search *search, uint32_t root, uint32_t *order, uint32_t ordered)
{
    uint32_t depth = 0;
    search->seen[root] = true;
    search->stack[depth++] = root;
    while (depth) {
        uint32_t p = search->stack[depth - 1];
        if (search->next[p] == search->begin[p + 1]) {
            order[ordered++] = p;
            depth--;
            continue;
        }
        uint32_t before = search->waits[search->next[p]++];
        if (!search->seen[before]) {
            search->seen[before] = true;
            search->stack[depth++] = before;
        }
    }
    return ordered;
}

bool br_turns_order(uint32_t pipelines, const struct br_pipeline_edge *edge, uint32_t edges,
                    uint32_t *order)
{
    struct search search = {
        .begin = calloc(br_csr_room(pipelines), sizeof *search.begin),
        .waits = calloc((size_t)edges + 1, sizeof *search.waits),
        .next = calloc((size_t)pipelines + 1, sizeof *search.next),
        .stack = calloc((size_t)pipelines + 1, sizeof *search.stack),
        .seen = calloc((size_t)pipelines + 1, sizeof *search.seen),
    };
    bool all = search.begin && search.waits && search.next && search.stack && search.seen;
    if (all) {
        uint32_t ordered = 0;
        group_edges(&search, pipelines, edge, edges);
        for (uint32_t p = pipelines; p-- > 0;)
            if (!search.seen[p])
                ordered = turns_visit(&search, p, order, ordered);
    }
    free(search.begin);
    free(search.waits);
    free(search.next);
    free(search.stack);
    free(search.seen);
    return all;
}
