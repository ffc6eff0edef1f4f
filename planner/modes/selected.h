/* The job of a choice of ways: one without alternatives, classes, speeds and budgets, whose plans
 * are those of the given job in which every task runs by its chosen way. Tasks of a stage that run
 * in several ways stand in several stages of it. What keeps a task from a machine of another class
 * is a resource which only machines of its classes have. */
#ifndef BR_PLANNER_MODES_SELECTED_H
#define BR_PLANNER_MODES_SELECTED_H

#include "planner/modes/job.h"

struct br_selected {
    struct br_dag *dag; /* owned, and so is the cluster */
    struct br_cluster *cluster;
    uint32_t *origin; /* by task of it: the task of the given job, or UINT32_MAX */
};

/* Can tasks of one stage run in several ways? Not if outputs, releases, deadlines, lags or streams
 * belong to stages and edges as a whole. */
bool br_selected_splits(const struct br_dag *dag);
/* What the job is for: to be planned, or else to be run, handed on or drawn
 * (planner/modes/fixed.h). Then its stages have their commands, attributes and bytes, a task of a
 * stage that is split is a stage of its own with the task's id, and resources that are only
 * consumed are not there. If it is drawn, nothing keeps tasks on their classes. */
enum br_selected_use { BR_SELECTED_PLANNED, BR_SELECTED_RUN, BR_SELECTED_DRAWN };
/* Fills *selected for these ways by task; br_selected_finish releases it, also after a failure.
 * BR_BAD_INPUT, BR_SYSTEM. */
enum br_status br_selected_make(const struct br_modes *modes, const uint32_t *way,
                                enum br_selected_use use, struct br_selected *selected,
                                struct br_diag *diag);
void br_selected_finish(struct br_selected *selected);

#endif
