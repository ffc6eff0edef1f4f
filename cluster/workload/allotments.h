/* The allotments of jobs with deadlines while they ran: a row for each decision of their control
 * loops. */
#ifndef BR_CLUSTER_WORKLOAD_ALLOTMENTS_H
#define BR_CLUSTER_WORKLOAD_ALLOTMENTS_H

#include <stdbool.h>
#include <stdint.h>

struct br_allotment {
    int64_t at_ns;
    uint32_t job;
    uint32_t raw, amount;          /* tokens or percents, before smoothing and as given */
    uint32_t running;              /* its tasks that run at that moment */
    double progress, on_time;      /* 0 .. 1: its indicator, the probability to end in time */
    int64_t left_ns, left_high_ns; /* forecast of the time left: mean and 95 % quantile */
    int64_t deadline_ns;           /* as it stands then, on the workload's clock */
};

/* Rows in the order of time. */
struct br_allotments {
    struct br_allotment *row;
    uint32_t rows, room;
    bool shares; /* amounts are percents of the cluster, and not tokens */
};
/* False when memory is out. */
bool br_allotments_add(struct br_allotments *allotments, const struct br_allotment *row);
void br_allotments_finish(struct br_allotments *allotments);

#endif
