/* The power of ten of a resource is the least that makes all its capacities and demands whole, and
 * no larger than the sum over all machines allows. */
#include "cluster/workload/shares.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/numbers/real.h"

enum { DIGITS_MOST = 18 };
#define CAPACITY_MOST (INT64_C(1) << 52)

static uint32_t workload_shares_find_resource(const struct br_shares *shares, const char *name)
{
    for (uint32_t r = 0; r < shares->resources; r++)
        if (strcmp(shares->resource[r], name) == 0)
            return r;
    return BR_NO_RESOURCE;
}

/* value x 10^digits, not rounded. */
static double workload_shares_scaled(struct br_decimal value, int32_t digits)
{
    int32_t n = value.exponent + digits;
    double size = (double)value.mantissa;
    for (; n > 22; n -= 22)
        size *= br_real_ten(22);
    for (; n < -22; n += 22)
        size /= br_real_ten(22);
    return n >= 0 ? size * br_real_ten(n) : size / br_real_ten(-n);
}

static int64_t workload_shares_whole(struct br_decimal value, int32_t digits)
{
    int64_t exact;
    if (br_decimal_scale(value, digits, &exact))
        return exact;
    double size = workload_shares_scaled(value, digits);
    return size < 0x1p62 ? br_real_whole(size) : INT64_C(1) << 62;
}

static void note_digits(int32_t *digits, struct br_decimal value)
{
    if (value.mantissa && -value.exponent > *digits)
        *digits = -value.exponent < DIGITS_MOST ? -value.exponent : DIGITS_MOST;
}

/* Names of the resources of which the cluster has some. */
static bool list_resources(struct br_shares *shares, const struct br_cluster *cluster)
{
    size_t most = 0;
    for (uint32_t c = 0; c < cluster->classes; c++)
        most += cluster->cls[c].capacities;
    shares->resource = br_arena_array(&shares->arena, most, sizeof *shares->resource);
    shares->capacity = br_arena_array(&shares->arena, most, sizeof *shares->capacity);
    if (!shares->resource || !shares->capacity)
        return false;
    for (uint32_t c = 0; c < cluster->classes; c++)
        for (uint32_t k = 0; k < cluster->cls[c].capacities; k++) {
            const struct br_capacity *capacity = &cluster->cls[c].capacity[k];
            if (cluster->cls[c].count && capacity->amount.mantissa > 0 &&
                workload_shares_find_resource(shares, capacity->resource) == BR_NO_RESOURCE)
                shares->resource[shares->resources++] = capacity->resource;
        }
    assert(shares->resources <= most);
    return true;
}

/* Sets the capacities in the unit that the digits say, with fewer digits if they are too large.
 */
static void workload_shares_scale_capacities(struct br_shares *shares,
                                             const struct br_cluster *cluster, int32_t *digits)
{
    for (uint32_t r = 0; r < shares->resources; r++) {
        double all = 0;
        for (uint32_t c = 0; c < cluster->classes; c++)
            all += cluster->cls[c].count *
                   workload_shares_scaled(br_cluster_capacity(cluster, c, shares->resource[r]), 0);
        while (all * workload_shares_scaled((struct br_decimal){1, 0}, digits[r]) >
               (double)CAPACITY_MOST)
            digits[r]--;
        for (uint32_t c = 0; c < cluster->classes; c++)
            shares->capacity[r] +=
                cluster->cls[c].count *
                workload_shares_whole(br_cluster_capacity(cluster, c, shares->resource[r]),
                                      digits[r]);
        if (shares->capacity[r] < 1)
            shares->capacity[r] = 1;
    }
}

static bool map_resources(struct br_shares *shares, const struct br_dag *dag,
                          struct br_dag_shares *of, int32_t *digits)
{
    of->resource = br_arena_array(&shares->arena, dag->demands, sizeof *of->resource);
    of->amount = br_arena_array(&shares->arena, dag->demands, sizeof *of->amount);
    of->dominant = br_arena_array(&shares->arena, dag->stages, sizeof *of->dominant);
    if (!of->resource || !of->amount || !of->dominant)
        return false;
    for (uint32_t d = 0; d < dag->demands; d++) {
        of->resource[d] =
            workload_shares_find_resource(shares, dag->resource[dag->demand[d].resource].name);
        if (of->resource[d] != BR_NO_RESOURCE)
            note_digits(&digits[of->resource[d]], dag->demand[d].amount);
    }
    return true;
}

static void workload_shares_scale_demands(const struct br_shares *shares, const struct br_dag *dag,
                                          struct br_dag_shares *of, const int32_t *digits)
{
    for (uint32_t d = 0; d < dag->demands; d++) {
        uint32_t r = of->resource[d];
        if (r == BR_NO_RESOURCE)
            continue;
        of->amount[d] = workload_shares_whole(dag->demand[d].amount, digits[r]);
        assert(shares->capacity[r] > 0 && of->amount[d] >= 0);
        double share = (double)of->amount[d] / (double)shares->capacity[r];
        int64_t units = br_real_whole((share < 1024 ? share : 1024) * (double)BR_SHARE_ALL);
        if (units > of->dominant[dag->demand[d].stage])
            of->dominant[dag->demand[d].stage] = units;
    }
}

enum br_status br_shares_make(const struct br_workload *workload, const struct br_cluster *cluster,
                              struct br_shares *shares, struct br_diag *diag)
{
    *shares = (struct br_shares){0};
    if (!list_resources(shares, cluster))
        return br_fail_memory(diag);
    int32_t *digits = br_arena_array(&shares->arena, shares->resources, sizeof *digits);
    shares->dag = br_arena_array(&shares->arena, workload->dags, sizeof *shares->dag);
    if (!digits || !shares->dag)
        return br_fail_memory(diag);
    for (uint32_t c = 0; c < cluster->classes; c++)
        for (uint32_t k = 0; k < cluster->cls[c].capacities; k++) {
            const struct br_capacity *capacity = &cluster->cls[c].capacity[k];
            uint32_t r = workload_shares_find_resource(shares, capacity->resource);
            if (r != BR_NO_RESOURCE)
                note_digits(&digits[r], capacity->amount);
        }
    for (uint32_t d = 0; d < workload->dags; d++)
        if (!map_resources(shares, workload->dag[d].dag, &shares->dag[d], digits))
            return br_fail_memory(diag);
    workload_shares_scale_capacities(shares, cluster, digits);
    for (uint32_t d = 0; d < workload->dags; d++)
        workload_shares_scale_demands(shares, workload->dag[d].dag, &shares->dag[d], digits);
    return BR_OK;
}

void br_shares_finish(struct br_shares *shares)
{
    br_arena_finish(&shares->arena);
    *shares = (struct br_shares){0};
}
