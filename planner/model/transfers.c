/* The sizes of transfers between machines. */
#include "planner/model/transfers.h"

#include "base/numbers/wide.h"

int64_t br_transfer_bytes(const struct br_dag *dag, uint32_t edge, uint32_t parents,
                          uint32_t children)
{
    const struct br_edge *e = &dag->edge[edge];
    br_uwide tasks = dag->stage[e->parent].tasks, share = (br_uwide)e->bytes;
    if (e->type == BR_BARRIER) {
        tasks *= dag->stage[e->child].tasks;
        share *= (br_uwide)parents * children;
    }
    return (int64_t)((share + tasks - 1) / tasks);
}
