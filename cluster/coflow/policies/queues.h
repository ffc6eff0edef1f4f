/* Priority queues of coflows whose thresholds grow by a factor, each first in, first out
 * [Chowdhury15]. */
#ifndef BR_CLUSTER_COFLOW_POLICIES_QUEUES_H
#define BR_CLUSTER_COFLOW_POLICIES_QUEUES_H

#include "cluster/coflow/fabric/list.h"
#include "cluster/coflow/fabric/policy.h"

enum { BR_QUEUES_MOST = 64 };

struct br_queues {
    uint32_t count;
    double first, factor; /* what belongs to the first queue is at most `first` bytes */
    struct br_coflow_list queue[BR_QUEUES_MOST];
    uint32_t *at; /* queue of a coflow */
};

/* The options that policies with queues share, in this order. */
#define BR_QUEUE_OPTIONS                                                                           \
    {{"first", "MiB of the first queue"}, 10, 1e-3, 1e9},                                          \
        {{"factor", "of a queue's threshold over that of the one before"}, 10, 1.01, 1e6},         \
    {                                                                                              \
        {"queues", "their number"}, 10, 1, BR_QUEUES_MOST                                          \
    }
enum { BR_QUEUE_FIRST, BR_QUEUE_FACTOR, BR_QUEUE_COUNT, BR_QUEUE_NEXT };
/* How queues share bandwidth, for the policies that let one choose. */
#define BR_QUEUE_WEIGHT                                                                            \
    {                                                                                              \
        {"weight", "of a queue over that of the next; 0: strict priority"}, 0, 0, 1e6              \
    }

bool br_queues_init(struct br_queues *queues, const struct br_coflow_setup *setup);
void br_queues_finish(struct br_queues *queues);
/* The queue that a size belongs to. */
uint32_t br_queues_of(const struct br_queues *queues, double size);
/* The size at which the queue ends; infinite for the last one. */
double br_queues_end(const struct br_queues *queues, uint32_t queue);
void br_queues_add(struct br_queues *queues, uint32_t queue, uint32_t coflow);
void br_queues_remove(struct br_queues *queues, uint32_t coflow);
/* The share of bandwidth of a queue that has coflows, of what the queues before it have left:
 * weights fall by the factor `weight` from one queue to the next, and empty queues have none. */
double br_queues_share(const struct br_queues *queues, double weight, uint32_t queue);

#endif
