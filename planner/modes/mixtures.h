/* The linear program of multipliers.h in floating point, and the descent that nearly solves it. */
#ifndef BR_PLANNER_MODES_MIXTURES_H
#define BR_PLANNER_MODES_MIXTURES_H

#include "base/process/stop.h"
#include "planner/modes/job.h"

enum { BR_MIXTURE_WAYS_MAX = 64 }; /* of a task */

/* Mixtures by task and way, starts by task and the makespan, and multipliers of the rows:
 * resources, budgets, arcs between tasks, and behind these an arc of each task to the makespan. */
struct br_mixture_point {
    double *mix, *start, *row;
};

struct br_mixtures {
    struct br_arena arena;
    const struct br_modes *modes;
    uint32_t tasks, ways, sums, arcs, rows; /* sums: resources and budgets */
    uint32_t *first;                        /* by task: its ways in what follows */
    double *duration;                       /* by way of a task, as the next */
    double *spend;                          /* [way * sums + sum] */
    double *limit, *pace;                   /* by sum: what there is, and for each unit of time */
    double unit;                            /* ticks in a unit of time */
    int64_t tick_ns;
    double *scale;       /* by sum: amounts, times ticks if it is work, in a unit of it */
    uint32_t *from, *to; /* by arc */
    double *mix_step, *start_step, *row_step;
    double latest;
    struct br_mixture_point now, next, mean;
    double *best;             /* the multipliers of the best bound, by row */
    double *lasts, *in, *out; /* scratch */
};

/* Arcs between tasks. */
uint64_t br_mixtures_count_arcs(const struct br_modes *modes);
/* What the machines and what is shared have of the resource. */
int64_t br_modes_whole_capacity(const struct br_modes *modes, uint32_t resource);

/* Makes the program; finish releases it, also after a failure. False when memory is out. */
bool br_mixtures_init(struct br_mixtures *d, const struct br_modes *modes, int64_t tick_ns);
void br_mixtures_finish(struct br_mixtures *d);
/* Runs the rounds, of O(ways + arcs) each. */
void br_mixtures_descend(struct br_mixtures *d, uint32_t rounds, const struct br_stop *stop);

#endif
