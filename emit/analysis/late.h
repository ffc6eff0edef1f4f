/* What tasks wait for; of jobs with features, found beside the end of a parent, a transfer, or a
 * neighbour on their machine: lags, streams, releases, windows, and room that is held elsewhere. */
#ifndef BR_EMIT_ANALYSIS_LATE_H
#define BR_EMIT_ANALYSIS_LATE_H

#include "emit/analysis/parents.h"
#include "emit/write/input.h"

/* What a task waited for. The last transfer to it is inputs.last of its analysis. Those from
 * BR_WAITED_LAG on are of jobs with features (planner/eligibility/features.h). */
enum br_waited {
    BR_WAITED_PARENT,
    BR_WAITED_MACHINE,
    BR_WAITED_TRANSFER,
    BR_WAITED_LAG,     /* that began with its parent's end or start, or the end of its stream */
    BR_WAITED_RELEASE, /* with no task before it */
    BR_WAITED_WINDOW,  /* for its machine to return, or for a larger amount; no task before it */
    BR_WAITED_ROOM,    /* for what a task elsewhere held */
    BR_WAITED_KINDS
};

struct br_late {
    const struct br_emit_input *input; /* NULL: the job has no features, so there is nothing */
    uint32_t *last_start, *last_end;   /* by stage: a task */
};

/* O(tasks). br_late_finish is fine after a failure. */
enum br_status br_late_init(struct br_late *late, const struct br_emit_input *input,
                            struct br_diag *diag);
void br_late_finish(struct br_late *late);

/* What the task waited for, if it is a lag, a stream, a release or a window. `*before` is set to
 * the task that it waited for, if it is one. O(parents of its stage + windows). */
bool br_late_find(const struct br_late *late, const struct br_parents *parents, uint32_t task,
                  uint32_t *before, enum br_waited *waited);
/* May the end of `other` have made room, of what is shared or of outputs, that the task needs? */
bool br_late_frees(const struct br_late *late, const struct br_parents *parents, uint32_t other,
                   uint32_t task);

#endif
