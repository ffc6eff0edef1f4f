/* The lists of the model in memory of their own. */
#include "emit/analysis/parents.h"

#include <stdlib.h>

enum br_status br_parents_init(struct br_parents *parents, const struct br_dag *dag,
                               struct br_diag *diag)
{
    parents->first = calloc(br_csr_room(dag->stages), sizeof *parents->first);
    parents->edge = calloc((size_t)dag->edges + 1, sizeof *parents->edge);
    if (!parents->first || !parents->edge)
        return br_fail_memory(diag);
    br_dag_list_edges(dag, BR_EDGE_CHILD, parents->first, parents->edge);
    return BR_OK;
}

void br_parents_finish(struct br_parents *parents)
{
    free(parents->first);
    free(parents->edge);
    *parents = (struct br_parents){NULL, NULL};
}
