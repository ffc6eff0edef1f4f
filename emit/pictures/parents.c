/* A counting sort of the edges by child. */
#include "emit/pictures/parents.h"

#include <assert.h>
#include <stdlib.h>

enum br_status br_parents_init(struct br_parents *parents, const struct br_dag *dag,
                               struct br_diag *diag)
{
    parents->first = calloc((size_t)dag->stages + 2, sizeof *parents->first);
    parents->edge = calloc((size_t)dag->edges + 1, sizeof *parents->edge);
    if (!parents->first || !parents->edge)
        return br_fail_memory(diag);
    for (uint32_t e = 0; e < dag->edges; e++)
        parents->first[dag->edge[e].child + 2]++;
    for (uint32_t s = 0; s < dag->stages; s++)
        parents->first[s + 2] += parents->first[s + 1];
    for (uint32_t e = 0; e < dag->edges; e++)
        parents->edge[parents->first[dag->edge[e].child + 1]++] = e;
    assert(parents->first[0] == 0 && parents->first[dag->stages] == dag->edges);
    return BR_OK;
}

void br_parents_finish(struct br_parents *parents)
{
    free(parents->first);
    free(parents->edge);
    *parents = (struct br_parents){NULL, NULL};
}
