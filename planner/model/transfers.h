/* Transfers of a plan as data: bytes that move between machines, when, and how fast. */
#ifndef BR_PLANNER_MODEL_TRANSFERS_H
#define BR_PLANNER_MODEL_TRANSFERS_H

#include <bigrocks/network.h>

#include "planner/model/dag.h"

/* A time in which a transfer moves at one rate. */
struct br_piece {
    int64_t start_ns, end_ns;
    int64_t rate; /* bytes a second */
};

struct br_transfer {
    uint32_t edge;          /* of the job */
    uint32_t parent, child; /* its stages */
    uint32_t index;         /* of the tasks of a one-to-one edge; BR_TRANSFER_ALL of a barrier */
    uint32_t from, to;      /* machines */
    int64_t bytes;
    uint32_t first_piece, pieces; /* one after another, in br_transfers.piece */
};

/* By the start of the first piece, then edge, index and machines. */
struct br_transfers {
    uint32_t transfers, pieces;
    struct br_transfer *transfer;
    struct br_piece *piece;
};

/* The bytes of a transfer over the edge, rounded up: of a barrier, between this many tasks of the
 * parent and of the child; of a one-to-one edge, between one pair. */
int64_t br_transfer_bytes(const struct br_dag *dag, uint32_t edge, uint32_t parents,
                          uint32_t children);

static inline int64_t br_transfer_start(const struct br_transfers *all, uint32_t k)
{
    return all->piece[all->transfer[k].first_piece].start_ns;
}
static inline int64_t br_transfer_end(const struct br_transfers *all, uint32_t k)
{
    const struct br_transfer *t = &all->transfer[k];
    return all->piece[t->first_piece + t->pieces - 1].end_ns;
}

#endif
