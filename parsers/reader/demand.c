#include "parsers/reader/demand.h"

#include "base/numbers/decimal.h"

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
