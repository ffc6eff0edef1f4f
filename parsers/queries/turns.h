/* The order in which one process runs the pipelines of a query. */
#ifndef BR_PARSERS_QUERIES_TURNS_H
#define BR_PARSERS_QUERIES_TURNS_H

#include <stdbool.h>
#include <stdint.h>

struct br_pipeline_edge {
    uint32_t from, to;
    bool is_turn; /* `to` reads nothing of `from`, but runs in its process */
};

/* Fills `order` with all pipelines, each behind those that it waits for, the later ones first else.
 * The edges have no circle. False: memory is out. O(pipelines + edges). */
bool br_turns_order(uint32_t pipelines, const struct br_pipeline_edge *edge, uint32_t edges,
                    uint32_t *order);

#endif
