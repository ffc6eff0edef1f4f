/* The outcome of a trace of coflows under a policy. */
#ifndef BR_CLUSTER_COFLOW_COFLOW_OUTCOME_H
#define BR_CLUSTER_COFLOW_COFLOW_OUTCOME_H

#include "cluster/coflow/coflows.h"

/* Bytes that moved until a time, since that of the span before. */
struct br_coflow_span {
    double end_ms, bytes;
};

/* The size that a policy without sizes believed of a coflow, and what it took to learn it. NAN:
 * never estimated, or never learned. */
struct br_coflow_guess {
    double bytes; /* of the whole coflow */
    double real;  /* what it has, on this clock */
    double at_ms; /* when pilots told it, or sinking through queues came to an end */
    double sent;  /* bytes of the coflow until then */
};

/* Counts of a coordinator's work, if there is one. */
struct br_coordinator_figures {
    uint64_t intervals; /* in which there was some coflow */
    uint64_t rounds;    /* of them, that told agents new rates */
    uint64_t missed;    /* in which it was at work from before */
    uint64_t heard;     /* agents, summed over intervals */
};

struct br_coflow_outcome {
    uint32_t coflows, finished;
    double *start_ms; /* by coflow: from when its completion time counts */
    double *end_ms;   /* NAN: not finished */
    struct br_coflow_guess *guess;
    uint32_t spans, room;
    struct br_coflow_span *span;
    uint64_t decisions, events;
    struct br_coordinator_figures coordinator;
    bool cut;       /* stopped before the end */
    double seconds; /* of a processor, that the simulation took */
};

void br_coflow_outcome_finish(struct br_coflow_outcome *outcome);

/* Figures of an outcome. Times in seconds; NAN if nothing finished. */
struct br_coflow_figures {
    uint32_t finished;
    double average_cct_s, p50_cct_s, p90_cct_s, p99_cct_s, makespan_s;
    double slowdown;    /* mean of completion time over the time alone on the fabric */
    double utilisation; /* share of the uplinks' capacity in use until the makespan */
};
/* `port_rate` in bytes a millisecond. O(flows + coflows log coflows). BR_SYSTEM (memory). */
enum br_status br_coflow_figures_make(const struct br_coflows *trace,
                                      const struct br_coflow_outcome *outcome, double port_rate,
                                      struct br_coflow_figures *figures, struct br_diag *diag);

#endif
