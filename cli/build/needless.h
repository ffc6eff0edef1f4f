/* Commands that turn out to be needless while a build runs: what they read has not changed after
 * all. */
#ifndef BR_CLI_BUILD_NEEDLESS_H
#define BR_CLI_BUILD_NEEDLESS_H

#include "parsers/ninja/build.h"
#include "parsers/ninja/flow.h"
#include "planner/model/dag.h"

struct cli_needless {
    const char *folder;
    struct br_ninja_flow flow; /* of the job; filled by the reader */
    bool *certain;             /* by stage: it runs, whatever others leave as it was */
    bool *changed;             /* by output */
    int64_t *before_ns;        /* by output: its time before the build; 0: it was not there */
};

/* Finds out what runs in any case, by asking ninja about the build in which commands with "restat"
 * have run and left their outputs as they were: once for each such command in a row, and not where
 * there are none, or none with outputs. `done`: what has run already, in order; the flow is that of
 * the dag, which holds all that is out of date. As cli_ninja_ask. */
enum br_status cli_needless_open(struct cli_needless *needless,
                                 const struct br_ninja_options *options,
                                 const struct br_ninja_set *done, const struct br_dag *dag,
                                 struct br_diag *diag);
/* Is it, now that all that it waits for has ended? Otherwise it runs. */
bool cli_needless_is(const struct cli_needless *needless, uint32_t stage);
/* The stage has run: what has come of its outputs. */
void cli_needless_ended(struct cli_needless *needless, uint32_t stage);
void cli_needless_close(struct cli_needless *needless);

#endif
