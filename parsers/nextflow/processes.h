/* The graph of processes that Nextflow draws with -with-dag: DOT, Mermaid, or HTML with Mermaid in
 * it. Its nodes are processes, operators between them, and ends of channels. */
#ifndef BR_PARSERS_NEXTFLOW_PROCESSES_H
#define BR_PARSERS_NEXTFLOW_PROCESSES_H

#include "base/collections/arena.h"
#include "base/collections/index.h"
#include "base/text/diag.h"

struct br_process_node {
    const char *id;
    const char *label; /* NULL: an operator, or not known */
    const char *full;  /* the label behind the names of the subgraphs around it, with colons */
};

struct br_process_edge {
    uint32_t from, to; /* nodes */
};

struct br_processes {
    struct br_arena arena; /* of the texts */
    struct br_index index; /* nodes by id */
    uint32_t nodes, node_room, edges, edge_room;
    struct br_process_node *node;
    struct br_process_edge *edge;
};

/* Reads the file into the zeroed graph, which is to be finished in any case. BR_BAD_INPUT if it has
 * no arrows. */
enum br_status br_processes_read(const char *path, struct br_processes *graph,
                                 struct br_diag *diag);
void br_processes_finish(struct br_processes *graph);

#endif
