/* Data shared by the parts of the DOT reader: the graph, the findings in it, and the resulting job.
 */
#ifndef BR_PARSERS_DOT_READER_H
#define BR_PARSERS_DOT_READER_H

#include "parsers/dot/marks.h"
#include "parsers/dot/names.h"
#include "parsers/dot/scan.h"
#include "parsers/dot/twins.h"
#include "parsers/reader/input.h"

/* What the caller's options choose of the graph (chosen.h). */
struct br_dot_chosen {
    Agsym_t *duration; /* NULL: none */
    uint32_t demands;
    struct br_dot_chosen_demand {
        const char *resource;
        Agsym_t *symbol;
    } * demand;
    char *text;       /* of the names of resources */
    uint32_t untimed; /* nodes whose attribute has no time */
};

struct br_dot_reader {
    struct br_dag *dag;
    const struct br_parse_options *options;
    struct br_dot_scan scan;
    struct br_dot_twins twins;
    bool latin1; /* the file said so, and its text was converted */
    bool joined; /* the groups of the graph are the graphs of the file */
    Agraph_t *graph;
    struct br_dot_names names;
    struct br_dot_marks marks;
    struct br_dot_chosen chosen;
    uint32_t declared; /* resources that are not chosen */
    uint32_t loops;    /* arrows from a node to itself that are left out */
    bool operations;   /* nodes have `size` in operations, and none has a duration or tasks */
    bool plain_cpu;    /* every task demands one cpu */
    bool sized;        /* edges with `size` in bytes become transfers */
};

/* The resources named in the graph. */
enum br_status br_dot_add_resources(struct br_dot_reader *reader, struct br_diag *diag);
/* A stage for each node, in the order of the text, with the names of the reader. */
enum br_status br_dot_add_stages(struct br_dot_reader *reader, struct br_diag *diag);
/* After the stages. */
enum br_status br_dot_add_edges(struct br_dot_reader *reader, struct br_diag *diag);

/* Is the node attribute neither the form's own nor a resource? */
bool br_dot_passes(const struct br_dot_reader *reader, const char *name);
/* An attribute unknown to the model; texts in angle brackets keep them. */
enum br_status br_dot_pass(struct br_dag *dag, enum br_owner owner, uint32_t index,
                           const char *name, char *value, struct br_diag *diag);

#endif
