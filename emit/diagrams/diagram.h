/* The layout of a diagram: the boxes and arrows of a job's graph, and the line of each box. No
 * drawing here.
 *
 * A box stands for tasks of one stage: all of them, those on one machine, or one. A barrier between
 * many boxes and many goes through a joint, so the arrows stay as few as the boxes. */
#ifndef BR_EMIT_DIAGRAMS_DIAGRAM_H
#define BR_EMIT_DIAGRAMS_DIAGRAM_H

#include "emit/analysis/inputs.h"
#include "emit/pictures/picture.h"

struct br_box {
    uint32_t stage;
    uint32_t task;     /* the first one */
    uint32_t tasks;    /* that it stands for */
    uint32_t machine;  /* of the first task */
    uint32_t machines; /* number of different machines of the tasks */
    int64_t start_ns, end_ns;
    uint32_t subset[BR_SUBSETS]; /* tasks of each */
    double work; /* durations x the largest share of the cluster that a task demands; seconds */
    uint32_t line;
    uint32_t below; /* set by br_diagram_fold: number of lines that it stands below its parents or,
                       if it has none, above its children; else 0 */
    bool on_chain;  /* one of its tasks is on the critical chain */
};

/* An arrow from box to box, or through a joint: numbers from `boxes` on are joints. */
struct br_arrow {
    uint32_t from, to;
    uint32_t edge;     /* of the job */
    int64_t wait_ns;   /* least wait, from the end of the child's parents to its start */
    bool on_chain;     /* joins two consecutive tasks of the critical chain */
    uint32_t pairs;    /* of tasks that a one-to-one edge joins; 0 over a barrier */
    uint32_t transfer; /* transfer that ended when a task of the child started, which waited for it:
                          a number in plan->carried; BR_INPUTS_NONE: there is none */
    bool upward;       /* leads to no later line: the child starts before all of this parent has */
};

/* A box of the critical chain that waited for its machine, and the box that held it. */
struct br_handover {
    uint32_t from, to;
};

struct br_diagram {
    const struct br_emit_input *input;
    uint32_t boxes, joints, arrows, handovers;
    struct br_box *box;  /* by stage, then by machine or task */
    uint32_t *first_box; /* by stage, then one more */
    struct br_arrow *arrow;
    struct br_handover *handover;
    uint32_t *box_of; /* by task */
};

/* All arrays are the diagram's, released by br_diagram_finish, also on failure. The input, which is
 * borrowed, defines the boxes. O(n log n + edges); one-to-one edges cost a step per task. */
enum br_status br_diagram_init(struct br_diagram *diagram, const struct br_emit_input *input,
                               struct br_diag *diag);
void br_diagram_finish(struct br_diagram *diagram);

/* Folds lines wider than a page: boxes of one depth would share a line, so some stand lower, marked
 * in `below`. Gives every box its line by depth. Costs as much as the lines; BR_SYSTEM. */
enum br_status br_diagram_fold(struct br_diagram *diagram, struct br_diag *diag);

/* Lines of boxes. The boxes of line k are member[first[k]] .. member[first[k + 1] - 1]. */
struct br_diagram_lines {
    uint32_t lines;
    int64_t *begin_ns; /* the first start on the line; by depth the depth, as several may have it */
    uint32_t *first;
    struct br_line_member {
        uint32_t plan, box;
    } * member;
};

/* Gives every box of the diagrams, one or two, its line. By depth: the most arrows from a box
 * without parents; lines wider than a page are cut. By time: a line begins if a box waits for one
 * of the line before, or if the line would exceed a part of the plan, or the width of a page; so
 * all arrows lead to later lines, and two plans share their lines. All arrays are the struct's,
 * released by br_diagram_lines_finish, also on failure. O(boxes log boxes + arrows). */
enum br_status br_diagram_lines_init(struct br_diagram_lines *lines, struct br_diagram *diagrams,
                                     uint32_t count, bool by_time, struct br_diag *diag);
void br_diagram_lines_finish(struct br_diagram_lines *lines);

#endif
