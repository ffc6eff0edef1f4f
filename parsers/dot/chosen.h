/* Durations and demands in attributes of other names, which the caller chooses: `weight`, or a time
 * that stands in the label ("link\n12.5 s"). */
#ifndef BR_PARSERS_DOT_CHOSEN_H
#define BR_PARSERS_DOT_CHOSEN_H

#include "parsers/dot/reader.h"

/* Finds the attributes that options->duration and options->demands name, and adds the resources of
 * the latter to the job, after those that the graph declares. BR_USAGE if no node has such an
 * attribute, and for lists of another form. Release by br_dot_chosen_finish in all cases. */
enum br_status br_dot_chosen_init(struct br_dot_reader *reader, struct br_diag *diag);
void br_dot_chosen_finish(struct br_dot_chosen *chosen);

/* Sets *ns to the duration of the node if its attribute has one; else counts the node. */
enum br_status br_dot_chosen_duration(struct br_dot_reader *reader, Agnode_t *node,
                                      const char *owner, int64_t *ns, struct br_diag *diag);
/* Adds the demands of the node's stage. */
enum br_status br_dot_chosen_demands(const struct br_dot_reader *reader, Agnode_t *node,
                                     uint32_t stage, const char *owner, struct br_diag *diag);
/* Doubts that the job has nodes without a time, if the attribute was chosen. */
enum br_status br_dot_chosen_doubt(const struct br_dot_reader *reader, struct br_diag *diag);

#endif
