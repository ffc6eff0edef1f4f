/* The input of every output: the job, the cluster, the plan, and how a picture is to look. */
#ifndef BR_EMIT_WRITE_INPUT_H
#define BR_EMIT_WRITE_INPUT_H

#include <stdbool.h>

#include "planner/model/cluster.h"
#include "planner/model/dag.h"
#include "planner/model/plan.h"

/* The colouring of the boxes of svg and html. */
enum br_colour {
    BR_COLOUR_CHOOSE, /* subsets where the plan has them, else stages */
    BR_COLOUR_SUBSET,
    BR_COLOUR_STAGE,
};

/* The things to write; all borrowed. */
struct br_emit_input {
    const struct br_dag *dag;
    const struct br_cluster *cluster; /* may be NULL where only a job is written */
    const struct br_plan *plan;       /* NULL where only a job is written */
    /* For pictures; zero elsewhere. */
    const struct br_emit_input *other; /* a second plan beside it; NULL: none */
    enum br_colour colour;
    /* For engines: all commands are scripts for a shell, not only those of which the job says so.
     */
    bool shell;
};

#endif
