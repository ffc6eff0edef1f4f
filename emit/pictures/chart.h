/* The layout of a Gantt chart: rows, and boxes in them at row x time. No drawing here.
 *
 * Three levels of detail; the finest legible one is taken:
 *   tasks    rows are machines, a box per task
 *   runs     rows are machines; tasks of one stage that follow each other without a pause on a
 *            machine are one box
 *   stages   rows are stages, and if there are many, those with much work and all others
 *            together by subset; boxes are as high as the number of their tasks that run at once
 * Tasks that share a machine lie in lanes of its row, each in the first lane that is free. */
#ifndef BR_EMIT_PICTURES_CHART_H
#define BR_EMIT_PICTURES_CHART_H

#include "emit/write/input.h"

enum br_chart_level { BR_CHART_TASKS, BR_CHART_RUNS, BR_CHART_STAGES };

struct br_chart_row {
    uint32_t which; /* machine, or stage; from the number of stages on: a subset of the others */
    uint32_t lanes; /* 1 in rows of stages */
    uint32_t first_lane; /* lanes of the rows above */
    uint32_t tasks;
    uint64_t peak_milli; /* most tasks at once, averaged per column, in thousandths */
    uint32_t most;       /* tasks that run at once, at any time; only in rows of stages */
};

struct br_chart_box {
    uint32_t row, lane;
    int64_t start_ns, end_ns;
    uint32_t task;          /* the first one */
    uint32_t tasks;         /* number of tasks in it; 0 in rows of stages */
    uint64_t at_once_milli; /* tasks at once, in thousandths; only in rows of stages */
    char subset;
};

struct br_chart {
    enum br_chart_level level;
    int64_t span_ns; /* time runs from 0 to here; at least 1 */
    uint32_t rows, lanes, boxes;
    struct br_chart_row *row;
    struct br_chart_box *box; /* in drawing order */
};

/* Lays out the plan. Times outside 0..makespan, possible in a plan read from a file, are clipped.
 * Both arrays are the chart's. O(tasks x lanes), with at most some hundred lanes. */
enum br_status br_chart_init(struct br_chart *chart, const struct br_emit_input *input,
                             struct br_diag *diag);
void br_chart_finish(struct br_chart *chart);

#endif
