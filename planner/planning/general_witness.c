#include <string.h>

#include "base/collections/memory.h"
#include "planner/peak/least.h"
#include "planner/planning/general_state.h"

/* Machines and instances that the search for an order that fits looks at. */
static const uint64_t witness_work = 30000000;

static void take_witness(struct general_plan *g, const struct br_witness *witness)
{
    memcpy(g->witness.order, witness->order, g->job->tasks * sizeof *g->witness.order);
    memcpy(g->witness.machine, witness->machine, g->job->tasks * sizeof *g->witness.machine);
}

/* Does any place have so much of the resource? */
static bool any_holds(const struct br_general *job, uint32_t r, struct br_decimal amount)
{
    int64_t units, most = 0;
    if (!br_decimal_scale(amount, job->digits[r], &units))
        return true; /* not known */
    for (uint32_t m = 0; m < job->machines && !job->shared[r]; m++) {
        const int64_t has = br_general_capacity(job, br_general_place(job, m, r), 0);
        most = has > most ? has : most;
    }
    return units <= (job->shared[r] ? job->shared_capacity[r] : most);
}

/* Takes the order of the least peak of the resource if it fits. That of series and parallel parts
 * is made, not searched, so it is found where the search gives up, and so is that there is none. */
static enum br_status try_least_peak(struct general_plan *g, uint32_t resource)
{
    struct br_least_peak least = {0};
    struct br_diag own = {0};
    const char *name = g->dag->resource[g->job->resource_origin[resource]].name;
    enum br_status status =
        br_least_peak(g->dag, g->cluster, name, witness_work / 64, &g->alarm.stop, &least, &own);
    if (status == BR_OK) {
        struct br_reserve *reserve = br_reserve_create(g->job, &least.witness);
        status = reserve ? BR_OK : BR_SYSTEM;
        if (reserve && br_reserve_holds(reserve)) {
            take_witness(g, &least.witness);
            g->answer = BR_WITNESS_FOUND;
        } else if (reserve && br_witness_is_needed(g->job) &&
                   !any_holds(g->job, resource, least.bound)) {
            g->answer = BR_WITNESS_NONE;
        }
        br_reserve_destroy(reserve);
    }
    br_least_peak_finish(&least);
    return status == BR_SYSTEM ? br_fail_memory(g->diag) : BR_OK;
}

enum br_status br_general_find_witness(struct general_plan *g)
{
    const size_t n = (size_t)g->job->tasks + 1;
    g->stuck = UINT32_MAX;
    g->answer = BR_WITNESS_FOUND;
    if (!g->job->any_stored)
        return BR_OK;
    g->witness.order = br_malloc(n * sizeof *g->witness.order);
    g->witness.machine = br_malloc(n * sizeof *g->witness.machine);
    if (!g->witness.order || !g->witness.machine)
        return br_fail_memory(g->diag);
    if (g->known) {
        take_witness(g, g->known);
        return BR_OK;
    }
    g->answer = br_witness_find(g->job, witness_work, &g->alarm.stop, &g->witness, &g->stuck);
    if (g->answer == BR_WITNESS_MEMORY)
        return br_fail_memory(g->diag);
    enum br_status status = BR_OK;
    for (uint32_t r = 0; r < g->job->resources && g->answer == BR_WITNESS_UNKNOWN && !status; r++)
        if (g->job->stored[r])
            status = try_least_peak(g, r);
    if (status)
        return status;
    return g->answer == BR_WITNESS_NONE && !g->fitting ? br_general_refuse_storage(g) : BR_OK;
}
