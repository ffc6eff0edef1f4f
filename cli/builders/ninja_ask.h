/* Asks ninja itself what a build has to do: ninja alone decides what is out of date. */
#ifndef BR_CLI_BUILDERS_NINJA_ASK_H
#define BR_CLI_BUILDERS_NINJA_ASK_H

#include "parsers/ninja/build.h"

/* A question to ninja. */
struct cli_ninja_question {
    const struct br_ninja_options *options;
    const struct br_ninja_set *done;  /* by first outputs, in order: not to be asked about */
    const struct br_ninja_set *about; /* statements by first outputs; NULL: the options' targets */
    int words;                        /* a descriptor */
    bool dry;                         /* nothing may be built, and ninja's records stay */
};

/* Adds the first output of each command that the build's ninja would run for the targets (by its
 * dry run, `ninja -n`), with the done commands counted as done. A dry run assumes that every
 * command changes its outputs, also with "restat". If the build's own file is out of date and
 * nothing is done yet, ninja remakes it first, and its output goes to the descriptor `words`; BR_NO
 * if that fails. A log of another version than this ninja's is put aside, since ninja would delete
 * it; for a dry question ninja is asked without the log. BR_SYSTEM if there is no build or no
 * ninja, BR_BAD_INPUT if ninja refuses, after printing why. */
enum br_status cli_ninja_ask(const struct cli_ninja_question *question, struct br_ninja_set *dirty,
                             struct br_diag *diag);

#endif
