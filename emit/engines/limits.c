/* The capacities of a plan's machines, in whole numbers. */
#include "emit/engines/limits.h"

#include <stdlib.h>
#include <string.h>

static int32_t digits_of(const struct br_dag *dag, const struct br_cluster *cluster, uint32_t r)
{
    int32_t digits = 0;
    for (uint32_t d = 0; d < dag->demands; d++)
        if (dag->demand[d].resource == r && -dag->demand[d].amount.exponent > digits)
            digits = -dag->demand[d].amount.exponent;
    for (uint32_t c = 0; c < cluster->classes; c++) {
        struct br_decimal value = br_cluster_capacity(cluster, c, dag->resource[r].name);
        if (-value.exponent > digits)
            digits = -value.exponent;
    }
    const struct br_capacity *shared = br_cluster_shared(cluster, dag->resource[r].name);
    if (shared && -shared->amount.exponent > digits)
        digits = -shared->amount.exponent;
    return digits;
}

/* A limit that does not fit counts as none: the planner refuses such amounts. */
static int64_t whole(struct br_decimal amount, int32_t digits)
{
    int64_t scaled;
    return br_decimal_scale(amount, digits, &scaled) ? scaled : INT64_MAX;
}

static void measure(struct br_limit *limit, const struct br_dag *dag,
                    const struct br_cluster *cluster)
{
    const char *name = dag->resource[limit->resource].name;
    int64_t taken = 0, all;
    limit->role = br_role_of(name);
    limit->digits = digits_of(dag, cluster, limit->resource);
    for (uint32_t c = 0; c < cluster->classes; c++) {
        int64_t one = whole(br_cluster_capacity(cluster, c, name), limit->digits);
        if (one > limit->most)
            limit->most = one;
        if (__builtin_mul_overflow(one, (int64_t)cluster->cls[c].count, &all) ||
            __builtin_add_overflow(limit->total, all, &limit->total))
            limit->total = INT64_MAX;
    }
    const struct br_capacity *shared = br_cluster_shared(cluster, name);
    if (shared)
        limit->most = limit->total = whole(shared->amount, limit->digits);
    for (uint32_t s = 0; s < dag->stages; s++)
        if (__builtin_mul_overflow(br_limit_demand(limit, dag, s), (int64_t)dag->stage[s].tasks,
                                   &all) ||
            __builtin_add_overflow(taken, all, &taken))
            taken = INT64_MAX;
    limit->scarce = taken > limit->most;
}

enum br_status br_limits_init(struct br_limits *limits, const struct br_dag *dag,
                              const struct br_cluster *cluster, struct br_diag *diag)
{
    *limits = (struct br_limits){0};
    bool *taken = calloc((size_t)dag->resources + 1, sizeof *taken);
    limits->limit = calloc((size_t)dag->resources + 1, sizeof *limits->limit);
    if (!taken || !limits->limit) {
        free(taken);
        return br_fail_memory(diag); /* the caller finishes it */
    }
    for (uint32_t d = 0; d < dag->demands; d++)
        taken[dag->demand[d].resource] |= dag->demand[d].amount.mantissa > 0;
    for (uint32_t r = 0; r < dag->resources; r++)
        if (taken[r]) {
            limits->limit[limits->count].resource = r;
            measure(&limits->limit[limits->count++], dag, cluster);
        }
    free(taken);
    return BR_OK;
}

void br_limits_finish(struct br_limits *limits)
{
    free(limits->limit);
    *limits = (struct br_limits){0};
}

int64_t br_limit_demand(const struct br_limit *limit, const struct br_dag *dag, uint32_t stage)
{
    const struct br_stage *of = &dag->stage[stage];
    for (uint32_t d = of->first_demand; d < of->first_demand + of->demands; d++)
        if (dag->demand[d].resource == limit->resource)
            return whole(dag->demand[d].amount, limit->digits);
    return 0;
}

bool br_limit_is_other(const struct br_limit *limit)
{
    return limit->role != BR_ROLE_CPU && limit->role != BR_ROLE_MEMORY && limit->most != INT64_MAX;
}

bool br_limit_is_kept(const struct br_limit *limit, unsigned keeps)
{
    return keeps & (limit->role == BR_ROLE_CPU      ? BR_KEEPS_CPU
                    : limit->role == BR_ROLE_MEMORY ? BR_KEEPS_MEMORY
                                                    : BR_KEEPS_OTHERS);
}
