/* A job while its history is written into it, and its stages with alternatives. Internal to this
 * room. */
#ifndef BR_RUNTIME_PREDICT_ANNOTATE_WAYS_H
#define BR_RUNTIME_PREDICT_ANNOTATE_WAYS_H

#include "planner/model/alternatives.h"
#include "planner/model/dag.h"
#include "runtime/predict/beliefs.h"
#include "store/history/history.h"

struct annotating {
    struct br_arena arena;
    struct br_history *history;
    struct br_beliefs *beliefs;
    const struct br_dag *dag;
    int64_t *duration_ns, *cores, *mem_bytes;
    struct br_alternatives alternatives; /* the job's, with durations and demands of its own */
    bool cpu, mem;                       /* allowed as a demand */
    bool ways; /* do tasks run in several ways, or machines have several speeds? */
    double quantile;
    struct br_task_belief *belief;     /* by stage */
    struct br_task_belief *way_belief; /* by alternative */
    struct br_diag *diag;
};

/* The one of the two that the job is to have. */
static inline double br_annotating_asked(const struct annotating *annotating, double mean_ns,
                                         double quantile_ns)
{
    return annotating->quantile > 0 ? quantile_ns : mean_ns;
}

/* Copies the job's alternatives, to be changed; *belief, from the arena, is what is believed of
 * each. False if memory is out. */
bool br_annotate_ways_begin(struct annotating *annotating, struct br_arena *arena,
                            struct br_task_belief **belief);
/* Writes what the history knows of the alternatives of stage s; if it knows one, *known is one
 * more. */
enum br_status br_annotate_ways(struct annotating *annotating, uint32_t s, uint32_t *known);

#endif
