/* Making workloads: jobs drawn from dags, arrivals, slices, groups and deadlines.
 *
 * All of it works on a workload that is being made, in place, and br_workload_finish checks and
 * sorts the result. What is random is drawn from the seed, each kind of choice from a stream of its
 * own, so that one more option leaves what the others drew as it is.
 */
#ifndef BR_CLUSTER_WORKLOAD_MAKE_H
#define BR_CLUSTER_WORKLOAD_MAKE_H

#include "cluster/workload/workload.h"

enum br_draw {
    BR_DRAW_RANDOM, /* each job is one of the dags, all as likely */
    BR_DRAW_ALL,    /* the dags in their order, again from the first after the last */
};

/* Adds `count` jobs to a workload that has dags: numbered from 1, with seeds of their own, all
 * arriving at 0. */
enum br_status br_workload_draw(struct br_workload *workload, enum br_draw draw, uint32_t count,
                                uint64_t seed, struct br_diag *diag);
/* The seed of the k-th job to be generated. */
uint64_t br_workload_generated_seed(uint64_t seed, uint32_t k);

enum br_arrivals {
    BR_ARRIVE_BATCH,   /* all at 0 */
    BR_ARRIVE_POISSON, /* exponential times between arrivals */
    BR_ARRIVE_REGULAR, /* equal times between arrivals */
};

/* Gives the jobs, in their order, new arrivals from 0 on, with this mean time between them: of
 * random times the mean over these very jobs, so that a load holds as it was asked for (the
 * arrivals are those of a Poisson process of which the number of jobs in its span is given). A
 * deadline moves with its job. BR_USAGE if the last arrival would be beyond 290 years. */
enum br_status br_workload_arrive(struct br_workload *workload, enum br_arrivals arrivals,
                                  double mean_s, uint64_t seed, struct br_diag *diag);
/* The k-th job arrives at time[k], in ns; a deadline moves with its job. */
void br_workload_arrive_at(struct br_workload *workload, const int64_t *time);
/* Multiplies the times between arrivals; the first one stays. BR_USAGE as above. */
enum br_status br_workload_stretch(struct br_workload *workload, double factor,
                                   struct br_diag *diag);
/* Mean time between arrivals in seconds, (last - first) / (jobs - 1); NAN below two jobs. Needs no
 * order. */
double br_workload_mean_gap(const struct br_workload *workload);

/* Keeps the jobs that arrive from from_ns on, before to_ns (BR_NEVER: no end), at most `count` of
 * them (0: all), and moves the clock so that from_ns is 0. The workload is finished, so that its
 * jobs are in order; what is left may be none. */
void br_workload_slice(struct br_workload *workload, int64_t from_ns, int64_t to_ns,
                       uint32_t count);
/* Keeps each job with this probability. */
void br_workload_thin(struct br_workload *workload, double share, uint64_t seed);

/* Gives the jobs groups: all of those in turn, or at random, all as likely. */
void br_workload_assign(struct br_workload *workload, const uint32_t *group, uint32_t groups,
                        bool random, uint64_t seed);
/* The time from a job's arrival to its deadline: `factor` times its critical path as declared, plus
 * later_ns; at least 1 ns. BR_SYSTEM (memory). */
enum br_status br_workload_deadline_of(const struct br_dag *dag, double factor, int64_t later_ns,
                                       int64_t *after_ns, struct br_diag *diag);
/* Gives every job a deadline: after `factor` times its critical path as declared, plus later_ns. At
 * least 1 ns after its arrival. */
enum br_status br_workload_set_deadlines(struct br_workload *workload, double factor,
                                         int64_t later_ns, struct br_diag *diag);

#endif
