#include "tests/support/amounts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { DIGITS = 6 };

static int64_t whole(struct br_decimal amount)
{
    int64_t scaled = -1;
    assert_true(br_decimal_scale(amount, DIGITS, &scaled));
    return scaled;
}

struct amounts amounts_of(const struct br_cluster *cluster)
{
    struct amounts amounts = {.cluster = cluster};
    for (uint32_t c = 0; c < cluster->classes; c++)
        for (uint32_t k = 0; k < cluster->cls[c].capacities; k++) {
            const char *name = cluster->cls[c].capacity[k].resource;
            uint32_t r = 0;
            while (r < amounts.resources && strcmp(amounts.resource[r], name) != 0)
                r++;
            assert_true(r < AMOUNTS_RESOURCES);
            amounts.resource[r] = name;
            amounts.resources += r == amounts.resources;
        }
    return amounts;
}

int64_t amounts_capacity(const struct amounts *amounts, uint32_t machine, uint32_t resource)
{
    uint32_t cls = br_cluster_machine_class(amounts->cluster, machine);
    return whole(br_cluster_capacity(amounts->cluster, cls, amounts->resource[resource]));
}

int64_t amounts_demand(const struct amounts *amounts, const struct br_dag *dag, uint32_t stage,
                       uint32_t resource)
{
    const struct br_stage *row = &dag->stage[stage];
    for (uint32_t d = row->first_demand; d < row->first_demand + row->demands; d++)
        if (strcmp(dag->resource[dag->demand[d].resource].name, amounts->resource[resource]) == 0)
            return whole(dag->demand[d].amount);
    return 0;
}
