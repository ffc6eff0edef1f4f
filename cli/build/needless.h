/* Commands that turn out to be needless during a build: their inputs have not changed after all. */
#ifndef BR_CLI_BUILD_NEEDLESS_H
#define BR_CLI_BUILD_NEEDLESS_H

#include "parsers/ninja/build.h"
#include "parsers/ninja/flow.h"
#include "planner/model/dag.h"

struct cli_needless {
    const char *folder;
    struct br_ninja_flow flow; /* of the job; filled by the reader */
    bool *certain;             /* by stage: it runs even if others leave their outputs unchanged */
    bool *changed;             /* by output */
    int64_t *before_ns;        /* by output: its time before the build; 0: it was not there */
};

/* Finds the commands that run in any case: asks ninja about the build in which commands with
 * "restat" have run and left their outputs unchanged, once for each such command in a row. Asks
 * nothing if there are none, or none with outputs. `done`: the commands already run, in order; the
 * flow belongs to the dag, which holds all that is out of date. Errors as cli_ninja_ask. */
enum br_status cli_needless_open(struct cli_needless *needless,
                                 const struct br_ninja_options *options,
                                 const struct br_ninja_set *done, const struct br_dag *dag,
                                 struct br_diag *diag);
/* Is the command needless, now that all its parents have ended? Otherwise it runs. */
bool cli_needless_is(const struct cli_needless *needless, uint32_t stage);
/* The stage has run: records the change of its outputs. */
void cli_needless_ended(struct cli_needless *needless, uint32_t stage);
void cli_needless_close(struct cli_needless *needless);

#endif
