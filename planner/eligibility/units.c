/* Bytes of the cluster against counts of the job. */
#include "planner/eligibility/units.h"

#include <stdio.h>
#include <string.h>

#include "base/roles.h"

/* Is the offer in bytes, and counted in a multiple of bytes by the job? */
static enum br_status check_unit(const struct br_capacity *offer, const char *owner,
                                 const struct br_dag *dag, struct br_diag *diag)
{
    for (uint32_t r = 0; r < dag->resources && offer->in_bytes; r++) {
        const struct br_resource *resource = &dag->resource[r];
        if (!br_role_is_multiple(resource->unit) || strcmp(resource->name, offer->resource) != 0)
            continue;
        char amount[BR_ROLE_AMOUNT_TEXT];
        br_role_amount(offer->amount, offer->resource, "B", amount);
        return br_fail(diag, BR_BAD_INPUT, "write a number without a suffix, in the job's own unit",
                       "%.80s is in %.40s in this job, and %s offers %s of it", resource->name,
                       resource->unit, owner, amount);
    }
    return BR_OK;
}

enum br_status br_units_check(const struct br_cluster *cluster, const struct br_dag *dag,
                              struct br_diag *diag)
{
    enum br_status status = BR_OK;
    for (uint32_t c = 0; c < cluster->classes && !status; c++) {
        char owner[100];
        snprintf(owner, sizeof owner, "class '%.80s'", cluster->cls[c].name);
        for (uint32_t k = 0; k < cluster->cls[c].capacities && !status; k++)
            status = check_unit(&cluster->cls[c].capacity[k], owner, dag, diag);
    }
    for (uint32_t k = 0; k < cluster->shareds && !status; k++)
        status = check_unit(&cluster->shared[k], "the cluster", dag, diag);
    const struct br_calendar *calendar = cluster->calendar;
    for (uint32_t k = 0; calendar && k < calendar->changes && !status; k++) {
        const struct br_change *change = &calendar->change[k];
        const struct br_capacity offer = {change->resource, change->amount, change->in_bytes};
        status = check_unit(&offer, "a change of the cluster", dag, diag);
    }
    return status;
}
