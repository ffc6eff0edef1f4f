/* What happens without anybody who knows of coflows: every flow has its fair share of its ports.
 * The exact clock has max-min fair rates. */
#include "simulate/coflow/policies/fair.h"

#include "simulate/coflow/fabric/list.h"

struct fair {
    struct br_fabric *fabric;
    struct br_coflow_list list;
};

void br_fair_event(void *policy, enum br_coflow_event event, uint32_t coflow)
{
    struct fair *p = policy;
    if (event == BR_COFLOW_ARRIVES)
        br_coflow_list_append(&p->list, coflow);
    else if (event == BR_COFLOW_LEAVES)
        br_coflow_list_remove(&p->list, coflow);
}

void br_fair_decide(void *policy)
{
    struct fair *p = policy;
    br_rates_max_min(p->fabric, p->list.coflow, p->list.count);
}

void br_fair_destroy(void *policy)
{
    struct fair *p = policy;
    if (p)
        free(p->list.coflow);
    free(p);
}

enum br_status br_fair_create(const struct br_coflow_setup *setup, void **policy,
                              struct br_diag *diag)
{
    struct fair *p = *policy = calloc(1, sizeof *p);
    if (!p)
        return br_fail_memory(diag);
    p->fabric = setup->fabric;
    return br_coflow_list_init(&p->list, br_fabric_coflows(p->fabric)) ? BR_OK
                                                                       : br_fail_memory(diag);
}
