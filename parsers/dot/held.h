/* Outputs and times in DOT: attributes of nodes and edges in graphs that declare `resources`. */
#ifndef BR_PARSERS_DOT_HELD_H
#define BR_PARSERS_DOT_HELD_H

#include "parsers/dot/ends.h"
#include "parsers/jobs/transfer.h"

/* outputs="table mem 2GiB, spill scratch 10GiB end unkept": id, resource and amount of each, then
 * the words for from="end" and keep="no". */
enum br_status br_dot_add_outputs(struct br_dag *dag, uint32_t stage, const char *text,
                                  const char *owner, struct br_diag *diag);
/* A release or a deadline of all tasks, or "1:7,3:9.5" of some by their index. */
typedef enum br_status br_dot_set_time(struct br_dag *dag, uint32_t stage, uint32_t index,
                                       int64_t ns, struct br_diag *diag);
enum br_status br_dot_add_time(struct br_dag *dag, uint32_t stage, const char *name,
                               const char *text, const char *owner, br_dot_set_time *set,
                               struct br_diag *diag);
enum br_status br_dot_add_times(struct br_dag *dag, uint32_t stage, const char *name,
                                const char *text, const char *owner, br_dot_set_time *set,
                                struct br_diag *diag);

/* Does the graph declare resources, so that these attributes are the form's own? */
bool br_dot_is_own_form(Agraph_t *graph);
/* Is it one of those of edges: reads, lag, stream? */
bool br_dot_is_wait(const char *name);
/* Gives the edges what their arrows read and how they wait. number[k]: the edge of the job that
 * arrow k became. */
enum br_status br_dot_add_waits(const struct br_dot_reader *reader, const struct br_dot_list *list,
                                const struct br_link *link, const uint32_t *number,
                                struct br_diag *diag);

#endif
