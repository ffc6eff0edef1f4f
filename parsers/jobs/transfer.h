/* Edges with bytes, and the effect of a transfer rate on them. See docs/formats.md. */
#ifndef BR_PARSERS_JOBS_TRANSFER_H
#define BR_PARSERS_JOBS_TRANSFER_H

#include "parsers/reader/input.h"

struct br_link {
    uint32_t parent, child; /* stages */
    enum br_edge_type type;
    uint32_t overlap; /* of a range */
    int64_t bytes;    /* total from the parent to the child; one-to-one: from task to task */
    int64_t carried;  /* bytes that the edge keeps as its own (br_dag_set_edge_bytes) */
    struct br_pos pos;
};

/* Do the sizes of links count? */
static inline bool br_transfer_counts(const struct br_parse_options *options)
{
    return options->transfer_rate.mantissa > 0 || options->transfer_mode == BR_TRANSFER_KEEP;
}

/* Adds the links as edges, which keep their bytes if the mode says so. With a transfer rate, links
 * between the same stages are merged first (the largest size counts; the array is changed), and
 * then either a stage without demands goes between parent and child, named "parent->child" (delay),
 * or both ends last at least as long as their transfers take and demand `net` (demand). edge[k]
 * (may be NULL) receives the number of the edge that link k became, the one that leaves the parent.
 */
enum br_status br_transfer_add(struct br_dag *dag, const struct br_parse_options *options,
                               struct br_link *link, uint32_t links, uint32_t *edge,
                               struct br_diag *diag);

#endif
