/* The cluster of an enforcer and the groups of its jobs: set-up, and what becomes of machines.
 * [Grandl16, 5] decide.c makes the decisions. */
#include "runtime/enforcer/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/text/diag.h"
#include "planner/eligibility/features.h"
#include "planner/model/cluster/cluster.h"
#include "runtime/enforcer/board.h"
#include "runtime/enforcer/decide.h"
#include "runtime/enforcer/jobs/capacities.h"
#include "runtime/enforcer/stock.h"

/* eta differs from BR_ETA_PAPER: a few large jobs dominate the mean of remaining work, so that at
 * x1 packing decides among the short ones. bench/notes/simulate.md has the measurements. */
struct br_runtime_options br_runtime_options_default(void)
{
    return (struct br_runtime_options){
        .policy = "graphene",
        .remote_penalty = 0.8,
        .eta_factor = 3,
        .kappa = 0.1,
        .fairness = BR_FAIR_DOMINANT,
        .bundle = 8,
        .keep_plan = true,
    };
}

/* ---- The cluster ---- */

static uint32_t runtime_find_resource(const struct br_runtime *runtime, const char *name)
{
    return br_scale_find(&runtime->scale, name);
}

static enum br_status fail_resource(const char *name, struct br_diag *diag)
{
    return br_fail(diag, BR_USAGE, "name a resource of the cluster",
                   "no machine has a resource '%.80s'", name);
}

static enum br_status take_cluster(struct br_runtime *runtime, const struct br_cluster *cluster,
                                   struct br_diag *diag)
{
    struct br_arena *arena = &runtime->arena;
    struct br_capacities found;
    enum br_status status = br_capacities_make(arena, cluster, &found, diag);
    if (status)
        return status;
    uint32_t resources = runtime->resources = found.scale.resources;
    size_t kinds = (size_t)cluster->classes * resources;
    size_t all = (size_t)cluster->machines * resources;
    double *scale;
    runtime->scale = found.scale;
    runtime->classes = cluster->classes;
    runtime->machines = cluster->machines;
    runtime->capacity = found.capacity;
    runtime->machine_class = found.machine_class;
    if (!BR_ARRAY(arena, kinds, runtime->extra) || !BR_ARRAY(arena, kinds, runtime->weight) ||
        !BR_ARRAY(arena, all, runtime->free) || !BR_ARRAY(arena, all, runtime->held) ||
        !BR_ARRAY(arena, cluster->machines, runtime->idle_at) ||
        !BR_ARRAY(arena, cluster->machines, runtime->away) ||
        !BR_ARRAY(arena, resources, runtime->room) || !BR_ARRAY(arena, resources, runtime->rest) ||
        !BR_ARRAY(arena, resources, scale) ||
        !BR_ARRAY(arena, 4 * ((size_t)resources + 1), runtime->bounds) ||
        !BR_ARRAY(arena, cluster->classes, runtime->kept) ||
        !br_vacancy_init(&runtime->vacancy, arena, cluster->machines, resources) ||
        !BR_ARRAY(arena, runtime->options.bundle, runtime->bundle))
        return br_fail_memory(diag);
    for (size_t k = 0; k < kinds; k++) {
        double capacity = (double)runtime->capacity[k];
        runtime->weight[k] = capacity > 0 ? 1 / (capacity * capacity) : 0;
    }
    for (uint32_t m = 0; m < cluster->machines; m++) {
        uint32_t c = runtime->machine_class[m];
        memcpy(runtime->free + (size_t)m * resources, runtime->capacity + (size_t)c * resources,
               resources * sizeof *runtime->free);
    }
    for (uint32_t r = 0; r < resources; r++)
        scale[r] = found.scale.total[r] > 0 ? cluster->machines / found.scale.total[r] : 0;
    runtime->scale.shareds = cluster->shareds;
    status = br_pool_init(&runtime->pool, arena, cluster, diag);
    runtime->scale.shared = runtime->pool.name;
    runtime->offers.width = resources;
    runtime->offers.scale = scale;
    runtime->slots = br_capacities_slots(&found, cluster);
    return status;
}

enum br_status br_runtime_create(const struct br_cluster *cluster,
                                 const struct br_runtime_options *options,
                                 struct br_runtime **created, struct br_diag *diag)
{
    BR_NEED(diag, cluster, created);
    struct br_runtime_options defaults = br_runtime_options_default();
    *created = NULL;
    if (!options)
        options = &defaults;
    if (!br_policy_find(options->policy))
        return br_fail_unnamed(diag, &br_policies, options->policy ? options->policy : "", SIZE_MAX,
                               "unknown policy '%.80s'", options->policy ? options->policy : "");
    if (!(options->remote_penalty >= 0 && options->remote_penalty <= 1) ||
        !(options->eta_factor >= 0 && isfinite(options->eta_factor)) || !(options->kappa > 0) ||
        !options->bundle ||
        (options->fairness != BR_FAIR_SLOTS && options->fairness != BR_FAIR_DOMINANT))
        return br_fail(diag, BR_USAGE, "start from br_runtime_options_default()",
                       "an option of the runtime is out of its range");
    if (!cluster->machines)
        return br_fail(diag, BR_USAGE, NULL, "the cluster has no machine");
    enum br_status status = br_features_refuse_cluster(
        cluster, BR_FEATURE_SHARED | BR_FEATURE_CALENDAR, "the enforcer", diag);
    if (status)
        return status;
    struct br_runtime *runtime = calloc(1, sizeof *runtime);
    if (!runtime)
        return br_fail_memory(diag);
    runtime->options = *options;
    runtime->policy = br_policy_find(options->policy);
    runtime->options.policy = runtime->policy->named.name;
    runtime->epoch = 1;
    runtime->kept_for = runtime->loose = BR_ANY;
    uint32_t group;
    status = take_cluster(runtime, cluster, diag);
    if (!status)
        status = br_runtime_add_group(runtime, "default", 1, &group, diag);
    if (status)
        br_runtime_destroy(runtime);
    else
        *created = runtime;
    return status;
}

void br_runtime_destroy(struct br_runtime *runtime)
{
    if (!runtime)
        return;
    for (uint32_t j = 0; j < runtime->jobs; j++) {
        if (runtime->job[j])
            br_stock_destroy(runtime->job[j]->stock);
        br_job_destroy(runtime->job[j]);
    }
    br_pool_finish(&runtime->pool);
    br_outlook_finish(&runtime->outlook);
    br_offers_finish(&runtime->offers);
    br_near_finish(&runtime->near);
    free(runtime->tree);
    free(runtime->job);
    free(runtime->group);
    br_arena_finish(&runtime->arena);
    free(runtime);
}

enum br_status br_runtime_overbook(struct br_runtime *runtime, const char *resource,
                                   uint32_t percent, struct br_diag *diag)
{
    BR_NEED(diag, runtime, resource);
    uint32_t r;
    enum br_status status = br_overbook_find(&runtime->scale, resource, percent, &r, diag);
    if (status)
        return status;
    for (uint32_t c = 0; c < runtime->classes; c++) {
        size_t at = (size_t)c * runtime->resources + r;
        runtime->extra[at] = br_overbook_extra(runtime->capacity[at], percent);
    }
    br_vacancy_change_all(&runtime->vacancy, 0);
    return BR_OK;
}

enum br_status br_runtime_data(struct br_runtime *runtime, const struct br_data *data,
                               struct br_diag *diag)
{
    assert(!runtime->jobs && !runtime->data.share);
    if (!br_near_init(&runtime->near, &runtime->arena, runtime->machines))
        return br_fail_memory(diag);
    runtime->data = *data;
    return BR_OK;
}

enum br_status br_runtime_add_group(struct br_runtime *runtime, const char *name, double weight,
                                    uint32_t *group, struct br_diag *diag)
{
    BR_NEED(diag, runtime, name, group);
    if (!(weight > 0) || !isfinite(weight))
        return br_fail(diag, BR_USAGE, NULL, "the weight of group '%.80s' is not above 0", name);
    char *copy = br_arena_text(&runtime->arena, name);
    if (!copy || !br_board_add_group(runtime) ||
        !br_grow(&runtime->group, runtime->groups, &runtime->group_room, sizeof *runtime->group))
        return br_fail_memory(diag);
    *group = runtime->groups++;
    runtime->group[*group] = (struct br_group){.name = copy, .weight = weight};
    return BR_OK;
}

/* ---- Machines ---- */

enum br_status br_runtime_report(struct br_runtime *runtime, uint32_t machine, const char *resource,
                                 const char *text, struct br_diag *diag)
{
    BR_NEED(diag, runtime, resource, text);
    struct br_decimal amount;
    if (machine >= runtime->machines)
        return br_fail(diag, BR_USAGE, NULL, "there is no machine %u", machine);
    uint32_t r = runtime_find_resource(runtime, resource);
    if (r == UINT32_MAX)
        return fail_resource(resource, diag);
    if (br_decimal_parse_suffixed(text, &amount) != BR_DECIMAL_OK || amount.mantissa < 0)
        return br_fail(diag, BR_USAGE, NULL, "'%.80s' is not an amount of %.80s", text, resource);
    /* Digits beyond the scale are cut: less is free, never more. */
    while (-amount.exponent > runtime->scale.digits[r] && amount.mantissa) {
        amount.mantissa /= 10;
        amount.exponent++;
    }
    size_t at = (size_t)machine * runtime->resources + r;
    int64_t most =
        runtime->capacity[(size_t)runtime->machine_class[machine] * runtime->resources + r];
    int64_t free = 0;
    most -= runtime->held[at];
    if (!amount.mantissa)
        amount.exponent = 0;
    if (!br_decimal_scale(amount, runtime->scale.digits[r], &free) || free > most)
        free = most;
    if (free > runtime->free[at])
        br_vacancy_change(&runtime->vacancy, machine);
    runtime->pool.stirred = true;
    runtime->free[at] = free;
    return BR_OK;
}

void br_runtime_move(struct br_runtime *runtime, uint32_t machine, bool there)
{
    assert(machine < runtime->machines);
    runtime->away[machine] = !there;
    runtime->pool.stirred = true;
    br_vacancy_change(&runtime->vacancy, machine);
}
