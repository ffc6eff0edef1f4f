#include "planner/ports/ports.h"

enum br_status br_ports_take(const struct br_cluster *cluster, bool carries, int64_t *up,
                             int64_t *down, struct br_diag *diag)
{
    for (uint32_t c = 0; c < cluster->classes; c++) {
        const struct br_class *cls = &cluster->cls[c];
        if (!cls->up && carries && cluster->machines > 1)
            return br_fail(diag, BR_BAD_INPUT,
                           "write <machine class=\"...\" network=\"10Gbit\"> in the cluster, or "
                           "give --port-rate",
                           "the port of machines of class '%.80s' has no rate", cls->name);
        for (uint32_t m = cls->first_machine; m < cls->first_machine + cls->count; m++) {
            up[m] = cls->up;
            down[m] = cls->down;
        }
    }
    return BR_OK;
}
