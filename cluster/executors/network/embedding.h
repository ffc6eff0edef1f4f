/* The embeddings of one job's stages, of the job, and what it says of itself to the whole; and the
 * way back of derivatives.
 *
 * Only what has changed is computed again: stages whose features have changed, stages before these,
 * and the job. Sums are taken anew in a fixed order, so the numbers are the same to the bit as when
 * all is computed.
 *
 * Derivatives wait with the job as long as its embeddings stay, since they add up, and go back
 * through its stages once: before the next change, or when they are asked for. A decision thus
 * costs what it has looked at and not the whole scene.
 */
#ifndef BR_LEARN_EMBEDDING_H
#define BR_LEARN_EMBEDDING_H

#include "cluster/executors/network/network.h"

/* The edges between stages; borrowed. Stages are numbered so that child[] > the stage itself. */
struct br_stage_graph {
    uint32_t nodes;
    const uint32_t *first; /* nodes + 1 of them, into child */
    const uint32_t *child; /* stages that wait for this one */
};

struct br_embedding {
    const struct br_network *network;
    struct br_stage_graph graph;
    void *memory;
    /* Set by the caller; looked at by the next update. By stage. */
    br_weight *wanted; /* features */
    bool *wanted_gone; /* has ended: counts nowhere any more */
    /* As of the last update. */
    bool valid; /* there has been one */
    br_weight *feature;
    bool *gone, *changed, *heard;
    br_weight *encode, *message, *receive, *inner; /* activations */
    br_weight *sum;                                /* of messages, by stage */
    br_weight *stage;                              /* embeddings by stage */
    br_weight *seen;                               /* what `inner` reads */
    br_weight *total, *outer;                      /* of the job */
    br_weight *job;                                /* embedding; within `outer` or `total` */
    br_weight *whole;                              /* activations of BR_ALL_INNER */
    uint64_t computed;                             /* stages embedded so far: the cost */
    /* Derivatives by `stage`, `job` and the output of `whole`, that wait. */
    bool waiting;
    br_weight *stage_adjoint, *message_adjoint, *job_adjoint, *whole_adjoint;
};

/* All stages there, all features 0. The graph stays the caller's. BR_SYSTEM: memory. */
enum br_status br_embedding_init(struct br_embedding *embedding, const struct br_network *network,
                                 struct br_stage_graph graph, struct br_diag *diag);
void br_embedding_finish(struct br_embedding *embedding);

/* The features of a stage, to be filled in. */
static inline br_weight *br_embedding_features(const struct br_embedding *embedding, uint32_t node)
{
    return embedding->wanted + (size_t)node * embedding->network->shape.node_features;
}

/* Computes what has changed. `gradient` gets derivatives that wait; NULL: there are none. */
void br_embedding_update(struct br_embedding *embedding, const br_weight *parameter,
                         br_weight *gradient);
/* Sends derivatives that wait back into the gradient. */
void br_embedding_send_back(struct br_embedding *embedding, const br_weight *parameter,
                            br_weight *gradient);

#endif
