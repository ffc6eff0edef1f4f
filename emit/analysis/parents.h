/* The edges of a job by child. */
#ifndef BR_EMIT_ANALYSIS_PARENTS_H
#define BR_EMIT_ANALYSIS_PARENTS_H

#include "planner/model/dag.h"

struct br_parents {
    uint32_t *first; /* by stage, then one more: its run in `edge` */
    uint32_t *edge;  /* numbers of edges, in the order given within a run */
};

/* Both arrays are the struct's, released by br_parents_finish, also on failure. */
enum br_status br_parents_init(struct br_parents *parents, const struct br_dag *dag,
                               struct br_diag *diag);
void br_parents_finish(struct br_parents *parents);

#endif
