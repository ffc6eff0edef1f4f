/* The use of machines' ports over time in a plan that accounts for transfers: boxes of rate x time,
 * stacked, in a row for each direction of each port in use. No drawing here.
 *
 * If that would not be legible, one row represents all ports together, with a box for everything
 * that one stage has produced. */
#ifndef BR_EMIT_ANALYSIS_PORTS_H
#define BR_EMIT_ANALYSIS_PORTS_H

#include "emit/write/input.h"

/* All ports. */
#define BR_PORT_ALL UINT32_MAX

struct br_port_row {
    uint32_t machine; /* or BR_PORT_ALL */
    bool down;        /* receiving; else sending */
    int64_t rate;     /* its capacity in bytes a second; exceeded in an invalid plan */
    double use;       /* its mean use, as a part of one */
};

struct br_port_box {
    uint32_t row;
    uint32_t stage;    /* that has produced the bytes */
    uint32_t transfer; /* in plan->carried; BR_PORT_ALL if it is everything of the stage */
    int64_t start_ns, end_ns;
    int64_t low, rate; /* bytes a second: those stacked below it, and its own */
};

struct br_port_chart {
    uint32_t rows, boxes, room;
    struct br_port_row *row; /* by machine, sending first */
    struct br_port_box *box; /* by row */
    bool *moves;             /* by stage: some of its bytes move; NULL without rows */
};

/* Has no rows if nothing moves. The arrays are the chart's, released by br_port_chart_finish, also
 * on failure. O(pieces x concurrent transfers), with at most some thousand pieces; with more,
 * O(pieces x columns). */
enum br_status br_port_chart_init(struct br_port_chart *chart, const struct br_emit_input *input,
                                  struct br_diag *diag);
void br_port_chart_finish(struct br_port_chart *chart);

#endif
