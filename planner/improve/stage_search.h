/* Population search over the order of the stages, for jobs whose stages have many tasks: few keys
 * describe a schedule, and parallel generation makes it in a fraction of the time of a serial
 * pass. */
#ifndef BR_PLANNER_IMPROVE_STAGE_SEARCH_H
#define BR_PLANNER_IMPROVE_STAGE_SEARCH_H

#include "planner/schedule/run.h"

/* One run; run->elite must not be empty, and run->placements not 0. If it is quick, and on jobs of
 * more than half a million tasks, children are justified by parallel generation. The result is the
 * same for any number of threads. False when memory is out. */
bool br_stage_search(struct br_run *run, bool quick);

#endif
