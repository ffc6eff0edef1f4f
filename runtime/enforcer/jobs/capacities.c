/* From decimal amounts to integers, resource by resource. */
#include "runtime/enforcer/jobs/capacities.h"

#include <assert.h>
#include <string.h>

#include "base/numbers/real.h"
#include "base/roles.h"

/* The cluster's amount of a resource stays below this, so that sums and overbooking fit 63 bits. */
#define AMOUNT_MAX (INT64_MAX / 8)

uint32_t br_scale_find(const struct br_scale *scale, const char *name)
{
    for (uint32_t r = 0; r < scale->resources; r++)
        if (strcmp(scale->name[r], name) == 0)
            return r;
    return UINT32_MAX;
}

enum br_status br_overbook_find(const struct br_scale *scale, const char *name, uint32_t percent,
                                uint32_t *resource, struct br_diag *diag)
{
    *resource = br_scale_find(scale, name);
    if (*resource == UINT32_MAX)
        return br_fail(diag, BR_USAGE, "name a resource of the cluster",
                       "no machine has a resource '%.80s'", name);
    if (br_role_of(name) == BR_ROLE_MEMORY || br_role_of(name) == BR_ROLE_SWAP)
        return br_fail(diag, BR_USAGE, "overbook network or disk",
                       "memory cannot be overbooked: demand beyond it does not only slow down");
    if (!scale->fungible[*resource])
        return br_fail(diag, BR_USAGE,
                       "if demand beyond it only slows tasks down, declare it: --fungible, or "
                       "fungible=\"true\" in the cluster's file",
                       "'%.80s' is not declared fungible, so it cannot be overbooked", name);
    if (percent < 100 || percent > BR_OVERBOOK_MOST)
        return br_fail(diag, BR_USAGE, NULL, "overbooking of %u %% is not within 100 to %u",
                       percent, BR_OVERBOOK_MOST);
    return BR_OK;
}

static enum br_status scale_resource(struct br_capacities *capacities,
                                     const struct br_cluster *cluster, uint32_t r, int32_t *digits,
                                     double *total, struct br_diag *diag)
{
    const char *name = capacities->scale.name[r];
    for (*digits = 18; *digits >= -18; --*digits) {
        int64_t sum = 0;
        bool fits = true;
        for (uint32_t c = 0; c < cluster->classes && fits; c++) {
            int64_t one = 0, all = 0;
            fits = br_decimal_scale(br_cluster_capacity(cluster, c, name), *digits, &one) &&
                   !__builtin_mul_overflow(one, (int64_t)cluster->cls[c].count, &all) &&
                   !__builtin_add_overflow(sum, all, &sum) && sum <= AMOUNT_MAX;
            capacities->capacity[(size_t)c * capacities->scale.resources + r] = one;
        }
        *total = (double)sum;
        if (fits)
            return BR_OK;
    }
    return br_fail(diag, BR_BAD_INPUT, "use a larger unit, or fewer digits",
                   "the cluster's amounts of %s do not fit one scale", name);
}

static enum br_status name_resources(struct br_arena *arena, struct br_scale *scale,
                                     const struct br_cluster *cluster, struct br_diag *diag)
{
    uint32_t most = 0;
    for (uint32_t c = 0; c < cluster->classes; c++)
        most += cluster->cls[c].capacities;
    const char **name = br_arena_array(arena, most, sizeof *name);
    scale->name = name;
    if (!name)
        return br_fail_memory(diag);
    for (uint32_t c = 0; c < cluster->classes; c++)
        for (uint32_t k = 0; k < cluster->cls[c].capacities; k++) {
            const char *resource = cluster->cls[c].capacity[k].resource;
            if (br_scale_find(scale, resource) != UINT32_MAX)
                continue;
            name[scale->resources] = br_arena_text(arena, resource);
            if (!name[scale->resources])
                return br_fail_memory(diag);
            scale->resources++;
        }
    assert(scale->resources <= most);
    return BR_OK;
}

enum br_status br_capacities_make(struct br_arena *arena, const struct br_cluster *cluster,
                                  struct br_capacities *capacities, struct br_diag *diag)
{
    *capacities = (struct br_capacities){0};
    enum br_status status = name_resources(arena, &capacities->scale, cluster, diag);
    if (status)
        return status;
    uint32_t resources = capacities->scale.resources;
    size_t kinds = (size_t)cluster->classes * resources;
    int32_t *digits = br_arena_array(arena, resources, sizeof *digits);
    double *total = br_arena_array(arena, resources, sizeof *total);
    bool *fungible = br_arena_array(arena, resources, sizeof *fungible);
    bool *in_bytes = br_arena_array(arena, resources, sizeof *in_bytes);
    capacities->capacity = br_arena_array(arena, kinds, sizeof *capacities->capacity);
    capacities->machine_class =
        br_arena_array(arena, cluster->machines, sizeof *capacities->machine_class);
    if (!digits || !total || !fungible || !in_bytes || !capacities->capacity ||
        !capacities->machine_class)
        return br_fail_memory(diag);
    capacities->scale.digits = digits;
    capacities->scale.total = total;
    capacities->scale.fungible = fungible;
    capacities->scale.in_bytes = in_bytes;
    for (uint32_t r = 0; r < resources; r++)
        fungible[r] = br_cluster_is_fungible(cluster, capacities->scale.name[r]);
    for (uint32_t c = 0; c < cluster->classes; c++)
        for (uint32_t k = 0; k < cluster->cls[c].capacities; k++) {
            const struct br_capacity *offer = &cluster->cls[c].capacity[k];
            in_bytes[br_scale_find(&capacities->scale, offer->resource)] |= offer->in_bytes;
        }
    for (uint32_t r = 0; r < resources && !status; r++)
        status = scale_resource(capacities, cluster, r, &digits[r], &total[r], diag);
    for (uint32_t m = 0; m < cluster->machines && !status; m++)
        capacities->machine_class[m] = br_cluster_machine_class(cluster, m);
    return status;
}

double br_capacities_slots(const struct br_capacities *capacities, const struct br_cluster *cluster)
{
    const struct br_scale *scale = &capacities->scale;
    uint32_t cpu = br_scale_find(scale, br_role_name(BR_ROLE_CPU));
    if (cpu == UINT32_MAX)
        return cluster->machines;
    int32_t digits = scale->digits[cpu];
    double slots = digits >= 0 ? scale->total[cpu] / br_real_ten(digits)
                               : scale->total[cpu] * br_real_ten(-digits);
    return slots < 1 ? cluster->machines : slots;
}
