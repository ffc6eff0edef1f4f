/* Plans for uncertain durations: the belief about them, a quantile to plan for, and the plan's
 * possible outcomes. */
#ifndef BR_CLI_PLANNING_ROBUST_H
#define BR_CLI_PLANNING_ROBUST_H

#include <stdio.h>

#include "cli/inputs/load.h"

struct cli_robust {
    double quantile;     /* of --robust; 0: not given */
    struct br_dag *mean; /* the job with mean durations; NULL: all durations are certain */
    struct br_annotate_report report; /* the belief about its durations */
};

/* Reads --history and --robust, and replaces the job by the one to plan: with mean durations, or
 * with the quantile. Reports how much is known unless quiet. BR_USAGE: the quantile is malformed,
 * or nothing says how durations vary. To be finished in any case. */
enum br_status cli_robust_read(const struct cli_settings *settings, struct br_input *input,
                               struct cli_robust *robust, struct br_diag *diag);
void cli_robust_finish(struct cli_robust *robust);

/* Prints the makespan at mean durations, and those of seeded runs drawn from the belief, in about
 * `most_ns`; nothing if all is certain. With `stages`, also the belief about each stage. */
enum br_status cli_robust_print(FILE *out, const struct cli_robust *robust,
                                const struct br_input *input, const struct br_plan *plan,
                                uint64_t seed, int64_t most_ns, bool stages, struct br_diag *diag);

/* Adds to the plan its average makespan if durations are off by 10 and by 30 percent, drawn from
 * the seed, in runs that follow the plan's order; nothing for a plan with transfers, or if the job
 * or its cluster has features (planner/eligibility/features.h). Makes as many runs as take about
 * `most_ns`, or none: their number does not depend on the clock. */
enum br_status cli_noise_measure(const struct br_input *input, struct br_plan *plan, uint64_t seed,
                                 int64_t most_ns, struct br_diag *diag);
/* Prints these averages. */
void cli_noise_print(FILE *out, const struct br_plan *plan);

#endif
