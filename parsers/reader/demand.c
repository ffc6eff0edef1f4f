#include "parsers/reader/demand.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/numbers/decimal.h"
#include "parsers/reader/cores.h"

enum br_status br_read_demands(struct br_dag *dag, uint32_t stage, const struct br_cluster *cluster,
                               struct br_diag *diag)
{
    enum br_status status = BR_OK;
    for (uint32_t k = 0; cluster && k < cluster->cls[0].capacities && !status; k++) {
        char amount[BR_DECIMAL_TEXT];
        br_decimal_format(cluster->cls[0].capacity[k].amount, amount, sizeof amount);
        status = br_dag_add_demand(dag, stage, cluster->cls[0].capacity[k].resource, amount, diag);
    }
    return status;
}

static const struct br_capacity *cpu_of(const struct br_cluster *cluster)
{
    for (uint32_t k = 0; cluster && k < cluster->cls[0].capacities; k++)
        if (strcmp(cluster->cls[0].capacity[k].resource, "cpu") == 0)
            return &cluster->cls[0].capacity[k];
    return NULL;
}

enum br_status br_read_command_demands(struct br_dag *dag, uint32_t stage,
                                       const struct br_cluster *usual,
                                       const struct br_cluster *machine, const char *command,
                                       uint32_t *wide, struct br_diag *diag)
{
    const struct br_capacity *cpu = cpu_of(usual), *most = cpu_of(machine);
    const uint32_t cores = cpu && command ? br_command_cores(command) : 1;
    const struct br_decimal told = br_decimal_unscale(cores, 0);
    struct br_decimal amount = cpu ? cpu->amount : told;
    enum br_status status = BR_OK;
    if (most && br_decimal_compare(told, most->amount) > 0)
        amount = most->amount;
    else if (cores != BR_CORES_ALL)
        amount = told;
    if (!cpu || cores == 1 || br_decimal_compare(amount, cpu->amount) <= 0)
        return br_read_demands(dag, stage, usual, diag);
    ++*wide;
    for (uint32_t k = 0; k < usual->cls[0].capacities && !status; k++) {
        const struct br_capacity *it = &usual->cls[0].capacity[k];
        char text[BR_DECIMAL_TEXT];
        br_decimal_format(it == cpu ? amount : it->amount, text, sizeof text);
        status = br_dag_add_demand(dag, stage, it->resource, text, diag);
    }
    return status;
}
