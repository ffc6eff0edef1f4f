/* The layout of a diagram: which boxes and arrows the graph of a job has, and on which line each
 * box stands. No drawing here.
 *
 * A box stands for tasks of one stage: all of them, those on one machine, or one. A barrier between
 * many boxes and many goes through a joint, so the arrows stay as few as the boxes. */
#ifndef BR_EMIT_DIAGRAMS_DIAGRAM_H
#define BR_EMIT_DIAGRAMS_DIAGRAM_H

#include "emit/pictures/inputs.h"
#include "emit/pictures/picture.h"

struct br_box {
    uint32_t stage;
    uint32_t task;     /* the first one */
    uint32_t tasks;    /* that it stands for */
    uint32_t machine;  /* of the first task */
    uint32_t machines; /* different ones that the tasks run on */
    int64_t start_ns, end_ns;
    uint32_t subset[BR_SUBSETS]; /* tasks of each */
    double work; /* durations x the largest share of the cluster that a task demands; seconds */
    uint32_t line;
    uint32_t below; /* by br_diagram_fold: it stands so many lines below its parents, or above its
                       children where it has no parents; 0 without */
    bool on_chain;  /* one of its tasks is on the critical chain */
};

/* From box to box, or from box to joint to box: numbers from `boxes` on are joints. */
struct br_arrow {
    uint32_t from, to;
    uint32_t edge;     /* of the job */
    int64_t wait_ns;   /* from the end of what the child waits for to its start; the least one */
    bool on_chain;     /* two tasks that follow each other on the critical chain */
    uint32_t pairs;    /* of tasks that a one-to-one edge joins; 0 over a barrier */
    uint32_t transfer; /* that ended when a task of the child started, which waited for it: a
                          number in plan->carried; BR_INPUTS_NONE: there is none */
    bool upward;       /* leads to no later line: a box that starts before all of this parent has */
};

/* A box of the critical chain that waited for its machine, and for which box. */
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
 * borrowed, says what a box is. O(n log n + edges) but for one-to-one edges, which cost a step a
 * task. */
enum br_status br_diagram_init(struct br_diagram *diagram, const struct br_emit_input *input,
                               struct br_diag *diag);
void br_diagram_finish(struct br_diagram *diagram);

/* Boxes of one depth would stand on one line: of more than a page is wide, some stand lower. Says
 * so in `below`, and gives every box its line by depth. Costs what lines cost; BR_SYSTEM. */
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
 * without parents; what is wider than a page is cut. By time: a line begins where a box waits for
 * one of the line before, or where the line would get longer than a part of the plan, or wider than
 * a page; so all arrows lead to later lines, and two plans share theirs. All arrays are the
 * struct's, released by br_diagram_lines_finish, also on failure. O(boxes log boxes + arrows). */
enum br_status br_diagram_lines_init(struct br_diagram_lines *lines, struct br_diagram *diagrams,
                                     uint32_t count, bool by_time, struct br_diag *diag);
void br_diagram_lines_finish(struct br_diagram_lines *lines);

#endif
