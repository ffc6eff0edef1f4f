/* Transfers: plans that account for the bytes that edges carry (br_dag_set_edge_bytes) between the
 * ports of machines (br_cluster_set_network).
 *
 * Tasks of a stage on one machine send their share of the edge's bytes to the machines of the
 * child's tasks. Bytes that stay on a machine cost nothing. A transfer begins when the parent's
 * tasks on its machine have ended, moves at rates that change over time, and must end before the
 * child's tasks on the receiving machine start. A one-to-one edge has a transfer for each of its
 * pairs of tasks instead.
 */
#ifndef BIGROCKS_NETWORK_H
#define BIGROCKS_NETWORK_H

#include <bigrocks/planner.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One transfer of a plan. Times are nanoseconds from the start of the plan. */
struct br_plan_transfer {
    uint32_t parent, child; /* stages */
    uint32_t index; /* index of the pair over a one-to-one edge; BR_TRANSFER_ALL over a barrier */
    uint32_t from, to; /* machines */
    int64_t bytes;
    int64_t start_ns, end_ns;
};
#define BR_TRANSFER_ALL UINT32_MAX

/* Changes a plan that br_plan_make has made for this job and cluster into one that accounts for
 * transfers: starts, machines, order and makespan are new; the lower bound and its proof stay
 * valid. Only the options seed, effort, placements and stop count; NULL for the defaults. There is
 * no time limit, so BR_EFFORT_AUTO acts as default. The result has passed br_plan_verify and is the
 * same for equal plans and options. Errors leave the plan unchanged: BR_BAD_INPUT (a machine whose
 * port has no rate, a network too slow or transfers too many to be planned), BR_SYSTEM. */
BR_API enum br_status br_plan_network(struct br_plan *plan, const struct br_dag *dag,
                                      const struct br_cluster *cluster,
                                      const struct br_plan_options *options, struct br_diag *diag);

/* Does the plan account for transfers? */
BR_API bool br_plan_has_network(const struct br_plan *plan);
/* A lower bound, in nanoseconds, on plans of the job that move its bytes: at least the plan's own
 * lower bound, which ignores transfers. 0 if br_plan_network did not make the plan. */
BR_API int64_t br_plan_network_bound_ns(const struct br_plan *plan);
/* Number of the plan's transfers, and the k-th of them, in order of start. */
BR_API uint32_t br_plan_transfer_count(const struct br_plan *plan);
BR_API struct br_plan_transfer br_plan_transfer_at(const struct br_plan *plan, uint32_t k);

/* A span of time in which a transfer moves at one rate, in bytes a second. */
struct br_transfer_rate {
    int64_t start_ns, end_ns;
    int64_t rate;
};
/* The rates of the k-th transfer, in order of time: how many, and the i-th. Between two rates the
 * transfer rests, while the ports move others. Times multiplied by rates sum up to its bytes, plus
 * less than what moves in one nanosecond. O(1). */
BR_API uint32_t br_plan_transfer_rate_count(const struct br_plan *plan, uint32_t k);
BR_API struct br_transfer_rate br_plan_transfer_rate_at(const struct br_plan *plan, uint32_t k,
                                                        uint32_t i);

#ifdef __cplusplus
}
#endif
#endif
