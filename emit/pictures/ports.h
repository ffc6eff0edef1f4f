/* What the ports of machines do over time in a plan that accounts for transfers: boxes of rate x
 * time, stacked, in a row for each direction of each port in use. No drawing here.
 *
 * Where that would not be legible, one row stands for all ports together, its boxes for all that
 * one stage has put out. */
#ifndef BR_EMIT_PICTURES_PORTS_H
#define BR_EMIT_PICTURES_PORTS_H

#include "emit/write/input.h"

/* All ports. */
#define BR_PORT_ALL UINT32_MAX

struct br_port_row {
    uint32_t machine; /* or BR_PORT_ALL */
    bool down;        /* it receives; else it sends */
    int64_t rate;     /* bytes a second that fill it; more than the port's in a wrong plan */
    double use;       /* its mean use, as a part of one */
};

struct br_port_box {
    uint32_t row;
    uint32_t stage;    /* that has put out what moves */
    uint32_t transfer; /* in plan->carried; BR_PORT_ALL where it is all of the stage's */
    int64_t start_ns, end_ns;
    int64_t low, rate; /* bytes a second: what is stacked below it, and its own */
};

struct br_port_chart {
    uint32_t rows, boxes, room;
    struct br_port_row *row; /* by machine, what it sends first */
    struct br_port_box *box; /* by row */
    bool *moves;             /* by stage: something moves that it has put out; NULL without rows */
};

/* Without rows where nothing moves. The arrays are the chart's, released by br_port_chart_finish,
 * also on failure. O(pieces x those that move at once), with at most some thousand; with more,
 * O(pieces x columns). */
enum br_status br_port_chart_init(struct br_port_chart *chart, const struct br_emit_input *input,
                                  struct br_diag *diag);
void br_port_chart_finish(struct br_port_chart *chart);

#endif
