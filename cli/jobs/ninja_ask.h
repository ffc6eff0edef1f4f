/* What a build has to do, asked of ninja itself: it alone decides what is out of date. */
#ifndef BR_CLI_JOBS_NINJA_ASK_H
#define BR_CLI_JOBS_NINJA_ASK_H

#include "parsers/ninja/build.h"

/* What ninja is asked. */
struct cli_ninja_question {
    const struct br_ninja_options *options;
    const struct br_ninja_set *done;  /* by first outputs, in order: they are not to be asked of */
    const struct br_ninja_set *about; /* statements by first outputs; NULL: the options' targets */
    int words;                        /* a descriptor */
    bool dry;                         /* nothing is to be built, and ninja's records stay */
};

/* Adds the first output of each command that the build's ninja would run for the targets (by a dry
 * run of it, `ninja -n`), once those that are done count as done. A dry run takes every command for
 * one that changes its outputs, also with "restat". Where the build's own file is out of date and
 * nothing is done yet, ninja makes it anew first, and what it prints then goes to the descriptor
 * `words`; BR_NO where that fails. A log of another version than this ninja's is put aside, since
 * it would delete it; for a dry question it is asked without the log. BR_SYSTEM where there is no
 * build or no ninja, BR_BAD_INPUT where it refuses and has said why. */
enum br_status cli_ninja_ask(const struct cli_ninja_question *question, struct br_ninja_set *dirty,
                             struct br_diag *diag);

#endif
