/* Durations of a job's tasks by the number of executors that the job had, as measured on a
 * Spark-like cluster. [Mao19] A plain struct over arrays, filled by the calls below and read-only
 * after br_waves_finish.
 *
 * The first task of a stage on an executor lasts longer than those after it; longer still if the
 * executor has run nothing of the job before. So durations stand in three waves:
 *   fresh  the executor has run no task of the job
 *   first  it has run tasks of the job, and its last was not of this stage
 *   rest   its last task was of this stage
 * Durations also grow with the number of executors, so they stand by that number. */
#ifndef BR_PLANNER_MODEL_WAVES_H
#define BR_PLANNER_MODEL_WAVES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/collections/arena.h"
#include "base/text/diag.h"

enum br_wave { BR_WAVE_FRESH, BR_WAVE_FIRST, BR_WAVE_REST, BR_WAVES };

/* Durations of one stage, in one wave, on one number of executors. */
struct br_wave_sample {
    const uint32_t *ms; /* ascending */
    uint32_t count;     /* at least 1 after br_waves_finish, which fills what was not measured */
    uint32_t extra_ms;  /* added to each: the warm-up, if no fresh ones were measured */
};

/* One number of executors at which a stage was measured. */
struct br_wave_point {
    uint32_t executors;
    struct br_wave_sample sample[BR_WAVES];
};

enum { BR_WAVE_COUNTS = 32 }; /* numbers of executors at which a job was measured, at most */
enum { BR_WAVES_LEAST = 5, BR_WAVES_WARM_UP_MS = 1000 };

struct br_wave_stage {
    uint32_t tasks; /* at least 1 */
    uint32_t points;
    struct br_wave_point *point;    /* by executors, ascending; at least one */
    uint8_t at[BR_WAVE_COUNTS];     /* by br_waves.count: the point that stands for it */
    uint32_t first_child, children; /* run in br_waves.child */
    uint32_t parents;
    int64_t mean_us; /* mean of all tasks that were measured, on any number of executors */
    /* By the means: the longest path from here to the end of the job, this stage included; and the
     * work (tasks x mean) of this stage and of all that follow it. */
    int64_t path_us, below_us;
};

/* All stages of one job. */
struct br_waves {
    struct br_arena arena;
    uint32_t stages;
    struct br_wave_stage *stage;
    const uint32_t *child;       /* of all stages */
    const uint32_t *topological; /* stages, parents first, ties by number */
    /* The numbers of executors to choose between: those measured from BR_WAVES_LEAST up, as in the
     * paper's simulator, or all if none is so large. */
    uint32_t counts, count[BR_WAVE_COUNTS];
    uint64_t tasks;
    double factor;                /* on all durations; 1 unless set by br_waves_scale */
    int64_t work_us;              /* sum over stages of tasks x mean */
    struct br_waves_build *build; /* while it grows; NULL afterwards */
};

/* Empty waves of so many stages (at least 1); NULL if memory is out. */
struct br_waves *br_waves_create(uint32_t stages);
/* Releases it; NULL is fine. */
void br_waves_destroy(struct br_waves *waves);

/* The child waits for the parent; both are stages, and differ. BR_SYSTEM (memory). */
enum br_status br_waves_add_edge(struct br_waves *waves, uint32_t parent, uint32_t child,
                                 struct br_diag *diag);
/* Durations of the stage on this many executors, copied: `first` with those that are also in
 * `fresh`, and `rest`. A number given twice is replaced. BR_SYSTEM (memory), BR_BAD_INPUT for more
 * numbers than BR_WAVE_COUNTS. */
struct br_wave_measured {
    uint32_t executors;
    uint32_t count[BR_WAVES];
    const uint32_t *ms[BR_WAVES];
};
enum br_status br_waves_add(struct br_waves *waves, uint32_t stage,
                            const struct br_wave_measured *measured, struct br_diag *diag);

/* Fills the gaps, orders the stages, adds up. Stages have their `tasks` from the caller by then.
 * BR_BAD_INPUT: a stage without tasks or durations, or a cycle. O(durations log durations). */
enum br_status br_waves_finish(struct br_waves *waves, struct br_diag *diag);

/* Multiplies all durations by the factor, which is above 0. After br_waves_finish. O(stages). */
void br_waves_scale(struct br_waves *waves, double factor);

/* The duration of a task while its job has this many executors, chosen by two numbers of 64 random
 * bits. Of the two measured numbers of executors around it, the nearer one is taken more often if
 * `by_distance`, else the farther one, as in the paper's simulator. O(counts). */
int64_t br_waves_draw_ns(const struct br_waves *waves, uint32_t stage, enum br_wave wave,
                         uint32_t executors, bool by_distance, const uint64_t random[2]);
/* As br_waves_draw_ns for a task that has lasted `least_ns` and not ended: from measured durations
 * above that only. If there are none, a tenth more than least_ns. O(counts + log durations). */
int64_t br_waves_draw_longer_ns(const struct br_waves *waves, uint32_t stage, enum br_wave wave,
                                uint32_t executors, bool by_distance, const uint64_t random[2],
                                int64_t least_ns);
/* The mean duration of the stage's tasks of that wave, measured on the least number of executors
 * that is not below `executors`, or else on the largest. O(counts + durations). */
double br_waves_mean_ms(const struct br_waves *waves, uint32_t stage, enum br_wave wave,
                        uint32_t executors);

#endif
