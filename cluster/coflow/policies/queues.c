#include "cluster/coflow/policies/queues.h"

#include <assert.h>
#include <math.h>

bool br_queues_init(struct br_queues *queues, const struct br_coflow_setup *setup)
{
    uint32_t coflows = br_fabric_coflows(setup->fabric);
    queues->first = setup->option[BR_QUEUE_FIRST] * BR_COFLOW_MB;
    queues->factor = setup->option[BR_QUEUE_FACTOR];
    queues->count = (uint32_t)setup->option[BR_QUEUE_COUNT];
    assert(queues->count && queues->count <= BR_QUEUES_MOST);
    queues->at = calloc((size_t)coflows + 1, sizeof *queues->at);
    for (uint32_t q = 0; q < queues->count; q++)
        if (!br_coflow_list_init(&queues->queue[q], coflows))
            return false;
    return queues->at != NULL;
}

void br_queues_finish(struct br_queues *queues)
{
    for (uint32_t q = 0; q < queues->count; q++)
        free(queues->queue[q].coflow);
    free(queues->at);
}

uint32_t br_queues_of(const struct br_queues *queues, double size)
{
    uint32_t queue = 0;
    double end = queues->first;
    while (end < size && queue + 1 < queues->count) {
        end *= queues->factor;
        queue++;
    }
    return queue;
}

double br_queues_end(const struct br_queues *queues, uint32_t queue)
{
    double end = queues->first;
    for (uint32_t q = 0; q < queue; q++)
        end *= queues->factor;
    return queue + 1 < queues->count ? end : INFINITY;
}

void br_queues_add(struct br_queues *queues, uint32_t queue, uint32_t coflow)
{
    assert(queue < queues->count);
    queues->at[coflow] = queue;
    br_coflow_list_append(&queues->queue[queue], coflow);
}

double br_queues_share(const struct br_queues *queues, double weight, uint32_t queue)
{
    double one = 1, sum = 0;
    for (uint32_t q = queue; q < queues->count; q++) {
        sum += queues->queue[q].count ? one : 0;
        one /= weight;
    }
    assert(queues->queue[queue].count && sum >= 1);
    return 1 / sum;
}

void br_queues_remove(struct br_queues *queues, uint32_t coflow)
{
    bool removed = br_coflow_list_remove(&queues->queue[queues->at[coflow]], coflow);
    assert(removed);
    (void)removed;
}
