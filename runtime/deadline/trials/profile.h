/* The durations of each stage's tasks, from which simulated runs draw.
 *
 * Known from measured durations, or declared: a stage with a `spread` is lognormal about its
 * duration, which is the mean; one without lasts as long as it says.
 */
#ifndef BR_RUNTIME_DEADLINE_TRIALS_PROFILE_H
#define BR_RUNTIME_DEADLINE_TRIALS_PROFILE_H

#include "base/collections/arena.h"
#include "base/numbers/rng.h"
#include "planner/model/dag.h"

struct br_profile_stage {
    uint32_t samples;         /* measured; 0: as declared */
    const int64_t *sample_ns; /* ascending */
    double spread;            /* as declared: standard deviation of the logarithm */
    int64_t longest_ns;       /* no task lasts longer; INT64_MAX: not said */
    double fail, fail_again; /* shares of first and of further attempts that fail; NAN: not known */
};

struct br_deadline_profile {
    struct br_arena arena;
    const struct br_dag *dag;
    struct br_profile_stage *stage; /* by stage */
};

/* As the job declares it. Release by br_profile_finish, also after a failure. */
enum br_status br_profile_init(struct br_deadline_profile *profile, const struct br_dag *dag,
                               struct br_diag *diag);
/* Durations that were measured take the place of what is declared; copied, any order. */
enum br_status br_profile_measured(struct br_deadline_profile *profile, uint32_t stage,
                                   const int64_t *sample_ns, uint32_t samples,
                                   struct br_diag *diag);
/* Replaces what is declared by what so many runs of it would have measured. */
enum br_status br_profile_learn(struct br_deadline_profile *profile, uint64_t seed, uint32_t runs,
                                struct br_diag *diag);
void br_profile_finish(struct br_deadline_profile *profile);

/* Draws a duration for every task: duration_ns has room for all of them. */
void br_profile_draw(const struct br_deadline_profile *profile, uint64_t seed,
                     int64_t *duration_ns);

#endif
