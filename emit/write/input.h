/* The input of every output: the job, the cluster, the plan, and how a picture is to look. */
#ifndef BR_EMIT_WRITE_INPUT_H
#define BR_EMIT_WRITE_INPUT_H

#include <stdbool.h>

#include "planner/model/cluster.h"
#include "planner/model/dag.h"
#include "planner/model/plan.h"

/* The colouring of the boxes of dot, svg and html. */
enum br_colour {
    BR_COLOUR_CHOOSE, /* subsets where the plan has them, else stages */
    BR_COLOUR_SUBSET,
    BR_COLOUR_STAGE,
    BR_COLOUR_MACHINE, /* of dot alone */
    BR_COLOUR_INPUT,   /* of dot alone: as the job's file says */
};

/* The lines on which dot puts the boxes. */
enum br_layout { BR_LAYOUT_GRAPH, BR_LAYOUT_DEPTH, BR_LAYOUT_TIME };

/* The tasks that a box of dot stands for. */
enum br_nodes { BR_NODES_STAGE, BR_NODES_TASK };

/* What a person should know of an output beside it, as a line without a full stop; "": nothing. */
struct br_emit_note {
    char text[400]; /* cut where it is longer */
};

/* The things to write; all borrowed. */
struct br_emit_input {
    const struct br_dag *dag;
    const struct br_cluster *cluster; /* may be NULL where only a job is written */
    const struct br_plan *plan;       /* NULL where only a job is written */
    /* For pictures; zero elsewhere. */
    const struct br_emit_input *other; /* a second plan beside it; NULL: none */
    enum br_colour colour;
    enum br_layout layout;
    enum br_nodes nodes;
    bool by_machine; /* dot: boxes of a machine stand together */
    bool plain;      /* dot: no texts in the form of HTML, and frames behind all boxes */
    bool fold;       /* dot: a large job is drawn in boxes of many stages */
    /* For engines: all commands are scripts for a shell, not only those of which the job says so.
     */
    bool shell;
    struct br_emit_note *note; /* set where there is something to note; may be NULL */
};

#endif
