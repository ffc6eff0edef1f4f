/* The input of every output: the job, the cluster, the plan, and options for pictures. */
#ifndef BR_EMIT_WRITE_INPUT_H
#define BR_EMIT_WRITE_INPUT_H

#include <stdbool.h>

#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"
#include "planner/instance/attempts.h"
#include "planner/instance/plan.h"

/* The colouring of the boxes of dot, svg and html. */
enum br_colour {
    BR_COLOUR_CHOOSE, /* by subsets if the plan has them, else by stages */
    BR_COLOUR_SUBSET,
    BR_COLOUR_STAGE,
    BR_COLOUR_MACHINE, /* only for dot */
    BR_COLOUR_INPUT,   /* only for dot: as in the job's file */
};

/* How dot assigns lines to boxes. */
enum br_layout { BR_LAYOUT_GRAPH, BR_LAYOUT_DEPTH, BR_LAYOUT_TIME };

/* The tasks in a box of dot. */
enum br_nodes { BR_NODES_STAGE, BR_NODES_TASK };

/* A note for people about an output, as a line without a full stop; "": none. */
struct br_emit_note {
    char text[400]; /* cut if longer */
};

/* The data to write; all borrowed. */
struct br_emit_input {
    const struct br_dag *dag;
    const struct br_cluster *cluster; /* may be NULL if only a job is written */
    const struct br_plan *plan;       /* NULL if only a job is written */
    /* For pictures; zero elsewhere. */
    const struct br_emit_input *other; /* a second plan beside it; NULL: none */
    enum br_colour colour;
    enum br_layout layout;
    enum br_nodes nodes;
    bool by_machine; /* dot: boxes of a machine are grouped */
    bool plain;      /* dot: no HTML-like texts, and frames after all boxes */
    bool fold;       /* dot: a large job is drawn in boxes of many stages */
    /* For otlp: a run of the plan, whose times stand beside the planned ones; NULL: none. */
    const struct br_run_attempts *run;
    /* For engines: all commands are scripts for a shell, not only those marked so in the job. */
    bool shell;
    struct br_emit_note *note; /* set if there is a note; may be NULL */
};

#endif
