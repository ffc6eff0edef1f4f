/* What jobs with deadlines were given while they ran: a row for each decision of their control
 * loops. */
#ifndef BR_WORKLOAD_ALLOTMENTS_H
#define BR_WORKLOAD_ALLOTMENTS_H

#include <stdbool.h>
#include <stdint.h>

struct br_outcome;
struct br_workload;

struct br_allotment {
    int64_t at_ns;
    uint32_t job;
    uint32_t raw, amount;          /* tokens, before smoothing and as given */
    uint32_t running;              /* its tasks that run at that moment */
    double progress, on_time;      /* 0 .. 1: its indicator, the probability to end in time */
    int64_t left_ns, left_high_ns; /* forecast of the time left: mean and 95 % quantile */
    int64_t deadline_ns;           /* as it stands then, on the workload's clock */
};

/* Rows in the order of time. */
struct br_allotments {
    struct br_allotment *row;
    uint32_t rows, room;
};
/* False when memory is out. */
bool br_allotments_add(struct br_allotments *allotments, const struct br_allotment *row);
void br_allotments_finish(struct br_allotments *allotments);

/* One job. NAN where it had no allotment, and `above` also where the outcome kept no spans. */
struct br_allotted {
    double token_minutes; /* tokens x minutes until its end */
    /* Of those, the share that is above the oracle's allocation: the least whole number of tokens
     * that would do its work by its last deadline if it could always be shared evenly.
     * [Ferguson12, 5.1] */
    double above;
    double median;       /* allotment, over time */
    int64_t deadline_ns; /* its last one */
};
/* Fills one for each job of the workload. False when memory is out. O(rows log rows + spans). */
bool br_allotted_make(const struct br_workload *workload, const struct br_outcome *outcome,
                      struct br_allotted *job);

#endif
