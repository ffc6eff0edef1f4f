/* Names of a table's parts in the forms. */
#include "cluster/deadline/report/table.h"

const char *br_allocation_name(enum br_allocation kind)
{
    return kind == BR_SHARES ? "percents" : "tokens";
}

const char *br_order_name(uint32_t layer)
{
    return layer == BR_PLANNED_ORDER ? "planned" : "plain";
}
