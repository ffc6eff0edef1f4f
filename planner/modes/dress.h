/* What the job of a choice keeps of the given one so that it can be run or handed to an engine. */
#ifndef BR_PLANNER_MODES_DRESS_H
#define BR_PLANNER_MODES_DRESS_H

#include "planner/modes/job.h"

/* Gives the stage of `to` what runs the tasks of the way, of which the given task is the first: the
 * command with the alternative in it, spread, place, the alternative's name. BR_BAD_INPUT if the
 * command has no text for the alternative. */
enum br_status br_stage_dress(const struct br_modes *modes, uint32_t way, uint32_t task,
                              struct br_dag *to, uint32_t stage, struct br_diag *diag);
/* Attributes, doubts, the source and how amounts are written; `piece_first` has by stage of `from`
 * its first stage of `to`. */
enum br_status br_job_dress(const struct br_dag *from, const uint32_t *piece_first,
                            struct br_dag *to, struct br_diag *diag);
/* The ports of the class, and how its amounts are written. */
enum br_status br_class_dress(const struct br_cluster *from, uint32_t cls, struct br_cluster *to,
                              struct br_diag *diag);
/* Fungible and generic resources, and the site. */
enum br_status br_cluster_dress(const struct br_cluster *from, struct br_cluster *to,
                                struct br_diag *diag);

#endif
