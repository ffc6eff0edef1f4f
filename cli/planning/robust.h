/* Plans of durations that nobody knows for certain: what is believed of them, a quantile to plan
 * on, and what may come of the plan. */
#ifndef BR_CLI_PLANNING_ROBUST_H
#define BR_CLI_PLANNING_ROBUST_H

#include <stdio.h>

#include "cli/common/load.h"

struct cli_robust {
    double quantile;                  /* of --robust; 0: not given */
    struct br_dag *mean;              /* the job with mean durations; NULL: all is certain */
    struct br_annotate_report report; /* what is believed of it */
};

/* Reads --history and --robust, and replaces the job by what is to be planned: with mean durations,
 * or with the quantile. Says how much is known unless quiet. BR_USAGE: a quantile that is none, or
 * nothing tells how durations scatter. To be finished in any case. */
enum br_status cli_robust_read(const struct cli_settings *settings, struct br_input *input,
                               struct cli_robust *robust, struct br_diag *diag);
void cli_robust_finish(struct cli_robust *robust);

/* Prints what the plan takes at mean durations, and of runs drawn from what is believed, seeded, in
 * about `most_ns`; nothing where all is certain. With `stages` also what is believed of each of
 * them. */
enum br_status cli_robust_print(FILE *out, const struct cli_robust *robust,
                                const struct br_input *input, const struct br_plan *plan,
                                uint64_t seed, int64_t most_ns, bool stages, struct br_diag *diag);

/* Puts into the plan what it takes on average where durations are off by 10 and by 30 percent,
 * drawn from the seed, in runs that follow the plan's order; nothing of a plan with transfers. As
 * many runs as take about `most_ns`, or nothing: their number does not depend on the clock. */
enum br_status cli_noise_measure(const struct br_input *input, struct br_plan *plan, uint64_t seed,
                                 int64_t most_ns, struct br_diag *diag);
/* Prints that. */
void cli_noise_print(FILE *out, const struct br_plan *plan);

#endif
