/* What CMake's instrumentation has measured of a build's commands. */
#ifndef BR_PARSERS_BUILDERS_SNIPPETS_H
#define BR_PARSERS_BUILDERS_SNIPPETS_H

#include "planner/model/dag.h"

struct br_snippets_report {
    uint32_t stages; /* with a measured duration */
    uint32_t read;   /* snippets of compile, link and custom commands that ended well */
    uint32_t used;   /* of these, those whose time is in a duration */
    uint32_t idle;   /* of these, those that fit no stage; the others are of earlier runs */
};

/* Gives stages the durations of the snippets of data version 1 in `folder`: that of a build of
 * CMake's, or one below it with snippets. Stages are known by their ids, the paths of their outputs
 * as seen from the build's folder. A stage lasts as long as the commands of its last run that ended
 * well, all together; commands that belong to a target and write nothing count for the target's
 * file. Other stages keep what they have. The dag is finished. BR_SYSTEM if the folder cannot be
 * read, BR_BAD_INPUT with the place for what is no snippet, and for a folder without snippets. */
enum br_status br_read_snippets(const char *folder, struct br_dag *dag,
                                struct br_snippets_report *report, struct br_diag *diag);

#endif
