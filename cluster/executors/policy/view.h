/* The view that a simulator of executors would give, kept by a caller who watches a real cluster.
 * The caller tells which jobs come and go and how far each stage is. The view derives which stages
 * can be named and how much of a job is left.
 *
 * Stages of live jobs stand one job after the other; if one goes, those behind it move up. So
 * numbers of stages hold until then, numbers of jobs as long as the job is there. */
#ifndef BR_LEARN_VIEW_H
#define BR_LEARN_VIEW_H

#include "cluster/executors/executors.h"

struct br_view {
    struct br_executors view; /* jobs: numbers given so far; times stand still */
    struct br_waves **waves;  /* by job; owned; NULL: the number is free */
    bool *stale;              /* by job: br_view_refresh has to look at it */
    bool changed;             /* some job is stale, has come or has gone */
    uint32_t job_room, stage_room;
};

void br_view_init(struct br_view *kept, uint32_t executors);
void br_view_finish(struct br_view *kept);

/* A job comes, and is the last of view.live. Takes the waves, but not on failure: memory is out
 * then, and nothing has changed. O(stages). */
bool br_view_add(struct br_view *kept, struct br_waves *waves, uint32_t *job);
/* It goes. O(stages of all jobs). */
void br_view_remove(struct br_view *kept, uint32_t job);

/* Is there such a job? */
static inline bool br_view_has(const struct br_view *kept, uint32_t job)
{
    return job < kept->view.jobs && kept->waves[job];
}
/* A stage by its number in the view, or the job, has changed. */
void br_view_touch_stage(struct br_view *kept, uint32_t stage);
void br_view_touch_job(struct br_view *kept, uint32_t job);
/* Finds what follows from what was touched. O(stages and edges of jobs that were touched, stages of
 * all). */
void br_view_refresh(struct br_view *kept);

#endif
