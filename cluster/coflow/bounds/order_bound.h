/* A bound on the mean completion time from the linear program over the order of coflows, by its
 * dual values alone: their source need not be trusted.
 *
 * Let d(i,j) be 1 if i completes before j, and d(i,j) + d(j,i) = 1. Every coflow j, port p and time
 * t up to the release of j have
 *
 *   C(j) >= t + p(j) + sum of p(i) d(i,j) over the other coflows i that are released from t on,
 *
 * since what completes before j and came from t on has gone through the port after t; and of three
 * coflows that follow one another in a circle, d(i,j) + d(j,k) + d(k,i) <= 2. This is the program
 * of the order that the analysis of [Agarwal18] rests on, with times of release. One order holds at
 * all ports, so that it is at least as good as mean busy times at all ports (bound.h).
 *
 * Any weights of those rows that are not negative, at most 1 in all of each coflow, make a bound:
 * add the weighted rows up, and give each pair the order that costs less. */
#ifndef BR_CLUSTER_COFLOW_BOUNDS_ORDER_BOUND_H
#define BR_CLUSTER_COFLOW_BOUNDS_ORDER_BOUND_H

#include "cluster/coflow/bounds/parts.h"

/* Most coflows that it is made for: memory and time grow with their square. */
#define BR_ORDER_COFLOWS 2000

struct br_order_row {
    uint32_t coflow, port, since; /* t is the release of the coflow `since` */
    double weight;
};

struct br_order_cycle {
    uint32_t coflow[3];
    double weight;
};

struct br_order_proof {
    uint32_t rows, cycles;
    struct br_order_row *row;
    struct br_order_cycle *cycle;
};

void br_order_proof_finish(struct br_order_proof *proof);
/* Sets the bound that the weights make. BR_BAD_INPUT if a row or a cycle is not valid, or a weight
 * is not a number from 0 on; weights of a coflow above 1 in all are scaled down. BR_SYSTEM
 * (memory). O(coflows^2 + rows x coflows). */
enum br_status br_coflow_order_bound(const struct br_coflow_parts *parts,
                                     const struct br_order_proof *proof, double *average_cct_s,
                                     struct br_diag *diag);

#endif
