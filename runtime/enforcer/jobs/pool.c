#include "runtime/enforcer/jobs/pool.h"

#include "base/collections/memory.h"
#include "base/text/diag.h"

/* Sums of shared amounts stay below it. */
#define SHARED_MAX (INT64_MAX / 8)

static enum br_status copy_amount(const struct br_capacity *from, char text[BR_DECIMAL_TEXT])
{
    br_decimal_format(from->amount, text, BR_DECIMAL_TEXT);
    return BR_OK;
}

static enum br_status copy_cluster(const struct br_cluster *from, struct br_cluster *to,
                                   struct br_diag *diag)
{
    char text[BR_DECIMAL_TEXT];
    enum br_status status = BR_OK;
    for (uint32_t c = 0; c < from->classes && !status; c++) {
        const struct br_class *cls = &from->cls[c];
        uint32_t made;
        status = br_cluster_add_class(to, cls->name, cls->count, &made, diag);
        for (uint32_t k = 0; k < cls->capacities && !status; k++) {
            copy_amount(&cls->capacity[k], text);
            status = br_cluster_add_capacity(to, made, cls->capacity[k].resource, text, diag);
            if (!status)
                to->cls[made].capacity[k].in_bytes = cls->capacity[k].in_bytes;
        }
    }
    for (uint32_t k = 0; k < from->shareds && !status; k++) {
        copy_amount(&from->shared[k], text);
        status = br_cluster_add_shared(to, from->shared[k].resource, text, diag);
        if (!status)
            to->shared[k].in_bytes = from->shared[k].in_bytes;
    }
    if (!status && from->calendar)
        status = br_cluster_copy_calendar(to, from, diag);
    return status;
}

enum br_status br_pool_init(struct br_pool *pool, struct br_arena *arena,
                            const struct br_cluster *cluster, struct br_diag *diag)
{
    pool->resources = cluster->shareds;
    pool->next_ns = INT64_MAX;
    pool->cluster = br_cluster_create(cluster->name);
    if (!pool->cluster || !BR_ARRAY(arena, cluster->shareds, pool->name) ||
        !BR_ARRAY(arena, cluster->shareds, pool->digits) ||
        !BR_ARRAY(arena, cluster->shareds, pool->capacity) ||
        !BR_ARRAY(arena, cluster->shareds, pool->free) ||
        !BR_ARRAY(arena, cluster->shareds, pool->held))
        return br_fail_memory(diag);
    enum br_status status = copy_cluster(cluster, pool->cluster, diag);
    for (uint32_t k = 0; k < cluster->shareds && !status; k++) {
        const struct br_capacity *shared = &pool->cluster->shared[k];
        pool->name[k] = shared->resource;
        pool->digits[k] = 18;
        while (!br_decimal_scale(shared->amount, pool->digits[k], &pool->capacity[k]) ||
               pool->capacity[k] > SHARED_MAX)
            if (--pool->digits[k] < -18)
                return br_fail(diag, BR_BAD_INPUT, "use a larger unit, or fewer digits",
                               "the cluster's amount of %.80s does not scale", shared->resource);
        pool->free[k] = pool->capacity[k];
    }
    return status;
}

void br_pool_finish(struct br_pool *pool)
{
    br_cluster_destroy(pool->cluster);
    br_free(pool->member);
    br_free(pool->order);
    br_free(pool->left);
    br_free(pool->owed);
}
