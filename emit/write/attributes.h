/* Attributes in a job's file beyond the model, grouped by owner for writing. */
#ifndef BR_EMIT_WRITE_ATTRIBUTES_H
#define BR_EMIT_WRITE_ATTRIBUTES_H

#include "planner/model/dag.h"

struct br_attributes {
    uint32_t stages;
    uint32_t *first; /* by owner: the job, then the stages, then the edges */
    const struct br_attribute **item;
};

/* Groups the attributes of the job, which must outlive them. If an owner has a name twice, as two
 * arrows of a graph that became one edge may, the last value wins. Both arrays are the struct's,
 * released by br_attributes_finish, also on failure. O(owners + attributes log attributes). */
enum br_status br_attributes_init(struct br_attributes *by, const struct br_dag *dag,
                                  struct br_diag *diag);
void br_attributes_finish(struct br_attributes *by);
/* The attributes of one owner, in the order given; *count of them. */
const struct br_attribute **br_attributes_run(const struct br_attributes *by, enum br_owner owner,
                                              uint32_t index, uint32_t *count);

/* By stage, a description of its work: its attribute `operators`, as in plans of queries, else
 * `name`; NULL: it has none. Texts are the job's; the array is the caller's to free. NULL when
 * memory is out. O(stages + attributes). */
const char **br_attributes_words(const struct br_dag *dag);

#endif
